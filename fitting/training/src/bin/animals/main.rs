//! Judges the body plans other than the humanoid, and learns their ratios.
//!
//!     cargo run --release -p pliant-training --bin animals --
//! [judge|learn|detect|turn|same|evidence|every|sheet]
//!
//! - `judge`: errors of joints when the plan and the orientation are given, per model and source,
//!   with the ratios of the library, with those of the other four of five folds by character, and
//!   with those of all other families of authors.
//! - `learn`: prints the tables of ratios.
//! - `detect`: the plan that is found for every labelled model, in the orientation that the file
//!   promises.
//! - `turn`: up and front when the model is turned and nothing is promised.
//! - `same [N]`: how far joints move when a model is scaled, turned, reordered or remeshed, of
//!   every Nth model if it is a humanoid, and of all others.
//! - `evidence`: what speaks for a plan, of every labelled model upright.
//! - `every FOLDER [--plans]`: fits every mesh below a folder, in every plan too, and prints what
//!   happened and how long it took.
//! - `sheet FILE.ppm`: pictures of fits from the side, the front and above.

#![expect(clippy::disallowed_methods, reason = "a tool that reads files and takes times")]

mod coarse;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use glam::{DMat3, Mat3, Vec3};
use pliant::io::{self, File};
use pliant::report::Report;
use pliant_fitting::body::Body;
use pliant_fitting::evidence::{Evidence, Shape};
use pliant_fitting::fit::{FitOptions, FittedBone, FittedSkeleton, Fitter, Orientation, UNCERTAIN};
use pliant_fitting::plans::humanoid::HUMANOID;
use pliant_fitting::plans::{BodyPlan, BodySkeleton, bird, fish, generic, quadruped, snake, spider};
use pliant_fitting::proportions::{Placed, Ratios, Row, without_side};
use pliant_fitting::stance::Standing;
use pliant_fitting::table::Table;
use serde::Deserialize;

const FOLDER: &str = "../shared/models/avatars/dev";

#[derive(Deserialize)]
struct Label {
    source: String,
    kind: String,
    up: String,
    faces: String,
    joints: BTreeMap<String, [f32; 3]>,
}

/// A labelled model, in the space in which the library reads it.
struct Model {
    file: String,
    source: String,
    kind: String,
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    joints: BTreeMap<String, Vec3>,
    /// Up and front by the label.
    truth: Orientation,
    /// Up and front by the convention of the file.
    promised: Orientation,
}

fn axis(name: &str) -> Vec3 {
    let sign = if name.starts_with('-') { -1.0 } else { 1.0 };
    let axis = name.chars().last().map_or(1, |c| "XYZ".find(c).unwrap_or(1));
    Mat3::IDENTITY.col(axis) * sign
}

fn read_models(all: bool) -> Vec<Model> {
    let folder = Path::new(FOLDER);
    let text = std::fs::read_to_string(folder.join("labels.json")).expect("labels.json is readable");
    let labels: BTreeMap<String, Label> = serde_json::from_str(&text).expect("labels.json is valid");
    let read = |(file, label): (String, Label)| {
        let bytes = std::fs::read(folder.join(&file)).ok()?;
        let files = [File { name: file.clone(), bytes }];
        let asset = io::read_character(&files, &mut Report::default()).ok()?;
        let rest_from_mesh = asset.source.as_ref()?.skins.first()?.rest_from_mesh;
        let direction = |name: &str| (rest_from_mesh.matrix3 * axis(name).as_dvec3()).normalize_or_zero();
        let (up, front) = (direction(&label.up), direction(&label.faces));
        let truth = DMat3::from_cols(up.cross(front), up, front).as_mat3();
        let place = |at: [f32; 3]| rest_from_mesh.transform_point3(Vec3::from(at).as_dvec3()).as_vec3();
        let promised_front = if asset.vrm.is_some() { [0.0, 0.0, -1.0] } else { [0.0, 0.0, 1.0] };
        Some(Model {
            source: label.source,
            kind: label.kind,
            positions: asset.render.positions,
            triangles: asset.render.triangles,
            joints: label.joints.into_iter().map(|(name, at)| (name, place(at))).collect(),
            truth: Orientation { up: snap(truth.y_axis), front: snap(truth.z_axis) },
            promised: Orientation { up: [0.0, 1.0, 0.0], front: promised_front },
            file,
        })
    };
    labels.into_iter().filter(|(_, label)| all || label.kind != "humanoid").filter_map(read).collect()
}

/// An axis without rounding errors.
fn snap(axis: Vec3) -> [f32; 3] {
    if axis.abs().max_element() > 0.9999 { axis.round().to_array() } else { axis.to_array() }
}

