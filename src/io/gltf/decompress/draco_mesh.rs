//! The result of a Draco decoder, split into indices and attributes.

use std::borrow::Cow;

use super::super::accessor::Component;
use super::parts::DracoAttribute;

/// Component types of indices and of weights.
pub(super) const U16: u32 = 5123;
pub(super) const U32: u32 = 5125;
const F32: u32 = 5126;

/// The result of a Draco decoder.
pub(super) struct DecodedMesh<'a> {
    pub vertex_count: usize,
    /// 32-bit indices.
    pub indices: &'a [u8],
    /// The values of each attribute.
    pub values: Vec<Cow<'a, [u8]>>,
}

impl<'a> DecodedMesh<'a> {
    /// Splits the bytes. `None` if there are too few or too many.
    pub fn new(decoded: &'a [u8], attributes: &[DracoAttribute]) -> Option<Self> {
        let (vertex_count, rest) = decoded.split_first_chunk::<4>()?;
        let (index_count, rest) = rest.split_first_chunk::<4>()?;
        let vertex_count = usize::try_from(u32::from_le_bytes(*vertex_count)).ok()?;
        let index_count = usize::try_from(u32::from_le_bytes(*index_count)).ok()?;
        let (indices, mut rest) = rest.split_at_checked(index_count.checked_mul(4)?)?;
        let mut values = Vec::new();
        for attribute in attributes {
            let size = attribute.components * Component::new(attribute.component_type, "").ok()?.size();
            let (bytes, after) = rest.split_at_checked(vertex_count.checked_mul(size)?)?;
            values.push(Cow::Borrowed(bytes));
            rest = after;
        }
        rest.is_empty().then_some(Self { vertex_count, indices, values })
    }

    /// The indices in 16 or 32 bits.
    pub fn index_bytes(&self, component_type: u32) -> Vec<u8> {
        if component_type == U32 {
            return self.indices.to_vec();
        }
        self.indices.as_chunks::<4>().0.iter().flat_map(|&[a, b, _, _]| [a, b]).collect()
    }

    /// Divides the weights of each vertex by their sum, because Draco quantises each one alone and
    /// the sum must be one. Only weights that are floats are changed.
    pub fn normalize_weights(&mut self, attributes: &[DracoAttribute], is_weights: &[bool]) {
        let sets: Vec<usize> = (0..self.values.len())
            .filter(|&set| is_weights.get(set) == Some(&true) && attributes[set].component_type == F32)
            .collect();
        let float = |bytes: &[u8; 4]| f64::from(f32::from_le_bytes(*bytes));
        let mut sums = vec![0.0; self.vertex_count];
        for &set in &sets {
            let rows = self.values[set].chunks_exact(4 * attributes[set].components.max(1));
            for (sum, row) in sums.iter_mut().zip(rows) {
                *sum += row.as_chunks::<4>().0.iter().map(float).sum::<f64>();
            }
        }
        for &set in &sets {
            let rows = self.values[set].to_mut().chunks_exact_mut(4 * attributes[set].components.max(1));
            for (&sum, row) in sums.iter().zip(rows).filter(|(sum, _)| sum.is_finite() && **sum > 0.0) {
                for weight in row.as_chunks_mut::<4>().0 {
                    *weight = ((float(weight) / sum) as f32).to_le_bytes();
                }
            }
        }
    }
}
