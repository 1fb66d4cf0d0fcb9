//! The vertices of a character on the GPU, skinned by the vertex shader.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use glam::{DAffine3, Vec2, Vec3, Vec4};
use three_d::{
    Context, ElementBuffer, Geometry, GeometryId, Interpolation, Program, RenderStates, Texture2D,
    VertexBuffer, Viewer, Wrapping,
};

use super::geometry::{drawn_by_us, ids};
use crate::deform::Rest;
use crate::model::RenderMesh;
use crate::view::field::Field;
use crate::view::graph_coloring::CHANNELS;
use crate::view::joints::{Group, Influences, JOINTS_PER_ROW, Skinning, TEXELS, joint_texels};
use crate::view::posed_character::Deformed;

/// The character's vertices, weights and joints.
pub(super) struct SkinnedMesh {
    context: Context,
    vertices: Rc<Vertices>,
    cpu_deformed: Option<CpuDeformed>,
    /// Whether `cpu_deformed` is drawn.
    draws_cpu_deformed: bool,
    field_colors: VertexBuffer<[f32; 3]>,
    field_places: VertexBuffer<f32>,
    field_channels: VertexBuffer<[f32; CHANNELS]>,
    influences: Option<GpuInfluences>,
    joints: Option<Texture2D>,
    skinning: Skinning,
}

/// What does not depend on weights.
struct Vertices {
    /// Before skinning, with morph targets.
    rest: RefCell<Alternating>,
    uvs: VertexBuffer<[f32; 2]>,
    colors: VertexBuffer<[f32; 4]>,
    triangles: ElementBuffer<u32>,
}

/// A shape that is filled again. Two buffers alternate: if a buffer is filled again, or replaced,
/// and nothing else was bound in between, some drivers still read the old contents. The second is
/// made when it is needed.
struct Alternating {
    /// The one that is drawn.
    front: Shape,
    back: Option<Shape>,
}

struct Shape {
    positions: VertexBuffer<[f32; 3]>,
    normals: VertexBuffer<[f32; 3]>,
}

/// Vertices deformed on the CPU. The skinning shader draws them too, with one identity joint:
/// another shader would have to be compiled when a correction is switched on.
struct CpuDeformed {
    shape: Alternating,
    influences: GpuInfluences,
    joints: Texture2D,
    skinning: Skinning,
}

struct GpuInfluences {
    first: GpuGroup,
    more: Option<GpuGroup>,
}

struct GpuGroup {
    joints: VertexBuffer<[u16; 4]>,
    weights: VertexBuffer<[f32; 4]>,
}

impl GpuGroup {
    fn new(context: &Context, group: &Group) -> Self {
        Self {
            joints: VertexBuffer::new_with_data(context, &group.joints),
            weights: VertexBuffer::new_with_data(context, &group.weights),
        }
    }
}

impl GpuInfluences {
    fn new(context: &Context, influences: &Influences) -> Self {
        Self {
            first: GpuGroup::new(context, &influences.first),
            more: influences.more.as_ref().map(|more| GpuGroup::new(context, more)),
        }
    }
}

impl CpuDeformed {
    fn new(context: &Context, deformed: &Deformed, skinning: Skinning) -> Self {
        let (width, height, texels) = identity_texels(skinning);
        let joints = data_texture(context, width, height);
        joints.fill(&texels);
        Self {
            shape: Alternating::new(context, &deformed.positions, &deformed.normals),
            influences: GpuInfluences::new(context, &Influences::rigid(deformed.positions.len())),
            joints,
            skinning,
        }
    }

    fn fill(&mut self, context: &Context, deformed: &Deformed, skinning: Skinning) {
        self.shape.fill(context, &deformed.positions, &deformed.normals);
        if skinning != self.skinning {
            self.joints.fill(&identity_texels(skinning).2);
            self.skinning = skinning;
        }
    }
}

/// One identity joint.
fn identity_texels(skinning: Skinning) -> (u32, u32, Vec<[f32; 4]>) {
    texture_rows(&joint_texels(&[DAffine3::IDENTITY], &[Vec3::ZERO], skinning))
}

impl Alternating {
    fn new(context: &Context, positions: &[Vec3], normals: &[Vec3]) -> Self {
        Self { front: Shape::new(context, positions, normals), back: None }
    }

    fn fill(&mut self, context: &Context, positions: &[Vec3], normals: &[Vec3]) {
        let next = match self.back.take() {
            Some(mut shape) => {
                shape.positions.fill(bytemuck::cast_slice(positions));
                shape.normals.fill(bytemuck::cast_slice(normals));
                shape
            }
            None => Shape::new(context, positions, normals),
        };
        self.back = Some(std::mem::replace(&mut self.front, next));
    }
}

