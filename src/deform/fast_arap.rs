//! As-rigid-as-possible deformation in the subspace of skinning: drags a character by a few
//! vertices.
//!
//! In: [`MeshGeometry`] of the mesh, weights per handle, and the vertices to drag. Then, any number
//! of times, target positions of these vertices. Out: one matrix per handle for linear blend
//! skinning. Minimises the as-rigid-as-possible energy of groups of edges over the affine
//! transforms of the handles, with the dragged vertices exactly at their targets
//! (docs/theory/handles.md#energy; Jacobson et al. 2012). Cost: one pass over the mesh and one
//! dense factorisation per rig. A drag then works with nine numbers per pair of groups, and does
//! not depend on the number of vertices: for given rotations of the groups the transforms are
//! linear in them, and so are the covariances that determine the rotations. So rotations are
//! iterated without computing transforms in between.
//!
//! The energy is relative to the rest shape, or to the shape in another pose to
//! [start from](FastArap::start_from).

use glam::{DAffine3, DMat3, DVec3, Mat4, Vec3};

use crate::math::best_rotation;
use crate::model::{Mesh, Weights};
use crate::operators::qp::Quadratic;
use crate::operators::{DenseFactor, MeshGeometry, edge_groups};

/// Weight `ε` of the regularisation towards the starting pose, as a share of the mean diagonal of
/// the system. Larger: handles stay behind. Smaller: handles with almost no weight move far away.
const REGULARISATION: f64 = 1e-7;

/// Iterations of the rotations per drag, each starting where the last drag ended. Larger: large
/// drags converge within one frame, which takes longer. Smaller: they take several frames.
const ROTATION_ITERATIONS: usize = 10;

/// Change of the entries of all rotations at which iterations end. Larger: drags end before they
/// converge. Smaller: iterations without a visible effect.
const ROTATION_TOLERANCE: f64 = 1e-7;

/// Addition to the diagonal of the system of constraints, relative to its largest entry, so that
/// points with the same weights share their targets. Larger: points miss their targets. Smaller:
/// such points give a singular system.
const CONSTRAINT_REGULARISATION: f64 = 1e-13;

/// As-rigid-as-possible deformation by dragged vertices. The unknowns are four vectors per handle:
/// the images of the axes, and the translation. Positions are relative to `centre`, in units of
/// `size`.
#[derive(Clone, Debug)]
pub struct FastArap {
    /// Per unknown: its value in the pose that dragging starts from.
    start: Vec<DVec3>,
    edges: Vec<GroupedEdge>,
    /// Per group of edges.
    rotations: Vec<DMat3>,
    /// Factor of the system matrix.
    factor: DenseFactor,
    regularisation: f64,
    /// Per group: the right hand side that its rotation contributes, as nonzero (unknown, vector).
    right_sides: Vec<Vec<(usize, DVec3)>>,
    /// Per group: the solution for that right hand side, with all points at the origin.
    solutions: Vec<Vec<DVec3>>,
    /// Per pair of groups: the contribution of the second's rotation to the covariance of the
    /// first.
    covariances: Vec<DMat3>,
    /// Per dragged point: its coefficients in the unknowns.
    constraints: Vec<Vec<f64>>,
    /// Per dragged point: the system solved for its coefficients.
    constraint_solutions: Vec<Vec<f64>>,
    /// Factor of the Schur complement of the constraints.
    schur: DenseFactor,
    centre: DVec3,
    size: f64,
    matrices: Vec<Mat4>,
}

/// An edge of the mesh, its cotangent weight, and its group.
#[derive(Clone, Copy, Debug)]
struct GroupedEdge {
    ends: [u32; 2],
    weight: f64,
    group: u32,
}

/// Rest positions and weights as coefficients of the unknowns.
struct Coefficients<'a> {
    rest: Vec<DVec3>,
    weights: &'a Weights,
}

impl Coefficients<'_> {
    fn count(&self) -> usize {
        4 * self.weights.columns()
    }

    /// The coefficients of a vertex in all unknowns.
    fn row(&self, vertex: usize) -> Vec<f64> {
        let mut row = vec![0.0; self.count()];
        let at = self.rest[vertex].extend(1.0).to_array();
        for influence in self.weights.row(vertex) {
            for (c, at) in at.iter().enumerate() {
                row[4 * influence.column as usize + c] = f64::from(influence.weight) * at;
            }
        }
        row
    }
}

