//! Native times of example fitting and of dragging handles, beside the budgets for the browser
//! (docs/budgets.md#example-fitting-and-handles).
//!
//! `cargo xtask bench example_fit`. The folded card of the paper; drags of the mannequin by points,
//! with weights after one, ten and a hundred examples; and handles among bones, as the viewer
//! solves them. Fitting 5,000 vertices with ten handles and examples is in `weights`.

use std::hint::black_box;
use std::sync::Arc;

use glam::{DAffine3, DQuat, Vec3};
use pliant::deform::{FastArap, HandleSolver};
use pliant::model::{Mesh, Pose, Weights};
use pliant::operators::MeshGeometry;
use pliant::pipeline::{Method, Pipeline, Recipe, Silent};
use pliant::progress::Progress;
use pliant::report::Report;
use pliant::samples::{self, SampleCharacter};
use pliant::weights::{ExampleFit, FitLimits, FitObserver, FittedWeights, Handle, fit_examples};

/// Budgets: seconds for the card, and milliseconds for a drag.
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
    let (seconds, found) = timed(|| fitted(&mesh, &ends, &[folded], &ExampleFit::default()));
    println!(
        "card, {} vertices: {seconds:.3} s of {CARD_S}, {} iterations, rms {:.1e} then {:.1e}",
        mesh.positions().len(),
        found.convergence.iterations,
        found.rms[0],
        found.rms[1]
    );
    drags();
    handles_among_bones();
}

/// Handles on a rigged character: the time to prepare the solver, of a drag, and after a joint was
/// rotated.
fn handles_among_bones() {
    let (vertices, _) = DRAGGED;
    let made = samples::make(SampleCharacter::Mannequin, vertices).expect("a size that can be made");
    let recipe = Recipe { method: Method::Heat, ..Recipe::default() };
    let asset = Arc::new(made.into_asset("mannequin"));
    let rig = Pipeline::new(asset).run(&recipe, &mut Silent).expect("a character that can be rigged").rig;
    let points: Vec<u32> = (0..12).map(|i| i * 800).collect();
    let matrices = |pose: &Pose| -> Vec<DAffine3> {
        let world = pose.world(&rig.skeleton);
        world.iter().zip(rig.skeleton.joint_from_rest()).map(|(world, rest)| *world * *rest).collect()
    };
    let rest = matrices(&Pose::rest(&rig.skeleton));
    let (prepared, mut solver) = timed(|| HandleSolver::new(&rig, &points));
    let start = solver.position(&rig, 3, &rest);
    let mut targets = vec![None; points.len()];
    let mut times: Vec<f64> = (0..DRAGS)
        .map(|k| {
            targets[3] = Some(start + Vec3::new(0.01, 0.004, 0.002) * (k % 40) as f32);
            timed(|| black_box(solver.pose(&rig, &rest, black_box(&targets), true)).len()).0 * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let mut turned = Pose::rest(&rig.skeleton);
    turned.rotate(2, DQuat::from_rotation_z(0.2));
    let turned = matrices(&turned);
    let (anew, _) = timed(|| black_box(solver.pose(&rig, &turned, &targets, false)).len());
    println!(
        "{vertices} vertices, {} joints, {} points: prepared in {:.0} ms, {:.3} ms a drag, of {DRAG_MS}, {:.1} ms \
         after a joint was rotated",
        rig.skeleton.joints().len(),
        points.len(),
        prepared * 1e3,
        times[DRAGS / 2],
        anew * 1e3
    );
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
        // The time of a drag does not depend on the weights: one iteration suffices.
        let weights =
            fitted(&mesh, &handles, &poses, &ExampleFit { iterations: 1, ..ExampleFit::default() }).weights;
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

fn fitted(mesh: &Mesh, handles: &[Handle], poses: &[Vec<Vec3>], options: &ExampleFit) -> FittedWeights {
    let (report, progress) = (&mut Report::default(), &mut Progress::silent());
    let watching = FitObserver { report, progress, on_iteration: &mut |_, _| true };
    fit_examples(
        &MeshGeometry::of(mesh),
        handles,
        poses,
        FitLimits::unlimited(options),
        &|_| String::new(),
        watching,
    )
    .expect("poses that fit")
}

/// The card of the paper, 2 × 1 units: flat, and folded by a right angle across its middle.
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
