//! A mesh of the cast as bytes, for pages that would rather fetch it than have it made.
//!
//! In: a mesh. Out: how many vertices it has (u32), their positions (f32), its triangles (u32), all little-endian; and back.
//! Every bit returns as it was. Cost: a copy.

use glam::Vec3;

use crate::model::Mesh;

/// The mesh as bytes.
pub fn to_bytes(mesh: &Mesh) -> Vec<u8> {
    let count = mesh.positions().len() as u32;
    let places = mesh.positions().iter().flat_map(|position| position.to_array()).map(f32::to_le_bytes);
    let corners = mesh.triangles().iter().flatten().map(|corner| corner.to_le_bytes());
    std::iter::once(count.to_le_bytes()).chain(places).chain(corners).flatten().collect()
}

/// The mesh in bytes; none when they hold no sound one.
pub fn from_bytes(bytes: &[u8]) -> Option<Mesh> {
    let (words, rest) = bytes.as_chunks::<4>();
    let (&count, words) = words.split_first()?;
    let (places, corners) = words.split_at_checked((u32::from_le_bytes(count) as usize).checked_mul(3)?)?;
    let (places, _) = places.as_chunks::<3>();
    let (corners, loose) = corners.as_chunks::<3>();
    let positions = places.iter().map(|place| Vec3::from_array(place.map(f32::from_le_bytes))).collect();
    let triangles = corners.iter().map(|corners| corners.map(u32::from_le_bytes)).collect();
    if rest.is_empty() && loose.is_empty() { Mesh::new(positions, triangles).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{SampleCharacter, make, remade};

    #[test]
    fn a_character_around_its_stored_mesh_is_the_same() {
        let made = make(SampleCharacter::Mannequin, 400).unwrap();
        let bytes = to_bytes(&made.mesh);
        assert_eq!(remade(SampleCharacter::Mannequin, from_bytes(&bytes).unwrap()).unwrap(), Some(made));
    }

    #[test]
    fn damaged_bytes_hold_no_mesh() {
        let bytes = to_bytes(&make(SampleCharacter::Arm, 200).unwrap().mesh);
        for end in [0, 3, 4, 100, bytes.len() - 1, bytes.len() - 4] {
            assert_eq!(from_bytes(&bytes[..end]), None, "cut at {end}");
        }
        let mut far = bytes.clone();
        let last = far.len() - 1;
        far[last] = 0xff;
        assert_eq!(from_bytes(&far), None, "a corner that is no vertex");
        let mut many = bytes;
        many[..4].fill(0xff);
        assert_eq!(from_bytes(&many), None, "more vertices than bytes");
    }
}
