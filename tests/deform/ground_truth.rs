//! Poses computed by another program: a rest shape, weights, bone transforms and posed shapes.

use std::path::{Path, PathBuf};

use glam::{DVec3, Mat4, Vec3};
use pliant::deform::Deformer;
use pliant::model::{Influence, Weights};

use super::{Shape, largest_distance, pose, skin_of};

/// Largest root mean square distance from a published pose, distance of a close vertex, least share
/// of close vertices, and largest distance. Lengths are relative to the diagonal of the rest shape.
///
/// The published poses were made with some negative weights, down to −5e-4; the published weights
/// have zero there. (Fitting weights to the eleven poses gives the negative ones, and then all
/// vertices agree within 4e-7.) So a few dozen vertices of 6,669 cannot agree, up to 1.3e-4.
const ROOT_MEAN_SQUARE: f64 = 3e-6;
const CLOSE: f32 = 1e-5;
const SHARE_CLOSE: f64 = 0.99;
const FARTHEST: f32 = 1.4e-4;

/// Largest distance from the same sum in f64, relative to the diagonal.
const ROUNDING: f32 = 5e-7;

/// Weights below this are rounding errors of the file's solver (some are negative).
const NOISE: f64 = 1e-9;

fn folder() -> Option<PathBuf> {
    let path = "../shared/models/research_groundtruth_lbs/cheburashka";
    Some(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).filter(|folder| folder.is_dir())
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn numbers(text: &str) -> impl Iterator<Item = f64> {
    text.split_whitespace().map(|word| word.parse().unwrap())
}

fn obj_positions(path: &Path) -> Vec<Vec3> {
    let read = |line: &str| {
        let xyz: Vec<f32> = numbers(line).map(|x| x as f32).collect();
        Vec3::from_slice(&xyz)
    };
    text(path).lines().filter_map(|line| line.strip_prefix("v ")).map(read).collect()
}

/// A DMAT file: "columns rows", then the values column by column.
fn dmat_weights(path: &Path) -> Weights {
    let text = text(path);
    let (header, values) = text.split_once('\n').unwrap();
    let size: Vec<usize> = header.split_whitespace().map(|word| word.parse().unwrap()).collect();
    let [columns, rows] = size[..] else { panic!("no size: {header}") };
    let values: Vec<f64> = numbers(values).collect();
    assert_eq!(values.len(), columns * rows);
    let row = |vertex: usize| {
        let all = (0..columns).map(|column| (column as u32, values[column * rows + vertex]));
        let kept: Vec<(u32, f64)> = all.filter(|(_, weight)| *weight > NOISE).collect();
        let sum: f64 = kept.iter().map(|(_, weight)| weight).sum();
        let influence = |&(column, weight)| Influence { column, weight: (weight / sum) as f32 };
        kept.iter().map(influence).collect::<Vec<_>>()
    };
    Weights::new(columns, (0..rows).map(row)).unwrap()
}

/// A Tmat file: per bone four rows of three, to be multiplied by row vectors (p, 1) from the left.
/// A row there is a column here.
fn tmat_matrices(path: &Path) -> Vec<Mat4> {
    let values: Vec<f32> = numbers(&text(path)).map(|x| x as f32).collect();
    let columns: Vec<Vec3> = values.chunks_exact(3).map(Vec3::from_slice).collect();
    let bone =
        |c: &[Vec3]| Mat4::from_cols(c[0].extend(0.0), c[1].extend(0.0), c[2].extend(0.0), c[3].extend(1.0));
    columns.chunks_exact(4).map(bone).collect()
}

/// The definition, `Σ w_j M_j p`, in f64.
fn in_f64(weights: &Weights, matrices: &[Mat4], rest: &[Vec3]) -> Vec<Vec3> {
    let posed = |(row, p): (&[Influence], &Vec3)| {
        let term = |i: &Influence| {
            matrices[i.column as usize].as_dmat4().transform_point3(p.as_dvec3()) * f64::from(i.weight)
        };
        row.iter().map(term).sum::<DVec3>().as_vec3()
    };
    weights.rows().zip(rest).map(posed).collect()
}

fn root_mean_square(a: &[Vec3], b: &[Vec3]) -> f64 {
    let squares: f64 = a.iter().zip(b).map(|(a, b)| f64::from(a.distance_squared(*b))).sum();
    (squares / a.len() as f64).sqrt()
}

#[test]
fn linear_blending_gives_the_published_poses() {
    let Some(folder) = folder() else {
        println!("skipped: the models are not there");
        return;
    };
    let rest = Shape { positions: obj_positions(&folder.join("cheburashka.obj")), normals: Vec::new() };
    let weights = dmat_weights(&folder.join("cheburashka.DMAT"));
    let low = rest.positions.iter().copied().reduce(Vec3::min).unwrap();
    let diagonal = low.distance(rest.positions.iter().copied().reduce(Vec3::max).unwrap());
    for number in 1..=11 {
        let stem = folder.join(format!("poses-2/cheburashka-{number:02}"));
        let matrices = tmat_matrices(&stem.with_extension("Tmat"));
        let posed = pose(Deformer::Linear, &skin_of(&weights), &matrices, &rest).positions;
        let rounding = largest_distance(&posed, &in_f64(&weights, &matrices, &rest.positions)) / diagonal;
        assert!(rounding < ROUNDING, "pose {number}: f32 is off by {rounding:e} of the diagonal");

        let published = obj_positions(&stem.with_extension("obj"));
        let most = largest_distance(&posed, &published) / diagonal;
        let mean = root_mean_square(&posed, &published) / f64::from(diagonal);
        let close = posed.iter().zip(&published).filter(|(a, b)| a.distance(**b) < CLOSE * diagonal).count();
        println!("pose {number}: rounding {rounding:.1e}, published within {mean:.1e}, at most {most:.1e}");
        assert!(mean < ROOT_MEAN_SQUARE && most < FARTHEST, "pose {number}: {mean:e}, at most {most:e}");
        assert!(close as f64 > SHARE_CLOSE * posed.len() as f64, "pose {number}: only {close} agree");
    }
}
