//! Handles of a character: where they are in the pose, and the layer over the pose that their
//! targets make.
//!
//! The pose is what joints are rotated to, by hand or by a clip. Targets of handles are a layer
//! over it: the posed shape is deformed as rigidly as possible so that handles are at their
//! targets, and handles without a target stay where the pose has them. Rotating a joint changes
//! what is below the layer, so handles stay at their targets. See
//! docs/theory/handles.md#layer-over-the-pose.

use glam::Vec3;

use super::posed_character::PosedCharacter;
use super::views::ShownView;
use crate::deform::HandleSolver;
use crate::model::JointKind;

/// A handle on the skin.
#[derive(Clone, Debug, PartialEq)]
pub struct Handle {
    /// The name of its joint, once there is one.
    pub name: String,
    /// The solve vertex that it is on.
    pub vertex: u32,
    /// One of the render vertices there.
    pub render_vertex: u32,
    /// Where it is dragged to.
    pub target: Option<Vec3>,
}

/// The handles of a character.
#[derive(Clone, Debug, Default)]
pub(super) struct Handles {
    all: Vec<Handle>,
    /// Made for the first target; for the weights and vertices of that time.
    solver: Option<HandleSolver>,
    /// A handle is being dragged: the solver may converge in later calls.
    is_dragging: bool,
    /// How often targets were solved for.
    #[cfg(test)]
    pub(super) solves: usize,
}

impl Handles {
    /// Drops the solver: weights have changed.
    pub(super) fn forget_solver(&mut self) {
        self.solver = None;
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

    /// Replaces the handles: names, and places in rest space. Names that were there before keep
    /// their target.
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
        let has_targets = all.iter().any(|handle| handle.target.is_some());
        let had_targets = self.has_targets();
        self.handles.all = all;
        if has_targets || had_targets {
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

    /// Whether any handle has a target.
    pub fn has_targets(&self) -> bool {
        self.handles.all.iter().any(|handle| handle.target.is_some())
    }

    /// The targets of the handles, in their order.
    pub fn targets(&self) -> Vec<Option<Vec3>> {
        self.handles.all.iter().map(|handle| handle.target).collect()
    }

    /// Sets the targets of the handles, in their order; while one `is_dragging`, the solver may
    /// converge in later calls.
    pub fn set_targets(&mut self, targets: &[Option<Vec3>], is_dragging: bool) {
        let had_targets = self.has_targets();
        for (handle, target) in self.handles.all.iter_mut().zip(targets) {
            handle.target = target.filter(|target| target.is_finite());
        }
        self.handles.is_dragging = is_dragging;
        if had_targets || self.has_targets() {
            self.update();
        }
        self.handles.is_dragging = false;
    }

    /// Prepares the solver, so that no drag waits for it. Cheap if it is there.
    pub fn prepare_handle_solver(&mut self) {
        if let Some(rig) = self.shared_rig().filter(|_| !self.has_handle_solver()) {
            let points: Vec<u32> = self.handles.all.iter().map(|handle| handle.vertex).collect();
            self.handles.solver = Some(HandleSolver::new(&rig, &points));
        }
    }

    /// Whether the solver is there, or not needed.
    pub fn has_handle_solver(&self) -> bool {
        let points = || self.handles.all.iter().map(|handle| handle.vertex);
        let is_made =
            self.handles.solver.as_ref().is_some_and(|solver| points().eq(solver.points().iter().copied()));
        is_made || self.handles.all.is_empty() || self.rig().is_none()
    }

    /// Applies the targets to the joints as the pose has them.
    pub(super) fn solve_handles(&mut self) {
        let (true, Some(rig), None) = (self.has_targets(), self.shared_rig(), self.draft()) else { return };
        if rig.skeleton.joints().len() != self.world_from_joint().len() {
            return;
        }
        let base = self.posed_from_rest();
        let targets = self.targets();
        self.prepare_handle_solver();
        let Some(mut solver) = self.handles.solver.take() else { return };
        #[cfg(test)]
        {
            self.handles.solves += 1;
        }
        let posed = solver.pose(&rig, &base, &targets, self.handles.is_dragging);
        let rests = rig.skeleton.joints().iter().map(|joint| joint.rest);
        let world = posed.iter().zip(rests).map(|(&posed_from_rest, rest)| posed_from_rest * rest).collect();
        self.set_world(world);
        self.handles.solver = Some(solver);
    }
}
