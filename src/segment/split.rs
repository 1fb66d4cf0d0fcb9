//! Cuts the region of each joint out of its parent's region (docs/theory/atlas.md#segmentation).
//!
//! For every connected component of the mesh with vertices on both sides, planes through the joint
//! are tried. They are orthogonal to the plane Q that the two bones span, and their normals are the
//! bisector of the bones, rotated in equal steps. Of the loops that separate a front from a back,
//! the shortest wins, unless it takes vertices that are clearly nearer to other bones. If every
//! loop does, the border of the nearest visible bone is the cut, except around leaves such as eyes,
//! which then take only the loose parts that enclose them (`loose_parts`). Only the part of a loop
//! that runs through the region being cut counts as its length. Where that is less than half of the
//! loop, as for a loop around a whole palm, the joint lies deeper in the body than its limb begins,
//! and planes farther out along the bone are tried.
//!
//! Tried on real rigs and rejected:
//! - The shortest loop alone. The loop of a knuckle takes the neighbouring fingers, that of an ear
//!   the head: 40 % of a hand's vertices agreed with the artist's instead of 86 %.
//! - Weighting disagreement by the difference of distances instead of by area: no better, and
//!   slower.
//! - Planes farther out at every joint. Where limbs taper, coarse and fine meshes are then cut at
//!   different places.

use super::Constants;
use super::curves::Crossings;
use super::flood::Flood;
use super::limbs::Limbs;
use super::nearest::Nearest;
use super::plane::{Cutter, Loop, Plane};
use super::planes::{farther_out, planes_at};
use crate::math::{sort_by_keys, sort_few};
use crate::model::Skeleton;
use crate::operators::MeshGeometry;

/// Loops whose costs differ by less than this are equally good.
const SAME_COST: f64 = 1e-3;

/// Assigns a limb to every vertex.
pub(super) struct Splitter<'a> {
    geometry: &'a MeshGeometry,
    skeleton: &'a Skeleton,
    constants: &'a Constants,
    limbs: &'a Limbs,
    /// The limb of each vertex's nearest visible bone.
    nearest: Vec<u32>,
    /// Whether a bone of another limb is equally near. Such a vertex agrees with either side.
    is_tie: Vec<bool>,
    /// Whether a vertex projects onto the interior of its nearest bone.
    beside: Vec<bool>,
    labels: Vec<u32>,
    areas: &'a [f64],
    cutter: Cutter<'a>,
    crossings: Crossings,
    /// For each limb, the length of the loop it is cut along, or an estimate of it.
    loop_lengths: Vec<f64>,
    flood: Flood,
}

/// The result of the splitter.
pub(super) struct Cuts {
    /// The limb of every vertex.
    pub(super) labels: Vec<u32>,
    /// Where accepted loops cross edges.
    pub(super) crossings: Crossings,
    /// For each limb, the length of the loop around its joint; 0 where none was found.
    pub(super) loop_lengths: Vec<f64>,
}

/// The vertices of a region in one connected component of the mesh that have not been cut off yet.
struct Piece<'a> {
    limb: usize,
    parent: u32,
    /// All child limbs of the parent, including `limb`.
    siblings: &'a [usize],
    vertices: &'a [u32],
    own: f64,
    rest: f64,
}

/// A loop that may become the cut.
struct Candidate {
    found: Loop,
    /// The length of the loop inside the region that the parent had before any child was cut off.
    within: f64,
}

impl<'a> Splitter<'a> {
    /// `nearest` is the nearest visible bone of each vertex, `areas` a third of the area of the
    /// triangles around it.
    pub(super) fn new(
        geometry: &'a MeshGeometry,
        skeleton: &'a Skeleton,
        constants: &'a Constants,
        limbs: &'a Limbs,
        nearest: &[Nearest],
        areas: &'a [f64],
    ) -> Self {
        let positions = geometry.mesh().positions();
        let bones = skeleton.bones();
        let beside = |(nearest, &position): (&Nearest, &glam::Vec3)| {
            let share = super::parameter_along(&bones[nearest.bone as usize], position);
            share > 0.0 && share < 1.0
        };
        let limb_of: Vec<u32> =
            nearest.iter().map(|nearest| limbs.of_bone(nearest.bone as usize) as u32).collect();
        Self {
            geometry,
            skeleton,
            constants,
            limbs,
            is_tie: nearest.iter().map(|nearest| nearest.is_tie).collect(),
            beside: nearest.iter().zip(positions).map(beside).collect(),
            labels: limb_of.iter().map(|&limb| limbs.root(limb as usize) as u32).collect(),
            nearest: limb_of,
            areas,
            cutter: Cutter::new(geometry, constants.max_loop_distance),
            crossings: Crossings::default(),
            loop_lengths: vec![0.0; limbs.len()],
            flood: Flood::new(geometry),
        }
    }

