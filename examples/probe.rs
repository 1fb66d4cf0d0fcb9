use glam::{DQuat, EulerRot};
use pliant::cast::{self, Member};
use pliant::deform::*;
use pliant::model::*;
use pliant::pipeline::*;
use std::sync::Arc;

use pliant::report::Report;

fn cpu() -> f64 {
    std::fs::read_to_string("/proc/self/schedstat")
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
        .parse::<f64>()
        .unwrap()
        / 1e6
}
fn main() {
    for n in [80000] {
        let asset = cast::make(Member::Mannequin, n).unwrap().into_asset("x");
        let rig = Pipeline::new(Arc::new(asset)).run(&Recipe::default(), &mut Silent).unwrap().rig;
        let clip = &rig.asset.clips[0];
        let skin = Skin::of_rig(&rig);
        let mut scratch = Scratch::new(&skin);
        let mut positions = rig.asset.render.positions.clone();
        let mut normals = rig.asset.render.normals.clone();
        for (name, volume, guard) in [("lbs", false, false), ("local", true, false), ("guard", true, true)] {
            let options = FleshOptions {
                volume: volume.then(|| VolumeOptions::of(CorrectionMap::Local)),
                fold_guard: guard,
            };
            let mut flesh = Flesh::new(&rig, &options, &[], &mut Report::default());
            for share in [0.3, 0.6] {
                let matrices =
                    clip.sample(&rig.skeleton, share * clip.duration()).skinning_matrices(&rig.skeleton);
                let start = cpu();
                let frames = 200;
                for _ in 0..frames {
                    let rest =
                        Rest { positions: &rig.asset.render.positions, normals: &rig.asset.render.normals };
                    deform(
                        Deformer::Linear,
                        &skin,
                        &matrices,
                        rest,
                        Posed { positions: &mut positions, normals: &mut normals },
                        &mut scratch,
                    );
                    if volume {
                        flesh.correct(&matrices, Posed { positions: &mut positions, normals: &mut normals });
                    }
                }
                println!("{n} {name} {share} {:.3} ms", (cpu() - start) / frames as f64);
            }
        }
    }
}
