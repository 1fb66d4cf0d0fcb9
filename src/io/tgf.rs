//! Skeletons in trivial graph format in.
//!
//! In: lines `id x y z` (points), a line `#`, lines `a b` (edges between ids), perhaps another `#` and
//! more, which is not read. Out: a skeleton with one joint per point, in the file's order, called "joint"
//! and its id. Edges have no direction that can be relied on, so each tree is hung up at its root: the one
//! point that is never the second end of an edge, or else the tree's first point. Cost: linear.
//!
//! An edge that closes a loop is left out with a warning; so is one that a third column of 0 followed by
//! another flag marks as a cage or helper edge. Several trees are several roots, with a warning.

use std::collections::HashMap;

use glam::Vec3;

use super::text::{self, Lines, malformed, shown};
use super::{ErrorCode, File, ReadError, SkeletonFile, limits};
use crate::model::{Joint, Skeleton};
use crate::report::{Report, Warning};

/// The file as it stands: points by place, and edges between places.
#[derive(Default)]
struct Graph {
    ids: Vec<String>,
    heads: Vec<Vec3>,
    edges: Vec<[usize; 2]>,
}

/// Reads a TGF skeleton.
///
/// # Errors
/// A malformed number, an edge to a point that is not there, an id given twice, with the line; no points.
pub(super) fn read(file: &File, report: &mut Report) -> Result<SkeletonFile, ReadError> {
    let graph = parse(&file.bytes, report)?;
    if graph.heads.is_empty() {
        return Err(ReadError::new(ErrorCode::NoSkeleton, "", "there are no points in this file"));
    }
    let parents = hang_up(&graph, report);
    let joints = parents.iter().zip(graph.ids.iter().zip(&graph.heads)).map(|(parent, (id, &head))| {
        let parent = parent.and_then(|p| graph.heads.get(p).map(|&at| (p, at)));
        Joint::at(format!("joint {id}"), parent, head)
    });
    let skeleton = Skeleton::new(joints.collect())
        .map_err(|error| ReadError::new(ErrorCode::Malformed, "", error.to_string()))?;
    Ok(SkeletonFile { skeleton, clips: Vec::new() })
}

fn warn(report: &mut Report, place: String, what: &str) {
    report.warn(Warning::File { place, what: what.into() });
}

fn parse(bytes: &[u8], report: &mut Report) -> Result<Graph, ReadError> {
    let mut graph = Graph::default();
    let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut trees = Trees::default();
    let mut section = 0;
    for (number, line) in Lines::new(bytes) {
        let words: Vec<&[u8]> = text::tokens(line).collect();
        match (section, words.as_slice()) {
            (_, []) => {}
            (_, [first, ..]) if first.starts_with(b"#") => section += 1,
            (0, [id, point @ ..]) => {
                let place = graph.heads.len();
                limits::within(text::at_line(number), "joints", place + 1, limits::MOST_JOINTS)?;
                if places.insert(id.to_vec(), place).is_some() {
                    return Err(malformed(number, format!("the point \"{}\" is given twice", shown(id))));
                }
                let mut numbers = point.iter().copied();
                let mut next = || text::coordinate(numbers.next(), number);
                graph.heads.push(Vec3::new(next()?, next()?, next()?));
                graph.ids.push(shown(id));
                trees.0.push(place);
            }
            (1, [_]) => return Err(malformed(number, "an edge needs two points")),
            (1, [a, b, flags @ ..]) => {
                let find = |id: &[u8]| {
                    let unknown = || {
                        malformed(
                            number,
                            format!("the edge names point \"{}\", which is not there", shown(id)),
                        )
                    };
                    places.get(id).copied().ok_or_else(unknown)
                };
                let edge = [find(a)?, find(b)?];
                if is_helper(flags) {
                    warn(report, text::at_line(number), "a cage or helper edge is not a bone; left out");
                } else if trees.join(edge) {
                    graph.edges.push(edge);
                } else {
                    warn(report, text::at_line(number), "the edge closes a loop; left out");
                }
            }
            _ => {}
        }
    }
    Ok(graph)
}

/// libigl's columns after an edge: is it a bone, a pseudo-edge, a cage edge?
fn is_helper(flags: &[&[u8]]) -> bool {
    matches!(flags, [b"0", others @ ..] if others.contains(&&b"1"[..]))
}

/// Which points hang together (a disjoint-set forest with path halving).
#[derive(Default)]
struct Trees(Vec<usize>);

impl Trees {
    fn above(&self, point: usize) -> usize {
        self.0.get(point).copied().unwrap_or(point)
    }

    fn of(&mut self, mut point: usize) -> usize {
        while self.above(point) != point {
            let skipped = self.above(self.above(point));
            self.0.get_mut(point).into_iter().for_each(|slot| *slot = skipped);
            point = skipped;
        }
        point
    }

    /// Joins the trees of two points; false when they are one already.
    fn join(&mut self, [a, b]: [usize; 2]) -> bool {
        let (a, b) = (self.of(a), self.of(b));
        // The lower point stays on top, so the name of a tree is its first point.
        self.0.get_mut(a.max(b)).into_iter().for_each(|slot| *slot = a.min(b));
        a != b
    }
}

/// The parent of every point, walking each tree from its root.
fn hang_up(graph: &Graph, report: &mut Report) -> Vec<Option<usize>> {
    let points = graph.heads.len();
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); points];
    let mut is_child = vec![false; points];
    let mut trees = Trees((0..points).collect());
    for &[a, b] in &graph.edges {
        neighbours.get_mut(a).into_iter().for_each(|list| list.push(b));
        neighbours.get_mut(b).into_iter().for_each(|list| list.push(a));
        is_child.get_mut(b).into_iter().for_each(|flag| *flag = true);
        trees.join([a, b]);
    }
    let mut never_child: Vec<Vec<usize>> = vec![Vec::new(); points];
    for (point, _) in is_child.iter().enumerate().filter(|(_, is_child)| !**is_child) {
        never_child.get_mut(trees.of(point)).into_iter().for_each(|list| list.push(point));
    }
    let firsts: Vec<usize> = (0..points).filter(|&point| trees.of(point) == point).collect();
    if firsts.len() > 1 {
        let what = format!("the skeleton falls into {} separate trees; each has its own root", firsts.len());
        warn(report, "TGF".into(), &what);
    }
    let mut parents = vec![None; points];
    let mut seen = vec![false; points];
    for first in firsts {
        let root = match never_child.get(first).map(Vec::as_slice) {
            Some(&[root]) => root,
            _ => first,
        };
        let mut open = vec![root];
        seen.get_mut(root).into_iter().for_each(|flag| *flag = true);
        while let Some(point) = open.pop() {
            for &next in neighbours.get(point).into_iter().flatten() {
                if let (Some(flag @ false), Some(parent)) = (seen.get_mut(next), parents.get_mut(next)) {
                    (*flag, *parent) = (true, Some(point));
                    open.push(next);
                }
            }
        }
    }
    parents
}
