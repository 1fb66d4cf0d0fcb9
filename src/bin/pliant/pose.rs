//! `pliant pose`

use std::path::Path;
use std::sync::Arc;

use glam::{DQuat, EulerRot, Vec3};
use pliant::deform::{self, Deformer, Posed, PostSkinning, Rest, Scratch, Segments, Skin, VolumeScope};
use pliant::io::{self, gltf};
use pliant::model::{Asset, Clip, Pose, RenderMesh, Rig, Skeleton};
use pliant::pipeline::Observer;
use pliant::quality::{self, SegmentError};
use pliant::report::Report;
use serde::Serialize;

use crate::Failure;
use crate::args::PoseArgs;
use crate::clock::Clock;
use crate::files::{self, Output};
use crate::post_skinning;
use crate::rig::{WarningSummary, read_model};

pub fn run(args: &PoseArgs) -> Result<(), Failure> {
    let kind = files::output_kind(&args.output, &[Output::Glb, Output::Obj])?;
    let (deformer, corrections) = (deformer(args)?, args.post_skinning.values()?);
    let mut report = Report::default();
    let rig = stored_rig(&args.model, read_model(&args.model, &mut report)?)?;
    let pose = pose(args, &rig)?;
    let mut layer =
        PostSkinning::new(&rig, &post_skinning::options(&corrections, &rig.skeleton)?, &[], &mut report);
    let clock = Clock::start();
    let posed = deformed(deformer, &rig, &pose, &mut layer);
    let seconds = clock.seconds();

    let bytes = match kind {
        Output::Obj => io::write_obj(&posed).into_bytes(),
        Output::Glb => {
            let options = gltf::ExportOptions {
                skeleton: Some(&rig.skeleton),
                pose: Some(&pose),
                ..Default::default()
            };
            gltf::write_glb(&rig.asset, &options)?
        }
    };
    files::write(&args.output, &bytes)?;
    if let Some(path) = &args.report {
        let summary = Summary {
            deformer,
            seconds,
            volume: VolumeSummary::of(&rig, &layer),
            folds: FoldsSummary::of(&rig.asset, &layer),
            warnings: report.warnings().iter().map(WarningSummary::of).collect(),
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

/// `JOINT=X,Y,Z`; a name may itself contain an equals sign.
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
fn deformer(args: &PoseArgs) -> Result<Deformer, Failure> {
    Ok(match args.skinning.values()?.pop() {
        Some((_, value)) => serde_json::from_value(value)?,
        None => Deformer::default(),
    })
}

fn deformed(deformer: Deformer, rig: &Rig, pose: &Pose, post_skinning: &mut PostSkinning) -> RenderMesh {
    let render = &rig.asset.render;
    let skin = Skin::of_rig(rig);
    let mut out = render.clone();
    let matrices = pose.skinning_matrices(&rig.skeleton);
    deform::deform(
        deformer,
        &skin,
        &matrices,
        Rest { positions: &render.positions, normals: &render.normals },
        Posed { positions: &mut out.positions, normals: &mut out.normals },
        &mut Scratch::new(&skin),
    );
    post_skinning.correct(&matrices, Posed { positions: &mut out.positions, normals: &mut out.normals });
    out
}

#[derive(Serialize)]
struct Summary {
    deformer: Deformer,
    seconds: f64,
    volume: VolumeSummary,
    folds: FoldsSummary,
    warnings: Vec<WarningSummary>,
}

#[derive(Serialize)]
struct VolumeSummary {
    rest: f64,
    skinned: f64,
    skinned_error_percent: f64,
    corrected: f64,
    corrected_error_percent: f64,
    segments: Vec<SegmentSummary>,
}

#[derive(Serialize)]
struct SegmentSummary {
    bone: String,
    /// What neighbours gave it through their common border; both errors are but for that.
    interface_flux_percent: f64,
    skinned_error_percent: f64,
    corrected_error_percent: f64,
}

impl VolumeSummary {
    /// Measured on what came out, whatever the correction says of itself.
    fn of(rig: &Rig, post_skinning: &PostSkinning) -> Self {
        let mesh = &rig.asset.mesh;
        // What is open or flat was said when the correction was made.
        let weights = PostSkinning::solve_weights(rig);
        let segments = Segments::new(mesh, &weights, VolumeScope::Segments, &mut Report::default());
        // With lids over the holes: without them, what an open mesh encloses depends on where it stands.
        let whole = |at: &[Vec3]| segments.volumes(at).iter().sum();
        let (rest, [skinned, corrected]) = (whole(mesh.positions()), post_skinning.solved().map(whole));
        let percent = |posed: f64| 100.0 * quality::volume_error(rest, posed);
        Self {
            rest,
            skinned,
            skinned_error_percent: percent(skinned),
            corrected,
            corrected_error_percent: percent(corrected),
            segments: summaries(&segments, rig, post_skinning),
        }
    }
}

fn summaries(segments: &Segments, rig: &Rig, post_skinning: &PostSkinning) -> Vec<SegmentSummary> {
    let rest = rig.asset.mesh.positions();
    let [skinned, corrected] = post_skinning
        .solved()
        .map(|at| quality::segment_errors(segments, rest, at, &post_skinning.interface_flux()));
    let summary = |(skinned, corrected): (&SegmentError, &SegmentError)| SegmentSummary {
        bone: skinned.segment.joint.map_or(String::new(), |joint| rig.skeleton.joints()[joint].name.clone()),
        interface_flux_percent: if skinned.rest == 0.0 {
            0.0
        } else {
            100.0 * skinned.interface_flux / skinned.rest
        },
        skinned_error_percent: 100.0 * skinned.share(),
        corrected_error_percent: 100.0 * corrected.share(),
    };
    skinned.iter().zip(&corrected).map(summary).collect()
}

/// Pairs of triangles that cut each other in the pose and not at rest.
#[derive(Serialize)]
struct FoldsSummary {
    before: usize,
    after: usize,
}

impl FoldsSummary {
    fn of(asset: &Asset, post_skinning: &PostSkinning) -> Self {
        let [before, after] = post_skinning.solved().map(|at| quality::folds(&asset.mesh, at).len());
        Self { before, after }
    }
}
