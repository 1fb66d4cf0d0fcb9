//! Bone heat: the equation, what it must not depend on, and cases in which Blender fails.

use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

use glam::{DVec3, Quat, Vec3};
use pliant::model::{Joint, Mesh, Skeleton, Weights};
use pliant::operators::MeshGeometry;
use pliant::pipeline::{Method, Pipeline, Recipe, Silent};
use pliant::progress::Progress;
use pliant::report::{Report, UnreachedPart, Warning};
use pliant::samples::{self, SampleCharacter};
use pliant::weights::{Heat, bone_heat, diffuse, heat_sources};

use crate::agreement::{read, rig_models, rigged};
use crate::fixtures::{
    Lcg, chain, fixtures, icosphere, joined, mesh, placed, placed_skeleton, sample_characters, tube,
};
use crate::laplacian::solve_dense;
use crate::shared_models;

fn heat(of: &Mesh, skeleton: &Skeleton) -> (Weights, Report) {
    let mut report = Report::default();
    let weights =
        bone_heat(&MeshGeometry::of(of), skeleton, &Heat::default(), &mut report, &mut Progress::silent())
            .unwrap();
    weights.assert_well_formed();
    assert_eq!(weights.vertices(), of.positions().len());
    (weights, report)
}

fn codes(report: &Report) -> Vec<&'static str> {
    report.warnings().iter().map(Warning::code).collect()
}

fn arm() -> (Mesh, Skeleton) {
    let bones = chain(&[Vec3::Y * 0.2, Vec3::Y * 2.0, Vec3::Y * 3.8]);
    (tube(12, 20, 0.5, 4.0, true), bones)
}

pub fn correlation(a: &[f32], b: &[f32]) -> f64 {
    let mean = |x: &[f32]| x.iter().map(|&v| f64::from(v)).sum::<f64>() / x.len() as f64;
    let (ma, mb) = (mean(a), mean(b));
    let product = |x: &[f32], mx: f64, y: &[f32], my: f64| -> f64 {
        x.iter().zip(y).map(|(&p, &q)| (f64::from(p) - mx) * (f64::from(q) - my)).sum()
    };
    product(a, ma, b, mb) / (product(a, ma, a, ma) * product(b, mb, b, mb)).sqrt()
}

/// The parts of the equation of one mesh, from positions and triangles alone.
struct Reference {
    /// `∫ ∇φ_i · ∇φ_j`: half of the cotangents opposite each edge.
    stiffness: Vec<Vec<f64>>,
    /// Mixed Voronoi areas (Meyer et al. 2003).
    masses: Vec<f64>,
    /// Sums of triangle normals, weighted by the angle.
    normals: Vec<DVec3>,
}

impl Reference {
    fn of(skin: &Mesh) -> Self {
        let size = skin.positions().len();
        let mut stiffness = vec![vec![0.0; size]; size];
        let (mut masses, mut normals) = (vec![0.0; size], vec![DVec3::ZERO; size]);
        for triangle in skin.triangles() {
            let corners = triangle.map(|v| skin.positions()[v as usize].as_dvec3());
            let cross = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
            let sides = |at: usize| [1, 2].map(|step| corners[(at + step) % 3] - corners[at]);
            let angle = |at: usize| sides(at)[0].angle_between(sides(at)[1]);
            let is_obtuse = (0..3).any(|at| angle(at) > FRAC_PI_2 + 1e-9);
            for at in 0..3 {
                let [v, next, last] = [0, 1, 2].map(|step| triangle[(at + step) % 3] as usize);
                let cotangent = angle(at).tan().recip();
                for (i, j, sign) in
                    [(next, last, -0.5), (last, next, -0.5), (next, next, 0.5), (last, last, 0.5)]
                {
                    stiffness[i][j] += sign * cotangent;
                }
                let [to_next, to_last] = sides(at);
                let voronoi = (to_next.length_squared() / angle((at + 2) % 3).tan()
                    + to_last.length_squared() / angle((at + 1) % 3).tan())
                    / 8.0;
                let part = if angle(at) > FRAC_PI_2 + 1e-9 { 0.5 } else { 0.25 };
                masses[v] += if is_obtuse { part * 0.5 * cross.length() } else { voronoi };
                normals[v] += cross.normalize_or_zero() * angle(at);
            }
        }
        // Without this the weights would be those of other triangles.
        let is_delaunay = |i: usize| (0..size).all(|j| i == j || stiffness[i][j] <= 1e-6);
        assert!((0..size).all(is_delaunay), "the reference needs a Delaunay mesh");
        Self { stiffness, masses, normals: normals.into_iter().map(DVec3::normalize_or_zero).collect() }
    }
}

