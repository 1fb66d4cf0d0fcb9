//! `pliant bake`

use pliant::deform::{self, PostSkinning};
use pliant::io::gltf;
use pliant::model::{Clip, Morphs};
use pliant::report::Report;

use crate::Failure;
use crate::args::BakeArgs;
use crate::files::{self, Output};
use crate::pose::{find_clip, stored_rig};
use crate::post_skinning;
use crate::rig::read_model;

pub fn run(args: &BakeArgs) -> Result<(), Failure> {
    let kind = files::output_kind(&args.output, &[Output::Glb, Output::Vrm])?;
    if !(2..=64).contains(&args.keys) {
        return Err(format!("--keys {}: expected a number from 2 to 64", args.keys).into());
    }
    let corrections = args.post_skinning.values()?;
    let mut report = Report::default();
    let rig = stored_rig(&args.model, read_model(&args.model, &mut report)?)?;
    files::check_avatar(&args.output, kind, &rig.asset)?;
    let options = post_skinning::options(&corrections, &rig.skeleton)?;
    if options == Default::default() {
        return Err("nothing to bake; choose --volume or --fold-guard".into());
    }
    let clips: Vec<&Clip> = match &args.clip[..] {
        [] => rig.asset.clips.iter().collect(),
        names => names.iter().map(|name| find_clip(&rig, name)).collect::<Result<_, _>>()?,
    };
    if clips.is_empty() {
        return Err(format!("{} has no clips to bake", args.model.display()).into());
    }
    let joint = |name: &String| {
        let found = rig.skeleton.find(name);
        found.ok_or_else(|| format!("--joint {name}: the rig has no joint of that name"))
    };
    let joints: Vec<usize> = args.joint.iter().map(joint).collect::<Result<_, _>>()?;
    let mut layer = PostSkinning::new(&rig, &options, &[], &mut report);
    let morphs: Vec<Morphs> =
        clips.into_iter().map(|clip| deform::bake(&rig, &mut layer, clip, args.keys, &joints)).collect();
    let export = gltf::ExportOptions { skeleton: Some(&rig.skeleton), morphs: &morphs, ..Default::default() };
    files::write_glb(&args.output, &gltf::write_glb(&rig.asset, &export)?, &args.glb)?;
    report.warnings().iter().for_each(|warning| eprintln!("pliant: note: {warning}"));
    Ok(())
}
