//! Inverse distance weights: the formula, and visibility of bones.

use glam::{Quat, Vec3};
use pliant::model::{Mesh, Skeleton, Weights};
use pliant::operators::{ComponentKind, MeshGeometry};
use pliant::progress::{Cancelled, Progress};
use pliant::report::{Report, Warning};
use pliant::weights::{Distance, Visibility, distance};

use crate::fixtures::{
    Fixture, card, chain, cuboid_grid, fixtures, flipped, fork, fork_skeleton, icosphere, joined, mesh,
    placed, skeleton, tube,
};

const ALL: [Visibility; 3] = [Visibility::Exact, Visibility::Cheap, Visibility::Off];

fn compute(of: &Mesh, skeleton: &Skeleton, visibility: Visibility) -> (Weights, Report) {
    let mut report = Report::default();
    let options = Distance { visibility, ..Distance::default() };
    let geometry = MeshGeometry::of(of);
    let weights = distance(&geometry, skeleton, &options, &mut report, &mut Progress::silent()).unwrap();
    weights.assert_well_formed();
    (weights, report)
}

fn unseen(report: &Report) -> usize {
    let count =
        |w: &Warning| if let Warning::UnseenVertices { vertices } = w { Some(*vertices) } else { None };
    report.warnings().iter().find_map(count).unwrap_or(0)
}

fn fixture(name: &str) -> Fixture {
    fixtures().find(|f| f.name == name).unwrap()
}

fn weight(weights: &Weights, vertex: usize, column: u32) -> f32 {
    weights.row(vertex).iter().find(|i| i.column == column).map_or(0.0, |i| i.weight)
}

#[test]
fn weights_are_what_the_formula_says() {
    let f = fixture("tube with two bones");
    for falloff in [1.0, 2.0, 4.0] {
        let options = Distance { falloff, visibility: Visibility::Off };
        let geometry = MeshGeometry::of(&f.mesh);
        let bones = f.skeleton.as_ref().unwrap();
        let weights =
            distance(&geometry, bones, &options, &mut Report::default(), &mut Progress::silent()).unwrap();
        for (vertex, &position) in f.mesh.positions().iter().enumerate() {
            let pulls: Vec<f64> = bones
                .bones()
                .iter()
                .map(|b| f64::from(b.length() / b.nearest(position).distance(position)).powf(falloff))
                .collect();
            if pulls.iter().all(|p| p.is_finite()) {
                let expected = (pulls[0] / pulls.iter().sum::<f64>()) as f32;
                assert!((weight(&weights, vertex, 0) - expected).abs() < 1e-4, "vertex {vertex}");
            }
        }
    }
}

#[test]
fn every_vertex_of_a_tube_sees_both_bones_open_or_closed_or_inside_out() {
    for name in ["tube with two bones", "open tube with two bones", "inside-out tube with two bones"] {
        let f = fixture(name);
        let skeleton = f.skeleton.as_ref().unwrap();
        let (everything, _) = compute(&f.mesh, skeleton, Visibility::Off);
        for visibility in [Visibility::Exact, Visibility::Cheap] {
            let (weights, report) = compute(&f.mesh, skeleton, visibility);
            assert_eq!(unseen(&report), 0, "{name}, {visibility:?}");
            for vertex in 0..weights.vertices() {
                // From the rim of a cap, the other bone is seen through the edge of the cap.
                let on_lid = f.mesh.positions()[vertex].y == 0.0 || f.mesh.positions()[vertex].y == 4.0;
                assert!(on_lid || weights.row(vertex) == everything.row(vertex), "{name}: vertex {vertex}");
            }
        }
    }
}

