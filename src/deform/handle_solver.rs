//! Handle solver: deforms a pose so that handles on the skin are at their targets.
//!
//! In: a [`Rig`] and the vertices of the handles. Then, any number of times, posed_from_rest of
//! every joint and the targets of the handles. Out: other matrices for the same joints, with which
//! linear blend skinning puts every handle with a target exactly there, leaves the others where the
//! pose has them, and deforms the posed shape as rigidly as possible ([`FastArap`]). Joints without
//! weights move with their parents (docs/theory/handles.md#layer-over-the-pose). Cost: that of
//! [`FastArap`]; a pose that differs from the last one takes another pass over the edges.

use glam::{DAffine3, DMat4, Vec3};

use super::{FastArap, PostSkinning};
use crate::model::{Rig, Weights};
use crate::operators::MeshGeometry;

/// Largest number of iterations while nobody drags. Larger: slow. Smaller: distant targets are seen
/// before the solution has converged.
const MAX_ITERATIONS: usize = 30;

/// Change of the entries of all matrices at which iterations end; translations in mesh diagonals.
/// Larger: the result depends on the path. Smaller: more iterations.
const TOLERANCE: f64 = 1e-5;

/// Solver for the handles of a rig.
#[derive(Clone, Debug)]
pub struct HandleSolver {
    arap: FastArap,
    /// One row per solve vertex, one column per joint.
    weights: Weights,
    /// The solve vertex of each handle.
    points: Vec<u32>,
    /// Per joint: whether any vertex has weight of it.
    has_weights: Vec<bool>,
    /// The pose and the targets of the last call.
    base: Vec<DAffine3>,
    targets: Vec<Option<Vec3>>,
    /// The result of the last call.
    posed: Vec<DAffine3>,
}

impl HandleSolver {
    /// Prepares handles at the solve vertices `points`.
    ///
    /// # Panics
    /// If a point is not a vertex.
    pub fn new(rig: &Rig, points: &[u32]) -> Self {
        let weights = PostSkinning::solve_weights(rig);
        let mut has_weights = vec![false; weights.columns()];
        weights.rows().flatten().for_each(|influence| has_weights[influence.column as usize] = true);
        let arap = FastArap::new(&MeshGeometry::of(&rig.asset.mesh), &weights, 0, points);
        let rest = vec![DAffine3::IDENTITY; weights.columns()];
        let (base, targets) = (rest.clone(), vec![None; points.len()]);
        Self { arap, weights, points: points.to_vec(), has_weights, base, targets, posed: rest }
    }

    /// The solve vertex of each handle.
    pub fn points(&self) -> &[u32] {
        &self.points
    }

    /// The position of a handle in a pose of the joints.
    pub fn position(&self, rig: &Rig, point: usize, posed_from_rest: &[DAffine3]) -> Vec3 {
        let vertex = self.points[point] as usize;
        let at = rig.asset.mesh.positions()[vertex].as_dvec3();
        let row = self.weights.row(vertex).iter();
        let moved =
            row.map(|i| posed_from_rest[i.column as usize].transform_point3(at) * f64::from(i.weight));
        moved.sum::<glam::DVec3>().as_vec3()
    }

    /// posed_from_rest of every joint when handles are moved from the pose `base` to `targets`;
    /// handles without a target stay. While the user drags (`is_dragged`), one iteration is made
    /// per call.
    ///
    /// # Panics
    /// If there is not one matrix per joint and one target per handle.
    pub fn pose(
        &mut self,
        rig: &Rig,
        base: &[DAffine3],
        targets: &[Option<Vec3>],
        is_dragged: bool,
    ) -> &[DAffine3] {
        if targets.iter().all(Option::is_none) {
            self.targets.fill(None);
            self.posed.copy_from_slice(base);
            return &self.posed;
        }
        // A drag that begins, or targets that are set again, must not depend on earlier ones.
        let begins = self.targets.iter().all(Option::is_none);
        let restarts = begins || (!is_dragged && self.targets != targets);
        self.targets.copy_from_slice(targets);
        if self.base != base {
            self.base.clear();
            self.base.extend_from_slice(base);
            self.arap.start_from(&rig.asset.mesh, &self.weights, base);
        }
        if restarts {
            self.arap.restart();
        }
        let stays = |point: usize| self.position(rig, point, base);
        let targets: Vec<Vec3> =
            targets.iter().enumerate().map(|(i, target)| target.unwrap_or_else(|| stays(i))).collect();
        let size = f64::from(rig.asset.mesh.diagonal()).max(f64::MIN_POSITIVE);
        for _ in 0..if is_dragged { 1 } else { MAX_ITERATIONS } {
            let matrices = self.arap.drag(&targets);
            let mut changed = 0.0f64;
            for (posed, matrix) in self.posed.iter_mut().zip(matrices) {
                let matrix =
                    DAffine3::from_mat4(DMat4::from_cols_array(&matrix.to_cols_array().map(f64::from)));
                let turned = (matrix.matrix3 - posed.matrix3).to_cols_array();
                let moved = (matrix.translation - posed.translation).length() / size;
                changed = turned.into_iter().fold(changed.max(moved), |most, by| most.max(by.abs()));
                *posed = matrix;
            }
            if changed < TOLERANCE {
                break;
            }
        }
        self.move_unweighted_joints(rig);
        &self.posed
    }

    /// Moves joints without weights with their parents.
    fn move_unweighted_joints(&mut self, rig: &Rig) {
        for &joint in rig.skeleton.parents_first() {
            if self.has_weights[joint] {
                continue;
            }
            let parent = rig.skeleton.joints()[joint].parent;
            self.posed[joint] = match parent {
                Some(parent) => self.posed[parent] * self.base[parent].inverse() * self.base[joint],
                None => self.base[joint],
            };
        }
    }
}