    /// The limb of every vertex, and the loops.
    pub(super) fn into_cuts(self) -> Cuts {
        Cuts { labels: self.labels, crossings: self.crossings, loop_lengths: self.loop_lengths }
    }

    /// Cuts the child limbs, each with everything below it, out of the parent's region, one after
    /// the other.
    pub(super) fn split(&mut self, parent: usize, children: &[usize]) {
        let components = self.geometry.components();
        let mut region: Vec<u32> =
            (0..self.labels.len() as u32).filter(|&v| self.labels[v as usize] == parent as u32).collect();
        if components.len() > 1 {
            sort_by_keys(&mut region, |&v| components.of_vertex(v as usize).into());
        }
        let same_component =
            |a: &u32, b: &u32| components.of_vertex(*a as usize) == components.of_vertex(*b as usize);
        for &limb in children {
            let planes = planes_at(self.skeleton, self.limbs, limb, self.constants);
            for smaller_side in region.chunk_by(same_component) {
                // Compared with the region before any sibling was cut off, so that the second of
                // two thighs is judged like the first.
                let (own, rest) = self.areas_of(smaller_side, limb);
                let is_left = |v: &u32| self.labels[*v as usize] == parent as u32;
                let vertices: Vec<u32> = smaller_side.iter().copied().filter(is_left).collect();
                let parent = parent as u32;
                let piece = Piece { limb, parent, siblings: children, vertices: &vertices, own, rest };
                self.split_piece(&piece, &planes);
            }
        }
    }

    /// The area nearest to `limb` and its descendants, and the remaining area.
    fn areas_of(&self, vertices: &[u32], limb: usize) -> (f64, f64) {
        vertices.iter().fold((0.0, 0.0), |(own, rest), &v| {
            let area = self.areas[v as usize];
            if self.is_near(v, limb) { (own + area, rest) } else { (own, rest + area) }
        })
    }

    fn split_piece(&mut self, piece: &Piece<'_>, planes: &[Plane]) {
        let near = piece.vertices.iter().filter(|&&v| self.is_near(v, piece.limb)).count();
        if near == 0 {
            return;
        }
        if near < piece.vertices.len() && self.cut_along_loop(piece, planes) {
            return;
        }
        if self.limbs.is_side_leaf(piece.limb) {
            return;
        }
        for &vertex in piece.vertices {
            if self.is_near(vertex, piece.limb) {
                self.labels[vertex as usize] = piece.limb as u32;
            }
        }
    }

    /// Returns whether an acceptable loop was found, and cuts along it.
    fn cut_along_loop(&mut self, piece: &Piece<'_>, planes: &[Plane]) -> bool {
        let mut loops = self.loops(piece, planes);
        let Some(shortest) = loops.iter().map(|candidate| candidate.within).reduce(f64::min) else {
            return false;
        };
        let Some(best) = self.best_of(piece, &loops, false) else {
            // The border of the nearest bone is the cut. It can be jagged, so that its length says
            // less about the girth of the limb than the shortest loop, which it limits (`curves`).
            self.record_loop_length(piece.limb, shortest);
            return false;
        };
        let mut best = loops.swap_remove(best);
        if best.within < self.constants.min_fraction_within * best.found.length {
            let bone = &self.skeleton.bones()[self.limbs.bones(piece.limb)][0];
            let mut loops = self.loops(piece, &farther_out(planes, bone, self.constants.max_offset));
            if let Some(farther) = self.best_of(piece, &loops, true) {
                best = loops.swap_remove(farther);
            }
        }
        self.record_loop_length(piece.limb, best.within);
        self.flood.separates(self.geometry, &self.labels, piece.parent, &best.found);
        for &vertex in self.flood.front() {
            self.labels[vertex as usize] = piece.limb as u32;
        }
        let joints = [piece.limb, piece.parent as usize].map(|limb| self.limbs.joint(limb));
        let is_between = |front: u32, back: u32| {
            self.flood.is_in_front(front) && self.labels[back as usize] == piece.parent
        };
        self.crossings.add(&best.found, joints, is_between);
        true
    }

