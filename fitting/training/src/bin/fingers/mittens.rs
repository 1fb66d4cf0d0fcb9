//! Fingers that are found where there are none.

use std::collections::BTreeMap;

use glam::Vec3;
use pliant_fitting::fingers::{self, FINGERS};

use crate::characters::Character;
use crate::parallel;

/// Prints how many fingers are found where there are none.
pub fn judge(characters: &[Character]) {
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
