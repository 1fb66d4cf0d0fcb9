//! Tuning constants of contacts.

use crate::deform::volume::VolumeTuning;

/// Tuning constants of contacts (docs/theory/contacts.md). Lengths are in *thicknesses*: the mean
/// distance from the bones of the vertices that both bones of a joint influence.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactTuning {
    /// Largest gap between two bones that meet, as a share of the shorter one. Larger: joints get a
    /// contact whose bones are apart. Smaller: joints with inexact bone ends get none.
    pub max_bone_gap: f32,
    /// Least weight of each of both bones for a vertex that counts for the thickness of a joint.
    /// Larger: narrow overlaps give no thickness. Smaller: vertices far from the joint count.
    pub thickness_weight: f32,
    /// Distance from the joint of the farthest vertices of a contact, in thicknesses. At 150°
    /// contact reaches 3.7. Larger: neighbouring fingers are moved as well. Smaller: far ends of
    /// strongly bent bones pass through each other.
    pub reach: f32,
    /// Height at rest on the other bone's side of the plane, in thicknesses, above which a vertex
    /// is left alone. Larger: the crotch of a sitting character is taken along by its thighs.
    /// Smaller: vertices are left out where the border between two bones is not in the plane.
    pub max_wrong_side: f32,
    /// Constant part of the clearance, in thicknesses. Larger: a visible slit. Smaller: triangles
    /// touch by rounding.
    pub clearance: f32,
    /// Clearance per height at rest, so that skin that lies over itself at the end of a crease
    /// keeps its order. Larger: slits open towards the far ends of bones. Smaller: of 64 fingers
    /// bent by 120° (four sizes and methods) 1 intersects itself at 0.02, 10 at zero.
    pub clearance_per_height: f32,
    /// Largest softness, in thicknesses: height above the clearance at which a contact begins to
    /// act. Larger: skin moves apart that does not touch yet. Smaller: vertices stop within one
    /// frame.
    pub max_softness: f32,
    /// Sum of the weights of both bones below which third joints may move a vertex over the plane
    /// of a slightly bent joint. The skin around it moves along, so nothing intersects. Larger:
    /// such vertices are moved back, which shows. Smaller: real intersections are tolerated.
    pub min_own_weight: f32,
    /// A vertex is shared between joints if the weights of all but its heaviest joint sum to more
    /// than this; as [`MapTuning::rigid_weight_tolerance`](crate::deform::MapTuning).
    pub rigid_weight_tolerance: f64,
    /// Shift of the rim of a contact beyond the joint, away from the bend, in thicknesses. Larger:
    /// the outside of a bend is moved. Smaller: skin that bulges sideways intersects at the ends of
    /// a crease; a little finger bent by 120° keeps 3 of 73 intersections (7 at zero).
    pub rim_shift: f32,
    /// Width over which a contact sets in at its rim, in thicknesses. Larger: fingers bent by 135°
    /// keep more intersections. Smaller: vertices that slide over the rim jump.
    pub rim_width: f32,
    /// Shortest displacement, in thicknesses. Larger: contacts set in with a jump. Smaller:
    /// rounding moves vertices.
    pub min_displacement: f32,
    /// Largest displacement, as a share of the local thickness of the body. Larger: skin leaves the
    /// other side of a thin part. Smaller: strongly bent joints keep intersections.
    pub thickness_share: f32,
    /// Largest length of an edge, relative to its lengths at rest and as skinned. Larger: skin is
    /// torn where a contact ends. Smaller: strongly bent joints keep intersections.
    pub max_stretch: f32,
    /// Largest difference of the displacements of neighbours, relative to their distance. Larger:
    /// skin folds over where a contact ends. Smaller: skin cannot be flattened against a contact.
    pub max_shear: f32,
    /// Share of the displacements of a joint that limits may take before its contact fades out.
    /// Larger: skin that crosses far is laid in layers, which intersect. Smaller: intersections
    /// stay that a part of the displacements would remove.
    pub unmet_share: f32,
    /// Range of shares over which it fades out. Larger: as `unmet_share`. Smaller: contacts end
    /// with a jump.
    pub unmet_range: f32,
    /// Sweeps over the edges of a contact. Larger: frames take longer. Smaller: edges of fine
    /// meshes are stretched beyond the limit.
    pub max_sweeps: usize,
    /// Bend angle beyond the rest pose at which a contact begins to act, in radians (9°). Larger:
    /// skin that touches early intersects. Smaller: the direction into the bend is not defined.
    pub onset_angle: f32,
    /// Range of bend angles over which the contact sets in, in radians (full at 29°). Larger: skin
    /// that touches early intersects. Smaller: contacts set in with a jump.
    pub onset_range: f32,
    /// Bend angle beyond the rest pose at which a joint counts as strongly bent, in radians (53°).
    /// Larger: creases drift to one side. Smaller: vertices moved by third joints jump.
    pub full_angle: f32,
    /// Height above a contact below which vertices lose mobility in the volume correction, in
    /// thicknesses. Larger: the vertices that still move stand out. Smaller: an index finger bent
    /// by 120° keeps 8 of 81 intersections.
    pub mobility_height: f32,
    /// Share of `mobility_height` above which vertices count as free. Larger: more vertices are
    /// examined. Smaller: mobility changes with a jump.
    pub free_share: f32,
    /// Height below which vertices are examined again after steps of the volume correction, in
    /// thicknesses. Larger: frames take longer. Smaller: vertices with large displacements cross.
    pub recheck_height: f32,
}

impl Default for ContactTuning {
    fn default() -> Self {
        Self {
            max_bone_gap: 0.1,
            thickness_weight: 0.1,
            reach: 4.0,
            max_wrong_side: 0.25,
            clearance: 0.02,
            clearance_per_height: 0.04,
            max_softness: 0.2,
            min_own_weight: 0.98,
            rigid_weight_tolerance: VolumeTuning::default().maps.rigid_weight_tolerance,
            rim_shift: 0.45,
            rim_width: 0.3,
            min_displacement: 3e-5,
            thickness_share: 0.49,
            max_stretch: 1.28,
            max_shear: 1.5,
            unmet_share: 0.05,
            unmet_range: 0.15,
            max_sweeps: 8,
            onset_angle: 0.15,
            onset_range: 0.35,
            full_angle: 0.93,
            mobility_height: 0.8,
            free_share: 0.95,
            recheck_height: 0.4,
        }
    }
}
