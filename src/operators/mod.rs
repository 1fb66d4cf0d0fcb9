//! Quantities that are computed once per mesh, and solvers.
//!
//! In: the vertices of a file, or a welded [`Mesh`]. Out: [`weld()`] makes the solve mesh.
//! [`MeshGeometry`] stores it together with everything derived from it, each computed at first use:
//! normals, adjacency, a bounding volume hierarchy ([`Bvh`]), which components are solid
//! ([`Components`]), the [`Laplacian`]. [`sparse`] and [`qp`] solve with such matrices.

pub mod bvh;
mod components;
mod dense;
mod groups;
mod laplacian;
mod lattice;
mod morton;
mod normals;
pub mod qp;
pub mod sparse;
mod weld;

use std::sync::OnceLock;

use glam::Vec3;

pub use bvh::Bvh;
pub use components::{ComponentKind, Components};
pub use dense::DenseFactor;
pub use groups::edge_groups;
pub use laplacian::Laplacian;
pub use lattice::{Lattice, LatticePoint};
pub use morton::morton_order;
pub use normals::{normals_of, vertex_normals};
pub use weld::{Welded, rewelded, weld};

use crate::model::{Mesh, Topology};

/// A mesh and its lazily computed geometric quantities, each computed at most once.
#[derive(Clone, Debug, Default)]
pub struct MeshGeometry {
    mesh: Mesh,
    topology: OnceLock<Topology>,
    normals: OnceLock<Vec<Vec3>>,
    bvh: OnceLock<Bvh>,
    components: OnceLock<Components>,
    mean_edge: OnceLock<f64>,
    laplacian: OnceLock<Laplacian>,
}

impl MeshGeometry {
    /// Copies `mesh`. Computes nothing yet.
    pub fn of(mesh: &Mesh) -> Self {
        Self { mesh: mesh.clone(), ..Self::default() }
    }

    /// The mesh.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Adjacency of vertices, edges and triangles.
    pub fn topology(&self) -> &Topology {
        self.topology.get_or_init(|| Topology::of(&self.mesh))
    }

    /// Unit vertex normals.
    pub fn normals(&self) -> &[Vec3] {
        self.normals.get_or_init(|| vertex_normals(&self.mesh))
    }

    /// The bounding volume hierarchy of the triangles.
    pub fn bvh(&self) -> &Bvh {
        self.bvh.get_or_init(|| Bvh::of(&self.mesh))
    }

    /// The connected components: which are solid, and how they are oriented.
    pub fn components(&self) -> &Components {
        self.components.get_or_init(|| Components::of(&self.mesh, self.topology()))
    }

    /// Stiffness matrix and masses of the surface.
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
