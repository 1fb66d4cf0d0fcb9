//! How good a fit is: `E` and its terms, and how far the examples are missed. Cost: a pass over
//! vertices and edges per example.

use glam::DMat3;

use super::Energy;
use super::fit::{Fit, Transform};

/// `|x|` is rounded off below this, in units of `L w`, so that it has a slope everywhere. Larger:
/// rows are smoothed where they should keep still. Smaller: more sweeps.
pub(super) const ROUNDED: f64 = 1e-4;

/// Of the second term, how much it costs a handle to hold what is far from it, against how much
/// changes cost. Larger: borders are ragged where examples are noisy. Smaller: handles reach for
/// what others hold.
pub(super) const REACH: f64 = 100.0;

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

    /// How good it is.
    pub(super) fn energy(&self) -> Energy {
        let mut data = 0.0;
        for (posed, wanted) in self.posed.iter().zip(&self.wanted) {
            data += posed.iter().zip(wanted).map(|(p, q)| p.distance_squared(*q)).sum::<f64>() * self.share();
        }
        let rounded = |x: f64| if x.abs() >= ROUNDED { x.abs() } else { 0.5 * (x * x / ROUNDED + ROUNDED) };
        let of_changes: f64 = self.laplacians().into_iter().map(rounded).sum();
        let of_reach: f64 = self.weights.iter().zip(&self.far).map(|(w, far)| w * far).sum();
        let of_all = of_changes + REACH * of_reach;
        let sparsity = self.options.sparsity * of_all * self.wanted.len() as f64;
        let mut arap = 0.0;
        for (posed, rotations) in self.posed.iter().zip(&self.rotations) {
            for (edge, &(a, b)) in self.edges.iter().enumerate() {
                let (a, b) = (a as usize, b as usize);
                let turned = rotations[self.group_of_edge[edge] as usize] * (self.rest[a] - self.rest[b]);
                arap += self.conductance[edge] * (posed[a] - posed[b]).distance_squared(turned);
            }
        }
        arap *= self.options.rigidity;
        for (transforms, turns) in self.transforms.iter().zip(&self.turns) {
            let apart = |(t, turn): (&Transform, &DMat3)| {
                (0..3).map(|c| t[c].distance_squared(turn.col(c))).sum::<f64>()
            };
            arap += self.options.stiffness * transforms.iter().zip(turns).map(apart).sum::<f64>();
        }
        let data = data * self.options.data;
        Energy { total: data + sparsity + arap, data, sparsity, arap }
    }

    /// The root of the mean squared distance from the examples, in diagonals.
    pub(super) fn rms(&self) -> f64 {
        let all = self.posed.iter().zip(&self.wanted).flat_map(|(p, q)| p.iter().zip(q));
        let sum: f64 = all.map(|(p, q)| p.distance_squared(*q)).sum();
        (sum * self.share() / self.wanted.len().max(1) as f64).sqrt()
    }

    /// How far each vertex is from one of the examples, in diagonals.
    pub(super) fn errors(&self, example: usize) -> Vec<f32> {
        let pairs = self.posed[example].iter().zip(&self.wanted[example]);
        pairs.map(|(p, q)| p.distance(*q) as f32).collect()
    }
}
