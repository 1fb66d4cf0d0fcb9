//! The sample characters: signed distance fields meshed at any resolution, with skeletons and
//! clips.
//!
//! Input: a [`SampleCharacter`] and a vertex count. Output: a [`GeneratedCharacter`]: one closed
//! genus-0 manifold, oriented outwards, of similar triangles, within a tenth of the count; a
//! skeleton inside it; and one or two looping clips. The same request gives the same bytes on every
//! machine: nothing is random, and no transcendental function of the platform is used.
//!
//! Steps: `sdf` describes a body made of `solid`s, `field` evaluates it efficiently, `extract`
//! meshes it by marching cubes (`cubes`), `remesh` makes the triangles similar, and `decimate`
//! reduces the count further. The cylinder is built ring by ring instead, because it is the
//! analytic test body. All stand on y = 0 or around the origin, with y up, facing +Z; their left is
//! +X.

mod arm;
mod build;
mod cubes;
mod cylinder;
mod decimate;
mod elephant;
mod extract;
mod field;
mod giraffe;
mod hand;
mod limbs;
mod mannequin;
mod motion;
mod remesh;
mod rigging;
mod sdf;
mod solid;
pub mod stored;
mod surface;
mod trig;

use std::ops::RangeInclusive;

use glam::{DAffine3, Vec3, Vec4};
use serde::{Deserialize, Serialize};

use crate::model::{
    Alpha, Asset, Attachment, Clip, Material, Mesh, MeshError, Part, RenderMesh, Sampler, Skeleton,
    SkeletonError,
};

/// The sample characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum SampleCharacter {
    /// A tube along X of radius 1 and length 8 around the origin, with two bones on its axis.
    Cylinder,
    /// The same tube with its two bones half a radius above the axis.
    CylinderOffCentre,
    /// A left arm along +X, palm forward, thumb up.
    Arm,
    /// A right hand, fingers up, palm forward.
    Hand,
    /// A person of 1.75 units.
    Mannequin,
    /// An African elephant, 3 units high.
    Elephant,
    /// A giraffe, 5 units high.
    Giraffe,
}

impl SampleCharacter {
    /// All sample characters.
    pub const ALL: [Self; 7] = [
        Self::Cylinder,
        Self::CylinderOffCentre,
        Self::Arm,
        Self::Hand,
        Self::Mannequin,
        Self::Elephant,
        Self::Giraffe,
    ];

    /// The name on the command line and in links.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cylinder => "cylinder",
            Self::CylinderOffCentre => "cylinder-off-centre",
            Self::Arm => "arm",
            Self::Hand => "hand",
            Self::Mannequin => "mannequin",
            Self::Elephant => "elephant",
            Self::Giraffe => "giraffe",
        }
    }

    /// The sample character of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|character| character.name() == name)
    }

    /// The default vertex count: enough to look smooth, few enough to solve interactively.
    pub fn default_vertices(self) -> usize {
        match self {
            Self::Cylinder | Self::CylinderOffCentre => 256,
            Self::Arm => 2_000,
            Self::Hand => 4_000,
            Self::Mannequin => 5_000,
            Self::Elephant | Self::Giraffe => 6_000,
        }
    }

    /// The number of vertices of the file that ships with the site. The studio opens with the
    /// mannequin: 3,000 vertices look like 5,000 and load sooner.
    pub fn site_vertices(self) -> usize {
        if self == Self::Mannequin { 3_000 } else { self.default_vertices() }
    }
}

/// The range of vertex counts.
pub const VERTICES: RangeInclusive<usize> = 200..=1_000_000;

