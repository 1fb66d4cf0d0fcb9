//! A partition of a mesh into the flesh of each joint, and the curves between the pieces.

use glam::Vec3;

/// PostSkinning that follows one joint and hangs together in each loose part of the mesh. The bones a joint drives move as one, so
/// they share a region; a joint has several where others keep its flesh apart, as on the palm and the back of a hand.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// The joint that drives it.
    pub joint: usize,
    /// The region it hangs on, if any: of the next joint above with flesh, or the joint's own largest.
    pub parent: Option<u32>,
}

/// A polyline on the surface: every segment runs through one triangle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// In order; the first again at the end when the curve is closed.
    pub points: Vec<Vec3>,
    /// The triangle of every segment: one fewer than points.
    pub triangles: Vec<u32>,
}

impl Curve {
    /// Whether it ends where it starts.
    pub fn is_closed(&self) -> bool {
        self.points.len() > 2 && self.points.first() == self.points.last()
    }

    /// Its length, in mesh units.
    pub fn length(&self) -> f64 {
        self.segments().map(|(_, [a, b])| f64::from(a.distance(b))).sum()
    }

    /// Every segment with the triangle it lies in.
    pub fn segments(&self) -> impl Iterator<Item = (u32, [Vec3; 2])> + '_ {
        self.triangles.iter().zip(self.points.windows(2)).map(|(&t, ends)| (t, [ends[0], ends[1]]))
    }
}

/// Where two regions meet.
#[derive(Clone, Debug, PartialEq)]
pub struct Boundary {
    /// The two, the lower first.
    pub regions: [u32; 2],
    /// The joint they meet at.
    pub joint: usize,
    /// The length of the whole loop around that joint: `L` of the paper. Where a loop borders on several
    /// regions, each boundary is a piece of it, but how far its overlap reaches is the loop's affair.
    pub loop_length: f64,
    /// The pieces.
    pub curves: Vec<Curve>,
}

impl Boundary {
    /// The length of its own curves.
    pub fn length(&self) -> f64 {
        self.curves.iter().map(Curve::length).sum()
    }

    /// Every segment of its curves with the triangle it lies in.
    pub fn segments(&self) -> impl Iterator<Item = (u32, [Vec3; 2])> + '_ {
        self.curves.iter().flat_map(Curve::segments)
    }
}

/// Every vertex in exactly one region; regions without a vertex are not listed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Regions {
    /// In the order of their joints.
    pub regions: Vec<Region>,
    /// The region of every vertex.
    pub of_vertex: Vec<u32>,
    /// One for every two regions that share an edge of the mesh, sorted by them.
    pub boundaries: Vec<Boundary>,
}

impl Regions {
    /// How many vertices each region has.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.regions.len()];
        self.of_vertex.iter().for_each(|&region| sizes[region as usize] += 1);
        sizes
    }

    /// The length of all curves around a region.
    pub fn boundary_length(&self, region: u32) -> f64 {
        let borders = self.boundaries.iter().filter(|boundary| boundary.regions.contains(&region));
        borders.map(Boundary::length).sum()
    }

    /// How many bones lie between two regions: 0 for the same, 1 for neighbours in the hierarchy; none
    /// when they hang on different roots.
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

    /// Panics with the reason if an invariant does not hold. For tests.
    pub fn assert_well_formed(&self, vertices: usize, triangles: usize) {
        assert_eq!(self.of_vertex.len(), vertices, "one region per vertex");
        let mut used = vec![false; self.regions.len()];
        self.of_vertex.iter().for_each(|&region| used[region as usize] = true);
        assert!(used.iter().all(|&used| used), "a region without a vertex is listed");
        assert!(self.regions.windows(2).all(|pair| pair[0].joint <= pair[1].joint), "regions out of order");
        for (i, boundary) in self.boundaries.iter().enumerate() {
            assert!(boundary.regions[0] < boundary.regions[1], "boundary {i} names its lower region second");
            assert!((boundary.regions[1] as usize) < self.regions.len(), "boundary {i} of no region");
            assert!(
                boundary.loop_length > 0.0 && boundary.loop_length.is_finite(),
                "boundary {i} has no loop length"
            );
            for curve in &boundary.curves {
                assert_eq!(curve.points.len(), curve.triangles.len() + 1, "a curve of boundary {i}");
                assert!(curve.points.iter().all(|p| p.is_finite()), "boundary {i} leaves space");
                assert!(
                    curve.triangles.iter().all(|&t| (t as usize) < triangles),
                    "boundary {i} off the mesh"
                );
            }
        }
    }
}
