//! Volumes of a pose, after skinning and after the correction, and their errors. The page and the
//! command line share them.

use std::collections::BTreeMap;

use serde::Serialize;

use glam::Vec3;

use super::volume_error;
use crate::deform::Segments;
use crate::model::Mesh;
use crate::report::{Report, WarningInfo};

/// What volumes are measured on.
#[derive(Clone, Copy, Debug)]
pub struct VolumeMeasurement<'a> {
    /// The solve mesh in the rest pose.
    pub mesh: &'a Mesh,
    /// Its segments, one or more per joint.
    pub segments: &'a Segments,
    /// Positions of the solve mesh, after skinning and after the correction.
    pub solved: [&'a [Vec3]; 2],
    /// Volume from neighbours through common borders, per segment; empty if segments do not keep
    /// theirs.
    pub interface_flux: &'a [f64],
    /// Volume that the correction could not restore.
    pub missing: f64,
    /// Warnings about the mesh.
    pub report: &'a Report,
}

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
    /// Error after skinning, in percent of the volume at rest, without sign.
    pub skinned_error_percent: f64,
    /// Error after the correction, in the same way.
    pub corrected_error_percent: f64,
    /// Volume that the correction could not restore, in percent of the volume at rest: skin moves
    /// no farther than half of the thickness of the body and of the gap in front of it.
    pub missing_percent: f64,
    /// The same for the segments of each joint.
    pub segments: Vec<SegmentVolumeStats>,
    /// Warnings about the mesh: open borders, parts without volume.
    pub warnings: Vec<WarningInfo>,
}

/// The volume of the segments of one joint.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct SegmentVolumeStats {
    /// The name of the joint.
    pub bone: String,
    /// At rest.
    pub rest: f64,
    /// After skinning.
    pub skinned: f64,
    /// After the correction.
    pub corrected: f64,
    /// Volume from neighbours through the common borders, where the pose moves these borders. It is
    /// part of `corrected`.
    pub interface_flux: f64,
    /// Error after skinning, in percent of the volume at rest.
    pub skinned_error_percent: f64,
    /// Error after the correction, in the same way.
    pub corrected_error_percent: f64,
}

impl VolumeStats {
    /// Measures volumes on the positions themselves, independently of the correction. `names` has a
    /// name per joint.
    pub fn of(measured: &VolumeMeasurement<'_>, names: &[String]) -> Self {
        let &VolumeMeasurement { mesh, segments, solved, interface_flux, missing, report } = measured;
        let mut by_joint: BTreeMap<usize, [f64; 4]> = BTreeMap::new();
        let volumes = [mesh.positions(), solved[0], solved[1]].map(|shape| segments.volumes(shape));
        // With hole caps: without them the volume of an open mesh depends on its position.
        let [rest, skinned, corrected] = volumes.each_ref().map(|each| each.iter().sum());
        for (which, volumes) in volumes.iter().map(Vec::as_slice).chain([interface_flux]).enumerate() {
            for (segment, volume) in segments.segments().iter().zip(volumes) {
                if let Some(joint) = segment.joint {
                    // A joint may have segments in several parts.
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
                skinned_error_percent: percent(rest, skinned),
                corrected_error_percent: percent(rest, corrected),
            };
        Self {
            rest,
            skinned,
            corrected,
            skinned_error_percent: percent(rest, skinned),
            corrected_error_percent: percent(rest, corrected),
            missing_percent: percent(rest, rest + missing),
            segments: by_joint.into_iter().map(named).collect(),
            warnings: WarningInfo::all(report),
        }
    }
}

fn percent(rest: f64, posed: f64) -> f64 {
    100.0 * volume_error(rest, posed)
}