fn rotation(orientation: Orientation) -> Mat3 {
    let (up, front) = (Vec3::from(orientation.up), Vec3::from(orientation.front));
    Mat3::from_cols(up.cross(front), up, front).transpose()
}

fn family(source: &str) -> &str {
    source.split('-').next().unwrap_or(source)
}

/// A model in the space of its body: one unit is the longest side.
struct Placement {
    body: Body,
    joints: BTreeMap<String, Vec3>,
}

fn placement(model: &Model) -> Placement {
    let rotation = rotation(model.truth);
    let turned: Vec<Vec3> = model.positions.iter().map(|&p| rotation * p).collect();
    let used = || model.triangles.iter().flatten().map(|&v| turned[v as usize]);
    let low = used().fold(Vec3::INFINITY, Vec3::min);
    let high = used().fold(Vec3::NEG_INFINITY, Vec3::max);
    let unit = (high - low).max_element();
    let origin = Vec3::new(0.5 * (low.x + high.x), low.y, 0.5 * (low.z + high.z));
    let map = |p: Vec3| (p - origin) / unit;
    let positions: Vec<Vec3> = turned.iter().map(|&p| map(p)).collect();
    let joints = model.joints.iter().map(|(name, &at)| (name.clone(), map(rotation * at))).collect();
    Placement { body: Body::of_animal(&positions, &model.triangles), joints }
}

/// The plan that fits a kind. Bipedal dinosaurs are kin of birds.
fn plan_of(kind: &str) -> BodyPlan {
    match kind {
        "other" => BodyPlan::Bird,
        kind => BodyPlan::from_word(kind).unwrap_or(BodyPlan::Generic),
    }
}

/// The table of ratios of a kind in the library.
fn built_in(kind: &str) -> &'static [Row] {
    if kind == "other" {
        return bird::ARMED;
    }
    match plan_of(kind) {
        BodyPlan::Quadruped => quadruped::RATIOS,
        BodyPlan::Bird => bird::RATIOS,
        BodyPlan::Fish => fish::RATIOS,
        BodyPlan::Spider => spider::RATIOS,
        _ => &[],
    }
}

fn places(plan: BodyPlan, body: &Body) -> Vec<Placed> {
    let Some(standing) = Standing::new(body) else { return Vec::new() };
    match plan {
        BodyPlan::Quadruped => quadruped::landmarks(&standing).places(),
        BodyPlan::Bird => bird::landmarks(body, &standing).places(),
        BodyPlan::Fish => fish::landmarks(&standing).places(),
        BodyPlan::Spider => spider::places(&standing),
        _ => Vec::new(),
    }
}

fn fit(plan: BodyPlan, body: &Body, ratios: &[Row]) -> Option<BodySkeleton> {
    let skeleton = match plan {
        BodyPlan::Quadruped => quadruped::fit(body, &[], ratios),
        BodyPlan::Bird => bird::fit(body, &[], Some(ratios)),
        BodyPlan::Fish => fish::fit(body, &[], ratios),
        BodyPlan::Spider => spider::fit(body, &[], ratios),
        BodyPlan::Snake => snake::fit(body, &[]),
        _ => generic::fit(body, &[]),
    };
    skeleton.ok()
}

/// Where a joint of a model is, in ratios.
#[derive(Clone)]
struct Measure {
    /// Without the side.
    label: String,
    family: String,
    ratios: Ratios,
    spans: Ratios,
}

fn measured(model: &Model, placed: &Placement) -> Vec<Measure> {
    places(plan_of(&model.kind), &placed.body)
        .iter()
        .filter_map(|place| {
            let at = placed.joints.get(&place.label)?;
            Some(Measure {
                label: without_side(&place.label).to_owned(),
                family: family(&model.source).to_owned(),
                ratios: place.place.ratios(*at),
                spans: place.place.spans(),
            })
        })
        .collect()
}

/// The power of errors whose sum is least. Riggers disagree about where joints are: a high power
/// keeps to the middle between them instead of following the most frequent one. Of 4, 6, 8 and 12,
/// 4 is best on models and families that are left out.
const POWER: i32 = 4;

/// Ratios with the least errors, all families together counting the same. Labels that no family has
/// keep the ratios of the library.
fn learn(kind: &str, all: &[Measure]) -> Vec<Row> {
    let row = |&(label, old, _): &Row| {
        let own: Vec<&Measure> = all.iter().filter(|measure| measure.label == label).collect();
        let ratios = best(&own).unwrap_or(old);
        // What the others say about each author.
        let mut squares = [0.0f32; 3];
        for measure in &own {
            let others: Vec<&Measure> =
                own.iter().copied().filter(|other| other.family != measure.family).collect();
            let said = best(&others).unwrap_or(ratios);
            (0..3).for_each(|axis| squares[axis] += (measure.ratios[axis] - said[axis]).powi(2));
        }
        (label, ratios, squares.map(|sum| (sum / own.len().max(1) as f32).sqrt()))
    };
    built_in(kind).iter().map(row).collect()
}

