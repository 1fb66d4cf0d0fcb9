//! The standard bones of a human body, and the avatar format that names them.
//!
//! Avatars and motions from different programs name their joints differently. VRM maps joints to a
//! fixed set of bones, so that a motion of one body fits another. Names are those of VRM 1.0.

use serde::{Deserialize, Serialize};

pub use pliant_motion::bone::Bone as HumanBone;

/// The version of a VRM avatar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Vrm {
    /// 0.x. The avatar looks along −Z.
    V0,
    /// 1.0. The avatar looks along +Z, as glTF demands.
    V1,
}

impl Vrm {
    /// The version for people.
    pub fn version(self) -> &'static str {
        match self {
            Self::V0 => "0.x",
            Self::V1 => "1.0",
        }
    }
}
