//! How much of each joint's (or bone's) motion every vertex follows.

/// One joint's share in one vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Influence {
    /// The column: a joint, or a bone where a method works per bone.
    pub column: u32,
    /// Its share, above 0 and at most 1.
    pub weight: f32,
}

/// Sparse rows, one per vertex. Every row is sorted by column, names no column twice, holds only
/// weights in (0, 1] and sums to one within [`Weights::SUM_TOLERANCE`]; no row is empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    columns: usize,
    offsets: Vec<u32>,
    influences: Vec<Influence>,
}

/// Why rows are not weights.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WeightsError {
    /// A row does not add up to one.
    #[error("the weights of vertex {vertex} sum to {sum}, not to 1")]
    Sum {
        /// The vertex.
        vertex: usize,
        /// What its row sums to.
        sum: f32,
    },
    /// A weight is negative, zero, above one or not a number.
    #[error("vertex {vertex} has weight {weight} for column {column}; weights lie above 0 and at most at 1")]
    OutOfRange {
        /// The vertex.
        vertex: usize,
        /// The joint or bone.
        column: u32,
        /// The weight.
        weight: f32,
    },
    /// A column that does not exist.
    #[error("vertex {vertex} names column {column}, but there are only {columns}")]
    NoSuchColumn {
        /// The vertex.
        vertex: usize,
        /// The joint or bone.
        column: u32,
        /// How many there are.
        columns: usize,
    },
    /// Columns out of order or named twice.
    #[error("the row of vertex {vertex} is not strictly sorted by column (at column {column})")]
    Unsorted {
        /// The vertex.
        vertex: usize,
        /// The offending joint or bone.
        column: u32,
    },
}

impl Weights {
    /// How far a row's sum may be from one: the rounding of a few dozen f32 additions. Larger: a rest
    /// pose visibly shrinks towards the origin. Smaller: honest rows are refused.
    pub const SUM_TOLERANCE: f32 = 1e-5;

    /// The only way to make weights: checks every row.
    ///
    /// # Errors
    /// The first row that breaks an invariant, and how.
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

    /// Every vertex follows one column wholly.
    ///
    /// # Errors
    /// When a column does not exist.
    pub fn rigid(
        columns: usize,
        column_of_vertex: impl IntoIterator<Item = u32>,
    ) -> Result<Self, WeightsError> {
        Self::new(columns, column_of_vertex.into_iter().map(|column| [Influence { column, weight: 1.0 }]))
    }

    /// How many joints or bones there are.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// How many vertices there are.
    pub fn vertices(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The influences on one vertex, sorted by column.
    pub fn row(&self, vertex: usize) -> &[Influence] {
        &self.influences[self.offsets[vertex] as usize..self.offsets[vertex + 1] as usize]
    }

    /// All rows in the order of the vertices.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[Influence]> {
        (0..self.vertices()).map(|v| self.row(v))
    }

    /// The column with the largest weight; the lowest one where several are equal.
    pub fn dominant(&self, vertex: usize) -> u32 {
        let best = |best: Influence, &i: &Influence| if i.weight > best.weight { i } else { best };
        self.row(vertex).iter().fold(Influence { column: 0, weight: 0.0 }, best).column
    }

    /// One column as a value per vertex.
    pub fn column(&self, column: u32) -> Vec<f32> {
        self.rows().map(|row| row.iter().find(|i| i.column == column).map_or(0.0, |i| i.weight)).collect()
    }

    /// The most influences on any vertex.
    pub fn max_influences(&self) -> usize {
        self.rows().map(<[_]>::len).max().unwrap_or(0)
    }

    /// The rows that `vertices` name, in that order (a welded vertex's row for each of its copies, say).
    pub fn gathered(&self, vertices: impl IntoIterator<Item = usize>) -> Self {
        let mut offsets = vec![0];
        let mut influences = Vec::new();
        for vertex in vertices {
            influences.extend_from_slice(self.row(vertex));
            offsets.push(influences.len() as u32);
        }
        Self { columns: self.columns, offsets, influences }
    }

    /// The largest distance of a row's sum from one.
    pub fn max_sum_error(&self) -> f32 {
        self.rows().map(|row| (row_sum(row) - 1.0).abs()).fold(0.0, f32::max)
    }

    /// Panics with the reason if an invariant does not hold. For tests.
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
    fn the_constructor_refuses_every_broken_row() {
        let refused = |row: &[Influence]| Weights::new(2, [row]).unwrap_err();
        assert!(matches!(refused(&[]), WeightsError::Sum { vertex: 0, .. }));
        assert!(matches!(refused(&[influence(0, 0.4)]), WeightsError::Sum { .. }));
        assert!(matches!(refused(&[influence(0, f32::NAN)]), WeightsError::OutOfRange { .. }));
        assert!(matches!(refused(&[influence(0, 1.5), influence(1, -0.5)]), WeightsError::OutOfRange { .. }));
        assert!(matches!(refused(&[influence(2, 1.0)]), WeightsError::NoSuchColumn { columns: 2, .. }));
        assert!(matches!(refused(&[influence(1, 0.5), influence(1, 0.5)]), WeightsError::Unsorted { .. }));
    }

    #[test]
    fn the_dominant_column_is_the_lowest_of_equals() {
        let weights = Weights::new(3, [[influence(1, 0.5), influence(2, 0.5)]]).unwrap();
        assert_eq!(weights.dominant(0), 1);
        assert_eq!(weights.column(2), [0.5]);
    }
}
