//! The tool that moves joints in rest space.
//!
//! A joint follows the pointer and is in the middle of the body under it. Beside the body, and with
//! Shift, it stays in the plane that faces the camera.
//!
//! While it is active, the character is at rest and shows a draft of its skeleton. The page binds
//! the skin to the new skeleton.

use std::collections::BTreeMap;

use glam::Vec3;

use super::camera::ViewTransform;
use super::changes::SharedChanges;
use super::input::{Event, Key, Pointer};
use super::interact::Cursor;
use super::overlay::Overlay;
use super::picking::{joint_at, reach};
use super::posed_character::{PoseState, PosedCharacter};
use super::scene::Scene;
use super::tool::{Tool, ToolOptions};
use crate::fit;
use crate::model::{Skeleton, SkeletonError};

/// The radius of the disc around a joint that is pointed out, in CSS pixels, and its opacity.
const MARK: f32 = 9.0;
const MARK_ALPHA: f32 = 0.55;

/// The radius of the dot at the end of a bone, in CSS pixels.
const TAIL: f32 = 2.4;

/// The tool that moves joints in rest space.
#[derive(Debug)]
pub(super) struct JointPlacementTool {
    mirrors: bool,
    /// Whether the ends of bones without children can be dragged.
    offers_tails: bool,
    drag: Option<Drag>,
    /// The pose before the tool was activated.
    pose: PoseState,
}

#[derive(Debug)]
struct Drag {
    pointer: i32,
    joint: usize,
    end: BoneEnd,
    /// Where it was.
    start: Vec3,
    /// From where the pointer met the plane of the joint to the joint's head.
    offset: Vec3,
    before: Skeleton,
}

/// Which end of a bone is dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BoneEnd {
    Head,
    Tail,
}

impl JointPlacementTool {
    /// Shows a draft of the skeleton; none if there is no skeleton.
    pub(super) fn open(scene: &mut Scene, options: &ToolOptions) -> Option<Self> {
        let character = scene.character.as_mut()?;
        let skeleton = character.skeleton().cloned()?;
        let pose = character.pose_state();
        character.set_draft(Some(skeleton));
        scene.change(SharedChanges { pose: true, ..SharedChanges::default() });
        Some(Self { mirrors: options.mirror, offers_tails: options.tails, drag: None, pose })
    }

    /// Takes other options.
    pub(super) fn set_options(&mut self, options: &ToolOptions) {
        self.mirrors = options.mirror;
        self.offers_tails = options.tails;
    }

    /// The ends of bones that can be dragged.
    fn tails(&self, skeleton: Option<&Skeleton>) -> Vec<(usize, Vec3)> {
        skeleton.filter(|_| self.offers_tails).map_or(Vec::new(), leaf_tails)
    }

    fn end(&mut self, scene: &mut Scene, is_cancelled: bool) {
        let Some((Drag { joint, before, .. }, character)) = self.drag.take().zip(scene.character.as_mut())
        else {
            return;
        };
        if is_cancelled {
            character.set_draft(Some(before));
            scene.events.push(Event::JointsMoved);
        }
        scene.events.push(Event::PlacingEnded { joint, is_cancelled });
        scene.change(SharedChanges { pose: true, ..SharedChanges::default() });
    }
}

impl Tool for JointPlacementTool {
    fn gesture(&self) -> Option<i32> {
        self.drag.as_ref().map(|drag| drag.pointer)
    }

