//! Cuts each joint's flesh out of its parent's region.
//!
//! For every loose part of the mesh that has flesh on both sides, planes through the joint are tried: at right
//! angles to the plane Q that the two bones span, their normals turned about the bones' bisector in equal steps. Of the loops
//! that separate a front from a back, the shortest wins, unless it takes flesh that lies clearly nearer to
//! other bones; when every loop does, the border of the nearest visible bone is the cut. Only what runs through the flesh that is being
//! cut counts as a loop's length; where that is the lesser part of it, as of loops around a whole palm, the joint lies deeper than its
//! limb begins, and planes farther out along the bone are tried.
//!
//! Tried on real rigs and rejected: the shortest loop alone (a knuckle's takes the neighbouring fingers, an ear's
//! the head: 40 % of a hand's vertices agreed with the artist's instead of 86 %), counting disagreement by how much nearer the
//! other bone is instead of by area (no better, and slower), and planes farther out at every joint (where limbs taper, coarse and fine
//! meshes then disagree on how far).

use std::f64::consts::TAU;

use super::curves::Crossings;
use super::flood::Flood;
use super::limbs::Limbs;
use super::nearest::Nearest;
use super::plane::{Cutter, Loop, Plane};
use super::planes::{farther_out, planes_at};
use crate::math::{sort_by_keys, sort_few};
use crate::model::Skeleton;
use crate::operators::MeshGeometry;

/// A loop may put this share of the smaller side where the nearest visible bone does not. Larger: loops
/// take neighbouring fingers along. Smaller: coarse meshes are cut by nearest bones only.
const DISAGREEMENT: f64 = 0.2;

/// The same for flesh right beside its nearest bone, where that is no accident of where the bone ends.
const CLEAR_DISAGREEMENT: f64 = 0.08;

/// How much longer, as a share of its length, a loop may be for each unit of disagreement it avoids. Larger: planes
/// stay at the bisector. Smaller: a loop a little shorter may run through the neighbour's flesh.
const LENGTH_FOR_AGREEMENT: f64 = 1.0;

/// A loop up to this factor longer than the shortest is just as short. Larger: creases are missed. Smaller: on a
/// round limb the bumps of the mesh choose the plane.
const JUST_AS_SHORT: f64 = 1.02;

/// A loop with less than this share of its length in the flesh it cuts goes around more than one limb. Larger: legs that graze a
/// neighbour are cut below the hip. Smaller: fingers are cut in the middle of the palm.
const AROUND_LIMB: f64 = 0.5;

/// Loops whose costs differ by less than this are equally good.
const SAME_COST: f64 = 1e-3;

/// Divides up the vertices.
pub(super) struct Splitter<'a> {
    operators: &'a MeshGeometry,
    skeleton: &'a Skeleton,
    limbs: &'a Limbs,
    /// The limb of each vertex's nearest visible bone.
    nearest: Vec<u32>,
    /// Whether another limb's bone is just as near; such a vertex may go either way.
    is_tie: Vec<bool>,
    /// Whether a vertex lies beside its bone, not beyond its ends.
    beside: Vec<bool>,
    labels: Vec<u32>,
    areas: &'a [f64],
    cutter: Cutter<'a>,
    crossings: Crossings,
    /// Of each limb, the length of the loop it is cut along, or what comes nearest to one.
    loop_lengths: Vec<f64>,
    flood: Flood,
}

/// What the splitter leaves behind.
pub(super) struct Cuts {
    /// The limb of every vertex.
    pub(super) labels: Vec<u32>,
    /// Where accepted loops cross edges.
    pub(super) crossings: Crossings,
    /// Of each limb, the length of the loop around its joint; 0 where none was found.
    pub(super) loop_lengths: Vec<f64>,
}

/// What is left of a region in one part of the mesh, and how much of the whole lies nearest to a limb.
struct Piece<'a> {
    limb: usize,
    parent: u32,
    /// All that hang on the parent, the limb among them.
    siblings: &'a [usize],
    vertices: &'a [u32],
    own: f64,
    rest: f64,
}

