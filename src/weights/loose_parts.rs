//! Weights of loose parts: connected components that no bone runs through, such as plates, buckles,
//! horns, hats and hair cards.
//!
//! In: [`MeshGeometry`], bones, and the weights of a method. Out: the weights, with those of loose
//! parts taken from the body beneath them. A method sees vertices or components one by one: it may
//! split a plate between two joints, or let a shoulder pad follow a joint that is near but not
//! beneath it. Cost: one nearest point per vertex of a loose part, and a few passes over the
//! triangles of the loose parts per bone (docs/theory/loose-parts.md).
//!
//! - A component belongs to the *body* if a bone runs through it, or if it is large.
//! - A *rigid* part encloses a volume, or is small. All of its vertices get the same weights: the
//!   mean of the body's weights over the contact.
//! - A *soft* part is any other: capes, ribbons, hair cards. Each vertex gets the weights of the
//!   nearest point of the body, smoothed over the part.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::rows::Rows;
use crate::math::sort_few;
use crate::model::{Bone, Mesh, Weights};
use crate::operators::{Bvh, MeshGeometry};

/// Where loose parts get their weights from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum LoosePartWeights {
    /// From the body beneath them.
    #[default]
    Body,
    /// From the method, like any other vertex.
    Method,
}

/// How a loose part moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum PartMotion {
    /// As one piece.
    Rigid,
    /// With the body beneath each vertex.
    Soft,
}

/// A component with at least this fraction of the area belongs to the body, with or without a bone.
/// Larger: a coat without bones is bent like a cape. Smaller: large plates are not rigid.
const MIN_BODY_AREA: f64 = 0.3;

/// Parameters of the points of a bone that are tested, from head to tail.
const SAMPLE_PARAMETERS: [f32; 4] = [0.0, 0.25, 0.5, 0.75];

/// Smallest winding number (its absolute value) of a component around a point of a bone that runs
/// through it. No point outside of the convex hull of a component has more than one half.
const MIN_WINDING: f64 = 0.5;

/// Largest diameter of a rigid part that encloses a volume, as a fraction of that of the mesh.
/// Larger: a closed skirt moves as one piece. Smaller: swords and wings of armour bend.
const MAX_RIGID_SIZE: f32 = 0.35;

/// The same for a part that encloses none. Larger: locks of hair are stiff. Smaller: eyelashes and
/// badges bend.
const MAX_RIGID_SHEET_SIZE: f32 = 0.1;

/// Depth of the contact of a rigid part: how much farther from the body a vertex counts 1/e as
/// much, as a fraction of the part's diameter. Larger: the far end of a sword counts. Smaller: a
/// single vertex decides.
const CONTACT_DEPTH: f32 = 0.1;

/// Number of passes in which a soft part's weights are averaged with their neighbours. More: a cape
/// follows fewer joints. Fewer: weights jump where the nearest point of the body does.
const SMOOTHING_PASSES: usize = 8;

/// The loose parts of a mesh with a skeleton, and where they touch the body. They do not depend on
/// weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LooseParts {
    parts: Vec<LoosePart>,
}

/// A component that no bone runs through.
#[derive(Clone, Debug, PartialEq)]
pub struct LoosePart {
    /// How it moves.
    pub motion: PartMotion,
    /// Its vertices, ascending.
    pub vertices: Vec<u32>,
    /// The nearest point of the body, for each of them.
    contacts: Vec<Contact>,
}

/// A point of the body.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Contact {
    triangle: [u32; 3],
    barycentric: Vec3,
    distance: f32,
}

