//! Welding, vertex normals, and the properties stated by the fixtures.

use std::collections::BTreeSet;

use glam::{Quat, Vec3};
use pliant::model::{Mesh, Topology};
use pliant::operators::{normals_of, vertex_normals, weld};

use crate::fixtures::{Lcg, fixtures, flipped, grid, icosphere, mesh, placed, tube};

#[test]
fn fixture_properties_agree_with_topology() {
    let mut names = BTreeSet::new();
    for f in fixtures() {
        let name = f.name;
        assert!(names.insert(name), "{name} is there twice");
        f.mesh.assert_well_formed();
        let topology = Topology::of(&f.mesh);
        topology.assert_well_formed(&f.mesh);
        assert_eq!(topology.is_closed(), f.closed, "{name}: closed");
        assert_eq!(topology.components(), f.parts, "{name}: parts");
        if f.closed {
            assert_eq!(topology.is_closed_manifold(&f.mesh), f.manifold, "{name}: manifold");
            assert_eq!(volume(&f.mesh) < -1e-9, f.inside_out, "{name}: inside out");
        } else {
            assert_eq!(topology.non_manifold_edges() == 0, f.manifold, "{name}: manifold");
            assert!(!f.inside_out, "{name}: only a closed mesh has an inside");
        }
        assert_eq!(is_oriented(&f.mesh), f.oriented, "{name}: oriented");
        assert_eq!(f.mesh.triangles().iter().any(|t| has_no_area(&f.mesh, t)), f.degenerate, "{name}: area");
        if let Some(skeleton) = &f.skeleton {
            skeleton.assert_well_formed();
        }
    }
}

fn volume(of: &Mesh) -> f64 {
    let at = |v: u32| of.positions()[v as usize].as_dvec3();
    of.triangles().iter().map(|&[a, b, c]| at(a).dot(at(b).cross(at(c))) / 6.0).sum()
}

/// Whether no directed edge is used twice.
fn is_oriented(of: &Mesh) -> bool {
    let mut seen = BTreeSet::new();
    let proper = of.triangles().iter().filter(|t| t[0] != t[1] && t[1] != t[2] && t[2] != t[0]);
    proper.flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]).all(|side| seen.insert(side))
}

fn has_no_area(of: &Mesh, t: &[u32; 3]) -> bool {
    let [a, b, c] = t.map(|v| of.positions()[v as usize].as_dvec3());
    (b - a).cross(c - a).length() < 1e-12
}

/// Gives every triangle three vertices of its own, as in un-indexed files.
fn unindexed(of: &Mesh) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let corners = |t: usize| of.corners(t);
    let positions = (0..of.triangles().len()).flat_map(corners).collect();
    (positions, (0..of.triangles().len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect())
}

#[test]
fn welding_an_unindexed_sphere_restores_it() {
    let sphere = icosphere(3);
    let (positions, triangles) = unindexed(&sphere);
    for scale in [1.0, 1e3, 1e-3, 1e-12] {
        let scaled: Vec<Vec3> = positions.iter().map(|&p| p * scale).collect();
        let welded = weld(&scaled, &triangles);
        assert_eq!(welded.mesh.positions().len(), sphere.positions().len(), "at scale {scale}");
        assert_eq!(welded.mesh.triangles().len(), sphere.triangles().len());
        assert!(Topology::of(&welded.mesh).is_closed_manifold(&welded.mesh));
    }
}

#[test]
fn welding_keeps_the_order_of_first_vertices_and_their_positions() {
    let positions = [Vec3::X, Vec3::Y, Vec3::X, Vec3::ZERO, Vec3::new(-0.0, 1.0, 0.0), Vec3::Z];
    let welded = weld(&positions, &[[0, 1, 3], [2, 4, 5]]);
    assert_eq!(welded.mesh.positions(), [Vec3::X, Vec3::Y, Vec3::ZERO, Vec3::Z]);
    assert_eq!(welded.solve_from_render, [0, 1, 0, 2, 1, 3]);
    assert_eq!(welded.mesh.triangles(), [[0, 1, 2], [0, 1, 3]]);
}

#[test]
fn welding_is_idempotent() {
    for f in fixtures().filter(|f| !f.degenerate) {
        let welded = weld(f.mesh.positions(), f.mesh.triangles());
        assert_eq!(welded.mesh, f.mesh, "{}", f.name);
        assert!(welded.solve_from_render.iter().enumerate().all(|(i, &s)| i == s as usize), "{}", f.name);
    }
}

#[test]
fn empty_and_coincident_vertices_can_be_welded() {
    assert_eq!(weld(&[], &[]), Default::default());
    let welded = weld(&[Vec3::ONE; 6], &[[0, 1, 2], [3, 4, 5]]);
    assert_eq!(welded.mesh.positions(), [Vec3::ONE]);
    assert!(welded.mesh.triangles().is_empty());
}

