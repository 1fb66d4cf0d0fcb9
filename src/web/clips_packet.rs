//! Clips that the motion module made, as numbers.
//!
//! In: the names, and for each clip the number of its tracks; for each track its joint, 0 for
//! translations or 1 for rotations, the number of its keys, their times, and their values. Out:
//! clips. What is not well-formed ends the list.

use glam::{DQuat, DVec3};

use crate::model::{Clip, Interpolation, Track, TrackValues};

/// The clips of a skeleton with this many joints.
pub fn clips_of(names: Vec<String>, numbers: &[f64], joints: usize) -> Vec<Clip> {
    let mut rest = numbers;
    names.into_iter().map_while(|name| clip(name, &mut rest, joints)).collect()
}

fn clip(name: String, rest: &mut &[f64], joints: usize) -> Option<Clip> {
    let mut tracks = Vec::new();
    for _ in 0..take(rest, 1)?[0] as usize {
        let &[joint, property, keys] = take(rest, 3)? else { return None };
        let (joint, keys) = (joint as usize, keys as usize);
        let times: Vec<f32> = take(rest, keys)?.iter().map(|&time| time as f32).collect();
        let width = if property == 0.0 { 3 } else { 4 };
        let numbers = take(rest, keys.checked_mul(width)?)?;
        let values = if property == 0.0 {
            TrackValues::Translation(numbers.as_chunks().0.iter().map(|&v| DVec3::from_array(v)).collect())
        } else {
            TrackValues::Rotation(numbers.as_chunks().0.iter().map(|&q| DQuat::from_array(q)).collect())
        };
        let is_sorted = times.windows(2).all(|pair| pair[0] < pair[1]);
        if joint >= joints || times.is_empty() || !is_sorted || !numbers.iter().all(|n| n.is_finite()) {
            return None;
        }
        tracks.push(Track { joint, times, interpolation: Interpolation::Linear, values });
    }
    Some(Clip { name, tracks, ..Clip::default() })
}

fn take<'a>(rest: &mut &'a [f64], count: usize) -> Option<&'a [f64]> {
    let (taken, after) = rest.split_at_checked(count)?;
    *rest = after;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clips_are_read_until_something_is_wrong() {
        let numbers = [
            2.0, 1.0, 0.0, 2.0, 0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0,
            1.0,
        ];
        let read = |numbers: &[f64], joints| clips_of(vec!["walk".into(), "run".into()], numbers, joints);
        let clips = read(&numbers, 2);
        assert_eq!(clips.len(), 1, "there are no numbers for the second one");
        assert_eq!(clips[0].duration(), 0.5);
        assert_eq!(
            clips[0].tracks[0].values,
            TrackValues::Translation(vec![DVec3::new(1.0, 2.0, 3.0), DVec3::new(4.0, 5.0, 6.0)])
        );
        assert_eq!(clips[0].tracks[1].values, TrackValues::Rotation(vec![DQuat::IDENTITY]));
        assert!(read(&numbers, 1).is_empty(), "joint 1 does not exist");
        for end in 0..numbers.len() {
            assert!(read(&numbers[..end], 2).is_empty(), "{end} numbers");
        }
        for wrong in [f64::NAN, f64::INFINITY, -1.0, 1e300] {
            for at in 0..numbers.len() {
                let mut numbers = numbers;
                numbers[at] = wrong;
                read(&numbers, 2);
            }
        }
    }
}
