//! Joint classification, bones and tails, and skeletons without a hierarchy.

use std::collections::BTreeMap;

use glam::{DAffine3, DVec3, Vec3};
use pliant::model::skeleton::Evidence;
use pliant::model::{Exclusion, Joint, JointKind, Mesh, Skeleton, SkeletonError, Tail, Weights};
use pliant::report::{Report, Warning};

use crate::fixtures::{flipped, joined, placed, tube};

/// (name, parent, head) of each joint.
type Listed<'a> = (&'a str, Option<usize>, Vec3);

fn joints(listed: &[Listed]) -> Vec<Joint> {
    let with_head = |parent: usize| (parent, listed[parent].2);
    listed.iter().map(|&(name, parent, head)| Joint::at(name, parent.map(with_head), head)).collect()
}

fn skeleton(listed: &[Listed]) -> Skeleton {
    Skeleton::new(joints(listed)).unwrap()
}

fn classified(mut skeleton: Skeleton, evidence: &Evidence) -> (Skeleton, Report) {
    let mut report = Report::default();
    skeleton.classify_joints(evidence, &mut report);
    skeleton.assert_well_formed();
    (skeleton, report)
}

fn exclusion(skeleton: &Skeleton, name: &str) -> Option<Exclusion> {
    skeleton.exclusion(skeleton.find(name).unwrap())
}

/// The tails of the bones of a joint.
fn ends(skeleton: &Skeleton, name: &str) -> Vec<Tail> {
    let joint = skeleton.find(name).unwrap();
    skeleton.bones().iter().filter(|bone| bone.joint == joint).map(|bone| bone.end).collect()
}

fn y(height: f32) -> Vec3 {
    Vec3::Y * height
}

/// A body from y = 0 to 4 around the y axis.
fn body() -> Mesh {
    tube(16, 16, 0.5, 4.0, true)
}

fn spine() -> Vec<Listed<'static>> {
    vec![
        ("hips", None, y(0.5)),
        ("spine", Some(0), y(1.5)),
        ("chest", Some(1), y(2.5)),
        ("head", Some(2), y(3.5)),
    ]
}

// --- Joint classification ----------------------------------------------------------------------

#[test]
fn joints_inside_the_body_all_deform() {
    let mesh = body();
    let (skeleton, _) =
        classified(skeleton(&spine()), &Evidence { mesh: Some(&mesh), ..Evidence::default() });
    assert!((0..4).all(|joint| skeleton.deforms(joint)));
}

#[test]
fn end_markers_are_tails_of_the_last_bone() {
    let mut listed = spine();
    listed.push(("head_end", Some(3), y(3.9)));
    let (skeleton, report) = classified(skeleton(&listed), &Evidence::default());
    assert_eq!(exclusion(&skeleton, "head_end"), Some(Exclusion::EndMarker));
    assert_eq!(ends(&skeleton, "head"), [Tail::Joint(4)]);
    assert_eq!(skeleton.bones().last().unwrap().tail, y(3.9));
    let names = |w: &Warning| matches!(w, Warning::JointsExcluded { joints, .. } if joints == &["head_end"]);
    assert!(report.warnings().iter().any(names));
}

#[test]
fn a_single_bone_with_its_end_marker_is_one_bone() {
    let (skeleton, _) =
        classified(skeleton(&[("Bone", None, y(0.0)), ("Bone_end", Some(0), y(1.0))]), &Evidence::default());
    assert_eq!(skeleton.bones().len(), 1);
    assert_eq!(ends(&skeleton, "Bone"), [Tail::Joint(1)]);
}

#[test]
fn an_end_marker_name_in_the_middle_of_a_chain_deforms() {
    let listed = [("root", None, y(0.5)), ("tip_base", Some(0), y(1.5)), ("claw", Some(1), y(2.5))];
    let (skeleton, _) = classified(skeleton(&listed), &Evidence::default());
    assert_eq!(exclusion(&skeleton, "tip_base"), None);
}

