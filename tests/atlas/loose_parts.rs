//! Loose parts: which belong to one joint, and which bend.

use glam::{Quat, Vec3};
use pliant::model::{Joint, Mesh, Skeleton};
use pliant::operators::MeshGeometry;
use pliant::report::Report;

use super::regions_of;
use crate::fixtures::{chain, cuboid_grid, icosphere, joined, placed, tube};

/// A limb from y = 0 to 4 with a joint in the middle.
fn limb() -> (Mesh, Skeleton) {
    (tube(16, 32, 0.5, 4.0, true), chain(&[Vec3::ZERO, Vec3::Y * 2.0, Vec3::Y * 4.0]))
}

/// The joints that the vertices of the second of two meshes follow, each once.
fn joints_of_part(body: &Mesh, part: &Mesh, skeleton: &Skeleton) -> Vec<usize> {
    let geometry = MeshGeometry::of(&joined(&[body.clone(), part.clone()]));
    let regions = regions_of(&geometry, skeleton, &mut Report::default());
    let labels = &regions.of_vertex[body.positions().len()..];
    let mut joints: Vec<usize> =
        labels.iter().map(|&region| regions.regions[region as usize].joint).collect();
    joints.sort_unstable();
    joints.dedup();
    joints
}

/// A box with its centre at `centre`.
fn plate(size: Vec3, centre: Vec3) -> Mesh {
    let grid = cuboid_grid(size, 4);
    let middle = grid.positions().iter().copied().sum::<Vec3>() / grid.positions().len() as f32;
    placed(&grid, Quat::IDENTITY, 1.0, centre - middle)
}

#[test]
fn a_plate_over_a_joint_follows_the_joint_that_has_most_of_it() {
    let (body, skeleton) = limb();
    let size = Vec3::new(0.2, 1.2, 0.4);
    for (height, joint) in [(1.8, 0), (2.2, 1)] {
        let part = plate(size, Vec3::new(0.7, height, 0.0));
        assert_eq!(joints_of_part(&body, &part, &skeleton), [joint], "a plate at {height}");
    }
}

#[test]
fn a_closed_part_around_a_joint_bends_with_it() {
    let (body, skeleton) = limb();
    let part = placed(&tube(16, 12, 0.6, 1.2, true), Quat::IDENTITY, 1.0, Vec3::Y * 1.4);
    assert_eq!(joints_of_part(&body, &part, &skeleton), [0, 1]);
}

#[test]
fn an_eye_follows_the_joint_inside_it_and_the_head_does_not() {
    let at = |x: f32| Vec3::new(x, 1.2, 0.9);
    let mut joints = vec![Joint::at("neck", None, Vec3::Y * -1.5)];
    joints.push(Joint::at("head", Some((0, Vec3::Y * -1.5)), Vec3::ZERO));
    for (name, x) in [("eye.L", 0.4), ("eye.R", -0.4)] {
        joints.push(Joint::at(name, Some((1, Vec3::ZERO)), at(x)));
    }
    let skeleton = Skeleton::new(joints).unwrap();
    let head = placed(&icosphere(3), Quat::IDENTITY, 1.6, Vec3::Y * 0.5);
    for (eye, joint) in [(at(0.4), 2), (at(-0.4), 3)] {
        let ball = placed(&icosphere(2), Quat::IDENTITY, 0.15, eye);
        assert_eq!(joints_of_part(&head, &ball, &skeleton), [joint]);
    }
    let (left, right) = (placed(&icosphere(2), Quat::IDENTITY, 0.15, at(0.4)), head);
    let of_head = joints_of_part(&left, &right, &skeleton);
    assert!(of_head.iter().all(|&joint| joint < 2), "the head follows {of_head:?}");
}
