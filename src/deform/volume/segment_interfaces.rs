//! Interfaces between segments, and how far a pose opens them.
//!
//! In, once: the hole caps between segments. In, per frame: bend factors. Out: which segments are
//! neighbours, and the openness `o_st` of each interface
//! (docs/theory/volume.md#interface-pressures). Cost per frame: one sum over the vertices at
//! interfaces.

use super::hole_caps::{Corner, HoleCap};
use super::mesh_layout::MeshLayout;
use super::segments::{NONE, Segments};
use super::tuning::BendTuning;
use crate::math::{key_of, larger, sort_by_keys};

/// All interfaces between segments.
#[derive(Clone, Debug, Default)]
pub(super) struct SegmentInterfaces {
    interfaces: Vec<SegmentInterface>,
    /// The slots that the caps of each interface depend on, concatenated.
    slots: Vec<u32>,
}

/// The interface between two segments.
#[derive(Clone, Copy, Debug)]
pub(super) struct SegmentInterface {
    /// Lower segment first.
    pub(super) segments: [usize; 2],
    /// End of its list of slots.
    end: usize,
}

/// How much a pose bends and opens the interfaces.
#[derive(Clone, Debug, Default)]
pub(super) struct InterfaceState {
    /// Mean bend factor of each interface.
    bends: Vec<f32>,
    /// Bend factor of the most bent interface of each segment.
    segment_bends: Vec<f32>,
    /// `o_st` of each interface: 0 if the pose does not bend it, so that there is no flux; below 1.
    pub(super) openness: Vec<f32>,
}

impl InterfaceState {
    pub(super) fn new(interfaces: &SegmentInterfaces, segments: usize) -> Self {
        let count = interfaces.interfaces.len();
        Self { bends: vec![0.0; count], segment_bends: vec![0.0; segments], openness: vec![0.0; count] }
    }
}

impl SegmentInterfaces {
    pub(super) fn new(segments: &Segments, layout: &MeshLayout) -> Self {
        let mut all = Self::default();
        let slots = slots_of_caps(segments, layout);
        for interface in slots.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
            let (first, second, _) = interface[0];
            all.slots.extend(interface.iter().map(|(.., slot)| slot));
            let (segments, end) = ([first as usize, second as usize], all.slots.len());
            all.interfaces.push(SegmentInterface { segments, end });
        }
        all
    }

    /// All interfaces.
    pub(super) fn all(&self) -> &[SegmentInterface] {
        &self.interfaces
    }

    /// Computes the openness of all interfaces from the bend factors of all slots.
    pub(super) fn open_interfaces(&self, factors: &[f32], tuning: &BendTuning, state: &mut InterfaceState) {
        let mut start = 0;
        state.segment_bends.fill(0.0);
        for (interface, bend) in self.interfaces.iter().zip(&mut state.bends) {
            let slots = &self.slots[start..interface.end];
            *bend = slots.iter().map(|&slot| factors[slot as usize]).sum::<f32>() / slots.len() as f32;
            for segment in interface.segments {
                state.segment_bends[segment] = larger(state.segment_bends[segment], *bend);
            }
            start = interface.end;
        }
        let bends = self.interfaces.iter().zip(&state.bends);
        for ((interface, &bend), openness) in bends.zip(&mut state.openness) {
            let [one, other] = interface.segments.map(|segment| state.segment_bends[segment]);
            *openness = bend / (bend + tuning.half_open_share * larger(one, other) + tuning.min_open_bend);
        }
    }
}

/// The slots that the caps between two segments depend on, as (segment, segment, slot), sorted.
fn slots_of_caps(segments: &Segments, layout: &MeshLayout) -> Vec<(u32, u32, u32)> {
    // Many caps have the same centroid, so centroids are numbered after the vertices, and
    // duplicates are removed before they are expanded to their members.
    let count = segments.of_vertices().len();
    let code = |corner: Corner| match corner {
        Corner::Vertex(vertex) => vertex as usize,
        Corner::Centroid(centroid) => count + centroid as usize,
    };
    let caps = segments.hole_caps().iter().filter(|cap| cap.adds.max(cap.subtracts) != NONE);
    let of_cap = |cap: &HoleCap| cap.corners.map(|corner| (cap.adds, cap.subtracts, code(corner) as u32));
    let mut corners: Vec<(u32, u32, u32)> = caps.flat_map(of_cap).collect();
    sort_and_dedup(&mut corners);
    let mut slots: Vec<(u32, u32, u32)> = Vec::with_capacity(corners.len());
    for (first, second, code) in corners {
        let members = match (code as usize).checked_sub(count) {
            Some(centroid) => segments.centroids().members(centroid),
            None => &[code],
        };
        slots.extend(members.iter().map(|&vertex| (first, second, layout.slots[vertex as usize])));
    }
    sort_and_dedup(&mut slots);
    slots
}

fn sort_and_dedup(triples: &mut Vec<(u32, u32, u32)>) {
    sort_by_keys(triples, |&(.., third)| third.into());
    sort_by_keys(triples, |&(first, second, _)| key_of(first, second));
    triples.dedup();
}
