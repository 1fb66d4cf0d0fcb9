//! Reads the polygons of a mesh and splits them into one primitive per material.
//!
//! Control points are split only where normals, texture coordinates or colours differ. Vertices of
//! a primitive are in the order of their control points.

use glam::{DMat3, DMat4, DVec3};
use pliant_polygon::Triangulator;

use crate::document::{Document, Node};
use crate::error::{Error, Result, Warnings};
use crate::layer::{Corner, Layer, MaterialLayer};
use crate::legacy::is_legacy;
use crate::vertices::{Part, VertexKey, VertexSplitter};

/// Number of control points that any file may have, however small it is.
/// If larger, a tiny malicious file exhausts the memory of a phone.
const FREE_POINTS: usize = 1_000_000;

/// Bytes of file per control point beyond [`FREE_POINTS`].
const BYTES_PER_POINT: usize = 4;

/// Corners per control point of the budget. A mesh of quads has four.
const CORNERS_PER_POINT: usize = 8;

/// Largest number of texture coordinate sets. Further sets are left out.
pub(crate) const MAX_UV_SETS: usize = 4;

/// Largest absolute coordinate, in units of the file. If larger, areas overflow an `f32`.
const MAX_COORDINATE: f64 = 1e12;

/// The version that has one normal per vertex where there are as many corners as vertices.
const PER_VERTEX_VERSION: u32 = 5000;

/// Triangles of one material.
pub(crate) struct Primitive {
    /// Index among the materials of the node.
    pub material: usize,
    /// The control point of each vertex.
    pub control_points: Vec<u32>,
    /// Unit normals, or empty.
    pub normals: Vec<DVec3>,
    /// Texture coordinates of each set, with V up as in FBX.
    pub uvs: Vec<Vec<[f32; 2]>>,
    /// Colours, or empty.
    pub colors: Vec<[f32; 4]>,
    pub triangles: Vec<[u32; 3]>,
}

/// A mesh in FBX space, without its geometric transform.
pub(crate) struct Mesh {
    pub control_points: Vec<DVec3>,
    pub primitives: Vec<Primitive>,
}

/// The layers of a mesh.
struct Layers {
    normals: Option<Layer<3>>,
    uvs: Vec<Layer<2>>,
    colors: Option<Layer<4>>,
    materials: Option<MaterialLayer>,
}

impl Mesh {
    /// Reads a mesh of a document, whose size limits that of the mesh.
    pub(crate) fn read(
        node: &Node<'_>,
        place: &str,
        document: &Document<'_>,
        warnings: &mut Warnings,
    ) -> Result<Option<Self>> {
        let (Some(points), Some(polygons)) = (node.child("Vertices"), node.child("PolygonVertexIndex"))
        else {
            return Ok(None);
        };
        let budget = point_budget(document.file_bytes);
        check_budget(place, "control points", points.array_len() / 3, budget)?;
        check_budget(place, "corners", polygons.array_len(), budget.saturating_mul(CORNERS_PER_POINT))?;
        let control_points = read_points(points, place)?;
        let corners = polygons.ints()?;
        let layers = if is_legacy(document.version) {
            Layers::read_legacy(node, control_points.len(), &corners, document.version)?
        } else {
            Layers::read(node, place, warnings)?
        };
        let primitives = split(&control_points, &corners, &layers, place, warnings);
        Ok(Some(Self { control_points, primitives }))
    }

    pub(crate) fn has_triangles(&self) -> bool {
        self.primitives.iter().any(|primitive| !primitive.triangles.is_empty())
    }

    /// Applies the geometric transform of a node.
    pub(crate) fn apply(&mut self, geometric: &DMat4) {
        let normal_matrix = DMat3::from_mat4(*geometric).inverse().transpose();
        let is_flipped = geometric.determinant() < 0.0;
        for point in &mut self.control_points {
            *point = geometric.transform_point3(*point);
        }
        for primitive in &mut self.primitives {
            for normal in &mut primitive.normals {
                *normal = (normal_matrix * *normal).normalize_or_zero();
            }
            if is_flipped {
                primitive.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
            }
        }
    }
}