/// A loop to cut along.
struct Candidate {
    found: Loop,
    /// How much of its length runs through what was the parent's before any sibling was cut off.
    within: f64,
}

impl<'a> Splitter<'a> {
    /// `nearest` is the nearest visible bone of each vertex, `areas` a third of the triangles around it.
    pub(super) fn new(
        operators: &'a MeshGeometry,
        skeleton: &'a Skeleton,
        limbs: &'a Limbs,
        nearest: &[Nearest],
        areas: &'a [f64],
    ) -> Self {
        let positions = operators.mesh().positions();
        let bones = skeleton.bones();
        let beside = |(nearest, &position): (&Nearest, &glam::Vec3)| {
            let share = super::share_along(&bones[nearest.bone as usize], position);
            share > 0.0 && share < 1.0
        };
        let limb_of: Vec<u32> =
            nearest.iter().map(|nearest| limbs.of_bone(nearest.bone as usize) as u32).collect();
        Self {
            operators,
            skeleton,
            limbs,
            is_tie: nearest.iter().map(|nearest| nearest.is_tie).collect(),
            beside: nearest.iter().zip(positions).map(beside).collect(),
            labels: limb_of.iter().map(|&limb| limbs.root(limb as usize) as u32).collect(),
            nearest: limb_of,
            areas,
            cutter: Cutter::new(operators),
            crossings: Crossings::default(),
            loop_lengths: vec![0.0; limbs.len()],
            flood: Flood::new(operators),
        }
    }

    /// The limb of every vertex, and how the cuts run.
    pub(super) fn into_cuts(self) -> Cuts {
        Cuts { labels: self.labels, crossings: self.crossings, loop_lengths: self.loop_lengths }
    }

    /// Cuts the limbs that hang on `parent`, with everything below them, out of its region, one after the other.
    pub(super) fn split(&mut self, parent: usize, children: &[usize]) {
        let parts = self.operators.parts();
        let mut region: Vec<u32> =
            (0..self.labels.len() as u32).filter(|&v| self.labels[v as usize] == parent as u32).collect();
        if parts.len() > 1 {
            sort_by_keys(&mut region, |&v| parts.of_vertex(v as usize).into());
        }
        let same_part = |a: &u32, b: &u32| parts.of_vertex(*a as usize) == parts.of_vertex(*b as usize);
        for &limb in children {
            let planes = planes_at(self.skeleton, self.limbs, limb);
            for whole in region.chunk_by(same_part) {
                // Compared with what there was before any sibling was cut off, so that of two thighs the second is
                // judged like the first.
                let (own, rest) = self.areas_of(whole, limb);
                let is_left = |v: &u32| self.labels[*v as usize] == parent as u32;
                let vertices: Vec<u32> = whole.iter().copied().filter(is_left).collect();
                let parent = parent as u32;
                let piece = Piece { limb, parent, siblings: children, vertices: &vertices, own, rest };
                self.split_piece(&piece, &planes);
            }
        }
    }

