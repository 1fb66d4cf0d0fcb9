//! From triangles to a skeleton.

use std::collections::BTreeMap;
use std::fmt;

use glam::{Mat3, Quat, Vec3};
use serde::{Deserialize, Serialize};

use crate::body::Body;
use crate::detection::Detection;
use crate::facing::{self, HALF_TURN};
use crate::names::{self, Names};
use crate::plans::{
    BodyPlan, BodySkeleton, FitWarning, bird, fish, generic, humanoid, quadruped, snake, spider,
};
use crate::table::Table;
use crate::{fingers, frames};

/// The least extent of a mesh, in its units. Cells of a smaller one would have no extent at all.
const MIN_SIZE: f32 = 1e-30;

/// Confidence below which a joint is uncertain.
pub const UNCERTAIN: f32 = 0.5;

/// What is left of the confidence of joints of a flat mesh.
const FLAT_CONFIDENCE: f32 = 0.4;

/// What is known about a mesh before its skeleton is fitted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct FitOptions {
    /// The kind of body, if the user says so.
    pub plan: Option<BodyPlan>,
    /// Up and front, if the user says so.
    pub orientation: Option<Orientation>,
    /// Up and front, if the format of the file says so. Files do not always keep to it.
    pub promised: Option<Orientation>,
    /// Fingers of each hand, if the user says so.
    pub fingers: Option<usize>,
    /// Points that the user placed, in the space of the mesh: labels of joints, `chin`, `groin`.
    pub markers: BTreeMap<String, [f32; 3]>,
    /// How joints are named.
    pub names: Names,
}

/// Two perpendicular axes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Orientation {
    /// Towards the head, or the back of an animal.
    pub up: [f32; 3],
    /// Where the body looks.
    pub front: [f32; 3],
}

/// A skeleton for a mesh, in the space of the mesh. As JSON it is a skeleton file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct FittedSkeleton {
    /// The kind of body.
    pub plan: BodyPlan,
    /// How sure the plan is, from 0 to 1.
    pub plan_confidence: f32,
    /// Up and front.
    pub orientation: Orientation,
    /// How sure up and front are, from 0 to 1.
    pub orientation_confidence: f32,
    /// The extent of the mesh along `up`.
    pub height: f32,
    /// How sure the skeleton is as a whole, from 0 to 1.
    pub confidence: f32,
    /// What the user should know.
    pub warnings: Vec<FitWarning>,
    /// Parents come before their children.
    pub bones: Vec<FittedBone>,
}

/// A bone of a fitted skeleton.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct FittedBone {
    /// The name, in the convention that was asked for.
    pub name: String,
    /// The label: `upper_arm.L` and so on. Markers use it.
    pub label: String,
    /// Index of the parent, or -1.
    pub parent: i32,
    /// Where it is.
    pub head: [f32; 3],
    /// Where its bone ends.
    pub tail: [f32; 3],
    /// The rest frame, a unit quaternion (x, y, z, w) from the bone to the mesh. [`frames`] states
    /// the convention.
    pub rotation: [f32; 4],
    /// The standard bone, as VRM 1.0 names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub human: Option<String>,
    /// From 0 to 1.
    pub confidence: f32,
}

/// Why there is no skeleton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FitError {
    /// The mesh has no triangle, or no extent.
    Empty,
    /// A marker has a name that the plan does not know.
    UnknownMarker(String),
    /// Up and front are not perpendicular axes.
    BadOrientation,
}

impl fmt::Display for FitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("no skeleton can be fitted: the mesh has no triangles, or is flat"),
            Self::UnknownMarker(name) => write!(f, "this kind of body has no joint called {name}"),
            Self::BadOrientation => f.write_str("up and front are not perpendicular"),
        }
    }
}

impl std::error::Error for FitError {}

/// Fits skeletons to one mesh. What does not depend on markers is computed once.
pub struct Fitter {
    table: Table,
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    detected: Option<Detection>,
    /// The evidence that a humanoid looks to the front in an orientation.
    facing: Option<(Mat3, f32)>,
    /// The body for a rotation and a plan.
    body: Option<(Mat3, BodyPlan, PlacedBody)>,
}

/// Points that the user placed, by label, in the space of the body.
type Markers = Vec<(String, Vec3)>;

/// A body, and where it is in the mesh.
struct PlacedBody {
    body: Body,
    /// The vertices of the mesh in the space of the body.
    positions: Vec<Vec3>,
    /// Where the middle of the ground is, in the rotated space of the mesh.
    origin: Vec3,
    /// One unit of the body, in units of the mesh.
    unit: f32,
    /// The extent of the mesh along up.
    height: f32,
}

