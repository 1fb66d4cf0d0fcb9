//! Sorting triangles into the tree.

use glam::{Vec3, Vec3A};

use super::{Bvh, Node};

/// A leaf with at most this many triangles is not split. Larger: more triangles tested per leaf.
/// Smaller: more boxes tested on the way.
const LEAF: usize = 4;

/// Up to this many stay together where the heuristic finds no cut worth it.
const LARGEST_LEAF: usize = 8;

/// Places to cut along each axis. More: slower to build, trees hardly better. Fewer: worse trees.
const BINS: usize = 8;

/// Looking into a box against testing one triangle.
const BOX_COST: f32 = 1.0;

/// Deeper than this, triangles are halved by count: with at most 2³¹ of them, the tree stays within
/// [`super::STACK`] whatever the input.
const HEURISTIC_DEPTH: usize = 32;

/// What the build needs to know of one triangle.
#[derive(Clone, Copy)]
struct Item {
    low: Vec3A,
    high: Vec3A,
    triangle: u32,
}

impl Item {
    /// The middle of its box.
    fn middle(&self) -> Vec3A {
        self.low * 0.5 + self.high * 0.5
    }
}

#[derive(Clone, Copy)]
struct Bounds {
    low: Vec3A,
    high: Vec3A,
}

impl Bounds {
    const NONE: Self = Self { low: Vec3A::INFINITY, high: Vec3A::NEG_INFINITY };

    fn with(self, low: Vec3A, high: Vec3A) -> Self {
        Self { low: self.low.min(low), high: self.high.max(high) }
    }

    /// Half the surface of the box; 0 for an empty one.
    fn area(&self) -> f32 {
        let size = (self.high - self.low).max(Vec3A::ZERO);
        size.x * size.y + size.y * size.z + size.z * size.x
    }
}

/// Nodes still to be split: (node, first item, end of items, depth).
type Open = (usize, usize, usize, usize);

pub(super) fn build(positions: &[Vec3], triangles: &[[u32; 3]]) -> Bvh {
    let corners_of = |t: &[u32; 3]| t.map(|v| positions[v as usize]);
    let mut items: Vec<Item> = triangles
        .iter()
        .enumerate()
        .map(|(i, t)| (i as u32, corners_of(t)))
        .filter(|(_, corners)| has_area(corners))
        .map(|(triangle, [a, b, c])| Item {
            low: a.min(b).min(c).into(),
            high: a.max(b).max(c).into(),
            triangle,
        })
        .collect();
    let mut nodes = Vec::with_capacity(items.len());
    let mut open: Vec<Open> = Vec::new();
    if !items.is_empty() {
        nodes.push(Node::default());
        open.push((0, 0, items.len(), 1));
    }
    while let Some((node, first, end, depth)) = open.pop() {
        let (around, middles) = measure(&items[first..end]);
        nodes[node] =
            Node { low: around.low, high: around.high, first: first as u32, count: (end - first) as u32 };
        if end - first <= LEAF {
            continue;
        }
        let Some(left) = split(&mut items[first..end], &around, &middles, depth) else { continue };
        let child = nodes.len();
        nodes[node].first = child as u32;
        nodes[node].count = 0;
        nodes.extend([Node::default(); 2]);
        open.push((child + 1, first + left, end, depth + 1));
        open.push((child, first, first + left, depth + 1));
    }
    let corners = items.iter().map(|item| corners_of(&triangles[item.triangle as usize])).collect();
    let triangles = items.iter().map(|item| item.triangle).collect();
    Bvh { nodes, corners, triangles }
}

/// Whether a triangle has an area at all; in f64, where differences and products of f32 are all but exact.
pub(super) fn has_area([a, b, c]: &[Vec3; 3]) -> bool {
    let a = a.as_dvec3();
    (b.as_dvec3() - a).cross(c.as_dvec3() - a).length_squared() > 0.0
}

/// The box around the items, and the box around their middles.
fn measure(items: &[Item]) -> (Bounds, Bounds) {
    items.iter().fold((Bounds::NONE, Bounds::NONE), |(around, middles), item| {
        let middle = item.middle();
        (around.with(item.low, item.high), middles.with(middle, middle))
    })
}

