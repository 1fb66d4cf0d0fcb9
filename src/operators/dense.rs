//! Small dense systems, solved by Cholesky factorisation.

use glam::DVec3;

/// The Cholesky factor of a symmetric positive definite matrix.
#[derive(Clone, Debug, Default)]
pub struct DenseFactor {
    size: usize,
    /// The lower triangle by rows, the upper one unused.
    lower: Vec<f64>,
}

impl DenseFactor {
    /// Factorises `matrix` (size × size, by rows; only the lower triangle is read). Returns false
    /// if it is not positive definite.
    ///
    /// # Panics
    /// If it is not square.
    #[must_use]
    pub fn factor(&mut self, matrix: &[f64], size: usize) -> bool {
        assert_eq!(matrix.len(), size * size, "the matrix is square");
        self.size = size;
        self.lower.clear();
        self.lower.extend_from_slice(matrix);
        for row in 0..size {
            let (above, rest) = self.lower.split_at_mut(row * size);
            let own = &mut rest[..size];
            for column in 0..row {
                let other = &above[column * size..column * size + column + 1];
                let sum: f64 = own[..column].iter().zip(other).map(|(a, b)| a * b).sum();
                own[column] = (own[column] - sum) / other[column];
            }
            let square = own[row] - own[..row].iter().map(|a| a * a).sum::<f64>();
            if square.is_nan() || square <= 0.0 {
                return false;
            }
            own[row] = square.sqrt();
        }
        true
    }

    /// Replaces a right-hand side by its solution.
    pub fn solve(&self, right: &mut [f64]) {
        let size = self.size;
        for row in 0..size {
            let own = &self.lower[row * size..row * size + row + 1];
            let sum: f64 = own[..row].iter().zip(&*right).map(|(a, b)| a * b).sum();
            right[row] = (right[row] - sum) / own[row];
        }
        for row in (0..size).rev() {
            right[row] /= self.lower[row * size + row];
            let known = right[row];
            let own = &self.lower[row * size..row * size + row];
            right[..row].iter_mut().zip(own).for_each(|(b, a)| *b -= a * known);
        }
    }

    /// Replaces three right-hand sides, stored as vectors, by their solutions. This takes the time
    /// of one, because the latency of additions is the limit.
    pub fn solve_vectors(&self, right: &mut [DVec3]) {
        let size = self.size;
        for row in 0..size {
            let own = &self.lower[row * size..row * size + row + 1];
            let sum: DVec3 = own[..row].iter().zip(&*right).map(|(a, b)| *b * *a).sum();
            right[row] = (right[row] - sum) / own[row];
        }
        for row in (0..size).rev() {
            right[row] /= self.lower[row * size + row];
            let known = right[row];
            let own = &self.lower[row * size..row * size + row];
            right[..row].iter_mut().zip(own).for_each(|(b, a)| *b -= known * *a);
        }
    }
}
