//! The figures of the paper, as numbers.

use std::collections::BTreeSet;

use glam::Vec3;
use pliant::deform::{Deformer, Posed, Rest, Scratch, Skin, deform};
use pliant::distance::Metric;
use pliant::model::{Joint, Mesh, Skeleton};
use pliant::operators::MeshGeometry;
use pliant::report::Report;
use pliant::samples::{GeneratedCharacter, SampleCharacter, make};
use pliant::weights::{Atlas, Transition, finish};

use super::{by_atlas, cover, regions_of};
use crate::fixtures::Lcg;

fn joint(skeleton: &Skeleton, name: &str) -> usize {
    skeleton.find(name).unwrap()
}

/// The joint of each vertex's region.
fn joints_of(mesh: &Mesh, skeleton: &Skeleton) -> Vec<usize> {
    let regions = regions_of(&MeshGeometry::of(mesh), skeleton, &mut Report::default());
    regions.of_vertex.iter().map(|&region| regions.regions[region as usize].joint).collect()
}

fn agreement(a: &[usize], b: &[usize]) -> f64 {
    a.iter().zip(b).filter(|(a, b)| a == b).count() as f64 / a.len() as f64
}

#[test]
fn fig_1_softness_grows_in_proportion_to_k_until_the_region_ends() {
    let arm = make(SampleCharacter::Arm, 20_000).unwrap();
    let geometry = MeshGeometry::of(&arm.mesh);
    let regions = regions_of(&geometry, &arm.skeleton, &mut Report::default());
    let upper = joint(&arm.skeleton, "upper_arm") as u32;
    // The length of arm over which the upper arm's weight lies strictly between 0 and 1.
    let blended = |k: f64| -> f64 {
        let options = Atlas { k, ..Atlas::default() };
        let weights = finish(&cover(&geometry, &arm.skeleton, &regions, &options).weights, &arm.skeleton, 8);
        let column = weights.column(upper);
        let inside = arm.mesh.positions().iter().zip(&column).filter(|(_, w)| **w > 0.0 && **w < 1.0);
        let (low, high) = inside.fold((f32::MAX, f32::MIN), |(l, h), (p, _)| (l.min(p.x), h.max(p.x)));
        f64::from(high - low)
    };
    let ks = [0.1, 0.2, 0.3, 0.5, 0.7, 1.0];
    let lengths = ks.map(blended);
    // Least squares through the origin.
    let slope =
        ks.iter().zip(&lengths).map(|(k, l)| k * l).sum::<f64>() / ks.iter().map(|k| k * k).sum::<f64>();
    let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
    let residual: f64 = ks.iter().zip(&lengths).map(|(k, l)| (l - slope * k).powi(2)).sum();
    let spread: f64 = lengths.iter().map(|l| (l - mean).powi(2)).sum();
    println!("lengths {lengths:.3?} at K {ks:?}: r² {:.4}", 1.0 - residual / spread);
    assert!(1.0 - residual / spread >= 0.99, "{lengths:?}");
    let [soft, softest] = [2.0, 8.0].map(blended);
    println!("{soft:.3} at K 2, {softest:.3} at K 8");
    assert!(soft > lengths[5] && softest >= soft);
    assert!(softest < 0.6 * 8.0 * slope, "it saturates: {softest} against {}", 8.0 * slope);
}

/// Mesh and skeleton of a character in a frame of a clip.
fn posed(character: &GeneratedCharacter, clip: &str, time: f32) -> (Mesh, Skeleton) {
    let GeneratedCharacter { mesh, skeleton, clips } = character;
    let weights =
        by_atlas(&MeshGeometry::of(mesh), skeleton, &Atlas::default(), &mut Report::default()).weights;
    let weights = finish(&weights, skeleton, 4);
    let clip = clips.iter().find(|c| c.name == clip).unwrap();
    let pose = clip.sample(skeleton, time);
    let pivots: Vec<Vec3> = skeleton.joints().iter().map(Joint::head).collect();
    let skin = Skin::new(&weights, &pivots);
    let normals = pliant::operators::vertex_normals(mesh);
    let (mut moved, mut turned) = (mesh.positions().to_vec(), normals.clone());
    let matrices = pose.skinning_matrices(skeleton);
    let rest = Rest { positions: mesh.positions(), normals: &normals };
    let frame = Posed { positions: &mut moved, normals: &mut turned };
    deform(Deformer::DualQuaternion, &skin, &matrices, rest, frame, &mut Scratch::new(&skin));
    let map_point = |joint: usize, point: Vec3| matrices[joint].transform_point3(point);
    let skeleton = moved_skeleton(skeleton, map_point);
    (mesh.with_positions(moved).unwrap(), skeleton)
}