impl Layers {
    fn read(node: &Node<'_>, place: &str, warnings: &mut Warnings) -> Result<Self> {
        let mut uvs = Vec::new();
        for node in node.children_named("LayerElementUV").take(MAX_UV_SETS) {
            uvs.extend(Layer::read(node, ["UV", "UVIndex"], place, warnings)?);
        }
        let normals = match node.child("LayerElementNormal") {
            Some(node) => Layer::read(node, ["Normals", "NormalsIndex"], place, warnings)?,
            None => None,
        };
        let colors = match node.child("LayerElementColor") {
            Some(node) => Layer::read(node, ["Colors", "ColorIndex"], place, warnings)?,
            None => None,
        };
        let materials = match node.child("LayerElementMaterial") {
            Some(node) => MaterialLayer::read(node)?,
            None => None,
        };
        Ok(Self { normals, uvs, colors, materials })
    }

    /// The same before version 6, where the number of values says what they belong to.
    fn read_legacy(node: &Node<'_>, points: usize, corners: &[i64], version: u32) -> Result<Self> {
        let corners = corners.len();
        let prefers_vertices = version == PER_VERTEX_VERSION;
        let normals = Layer::read_counted(node, ["Normals", ""], points, corners, prefers_vertices)?;
        let uvs = match node.child("GeometryUVInfo") {
            Some(info) => {
                let arrays = ["TextureUV", "TextureUVVerticeIndex"];
                Layer::read_counted(info, arrays, points, corners, false)?
            }
            None => None,
        };
        let colors = match node.child("VertexColorInfo") {
            Some(info) => Layer::read_counted(info, ["Colors", "ColorIndex"], points, corners, false)?,
            None => None,
        };
        let materials = match node.child("MaterialAssignation") {
            Some(mapping) => MaterialLayer::read_mapped(node, mapping)?,
            None => None,
        };
        Ok(Self { normals, uvs: uvs.into_iter().collect(), colors, materials })
    }

    /// The attributes of a corner as a key: equal keys on a control point share a vertex.
    fn key(&self, corner: Corner, key: &mut VertexKey) {
        key.clear();
        if let Some(layer) = &self.normals {
            let normal = layer.at(corner).map_or(DVec3::ZERO, DVec3::from).normalize_or_zero();
            key.extend(normal.to_array().map(|value| value as f32));
        }
        for layer in &self.uvs {
            key.extend(layer.at(corner).unwrap_or_default().map(|value| value as f32));
        }
        if let Some(layer) = &self.colors {
            key.extend(layer.at(corner).unwrap_or([1.0; 4]).map(|value| value.clamp(0.0, 1.0) as f32));
        }
    }

    /// The primitive of a part, its attributes taken apart.
    fn primitive(&self, part: Part) -> Primitive {
        let mut primitive = Primitive {
            material: part.material,
            control_points: part.vertices.iter().map(|&(point, _)| point).collect(),
            normals: Vec::new(),
            uvs: vec![Vec::new(); self.uvs.len()],
            colors: Vec::new(),
            triangles: part.triangles,
        };
        part.vertices.iter().for_each(|(_, key)| self.push(&mut primitive, key));
        primitive
    }

    /// Appends the attributes of a key to a primitive.
    fn push(&self, primitive: &mut Primitive, key: &[f32]) {
        let mut rest = key;
        let mut take = |count: usize| {
            let (head, tail) = rest.split_at_checked(count).unwrap_or_default();
            rest = tail;
            head
        };
        if self.normals.is_some() {
            let normal: [f32; 3] = take(3).try_into().unwrap_or_default();
            primitive.normals.push(DVec3::from(normal.map(f64::from)));
        }
        for set in &mut primitive.uvs {
            set.push(take(2).try_into().unwrap_or_default());
        }
        if self.colors.is_some() {
            primitive.colors.push(take(4).try_into().unwrap_or([1.0; 4]));
        }
    }
}

