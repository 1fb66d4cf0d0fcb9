//! Values per vertex whose interpolants meet on boundary curves, so that colours change there.
//!
//! In: where curves cross edges. Out: a number per vertex such that the numbers at the ends of an
//! edge are in the ratio of its two pieces: interpolated values of two regions are equal on the
//! curve. The edges of a vertex rarely agree exactly; its logarithm is the mean over its edges, by
//! damped iteration.

/// An edge that a curve crosses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Its vertices.
    pub ends: [u32; 2],
    /// How far from each of them the curve is.
    pub pieces: [f32; 2],
}

/// Iterations. Fewer: colours leave the curves on uneven meshes. More: no pixel changes.
const ROUNDS: usize = 12;

/// One per vertex; 1 where no curve passes. Pieces must not be zero.
pub fn margins(vertices: usize, crossings: &[Crossing]) -> Vec<f32> {
    // Ratios are differences of logarithms.
    let mut logs = mean(vertices, crossings, |_, piece, _| piece.ln());
    for _ in 0..ROUNDS {
        let wanted = mean(vertices, crossings, |other, own, piece| logs[other as usize] + (own / piece).ln());
        // Halfway: ends that both went all the way would change places for ever.
        logs.iter_mut().zip(wanted).for_each(|(log, wanted)| *log = 0.5 * (*log + wanted));
    }
    logs.into_iter().map(f32::exp).collect()
}

/// The mean over each vertex's crossed edges of a value of the other end and both pieces, the own
/// first; 0 without such edges.
fn mean(vertices: usize, crossings: &[Crossing], asked: impl Fn(u32, f32, f32) -> f32) -> Vec<f32> {
    let mut sums = vec![(0.0, 0.0); vertices];
    for &Crossing { ends: [a, b], pieces: [to_a, to_b] } in crossings {
        for (own, wanted) in [(a, asked(b, to_a, to_b)), (b, asked(a, to_b, to_a))] {
            let (sum, count) = &mut sums[own as usize];
            (*sum, *count) = (*sum + wanted, *count + 1.0);
        }
    }
    sums.into_iter().map(|(sum, count): (f32, f32)| if count > 0.0 { sum / count } else { 0.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_straight_cut_is_met_on_every_edge() {
        // A zigzag around a ring: vertices below and above the curve by what `height` says.
        let height = |v: u32| 0.1 + 0.9 * (f64::from(v) * 0.7).sin().abs() as f32;
        let crossing = |a: u32, b: u32| Crossing { ends: [a, b], pieces: [height(a), height(b)] };
        let crossings: Vec<Crossing> =
            (0..40).flat_map(|v| [crossing(v, (v + 1) % 40), crossing(v, (v + 3) % 40)]).collect();
        let found = margins(41, &crossings);
        for Crossing { ends: [a, b], pieces: [to_a, to_b] } in crossings {
            let (met, wanted) =
                (found[a as usize] / (found[a as usize] + found[b as usize]), to_a / (to_a + to_b));
            assert!((met - wanted).abs() < 0.02, "edge {a} to {b} is crossed at {met} instead of {wanted}");
        }
        assert_eq!(found[40], 1.0);
    }
}