/// A skeleton with moved joints; `map_point` maps a joint and its head or tail.
fn moved_skeleton(skeleton: &Skeleton, map_point: impl Fn(usize, Vec3) -> Vec3) -> Skeleton {
    let joints = skeleton.joints();
    let moved = joints.iter().enumerate().map(|(i, joint)| {
        let parent = joint.parent.map(|p| (p, map_point(p, joints[p].head())));
        let mut moved = Joint::at(joint.name.clone(), parent, map_point(i, joint.head()));
        moved.tail = joint.tail.map(|tail| map_point(i, tail));
        moved
    });
    Skeleton::new(moved.collect()).unwrap()
}

#[test]
fn fig_3_another_pose_and_noise_give_the_same_regions() {
    let character = make(SampleCharacter::Mannequin, 8_000).unwrap();
    let (mesh, skeleton) = (&character.mesh, &character.skeleton);
    let labels = joints_of(mesh, skeleton);
    for (clip, time) in [("walk", 0.3), ("walk", 0.9), ("wave", 1.0)] {
        let (mesh, skeleton) = posed(&character, clip, time);
        let share = agreement(&labels, &joints_of(&mesh, &skeleton));
        println!("{clip} at {time}: {share:.4}");
        assert!(share >= 0.97, "{clip} at {time}: {share}");
    }
    for seed in [1, 2, 3] {
        let reach = 0.1 * MeshGeometry::of(mesh).mean_edge() as f32;
        let mut rng = Lcg(seed);
        let jittered = mesh.positions().iter().map(|&p| p + point_in_ball(&mut rng) * reach);
        let noisy = mesh.with_positions(jittered.collect()).unwrap();
        let share = agreement(&labels, &joints_of(&noisy, skeleton));
        println!("vertices jittered by 10 % of an edge, {seed}: {share:.4}");
        assert!(share >= 0.98, "jittered: {share}");
    }
}

/// A plane through a joint moves with it. A joint that moves along its bone by a twentieth moves
/// about a twentieth of the limb to another region, and half of that on average over all
/// directions. So whole bodies can keep 0.975 on average, and single samples less.
#[test]
fn fig_3_joints_moved_by_a_twentieth_of_their_bones_give_the_same_regions() {
    let character = make(SampleCharacter::Mannequin, 8_000).unwrap();
    let (mesh, skeleton) = (&character.mesh, &character.skeleton);
    let labels = joints_of(mesh, skeleton);
    let length = |joint: usize| {
        let bone = skeleton.bones().iter().find(|bone| bone.joint == joint);
        bone.map_or(0.0, |bone| bone.length())
    };
    // Agreement of labels if joints move by exactly 5 % or by up to 5 %, averaged over samples.
    let mean = |what: &str, scale: fn(Vec3) -> Vec3| {
        let shares = [1, 2, 3, 4, 5, 6, 7, 8].map(|seed| {
            let mut rng = Lcg(seed);
            let mut shift = |joint: usize| scale(point_in_ball(&mut rng)) * 0.05 * length(joint);
            let shifts: Vec<Vec3> = (0..skeleton.joints().len()).map(&mut shift).collect();
            agreement(&labels, &joints_of(mesh, &moved_skeleton(skeleton, |j, head| head + shifts[j])))
        });
        println!("joints moved by {what} 5 % of their bones: {shares:.4?}");
        shares.iter().sum::<f64>() / shares.len() as f64
    };
    let (exactly, up_to) = (mean("exactly", Vec3::normalize_or_zero), mean("up to", |map_point| map_point));
    println!("on average {exactly:.4} and {up_to:.4}");
    assert!(exactly >= 0.97 && up_to >= 0.97, "{exactly}, {up_to}");
}

