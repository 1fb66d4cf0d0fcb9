//! A symmetric matrix stored by full rows, for products and for extracting submatrices.

use super::SampleConstraint;
use crate::math::{key_of, sort_by_keys};
use crate::operators::sparse::Symmetric;

/// Smallest mass of an unknown, as a fraction of the mean. Larger: corners of slivers have too much
/// weight. Smaller: their large entries make everything else inaccurate.
const MIN_MASS: f64 = 1e-4;

/// Stiffness of the spring of a sample constraint, relative to the unknowns around it. Larger:
/// inaccurate by rounding. Smaller: the constraint is violated by about one over this.
const SAMPLE_STIFFNESS: f64 = 1e5;

/// A symmetric matrix with all rows stored completely, columns ascending. Twice the memory of
/// [`Symmetric`], but a row can be read without searching for its mirror images.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Quadratic {
    starts: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f64>,
    diagonal: Vec<f64>,
}

impl Quadratic {
    /// Converts `matrix`.
    pub fn of(matrix: &Symmetric) -> Self {
        let size = matrix.size();
        let mut starts = vec![0u32; size + 1];
        for (row, column, _) in matrix.entries() {
            starts[row + 1] += 1;
            if row != column {
                starts[column + 1] += 1;
            }
        }
        for i in 0..size {
            starts[i + 1] += starts[i];
        }
        let mut ends = starts.clone();
        let mut columns = vec![0; starts[size] as usize];
        let mut values = vec![0.0; starts[size] as usize];
        let mut push = |row: usize, column: usize, value: f64| {
            let end = &mut ends[row];
            columns[*end as usize] = column as u32;
            values[*end as usize] = value;
            *end += 1;
        };
        // Columns come in ascending order: entries left of the diagonal come from earlier columns.
        for (row, column, value) in matrix.entries() {
            push(row, column, value);
            if row != column {
                push(column, row, value);
            }
        }
        let diagonal = matrix.diagonal().collect();
        Self { starts, columns, values, diagonal }
    }

    /// `L M⁻¹ L`, the discrete `∫ (Δx)²`, from stiffness and lumped masses. Masses are in units of
    /// their mean, so that the result is dimensionless if the stiffness is.
    ///
    /// # Panics
    /// If there are more or fewer masses than rows.
    pub fn bilaplacian(stiffness: &Symmetric, masses: &[f64]) -> Self {
        let laplacian = Self::of(stiffness);
        let size = laplacian.size();
        assert_eq!(masses.len(), size, "one mass per row");
        let mean = masses.iter().sum::<f64>() / size.max(1) as f64;
        // Without any mass (needles, isolated vertices) all count alike.
        let relative = |mass: f64| if mean > 0.0 { (mass / mean).max(MIN_MASS) } else { 1.0 };
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        let mut diagonal = Vec::with_capacity(size);
        let mut sums = vec![0.0; size];
        let mut seen = vec![u32::MAX; size];
        let mut touched = Vec::new();
        for row in 0..size {
            touched.clear();
            for (middle, a) in laplacian.row(row) {
                let weight = a / relative(masses[middle]);
                for (column, b) in laplacian.row(middle) {
                    if seen[column] != row as u32 {
                        seen[column] = row as u32;
                        sums[column] = 0.0;
                        touched.push(column as u32);
                    }
                    sums[column] += weight * b;
                }
            }
            touched.sort_unstable();
            columns.extend_from_slice(&touched);
            values.extend(touched.iter().map(|&column| sums[column as usize]));
            starts.push(columns.len() as u32);
            diagonal.push(if seen[row] == row as u32 { sums[row] } else { 0.0 });
        }
        Self { starts, columns, values, diagonal }
    }