#[test]
fn names_that_most_joints_share_exclude_none() {
    let listed = [
        ("ctrl_hips", None, y(0.5)),
        ("ctrl_spine", Some(0), y(1.5)),
        ("ctrl_chest", Some(1), y(2.5)),
        ("head", Some(2), y(3.5)),
    ];
    let (skeleton, _) = classified(skeleton(&listed), &Evidence::default());
    assert!((0..4).all(|joint| skeleton.deforms(joint)));
}

#[test]
fn controls_and_props_do_not_deform_in_any_spelling() {
    let mut listed = spine();
    for name in ["hand_ik.L", "FootIKTarget", "elbow_pole", "WeaponSocket"] {
        listed.push((name, Some(0), Vec3::new(0.2, 1.0, 0.0)));
    }
    listed.extend([("arm", Some(2), y(2.6)), ("hand", Some(8), y(2.8)), ("leg", Some(0), y(0.3))]);
    let (skeleton, _) = classified(skeleton(&listed), &Evidence::default());
    for name in ["hand_ik.L", "FootIKTarget", "elbow_pole", "WeaponSocket"] {
        assert_eq!(exclusion(&skeleton, name), Some(Exclusion::Control), "{name}");
    }
    assert_eq!(exclusion(&skeleton, "arm"), None);
    // The bones of the hips lead to the spine and the leg, not to the controls.
    assert_eq!(ends(&skeleton, "hips"), [Tail::Joint(1), Tail::Joint(10)]);
}

#[test]
fn a_root_below_the_body_does_not_deform() {
    let legs =
        [-0.6f32, 0.6].map(|x| placed(&tube(12, 8, 0.3, 2.0, true), glam::Quat::IDENTITY, 1.0, Vec3::X * x));
    let trunk = placed(&body(), glam::Quat::IDENTITY, 1.0, y(1.9));
    let mesh = joined(&[trunk, legs[0].clone(), legs[1].clone()]);
    for root in ["root", "Bone001"] {
        let listed = [
            (root, None, y(0.0)),
            ("hips", Some(0), y(2.5)),
            ("chest", Some(1), y(4.0)),
            ("head", Some(2), y(5.5)),
        ];
        for mesh in [&mesh, &flipped(&mesh)] {
            let (skeleton, _) =
                classified(skeleton(&listed), &Evidence { mesh: Some(mesh), ..Evidence::default() });
            assert_eq!(exclusion(&skeleton, root), Some(Exclusion::RootAboveBody));
            assert_eq!(exclusion(&skeleton, "hips"), None);
            assert!(skeleton.bones()[0].parent.is_none(), "the hips begin the chain");
        }
    }
}

#[test]
fn a_root_below_a_helper_node_is_still_a_root() {
    let legs =
        [-0.6f32, 0.6].map(|x| placed(&tube(12, 8, 0.3, 2.0, true), glam::Quat::IDENTITY, 1.0, Vec3::X * x));
    let mesh =
        joined(&[placed(&body(), glam::Quat::IDENTITY, 1.0, y(1.9)), legs[0].clone(), legs[1].clone()]);
    let mut listed = joints(&[
        ("Armature", None, y(0.0)),
        ("root", Some(0), y(0.0)),
        ("hips", Some(1), y(2.5)),
        ("chest", Some(2), y(4.0)),
    ]);
    listed[0].kind = JointKind::Helper;
    let (skeleton, _) =
        classified(Skeleton::new(listed).unwrap(), &Evidence { mesh: Some(&mesh), ..Evidence::default() });
    assert_eq!(exclusion(&skeleton, "Armature"), Some(Exclusion::Helper));
    assert_eq!(exclusion(&skeleton, "root"), Some(Exclusion::RootAboveBody));
}

#[test]
fn a_root_inside_the_body_deforms() {
    let mesh = body();
    let mut listed = spine();
    listed[0].0 = "root";
    let (skeleton, _) = classified(skeleton(&listed), &Evidence { mesh: Some(&mesh), ..Evidence::default() });
    assert_eq!(exclusion(&skeleton, "root"), None);
}