impl LooseParts {
    /// Finds the loose parts. There are none without a body.
    pub fn of(geometry: &MeshGeometry, bones: &[Bone]) -> Self {
        let (mesh, components) = (geometry.mesh(), geometry.components());
        if components.len() < 2 {
            return Self::default();
        }
        let is_body = is_body(geometry, bones);
        let body: Vec<[u32; 3]> = (0..mesh.triangles().len())
            .filter(|&t| is_body[components.of_triangle(t) as usize])
            .map(|t| mesh.triangles()[t])
            .collect();
        if body.is_empty() {
            return Self::default();
        }
        let mut vertices_of: Vec<Vec<u32>> = vec![Vec::new(); components.len()];
        for vertex in 0..mesh.positions().len() {
            vertices_of[components.of_vertex(vertex) as usize].push(vertex as u32);
        }
        let surface = Bvh::over(mesh.positions(), &body);
        let all: Vec<u32> = (0..mesh.positions().len() as u32).collect();
        let size = diameter(mesh, &all);
        let mut parts = Vec::new();
        for (component, vertices) in vertices_of.into_iter().enumerate().filter(|&(i, _)| !is_body[i]) {
            let nearest = |&vertex: &u32| {
                let found = surface.closest(mesh.positions()[vertex as usize])?;
                let (barycentric, distance) = (found.barycentric, found.distance);
                Some(Contact { triangle: body[found.triangle], barycentric, distance })
            };
            // Without any triangle with an area there is no body.
            let Some(contacts) = vertices.iter().map(nearest).collect() else { continue };
            let is_solid = components.kind(component as u32).is_solid();
            let largest = if is_solid { MAX_RIGID_SIZE } else { MAX_RIGID_SHEET_SIZE };
            let is_rigid = diameter(mesh, &vertices) <= largest * size;
            let motion = if is_rigid { PartMotion::Rigid } else { PartMotion::Soft };
            parts.push(LoosePart { motion, vertices, contacts });
        }
        Self { parts }
    }

    /// The parts, in the order of their first vertices.
    pub fn parts(&self) -> &[LoosePart] {
        &self.parts
    }

    /// Replaces the weights of all loose parts by those of the body; other rows stay as they are.
    pub fn attach(&self, geometry: &MeshGeometry, weights: &Weights) -> Weights {
        let mut attached: Vec<Option<Vec<(u32, f64)>>> = vec![None; weights.vertices()];
        for part in &self.parts {
            let rows = match part.motion {
                PartMotion::Rigid => part.mean_of_contact(geometry.mesh(), weights),
                PartMotion::Soft => part.smoothed(geometry, weights),
            };
            part.vertices.iter().zip(rows).for_each(|(&vertex, row)| attached[vertex as usize] = Some(row));
        }
        let mut rows = Rows::default();
        let mut own = Vec::new();
        for (vertex, row) in attached.iter().enumerate() {
            own.clear();
            own.extend(weights.row(vertex).iter().map(|i| (i.column, f64::from(i.weight))));
            rows.push(row.as_ref().unwrap_or(&own));
        }
        rows.into_weights(weights.columns())
    }
}

impl LoosePart {
    /// The same row for every vertex.
    fn mean_of_contact(&self, mesh: &Mesh, weights: &Weights) -> Vec<Vec<(u32, f64)>> {
        let least = self.contacts.iter().map(|contact| contact.distance).fold(f32::INFINITY, f32::min);
        let depth = (CONTACT_DEPTH * diameter(mesh, &self.vertices)).max(f32::MIN_POSITIVE);
        let mut mean = Vec::new();
        for contact in &self.contacts {
            let share = ((least - contact.distance) / depth).exp();
            contact.add_to(&mut mean, weights, f64::from(share));
        }
        sort_few(&mut mean, |a, b| a.0.cmp(&b.0));
        vec![mean; self.vertices.len()]
    }

    fn smoothed(&self, geometry: &MeshGeometry, weights: &Weights) -> Vec<Vec<(u32, f64)>> {
        let rows: Vec<Vec<(u32, f64)>> = self
            .contacts
            .iter()
            .map(|contact| {
                let mut row = Vec::new();
                contact.add_to(&mut row, weights, 1.0);
                row
            })
            .collect();
        let mut columns: Vec<u32> = rows.iter().flatten().map(|&(column, _)| column).collect();
        columns.sort_unstable();
        columns.dedup();
        // One value per vertex and column, vertex by vertex.
        let width = columns.len();
        let mut values = vec![0.0; width * rows.len()];
        for (values, row) in values.chunks_mut(width.max(1)).zip(&rows) {
            for &(column, weight) in row {
                values[columns.partition_point(|&other| other < column)] += weight;
            }
        }
        for _ in 0..SMOOTHING_PASSES {
            values = self.averaged(geometry, &values, width);
        }
        let row = |values: &[f64]| columns.iter().copied().zip(values.iter().copied()).collect();
        values.chunks(width.max(1)).map(row).collect()
    }

