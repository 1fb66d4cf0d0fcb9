//! Made-up humanoids: random proportions and shapes, from realistic to a can with limbs.
//!
//! Characters of new authors differ from those of known authors more than poses and proportions
//! can express. Joints are where a rigger would put them, with the spread between riggers.

use glam::{Mat3, Quat, Vec3};

use crate::fronts;
use crate::random::Random;
use crate::solid::Solid;

/// Solids and the joints of the humanoid plan, in any unit, feet near zero.
pub fn humanoid(random: &mut Random) -> (Vec<Solid>, Vec<Vec3>) {
    let (solids, joints, _) = build(random);
    (solids, joints)
}

/// The same with what tells front from back: faces, bellies, calves, shoes.
pub fn humanoid_with_front(random: &mut Random) -> (Vec<Solid>, Vec<Vec3>) {
    let (mut solids, joints, face) = build(random);
    fronts::add(random, &mut solids, &joints, &face);
    (solids, joints)
}

/// Where the face of a made-up body is.
pub struct Face {
    /// Heights of its lower and its upper end.
    pub ends: [f32; 2],
    /// Half the width of the chest.
    pub half_chest: f32,
    pub leg_radius: f32,
}

fn build(random: &mut Random) -> (Vec<Solid>, Vec<Vec3>, Face) {
    let mut solids = Vec::new();
    let r = random;
    // 0: realistic, 1: chibi, 2: body and head are one object.
    let style = r.below(5).min(2);
    let is_object = style == 2 && r.chance(0.75);
    let blocky = r.chance(0.3);
    let exponent = |r: &mut Random| if blocky { r.range(5.0, 12.0) } else { r.range(1.8, 4.0) };
    // Lengths in units of the torso from the hip joints to the neck.
    let torso = 1.0;
    let (leg, head) = match style {
        0 => (r.range(1.3, 2.2), r.range(0.35, 0.7)),
        1 => (r.range(0.5, 1.5), r.range(0.6, 1.8)),
        _ => (r.range(0.35, 1.6), r.range(0.3, 2.2)),
    };
    let arm = match style {
        0 => r.range(0.85, 1.35),
        _ => r.range(0.55, 1.3),
    };
    let neck = if is_object {
        r.range(0.0, 0.1)
    } else if style == 0 {
        r.range(0.08, 0.25)
    } else {
        r.range(0.0, 0.2)
    };
    let half_chest = match style {
        0 => r.range(0.26, 0.42),
        _ => r.range(0.22, 0.75),
    };
    let half_hip = half_chest * r.range(0.65, 1.15);
    let depth = (half_chest * r.range(0.4, 1.0)).max(0.14);
    let hip_x = half_hip * r.range(0.3, 0.65);
    let is_thin = style == 2 && r.chance(0.6);
    let leg_radius =
        if is_thin { r.range(0.018, 0.07) } else { (hip_x * r.range(0.35, 0.95)).clamp(0.05, 0.3) };
    let arm_radius =
        (leg_radius * if is_thin { r.range(0.7, 1.1) } else { r.range(0.4, 0.9) }).clamp(0.016, 0.2);
    let hip_y = leg;
    let lean = 0.03 * r.normal();
    let neck_joint = Vec3::new(0.0, hip_y + torso, lean + 0.02 * r.normal());
    let head_joint = neck_joint + Vec3::new(0.0, neck + r.range(0.02, 0.12), r.range(-0.01, 0.05));
    let hips = Vec3::new(0.0, hip_y + r.range(-0.02, 0.16), lean * 0.5 + 0.02 * r.normal());
    let shoulder_drop = r.range(0.02, 0.2);
    let shoulder_x = half_chest * if is_object { r.range(0.6, 1.05) } else { r.range(0.55, 0.95) };
    // Torso.
    let top = neck_joint.y + if is_object { head } else { r.range(-0.06, 0.06) };
    let bottom = hip_y - (leg_radius * r.range(0.2, 1.0)).min(hip_y * 0.5);
    let (middle, half) = (0.5 * (top + bottom), 0.5 * (top - bottom));
    let torso_exponent = exponent(r).max(2.2);
    let taper = ((half_hip - half_chest) / (half_hip + half_chest)).clamp(-0.4, 0.4)
        * if is_object { r.range(-1.0, 1.0) } else { 1.0 };
    let swell = if torso_exponent < 3.0 { 1.12 } else { 1.0 };
    solids.push(Solid::Super {
        centre: Vec3::new(0.0, middle, lean * 0.7),
        axes: Mat3::IDENTITY,
        half: Vec3::new(
            half_chest * swell * if is_object { r.range(0.95, 1.3) } else { 1.0 },
            half,
            depth * swell,
        ),
        exponent: torso_exponent,
        taper,
    });
    if !is_object && r.chance(0.5) {
        // A chest or a belly of its own.
        let y = hip_y + torso * r.range(0.2, 0.8);
        let size =
            Vec3::new(half_chest * r.range(0.7, 1.2), torso * r.range(0.2, 0.45), depth * r.range(0.7, 1.4));
        solids.push(Solid::ellipsoid(Vec3::new(0.0, y, depth * r.range(-0.1, 0.5)), size, exponent(r)));
    }
    if !is_object {
        // Neck and head.
        let radius = (half_chest * r.range(0.2, 0.45)).max(0.06);
        solids.push(Solid::RoundCone {
            ends: [neck_joint - Vec3::Y * 0.1, head_joint + Vec3::Y * 0.1 * head],
            radii: [radius; 2],
        });
        let width = head * r.range(0.3, 0.62);
        let size = Vec3::new(width, head * 0.5, width * r.range(0.75, 1.2));
        let base = head_joint.y - head * r.range(0.02, 0.2);
        let centre = Vec3::new(0.0, base + 0.5 * head, head_joint.z + size.z * r.range(-0.1, 0.35));
        solids.push(Solid::ellipsoid(centre, size, exponent(r)));
    }
    let head_top = if is_object { top } else { head_joint.y + head };
    adorn_head(r, &mut solids, Vec3::new(0.0, head_top, head_joint.z), head * 0.5, half_chest);
    // Limbs, mirrored unless the pose differs.
    let limbs = LimbShape {
        arm,
        arm_radius,
        fore: r.range(0.42, 0.56),
        hand: (arm * r.range(0.1, 0.34)).max(arm_radius * 1.2),
        hand_width: r.range(0.7, 2.2),
        fingers: if r.chance(0.5) { 0 } else { 3 + r.below(3) },
        sleeve: r.chance(0.25).then(|| r.range(1.3, 2.4)),
        leg,
        leg_radius,
        shin: r.range(0.42, 0.56),
        ankle: r.range(0.05, 0.2),
        foot: r.range(0.12, 0.42),
        foot_width: r.range(0.7, 1.8),
        taper: r.range(0.5, 1.05),
        blocky,
        foot_exponent: exponent(r),
        is_ball_jointed: r.chance(0.1),
    };
    let poses = {
        let one = Pose::random(r);
        let other = Pose::random(r);
        let differs = r.chance(0.2);
        [one, if differs { other } else { one }]
    };
    let mut joints = vec![Vec3::NAN; 17];
    (joints[0], joints[1], joints[2]) = (hips, neck_joint, head_joint);
    let shape_seed = r.bits();
    for (side, pose) in [1.0, -1.0].into_iter().zip(poses) {
        let mut same = Random::new(shape_seed);
        let shoulder = Vec3::new(side * shoulder_x, neck_joint.y - shoulder_drop, neck_joint.z - 0.02);
        let hip = Vec3::new(side * hip_x, hip_y, hips.z);
        let placed = limbs.build(&mut same, side, shoulder, hip, &pose, &mut solids);
        let first = if side > 0.0 { 3 } else { 10 };
        joints[first..first + 7].copy_from_slice(&placed);
    }
    if r.chance(0.12) {
        // A robe, from the waist or the chest to somewhere below.
        let from = hip_y + torso * r.range(0.0, 0.9);
        let to = (hip_y * r.range(0.02, 0.7)).min(from - 0.2);
        let width = half_hip * r.range(1.0, 1.5);
        solids.push(Solid::Cone {
            centre: Vec3::new(0.0, 0.5 * (from + to), 0.0),
            axes: Mat3::IDENTITY,
            half: Vec3::new(width * r.range(1.0, 1.6), 0.5 * (from - to), depth * r.range(1.0, 1.8)),
            top: r.range(0.4, 0.8),
        });
    }
    props(r, &mut solids, &joints, half_chest, depth, torso);
    // The rest of the labels have the spread between riggers.
    let chin = if is_object { hip_y + torso * r.range(0.3, 1.0) } else { head_joint.y - 0.05 * head };
    let face = Face { ends: [chin, head_top], half_chest, leg_radius };
    (solids, joints, face)
}

