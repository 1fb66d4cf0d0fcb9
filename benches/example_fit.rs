//! How long learning from examples and dragging by handles take natively, beside what DESIGN.md allows in the browser.
//!
//! `cargo xtask bench fit_examples`. The card of the paper, folded; drags of the mannequin by points, with weights as they are after one,
//! ten and a hundred examples. Five thousand vertices by ten handles and examples are in `weigh`.

use std::hint::black_box;

use glam::Vec3;
use pliant::deform::FastArap;
use pliant::model::{Mesh, Weights};
use pliant::operators::MeshGeometry;
use pliant::progress::Progress;
use pliant::report::Report;
use pliant::samples::{self, SampleCharacter};
use pliant::weights::{ExampleFit, FitObserver, FittedWeights, Handle, fit_examples};

/// Seconds that DESIGN.md allows the card, and milliseconds a drag.
const CARD_S: f64 = 2.0;
const DRAG_MS: f64 = 4.0;

/// Vertices along a side of the card.
const SIDE: usize = 50;

/// Vertices of the character that is dragged, and the points it is dragged by.
const DRAGGED: (usize, usize) = (10_000, 25);

const DRAGS: usize = 201;

fn main() {
    let (mesh, folded) = card();
    let ends = [-1.0, 1.0].map(|x| Handle::Point(Vec3::new(x, 0.0, 0.5)));
    let (seconds, found) = timed(|| learned(&mesh, &ends, &[folded], &ExampleFit::default()));
    println!(
        "card, {} vertices: {seconds:.3} s of {CARD_S}, {} iterations, rms {:.1e} then {:.1e}",
        mesh.positions().len(),
        found.convergence.iterations,
        found.rms[0],
        found.rms[1]
    );
    drags();
}

fn drags() {
    let (vertices, points) = DRAGGED;
    let mesh = samples::make(SampleCharacter::Mannequin, vertices).expect("a size that can be made").mesh;
    let operators = MeshGeometry::of(&mesh);
    let points: Vec<u32> = (0..points).map(|i| (i * mesh.positions().len() / points) as u32).collect();
    let handles: Vec<Handle> = points.iter().map(|&v| Handle::Point(mesh.positions()[v as usize])).collect();
    for count in [1, 10, 100] {
        let wave = |k: usize| {
            mesh.positions().iter().map(|p| *p + Vec3::X * 0.1 * (3.0 * p.y + 0.3 * k as f32).sin()).collect()
        };
        let poses: Vec<Vec<Vec3>> = (0..count).map(wave).collect();
        // What is learned, a drag does not care; a step suffices.
        let weights =
            learned(&mesh, &handles, &poses, &ExampleFit { iterations: 1, ..ExampleFit::default() }).weights;
        let ms = drag_ms(&operators, &weights, &points);
        let many = points.len();
        println!("{vertices} vertices by {many} points, {count} examples: {ms:.3} ms a drag, of {DRAG_MS}");
    }
}

fn drag_ms(operators: &MeshGeometry, weights: &Weights, points: &[u32]) -> f64 {
    let mut handles = FastArap::new(operators, weights, 0, points);
    let mut targets: Vec<Vec3> = points.iter().map(|&v| operators.mesh().positions()[v as usize]).collect();
    let drag = |k: usize| {
        targets[k % points.len()] += Vec3::new(0.02, 0.01, -0.01);
        timed(|| drop(black_box(handles.drag(black_box(&targets)).to_vec()))).0 * 1e3
    };
    let mut times: Vec<f64> = (0..DRAGS).map(drag).collect();
    times.sort_by(f64::total_cmp);
    times[DRAGS / 2]
}

fn learned(mesh: &Mesh, handles: &[Handle], poses: &[Vec<Vec3>], options: &ExampleFit) -> FittedWeights {
    let (report, progress) = (&mut Report::default(), &mut Progress::silent());
    let watching = FitObserver { report, progress, on_iteration: &mut |_, _| true };
    fit_examples(&MeshGeometry::of(mesh), handles, poses, options, &|_| String::new(), watching)
        .expect("poses that fit")
}

/// The paper's card, 2 × 1 large, flat and folded by a right angle across its middle.
fn card() -> (Mesh, Vec<Vec3>) {
    let share = |i: usize| i as f32 / (SIDE - 1) as f32;
    let flat: Vec<Vec3> =
        (0..SIDE * SIDE).map(|i| Vec3::new(2.0 * share(i % SIDE) - 1.0, 0.0, share(i / SIDE))).collect();
    let cells = (0..SIDE * (SIDE - 1)).filter(|i| i % SIDE + 1 < SIDE);
    let triangles = cells.flat_map(|a| {
        let [a, b, c, d] = [a, a + 1, a + SIDE, a + SIDE + 1].map(|v| v as u32);
        [[a, b, d], [a, d, c]]
    });
    let mesh = Mesh::new(flat, triangles.collect()).expect("a card");
    let fold = |p: &Vec3| if p.x > 0.0 { Vec3::new(0.0, p.x, p.z) } else { *p };
    let folded = mesh.positions().iter().map(fold).collect();
    (mesh, folded)
}

#[expect(clippy::disallowed_methods, reason = "a benchmark needs a clock")]
fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = std::time::Instant::now();
    let made = work();
    (start.elapsed().as_secs_f64(), made)
}
