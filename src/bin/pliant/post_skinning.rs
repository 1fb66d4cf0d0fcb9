//! What `pose` and `bake` take about volume and folds.

use pliant::deform::{CorrectionMap, CorrectionMode, PostSkinningOptions, VolumeOptions};
use pliant::model::Skeleton;

use crate::Failure;
use crate::args::{PostSkinningArgs, VolumeArg, VolumeModeArg};

/// Checks what the layer itself would take silently.
pub fn options(args: &PostSkinningArgs, skeleton: &Skeleton) -> Result<PostSkinningOptions, Failure> {
    for (name, exponent) in [("alpha", args.volume_alpha), ("beta", args.volume_beta)] {
        if !VolumeOptions::EXPONENTS.contains(&exponent) {
            return Err(format!("--volume-{name} {exponent}: expected a number from 0 to 8").into());
        }
    }
    for name in &args.volume_exclude {
        find_joint(skeleton, name)?;
    }
    let map = match args.volume {
        VolumeArg::Off => None,
        VolumeArg::Uniform => Some(CorrectionMap::Uniform),
        VolumeArg::Rubber => Some(CorrectionMap::Rubber),
        VolumeArg::Organic => Some(CorrectionMap::Organic),
        VolumeArg::Local => Some(CorrectionMap::Local),
    };
    let mode = match args.volume_mode {
        VolumeModeArg::Paper => CorrectionMode::Paper,
        VolumeModeArg::Exact => CorrectionMode::Exact,
    };
    let volume = map.map(|map| VolumeOptions {
        mode,
        alpha: args.volume_alpha,
        beta: args.volume_beta,
        excluded: args.volume_exclude.clone(),
        ..VolumeOptions::of(map)
    });
    Ok(PostSkinningOptions { volume, fold_guard: args.fold_guard })
}

/// By name, or with the nearest one there is.
pub fn find_joint(skeleton: &Skeleton, name: &str) -> Result<usize, Failure> {
    Ok(skeleton.find(name).ok_or_else(|| {
        let names: Vec<&str> = skeleton.joints().iter().map(|joint| joint.name.as_str()).collect();
        format!("there is no joint '{name}'; {}", pliant::pipeline::hint(name, &names))
    })?)
}