#[test]
fn a_duplicate_layer_is_removed_and_a_two_sided_leaf_keeps_both_sides() {
    let sheet = grid(3, 3);
    let positions: Vec<Vec3> = [sheet.positions(), sheet.positions()].concat();
    let first = sheet.positions().len() as u32;
    let again = |turn: usize| {
        sheet.triangles().iter().map(move |t| {
            let mut t = t.map(|v| v + first);
            t.rotate_left(turn);
            t
        })
    };
    let twice: Vec<_> = sheet.triangles().iter().copied().chain(again(1)).collect();
    assert_eq!(weld(&positions, &twice).mesh, sheet);

    let other_side = again(2).map(|[a, b, c]| [a, c, b]);
    let leaf: Vec<_> = sheet.triangles().iter().copied().chain(other_side).collect();
    let welded = weld(&positions, &leaf).mesh;
    assert_eq!(welded.positions().len(), sheet.positions().len());
    assert_eq!(welded.triangles().len(), 2 * sheet.triangles().len());
}

#[test]
fn seams_with_rounding_errors_are_welded_and_thin_slabs_are_not() {
    let mut rng = Lcg(7);
    let (positions, triangles) = unindexed(&icosphere(2));
    let noisy: Vec<Vec3> = positions.iter().map(|&p| p + rng.point(1e-7)).collect();
    assert!(Topology::of(&weld(&noisy, &triangles).mesh).is_closed());

    let slab = crate::fixtures::cuboid(Vec3::new(1.0, 1e-5, 1.0));
    assert_eq!(weld(slab.positions(), slab.triangles()).mesh, slab);
}

#[test]
fn a_distant_vertex_does_not_collapse_the_character() {
    let (mut positions, triangles) = unindexed(&icosphere(2));
    positions.push(Vec3::splat(1e9));
    let welded = weld(&positions, &triangles).mesh;
    assert_eq!(welded.positions().len(), icosphere(2).positions().len() + 1);
    assert_eq!(welded.triangles().len(), icosphere(2).triangles().len());
}

#[test]
fn welding_agrees_with_comparing_all_pairs() {
    let mut rng = Lcg(11);
    // Points on a coarse lattice, each shifted by much less or much more than the tolerance.
    for _ in 0..20 {
        let positions: Vec<Vec3> = (0..300)
            .map(|_| {
                let place = (rng.point(3.0)).round() / 3.0;
                let shift = [0.0, 1e-7, 1e-4][rng.below(3)];
                place + rng.point(1.0).signum() * shift
            })
            .collect();
        let welded = weld(&positions, &[]);
        let mut found: Vec<Vec3> = Vec::new();
        let by_pairs: Vec<u32> = positions
            .iter()
            .map(|p| {
                let earlier = found.iter().position(|q| (*q - *p).abs().max_element() < 1e-6);
                earlier.unwrap_or_else(|| {
                    found.push(*p);
                    found.len() - 1
                }) as u32
            })
            .collect();
        assert_eq!(welded.solve_from_render, by_pairs);
    }
}

#[test]
fn normals_are_unit_vectors_on_every_fixture() {
    for f in fixtures() {
        let normals = vertex_normals(&f.mesh);
        assert_eq!(normals.len(), f.mesh.positions().len());
        assert!(normals.iter().all(|n| (n.length() - 1.0).abs() < 1e-6), "{}", f.name);
    }
}

#[test]
fn normals_of_a_sphere_point_from_its_centre_at_any_scale() {
    let sphere = icosphere(3);
    for scale in [1.0, 1e6, 1e-12] {
        let moved = placed(&sphere, Quat::IDENTITY, scale, Vec3::ZERO);
        for (normal, position) in vertex_normals(&moved).iter().zip(sphere.positions()) {
            assert!(normal.dot(*position) > 0.999, "{normal} at {position}");
        }
    }
    for (normal, inverse) in vertex_normals(&sphere).iter().zip(vertex_normals(&flipped(&sphere))) {
        assert!(normal.abs_diff_eq(-inverse, 1e-6));
    }
}

#[test]
fn the_normal_of_a_box_corner_does_not_depend_on_its_diagonals() {
    let corner = crate::fixtures::cuboid(Vec3::ONE);
    for (normal, position) in vertex_normals(&corner).iter().zip(corner.positions()) {
        assert!(normal.abs_diff_eq(position.normalize_or_zero(), 1e-6), "{normal} at {position}");
    }
}

#[test]
fn undefined_normals_point_up() {
    let flat = mesh(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ONE], &[[0, 1, 2], [0, 2, 1]]);
    assert_eq!(vertex_normals(&flat), [Vec3::Y; 4]);
    assert_eq!(normals_of(&[], &[]), []);
}

#[test]
fn normals_of_a_tube_point_outwards() {
    let tube = tube(12, 6, 0.5, 3.0, false);
    for (normal, position) in vertex_normals(&tube).iter().zip(tube.positions()) {
        assert!(normal.dot(Vec3::new(position.x, 0.0, position.z)) > 0.4);
    }
}
