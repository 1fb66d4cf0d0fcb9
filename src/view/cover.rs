//! Where a rig's weights come from, as far as it can be drawn: regions, the curves between them, overlaps.

use std::sync::Arc;

/// The regions behind a rig's weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Cover {
    /// What stays the same however wide the overlaps are.
    pub partition: Arc<Partition>,
    /// Whether each render vertex lies in more than one grown region.
    pub overlapped: Vec<bool>,
}

/// Every render vertex in one region, and the curves between regions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Partition {
    /// The joint whose region each render vertex lies in.
    pub joints: Vec<u32>,
    /// How far each render vertex is from the curve that passes it; see [`super::boundary_interpolants`].
    pub margins: Vec<f32>,
    /// The joints of every two regions that meet.
    pub borders: Vec<[u32; 2]>,
    /// Between the regions.
    pub curves: Curves,
}

/// Polylines on the skin. A point lies in a triangle and moves as its corners do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curves {
    /// The render vertices around each point.
    pub corners: Vec<[u32; 3]>,
    /// How near the point is to each of them; they sum to one.
    pub shares: Vec<[f32; 3]>,
    /// Where each polyline's points end.
    pub ends: Vec<u32>,
}

impl Cover {
    /// Whether it speaks of `vertices` render vertices, and of no others.
    pub fn fits(&self, vertices: usize) -> bool {
        let Partition { joints, margins, curves, .. } = &*self.partition;
        joints.len() == vertices
            && margins.len() == vertices
            && self.overlapped.len() == vertices
            && curves.corners.len() == curves.shares.len()
            && curves.corners.iter().flatten().all(|&corner| (corner as usize) < vertices)
            && curves.ends.last().is_none_or(|&end| end as usize <= curves.corners.len())
            && curves.ends.is_sorted()
    }
}

impl Curves {
    /// The points of every polyline, as ranges.
    pub fn polylines(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| start as usize..end as usize)
    }
}
