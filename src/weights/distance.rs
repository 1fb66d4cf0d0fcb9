//! Inverse distance weights (Rohmer, Hahmann, Cani 2008, section 5.1;
//! docs/theory/inverse-distance.md): `w_ki ∝ (l_i / d_ki)^a`.
//!
//! In: [`MeshGeometry`] of the solve mesh and bones. Out: one column per bone. `d` is the distance
//! from vertex k to the segment of bone i, `l` the length of the bone. A bone is excluded if the
//! segment from the vertex to its nearest point leaves the body. A vertex that sees no bone follows
//! the closest one. Cost: vertices × bones, and for exact visibility one BVH traversal for each
//! pair that can matter.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::rows::{MIN_SHARE, Rows};
use crate::math::sort_few;
use crate::model::{Bone, Skeleton, Weights};
use crate::operators::{ComponentKind, MeshGeometry};
use crate::progress::{Cancelled, Progress};
use crate::report::{Report, Warning};
use crate::segment::BoneVisibility;

/// Options of [`distance`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(default, deny_unknown_fields)]
pub struct Distance {
    /// The exponent `a`: how fast the influence of a bone decreases. Clamped to
    /// [`Distance::FALLOFFS`].
    pub falloff: f64,
    /// How visibility is tested.
    pub visibility: Visibility,
}

impl Distance {
    /// Allowed exponents. Larger: every vertex follows one bone. Smaller: all bones have equal
    /// weight.
    pub const FALLOFFS: std::ops::RangeInclusive<f64> = 0.1..=64.0;
}

impl Default for Distance {
    fn default() -> Self {
        Self { falloff: 4.0, visibility: Visibility::Exact }
    }
}

/// How it is tested whether the shortest segment from a vertex to a bone stays inside the body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// By intersecting it with the mesh.
    #[default]
    Exact,
    /// By whether it starts inwards, judged by the vertex normal. What comes after is not tested.
    Cheap,
    /// No test: every vertex sees every bone.
    Off,
}

/// Largest cosine between the outward normal and a segment that still counts as inwards. Larger:
/// flat backs see the bones in front of them. Smaller: on flat areas, rounding decides.
const GRAZING_COSINE: f64 = 0.02;

/// Number of vertices between two progress reports.
const PROGRESS_STEP: usize = 512;

/// Computes inverse distance weights per bone.
///
/// # Errors
/// [`Cancelled`] if `progress` cancels.
///
/// # Panics
/// If there are vertices but no bone.
pub fn distance(
    geometry: &MeshGeometry,
    skeleton: &Skeleton,
    options: &Distance,
    report: &mut Report,
    progress: &mut Progress,
) -> Result<Weights, Cancelled> {
    let bones = skeleton.bones();
    let positions = geometry.mesh().positions();
    assert!(!bones.is_empty() || positions.is_empty(), "weights need at least one bone");
    let (fewest, most) = Distance::FALLOFFS.into_inner();
    let falloff = if options.falloff.is_nan() { Distance::default().falloff } else { options.falloff };
    let mut visibility_test = VisibilityTest::new(options.visibility, geometry, bones);
    let mut rows = Rows::default();
    let mut without_bone = 0;
    let mut influences: Vec<BoneInfluence> = Vec::with_capacity(bones.len());
    for (vertex, position) in positions.iter().enumerate() {
        if vertex % PROGRESS_STEP == 0 {
            progress.step(vertex, positions.len())?;
        }
        influences.clear();
        let influence = |(bone, of): (usize, &Bone)| {
            BoneInfluence::on(position.as_dvec3(), bone as u32, of, falloff.clamp(fewest, most))
        };
        influences.extend(bones.iter().enumerate().map(influence));
        let weights = visible_weights(&mut influences, |influence| visibility_test.sees(vertex, influence));
        if weights.is_empty() {
            without_bone += 1;
            let nearest = influences
                .iter()
                .reduce(|best, influence| if influence.is_nearer(best) { influence } else { best });
            rows.push(&nearest.map(|influence| (influence.bone, 1.0)).into_iter().collect::<Vec<_>>());
        } else {
            rows.push(&weights);
        }
    }
    progress.step(positions.len(), positions.len())?;
    if without_bone > 0 {
        report.warn(Warning::UnseenVertices { vertices: without_bone });
    }
    let border_edges = geometry.topology().border_edges();
    if border_edges > 0 && options.visibility == Visibility::Exact {
        report.warn(Warning::OpenMesh { border_edges });
    }
    Ok(rows.into_weights(bones.len()))
}

