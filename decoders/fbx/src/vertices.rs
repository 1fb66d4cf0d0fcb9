//! Splits control points into vertices wherever the attributes of their corners differ.

use std::collections::BTreeMap;

use crate::sort::sorted_indices;

/// The attributes of a corner, as numbers in a fixed order.
pub(crate) type VertexKey = Vec<f32>;

/// Largest number of vertices of a control point that are compared with a new corner. If larger, a
/// malicious file with one control point and a million normals takes hours.
const MAX_COMPARED: usize = 64;

/// Marks the end of a list.
const NONE: u32 = u32::MAX;

/// Largest number of materials of a mesh. Polygons of further materials go to the last one. If
/// larger, a malicious file with a material per polygon becomes a million primitives.
const MAX_MATERIALS: usize = 256;

/// Vertices and triangles of one material.
#[derive(Default)]
pub(crate) struct Part {
    pub material: usize,
    /// Control point and attributes of each vertex, in the order of control points.
    pub vertices: Vec<(u32, VertexKey)>,
    pub triangles: Vec<[u32; 3]>,
}

struct Vertex {
    material: usize,
    point: u32,
    key: VertexKey,
    /// An older vertex of the same control point.
    older: u32,
}

/// Collects the vertices and triangles of a mesh.
pub(crate) struct VertexSplitter {
    /// The newest vertex of each control point.
    newest: Vec<u32>,
    vertices: Vec<Vertex>,
    triangles: Vec<(usize, [u32; 3])>,
}

impl VertexSplitter {
    pub(crate) fn new(point_count: usize) -> Self {
        Self { newest: vec![NONE; point_count], vertices: Vec::new(), triangles: Vec::new() }
    }

    /// The vertex of a control point with this material and these attributes.
    pub(crate) fn vertex(&mut self, material: usize, point: usize, key: &VertexKey) -> u32 {
        let material = material.min(MAX_MATERIALS - 1);
        let Some(newest) = self.newest.get_mut(point) else { return 0 };
        let mut candidate = *newest;
        for _ in 0..MAX_COMPARED {
            match self.vertices.get(candidate as usize) {
                Some(other) if other.material == material && other.key == *key => return candidate,
                Some(other) => candidate = other.older,
                None => break,
            }
        }
        let vertex = u32::try_from(self.vertices.len()).unwrap_or(NONE);
        self.vertices.push(Vertex { material, point: point as u32, key: key.clone(), older: *newest });
        *newest = vertex;
        vertex
    }

    /// Adds triangles of a polygon, given as indices into its vertices.
    pub(crate) fn add_triangles(&mut self, material: usize, vertices: &[u32], triangles: &[[u32; 3]]) {
        let material = material.min(MAX_MATERIALS - 1);
        let vertex = |corner: u32| vertices.get(corner as usize).copied().unwrap_or(0);
        self.triangles.extend(triangles.iter().map(|triangle| (material, triangle.map(vertex))));
    }

    /// The parts in the order of materials.
    pub(crate) fn into_parts(mut self) -> Vec<Part> {
        let keys = self.vertices.iter().map(|it| (it.material as u64) << 32 | u64::from(it.point));
        let order = sorted_indices(keys);
        let mut parts: BTreeMap<usize, Part> = BTreeMap::new();
        let mut place_of = vec![0u32; order.len()];
        for index in order {
            let Some(vertex) = self.vertices.get_mut(index) else { continue };
            let part = parts.entry(vertex.material).or_default();
            part.material = vertex.material;
            if let Some(place) = place_of.get_mut(index) {
                *place = part.vertices.len() as u32;
            }
            part.vertices.push((vertex.point, std::mem::take(&mut vertex.key)));
        }
        let moved = |vertex: u32| place_of.get(vertex as usize).copied().unwrap_or(0);
        for (material, triangle) in self.triangles {
            if let Some(part) = parts.get_mut(&material) {
                part.triangles.push(triangle.map(moved));
            }
        }
        parts.into_values().collect()
    }
}
