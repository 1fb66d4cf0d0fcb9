//! Judges the fingers that are found on labelled characters.
//!
//! Run it from the root of the project:
//!
//!     cargo run --release -p pliant-training --bin fingers -- [--noise 1.5] [--fit] [--curl 20]
//! [--dense] [--shares] [--mittens] [--show FILE]     … --files FILE…
//!
//! `--noise` moves elbows and wrists by this many per cent of the height in a random direction, and
//! `--fit` takes them from the fitted skeleton. `--curl` bends the fingers by some degrees at each
//! joint. `--dense` divides each triangle into four.
//! `--shares` prints where the labelled joints are on the centre lines. `--mittens` looks for
//! fingers where there are none: on mittens around the hands, and on feet. `--show` writes contact
//! sheets. `--files` fits skeletons to the meshes of files, and prints their fingers beside the
//! bones of the file, if their names are those of Mixamo or Unreal.
//!
//! A rig can have finger bones in a hand without fingers. Fingers are separate if no edge of the
//! mesh connects the vertices that follow their last bones.

#![allow(clippy::disallowed_methods, reason = "this is a program with files and a clock")]

#[path = "../../characters.rs"]
mod characters;
#[path = "../../parallel.rs"]
mod parallel;
#[allow(dead_code, reason = "training uses the rest")]
#[path = "../../pose.rs"]
mod pose;
#[allow(dead_code, reason = "training uses the rest")]
#[path = "../../random.rs"]
mod random;

mod file;
mod mittens;
mod show;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::Instant;

use characters::Character;
use glam::{Quat, Vec3};
use pliant_fitting::body::Body;
use pliant_fitting::fingers::{self, FINGERS, Finger};
use pliant_fitting::plans::humanoid;
use pliant_fitting::table::Table;
use random::Random;

const FOLDER: &str = "../shared/models/avatars/dev";

/// A hand with what is known and what is found.
struct Hand {
    file: String,
    source: String,
    side: &'static str,
    pose: &'static str,
    elbow: Vec3,
    wrist: Vec3,
    /// Fingers that are separate by the skin.
    separate: usize,
    /// Labelled joints by finger; NaN where there is none.
    labels: [[Vec3; 3]; 5],
    /// From the wrist to the farthest vertex of a finger.
    length: f32,
    found: Vec<Finger>,
    seconds: f64,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).cloned()
    };
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let noise = value("--noise").and_then(|text| text.parse().ok()).unwrap_or(0.0f32) / 100.0;
    if let Some(at) = arguments.iter().position(|argument| argument == "--files") {
        arguments[at + 1..].iter().for_each(|path| file::judge(path, value("--show").as_deref()));
        return;
    }
    let degrees = value("--curl").and_then(|text| text.parse().ok()).unwrap_or(0.0f32);
    let mut characters = characters::read(Path::new(FOLDER));
    characters.retain(|character| character.kind == "humanoid");
    if let Some(only) = value("--only") {
        characters.retain(|character| character.file.contains(&only) || character.source == only);
    }
    if has("--mittens") {
        mittens::judge(&characters);
        return;
    }
    let table = has("--fit").then(Table::built_in);
    if has("--dense") {
        characters.iter_mut().for_each(divide);
    }
    for pose in [0, 2, 3] {
        let hands: Vec<Hand> =
            parallel::map(&characters, |character| judge(character, pose, [noise, degrees], table.as_ref()))
                .into_iter()
                .flatten()
                .collect();
        println!("\n{}, noise {:.1} %", pose::judged()[pose].0, 100.0 * noise);
        report(&hands);
        if has("--shares") {
            shares(&hands);
        }
        if has("--list") {
            list(&hands);
        }
        if let Some(path) = value("--show") {
            show::show(&hands, &characters, (pose, degrees), &path);
        }
        if has("--first") {
            break;
        }
    }
}

