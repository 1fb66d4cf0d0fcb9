//! Symmetric sparse matrices and their Cholesky factorisation.
//!
//! In: a [`Symmetric`] matrix that is positive definite. Out: a [`Factor`] that solves for any
//! number of right-hand sides, in f64 and on one thread. Method: Cholesky factorisation, supernodal
//! where the factor is dense enough, after reordering by approximate minimum degree (Amestoy,
//! Davis, Duff 1996). Cost, for the Laplacian of a surface with n vertices: about n log n entries
//! in the factor and n^1.5 multiplications to compute it. A solve reads the factor twice, for any
//! number of right-hand sides.
//!
//! The elimination order depends on the sparsity pattern only, not on the values. [`Symbolic`] is
//! computed once and serves every matrix of the same pattern.

use pliant_cholesky::{CholeskyError, Order, Pattern};

use crate::math::sort_by_keys;

/// Why a matrix cannot be factorised.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SparseError {
    /// An entry is NaN or infinite.
    #[error("the entry in row {row}, column {column} is not a number")]
    NotFinite {
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
    },
    /// A pivot is not positive, so the matrix is singular or indefinite.
    #[error("the matrix is not positive definite")]
    NotPositiveDefinite,
    /// The matrix has another sparsity pattern than the symbolic factorisation.
    #[error("the matrix has another pattern of entries than the order was made for")]
    OtherPattern,
    /// The factor does not fit into memory.
    #[error("there is not enough memory to solve for {unknowns} unknowns")]
    TooLarge {
        /// Rows of the matrix.
        unknowns: usize,
    },
}

/// A symmetric matrix. The lower triangle is stored column by column, rows ascending. Every
/// diagonal entry is stored, even if it is zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Symmetric {
    /// Start of each column, and the end of the last: size + 1.
    starts: Vec<u32>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

impl Symmetric {
    /// A matrix of `size` × `size` from (row, column, value) entries. An entry also stands for its
    /// mirror image, so each pair is given once, in either order. Repeated entries are summed.
    ///
    /// # Panics
    /// If an entry lies outside.
    pub fn from_entries(size: usize, entries: &[(u32, u32, f64)]) -> Self {
        let diagonal = (0..size as u32).map(|i| (i, i, 0.0));
        let all = || diagonal.clone().chain(entries.iter().map(|&(r, c, v)| (r.max(c), r.min(c), v)));
        let mut ends = vec![0u32; size + 1];
        for (row, column, _) in all() {
            assert!((row as usize) < size, "an entry lies outside the matrix");
            ends[column as usize + 1] += 1;
        }
        for i in 0..size {
            ends[i + 1] += ends[i];
        }
        let offsets = ends.clone();
        let mut unsorted = vec![(0u32, 0.0f64); ends[size] as usize];
        for (row, column, value) in all() {
            let end = &mut ends[column as usize];
            unsorted[*end as usize] = (row, value);
            *end += 1;
        }
        let mut matrix = Self { starts: vec![0], rows: Vec::new(), values: Vec::new() };
        for column in offsets.windows(2) {
            let column = &mut unsorted[column[0] as usize..column[1] as usize];
            // Stable: repeated entries are summed in the order they came.
            sort_by_keys(column, |&(row, _)| row.into());
            for same in column.chunk_by(|a, b| a.0 == b.0) {
                matrix.rows.push(same[0].0);
                matrix.values.push(same.iter().map(|&(_, value)| value).sum());
            }
            matrix.starts.push(matrix.rows.len() as u32);
        }
        matrix
    }

    /// A matrix from its columns, each as (row, value) from the diagonal downwards, rows ascending.
    ///
    /// # Panics
    /// If a column does not begin with its diagonal.
    pub fn from_columns<C: Iterator<Item = (u32, f64)>>(columns: impl Iterator<Item = C>) -> Self {
        let mut matrix = Self { starts: vec![0], rows: Vec::new(), values: Vec::new() };
        for (index, column) in columns.enumerate() {
            let start = matrix.rows.len();
            for (row, value) in column {
                matrix.rows.push(row);
                matrix.values.push(value);
            }
            assert_eq!(matrix.rows.get(start), Some(&(index as u32)), "a column begins with its diagonal");
            matrix.starts.push(matrix.rows.len() as u32);
        }
        matrix
    }

    /// Number of rows and columns.
    pub fn size(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The entries of one column on and below the diagonal, as (row, value); the diagonal entry
    /// comes first.
    pub fn column(&self, column: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.starts[column] as usize..self.starts[column + 1] as usize;
        self.rows[range.clone()].iter().zip(&self.values[range]).map(|(&row, &value)| (row as usize, value))
    }

    /// All entries on and below the diagonal, as (row, column, value).
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        (0..self.size()).flat_map(|column| self.column(column).map(move |(row, value)| (row, column, value)))
    }