/// The ratios of a joint with the least errors.
fn best(own: &[&Measure]) -> Option<Ratios> {
    if own.is_empty() {
        return None;
    }
    let weight = |family: &str| 1.0 / own.iter().filter(|measure| measure.family == family).count() as f32;
    let of_axis = |axis: usize| {
        let cost = |ratio: f32| -> f32 {
            own.iter()
                .map(|m| {
                    let error = (ratio - m.ratios[axis]) * m.spans[axis] * 10.0;
                    weight(&m.family) * error.powi(POWER)
                })
                .sum()
        };
        let values = || own.iter().map(|m| m.ratios[axis]);
        let (mut low, mut high) =
            (values().fold(f32::INFINITY, f32::min), values().fold(f32::NEG_INFINITY, f32::max));
        for _ in 0..60 {
            let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if cost(a) <= cost(b) { high = b } else { low = a }
        }
        0.5 * (low + high)
    };
    Some([of_axis(0), of_axis(1), of_axis(2)])
}

/// Errors in per cent of the longest side, by label; infinite where a joint is missing.
fn errors(skeleton: &BodySkeleton, placed: &Placement) -> Vec<(String, f32)> {
    placed
        .joints
        .iter()
        .map(|(label, at)| {
            let joint = skeleton.joints.iter().find(|joint| joint.label == *label);
            (label.clone(), joint.map_or(f32::INFINITY, |joint| 100.0 * joint.head.distance(*at)))
        })
        .collect()
}

/// Joints whose place is a convention of the rig.
const CONVENTIONS: [&str; 1] = ["chest"];

/// A fit and its errors, in per cent of the longest side.
struct Judged {
    /// Source and kind.
    names: [String; 2],
    worst: f32,
    /// Of the joints whose place is not a convention.
    worst_place: f32,
    is_sure: bool,
}

/// What the ratios of a judged model are learned from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Learned {
    /// All models, the judged one too.
    Library,
    /// The models of the other four folds by character.
    OtherFolds,
    /// The models of the other families of authors.
    OtherFamilies,
}

impl Learned {
    const ALL: [(&str, Self); 3] = [
        ("ratios of the library", Self::Library),
        ("ratios of the other four fifths", Self::OtherFolds),
        ("ratios of the other families", Self::OtherFamilies),
    ];
}

/// The animal that a file shows. Colours and breeds of one author, and two rigs of one body, are
/// the same animal.
fn animal(model: &Model) -> String {
    let stem = model.file.split('.').next().unwrap_or_default();
    let words: Vec<&str> = stem.split(['_', '-']).skip(1).filter(|word| *word != "Bird").collect();
    let word = if model.source == "mesh2motion" { words.last() } else { words.first() };
    format!("{} {} {}", model.kind, family(&model.source), word.unwrap_or(&stem))
}

/// The fold of each model, of five: animals in the order of their kinds and names, one after the
/// other.
fn folds(models: &[Model]) -> Vec<usize> {
    let mut names: Vec<String> = models.iter().map(animal).collect();
    names.sort();
    names.dedup();
    models.iter().map(|model| names.binary_search(&animal(model)).unwrap_or(0) % 5).collect()
}

