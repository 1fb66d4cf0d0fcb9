//! Loops in which planes cut the surface around a point.
//!
//! In: [`MeshGeometry`], a plane and a connected component of the mesh. Out: the loop around the
//! plane's origin, as the edges it crosses. Rays in the plane find the first triangles, and the
//! loop is followed from triangle to triangle. So the cost is the length of the loop, not the size
//! of the mesh.
//!
//! A vertex on the plane, up to rounding, counts as in front of it. So a crossed triangle has
//! exactly two crossed edges, and a loop cannot branch or end at a vertex.

use std::f64::consts::TAU;
use std::ops::ControlFlow;

use glam::DVec3;

use crate::math::sort_few;
use crate::operators::MeshGeometry;
use crate::operators::bvh::Ray;

/// Number of rays in a plane that look for loops around its origin. Larger: slower. Smaller: a loop
/// that covers a narrow angle, as seen from a joint outside the body, is missed.
const RAYS: usize = 12;

/// Vertices closer to a plane than this fraction of the mesh size lie on it. Larger: cuts are
/// inaccurate on fine meshes. Smaller: where a ring of vertices lies on the plane, rounding decides
/// the side of each.
const PLANE_TOLERANCE: f64 = 1e-5;

/// A plane through a joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    pub(super) origin: DVec3,
    /// Of unit length, towards the child's side.
    pub(super) normal: DVec3,
}

impl Plane {
    #[inline]
    fn height(&self, point: DVec3) -> f64 {
        (point - self.origin).dot(self.normal)
    }

    fn axes(&self) -> [DVec3; 2] {
        let x = self.normal.any_orthonormal_vector();
        [x, self.normal.cross(x)]
    }
}

/// A crossing of a loop with an edge; `parameter` is the parameter from the edge's first end to its
/// second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Crossing {
    pub(super) edge: u32,
    pub(super) parameter: f32,
    /// The end in front of the plane.
    pub(super) front: u32,
    /// The end behind it.
    pub(super) back: u32,
}

/// A curve in which a plane cuts a component of the surface.
#[derive(Clone, Debug)]
pub(super) struct Loop {
    pub(super) crossings: Vec<Crossing>,
    pub(super) length: f64,
    /// Distances from each crossing to the next, and from the last to the first if the loop is
    /// closed.
    steps: Vec<f64>,
}

impl Loop {
    /// The length of the loop between edges with an end for which `is_in` holds.
    pub(super) fn length_within(&self, is_in: impl Fn(u32) -> bool) -> f64 {
        let count = self.crossings.len();
        let touches = |i: usize| is_in(self.crossings[i].front) || is_in(self.crossings[i].back);
        let within = |&(i, _): &(usize, &f64)| touches(i) && touches((i + 1) % count);
        self.steps.iter().enumerate().filter(within).map(|(_, step)| step).sum()
    }
}

/// Cuts components of one mesh by planes.
pub(super) struct Cutter<'a> {
    geometry: &'a MeshGeometry,
    /// For each triangle, the number of the plane whose loop last visited it.
    visited: Vec<u32>,
    planes: u32,
    tolerance: f64,
    /// [`Constants::max_loop_distance`](super::Constants).
    max_distance: f64,
}

impl<'a> Cutter<'a> {
    pub(super) fn new(geometry: &'a MeshGeometry, max_distance: f64) -> Self {
        let mesh = geometry.mesh();
        let tolerance = PLANE_TOLERANCE * f64::from(mesh.diagonal());
        Self { geometry, visited: vec![0; mesh.triangles().len()], planes: 0, tolerance, max_distance }
    }

