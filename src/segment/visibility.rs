//! Visibility of bones from vertices through the inside of the body (docs/theory.md#visibility).
//!
//! In: [`MeshGeometry`] and bones. Out: a boolean per vertex, bone and parameter along the bone.
//! Cost: one BVH traversal per query, and about two dozen per bone in advance.
//!
//! A character may have many connected components, so "inside" means inside *any* component that is
//! a solid ([`Part`]). The crossings of the line segment with each component give the intervals in
//! which it is inside that component. The segment is free if these intervals cover it. So an
//! eyeball does not hide the skull behind it, an arm that is stuck into a torso without a shared
//! vertex counts as one body with it, and a button sees the bones through the shirt below, but a
//! leg does not see the bone of the other leg.
//!
//! - Whether the far end is inside follows from the bone, which is divided into intervals in
//!   advance. So no ray continues beyond the bone, where holes of an open mesh would give wrong
//!   answers.
//! - Sheets (capes, hair cards) have no inside. They hide nothing, and their own vertices see every
//!   bone.
//! - Where a component is open or inconsistently oriented and its crossings contradict each other,
//!   the segment counts as inside: an additional far bone fades with distance, a missing near bone
//!   is a tear.
//! - Tried and rejected: counting only the crossings with the vertex's own component. Vertices of
//!   buttons, teeth and overlapping limbs then see nothing, since no bone is inside those
//!   components.

use std::ops::ControlFlow;

use glam::{DVec3, Vec3};

use crate::math::{sort_by_keys, sort_few};
use crate::model::{Bone, Mesh};
use crate::operators::bvh::{Bvh4, Hit, Ray, VisibilityFan};
use crate::operators::{ComponentKind, MeshGeometry};

/// Depth below the surface at which segments from a vertex start, as a fraction of the mesh size.
/// Larger: vertices see through thin slabs. Smaller: rounding decides whether a segment along a
/// flat cap to a bone that ends on it is inside.
const START_DEPTH: f32 = 1e-5;

/// Largest gap between two intervals inside the same component, as a fraction of the mesh size.
/// Such a gap is a crease of the triangulation. Larger: fingers see the bones of other fingers.
/// Smaller: vertices in creases of coarse meshes lose bones that their neighbours see.
const CREASE_GAP: f32 = 1e-3;

/// Largest gap between intervals inside different components, as a fraction of the mesh size:
/// clothes and buttons lie above the skin. Larger: a hand beside the thigh sees the bone of the
/// thigh. Smaller: clothes see no bone.
const LAYER_GAP: f32 = 1e-2;

/// How far a bone that lies partly inside may end outside, as a fraction of its length. The last
/// bone often pierces a fingertip or the crown of the head. Larger: bones get vertices that they
/// only point at. Smaller: vertices around the end of a piercing bone go to its parent bone.
const MAX_PROTRUSION: f32 = 0.5;

/// Smallest winding number of a component around a point, sampled by rays, for which the point is
/// inside. It is 0 or 1 for a closed component. Larger: bones near the opening of a sleeve are
/// outside. Smaller: points beside the opening are inside.
const MIN_WINDING: f32 = 0.25;

/// Tolerance at both ends of an inside interval, as a fraction of the bone.
const INTERVAL_TOLERANCE: f32 = 1e-4;

/// Largest distance between crossings that count as coincident, as a fraction of the segment: about
/// the resolution of f32. Larger: thinner walls are ignored. Smaller: the order of triangles
/// decides whether a segment through an edge is blocked.
const COINCIDENT: f32 = 1e-6;

/// An interval of a segment that is inside a component.
#[derive(Clone, Copy)]
struct InsideInterval {
    component: u32,
    from: f32,
    to: f32,
}

/// A crossing of a segment with the surface of a solid component.
#[derive(Clone, Copy)]
struct Crossing {
    component: u32,
    along: f32,
    leaves: bool,
}

/// The triangles that blocked the last queries.
#[derive(Clone, Copy, Default)]
pub(crate) struct RecentOccluders([Option<u32>; 3]);

/// Answers visibility queries for one mesh and one set of bones.
pub(crate) struct BoneVisibility<'a> {
    geometry: &'a MeshGeometry,
    bones: &'a [Bone],
    /// For each bone, the intervals of it that are inside components, in no particular order.
    inside: Vec<Vec<InsideInterval>>,
    diameter: f32,
    crossings: Vec<Crossing>,
    intervals: Vec<InsideInterval>,
}

