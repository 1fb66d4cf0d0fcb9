//! Volume errors of segments, raw and without the volume that segments exchange.
//!
//! In: [`Segments`], the mesh at rest and posed. Out: the relative error of the volume per segment,
//! measured in f64 on the given positions, whatever corrected them. Cost: two passes over the
//! triangles.

use glam::Vec3;

use crate::deform::{Segment, Segments};

/// Volumes of a segment at rest and posed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SegmentError {
    /// The segment.
    pub segment: Segment,
    /// Its volume at rest.
    pub rest: f64,
    /// Its posed volume.
    pub posed: f64,
    /// Volume received from neighbours across interfaces.
    pub interface_flux: f64,
}

impl SegmentError {
    /// The difference between posed and rest volume, relative to the rest volume; zero if that is
    /// zero. It is what an outsider measures.
    pub fn raw(&self) -> f64 {
        volume_error(self.rest, self.posed)
    }

    /// The same without the interface flux: the error that the correction knows of.
    pub fn without_flux(&self) -> f64 {
        volume_error(self.rest, self.posed - self.interface_flux)
    }
}

/// The error of every segment. `interface_flux` is that of
/// [`PostSkinning::interface_flux`](crate::deform::PostSkinning::interface_flux); empty for none.
///
/// # Panics
/// If there is not one position per vertex of the segments' mesh.
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

/// The relative difference of `posed` from `rest`; zero if `rest` is zero.
pub fn volume_error(rest: f64, posed: f64) -> f64 {
    if rest == 0.0 { 0.0 } else { ((posed - rest) / rest).abs() }
}