/// Uniformly distributed in the unit ball, except for its very centre, which has no direction.
fn point_in_ball(rng: &mut Lcg) -> Vec3 {
    let mut number = || rng.unit() * 2.0 - 1.0;
    loop {
        let map_point = Vec3::new(number(), number(), number());
        if (0.01..=1.0).contains(&map_point.length()) {
            return map_point;
        }
    }
}

#[test]
fn fig_3_finer_and_coarser_meshes_have_the_same_regions() {
    for member in [
        SampleCharacter::Mannequin,
        SampleCharacter::Elephant,
        SampleCharacter::Giraffe,
        SampleCharacter::Hand,
    ] {
        let fine = make(member, 20_000).unwrap();
        let labels = joints_of(&fine.mesh, &fine.skeleton);
        for vertices in [2_500, 5_000, 10_000] {
            let coarse = make(member, vertices).unwrap();
            let coarse_labels = joints_of(&coarse.mesh, &coarse.skeleton);
            // From coarse to fine, where the nearest vertex is very close.
            let nearest = |p: &Vec3| {
                let distances = fine.mesh.positions().iter().map(|q| q.distance_squared(*p));
                distances.enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap().0
            };
            let there: Vec<usize> = coarse.mesh.positions().iter().map(|p| labels[nearest(p)]).collect();
            let share = agreement(&coarse_labels, &there);
            println!("{} of {vertices} against 20,000: {share:.4}", member.name());
            assert!(share >= 0.95, "{} of {vertices}: {share}", member.name());
        }
    }
}

/// Number of vertices of fingers (without thumb and palm) that follow a joint of another finger
/// beyond its first.
fn count_wrong_fingers(options: &Atlas) -> usize {
    let hand = make(SampleCharacter::Hand, 8_000).unwrap();
    let geometry = MeshGeometry::of(&hand.mesh);
    let regions = regions_of(&geometry, &hand.skeleton, &mut Report::default());
    let weights = finish(&cover(&geometry, &hand.skeleton, &regions, options).weights, &hand.skeleton, 8);
    let finger = |joint: usize| {
        let name = &hand.skeleton.joints()[joint].name;
        ["index", "middle", "ring", "little"].iter().position(|finger| name.starts_with(finger))
    };
    let is_first = |joint: usize| hand.skeleton.joints()[joint].name.ends_with("_1");
    let bleeds = |vertex: usize| {
        let own = finger(regions.regions[regions.of_vertex[vertex] as usize].joint);
        let others = weights.row(vertex).iter().map(|i| i.column as usize).filter(|&j| !is_first(j));
        own.is_some() && others.into_iter().any(|j| finger(j).is_some() && finger(j) != own)
    };
    (0..weights.vertices()).filter(|&vertex| bleeds(vertex)).count()
}

#[test]
fn fig_5_euclidean_overlaps_reach_the_next_finger_without_the_guard() {
    let straight = Atlas { k: 1.0, distance: Metric::Euclidean, guard: None, ..Atlas::default() };
    let unguarded = count_wrong_fingers(&straight);
    println!("{unguarded} vertices follow the next finger without the guard");
    assert!(unguarded > 400, "{unguarded}");
    assert_eq!(count_wrong_fingers(&Atlas { guard: Some(1), ..straight.clone() }), 0, "with the guard");
    for metric in [Metric::Dijkstra, Metric::Smooth, Metric::Harmonic] {
        assert_eq!(count_wrong_fingers(&Atlas { distance: metric, ..straight.clone() }), 0, "{metric:?}");
    }
}