impl FastArap {
    /// Prepares dragging by the vertices `points`. Edges are divided into `groups` that rotate as
    /// one; 0 means two groups per handle.
    ///
    /// # Panics
    /// If the weights are for another mesh, or a point is not a vertex.
    pub fn new(geometry: &MeshGeometry, weights: &Weights, groups: usize, points: &[u32]) -> Self {
        let mesh = geometry.mesh();
        assert_eq!(weights.vertices(), mesh.positions().len(), "one row of weights per vertex");
        let (low, high) = mesh.bounds();
        let centre = (0.5 * (low + high)).as_dvec3();
        let size = f64::from(mesh.diagonal()).max(f64::MIN_POSITIVE);
        let rest = mesh.positions().iter().map(|p| (p.as_dvec3() - centre) / size).collect();
        let coefficients = Coefficients { rest, weights };
        let edges = grouped_edges(geometry, weights, groups);
        let group_count = edges.iter().map(|edge| edge.group as usize + 1).max().unwrap_or(1);
        let (factor, regularisation) = factor_system(&coefficients, &edges);
        let constraints: Vec<Vec<f64>> = points.iter().map(|&p| coefficients.row(p as usize)).collect();
        let solved = |constraint: &Vec<f64>| {
            let mut solution = constraint.clone();
            factor.solve(&mut solution);
            solution
        };
        let constraint_solutions: Vec<Vec<f64>> = constraints.iter().map(solved).collect();
        let handles = weights.columns();
        let mut arap = Self {
            start: vec![DVec3::ZERO; coefficients.count()],
            edges,
            rotations: vec![DMat3::IDENTITY; group_count],
            factor,
            regularisation,
            right_sides: Vec::new(),
            solutions: Vec::new(),
            covariances: Vec::new(),
            schur: factor_schur(&constraints, &constraint_solutions),
            constraints,
            constraint_solutions,
            centre,
            size,
            matrices: vec![Mat4::IDENTITY; handles],
        };
        arap.start_from(mesh, weights, &vec![DAffine3::IDENTITY; handles]);
        arap
    }

    /// Starts from another pose than rest: one posed_from_rest per handle. The energy is relative
    /// to this shape, and targets at the positions it has change nothing. The rotations of groups
    /// are kept as the first guess. `mesh` and `weights` are those of [`FastArap::new`]. Cost: one
    /// pass over the edges, and a solve per group.
    ///
    /// # Panics
    /// If they are not.
    pub fn start_from(&mut self, mesh: &Mesh, weights: &Weights, posed_from_rest: &[DAffine3]) {
        assert_eq!(posed_from_rest.len(), self.matrices.len(), "one matrix per handle");
        for (start, posed) in self.start.as_chunks_mut::<4>().0.iter_mut().zip(posed_from_rest) {
            let translation = (posed.transform_point3(self.centre) - self.centre) / self.size;
            *start = [posed.matrix3.x_axis, posed.matrix3.y_axis, posed.matrix3.z_axis, translation];
        }
        let positions: Vec<(DVec3, DVec3)> =
            (0..weights.vertices()).map(|vertex| self.rest_and_start(mesh, weights, vertex)).collect();
        let mut right_sides = vec![vec![DVec3::ZERO; self.start.len()]; self.rotations.len()];
        for &GroupedEdge { ends: [a, b], weight, group } in &self.edges {
            let along = (positions[a as usize].1 - positions[b as usize].1) * weight;
            for (vertex, along) in [(a, along), (b, -along)] {
                let at = positions[vertex as usize].0.extend(1.0).to_array();
                for influence in weights.row(vertex as usize) {
                    let of_handle = 4 * influence.column as usize;
                    let sums = &mut right_sides[group as usize][of_handle..of_handle + 4];
                    for (sum, at) in sums.iter_mut().zip(at) {
                        *sum += along * (f64::from(influence.weight) * at);
                    }
                }
            }
        }
        self.solve_for_groups(right_sides);
    }