impl Shape {
    fn new(context: &Context, positions: &[Vec3], normals: &[Vec3]) -> Self {
        Self {
            positions: VertexBuffer::new_with_data(context, bytemuck::cast_slice(positions)),
            normals: VertexBuffer::new_with_data(context, bytemuck::cast_slice(normals)),
        }
    }
}

impl Vertices {
    fn new(context: &Context, mesh: &RenderMesh) -> Self {
        let uvs: &[[f32; 2]] = bytemuck::cast_slice::<Vec2, _>(&mesh.uvs);
        let colors: &[[f32; 4]] = bytemuck::cast_slice::<Vec4, _>(&mesh.colors);
        let indices: &[u32] = bytemuck::cast_slice(&mesh.triangles);
        Self {
            rest: RefCell::new(Alternating::new(context, &mesh.positions, &mesh.normals)),
            uvs: VertexBuffer::new_with_data(context, uvs),
            colors: VertexBuffer::new_with_data(context, colors),
            triangles: ElementBuffer::new_with_data(context, indices),
        }
    }
}

impl SkinnedMesh {
    /// At rest, without weights.
    pub(super) fn new(context: &Context, mesh: &RenderMesh) -> Self {
        Self::of(context, Rc::new(Vertices::new(context, mesh)))
    }

    /// The same vertices once more, at rest and without weights.
    pub(super) fn beside(other: &Self) -> Self {
        Self::of(&other.context, other.vertices.clone())
    }

    fn of(context: &Context, vertices: Rc<Vertices>) -> Self {
        Self {
            context: context.clone(),
            vertices,
            cpu_deformed: None,
            draws_cpu_deformed: false,
            field_colors: VertexBuffer::new(context),
            field_places: VertexBuffer::new(context),
            field_channels: VertexBuffer::new(context),
            influences: None,
            joints: None,
            skinning: Skinning::Linear,
        }
    }

    /// Takes another shape before skinning, for all views that share the vertices.
    pub(super) fn set_rest(&self, rest: Rest<'_>) {
        self.vertices.rest.borrow_mut().fill(&self.context, rest.positions, rest.normals);
    }

    /// Takes other weights.
    pub(super) fn set_influences(&mut self, influences: &Influences) {
        self.influences = Some(GpuInfluences::new(&self.context, influences));
    }

    /// Takes another pose, as [`crate::view::joints::joint_texels`] lays it out.
    pub(super) fn set_joints(&mut self, texels: &[[f32; 4]], skinning: Skinning) {
        let (width, height, texels) = texture_rows(texels);
        let fits = self.joints.as_ref().is_some_and(|t| (t.width(), t.height()) == (width, height));
        if !fits {
            self.joints = (width > 0).then(|| data_texture(&self.context, width, height));
        }
        if let Some(joints) = &self.joints {
            joints.fill(&texels);
        }
        self.skinning = skinning;
    }

    /// Draws vertices deformed on the CPU; none to skin on the GPU again.
    pub(super) fn set_deformed(&mut self, deformed: Option<&Deformed>) {
        self.draws_cpu_deformed = deformed.is_some();
        let Some(deformed) = deformed else { return };
        match &mut self.cpu_deformed {
            Some(cpu_deformed) => cpu_deformed.fill(&self.context, deformed, self.skinning),
            none => *none = Some(CpuDeformed::new(&self.context, deformed, self.skinning)),
        }
    }

    /// Replaces the field; none for materials. Into new buffers: these attributes are read by one
    /// shader only, and if nothing else was bound in between, some drivers still read the old
    /// contents of a buffer.
    pub(super) fn set_field(&mut self, field: Option<&Field>) {
        if let Some(places) = field.and_then(Field::places) {
            self.field_places = VertexBuffer::new_with_data(&self.context, &places);
        }
        if let Some(categories) = field.and_then(Field::categories) {
            let colors = categories.vertex_colors();
            let colors: &[[f32; 3]] = bytemuck::cast_slice(&colors);
            self.field_colors = VertexBuffer::new_with_data(&self.context, colors);
            self.field_channels = VertexBuffer::new_with_data(&self.context, &categories.channel_margins());
        }
    }

    /// Some of its triangles.
    pub(super) fn part(&self, triangles: Range<u32>) -> Part<'_> {
        Part { mesh: self, triangles }
    }

    fn variant(&self) -> Variant {
        match self.held() {
            (Some(influences), Some(_)) => {
                Variant { skinning: Some(self.skinning), has_more: influences.more.is_some() }
            }
            _ => Variant { skinning: None, has_more: false },
        }
    }

    /// The influences and joints of the vertices that are drawn.
    fn held(&self) -> (Option<&GpuInfluences>, Option<&Texture2D>) {
        match self.shown_cpu_deformed() {
            Some(CpuDeformed { influences, joints, .. }) => (Some(influences), Some(joints)),
            None => (self.influences.as_ref(), self.joints.as_ref()),
        }
    }

    fn shown_cpu_deformed(&self) -> Option<&CpuDeformed> {
        self.cpu_deformed.as_ref().filter(|_| self.draws_cpu_deformed)
    }
}

