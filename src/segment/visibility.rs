//! Whether the straight way from a vertex to a point of a bone stays inside the body.
//!
//! In: [`MeshGeometry`] and bones. Out: yes or no per (vertex, bone, place on it). Cost: one walk through the
//! tree of boxes per question, two dozen per bone beforehand.
//!
//! A character is many loose parts, so "inside" means inside *any* of those that are bodies
//! ([`Part`]). Along the way, every part's crossings say where one is inside it; the
//! way is free when these stretches cover it. So an eyeball does not shade the skull behind it, an arm stuck
//! into a torso without a shared vertex is one with it, and a button sees the bones through the shirt below,
//! while a leg does not see the other one.
//!
//! - Whether the far end is inside is known from the bone itself, cut up into stretches beforehand. So
//!   the way is never prolonged beyond the bone, where holes of an open mesh would mislead it.
//! - Sheets (capes, hair cards) have no inside. They shade nothing, and their own vertices see every bone.
//! - Where a part is open or wrongly turned and its crossings contradict each other, the way counts as
//!   inside: a bone too much fades with distance, a bone too few is a tear.
//! - Tried and rejected: counting only crossings with the vertex's own part. All vertices of buttons, teeth
//!   and overlapping limbs then see nothing, since no bone is inside those parts.

use std::ops::ControlFlow;

use glam::{DVec3, Vec3};

use crate::math::sort_few;
use crate::model::{Bone, Mesh};
use crate::operators::bvh::{Bvh4, Hit, Ray, VisibilityFan};
use crate::operators::{MeshGeometry, Part};

/// Ways start this share of the mesh's size below the vertex. Larger: thin slabs are seen through. Smaller:
/// a way along a flat lid to a bone that ends on it leaves or stays by rounding.
const BELOW_SKIN: f32 = 1e-5;

/// Leaving a part and coming back to it within this share of the mesh's size is a crease of the
/// triangulation. Larger: fingers see each other's bones. Smaller: vertices in creases of coarse
/// meshes lose bones their neighbours have.
const CREASE: f32 = 1e-3;

/// The same between different parts: clothes and buttons float above the skin. Larger: a hand resting
/// beside the thigh joins it. Smaller: what is worn sees no bone.
const LAYER_GAP: f32 = 1e-2;

/// How far a bone that lies partly inside may end outside, as a share of its length: fingertips and
/// crowns are often pierced by theirs. Larger: bones seize flesh they only point at. Smaller: the tip
/// around a piercing bone goes to the bone before.
const PIERCED: f32 = 0.5;

/// A place is inside a part when at least this share of the directions from it leave the part; all or none
/// do where it is closed. Larger: bones near the mouth of a sleeve are outside. Smaller: so are few beside it.
const ENCLOSED: f32 = 0.25;

/// How far outside a stretch of bone a place on it may be, as a share of the bone, and still be on it.
const ON_STRETCH: f32 = 1e-4;

/// Crossings this share of the way apart are in the same place: f32 tells no more. Larger: walls thinner
/// than that are not there. Smaller: ways through an edge are blocked or free by the order of triangles.
const SAME_PLACE: f32 = 1e-6;

/// Where a straight way is inside a part.
#[derive(Clone, Copy)]
struct Stretch {
    part: u32,
    from: f32,
    to: f32,
}

/// A crossing of a body's surface.
#[derive(Clone, Copy)]
struct Crossing {
    part: u32,
    along: f32,
    leaves: bool,
}

/// Triangles that were in the way lately.
#[derive(Clone, Copy, Default)]
pub(crate) struct Walls([Option<u32>; 3]);

/// Answers what vertices see of bones.
pub(crate) struct BoneVisibility<'a> {
    operators: &'a MeshGeometry,
    bones: &'a [Bone],
    /// Of each bone, in no particular order.
    inside: Vec<Vec<Stretch>>,
    size: f32,
    crossings: Vec<Crossing>,
    stretches: Vec<Stretch>,
}

