//! The content of a file: render mesh, solve mesh, skeleton, clips, and the unchanged source
//! document.

use std::ops::Range;

use glam::{DAffine3, Vec2, Vec3, Vec4};
use serde::{Deserialize, Serialize};

use super::{Bone, Clip, Mesh, MorphTargets, Skeleton, Vrm, Weights};

/// A character as read from a file. Files split vertices at seams. The solve mesh is welded;
/// `solve_from_render` maps render vertices to solve vertices.
#[derive(Clone, Debug, Default)]
pub struct Asset {
    /// Display name.
    pub name: String,
    /// The welded mesh that methods compute on, in rest space.
    pub mesh: Mesh,
    /// The mesh that is drawn and exported, in the vertex order of the file.
    pub render: RenderMesh,
    /// The solve vertex of each render vertex; [`Asset::NOT_SOLVED`] in rigid parts.
    pub solve_from_render: Vec<u32>,
    /// The skeleton of the file, if it has one.
    pub skeleton: Option<Skeleton>,
    /// The weights of the file per render vertex and joint, if it has a skin.
    pub stored_weights: Option<Weights>,
    /// The render vertices without weights in the file. Their rows of `stored_weights` name the
    /// first joint of the skin.
    pub unweighted: Vec<u32>,
    /// Animation clips of the skeleton and of the weights of morph targets.
    pub clips: Vec<Clip>,
    /// Morph targets of the render mesh.
    pub morph_targets: MorphTargets,
    /// Materials of the parts.
    pub materials: Vec<Material>,
    /// Encoded images, as in the file.
    pub textures: Vec<Texture>,
    /// The version of VRM, if the file is a VRM avatar.
    pub vrm: Option<Vrm>,
    /// The glTF document, if the file is glTF.
    pub source: Option<Source>,
}

impl Asset {
    /// Marks a render vertex of a rigid part, which has no solve vertex.
    pub const NOT_SOLVED: u32 = u32::MAX;

    /// How far the character is turned about the vertical axis from looking along +Z, as glTF
    /// demands, in radians.
    pub fn front_yaw(&self) -> f32 {
        match self.vrm {
            Some(Vrm::V0) => std::f32::consts::PI,
            Some(Vrm::V1) | None => 0.0,
        }
    }

    /// Whether a material shows a texture. Others are only fallbacks.
    pub fn uses_texture(&self, index: usize) -> bool {
        self.materials.iter().any(|material| material.texture == Some(index))
    }

    /// The number of morph targets of the mesh with the most.
    pub fn morph_count(&self) -> usize {
        self.morph_targets.targets.iter().map(|target| target.number as usize + 1).max().unwrap_or(0)
    }

    /// The positions of all render vertices with the morph targets of one number at weight 1 and
    /// the others at 0, for each number.
    pub fn morph_shapes(&self) -> Vec<Vec<Vec3>> {
        let targets = &self.morph_targets;
        let mut shapes = vec![self.render.positions.clone(); self.morph_count()];
        for (index, target) in targets.targets.iter().enumerate() {
            for moved in targets.displacements_of(index) {
                shapes[target.number as usize][moved.vertex as usize] += moved.position;
            }
        }
        shapes
    }

    /// The first render vertex of every solve vertex.
    pub fn render_from_solve(&self) -> Vec<u32> {
        let mut first = vec![Self::NOT_SOLVED; self.mesh.positions().len()];
        for (render, &solve) in self.solve_from_render.iter().enumerate().rev() {
            if solve != Self::NOT_SOLVED {
                first[solve as usize] = render as u32;
            }
        }
        first
    }

    /// Replaces the skeleton and the clips. Stored weights refer to the old skeleton and are
    /// removed. Rigid parts follow the joint of the nearest bone.
    pub fn set_skeleton(&mut self, skeleton: Skeleton, clips: Vec<Clip>) {
        if let Some(source) = &mut self.source {
            source.joint_nodes = vec![None; skeleton.joints().len()];
            source.skins.clear();
            source.joints_moved = false;
        }
        for part in &mut self.render.parts {
            match &mut part.attachment {
                Attachment::Skinned { skin } => *skin = None,
                Attachment::Rigid { joint } => {
                    let vertices = part.vertices.start as usize..part.vertices.end as usize;
                    *joint = nearest_joint(&skeleton, &self.render.positions[vertices]);
                }
            }
        }
        self.skeleton = Some(skeleton);
        self.clips = clips;
        self.stored_weights = None;
        self.unweighted.clear();
    }

