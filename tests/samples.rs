//! Properties of the sample characters at every size.

use std::sync::LazyLock;

use glam::Vec3;
use pliant::model::{Attachment, Mesh, Topology};
use pliant::samples::{GeneratedCharacter, SampleCharacter, SampleError, make};

/// From small counts, at which coarse shapes can fail, to large ones, at which fine details can.
const COUNTS: [usize; 4] = [200, 1_000, 5_000, 20_000];

fn make_ok(sample: SampleCharacter, vertices: usize) -> GeneratedCharacter {
    make(sample, vertices).unwrap_or_else(|error| panic!("{} at {vertices}: {error}", sample.name()))
}

/// Generated once for all tests.
fn at_default(sample: SampleCharacter) -> &'static GeneratedCharacter {
    static ALL: LazyLock<Vec<(SampleCharacter, GeneratedCharacter)>> = LazyLock::new(|| {
        SampleCharacter::ALL
            .into_iter()
            .map(|sample| (sample, make_ok(sample, sample.default_vertices())))
            .collect()
    });
    ALL.iter().find(|(made, _)| *made == sample).map(|(_, character)| character).expect("all are made")
}

fn is_analytic(sample: SampleCharacter) -> bool {
    matches!(sample, SampleCharacter::Cylinder | SampleCharacter::CylinderOffCentre)
}

/// The smallest angle of every triangle in degrees, ascending.
fn smallest_angles(mesh: &Mesh) -> Vec<f32> {
    let smallest = |triangle: usize| {
        let corners = mesh.corners(triangle);
        let angle = |i: usize| {
            let (p, q) = (corners[(i + 1) % 3] - corners[i], corners[(i + 2) % 3] - corners[i]);
            p.angle_between(q).to_degrees()
        };
        angle(0).min(angle(1)).min(angle(2))
    };
    let mut angles: Vec<f32> = (0..mesh.triangles().len()).map(smallest).collect();
    angles.sort_by(f32::total_cmp);
    angles
}

fn edge_lengths(mesh: &Mesh) -> Vec<f32> {
    let at = |v: u32| mesh.positions()[v as usize];
    let topology = Topology::of(mesh);
    let mut lengths: Vec<f32> =
        topology.edges().iter().map(|edge| at(edge.ends[0]).distance(at(edge.ends[1]))).collect();
    lengths.sort_by(f32::total_cmp);
    lengths
}

fn quantile(sorted: &[f32], fraction: f64) -> f32 {
    sorted[((sorted.len() - 1) as f64 * fraction) as usize]
}

fn volume(mesh: &Mesh) -> f32 {
    (0..mesh.triangles().len())
        .map(|t| {
            let [a, b, c] = mesh.corners(t);
            a.dot(b.cross(c)) / 6.0
        })
        .sum()
}

#[test]
fn every_character_is_one_closed_manifold_of_genus_zero_facing_outwards() {
    for sample in SampleCharacter::ALL {
        for count in COUNTS {
            let mesh = make_ok(sample, count).mesh;
            let topology = Topology::of(&mesh);
            let what = format!("{} at {count}", sample.name());
            assert!(topology.is_closed_manifold(&mesh), "{what} is not a closed manifold");
            assert_eq!(topology.components(), 1, "{what} is not connected");
            let euler =
                mesh.positions().len() as i64 - topology.edges().len() as i64 + mesh.triangles().len() as i64;
            assert_eq!(euler, 2, "{what} has a handle");
            assert!(volume(&mesh) > 0.0, "{what} is inside out");
            assert!(smallest_angles(&mesh)[0] > 1.0, "{what} has a degenerate triangle");
        }
    }
}

#[test]
fn vertex_counts_are_within_a_tenth_of_the_request() {
    for sample in SampleCharacter::ALL {
        for requested in [200, 201, 317, 399, 400, 777, 1_500, 2_500, 10_000] {
            let got = make_ok(sample, requested).mesh.positions().len();
            assert!(got.abs_diff(requested) * 10 <= requested, "{}: {got} for {requested}", sample.name());
        }
    }
}

