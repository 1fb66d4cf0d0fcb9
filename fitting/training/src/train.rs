//! Trains the cascade of a plan.

use glam::Vec3;
use pliant_fitting::cascade::{self, Cascade, DISPLACEMENT_UNIT, Plan, RADII, ROUNDS, Step};
use pliant_fitting::network::Layer;
use pliant_fitting::patch;
use pliant_fitting::table::LEVELS;

use crate::dataset::Sample;
use crate::mlp::{Rows, Training, train};
use crate::parallel::map;
use crate::random::Random;

#[derive(Clone, Debug)]
pub struct Settings {
    pub epochs: usize,
    pub hidden: Vec<usize>,
    pub first_hidden: Vec<usize>,
    pub noise: Vec<f32>,
    pub decay: f32,
    pub input_noise: f32,
    /// Starts per sample.
    pub starts: usize,
    /// Members of the ensemble.
    pub members: usize,
    pub basis: usize,
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            epochs: 10,
            hidden: vec![48, 32],
            first_hidden: vec![64, 48],
            noise: vec![0.05, 0.018],
            decay: 0.01,
            input_noise: 0.05,
            starts: 1,
            members: 3,
            basis: 32,
            seed: 1,
        }
    }
}

/// Joints from the profile alone.
fn guess(cascade: &Cascade, plan: &Plan, sample: &Sample) -> Vec<Vec3> {
    cascade.guess(plan, &sample.profiles, sample.centroid)
}

/// Fills joints without a label.
pub fn complete(joints: &[Vec3]) -> Vec<Vec3> {
    let mut out = joints.to_vec();
    for (toe, foot) in [(9, 8), (16, 15)] {
        if out[toe].is_nan() {
            out[toe] = out[foot] + Vec3::new(0.0, -0.7 * out[foot].y, 0.07);
        }
    }
    out
}

/// Correlated noise: the whole body, limbs from their root on, single joints.
fn disturbed(joints: &[Vec3], sigma: f32, random: &mut Random) -> Vec<Vec3> {
    let sigma = sigma * random.factor(0.5);
    let mut out = joints.to_vec();
    let whole = random.normal3() * sigma * 0.5;
    out.iter_mut().for_each(|p| *p += whole);
    let chains: [&[usize]; 6] = [&[0], &[1, 2], &[3, 4, 5], &[6, 7, 8, 9], &[10, 11, 12], &[13, 14, 15, 16]];
    for chain in chains {
        let mut shift = random.normal3() * sigma * 0.6;
        for &joint in chain {
            out[joint] += shift + random.normal3() * sigma * 0.3;
            shift += random.normal3() * sigma * 0.5;
        }
    }
    out
}

/// Trains a cascade on some of the samples. `weight` is the weight of each in the loss.
pub fn train_cascade(plan: &Plan, samples: &[&Sample], weight: &[f32], settings: &Settings) -> Cascade {
    let mut result = Cascade::default();
    let mut inputs = Rows::new(pliant_fitting::profile::LENGTH);
    let mut targets = Rows::new(3 * plan.kinds);
    let mut weights = Vec::new();
    let flip = |p: Vec3| Vec3::new(-p.x, p.y, p.z);
    for (sample, &w) in samples.iter().zip(weight) {
        for mirrored in [false, true] {
            inputs.push(&sample.profiles[usize::from(mirrored)]);
            let joints = if mirrored { plan.mirrored(&sample.joints) } else { sample.joints.clone() };
            let centroid = if mirrored { flip(sample.centroid) } else { sample.centroid };
            let row: Vec<f32> =
                joints[..plan.kinds].iter().flat_map(|p| (*p - centroid).to_array()).collect();
            targets.push(&row);
            weights.push(w);
        }
    }
    let how = Training {
        epochs: settings.epochs * 2,
        decay: settings.decay,
        huber: 0.05,
        input_noise: settings.input_noise,
        seed: settings.seed,
        ..Training::default()
    };
    result.first = train(&inputs, &targets, &weights, &settings.first_hidden, &how);
    for member in 0..settings.members {
        let seed = settings.seed + 7 * member as u64;
        result.members.push(train_member(plan, samples, weight, settings, &result, seed));
    }
    result
}

