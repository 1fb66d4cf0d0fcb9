//! `pliant pose`

use std::sync::Arc;

use glam::{DQuat, EulerRot, Vec3};
use pliant::deform::{self, Deformer, Posed, Rest, Scratch, Skin};
use pliant::io::{self, gltf};
use pliant::model::{Asset, Pose, RenderMesh, Rig, Skeleton};
use pliant::pipeline::Observer;
use pliant::quality;
use pliant::report::Report;
use serde::Serialize;

use crate::Failure;
use crate::args::{DeformerArg, PoseArgs};
use crate::clock::Clock;
use crate::files::{self, Output};
use crate::rig::{WarningSummary, read_model};

pub fn run(args: &PoseArgs) -> Result<(), Failure> {
    let kind = files::output_kind(&args.output, &[Output::Glb, Output::Obj])?;
    let mut report = Report::default();
    let rig = stored_rig(args, read_model(&args.model, &mut report)?)?;
    let pose = pose(args, &rig)?;
    let clock = Clock::start();
    let posed = deformed(args, &rig, &pose);
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
            deformer: match args.deformer {
                DeformerArg::Lbs => "lbs",
                DeformerArg::Dqs => "dqs",
            },
            seconds,
            volume: VolumeSummary::of(&rig.asset, &posed.positions),
            warnings: report.warnings().iter().map(WarningSummary::of).collect(),
        };
        files::write(path, serde_json::to_string_pretty(&summary)?.as_bytes())?;
    }
    Ok(())
}

fn stored_rig(args: &PoseArgs, asset: Asset) -> Result<Rig, Failure> {
    let missing = || format!("{} has no skin to pose; bind it first with pliant rig", args.model.display());
    let skeleton = asset.skeleton.clone().ok_or_else(missing)?;
    let weights = asset.stored_weights.clone().ok_or_else(missing)?;
    Ok(Rig::from_render_weights(Arc::new(asset), skeleton, weights)?)
}

fn pose(args: &PoseArgs, rig: &Rig) -> Result<Pose, Failure> {
    let skeleton = &rig.skeleton;
    let mut pose = match &args.clip {
        Some(name) => {
            let clip = rig.asset.clips.iter().find(|clip| clip.name == *name).ok_or_else(|| {
                let names: Vec<&str> = rig.asset.clips.iter().map(|clip| clip.name.as_str()).collect();
                if names.is_empty() {
                    format!("there is no clip '{name}'; the file has none")
                } else {
                    format!("there is no clip '{name}'; there are {}", names.join(", "))
                }
            })?;
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
    let joint = skeleton.find(name).ok_or_else(|| {
        let names: Vec<&str> = skeleton.joints().iter().map(|joint| joint.name.as_str()).collect();
        format!("there is no joint '{name}'; {}", pliant::pipeline::hint(name, &names))
    })?;
    Ok((joint, DQuat::from_euler(EulerRot::XYZ, x.to_radians(), y.to_radians(), z.to_radians())))
}

fn deformed(args: &PoseArgs, rig: &Rig, pose: &Pose) -> RenderMesh {
    let render = &rig.asset.render;
    let skin = Skin::of_rig(rig);
    let mut out = render.clone();
    let deformer = match args.deformer {
        DeformerArg::Lbs => Deformer::Linear,
        DeformerArg::Dqs => Deformer::DualQuaternion,
    };
    deform::deform(
        deformer,
        &skin,
        &pose.skinning_matrices(&rig.skeleton),
        Rest { positions: &render.positions, normals: &render.normals },
        Posed { positions: &mut out.positions, normals: &mut out.normals },
        &mut Scratch::new(&skin),
    );
    out
}

#[derive(Serialize)]
struct Summary {
    deformer: &'static str,
    seconds: f64,
    volume: VolumeSummary,
    warnings: Vec<WarningSummary>,
}

#[derive(Serialize)]
struct VolumeSummary {
    rest: f64,
    skinned: f64,
    skinned_error_percent: f64,
}

impl VolumeSummary {
    fn of(asset: &Asset, posed: &[Vec3]) -> Self {
        let from_solve = asset.render_from_solve();
        let welded: Vec<Vec3> = from_solve.iter().map(|&vertex| posed[vertex as usize]).collect();
        let triangles = asset.mesh.triangles();
        let rest = quality::volume(asset.mesh.positions(), triangles);
        let skinned = quality::volume(&welded, triangles);
        let error = if rest == 0.0 { 0.0 } else { 100.0 * ((skinned - rest) / rest).abs() };
        Self { rest, skinned, skinned_error_percent: error }
    }
}
