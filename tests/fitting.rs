//! Skeletons for bare meshes: a planted answer, what must not change it, markers, and meshes that
//! are no bodies.

use std::collections::BTreeMap;
use std::path::PathBuf;

use glam::{Mat3, Quat, Vec3};
use pliant::fit::range_of_motion;
use pliant::io::{self, File};
use pliant::model::{HumanBone, Mesh, Skeleton};
use pliant::report::Report;
use pliant::samples::{self, SampleCharacter};
use pliant_fitting::fit::{FitError, FitOptions, FittedSkeleton, Fitter, Orientation};
use pliant_fitting::names::{Names, human_bone, human_labels};
use pliant_fitting::orientation::rotations;
use pliant_fitting::plans::BodyPlan;
use pliant_fitting::table::Table;

use crate::{fixtures, shared_models};

/// The person that most tests fit: hanging arms, 1.75 units high.
fn mannequin(vertices: usize) -> (Mesh, Skeleton) {
    let made = samples::make(SampleCharacter::Mannequin, vertices).unwrap();
    (made.mesh, made.skeleton)
}

fn fit_of(positions: &[Vec3], triangles: &[[u32; 3]], options: &FitOptions) -> FittedSkeleton {
    Fitter::new(Table::built_in(), positions.to_vec(), triangles.to_vec()).unwrap().fit(options).unwrap()
}

fn fit(mesh: &Mesh) -> FittedSkeleton {
    fit_of(mesh.positions(), mesh.triangles(), &FitOptions::default())
}

fn head(fitted: &FittedSkeleton, label: &str) -> Vec3 {
    Vec3::from(fitted.bones.iter().find(|bone| bone.label == label).unwrap().head)
}

/// The skeleton as the library reads it.
fn read(fitted: &FittedSkeleton) -> Skeleton {
    let file = File { name: String::new(), bytes: serde_json::to_vec(fitted).unwrap() };
    io::read_skeleton(&[file], &mut Report::default()).unwrap().skeleton
}

/// The largest distance between joints of two fits, after `map`, relative to the height.
fn difference(a: &FittedSkeleton, b: &FittedSkeleton, map: impl Fn(Vec3) -> Vec3) -> f32 {
    assert_eq!(a.bones.len(), b.bones.len());
    let distance = |(a, b): (&_, &_)| {
        let (a, b): (&pliant_fitting::fit::FittedBone, &pliant_fitting::fit::FittedBone) = (a, b);
        assert_eq!(a.label, b.label);
        map(Vec3::from(a.head)).distance(Vec3::from(b.head))
    };
    a.bones.iter().zip(&b.bones).map(distance).fold(0.0, f32::max) / b.height
}

/// A permutation of `count` numbers that mixes them well.
fn shuffled(count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&i| (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(17));
    order
}

#[test]
fn the_mannequin_gets_a_skeleton_close_to_its_own() {
    let (mesh, own) = mannequin(5_000);
    let fitted = fit(&mesh);
    assert_eq!(fitted.plan, BodyPlan::Humanoid);
    assert_eq!(fitted.orientation, Orientation { up: [0.0, 1.0, 0.0], front: [0.0, 0.0, 1.0] });
    let limbs = ["upper_arm", "forearm", "hand", "thigh", "shin", "foot"];
    for label in limbs.iter().flat_map(|part| [format!("{part}.L"), format!("{part}.R")]) {
        let truth = own.joints()[own.find(&label).unwrap()].head();
        let error = head(&fitted, &label).distance(truth) / fitted.height;
        assert!(error < 0.05, "{label} is off by {:.1} % of the height", 100.0 * error);
    }
}

#[test]
fn units_do_not_matter() {
    let (mesh, _) = mannequin(3_000);
    let fitted = fit(&mesh);
    for scale in [1e-3, 1e3] {
        let scaled: Vec<Vec3> = mesh.positions().iter().map(|&p| p * scale).collect();
        let found = fit_of(&scaled, mesh.triangles(), &FitOptions::default());
        let off = difference(&fitted, &found, |p| p * scale);
        assert!(off < 0.01, "at scale {scale}: {off}");
        for (a, b) in fitted.bones.iter().zip(&found.bones) {
            let angle = Quat::from_array(a.rotation).angle_between(Quat::from_array(b.rotation));
            assert!(angle < 0.05, "at scale {scale}: frame of {} off by {angle}", a.label);
        }
    }
}

