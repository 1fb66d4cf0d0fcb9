//! A character and its pose: the asset, the rig of the first view, and the transforms of all
//! joints.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{DAffine3, DQuat, Vec3};

use super::handles::Handles;
use super::picking::PosedBone;
use crate::deform::{MorphedRest, Rest};
use crate::math::Trs;
use crate::model::{
    Asset, Clip, Degrees, Exclusion, Joint, JointKind, Pose, Rig, Skeleton, Tail, from_degrees,
};

/// A character and its pose.
#[derive(Clone, Debug)]
pub struct PosedCharacter {
    asset: Arc<Asset>,
    /// The rig of the first view: its skeleton is posed, and handles are solved with its weights.
    rig: Option<Arc<Rig>>,
    /// Before offsets: what was set, or a clip at a time.
    base: Option<Pose>,
    /// Rotations applied after the base, in the frame of each joint.
    offsets: BTreeMap<usize, DQuat>,
    /// Whether the base is a clip at a time.
    is_clip: bool,
    /// The weights of morph targets: those of the clip, or the default weights.
    morph_weights: Vec<f32>,
    morphed: MorphedRest,
    /// Counts changes of the morphed rest shape.
    rest_changes: u32,
    /// The base with offsets.
    pose: Option<Pose>,
    world_from_joint: Vec<DAffine3>,
    /// A skeleton that is being edited: drawn and posed instead of the rig's.
    draft: Option<Skeleton>,
    rest_bounds: (Vec3, Vec3),
    pub(super) handles: Handles,
}

/// A pose with its offsets, to be restored later.
#[derive(Clone, Debug, PartialEq)]
pub struct PoseState {
    base: Option<Pose>,
    offsets: BTreeMap<usize, DQuat>,
    is_clip: bool,
    morph_weights: Vec<f32>,
}

/// Vertices deformed on the CPU.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Deformed {
    /// One per render vertex.
    pub positions: Vec<Vec3>,
    /// One unit vector per render vertex.
    pub normals: Vec<Vec3>,
}

impl PosedCharacter {
    /// A character without weights, at rest.
    pub fn from_asset(asset: Arc<Asset>) -> Self {
        let rest_bounds = rest_bounds(&asset);
        let mut character = Self {
            asset,
            rig: None,
            base: None,
            offsets: BTreeMap::new(),
            is_clip: false,
            morph_weights: Vec::new(),
            morphed: MorphedRest::default(),
            rest_changes: 0,
            pose: None,
            world_from_joint: Vec::new(),
            draft: None,
            rest_bounds,
            handles: Handles::default(),
        };
        character.reset_pose();
        character
    }

    /// A character with weights.
    pub fn from_rig(rig: Arc<Rig>) -> Self {
        let mut character = Self::from_asset(Arc::clone(&rig.asset));
        character.rig = Some(rig);
        character.reset_pose();
        character
    }

    /// Takes other weights for the same asset and keeps the pose, if the skeleton is the same;
    /// whether the asset was the same.
    pub fn set_rig(&mut self, rig: Arc<Rig>) -> bool {
        let is_same = Arc::ptr_eq(&self.asset, &rig.asset);
        let carried = if is_same { self.pose_for(&rig.skeleton) } else { None };
        if is_same {
            self.rig = Some(rig);
            self.handles.forget_solver();
        } else {
            *self = Self::from_rig(rig);
        }
        if self.draft.is_none() {
            match carried {
                Some(pose) => {
                    let joints = pose.parent_from_joint.len();
                    self.offsets.retain(|&joint, _| joint < joints);
                    self.base = Some(pose);
                    self.update();
                }
                None => self.reset_pose(),
            }
        }
        is_same
    }

    /// Shows the character without weights again.
    pub fn forget_rig(&mut self) {
        self.rig = None;
        self.handles.forget_solver();
        self.reset_pose();
    }

    /// The pose for another skeleton; none unless its joints are the same, except for handles.
    fn pose_for(&self, other: &Skeleton) -> Option<Pose> {
        let (skeleton, pose) = (self.skeleton()?, self.base.as_ref()?);
        let (own, others) = (skeleton.joints(), other.joints());
        let count = |joints: &[Joint]| joints.iter().filter(|joint| joint.kind != JointKind::Point).count();
        let shared = count(own);
        // Points come last.
        if shared != count(others) || own[..shared] != others[..shared] {
            return None;
        }
        let mut carried = Pose::rest(other);
        for (joint, place) in carried.parent_from_joint.iter_mut().enumerate() {
            let known = own.iter().position(|own| *own == others[joint]);
            if let Some(known) = if joint < shared { Some(joint) } else { known } {
                *place = pose.parent_from_joint[known];
            }
        }
        Some(carried)
    }

    /// The asset.
    pub fn asset(&self) -> &Asset {
        &self.asset
    }

    /// The weights, once there are some.
    pub fn rig(&self) -> Option<&Rig> {
        self.rig.as_deref()
    }

    /// The weights, shared.
    pub(super) fn shared_rig(&self) -> Option<Arc<Rig>> {
        self.rig.clone()
    }