#[test]
fn the_same_request_gives_the_same_character() {
    for sample in SampleCharacter::ALL {
        let again = make_ok(sample, sample.default_vertices());
        assert_eq!(*at_default(sample), again, "{}", sample.name());
    }
}

/// Change these only if a shape changes on purpose.
const CHECKSUMS: [(&str, u64); 7] = [
    ("cylinder", 5006422989306888858),
    ("cylinder-off-centre", 5006422989306888858),
    ("arm", 609012057981298487),
    ("hand", 11464281429541609730),
    ("mannequin", 12593076749801057739),
    ("elephant", 3868310505344438693),
    ("giraffe", 1403180661023823083),
];

#[test]
fn characters_are_the_same_bytes_on_every_machine() {
    let sums: Vec<(&str, u64)> =
        SampleCharacter::ALL.iter().map(|&sample| (sample.name(), checksum(at_default(sample)))).collect();
    assert_eq!(sums, CHECKSUMS, "a character has changed");
}

/// FNV-1a over positions, triangles and clip values.
fn checksum(character: &GeneratedCharacter) -> u64 {
    use pliant::model::TrackValues;
    let positions = character.mesh.positions().iter().flat_map(|p| p.to_array()).map(f32::to_bits);
    let triangles = character.mesh.triangles().iter().flatten().copied();
    let tracks = character.clips.iter().flat_map(|clip| &clip.tracks);
    let values = tracks.flat_map(|track| match &track.values {
        TrackValues::Rotation(values) => values.iter().flat_map(|q| q.to_array()).collect::<Vec<f64>>(),
        TrackValues::Translation(values) | TrackValues::Scale(values) => {
            values.iter().flat_map(|v| v.to_array()).collect()
        }
    });
    let words = positions.chain(triangles).map(u64::from).chain(values.map(f64::to_bits));
    words.fold(0xcbf2_9ce4_8422_2325, |hash, word| (hash ^ word).wrapping_mul(0x100_0000_01b3))
}

#[test]
fn joints_are_inside_the_mesh() {
    for sample in SampleCharacter::ALL {
        let character = at_default(sample);
        for joint in character.skeleton.joints() {
            let is_inside = |point: Vec3| character.mesh.winding_number(point) > 0.5;
            assert!(is_inside(joint.head()), "{}: {} starts outside", sample.name(), joint.name);
            assert!(joint.tail.is_none_or(is_inside), "{}: {} ends outside", sample.name(), joint.name);
        }
    }
}

#[test]
fn skeletons_have_one_root_and_every_leaf_has_a_tail() {
    for sample in SampleCharacter::ALL {
        let skeleton = &at_default(sample).skeleton;
        skeleton.assert_well_formed();
        let joints = skeleton.joints();
        assert_eq!(joints.iter().filter(|joint| joint.parent.is_none()).count(), 1, "{}", sample.name());
        for (i, joint) in joints.iter().enumerate() {
            let is_leaf = !joints.iter().any(|other| other.parent == Some(i));
            assert!(joint.tail.is_some() || !is_leaf, "{}: {}", sample.name(), joint.name);
        }
    }
    let count = |sample: SampleCharacter| at_default(sample).skeleton.joints().len();
    assert_eq!(count(SampleCharacter::Cylinder), 2);
    assert_eq!(count(SampleCharacter::Hand), 2 + 15);
    assert_eq!(count(SampleCharacter::Mannequin), 21);
}

#[test]
fn triangles_are_nearly_equilateral_at_the_default_size() {
    for sample in SampleCharacter::ALL.into_iter().filter(|&sample| !is_analytic(sample)) {
        let mesh = &at_default(sample).mesh;
        let angle = quantile(&smallest_angles(mesh), 0.05);
        assert!(angle > 40.0, "{}: a twentieth of the triangles have angles below {angle}°", sample.name());
        let lengths = edge_lengths(mesh);
        let spread = quantile(&lengths, 0.95) / quantile(&lengths, 0.05);
        assert!(spread < 3.0, "{}: edges differ by {spread}", sample.name());
    }
}