    /// The area nearest to `limb` and what hangs on it, and all other area.
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
        for &vertex in piece.vertices {
            if self.is_near(vertex, piece.limb) {
                self.labels[vertex as usize] = piece.limb as u32;
            }
        }
    }

    /// Whether a loop was found to cut along.
    fn cut_along_loop(&mut self, piece: &Piece<'_>, planes: &[Plane]) -> bool {
        let mut loops = self.loops(piece, planes);
        let Some(shortest) = loops.iter().map(|candidate| candidate.within).reduce(f64::min) else {
            return false;
        };
        let Some(best) = self.best_of(piece, &loops, false) else {
            // A cut along the nearest bone's border can be long and jagged; how far flesh bends around a joint is
            // rather a matter of how deep the joint lies in it (Baran and Popović 2007).
            self.note_loop_length(piece.limb, shortest.min(TAU * self.depth_of(piece.limb)));
            return false;
        };
        let mut best = loops.swap_remove(best);
        if best.within < AROUND_LIMB * best.found.length {
            let mut loops = self
                .loops(piece, &farther_out(planes, &self.skeleton.bones()[self.limbs.bones(piece.limb)][0]));
            if let Some(farther) = self.best_of(piece, &loops, true) {
                best = loops.swap_remove(farther);
            }
        }
        self.note_loop_length(piece.limb, best.within);
        self.flood.separates(self.operators, &self.labels, piece.parent, &best.found);
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

    /// The loops in which planes meet the flesh of a piece.
    fn loops(&mut self, piece: &Piece<'_>, planes: &[Plane]) -> Vec<Candidate> {
        let part = self.operators.parts().of_vertex(piece.vertices[0] as usize);
        let mut loops = Vec::with_capacity(planes.len());
        for plane in planes {
            let Some(found) = self.cutter.loop_around(plane, part) else { continue };
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

    /// Which of the loops is short and agrees with the nearest bones, if any will do.
    fn best_of(&mut self, piece: &Piece<'_>, loops: &[Candidate], are_farther_out: bool) -> Option<usize> {
        let shortest = loops.iter().map(|candidate| candidate.within).reduce(f64::min)?;
        let stretch = |i: usize| (loops[i].within / shortest).max(JUST_AS_SHORT);
        let mut by_stretch: Vec<usize> = (0..loops.len()).collect();
        sort_few(&mut by_stretch, |&a, &b| stretch(a).total_cmp(&stretch(b)).then(a.cmp(&b)));
        // Of equals the one nearer to the bisector, so that rounding has no say.
        let is_better = |cost: f64, i: usize, best: Option<(f64, usize)>| {
            best.is_none_or(|(least, at)| cost < least - SAME_COST || (cost < least + SAME_COST && i < at))
        };
        let mut best: Option<(f64, usize)> = None;
        for i in by_stretch {
            // No disagreement makes a loop cheaper than its length: most need no flood.
            if !is_better(stretch(i), i, best)
                || !self.flood.separates(self.operators, &self.labels, piece.parent, &loops[i].found)
            {
                continue;
            }
            let Some(disagreement) = self.tolerable_disagreement(piece, are_farther_out) else { continue };
            let cost = stretch(i) + LENGTH_FOR_AGREEMENT * disagreement;
            if is_better(cost, i, best) {
                best = Some((cost, i));
            }
        }
        best.map(|(_, i)| i)
    }

    /// Which share of the smaller side the last flood puts elsewhere than the nearest visible bone does; none
    /// when it is too much. What a loop farther out leaves behind on the limb's own bone is no accident either.
    fn tolerable_disagreement(&self, piece: &Piece<'_>, is_farther_out: bool) -> Option<f64> {
        let (mut all, mut clear) = (0.0, 0.0);
        for &vertex in piece.vertices {
            let is_taken = self.flood.is_in_front(vertex);
            if is_taken != self.is_near(vertex, piece.limb) && !self.is_tie[vertex as usize] {
                all += self.areas[vertex as usize];
                let is_clear = self.beside[vertex as usize] && (is_taken || !is_farther_out);
                clear += if is_clear { self.areas[vertex as usize] } else { 0.0 };
            }
        }
        let whole = piece.own.min(piece.rest);
        (all <= DISAGREEMENT * whole && clear <= CLEAR_DISAGREEMENT * whole).then_some(if whole > 0.0 {
            all / whole
        } else {
            0.0
        })
    }

    /// Of several parts cut at one joint, the thickest counts: sleeves are wider than arms, buttons are not.
    fn note_loop_length(&mut self, limb: usize, loop_length: f64) {
        self.loop_lengths[limb] = self.loop_lengths[limb].max(loop_length);
    }

    fn depth_of(&self, limb: usize) -> f64 {
        let head = self.skeleton.joints()[self.limbs.joint(limb)].head();
        self.operators
            .bvh()
            .closest(head)
            .map_or(f64::INFINITY, |closest| f64::from(closest.point.distance(head)))
    }

    fn is_near(&self, vertex: u32, limb: usize) -> bool {
        self.limbs.is_below(self.nearest[vertex as usize] as usize, limb)
    }
}