fn judge() {
    let models = read_models(false);
    let folds = folds(&models);
    let placed: Vec<Placement> = models.iter().map(placement).collect();
    let measures: Vec<_> = models.iter().zip(&placed).map(|(m, p)| measured(m, p)).collect();
    for (title, learned) in Learned::ALL {
        println!("\n# {title}");
        let leave_out = learned != Learned::Library;
        let mut rows: Vec<Judged> = Vec::new();
        let mut by_label: BTreeMap<String, Vec<f32>> = BTreeMap::new();
        for (index, model) in models.iter().enumerate() {
            let plan = plan_of(&model.kind);
            let is_other = |other: usize| match learned {
                Learned::Library => true,
                Learned::OtherFolds => folds[other] != folds[index],
                Learned::OtherFamilies => family(&models[other].source) != family(&model.source),
            };
            let others: Vec<Measure> = (0..models.len())
                .filter(|&other| models[other].kind == model.kind && is_other(other))
                .flat_map(|other| measures[other].iter().cloned())
                .collect();
            if others.is_empty() {
                // Nothing is left to learn from.
                continue;
            }
            let ratios = if leave_out { learn(&model.kind, &others) } else { built_in(&model.kind).to_vec() };
            let Some(skeleton) = fit(plan, &placed[index].body, &ratios) else { continue };
            let mut errors = errors(&skeleton, &placed[index]);
            errors.sort_by(|a, b| b.1.total_cmp(&a.1));
            let median = errors[errors.len() / 2].1;
            for (label, error) in &errors {
                by_label.entry(format!("{plan:?} {}", without_side(label))).or_default().push(*error);
            }
            let worst: Vec<String> =
                errors.iter().take(5).map(|(label, error)| format!("{label} {error:.1}")).collect();
            let sure = skeleton.joints.iter().map(|j| j.confidence).fold(1.0, f32::min);
            println!(
                "{:<30} {:<10} median {median:5.2}  sure {sure:.2}  {}",
                model.file,
                model.kind,
                worst.join(", ")
            );
            let is_place = |(label, _): &&(String, f32)| !CONVENTIONS.contains(&label.as_str());
            rows.push(Judged {
                names: [model.source.clone(), model.kind.clone()],
                worst: errors[0].1,
                worst_place: errors.iter().find(is_place).map_or(0.0, |(_, error)| *error),
                is_sure: sure > UNCERTAIN,
            });
        }
        let summary = |name: &str, some: Vec<&Judged>| {
            let share = |good: &dyn Fn(&Judged) -> bool| {
                100.0 * some.iter().filter(|row| good(row)).count() as f32 / some.len().max(1) as f32
            };
            println!(
                "{name:<24} {:>3}  all < 5 %: {:5.1}   all < 10 %: {:5.1}   but chest: {:5.1}   sure: {:5.1}",
                some.len(),
                share(&|row| row.worst < 5.0),
                share(&|row| row.worst < 10.0),
                share(&|row| row.worst_place < 10.0),
                share(&|row| row.is_sure)
            );
        };
        for key in 0..2 {
            let mut names: Vec<String> = rows.iter().map(|row| row.names[key].clone()).collect();
            names.sort();
            names.dedup();
            for one in names {
                summary(&one, rows.iter().filter(|row| row.names[key] == one).collect());
            }
        }
        summary("all", rows.iter().collect());
        if leave_out {
            for (label, mut errors) in by_label {
                errors.sort_by(f32::total_cmp);
                let good = errors.iter().filter(|error| **error < 10.0).count();
                println!(
                    "{label:<30} {:>3} median {:5.2} worst {:5.2} below 10 %: {:.2}",
                    errors.len(),
                    errors[errors.len() / 2],
                    errors[errors.len() - 1],
                    good as f32 / errors.len() as f32
                );
            }
        }
    }
}

fn print_ratios() {
    let models = read_models(false);
    for kind in ["quadruped", "bird", "other", "fish", "spider"] {
        let own = models.iter().filter(|model| model.kind == kind);
        let all: Vec<_> = own.flat_map(|model| measured(model, &placement(model))).collect();
        println!("{kind}");
        for (label, ratios, spreads) in learn(kind, &all) {
            println!("    (\"{label}\", {ratios:.2?}, {spreads:.2?}),");
        }
    }
}

fn detect() {
    let table = Table::built_in();
    let mut wrong = 0;
    let models = read_models(true);
    for model in &models {
        let start = Instant::now();
        let fitter = Fitter::new(table.clone(), model.positions.clone(), model.triangles.clone());
        let options = FitOptions { promised: Some(model.promised), ..FitOptions::default() };
        let found = fitter.and_then(|mut fitter| fitter.fit(&options));
        let Ok(found) = found else {
            println!("{}: {:?}", model.file, found.err());
            continue;
        };
        let is_turned = rotation(found.orientation).abs_diff_eq(rotation(model.truth), 1e-3);
        let is_plan = found.plan == plan_of(&model.kind) || model.kind == "other";
        wrong += usize::from(!is_plan || !is_turned);
        if !is_plan || !is_turned || model.kind != "humanoid" {
            println!(
                "{:<34} {:<10} {:?} {:.2}, turned right: {is_turned} {:.2}, {:.0?}",
                model.file,
                model.kind,
                found.plan,
                found.plan_confidence,
                found.orientation_confidence,
                start.elapsed()
            );
        }
    }
    println!("{wrong} of {} wrong", models.len());
}

