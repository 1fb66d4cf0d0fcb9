//! JointPlacementTool joints by hand: dragging one moves its head in rest space, in the plane that faces the camera.
//!
//! While it is on, the figure stands at rest and shows a draft of its skeleton; binding the skin to it is
//! up to whoever embeds the viewer.

use std::collections::BTreeMap;

use glam::Vec3;

use super::changes::SharedChanges;
use super::input::{Event, Pointer};
use super::picking::{joint_at, reach};
use super::scene::Scene;
use crate::fit;
use crate::model::{Pose, Skeleton};

/// Joints being placed.
#[derive(Clone, Debug)]
pub(super) struct JointPlacementTool {
    mirrors: bool,
    drag: Option<Drag>,
    /// The pose to go back to.
    pose: Option<Pose>,
}

#[derive(Clone, Debug)]
struct Drag {
    pointer: i32,
    joint: usize,
    /// From where the pointer took hold to the joint's head.
    offset: Vec3,
    before: Skeleton,
}

impl Scene {
    /// Whether joints are being placed.
    pub fn is_placing(&self) -> bool {
        self.joint_placement.is_some()
    }

    /// Begins or ends placing joints; whether it is on afterwards. It needs a skeleton.
    pub fn set_placing(&mut self, on: bool, mirrors: bool) -> bool {
        if let Some(joint_placement) = self.joint_placement.as_mut().filter(|_| on) {
            joint_placement.mirrors = mirrors;
            return true;
        }
        self.cancel_turn();
        if self.is_dragging_joint() {
            self.end_placing(true);
        }
        if let Some(character) = &mut self.character {
            if on && let Some(skeleton) = character.skeleton().cloned() {
                self.joint_placement =
                    Some(JointPlacementTool { mirrors, drag: None, pose: character.pose().cloned() });
                character.set_draft(Some(skeleton));
            } else if let Some(JointPlacementTool { pose, .. }) = self.joint_placement.take() {
                character.set_draft(None);
                pose.map(|pose| character.set_pose(pose));
            }
            self.change(SharedChanges { pose: true, ..SharedChanges::default() });
        }
        self.joint_placement.is_some()
    }

    /// Where the joints' heads are in rest space, in the order of the joints.
    pub fn joint_heads(&self) -> Vec<Vec3> {
        let skeleton = self.character.as_ref().and_then(|character| character.skeleton());
        skeleton.map_or(Vec::new(), |skeleton| skeleton.joints().iter().map(|joint| joint.head()).collect())
    }

    /// Where they would be if this joint were moved there, its mirror image along with it if wanted.
    pub fn joint_heads_with(&self, joint: usize, to: Vec3, mirrors: bool) -> Vec<Vec3> {
        let mut heads = self.joint_heads();
        let skeleton = self.character.as_ref().and_then(|character| character.skeleton());
        if let Some(skeleton) = skeleton.filter(|skeleton| joint < skeleton.joints().len()) {
            for (moved, head) in moved_heads(skeleton, joint, to, mirrors) {
                heads[moved] = head;
            }
        }
        heads
    }

    pub(super) fn is_dragging_joint(&self) -> bool {
        self.joint_placement.as_ref().is_some_and(|joint_placement| joint_placement.drag.is_some())
    }

    pub(super) fn drags_joint(&self, pointer: i32) -> bool {
        let drag = self.joint_placement.as_ref().and_then(|joint_placement| joint_placement.drag.as_ref());
        drag.is_some_and(|drag| drag.pointer == pointer)
    }

    /// Takes hold of the joint under the pointer; whether there is one.
    pub(super) fn begin_placing(&mut self, pointer: &Pointer) -> bool {
        let eye = self.eye();
        let Some((joint_placement, character)) = self.joint_placement.as_mut().zip(self.character.as_ref())
        else {
            return false;
        };
        let joint = joint_at(&eye, pointer.position, reach(pointer.is_touch), &character.dots(), &[]);
        let (Some(joint), Some(before)) = (joint, character.draft().cloned()) else { return false };
        let head = before.joints()[joint].head();
        let Some(held) = eye.ray(pointer.position).meets_plane(head, eye.forward()) else { return false };
        joint_placement.drag = Some(Drag { pointer: pointer.id, joint, offset: head - held, before });
        self.set_selected(Some(joint));
        self.events.extend([Event::Selected(Some(joint)), Event::PlacingStarted { joint }]);
        self.change(SharedChanges::default());
        true
    }

