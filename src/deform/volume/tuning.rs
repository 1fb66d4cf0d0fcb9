//! Tuning constants of the volume correction, grouped by the step that reads them.
//!
//! They are not options of a user: the defaults were chosen on the sample characters, and tests
//! check what they were chosen for. Equations: docs/theory/volume.md.

/// All tuning constants of the volume correction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VolumeTuning {
    /// When a volume counts as restored.
    pub convergence: ConvergenceTuning,
    /// Fades of the correction maps.
    pub maps: MapTuning,
    /// The bend factor, and how it opens segment interfaces.
    pub bend: BendTuning,
    /// Limits of displacements.
    pub displacement: DisplacementTuning,
    /// The exact step of independent segments.
    pub exact: ExactTuning,
    /// The exact step with interface pressures.
    pub pressure: PressureTuning,
    /// Rounds between volume correction and contacts.
    pub contact: ContactRoundTuning,
    /// How far vertices may move.
    pub gaps: GapTuning,
    /// Which vertices are carried by others.
    pub carry: CarryTuning,
}

impl VolumeTuning {
    /// Triangles that are summed in f32 before the sum is added to an f64. Larger: the last digits
    /// of volumes are lost. Smaller: conversions take a larger part of the time. A constant, so
    /// that the compiler knows the length of the inner loop.
    pub const SUM_BLOCK: usize = 32;
}

/// When a volume counts as restored.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvergenceTuning {
    /// Relative volume error below which a segment is not corrected. f32 positions carry no more
    /// digits. Larger: corrections start with a visible jump. Smaller: rounding errors are
    /// corrected, and rigid motions change positions.
    pub restored_tolerance: f64,
    /// Relative volume error below which no further round is made. Larger: errors remain. Smaller:
    /// rounds are made for errors that nobody sees.
    pub round_tolerance: f64,
    /// Rounds of the exact step, each with directions of its own. Larger: bodies that a pose has
    /// turned inside out are inflated. Smaller: strongly bent thick joints keep an error.
    pub max_rounds: usize,
    /// Smallest volume that errors are measured against, as a share of (surface area)^1.5. Larger:
    /// thin segments are corrected late. Smaller: rounding errors of flat segments are corrected.
    pub min_volume_scale: f64,
}

impl Default for ConvergenceTuning {
    fn default() -> Self {
        Self { restored_tolerance: 4e-6, round_tolerance: 2e-5, max_rounds: 4, min_volume_scale: 1e-3 }
    }
}

/// Fades of the correction maps.
#[derive(Clone, Debug, PartialEq)]
pub struct MapTuning {
    /// A vertex is shared between joints if the weights of all but its heaviest joint sum to more
    /// than this. Others are rigid. Larger: bulges end abruptly. Smaller: frames take longer, since
    /// bone heat gives every vertex some weight of several joints.
    pub rigid_weight_tolerance: f64,
    /// Slope of the fallback and soft maps against weights: they are 1 where a difference of
    /// weights exceeds the inverse. Larger: grooves where segments meet. Smaller: thin segments
    /// (the chest of the giraffe) have few vertices that can move, and these move far.
    pub fade_slope: f64,
    /// Width over which γ fades towards rigid vertices, in units of `rigid_weight_tolerance`.
    /// Larger: bulges are narrower than the map. Smaller: a step between rigid and shared vertices.
    pub rigid_fade_width: f64,
}

impl Default for MapTuning {
    fn default() -> Self {
        Self { rigid_weight_tolerance: 5e-3, fade_slope: 4.0, rigid_fade_width: 3.0 }
    }
}

/// The bend factor, and how it opens segment interfaces.
#[derive(Clone, Debug, PartialEq)]
pub struct BendTuning {
    /// Distance between the images of a point under two joints that counts as a rotation by 60°, as
    /// a share of the mesh diagonal. Larger: translated joints are not corrected. Smaller: small
    /// translations are corrected like strong bends.
    pub separation_unit: f32,
    /// Bend factor at which the fallback map of a vertex reaches half of its value (about 3°).
    /// Larger: grooves in gentle poses. Smaller: skin next to a joint that hardly bends moves with
    /// its neighbours.
    pub half_bend: f32,
    /// Fallback γ of a vertex that is not bent, as a share of that of a bent one. Larger: far ends
    /// of limbs move. Smaller: in extreme poses the bent vertices alone cannot restore the volume.
    pub unbent_gamma: f32,
    /// Mean bend factor of a segment below which its fallback map is added (about 1°): such a
    /// segment is only disturbed by its neighbours. Larger: rigid vertices move in gentle poses.
    /// Smaller: spikes at the ends of limbs that are not bent at all.
    pub unbent_segment: f64,
    /// Multiple of `unbent_segment` beyond which the fallback map is not added for that reason.
    /// Larger: rigid vertices move in gentle poses. Smaller: the fallback map sets in abruptly.
    pub unbent_segment_end: f64,
    /// Bend factor at which an interface is half open, as a share of the most bent interface of its
    /// two segments. Larger: grooves beside joints that bend less than their neighbours. Smaller:
    /// skin next to a joint that hardly bends moves with its neighbours. It is relative, so that a
    /// slight pose opens the same interfaces as a strong one. (A fixed angle of 3° squeezed the jaw
    /// of the elephant for a moment when its trunk began to curl.)
    pub half_open_share: f32,
    /// Bend factor added to the denominator of the openness, so that an unbent interface is closed.
    /// Larger: slightly bent interfaces stay closed. Smaller: rounding opens interfaces.
    pub min_open_bend: f32,
}