#[test]
fn prongs_side_by_side_do_not_see_each_others_bones() {
    let (fork, skeleton) = (fork(), fork_skeleton());
    let (weights, report) = compute(&fork, &skeleton, Visibility::Exact);
    assert_eq!(unseen(&report), 0);
    let of_right: Vec<u32> = (0..skeleton.bones().len() as u32)
        .filter(|&b| skeleton.joints()[skeleton.bones()[b as usize].joint].name.starts_with("right"))
        .collect();
    assert_eq!(of_right.len(), 2);
    let (without, _) = compute(&fork, &skeleton, Visibility::Off);
    let mut wrong = 0.0f32;
    for (vertex, position) in fork.positions().iter().enumerate().filter(|(_, p)| p.x < 0.9 && p.y > 0.9) {
        for &bone in &of_right {
            assert_eq!(weight(&weights, vertex, bone), 0.0, "at {position}");
            wrong = wrong.max(weight(&without, vertex, bone));
        }
    }
    assert!(wrong > 0.01, "without the test, other prongs have weight: {wrong}");
}

#[test]
fn the_cheap_test_excludes_bones_in_front_of_a_vertex_but_not_behind_another_surface() {
    let (fork, skeleton) = (fork(), fork_skeleton());
    let (cheap, _) = compute(&fork, &skeleton, Visibility::Cheap);
    let right = skeleton.bones().iter().position(|b| b.head.x == 2.0).unwrap() as u32;
    let at = |p: Vec3| fork.positions().iter().position(|q| q.distance(p) < 1e-6).unwrap();
    assert_eq!(weight(&cheap, at(Vec3::new(0.5, 2.0, 0.0)), right), 0.0, "the inner side looks at it");
    assert!(
        weight(&cheap, at(Vec3::new(-0.5, 2.0, 0.0)), right) > 0.0,
        "the outer side has it behind itself"
    );
}

#[test]
fn eyeballs_hide_nothing_and_see_the_bones_of_the_head() {
    let f = fixture("head with eyes");
    let skeleton = f.skeleton.as_ref().unwrap();
    let (exact, report) = compute(&f.mesh, skeleton, Visibility::Exact);
    assert_eq!(unseen(&report), 0);
    assert_eq!(exact, compute(&f.mesh, skeleton, Visibility::Off).0);
}

#[test]
fn overlapping_components_count_as_one_body() {
    let arm =
        placed(&tube(12, 10, 0.3, 3.0, true), Quat::from_rotation_z(-1.5), 1.0, Vec3::new(0.2, 2.0, 0.0));
    let body = joined(&[tube(16, 12, 0.6, 3.0, true), arm]);
    let bones = chain(&[Vec3::Y * 0.1, Vec3::Y * 2.0, Vec3::new(3.0, 2.2, 0.0)]);
    let (weights, report) = compute(&body, &bones, Visibility::Exact);
    assert_eq!(unseen(&report), 0);
    // The root of the arm is inside the torso and follows both bones.
    let torso = tube(16, 12, 0.6, 3.0, true).positions().len();
    let root = (torso..body.positions().len())
        .min_by(|&a, &b| body.positions()[a].x.total_cmp(&body.positions()[b].x))
        .unwrap();
    assert!(weights.row(root).len() == 2, "{:?}", weights.row(root));
}

#[test]
fn a_button_just_above_the_skin_sees_the_bones_below() {
    let button =
        placed(&cuboid_grid(Vec3::new(0.02, 0.1, 0.1), 2), Quat::IDENTITY, 1.0, Vec3::new(0.53, 1.0, 0.0));
    let body = tube(32, 24, 0.5, 4.0, true);
    let first = body.positions().len();
    let dressed = joined(&[body, button]);
    let bones = chain(&[Vec3::Y * 0.1, Vec3::Y * 2.0, Vec3::Y * 3.9]);
    let (weights, report) = compute(&dressed, &bones, Visibility::Exact);
    assert_eq!(unseen(&report), 0);
    assert!((first..weights.vertices()).all(|v| weights.dominant(v) == 0));
    assert!((first..weights.vertices()).any(|v| weights.row(v).len() == 2));
}

#[test]
fn bones_outside_are_not_visible_and_the_nearest_gets_all_weight() {
    let f = fixture("sphere beside its bones");
    let (weights, report) = compute(&f.mesh, f.skeleton.as_ref().unwrap(), Visibility::Exact);
    assert_eq!(unseen(&report), f.mesh.positions().len());
    assert!(weights.rows().all(|row| row.len() == 1 && row[0].column == 0));
}

