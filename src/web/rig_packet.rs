//! Weights on their way to the page, with what is known of where they come from.
//!
//! In: a [`Rig`] and the [`Covering`] behind it. Out: long arrays that are handed over, and back. The skeleton and the regions
//! do not change while a slider is dragged, so they travel once: the page names the [`BasePacket`] it has by its token,
//! and gets another one only when it is another one.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use bytemuck::cast_slice;
use glam::Vec3;

use crate::model::{Asset, Curve, Influence, Regions, Rig, RigError, Skeleton, Weights};
use crate::pipeline::Covering;
use crate::view::boundary_interpolants::{Crossing, margins};
use crate::view::{Cover, Curves, Partition};

/// Weights, and what they rest on unless the page has that already.
#[derive(Clone, Debug, PartialEq)]
pub struct RigPacket {
    /// Tells one base from another.
    pub token: String,
    /// None for whoever has the base of this token.
    pub base: Option<BasePacket>,
    /// Where each vertex's influences end.
    pub ends: Vec<u32>,
    /// The joint of each influence.
    pub joints: Vec<u32>,
    /// The weight of each influence.
    pub weights: Vec<f32>,
    /// 1 for each render vertex in more than one grown region; empty where there are no regions.
    pub overlapped: Vec<u8>,
}

/// What does not depend on how soft a character is.
#[derive(Clone, Debug, PartialEq)]
pub struct BasePacket {
    /// With what was decided about its joints.
    pub skeleton: Skeleton,
    /// The regions; none where a method has none.
    pub partition: Option<Arc<Partition>>,
}

/// What the page keeps between two packets.
#[derive(Clone, Debug)]
pub struct Base {
    /// Names it.
    pub token: String,
    packet: BasePacket,
}

/// What a packet makes of an asset.
#[derive(Debug)]
pub struct Arrived {
    /// Ready to move.
    pub rig: Rig,
    /// The regions behind it, if the method has any.
    pub cover: Option<Cover>,
    /// To be kept for the next packet.
    pub base: Base,
}

/// Why a packet gives no rig.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PacketError {
    /// It rests on something that never arrived.
    #[error("weights came for a skeleton that is not here")]
    NoBase,
    /// It is for another asset.
    #[error(transparent)]
    Rig(#[from] RigError),
}

impl RigPacket {
    /// What a page that has the base named `known` needs of `rig` beyond its asset.
    pub fn of(rig: &Rig, covering: Option<&Covering>, known: Option<&str>) -> Self {
        let mut end = 0;
        let ends = rig.weights().rows().map(|row| {
            end += row.len() as u32;
            end
        });
        let ends = ends.collect();
        let all = || rig.weights().rows().flatten();
        let solve = &rig.asset.solve_from_render;
        let is_overlapped = |covering: &Covering| -> Vec<u8> {
            solve.iter().map(|&vertex| u8::from(covering.overlapped[vertex as usize])).collect()
        };
        let token = token(rig, covering);
        Self {
            base: (known != Some(&token)).then(|| BasePacket::of(rig, covering)),
            token,
            ends,
            joints: all().map(|influence| influence.column).collect(),
            weights: all().map(|influence| influence.weight).collect(),
            overlapped: covering.map_or(Vec::new(), is_overlapped),
        }
    }

    /// The rig of the `asset` it was made for, resting on `known` where it brings no base of its own.
    ///
    /// # Errors
    /// When it is for another asset, or rests on what is not here.
    pub fn into_rig(self, asset: Arc<Asset>, known: Option<&Base>) -> Result<Arrived, PacketError> {
        let packet = match self.base {
            Some(base) => base,
            None => {
                known.filter(|known| known.token == self.token).ok_or(PacketError::NoBase)?.packet.clone()
            }
        };
        let pairs = self.joints.iter().zip(&self.weights);
        let influences: Vec<Influence> =
            pairs.map(|(&column, &weight)| Influence { column, weight }).collect();
        let mut start = 0;
        let rows = self.ends.iter().map(|&end| {
            let row = influences.get(start..end as usize).unwrap_or_default();
            start = end as usize;
            row
        });
        let weights = Weights::new(packet.skeleton.joints().len(), rows).map_err(RigError::from)?;
        let rig = Rig::from_render_weights(asset, packet.skeleton.clone(), weights)?;
        let overlapped = self.overlapped.iter().map(|&overlapped| overlapped != 0).collect();
        let cover = packet.partition.clone().map(|partition| Cover { partition, overlapped });
        Ok(Arrived { rig, cover, base: Base { token: self.token, packet } })
    }
}

