//! The tool that moves joints in rest space.
//!
//! A joint follows the pointer and is in the middle of the body under it. Beside the body, and with
//! Shift, it stays in the plane that faces the camera.
//!
//! While it is active, the character is at rest and shows a draft of its skeleton. The page binds
//! the skin to the new skeleton.

use std::collections::BTreeMap;

use glam::{Vec2, Vec3};

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

/// The radius of the dot at the end of a bone, in CSS pixels, and while the pointer is over it.
const TAIL: f32 = 2.4;
const TAIL_LARGE: f32 = 4.0;

/// The tool that moves joints in rest space.
#[derive(Debug)]
pub(super) struct JointPlacementTool {
    mirrors: bool,
    /// Whether the ends of bones without children can be dragged.
    offers_tails: bool,
    drag: Option<Drag>,
    /// What a press would drag.
    hovered: Option<(usize, BoneEnd)>,
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
    /// The same with the other joints where they have followed to.
    base: Skeleton,
    /// Where the dragged end is, and that of the other side.
    moved: BTreeMap<usize, Vec3>,
}

impl Drag {
    /// The skeleton with the dragged ends at their places.
    fn draft(&self) -> Result<Skeleton, SkeletonError> {
        match self.end {
            BoneEnd::Head => fit::move_joints(&self.base, &[], &self.moved).map(|(draft, _)| draft),
            BoneEnd::Tail => with_tails(&self.base, &self.moved),
        }
    }
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
        let (mirrors, offers_tails) = (options.mirror, options.tails);
        Some(Self { mirrors, offers_tails, drag: None, hovered: None, pose })
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

    /// The joint or the end of a bone that a press at a pixel drags.
    fn end_at(&self, scene: &Scene, pixel: Vec2, is_touch: bool) -> Option<(usize, BoneEnd)> {
        let (eye, character) = (scene.view_transform(), scene.character()?);
        let at = |dots: &[(usize, Vec3)]| joint_at(&eye, pixel, reach(is_touch), dots, &[]);
        let head = at(&character.dots()).map(|joint| (joint, BoneEnd::Head));
        head.or_else(|| Some((at(&self.tails(character.draft()))?, BoneEnd::Tail)))
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
        let found = self.end_at(scene, pointer.position, pointer.is_touch);
        let draft = scene.character().and_then(PosedCharacter::draft).cloned();
        let Some(((joint, end), before)) = found.zip(draft) else { return false };
        let start = match end {
            BoneEnd::Head => before.joints()[joint].head(),
            BoneEnd::Tail => before.joints()[joint].tail.unwrap_or_default(),
        };
        let Some(held) = eye.ray(pointer.position).meets_plane(start, eye.forward()) else { return false };
        let (base, moved) = (before.clone(), BTreeMap::new());
        let offset = start - held;
        self.drag = Some(Drag { pointer: pointer.id, joint, end, start, offset, before, base, moved });
        scene.set_selected(Some(joint));
        scene.events.extend([Event::Selected(Some(joint)), Event::PlacingStarted { joint }]);
        scene.change(SharedChanges::default());
        true
    }

    fn pointer_move(&mut self, scene: &mut Scene, pointer: &Pointer) {
        let eye = scene.view_transform();
        let Some(drag) = &mut self.drag else { return };
        let Some(held) = eye.ray(pointer.position).meets_plane(drag.start, eye.forward()) else { return };
        let in_plane = held + drag.offset;
        let pixel = eye.project(in_plane).filter(|_| !pointer.modifiers.shift);
        let in_body = pixel.and_then(|(pixel, _)| scene.body_point_at(pixel, Some(drag.start)));
        drag.moved = moved_points(&drag.before, drag.joint, in_body.unwrap_or(in_plane), self.mirrors);
        show_draft(scene, drag);
    }

    fn pointer_up(&mut self, scene: &mut Scene, _: &Pointer) {
        self.end(scene, false);
    }

    fn cancel(&mut self, scene: &mut Scene) {
        self.end(scene, true);
    }

    fn joints_follow(
        &mut self,
        scene: &mut Scene,
        heads: &BTreeMap<usize, Vec3>,
        tails: &BTreeMap<usize, Vec3>,
    ) {
        let Some(drag) = self.drag.as_mut().filter(|drag| !drag.moved.is_empty()) else { return };
        let base = fit::move_joints(&drag.before, &[], heads).and_then(|(base, _)| with_tails(&base, tails));
        let Ok(base) = base else { return };
        drag.base = base;
        show_draft(scene, drag);
    }

    fn key(&mut self, scene: &mut Scene, key: Key) -> bool {
        let is_cancelled = key == Key::Escape && self.drag.is_some();
        if is_cancelled {
            self.cancel(scene);
        }
        // There is no pose to reset: the character is at rest.
        is_cancelled || key == Key::ResetPose
    }

    fn hover(&mut self, scene: &mut Scene, pixel: Option<Vec2>) {
        self.hovered = pixel.and_then(|pixel| self.end_at(scene, pixel, false));
        match self.hovered {
            Some((joint, BoneEnd::Tail)) => scene.set_hovered(Some(joint), true),
            _ => scene.hover_joint(pixel),
        }
    }

    fn cursor(&self, _: &Scene) -> Option<Cursor> {
        let dragged = self.drag.as_ref().map(|_| Cursor::Grabbing);
        // A bone can be selected, but not dragged.
        dragged.or(self.hovered.map(|_| Cursor::Grab))
    }

