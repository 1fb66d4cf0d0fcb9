//! Regions from labels that were given.

use std::sync::Arc;

use glam::{Vec3, Vec4};
use pliant::model::Asset;
use pliant::operators::MeshGeometry;
use pliant::pipeline::{LabelsError, Method, Outcome, Pipeline, Recipe, Silent, labels_from_text};
use pliant::report::Report;
use pliant::samples::{SampleCharacter, make};
use pliant::segment::labelled_regions;

use super::regions_of;

fn mannequin() -> Asset {
    make(SampleCharacter::Mannequin, 3_000).unwrap().into_asset("mannequin")
}

/// The joint of each vertex of the segmentation, and those of bands across the body, which no
/// segmentation would find.
fn found_and_bands(asset: &Asset) -> [Vec<u32>; 2] {
    let skeleton = asset.skeleton.as_ref().unwrap();
    let regions = regions_of(&MeshGeometry::of(&asset.mesh), skeleton, &mut Report::default());
    let joint = |&region: &u32| regions.regions[region as usize].joint as u32;
    let band =
        |y: f32| skeleton.find(["shin.L", "hips", "chest", "head"][(y / 0.45) as usize]).unwrap() as u32;
    [
        regions.of_vertex.iter().map(joint).collect(),
        asset.mesh.positions().iter().map(|p| band(p.y.clamp(0.0, 1.79))).collect(),
    ]
}

fn rigged(pipeline: &mut Pipeline, k: f64) -> Outcome {
    let mut recipe = Recipe { method: Method::Atlas, ..Recipe::default() };
    recipe.atlas.k = k;
    pipeline.run(&recipe, &mut Silent).unwrap()
}

#[test]
fn the_labels_of_a_segmentation_give_its_regions_again() {
    let asset = mannequin();
    let skeleton = asset.skeleton.as_ref().unwrap();
    let geometry = MeshGeometry::of(&asset.mesh);
    let [labels, _] = found_and_bands(&asset);
    let found = regions_of(&geometry, skeleton, &mut Report::default());
    let again = labelled_regions(&geometry, skeleton, &labels, &mut Report::default());
    again.assert_well_formed(labels.len(), asset.mesh.triangles().len());
    assert_eq!(found.of_vertex, again.of_vertex);
    assert_eq!(found.regions, again.regions);
    let pairs =
        |regions: &pliant::model::Regions| regions.boundaries.iter().map(|b| b.regions).collect::<Vec<_>>();
    assert_eq!(pairs(&found), pairs(&again));
}

#[test]
fn weights_follow_the_labels_until_they_are_removed() {
    let asset = Arc::new(mannequin());
    let [_, bands] = found_and_bands(&asset);
    let mut pipeline = Pipeline::new(asset);
    let before = rigged(&mut pipeline, 0.5);
    pipeline.set_labels(Some(bands.clone()));
    let rigid = rigged(&mut pipeline, 0.0);
    for (vertex, &band) in bands.iter().enumerate() {
        let row = rigid.rig.weights().row(vertex);
        assert!(row.len() == 1 && row[0].column == band, "vertex {vertex} of {band}: {row:?}");
    }
    let soft = rigged(&mut pipeline, 0.5);
    let blended = (0..bands.len()).filter(|&v| soft.rig.weights().row(v).len() > 1).count();
    assert!(blended > bands.len() / 20, "{blended} vertices are blended");
    assert_ne!(soft.rig.weights(), before.rig.weights());
    pipeline.set_labels(None);
    assert_eq!(rigged(&mut pipeline, 0.5).rig.weights(), before.rig.weights());
}

#[test]
fn a_joint_that_does_not_deform_stands_for_its_parent() {
    let asset = Arc::new(mannequin());
    let skeleton = asset.skeleton.clone().unwrap();
    let [forearm, upper_arm] = ["forearm.L", "upper_arm.L"].map(|name| skeleton.find(name).unwrap() as u32);
    let labels = vec![forearm; asset.mesh.positions().len()];
    let mut pipeline = Pipeline::new(asset);
    pipeline.set_labels(Some(labels));
    let mut recipe = Recipe { method: Method::Atlas, ..Recipe::default() };
    recipe.deforms.insert("forearm.L".to_owned(), false);
    let outcome = pipeline.run(&recipe, &mut Silent).unwrap();
    assert!((0..outcome.rig.weights().vertices()).all(|v| outcome.rig.weights().dominant(v) == upper_arm));
}

