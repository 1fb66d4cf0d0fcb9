//! Bone glow (Wareham and Lasenby 2008): bones shine, and skin follows those it is lit by.
//!
//! In: [`MeshGeometry`] of the solve mesh and bones. Out: one column per bone. Each vertex collects the light ([`Beam`]) of
//! all bones it sees from inside; its shares replace bone heat's single nearest bone, held as strongly as there
//! (`H = c / d²`), and then heat spreads over the skin ([`diffuse`]), unless it is told not to. Cost: vertices × bones
//! for the light, and a few walks through the tree of boxes for every pair that matters.
//!
//! - "Sees" is as strict as for bone heat: no skin is entered on the way.
//! - A vertex without light, or on a bone, follows bone heat's nearest bones.
//! - Bones are looked for in the order of the light they would give if nothing were in their way. Once what is left could
//!   not add up to [`NEGLIGIBLE`] of what is seen, it is not looked for.
//! - A virtual tail is a stub that only says where a leaf points. By its few millimetres a head would get no light of its own,
//!   so it shines half of the way on to the skin ([`shining`]). CesiumMan's heaviest joint is then the artist's on 0.89 instead
//!   of 0.52 of the vertices.
//! - Sheets have no inside, so no side that faces away from it (a Möbius strip has no sides at all): they count as facing
//!   every bone squarely.

mod beam;

use glam::DVec3;
use serde::{Deserialize, Serialize};

pub use beam::{Beam, Line};

use super::bone_heat::{FOUND, Heat, Nearness, held_by, hold};
use super::diffuse::{Sources, diffuse};
use super::nearest::Segments;
use super::oddities;
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
    /// Whether light spreads over the skin.
    pub diffusion: Diffusion,
    /// As [`Heat::conductance`]; of no effect without diffusion.
    pub conductance: f64,
}

impl Default for Glow {
    /// Holds four times as strongly as heat: light is smooth already, and spread as far as heat it gives the arms
    /// back a fifth of the chest that it had taken from them.
    fn default() -> Self {
        Self { diffusion: Diffusion::On, conductance: 4.0 * Heat::default().conductance }
    }
}

/// Whether light spreads over the skin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum Diffusion {
    /// It does, as in the paper.
    #[default]
    On,
    /// Weights are the shares of light as received: the paper's inset pictures.
    Off,
}

/// Light that may be missed, as a share of a vertex's light. Larger: quicker, and distant bones lose their share. Smaller:
/// every bone is looked for from everywhere. At 0.02 artists are met no better, and it takes a quarter longer.
const NEGLIGIBLE: f64 = 0.05;

/// A bone whose light times its length is below this does not shine on a vertex. Larger: small bones far away go out.
/// Smaller: a vertex exactly in line with all bones, which they do not light at all, is lit by rounding errors.
const DARK: f64 = 1e-6;

/// Where a vertex looks at first, as shares of the stretch of bone it faces: a bone hidden at all of them is out of sight.
/// More: bones behind narrower slits are found. Fewer: quicker.
const PLACES: [f64; 3] = [0.5, 0.05, 0.95];

/// How far a virtual bone shines beyond its tail, as a share of the way on to the skin. Larger: crowns and fingertips
/// outshine what is below them. Smaller: heads on short necks are lit by the shoulders.
const TOWARDS_SKIN: f32 = 0.5;

/// Of the search for sources, the share that is done when the nearest bones are known.
const HELD: f64 = 0.25;

/// Vertices between two reports of progress.
const STEP: usize = 256;

/// Weights per bone by the light of bones.
///
/// # Errors
/// [`Cancelled`] when `progress` says so.
///
/// # Panics
/// When there are vertices but no bone.
pub fn bone_glow(
    geometry: &MeshGeometry,
    skeleton: &Skeleton,
    options: &Glow,
    report: &mut Report,
    progress: &mut Progress,
) -> Result<Weights, Cancelled> {
    let bones = skeleton.bones().len();
    let sources = glow_sources(geometry, skeleton, options, report, progress)?;
    progress.span(FOUND, 1.0);
    match options.diffusion {
        Diffusion::On => Ok(diffuse(geometry, &sources, bones, progress)?.weights()),
        Diffusion::Off => Ok(as_received(geometry, skeleton, &sources)),
    }
}

