//! What is drawn, as copies of the welded vertices that are corrected.
//!
//! In, once: an [`Asset`]. In, per frame: posed render vertices, and by how much welded ones were moved. Out: the render vertices moved by
//! as much, so that seams stay closed where they were and open where they were, and their normals turned with the surface. Cost: a few operations per copy.

use glam::{DVec3, Vec3, Vec3A};

use super::Posed;
use super::volume::Volume;
use crate::math::unit_or_f64;
use crate::model::{Asset, Mesh};

/// Normals this near (as a cosine) to the surface's are the surface's: it is weighted otherwise. Larger: takes longer. Smaller: painted normals are lost.
const PLAIN: f32 = 0.9995;

/// Welded vertices in a frame, and their copies.
#[derive(Clone, Debug)]
pub(super) struct RenderScatter {
    /// Before and after they are corrected.
    pub(super) skinned: Vec<Vec3>,
    pub(super) posed: Vec<Vec3>,
    /// The copies of each, one list after the other, and where its own begins; and the first of each.
    copies: Vec<u32>,
    starts: Vec<u32>,
    render_from_solve: Vec<u32>,
    /// Whether every vertex has one copy, and both have the same number.
    is_same: bool,
    /// The one copy of each that has no other, and whose normal is the surface's; of others nothing.
    sole: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    areas: Vec<Vec3A>,
    /// At rest: the surface's unit normal, and the mean of the copies' normals.
    rest_surface: Vec<Vec3A>,
    rest_mean: Vec<Vec3A>,
    /// Whether the normals of all copies are the surface's.
    is_plain: Vec<bool>,
    /// Those of which they are not, and the sum of their copies' normals as skinned.
    painted: Vec<u32>,
    before: Vec<Vec3A>,
}

impl RenderScatter {
    pub(super) fn new(asset: &Asset) -> Self {
        let render_from_solve = asset.render_from_solve();
        let vertices = render_from_solve.len();
        let (rest_surface, rest_mean) = (rest_surface(&asset.mesh), rest_mean(asset));
        let (copies, starts) = copies(asset, vertices);
        let mut is_plain = vec![true; vertices];
        for (normal, &solve) in asset.render.normals.iter().zip(&asset.solve_from_render) {
            if solve != Asset::NOT_SOLVED {
                is_plain[solve as usize] &= rest_surface[solve as usize].dot(Vec3A::from(*normal)) > PLAIN;
            }
        }
        let is_sole = |vertex: usize| is_plain[vertex] && copies_of(&copies, &starts, vertex).len() == 1;
        let sole = (0..vertices).map(|v| if is_sole(v) { render_from_solve[v] } else { u32::MAX }).collect();
        let is_same = asset.solve_from_render.iter().copied().eq(0..vertices as u32);
        Self {
            is_same,
            sole,
            skinned: vec![Vec3::ZERO; vertices],
            posed: vec![Vec3::ZERO; vertices],
            copies,
            starts,
            render_from_solve,
            triangles: asset.mesh.triangles().to_vec(),
            areas: vec![Vec3A::ZERO; vertices],
            rest_surface,
            rest_mean,
            painted: (0..vertices as u32).filter(|&v| !is_plain[v as usize]).collect(),
            is_plain,
            before: vec![Vec3A::ZERO; vertices],
        }
    }

    /// One value per welded vertex, out of one per render vertex: its first copy's.
    pub(super) fn gather<T: Copy>(&self, of_render: &[T]) -> Vec<T> {
        self.render_from_solve.iter().map(|&render| of_render[render as usize]).collect()
    }

