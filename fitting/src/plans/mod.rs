//! Body plans: what kinds of bodies there are, and where the joints of each go.

pub mod bird;
pub mod fish;
pub mod generic;
pub mod humanoid;
pub mod quadruped;
pub mod snake;
pub mod spider;

use glam::Vec3;
use serde::{Deserialize, Serialize};

/// A kind of body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum BodyPlan {
    /// Two arms, two legs, upright.
    #[default]
    Humanoid,
    /// Four legs.
    Quadruped,
    /// Two legs, two wings.
    Bird,
    /// A spine with fins.
    Fish,
    /// A chain.
    Snake,
    /// Six or more legs around a body.
    Spider,
    /// Anything else: a curve skeleton.
    Generic,
}

impl BodyPlan {
    /// All plans, with the word that chooses each.
    pub const ALL: [(&'static str, Self); 7] = [
        ("humanoid", Self::Humanoid),
        ("quadruped", Self::Quadruped),
        ("bird", Self::Bird),
        ("fish", Self::Fish),
        ("snake", Self::Snake),
        ("spider", Self::Spider),
        ("generic", Self::Generic),
    ];

    /// The plan that a word chooses.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == word).map(|(_, plan)| *plan)
    }
}

/// A joint, in the space of the body.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyJoint {
    /// `upper_arm.L` and so on.
    pub label: String,
    /// Index of the parent, which comes before its children.
    pub parent: Option<usize>,
    /// Where it is.
    pub head: Vec3,
    /// Where its bone ends.
    pub tail: Vec3,
    /// From 0 to 1.
    pub confidence: f32,
}

/// What a plan makes of a body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodySkeleton {
    /// Parents come before their children.
    pub joints: Vec<BodyJoint>,
    /// What the user should know.
    pub warnings: Vec<FitWarning>,
}

/// What the user should know about a fit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct FitWarning {
    /// A stable word.
    pub code: String,
    /// A sentence.
    pub message: String,
}