/// Looks for the fingers of both hands of a character.
fn judge(character: &Character, pose: usize, [noise, degrees]: [f32; 2], table: Option<&Table>) -> Vec<Hand> {
    let (name, limbs) = pose::judged()[pose];
    let mut changes = limbs.map(|limbs| pose::hold(character, [limbs; 2])).unwrap_or_default();
    changes.extend(curl(character, degrees));
    let posed = pose::apply(character, &changes);
    let mut random = Random::new(character.file.bytes().map(u64::from).sum::<u64>() + pose as u64);
    let fitted = table.and_then(|table| {
        let body = Body::of_mesh(&posed.positions, &character.triangles);
        humanoid::fit(table, &body, &[]).ok()
    });
    let mut out = Vec::new();
    for side in ["L", "R"] {
        let at = |label: &str| character.labels.get(&format!("{label}.{side}")).map(|&j| posed.heads[j]);
        let (Some(elbow), Some(wrist)) = (at("forearm"), at("hand")) else { continue };
        let mut moved = |p: Vec3| p + random.normal3().normalize_or_zero() * noise;
        let mut arm = [moved(elbow), moved(wrist)];
        for joint in fitted.iter().flat_map(|skeleton| &skeleton.joints) {
            for (place, part) in arm.iter_mut().zip(["forearm", "hand"]) {
                if joint.label == format!("{part}.{side}") {
                    *place = joint.head;
                }
            }
        }
        let start = Instant::now();
        let found = fingers::find(&posed.positions, &character.triangles, arm, None);
        let seconds = start.elapsed().as_secs_f64();
        let mut labels = FINGERS
            .map(|finger| [1, 2, 3].map(|joint| at(&format!("{finger}_{joint}")).unwrap_or(Vec3::NAN)));
        // Thumbs with two joints have none in the palm.
        if labels[0][2].is_nan() {
            labels[0] = [Vec3::NAN, labels[0][0], labels[0][1]];
        }
        let (separate, length) = truth(character, side, &posed.positions, wrist);
        out.push(Hand {
            file: character.file.clone(),
            source: character.source.clone(),
            side,
            pose: name,
            elbow: arm[0],
            wrist: arm[1],
            separate,
            labels,
            length,
            found,
            seconds,
        });
    }
    out
}

/// Divides each triangle of a character into four.
fn divide(character: &mut Character) {
    let mut middles: BTreeMap<[u32; 2], u32> = BTreeMap::new();
    let mut triangles = Vec::new();
    for &[a, b, c] in &character.triangles {
        let [ab, bc, ca] = [[a, b], [b, c], [c, a]].map(|[a, b]| {
            *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                let [p, q] = [a, b].map(|v| character.positions[v as usize]);
                character.positions.push(p.midpoint(q));
                let row = character.weights[a as usize].clone();
                character.weights.push(row);
                character.positions.len() as u32 - 1
            })
        });
        triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    character.triangles = triangles;
}

/// Rotations that bend the fingers towards the palm, each joint by some degrees.
fn curl(character: &Character, degrees: f32) -> pose::Changes {
    let mut changes = pose::Changes::new();
    for side in ["L", "R"] {
        let at = |label: &str| character.labels.get(&format!("{label}.{side}")).map(|&j| character.heads[j]);
        let (Some(index), Some(little)) = (at("index_1"), at("little_1")) else { continue };
        let sign = if side == "L" { 1.0 } else { -1.0 };
        let axis = (little - index).normalize_or_zero() * sign;
        for finger in &FINGERS[1..] {
            for joint in 1..=3 {
                let rotation = Quat::from_axis_angle(axis, degrees.to_radians());
                let change = pose::Change { rotation, ..pose::Change::default() };
                changes.insert(format!("{finger}_{joint}.{side}"), change);
            }
        }
    }
    changes
}

