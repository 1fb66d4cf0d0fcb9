//! From triangles to a skeleton.

use glam::{Mat3, Vec3};

use crate::body::Body;
use crate::ensemble::{self, Pin, STARTS};
use crate::humanoid::{self, HUMANOID};
use crate::lattice::Lattice;
use crate::table::Table;
use crate::{orientation, voxels};

/// Cells along the longest side of the box, to find the orientation.
const ORIENTATION_CELLS: f32 = 56.0;

/// How much more an orientation must look like a body than the one the file promises. If larger,
/// files that break their promise are not noticed; if smaller, doubtful ones are turned.
const PROMISE: f32 = 0.15;

/// The spread between starts, in heights, at which the confidence of a joint is one half.
const DOUBTFUL_SPREAD: f32 = 0.012;

/// Confidence below which a joint is uncertain.
pub const UNCERTAIN: f32 = 0.5;

/// A mesh and what is known about it.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// In the space of the mesh.
    pub positions: &'a [Vec3],
    /// Three vertices each.
    pub triangles: &'a [[u32; 3]],
    /// Up and front, if the user says so.
    pub orientation: Option<[Vec3; 2]>,
    /// Up and front, if the format of the file says so. Files do not always keep to it.
    pub promised: Option<[Vec3; 2]>,
    /// Joints that the user placed, by label.
    pub markers: &'a [(String, Vec3)],
}

/// A skeleton for a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// Where up is, in the space of the mesh.
    pub up: Vec3,
    /// Where the body looks.
    pub front: Vec3,
    /// How sure up and front are, from 0 to 1.
    pub orientation_confidence: f32,
    /// The extent of the mesh along `up`.
    pub height: f32,
    /// Parents come before their children.
    pub joints: Vec<FittedJoint>,
}

/// A joint of a fitted skeleton.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedJoint {
    /// The label: `upper_arm.L` and so on.
    pub name: &'static str,
    /// Index of the parent.
    pub parent: Option<usize>,
    /// Where it is, in the space of the mesh.
    pub head: Vec3,
    /// Where its bone ends.
    pub tail: Vec3,
    /// From 0 to 1.
    pub confidence: f32,
}

/// Why there is no skeleton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FitError {
    /// The mesh has no triangle, or no extent.
    Empty,
    /// A marker has a name that no joint has.
    UnknownMarker,
}

/// Fits the skeleton of a humanoid.
///
/// # Errors
/// If the mesh is empty or flat, or a marker is unknown.
pub fn fit_humanoid(table: &Table, request: &Request<'_>) -> Result<Fitted, FitError> {
    let (low, high) = bounds(request).ok_or(FitError::Empty)?;
    let (rotation, orientation_confidence) = orient(table, request, low, high);
    let turned: Vec<Vec3> = request.positions.iter().map(|&p| rotation * p).collect();
    let corners = [low, high].map(|p| rotation * p);
    let (low, high) = (corners[0].min(corners[1]), corners[0].max(corners[1]));
    let height = high.y - low.y;
    if height <= 1e-3 * (high - low).max_element() {
        return Err(FitError::Empty);
    }
    let origin = Vec3::new(0.5 * (low.x + high.x), low.y, 0.5 * (low.z + high.z));
    let to_body = |p: Vec3| (p - origin) / height;
    let positions: Vec<Vec3> = turned.into_iter().map(to_body).collect();
    let body = Body::of_mesh(&positions, request.triangles);
    let pins = request
        .markers
        .iter()
        .map(|(name, position)| {
            let joint = HUMANOID.joints.iter().position(|joint| joint.name == name)?;
            Some(Pin { joint, position: to_body(rotation * *position) })
        })
        .collect::<Option<Vec<Pin>>>()
        .ok_or(FitError::UnknownMarker)?;
    let (places, spreads) = ensemble::fit(&table.humanoid, &HUMANOID, &body, STARTS, &pins);
    let confidences: Vec<f32> =
        spreads.iter().map(|spread| 1.0 / (1.0 + (spread / DOUBTFUL_SPREAD).powi(2))).collect();
    let to_mesh = |p: Vec3| rotation.transpose() * (p * height + origin);
    let mut joints = humanoid::skeleton(&body, &places, &confidences);
    for joint in &mut joints {
        (joint.head, joint.tail) = (to_mesh(joint.head), to_mesh(joint.tail));
    }
    let axes = rotation.transpose();
    Ok(Fitted { up: axes.y_axis, front: axes.z_axis, orientation_confidence, height, joints })
}

/// The box of the finite corners of triangles. `None` without any.
fn bounds(request: &Request<'_>) -> Option<(Vec3, Vec3)> {
    let corners = request.triangles.iter().flatten().map(|&v| request.positions[v as usize]);
    let (low, high) = corners
        .filter(|p| p.is_finite())
        .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
    (high - low).is_finite().then_some((low, high)).filter(|(low, high)| (*high - *low).max_element() > 0.0)
}

/// The rotation into the space of the body, and how sure it is.
fn orient(table: &Table, request: &Request<'_>, low: Vec3, high: Vec3) -> (Mat3, f32) {
    let towards = |[up, front]: [Vec3; 2]| Mat3::from_cols(up.cross(front), up, front).transpose();
    if let Some(known) = request.orientation {
        return (towards(known), 1.0);
    }
    let cell = (high - low).max_element() / ORIENTATION_CELLS;
    let lattice = Lattice::around(low, high, cell, 1);
    let inside = voxels::inside(&lattice, request.positions, request.triangles);
    let points: Vec<Vec3> = (0..lattice.len())
        .filter(|&cell| inside[cell])
        .map(|cell| lattice.centre(lattice.coordinates(cell)))
        .collect();
    let rotations = orientation::rotations();
    let promised = request.promised.map(towards);
    let mut ranked: Vec<(f32, Mat3)> = orientation::scores(&table.orientation, &points)
        .into_iter()
        .zip(rotations)
        .map(|(score, rotation)| {
            (score[0] + if promised == Some(rotation) { PROMISE } else { 0.0 }, rotation)
        })
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let margin = ranked[0].0 - ranked[1].0;
    (ranked[0].1, (margin / 0.5).clamp(0.0, 1.0))
}
