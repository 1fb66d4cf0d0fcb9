//! Trains and judges the tables of automatic skeleton fitting. The README of `fitting` says how.

#![allow(clippy::disallowed_methods, reason = "this is a program with files, threads and a clock")]

mod cache;
mod characters;
mod dataset;
mod facing;
mod fronts;
mod judge;
mod made_up;
mod mlp;
mod orient;
mod parallel;
mod pose;
mod random;
mod robes;
mod rounding;
mod show;
mod solid;
mod splits;
mod train;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use characters::Character;
use dataset::Sample;
use pliant_fitting::cascade::Cascade;
use pliant_fitting::plans::humanoid::HUMANOID;
use pliant_fitting::table::Table;
use splits::Split;
use train::{Settings, train_cascade};

/// Where made bodies are kept between runs.
const CACHE: &str = "target/training";

/// The table that is committed.
const TABLE: &str = "fitting/tables/fitting.bin";

/// Parts of the table.
const PARTS: [&str; 3] = ["orientation", "facing", "humanoid"];

fn main() {
    let arguments = Arguments::read();
    let start = Instant::now();
    let data = Data::load(&arguments);
    eprintln!("{} bodies after {:.0?}", data.count(), start.elapsed());
    match arguments.command.as_str() {
        "show" => {
            show::contact_sheet(&data.made_up, "target/training/made_up.pgm");
            show::contact_sheet(&data.random, "target/training/random.pgm");
        }
        "orientation" => judge_orientation(&data, &arguments),
        "write" => write_table(&data, &arguments),
        "robes" => judge_robes(&data, &arguments),
        _ => judge_joints(&data, &arguments),
    }
    eprintln!("{:.0?}", start.elapsed());
}

/// The command and its options.
struct Arguments {
    command: String,
    options: BTreeMap<String, String>,
}

impl Arguments {
    fn read() -> Self {
        let mut words = std::env::args().skip(1);
        let command = words.next().unwrap_or_else(|| "judge".to_owned());
        let mut options = BTreeMap::new();
        while let Some(name) = words.next() {
            options.insert(name.trim_start_matches("--").to_owned(), words.next().unwrap_or_default());
        }
        Self { command, options }
    }

    fn text(&self, name: &str, default: &str) -> String {
        self.options.get(name).cloned().unwrap_or_else(|| default.to_owned())
    }

    fn number(&self, name: &str, default: f32) -> f32 {
        self.options.get(name).and_then(|text| text.parse().ok()).unwrap_or(default)
    }

    fn count(&self, name: &str, default: usize) -> usize {
        self.number(name, default as f32) as usize
    }

    fn settings(&self) -> Settings {
        Settings {
            epochs: self.count("epochs", 16),
            decay: self.number("decay", 0.01),
            input_noise: self.number("input-noise", 0.05),
            starts: self.count("starts", 2),
            members: self.count("members", 3),
            hidden: vec![self.count("hidden", 32), self.count("hidden2", 20)],
            first_hidden: vec![self.count("first", 48), 32],
            basis: self.count("basis", 32),
            ..Settings::default()
        }
    }
}

/// All bodies.
struct Data {
    characters: Vec<Character>,
    judged: Vec<Sample>,
    random: Vec<Sample>,
    made_up: Vec<Sample>,
    /// Made-up bodies with faces, for front and back only; none to judge joints.
    fronted: Vec<Sample>,
}

impl Data {
    fn load(arguments: &Arguments) -> Self {
        let folder = PathBuf::from(arguments.text("models", "../shared/models/avatars/dev"));
        let all = characters::read(&folder);
        let characters: Vec<_> = all.into_iter().filter(|character| character.kind == "humanoid").collect();
        let cache = |name: String| Path::new(CACHE).join(name);
        let is_judging = arguments.options.contains_key("from") || arguments.command == "robes";
        let (variants, made_up) = if is_judging {
            (0, 0)
        } else {
            (arguments.count("variants", 16), arguments.count("made-up", 8000))
        };
        let judged = cache::cached(&cache("judged".into()), || dataset::judged(&HUMANOID, &characters));
        let random = cache::cached(&cache(format!("random{variants}")), || {
            dataset::random(&HUMANOID, &characters, variants, 7)
        });
        let made_up = cache::cached(&cache(format!("made{made_up}")), || dataset::made_up(made_up, 5));
        let fronted = match arguments.command.as_str() {
            "orientation" | "write" => arguments.count("fronted", 4000),
            _ => 0,
        };
        let fronted =
            cache::cached(&cache(format!("fronted{fronted}")), || dataset::made_up_with_front(fronted, 6));
        Self { characters, judged, random, made_up, fronted }
    }

