//! Meshes that are open, flat, inside out, disconnected or empty: finite results, and warnings.

use glam::{Mat4, Quat, Vec3};
use pliant::deform::{
    ContactTuning, Contacts, CorrectionMap, CorrectionMode, VolumeCorrection, VolumeInputs, VolumeOptions,
    VolumeScope, VolumeTuning,
};
use pliant::model::{Influence, Mesh, Skeleton, Weights};
use pliant::quality::volume;
use pliant::report::{Report, Warning};

use crate::fixtures::{chain, fixtures, flipped, icosphere, joined, placed, tube};

/// Two joints along the longest side of a mesh, and weights that blend between them.
fn bound(mesh: &Mesh) -> (Skeleton, Weights) {
    let (low, high) = mesh.bounds();
    let side = (high - low).max_position();
    let axis = Vec3::AXES[side];
    let at = |share: f32| (low + high) * 0.5 + axis * ((share - 0.5) * (high - low)[side].max(1e-3));
    let skeleton = chain(&[at(0.0), at(0.5), at(1.0)]);
    let share = |p: &Vec3| ((p[side] - low[side]) / (high - low)[side].max(1e-9) * 2.0 - 0.5).clamp(0.0, 1.0);
    let row = |p: &Vec3| {
        let both =
            [Influence { column: 0, weight: 1.0 - share(p) }, Influence { column: 1, weight: share(p) }];
        both.into_iter().filter(|i| i.weight > 0.0).collect::<Vec<_>>()
    };
    let weights = Weights::new(2, mesh.positions().iter().map(row)).unwrap();
    (skeleton, weights)
}

/// A mesh bent in the middle by linear blend skinning.
fn bent(mesh: &Mesh, weights: &Weights, skeleton: &Skeleton, turn: Mat4) -> (Vec<Mat4>, Vec<Vec3>) {
    let joint = skeleton.joints()[1].head();
    let second = Mat4::from_translation(joint) * turn * Mat4::from_translation(-joint);
    let matrices = vec![Mat4::IDENTITY, second];
    let place = |(v, p): (usize, &Vec3)| {
        weights.row(v).iter().map(|i| matrices[i.column as usize].transform_point3(*p) * i.weight).sum()
    };
    let positions = mesh.positions().iter().enumerate().map(place).collect();
    (matrices, positions)
}

/// Also for meshes without thickness.
#[test]
fn contacts_give_finite_positions_for_every_fixture() {
    for fixture in fixtures().filter(|fixture| !fixture.mesh.positions().is_empty()) {
        let (skeleton, weights) = bound(&fixture.mesh);
        let mut contacts = Contacts::new(&fixture.mesh, &weights, &skeleton, &ContactTuning::default());
        let turns = [30.0_f32, 90.0, 179.0, 180.0].map(|by| Mat4::from_rotation_y(by.to_radians()));
        for turn in turns.into_iter().chain(TURNS) {
            let (matrices, mut positions) = bent(&fixture.mesh, &weights, &skeleton, turn);
            contacts.project_to_contacts(&matrices, &mut positions);
            assert!(positions.iter().all(|p| p.is_finite()), "{} {turn}", fixture.name);
        }
    }
}

const TURNS: [Mat4; 3] = [
    Mat4::ZERO,
    Mat4::from_cols_array(&[-1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
    Mat4::IDENTITY,
];

#[test]
fn every_fixture_gives_finite_positions() {
    let tuning = VolumeTuning::default();
    for fixture in fixtures() {
        if fixture.mesh.positions().is_empty() {
            continue;
        }
        let (skeleton, weights) = bound(&fixture.mesh);
        for map in CorrectionMap::ALL {
            for mode in [CorrectionMode::Exact, CorrectionMode::Paper] {
                for scope in [VolumeScope::Whole, VolumeScope::Segments] {
                    let options = VolumeOptions { mode, scope: Some(scope), ..VolumeOptions::of(map) };
                    let inputs = inputs(&fixture.mesh, &weights, &skeleton, &[], &tuning);
                    let mut correction = VolumeCorrection::new(&inputs, &options, &mut Report::default());
                    let turns = [Mat4::from_quat(Quat::from_euler(glam::EulerRot::XYZ, 1.0, 0.7, 2.0))];
                    for turn in turns.into_iter().chain(TURNS) {
                        let (matrices, mut positions) = bent(&fixture.mesh, &weights, &skeleton, turn);
                        correction.correct(&matrices, &mut positions);
                        let size = 10.0 * (1.0 + fixture.mesh.diagonal());
                        assert!(
                            positions.iter().all(|p| p.is_finite() && p.length() < size),
                            "{} {options:?} {turn}",
                            fixture.name
                        );
                        assert!(
                            correction.records().all(|r| r.corrected.is_finite() && r.skinned.is_finite())
                        );
                    }
                }
            }
        }
    }
}

fn inputs<'a>(
    mesh: &'a Mesh,
    weights: &'a Weights,
    skeleton: &'a Skeleton,
    painted: &'a [f32],
    tuning: &'a VolumeTuning,
) -> VolumeInputs<'a> {
    VolumeInputs { mesh, weights, skeleton, painted, tuning }
}

