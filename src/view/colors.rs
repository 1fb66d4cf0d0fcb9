//! Colours that mean something: maps from numbers to colours, and a colour per joint.
//!
//! Mixed in Oklab (Ottosson 2020), where equal steps look equal. Results are sRGB, 0 to 1.

use glam::{Mat3, Vec3};

use crate::model::Skeleton;

/// A way from numbers between 0 and 1 to colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorMap {
    /// From indigo over teal to yellow; lighter means more, for every kind of eye.
    #[default]
    Sequential,
    /// Blue below the middle, red above, pale in between; for what may be too little or too much.
    Diverging,
    /// From the grey of plain skin to red; for what should not be.
    Alarm,
}

impl ColorMap {
    /// Every map there is.
    pub const ALL: [Self; 3] = [Self::Sequential, Self::Diverging, Self::Alarm];

    /// sRGB, evenly spaced.
    fn stops(self) -> &'static [u32] {
        match self {
            Self::Sequential => &[0x4d_58_98, 0x3f_7c_bd, 0x32_a3_b6, 0x52_c4_94, 0xa8_dc_60, 0xff_f0_68],
            Self::Diverging => &[0x23_58_b0, 0x7d_a8_dc, 0xee_ea_e4, 0xe4_94_74, 0xb4_2c_3c],
            Self::Alarm => &[0xc9_cc_d2, 0xdc_14_28],
        }
    }

    /// The colour of `value`, which is held within 0 and 1.
    pub fn color(self, value: f32) -> Vec3 {
        let stops = self.stops();
        let place = if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) } * (stops.len() - 1) as f32;
        let below = (place as usize).min(stops.len() - 2);
        let [a, b] = [stops[below], stops[below + 1]].map(|hex| oklab(srgb(hex)));
        from_oklab(a.lerp(b, place - below as f32))
    }

    /// `count` colours from 0 to 1, as a legend needs them.
    pub fn ramp(self, count: usize) -> Vec<Vec3> {
        (0..count).map(|i| self.color(i as f32 / (count.max(2) - 1) as f32)).collect()
    }
}

/// How many hues joints share, each in several shades. More: neighbours look alike. Fewer: far
/// joints do.
const HUES: usize = 11;

/// Oklab lightnesses of the shades. Farther apart: some regions look lit and others in shadow.
const SHADES: [f32; 3] = [0.72, 0.60, 0.82];

/// The Oklab distance that is distinguished at a glance; more is no better.
const CLEARLY_APART: f32 = 0.14;

/// One sRGB colour per joint: spread over all hues, and different between parents, children and
/// siblings, and between joints whose skin shares a border.
pub fn joint_colors(skeleton: &Skeleton, borders: &[[u32; 2]]) -> Vec<Vec3> {
    let hierarchy = skeleton.bone_hierarchy();
    let colors: Vec<Vec3> =
        SHADES.iter().flat_map(|&shade| (0..HUES).map(move |h| region(h, shade))).collect();
    let mut chosen: Vec<Option<usize>> = vec![None; hierarchy.len()];
    let mut used = vec![0usize; colors.len()];
    for &joint in skeleton.parents_first() {
        let parent = hierarchy[joint];
        let meets = |other: usize| {
            let pair = [joint.min(other) as u32, joint.max(other) as u32];
            let above = hierarchy[other];
            parent == Some(other)
                || above == Some(joint)
                || (parent.is_some() && above == parent)
                || parent.and_then(|p| hierarchy[p]) == Some(other)
                || borders.contains(&pair)
        };
        let taken: Vec<Vec3> =
            (0..chosen.len()).filter(|&o| meets(o)).filter_map(|o| chosen[o]).map(|c| colors[c]).collect();
        let gap = |color: usize| {
            let gaps = taken.iter().map(|&other| colors[color].distance(other));
            gaps.fold(CLEARLY_APART, f32::min)
        };
        // Clearly apart from the neighbours first, then seldom used; steps of 4 walk around the
        // circle.
        let walk = (0..colors.len()).map(|i| i / HUES * HUES + (joint + i) * 4 % HUES);
        let better = |a: &usize, b: &usize| gap(*a).total_cmp(&gap(*b)).then(used[*b].cmp(&used[*a]));
        let color = walk.rev().max_by(better).unwrap_or(0);
        used[color] += 1;
        chosen[joint] = Some(color);
    }
    chosen.into_iter().map(|color| from_oklab(colors[color.unwrap_or(0)])).collect()
}

/// A pale colour for regions below something more important.
pub fn quiet(color: Vec3) -> Vec3 {
    let lab = oklab(color);
    from_oklab(Vec3::new(0.40 * lab.x + 0.50, lab.y * 0.45, lab.z * 0.45))
}

/// In Oklab.
fn region(hue: usize, lightness: f32) -> Vec3 {
    let angle = (hue as f32 / HUES as f32 + 0.07) * std::f32::consts::TAU;
    Vec3::new(lightness, 0.115 * angle.cos(), 0.115 * angle.sin())
}

