//! Displacement limits: how far each vertex may move, outwards and inwards, before its skin would
//! meet other skin.
//!
//! In, once: the mesh and its weights. In, per frame: skinned positions. Out: two lengths per
//! vertex. Both are smooth functions of the pose, so that nothing pops. Source:
//! docs/theory/volume.md#displacement-limits. Cost per frame: one term for each pair of a sample
//! that moves and a sample near it; the number of samples does not grow with large meshes. Nothing
//! is allocated.
//!
//! The gap in front of a vertex follows from a sum over samples of the surface that face it, like
//! the tangent-point energy (Buck, Orloff 1995; Yu, Schumacher, Crane 2021). A minimum over
//! distances would need to know which skin is near because it is connected, and would have kinks.

use std::f32::consts::PI;

use glam::{Vec3, Vec3A, Vec4};

use super::mesh_layout::MeshLayout;
use super::segments::Segments;
use super::tuning::GapTuning;
use crate::math::{larger, sort_by_keys};
use crate::model::{Mesh, Weights};
use crate::operators::morton_order;

/// Samples that the limits of a vertex are interpolated from.
pub(super) const NEAREST: usize = 4;

/// Samples or slots, and their shares.
pub(super) type Shares = [(u32, f32); NEAREST];

/// Samples of the surface.
#[derive(Clone, Debug, Default)]
pub(super) struct GapLayout {
    samples: Vec<Sample>,
    /// Two corners of every triangle around each sample, concatenated.
    rings: Vec<[u32; 2]>,
    /// Per block: the areas that its samples stand for; zero where there is no sample.
    areas: Vec<[Vec4; QUADS]>,
    /// Per slot: the samples near it, and their shares.
    nearest: Vec<Shares>,
    /// The samples at rest.
    rest_blocks: Vec<Block>,
    rest_spheres: Vec<Spheres>,
}

/// Four samples are computed at once, with SIMD instructions.
const QUADS: usize = 2;

/// Samples per block, which are computed or left out together.
const LANES: usize = 4 * QUADS;

/// Blocks whose spheres are tested at once.
const SPHERES: usize = 4;

/// A vertex that stands for the surface around it.
#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    vertex: u32,
    /// Its slot, if it moves.
    slot: Option<u32>,
    ring_end: u32,
    area: f32,
    /// The sum of the inside at rest.
    rest_sum: f32,
    /// Square of the distance beyond which other skin does not limit it.
    reach_squared: f32,
    /// −1 on parts that are inside out, else 1.
    orientation: f32,
}

/// Scratch of a frame.
#[derive(Clone, Debug, Default)]
pub(super) struct Gaps {
    blocks: Vec<Block>,
    /// Those of four blocks each.
    spheres: Vec<Spheres>,
    /// Per sample: limits along the normal of its triangles and against it, and the one outwards as
    /// a share of its value at rest.
    limits: Vec<[f32; 3]>,
}

/// Consecutive samples, which are near each other, by coordinate.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    positions: [[Vec4; 3]; QUADS],
    normals: [[Vec4; 3]; QUADS],
}

impl Block {
    fn position(&self, lane: usize) -> Vec3A {
        Vec3A::from(self.positions[lane / 4].map(|of| of[lane % 4]))
    }

    fn normal(&self, lane: usize) -> Vec3A {
        Vec3A::from(self.normals[lane / 4].map(|of| of[lane % 4]))
    }

    fn set(&mut self, lane: usize, position: Vec3A, normal: Vec3A) {
        for axis in 0..3 {
            self.positions[lane / 4][axis][lane % 4] = position[axis];
            self.normals[lane / 4][axis][lane % 4] = normal[axis];
        }
    }

    /// The bounding sphere of the first `count` positions.
    fn sphere(&self, count: usize) -> (Vec3A, f32) {
        let sum: Vec3A = (0..count).map(|lane| self.position(lane)).sum();
        let centre = sum / count.max(1) as f32;
        let squared = (0..count).map(|lane| self.position(lane).distance_squared(centre));
        (centre, squared.fold(0.0, larger).sqrt())
    }
}