/// How many fingers are separate, and the length of the hand.
fn truth(character: &Character, side: &str, positions: &[Vec3], wrist: Vec3) -> (usize, f32) {
    // Finger and joint number, of labelled joints and of those that hang on them.
    let mut finger_of: Vec<Option<(usize, usize)>> = vec![None; character.heads.len()];
    let mut last = [0; 5];
    for (finger, name) in FINGERS.iter().enumerate() {
        for joint in 1..=3 {
            if let Some(&index) = character.labels.get(&format!("{name}_{joint}.{side}")) {
                finger_of[index] = Some((finger, joint));
                last[finger] = joint;
            }
        }
    }
    for joint in 0..finger_of.len() {
        if let (None, Some(parent)) = (finger_of[joint], character.parents[joint]) {
            finger_of[joint] = finger_of[parent];
        }
    }
    let strongest =
        |row: &Vec<(u32, f32)>| row.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|entry| entry.0);
    let of_vertex: Vec<Option<(usize, usize)>> = character
        .weights
        .iter()
        .map(|row| strongest(row).and_then(|joint| finger_of[joint as usize]))
        .collect();
    let length = of_vertex
        .iter()
        .zip(positions)
        .filter(|(finger, _)| finger.is_some())
        .map(|(_, p)| p.distance(wrist))
        .fold(0.0, f32::max);
    let tip = |v: u32| of_vertex[v as usize].filter(|&(finger, joint)| joint == last[finger]).map(|(f, _)| f);
    let mut group: [usize; 5] = std::array::from_fn(|finger| finger);
    let mut is_there = [false; 5];
    // Vertices at one place are one.
    let mut place: HashMap<[u32; 3], usize> = HashMap::new();
    for v in 0..positions.len() as u32 {
        if let Some(finger) = tip(v) {
            is_there[finger] = true;
            let key = character.positions[v as usize].to_array().map(f32::to_bits);
            let other = *place.entry(key).or_insert(finger);
            unite(&mut group, finger, other);
        }
    }
    for triangle in &character.triangles {
        for (a, b) in [(0, 1), (1, 2), (2, 0)] {
            if let (Some(a), Some(b)) = (tip(triangle[a]), tip(triangle[b])) {
                unite(&mut group, a, b);
            }
        }
    }
    let separate = (0..5).filter(|&finger| is_there[finger] && group[finger] == finger).count();
    (separate, length)
}

/// Fingers of one group have the number of its first member that is there.
fn unite(group: &mut [usize; 5], a: usize, b: usize) {
    let (low, high) = (group[a].min(group[b]), group[a].max(group[b]));
    group.iter_mut().filter(|g| **g == high).for_each(|g| *g = low);
}

/// Errors of the joints of a hand, in heights.
fn errors(hand: &Hand) -> Vec<f32> {
    let of = |finger: &Finger| {
        let (labels, joints) = (hand.labels[finger.kind], finger.joints());
        labels.into_iter().zip(joints).map(|(label, joint)| label.distance(joint)).filter(|e| e.is_finite())
    };
    hand.found.iter().flat_map(of).collect()
}

/// Whether no joint is off by more than a fifth of the hand: all fingers have their right names.
fn is_good(hand: &Hand) -> bool {
    errors(hand).iter().all(|&error| error < 0.2 * hand.length)
}

fn median(mut values: Vec<f32>) -> f32 {
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f32::NAN)
}

/// Prints counts and errors by source.
fn report(hands: &[Hand]) {
    println!(
        "{:18} {:>5} | {:>17} | {:>17} | {:>17} | {:>37}",
        "source",
        "hands",
        "5 separate: right",
        "2-4: right, more",
        "0-1: right, more",
        "5 of 5: % height, hand, all joints ok"
    );
    let mut sources: Vec<&str> = hands.iter().map(|hand| hand.source.as_str()).collect();
    sources.sort_unstable();
    sources.dedup();
    for source in sources.into_iter().map(Some).chain([None]) {
        let of: Vec<&Hand> = hands.iter().filter(|hand| source.is_none_or(|s| s == hand.source)).collect();
        let five: Vec<&&Hand> = of.iter().filter(|hand| hand.separate == 5).collect();
        let right: Vec<&&&Hand> = five.iter().filter(|hand| hand.found.len() == 5).collect();
        let some: Vec<&&Hand> = of.iter().filter(|hand| (2..5).contains(&hand.separate)).collect();
        let none: Vec<&&Hand> = of.iter().filter(|hand| hand.separate < 2).collect();
        let count = |hands: &[&&Hand], is: &dyn Fn(&Hand) -> bool| hands.iter().filter(|h| is(h)).count();
        let all: Vec<f32> =
            right.iter().flat_map(|hand| errors(hand).into_iter().map(|error| 100.0 * error)).collect();
        let by_hand: Vec<f32> = right
            .iter()
            .flat_map(|hand| errors(hand).into_iter().map(|error| 100.0 * error / hand.length))
            .collect();
        println!(
            "{:18} {:5} | {:>10} of {:3} | {:3}, {:3} of {:3} | {:3}, {:3} of {:3} | {:8.2} {:8.1} {:8} of {:3}",
            source.unwrap_or("all"),
            of.len(),
            right.len(),
            five.len(),
            count(&some, &|h| h.found.len() == h.separate),
            count(&some, &|h| h.found.len() > h.separate),
            some.len(),
            count(&none, &|h| h.found.is_empty()),
            count(&none, &|h| h.found.len() >= 2),
            none.len(),
            median(all),
            median(by_hand),
            right.iter().filter(|hand| is_good(hand)).count(),
            right.len(),
        );
    }
    let mut times: Vec<f64> = hands.iter().map(|hand| 1e3 * hand.seconds).collect();
    times.sort_by(f64::total_cmp);
    println!(
        "time per hand: median {:.1} ms, longest {:.1} ms",
        times[times.len() / 2],
        times[times.len() - 1]
    );
}