/// Trains the steps of one member.
fn train_member(
    plan: &Plan,
    samples: &[&Sample],
    weight: &[f32],
    settings: &Settings,
    cascade: &Cascade,
    seed: u64,
) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut current: Vec<Vec<Vec3>> = map(samples, |sample| guess(cascade, plan, sample));
    for (index, &sigma) in settings.noise.iter().enumerate() {
        let mut random = Random::new(1000 * seed + index as u64);
        // One start per sample and turn: where the rounds before ended, or near the truth.
        let starts: Vec<(usize, Vec<Vec3>)> = (0..settings.starts)
            .flat_map(|turn| (0..samples.len()).map(move |i| (turn, i)))
            // There are enough made-up bodies, and one start of each will do.
            .filter(|&(turn, i)| turn == 0 || samples[i].character != usize::MAX)
            .map(|(turn, i)| {
                let truth = complete(&samples[i].joints);
                let is_own = (i + turn) % 2 == 0;
                let start = if is_own {
                    disturbed(&current[i], 0.5 * sigma, &mut random)
                } else {
                    disturbed(&truth, sigma, &mut random)
                };
                (i, start)
            })
            .collect();
        let mut step = Step { radii: RADII[index], basis: Layer::default(), networks: Vec::new() };
        step.basis = basis(plan, samples, &starts, &step, settings.basis);
        let kinds: Vec<usize> = (0..plan.kinds).collect();
        step.networks = map(&kinds, |&kind| {
            let mut inputs = Rows::default();
            let mut targets = Rows::new(3);
            let mut weights = Vec::new();
            for (i, start) in &starts {
                let sample = samples[*i];
                for mirrored in [false, true] {
                    let (truth, start) = if mirrored {
                        (plan.mirrored(&sample.joints), plan.mirrored(start))
                    } else {
                        (sample.joints.clone(), start.clone())
                    };
                    if truth[kind].is_nan() {
                        continue;
                    }
                    let features = plan.features(&step, &sample.body, &start, kind, mirrored);
                    let offset = plan.frame(&start, kind).transpose() * (truth[kind] - start[kind])
                        / DISPLACEMENT_UNIT;
                    inputs.width = features.len();
                    inputs.push(&features);
                    targets.push(&offset.to_array());
                    weights.push(weight[*i]);
                }
            }
            let how = Training {
                epochs: settings.epochs,
                decay: settings.decay,
                huber: 0.4,
                input_noise: settings.input_noise,
                seed: seed * 100 + (index * 10 + kind) as u64,
                ..Training::default()
            };
            train(&inputs, &targets, &weights, &settings.hidden, &how)
        });
        if index + 1 < settings.noise.len() {
            let rounds = ROUNDS.iter().filter(|&&s| s == index).count();
            let indices: Vec<usize> = (0..samples.len()).collect();
            current = map(&indices, |&i| {
                // Rounds of the next step begin where those of this one end, or later.
                let mut joints = current[i].clone();
                for _ in 0..rounds {
                    joints = cascade::refine(plan, &step, &samples[i].body, &joints);
                }
                joints
            });
        }
        steps.push(step);
    }
    steps
}

/// The directions in which patches vary most.
fn basis(
    plan: &Plan,
    samples: &[&Sample],
    starts: &[(usize, Vec<Vec3>)],
    step: &Step,
    count: usize,
) -> Layer {
    let n = patch::SAMPLES;
    let chosen: Vec<&(usize, Vec<Vec3>)> = starts.iter().step_by((starts.len() / 1500).max(1)).collect();
    let patches: Vec<Vec<f32>> = map(&chosen, |(i, joints)| {
        let kinds = 0..plan.kinds;
        kinds
            .flat_map(|kind| {
                patch::sample(&samples[*i].body, joints[kind], &plan.frame(joints, kind), &step.radii, false)
            })
            .collect()
    });
    let values: Vec<f32> = patches.concat();
    let rows = values.len() / n;
    let x = faer::MatRef::from_row_major_slice(&values, rows, n);
    let mut covariance = faer::Mat::<f32>::zeros(n, n);
    faer::linalg::matmul::matmul(
        covariance.as_mut(),
        faer::Accum::Replace,
        x.transpose(),
        x,
        1.0 / rows as f32,
        faer::Par::Seq,
    );
    let eigen = covariance.self_adjoint_eigen(faer::Side::Lower).expect("symmetric");
    let vectors = eigen.U();
    let mut weights: Vec<f32> =
        (0..count).flat_map(|c| (0..n).map(move |i| (c, i))).map(|(c, i)| vectors[(i, n - 1 - c)]).collect();
    // Networks are trained with the basis as it is stored.
    for row in weights.chunks_exact_mut(n) {
        let step = row.iter().fold(0.0f32, |largest, weight| largest.max(weight.abs())) / LEVELS;
        row.iter_mut().for_each(|weight| *weight = (*weight / step).round() * step);
    }
    Layer { inputs: n, scales: Vec::new(), weights, biases: vec![0.0; count] }
}
