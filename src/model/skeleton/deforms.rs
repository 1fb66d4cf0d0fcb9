//! Which joints deform the skin: decided once, here.
//!
//! Real rigs carry joints that are not flesh. In this order: what the user says; what the file's own
//! skin says (a joint it never weighs does not deform); else names (chain ends, controls and props) and
//! geometry (a root that carries the body from outside, joints far from the mesh).

use std::collections::BTreeMap;

use glam::Vec3;

use super::{Exclusion, Joint, JointKind, Skeleton, bones, flat, names};
use crate::model::{Mesh, Weights};
use crate::report::{Report, Warning};

/// What is known beyond the joints themselves.
#[derive(Clone, Copy, Default)]
pub struct Evidence<'a> {
    /// The mesh to be bound.
    pub mesh: Option<&'a Mesh>,
    /// The file's own weights, one column per joint.
    pub stored_weights: Option<&'a Weights>,
    /// The user's word, by joint name.
    pub overrides: Option<&'a BTreeMap<String, bool>>,
}

/// Farther from every vertex than this share of the mesh's diagonal, and outside, a joint has no flesh.
/// Larger: IK targets beside the feet get a region. Smaller: joints of thick, coarse bodies lose theirs.
const FAR_SHARE: f32 = 0.08;

/// Names condemn joints only while they condemn no more than this share of them; beyond it the words are
/// just this rig's way of naming. Half is what a single bone and its end marker make.
const TOO_MANY: f64 = 0.5;

impl Skeleton {
    /// Decides which joints deform, infers a hierarchy for the bones of flat skeletons, and reads the
    /// bones off again. Every joint left out and every guessed tail goes to the report.
    pub fn decide(&mut self, evidence: &Evidence<'_>, report: &mut Report) {
        if let Some(inferred) = flat::infer_hierarchy(self, evidence.mesh) {
            let joints = self.joints.iter().filter(|joint| joint.kind == JointKind::Skin).count();
            report.warn(Warning::FlatSkeleton { joints });
            self.bone_hierarchy = inferred;
            self.is_flat = true;
        }
        self.excluded = self
            .joints
            .iter()
            .map(|joint| (joint.kind == JointKind::Helper).then_some(Exclusion::Helper))
            .collect();
        match evidence.stored_weights.and_then(|weights| weighted_joints(self.joints.len(), weights)) {
            Some(weighted) => self.exclude_where(Exclusion::Unweighted, |_, joint| !weighted[joint]),
            None => {
                self.exclude_by_name();
                if let Some(mesh) = evidence.mesh.filter(|mesh| !mesh.triangles().is_empty()) {
                    self.exclude_by_place(mesh);
                }
            }
        }
        self.apply_overrides(evidence.overrides);
        self.bones = bones::bones_of(self);
        self.report_choices(report);
    }

    fn exclude_where(&mut self, why: Exclusion, matches: impl Fn(&Self, usize) -> bool) {
        let found: Vec<usize> =
            (0..self.joints.len()).filter(|&j| self.deforms(j) && matches(self, j)).collect();
        found.into_iter().for_each(|joint| self.excluded[joint] = Some(why));
    }

    fn exclude_by_name(&mut self) {
        let mut has_children = vec![false; self.joints.len()];
        self.bone_hierarchy.iter().flatten().for_each(|&parent| has_children[parent] = true);
        let candidates = (0..self.joints.len()).filter(|&j| self.deforms(j)).count() as f64;
        let usual = |found: usize| found as f64 <= TOO_MANY * candidates;

        let ends: Vec<bool> = self
            .joints
            .iter()
            .zip(&has_children)
            .map(|(joint, &has_children)| !has_children && names::is_end_marker(&joint.name))
            .collect();
        if usual(ends.iter().filter(|&&e| e).count()) {
            self.exclude_where(Exclusion::EndMarker, |_, joint| ends[joint]);
        }
        let controls: Vec<bool> = self.joints.iter().map(|joint| names::is_control(&joint.name)).collect();
        if usual(controls.iter().filter(|&&c| c).count()) {
            self.exclude_where(Exclusion::Control, |_, joint| controls[joint]);
        }
    }

    fn exclude_by_place(&mut self, mesh: &Mesh) {
        let far = FAR_SHARE * mesh.diagonal();
        let bones = bones::bones_of(self);
        let samples_of = |joint: usize| {
            bones
                .iter()
                .filter(move |bone| bone.joint == joint)
                .flat_map(|bone| [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| bone.head.lerp(bone.tail, share)))
        };
        let is_far = |point: Vec3| !is_near(mesh, point, far) && mesh.winding_number(point).abs() < 0.5;
        self.exclude_where(Exclusion::FarFromMesh, |_, joint| samples_of(joint).all(is_far));

        let is_outside = |point: Vec3| mesh.winding_number(point).abs() < 0.5;
        self.exclude_where(Exclusion::RootAboveBody, |skeleton, joint| {
            let carries_body = !skeleton.has_deforming_ancestor(joint)
                && skeleton.bone_hierarchy.contains(&Some(joint))
                && (names::is_root(&skeleton.joints[joint].name)
                    || is_outside(skeleton.joints[joint].head()));
            let samples = samples_of(joint).count();
            carries_body && 2 * samples_of(joint).filter(|&p| is_outside(p)).count() > samples
        });
    }

    fn has_deforming_ancestor(&self, joint: usize) -> bool {
        let above = std::iter::successors(self.bone_hierarchy[joint], |&joint| self.bone_hierarchy[joint]);
        above.into_iter().any(|ancestor| self.deforms(ancestor))
    }

    fn apply_overrides(&mut self, overrides: Option<&BTreeMap<String, bool>>) {
        for (joint, Joint { name, .. }) in self.joints.iter().enumerate() {
            match overrides.and_then(|by_name| by_name.get(name)) {
                Some(true) => self.excluded[joint] = None,
                Some(false) => self.excluded[joint] = Some(Exclusion::ByUser),
                None => {}
            }
        }
    }

    fn report_choices(&self, report: &mut Report) {
        use Exclusion::{ByUser, Control, EndMarker, FarFromMesh, RootAboveBody, Unweighted};
        // Helpers are the file's own affair: the skin never listed them, so nobody misses them.
        for why in [Unweighted, EndMarker, Control, RootAboveBody, FarFromMesh, ByUser] {
            let excluded = |joint: &usize| self.excluded[*joint] == Some(why);
            let joints: Vec<String> =
                (0..self.joints.len()).filter(excluded).map(|j| self.joints[j].name.clone()).collect();
            if !joints.is_empty() {
                report.warn(Warning::JointsExcluded { joints, why: why.reason() });
            }
        }
        let virtual_tails: Vec<String> = self
            .bones
            .iter()
            .filter(|bone| bone.end == super::Tail::Virtual)
            .map(|bone| self.joints[bone.joint].name.clone())
            .collect();
        if !virtual_tails.is_empty() {
            report.warn(Warning::VirtualTails { joints: virtual_tails });
        }
    }
}

/// Which joints the stored weights use; none when they say nothing (all on one joint is a placeholder).
fn weighted_joints(joints: usize, weights: &Weights) -> Option<Vec<bool>> {
    let mut weighted = vec![false; joints];
    for influence in weights.rows().flatten() {
        weighted[influence.column as usize] = true;
    }
    (weighted.iter().filter(|&&w| w).count() > 1).then_some(weighted)
}

fn is_near(mesh: &Mesh, point: Vec3, distance: f32) -> bool {
    let squared = distance * distance;
    mesh.positions().iter().any(|p| p.distance_squared(point) <= squared)
}
