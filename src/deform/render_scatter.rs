//! Scatters corrections of welded vertices to the render vertices.
//!
//! In, once: an [`Asset`]. In, per frame: posed render vertices, and the displacements of welded
//! vertices. Out: the render vertices moved by these displacements, so that seams stay as they
//! were, and their normals rotated with the surface. Cost: a few operations per copy.

use glam::{DVec3, Vec3, Vec3A};

use super::Posed;
use super::volume::VolumeCorrection;
use crate::math::unit_or_f64;
use crate::model::{Asset, Mesh};

/// Cosine of the angle below which a normal counts as the surface normal, which other programs
/// weight differently. Larger: more normals take the slower path. Smaller: edited normals are lost.
const SURFACE_NORMAL_COSINE: f32 = 0.9995;

/// Squared length of the sum of two unit vectors below which they count as opposite, so that no
/// single rotation takes one to the other. Larger: normals jump where a surface folds over.
/// Smaller: rounding is amplified.
const OPPOSITE_TOLERANCE: f32 = 1e-3;

/// Marks welded vertices that [`RenderScatter::single_copy`] does not apply to.
const NO_SINGLE_COPY: u32 = u32::MAX;

/// Welded vertices in a frame, and their copies.
#[derive(Clone, Debug)]
pub(super) struct RenderScatter {
    /// Positions of welded vertices before and after corrections.
    pub(super) skinned: Vec<Vec3>,
    pub(super) posed: Vec<Vec3>,
    copies: Copies,
    /// The first copy of each welded vertex.
    render_from_solve: Vec<u32>,
    /// Whether welded and render vertices are the same.
    is_identity: bool,
    /// The render vertex of welded vertices that have a single copy with the surface normal; else
    /// [`NO_SINGLE_COPY`].
    single_copy: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    area_vectors: Vec<Vec3A>,
    /// Surface normal at rest, and mean normal of the copies at rest.
    rest_surface_normals: Vec<Vec3A>,
    rest_mean_normals: Vec<Vec3A>,
    /// Whether all copies have the surface normal.
    has_surface_normals: Vec<bool>,
    /// The welded vertices whose copies have other normals.
    edited: Vec<u32>,
    /// For these: the sum of the normals of their copies as skinned.
    skinned_normals: Vec<Vec3A>,
}

/// The render vertices of each welded vertex, concatenated.
#[derive(Clone, Debug)]
struct Copies {
    render_vertices: Vec<u32>,
    starts: Vec<u32>,
}

impl Copies {
    fn new(asset: &Asset, vertices: usize) -> Self {
        let solved = || (0..).zip(&asset.solve_from_render).filter(|(_, solve)| **solve != Asset::NOT_SOLVED);
        let mut starts = vec![0; vertices + 1];
        solved().for_each(|(_, &solve)| starts[solve as usize + 1] += 1);
        for vertex in 0..vertices {
            starts[vertex + 1] += starts[vertex];
        }
        let (mut render_vertices, mut next) = (vec![0; starts[vertices] as usize], starts.clone());
        for (render, &solve) in solved() {
            render_vertices[next[solve as usize] as usize] = render;
            next[solve as usize] += 1;
        }
        Self { render_vertices, starts }
    }

    fn of(&self, vertex: usize) -> &[u32] {
        &self.render_vertices[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }
}

impl RenderScatter {
    pub(super) fn new(asset: &Asset) -> Self {
        let render_from_solve = asset.render_from_solve();
        let vertices = render_from_solve.len();
        let rest_surface_normals = surface_normals(&asset.mesh);
        let copies = Copies::new(asset, vertices);
        let has_surface_normals = with_surface_normals(asset, &rest_surface_normals);
        let is_single = |v: usize| has_surface_normals[v] && copies.of(v).len() == 1;
        let single_copy = |v: usize| if is_single(v) { render_from_solve[v] } else { NO_SINGLE_COPY };
        Self {
            skinned: vec![Vec3::ZERO; vertices],
            posed: vec![Vec3::ZERO; vertices],
            is_identity: asset.solve_from_render.iter().copied().eq(0..vertices as u32),
            single_copy: (0..vertices).map(single_copy).collect(),
            copies,
            render_from_solve,
            triangles: asset.mesh.triangles().to_vec(),
            area_vectors: vec![Vec3A::ZERO; vertices],
            rest_surface_normals,
            rest_mean_normals: mean_normals(asset),
            edited: (0..vertices as u32).filter(|&v| !has_surface_normals[v as usize]).collect(),
            has_surface_normals,
            skinned_normals: vec![Vec3A::ZERO; vertices],
        }
    }

    /// One value per welded vertex from one per render vertex: that of its first copy.
    pub(super) fn gather<T: Copy>(&self, of_render: &[T]) -> Vec<T> {
        self.render_from_solve.iter().map(|&render| of_render[render as usize]).collect()
    }

    /// Reads a skinned frame.
    pub(super) fn read(&mut self, posed: &Posed) {
        if self.is_identity {
            self.skinned.copy_from_slice(posed.positions);
        } else {
            for (skinned, &render) in self.skinned.iter_mut().zip(&self.render_from_solve) {
                *skinned = posed.positions[render as usize];
            }
        }
        self.posed.copy_from_slice(&self.skinned);
        if posed.normals.is_empty() {
            return;
        }
        for &solve in &self.edited {
            let copies = self.copies.of(solve as usize).iter();
            self.skinned_normals[solve as usize] =
                copies.map(|&render| Vec3A::from(posed.normals[render as usize])).sum();
        }
    }

