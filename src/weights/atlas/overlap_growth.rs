//! Grows a region over its boundaries and computes the depth of every vertex in it
//! (docs/theory/atlas.md#weights).
//!
//! In: the boundaries of a region with widths and distances. Out: its [`Membership`]s. With `w` the
//! width of a boundary and `d` the distance from it, a vertex of the region is `w + d` away from
//! the border grown over that boundary, and the smallest of these is its depth. A vertex outside is
//! a member if `d < w` for some boundary. Its depth is the largest `w − d`, unless `w + d` of
//! another boundary is smaller. Depths are continuous everywhere, also where the boundary with the
//! largest `w − d` changes. A boundary of zero width is a sharp cut: no vertex joins over it, and
//! it limits no depth.

use super::{Atlas, Depth, Distances};
use crate::model::Regions;
use crate::operators::MeshGeometry;

/// A vertex in a grown region.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Membership {
    pub(super) vertex: u32,
    /// Distance from the border of the grown region, in the unit of [`Depth`].
    pub(super) depth: f32,
}

const NONE: u32 = u32::MAX;

/// The running minima and maxima of one vertex while a region grows.
#[derive(Clone, Copy)]
struct GrowthState {
    region: u32,
    /// The two smallest `w + d`, and the boundary of the smallest.
    least: f32,
    second: f32,
    least_at: u32,
    /// The largest `w − d`, and its boundary.
    margin: f32,
    margin_at: u32,
}

impl GrowthState {
    fn new(region: u32) -> Self {
        let (least, margin) = (f32::INFINITY, f32::NEG_INFINITY);
        Self { region, least, second: least, least_at: NONE, margin, margin_at: NONE }
    }

    fn add(&mut self, boundary: u32, inner: f32, margin: f32) {
        if inner < self.least {
            self.second = self.least;
            (self.least, self.least_at) = (inner, boundary);
        } else {
            self.second = if inner < self.second { inner } else { self.second };
        }
        if margin > self.margin {
            (self.margin, self.margin_at) = (margin, boundary);
        }
    }

    fn depth_outside(&self) -> f32 {
        let elsewhere = if self.least_at == self.margin_at { self.second } else { self.least };
        self.margin.min(elsewhere)
    }
}

/// The overlap width at one boundary.
#[derive(Clone, Copy)]
struct OverlapWidth {
    /// In the metric of the overlaps.
    overlap: f32,
    /// The same in the metric of the weights.
    weight: f32,
}

/// Smallest depth, as a fraction of the largest of the region, through which a grown region may
/// reach farther vertices. Larger: overlaps end with a visible step. Smaller: vertices whose
/// weights are so small that they are dropped connect an island to the region.
const MIN_BRIDGE_DEPTH: f32 = 2e-3;

/// Grows the regions of one mesh, one after the other.
pub(super) struct RegionGrower<'a> {
    geometry: &'a MeshGeometry,
    regions: &'a Regions,
    distances: Distances<'a>,
    widths: Vec<OverlapWidth>,
    options: &'a Atlas,
    boundaries_of: Vec<Vec<usize>>,
    vertices_of: Vec<Vec<u32>>,
    states: Vec<GrowthState>,
    touched: Vec<u32>,
    /// Distances of one boundary in the metric of the weights, by vertex, if it differs from that
    /// of the overlaps.
    weight_distance: Vec<f32>,
    hops: Vec<Vec<u32>>,
}

impl<'a> RegionGrower<'a> {
    pub(super) fn new(
        geometry: &'a MeshGeometry,
        regions: &'a Regions,
        distances: Distances<'a>,
        widths: &[f64],
        options: &'a Atlas,
    ) -> Self {
        let vertices = regions.of_vertex.len();
        let mut boundaries_of = vec![Vec::new(); regions.regions.len()];
        for (i, boundary) in regions.boundaries.iter().enumerate() {
            boundary.regions.iter().for_each(|&region| boundaries_of[region as usize].push(i));
        }
        let mut vertices_of = vec![Vec::new(); regions.regions.len()];
        for (vertex, &region) in regions.of_vertex.iter().enumerate() {
            vertices_of[region as usize].push(vertex as u32);
        }
        let mixed = options.overlap_metric() != options.distance;
        let mut grower = Self {
            geometry,
            regions,
            distances,
            widths: Vec::new(),
            options,
            boundaries_of,
            vertices_of,
            states: vec![GrowthState::new(NONE); vertices],
            touched: Vec::new(),
            weight_distance: if mixed { vec![f32::INFINITY; vertices] } else { Vec::new() },
            hops: if options.overlap_metric().follows_surface() { Vec::new() } else { hops_between(regions) },
        };
        grower.widths = (0..widths.len()).map(|i| grower.width(i, widths[i] as f32)).collect();
        grower
    }

    /// A width in both metrics. That of the weights is scaled by the ratio of the mean distances
    /// within the overlap.
    fn width(&mut self, boundary: usize, overlap: f32) -> OverlapWidth {
        if self.weight_distance.is_empty() {
            return OverlapWidth { overlap, weight: overlap };
        }
        self.load_weight_distances(boundary);
        let (mut by_overlap, mut by_weight) = (0.0, 0.0);
        for (vertex, distance) in self.distances.overlap[boundary].iter() {
            let other = self.weight_distance[vertex as usize];
            if distance < overlap && other < f32::INFINITY {
                by_overlap += f64::from(distance);
                by_weight += f64::from(other);
            }
        }
        self.clear_weight_distances(boundary);
        let ratio = if by_overlap > 0.0 { (by_weight / by_overlap) as f32 } else { 1.0 };
        OverlapWidth { overlap, weight: overlap * ratio }
    }