/// Hats, hair, horns, ears.
pub fn adorn_head(r: &mut Random, solids: &mut Vec<Solid>, top: Vec3, half_head: f32, half_chest: f32) {
    if r.chance(0.3) {
        let height = half_head * r.range(0.2, 1.8);
        let width = half_head.max(half_chest * 0.3) * r.range(0.4, 1.4);
        let centre = top + Vec3::Y * (0.5 * height - 0.2 * half_head) + Vec3::Z * (0.1 * width * r.normal());
        let tilt = Mat3::from_quat(Quat::from_axis_angle(Vec3::X, 0.2 * r.normal()));
        solids.push(if r.chance(0.5) {
            Solid::Cone {
                centre,
                axes: tilt,
                half: Vec3::new(width, 0.5 * height, width),
                top: r.range(0.0, 1.1),
            }
        } else {
            Solid::Super {
                centre,
                axes: tilt,
                half: Vec3::new(width, 0.5 * height, width),
                exponent: r.range(2.0, 8.0),
                taper: 0.0,
            }
        });
        if r.chance(0.5) {
            let brim = width * r.range(1.2, 2.4);
            let half = Vec3::new(brim, 0.03 * half_head + 0.01, brim);
            solids.push(Solid::Cone { centre: top - Vec3::Y * 0.3 * half_head, axes: tilt, half, top: 1.0 });
        }
    }
    if r.chance(0.25) {
        // Hair behind and beside the head.
        let size = Vec3::new(r.range(0.6, 1.3), r.range(0.5, 1.8), r.range(0.3, 0.9)) * half_head;
        let centre = top - Vec3::new(0.0, half_head * r.range(0.3, 1.6), half_head * r.range(0.2, 0.7));
        solids.push(Solid::ellipsoid(centre, size, r.range(1.8, 4.0)));
    }
    if r.chance(0.25) {
        // Ears, horns or bunches.
        let tip = Vec3::new(r.range(0.2, 1.4), r.range(-0.5, 1.2), 0.3 * r.normal()) * half_head;
        let base = Vec3::new(r.range(0.2, 0.8) * half_head, -half_head * r.range(0.1, 0.9), 0.0);
        let radii = [half_head * r.range(0.08, 0.35), half_head * r.range(0.02, 0.3)];
        for side in [1.0, -1.0] {
            let flip = |p: Vec3| Vec3::new(p.x * side, p.y, p.z);
            solids.push(Solid::RoundCone { ends: [top + flip(base), top + flip(base + tip)], radii });
        }
    }
}

