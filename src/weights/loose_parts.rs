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
//!   mean of the body's weights over the contact, where the body faces the way the part does; of
//!   its own weights if it does not touch the body.
//! - A *soft* part is any other: capes, ribbons, hair cards. Each vertex gets the weights of the
//!   nearest point of the body, smoothed over the part.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::rows::Rows;
use crate::math::{larger, larger_f64, smaller};
use crate::model::{Bone, Mesh, Weights};
use crate::operators::{Bvh, ComponentKind, MeshGeometry};

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum PartMotion {
    /// As one piece.
    Rigid,
    /// With the body beneath each vertex.
    Soft,
    /// By the weights of the method.
    Method,
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

/// Largest distance of a rigid part from the body, as a fraction of the part's diameter. One that
/// is farther away touches nothing: it gets the mean of its own weights. Larger: planets around a
/// head follow its neck. Smaller: pads with a gap below them follow another limb.
const MAX_CONTACT_DISTANCE: f32 = 0.5;

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
        Self::moving(geometry, bones, |_, _| None)
    }

    /// Same as [`LooseParts::of`]. `motion_of` may say how a part moves, from its index and its
    /// first vertex.
    pub fn moving(
        geometry: &MeshGeometry,
        bones: &[Bone],
        motion_of: impl Fn(usize, u32) -> Option<PartMotion>,
    ) -> Self {
        let (mesh, components) = (geometry.mesh(), geometry.components());
        if components.len() < 2 {
            return Self::default();
        }
        let is_body = is_body(geometry, bones);
        // Facing out of the body.
        let outward = |t: usize| match (components.kind(components.of_triangle(t)), mesh.triangles()[t]) {
            (ComponentKind::Inward, [a, b, c]) => [a, c, b],
            (_, triangle) => triangle,
        };
        let body: Vec<[u32; 3]> = (0..mesh.triangles().len())
            .filter(|&t| is_body[components.of_triangle(t) as usize])
            .map(outward)
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
            let kind = components.kind(component as u32);
            let largest = if kind.is_solid() { MAX_RIGID_SIZE } else { MAX_RIGID_SHEET_SIZE };
            let is_small = diameter(mesh, &vertices) <= largest * size;
            let motion = if is_small { PartMotion::Rigid } else { PartMotion::Soft };
            let motion = motion_of(parts.len(), vertices[0]).unwrap_or(motion);
            // The way the body beneath a rigid part faces, as a multiple of the part's normal.
            let side = match (motion, kind) {
                (PartMotion::Soft | PartMotion::Method, _) => 0.0,
                (_, ComponentKind::Inward) => -1.0,
                _ => 1.0,
            };
            let nearest = |&vertex: &u32| {
                let (position, normal) =
                    (mesh.positions()[vertex as usize], geometry.normals()[vertex as usize]);
                let found = surface.closest_facing(position, normal * side);
                let found = found.or_else(|| surface.closest(position))?;
                let (barycentric, distance) = (found.barycentric, found.distance);
                Some(Contact { triangle: body[found.triangle], barycentric, distance })
            };
            // Without any triangle with an area there is no body.
            let Some(mut contacts) = vertices.iter().map(nearest).collect::<Option<Vec<_>>>() else {
                continue;
            };
            let farthest = MAX_CONTACT_DISTANCE * diameter(mesh, &vertices);
            if motion == PartMotion::Rigid && contacts.iter().all(|contact| contact.distance > farthest) {
                let itself =
                    |&vertex: &u32| Contact { triangle: [vertex; 3], barycentric: Vec3::X, distance: 0.0 };
                contacts = vertices.iter().map(itself).collect();
            }
            parts.push(LoosePart { motion, vertices, contacts });
        }
        Self { parts }
    }

    /// The parts, in the order of their first vertices.
    pub fn parts(&self) -> &[LoosePart] {
        &self.parts
    }

    /// Replaces the weights of the rigid and soft parts by those of the body; other rows stay as
    /// they are.
    pub fn attach(&self, geometry: &MeshGeometry, weights: &Weights) -> Weights {
        let mut rows: Vec<Vec<(u32, f64)>> = vec![Vec::new(); weights.vertices()];
        for part in self.parts.iter().filter(|part| part.motion != PartMotion::Method) {
            part.write_rows(geometry, weights, &mut rows);
        }
        let mut attached = Rows::default();
        for (vertex, row) in rows.iter_mut().enumerate() {
            if row.is_empty() {
                row.extend(weights.row(vertex).iter().map(|i| (i.column, f64::from(i.weight))));
            }
            attached.push(row);
        }
        attached.into_weights(weights.columns())
    }
}

impl LoosePart {
    /// Computes the rows of the part's vertices.
    fn write_rows(&self, geometry: &MeshGeometry, weights: &Weights, rows: &mut [Vec<(u32, f64)>]) {
        let corners = self.contacts.iter().flat_map(|contact| contact.triangle);
        let mut columns: Vec<u32> =
            corners.flat_map(|corner| weights.row(corner as usize)).map(|i| i.column).collect();
        columns.sort_unstable();
        columns.dedup();
        let width = columns.len();
        let is_rigid = self.motion == PartMotion::Rigid;
        // One value per vertex and column, vertex by vertex. All vertices of a rigid part share the
        // first row.
        let mut values = vec![0.0; width * if is_rigid { 1 } else { self.vertices.len() }];
        let least =
            self.contacts.iter().fold(f32::INFINITY, |least, contact| smaller(least, contact.distance));
        let depth = larger(CONTACT_DEPTH * diameter(geometry.mesh(), &self.vertices), f32::MIN_POSITIVE);
        for (at, contact) in self.contacts.iter().enumerate() {
            let (first, share) =
                if is_rigid { (0, ((least - contact.distance) / depth).exp()) } else { (at * width, 1.0) };
            for (&corner, part) in contact.triangle.iter().zip(contact.barycentric.to_array()) {
                for influence in weights.row(corner as usize) {
                    let column = columns.partition_point(|&other| other < influence.column);
                    values[first + column] += f64::from(share * part * influence.weight);
                }
            }
        }
        if !is_rigid {
            for _ in 0..SMOOTHING_PASSES {
                values = self.averaged(geometry, &values, width);
            }
        }
        for (at, &vertex) in self.vertices.iter().enumerate() {
            let first = if is_rigid { 0 } else { at * width };
            rows[vertex as usize].extend((0..width).map(|column| (columns[column], values[first + column])));
        }
    }

    /// The means of each vertex and the mean of its neighbours.
    fn averaged(&self, geometry: &MeshGeometry, values: &[f64], width: usize) -> Vec<f64> {
        let mut averaged = values.to_vec();
        for (at, &vertex) in self.vertices.iter().enumerate() {
            let neighbours = geometry.topology().neighbours(vertex as usize);
            let share = 0.5 / larger_f64(neighbours.count() as f64, 1.0);
            for neighbour in geometry.topology().neighbours(vertex as usize) {
                let other = self.vertices.partition_point(|&other| (other as usize) < neighbour);
                for column in 0..width {
                    let difference = values[other * width + column] - values[at * width + column];
                    averaged[at * width + column] += share * difference;
                }
            }
        }
        averaged
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
