//! Reads skeletons in the trivial graph format (TGF).
//!
//! Input: lines `id x y z` (points), a line `#`, and lines `a b` (edges between ids). Anything
//! after another `#` is not read. Output: a skeleton with one joint per point, in file order,
//! called "joint" and its id. The direction of edges is not reliable, so each tree is rooted at the
//! one point that is never the second end of an edge, or else at its first point. Cost: linear.
//!
//! An edge that closes a cycle is ignored with a warning. So is an edge whose third column is 0 and
//! that has another flag set, because libigl marks cage and pseudo-edges that way. Several
//! trees become several roots, with a warning.

use std::collections::HashMap;

use glam::Vec3;

use super::text::{self, Lines, for_message, malformed};
use super::{ErrorCode, File, ReadError, SkeletonFile, limits};
use crate::model::{Joint, Skeleton};
use crate::report::{Report, Warning};

/// The points and edges of the file. Edges are pairs of point indices.
#[derive(Default)]
struct Graph {
    ids: Vec<String>,
    heads: Vec<Vec3>,
    edges: Vec<[usize; 2]>,
}

/// Reads a TGF skeleton.
///
/// # Errors
/// A malformed number, an edge to a missing point or a repeated id, with the line; no points.
pub(super) fn read(file: &File, report: &mut Report) -> Result<SkeletonFile, ReadError> {
    let graph = parse(&file.bytes, report)?;
    if graph.heads.is_empty() {
        return Err(ReadError::new(ErrorCode::NoSkeleton, "", "the file contains no points"));
    }
    let parents = assign_parents(&graph, report);
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
    let mut index_of_id: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut components = Components::default();
    let mut section = 0;
    for (number, line) in Lines::new(bytes) {
        let words: Vec<&[u8]> = text::tokens(line).collect();
        match (section, words.as_slice()) {
            (_, []) => {}
            (_, [first, ..]) if first.starts_with(b"#") => section += 1,
            (0, [id, point @ ..]) => {
                let index = graph.heads.len();
                limits::check_budget(text::at_line(number), "joints", index + 1, limits::MAX_JOINTS)?;
                if index_of_id.insert(id.to_vec(), index).is_some() {
                    return Err(malformed(
                        number,
                        format!("the point \"{}\" is defined twice", for_message(id)),
                    ));
                }
                let mut numbers = point.iter().copied();
                let mut next = || text::coordinate(numbers.next(), number);
                graph.heads.push(Vec3::new(next()?, next()?, next()?));
                graph.ids.push(for_message(id));
                components.0.push(index);
            }
            (1, [_]) => return Err(malformed(number, "an edge needs two points")),
            (1, [a, b, flags @ ..]) => {
                let find = |id: &[u8]| {
                    let unknown = || {
                        malformed(
                            number,
                            format!("the edge refers to point \"{}\", which does not exist", for_message(id)),
                        )
                    };
                    index_of_id.get(id).copied().ok_or_else(unknown)
                };
                let edge = [find(a)?, find(b)?];
                if is_excluded(flags) {
                    warn(
                        report,
                        text::at_line(number),
                        "a cage or pseudo-edge is not a bone and was skipped",
                    );
                } else if components.merge(edge) {
                    graph.edges.push(edge);
                } else {
                    warn(report, text::at_line(number), "the edge closes a cycle and was skipped");
                }
            }
            _ => {}
        }
    }
    Ok(graph)
}

/// Whether the flags after an edge (bone, pseudo-edge, cage edge; libigl's convention) exclude it.
fn is_excluded(flags: &[&[u8]]) -> bool {
    matches!(flags, [b"0", others @ ..] if others.contains(&&b"1"[..]))
}

/// Connected components of points (disjoint-set forest with path halving).
#[derive(Default)]
struct Components(Vec<usize>);

impl Components {
    fn parent(&self, point: usize) -> usize {
        self.0.get(point).copied().unwrap_or(point)
    }

    fn find(&mut self, mut point: usize) -> usize {
        while self.parent(point) != point {
            let skipped = self.parent(self.parent(point));
            self.0.get_mut(point).into_iter().for_each(|slot| *slot = skipped);
            point = skipped;
        }
        point
    }

    /// Merges the components of two points. Returns false if they were one already.
    fn merge(&mut self, [a, b]: [usize; 2]) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        // The smaller index becomes the root, so a component is named after its first point.
        self.0.get_mut(a.max(b)).into_iter().for_each(|slot| *slot = a.min(b));
        a != b
    }
}

/// The parent of every point, by traversing each tree from its root.
fn assign_parents(graph: &Graph, report: &mut Report) -> Vec<Option<usize>> {
    let points = graph.heads.len();
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); points];
    let mut is_child = vec![false; points];
    let mut components = Components((0..points).collect());
    for &[a, b] in &graph.edges {
        neighbours.get_mut(a).into_iter().for_each(|list| list.push(b));
        neighbours.get_mut(b).into_iter().for_each(|list| list.push(a));
        is_child.get_mut(b).into_iter().for_each(|flag| *flag = true);
        components.merge([a, b]);
    }
    let mut never_child: Vec<Vec<usize>> = vec![Vec::new(); points];
    for (point, _) in is_child.iter().enumerate().filter(|(_, is_child)| !**is_child) {
        never_child.get_mut(components.find(point)).into_iter().for_each(|list| list.push(point));
    }
    let component_roots: Vec<usize> = (0..points).filter(|&point| components.find(point) == point).collect();
    if component_roots.len() > 1 {
        let what =
            format!("the skeleton has {} separate trees; each has its own root", component_roots.len());
        warn(report, "TGF".into(), &what);
    }
    let mut parents = vec![None; points];
    let mut seen = vec![false; points];
    for first in component_roots {
        let root = match never_child.get(first).map(Vec::as_slice) {
            Some(&[root]) => root,
            _ => first,
        };
        let mut stack = vec![root];
        seen.get_mut(root).into_iter().for_each(|flag| *flag = true);
        while let Some(point) = stack.pop() {
            for &next in neighbours.get(point).into_iter().flatten() {
                if let (Some(flag @ false), Some(parent)) = (seen.get_mut(next), parents.get_mut(next)) {
                    (*flag, *parent) = (true, Some(point));
                    stack.push(next);
                }
            }
        }
    }
    parents
}