/// Bags, wings, tails, things in hands.
fn props(r: &mut Random, solids: &mut Vec<Solid>, joints: &[Vec3], half_chest: f32, depth: f32, torso: f32) {
    let (hips, neck) = (joints[0], joints[1]);
    let back = |t: f32| hips.lerp(neck, t) - Vec3::Z * depth;
    if r.chance(0.12) {
        let half =
            Vec3::new(half_chest * r.range(0.4, 1.0), torso * r.range(0.15, 0.5), depth * r.range(0.3, 1.0));
        solids.push(Solid::ellipsoid(
            back(r.range(0.4, 0.9)) - Vec3::Z * half.z * 0.7,
            half,
            r.range(2.0, 8.0),
        ));
    }
    if r.chance(0.08) {
        // A tail.
        let tip = hips + Vec3::new(0.1 * r.normal(), torso * r.range(-0.9, 0.5), -torso * r.range(0.4, 1.1));
        solids.push(Solid::RoundCone {
            ends: [back(0.05), tip],
            radii: [torso * r.range(0.04, 0.14), torso * r.range(0.01, 0.1)],
        });
    }
    if r.chance(0.07) {
        // Wings or a cape.
        let half = Vec3::new(half_chest * r.range(0.8, 3.0), torso * r.range(0.3, 0.9), 0.025);
        solids.push(Solid::ellipsoid(back(r.range(0.2, 0.8)) - Vec3::Z * 0.05, half, r.range(2.0, 8.0)));
    }
    if r.chance(0.06) {
        let hand = joints[if r.chance(0.5) { 5 } else { 12 }];
        let direction = (Vec3::Y + 0.4 * r.normal3()).normalize();
        let length = torso * r.range(0.3, 1.2);
        solids.push(Solid::RoundCone {
            ends: [hand - direction * 0.3 * length, hand + direction * length],
            radii: [0.03, 0.03 + 0.1 * r.unit()],
        });
    }
}

