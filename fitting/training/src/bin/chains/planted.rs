//! Made-up chains whose centre lines are known: snakes, eels, worms, tentacles and coils.
//!
//! A chain is a tube around a curve. Lengths, bends, tapers, cross-sections, resolutions and units
//! are random.

use std::f32::consts::TAU;

use glam::{Quat, Vec3};

use crate::random::Random;

/// Points of a centre line.
const POINTS: usize = 400;

/// A mesh with a known centre line.
pub struct Planted {
    /// Vertices.
    pub positions: Vec<Vec3>,
    /// Three vertices each.
    pub triangles: Vec<[u32; 3]>,
    /// The centre line from the head, or the base, to the end of the tail: its ends are on the
    /// surface.
    pub line: Vec<Vec3>,
}

/// What is planted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// On the ground, with bends to both sides, a head and a thin tail.
    Snake,
    /// Compressed from the sides, thick before the middle.
    Eel,
    /// Of one thickness, with rings, bent a little.
    Worm,
    /// Rises from its thick base, and bends in space.
    Tentacle,
    /// A spiral or a helix of up to one and a half turns.
    Coil,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::Snake, Self::Eel, Self::Worm, Self::Tentacle, Self::Coil];
}

/// A curve, and its radius by the fraction of its length.
struct Tube {
    curve: Vec<Vec3>,
    radius: Box<dyn Fn(f32) -> f32>,
    section: Section,
}

/// The shape across.
struct Section {
    /// Half extents to the side and up, in radii.
    half: [f32; 2],
    /// The exponent of a superellipse: 2 is an ellipse, more is nearer to a box.
    exponent: f32,
}

/// A chain of a kind.
pub fn plant(kind: Kind, r: &mut Random) -> Planted {
    let mut tube = match kind {
        Kind::Snake => snake(r),
        Kind::Eel => eel(r),
        Kind::Worm => worm(r),
        Kind::Tentacle => tentacle(r),
        Kind::Coil => coil(r),
    };
    tube.curve = resampled(&tube.curve, POINTS);
    let rows = 24 + r.below(120);
    let columns = 5 + r.below(40);
    let mut planted = tube.mesh(rows, columns);
    let unit = 10f32.powf(r.range(-2.0, 3.0));
    let offset = r.normal3() * 2.0;
    let place = |p: &mut Vec3| *p = (*p + offset) * unit;
    planted.positions.iter_mut().chain(&mut planted.line).for_each(place);
    planted
}

/// A wave in the plane of the ground that runs to the rear, of length one.
fn wave(r: &mut Random, most: f32) -> Vec<Vec3> {
    let (waves, phase) = (r.range(0.5, 2.2), TAU * r.unit());
    // Radians from the direction to the rear.
    let turn = r.range(0.0, most) * if waves > 1.2 { 1.0 } else { 0.7 };
    let mut at = Vec3::ZERO;
    let step = 1.0 / POINTS as f32;
    (0..=POINTS)
        .map(|i| {
            let angle = turn * (phase + TAU * waves * i as f32 * step).cos();
            let here = at;
            at += Vec3::new(angle.sin(), 0.0, -angle.cos()) * step;
            here
        })
        .collect()
}

fn section(r: &mut Random, half: [f32; 2]) -> Section {
    Section { half, exponent: if r.chance(0.25) { r.range(3.0, 8.0) } else { 2.0 } }
}

fn smoothstep(x: f32) -> f32 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

fn snake(r: &mut Random) -> Tube {
    let radius = r.range(0.012, 0.035);
    let (head, neck) = (r.range(0.9, 1.5), r.range(0.6, 1.0));
    let (taper, tail) = (r.range(0.3, 0.7), r.range(0.1, 0.5));
    let profile = move |t: f32| {
        let neck = neck + (1.0 - neck) * smoothstep((t - 0.08) / 0.25);
        let front = head + (neck - head) * smoothstep((t - 0.03) / 0.05);
        let rear = 1.0 + (tail - 1.0) * ((t - taper) / (1.0 - taper)).clamp(0.0, 1.0);
        radius * front * rear
    };
    let half = [1.0, r.range(0.7, 1.1)];
    Tube { curve: wave(r, 1.4), radius: Box::new(profile), section: section(r, half) }
}

