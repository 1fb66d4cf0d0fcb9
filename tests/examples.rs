//! Weights fitted to example poses: the paper's results, known weights, and invalid examples.
#![allow(clippy::disallowed_methods, reason = "tests may read the disk")]

use glam::{DAffine3, DQuat, DVec3, Vec3};
use pliant::io::gltf::{ExportOptions, write_glb};
use pliant::model::{Bone, Influence, Mesh, Morphs, Skeleton, Tail, Weights};
use pliant::operators::MeshGeometry;
use pliant::pipeline::{PoseError, morph_poses, pose_of};
use pliant::progress::{Cancelled, Progress};
use pliant::report::Report;
use pliant::samples::{self, SampleCharacter};
use pliant::weights::{
    Biharmonic, Energy, ExampleError, ExampleFit, FitLimits, FitObserver, FittedWeights, Handle, Heat,
    biharmonic_of, bone_heat, fit_examples, reproduced,
};

use crate::fixtures::{Lcg, grid};

fn name(handle: usize) -> String {
    format!("handle {handle}")
}

fn fitted_weights(
    mesh: &Mesh,
    handles: &[Handle],
    examples: &[Vec<Vec3>],
    options: &ExampleFit,
) -> FittedWeights {
    let geometry = MeshGeometry::of(mesh);
    let (report, progress) = (&mut Report::default(), &mut Progress::silent());
    let watching = FitObserver { report, progress, on_iteration: &mut |_, _| true };
    let found =
        fit_examples(&geometry, handles, examples, FitLimits::unlimited(options), &name, watching).unwrap();
    found.weights.assert_well_formed();
    assert_never_grows(&found.energy);
    found
}

fn assert_never_grows(energy: &[Energy]) {
    for pair in energy.windows(2) {
        assert!(pair[1].total <= pair[0].total * (1.0 + 1e-9) + 1e-15, "E grows: {pair:?}");
        let sum = pair[1].data + pair[1].sparsity + pair[1].arap;
        assert!((sum - pair[1].total).abs() <= 1e-12 * pair[1].total, "{pair:?}");
    }
}

/// The paper's card: 50 × 50 vertices, 4,802 triangles, 2 × 1 large, and folded across its middle.
fn card(angle: f64) -> (Mesh, [Handle; 2], Vec<Vec3>) {
    let flat = grid(49, 49);
    let (low, high) = flat.bounds();
    let place = |p: Vec3| {
        let share = (p - low) / (high - low).max(Vec3::splat(1e-9));
        Vec3::new(2.0 * share.x - 1.0, 0.0, share.y.max(share.z))
    };
    let mesh = flat.with_positions(flat.positions().iter().map(|&p| place(p)).collect()).unwrap();
    assert_eq!((mesh.positions().len(), mesh.triangles().len()), (2500, 4802));
    let fold = |p: &Vec3| {
        let (sine, cosine) = (angle.sin() as f32, angle.cos() as f32);
        if p.x > 0.0 { Vec3::new(p.x * cosine, p.x * sine, p.z) } else { *p }
    };
    let folded = mesh.positions().iter().map(fold).collect();
    (mesh, [Handle::Point(Vec3::new(-1.0, 0.0, 0.5)), Handle::Point(Vec3::new(1.0, 0.0, 0.5))], folded)
}

fn share_of_decided(weights: &Weights) -> f64 {
    let decided = weights.column(0).iter().filter(|w| !(0.05..=0.95).contains(*w)).count();
    decided as f64 / weights.vertices() as f64
}