#[test]
fn clips_loop_move_and_have_finite_poses() {
    for sample in SampleCharacter::ALL {
        let GeneratedCharacter { skeleton, clips, .. } = at_default(sample);
        assert!((1..=2).contains(&clips.len()), "{}", sample.name());
        for clip in clips {
            clip.assert_well_formed(skeleton);
            let start = clip.sample(skeleton, 0.0);
            let end = clip.sample(skeleton, clip.duration());
            for (joint, (a, b)) in start.parent_from_joint.iter().zip(&end.parent_from_joint).enumerate() {
                assert!(a.abs_diff_eq(*b, 1e-9), "{}: {} jumps at joint {joint}", sample.name(), clip.name);
            }
            let middle = clip.sample(skeleton, 0.3 * clip.duration());
            middle.assert_well_formed(skeleton);
            assert_ne!(middle, start, "{}: {} does not move", sample.name(), clip.name);
        }
    }
}

#[test]
fn feet_neither_sink_nor_float() {
    for (sample, feet) in [
        (SampleCharacter::Mannequin, ["toe.L", "toe.R"].as_slice()),
        (SampleCharacter::Elephant, &["fore_foot.L", "fore_foot.R", "hind_foot.L", "hind_foot.R"]),
        (SampleCharacter::Giraffe, &["fore_foot.L", "fore_foot.R", "hind_foot.L", "hind_foot.R"]),
    ] {
        let GeneratedCharacter { skeleton, clips, mesh } = at_default(sample);
        let tall = mesh.bounds().1.y;
        for step in 0..20 {
            let pose = clips[0].sample(skeleton, clips[0].duration() * step as f32 / 20.0);
            let posed_from_rest = pose.skinning_matrices(skeleton);
            let lowest = feet
                .iter()
                .filter_map(|name| {
                    let joint = skeleton.find(name)?;
                    Some(posed_from_rest[joint].transform_point3(skeleton.joints()[joint].tail?).y)
                })
                .fold(f32::INFINITY, f32::min);
            // The tails of foot bones are a little above the soles, and a foot may stand on its
            // heel.
            assert!(lowest > 0.0 && lowest < 0.06 * tall, "{}: lowest foot at {lowest}", sample.name());
        }
    }
}

#[test]
fn the_default_cylinder_is_sixteen_rings_of_sixteen() {
    let mesh = &at_default(SampleCharacter::Cylinder).mesh;
    assert_eq!(mesh.positions().len(), 256);
    for ring in mesh.positions().chunks(16) {
        assert!(ring.iter().all(|p| p.x == ring[0].x && (p.y.hypot(p.z) - 1.0).abs() < 1e-6));
    }
    assert_eq!(mesh.bounds(), (Vec3::new(-4.0, -1.0, -1.0), Vec3::new(4.0, 1.0, 1.0)));
}

#[test]
fn an_asset_has_one_skinned_part_and_smooth_unit_normals() {
    for sample in SampleCharacter::ALL {
        let asset = at_default(sample).clone().into_asset(sample.name());
        asset.assert_well_formed();
        assert_eq!(asset.render.parts.len(), 1);
        assert_eq!(asset.render.parts[0].attachment, Attachment::Skinned { skin: None });
        assert_eq!((asset.materials.len(), asset.source), (1, None));
    }
}

#[test]
fn counts_out_of_range_are_rejected_with_the_range() {
    for requested in [0, 199, 1_000_001] {
        let error = make(SampleCharacter::Giraffe, requested).unwrap_err();
        assert_eq!(error, SampleError::VertexCount { requested });
        assert!(error.to_string().contains("200 to 1000000"), "{error}");
    }
}

#[test]
fn names_identify_characters() {
    for sample in SampleCharacter::ALL {
        assert_eq!(SampleCharacter::from_name(sample.name()), Some(sample));
    }
    assert_eq!(SampleCharacter::from_name("unicorn"), None);
}
