//! What segments still lack or have too much, evened out by a displacement without steps.
//!
//! In: what every segment lacks. Out: how far each vertex goes along its normal: the mean of one number per segment, by the vertex's weights.
//! The numbers solve a small sparse system, to first order of the volume. Beyond the paper, whose segments hold their borders: a thin
//! one, such as a giraffe's chest, then has hardly any flesh that may move. Cost: one pass over the influences, and a few over the system.
//!
//! Only segments that the pose bends take part; towards others the displacement fades out.

use super::Body;
use super::segments::Segments;

/// Gauss–Seidel sweeps. More: the volumes are nearer after the step. Fewer: neighbours with opposite needs push each other less far.
const SWEEPS: usize = 12;

/// A segment whose joints are bent by this (about 3°) takes half a part. Larger: grooves in gentle poses. Smaller: flesh next to a joint
/// that hardly bends moves with its neighbours'.
const BARELY_BENT: f32 = 3e-3;

/// A vertex goes all the way where segments that take part are ahead of others by the inverse of this. Larger: a groove where they
/// end. Smaller: the last segment that takes part has little flesh that moves.
const SOON: f32 = 4.0;

/// The system, and whom vertices follow.
#[derive(Clone, Debug, Default)]
pub(super) struct Level {
    /// Per vertex: where its shares end in `shares`.
    ends: Vec<u32>,
    shares: Vec<Share>,
    /// Per vertex: 1 where only segments hold it that take part, 0 where others do more.
    freedom: Vec<f32>,
    /// Per segment.
    rows: Vec<Row>,
    /// Of the matrix, row by row: what a segment gains by another's number.
    columns: Vec<u32>,
    values: Vec<f64>,
}

/// How much of a vertex follows a segment.
#[derive(Clone, Copy, Debug)]
struct Share {
    segment: u32,
    weight: f32,
    /// In the matrix, in the row of the vertex's own segment.
    slot: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Row {
    end: u32,
    /// From 0 to 1.
    part: f32,
    /// `part` times the number.
    way: f32,
    number: f64,
}

/// What a segment needs, and may do.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Need {
    pub(super) missing: f64,
    /// The largest number it may have.
    pub(super) limit: f64,
}

impl Level {
    /// For these vertices, in this order.
    pub(super) fn new(body: &Body, segments: &Segments, vertices: &[u32]) -> Self {
        let followed = |vertex: u32| {
            let own = segments.of_vertices()[vertex as usize];
            let part = segments.segments()[own as usize].part;
            body.weights.row(vertex as usize).iter().filter_map(move |influence| {
                let segment = segments.find(part, influence.column as usize)?;
                Some((own, segment as u32, influence.weight))
            })
        };
        let mut entries: Vec<(u32, u32)> =
            vertices.iter().flat_map(|&v| followed(v).map(|(own, segment, _)| (own, segment))).collect();
        entries.sort_unstable();
        entries.dedup();
        let mut level = Self { values: vec![0.0; entries.len()], ..Self::default() };
        for &vertex in vertices {
            level.shares.extend(followed(vertex).map(|(own, segment, weight)| {
                let slot = entries.binary_search(&(own, segment)).unwrap_or(0) as u32;
                Share { segment, weight, slot }
            }));
            level.ends.push(level.shares.len() as u32);
        }
        level.freedom = vec![0.0; vertices.len()];
        let end = |row: usize| entries.partition_point(|&(own, _)| own as usize <= row) as u32;
        level.rows =
            (0..segments.segments().len()).map(|row| Row { end: end(row), ..Row::default() }).collect();
        level.columns = entries.into_iter().map(|(_, column)| column).collect();
        level
    }

    /// Takes a new pose: how much each segment is bent.
    pub(super) fn pose(&mut self, bent: impl Iterator<Item = f32>) {
        for (row, bent) in self.rows.iter_mut().zip(bent) {
            let squared = (bent / BARELY_BENT).powi(2);
            row.part = if squared.is_finite() { squared / (1.0 + squared) } else { 1.0 };
        }
        let mut start = 0;
        for (freedom, &end) in self.freedom.iter_mut().zip(&self.ends) {
            let (mut inside, mut outside) = (0.0_f32, 0.0_f32);
            for share in &self.shares[start..end as usize] {
                let part = self.rows[share.segment as usize].part;
                inside = inside.max(share.weight * part);
                outside = outside.max(share.weight * (1.0 - part));
            }
            start = end as usize;
            let ahead = (SOON * (inside - outside)).clamp(0.0, 1.0);
            *freedom = ahead * ahead * (3.0 - 2.0 * ahead);
        }
    }

    /// Empties the system.
    pub(super) fn clear(&mut self) {
        self.values.fill(0.0);
    }

    /// Adds what its own segment gains when a vertex moves by one.
    #[inline]
    pub(super) fn add(&mut self, vertex: usize, gain: f32) {
        let gain = gain * self.freedom[vertex];
        for share in &self.shares[self.range(vertex)] {
            let part = self.rows[share.segment as usize].part;
            self.values[share.slot as usize] += f64::from(gain * share.weight * part);
        }
    }

    /// Finds the numbers.
    pub(super) fn solve(&mut self, needs: &[Need]) {
        self.rows.iter_mut().for_each(|row| row.number = 0.0);
        for _ in 0..SWEEPS {
            let mut start = 0;
            for (segment, need) in needs.iter().enumerate() {
                let end = self.rows[segment].end as usize;
                let (mut missing, mut own) = (need.missing, 0.0);
                for (&column, &value) in self.columns[start..end].iter().zip(&self.values[start..end]) {
                    if column as usize == segment {
                        own = value;
                    } else {
                        missing -= value * self.rows[column as usize].number;
                    }
                }
                start = end;
                let number = if own > 0.0 { missing / own } else { 0.0 };
                self.rows[segment].number = softened(number, need.limit);
            }
        }
        self.rows.iter_mut().for_each(|row| row.way = row.part * row.number as f32);
    }

    /// How far a vertex goes.
    #[inline]
    pub(super) fn way(&self, vertex: usize) -> f32 {
        let shares = self.shares[self.range(vertex)].iter();
        let way: f32 = shares.map(|share| share.weight * self.rows[share.segment as usize].way).sum();
        self.freedom[vertex] * way
    }

    #[inline]
    fn range(&self, vertex: usize) -> std::ops::Range<usize> {
        let start = if vertex == 0 { 0 } else { self.ends[vertex - 1] as usize };
        start..self.ends[vertex] as usize
    }
}

/// `value`, never beyond `limit`, and smoothly, so that nothing pops; 0 if it is no number.
pub(super) fn softened(value: f64, limit: f64) -> f64 {
    let strain = value / limit.max(f64::MIN_POSITIVE);
    let softened = value / (1.0 + strain * strain).sqrt();
    if softened.is_finite() { softened } else { 0.0 }
}