    /// The diagonal entries.
    pub fn diagonal(&self) -> impl Iterator<Item = f64> + '_ {
        self.starts.iter().take(self.size()).map(|&start| self.values[start as usize])
    }

    /// The same matrix with `addends` (one per row) added to its diagonal. The pattern does not
    /// change.
    ///
    /// # Panics
    /// If there are more or fewer addends than rows.
    pub fn plus_diagonal(&self, addends: &[f64]) -> Self {
        assert_eq!(addends.len(), self.size(), "one addend per row");
        let mut sum = self.clone();
        for (&start, addend) in self.starts.iter().zip(addends) {
            sum.values[start as usize] += addend;
        }
        sum
    }

    /// The matrix with permuted unknowns: `order` lists the old indices in the new order.
    ///
    /// # Panics
    /// If `order` does not name each of them once.
    pub fn reordered(&self, order: &[u32]) -> Self {
        let mut index = vec![u32::MAX; self.size()];
        order.iter().enumerate().for_each(|(new, &old)| index[old as usize] = new as u32);
        let entries: Vec<(u32, u32, f64)> =
            self.entries().map(|(row, column, value)| (index[row], index[column], value)).collect();
        Self::from_entries(self.size(), &entries)
    }

    /// The product with a vector.
    ///
    /// # Panics
    /// If the vector has another length.
    pub fn times(&self, vector: &[f64]) -> Vec<f64> {
        assert_eq!(vector.len(), self.size(), "one number per column");
        let mut product = vec![0.0; vector.len()];
        for (row, column, value) in self.entries() {
            product[row] += value * vector[column];
            if row != column {
                product[column] += value * vector[row];
            }
        }
        product
    }

    fn check(&self) -> Result<(), SparseError> {
        match self.entries().find(|(_, _, value)| !value.is_finite()) {
            Some((row, column, _)) => Err(SparseError::NotFinite { row, column }),
            None => Ok(()),
        }
    }

    fn pattern(&self) -> Pattern<'_> {
        Pattern { starts: &self.starts, rows: &self.rows }
    }

    /// The error for callers, who know nothing of the library that factorises.
    fn failed(&self, error: CholeskyError) -> SparseError {
        match error {
            CholeskyError::NotPositiveDefinite => SparseError::NotPositiveDefinite,
            CholeskyError::TooLarge => SparseError::TooLarge { unknowns: self.size() },
        }
    }
}

/// The symbolic factorisation: the elimination order and the pattern of the factor.
#[derive(Clone, Debug)]
pub struct Symbolic {
    symbolic: pliant_cholesky::Symbolic,
    /// Column starts of the matrix it was made for.
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl Symbolic {
    /// Analyses the pattern of `matrix`.
    ///
    /// # Errors
    /// If the factor is too large to be addressed.
    pub fn of(matrix: &Symmetric) -> Result<Self, SparseError> {
        Self::ordered(matrix, Order::MinimumDegree)
    }

    /// Same as [`Symbolic::of`], but keeps the order of the unknowns.
    ///
    /// # Errors
    /// If the factor is too large to be addressed.
    pub fn in_order(matrix: &Symmetric) -> Result<Self, SparseError> {
        Self::ordered(matrix, Order::Kept)
    }

    fn ordered(matrix: &Symmetric, order: Order) -> Result<Self, SparseError> {
        let symbolic = pliant_cholesky::Symbolic::of(matrix.pattern(), order);
        let symbolic = symbolic.map_err(|error| matrix.failed(error))?;
        Ok(Self { symbolic, starts: matrix.starts.clone(), rows: matrix.rows.clone() })
    }

    /// Factorises a matrix of the same pattern.
    ///
    /// # Errors
    /// If an entry is not finite, the matrix not positive definite, its pattern another, or
    /// memory short.
    pub fn factor(&self, matrix: &Symmetric) -> Result<Factor, SparseError> {
        if self.starts != matrix.starts || self.rows != matrix.rows {
            return Err(SparseError::OtherPattern);
        }
        matrix.check()?;
        let factor = self.symbolic.factor(matrix.pattern(), &matrix.values);
        factor.map(Factor).map_err(|error| matrix.failed(error))
    }
}

/// The Cholesky factor of a matrix.
#[derive(Clone, Debug)]
pub struct Factor(pliant_cholesky::Factor);

impl Factor {
    /// Computes the symbolic and the numeric factorisation.
    ///
    /// # Errors
    /// As [`Symbolic::factor`].
    pub fn of(matrix: &Symmetric) -> Result<Self, SparseError> {
        Symbolic::of(matrix)?.factor(matrix)
    }

    /// Number of entries of the factor.
    pub fn entry_count(&self) -> usize {
        self.0.entry_count()
    }

    /// Number of unknowns.
    pub fn size(&self) -> usize {
        self.0.size()
    }

    /// Replaces right-hand sides, one after the other in `rights` (k × size), by their solutions.
    ///
    /// # Panics
    /// If the length of `rights` is no multiple of the size.
    pub fn solve(&self, rights: &mut [f64]) {
        self.0.solve(rights);
    }
}