/// Prints what speaks for a plan, of every labelled model upright.
fn evidence() {
    let table = Table::built_in();
    for model in read_models(true) {
        let turn = rotation(model.truth);
        let positions: Vec<Vec3> = model.positions.iter().map(|&p| turn * p).collect();
        let low = positions.iter().copied().fold(Vec3::INFINITY, Vec3::min);
        let high = positions.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
        let unit = (high - low).max_element();
        let positions: Vec<Vec3> = positions.iter().map(|&p| (p - low) / unit).collect();
        let start = Instant::now();
        let body = Body::centred(&positions, &model.triangles, 56.0);
        let points: Vec<Vec3> = (0..body.lattice.len())
            .filter(|&cell| body.is_inside(cell))
            .map(|cell| body.lattice.centre(body.lattice.coordinates(cell)))
            .collect();
        let scores = pliant_fitting::orientation::scores(&table.orientation, &points, body.lattice.cell);
        let best = scores.iter().map(|s| s[0]).fold(f32::NEG_INFINITY, f32::max);
        let middle = start.elapsed();
        let Some(e) = Evidence::new(&body) else { continue };
        let Shape { slenderness, near, tips, variation } = Shape::new(&body);
        println!(
            "{:<10} {:<30} net {:5.2} best {best:5.2} sym {:.2} size {:.2} {:.2} {:.2} pairs {} clear {} len {:.2} gap {:.2} wid {:.2} clr {:.2} trunk {:.2} {:.2} d {:.3} ends {:.2} {:.2} h {:.2} {:.2} limbs {:?} foot {:.2} slender {slenderness:.0} {near:.2} tips {tips} variation {variation:.2} over {:.2} toes {:.2} facing {:.2} {middle:.0?} {:.0?}",
            model.kind,
            model.file,
            scores[0][0],
            e.symmetry,
            e.size.x,
            e.size.y,
            e.size.z,
            e.pairs,
            u8::from(e.is_clear),
            e.stance_length,
            e.gap,
            e.stance_width,
            e.clearance,
            e.trunk.y,
            e.trunk.z,
            e.depth,
            e.ends[0],
            e.ends[1],
            e.end_heights[0],
            e.end_heights[1],
            e.limbs,
            e.footprint,
            e.overhang,
            e.toes,
            e.facing(),
            start.elapsed()
        );
    }
}

/// Up and front of models that are turned by a right angle and promise nothing.
fn turn() {
    let table = Table::built_in();
    let rotations = pliant_fitting::orientation::rotations();
    let mut counts: BTreeMap<String, [usize; 4]> = BTreeMap::new();
    // Of results that are wrong and of those that are right: all, and those marked as uncertain.
    let mut marked = [[0; 2]; 2];
    for (index, model) in read_models(true).iter().enumerate() {
        let turn = rotations[(index * 7 + 5) % rotations.len()];
        let positions: Vec<Vec3> = model.positions.iter().map(|&p| turn * p).collect();
        let fitter = Fitter::new(table.clone(), positions, model.triangles.clone());
        let Ok(found) = fitter.and_then(|mut fitter| fitter.fit(&FitOptions::default())) else { continue };
        let back = |axis: [f32; 3]| turn.transpose() * Vec3::from(axis);
        let up = back(found.orientation.up).dot(Vec3::from(model.truth.up)) > 0.9;
        let front = up && back(found.orientation.front).dot(Vec3::from(model.truth.front)) > 0.9;
        let plan = found.plan == plan_of(&model.kind);
        let count = counts.entry(model.kind.clone()).or_default();
        for (count, is_right) in count.iter_mut().zip([up, front, plan, true]) {
            *count += usize::from(is_right);
        }
        let is_right = up && front && plan;
        let [all, uncertain] = &mut marked[usize::from(is_right)];
        *all += 1;
        *uncertain += usize::from(found.confidence < UNCERTAIN);
        if !is_right {
            println!(
                "{:<34} {:<10} {:?} {:.2} up {up} front {front} {:.2} all {:.2}",
                model.file,
                model.kind,
                found.plan,
                found.plan_confidence,
                found.orientation_confidence,
                found.confidence
            );
        }
    }
    for (kind, [up, front, plan, all]) in counts {
        println!("{kind}: up {up}, front {front}, plan {plan} of {all}");
    }
    let [[wrong, caught], [right, alarms]] = marked;
    println!("uncertain: {caught} of {wrong} that are wrong, {alarms} of {right} that are right");
}

/// A mesh with its vertices and triangles in another order.
fn reordered(positions: &[Vec3], triangles: &[[u32; 3]]) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let count = positions.len();
    // A step without a common divisor visits every vertex once.
    let divides =
        |a: usize, b: usize| std::iter::successors(Some((a, b)), |&(a, b)| (b > 0).then(|| (b, a % b)));
    let step = (count / 3 + 1..).find(|&step| divides(step, count).last().is_some_and(|(a, _)| a == 1));
    let step = step.unwrap_or(1);
    let mut moved = vec![Vec3::ZERO; count];
    (0..count).for_each(|old| moved[old * step % count] = positions[old]);
    let renamed = |&[a, b, c]: &[u32; 3]| [b, c, a].map(|v| (v as usize * step % count) as u32);
    (moved, triangles.iter().rev().map(renamed).collect())
}