#[derive(Clone, Copy)]
struct Pose {
    down: f32,
    front: f32,
    elbow: f32,
    wrist: f32,
    apart: f32,
    hip: f32,
    knee: f32,
    toes_out: f32,
}

impl Pose {
    fn random(r: &mut Random) -> Self {
        Self {
            down: if r.chance(0.3) { 4.0 * r.normal() } else { r.range(-10.0, 84.0) },
            front: 9.0 * r.normal(),
            elbow: if r.chance(0.4) { r.range(0.0, 60.0) } else { 0.0 },
            wrist: 8.0 * r.normal(),
            apart: r.range(-3.0, 13.0),
            hip: if r.chance(0.3) { 10.0 * r.normal() } else { 0.0 },
            knee: if r.chance(0.3) { r.range(0.0, 35.0) } else { 0.0 },
            toes_out: r.range(-5.0, 30.0),
        }
    }
}

struct LimbShape {
    arm: f32,
    arm_radius: f32,
    fore: f32,
    hand: f32,
    hand_width: f32,
    fingers: usize,
    sleeve: Option<f32>,
    leg: f32,
    leg_radius: f32,
    shin: f32,
    ankle: f32,
    foot: f32,
    foot_width: f32,
    taper: f32,
    blocky: bool,
    foot_exponent: f32,
    is_ball_jointed: bool,
}

