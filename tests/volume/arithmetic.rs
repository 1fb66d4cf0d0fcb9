//! Steps of the correction against independent computations.

use glam::{DVec3, Vec3};
use pliant::deform::{CorrectionMap, CorrectionMode, Cubic, Segments, VolumeScope};
use pliant::quality::volume;
use pliant::report::Report;
use pliant::samples::SampleCharacter;

use super::{Stage, options, posed, rigged};
use crate::fixtures::{Lcg, fixtures};

/// A random number in [−1, 1).
fn signed(chance: &mut Lcg) -> f64 {
    2.0 * f64::from(chance.unit()) - 1.0
}

#[test]
fn a_root_is_where_bisection_finds_it() {
    let mut chance = Lcg(7);
    for _ in 0..20_000 {
        let gains = [f64::from(chance.unit()) + 1e-3, 3.0 * signed(&mut chance), 3.0 * signed(&mut chance)];
        let cubic = Cubic { gains };
        let gain = 0.5 * signed(&mut chance);
        let found = cubic.root(gain, 10.0);
        let [low, high] = cubic.branch(10.0).unwrap();
        assert!((low..=high).contains(&found) && low < 0.0 && high > 0.0);
        // The cubic rises on the branch, so bisection finds the root.
        let (mut from, mut to) = (low, high);
        for _ in 0..200 {
            let middle = 0.5 * (from + to);
            if cubic.at(middle) < gain { from = middle } else { to = middle }
        }
        let expected = if gain >= cubic.at(high) {
            high
        } else if gain <= cubic.at(low) {
            low
        } else {
            from
        };
        // At the end of a branch the slope is zero, and the root is only known to the square root
        // of rounding.
        let off = (cubic.at(found) - cubic.at(expected)).abs();
        assert!(
            off < 1e-12 && (found - expected).abs() < 1e-5,
            "{gains:?} = {gain}: {found}, not {expected}"
        );
        let inner = 100;
        for i in 0..inner {
            let tau = low + (high - low) * (f64::from(i) + 0.5) / f64::from(inner);
            assert!(cubic.slope(tau) >= 0.0, "{gains:?} falls at {tau}");
        }
    }
}

#[test]
fn a_volume_that_cannot_grow_gives_no_step() {
    for gains in [[0.0; 3], [-1.0, 2.0, 3.0], [f64::NAN, 0.0, 0.0], [1.0, f64::NAN, 0.0]] {
        assert!(Cubic { gains }.root(1.0, 5.0).is_finite());
    }
    assert_eq!(Cubic { gains: [0.0, 1.0, 1.0] }.root(1.0, 5.0), 0.0);
    assert_eq!(Cubic { gains: [1.0, 0.0, 0.0] }.root(1.0, 0.0), 0.0);
    assert_eq!(Cubic { gains: [1.0, 0.0, 0.0] }.root(3.0, 2.0), 2.0);
}

