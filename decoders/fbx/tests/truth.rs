//! Posed meshes of other programs, if the folder of shared models is there.

use std::path::{Path, PathBuf};

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

/// Axes of a file: how a glTF position becomes a position of the file.
#[derive(Clone, Copy)]
enum Axes {
    YUp,
    ZUp,
}

impl Axes {
    fn to_file(self, p: DVec3) -> DVec3 {
        match self {
            Self::YUp => p,
            Self::ZUp => DVec3::new(p.x, -p.z, p.y),
        }
    }
}

fn obj_vertices(text: &str) -> Vec<DVec3> {
    let vertex = |line: &str| {
        let numbers: Vec<f64> =
            line.split_ascii_whitespace().skip(1).take(3).map(|w| w.parse().unwrap()).collect();
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

struct Case {
    file: String,
    clip: String,
    obj: String,
    frame: f64,
    rate: f64,
    axes: Axes,
    /// Units of the file per metre.
    units: f64,
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for version in ["6100_ascii", "6100_binary", "7500_ascii", "7500_binary"] {
        let maya = [("wiggle", [10, 18]), ("spin", [7, 15]), ("deform", [8, 15])];
        for (clip, frames) in maya {
            for (file, frame) in [clip, "combined"].iter().flat_map(|file| frames.map(|frame| (*file, frame)))
            {
                cases.push(Case {
                    file: format!("maya_game_sausage_{version}_{file}.fbx"),
                    clip: clip.into(),
                    obj: format!("maya_game_sausage_{clip}_{frame}.obj"),
                    frame: frame.into(),
                    rate: 24.0,
                    axes: Axes::YUp,
                    units: 100.0,
                });
            }
        }
        for frame in [5, 15] {
            cases.push(Case {
                file: format!("max_transformed_skin_{version}.fbx"),
                clip: "Take 001".into(),
                obj: format!("max_transformed_skin_{frame}.obj"),
                frame: frame.into(),
                rate: 30.0,
                axes: Axes::ZUp,
                units: 100.0,
            });
        }
    }
    let blender = [("6100_ascii", "", 100.0), ("7400_binary", "Skeleton|", 1.0)];
    for (version, prefix, units) in blender {
        for (clip, frame) in [("Base", 0), ("Spin", 15), ("Wiggle", 20)] {
            // Version 6 has no take of this name: it is the pose at rest.
            let is_rest = clip == "Base" && prefix.is_empty();
            cases.push(Case {
                file: format!("blender_279_sausage_{version}.fbx"),
                clip: if is_rest { String::new() } else { format!("{prefix}{clip}") },
                obj: format!("blender_279_sausage_{}_{frame}.obj", clip.to_lowercase()),
                frame: frame.into(),
                rate: 24.0,
                axes: Axes::YUp,
                units,
            });
        }
    }
    cases
}

/// Posed vertices in the space of the file, and those of the truth.
fn compare(folder: &Path, case: &Case, bytes: &[u8], mirror: DVec3, suffix: &str) -> f64 {
    let gltf = Gltf::parse(&to_glb(bytes, &[]).unwrap().glb);
    let posed =
        gltf.posed_vertices(Some(case.clip.as_str()).filter(|clip| !clip.is_empty()), case.frame / case.rate);
    let posed: Vec<DVec3> = posed.iter().map(|p| case.axes.to_file(mirror * *p) * case.units).collect();
    let obj = case.obj.rsplit_once('_').map(|(stem, frame)| format!("{stem}{suffix}_{frame}")).unwrap();
    let truth = obj_vertices(&std::fs::read_to_string(folder.join(obj)).unwrap());
    hausdorff(&posed, &truth) / size(&truth)
}

#[test]
fn posed_meshes_equal_those_of_the_programs_that_exported_them() {
    let Some(folder) = folder() else { return };
    for case in cases() {
        let bytes = std::fs::read(folder.join(&case.file)).unwrap();
        let error = compare(&folder, &case, &bytes, DVec3::ONE, "");
        println!("{:45} {:16} frame {:2}: {error:.1e}", case.file, case.clip, case.frame);
        assert!(error < TOLERANCE, "{}", case.file);
    }
}

/// The left-handed truth is the same model in mirrored axes. Declaring the axes of the text files
/// left-handed must mirror our result in the same way.
#[test]
fn left_handed_axes_mirror_the_model() {
    let Some(folder) = folder() else { return };
    let is_text = |case: &&Case| case.file.contains("ascii") && !case.file.contains("combined");
    let has_truth = |case: &&Case| case.file.starts_with("max") || case.file.ends_with("wiggle.fbx");
    for case in cases().iter().filter(is_text).filter(has_truth) {
        let text = std::fs::read_to_string(folder.join(&case.file)).unwrap();
        let mut changed = text.clone();
        for declared in
            ["\"CoordAxisSign\", \"int\", \"Integer\", \"\",", "\"CoordAxisSign\", \"int\", \"\","]
        {
            changed = changed.replace(&format!("{declared}1"), &format!("{declared}-1"));
        }
        assert_ne!(changed, text);
        // The files mirror another axis than we do, so both are compared with the right-handed
        // truth.
        let error = compare(&folder, case, changed.as_bytes(), DVec3::new(-1.0, 1.0, 1.0), "");
        println!("{:45} left-handed, frame {:2}: {error:.1e}", case.file, case.frame);
        assert!(error < TOLERANCE, "{}", case.file);
        let error = compare(&folder, case, text.as_bytes(), DVec3::new(1.0, 1.0, -1.0), "_lefthanded");
        println!("{:45} mirrored truth, frame {:2}: {error:.1e}", case.file, case.frame);
        assert!(error < TOLERANCE, "{}", case.file);
    }
}
