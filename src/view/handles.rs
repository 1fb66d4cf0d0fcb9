//! Handles on a figure's skin: where they are in the pose, and the layer of the pose that pulling at them makes.
//!
//! A figure's pose is what joints are turned to, by hand or by a clip. Pulled handles are a layer over it: the shape in that pose is bent as
//! little as it can so that they are where they are pulled to, and handles that are not pulled stay where the pose has them.
//! Turning a joint moves what is below the layer, so pulled handles stay pinned.

use glam::Vec3;

use super::posed_character::PosedCharacter;
use super::views::ShownView;
use crate::deform::HandleSolver;
use crate::model::JointKind;

/// A handle on the skin.
#[derive(Clone, Debug, PartialEq)]
pub struct Handle {
    /// As its joint is called, once there is one.
    pub name: String,
    /// The solve vertex that it is on.
    pub vertex: u32,
    /// One of the render vertices there.
    pub render_vertex: u32,
    /// Where it is pulled to.
    pub target: Option<Vec3>,
}

/// The handles of a figure.
#[derive(Clone, Debug, Default)]
pub(super) struct Handles {
    all: Vec<Handle>,
    /// Made when first pulled; for the weights and vertices that were then.
    pull: Option<HandleSolver>,
    /// The user's hand is on one of them.
    is_held: bool,
}

impl Handles {
    /// Other weights, or others of them.
    pub(super) fn forget_pull(&mut self) {
        self.pull = None;
    }
}

impl ShownView<'_> {
    /// Where every handle is in the pose, as drawn.
    pub fn handle_positions(&self) -> Vec<Vec3> {
        self.posed_vertices(&self.handle_vertices()).positions
    }

    /// The unit normal of the skin at every handle, as drawn.
    pub fn handle_normals(&self) -> Vec<Vec3> {
        self.posed_vertices(&self.handle_vertices()).normals
    }

    fn handle_vertices(&self) -> Vec<u32> {
        self.character.handles().iter().map(|handle| handle.render_vertex).collect()
    }
}

impl PosedCharacter {
    /// The handles on the skin.
    pub fn handles(&self) -> &[Handle] {
        &self.handles.all
    }

    /// Takes other handles: names, and places in rest space. Those of a name that was there before stay pulled.
    pub fn set_handles(&mut self, handles: &[(String, Vec3)]) {
        let render_from_solve = self.asset().render_from_solve();
        let handle = |(name, at): &(String, Vec3)| {
            let vertex = self.asset().mesh.nearest_vertex(*at)?;
            let known = self.handles.all.iter().find(|handle| handle.name == *name);
            let target = known.and_then(|handle| handle.target);
            let name = name.clone();
            Some(Handle { name, vertex: vertex as u32, render_vertex: render_from_solve[vertex], target })
        };
        let all: Vec<Handle> = handles.iter().filter_map(handle).collect();
        let is_pulled = all.iter().any(|handle| handle.target.is_some());
        let was_pulled = self.is_pulled();
        self.handles.all = all;
        if is_pulled || was_pulled {
            self.update();
        }
    }

    /// The joint of a handle, once there is one.
    pub fn handle_joint(&self, handle: usize) -> Option<usize> {
        let name = &self.handles.all.get(handle)?.name;
        let joints = self.skeleton()?.joints();
        joints.iter().rposition(|joint| joint.kind == JointKind::Point && joint.name == *name)
    }

    /// The handle of a joint.
    pub fn handle_of_joint(&self, joint: usize) -> Option<usize> {
        (0..self.handles.all.len()).find(|&handle| self.handle_joint(handle) == Some(joint))
    }

    /// Whether any handle is pulled.
    pub fn is_pulled(&self) -> bool {
        self.handles.all.iter().any(|handle| handle.target.is_some())
    }

    /// Where handles are pulled to, in their order.
    pub fn targets(&self) -> Vec<Option<Vec3>> {
        self.handles.all.iter().map(|handle| handle.target).collect()
    }

    /// Pulls handles, in their order; while a hand `is_held` on one, the pose may come to rest in later calls.
    pub fn set_targets(&mut self, targets: &[Option<Vec3>], is_held: bool) {
        let was_pulled = self.is_pulled();
        for (handle, target) in self.handles.all.iter_mut().zip(targets) {
            handle.target = target.filter(|target| target.is_finite());
        }
        self.handles.is_held = is_held;
        if was_pulled || self.is_pulled() {
            self.update();
        }
        self.handles.is_held = false;
    }

    /// Makes ready for pulling, so that no pull waits for that. Cheap when it is.
    pub fn prepare_pull(&mut self) {
        if let Some(rig) = self.shared_rig().filter(|_| !self.is_ready_to_pull()) {
            let points: Vec<u32> = self.handles.all.iter().map(|handle| handle.vertex).collect();
            self.handles.pull = Some(HandleSolver::new(&rig, &points));
        }
    }

    /// Whether nothing has to be made ready for pulling.
    pub fn is_ready_to_pull(&self) -> bool {
        let points = || self.handles.all.iter().map(|handle| handle.vertex);
        let is_made =
            self.handles.pull.as_ref().is_some_and(|pull| points().eq(pull.points().iter().copied()));
        is_made || self.handles.all.is_empty() || self.rig().is_none()
    }

    /// Pulls the joints from where the pose has them.
    pub(super) fn pull_joints(&mut self) {
        let (true, Some(rig), None) = (self.is_pulled(), self.shared_rig(), self.draft()) else { return };
        if rig.skeleton.joints().len() != self.world_from_joint().len() {
            return;
        }
        let base = self.posed_from_rest();
        let targets = self.targets();
        self.prepare_pull();
        let Some(mut pull) = self.handles.pull.take() else { return };
        let posed = pull.pose(&rig, &base, &targets, self.handles.is_held);
        let rests = rig.skeleton.joints().iter().map(|joint| joint.rest);
        let world = posed.iter().zip(rests).map(|(&posed_from_rest, rest)| posed_from_rest * rest).collect();
        self.set_world(world);
        self.handles.pull = Some(pull);
    }
}