/// A vertex moves in the direction of the volume gradient, in paper mode times γ.
#[test]
fn vertices_move_along_the_gradient_of_the_volume() {
    let rig = rigged(SampleCharacter::Arm, 400);
    let pose = posed(&rig, &[("forearm", [0.0, 70.0, 0.0])]);
    let mut stage = Stage::new(&rig, &options(CorrectionMap::Uniform, CorrectionMode::Paper));
    stage.frame(&pose);
    let [skinned, corrected] = stage.post_skinning.solved();
    let triangles = rig.asset.mesh.triangles();
    let at = |v: u32| skinned[v as usize].as_dvec3();
    let volume_at = |moved: usize, by: DVec3| -> f64 {
        let around = triangles.iter().filter(|t| t.contains(&(moved as u32)));
        let position = |v: u32| if v as usize == moved { at(v) + by } else { at(v) };
        around.map(|t| t.map(position)).map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
    };
    let h = 1e-4;
    let mut pairs = Vec::new();
    for vertex in (0..skinned.len()).step_by(7) {
        let slope = |axis: DVec3| (volume_at(vertex, axis * h) - volume_at(vertex, axis * -h)) / (2.0 * h);
        let gradient = DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z));
        // V is linear in each vertex, so central differences are exact. They equal the sum over the
        // fan.
        let fan: DVec3 = triangles
            .iter()
            .filter_map(|t| {
                let i = t.iter().position(|&v| v as usize == vertex)?;
                Some(at(t[(i + 1) % 3]).cross(at(t[(i + 2) % 3])) / 6.0)
            })
            .sum();
        assert!((gradient - fan).length() <= 1e-6 * fan.length(), "vertex {vertex}: {gradient} and {fan}");
        pairs.push((gradient, (corrected[vertex] - skinned[vertex]).as_dvec3()));
    }
    // With γ = 1 in paper mode all displacements are one multiple of the gradient.
    let tau = pairs.iter().map(|(g, u)| g.dot(*u)).sum::<f64>()
        / pairs.iter().map(|(g, _)| g.length_squared()).sum::<f64>();
    let largest = pairs.iter().map(|(_, u)| u.length()).fold(0.0, f64::max);
    assert!(tau > 0.0 && largest > 0.0);
    for (gradient, displacement) in pairs {
        let off = (displacement - gradient * tau).length();
        // Displacements are differences of f32 positions, relative to the centre and to the origin.
        assert!(off <= 1e-6 * largest + 6e-7, "{displacement} is not {} (off by {off})", gradient * tau);
    }
}

#[test]
fn local_volumes_add_up_to_the_whole() {
    for member in [
        SampleCharacter::Cylinder,
        SampleCharacter::Hand,
        SampleCharacter::Mannequin,
        SampleCharacter::Elephant,
        SampleCharacter::Giraffe,
    ] {
        let rig = rigged(member, 1_500);
        let mut stage = Stage::new(&rig, &options(CorrectionMap::Local, CorrectionMode::Exact));
        let clip = &rig.asset.clips[0];
        stage.frame(&clip.sample(&rig.skeleton, 0.4 * clip.duration()));
        let segments = stage.segments();
        let [skinned, corrected] = stage.post_skinning.solved();
        for positions in [rig.asset.mesh.positions(), skinned, corrected] {
            let whole = volume(positions, rig.asset.mesh.triangles());
            let sum: f64 = segments.volumes(positions).iter().sum();
            assert!((sum - whole).abs() <= 1e-9 * whole.abs(), "{}: {sum}, not {whole}", member.name());
        }
    }
}

#[test]
fn the_volume_of_a_segment_does_not_depend_on_the_origin() {
    let rig = rigged(SampleCharacter::Mannequin, 1_500);
    let segments = Stage::new(&rig, &options(CorrectionMap::Local, CorrectionMode::Exact)).segments();
    let rest = rig.asset.mesh.positions();
    let whole: f64 = segments.volumes(rest).iter().sum();
    // Offsets are powers of two and coordinates on a grid, so that the sums are exact.
    let on_grid: Vec<Vec3> = rest.iter().map(|p| (*p * 4096.0).round() / 4096.0).collect();
    let moved: Vec<Vec3> = on_grid.iter().map(|p| *p + Vec3::new(8.0, -16.0, 32.0)).collect();
    let closed = segments.volumes(&on_grid).into_iter().zip(segments.volumes(&moved));
    for (here, there) in closed {
        assert!((here - there).abs() <= 1e-12 * whole, "{here} and {there}");
    }
}

#[test]
fn segments_of_every_fixture_are_finite() {
    for fixture in fixtures() {
        let vertices = fixture.mesh.positions().len() as u32;
        let weights = pliant::model::Weights::rigid(3, (0..vertices).map(|v| v % 3)).unwrap();
        for scope in [VolumeScope::Whole, VolumeScope::Segments] {
            let segments = Segments::new(&fixture.mesh, &weights, scope, &mut Report::default());
            let volumes = segments.volumes(fixture.mesh.positions());
            assert!(volumes.iter().all(|v| v.is_finite()), "{}: {volumes:?}", fixture.name);
        }
    }
}
