//! The cotangent Laplacian and the sparse solver.

use glam::{Quat, Vec3};
use pliant::model::{Mesh, Topology};
use pliant::operators::sparse::{Factor, SparseError, Symbolic, Symmetric};
use pliant::operators::{Laplacian, MeshGeometry};

use crate::fixtures::{Lcg, fixtures, grid, icosphere, mesh, placed, sample_characters, tube};

fn laplacian(of: &Mesh) -> Laplacian {
    Laplacian::of(of, &Topology::of(of))
}

fn values_of(of: &Mesh, value: impl Fn(Vec3) -> f32) -> Vec<f64> {
    of.positions().iter().map(|&p| f64::from(value(p))).collect()
}

fn area(of: &Mesh) -> f64 {
    let corners = (0..of.triangles().len()).map(|t| of.corners(t).map(|p| p.as_dvec3()));
    corners.map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length()).sum()
}

fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().map(f64::abs).fold(0.0, f64::max)
}

#[test]
fn constants_are_in_the_kernel_and_no_weight_is_negative() {
    for f in fixtures().chain(sample_characters()) {
        let laplacian = laplacian(&f.mesh);
        let stiffness = laplacian.stiffness();
        assert_eq!(stiffness.size(), f.mesh.positions().len(), "{}", f.name);
        let scale = largest(stiffness.diagonal()).max(1.0);
        let of_ones = stiffness.times(&vec![1.0; stiffness.size()]);
        assert!(largest(of_ones) <= 1e-12 * scale, "{}", f.name);
        for (row, column, value) in stiffness.entries() {
            let sign = if row == column { 1.0 } else { -1.0 };
            assert!(value.is_finite() && value * sign >= 0.0, "{}: ({row}, {column}) is {value}", f.name);
        }
    }
}

#[test]
fn masses_are_positive_and_sum_to_the_area() {
    for f in fixtures().chain(sample_characters()) {
        let (laplacian, area) = (laplacian(&f.mesh), area(&f.mesh));
        let sum: f64 = laplacian.masses().iter().sum();
        assert!((sum - area).abs() <= 1e-5 * area, "{}: masses {sum}, area {area}", f.name);
        assert!(area == 0.0 || laplacian.masses().iter().all(|&mass| mass > 0.0), "{}", f.name);
    }
}

/// A flat square, badly triangulated: inner vertices are displaced, and every diagonal is the
/// longer one.
fn ragged_square(cells: u32) -> Mesh {
    let mut rng = Lcg(3);
    let even = grid(cells, cells);
    let inside = |p: Vec3| p.x > 0.0 && p.x < 1.0 && p.y > 0.0 && p.y < 1.0;
    let positions: Vec<Vec3> = even
        .positions()
        .iter()
        .map(|&p| {
            let shift = rng.point(0.3 / cells as f32);
            if inside(p) { p + Vec3::new(shift.x, shift.y, 0.0) } else { p }
        })
        .map(|p| Vec3::new(p.x, 0.1 * p.y, 0.0))
        .collect();
    even.with_positions(positions).unwrap()
}

#[test]
fn linear_functions_are_harmonic_on_any_flat_triangulation() {
    let square = ragged_square(12);
    let laplacian = laplacian(&square);
    for value in [|p: Vec3| p.x, |p: Vec3| p.y, |p: Vec3| 3.0 * p.x - 2.0 * p.y] {
        let of_linear = laplacian.stiffness().times(&values_of(&square, value));
        let is_inside = |p: &Vec3| p.x > 0.0 && p.x < 1.0 && p.y > 0.0 && p.y < 0.1;
        let inside = square.positions().iter().zip(of_linear).filter(|(p, _)| is_inside(p));
        assert!(largest(inside.map(|(_, value)| value)) <= 1e-5);
    }
}

/// Twice the Dirichlet energy by the plain cotangent formula, which flips must not change for
/// linear functions.
#[test]
fn the_energy_of_a_unit_slope_is_the_area() {
    let sheet = grid(7, 5);
    let x = values_of(&sheet, |p| 2.0 * p.x);
    let energy: f64 = laplacian(&sheet).stiffness().times(&x).iter().zip(&x).map(|(a, b)| a * b).sum();
    assert!((energy - 4.0).abs() <= 1e-9, "{energy}");
}

