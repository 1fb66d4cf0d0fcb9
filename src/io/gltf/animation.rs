//! Reads animations of joints and of the weights of morph targets. Channels with other targets stay
//! in the document and are ignored here.

use std::ops::Range;

use glam::{DQuat, DVec3};

use super::schema::{Animation, Channel, Sampler};
use super::skin::Skins;
use super::{Loaded, Result, malformed, warn};
use crate::model::{Clip, Interpolation, MorphTrack, Track, TrackValues};
use crate::report::Report;

/// Reads every animation that has a channel for a joint or for the weights of a node of `morphs`,
/// which has the targets of its parts. An invalid channel is skipped with a warning.
pub(super) fn read_clips(
    loaded: &Loaded,
    skins: &Skins,
    morphs: &[(usize, Range<usize>)],
    report: &mut Report,
) -> Vec<Clip> {
    if skins.joints.is_empty() {
        return Vec::new();
    }
    let mut clips = Vec::new();
    for (index, animation) in loaded.document.animations.iter().enumerate() {
        let mut clip = Clip {
            name: animation.name.clone().unwrap_or_else(|| format!("clip {index}")),
            ..Clip::default()
        };
        for (number, channel) in animation.channels.iter().enumerate() {
            let place = format!("animations[{index}].channels[{number}]");
            let Some(node) = channel.target.node else { continue };
            let read = if channel.target.path == "weights" {
                let mut targets =
                    morphs.iter().filter(|(other, _)| *other == node).map(|(_, targets)| targets);
                targets.try_for_each(|targets| {
                    let track = read_morph_track(loaded, animation, channel, targets, &place)?;
                    clip.morph_tracks.push(track);
                    Ok(())
                })
            } else {
                let Some(joint) = skins.joint_of_node.get(node).copied().flatten() else { continue };
                let track = read_track(loaded, animation, channel, joint, &place);
                track.map(|track| clip.tracks.extend(track.filter(|track| !has_track_for(&clip, track))))
            };
            if let Err(error) = read {
                warn(report, place, format!("this channel was skipped: {error}"));
            }
        }
        if !clip.tracks.is_empty() || !clip.morph_tracks.is_empty() {
            clips.push(clip);
        }
    }
    clips
}

fn has_track_for(clip: &Clip, track: &Track) -> bool {
    let property = std::mem::discriminant(&track.values);
    clip.tracks
        .iter()
        .any(|other| other.joint == track.joint && std::mem::discriminant(&other.values) == property)
}

fn read_track(
    loaded: &Loaded,
    animation: &Animation,
    channel: &Channel,
    joint: usize,
    place: &str,
) -> Result<Option<Track>> {
    let (sampler, interpolation) = sampler_of(animation, channel, place)?;
    let vectors = || -> Result<Vec<DVec3>> {
        let values = loaded.floats::<3>(sampler.output, place)?;
        Ok(values.into_iter().map(|v| DVec3::from_array(v.map(f64::from))).collect())
    };
    let values = match channel.target.path.as_str() {
        "translation" => TrackValues::Translation(vectors()?),
        "scale" => TrackValues::Scale(vectors()?),
        "rotation" => TrackValues::Rotation(rotations(loaded, sampler.output, interpolation, place)?),
        _ => return Ok(None),
    };
    let times: Vec<f32> = loaded.floats::<1>(sampler.input, place)?.into_iter().map(|[t]| t).collect();
    let are_finite = match &values {
        TrackValues::Translation(v) | TrackValues::Scale(v) => v.iter().all(|v| v.is_finite()),
        TrackValues::Rotation(v) => v.iter().all(|q| q.is_finite()),
    };
    check_keys(&times, [values.len(), 1], are_finite, interpolation, place)?;
    Ok(Some(Track { joint, times, interpolation, values }))
}

fn read_morph_track(
    loaded: &Loaded,
    animation: &Animation,
    channel: &Channel,
    targets: &Range<usize>,
    place: &str,
) -> Result<MorphTrack> {
    let (sampler, interpolation) = sampler_of(animation, channel, place)?;
    let times = loaded.floats::<1>(sampler.input, place)?.into_flattened();
    let values = loaded.floats::<1>(sampler.output, place)?.into_flattened();
    let are_finite = values.iter().all(|weight| weight.is_finite());
    check_keys(&times, [values.len(), targets.len()], are_finite, interpolation, place)?;
    Ok(MorphTrack { first: targets.start, times, interpolation, values })
}

fn sampler_of<'a>(
    animation: &'a Animation,
    channel: &Channel,
    place: &str,
) -> Result<(&'a Sampler, Interpolation)> {
    let sampler = animation
        .samplers
        .get(channel.sampler)
        .ok_or_else(|| malformed(place, format!("sampler {} does not exist", channel.sampler)))?;
    let interpolation = match sampler.interpolation.as_deref() {
        Some("STEP") => Interpolation::Step,
        Some("CUBICSPLINE") => Interpolation::Cubic,
        _ => Interpolation::Linear,
    };
    Ok((sampler, interpolation))
}

fn rotations(
    loaded: &Loaded,
    output: usize,
    interpolation: Interpolation,
    place: &str,
) -> Result<Vec<DQuat>> {
    let values = loaded.floats::<4>(output, place)?;
    let unit = |(i, v): (usize, [f32; 4])| {
        let q = DQuat::from_array(v.map(f64::from));
        // A cubic spline has three values per key: in-tangent, value, out-tangent. Only values are
        // normalised.
        let is_tangent = interpolation == Interpolation::Cubic && i % 3 != 1;
        if is_tangent || q.length_squared() == 0.0 { q } else { q.normalize() }
    };
    Ok(values.into_iter().enumerate().map(unit).collect())
}

/// Checks the keys of a track with `values` values, `width` for each.
fn check_keys(
    times: &[f32],
    [values, width]: [usize; 2],
    are_finite: bool,
    interpolation: Interpolation,
    place: &str,
) -> Result<()> {
    let per_key = if interpolation == Interpolation::Cubic { 3 * width } else { width };
    if times.is_empty() || values != per_key * times.len() {
        return Err(malformed(place, format!("{} keys but {values} values", times.len())));
    }
    if !times.iter().all(|t| t.is_finite()) || times.windows(2).any(|w| w[0] >= w[1]) {
        return Err(malformed(place, "its key times are not increasing"));
    }
    if are_finite { Ok(()) } else { Err(malformed(place, "a key value is not finite")) }
}