/// The same for the same skeleton, decisions and regions; another one for others, as far as 64 bits can tell.
fn token(rig: &Rig, covering: Option<&Covering>) -> String {
    let mut hasher = DefaultHasher::new();
    serde_json::to_string(&rig.skeleton).unwrap_or_default().hash(&mut hasher);
    rig.weights().vertices().hash(&mut hasher);
    if let Some(covering) = covering {
        hasher.write(cast_slice(&covering.regions.of_vertex));
        for region in &covering.regions.regions {
            region.joint.hash(&mut hasher);
        }
        for boundary in &covering.regions.boundaries {
            boundary.loop_length.to_bits().hash(&mut hasher);
        }
    }
    format!("{:016x}", hasher.finish())
}

impl BasePacket {
    fn of(rig: &Rig, covering: Option<&Covering>) -> Self {
        let partition = covering.map(|covering| Arc::new(partition_of(&rig.asset, covering)));
        Self { skeleton: rig.skeleton.clone(), partition }
    }
}

/// A point with less of a share in a corner than this lies on the edge between the others.
const ON_EDGE: f32 = 1e-3;

fn partition_of(asset: &Asset, Covering { regions, .. }: &Covering) -> Partition {
    let joint = |region: u32| regions.regions[region as usize].joint as u32;
    let solve = || asset.solve_from_render.iter().map(|&vertex| vertex as usize);
    let margins = margins(asset.mesh.positions().len(), &crossings_of(asset, regions));
    Partition {
        joints: solve().map(|vertex| joint(regions.of_vertex[vertex])).collect(),
        margins: solve().map(|vertex| margins[vertex]).collect(),
        borders: regions.boundaries.iter().map(|boundary| boundary.regions.map(joint)).collect(),
        curves: curves_of(asset, regions),
    }
}

fn curves_of(asset: &Asset, regions: &Regions) -> Curves {
    let drawn = drawn_vertices(asset);
    let mut curves = Curves::default();
    for curve in regions.boundaries.iter().flat_map(|boundary| &boundary.curves) {
        for (corners, shares) in points_of(asset, curve) {
            curves.corners.push(corners.map(|corner| drawn[corner as usize]));
            curves.shares.push(shares);
        }
        curves.ends.push(curves.corners.len() as u32);
    }
    curves
}

/// The points of a curve: the solve vertices around each, and how near it is to them.
fn points_of<'a>(asset: &'a Asset, curve: &'a Curve) -> impl Iterator<Item = ([u32; 3], [f32; 3])> + 'a {
    let triangles = curve.triangles.iter().chain(curve.triangles.last());
    curve.points.iter().zip(triangles).map(|(&point, &triangle)| {
        let corners = asset.mesh.triangles()[triangle as usize];
        let places = corners.map(|corner| asset.mesh.positions()[corner as usize]);
        (corners, shares(point, places))
    })
}

/// The edges that curves cross.
fn crossings_of(asset: &Asset, regions: &Regions) -> Vec<Crossing> {
    let curves = regions.boundaries.iter().flat_map(|boundary| &boundary.curves);
    let points = curves.flat_map(|curve| points_of(asset, curve));
    points.filter_map(|(corners, shares)| crossing(asset, corners, shares)).collect()
}

/// The edge of a triangle that a point lies on; none for points in its middle, or at a corner.
fn crossing(asset: &Asset, corners: [u32; 3], shares: [f32; 3]) -> Option<Crossing> {
    let off = (0..3).find(|&i| shares[i] < ON_EDGE)?;
    let [a, b] = [(off + 1) % 3, (off + 2) % 3];
    let ends = [corners[a], corners[b]];
    let [from, to] = ends.map(|end| asset.mesh.positions()[end as usize]);
    // The nearer a point is to one end, the larger its share and the shorter the piece.
    let pieces = [shares[b], shares[a]].map(|share| share * from.distance(to));
    pieces.iter().all(|&piece| piece > 0.0).then_some(Crossing { ends, pieces })
}

