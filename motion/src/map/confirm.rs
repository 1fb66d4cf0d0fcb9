//! Geometry that a humanoid map must agree with.

use super::HumanoidMap;
use crate::axes::Axes;
use crate::bone::{Bone, SIDES};
use crate::skeleton::Skeleton;

/// Largest cosine between trunk and legs. If larger, quadrupeds with names of arms are people. If
/// smaller, people who sit in their rest pose are not.
const MAX_TRUNK_COSINE: f64 = -0.6;

/// Whether the map can be that of a humanoid. Exchanges left and right if the toes say so.
pub(super) fn confirm(skeleton: &Skeleton, map: &mut HumanoidMap) -> bool {
    for side in &SIDES {
        for chain in
            [[side.upper_leg, side.lower_leg, side.foot], [side.upper_arm, side.lower_arm, side.hand]]
        {
            let joints = chain.map(|bone| map.get(bone));
            let [Some(upper), Some(lower), Some(end)] = joints else { return false };
            let in_order = upper != lower
                && lower != end
                && skeleton.is_below(lower, upper)
                && skeleton.is_below(end, lower);
            let lengths =
                [(upper, lower), (lower, end)].map(|(a, b)| skeleton.head(a).distance(skeleton.head(b)));
            let [long, short] = [lengths[0].max(lengths[1]), lengths[0].min(lengths[1])];
            // A limb whose parts differ by more than this is not one of a person.
            const MAX_RATIO: f64 = 5.0;
            if !in_order || long <= 0.0 || long > MAX_RATIO * short {
                return false;
            }
        }
    }
    let Some(hips) = map.get(Bone::Hips) else { return false };
    if !SIDES.iter().all(|side| map.get(side.upper_leg).is_some_and(|leg| skeleton.is_below(leg, hips))) {
        return false;
    }
    let Some(axes) = Axes::of(skeleton, map) else { return false };
    let at = |bone: Bone| map.get(bone).map(|joint| skeleton.head(joint));
    let height = |bone: Bone| at(bone).map(|head| head.dot(axes.up));
    // The trunk of a person continues the legs; that of a quadruped does not.
    let middle = |left: Bone, right: Bone| Some(at(left)?.midpoint(at(right)?));
    let [l, r] = SIDES;
    let (Some(pelvis), Some(chest), Some(feet)) =
        (middle(l.upper_leg, r.upper_leg), middle(l.upper_arm, r.upper_arm), middle(l.foot, r.foot))
    else {
        return false;
    };
    let trunk = (chest - pelvis).normalize_or_zero();
    if trunk.dot((feet - pelvis).normalize_or_zero()) > MAX_TRUNK_COSINE {
        return false;
    }
    // The legs lead down, knees are between hips and feet, and the hips below shoulders.
    for side in &SIDES {
        let heights = [side.upper_leg, side.lower_leg, side.foot, side.upper_arm].map(height);
        let [Some(hip), Some(knee), Some(ankle), Some(shoulder)] = heights else { return false };
        let length = hip - ankle;
        if length <= 0.0 || knee > hip || knee < ankle || shoulder < hip {
            return false;
        }
    }
    if axes.are_sides_exchanged {
        for &bone in Bone::ALL {
            if bone.name().starts_with("left") {
                let (left, right) = (map.get(bone), map.get(bone.mirrored()));
                map.set(bone, right);
                map.set(bone.mirrored(), left);
            }
        }
    }
    true
}
