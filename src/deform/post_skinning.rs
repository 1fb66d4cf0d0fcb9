//! Post-skinning corrections of a rig: volume correction and contacts, on the vertices that are
//! drawn.
//!
//! In, once: a [`Rig`] and [`PostSkinningOptions`]. In, per frame: posed render vertices by any
//! deformer. Out: the same, corrected. Corrections run on the welded solve mesh; all copies of a
//! vertex move by the same displacement, so that seams stay as they were. Normals are those of the
//! corrected surface, with the deviations they had at rest: hard edges stay hard, and edited
//! normals keep their angle to the surface. A frame that needs no correction keeps its bits. Cost
//! per frame: that of both corrections, and for normals one pass over the triangles. Nothing is
//! allocated.

use glam::{Mat4, Vec3};
use serde::{Deserialize, Serialize};

use super::Posed;
use super::contacts::{ContactTuning, Contacts};
use super::render_scatter::RenderScatter;
use super::volume::{Segments, VolumeCorrection, VolumeInputs, VolumeOptions, VolumeTuning};
use crate::model::{Rig, Weights};
use crate::report::Report;

/// Options of the corrections after skinning.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(default, deny_unknown_fields)]
pub struct PostSkinningOptions {
    /// Options of the volume correction; none for no correction.
    pub volume: Option<VolumeOptions>,
    /// Whether contacts prevent self-intersection in bent joints.
    pub fold_guard: bool,
}

/// The corrections of one rig.
#[derive(Clone, Debug)]
pub struct PostSkinning {
    volume: Option<VolumeCorrection>,
    contacts: Option<Contacts>,
    scatter: RenderScatter,
    render_vertices: usize,
}

impl PostSkinning {
    /// Prepares the corrections of a rig. `painted` multiplies γ, one factor per render vertex;
    /// empty for none.
    ///
    /// # Panics
    /// If `painted` is for another mesh.
    pub fn new(rig: &Rig, options: &PostSkinningOptions, painted: &[f32], report: &mut Report) -> Self {
        let mut post_skinning = Self::empty(rig);
        post_skinning.remap(rig, options, painted, report);
        post_skinning
    }

    /// The volume correction alone, with segments from [`Segments::new`] for the rig's welded
    /// weights and the scope of the options. Together with [`PostSkinning::add_contacts`] this is
    /// [`PostSkinning::new`] in steps, for callers that must not block for the sum of their times.
    ///
    /// # Panics
    /// If `painted` or `segments` are for another mesh.
    pub fn with_segments(segments: Segments, rig: &Rig, options: &VolumeOptions, painted: &[f32]) -> Self {
        let mut post_skinning = Self::empty(rig);
        let weights = Self::solve_weights(rig);
        let painted = post_skinning.solve_painted(rig, painted);
        let tuning = VolumeTuning::default();
        let inputs = volume_inputs(rig, &weights, &painted, &tuning);
        post_skinning.volume = Some(VolumeCorrection::with_segments(segments, &inputs, options));
        post_skinning
    }

    /// No corrections.
    fn empty(rig: &Rig) -> Self {
        let render_vertices = rig.asset.render.positions.len();
        Self { volume: None, contacts: None, scatter: RenderScatter::new(&rig.asset), render_vertices }
    }

    fn solve_painted(&self, rig: &Rig, painted: &[f32]) -> Vec<f32> {
        let is_complete = painted.is_empty() || painted.len() == rig.asset.render.positions.len();
        assert!(is_complete, "painted for all vertices or none");
        match painted {
            [] => Vec::new(),
            _ => self.scatter.gather(painted),
        }
    }

    /// Changes options or painted map for the same rig. Results that do not depend on them are
    /// kept.
    ///
    /// # Panics
    /// If `painted` is for another mesh.
    pub fn remap(&mut self, rig: &Rig, options: &PostSkinningOptions, painted: &[f32], report: &mut Report) {
        let weights = Self::solve_weights(rig);
        let painted = self.solve_painted(rig, painted);
        let tuning = VolumeTuning::default();
        let inputs = volume_inputs(rig, &weights, &painted, &tuning);
        match (&mut self.volume, &options.volume) {
            (Some(volume), Some(options)) => volume.remap(&inputs, options, report),
            (volume, options) => {
                *volume = options.as_ref().map(|options| VolumeCorrection::new(&inputs, options, report));
            }
        }
        if !options.fold_guard {
            self.contacts = None;
        } else if self.contacts.is_none() {
            self.contacts = Some(contacts_of(rig, &weights));
        }
        self.connect_contacts();
    }