/// One of the render vertices that each solve vertex stands for.
fn drawn_vertices(asset: &Asset) -> Vec<u32> {
    let mut drawn = vec![0; asset.mesh.positions().len()];
    let pairs = asset.solve_from_render.iter().zip(0u32..);
    pairs.for_each(|(&solve, render)| drawn[solve as usize] = render);
    drawn
}

/// How near a point of a triangle is to its corners: never negative, in sum one.
fn shares(point: Vec3, [a, b, c]: [Vec3; 3]) -> [f32; 3] {
    let normal = (b - a).cross(c - a);
    let area = normal.length_squared();
    if area <= 0.0 {
        // A triangle without area has no inside; its nearest corner is as good a place.
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
    use crate::pipeline::{Outcome, Pipeline, Recipe, Silent};
    use crate::samples::{self, SampleCharacter};

    fn run(k: f64) -> (Arc<Asset>, Outcome) {
        let asset =
            Arc::new(samples::make(SampleCharacter::Mannequin, 2_000).unwrap().into_asset("mannequin"));
        let mut recipe = Recipe::default();
        recipe.atlas.k = k;
        let outcome = Pipeline::new(asset.clone()).run(&recipe, &mut Silent).unwrap();
        (asset, outcome)
    }

    #[test]
    fn weights_and_regions_arrive_as_they_left() {
        let (asset, outcome) = run(0.5);
        let covering = outcome.covering.as_ref().unwrap();
        let packet = RigPacket::of(&outcome.rig, Some(covering), None);
        let arrived = packet.into_rig(asset.clone(), None).unwrap();
        assert_eq!(arrived.rig.weights(), outcome.rig.weights());
        assert_eq!(arrived.rig.skeleton, outcome.rig.skeleton);
        let cover = arrived.cover.unwrap();
        assert!(cover.fits(asset.render.positions.len()));
        assert_eq!(cover.overlapped.iter().filter(|&&o| o).count(), covering.overlap_vertices());
        assert_eq!(cover.partition.borders.len(), covering.regions.boundaries.len());
    }

    #[test]
    fn points_of_curves_come_out_where_they_were() {
        let (asset, outcome) = run(0.5);
        let covering = outcome.covering.unwrap();
        let packet = RigPacket::of(&outcome.rig, Some(&covering), None);
        let partition = packet.base.unwrap().partition.unwrap();
        let all = covering.regions.boundaries.iter().flat_map(|b| &b.curves).flat_map(|c| &c.points);
        let points: Vec<Vec3> = all.copied().collect();
        assert_eq!(points.len(), partition.curves.corners.len());
        let blended = partition.curves.corners.iter().zip(&partition.curves.shares);
        for (point, (corners, shares)) in points.iter().zip(blended) {
            let at: Vec3 = (0..3).map(|i| asset.render.positions[corners[i] as usize] * shares[i]).sum();
            assert!(at.distance(*point) < 1e-4, "{at} instead of {point}");
        }
    }

    #[test]
    fn another_softness_travels_without_skeleton_and_regions() {
        let (asset, first) = run(0.5);
        let base = RigPacket::of(&first.rig, first.covering.as_ref(), None);
        let token = base.token.clone();
        let base = base.into_rig(asset.clone(), None).unwrap().base;
        let (_, second) = run(1.5);
        let packet = RigPacket::of(&second.rig, second.covering.as_ref(), Some(&token));
        assert!(packet.base.is_none() && packet.token == token);
        let arrived = packet.clone().into_rig(asset.clone(), Some(&base)).unwrap();
        assert_eq!(arrived.rig.weights(), second.rig.weights());
        assert_eq!(packet.into_rig(asset, None).unwrap_err(), PacketError::NoBase);
    }

    #[test]
    fn a_rig_without_regions_has_no_cover() {
        let (asset, outcome) = run(0.5);
        let packet = RigPacket::of(&outcome.rig, None, None);
        assert!(packet.into_rig(asset, None).unwrap().cover.is_none());
    }

    #[test]
    fn shares_stay_within_the_triangle() {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y];
        assert_eq!(shares(Vec3::new(0.25, 0.25, 0.0), corners), [0.5, 0.25, 0.25]);
        assert!(shares(Vec3::new(-0.1, 0.5, 0.0), corners).iter().all(|&share| share >= 0.0));
        assert_eq!(shares(Vec3::X, [Vec3::ZERO, Vec3::X, Vec3::X * 2.0]), [0.0, 1.0, 0.0]);
    }
}