#[test]
fn a_bone_that_pierces_the_crown_keeps_the_weights_around_it() {
    let sphere = icosphere(3);
    let bones = chain(&[Vec3::NEG_Y * 0.9, Vec3::ZERO, Vec3::Y * 1.3]);
    let (weights, report) = compute(&sphere, &bones, Visibility::Exact);
    assert_eq!(unseen(&report), 0);
    let top =
        (0..weights.vertices()).max_by(|&a, &b| sphere.positions()[a].y.total_cmp(&sphere.positions()[b].y));
    assert_eq!(weights.dominant(top.unwrap()), 1);
}

#[test]
fn sheets_and_thin_slabs_have_valid_weights() {
    for name in ["flat card", "hair-thin slab"] {
        let f = fixture(name);
        let skeleton = f.skeleton.as_ref().unwrap();
        for visibility in ALL {
            let (weights, report) = compute(&f.mesh, skeleton, visibility);
            assert_eq!(unseen(&report), 0, "{name}, {visibility:?}");
            for (vertex, position) in f.mesh.positions().iter().enumerate().filter(|(_, p)| p.x.abs() > 0.1) {
                assert_eq!(weights.dominant(vertex), u32::from(position.x > 0.0), "{name} at {position}");
            }
        }
    }
}

#[test]
fn a_vertex_on_a_bone_has_weight_one() {
    let strip = mesh(&[Vec3::ZERO, Vec3::X, Vec3::new(0.5, 1.0, 0.0)], &[[0, 1, 2]]);
    let bones = chain(&[Vec3::new(-1.0, 0.0, 0.0), Vec3::new(0.5, 0.0, 0.0), Vec3::new(0.5, 3.0, 0.0)]);
    for visibility in ALL {
        let (weights, _) = compute(&strip, &bones, visibility);
        assert_eq!(weight(&weights, 0, 0), 1.0);
        assert_eq!(weight(&weights, 2, 1), 1.0);
    }
}

#[test]
fn a_vertex_where_bones_meet_is_weighted_by_their_lengths() {
    let at_joint = mesh(&[Vec3::ZERO], &[]);
    let bones = chain(&[Vec3::NEG_X, Vec3::ZERO, Vec3::X * 2.0]);
    let (weights, _) = compute(&at_joint, &bones, Visibility::Exact);
    assert!((weight(&weights, 0, 1) - 16.0 / 17.0).abs() < 1e-6);
}

#[test]
fn no_falloff_overflows() {
    let f = fixture("tube with two bones");
    let geometry = MeshGeometry::of(&f.mesh);
    for falloff in [-1.0, 0.0, 1e-300, 300.0, f64::INFINITY, f64::NAN] {
        let options = Distance { falloff, ..Distance::default() };
        let skeleton = f.skeleton.as_ref().unwrap();
        distance(&geometry, skeleton, &options, &mut Report::default(), &mut Progress::silent())
            .unwrap()
            .assert_well_formed();
    }
}

#[test]
fn it_can_be_cancelled_and_reports_progress() {
    let f = fixture("tube with two bones");
    let geometry = MeshGeometry::of(&f.mesh);
    let mut heard = Vec::new();
    let mut listener = |share: f64| {
        heard.push(share);
        false
    };
    let mut progress = Progress::new(&mut listener);
    let skeleton = f.skeleton.as_ref().unwrap();
    let result = distance(&geometry, skeleton, &Distance::default(), &mut Report::default(), &mut progress);
    assert_eq!(result, Err(Cancelled));
    assert_eq!(heard, [0.0]);
}

