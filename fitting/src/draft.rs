//! A skeleton while it is put together: joints by label, markers, tails.

use std::collections::BTreeMap;

use glam::Vec3;

use crate::body::Body;
use crate::fit::FitError;
use crate::plans::{BodyJoint, BodySkeleton, FitWarning};

/// Rounds of relaxation after which displacements by markers have settled.
const ROUNDS: usize = 400;

/// Joints of both sides that mirror each other within this distance follow each other's markers.
const LEAST_MIRRORED: f32 = 0.03;

/// A skeleton while it is put together.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    joints: Vec<BodyJoint>,
    /// Leaf joints whose bones end at a given place.
    ends: BTreeMap<usize, Vec3>,
    warnings: Vec<FitWarning>,
}

impl Draft {
    /// Adds a joint. The parent is `None` for the root, or a label that was added before.
    pub fn add(&mut self, label: impl Into<String>, parent: Option<&str>, at: Vec3, confidence: f32) {
        let parent = parent.and_then(|parent| self.find(parent));
        let parent = if parent.is_none() && !self.joints.is_empty() { Some(0) } else { parent };
        let joint = BodyJoint {
            label: label.into(),
            parent,
            head: at,
            tail: at,
            confidence: confidence.clamp(0.0, 1.0),
        };
        self.joints.push(joint);
    }

    /// Says where the bone of the joint that was added last ends.
    pub fn end(&mut self, at: Vec3) {
        self.ends.insert(self.joints.len().saturating_sub(1), at);
    }

    /// Tells the user something.
    pub fn warn(&mut self, code: &str, message: impl Into<String>) {
        self.warnings.push(FitWarning { code: code.to_owned(), message: message.into() });
    }

    /// The index of a joint.
    pub fn find(&self, label: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.label == label)
    }

    /// The skeleton: joints with markers are there, and the others follow. `plane` is the plane of
    /// symmetry.
    ///
    /// # Errors
    /// If a marker is not a joint.
    pub fn finish(
        mut self,
        body: &Body,
        plane: f32,
        markers: &[(String, Vec3)],
    ) -> Result<BodySkeleton, FitError> {
        self.put_tails(body);
        self.follow(plane, markers)?;
        Ok(BodySkeleton { joints: self.joints, warnings: self.warnings })
    }

    /// A bone ends at the child that continues it best; a leaf at its given end or on the surface.
    fn put_tails(&mut self, body: &Body) {
        for index in 0..self.joints.len() {
            let head = self.joints[index].head;
            let incoming = self.joints[index].parent.map(|parent| head - self.joints[parent].head);
            let direction = incoming.unwrap_or(Vec3::ZERO).normalize_or(Vec3::Y);
            let children = || self.joints.iter().filter(|joint| joint.parent == Some(index));
            let along = |joint: &&BodyJoint| {
                let offset = joint.head - head;
                let is_middle = !joint.label.contains('.');
                offset.normalize_or_zero().dot(direction) + f32::from(u8::from(is_middle))
            };
            let next = children().max_by(|a, b| along(a).total_cmp(&along(b))).map(|child| child.head);
            let least = (0.3 * incoming.map_or(0.1, Vec3::length)).clamp(0.01, 0.05);
            let tail = next
                .filter(|next| next.distance(head) > 1e-4)
                .or_else(|| self.ends.get(&index).copied().filter(|end| end.distance(head) > 0.3 * least))
                .unwrap_or_else(|| surface_along(body, head, direction, least));
            self.joints[index].tail = tail;
        }
    }

    /// Moves joints to their markers. The displacement of the others is the mean of those of their
    /// neighbours, weighted by one over the length of the bone between; the ends of leaf bones
    /// stay.
    fn follow(&mut self, plane: f32, markers: &[(String, Vec3)]) -> Result<(), FitError> {
        let mut pins: BTreeMap<usize, Vec3> = BTreeMap::new();
        for (label, at) in markers {
            let index = self.find(label).ok_or_else(|| FitError::UnknownMarker(label.clone()))?;
            pins.insert(index, *at - self.joints[index].head);
        }
        if pins.is_empty() {
            return Ok(());
        }
        let flip = |p: Vec3| Vec3::new(2.0 * plane - p.x, p.y, p.z);
        for (index, offset) in pins.clone() {
            let twin = twin(&self.joints[index].label).and_then(|label| self.find(&label));
            if let Some(twin) = twin.filter(|twin| !pins.contains_key(twin))
                && flip(self.joints[twin].head).distance(self.joints[index].head) < LEAST_MIRRORED
            {
                pins.insert(twin, Vec3::new(-offset.x, offset.y, offset.z));
            }
        }
        let count = self.joints.len();
        let mut edges: Vec<Vec<(Option<usize>, f32)>> = vec![Vec::new(); count];
        let mut is_leaf = vec![true; count];
        for index in 0..count {
            if let Some(parent) = self.joints[index].parent {
                let weight = 1.0 / self.joints[index].head.distance(self.joints[parent].head).max(1e-3);
                edges[index].push((Some(parent), weight));
                edges[parent].push((Some(index), weight));
                is_leaf[parent] = false;
            }
        }
        for index in (0..count).filter(|&index| is_leaf[index]) {
            let joint = &self.joints[index];
            edges[index].push((None, 1.0 / joint.head.distance(joint.tail).max(1e-3)));
        }
        let mut offsets = vec![Vec3::ZERO; count];
        for _ in 0..ROUNDS {
            for index in (0..count).chain((0..count).rev()) {
                offsets[index] = pins.get(&index).copied().unwrap_or_else(|| {
                    let (mut sum, mut total) = (Vec3::ZERO, 0.0);
                    for &(other, weight) in &edges[index] {
                        sum += other.map_or(Vec3::ZERO, |other| offsets[other]) * weight;
                        total += weight;
                    }
                    sum / f32::max(total, 1e-9)
                });
            }
        }
        let old: Vec<Vec3> = self.joints.iter().map(|joint| joint.head).collect();
        for index in 0..count {
            let pinned = pins.contains_key(&index);
            let tail = self.joints[index].tail;
            // The tail is the head of a child, or the end of a leaf.
            let child = (0..count).find(|&c| self.joints[c].parent == Some(index) && old[c] == tail);
            let offset = offsets[index];
            let joint = &mut self.joints[index];
            joint.head += offset;
            joint.tail = match child {
                Some(child) => old[child] + offsets[child],
                None if pinned => tail + offset,
                None => tail,
            };
        }
        for (label, at) in markers {
            if let Some(index) = self.find(label) {
                self.joints[index].head = *at;
                self.joints[index].confidence = 1.0;
            }
        }
        Ok(())
    }
}

/// The label of the other side.
pub fn twin(label: &str) -> Option<String> {
    match label.rsplit_once('.')? {
        (part, "L") => Some(format!("{part}.R")),
        (part, "R") => Some(format!("{part}.L")),
        _ => None,
    }
}

/// Where a ray leaves the body, but at least `least` from its start.
pub fn surface_along(body: &Body, from: Vec3, direction: Vec3, least: f32) -> Vec3 {
    let direction = direction.normalize_or(Vec3::Y);
    let step = 0.5 * body.lattice.cell;
    let mut reach = least;
    while reach < least + 0.1 && body.distance(from + direction * (reach + step)) < 0.0 {
        reach += step;
    }
    from + direction * reach
}