#[test]
fn a_folded_card_gives_two_rigid_halves() {
    let (mesh, handles, folded) = card(std::f64::consts::FRAC_PI_2);
    let found = fitted_weights(&mesh, &handles, &[folded], &ExampleFit::default());
    let (before, after) = (share_of_decided(&found.initial), share_of_decided(&found.weights));
    println!(
        "card: {before:.3} of the vertices decided, then {after:.3}; rms {:.2e}, then {:.2e}; {:?}",
        found.rms[0], found.rms[1], found.convergence
    );
    assert!(before < 0.5, "biharmonic weights are a soft ramp: {before}");
    assert!(after >= 0.9, "{after}");
    assert!(found.rms[1] * 10.0 <= found.rms[0], "{:?}", found.rms);
    // Other angles, which were not among the examples, fold as well.
    let geometry = MeshGeometry::of(&mesh);
    for degrees in [30.0f64, 60.0, 120.0] {
        let (_, _, other) = card(degrees.to_radians());
        let [soft, stiff] = [&found.initial, &found.weights]
            .map(|weights| reproduced(&geometry, weights, std::slice::from_ref(&other)).unwrap());
        assert!(stiff * 5.0 <= soft, "{degrees}°: {stiff} against {soft}");
    }
}

/// Poses made by linear blend skinning with known weights and known motions of bones.
fn poses_with_known_weights(
    mesh: &Mesh,
    skeleton: &Skeleton,
    weights: &Weights,
    poses: usize,
    seed: u64,
) -> Vec<Vec<Vec3>> {
    let mut rng = Lcg(seed);
    let pose = |_| {
        // Every bone rotates about its head by up to half a radian, and follows its parent.
        let mut motions: Vec<DAffine3> = Vec::new();
        for bone in skeleton.bones() {
            let axis = rng.point(1.0).as_dvec3().normalize_or(DVec3::X);
            let turn = DQuat::from_axis_angle(axis, f64::from(rng.unit()) * 1.0);
            let head = bone.head.as_dvec3();
            let own = DAffine3::from_translation(head)
                * DAffine3::from_quat(turn)
                * DAffine3::from_translation(-head);
            let parent =
                bone.parent.filter(|&p| p < motions.len()).map_or(DAffine3::IDENTITY, |p| motions[p]);
            motions.push(parent * own);
        }
        let place = |(p, row): (&Vec3, &[Influence])| {
            let moved = |i: &Influence| {
                motions[i.column as usize].transform_point3(p.as_dvec3()) * f64::from(i.weight)
            };
            row.iter().map(moved).sum::<DVec3>().as_vec3()
        };
        mesh.positions().iter().zip(weights.rows()).map(place).collect()
    };
    (0..poses).map(pose).collect()
}

fn mean_error(a: &Weights, b: &Weights) -> f64 {
    let columns = 0..a.columns() as u32;
    let apart = |c: u32| a.column(c).into_iter().zip(b.column(c)).map(|(x, y)| f64::from((x - y).abs()));
    columns.flat_map(apart).sum::<f64>() / (a.vertices() * a.columns()) as f64
}

/// Sparse weights in which every bone has influence: the two largest bone heat weights of every
/// vertex.
fn truth_of(mesh: &Mesh, skeleton: &Skeleton) -> Weights {
    let (geometry, options) = (MeshGeometry::of(mesh), Heat { conductance: 16.0, ..Heat::default() });
    let heat =
        bone_heat(&geometry, skeleton, &options, &mut Report::default(), &mut Progress::silent()).unwrap();
    let two = |row: &[Influence]| {
        let mut row = row.to_vec();
        row.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        row.truncate(2);
        let sum: f32 = row.iter().map(|i| i.weight).sum();
        row.iter_mut().for_each(|i| i.weight /= sum);
        row.sort_by_key(|i| i.column);
        row
    };
    Weights::new(heat.columns(), heat.rows().map(two)).unwrap()
}

/// The errors of fitted weights, and of the fitted poses compared with poses without noise.
struct Recovered {
    found: FittedWeights,
    /// Errors of the weights: at first and in the end.
    apart: [f64; 2],
    /// Root mean square distance from the poses before noise, in diagonals.
    rms: f64,
}

