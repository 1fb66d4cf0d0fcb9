//! Leave-one-author-out for the constants of the segmentation: each is varied alone, the best of
//! its values is picked on the rigs of all other authors, and the author's own rigs judge it.
//!
//! The measure is that of the tables of methods: the share of vertices whose heaviest joint, by the
//! atlas with its default parameters and with loose parts on the body, is that of the file.

use std::fmt::Write;
use std::sync::Arc;

use pliant::distance::boundary_distances;
use pliant::model::{Asset, Skeleton};
use pliant::operators::MeshGeometry;
use pliant::pipeline::{Method, Pipeline, Recipe, Silent};
use pliant::progress::Progress;
use pliant::report::Report;
use pliant::segment::{Constants, segment_with};
use pliant::weights::{Atlas, Distances, LooseParts, atlas, finish};

use crate::rigs::ModelFile;

/// One constant, with the values that are tried besides the chosen one.
struct Varied {
    name: &'static str,
    others: &'static [f64],
    of: fn(&mut Constants) -> &mut f64,
}

/// Lists fields of [`Constants`] with values.
macro_rules! varied {
    ($($name:ident: $others:expr),* $(,)?) => {
        &[$(Varied { name: stringify!($name), others: &$others, of: |constants| &mut constants.$name }),*]
    };
}

const VARIED: &[Varied] = varied! {
    facing: [0.25, 0.35, 0.65],
    max_hidden_ratio: [1.0, 1.2, 1.4],
    max_loop_ratio: [1.1, 1.15, 1.5],
    max_disagreement: [0.05, 0.2],
    max_interior_disagreement: [0.04, 0.06],
    disagreement_cost: [0.5, 2.0],
    equal_length: [1.0, 1.05],
    min_fraction_within: [0.3, 0.7],
    max_loop_distance: [0.08, 0.24],
    planes: [12.0, 36.0],
    min_bone_cosine: [0.1, 0.4],
    collinear_sine: [0.1, 0.3],
    max_offset: [0.25, 0.75],
    twist_tolerance: [0.05, 0.2],
    twist_min_cosine: [0.8, 0.97],
    min_stray_area: [0.0, 0.05],
    enclosed_border: [0.3, 0.6],
    max_part_area: [0.15, 0.5],
    max_leaf_part_area: [0.02, 0.1],
    min_part_share: [0.0, 0.75],
    min_open_part_share: [0.5, 0.85],
};

/// A rig with everything that does not depend on the constants.
pub struct PreparedRig {
    file: String,
    author: String,
    geometry: MeshGeometry,
    skeleton: Skeleton,
    loose_parts: LooseParts,
    /// The dominant joint of every vertex in the file.
    stored: Vec<u32>,
    /// That of the nearest bone agrees on this share.
    nearest: f64,
}

impl PreparedRig {
    /// Prepares a rig.
    pub fn of(file: &ModelFile, asset: &Arc<Asset>) -> Result<Self, String> {
        let stored = asset.stored_weights.as_ref().ok_or("no stored weights")?;
        let stored = asset.render_from_solve().iter().map(|&v| stored.dominant(v as usize)).collect();
        // Any method with bones gives the classified skeleton.
        let recipe = Recipe { method: Method::Heat, ..Recipe::default() };
        let outcome = Pipeline::new(asset.clone()).run(&recipe, &mut Silent);
        let skeleton = outcome.map_err(|error| error.to_string())?.rig.skeleton;
        let geometry = MeshGeometry::of(&asset.mesh);
        let loose_parts = LooseParts::of(&geometry, skeleton.bones());
        let nearest = pliant::quality::nearest_bone_joints(asset.mesh.positions(), skeleton.bones());
        let mut rig = Self {
            file: file.name.clone(),
            author: author_of(&file.source),
            geometry,
            skeleton,
            loose_parts,
            stored,
            nearest: 0.0,
        };
        rig.nearest = rig.share(&nearest);
        Ok(rig)
    }

    /// Whether both are the same character in two encodings.
    pub fn is_twin_of(&self, other: &Self) -> bool {
        let key = |rig: &Self| {
            let stem = rig.file.rsplit('/').next()?.split('.').next()?.to_owned();
            Some((stem, rig.stored.len(), rig.skeleton.joints().len()))
        };
        key(self) == key(other)
    }

