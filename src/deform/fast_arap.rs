//! Moves a character by a few of its points: the rest goes along as stiffly as it can.
//!
//! In: [`MeshGeometry`] of the mesh, weights per handle, and the vertices to drag by. Then, as often as wanted, where these are
//! dragged to; out: one matrix per handle for linear blend skinning. Minimises the bending of groups of edges over the handles'
//! affine motions, with the dragged vertices exactly where they should be (PAPERS.md, §5.4; Jacobson et al. 2012). Cost: one pass
//! over the mesh and one dense factorisation beforehand; a drag then works with nine numbers per pair of groups, however many vertices or
//! examples there are: with rotations given, motions are linear in them, and so is what motions ask of the rotations. So rotations are found
//! without looking at motions in between.
//!
//! What is kept as stiff as it can be is the rest shape, or the shape in another pose to [start from](FastArap::start_from).

use glam::{DAffine3, DMat3, DVec3, Mat4, Vec3};

use crate::math::best_rotation;
use crate::model::{Mesh, Weights};
use crate::operators::qp::Quadratic;
use crate::operators::{DenseFactor, MeshGeometry, edge_groups};

/// How much of the system's own size holds back what no dragged point decides. Larger: handles stay behind. Smaller: handles that
/// hold next to nothing run away.
const RIDGE: f64 = 1e-7;

/// Rounds of rotations per drag, each starting where the last drag ended. More: large drags settle within one frame.
/// Fewer: they take a few frames, and each frame less.
const ROUNDS: usize = 10;

/// A drag has settled when no entry of a rotation changes by more than this.
const SETTLED: f64 = 1e-7;

/// Points to drag a character by.
#[derive(Clone, Debug)]
pub struct FastArap {
    /// Four per handle, in the pose that dragging starts from: the images of the axes, and the translation.
    start: Vec<DVec3>,
    /// Edges with their conductance and group.
    edges: Vec<(u32, u32, f64, u32)>,
    rotations: Vec<DMat3>,
    factor: DenseFactor,
    ridge: f64,
    /// By group: the motions it has to do with, and what its rotation asks of them.
    asked: Vec<Vec<(usize, DVec3)>>,
    /// By group and motion: what its rotation makes of the motion, all points where they are.
    made: Vec<Vec<DVec3>>,
    /// By group and group: what the second's rotation makes of the first's covariance.
    turned: Vec<DMat3>,
    /// By dragged point: its share in every motion, and the same through the factor.
    shares: Vec<Vec<f64>>,
    answers: Vec<Vec<f64>>,
    between: DenseFactor,
    middle: DVec3,
    size: f64,
    matrices: Vec<Mat4>,
}

impl FastArap {
    /// To drag the mesh by the vertices `points`. `groups` of edges turn as one; 0 means two per handle.
    ///
    /// # Panics
    /// When the weights are for another mesh or a point is not a vertex.
    pub fn new(operators: &MeshGeometry, weights: &Weights, groups: usize, points: &[u32]) -> Self {
        let mesh = operators.mesh();
        assert_eq!(weights.vertices(), mesh.positions().len(), "one row of weights per vertex");
        let (low, high) = mesh.bounds();
        let middle = (0.5 * (low + high)).as_dvec3();
        let size = f64::from(mesh.diagonal()).max(f64::MIN_POSITIVE);
        let rest: Vec<DVec3> = mesh.positions().iter().map(|p| (p.as_dvec3() - middle) / size).collect();
        let handles = weights.columns();
        let count = 4 * handles;
        let row = |vertex: usize| {
            let mut row = vec![0.0; count];
            let at = rest[vertex].extend(1.0).to_array();
            for influence in weights.row(vertex) {
                for (c, at) in at.iter().enumerate() {
                    row[4 * influence.column as usize + c] = f64::from(influence.weight) * at;
                }
            }
            row
        };
        let stiffness = Quadratic::of(operators.laplacian().stiffness());
        let edges: Vec<(u32, u32, f64)> = (0..stiffness.size())
            .flat_map(|a| stiffness.row(a).map(move |(b, value)| (a as u32, b as u32, -value)))
            .filter(|&(a, b, value)| b < a && value > 0.0)
            .collect();
        let mut dense = vec![0.0; weights.vertices() * handles];
        for (vertex, row) in weights.rows().enumerate() {
            row.iter().for_each(|i| dense[vertex * handles + i.column as usize] = f64::from(i.weight));
        }
        let groups = if groups == 0 { 2 * handles } else { groups };
        let ends: Vec<(u32, u32)> = edges.iter().map(|&(a, b, _)| (a, b)).collect();
        let group_of_edge = edge_groups(&dense, handles, &ends, groups);
        let groups = group_of_edge.iter().max().map_or(1, |&last| last as usize + 1);

        let mut matrix = vec![0.0; count * count];
        for &(a, b, conductance) in &edges {
            let (from, to) = (row(b as usize), row(a as usize));
            let between: Vec<(usize, f64)> =
                (0..count).map(|c| (c, to[c] - from[c])).filter(|(_, value)| *value != 0.0).collect();
            for &(c, value) in &between {
                between.iter().for_each(|&(d, of)| matrix[c * count + d] += conductance * value * of);
            }
        }
        let ridge = RIDGE * (0..count).map(|c| matrix[c * count + c]).sum::<f64>() / count.max(1) as f64;
        let ridge = ridge.max(f64::MIN_POSITIVE);
        (0..count).for_each(|c| matrix[c * count + c] += ridge);
        let mut factor = DenseFactor::default();
        let is_steady = factor.factor(&matrix, count);
        assert!(is_steady, "a sum of squares with something on its diagonal has a factor");
        let shares: Vec<Vec<f64>> = points.iter().map(|&point| row(point as usize)).collect();
        let solved = |share: &Vec<f64>| {
            let mut answer = share.clone();
            factor.solve(&mut answer);
            answer
        };
        let answers: Vec<Vec<f64>> = shares.iter().map(solved).collect();
        let between = between_points(&shares, &answers);
        let edges = edges.iter().zip(&group_of_edge).map(|(&(a, b, c), &group)| (a, b, c, group)).collect();
        let mut found = Self {
            start: vec![DVec3::ZERO; count],
            edges,
            rotations: vec![DMat3::IDENTITY; groups],
            factor,
            ridge,
            asked: Vec::new(),
            made: Vec::new(),
            turned: Vec::new(),
            shares,
            answers,
            between,
            middle,
            size,
            matrices: vec![Mat4::IDENTITY; handles],
        };
        found.start_from(mesh, weights, &vec![DAffine3::IDENTITY; handles]);
        found
    }