fn recovered(mesh: &Mesh, skeleton: &Skeleton, shown: &[Vec<Vec3>], exact: &[Vec<Vec3>]) -> Recovered {
    let truth = truth_of(mesh, skeleton);
    let found = fitted_weights(mesh, &bones_of(skeleton), shown, &ExampleFit::default());
    let apart = [&found.initial, &found.weights].map(|weights| mean_error(&truth, weights));
    let mut squares = 0.0;
    for (k, pose) in exact.iter().enumerate() {
        let made = found.reproductions.positions(true, k, mesh.positions());
        squares += made.iter().zip(pose).map(|(a, b)| f64::from(a.distance_squared(*b))).sum::<f64>();
    }
    let count = exact.len() * mesh.positions().len();
    let rms = (squares / count as f64).sqrt() / f64::from(mesh.diagonal());
    Recovered { found, apart, rms }
}

fn bones_of(skeleton: &Skeleton) -> Vec<Handle> {
    skeleton.bones().iter().map(|&bone| Handle::Bone(bone)).collect()
}

#[test]
fn known_weights_are_recovered() {
    for member in [SampleCharacter::Hand, SampleCharacter::Elephant] {
        let made = samples::make(member, 1000).unwrap();
        let (mesh, skeleton) = (&made.mesh, &made.skeleton);
        let exact = poses_with_known_weights(mesh, skeleton, &truth_of(mesh, skeleton), 8, 7);
        let [clean, noise] = [exact.clone(), noisy(mesh, &exact, 3)].map(|shown| {
                    let recovered = recovered(mesh, skeleton, &shown, &exact);
            let Recovered { found, apart, rms } = &recovered;
            println!(
                "{}: rms {:.2e} then {:.2e}, {rms:.2e} from the poses without noise; weights {:.4} then {:.4} apart; {:?}",
                member.name(),
                found.rms[0],
                found.rms[1],
                apart[0],
                apart[1],
                found.convergence
            );
            recovered
        });
        let name = member.name();
        assert!(clean.found.rms[1] <= 1e-3, "{name}: {:?}", clean.found.rms);
        // Much better than the initial weights, and with noise of a hundredth of the size nearly as
        // good.
        assert!(
            clean.apart[1] <= 0.01 && clean.apart[1] <= 0.6 * clean.apart[0],
            "{name}: {:?}",
            clean.apart
        );
        assert!(
            noise.apart[1] <= 0.01 && noise.apart[1] <= 0.6 * noise.apart[0],
            "{name}: {:?}",
            noise.apart
        );
        // The fit follows the pose and not the noise: more than a third of the noise is removed.
        assert!(noise.rms <= 0.65 * NOISE, "{name}: {}", noise.rms);
    }
}

/// The root mean square length of the noise of [`noisy`], in diagonals: it is uniform in a cube of
/// half-size one percent.
const NOISE: f64 = 0.01;

/// Adds noise of one percent of the diagonal in every direction.
fn noisy(mesh: &Mesh, poses: &[Vec<Vec3>], seed: u64) -> Vec<Vec<Vec3>> {
    let (mut rng, noise) = (Lcg(seed), 0.01 * mesh.diagonal());
    poses.iter().map(|pose| pose.iter().map(|p| *p + rng.point(1.0) * noise).collect()).collect()
}

fn near_zero(weights: &Weights, limit: f32) -> usize {
    let of_column = |c: u32| weights.column(c).iter().filter(|w| **w < limit).count();
    (0..weights.columns() as u32).map(of_column).sum()
}