/// A mesh with one vertex per cube of an edge length, at the mean of those in it.
fn cubed(positions: &[Vec3], triangles: &[[u32; 3]], edge: f32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut cubes: BTreeMap<[i64; 3], usize> = BTreeMap::new();
    let mut sums: Vec<(Vec3, f32)> = Vec::new();
    let renamed: Vec<u32> = positions
        .iter()
        .map(|&p| {
            let cube = (p / edge).floor().to_array().map(|x| x as i64);
            let index = *cubes.entry(cube).or_insert_with(|| {
                sums.push((Vec3::ZERO, 0.0));
                sums.len() - 1
            });
            sums[index] = (sums[index].0 + p, sums[index].1 + 1.0);
            index as u32
        })
        .collect();
    let kept = triangles.iter().map(|triangle| triangle.map(|v| renamed[v as usize]));
    let kept = kept.filter(|[a, b, c]| a != b && b != c && c != a).collect();
    (sums.iter().map(|(sum, count)| *sum / *count).collect(), kept)
}

/// The largest distance of a vertex that triangles use from the surface of another mesh.
fn strayed(positions: &[Vec3], triangles: &[[u32; 3]], other: &[Vec3], others: &[[u32; 3]]) -> f32 {
    let mut used: Vec<u32> = triangles.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let corners: Vec<[Vec3; 3]> = others.iter().map(|triangle| triangle.map(|v| other[v as usize])).collect();
    let nearest = |p: Vec3| {
        let distances = corners.iter().map(|corners| nearest_of(corners, p).distance_squared(p));
        distances.fold(f32::INFINITY, f32::min).sqrt()
    };
    used.into_iter().map(|v| nearest(positions[v as usize])).fold(0.0, f32::max)
}

/// The point of a triangle that is nearest to a point.
fn nearest_of(&[a, b, c]: &[Vec3; 3], p: Vec3) -> Vec3 {
    let normal = (b - a).cross(c - a);
    let area = normal.length_squared();
    let side = |u: Vec3, v: Vec3| (v - u).cross(p - u).dot(normal) >= 0.0;
    if area > 0.0 && side(a, b) && side(b, c) && side(c, a) {
        return p - normal * ((p - a).dot(normal) / area);
    }
    let on_edge = |u: Vec3, v: Vec3| {
        let along = v - u;
        u + along * ((p - u).dot(along) / along.length_squared().max(f32::MIN_POSITIVE)).clamp(0.0, 1.0)
    };
    let ends = [on_edge(a, b), on_edge(b, c), on_edge(c, a)];
    ends.into_iter().min_by(|u, v| u.distance_squared(p).total_cmp(&v.distance_squared(p))).unwrap_or(a)
}