#[test]
fn rotations_by_quarter_turns_rotate_the_skeleton_and_its_frames() {
    let (mesh, _) = mannequin(3_000);
    let fitted = fit(&mesh);
    // Every second of the 24, which has every axis up.
    for rotation in rotations().into_iter().step_by(2) {
        let turned: Vec<Vec3> = mesh.positions().iter().map(|&p| rotation * p).collect();
        let found = fit_of(&turned, mesh.triangles(), &FitOptions::default());
        let off = difference(&fitted, &found, |p| rotation * p);
        assert!(off < 0.01, "{rotation}: {off}");
        assert_eq!(Vec3::from(found.orientation.up), rotation * Vec3::Y);
        assert_eq!(Vec3::from(found.orientation.front), rotation * Vec3::Z);
        for (a, b) in fitted.bones.iter().zip(&found.bones) {
            let [a_frame, b_frame] = [a, b].map(|bone| Quat::from_array(bone.rotation));
            for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
                let off = (rotation * (a_frame * axis)).distance(b_frame * axis);
                assert!(off < 0.05, "{rotation}: frame of {} off by {off}", a.label);
            }
        }
    }
}

#[test]
fn the_order_of_vertices_and_triangles_does_not_matter() {
    let (mesh, _) = mannequin(3_000);
    let fitted = fit(&mesh);
    let order = shuffled(mesh.positions().len());
    let mut new_index = vec![0; order.len()];
    order.iter().enumerate().for_each(|(new, &old)| new_index[old] = new as u32);
    let positions: Vec<Vec3> = order.iter().map(|&old| mesh.positions()[old]).collect();
    let renumbered: Vec<[u32; 3]> =
        mesh.triangles().iter().map(|t| t.map(|v| new_index[v as usize])).collect();
    let triangles: Vec<[u32; 3]> =
        shuffled(renumbered.len()).into_iter().map(|i| renumbered[i]).map(|[a, b, c]| [b, c, a]).collect();
    let found = fit_of(&positions, &triangles, &FitOptions::default());
    let off = difference(&fitted, &found, |p| p);
    assert!(off < 1e-3, "{off}");
}

#[test]
fn a_coarser_mesh_gets_the_same_skeleton() {
    // Whether its thumbs can be told from its mittens depends on the mesh.
    let without_fingers = |vertices: usize| {
        let mesh = mannequin(vertices).0;
        let options = FitOptions { fingers: Some(0), ..FitOptions::default() };
        fit_of(mesh.positions(), mesh.triangles(), &options)
    };
    let fine = without_fingers(12_000);
    for vertices in [5_000, 2_000] {
        let off = difference(&without_fingers(vertices), &fine, |p| p);
        assert!(off < 0.01, "{vertices} vertices: {off}");
    }
}

#[test]
fn markers_stay_where_they_are_and_their_neighbours_follow() {
    let (mesh, own) = mannequin(3_000);
    let mut fitter =
        Fitter::new(Table::built_in(), mesh.positions().to_vec(), mesh.triangles().to_vec()).unwrap();
    let free = fitter.fit(&FitOptions::default()).unwrap();
    for label in ["forearm.L", "hand.R", "shin.L", "neck", "hips"] {
        // Some centimetres from where the joint belongs, in every direction.
        let place = own.joints()[own.find(label).unwrap()].head() + Vec3::new(0.03, 0.05, -0.02);
        let markers = BTreeMap::from([(label.to_owned(), place.to_array())]);
        let held = fitter.fit(&FitOptions { markers, ..FitOptions::default() }).unwrap();
        assert!(head(&held, label).distance(place) < 1e-4, "{label}: {}", head(&held, label));
        let moved = |other: &str| head(&held, other).distance(head(&free, other));
        let others = free.bones.iter().filter(|bone| bone.label != label);
        let most = others.map(|bone| moved(&bone.label)).fold(0.0, f32::max);
        assert!(most > 1e-3, "nothing follows {label}");
    }
    let markers = BTreeMap::from([("antenna".to_owned(), [0.0; 3])]);
    let refused = fitter.fit(&FitOptions { markers, ..FitOptions::default() });
    assert_eq!(refused, Err(FitError::UnknownMarker("antenna".to_owned())));
    assert_eq!(fitter.fit(&FitOptions::default()).unwrap(), free, "markers leave nothing behind");
}

