//! The demo characters: signed distance fields made into closed meshes at any resolution, with skeletons
//! and motions.
//!
//! In: a [`SampleCharacter`] and a vertex count. Out: a [`GeneratedCharacter`]: one closed, outward, genus-0 manifold of
//! even triangles within a tenth of the count, a skeleton inside it and one or two looping clips. The same
//! request gives the same bytes every time and on every machine: nothing is random and nothing asks the
//! platform for a transcendental function.
//!
//! The way: `sdf` describes a body made of `solid`s, `field` answers quickly where its surface is, `extract` follows that
//! surface through a grid (`cubes`), `remesh` evens the triangles out, `decimate` goes below what even
//! triangles can show. The cylinder is built ring by ring instead: it is the analytic test body.
//! All stand on y = 0 or around the origin, y up, facing +Z; their left is +X.

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
    Alpha, Asset, Attachment, Clip, Material, Mesh, MeshError, Part, RenderMesh, Skeleton, SkeletonError,
};

/// Who can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum SampleCharacter {
    /// A tube along X of radius 1 and length 8 around the origin, with two bones on its axis.
    Cylinder,
    /// The same tube, its two bones half a radius above the axis.
    CylinderOffCentre,
    /// A left arm, palm down, along +X.
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
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Cylinder,
        Self::CylinderOffCentre,
        Self::Arm,
        Self::Hand,
        Self::Mannequin,
        Self::Elephant,
        Self::Giraffe,
    ];

    /// As it is called on the command line and in links.
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

    /// The one of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|member| member.name() == name)
    }

    /// Enough vertices to look smooth, few enough to be solved while one watches.
    pub fn default_vertices(self) -> usize {
        match self {
            Self::Cylinder | Self::CylinderOffCentre => 256,
            Self::Arm => 2_000,
            Self::Hand => 4_000,
            Self::Mannequin => 3_000,
            Self::Elephant | Self::Giraffe => 6_000,
        }
    }
}

/// How many vertices may be asked for.
pub const VERTICES: RangeInclusive<usize> = 200..=1_000_000;

/// Why a character cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SampleError {
    /// Too few or too many vertices.
    #[error(
        "{asked} vertices cannot be made; ask for {} to {}",
        VERTICES.start(),
        VERTICES.end()
    )]
    VertexCount {
        /// How many were asked for.
        asked: usize,
    },
    /// The mesh came out broken: a bug of ours.
    #[error("the character's mesh is broken, which is a bug: {0}")]
    Mesh(#[from] MeshError),
    /// The skeleton came out broken: a bug of ours.
    #[error("the character's skeleton is broken, which is a bug: {0}")]
    Skeleton(#[from] SkeletonError),
}

/// A body, its bones and its motions.
#[derive(Clone, Debug, PartialEq)]
pub struct GeneratedCharacter {
    /// Closed, outward, of genus 0.
    pub mesh: Mesh,
    /// Inside the mesh.
    pub skeleton: Skeleton,
    /// Loops; the first is the one to show.
    pub clips: Vec<Clip>,
}

/// Makes a character of `vertices` vertices, within a tenth.
///
/// # Errors
/// When the count is not among [`VERTICES`].
pub fn make(member: SampleCharacter, vertices: usize) -> Result<GeneratedCharacter, SampleError> {
    if !VERTICES.contains(&vertices) {
        return Err(SampleError::VertexCount { asked: vertices });
    }
    match (model(member)?, member) {
        (Some(model), _) => build::build(model, vertices),
        (None, SampleCharacter::CylinderOffCentre) => cylinder::make(vertices, cylinder::OFF_CENTRE),
        (None, _) => cylinder::make(vertices, Vec3::ZERO),
    }
}

/// The character around a mesh that [`make`] made of it before; none for cylinders, which take no time to make.
///
/// # Errors
/// When its skeleton is broken, which is a bug.
pub fn remade(member: SampleCharacter, mesh: Mesh) -> Result<Option<GeneratedCharacter>, SampleError> {
    let model = model(member)?;
    Ok(model.map(|build::Model { skeleton, clips, .. }| GeneratedCharacter { mesh, skeleton, clips }))
}

/// What is described as a body; cylinders are not.
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

/// Linear colour of warm, unpainted clay: it shows shape and weights without pretending to be skin.
const CLAY: Vec4 = Vec4::new(0.62, 0.56, 0.50, 1.0);

impl GeneratedCharacter {
    /// As if read from a file without seams, of one part and one neutral material.
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
            double_sided: false,
            alpha: Alpha::Opaque,
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

/// One unit normal per vertex: its triangles' normals, weighted as Max (1999) does, by the sine of the
/// angle over the product of the edges; exact on spheres, and free of transcendental functions.
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
