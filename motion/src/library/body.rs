//! What a clip must know of the body around the bones: how far out the arms must be held.

use glam::{DVec3, Vec3};

use crate::bone::{Bone, SIDES};
use crate::humanoid::Humanoid;
use crate::trig;

/// Slices of the body from the ground to the shoulders.
const SLICES: usize = 32;

/// The most vertices that are looked at. More do not change the outline.
const MAX_VERTICES: usize = 20_000;

/// The largest angle between hanging arms and the body, in degrees. If larger, arms of characters
/// in wide dresses stand out like wings. If smaller, their hands are in the cloth.
const MAX_CLEARANCE: f64 = 40.0;

/// The smallest angle, in degrees: arms that hang exactly down look stiff.
const MIN_CLEARANCE: f64 = 5.0;

/// Distance between skin and skin, as a share of the body's height.
const GAP: f64 = 0.006;

/// Shares of the width of a slice that may be outside: buckles, bags, single vertices.
const TRIMMED: f64 = 0.02;

/// The outline of trunk and legs, in canonical coordinates.
#[derive(Clone, Debug)]
pub struct Outline {
    /// Half of the width of each slice.
    pub widths: Vec<f64>,
    /// The radius of the forearms.
    pub forearm: f64,
    top: f64,
}

/// A bone as a segment, and what it belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Region {
    Body,
    Forearm,
    Arm,
}

impl Outline {
    /// Of a character at rest. Without vertices it follows from the joints.
    pub fn of(humanoid: &Humanoid<'_>, positions: &[Vec3]) -> Self {
        let segments = segments(humanoid);
        let shoulder = |side: usize| {
            let joint = humanoid.map.get(SIDES[side].upper_arm);
            joint.map_or(DVec3::ZERO, |joint| humanoid.canonical(humanoid.skeleton.head(joint)))
        };
        let shoulders = [shoulder(0), shoulder(1)];
        let top = 0.5 * (shoulders[0].y + shoulders[1].y);
        let half = 0.5 * (shoulders[0].x - shoulders[1].x).abs();
        let mut slices: Vec<Vec<f64>> = vec![Vec::new(); SLICES];
        let mut radii = Vec::new();
        let step = positions.len().div_ceil(MAX_VERTICES).max(1);
        for position in positions.iter().step_by(step) {
            let point = humanoid.canonical(position.as_dvec3());
            let nearest = segments.iter().map(|(from, to, region)| (distance(point, *from, *to), *region));
            let Some((far, region)) = nearest.min_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
            let slice = point.y / top * SLICES as f64;
            match region {
                Region::Body if (0.0..SLICES as f64).contains(&slice) => {
                    slices[slice as usize].push(point.x.abs());
                }
                Region::Forearm => radii.push(far),
                Region::Body | Region::Arm => {}
            }
        }
        let percentile = |values: &mut Vec<f64>, share: f64| {
            values.sort_by(f64::total_cmp);
            values.get((values.len() as f64 * share) as usize).copied()
        };
        let hips = humanoid.legs[0].hip.x.abs().max(humanoid.legs[1].hip.x.abs());
        let fallback = 1.6 * hips;
        let widths = slices.iter_mut().map(|slice| {
            let width = percentile(slice, 1.0 - TRIMMED).unwrap_or(fallback);
            width.min(2.5 * half.max(hips))
        });
        let widths = widths.collect();
        let forearm = percentile(&mut radii, 0.7).unwrap_or(0.0);
        let default_radius = 0.022 * humanoid.height;
        let forearm = if forearm > 0.0 { forearm.min(2.5 * default_radius) } else { default_radius };
        Self { widths, forearm, top }
    }

    /// Half of the width of the body at a height.
    pub fn width(&self, height: f64) -> f64 {
        let slice = (height / self.top * SLICES as f64).floor();
        let near = |offset: f64| self.widths.get((slice + offset).max(0.0) as usize).copied().unwrap_or(0.0);
        if height < 0.0 || height > self.top { 0.0 } else { near(-1.0).max(near(0.0)).max(near(1.0)) }
    }

    /// The angle between the hanging arm of a side and the vertical at which the arm does not touch
    /// the body, in radians.
    pub fn clearance(&self, humanoid: &Humanoid<'_>, side: usize) -> f64 {
        let Some(joint) = humanoid.map.get(SIDES[side].upper_arm) else { return 0.0 };
        let shoulder = humanoid.canonical(humanoid.skeleton.head(joint));
        let [upper, fore, hand] = humanoid.arms[side].lengths;
        let length = upper + fore + hand;
        let mut degrees = MIN_CLEARANCE;
        while degrees < MAX_CLEARANCE {
            let (sine, cosine) = trig::sin_cos(degrees.to_radians());
            let is_free = (8..=20).all(|part| {
                let along = length * f64::from(part) / 20.0;
                let x = shoulder.x * SIDES[side].sign + sine * along;
                x >= self.width(shoulder.y - cosine * along) + self.forearm + GAP * humanoid.height
            });
            if is_free {
                break;
            }
            degrees += 1.0;
        }
        degrees.to_radians()
    }
}

/// Bones as segments in canonical coordinates.
fn segments(humanoid: &Humanoid<'_>) -> Vec<(DVec3, DVec3, Region)> {
    let at = |bone: Bone| {
        let joint = humanoid.map.get(bone)?;
        Some(humanoid.canonical(humanoid.skeleton.head(joint)))
    };
    let mut found = Vec::new();
    let mut add = |from: Option<DVec3>, to: Option<DVec3>, region: Region| {
        if let (Some(from), Some(to)) = (from, to) {
            found.push((from, to, region));
        }
    };
    let trunk = [Bone::Hips, Bone::Spine, Bone::Chest, Bone::UpperChest, Bone::Neck, Bone::Head];
    let trunk: Vec<DVec3> = trunk.into_iter().filter_map(at).collect();
    for pair in trunk.windows(2) {
        add(Some(pair[0]), Some(pair[1]), Region::Body);
    }
    for side in &SIDES {
        let [shoulder, elbow, wrist] = [side.upper_arm, side.lower_arm, side.hand].map(at);
        add(shoulder, elbow, Region::Arm);
        add(elbow, wrist, Region::Forearm);
        // The hand and its fingers, as long as the forearm at most.
        if let (Some(elbow), Some(wrist)) = (elbow, wrist) {
            add(Some(wrist), Some(wrist + (wrist - elbow) * 0.7), Region::Arm);
        }
        let [hip, knee, ankle] = [side.upper_leg, side.lower_leg, side.foot].map(at);
        add(hip, knee, Region::Body);
        add(knee, ankle, Region::Body);
        add(trunk.last().copied().filter(|_| trunk.len() > 1), shoulder, Region::Body);
    }
    found
}

fn distance(point: DVec3, from: DVec3, to: DVec3) -> f64 {
    let along = to - from;
    let t = ((point - from).dot(along) / along.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    point.distance(from + along * t)
}
