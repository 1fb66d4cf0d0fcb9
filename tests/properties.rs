//! Properties of every method on every fixture that has a skeleton.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use glam::{Affine3A, Quat, Vec3};
use pliant::deform::{Deformer, Posed, Rest, Scratch, Skin, deform};
use pliant::distance::Metric;
use pliant::model::{Influence, Mesh, Pose, Skeleton, Weights};
use pliant::operators::MeshGeometry;
use pliant::pipeline::Method;
use pliant::progress::Progress;
use pliant::report::Report;
use pliant::weights::{
    Atlas, Biharmonic, Diffusion, Distance, Domain, ExampleFit, FitLimits, FitObserver, FittedWeights, Glow,
    Handle, Heat, Visibility, biharmonic, bone_glow, bone_heat, distance, finish, fit_examples, quantise_u8,
    quantise_u16,
};

use crate::atlas::by_atlas;
use crate::fixtures::{Fixture, Lcg, fixtures, placed, placed_skeleton, sample_characters};

type Weigh = fn(&MeshGeometry, &Skeleton, &mut Report) -> Weights;

/// What a method is tested with: names and computations. The match is exhaustive, so a new method
/// must be added here, and everything below is asserted for it.
fn variants(method: Method) -> &'static [(&'static str, Weigh)] {
    match method {
        // Nothing is computed.
        Method::Source => &[],
        Method::Atlas => &[
            ("atlas", |geometry, skeleton, report| {
                by_atlas(geometry, skeleton, &Atlas::default(), report).weights
            }),
            ("atlas, soft, along edges", |geometry, skeleton, report| {
                let options = Atlas { k: 2.0, distance: Metric::Dijkstra, ..Atlas::default() };
                by_atlas(geometry, skeleton, &options, report).weights
            }),
            ("atlas, harmonic", |geometry, skeleton, report| {
                let options = Atlas { distance: Metric::Harmonic, ..Atlas::default() };
                by_atlas(geometry, skeleton, &options, report).weights
            }),
            ("atlas, straight overlaps", |geometry, skeleton, report| {
                let options = Atlas { overlap_distance: Some(Metric::Euclidean), ..Atlas::default() };
                by_atlas(geometry, skeleton, &options, report).weights
            }),
        ],
        Method::Distance => &[
            ("distance", |geometry, skeleton, report| {
                by_distance(geometry, skeleton, report, Visibility::Exact)
            }),
            ("distance, cheap visibility", |geometry, skeleton, report| {
                by_distance(geometry, skeleton, report, Visibility::Cheap)
            }),
            ("distance, without visibility", |geometry, skeleton, report| {
                by_distance(geometry, skeleton, report, Visibility::Off)
            }),
        ],
        Method::Heat => &[("heat", |geometry, skeleton, report| {
            bone_heat(geometry, skeleton, &Heat::default(), report, &mut Progress::silent()).unwrap()
        })],
        Method::Glow => &[
            ("glow", |geometry, skeleton, report| by_glow(geometry, skeleton, report, Diffusion::On)),
            ("glow, not diffused", |geometry, skeleton, report| {
                by_glow(geometry, skeleton, report, Diffusion::Off)
            }),
        ],
        Method::Bbw => &[
            ("bbw", |geometry, skeleton, report| by_biharmonic(geometry, skeleton, report, Domain::Auto)),
            ("bbw on the surface", |geometry, skeleton, report| {
                by_biharmonic(geometry, skeleton, report, Domain::Surface)
            }),
        ],
        Method::Examples => &[("examples", by_examples)],
    }
}

fn by_examples(geometry: &MeshGeometry, skeleton: &Skeleton, report: &mut Report) -> Weights {
    fitted(geometry, skeleton, report).weights
}

/// The twists of the example poses, in radians.
const TWISTS: [f32; 2] = [0.4, -0.7];

/// Fits weights to twisted poses of the same character.
fn fitted(geometry: &MeshGeometry, skeleton: &Skeleton, report: &mut Report) -> FittedWeights {
    let poses = TWISTS.map(|angle| twisted(geometry, skeleton, angle));
    let handles: Vec<Handle> = skeleton.bones().iter().map(|&bone| Handle::Bone(bone)).collect();
    let options = ExampleFit { iterations: 2, ..ExampleFit::default() };
    let observer = FitObserver { report, progress: &mut Progress::silent(), on_iteration: &mut |_, _| true };
    fit_examples(geometry, &handles, &poses, FitLimits::unlimited(&options), &|_| String::new(), observer)
        .unwrap()
}