/// The bounding spheres of consecutive blocks, by coordinate.
#[derive(Clone, Copy, Debug, Default)]
struct Spheres {
    centres: [Vec4; 3],
    radii: Vec4,
}

impl Spheres {
    fn set(&mut self, lane: usize, (centre, radius): (Vec3A, f32)) {
        (0..3).for_each(|axis| self.centres[axis][lane] = centre[axis]);
        self.radii[lane] = radius;
    }

    /// The spheres nearer to a point than `reach`, as bits.
    #[inline]
    fn within(&self, position: Vec3A, reach: f32) -> u32 {
        let by = [0, 1, 2].map(|axis| self.centres[axis] - position[axis]);
        let farthest = self.radii + reach;
        length_squared(by).cmple(farthest * farthest).bitmask()
    }

    /// The distance of a point from one of the spheres; zero inside.
    fn distance(&self, lane: usize, position: Vec3A) -> f32 {
        let centre = Vec3A::from(self.centres.map(|of| of[lane]));
        larger(centre.distance(position) - self.radii[lane], 0.0)
    }
}

#[inline]
fn length_squared([x, y, z]: [Vec4; 3]) -> Vec4 {
    x * x + y * y + z * z
}

#[inline]
fn dot([x, y, z]: [Vec4; 3], with: Vec3A) -> Vec4 {
    x * with.x + y * with.y + z * with.z
}

impl Gaps {
    pub(super) fn new(layout: &GapLayout) -> Self {
        let count = layout.samples.len();
        let blocks = vec![Block::default(); count.div_ceil(LANES)];
        let spheres = vec![Spheres::default(); blocks.len().div_ceil(SPHERES)];
        Self { blocks, spheres, limits: vec![[0.0; 3]; count] }
    }
}

impl GapLayout {
    pub(super) fn new(
        mesh: &Mesh,
        weights: &Weights,
        segments: &Segments,
        layout: &MeshLayout,
        tuning: &GapTuning,
    ) -> Self {
        let mut all = Self::default();
        let (areas, mut normals) = areas_and_normals(mesh);
        let orientations = orientations(mesh, segments);
        normals.iter_mut().zip(&orientations).for_each(|(normal, &orientation)| *normal *= orientation);
        all.choose_samples(mesh, weights, layout, tuning, (&areas, &normals));
        all.add_rings(mesh);
        all.samples.iter_mut().for_each(|s| s.orientation = orientations[s.vertex as usize]);
        let mut scratch = Gaps::new(&all);
        all.read(mesh.positions(), &mut scratch);
        let diagonal = mesh.diagonal();
        for sample in 0..all.samples.len() {
            all.samples[sample].reach_squared = diagonal * diagonal;
            let [_, inside] = all.sums(sample, &scratch);
            let thickness = distance_of(inside);
            all.samples[sample].rest_sum = inside;
            let reach = (tuning.reach * thickness).min(diagonal);
            all.samples[sample].reach_squared = reach * reach;
        }
        (all.rest_blocks, all.rest_spheres) = (scratch.blocks, scratch.spheres);
        all.find_nearest(mesh, layout, &normals);
        all
    }

