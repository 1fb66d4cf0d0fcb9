//! `pliant pose`

use std::path::Path;
use std::sync::Arc;

use glam::{DQuat, EulerRot};
use pliant::deform::{
    self, Deformer, MorphedRest, Posed, PostSkinning, PostSkinningOptions, Scratch, Segments, Skin,
    VolumeCorrection, VolumeScope,
};
use pliant::io::{self, gltf};
use pliant::model::{Asset, Clip, Pose, RenderMesh, Rig, Skeleton};
use pliant::pipeline::{Observer, joint_names};
use pliant::quality::{self, VolumeMeasurement, VolumeStats};
use pliant::report::{Report, WarningInfo};
use serde::Serialize;

use crate::Failure;
use crate::args::PoseArgs;
use crate::clock::Clock;
use crate::files::{self, Output};
use crate::parameters::{ParameterArgs, Skinning};
use crate::post_skinning;
use crate::rig::read_model;

pub fn run(args: &PoseArgs) -> Result<(), Failure> {
    let kind = files::output_kind(&args.output, &[Output::Glb, Output::Vrm, Output::Obj])?;
    let (deformer, corrections) = (deformer(&args.skinning)?, args.post_skinning.values()?);
    let mut report = Report::default();
    let rig = stored_rig(&args.model, read_model(&args.model, &mut report)?)?;
    files::check_avatar(&args.output, kind, &rig.asset)?;
    let pose = pose(args, &rig)?;
    let morphed = morphed(args, &rig)?;
    let options = post_skinning::options(&corrections, &rig.skeleton)?;
    let not_in_file = if kind == Output::Obj { Vec::new() } else { not_in_skin(deformer, &options) };
    let painted = post_skinning::painted(args.volume_paint.as_deref(), &rig)?;
    let mut layer = PostSkinning::new(&rig, &options, &painted, &mut report);
    if morphed.is_morphed() {
        layer.set_rest_volumes(morphed.rest(&rig.asset).positions);
    }
    let clock = Clock::start();
    let posed = deformed(deformer, &rig, &morphed, &pose, &mut layer);
    let seconds = clock.seconds();

    let bytes = match kind {
        Output::Obj => io::write_obj(&posed).into_bytes(),
        Output::Glb | Output::Vrm => {
            let options = gltf::ExportOptions {
                skeleton: Some(&rig.skeleton),
                pose: Some(&pose),
                ..Default::default()
            };
            gltf::write_glb(&rig.asset, &options)?
        }
    };
    files::write(&args.output, &bytes)?;
    if !not_in_file.is_empty() {
        let lost = not_in_file.join(", ");
        eprintln!("pliant: note: engines show linear skinning; the file has no {lost}: see pliant bake");
    }
    if let Some(path) = &args.report {
        let summary = Summary {
            deformer,
            seconds,
            volume: volume_stats(&rig, &layer),
            folds: FoldCounts::of(&rig.asset, &layer),
            not_in_file,
            warnings: WarningInfo::all(&report),
        };
        files::write(path, serde_json::to_string_pretty(&summary)?.as_bytes())?;
    }
    Ok(())
}

pub fn stored_rig(model: &Path, asset: Asset) -> Result<Rig, Failure> {
    let missing = || format!("{} has no skin to pose; bind it first with pliant rig", model.display());
    let skeleton = asset.skeleton.clone().ok_or_else(missing)?;
    let weights = asset.stored_weights.clone().ok_or_else(missing)?;
    Ok(Rig::from_render_weights(Arc::new(asset), skeleton, weights)?)
}

fn pose(args: &PoseArgs, rig: &Rig) -> Result<Pose, Failure> {
    let skeleton = &rig.skeleton;
    let mut pose = match &args.clip {
        Some(name) => {
            let clip = find_clip(rig, name)?;
            if !args.time.is_finite() {
                return Err("--time must be a number of seconds".into());
            }
            clip.sample(skeleton, args.time)
        }
        None => Pose::rest(skeleton),
    };
    for text in &args.rotate {
        let (joint, rotation) = rotation(text, skeleton)?;
        pose.rotate(joint, rotation);
    }
    Ok(pose)
}

/// The rest shape with the morph weights of the clip, or the default weights.
fn morphed(args: &PoseArgs, rig: &Rig) -> Result<MorphedRest, Failure> {
    let defaults = rig.asset.morph_targets.default_weights();
    let weights = match &args.clip {
        Some(name) => find_clip(rig, name)?.morph_weights(defaults, args.time),
        None => defaults,
    };
    let mut morphed = MorphedRest::default();
    morphed.set_weights(&rig.asset, &weights);
    Ok(morphed)
}