/// How far joints move, in per cent of the size, when a mesh is changed in ways that do not matter:
/// of one in `every` models if it is a humanoid, and of all others. `back` takes places to those of
/// the mesh as it was. Of coarser meshes whose joints move by more than 1 %, how far the surface
/// itself moves is printed too.
fn same(every: usize) {
    let table = Table::built_in();
    let rotations = pliant_fitting::orientation::rotations();
    let mut moves: BTreeMap<(&str, &str), Vec<(f32, String)>> = BTreeMap::new();
    let fit = |positions: Vec<Vec3>, triangles: Vec<[u32; 3]>, promised: Option<Orientation>| {
        let mut fitter = Fitter::new(table.clone(), positions, triangles).ok()?;
        fitter.fit(&FitOptions { promised, ..FitOptions::default() }).ok()
    };
    let all = read_models(true).into_iter().enumerate();
    let is_chosen = |(index, model): &(usize, Model)| model.kind != "humanoid" || index % every == 0;
    for (index, model) in all.filter(is_chosen) {
        let (positions, triangles) = (&model.positions, &model.triangles);
        let corners = || triangles.iter().flatten().map(|&v| positions[v as usize]);
        let low = corners().fold(Vec3::INFINITY, Vec3::min);
        let size = (corners().fold(Vec3::NEG_INFINITY, Vec3::max) - low).max_element();
        let Some(first) = fit(positions.clone(), triangles.clone(), Some(model.promised)) else { continue };
        let free = fit(positions.clone(), triangles.clone(), None);
        let kind = if model.kind == "humanoid" { "humanoids" } else { "others" };
        type Mesh<'a> = Option<(&'a [Vec3], &'a [[u32; 3]])>;
        let mut note =
            |name: &'static str, found: Option<FittedSkeleton>, mesh: Mesh, back: &dyn Fn(Vec3) -> Vec3| {
                let first = if name == "turned" { free.as_ref().unwrap_or(&first) } else { &first };
                let is_main = |bone: &&FittedBone| {
                    kind == "others" || HUMANOID.joints.iter().any(|joint| joint.name == bone.label)
                };
                let moved = |bone: &FittedBone| {
                    let other = found.as_ref().filter(|found| found.plan == first.plan);
                    let other = other.and_then(|found| found.bones.iter().find(|b| b.label == bone.label));
                    other.map_or(f32::INFINITY, |other| {
                        100.0 * back(Vec3::from(other.head)).distance(Vec3::from(bone.head)) / size
                    })
                };
                let moves_of = first.bones.iter().filter(is_main).map(|bone| (moved(bone), &bone.label));
                if let Some((worst, label)) = moves_of.max_by(|a, b| a.0.total_cmp(&b.0)) {
                    let surface = mesh.filter(|_| worst > 1.0).map_or(String::new(), |(moved, renamed)| {
                        let far = 100.0 * strayed(positions, triangles, moved, renamed) / size;
                        format!(", the surface by {far:.2}")
                    });
                    moves
                        .entry((kind, name))
                        .or_default()
                        .push((worst, format!("{} {label}{surface}", model.file)));
                }
            };
        let offset = Vec3::new(3.0, -2.0, 5.0) * size;
        let larger = positions.iter().map(|&p| 1000.0 * (p + offset)).collect();
        let found = fit(larger, triangles.clone(), Some(model.promised));
        note("1000 times larger", found, None, &|p| p / 1000.0 - offset);
        let (moved, renamed) = reordered(positions, triangles);
        note("reordered", fit(moved, renamed, Some(model.promised)), None, &|p| p);
        for (name, share) in [("half", 0.5), ("a third", 1.0 / 3.0)] {
            let (moved, renamed) = coarse::coarser(positions, triangles, share);
            let found = fit(moved.clone(), renamed.clone(), Some(model.promised));
            note(name, found, Some((&moved, &renamed)), &|p| p);
        }
        let (moved, renamed) = cubed(positions, triangles, 0.012 * size);
        let found = fit(moved.clone(), renamed.clone(), Some(model.promised));
        note("cubes", found, Some((&moved, &renamed)), &|p| p);
        for number in [1, 2] {
            let turn = rotations[(index * 7 + 11 * number) % rotations.len()];
            let turned = positions.iter().map(|&p| turn * p).collect();
            note("turned", fit(turned, triangles.clone(), None), None, &|p| turn.transpose() * p);
        }
    }
    println!("largest move of a joint, in per cent of the longest side: median, 90 %, within 1 %");
    for ((kind, name), mut all) in moves {
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let within = all.iter().filter(|(worst, _)| *worst <= 1.0).count();
        println!(
            "{kind:<10} {name:<18} {:6.2} {:6.2}   {within} of {}",
            all[all.len() / 2].0,
            all[all.len() * 9 / 10].0,
            all.len()
        );
        for (worst, file) in all.iter().rev().filter(|(worst, _)| *worst > 1.0) {
            println!("    {worst:6.2} {file}");
        }
    }
}

fn files_below(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() { files_below(&path, out) } else { out.push(path) }
    }
}

/// Fits every mesh below a folder, in every plan or in the one that is found.
fn every(folder: &Path, is_every_plan: bool) {
    let table = Table::built_in();
    let mut paths = Vec::new();
    files_below(folder, &mut paths);
    let mut times = Vec::new();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let (mut unsure, mut unread) = (0, 0);
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let Ok(asset) = io::read_character(&[File { name: name.clone(), bytes }], &mut Report::default())
        else {
            unread += 1;
            continue;
        };
        let (positions, triangles) = (asset.render.positions, asset.render.triangles);
        let all = BodyPlan::ALL.into_iter().filter(|_| is_every_plan).map(|(_, plan)| Some(plan));
        let plans = std::iter::once(None).chain(all);
        let mut line = format!("{name:<44} {:>8} triangles", triangles.len());
        for plan in plans {
            let start = Instant::now();
            let fitter = Fitter::new(table.clone(), positions.clone(), triangles.clone());
            let promised = Some(Orientation { up: [0.0, 1.0, 0.0], front: [0.0, 0.0, 1.0] });
            let found =
                fitter.and_then(|mut f| f.fit(&FitOptions { plan, promised, ..FitOptions::default() }));
            let seconds = start.elapsed().as_secs_f32();
            times.push((seconds, format!("{name} {plan:?}")));
            if plan.is_none() {
                let what = match &found {
                    Ok(found) => {
                        *counts.entry(format!("{:?}", found.plan)).or_default() += 1;
                        unsure += usize::from(found.confidence < UNCERTAIN);
                        format!(
                            "{:?} {:.2}, {} joints, sure {:.2}",
                            found.plan,
                            found.plan_confidence,
                            found.bones.len(),
                            found.confidence
                        )
                    }
                    Err(error) => {
                        *counts.entry(error.to_string()).or_default() += 1;
                        error.to_string()
                    }
                };
                line += &format!(", {what}, {seconds:.2} s");
            } else if seconds > 1.0 {
                line += &format!(", {plan:?} {seconds:.2} s");
            }
            if let Ok(found) = &found {
                let is_finite = |p: [f32; 3]| p.iter().all(|x| x.is_finite());
                assert!(
                    found.bones.iter().all(|bone| is_finite(bone.head) && is_finite(bone.tail)),
                    "{name}"
                );
            }
        }
        println!("{line}");
    }
    times.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!(
        "{unread} files are no meshes that can be read; of the others, {unsure} skeletons are uncertain:"
    );
    counts.iter().for_each(|(what, count)| println!("  {count:>5} {what}"));
    println!("{} fits, slowest:", times.len());
    times.iter().take(8).for_each(|(seconds, name)| println!("  {seconds:.2} s {name}"));
}

