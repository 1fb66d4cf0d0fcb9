//! A curve skeleton: the middles of the level sets of the distance inside a body.
//!
//! Input: the cells inside a body and a root. Cells at about the same distance from the root that
//! touch are one node; its parent is the node it touches that is nearer to the root (Lazarus &
//! Verroust 1999). Branches that do not stand out of the surface are removed.
//! Cost: linear in the number of cells, up to the sorting of nodes.

use glam::Vec3;

use crate::body::Body;
use crate::interior::{Interior, STEPS_PER_CELL, UNREACHED};

/// Thickness of a level set, in cells. At least the longest step, so that each node has a parent.
const LEVEL: f32 = 2.0;

/// How far a tip must be from where its branch begins, in radii at that place. If smaller, corners
/// and folds become branches; if larger, short legs vanish.
const LEAST_REACH: f32 = 1.25;

/// How far a tip must be from where its branch begins, in units of the body.
const LEAST_LENGTH: f32 = 0.05;

/// A place on the skeleton.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    /// The mean of its cells.
    pub at: Vec3,
    /// The largest distance of its cells from the surface.
    pub radius: f32,
    /// The distance from the root, inside the body.
    pub from_root: f32,
    /// The next node on the way to the root.
    pub parent: Option<usize>,
}

/// A tree of nodes. Parents come before their children.
#[derive(Clone, Debug, Default)]
pub struct CurveSkeleton {
    /// The first is the root.
    pub nodes: Vec<Node>,
}

/// A path without branches.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Nodes from the side of the root. All but those of the first branch begin with the node they
    /// leave the parent from.
    pub nodes: Vec<usize>,
    /// The branch it leaves.
    pub parent: Option<usize>,
}

impl CurveSkeleton {
    /// The skeleton of a body from a cell inside it, which becomes the root.
    pub fn from_root(body: &Body, interior: &Interior, root: usize) -> Self {
        Self::with_reach(body, interior, root, LEAST_REACH, LEAST_LENGTH)
    }

    /// The skeleton with the branches whose tips are at least so far from where they begin: in
    /// radii at that place, and in units of the body.
    pub fn with_reach(body: &Body, interior: &Interior, root: usize, radii: f32, length: f32) -> Self {
        let distances = interior.distances(&[root]);
        Self::level_sets(body, interior, &distances).pruned(radii, length)
    }

    fn level_sets(body: &Body, interior: &Interior, distances: &[u32]) -> Self {
        let lattice = &interior.lattice;
        let width = (LEVEL * STEPS_PER_CELL as f32) as u32;
        let level = |cell: usize| distances[cell] / width;
        // Components of level sets, by a search in each.
        let mut node_of = vec![u32::MAX; lattice.len()];
        let mut sums: Vec<(Vec3, f32, f32, f32, u32)> = Vec::new();
        let strides = lattice.strides().map(|stride| stride as isize);
        let offsets: Vec<isize> = (0..27)
            .map(|i| (i % 3 - 1) * strides[0] + (i / 3 % 3 - 1) * strides[1] + (i / 9 - 1) * strides[2])
            .collect();
        let mut pending: Vec<usize> = Vec::new();
        for &start in &interior.cells {
            let start = start as usize;
            if distances[start] == UNREACHED || node_of[start] != u32::MAX {
                continue;
            }
            let id = sums.len() as u32;
            let mut sum = (Vec3::ZERO, 0.0f32, 0.0f32, 0.0f32, level(start));
            node_of[start] = id;
            pending.push(start);
            while let Some(cell) = pending.pop() {
                sum.0 += interior.centre(cell);
                sum.1 = sum.1.max(-body.cell_distance(cell));
                sum.2 += distances[cell] as f32;
                sum.3 += 1.0;
                for &offset in &offsets {
                    let next = cell.wrapping_add_signed(offset);
                    if interior.is_inside[next]
                        && node_of[next] == u32::MAX
                        && distances[next] != UNREACHED
                        && level(next) == sum.4
                    {
                        node_of[next] = id;
                        pending.push(next);
                    }
                }
            }
            sums.push(sum);
        }
        // The parent is the node of the level before with the most contact.
        let mut contacts: Vec<Vec<(u32, u32)>> = vec![Vec::new(); sums.len()];
        for &cell in &interior.cells {
            let cell = cell as usize;
            let id = node_of[cell];
            if id == u32::MAX {
                continue;
            }
            for &offset in &offsets {
                let other = node_of[cell.wrapping_add_signed(offset)];
                if other != u32::MAX && sums[other as usize].4 + 1 == sums[id as usize].4 {
                    let own = &mut contacts[id as usize];
                    match own.iter_mut().find(|(_, node)| *node == other) {
                        Some((count, _)) => *count += 1,
                        None => own.push((1, other)),
                    }
                }
            }
        }
        let parents: Vec<Option<(u32, u32)>> = contacts.iter().map(|own| own.iter().max().copied()).collect();
        let mut order: Vec<usize> = (0..sums.len()).collect();
        order.sort_by_key(|&node| (sums[node].4, node));
        let mut place = vec![0; sums.len()];
        order.iter().enumerate().for_each(|(at, &node)| place[node] = at);
        let cell = lattice.cell;
        let nodes = order
            .iter()
            .map(|&node| {
                let (sum, radius, distance, count, _) = sums[node];
                Node {
                    at: sum / count,
                    radius: radius.max(0.5 * cell),
                    from_root: distance / count * cell / STEPS_PER_CELL as f32,
                    parent: parents[node].map(|(_, parent)| place[parent as usize]),
                }
            })
            .collect();
        Self { nodes }
    }