pub fn find_clip<'a>(rig: &'a Rig, name: &str) -> Result<&'a Clip, Failure> {
    let found = rig.asset.clips.iter().find(|clip| clip.name == *name);
    Ok(found.ok_or_else(|| {
        let names: Vec<&str> = rig.asset.clips.iter().map(|clip| clip.name.as_str()).collect();
        if names.is_empty() {
            format!("there is no clip '{name}'; the file has none")
        } else {
            format!("there is no clip '{name}'; there are {}", names.join(", "))
        }
    })?)
}

/// Parses `JOINT=X,Y,Z`. Names may contain an equals sign.
fn rotation(text: &str, skeleton: &Skeleton) -> Result<(usize, DQuat), Failure> {
    let malformed = || format!("--rotate {text}: expected JOINT=X,Y,Z with three angles in degrees");
    let (name, angles) = text.rsplit_once('=').ok_or_else(malformed)?;
    let angles: Vec<f64> = angles
        .split(',')
        .map(|angle| angle.trim().parse())
        .collect::<Result<_, _>>()
        .map_err(|_| malformed())?;
    let [x, y, z] = angles[..] else { return Err(malformed().into()) };
    if ![x, y, z].iter().all(|angle| angle.is_finite()) {
        return Err(malformed().into());
    }
    let joint = post_skinning::find_joint(skeleton, name)?;
    Ok((joint, DQuat::from_euler(EulerRot::XYZ, x.to_radians(), y.to_radians(), z.to_radians())))
}

/// The deformer of the command, or the default.
pub fn deformer(skinning: &ParameterArgs<Skinning>) -> Result<Deformer, Failure> {
    Ok(match skinning.values()?.pop() {
        Some((_, value)) => serde_json::from_value(value)?,
        None => Deformer::default(),
    })
}

fn deformed(
    deformer: Deformer,
    rig: &Rig,
    morphed: &MorphedRest,
    pose: &Pose,
    post_skinning: &mut PostSkinning,
) -> RenderMesh {
    let render = &rig.asset.render;
    let skin = Skin::of_rig(rig);
    let mut out = render.clone();
    let matrices = pose.skinning_matrices(&rig.skeleton);
    deform::deform(
        deformer,
        &skin,
        &matrices,
        morphed.rest(&rig.asset),
        Posed { positions: &mut out.positions, normals: &mut out.normals },
        &mut Scratch::new(&skin),
    );
    post_skinning.correct(&matrices, Posed { positions: &mut out.positions, normals: &mut out.normals });
    out
}

/// What a posed rig shows here and not in engines, which skin linearly.
fn not_in_skin(deformer: Deformer, options: &PostSkinningOptions) -> Vec<&'static str> {
    let shown = [
        (deformer == Deformer::DualQuaternion, "dual quaternions"),
        (options.volume.is_some(), "volume correction"),
        (options.fold_guard, "prevention of self-intersection"),
    ];
    shown.into_iter().filter(|(is_shown, _)| *is_shown).map(|(_, name)| name).collect()
}

/// The report of a pose.
#[derive(Serialize)]
struct Summary {
    deformer: Deformer,
    seconds: f64,
    volume: VolumeStats,
    folds: FoldCounts,
    #[serde(rename = "notInFile")]
    not_in_file: Vec<&'static str>,
    warnings: Vec<WarningInfo>,
}

/// Volumes of the posed mesh, measured per joint whatever the options are.
fn volume_stats(rig: &Rig, post_skinning: &PostSkinning) -> VolumeStats {
    let (mesh, weights) = (&rig.asset.mesh, PostSkinning::solve_weights(rig));
    // Warnings about the mesh are in the report already.
    let report = Report::default();
    let segments = Segments::new(mesh, &weights, VolumeScope::Segments, &mut Report::default());
    let interface_flux = post_skinning.interface_flux();
    let solved = post_skinning.solved();
    let measured = VolumeMeasurement {
        mesh,
        segments: &segments,
        solved,
        interface_flux: &interface_flux,
        missing: post_skinning.volume().map_or(0.0, VolumeCorrection::missing),
        report: &report,
    };
    VolumeStats::of(&measured, &joint_names(&rig.skeleton))
}

/// Pairs of triangles that intersect in the pose and not at rest.
#[derive(Serialize)]
struct FoldCounts {
    before: usize,
    after: usize,
}

impl FoldCounts {
    fn of(asset: &Asset, post_skinning: &PostSkinning) -> Self {
        let [before, after] = post_skinning.solved().map(|at| quality::folds(&asset.mesh, at).len());
        Self { before, after }
    }
}
