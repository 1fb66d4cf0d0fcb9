//! Layer elements: normals, texture coordinates, colours and materials of a mesh.

use crate::document::Node;
use crate::error::{Result, Warnings};

/// What the elements of a layer belong to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mapping {
    Corner,
    Vertex,
    Polygon,
    AllSame,
}

/// A corner of a polygon.
#[derive(Clone, Copy)]
pub(crate) struct Corner {
    /// Index among all corners of the mesh.
    pub corner: usize,
    /// Index of the control point.
    pub vertex: usize,
    pub polygon: usize,
}

/// Values per corner, control point or polygon, with or without indices.
pub(crate) struct Layer<const N: usize> {
    mapping: Mapping,
    indices: Option<Vec<i64>>,
    values: Vec<[f64; N]>,
}

impl<const N: usize> Layer<N> {
    /// Reads a layer from its node. `values` and `indices` are the names of its arrays.
    pub(crate) fn read(
        node: &Node<'_>,
        [values, indices]: [&str; 2],
        place: &str,
        warnings: &mut Warnings,
    ) -> Result<Option<Self>> {
        let Some(mapping) = mapping(node) else {
            let name = node.child_text("MappingInformationType").unwrap_or_default();
            let layer = crate::document::decode_text(node.name);
            warnings.add(place, format!("{layer} is mapped \"{name}\", which is not read; it was left out"));
            return Ok(None);
        };
        let is_indexed = node.child_text("ReferenceInformationType").is_some_and(|kind| kind != "Direct");
        let values = elements(&node.child_floats(values)?);
        let indices = match node.child(indices) {
            Some(node) if is_indexed => Some(node.ints()?),
            _ => None,
        };
        Ok((!values.is_empty()).then_some(Self { mapping, indices, values }))
    }

    /// Reads a layer before version 6: one value or index per corner or per vertex. If there are as
    /// many corners as vertices, `prefers_vertices` decides. None if the number is another one.
    pub(crate) fn read_counted(
        node: &Node<'_>,
        [values, indices]: [&str; 2],
        points: usize,
        corners: usize,
        prefers_vertices: bool,
    ) -> Result<Option<Self>> {
        let values = elements(&node.child_floats(values)?);
        let indices = node.child(indices).map(Node::ints).transpose()?;
        let count = indices.as_ref().map_or(values.len(), Vec::len);
        let mapping = match count {
            0 => return Ok(None),
            _ if count == points && (prefers_vertices || points != corners) => Mapping::Vertex,
            _ if count == corners => Mapping::Corner,
            _ => return Ok(None),
        };
        Ok((!values.is_empty()).then_some(Self { mapping, indices, values }))
    }

    /// The value at a corner. None if the layer is too short or the index is −1.
    pub(crate) fn at(&self, corner: Corner) -> Option<[f64; N]> {
        let at = element(self.mapping, corner);
        let at = match &self.indices {
            Some(indices) => usize::try_from(*indices.get(at)?).ok()?,
            None => at,
        };
        self.values.get(at).copied().filter(|value| value.iter().all(|number| number.is_finite()))
    }
}

/// The material of each polygon.
pub(crate) struct MaterialLayer {
    mapping: Mapping,
    materials: Vec<i64>,
}

impl MaterialLayer {
    pub(crate) fn read(node: &Node<'_>) -> Result<Option<Self>> {
        match node.child("MappingInformationType") {
            Some(mapping) => Self::read_mapped(node, mapping),
            None => Ok(None),
        }
    }

    /// Reads the materials of a node. Another node names the mapping.
    pub(crate) fn read_mapped(node: &Node<'_>, mapping: &Node<'_>) -> Result<Option<Self>> {
        let Some(mapping) = mapping_of(mapping) else { return Ok(None) };
        Ok(Some(Self { mapping, materials: node.child_ints("Materials")? }))
    }

    /// The material of the polygon that a corner belongs to.
    pub(crate) fn at(&self, corner: Corner) -> usize {
        let material = self.materials.get(element(self.mapping, corner)).copied();
        usize::try_from(material.unwrap_or(0)).unwrap_or(0)
    }
}

fn element(mapping: Mapping, corner: Corner) -> usize {
    match mapping {
        Mapping::Corner => corner.corner,
        Mapping::Vertex => corner.vertex,
        Mapping::Polygon => corner.polygon,
        Mapping::AllSame => 0,
    }
}

/// Values of N numbers each.
fn elements<const N: usize>(numbers: &[f64]) -> Vec<[f64; N]> {
    numbers.as_chunks().0.to_vec()
}

fn mapping(node: &Node<'_>) -> Option<Mapping> {
    mapping_of(node.child("MappingInformationType")?)
}

/// The mapping that a node names.
fn mapping_of(node: &Node<'_>) -> Option<Mapping> {
    Some(match node.text(0)?.as_ref() {
        "ByPolygonVertex" => Mapping::Corner,
        "ByVertice" | "ByVertex" => Mapping::Vertex,
        "ByPolygon" => Mapping::Polygon,
        "AllSame" => Mapping::AllSame,
        _ => return None,
    })
}
