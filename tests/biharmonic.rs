//! Bounded biharmonic weights: the minimum itself against an independent solver, and what is true of every answer.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};
use glam::{Quat, Vec3};
use pliant::cast::{self, Member};
use pliant::model::{Mesh, Weights};
use pliant::operators::qp::{Given, Quadratic, Smoothest};
use pliant::operators::{Lattice, Operators};
use pliant::progress::Progress;
use pliant::report::{Report, Warning};
use pliant::weigh::{Biharmonic, Bounded, Domain, Handle, biharmonic, biharmonic_of};

use crate::fixtures::{chain, fork, fork_skeleton, grid, icosphere, joined, placed, placed_skeleton, tube};

fn by_handles(mesh: &Mesh, handles: &[Handle], domain: Domain) -> (Bounded, Report) {
    let mut report = Report::default();
    let operators = Operators::of(mesh);
    let name = |handle: usize| format!("handle {handle}");
    let options = Biharmonic { domain, ..Biharmonic::default() };
    let found = biharmonic_of(&operators, handles, &options, &name, &mut report, &mut Progress::silent());
    (found.unwrap(), report)
}

/// The minimum by an interior point method that shares nothing with ours.
fn by_clarabel(quadratic: &Quadratic, given: &Given, column: u32) -> Vec<f64> {
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
    // First x = what is given, then x ≥ 0, then x ≤ 1.
    let fixed: Vec<usize> = (0..size).filter(|&i| given.is_given(i)).collect();
    let value =
        |&i: &usize| given.shares(i).iter().find(|share| share.0 == column).map_or(0.0, |share| share.1);
    let constraints = fixed.len() + 2 * size;
    let mut a = (Vec::new(), Vec::new(), Vec::new());
    let mut put = |row: usize, column: usize, value: f64| {
        a.0.push(row);
        a.1.push(column);
        a.2.push(value);
    };
    fixed.iter().enumerate().for_each(|(row, &i)| put(row, i, 1.0));
    (0..size).for_each(|i| put(fixed.len() + i, i, -1.0));
    (0..size).for_each(|i| put(fixed.len() + size + i, i, 1.0));
    let a = CscMatrix::new_from_triplets(constraints, size, a.0, a.1, a.2);
    let b: Vec<f64> = fixed.iter().map(value).chain(vec![0.0; size]).chain(vec![1.0; size]).collect();
    let cones = [SupportedConeT::ZeroConeT(fixed.len()), SupportedConeT::NonnegativeConeT(2 * size)];
    let settings =
        DefaultSettings { verbose: false, tol_gap_abs: 1e-11, tol_gap_rel: 1e-11, ..Default::default() };
    let mut solver = DefaultSolver::new(&p, &vec![0.0; size], &a, &b, &cones, settings).unwrap();
    solver.solve();
    assert!(matches!(solver.solution.status, SolverStatus::Solved | SolverStatus::AlmostSolved));
    solver.solution.x.clone()
}

fn assert_minimum(what: &str, stiffness: &pliant::operators::sparse::Symmetric, masses: &[f64], at: &[u32]) {
    let size = stiffness.size();
    let given = Given::new(size, |i| at.iter().position(|&v| v as usize == i).map(|h| vec![(h as u32, 1.0)]));
    let quadratic = Quadratic::bilaplacian(stiffness, masses);
    let mut ours = Smoothest::new(stiffness, masses, given.clone());
    for column in 0..at.len() as u32 {
        let expected = by_clarabel(&quadratic, &given, column);
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
fn the_minimum_is_that_of_an_independent_solver() {
    let surfaces = [
        ("sphere", icosphere(2)),
        ("tube", tube(16, 24, 0.5, 4.0, true)),
        ("square", grid(18, 18)),
        ("hand", cast::make(Member::Hand, 480).unwrap().mesh),
    ];
    for (name, mesh) in &surfaces {
        let operators = Operators::of(mesh);
        let n = mesh.positions().len() as u32;
        assert!(n <= 500);
        let laplacian = operators.laplacian();
        assert_minimum(name, laplacian.stiffness(), laplacian.masses(), &[0, n / 3, n / 2, n - 1]);
    }
    let operators = Operators::of(&tube(16, 24, 0.5, 4.0, true));
    let lattice = Lattice::of(&operators, glam::DMat3::IDENTITY, glam::DVec3::ZERO, 60);
    let n = lattice.nodes() as u32;
    assert!(n <= 500, "{n} nodes");
    assert_minimum("lattice", lattice.stiffness(), lattice.masses(), &[0, n / 2, n - 1]);
}

/// Vertices away from a column's own handle where its weight is larger than all around it by more than `slack`.
fn local_maxima(mesh: &Mesh, weights: &Weights, handles: &[Handle], slack: f32) -> usize {
    let operators = Operators::of(mesh);
    // Between the nodes of a lattice the maximum is at a vertex beside the handle's.
    const BESIDE: f32 = 0.2;
    let peaks_of = |(column, handle): (u32, &Handle)| {
        let Handle::Point(place) = handle else { panic!("points only") };
        let values = weights.column(column);
        let is_peak = |v: &usize| {
            let around = operators.topology().neighbours(*v).map(|n| values[n]).fold(0.0, f32::max);
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

/// The largest difference between weights on a coarse mesh and those at the nearest vertices of a fine one.
fn refinement_error(domain: Domain) -> f32 {
    let skeleton = chain(&[Vec3::ZERO, Vec3::Y * 2.0, Vec3::Y * 4.0]);
    let weights_of = |mesh: &Mesh| {
        let operators = Operators::of(mesh);
        let found = biharmonic(
            &operators,
            &skeleton,
            &Biharmonic { domain, ..Biharmonic::default() },
            &mut Report::default(),
            &mut Progress::silent(),
        );
        found.unwrap().weights
    };
    // Lids have one vertex in the middle whatever the density, so only the sides are compared.
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
fn density_and_units_do_not_matter() {
    for domain in [Domain::Surface, Domain::Volume] {
        let apart = refinement_error(domain);
        println!("{domain:?}: {apart:.3} apart after refinement");
        assert!(apart < 0.06, "{domain:?}: {apart}");
        let (mesh, skeleton) = (fork(), fork_skeleton());
        let weights_of = |scale: f32| {
            let mesh = placed(&mesh, Quat::IDENTITY, scale, Vec3::ZERO);
            let skeleton = placed_skeleton(&skeleton, Quat::IDENTITY, scale, Vec3::ZERO);
            let operators = Operators::of(&mesh);
            let options = Biharmonic { domain, ..Biharmonic::default() };
            biharmonic(&operators, &skeleton, &options, &mut Report::default(), &mut Progress::silent())
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
fn the_prongs_of_a_fork_keep_apart_in_the_flesh() {
    let (mesh, skeleton) = (fork(), fork_skeleton());
    let operators = Operators::of(&mesh);
    let found = biharmonic(
        &operators,
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
fn a_piece_without_handles_follows_the_nearest_and_is_named() {
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
