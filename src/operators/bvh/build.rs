//! Construction of the tree.

use std::ops::Range;

use glam::{Vec3, Vec3A};

use super::{Bvh, Node};
use crate::math::{order_preserving_bits, smaller, sort_by_keys};

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

/// The bounding box of items, and the bounding box of their centres.
#[derive(Clone, Copy)]
struct Extent {
    around: Bounds,
    centres: Bounds,
}

impl Extent {
    const NONE: Self = Self { around: Bounds::NONE, centres: Bounds::NONE };

    fn of(items: &[Item]) -> Self {
        items.iter().fold(Self::NONE, Self::with)
    }

    #[inline]
    fn with(self, item: &Item) -> Self {
        let centre = item.centre();
        Self { around: self.around.with(item.low, item.high), centres: self.centres.with(centre, centre) }
    }
}

/// A node that is still to be split.
struct PendingNode {
    node: usize,
    items: Range<usize>,
    extent: Extent,
    depth: usize,
}

/// Items sorted into two halves: the size of the first, and the extents of both.
type Halves = (usize, [Extent; 2]);

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
        pending.push(PendingNode { node: 0, items: 0..items.len(), extent: Extent::of(&items), depth: 1 });
    }
    while let Some(PendingNode { node, items: range, extent, depth }) = pending.pop() {
        let Bounds { low, high } = extent.around;
        nodes[node] = Node { low, high, first: range.start as u32, count: range.len() as u32 };
        if range.len() <= MIN_SPLIT {
            continue;
        }
        let Some((left, extents)) = split(&mut items[range.clone()], &extent, depth) else { continue };
        let child = nodes.len();
        nodes[node].first = child as u32;
        nodes[node].count = 0;
        nodes.extend([Node::default(); 2]);
        let middle = range.start + left;
        let child = |side: usize, items| PendingNode {
            node: child + side,
            items,
            extent: extents[side],
            depth: depth + 1,
        };
        pending.push(child(1, middle..range.end));
        pending.push(child(0, range.start..middle));
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

/// Sorts the items into two halves; `None` if they should stay one leaf.
fn split(items: &mut [Item], extent: &Extent, depth: usize) -> Option<Halves> {
    let Extent { around, centres } = extent;
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
    let halves = partition(items, |item| best.bins.along(best.axis, item.centre()) <= best.bin);
    if halves.0 == 0 || halves.0 == items.len() { Some(halve(items, size)) } else { Some(halves) }
}

/// Splits in half by count along the longest axis.
fn halve(items: &mut [Item], size: Vec3A) -> Halves {
    let axis = size.max_position();
    let half = items.len() / 2;
    sort_by_keys(items, |item| item.triangle.into());
    sort_by_keys(items, |item| order_preserving_bits(item.centre()[axis].into()));
    (half, [Extent::of(&items[..half]), Extent::of(&items[half..])])
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

    /// The bin along one axis.
    #[inline]
    fn along(&self, axis: usize, centre: Vec3A) -> usize {
        smaller((centre[axis] - self.low[axis]) * self.per_unit[axis], BINS as f32 - 1.0) as usize
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

/// Moves items for which `goes_left` holds to the front.
fn partition(items: &mut [Item], goes_left: impl Fn(&Item) -> bool) -> Halves {
    let (mut left, mut extents) = (0, [Extent::NONE; 2]);
    for i in 0..items.len() {
        let item = items[i];
        if goes_left(&item) {
            extents[0] = extents[0].with(&item);
            items.swap(left, i);
            left += 1;
        } else {
            extents[1] = extents[1].with(&item);
        }
    }
    (left, extents)
}
