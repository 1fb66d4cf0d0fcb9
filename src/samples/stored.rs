//! The mesh of a sample character as bytes, so that pages can fetch it instead of generating it.
//!
//! Input: a mesh. Output: the number of vertices (u32), their positions (f32) and the triangles
//! (u32), little-endian; and the inverse. The conversion is exact. Cost: one copy.

use glam::Vec3;

use crate::model::Mesh;

/// The mesh as bytes.
pub fn to_bytes(mesh: &Mesh) -> Vec<u8> {
    let count = mesh.positions().len() as u32;
    let positions_le = mesh.positions().iter().flat_map(|position| position.to_array()).map(f32::to_le_bytes);
    let corners = mesh.triangles().iter().flatten().map(|corner| corner.to_le_bytes());
    std::iter::once(count.to_le_bytes()).chain(positions_le).chain(corners).flatten().collect()
}

/// The mesh stored in `bytes`. `None` if they are not a valid mesh.
pub fn from_bytes(bytes: &[u8]) -> Option<Mesh> {
    let (words, rest) = bytes.as_chunks::<4>();
    let (&count, words) = words.split_first()?;
    let (positions_le, corners) =
        words.split_at_checked((u32::from_le_bytes(count) as usize).checked_mul(3)?)?;
    let (positions_le, _) = positions_le.as_chunks::<3>();
    let (corners, remainder) = corners.as_chunks::<3>();
    let positions =
        positions_le.iter().map(|position| Vec3::from_array(position.map(f32::from_le_bytes))).collect();
    let triangles = corners.iter().map(|corners| corners.map(u32::from_le_bytes)).collect();
    if rest.is_empty() && remainder.is_empty() { Mesh::new(positions, triangles).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{SampleCharacter, make, remade};

    #[test]
    fn a_character_with_its_stored_mesh_is_unchanged() {
        let made = make(SampleCharacter::Mannequin, 400).unwrap();
        let bytes = to_bytes(&made.mesh);
        assert_eq!(remade(SampleCharacter::Mannequin, from_bytes(&bytes).unwrap()).unwrap(), Some(made));
    }

    #[test]
    fn damaged_bytes_are_not_a_mesh() {
        let bytes = to_bytes(&make(SampleCharacter::Arm, 200).unwrap().mesh);
        for end in [0, 3, 4, 100, bytes.len() - 1, bytes.len() - 4] {
            assert_eq!(from_bytes(&bytes[..end]), None, "cut at {end}");
        }
        let mut far = bytes.clone();
        let last = far.len() - 1;
        far[last] = 0xff;
        assert_eq!(from_bytes(&far), None, "a corner that does not exist");
        let mut many = bytes;
        many[..4].fill(0xff);
        assert_eq!(from_bytes(&many), None, "more vertices than bytes");
    }
}
