//! Skinning: exact results where they are known, and properties of every deformer.
#![expect(clippy::unwrap_used, reason = "a panic in a test's helper is a failed test")]

mod ground_truth;
mod simple;
mod twist;
mod volume_lost;

use glam::{Mat4, Quat, Vec3};
use pliant::deform::{Deformer, Posed, Rest, Scratch, Skin, deform};
use pliant::model::{Influence, Weights};

/// Positions and normals.
struct Shape {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
}

/// Poses one frame with new buffers.
fn pose(deformer: Deformer, skin: &Skin, posed_from_rest: &[Mat4], rest: &Shape) -> Shape {
    let mut out =
        Shape { positions: vec![Vec3::NAN; skin.vertices()], normals: vec![Vec3::NAN; rest.normals.len()] };
    deform(
        deformer,
        skin,
        posed_from_rest,
        Rest { positions: &rest.positions, normals: &rest.normals },
        Posed { positions: &mut out.positions, normals: &mut out.normals },
        &mut Scratch::default(),
    );
    out
}

/// Deterministic random points in a box of size 2, and unit vectors.
fn cloud(vertices: usize) -> Shape {
    let mut random = random();
    let mut point = || Vec3::new(random(), random(), random()) * 2.0 - 1.0;
    let positions = (0..vertices).map(|_| point()).collect();
    let normals = (0..vertices).map(|_| (point() + Vec3::Y * 1e-3).normalize_or(Vec3::Y)).collect();
    Shape { positions, normals }
}

/// Deterministic random numbers in [0, 1).
fn random() -> impl FnMut() -> f32 {
    let mut state = 1_u32;
    move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32
    }
}

/// Rows of 1 to `widest` influences, unsorted, over `columns` joints.
fn ragged_weights(vertices: usize, columns: usize, widest: usize) -> Weights {
    let mut random = random();
    let rows: Vec<Vec<Influence>> = (0..vertices)
        .map(|_| {
            let width = 1 + (random() * widest as f32) as usize;
            let first = (random() * (columns - width + 1) as f32) as u32;
            let shares: Vec<f32> = (0..width).map(|_| 0.05 + random()).collect();
            let sum: f32 = shares.iter().sum();
            let influence = |(i, share)| Influence { column: first + i as u32, weight: share / sum };
            shares.into_iter().zip(0..).map(|(share, i)| influence((i, share))).collect()
        })
        .collect();
    Weights::new(columns, rows).unwrap()
}

/// Weights of two joints; `second` is the weight of the second one per vertex.
fn two_joints(second: impl IntoIterator<Item = f32>) -> Weights {
    let row = |w: f32| {
        let both = [Influence { column: 0, weight: 1.0 - w }, Influence { column: 1, weight: w }];
        both.into_iter().filter(|i| i.weight > 0.0).collect::<Vec<_>>()
    };
    Weights::new(2, second.into_iter().map(row)).unwrap()
}

/// A skin whose joints all have their pivot at the origin.
fn skin_of(weights: &Weights) -> Skin {
    Skin::new(weights, &vec![Vec3::ZERO; weights.columns()])
}

fn some_turn(seed: f32) -> Quat {
    Quat::from_euler(glam::EulerRot::XYZ, 0.9 * seed, 1.7 * seed + 0.3, -2.3 * seed)
}

fn largest_distance(a: &[Vec3], b: &[Vec3]) -> f32 {
    assert_eq!(a.len(), b.len());
    // Not `f32::max`, which would ignore NaN.
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, |most, d| if d <= most { most } else { d })
}

fn assert_finite(shape: &Shape, what: &str) {
    assert!(shape.positions.iter().all(|p| p.is_finite()), "{what}: a position is not a number");
    assert!(
        shape.normals.iter().all(|n| (n.length() - 1.0).abs() < 1e-5),
        "{what}: a normal is not a unit vector"
    );
}