    /// Adds the energy of the springs of sample constraints, and returns their stiffnesses as well.
    /// [`Self::diagonal`] stays the diagonal without springs: it scales forces to displacements.
    pub(super) fn with_samples(self, samples: &[SampleConstraint]) -> (Self, Vec<f64>) {
        let stiff = |sample: &SampleConstraint| {
            let of_pin = sample.at.iter().map(|&(i, weight)| weight * self.diagonal[i as usize]);
            SAMPLE_STIFFNESS * of_pin.sum::<f64>()
        };
        let stiffnesses: Vec<f64> = samples.iter().map(stiff).collect();
        let mut added: Vec<(u32, u32, f64)> = Vec::new();
        for (sample, spring_stiffness) in samples.iter().zip(&stiffnesses) {
            for &(i, a) in &sample.at {
                added.extend(sample.at.iter().map(|&(j, b)| (i, j, spring_stiffness * a * b)));
            }
        }
        if added.is_empty() {
            return (self, stiffnesses);
        }
        sort_by_keys(&mut added, |&(i, j, _)| key_of(i, j));
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        let mut added = added.into_iter().peekable();
        for row in 0..self.size() {
            let mut own = self.row(row).peekable();
            loop {
                let next = added.peek().filter(|entry| entry.0 as usize == row).map(|entry| entry.1);
                let Some(column) = own.peek().map(|entry| entry.0 as u32).into_iter().chain(next).min()
                else {
                    break;
                };
                let mut value = own.next_if(|entry| entry.0 as u32 == column).map_or(0.0, |entry| entry.1);
                while let Some(entry) = added.next_if(|entry| entry.0 as usize == row && entry.1 == column) {
                    value += entry.2;
                }
                columns.push(column);
                values.push(value);
            }
            starts.push(columns.len() as u32);
        }
        (Self { starts, columns, values, diagonal: self.diagonal }, stiffnesses)
    }

    /// The matrix with permuted unknowns: `order` lists the old indices in the new order.
    pub(super) fn reordered(&self, order: &[u32]) -> Self {
        let index = super::inverse(order);
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        let mut entries: Vec<(u32, f64)> = Vec::new();
        for &old in order {
            entries.clear();
            entries.extend(self.row(old as usize).map(|(column, value)| (index[column], value)));
            sort_by_keys(&mut entries, |&(column, _)| column.into());
            columns.extend(entries.iter().map(|entry| entry.0));
            values.extend(entries.iter().map(|entry| entry.1));
            starts.push(columns.len() as u32);
        }
        let diagonal = order.iter().map(|&old| self.diagonal[old as usize]).collect();
        Self { starts, columns, values, diagonal }
    }

    /// Number of rows.
    pub fn size(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// One row as (column, value), columns ascending.
    #[inline]
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.starts[row] as usize..self.starts[row + 1] as usize;
        let columns = &self.columns[range.clone()];
        columns.iter().zip(&self.values[range]).map(|(&column, &value)| (column as usize, value))
    }

    /// The entry on the diagonal.
    #[inline]
    pub fn diagonal(&self, row: usize) -> f64 {
        self.diagonal[row]
    }

    /// One entry.
    pub(super) fn entry(&self, row: u32, column: u32) -> f64 {
        let range = self.starts[row as usize] as usize..self.starts[row as usize + 1] as usize;
        self.columns[range.clone()].binary_search(&column).map_or(0.0, |at| self.values[range.start + at])
    }

    /// One entry of the product with a vector.
    #[inline]
    pub fn row_times(&self, row: usize, vector: &[f64]) -> f64 {
        self.row(row).map(|(column, value)| value * vector[column]).sum()
    }

    /// The submatrix of the rows and columns in `keep`, which is ascending. `index` is the index of
    /// each unknown in `keep`, or `u32::MAX`.
    pub(super) fn submatrix(&self, keep: &[u32], index: &[u32]) -> Symmetric {
        let column = |&of: &u32| {
            let below = self.row(of as usize).filter(move |&(row, _)| row >= of as usize);
            below.filter(|&(row, _)| index[row] != u32::MAX).map(|(row, value)| (index[row], value))
        };
        Symmetric::from_columns(keep.iter().map(column))
    }
}