/// Vertices after every joint was rotated about its bone, skinned by distance. Rotating about bones
/// moves with the character: the pose of a rotated character is the rotated pose.
fn twisted(geometry: &MeshGeometry, skeleton: &Skeleton, angle: f32) -> Vec<Vec3> {
    let (bones, joints) = (skeleton.bones(), skeleton.joints());
    let own = |joint: usize| {
        let bone = bones.iter().find(|bone| bone.joint == joint);
        let axis = bone.and_then(|bone| (bone.tail - bone.head).try_normalize());
        let head = joints[joint].head();
        axis.map_or(Affine3A::IDENTITY, |axis| {
            Affine3A::from_translation(head)
                * Affine3A::from_axis_angle(axis, angle)
                * Affine3A::from_translation(-head)
        })
    };
    let posed = |joint: usize| {
        let chain = std::iter::successors(Some(joint), |&joint| joints[joint].parent);
        chain.fold(Affine3A::IDENTITY, |below, joint| own(joint) * below)
    };
    let by_bone: Vec<Affine3A> = bones.iter().map(|bone| posed(bone.joint)).collect();
    let weights = by_distance(geometry, skeleton, &mut Report::default(), Visibility::Off);
    let place = |(p, row): (&Vec3, &[Influence])| -> Vec3 {
        row.iter().map(|i| by_bone[i.column as usize].transform_point3(*p) * i.weight).sum()
    };
    geometry.mesh().positions().iter().zip(weights.rows()).map(place).collect()
}

fn by_glow(
    geometry: &MeshGeometry,
    skeleton: &Skeleton,
    report: &mut Report,
    diffusion: Diffusion,
) -> Weights {
    let options = Glow { diffusion, ..Glow::default() };
    bone_glow(geometry, skeleton, &options, report, &mut Progress::silent()).unwrap()
}

fn by_biharmonic(
    geometry: &MeshGeometry,
    skeleton: &Skeleton,
    report: &mut Report,
    domain: Domain,
) -> Weights {
    // Coarser than by default: there are many runs.
    let options = Biharmonic { domain, cells: 1000 };
    let found = biharmonic(geometry, skeleton, &options, report, &mut Progress::silent()).unwrap();
    assert!(found.convergence.converged, "{:?}", found.convergence);
    found.weights
}

fn by_distance(
    geometry: &MeshGeometry,
    skeleton: &Skeleton,
    report: &mut Report,
    visibility: Visibility,
) -> Weights {
    let options = Distance { visibility, ..Distance::default() };
    distance(geometry, skeleton, &options, report, &mut Progress::silent()).unwrap()
}

fn run(method: Weigh, mesh: &Mesh, skeleton: &Skeleton) -> (Weights, Report) {
    let mut report = Report::default();
    let weights = method(&MeshGeometry::of(mesh), skeleton, &mut report);
    (weights, report)
}

/// A method on a fixture, with what it computes.
struct Case {
    what: String,
    weigh: Weigh,
    fixture: Arc<Fixture>,
    weights: Weights,
    report: Report,
}

/// Every method on every fixture that has a skeleton; computed once for all tests.
fn cases() -> &'static [Case] {
    static CASES: OnceLock<Vec<Case>> = OnceLock::new();
    CASES.get_or_init(|| {
        let with_skeleton = fixtures().chain(sample_characters()).filter(|f| f.skeleton.is_some());
        let of_fixture = |fixture: Fixture| {
            let fixture = Arc::new(fixture);
            Method::ALL.into_iter().flat_map(variants).map(move |&(name, weigh)| {
                let (weights, report) = run(weigh, &fixture.mesh, skeleton_of(&fixture));
                let what = format!("{name} on {}", fixture.name);
                Case { what, weigh, fixture: fixture.clone(), weights, report }
            })
        };
        with_skeleton.flat_map(of_fixture).collect()
    })
}

fn skeleton_of(fixture: &Fixture) -> &Skeleton {
    fixture.skeleton.as_ref().unwrap()
}