/// Sorts the items into two and returns how many are in the first; none when they had better stay one leaf.
fn split(items: &mut [Item], around: &Bounds, middles: &Bounds, depth: usize) -> Option<usize> {
    let size = middles.high - middles.low;
    if depth > HEURISTIC_DEPTH || size.max_element() <= 0.0 {
        return Some(halve(items, size));
    }
    let Some(cut) = best_cut(items, middles) else { return Some(halve(items, size)) };
    let whole = around.area().max(f32::MIN_POSITIVE);
    let worth_it = BOX_COST + cut.cost / whole < items.len() as f32;
    if items.len() <= LARGEST_LEAF && !worth_it {
        return None;
    }
    let left = partition(items, |item| cut.bins.of(item.middle())[cut.axis] <= cut.bin);
    if left == 0 || left == items.len() { Some(halve(items, size)) } else { Some(left) }
}

/// Half by count along the longest axis.
fn halve(items: &mut [Item], size: Vec3A) -> usize {
    let axis = size.max_position();
    let half = items.len() / 2;
    items.select_nth_unstable_by(half, |a, b| {
        a.middle()[axis].total_cmp(&b.middle()[axis]).then(a.triangle.cmp(&b.triangle))
    });
    half
}

struct Bins {
    low: Vec3A,
    per_unit: Vec3A,
}

impl Bins {
    /// The bin along each axis; NaN-free, since a flat axis counts no bins.
    fn of(&self, middle: Vec3A) -> [usize; 3] {
        let bin = ((middle - self.low) * self.per_unit).min(Vec3A::splat(BINS as f32 - 1.0));
        [bin.x as usize, bin.y as usize, bin.z as usize]
    }
}

struct Cut {
    axis: usize,
    /// The last bin on the left.
    bin: usize,
    cost: f32,
    bins: Bins,
}

/// The cut between bins with the least expected work.
fn best_cut(items: &[Item], middles: &Bounds) -> Option<Cut> {
    let size = middles.high - middles.low;
    let per_unit = Vec3A::select(size.cmpgt(Vec3A::ZERO), Vec3A::splat(BINS as f32) / size, Vec3A::ZERO);
    if !per_unit.is_finite() {
        return None;
    }
    let bins = Bins { low: middles.low, per_unit };
    let mut filled = [[(Bounds::NONE, 0u32); BINS]; 3];
    for item in items {
        let [x, y, z] = bins.of(item.middle());
        for (axis, bin) in [x, y, z].into_iter().enumerate() {
            let (around, count) = &mut filled[axis][bin];
            *around = around.with(item.low, item.high);
            *count += 1;
        }
    }
    let mut best: Option<(usize, usize, f32)> = None;
    for axis in (0..3).filter(|&axis| size[axis] > 0.0) {
        for (bin, cost) in costs(&filled[axis]) {
            if best.is_none_or(|(_, _, least)| cost < least) {
                best = Some((axis, bin, cost));
            }
        }
    }
    best.map(|(axis, bin, cost)| Cut { axis, bin, cost, bins })
}

/// Area times count of both sides, for every cut that leaves something on each.
fn costs(bins: &[(Bounds, u32); BINS]) -> impl Iterator<Item = (usize, f32)> {
    let mut right_cost = [None; BINS];
    let (mut around, mut count) = (Bounds::NONE, 0);
    for bin in (1..BINS).rev() {
        around = around.with(bins[bin].0.low, bins[bin].0.high);
        count += bins[bin].1;
        right_cost[bin - 1] = (count > 0).then(|| around.area() * count as f32);
    }
    let (mut around, mut count) = (Bounds::NONE, 0);
    (0..BINS - 1).filter_map(move |bin| {
        around = around.with(bins[bin].0.low, bins[bin].0.high);
        count += bins[bin].1;
        let right = right_cost[bin]?;
        (count > 0).then(|| (bin, around.area() * count as f32 + right))
    })
}

/// Moves items for which `goes_left` holds to the front; returns how many.
fn partition(items: &mut [Item], goes_left: impl Fn(&Item) -> bool) -> usize {
    let mut left = 0;
    for i in 0..items.len() {
        if goes_left(&items[i]) {
            items.swap(left, i);
            left += 1;
        }
    }
    left
}