/// The paper's equation on a convex tube, where every vertex sees its bone.
#[test]
fn a_dense_solution_of_the_equation_agrees() {
    let (skin, skeleton) = arm();
    let Reference { stiffness: mut full, masses, normals } = Reference::of(&skin);
    // The bones of [`arm`], on the y axis.
    let bones = [[0.2, 2.0], [2.0, 3.8]];
    let size = skin.positions().len();
    let mut rights = vec![vec![0.0; size]; 2];
    for v in 0..size {
        let position = skin.positions()[v].as_dvec3();
        let distance = |[low, high]: [f64; 2]| {
            let way = position - DVec3::Y * position.y.clamp(low, high);
            way.length() / (0.5 * (way.normalize_or_zero().dot(normals[v]) + 1.001))
        };
        let distances = bones.map(distance);
        let least = distances[0].min(distances[1]);
        let tied: Vec<usize> = (0..2).filter(|&b| distances[b] <= least * 1.0001).collect();
        let hold = masses[v] * tied.len() as f64 * 4.0 / (least * least);
        full[v][v] += hold;
        tied.iter().for_each(|&bone| rights[bone][v] = hold / tied.len() as f64);
    }
    let geometry = MeshGeometry::of(&skin);
    let sources =
        heat_sources(&geometry, &skeleton, &Heat::default(), &mut Report::default(), &mut Progress::silent());
    let diffused = diffuse(&geometry, &sources.unwrap(), 2, &mut Progress::silent()).unwrap();
    let mut largest_error = 0.0f64;
    for (bone, right) in rights.into_iter().enumerate() {
        for (v, value) in solve_dense(full.clone(), right).into_iter().enumerate() {
            let ours =
                diffused.of(v).iter().find(|share| share.0 == bone as u32).map_or(0.0, |share| share.1);
            // Smaller ones are dropped.
            let error = if value <= 1e-6 { ours.max(0.0) - 1e-6 } else { (ours - value).abs() };
            largest_error = largest_error.max(error);
        }
    }
    println!("largest error {largest_error:.2e}");
    assert!(largest_error <= 5e-9, "{largest_error:.2e}");
}

#[test]
fn rows_sum_to_one_before_normalisation() {
    for f in fixtures().chain(sample_characters()) {
        let Some(skeleton) = &f.skeleton else { continue };
        let geometry = MeshGeometry::of(&f.mesh);
        let options = Heat::default();
        let sources =
            heat_sources(&geometry, skeleton, &options, &mut Report::default(), &mut Progress::silent());
        let bones = skeleton.bones().len();
        let diffused = diffuse(&geometry, &sources.unwrap(), bones, &mut Progress::silent()).unwrap();
        assert!(diffused.largest_sum_error <= 1e-6, "{}: {}", f.name, diffused.largest_sum_error);
    }
}

#[test]
fn weights_do_not_depend_on_units() {
    for member in [SampleCharacter::Mannequin, SampleCharacter::Hand] {
        let made = samples::make(member, 1500).unwrap();
        let (one, _) = heat(&made.mesh, &made.skeleton);
        for scale in [1000.0, 0.001, 0.01] {
            let skin = placed(&made.mesh, Quat::IDENTITY, scale, Vec3::ZERO);
            let bones = placed_skeleton(&made.skeleton, Quat::IDENTITY, scale, Vec3::ZERO);
            let (other, _) = heat(&skin, &bones);
            for bone in 0..one.columns() as u32 {
                let apart = one.column(bone).into_iter().zip(other.column(bone)).map(|(a, b)| (a - b).abs());
                assert!(apart.fold(0.0, f32::max) <= 1e-3, "{member:?} at {scale}");
            }
        }
    }
}