    /// Chooses samples so that both sides of a thin part have their own: by joint, direction of the
    /// normal, and place.
    fn choose_samples(
        &mut self,
        mesh: &Mesh,
        weights: &Weights,
        layout: &MeshLayout,
        tuning: &GapTuning,
        (areas, normals): (&[f32], &[Vec3]),
    ) {
        let octant = |v: u32| {
            let n = normals[v as usize];
            u64::from(n.x > 0.0) | u64::from(n.y > 0.0) << 1 | u64::from(n.z > 0.0) << 2
        };
        let mut order: Vec<(u64, u32)> = Vec::with_capacity(areas.len());
        for (rank, vertex) in morton_order(mesh.positions()).into_iter().enumerate() {
            let group = u64::from(weights.dominant(vertex as usize));
            order.push((group << 40 | octant(vertex) << 32 | rank as u64, vertex));
        }
        sort_by_keys(&mut order, |&(key, _)| key);
        let stride = order.len().div_ceil(tuning.max_samples).max(1);
        let mut ranked = Vec::new();
        for side in order.chunk_by(|a, b| a.0 >> 32 == b.0 >> 32) {
            for block in side.chunks(stride) {
                let (key, vertex) = block[block.len() / 2];
                let slot = layout.slots[vertex as usize];
                let slot = layout.is_shared_slot(slot).then_some(slot);
                let area = block.iter().map(|&(_, v)| areas[v as usize]).sum();
                ranked.push((key as u32, Sample { vertex, slot, area, ..Sample::default() }));
            }
        }
        // Samples of a block are near each other.
        sort_by_keys(&mut ranked, |&(rank, _)| rank.into());
        self.samples = ranked.into_iter().map(|(_, sample)| sample).collect();
        let areas = |samples: &[Sample]| {
            let mut areas = [Vec4::ZERO; QUADS];
            samples.iter().enumerate().for_each(|(lane, sample)| areas[lane / 4][lane % 4] = sample.area);
            areas
        };
        self.areas = self.samples.chunks(LANES).map(areas).collect();
    }

    fn add_rings(&mut self, mesh: &Mesh) {
        let mut sample_of_vertex = vec![u32::MAX; mesh.positions().len()];
        for (sample, at) in self.samples.iter().zip(0..) {
            sample_of_vertex[sample.vertex as usize] = at;
        }
        let mut corners: Vec<(u32, [u32; 2])> = Vec::new();
        for &[a, b, c] in mesh.triangles() {
            for (vertex, ring) in [(a, [b, c]), (b, [c, a]), (c, [a, b])] {
                let sample = sample_of_vertex[vertex as usize];
                if sample != u32::MAX {
                    corners.push((sample, ring));
                }
            }
        }
        sort_by_keys(&mut corners, |&(sample, _)| sample.into());
        for (sample, at) in self.samples.iter_mut().zip(0..) {
            sample.ring_end = corners.partition_point(|&(of, _)| of <= at) as u32;
        }
        self.rings = corners.into_iter().map(|(_, ring)| ring).collect();
    }

    /// Finds the samples that limits of each shared slot are interpolated from. Shares fall to zero
    /// before a sample is replaced by another.
    fn find_nearest(&mut self, mesh: &Mesh, layout: &MeshLayout, normals: &[Vec3]) {
        let at = |v: u32| (mesh.positions()[v as usize], normals[v as usize]);
        let mut all = Vec::with_capacity(layout.vertices.len());
        let own: Vec<Option<u32>> = {
            let mut own = vec![None; mesh.positions().len()];
            self.samples.iter().zip(0..).for_each(|(s, at)| own[s.vertex as usize] = Some(at));
            own
        };
        for (slot, &vertex) in layout.vertices.iter().enumerate() {
            let mut nearest = [(0, 0.0); NEAREST];
            if let Some(sample) = own[vertex as usize] {
                nearest[0] = (sample, 1.0);
            } else if layout.is_shared_slot(slot as u32) {
                let (position, normal) = at(vertex);
                let facing = |at: usize| {
                    larger(self.rest_blocks[at / LANES].normal(at % LANES).dot(normal.into()), 0.0)
                };
                nearest = self.nearest_samples(position.into(), facing);
            }
            all.push(nearest);
        }
        self.nearest = all;
    }

    /// The samples of shared skin that a vertex of a loose part lies on, as slots with shares; the
    /// distance of the nearest, and the thickness of the body there. None if there are none.
    pub(super) fn hosts(&self, position: Vec3, is_host: impl Fn(u32) -> bool) -> Option<(Shares, f32, f32)> {
        let position = Vec3A::from(position);
        let closeness = |at: usize| {
            let sample = &self.samples[at];
            let is_host = sample.slot.is_some() && is_host(sample.vertex);
            if is_host { 1.0 } else { 0.0 }
        };
        let nearest = self.nearest_samples(position, closeness);
        let first = nearest[0].0 as usize;
        let Sample { slot: Some(_), rest_sum, area, vertex, .. } = self.samples[first] else { return None };
        let distance = (self.rest_blocks[first / LANES].position(first % LANES) - position).length();
        let thickness = distance_of(rest_sum) + area.sqrt();
        let slot = |(sample, share): (u32, f32)| (self.samples[sample as usize].slot.unwrap_or(0), share);
        is_host(vertex).then(|| (nearest.map(slot), distance, thickness))
    }

