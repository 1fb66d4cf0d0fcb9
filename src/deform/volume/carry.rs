//! Parts that lie on larger ones, such as clothes: they are carried by the skin beneath.
//!
//! In: the connected parts of a mesh and samples of their surface. Out: for every vertex near the
//! surface of a larger part, the samples there that it moves with. Source:
//! docs/theory/volume.md#loose-parts. Cost per frame: a few operations per carried vertex.

use glam::Vec3A;

use super::gaps::{GapLayout, NEAREST};
use super::mesh_layout::MeshLayout;
use super::segments::{NONE, Segments};
use super::tuning::CarryTuning;
use crate::model::Mesh;

/// All vertices that are carried.
#[derive(Clone, Debug, Default)]
pub(super) struct Carry {
    pub vertices: Vec<CarriedVertex>,
}

/// A vertex that moves with the skin beneath.
#[derive(Clone, Copy, Debug)]
pub(super) struct CarriedVertex {
    pub vertex: u32,
    /// Its slot; [`NONE`] in parts without an inside.
    pub slot: u32,
    /// How much it is carried, from 0 to 1.
    pub share: f32,
    /// Slots that it moves with, and their shares.
    hosts: [(u32, f32); NEAREST],
}

impl CarriedVertex {
    /// Its displacement, for those of slots.
    #[inline]
    pub(super) fn by(&self, move_of: impl Fn(u32) -> Vec3A) -> Vec3A {
        self.hosts.iter().map(|&(slot, share)| move_of(slot) * (share * self.share)).sum()
    }
}

impl Carry {
    pub(super) fn new(
        mesh: &Mesh,
        segments: &Segments,
        layout: &MeshLayout,
        gaps: &GapLayout,
        tuning: &CarryTuning,
    ) -> Self {
        let part_of = |vertex: u32| {
            let segment = segments.of_vertices()[vertex as usize];
            segments.segments().get(segment as usize).map_or(NONE, |segment| segment.part)
        };
        let mut sizes: Vec<u32> = Vec::new();
        for vertex in 0..mesh.positions().len() as u32 {
            let part = part_of(vertex);
            if part != NONE {
                sizes.resize(sizes.len().max(part as usize + 1), 0);
                sizes[part as usize] += 1;
            }
        }
        let size = |part: u32| sizes.get(part as usize).copied().unwrap_or(0);
        let most = sizes.iter().copied().max().unwrap_or(0);
        let mut all = Self::default();
        for vertex in 0..mesh.positions().len() as u32 {
            let (slot, own) = (layout.slots[vertex as usize], part_of(vertex));
            if size(own) == most || (slot != NONE && !layout.is_shared_slot(slot)) {
                continue;
            }
            // Parts of the same size: the first one carries.
            let is_host = |vertex: u32| {
                let part = part_of(vertex);
                part != NONE && (size(part), own) > (size(own), part)
            };
            let Some((hosts, distance, near)) = gaps.hosts(mesh.positions()[vertex as usize], is_host) else {
                continue;
            };
            let near = tuning.distance * near;
            let share = ((2.0 * near - distance) / near).clamp(0.0, 1.0);
            let share = share * share * (3.0 - 2.0 * share);
            if share > 0.0 {
                all.vertices.push(CarriedVertex { vertex, slot, share, hosts });
            }
        }
        all
    }
}