    /// The loops in which planes cut a piece.
    fn loops(&mut self, piece: &Piece<'_>, planes: &[Plane]) -> Vec<Candidate> {
        let component = self.geometry.components().of_vertex(piece.vertices[0] as usize);
        let mut loops = Vec::with_capacity(planes.len());
        for plane in planes {
            let Some(found) = self.cutter.loop_around(plane, component) else { continue };
            let within = found.length_within(|vertex| {
                let label = self.labels[vertex as usize];
                label == piece.parent || piece.siblings.contains(&(label as usize))
            });
            if within > 0.0 {
                loops.push(Candidate { found, within });
            }
        }
        loops
    }

    /// Index of the loop with the smallest cost, from length and disagreement with the nearest
    /// bones, if any is acceptable.
    fn best_of(&mut self, piece: &Piece<'_>, loops: &[Candidate], are_farther_out: bool) -> Option<usize> {
        let shortest = loops.iter().map(|candidate| candidate.within).reduce(f64::min)?;
        let relative_length = |i: usize| (loops[i].within / shortest).max(self.constants.equal_length);
        let mut by_length: Vec<usize> = (0..loops.len()).collect();
        sort_few(&mut by_length, |&a, &b| relative_length(a).total_cmp(&relative_length(b)).then(a.cmp(&b)));
        // Of equal costs the plane nearer to the bisector wins, independent of rounding.
        let is_better = |cost: f64, i: usize, best: Option<(f64, usize)>| {
            best.is_none_or(|(least, at)| cost < least - SAME_COST || (cost < least + SAME_COST && i < at))
        };
        let mut best: Option<(f64, usize)> = None;
        for i in by_length {
            // The cost is at least the relative length, so most loops need no flood fill.
            if !is_better(relative_length(i), i, best)
                || !self.flood.separates(self.geometry, &self.labels, piece.parent, &loops[i].found)
            {
                continue;
            }
            let Some(disagreement) = self.tolerable_disagreement(piece, are_farther_out) else { continue };
            let cost = relative_length(i) + self.constants.disagreement_cost * disagreement;
            if is_better(cost, i, best) {
                best = Some((cost, i));
            }
        }
        best.map(|(_, i)| i)
    }

    /// Disagreement of the last flood fill with the nearest visible bones, as a fraction of the
    /// smaller side; `None` if it is too large. For a loop farther out, vertices of the limb's own
    /// bone on the parent's side do not count for the second limit.
    fn tolerable_disagreement(&self, piece: &Piece<'_>, is_farther_out: bool) -> Option<f64> {
        let (mut all, mut interior) = (0.0, 0.0);
        for &vertex in piece.vertices {
            let is_cut_off = self.flood.is_in_front(vertex);
            if is_cut_off != self.is_near(vertex, piece.limb) && !self.is_tie[vertex as usize] {
                all += self.areas[vertex as usize];
                let is_interior = self.beside[vertex as usize] && (is_cut_off || !is_farther_out);
                interior += if is_interior { self.areas[vertex as usize] } else { 0.0 };
            }
        }
        let smaller_side = piece.own.min(piece.rest);
        (all <= self.constants.max_disagreement * smaller_side
            && interior <= self.constants.max_interior_disagreement * smaller_side)
            .then_some(if smaller_side > 0.0 { all / smaller_side } else { 0.0 })
    }

    /// Records a loop length. If several components are cut at one joint, the largest counts:
    /// sleeves are wider than arms, buttons are not.
    fn record_loop_length(&mut self, limb: usize, loop_length: f64) {
        self.loop_lengths[limb] = self.loop_lengths[limb].max(loop_length);
    }

    #[inline]
    fn is_near(&self, vertex: u32, limb: usize) -> bool {
        self.limbs.is_below(self.nearest[vertex as usize] as usize, limb)
    }
}
