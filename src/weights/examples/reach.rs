//! How far each vertex is from each handle (`f_ij`; docs/theory/example-fitting.md#energy).
//!
//! In: initial weights, and edges with their lengths at rest. Out: 0 where the initial weight is 1,
//! 1 where it becomes negligible, and beyond that more with the distance along the surface. Cost:
//! one pass of Dijkstra's algorithm per handle.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::DVec3;

use crate::math::larger_f64;

/// Initial weights below this are negligible. Larger: a slightly farther handle costs as much as
/// one at the other end of its support. Smaller: the difference between initial weights of 0.1 and
/// 0.01 has less influence.
const MIN_INITIAL_WEIGHT: f64 = 1e-4;

/// Vertices with at least this share of the largest weight of a handle are at the handle.
const CORE: f64 = 0.5;

/// The length of a support that is a point, in diagonals.
const MIN_RADIUS: f64 = 0.01;

/// `f_ij` by vertex and handle. `weights` are the initial ones, in the same order; `around` are the
/// edges at each vertex, as (edge, other end); lengths are in diagonals.
pub(super) fn distance_penalty(
    rest: &[DVec3],
    around: &[Vec<(u32, u32)>],
    weights: &[f64],
    handles: usize,
) -> Vec<f64> {
    let mut penalty: Vec<f64> =
        weights.iter().map(|w| w.max(MIN_INITIAL_WEIGHT).ln() / MIN_INITIAL_WEIGHT.ln()).collect();
    for handle in 0..handles {
        let weight = |vertex: usize| weights[vertex * handles + handle];
        let largest = (0..rest.len()).map(weight).fold(0.0, larger_f64);
        if largest <= MIN_INITIAL_WEIGHT {
            continue;
        }
        let core: Vec<usize> = (0..rest.len()).filter(|&v| weight(v) >= CORE * largest).collect();
        let centre = core.iter().map(|&v| rest[v]).sum::<DVec3>() / core.len() as f64;
        let distances = distances(rest, around, &core);
        let in_support = (0..rest.len()).filter(|&v| weight(v) > MIN_INITIAL_WEIGHT);
        let reached = in_support.map(|v| distances[v]).filter(|distance| distance.is_finite());
        let radius = reached.fold(MIN_RADIUS, larger_f64);
        for vertex in (0..rest.len()).filter(|&v| weight(v) <= MIN_INITIAL_WEIGHT) {
            let beyond = match distances[vertex] {
                along if along.is_finite() => larger_f64(along - radius, 0.0),
                // Another component: through the air.
                _ => rest[vertex].distance(centre),
            };
            penalty[vertex * handles + handle] = 1.0 + beyond / radius;
        }
    }
    penalty
}

/// Lengths of the shortest paths along edges from the nearest of `core`.
fn distances(rest: &[DVec3], around: &[Vec<(u32, u32)>], core: &[usize]) -> Vec<f64> {
    let mut distances = vec![f64::INFINITY; rest.len()];
    // Bits of positive numbers are in their order.
    let mut queue: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
    for &vertex in core {
        distances[vertex] = 0.0;
        queue.push(Reverse((0, vertex)));
    }
    while let Some(Reverse((bits, vertex))) = queue.pop() {
        let distance = f64::from_bits(bits);
        if distance > distances[vertex] {
            continue;
        }
        for &(_, other) in &around[vertex] {
            let other = other as usize;
            let along = distance + rest[vertex].distance(rest[other]);
            if along < distances[other] {
                distances[other] = along;
                queue.push(Reverse((along.to_bits(), other)));
            }
        }
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn penalties_grow_beyond_the_support_along_the_surface_and_through_the_air() {
        // A line of eleven vertices, and one apart.
        let mut rest: Vec<DVec3> = (0..11).map(|i| DVec3::X * 0.1 * f64::from(i)).collect();
        rest.push(DVec3::new(0.0, 0.5, 0.0));
        let mut around = vec![Vec::new(); 12];
        for i in 0..10u32 {
            around[i as usize].push((i, i + 1));
            around[i as usize + 1].push((i, i));
        }
        let weights = [1.0, 0.1, 1e-2, 1e-3, 1e-5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let found = distance_penalty(&rest, &around, &weights, 1);
        assert_eq!(found[0], 0.0);
        assert!(found[..11].windows(2).all(|pair| pair[0] <= pair[1]), "{found:?}");
        // The support ends 0.3 from the core: as much again adds one.
        assert!((found[3] - 0.75).abs() < 1e-12 && (found[6] - 2.0).abs() < 1e-12, "{found:?}");
        assert!((found[10] - (1.0 + 0.7 / 0.3)).abs() < 1e-12, "{found:?}");
        assert!((found[11] - (1.0 + 0.5 / 0.3)).abs() < 1e-12, "{found:?}");
    }
}