    /// Sets which contact vertices the volume correction moves.
    fn connect_contacts(&mut self) {
        if let (Some(volume), Some(contacts)) = (&self.volume, &mut self.contacts) {
            contacts.set_volume_corrected(|vertex| volume.is_movable(vertex));
        }
    }

    /// Preserves the volumes of another rest shape: one position per render vertex.
    #[inline(never)]
    pub fn set_rest_volumes(&mut self, positions: &[Vec3]) {
        if let Some(volume) = &mut self.volume {
            volume.set_rest_volumes(&self.scatter.gather(positions));
        }
    }

    /// Adds contacts.
    pub fn add_contacts(&mut self, rig: &Rig) {
        self.contacts = Some(contacts_of(rig, &Self::solve_weights(rig)));
        self.connect_contacts();
    }

    /// The weights of a rig per vertex of the solve mesh: those of the first copy.
    pub fn solve_weights(rig: &Rig) -> Weights {
        rig.weights().gathered(rig.asset.render_from_solve().into_iter().map(|v| v as usize))
    }

    /// The volume correction, if there is one.
    pub fn volume(&self) -> Option<&VolumeCorrection> {
        self.volume.as_ref()
    }

    /// Volume that each segment received from its neighbours in the last frame; empty if volumes of
    /// segments are not preserved.
    pub fn interface_flux(&self) -> Vec<f64> {
        let records = self.volume.iter().flat_map(VolumeCorrection::records);
        records.filter(|record| record.segment.joint.is_some()).map(|record| record.interface_flux).collect()
    }

    /// The contacts, if there are any.
    pub fn contacts(&self) -> Option<&Contacts> {
        self.contacts.as_ref()
    }

    /// Positions of the solve mesh as skinned and as corrected in the last frame.
    pub fn solved(&self) -> [&[Vec3]; 2] {
        [&self.scatter.skinned, &self.scatter.posed]
    }

    /// Corrects a posed frame in place; `posed.normals` may be empty. Whether any vertex moved.
    ///
    /// # Panics
    /// If slices do not have the lengths of the rig's.
    pub fn correct(&mut self, posed_from_rest: &[Mat4], mut posed: Posed) -> bool {
        let Posed { positions, normals } = &posed;
        assert_eq!(positions.len(), self.render_vertices, "one position per render vertex");
        assert!(normals.is_empty() || normals.len() == positions.len(), "normals for all or none");
        self.scatter.read(&posed);
        let (contacts, at) = (self.contacts.as_mut(), &mut self.scatter.posed);
        let any_moves = match &mut self.volume {
            Some(volume) => volume.find(posed_from_rest, contacts, at),
            None => contacts.is_some_and(|contacts| contacts.project_to_contacts(posed_from_rest, at)),
        };
        if any_moves {
            self.scatter_moved(&mut posed);
        }
        any_moves
    }

    /// Moves the render vertices. The volume correction has the area vectors around the vertices
    /// that it moves, but not around those that only contacts move.
    fn scatter_moved(&mut self, posed: &mut Posed) {
        let moves_others = self.contacts.as_ref().is_some_and(Contacts::moves_other_vertices);
        match &mut self.volume {
            Some(volume) if !moves_others => return self.scatter.scatter_corrected(volume, posed),
            Some(volume) => volume.write(&mut self.scatter.posed, |_, _, _| ()),
            None => (),
        }
        self.scatter.scatter_all(posed);
    }
}

fn volume_inputs<'a>(
    rig: &'a Rig,
    weights: &'a Weights,
    painted: &'a [f32],
    tuning: &'a VolumeTuning,
) -> VolumeInputs<'a> {
    VolumeInputs { mesh: &rig.asset.mesh, weights, skeleton: &rig.skeleton, painted, tuning }
}

fn contacts_of(rig: &Rig, weights: &Weights) -> Contacts {
    Contacts::new(&rig.asset.mesh, weights, &rig.skeleton, &ContactTuning::default())
}
