//! Trains the network that tells front from back by depths around joints.

use glam::Vec3;
use pliant_fitting::body::Body;
use pliant_fitting::cascade::{self, Cascade, ROUNDS};
use pliant_fitting::facing::{HALF_TURN, LENGTH, describe};
use pliant_fitting::network::Network;
use pliant_fitting::plans::humanoid::HUMANOID;
use pliant_fitting::profile;

use crate::dataset::Sample;
use crate::mlp::{Rows, Training, train};
use crate::parallel::map;

/// One fit of one member, which is enough to train with.
fn quick_fit(
    cascade: &Cascade,
    body: &Body,
    profiles: &[Vec<f32>; 2],
    centroid: Vec3,
    member: usize,
) -> Vec<Vec3> {
    let mut joints = cascade.guess(&HUMANOID, profiles, centroid);
    let steps = &cascade.members[member % cascade.members.len()];
    for step in ROUNDS {
        joints = cascade::refine(&HUMANOID, &steps[step], body, &joints);
    }
    joints
}

/// Descriptions of bodies to the front and to the back.
fn descriptions(cascade: &Cascade, samples: &[&Sample]) -> Vec<[Vec<f32>; 2]> {
    let indices: Vec<usize> = (0..samples.len()).collect();
    map(&indices, |&i| {
        let Sample { body, profiles, centroid, .. } = samples[i];
        let turned = body.turned(&HALF_TURN);
        let ahead = quick_fit(cascade, body, profiles, *centroid, i);
        let behind = quick_fit(cascade, &turned, &profile::turned(profiles), HALF_TURN * *centroid, i);
        [describe(body, &ahead), describe(&turned, &behind)]
    })
}

/// Trains on bodies, all of which look to the front.
pub fn train_network(cascade: &Cascade, samples: &[&Sample]) -> Network {
    let how = Training { epochs: 16, decay: 0.02, huber: 0.7, input_noise: 0.15, ..Training::default() };
    train_on(&descriptions(cascade, samples), &[24, 12], &how)
}

/// Trains on descriptions of bodies to the front and to the back.
fn train_on(rows: &[[Vec<f32>; 2]], hidden: &[usize], how: &Training) -> Network {
    let mut inputs = Rows::new(LENGTH);
    let mut targets = Rows::new(1);
    for [ahead, behind] in rows {
        for (row, target) in [(ahead, 1.0), (behind, -1.0)] {
            inputs.push(row);
            targets.push(&[target]);
        }
    }
    train(&inputs, &targets, &vec![1.0; inputs.len()], hidden, how)
}
