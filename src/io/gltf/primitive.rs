//! Collects primitives (triangle lists, strips and fans) into one render mesh in rest space.

use std::collections::BTreeMap;

use glam::{DAffine3, Vec2, Vec3, Vec4};

use super::schema::Primitive;
use super::skin::Skins;
use super::topology::triangles;
use super::uvs::Uvs;
use super::{Loaded, Result, malformed, warn};
use crate::io::{ErrorCode, ReadError, limits};
use crate::model::{Asset, Attachment, Influence, Mesh, Part, RenderMesh, Weights};
use crate::operators::{normals_of, weld};
use crate::report::Report;

/// Collects the parts of a scene.
pub(super) struct Builder<'a, 'r> {
    loaded: &'a Loaded,
    pub report: &'r mut Report,
    mesh: RenderMesh,
    rows: Vec<Vec<Influence>>,
    /// (node, mesh, primitive) of each part.
    part_sources: Vec<[usize; 3]>,
    /// Vertex ranges by node and attributes. Primitives with equal keys share their vertices.
    vertices_of_key: BTreeMap<VertexKey, std::ops::Range<u32>>,
    has_normals: Vec<bool>,
    has_weights: bool,
    unweighted: Vec<u32>,
}

/// Node, accessors of attributes and of the first morph target, transform of texture coordinates,
/// and influence sets.
type VertexKey = (usize, [Option<usize>; 5], [u32; 6], Vec<(usize, usize)>);

/// A primitive, and the node that it belongs to.
#[derive(Clone, Copy)]
struct PrimitiveRef {
    node: usize,
    mesh: usize,
    primitive: usize,
}

impl std::fmt::Display for PrimitiveRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "meshes[{}].primitives[{}]", self.mesh, self.primitive)
    }
}

impl<'a, 'r> Builder<'a, 'r> {
    pub fn new(loaded: &'a Loaded, report: &'r mut Report) -> Self {
        Self {
            loaded,
            report,
            mesh: RenderMesh::default(),
            rows: Vec::new(),
            part_sources: Vec::new(),
            vertices_of_key: BTreeMap::new(),
            has_normals: Vec::new(),
            has_weights: false,
            unweighted: Vec::new(),
        }
    }

