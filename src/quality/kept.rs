//! How much of its volume every segment has kept.
//!
//! In: [`Segments`], the mesh at rest and posed. Out: the volume's relative error per segment. Measured in f64 on the positions given,
//! whatever corrected them. Cost: two passes over the triangles.

use glam::Vec3;

use crate::deform::{Segment, Segments};

/// How far a segment's volume is from what it was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SegmentError {
    /// What was measured.
    pub segment: Segment,
    /// Its volume at rest.
    pub rest: f64,
    /// Its volume as posed.
    pub posed: f64,
    /// What neighbours gave it through their common border.
    pub interface_flux: f64,
}

impl SegmentError {
    /// The difference, but for what was exchanged, as a share of what there was; zero of nothing.
    pub fn share(&self) -> f64 {
        volume_error(self.rest, self.posed - self.interface_flux)
    }
}

/// One entry per segment. `interface_flux` says what each was given by its neighbours, as [`crate::deform::PostSkinning::interface_flux`] does; empty where nothing was.
///
/// # Panics
/// When there are not as many positions as the segments' mesh has vertices.
pub fn segment_errors(
    segments: &Segments,
    rest: &[Vec3],
    posed: &[Vec3],
    interface_flux: &[f64],
) -> Vec<SegmentError> {
    let [rest, posed] = [rest, posed].map(|shape| segments.volumes(shape));
    let entry = |(at, &segment): (usize, &Segment)| SegmentError {
        segment,
        rest: rest[at],
        posed: posed[at],
        interface_flux: interface_flux.get(at).copied().unwrap_or(0.0),
    };
    segments.segments().iter().enumerate().map(entry).collect()
}

/// How far `posed` is from `rest`, as a share of it; zero where there was nothing.
pub fn volume_error(rest: f64, posed: f64) -> f64 {
    if rest == 0.0 { 0.0 } else { ((posed - rest) / rest).abs() }
}
