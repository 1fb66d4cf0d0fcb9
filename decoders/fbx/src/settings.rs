//! Units, axes and frame rate of a file, and the conversion to those of glTF.
//!
//! Lengths become metres by scaling positions and translations, so that no node gets a scale. The
//! rotation to Y up is applied to root nodes. A left-handed file is mirrored along one axis: every
//! local transform L becomes M L M and every position M p, with M the reflection.

use glam::{DMat3, DMat4, DQuat, DVec3};

use crate::document::{Document, Node};
use crate::error::Warnings;
use crate::legacy::is_legacy;
use crate::objects::Objects;
use crate::properties::Properties;
use crate::transform::Local;

/// Metres per centimetre, the unit of FBX.
const METRES: f64 = 0.01;

/// Frames per second of files that declare none.
const DEFAULT_RATE: f64 = 30.0;

/// Index of the frame rate that is declared as a number.
const CUSTOM_RATE: i64 = 14;

/// Usable frame rates.
const RATE_RANGE: std::ops::RangeInclusive<f64> = 1.0..=1000.0;

/// Frames per second of each time mode.
const RATES: [f64; 19] = [
    30.0,
    120.0,
    100.0,
    60.0,
    50.0,
    48.0,
    30.0,
    30.0,
    30000.0 / 1001.0,
    30000.0 / 1001.0,
    25.0,
    24.0,
    1000.0,
    24000.0 / 1001.0,
    30.0,
    96.0,
    72.0,
    60000.0 / 1001.0,
    120000.0 / 1001.0,
];

/// The conversion from the space of the file to that of glTF.
pub(crate) struct Settings {
    /// Metres per unit of length.
    pub unit: f64,
    /// Rotation of root nodes.
    pub rotation: DQuat,
    /// Diagonal of the reflection M: 1, with one −1 if the file is left-handed.
    pub mirror: DVec3,
    /// Frames per second.
    pub frame_rate: f64,
}

impl Settings {
    pub(crate) fn read(document: &Document<'_>, objects: &Objects<'_>, warnings: &mut Warnings) -> Self {
        if is_legacy(document.version) {
            warnings
                .add("FBX before 6.0", "axes and unit are not declared; Y is up, lengths are centimetres");
            let rate = document.node("Settings").and_then(legacy_frame_rate).unwrap_or(DEFAULT_RATE);
            return Self { frame_rate: rate, ..Self::default() };
        }
        let in_objects = || objects.list.iter().find(|object| object.class == b"GlobalSettings");
        let nested = || document.node("Objects").and_then(|node| node.child("GlobalSettings"));
        let node = document.node("GlobalSettings").or_else(nested);
        let properties =
            node.map(|node| Properties::new(node, None)).or_else(|| Some(in_objects()?.properties));
        let Some(properties) = properties else { return Self::default() };
        let mut settings = Self { frame_rate: frame_rate(&properties), ..Self::default() };
        let unit = properties.float("UnitScaleFactor").unwrap_or(1.0);
        if unit > 0.0 {
            settings.unit = unit * METRES;
        }
        match axes(&properties) {
            Some(basis) => settings.set_basis(basis),
            None => warnings.add("GlobalSettings", "its axes contradict each other; Y is up"),
        }
        settings
    }

    /// Sets rotation and reflection from the map of file axes to glTF axes.
    fn set_basis(&mut self, basis: DMat3) {
        if basis.determinant() < 0.0 {
            // The axis that becomes X is reflected.
            self.mirror = DVec3::ONE - 2.0 * basis.row(0).abs();
        }
        self.rotation = DQuat::from_mat3(&(basis * DMat3::from_diagonal(self.mirror))).normalize();
    }

    pub(crate) fn is_mirrored(&self) -> bool {
        self.mirror.min_element() < 0.0
    }

    /// A local transform of a node in the space of glTF.
    pub(crate) fn local(&self, local: &Local, is_root: bool) -> Local {
        let mut translation = self.mirror * local.translation * self.unit;
        let mut rotation = self.mirror_rotation(local.rotation);
        if is_root {
            translation = self.rotation * translation;
            rotation = self.rotation * rotation;
        }
        // Numbers near the largest overflow.
        if !(translation.is_finite() && rotation.is_finite() && local.scale.is_finite()) {
            return Local { translation: DVec3::ZERO, rotation: DQuat::IDENTITY, scale: DVec3::ONE };
        }
        Local { translation, rotation, scale: local.scale }
    }

    /// A position or displacement of a mesh.
    pub(crate) fn position(&self, position: DVec3) -> DVec3 {
        self.mirror * position * self.unit
    }

    /// A direction of a mesh.
    pub(crate) fn direction(&self, direction: DVec3) -> DVec3 {
        self.mirror * direction
    }

    /// An inverse bind matrix.
    pub(crate) fn bind_matrix(&self, matrix: DMat4) -> DMat4 {
        let mirror = DMat4::from_scale(self.mirror);
        let mut result = mirror * matrix * mirror;
        result.w_axis = (result.w_axis.truncate() * self.unit).extend(1.0);
        result
    }

    /// M R M. The axis of a rotation is a pseudovector: it is reflected and reversed.
    fn mirror_rotation(&self, rotation: DQuat) -> DQuat {
        if !self.is_mirrored() {
            return rotation;
        }
        let axis = -self.mirror * rotation.xyz();
        DQuat::from_xyzw(axis.x, axis.y, axis.z, rotation.w)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self { unit: METRES, rotation: DQuat::IDENTITY, mirror: DVec3::ONE, frame_rate: DEFAULT_RATE }
    }
}

/// The map of file axes to glTF axes: right to X, up to Y, front to Z.
fn axes(properties: &Properties<'_>) -> Option<DMat3> {
    let axis = |name: &str, sign_name: &str, default: i64| {
        let sign = if properties.int(sign_name).unwrap_or(1) < 0 { -1.0 } else { 1.0 };
        match properties.int(name).unwrap_or(default) {
            0 => Some(DVec3::X * sign),
            1 => Some(DVec3::Y * sign),
            2 => Some(DVec3::Z * sign),
            _ => None,
        }
    };
    let right = axis("CoordAxis", "CoordAxisSign", 0)?;
    let up = axis("UpAxis", "UpAxisSign", 1)?;
    let front = axis("FrontAxis", "FrontAxisSign", 2)?;
    let basis = DMat3::from_cols(right, up, front).transpose();
    (basis.determinant().abs() > 0.5).then_some(basis)
}

/// The frame rate before version 6, a number or a text. Time modes had other numbers.
fn legacy_frame_rate(settings: &Node<'_>) -> Option<f64> {
    let node = settings.child("FrameRate")?;
    let rate = node.float(0).or_else(|| node.text(0)?.trim().parse().ok());
    rate.filter(|rate| RATE_RANGE.contains(rate))
}

fn frame_rate(properties: &Properties<'_>) -> f64 {
    let mode = properties.int("TimeMode").unwrap_or(0);
    let custom = properties.float("CustomFrameRate").filter(|rate| RATE_RANGE.contains(rate));
    match custom {
        Some(rate) if mode == CUSTOM_RATE => rate,
        _ => usize::try_from(mode).ok().and_then(|mode| RATES.get(mode).copied()).unwrap_or(DEFAULT_RATE),
    }
}
