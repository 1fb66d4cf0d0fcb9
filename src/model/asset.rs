//! Everything read from a file: what is drawn, what is solved on, the skeleton, and the untouched source.

use std::ops::Range;

use glam::{DAffine3, Vec2, Vec3, Vec4};
use serde::{Deserialize, Serialize};

use super::{Clip, Mesh, Skeleton, Weights};

/// A character as read. Files split vertices at seams; the solve mesh is welded and `solve_from_render`
/// leads from one to the other.
#[derive(Clone, Debug, Default)]
pub struct Asset {
    /// For people.
    pub name: String,
    /// The welded mesh every method works on, in rest space.
    pub mesh: Mesh,
    /// What is drawn and exported, vertex order as in the file.
    pub render: RenderMesh,
    /// The solve vertex of each render vertex; [`Asset::NOT_SOLVED`] in parts that hang rigidly on a joint.
    pub solve_from_render: Vec<u32>,
    /// As in the file, if it has one.
    pub skeleton: Option<Skeleton>,
    /// The file's own weights, per render vertex and joint, if it has a skin.
    pub stored_weights: Option<Weights>,
    /// Motions of the skeleton.
    pub clips: Vec<Clip>,
    /// What parts look like.
    pub materials: Vec<Material>,
    /// Encoded images, as in the file.
    pub textures: Vec<Texture>,
    /// The glTF document, for files that have one.
    pub source: Option<Source>,
}

impl Asset {
    /// Marks a render vertex that no method weighs.
    pub const NOT_SOLVED: u32 = u32::MAX;

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

    /// Replaces the skeleton and the motions by others; stored weights, which speak of the old one, go.
    pub fn set_skeleton(&mut self, skeleton: Skeleton, clips: Vec<Clip>) {
        if let Some(source) = &mut self.source {
            source.joint_nodes = vec![None; skeleton.joints().len()];
            source.skins.clear();
            source.joints_moved = false;
        }
        for part in &mut self.render.parts {
            if let Attachment::Skinned { skin } = &mut part.attachment {
                *skin = None;
            }
        }
        self.skeleton = Some(skeleton);
        self.clips = clips;
        self.stored_weights = None;
    }

    /// Takes the same joints in other places, and the motions that go with them. They stay the document's
    /// joints; stored weights, which speak of the old places, go.
    ///
    /// # Panics
    /// When there are more or fewer joints than before.
    pub fn move_joints(&mut self, skeleton: Skeleton, clips: Vec<Clip>) {
        let before = self.skeleton.as_ref().map_or(0, |skeleton| skeleton.joints().len());
        assert_eq!(before, skeleton.joints().len(), "moving joints makes and loses none");
        if let Some(source) = &mut self.source {
            // Joints that the document lacks are written as they are now.
            source.joints_moved = source.joint_nodes.iter().all(Option::is_some);
        }
        self.skeleton = Some(skeleton);
        self.clips = clips;
        self.stored_weights = None;
    }

    /// Panics with the reason if an invariant does not hold. For tests.
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
                    "vertex {vertex} leads nowhere"
                );
            }
        }
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

/// What is drawn: vertices as the file has them, in rest space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RenderMesh {
    /// One per vertex.
    pub positions: Vec<Vec3>,
    /// One unit vector per vertex.
    pub normals: Vec<Vec3>,
    /// One per vertex, or none at all.
    pub uvs: Vec<Vec2>,
    /// One linear RGBA colour per vertex, or none at all.
    pub colors: Vec<Vec4>,
    /// Three vertices each.
    pub triangles: Vec<[u32; 3]>,
    /// Stretches of vertices and triangles that came from one primitive.
    pub parts: Vec<Part>,
}

impl RenderMesh {
    /// Panics with the reason if an invariant does not hold. For tests.
    pub fn assert_well_formed(&self) {
        let vertices = self.positions.len();
        assert!(self.positions.iter().all(|p| p.is_finite()), "a position is not a number");
        assert_eq!(self.normals.len(), vertices, "one normal per vertex");
        assert!(
            self.normals.iter().all(|n| (n.length() - 1.0).abs() < 1e-3),
            "a normal is not a unit vector"
        );
        assert!(self.uvs.is_empty() || self.uvs.len() == vertices, "uvs for all or none");
        assert!(self.colors.is_empty() || self.colors.len() == vertices, "colours for all or none");
        let (mut next_vertex, mut next_triangle) = (0, 0);
        for part in &self.parts {
            let shares = self.parts.iter().any(|other| other.vertices == part.vertices);
            assert!(part.vertices.start == next_vertex || shares, "parts follow each other without gaps");
            assert_eq!(part.triangles.start, next_triangle, "parts follow each other without gaps");
            (next_vertex, next_triangle) = (next_vertex.max(part.vertices.end), part.triangles.end);
            for t in &self.triangles[part.triangles.start as usize..part.triangles.end as usize] {
                assert!(
                    t.iter().all(|v| part.vertices.contains(v)),
                    "a triangle leaves its part {}",
                    part.name
                );
            }
        }
        assert_eq!((next_vertex as usize, next_triangle as usize), (vertices, self.triangles.len()));
    }
}

/// One primitive as it stands in the scene. Primitives that share their vertices share the stretch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// For people.
    pub name: String,
    /// Its vertices.
    pub vertices: Range<u32>,
    /// Its triangles.
    pub triangles: Range<u32>,
    /// Index into [`Asset::materials`].
    pub material: Option<usize>,
    /// How it follows the skeleton.
    pub attachment: Attachment,
    /// From the primitive's own coordinates to rest space.
    pub rest_from_primitive: DAffine3,
}

/// How a part follows the skeleton.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Attachment {
    /// By weights; `skin` is the source's skin it has, if any.
    Skinned {
        /// Index into [`Source::skins`].
        skin: Option<usize>,
    },
    /// As a whole, with one joint (a hat on the head, say).
    Rigid {
        /// The joint.
        joint: usize,
    },
}

/// What a part looks like, as far as the viewer shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// For people.
    pub name: String,
    /// Linear RGBA.
    pub base_color: Vec4,
    /// Index into [`Asset::textures`].
    pub texture: Option<usize>,
    /// Whether back faces are drawn.
    pub double_sided: bool,
    /// How alpha is used.
    pub alpha: Alpha,
}

/// How a material uses its alpha.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Alpha {
    /// Ignored.
    #[default]
    Opaque,
    /// Drawn where at least this much.
    Mask(f32),
    /// Mixed with what lies behind.
    Blend,
}

/// An encoded image.
#[derive(Clone, Debug, PartialEq)]
pub struct Texture {
    /// `image/png`, `image/jpeg`, …
    pub mime: String,
    /// As in the file.
    pub bytes: Vec<u8>,
}

/// A glTF document as it came, and where in it our parts and joints are; only `io` looks inside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// The JSON text.
    pub json: String,
    /// The bytes of each buffer.
    pub buffers: Vec<Vec<u8>>,
    /// Image files given beside the document, by image index.
    pub images: Vec<(usize, Texture)>,
    /// (node, mesh, primitive) of each part.
    pub part_places: Vec<[usize; 3]>,
    /// The node of each joint; none for joints the document does not have.
    pub joint_nodes: Vec<Option<usize>>,
    /// The document's skins.
    pub skins: Vec<SourceSkin>,
    /// The document's joints stand elsewhere now than its nodes say.
    pub joints_moved: bool,
}

/// A skin of the source document.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceSkin {
    /// Skeleton joints in the skin's own order.
    pub joints: Vec<usize>,
    /// From the coordinates its meshes are stored in to rest space.
    pub rest_from_mesh: DAffine3,
}
