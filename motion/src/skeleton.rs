//! Skeletons and clips as plain data, and forward kinematics.
//!
//! The fields of a joint have the names of the library's `Joint`, so that its serialised form is
//! read here.

use glam::{DAffine3, DMat3, DQuat, DVec3, Vec3};
use serde::{Deserialize, Serialize};

use crate::bone::Bone;

/// Translation, rotation and scale of a joint relative to its parent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trs {
    /// Applied last.
    pub translation: DVec3,
    /// Applied second; a unit quaternion.
    pub rotation: DQuat,
    /// Applied first.
    pub scale: DVec3,
}

impl Trs {
    /// As a matrix.
    pub fn to_affine(&self) -> DAffine3 {
        DAffine3::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }
}

/// A node of the hierarchy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Joint {
    /// Its name.
    pub name: String,
    /// Index of the parent.
    pub parent: Option<usize>,
    /// world_from_joint in the rest pose.
    pub rest: DAffine3,
    /// The transform of the node, where clips start.
    pub local: Trs,
    /// The tail of its bone, if the file has one.
    #[serde(default)]
    pub tail: Option<Vec3>,
    /// The standard bone that a file or a fit assigns to it.
    #[serde(default)]
    pub human: Option<Bone>,
    /// Whether simulations or constraints move it.
    #[serde(default)]
    pub is_secondary: bool,
}

/// Joints with their order and rest rotations.
#[derive(Clone, Debug, PartialEq)]
pub struct Skeleton {
    joints: Vec<Joint>,
    parents_first: Vec<usize>,
    children: Vec<Vec<usize>>,
    rest_rotations: Vec<DQuat>,
}

impl Skeleton {
    /// `None` if a parent does not exist, a joint is its own ancestor, or a frame is not finite.
    pub fn new(joints: Vec<Joint>) -> Option<Self> {
        let mut children = vec![Vec::new(); joints.len()];
        let mut order = Vec::with_capacity(joints.len());
        for (index, joint) in joints.iter().enumerate() {
            let Trs { translation, rotation, scale } = joint.local;
            let is_finite = joint.rest.is_finite()
                && translation.is_finite()
                && rotation.is_finite()
                && rotation.length_squared() > 0.0
                && scale.is_finite();
            if !is_finite {
                return None;
            }
            match joint.parent {
                None => order.push(index),
                Some(parent) => children.get_mut(parent)?.push(index),
            }
        }
        let mut next = 0;
        while next < order.len() {
            order.extend_from_slice(&children[order[next]]);
            next += 1;
        }
        if order.len() != joints.len() {
            return None;
        }
        let rest_rotations = joints.iter().map(|joint| rotation_of(&joint.rest.matrix3)).collect();
        Some(Self { joints, parents_first: order, children, rest_rotations })
    }

    /// The joints, in the order of the file.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Every joint after its parent.
    pub fn parents_first(&self) -> &[usize] {
        &self.parents_first
    }

    /// The children of a joint.
    pub fn children(&self, joint: usize) -> &[usize] {
        &self.children[joint]
    }

    /// The world rotation of every joint in the rest pose.
    pub fn rest_rotations(&self) -> &[DQuat] {
        &self.rest_rotations
    }

    /// The head of a joint in the rest pose.
    pub fn head(&self, joint: usize) -> DVec3 {
        self.joints[joint].rest.translation
    }

    /// A joint and its ancestors, upwards.
    pub fn upwards(&self, joint: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(joint), |&joint| self.joints[joint].parent)
    }

    /// Whether `joint` is `ancestor` or below it.
    pub fn is_below(&self, joint: usize, ancestor: usize) -> bool {
        self.upwards(joint).any(|above| above == ancestor)
    }

    /// The joint and everything below it, parents first.
    pub fn subtree(&self, joint: usize) -> Vec<usize> {
        let mut found = vec![joint];
        let mut next = 0;
        while next < found.len() {
            found.extend_from_slice(&self.children[found[next]]);
            next += 1;
        }
        found
    }

    /// The rotation of the rest frame relative to that of the parent.
    pub fn rest_local_rotation(&self, joint: usize) -> DQuat {
        let rotation = self.rest_rotations[joint];
        self.joints[joint].parent.map_or(rotation, |parent| self.rest_rotations[parent].inverse() * rotation)
    }

    /// The rest frame relative to that of the parent.
    pub fn rest_local(&self, joint: usize) -> DAffine3 {
        let Joint { parent, rest, .. } = &self.joints[joint];
        parent.map_or(*rest, |parent| self.joints[parent].rest.inverse() * *rest)
    }

    /// The transforms of the nodes.
    pub fn locals(&self) -> Vec<Trs> {
        self.joints.iter().map(|joint| joint.local).collect()
    }

    /// world_from_joint and the world rotation of every joint.
    pub fn world(&self, locals: &[Trs]) -> World {
        let mut world = World {
            frames: vec![DAffine3::IDENTITY; locals.len()],
            rotations: vec![DQuat::IDENTITY; locals.len()],
        };
        for &joint in &self.parents_first {
            world.update(self, joint, &locals[joint]);
        }
        world
    }

    /// The first joint with this name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }
}