    /// The position of a vertex at rest and in the starting pose.
    fn rest_and_start(&self, mesh: &Mesh, weights: &Weights, vertex: usize) -> (DVec3, DVec3) {
        let at = (mesh.positions()[vertex].as_dvec3() - self.centre) / self.size;
        let moved = |m: &[DVec3; 4]| m[0] * at.x + m[1] * at.y + m[2] * at.z + m[3];
        let transforms = self.start.as_chunks::<4>().0;
        let row = weights.row(vertex).iter();
        (at, row.map(|i| moved(&transforms[i.column as usize]) * f64::from(i.weight)).sum())
    }

    /// Solves for the right hand side of every group, and computes the covariances between groups.
    fn solve_for_groups(&mut self, mut right_sides: Vec<Vec<DVec3>>) {
        let is_nonzero = |(_, vector): &(usize, DVec3)| *vector != DVec3::ZERO;
        let nonzero = |side: &Vec<DVec3>| side.iter().copied().enumerate().filter(is_nonzero).collect();
        self.right_sides = right_sides.iter().map(nonzero).collect();
        right_sides.iter_mut().for_each(|side| self.solve(side, None));
        self.solutions = right_sides;
        let of_group = |side: &Vec<(usize, DVec3)>| -> Vec<DMat3> {
            self.solutions.iter().map(|solution| covariance(side, solution)).collect()
        };
        self.covariances = self.right_sides.iter().flat_map(of_group).collect();
    }

    /// Replaces a right hand side by the solution with the points at `targets`, or all at the
    /// origin.
    fn solve(&self, right_side: &mut [DVec3], targets: Option<&[DVec3]>) {
        self.factor.solve_vectors(right_side);
        let residual = |(point, constraint): (usize, &Vec<f64>)| {
            let at: DVec3 = constraint.iter().zip(&*right_side).map(|(s, m)| *m * *s).sum();
            targets.map_or(DVec3::ZERO, |targets| targets[point]) - at
        };
        let mut multipliers: Vec<DVec3> = self.constraints.iter().enumerate().map(residual).collect();
        self.schur.solve_vectors(&mut multipliers);
        for (solution, multiplier) in self.constraint_solutions.iter().zip(&multipliers) {
            right_side.iter_mut().zip(solution).for_each(|(m, a)| *m += *multiplier * *a);
        }
    }

    /// Resets the rotations of all groups.
    pub fn restart(&mut self) {
        self.rotations.fill(DMat3::IDENTITY);
    }

    /// The number of points to drag.
    pub fn points(&self) -> usize {
        self.constraints.len()
    }

    /// Drags the points to `targets`, one for each. Returns posed_from_rest of every handle.
    ///
    /// # Panics
    /// If there is not one target per point.
    pub fn drag(&mut self, targets: &[Vec3]) -> &[Mat4] {
        assert_eq!(targets.len(), self.constraints.len(), "one target per point");
        let targets: Vec<DVec3> = targets.iter().map(|t| (t.as_dvec3() - self.centre) / self.size).collect();
        let mut unknowns: Vec<DVec3> = self.start.iter().map(|start| *start * self.regularisation).collect();
        self.solve(&mut unknowns, Some(&targets));
        self.iterate_rotations(&unknowns);
        for (solution, rotation) in self.solutions.iter().zip(&self.rotations) {
            unknowns.iter_mut().zip(solution).for_each(|(unknown, s)| *unknown += *rotation * *s);
        }
        for (matrix, unknown) in self.matrices.iter_mut().zip(unknowns.as_chunks::<4>().0) {
            let linear = DMat3::from_cols(unknown[0], unknown[1], unknown[2]);
            let translation = self.centre + unknown[3] * self.size - linear * self.centre;
            *matrix = Mat4::from(DAffine3 { matrix3: linear, translation }.as_affine3());
        }
        &self.matrices
    }

    /// Iterates the rotations of all groups; `constant` is the solution without any rotation.
    fn iterate_rotations(&mut self, constant: &[DVec3]) {
        let groups = self.rotations.len();
        let constant: Vec<DMat3> = self.right_sides.iter().map(|side| covariance(side, constant)).collect();
        for _ in 0..ROTATION_ITERATIONS {
            let mut change = 0.0f64;
            for (group, constant) in constant.iter().enumerate() {
                let of_groups = &self.covariances[group * groups..(group + 1) * groups];
                let sum = of_groups.iter().zip(&self.rotations).fold(*constant, |sum, (c, r)| sum + *r * *c);
                let rotation = best_rotation(&sum);
                let difference = (rotation - self.rotations[group]).to_cols_array();
                change = difference.into_iter().fold(change, |most, by| most.max(by.abs()));
                self.rotations[group] = rotation;
            }
            if change < ROTATION_TOLERANCE {
                break;
            }
        }
    }
}

