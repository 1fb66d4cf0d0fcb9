//! Weights on their way to the page, with the regions behind them.
//!
//! In: a [`Rig`] and the [`RegionOverlay`] behind it. Out: long arrays that are handed over, and
//! back. The skeleton and the regions do not change while a slider is dragged, so they travel once:
//! the page names the [`BasePacket`] it has by its token, and gets another one only when it is
//! another one.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use bytemuck::cast_slice;
use glam::Vec3;

use super::packet::WeightsPacket;
use crate::model::{Asset, Boundary, Curve, Region, RegionOverlay, Regions, Rig, RigError, Skeleton};

/// Weights, and what they rest on unless the page has that already.
#[derive(Clone, Debug, PartialEq)]
pub struct RigPacket {
    /// Tells one base from another.
    pub token: String,
    /// None for whoever has the base of this token.
    pub base: Option<BasePacket>,
    /// One row per render vertex.
    pub weights: WeightsPacket,
    /// 1 for each solve vertex in more than one grown region; empty where there are no regions.
    pub overlapped: Vec<u8>,
}

/// What does not depend on how soft a character is.
#[derive(Clone, Debug, PartialEq)]
pub struct BasePacket {
    /// With what was decided about its joints.
    pub skeleton: Skeleton,
    /// The regions; none for methods without regions.
    pub regions: Option<RegionsPacket>,
}

/// What the page keeps between two packets.
#[derive(Clone, Debug)]
pub struct Base {
    /// Names it.
    pub token: String,
    skeleton: Skeleton,
    regions: Option<Arc<Regions>>,
}

/// What a packet makes of an asset.
#[derive(Debug)]
pub struct Arrived {
    /// Ready to move.
    pub rig: Rig,
    /// The regions behind it, if the method has any.
    pub overlay: Option<RegionOverlay>,
    /// To be kept for the next packet.
    pub base: Base,
}

/// Why a packet cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PacketError {
    /// It rests on something that never arrived.
    #[error("weights came for a skeleton that is not here")]
    NoBase,
    /// It is for another asset.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// Its morph targets are for another mesh.
    #[error("morph targets came for another mesh")]
    OtherMesh,
}

impl RigPacket {
    /// What a page that has the base named `known` needs of `rig` beyond its asset.
    pub fn of(rig: &Rig, overlay: Option<&RegionOverlay>, known: Option<&str>) -> Self {
        let is_overlapped =
            |overlay: &RegionOverlay| overlay.overlapped.iter().map(|&o| u8::from(o)).collect();
        let token = token(rig, overlay);
        Self {
            base: (known != Some(&token)).then(|| BasePacket::of(rig, overlay)),
            token,
            weights: WeightsPacket::of(rig.weights()),
            overlapped: overlay.map_or(Vec::new(), is_overlapped),
        }
    }

    /// The rig of the `asset` it was made for, resting on `known` where it brings no base of its
    /// own.
    ///
    /// # Errors
    /// When it is for another asset, or rests on what is not here.
    pub fn into_rig(self, asset: Arc<Asset>, known: Option<&Base>) -> Result<Arrived, PacketError> {
        let base = match (self.base, known) {
            (Some(BasePacket { skeleton, regions }), _) => {
                let regions = regions.map(|regions| Arc::new(regions.into_regions()));
                Base { token: self.token, skeleton, regions }
            }
            (None, Some(known)) if known.token == self.token => known.clone(),
            _ => return Err(PacketError::NoBase),
        };
        let weights = self.weights.into_weights(base.skeleton.joints().len()).map_err(RigError::from)?;
        let rig = Rig::from_render_weights(asset, base.skeleton.clone(), weights)?;
        let overlapped = || Arc::new(self.overlapped.iter().map(|&overlapped| overlapped != 0).collect());
        let regions = base.regions.clone();
        let overlay = regions.map(|regions| RegionOverlay { regions, overlapped: overlapped() });
        Ok(Arrived { rig, overlay, base })
    }
}

/// The same for the same skeleton, decisions and regions; another one for others, as far as 64 bits
/// can tell.
fn token(rig: &Rig, overlay: Option<&RegionOverlay>) -> String {
    let mut hasher = DefaultHasher::new();
    serde_json::to_string(&rig.skeleton).unwrap_or_default().hash(&mut hasher);
    rig.weights().vertices().hash(&mut hasher);
    if let Some(overlay) = overlay {
        hasher.write(cast_slice(&overlay.regions.of_vertex));
        for region in &overlay.regions.regions {
            region.joint.hash(&mut hasher);
        }
        for boundary in &overlay.regions.boundaries {
            boundary.loop_length.to_bits().hash(&mut hasher);
        }
    }
    format!("{:016x}", hasher.finish())
}

impl BasePacket {
    fn of(rig: &Rig, overlay: Option<&RegionOverlay>) -> Self {
        let regions = overlay.map(|overlay| RegionsPacket::of(&overlay.regions));
        Self { skeleton: rig.skeleton.clone(), regions }
    }
}