/// Subdivides every triangle into four, keeping the first vertices.
fn subdivided(of: &Mesh) -> Mesh {
    let mut positions = of.positions().to_vec();
    let mut triangles = Vec::new();
    for t in 0..of.triangles().len() {
        let [a, b, c] = of.triangles()[t];
        let [p, q, r] = of.corners(t);
        let first = positions.len() as u32;
        positions.extend([(p + q) * 0.5, (q + r) * 0.5, (r + p) * 0.5]);
        let [ab, bc, ca] = [first, first + 1, first + 2];
        triangles.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
    }
    pliant::operators::weld(&positions, &triangles).mesh
}

#[test]
fn a_finer_mesh_gives_the_same_weights() {
    for member in [SampleCharacter::Arm, SampleCharacter::Mannequin, SampleCharacter::Elephant] {
        let made = samples::make(member, 1500).unwrap();
        let fine = subdivided(&made.mesh);
        assert_eq!(&fine.positions()[..made.mesh.positions().len()], made.mesh.positions());
        let ((coarse, _), (fine, _)) = (heat(&made.mesh, &made.skeleton), heat(&fine, &made.skeleton));
        let first = |bone: u32| fine.column(bone)[..coarse.vertices()].to_vec();
        let columns = 0..coarse.columns() as u32;
        let all_coarse: Vec<f32> = columns.clone().flat_map(|bone| coarse.column(bone)).collect();
        let all_fine: Vec<f32> = columns.flat_map(first).collect();
        let correlation = correlation(&all_coarse, &all_fine);
        assert!(correlation >= 0.99, "{member:?}: {correlation}");
    }
}

#[test]
fn more_conductance_is_stiffer() {
    let (skin, skeleton) = arm();
    let blended = |conductance: f64| {
        let options = Heat { conductance, ..Heat::default() };
        let silent = &mut Progress::silent();
        let weights =
            bone_heat(&MeshGeometry::of(&skin), &skeleton, &options, &mut Report::default(), silent).unwrap();
        weights.column(0).iter().filter(|w| (0.1..0.9).contains(*w)).count()
    };
    assert!(blended(0.1) > blended(1.0) && blended(1.0) > blended(10.0));
    assert_eq!(blended(f64::NAN), blended(Heat::default().conductance));
    assert_eq!(blended(1e9), blended(100.0));
}

// --- Cases in which Blender fails
// --------------------------------------------------------------------

#[test]
fn a_hidden_island_of_tiny_triangles_does_not_affect_the_rest() {
    let (skin, skeleton) = arm();
    let (alone, _) = heat(&skin, &skeleton);
    // Inside a closed shell, so that no bone sees it; a millionth of the size of the arm.
    let speck = |size: f32| placed(&icosphere(1), Quat::IDENTITY, size, Vec3::new(0.0, 3.0, 0.0));
    let beside = |of: &Mesh| placed(of, Quat::IDENTITY, 1.0, Vec3::new(0.3, 0.0, 0.0));
    let all = joined(&[skin.clone(), beside(&speck(0.05)), beside(&speck(4e-6))]);
    let (weights, _) = heat(&all, &skeleton);
    for vertex in 0..skin.positions().len() {
        assert_eq!(weights.dominant(vertex), alone.dominant(vertex), "vertex {vertex}");
    }
    let first = skin.positions().len();
    assert!((first..all.positions().len()).all(|vertex| weights.dominant(vertex) == 1));
}

