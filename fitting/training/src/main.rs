//! Trains and judges the tables of automatic skeleton fitting.

mod cache;
mod characters;
mod dataset;
mod judge;
mod made_up;
mod mlp;
mod orient;
mod parallel;
mod pose;
mod random;
mod solid;
mod train;

use std::path::Path;
use std::time::Instant;

use dataset::Sample;
use pliant_fitting::plans::humanoid::HUMANOID;
use train::{Settings, train_cascade};

fn family(source: &str) -> &str {
    source.split('-').next().unwrap_or(source)
}

/// Writes a contact sheet of bodies with their joints, from the front.
fn show(samples: &[Sample], path: &str) {
    let (columns, rows, size) = (12, 6, 128);
    let mut pixels = vec![0u8; columns * size * rows * size];
    for (i, s) in
        samples.iter().step_by((samples.len() / (columns * rows)).max(1)).take(columns * rows).enumerate()
    {
        let (ox, oy) = (i % columns * size, i / columns * size);
        let mut put = |p: glam::Vec3, v: u8, add: bool| {
            let x = (p.x + 0.66) * 0.75 * size as f32;
            let y = (1.05 - p.y) * 0.9 * size as f32;
            if x >= 0.0 && y >= 0.0 && (x as usize) < size && (y as usize) < size {
                let at = &mut pixels[(oy + y as usize) * columns * size + ox + x as usize];
                *at = if add { at.saturating_add(v).min(150) } else { v };
            }
        };
        for cell in 0..s.body.lattice.len() {
            if s.body.is_inside(cell) {
                put(s.body.lattice.centre(s.body.lattice.coordinates(cell)), 6, true);
            }
        }
        for &j in s.joints.iter().filter(|j| !j.is_nan()) {
            for d in [glam::Vec3::ZERO, glam::Vec3::X, -glam::Vec3::X, glam::Vec3::Y, -glam::Vec3::Y] {
                put(j + d * 0.009, 255, false);
            }
        }
    }
    let mut out = format!("P5 {} {} 255\n", columns * size, rows * size).into_bytes();
    out.extend(pixels);
    std::fs::write(path, out).expect("writable");
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let get = |name: &str, default: f32| {
        arguments
            .iter()
            .position(|a| a == name)
            .and_then(|i| arguments[i + 1].parse().ok())
            .unwrap_or(default)
    };
    let start = Instant::now();
    let all = characters::read(Path::new("../shared/models/avatars/dev"));
    let characters: Vec<_> = all.into_iter().filter(|c| c.kind == "humanoid").collect();
    eprintln!("{} characters {:.1?}", characters.len(), start.elapsed());
    let judged =
        cache::cached(Path::new("target/training/judged"), || dataset::judged(&HUMANOID, &characters));
    eprintln!("{} judged {:.1?}", judged.len(), start.elapsed());
    let random = {
        let n = get("--variants", 12.0) as usize;
        cache::cached(Path::new(&format!("target/training/random{n}")), || {
            dataset::random(&HUMANOID, &characters, n, 7)
        })
    };
    eprintln!("{} random {:.1?}", random.len(), start.elapsed());
    let made_up = {
        let n = get("--made-up", 2000.0) as usize;
        cache::cached(Path::new(&format!("target/training/made{n}")), || dataset::made_up(n, 5))
    };
    eprintln!("{} made up {:.1?}", made_up.len(), start.elapsed());
    if arguments.iter().any(|a| a == "--show") {
        show(&made_up, "target/training/made.pgm");
        show(&random, "target/training/random.pgm");
        return;
    }
    let settings = Settings {
        epochs: get("--epochs", 10.0) as usize,
        decay: get("--decay", 0.01),
        input_noise: get("--input-noise", 0.05),
        starts: get("--starts", 1.0) as usize,
        hidden: vec![get("--hidden", 48.0) as usize, get("--hidden2", 32.0) as usize],
        basis: get("--basis", 32.0) as usize,
        ..Settings::default()
    };
    if arguments.iter().any(|a| a == "--orientation") {
        let network = |out: &dyn Fn(usize) -> bool| {
            let training: Vec<&Sample> =
                random.iter().chain(&judged).filter(|s| !out(s.character)).chain(&made_up).collect();
            orient::train_network(&training)
        };
        for fold in 0..1 {
            let out = |c: usize| c % 5 == fold;
            let network = network(&|c| c != usize::MAX && out(c));
            let test: Vec<&Sample> = judged.iter().filter(|s| out(s.character)).collect();
            println!("orientation, fold {fold}: {}", orient::judge(&network, &test));
        }
        let is_100 = |c: usize| c != usize::MAX && characters[c].source.starts_with("100");
        let test: Vec<&Sample> = judged.iter().filter(|s| is_100(s.character)).collect();
        println!("orientation, without 100avatars: {}", orient::judge(&network(&is_100), &test));
        return;
    }
    if let Some(path) = arguments.iter().position(|a| a == "--write").map(|i| arguments[i + 1].clone()) {
        let training: Vec<&Sample> = random.iter().chain(&judged).chain(&made_up).collect();
        let made_weight = get("--made-weight", 1.0);
        let weight: Vec<f32> =
            training.iter().map(|s| if s.character == usize::MAX { made_weight } else { 1.0 }).collect();
        let table = pliant_fitting::table::Table {
            orientation: orient::train_network(&training),
            humanoid: train_cascade(&HUMANOID, &training, &weight, &settings),
        };
        std::fs::write(path, table.to_bytes()).expect("the table can be written");
        return;
    }
    let splits: Vec<(String, Box<dyn Fn(usize) -> bool>)> = {
        let families: Vec<String> = characters.iter().map(|c| family(&c.source).to_owned()).collect();
        let mut out: Vec<(String, Box<dyn Fn(usize) -> bool>)> = Vec::new();
        for fold in 0..get("--folds", 1.0) as usize {
            // By character: voxel twins share the number.
            let fold_of: Vec<usize> = characters
                .iter()
                .map(|c| c.file.bytes().filter(u8::is_ascii_digit).fold(0usize, |a, b| a * 31 + b as usize))
                .collect();
            out.push((format!("fold {fold}"), Box::new(move |c| fold_of[c] % 5 == fold)));
        }
        let mut names = families.clone();
        names.sort();
        names.dedup();
        let wanted = arguments
            .iter()
            .position(|a| a == "--out")
            .map(|i| arguments[i + 1].clone())
            .unwrap_or("100avatars".into());
        for name in names.into_iter().filter(|n| wanted == "all" || *n == wanted) {
            let families = families.clone();
            out.push((format!("without {name}"), Box::new(move |c| families[c] == name)));
        }
        out
    };
    for (name, is_out) in &splits {
        let of = |c: usize| c != usize::MAX && is_out(c);
        let training: Vec<&Sample> =
            random.iter().chain(&judged).filter(|s| !of(s.character)).chain(&made_up).collect();
        let made_weight = get("--made-weight", 1.0);
        let weight: Vec<f32> =
            training.iter().map(|s| if s.character == usize::MAX { made_weight } else { 1.0 }).collect();
        let cascade = train_cascade(&HUMANOID, &training, &weight, &settings);
        let test: Vec<&Sample> = judged.iter().filter(|s| of(s.character)).collect();
        println!("{name}: {} train, {} test, {:.0?}", training.len(), test.len(), start.elapsed());
        for rounds in 0..=pliant_fitting::cascade::ROUNDS.len() {
            let fits: Vec<Vec<f32>> =
                parallel::map(&test, |s| judge::errors(s, &train::fit(&cascade, &HUMANOID, s, rounds)));
            let row = |filter: &dyn Fn(&Sample) -> bool| {
                let some: Vec<Vec<f32>> =
                    test.iter().zip(&fits).filter(|(s, _)| filter(s)).map(|(_, f)| f.clone()).collect();
                let [a, b, c, d] = judge::summary(&some);
                format!("{a:5.2} /{b:5.1} /{c:5.1} /{d:5.1}")
            };
            println!(
                "  round {rounds}: all {}   orig/20/45 {}   75 {}",
                row(&|_| true),
                row(&|s| s.pose < 3),
                row(&|s| s.pose == 3)
            );
            if rounds == pliant_fitting::cascade::ROUNDS.len() {
                let mut per = String::new();
                for (j, joint) in HUMANOID.joints[..10].iter().enumerate() {
                    let mut v: Vec<f32> = fits.iter().map(|f| f[j]).filter(|e| !e.is_nan()).collect();
                    v.sort_by(f32::total_cmp);
                    if !v.is_empty() {
                        per += &format!(" {} {:.2}/{:.1}", joint.name, v[v.len() / 2], v[v.len() * 9 / 10]);
                    }
                }
                println!("   {per}");
            }
        }
        for starts in [4, 8] {
            let many = parallel::map(&test, |s| {
                let (joints, spread) =
                    pliant_fitting::ensemble::fit(&cascade, &HUMANOID, &s.body, starts, &[]);
                (judge::errors(s, &joints), judge::MAIN.iter().map(|&j| spread[j]).fold(0.0, f32::max))
            });
            let fits: Vec<Vec<f32>> = many.iter().map(|m| m.0.clone()).collect();
            let [a, b, c, d] = judge::summary(&fits);
            let mut ranked: Vec<(f32, bool)> =
                many.iter().map(|(e, s)| (*s, judge::LIMB.iter().any(|&j| e[j] > 10.0))).collect();
            ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
            let bad = ranked.iter().filter(|r| r.1).count() as f32;
            let good = ranked.len() as f32 - bad;
            let mut seen_good = 0.0;
            let mut area = 0.0;
            let mut caught = 0.0;
            for (_, is_bad) in &ranked {
                if *is_bad {
                    area += seen_good;
                    if seen_good >= 0.9 * good {
                        caught += 1.0;
                    }
                } else {
                    seen_good += 1.0;
                }
            }
            println!(
                "  {starts} starts: {a:5.2} /{b:5.1} /{c:5.1} /{d:5.1}   AUC {:.3}, caught {:.0} % of {bad} at 10 % false alarms",
                area / (bad * good).max(1.0),
                100.0 * caught / bad.max(1.0)
            );
        }
    }
    eprintln!("{:.0?}", start.elapsed());
}
