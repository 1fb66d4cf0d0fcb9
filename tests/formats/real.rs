//! Real files, if they are present.

use std::path::Path;

use pliant::io::{File, read_model, read_skeleton};
use pliant::model::{Asset, Topology};
use pliant::report::Report;

/// A file of the folder of shared models, or a line saying that it is absent.
fn real(path: &str) -> Option<File> {
    let full = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/models").join(path);
    #[expect(clippy::disallowed_methods, reason = "a test reads its own material")]
    let bytes = std::fs::read(full).ok();
    if bytes.is_none() {
        println!("skipped: {path} is not there");
    }
    Some(File { name: path.into(), bytes: bytes? })
}

fn model(file: &File) -> Asset {
    let mut report = Report::default();
    let asset = read_model(std::slice::from_ref(file), &mut report)
        .unwrap_or_else(|error| panic!("{}: {error}", file.name));
    asset.assert_well_formed();
    assert_eq!(report.warnings(), [], "{}", file.name);
    asset
}

#[test]
fn the_makehuman_body_is_a_closed_mesh_in_file_order() {
    let Some(file) = real("makehuman/derived/makehuman_body.obj") else { return };
    let asset = model(&file);
    assert_eq!(asset.render.positions.len(), 13_380);
    assert_eq!(asset.render.triangles.len(), 2 * 13_378);
    assert_eq!(asset.render.positions[1].to_array(), [-0.311, 7.3315, 1.4107]);
    let topology = Topology::of(&asset.mesh);
    assert!(topology.edges().iter().all(|edge| edge.triangles == 2));
}

#[test]
fn example_poses_of_one_topology_have_one_order() {
    let Some(rest) = real("research_groundtruth_lbs/cheburashka/cheburashka.obj") else { return };
    let Some(posed) = real("research_groundtruth_lbs/cheburashka/poses-2/cheburashka-05.obj") else { return };
    let (rest, posed) = (model(&rest), model(&posed));
    assert_eq!(rest.render.positions.len(), 6_669);
    assert_eq!(rest.render.triangles, posed.render.triangles);
}

#[test]
fn the_cheburashka_skeleton_is_a_tree_from_its_first_point() {
    let Some(file) = real("research_groundtruth_lbs/cheburashka/cheburashka.tgf") else { return };
    let mut report = Report::default();
    let skeleton = read_skeleton(&[file], &mut report).unwrap().skeleton;
    skeleton.assert_well_formed();
    assert_eq!(report.warnings(), []);
    let parents: Vec<Option<usize>> = skeleton.joints().iter().map(|joint| joint.parent).collect();
    let one_based = |joint: usize| parents[joint - 1].map(|parent| parent + 1);
    assert_eq!([2, 3, 9, 11].map(one_based), [Some(1); 4]);
    assert_eq!([4, 5, 7, 6, 8, 10, 12].map(one_based), [3, 4, 4, 5, 7, 9, 11].map(Some));
    assert_eq!(one_based(1), None);
}

#[test]
fn the_makehuman_skeleton_has_a_tail_for_every_bone() {
    let Some(file) = real("makehuman/derived/makehuman_skeleton.json") else { return };
    let skeleton = read_skeleton(&[file], &mut Report::default()).unwrap().skeleton;
    skeleton.assert_well_formed();
    assert_eq!(skeleton.joints().len(), 163);
    assert!(skeleton.joints().iter().all(|joint| joint.tail.is_some()));
    assert_eq!(skeleton.joints()[5].parent, Some(4));
}
