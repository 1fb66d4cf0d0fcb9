//! Trains the network that tells orientations apart.

use glam::{Mat3, Vec3};
use pliant_fitting::network::Network;
use pliant_fitting::orientation::{self, LENGTH, normalized, rotations, views};

use crate::dataset::Sample;
use crate::mlp::{Rows, Training, train};
use crate::parallel::map;
use crate::random::Random;

/// Wrong orientations per sample, beside those that are only turned about the vertical.
const OTHERS: usize = 4;

fn points(sample: &Sample) -> Vec<Vec3> {
    let lattice = &sample.body.lattice;
    let inside = (0..lattice.len()).filter(|&cell| sample.body.is_inside(cell));
    let all: Vec<Vec3> = inside.map(|cell| lattice.centre(lattice.coordinates(cell))).collect();
    normalized(&all)
}

/// Trains on samples, all of which are upright and look to the front.
pub fn train_network(samples: &[&Sample]) -> Network {
    let rotations = rotations();
    let indices: Vec<usize> = (0..samples.len()).collect();
    let rows = map(&indices, |&i| {
        let points = points(samples[i]);
        let mut random = Random::new(i as u64);
        let mut rows = Vec::new();
        for (r, rotation) in rotations.iter().enumerate() {
            let is_upright = rotation.y_axis == Vec3::Y;
            if is_upright || random.below(20) < OTHERS {
                let mirror =
                    Mat3::from_diagonal(Vec3::new(if random.chance(0.5) { -1.0 } else { 1.0 }, 1.0, 1.0));
                rows.push((views(&points, &(mirror * *rotation)), f32::from(u8::from(r == 0))));
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

/// Shares of samples with up and with front found.
pub fn judge(network: &Network, samples: &[&Sample]) -> String {
    let rotations = rotations();
    let found = map(samples, |sample| {
        let scores = orientation::scores(network, &points(sample));
        let best = (0..scores.len()).max_by(|&a, &b| scores[a][0].total_cmp(&scores[b][0])).unwrap_or(0);
        (rotations[best].transpose().y_axis == Vec3::Y, best == 0)
    });
    let share = |count: usize| 100.0 * count as f32 / found.len() as f32;
    format!(
        "up {:.1} %, front {:.1} %",
        share(found.iter().filter(|f| f.0).count()),
        share(found.iter().filter(|f| f.1).count())
    )
}
