//! Real characters, compared with the weights painted by their artists.

use std::sync::Arc;

use pliant::model::Asset;
use pliant::operators::MeshGeometry;
use pliant::pipeline::Method;
use pliant::progress::Progress;
use pliant::segment::nearest_visible_bones;

use crate::agreement::{read, rig_every_model, rigged};
use crate::shared_models;

/// The fraction of welded vertices whose heaviest joint is the file's: of the atlas, and of the
/// nearest visible bone.
fn shares(asset: &Arc<Asset>) -> [f64; 2] {
    let outcome = rigged(asset, Method::Atlas);
    let bones = outcome.rig.skeleton.bones();
    let geometry = MeshGeometry::of(&asset.mesh);
    let nearest = nearest_visible_bones(&geometry, bones, &mut Progress::silent()).unwrap();
    let stored = asset.stored_weights.as_ref().unwrap();
    let render = asset.render_from_solve();
    let share = |of: &dyn Fn(usize) -> u32| {
        let same = (0..render.len()).filter(|&v| of(v) == stored.dominant(render[v] as usize)).count();
        same as f64 / render.len() as f64
    };
    let atlas = |v: usize| outcome.rig.weights().dominant(render[v] as usize);
    [share(&atlas), share(&|v| bones[nearest[v] as usize].joint as u32)]
}

/// (file, smallest fraction; 0 if it must only be as good as the nearest visible bone).
const MODELS: [(&str, f64); 7] = [
    ("gltf_khronos/CesiumMan.glb", 0.93),
    ("gltf_khronos/Fox.glb", 0.82),
    ("gltf_khronos/RiggedFigure.glb", 0.0),
    ("gltf_webxr_hands/right.glb", 0.0),
    ("makehuman/derived/makehuman_body.glb", 0.0),
    // Weighted by Blender, not by an artist.
    ("gltf_mesh2motion/animations/horse-animations.glb", 0.0),
    ("gltf_mesh2motion/models-variation/human-male.glb", 0.0),
];

#[test]
fn the_heaviest_joint_is_mostly_the_artists() {
    let Some(folder) = shared_models::folder() else { return };
    let mut short = Vec::new();
    for (file, least) in MODELS {
        let [atlas, nearest] = shares(&Arc::new(read(&folder.join(file))));
        println!("{file}: atlas {atlas:.4} of at least {least}, nearest visible bone {nearest:.4}");
        if atlas < least || atlas < nearest {
            short.push(file);
        }
    }
    assert!(short.is_empty(), "below what is asked: {short:?}");
}

#[test]
fn every_vertex_of_every_model_has_weights() {
    rig_every_model(&[Method::Atlas]);
}