/// Prints the hands with another number of fingers than the skin says, or with false names.
fn list(hands: &[Hand]) {
    for hand in hands.iter().filter(|hand| hand.found.len() != hand.separate || !is_good(hand)) {
        println!("{} {} {}: {} not {}", hand.pose, hand.file, hand.side, hand.found.len(), hand.separate);
    }
}

/// The share of the length of a line where it is nearest to a point.
fn share_of(finger: &Finger, point: Vec3) -> f32 {
    (-150..=120)
        .map(|i| i as f32 / 100.0)
        .min_by(|&a, &b| finger.line.at(a).distance(point).total_cmp(&finger.line.at(b).distance(point)))
        .unwrap_or(0.0)
}

/// Prints where labelled joints are on the centre lines, and the errors if each source is judged
/// by the medians of the others.
fn shares(hands: &[Hand]) {
    let mut by_source: BTreeMap<&str, [[Vec<f32>; 3]; 5]> = BTreeMap::new();
    let good = || hands.iter().filter(|hand| hand.found.len() == 5 && hand.separate == 5);
    for hand in good() {
        let of = by_source.entry(hand.source.as_str()).or_default();
        for finger in &hand.found {
            for (&label, shares) in hand.labels[finger.kind].iter().zip(&mut of[finger.kind]) {
                if label.is_finite() {
                    shares.push(share_of(finger, label));
                }
            }
        }
    }
    let medians: BTreeMap<&str, [[f32; 3]; 5]> =
        by_source.into_iter().map(|(source, of)| (source, of.map(|f| f.map(median)))).collect();
    let table = |but: Option<&str>| -> [[f32; 3]; 5] {
        std::array::from_fn(|finger| {
            std::array::from_fn(|joint| {
                let of = medians.iter().filter(|(source, _)| Some(**source) != but);
                let mut values: Vec<f32> =
                    of.map(|(_, m)| m[finger][joint]).filter(|m| m.is_finite()).collect();
                values.sort_by(f32::total_cmp);
                let n = values.len();
                if n == 0 { f32::NAN } else { 0.5 * (values[(n - 1) / 2] + values[n / 2]) }
            })
        })
    };
    for (source, m) in &medians {
        println!("shares {source}: {m:.2?}");
    }
    println!("shares of all: {:.2?}", table(None));
    for source in medians.keys() {
        for (name, table) in
            [("left out", table(Some(source))), ("own", medians[source]), ("all", table(None))]
        {
            let mut by_joint: [Vec<f32>; 3] = Default::default();
            let mut of_thumb: [Vec<f32>; 3] = Default::default();
            let mut relative = Vec::new();
            for hand in good().filter(|hand| hand.source == *source) {
                for finger in &hand.found {
                    let of = if finger.kind == 0 { &mut of_thumb } else { &mut by_joint };
                    let places = table[finger.kind].map(|share| finger.line.at(share));
                    for ((label, place), of) in hand.labels[finger.kind].iter().zip(places).zip(of) {
                        let error = label.distance(place);
                        if error.is_finite() {
                            of.push(100.0 * error);
                            relative.push(100.0 * error / hand.length);
                        }
                    }
                }
            }
            let all = median([by_joint.concat(), of_thumb.concat()].concat());
            println!(
                "{source} {name}: median {all:.2} % of height, {:.1} % of hand; by joint {:.2?}, of thumb {:.2?}",
                median(relative),
                by_joint.map(median),
                of_thumb.map(median)
            );
        }
    }
}