/// The paper's figure 21 as numbers: errors of the weights, and errors of poses that were not among
/// the examples.
#[test]
fn every_term_is_needed() {
    let made = samples::make(SampleCharacter::Hand, 700).unwrap();
    let (mesh, skeleton) = (&made.mesh, &made.skeleton);
    let truth = truth_of(mesh, skeleton);
    let poses = poses_with_known_weights(mesh, skeleton, &truth, 8, 11);
    let held_out = poses_with_known_weights(mesh, skeleton, &truth, 4, 12);
    let geometry = MeshGeometry::of(mesh);
    let all = ExampleFit::default();
    let tried = [
        ("all terms", all),
        // 0 would follow the noise.
        ("without sparsity", ExampleFit { sparsity: f64::MIN_POSITIVE, ..all }),
        ("without data", ExampleFit { data: 0.0, ..all }),
        ("without rigidity", ExampleFit { rigidity: 0.0, stiffness: 0.0, ..all }),
    ];
    let found = tried.map(|(what, options)| {
        let found = fitted_weights(mesh, &bones_of(skeleton), &poses, &options);
        let held = reproduced(&geometry, &found.weights, &held_out).unwrap();
        let (apart, zeros) = (mean_error(&truth, &found.weights), near_zero(&found.weights, 0.05));
        println!("{what}: held-out rms {held:.2e}, weights {apart:.4} apart, {zeros} below 0.05");
        (held, apart, zeros)
    });
    let [all, no_sparsity, no_data, no_rigidity] = found;
    // The area that a handle influences is larger than it should be.
    assert!(no_sparsity.0 > 1.5 * all.0 && no_sparsity.1 > 5.0 * all.1 && no_sparsity.2 < all.2, "{found:?}");
    assert!(no_data.0 > 3.0 * all.0 && no_data.1 > 5.0 * all.1, "{found:?}");
    assert!(no_rigidity.0 > 1.1 * all.0 && no_rigidity.1 > 3.0 * all.1, "{found:?}");
}

/// Drops weights below `limit` and normalises the rows.
fn pruned(weights: &Weights, limit: f32) -> Weights {
    let row = |row: &[Influence]| {
        let most = row.iter().map(|i| i.weight).fold(0.0, f32::max);
        let kept: Vec<Influence> = row.iter().filter(|i| i.weight >= limit.min(most)).copied().collect();
        let sum: f32 = kept.iter().map(|i| i.weight).sum();
        kept.into_iter().map(move |i| Influence { weight: i.weight / sum, ..i }).collect::<Vec<_>>()
    };
    Weights::new(weights.columns(), weights.rows().map(row)).unwrap()
}

/// The paper's table 1: sparsity during the fit, compared with dropping small weights after it.
#[test]
fn sparsity_within_the_fit_gives_more_zeros_than_afterwards() {
    let made = samples::make(SampleCharacter::Hand, 700).unwrap();
    let (mesh, skeleton) = (&made.mesh, &made.skeleton);
    let exact = poses_with_known_weights(mesh, skeleton, &truth_of(mesh, skeleton), 8, 11);
    let (geometry, poses) = (MeshGeometry::of(mesh), noisy(mesh, &exact, 3));
    let within = fitted_weights(mesh, &bones_of(skeleton), &poses, &ExampleFit::default()).weights;
    let without = ExampleFit { sparsity: f64::MIN_POSITIVE, ..ExampleFit::default() };
    let fitted = fitted_weights(mesh, &bones_of(skeleton), &poses, &without).weights;
    // Drop either the weights near zero, or as many as give the same number of zeros.
    let cleaned = pruned(&fitted, 0.05);
    let (mut low, mut high) = (0.0f32, 1.0f32);
    for _ in 0..12 {
        let limit = 0.5 * (low + high);
        let is_enough = near_zero(&pruned(&fitted, limit), 0.05) >= near_zero(&within, 0.05);
        *if is_enough { &mut high } else { &mut low } = limit;
    }
    let as_sparse = pruned(&fitted, high);
    let rows = [
        ("without sparsity", &fitted),
        ("separate", &cleaned),
        ("separate, as sparse", &as_sparse),
        ("simultaneous", &within),
    ];
    let [_, separate, as_sparse, simultaneous] = rows.map(|(name, weights)| {
        let (counts, all) =
            ([0.1, 0.05].map(|limit| near_zero(weights, limit)), weights.vertices() * weights.columns());
        let rms = reproduced(&geometry, weights, &exact).unwrap();
        println!(
            "{name}: {counts:?} of {all} weights below 0.1 and 0.05; rms {rms:.2e} from the exact poses"
        );
        (counts.map(|count| (all - count) as f64), rms)
    });
    // Most weights are zero in any case, so the numbers of the others are compared.
    assert!((0..2).all(|limit| separate.0[limit] > 1.5 * simultaneous.0[limit]), "{separate:?}");
    assert!(separate.1 > 1.5 * simultaneous.1, "{separate:?} against {simultaneous:?}");
    assert!(as_sparse.1 > 1.5 * simultaneous.1, "{as_sparse:?} against {simultaneous:?}");
}

