//! The curves between regions, posed with the skin and drawn as ribbons.
//!
//! In: a [`ShownView`] with regions. Out: a [`OverlayMesh`]. Only the corners of the triangles that
//! curves run through are posed, by the same arithmetic as everywhere, so that curves stay on the
//! surface in every pose. Made once per rig; a frame allocates nothing but one matrix per joint.

use glam::{Mat4, Vec3, Vec4};

use super::camera::ViewTransform;
use super::overlay_mesh::OverlayMesh;
use super::region_geometry::Curves;
use super::views::ShownView;
use crate::deform::{Posed, Rest, Scratch, Skin, deform};
use crate::math::{sort_by_keys, unit_or};

/// CSS pixels that a curve lies above the skin. Less: it sinks into skin that bulges between its
/// points.
const LIFT: f32 = 1.3;

/// The same as a share of the character's size, for what is seen from near.
const LEAST_LIFT: f32 = 4e-4;

/// Skin that turns away by more than this (a cosine) hides its curves, whatever the depth says.
const AWAY: f32 = -0.05;

/// Curves that can be posed.
#[derive(Clone, Debug)]
pub struct RegionCurves {
    skin: Skin,
    /// The render vertices that are posed.
    vertices: Vec<u32>,
    rest: Shape,
    posed: Shape,
    /// With corners that index `vertices`.
    curves: Curves,
    points: Vec<Point>,
    scratch: Scratch,
    size: f32,
}

#[derive(Clone, Debug)]
struct Shape {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
}

#[derive(Clone, Copy, Debug)]
struct Point {
    at: Vec3,
    normal: Vec3,
}

impl RegionCurves {
    /// The boundary curves of a view, if it has regions.
    pub fn new(ShownView { character, view, .. }: ShownView<'_>) -> Option<Self> {
        let (rig, regions) = view.rig().zip(view.regions())?;
        let mut curves = regions.geometry(character.asset()).curves.clone();
        let vertices = gather(&mut curves.corners);
        let weights = rig.weights().gathered(vertices.iter().map(|&vertex| vertex as usize));
        let heads: Vec<Vec3> = rig.skeleton.joints().iter().map(|joint| joint.head()).collect();
        let skin = Skin::new(&weights, &heads);
        let render = &character.asset().render;
        let rest = Shape::picked(&vertices, &render.positions, &render.normals);
        let points = vec![Point { at: Vec3::ZERO, normal: Vec3::Y }; curves.corners.len()];
        let (scratch, posed, size) = (Scratch::new(&skin), rest.clone(), character.size());
        Some(Self { skin, vertices, rest, posed, curves, points, scratch, size })
    }

    /// Moves the curves with the character.
    pub fn pose(&mut self, shown: ShownView<'_>) {
        match shown.view.deformed() {
            Some(deformed) => {
                self.posed.pick(&self.vertices, &deformed.positions, &deformed.normals);
            }
            None => self.skin(shown),
        }
        let corners = self.curves.corners.iter().zip(&self.curves.barycentrics);
        for (point, (corners, shares)) in self.points.iter_mut().zip(corners) {
            let blend = |of: &[Vec3]| (0..3).map(|i| of[corners[i] as usize] * shares[i]).sum();
            *point = Point { at: blend(&self.posed.positions), normal: blend(&self.posed.normals) };
        }
    }

    fn skin(&mut self, shown: ShownView<'_>) {
        let matrices: Vec<Mat4> =
            shown.posed_from_rest().iter().map(|m| Mat4::from(m.as_affine3a())).collect();
        if matrices.len() != self.skin.joints() {
            // Joints that are being placed may be others than those the skin is bound to.
            return;
        }
        let rest = Rest { positions: &self.rest.positions, normals: &self.rest.normals };
        let posed = Posed { positions: &mut self.posed.positions, normals: &mut self.posed.normals };
        deform(shown.view.skinning().deformer(), &self.skin, &matrices, rest, posed, &mut self.scratch);
    }

    /// Draws every curve as a ribbon that lies on the skin.
    pub fn sketch(&self, eye: &ViewTransform, pixels: f32, color: Vec4, into: &mut OverlayMesh) {
        for polyline in self.curves.polylines() {
            for ends in self.points[polyline].windows(2) {
                if ends.iter().any(|end| end.faces(eye)) {
                    let [a, b] = [ends[0], ends[1]].map(|end| end.lifted(eye, self.size));
                    into.line(eye, a, b, pixels, color);
                }
            }
        }
    }

    /// The posed points of the curves, in order.
    pub fn points(&self) -> impl Iterator<Item = Vec3> + '_ {
        self.points.iter().map(|point| point.at)
    }
}