#[test]
fn fig_6_three_regions_overlap_at_the_pelvis_for_every_metric() {
    let character = make(SampleCharacter::Mannequin, 8_000).unwrap();
    let geometry = MeshGeometry::of(&character.mesh);
    let regions = regions_of(&geometry, &character.skeleton, &mut Report::default());
    let region = |name: &str| {
        let joint = joint(&character.skeleton, name);
        regions.regions.iter().position(|r| r.joint == joint).unwrap() as u32
    };
    let [hips, left, right] = ["hips", "thigh.L", "thigh.R"].map(region);
    let meet = |a: u32, b: u32| regions.boundaries.iter().any(|s| s.regions == [a.min(b), a.max(b)]);
    assert!(meet(hips, left) && meet(hips, right), "both thighs are cut off the hips");
    let mut blended = Vec::new();
    for metric in Metric::ALL {
        let options = Atlas { distance: metric, ..Atlas::default() };
        let weights = finish(
            &cover(&geometry, &character.skeleton, &regions, &options).weights,
            &character.skeleton,
            8,
        );
        let columns = [hips, left].map(|r| weights.column(regions.regions[r as usize].joint as u32));
        let both = columns[0].iter().zip(&columns[1]).filter(|(a, b)| **a > 0.05 && **b > 0.05).count();
        println!("{metric:?}: {both} vertices follow hips and left thigh");
        blended.push(both);
    }
    let (least, most) = (blended.iter().min().unwrap(), blended.iter().max().unwrap());
    assert!(*least > 100 && 2 * most <= 3 * least, "{blended:?}");
}

#[test]
fn fig_7_a_cubic_transition_is_smooth_where_a_linear_one_has_a_kink() {
    let character = make(SampleCharacter::Cylinder, 40_000).unwrap();
    let geometry = MeshGeometry::of(&character.mesh);
    let regions = regions_of(&geometry, &character.skeleton, &mut Report::default());
    // Weights by ring, ascending in x; all vertices of a ring have the same.
    let jump = |transition: Transition| -> f64 {
        let options = Atlas { k: 1.0, transition, ..Atlas::default() };
        let weights = cover(&geometry, &character.skeleton, &regions, &options).weights.column(1);
        let mut rings: Vec<(f64, f64)> = Vec::new();
        let xs: BTreeSet<i64> =
            character.mesh.positions().iter().map(|p| (f64::from(p.x) * 1e5).round() as i64).collect();
        for x in xs {
            let x = x as f64 / 1e5;
            let of_ring = |p: &Vec3| (f64::from(p.x) - x).abs() < 1e-4 && p.truncate().length() < 10.0;
            let ring = character.mesh.positions().iter().zip(&weights).filter(|(p, _)| of_ring(p));
            let (sum, count) = ring.fold((0.0, 0), |(s, c), (_, w)| (s + f64::from(*w), c + 1));
            rings.push((x, sum / f64::from(count)));
        }
        let slopes: Vec<(f64, f64)> = rings
            .windows(2)
            .map(|r| ((r[0].0 + r[1].0) / 2.0, (r[1].1 - r[0].1) / (r[1].0 - r[0].0)))
            .collect();
        // The largest step of the slope near the overlap's two borders at x = ±2.
        let near = slopes.windows(2).filter(|s| (s[0].0.abs() - 2.0).abs() < 0.2);
        near.map(|s| (s[1].1 - s[0].1).abs()).fold(0.0, f64::max)
    };
    let (cubic, linear) = (jump(Transition::Cubic), jump(Transition::Linear));
    println!("slope jumps by {cubic:.5} (cubic), {linear:.5} (linear)");
    assert!(cubic <= linear / 20.0, "{cubic} against {linear}");
}

