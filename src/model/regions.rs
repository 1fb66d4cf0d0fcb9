//! A partition of a mesh into regions that follow one joint each, and the curves between them.

use glam::Vec3;

/// A set of vertices that follows one joint and is connected within each component of the mesh. All
/// bones of a joint move together, so they share a region. A joint has several regions if other
/// regions separate them, as on the palm and the back of a hand.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// The joint that the region follows.
    pub joint: usize,
    /// The parent region, if any: that of the nearest ancestor joint that has a region, or the
    /// largest region of the same joint.
    pub parent: Option<u32>,
}

/// A polyline on the surface. Every segment lies in one triangle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// The points in order. The first is repeated at the end if the curve is closed.
    pub points: Vec<Vec3>,
    /// The triangle of every segment: one fewer than points.
    pub triangles: Vec<u32>,
}

impl Curve {
    /// Whether the curve is closed.
    pub fn is_closed(&self) -> bool {
        self.points.len() > 2 && self.points.first() == self.points.last()
    }

    /// The length in mesh units.
    pub fn length(&self) -> f64 {
        self.segments().map(|(_, [a, b])| f64::from(a.distance(b))).sum()
    }

    /// Every segment with its triangle.
    pub fn segments(&self) -> impl Iterator<Item = (u32, [Vec3; 2])> + '_ {
        self.triangles.iter().zip(self.points.windows(2)).map(|(&t, ends)| (t, [ends[0], ends[1]]))
    }
}

/// The curves between two regions.
#[derive(Clone, Debug, PartialEq)]
pub struct Boundary {
    /// The two regions, the lower index first.
    pub regions: [u32; 2],
    /// The joint between the regions.
    pub joint: usize,
    /// The length of the whole loop around that joint: `L` in the paper, see
    /// docs/theory/atlas.md#weights. If the loop borders several regions, each boundary is a piece
    /// of it, but the width of the overlap depends on the whole loop.
    pub loop_length: f64,
    /// The curves of the boundary.
    pub curves: Vec<Curve>,
}

impl Boundary {
    /// The length of its own curves.
    pub fn length(&self) -> f64 {
        self.curves.iter().map(Curve::length).sum()
    }

    /// Every segment of its curves with its triangle.
    pub fn segments(&self) -> impl Iterator<Item = (u32, [Vec3; 2])> + '_ {
        self.curves.iter().flat_map(Curve::segments)
    }
}

/// A partition of the vertices. Every region has at least one vertex.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Regions {
    /// Sorted by joint.
    pub regions: Vec<Region>,
    /// The region of every vertex.
    pub of_vertex: Vec<u32>,
    /// One for every two regions that share a mesh edge, sorted by region indices.
    pub boundaries: Vec<Boundary>,
}

impl Regions {
    /// The number of vertices of each region.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.regions.len()];
        self.of_vertex.iter().for_each(|&region| sizes[region as usize] += 1);
        sizes
    }

    /// The length of all curves around a region.
    pub fn boundary_length(&self, region: u32) -> f64 {
        let boundaries_of_region =
            self.boundaries.iter().filter(|boundary| boundary.regions.contains(&region));
        boundaries_of_region.map(Boundary::length).sum()
    }

    /// The number of edges between two regions in the region hierarchy: 0 for the same, 1 for
    /// parent and child. `None` if they have different roots.
    pub fn hops(&self, a: u32, b: u32) -> Option<usize> {
        let chain = |from: u32| {
            std::iter::successors(Some(from), |&region| self.regions[region as usize].parent)
                .collect::<Vec<_>>()
        };
        let (from_a, from_b) = (chain(a), chain(b));
        let up = from_a.iter().position(|region| from_b.contains(region))?;
        let down = from_b.iter().position(|&region| region == from_a[up])?;
        Some(up + down)
    }

    /// Panics with the reason if an invariant is violated. For tests.
    pub fn assert_well_formed(&self, vertices: usize, triangles: usize) {
        assert_eq!(self.of_vertex.len(), vertices, "one region per vertex");
        let mut used = vec![false; self.regions.len()];
        self.of_vertex.iter().for_each(|&region| used[region as usize] = true);
        assert!(used.iter().all(|&used| used), "a region has no vertices");
        assert!(self.regions.windows(2).all(|pair| pair[0].joint <= pair[1].joint), "regions out of order");
        for (i, boundary) in self.boundaries.iter().enumerate() {
            assert!(
                boundary.regions[0] < boundary.regions[1],
                "boundary {i} has its regions in the wrong order"
            );
            assert!(
                (boundary.regions[1] as usize) < self.regions.len(),
                "boundary {i} has a region that does not exist"
            );
            assert!(
                boundary.loop_length > 0.0 && boundary.loop_length.is_finite(),
                "boundary {i} has no loop length"
            );
            for curve in &boundary.curves {
                assert_eq!(curve.points.len(), curve.triangles.len() + 1, "a curve of boundary {i}");
                assert!(
                    curve.points.iter().all(|p| p.is_finite()),
                    "boundary {i} has a point that is not finite"
                );
                assert!(
                    curve.triangles.iter().all(|&t| (t as usize) < triangles),
                    "boundary {i} has a triangle that does not exist"
                );
            }
        }
    }
}