/// Frames of all joints in space.
#[derive(Clone, Debug)]
pub struct World {
    /// world_from_joint.
    pub frames: Vec<DAffine3>,
    /// The rotations alone, without scales.
    pub rotations: Vec<DQuat>,
}

impl World {
    /// Computes a joint from its parent and its local transform.
    pub fn update(&mut self, skeleton: &Skeleton, joint: usize, local: &Trs) {
        let (frame, rotation) = match skeleton.joints[joint].parent {
            Some(parent) => (self.frames[parent], self.rotations[parent]),
            None => (DAffine3::IDENTITY, DQuat::IDENTITY),
        };
        self.frames[joint] = frame * local.to_affine();
        self.rotations[joint] = (rotation * local.rotation).normalize();
    }

    /// The head of a joint.
    pub fn head(&self, joint: usize) -> DVec3 {
        self.frames[joint].translation
    }
}

/// The rotation of a matrix without its scale and shear.
pub fn rotation_of(matrix: &DMat3) -> DQuat {
    let sign = if matrix.determinant() < 0.0 { -1.0 } else { 1.0 };
    let x = (matrix.x_axis * sign).try_normalize().unwrap_or(DVec3::X);
    let y = (matrix.y_axis - x * x.dot(matrix.y_axis)).try_normalize();
    let y = y.unwrap_or_else(|| x.any_orthonormal_vector());
    DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y)))
}

/// How a track interpolates between keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolation {
    /// Constant until the next key.
    Step,
    /// Linear, or spherical linear.
    Linear,
    /// Cubic Hermite; in-tangent, value and out-tangent per key.
    Cubic,
}

/// The keys of a property.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Translations relative to the parent.
    Translation(Vec<DVec3>),
    /// Rotations relative to the parent.
    Rotation(Vec<DQuat>),
    /// Scales.
    Scale(Vec<DVec3>),
}

/// The keys of one property of one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Joint index.
    pub joint: usize,
    /// Seconds, strictly increasing.
    pub times: Vec<f32>,
    /// Between keys.
    pub interpolation: Interpolation,
    /// One per key; three for [`Interpolation::Cubic`].
    pub values: Values,
}

/// A named animation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clip {
    /// Its name.
    pub name: String,
    /// At most one per joint and property.
    pub tracks: Vec<Track>,
}

impl Clip {
    /// The time of the last key, in seconds.
    pub fn duration(&self) -> f32 {
        self.tracks.iter().filter_map(|track| track.times.last().copied()).fold(0.0, f32::max)
    }

    /// The local transforms at `time` seconds.
    pub fn sample(&self, skeleton: &Skeleton, time: f32) -> Vec<Trs> {
        let mut locals = skeleton.locals();
        for track in &self.tracks {
            if let Some(local) = locals.get_mut(track.joint) {
                track.sample_into(time, local);
            }
        }
        locals
    }
}

impl Track {
    fn sample_into(&self, time: f32, local: &mut Trs) {
        let after = self.times.partition_point(|&at| at <= time);
        let last = self.times.len() - 1;
        let (from, to) = (after.saturating_sub(1).min(last), after.min(last));
        let seconds = f64::from(self.times[to]) - f64::from(self.times[from]);
        let t = if seconds > 0.0 { (f64::from(time) - f64::from(self.times[from])) / seconds } else { 0.0 };
        let t = if self.interpolation == Interpolation::Step { 0.0 } else { t.clamp(0.0, 1.0) };
        match &self.values {
            Values::Translation(values) => local.translation = self.vector(values, (from, to, t, seconds)),
            Values::Scale(values) => local.scale = self.vector(values, (from, to, t, seconds)),
            Values::Rotation(values) => local.rotation = self.rotation(values, (from, to, t, seconds)),
        }
    }

    fn vector(&self, values: &[DVec3], (from, to, t, seconds): (usize, usize, f64, f64)) -> DVec3 {
        match self.interpolation {
            Interpolation::Cubic => {
                let [p0, m0, m1, p1] = hermite(t, seconds);
                values[3 * from + 1] * p0
                    + values[3 * from + 2] * m0
                    + values[3 * to] * m1
                    + values[3 * to + 1] * p1
            }
            _ => values[from].lerp(values[to], t),
        }
    }

    fn rotation(&self, values: &[DQuat], (from, to, t, seconds): (usize, usize, f64, f64)) -> DQuat {
        match self.interpolation {
            Interpolation::Cubic => {
                let [p0, m0, m1, p1] = hermite(t, seconds);
                let blend = values[3 * from + 1] * p0
                    + values[3 * from + 2] * m0
                    + values[3 * to] * m1
                    + values[3 * to + 1] * p1;
                if blend.length_squared() > 0.0 { blend.normalize() } else { values[3 * from + 1] }
            }
            _ => crate::trig::slerp(values[from], values[to], t),
        }
    }
}

/// The four Hermite basis values: start value, start tangent, end tangent, end value.
fn hermite(t: f64, seconds: f64) -> [f64; 4] {
    let (t2, t3) = (t * t, t * t * t);
    [2.0 * t3 - 3.0 * t2 + 1.0, seconds * (t3 - 2.0 * t2 + t), seconds * (t3 - t2), 3.0 * t2 - 2.0 * t3]
}
