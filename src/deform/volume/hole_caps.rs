//! Lids that close segments where they meet.
//!
//! In: the edges where segments end, each with the two segments it lies between. Out: triangles that close all of them, each of which one neighbour
//! adds and the other subtracts, so that segments add up to the whole. Source: PAPERS §4.4. Cost: a few sorts of those edges, once per rig.
//!
//! Two segments that meet in a loop have a fan of triangles from its edges to its middle between them. Where three meet, as thighs and hips do, their borders are
//! arcs that end in common points: each such point is joined to the middle of all points where the same segments meet, in front and behind, and what
//! lies between two segments is the fan over their arcs and those joints. So a lid hangs only on what is near it: a trunk that curls leaves the legs'
//! volumes as they are. (With one middle for all that hangs together it changed a foreleg's by 13 %.) Where more than three meet inside, what does not
//! come out even is joined to one more middle.

use crate::math::{key_of, sort_by_keys};

/// An edge where two segments end, in the order that closes `adds`.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenEdge {
    pub(super) edge: [u32; 2],
    /// The segments on both sides, or none.
    pub(super) adds: u32,
    pub(super) subtracts: u32,
}

/// A corner of a lid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Corner {
    Vertex(u32),
    Middle(u32),
}

impl Corner {
    pub(super) fn vertex(self) -> Option<u32> {
        match self {
            Self::Vertex(vertex) => Some(vertex),
            Self::Middle(_) => None,
        }
    }
}

/// A triangle between two segments.
#[derive(Clone, Copy, Debug)]
pub(super) struct HoleCap {
    pub(super) corners: [Corner; 3],
    /// The segment whose volume it adds to, or none.
    pub(super) adds: u32,
    /// The segment whose volume it subtracts from, or none.
    pub(super) subtracts: u32,
}

/// Points that are the mean of some vertices.
#[derive(Clone, Debug, Default)]
pub(super) struct Middles {
    members: Vec<u32>,
    ends: Vec<u32>,
}

impl Middles {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The vertices that a middle is the mean of.
    pub(super) fn members(&self, middle: usize) -> &[u32] {
        let start = if middle == 0 { 0 } else { self.ends[middle - 1] };
        &self.members[start as usize..self.ends[middle] as usize]
    }

    fn add(&mut self, members: impl IntoIterator<Item = u32>) -> Corner {
        self.members.extend(members);
        self.ends.push(self.members.len() as u32);
        Corner::Middle(self.ends.len() as u32 - 1)
    }
}

/// Where arcs between two segments end.
#[derive(Clone, Copy, Debug)]
struct End {
    vertex: u32,
    /// The two segments.
    pair: u64,
    /// How many arcs more end here than begin.
    net: i32,
    /// The point that it is joined to.
    hub: u32,
}

/// Inner points that ends of arcs are joined to.
struct Hubs {
    /// The middle of all points where the same segments meet, for each of these meetings.
    at: Vec<Corner>,
    /// What it is joined to itself where it does not come out even.
    beyond: Vec<Corner>,
}

/// Puts lids over the open edges of a mesh with so many vertices.
pub(super) fn close(open: &[OpenEdge], vertices: usize) -> (Vec<HoleCap>, Middles) {
    let mut open: Vec<OpenEdge> = open.iter().copied().map(turned).collect();
    sort_by_keys(&mut open, pair);
    let mut middles = Middles::default();
    let mut ends: Vec<End> = open.chunk_by(|x, y| pair(x) == pair(y)).flat_map(ends_of).collect();
    let hubs = join_ends(&mut ends, &open, vertices, &mut middles);
    let mut fans = Fans { forest: Forest::new(vertices), middle_of: vec![0; vertices], lids: Vec::new() };
    let mut rest = &ends[..];
    for arcs in open.chunk_by(|x, y| pair(x) == pair(y)) {
        let (own, others) = rest.split_at(rest.partition_point(|end| end.pair <= pair(&arcs[0])));
        fans.add(arcs, own, &hubs, &mut middles);
        rest = others;
    }
    (fans.lids, middles)
}

/// The same edge with the lower segment to add to.
fn turned(edge: OpenEdge) -> OpenEdge {
    let OpenEdge { edge: [a, b], adds, subtracts } = edge;
    if adds < subtracts { edge } else { OpenEdge { edge: [b, a], adds: subtracts, subtracts: adds } }
}

fn pair(edge: &OpenEdge) -> u64 {
    key_of(edge.adds, edge.subtracts)
}

/// Where the arcs of one pair end; nowhere if they are loops.
fn ends_of(arcs: &[OpenEdge]) -> Vec<End> {
    let mut steps: Vec<(u32, i32)> =
        arcs.iter().flat_map(|arc| [(arc.edge[0], -1), (arc.edge[1], 1)]).collect();
    sort_by_keys(&mut steps, |&(vertex, _)| vertex.into());
    let at_vertices = steps.chunk_by(|x, y| x.0 == y.0);
    let nets = at_vertices.map(|at| (at[0].0, at.iter().map(|step| step.1).sum()));
    let end = |(vertex, net)| End { vertex, pair: pair(&arcs[0]), net, hub: 0 };
    nets.filter(|&(_, net)| net != 0).map(end).collect()
}

