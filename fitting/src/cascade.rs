//! Joints by regression: a first guess from the profile, then rounds of displacements.
//!
//! A joint of the right side is the joint of the left side of the mirrored body, so both sides
//! share their networks. Joints in the middle are the mean of both views.

use glam::{Mat3, Vec3};

use crate::body::Body;
use crate::network::{Layer, Network};
use crate::patch::{self, Radii, bone_frame};

/// A joint of a body plan.
#[derive(Clone, Copy, Debug)]
pub struct PlanJoint {
    /// The label.
    pub name: &'static str,
    /// Which network places it. Mirrored joints share one.
    pub kind: usize,
    /// The mirrored joint; itself in the middle.
    pub mirror: usize,
    /// The bone that its frame follows, from one joint to another.
    pub along: [usize; 2],
    /// Joints whose surroundings the network sees too.
    pub neighbours: [usize; 2],
}

/// The joints that a cascade places. Those of the middle and of the left are first.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// All joints.
    pub joints: &'static [PlanJoint],
    /// The number of kinds. The first so many joints are one of each.
    pub kinds: usize,
}

/// The shells of the patches of each step, in heights.
pub const RADII: [Radii; 2] = [[0.03, 0.07, 0.13, 0.21, 0.31], [0.0125, 0.03, 0.06, 0.1, 0.16]];

/// The step of each round.
pub const ROUNDS: [usize; 5] = [0, 0, 1, 1, 1];

/// What places joints by their surroundings: one network per kind, and what they see.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// The radii of the shells, in heights.
    pub radii: Radii,
    /// Reduces a patch to a few numbers; the same for all kinds.
    pub basis: Layer,
    /// By kind.
    pub networks: Vec<Network>,
}

impl Plan {
    /// The joints of the mirrored body.
    pub fn mirrored(&self, joints: &[Vec3]) -> Vec<Vec3> {
        self.joints.iter().map(|joint| flip(joints[joint.mirror])).collect()
    }

    /// The frame of a joint of the middle or the left.
    pub fn frame(&self, joints: &[Vec3], kind: usize) -> Mat3 {
        let [from, to] = self.joints[kind].along;
        bone_frame(joints[to] - joints[from])
    }

    /// What the network of a kind sees: the distance field around the joint and its neighbours, and
    /// the other joints. `joints` are those of the mirrored body if `mirrored`.
    pub fn features(
        &self,
        step: &Step,
        body: &Body,
        joints: &[Vec3],
        kind: usize,
        mirrored: bool,
    ) -> Vec<f32> {
        let frame = self.frame(joints, kind);
        let mut out = Vec::with_capacity(3 * step.basis.biases.len() + 3 * joints.len());
        let [first, second] = self.joints[kind].neighbours;
        for centre in [kind, first, second] {
            let patch = patch::sample(body, joints[centre], &frame, &step.radii, mirrored);
            out.extend(step.basis.apply(&patch));
        }
        let to_frame = frame.transpose();
        for (other, &joint) in joints.iter().enumerate() {
            if other != kind {
                out.extend((to_frame * (joint - joints[kind]) * SHAPE_SCALE).to_array());
            }
        }
        out.push(joints[kind].y * SHAPE_SCALE);
        out
    }
}

/// Scale of positions relative to a joint, so that they weigh as much as distances.
const SHAPE_SCALE: f32 = 4.0;

/// What places the joints of a plan.
#[derive(Clone, Debug, Default)]
pub struct Cascade {
    /// From the profile to the joints of the middle and the left, relative to the centroid.
    pub first: Network,
    /// Members that were trained apart. Each has the steps that [`ROUNDS`] names.
    pub members: Vec<Vec<Step>>,
}

impl Cascade {
    /// The first guess, from the profiles of the body and of its mirrored twin.
    pub fn guess(&self, plan: &Plan, profiles: &[Vec<f32>; 2], centroid: Vec3) -> Vec<Vec3> {
        let views = [(0, centroid), (1, flip(centroid))].map(|(view, centroid)| {
            let output = self.first.apply(&profiles[view]);
            output.chunks_exact(3).map(|p| Vec3::new(p[0], p[1], p[2]) + centroid).collect::<Vec<_>>()
        });
        merge(plan, &views[0], &views[1])
    }
}

/// Reflects a point in x = 0.
fn flip(p: Vec3) -> Vec3 {
    Vec3::new(-p.x, p.y, p.z)
}

/// Displacements are predicted in this unit, in heights, so that targets are of the order of one.
pub const DISPLACEMENT_UNIT: f32 = 0.05;

/// Moves all joints by the predictions of one step.
pub fn refine(plan: &Plan, step: &Step, body: &Body, joints: &[Vec3]) -> Vec<Vec3> {
    let views = [joints.to_vec(), plan.mirrored(joints)];
    let moved = [false, true].map(|mirrored| {
        let view = &views[usize::from(mirrored)];
        let displaced = |kind: usize| {
            let output = step.networks[kind].apply(&plan.features(step, body, view, kind, mirrored));
            let displacement = Vec3::new(output[0], output[1], output[2]) * DISPLACEMENT_UNIT;
            view[kind] + plan.frame(view, kind) * displacement
        };
        (0..plan.kinds).map(displaced).collect::<Vec<Vec3>>()
    });
    merge(plan, &moved[0], &moved[1])
}

/// All joints, from those of the middle and the left of a body and of its mirrored twin.
pub fn merge(plan: &Plan, left: &[Vec3], mirrored: &[Vec3]) -> Vec<Vec3> {
    let place = |(index, joint): (usize, &PlanJoint)| {
        if joint.mirror == index {
            left[index].midpoint(flip(mirrored[index]))
        } else if index < plan.kinds {
            left[index]
        } else {
            flip(mirrored[joint.mirror])
        }
    };
    plan.joints.iter().enumerate().map(place).collect()
}