/// Calls `check` for every method and fixture with the weights that the method computes.
fn for_all(check: impl Fn(&str, Weigh, &Fixture, &Skeleton, &Weights)) {
    for Case { what, weigh, fixture, weights, .. } in cases() {
        check(what, *weigh, fixture, skeleton_of(fixture), weights);
    }
}

/// Panics at the first vertex whose weights differ.
fn assert_alike(a: &Weights, b: &Weights, what: &str) {
    assert_eq!((a.vertices(), a.columns()), (b.vertices(), b.columns()), "{what}");
    for vertex in 0..a.vertices() {
        let mut apart: BTreeMap<u32, f32> = BTreeMap::new();
        a.row(vertex).iter().for_each(|i| *apart.entry(i.column).or_default() += i.weight);
        b.row(vertex).iter().for_each(|i| *apart.entry(i.column).or_default() -= i.weight);
        let alike = apart.values().all(|difference| difference.abs() < 1e-4);
        assert!(alike, "{what}: vertex {vertex} has {:?}, then {:?}", a.row(vertex), b.row(vertex));
    }
}

#[test]
fn every_method_gives_one_row_per_vertex_that_sums_to_one() {
    for_all(|what, _, f, skeleton, weights| {
        weights.assert_well_formed();
        assert_eq!(weights.vertices(), f.mesh.positions().len(), "{what}");
        assert_eq!(weights.columns(), skeleton.bones().len(), "{what}");
        assert!(weights.max_sum_error() <= 4.0 * f32::EPSILON, "{what}");
    });
}

#[test]
fn the_same_input_gives_the_same_weights_and_warnings() {
    for Case { what, weigh, fixture, weights, report } in cases() {
        let (again, warnings) = run(*weigh, &fixture.mesh, skeleton_of(fixture));
        assert_eq!((weights, report), (&again, &warnings), "{what}");
    }
}

/// Rotation, scale and translation.
type Motion = (&'static str, Quat, f32, Vec3);

fn motions() -> [Motion; 4] {
    let turned = Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 1.1);
    [
        ("a thousand times as large", Quat::IDENTITY, 1000.0, Vec3::ZERO),
        ("a thousandth as large", Quat::IDENTITY, 0.001, Vec3::ZERO),
        ("turned", turned, 1.0, Vec3::ZERO),
        ("moved", Quat::IDENTITY, 1.0, Vec3::new(3.0, -5.0, 7.0)),
    ]
}

#[test]
fn units_place_and_direction_do_not_matter() {
    for_all(|what, weigh, f, skeleton, weights| {
        if is_fitted(what) {
            return;
        }
        for (how, rotation, scale, translation) in motions() {
            let mesh = placed(&f.mesh, rotation, scale, translation);
            let skeleton = placed_skeleton(skeleton, rotation, scale, translation);
            let other = run(weigh, &mesh, &skeleton).0;
            if what.starts_with("bbw") {
                assert_on_another_lattice(weights, &other, &format!("{what}, {how}"));
            } else if what.starts_with("glow") {
                assert_nearly_alike(weights, &other, &format!("{what}, {how}"));
            } else {
                assert_alike(weights, &other, &format!("{what}, {how}"));
            }
        }
    });
}

/// Bone glow integrates visibility along bones, where the last bit decides at edges of the surface.
/// The differences are invisible, except on the fork: its bones lie in the plane of its flat caps.
fn assert_nearly_alike(a: &Weights, b: &Weights, what: &str) {
    let most = if what.contains("fork") { 0.05 } else { 1e-3 };
    assert_within(a, b, most, 0.02 * most, what);
}

/// The lattice is aligned with the principal axes of the mesh. A mesh that looks the same from all
/// sides has none, so its lattice changes with every motion. Weights are exact up to the cell size.
fn assert_on_another_lattice(a: &Weights, b: &Weights, what: &str) {
    assert_within(a, b, 0.1, 0.06, what);
}

fn assert_within(a: &Weights, b: &Weights, most: f32, on_average: f32, what: &str) {
    let apart = |column: u32| a.column(column).into_iter().zip(b.column(column)).map(|(x, y)| (x - y).abs());
    let columns = 0..a.columns() as u32;
    let largest = columns.clone().flat_map(apart).fold(0.0, f32::max);
    let mean = columns.flat_map(apart).sum::<f32>() / a.vertices().max(1) as f32;
    assert!(largest <= most && mean <= on_average, "{what}: up to {largest} apart, {mean} on average");
}

