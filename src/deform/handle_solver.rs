//! A pose pulled by points of the skin: a layer over whatever moves the joints.
//!
//! In: a [`Rig`], the points' vertices, and then, as often as wanted, posed_from_rest of every joint with where points are pulled to. Out:
//! other matrices for the same joints, under which linear blend skinning puts every pulled point exactly there, every other point where
//! it was, and bends the posed shape as little as it can ([`FastArap`]). Joints that hold no skin go with their parents.
//! Cost: as [`FastArap`]; a pose that differs from the last one takes a pass over the edges more.

use glam::{DAffine3, DMat4, Vec3};

use super::{FastArap, PostSkinning};
use crate::model::{Rig, Weights};
use crate::operators::MeshGeometry;

/// Drags after which a pull that is not the user's hand is taken as it is. More: slow. Fewer: far pulls are seen on their way.
const DRAGS_TO_REST: usize = 30;

/// A pull is at rest when no entry of a matrix changes by more than this, lengths in diagonals.
const AT_REST: f64 = 1e-5;

/// Points of a rig's skin to pull at.
#[derive(Clone, Debug)]
pub struct HandleSolver {
    handles: FastArap,
    /// One row per solve vertex, one column per joint.
    weights: Weights,
    /// The points' solve vertices.
    points: Vec<u32>,
    /// Whether any skin follows a joint.
    holds: Vec<bool>,
    /// The pose it started from, and where it was pulled to last.
    base: Vec<DAffine3>,
    targets: Vec<Option<Vec3>>,
    posed: Vec<DAffine3>,
}

impl HandleSolver {
    /// To pull at the solve vertices `points`.
    ///
    /// # Panics
    /// When a point is not a vertex.
    pub fn new(rig: &Rig, points: &[u32]) -> Self {
        let weights = PostSkinning::solve_weights(rig);
        let mut holds = vec![false; weights.columns()];
        weights.rows().flatten().for_each(|influence| holds[influence.column as usize] = true);
        let handles = FastArap::new(&MeshGeometry::of(&rig.asset.mesh), &weights, 0, points);
        let rest = vec![DAffine3::IDENTITY; weights.columns()];
        let (base, targets) = (rest.clone(), vec![None; points.len()]);
        Self { handles, weights, points: points.to_vec(), holds, base, targets, posed: rest }
    }

    /// The points' solve vertices.
    pub fn points(&self) -> &[u32] {
        &self.points
    }

    /// Where a point is in a pose of the joints.
    pub fn place(&self, rig: &Rig, point: usize, posed_from_rest: &[DAffine3]) -> Vec3 {
        let vertex = self.points[point] as usize;
        let at = rig.asset.mesh.positions()[vertex].as_dvec3();
        let row = self.weights.row(vertex).iter();
        let moved =
            row.map(|i| posed_from_rest[i.column as usize].transform_point3(at) * f64::from(i.weight));
        moved.sum::<glam::DVec3>().as_vec3()
    }

    /// posed_from_rest of every joint when the points are pulled from the pose `base` to `targets`; those without one stay. A hand that goes
    /// on pulling `is_held`: then what is not at rest yet comes with the next call.
    ///
    /// # Panics
    /// When there is not one matrix per joint and one target per point.
    pub fn pose(
        &mut self,
        rig: &Rig,
        base: &[DAffine3],
        targets: &[Option<Vec3>],
        is_held: bool,
    ) -> &[DAffine3] {
        if targets.iter().all(Option::is_none) {
            self.targets.fill(None);
            self.posed.copy_from_slice(base);
            return &self.posed;
        }
        // What was pulled before has nothing to do with a pull that begins, or is done again.
        let begins = self.targets.iter().all(Option::is_none);
        let is_anew = begins || (!is_held && self.targets != targets);
        self.targets.copy_from_slice(targets);
        if self.base != base {
            self.base.clear();
            self.base.extend_from_slice(base);
            self.handles.start_from(&rig.asset.mesh, &self.weights, base);
        }
        if is_anew {
            self.handles.restart();
        }
        let stays = |point: usize| self.place(rig, point, base);
        let targets: Vec<Vec3> =
            targets.iter().enumerate().map(|(i, target)| target.unwrap_or_else(|| stays(i))).collect();
        let size = f64::from(rig.asset.mesh.diagonal()).max(f64::MIN_POSITIVE);
        for _ in 0..if is_held { 1 } else { DRAGS_TO_REST } {
            let matrices = self.handles.drag(&targets);
            let mut changed = 0.0f64;
            for (posed, matrix) in self.posed.iter_mut().zip(matrices) {
                let matrix =
                    DAffine3::from_mat4(DMat4::from_cols_array(&matrix.to_cols_array().map(f64::from)));
                let turned = (matrix.matrix3 - posed.matrix3).to_cols_array();
                let moved = (matrix.translation - posed.translation).length() / size;
                changed = turned.into_iter().fold(changed.max(moved), |most, by| most.max(by.abs()));
                *posed = matrix;
            }
            if changed < AT_REST {
                break;
            }
        }
        self.take_idle_along(rig);
        &self.posed
    }

    /// Joints that no skin follows stay where they are in their parents.
    fn take_idle_along(&mut self, rig: &Rig) {
        for &joint in rig.skeleton.parents_first() {
            if self.holds[joint] {
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