impl LimbShape {
    /// Adds the limbs of a side. Returns shoulder, elbow, wrist, hip, knee, ankle, ball.
    fn build(
        &self,
        r: &mut Random,
        side: f32,
        shoulder: Vec3,
        hip: Vec3,
        pose: &Pose,
        solids: &mut Vec<Solid>,
    ) -> [Vec3; 7] {
        let turn = |axis: Vec3, degrees: f32| Quat::from_axis_angle(axis, degrees.to_radians());
        let upper = turn(Vec3::Y, -pose.front * side) * turn(Vec3::Z, -pose.down * side);
        let along = Vec3::X * side;
        let lower = upper * turn(along.cross(Vec3::Z), pose.elbow);
        let elbow = shoulder + upper * along * self.arm * (1.0 - self.fore);
        let wrist = elbow + lower * along * self.arm * self.fore;
        let ra = self.arm_radius;
        let re = ra * (1.0 + self.taper) * 0.5;
        let rw = ra * self.taper;
        self.segment(solids, [shoulder, elbow], [ra, re], upper);
        let wide = self.sleeve.map_or([re, rw], |factor| [re, rw * factor]);
        self.segment(solids, [elbow, wrist], wide, lower);
        // The hand: a palm, and fingers or none.
        let bent = lower * turn(along.cross(Vec3::Y), -pose.wrist);
        let axes = Mat3::from_quat(bent);
        let palm = if self.fingers > 0 { 0.5 } else { 1.0 } * self.hand;
        let half = Vec3::new(palm * 0.5, (rw * 0.8).max(0.015), (rw * self.hand_width).max(0.02));
        solids.push(Solid::Super {
            centre: wrist + bent * along * (palm * 0.5),
            axes,
            half: half * 1.1,
            exponent: self.foot_exponent,
            taper: 0.0,
        });
        for finger in 0..self.fingers {
            let z = half.z * (1.6 * finger as f32 / (self.fingers.max(2) - 1) as f32 - 0.8);
            let base = wrist + bent * (along * palm * 0.9 + Vec3::Z * z);
            let length = self.hand * 0.5 * r.range(0.7, 1.1);
            let tip = base + bent * (along + Vec3::Z * 0.25 * z / half.z - Vec3::Y * 0.2) * length;
            let radius = (half.z * 0.8 / self.fingers as f32).min(half.y);
            solids.push(Solid::RoundCone { ends: [base, tip], radii: [radius, radius * 0.8] });
        }
        if self.fingers > 0 || r.chance(0.5) {
            let base = wrist + bent * (along * palm * 0.3 + Vec3::Z * half.z * 0.8);
            let tip = base + bent * (along * 0.6 + Vec3::Z * 0.7) * self.hand * 0.4;
            solids.push(Solid::RoundCone { ends: [base, tip], radii: [half.y * 0.7, half.y * 0.55] });
        }
        // The leg.
        let ankle_height = self.leg * self.ankle;
        let long = self.leg - ankle_height;
        let upper = turn(Vec3::Z, pose.apart * side) * turn(Vec3::X, -pose.hip);
        let lower = upper * turn(Vec3::X, pose.knee);
        let knee = hip - upper * Vec3::Y * long * (1.0 - self.shin);
        let ankle = knee - lower * Vec3::Y * long * self.shin;
        let rl = self.leg_radius;
        let rk = rl * (1.0 + self.taper) * 0.5;
        let rf = rl * self.taper;
        self.segment(solids, [hip, knee], [rl, rk], upper);
        self.segment(solids, [knee, ankle], [rk, rf], lower);
        let out = turn(Vec3::Y, pose.toes_out * side);
        let long_foot = (self.foot * 0.9).max(rf * 1.1);
        let half = Vec3::new(
            (rf * self.foot_width).max(0.04),
            (ankle_height * 0.6).max(0.02),
            long_foot * 0.5 + rf * 0.5,
        );
        let centre = ankle - Vec3::Y * (ankle_height - half.y) + out * Vec3::Z * (half.z - rf);
        solids.push(Solid::Super {
            centre,
            axes: Mat3::from_quat(out),
            half,
            exponent: self.foot_exponent,
            taper: 0.0,
        });
        let ball =
            ankle - Vec3::Y * (ankle_height - half.y * 0.6) + out * Vec3::Z * (2.0 * half.z - rf) * 0.6;
        [shoulder, elbow, wrist, hip, knee, ankle, ball]
    }

    fn segment(&self, solids: &mut Vec<Solid>, ends: [Vec3; 2], radii: [f32; 2], turned: Quat) {
        if self.is_ball_jointed {
            // Gaps between floating parts.
            let [a, b] = ends;
            solids.push(Solid::RoundCone { ends: [a.lerp(b, 0.2), a.lerp(b, 0.8)], radii });
        } else if self.blocky {
            let along = (ends[1] - ends[0]).normalize_or(Vec3::Y);
            let across = along.cross(turned * Vec3::Z).normalize_or(Vec3::X);
            let axes = Mat3::from_cols(across, along, across.cross(along));
            let radius = radii[0].max(radii[1]);
            let half = Vec3::new(radius, 0.5 * ends[0].distance(ends[1]) + 0.3 * radius, radius);
            solids.push(Solid::Super {
                centre: ends[0].midpoint(ends[1]),
                axes,
                half,
                exponent: 10.0,
                taper: 0.0,
            });
        } else {
            solids.push(Solid::RoundCone { ends, radii });
        }
    }
}
