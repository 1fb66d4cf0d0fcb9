//! SegmentInterfaces between segments, and how far a pose opens them.
//!
//! In, once: the lids between segments. In, per frame: how the pose bends flesh. Out: which segments are neighbours, and how easily flesh passes from one to the
//! other. Cost per frame: one sum over the vertices on borders.

use super::hole_caps::{Corner, HoleCap};
use super::layout::Layout;
use super::segments::{NONE, Segments};
use crate::math::{key_of, larger, sort_by_keys};

/// PostSkinning passes half as freely through a border that is bent by this share of what its segments are bent by at their most bent border, or by this little at all. Larger: grooves
/// beside joints that bend less than their neighbours. Smaller: flesh next to a joint that hardly bends moves with its neighbours'.
/// A share, so that a slight pose opens the same borders as a strong one: with a fixed measure (3°) an elephant's jaw was squeezed, and let go again, as its trunk began to curl.
const HALF_OPEN: f32 = 3e-3;
const NOT_BENT: f32 = 1e-9;

/// Who has a border with whom.
#[derive(Clone, Debug, Default)]
pub(super) struct SegmentInterfaces {
    borders: Vec<SegmentInterface>,
    /// The places that each border hangs on, one list after the other.
    along: Vec<u32>,
    /// How much each segment is bent where it is bent most.
    most: Vec<f32>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct SegmentInterface {
    pub(super) segments: [usize; 2],
    /// In the list of places.
    end: usize,
    /// How much the pose bends it.
    bent: f32,
    /// From 0 where the pose does not bend it, so that nothing passes, to 1.
    pub(super) open: f32,
}

impl SegmentInterfaces {
    pub(super) fn new(segments: &Segments, layout: &Layout) -> Self {
        // What lids hang on: vertices, and the middles of others, of which many lids have the same.
        let count = segments.of_vertices().len();
        let code = |corner: Corner| match corner {
            Corner::Vertex(vertex) => vertex as usize,
            Corner::Middle(middle) => count + middle as usize,
        };
        let lids = segments.lids().iter().filter(|lid| lid.adds.max(lid.subtracts) != NONE);
        let of_lid = |lid: &HoleCap| lid.corners.map(|corner| (lid.adds, lid.subtracts, code(corner) as u32));
        let mut corners: Vec<(u32, u32, u32)> = lids.flat_map(of_lid).collect();
        sort(&mut corners);
        let mut places: Vec<(u32, u32, u32)> = Vec::with_capacity(corners.len());
        for (first, second, code) in corners {
            let members = match (code as usize).checked_sub(count) {
                Some(middle) => segments.middles().members(middle),
                None => &[code],
            };
            places.extend(members.iter().map(|&vertex| (first, second, layout.places[vertex as usize])));
        }
        sort(&mut places);
        let mut all = Self { most: vec![0.0; segments.segments().len()], ..Self::default() };
        for border in places.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
            let (first, second, _) = border[0];
            all.along.extend(border.iter().map(|(.., place)| place));
            let (segments, end) = ([first as usize, second as usize], all.along.len());
            all.borders.push(SegmentInterface { segments, end, bent: 0.0, open: 0.0 });
        }
        all
    }

    /// All there are.
    pub(super) fn all(&self) -> &[SegmentInterface] {
        &self.borders
    }

    /// Takes a new pose.
    pub(super) fn pose(&mut self, bent: &[f32]) {
        let mut start = 0;
        self.most.fill(0.0);
        for border in &mut self.borders {
            let along = &self.along[start..border.end];
            border.bent = along.iter().map(|&place| bent[place as usize]).sum::<f32>() / along.len() as f32;
            border.segments.iter().for_each(|&s| self.most[s] = larger(self.most[s], border.bent));
            start = border.end;
        }
        for border in &mut self.borders {
            let [one, other] = border.segments.map(|segment| self.most[segment]);
            border.open = border.bent / (border.bent + HALF_OPEN * larger(one, other) + NOT_BENT);
        }
    }
}

/// Sorts, and leaves each there once.
fn sort(triples: &mut Vec<(u32, u32, u32)>) {
    sort_by_keys(triples, |&(.., third)| third.into());
    sort_by_keys(triples, |&(first, second, _)| key_of(first, second));
    triples.dedup();
}