    /// The skeleton that is posed.
    pub fn skeleton(&self) -> Option<&Skeleton> {
        let bound = self.rig.as_ref().map(|rig| &rig.skeleton).or(self.asset.skeleton.as_ref());
        self.draft.as_ref().or(bound)
    }

    /// Shows a draft of the skeleton at rest, or the skeleton of the rig again.
    pub fn set_draft(&mut self, draft: Option<Skeleton>) {
        self.draft = draft;
        self.reset_pose();
    }

    /// The skeleton that is being edited.
    pub fn draft(&self) -> Option<&Skeleton> {
        self.draft.as_ref()
    }

    /// The local transforms of all joints, with offsets.
    pub fn pose(&self) -> Option<&Pose> {
        self.pose.as_ref()
    }

    /// Sets the pose and clears offsets; whether it fits the skeleton.
    pub fn set_pose(&mut self, pose: Pose) -> bool {
        let morph_weights = self.asset.morph_targets.default_weights();
        let state = PoseState { base: Some(pose), offsets: BTreeMap::new(), is_clip: false, morph_weights };
        self.set_pose_state(state)
    }

    /// Sets pose and morph weights of a clip at a time; offsets are kept. Whether the clip fits the
    /// skeleton.
    pub fn set_clip_time(&mut self, clip: &Clip, seconds: f32) -> bool {
        let Some(skeleton) = self.skeleton() else { return false };
        let pose = clip.sample(skeleton, seconds);
        let morph_weights = clip.morph_weights(self.asset.morph_targets.default_weights(), seconds);
        let offsets = self.offsets.clone();
        self.set_pose_state(PoseState { base: Some(pose), offsets, is_clip: true, morph_weights })
    }

    /// The pose with its offsets.
    pub fn pose_state(&self) -> PoseState {
        let Self { base, offsets, is_clip, morph_weights, .. } = self;
        let (base, offsets, morph_weights) = (base.clone(), offsets.clone(), morph_weights.clone());
        PoseState { base, offsets, is_clip: *is_clip, morph_weights }
    }

    /// Restores a pose; whether it fits the skeleton.
    pub fn set_pose_state(&mut self, state: PoseState) -> bool {
        let PoseState { base, offsets, is_clip, morph_weights } = state;
        let joints = self.skeleton().map(|skeleton| skeleton.joints().len());
        let fits = base.as_ref().map(|base| base.parent_from_joint.len()) == joints && joints.is_some();
        if fits {
            (self.base, self.offsets, self.is_clip) = (base, offsets, is_clip);
            self.morph_weights = morph_weights;
            self.update();
        }
        fits
    }

    /// Rotates one joint of an earlier pose in its own frame: the offset of the joint if a clip
    /// plays or it has one, else the pose itself.
    pub(super) fn rotate_from(&mut self, before: &PoseState, joint: usize, rotation: DQuat) {
        let mut state = before.clone();
        if state.is_clip || state.offsets.contains_key(&joint) {
            let offset = state.offsets.entry(joint).or_insert(DQuat::IDENTITY);
            *offset = (*offset * rotation).normalize();
        } else if let Some(base) = state.base.as_mut().filter(|base| joint < base.parent_from_joint.len()) {
            base.rotate(joint, rotation);
        }
        self.set_pose_state(state);
    }

    /// Rotations applied after the base pose, by joint.
    pub fn offsets(&self) -> &BTreeMap<usize, DQuat> {
        &self.offsets
    }

    /// Sets or removes the offset of a joint; whether there is such a joint.
    pub fn set_offset(&mut self, joint: usize, offset: Option<DQuat>) -> bool {
        let exists = self.skeleton().is_some_and(|skeleton| joint < skeleton.joints().len());
        if exists {
            match offset.filter(|offset| offset.is_finite()) {
                Some(offset) => self.offsets.insert(joint, offset.normalize()),
                None => self.offsets.remove(&joint),
            };
            self.update();
        }
        exists
    }

    /// Replaces all offsets; those of joints that do not exist are left out.
    pub fn set_offsets(&mut self, mut offsets: BTreeMap<usize, DQuat>) {
        let joints = self.skeleton().map_or(0, |skeleton| skeleton.joints().len());
        offsets.retain(|&joint, offset| joint < joints && offset.is_finite());
        self.offsets = offsets;
        self.update();
    }

    /// Removes all offsets.
    pub fn clear_offsets(&mut self) {
        self.set_offsets(BTreeMap::new());
    }

    /// Rotates one joint to angles from rest, as an offset if a clip is shown or the joint has one;
    /// whether there is such a joint. Translation and scale of the pose are kept.
    pub fn rotate_to(&mut self, joint: usize, angles: Degrees) -> bool {
        let Some((skeleton, pose)) = self.skeleton().zip(self.pose.as_ref()) else { return false };
        let Some(local) = pose.parent_from_joint.get(joint) else { return false };
        let wanted = skeleton.rest_local(joint) * DAffine3::from_quat(from_degrees(angles));
        let [from, to] = [local, &wanted].map(|local| Trs::from_affine(local).rotation);
        let before = self.pose_state();
        self.rotate_from(&before, joint, from.inverse() * to);
        true
    }