    fn count(&self) -> usize {
        self.judged.len() + self.random.len() + self.made_up.len()
    }

    /// Samples to train on, without some characters, and the weight of each in the loss.
    fn training(&self, is_out: impl Fn(usize) -> bool, made_up: f32) -> (Vec<&Sample>, Vec<f32>) {
        let real = self.random.iter().chain(&self.judged).filter(|sample| !is_out(sample.character));
        let weighted = real.map(|sample| (sample, 1.0));
        weighted.chain(self.made_up.iter().map(|sample| (sample, made_up))).unzip()
    }

    /// Samples to train the networks of orientation and of front and back on.
    fn training_with_fronts(&self, is_out: impl Fn(usize) -> bool) -> Vec<&Sample> {
        let real = self.random.iter().chain(&self.judged).filter(|sample| !is_out(sample.character));
        // Half of the bodies without faces will do.
        real.chain(self.made_up.iter().step_by(2)).chain(&self.fronted).collect()
    }
}

/// Writes the table. Only the parts that are named are trained; others stay as committed.
fn write_table(data: &Data, arguments: &Arguments) {
    let parts = arguments.text("parts", "facing");
    let is_named = |part: &str| parts.split(',').any(|name| name == part);
    let mut table = if PARTS.into_iter().all(is_named) {
        Table::default()
    } else {
        let bytes = std::fs::read(TABLE).expect("the committed table is there");
        Table::from_bytes(&bytes).expect("the committed table can be read, or all parts are named")
    };
    if is_named("humanoid") {
        let (training, weight) = data.training(|_| false, arguments.number("made-weight", 0.5));
        table.humanoid = train_cascade(&HUMANOID, &training, &weight, &arguments.settings());
    }
    let training = data.training_with_fronts(|_| false);
    if is_named("orientation") {
        table.orientation = orient::train_network(&training);
    }
    // This depends on the cascade.
    if is_named("facing") {
        table.facing = facing::train_network(&table.humanoid, &training);
    }
    std::fs::write(arguments.text("to", TABLE), table.to_bytes()).expect("the table can be written");
}

/// The splits whose names contain one of the words that were asked for, in the order of the words.
fn chosen(data: &Data, arguments: &Arguments) -> Vec<Split> {
    let wanted = arguments.text("splits", "all");
    let mut all = splits::folds(&data.characters);
    all.extend(splits::families(&data.characters));
    if wanted == "all" {
        return all;
    }
    let mut out = Vec::new();
    for word in wanted.split(',') {
        out.extend(all.extract_if(.., |split| split.name.contains(word)));
    }
    out
}

fn judge_orientation(data: &Data, arguments: &Arguments) {
    let mut rows: Option<std::fs::File> =
        arguments.options.get("rows").map(|path| std::fs::File::create(path).expect("writable"));
    for split in chosen(data, arguments) {
        let kept = arguments.text("keep", "/tmp/table");
        let path = format!("{kept}-{}", split.name.replace(' ', "-"));
        let bytes = std::fs::read(&path).expect("judged before");
        let mut table = Table::from_bytes(&bytes).expect("a table");
        let training = data.training_with_fronts(|character| split.is_out[character]);
        table.orientation = orient::train_network(&training);
        table.facing = facing::train_network(&table.humanoid, &training);
        // As it is stored.
        let table = Table::from_bytes(&table.to_bytes()).expect("what was written can be read");
        std::fs::write(&path, table.to_bytes()).expect("writable");
        let test: Vec<&Sample> = data.judged.iter().filter(|s| split.is_out[s.character]).collect();
        let seen = orient::look(&table, &test);
        println!("{}: {}", split.name, orient::summary(&seen));
        for (sample, seen) in test.iter().zip(&seen) {
            let (character, e) = (&data.characters[sample.character], &seen.evidence);
            if let Some(rows) = &mut rows {
                let row = [e.margin, e.depths, e.spread, e.residual].map(|x| x.to_string()).join(",");
                let (source, file, pose) = (&character.source, &character.file, sample.pose);
                writeln!(rows, "{},{source},{file},{pose},{},{row}", split.name, seen.is_up)
                    .expect("writable");
            }
        }
    }
}