#[test]
fn joints_far_from_the_mesh_do_not_deform() {
    let mesh = body();
    let mut listed = spine();
    listed.push(("sword", Some(2), Vec3::new(3.0, 2.5, 0.0)));
    listed.push(("blade", Some(4), Vec3::new(4.0, 2.5, 0.0)));
    let (skeleton, report) =
        classified(skeleton(&listed), &Evidence { mesh: Some(&mesh), ..Evidence::default() });
    assert_eq!(exclusion(&skeleton, "sword"), Some(Exclusion::FarFromMesh));
    assert_eq!(exclusion(&skeleton, "blade"), Some(Exclusion::FarFromMesh));
    assert_eq!(exclusion(&skeleton, "chest"), None);
    assert!(report.warnings().iter().any(|w| w.code() == "joints_excluded"));
}

#[test]
fn a_skeleton_outside_the_mesh_has_no_bones_and_gives_a_warning() {
    let mesh = body();
    let far: Vec<Listed> =
        spine().into_iter().map(|(n, p, head)| (n, p, head * 100.0 + Vec3::X * 50.0)).collect();
    let (skeleton, report) =
        classified(skeleton(&far), &Evidence { mesh: Some(&mesh), ..Evidence::default() });
    assert!(skeleton.bones().is_empty());
    let names_all = |w: &Warning| matches!(w, Warning::JointsExcluded { joints, .. } if joints.len() == 4);
    assert!(report.warnings().iter().any(names_all));
}

#[test]
fn joints_without_stored_weights_do_not_deform() {
    let mesh = body();
    let mut listed = spine();
    listed.push(("hair_end", Some(3), y(3.9)));
    let stored = Weights::rigid(5, (0..mesh.positions().len()).map(|v| [0, 2, 4][v % 3])).unwrap();
    let evidence = Evidence { mesh: Some(&mesh), stored_weights: Some(&stored), ..Evidence::default() };
    let (skeleton, _) = classified(skeleton(&listed), &evidence);
    assert_eq!(exclusion(&skeleton, "spine"), Some(Exclusion::Unweighted));
    assert_eq!(exclusion(&skeleton, "head"), Some(Exclusion::Unweighted));
    assert_eq!(exclusion(&skeleton, "hair_end"), None, "weights have priority over names");
    assert_eq!(ends(&skeleton, "hips"), [Tail::Joint(2)], "joints without weights are skipped");
    assert_eq!(ends(&skeleton, "chest"), [Tail::Joint(4)]);
}

/// The spine below a joint `root` on the ground, which `count` vertices of 200 follow, and of which
/// the vertices `unweighted` are placeholders.
fn below_a_root(count: usize, unweighted: &[u32]) -> Skeleton {
    let mut listed: Vec<Listed> = vec![("root", None, y(0.0))];
    listed.extend(
        spine().into_iter().map(|(name, parent, head)| (name, Some(parent.map_or(0, |p| p + 1)), head)),
    );
    let joint_of = |vertex: usize| if vertex < count { 0 } else { 1 + vertex as u32 % 4 };
    let stored = Weights::rigid(5, (0..200).map(joint_of)).unwrap();
    let evidence = Evidence { stored_weights: Some(&stored), unweighted, ..Evidence::default() };
    classified(skeleton(&listed), &evidence).0
}

#[test]
fn a_root_with_a_trace_of_stored_weight_does_not_deform() {
    assert_eq!(exclusion(&below_a_root(3, &[]), "root"), Some(Exclusion::RootAboveBody));
    assert_eq!(exclusion(&below_a_root(20, &[]), "root"), None, "more than a trace");
}

#[test]
fn vertices_without_stored_weights_do_not_make_a_joint_deform() {
    let all: Vec<u32> = (0..20).collect();
    assert_eq!(exclusion(&below_a_root(20, &all), "root"), Some(Exclusion::Unweighted));
    assert_eq!(exclusion(&below_a_root(20, &all[..18]), "root"), Some(Exclusion::RootAboveBody));
    assert_eq!(exclusion(&below_a_root(20, &all), "hips"), None);
}