    /// Replaces the skeleton by one with the same joints at other positions, and the clips. The
    /// joints keep their nodes in the document. Stored weights belong to the old positions and are
    /// removed.
    ///
    /// # Panics
    /// If the number of joints differs.
    pub fn move_joints(&mut self, skeleton: Skeleton, clips: Vec<Clip>) {
        let before = self.skeleton.as_ref().map_or(0, |skeleton| skeleton.joints().len());
        assert_eq!(before, skeleton.joints().len(), "moving joints does not change their number");
        if let Some(source) = &mut self.source {
            // Joints without a node are written with their current transforms anyway.
            source.joints_moved = source.joint_nodes.iter().all(Option::is_some);
        }
        self.skeleton = Some(skeleton);
        self.clips = clips;
        self.stored_weights = None;
        self.unweighted.clear();
    }

    /// Panics with the reason if an invariant is violated. For tests.
    pub fn assert_well_formed(&self) {
        self.mesh.assert_well_formed();
        self.render.assert_well_formed();
        let vertices = self.render.positions.len();
        assert_eq!(self.solve_from_render.len(), vertices, "one solve vertex per render vertex");
        for part in &self.render.parts {
            let rigid = matches!(part.attachment, Attachment::Rigid { .. });
            for vertex in part.vertices.clone() {
                let solve = self.solve_from_render[vertex as usize];
                assert_eq!(solve == Self::NOT_SOLVED, rigid, "vertex {vertex} of part {}", part.name);
                assert!(
                    rigid || (solve as usize) < self.mesh.positions().len(),
                    "vertex {vertex} has no solve vertex"
                );
            }
        }
        self.morph_targets.assert_well_formed(vertices);
        if let Some(skeleton) = &self.skeleton {
            skeleton.assert_well_formed();
            self.clips.iter().for_each(|clip| clip.assert_well_formed(skeleton));
        }
        if let Some(weights) = &self.stored_weights {
            weights.assert_well_formed();
            assert_eq!(weights.vertices(), vertices, "stored weights for every render vertex");
        }
    }
}

/// The joint of the bone nearest to the middle of some points.
fn nearest_joint(skeleton: &Skeleton, points: &[Vec3]) -> usize {
    let low = points.iter().copied().fold(Vec3::INFINITY, Vec3::min);
    let high = points.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
    let middle = low.midpoint(high);
    let distance = |bone: &Bone| bone.nearest(middle).distance_squared(middle);
    let nearest = skeleton.bones().iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    nearest.map_or(0, |bone| bone.joint)
}

/// The mesh that is drawn: vertices in file order, in rest space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RenderMesh {
    /// One per vertex.
    pub positions: Vec<Vec3>,
    /// One unit vector per vertex.
    pub normals: Vec<Vec3>,
    /// One per vertex, or empty.
    pub uvs: Vec<Vec2>,
    /// One linear RGBA colour per vertex, or empty.
    pub colors: Vec<Vec4>,
    /// Three vertex indices each.
    pub triangles: Vec<[u32; 3]>,
    /// Ranges of vertices and triangles that come from one primitive.
    pub parts: Vec<Part>,
}

impl RenderMesh {
    /// Panics with the reason if an invariant is violated. For tests.
    pub fn assert_well_formed(&self) {
        let vertices = self.positions.len();
        assert!(self.positions.iter().all(|p| p.is_finite()), "a position is not finite");
        assert_eq!(self.normals.len(), vertices, "one normal per vertex");
        assert!(
            self.normals.iter().all(|n| (n.length() - 1.0).abs() < 1e-3),
            "a normal is not a unit vector"
        );
        assert!(self.uvs.is_empty() || self.uvs.len() == vertices, "uvs for all or none");
        assert!(self.colors.is_empty() || self.colors.len() == vertices, "colours for all or none");
        let (mut next_vertex, mut next_triangle) = (0, 0);
        for part in &self.parts {
            let is_shared = self.parts.iter().any(|other| other.vertices == part.vertices);
            assert!(part.vertices.start == next_vertex || is_shared, "parts are contiguous");
            assert_eq!(part.triangles.start, next_triangle, "parts are contiguous");
            (next_vertex, next_triangle) = (next_vertex.max(part.vertices.end), part.triangles.end);
            for t in &self.triangles[part.triangles.start as usize..part.triangles.end as usize] {
                assert!(
                    t.iter().all(|v| part.vertices.contains(v)),
                    "a triangle of part {} uses a vertex of another part",
                    part.name
                );
            }
        }
        assert_eq!((next_vertex as usize, next_triangle as usize), (vertices, self.triangles.len()));
    }
}

/// One primitive of one node. Primitives that share vertices have the same vertex range.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Display name.
    pub name: String,
    /// Range of vertices.
    pub vertices: Range<u32>,
    /// Range of triangles.
    pub triangles: Range<u32>,
    /// Index into [`Asset::materials`].
    pub material: Option<usize>,
    /// How it follows the skeleton.
    pub attachment: Attachment,
    /// From the coordinates of the primitive to rest space.
    pub rest_from_primitive: DAffine3,
}

