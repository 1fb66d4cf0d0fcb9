//! How a body stands: its plane of symmetry, what touches the ground, and the centre lines of legs.

use glam::{FloatExt, Vec3};

use crate::body::Body;
use crate::interior::Interior;
use crate::sagittal::Sagittal;

/// Cells below this share of the height may be feet. If larger, bellies of low animals come in; if
/// smaller, feet that are raised a little are lost.
const FEET: f32 = 0.12;

/// Feet reach down to this share of the height.
const GROUND: f32 = 0.05;

/// Front and hind feet are apart by at least this share of the length of all feet together.
const LEAST_GAP: f32 = 0.14;

/// Something that touches the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The mean of its cells near the ground.
    pub at: Vec3,
    /// The smallest and the largest coordinates of its cells.
    pub low: Vec3,
    /// See `low`.
    pub high: Vec3,
    /// Number of cells.
    pub cells: usize,
    /// 1 on the left, -1 on the right, 0 in the middle.
    pub side: i8,
}

/// A leg below the trunk.
#[derive(Clone, Debug)]
pub struct Leg {
    /// What touches the ground.
    pub foot: Contact,
    /// Middles of its slices, from the ground to the trunk.
    pub line: Vec<Vec3>,
}

/// How a body stands.
#[derive(Clone, Debug)]
pub struct Stance {
    /// The plane of symmetry: `x = plane`.
    pub plane: f32,
    /// The share of cells that have a mirrored one.
    pub symmetry: f32,
    /// The smallest and the largest coordinates of cells.
    pub low: Vec3,
    /// See `low`.
    pub high: Vec3,
    /// What touches the ground.
    pub contacts: Vec<Contact>,
    /// Feet from the rear to the front: left and right of each pair.
    pub pairs: Vec<[Contact; 2]>,
    /// Whether no foot had to be made up from that of the other side or a common one.
    pub is_clear: bool,
}

impl Stance {
    /// How a body stands. `None` if it has no cell.
    pub fn new(interior: &Interior) -> Option<Self> {
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for &cell in &interior.cells {
            let at = interior.centre(cell as usize);
            (low, high) = (low.min(at), high.max(at));
        }
        if interior.cells.is_empty() {
            return None;
        }
        let half = 0.5 * interior.lattice.cell;
        (low, high) = (low - half, high + half);
        let (plane, symmetry) = plane(interior, low.x.midpoint(high.x), high.x - low.x);
        let contacts = contacts(interior, plane, low, high);
        let mut stance = Self { plane, symmetry, low, high, contacts, pairs: Vec::new(), is_clear: true };
        stance.pair();
        Some(stance)
    }

    /// The extent along up.
    pub fn height(&self) -> f32 {
        self.high.y - self.low.y
    }

    /// Groups contacts into pairs of feet.
    fn pair(&mut self) {
        let mut feet: Vec<Contact> = self.contacts.iter().filter(|c| c.side != 0).copied().collect();
        let has = |feet: &[Contact], side: i8| feet.iter().any(|foot| foot.side == side);
        if !(has(&feet, 1) && has(&feet, -1)) {
            // Feet that touch each other: both sides share what is in the middle.
            self.is_clear = false;
            feet.extend(self.contacts.iter().filter(|c| c.side == 0).flat_map(|c| self.halves(c)));
        }
        // Feet that touch each other beside pairs that do not.
        let widths = feet.iter().map(|foot| 2.0 * (foot.at.x - self.plane).abs());
        let width = widths.fold(0.0, f32::max);
        let merged = |c: &&Contact| c.side == 0 && self.is_clear && c.high.x - c.low.x > 0.45 * width;
        let merged: Vec<Contact> = self.contacts.iter().filter(merged).copied().collect();
        for contact in merged {
            feet.extend(self.halves(&contact));
        }
        feet.sort_by(|a, b| a.low.z.total_cmp(&b.low.z));
        let Some(first) = feet.first() else { return };
        let end = feet.iter().map(|foot| foot.high.z).fold(f32::NEG_INFINITY, f32::max);
        let least = LEAST_GAP * (end - first.low.z);
        let mut groups: Vec<Vec<Contact>> = Vec::new();
        let mut reached = f32::NEG_INFINITY;
        for foot in feet {
            if foot.low.z > reached + least || groups.is_empty() {
                groups.push(Vec::new());
            }
            reached = reached.max(foot.high.z);
            if let Some(group) = groups.last_mut() {
                group.push(foot);
            }
        }
        for group in groups {
            let side = |side: i8| {
                group.iter().filter(|foot| foot.side == side).copied().reduce(|a, b| {
                    let (m, n) = (a.cells as f32, b.cells as f32);
                    Contact {
                        at: (a.at * m + b.at * n) / (m + n),
                        low: a.low.min(b.low),
                        high: a.high.max(b.high),
                        cells: a.cells + b.cells,
                        side,
                    }
                })
            };
            let pair = match (side(1), side(-1)) {
                (Some(left), Some(right)) => [left, right],
                (Some(one), None) | (None, Some(one)) => {
                    self.is_clear = false;
                    let twin = self.mirrored(&one);
                    if one.side > 0 { [one, twin] } else { [twin, one] }
                }
                (None, None) => continue,
            };
            self.pairs.push(pair);
        }
    }

