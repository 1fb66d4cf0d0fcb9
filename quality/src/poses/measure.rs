//! Measures the corrections of one rig in its poses.

use std::sync::Arc;

use glam::{Mat4, Vec3};
use pliant::deform::{
    ConnectedParts, CorrectionMap, CorrectionMode, Deformer, Posed, PostSkinning, PostSkinningOptions, Rest,
    Scratch, Segments, Skin, VolumeOptions, VolumeScope, deform,
};
use pliant::model::{Asset, Rig, Topology, Weights};
use pliant::pipeline::{Method, Pipeline, Recipe, Silent};
use pliant::quality::{largest_stretch, local_thickness, self_intersections};
use pliant::report::Report;
use serde::Serialize;

use super::sweep::{self, NamedPose};
use crate::cpu_clock::CpuClock;
use crate::rigs::ModelFile;

/// Share of the volume of the whole below which a part or a segment is not listed as the worst.
const MIN_SHARE: f64 = 0.01;

/// Where the weights of a measured rig come from.
pub const WEIGHTS: [&str; 3] = ["source", "heat", "atlas"];

/// The measures of one pose.
#[derive(Clone, Debug, Serialize)]
pub struct PoseMeasures {
    /// Path below the folder of models.
    pub file: String,
    /// Who made it.
    pub source: String,
    /// One of [`WEIGHTS`].
    pub weights: &'static str,
    /// The pose.
    pub pose: String,
    /// Errors of volumes in percent.
    pub skinned: VolumeErrors,
    /// The same after volume `local` and contacts.
    pub corrected: VolumeErrors,
    /// The same in paper mode.
    pub paper: VolumeErrors,
    /// Pairs of triangles that intersect and do not at rest: skinned, by contacts alone, corrected.
    pub cuts: [usize; 3],
    /// Those of them between different connected parts.
    pub cuts_between_parts: [usize; 3],
    /// Largest ratio of an edge to its length at rest: skinned, by contacts alone, corrected.
    pub stretch: [f32; 3],
    /// Largest displacement relative to the local thickness: by contacts alone, corrected.
    pub by_thickness: [f32; 2],
    /// Largest displacement by the correction relative to the diagonal.
    pub by_size: f32,
    /// CPU time of the correction of a frame.
    pub milliseconds: f64,
    /// Vertices of the solve mesh.
    pub vertices: usize,
}

/// Errors of raw volumes, without any exchange between segments, in percent.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct VolumeErrors {
    /// Of the sum of all parts.
    pub whole: f64,
    /// Of the part with the largest error.
    pub worst_part: f64,
    /// The sum of the errors of all segments, relative to the whole.
    pub segments: f64,
    /// Of the segment with the largest error.
    pub worst_segment: f64,
}

/// One way to correct a rig, with the buffers of a frame.
struct Stage<'a> {
    rig: &'a Rig,
    skin: &'a Skin,
    post_skinning: PostSkinning,
    scratch: Scratch,
    positions: Vec<Vec3>,
}

impl<'a> Stage<'a> {
    fn new(rig: &'a Rig, skin: &'a Skin, options: &PostSkinningOptions) -> Self {
        let post_skinning = PostSkinning::new(rig, options, &[], &mut Report::default());
        let positions = rig.asset.render.positions.clone();
        Self { rig, skin, post_skinning, scratch: Scratch::new(skin), positions }
    }

    /// Poses and corrects. Returns the seconds of the correction.
    fn frame(&mut self, matrices: &[Mat4]) -> f64 {
        let rest = Rest { positions: &self.rig.asset.render.positions, normals: &[] };
        let posed = Posed { positions: &mut self.positions, normals: &mut [] };
        deform(Deformer::Linear, self.skin, matrices, rest, posed, &mut self.scratch);
        let posed = Posed { positions: &mut self.positions, normals: &mut [] };
        let clock = CpuClock::start();
        self.post_skinning.correct(matrices, posed);
        clock.seconds()
    }

    fn solved(&self) -> [&[Vec3]; 2] {
        self.post_skinning.solved()
    }
}

/// What does not depend on the pose.
struct Reference {
    parts: Segments,
    segments: Segments,
    topology: Topology,
    thickness: Vec<f32>,
    cuts: Vec<[u32; 2]>,
}

impl Reference {
    fn errors(&self, rest: &[Vec3], posed: &[Vec3]) -> VolumeErrors {
        let volumes = |segments: &Segments| [rest, posed].map(|at| segments.volumes(at));
        let [rest_parts, posed_parts] = volumes(&self.parts);
        let [rest_segments, posed_segments] = volumes(&self.segments);
        let all = rest_parts.iter().map(|volume| volume.abs()).sum::<f64>().max(f64::MIN_POSITIVE);
        let worst = |rest: &[f64], posed: &[f64]| {
            let large = rest.iter().zip(posed).filter(|(rest, _)| rest.abs() >= MIN_SHARE * all);
            100.0 * large.map(|(rest, posed)| ((posed - rest) / rest).abs()).fold(0.0, f64::max)
        };
        let difference: f64 = posed_parts.iter().sum::<f64>() - rest_parts.iter().sum::<f64>();
        let apart = rest_segments.iter().zip(&posed_segments).map(|(rest, posed)| (posed - rest).abs());
        VolumeErrors {
            whole: 100.0 * difference.abs() / all,
            worst_part: worst(&rest_parts, &posed_parts),
            segments: 100.0 * apart.sum::<f64>() / all,
            worst_segment: worst(&rest_segments, &posed_segments),
        }
    }