    /// Adds every primitive of every node in the scene.
    pub fn add_scene(&mut self, skins: &Skins) -> Result<()> {
        let document = &self.loaded.document;
        for (node, mesh) in document.nodes.iter().enumerate().filter_map(|(i, n)| Some((i, n.mesh?))) {
            if !self.loaded.graph.is_in_scene[node] {
                continue;
            }
            let found = document.meshes.get(mesh);
            let found = found.ok_or_else(|| {
                malformed(format!("nodes[{node}].mesh"), format!("mesh {mesh} does not exist"))
            })?;
            for primitive in 0..found.primitives.len() {
                self.add(PrimitiveRef { node, mesh, primitive }, skins)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, at: PrimitiveRef, skins: &Skins) -> Result<()> {
        let primitive = &self.loaded.document.meshes[at.mesh].primitives[at.primitive];
        let Some(position) = primitive.attributes.position else {
            warn(self.report, at.to_string(), "the primitive has no positions and was skipped");
            return Ok(());
        };
        let mode = primitive.mode.unwrap_or(4);
        if !(4..=6).contains(&mode) {
            warn(self.report, at.to_string(), "points and lines are not surfaces and were skipped");
            return Ok(());
        }
        let attachment = self.attachment(at, skins)?;
        let rest_from_primitive = match attachment {
            Attachment::Skinned { skin: Some(skin) } => skins.skins[skin].rest_from_mesh,
            Attachment::Skinned { skin: None } => self.loaded.graph.worlds[at.node],
            Attachment::Rigid { joint } => skins.joints[joint].rest,
        };
        let attributes = primitive.attributes;
        let uvs = Uvs::of(&self.loaded.document, &attributes, primitive.material);
        let first_target = primitive.targets.first().and_then(|target| target.position);
        let key = (
            at.node,
            [attributes.position, attributes.normal, uvs.accessor, attributes.color, first_target],
            uvs.bits(),
            attributes.influence_sets().collect(),
        );
        let vertices = match self.vertices_of_key.get(&key) {
            Some(vertices) => vertices.clone(),
            None => {
                let vertices = self.add_vertices(at, position, primitive, &rest_from_primitive)?;
                self.add_influences(at, primitive, attachment, skins, vertices.len())?;
                self.vertices_of_key.insert(key, vertices.clone());
                vertices
            }
        };
        let triangles = self.add_triangles(at, primitive, mode, &vertices, &rest_from_primitive)?;
        let mesh = &self.loaded.document.meshes[at.mesh];
        let name = mesh.name.clone().or_else(|| self.loaded.document.nodes[at.node].name.clone());
        self.mesh.parts.push(Part {
            name: name.unwrap_or_else(|| format!("mesh {}", at.mesh)),
            vertices,
            triangles,
            material: primitive.material.filter(|&material| material < self.loaded.document.materials.len()),
            attachment,
            rest_from_primitive,
        });
        self.part_sources.push([at.node, at.mesh, at.primitive]);
        Ok(())
    }

    fn attachment(&self, at: PrimitiveRef, skins: &Skins) -> Result<Attachment> {
        let skin = self.loaded.document.nodes[at.node].skin;
        if let Some(skin) = skin.filter(|&skin| skin >= skins.skins.len()) {
            return Err(malformed(format!("nodes[{}].skin", at.node), format!("skin {skin} does not exist")));
        }
        Ok(match (skin, skins.joint_of_node.get(at.node).copied().flatten()) {
            (None, Some(joint)) => Attachment::Rigid { joint },
            (skin, _) => Attachment::Skinned { skin },
        })
    }

    fn add_vertices(
        &mut self,
        at: PrimitiveRef,
        position: usize,
        primitive: &Primitive,
        rest_from_primitive: &DAffine3,
    ) -> Result<std::ops::Range<u32>> {
        let place = format!("{at}.attributes");
        let (_, count) = self.loaded.accessor_shape(position, &place)?;
        let start = self.mesh.positions.len();
        limits::check_budget(
            &place,
            "vertices",
            start.saturating_add(count),
            limits::vertex_budget(self.loaded.bytes),
        )?;
        let positions = self.loaded.floats::<3>(position, &format!("{place}.POSITION"))?;
        for (vertex, position) in positions.iter().enumerate() {
            let point =
                rest_from_primitive.transform_point3(Vec3::from_array(*position).as_dvec3()).as_vec3();
            if !point.is_finite() || point.abs().max_element() > limits::MAX_COORDINATE {
                let what = format!("vertex {vertex} has a coordinate that is not finite or too large");
                return Err(
                    malformed(format!("{place}.POSITION"), what).hint("repair the mesh and export it again")
                );
            }
            self.mesh.positions.push(point);
        }
        self.add_normals(primitive, &place, count, rest_from_primitive)?;
        let used = Uvs::of(&self.loaded.document, &primitive.attributes, primitive.material);
        let uvs = match used.accessor {
            Some(index) => self.loaded.floats::<2>(index, &format!("{place}.TEXCOORD"))?,
            None => Vec::new(),
        };
        // A colour or uv that is not finite is replaced; the model is still usable.
        let uvs = uvs.into_iter().map(|uv| used.transform(Vec2::from_array(uv)));
        let uvs = uvs.map(|uv| finite_or(uv, Vec2::is_finite, Vec2::ZERO));
        append_attribute(&mut self.mesh.uvs, start, count, uvs, Vec2::ZERO);
        let colors = self.colors(primitive, &place)?;
        let colors = colors.into_iter().map(|color| finite_or(color, Vec4::is_finite, Vec4::ONE));
        append_attribute(&mut self.mesh.colors, start, count, colors, Vec4::ONE);
        Ok(start as u32..(start + count) as u32)
    }

    fn add_normals(
        &mut self,
        primitive: &Primitive,
        place: &str,
        count: usize,
        rest: &DAffine3,
    ) -> Result<()> {
        let normals = match primitive.attributes.normal {
            Some(index) => self.loaded.floats::<3>(index, &format!("{place}.NORMAL"))?,
            None => Vec::new(),
        };
        let rest_from_normal = rest.matrix3.inverse().transpose();
        for vertex in 0..count {
            let given = normals.get(vertex).map_or(Vec3::ZERO, |n| Vec3::from_array(*n));
            let unit = (rest_from_normal * given.as_dvec3()).as_vec3().try_normalize();
            self.has_normals.push(unit.is_some());
            self.mesh.normals.push(unit.unwrap_or(Vec3::Y));
        }
        Ok(())
    }

    fn colors(&self, primitive: &Primitive, place: &str) -> Result<Vec<Vec4>> {
        let Some(index) = primitive.attributes.color else { return Ok(Vec::new()) };
        let place = format!("{place}.COLOR_0");
        Ok(match self.loaded.accessor_shape(index, &place)?.0 {
            4 => self.loaded.floats::<4>(index, &place)?.into_iter().map(Vec4::from_array).collect(),
            _ => {
                let colors = self.loaded.floats::<3>(index, &place)?;
                colors.into_iter().map(|c| Vec3::from_array(c).extend(1.0)).collect()
            }
        })
    }

    /// Adds rows of stored weights. Vertices without weights follow the first joint of the skin.
    fn add_influences(
        &mut self,
        at: PrimitiveRef,
        primitive: &Primitive,
        attachment: Attachment,
        skins: &Skins,
        count: usize,
    ) -> Result<()> {
        let skin = match attachment {
            Attachment::Rigid { joint } => {
                let row = vec![Influence { column: joint as u32, weight: 1.0 }];
                self.rows.resize(self.rows.len() + count, row);
                return Ok(());
            }
            Attachment::Skinned { skin: None } => {
                self.rows.resize(self.rows.len() + count, Vec::new());
                return Ok(());
            }
            Attachment::Skinned { skin: Some(skin) } => &skins.skins[skin],
        };
        let mut sets = Vec::new();
        for (joints, weights) in primitive.attributes.influence_sets() {
            let place = format!("{at}.attributes");
            let joints = self.loaded.indices::<4>(joints, &format!("{place}.JOINTS"))?;
            let weights = self.loaded.floats::<4>(weights, &format!("{place}.WEIGHTS"))?;
            sets.push((joints, weights));
        }
        self.has_weights |= !sets.is_empty();
        let (mut unbound, mut wrong) = (0, 0);
        for vertex in 0..count {
            let pairs = sets.iter().flat_map(|(joints, weights)| {
                let row = joints.get(vertex).zip(weights.get(vertex));
                row.into_iter()
                    .flat_map(|(joints, weights)| joints.iter().copied().zip(weights.iter().copied()))
            });
            let mut row: BTreeMap<u32, f64> = BTreeMap::new();
            for (joint, weight) in pairs.filter(|&(_, weight)| weight > 0.0 && weight.is_finite()) {
                match skin.joints.get(joint as usize) {
                    Some(&joint) => *row.entry(joint as u32).or_default() += f64::from(weight),
                    None => wrong += 1,
                }
            }
            if row.is_empty() {
                self.unweighted.push(self.rows.len() as u32);
                unbound += 1;
            }
            self.rows.push(normalized(&row, skin.joints[0] as u32));
        }
        if wrong > 0 {
            warn(
                self.report,
                at.to_string(),
                format!("{wrong} influences refer to joints that the skin does not have; they were dropped"),
            );
        }
        if unbound > 0 && !sets.is_empty() {
            warn(
                self.report,
                at.to_string(),
                format!("{unbound} vertices have no weights; they follow the first joint"),
            );
        }
        Ok(())
    }

    fn add_triangles(
        &mut self,
        at: PrimitiveRef,
        primitive: &Primitive,
        mode: u32,
        vertices: &std::ops::Range<u32>,
        rest_from_primitive: &DAffine3,
    ) -> Result<std::ops::Range<u32>> {
        let indices: Vec<u32> = match primitive.indices {
            Some(index) => {
                let read = self.loaded.indices::<1>(index, &format!("{at}.indices"))?;
                read.into_iter().map(|[i]| i).collect()
            }
            None => (0..vertices.len() as u32).collect(),
        };
        if let Some(index) = indices.iter().find(|&&i| i as usize >= vertices.len()) {
            let what = format!("it uses vertex {index}, but there are only {}", vertices.len());
            return Err(malformed(format!("{at}.indices"), what));
        }
        let start = self.mesh.triangles.len();
        let most = limits::triangle_budget(self.loaded.bytes);
        limits::check_budget(at, "triangles", start.saturating_add(indices.len() / 3), most)?;
        // A transform with a reflection reverses orientation; reverse it back.
        let mirrored = rest_from_primitive.matrix3.determinant() < 0.0;
        let orient = |[a, b, c]: [u32; 3]| {
            let [b, c] = if mirrored { [c, b] } else { [b, c] };
            [a, b, c].map(|i| i + vertices.start)
        };
        self.mesh.triangles.extend(triangles(mode, &indices).map(orient));
        Ok(start as u32..self.mesh.triangles.len() as u32)
    }

    /// The render mesh, the stored weights (if any), and the (node, mesh, primitive) of each part.
    pub fn finish(mut self, skins: &Skins) -> Result<Built> {
        if self.mesh.triangles.is_empty() {
            let error = ReadError::new(ErrorCode::NoMesh, "", "the scene contains no triangles");
            return Err(error.hint("if this is a skeleton, open it together with a mesh"));
        }
        if self.has_normals.iter().any(|&given| !given) {
            let computed = normals_of(&self.mesh.positions, &self.mesh.triangles);
            for (vertex, given) in self.has_normals.iter().enumerate() {
                if !given {
                    self.mesh.normals[vertex] = computed[vertex];
                }
            }
        }
        let weights = if self.has_weights && self.rows.iter().all(|row| !row.is_empty()) {
            let weights = Weights::new(skins.joints.len(), &self.rows);
            Some(weights.map_err(|error| malformed("stored weights", error.to_string()))?)
        } else {
            None
        };
        Ok(Built {
            mesh: self.mesh,
            stored_weights: weights,
            unweighted: self.unweighted,
            part_sources: self.part_sources,
        })
    }
}

/// The result of a [`Builder`].
pub struct Built {
    pub mesh: RenderMesh,
    pub stored_weights: Option<Weights>,
    /// See [`Asset::unweighted`](crate::model::Asset::unweighted).
    pub unweighted: Vec<u32>,
    /// Node, mesh and primitive of each part.
    pub part_sources: Vec<[usize; 3]>,
}

fn finite_or<T: Copy>(value: T, is_finite: fn(T) -> bool, fallback: T) -> T {
    if is_finite(value) { value } else { fallback }
}

/// Appends `values` after `start` earlier elements. If only some parts have the attribute, the
/// others are filled with `fill`.
fn append_attribute<T: Clone>(
    channel: &mut Vec<T>,
    start: usize,
    count: usize,
    values: impl ExactSizeIterator<Item = T>,
    fill: T,
) {
    if values.len() == 0 && channel.is_empty() {
        return;
    }
    channel.resize(start, fill.clone());
    channel.extend(values.take(count));
    channel.resize(start + count, fill);
}

/// The row divided by its sum. An empty row becomes weight 1 on `fallback`.
fn normalized(row: &BTreeMap<u32, f64>, fallback: u32) -> Vec<Influence> {
    let sum: f64 = row.values().sum();
    let normalize = |(&column, &weight): (&u32, &f64)| Influence { column, weight: (weight / sum) as f32 };
    let mut influences: Vec<Influence> =
        row.iter().map(normalize).filter(|influence| influence.weight > 0.0).collect();
    if influences.is_empty() {
        influences.push(Influence { column: fallback, weight: 1.0 });
    }
    influences
}

/// Welds the skinned parts into the solve mesh. Returns it with the solve vertex of each render
/// vertex. Vertices of rigid parts map to [`Asset::NOT_SOLVED`].
pub(super) fn solve_mesh(render: &RenderMesh) -> (Mesh, Vec<u32>) {
    let mut is_skinned = vec![false; render.positions.len()];
    let mut triangles = Vec::new();
    for part in render.parts.iter().filter(|part| matches!(part.attachment, Attachment::Skinned { .. })) {
        is_skinned[part.vertices.start as usize..part.vertices.end as usize].fill(true);
        triangles
            .extend_from_slice(&render.triangles[part.triangles.start as usize..part.triangles.end as usize]);
    }
    let mut compact = vec![Asset::NOT_SOLVED; is_skinned.len()];
    let mut positions = Vec::with_capacity(is_skinned.len());
    for vertex in (0..is_skinned.len()).filter(|&vertex| is_skinned[vertex]) {
        compact[vertex] = positions.len() as u32;
        positions.push(render.positions[vertex]);
    }
    triangles.iter_mut().flatten().for_each(|corner| *corner = compact[*corner as usize]);
    let welded = weld(&positions, &triangles);
    let solve_from_render = compact.into_iter().map(|compact| match compact {
        Asset::NOT_SOLVED => Asset::NOT_SOLVED,
        compact => welded.solve_from_render[compact as usize],
    });
    (welded.mesh, solve_from_render.collect())
}
