//! Posed meshes of other programs, if the folder of shared models is there.

use std::path::PathBuf;

use glam::DVec3;
use pliant_fbx::to_glb;

use crate::gltf::Gltf;

/// Largest distance of a vertex from the truth, relative to the size of the mesh.
const TOLERANCE: f64 = 1e-4;

pub fn folder() -> Option<PathBuf> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/models/fbx_ufbx"));
    let folder = std::fs::canonicalize(folder).ok();
    if folder.is_none() {
        println!("skipped: there are no shared models");
    }
    folder
}

/// Axes of a file: how a glTF position in metres becomes a position of the file in centimetres.
#[derive(Clone, Copy)]
enum Axes {
    YUp,
    ZUp,
}

impl Axes {
    fn to_file(self, p: DVec3) -> DVec3 {
        match self {
            Self::YUp => p * 100.0,
            Self::ZUp => DVec3::new(p.x, -p.z, p.y) * 100.0,
        }
    }
}

fn obj_vertices(text: &str) -> Vec<DVec3> {
    let vertex = |line: &str| {
        let numbers: Vec<f64> = line.split_ascii_whitespace().skip(1).take(3).map(|w| w.parse().unwrap()).collect();
        DVec3::from_slice(&numbers)
    };
    text.lines().filter(|line| line.starts_with("v ")).map(vertex).collect()
}

/// Largest distance from a point of one set to the nearest of the other, both ways.
pub fn hausdorff(a: &[DVec3], b: &[DVec3]) -> f64 {
    let one_way = |from: &[DVec3], to: &[DVec3]| {
        let nearest = |p: &DVec3| to.iter().map(|q| p.distance(*q)).fold(f64::MAX, f64::min);
        from.iter().map(nearest).fold(0.0, f64::max)
    };
    one_way(a, b).max(one_way(b, a))
}

pub fn size(points: &[DVec3]) -> f64 {
    let (min, max) = points.iter().fold((DVec3::MAX, DVec3::MIN), |(a, b), p| (a.min(*p), b.max(*p)));
    (max - min).length()
}

#[test]
fn print_all() {
    let Some(folder) = folder() else { return };
    let mut names: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    names.sort();
    for path in names.iter().filter(|p| p.extension().is_some_and(|e| e == "fbx")) {
        let bytes = std::fs::read(path).unwrap();
        match to_glb(&bytes, &[]) {
            Ok(c) => {
                let g = Gltf::parse(&c.glb);
                let clips: Vec<_> = g.list("animations").iter().map(|a| a["name"].to_string()).collect();
                println!("{:?} {} nodes {} meshes {} glb {} clips {clips:?}", path.file_name().unwrap(), bytes.len(), g.list("nodes").len(), g.list("meshes").len(), c.glb.len());
                for w in c.warnings { println!("    {}: {}", w.place, w.what); }
            }
            Err(e) => println!("{path:?} {e}"),
        }
    }
    let _ = (Axes::YUp.to_file(DVec3::ZERO), Axes::ZUp, obj_vertices(""), TOLERANCE);
}

#[test]
fn explore() {
    let Some(folder) = folder() else { return };
    for (file, clip, obj, axes, fps) in [
        ("maya_game_sausage_7500_binary_wiggle.fbx", "wiggle", "maya_game_sausage_wiggle_10.obj", Axes::YUp, 24.0),
        ("maya_game_sausage_7500_binary_spin.fbx", "spin", "maya_game_sausage_spin_15.obj", Axes::YUp, 24.0),
        ("maya_game_sausage_7500_binary_spin.fbx", "spin", "maya_game_sausage_spin_7.obj", Axes::YUp, 24.0),
        ("maya_game_sausage_7500_binary_deform.fbx", "deform", "maya_game_sausage_deform_15.obj", Axes::YUp, 24.0),
        ("maya_game_sausage_7500_binary_deform.fbx", "deform", "maya_game_sausage_deform_8.obj", Axes::YUp, 24.0),
        ("maya_game_sausage_6100_binary_deform.fbx", "deform", "maya_game_sausage_deform_8.obj", Axes::YUp, 24.0),
        ("max_transformed_skin_7500_binary.fbx", "Take 001", "max_transformed_skin_5.obj", Axes::ZUp, 30.0),
        ("max_transformed_skin_6100_ascii.fbx", "Take 001", "max_transformed_skin_15.obj", Axes::ZUp, 30.0),
        ("blender_279_sausage_7400_binary.fbx", "Skeleton|Base", "blender_279_sausage_base_0.obj", Axes::YUp, 24.0),
        ("blender_279_sausage_7400_binary.fbx", "Skeleton|Spin", "blender_279_sausage_spin_15.obj", Axes::YUp, 24.0),
        ("blender_279_sausage_7400_binary.fbx", "Skeleton|Wiggle", "blender_279_sausage_wiggle_20.obj", Axes::YUp, 24.0),
        ("blender_279_sausage_6100_ascii.fbx", "Spin", "blender_279_sausage_spin_15.obj", Axes::YUp, 24.0),
        ("blender_279_sausage_6100_ascii.fbx", "Wiggle", "blender_279_sausage_wiggle_20.obj", Axes::YUp, 24.0),
    ] {
        let c = to_glb(&std::fs::read(folder.join(file)).unwrap(), &[]).unwrap();
        let g = Gltf::parse(&c.glb);
        let truth = obj_vertices(&std::fs::read_to_string(folder.join(obj)).unwrap());
        let mut best: Vec<(f64, i32)> = (-10..80).map(|f| {
            let posed: Vec<DVec3> = g.posed_vertices(Some(clip), f64::from(f) / fps).iter().map(|p| axes.to_file(*p)).collect();
            (hausdorff(&posed, &truth) / size(&truth), f)
        }).collect();
        best.sort_by(|a, b| a.0.total_cmp(&b.0));
        println!("{file} {obj}: {:?} {:?}", &best[..2], (size(&truth), c.warnings.iter().map(|w| w.what.clone()).collect::<Vec<_>>()));
    }
}