/// The influence of one bone on one vertex.
struct BoneInfluence {
    bone: u32,
    /// Parameter of the nearest point of the bone, from 0 at the head to 1 at the tail.
    parameter: f64,
    /// From the vertex to the nearest point.
    offset: DVec3,
    distance: f64,
    /// `a · (ln l − ln d)`: logarithms, because (l/d)^a overflows.
    log_weight: f64,
    /// `a · ln l`: decides between bones that all pass through the vertex.
    log_length: f64,
}

impl BoneInfluence {
    fn on(position: DVec3, bone: u32, of: &Bone, falloff: f64) -> Self {
        let (head, tail) = (of.head.as_dvec3(), of.tail.as_dvec3());
        let along = tail - head;
        let parameter = ((position - head).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        let offset = head + along * parameter - position;
        let distance = offset.length();
        let log_length = falloff * along.length().ln();
        Self {
            bone,
            parameter,
            offset,
            distance,
            log_weight: log_length - falloff * distance.ln(),
            log_length,
        }
    }

    fn is_nearer(&self, than: &Self) -> bool {
        self.distance.total_cmp(&than.distance).then(self.bone.cmp(&than.bone)).is_lt()
    }
}

/// The unnormalised weights of the visible bones, by bone. The strongest are tested first; those
/// too weak to matter beside a visible one are not tested.
fn visible_weights(
    influences: &mut [BoneInfluence],
    mut sees: impl FnMut(&BoneInfluence) -> bool,
) -> Vec<(u32, f64)> {
    if influences.iter().any(|influence| influence.distance == 0.0) {
        return weights_on_bone(influences);
    }
    sort_few(influences, |a, b| b.log_weight.total_cmp(&a.log_weight).then(a.bone.cmp(&b.bone)));
    let least = MIN_SHARE.ln();
    let mut weights: Vec<(u32, f64)> = Vec::new();
    let mut largest = None;
    for influence in influences.iter() {
        if largest.is_some_and(|largest: f64| influence.log_weight < largest + least) {
            break;
        }
        if sees(influence) {
            let largest = *largest.get_or_insert(influence.log_weight);
            weights.push((influence.bone, (influence.log_weight - largest).exp()));
        }
    }
    sort_few(&mut weights, |a, b| a.0.cmp(&b.0));
    weights
}

/// The weights of a vertex that lies on bones: the limit of the formula as all their distances go
/// to zero together.
fn weights_on_bone(influences: &[BoneInfluence]) -> Vec<(u32, f64)> {
    let on_bone = || influences.iter().filter(|influence| influence.distance == 0.0);
    let largest = on_bone().map(|influence| influence.log_length).fold(f64::NEG_INFINITY, f64::max);
    on_bone().map(|influence| (influence.bone, (influence.log_length - largest).exp())).collect()
}

enum VisibilityTest<'a> {
    Exact(BoneVisibility<'a>),
    Cheap(&'a MeshGeometry),
    Off,
}

impl<'a> VisibilityTest<'a> {
    fn new(visibility: Visibility, geometry: &'a MeshGeometry, bones: &'a [Bone]) -> Self {
        match visibility {
            Visibility::Exact => Self::Exact(BoneVisibility::new(geometry, bones)),
            Visibility::Cheap => Self::Cheap(geometry),
            Visibility::Off => Self::Off,
        }
    }

    fn sees(&mut self, vertex: usize, influence: &BoneInfluence) -> bool {
        match self {
            Self::Exact(visibility) => {
                visibility.sees(vertex, influence.bone as usize, influence.parameter as f32)
            }
            Self::Cheap(geometry) => {
                let normal = geometry.normals()[vertex].as_dvec3();
                let outwards = match geometry.components().kind(geometry.components().of_vertex(vertex)) {
                    ComponentKind::Outward => influence.offset.dot(normal),
                    ComponentKind::Inward => -influence.offset.dot(normal),
                    ComponentKind::Sheet => return true,
                };
                outwards <= GRAZING_COSINE * influence.distance
            }
            Self::Off => true,
        }
    }
}