    fn load_weight_distances(&mut self, boundary: usize) {
        for (vertex, distance) in self.distances.weight[boundary].iter() {
            self.weight_distance[vertex as usize] = distance;
        }
    }

    fn clear_weight_distances(&mut self, boundary: usize) {
        for &vertex in &self.distances.weight[boundary].vertices {
            self.weight_distance[vertex as usize] = f32::INFINITY;
        }
    }

    /// All vertices of the grown region. In a region without boundaries all have depth 1.
    pub(super) fn grow(&mut self, region: u32) -> Vec<Membership> {
        self.touched.clear();
        for i in 0..self.boundaries_of[region as usize].len() {
            self.add_boundary(region, self.boundaries_of[region as usize][i]);
        }
        let own = &self.vertices_of[region as usize];
        let mut members: Vec<Membership> = Vec::with_capacity(own.len() + self.touched.len());
        let mut deepest = 0.0f32;
        for &vertex in own {
            let state = &self.states[vertex as usize];
            let depth = if state.region == region { state.least } else { f32::INFINITY };
            deepest = if depth < f32::INFINITY { deepest.max(depth) } else { deepest };
            members.push(Membership { vertex, depth });
        }
        // Components that no boundary crosses have the largest depth.
        let unbounded = if deepest > 0.0 { deepest } else { 1.0 };
        members.iter_mut().for_each(|member| member.depth = member.depth.min(unbounded));
        let outside = self.touched.iter().map(|&vertex| (vertex, &self.states[vertex as usize]));
        let outside = outside.filter(|(vertex, _)| self.regions.of_vertex[*vertex as usize] != region);
        let mut joined: Vec<Membership> = outside
            .map(|(vertex, state)| Membership { vertex, depth: state.depth_outside() })
            .filter(|member| member.depth > 0.0)
            .collect();
        let may_be_islands = !self.options.overlap_metric().follows_surface() && self.options.guard.is_some();
        if may_be_islands {
            joined.retain(|member| member.depth > MIN_BRIDGE_DEPTH * deepest);
            joined = self.reachable(region, joined);
        }
        members.extend(joined);
        members
    }

    fn add_boundary(&mut self, region: u32, boundary: usize) {
        let width = self.widths[boundary];
        if width.overlap <= 0.0 || width.weight <= 0.0 {
            return;
        }
        let mixed = !self.weight_distance.is_empty();
        if mixed {
            self.load_weight_distances(boundary);
        }
        let ratio = width.weight / width.overlap;
        let unit = match self.options.depth {
            Depth::Widths => width.weight.recip(),
            Depth::Lengths => 1.0,
        };
        for (vertex, distance) in self.distances.overlap[boundary].iter() {
            let weight_distance = if mixed { self.weight_distance[vertex as usize] } else { distance };
            let known = weight_distance < f32::INFINITY;
            let inner = width.weight + if known { weight_distance } else { distance * ratio };
            let own_region = self.regions.of_vertex[vertex as usize];
            let mut margin = (width.overlap - distance) * ratio;
            if mixed && known {
                margin = margin.min(width.weight - weight_distance);
            }
            if own_region != region && (margin <= 0.0 || !self.may_join(own_region, region, boundary)) {
                margin = f32::NEG_INFINITY;
            }
            let state = &mut self.states[vertex as usize];
            if state.region != region {
                *state = GrowthState::new(region);
                self.touched.push(vertex);
            }
            state.add(boundary as u32, inner * unit, margin * unit);
        }
        if mixed {
            self.clear_weight_distances(boundary);
        }
    }

    /// The hierarchy guard: whether a vertex of region `own` may join `region` over `boundary`.
    fn may_join(&self, own: u32, region: u32, boundary: usize) -> bool {
        let (Some(guard), false) = (self.options.guard, self.hops.is_empty()) else { return true };
        let hops = |other: u32| self.hops[own as usize][other as usize];
        let [a, b] = self.regions.boundaries[boundary].regions;
        let near_joint = hops(a).min(hops(b)) <= guard;
        near_joint && (hops(region) <= guard || self.is_one_chain(own, region))
    }

    fn is_one_chain(&self, a: u32, b: u32) -> bool {
        let above = |from: u32, to: u32| {
            let mut chain = std::iter::successors(Some(from), |&r| self.regions.regions[r as usize].parent);
            chain.any(|r| r == to)
        };
        above(a, b) || above(b, a)
    }

    /// The vertices of `joined` that are connected to the region through each other.
    fn reachable(&mut self, region: u32, joined: Vec<Membership>) -> Vec<Membership> {
        const UNREACHED: f32 = -1.0;
        const REACHED: f32 = -2.0;
        // Depths are in `joined` by now, so the margins can serve as marks.
        joined.iter().for_each(|member| self.states[member.vertex as usize].margin = UNREACHED);
        let mut stack = self.vertices_of[region as usize].clone();
        while let Some(vertex) = stack.pop() {
            for neighbour in self.geometry.topology().neighbours(vertex as usize) {
                let state = &mut self.states[neighbour];
                if state.region == region && state.margin == UNREACHED {
                    state.margin = REACHED;
                    stack.push(neighbour as u32);
                }
            }
        }
        joined.into_iter().filter(|member| self.states[member.vertex as usize].margin == REACHED).collect()
    }
}

/// The number of bones between any two regions; `u32::MAX` if they are not connected.
fn hops_between(regions: &Regions) -> Vec<Vec<u32>> {
    let count = regions.regions.len() as u32;
    let hops = |a: u32, b: u32| regions.hops(a, b).map_or(u32::MAX, |hops| hops as u32);
    (0..count).map(|a| (0..count).map(|b| hops(a, b)).collect()).collect()
}