#[test]
fn tiny_components_outside_are_bound_and_reported() {
    let made = samples::make(SampleCharacter::Mannequin, 1500).unwrap();
    let mut rng = Lcg(13);
    let specks: Vec<Mesh> = (0..13)
        .map(|_| {
            let at = rng.point(1.0).normalize_or_zero() * 3.0 + Vec3::Y;
            let [a, b, c] = [at, at + rng.point(0.01), at + rng.point(0.01)];
            mesh(&[a, b, c], &[[0, 1, 2]])
        })
        .collect();
    let all = joined(&[vec![made.mesh.clone()], specks].concat());
    let asset = samples::GeneratedCharacter { mesh: all, ..made }.into_asset("specks");
    let recipe = Recipe { method: Method::Heat, ..Recipe::default() };
    let outcome = Pipeline::new(Arc::new(asset)).run(&recipe, &mut Silent).unwrap();
    let warnings = outcome.report.warnings().len();
    assert!((1..=13).contains(&warnings), "{:?}", outcome.report);
    let text: Vec<String> = outcome.report.warnings().iter().map(ToString::to_string).collect();
    assert!(text.iter().any(|line| line.contains("border edges")), "{text:?}");
    let named = unreached(&outcome.report);
    assert!((1..=13).contains(&named.len()) && named.iter().all(|part| part.vertices == 3), "{text:?}");
    outcome.rig.assert_well_formed();
}

#[test]
fn a_component_that_sees_no_bone_follows_the_nearest_and_is_reported() {
    // A shell around the arm, and a ball outside of both: closed components that see no bone.
    let (skin, skeleton) = arm();
    let ball = placed(&icosphere(2), Quat::IDENTITY, 0.3, Vec3::new(4.0, 3.5, 0.0));
    let wall = placed(&tube(12, 4, 0.2, 4.0, true), Quat::IDENTITY, 1.0, Vec3::new(2.0, 0.0, 0.0));
    let all = joined(&[skin.clone(), ball, wall]);
    let (weights, report) = heat(&all, &skeleton);
    let ball = skin.positions().len()..skin.positions().len() + icosphere(2).positions().len();
    assert!(ball.into_iter().all(|vertex| weights.dominant(vertex) == 1));
    assert_eq!(weights.vertices(), all.positions().len());
    let parts = unreached(&report);
    let named: Vec<(usize, &str)> = parts.iter().map(|part| (part.vertices, part.joint.as_str())).collect();
    let wall = all.positions().len() - skin.positions().len() - icosphere(2).positions().len();
    assert_eq!(named, [(icosphere(2).positions().len(), "bone_1"), (wall, "bone_0")]);
}

/// The components that no bone reaches, from the warnings.
fn unreached(report: &Report) -> Vec<UnreachedPart> {
    let warned = report.warnings().iter().filter_map(|warning| match warning {
        Warning::UnreachedParts { parts } => Some(parts.clone()),
        _ => None,
    });
    warned.flatten().collect()
}

#[test]
fn unusual_bones_are_reported_and_still_get_weights() {
    let (skin, _) = arm();
    let at = |name: &str, parent: Option<(usize, Vec3)>, head: Vec3, tail: Vec3| {
        let mut joint = Joint::at(name, parent, head);
        joint.tail = Some(tail);
        joint
    };
    let (low, high) = (Vec3::Y * 0.2, Vec3::Y * 3.8);
    let skeleton = Skeleton::new(vec![
        at("arm", None, low, high),
        at("twin", Some((0, low)), low, high),
        at("point", Some((0, low)), high, high),
        at("outside", Some((0, low)), Vec3::new(8.0, 0.0, 0.0), Vec3::new(9.0, 0.0, 0.0)),
        at("endless", Some((0, low)), Vec3::new(0.0, 3.9, 0.0), Vec3::new(0.0, 90.0, 0.0)),
    ])
    .unwrap();
    let (weights, report) = heat(&skin, &skeleton);
    let (arm, twin) = (weights.column(0), weights.column(1));
    assert!(arm.iter().zip(&twin).all(|(a, b)| (a - b).abs() <= 1e-5), "twins share alike");
    for code in ["bones_outside", "bones_too_long", "bones_in_one_place", "idle_joints"] {
        assert!(codes(&report).contains(&code), "{code} is not in {:?}", report.warnings());
    }
    let text: Vec<String> = report.warnings().iter().map(ToString::to_string).collect();
    for (what, name) in [("outside", "outside"), ("longer", "endless"), ("same position", "twin")] {
        assert!(text.iter().any(|line| line.contains(what) && line.contains(name)), "{text:?}");
    }
}