impl Fitter {
    /// Prepares to fit a mesh. Triangles with vertices that do not exist or are not finite do not
    /// count.
    ///
    /// # Errors
    /// If the mesh has no extent.
    pub fn new(table: Table, positions: Vec<Vec3>, mut triangles: Vec<[u32; 3]>) -> Result<Self, FitError> {
        triangles.retain(|triangle| {
            triangle.iter().all(|&v| positions.get(v as usize).is_some_and(|p| p.is_finite()))
        });
        let corners = || triangles.iter().flatten().map(|&v| positions[v as usize]);
        let low = corners().fold(Vec3::INFINITY, Vec3::min);
        let high = corners().fold(Vec3::NEG_INFINITY, Vec3::max);
        let size = (high - low).max_element();
        if !(size.is_finite() && size > MIN_SIZE) {
            return Err(FitError::Empty);
        }
        Ok(Self { table, positions, triangles, detected: None, facing: None, body: None })
    }

    /// Fits a skeleton.
    ///
    /// # Errors
    /// If the mesh is flat, a marker is unknown, or the orientation is none.
    pub fn fit(&mut self, options: &FitOptions) -> Result<FittedSkeleton, FitError> {
        let (rotation, orientation_confidence, plan, plan_confidence) = self.orient(options)?;
        self.place(rotation, plan)?;
        let Some((_, _, placed)) = &self.body else { return Err(FitError::Empty) };
        let to_body = |p: Vec3| (rotation * p - placed.origin) / placed.unit;
        let to_mesh = |p: Vec3| rotation.transpose() * (p * placed.unit + placed.origin);
        let (finger_markers, markers): (Markers, Markers) = options
            .markers
            .iter()
            .map(|(label, &at)| (label.clone(), to_body(Vec3::from(at))))
            .partition(|(label, _)| plan == BodyPlan::Humanoid && fingers::is_label(label));
        let mut skeleton = fit_plan(&self.table, plan, &placed.body, &markers)?;
        if options.plan.is_none() && self.detected.as_ref().is_some_and(Detection::is_flat) {
            skeleton.warnings.push(FitWarning {
                code: "flat".to_owned(),
                message: "The mesh is flat. Its skeleton follows its outline.".to_owned(),
            });
            skeleton.joints.iter_mut().for_each(|joint| joint.confidence *= FLAT_CONFIDENCE);
        }
        let confidence = skeleton.joints.iter().map(|joint| joint.confidence).fold(1.0, f32::min);
        if plan == BodyPlan::Humanoid {
            fingers::add(&mut skeleton, &placed.positions, &self.triangles, options.fingers);
            fingers::hold(&mut skeleton, &finger_markers);
        }
        let axes = rotation.transpose();
        let mesh_from_body = Quat::from_mat3(&axes);
        let frames = frames::rest_frames(&skeleton.joints);
        let bones = skeleton
            .joints
            .into_iter()
            .zip(frames)
            .map(|(joint, frame)| FittedBone {
                name: options.names.name(&joint.label),
                parent: joint.parent.map_or(-1, |parent| parent as i32),
                head: to_mesh(joint.head).to_array(),
                tail: to_mesh(joint.tail).to_array(),
                rotation: (mesh_from_body * frame).normalize().to_array(),
                human: (plan == BodyPlan::Humanoid).then(|| names::human_bone(&joint.label)).flatten(),
                confidence: joint.confidence,
                label: joint.label,
            })
            .collect();
        Ok(FittedSkeleton {
            plan,
            plan_confidence,
            orientation: Orientation { up: axes.y_axis.to_array(), front: axes.z_axis.to_array() },
            orientation_confidence,
            height: placed.height,
            confidence: confidence.min(orientation_confidence).min(plan_confidence),
            warnings: skeleton.warnings,
            bones,
        })
    }

    /// The rotation into the space of the body, the plan, and how sure both are.
    fn orient(&mut self, options: &FitOptions) -> Result<(Mat3, f32, BodyPlan, f32), FitError> {
        let known = options.orientation.map(rotation_of).transpose()?;
        let promised = options.promised.map(rotation_of).transpose()?;
        if let (Some(rotation), Some(plan)) = (known, options.plan) {
            return Ok((rotation, 1.0, plan, 1.0));
        }
        let network = &self.table.orientation;
        let detected = match self.detected.take() {
            Some(detected) if detected.suits(known) => detected,
            _ => Detection::new(network, known, &self.positions, &self.triangles),
        };
        let detected = self.detected.insert(detected);
        let choice = detected.choose(known, promised, options.plan);
        if choice.plan != BodyPlan::Humanoid || known.is_some() {
            return Ok((choice.rotation, choice.rotation_confidence, choice.plan, choice.plan_confidence));
        }
        let margin = detected.front_margin(&choice.rotation);
        let is_promised = |front: Mat3| promised.is_some_and(|p| p.abs_diff_eq(front, 1e-3));
        let promise = if is_promised(choice.rotation) {
            facing::PROMISE
        } else if is_promised(HALF_TURN * choice.rotation) {
            -facing::PROMISE
        } else {
            0.0
        };
        let evidence = self.face(choice.rotation, margin)? + promise;
        let rotation = if evidence < 0.0 { HALF_TURN * choice.rotation } else { choice.rotation };
        // The network may be unsure of front and back alone, which the fits decide.
        let confidence =
            detected_confidence(choice.rotation_confidence, margin, facing::confidence(evidence));
        Ok((rotation, confidence, choice.plan, choice.plan_confidence))
    }