#[test]
fn options_are_read_from_json_and_unknown_ones_rejected() {
    let read = |text: &str| serde_json::from_str::<Distance>(text);
    assert_eq!(read("{}").unwrap(), Distance::default());
    let options = read(r#"{"falloff": 2, "visibility": "cheap"}"#).unwrap();
    assert_eq!(options, Distance { falloff: 2.0, visibility: Visibility::Cheap });
    assert!(read(r#"{"fallof": 2}"#).is_err());
}

#[test]
fn an_open_mesh_is_reported() {
    let (_, report) =
        compute(&fixture("open tube with two bones").mesh, &chain(&[Vec3::ZERO, Vec3::Y]), ALL[0]);
    assert!(report.warnings().contains(&Warning::OpenMesh { border_edges: 32 }));
}

#[test]
fn an_empty_mesh_gives_no_rows() {
    let (weights, report) = compute(&Mesh::default(), &chain(&[Vec3::ZERO, Vec3::Y]), Visibility::Exact);
    assert_eq!((weights.vertices(), weights.columns()), (0, 1));
    assert!(report.warnings().is_empty());
}

#[test]
fn components_are_classified_as_solid_or_sheet_with_orientation() {
    let of = |m: &Mesh| MeshGeometry::of(m).components().kind(0);
    assert_eq!(of(&icosphere(1)), ComponentKind::Outward);
    assert_eq!(of(&flipped(&icosphere(1))), ComponentKind::Inward);
    assert_eq!(of(&tube(12, 6, 0.5, 4.0, false)), ComponentKind::Outward);
    assert_eq!(of(&flipped(&tube(12, 6, 0.5, 4.0, false))), ComponentKind::Inward);
    assert_eq!(of(&card()), ComponentKind::Sheet);
    for f in fixtures().filter(|f| f.closed) {
        let parts = MeshGeometry::of(&f.mesh);
        let expected = if f.inside_out { ComponentKind::Inward } else { ComponentKind::Outward };
        let flat = f.name == "two-sided triangle";
        assert_eq!(
            parts.components().kind(0),
            if flat { ComponentKind::Sheet } else { expected },
            "{}",
            f.name
        );
    }
    // Far from the origin, where volumes relative to it would be rounding errors.
    assert_eq!(of(&placed(&icosphere(1), Quat::IDENTITY, 1.0, Vec3::splat(1e4))), ComponentKind::Outward);
}

#[test]
fn a_skeleton_with_two_bones_on_a_joint_gets_a_column_for_each() {
    let heads = [Vec3::ZERO, Vec3::X, Vec3::NEG_X];
    let v = skeleton(&["a", "b_end", "c_end"], &heads, &[None, Some(0), Some(0)], &[]);
    let (weights, _) = compute(&icosphere(1), &v, Visibility::Off);
    assert_eq!(weights.columns(), v.bones().len());
}

#[test]
fn a_character_of_61_components_has_sensible_weights() {
    let Some(folder) = crate::shared_models::folder() else { return };
    let file = crate::shared_models::read(&folder.join("gltf_mesh2motion/models-variation/human-male.glb"));
    let asset = pliant::io::read_model(&[file], &mut Report::default()).unwrap();
    let mut skeleton = asset.skeleton.clone().unwrap();
    let evidence = pliant::model::skeleton::Evidence { mesh: Some(&asset.mesh), ..Default::default() };
    skeleton.classify_joints(&evidence, &mut Report::default());
    assert!(MeshGeometry::of(&asset.mesh).topology().components() > 50);
    let (weights, report) = compute(&asset.mesh, &skeleton, Visibility::Exact);
    assert!(unseen(&report) * 100 < weights.vertices(), "{} vertices see no bone", unseen(&report));
    // Arms and legs of one side have no influence on those of the other; across the chest they
    // have, by this method.
    let side = |bone: usize| {
        let name = &skeleton.joints()[skeleton.bones()[bone].joint].name;
        if name.ends_with("_l") {
            1.0f32
        } else if name.ends_with("_r") {
            -1.0
        } else {
            0.0
        }
    };
    let limbs = |p: &Vec3| p.x.abs() > 0.35 || (p.y < 0.7 && p.x.abs() > 0.02);
    for (vertex, position) in asset.mesh.positions().iter().enumerate().filter(|(_, p)| limbs(p)) {
        let across: f32 = weights
            .row(vertex)
            .iter()
            .filter(|i| side(i.column as usize) * position.x < 0.0)
            .map(|i| i.weight)
            .sum();
        assert!(across < 0.05, "vertex {vertex} at {position} follows the other side by {across}");
    }
}