    /// Takes a frame as it is skinned.
    pub(super) fn take(&mut self, posed: &Posed) {
        if self.is_same {
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
        for &solve in &self.painted {
            let copies = copies_of(&self.copies, &self.starts, solve as usize).iter();
            self.before[solve as usize] =
                copies.map(|&render| Vec3A::from(posed.normals[render as usize])).sum();
        }
    }

    /// Moves all copies of a vertex that is now `at` a place by as much as it has moved. Their normals turn together, so that hard edges stay hard,
    /// by as much as they are off the surface that is now under them, beyond what they were off at rest; `area` is the sum of the area
    /// vectors around it.
    #[inline]
    fn show(&self, vertex: usize, at: Vec3, area: Vec3A, posed: &mut Posed) {
        let Some(position) = posed.positions.get_mut(self.sole[vertex] as usize) else {
            return self.show_copies(vertex, at, area, posed);
        };
        if *position == at {
            return;
        }
        *position = at;
        let now = area.normalize_or_zero();
        if let Some(normal) = posed.normals.get_mut(self.sole[vertex] as usize)
            && now != Vec3A::ZERO
        {
            *normal = now.into();
        }
    }

    #[inline(never)]
    fn show_copies(&self, vertex: usize, at: Vec3, area: Vec3A, posed: &mut Posed) {
        let by = at - self.skinned[vertex];
        if by == Vec3::ZERO {
            return;
        }
        let now = area.normalize_or_zero();
        for &render in copies_of(&self.copies, &self.starts, vertex) {
            posed.positions[render as usize] += by;
            let Some(normal) = posed.normals.get_mut(render as usize) else { continue };
            if !self.is_plain[vertex] {
                // Where skinning would have put the surface's normal.
                let before = self.before[vertex].normalize_or_zero();
                let skinned = turned(self.rest_surface[vertex], self.rest_mean[vertex], before);
                *normal = turned((*normal).into(), skinned, now).into();
            } else if now != Vec3A::ZERO {
                *normal = now.into();
            }
        }
    }

    /// Moves and shows what a volume moves.
    pub(super) fn show_moved(&mut self, volume: &mut Volume, posed: &mut Posed) {
        let mut positions = std::mem::take(&mut self.posed);
        volume.carry(&mut positions, |vertex, at, area| self.show(vertex, at, area, posed));
        self.posed = positions;
    }

    /// Shows all vertices as they are moved.
    pub(super) fn show_all(&mut self, posed: &mut Posed) {
        if !posed.normals.is_empty() {
            self.sum_areas();
        }
        for vertex in 0..self.posed.len() {
            self.show(vertex, self.posed[vertex], self.areas[vertex], posed);
        }
    }

    fn sum_areas(&mut self) {
        self.areas.fill(Vec3A::ZERO);
        for corners in &self.triangles {
            let [a, b, c] = corners.map(|v| Vec3A::from(self.posed[v as usize]));
            let area = (b - a).cross(c - a);
            corners.iter().for_each(|&corner| self.areas[corner as usize] += area);
        }
    }
}

fn copies_of<'a>(copies: &'a [u32], starts: &[u32], solve: usize) -> &'a [u32] {
    &copies[starts[solve] as usize..starts[solve + 1] as usize]
}

/// The copies of each of so many vertices, one list after the other, and where each begins.
fn copies(asset: &Asset, vertices: usize) -> (Vec<u32>, Vec<u32>) {
    let solved = || (0..).zip(&asset.solve_from_render).filter(|(_, solve)| **solve != Asset::NOT_SOLVED);
    let mut starts = vec![0; vertices + 1];
    solved().for_each(|(_, &solve)| starts[solve as usize + 1] += 1);
    for vertex in 0..vertices {
        starts[vertex + 1] += starts[vertex];
    }
    let (mut copies, mut next) = (vec![0; starts[vertices] as usize], starts.clone());
    for (render, &solve) in solved() {
        copies[next[solve as usize] as usize] = render;
        next[solve as usize] += 1;
    }
    (copies, starts)
}

/// `normal` after the least rotation that takes one unit vector to another; as it is where that is not one rotation: opposite
/// directions, or a zero vector.
#[inline]
fn turned(normal: Vec3A, from: Vec3A, to: Vec3A) -> Vec3A {
    /// Larger: normals jump where a surface folds right over. Smaller: rounding blows up.
    const OPPOSITE: f32 = 1e-3;
    let middle = from + to;
    let squared = middle.length_squared();
    if squared < OPPOSITE || from == Vec3A::ZERO || to == Vec3A::ZERO {
        return normal;
    }
    normal - middle * (2.0 * middle.dot(normal) / squared) + to * (2.0 * from.dot(normal))
}

/// Weighted by area, as the frame loop does it.
fn rest_surface(mesh: &Mesh) -> Vec<Vec3A> {
    let mut sums = vec![DVec3::ZERO; mesh.positions().len()];
    for (triangle, corners) in mesh.triangles().iter().enumerate() {
        let [a, b, c] = mesh.corners(triangle).map(|p| p.as_dvec3());
        let area = (b - a).cross(c - a);
        corners.iter().for_each(|&v| sums[v as usize] += area);
    }
    sums.into_iter().map(|sum| unit_or_f64(sum, DVec3::ZERO).as_vec3a()).collect()
}

fn rest_mean(asset: &Asset) -> Vec<Vec3A> {
    let mut sums = vec![Vec3A::ZERO; asset.mesh.positions().len()];
    for (normal, &solve) in asset.render.normals.iter().zip(&asset.solve_from_render) {
        if solve != Asset::NOT_SOLVED {
            sums[solve as usize] += Vec3A::from(*normal);
        }
    }
    sums.into_iter().map(Vec3A::normalize_or_zero).collect()
}