#[test]
fn coordinates_are_eigenfunctions_on_a_sphere() {
    for radius in [1.0f32, 3.0] {
        let sphere = placed(&icosphere(4), Quat::IDENTITY, radius, Vec3::ZERO);
        let laplacian = laplacian(&sphere);
        let x = values_of(&sphere, |p| p.x);
        let of_x = laplacian.stiffness().times(&x);
        let expected = 2.0 / f64::from(radius).powi(2);
        for vertex in 0..x.len() {
            let wanted = expected * laplacian.masses()[vertex] * x[vertex];
            let tolerance = 0.01 * expected * laplacian.masses()[vertex] * f64::from(radius);
            assert!((of_x[vertex] - wanted).abs() <= tolerance, "vertex {vertex} at radius {radius}");
        }
    }
}

#[test]
fn stiffness_is_dimensionless_and_masses_are_areas() {
    let one = icosphere(2);
    let of_one = laplacian(&one);
    for scale in [1000.0, 0.001, 1e-9] {
        let scaled = laplacian(&placed(&one, Quat::IDENTITY, scale, Vec3::ZERO));
        for (a, b) in of_one.stiffness().entries().zip(scaled.stiffness().entries()) {
            assert_eq!((a.0, a.1), (b.0, b.1));
            assert!((a.2 - b.2).abs() <= 1e-4, "at scale {scale}: {a:?} and {b:?}");
        }
        for (a, b) in of_one.masses().iter().zip(scaled.masses()) {
            assert!((a * f64::from(scale).powi(2) / b - 1.0).abs() <= 1e-4, "at scale {scale}");
        }
    }
}

/// A tube of needles: a thousand times as long as they are wide.
#[test]
fn slivers_and_degenerate_triangles_give_finite_solvable_matrices() {
    let needles = tube(400, 1, 0.5, 800.0, true);
    let flat = [Vec3::ZERO, Vec3::X, Vec3::X * 0.5, Vec3::Y, Vec3::new(0.5, 1e-7, 0.0)];
    let collapsed = mesh(&flat, &[[0, 1, 2], [0, 2, 1], [0, 1, 3], [1, 0, 4], [4, 2, 0]]);
    let book =
        mesh(&[Vec3::ZERO, Vec3::Y, Vec3::X, Vec3::NEG_X, Vec3::Z], &[[0, 1, 2], [0, 1, 3], [0, 1, 4]]);
    for (name, of) in [("needles", needles), ("collapsed", collapsed), ("book", book)] {
        let laplacian = laplacian(&of);
        assert!(laplacian.stiffness().entries().all(|(_, _, value)| value.is_finite()), "{name}");
        let shifted = laplacian.stiffness().plus_diagonal(&vec![1e-3; of.positions().len()]);
        let mut right = vec![1e-3; of.positions().len()];
        Factor::of(&shifted).unwrap().solve(&mut right);
        assert!(largest(right.iter().map(|x| x - 1.0)) <= 1e-6, "{name}");
    }
}

#[test]
fn the_laplacian_of_rectangles_does_not_depend_on_their_diagonals() {
    let one = grid(6, 4);
    let other_way = one.triangles().chunks(2).flat_map(|pair| {
        let ([a, b, d], e) = (pair[0], pair[1][2]);
        [[a, b, e], [b, d, e]]
    });
    let other = Mesh::new(one.positions().to_vec(), other_way.collect()).unwrap();
    let x: Vec<f64> = (0..one.positions().len()).map(|v| ((v * v) % 17) as f64).collect();
    let (one, other) = (laplacian(&one), laplacian(&other));
    let apart = one.stiffness().times(&x).into_iter().zip(other.stiffness().times(&x)).map(|(a, b)| a - b);
    assert!(largest(apart) <= 1e-6);
}

#[test]
fn geometric_quantities_are_computed_once() {
    let geometry = MeshGeometry::of(&icosphere(1));
    assert!(std::ptr::eq(geometry.laplacian(), geometry.laplacian()));
}