#[test]
fn the_same_mesh_gives_the_same_bytes() {
    let (mesh, _) = mannequin(2_000);
    let bytes = || serde_json::to_vec(&fit(&mesh)).unwrap();
    assert_eq!(bytes(), bytes());
}

#[test]
fn what_the_user_says_about_orientation_and_plan_is_kept() {
    let (mesh, _) = mannequin(2_000);
    let flipped = Orientation { up: [0.0, 1.0, 0.0], front: [0.0, 0.0, -1.0] };
    let options = FitOptions {
        orientation: Some(flipped),
        plan: Some(BodyPlan::Humanoid),
        names: Names::Mixamo,
        ..FitOptions::default()
    };
    let fitted = fit_of(mesh.positions(), mesh.triangles(), &options);
    assert_eq!((fitted.orientation, fitted.orientation_confidence), (flipped, 1.0));
    // Its left is the right of a body that looks the other way.
    assert!(head(&fitted, "upper_arm.L").x < -0.1);
    assert!(fitted.bones.iter().all(|bone| bone.name.starts_with("mixamorig:")));
    let skewed = Orientation { up: [0.0, 1.0, 0.0], front: [0.0, 1.0, 1.0] };
    let mut fitter =
        Fitter::new(Table::built_in(), mesh.positions().to_vec(), mesh.triangles().to_vec()).unwrap();
    let refused = fitter.fit(&FitOptions { orientation: Some(skewed), ..FitOptions::default() });
    assert_eq!(refused, Err(FitError::BadOrientation));
}

#[test]
fn a_fitted_skeleton_is_a_skeleton_file_with_frames_and_standard_bones() {
    let (mesh, _) = mannequin(2_000);
    let fitted = fit(&mesh);
    let skeleton = read(&fitted);
    skeleton.assert_well_formed();
    for (joint, bone) in skeleton.joints().iter().zip(&fitted.bones) {
        assert_eq!(joint.name, bone.name);
        assert!(joint.head().distance(Vec3::from(bone.head)) < 1e-5);
        assert_eq!(joint.tail, Some(Vec3::from(bone.tail)));
        assert_eq!(joint.human.map(HumanBone::name), bone.human.as_deref(), "{}", bone.label);
        let along = (Vec3::from(bone.tail) - Vec3::from(bone.head)).normalize_or_zero();
        let y = Mat3::from_quat(Quat::from_array(bone.rotation)).y_axis;
        assert!(y.dot(along) > 0.999, "{}: Y runs along the bone", bone.label);
        assert!(joint.rest.matrix3.y_axis.as_vec3().distance(y) < 1e-4);
    }
    assert!(HumanBone::REQUIRED.iter().all(|&b| skeleton.joints().iter().any(|j| j.human == Some(b))));
    let clip = range_of_motion(&skeleton).unwrap();
    clip.assert_well_formed(&skeleton);
    assert!(clip.duration() > 3.0 && clip.tracks.len() >= 12);
}

#[test]
fn labels_of_standard_bones_have_names_of_vrm() {
    let labels = human_labels();
    let bones: Vec<HumanBone> = labels
        .iter()
        .map(|label| {
            let name = human_bone(label).unwrap();
            HumanBone::from_name(&name).unwrap_or_else(|| panic!("VRM has no bone {name}"))
        })
        .collect();
    // All but eyes and jaw, each once.
    let unnamed: Vec<&str> =
        HumanBone::ALL.iter().filter(|bone| !bones.contains(bone)).map(|bone| bone.name()).collect();
    assert_eq!(unnamed, ["leftEye", "rightEye", "jaw"]);
    assert_eq!(labels.len() + unnamed.len(), HumanBone::ALL.len());
}