    /// The left and the right half of a contact in the middle.
    fn halves(&self, contact: &Contact) -> [Contact; 2] {
        let reach = (contact.high.x - contact.low.x) * 0.25;
        [1i8, -1].map(|side| {
            let at = Vec3::new(self.plane + f32::from(side) * reach, contact.at.y, contact.at.z);
            Contact { at, side, ..*contact }
        })
    }

    fn mirrored(&self, contact: &Contact) -> Contact {
        let flip = |p: Vec3| Vec3::new(2.0 * self.plane - p.x, p.y, p.z);
        let (a, b) = (flip(contact.low), flip(contact.high));
        Contact { at: flip(contact.at), low: a.min(b), high: a.max(b), side: -contact.side, ..*contact }
    }

    /// The height of the belly between two places along z: the median of the lowest cells there.
    pub fn belly(&self, slice: &Sagittal, from: f32, to: f32) -> f32 {
        let mut lowest: Vec<f32> = (0..=20)
            .filter_map(|i| slice.extent(from + (to - from) * (0.1 + 0.04 * i as f32)))
            .map(|[low, _]| low)
            .collect();
        lowest.sort_by(f32::total_cmp);
        lowest.get(lowest.len() / 2).copied().unwrap_or(self.low.y)
    }

    /// The leg above a foot, up to a height.
    pub fn leg(&self, interior: &Interior, foot: &Contact, top: f32) -> Leg {
        let lattice = &interior.lattice;
        let inner = 0.35 * (foot.at.x - self.plane).abs();
        let reach_z = (0.5 * (foot.high.z - foot.low.z) + 0.04).max(0.08);
        let reach_x = (0.5 * (foot.high.x - foot.low.x) + 0.04).max(0.08);
        let mut at = foot.at;
        let mut line = Vec::new();
        let first = lattice.cell_at(Vec3::new(0.0, self.low.y + 0.5 * lattice.cell, 0.0))[1];
        let last = lattice.cell_at(Vec3::new(0.0, top, 0.0))[1].max(first);
        for y in first..=last {
            let (mut sum, mut count) = (Vec3::ZERO, 0.0f32);
            let [x0, _, z0] = lattice.cell_at(at - Vec3::new(reach_x, 0.0, reach_z));
            let [x1, _, z1] = lattice.cell_at(at + Vec3::new(reach_x, 0.0, reach_z));
            for z in z0..=z1 {
                for x in x0..=x1 {
                    let centre = lattice.centre([x, y, z]);
                    let beside = f32::from(foot.side) * (centre.x - self.plane);
                    if beside > inner && interior.is_inside[lattice.index([x, y, z])] {
                        sum += centre;
                        count += 1.0;
                    }
                }
            }
            if count > 0.0 {
                let middle = sum / count;
                line.push(middle);
                // The window follows the leg without jumps.
                at = Vec3::new(at.x.lerp(middle.x, 0.3), middle.y, at.z.lerp(middle.z, 0.3));
            }
        }
        crate::sagittal::smooth(&mut line, 2);
        Leg { foot: *foot, line }
    }
}