/// Which of the vertex shader's variants is used.
#[derive(Clone, Copy)]
pub(super) struct Variant {
    /// None where vertices come as they are drawn.
    pub(super) skinning: Option<Skinning>,
    /// A second group of influences.
    pub(super) has_more: bool,
}

impl Variant {
    fn id(self) -> GeometryId {
        let skinning = match self.skinning {
            None => 0,
            Some(Skinning::Linear) => 1,
            Some(Skinning::DualQuaternion) => 2,
        };
        GeometryId(ids::SKINNED + skinning * 2 + u16::from(self.has_more))
    }

    /// The vertex shader, without its version line.
    pub(super) fn source(self) -> String {
        let skinning = match self.skinning {
            None => "",
            Some(Skinning::Linear) => "#define LINEAR\n",
            Some(Skinning::DualQuaternion) => "#define DUAL_QUATERNION\n",
        };
        let more = if self.has_more { "#define EIGHT\n" } else { "" };
        format!(
            "{skinning}{more}#define TEXELS {TEXELS}\n#define JOINTS_PER_ROW {JOINTS_PER_ROW}\n{}",
            include_str!("skinned.vert")
        )
    }
}

/// Texels in rows of whole joints, with the rows reversed because three-d stores images bottom row
/// first.
fn texture_rows(texels: &[[f32; 4]]) -> (u32, u32, Vec<[f32; 4]>) {
    let joints = texels.len() / TEXELS;
    let width = joints.min(JOINTS_PER_ROW) * TEXELS;
    if width == 0 {
        return (0, 0, Vec::new());
    }
    let mut rows: Vec<Vec<[f32; 4]>> = texels.chunks(width).map(<[_]>::to_vec).collect();
    rows.iter_mut().for_each(|row| row.resize(width, [0.0; 4]));
    rows.reverse();
    (width as u32, rows.len() as u32, rows.concat())
}

fn data_texture(context: &Context, width: u32, height: u32) -> Texture2D {
    let (nearest, clamp) = (Interpolation::Nearest, Wrapping::ClampToEdge);
    Texture2D::new_empty::<[f32; 4]>(context, width, height, nearest, nearest, None, clamp, clamp)
}

/// Some triangles of the mesh, as three-d draws them.
pub(super) struct Part<'a> {
    mesh: &'a SkinnedMesh,
    triangles: Range<u32>,
}

impl Part<'_> {
    fn context(&self) -> &Context {
        &self.mesh.context
    }
}

/// Sends an attribute where the shader reads it; what is not sent reads as zero.
fn attribute<T: three_d::BufferDataType>(program: &Program, name: &str, buffer: &VertexBuffer<T>) {
    if program.requires_attribute(name) {
        program.use_vertex_attribute(name, buffer);
    }
}

impl Geometry for Part<'_> {
    fn draw(&self, viewer: &dyn Viewer, program: &Program, states: RenderStates) {
        let mesh = self.mesh;
        program.use_uniform_if_required("viewProjection", viewer.projection() * viewer.view());
        let rest = mesh.vertices.rest.borrow();
        let shape = &mesh.shown_cpu_deformed().map_or(&*rest, |cpu_deformed| &cpu_deformed.shape).front;
        let (influences, joints) = mesh.held();
        attribute(program, "position", &shape.positions);
        attribute(program, "normal", &shape.normals);
        attribute(program, "uv", &mesh.vertices.uvs);
        attribute(program, "vertexColor", &mesh.vertices.colors);
        attribute(program, "fieldColor", &mesh.field_colors);
        attribute(program, "fieldPlace", &mesh.field_places);
        attribute(program, "fieldChannels", &mesh.field_channels);
        if let Some(influences) = influences {
            attribute(program, "joints", &influences.first.joints);
            attribute(program, "weights", &influences.first.weights);
            if let Some(more) = &influences.more {
                attribute(program, "moreJoints", &more.joints);
                attribute(program, "moreWeights", &more.weights);
            }
        }
        if let Some(joints) = joints.filter(|_| program.requires_uniform("jointTexels")) {
            program.use_texture("jointTexels", joints);
        }
        // three-d hands the first index on as an offset in bytes.
        let first = self.triangles.start * 3 * size_of::<u32>() as u32;
        let count = self.triangles.len() as u32 * 3;
        program.draw_subset_of_elements(states, viewer.viewport(), &mesh.vertices.triangles, first, count);
    }

    fn vertex_shader_source(&self) -> String {
        self.mesh.variant().source()
    }

    fn id(&self) -> GeometryId {
        self.mesh.variant().id()
    }

    drawn_by_us!();
}