fn square() -> (Mesh, [Handle; 2], Vec<Vec3>) {
    let mesh = grid(6, 6);
    let (low, high) = mesh.bounds();
    let example = mesh.positions().iter().map(|p| *p + Vec3::Z * (p.x - low.x).powi(2) * 0.2).collect();
    (mesh, [Handle::Point(low), Handle::Point(high)], example)
}

#[test]
fn unusual_examples_are_handled() {
    let (mesh, handles, example) = square();
    let rest = mesh.positions().to_vec();
    // The rest pose as an example changes nothing.
    let found = fitted_weights(&mesh, &handles, std::slice::from_ref(&rest), &ExampleFit::default());
    assert!(found.rms[1] < 1e-6, "{:?}", found.rms);
    // A translated and rotated example has the same shape.
    let turn = glam::Quat::from_rotation_y(1.0);
    let moved: Vec<Vec3> = example.iter().map(|&p| turn * p + Vec3::new(30.0, -4.0, 2.0)).collect();
    let here = fitted_weights(&mesh, &handles, std::slice::from_ref(&example), &ExampleFit::default());
    let there = fitted_weights(&mesh, &handles, std::slice::from_ref(&moved), &ExampleFit::default());
    assert!(mean_error(&here.weights, &there.weights) < 0.01);
    // A hundred examples.
    let many: Vec<Vec<Vec3>> = (0..100)
        .map(|k| rest.iter().zip(&example).map(|(a, b)| a.lerp(*b, k as f32 / 99.0)).collect())
        .collect();
    assert_eq!(fitted_weights(&mesh, &handles, &many, &ExampleFit::default()).errors.len(), 100);
}

#[test]
fn examples_that_do_not_fit_are_rejected_with_the_location() {
    let (mesh, handles, example) = square();
    let geometry = MeshGeometry::of(&mesh);
    let try_with = |examples: &[Vec<Vec3>]| {
        let (report, progress) = (&mut Report::default(), &mut Progress::silent());
        let watching = FitObserver { report, progress, on_iteration: &mut |_, _| true };
        fit_examples(
            &geometry,
            &handles,
            examples,
            FitLimits::unlimited(&ExampleFit::default()),
            &name,
            watching,
        )
        .unwrap_err()
    };
    assert_eq!(try_with(&[]), ExampleError::None);
    let (found, expected) = (example.len() - 1, example.len());
    let short = example[1..].to_vec();
    assert_eq!(try_with(&[example.clone(), short]), ExampleError::OtherCount { example: 1, found, expected });
    let mut broken = example;
    broken[7].y = f32::NAN;
    assert_eq!(try_with(&[broken]), ExampleError::NotFinite { example: 0, vertex: 7 });
}

#[test]
fn a_stopped_fit_returns_the_best_result_so_far() {
    let (mesh, handles, folded) = card(1.0);
    let geometry = MeshGeometry::of(&mesh);
    let mut heard = Vec::new();
    let mut stop_after_two = |energy: &Energy, so_far: &dyn Fn() -> Weights| {
        so_far().assert_well_formed();
        heard.push(*energy);
        heard.len() < 2
    };
    let (report, progress) = (&mut Report::default(), &mut Progress::silent());
    let watching = FitObserver { report, progress, on_iteration: &mut stop_after_two };
    let found = fit_examples(
        &geometry,
        &handles,
        std::slice::from_ref(&folded),
        FitLimits::unlimited(&ExampleFit::default()),
        &name,
        watching,
    )
    .unwrap();
    assert_eq!((found.convergence.iterations, found.convergence.converged), (2, false));
    assert_eq!(found.energy[1..], heard);
    let mut asked = 0;
    let mut listener = |_| {
        asked += 1;
        asked < 8
    };
    let (report, progress) = (&mut Report::default(), &mut Progress::new(&mut listener));
    let watching = FitObserver { report, progress, on_iteration: &mut |_, _| true };
    let cancelled = fit_examples(
        &geometry,
        &handles,
        &[folded],
        FitLimits::unlimited(&ExampleFit::default()),
        &name,
        watching,
    );
    assert_eq!(cancelled.unwrap_err(), ExampleError::Cancelled(Cancelled));
}

