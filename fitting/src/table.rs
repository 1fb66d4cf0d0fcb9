//! The learned numbers, as they are stored: a small whole number per weight, one scale per row.

use crate::cascade::{Cascade, Step};
use crate::network::{Layer, Network};
use crate::patch::Radii;

/// The first bytes of a table. The last digit is the version of the layout.
const SIGNATURE: [u8; 8] = *b"PLIANTF3";

/// Weights are stored as whole numbers up to this, times the scale of their row. If larger, the
/// file does not compress as well; if smaller, joints move.
pub const LEVELS: f32 = 9.0;

/// Everything that was learned.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Tells orientations and plans apart.
    pub orientation: Network,
    /// Tells front from back by depths around joints.
    pub facing: Network,
    /// Places the joints of a humanoid.
    pub humanoid: Cascade,
}

impl Table {
    /// The table that belongs to this version.
    ///
    /// # Panics
    /// If the file that was compiled in is not a table; a test reads it.
    pub fn built_in() -> Self {
        Self::from_bytes(include_bytes!("../tables/fitting.bin")).expect("the table is valid")
    }

    /// Reads a table. `None` if the bytes are not one.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader { bytes: bytes.strip_prefix(&SIGNATURE)? };
        let table =
            Self { orientation: reader.network()?, facing: reader.network()?, humanoid: reader.cascade()? };
        reader.bytes.is_empty().then_some(table)
    }

    /// The table as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer { bytes: SIGNATURE.to_vec() };
        writer.network(&self.orientation);
        writer.network(&self.facing);
        writer.cascade(&self.humanoid);
        writer.bytes
    }
}

/// What the whole numbers of a row are multiplied by. Rows of networks that were read or rounded
/// are whole already, for a divisor of their largest weight; others are rounded.
fn row_scale(row: &[f32]) -> f32 {
    let largest = row.iter().fold(0.0f32, |largest, weight| largest.max(weight.abs()));
    let is_whole = |scale: f32| {
        row.iter().all(|weight| ((weight / scale).round() * scale - weight).abs() <= 1e-5 * largest)
    };
    let divisors = (1..=LEVELS as usize).map(|divisor| largest / divisor as f32);
    divisors.filter(|&scale| scale > 0.0).find(|&scale| is_whole(scale)).unwrap_or(largest / LEVELS)
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn take(&mut self, count: usize) -> Option<&[u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }

    fn count(&mut self) -> Option<usize> {
        Some(u16::from_le_bytes(self.take(2)?.try_into().ok()?).into())
    }

    fn number(&mut self) -> Option<f32> {
        let high = u16::from_le_bytes(self.take(2)?.try_into().ok()?);
        Some(f32::from_bits(u32::from(high) << 16))
    }

    fn layer(&mut self) -> Option<Layer> {
        let (inputs, outputs) = (self.count()?, self.count()?);
        let has_scales = self.take(1)?[0] != 0;
        let exponents = self.take(if has_scales { inputs } else { 0 })?;
        let scale = |&exponent: &u8| Layer::SCALE_BASE.powi(i32::from(exponent as i8));
        let scales = exponents.iter().map(scale).collect();
        let mut layer = Layer { inputs, scales, ..Layer::default() };
        for _ in 0..outputs {
            let (scale, bias) = (self.number()?, self.number()?);
            layer.biases.push(bias);
            layer.weights.extend(self.take(inputs)?.iter().map(|&byte| f32::from(byte as i8) * scale));
        }
        Some(layer)
    }

    fn network(&mut self) -> Option<Network> {
        let layers = self.count()?;
        Some(Network { layers: (0..layers).map(|_| self.layer()).collect::<Option<_>>()? })
    }

    fn cascade(&mut self) -> Option<Cascade> {
        let first = self.network()?;
        let (members, steps) = (self.count()?, self.count()?);
        let mut member = || (0..steps).map(|_| self.step()).collect::<Option<Vec<Step>>>();
        Some(Cascade { first, members: (0..members).map(|_| member()).collect::<Option<_>>()? })
    }

    fn step(&mut self) -> Option<Step> {
        let mut radii = Radii::default();
        for radius in &mut radii {
            *radius = self.number()?;
        }
        let basis = self.layer()?;
        let networks = self.count()?;
        let networks = (0..networks).map(|_| self.network()).collect::<Option<_>>()?;
        Some(Step { radii, basis, networks })
    }
}

struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    fn count(&mut self, count: usize) {
        let count = u16::try_from(count).expect("tables are small");
        self.bytes.extend(count.to_le_bytes());
    }

    /// Writes the first half of the bits, rounded.
    fn number(&mut self, number: f32) {
        let high = number.to_bits().saturating_add(0x8000) >> 16;
        self.bytes.extend((high as u16).to_le_bytes());
    }

    fn layer(&mut self, layer: &Layer) {
        self.count(layer.inputs);
        self.count(layer.biases.len());
        self.bytes.push(u8::from(!layer.scales.is_empty()));
        let exponent = |scale: &f32| (scale.ln() / Layer::SCALE_BASE.ln()).round() as i8 as u8;
        self.bytes.extend(layer.scales.iter().map(exponent));
        for (row, bias) in layer.weights.chunks_exact(layer.inputs).zip(&layer.biases) {
            let scale = row_scale(row);
            self.number(scale);
            self.number(*bias);
            let steps = |weight: &f32| if scale > 0.0 { (weight / scale).round() as i8 as u8 } else { 0 };
            self.bytes.extend(row.iter().map(steps));
        }
    }

    fn network(&mut self, network: &Network) {
        self.count(network.layers.len());
        network.layers.iter().for_each(|layer| self.layer(layer));
    }

    fn cascade(&mut self, cascade: &Cascade) {
        self.network(&cascade.first);
        self.count(cascade.members.len());
        self.count(cascade.members.first().map_or(0, Vec::len));
        for step in cascade.members.iter().flatten() {
            step.radii.iter().for_each(|radius| self.number(*radius));
            self.layer(&step.basis);
            self.count(step.networks.len());
            step.networks.iter().for_each(|network| self.network(network));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_table_is_valid_and_equals_itself_when_written_again() {
        let bytes = include_bytes!("../tables/fitting.bin");
        assert_eq!(Table::built_in().to_bytes(), bytes);
    }

    #[test]
    fn damaged_tables_are_refused() {
        let bytes = include_bytes!("../tables/fitting.bin");
        assert!(Table::from_bytes(&bytes[..bytes.len() - 1]).is_none());
        assert!(Table::from_bytes(&bytes[1..]).is_none());
        assert!(Table::from_bytes(&[bytes.as_slice(), &[0]].concat()).is_none());
    }
}