/// [`Regions`] as flat arrays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RegionsPacket {
    /// The joint of each region.
    pub joints: Vec<u32>,
    /// The parent of each region; [`RegionsPacket::NO_PARENT`] for none.
    pub parents: Vec<u32>,
    /// The region of each solve vertex.
    pub of_vertex: Vec<u32>,
    /// The two regions of each boundary.
    pub pairs: Vec<u32>,
    /// The joint of each boundary.
    pub boundary_joints: Vec<u32>,
    /// The length of the loop of each boundary.
    pub loop_lengths: Vec<f64>,
    /// Where each boundary's curves end.
    pub curve_ends: Vec<u32>,
    /// Where each curve's points end.
    pub point_ends: Vec<u32>,
    /// Three numbers per point.
    pub points: Vec<f32>,
    /// One per segment, so one fewer than points for each curve.
    pub triangles: Vec<u32>,
}

impl RegionsPacket {
    /// Marks a region without a parent.
    pub const NO_PARENT: u32 = u32::MAX;

    fn of(regions: &Regions) -> Self {
        let mut packet = Self {
            joints: regions.regions.iter().map(|region| region.joint as u32).collect(),
            parents: regions.regions.iter().map(|r| r.parent.unwrap_or(Self::NO_PARENT)).collect(),
            of_vertex: regions.of_vertex.clone(),
            ..Self::default()
        };
        for boundary in &regions.boundaries {
            packet.pairs.extend(boundary.regions);
            packet.boundary_joints.push(boundary.joint as u32);
            packet.loop_lengths.push(boundary.loop_length);
            for curve in &boundary.curves {
                packet.points.extend(curve.points.iter().flat_map(|point| point.to_array()));
                packet.triangles.extend(&curve.triangles);
                packet.point_ends.push(packet.points.len() as u32 / 3);
            }
            packet.curve_ends.push(packet.point_ends.len() as u32);
        }
        packet
    }

    fn into_regions(self) -> Regions {
        let points: Vec<Vec3> = self.points.as_chunks::<3>().0.iter().map(|&point| point.into()).collect();
        let region = |(&joint, &parent): (&u32, &u32)| Region {
            joint: joint as usize,
            parent: (parent != Self::NO_PARENT).then_some(parent),
        };
        let (mut first_point, mut first_triangle) = (0, 0);
        let curves: Vec<Curve> = self
            .point_ends
            .iter()
            .map(|&end| {
                let points = points.get(first_point..end as usize).unwrap_or_default().to_vec();
                let last_triangle = first_triangle + points.len().saturating_sub(1);
                let triangles =
                    self.triangles.get(first_triangle..last_triangle).unwrap_or_default().to_vec();
                (first_point, first_triangle) = (end as usize, last_triangle);
                Curve { points, triangles }
            })
            .collect();
        let mut first_curve = 0;
        let mut boundaries = Vec::with_capacity(self.boundary_joints.len());
        for (boundary, &regions) in self.pairs.as_chunks::<2>().0.iter().enumerate() {
            let end = self.curve_ends.get(boundary).map_or(first_curve, |&end| end as usize);
            boundaries.push(Boundary {
                regions,
                joint: self.boundary_joints.get(boundary).copied().unwrap_or_default() as usize,
                loop_length: self.loop_lengths.get(boundary).copied().unwrap_or_default(),
                curves: curves.get(first_curve..end).unwrap_or_default().to_vec(),
            });
            first_curve = end;
        }
        Regions {
            regions: self.joints.iter().zip(&self.parents).map(region).collect(),
            boundaries,
            of_vertex: self.of_vertex,
        }
    }
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
        let overlay = outcome.region_overlay.as_ref().unwrap();
        let packet = RigPacket::of(&outcome.rig, Some(overlay), None);
        let arrived = packet.into_rig(asset.clone(), None).unwrap();
        assert_eq!(arrived.rig.weights(), outcome.rig.weights());
        assert_eq!(arrived.rig.skeleton, outcome.rig.skeleton);
        assert_eq!(arrived.overlay.as_ref(), Some(overlay));
        assert!(overlay.fits(&asset.mesh));
    }

    #[test]
    fn another_softness_travels_without_skeleton_and_regions() {
        let (asset, first) = run(0.5);
        let base = RigPacket::of(&first.rig, first.region_overlay.as_ref(), None);
        let token = base.token.clone();
        let base = base.into_rig(asset.clone(), None).unwrap().base;
        let (_, second) = run(1.5);
        let packet = RigPacket::of(&second.rig, second.region_overlay.as_ref(), Some(&token));
        assert!(packet.base.is_none() && packet.token == token);
        let arrived = packet.clone().into_rig(asset.clone(), Some(&base)).unwrap();
        assert_eq!(arrived.rig.weights(), second.rig.weights());
        assert_eq!(packet.into_rig(asset, None).unwrap_err(), PacketError::NoBase);
    }

    #[test]
    fn a_rig_without_regions_has_no_overlay() {
        let (asset, outcome) = run(0.5);
        let packet = RigPacket::of(&outcome.rig, None, None);
        assert!(packet.into_rig(asset, None).unwrap().overlay.is_none());
    }
}