#[test]
fn stored_weights_of_a_single_joint_are_ignored() {
    let placeholder = Weights::rigid(4, [0, 0, 0]).unwrap();
    let (skeleton, _) = classified(
        skeleton(&spine()),
        &Evidence { stored_weights: Some(&placeholder), ..Evidence::default() },
    );
    assert!((0..4).all(|joint| skeleton.deforms(joint)));
}

#[test]
fn the_choice_of_the_user_has_priority() {
    let mesh = body();
    let mut listed = spine();
    listed.extend([("head_end", Some(3), y(3.9)), ("sword", Some(2), Vec3::new(3.0, 2.5, 0.0))]);
    let overrides =
        BTreeMap::from([("head_end".into(), true), ("sword".into(), true), ("chest".into(), false)]);
    let evidence = Evidence { mesh: Some(&mesh), overrides: Some(&overrides), ..Evidence::default() };
    let (skeleton, _) = classified(skeleton(&listed), &evidence);
    assert_eq!(exclusion(&skeleton, "head_end"), None);
    assert_eq!(exclusion(&skeleton, "sword"), None);
    assert_eq!(exclusion(&skeleton, "chest"), Some(Exclusion::ByUser));
    assert_eq!(ends(&skeleton, "head"), [Tail::Joint(4)]);
}

#[test]
fn classification_is_idempotent() {
    let mesh = body();
    let evidence = Evidence { mesh: Some(&mesh), ..Evidence::default() };
    let (once, first) = classified(skeleton(&spine()), &evidence);
    let (twice, second) = classified(once.clone(), &evidence);
    assert_eq!((once, first), (twice, second));
}

// --- Bones and tails ---------------------------------------------------------------------------

#[test]
fn bones_lead_from_joint_to_joint_and_leaves_get_a_virtual_tail() {
    let (skeleton, report) = classified(skeleton(&spine()), &Evidence::default());
    let tails: Vec<Vec3> = skeleton.bones().iter().map(|bone| bone.tail).collect();
    assert_eq!(tails, [y(1.5), y(2.5), y(3.5), y(4.0)]);
    assert_eq!(ends(&skeleton, "head"), [Tail::Virtual]);
    let parents: Vec<Option<usize>> = skeleton.bones().iter().map(|bone| bone.parent).collect();
    assert_eq!(parents, [None, Some(0), Some(1), Some(2)]);
    assert!(report.warnings().contains(&Warning::VirtualTails { joints: vec!["head".into()] }));
}

#[test]
fn a_tail_in_the_file_is_used() {
    let mut listed = joints(&spine());
    listed[1].tail = Some(Vec3::new(1.0, 1.5, 0.0));
    let skeleton = Skeleton::new(listed).unwrap();
    assert_eq!(ends(&skeleton, "spine"), [Tail::Explicit]);
    assert_eq!(skeleton.bones()[1].tail, Vec3::new(1.0, 1.5, 0.0));
}

#[test]
fn a_joint_with_three_children_drives_three_bones() {
    let listed = [
        ("hips", None, y(1.0)),
        ("spine", Some(0), y(2.0)),
        ("left", Some(0), Vec3::new(0.5, 0.5, 0.0)),
        ("right", Some(0), Vec3::new(-0.5, 0.5, 0.0)),
        ("knee", Some(2), Vec3::new(0.5, 0.0, 0.0)),
    ];
    let skeleton = skeleton(&listed);
    assert_eq!(ends(&skeleton, "hips"), [Tail::Joint(1), Tail::Joint(2), Tail::Joint(3)]);
    // The left leg continues the bone that leads to it, not the first bone of the hips.
    let left = skeleton.bones().iter().find(|bone| bone.joint == 2).unwrap();
    assert_eq!(skeleton.bones()[left.parent.unwrap()].end, Tail::Joint(2));
}

#[test]
fn coincident_joints_make_no_bones_of_zero_length() {
    let listed = [
        ("hips", None, y(1.0)),
        ("pelvis", Some(0), y(1.0)),
        ("spine", Some(1), y(2.0)),
        ("twist", Some(2), y(2.0)),
    ];
    let skeleton = skeleton(&listed);
    skeleton.assert_well_formed();
    assert!(skeleton.bones().iter().all(|bone| bone.length() > 0.05));
    assert_eq!(ends(&skeleton, "pelvis"), [Tail::Joint(2)]);
}