/// Largest number of control points of a mesh in a file of `file_bytes` bytes.
pub(crate) fn point_budget(file_bytes: usize) -> usize {
    FREE_POINTS.max(file_bytes / BYTES_PER_POINT)
}

fn check_budget(place: &str, what: &str, count: usize, budget: usize) -> Result<()> {
    if count <= budget {
        return Ok(());
    }
    Err(Error::too_large(place, format!("{count} {what} exceed the limit of {budget}")))
}

fn read_points(node: &Node<'_>, place: &str) -> Result<Vec<DVec3>> {
    let numbers = node.floats()?;
    let is_usable = |number: &f64| number.abs() <= MAX_COORDINATE;
    if let Some(at) = numbers.iter().position(|number| !is_usable(number)) {
        let what = format!("coordinate {at} is not a usable number");
        return Err(Error::malformed(place, what));
    }
    Ok(numbers.as_chunks::<3>().0.iter().copied().map(DVec3::from).collect())
}

/// Triangulates all polygons and distributes them to primitives by material.
fn split(
    points: &[DVec3],
    codes: &[i64],
    layers: &Layers,
    place: &str,
    warnings: &mut Warnings,
) -> Vec<Primitive> {
    let mut splitter = PolygonSplitter::new(points, layers);
    let mut corners: Vec<Corner> = Vec::new();
    let (mut polygon, mut skipped) = (0, 0);
    for (corner, &code) in codes.iter().enumerate() {
        // The last corner of a polygon is stored as −index − 1.
        let vertex = usize::try_from(if code < 0 { !code } else { code }).unwrap_or(usize::MAX);
        corners.push(Corner { corner, vertex, polygon });
        if code < 0 {
            skipped += usize::from(!splitter.add(&corners));
            polygon += 1;
            corners.clear();
        }
    }
    if skipped > 0 {
        warnings.add(place, format!("{skipped} polygons refer to missing vertices; they were left out"));
    }
    splitter.vertices.into_parts().into_iter().map(|part| layers.primitive(part)).collect()
}

/// Splits polygons into triangles and control points into vertices. It keeps its buffers.
struct PolygonSplitter<'m> {
    points: &'m [DVec3],
    layers: &'m Layers,
    vertices: VertexSplitter,
    triangulator: Triangulator,
    ring: Vec<DVec3>,
    ring_vertices: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    key: VertexKey,
}

impl<'m> PolygonSplitter<'m> {
    fn new(points: &'m [DVec3], layers: &'m Layers) -> Self {
        Self {
            points,
            layers,
            vertices: VertexSplitter::new(points.len()),
            triangulator: Triangulator::default(),
            ring: Vec::new(),
            ring_vertices: Vec::new(),
            triangles: Vec::new(),
            key: VertexKey::new(),
        }
    }

    /// Adds a polygon. False if it refers to missing vertices.
    fn add(&mut self, corners: &[Corner]) -> bool {
        self.ring.clear();
        self.ring.extend(corners.iter().map_while(|corner| self.points.get(corner.vertex)));
        if self.ring.len() < corners.len() {
            return false;
        }
        let Some(&first) = corners.first().filter(|_| corners.len() >= 3) else { return true };
        let material = self.layers.materials.as_ref().map_or(0, |layer| layer.at(first));
        self.ring_vertices.clear();
        for &corner in corners {
            self.layers.key(corner, &mut self.key);
            self.ring_vertices.push(self.vertices.vertex(material, corner.vertex, &self.key));
        }
        self.triangles.clear();
        self.triangulator.triangulate(&self.ring, &mut self.triangles);
        self.vertices.add_triangles(material, &self.ring_vertices, &self.triangles);
        true
    }
}
