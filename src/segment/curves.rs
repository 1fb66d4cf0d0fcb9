//! The boundary curves between regions, as polylines through faces.
//!
//! In: a region per vertex, and where loops cross edges. Out: [`Boundary`]s. A triangle with two
//! regions contains one segment between its two crossed edges. A triangle with three regions
//! contains three segments from its centroid. An edge that no loop crosses is cut where the bones
//! of both regions are equally near. Cost: one pass.

use std::collections::HashMap;

use glam::Vec3;

use super::plane::Loop;
use crate::math::{key_of, sort_by_keys};
use crate::model::{Boundary, Curve, Region, Skeleton};
use crate::operators::MeshGeometry;

/// Smallest distance of a curve from the ends of an edge it crosses, as a fraction of the edge.
/// Smaller: segments without length. Larger: the curve is a staircase.
const MIN_FRACTION: f32 = 0.02;

/// Where accepted loops cross edges, by edge.
#[derive(Default)]
pub(super) struct Crossings(HashMap<u32, Cut>);

#[derive(Clone, Copy)]
struct Cut {
    parameter: f32,
    /// The vertex on the child's side.
    front: u32,
    /// The joints that the loop separates: the child and its parent.
    joints: [usize; 2],
}

impl Crossings {
    /// Records where a loop cuts the first of `joints` off the second, at the edges for whose ends
    /// in front and behind `is_between` holds. The rest of the loop runs through other regions,
    /// whose own loops may cross the same edges.
    pub(super) fn add(&mut self, found: &Loop, joints: [usize; 2], is_between: impl Fn(u32, u32) -> bool) {
        let cuts = found.crossings.iter().filter(|c| is_between(c.front, c.back));
        self.0.extend(cuts.map(|c| (c.edge, Cut { parameter: c.parameter, front: c.front, joints })));
    }

    /// The parameter at which an edge is crossed, if by a loop between the joints of its ends: what
    /// one loop cut off, another may cut again.
    fn parameter(&self, edge: u32, ends: [u32; 2], joints: [usize; 2]) -> Option<f32> {
        let cut = self.0.get(&edge)?;
        let [front, back] = if ends[0] == cut.front { joints } else { [joints[1], joints[0]] };
        (cut.joints == [front, back]).then_some(cut.parameter)
    }
}

/// The regions and the region of each vertex.
pub(super) struct Partition<'a> {
    pub(super) regions: &'a [Region],
    /// For each region, the length of the loop around its joint; 0 where none was found.
    pub(super) loop_lengths: &'a [f64],
    /// The region of each vertex.
    pub(super) of_vertex: &'a [u32],
}

/// One segment of a curve: the triangle that contains it and the indices of its ends.
#[derive(Clone, Copy)]
struct CurveSegment {
    regions: [u32; 2],
    triangle: u32,
    ends: [u32; 2],
}

/// The boundaries between all regions that share an edge.
pub(super) fn boundaries(
    geometry: &MeshGeometry,
    skeleton: &Skeleton,
    partition: &Partition<'_>,
    cuts: &Crossings,
) -> Vec<Boundary> {
    let mut segments = segments_of(geometry, partition.of_vertex);
    sort_by_keys(&mut segments, |segment| segment.ends[1].into());
    sort_by_keys(&mut segments, |segment| key_of(segment.triangle, segment.ends[0]));
    sort_by_keys(&mut segments, |segment| key_of(segment.regions[0], segment.regions[1]));
    let point = |end: u32| end_point(geometry, skeleton, partition, cuts, end);
    let mut boundaries: Vec<Boundary> = segments
        .chunk_by(|a, b| a.regions == b.regions)
        .map(|between| Boundary {
            regions: between[0].regions,
            joint: 0,
            loop_length: 0.0,
            curves: chain(between, point),
        })
        .collect();
    set_loop_lengths(partition, &mut boundaries);
    boundaries
}

/// Extracts the segments. An end is the index of a crossed edge, or the number of edges plus the
/// index of a triangle whose centroid it is.
fn segments_of(geometry: &MeshGeometry, of_vertex: &[u32]) -> Vec<CurveSegment> {
    let topology = geometry.topology();
    let edges = topology.edges().len() as u32;
    let mut segments = Vec::new();
    for (t, corners) in geometry.mesh().triangles().iter().enumerate() {
        let labels = corners.map(|v| of_vertex[v as usize]);
        let Some(sides) = topology.edges_of_triangle(t) else { continue };
        let pair = |a: u32, b: u32| [a.min(b), a.max(b)];
        let crossed: Vec<usize> = (0..3).filter(|&i| labels[i] != labels[(i + 1) % 3]).collect();
        match crossed[..] {
            [i, j] => segments.push(CurveSegment {
                regions: pair(labels[i], labels[(i + 1) % 3]),
                triangle: t as u32,
                ends: [sides[i], sides[j]],
            }),
            [_, _, _] => segments.extend((0..3).map(|i| CurveSegment {
                regions: pair(labels[i], labels[(i + 1) % 3]),
                triangle: t as u32,
                ends: [sides[i], edges + t as u32],
            })),
            _ => {}
        }
    }
    segments
}