/// What holds the skin: as bone heat's, with the shares of light for p.
///
/// # Errors
/// [`Cancelled`] when `progress` says so.
///
/// # Panics
/// When there are vertices but no bone.
pub fn glow_sources(
    geometry: &MeshGeometry,
    skeleton: &Skeleton,
    options: &Glow,
    report: &mut Report,
    progress: &mut Progress,
) -> Result<Sources, Cancelled> {
    let mut sight = BoneVisibility::new(geometry, skeleton.bones());
    oddities::report(geometry, skeleton, &sight, report);
    progress.span(0.0, FOUND * HELD);
    let held = held_by(geometry, skeleton, &mut sight, Nearness::Facing, report, progress)?;
    progress.span(FOUND * HELD, FOUND);
    let bones = shining(geometry, skeleton.bones());
    let sight = BoneVisibility::new(geometry, &bones);
    let mut lights = Lights::of(geometry, &bones);
    let mut light = vec![Vec::new(); held.len()];
    for (done, vertex) in morton_order(geometry.mesh().positions()).into_iter().enumerate() {
        if done % STEP == 0 {
            progress.step(done, held.len())?;
        }
        // Without diffusion, also what holds nothing needs shares of its own.
        if !held[vertex as usize].bones.is_empty() || options.diffusion == Diffusion::Off {
            light[vertex as usize] = lights.shares(vertex as usize, &sight);
        }
    }
    progress.step(held.len(), held.len())?;
    let mut sources = Sources::default();
    for (near, mut shares) in held.iter().zip(light) {
        if shares.is_empty() {
            let share = 1.0 / near.bones.len() as f64;
            shares = near.bones.iter().map(|&bone| (bone, share)).collect();
        }
        sources.push(hold(near, options.conductance), &shares);
    }
    oddities::report_idle(skeleton, &sources, report);
    Ok(sources)
}

/// The bones as they shine: virtual ones [`TOWARDS_SKIN`] beyond their tails.
fn shining(geometry: &MeshGeometry, bones: &[Bone]) -> Vec<Bone> {
    let prolonged = |bone: &Bone| {
        let way = Ray::new(bone.tail, bone.tail - bone.head);
        let skin = geometry.bvh().first_hit(&way).filter(|_| bone.end == Tail::Virtual);
        let beyond = skin.map_or(0.0, |hit| TOWARDS_SKIN * hit.along);
        Bone { tail: bone.tail + way.direction * beyond, ..*bone }
    };
    bones.iter().map(prolonged).collect()
}

/// The shares of light by themselves; vertices without any follow the nearest bone.
fn as_received(geometry: &MeshGeometry, skeleton: &Skeleton, sources: &Sources) -> Weights {
    let mut segments = Segments::new(skeleton.bones());
    let mut rows = Rows::default();
    for (vertex, position) in geometry.mesh().positions().iter().enumerate() {
        match sources.of(vertex) {
            [] => {
                let near = segments.nearest_seen(position.as_dvec3(), DVec3::ZERO, |_, _| true);
                rows.push(&near.bones.iter().map(|&bone| (bone, 1.0)).collect::<Vec<_>>());
            }
            shares => rows.push(shares),
        }
    }
    rows.into_weights(skeleton.bones().len())
}

struct Lights<'a> {
    geometry: &'a MeshGeometry,
    bones: &'a [Bone],
    lines: Vec<Line>,
    boxes: Bvh4<'a>,
    /// Of the vertex in hand: bone and beam.
    beams: Vec<(u32, Beam)>,
    /// Which of these are bright: their place, and what they give if nothing is in their way.
    brightest: Vec<(u32, f64)>,
    /// Of the bone in hand: what skin hides of it.
    hidden: Vec<[f64; 2]>,
    /// What was found of each bone from the vertex before, which is mostly near: for haste only, no answer depends on it.
    last: Vec<Last>,
}