// --- Solving -----------------------------------------------------------------------------------------

/// A random symmetric diagonally dominant matrix, sparse and dense.
fn random_matrix(size: usize, rng: &mut Lcg) -> (Symmetric, Vec<Vec<f64>>) {
    let mut full = vec![vec![0.0; size]; size];
    let mut entries = Vec::new();
    for _ in 0..4 * size {
        let (row, column) = (rng.below(size), rng.below(size));
        let value = f64::from(rng.unit()) - 0.5;
        entries.push((row as u32, column as u32, value));
        full[row][column] += value;
        if row != column {
            full[column][row] += value;
        }
    }
    for (i, row) in full.iter_mut().enumerate() {
        let shift = 1.0 + row.iter().map(|v: &f64| v.abs()).sum::<f64>();
        entries.push((i as u32, i as u32, shift));
        row[i] += shift;
    }
    (Symmetric::from_entries(size, &entries), full)
}

/// Gaussian elimination with pivoting: slow, simple, and independent of what is tested.
pub fn solve_dense(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for i in 0..size {
        let pivot = (i..size).max_by(|&a, &b| matrix[a][i].abs().total_cmp(&matrix[b][i].abs())).unwrap();
        matrix.swap(i, pivot);
        right.swap(i, pivot);
        for row in i + 1..size {
            let factor = matrix[row][i] / matrix[i][i];
            if factor != 0.0 {
                let (above, below) = matrix.split_at_mut(row);
                below[0][i..].iter_mut().zip(&above[i][i..]).for_each(|(b, a)| *b -= factor * a);
                right[row] -= factor * right[i];
            }
        }
    }
    for i in (0..size).rev() {
        let known: f64 = (i + 1..size).map(|j| matrix[i][j] * right[j]).sum();
        right[i] = (right[i] - known) / matrix[i][i];
    }
    right
}

#[test]
fn sparse_and_dense_solutions_agree() {
    let mut rng = Lcg(11);
    for size in [1, 2, 7, 40, 150] {
        let (sparse, full) = random_matrix(size, &mut rng);
        // More right-hand sides than are solved together, so that the remainder is tested.
        let rights: Vec<Vec<f64>> =
            (0..21).map(|_| (0..size).map(|_| f64::from(rng.unit()) - 0.5).collect()).collect();
        let mut solved: Vec<f64> = rights.concat();
        Factor::of(&sparse).unwrap().solve(&mut solved);
        for (right, solution) in rights.into_iter().zip(solved.chunks(size)) {
            let apart = solve_dense(full.clone(), right).into_iter().zip(solution).map(|(a, b)| a - b);
            assert!(largest(apart) <= 1e-12, "{size} unknowns");
        }
    }
}

#[test]
fn a_symbolic_factorisation_serves_only_matrices_of_its_pattern() {
    let mut rng = Lcg(5);
    let (matrix, _) = random_matrix(60, &mut rng);
    let order = Symbolic::of(&matrix).unwrap();
    let right: Vec<f64> = (0..60).map(f64::from).collect();
    for shift in [0.0, 3.0] {
        let shifted = matrix.plus_diagonal(&[shift; 60]);
        let mut solution = right.clone();
        order.factor(&shifted).unwrap().solve(&mut solution);
        let apart = shifted.times(&solution).into_iter().zip(&right).map(|(a, b)| a - b);
        assert!(largest(apart) <= 1e-10);
    }
    let (other, _) = random_matrix(60, &mut rng);
    assert_eq!(order.factor(&other).err(), Some(SparseError::OtherPattern));
}

#[test]
fn singular_and_invalid_matrices_are_errors() {
    let singular = laplacian(&icosphere(1)).stiffness().plus_diagonal(&[-1e-3; 42]);
    assert_eq!(Factor::of(&singular).err(), Some(SparseError::NotPositiveDefinite));
    let broken = Symmetric::from_entries(2, &[(1, 0, f64::NAN)]);
    assert_eq!(Factor::of(&broken).err(), Some(SparseError::NotFinite { row: 1, column: 0 }));
    Factor::of(&Symmetric::from_entries(0, &[])).unwrap().solve(&mut []);
}
