//! Bone glow (Wareham and Lasenby 2008; docs/theory/bone-glow.md): diffusion from the light of all
//! visible bones.
//!
//! In: [`MeshGeometry`] of the solve mesh and bones. Out: one column per bone. Each vertex receives
//! the light ([`Beam`]) of all visible bones. Its shares of light replace the single nearest bone
//! of bone heat, with the same conductance (`H = c / d²`), and then diffuse over the surface
//! ([`diffuse`]) unless diffusion is off. Cost: vertices × bones for the light, and a few BVH
//! traversals for every pair that matters.
//!
//! - Visibility is the strict test of bone heat (docs/theory.md#visibility).
//! - A vertex without light, or on a bone, follows the nearest bones of bone heat.
//! - Bones are tested in the order of the light they would give if nothing hid them. Where a bone
//!   and all fainter ones together could add little to the light of brighter ones, they fade out
//!   (`fading`).
//! - A virtual tail is short and would give hardly any light. For the light, such a bone is
//!   extended by half of the distance from its tail to the surface ([`extended_bones`]).
//!   CesiumMan's heaviest joint is then the artist's for 0.89 instead of 0.52 of the vertices.
//! - Vertices of sheets have no outward normal (a Möbius strip has no sides at all). They count as
//!   facing every bone.

mod beam;
mod fading;

use glam::DVec3;
use serde::{Deserialize, Serialize};

pub use beam::{Beam, Line};
use fading::Fading;

use super::bone_heat::{Heat, Nearness, SOURCES_PROGRESS, attachments, conductance_of};
use super::diffuse::{Sources, diffuse};
use super::input_checks;
use super::nearest::BoneSegments;
use super::rows::Rows;
use crate::math::{sort_by_keys, sort_few};
use crate::model::{Bone, Skeleton, Tail, Weights};
use crate::operators::bvh::{Bvh4, Ray};
use crate::operators::{MeshGeometry, morton_order};
use crate::progress::{Cancelled, Progress};
use crate::report::Report;
use crate::segment::{BoneVisibility, RecentOccluders};

/// Options of [`bone_glow`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(default, deny_unknown_fields)]
pub struct Glow {
    /// Whether light diffuses over the surface.
    pub diffusion: Diffusion,
    /// See [`Heat::conductance`]; has no effect without diffusion.
    pub conductance: f64,
}

impl Default for Glow {
    /// Four times the conductance of bone heat. The light is smooth already; diffused as far as
    /// heat, the arms get back a fifth of the chest that the method had taken from them.
    fn default() -> Self {
        Self { diffusion: Diffusion::On, conductance: 4.0 * Heat::default().conductance }
    }
}

/// Whether light diffuses over the surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum Diffusion {
    /// It does, as in the paper.
    #[default]
    On,
    /// Weights are the shares of light: the inset pictures of the paper.
    Off,
}

/// A bone whose light times its length is below this gives no light to a vertex. Larger: small
/// bones far away are lost. Smaller: a vertex collinear with all bones, which get no light at all,
/// is lit by rounding errors.
const MIN_LIGHT: f64 = 1e-6;

/// Parameters of the sample points that are tested first, on the interval of a bone that a vertex
/// faces. A bone hidden at all of them is not visible. More: bones behind narrower gaps are found.
/// Fewer: faster.
const SAMPLE_PARAMETERS: [f64; 3] = [0.5, 0.05, 0.95];

/// How far a bone with a virtual tail is extended, as a fraction of the distance from its tail to
/// the surface. Larger: crowns and fingertips get too much light. Smaller: heads on short necks are
/// lit by the shoulders.
const TAIL_EXTENSION: f32 = 0.5;

/// Fraction of the search for sources that is done when the nearest bones are known.
const NEAREST_PROGRESS: f64 = 0.25;

/// Number of vertices between two progress reports.
const PROGRESS_STEP: usize = 256;

/// Computes bone glow weights per bone.
///
/// # Errors
/// [`Cancelled`] if `progress` cancels.
///
/// # Panics
/// If there are vertices but no bone.
pub fn bone_glow(
    geometry: &MeshGeometry,
    skeleton: &Skeleton,
    options: &Glow,
    report: &mut Report,
    progress: &mut Progress,
) -> Result<Weights, Cancelled> {
    let bones = skeleton.bones().len();
    let sources = glow_sources(geometry, skeleton, options, report, progress)?;
    progress.span(SOURCES_PROGRESS, 1.0);
    match options.diffusion {
        Diffusion::On => Ok(diffuse(geometry, &sources, bones, progress)?.weights()),
        Diffusion::Off => Ok(undiffused_weights(geometry, skeleton, &sources)),
    }
}