    fn share(&self, joints: &[u32]) -> f64 {
        let same = joints.iter().zip(&self.stored).filter(|(a, b)| a == b).count();
        same as f64 / self.stored.len().max(1) as f64
    }

    /// The agreement with the file.
    fn agreement(&self, constants: &Constants) -> Result<f64, String> {
        let mut progress = Progress::silent();
        let report = &mut Report::default();
        let regions = segment_with(constants, &self.geometry, &self.skeleton, report, &mut progress);
        let regions = regions.map_err(|_| "cancelled")?;
        let options = Atlas::default();
        let (geometry, skeleton) = (&self.geometry, &self.skeleton);
        let fields = boundary_distances(geometry, &regions, options.distance, options.reach(), &mut progress);
        let fields = fields.map_err(|_| "cancelled")?;
        let distances = Distances { overlap: &fields, weight: &fields };
        let found = atlas(geometry, skeleton, &regions, distances, &options);
        let whole = self.loose_parts.attach(geometry, &found.weights);
        let joints = finish(&whole, &self.skeleton, 4);
        let dominant: Vec<u32> = (0..joints.vertices()).map(|vertex| joints.dominant(vertex)).collect();
        Ok(self.share(&dominant))
    }
}

/// Sources of one author differ in what comes after the hyphen, or are a copy in another format.
fn author_of(source: &str) -> String {
    let name = source.trim_start_matches("gltf_");
    name.split('-').next().unwrap_or(name).to_owned()
}

/// The agreement of every rig at one value of a constant.
struct Trial {
    value: f64,
    by_rig: Vec<f64>,
}

/// Varies the constants whose names contain `only` and returns the table.
pub fn table(rigs: &[PreparedRig], only: &str) -> Result<String, String> {
    let mut authors: Vec<&str> = rigs.iter().map(|rig| rig.author.as_str()).collect();
    authors.sort_unstable();
    authors.dedup();
    let by_rig = agreements(rigs, &Constants::CHOSEN)?;
    let mut text = String::new();
    let count = by_rig.iter().zip(rigs).filter(|(share, rig)| **share >= rig.nearest).count();
    let _ = writeln!(
        text,
        "{} rigs of {} authors. With the chosen constants {} agree, and {count} rigs at least as well as \
         the nearest bone.\n",
        rigs.len(),
        authors.len(),
        four_digits(mean_of(&by_rig, |_| true)),
    );
    let _ =
        writeln!(text, "| constant | chosen | mean at other values | picked | left out: picked | chosen |");
    let _ = writeln!(text, "|---|---|---|---|---|---|");
    let mut by_author = String::new();
    let _ = writeln!(by_author, "\n| constant | {} |", authors.join(" | "));
    let _ = writeln!(by_author, "|---|{}", "---|".repeat(authors.len()));
    let chosen_means: Vec<String> =
        authors.iter().map(|author| four_digits(mean_of(&by_rig, |at| rigs[at].author == *author))).collect();
    let _ = writeln!(by_author, "| rigs | {} |", counts_of(rigs, &authors).join(" | "));
    let _ = writeln!(by_author, "| as chosen | {} |", chosen_means.join(" | "));
    for varied in VARIED.iter().filter(|varied| varied.name.contains(only)) {
        let mut constants = Constants::CHOSEN;
        let chosen = *(varied.of)(&mut constants);
        let mut trials = vec![Trial { value: chosen, by_rig: by_rig.clone() }];
        for &value in varied.others {
            *(varied.of)(&mut constants) = value;
            trials.push(Trial { value, by_rig: agreements(rigs, &constants)? });
        }
        let row = row(varied.name, &trials, rigs, &authors);
        eprintln!("{row}");
        let _ = writeln!(text, "{row}");
        let _ = writeln!(by_author, "{}", author_row(varied.name, &trials, rigs, &authors));
    }
    let _ = writeln!(
        text,
        "\nBy author: the value that the rigs of all others pick, and how much better or worse the author's \
         own rigs are with it than with the chosen one. Empty: the others pick the chosen one."
    );
    Ok(text + &by_author)
}

