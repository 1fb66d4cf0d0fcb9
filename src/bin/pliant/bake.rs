//! `pliant bake`

use pliant::deform::{Baker, Deformer, PostSkinning};
use pliant::io::gltf;
use pliant::model::{Clip, Morphs};
use pliant::report::Report;

use crate::Failure;
use crate::args::BakeArgs;
use crate::files::{self, Output};
use crate::pose::{deformer, find_clip, stored_rig};
use crate::post_skinning;
use crate::rig::read_model;

/// More would be morph targets that no engine takes.
const MOST_KEYS: usize = 64;

pub fn run(args: &BakeArgs) -> Result<(), Failure> {
    let kind = files::output_kind(&args.output, &[Output::Glb, Output::Vrm])?;
    if let Some(keys) = args.keys.filter(|keys| !(2..=MOST_KEYS).contains(keys)) {
        return Err(format!("--keys {keys}: expected a number from 2 to {MOST_KEYS}").into());
    }
    if !(args.tolerance > 0.0 && args.tolerance <= 100.0) {
        return Err(format!("--tolerance {}: expected a number above 0 and up to 100", args.tolerance).into());
    }
    let deformer = deformer(&args.skinning)?;
    let corrections = args.post_skinning.values()?;
    let mut report = Report::default();
    let rig = stored_rig(&args.model, read_model(&args.model, &mut report)?)?;
    files::check_avatar(&args.output, kind, &rig.asset)?;
    let options = post_skinning::options(&corrections, &rig.skeleton)?;
    if options == Default::default() && deformer == Deformer::Linear {
        return Err("nothing to bake; choose --volume, --fold-guard or --deformer dqs".into());
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
    let painted = post_skinning::painted(args.volume_paint.as_deref(), &rig)?;
    let mut layer = PostSkinning::new(&rig, &options, &painted, &mut report);
    let mut baker = Baker::new(&rig, &mut layer, deformer, &joints);
    let (mut morphs, mut notes): (Vec<Morphs>, Vec<String>) = Default::default();
    for clip in clips {
        let (baked, error) = match args.keys {
            Some(keys) => {
                let baked = baker.evenly(clip, keys);
                let error = baker.error(clip, &baked);
                (baked, error)
            }
            None => baker.within(clip, 0.01 * args.tolerance, MOST_KEYS),
        };
        let percent = 100.0 * error.share();
        let keys = baked.times.len();
        let name = &clip.name;
        notes.push(format!(
            "{name}: {keys} keys; between them up to {percent:.1} % of the largest correction off"
        ));
        morphs.push(baked);
    }
    let export = gltf::ExportOptions { skeleton: Some(&rig.skeleton), morphs: &morphs, ..Default::default() };
    files::write_glb(&args.output, &gltf::write_glb(&rig.asset, &export)?, &args.glb)?;
    notes.iter().for_each(|note| eprintln!("pliant: note: {note}"));
    report.warnings().iter().for_each(|warning| eprintln!("pliant: note: {warning}"));
    Ok(())
}