/// Why a character cannot be generated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SampleError {
    /// Too few or too many vertices.
    #[error(
        "{requested} vertices are out of range; choose {} to {}",
        VERTICES.start(),
        VERTICES.end()
    )]
    VertexCount {
        /// The requested count.
        requested: usize,
    },
    /// The generated mesh is invalid, which is a bug.
    #[error("the generated mesh is invalid, which is a bug: {0}")]
    Mesh(#[from] MeshError),
    /// The generated skeleton is invalid, which is a bug.
    #[error("the generated skeleton is invalid, which is a bug: {0}")]
    Skeleton(#[from] SkeletonError),
}

/// A mesh, its skeleton and its clips.
#[derive(Clone, Debug, PartialEq)]
pub struct GeneratedCharacter {
    /// Closed, oriented outwards, of genus 0.
    pub mesh: Mesh,
    /// Inside the mesh.
    pub skeleton: Skeleton,
    /// Looping clips. The first is the default.
    pub clips: Vec<Clip>,
}

/// Generates a character with `vertices` vertices, within a tenth.
///
/// # Errors
/// If the count is not in [`VERTICES`].
pub fn make(member: SampleCharacter, vertices: usize) -> Result<GeneratedCharacter, SampleError> {
    if !VERTICES.contains(&vertices) {
        return Err(SampleError::VertexCount { requested: vertices });
    }
    match (model(member)?, member) {
        (Some(model), _) => build::build(model, vertices),
        (None, SampleCharacter::CylinderOffCentre) => cylinder::make(vertices, cylinder::OFF_CENTRE),
        (None, _) => cylinder::make(vertices, Vec3::ZERO),
    }
}

/// The character for a mesh that [`make`] generated before. `None` for cylinders, which take no
/// time to generate.
///
/// # Errors
/// If its skeleton is invalid, which is a bug.
pub fn remade(member: SampleCharacter, mesh: Mesh) -> Result<Option<GeneratedCharacter>, SampleError> {
    let model = model(member)?;
    Ok(model.map(|build::Model { skeleton, clips, .. }| GeneratedCharacter { mesh, skeleton, clips }))
}

/// The model of a character. `None` for cylinders.
fn model(member: SampleCharacter) -> Result<Option<build::Model>, SampleError> {
    Ok(match member {
        SampleCharacter::Cylinder | SampleCharacter::CylinderOffCentre => None,
        SampleCharacter::Arm => Some(arm::model()?),
        SampleCharacter::Hand => Some(hand::model()?),
        SampleCharacter::Mannequin => Some(mannequin::model()?),
        SampleCharacter::Elephant => Some(elephant::model()?),
        SampleCharacter::Giraffe => Some(giraffe::model()?),
    })
}

/// Linear colour of warm clay, which shows shape and weights well.
const CLAY: Vec4 = Vec4::new(0.62, 0.56, 0.50, 1.0);

impl GeneratedCharacter {
    /// The character as an asset without seams, with one part and one neutral material.
    pub fn into_asset(self, name: impl Into<String>) -> Asset {
        let name = name.into();
        let (positions, triangles) = (self.mesh.positions().to_vec(), self.mesh.triangles().to_vec());
        let vertices = positions.len() as u32;
        let part = Part {
            name: name.clone(),
            vertices: 0..vertices,
            triangles: 0..triangles.len() as u32,
            material: Some(0),
            attachment: Attachment::Skinned { skin: None },
            rest_from_primitive: DAffine3::IDENTITY,
        };
        let render = RenderMesh {
            positions,
            normals: smooth_normals(&self.mesh),
            triangles,
            parts: vec![part],
            ..RenderMesh::default()
        };
        let clay = Material {
            name: "clay".into(),
            base_color: CLAY,
            texture: None,
            sampler: Sampler::default(),
            double_sided: false,
            alpha: Alpha::Opaque,
            unlit: false,
        };
        Asset {
            name,
            mesh: self.mesh,
            render,
            solve_from_render: (0..vertices).collect(),
            skeleton: Some(self.skeleton),
            clips: self.clips,
            materials: vec![clay],
            ..Asset::default()
        }
    }
}

/// One unit normal per vertex: the normals of its triangles, weighted by the sine of the angle over
/// the product of the edge lengths (Max 1999). Exact on spheres, and without transcendental
/// functions.
fn smooth_normals(mesh: &Mesh) -> Vec<Vec3> {
    let mut sums = vec![Vec3::ZERO; mesh.positions().len()];
    for (triangle, corners) in mesh.triangles().iter().enumerate() {
        let points = mesh.corners(triangle);
        for i in 0..3 {
            let (to_next, to_last) = (points[(i + 1) % 3] - points[i], points[(i + 2) % 3] - points[i]);
            let squares = to_next.length_squared() * to_last.length_squared();
            sums[corners[i] as usize] += to_next.cross(to_last) / squares.max(f32::MIN_POSITIVE);
        }
    }
    sums.into_iter().map(|sum| crate::math::unit_or(sum, Vec3::Y)).collect()
}
