//! The poses in which a rig is measured: samples of its clips, and a sweep over its joints.
//!
//! In: a rig. Out: named poses. The sweep bends single joints both ways, twists and scales them, and
//! makes a fist where there are fingers. Nothing is chosen by hand for a model.

use glam::{DAffine3, DQuat, DVec3};
use pliant::model::{Pose, Rig, Skeleton};

/// A pose and its name in reports.
pub struct NamedPose {
    /// What the pose is.
    pub name: String,
    /// The pose.
    pub pose: Pose,
}

/// Clips of a model that are sampled, and samples of each.
const MAX_CLIPS: usize = 4;
const CLIP_SAMPLES: [f32; 3] = [0.2, 0.5, 0.8];

/// Angles of the sweep, in degrees.
const BENDS: [f64; 3] = [90.0, -90.0, 120.0];
const TWIST: f64 = 120.0;
const FIST: f64 = 75.0;

/// Scale of a joint in the sweep.
const SCALE: f64 = 1.12;

/// All poses of a rig. `joints` joints are swept, evenly spread, from one that depends on `phase`.
pub fn poses_of(rig: &Rig, joints: usize, phase: usize) -> Vec<NamedPose> {
    let mut poses = Vec::new();
    let stride = rig.asset.clips.len().div_ceil(MAX_CLIPS).max(1);
    for clip in rig.asset.clips.iter().step_by(stride).filter(|clip| clip.duration() > 0.0) {
        for share in CLIP_SAMPLES {
            let pose = clip.sample(&rig.skeleton, share * clip.duration());
            poses.push(NamedPose { name: format!("{} {share}", clip.name), pose });
        }
    }
    let sweep = Sweep::new(&rig.skeleton);
    let swept = &sweep.swept_joints();
    let stride = swept.len().div_ceil(joints.max(1)).max(1);
    for (number, &joint) in swept.iter().skip(phase % stride).step_by(stride).enumerate() {
        let name = &rig.skeleton.joints()[joint].name;
        for angle in BENDS {
            poses.push(sweep.named(format!("{name} bent {angle}"), &[joint], Change::Bend(angle)));
        }
        let (what, change) = match number % 2 {
            0 => ("twisted", Change::Twist(TWIST)),
            _ => ("scaled", Change::Scale(SCALE)),
        };
        poses.push(sweep.named(format!("{name} {what}"), &[joint], change));
    }
    let fingers = sweep.fingers();
    if !fingers.is_empty() {
        poses.push(sweep.named("fist".to_owned(), &fingers, Change::Bend(FIST)));
    }
    poses
}

/// A change of a joint; angles are in degrees.
#[derive(Clone, Copy)]
enum Change {
    Bend(f64),
    Twist(f64),
    Scale(f64),
}

struct Sweep<'a> {
    skeleton: &'a Skeleton,
    rest: Pose,
    world: Vec<DAffine3>,
}

impl<'a> Sweep<'a> {
    fn new(skeleton: &'a Skeleton) -> Self {
        let rest = Pose::rest(skeleton);
        let world = rest.world(skeleton);
        Self { skeleton, rest, world }
    }

    /// Joints that deform and have a bone that hangs on another.
    fn swept_joints(&self) -> Vec<usize> {
        let bones = self.skeleton.bones();
        let mut joints: Vec<usize> =
            bones.iter().filter(|bone| bone.parent.is_some()).map(|bone| bone.joint).collect();
        joints.sort_unstable();
        joints.dedup();
        joints.retain(|&joint| self.skeleton.deforms(joint));
        joints
    }

    /// Joints of fingers by their standard bones or their names.
    fn fingers(&self) -> Vec<usize> {
        const NAMES: [&str; 5] = ["thumb", "index", "middle", "ring", "little"];
        let is_finger = |&joint: &usize| {
            let joint = &self.skeleton.joints()[joint];
            let human = joint.human.map(|bone| format!("{bone:?}")).unwrap_or_default();
            let [human, name] = [human, joint.name.clone()].map(|name| name.to_lowercase());
            NAMES.iter().any(|part| human.contains(part) || (human.is_empty() && name.contains(part)))
        };
        self.swept_joints().into_iter().filter(is_finger).collect()
    }

    fn named(&self, name: String, joints: &[usize], change: Change) -> NamedPose {
        let mut pose = self.rest.clone();
        joints.iter().for_each(|&joint| self.change(&mut pose, joint, change));
        NamedPose { name, pose }
    }

    fn change(&self, pose: &mut Pose, joint: usize, change: Change) {
        let Some(bone) = self.skeleton.bones().iter().find(|bone| bone.joint == joint) else { return };
        let along = (bone.tail - bone.head).as_dvec3().normalize_or_zero();
        // A positive bend lowers the end of the bone; a vertical bone bends about X.
        let across = along.cross(DVec3::NEG_Y);
        let across = if across.length() > 0.3 { across.normalize_or_zero() } else { DVec3::X };
        let turned = |axis: DVec3, angle: f64| {
            let head = bone.head.as_dvec3();
            DAffine3::from_translation(head)
                * DAffine3::from_quat(DQuat::from_axis_angle(axis, angle.to_radians()))
                * DAffine3::from_translation(-head)
        };
        let in_world = match change {
            Change::Bend(angle) => turned(across, angle),
            Change::Twist(_) if along == DVec3::ZERO => return,
            Change::Twist(angle) => turned(along, angle),
            Change::Scale(factor) => {
                pose.parent_from_joint[joint] *= DAffine3::from_scale(DVec3::splat(factor));
                return;
            }
        };
        let world = self.world[joint];
        let change = world.inverse() * in_world * world;
        if change.is_finite() {
            pose.parent_from_joint[joint] *= change;
        }
    }
}
