//! What is measured once per mesh and asked many times.
//!
//! In: the vertices of a file, or a welded [`Mesh`]. Out: [`weld()`] makes the solve mesh; [`MeshGeometry`]
//! holds it with everything measured on it, each thing when it is first asked for: normals, adjacency,
//! a tree of boxes ([`Bvh`]), which parts are solid ([`Parts`]), the [`Laplacian`]. Cost: nothing until asked.
//! [`sparse`] solves with such matrices.

pub mod bvh;
mod dense;
mod groups;
mod laplacian;
mod lattice;
mod nearby;
mod normals;
mod parts;
pub mod qp;
pub mod sparse;
mod weld;

use std::sync::OnceLock;

use glam::Vec3;

pub use bvh::Bvh;
pub use dense::DenseFactor;
pub use groups::edge_groups;
pub use laplacian::Laplacian;
pub use lattice::{Lattice, Place};
pub use nearby::nearby_order;
pub use normals::{normals_of, vertex_normals};
pub use parts::{Part, Parts};
pub use weld::{Welded, rewelded, weld};

use crate::model::{Mesh, Topology};

/// A mesh and what is measured on it, every measurement made at most once.
#[derive(Clone, Debug, Default)]
pub struct MeshGeometry {
    mesh: Mesh,
    topology: OnceLock<Topology>,
    normals: OnceLock<Vec<Vec3>>,
    bvh: OnceLock<Bvh>,
    parts: OnceLock<Parts>,
    mean_edge: OnceLock<f64>,
    laplacian: OnceLock<Laplacian>,
}

impl MeshGeometry {
    /// Keeps a copy of `mesh`; measures nothing yet.
    pub fn of(mesh: &Mesh) -> Self {
        Self { mesh: mesh.clone(), ..Self::default() }
    }

    /// What is measured.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Which vertices, edges and triangles touch.
    pub fn topology(&self) -> &Topology {
        self.topology.get_or_init(|| Topology::of(&self.mesh))
    }

    /// One unit vector per vertex.
    pub fn normals(&self) -> &[Vec3] {
        self.normals.get_or_init(|| vertex_normals(&self.mesh))
    }

    /// What is nearest and what a ray meets.
    pub fn bvh(&self) -> &Bvh {
        self.bvh.get_or_init(|| Bvh::of(&self.mesh))
    }

    /// Which parts are solid, and which way they face.
    pub fn parts(&self) -> &Parts {
        self.parts.get_or_init(|| Parts::of(&self.mesh, self.topology()))
    }

    /// Stiffness and masses of the surface.
    pub fn laplacian(&self) -> &Laplacian {
        self.laplacian.get_or_init(|| Laplacian::of(&self.mesh, self.topology()))
    }

    /// The mean length of an edge, in mesh units; 0 without edges.
    pub fn mean_edge(&self) -> f64 {
        *self.mean_edge.get_or_init(|| {
            let at = |v: u32| self.mesh.positions()[v as usize].as_dvec3();
            let edges = self.topology().edges();
            let sum: f64 = edges.iter().map(|edge| at(edge.ends[0]).distance(at(edge.ends[1]))).sum();
            sum / edges.len().max(1) as f64
        })
    }
}
