//! Native times of weights, beside the budgets for the browser (docs/budgets.md#weights).
//!
//! `cargo xtask bench weights`. The atlas and bone heat including topology, normals and tree; a
//! change of K; bone glow; biharmonic weights with their KKT residual; and example fitting. All on
//! the mannequin, medians of a few runs. `cargo bench --bench weights bbw` runs only what is named.
//! On a shared machine compare only rows of one run.

use std::cell::{Cell, RefCell};
use std::hint::black_box;
use std::sync::Arc;

use glam::Vec3;
use pliant::model::Weights;
use pliant::operators::MeshGeometry;
use pliant::pipeline::{Pipeline, Recipe, Silent};
use pliant::progress::Progress;
use pliant::report::Report;
use pliant::samples::{self, GeneratedCharacter, SampleCharacter};
use pliant::weights::{
    Atlas, Biharmonic, BiharmonicWeights, Domain, Energy, ExampleFit, FitLimits, FitObserver, Glow, Handle,
    Heat, biharmonic, biharmonic_of, bone_glow, bone_heat, fit_examples,
};

/// Vertices, and the budget of bone heat in seconds: a part of the time of Blender 4.5.
const SIZES: [(usize, Option<f64>); 4] =
    [(5_000, None), (20_000, Some(0.5 * 1.1)), (80_000, Some(0.4 * 5.3)), (160_000, None)];

/// Vertices for bone glow, and how many times as long as heat it may take.
const GLOW: (usize, f64) = (20_000, 3.0);

/// The largest exponent with which the time of bone heat may grow.
const GROWTH: f64 = 1.25;

/// Vertices, and the budget in seconds of all stages of the atlas with geodesic distances.
const ATLAS: [(usize, Option<f64>); 4] =
    [(5_000, None), (20_000, Some(0.3)), (80_000, None), (160_000, None)];

/// Vertices, and the budget in seconds of a change of K.
const CHANGED_K: [(usize, f64); 2] = [(20_000, 0.05), (100_000, 0.25)];

/// Domain of biharmonic weights, vertices, and the budget in seconds: a part of the time of libigl
/// 2.6 with eight iterations.
const BIHARMONIC: [(Domain, usize, f64); 4] = [
    (Domain::Surface, 20_000, 0.7 * 3.5),
    (Domain::Surface, 80_000, 0.5 * 25.0),
    (Domain::Volume, 5_000, 0.5 * 2.4),
    (Domain::Volume, 20_000, 0.5 * 21.0),
];

const RUNS: usize = 3;

fn main() {
    println!("median of {RUNS} runs; budgets are for Chromium");
    println!(" vertices  method        s   budget");
    let named: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let is_wanted = |name: &str| named.is_empty() || named.iter().any(|n| n == name);
    for domain in [Domain::Volume, Domain::Surface] {
        if is_wanted("bbw") || is_wanted(&format!("bbw-{domain:?}").to_lowercase()) {
            bbw(domain);
        }
    }
    if is_wanted("examples") {
        examples();
    }
    if is_wanted("atlas") {
        atlas();
    }
    if is_wanted("heat") {
        heat_and_glow();
    }
}

/// Bones as handles, and points in their middles.
fn bbw(domain: Domain) {
    for (_, vertices, budget) in BIHARMONIC.into_iter().filter(|row| row.0 == domain) {
        let made = character(vertices);
        let points: Vec<Handle> =
            made.skeleton.bones().iter().map(|bone| Handle::Point(bone.head.midpoint(bone.tail))).collect();
        let options = Biharmonic { domain, ..Biharmonic::default() };
        let by_bones = || {
            let operators = MeshGeometry::of(&made.mesh);
            let silent = &mut Progress::silent();
            biharmonic(&operators, &made.skeleton, &options, &mut Report::default(), silent)
        };
        let by_points = || {
            let operators = MeshGeometry::of(&made.mesh);
            let silent = &mut Progress::silent();
            biharmonic_of(&operators, &points, &options, &|_| String::new(), &mut Report::default(), silent)
        };
        let row = |name: &str, work: &dyn Fn() -> Option<BiharmonicWeights>| {
            let found = RefCell::new(None);
            let seconds = median_seconds(|| found.replace(work()).map_or((), drop));
            let (count, domain) = (made.mesh.positions().len(), format!("{domain:?}").to_lowercase());
            if let Some(BiharmonicWeights { convergence, .. }) = found.take() {
                println!(
                    "{count:>9}  bbw    {seconds:>8.3}   {:.2} of {budget:.2} s, {name}, {domain}, KKT residual {:.1e}, {} rounds, {}",
                    seconds / budget,
                    convergence.residual,
                    convergence.iterations,
                    if convergence.converged { "converged" } else { "NOT CONVERGED" }
                );
            }
        };
        row(&format!("{} bones", points.len()), &|| by_bones().ok());
        row(&format!("{} points", points.len()), &|| by_points().ok());
    }
}

/// Vertices, handles, examples, and the budget in seconds
/// (docs/budgets.md#example-fitting-and-handles).
const EXAMPLES: (usize, usize, usize, f64) = (5_000, 10, 10, 60.0);

