//! Trains the network that tells orientations apart.

use glam::{Mat3, Vec3};
use pliant_fitting::body::Body;
use pliant_fitting::cascade::Cascade;
use pliant_fitting::ensemble;
use pliant_fitting::network::Network;
use pliant_fitting::orientation::{self, LENGTH, normalized, rotations, views};
use pliant_fitting::plans::humanoid::HUMANOID;

use crate::dataset::Sample;
use crate::mlp::{Rows, Training, train};
use crate::parallel::map;
use crate::random::Random;

/// Wrong orientations per sample, beside those that are only turned about the vertical.
const OTHERS: usize = 4;

pub fn points(sample: &Sample) -> Vec<Vec3> {
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

/// How a body looks from all sides.
pub struct Seen {
    /// Whether up was found.
    pub is_up: bool,
    /// How much more it looks like a body to the front than to the back, by the network.
    pub margin: f32,
    /// The logarithm of how much more the fits disagree if it is turned to the back.
    pub spread: f32,
    /// Whether the best among all orientations is the right one.
    pub is_best: bool,
}

/// Looks at bodies, all of which are upright and look to the front.
pub fn look(network: &Network, cascade: &Cascade, samples: &[&Sample]) -> Vec<Seen> {
    let rotations = rotations();
    let back = Mat3::from_diagonal(Vec3::new(-1.0, 1.0, -1.0));
    map(samples, |sample| {
        let scores = orientation::scores(network, &points(sample));
        let best = (0..scores.len()).max_by(|&a, &b| scores[a][0].total_cmp(&scores[b][0])).unwrap_or(0);
        let behind = rotations.iter().position(|rotation| *rotation == back).unwrap_or(0);
        let disagreement = |body: &Body| {
            let placed = ensemble::fit(cascade, &HUMANOID, body, 1, &[]);
            placed.spreads.iter().sum::<f32>()
        };
        Seen {
            is_up: rotations[best].transpose().y_axis == Vec3::Y,
            margin: scores[0][0] - scores[behind][0],
            spread: (disagreement(&sample.body.turned(&back)) / disagreement(&sample.body)).ln(),
            is_best: best == 0,
        }
    })
}

/// Shares of samples with up and with front found: by the network, by the fits, by both.
pub fn summary(seen: &[Seen]) -> String {
    let share = |good: &dyn Fn(&Seen) -> bool| {
        100.0 * seen.iter().filter(|seen| good(seen)).count() as f32 / seen.len().max(1) as f32
    };
    let mut text = format!(
        "up {:.1}, front {:.1}; front or back: network {:.1}, fits {:.1}; both",
        share(&|seen| seen.is_up),
        share(&|seen| seen.is_best),
        share(&|seen| seen.margin > 0.0),
        share(&|seen| seen.spread > 0.0)
    );
    for factor in [0.1, 0.2, 0.4, 0.8, 1.6] {
        text += &format!(" {factor}: {:.1}", share(&|seen| seen.margin + factor * seen.spread > 0.0));
    }
    text
}