/// Writes pictures of fits: bodies grey, labels green, joints red on the left, blue on the right.
fn sheet(path: &str, plan: Option<BodyPlan>) {
    let models = read_models(false);
    let (size, columns) = (240usize, 9usize);
    let rows = (3 * models.len()).div_ceil(columns);
    let (width, height) = (size * columns, size * rows);
    let mut pixels = vec![255u8; 3 * width * height];
    for (index, model) in models.iter().enumerate() {
        let placed = placement(model);
        let plan = plan.unwrap_or(plan_of(&model.kind));
        let Some(skeleton) = fit(plan, &placed.body, built_in(&model.kind)) else { continue };
        let lattice = placed.body.lattice;
        let middle = lattice.origin + 0.5 * lattice.cell * Vec3::from(lattice.size.map(|count| count as f32));
        for (view, [across, up]) in [[2, 1], [0, 1], [2, 0]].into_iter().enumerate() {
            let tile = 3 * index + view;
            let (left, top) = (tile % columns * size, tile / columns * size);
            let mut put = |p: Vec3, colour: [i32; 3], is_shade: bool| {
                let x = 0.5 + (p[across] - middle[across]) * 0.95;
                let y = 0.5 - (p[up] - middle[up]) * 0.95;
                if (0.0..1.0).contains(&x) && (0.0..1.0).contains(&y) {
                    let at = left + (x * size as f32) as usize + width * (top + (y * size as f32) as usize);
                    for (channel, value) in colour.into_iter().enumerate() {
                        let pixel = &mut pixels[3 * at + channel];
                        *pixel =
                            if is_shade { (i32::from(*pixel) - value).max(110) as u8 } else { value as u8 };
                    }
                }
            };
            for cell in (0..lattice.len()).filter(|&cell| placed.body.is_inside(cell)) {
                let centre = lattice.centre(lattice.coordinates(cell));
                for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    let mut p = centre;
                    p[across] += (i as f32 - 0.5) * 0.5 * lattice.cell;
                    p[up] += (j as f32 - 0.5) * 0.5 * lattice.cell;
                    put(p, [4, 4, 4], true);
                }
            }
            let mut dot = |at: Vec3, colour: [i32; 3], radius: i32| {
                for i in -radius..=radius {
                    for j in -radius..=radius {
                        let mut p = at;
                        p[across] += i as f32 / (0.95 * size as f32);
                        p[up] += j as f32 / (0.95 * size as f32);
                        put(p, colour, false);
                    }
                }
            };
            for joint in &skeleton.joints {
                for step in 0..=60 {
                    dot(joint.head.lerp(joint.tail, step as f32 / 60.0), [230, 140, 0], 0);
                }
            }
            placed.joints.values().for_each(|&at| dot(at, [0, 170, 0], 2));
            for joint in &skeleton.joints {
                let colour = if joint.label.ends_with(".R") { [0, 0, 255] } else { [230, 0, 0] };
                dot(joint.head, colour, 1);
            }
        }
    }
    let mut out = format!("P6 {width} {height} 255\n").into_bytes();
    out.extend(pixels);
    std::fs::write(path, out).expect("the picture can be written");
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let second = arguments.get(1).cloned();
    match arguments.first().map_or("judge", String::as_str) {
        "learn" => print_ratios(),
        "detect" => detect(),
        "turn" => turn(),
        "same" => same(second.and_then(|word| word.parse().ok()).unwrap_or(6)),
        "evidence" => evidence(),
        "every" => {
            let is_every_plan = arguments.iter().any(|word| word == "--plans");
            every(Path::new(&second.unwrap_or("../shared/models".into())), is_every_plan);
        }
        "sheet" => {
            let plan = arguments.get(2).and_then(|word| BodyPlan::from_word(word));
            sheet(&second.unwrap_or("target/animals.ppm".into()), plan);
        }
        _ => judge(),
    }
}