// --- Meshes that are no bodies -------------------------------------------------------------------

/// A skeleton with finite joints and parents first, or an error.
fn assert_answered(name: &str, positions: Vec<Vec3>, triangles: Vec<[u32; 3]>, options: &FitOptions) -> bool {
    let fitter = Fitter::new(Table::built_in(), positions, triangles);
    let Ok(fitted) = fitter.and_then(|mut fitter| fitter.fit(options)) else { return false };
    assert!(!fitted.bones.is_empty(), "{name}");
    for (index, bone) in fitted.bones.iter().enumerate() {
        let numbers = bone.head.iter().chain(&bone.tail).chain(&bone.rotation);
        assert!(numbers.chain([&bone.confidence]).all(|x| x.is_finite()), "{name}: {bone:?}");
        assert!((0.0..=1.0).contains(&bone.confidence), "{name}: {bone:?}");
        assert!(bone.parent < index as i32, "{name}: {bone:?}");
        assert!((Quat::from_array(bone.rotation).length() - 1.0).abs() < 1e-3, "{name}: {bone:?}");
    }
    for confidence in [fitted.confidence, fitted.plan_confidence, fitted.orientation_confidence] {
        assert!((0.0..=1.0).contains(&confidence), "{name}: {confidence}");
    }
    let skeleton = read(&fitted);
    skeleton.assert_well_formed();
    range_of_motion(&skeleton).unwrap().assert_well_formed(&skeleton);
    true
}

/// Every plan, and the one that is found.
fn all_options() -> Vec<FitOptions> {
    let plans = std::iter::once(None).chain(BodyPlan::ALL.iter().map(|(_, plan)| Some(*plan)));
    plans.map(|plan| FitOptions { plan, ..FitOptions::default() }).collect()
}

fn torus(around: u32, along: u32) -> Mesh {
    let at = |i: u32, count: u32| std::f32::consts::TAU * i as f32 / count as f32;
    let positions: Vec<Vec3> = (0..around)
        .flat_map(|i| (0..along).map(move |j| (at(i, around), at(j, along))))
        .map(|(u, v)| {
            let r = 1.0 + 0.3 * v.cos();
            Vec3::new(r * u.cos(), 0.3 * v.sin(), r * u.sin())
        })
        .collect();
    let index = |i: u32, j: u32| i % around * along + j % along;
    let triangles: Vec<[u32; 3]> = (0..around)
        .flat_map(|i| (0..along).map(move |j| (i, j)))
        .flat_map(|(i, j)| {
            let [a, b, c, d] = [index(i, j), index(i, j + 1), index(i + 1, j + 1), index(i + 1, j)];
            [[a, b, c], [a, c, d]]
        })
        .collect();
    Mesh::new(positions, triangles).unwrap()
}

fn chair() -> Mesh {
    let place = |size: [f32; 3], at: [f32; 3]| {
        fixtures::placed(&fixtures::cuboid(size.into()), Quat::IDENTITY, 1.0, at.into())
    };
    let legs = [[-0.2, 0.2, -0.2], [0.2, 0.2, -0.2], [-0.2, 0.2, 0.2], [0.2, 0.2, 0.2]];
    let mut parts: Vec<Mesh> = legs.iter().map(|&at| place([0.05, 0.4, 0.05], at)).collect();
    parts.push(place([0.5, 0.05, 0.5], [0.0, 0.42, 0.0]));
    parts.push(place([0.5, 0.5, 0.05], [0.0, 0.7, -0.22]));
    fixtures::joined(&parts)
}

#[test]
fn tori_and_chairs_get_skeletons_of_every_plan() {
    for (name, mesh) in [("torus", torus(48, 24)), ("chair", chair())] {
        for options in all_options() {
            let (positions, triangles) = (mesh.positions().to_vec(), mesh.triangles().to_vec());
            let is_fitted = assert_answered(name, positions, triangles, &options);
            assert!(is_fitted, "a {name} is no {:?}", options.plan);
        }
    }
}

