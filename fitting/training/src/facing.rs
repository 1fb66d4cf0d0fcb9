//! Trains the network that tells front from back by depths around joints.

use glam::{Mat3, Vec3};
use pliant_fitting::body::Body;
use pliant_fitting::cascade::{self, Cascade, ROUNDS};
use pliant_fitting::facing::{LENGTH, describe};
use pliant_fitting::network::Network;
use pliant_fitting::plans::humanoid::HUMANOID;

use crate::dataset::Sample;
use crate::mlp::{Rows, Training, train};
use crate::parallel::map;

/// Half a turn about the vertical.
pub const HALF_TURN: Mat3 = Mat3::from_cols(Vec3::NEG_X, Vec3::Y, Vec3::NEG_Z);

/// One fit of one member, which is enough to train with.
pub fn quick_fit(cascade: &Cascade, body: &Body, member: usize) -> Vec<Vec3> {
    let centroid = pliant_fitting::profile::centroid(body);
    let profiles = [false, true].map(|m| pliant_fitting::profile::profile(body, centroid, m));
    let mut joints = cascade.guess(&HUMANOID, &profiles, centroid);
    let steps = &cascade.members[member % cascade.members.len()];
    for step in ROUNDS {
        joints = cascade::refine(&HUMANOID, &steps[step], body, &joints);
    }
    joints
}

/// Descriptions of bodies to the front and to the back.
pub fn descriptions(cascade: &Cascade, samples: &[&Sample]) -> Vec<[Vec<f32>; 2]> {
    let indices: Vec<usize> = (0..samples.len()).collect();
    map(&indices, |&i| {
        let body = &samples[i].body;
        let turned = body.turned(&HALF_TURN);
        [body, &turned].map(|body| describe(body, &quick_fit(cascade, body, i)))
    })
}

/// Trains on descriptions of bodies to the front and to the back.
pub fn train_network(rows: &[[Vec<f32>; 2]], weights: &[f32], hidden: &[usize], how: &Training) -> Network {
    let mut inputs = Rows::new(LENGTH);
    let mut targets = Rows::new(1);
    let mut doubled = Vec::new();
    for ([ahead, behind], &weight) in rows.iter().zip(weights) {
        for (row, target) in [(ahead, 1.0), (behind, -1.0)] {
            inputs.push(row);
            targets.push(&[target]);
            doubled.push(weight);
        }
    }
    train(&inputs, &targets, &doubled, hidden, how)
}