    /// Starts from another pose than rest: one posed_from_rest per handle. Its shape is what drags keep as stiff as they can; points that
    /// stay where it has them change nothing. How groups are turned already stays for a start. `mesh` and `weights` are those it was made of.
    /// Cost: one pass over the edges, and a solve per group.
    ///
    /// # Panics
    /// When they are others.
    pub fn start_from(&mut self, mesh: &Mesh, weights: &Weights, posed_from_rest: &[DAffine3]) {
        assert_eq!(posed_from_rest.len(), self.matrices.len(), "one matrix per handle");
        for (start, posed) in self.start.as_chunks_mut::<4>().0.iter_mut().zip(posed_from_rest) {
            let translation = (posed.transform_point3(self.middle) - self.middle) / self.size;
            *start = [posed.matrix3.x_axis, posed.matrix3.y_axis, posed.matrix3.z_axis, translation];
        }
        let rest = |vertex: usize| (mesh.positions()[vertex].as_dvec3() - self.middle) / self.size;
        let posed = |vertex: usize| -> DVec3 {
            let at = rest(vertex);
            let moved = |m: &[DVec3; 4]| m[0] * at.x + m[1] * at.y + m[2] * at.z + m[3];
            let motions = self.start.as_chunks::<4>().0;
            let row = weights.row(vertex).iter();
            row.map(|i| moved(&motions[i.column as usize]) * f64::from(i.weight)).sum()
        };
        let places: Vec<(DVec3, DVec3)> = (0..weights.vertices()).map(|v| (rest(v), posed(v))).collect();
        let mut asked = vec![vec![DVec3::ZERO; self.start.len()]; self.rotations.len()];
        for &(a, b, conductance, group) in &self.edges {
            let along = (places[a as usize].1 - places[b as usize].1) * conductance;
            for (vertex, along) in [(a, along), (b, -along)] {
                let at = places[vertex as usize].0.extend(1.0).to_array();
                for influence in weights.row(vertex as usize) {
                    let of_handle = 4 * influence.column as usize;
                    let asked = &mut asked[group as usize][of_handle..of_handle + 4];
                    for (asked, at) in asked.iter_mut().zip(at) {
                        *asked += along * (f64::from(influence.weight) * at);
                    }
                }
            }
        }
        self.prepare(asked);
    }

    /// From what rotations ask of motions to what they make of them, and of each other.
    fn prepare(&mut self, mut asked: Vec<Vec<DVec3>>) {
        let is_any = |(_, asked): &(usize, DVec3)| *asked != DVec3::ZERO;
        self.asked = asked.iter().map(|a| a.iter().copied().enumerate().filter(is_any).collect()).collect();
        asked.iter_mut().for_each(|asked| self.settle(asked, None));
        self.made = asked;
        let of_group = |asked: &Vec<(usize, DVec3)>| -> Vec<DMat3> {
            self.made.iter().map(|made| covariance(asked, made)).collect()
        };
        self.turned = self.asked.iter().flat_map(of_group).collect();
    }