    fn pointer_down(&mut self, scene: &mut Scene, pointer: &Pointer) -> bool {
        let eye = scene.view_transform();
        let Some(character) = scene.character.as_ref() else { return false };
        let at =
            |dots: &[(usize, Vec3)]| joint_at(&eye, pointer.position, reach(pointer.is_touch), dots, &[]);
        let Some(before) = character.draft().cloned() else { return false };
        let head = at(&character.dots()).map(|joint| (joint, BoneEnd::Head));
        let found = head.or_else(|| Some((at(&self.tails(Some(&before)))?, BoneEnd::Tail)));
        let Some((joint, end)) = found else { return false };
        let start = match end {
            BoneEnd::Head => before.joints()[joint].head(),
            BoneEnd::Tail => before.joints()[joint].tail.unwrap_or_default(),
        };
        let Some(held) = eye.ray(pointer.position).meets_plane(start, eye.forward()) else { return false };
        self.drag = Some(Drag { pointer: pointer.id, joint, end, start, offset: start - held, before });
        scene.set_selected(Some(joint));
        scene.events.extend([Event::Selected(Some(joint)), Event::PlacingStarted { joint }]);
        scene.change(SharedChanges::default());
        true
    }

    fn pointer_move(&mut self, scene: &mut Scene, pointer: &Pointer) {
        let eye = scene.view_transform();
        let Some(Drag { joint, end, start, offset, before, .. }) = &self.drag else { return };
        let Some(held) = eye.ray(pointer.position).meets_plane(*start, eye.forward()) else { return };
        let in_plane = held + *offset;
        let pixel = eye.project(in_plane).filter(|_| !pointer.modifiers.shift);
        let in_body = pixel.and_then(|(pixel, _)| scene.body_point_at(pixel, Some(*start)));
        let moved = moved_points(before, *joint, in_body.unwrap_or(in_plane), self.mirrors);
        let draft = match end {
            BoneEnd::Head => fit::move_joints(before, &[], &moved).map(|(draft, _)| draft),
            BoneEnd::Tail => with_tails(before, &moved),
        };
        let Ok(draft) = draft else { return };
        let Some(character) = scene.character.as_mut() else { return };
        character.set_draft(Some(draft));
        scene.events.push(Event::JointsMoved);
        scene.change(SharedChanges { pose: true, ..SharedChanges::default() });
    }

    fn pointer_up(&mut self, scene: &mut Scene, _: &Pointer) {
        self.end(scene, false);
    }

    fn cancel(&mut self, scene: &mut Scene) {
        self.end(scene, true);
    }

    fn key(&mut self, scene: &mut Scene, key: Key) -> bool {
        let is_cancelled = key == Key::Escape && self.drag.is_some();
        if is_cancelled {
            self.cancel(scene);
        }
        // There is no pose to reset: the character is at rest.
        is_cancelled || key == Key::ResetPose
    }

    fn cursor(&self, scene: &Scene) -> Option<Cursor> {
        let dragged = self.drag.as_ref().map(|_| Cursor::Grabbing);
        dragged.or(scene.hovered().map(|_| Cursor::Grab))
    }

    fn overlay(&self, scene: &Scene, eye: &ViewTransform, overlay: &mut Overlay) {
        let color = scene.theme().palette().warning.extend(MARK_ALPHA);
        let dots = scene.character().map_or(Vec::new(), PosedCharacter::dots);
        for (_, at) in dots.into_iter().filter(|(joint, _)| scene.marked.contains(joint)) {
            overlay.flat.dot(eye, at, MARK, color);
        }
        let palette = scene.theme().palette();
        for (_, at) in self.tails(scene.character().and_then(PosedCharacter::draft)) {
            overlay.flat.dot(eye, at, TAIL + 1.0, palette.outline.extend(0.75));
            overlay.flat.dot(eye, at, TAIL, palette.bone.extend(1.0));
        }
    }

    fn close(&mut self, scene: &mut Scene) {
        self.cancel(scene);
        if let Some(character) = &mut scene.character {
            character.set_draft(None);
            character.set_pose_state(self.pose.clone());
        }
        scene.change(SharedChanges { pose: true, ..SharedChanges::default() });
    }
}

impl Scene {
    /// Points out joints while joints are placed.
    pub fn mark_joints(&mut self, joints: Vec<usize>) {
        self.marked = joints;
        self.change(SharedChanges::default());
    }

