//! Classification of the connected components of a mesh: which have an inside, and how they are
//! oriented.
//!
//! In: a mesh and its topology. Out: [`Components`]. Cost: one pass. Characters consist of dozens
//! of components: bodies, eyeballs, teeth, hair cards, capes. Only a component that encloses a
//! volume, up to some holes, has an inside. Some of these are stored inside out.

use glam::DVec3;

use crate::model::{Mesh, Topology};

/// A component is a sheet if the square of its border's length exceeds this many times its area. A
/// square has 16, half a sphere 6.3, a tube of eight radii length 3. Larger: capes and hair cards
/// count as solid, and the space behind them as inside. Smaller: a shirt open at neck, waist and
/// sleeves has no inside.
const SHEET_BORDER: f64 = 6.0;

/// Volumes below this fraction of area^1.5 are zero, as for a two-sided leaf. Larger: thin slabs
/// have no inside. Smaller: rounding decides what is inside of a leaf.
const FLAT_VOLUME: f64 = 1e-9;

/// The kind of one connected component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComponentKind {
    /// Has an inside; triangles face away from it.
    Outward,
    /// Has an inside; triangles face into it.
    Inward,
    /// Has no inside: a cape, a card, a two-sided leaf, a stray vertex.
    Sheet,
}

impl ComponentKind {
    /// Whether it has an inside.
    pub fn is_solid(self) -> bool {
        self != Self::Sheet
    }
}

/// The connected components of a mesh, numbered as in [`Topology::component_of_vertex`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Components {
    kinds: Vec<ComponentKind>,
    component_of_vertex: Vec<u32>,
    component_of_triangle: Vec<u32>,
}

impl Components {
    /// Classifies every component of `mesh`.
    pub fn of(mesh: &Mesh, topology: &Topology) -> Self {
        let component_of_vertex = topology.component_of_vertex().to_vec();
        let component_of_triangle: Vec<u32> =
            mesh.triangles().iter().map(|t| component_of_vertex[t[0] as usize]).collect();
        let mut measures = vec![Measures::default(); topology.components()];
        for (t, &component) in component_of_triangle.iter().enumerate() {
            measures[component as usize].add_triangle(mesh.corners(t).map(|p| p.as_dvec3()));
        }
        for edge in topology.edges().iter().filter(|edge| edge.triangles == 1) {
            let [a, b] = edge.ends.map(|v| mesh.positions()[v as usize].as_dvec3());
            measures[component_of_vertex[edge.ends[0] as usize] as usize].border += a.distance(b);
        }
        let kinds = measures.iter().map(Measures::kind).collect();
        Self { kinds, component_of_vertex, component_of_triangle }
    }

    /// Number of components.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there is no component because there is no vertex.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// The kind of a component.
    pub fn kind(&self, component: u32) -> ComponentKind {
        self.kinds[component as usize]
    }

    /// The component of a vertex.
    pub fn of_vertex(&self, vertex: usize) -> u32 {
        self.component_of_vertex[vertex]
    }

    /// The component of a triangle.
    pub fn of_triangle(&self, triangle: usize) -> u32 {
        self.component_of_triangle[triangle]
    }
}

#[derive(Clone, Default)]
struct Measures {
    /// A point of the component, relative to which volumes are summed, so that a large distance
    /// from the origin costs no accuracy.
    base: Option<DVec3>,
    area: f64,
    border: f64,
    volume: f64,
    /// The sum of area vectors: zero for a closed component, else the area vector of its holes.
    area_vector: DVec3,
    /// The area-weighted sum of triangle centroids, relative to `base`.
    middle: DVec3,
}

impl Measures {
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

    fn kind(&self) -> ComponentKind {
        if self.area <= 0.0 || self.border * self.border > SHEET_BORDER * self.area {
            return ComponentKind::Sheet;
        }
        // The volume of an open component depends on the reference point: use its centroid.
        let volume = self.volume - self.area_vector.dot(self.middle / self.area) / 3.0;
        if volume.abs() <= FLAT_VOLUME * self.area.powf(1.5) {
            ComponentKind::Sheet
        } else if volume > 0.0 {
            ComponentKind::Outward
        } else {
            ComponentKind::Inward
        }
    }
}