/// Computes `H` and `p`: as for bone heat, with the shares of light as p.
///
/// # Errors
/// [`Cancelled`] if `progress` cancels.
///
/// # Panics
/// If there are vertices but no bone.
pub fn glow_sources(
    geometry: &MeshGeometry,
    skeleton: &Skeleton,
    options: &Glow,
    report: &mut Report,
    progress: &mut Progress,
) -> Result<Sources, Cancelled> {
    let visibility = BoneVisibility::new(geometry, skeleton.bones());
    let boxes = Bvh4::of(geometry.bvh());
    input_checks::warn_of_input(geometry, skeleton, &visibility, report);
    progress.span(0.0, SOURCES_PROGRESS * NEAREST_PROGRESS);
    let attached = attachments(skeleton, &visibility, &boxes, Nearness::Facing, report, progress)?;
    progress.span(SOURCES_PROGRESS * NEAREST_PROGRESS, SOURCES_PROGRESS);
    let bones = extended_bones(geometry, skeleton.bones());
    let visibility = BoneVisibility::new(geometry, &bones);
    let mut bone_lights = BoneLights::of(geometry, &boxes, &bones);
    let mut light = vec![Vec::new(); attached.len()];
    for (done, vertex) in morton_order(geometry.mesh().positions()).into_iter().enumerate() {
        if done % PROGRESS_STEP == 0 {
            progress.step(done, attached.len())?;
        }
        // Without diffusion, vertices with H = 0 need shares of their own as well.
        if !attached[vertex as usize].bones.is_empty() || options.diffusion == Diffusion::Off {
            light[vertex as usize] = bone_lights.shares(vertex as usize, &visibility);
        }
    }
    progress.step(attached.len(), attached.len())?;
    let mut sources = Sources::default();
    for (nearest, mut shares) in attached.iter().zip(light) {
        if shares.is_empty() {
            let share = 1.0 / nearest.bones.len() as f64;
            shares = nearest.bones.iter().map(|&bone| (bone, share)).collect();
        }
        sources.push(conductance_of(nearest, options.conductance), &shares);
    }
    input_checks::warn_of_idle_joints(skeleton, &sources, report);
    Ok(sources)
}

/// The bones for the light: those with a virtual tail are extended by [`TAIL_EXTENSION`].
fn extended_bones(geometry: &MeshGeometry, bones: &[Bone]) -> Vec<Bone> {
    let prolonged = |bone: &Bone| {
        let ray = Ray::new(bone.tail, bone.tail - bone.head);
        let skin = geometry.bvh().first_hit(&ray).filter(|_| bone.end == Tail::Virtual);
        let beyond = skin.map_or(0.0, |hit| TAIL_EXTENSION * hit.along);
        Bone { tail: bone.tail + ray.direction * beyond, ..*bone }
    };
    bones.iter().map(prolonged).collect()
}

/// The shares of light as weights; vertices without light follow the nearest bone.
fn undiffused_weights(geometry: &MeshGeometry, skeleton: &Skeleton, sources: &Sources) -> Weights {
    let mut segments = BoneSegments::new(skeleton.bones());
    let mut rows = Rows::default();
    for (vertex, position) in geometry.mesh().positions().iter().enumerate() {
        match sources.of(vertex) {
            [] => {
                let nearest = segments.nearest_visible(position.as_dvec3(), DVec3::ZERO, |_, _| true);
                rows.push(&nearest.bones.iter().map(|&bone| (bone, 1.0)).collect::<Vec<_>>());
            }
            shares => rows.push(shares),
        }
    }
    rows.into_weights(skeleton.bones().len())
}

struct BoneLights<'a> {
    geometry: &'a MeshGeometry,
    bones: &'a [Bone],
    lines: Vec<Line>,
    bvh: &'a Bvh4<'a>,
    /// For the current vertex: bone and beam.
    beams: Vec<(u32, Beam)>,
    /// The beams with light: their index, and their light if nothing hides them.
    brightest: Vec<(u32, f64)>,
    fading: Fading,
    /// For the current bone: its hidden intervals.
    hidden: Vec<[f64; 2]>,
    /// What the previous vertex, which is mostly close, found of each bone. For speed only; no
    /// result depends on it.
    last: Vec<LastVisibility>,
}

