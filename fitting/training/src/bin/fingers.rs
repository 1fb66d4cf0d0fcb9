//! Judges the fingers that are found on labelled characters.
//!
//! Run it from the root of the project:
//!
//!     cargo run --release -p pliant-training --bin fingers -- [--noise 1.5] [--fit] [--dense] [--shares] [--mittens] [--show FILE]
//!     … --files FILE…
//!
//! `--noise` moves elbows and wrists by this many per cent of the height in a random direction, and
//! `--fit` takes them from the fitted skeleton. `--dense` divides each triangle into four.
//! `--shares` prints where the labelled joints are on the centre lines. `--mittens` looks for fingers
//! where there are none: on mittens around the hands, and on feet. `--show` writes contact sheets.
//! `--files` fits skeletons to the meshes of files, and prints their fingers beside the bones of the
//! file, if their names are those of Mixamo or Unreal.
//!
//! A rig can have finger bones in a hand without fingers. Fingers are separate if no edge of the
//! mesh connects the vertices that follow their last bones.

#[path = "../characters.rs"]
mod characters;
#[path = "../parallel.rs"]
mod parallel;
#[allow(dead_code, reason = "training uses the rest")]
#[path = "../pose.rs"]
mod pose;
#[allow(dead_code, reason = "training uses the rest")]
#[path = "../random.rs"]
mod random;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::Instant;

use characters::Character;
use glam::Vec3;
use pliant::io::{self, File};
use pliant::report::Report;
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
        arguments[at + 1..].iter().for_each(|path| try_file(path, value("--show").as_deref()));
        return;
    }
    let mut characters = characters::read(Path::new(FOLDER));
    characters.retain(|character| character.kind == "humanoid");
    if let Some(only) = value("--only") {
        characters.retain(|character| character.file.contains(&only) || character.source == only);
    }
    if has("--mittens") {
        mittens(&characters);
        return;
    }
    let table = has("--fit").then(Table::built_in);
    if has("--dense") {
        characters.iter_mut().for_each(divide);
    }
    for pose in [0, 2, 3] {
        let hands: Vec<Hand> =
            parallel::map(&characters, |character| judge(character, pose, noise, table.as_ref()))
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
            show(&hands, &characters, pose, &path);
        }
        if has("--first") {
            break;
        }
    }
}

