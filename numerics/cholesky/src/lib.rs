//! Cholesky factorisation of sparse symmetric matrices, in f64 and on one thread. The only crate
//! that uses `faer`.
//!
//! In: the lower triangle of a positive definite matrix, by columns. Out: a [`Factor`] that solves
//! for any number of right-hand sides. Method: supernodal where the factor is dense enough, after
//! reordering by approximate minimum degree (Amestoy, Davis, Duff 1996) if that is asked for.
//!
//! This is a crate of its own because generic functions are compiled where they are used, with the
//! options of that crate. The solver module is optimised for size, and this crate for speed.

use std::sync::Arc;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::perm::PermRef;
use faer::sparse::linalg::cholesky::{
    LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side, Spec};

/// Number of right-hand sides solved together. Larger: they leave the cache between two blocks of
/// the factor. Smaller: the factor is read from memory more often.
const BLOCK: usize = 16;

/// Why a matrix cannot be factorised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CholeskyError {
    /// A pivot is not positive.
    NotPositiveDefinite,
    /// The factor does not fit into memory.
    TooLarge,
}

/// The entries of a symmetric matrix on and below its diagonal, column by column, rows ascending.
#[derive(Clone, Copy, Debug)]
pub struct Pattern<'a> {
    /// Start of each column in `rows`, and the end of the last: size + 1.
    pub starts: &'a [u32],
    /// The rows of the entries.
    pub rows: &'a [u32],
}

impl<'a> Pattern<'a> {
    fn size(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    fn checked(&self) -> SymbolicSparseColMatRef<'a, u32> {
        SymbolicSparseColMatRef::new_checked(self.size(), self.size(), self.starts, None, self.rows)
    }
}

/// The order in which unknowns are eliminated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// By approximate minimum degree.
    MinimumDegree,
    /// As they are.
    Kept,
}

/// The symbolic factorisation: the elimination order and the pattern of the factor.
#[derive(Clone, Debug)]
pub struct Symbolic(Arc<SymbolicCholesky<u32>>);

impl Symbolic {
    /// Analyses a pattern.
    ///
    /// # Errors
    /// If the factor is too large to be addressed.
    ///
    /// # Panics
    /// If the pattern is not one of a square matrix.
    pub fn of(pattern: Pattern<'_>, order: Order) -> Result<Self, CholeskyError> {
        let indices: Vec<u32> = (0..pattern.size() as u32).collect();
        let order = match order {
            Order::MinimumDegree => SymmetricOrdering::Amd,
            Order::Kept => SymmetricOrdering::Custom(PermRef::new_checked(&indices, &indices, indices.len())),
        };
        factorize_symbolic_cholesky(pattern.checked(), Side::Lower, order, Default::default())
            .map(|symbolic| Self(Arc::new(symbolic)))
            .map_err(|_| CholeskyError::TooLarge)
    }

    /// Factorises a matrix of the same pattern. Its entries must be finite.
    ///
    /// # Errors
    /// If the matrix is not positive definite, or memory short.
    ///
    /// # Panics
    /// If the pattern is another one.
    pub fn factor(&self, pattern: Pattern<'_>, entries: &[f64]) -> Result<Factor, CholeskyError> {
        let symbolic = &self.0;
        let mut values = Vec::new();
        values.try_reserve_exact(symbolic.len_val()).map_err(|_| CholeskyError::TooLarge)?;
        values.resize(symbolic.len_val(), 0.0);
        let scratch = symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Spec::default());
        let mut memory = MemBuffer::try_new(scratch).map_err(|_| CholeskyError::TooLarge)?;
        let outcome = symbolic.factorize_numeric_llt::<f64>(
            &mut values,
            SparseColMatRef::new(pattern.checked(), entries),
            Side::Lower,
            LltRegularization::default(),
            Par::Seq,
            MemStack::new(&mut memory),
            Spec::default(),
        );
        // The only remaining error is a pivot that is not positive.
        outcome.map_err(|_| CholeskyError::NotPositiveDefinite)?;
        Ok(Factor { symbolic: symbolic.clone(), values })
    }
}

/// The Cholesky factor of a matrix.
#[derive(Clone, Debug)]
pub struct Factor {
    symbolic: Arc<SymbolicCholesky<u32>>,
    values: Vec<f64>,
}

impl Factor {
    /// Number of entries of the factor.
    pub fn entry_count(&self) -> usize {
        self.values.len()
    }

    /// Number of unknowns.
    pub fn size(&self) -> usize {
        self.symbolic.nrows()
    }

    /// Replaces right-hand sides, one after the other in `rights` (k × size), by their solutions.
    ///
    /// # Panics
    /// If the length of `rights` is no multiple of the size.
    pub fn solve(&self, rights: &mut [f64]) {
        let size = self.size();
        if size == 0 {
            assert!(rights.is_empty(), "there are no unknowns");
            return;
        }
        assert_eq!(rights.len() % size, 0, "whole right hand sides only");
        let most = (rights.len() / size).min(BLOCK);
        let mut memory = MemBuffer::new(self.symbolic.solve_in_place_scratch::<f64>(most, Par::Seq));
        let factor = LltRef::new(&self.symbolic, &self.values);
        for some in rights.chunks_mut(size * BLOCK) {
            let columns = some.len() / size;
            factor.solve_in_place_with_conj(
                Conj::No,
                MatMut::from_column_major_slice_mut(some, size, columns),
                Par::Seq,
                MemStack::new(&mut memory),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain of springs, fixed at its first end.
    const CHAIN: Pattern<'_> = Pattern { starts: &[0, 2, 4, 5], rows: &[0, 1, 1, 2, 2] };

    #[test]
    fn either_order_solves_every_right_hand_side() {
        for order in [Order::MinimumDegree, Order::Kept] {
            let symbolic = Symbolic::of(CHAIN, order).unwrap();
            let factor = symbolic.factor(CHAIN, &[2.0, -1.0, 2.0, -1.0, 1.0]).unwrap();
            assert_eq!(factor.size(), 3);
            // The second right-hand side pulls at the free end.
            let mut rights = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
            factor.solve(&mut rights);
            for (found, expected) in rights.iter().zip([1.0, 1.0, 1.0, 1.0, 2.0, 3.0]) {
                assert!((found - expected).abs() < 1e-12, "{order:?}: {rights:?}");
            }
        }
    }

    #[test]
    fn an_indefinite_matrix_is_refused() {
        let symbolic = Symbolic::of(CHAIN, Order::Kept).unwrap();
        let outcome = symbolic.factor(CHAIN, &[2.0, -1.0, -2.0, -1.0, 1.0]);
        assert_eq!(outcome.err(), Some(CholeskyError::NotPositiveDefinite));
    }
}