#[test]
fn labels_are_read_by_vertex_by_triangle_and_by_colour() {
    let mut asset = mannequin();
    let [_, bands] = found_and_bands(&asset);
    let joints = asset.skeleton.as_ref().unwrap().joints().to_vec();
    let name = |joint: u32| joints[joint as usize].name.clone();
    let names: Vec<String> = bands.iter().map(|&joint| name(joint)).collect();
    let lines = format!("\n{}\r\n\n", names.join("\r\n"));
    let numbers = bands.iter().map(u32::to_string).collect::<Vec<_>>().join("\n");
    for text in [serde_json::to_string(&names), serde_json::to_string(&bands), Ok(lines), Ok(numbers)] {
        assert_eq!(labels_from_text(&text.unwrap(), &asset).unwrap(), bands);
    }
    // A triangle has the label of its first corner: only vertices on borders may change.
    let of_triangles: Vec<u32> = asset.render.triangles.iter().map(|t| bands[t[0] as usize]).collect();
    let found = labels_from_text(&serde_json::to_string(&of_triangles).unwrap(), &asset).unwrap();
    let geometry = MeshGeometry::of(&asset.mesh);
    for vertex in 0..bands.len() {
        let mut around = geometry.topology().neighbours(vertex);
        let is_inside = around.all(|neighbour| bands[neighbour] == bands[vertex]);
        assert!(!is_inside || found[vertex] == bands[vertex], "vertex {vertex}");
    }
    // #ff8000, #0080ff, …: linear components of 0, 0.2159 and 1.
    let colors = [[1.0, 0.2159, 0.0], [0.0, 0.2159, 1.0], [0.2159, 1.0, 0.0], [1.0, 1.0, 1.0]];
    let mut used: Vec<u32> = bands.clone();
    used.sort_unstable();
    used.dedup();
    let color = |joint: &u32| Vec3::from_array(colors[used.binary_search(joint).unwrap()]).extend(1.0);
    asset.render.colors = bands.iter().map(color).collect();
    let texts = ["#ff8000", "#0080ff", "#80ff00", "#fffffe"];
    let table: Vec<String> =
        used.iter().zip(texts).map(|(&joint, text)| format!("\"{text}\": \"{}\"", name(joint))).collect();
    assert_eq!(labels_from_text(&format!("{{{}}}", table.join(",")), &asset), Ok(bands));
}

#[test]
fn wrong_labels_are_refused_with_a_remedy() {
    let mut asset = mannequin();
    let message = |text: &str, asset: &Asset| labels_from_text(text, asset).unwrap_err().to_string();
    let count = asset.mesh.positions().len();
    let wrong = message("[0, 1]", &asset);
    assert!(wrong.starts_with("there are 2 labels; expected"), "{wrong}");
    assert!(wrong.contains(&format!("{count}, one per vertex")), "{wrong}");
    let all = |label: &str| format!("[{}]", vec![label; count].join(","));
    assert!(
        message(&all("\"forarm.L\""), &asset)
            .contains("label 1 is 'forarm.L', which is no joint; did you mean 'forearm.L'?")
    );
    assert!(message(&all("99"), &asset).contains("label 1 is joint 99, but joints are numbered from 0 to"));
    assert!(message(&all("-1"), &asset).contains("cannot be read"));
    assert!(message("[0", &asset).contains("cannot be read"));
    assert!(message("", &asset).starts_with("there are 0 labels"));
    assert_eq!(labels_from_text(r##"{"#ff0000": 0}"##, &asset), Err(LabelsError::NoColors));
    asset.render.colors = vec![Vec4::new(1.0, 0.0, 0.0, 1.0); count];
    assert_eq!(labels_from_text(r##"{"#ff0300": 0}"##, &asset), Ok(vec![0; count]));
    assert!(message(r#"{"red": 0}"#, &asset).contains("'red' is no colour"));
    let unlabelled = message(r##"{"#00ff00": 0}"##, &asset);
    assert_eq!(unlabelled, "vertex 0 is #ff0000, and no label is near that colour");
    asset.skeleton = None;
    assert_eq!(labels_from_text("0", &asset), Err(LabelsError::NoSkeleton));
}