/// Looks for the fingers of both hands of a character.
fn judge(character: &Character, pose: usize, noise: f32, table: Option<&Table>) -> Vec<Hand> {
    let (name, limbs) = pose::judged()[pose];
    let changes = limbs.map(|limbs| pose::hold(character, [limbs; 2])).unwrap_or_default();
    let posed = pose::apply(character, &changes);
    let mut random = Random::new(character.file.bytes().map(u64::from).sum::<u64>() + pose as u64);
    let fitted = table.and_then(|table| {
        let body = Body::of_mesh(&posed.positions, &character.triangles);
        humanoid::fit(table, &body, &[], None).ok()
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

/// Fits a skeleton to the mesh of a file, and prints its fingers.
fn try_file(path: &str, sheet: Option<&str>) {
    let Ok(bytes) = std::fs::read(path) else { return println!("{path}: cannot be read") };
    let files = [File { name: path.to_owned(), bytes }];
    let asset = match io::read_character(&files, &mut Report::default()) {
        Ok(asset) => asset,
        Err(error) => return println!("{path}: {error}"),
    };
    let joints = asset.skeleton.as_ref().map(|skeleton| skeleton.joints()).unwrap_or_default();
    let low = asset.render.positions.iter().fold(Vec3::INFINITY, |low, &p| low.min(p));
    let high = asset.render.positions.iter().fold(Vec3::NEG_INFINITY, |high, &p| high.max(p));
    let (origin, height) = (low.midpoint(high).with_y(low.y), high.y - low.y);
    let character = Character {
        file: path.to_owned(),
        source: String::new(),
        kind: String::new(),
        positions: asset.render.positions.iter().map(|&p| (p - origin) / height).collect(),
        triangles: asset.render.triangles.clone(),
        weights: vec![vec![(0, 1.0)]; asset.render.positions.len()],
        parents: vec![None],
        heads: vec![Vec3::ZERO],
        labels: BTreeMap::new(),
    };
    let body = Body::of_mesh(&character.positions, &character.triangles);
    let Ok(skeleton) = humanoid::fit(&Table::built_in(), &body, &[], None) else { return };
    let mut hands = Vec::new();
    for (side, word) in [("L", "left"), ("R", "right")] {
        let at = |part: &str| {
            let label = format!("{part}.{side}");
            skeleton.joints.iter().find(|joint| joint.label == label).map_or(Vec3::NAN, |joint| joint.head)
        };
        let [elbow, wrist] = ["forearm", "hand"].map(at);
        let start = Instant::now();
        let found = fingers::find(&character.positions, &character.triangles, [elbow, wrist], None);
        let seconds = start.elapsed().as_secs_f64();
        let labels = FINGERS.map(|finger| {
            let finger = if finger == "little" { "pinky" } else { finger };
            [1, 2, 3].map(|joint| {
                let names = [
                    format!("{word}hand{finger}{joint}"),
                    format!("{finger}_0{joint}_{}", side.to_lowercase()),
                ];
                let is_known =
                    |name: &str| names.iter().any(|known| name.to_lowercase().ends_with(known.as_str()));
                let known = joints.iter().find(|joint| is_known(&joint.name));
                known.map_or(Vec3::NAN, |joint| (joint.head() - origin) / height)
            })
        });
        let length = found.iter().map(|finger| finger.line.at(1.0).distance(wrist)).fold(0.1, f32::max);
        hands.push(Hand {
            file: path.to_owned(),
            source: String::new(),
            side,
            pose: "as in the file",
            elbow,
            wrist,
            separate: 0,
            labels,
            length,
            found,
            seconds,
        });
    }
    for hand in &hands {
        let errors = errors(hand).into_iter().map(|error| 100.0 * error.2).collect();
        let names: Vec<&str> = hand.found.iter().map(|finger| FINGERS[finger.kind]).collect();
        println!(
            "{path} {}: {names:?}, median error {:.2} %, {:.0} ms",
            hand.side,
            median(errors),
            1e3 * hand.seconds
        );
    }
    if let Some(sheet) = sheet {
        let name = Path::new(path).file_stem().unwrap_or_default().to_string_lossy();
        show(&hands, &[character], 0, &format!("{sheet}-{name}"));
    }
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

/// Prints how many fingers are found where there are none.
fn mittens(characters: &[Character]) {
    let found = parallel::map(characters, |character| {
        let mut out: Vec<(&'static str, usize)> = Vec::new();
        for side in ["L", "R"] {
            let at =
                |label: &str| character.labels.get(&format!("{label}.{side}")).map(|&j| character.heads[j]);
            if let (Some(elbow), Some(wrist)) = (at("forearm"), at("hand")) {
                for (name, parts) in [
                    ("stump", &[[true, false, false]][..]),
                    ("mitten", &[[true, false, true]]),
                    ("mitten with a thumb", &[[true, false, true], [false, true, false]]),
                ] {
                    let (positions, triangles) = mitten(character, side, parts);
                    let found = fingers::find(&positions, &triangles, [elbow, wrist], None);
                    out.push((name, found.len()));
                }
            }
            if let (Some(knee), Some(ankle)) = (at("shin"), at("foot")) {
                let found = fingers::find(&character.positions, &character.triangles, [knee, ankle], None);
                out.push(("foot", found.len()));
            }
        }
        out
    });
    let mut counts: BTreeMap<(&str, &str), [usize; 6]> = BTreeMap::new();
    for (character, found) in characters.iter().zip(&found) {
        for &(name, count) in found {
            counts.entry((name, &character.source)).or_default()[count] += 1;
        }
    }
    println!("hands with 0, 1, 2, 3, 4, 5 fingers found");
    for ((name, source), counts) in counts {
        println!("{name:20} {source:18} {counts:3?}");
    }
}

/// A character with one hand replaced by convex hulls. Each hull is around some of palm, thumb, and
/// the other fingers.
fn mitten(character: &Character, side: &str, hulls: &[[bool; 3]]) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut part_of: Vec<Option<usize>> = vec![None; character.heads.len()];
    for joint in 0..part_of.len() {
        let label = character.labels.iter().find(|entry| *entry.1 == joint).map(|entry| entry.0.as_str());
        let is_of = |part: &str| label.is_some_and(|label| label.starts_with(part) && label.ends_with(side));
        part_of[joint] = if is_of("hand") {
            Some(0)
        } else if is_of("thumb") {
            Some(1)
        } else if FINGERS[1..].iter().any(|finger| is_of(finger)) {
            Some(2)
        } else {
            character.parents[joint].and_then(|parent| part_of[parent])
        };
    }
    let strongest =
        |row: &Vec<(u32, f32)>| row.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|entry| entry.0);
    let of_vertex: Vec<Option<usize>> = character
        .weights
        .iter()
        .map(|row| strongest(row).and_then(|joint| part_of[joint as usize]))
        .collect();
    let mut positions = character.positions.clone();
    let mut triangles = character.triangles.clone();
    triangles.retain(|triangle| triangle.iter().any(|&v| of_vertex[v as usize].is_none()));
    for hull in hulls {
        let points: Vec<Vec3> = of_vertex
            .iter()
            .zip(&character.positions)
            .filter(|(part, _)| part.is_some_and(|part| hull[part]))
            .map(|(_, &p)| p)
            .collect();
        add_hull(&points, &mut positions, &mut triangles);
    }
    (positions, triangles)
}

/// Adds a convex hull: the farthest points in the directions of a subdivided cube.
fn add_hull(points: &[Vec3], positions: &mut Vec<Vec3>, triangles: &mut Vec<[u32; 3]>) {
    const STEPS: u32 = 12;
    for axis in 0..6 {
        let first = positions.len() as u32;
        for i in 0..=STEPS {
            for j in 0..=STEPS {
                let [u, v] = [i, j].map(|i| 2.0 * i as f32 / STEPS as f32 - 1.0);
                let direction = match axis {
                    0 => Vec3::new(1.0, u, v),
                    1 => Vec3::new(-1.0, v, u),
                    2 => Vec3::new(v, 1.0, u),
                    3 => Vec3::new(u, -1.0, v),
                    4 => Vec3::new(u, v, 1.0),
                    _ => Vec3::new(v, u, -1.0),
                };
                let farthest = points.iter().max_by(|a, b| a.dot(direction).total_cmp(&b.dot(direction)));
                positions.push(farthest.copied().unwrap_or(Vec3::NAN));
            }
        }
        for i in 0..STEPS {
            for j in 0..STEPS {
                let at = |i: u32, j: u32| first + i * (STEPS + 1) + j;
                triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
                triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
            }
        }
    }
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

/// Errors of the joints of a hand in heights: finger, joint, error.
fn errors(hand: &Hand) -> Vec<(usize, usize, f32)> {
    let mut out = Vec::new();
    for finger in &hand.found {
        let joints = finger.joints();
        for joint in 0..3 {
            let label = hand.labels[finger.kind][joint];
            if label.is_finite() {
                out.push((finger.kind, joint, label.distance(joints[joint])));
            }
        }
    }
    out
}

fn median(mut values: Vec<f32>) -> f32 {
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f32::NAN)
}

/// Prints counts and errors by source.
fn report(hands: &[Hand]) {
    println!(
        "{:18} {:>5} | {:>17} | {:>17} | {:>17} | {:>22}",
        "source",
        "hands",
        "5 separate: right",
        "2-4: right, more",
        "0-1: right, more",
        "5 of 5: % height, hand"
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
            right.iter().flat_map(|hand| errors(hand).into_iter().map(|e| 100.0 * e.2)).collect();
        let by_hand: Vec<f32> = right
            .iter()
            .flat_map(|hand| errors(hand).into_iter().map(|e| 100.0 * e.2 / hand.length))
            .collect();
        println!(
            "{:18} {:5} | {:>10} of {:3} | {:3}, {:3} of {:3} | {:3}, {:3} of {:3} | {:8.2} {:8.1}",
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

/// Prints the hands with another number of fingers than the skin says.
fn list(hands: &[Hand]) {
    for hand in hands.iter().filter(|hand| hand.found.len() != hand.separate) {
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
            for joint in 0..3 {
                let label = hand.labels[finger.kind][joint];
                if label.is_finite() {
                    of[finger.kind][joint].push(share_of(finger, label));
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
                    for joint in 0..3 {
                        let error = hand.labels[finger.kind][joint]
                            .distance(finger.line.at(table[finger.kind][joint]));
                        if error.is_finite() {
                            let of = if finger.kind == 0 { &mut of_thumb } else { &mut by_joint };
                            of[joint].push(100.0 * error);
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

/// Writes contact sheets: hands along the forearm, centre lines, joints, and labels in red.
fn show(hands: &[Hand], characters: &[Character], pose: usize, path: &str) {
    const SIZE: usize = 200;
    const COLUMNS: usize = 10;
    const ROWS: usize = 8;
    let colours = [[255, 210, 60], [90, 220, 90], [80, 200, 255], [190, 130, 255], [255, 140, 220]];
    for (sheet, page) in hands.chunks(COLUMNS * ROWS).enumerate() {
        let mut pixels = vec![[24u8; 3]; COLUMNS * SIZE * ROWS * SIZE];
        for (tile, hand) in page.iter().enumerate() {
            let Some(character) = characters.iter().find(|character| character.file == hand.file) else {
                continue;
            };
            let changes =
                pose::judged()[pose].1.map(|limbs| pose::hold(character, [limbs; 2])).unwrap_or_default();
            let positions = pose::apply(character, &changes).positions;
            let along = (hand.wrist - hand.elbow).normalize_or(Vec3::X);
            let scale = SIZE as f32 / (1.45 * hand.length.max(0.03));
            let reach = 1.3 * hand.length.max(0.03);
            let mut points = Vec::new();
            for triangle in &character.triangles {
                let [p, q, r] = triangle.map(|v| positions[v as usize]);
                if [p, q, r].iter().all(|p| p.distance(hand.wrist) > reach) {
                    continue;
                }
                let normal = (q - p).cross(r - p).normalize_or_zero();
                let longest = p.distance(q).max(q.distance(r)).max(r.distance(p));
                let steps = ((longest * scale * 1.5).ceil() as usize).clamp(1, 400);
                for i in 0..=steps {
                    for j in 0..=steps - i {
                        let (u, v) = (i as f32 / steps as f32, j as f32 / steps as f32);
                        let point = p + (q - p) * u + (r - p) * v;
                        if (point - hand.wrist).dot(along) > -0.3 * hand.length
                            && point.distance(hand.wrist) < reach
                        {
                            points.push((point, normal));
                        }
                    }
                }
            }
            // The wider side is shown.
            let first = along.cross(Vec3::Z).normalize_or(Vec3::Y);
            let second = along.cross(first);
            let extent = |axis: Vec3| {
                let values = points.iter().map(|(p, _)| (*p - hand.wrist).dot(axis));
                values.clone().fold(0.0, f32::max) - values.fold(0.0, f32::min)
            };
            let across = if extent(first) > extent(second) { first } else { second };
            let depth = along.cross(across);
            let (left, top) = (tile % COLUMNS * SIZE, tile / COLUMNS * SIZE);
            let mut depths = vec![f32::NEG_INFINITY; SIZE * SIZE];
            let place = |p: Vec3| {
                let offset = p - hand.wrist;
                let x = offset.dot(along) * scale + 0.2 * SIZE as f32;
                let y = 0.5 * SIZE as f32 - offset.dot(across) * scale;
                let is_in = x >= 0.0 && y >= 0.0 && x < SIZE as f32 - 1.0 && y < SIZE as f32 - 1.0;
                is_in.then(|| (x as usize, y as usize))
            };
            for &(p, normal) in &points {
                let Some((x, y)) = place(p) else { continue };
                let near = (p - hand.wrist).dot(depth);
                if near > depths[y * SIZE + x] {
                    depths[y * SIZE + x] = near;
                    let shade = 60 + (110.0 * normal.dot(depth).abs()) as u8;
                    pixels[(top + y) * COLUMNS * SIZE + left + x] = [shade; 3];
                }
            }
            let mut dot = |p: Vec3, radius: i32, colour: [u8; 3]| {
                let Some((x, y)) = place(p) else { return };
                for dy in -radius..=radius {
                    for dx in -radius..=radius {
                        let (x, y) = (x as i32 + dx, y as i32 + dy);
                        if (0..SIZE as i32).contains(&x) && (0..SIZE as i32).contains(&y) {
                            pixels[(top + y as usize) * COLUMNS * SIZE + left + x as usize] = colour;
                        }
                    }
                }
            };
            for finger in &hand.found {
                for i in 0..=100 {
                    dot(finger.line.at(i as f32 / 100.0), 0, colours[finger.kind]);
                }
                for &joint in &finger.joints()[..3] {
                    dot(joint, 2, colours[finger.kind]);
                }
            }
            for &label in hand.labels.iter().flatten().filter(|p| p.is_finite()) {
                dot(label, 1, [255, 40, 40]);
            }
            dot(hand.wrist, 2, [255, 255, 255]);
            for count in 0..hand.separate {
                for i in 0..16 {
                    let at = (top + 4 + i % 4) * COLUMNS * SIZE + left + 4 + count * 6 + i / 4;
                    pixels[at] = [255, 40, 40];
                }
            }
            for x in 0..SIZE {
                pixels[top * COLUMNS * SIZE + left + x] = [80; 3];
                pixels[(top + x) * COLUMNS * SIZE + left] = [80; 3];
            }
            println!(
                "sheet {sheet} row {} column {}: {} {}",
                tile / COLUMNS,
                tile % COLUMNS,
                hand.file,
                hand.side
            );
        }
        let mut out = format!("P6 {} {} 255\n", COLUMNS * SIZE, ROWS * SIZE).into_bytes();
        out.extend(pixels.into_iter().flatten());
        std::fs::write(format!("{path}-{pose}-{sheet}.ppm"), out).expect("the folder is writable");
    }
}
