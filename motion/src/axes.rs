//! Left, up and front of a body in rest space.

use glam::{DMat3, DQuat, DVec3};

use crate::bone::{Bone, SIDES};
use crate::map::HumanoidMap;
use crate::skeleton::Skeleton;

/// Cosine between a direction of the body and a coordinate axis above which the axis is used. Files
/// stand upright: a body that leans back by some degrees has the same up as one that does not. If
/// smaller, bodies that are really turned are taken for straight ones.
const MIN_AXIS_COSINE: f64 = 0.86;

/// How far the toes must point to the front, as a share of the length of the foot, to tell left
/// from right. Smaller values are noise of feet that point down.
const MIN_TOE_SHARE: f64 = 0.3;

/// Orthogonal unit vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axes {
    /// To the left of the body.
    pub left: DVec3,
    /// Up.
    pub up: DVec3,
    /// To the front.
    pub front: DVec3,
    /// Whether the toes point to the back, so that the map has left and right exchanged.
    pub are_sides_exchanged: bool,
}

impl Axes {
    /// From the standard bones; `None` if they coincide.
    pub fn of(skeleton: &Skeleton, map: &HumanoidMap) -> Option<Self> {
        let at = |bone: Bone| map.get(bone).map(|joint| skeleton.head(joint));
        let [l, r] = SIDES;
        let between = |left, right| Some((at(left)? - at(right)?).normalize_or_zero());
        let legs = between(l.upper_leg, r.upper_leg)?;
        let arms = between(l.upper_arm, r.upper_arm)?;
        let left = (legs + arms).try_normalize()?;
        let middle = |left, right| Some(at(left)?.midpoint(at(right)?));
        let hips = middle(l.upper_leg, r.upper_leg)?;
        let up = middle(l.upper_arm, r.upper_arm)? - hips;
        let down = middle(l.foot, r.foot)? - hips;
        let up = (up.normalize_or_zero() - down.normalize_or_zero()).try_normalize()?;
        let up = snapped(up);
        let mut left = snapped((left - up * left.dot(up)).try_normalize()?);
        left = (left - up * left.dot(up)).try_normalize()?;
        let mut front = left.cross(up);
        let are_sides_exchanged = {
            let toes = SIDES.iter().filter_map(|side| {
                let foot = at(side.toes)? - at(side.foot)?;
                Some(foot.dot(front) / foot.length().max(f64::MIN_POSITIVE))
            });
            let toes: Vec<f64> = toes.collect();
            toes.len() == 2 && toes.iter().all(|&share| share < -MIN_TOE_SHARE)
        };
        if are_sides_exchanged {
            left = -left;
            front = -front;
        }
        Some(Self { left, up, front, are_sides_exchanged })
    }

    /// The rotation that maps (X, Y, Z) to (left, up, front).
    pub fn rotation(&self) -> DQuat {
        DQuat::from_mat3(&DMat3::from_cols(self.left, self.up, self.front))
    }
}

/// The coordinate axis near a direction, or the direction.
pub fn snapped(direction: DVec3) -> DVec3 {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z];
    axes.into_iter().find(|axis| axis.dot(direction) > MIN_AXIS_COSINE).unwrap_or(direction)
}