impl<'a> BoneVisibility<'a> {
    /// Finds out which stretches of the bones are inside which parts.
    pub(crate) fn new(operators: &'a MeshGeometry, bones: &'a [Bone]) -> Self {
        let mut sight = Self {
            operators,
            bones,
            inside: Vec::new(),
            size: size_of(operators.mesh()),
            crossings: Vec::new(),
            stretches: Vec::new(),
        };
        sight.inside = bones.iter().map(|bone| sight.stretches_of(bone)).collect();
        sight
    }

    /// Whether some of a bone is inside a body.
    pub(crate) fn is_partly_inside(&self, bone: usize) -> bool {
        !self.inside[bone].is_empty()
    }

    /// Whether the way from `vertex` to the point of `bone` at `share` enters no body: stricter than [`BoneVisibility::sees`]
    /// where parts overlap or touch, since the skin of another part is in the way like any other.
    pub(crate) fn is_clear(&self, vertex: usize, bone: usize, share: f32) -> bool {
        let way = self.way(vertex, bone, share);
        self.entered(|found| self.operators.bvh().all_hits(&way, found)).is_none()
    }

    /// As [`BoneVisibility::is_clear`]. Tries `walls` first, and adds what is in the way: what hides a bone from one vertex mostly hides it
    /// from the next. `boxes` are the mesh's.
    pub(crate) fn is_clear_past(
        &self,
        walls: &mut Walls,
        boxes: &Bvh4<'_>,
        vertex: usize,
        bone: usize,
        share: f32,
    ) -> bool {
        let way = self.way(vertex, bone, share);
        let mesh = self.operators.mesh();
        let is_in_the_way = |wall: u32| {
            let hit = way.meets(&mesh.corners(wall as usize));
            hit.is_some_and(|hit| self.enters(wall as usize, !hit.leaves))
        };
        if walls.0.iter().flatten().any(|&wall| is_in_the_way(wall)) {
            return false;
        }
        let entered = self.entered(|found| boxes.all_hits(&way, found));
        if let Some(triangle) = entered {
            walls.0.rotate_right(1);
            walls.0[0] = Some(triangle as u32);
        }
        entered.is_none()
    }

    fn way(&self, vertex: usize, bone: usize, share: f32) -> Ray {
        let Bone { head, tail, .. } = self.bones[bone];
        Ray::between(self.below_skin(vertex), head.lerp(tail, share))
    }

