//! The demo characters: what must hold for every one of them at every size.

use std::sync::LazyLock;

use glam::Vec3;
use pliant::model::{Attachment, Mesh, Topology};
use pliant::samples::{GeneratedCharacter, SampleCharacter, SampleError, make};

/// Small enough for coarse shapes to break, large enough for fine ones to.
const COUNTS: [usize; 4] = [200, 1_000, 5_000, 20_000];

fn make_ok(member: SampleCharacter, vertices: usize) -> GeneratedCharacter {
    make(member, vertices).unwrap_or_else(|error| panic!("{} at {vertices}: {error}", member.name()))
}

/// Made once, for all tests.
fn at_default(member: SampleCharacter) -> &'static GeneratedCharacter {
    static ALL: LazyLock<Vec<(SampleCharacter, GeneratedCharacter)>> = LazyLock::new(|| {
        SampleCharacter::ALL
            .into_iter()
            .map(|member| (member, make_ok(member, member.default_vertices())))
            .collect()
    });
    ALL.iter().find(|(made, _)| *made == member).map(|(_, character)| character).expect("all are made")
}

fn is_analytic(member: SampleCharacter) -> bool {
    matches!(member, SampleCharacter::Cylinder | SampleCharacter::CylinderOffCentre)
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

fn share(sorted: &[f32], share: f64) -> f32 {
    sorted[((sorted.len() - 1) as f64 * share) as usize]
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
    for member in SampleCharacter::ALL {
        for count in COUNTS {
            let mesh = make_ok(member, count).mesh;
            let topology = Topology::of(&mesh);
            let what = format!("{} at {count}", member.name());
            assert!(topology.is_closed_manifold(&mesh), "{what} is not a closed manifold");
            assert_eq!(topology.components(), 1, "{what} falls apart");
            let euler =
                mesh.positions().len() as i64 - topology.edges().len() as i64 + mesh.triangles().len() as i64;
            assert_eq!(euler, 2, "{what} has a handle");
            assert!(volume(&mesh) > 0.0, "{what} is inside out");
            assert!(smallest_angles(&mesh)[0] > 1.0, "{what} has a degenerate triangle");
        }
    }
}

#[test]
fn vertex_counts_are_within_a_tenth_of_what_was_asked_for() {
    for member in SampleCharacter::ALL {
        for asked in [200, 201, 317, 399, 400, 777, 1_500, 2_500, 10_000] {
            let got = make_ok(member, asked).mesh.positions().len();
            assert!(got.abs_diff(asked) * 10 <= asked, "{}: {got} for {asked}", member.name());
        }
    }
}

#[test]
fn the_same_request_gives_the_same_character() {
    for member in SampleCharacter::ALL {
        let again = make_ok(member, member.default_vertices());
        assert_eq!(*at_default(member), again, "{}", member.name());
    }
}

/// Change these only when a shape changes on purpose.
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
        SampleCharacter::ALL.iter().map(|&member| (member.name(), checksum(at_default(member)))).collect();
    assert_eq!(sums, CHECKSUMS, "a character is not what it was");
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
fn joints_lie_inside_the_body_that_is_bound_to_them() {
    for member in SampleCharacter::ALL {
        let character = at_default(member);
        for joint in character.skeleton.joints() {
            let is_inside = |point: Vec3| character.mesh.winding_number(point) > 0.5;
            assert!(is_inside(joint.head()), "{}: {} starts outside", member.name(), joint.name);
            assert!(joint.tail.is_none_or(is_inside), "{}: {} ends outside", member.name(), joint.name);
        }
    }
}

#[test]
fn skeletons_hang_on_one_root_and_every_leaf_says_where_it_ends() {
    for member in SampleCharacter::ALL {
        let skeleton = &at_default(member).skeleton;
        skeleton.assert_well_formed();
        let joints = skeleton.joints();
        assert_eq!(joints.iter().filter(|joint| joint.parent.is_none()).count(), 1, "{}", member.name());
        for (i, joint) in joints.iter().enumerate() {
            let is_leaf = !joints.iter().any(|other| other.parent == Some(i));
            assert!(joint.tail.is_some() || !is_leaf, "{}: {}", member.name(), joint.name);
        }
    }
    let count = |member: SampleCharacter| at_default(member).skeleton.joints().len();
    assert_eq!(count(SampleCharacter::Cylinder), 2);
    assert_eq!(count(SampleCharacter::Hand), 2 + 15);
    assert_eq!(count(SampleCharacter::Mannequin), 21);
}

#[test]
fn triangles_are_even_at_the_default_size() {
    for member in SampleCharacter::ALL.into_iter().filter(|&member| !is_analytic(member)) {
        let mesh = &at_default(member).mesh;
        let angle = share(&smallest_angles(mesh), 0.05);
        assert!(angle > 40.0, "{}: a twentieth of the triangles have angles below {angle}°", member.name());
        let lengths = edge_lengths(mesh);
        let spread = share(&lengths, 0.95) / share(&lengths, 0.05);
        assert!(spread < 3.0, "{}: edges differ by {spread}", member.name());
    }
}

#[test]
fn clips_are_loops_that_move_and_whose_poses_are_finite() {
    for member in SampleCharacter::ALL {
        let GeneratedCharacter { skeleton, clips, .. } = at_default(member);
        assert!((1..=2).contains(&clips.len()), "{}", member.name());
        for clip in clips {
            clip.assert_well_formed(skeleton);
            let start = clip.sample(skeleton, 0.0);
            let end = clip.sample(skeleton, clip.duration());
            for (joint, (a, b)) in start.parent_from_joint.iter().zip(&end.parent_from_joint).enumerate() {
                assert!(a.abs_diff_eq(*b, 1e-9), "{}: {} jumps at joint {joint}", member.name(), clip.name);
            }
            let middle = clip.sample(skeleton, 0.3 * clip.duration());
            middle.assert_well_formed(skeleton);
            assert_ne!(middle, start, "{}: {} stands still", member.name(), clip.name);
        }
    }
}

#[test]
fn walkers_neither_sink_nor_float() {
    for (member, feet) in [
        (SampleCharacter::Mannequin, ["toe.L", "toe.R"].as_slice()),
        (SampleCharacter::Elephant, &["fore_foot.L", "fore_foot.R", "hind_foot.L", "hind_foot.R"]),
        (SampleCharacter::Giraffe, &["fore_foot.L", "fore_foot.R", "hind_foot.L", "hind_foot.R"]),
    ] {
        let GeneratedCharacter { skeleton, clips, mesh } = at_default(member);
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
            // The tips of foot bones lie a little above the soles, and a sole may stand on its heel.
            assert!(lowest > 0.0 && lowest < 0.06 * tall, "{}: lowest foot at {lowest}", member.name());
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
    for member in SampleCharacter::ALL {
        let asset = at_default(member).clone().into_asset(member.name());
        asset.assert_well_formed();
        assert_eq!(asset.render.parts.len(), 1);
        assert_eq!(asset.render.parts[0].attachment, Attachment::Skinned { skin: None });
        assert_eq!((asset.materials.len(), asset.source), (1, None));
    }
}

#[test]
fn counts_out_of_range_are_refused_with_what_is_allowed() {
    for requested in [0, 199, 1_000_001] {
        let error = make(SampleCharacter::Giraffe, requested).unwrap_err();
        assert_eq!(error, SampleError::VertexCount { requested });
        assert!(error.to_string().contains("200 to 1000000"), "{error}");
    }
}

#[test]
fn names_lead_back_to_their_members() {
    for member in SampleCharacter::ALL {
        assert_eq!(SampleCharacter::from_name(member.name()), Some(member));
    }
    assert_eq!(SampleCharacter::from_name("unicorn"), None);
}