    /// The samples that are nearest at rest, with shares; `weight` is how much a sample counts.
    fn nearest_samples(&self, position: Vec3A, weight: impl Fn(usize) -> f32) -> Shares {
        // One more than is kept: its closeness is subtracted from that of the others.
        let mut best = [(0_u32, 0.0_f32); NEAREST + 1];
        for (at, block) in self.rest_blocks.iter().enumerate() {
            // Only samples that are nearer than the last of the best can replace it.
            let gap = self.rest_spheres[at / SPHERES].distance(at % SPHERES, position);
            if gap * gap * best[NEAREST].1 > 1.0 {
                continue;
            }
            let first = at * LANES;
            for sample in first..self.samples.len().min(first + LANES) {
                let squared = (block.position(sample - first) - position).length_squared();
                let mut entry = (sample as u32, weight(sample) / (squared + f32::MIN_POSITIVE));
                for kept in &mut best {
                    if entry.1 > kept.1 {
                        std::mem::swap(kept, &mut entry);
                    }
                }
            }
        }
        let last = best[NEAREST].1;
        let mut nearest = [0, 1, 2, 3].map(|at| (best[at].0, best[at].1 - last));
        let all: f32 = nearest.iter().map(|(_, share)| share).sum();
        if all > 0.0 && all.is_finite() {
            nearest.iter_mut().for_each(|(_, share)| *share /= all);
        } else {
            nearest = [(best[0].0, 1.0), (0, 0.0), (0, 0.0), (0, 0.0)];
        }
        nearest
    }

    /// Reads the posed samples.
    fn read(&self, positions: &[Vec3], scratch: &mut Gaps) {
        let mut start = 0;
        for (at, samples) in self.samples.chunks(LANES).enumerate() {
            let block = &mut scratch.blocks[at];
            for (lane, sample) in samples.iter().enumerate() {
                let at = |v: u32| Vec3A::from(positions[v as usize]);
                let position = at(sample.vertex);
                let ring = &self.rings[start..sample.ring_end as usize];
                let area: Vec3A = ring.iter().map(|&[b, c]| (at(b) - position).cross(at(c) - position)).sum();
                block.set(lane, position, area.normalize_or_zero() * sample.orientation);
                start = sample.ring_end as usize;
            }
            scratch.spheres[at / SPHERES].set(at % SPHERES, block.sphere(samples.len()));
        }
    }

    /// The sums over skin that faces a sample from outside and from inside.
    fn sums(&self, sample: usize, scratch: &Gaps) -> [f32; 2] {
        let Sample { reach_squared, .. } = self.samples[sample];
        let own = &scratch.blocks[sample / LANES];
        let (position, normal) = (own.position(sample % LANES), own.normal(sample % LANES));
        let reach = reach_squared.sqrt();
        let inverse = 1.0 / reach_squared;
        // Samples without an area, in one place, have no direction. Squares of this are not zero.
        let least = 1e-10 * reach_squared + f32::MIN_POSITIVE.sqrt();
        let [mut outside, mut inside] = [Vec4::ZERO; 2];
        for (of, spheres) in scratch.spheres.iter().enumerate() {
            let mut near = spheres.within(position, reach);
            while near != 0 {
                let at = SPHERES * of + near.trailing_zeros() as usize;
                near &= near - 1;
                // Lanes without a block come last.
                let Some(Block { positions, normals }) = scratch.blocks.get(at) else { break };
                for ((positions, &normals), &area) in positions.iter().zip(normals).zip(&self.areas[at]) {
                    let by = [0, 1, 2].map(|axis| positions[axis] - position[axis]);
                    let squared = length_squared(by);
                    let along = dot(by, normal);
                    let fade = (Vec4::ONE - squared * inverse).max(Vec4::ZERO);
                    let facing = (Vec4::ONE - dot(normals, normal)) * fade;
                    // Two samples are not nearer to each other than the surface they stand for is
                    // wide.
                    let softened = squared + area * 0.02 + least;
                    let term = area * facing * facing / (softened * softened * 4.0);
                    let front = along / (along * along + softened * 0.1).sqrt() * 0.5 + 0.5;
                    outside += term * front;
                    inside += term * (Vec4::ONE - front);
                }
            }
        }
        [outside.element_sum(), inside.element_sum()]
    }

