//! The energy `E` and its terms (docs/theory/example-fitting.md#energy), and the distances from the
//! examples. Cost: a pass over vertices and edges per example.

use glam::DMat3;

use super::Energy;
use super::fit::{Fit, Transform};

/// `|x|` is rounded below this, in units of `L w`, so that it has a derivative everywhere. Larger:
/// weights are smoothed where they should be constant. Smaller: more sweeps.
pub(super) const ABS_ROUNDING: f64 = 1e-4;

/// Cost of weights far from a handle (`f_ij`) relative to that of `|L w|`. Larger: borders are
/// ragged where examples are noisy. Smaller: handles influence vertices of others.
pub(super) const PENALTY_FACTOR: f64 = 100.0;

impl Fit {
    /// `L w` of every vertex and handle.
    pub(super) fn laplacians(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.weights.len()];
        for vertex in 0..self.rest.len() {
            let sum = &mut sums[vertex * self.handles..(vertex + 1) * self.handles];
            for (other, value) in self.stiffness.row(vertex) {
                sum.iter_mut().zip(self.row(other)).for_each(|(sum, w)| *sum += value * w);
            }
        }
        sums
    }

    /// The energy and its terms.
    pub(super) fn energy(&self) -> Energy {
        let mut data = 0.0;
        for (posed, targets) in self.posed.iter().zip(&self.targets) {
            data += posed.iter().zip(targets).map(|(p, q)| p.distance_squared(*q)).sum::<f64>()
                * self.inverse_vertex_count();
        }
        let rounded = |x: f64| {
            if x.abs() >= ABS_ROUNDING { x.abs() } else { 0.5 * (x * x / ABS_ROUNDING + ABS_ROUNDING) }
        };
        let of_changes: f64 = self.laplacians().into_iter().map(rounded).sum();
        let of_reach: f64 = self
            .weights
            .iter()
            .zip(&self.distance_penalty)
            .map(|(w, distance_penalty)| w * distance_penalty)
            .sum();
        let of_all = of_changes + PENALTY_FACTOR * of_reach;
        let sparsity = self.options.sparsity * of_all * self.targets.len() as f64;
        let mut arap = 0.0;
        for (posed, rotations) in self.posed.iter().zip(&self.rotations) {
            for (edge, &(a, b)) in self.edges.iter().enumerate() {
                let (a, b) = (a as usize, b as usize);
                let turned = rotations[self.group_of_edge[edge] as usize] * (self.rest[a] - self.rest[b]);
                arap += self.conductance[edge] * (posed[a] - posed[b]).distance_squared(turned);
            }
        }
        arap *= self.options.rigidity;
        for (transforms, handle_rotations) in self.transforms.iter().zip(&self.handle_rotations) {
            let apart = |(t, turn): (&Transform, &DMat3)| {
                (0..3).map(|c| t[c].distance_squared(turn.col(c))).sum::<f64>()
            };
            arap += self.options.stiffness * transforms.iter().zip(handle_rotations).map(apart).sum::<f64>();
        }
        let data = data * self.options.data;
        Energy { total: data + sparsity + arap, data, sparsity, arap }
    }

    /// The root mean square distance from the examples, in diagonals.
    pub(super) fn rms(&self) -> f64 {
        let all = self.posed.iter().zip(&self.targets).flat_map(|(p, q)| p.iter().zip(q));
        let sum: f64 = all.map(|(p, q)| p.distance_squared(*q)).sum();
        (sum * self.inverse_vertex_count() / self.targets.len().max(1) as f64).sqrt()
    }

    /// The distance of each vertex from one of the examples, in diagonals.
    pub(super) fn errors(&self, example: usize) -> Vec<f32> {
        let pairs = self.posed[example].iter().zip(&self.targets[example]);
        pairs.map(|(p, q)| p.distance(*q) as f32).collect()
    }
}