#[test]
fn every_region_is_connected_and_grows_for_every_metric_and_k() {
    for member in SampleCharacter::ALL {
        let character = make(member, 1_500).unwrap();
        let geometry = MeshGeometry::of(&character.mesh);
        let (mesh, skeleton) = (&character.mesh, &character.skeleton);
        let regions = regions_of(&geometry, skeleton, &mut Report::default());
        regions.assert_well_formed(mesh.positions().len(), mesh.triangles().len());
        for region in 0..regions.regions.len() as u32 {
            let pieces = pieces(&geometry, |v| regions.of_vertex[v] == region);
            let name = &skeleton.joints()[regions.regions[region as usize].joint].name;
            assert_eq!(pieces, 1, "{}: a region of {name} is in pieces", member.name());
        }
        for metric in Metric::ALL {
            for k in [0.0, 0.01, 0.1, 0.5, 1.0, 2.0, 100.0] {
                let what = format!("{} {metric:?} K {k}", member.name());
                let options = Atlas { k, distance: metric, ..Atlas::default() };
                let cover = cover(&geometry, skeleton, &regions, &options);
                cover.weights.assert_well_formed();
                for vertex in 0..mesh.positions().len() {
                    let own = regions.regions[regions.of_vertex[vertex] as usize].joint;
                    let first_bone =
                        skeleton.bones().iter().position(|bone| bone.joint == own).unwrap() as u32;
                    let row = cover.weights.row(vertex);
                    assert!(
                        row.iter().any(|i| i.column == first_bone),
                        "{what}: {vertex} left its own region"
                    );
                    assert!(k > 0.0 || row.len() == 1, "{what}: rigid is rigid");
                }
                // The vertices that follow a joint are connected around each of the joint's own
                // regions.
                for joint in regions.regions.iter().map(|region| region.joint).collect::<BTreeSet<_>>() {
                    let bone = skeleton.bones().iter().position(|bone| bone.joint == joint).unwrap() as u32;
                    let weights = cover.weights.column(bone);
                    let own = regions.regions.iter().filter(|region| region.joint == joint).count();
                    let grown = pieces(&geometry, |v| weights[v] > 0.0);
                    let name = &skeleton.joints()[joint].name;
                    assert!(grown <= own, "{what}: {name} is followed in {grown} pieces, with {own} regions");
                }
            }
        }
    }
}

/// Number of connected pieces of the vertices for which `is_in` holds.
fn pieces(geometry: &MeshGeometry, is_in: impl Fn(usize) -> bool) -> usize {
    let vertices = geometry.mesh().positions().len();
    let mut seen = vec![false; vertices];
    let mut count = 0;
    for seed in 0..vertices {
        if seen[seed] || !is_in(seed) {
            continue;
        }
        count += 1;
        let mut stack = vec![seed];
        seen[seed] = true;
        while let Some(vertex) = stack.pop() {
            for neighbour in geometry.topology().neighbours(vertex) {
                if !seen[neighbour] && is_in(neighbour) {
                    seen[neighbour] = true;
                    stack.push(neighbour);
                }
            }
        }
    }
    count
}

#[test]
fn k_of_one_joint_changes_only_weights_near_it() {
    let character = make(SampleCharacter::Mannequin, 4_000).unwrap();
    let geometry = MeshGeometry::of(&character.mesh);
    let regions = regions_of(&geometry, &character.skeleton, &mut Report::default());
    let mut options = Atlas { k: 0.3, ..Atlas::default() };
    let before = cover(&geometry, &character.skeleton, &regions, &options);
    options.k_joints.insert("forearm.L".to_owned(), 0.0);
    let after = cover(&geometry, &character.skeleton, &regions, &options);
    let elbow = character.skeleton.joints()[joint(&character.skeleton, "forearm.L")].head();
    let is_rigid = |v: usize| before.overlapped[v] && !after.overlapped[v];
    assert!(
        (0..before.overlapped.len()).filter(|&v| is_rigid(v)).count() > 20,
        "the elbow bends sharply now"
    );
    // Depths are divided by the largest of all, which may change slightly everywhere.
    let change = |v: usize| {
        let pairs = before.weights.row(v).iter().zip(after.weights.row(v));
        pairs.map(|(a, b)| (a.weight - b.weight).abs()).fold(0.0, f32::max)
    };
    for vertex in 0..before.weights.vertices() {
        let distance = character.mesh.positions()[vertex].distance(elbow);
        assert!(
            distance < 0.2 || change(vertex) < 0.005,
            "{distance} away a weight changed by {}",
            change(vertex)
        );
    }
}
