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

/// Vertices and triangles of one material.
pub(crate) struct Part {
    pub material: usize,
    /// Control point and attributes of each vertex, in the order of control points.
    pub vertices: Vec<(u32, VertexKey)>,
    pub triangles: Vec<[u32; 3]>,
}

struct Growing {
    /// The newest vertex of each control point.
    newest: Vec<u32>,
    /// For each vertex, an older one of the same control point.
    older: Vec<u32>,
    vertices: Vec<(u32, VertexKey)>,
    triangles: Vec<[u32; 3]>,
}

/// Collects the parts of a mesh.
pub(crate) struct VertexSplitter {
    point_count: usize,
    parts: BTreeMap<usize, Growing>,
}

/// Largest number of materials of a mesh. Polygons of further materials go to the last one. If
/// larger, a malicious file with a material per polygon takes memory for each.
const MAX_MATERIALS: usize = 256;

impl VertexSplitter {
    pub(crate) fn new(point_count: usize) -> Self {
        Self { point_count, parts: BTreeMap::new() }
    }

    /// The part of a material.
    fn part(&mut self, material: usize) -> &mut Growing {
        let material = material.min(MAX_MATERIALS - 1);
        self.parts.entry(material).or_insert_with(|| Growing {
            newest: vec![NONE; self.point_count],
            older: Vec::new(),
            vertices: Vec::new(),
            triangles: Vec::new(),
        })
    }

    /// The vertex of a control point with these attributes.
    pub(crate) fn vertex(&mut self, material: usize, point: usize, key: &VertexKey) -> u32 {
        self.part(material).vertex(point, key)
    }

    /// Adds triangles of a polygon, given as indices into its vertices.
    pub(crate) fn add_triangles(&mut self, material: usize, vertices: &[u32], triangles: &[[u32; 3]]) {
        let vertex = |corner: u32| vertices.get(corner as usize).copied().unwrap_or(0);
        self.part(material).triangles.extend(triangles.iter().map(|triangle| triangle.map(vertex)));
    }

    pub(crate) fn into_parts(self) -> Vec<Part> {
        self.parts.into_iter().map(|(material, part)| part.finish(material)).collect()
    }
}

impl Growing {
    fn vertex(&mut self, point: usize, key: &VertexKey) -> u32 {
        let Some(newest) = self.newest.get_mut(point) else { return 0 };
        let mut candidate = *newest;
        for _ in 0..MAX_COMPARED {
            match self.vertices.get(candidate as usize) {
                Some((_, other)) if other == key => return candidate,
                Some(_) => candidate = self.older.get(candidate as usize).copied().unwrap_or(NONE),
                None => break,
            }
        }
        let vertex = u32::try_from(self.vertices.len()).unwrap_or(NONE);
        self.older.push(*newest);
        *newest = vertex;
        self.vertices.push((point as u32, key.clone()));
        vertex
    }

    /// Sorts the vertices by control point.
    fn finish(mut self, material: usize) -> Part {
        let points = self.vertices.iter().map(|&(point, _)| u64::from(point));
        let order = sorted_indices(points);
        let mut place_of = vec![0u32; order.len()];
        let mut vertices = Vec::with_capacity(order.len());
        for (place, &vertex) in order.iter().enumerate() {
            if let Some(entry) = place_of.get_mut(vertex) {
                *entry = place as u32;
            }
            vertices.extend(self.vertices.get_mut(vertex).map(std::mem::take));
        }
        let moved = |vertex: u32| place_of.get(vertex as usize).copied().unwrap_or(0);
        let triangles = self.triangles.into_iter().map(|triangle| triangle.map(moved)).collect();
        Part { material, vertices, triangles }
    }
}