/// How a part follows the skeleton.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Attachment {
    /// By weights. `skin` is its skin in the source document, if any.
    Skinned {
        /// Index into [`Source::skins`].
        skin: Option<usize>,
    },
    /// Rigidly, with one joint (for example a hat).
    Rigid {
        /// The joint.
        joint: usize,
    },
}

/// A material, reduced to the properties that the viewer draws.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// Display name.
    pub name: String,
    /// Linear RGBA.
    pub base_color: Vec4,
    /// Index into [`Asset::textures`].
    pub texture: Option<usize>,
    /// How the texture is sampled.
    pub sampler: Sampler,
    /// Whether back faces are drawn.
    pub double_sided: bool,
    /// How alpha is used.
    pub alpha: Alpha,
    /// Whether it is drawn without lighting.
    pub unlit: bool,
}

/// How a material uses alpha.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Alpha {
    /// Ignored.
    #[default]
    Opaque,
    /// Fragments with alpha below this value are discarded.
    Mask(f32),
    /// Blended with the background.
    Blend,
}

/// How a texture is sampled. The default is that of glTF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sampler {
    /// Outside of the image, along its width and its height.
    pub wrap: [Wrap; 2],
    /// Where a texel covers more than a pixel.
    pub mag: Filter,
    /// Where a pixel covers more than a texel.
    pub min: Filter,
    /// Between mipmap levels. `None` without mipmaps.
    pub mipmap: Option<Filter>,
}

impl Default for Sampler {
    fn default() -> Self {
        let linear = Filter::Linear;
        Self { wrap: [Wrap::Repeat; 2], mag: linear, min: linear, mipmap: Some(linear) }
    }
}

/// What texture coordinates outside of the image mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wrap {
    /// The image repeats.
    Repeat,
    /// The image repeats, every second time mirrored.
    MirroredRepeat,
    /// The texels of the edge continue.
    ClampToEdge,
}

impl Wrap {
    /// The coordinate inside the image, 0 to 1, of any coordinate.
    pub fn inside(self, coordinate: f32) -> f32 {
        match self {
            Self::Repeat => coordinate.rem_euclid(1.0),
            Self::MirroredRepeat => 1.0 - (coordinate.rem_euclid(2.0) - 1.0).abs(),
            Self::ClampToEdge => coordinate.clamp(0.0, 1.0),
        }
    }
}

/// Which texels are looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Filter {
    /// The nearest one.
    Nearest,
    /// The nearest ones, interpolated.
    Linear,
}

/// An encoded image.
#[derive(Clone, Debug, PartialEq)]
pub struct Texture {
    /// Where it is in the file, for messages.
    pub place: String,
    /// `image/png`, `image/jpeg`, …
    pub mime: String,
    /// The encoded bytes.
    pub bytes: Vec<u8>,
    /// Index of an image that shows the same, for when this one cannot be decoded.
    pub fallback: Option<usize>,
}

/// The source glTF document, and where its parts and joints are. Only `io` uses its content.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// The JSON text.
    pub json: String,
    /// The bytes of each buffer.
    pub buffers: Vec<Vec<u8>>,
    /// Images in separate files, by image index.
    pub images: Vec<(usize, Texture)>,
    /// (node, mesh, primitive) of each part.
    pub part_primitives: Vec<[usize; 3]>,
    /// The node of each joint; `None` for joints that the document does not contain.
    pub joint_nodes: Vec<Option<usize>>,
    /// The skins of the document.
    pub skins: Vec<SourceSkin>,
    /// Whether joints have moved from the positions of their nodes.
    pub joints_moved: bool,
    /// What surrounds the first buffer in the file, if that is a GLB as it was read.
    pub glb_frame: Option<GlbFrame>,
}

/// The bytes of a GLB around the payload of its binary chunk.
#[derive(Clone, Debug, PartialEq)]
pub struct GlbFrame {
    /// Header, JSON chunk, and the header of the binary chunk.
    pub before: Vec<u8>,
    /// Further chunks.
    pub after: Vec<u8>,
}

impl GlbFrame {
    /// The whole file.
    pub fn around(&self, payload: &[u8]) -> Vec<u8> {
        [&self.before, payload, &self.after].concat()
    }
}

/// A skin of the source document.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceSkin {
    /// Skeleton joints in the order of the skin.
    pub joints: Vec<usize>,
    /// From the mesh space of the skin to rest space.
    pub rest_from_mesh: DAffine3,
}