    /// Moves all copies of a welded vertex to its new position. Their normals rotate together, so
    /// that hard edges stay hard, by the rotation of the surface normal; `area` is the sum of the
    /// area vectors around the vertex.
    #[inline]
    fn scatter(&self, vertex: usize, at: Vec3, area: Vec3A, posed: &mut Posed) {
        let Some(position) = posed.positions.get_mut(self.single_copy[vertex] as usize) else {
            return self.scatter_to_copies(vertex, at, area, posed);
        };
        if *position == at {
            return;
        }
        *position = at;
        let surface_normal = area.normalize_or_zero();
        if let Some(normal) = posed.normals.get_mut(self.single_copy[vertex] as usize)
            && surface_normal != Vec3A::ZERO
        {
            *normal = surface_normal.into();
        }
    }

    #[inline(never)]
    fn scatter_to_copies(&self, vertex: usize, at: Vec3, area: Vec3A, posed: &mut Posed) {
        let by = at - self.skinned[vertex];
        if by == Vec3::ZERO {
            return;
        }
        let surface_normal = area.normalize_or_zero();
        for &render in self.copies.of(vertex) {
            posed.positions[render as usize] += by;
            let Some(normal) = posed.normals.get_mut(render as usize) else { continue };
            if !self.has_surface_normals[vertex] {
                *normal = self.rotated_normal(vertex, *normal, surface_normal);
            } else if surface_normal != Vec3A::ZERO {
                *normal = surface_normal.into();
            }
        }
    }

    /// A skinned normal after the rotation from the skinned to the corrected surface normal. The
    /// skinned one is the rest surface normal, rotated like the mean of the copies' normals.
    #[inline(always)]
    fn rotated_normal(&self, vertex: usize, normal: Vec3, surface_normal: Vec3A) -> Vec3 {
        let skinned_mean = self.skinned_normals[vertex].normalize_or_zero();
        let rest_mean = self.rest_mean_normals[vertex];
        let skinned = rotated(self.rest_surface_normals[vertex], rest_mean, skinned_mean);
        rotated(normal.into(), skinned, surface_normal).into()
    }

    /// Writes the positions of the volume correction, and scatters the vertices that it moves.
    pub(super) fn scatter_corrected(&mut self, volume: &mut VolumeCorrection, posed: &mut Posed) {
        let mut positions = std::mem::take(&mut self.posed);
        volume.write(&mut positions, |vertex, at, area| self.scatter(vertex, at, area, posed));
        self.posed = positions;
    }

    /// Scatters all welded vertices.
    pub(super) fn scatter_all(&mut self, posed: &mut Posed) {
        if !posed.normals.is_empty() {
            self.sum_area_vectors();
        }
        for vertex in 0..self.posed.len() {
            self.scatter(vertex, self.posed[vertex], self.area_vectors[vertex], posed);
        }
    }

    fn sum_area_vectors(&mut self) {
        self.area_vectors.fill(Vec3A::ZERO);
        for corners in &self.triangles {
            let [a, b, c] = corners.map(|v| Vec3A::from(self.posed[v as usize]));
            let area = (b - a).cross(c - a);
            corners.iter().for_each(|&corner| self.area_vectors[corner as usize] += area);
        }
    }
}

/// `normal` after the smallest rotation from one unit vector to another; unchanged if there is no
/// such rotation (opposite directions, or a zero vector).
#[inline]
pub(super) fn rotated(normal: Vec3A, from: Vec3A, to: Vec3A) -> Vec3A {
    let sum = from + to;
    let squared = sum.length_squared();
    if squared < OPPOSITE_TOLERANCE || from == Vec3A::ZERO || to == Vec3A::ZERO {
        return normal;
    }
    normal - sum * (2.0 * sum.dot(normal) / squared) + to * (2.0 * from.dot(normal))
}

/// Per welded vertex: whether the normals of all its copies are the surface normal.
fn with_surface_normals(asset: &Asset, surface_normals: &[Vec3A]) -> Vec<bool> {
    let mut all = vec![true; surface_normals.len()];
    for (normal, &solve) in asset.render.normals.iter().zip(&asset.solve_from_render) {
        if solve != Asset::NOT_SOLVED {
            let cosine = surface_normals[solve as usize].dot(Vec3A::from(*normal));
            all[solve as usize] &= cosine > SURFACE_NORMAL_COSINE;
        }
    }
    all
}

/// Area-weighted vertex normals, as in the frame loop.
fn surface_normals(mesh: &Mesh) -> Vec<Vec3A> {
    let mut sums = vec![DVec3::ZERO; mesh.positions().len()];
    for (triangle, corners) in mesh.triangles().iter().enumerate() {
        let [a, b, c] = mesh.corners(triangle).map(|p| p.as_dvec3());
        let area = (b - a).cross(c - a);
        corners.iter().for_each(|&v| sums[v as usize] += area);
    }
    sums.into_iter().map(|sum| unit_or_f64(sum, DVec3::ZERO).as_vec3a()).collect()
}

/// Per welded vertex: the mean of the normals of its copies.
fn mean_normals(asset: &Asset) -> Vec<Vec3A> {
    let mut sums = vec![Vec3A::ZERO; asset.mesh.positions().len()];
    for (normal, &solve) in asset.render.normals.iter().zip(&asset.solve_from_render) {
        if solve != Asset::NOT_SOLVED {
            sums[solve as usize] += Vec3A::from(*normal);
        }
    }
    sums.into_iter().map(Vec3A::normalize_or_zero).collect()
}
