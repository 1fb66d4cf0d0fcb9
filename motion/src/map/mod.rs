//! Which joint is which standard bone.
//!
//! Input: a skeleton. Output: a joint per standard bone. Bones that the file or the fit assigns
//! come first. Otherwise the names are read (`names`), and where they say nothing, the shape of the
//! hierarchy (`structure`). Either is kept only if geometry confirms it: chains run in order, the
//! legs lead down and the arms do not, the left is on the left of where the toes point. Cost: a few
//! passes over the joints (docs/theory/motion.md).

mod by_names;
mod confirm;
mod names;
pub(crate) mod structure;

pub use names::{Meaning, Part, meaning};

use crate::bone::{Bone, SIDES};
use crate::skeleton::Skeleton;

/// Where a map comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The file or the fit assigns the bones.
    File,
    /// The names of the joints.
    Names,
    /// The shape of the hierarchy.
    Structure,
}

/// A joint per standard bone.
#[derive(Clone, Debug, PartialEq)]
pub struct HumanoidMap {
    joints: Vec<Option<usize>>,
    /// What it is based on.
    pub evidence: Evidence,
}

/// The bones that a humanoid needs to be moved: both legs and both arms.
const REQUIRED: [fn(&crate::bone::Side) -> Bone; 6] = [
    |side| side.upper_leg,
    |side| side.lower_leg,
    |side| side.foot,
    |side| side.upper_arm,
    |side| side.lower_arm,
    |side| side.hand,
];

impl HumanoidMap {
    /// The map of a skeleton, or `None` if it is not a humanoid.
    pub fn of(skeleton: &Skeleton) -> Option<Self> {
        Self::from_file(skeleton)
            .or_else(|| Self::from_names(skeleton))
            .or_else(|| Self::from_structure(skeleton))
    }

    /// From the bones that the file or the fit assigns.
    pub fn from_file(skeleton: &Skeleton) -> Option<Self> {
        let mut map = Self::empty(Evidence::File);
        for (index, joint) in skeleton.joints().iter().enumerate() {
            if let Some(bone) = joint.human {
                map.joints[bone as usize].get_or_insert(index);
            }
        }
        map.confirmed(skeleton)
    }

    /// From the names of the joints.
    pub fn from_names(skeleton: &Skeleton) -> Option<Self> {
        let mut map = Self::empty(Evidence::Names);
        by_names::assign(skeleton, &mut map)?;
        map.confirmed(skeleton)
    }

    /// From the shape of the hierarchy alone.
    pub fn from_structure(skeleton: &Skeleton) -> Option<Self> {
        let mut map = Self::empty(Evidence::Structure);
        structure::assign(skeleton, &mut map)?;
        map.confirmed(skeleton)
    }

    fn empty(evidence: Evidence) -> Self {
        Self { joints: vec![None; Bone::COUNT], evidence }
    }

    fn confirmed(mut self, skeleton: &Skeleton) -> Option<Self> {
        let has = |bone: Bone| self.get(bone).is_some();
        let is_complete =
            has(Bone::Hips) && SIDES.iter().all(|side| REQUIRED.iter().all(|bone| has(bone(side))));
        (is_complete && confirm::confirm(skeleton, &mut self)).then_some(self)
    }

    /// The joint of a bone.
    pub fn get(&self, bone: Bone) -> Option<usize> {
        self.joints[bone as usize]
    }

    /// Assigns a joint to a bone, or none.
    pub fn set(&mut self, bone: Bone, joint: Option<usize>) {
        self.joints[bone as usize] = joint;
    }

    /// The bone of a joint.
    pub fn bone_of(&self, joint: usize) -> Option<Bone> {
        self.joints.iter().position(|&mapped| mapped == Some(joint)).map(|index| Bone::ALL[index])
    }

    /// The bones that have joints, with their joints.
    pub fn bones(&self) -> impl Iterator<Item = (Bone, usize)> + '_ {
        Bone::ALL.iter().zip(&self.joints).filter_map(|(&bone, &joint)| Some((bone, joint?)))
    }

    /// The nearest ancestor bone that has a joint.
    pub fn parent_of(&self, bone: Bone) -> Option<Bone> {
        std::iter::successors(bone.parent(), |bone| bone.parent()).find(|&bone| self.get(bone).is_some())
    }
}

/// Assigns the joints between hips and neck to the bones of the trunk, evenly: the first one is the
/// spine, the last one the upper chest.
fn assign_trunk(map: &mut HumanoidMap, trunk: &[usize]) {
    let picked: Vec<usize> = match trunk {
        [] => Vec::new(),
        [_] | [_, _] | [_, _, _] => trunk.to_vec(),
        [first, inner @ .., last] => vec![*first, inner[inner.len() / 2], *last],
    };
    for (bone, joint) in Bone::TRUNK.into_iter().zip(picked) {
        map.set(bone, Some(joint));
    }
}
