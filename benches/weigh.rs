//! How long weights take natively, beside what DESIGN.md allows in the browser.
//!
//! `cargo xtask bench weigh`. Heat from nothing (topology, normals, tree, Laplacian and all) and glow on the mannequin;
//! the median of a few runs. On a shared machine compare rows of one run only.

use std::hint::black_box;

use pliant::cast::{self, CastCharacter, Member};
use pliant::operators::Operators;
use pliant::progress::Progress;
use pliant::report::Report;
use pliant::weigh::{Glow, Heat, bone_glow, bone_heat};

/// Vertices, and the seconds DESIGN.md allows bone heat in Chromium: a share of what Blender 4.5 took.
const SIZES: [(usize, Option<f64>); 4] =
    [(5_000, None), (20_000, Some(0.5 * 1.1)), (80_000, Some(0.4 * 5.3)), (160_000, None)];

/// Vertices for bone glow, and how many times as long as heat it may take.
const GLOW: (usize, f64) = (20_000, 3.0);

/// The exponent that DESIGN.md allows bone heat's time to grow with.
const GROWTH: f64 = 1.25;

const RUNS: usize = 3;

fn main() {
    println!("median of {RUNS} runs; budgets are for Chromium");
    println!(" vertices  method        s   budget");
    let mut times = Vec::new();
    for (vertices, budget) in SIZES {
        let made = character(vertices);
        let seconds = median_seconds(|| heat(&made));
        let allowed = budget.map_or(String::new(), |b| format!("{:.2} of {b:.2} s", seconds / b));
        println!("{:>9}  heat   {seconds:>8.3}   {allowed}", made.mesh.positions().len());
        times.push(((made.mesh.positions().len() as f64).ln(), seconds.ln()));
    }
    let (first, last) = (times[0], times[times.len() - 1]);
    println!("heat grows as n^{:.2}, of at most n^{GROWTH}", (last.1 - first.1) / (last.0 - first.0));
    let made = character(GLOW.0);
    let (own_heat, glow) = (median_seconds(|| heat(&made)), median_seconds(|| glow(&made)));
    let count = made.mesh.positions().len();
    println!("{count:>9}  glow   {glow:>8.3}   {:.2} × heat, of at most {} ×", glow / own_heat, GLOW.1);
}

fn character(vertices: usize) -> CastCharacter {
    match cast::make(Member::Mannequin, vertices) {
        Ok(made) => made,
        Err(error) => panic!("{error}"),
    }
}

fn heat(made: &CastCharacter) {
    let operators = Operators::of(&made.mesh);
    let silent = &mut Progress::silent();
    let weights = bone_heat(&operators, &made.skeleton, &Heat::default(), &mut Report::default(), silent);
    assert!(black_box(weights).is_ok());
}

fn glow(made: &CastCharacter) {
    let operators = Operators::of(&made.mesh);
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
