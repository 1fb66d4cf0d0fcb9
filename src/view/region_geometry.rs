//! Regions as they are drawn: attributes of render vertices, and curves that move with the skin.
//!
//! In: an [`Asset`] and the [`Regions`] of its solve mesh. Out: for every render vertex the joint
//! of its region and its distance from the nearest boundary curve; and the curves, as barycentric
//! coordinates. Cost: linear in vertices and curve points; once per partition, whatever the width
//! of overlaps, and only when regions or overlaps are shown.

use std::sync::{Arc, OnceLock};

use glam::Vec3;

use super::boundary_interpolants::{Crossing, margins};
use crate::model::{Asset, Attachment, Curve, RegionOverlay, Regions};

/// A barycentric coordinate below this lies on the opposite edge. Larger: points inside a triangle
/// count as crossings of its edge. Smaller: rounding hides crossings, and colours change beside the
/// curve.
const ON_EDGE: f32 = 1e-3;

/// The regions of a view: what was computed, and what is drawn of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ViewRegions {
    /// On the solve mesh.
    pub overlay: RegionOverlay,
    /// On the render mesh; computed when it is first drawn.
    geometry: Arc<OnceLock<RegionGeometry>>,
}

/// Attributes of render vertices, and curves between regions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RegionGeometry {
    /// The joint of the region of each render vertex; in rigid parts the joint they are attached
    /// to.
    pub joints: Vec<u32>,
    /// The distance of each render vertex from the curve next to it; see
    /// [`super::boundary_interpolants`]. 1 where there is no curve.
    pub margins: Vec<f32>,
    /// The joints of every two neighbouring regions.
    pub borders: Vec<[u32; 2]>,
    /// The curves between regions.
    pub curves: Curves,
}

/// Polylines on the skin. A point lies in a triangle and moves with its corners.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curves {
    /// The render vertices of the triangle of each point.
    pub corners: Vec<[u32; 3]>,
    /// The barycentric coordinates of each point.
    pub barycentrics: Vec<[f32; 3]>,
    /// Where each polyline's points end.
    pub ends: Vec<u32>,
}

impl ViewRegions {
    /// An overlay; the geometry of `before` is used again if its regions are the same.
    pub fn new(overlay: RegionOverlay, before: Option<&Self>) -> Self {
        let same = before.filter(|before| Arc::ptr_eq(&before.overlay.regions, &overlay.regions));
        let geometry = same.map_or_else(Arc::default, |same| same.geometry.clone());
        Self { overlay, geometry }
    }

    /// What is drawn of the overlay, which is one of `asset`.
    pub fn geometry(&self, asset: &Asset) -> &RegionGeometry {
        self.geometry.get_or_init(|| RegionGeometry::new(asset, &self.overlay.regions))
    }

    /// Whether each render vertex lies in more than one grown region.
    pub fn overlapped(&self, asset: &Asset) -> Vec<bool> {
        let is_overlapped = |&solve: &u32| self.overlay.overlapped.get(solve as usize).copied();
        asset.solve_from_render.iter().map(|solve| is_overlapped(solve).unwrap_or_default()).collect()
    }
}

impl RegionGeometry {
    /// What is drawn of `regions`, which partition the solve mesh of `asset`.
    pub fn new(asset: &Asset, regions: &Regions) -> Self {
        let joint = |region: u32| regions.regions[region as usize].joint as u32;
        let distances = margins(asset.mesh.positions().len(), &crossings_of(asset, regions));
        // Vertices of rigid parts are not on the solve mesh.
        let of_solve =
            |&solve: &u32| regions.of_vertex.get(solve as usize).map_or(0, |&region| joint(region));
        let mut joints: Vec<u32> = asset.solve_from_render.iter().map(of_solve).collect();
        for part in &asset.render.parts {
            if let Attachment::Rigid { joint } = part.attachment {
                joints[part.vertices.start as usize..part.vertices.end as usize].fill(joint as u32);
            }
        }
        let margin = |&solve: &u32| distances.get(solve as usize).copied().unwrap_or(1.0);
        Self {
            joints,
            margins: asset.solve_from_render.iter().map(margin).collect(),
            borders: regions.boundaries.iter().map(|boundary| boundary.regions.map(joint)).collect(),
            curves: Curves::new(asset, regions),
        }
    }
}

impl Curves {
    fn new(asset: &Asset, regions: &Regions) -> Self {
        let render_from_solve = asset.render_from_solve();
        let mut curves = Self::default();
        for curve in regions.boundaries.iter().flat_map(|boundary| &boundary.curves) {
            for (corners, barycentrics) in points_of(asset, curve) {
                curves.corners.push(corners.map(|corner| render_from_solve[corner as usize]));
                curves.barycentrics.push(barycentrics);
            }
            curves.ends.push(curves.corners.len() as u32);
        }
        curves
    }

    /// The points of every polyline, as ranges.
    pub fn polylines(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| start as usize..end as usize)
    }
}

/// The points of a curve: the solve vertices of the triangle of each, and its barycentric
/// coordinates.
fn points_of<'a>(asset: &'a Asset, curve: &'a Curve) -> impl Iterator<Item = ([u32; 3], [f32; 3])> + 'a {
    let triangles = curve.triangles.iter().chain(curve.triangles.last());
    curve.points.iter().zip(triangles).map(|(&point, &triangle)| {
        let corners = asset.mesh.triangles()[triangle as usize];
        let positions = corners.map(|corner| asset.mesh.positions()[corner as usize]);
        (corners, barycentrics(point, positions))
    })
}

