//! Standard bones from the names of joints.

use super::names::{Meaning, NamedSide, Part, meaning};
use super::{HumanoidMap, assign_trunk};
use crate::bone::{Bone, FINGER_JOINTS, FINGERS, SIDES, Side};
use crate::skeleton::Skeleton;

/// Assigns joints to the bones of `map`; `None` if limbs are missing.
pub(super) fn assign(skeleton: &Skeleton, map: &mut HumanoidMap) -> Option<()> {
    let meanings: Vec<Meaning> = skeleton.joints().iter().map(|joint| meaning(&joint.name)).collect();
    let names = Names { skeleton, meanings };
    for (side, named) in SIDES.iter().zip([NamedSide::Left, NamedSide::Right]) {
        names.leg(map, side, named)?;
        names.arm(map, side, named)?;
    }
    let limbs = SIDES.map(|side| [map.get(side.upper_leg), map.get(side.upper_arm)]);
    let [[Some(left_leg), Some(left_arm)], [Some(right_leg), Some(right_arm)]] = limbs else { return None };
    let pelvis = common_ancestor(skeleton, left_leg, right_leg)?;
    let chest = common_ancestor(skeleton, left_arm, right_arm)?;
    let body = common_ancestor(skeleton, pelvis, chest)?;
    // Where legs and trunk meet. A joint that is called hips may be above (Biped, whose legs hang
    // from the spine) or beside it (MakeHuman).
    let hips = body;
    map.set(Bone::Hips, Some(hips));
    let neck = names.first(|m| m.part == Some(Part::Neck)).filter(|&neck| skeleton.is_below(neck, hips));
    let head = names.first(|m| m.part == Some(Part::Head)).filter(|&head| skeleton.is_below(head, hips));
    map.set(Bone::Neck, neck.filter(|&neck| head.is_none_or(|head| skeleton.is_below(head, neck))));
    // Names like `neck_joint_2` and `leg_joint_5` do not say that they are a head and toes.
    let next = |joint: usize| {
        let children = skeleton.children(joint).iter().copied();
        let mut parts =
            children.filter(|&child| !names.meanings[child].is_extra && map.bone_of(child).is_none());
        parts.next().filter(|_| skeleton.children(joint).len() == 1)
    };
    let head = head.or_else(|| next(neck?));
    let toes = SIDES.map(|side| map.get(side.toes).or_else(|| next(map.get(side.foot)?)));
    for (side, toes) in SIDES.iter().zip(toes) {
        map.set(side.toes, toes);
    }
    map.set(Bone::Head, head);
    let trunk = names.trunk(hips, chest, neck.or(head));
    assign_trunk(map, &trunk);
    if let Some(head) = head {
        let on_head = |part: Part, side: Option<NamedSide>| {
            names.first_below(head, |m| m.part == Some(part) && m.side == side)
        };
        map.set(Bone::LeftEye, on_head(Part::Eye, Some(NamedSide::Left)));
        map.set(Bone::RightEye, on_head(Part::Eye, Some(NamedSide::Right)));
        map.set(Bone::Jaw, on_head(Part::Jaw, None));
    }
    Some(())
}

struct Names<'a> {
    skeleton: &'a Skeleton,
    meanings: Vec<Meaning>,
}