/// 0xrrggbb as sRGB.
pub fn srgb(hex: u32) -> Vec3 {
    Vec3::new((hex >> 16 & 255) as f32, (hex >> 8 & 255) as f32, (hex & 255) as f32) / 255.0
}

/// Light that adds up, from sRGB.
pub fn to_linear(srgb: Vec3) -> Vec3 {
    let one = |c: f32| if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
    Vec3::new(one(srgb.x), one(srgb.y), one(srgb.z))
}

/// sRGB, from light that adds up; held within 0 and 1.
pub fn from_linear(linear: Vec3) -> Vec3 {
    let one = |c: f32| {
        let c = c.clamp(0.0, 1.0);
        if c <= 0.003_130_8 { c * 12.92 } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 }
    };
    Vec3::new(one(linear.x), one(linear.y), one(linear.z))
}

fn oklab(srgb: Vec3) -> Vec3 {
    let cone = LMS_FROM_LINEAR.transpose() * to_linear(srgb);
    LAB_FROM_CONE.transpose() * Vec3::new(cone.x.cbrt(), cone.y.cbrt(), cone.z.cbrt())
}

fn from_oklab(lab: Vec3) -> Vec3 {
    let cone = LAB_FROM_CONE.transpose().inverse() * lab;
    from_linear(LMS_FROM_LINEAR.transpose().inverse() * (cone * cone * cone))
}

/// Written by rows, as published.
const LMS_FROM_LINEAR: Mat3 = Mat3::from_cols_array(&[
    0.412_221_47,
    0.536_332_55,
    0.051_445_99,
    0.211_903_5,
    0.680_699_5,
    0.107_396_96,
    0.088_302_46,
    0.281_718_85,
    0.629_978_7,
]);
const LAB_FROM_CONE: Mat3 = Mat3::from_cols_array(&[
    0.210_454_26,
    0.793_617_8,
    -0.004_072_047,
    1.977_998_5,
    -2.428_592_2,
    0.450_593_7,
    0.025_904_037,
    0.782_771_77,
    -0.808_675_77,
]);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Joint;

    #[test]
    fn more_is_lighter_in_even_steps() {
        let lightness: Vec<f32> =
            ColorMap::Sequential.ramp(101).into_iter().map(|color| oklab(color).x).collect();
        assert!(lightness.windows(2).all(|w| w[1] > w[0]), "{lightness:?}");
        assert!(lightness.windows(2).all(|w| w[1] - w[0] < 0.02), "a jump in {lightness:?}");
        assert!(lightness[100] - lightness[0] > 0.4);
    }

    #[test]
    fn the_diverging_map_is_lightest_in_the_middle() {
        let lightness: Vec<f32> =
            ColorMap::Diverging.ramp(101).into_iter().map(|color| oklab(color).x).collect();
        assert!(lightness[..51].windows(2).all(|w| w[1] > w[0]));
        assert!(lightness[50..].windows(2).all(|w| w[1] < w[0]));
    }

    #[test]
    fn numbers_outside_the_range_get_the_ends_colours() {
        let map = ColorMap::Sequential;
        assert_eq!(map.color(-3.0), map.color(0.0));
        assert_eq!(map.color(7.0), map.color(1.0));
        assert_eq!(map.color(f32::NAN), map.color(0.0));
    }

    #[test]
    fn oklab_and_back_changes_nothing() {
        for hex in [0x00_00_00, 0xff_ff_ff, 0x12_34_56, 0xfe_dc_ba] {
            assert!(from_oklab(oklab(srgb(hex))).abs_diff_eq(srgb(hex), 2e-3));
        }
    }

    #[test]
    fn joints_that_meet_look_different() {
        // A body: hips with two legs and a spine, which ends in two arms and a head.
        let parents = [None, Some(0), Some(1), Some(0), Some(3), Some(0), Some(5), Some(6)];
        let more = [Some(6), Some(8), Some(9), Some(6), Some(11), Some(12)];
        let parents: Vec<Option<usize>> = parents.into_iter().chain(more).collect();
        let place = |i: usize| Vec3::new(i as f32, (i * i) as f32 * 0.1, 0.0);
        let joints = parents
            .iter()
            .enumerate()
            .map(|(i, &parent)| Joint::at(format!("joint {i}"), parent.map(|p| (p, place(p))), place(i)));
        let skeleton = Skeleton::new(joints.collect()).unwrap();
        // The head's skin also meets a foot's.
        let borders = [[2, 7]];
        let colors = joint_colors(&skeleton, &borders);
        for (a, &parent) in parents.iter().enumerate() {
            let meets = |b: usize| borders.contains(&[b as u32, a as u32]);
            for b in (0..a).filter(|&b| parent == Some(b) || parents[b] == parent || meets(b)) {
                let apart = oklab(colors[a]).distance(oklab(colors[b]));
                assert!(apart > 0.08, "joints {a} and {b} are {apart} apart");
            }
        }
    }
}
