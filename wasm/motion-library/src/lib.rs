//! The WebAssembly module that makes and retargets clips, loaded when a character needs one.
#![cfg(target_arch = "wasm32")]

use glam::{DQuat, DVec3, Vec3};
use pliant_motion::body::Body;
use pliant_motion::retarget::Root;
use pliant_motion::skeleton::{Clip, Interpolation, Joint, Skeleton, Track, Values};
use serde::Deserialize;
use wasm_bindgen::prelude::*;

/// What the solver module sends of a skeleton and its clips.
#[derive(Deserialize)]
struct Meta {
    skeleton: Option<Joints>,
    #[serde(default)]
    clips: Vec<ClipMeta>,
}

#[derive(Deserialize)]
struct Joints {
    joints: Vec<Joint>,
}

#[derive(Deserialize)]
struct ClipMeta {
    name: String,
    tracks: Vec<TrackMeta>,
}

/// The values of a track are in the array of keys: its times, then its values.
#[derive(Deserialize)]
struct TrackMeta {
    joint: usize,
    interpolation: String,
    property: String,
    times: usize,
    values: usize,
}

/// A clip for the character, as numbers: the number of tracks, and for each its joint, 0 for
/// translations or 1 for rotations, the number of keys, their times, and their values.
#[wasm_bindgen]
pub struct MadeClip {
    clip: Clip,
}

#[wasm_bindgen]
impl MadeClip {
    /// Its name.
    #[wasm_bindgen(getter)]
    pub fn name(&self) -> String {
        self.clip.name.clone()
    }

    /// Its length in seconds.
    #[wasm_bindgen(getter)]
    pub fn duration(&self) -> f32 {
        self.clip.duration()
    }

    /// The number of its tracks.
    #[wasm_bindgen(getter)]
    pub fn tracks(&self) -> usize {
        self.clip.tracks.len()
    }

    /// The numbers.
    pub fn numbers(&self) -> Vec<f64> {
        let mut numbers = vec![self.clip.tracks.len() as f64];
        for track in &self.clip.tracks {
            let (property, values): (f64, Vec<f64>) = match &track.values {
                Values::Translation(values) | Values::Scale(values) => {
                    (0.0, values.iter().flat_map(|v| v.to_array()).collect())
                }
                Values::Rotation(values) => (1.0, values.iter().flat_map(|q| q.to_array()).collect()),
            };
            numbers.extend([track.joint as f64, property, track.times.len() as f64]);
            numbers.extend(track.times.iter().map(|&time| f64::from(time)));
            numbers.extend(values);
        }
        numbers
    }
}

/// A character that is moved.
#[wasm_bindgen]
pub struct Mover {
    skeleton: Skeleton,
    positions: Vec<Vec3>,
}

#[wasm_bindgen]
impl Mover {
    /// Takes the description of a skeleton packet, and three numbers per vertex of the mesh at
    /// rest.
    ///
    /// # Errors
    /// If there is no skeleton.
    #[wasm_bindgen(constructor)]
    pub fn new(meta: JsValue, positions: &[f32]) -> Result<Self, JsValue> {
        let (skeleton, _) = read(meta, &[])?;
        Ok(Self { skeleton, positions: positions.as_chunks::<3>().0.iter().map(|&p| p.into()).collect() })
    }

    /// The names of the clips of the library that fit the character.
    pub fn library(&self) -> Vec<String> {
        let body = Body::of(&self.skeleton, &self.positions);
        body.map_or(Vec::new(), |body| body.library().into_iter().map(str::to_owned).collect())
    }

    /// A clip of the library.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn clip(&self, name: &str) -> Result<MadeClip, JsValue> {
        let body = Body::of(&self.skeleton, &self.positions);
        let clip = body.and_then(|body| body.library_clip(name, &self.positions, Root::InPlace));
        clip.map(|clip| MadeClip { clip })
            .ok_or_else(|| format!("the library has no clip “{name}” for it").into())
    }

    /// The clips of another skeleton on the character.
    ///
    /// # Errors
    /// If the two bodies are not of one kind, or there are no clips.
    pub fn retarget(&self, meta: JsValue, keys: &[f64], in_place: bool) -> Result<Vec<MadeClip>, JsValue> {
        let (source, clips) = read(meta, keys)?;
        let here = Body::of(&self.skeleton, &self.positions)
            .ok_or("the character is neither a person nor an animal")?;
        let there =
            Body::of(&source, &[]).ok_or("the motion is neither that of a person nor that of an animal")?;
        if clips.is_empty() {
            return Err("the file has no clip".into());
        }
        let root = if in_place { Root::InPlace } else { Root::Keep };
        let differ = || JsValue::from(format!("a {} cannot move like a {}", here.kind(), there.kind()));
        let carry = |clip: &Clip| {
            here.retarget(clip, &there, root).map(|clip| MadeClip { clip }).map_err(|_| differ())
        };
        clips.iter().map(carry).collect()
    }
}

/// A skeleton with its clips.
fn read(meta: JsValue, keys: &[f64]) -> Result<(Skeleton, Vec<Clip>), JsValue> {
    let meta: Meta = serde_wasm_bindgen::from_value(meta)
        .map_err(|error| format!("the skeleton cannot be read: {error}"))?;
    let joints = meta.skeleton.ok_or("there is no skeleton")?.joints;
    let skeleton = Skeleton::new(joints).ok_or("the joints are no hierarchy")?;
    let mut rest = keys;
    let count = skeleton.joints().len();
    let clips = meta.clips.into_iter().map(|clip| {
        let tracks = clip.tracks.iter().filter_map(|track| track.read(&mut rest));
        let tracks = tracks.filter(|track| track.joint < count).collect();
        Clip { name: clip.name, tracks }
    });
    let clips = clips.filter(|clip: &Clip| !clip.tracks.is_empty()).collect();
    Ok((skeleton, clips))
}

impl TrackMeta {
    fn read(&self, rest: &mut &[f64]) -> Option<Track> {
        let width = match self.property.as_str() {
            "Rotation" => 4,
            "Weights" => 1,
            _ => 3,
        };
        let times: Vec<f32> = take(rest, self.times)?.iter().map(|&time| time as f32).collect();
        let numbers = take(rest, self.values.checked_mul(width)?)?;
        let vectors = || numbers.as_chunks::<3>().0.iter().map(|&v| DVec3::from_array(v)).collect();
        let values = match self.property.as_str() {
            "Translation" => Values::Translation(vectors()),
            "Scale" => Values::Scale(vectors()),
            "Rotation" => {
                Values::Rotation(numbers.as_chunks::<4>().0.iter().map(|&q| DQuat::from_array(q)).collect())
            }
            _ => return None,
        };
        let interpolation = match self.interpolation.as_str() {
            "Step" => Interpolation::Step,
            "Cubic" => Interpolation::Cubic,
            _ => Interpolation::Linear,
        };
        let per_key = if interpolation == Interpolation::Cubic { 3 } else { 1 };
        let is_whole = !times.is_empty() && self.values == per_key * self.times;
        is_whole.then_some(Track { joint: self.joint, times, interpolation, values })
    }
}

fn take<'a>(rest: &mut &'a [f64], count: usize) -> Option<&'a [f64]> {
    let (taken, after) = rest.split_at_checked(count)?;
    *rest = after;
    Some(taken)
}