    /// A triangle where a way enters a body; `meets` calls what it is given with all that is on the way.
    fn entered(&self, meets: impl FnOnce(&mut dyn FnMut(Hit) -> ControlFlow<()>)) -> Option<usize> {
        let mut entered = None;
        meets(&mut |hit| {
            if self.enters(hit.triangle, !hit.leaves) {
                entered = Some(hit.triangle);
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        entered
    }

    /// Whether what crosses a triangle from its front, or else from its back, enters a body.
    fn enters(&self, triangle: usize, from_front: bool) -> bool {
        let parts = self.operators.parts();
        match parts.part(parts.of_triangle(triangle)) {
            Part::Outward => from_front,
            Part::Inward => !from_front,
            Part::Sheet => false,
        }
    }

    /// The stretches of a bone that skin hides from a vertex, of those between two shares of the way from head to tail:
    /// where [`BoneVisibility::is_clear`] says no. `boxes` are the mesh's. Replaces what is in `hidden`.
    pub(crate) fn hidden(
        &self,
        boxes: &Bvh4<'_>,
        vertex: usize,
        bone: usize,
        [from, to]: [f64; 2],
        hidden: &mut Vec<[f64; 2]>,
    ) {
        hidden.clear();
        let [head, tail] = [self.bones[bone].head, self.bones[bone].tail].map(|end| end.as_dvec3());
        let eye = self.below_skin(vertex).as_dvec3();
        let Some(fan) = VisibilityFan::new(eye, head.lerp(tail, from), head.lerp(tail, to)) else {
            // In line with the bone: all of it is behind one and the same point.
            if !self.is_clear(vertex, bone, 0.5 * (from + to) as f32) {
                hidden.push([from, to]);
            }
            return;
        };
        let of_bone = |share: f64| from + (to - from) * share;
        let enters = |triangle, from_front| self.enters(triangle, from_front);
        boxes.hidden(&fan, enters, |shares| hidden.push(shares.map(of_bone)));
    }

    /// The normal of a vertex, turned away from the inside; none on sheets, which have no inside.
    pub(crate) fn outwards(&self, vertex: usize) -> DVec3 {
        let normal = self.operators.normals()[vertex].as_dvec3();
        let parts = self.operators.parts();
        match parts.part(parts.of_vertex(vertex)) {
            Part::Outward => normal,
            Part::Inward => -normal,
            Part::Sheet => DVec3::ZERO,
        }
    }

    /// Where ways from a vertex start.
    fn below_skin(&self, vertex: usize) -> Vec3 {
        let parts = self.operators.parts();
        let below = BELOW_SKIN * self.size;
        let inwards = match parts.part(parts.of_vertex(vertex)) {
            Part::Outward => -below,
            Part::Inward => below,
            Part::Sheet => 0.0,
        };
        self.operators.mesh().positions()[vertex] + self.operators.normals()[vertex] * inwards
    }

    /// Whether `vertex` sees the point of `bone` at `share` of the way from head to tail.
    pub(crate) fn sees(&mut self, vertex: usize, bone: usize, share: f32) -> bool {
        let parts = self.operators.parts();
        let own = parts.of_vertex(vertex);
        if !parts.part(own).is_body() {
            return true;
        }
        let start = self.below_skin(vertex);
        let Bone { head, tail, .. } = self.bones[bone];
        let end = head.lerp(tail, share);
        let length = start.distance(end);
        if length <= 2.0 * BELOW_SKIN * self.size {
            return true;
        }
        self.cross(&Ray::between(start, end));
        let around_end = |part: u32| {
            let near = |s: &&Stretch| s.from - ON_STRETCH <= share && share <= s.to + ON_STRETCH;
            self.inside[bone].iter().filter(near).any(|s| s.part == part)
        };
        let uncrossed = |s: &Stretch| !self.crossings.iter().any(|c| c.part == s.part);
        if self.inside[bone].iter().any(|s| uncrossed(s) && around_end(s.part)) {
            return true;
        }
        let mut stretches = std::mem::take(&mut self.stretches);
        stretches.clear();
        add_stretches(&self.crossings, |_| false, around_end, &mut stretches);
        let free = self.is_covered(&mut stretches, own, length, bone);
        self.stretches = stretches;
        free
    }

    /// Whether the stretches cover a way of `length` that starts on part `own`, but for tolerable gaps.
    fn is_covered(&self, stretches: &mut [Stretch], own: u32, length: f32, bone: usize) -> bool {
        sort_few(stretches, |a, b| a.from.total_cmp(&b.from).then(a.part.cmp(&b.part)));
        let (mut reached, mut last) = (0.0f32, own);
        for stretch in stretches.iter() {
            let gap = if stretch.part == last { CREASE } else { LAYER_GAP };
            if (stretch.from - reached) * length > gap * self.size {
                return false;
            }
            if stretch.to > reached {
                (reached, last) = (stretch.to, stretch.part);
            }
        }
        let beyond = if self.inside[bone].is_empty() { 0.0 } else { PIERCED * self.bones[bone].length() };
        (1.0 - reached) * length <= beyond.max(CREASE * self.size)
    }

    /// Collects the crossings of a way with bodies, sorted by part and then along the way.
    fn cross(&mut self, ray: &Ray) {
        let (operators, crossings) = (self.operators, &mut self.crossings);
        crossings.clear();
        operators.bvh().all_hits(ray, |Hit { along, triangle, leaves, .. }| {
            let part = operators.parts().of_triangle(triangle);
            match operators.parts().part(part) {
                Part::Outward => crossings.push(Crossing { part, along, leaves }),
                Part::Inward => crossings.push(Crossing { part, along, leaves: !leaves }),
                Part::Sheet => {}
            }
            ControlFlow::Continue(())
        });
        sort_few(crossings, |a, b| a.part.cmp(&b.part).then(a.along.total_cmp(&b.along)));
        drop_touches(crossings);
    }

    fn stretches_of(&mut self, bone: &Bone) -> Vec<Stretch> {
        let [at_head, at_tail] = [bone.head, bone.tail].map(|point| self.parts_around(point));
        self.cross(&Ray::between(bone.head, bone.tail));
        let mut stretches = Vec::new();
        add_stretches(&self.crossings, |p| at_head.contains(&p), |p| at_tail.contains(&p), &mut stretches);
        let mut uncrossed: Vec<u32> = [at_head, at_tail].concat();
        uncrossed.sort_unstable();
        uncrossed.dedup();
        uncrossed.retain(|part| self.crossings.iter().all(|crossing| crossing.part != *part));
        stretches.extend(uncrossed.into_iter().map(|part| Stretch { part, from: 0.0, to: 1.0 }));
        stretches
    }

    /// The bodies that enclose a point: a winding number sampled in 14 directions.
    fn parts_around(&mut self, point: Vec3) -> Vec<u32> {
        const SIGNS: [f32; 3] = [-1.0, 0.0, 1.0];
        let directions: Vec<Vec3> = SIGNS
            .iter()
            .flat_map(|&x| SIGNS.iter().flat_map(move |&y| SIGNS.iter().map(move |&z| Vec3::new(x, y, z))))
            .filter(|d| d.abs().element_sum() == 1.0 || d.abs().element_sum() == 3.0)
            .collect();
        let mut votes: Vec<(u32, i32)> = Vec::new();
        for &direction in &directions {
            self.cross(&Ray::new(point, direction));
            votes.extend(self.crossings.iter().map(|c| (c.part, if c.leaves { 1 } else { -1 })));
        }
        votes.sort_unstable();
        let by_part = votes.chunk_by(|a, b| a.0 == b.0);
        by_part
            .filter(|of_part| {
                let sum: i32 = of_part.iter().map(|vote| vote.1).sum();
                sum as f32 >= ENCLOSED * directions.len() as f32
            })
            .map(|of_part| of_part[0].0)
            .collect()
    }
}

/// Twice the largest distance from the vertices' middle. Not the bounding box's diagonal, which grows by up
/// to 70 % when a model is turned: a gap would be one for a turned character and none for an upright one.
fn size_of(mesh: &Mesh) -> f32 {
    let sum: DVec3 = mesh.positions().iter().map(|p| p.as_dvec3()).sum();
    let middle = sum / mesh.positions().len().max(1) as f64;
    let squared = mesh.positions().iter().map(|p| p.as_dvec3().distance_squared(middle));
    2.0 * squared.fold(0.0, f64::max).sqrt() as f32
}

/// Takes out pairs that leave and enter a part in the same place: there the way touches an edge, and which
/// of the two comes first is rounding.
fn drop_touches(crossings: &mut Vec<Crossing>) {
    let mut kept = 0;
    for i in 0..crossings.len() {
        let crossing = crossings[i];
        let undoes = |last: Crossing| {
            last.part == crossing.part
                && last.leaves != crossing.leaves
                && crossing.along - last.along <= SAME_PLACE
        };
        if kept > 0 && undoes(crossings[kept - 1]) {
            kept -= 1;
        } else {
            crossings[kept] = crossing;
            kept += 1;
        }
    }
    crossings.truncate(kept);
}

/// Where a way from 0 to 1 is inside the parts it crosses: between two crossings of a part when the first
/// enters or the second leaves. `crossings` are sorted by part, then along.
fn add_stretches(
    crossings: &[Crossing],
    starts_inside: impl Fn(u32) -> bool,
    ends_inside: impl Fn(u32) -> bool,
    stretches: &mut Vec<Stretch>,
) {
    for of_part in crossings.chunk_by(|a, b| a.part == b.part) {
        let part = of_part[0].part;
        let (first, last) = (of_part[0], of_part[of_part.len() - 1]);
        if first.leaves || starts_inside(part) {
            stretches.push(Stretch { part, from: 0.0, to: first.along });
        }
        let between = of_part.windows(2).filter(|pair| !pair[0].leaves || pair[1].leaves);
        stretches.extend(between.map(|pair| Stretch { part, from: pair[0].along, to: pair[1].along }));
        if !last.leaves || ends_inside(part) {
            stretches.push(Stretch { part, from: last.along, to: 1.0 });
        }
    }
}