/// Example fitting to waves that run through the mannequin; once, since it takes long.
#[expect(clippy::disallowed_methods, reason = "a benchmark needs a clock")]
fn examples() {
    let (vertices, handles, count, budget) = EXAMPLES;
    let made = character(vertices);
    let bones = made.skeleton.bones();
    let handles: Vec<Handle> = (0..handles)
        .map(|i| bones[i * bones.len() / handles])
        .map(|bone| Handle::Point(bone.head.midpoint(bone.tail)))
        .collect();
    let wave = |k: usize| {
        let moved = |p: &Vec3| *p + Vec3::new(0.1 * (3.0 * p.y + k as f32).sin(), 0.0, 0.02 * k as f32 * p.y);
        made.mesh.positions().iter().map(moved).collect()
    };
    let poses: Vec<Vec<Vec3>> = (0..count).map(wave).collect();
    let operators = MeshGeometry::of(&made.mesh);
    let start = std::time::Instant::now();
    let mut first_ten = None;
    let mut on_iteration = |energy: &Energy, _: &dyn Fn() -> Weights| {
        if start.elapsed().as_secs_f64() <= 10.0 {
            first_ten = Some(energy.total);
        }
        true
    };
    let (report, progress) = (&mut Report::default(), &mut Progress::silent());
    let watching = FitObserver { report, progress, on_iteration: &mut on_iteration };
    let found = fit_examples(
        &operators,
        &handles,
        &poses,
        FitLimits::unlimited(&ExampleFit::default()),
        &|_| String::new(),
        watching,
    );
    let seconds = start.elapsed().as_secs_f64();
    if let Ok(found) = found {
        let energy = |at: usize| found.energy[at].total;
        println!(
            "{:>9}  learn  {seconds:>8.3}   {:.2} of {budget:.2} s, {} handles, {count} examples, {} iterations, E {:.2e}, after 10 s {:.2e}, then {:.2e}",
            made.mesh.positions().len(),
            seconds / budget,
            handles.len(),
            found.convergence.iterations,
            energy(0),
            first_ten.unwrap_or(f64::NAN),
            energy(found.energy.len() - 1)
        );
    }
}

fn heat_and_glow() {
    let mut times = Vec::new();
    for (vertices, budget) in SIZES {
        let made = character(vertices);
        let seconds = median_seconds(|| heat(&made));
        let allowed = budget.map_or(String::new(), |b| format!("{:.2} of {b:.2} s", seconds / b));
        println!("{:>9}  heat   {seconds:>8.3}   {allowed}", made.mesh.positions().len());
        times.push(((made.mesh.positions().len() as f64).ln(), seconds.ln()));
    }
    println!("heat grows as n^{:.2}, of at most n^{GROWTH}", growth(&times));
    let made = character(GLOW.0);
    let (own_heat, glow) = (median_seconds(|| heat(&made)), median_seconds(|| glow(&made)));
    let count = made.mesh.positions().len();
    println!("{count:>9}  glow   {glow:>8.3}   {:.2} × heat, of at most {} ×", glow / own_heat, GLOW.1);
}

/// The exponent between the first and the last of (ln vertices, ln seconds).
fn growth(times: &[(f64, f64)]) -> f64 {
    let (first, last) = (times[0], times[times.len() - 1]);
    (last.1 - first.1) / (last.0 - first.0)
}

fn atlas() {
    let mut times = Vec::new();
    for (vertices, budget) in ATLAS {
        let asset = Arc::new(character(vertices).into_asset("mannequin"));
        let seconds = median_seconds(|| run(&mut Pipeline::new(asset.clone()), 0.5));
        let allowed = budget.map_or(String::new(), |b| format!("{:.2} of {b:.2} s", seconds / b));
        println!("{:>9}  atlas  {seconds:>8.3}   {allowed}", asset.mesh.positions().len());
        times.push(((asset.mesh.positions().len() as f64).ln(), seconds.ln()));
    }
    println!("atlas grows as n^{:.2}", growth(&times));
    for (vertices, budget) in CHANGED_K {
        let asset = Arc::new(character(vertices).into_asset("mannequin"));
        let pipeline = RefCell::new(Pipeline::new(asset.clone()));
        run(&mut pipeline.borrow_mut(), 0.5);
        let k = Cell::new(0.5);
        let seconds = median_seconds(|| {
            // Another value every time, because the last result is cached.
            k.set(k.get() + 0.1);
            run(&mut pipeline.borrow_mut(), k.get());
        });
        let count = asset.mesh.positions().len();
        println!("{count:>9}  new K  {seconds:>8.3}   {:.2} of {budget:.2} s", seconds / budget);
    }
}

fn run(pipeline: &mut Pipeline, k: f64) {
    let recipe = Recipe { atlas: Atlas { k, ..Atlas::default() }, ..Recipe::default() };
    assert!(black_box(pipeline.run(&recipe, &mut Silent)).is_ok());
}

fn character(vertices: usize) -> GeneratedCharacter {
    match samples::make(SampleCharacter::Mannequin, vertices) {
        Ok(made) => made,
        Err(error) => panic!("{error}"),
    }
}

fn heat(made: &GeneratedCharacter) {
    let operators = MeshGeometry::of(&made.mesh);
    let silent = &mut Progress::silent();
    let weights = bone_heat(&operators, &made.skeleton, &Heat::default(), &mut Report::default(), silent);
    assert!(black_box(weights).is_ok());
}

fn glow(made: &GeneratedCharacter) {
    let operators = MeshGeometry::of(&made.mesh);
    let silent = &mut Progress::silent();
    let weights = bone_glow(&operators, &made.skeleton, &Glow::default(), &mut Report::default(), silent);
    assert!(black_box(weights).is_ok());
}

#[expect(clippy::disallowed_methods, reason = "a benchmark needs a clock")]
fn median_seconds(work: impl Fn()) -> f64 {
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = std::time::Instant::now();
            work();
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