    pub(super) fn place_at(&mut self, pointer: &Pointer) {
        let eye = self.eye();
        let Some((joint_placement, character)) = self.joint_placement.as_ref().zip(self.character.as_mut())
        else {
            return;
        };
        let Some(Drag { joint, offset, before, .. }) = &joint_placement.drag else { return };
        let head = before.joints()[*joint].head();
        let Some(held) = eye.ray(pointer.position).meets_plane(head, eye.forward()) else { return };
        let heads = moved_heads(before, *joint, held + *offset, joint_placement.mirrors);
        let Ok((draft, _)) = fit::place(before, &[], &heads) else { return };
        character.set_draft(Some(draft));
        self.events.push(Event::JointsMoved);
        self.change(SharedChanges { pose: true, ..SharedChanges::default() });
    }

    pub(super) fn end_placing(&mut self, is_cancelled: bool) {
        let drag = self.joint_placement.as_mut().and_then(|joint_placement| joint_placement.drag.take());
        let Some((Drag { joint, before, .. }, character)) = drag.zip(self.character.as_mut()) else { return };
        if is_cancelled {
            character.set_draft(Some(before));
            self.events.push(Event::JointsMoved);
        }
        self.events.push(Event::PlacingEnded { joint, is_cancelled });
        self.change(SharedChanges { pose: true, ..SharedChanges::default() });
    }
}

/// The joint's new head, and that of its counterpart on the other side.
fn moved_heads(before: &Skeleton, joint: usize, to: Vec3, mirrors: bool) -> BTreeMap<usize, Vec3> {
    let mut heads = BTreeMap::from([(joint, to)]);
    if let Some(other) = fit::other_sides(before)[joint].filter(|&other| mirrors && other != joint) {
        let pair = [joint, other].map(|joint| before.joints()[joint].head());
        heads.insert(other, fit::reflected(to, pair));
    }
    heads
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::Vec2;

    use super::*;
    use crate::samples::{self, SampleCharacter};
    use crate::view::input::{Buttons, Key, Modifiers};

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

    fn sides(scene: &Scene) -> (usize, usize) {
        let skeleton = scene.character().unwrap().skeleton().unwrap();
        let others = fit::other_sides(skeleton);
        let elbow = skeleton.joints().iter().position(|joint| joint.name.to_lowercase().contains("forearm"));
        let joint =
            elbow.filter(|&j| others[j].is_some()).or(others.iter().position(Option::is_some)).unwrap();
        (joint, others[joint].unwrap())
    }

    #[test]
    fn a_dragged_joint_follows_the_pointer_and_its_mirror_image_follows_it() {
        let mut scene = scene();
        assert!(scene.set_placing(true, true));
        let (joint, other) = sides(&scene);
        let before = scene.joint_heads();
        let start = scene.eye().project(before[joint]).unwrap().0;
        scene.pointer_down(&pointer(start));
        scene.pointer_move(&pointer(start + Vec2::new(20.0, -30.0)));
        scene.pointer_up(&pointer(start + Vec2::new(20.0, -30.0)));
        let after = scene.joint_heads();
        let now = scene.eye().project(after[joint]).unwrap().0;
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
    fn a_joint_placed_by_numbers_takes_its_mirror_image_along_when_asked() {
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
    fn escape_puts_a_dragged_joint_back_and_leaving_restores_the_pose() {
        let mut scene = scene();
        let mut pose = scene.pose().unwrap().clone();
        pose.rotate(3, glam::DQuat::from_rotation_z(0.4));
        scene.set_pose(pose.clone());
        scene.set_placing(true, false);
        let (joint, _) = sides(&scene);
        let before = scene.joint_heads();
        let start = scene.eye().project(before[joint]).unwrap().0;
        scene.pointer_down(&pointer(start));
        scene.pointer_move(&pointer(start + Vec2::new(20.0, -30.0)));
        assert_ne!(scene.joint_heads(), before);
        assert!(scene.key(Key::Escape));
        assert_eq!(scene.joint_heads(), before);
        scene.set_placing(false, false);
        assert_eq!(scene.pose(), Some(&pose));
    }
}