    /// Where the joints' heads are in rest space, in the order of the joints.
    pub fn joint_heads(&self) -> Vec<Vec3> {
        let skeleton = self.character.as_ref().and_then(|character| character.skeleton());
        skeleton.map_or(Vec::new(), |skeleton| skeleton.joints().iter().map(|joint| joint.head()).collect())
    }

    /// Where the bones of joints without children end in rest space.
    pub fn leaf_tails(&self) -> Vec<(usize, Vec3)> {
        let skeleton = self.character.as_ref().and_then(|character| character.skeleton());
        skeleton.map_or(Vec::new(), leaf_tails)
    }

    /// Where they would be if one joint were moved to a point, optionally with its counterpart.
    pub fn joint_heads_with(&self, joint: usize, to: Vec3, mirrors: bool) -> Vec<Vec3> {
        let mut heads = self.joint_heads();
        let skeleton = self.character.as_ref().and_then(|character| character.skeleton());
        if let Some(skeleton) = skeleton.filter(|skeleton| joint < skeleton.joints().len()) {
            for (moved, head) in moved_points(skeleton, joint, to, mirrors) {
                heads[moved] = head;
            }
        }
        heads
    }
}

/// The ends of bones of joints without children.
fn leaf_tails(skeleton: &Skeleton) -> Vec<(usize, Vec3)> {
    let joints = skeleton.joints();
    let is_leaf = |joint: usize| joints.iter().all(|other| other.parent != Some(joint));
    let tails = joints.iter().enumerate().filter(|&(joint, _)| is_leaf(joint));
    tails.filter_map(|(joint, leaf)| leaf.tail.map(|tail| (joint, tail))).collect()
}

/// The skeleton with other ends of bones.
fn with_tails(skeleton: &Skeleton, tails: &BTreeMap<usize, Vec3>) -> Result<Skeleton, SkeletonError> {
    let mut joints = skeleton.joints().to_vec();
    for (&joint, &tail) in tails {
        joints[joint].tail = Some(tail);
    }
    Skeleton::new(joints)
}

