//! Bounded biharmonic weights: the minimum compared with an independent solver, and properties of
//! every solution.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};
use glam::{Quat, Vec3};
use pliant::model::{Mesh, Weights};
use pliant::operators::qp::{BoundaryConditions, BoundedBiharmonicProblem, Quadratic, SampleConstraint};
use pliant::operators::sparse::Symmetric;
use pliant::operators::{Lattice, MeshGeometry};
use pliant::progress::Progress;
use pliant::report::{Report, Warning};
use pliant::samples::{self, SampleCharacter};
use pliant::weights::{Biharmonic, BiharmonicWeights, Domain, Handle, biharmonic, biharmonic_of};

use crate::fixtures::{chain, fork, fork_skeleton, grid, icosphere, joined, placed, placed_skeleton, tube};

fn by_handles(mesh: &Mesh, handles: &[Handle], domain: Domain) -> (BiharmonicWeights, Report) {
    let mut report = Report::default();
    let geometry = MeshGeometry::of(mesh);
    let name = |handle: usize| format!("handle {handle}");
    let options = Biharmonic { domain, ..Biharmonic::default() };
    let found = biharmonic_of(&geometry, handles, &options, &name, &mut report, &mut Progress::silent());
    (found.unwrap(), report)
}

/// The minimum by an independent interior-point method.
fn by_clarabel(quadratic: &Quadratic, conditions: &BoundaryConditions, column: u32) -> Vec<f64> {
    let size = quadratic.size();
    let (mut rows, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..size {
        for (column, value) in quadratic.row(row).filter(|&(column, _)| column >= row) {
            rows.push(row);
            columns.push(column);
            values.push(value);
        }
    }
    let p = CscMatrix::new_from_triplets(size, size, rows, columns, values);
    // First the equations for given values, at unknowns and between them, then x ≥ 0, then x ≤ 1,
    // except around sample points.
    let of_column =
        |shares: &[(u32, f64)]| shares.iter().find(|share| share.0 == column).map_or(0.0, |s| s.1);
    let is_fixed = |i: &usize| conditions.is_fixed(*i);
    let at_unknown = |i| (vec![(i as u32, 1.0)], of_column(conditions.values(i)));
    let between = |sample: &SampleConstraint| (sample.at.clone(), of_column(&sample.columns));
    let fixed: Vec<(Vec<(u32, f64)>, f64)> =
        (0..size).filter(is_fixed).map(at_unknown).chain(conditions.samples().iter().map(between)).collect();
    let is_sampled =
        |i: &u32| conditions.samples().iter().any(|sample| sample.at.iter().any(|at| at.0 == *i));
    let bounded: Vec<u32> = (0..size as u32).filter(|i| !is_sampled(i)).collect();
    let constraints = fixed.len() + 2 * bounded.len();
    let mut a = (Vec::new(), Vec::new(), Vec::new());
    let mut put = |row: usize, column: usize, value: f64| {
        a.0.push(row);
        a.1.push(column);
        a.2.push(value);
    };
    for (row, (at, _)) in fixed.iter().enumerate() {
        at.iter().for_each(|&(i, share)| put(row, i as usize, share));
    }
    for (row, &i) in bounded.iter().enumerate() {
        put(fixed.len() + row, i as usize, -1.0);
        put(fixed.len() + bounded.len() + row, i as usize, 1.0);
    }
    let a = CscMatrix::new_from_triplets(constraints, size, a.0, a.1, a.2);
    let bounds = vec![0.0; bounded.len()].into_iter().chain(vec![1.0; bounded.len()]);
    let b: Vec<f64> = fixed.iter().map(|fixed| fixed.1).chain(bounds).collect();
    let cones = [SupportedConeT::ZeroConeT(fixed.len()), SupportedConeT::NonnegativeConeT(2 * bounded.len())];
    let settings =
        DefaultSettings { verbose: false, tol_gap_abs: 1e-11, tol_gap_rel: 1e-11, ..Default::default() };
    let mut solver = DefaultSolver::new(&p, &vec![0.0; size], &a, &b, &cones, settings).unwrap();
    solver.solve();
    assert!(matches!(solver.solution.status, SolverStatus::Solved | SolverStatus::AlmostSolved));
    solver.solution.x.clone()
}

fn assert_minimum(what: &str, stiffness: &Symmetric, masses: &[f64], at: &[u32]) {
    let size = stiffness.size();
    let conditions = BoundaryConditions::new(size, |i| {
        at.iter().position(|&v| v as usize == i).map(|h| vec![(h as u32, 1.0)])
    });
    assert_minimum_given(what, stiffness, masses, &conditions, at.len() as u32);
}

fn assert_minimum_given(
    what: &str,
    stiffness: &Symmetric,
    masses: &[f64],
    conditions: &BoundaryConditions,
    columns: u32,
) {
    let size = stiffness.size();
    let quadratic = Quadratic::bilaplacian(stiffness, masses);
    let mut ours = BoundedBiharmonicProblem::new(stiffness, masses, conditions.clone());
    for column in 0..columns {
        let expected = by_clarabel(&quadratic, conditions, column);
        let (found, record) = ours.minimise(column);
        assert!(record.converged && record.residual <= 1e-3, "{what}: {record:?}");
        let mut dense = vec![0.0; size];
        found.iter().for_each(|&(i, value)| dense[i as usize] = value);
        let apart = dense.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        println!(
            "{what}, column {column}: {apart:.1e} apart, KKT residual {:.1e}, {} rounds",
            record.residual, record.iterations
        );
        assert!(apart <= 1e-3, "{what}, column {column}: {apart} from the independent solver's");
    }
}

#[test]
fn the_minimum_agrees_with_an_independent_solver() {
    let surfaces = [
        ("sphere", icosphere(2)),
        ("tube", tube(16, 24, 0.5, 4.0, true)),
        ("square", grid(18, 18)),
        ("hand", samples::make(SampleCharacter::Hand, 480).unwrap().mesh),
    ];
    for (name, mesh) in &surfaces {
        let geometry = MeshGeometry::of(mesh);
        let n = mesh.positions().len() as u32;
        assert!(n <= 500);
        let laplacian = geometry.laplacian();
        assert_minimum(name, laplacian.stiffness(), laplacian.masses(), &[0, n / 3, n / 2, n - 1]);
    }
    let geometry = MeshGeometry::of(&tube(16, 24, 0.5, 4.0, true));
    let lattice = Lattice::of(&geometry, glam::DMat3::IDENTITY, glam::DVec3::ZERO, 60);
    let n = lattice.nodes() as u32;
    assert!(n <= 500, "{n} nodes");
    assert_minimum("lattice", lattice.stiffness(), lattice.masses(), &[0, n / 2, n - 1]);
    // Sample points between the nodes, as for bones and points: our solver uses stiff springs, the
    // other one equations.
    let sample = |column: u32, y: f64| {
        let place = lattice.locate(glam::DVec3::new(0.05, y, 0.1)).unwrap();
        SampleConstraint {
            at: place.nodes.into_iter().zip(place.weights).collect(),
            columns: vec![(column, 1.0)],
        }
    };
    let samples = vec![sample(0, 0.3), sample(0, 1.1), sample(1, 2.2), sample(1, 2.9), sample(2, 3.7)];
    let conditions = BoundaryConditions::new(lattice.nodes(), |_| None).with_samples(samples);
    assert_minimum_given("pins", lattice.stiffness(), lattice.masses(), &conditions, 3);
}

/// If only the longest bones are handles, some supports extend far along the body. They grow by one
/// ring per round and must still be found.
#[test]
fn supports_that_extend_along_a_limb_are_found() {
    for (vertices, domain) in [(5_000, Domain::Surface), (20_000, Domain::Surface), (5_000, Domain::Volume)] {
        let made = samples::make(SampleCharacter::Mannequin, vertices).unwrap();
        let mut bones = made.skeleton.bones().to_vec();
        bones.sort_by(|a, b| b.length().total_cmp(&a.length()));
        let mut joints = Vec::new();
        bones.retain(|bone| {
            let is_first = !joints.contains(&bone.joint);
            joints.push(bone.joint);
            is_first
        });
        let handles: Vec<Handle> = bones.into_iter().take(19).map(Handle::Bone).collect();
        let (BiharmonicWeights { convergence, .. }, _) = by_handles(&made.mesh, &handles, domain);
        println!("{vertices} {domain:?}, {} bones: {convergence:?}", handles.len());
        assert!(convergence.converged && convergence.residual <= 1e-4, "{convergence:?}");
    }
}

/// Number of vertices away from a column's own handle where its weight exceeds that of all
/// neighbours by more than `slack`.
fn local_maxima(mesh: &Mesh, weights: &Weights, handles: &[Handle], slack: f32) -> usize {
    let geometry = MeshGeometry::of(mesh);
    // Between the nodes of a lattice the maximum is at a vertex beside the handle's.
    const BESIDE: f32 = 0.2;
    let peaks_of = |(column, handle): (u32, &Handle)| {
        let Handle::Point(place) = handle else { panic!("points only") };
        let values = weights.column(column);
        let is_peak = |v: &usize| {
            let around = geometry.topology().neighbours(*v).map(|n| values[n]).fold(0.0, f32::max);
            mesh.positions()[*v].distance(*place) > BESIDE && values[*v] > around + slack
        };
        (0..values.len()).filter(is_peak).count()
    };
    (0..).zip(handles).map(peaks_of).sum()
}

#[test]
fn weights_have_no_maxima_away_from_their_handles() {
    let tube = tube(24, 40, 0.5, 4.0, true);
    let ends =
        [Handle::Point(Vec3::ZERO), Handle::Point(Vec3::Y * 4.0), Handle::Point(Vec3::new(0.5, 2.0, 0.0))];
    let (found, _) = by_handles(&tube, &ends, Domain::Surface);
    assert_eq!(local_maxima(&tube, &found.weights, &ends, 1e-4), 0);
    let (sphere, corners) = (icosphere(3), [Vec3::X, Vec3::Y, Vec3::NEG_Z].map(Handle::Point));
    for domain in [Domain::Surface, Domain::Volume] {
        let (found, _) = by_handles(&sphere, &corners, domain);
        assert_eq!(local_maxima(&sphere, &found.weights, &corners, 1e-4), 0, "{domain:?}");
    }
}

#[test]
fn points_bones_and_regions_mix() {
    let mesh = tube(16, 40, 0.5, 4.0, true);
    let bone = chain(&[Vec3::ZERO, Vec3::Y * 1.2]).bones()[0];
    let top: Vec<u32> =
        (0..mesh.positions().len() as u32).filter(|&v| mesh.positions()[v as usize].y > 3.6).collect();
    let handles = [Handle::Bone(bone), Handle::Point(Vec3::new(0.5, 2.2, 0.0)), Handle::Region(top.clone())];
    for domain in [Domain::Surface, Domain::Volume] {
        let (found, _) = by_handles(&mesh, &handles, domain);
        assert!(found.convergence.converged && found.idle.is_empty());
        assert_eq!(found.domain, domain);
        let region = found.weights.column(2);
        assert!(top.iter().all(|&v| region[v as usize] > 0.9), "{domain:?}");
        let low = (0..mesh.positions().len()).filter(|&v| mesh.positions()[v].y < 0.5);
        assert!(low.into_iter().all(|v| found.weights.dominant(v) == 0), "{domain:?}");
        assert!((0..mesh.positions().len()).any(|v| found.weights.dominant(v) == 1), "{domain:?}");
    }
}

/// The largest difference between weights on a coarse mesh and those at the nearest vertices of a
/// fine one.
fn refinement_error(domain: Domain) -> f32 {
    let skeleton = chain(&[Vec3::ZERO, Vec3::Y * 2.0, Vec3::Y * 4.0]);
    let weights_of = |mesh: &Mesh| {
        let geometry = MeshGeometry::of(mesh);
        let found = biharmonic(
            &geometry,
            &skeleton,
            &Biharmonic { domain, ..Biharmonic::default() },
            &mut Report::default(),
            &mut Progress::silent(),
        );
        found.unwrap().weights
    };
    // Caps have one vertex in the middle at any density, so only the sides are compared.
    let (coarse, fine) = (tube(16, 32, 0.5, 4.0, true), tube(32, 64, 0.5, 4.0, true));
    let (a, b) = (weights_of(&coarse), weights_of(&fine));
    let at = |p: Vec3| {
        let distance = |v: &usize| fine.positions()[*v].distance_squared(p);
        (0..fine.positions().len()).min_by(|x, y| distance(x).total_cmp(&distance(y))).unwrap()
    };
    let (a0, b0) = (a.column(0), b.column(0));
    (0..coarse.positions().len())
        .filter(|&v| (0.5..3.5).contains(&coarse.positions()[v].y))
        .map(|v| (a0[v] - b0[at(coarse.positions()[v])]).abs())
        .fold(0.0, f32::max)
}

#[test]
fn weights_do_not_depend_on_density_or_units() {
    for domain in [Domain::Surface, Domain::Volume] {
        let apart = refinement_error(domain);
        println!("{domain:?}: {apart:.3} apart after refinement");
        assert!(apart < 0.06, "{domain:?}: {apart}");
        let (mesh, skeleton) = (fork(), fork_skeleton());
        let weights_of = |scale: f32| {
            let mesh = placed(&mesh, Quat::IDENTITY, scale, Vec3::ZERO);
            let skeleton = placed_skeleton(&skeleton, Quat::IDENTITY, scale, Vec3::ZERO);
            let geometry = MeshGeometry::of(&mesh);
            let options = Biharmonic { domain, ..Biharmonic::default() };
            biharmonic(&geometry, &skeleton, &options, &mut Report::default(), &mut Progress::silent())
                .unwrap()
        };
        let one = weights_of(1.0).weights;
        for scale in [1000.0, 0.001] {
            let other = weights_of(scale).weights;
            for column in 0..one.columns() as u32 {
                let apart = one
                    .column(column)
                    .iter()
                    .zip(other.column(column))
                    .map(|(a, b)| (a - b).abs())
                    .fold(0.0, f32::max);
                assert!(apart < 2e-3, "{domain:?} × {scale}: {apart}");
            }
        }
    }
}

#[test]
fn interior_weights_separate_the_prongs_of_a_fork() {
    let (mesh, skeleton) = (fork(), fork_skeleton());
    let geometry = MeshGeometry::of(&mesh);
    let found = biharmonic(
        &geometry,
        &skeleton,
        &Biharmonic::default(),
        &mut Report::default(),
        &mut Progress::silent(),
    )
    .unwrap();
    assert_eq!(found.domain, Domain::Volume);
    let bone = |name: &str| {
        skeleton.bones().iter().position(|b| skeleton.joints()[b.joint].name == name).unwrap() as u32
    };
    let (left, right) = (bone("left_1"), bone("right_1"));
    for (vertex, p) in mesh.positions().iter().enumerate().filter(|(_, p)| p.y > 3.2) {
        let (own, other) = if p.x < 1.0 { (left, right) } else { (right, left) };
        let share =
            |bone: u32| found.weights.row(vertex).iter().find(|i| i.column == bone).map_or(0.0, |i| i.weight);
        assert!(
            share(own) > 0.6 && share(other) < 1e-3,
            "vertex {vertex} at {p}: {:?}",
            found.weights.row(vertex)
        );
    }
}

#[test]
fn a_component_without_handles_follows_the_nearest_and_is_reported() {
    let island = placed(&icosphere(1), Quat::IDENTITY, 0.3, Vec3::new(3.0, 3.0, 0.0));
    let mesh = joined(&[tube(12, 20, 0.5, 4.0, true), island]);
    let handles = [Handle::Point(Vec3::new(0.5, 0.0, 0.0)), Handle::Point(Vec3::new(0.5, 4.0, 0.0))];
    for domain in [Domain::Surface, Domain::Volume] {
        let (found, report) = by_handles(&mesh, &handles, domain);
        let last = mesh.positions().len() - 1;
        assert_eq!(found.weights.dominant(last), 1, "{domain:?}");
        let named = report.warnings().iter().any(|warning| {
            matches!(warning, Warning::UnreachedParts { parts } if parts.len() == 1 && parts[0].joint == "handle 1")
        });
        assert!(named, "{domain:?}: {:?}", report.warnings());
    }
}

/// The weight that belongs to different joints in two solutions: its mean over all vertices, and
/// its maximum.
fn moved(a: &Weights, b: &Weights) -> (f64, f64) {
    let apart: Vec<f64> = (0..a.vertices())
        .map(|v| {
            let mut changed = std::collections::BTreeMap::new();
            a.row(v).iter().for_each(|i| *changed.entry(i.column).or_insert(0.0) += f64::from(i.weight));
            b.row(v).iter().for_each(|i| *changed.entry(i.column).or_insert(0.0) -= f64::from(i.weight));
            changed.values().map(|change| change.abs()).sum::<f64>() / 2.0
        })
        .collect();
    (apart.iter().sum::<f64>() / apart.len() as f64, apart.iter().copied().fold(0.0, f64::max))
}

#[test]
fn interior_weights_converge_as_the_lattice_gets_finer() {
    let made = samples::make(SampleCharacter::Mannequin, 2_500).unwrap();
    let geometry = MeshGeometry::of(&made.mesh);
    let with_cells = |cells: usize| {
        let options = Biharmonic { domain: Domain::Volume, cells };
        let (report, progress) = (&mut Report::default(), &mut Progress::silent());
        biharmonic(&geometry, &made.skeleton, &options, report, progress).unwrap().weights
    };
    let fine = with_cells(12_000);
    // Without gaps at joints finer lattices were no closer to each other: 0.053, 0.041 and 0.055.
    for (cells, allowed) in [(1_500, 0.045), (3_000, 0.025), (6_000, 0.02)] {
        let (mean, most) = moved(&with_cells(cells), &fine);
        println!(
            "mannequin, {cells} cells against 12,000: {mean:.4} of a vertex's weight moves, at most {most:.3}"
        );
        assert!(mean <= allowed, "{cells} cells: {mean}");
    }
}

#[test]
fn weights_of_a_tube_do_not_depend_on_the_orientation_of_the_lattice() {
    // A short first bone in another direction rotates the lattice, which otherwise is aligned with
    // the tube.
    let mesh = tube(32, 64, 0.5, 4.0, true);
    let bone = |from: Vec3, to: Vec3| Handle::Bone(chain(&[from, to]).bones()[0]);
    let limb = [bone(Vec3::ZERO, Vec3::Y * 2.0), bone(Vec3::Y * 2.0, Vec3::Y * 4.0)];
    let column = |turn: Option<Vec3>, cells: usize| {
        let geometry = MeshGeometry::of(&mesh);
        let first = turn.map(|to| bone(Vec3::ZERO, to));
        let handles: Vec<Handle> = first.iter().chain(&limb).cloned().collect();
        let options = Biharmonic { domain: Domain::Volume, cells };
        let (report, progress) = (&mut Report::default(), &mut Progress::silent());
        let name = |_: usize| String::new();
        let found = biharmonic_of(&geometry, &handles, &options, &name, report, progress).unwrap();
        found.weights.column(handles.len() as u32 - 1)
    };
    let straight = column(None, 6_400);
    for cells in [800, 3_200] {
        for turn in [Vec3::new(0.1, 0.17, 0.07), Vec3::new(0.03, 0.1, 0.15)] {
            let turned = column(Some(turn), cells);
            let upper = (0..mesh.positions().len()).filter(|&v| mesh.positions()[v].y > 1.0);
            let apart = upper.map(|v| (turned[v] - straight[v]).abs()).fold(0.0, f32::max);
            println!("tube, {cells} cells along {turn}: at most {apart:.3} from 6,400 cells along it");
            assert!(apart < if cells == 800 { 0.06 } else { 0.03 }, "{cells} cells along {turn}: {apart}");
        }
    }
}

#[test]
fn an_interior_point_has_weight_one_at_its_position() {
    let made = samples::make(SampleCharacter::Mannequin, 2_500).unwrap();
    let positions = made.mesh.positions();
    let chosen: Vec<usize> = (0..9).map(|i| i * positions.len() / 9).collect();
    let bones = made.skeleton.bones().iter().map(|bone| Handle::Bone(*bone));
    let points = chosen.iter().map(|&v| Handle::Point(positions[v]));
    let handles: Vec<Handle> = bones.chain(points).collect();
    let (found, _) = by_handles(&made.mesh, &handles, Domain::Volume);
    let first = made.skeleton.bones().len();
    for (i, &vertex) in chosen.iter().enumerate() {
        let own = found.weights.column((first + i) as u32)[vertex];
        println!("point {i}: {own:.6} at its own vertex");
        assert!(own >= 0.999, "point {i}: {own}");
    }
}

/// A point has influence as far as it is from the bones, not only on its own vertex; otherwise
/// dragging it would make a spike.
#[test]
fn a_point_on_the_skin_among_bones_influences_its_surroundings() {
    let made = samples::make(SampleCharacter::Mannequin, 3_000).unwrap();
    let positions = made.mesh.positions();
    let vertex = made.mesh.nearest_vertex(Vec3::new(0.0, 1.05, 0.3)).unwrap();
    let bones = made.skeleton.bones().iter().map(|bone| Handle::Bone(*bone));
    let handles: Vec<Handle> = bones.chain([Handle::Point(positions[vertex])]).collect();
    let (found, _) = by_handles(&made.mesh, &handles, Domain::Volume);
    let weights = found.weights.column(handles.len() as u32 - 1);
    let mean = |reach: f32| {
        let is_near = |p: &Vec3| p.distance(positions[vertex]) < reach;
        let near: Vec<f32> =
            positions.iter().zip(&weights).filter(|(p, _)| is_near(p)).map(|(_, w)| *w).collect();
        near.iter().sum::<f32>() / near.len() as f32
    };
    let [own, near, around] = [weights[vertex], mean(0.03), mean(0.06)];
    println!("a point on the belly: {own:.4} there, {near:.3} within 3 cm, {around:.3} within 6 cm");
    assert!(own > 0.999 && near > 0.8 && around > 0.5, "{own}, {near}, {around}");
}
