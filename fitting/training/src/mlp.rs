//! Trains networks: Adam on mini-batches, with a Huber loss.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use pliant_fitting::network::{Layer, Network};

use crate::random::Random;
use crate::rounding;

/// How to train.
#[derive(Clone, Copy, Debug)]
pub struct Training {
    pub epochs: usize,
    pub batch: usize,
    pub rate: f32,
    pub decay: f32,
    /// Where the loss turns from quadratic to linear.
    pub huber: f32,
    pub seed: u64,
    /// Standard deviation of noise on normalised inputs.
    pub input_noise: f32,
}

impl Default for Training {
    fn default() -> Self {
        Self { epochs: 24, batch: 128, rate: 1.5e-3, decay: 1e-4, huber: 0.5, seed: 1, input_noise: 0.03 }
    }
}

/// Rows of equal length.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    pub width: usize,
    pub values: Vec<f32>,
}

impl Rows {
    pub fn new(width: usize) -> Self {
        Self { width, values: Vec::new() }
    }
    pub fn len(&self) -> usize {
        self.values.len() / self.width.max(1)
    }
    pub fn row(&self, i: usize) -> &[f32] {
        &self.values[i * self.width..(i + 1) * self.width]
    }
    pub fn push(&mut self, row: &[f32]) {
        debug_assert_eq!(row.len(), self.width);
        self.values.extend_from_slice(row);
    }
}

struct Moment {
    first: Vec<f32>,
    second: Vec<f32>,
}

impl Moment {
    fn new(len: usize) -> Self {
        Self { first: vec![0.0; len], second: vec![0.0; len] }
    }
    fn step(&mut self, values: &mut [f32], gradient: &[f32], rate: f32, decay: f32, correction: [f32; 2]) {
        for i in 0..values.len() {
            let g = gradient[i];
            let m = 0.9 * self.first[i] + 0.1 * g;
            let v = 0.999 * self.second[i] + 0.001 * g * g;
            self.first[i] = m;
            self.second[i] = v;
            values[i] -=
                rate * ((m * correction[0]) / ((v * correction[1]).sqrt() + 1e-8) + decay * values[i]);
        }
    }
}

