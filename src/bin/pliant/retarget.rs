//! `pliant retarget`

use std::path::Path;

use glam::Vec3;
use pliant::io;
use pliant::io::gltf::{self, ExportOptions};
use pliant::model::{Asset, Clip};
use pliant::report::Report;
use pliant_motion::body::Body;
use pliant_motion::retarget::Root;
use pliant_motion::skeleton::Skeleton;

use crate::Failure;
use crate::args::RetargetArgs;
use crate::files::{self, Output};
use crate::motion_data;
use crate::rig::read_model;

/// A skeleton with the vertices of its mesh and its clips.
struct Moving {
    skeleton: Skeleton,
    positions: Vec<Vec3>,
    clips: Vec<Clip>,
}

pub fn run(args: &RetargetArgs) -> Result<(), Failure> {
    let (motion, target) = match args.files.as_slice() {
        [target] => (None, target),
        [motion, target, ..] => (Some(motion), target),
        [] => return Err("there is no character to move".into()),
    };
    let kind = match &args.output {
        Some(path) => Some(files::output_kind(path, &[Output::Glb, Output::Vrm])?),
        None => None,
    };
    let mut report = Report::default();
    let asset = read_model(target, &mut report)?;
    let moving = moving(&asset, target)?;
    let unknown = || format!("{}: neither a person nor an animal is recognised", target.display());
    let body = Body::of(&moving.skeleton, &moving.positions).ok_or_else(unknown)?;
    if args.list {
        println!("{}", body.library().join("\n"));
        return Ok(());
    }
    let (Some(output), Some(kind)) = (&args.output, kind) else { return Ok(()) };
    files::check_avatar(output, kind, &asset)?;
    let root = if args.in_place { Root::InPlace } else { Root::Keep };
    let clips = match motion {
        Some(path) => carried_over(path, args, &body, root, &mut report)?,
        None => from_library(args, &body, &moving.positions, root)?,
    };
    let clips = unused_names(clips, &asset);
    let options =
        ExportOptions { skeleton: asset.skeleton.as_ref(), clips: &clips, ..ExportOptions::default() };
    files::write_glb(output, &gltf::write_glb(&asset, &options)?, &args.glb)?;
    report.warnings().iter().for_each(|warning| eprintln!("pliant: note: {warning}"));
    Ok(())
}

fn moving(asset: &Asset, path: &Path) -> Result<Moving, Failure> {
    let missing = || format!("{} has no skeleton; give it one with pliant rig", path.display());
    let skeleton = asset.skeleton.as_ref().ok_or_else(missing)?;
    let skeleton = motion_data::skeleton(skeleton).ok_or_else(missing)?;
    Ok(Moving { skeleton, positions: asset.mesh.positions().to_vec(), clips: asset.clips.clone() })
}

/// The clips of a motion file on the body.
fn carried_over(
    path: &Path,
    args: &RetargetArgs,
    body: &Body<'_>,
    root: Root,
    report: &mut Report,
) -> Result<Vec<Clip>, Failure> {
    let source = read_motion(path, report)?;
    let named = |clip: &&Clip| args.clip.is_empty() || args.clip.contains(&clip.name);
    let wanted: Vec<&Clip> = source.clips.iter().filter(named).collect();
    let missing = args.clip.iter().find(|name| !source.clips.iter().any(|clip| clip.name == **name));
    if missing.is_some() || wanted.is_empty() {
        let names: Vec<&str> = source.clips.iter().map(|clip| clip.name.as_str()).collect();
        let what = missing.map_or("no clip".to_owned(), |name| format!("no clip '{name}'"));
        let known =
            if names.is_empty() { String::new() } else { format!("; there are {}", names.join(", ")) };
        return Err(format!("{}: it has {what}{known}", path.display()).into());
    }
    let unknown = || format!("{}: neither a person nor an animal is recognised", path.display());
    let from = Body::of(&source.skeleton, &source.positions).ok_or_else(unknown)?;
    let carry = |clip: &&Clip| {
        let carried = body.retarget(&motion_data::clip(clip), &from, root);
        let differ = |_| format!("a {} cannot move like a {}", body.kind(), from.kind());
        carried.map(motion_data::model_clip).map_err(|error| differ(error).into())
    };
    wanted.iter().map(carry).collect()
}

/// A model with its mesh, or a skeleton alone.
fn read_motion(path: &Path, report: &mut Report) -> Result<Moving, Failure> {
    let files = files::read_with_references(path)?;
    if let Ok(asset) = io::read_model(&files, &mut Report::default())
        && asset.skeleton.is_some()
    {
        return moving(&asset, path);
    }
    let read = io::read_skeleton(&files, report).map_err(files::about(path))?;
    let invalid = || format!("{}: its joints are no hierarchy", path.display());
    let skeleton = motion_data::skeleton(&read.skeleton).ok_or_else(invalid)?;
    Ok(Moving { skeleton, positions: Vec::new(), clips: read.clips })
}

fn from_library(
    args: &RetargetArgs,
    body: &Body<'_>,
    positions: &[Vec3],
    root: Root,
) -> Result<Vec<Clip>, Failure> {
    let names = body.library().join(", ");
    if args.clip.is_empty() {
        return Err(format!("name a clip of the library with --clip; there are {names}").into());
    }
    let make = |name: &String| {
        let made = body.library_clip(name, positions, root).map(motion_data::model_clip);
        made.ok_or_else(|| format!("there is no clip '{name}' in the library; there are {names}").into())
    };
    args.clip.iter().map(make).collect()
}

/// Renames clips whose names the character has already.
fn unused_names(clips: Vec<Clip>, asset: &Asset) -> Vec<Clip> {
    let mut known: Vec<String> = asset.clips.iter().map(|clip| clip.name.clone()).collect();
    let rename = |mut clip: Clip| {
        let name = clip.name.clone();
        let mut number = 2;
        while known.contains(&clip.name) {
            clip.name = format!("{name} {number}");
            number += 1;
        }
        known.push(clip.name.clone());
        clip
    };
    clips.into_iter().map(rename).collect()
}
