//! Fingers of the mesh of a file, beside its bones.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use glam::Vec3;
use pliant::io::{self, File};
use pliant::report::Report;
use pliant_fitting::body::Body;
use pliant_fitting::fingers::{self, FINGERS};
use pliant_fitting::plans::humanoid;
use pliant_fitting::table::Table;

use crate::characters::Character;
use crate::{Hand, errors, median, show};

/// Fits a skeleton to the mesh of a file, and prints its fingers.
pub fn judge(path: &str, sheet: Option<&str>) {
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
    let Ok(skeleton) = humanoid::fit(&Table::built_in(), &body, &[]) else { return };
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
        let errors = errors(hand).into_iter().map(|error| 100.0 * error).collect();
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
        show::show(&hands, &[character], (0, 0.0), &format!("{sheet}-{name}"));
    }
}
