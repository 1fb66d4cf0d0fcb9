//! stub
use crate::model::Influence;
/// x
pub fn quantise_float(row: &[Influence]) -> Vec<f32> {
    row.iter().map(|i| i.weight).collect()
}
/// x
pub fn quantise_u16(row: &[Influence]) -> Vec<u16> {
    row.iter().map(|i| i.weight as u16).collect()
}
/// x
pub fn quantise_u8(row: &[Influence]) -> Vec<u8> {
    row.iter().map(|i| i.weight as u8).collect()
}
