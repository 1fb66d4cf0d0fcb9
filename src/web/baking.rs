//! The correction of motions, asked for along with an export.

use serde::Deserialize;

use super::info::ClipInfo;
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
}