/// Gives every end its hub, and puts ends of one pair and hub together.
fn join_ends(ends: &mut [End], open: &[OpenEdge], vertices: usize, middles: &mut Middles) -> Hubs {
    // Who meets in a point is told by the pairs, as one number. Should two such numbers agree by chance, lids are larger, and as closed.
    let mixed = |pair: u64| (pair ^ pair >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    sort_by_keys(ends, |end| end.vertex.into());
    let mut points: Vec<(u64, u32)> = ends
        .chunk_by(|x, y| x.vertex == y.vertex)
        .map(|at| (at.iter().fold(0, |sum: u64, end| sum.wrapping_add(mixed(end.pair))), at[0].vertex))
        .collect();
    sort_by_keys(&mut points, |&(meeting, _)| meeting);
    let mut forest = Forest::new(vertices);
    open.iter().for_each(|arc| forest.unite(arc.edge[0], arc.edge[1]));
    let mut hub_of = vec![0; vertices];
    let mut at = Vec::new();
    for meeting in points.chunk_by(|x, y| x.0 == y.0) {
        for &(_, vertex) in meeting {
            hub_of[vertex as usize] = at.len() as u32;
            forest.unite(vertex, meeting[0].1);
        }
        at.push(middles.add(meeting.iter().map(|&(_, vertex)| vertex)));
    }
    ends.iter_mut().for_each(|end| end.hub = hub_of[end.vertex as usize]);
    sort_by_keys(ends, |end| end.hub.into());
    sort_by_keys(ends, |end| end.pair);
    let mut is_even = vec![true; at.len()];
    for together in of_hubs(ends).filter(|together| net(together) != 0) {
        is_even[together[0].hub as usize] = false;
    }
    let mut uneven: Vec<(u32, u32)> = points
        .iter()
        .filter(|(_, vertex)| !is_even[hub_of[*vertex as usize] as usize])
        .map(|&(_, vertex)| (forest.top(vertex), vertex))
        .collect();
    sort_by_keys(&mut uneven, |&(network, vertex)| key_of(network, vertex));
    let mut beyond = at.clone();
    for network in uneven.chunk_by(|x, y| x.0 == y.0) {
        let common = middles.add(network.iter().map(|&(_, vertex)| vertex));
        network.iter().for_each(|&(_, vertex)| beyond[hub_of[vertex as usize] as usize] = common);
    }
    Hubs { at, beyond }
}

/// Ends of one pair that have the same hub.
fn of_hubs(ends: &[End]) -> impl Iterator<Item = &[End]> {
    ends.chunk_by(|x, y| (x.pair, x.hub) == (y.pair, y.hub))
}

fn net(ends: &[End]) -> i32 {
    ends.iter().map(|end| end.net).sum()
}

/// The lids so far, and what making more of them needs.
struct Fans {
    forest: Forest,
    middle_of: Vec<u32>,
    lids: Vec<HoleCap>,
}

impl Fans {
    /// Fans over the arcs of one pair, with the joints that make loops of them: one for each of what hangs together.
    fn add(&mut self, arcs: &[OpenEdge], ends: &[End], hubs: &Hubs, middles: &mut Middles) {
        let mut members: Vec<u32> = arcs.iter().flat_map(|arc| arc.edge).collect();
        sort_by_keys(&mut members, |&vertex| vertex.into());
        members.dedup();
        self.forest.clear(&members);
        arcs.iter().for_each(|arc| self.forest.unite(arc.edge[0], arc.edge[1]));
        // An edge, how many times, and a vertex that it hangs together with.
        let mut edges: Vec<([Corner; 2], i32, u32)> =
            arcs.iter().map(|arc| (arc.edge.map(Corner::Vertex), 1, arc.edge[0])).collect();
        let mut first_uneven = None;
        for together in of_hubs(ends) {
            let (first, hub) = (together[0].vertex, together[0].hub as usize);
            for end in together {
                self.forest.unite(first, end.vertex);
                edges.push(([Corner::Vertex(end.vertex), hubs.at[hub]], end.net, first));
            }
            if net(together) != 0 {
                self.forest.unite(first, *first_uneven.get_or_insert(first));
                edges.push(([hubs.at[hub], hubs.beyond[hub]], net(together), first));
            }
        }
        sort_by_keys(&mut members, |&vertex| self.forest.top_of(vertex).into());
        for fan in members.chunk_by(|&x, &y| self.forest.top_of(x) == self.forest.top_of(y)) {
            self.middle_of[self.forest.top_of(fan[0]) as usize] = middles.len() as u32;
            middles.add(fan.iter().copied());
        }
        let OpenEdge { adds, subtracts, .. } = arcs[0];
        for ([a, b], times, near) in edges {
            let middle = Corner::Middle(self.middle_of[self.forest.top(near) as usize]);
            let corners = if times > 0 { [a, b, middle] } else { [b, a, middle] };
            let lid = HoleCap { corners, adds, subtracts };
            self.lids.extend(std::iter::repeat_n(lid, times.unsigned_abs() as usize));
        }
    }
}

/// What hangs together.
struct Forest(Vec<u32>);

impl Forest {
    fn new(vertices: usize) -> Self {
        Self((0..vertices as u32).collect())
    }

    /// Parts these again.
    fn clear(&mut self, vertices: &[u32]) {
        vertices.iter().for_each(|&vertex| self.0[vertex as usize] = vertex);
    }

    /// The lowest vertex of those that hang together with `v`.
    fn top(&mut self, mut v: u32) -> u32 {
        while self.0[v as usize] != v {
            self.0[v as usize] = self.0[self.0[v as usize] as usize];
            v = self.0[v as usize];
        }
        v
    }

    fn top_of(&self, mut v: u32) -> u32 {
        while self.0[v as usize] != v {
            v = self.0[v as usize];
        }
        v
    }

    fn unite(&mut self, a: u32, b: u32) {
        let (a, b) = (self.top(a), self.top(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}