type Real = (Mesh, Vec<Handle>, Weights, Vec<Vec<Vec3>>);

/// A real character with its artist's weights and poses made with them: mesh, bones, weights per
/// bone, poses.
fn cheburashka() -> Option<Real> {
    let folder = crate::shared_models::folder()?.join("research_groundtruth_lbs/cheburashka");
    if !folder.is_dir() {
        println!("skipped: there is no cheburashka beside the project");
        return None;
    }
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let numbers =
        |line: &str| -> Vec<f32> { line.split_whitespace().filter_map(|n| n.parse().ok()).collect() };
    let places = |text: &str| -> Vec<Vec3> {
        text.lines().filter_map(|l| l.strip_prefix("v ")).map(|l| Vec3::from_slice(&numbers(l))).collect()
    };
    let obj = text("cheburashka.obj");
    let corner = |c: &str| c.split('/').next().unwrap().parse::<u32>().unwrap() - 1;
    let faces = obj.lines().filter_map(|l| l.strip_prefix("f "));
    let triangles: Vec<[u32; 3]> = faces
        .flat_map(|l| {
            let corners: Vec<u32> = l.split_whitespace().map(corner).collect();
            (1..corners.len() - 1).map(|i| [corners[0], corners[i], corners[i + 1]]).collect::<Vec<_>>()
        })
        .collect();
    let mesh = Mesh::new(places(&obj), triangles).unwrap();
    let tgf = text("cheburashka.tgf");
    let (nodes, edges) = tgf.split_once('#').unwrap();
    let nodes: Vec<Vec3> = nodes.lines().map(|l| Vec3::from_slice(&numbers(l)[1..4])).collect();
    let bone = |l: &str| {
        let ends = numbers(l);
        let [head, tail] = [0, 1].map(|i| nodes[ends[i] as usize - 1]);
        Handle::Bone(Bone { joint: 0, parent: None, head, tail, end: Tail::Explicit })
    };
    let handles: Vec<Handle> = edges.lines().filter(|l| numbers(l).len() >= 2).map(bone).collect();
    let dmat = text("cheburashka.DMAT");
    let values: Vec<f32> = dmat.lines().skip(1).flat_map(numbers).collect();
    let vertices = mesh.positions().len();
    assert_eq!(values.len(), vertices * handles.len());
    let row = |v: usize| -> Vec<Influence> {
        let weights: Vec<f32> = (0..handles.len()).map(|c| values[c * vertices + v].max(0.0)).collect();
        let sum: f32 = weights.iter().sum();
        let shares = (0..).zip(&weights).map(|(column, w)| Influence { column, weight: w / sum });
        shares.filter(|i| i.weight > 1e-7).collect()
    };
    let truth = Weights::new(handles.len(), (0..vertices).map(row)).unwrap();
    let poses = (1..=11).map(|k| places(&text(&format!("poses-2/cheburashka-{k:02}.obj")))).collect();
    Some((mesh, handles, truth, poses))
}