#[test]
fn open_inward_and_non_manifold_meshes_are_reported() {
    let (_, skeleton) = arm();
    let named = |of: &Mesh| codes(&heat(of, &skeleton).1);
    assert!(named(&tube(12, 20, 0.5, 4.0, false)).contains(&"open_mesh"));
    let closed = tube(12, 20, 0.5, 4.0, true);
    assert!(named(&crate::fixtures::flipped(&closed)).contains(&"inside_out"));
    let mut positions = closed.positions().to_vec();
    let mut triangles = closed.triangles().to_vec();
    let [a, b, _] = triangles[0];
    positions.push(Vec3::new(2.0, 0.0, 0.0));
    triangles.push([a, b, positions.len() as u32 - 1]);
    assert!(named(&mesh(&positions, &triangles)).contains(&"non_manifold"));
}

#[test]
fn weights_do_not_depend_on_the_orientation_of_the_mesh() {
    let (skin, skeleton) = arm();
    let (one, other) = (heat(&skin, &skeleton).0, heat(&crate::fixtures::flipped(&skin), &skeleton).0);
    let apart = one.column(0).into_iter().zip(other.column(0)).map(|(a, b)| (a - b).abs());
    assert!(apart.fold(0.0, f32::max) <= 1e-4);
}

#[test]
fn every_vertex_of_real_models_is_bound() {
    rig_models(&[Method::Heat, Method::Glow]);
}

#[test]
fn models_are_bound_to_skeletons_of_other_files() {
    let Some(folder) = shared_models::folder() else { return };
    for (model, skeleton) in [
        ("gltf_mesh2motion/models/model-horse.glb", "gltf_mesh2motion/rigs/rig-horse.glb"),
        ("gltf_mesh2motion/models/model-human.glb", "gltf_mesh2motion/rigs/rig-human.glb"),
        (
            "research_groundtruth_lbs/cheburashka/cheburashka.obj",
            "research_groundtruth_lbs/cheburashka/cheburashka.tgf",
        ),
    ] {
        let mut asset = read(&folder.join(model));
        let files = shared_models::with_neighbours(&folder.join(skeleton));
        let other = pliant::io::read_skeleton(&files, &mut Report::default()).unwrap();
        asset.set_skeleton(other.skeleton, other.clips);
        let asset = Arc::new(asset);
        for method in [Method::Heat, Method::Glow] {
            let outcome = rigged(&asset, method);
            outcome.rig.assert_well_formed();
            assert_eq!(outcome.rig.weights().vertices(), asset.render.positions.len(), "{model}");
        }
    }
}

/// Vertices split at seams, as files store them, must not split the surface: welding comes first.
#[test]
fn a_mesh_split_at_every_edge_is_bound_as_a_whole() {
    let (skin, skeleton) = arm();
    let corners: Vec<Vec3> = (0..skin.triangles().len()).flat_map(|t| skin.corners(t)).collect();
    let split: Vec<[u32; 3]> =
        (0..skin.triangles().len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let welded = pliant::operators::weld(&corners, &split);
    let (whole, _) = heat(&skin, &skeleton);
    let (again, report) = heat(&welded.mesh, &skeleton);
    assert!(report.warnings().is_empty(), "{report:?}");
    for (corner, &solve) in welded.solve_from_render.iter().enumerate() {
        let vertex = skin.triangles()[corner / 3][corner % 3] as usize;
        let (a, b) = (whole.row(vertex)[0].weight, again.row(solve as usize)[0].weight);
        assert!((a - b).abs() <= 1e-4);
    }
}