impl Point {
    fn faces(&self, eye: &ViewTransform) -> bool {
        self.normal.dot(unit_or(eye.position - self.at, Vec3::Y)) > AWAY
    }

    fn lifted(&self, eye: &ViewTransform, size: f32) -> Vec3 {
        let by = (LIFT * eye.units_per_pixel(self.at)).max(LEAST_LIFT * size);
        self.at
            + (unit_or(self.normal, Vec3::ZERO) + unit_or(eye.position - self.at, Vec3::ZERO)) * (0.5 * by)
    }
}

impl Shape {
    fn picked(vertices: &[u32], positions: &[Vec3], normals: &[Vec3]) -> Self {
        let mut shape = Self { positions: Vec::new(), normals: Vec::new() };
        shape.pick(vertices, positions, normals);
        shape
    }

    fn pick(&mut self, vertices: &[u32], positions: &[Vec3], normals: &[Vec3]) {
        for (picked, of) in [(&mut self.positions, positions), (&mut self.normals, normals)] {
            picked.clear();
            picked.extend(vertices.iter().map(|&v| of.get(v as usize).copied().unwrap_or(Vec3::Y)));
        }
    }
}

/// Every vertex named, once; `corners` come to index them.
fn gather(corners: &mut [[u32; 3]]) -> Vec<u32> {
    let mut vertices: Vec<u32> = corners.iter().flatten().copied().collect();
    sort_by_keys(&mut vertices, |&vertex| vertex.into());
    vertices.dedup();
    let index = |vertex: u32| vertices.partition_point(|&other| other < vertex) as u32;
    corners.iter_mut().flatten().for_each(|corner| *corner = index(*corner));
    vertices
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::DQuat;

    use super::*;
    use crate::model::{Boundary, Curve, Region, RegionOverlay, Regions, Rig, Weights};
    use crate::samples::{self, SampleCharacter};
    use crate::view::Scene;

    /// An arm with one curve through points of some of its triangles.
    fn scene() -> Scene {
        let asset = Arc::new(samples::make(SampleCharacter::Arm, 500).unwrap().into_asset("arm"));
        let skeleton = asset.skeleton.clone().unwrap();
        let joints = skeleton.joints().len() as u32;
        let vertices = asset.render.positions.len();
        let weights = Weights::rigid(joints as usize, (0..vertices).map(|v| v as u32 % joints)).unwrap();
        let triangles: Vec<u32> = (0..asset.mesh.triangles().len() as u32).step_by(7).collect();
        let point = |&triangle: &u32| {
            let [a, b, c] = asset.mesh.triangles()[triangle as usize];
            let at = |vertex: u32| asset.mesh.positions()[vertex as usize];
            at(a) * 0.5 + at(b) * 0.3 + at(c) * 0.2
        };
        let mut points: Vec<Vec3> = triangles.iter().map(point).collect();
        points.push(*points.last().unwrap());
        let boundary = Boundary {
            regions: [0, 1],
            joint: 1,
            loop_length: 1.0,
            curves: vec![Curve { points, triangles }],
        };
        let solve = asset.mesh.positions().len();
        let regions = Regions {
            regions: [0, 1].map(|joint| Region { joint, parent: None }).to_vec(),
            of_vertex: (0..solve as u32).map(|vertex| vertex % 2).collect(),
            boundaries: vec![boundary],
        };
        let overlay = RegionOverlay { regions: Arc::new(regions), overlapped: Arc::new(vec![false; solve]) };
        let rig = Rig::from_render_weights(asset, skeleton, weights).unwrap();
        let mut scene = Scene::default();
        scene.set_rig(0, Arc::new(rig));
        assert!(scene.set_regions(0, Some(overlay)));
        scene
    }

    #[test]
    fn curves_stay_on_the_triangles_they_run_through_in_every_pose() {
        let mut scene = scene();
        let mut pose = scene.pose().unwrap().clone();
        pose.rotate(1, DQuat::from_rotation_z(1.2));
        scene.set_pose(pose);
        let shown = scene.shown(0).unwrap();
        let mut seams = RegionCurves::new(shown).unwrap();
        seams.pose(shown);
        let posed = shown.posed_positions();
        let curves = &shown.view.regions().unwrap().geometry(shown.character.asset()).curves;
        for (point, (corners, shares)) in seams.points().zip(curves.corners.iter().zip(&curves.barycentrics))
        {
            let at: Vec3 = (0..3).map(|i| posed[corners[i] as usize] * shares[i]).sum();
            assert!(point.distance(at) < 1e-5);
        }
    }

    #[test]
    fn regions_of_another_mesh_are_rejected() {
        let mut scene = scene();
        let overlay = RegionOverlay { regions: Arc::default(), overlapped: Arc::default() };
        assert!(!scene.set_regions(0, Some(overlay)));
    }
}
