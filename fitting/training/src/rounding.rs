//! Rounds the weights of networks as they are stored, with little effect on what they compute.
//!
//! Weights are rounded one input after the other. The error of each is made up for by those that
//! follow, as far as the inputs are correlated (Frantar et al., GPTQ, 2023). Biases make up for the
//! mean of the difference.

use pliant_fitting::network::{Layer, Network};
use pliant_fitting::table::LEVELS;

use crate::mlp::Rows;

/// Rows of the training set that correlations are taken over.
const ROWS: usize = 3000;

/// Added to the variances, relative to their mean, so that the factorisation exists.
const DAMPING: f64 = 0.02;

/// The network with rounded weights.
pub fn rounded(network: &Network, inputs: &Rows) -> Network {
    let step = (inputs.len() / ROWS).max(1);
    let mut exact: Vec<Vec<f32>> = (0..inputs.len()).step_by(step).map(|i| inputs.row(i).to_vec()).collect();
    let mut stored = exact.clone();
    let mut result = Network::default();
    for layer in &network.layers {
        let mut round = layer.clone();
        round_layer(&mut round, &stored);
        exact = exact.iter().map(|x| layer.apply(x)).collect();
        let off: Vec<Vec<f32>> = stored.iter().map(|x| round.apply(x)).collect();
        for (output, bias) in round.biases.iter_mut().enumerate() {
            let difference = exact.iter().zip(&off).map(|(a, b)| f64::from(a[output] - b[output]));
            *bias += (difference.sum::<f64>() / exact.len() as f64) as f32;
        }
        stored = stored.iter().map(|x| round.apply(x)).collect();
        for values in exact.iter_mut().chain(&mut stored) {
            values.iter_mut().for_each(|value| *value = value.max(0.0));
        }
        result.layers.push(round);
    }
    result
}

/// Rounds the weights of a layer that sees some inputs.
fn round_layer(layer: &mut Layer, inputs: &[Vec<f32>]) {
    let n = layer.inputs;
    let scale = |j: usize| layer.scales.get(j).copied().unwrap_or(1.0);
    let mean: Vec<f32> =
        (0..n).map(|j| inputs.iter().map(|x| x[j]).sum::<f32>() / inputs.len() as f32).collect();
    let mut covariance = vec![0.0f64; n * n];
    for x in inputs {
        let centred: Vec<f64> = (0..n).map(|j| f64::from((x[j] - mean[j]) * scale(j))).collect();
        for i in 0..n {
            for j in 0..=i {
                covariance[i * n + j] += centred[i] * centred[j];
            }
        }
    }
    let trace: f64 = (0..n).map(|i| covariance[i * n + i]).sum();
    let damping = DAMPING * trace / n as f64 + f64::MIN_POSITIVE;
    for i in 0..n {
        covariance[i * n + i] += damping;
        for j in 0..i {
            covariance[j * n + i] = covariance[i * n + j];
        }
    }
    let upper = factor_of_inverse(&covariance, n);
    for row in layer.weights.chunks_exact_mut(n) {
        let step = row.iter().fold(0.0f32, |largest, weight| largest.max(weight.abs())) / LEVELS;
        if step == 0.0 {
            continue;
        }
        let mut wanted: Vec<f64> = row.iter().map(|&weight| f64::from(weight)).collect();
        for j in 0..n {
            row[j] = (wanted[j] as f32 / step).round().clamp(-LEVELS, LEVELS) * step;
            let error = (wanted[j] - f64::from(row[j])) / upper[j * n + j];
            for k in j + 1..n {
                wanted[k] -= error * upper[j * n + k];
            }
        }
    }
}

/// The upper triangular `U` with `Uᵀ U = A⁻¹`, for a symmetric positive definite `A`.
fn factor_of_inverse(a: &[f64], n: usize) -> Vec<f64> {
    let lower = cholesky(a, n);
    // A⁻¹, column by column.
    let mut inverse = vec![0.0; n * n];
    for column in 0..n {
        let mut x = vec![0.0; n];
        for i in 0..n {
            let known: f64 = (0..i).map(|k| lower[i * n + k] * x[k]).sum();
            x[i] = (f64::from(u8::from(i == column)) - known) / lower[i * n + i];
        }
        for i in (0..n).rev() {
            let known: f64 = (i + 1..n).map(|k| lower[k * n + i] * x[k]).sum();
            x[i] = (x[i] - known) / lower[i * n + i];
        }
        (0..n).for_each(|i| inverse[i * n + column] = x[i]);
    }
    let lower = cholesky(&inverse, n);
    (0..n * n).map(|i| lower[i % n * n + i / n]).collect()
}

/// The lower triangular `L` with `L Lᵀ = A`.
fn cholesky(a: &[f64], n: usize) -> Vec<f64> {
    let mut lower = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| lower[i * n + k] * lower[j * n + k]).sum();
            let rest = a[i * n + j] - known;
            lower[i * n + j] = if i == j { rest.max(1e-12).sqrt() } else { rest / lower[j * n + j] };
        }
    }
    lower
}