impl Leg {
    /// The middle of the leg at a height, or of its highest or lowest slice.
    pub fn at_height(&self, y: f32) -> Vec3 {
        let above = self.line.iter().position(|p| p.y >= y);
        match above {
            None => self.line.last().copied().unwrap_or(self.foot.at),
            Some(0) => self.line.first().copied().unwrap_or(self.foot.at),
            Some(index) => {
                let (a, b) = (self.line[index - 1], self.line[index]);
                a.lerp(b, ((y - a.y) / (b.y - a.y).max(1e-9)).clamp(0.0, 1.0))
            }
        }
    }
}

/// The plane `x = …` in which the body mirrors best, and how well it does.
fn plane(interior: &Interior, middle: f32, width: f32) -> (f32, f32) {
    let lattice = &interior.lattice;
    let cell = lattice.cell;
    let stride = (interior.cells.len() / 20_000).max(1);
    let overlap = |plane: f32| {
        let (mut hits, mut count) = (0, 0);
        for &index in interior.cells.iter().step_by(stride) {
            let [x, y, z] = lattice.coordinates(index as usize);
            let mirrored = 2.0 * plane - lattice.centre([x, 0, 0]).x;
            let x = ((mirrored - lattice.origin.x) / cell).floor();
            let is_inside = x >= 0.0
                && (x as usize) < lattice.size[0]
                && interior.is_inside[lattice.index([x as usize, y, z])];
            hits += usize::from(is_inside);
            count += 1;
        }
        hits as f32 / count.max(1) as f32
    };
    let steps = (0.15 * width / cell).ceil() as i32 * 2;
    // Planes near the middle are tried first, and win ties.
    let mut shifts: Vec<i32> = (-steps..=steps).collect();
    shifts.sort_by_key(|shift| shift.abs());
    let mut best = (middle, f32::NEG_INFINITY);
    for shift in shifts {
        let plane = middle + 0.5 * cell * shift as f32;
        let found = overlap(plane);
        if found > best.1 + 2e-3 {
            best = (plane, found);
        }
    }
    best
}

/// What touches the ground.
fn contacts(interior: &Interior, plane: f32, low: Vec3, high: Vec3) -> Vec<Contact> {
    let lattice = &interior.lattice;
    let cell = lattice.cell;
    let height = high.y - low.y;
    let top = low.y + (FEET * height).max(1.5 * cell);
    let ground = low.y + (GROUND * height).max(cell);
    let is_low = |index: usize| interior.is_inside[index] && interior.centre(index).y < top;
    let mut seen = vec![false; lattice.len()];
    let mut out = Vec::new();
    let strides = lattice.strides().map(|stride| stride as isize);
    let mut pending = Vec::new();
    for &start in &interior.cells {
        let start = start as usize;
        if seen[start] || !is_low(start) {
            continue;
        }
        seen[start] = true;
        pending.push(start);
        let (mut sum, mut count) = (Vec3::ZERO, 0);
        let (mut least, mut most) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        while let Some(index) = pending.pop() {
            let at = interior.centre(index);
            sum += at;
            count += 1;
            (least, most) = (least.min(at), most.max(at));
            for i in 0..27isize {
                let offset = [i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1];
                let next = index.wrapping_add_signed(
                    offset[0] * strides[0] + offset[1] * strides[1] + offset[2] * strides[2],
                );
                if !seen[next] && is_low(next) {
                    seen[next] = true;
                    pending.push(next);
                }
            }
        }
        if least.y > ground {
            continue;
        }
        let (left, right) = (most.x - plane, plane - least.x);
        let side = if left > 0.0 && right > 0.0 && left.min(right) > 0.3 * left.max(right) {
            0
        } else if left > right {
            1
        } else {
            -1
        };
        out.push(Contact { at: sum / count as f32, low: least, high: most, cells: count, side });
    }
    // Dust between feet.
    let largest = out.iter().map(|contact| contact.cells).max().unwrap_or(0);
    out.retain(|contact| contact.cells * 20 >= largest);
    out
}

/// The cells inside a body, how it stands, and its slice in the plane of symmetry.
pub struct Standing {
    /// The cells inside.
    pub interior: Interior,
    /// How it stands.
    pub stance: Stance,
    /// The slice in the plane of symmetry.
    pub slice: Sagittal,
}

impl Standing {
    /// `None` if the body has no cell.
    pub fn new(body: &Body) -> Option<Self> {
        let interior = Interior::of_body(body);
        let stance = Stance::new(&interior)?;
        let slice = Sagittal::new(body, &interior, stance.plane);
        Some(Self { interior, stance, slice })
    }
}
