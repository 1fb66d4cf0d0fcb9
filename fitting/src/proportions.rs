//! Where joints are relative to landmarks: a few ratios per joint, learned from labelled animals.

use glam::Vec3;

use crate::polyline;
use crate::stance::Leg;

/// The ratios of a joint. How many count depends on its [`Place`].
pub type Ratios = [f32; 3];

/// How the ratios of a joint become a place.
#[derive(Clone, Debug)]
pub enum Place {
    /// `origin + ratios * span`.
    Frame {
        /// Where all ratios are zero.
        origin: Vec3,
        /// What ratios of one add.
        span: Vec3,
    },
    /// At a fraction of the length of a line. Only the first ratio counts.
    Path(Vec<Vec3>),
    /// On a leg: the first ratio scales the distance from the plane, the second is the height and
    /// the third the offset to the front from the middle of the leg, both in heights of the trunk.
    Leg {
        /// Its centre line.
        leg: Leg,
        /// The plane of symmetry.
        plane: f32,
        /// The level of the ground.
        ground: f32,
        /// The height of the middle of the trunk above the ground.
        height: f32,
    },
}

impl Place {
    /// The place that ratios give.
    pub fn at(&self, ratios: Ratios) -> Vec3 {
        match self {
            Self::Frame { origin, span } => *origin + Vec3::from(ratios) * *span,
            Self::Path(points) => polyline::at(points, ratios[0]),
            Self::Leg { leg, plane, ground, height } => {
                let y = ground + ratios[1] * height;
                let middle = leg.at_height(y);
                let x = plane + (middle.x - plane) * ratios[0];
                Vec3::new(x, y, middle.z + ratios[2] * height)
            }
        }
    }

    /// How far a joint moves if each of its ratios changes by one.
    pub fn spans(&self) -> Ratios {
        match self {
            Self::Frame { span, .. } => span.abs().to_array(),
            Self::Path(points) => [polyline::length(points), 0.0, 0.0],
            Self::Leg { leg, plane, height, .. } => [(leg.foot.at.x - plane).abs(), *height, *height],
        }
    }

    /// The ratios that give a place: the inverse of [`Place::at`]. Used to learn them.
    pub fn ratios(&self, place: Vec3) -> Ratios {
        match self {
            Self::Frame { origin, span } => {
                let offset = place - *origin;
                [0, 1, 2].map(|i| if span[i].abs() > 1e-6 { offset[i] / span[i] } else { 0.0 })
            }
            Self::Path(points) => [polyline::nearest(points, place), 0.0, 0.0],
            Self::Leg { leg, plane, ground, height } => {
                let middle = leg.at_height(place.y);
                let beside = middle.x - plane;
                [
                    if beside.abs() > 1e-6 { (place.x - plane) / beside } else { 1.0 },
                    (place.y - ground) / height,
                    (place.z - middle.z) / height,
                ]
            }
        }
    }
}

/// A joint with its place.
#[derive(Clone, Debug)]
pub struct Placed {
    /// `front_foot.L` and so on.
    pub label: String,
    /// How its ratios become a place.
    pub place: Place,
}

/// One row of a table of ratios: the label without the side, the ratios, and how far those of an
/// author are from what is learned from the others.
pub type Row = (&'static str, Ratios, Ratios);

/// The error to expect of a joint at which its confidence is one half, in units of the body. With a
/// family of authors left out, 8 of 13 animals that are off by more than 10 % have a joint below
/// one half, and 3 of 20 others. If smaller, more of both.
const DOUBTFUL: f32 = 0.12;

/// The error to expect of any joint, beside the disagreement of authors. Where there is one author
/// nobody disagrees.
const LEAST_ERROR: f32 = 0.04;

/// The label without the side.
pub fn without_side(label: &str) -> &str {
    label.strip_suffix(".L").or_else(|| label.strip_suffix(".R")).unwrap_or(label)
}

/// The place of a joint by a table. `None` if the table lacks it.
pub fn place(table: &[Row], placed: &Placed) -> Option<Vec3> {
    let label = without_side(&placed.label);
    table.iter().find(|row| row.0 == label).map(|row| placed.place.at(row.1))
}

/// How sure the place of a joint by a table is, from 0 to 1: by how far authors disagree. 0 if it
/// has no place.
pub fn confidence(table: &[Row], places: &[Placed], label: &str) -> f32 {
    let Some(placed) = places.iter().find(|placed| placed.label == label) else { return 0.0 };
    let Some(row) = table.iter().find(|row| row.0 == without_side(label)) else { return 0.0 };
    let errors = row.2.iter().zip(placed.place.spans()).map(|(spread, span)| (spread * span).powi(2));
    let square = LEAST_ERROR.powi(2) + errors.sum::<f32>();
    1.0 / (1.0 + square / DOUBTFUL.powi(2))
}
