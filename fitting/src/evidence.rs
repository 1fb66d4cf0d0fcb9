//! What speaks for a body plan in an orientation: contacts with the ground, symmetry, limbs.

use glam::Vec3;

use crate::body::Body;
use crate::curve_skeleton::CurveSkeleton;
use crate::interior::Interior;
use crate::plans::{generic, snake, spider};
use crate::polyline;
use crate::stance::Standing;

/// Measures of a body in an orientation. Lengths are in units of its longest side.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The share of cells with a mirrored twin.
    pub symmetry: f32,
    /// The extents.
    pub size: Vec3,
    /// Pairs of feet, from the rear to the front.
    pub pairs: usize,
    /// Whether no foot was made up.
    pub is_clear: bool,
    /// Whether anything touches the ground on the left, and anything on the right.
    pub is_two_sided: bool,
    /// The distance between the rearmost and the foremost feet.
    pub stance_length: f32,
    /// The free distance between them.
    pub gap: f32,
    /// The distance between left and right feet.
    pub stance_width: f32,
    /// The height of the belly between the feet, as a share of the height.
    pub clearance: f32,
    /// The deepest place in the plane of symmetry, from the middle of the box at the ground.
    pub trunk: Vec3,
    /// Its depth.
    pub depth: f32,
    /// Depths at a sixth of the length from the rear and from the front, in the plane of symmetry.
    pub ends: [f32; 2],
    /// Heights of the deepest places there.
    pub end_heights: [f32; 2],
    /// Pairs of long limbs to the sides, and how many of them reach the ground. Not counted for
    /// high bodies and those that lie on the ground.
    pub limbs: [usize; 2],
    /// What is before the foremost feet and behind the rearmost: sums of distances over cells, as
    /// shares of both.
    pub overhang: f32,
    /// How far feet reach to the front of the legs above them, less how far to the rear.
    pub toes: f32,
    /// The share of the lowest slices that the body touches the ground with: area in the box.
    pub footprint: f32,
}

impl Evidence {
    /// Measures a body. `None` if it is empty.
    pub fn new(body: &Body) -> Option<Self> {
        let standing = Standing::new(body)?;
        let Standing { interior, stance, slice } = &standing;
        let (low, high) = (stance.low, stance.high);
        let size = high - low;
        let middle = low.midpoint(high);
        let (trunk, depth) = slice.trunk().unwrap_or((middle, 0.0));
        let end = |share: f32| slice.deepest(low.z + share * size.z).unwrap_or((low, 0.0));
        let (rear, front) = (end(1.0 / 6.0), end(5.0 / 6.0));
        let pairs = &stance.pairs;
        let (gap, stance_length, between) = match (pairs.first(), pairs.last()) {
            (Some(first), Some(last)) => {
                let back = first[0].high.z.max(first[1].high.z);
                let fore = last[0].low.z.min(last[1].low.z);
                let ends = [first, last].map(|pair| 0.5 * (pair[0].at.z + pair[1].at.z));
                (fore - back, ends[1] - ends[0], ends)
            }
            _ => (0.0, 0.0, [middle.z; 2]),
        };
        let stance_width = pairs.iter().map(|[left, right]| left.at.x - right.at.x).fold(0.0, f32::max);
        let is_two_sided = [1, -1].iter().all(|&side| stance.contacts.iter().any(|c| c.side == side));
        let belly = if pairs.len() > 1 && is_two_sided {
            stance.belly(slice, between[0], between[1])
        } else {
            slice.extent(trunk.z).map_or(low.y, |[bottom, _]| bottom)
        };
        let lowest = interior.cells.iter().filter(|&&cell| {
            interior.centre(cell as usize).y < low.y + (0.04 * size.y).max(interior.lattice.cell)
        });
        let slices = (0.04 * size.y / interior.lattice.cell).max(1.0);
        let area = lowest.count() as f32 * interior.lattice.cell.powi(2) / slices;
        let footprint = area / (size.x * size.z).max(1e-9);
        let is_low = size.y < 0.95 * size.x.max(size.z) && footprint < 0.5;
        let limbs = if is_low { limbs(body, &standing) } else { [0; 2] };
        let (mut before, mut behind) = (0.0f32, 0.0f32);
        let (first, last) = if pairs.is_empty() { (trunk.z, trunk.z) } else { (between[0], between[1]) };
        for &cell in &interior.cells {
            let z = interior.centre(cell as usize).z;
            before += (z - last).max(0.0);
            behind += (first - z).max(0.0);
        }
        let toes = pairs.iter().flatten().map(|foot| {
            let top = low.y + 0.25 * f32::max(belly - low.y, 0.1 * size.y);
            let leg = stance.leg(interior, foot, top);
            let above = leg.line.last().map_or(foot.at.z, |p| p.z);
            foot.high.z + foot.low.z - 2.0 * above
        });
        let toes = toes.sum::<f32>() / (2 * pairs.len()).max(1) as f32;
        Some(Self {
            overhang: (before - behind) / (before + behind).max(1e-6),
            toes,
            symmetry: stance.symmetry,
            size,
            pairs: pairs.len(),
            is_clear: stance.is_clear,
            is_two_sided,
            stance_length,
            gap,
            stance_width,
            clearance: (belly - low.y) / size.y.max(1e-6),
            trunk: trunk - Vec3::new(middle.x, low.y, middle.z),
            depth,
            ends: [rear.1, front.1],
            end_heights: [rear.0.y - low.y, front.0.y - low.y],
            limbs,
            footprint,
        })
    }
}

