//! What is measured once per mesh and asked many times.
//!
//! In: the vertices of a file, or a welded [`Mesh`](crate::model::Mesh). Out: [`weld`] makes the solve
//! mesh, [`vertex_normals`] its normals, [`Bvh`] answers what is nearest and what a ray meets.

pub mod bvh;
mod normals;
mod weld;

pub use bvh::Bvh;
pub use normals::{normals_of, vertex_normals};
pub use weld::{Welded, weld};
