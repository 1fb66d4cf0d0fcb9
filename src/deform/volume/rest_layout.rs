//! Rest layout: everything that depends only on mesh, weights and scope.
//!
//! In: mesh, weights, segments. Out: [`RestLayout`]. Cost: a few sorts and one measurement of the
//! rest shape, once per rig.

use glam::Vec3A;

use super::VolumeInputs;
use super::bend_factors::BendPairs;
use super::carry::Carry;
use super::coupling::CouplingLayout;
use super::frame::Frame;
use super::gaps::GapLayout;
use super::measure::{measure_volumes, read_positions};
use super::mesh_layout::MeshLayout;
use super::options::VolumeScope;
use super::parameters::Movable;
use super::pressure_step::PressureLayout;
use super::segments::Segments;
use super::tuning::VolumeTuning;
use super::wanted_volumes::JointShares;
use crate::deform::thickness::local_thickness;
use crate::model::Mesh;

/// Everything that depends only on mesh, weights and scope.
#[derive(Clone, Debug)]
pub(super) struct RestLayout {
    /// What has its volume preserved.
    pub scope: VolumeScope,
    /// The segments and their hole caps.
    pub segments: Segments,
    /// Vertices and triangles sorted by segment.
    pub mesh: MeshLayout,
    /// Triangles that segments share.
    pub coupling: CouplingLayout,
    /// Pairs of joints that share vertices.
    pub bend_pairs: BendPairs,
    /// Influences of segments on vertices, and interfaces; none for whole parts.
    pub pressure: Option<PressureLayout>,
    /// Samples of the surface that limit displacements; none for whole parts.
    pub gaps: GapLayout,
    /// Vertices of parts that lie on others.
    pub carry: Carry,
    /// The joints that each segment follows.
    pub joint_shares: JointShares,
    /// The slot of the vertex that positions are relative to: one near the centre of the mesh.
    pub origin_slot: usize,
    /// Rest position of that vertex.
    pub origin: Vec3A,
    /// Per slot, then per centroid: rest position relative to `origin`.
    pub positions: Vec<Vec3A>,
    /// Per slot: twice the area of its triangles.
    pub areas: Vec<f32>,
    /// Per slot: its largest displacement, by the thickness of the body there.
    pub max_displacements: Vec<f32>,
    /// Per segment.
    pub measures: Vec<RestMeasures>,
}

/// Measures of a segment at rest. Volumes are six-fold.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RestMeasures {
    /// Volume.
    pub volume: f64,
    /// Volume that errors are relative to.
    pub scale: f64,
    /// Largest displacement of its vertices.
    pub max_displacement: f64,
}

impl RestLayout {
    /// Lays out the mesh, and the scratch of a frame for it.
    pub(super) fn new(segments: Segments, inputs: &VolumeInputs, scope: VolumeScope) -> (Self, Frame) {
        let tolerance = inputs.tuning.maps.rigid_weight_tolerance;
        let mesh = MeshLayout::new(inputs.mesh, &segments, inputs.weights, tolerance);
        let is_local = scope == VolumeScope::Segments;
        let pressure = is_local.then(|| PressureLayout::new(inputs.weights, &segments, &mesh));
        let gaps = || GapLayout::new(inputs.mesh, inputs.weights, &segments, &mesh, &inputs.tuning.gaps);
        let gaps = if is_local { gaps() } else { GapLayout::default() };
        let carry = || Carry::new(inputs.mesh, &segments, &mesh, &gaps, &inputs.tuning.carry);
        let carry = if is_local { carry() } else { Carry::default() };
        let count = segments.segments().len();
        let slots = mesh.vertices.len();
        let mut rest = Self {
            scope,
            coupling: CouplingLayout::new(count, &mesh.shared_triangles(&segments)),
            bend_pairs: BendPairs::new(inputs.mesh, inputs.weights, &mesh.vertices),
            pressure,
            gaps,
            carry,
            joint_shares: JointShares::default(),
            origin_slot: central_slot(inputs.mesh, &mesh.vertices),
            origin: Vec3A::ZERO,
            positions: vec![Vec3A::ZERO; slots + mesh.centroid_ends.len()],
            areas: Vec::new(),
            max_displacements: Vec::new(),
            measures: vec![RestMeasures::default(); count],
            segments,
            mesh,
        };
        if is_local {
            let thickness = local_thickness(inputs.mesh, &rest.mesh.vertices);
            let share = inputs.tuning.displacement.thickness_share;
            rest.max_displacements = thickness.into_iter().map(|length| share * length).collect();
        }
        let mut frame = Frame::new(&rest);
        rest.measure(inputs.mesh, inputs.tuning, &mut frame);
        rest.joint_shares = JointShares::new(inputs.weights, &rest.mesh, &rest.areas);
        frame.growths.resize(rest.joint_shares.joints(), 0.0);
        (rest, frame)
    }

    /// Measures the rest shape, with the functions that measure a frame.
    fn measure(&mut self, mesh: &Mesh, tuning: &VolumeTuning, frame: &mut Frame) {
        let movable = Movable::all(&self.mesh);
        read_positions(self, &movable, frame, mesh.positions());
        measure_volumes(self, &movable, frame);
        self.origin = frame.origin;
        self.positions.copy_from_slice(&frame.positions);
        let areas = self.vertex_areas();
        for (segment, ranges) in self.mesh.ranges.iter().enumerate() {
            // Every triangle counts with twice its area at three corners.
            let area = areas[ranges.vertices.clone()].iter().sum::<f64>() / 6.0;
            let volume = frame.segments[segment].volume;
            let least = tuning.convergence.min_volume_scale * area.powf(1.5);
            let sphere_radius = (area / (4.0 * std::f64::consts::PI)).sqrt();
            self.measures[segment] = RestMeasures {
                volume,
                scale: volume.abs().max(least).max(f64::MIN_POSITIVE),
                max_displacement: tuning.displacement.max_displacement * sphere_radius,
            };
        }
        self.areas = areas.iter().map(|&area| area as f32).collect();
    }

    /// Per slot: twice the area of its triangles.
    fn vertex_areas(&self) -> Vec<f64> {
        let mut areas = vec![0.0_f64; self.mesh.vertices.len()];
        for triangle in self.mesh.triangles.iter().chain(&self.mesh.interface_triangles) {
            let [a, b, c] = triangle.map(|slot| self.positions[slot as usize].as_dvec3());
            let area = (b - a).cross(c - a).length();
            triangle.iter().for_each(|&slot| areas[slot as usize] += area);
        }
        areas
    }
}

/// The slot of the vertex nearest to the centre of the mesh.
fn central_slot(mesh: &Mesh, order: &[u32]) -> usize {
    let (low, high) = mesh.bounds();
    let centre = (low + high) * 0.5;
    let distance = |&v: &u32| mesh.positions()[v as usize].distance_squared(centre);
    let nearest = order.iter().enumerate().min_by(|(_, a), (_, b)| distance(a).total_cmp(&distance(b)));
    nearest.map_or(0, |(slot, _)| slot)
}
