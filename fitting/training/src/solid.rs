//! Simple solids: made-up bodies consist of them, and real ones get them as hats and bags.

use glam::{Mat3, Vec3};
use pliant_fitting::body::{Body, CELLS_PER_HEIGHT};
use pliant_fitting::lattice::Lattice;
use pliant_fitting::voxels;

/// A solid.
#[derive(Clone, Copy, Debug)]
pub enum Solid {
    /// All points within `radii`, interpolated, of a segment.
    RoundCone { ends: [Vec3; 2], radii: [f32; 2] },
    /// A superellipsoid: exponent 2 is an ellipsoid, 8 nearly a box. It is narrower by `taper` at
    /// its top and wider at its bottom.
    Super { centre: Vec3, axes: Mat3, half: Vec3, exponent: f32, taper: f32 },
    /// A cylinder or cone along Y of its axes.
    Cone { centre: Vec3, axes: Mat3, half: Vec3, top: f32 },
}

impl Solid {
    pub fn ellipsoid(centre: Vec3, half: Vec3, exponent: f32) -> Self {
        Self::Super { centre, axes: Mat3::IDENTITY, half, exponent, taper: 0.0 }
    }

    pub fn scaled(self, origin: Vec3, factor: f32) -> Self {
        let point = |p: Vec3| (p - origin) * factor;
        match self {
            Self::RoundCone { ends, radii } => {
                Self::RoundCone { ends: ends.map(point), radii: radii.map(|r| r * factor) }
            }
            Self::Super { centre, axes, half, exponent, taper } => {
                Self::Super { centre: point(centre), axes, half: half * factor, exponent, taper }
            }
            Self::Cone { centre, axes, half, top } => {
                Self::Cone { centre: point(centre), axes, half: half * factor, top }
            }
        }
    }

    pub fn bounds(&self) -> (Vec3, Vec3) {
        let around = |centre: Vec3, axes: &Mat3, half: Vec3| {
            let reach = axes.x_axis.abs() * half.x + axes.y_axis.abs() * half.y + axes.z_axis.abs() * half.z;
            (centre - reach, centre + reach)
        };
        match self {
            Self::RoundCone { ends: [a, b], radii } => {
                let (ra, rb) = (Vec3::splat(radii[0]), Vec3::splat(radii[1]));
                ((*a - ra).min(*b - rb), (*a + ra).max(*b + rb))
            }
            Self::Super { centre, axes, half, taper, .. } => {
                around(*centre, axes, *half * Vec3::new(1.0 + taper.abs(), 1.0, 1.0 + taper.abs()))
            }
            Self::Cone { centre, axes, half, top } => {
                around(*centre, axes, *half * Vec3::new(top.max(1.0), 1.0, top.max(1.0)))
            }
        }
    }

    pub fn contains(&self, p: Vec3) -> bool {
        match self {
            Self::RoundCone { ends: [a, b], radii } => {
                let along = *b - *a;
                let t = ((p - *a).dot(along) / along.length_squared().max(1e-12)).clamp(0.0, 1.0);
                p.distance(*a + along * t) <= radii[0] + (radii[1] - radii[0]) * t
            }
            Self::Super { centre, axes, half, exponent, taper } => {
                let q = axes.transpose() * (p - *centre);
                let width = 1.0 - taper * (q.y / half.y).clamp(-1.0, 1.0);
                let q = (q / (*half * Vec3::new(width, 1.0, width))).abs();
                q.x.powf(*exponent) + q.y.powf(*exponent) + q.z.powf(*exponent) <= 1.0
            }
            Self::Cone { centre, axes, half, top } => {
                let q = axes.transpose() * (p - *centre);
                let t = (q.y / half.y + 1.0) * 0.5;
                if !(0.0..=1.0).contains(&t) {
                    return false;
                }
                let width = 1.0 + (top - 1.0) * t;
                let (x, z) = (q.x / (half.x * width).max(1e-6), q.z / (half.z * width).max(1e-6));
                x * x + z * z <= 1.0
            }
        }
    }
}

/// The body of a mesh and solids together, and the map into its space: origin and factor.
pub fn body(positions: &[Vec3], triangles: &[[u32; 3]], solids: &[Solid]) -> (Body, Vec3, f32) {
    let used = triangles.iter().flatten().map(|&v| positions[v as usize]);
    let mut low = Vec3::INFINITY;
    let mut high = Vec3::NEG_INFINITY;
    for p in used {
        (low, high) = (low.min(p), high.max(p));
    }
    for solid in solids {
        let (a, b) = solid.bounds();
        (low, high) = (low.min(a), high.max(b));
    }
    let origin = Vec3::new(0.5 * (low.x + high.x), low.y, 0.5 * (low.z + high.z));
    let factor = 1.0 / (high.y - low.y);
    let map = |p: Vec3| (p - origin) * factor;
    let lattice = Lattice::around(map(low), map(high), 1.0 / CELLS_PER_HEIGHT, 2);
    let mapped: Vec<Vec3> = positions.iter().map(|&p| map(p)).collect();
    let mut inside = voxels::inside(&lattice, &mapped, triangles);
    for solid in solids {
        let solid = solid.scaled(origin, factor);
        let (a, b) = solid.bounds();
        let (first, last) = (lattice.cell_at(a), lattice.cell_at(b));
        for z in first[2]..=last[2] {
            for y in first[1]..=last[1] {
                for x in first[0]..=last[0] {
                    if solid.contains(lattice.centre([x, y, z])) {
                        inside[lattice.index([x, y, z])] = true;
                    }
                }
            }
        }
    }
    (Body::of_cells(lattice, &inside), origin, factor)
}