    /// The loop of component `component` that winds around the plane's origin, the shortest of
    /// several. If none does, the nearest loop within that distance. `None` if the
    /// plane misses the component or cuts it elsewhere.
    pub(super) fn loop_around(&mut self, plane: &Plane, component: u32) -> Option<Loop> {
        self.planes += 1;
        let [x, y] = plane.axes();
        let mut starts: Vec<(f32, usize)> = Vec::new();
        for i in 0..RAYS {
            let (sin, cos) = (TAU * i as f64 / RAYS as f64).sin_cos();
            let ray = Ray::new(plane.origin.as_vec3(), (x * cos + y * sin).as_vec3());
            self.geometry.bvh().all_hits(&ray, |hit| {
                if self.geometry.components().of_triangle(hit.triangle) == component {
                    starts.push((hit.along, hit.triangle));
                }
                ControlFlow::Continue(())
            });
        }
        sort_few(&mut starts, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut best: Option<(bool, f64, Loop)> = None;
        for (_, triangle) in starts {
            let Some(triangle) = self.crossed_at(plane, triangle) else { continue };
            if self.visited[triangle] == self.planes {
                continue;
            }
            let Some((points, found)) = self.trace(plane, triangle) else { continue };
            let around = winds_around(&points, plane);
            let distance = distance_to(&points, plane.origin);
            if !around && distance > self.max_distance * found.length {
                continue;
            }
            let rank = if around { found.length } else { distance };
            let better = best.as_ref().is_none_or(|(best_around, best_rank, _)| {
                (around && !best_around) || (around == *best_around && rank < *best_rank)
            });
            if better {
                best = Some((around, rank, found));
            }
        }
        best.map(|(_, _, found)| found)
    }

    /// `triangle` if the plane crosses it, else the first crossed triangle around it: where
    /// vertices lie on the plane, a ray in it may hit the triangle beyond them.
    fn crossed_at(&self, plane: &Plane, triangle: usize) -> Option<usize> {
        let crosses = |&t: &usize| self.crossed_edges(plane, t).is_some();
        let corners = self.geometry.mesh().triangles()[triangle];
        let around = corners.iter().flat_map(|&v| self.geometry.topology().triangles_of_vertex(v as usize));
        std::iter::once(triangle).chain(around.map(|&t| t as usize)).find(crosses)
    }

    /// Follows the loop from `triangle` in both directions until it closes or reaches a border.
    fn trace(&mut self, plane: &Plane, triangle: usize) -> Option<(Vec<DVec3>, Loop)> {
        let [first, last] = self.crossed_edges(plane, triangle)?;
        self.visited[triangle] = self.planes;
        let (mut edges, closed) = self.follow(plane, triangle, last, first);
        edges.insert(0, last);
        if !closed {
            let (back, _) = self.follow(plane, triangle, first, last);
            edges = back.into_iter().rev().chain([first]).chain(edges).collect();
        }
        let crossings: Vec<Crossing> = edges.iter().map(|&edge| self.crossing(plane, edge)).collect();
        let points: Vec<DVec3> = crossings.iter().map(|crossing| self.point(crossing)).collect();
        let mut steps: Vec<f64> = points.windows(2).map(|pair| pair[0].distance(pair[1])).collect();
        if closed {
            steps.push(points[0].distance(points[points.len() - 1]));
        }
        Some((points, Loop { crossings, length: steps.iter().sum(), steps }))
    }

    /// The edges crossed after leaving `triangle` through `edge`, up to `goal` (then the loop is
    /// closed) or a border.
    fn follow(&mut self, plane: &Plane, triangle: usize, mut edge: u32, goal: u32) -> (Vec<u32>, bool) {
        let topology = self.geometry.topology();
        let mut edges = Vec::new();
        let mut triangle = triangle as u32;
        loop {
            let next = topology.triangles_of_edge(edge as usize).iter().copied();
            let mut next = next.filter(|&t| t != triangle);
            let Some(beyond) = next.find(|&t| self.visited[t as usize] != self.planes) else {
                return (edges, edge == goal);
            };
            let Some(pair) = self.crossed_edges(plane, beyond as usize) else { return (edges, false) };
            self.visited[beyond as usize] = self.planes;
            edge = if pair[0] == edge { pair[1] } else { pair[0] };
            edges.push(edge);
            if edge == goal {
                return (edges, true);
            }
            triangle = beyond;
        }
    }

    /// The two edges of a triangle that a plane crosses.
    fn crossed_edges(&self, plane: &Plane, triangle: usize) -> Option<[u32; 2]> {
        let corners = self.geometry.mesh().corners(triangle);
        let front = corners.map(|corner| self.is_in_front(plane.height(corner.as_dvec3())));
        let edges = self.geometry.topology().edges_of_triangle(triangle)?;
        let mut crossed = (0..3).filter(|&i| front[i] != front[(i + 1) % 3]).map(|i| edges[i]);
        Some([crossed.next()?, crossed.next()?])
    }

    fn crossing(&self, plane: &Plane, edge: u32) -> Crossing {
        let ends = self.geometry.topology().edges()[edge as usize].ends;
        let [a, b] = ends.map(|v| plane.height(self.geometry.mesh().positions()[v as usize].as_dvec3()));
        let [front, back] = if self.is_in_front(a) { ends } else { [ends[1], ends[0]] };
        Crossing { edge, parameter: (a / (a - b)).clamp(0.0, 1.0) as f32, front, back }
    }

    fn is_in_front(&self, height: f64) -> bool {
        height >= -self.tolerance
    }

    fn point(&self, crossing: &Crossing) -> DVec3 {
        let ends = self.geometry.topology().edges()[crossing.edge as usize].ends;
        let [a, b] = ends.map(|v| self.geometry.mesh().positions()[v as usize].as_dvec3());
        a.lerp(b, f64::from(crossing.parameter))
    }
}

/// Whether a curve in the plane, closed by a straight line if it is open, winds around the origin.
fn winds_around(points: &[DVec3], plane: &Plane) -> bool {
    let [x, y] = plane.axes();
    let flat = |p: &DVec3| glam::DVec2::new((*p - plane.origin).dot(x), (*p - plane.origin).dot(y));
    let mut turned = 0.0;
    for (i, point) in points.iter().enumerate() {
        turned += flat(point).angle_to(flat(&points[(i + 1) % points.len()]));
    }
    turned.abs() > TAU / 2.0
}

fn distance_to(points: &[DVec3], origin: DVec3) -> f64 {
    points.iter().map(|p| p.distance(origin)).fold(f64::INFINITY, f64::min)
}
