//! Dragging a character by points.

use glam::{Mat4, Vec3};
use pliant::deform::FastArap;
use pliant::model::{Mesh, Weights};
use pliant::operators::MeshGeometry;
use pliant::progress::Progress;
use pliant::report::Report;
use pliant::weights::{Biharmonic, Domain, Handle, biharmonic_of};

use crate::fixtures::tube;

fn weights_of(geometry: &MeshGeometry, points: &[u32]) -> Weights {
    let handles: Vec<Handle> =
        points.iter().map(|&v| Handle::Point(geometry.mesh().positions()[v as usize])).collect();
    let options = Biharmonic { domain: Domain::Surface, ..Biharmonic::default() };
    let (report, silent) = (&mut Report::default(), &mut Progress::silent());
    biharmonic_of(geometry, &handles, &options, &|_| String::new(), report, silent).unwrap().weights
}

fn skinned(mesh: &Mesh, weights: &Weights, matrices: &[Mat4]) -> Vec<Vec3> {
    let point = |(p, row): (&Vec3, &[pliant::model::Influence])| {
        row.iter().map(|i| matrices[i.column as usize].transform_point3(*p) * i.weight).sum()
    };
    mesh.positions().iter().zip(weights.rows()).map(point).collect()
}

fn vertex_near(mesh: &Mesh, point: Vec3) -> u32 {
    let distance = |v: &usize| mesh.positions()[*v].distance_squared(point);
    (0..mesh.positions().len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap() as u32
}

#[test]
fn points_reach_their_targets_and_lengths_are_preserved() {
    let mesh = tube(24, 60, 0.3, 4.0, true);
    let geometry = MeshGeometry::of(&mesh);
    let points = [0.0, 2.0, 4.0].map(|y| vertex_near(&mesh, Vec3::new(0.3, y, 0.0)));
    let weights = weights_of(&geometry, &points);
    let mut handles = FastArap::new(&geometry, &weights, 0, &points);
    let rest: Vec<Vec3> = points.iter().map(|&v| mesh.positions()[v as usize]).collect();
    // Nothing moves if nothing is dragged.
    let still = skinned(&mesh, &weights, handles.drag(&rest));
    assert!(still.iter().zip(mesh.positions()).all(|(a, b)| a.distance(*b) < 1e-4));
    // The upper end is moved to the side.
    let mut targets = rest.clone();
    targets[2] += Vec3::new(1.5, -0.6, 0.0);
    let mut posed = Vec::new();
    for _ in 0..25 {
        posed = skinned(&mesh, &weights, handles.drag(&targets));
    }
    for (&point, target) in points.iter().zip(&targets) {
        assert!(
            posed[point as usize].distance(*target) < 1e-4,
            "{} instead of {target}",
            posed[point as usize]
        );
    }
    let stretch = |positions: &[Vec3]| {
        let lengths = geometry.topology().edges().iter().map(|e| {
            let [a, b] = e.ends.map(|v| v as usize);
            (positions[a].distance(positions[b]) / mesh.positions()[a].distance(mesh.positions()[b]) - 1.0)
                .abs()
        });
        lengths.sum::<f32>() / geometry.topology().edges().len() as f32
    };
    assert!(stretch(&posed) < 0.12, "edges are stretched by {}", stretch(&posed));
    // A translation of all points is a translation of the mesh.
    let away = Vec3::new(5.0, -3.0, 1.0);
    let moved: Vec<Vec3> = rest.iter().map(|p| *p + away).collect();
    let mut posed = Vec::new();
    for _ in 0..60 {
        posed = skinned(&mesh, &weights, handles.drag(&moved));
    }
    let off = posed.iter().zip(mesh.positions()).map(|(a, b)| a.distance(*b + away)).fold(0.0, f32::max);
    assert!(off < 2e-2, "{off}");
}