/// The edges with a positive cotangent weight, and their groups.
fn grouped_edges(geometry: &MeshGeometry, weights: &Weights, groups: usize) -> Vec<GroupedEdge> {
    let stiffness = Quadratic::of(geometry.laplacian().stiffness());
    let edges: Vec<([u32; 2], f64)> = (0..stiffness.size())
        .flat_map(|a| stiffness.row(a).map(move |(b, value)| ([a as u32, b as u32], -value)))
        .filter(|&([a, b], value)| b < a && value > 0.0)
        .collect();
    let handles = weights.columns();
    let mut dense = vec![0.0; weights.vertices() * handles];
    for (vertex, row) in weights.rows().enumerate() {
        row.iter().for_each(|i| dense[vertex * handles + i.column as usize] = f64::from(i.weight));
    }
    let groups = if groups == 0 { 2 * handles } else { groups };
    let ends: Vec<(u32, u32)> = edges.iter().map(|&([a, b], _)| (a, b)).collect();
    let group_of_edge = edge_groups(&dense, handles, &ends, groups);
    let edge =
        |(([a, b], weight), &group): (([u32; 2], f64), &u32)| GroupedEdge { ends: [a, b], weight, group };
    edges.into_iter().zip(&group_of_edge).map(edge).collect()
}

/// The factor of the system of all unknowns, and its regularisation.
fn factor_system(coefficients: &Coefficients, edges: &[GroupedEdge]) -> (DenseFactor, f64) {
    let count = coefficients.count();
    let mut matrix = vec![0.0; count * count];
    for &GroupedEdge { ends: [a, b], weight, .. } in edges {
        let (from, to) = (coefficients.row(b as usize), coefficients.row(a as usize));
        let difference: Vec<(usize, f64)> =
            (0..count).map(|c| (c, to[c] - from[c])).filter(|(_, value)| *value != 0.0).collect();
        for &(c, value) in &difference {
            difference.iter().for_each(|&(d, of)| matrix[c * count + d] += weight * value * of);
        }
    }
    let trace = (0..count).map(|c| matrix[c * count + c]).sum::<f64>();
    let regularisation = (REGULARISATION * trace / count.max(1) as f64).max(f64::MIN_POSITIVE);
    (0..count).for_each(|c| matrix[c * count + c] += regularisation);
    let mut factor = DenseFactor::default();
    let is_definite = factor.factor(&matrix, count);
    assert!(is_definite, "a regularised sum of squares is positive definite");
    (factor, regularisation)
}

/// The factor of the Schur complement of the constraints.
fn factor_schur(constraints: &[Vec<f64>], solutions: &[Vec<f64>]) -> DenseFactor {
    let count = constraints.len();
    let mut matrix = vec![0.0; count * count];
    for (i, constraint) in constraints.iter().enumerate() {
        for (j, solution) in solutions.iter().enumerate() {
            matrix[i * count + j] = constraint.iter().zip(solution).map(|(a, b)| a * b).sum();
        }
    }
    let largest = (0..count).map(|i| matrix[i * count + i]).fold(0.0, f64::max);
    let regularisation = (CONSTRAINT_REGULARISATION * largest).max(f64::MIN_POSITIVE);
    (0..count).for_each(|i| matrix[i * count + i] += regularisation);
    let mut factor = DenseFactor::default();
    let is_definite = factor.factor(&matrix, count);
    assert!(is_definite, "a regularised Schur complement is positive definite");
    factor
}

/// `Σ to fromᵀ` over the unknowns `to` and a right hand side `from`.
fn covariance(right_side: &[(usize, DVec3)], unknowns: &[DVec3]) -> DMat3 {
    right_side.iter().fold(DMat3::ZERO, |sum, &(c, from)| {
        let to = unknowns[c];
        sum + DMat3::from_cols(to * from.x, to * from.y, to * from.z)
    })
}