    /// Computes the limits of all samples that `moves` by skinned positions.
    pub(super) fn measure(
        &self,
        tuning: &GapTuning,
        positions: &[Vec3],
        scratch: &mut Gaps,
        moves: impl Fn(usize) -> bool,
    ) {
        self.read(positions, scratch);
        for (at, sample) in self.samples.iter().enumerate() {
            let at_rest = sample.rest_sum * tuning.rest_share;
            let margin = tuning.margin * sample.area.sqrt();
            let limit = |sum: f32| {
                let gap = distance_of(sum + at_rest);
                // Smooth and below `gap − margin`; zero where the gap is narrower than the margin.
                let excess = larger(gap - margin, 0.0);
                tuning.gap_share * excess * excess / (excess + margin + f32::MIN_POSITIVE)
            };
            let free = limit(0.0);
            scratch.limits[at] = [free, free, 1.0];
            if sample.slot.is_some_and(|slot| moves(slot as usize)) {
                let [outwards, inwards] = self.sums(at, scratch).map(limit);
                let freedom = outwards / larger(free, f32::MIN_POSITIVE);
                let is_inside_out = sample.orientation < 0.0;
                let along = if is_inside_out { [inwards, outwards] } else { [outwards, inwards] };
                scratch.limits[at] = [along[0], along[1], freedom];
            }
        }
    }

    /// The limits of a slot along its area vector and against it, and its freedom from 0 to 1.
    #[inline]
    pub(super) fn of_slot(&self, scratch: &Gaps, slot: usize) -> [f32; 3] {
        let mut limits = [0.0; 3];
        for (sample, share) in self.nearest[slot] {
            let of = scratch.limits[sample as usize];
            (0..3).for_each(|at| limits[at] += share * of[at]);
        }
        limits
    }
}

/// The distance of two parallel planes for which the sum is this.
fn distance_of(sum: f32) -> f32 {
    (PI / larger(sum, f32::MIN_POSITIVE)).sqrt()
}

/// Per vertex: −1 on parts whose volume is negative, else 1.
fn orientations(mesh: &Mesh, segments: &Segments) -> Vec<f32> {
    let mut parts: Vec<f64> = Vec::new();
    for (segment, volume) in segments.segments().iter().zip(segments.volumes(mesh.positions())) {
        let part = segment.part as usize;
        parts.resize(parts.len().max(part + 1), 0.0);
        parts[part] += volume;
    }
    let is_inside_out = |vertex: usize| {
        let segment = segments.of_vertex(vertex).map(|segment| segments.segments()[segment]);
        segment.is_some_and(|segment| parts[segment.part as usize] < 0.0)
    };
    (0..mesh.positions().len()).map(|vertex| if is_inside_out(vertex) { -1.0 } else { 1.0 }).collect()
}

/// Per vertex: a third of the area of its triangles, and its normal.
fn areas_and_normals(mesh: &Mesh) -> (Vec<f32>, Vec<Vec3>) {
    let mut sums = vec![(0.0, Vec3::ZERO); mesh.positions().len()];
    for (triangle, corners) in mesh.triangles().iter().enumerate() {
        let [a, b, c] = mesh.corners(triangle);
        let area = (b - a).cross(c - a);
        for &corner in corners {
            let sum = &mut sums[corner as usize];
            *sum = (sum.0 + area.length() / 6.0, sum.1 + area);
        }
    }
    sums.into_iter().map(|(area, sum)| (area, sum.normalize_or_zero())).unzip()
}