    /// The evidence that a humanoid looks to the front in an orientation, not to the back.
    /// `margin` is how much more it looks like one to the front by the network of orientations.
    fn face(&mut self, rotation: Mat3, margin: f32) -> Result<f32, FitError> {
        if let Some((_, evidence)) = self.facing.filter(|(known, _)| *known == rotation) {
            return Ok(evidence);
        }
        self.place(rotation, BodyPlan::Humanoid)?;
        let Some((_, _, placed)) = &self.body else { return Err(FitError::Empty) };
        let evidence = facing::Evidence::new(&self.table, &placed.body, margin).sum();
        self.facing = Some((rotation, evidence));
        Ok(evidence)
    }

    /// Computes the body, if it is not the one that is there.
    fn place(&mut self, rotation: Mat3, plan: BodyPlan) -> Result<(), FitError> {
        if self.body.as_ref().is_some_and(|(r, p, _)| *r == rotation && *p == plan) {
            return Ok(());
        }
        let corners = || self.triangles.iter().flatten().map(|&v| rotation * self.positions[v as usize]);
        let low = corners().fold(Vec3::INFINITY, Vec3::min);
        let high = corners().fold(Vec3::NEG_INFINITY, Vec3::max);
        let (size, height) = (high - low, high.y - low.y);
        let unit = if plan == BodyPlan::Humanoid { height } else { size.max_element() };
        // A body that is this flat cannot stand.
        if unit <= 1e-2 * size.max_element() {
            return Err(FitError::Empty);
        }
        let origin = Vec3::new(0.5 * (low.x + high.x), low.y, 0.5 * (low.z + high.z));
        let positions: Vec<Vec3> = self.positions.iter().map(|&p| (rotation * p - origin) / unit).collect();
        let body = if plan == BodyPlan::Humanoid {
            Body::of_mesh(&positions, &self.triangles)
        } else {
            Body::of_animal(&positions, &self.triangles)
        };
        self.body = Some((rotation, plan, PlacedBody { body, positions, origin, unit, height }));
        Ok(())
    }
}

impl Fitter {
    /// Whether a point is in the body that was fitted last, or at most one cell of its lattice
    /// beside it. True before the first fit.
    pub fn contains(&self, point: Vec3) -> bool {
        self.body.as_ref().is_none_or(|(rotation, _, placed)| {
            let at = (*rotation * point - placed.origin) / placed.unit;
            placed.body.distance(at) <= placed.body.lattice.cell
        })
    }
}

/// How sure up and front are. The network's own doubt counts as far as it is not about front and
/// back, which the fits decide.
fn detected_confidence(network: f32, margin: f32, facing: f32) -> f32 {
    let is_about_facing = margin.abs() / 0.5 <= network + 1e-3;
    if is_about_facing { facing } else { network.max(UNCERTAIN).min(facing) }
}

/// The joints of a plan.
fn fit_plan(
    table: &Table,
    plan: BodyPlan,
    body: &Body,
    markers: &[(String, Vec3)],
) -> Result<BodySkeleton, FitError> {
    match plan {
        BodyPlan::Humanoid => humanoid::fit(table, body, markers),
        BodyPlan::Quadruped => quadruped::fit(body, markers, quadruped::RATIOS),
        BodyPlan::Bird => bird::fit(body, markers, None),
        BodyPlan::Fish => fish::fit(body, markers, fish::RATIOS),
        BodyPlan::Snake => snake::fit(body, markers),
        BodyPlan::Spider => spider::fit(body, markers, spider::RATIOS),
        BodyPlan::Generic => generic::fit(body, markers),
    }
}

/// The rotation that takes up to Y and front to Z.
fn rotation_of(orientation: Orientation) -> Result<Mat3, FitError> {
    let [up, front] = [orientation.up, orientation.front].map(|axis| Vec3::from(axis).try_normalize());
    let (Some(up), Some(front)) = (up, front) else { return Err(FitError::BadOrientation) };
    if up.dot(front).abs() > 1e-3 {
        return Err(FitError::BadOrientation);
    }
    Ok(Mat3::from_cols(up.cross(front), up, front).transpose())
}