    /// Replaces a right hand side by the motions with the points at `targets`, or all at the origin.
    fn settle(&self, right: &mut [DVec3], targets: Option<&[DVec3]>) {
        self.factor.solve_vectors(right);
        let missed = |(point, share): (usize, &Vec<f64>)| {
            let at: DVec3 = share.iter().zip(&*right).map(|(s, m)| *m * *s).sum();
            targets.map_or(DVec3::ZERO, |targets| targets[point]) - at
        };
        let mut pulls: Vec<DVec3> = self.shares.iter().enumerate().map(missed).collect();
        self.between.solve_vectors(&mut pulls);
        for (answer, pull) in self.answers.iter().zip(&pulls) {
            right.iter_mut().zip(answer).for_each(|(m, a)| *m += *pull * *a);
        }
    }

    /// Forgets how it was dragged so far.
    pub fn restart(&mut self) {
        self.rotations.fill(DMat3::IDENTITY);
    }

    /// How many points there are to drag by.
    pub fn points(&self) -> usize {
        self.shares.len()
    }

    /// Drags the points to `targets`, one for each, and gives posed_from_rest of every handle.
    ///
    /// # Panics
    /// When there are more or fewer targets than points.
    pub fn drag(&mut self, targets: &[Vec3]) -> &[Mat4] {
        assert_eq!(targets.len(), self.shares.len(), "one target per point");
        let targets: Vec<DVec3> = targets.iter().map(|t| (t.as_dvec3() - self.middle) / self.size).collect();
        let mut motions: Vec<DVec3> = self.start.iter().map(|start| *start * self.ridge).collect();
        self.settle(&mut motions, Some(&targets));
        self.turn_groups(&motions);
        for (made, rotation) in self.made.iter().zip(&self.rotations) {
            motions.iter_mut().zip(made).for_each(|(motion, made)| *motion += *rotation * *made);
        }
        for (matrix, motion) in self.matrices.iter_mut().zip(motions.as_chunks::<4>().0) {
            let linear = DMat3::from_cols(motion[0], motion[1], motion[2]);
            let translation = self.middle + motion[3] * self.size - linear * self.middle;
            *matrix = Mat4::from(DAffine3 { matrix3: linear, translation }.as_affine3());
        }
        &self.matrices
    }

    /// Finds the rotations, from the motions without any.
    fn turn_groups(&mut self, motions: &[DVec3]) {
        let groups = self.rotations.len();
        let still: Vec<DMat3> = self.asked.iter().map(|asked| covariance(asked, motions)).collect();
        for _ in 0..ROUNDS {
            let mut changed = 0.0f64;
            for (group, still) in still.iter().enumerate() {
                let turned = &self.turned[group * groups..(group + 1) * groups];
                let sum = turned.iter().zip(&self.rotations).fold(*still, |sum, (t, r)| sum + *r * *t);
                let rotation = best_rotation(&sum);
                let apart = (rotation - self.rotations[group]).to_cols_array();
                changed = apart.into_iter().fold(changed, |most, by| most.max(by.abs()));
                self.rotations[group] = rotation;
            }
            if changed < SETTLED {
                break;
            }
        }
    }
}

/// `Σ to fromᵀ` of motions and what asks them.
fn covariance(asked: &[(usize, DVec3)], motions: &[DVec3]) -> DMat3 {
    asked.iter().fold(DMat3::ZERO, |sum, &(c, from)| {
        let to = motions[c];
        sum + DMat3::from_cols(to * from.x, to * from.y, to * from.z)
    })
}

/// How pulling at one point moves another. Points that follow exactly the same handles cannot be told apart; a trace on the
/// diagonal lets them share.
fn between_points(shares: &[Vec<f64>], answers: &[Vec<f64>]) -> DenseFactor {
    /// Against the largest entry. Larger: points miss their targets. Smaller: such points tear.
    const TRACE: f64 = 1e-13;
    let count = shares.len();
    let mut matrix = vec![0.0; count * count];
    for (i, share) in shares.iter().enumerate() {
        for (j, answer) in answers.iter().enumerate() {
            matrix[i * count + j] = share.iter().zip(answer).map(|(a, b)| a * b).sum();
        }
    }
    let largest = (0..count).map(|i| matrix[i * count + i]).fold(0.0, f64::max);
    (0..count).for_each(|i| matrix[i * count + i] += (TRACE * largest).max(f64::MIN_POSITIVE));
    let mut factor = DenseFactor::default();
    let is_steady = factor.factor(&matrix, count);
    assert!(is_steady, "points pull at themselves more than at others");
    factor
}