fn eel(r: &mut Random) -> Tube {
    let radius = r.range(0.03, 0.07);
    let (thickest, front, rear) = (r.range(0.1, 0.4), r.range(0.4, 0.8), r.range(0.05, 0.3));
    let profile = move |t: f32| {
        let before = front + (1.0 - front) * smoothstep(t / thickest);
        let behind = 1.0 + (rear - 1.0) * smoothstep((t - thickest) / (1.0 - thickest));
        radius * before * behind
    };
    let half = [r.range(0.5, 0.9), 1.0];
    Tube { curve: wave(r, 0.9), radius: Box::new(profile), section: section(r, half) }
}

fn worm(r: &mut Random) -> Tube {
    let radius = r.range(0.02, 0.06);
    let (rings, depth, end) = (r.range(8.0, 30.0), r.range(0.0, 0.15), r.range(0.6, 1.0));
    let profile = move |t: f32| {
        let ring = 1.0 - depth * (0.5 + 0.5 * (TAU * rings * t).cos());
        radius * ring * (end + (1.0 - end) * smoothstep((0.5 - (t - 0.5).abs()) / 0.15))
    };
    let rise = r.range(-0.4, 0.4);
    let curve = wave(r, 0.8).into_iter().map(|p| Vec3::new(p.x, rise * p.z * p.z, p.z)).collect();
    Tube { curve, radius: Box::new(profile), section: section(r, [1.0; 2]) }
}

fn tentacle(r: &mut Random) -> Tube {
    let (base, tip) = (r.range(0.04, 0.09), r.range(0.1, 0.5));
    let power = r.range(0.7, 1.5);
    let profile = move |t: f32| base * (1.0 + (tip - 1.0) * t.powf(power));
    // The direction turns about an axis that turns itself, more towards the tip.
    let (bend, drift) = (r.range(0.0, 4.0), r.range(-2.0, 2.0));
    let mut axis = Quat::from_rotation_y(TAU * r.unit()) * Vec3::X;
    let (mut along, mut at) = (Vec3::Y, Vec3::ZERO);
    let step = 1.0 / POINTS as f32;
    let curve = (0..=POINTS).map(|i| {
        let here = at;
        at += along * step;
        along = Quat::from_axis_angle(axis, bend * step * 2.0 * i as f32 * step) * along;
        axis = Quat::from_axis_angle(along, drift * step) * axis;
        here
    });
    let curve = curve.collect();
    Tube { curve, radius: Box::new(profile), section: section(r, [1.0; 2]) }
}

fn coil(r: &mut Random) -> Tube {
    let turns = r.range(0.6, 1.5);
    let radius = r.range(0.015, 0.035);
    let (tail, taper) = (r.range(0.3, 1.0), r.range(0.4, 0.8));
    let profile = move |t: f32| radius * (1.0 + (tail - 1.0) * ((t - taper) / (1.0 - taper)).max(0.0));
    // Turns are apart by some radii, outwards or upwards.
    let pitch = radius * r.range(5.0, 10.0) * turns;
    let is_spiral = r.chance(0.5);
    let reach = 1.0 / (TAU * turns);
    let start = TAU * r.unit();
    let curve = (0..=POINTS).map(|i| {
        let t = i as f32 / POINTS as f32;
        let (s, c) = (start + TAU * turns * t).sin_cos();
        let (reach, y) = if is_spiral { (reach + pitch * (0.5 - t), 0.0) } else { (reach, pitch * t) };
        Vec3::new(reach * c, y, reach * s)
    });
    let curve = curve.collect();
    Tube { curve, radius: Box::new(profile), section: section(r, [1.0; 2]) }
}

