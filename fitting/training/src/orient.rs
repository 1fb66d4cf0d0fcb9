//! Trains the network that tells orientations apart.

use glam::{Mat3, Vec3};
use pliant_fitting::facing::{self, Evidence, HALF_TURN};
use pliant_fitting::fit::UNCERTAIN;
use pliant_fitting::network::Network;
use pliant_fitting::orientation::{self, LENGTH, masses, rotations, views};
use pliant_fitting::table::Table;

use crate::dataset::Sample;
use crate::mlp::{Rows, Training, train};
use crate::parallel::map;
use crate::random::Random;

/// Wrong orientations per sample, beside those that are only turned about the vertical.
const OTHERS: usize = 4;

/// The middles of the cells inside.
fn points(sample: &Sample) -> Vec<Vec3> {
    let lattice = &sample.body.lattice;
    let inside = (0..lattice.len()).filter(|&cell| sample.body.is_inside(cell));
    inside.map(|cell| lattice.centre(lattice.coordinates(cell))).collect()
}

/// Trains on samples, all of which are upright and look to the front.
pub fn train_network(samples: &[&Sample]) -> Network {
    let rotations = rotations();
    let indices: Vec<usize> = (0..samples.len()).collect();
    let rows = map(&indices, |&i| {
        let masses = masses(&points(samples[i]), samples[i].body.lattice.cell);
        let mut random = Random::new(i as u64);
        let mut rows = Vec::new();
        for (r, rotation) in rotations.iter().enumerate() {
            let is_upright = rotation.y_axis == Vec3::Y;
            if is_upright || random.below(20) < OTHERS {
                let mirror =
                    Mat3::from_diagonal(Vec3::new(if random.chance(0.5) { -1.0 } else { 1.0 }, 1.0, 1.0));
                rows.push((views(&masses, &(mirror * *rotation)), f32::from(u8::from(r == 0))));
            }
        }
        rows
    });
    let mut inputs = Rows::new(LENGTH);
    let mut targets = Rows::new(1);
    let mut weights = Vec::new();
    for (row, target) in rows.iter().flatten() {
        inputs.push(row);
        targets.push(&[*target]);
        weights.push(if *target > 0.5 { 4.0 } else { 1.0 });
    }
    let how = Training { epochs: 8, decay: 0.02, huber: 0.5, input_noise: 0.1, ..Training::default() };
    train(&inputs, &targets, &weights, &[24, 12], &how)
}

/// How a body looks from all sides.
pub struct Seen {
    /// Whether up was found.
    pub is_up: bool,
    /// What tells front from back.
    pub evidence: Evidence,
}

/// Looks at bodies, all of which are upright and look to the front.
pub fn look(table: &Table, samples: &[&Sample]) -> Vec<Seen> {
    let rotations = rotations();
    map(samples, |sample| {
        let scores = orientation::scores(&table.orientation, &points(sample), sample.body.lattice.cell);
        let best = (0..scores.len()).max_by(|&a, &b| scores[a][0].total_cmp(&scores[b][0])).unwrap_or(0);
        let behind = rotations.iter().position(|rotation| *rotation == HALF_TURN).unwrap_or(0);
        let margin = scores[0][0] - scores[behind][0];
        Seen {
            is_up: rotations[best].transpose().y_axis == Vec3::Y,
            evidence: Evidence::new(table, &sample.body, margin),
        }
    })
}

/// Shares of samples with up found, and with front found: by each kind of evidence, by all
/// together, with a promise that is kept and with one that is broken. Then how many of the wrong
/// fronts are marked as uncertain, and of the right ones.
pub fn summary(seen: &[Seen]) -> String {
    let share = |good: &dyn Fn(&Seen) -> bool| {
        100.0 * seen.iter().filter(|seen| good(seen)).count() as f32 / seen.len().max(1) as f32
    };
    let front = |of: fn(&Evidence) -> f32| share(&|seen: &Seen| of(&seen.evidence) > 0.0);
    let marked = |is_right: bool| {
        let some: Vec<f32> =
            seen.iter().map(|seen| seen.evidence.sum()).filter(|sum| (*sum > 0.0) == is_right).collect();
        let marked = some.iter().filter(|sum| facing::confidence(**sum) < UNCERTAIN).count();
        format!("{marked} of {}", some.len())
    };
    format!(
        "up {:.1}; front {:.1} (network {:.1}, depths {:.1}, spread {:.1}, residual {:.1}), promise kept {:.1}, \
         broken {:.1}; marked {} wrong, {} right",
        share(&|seen| seen.is_up),
        front(Evidence::sum),
        front(|e| e.margin),
        front(|e| e.depths),
        front(|e| e.spread),
        front(|e| e.residual),
        front(|e| e.sum() + facing::PROMISE),
        front(|e| e.sum() - facing::PROMISE),
        marked(false),
        marked(true),
    )
}