impl Default for BendTuning {
    fn default() -> Self {
        Self {
            separation_unit: 0.1,
            half_bend: 3e-3,
            unbent_gamma: 0.1,
            unbent_segment: 3e-4,
            unbent_segment_end: 10.0,
            half_open_share: 3e-3,
            min_open_bend: 1e-9,
        }
    }
}

/// Limits of displacements.
#[derive(Clone, Debug, PartialEq)]
pub struct DisplacementTuning {
    /// Largest displacement of a vertex, as a share of the radius of a sphere with the surface area
    /// of its segment. Larger: segments turned inside out by a pose are inflated like balloons.
    /// Smaller: strongly bent joints do not get all of their volume back.
    pub max_displacement: f64,
    /// Largest displacement of a vertex by pressures, as a share of the thickness of the body.
    /// Larger: thin parts are turned inside out together with contacts. Smaller: thin limbs keep an
    /// error.
    pub thickness_share: f32,
    /// Twice the displacement, as a share of the largest one, above which the fallback map joins
    /// in; it supplies half of the volume at about 1.2 times this. Larger: joints are turned inside
    /// out before the volume is right. Smaller: rigid vertices move in ordinary poses.
    pub fallback_displacement: f64,
    /// Largest ratio of the volume from the fallback map to that from γ. Larger: overflow. Smaller:
    /// spikes where γ is next to zero.
    pub max_fallback_ratio: f64,
    /// Share of a segment's surface area below which its shared vertices cannot restore its volume,
    /// and its rigid vertices move too. Larger: rigid vertices move without need. Smaller: the few
    /// shared vertices move far.
    pub min_shared_area: f32,
}

impl Default for DisplacementTuning {
    fn default() -> Self {
        Self {
            max_displacement: 1.0,
            thickness_share: 0.3,
            fallback_displacement: 0.25,
            max_fallback_ratio: 1e6,
            min_shared_area: 0.09,
        }
    }
}

/// The exact step of independent segments (docs/theory/volume.md#exact-step).
#[derive(Clone, Debug, PartialEq)]
pub struct ExactTuning {
    /// Relative volume error at which Newton's method ends. Larger: errors remain. Smaller:
    /// rounding keeps it from ending.
    pub tolerance: f64,
    /// Newton steps. Ordinary poses need three; poses that cannot be corrected use all. Larger:
    /// such poses take longer. Smaller: strong bends keep an error.
    pub max_newton_steps: usize,
    /// Longest Newton step, as a share of the range of τ. Larger: steps leave the region where the
    /// slope is valid. Smaller: more steps.
    pub max_newton_step: f64,
    /// Newton steps that reuse the slopes of the interface triangles of the first one: interfaces
    /// are a small part of a segment. Larger: more steps in extreme poses. Smaller: slopes are
    /// summed without need.
    pub fixed_slope_steps: usize,
    /// Gauss–Seidel sweeps per Newton step. Neighbours couple by a few percent, so few are needed.
    /// Larger: no effect. Smaller: steps are inexact.
    pub max_sweeps: usize,
    /// Relative volume change per sweep at which sweeps end. Larger: inexact steps. Smaller: more
    /// sweeps.
    pub sweep_tolerance: f64,
}

impl Default for ExactTuning {
    fn default() -> Self {
        Self {
            tolerance: 1e-6,
            max_newton_steps: 24,
            max_newton_step: 0.25,
            fixed_slope_steps: 4,
            max_sweeps: 40,
            sweep_tolerance: 1e-9,
        }
    }
}

