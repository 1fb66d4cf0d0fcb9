//! Which parts of a mesh are bodies with an inside, and which way their triangles face.
//!
//! In: a mesh and its topology. Out: [`Parts`]. Cost: one pass. Characters come in dozens of loose parts:
//! bodies, eyeballs, teeth, hair cards, capes. Only a part that closes around a volume, but for some holes,
//! has an inside; some of those are stored inside out.

use glam::DVec3;

use crate::model::{Mesh, Topology};

/// A part is a sheet when the square of its border's length exceeds this many times its area: a square has
/// 16, half a sphere 6.3, a tube eight radii long 3. Larger: capes and hair cards count as bodies, and what
/// lies behind them as inside. Smaller: a shirt open at neck, waist and sleeves has no inside.
const SHEET_BORDER: f64 = 6.0;

/// A volume below this share of area^1.5 is none: a two-sided leaf. Larger: thin slabs have no inside.
/// Smaller: rounding tells a leaf's inside from its outside.
const FLAT_VOLUME: f64 = 1e-9;

/// What one connected part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Has an inside; triangles face away from it.
    Outward,
    /// Has an inside; triangles face into it.
    Inward,
    /// Has no inside: a cape, a card, a two-sided leaf, a stray vertex.
    Sheet,
}

impl Part {
    /// Whether it has an inside.
    pub fn is_body(self) -> bool {
        self != Self::Sheet
    }
}

/// The parts of a mesh, numbered as in [`Topology::component_of_vertex`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parts {
    parts: Vec<Part>,
    component_of_vertex: Vec<u32>,
    part_of_triangle: Vec<u32>,
}

impl Parts {
    /// Judges every part of `mesh`.
    pub fn of(mesh: &Mesh, topology: &Topology) -> Self {
        let component_of_vertex = topology.component_of_vertex().to_vec();
        let part_of_triangle: Vec<u32> =
            mesh.triangles().iter().map(|t| component_of_vertex[t[0] as usize]).collect();
        let mut measured = vec![Measured::default(); topology.components()];
        for (t, &part) in part_of_triangle.iter().enumerate() {
            measured[part as usize].add_triangle(mesh.corners(t).map(|p| p.as_dvec3()));
        }
        for edge in topology.edges().iter().filter(|edge| edge.triangles == 1) {
            let [a, b] = edge.ends.map(|v| mesh.positions()[v as usize].as_dvec3());
            measured[component_of_vertex[edge.ends[0] as usize] as usize].border += a.distance(b);
        }
        let parts = measured.iter().map(Measured::judge).collect();
        Self { parts, component_of_vertex, part_of_triangle }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Whether there is none, for want of vertices.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// What a part is.
    pub fn part(&self, part: u32) -> Part {
        self.parts[part as usize]
    }

    /// The part a vertex belongs to.
    pub fn of_vertex(&self, vertex: usize) -> u32 {
        self.component_of_vertex[vertex]
    }

    /// The part a triangle belongs to.
    pub fn of_triangle(&self, triangle: usize) -> u32 {
        self.part_of_triangle[triangle]
    }
}

#[derive(Clone, Default)]
struct Measured {
    /// Volumes are measured from here, a point of the part, so that distance from the origin costs no digits.
    base: Option<DVec3>,
    area: f64,
    border: f64,
    volume: f64,
    /// The sum of area vectors: zero where the part is closed, else the hole's.
    area_vector: DVec3,
    /// The area-weighted sum of the triangles' middles, from `base`.
    middle: DVec3,
}

impl Measured {
    fn add_triangle(&mut self, corners: [DVec3; 3]) {
        let base = *self.base.get_or_insert(corners[0]);
        let [a, b, c] = corners.map(|p| p - base);
        let vector = (b - a).cross(c - a) * 0.5;
        let area = vector.length();
        self.area += area;
        self.area_vector += vector;
        self.middle += (a + b + c) / 3.0 * area;
        self.volume += a.dot(b.cross(c)) / 6.0;
    }

    fn judge(&self) -> Part {
        if self.area <= 0.0 || self.border * self.border > SHEET_BORDER * self.area {
            return Part::Sheet;
        }
        // The volume of an open part depends on where it is measured from: from its middle.
        let volume = self.volume - self.area_vector.dot(self.middle / self.area) / 3.0;
        if volume.abs() <= FLAT_VOLUME * self.area.powf(1.5) {
            Part::Sheet
        } else if volume > 0.0 {
            Part::Outward
        } else {
            Part::Inward
        }
    }
}