impl<'a> BoneVisibility<'a> {
    /// Computes which intervals of the bones are inside which components.
    pub(crate) fn new(geometry: &'a MeshGeometry, bones: &'a [Bone]) -> Self {
        let mut visibility = Self {
            geometry,
            bones,
            inside: Vec::new(),
            diameter: diameter(geometry.mesh()),
            crossings: Vec::new(),
            intervals: Vec::new(),
        };
        visibility.inside = bones.iter().map(|bone| visibility.intervals_of(bone)).collect();
        visibility
    }

    /// The mesh.
    pub(crate) fn geometry(&self) -> &'a MeshGeometry {
        self.geometry
    }

    /// The bones.
    pub(crate) fn bones(&self) -> &'a [Bone] {
        self.bones
    }

    /// Whether some interval of a bone is inside a solid component.
    pub(crate) fn is_partly_inside(&self, bone: usize) -> bool {
        !self.inside[bone].is_empty()
    }

    /// The strict test: whether the segment from `vertex` to the point of `bone` at parameter
    /// `parameter` enters no solid component. Differs from [`BoneVisibility::sees`] where
    /// components overlap or touch, since here the surface of another component blocks like any
    /// other.
    pub(crate) fn is_clear(&self, vertex: usize, bone: usize, parameter: f32) -> bool {
        let ray = self.ray(vertex, bone, parameter);
        self.entered(|found| self.geometry.bvh().all_hits(&ray, found)).is_none()
    }

    /// Same as [`BoneVisibility::is_clear`], but tests `occluders` first and adds the triangle that
    /// blocks: what hides a bone from one vertex mostly hides it from the next one. `boxes` is the
    /// BVH of the mesh.
    pub(crate) fn is_clear_cached(
        &self,
        occluders: &mut RecentOccluders,
        boxes: &Bvh4<'_>,
        vertex: usize,
        bone: usize,
        parameter: f32,
    ) -> bool {
        let ray = self.ray(vertex, bone, parameter);
        let mesh = self.geometry.mesh();
        let blocks = |occluder: u32| {
            let hit = ray.hit(&mesh.corners(occluder as usize));
            hit.is_some_and(|hit| self.enters(occluder as usize, !hit.leaves))
        };
        if occluders.0.iter().flatten().any(|&occluder| blocks(occluder)) {
            return false;
        }
        let entered = self.entered(|found| boxes.all_hits(&ray, found));
        if let Some(triangle) = entered {
            occluders.0.rotate_right(1);
            occluders.0[0] = Some(triangle as u32);
        }
        entered.is_none()
    }

    #[inline]
    fn ray(&self, vertex: usize, bone: usize, parameter: f32) -> Ray {
        let Bone { head, tail, .. } = self.bones[bone];
        Ray::between(self.start_of(vertex), head.lerp(tail, parameter))
    }

    /// Returns a triangle where a segment enters a solid component. `hits` calls its argument with
    /// every hit of the segment.
    fn entered(&self, hits: impl FnOnce(&mut dyn FnMut(Hit) -> ControlFlow<()>)) -> Option<usize> {
        let mut entered = None;
        hits(&mut |hit| {
            if self.enters(hit.triangle, !hit.leaves) {
                entered = Some(hit.triangle);
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        entered
    }

    /// Whether crossing a triangle from its front (or from its back) enters a solid component.
    #[inline]
    fn enters(&self, triangle: usize, from_front: bool) -> bool {
        let components = self.geometry.components();
        match components.kind(components.of_triangle(triangle)) {
            ComponentKind::Outward => from_front,
            ComponentKind::Inward => !from_front,
            ComponentKind::Sheet => false,
        }
    }

    /// Computes the intervals of a bone that are hidden from a vertex by the strict test of
    /// [`BoneVisibility::is_clear`], within the parameters `[from, to]`. `boxes` is the BVH of the
    /// mesh. Overwrites `hidden`.
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
        let origin = self.start_of(vertex).as_dvec3();
        let Some(fan) = VisibilityFan::new(origin, head.lerp(tail, from), head.lerp(tail, to)) else {
            // The vertex is collinear with the bone: all of it is behind the same points.
            if !self.is_clear(vertex, bone, 0.5 * (from + to) as f32) {
                hidden.push([from, to]);
            }
            return;
        };
        let of_bone = |parameter: f64| from + (to - from) * parameter;
        let enters = |triangle, from_front| self.enters(triangle, from_front);
        boxes.hidden(&fan, enters, |parameters| hidden.push(parameters.map(of_bone)));
    }

    /// The outward normal of a vertex; zero on sheets, which have no inside.
    pub(crate) fn outward_normal(&self, vertex: usize) -> DVec3 {
        let normal = self.geometry.normals()[vertex].as_dvec3();
        let components = self.geometry.components();
        match components.kind(components.of_vertex(vertex)) {
            ComponentKind::Outward => normal,
            ComponentKind::Inward => -normal,
            ComponentKind::Sheet => DVec3::ZERO,
        }
    }

    /// The point slightly below the surface where segments from a vertex start.
    #[inline]
    fn start_of(&self, vertex: usize) -> Vec3 {
        let components = self.geometry.components();
        let below = START_DEPTH * self.diameter;
        let inwards = match components.kind(components.of_vertex(vertex)) {
            ComponentKind::Outward => -below,
            ComponentKind::Inward => below,
            ComponentKind::Sheet => 0.0,
        };
        self.geometry.mesh().positions()[vertex] + self.geometry.normals()[vertex] * inwards
    }

    /// The permissive test: whether `vertex` sees the point of `bone` at parameter `parameter`,
    /// from 0 at the head to 1 at the tail.
    pub(crate) fn sees(&mut self, vertex: usize, bone: usize, parameter: f32) -> bool {
        let components = self.geometry.components();
        let own = components.of_vertex(vertex);
        if !components.kind(own).is_solid() {
            return true;
        }
        let start = self.start_of(vertex);
        let Bone { head, tail, .. } = self.bones[bone];
        let end = head.lerp(tail, parameter);
        let length = start.distance(end);
        if length <= 2.0 * START_DEPTH * self.diameter {
            return true;
        }
        self.find_crossings(&Ray::between(start, end));
        let around_end = |component: u32| {
            let near = |s: &&InsideInterval| {
                s.from - INTERVAL_TOLERANCE <= parameter && parameter <= s.to + INTERVAL_TOLERANCE
            };
            self.inside[bone].iter().filter(near).any(|s| s.component == component)
        };
        let uncrossed = |s: &InsideInterval| !self.crossings.iter().any(|c| c.component == s.component);
        if self.inside[bone].iter().any(|s| uncrossed(s) && around_end(s.component)) {
            return true;
        }
        let mut intervals = std::mem::take(&mut self.intervals);
        intervals.clear();
        add_intervals(&self.crossings, |_| false, around_end, &mut intervals);
        let free = self.is_covered(&mut intervals, own, length, bone);
        self.intervals = intervals;
        free
    }

    /// Whether the intervals cover a segment of `length` that starts on component `own`, up to
    /// small gaps.
    fn is_covered(&self, intervals: &mut [InsideInterval], own: u32, length: f32, bone: usize) -> bool {
        sort_few(intervals, |a, b| a.from.total_cmp(&b.from).then(a.component.cmp(&b.component)));
        let (mut reached, mut last) = (0.0f32, own);
        for interval in intervals.iter() {
            let gap = if interval.component == last { CREASE_GAP } else { LAYER_GAP };
            if (interval.from - reached) * length > gap * self.diameter {
                return false;
            }
            if interval.to > reached {
                (reached, last) = (interval.to, interval.component);
            }
        }
        let beyond =
            if self.inside[bone].is_empty() { 0.0 } else { MAX_PROTRUSION * self.bones[bone].length() };
        (1.0 - reached) * length <= beyond.max(CREASE_GAP * self.diameter)
    }

    /// Collects the crossings of a ray with solid components, sorted by component and then along
    /// the ray.
    fn find_crossings(&mut self, ray: &Ray) {
        let (geometry, crossings) = (self.geometry, &mut self.crossings);
        crossings.clear();
        geometry.bvh().all_hits(ray, |Hit { along, triangle, leaves, .. }| {
            let component = geometry.components().of_triangle(triangle);
            match geometry.components().kind(component) {
                ComponentKind::Outward => crossings.push(Crossing { component, along, leaves }),
                ComponentKind::Inward => crossings.push(Crossing { component, along, leaves: !leaves }),
                ComponentKind::Sheet => {}
            }
            ControlFlow::Continue(())
        });
        sort_few(crossings, |a, b| a.component.cmp(&b.component).then(a.along.total_cmp(&b.along)));
        remove_touching_pairs(crossings);
    }

    fn intervals_of(&mut self, bone: &Bone) -> Vec<InsideInterval> {
        let [at_head, at_tail] = [bone.head, bone.tail].map(|point| self.components_around(point));
        self.find_crossings(&Ray::between(bone.head, bone.tail));
        let mut intervals = Vec::new();
        add_intervals(&self.crossings, |p| at_head.contains(&p), |p| at_tail.contains(&p), &mut intervals);
        let mut uncrossed: Vec<u32> = [at_head, at_tail].concat();
        uncrossed.sort_unstable();
        uncrossed.dedup();
        uncrossed.retain(|component| self.crossings.iter().all(|crossing| crossing.component != *component));
        intervals.extend(uncrossed.into_iter().map(|component| InsideInterval {
            component,
            from: 0.0,
            to: 1.0,
        }));
        intervals
    }

    /// The solid components that enclose a point, by a winding number sampled in 14 directions.
    pub(super) fn components_around(&mut self, point: Vec3) -> Vec<u32> {
        const SIGNS: [f32; 3] = [-1.0, 0.0, 1.0];
        let directions: Vec<Vec3> = SIGNS
            .iter()
            .flat_map(|&x| SIGNS.iter().flat_map(move |&y| SIGNS.iter().map(move |&z| Vec3::new(x, y, z))))
            .filter(|d| d.abs().element_sum() == 1.0 || d.abs().element_sum() == 3.0)
            .collect();
        let mut votes: Vec<(u32, i32)> = Vec::new();
        for &direction in &directions {
            self.find_crossings(&Ray::new(point, direction));
            votes.extend(self.crossings.iter().map(|c| (c.component, if c.leaves { 1 } else { -1 })));
        }
        sort_by_keys(&mut votes, |&(component, _)| u64::from(component));
        let by_component = votes.chunk_by(|a, b| a.0 == b.0);
        by_component
            .filter(|of_component| {
                let sum: i32 = of_component.iter().map(|vote| vote.1).sum();
                sum as f32 >= MIN_WINDING * directions.len() as f32
            })
            .map(|of_component| of_component[0].0)
            .collect()
    }
}

/// Twice the largest distance of a vertex from the centroid of the vertices. The diagonal of the
/// bounding box would grow by up to 70 % when a model is rotated, and gaps would be judged
/// differently.
fn diameter(mesh: &Mesh) -> f32 {
    let sum: DVec3 = mesh.positions().iter().map(|p| p.as_dvec3()).sum();
    let middle = sum / mesh.positions().len().max(1) as f64;
    let squared = mesh.positions().iter().map(|p| p.as_dvec3().distance_squared(middle));
    2.0 * squared.fold(0.0, f64::max).sqrt() as f32
}

/// Removes pairs of crossings that leave and enter a component at the same parameter: the segment
/// touches an edge, and rounding decides their order.
fn remove_touching_pairs(crossings: &mut Vec<Crossing>) {
    let mut kept = 0;
    for i in 0..crossings.len() {
        let crossing = crossings[i];
        let undoes = |last: Crossing| {
            last.component == crossing.component
                && last.leaves != crossing.leaves
                && crossing.along - last.along <= COINCIDENT
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

/// Appends the intervals of a segment that are inside the components it crosses: between two
/// crossings of a component if the first enters or the second leaves. `crossings` are sorted by
/// component, then along the segment.
fn add_intervals(
    crossings: &[Crossing],
    starts_inside: impl Fn(u32) -> bool,
    ends_inside: impl Fn(u32) -> bool,
    intervals: &mut Vec<InsideInterval>,
) {
    for of_component in crossings.chunk_by(|a, b| a.component == b.component) {
        let component = of_component[0].component;
        let (first, last) = (of_component[0], of_component[of_component.len() - 1]);
        if first.leaves || starts_inside(component) {
            intervals.push(InsideInterval { component, from: 0.0, to: first.along });
        }
        let between = of_component.windows(2).filter(|pair| !pair[0].leaves || pair[1].leaves);
        intervals.extend(between.map(|pair| InsideInterval {
            component,
            from: pair[0].along,
            to: pair[1].along,
        }));
        if !last.leaves || ends_inside(component) {
            intervals.push(InsideInterval { component, from: last.along, to: 1.0 });
        }
    }
}
