//! The step that finds how handles move in every example, weights as they are.
//!
//! In: weights, groups of edges, examples. Out: the affine motion T of every handle, the rotation R
//! of every group, and the rotation that each motion is nearest to, all three at a minimum of `E`
//! that is reached by turns. Cost: one pass over the vertices and a dense system of four unknowns
//! per handle; then no turn depends on how many vertices there are.

use glam::{DMat3, DVec3};

use super::fit::Fit;
use super::turns::turn_with;
use crate::math::best_rotation;
use crate::operators::DenseFactor;

/// How much of the system's own size holds motions back that nothing decides. Larger: steps are too
/// short. Smaller: motions of handles that hold next to nothing run away.
const RIDGE: f64 = 1e-9;

/// Turns of transforms and rotations in one step. More: stiff handles come round sooner.
const TURNS: usize = 20;

/// They have come to rest when no transform changes by more than this, in diagonals.
const SETTLED: f64 = 1e-7;

/// What `gathered` finds.
struct Gathered {
    matrix: Vec<f64>,
    rights: Vec<Vec<DVec3>>,
    /// By group: only what it has to do with.
    asked: Vec<Vec<(usize, DVec3)>>,
}

impl Fit {
    /// Turns every handle as the skin it holds is turned in each example, to begin with.
    pub(super) fn begin(&mut self) {
        for example in 0..self.wanted.len() {
            let wanted = &self.wanted[example];
            for handle in 0..self.handles {
                let held = |i: usize| self.weights[i * self.handles + handle].powi(2);
                let all = 0..self.rest.len();
                let whole: f64 = all.clone().map(held).sum();
                if whole <= 0.0 {
                    continue;
                }
                let mean = |places: &[DVec3]| all.clone().map(|i| places[i] * held(i)).sum::<DVec3>() / whole;
                let (from, to) = (mean(&self.rest), mean(wanted));
                let covariance = all.clone().fold(DMat3::ZERO, |sum, i| {
                    let (a, b) = ((self.rest[i] - from) * held(i), wanted[i] - to);
                    sum + DMat3::from_cols(b * a.x, b * a.y, b * a.z)
                });
                let turn = best_rotation(&covariance);
                self.turns[example][handle] = turn;
                self.transforms[example][handle] = [turn.x_axis, turn.y_axis, turn.z_axis, to - turn * from];
            }
        }
        self.pose();
        self.step_rotations();
    }

    /// Finds the transforms of all handles and the rotations of all groups, weights as they are.
    /// What the mesh has to say about that is gathered once; then they follow each other in turn,
    /// at no cost per vertex.
    pub(super) fn step_motions(&mut self) {
        let size = 4 * self.handles;
        let (stiffness, rigidity) = (self.options.stiffness, self.options.rigidity);
        let Gathered { mut matrix, rights, asked } = self.gathered();
        let ridge = RIDGE * (0..size).map(|c| matrix[c * size + c]).sum::<f64>() / size.max(1) as f64;
        let ridge = ridge.max(f64::MIN_POSITIVE);
        (0..size).for_each(|c| matrix[c * size + c] += ridge + if c % 4 < 3 { stiffness } else { 0.0 });
        let mut factor = DenseFactor::default();
        if !factor.factor(&matrix, size) {
            return;
        }
        let mut found = vec![DVec3::ZERO; size];
        for (example, right) in rights.iter().enumerate() {
            let transforms = &mut self.transforms[example];
            let (rotations, turns) = (&mut self.rotations[example], &mut self.turns[example]);
            rotations.resize(asked.len(), DMat3::IDENTITY);
            for _ in 0..TURNS {
                let mut changed = 0.0f64;
                for (c, found) in found.iter_mut().enumerate() {
                    let turned = if c % 4 < 3 { turns[c / 4].col(c % 4) * stiffness } else { DVec3::ZERO };
                    *found = right[c] + turned + transforms[c / 4][c % 4] * ridge;
                }
                for (rotation, asked) in rotations.iter().zip(&asked) {
                    let turn = *rotation * rigidity;
                    asked.iter().for_each(|&(c, asked)| found[c] += turn * asked);
                }
                factor.solve_vectors(&mut found);
                for (c, value) in found.iter().enumerate() {
                    let motion = &mut transforms[c / 4][c % 4];
                    changed = changed.max(motion.distance(*value));
                    *motion = *value;
                }
                for (rotation, asked) in rotations.iter_mut().zip(&asked) {
                    let sum = asked.iter().fold(DMat3::ZERO, |sum, &(c, from)| {
                        let to = found[c];
                        sum + DMat3::from_cols(to * from.x, to * from.y, to * from.z)
                    });
                    *rotation = best_rotation(&sum);
                }
                turn_with(transforms, turns);
                if changed < SETTLED {
                    break;
                }
            }
        }
        self.pose();
    }

    /// What transforms depend on: a matrix, a right hand side for every example, and what the
    /// rotation of every group asks of them.
    fn gathered(&self) -> Gathered {
        let size = 4 * self.handles;
        let (share, rigidity) = (self.share() * self.options.data, self.options.rigidity);
        let groups = self.group_of_edge.iter().max().map_or(1, |&last| last as usize + 1);
        let column = |vertex: usize, out: &mut Vec<(usize, f64)>| {
            out.clear();
            let at = self.rest[vertex].extend(1.0).to_array();
            let held = self.row(vertex).iter().enumerate().filter(|(_, w)| **w > 0.0);
            out.extend(held.flat_map(|(j, w)| (0..4).map(move |c| (4 * j + c, w * at[c]))));
        };
        let mut matrix = vec![0.0; size * size];
        let mut rights = vec![vec![DVec3::ZERO; size]; self.wanted.len()];
        let mut asked = vec![vec![DVec3::ZERO; size]; groups];
        let (mut own, mut other, mut sum) = (Vec::new(), Vec::new(), vec![0.0; size]);
        for vertex in 0..self.rest.len() {
            column(vertex, &mut own);
            sum.fill(0.0);
            own.iter().for_each(|&(c, value)| sum[c] += share * value);
            for (near, value) in self.stiffness.row(vertex) {
                column(near, &mut other);
                other.iter().for_each(|&(c, of)| sum[c] += rigidity * value * of);
            }
            for &(c, value) in &own {
                matrix[c * size..(c + 1) * size].iter_mut().zip(&sum).for_each(|(m, s)| *m += value * s);
            }
            for (right, wanted) in rights.iter_mut().zip(&self.wanted) {
                own.iter().for_each(|&(c, value)| right[c] += wanted[vertex] * (share * value));
            }
            for &(edge, other) in &self.around[vertex] {
                let rest = (self.rest[vertex] - self.rest[other as usize]) * self.conductance[edge as usize];
                let asked = &mut asked[self.group_of_edge[edge as usize] as usize];
                own.iter().for_each(|&(c, value)| asked[c] += rest * value);
            }
        }
        let of_group =
            |asked: Vec<DVec3>| asked.into_iter().enumerate().filter(|(_, a)| *a != DVec3::ZERO).collect();
        Gathered { matrix, rights, asked: asked.into_iter().map(of_group).collect() }
    }
}
