//! How much volume a pose costs, and how much is left of that after the correction.

use std::collections::BTreeMap;

use serde::Serialize;

use super::info::Warning;
use crate::quality::volume_error;
use crate::view::CorrectionParts as Parts;

/// Volumes in one pose, in cubic units of the model.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct VolumeStats {
    /// At rest.
    pub rest: f64,
    /// After skinning.
    pub skinned: f64,
    /// After the correction.
    pub corrected: f64,
    /// How far skinning is off, whichever way, in percent of what there was at rest.
    pub skinned_error_percent: f64,
    /// How far the correction is off.
    pub corrected_error_percent: f64,
    /// The same for what follows each joint most.
    pub segments: Vec<SegmentVolumeStats>,
    /// What was odd about the mesh: open borders, parts without an inside.
    pub warnings: Vec<Warning>,
}

/// The volume of what follows one joint most.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct SegmentVolumeStats {
    /// The joint.
    pub bone: String,
    /// At rest.
    pub rest: f64,
    /// After skinning.
    pub skinned: f64,
    /// After the correction.
    pub corrected: f64,
    /// What neighbours gave it through their common border, in this pose.
    pub interface_flux: f64,
    /// How far skinning is off, but for that, in percent of what there was at rest.
    pub skinned_error_percent: f64,
    /// How far the correction is off.
    pub corrected_error_percent: f64,
}

impl VolumeStats {
    /// Measured on what came out, whatever the correction says of itself but for what segments
    /// exchanged.
    pub fn of(parts: Parts<'_>, names: &[String]) -> Self {
        let Parts { mesh, segments, solved, interface_flux, report } = parts;
        let mut by_joint: BTreeMap<usize, [f64; 4]> = BTreeMap::new();
        let volumes = [mesh.positions(), solved[0], solved[1]].map(|shape| segments.volumes(shape));
        // With lids over the holes: without them, what an open mesh encloses depends on where it
        // stands.
        let [rest, skinned, corrected] = volumes.each_ref().map(|each| each.iter().sum());
        for (which, volumes) in volumes.iter().chain([&interface_flux]).enumerate() {
            for (segment, volume) in segments.segments().iter().zip(volumes) {
                if let Some(joint) = segment.joint {
                    // Several parts may follow one joint.
                    by_joint.entry(joint).or_default()[which] += volume;
                }
            }
        }
        let named =
            |(joint, [rest, skinned, corrected, interface_flux]): (usize, [f64; 4])| SegmentVolumeStats {
                bone: names.get(joint).cloned().unwrap_or_default(),
                rest,
                skinned,
                corrected,
                interface_flux,
                skinned_error_percent: percent(rest, skinned - interface_flux),
                corrected_error_percent: percent(rest, corrected - interface_flux),
            };
        Self {
            rest,
            skinned,
            corrected,
            skinned_error_percent: percent(rest, skinned),
            corrected_error_percent: percent(rest, corrected),
            segments: by_joint.into_iter().map(named).collect(),
            warnings: Warning::all(report),
        }
    }
}

fn percent(rest: f64, posed: f64) -> f64 {
    100.0 * volume_error(rest, posed)
}