/// The exact step with interface pressures (docs/theory/volume.md#interface-pressures).
#[derive(Clone, Debug, PartialEq)]
pub struct PressureTuning {
    /// Rounds, each with the gains that the round before has measured. Larger: extreme poses take
    /// longer. Smaller: segments of strongly bent bodies keep an error.
    pub max_rounds: usize,
    /// Relative error of a segment at which rounds end; between once and twice this, a part of the
    /// error is corrected, so that one round more is no jump. The whole body is exact in any case.
    /// Larger: segments keep an error. Smaller: a walking character takes four rounds instead of
    /// two, for a few hundredths of a percent.
    pub segment_tolerance: f64,
    /// Largest displacement by a pressure, as a share of the segment's largest displacement.
    /// Larger: bodies that a pose has turned inside out are inflated. Smaller: strongly bent joints
    /// stay thin.
    pub max_displacement: f64,
    /// Conductance of an open interface between segments that both lack volume, against one between
    /// segments of which one has what the other lacks. Larger: segments that the pose has hardly
    /// changed give volume to their neighbours. Smaller: pressures of neighbours differ more.
    pub least_opposition: f64,
    /// Relative volume error below which segments do not count as opposite. Larger: borders that
    /// move a little are not recognised. Smaller: rounding opens interfaces.
    pub opposition_noise: f64,
    /// Conductance of an open interface against the harmonic mean of the gains of its two segments.
    /// Larger: joints inflate as if the limbs around them were one segment. Smaller: small segments
    /// between large ones (the neck of the elephant) are inflated or crushed.
    pub mean_conductance: f64,
    /// Conductance of an open interface against the larger of the two gains. Larger: as for
    /// `mean_conductance`. Smaller: segments that hardly move (an ear) have to take up all flux.
    pub larger_conductance: f64,
    /// Conductance between two segments against the gains that their common vertices give. Larger:
    /// as for `mean_conductance`. Smaller: the system is no longer diagonally dominant.
    pub shared_conductance: f64,
    /// Pairs of Gauss–Seidel sweeps, forwards and backwards. Larger: no effect. Smaller: pressures
    /// are inexact.
    pub max_sweeps: usize,
    /// Change of a pressure, relative to the largest one, at which sweeps end. Larger: pressures
    /// are inexact. Smaller: more sweeps.
    pub sweep_tolerance: f64,
    /// Relative volume change below which a measured gain is not trusted. Larger: later rounds use
    /// wrong gains. Smaller: rounding errors are taken for gains.
    pub min_measured_change: f64,
    /// Smallest and largest ratio of measured to predicted gain. Wider: pressures oscillate.
    /// Narrower: more rounds.
    pub gain_ratio_limits: [f64; 2],
}

impl Default for PressureTuning {
    fn default() -> Self {
        Self {
            max_rounds: 4,
            segment_tolerance: 3e-4,
            max_displacement: 1.0,
            least_opposition: 0.1,
            opposition_noise: 1e-3,
            mean_conductance: 3.0,
            larger_conductance: 0.5,
            shared_conductance: 0.5,
            max_sweeps: 40,
            sweep_tolerance: 1e-9,
            min_measured_change: 1e-2,
            gain_ratio_limits: [0.3, 3.0],
        }
    }
}

/// Rounds between volume correction and contacts
/// (docs/theory/contacts.md#interaction-with-volume-correction).
#[derive(Clone, Debug, PartialEq)]
pub struct ContactRoundTuning {
    /// Rounds of moving vertices back to contacts and restoring the volume elsewhere. Larger: no
    /// difference on fingers bent by 120°. Smaller: the last projection takes volume.
    pub max_rounds: usize,
    /// Relative volume loss that is restored along the known slopes; a larger one is measured
    /// again. Larger: volumes keep an error. Smaller: frames take longer.
    pub slope_tolerance: f64,
}

impl Default for ContactRoundTuning {
    fn default() -> Self {
        Self { max_rounds: 2, slope_tolerance: 1e-3 }
    }
}

/// How far vertices may move (docs/theory/volume.md#displacement-limits).
#[derive(Clone, Debug, PartialEq)]
pub struct GapTuning {
    /// Samples of the surface. Larger: frames take longer. Smaller: gaps between thin parts of
    /// large meshes are not seen.
    pub max_samples: usize,
    /// Distance beyond which other skin does not limit a vertex, in thicknesses of the body there.
    /// Larger: frames take longer. Smaller: limits change with a jump.
    pub reach: f32,
    /// Weight of the thickness at rest against the gap. Larger: thin limbs keep an error. Smaller:
    /// limbs grow by more than half of their thickness.
    pub rest_share: f32,
    /// Displacement as a share of the gap. Two sides move into one gap. Larger: skin grows into
    /// other skin. Smaller: strongly bent joints keep an error.
    pub gap_share: f32,
    /// Gap at which vertices stop, in widths of the surface that a sample stands for. Larger:
    /// coarse meshes keep an error. Smaller: skin grows into other skin that lies between samples.
    pub margin: f32,
}

impl Default for GapTuning {
    fn default() -> Self {
        Self { max_samples: 1_500, reach: 1.4, rest_share: 0.4, gap_share: 0.2, margin: 0.78 }
    }
}

/// Which vertices are carried by the skin of a larger part (docs/theory/volume.md#loose-parts).
#[derive(Clone, Debug, PartialEq)]
pub struct CarryTuning {
    /// Distance at which a vertex is fully carried, as a share of the thickness of the body beneath
    /// and the width of a sample; at twice this it is not carried at all. Larger: hands are carried
    /// by sleeves. Smaller: skin grows through clothes.
    pub distance: f32,
}

impl Default for CarryTuning {
    fn default() -> Self {
        Self { distance: 0.15 }
    }
}
