//! Characters in robes: garments around the legs, as the labelled characters hardly wear them.
//!
//! A garment is a tube of elliptical rings around the body without its arms, from somewhere on the
//! trunk to its hem. It goes around the legs, so it is at least as wide as they are apart.

use std::f32::consts::TAU;

use glam::Vec3;

use crate::characters::Character;
use crate::pose::{self, Limbs, Posed};

/// Rings of a garment from its upper end to its hem, and vertices of each.
const RINGS: usize = 32;
const COLUMNS: usize = 48;

/// How much wider a garment is than the body in it.
const EASE: f32 = 1.08;

/// How far the hem of a garment is above the ground at least, in heights.
const ABOVE_GROUND: f32 = 0.005;

/// A garment, and how arms are held.
pub struct Robe {
    pub name: &'static str,
    /// The upper end, on the way from the hips to the neck.
    top: f32,
    /// The hem, on the way from the hips to the ground.
    hem: f32,
    /// How much wider the hem is than the upper end.
    flare: f32,
    /// Whether there is a bottom, so that no leg is seen from below.
    is_closed: bool,
    /// Degrees of the upper arm below the horizontal.
    arm_down: f32,
}

/// The robes in which characters are judged.
pub const ROBES: [Robe; 8] = [
    Robe {
        name: "to the knee, narrow, open",
        top: 0.1,
        hem: 0.5,
        flare: 1.1,
        is_closed: false,
        arm_down: 45.0,
    },
    Robe {
        name: "to the knee, wide, closed",
        top: 0.1,
        hem: 0.5,
        flare: 2.0,
        is_closed: true,
        arm_down: 45.0,
    },
    Robe {
        name: "to the ankle, narrow, closed",
        top: 0.1,
        hem: 0.9,
        flare: 1.1,
        is_closed: true,
        arm_down: 45.0,
    },
    Robe {
        name: "to the ankle, wide, open",
        top: 0.1,
        hem: 0.9,
        flare: 2.0,
        is_closed: false,
        arm_down: 45.0,
    },
    Robe {
        name: "to the ground, narrow, open",
        top: 0.1,
        hem: 1.0,
        flare: 1.1,
        is_closed: false,
        arm_down: 45.0,
    },
    Robe {
        name: "to the ground, wide, closed",
        top: 0.1,
        hem: 1.0,
        flare: 2.0,
        is_closed: true,
        arm_down: 45.0,
    },
    Robe {
        name: "from the chest to the ground",
        top: 0.7,
        hem: 1.0,
        flare: 1.6,
        is_closed: true,
        arm_down: 45.0,
    },
    Robe {
        name: "to the ankle, arms 75° down",
        top: 0.1,
        hem: 0.9,
        flare: 1.5,
        is_closed: false,
        arm_down: 75.0,
    },
];

/// A character in a robe: what [`pose::apply`] returns, and the triangles. `None` if hips, neck or
/// feet have no label.
pub fn dress(character: &Character, robe: &Robe) -> Option<(Posed, Vec<[u32; 3]>)> {
    let limbs = Limbs { arm_down: Some(robe.arm_down), ..Limbs::default() };
    let mut posed = pose::apply(character, &pose::hold(character, [limbs; 2]));
    let mut triangles = character.triangles.clone();
    let first = posed.positions.len() as u32;
    let rings = rings(character, &posed, robe)?;
    for ring in &rings {
        posed.positions.extend((0..COLUMNS).map(|column| {
            let (s, c) = (TAU * column as f32 / COLUMNS as f32).sin_cos();
            ring.centre + Vec3::new(c * ring.half[0], 0.0, s * ring.half[1])
        }));
    }
    let vertex = |ring: usize, column: usize| first + (ring * COLUMNS + column % COLUMNS) as u32;
    for ring in 1..rings.len() {
        for column in 0..COLUMNS {
            let [a, b] = [column, column + 1].map(|column| vertex(ring - 1, column));
            let [c, d] = [column, column + 1].map(|column| vertex(ring, column));
            triangles.extend([[a, b, c], [b, d, c]]);
        }
    }
    if robe.is_closed {
        let hem = rings.len() - 1;
        let middle = posed.positions.len() as u32;
        posed.positions.push(rings[hem].centre);
        triangles.extend((0..COLUMNS).map(|column| [vertex(hem, column), vertex(hem, column + 1), middle]));
    }
    Some((posed, triangles))
}

/// A horizontal ellipse.
struct Ring {
    centre: Vec3,
    /// Along x and z.
    half: [f32; 2],
}

fn rings(character: &Character, posed: &Posed, robe: &Robe) -> Option<Vec<Ring>> {
    let at = |label: &str| character.labels.get(label).map(|&joint| posed.heads[joint]);
    let (hips, neck) = (at("hips")?, at("neck")?);
    let feet = at("foot.L")?.midpoint(at("foot.R")?);
    let top = hips.y + robe.top * (neck.y - hips.y);
    let hem = (hips.y * (1.0 - robe.hem)).max(ABOVE_GROUND);
    let is_arm = arms(character);
    let is_of_arm = |vertex: usize| {
        let strongest = character.weights[vertex].iter().max_by(|a, b| a.1.total_cmp(&b.1));
        strongest.is_some_and(|(joint, _)| is_arm[*joint as usize])
    };
    let body: Vec<Vec3> =
        (0..character.positions.len()).filter(|&v| !is_of_arm(v)).map(|v| posed.positions[v]).collect();
    let slab = 0.6 * (top - hem) / RINGS as f32 + 0.01;
    let axis = |y: f32| {
        let t = ((hips.y - y) / (hips.y - feet.y).max(1e-3)).clamp(0.0, 1.0);
        hips.lerp(feet, t).with_y(y)
    };
    let extent = |y: f32| {
        let near = body.iter().filter(|p| (p.y - y).abs() < slab);
        near.fold([0.0f32; 2], |half, p| {
            let offset = (*p - axis(y)).abs();
            [half[0].max(offset.x), half[1].max(offset.z)]
        })
    };
    let waist = extent(top);
    let mut widest = waist;
    let rings = (0..=RINGS).map(|ring| {
        let t = ring as f32 / RINGS as f32;
        let y = top + (hem - top) * t;
        let inside = extent(y);
        // Cloth hangs down from where it is widest.
        widest = [0, 1].map(|i| widest[i].max(inside[i]));
        let cone = 1.0 + (robe.flare - 1.0) * t;
        let half = [0, 1].map(|i| EASE * widest[i].max(waist[i] * cone));
        Ring { centre: axis(y), half }
    });
    Some(rings.collect())
}

/// Whether each joint is of an arm.
fn arms(character: &Character) -> Vec<bool> {
    let mut is_arm = vec![false; character.parents.len()];
    for joint in 0..is_arm.len() {
        let is_first =
            ["upper_arm.L", "upper_arm.R"].iter().any(|label| character.labels.get(*label) == Some(&joint));
        is_arm[joint] = is_first || character.parents[joint].is_some_and(|parent| is_arm[parent]);
    }
    is_arm
}