impl Names<'_> {
    /// The topmost joint whose name fulfils a condition.
    fn first(&self, is_wanted: impl Fn(&Meaning) -> bool) -> Option<usize> {
        let fits = |joint: &usize| {
            let meaning = &self.meanings[*joint];
            !meaning.is_extra && !meaning.is_twist && is_wanted(meaning)
        };
        self.skeleton.parents_first().iter().copied().find(fits)
    }

    /// The same below a joint.
    fn first_below(&self, above: usize, is_wanted: impl Fn(&Meaning) -> bool) -> Option<usize> {
        let fits = |joint: &usize| {
            let meaning = &self.meanings[*joint];
            *joint != above && !meaning.is_extra && !meaning.is_twist && is_wanted(meaning)
        };
        self.skeleton.subtree(above).into_iter().find(fits)
    }

    fn part(&self, part: Part, side: NamedSide) -> Option<usize> {
        self.first(|m| m.part == Some(part) && m.side == Some(side))
    }

    fn part_below(&self, above: usize, part: Part, side: NamedSide) -> Option<usize> {
        self.first_below(above, |m| m.part == Some(part) && m.side == Some(side))
    }

    /// A chain of a limb: its joints by name, and joints that are only called leg or arm in the
    /// places that are left.
    fn leg(&self, map: &mut HumanoidMap, side: &Side, named: NamedSide) -> Option<()> {
        let upper = self.part(Part::UpperLeg, named).or_else(|| self.part(Part::Leg, named))?;
        let below = |joint, part| self.part_below(joint, part, named);
        let foot = below(upper, Part::Foot);
        let lower = below(upper, Part::LowerLeg)
            .or_else(|| below(upper, Part::Leg))
            .or_else(|| self.between(upper, foot?));
        let (lower, foot) = (lower?, foot.filter(|&foot| lower != Some(foot)));
        let foot = foot.or_else(|| below(lower, Part::Leg)).or_else(|| below(lower, Part::Toes));
        map.set(side.upper_leg, Some(upper));
        map.set(side.lower_leg, Some(lower));
        map.set(side.foot, Some(foot?));
        map.set(side.toes, below(foot?, Part::Toes));
        Some(())
    }

    fn arm(&self, map: &mut HumanoidMap, side: &Side, named: NamedSide) -> Option<()> {
        let part = |part| self.part(part, named);
        let shoulder = part(Part::Shoulder);
        let upper = part(Part::UpperArm).or_else(|| part(Part::Arm));
        // Some rigs call the upper arm a shoulder.
        let (shoulder, upper) = match (shoulder, upper) {
            (Some(shoulder), None) => (None, shoulder),
            (shoulder, Some(upper)) => (shoulder, upper),
            (None, None) => return None,
        };
        let below = |joint, part| self.part_below(joint, part, named);
        let hand = below(upper, Part::Hand);
        let lower = below(upper, Part::LowerArm)
            .or_else(|| below(upper, Part::Arm))
            .or_else(|| self.between(upper, hand?))?;
        let hand = hand.filter(|&hand| hand != lower).or_else(|| below(lower, Part::Arm))?;
        map.set(
            side.shoulder,
            shoulder.filter(|&shoulder| self.skeleton.is_below(upper, shoulder) && shoulder != upper),
        );
        map.set(side.upper_arm, Some(upper));
        map.set(side.lower_arm, Some(lower));
        map.set(side.hand, Some(hand));
        for finger in 0..FINGERS {
            self.finger(map, side, hand, finger);
        }
        Some(())
    }

    /// The joint halfway between two joints of a chain.
    fn between(&self, upper: usize, end: usize) -> Option<usize> {
        let chain: Vec<usize> = self.skeleton.upwards(end).take_while(|&joint| joint != upper).collect();
        let inner = chain.get(1..)?;
        let middle = self.skeleton.head(upper).midpoint(self.skeleton.head(end));
        let far = |joint: usize| self.skeleton.head(joint).distance_squared(middle);
        inner.iter().copied().min_by(|&a, &b| far(a).total_cmp(&far(b)))
    }

    /// The joints of a finger. The first of four joints that has a tip behind it is in the palm.
    fn finger(&self, map: &mut HumanoidMap, side: &Side, hand: usize, finger: usize) {
        let is_part = |&joint: &usize| {
            let meaning = &self.meanings[joint];
            !meaning.is_extra && meaning.part == Some(Part::Finger(finger))
        };
        let Some(first) = self.skeleton.subtree(hand).into_iter().skip(1).find(is_part) else { return };
        let next = |&joint: &usize| self.skeleton.children(joint).iter().copied().find(is_part);
        let chain: Vec<usize> = std::iter::successors(Some(first), next).collect();
        let has_tip = chain.last().is_some_and(|&last| !self.skeleton.children(last).is_empty());
        let skipped = match chain.len() {
            0..=FINGER_JOINTS => 0,
            4 => usize::from(has_tip),
            _ => 1,
        };
        for (joint, &index) in chain[skipped..].iter().take(FINGER_JOINTS).enumerate() {
            map.set(side.finger(finger, joint), Some(index));
        }
    }

    /// The joints of the trunk: on the way from the hips to where the arms begin, or to the neck.
    fn trunk(&self, hips: usize, chest: usize, neck: Option<usize>) -> Vec<usize> {
        let way = |end: usize| -> Vec<usize> {
            let mut way: Vec<usize> = self.skeleton.upwards(end).take_while(|&joint| joint != hips).collect();
            way.reverse();
            way
        };
        let mut trunk = way(chest);
        if let Some(neck) = neck {
            let to_neck = way(neck);
            if to_neck.len() > trunk.len() && trunk.iter().all(|joint| to_neck.contains(joint)) {
                trunk = to_neck;
                trunk.pop();
            }
        }
        trunk.retain(|&joint| !matches!(self.meanings[joint].part, Some(Part::Neck | Part::Head)));
        trunk
    }
}

/// The lowest joint that both joints are below.
pub(super) fn common_ancestor(skeleton: &Skeleton, a: usize, b: usize) -> Option<usize> {
    skeleton.upwards(a).find(|&above| skeleton.is_below(b, above))
}
