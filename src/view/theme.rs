//! Colours of everything that is not the character, in light and in dark.

use glam::Vec3;

use super::colors::srgb;
use super::gizmo::Ring;

/// Whether the page around the canvas is light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Dark on light.
    #[default]
    Light,
    /// Light on dark.
    Dark,
}

/// sRGB of everything drawn that is not the character.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Palette {
    /// The background's upper end.
    pub sky: Vec3,
    /// The background behind the character.
    pub horizon: Vec3,
    /// The background's lower end.
    pub floor: Vec3,
    /// The grid's lines.
    pub grid: Vec3,
    /// How strong the grid's lines are.
    pub grid_strength: f32,
    /// How dark the shadow on the ground is.
    pub shadow_strength: f32,
    /// Bones.
    pub bone: Vec3,
    /// Joints that do not deform.
    pub quiet: Vec3,
    /// What is under the pointer.
    pub hover: Vec3,
    /// What is selected.
    pub accent: Vec3,
    /// Outlines that keep bones apart from the skin behind them.
    pub outline: Vec3,
    /// Curves between regions, on skin in all colours.
    pub curve: Vec3,
    /// Handles on the skin.
    pub handle: Vec3,
    /// What needs attention.
    pub warning: Vec3,
}

impl Theme {
    /// Its colours.
    pub fn palette(self) -> Palette {
        match self {
            Self::Light => Palette {
                sky: srgb(0xe4_e8_ed),
                horizon: srgb(0xf4_f5_f6),
                floor: srgb(0xdd_df_e2),
                grid: srgb(0x5c_66_74),
                grid_strength: 0.30,
                shadow_strength: 0.62,
                bone: srgb(0xd3_df_f2),
                quiet: srgb(0xb4_bc_c8),
                hover: srgb(0xff_d0_8a),
                accent: srgb(0xff_8a_1f),
                outline: srgb(0x2a_32_40),
                curve: srgb(0x1c_20_28),
                handle: srgb(0x0f_9d_8a),
                warning: srgb(0xe5_48_4d),
            },
            Self::Dark => Palette {
                sky: srgb(0x1b_1e_24),
                horizon: srgb(0x30_34_3c),
                floor: srgb(0x16_18_1c),
                grid: srgb(0xa4_ae_bf),
                grid_strength: 0.20,
                shadow_strength: 0.85,
                bone: srgb(0xc6_d4_ec),
                quiet: srgb(0x7c_86_96),
                hover: srgb(0xff_d0_8a),
                accent: srgb(0xff_97_36),
                outline: srgb(0x0c_0e_12),
                curve: srgb(0x12_14_18),
                handle: srgb(0x14_b8_a2),
                warning: srgb(0xff_6b_6b),
            },
        }
    }
}

impl Palette {
    /// The colour of one of the gizmo's rings.
    pub fn ring(&self, ring: Ring) -> Vec3 {
        match ring {
            Ring::X => srgb(0xe5_48_4d),
            Ring::Y => srgb(0x46_a7_58),
            Ring::Z => srgb(0x3e_7b_fa),
            Ring::View => self.bone.lerp(self.outline, 0.35),
        }
    }
}
