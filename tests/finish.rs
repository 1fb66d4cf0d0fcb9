//! From weights per bone to weights of skins and files.

use glam::Vec3;
use pliant::model::{Influence, Weights};
use pliant::weights::{finish, quantise_u8, quantise_u16};

use crate::fixtures::{Lcg, chain, skeleton};

fn row(weights: &[f32]) -> Vec<Influence> {
    let columns = weights.iter().enumerate();
    columns
        .filter(|(_, w)| **w > 0.0)
        .map(|(column, &weight)| Influence { column: column as u32, weight })
        .collect()
}

fn random_row(rng: &mut Lcg, columns: usize) -> Vec<Influence> {
    let raw: Vec<f32> = (0..columns).map(|_| rng.unit().powi(4)).collect();
    let sum: f32 = raw.iter().sum();
    row(&raw.iter().map(|w| w / sum).collect::<Vec<_>>())
}

#[test]
fn the_bones_of_a_joint_are_summed() {
    let heads = [Vec3::ZERO, Vec3::X, Vec3::NEG_X];
    let fan = skeleton(&["hips", "left", "right"], &heads, &[None, Some(0), Some(0)], &[]);
    let joints: Vec<usize> = fan.bones().iter().map(|bone| bone.joint).collect();
    assert_eq!(joints, [0, 0, 1, 2]);
    let weights = Weights::new(4, [row(&[0.25, 0.25, 0.0, 0.5])]).unwrap();
    let finished = finish(&weights, &fan, 4);
    assert_eq!(finished.columns(), 3);
    assert_eq!(finished.row(0), row(&[0.5, 0.0, 0.5]));
}

#[test]
fn the_largest_influences_are_kept_and_reduced_continuously() {
    let points: Vec<Vec3> = (0..6).map(|i| Vec3::X * i as f32).collect();
    let bones = chain(&points);
    let weights = Weights::new(5, [row(&[0.2, 0.1, 0.3, 0.2, 0.2])]).unwrap();
    // None of three equal weights fits into one slot.
    assert_eq!(finish(&weights, &bones, 2).row(0), row(&[0.0, 0.0, 1.0]));
    assert_eq!(finish(&weights, &bones, 0).row(0), row(&[0.0, 0.0, 1.0]), "never fewer than one");
    let alike = Weights::new(5, [row(&[0.2; 5])]).unwrap();
    assert_eq!(finish(&alike, &bones, 2).row(0), row(&[0.5, 0.5]), "where all are equal the lower ones stay");
    let weights = Weights::new(5, [row(&[0.4, 0.0, 0.3, 0.2, 0.1])]).unwrap();
    let kept = finish(&weights, &bones, 3);
    // w (1 − (0.1 / w)²) for 0.4, 0.3 and 0.2.
    let faded = [0.4 - 0.025, 0.3 - 0.1 / 3.0, 0.2 - 0.05];
    for (influence, faded) in kept.row(0).iter().zip(faded) {
        assert!((influence.weight - faded / 0.791_666_7).abs() < 1e-6, "{influence:?}");
    }
}

/// Weights vary along a line, with more joints than the limit: the closer two points, the closer
/// their weights.
#[test]
fn weights_are_continuous_where_the_smallest_joint_changes() {
    let points: Vec<Vec3> = (0..10).map(|i| Vec3::X * i as f32).collect();
    let bones = chain(&points);
    let at = |x: f32| {
        let near: Vec<f32> = (0..9).map(|i| (-0.2 * (x - i as f32).powi(2)).exp()).collect();
        let sum: f32 = near.iter().sum();
        row(&near.iter().map(|w| w / sum).collect::<Vec<_>>())
    };
    let largest_step = |steps: usize| {
        let rows = (0..=steps).map(|i| at(2.0 + 4.0 * i as f32 / steps as f32));
        let finished = finish(&Weights::new(9, rows).unwrap(), &bones, 4);
        let mut largest = 0.0_f32;
        for i in 0..steps {
            let column = |vertex: usize, column: u32| {
                finished.row(vertex).iter().find(|i| i.column == column).map_or(0.0, |i| i.weight)
            };
            let step = (0..9).map(|c| (column(i, c) - column(i + 1, c)).abs()).fold(0.0, f32::max);
            largest = largest.max(step);
        }
        largest
    };
    let (coarse, fine) = (largest_step(100), largest_step(1000));
    println!("largest change of a weight in a hundredth {coarse:.4}, in a thousandth {fine:.5}");
    assert!(fine < 0.15 * coarse, "{fine} of {coarse}");
}

#[test]
fn finished_rows_sum_to_one_for_every_limit() {
    let points: Vec<Vec3> = (0..13).map(|i| Vec3::X * i as f32).collect();
    let bones = chain(&points);
    let mut rng = Lcg(5);
    let weights = Weights::new(12, (0..2000).map(|_| random_row(&mut rng, 12))).unwrap();
    for n in [1, 2, 4, 8, 100] {
        let finished = finish(&weights, &bones, n);
        finished.assert_well_formed();
        assert!(finished.max_influences() <= n);
        assert!(finished.max_sum_error() <= 2.0 * f32::EPSILON);
    }
}

#[test]
fn quantised_rows_sum_exactly_with_errors_of_at_most_one() {
    let mut rng = Lcg(6);
    for _ in 0..5000 {
        let columns = 1 + rng.below(9);
        let row = random_row(&mut rng, columns);
        for slots in [1, 4, 8] {
            let (bytes, shorts) = (quantise_u8(&row, slots), quantise_u16(&row, slots));
            assert_eq!((bytes.len(), shorts.len()), (slots, slots));
            assert_eq!(bytes.iter().map(|p| u32::from(p.1)).sum::<u32>(), 255);
            assert_eq!(shorts.iter().map(|p| u32::from(p.1)).sum::<u32>(), 65535);
            assert!(bytes.windows(2).all(|pair| pair[0].1 >= pair[1].1), "heaviest first");
            assert!(
                bytes.iter().all(|&(joint, weight)| weight > 0 || joint == 0),
                "unused slots say nothing"
            );
            if row.len() <= slots {
                for &(joint, weight) in &bytes {
                    let exact = row.iter().find(|i| i.column == joint).map_or(0.0, |i| 255.0 * i.weight);
                    assert!(weight == 0 || (f32::from(weight) - exact).abs() < 1.001);
                }
            }
        }
    }
}

#[test]
fn equal_remainders_are_rounded_up_in_order() {
    assert_eq!(quantise_u8(&row(&[1.0 / 3.0; 3]), 4), [(0, 85), (1, 85), (2, 85), (0, 0)]);
    assert_eq!(quantise_u8(&row(&[0.5, 0.0, 0.5]), 2), [(0, 128), (2, 127)]);
    assert_eq!(quantise_u16(&row(&[0.0, 1.0]), 4), [(1, 65535), (0, 0), (0, 0), (0, 0)]);
}