    fn overlay(&self, scene: &Scene, eye: &ViewTransform, overlay: &mut Overlay) {
        let color = scene.theme().palette().warning.extend(MARK_ALPHA);
        let dots = scene.character().map_or(Vec::new(), PosedCharacter::dots);
        for (_, at) in dots.into_iter().filter(|(joint, _)| scene.marked.contains(joint)) {
            overlay.flat.dot(eye, at, MARK, color);
        }
        let palette = scene.theme().palette();
        for (joint, at) in self.tails(scene.character().and_then(PosedCharacter::draft)) {
            let is_hovered = self.hovered == Some((joint, BoneEnd::Tail));
            let (radius, color) = if is_hovered { (TAIL_LARGE, palette.hover) } else { (TAIL, palette.bone) };
            overlay.flat.dot(eye, at, radius + 1.0, palette.outline.extend(0.75));
            overlay.flat.dot(eye, at, radius, color.extend(1.0));
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

    /// Moves joints and ends of bones by index while another joint is dragged. The dragged one and
    /// its counterpart stay where the pointer has them. Nothing happens without a drag.
    pub fn follow_drag(&mut self, heads: &BTreeMap<usize, Vec3>, tails: &BTreeMap<usize, Vec3>) {
        self.with_tool(|tool, scene| tool.joints_follow(scene, heads, tails));
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

/// Shows the skeleton as it is dragged.
fn show_draft(scene: &mut Scene, drag: &Drag) {
    let (Ok(draft), Some(character)) = (drag.draft(), scene.character.as_mut()) else { return };
    character.set_draft(Some(draft));
    scene.events.push(Event::JointsMoved);
    scene.change(SharedChanges { pose: true, ..SharedChanges::default() });
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
    for (&joint, &tail) in tails.iter().filter(|&(&joint, _)| joint < skeleton.joints().len()) {
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

    use super::*;
    use crate::samples::{self, SampleCharacter};
    use crate::view::input::{Buttons, Modifiers};
    use crate::view::picking::PosedBone;
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
    fn other_joints_follow_a_drag_and_a_cancelled_drag_takes_them_back() {
        let mut scene = scene();
        place(&mut scene, true);
        let (joint, other) = sides(&scene);
        let (before, tails) = (scene.joint_heads(), scene.leaf_tails());
        let (leaf, tail) = tails[0];
        let far = |heads: &[Vec3]| heads.iter().map(|head| *head + Vec3::Y).enumerate().collect();
        let ends = BTreeMap::from([(leaf, tail + Vec3::X), (usize::MAX, tail)]);
        scene.follow_drag(&far(&before), &ends);
        assert_eq!(scene.joint_heads(), before, "nothing is dragged");

        let start = scene.view_transform().project(before[joint]).unwrap().0;
        scene.pointer_down(&pointer(start));
        scene.pointer_move(&pointer(start + Vec2::new(20.0, -30.0)));
        let dragged = scene.joint_heads();
        scene.follow_drag(&far(&before), &ends);
        let followed = scene.joint_heads();
        for (index, head) in followed.iter().enumerate() {
            let is_dragged = index == joint || index == other;
            assert_eq!(*head, if is_dragged { dragged[index] } else { before[index] + Vec3::Y });
        }
        assert!(scene.leaf_tails().contains(&(leaf, tail + Vec3::X)));
        // The pointer goes on, and the others stay where they have followed to.
        scene.pointer_move(&pointer(start + Vec2::new(24.0, -30.0)));
        let moved = scene.joint_heads();
        assert_ne!(moved[joint], followed[joint]);
        assert!((0..moved.len()).all(|i| i == joint || i == other || moved[i] == followed[i]));
        assert!(scene.key(Key::Escape));
        assert_eq!((scene.joint_heads(), scene.leaf_tails()), (before, tails));
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
    fn the_pointer_says_what_a_press_would_drag() {
        let mut scene = scene();
        scene.set_tool(ToolName::PlaceJoints, &ToolOptions { tails: true, ..ToolOptions::default() });
        let pixel = |scene: &Scene, at: Vec3| scene.view_transform().project(at).unwrap().0;
        let hover = |scene: &mut Scene, at: Vec2| {
            scene.drain_events();
            scene.pointer_move(&Pointer { buttons: Buttons(0), ..pointer(at) });
            (scene.cursor(), scene.drain_events())
        };
        let (leaf, tail) = scene.leaf_tails()[0];
        let at = pixel(&scene, tail);
        let (cursor, events) = hover(&mut scene, at);
        assert_eq!(cursor, Cursor::Grab);
        assert_eq!(events, [Event::Hovered { joint: Some(leaf), is_tail: true }]);
        // The middle of a long bone can be selected only.
        let bones = scene.character().unwrap().posed_bones();
        let length = |bone: &PosedBone| bone.head.distance(bone.tail);
        let longest = bones.iter().max_by(|a, b| length(a).total_cmp(&length(b))).unwrap();
        let at = pixel(&scene, longest.head.midpoint(longest.tail));
        let (cursor, events) = hover(&mut scene, at);
        assert_eq!(cursor, Cursor::Select);
        assert!(matches!(events[..], [Event::Hovered { joint: Some(_), is_tail: false }]));
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