    /// The means of each vertex and the mean of its neighbours.
    fn averaged(&self, geometry: &MeshGeometry, values: &[f64], width: usize) -> Vec<f64> {
        let mut averaged = Vec::with_capacity(values.len());
        for (at, &vertex) in self.vertices.iter().enumerate() {
            let neighbours: Vec<usize> = geometry
                .topology()
                .neighbours(vertex as usize)
                .map(|neighbour| self.vertices.partition_point(|&other| (other as usize) < neighbour))
                .collect();
            let share = 0.5 / neighbours.len().max(1) as f64;
            for column in 0..width {
                let own = values[at * width + column];
                let around: f64 = neighbours.iter().map(|&n| values[n * width + column]).sum();
                averaged.push(if neighbours.is_empty() { own } else { 0.5 * own + share * around });
            }
        }
        averaged
    }
}

impl Contact {
    /// Adds the body's weights here, times `share`.
    fn add_to(&self, row: &mut Vec<(u32, f64)>, weights: &Weights, share: f64) {
        for (&corner, part) in self.triangle.iter().zip(self.barycentric.to_array()) {
            for influence in weights.row(corner as usize) {
                let weight = share * f64::from(part) * f64::from(influence.weight);
                match row.iter_mut().find(|entry| entry.0 == influence.column) {
                    Some(entry) => entry.1 += weight,
                    None => row.push((influence.column, weight)),
                }
            }
        }
    }
}

/// For each component, whether it belongs to the body.
fn is_body(geometry: &MeshGeometry, bones: &[Bone]) -> Vec<bool> {
    let (mesh, components) = (geometry.mesh(), geometry.components());
    let mut triangles_of: Vec<Vec<u32>> = vec![Vec::new(); components.len()];
    let mut areas = vec![0.0; components.len()];
    for t in 0..mesh.triangles().len() {
        let [a, b, c] = mesh.corners(t).map(|p| p.as_dvec3());
        let component = components.of_triangle(t) as usize;
        triangles_of[component].push(t as u32);
        areas[component] += (b - a).cross(c - a).length();
    }
    let total: f64 = areas.iter().sum();
    let samples: Vec<Vec3> = bones
        .iter()
        .flat_map(|bone| SAMPLE_PARAMETERS.map(|parameter| bone.head.lerp(bone.tail, parameter)))
        .collect();
    let belongs = |(triangles, &area): (&Vec<u32>, &f64)| {
        area >= MIN_BODY_AREA * total || encloses_any(mesh, triangles, &samples)
    };
    triangles_of.iter().zip(&areas).map(belongs).collect()
}

fn encloses_any(mesh: &Mesh, triangles: &[u32], points: &[Vec3]) -> bool {
    let corners = triangles.iter().flat_map(|&t| mesh.corners(t as usize));
    let (low, high) =
        corners.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
    let is_in_box = |point: &&Vec3| point.cmpge(low).all() && point.cmple(high).all();
    points.iter().filter(is_in_box).any(|&point| mesh.winding_number_of(triangles, point).abs() > MIN_WINDING)
}

/// Twice the largest distance of a vertex from the centroid of the vertices: unlike a bounding box,
/// it does not depend on the axes.
fn diameter(mesh: &Mesh, vertices: &[u32]) -> f32 {
    let at = |&vertex: &u32| mesh.positions()[vertex as usize];
    let middle = vertices.iter().map(at).sum::<Vec3>() / vertices.len().max(1) as f32;
    2.0 * vertices.iter().map(at).map(|p| p.distance(middle)).fold(0.0, f32::max)
}
