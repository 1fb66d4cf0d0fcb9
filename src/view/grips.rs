//! Handles on a figure's skin: where they are in the pose, and the layer of the pose that pulling at them makes.
//!
//! A figure's pose is what joints are turned to, by hand or by a clip. Pulled handles are a layer over it: the shape in that pose is bent as
//! little as it can so that they are where they are pulled to, and handles that are not pulled stay where the pose has them.
//! Turning a joint moves what is below the layer, so pulled handles stay pinned.

use glam::Vec3;

use super::figure::Figure;
use crate::deform::Pull;
use crate::math::unit_or;
use crate::model::JointKind;

/// A handle on the skin.
#[derive(Clone, Debug, PartialEq)]
pub struct Grip {
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
pub(super) struct Grips {
    all: Vec<Grip>,
    /// Made when first pulled; for the weights and vertices that were then.
    pull: Option<Pull>,
    /// The user's hand is on one of them.
    is_held: bool,
}

impl Grips {
    /// Other weights, or others of them.
    pub(super) fn forget_pull(&mut self) {
        self.pull = None;
    }
}

impl Figure {
    /// The handles on the skin.
    pub fn grips(&self) -> &[Grip] {
        &self.grips.all
    }

    /// Takes other handles: names, and places in rest space. Those of a name that was there before stay pulled.
    pub fn set_grips(&mut self, handles: &[(String, Vec3)]) {
        let render_from_solve = self.asset().render_from_solve();
        let grip = |(name, at): &(String, Vec3)| {
            let vertex = self.asset().mesh.nearest_vertex(*at)?;
            let known = self.grips.all.iter().find(|grip| grip.name == *name);
            let target = known.and_then(|grip| grip.target);
            let name = name.clone();
            Some(Grip { name, vertex: vertex as u32, render_vertex: render_from_solve[vertex], target })
        };
        let all: Vec<Grip> = handles.iter().filter_map(grip).collect();
        let is_pulled = all.iter().any(|grip| grip.target.is_some());
        let was_pulled = self.is_pulled();
        self.grips.all = all;
        if is_pulled || was_pulled {
            self.update();
        }
    }

    /// The joint of a handle, once there is one.
    pub fn grip_joint(&self, grip: usize) -> Option<usize> {
        let name = &self.grips.all.get(grip)?.name;
        let joints = self.skeleton()?.joints();
        joints.iter().rposition(|joint| joint.kind == JointKind::Point && joint.name == *name)
    }

    /// The handle of a joint.
    pub fn grip_of_joint(&self, joint: usize) -> Option<usize> {
        (0..self.grips.all.len()).find(|&grip| self.grip_joint(grip) == Some(joint))
    }

    /// Where every handle is in the pose, as drawn.
    pub fn grip_places(&self) -> Vec<Vec3> {
        self.posed_vertices(&mut self.grips.all.iter().map(|grip| grip.render_vertex as usize))
    }

    /// Which way the skin looks at a handle.
    pub fn grip_normal(&self, grip: usize) -> Vec3 {
        let vertex = self.grips.all[grip].render_vertex as usize;
        let rest = self.asset().render.normals[vertex];
        let Some(rig) = self.rig() else { return rest };
        let posed = self.posed_from_rest();
        let row = rig.weights().row(vertex).iter();
        let turned = row.map(|i| posed[i.column as usize].matrix3.as_mat3() * rest * i.weight).sum();
        unit_or(turned, rest)
    }

    /// Whether any handle is pulled.
    pub fn is_pulled(&self) -> bool {
        self.grips.all.iter().any(|grip| grip.target.is_some())
    }

    /// Where handles are pulled to, in their order.
    pub fn targets(&self) -> Vec<Option<Vec3>> {
        self.grips.all.iter().map(|grip| grip.target).collect()
    }

    /// Pulls handles, in their order; while a hand `is_held` on one, the pose may come to rest in later calls.
    pub fn set_targets(&mut self, targets: &[Option<Vec3>], is_held: bool) {
        let was_pulled = self.is_pulled();
        for (grip, target) in self.grips.all.iter_mut().zip(targets) {
            grip.target = target.filter(|target| target.is_finite());
        }
        self.grips.is_held = is_held;
        if was_pulled || self.is_pulled() {
            self.update();
        }
        self.grips.is_held = false;
    }

    /// Makes ready for pulling, so that no pull waits for that. Cheap when it is.
    pub fn prepare_pull(&mut self) {
        if let Some(rig) = self.shared_rig().filter(|_| !self.is_ready_to_pull()) {
            let points: Vec<u32> = self.grips.all.iter().map(|grip| grip.vertex).collect();
            self.grips.pull = Some(Pull::new(&rig, &points));
        }
    }

    /// Whether nothing has to be made ready for pulling.
    pub fn is_ready_to_pull(&self) -> bool {
        let points = || self.grips.all.iter().map(|grip| grip.vertex);
        let is_made = self.grips.pull.as_ref().is_some_and(|pull| points().eq(pull.points().iter().copied()));
        is_made || self.grips.all.is_empty() || self.rig().is_none()
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
        let Some(mut pull) = self.grips.pull.take() else { return };
        let posed = pull.pose(&rig, &base, &targets, self.grips.is_held);
        let rests = rig.skeleton.joints().iter().map(|joint| joint.rest);
        let world = posed.iter().zip(rests).map(|(&posed_from_rest, rest)| posed_from_rest * rest).collect();
        self.set_world(world);
        self.grips.pull = Some(pull);
    }
}