    /// Puts every joint back to rest, without offsets.
    pub fn reset_pose(&mut self) {
        self.base = self.skeleton().map(Pose::rest);
        self.offsets.clear();
        self.is_clip = false;
        self.morph_weights = self.asset.morph_targets.default_weights();
        self.update();
    }

    /// Computes the pose and its transforms.
    pub(super) fn update(&mut self) {
        if self.morphed.set_weights(&self.asset, &self.morph_weights) {
            self.rest_changes = self.rest_changes.wrapping_add(1);
        }
        self.pose.clone_from(&self.base);
        if let Some(pose) = &mut self.pose {
            for (&joint, &offset) in &self.offsets {
                pose.rotate(joint, offset);
            }
        }
        let world = self.pose.as_ref().zip(self.skeleton()).map(|(pose, skeleton)| pose.world(skeleton));
        self.world_from_joint = world.unwrap_or_default();
        self.solve_handles();
    }

    /// The shape before skinning, with morph targets.
    pub fn rest(&self) -> Rest<'_> {
        self.morphed.rest(&self.asset)
    }

    /// Counts up whenever [`Self::rest`] changes; 0 is the rest shape of the asset.
    pub fn rest_changes(&self) -> u32 {
        self.rest_changes
    }

    /// Replaces the transforms of the joints until the pose changes.
    pub(super) fn set_world(&mut self, world_from_joint: Vec<DAffine3>) {
        self.world_from_joint = world_from_joint;
    }

    /// world_from_joint of every joint in the pose.
    pub fn world_from_joint(&self) -> &[DAffine3] {
        &self.world_from_joint
    }

    /// posed_from_rest of every joint.
    pub fn posed_from_rest(&self) -> Vec<DAffine3> {
        self.skeleton().map_or(Vec::new(), |skeleton| self.posed_from_rest_of(skeleton))
    }

    /// The skinning transforms of the joints of `skeleton`, which are the first of the pose.
    pub(super) fn posed_from_rest_of(&self, skeleton: &Skeleton) -> Vec<DAffine3> {
        let pairs = self.world_from_joint.iter().zip(skeleton.joint_from_rest());
        pairs.map(|(&world_from_joint, &joint_from_rest)| world_from_joint * joint_from_rest).collect()
    }

    /// The bones in the pose.
    pub fn posed_bones(&self) -> Vec<PosedBone> {
        let Some(skeleton) = self.skeleton() else { return Vec::new() };
        let posed_from_rest = self.posed_from_rest();
        let place = |joint: usize, point: Vec3| {
            posed_from_rest
                .get(joint)
                .map_or(point, |posed| posed.transform_point3(point.as_dvec3()).as_vec3())
        };
        // Points on the skin are drawn as handles.
        let bones = skeleton.bones().iter().filter(|bone| bone.end != Tail::Point);
        bones
            .map(|bone| PosedBone {
                joint: bone.joint,
                head: place(bone.joint, bone.head),
                tail: place(bone.joint, bone.tail),
            })
            .collect()
    }

    /// The joints that have a dot, and where.
    pub fn dots(&self) -> Vec<(usize, Vec3)> {
        let Some(skeleton) = self.skeleton() else { return Vec::new() };
        let shows = |joint: usize| {
            skeleton.joints()[joint].kind == JointKind::Skin
                && skeleton.exclusion(joint) != Some(Exclusion::EndMarker)
        };
        let places = self.world_from_joint.iter().enumerate();
        places.filter(|&(joint, _)| shows(joint)).map(|(j, world)| (j, world.translation.as_vec3())).collect()
    }

    /// The height of the ground: below the feet by a thousandth of the size. Larger: feet seem to
    /// float. Smaller: a flat sheet that lies on it shows through.
    pub fn ground(&self) -> f32 {
        self.rest_bounds.0.y - 1e-3 * self.size()
    }

    /// The box around the rest shape and its skeleton.
    pub fn rest_bounds(&self) -> (Vec3, Vec3) {
        self.rest_bounds
    }

    /// The rest box's diagonal: the size that everything else scales with. Never zero.
    pub fn size(&self) -> f32 {
        let (low, high) = self.rest_bounds;
        let size = low.distance(high);
        if size > 0.0 { size } else { 1.0 }
    }
}

fn rest_bounds(asset: &Asset) -> (Vec3, Vec3) {
    let mesh = asset.render.positions.iter().copied();
    // The skeleton counts only where there is no mesh: stray control joints would make the
    // character tiny.
    bounds(mesh)
        .or_else(|| {
            let bones = asset.skeleton.iter().flat_map(|s| s.bones()).flat_map(|b| [b.head, b.tail]);
            bounds(bones)
        })
        .unwrap_or((Vec3::ZERO, Vec3::ZERO))
}

pub(super) fn bounds(points: impl IntoIterator<Item = Vec3>) -> Option<(Vec3, Vec3)> {
    points.into_iter().fold(None, |bounds, p| match bounds {
        None => Some((p, p)),
        Some((low, high)) => Some((p.min(low), p.max(high))),
    })
}