/// The last visibility result of a bone.
#[derive(Clone, Default)]
struct LastVisibility {
    is_visible: bool,
    /// The triangles that hid its [`SAMPLE_PARAMETERS`].
    occluders: [RecentOccluders; SAMPLE_PARAMETERS.len()],
}

impl<'a> BoneLights<'a> {
    fn of(geometry: &'a MeshGeometry, bvh: &'a Bvh4<'a>, bones: &'a [Bone]) -> Self {
        Self {
            geometry,
            bones,
            lines: bones
                .iter()
                .map(|bone| Line::between(bone.head.as_dvec3(), bone.tail.as_dvec3()))
                .collect(),
            bvh,
            beams: Vec::new(),
            brightest: Vec::new(),
            fading: Fading::default(),
            hidden: Vec::new(),
            last: vec![LastVisibility::default(); bones.len()],
        }
    }

    /// The shares of light of a vertex, by bone; empty if it receives none.
    fn shares(&mut self, vertex: usize, visibility: &BoneVisibility<'_>) -> Vec<(u32, f64)> {
        let position = self.geometry.mesh().positions()[vertex].as_dvec3();
        let normal = visibility.outward_normal(vertex);
        self.beams.clear();
        self.brightest.clear();
        for (bone, (of, line)) in self.bones.iter().zip(&self.lines).enumerate() {
            let beam = if normal == DVec3::ZERO {
                Beam::without_normal(line, position)
            } else {
                Beam::new(line, position, normal)
            };
            if beam.passes_through_vertex() {
                return Vec::new();
            }
            let whole = beam.unoccluded();
            if whole * f64::from(of.length()) > MIN_LIGHT && !beam.is_grazing(whole) {
                self.brightest.push((self.beams.len() as u32, whole));
                self.beams.push((bone as u32, beam));
            }
        }
        // All are positive, so their bits sort like the numbers; of equals the first bone comes
        // first.
        sort_by_keys(&mut self.brightest, |&(_, whole)| !whole.to_bits());
        self.fading.start(self.brightest.iter().map(|&(_, whole)| whole).sum());
        let mut shares = Vec::new();
        let brightest = std::mem::take(&mut self.brightest);
        for &(at, whole) in &brightest {
            let (bone, beam) = self.beams[at as usize];
            let kept = self.fading.kept(whole);
            if kept == 0.0 {
                break;
            }
            let light = kept * self.light(vertex, bone as usize, &beam, visibility);
            self.fading.add(whole, light);
            if light > 0.0 {
                shares.push((bone, light));
            }
        }
        self.brightest = brightest;
        shares.iter_mut().for_each(|share| share.1 /= self.fading.found());
        sort_few(&mut shares, |a, b| a.0.cmp(&b.0));
        shares
    }

    /// The light of a bone on a vertex.
    fn light(&mut self, vertex: usize, bone: usize, beam: &Beam, visibility: &BoneVisibility<'_>) -> f64 {
        let Self { bvh, hidden, last, .. } = self;
        let last = &mut last[bone];
        let Some(facing_interval) = beam.facing_interval() else { return 0.0 };
        if !last.is_visible && last.is_hidden_at_samples(bvh, vertex, bone, facing_interval, visibility) {
            return 0.0;
        }
        visibility.hidden(bvh, vertex, bone, facing_interval, hidden);
        last.is_visible = !hides_all_samples(hidden, facing_interval);
        if last.is_visible { beam.light_except(hidden) } else { 0.0 }
    }
}

impl LastVisibility {
    /// Whether a bone is hidden at all [`SAMPLE_PARAMETERS`] of the interval that a vertex faces.
    fn is_hidden_at_samples(
        &mut self,
        bvh: &Bvh4<'_>,
        vertex: usize,
        bone: usize,
        facing_interval: [f64; 2],
        visibility: &BoneVisibility<'_>,
    ) -> bool {
        let mut samples = SAMPLE_PARAMETERS.iter().zip(&mut self.occluders);
        samples.all(|(parameter, occluders)| {
            !visibility.is_clear_cached(occluders, bvh, vertex, bone, at(facing_interval, *parameter) as f32)
        })
    }
}

/// The same, from the hidden intervals.
fn hides_all_samples(hidden: &[[f64; 2]], facing_interval: [f64; 2]) -> bool {
    let is_hidden = |parameter: f64| hidden.iter().any(|&[from, to]| from <= parameter && parameter <= to);
    SAMPLE_PARAMETERS.iter().all(|parameter| is_hidden(at(facing_interval, *parameter)))
}

fn at([from, to]: [f64; 2], share: f64) -> f64 {
    from + (to - from) * share
}