/// Trains a network with the given hidden layers. Targets that are NaN are ignored. Inputs are
/// normalised; the result takes plain inputs.
pub fn train(
    inputs: &Rows,
    targets: &Rows,
    sample_weights: &[f32],
    hidden: &[usize],
    how: &Training,
) -> Network {
    let (n, width, outs) = (inputs.len(), inputs.width, targets.width);
    let mut mean = vec![0.0f64; width];
    let mut square = vec![0.0f64; width];
    for i in 0..n {
        for (j, &x) in inputs.row(i).iter().enumerate() {
            mean[j] += f64::from(x);
            square[j] += f64::from(x) * f64::from(x);
        }
    }
    let mean: Vec<f32> = mean.iter().map(|m| (m / n as f64) as f32).collect();
    let deviation: Vec<f32> = square
        .iter()
        .zip(&mean)
        .map(|(s, m)| ((s / n as f64) - f64::from(*m) * f64::from(*m)).max(0.0).sqrt() as f32)
        .collect();
    // Inputs that hardly vary in training may vary elsewhere: they must not count for much.
    let floor = 0.3 * deviation.iter().sum::<f32>() / width as f32;
    let power = |x: f32| Layer::SCALE_BASE.powf((x.ln() / Layer::SCALE_BASE.ln()).round());
    let inverse: Vec<f32> = deviation.iter().map(|d| power(1.0 / d.max(floor))).collect();
    let sizes: Vec<usize> = [width].into_iter().chain(hidden.iter().copied()).chain([outs]).collect();
    let mut random = Random::new(how.seed);
    let layers = sizes.len() - 1;
    let mut weights: Vec<Vec<f32>> = (0..layers)
        .map(|l| {
            let gain = (2.0 / sizes[l] as f32).sqrt() * if l + 1 == layers { 0.3 } else { 1.0 };
            (0..sizes[l] * sizes[l + 1]).map(|_| random.normal() * gain).collect()
        })
        .collect();
    let mut biases: Vec<Vec<f32>> = (0..layers).map(|l| vec![0.0; sizes[l + 1]]).collect();
    let mut moments: Vec<[Moment; 2]> =
        (0..layers).map(|l| [Moment::new(weights[l].len()), Moment::new(biases[l].len())]).collect();
    let mut order: Vec<usize> = (0..n).collect();
    let batch = how.batch;
    let mut activations: Vec<Vec<f32>> = sizes.iter().map(|s| vec![0.0; s * batch]).collect();
    let mut deltas: Vec<Vec<f32>> = sizes.iter().map(|s| vec![0.0; s * batch]).collect();
    let steps = how.epochs * n.div_ceil(batch);
    let mut step = 0usize;
    for _ in 0..how.epochs {
        for i in (1..n).rev() {
            order.swap(i, random.below(i + 1));
        }
        for chunk in order.chunks(batch) {
            let b = chunk.len();
            for (r, &i) in chunk.iter().enumerate() {
                let row = inputs.row(i);
                for j in 0..width {
                    activations[0][r * width + j] = (row[j] - mean[j]) * inverse[j];
                }
            }
            if how.input_noise > 0.0 {
                for x in &mut activations[0][..b * width] {
                    // Cheap noise: uniform with the same deviation.
                    *x += (random.unit() - 0.5) * 3.46 * how.input_noise;
                }
            }
            for l in 0..layers {
                let (input, output) = activations.split_at_mut(l + 1);
                let out = &mut output[0][..b * sizes[l + 1]];
                for r in 0..b {
                    out[r * sizes[l + 1]..(r + 1) * sizes[l + 1]].copy_from_slice(&biases[l]);
                }
                let a = MatRef::from_row_major_slice(&input[l][..b * sizes[l]], b, sizes[l]);
                let w = MatRef::from_row_major_slice(&weights[l], sizes[l + 1], sizes[l]);
                let o = MatMut::from_row_major_slice_mut(out, b, sizes[l + 1]);
                matmul(o, Accum::Add, a, w.transpose(), 1.0f32, Par::Seq);
                if l + 1 < layers {
                    out.iter_mut().for_each(|x| *x = x.max(0.0));
                }
            }
            for (r, &i) in chunk.iter().enumerate() {
                let target = targets.row(i);
                for j in 0..outs {
                    let e = activations[layers][r * outs + j] - target[j];
                    let g = if e.is_nan() { 0.0 } else { e.clamp(-how.huber, how.huber) };
                    deltas[layers][r * outs + j] = g * sample_weights[i] / b as f32;
                }
            }
            step += 1;
            let progress = step as f32 / steps as f32;
            let rate = how.rate
                * (0.02 + 0.98 * 0.5 * (1.0 + (std::f32::consts::PI * progress).cos()))
                * (step as f32 / 200.0).min(1.0);
            let correction =
                [1.0 / (1.0 - 0.9f32.powi(step as i32)), 1.0 / (1.0 - 0.999f32.powi(step as i32))];
            for l in (0..layers).rev() {
                let (before, after) = deltas.split_at_mut(l + 1);
                let delta = &after[0][..b * sizes[l + 1]];
                let d = MatRef::from_row_major_slice(delta, b, sizes[l + 1]);
                let a = MatRef::from_row_major_slice(&activations[l][..b * sizes[l]], b, sizes[l]);
                let mut gradient = vec![0.0f32; weights[l].len()];
                matmul(
                    MatMut::from_row_major_slice_mut(&mut gradient, sizes[l + 1], sizes[l]),
                    Accum::Replace,
                    d.transpose(),
                    a,
                    1.0f32,
                    Par::Seq,
                );
                let mut bias_gradient = vec![0.0f32; sizes[l + 1]];
                for r in 0..b {
                    for j in 0..sizes[l + 1] {
                        bias_gradient[j] += delta[r * sizes[l + 1] + j];
                    }
                }
                if l > 0 {
                    let w = MatRef::from_row_major_slice(&weights[l], sizes[l + 1], sizes[l]);
                    let out = &mut before[l][..b * sizes[l]];
                    matmul(
                        MatMut::from_row_major_slice_mut(out, b, sizes[l]),
                        Accum::Replace,
                        d,
                        w,
                        1.0f32,
                        Par::Seq,
                    );
                    for (x, a) in out.iter_mut().zip(&activations[l]) {
                        if *a <= 0.0 {
                            *x = 0.0;
                        }
                    }
                }
                moments[l][0].step(&mut weights[l], &gradient, rate, how.decay, correction);
                moments[l][1].step(&mut biases[l], &bias_gradient, rate, 0.0, correction);
            }
        }
    }
    // Fold the means into the first layer; the scales stay apart.
    for (o, bias) in biases[0].iter_mut().enumerate() {
        for j in 0..width {
            *bias -= weights[0][o * width + j] * inverse[j] * mean[j];
        }
    }
    let layers = (0..layers).map(|l| Layer {
        inputs: sizes[l],
        scales: if l == 0 { inverse.clone() } else { Vec::new() },
        weights: std::mem::take(&mut weights[l]),
        biases: std::mem::take(&mut biases[l]),
    });
    rounding::rounded(&Network { layers: layers.collect() }, inputs)
}