#[test]
fn every_fixture_gets_a_skeleton_or_an_error() {
    // The plan that is found, and one of the others in turn.
    let plans = all_options();
    for (index, fixture) in fixtures::fixtures().chain(fixtures::sample_characters()).enumerate() {
        for options in [&plans[0], &plans[1 + index % (plans.len() - 1)]] {
            let (positions, triangles) =
                (fixture.mesh.positions().to_vec(), fixture.mesh.triangles().to_vec());
            assert_answered(fixture.name, positions, triangles, options);
        }
    }
}

#[test]
fn invalid_meshes_are_refused() {
    let [nan, tiny] = [f32::NAN, 1e-40];
    let corners = |x: f32| vec![Vec3::ZERO, Vec3::X * x, Vec3::Y * x];
    let triangle = vec![[0, 1, 2]];
    for (name, positions, triangles) in [
        ("nothing", Vec::new(), Vec::new()),
        ("no triangles", corners(1.0), Vec::new()),
        ("no vertices", Vec::new(), triangle.clone()),
        ("one point", vec![Vec3::ONE; 3], triangle.clone()),
        ("not a number", corners(nan), triangle.clone()),
        ("infinite", corners(f32::INFINITY), triangle.clone()),
        ("missing vertices", corners(1.0), vec![[0, 1, 7], [u32::MAX, 0, 1]]),
        ("tiny", corners(tiny), triangle.clone()),
    ] {
        assert!(!assert_answered(name, positions, triangles, &FitOptions::default()), "{name}");
    }
    // What is left after damaged triangles are dropped counts.
    let (mesh, _) = mannequin(2_000);
    let mut positions = mesh.positions().to_vec();
    (0..positions.len()).step_by(50).for_each(|i| positions[i] = Vec3::splat(nan));
    assert!(assert_answered("damaged", positions, mesh.triangles().to_vec(), &FitOptions::default()));
    // Larger than what files may have. The fit itself must not panic.
    let huge = Fitter::new(Table::built_in(), corners(3e38), triangle);
    let fitted = huge.and_then(|mut fitter| fitter.fit(&FitOptions::default()));
    assert!(fitted.is_ok_and(|fitted| fitted.height > 1e38));
}

#[test]
fn flat_long_and_far_away_meshes_are_answered() {
    let square = fixtures::grid(4, 4);
    let shapes = [Vec3::new(1.0, 1e-3, 1e-3), Vec3::new(1e3, 1.0, 1.0), Vec3::new(1.0, 1.0, 1e-6), Vec3::ONE];
    let cube = fixtures::cuboid(Vec3::ONE);
    for (name, mesh) in [("square", &square), ("box", &cube)] {
        for scale in shapes {
            for shift in [0.0, 1e5] {
                let moved = |p: &Vec3| *p * scale + Vec3::splat(shift);
                let positions: Vec<Vec3> = mesh.positions().iter().map(moved).collect();
                for options in all_options() {
                    assert_answered(name, positions.clone(), mesh.triangles().to_vec(), &options);
                }
            }
        }
    }
}

#[test]
fn a_million_vertices_get_a_skeleton() {
    let mesh = torus(2_000, 500);
    let (positions, triangles) = (mesh.positions().to_vec(), mesh.triangles().to_vec());
    assert_eq!(positions.len(), 1_000_000);
    assert!(assert_answered("torus", positions, triangles, &FitOptions::default()));
}

#[test]
fn shared_models_get_a_skeleton_or_an_error() {
    let paths = shared_models::files_with(&[".glb", ".gltf", ".vrm", ".fbx", ".obj"]);
    let paths: Vec<PathBuf> = shared_models::sample(paths).collect();
    let mut counts = [0, 0];
    for path in &paths {
        let files = shared_models::with_neighbours(path);
        let Ok(asset) = io::read_model(&files, &mut Report::default()) else { continue };
        let (positions, triangles) = (asset.render.positions, asset.render.triangles);
        let name = path.to_string_lossy();
        counts[usize::from(assert_answered(&name, positions, triangles, &FitOptions::default()))] += 1;
    }
    if !paths.is_empty() {
        println!("{} models with a skeleton, {} without", counts[1], counts[0]);
        assert!(counts[1] > 60, "{counts:?}");
    }
}
