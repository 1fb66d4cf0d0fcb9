//! Judges the skeletons of planted chains, whose centre lines are known.
//!
//!     cargo run --release -p pliant-training --bin chains -- [COUNT]
//!
//! `COUNT` chains of each kind are fitted twice: with the plan and the orientation given, and with
//! only the orientation promised. A joint is where it should be if it is near the point of the
//! centre line at the fraction of its length that the joint is meant for; the error is in per cent
//! of the longest side. Chains whose joints are in the right places but in the reverse order are
//! counted as right, and printed apart: which end of a worm is its head cannot be known.

mod planted;
#[allow(dead_code, reason = "training uses the rest")]
#[path = "../../random.rs"]
mod random;

use std::collections::BTreeMap;

use glam::Vec3;
use planted::{Kind, Planted, plant};
use pliant_fitting::fit::{FitOptions, FittedSkeleton, Fitter, Orientation, UNCERTAIN};
use pliant_fitting::plans::{BodyPlan, snake};
use pliant_fitting::polyline;
use pliant_fitting::table::Table;
use random::Random;

/// Chains of each kind if no number is given.
const COUNT: usize = 40;

/// The largest error of a good fit, in per cent of the longest side.
const GOOD: f32 = 10.0;

/// A fit that was judged.
struct Judged {
    /// The worst error of a joint, in per cent; infinite if it is no chain.
    worst: f32,
    is_in_order: bool,
    is_sure: bool,
}

fn main() {
    let count = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(COUNT);
    let table = Table::built_in();
    let mut judged: BTreeMap<&str, BTreeMap<String, Vec<Judged>>> = BTreeMap::new();
    for kind in Kind::ALL {
        for seed in 0..count as u64 {
            let planted = plant(kind, &mut Random::new(1000 * kind as u64 + seed));
            let upright = Orientation { up: [0.0, 1.0, 0.0], front: [0.0, 0.0, 1.0] };
            let given = FitOptions {
                plan: Some(BodyPlan::Snake),
                orientation: Some(upright),
                ..FitOptions::default()
            };
            let promised = FitOptions { promised: Some(upright), ..FitOptions::default() };
            for (title, options) in [("plan given", given), ("plan found", promised)] {
                let fitter = Fitter::new(table.clone(), planted.positions.clone(), planted.triangles.clone());
                let Ok(found) = fitter.and_then(|mut fitter| fitter.fit(&options)) else { continue };
                let one = judge(&found, &planted);
                if one.worst > GOOD {
                    println!("{kind:?} {seed}, {title}: {:?}, {:.1} %", found.plan, one.worst);
                }
                judged.entry(title).or_default().entry(format!("{kind:?}")).or_default().push(one);
            }
        }
    }
    for (title, kinds) in judged {
        println!("{title}: all joints below 5 %, 10 %, in order, median of the worst, sure of good, bad");
        let all: Vec<&Judged> = kinds.values().flatten().collect();
        let named = kinds.iter().map(|(name, some)| (name.as_str(), some.iter().collect::<Vec<_>>()));
        for (name, some) in named.chain([("all", all)]) {
            println!("{name:<10} {}", summary(&some));
        }
    }
}

fn summary(some: &[&Judged]) -> String {
    let share = |good: &dyn Fn(&Judged) -> bool| {
        100.0 * some.iter().filter(|one| good(one)).count() as f32 / some.len().max(1) as f32
    };
    let mut worst: Vec<f32> = some.iter().map(|one| one.worst).collect();
    worst.sort_by(f32::total_cmp);
    let sure = |is_good: bool| {
        let of: Vec<_> = some.iter().filter(|one| (one.worst < GOOD) == is_good).collect();
        format!("{} of {}", of.iter().filter(|one| one.is_sure).count(), of.len())
    };
    format!(
        "{:>3}  {:5.1} {:5.1} {:5.1}  {:5.2}  {}, {}",
        some.len(),
        share(&|one| one.worst < 0.5 * GOOD),
        share(&|one| one.worst < GOOD),
        share(&|one| one.is_in_order),
        worst.get(worst.len() / 2).copied().unwrap_or(f32::NAN),
        sure(true),
        sure(false)
    )
}

/// How far the joints of a chain are from where they should be, in the better of both orders.
fn judge(found: &FittedSkeleton, planted: &Planted) -> Judged {
    let low = planted.positions.iter().copied().fold(Vec3::INFINITY, Vec3::min);
    let high = planted.positions.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
    let size = (high - low).max_element();
    let spine = found.bones.iter().filter(|bone| bone.label.starts_with("spine")).count();
    let worst = |line: &[Vec3]| {
        let error = |label: &str, head: [f32; 3]| {
            let fraction = snake::fraction(label, spine)?;
            Some(100.0 * polyline::at(line, fraction).distance(Vec3::from(head)) / size)
        };
        let errors = found.bones.iter().map(|bone| error(&bone.label, bone.head).unwrap_or(f32::INFINITY));
        errors.fold(0.0, f32::max)
    };
    let reversed: Vec<Vec3> = planted.line.iter().rev().copied().collect();
    let (ahead, behind) = if found.plan == BodyPlan::Snake {
        (worst(&planted.line), worst(&reversed))
    } else {
        (f32::INFINITY, f32::INFINITY)
    };
    let is_sure = found.confidence > UNCERTAIN;
    Judged { worst: ahead.min(behind), is_in_order: ahead.is_finite() && ahead <= behind, is_sure }
}