/// What was found of a bone last.
#[derive(Clone, Copy)]
struct Last {
    is_seen: bool,
    /// What hid its [`PLACES`].
    walls: [RecentOccluders; PLACES.len()],
}

impl<'a> Lights<'a> {
    fn of(geometry: &'a MeshGeometry, bones: &'a [Bone]) -> Self {
        let last = Last { is_seen: false, walls: [RecentOccluders::default(); PLACES.len()] };
        Self {
            geometry,
            bones,
            lines: bones
                .iter()
                .map(|bone| Line::between(bone.head.as_dvec3(), bone.tail.as_dvec3()))
                .collect(),
            boxes: Bvh4::of(geometry.bvh()),
            beams: Vec::new(),
            brightest: Vec::new(),
            hidden: Vec::new(),
            last: vec![last; bones.len()],
        }
    }

    /// The shares of the bones that shine on a vertex, by bone; none where it is dark.
    fn shares(&mut self, vertex: usize, sight: &BoneVisibility<'_>) -> Vec<(u32, f64)> {
        let position = self.geometry.mesh().positions()[vertex].as_dvec3();
        let outwards = sight.outward_normal(vertex);
        self.beams.clear();
        self.brightest.clear();
        for (bone, (of, line)) in self.bones.iter().zip(&self.lines).enumerate() {
            let beam = if outwards == DVec3::ZERO {
                Beam::squarely(line, position)
            } else {
                Beam::new(line, position, outwards)
            };
            if beam.runs_through() {
                return Vec::new();
            }
            let whole = beam.unhindered();
            if whole * f64::from(of.length()) > DARK && !beam.is_grazing(whole) {
                self.brightest.push((self.beams.len() as u32, whole));
                self.beams.push((bone as u32, beam));
            }
        }
        // All are above zero, where bits sort as numbers do; of equals the first bone first.
        sort_by_keys(&mut self.brightest, |&(_, whole)| !whole.to_bits());
        let mut left: f64 = self.brightest.iter().map(|&(_, whole)| whole).sum();
        let mut seen = 0.0;
        let mut shares = Vec::new();
        for &(at, whole) in &self.brightest {
            let (bone, beam) = &self.beams[at as usize];
            if left <= NEGLIGIBLE * seen {
                break;
            }
            left -= whole;
            let Some(faced) = beam.faced() else { continue };
            let last = &mut self.last[*bone as usize];
            if !last.is_seen && last.is_out_of_sight(&self.boxes, vertex, *bone as usize, faced, sight) {
                continue;
            }
            sight.hidden(&self.boxes, vertex, *bone as usize, faced, &mut self.hidden);
            last.is_seen = !hides_all_places(&self.hidden, faced);
            let light = if last.is_seen { beam.received(&mut self.hidden) } else { 0.0 };
            if light > 0.0 {
                seen += light;
                shares.push((*bone, light));
            }
        }
        shares.iter_mut().for_each(|share| share.1 /= seen);
        sort_few(&mut shares, |a, b| a.0.cmp(&b.0));
        shares
    }
}

impl Last {
    /// Whether a bone is hidden at all [`PLACES`] of the stretch that a vertex faces.
    fn is_out_of_sight(
        &mut self,
        boxes: &Bvh4<'_>,
        vertex: usize,
        bone: usize,
        faced: [f64; 2],
        sight: &BoneVisibility<'_>,
    ) -> bool {
        let mut places = PLACES.iter().zip(&mut self.walls);
        places.all(|(place, walls)| {
            !sight.is_clear_cached(walls, boxes, vertex, bone, at(faced, *place) as f32)
        })
    }
}

/// The same, where it is known what is hidden.
fn hides_all_places(hidden: &[[f64; 2]], faced: [f64; 2]) -> bool {
    let is_hidden = |place: f64| hidden.iter().any(|&[from, to]| from <= place && place <= to);
    PLACES.iter().all(|place| is_hidden(at(faced, *place)))
}

fn at([from, to]: [f64; 2], share: f64) -> f64 {
    from + (to - from) * share
}