/// A mesh with its vertices and triangles in another order.
struct Shuffled {
    mesh: Mesh,
    /// The new index of each vertex.
    new_from_old: Vec<usize>,
}

impl Shuffled {
    fn new(mesh: &Mesh, seed: u64) -> Self {
        let mut chance = Lcg(seed);
        let vertices = chance.permutation(mesh.positions().len());
        let triangles = chance.permutation(mesh.triangles().len());
        let mut new_from_old = vec![0; vertices.len()];
        vertices.iter().enumerate().for_each(|(new, &old)| new_from_old[old] = new);
        let positions = vertices.iter().map(|&old| mesh.positions()[old]).collect();
        let corners = |&t: &usize| {
            let mut corners = mesh.triangles()[t].map(|v| new_from_old[v as usize] as u32);
            corners.rotate_left(chance.below(3));
            corners
        };
        let triangles = triangles.iter().map(corners).collect();
        Self { mesh: Mesh::new(positions, triangles).unwrap(), new_from_old }
    }

    /// Weights of the shuffled mesh for the vertices in their old order.
    fn old_order(&self, weights: &Weights) -> Weights {
        weights.gathered(self.new_from_old.iter().copied())
    }
}

/// Seeds of orders.
fn orders() -> [u64; 2] {
    let mut chance = Lcg(8);
    [(); 2].map(|()| u64::from(chance.next_u32()))
}

#[test]
fn the_order_of_vertices_and_triangles_does_not_matter() {
    for_all(|what, weigh, f, skeleton, weights| {
        if is_fitted(what) {
            return;
        }
        for seed in orders() {
            let shuffled = Shuffled::new(&f.mesh, seed);
            let back = shuffled.old_order(&run(weigh, &shuffled.mesh, skeleton).0);
            if what.starts_with("bbw") {
                assert_on_another_lattice(weights, &back, what);
            } else {
                assert_alike(weights, &back, what);
            }
        }
    });
}

/// Whether weights are fitted to examples. Those have a test of their own below.
fn is_fitted(what: &str) -> bool {
    what.starts_with("examples")
}

/// A fit starts from biharmonic weights, which may be on another lattice, and ends after two
/// iterations, so it depends on them. What it reproduces, the example poses, is determined well:
/// measured on all fixtures, vertices differ by at most 0.40 % of the diagonal (elephant, another
/// order) and by 0.086 % on average (root mean square; fork, turned). The poses themselves are
/// missed by 0.36 to 1.25 % before the fit. Weights are determined less well where two bones
/// explain a vertex equally: they differ by at most 0.22 (fork, another order), and by 0.049 per
/// vertex on average (elephant, another order). The bounds are about one and a half times these.
#[test]
fn example_fits_do_not_depend_on_placement_or_order() {
    for f in fixtures().chain(sample_characters()) {
        let Some(skeleton) = &f.skeleton else { continue };
        let size = f.mesh.diagonal();
        let assert_same = |one: &Fit, other: &Fit, how: &str| {
            let what = format!("examples on {}, {how}", f.name);
            assert_within(&one.weights, &other.weights, 0.33, 0.075, &what);
            let pairs = one.reproduced.iter().flatten().zip(other.reproduced.iter().flatten());
            let apart: Vec<f32> = pairs.map(|(a, b)| a.distance(*b) / size).collect();
            let most = apart.iter().copied().fold(0.0, f32::max);
            let rms = (apart.iter().map(|x| x * x).sum::<f32>() / apart.len() as f32).sqrt();
            assert!(most <= 6e-3 && rms <= 1.3e-3, "{what}: up to {most} of the diagonal apart, rms {rms}");
        };
        let fit = Fit::new(&f.mesh, skeleton);
        for (how, rotation, scale, translation) in motions() {
            let mesh = placed(&f.mesh, rotation, scale, translation);
            let mut other = Fit::new(&mesh, &placed_skeleton(skeleton, rotation, scale, translation));
            let back = |p: &mut Vec3| *p = rotation.inverse() * ((*p - translation) / scale);
            other.reproduced.iter_mut().flatten().for_each(back);
            assert_same(&fit, &other, how);
        }
        for seed in orders() {
            let shuffled = Shuffled::new(&f.mesh, seed);
            let mut other = Fit::new(&shuffled.mesh, skeleton);
            other.weights = shuffled.old_order(&other.weights);
            for pose in &mut other.reproduced {
                *pose = shuffled.new_from_old.iter().map(|&new| pose[new]).collect();
            }
            assert_same(&fit, &other, "in another order");
        }
    }
}