/// The edges that curves cross.
fn crossings_of(asset: &Asset, regions: &Regions) -> Vec<Crossing> {
    let curves = regions.boundaries.iter().flat_map(|boundary| &boundary.curves);
    let points = curves.flat_map(|curve| points_of(asset, curve));
    points.filter_map(|(corners, barycentrics)| crossing(asset, corners, barycentrics)).collect()
}

/// The edge of a triangle that a point lies on; none for points inside it or at a corner.
fn crossing(asset: &Asset, corners: [u32; 3], barycentrics: [f32; 3]) -> Option<Crossing> {
    let opposite = (0..3).find(|&i| barycentrics[i] < ON_EDGE)?;
    let [a, b] = [(opposite + 1) % 3, (opposite + 2) % 3];
    let ends = [corners[a], corners[b]];
    let [from, to] = ends.map(|end| asset.mesh.positions()[end as usize]);
    // The nearer a point is to one end, the larger its coordinate there and the shorter the piece.
    let pieces = [barycentrics[b], barycentrics[a]].map(|share| share * from.distance(to));
    pieces.iter().all(|&piece| piece > 0.0).then_some(Crossing { ends, pieces })
}

/// The barycentric coordinates of a point in a triangle: not negative, with sum one.
fn barycentrics(point: Vec3, [a, b, c]: [Vec3; 3]) -> [f32; 3] {
    let normal = (b - a).cross(c - a);
    let area = normal.length_squared();
    if area <= 0.0 {
        // A triangle without area has no inside: the nearest corner.
        let distances = [a, b, c].map(|corner| corner.distance_squared(point));
        let nearest = (0..3).min_by(|&i, &j| distances[i].total_cmp(&distances[j]));
        return std::array::from_fn(|i| if Some(i) == nearest { 1.0 } else { 0.0 });
    }
    let share = |from: Vec3, to: Vec3| ((to - from).cross(point - from).dot(normal) / area).max(0.0);
    let raw = [share(b, c), share(c, a), share(a, b)];
    let sum: f32 = raw.iter().sum();
    raw.map(|share| share / sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{self, SampleCharacter};

    #[test]
    fn barycentrics_stay_within_the_triangle() {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y];
        assert_eq!(barycentrics(Vec3::new(0.25, 0.25, 0.0), corners), [0.5, 0.25, 0.25]);
        assert!(barycentrics(Vec3::new(-0.1, 0.5, 0.0), corners).iter().all(|&share| share >= 0.0));
        assert_eq!(barycentrics(Vec3::X, [Vec3::ZERO, Vec3::X, Vec3::X * 2.0]), [0.0, 1.0, 0.0]);
    }

    /// Two regions of an arm, with one curve through corners of some triangles.
    fn regions(asset: &Asset) -> Regions {
        let triangles: Vec<u32> = (0..asset.mesh.triangles().len() as u32).step_by(7).collect();
        let point = |&triangle: &u32| {
            let corners = asset.mesh.triangles()[triangle as usize];
            let [a, b, c] = corners.map(|corner| asset.mesh.positions()[corner as usize]);
            a * 0.5 + b * 0.3 + c * 0.2
        };
        let mut points: Vec<Vec3> = triangles.iter().map(point).collect();
        points.push(*points.last().unwrap());
        let region = |joint| crate::model::Region { joint, parent: None };
        let curves = vec![Curve { points, triangles }];
        let boundary = crate::model::Boundary { regions: [0, 1], joint: 1, loop_length: 1.0, curves };
        let of_vertex = (0..asset.mesh.positions().len() as u32).map(|v| v % 2).collect();
        Regions { regions: vec![region(0), region(1)], of_vertex, boundaries: vec![boundary] }
    }

    #[test]
    fn points_of_curves_are_where_their_barycentrics_say() {
        let asset = samples::make(SampleCharacter::Arm, 500).unwrap().into_asset("arm");
        let regions = regions(&asset);
        let Curves { corners, barycentrics, ends } = RegionGeometry::new(&asset, &regions).curves;
        let points = &regions.boundaries[0].curves[0].points;
        assert_eq!((corners.len(), ends.as_slice()), (points.len(), &[points.len() as u32][..]));
        for (point, (corners, shares)) in points.iter().zip(corners.iter().zip(&barycentrics)) {
            let at: Vec3 = (0..3).map(|i| asset.render.positions[corners[i] as usize] * shares[i]).sum();
            assert!(at.distance(*point) < 1e-4, "{at} instead of {point}");
        }
    }

    #[test]
    fn rigid_parts_belong_to_the_joint_they_are_attached_to() {
        let mut asset = samples::make(SampleCharacter::Arm, 500).unwrap().into_asset("arm");
        let regions = regions(&asset);
        let vertices = asset.render.positions.len();
        asset.solve_from_render[vertices - 1] = Asset::NOT_SOLVED;
        let mut part = asset.render.parts[0].clone();
        asset.render.parts[0].vertices.end -= 1;
        part.vertices = vertices as u32 - 1..vertices as u32;
        part.attachment = Attachment::Rigid { joint: 1 };
        asset.render.parts.push(part);
        let geometry = RegionGeometry::new(&asset, &regions);
        assert_eq!((geometry.joints[vertices - 1], geometry.margins[vertices - 1]), (1, 1.0));
        let overlapped = Arc::new(vec![true; regions.of_vertex.len()]);
        let overlay = RegionOverlay { regions: Arc::new(regions), overlapped };
        let drawn = ViewRegions::new(overlay, None);
        let overlapped = drawn.overlapped(&asset);
        assert!(overlapped[0] && !overlapped[vertices - 1]);
    }
}
