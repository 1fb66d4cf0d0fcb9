//! Skinning weights: sparse rows of influences per vertex.

/// The weight of one joint on one vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Influence {
    /// The column: a joint, or a bone in methods that work per bone.
    pub column: u32,
    /// In (0, 1].
    pub weight: f32,
}

/// Sparse rows, one per vertex. Every row is sorted by column, has no repeated column, contains
/// only weights in (0, 1] and sums to one within [`Weights::SUM_TOLERANCE`]. No row is empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    columns: usize,
    offsets: Vec<u32>,
    influences: Vec<Influence>,
}

/// Why rows are not valid weights.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WeightsError {
    /// A row does not sum to one.
    #[error("the weights of vertex {vertex} sum to {sum}, not to 1")]
    Sum {
        /// The vertex.
        vertex: usize,
        /// The sum of its row.
        sum: f32,
    },
    /// A weight is negative, zero, above one or not a number.
    #[error("vertex {vertex} has weight {weight} for column {column}; weights must be in (0, 1]")]
    OutOfRange {
        /// The vertex.
        vertex: usize,
        /// The joint or bone.
        column: u32,
        /// The weight.
        weight: f32,
    },
    /// A column that does not exist.
    #[error("vertex {vertex} refers to column {column}, but there are only {columns}")]
    NoSuchColumn {
        /// The vertex.
        vertex: usize,
        /// The joint or bone.
        column: u32,
        /// The number of columns.
        columns: usize,
    },
    /// Columns that are not sorted or repeated.
    #[error("the row of vertex {vertex} is not strictly sorted by column (at column {column})")]
    Unsorted {
        /// The vertex.
        vertex: usize,
        /// The joint or bone.
        column: u32,
    },
}

impl Weights {
    /// Largest deviation of the sum of a row from one: the rounding of a few dozen f32 additions.
    /// If larger, the rest pose visibly shrinks towards the origin. If smaller, valid rows are
    /// rejected.
    pub const SUM_TOLERANCE: f32 = 1e-5;

    /// Checks every row and builds the weights. There is no other constructor.
    ///
    /// # Errors
    /// The first row that violates an invariant, and how.
    pub fn new<R: AsRef<[Influence]>>(
        columns: usize,
        rows: impl IntoIterator<Item = R>,
    ) -> Result<Self, WeightsError> {
        let mut offsets = vec![0];
        let mut influences = Vec::new();
        for (vertex, row) in rows.into_iter().enumerate() {
            let row = row.as_ref();
            check_row(columns, vertex, row)?;
            influences.extend_from_slice(row);
            offsets.push(influences.len() as u32);
        }
        Ok(Self { columns, offsets, influences })
    }

    /// Weights of 1 on one column per vertex.
    ///
    /// # Errors
    /// If a column does not exist.
    pub fn rigid(
        columns: usize,
        column_of_vertex: impl IntoIterator<Item = u32>,
    ) -> Result<Self, WeightsError> {
        Self::new(columns, column_of_vertex.into_iter().map(|column| [Influence { column, weight: 1.0 }]))
    }

    /// The number of joints or bones.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The number of vertices.
    pub fn vertices(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The influences on one vertex, sorted by column.
    #[inline]
    pub fn row(&self, vertex: usize) -> &[Influence] {
        &self.influences[self.offsets[vertex] as usize..self.offsets[vertex + 1] as usize]
    }

    /// All rows, in the order of vertices.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[Influence]> {
        (0..self.vertices()).map(|v| self.row(v))
    }

    /// The column with the largest weight; the lowest of several.
    pub fn dominant(&self, vertex: usize) -> u32 {
        let best = |best: Influence, &i: &Influence| if i.weight > best.weight { i } else { best };
        self.row(vertex).iter().fold(Influence { column: 0, weight: 0.0 }, best).column
    }

    /// One column as a value per vertex.
    pub fn column(&self, column: u32) -> Vec<f32> {
        self.rows().map(|row| row.iter().find(|i| i.column == column).map_or(0.0, |i| i.weight)).collect()
    }

    /// The largest number of influences of a vertex.
    pub fn max_influences(&self) -> usize {
        self.rows().map(<[_]>::len).max().unwrap_or(0)
    }

    /// The rows of `vertices`, in that order (for example the row of a solve vertex for each of its
    /// render vertices).
    pub fn gathered(&self, vertices: impl IntoIterator<Item = usize>) -> Self {
        let mut offsets = vec![0];
        let mut influences = Vec::new();
        for vertex in vertices {
            influences.extend_from_slice(self.row(vertex));
            offsets.push(influences.len() as u32);
        }
        Self { columns: self.columns, offsets, influences }
    }

    /// The largest deviation of the sum of a row from one.
    pub fn max_sum_error(&self) -> f32 {
        self.rows().map(|row| (row_sum(row) - 1.0).abs()).fold(0.0, f32::max)
    }

    /// Panics with the reason if an invariant is violated. For tests.
    pub fn assert_well_formed(&self) {
        if let Err(error) = Self::new(self.columns, self.rows()) {
            panic!("{error}");
        }
    }
}

fn row_sum(row: &[Influence]) -> f32 {
    row.iter().map(|i| f64::from(i.weight)).sum::<f64>() as f32
}

fn check_row(columns: usize, vertex: usize, row: &[Influence]) -> Result<(), WeightsError> {
    for (i, &Influence { column, weight }) in row.iter().enumerate() {
        if column as usize >= columns {
            return Err(WeightsError::NoSuchColumn { vertex, column, columns });
        }
        if !(weight > 0.0 && weight <= 1.0) {
            return Err(WeightsError::OutOfRange { vertex, column, weight });
        }
        if i > 0 && row[i - 1].column >= column {
            return Err(WeightsError::Unsorted { vertex, column });
        }
    }
    let sum = row_sum(row);
    if (sum - 1.0).abs() <= Weights::SUM_TOLERANCE { Ok(()) } else { Err(WeightsError::Sum { vertex, sum }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn influence(column: u32, weight: f32) -> Influence {
        Influence { column, weight }
    }

    #[test]
    fn the_constructor_rejects_every_invalid_row() {
        let error_of = |row: &[Influence]| Weights::new(2, [row]).unwrap_err();
        assert!(matches!(error_of(&[]), WeightsError::Sum { vertex: 0, .. }));
        assert!(matches!(error_of(&[influence(0, 0.4)]), WeightsError::Sum { .. }));
        assert!(matches!(error_of(&[influence(0, f32::NAN)]), WeightsError::OutOfRange { .. }));
        assert!(matches!(
            error_of(&[influence(0, 1.5), influence(1, -0.5)]),
            WeightsError::OutOfRange { .. }
        ));
        assert!(matches!(error_of(&[influence(2, 1.0)]), WeightsError::NoSuchColumn { columns: 2, .. }));
        assert!(matches!(error_of(&[influence(1, 0.5), influence(1, 0.5)]), WeightsError::Unsorted { .. }));
    }

    #[test]
    fn the_dominant_column_is_the_lowest_of_equals() {
        let weights = Weights::new(3, [[influence(1, 0.5), influence(2, 0.5)]]).unwrap();
        assert_eq!(weights.dominant(0), 1);
        assert_eq!(weights.column(2), [0.5]);
    }
}