    /// Pairs that intersect and do not at rest, and those of them between different parts.
    fn cuts(&self, triangles: &[[u32; 3]], posed: &[Vec3]) -> [usize; 2] {
        let pairs = self_intersections(posed, triangles);
        let new = || pairs.iter().filter(|pair| self.cuts.binary_search(pair).is_err());
        let part =
            |triangle: u32| self.topology.component_of_vertex()[triangles[triangle as usize][0] as usize];
        [new().count(), new().filter(|[one, other]| part(*one) != part(*other)).count()]
    }
}

/// Rigs of a model with its own weights and with those of methods, by name.
fn rigs_of(asset: &Arc<Asset>, chosen: &[&'static str]) -> Result<Vec<(&'static str, Rig)>, String> {
    let mut rigs = Vec::new();
    for &name in chosen {
        let rig = if name == WEIGHTS[0] {
            let skeleton = asset.skeleton.clone().ok_or("no skeleton")?;
            Rig::from_stored_weights(asset.clone(), skeleton).ok_or("no weights")?
        } else {
            let method = if name == WEIGHTS[1] { Method::Heat } else { Method::Atlas };
            let recipe = Recipe { method, ..Recipe::default() };
            let outcome = Pipeline::new(asset.clone()).run(&recipe, &mut Silent);
            outcome.map_err(|error| format!("{name}: {error}"))?.rig
        };
        rigs.push((name, rig));
    }
    Ok(rigs)
}

/// Measures all poses of a model.
pub fn measure(
    file: &ModelFile,
    asset: &Arc<Asset>,
    chosen: &[&'static str],
    joints: usize,
    phase: usize,
) -> Result<Vec<PoseMeasures>, String> {
    let mesh = &asset.mesh;
    let (topology, thickness) = (Topology::of(mesh), local_thickness(mesh));
    let cuts = self_intersections(mesh.positions(), mesh.triangles());
    let parts = ConnectedParts::of(mesh);
    let mut measured = Vec::new();
    for (weights, rig) in rigs_of(asset, chosen)? {
        let solve_weights = PostSkinning::solve_weights(&rig);
        let segments = |scope| cut(&parts, &rig, &solve_weights, scope);
        let reference = Reference {
            parts: segments(VolumeScope::Whole),
            segments: segments(VolumeScope::Segments),
            topology: topology.clone(),
            thickness: thickness.clone(),
            cuts: cuts.clone(),
        };
        let volume = |mode| Some(VolumeOptions { mode, ..VolumeOptions::of(CorrectionMap::Local) });
        let skin = Skin::of_rig(&rig);
        let exact = PostSkinningOptions { volume: volume(CorrectionMode::Exact), fold_guard: true };
        let paper = PostSkinningOptions { volume: volume(CorrectionMode::Paper), fold_guard: true };
        let guard = PostSkinningOptions { volume: None, fold_guard: true };
        let mut stages = [exact, paper, guard].map(|options| Stage::new(&rig, &skin, &options));
        for NamedPose { name, pose } in sweep::poses_of(&rig, joints, phase) {
            let matrices = pose.skinning_matrices(&rig.skeleton);
            let seconds = stages.each_mut().map(|stage| stage.frame(&matrices))[0];
            let found = measured_pose(mesh, &reference, &stages, seconds);
            let (file, source) = (file.name.clone(), file.source.clone());
            measured.push(PoseMeasures { file, source, weights, pose: name, ..found });
        }
    }
    Ok(measured)
}

fn cut(parts: &ConnectedParts, rig: &Rig, weights: &Weights, scope: VolumeScope) -> Segments {
    Segments::of_parts(parts, &rig.asset.mesh, weights, scope, &mut Report::default())
}

fn measured_pose(
    mesh: &pliant::model::Mesh,
    reference: &Reference,
    stages: &[Stage<'_>; 3],
    seconds: f64,
) -> PoseMeasures {
    let [exact, paper, guard] = stages;
    let ([skinned, corrected], [_, paper], [_, guarded]) = (exact.solved(), paper.solved(), guard.solved());
    let errors = |posed: &[Vec3]| reference.errors(mesh.positions(), posed);
    let stretch = |posed: &[Vec3]| largest_stretch(mesh, &reference.topology, posed);
    let moved = |to: &[Vec3]| -> Vec<f32> { skinned.iter().zip(to).map(|(a, b)| a.distance(*b)).collect() };
    let cuts = [skinned, guarded, corrected].map(|posed| reference.cuts(mesh.triangles(), posed));
    let by_thickness = |to: &[Vec3]| {
        moved(to)
            .iter()
            .zip(&reference.thickness)
            .map(|(moved, thickness)| moved / thickness)
            .fold(0.0, f32::max)
    };
    PoseMeasures {
        file: String::new(),
        source: String::new(),
        weights: WEIGHTS[0],
        pose: String::new(),
        skinned: errors(skinned),
        corrected: errors(corrected),
        paper: errors(paper),
        cuts: cuts.map(|[all, _]| all),
        cuts_between_parts: cuts.map(|[_, between]| between),
        stretch: [skinned, guarded, corrected].map(stretch),
        by_thickness: [guarded, corrected].map(by_thickness),
        by_size: moved(corrected).into_iter().fold(0.0, f32::max) / mesh.diagonal().max(f32::MIN_POSITIVE),
        milliseconds: 1e3 * seconds,
        vertices: skinned.len(),
    }
}