fn end_point(
    geometry: &MeshGeometry,
    skeleton: &Skeleton,
    partition: &Partition<'_>,
    cuts: &Crossings,
    end: u32,
) -> Vec3 {
    let (mesh, edges) = (geometry.mesh(), geometry.topology().edges());
    let Some(edge) = edges.get(end as usize) else {
        let [a, b, c] = mesh.corners(end as usize - edges.len());
        return (a + b + c) / 3.0;
    };
    let [a, b] = edge.ends.map(|v| mesh.positions()[v as usize]);
    let joints = edge.ends.map(|v| partition.regions[partition.of_vertex[v as usize] as usize].joint);
    let cut = cuts.parameter(end, edge.ends, joints);
    let parameter = cut.unwrap_or_else(|| equally_near(skeleton, [a, b], joints));
    a.lerp(b, parameter.clamp(MIN_FRACTION, 1.0 - MIN_FRACTION))
}

/// The parameter between two points at which the bones of two joints are equally near; 0.5 if there
/// is none.
fn equally_near(skeleton: &Skeleton, points: [Vec3; 2], joints: [usize; 2]) -> f32 {
    let distance = |joint: usize, point: Vec3| {
        let bones = skeleton.bones().iter().filter(|bone| bone.joint == joint);
        bones.map(|bone| bone.nearest(point).distance(point)).fold(f32::INFINITY, f32::min)
    };
    let [from, to] = points.map(|p| distance(joints[0], p) - distance(joints[1], p));
    // A point that is nearer to the bones of the other joint counts as equally near to both.
    let (from, to) = (from.min(0.0), to.max(0.0));
    if to > from { from / (from - to) } else { 0.5 }
}

/// Joins segments into curves.
fn chain(segments: &[CurveSegment], point: impl Fn(u32) -> Vec3) -> Vec<Curve> {
    let mut at_end: HashMap<u32, Vec<usize>> = HashMap::new();
    for (i, segment) in segments.iter().enumerate() {
        segment.ends.iter().for_each(|&end| at_end.entry(end).or_default().push(i));
    }
    let mut used = vec![false; segments.len()];
    let follow = |start: u32, first: usize, used: &mut Vec<bool>| {
        let mut curve = Curve { points: vec![point(start)], triangles: Vec::new() };
        let (mut end, mut segment) = (start, Some(first));
        while let Some(i) = segment {
            used[i] = true;
            let [a, b] = segments[i].ends;
            end = if a == end { b } else { a };
            curve.points.push(point(end));
            curve.triangles.push(segments[i].triangle);
            segment = at_end[&end].iter().copied().find(|&next| !used[next]);
        }
        curve
    };
    let mut curves = Vec::new();
    // Open curves first, from their ends. The remaining ones are closed.
    for open in [true, false] {
        for i in 0..segments.len() {
            for end in segments[i].ends {
                if !used[i] && (!open || at_end[&end].len() == 1) {
                    curves.push(follow(end, i, &mut used));
                }
            }
        }
    }
    curves
}

/// Sets the joint and the loop length of each boundary: for a region and one of its ancestors,
/// those of the loop that cuts off the lower one; otherwise the shorter loop of the two.
fn set_loop_lengths(partition: &Partition<'_>, boundaries: &mut [Boundary]) {
    let regions = partition.regions;
    let is_below = |region: u32, above: u32| {
        let mut chain = std::iter::successors(Some(region), |&r| regions[r as usize].parent);
        chain.any(|r| r == above)
    };
    let mut borders = vec![0.0; regions.len()];
    for boundary in boundaries.iter() {
        for (region, border) in borders.iter_mut().enumerate() {
            let [inside, outside] = boundary.regions.map(|r| is_below(r, region as u32));
            if inside != outside {
                *border += boundary.length();
            }
        }
    }
    let loop_length = |region: u32| {
        let (found, border) = (partition.loop_lengths[region as usize], borders[region as usize]);
        if found > 0.0 { found.min(border) } else { border }
    };
    for boundary in boundaries.iter_mut() {
        let [a, b] = boundary.regions;
        let lower = match (is_below(a, b), is_below(b, a)) {
            (true, _) => a,
            (_, true) => b,
            _ if loop_length(b) < loop_length(a) => b,
            _ => a,
        };
        boundary.joint = regions[lower as usize].joint;
        // Regions of different trees can meet where neither is cut off from the other.
        boundary.loop_length = if loop_length(lower) > 0.0 { loop_length(lower) } else { boundary.length() };
    }
}