/// A mesh bent in the middle: skinned and corrected positions, and the warnings.
fn corrected(mesh: &Mesh, options: &VolumeOptions) -> (Vec<Vec3>, Vec<Vec3>, Report) {
    let (skeleton, weights) = bound(mesh);
    let tuning = VolumeTuning::default();
    let mut report = Report::default();
    let inputs = inputs(mesh, &weights, &skeleton, &[], &tuning);
    let mut correction = VolumeCorrection::new(&inputs, options, &mut report);
    let (matrices, skinned) = bent(mesh, &weights, &skeleton, Mat4::from_rotation_x(1.4));
    let mut positions = skinned.clone();
    correction.correct(&matrices, &mut positions);
    (skinned, positions, report)
}

#[test]
fn an_open_tube_is_closed_by_hole_caps_with_a_warning() {
    for map in [CorrectionMap::Rubber, CorrectionMap::Local] {
        let mesh = tube(24, 24, 0.5, 4.0, false);
        let closed = tube(24, 24, 0.5, 4.0, true);
        let (skinned, positions, report) = corrected(&mesh, &VolumeOptions::of(map));
        assert_eq!(report.warnings(), [Warning::OpenVolume { parts: 1, border_edges: 48 }]);
        // The last vertices of the closed tube are the centroids of its caps.
        let with_caps = |positions: &[Vec3]| {
            let ring = |from: usize| positions[from..from + 24].iter().sum::<Vec3>() / 24.0;
            let all = [positions, &[ring(0), ring(24 * 24)]].concat();
            volume(&all, closed.triangles())
        };
        let [rest, lost, kept] = [mesh.positions(), &skinned, &positions].map(with_caps);
        assert!((lost / rest - 1.0).abs() > 0.03 && (kept / rest - 1.0).abs() < 1e-4, "{rest} {lost} {kept}");
    }
}

#[test]
fn a_mesh_inside_out_moves_like_one_with_outward_normals() {
    let mesh = tube(24, 24, 0.5, 4.0, true);
    let options = VolumeOptions::of(CorrectionMap::Local);
    let (_, one, _) = corrected(&mesh, &options);
    let (_, other, report) = corrected(&flipped(&mesh), &options);
    let farthest = one.iter().zip(&other).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    assert!(farthest < 1e-5 && report.warnings().is_empty(), "{farthest}");
}

#[test]
fn every_part_preserves_its_own_volume() {
    let body = tube(24, 24, 0.5, 4.0, true);
    let ball = placed(&icosphere(2), Quat::IDENTITY, 0.4, Vec3::new(1.5, 2.0, 0.0));
    let both = joined(&[body.clone(), ball.clone()]);
    let (skinned, positions, _) = corrected(&both, &VolumeOptions::of(CorrectionMap::Rubber));
    let split = body.positions().len();
    for (mesh, range) in [(&body, 0..split), (&ball, split..both.positions().len())] {
        let rest = volume(mesh.positions(), mesh.triangles());
        let [lost, kept] =
            [&skinned, &positions].map(|p| volume(&p[range.clone()], mesh.triangles()) / rest - 1.0);
        assert!(lost.abs() > 1e-3 && kept.abs() < 1e-4, "{lost} {kept}");
    }
}

#[test]
fn sheets_are_not_moved_and_give_a_warning() {
    let card = crate::fixtures::card();
    let (skinned, positions, report) = corrected(&card, &VolumeOptions::of(CorrectionMap::Uniform));
    assert_eq!(skinned, positions);
    assert_eq!(report.warnings(), [Warning::NoVolume { parts: 1 }]);
}

#[test]
fn a_painted_zero_fixes_a_vertex_and_invalid_values_count_as_zero() {
    let mesh = tube(24, 24, 0.5, 4.0, true);
    let (skeleton, weights) = bound(&mesh);
    let tuning = VolumeTuning::default();
    let painted: Vec<f32> = mesh
        .positions()
        .iter()
        .map(|p| {
            if p.x > 0.0 {
                1.0
            } else if p.z > 0.0 {
                f32::NAN
            } else {
                -3.0
            }
        })
        .collect();
    let inputs = inputs(&mesh, &weights, &skeleton, &painted, &tuning);
    let options = VolumeOptions::of(CorrectionMap::Rubber);
    let mut correction = VolumeCorrection::new(&inputs, &options, &mut Report::default());
    let (matrices, skinned) = bent(&mesh, &weights, &skeleton, Mat4::from_rotation_x(1.4));
    let mut positions = skinned.clone();
    assert!(correction.correct(&matrices, &mut positions));
    for ((rest, a), b) in mesh.positions().iter().zip(&skinned).zip(&positions) {
        assert!(rest.x > 0.0 || a == b, "{rest} moved");
    }
    let triangles = mesh.triangles();
    let share = volume(&positions, triangles) / volume(mesh.positions(), triangles);
    assert!((share - 1.0).abs() < 1e-4, "{share}");
}

#[test]
fn the_correction_does_not_depend_on_units() {
    let mesh = tube(16, 16, 0.5, 4.0, true);
    let options = VolumeOptions::of(CorrectionMap::Local);
    let (_, one, _) = corrected(&mesh, &options);
    for scale in [1e-3, 1e4] {
        let (_, other, _) = corrected(&placed(&mesh, Quat::IDENTITY, scale, Vec3::ZERO), &options);
        let off = one.iter().zip(&other).map(|(a, b)| a.distance(*b / scale)).fold(0.0, f32::max);
        assert!(off < 1e-5, "{scale}: {off}");
    }
}
