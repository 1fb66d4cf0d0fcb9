//! Construction of the tree.

use glam::{Vec3, Vec3A};

use super::{Bvh, Node};

/// Nodes with at most this many triangles are not split. Larger: more triangles are tested per
/// leaf. Smaller: more boxes are tested on the way.
const MIN_SPLIT: usize = 4;

/// Largest leaf for which the heuristic may reject a split.
const MAX_LEAF: usize = 8;

/// Number of bins along each axis. More: slower to build, trees hardly better. Fewer: worse trees.
const BINS: usize = 8;

/// Cost of testing a box, in units of testing one triangle.
const BOX_TEST_COST: f32 = 1.0;

/// Below this depth triangles are halved by count: with at most 2³¹ of them, the tree stays within
/// [`super::STACK`] for any input.
const HEURISTIC_DEPTH: usize = 32;

/// The bounding box of one triangle.
#[derive(Clone, Copy)]
struct Item {
    low: Vec3A,
    high: Vec3A,
    triangle: u32,
}

impl Item {
    /// The centre of the box.
    fn centre(&self) -> Vec3A {
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

    /// Half of the surface area of the box; 0 for an empty one.
    fn area(&self) -> f32 {
        let size = (self.high - self.low).max(Vec3A::ZERO);
        size.x * size.y + size.y * size.z + size.z * size.x
    }
}

/// A node that is still to be split: (node, first item, end of items, depth).
type PendingNode = (usize, usize, usize, usize);

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
    let mut pending: Vec<PendingNode> = Vec::new();
    if !items.is_empty() {
        nodes.push(Node::default());
        pending.push((0, 0, items.len(), 1));
    }
    while let Some((node, first, end, depth)) = pending.pop() {
        let (around, centres) = measure(&items[first..end]);
        nodes[node] =
            Node { low: around.low, high: around.high, first: first as u32, count: (end - first) as u32 };
        if end - first <= MIN_SPLIT {
            continue;
        }
        let Some(left) = split(&mut items[first..end], &around, &centres, depth) else { continue };
        let child = nodes.len();
        nodes[node].first = child as u32;
        nodes[node].count = 0;
        nodes.extend([Node::default(); 2]);
        pending.push((child + 1, first + left, end, depth + 1));
        pending.push((child, first, first + left, depth + 1));
    }
    let corners = items.iter().map(|item| corners_of(&triangles[item.triangle as usize])).collect();
    let triangles = items.iter().map(|item| item.triangle).collect();
    Bvh { nodes, corners, triangles }
}

/// Whether a triangle has a positive area; in f64, where differences and products of f32 are nearly
/// exact.
pub(super) fn has_area([a, b, c]: &[Vec3; 3]) -> bool {
    let a = a.as_dvec3();
    (b.as_dvec3() - a).cross(c.as_dvec3() - a).length_squared() > 0.0
}

/// The bounding box of the items, and the bounding box of their centres.
fn measure(items: &[Item]) -> (Bounds, Bounds) {
    items.iter().fold((Bounds::NONE, Bounds::NONE), |(around, centres), item| {
        let centre = item.centre();
        (around.with(item.low, item.high), centres.with(centre, centre))
    })
}

/// Sorts the items into two halves and returns the size of the first; `None` if they should stay
/// one leaf.
fn split(items: &mut [Item], around: &Bounds, centres: &Bounds, depth: usize) -> Option<usize> {
    let size = centres.high - centres.low;
    if depth > HEURISTIC_DEPTH || size.max_element() <= 0.0 {
        return Some(halve(items, size));
    }
    let Some(best) = best_split(items, centres) else { return Some(halve(items, size)) };
    let whole = around.area().max(f32::MIN_POSITIVE);
    let worth_it = BOX_TEST_COST + best.cost / whole < items.len() as f32;
    if items.len() <= MAX_LEAF && !worth_it {
        return None;
    }
    let left = partition(items, |item| best.bins.of(item.centre())[best.axis] <= best.bin);
    if left == 0 || left == items.len() { Some(halve(items, size)) } else { Some(left) }
}

/// Splits in half by count along the longest axis.
fn halve(items: &mut [Item], size: Vec3A) -> usize {
    let axis = size.max_position();
    let half = items.len() / 2;
    items.select_nth_unstable_by(half, |a, b| {
        a.centre()[axis].total_cmp(&b.centre()[axis]).then(a.triangle.cmp(&b.triangle))
    });
    half
}

struct Bins {
    low: Vec3A,
    per_unit: Vec3A,
}

impl Bins {
    /// The bin along each axis. Never NaN, since an axis without extent has no bins.
    fn of(&self, centre: Vec3A) -> [usize; 3] {
        let bin = ((centre - self.low) * self.per_unit).min(Vec3A::splat(BINS as f32 - 1.0));
        [bin.x as usize, bin.y as usize, bin.z as usize]
    }
}

struct Split {
    axis: usize,
    /// The last bin on the left.
    bin: usize,
    cost: f32,
    bins: Bins,
}

/// The split between bins with the smallest expected cost.
fn best_split(items: &[Item], centres: &Bounds) -> Option<Split> {
    let size = centres.high - centres.low;
    let per_unit = Vec3A::select(size.cmpgt(Vec3A::ZERO), Vec3A::splat(BINS as f32) / size, Vec3A::ZERO);
    if !per_unit.is_finite() {
        return None;
    }
    let bins = Bins { low: centres.low, per_unit };
    let mut filled = [[(Bounds::NONE, 0u32); BINS]; 3];
    for item in items {
        let [x, y, z] = bins.of(item.centre());
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
    best.map(|(axis, bin, cost)| Split { axis, bin, cost, bins })
}

/// Area times count of both sides, for every split with items on both sides.
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

/// Moves items for which `goes_left` holds to the front and returns their number.
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
