//! The times at which a clip is sampled.

use crate::skeleton::{Clip, Interpolation};

/// Longest time between keys, in seconds. Between keys joints turn along arcs, while hands and
/// feet do not: longer gaps let feet slide.
const MAX_GAP: f64 = 1.0 / 30.0;

/// The same where keys are not joined by arcs.
const MAX_CURVED_GAP: f64 = 1.0 / 60.0;

/// The most keys. A clip with more is sampled evenly.
const MAX_KEYS: usize = 20_000;

/// The times of all keys, and times between keys that are far apart.
pub fn key_times(clip: &Clip) -> Vec<f32> {
    let mut keys: Vec<f32> = clip.tracks.iter().flat_map(|track| track.times.iter().copied()).collect();
    keys.retain(|time| time.is_finite() && *time >= 0.0);
    keys.push(0.0);
    keys.sort_by(f32::total_cmp);
    keys.dedup_by(|a, b| (*a - *b).abs() < 1e-5);
    let is_curved = clip.tracks.iter().any(|track| track.interpolation != Interpolation::Linear);
    let gap = if is_curved { MAX_CURVED_GAP } else { MAX_GAP };
    let mut times = Vec::new();
    for (index, &key) in keys.iter().enumerate() {
        if let Some(&before) = index.checked_sub(1).and_then(|before| keys.get(before)) {
            let seconds = f64::from(key) - f64::from(before);
            let parts = ((seconds / gap - 1e-3).ceil().max(1.0) as usize).min(MAX_KEYS);
            times.extend(
                (1..parts).map(|part| (f64::from(before) + seconds * part as f64 / parts as f64) as f32),
            );
        }
        times.push(key);
    }
    if times.len() > MAX_KEYS {
        let duration = f64::from(clip.duration());
        times = (0..MAX_KEYS).map(|key| (duration * key as f64 / (MAX_KEYS - 1) as f64) as f32).collect();
        times.dedup();
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::{Track, Values};

    #[test]
    fn keys_are_kept_and_gaps_are_filled() {
        let track = |times: Vec<f32>| {
            let values = Values::Translation(vec![glam::DVec3::ZERO; times.len()]);
            Track { joint: 0, times, interpolation: Interpolation::Linear, values }
        };
        let clip = Clip { name: String::new(), tracks: vec![track(vec![0.0, 1.0]), track(vec![0.01, 0.5])] };
        let times = key_times(&clip);
        for key in [0.0, 0.01, 0.5, 1.0] {
            assert!(times.contains(&key), "{key}");
        }
        assert!(times.windows(2).all(|w| w[0] < w[1] && w[1] - w[0] < 0.034), "{times:?}");
    }
}
