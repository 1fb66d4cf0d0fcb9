//! Weights by distance (Rohmer, Hahmann, Cani 2008, §5.1): `w_ki ∝ (l_i / d_ki)^a`.
//!
//! In: [`MeshGeometry`] of the solve mesh and bones. Out: one column per bone. `d` is the distance from vertex
//! k to the segment of bone i, `l` the bone's length. A bone whose shortest way to the vertex leaves the body
//! gets nothing there; a vertex that sees none follows the closest. Cost: vertices × bones, and for exact
//! visibility one walk through the tree of boxes for each pair that could matter.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::rows::{LEAST_SHARE, Rows};
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
    /// The exponent `a`: how fast a bone's pull fades. Outside [`Distance::FALLOFFS`] the nearest of them
    /// is used.
    pub falloff: f64,
    /// How it is found out whether a vertex sees a bone.
    pub visibility: Visibility,
}

impl Distance {
    /// Falloffs that make sense. Larger: every vertex follows one bone. Smaller: all bones alike.
    pub const FALLOFFS: std::ops::RangeInclusive<f64> = 0.1..=64.0;
}

impl Default for Distance {
    fn default() -> Self {
        Self { falloff: 4.0, visibility: Visibility::Exact }
    }
}

/// How it is found out whether the shortest way from a vertex to a bone stays inside the body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// By following it through the mesh.
    #[default]
    Exact,
    /// By whether it sets out inwards, judged by the vertex's normal. Blind to what comes after.
    Cheap,
    /// Not at all: every vertex sees every bone.
    Off,
}

/// A way may set out this far outwards (as a cosine) and still count as inwards. Larger: flat backs see
/// the bones in front of them. Smaller: on flat parts, rounding decides.
const GRAZING: f64 = 0.02;

/// Vertices between two reports of progress.
const STEP: usize = 512;

/// Weights per bone by distance.
///
/// # Errors
/// [`Cancelled`] when `progress` says so.
///
/// # Panics
/// When there are vertices but no bone.
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
    let mut seer = Seer::new(options.visibility, geometry, bones);
    let mut rows = Rows::default();
    let mut unseen = 0;
    let mut pulls: Vec<Pull> = Vec::with_capacity(bones.len());
    for (vertex, position) in positions.iter().enumerate() {
        if vertex % STEP == 0 {
            progress.step(vertex, positions.len())?;
        }
        pulls.clear();
        let pull = |(bone, of): (usize, &Bone)| {
            Pull::on(position.as_dvec3(), bone as u32, of, falloff.clamp(fewest, most))
        };
        pulls.extend(bones.iter().enumerate().map(pull));
        let shares = visible_shares(&mut pulls, |pull| seer.sees(vertex, pull));
        if shares.is_empty() {
            unseen += 1;
            let nearest = pulls.iter().reduce(|best, pull| if pull.is_nearer(best) { pull } else { best });
            rows.push(&nearest.map(|pull| (pull.bone, 1.0)).into_iter().collect::<Vec<_>>());
        } else {
            rows.push(&shares);
        }
    }
    progress.step(positions.len(), positions.len())?;
    if unseen > 0 {
        report.warn(Warning::UnseenVertices { vertices: unseen });
    }
    let border_edges = geometry.topology().border_edges();
    if border_edges > 0 && options.visibility == Visibility::Exact {
        report.warn(Warning::OpenMesh { border_edges });
    }
    Ok(rows.into_weights(bones.len()))
}

/// What one bone wants of one vertex.
struct Pull {
    bone: u32,
    /// How far along the bone its nearest point is, from 0 at the head to 1 at the tail.
    share: f64,
    /// To the nearest point.
    way: DVec3,
    distance: f64,
    /// `a · (ln l − ln d)`: logarithms, because (l/d)^a overflows.
    strength: f64,
    /// `a · ln l`: decides between bones that all run through the vertex.
    size: f64,
}

impl Pull {
    fn on(position: DVec3, bone: u32, of: &Bone, falloff: f64) -> Self {
        let (head, tail) = (of.head.as_dvec3(), of.tail.as_dvec3());
        let along = tail - head;
        let share = ((position - head).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        let way = head + along * share - position;
        let distance = way.length();
        let size = falloff * along.length().ln();
        Self { bone, share, way, distance, strength: size - falloff * distance.ln(), size }
    }

    fn is_nearer(&self, than: &Self) -> bool {
        self.distance.total_cmp(&than.distance).then(self.bone.cmp(&than.bone)).is_lt()
    }
}

/// The shares of the bones that are seen, by bone; the strongest are asked for first, and those too weak to
/// matter beside one already seen are not asked for at all.
fn visible_shares(pulls: &mut [Pull], mut sees: impl FnMut(&Pull) -> bool) -> Vec<(u32, f64)> {
    if pulls.iter().any(|pull| pull.distance == 0.0) {
        return shares_on_bone(pulls);
    }
    sort_few(pulls, |a, b| b.strength.total_cmp(&a.strength).then(a.bone.cmp(&b.bone)));
    let least = LEAST_SHARE.ln();
    let mut shares: Vec<(u32, f64)> = Vec::new();
    let mut strongest = None;
    for pull in pulls.iter() {
        if strongest.is_some_and(|strongest: f64| pull.strength < strongest + least) {
            break;
        }
        if sees(pull) {
            let strongest = *strongest.get_or_insert(pull.strength);
            shares.push((pull.bone, (pull.strength - strongest).exp()));
        }
    }
    sort_few(&mut shares, |a, b| a.0.cmp(&b.0));
    shares
}

/// Of a vertex that lies on bones: what the formula tends to as all their distances go to zero together.
fn shares_on_bone(pulls: &[Pull]) -> Vec<(u32, f64)> {
    let through = || pulls.iter().filter(|pull| pull.distance == 0.0);
    let largest = through().map(|pull| pull.size).fold(f64::NEG_INFINITY, f64::max);
    through().map(|pull| (pull.bone, (pull.size - largest).exp())).collect()
}

enum Seer<'a> {
    Exact(BoneVisibility<'a>),
    Cheap(&'a MeshGeometry),
    Off,
}

impl<'a> Seer<'a> {
    fn new(visibility: Visibility, geometry: &'a MeshGeometry, bones: &'a [Bone]) -> Self {
        match visibility {
            Visibility::Exact => Self::Exact(BoneVisibility::new(geometry, bones)),
            Visibility::Cheap => Self::Cheap(geometry),
            Visibility::Off => Self::Off,
        }
    }

    fn sees(&mut self, vertex: usize, pull: &Pull) -> bool {
        match self {
            Self::Exact(sight) => sight.sees(vertex, pull.bone as usize, pull.share as f32),
            Self::Cheap(geometry) => {
                let normal = geometry.normals()[vertex].as_dvec3();
                let outwards = match geometry.components().kind(geometry.components().of_vertex(vertex)) {
                    ComponentKind::Outward => pull.way.dot(normal),
                    ComponentKind::Inward => -pull.way.dot(normal),
                    ComponentKind::Sheet => return true,
                };
                outwards <= GRAZING * pull.distance
            }
            Self::Off => true,
        }
    }
}