    /// Without the branches that do not stand out.
    fn pruned(&self, least_radii: f32, least_length: f32) -> Self {
        let count = self.nodes.len();
        let mut reach: Vec<f32> = self.nodes.iter().map(|node| node.from_root).collect();
        for node in (0..count).rev() {
            if let Some(parent) = self.nodes[node].parent {
                reach[parent] = reach[parent].max(reach[node]);
            }
        }
        let mut deepest: Vec<Option<usize>> = vec![None; count];
        for node in 0..count {
            if let Some(parent) = self.nodes[node].parent
                && deepest[parent].is_none_or(|other| reach[node] > reach[other])
            {
                deepest[parent] = Some(node);
            }
        }
        let mut kept = vec![None; count];
        let mut out = Self::default();
        for (index, node) in self.nodes.iter().enumerate() {
            let keep = match node.parent {
                None => index == 0,
                Some(parent) => {
                    let stem = &self.nodes[parent];
                    let length = reach[index] - stem.from_root;
                    kept[parent].is_some()
                        && (deepest[parent] == Some(index)
                            || (length > least_radii * stem.radius && length > least_length))
                }
            };
            if keep {
                kept[index] = Some(out.nodes.len());
                out.nodes.push(Node { parent: node.parent.and_then(|parent| kept[parent]), ..*node });
            }
        }
        out
    }

    /// The part that leads to the tips with the longest branches, at most so many.
    pub fn longest(&self, tips: usize) -> Self {
        let branches = self.branches();
        let mut ends: Vec<(f32, usize)> = (0..branches.len())
            .filter(|&index| branches.iter().all(|branch| branch.parent != Some(index)))
            .filter_map(|index| {
                let nodes = &branches[index].nodes;
                let (first, last) = (nodes.first()?, nodes.last()?);
                Some((self.nodes[*last].from_root - self.nodes[*first].from_root, *last))
            })
            .collect();
        if ends.len() <= tips {
            return self.clone();
        }
        ends.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut is_kept = vec![false; self.nodes.len()];
        for &(_, tip) in &ends[..tips] {
            self.path(tip).into_iter().for_each(|node| is_kept[node] = true);
        }
        let mut place = vec![None; self.nodes.len()];
        let mut out = Self::default();
        for (index, node) in self.nodes.iter().enumerate().filter(|&(index, _)| is_kept[index]) {
            place[index] = Some(out.nodes.len());
            out.nodes.push(Node { parent: node.parent.and_then(|parent| place[parent]), ..*node });
        }
        out
    }

    /// The children of each node.
    pub fn children(&self) -> Vec<Vec<usize>> {
        let mut children = vec![Vec::new(); self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate() {
            if let Some(parent) = node.parent {
                children[parent].push(index);
            }
        }
        children
    }

    /// The nodes without children.
    pub fn tips(&self) -> Vec<usize> {
        let children = self.children();
        (0..self.nodes.len()).filter(|&node| children[node].is_empty()).collect()
    }

    /// The nodes from the root to a node.
    pub fn path(&self, node: usize) -> Vec<usize> {
        let mut path: Vec<usize> = std::iter::successors(Some(node), |&n| self.nodes[n].parent).collect();
        path.reverse();
        path
    }

    /// The paths between branchings, parents first.
    pub fn branches(&self) -> Vec<Branch> {
        let children = self.children();
        let mut out: Vec<Branch> = Vec::new();
        if self.nodes.is_empty() {
            return out;
        }
        let mut pending = vec![(vec![0], None)];
        while let Some((mut nodes, parent)) = pending.pop() {
            let mut last = *nodes.last().unwrap_or(&0);
            while let [child] = children[last][..] {
                nodes.push(child);
                last = child;
            }
            let index = out.len();
            out.push(Branch { nodes, parent });
            for &child in children[last].iter().rev() {
                pending.push((vec![last, child], Some(index)));
            }
        }
        out
    }
}