/// Fitted weights, and the example poses as they reproduce them.
struct Fit {
    weights: Weights,
    reproduced: Vec<Vec<Vec3>>,
}

impl Fit {
    fn new(mesh: &Mesh, skeleton: &Skeleton) -> Self {
        let found = fitted(&MeshGeometry::of(mesh), skeleton, &mut Report::default());
        let reproduced = (0..TWISTS.len())
            .map(|example| found.reproductions.positions(true, example, mesh.positions()))
            .collect();
        Self { weights: found.weights, reproduced }
    }
}

#[test]
fn finished_weights_keep_to_the_limit_and_quantise_exactly() {
    for_all(|what, _, _, skeleton, weights| {
        for n in [1, 4, 8] {
            let finished = finish(weights, skeleton, n);
            finished.assert_well_formed();
            assert_eq!(finished.columns(), skeleton.joints().len(), "{what}");
            assert!(finished.max_influences() <= n, "{what}");
            assert!(finished.rows().flatten().all(|i| skeleton.deforms(i.column as usize)), "{what}");
            for row in finished.rows() {
                assert_eq!(quantise_u8(row, n).iter().map(|p| u32::from(p.1)).sum::<u32>(), 255);
                assert_eq!(quantise_u16(row, n).iter().map(|p| u32::from(p.1)).sum::<u32>(), 65535);
            }
        }
    });
}

#[test]
fn the_rest_pose_moves_nothing() {
    for_all(|what, _, f, skeleton, weights| {
        let weights = finish(weights, skeleton, 4);
        let (positions, normals) = (f.mesh.positions(), pliant::operators::vertex_normals(&f.mesh));
        let pivots: Vec<Vec3> = skeleton.joints().iter().map(pliant::model::Joint::head).collect();
        let skin = Skin::new(&weights, &pivots);
        let matrices = Pose::rest(skeleton).skinning_matrices(skeleton);
        let size = f.mesh.diagonal();
        for deformer in Deformer::ALL {
            let (mut moved, mut turned) =
                (vec![Vec3::NAN; positions.len()], vec![Vec3::NAN; positions.len()]);
            let rest = Rest { positions, normals: &normals };
            let posed = Posed { positions: &mut moved, normals: &mut turned };
            deform(deformer, &skin, &matrices, rest, posed, &mut Scratch::new(&skin));
            for vertex in 0..positions.len() {
                assert!(moved[vertex].distance(positions[vertex]) <= 1e-6 * size, "{what}, {deformer:?}");
                assert!(turned[vertex].distance(normals[vertex]) <= 1e-5, "{what}, {deformer:?}");
            }
        }
    });
}

#[test]
fn a_frame_allocates_nothing() {
    for f in sample_characters() {
        let skeleton = f.skeleton.as_ref().unwrap();
        let weights = finish(&run(variants(Method::Heat)[0].1, &f.mesh, skeleton).0, skeleton, 4);
        let pivots: Vec<Vec3> = skeleton.joints().iter().map(pliant::model::Joint::head).collect();
        let skin = Skin::new(&weights, &pivots);
        let (positions, normals) = (f.mesh.positions(), pliant::operators::vertex_normals(&f.mesh));
        let (mut moved, mut turned) = (positions.to_vec(), normals.clone());
        let matrices = Pose::rest(skeleton).skinning_matrices(skeleton);
        let mut scratch = Scratch::new(&skin);
        for deformer in Deformer::ALL {
            let rest = Rest { positions, normals: &normals };
            let posed = Posed { positions: &mut moved, normals: &mut turned };
            let frame = || deform(deformer, &skin, &matrices, rest, posed, &mut scratch);
            let ((), peak) = crate::memory::peak_of(frame);
            assert_eq!(peak, 0, "{deformer:?} on {}", f.name);
        }
    }
}