fn judge_joints(data: &Data, arguments: &Arguments) {
    let mut rows: Option<std::fs::File> =
        arguments.options.get("rows").map(|path| std::fs::File::create(path).expect("writable"));
    for split in chosen(data, arguments) {
        let start = Instant::now();
        let test: Vec<&Sample> = data.judged.iter().filter(|s| split.is_out[s.character]).collect();
        let name = split.name.replace(' ', "-");
        let bytes = if let Some(path) = arguments.options.get("from") {
            std::fs::read(format!("{path}-{name}")).expect("kept before")
        } else {
            let (training, weight) =
                data.training(|character| split.is_out[character], arguments.number("made-weight", 0.5));
            let humanoid = train_cascade(&HUMANOID, &training, &weight, &arguments.settings());
            Table { humanoid, ..Table::default() }.to_bytes()
        };
        // As it is stored.
        let cascade = Table::from_bytes(&bytes).expect("what was written can be read").humanoid;
        if let Some(path) = arguments.options.get("keep") {
            std::fs::write(format!("{path}-{name}"), &bytes).expect("writable");
        }
        println!("{}: {} bodies, {} bytes, {:.0?}", split.name, test.len(), bytes.len(), start.elapsed());
        let fits = judge_split(data, &cascade, &test);
        for (sample, fit) in test.iter().zip(&fits) {
            if let Some(rows) = &mut rows {
                let character = &data.characters[sample.character];
                let line = fit.row(&split.name, &character.source, &character.file, sample.pose);
                writeln!(rows, "{line}").expect("writable");
            }
        }
    }
}

/// Judges characters in robes: by the tables of splits that were kept, or by the committed one,
/// which was trained on the same characters without robes.
fn judge_robes(data: &Data, arguments: &Arguments) {
    let path = Path::new(CACHE).join("robed");
    let robed = cache::cached(&path, || dataset::robed(&HUMANOID, &data.characters));
    let read = |path: &str| {
        let bytes = std::fs::read(path).expect("a table that was kept or committed");
        Table::from_bytes(&bytes).expect("the table can be read").humanoid
    };
    let mut fits: Vec<(&Sample, judge::Fit)> = Vec::new();
    if let Some(from) = arguments.options.get("from") {
        for split in chosen(data, arguments) {
            let cascade = read(&format!("{from}-{}", split.name.replace(' ', "-")));
            let test: Vec<&Sample> = robed.iter().filter(|s| split.is_out[s.character]).collect();
            let of_split = parallel::map(&test, |sample| judge::fit(&cascade, sample));
            fits.extend(test.into_iter().zip(of_split));
        }
    } else {
        let cascade = read(TABLE);
        let all: Vec<&Sample> = robed.iter().collect();
        let of_all = parallel::map(&all, |sample| judge::fit(&cascade, sample));
        fits.extend(all.into_iter().zip(of_all));
    }
    let source = |sample: &Sample| data.characters[sample.character].source.as_str();
    let print = |name: &str, filter: &dyn Fn(&Sample) -> bool| {
        let some: Vec<&judge::Fit> =
            fits.iter().filter(|(sample, _)| filter(sample)).map(|(_, fit)| fit).collect();
        println!("  {name:<28} {}", judge::summary(&some));
    };
    print("all robes", &|_| true);
    for (index, robe) in robes::ROBES.iter().enumerate() {
        print(robe.name, &|sample| sample.pose == index);
    }
    let mut sources: Vec<&str> = fits.iter().map(|(sample, _)| source(sample)).collect();
    sources.sort_unstable();
    sources.dedup();
    for one in sources {
        print(one, &|sample| source(sample) == one);
    }
    if arguments.options.contains_key("show") {
        show::contact_sheet(&robed, "target/training/robed.pgm");
    }
}

/// Fits all bodies and prints what they are like.
fn judge_split(data: &Data, cascade: &Cascade, test: &[&Sample]) -> Vec<judge::Fit> {
    let fits = parallel::map(test, |sample| judge::fit(cascade, sample));
    let mut sources: Vec<&str> =
        test.iter().map(|sample| data.characters[sample.character].source.as_str()).collect();
    sources.sort_unstable();
    sources.dedup();
    let print = |name: &str, filter: &dyn Fn(&Sample) -> bool| {
        let some: Vec<&judge::Fit> =
            test.iter().zip(&fits).filter(|(sample, _)| filter(sample)).map(|(_, fit)| fit).collect();
        println!("  {name:<28} {}", judge::summary(&some));
    };
    print("all poses", &|_| true);
    print("original, 20, 45", &|sample| sample.pose < 3);
    print("75", &|sample| sample.pose == 3);
    for source in sources {
        print(source, &|sample| sample.pose < 3 && data.characters[sample.character].source == source);
    }
    fits
}
