//! The correction of motions, asked for along with an export.
//!
//! In: a rig, or the packets of one. Out: morph targets per clip. Only the viewer module contains
//! this code; the worker passes packets from one module to the other.

use std::sync::Arc;

use serde::Deserialize;

use super::info::ClipInfo;
use super::morphs_packet::MorphsPacket;
use super::packet::AssetPacket;
use super::rig_packet::{PacketError, RigPacket};
use crate::deform::{self, PostSkinning, PostSkinningOptions};
use crate::model::{Morphs, Rig};
use crate::report::Report;

/// Which part of the correction is exported, as morph targets.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(deny_unknown_fields)]
pub struct Bake {
    /// The corrections after skinning.
    pub post_skinning: PostSkinningOptions,
    /// Names of the clips.
    pub clips: Vec<String>,
    /// Number of times per clip at which the morph targets are exact.
    pub keys: usize,
    /// Around these joints only, by name; all of the character for none.
    #[serde(default)]
    pub joints: Vec<String>,
}

impl Bake {
    /// Enough for a walk: at its keys the correction is exact, between them it is blended.
    pub const KEYS: usize = 17;

    /// More would be morph targets that no engine takes.
    const MOST_KEYS: usize = 64;

    /// One set of shapes per motion. `painted` is one factor per render vertex, or empty.
    pub fn run(&self, rig: &Rig, painted: &[f32]) -> Vec<Morphs> {
        let painted = if painted.len() == rig.asset.render.positions.len() { painted } else { &[] };
        let mut post_skinning = PostSkinning::new(rig, &self.post_skinning, painted, &mut Report::default());
        let names = ClipInfo::all(&rig.asset.clips);
        let wanted = rig.asset.clips.iter().zip(names).filter(|(_, info)| self.clips.contains(&info.name));
        let keys = self.keys.clamp(2, Self::MOST_KEYS);
        let joints: Vec<usize> = self.joints.iter().filter_map(|name| rig.skeleton.find(name)).collect();
        wanted.map(|(clip, _)| deform::bake(rig, &mut post_skinning, clip, keys, &joints)).collect()
    }

    /// The same for the packets of a rig, which bring their base.
    ///
    /// # Errors
    /// When the packets do not belong together.
    pub fn run_packets(
        &self,
        asset: AssetPacket,
        rig: RigPacket,
        painted: &[f32],
    ) -> Result<Vec<MorphsPacket>, PacketError> {
        let arrived = rig.into_rig(Arc::new(asset.into_asset()), None)?;
        Ok(self.run(&arrived.rig, painted).iter().map(MorphsPacket::of).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deform::VolumeOptions;
    use crate::pipeline::{Pipeline, Recipe, Silent};
    use crate::samples::{self, SampleCharacter};

    #[test]
    fn a_rig_in_packets_gives_the_same_bits() {
        let asset = samples::make(SampleCharacter::Mannequin, 2_000).unwrap().into_asset("mannequin");
        let outcome = Pipeline::new(Arc::new(asset)).run(&Recipe::default(), &mut Silent).unwrap();
        let rig = outcome.rig;
        let vertices = rig.asset.render.positions.len();
        let painted: Vec<f32> = (0..vertices).map(|vertex| 1.0 + (vertex % 3) as f32).collect();
        let volume = Some(VolumeOptions::default());
        let bake = Bake {
            post_skinning: PostSkinningOptions { volume, fold_guard: true },
            clips: ClipInfo::all(&rig.asset.clips).into_iter().map(|clip| clip.name).collect(),
            keys: 4,
            joints: Vec::new(),
        };
        let here = bake.run(&rig, &painted);
        assert!(here.iter().flat_map(|m| m.targets.iter().flatten()).any(|d| d.length() > 0.0));
        let packets = (AssetPacket::without_textures(&rig.asset), RigPacket::of(&rig, None, None));
        let baked = bake.run_packets(packets.0, packets.1, &painted).unwrap();
        let there: Vec<Morphs> = baked.into_iter().map(|m| m.into_morphs(vertices).unwrap()).collect();
        let bits = |all: &[Morphs]| -> Vec<u32> {
            let displacements = all.iter().flat_map(|morphs| morphs.targets.iter().flatten());
            displacements.flat_map(|d| d.to_array().map(f32::to_bits)).collect()
        };
        assert_eq!(bits(&there), bits(&here));
        assert_eq!(there, here);
    }
}
