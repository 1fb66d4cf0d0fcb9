//! Unusual joints, which must not affect the others.

use glam::Vec3;
use pliant::model::{Joint, Skeleton};
use pliant::operators::MeshGeometry;
use pliant::report::{Report, Warning};
use pliant::samples::{SampleCharacter, make};
use pliant::weights::Atlas;

use super::{by_atlas, regions_of};
use crate::fixtures::{chain, tube};

/// The skeleton with joints added: (name, parent, head, tail).
fn with_joints(skeleton: &Skeleton, added: &[(&str, &str, Vec3, Option<Vec3>)]) -> Skeleton {
    let mut joints = skeleton.joints().to_vec();
    for &(name, parent, head, tail) in added {
        let parent = joints.iter().position(|joint| joint.name == parent).unwrap();
        let mut joint = Joint::at(name.to_owned(), Some((parent, joints[parent].head())), head);
        joint.tail = tail;
        joints.push(joint);
    }
    Skeleton::new(joints).unwrap()
}

/// A joint's fraction of the vertices, by name.
fn region_share(regions: &pliant::model::Regions, skeleton: &Skeleton, name: &str) -> f64 {
    let joint = skeleton.find(name).unwrap();
    let Some(region) = regions.regions.iter().position(|r| r.joint == joint) else { return 0.0 };
    regions.sizes()[region] as f64 / regions.of_vertex.len() as f64
}

#[test]
fn a_twist_bone_gets_its_section_of_the_limb_and_not_the_hand() {
    let character = make(SampleCharacter::Mannequin, 6_000).unwrap();
    let at = |name: &str| character.skeleton.joints()[character.skeleton.find(name).unwrap()].head();
    let middle = at("forearm.L").lerp(at("hand.L"), 0.5);
    let twisted = with_joints(&character.skeleton, &[("twist.L", "forearm.L", middle, Some(at("hand.L")))]);
    let geometry = MeshGeometry::of(&character.mesh);
    let before = regions_of(&geometry, &character.skeleton, &mut Report::default());
    let after = regions_of(&geometry, &twisted, &mut Report::default());
    let (forearm, twist) =
        (region_share(&after, &twisted, "forearm.L"), region_share(&after, &twisted, "twist.L"));
    let whole = region_share(&before, &character.skeleton, "forearm.L");
    assert!(twist > 0.25 * whole && forearm > 0.25 * whole, "{forearm} and {twist} of {whole}");
    let hands =
        [region_share(&before, &character.skeleton, "hand.L"), region_share(&after, &twisted, "hand.L")];
    assert!((hands[0] - hands[1]).abs() < 0.1 * hands[0], "the hand was {} and is {}", hands[0], hands[1]);
}

#[test]
fn each_of_five_fingers_on_a_palm_gets_its_region() {
    let character = make(SampleCharacter::Hand, 6_000).unwrap();
    let geometry = MeshGeometry::of(&character.mesh);
    let regions = regions_of(&geometry, &character.skeleton, &mut Report::default());
    for finger in ["thumb", "index", "middle", "ring", "little"] {
        for phalanx in 1..=3 {
            let name = format!("{finger}_{phalanx}");
            assert!(region_share(&regions, &character.skeleton, &name) > 0.003, "{name} got no region");
        }
    }
}

#[test]
fn joints_outside_the_skin_still_cut_regions() {
    let mesh = tube(24, 40, 0.5, 4.0, true);
    let geometry = MeshGeometry::of(&mesh);
    for aside in [0.0, 0.4, 0.55, 0.7] {
        let skeleton = chain(&[Vec3::Y * 0.1, Vec3::new(aside, 2.0, 0.0), Vec3::Y * 3.9]);
        let regions = regions_of(&geometry, &skeleton, &mut Report::default());
        let share = region_share(&regions, &skeleton, &skeleton.joints()[1].name);
        assert!((share - 0.5).abs() < 0.1, "with the joint {aside} off the axis the upper half is {share}");
    }
}

#[test]
fn collinear_joints_of_a_tail_are_cut_across() {
    let mesh = tube(24, 80, 0.3, 8.0, true);
    let heights: Vec<Vec3> = (0..=8).map(|i| Vec3::Y * i as f32).collect();
    let skeleton = chain(&heights);
    let geometry = MeshGeometry::of(&mesh);
    let regions = regions_of(&geometry, &skeleton, &mut Report::default());
    assert_eq!(regions.regions.len(), 8);
    for boundary in &regions.boundaries {
        let height = skeleton.joints()[boundary.joint].head().y;
        for point in boundary.curves.iter().flat_map(|curve| &curve.points) {
            assert!((point.y - height).abs() < 0.1, "the cut at {height} runs through {point}");
        }
    }
}

#[test]
fn joints_with_empty_regions_are_reported_and_change_nothing_else() {
    let character = make(SampleCharacter::Mannequin, 3_000).unwrap();
    let geometry = MeshGeometry::of(&character.mesh);
    let prop = Vec3::new(3.0, 1.0, 0.0);
    let skeleton = with_joints(&character.skeleton, &[("sword", "hand.L", prop, Some(prop + Vec3::X))]);
    let mut report = Report::default();
    let cover = by_atlas(&geometry, &skeleton, &Atlas::default(), &mut report);
    cover.weights.assert_well_formed();
    let named = report.warnings().iter().any(
        |warning| matches!(warning, Warning::IdleJoints { joints } if joints.contains(&"sword".to_owned())),
    );
    assert!(named, "{:?}", report.warnings());
}

#[test]
fn a_root_with_one_child_and_a_single_bone_have_regions() {
    let mesh = tube(16, 20, 0.5, 4.0, true);
    let geometry = MeshGeometry::of(&mesh);
    let lone = chain(&[Vec3::Y * 0.5, Vec3::Y * 3.5]);
    let regions = regions_of(&geometry, &lone, &mut Report::default());
    assert_eq!((regions.regions.len(), regions.boundaries.len()), (1, 0));
    let cover = by_atlas(&geometry, &lone, &Atlas::default(), &mut Report::default());
    assert!(cover.weights.rows().all(|row| row.len() == 1) && cover.overlapped.iter().all(|&o| !o));
}
