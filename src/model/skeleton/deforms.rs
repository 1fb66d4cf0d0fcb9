//! Decides which joints deform the skin (docs/theory/skeleton.md#joint-classification).
//!
//! Real rigs contain joints that are not meant to deform. The sources of information, in order of
//! priority: the choice of the user; the weights in the file (a joint without weights does not
//! deform, one with more than a trace does); else names (end markers, controls, props) and geometry
//! (a root joint outside the body, joints far from the mesh).

use std::collections::BTreeMap;

use glam::Vec3;

use super::{Exclusion, Joint, JointKind, Skeleton, bones, flat, names};
use crate::model::{Mesh, Weights};
use crate::report::{Report, Warning};

/// What is known besides the joints.
#[derive(Clone, Copy, Default)]
pub struct Evidence<'a> {
    /// The mesh that is to be bound.
    pub mesh: Option<&'a Mesh>,
    /// The weights of the file, one column per joint.
    pub stored_weights: Option<&'a Weights>,
    /// Vertices whose rows are placeholders, because the file has no weights for them.
    pub unweighted: &'a [u32],
    /// The choice of the user, by joint name.
    pub overrides: Option<&'a BTreeMap<String, bool>>,
}

/// Distance from the nearest vertex, relative to the diagonal of the mesh, beyond which a joint
/// outside the mesh does not deform. If larger, IK targets beside the feet get a region. If
/// smaller, joints of thick, coarse bodies lose theirs.
const MAX_RELATIVE_DISTANCE: f32 = 0.08;

/// Largest fraction of joints that names may exclude. Beyond it, the words are a naming convention
/// of this rig and are ignored. One half is what a single bone and its end marker give.
const MAX_NAMED_FRACTION: f64 = 0.5;

/// Largest weight of a joint, relative to the mean weight of the weighted joints, that is a trace:
/// names and geometry may overrule it. If larger, tips that an artist has weighted lose their
/// vertices. If smaller, roots that were normalised into a few vertices get a region.
const MAX_TRACE: f64 = 0.1;

impl Skeleton {
    /// Decides which joints deform, infers a hierarchy for the bones of flat skeletons, and
    /// rebuilds the bones. Every excluded joint and every virtual tail is recorded in the report.
    pub fn classify_joints(&mut self, evidence: &Evidence<'_>, report: &mut Report) {
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
        let totals =
            evidence.stored_weights.and_then(|stored| self.total_weights(stored, evidence.unweighted));
        let is_open: Vec<bool> = match &totals {
            Some(totals) => {
                self.exclude_where(Exclusion::Unweighted, |_, joint| totals[joint] == 0.0);
                let weighted = totals.iter().filter(|&&total| total > 0.0).count();
                let mean = totals.iter().sum::<f64>() / weighted as f64;
                totals.iter().map(|&total| total < MAX_TRACE * mean).collect()
            }
            None => vec![true; self.joints.len()],
        };
        self.exclude_by_name(&is_open);
        if totals.is_some() {
            self.exclude_traces_of_roots(&is_open);
        } else if let Some(mesh) = evidence.mesh.filter(|mesh| !mesh.triangles().is_empty()) {
            self.exclude_by_geometry(mesh);
        }
        self.apply_overrides(evidence.overrides);
        self.bones = bones::bones_of(self);
        self.report_classification(report);
    }

    fn exclude_where(&mut self, why: Exclusion, matches: impl Fn(&Self, usize) -> bool) {
        let matching: Vec<usize> =
            (0..self.joints.len()).filter(|&j| self.deforms(j) && matches(self, j)).collect();
        matching.into_iter().for_each(|joint| self.excluded[joint] = Some(why));
    }

    /// The total weight of every joint. `None` if at most one joint has any, which is a
    /// placeholder.
    fn total_weights(&self, stored: &Weights, unweighted: &[u32]) -> Option<Vec<f64>> {
        let mut totals = vec![0.0; self.joints.len()];
        let mut placeholders = unweighted.iter().copied().peekable();
        for (vertex, row) in stored.rows().enumerate() {
            if placeholders.next_if_eq(&(vertex as u32)).is_none() {
                row.iter().for_each(|i| totals[i.column as usize] += f64::from(i.weight));
            }
        }
        (totals.iter().filter(|&&total| total > 0.0).count() > 1).then_some(totals)
    }

    /// Excludes a top joint that is named as a root and has only a trace of weight.
    fn exclude_traces_of_roots(&mut self, is_trace: &[bool]) {
        self.exclude_where(Exclusion::RootAboveBody, |skeleton, joint| {
            is_trace[joint]
                && names::is_root(&skeleton.joints[joint].name)
                && !skeleton.has_deforming_ancestor(joint)
                && skeleton.bone_hierarchy.contains(&Some(joint))
        });
    }

    /// Excludes end markers and controls among the joints for which `is_open` holds.
    fn exclude_by_name(&mut self, is_open: &[bool]) {
        let mut has_children = vec![false; self.joints.len()];
        self.bone_hierarchy.iter().flatten().for_each(|&parent| has_children[parent] = true);
        let candidates = (0..self.joints.len()).filter(|&j| self.deforms(j)).count() as f64;
        let is_plausible = |count: usize| count as f64 <= MAX_NAMED_FRACTION * candidates;

        let ends: Vec<bool> = self
            .joints
            .iter()
            .zip(&has_children)
            .map(|(joint, &has_children)| !has_children && names::is_end_marker(&joint.name))
            .collect();
        if is_plausible(ends.iter().filter(|&&e| e).count()) {
            self.exclude_where(Exclusion::EndMarker, |_, joint| is_open[joint] && ends[joint]);
        }
        let controls: Vec<bool> = self.joints.iter().map(|joint| names::is_control(&joint.name)).collect();
        if is_plausible(controls.iter().filter(|&&c| c).count()) {
            self.exclude_where(Exclusion::Control, |_, joint| is_open[joint] && controls[joint]);
        }
    }

    fn exclude_by_geometry(&mut self, mesh: &Mesh) {
        let max_distance = MAX_RELATIVE_DISTANCE * mesh.diagonal();
        let bones = bones::bones_of(self);
        let samples_of = |joint: usize| {
            bones
                .iter()
                .filter(move |bone| bone.joint == joint)
                .flat_map(|bone| [0.0, 0.25, 0.5, 0.75, 1.0].map(|t| bone.head.lerp(bone.tail, t)))
        };
        let is_far =
            |point: Vec3| !is_near(mesh, point, max_distance) && mesh.winding_number(point).abs() < 0.5;
        self.exclude_where(Exclusion::FarFromMesh, |_, joint| samples_of(joint).all(is_far));

        let is_outside = |point: Vec3| mesh.winding_number(point).abs() < 0.5;
        self.exclude_where(Exclusion::RootAboveBody, |skeleton, joint| {
            let is_root_outside = !skeleton.has_deforming_ancestor(joint)
                && skeleton.bone_hierarchy.contains(&Some(joint))
                && (names::is_root(&skeleton.joints[joint].name)
                    || is_outside(skeleton.joints[joint].head()));
            let samples = samples_of(joint).count();
            is_root_outside && 2 * samples_of(joint).filter(|&p| is_outside(p)).count() > samples
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

    fn report_classification(&self, report: &mut Report) {
        use Exclusion::{ByUser, Control, EndMarker, FarFromMesh, RootAboveBody, Unweighted};
        // Helpers are not reported, because the skin does not list them.
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

fn is_near(mesh: &Mesh, point: Vec3, distance: f32) -> bool {
    let squared = distance * distance;
    mesh.positions().iter().any(|p| p.distance_squared(point) <= squared)
}
