//! Decodes primitives of `KHR_draco_mesh_compression`, with the crate `draco-core`.
//!
//! Input: the bytes of a Draco mesh, and the attributes that are wanted, by unique id. Output: its
//! triangles, and for each attribute one value per vertex in the component type that glTF declares.
//! Cost: linear in the size of the output.

mod attribute;

use draco_core::{DecodeLimits, DecoderBuffer, Mesh, MeshDecoder};

/// An attribute that is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// The id of the attribute in the Draco mesh, from the extension.
    pub unique_id: u32,
    /// The component type of the accessor: 5120 to 5126.
    pub component_type: u32,
    /// The number of components of the accessor.
    pub components: usize,
}

/// Largest result that is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Number of vertices.
    pub vertices: usize,
    /// Number of triangles.
    pub triangles: usize,
    /// Bytes of all attributes together.
    pub bytes: usize,
}

/// A decoded primitive.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    /// Number of vertices.
    pub vertex_count: usize,
    /// Three vertices per triangle.
    pub indices: Vec<u32>,
    /// Little-endian values of each wanted attribute, without padding.
    pub attributes: Vec<Vec<u8>>,
}

/// Decodes a mesh.
///
/// # Errors
/// If the bytes are not a Draco mesh within the limits, or if it does not have an attribute. The
/// text is the end of a sentence.
pub fn decode(bytes: &[u8], wanted: &[Attribute], limits: &Limits) -> Result<Decoded, String> {
    let limits = DecodeLimits::default()
        .with_max_points(limits.vertices as u64)
        .with_max_faces(limits.triangles as u64)
        .with_max_decoded_bytes(limits.bytes as u64);
    let mut buffer = DecoderBuffer::new(bytes).with_limits(limits);
    let mut mesh = Mesh::new();
    let decoded = MeshDecoder::new().decode(&mut buffer, &mut mesh);
    decoded.map_err(|error| format!("the Draco data cannot be decoded: {error}"))?;
    let vertex_count = mesh.num_points();
    let indices: Vec<u32> = mesh.faces().iter().flatten().map(|point| point.0).collect();
    if indices.iter().any(|&index| index as usize >= vertex_count) {
        return Err("the Draco data has a triangle with a vertex that does not exist".into());
    }
    let attributes = wanted.iter().map(|wanted| attribute::values(&mesh, wanted, vertex_count));
    Ok(Decoded { vertex_count, indices, attributes: attributes.collect::<Result<_, _>>()? })
}

impl Decoded {
    /// The decoded primitive as one sequence of bytes: the number of vertices and the number of
    /// indices, the indices, all of them as 32-bit integers, and then the attributes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let size = self.attributes.iter().map(Vec::len).sum::<usize>() + 4 * self.indices.len() + 8;
        let mut bytes = Vec::with_capacity(size);
        for count in [self.vertex_count, self.indices.len()] {
            bytes.extend_from_slice(&(count as u32).to_le_bytes());
        }
        self.indices.iter().for_each(|index| bytes.extend_from_slice(&index.to_le_bytes()));
        self.attributes.iter().for_each(|values| bytes.extend_from_slice(values));
        bytes
    }
}