#[test]
fn poses_of_a_real_character_are_fitted_better_than_by_biharmonic_weights() {
    let Some((mesh, handles, truth, poses)) = cheburashka() else { return };
    println!(
        "cheburashka: {} vertices, {} bones, {} poses",
        mesh.positions().len(),
        handles.len(),
        poses.len()
    );
    let (shown, held_out) = poses.split_at(poses.len() - 3);
    let found = fitted_weights(&mesh, &handles, shown, &ExampleFit::default());
    let geometry = MeshGeometry::of(&mesh);
    let [before, after] =
        [&found.initial, &found.weights].map(|weights| reproduced(&geometry, weights, held_out).unwrap());
    println!(
        "cheburashka: example rms {:.2e} then {:.2e}; held-out {before:.2e} then {after:.2e}; weights {:.4} then {:.4} apart",
        found.rms[0],
        found.rms[1],
        mean_error(&truth, &found.initial),
        mean_error(&truth, &found.weights)
    );
    assert!(after < before, "{after} against {before}");
}

#[test]
fn biharmonic_weights_of_the_card_are_a_ramp() {
    let (mesh, handles, _) = card(0.0);
    let geometry = MeshGeometry::of(&mesh);
    let found = biharmonic_of(
        &geometry,
        &handles,
        &Biharmonic::default(),
        &name,
        &mut Report::default(),
        &mut Progress::silent(),
    );
    let weights = found.unwrap().weights;
    let middle = mesh.positions().iter().position(|p| p.x.abs() < 0.05 && (p.z - 0.5).abs() < 0.05).unwrap();
    let at = weights.row(middle).iter().find(|i| i.column == 0).map_or(0.0, |i| i.weight);
    assert!((0.3..0.7).contains(&at), "{at}");
}

#[test]
fn poses_are_read_only_from_files_of_the_same_topology() {
    let asset = samples::make(SampleCharacter::Arm, 300).unwrap().into_asset("arm");
    let mut other = asset.clone();
    other.render.positions.iter_mut().for_each(|p| *p += Vec3::Y);
    let pose = pose_of(&asset, &other).unwrap();
    assert!(pose.iter().zip(asset.mesh.positions()).all(|(a, b)| a.distance(*b + Vec3::Y) < 1e-5));
    other.render.triangles.swap(4, 9);
    let (found, expected) = (asset.render.triangles[9], asset.render.triangles[4]);
    assert_eq!(pose_of(&asset, &other), Err(PoseError::OtherOrder { triangle: 4, found, expected }));
    other.render.triangles.pop();
    assert!(matches!(pose_of(&asset, &other), Err(PoseError::OtherTriangles { .. })));
    other.render.positions.pop();
    assert!(matches!(pose_of(&asset, &other), Err(PoseError::OtherVertices { .. })));
    assert_eq!(morph_poses(&asset), Vec::<Vec<Vec3>>::new());
}

#[test]
fn morph_targets_are_poses() {
    let asset = samples::make(SampleCharacter::Arm, 300).unwrap().into_asset("arm");
    let skeleton = asset.skeleton.clone().unwrap();
    let vertices = asset.render.positions.len();
    let weights = Weights::rigid(skeleton.joints().len(), vec![0; vertices]).unwrap();
    let raised: Vec<Vec3> = (0..vertices).map(|v| Vec3::Z * (v % 3) as f32).collect();
    let morphs = [Morphs {
        clip: asset.clips[0].name.clone(),
        times: vec![0.0, 1.0],
        targets: vec![vec![Vec3::ZERO; vertices], raised.clone()],
    }];
    let options = ExportOptions {
        skeleton: Some(&skeleton),
        weights: Some(&weights),
        morphs: &morphs,
        ..Default::default()
    };
    let bytes = write_glb(&asset, &options).unwrap();
    let file = pliant::io::File { name: "arm.glb".into(), bytes };
    let read = pliant::io::read_model(&[file], &mut Report::default()).unwrap();
    let poses = morph_poses(&read);
    assert_eq!(poses.len(), 2);
    for (solve, &render) in read.render_from_solve().iter().enumerate() {
        let rest = read.mesh.positions()[solve];
        assert!(poses[0][solve].distance(rest) < 1e-5);
        assert!(poses[1][solve].distance(rest + raised[render as usize]) < 1e-4);
    }
}