/// Pairs of long limbs to the sides, and how many of them reach the ground.
fn limbs(body: &Body, Standing { interior, stance, .. }: &Standing) -> [usize; 2] {
    let legs = spider::legs(body, interior, stance.plane);
    let ground = stance.low.y + 0.2 * stance.height();
    let is_on_ground = |line: &Vec<Vec3>| line.last().is_some_and(|tip| tip.y < ground);
    let paired = || legs.iter().filter(|(_, is_pair)| *is_pair);
    [paired().count(), paired().filter(|(pair, _)| pair.iter().all(is_on_ground)).count()]
}

impl Evidence {
    /// How much speaks for the front being where it is, and not at the rear: above zero it does.
    pub fn facing(&self) -> f32 {
        let height = (self.end_heights[1] - self.end_heights[0]) / self.size.y.max(1e-6);
        let depth = (self.ends[1] - self.ends[0]) / self.depth.max(1e-6);
        let toes = if self.is_clear { self.toes / self.size.y.max(1e-6) } else { 0.0 };
        0.5 * self.overhang + height + 0.5 * depth + 2.0 * toes
    }
}

/// How far limbs reach from where they begin: in radii there, and in units of the body. If smaller,
/// the corners of bars are limbs.
const LIMB_RADII: f32 = 1.5;
const LIMB_LENGTH: f32 = 0.05;

/// What does not depend on the orientation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shape {
    /// The length of the longest path inside, in mean radii.
    pub slenderness: f32,
    /// The share of cells near that path.
    pub near: f32,
    /// How much the radius varies along it, in the mean radius.
    pub variation: f32,
    /// The number of ends of the curve skeleton.
    pub tips: usize,
}

impl Shape {
    /// Measures a body.
    pub fn new(body: &Body) -> Self {
        let interior = Interior::of_body(body);
        let (Some(chain), Some(root)) = (snake::path(body, &interior), generic::root(body, &interior)) else {
            return Self::default();
        };
        let snake::Chain { points, radius, variation, .. } = chain;
        let reach = 2.2 * radius + interior.lattice.cell;
        let sampled: Vec<Vec3> = (0..=60).map(|i| polyline::at(&points, i as f32 / 60.0)).collect();
        let near = |at: Vec3| sampled.iter().any(|p| p.distance(at) < reach);
        let stride = (interior.cells.len() / 4000).max(1);
        let cells: Vec<u32> = interior.cells.iter().copied().step_by(stride).collect();
        let hits = cells.iter().filter(|&&cell| near(interior.centre(cell as usize))).count();
        Self {
            slenderness: polyline::length(&points) / radius.max(1e-6),
            near: hits as f32 / cells.len().max(1) as f32,
            variation,
            tips: CurveSkeleton::with_reach(body, &interior, root, LIMB_RADII, LIMB_LENGTH).tips().len(),
        }
    }
}