#[test]
fn a_single_joint_has_a_bone_straight_up_at_any_position() {
    for head in [Vec3::ZERO, Vec3::splat(1e8)] {
        let lone = skeleton(&[("only", None, head)]);
        lone.assert_well_formed();
        assert_eq!(lone.bones().len(), 1);
        assert!(lone.bones()[0].tail.y > lone.bones()[0].head.y);
    }
}

#[test]
fn bones_scale_with_the_skeleton() {
    let base = skeleton(&spine());
    for scale in [1e-4f32, 1e4] {
        let scaled: Vec<Listed> = spine().into_iter().map(|(n, p, head)| (n, p, head * scale)).collect();
        for (one, other) in base.bones().iter().zip(skeleton(&scaled).bones()) {
            assert!((one.length() * scale - other.length()).abs() < 1e-5 * other.length());
            assert_eq!((one.joint, one.parent, one.end), (other.joint, other.parent, other.end));
        }
    }
}

#[test]
fn the_nearest_point_of_a_bone_stays_on_it() {
    let skeleton = skeleton(&spine());
    let bone = skeleton.bones()[0];
    assert_eq!(bone.nearest(Vec3::new(2.0, 1.0, 0.0)), y(1.0));
    assert_eq!(bone.nearest(y(-7.0)), bone.head);
    assert_eq!(bone.nearest(y(7.0)), bone.tail);
}

// --- Skeletons without a hierarchy -------------------------------------------------------------

const FINGERS: [&str; 5] = ["thumb", "index-finger", "middle-finger", "ring-finger", "pinky-finger"];

/// A hand as WebXR lists it: all joints are siblings.
fn flat_hand(prefix: &str) -> Vec<(String, Vec3)> {
    let mut hand = vec![(format!("{prefix}wrist"), Vec3::ZERO)];
    for (f, finger) in FINGERS.into_iter().enumerate() {
        let links: &[&str] = if finger == "thumb" {
            &["metacarpal", "phalanx-proximal", "phalanx-distal", "tip"]
        } else {
            &["metacarpal", "phalanx-proximal", "phalanx-intermediate", "phalanx-distal", "tip"]
        };
        for (l, link) in links.iter().enumerate() {
            let head = Vec3::new(f as f32 * 0.2 - 0.4, 0.3 * (l + 1) as f32, 0.0);
            hand.push((format!("{prefix}{finger}-{link}"), head));
        }
    }
    hand
}

#[test]
fn the_fingers_of_a_flat_hand_are_found_by_name() {
    for prefix in ["", "right-hand-"] {
        let hand = flat_hand(prefix);
        let listed: Vec<Listed> = hand.iter().map(|(name, head)| (name.as_str(), None, *head)).collect();
        let (skeleton, report) = classified(skeleton(&listed), &Evidence::default());
        assert!(skeleton.is_flat());
        assert!(report.warnings().contains(&Warning::FlatSkeleton { joints: 25 }));
        let parent_of = |name: &str| {
            let joint = skeleton.find(&format!("{prefix}{name}")).unwrap();
            skeleton.bone_hierarchy()[joint].map(|p| skeleton.joints()[p].name.clone())
        };
        let named = |name: &str| Some(format!("{prefix}{name}"));
        for finger in FINGERS {
            assert_eq!(parent_of(&format!("{finger}-metacarpal")), named("wrist"));
            assert_eq!(parent_of(&format!("{finger}-tip")), named(&format!("{finger}-phalanx-distal")));
        }
        assert_eq!(parent_of("thumb-phalanx-distal"), named("thumb-phalanx-proximal"));
        assert_eq!(parent_of("middle-finger-phalanx-distal"), named("middle-finger-phalanx-intermediate"));
        assert_eq!(parent_of("wrist"), None);
        assert!(
            skeleton.joints().iter().all(|joint| joint.parent.is_none()),
            "poses use the hierarchy of the file"
        );
        assert_eq!(ends(&skeleton, &format!("{prefix}wrist")).len(), 5);
        assert!(skeleton.bones().iter().all(|bone| bone.end != Tail::Virtual), "tips end the fingers");
    }
}