/// The agreement of every rig, by two threads.
fn agreements(rigs: &[PreparedRig], constants: &Constants) -> Result<Vec<f64>, String> {
    let every_second = |first: usize| -> Result<Vec<f64>, String> {
        rigs.iter().skip(first).step_by(2).map(|rig| rig.agreement(constants)).collect()
    };
    let (even, odd) = std::thread::scope(|scope| {
        let odd = scope.spawn(|| every_second(1));
        (every_second(0), odd.join())
    });
    let (even, odd) = (even?, odd.map_err(|_| "a thread panicked")??);
    Ok((0..rigs.len()).map(|at| if at % 2 == 0 { even[at / 2] } else { odd[at / 2] }).collect())
}

/// The number of rigs of every author.
fn counts_of(rigs: &[PreparedRig], authors: &[&str]) -> Vec<String> {
    let count = |author: &&str| rigs.iter().filter(|rig| rig.author == **author).count().to_string();
    authors.iter().map(count).collect()
}

/// The trial that the rigs of all authors but one pick; of equals the first, which is the chosen
/// one.
fn picked_without<'a>(author: &str, trials: &'a [Trial], rigs: &[PreparedRig]) -> Option<&'a Trial> {
    let of_others = |trial: &Trial| mean_of(&trial.by_rig, |at| rigs[at].author != author);
    trials.iter().reduce(|a, b| if of_others(b) > of_others(a) { b } else { a })
}

/// One row of the table by author. The first trial has the chosen value.
fn author_row(name: &str, trials: &[Trial], rigs: &[PreparedRig], authors: &[&str]) -> String {
    let cell = |author: &&str| {
        let own = |trial: &Trial| mean_of(&trial.by_rig, |at| rigs[at].author == **author);
        let picked = picked_without(author, trials, rigs).filter(|picked| picked.value != trials[0].value);
        picked.map_or(String::new(), |picked| {
            format!("{}: {:+.4}", picked.value, own(picked) - own(&trials[0]))
        })
    };
    format!("| `{name}` | {} |", authors.iter().map(cell).collect::<Vec<_>>().join(" | "))
}

/// One row of the table. The first trial has the chosen value.
fn row(name: &str, trials: &[Trial], rigs: &[PreparedRig], authors: &[&str]) -> String {
    let mut others: Vec<&Trial> = trials[1..].iter().collect();
    others.sort_by(|a, b| a.value.total_cmp(&b.value));
    let means: Vec<String> = others
        .iter()
        .map(|trial| format!("{}: {}", trial.value, four_digits(mean_of(&trial.by_rig, |_| true))))
        .collect();
    let mut left_out = vec![0.0; rigs.len()];
    let mut picks: Vec<(f64, Vec<&str>)> = Vec::new();
    for &author in authors {
        let Some(best) = picked_without(author, trials, rigs) else { continue };
        for at in (0..rigs.len()).filter(|&at| rigs[at].author == author) {
            left_out[at] = best.by_rig[at];
        }
        match picks.iter_mut().find(|pick| pick.0 == best.value) {
            Some(pick) => pick.1.push(author),
            None => picks.push((best.value, vec![author])),
        }
    }
    picks.sort_by_key(|pick| std::cmp::Reverse(pick.1.len()));
    let picked: Vec<String> = picks
        .iter()
        .enumerate()
        .map(|(rank, (value, without))| match rank {
            0 => value.to_string(),
            _ => format!("{value} without {}", without.join(", ")),
        })
        .collect();
    format!(
        "| `{name}` | {} | {} | {} | {} | {} |",
        trials[0].value,
        means.join(", "),
        picked.join("; "),
        four_digits(mean_of(&left_out, |_| true)),
        four_digits(mean_of(&trials[0].by_rig, |_| true)),
    )
}

/// Four digits: neighbouring values differ in the third.
fn four_digits(share: f64) -> String {
    format!("{share:.4}")
}

fn mean_of(by_rig: &[f64], is_in: impl Fn(usize) -> bool) -> f64 {
    let values: Vec<f64> =
        by_rig.iter().enumerate().filter(|(at, _)| is_in(*at)).map(|(_, &share)| share).collect();
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