/// The new place of a joint, and that of its counterpart on the other side.
fn moved_points(before: &Skeleton, joint: usize, to: Vec3, mirrors: bool) -> BTreeMap<usize, Vec3> {
    let mut heads = BTreeMap::from([(joint, to)]);
    heads.extend(fit::mirrored(before, joint, to).filter(|_| mirrors));
    heads
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::Vec2;

    use super::*;
    use crate::samples::{self, SampleCharacter};
    use crate::view::input::{Buttons, Modifiers};
    use crate::view::tool::ToolName;

    fn scene() -> Scene {
        let asset = samples::make(SampleCharacter::Mannequin, 2_000).unwrap().into_asset("mannequin");
        let mut scene = Scene::default();
        scene.resize(Vec2::new(800.0, 600.0));
        scene.set_asset(Arc::new(asset));
        scene
    }

    fn pointer(position: Vec2) -> Pointer {
        let modifiers = Modifiers::default();
        Pointer { id: 1, position, buttons: Buttons::PRIMARY, modifiers, is_touch: false }
    }

    fn place(scene: &mut Scene, mirror: bool) -> ToolName {
        scene.set_tool(ToolName::PlaceJoints, &ToolOptions { mirror, ..ToolOptions::default() })
    }

    fn sides(scene: &Scene) -> (usize, usize) {
        let skeleton = scene.character().unwrap().skeleton().unwrap();
        let others = fit::other_sides(skeleton);
        let elbow = skeleton.joints().iter().position(|joint| joint.name.to_lowercase().contains("forearm"));
        let joint =
            elbow.filter(|&j| others[j].is_some()).or(others.iter().position(Option::is_some)).unwrap();
        (joint, others[joint].unwrap())
    }

    #[test]
    fn a_dragged_joint_follows_the_pointer_and_its_counterpart_mirrors_it() {
        let mut scene = scene();
        assert_eq!(place(&mut scene, true), ToolName::PlaceJoints);
        let (joint, other) = sides(&scene);
        let before = scene.joint_heads();
        let start = scene.view_transform().project(before[joint]).unwrap().0;
        scene.pointer_down(&pointer(start));
        scene.pointer_move(&pointer(start + Vec2::new(20.0, -30.0)));
        scene.pointer_up(&pointer(start + Vec2::new(20.0, -30.0)));
        let after = scene.joint_heads();
        let now = scene.view_transform().project(after[joint]).unwrap().0;
        assert!(now.distance(start + Vec2::new(20.0, -30.0)) < 0.1, "{now} from {start}");
        assert!((after[joint].x + after[other].x - before[joint].x - before[other].x).abs() < 1e-5);
        assert!((after[joint].y - after[other].y).abs() < 1e-5);
        let still = (0..after.len()).filter(|&j| j != joint && j != other);
        still.for_each(|j| assert_eq!(after[j], before[j]));
        let events = scene.drain_events();
        assert!(events.contains(&Event::JointsMoved));
        assert!(events.contains(&Event::PlacingEnded { joint, is_cancelled: false }));
    }

    #[test]
    fn a_joint_placed_by_coordinates_moves_its_counterpart_if_mirrored() {
        let scene = scene();
        let (joint, other) = sides(&scene);
        let before = scene.joint_heads();
        let to = before[joint] + Vec3::new(0.1, 0.05, -0.02);
        let alone = scene.joint_heads_with(joint, to, false);
        assert_eq!((alone[joint], alone[other]), (to, before[other]));
        let both = scene.joint_heads_with(joint, to, true);
        assert_eq!(both[joint], to);
        assert!(both[other].distance(before[other] + Vec3::new(-0.1, 0.05, -0.02)) < 1e-5);
        assert_eq!(scene.joint_heads_with(usize::MAX, to, true), before);
        assert_eq!(scene.joint_heads(), before);
    }

    #[test]
    fn the_end_of_a_leaf_bone_can_be_dragged_if_that_is_offered() {
        let mut scene = scene();
        let drag_tail = |scene: &mut Scene, tails: bool| {
            let options = ToolOptions { mirror: true, tails, ..ToolOptions::default() };
            scene.set_tool(ToolName::PlaceJoints, &options);
            let heads = scene.joint_heads();
            let before = scene.leaf_tails();
            let (joint, tail) = before[0];
            let start = scene.view_transform().project(tail).unwrap().0;
            scene.pointer_down(&pointer(start));
            scene.pointer_move(&pointer(start + Vec2::new(12.0, -9.0)));
            scene.pointer_up(&pointer(start + Vec2::new(12.0, -9.0)));
            assert_eq!(scene.joint_heads(), heads, "heads stay");
            let moved = scene.leaf_tails().iter().find(|&&(other, _)| other == joint).unwrap().1;
            scene.set_tool(ToolName::Rotate, &ToolOptions::default());
            moved.distance(tail)
        };
        assert_eq!(drag_tail(&mut scene, false), 0.0);
        assert!(drag_tail(&mut scene, true) > 0.01);
    }

    #[test]
    fn escape_cancels_a_drag_and_closing_the_tool_restores_the_pose() {
        let mut scene = scene();
        let mut pose = scene.pose().unwrap().clone();
        pose.rotate(3, glam::DQuat::from_rotation_z(0.4));
        scene.set_pose(pose.clone());
        place(&mut scene, false);
        let (joint, _) = sides(&scene);
        let before = scene.joint_heads();
        let start = scene.view_transform().project(before[joint]).unwrap().0;
        scene.pointer_down(&pointer(start));
        scene.pointer_move(&pointer(start + Vec2::new(20.0, -30.0)));
        assert_ne!(scene.joint_heads(), before);
        assert!(scene.key(Key::Escape));
        assert_eq!(scene.joint_heads(), before);
        scene.set_tool(ToolName::Rotate, &ToolOptions::default());
        assert_eq!(scene.pose(), Some(&pose));
    }
}