/// The same curve with points at equal distances, one unit long.
fn resampled(curve: &[Vec3], points: usize) -> Vec<Vec3> {
    use pliant_fitting::polyline;
    let length = polyline::length(curve);
    (0..=points).map(|i| polyline::at(curve, i as f32 / points as f32) / length).collect()
}

impl Tube {
    /// Rings around the curve, at places that are denser at the ends, which are round.
    fn mesh(&self, rows: usize, columns: usize) -> Planted {
        let last = self.curve.len() - 1;
        let frames = self.frames();
        let mut planted = Planted { positions: Vec::new(), triangles: Vec::new(), line: self.curve.clone() };
        let ends = [0.0, 1.0].map(|t| (self.radius)(t));
        for row in 0..=rows {
            let t = 0.5 - 0.5 * (0.5 * TAU * row as f32 / rows as f32).cos();
            let (from_head, from_tail) = (t / ends[0], (1.0 - t) / ends[1]);
            let round = |x: f32| (1.0 - (1.0 - x.min(1.0)).powi(2)).max(0.0).sqrt();
            let radius = (self.radius)(t) * round(from_head).min(round(from_tail));
            let index = (t * last as f32).round() as usize;
            let (middle, [side, up]) = (self.curve[index], frames[index]);
            for column in 0..columns {
                let (s, c) = (TAU * column as f32 / columns as f32).sin_cos();
                let power = 2.0 / self.section.exponent;
                let [x, y] = [c, s].map(|x| x.signum() * x.abs().powf(power));
                let [width, height] = self.section.half;
                planted.positions.push(middle + (side * (x * width) + up * (y * height)) * radius);
            }
        }
        let index = |row: usize, column: usize| (row * columns + column % columns) as u32;
        for row in 0..rows {
            for column in 0..columns {
                let [a, b] = [index(row, column), index(row, column + 1)];
                let [c, d] = [index(row + 1, column), index(row + 1, column + 1)];
                planted.triangles.extend([[a, c, b], [b, c, d]]);
            }
        }
        planted
    }

    /// Directions to the side and up along the curve, which do not twist about it.
    fn frames(&self) -> Vec<[Vec3; 2]> {
        let last = self.curve.len() - 1;
        let along = |i: usize| {
            (self.curve[(i + 1).min(last)] - self.curve[i.saturating_sub(1)]).normalize_or(Vec3::Z)
        };
        let mut up = if along(0).y.abs() < 0.9 { Vec3::Y } else { Vec3::Z };
        (0..=last)
            .map(|i| {
                up = up.reject_from(along(i)).normalize_or(Vec3::Y);
                [up.cross(along(i)), up]
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_fitting::body::Body;

    #[test]
    fn centre_lines_are_inside_their_chains_from_end_to_end() {
        for kind in Kind::ALL {
            for seed in 0..4 {
                let planted = plant(kind, &mut Random::new(seed));
                let corners = || planted.positions.iter().copied();
                let low = corners().fold(Vec3::INFINITY, Vec3::min);
                let size = (corners().fold(Vec3::NEG_INFINITY, Vec3::max) - low).max_element();
                let map = |p: &Vec3| (*p - low) / size;
                let body = Body::of_animal(
                    &planted.positions.iter().map(map).collect::<Vec<_>>(),
                    &planted.triangles,
                );
                for at in planted.line.iter().map(map) {
                    assert!(body.distance(at) < 0.02, "{kind:?} {seed}: {at} is outside");
                }
                let end = |p: Vec3| corners().map(|q| q.distance(p)).fold(f32::INFINITY, f32::min) / size;
                for p in [planted.line[0], planted.line[planted.line.len() - 1]] {
                    assert!(end(p) < 0.02, "{kind:?} {seed}: the line ends inside");
                }
            }
        }
    }
}