#[test]
fn a_flat_chain_without_known_names_is_connected_in_order() {
    // Not in order along a line; the tree grows from the middle in both directions.
    let heights = [3.0, 0.0, 4.0, 1.0, 2.0];
    let names: Vec<String> = (0..5).map(|i| format!("j{i}")).collect();
    let listed: Vec<Listed> = names.iter().zip(heights).map(|(n, h)| (n.as_str(), None, y(h))).collect();
    let (skeleton, _) = classified(skeleton(&listed), &Evidence::default());
    let mut joined: Vec<f32> = (0..5)
        .filter_map(|j| skeleton.bone_hierarchy()[j].map(|p| (heights[j] - heights[p]).abs()))
        .collect();
    joined.sort_by(f32::total_cmp);
    assert_eq!(joined, [1.0; 4]);
    assert_eq!(skeleton.bone_hierarchy()[4], None, "the middle one is the root");
}

#[test]
fn the_tree_of_a_flat_skeleton_stays_inside_the_mesh() {
    // Two columns, connected at the bottom. Their tips are nearer to each other than to the joints
    // below.
    let mesh = crate::fixtures::fork();
    let positions = [(0.0, 0.0), (0.0, 2.2), (0.0, 4.4), (1.0, 0.0), (2.0, 0.0), (2.0, 2.2), (2.0, 4.4)];
    let names: Vec<String> = (0..7).map(|i| format!("j{i}")).collect();
    let listed: Vec<Listed> =
        names.iter().zip(positions).map(|(n, (x, y))| (n.as_str(), None, Vec3::new(x, y, 0.0))).collect();
    let (skeleton, _) = classified(skeleton(&listed), &Evidence { mesh: Some(&mesh), ..Evidence::default() });
    for (joint, &parent) in skeleton.bone_hierarchy().iter().enumerate() {
        let Some(parent) = parent else { continue };
        let across = (positions[joint].0 - positions[parent].0).abs();
        assert!(across < 1.5, "joint {joint} has parent {parent}, across the gap");
    }
}

#[test]
fn a_skeleton_with_a_hierarchy_is_not_flat() {
    let (skeleton, _) = classified(skeleton(&spine()), &Evidence::default());
    assert!(!skeleton.is_flat());
    assert_eq!(skeleton.bone_hierarchy(), [None, Some(0), Some(1), Some(2)]);
}

// --- Invalid skeletons -------------------------------------------------------------------------

#[test]
fn cycles_missing_parents_and_singular_frames_are_rejected() {
    let mut cycle = joints(&spine());
    cycle[0].parent = Some(3);
    assert!(matches!(Skeleton::new(cycle), Err(SkeletonError::Cycle { joint: 0, .. })));

    let mut own_parent = joints(&spine());
    own_parent[2].parent = Some(2);
    assert!(matches!(Skeleton::new(own_parent), Err(SkeletonError::Cycle { joint: 2, .. })));

    let mut missing = joints(&spine());
    missing[1].parent = Some(9);
    assert_eq!(Skeleton::new(missing), Err(SkeletonError::NoSuchParent { joint: 1, parent: 9, joints: 4 }));

    for rest in [DAffine3::from_scale(DVec3::new(1.0, 0.0, 1.0)), DAffine3::from_translation(DVec3::NAN)] {
        let mut singular = joints(&spine());
        singular[3].rest = rest;
        assert!(matches!(Skeleton::new(singular), Err(SkeletonError::SingularRest { joint: 3, .. })));
    }
}

#[test]
fn joints_are_sorted_topologically() {
    let listed = [("tip", Some(2), y(2.0)), ("root", None, y(0.0)), ("middle", Some(1), y(1.0))];
    assert_eq!(skeleton(&listed).parents_first(), [1, 2, 0]);
}

#[test]
fn an_empty_skeleton_has_no_bones() {
    let (skeleton, report) = classified(skeleton(&[]), &Evidence::default());
    assert!(skeleton.bones().is_empty() && report.warnings().is_empty());
}
