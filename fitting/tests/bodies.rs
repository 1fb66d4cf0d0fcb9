//! Skeletons of made-up bodies: every mesh gets a skeleton or a clear word, in every plan.

use std::f32::consts::{PI, TAU};

use glam::{Mat3, Vec3};
use pliant_fitting::fit::{FitError, FitOptions, FittedSkeleton, Fitter, Orientation};
use pliant_fitting::plans::BodyPlan;
use pliant_fitting::table::Table;

/// Vertices and triangles.
#[derive(Clone, Default)]
struct Mesh {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// A grid of vertices, closed in the second direction.
    fn grid(rows: usize, columns: usize, at: impl Fn(f32, f32) -> Vec3) -> Self {
        let mut mesh = Self::default();
        for i in 0..=rows {
            for j in 0..columns {
                mesh.positions.push(at(i as f32 / rows as f32, j as f32 / columns as f32));
            }
        }
        let index = |i: usize, j: usize| (i * columns + j % columns) as u32;
        for i in 0..rows {
            for j in 0..columns {
                let [a, b, c, d] = [index(i, j), index(i, j + 1), index(i + 1, j), index(i + 1, j + 1)];
                mesh.triangles.extend([[a, c, b], [b, c, d]]);
            }
        }
        mesh
    }

    fn ellipsoid(centre: Vec3, half: Vec3, rows: usize) -> Self {
        Self::grid(rows, 2 * rows, |u, v| {
            let (s, c) = (PI * u).sin_cos();
            centre + half * Vec3::new(s * (TAU * v).cos(), c, s * (TAU * v).sin())
        })
    }

    /// A tube around a line, with radii that are interpolated, and closed ends.
    fn tube(line: &[Vec3], radii: [f32; 2]) -> Self {
        let rows = line.len() - 1;
        Self::grid(rows + 2, 12, |u, v| {
            let row = (u * (rows + 2) as f32).round() as usize;
            let at = row.saturating_sub(1).min(rows);
            let along = line[(at + 1).min(rows)] - line[at.saturating_sub(1)];
            let (a, b) = along.normalize_or(Vec3::Y).any_orthonormal_pair();
            let t = at as f32 / rows as f32;
            let is_cap = row == 0 || row == rows + 2;
            let radius = if is_cap { 0.0 } else { radii[0] + (radii[1] - radii[0]) * t };
            line[at] + radius * (a * (TAU * v).cos() + b * (TAU * v).sin())
        })
    }

    fn cuboid(centre: Vec3, half: Vec3) -> Self {
        let corners = (0..8).map(|i| {
            let sign = |bit: i32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
            centre + half * Vec3::new(sign(0), sign(1), sign(2))
        });
        let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        Self { positions: corners.collect(), triangles }
    }

    fn with(mut self, other: Self) -> Self {
        let first = self.positions.len() as u32;
        self.positions.extend(other.positions);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|v| v + first)));
        self
    }

    fn mapped(mut self, map: impl Fn(Vec3) -> Vec3) -> Self {
        self.positions.iter_mut().for_each(|p| *p = map(*p));
        self
    }

    fn fit(&self, options: &FitOptions) -> Result<FittedSkeleton, FitError> {
        Fitter::new(Table::built_in(), self.positions.clone(), self.triangles.clone())?.fit(options)
    }
}

fn straight(from: Vec3, to: Vec3) -> Vec<Vec3> {
    (0..=8).map(|i| from.lerp(to, i as f32 / 8.0)).collect()
}

/// A dog: trunk, four legs with paws, neck, head and tail.
fn dog() -> Mesh {
    let mut mesh = Mesh::ellipsoid(Vec3::new(0.0, 0.5, 0.0), Vec3::new(0.12, 0.14, 0.38), 24);
    for x in [-0.09, 0.09] {
        for z in [-0.26, 0.26] {
            mesh = mesh
                .with(Mesh::tube(&straight(Vec3::new(x, 0.48, z), Vec3::new(x, 0.03, z)), [0.06, 0.035]))
                .with(Mesh::ellipsoid(Vec3::new(x, 0.03, z + 0.03), Vec3::new(0.04, 0.03, 0.07), 10));
        }
    }
    let (neck, head) = (Vec3::new(0.0, 0.56, 0.3), Vec3::new(0.0, 0.75, 0.48));
    mesh.with(Mesh::tube(&straight(neck, head), [0.09, 0.07]))
        .with(Mesh::ellipsoid(Vec3::new(0.0, 0.76, 0.54), Vec3::new(0.09, 0.09, 0.14), 14))
        .with(Mesh::tube(&straight(Vec3::new(0.0, 0.55, -0.34), Vec3::new(0.0, 0.62, -0.75)), [0.03, 0.015]))
}

/// A spider: two ellipsoids and eight bent legs.
fn spider() -> Mesh {
    let mut mesh = Mesh::ellipsoid(Vec3::new(0.0, 0.2, 0.1), Vec3::new(0.1, 0.07, 0.14), 14)
        .with(Mesh::ellipsoid(Vec3::new(0.0, 0.22, -0.2), Vec3::new(0.13, 0.12, 0.2), 14));
    for side in [-1.0, 1.0] {
        for angle in [0.9f32, 0.3, -0.3, -0.9] {
            let out = |reach: f32, y: f32| {
                Vec3::new(side * (0.04 + reach * angle.cos()), y, 0.1 + reach * angle.sin())
            };
            let mut line = straight(out(0.03, 0.2), out(0.3, 0.4));
            line.extend(straight(out(0.3, 0.4), out(0.6, 0.01)).into_iter().skip(1));
            mesh = mesh.with(Mesh::tube(&line, [0.025, 0.015]));
        }
    }
    mesh
}

fn snake() -> Mesh {
    let line: Vec<Vec3> = (0..=80)
        .map(|i| {
            let t = i as f32 / 80.0;
            Vec3::new(0.2 * (TAU * 1.5 * t).sin(), 0.04, 1.0 - 2.0 * t)
        })
        .collect();
    Mesh::tube(&line, [0.05, 0.025])
}

fn fish() -> Mesh {
    Mesh::ellipsoid(Vec3::new(0.0, 0.3, 0.2), Vec3::new(0.1, 0.17, 0.6), 24)
        .with(Mesh::tube(&straight(Vec3::new(0.0, 0.3, -0.3), Vec3::new(0.0, 0.3, -0.65)), [0.06, 0.03]))
        .with(Mesh::cuboid(Vec3::new(0.0, 0.3, -0.72), Vec3::new(0.012, 0.16, 0.09)))
}

/// A bird that flies: trunk, head, beak, tail, spread wings, and two short legs.
fn bird() -> Mesh {
    let mut mesh = Mesh::ellipsoid(Vec3::new(0.0, 0.3, 0.0), Vec3::new(0.1, 0.1, 0.25), 20)
        .with(Mesh::ellipsoid(Vec3::new(0.0, 0.36, 0.28), Vec3::splat(0.07), 12))
        .with(Mesh::tube(&straight(Vec3::new(0.0, 0.36, 0.33), Vec3::new(0.0, 0.34, 0.43)), [0.03, 0.01]))
        .with(Mesh::cuboid(Vec3::new(0.0, 0.3, -0.35), Vec3::new(0.08, 0.012, 0.14)));
    for side in [-1.0, 1.0] {
        let wing = Mesh::ellipsoid(Vec3::new(0.4 * side, 0.34, 0.02), Vec3::new(0.38, 0.02, 0.12), 20);
        let (hip, foot) = (Vec3::new(0.05 * side, 0.25, -0.03), Vec3::new(0.05 * side, 0.08, -0.03));
        mesh = mesh.with(wing).with(Mesh::tube(&straight(hip, foot), [0.02, 0.02]));
    }
    mesh
}

fn chair() -> Mesh {
    let mut mesh = Mesh::cuboid(Vec3::new(0.0, 0.5, 0.0), Vec3::new(0.25, 0.03, 0.25))
        .with(Mesh::cuboid(Vec3::new(0.0, 0.8, -0.23), Vec3::new(0.25, 0.3, 0.02)));
    for x in [-0.22, 0.22] {
        for z in [-0.22, 0.22] {
            mesh = mesh.with(Mesh::cuboid(Vec3::new(x, 0.25, z), Vec3::new(0.025, 0.25, 0.025)));
        }
    }
    mesh
}

fn torus() -> Mesh {
    Mesh::grid(48, 16, |u, v| {
        let (s, c) = (TAU * u).sin_cos();
        let reach = 1.0 + 0.3 * (TAU * v).cos();
        Vec3::new(reach * c, 0.3 * (TAU * v).sin(), reach * s)
    })
}

fn plane() -> Mesh {
    let positions =
        [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]].map(|[x, z]| Vec3::new(x, 0.0, z)).to_vec();
    Mesh { positions, triangles: vec![[0, 1, 2], [2, 1, 3]] }
}

fn triangle() -> Mesh {
    Mesh { positions: vec![Vec3::ZERO, Vec3::X, Vec3::new(0.3, 1.0, 0.2)], triangles: vec![[0, 1, 2]] }
}

fn upright() -> Option<Orientation> {
    Some(Orientation { up: [0.0, 1.0, 0.0], front: [0.0, 0.0, 1.0] })
}

fn promised() -> FitOptions {
    FitOptions { promised: upright(), ..FitOptions::default() }
}

/// Parents come before children, everything is finite, labels are unique, bones have a length.
fn check(name: &str, skeleton: &FittedSkeleton) {
    assert!(!skeleton.bones.is_empty(), "{name}: no bones");
    for (index, bone) in skeleton.bones.iter().enumerate() {
        assert!(bone.parent < index as i32, "{name}: {} before its parent", bone.label);
        assert_eq!(bone.parent < 0, index == 0, "{name}: {} is a second root", bone.label);
        let (head, tail) = (Vec3::from(bone.head), Vec3::from(bone.tail));
        assert!(head.is_finite() && tail.is_finite(), "{name}: {} is not finite", bone.label);
        assert!(head.distance(tail) > 0.0, "{name}: {} has no length", bone.label);
        assert!((0.0..=1.0).contains(&bone.confidence), "{name}: {}", bone.confidence);
        let is_same = |other: &&pliant_fitting::fit::FittedBone| other.label == bone.label;
        assert_eq!(skeleton.bones.iter().filter(is_same).count(), 1, "{name}: {} twice", bone.label);
    }
}

fn bone<'a>(skeleton: &'a FittedSkeleton, label: &str) -> &'a pliant_fitting::fit::FittedBone {
    skeleton.bones.iter().find(|bone| bone.label == label).unwrap_or_else(|| panic!("no {label}"))
}

fn place(skeleton: &FittedSkeleton, label: &str) -> Vec3 {
    Vec3::from(bone(skeleton, label).head)
}

#[test]
fn every_mesh_gets_a_skeleton_or_a_clear_word_in_every_plan() {
    let sphere = Mesh::ellipsoid(Vec3::ZERO, Vec3::ONE, 24);
    let dust = Mesh::tube(&straight(Vec3::ZERO, Vec3::Z), [1e-4, 1e-4]);
    let apart = Mesh::cuboid(Vec3::ZERO, Vec3::splat(0.2))
        .with(Mesh::cuboid(Vec3::new(0.0, 3.0, 1.0), Vec3::splat(0.3)))
        .with(Mesh::cuboid(Vec3::new(2.0, 0.0, 0.0), Vec3::new(0.2, 0.4, 0.1)));
    let meshes = [
        ("torus", torus()),
        ("chair", chair()),
        ("plane", plane()),
        ("triangle", triangle()),
        ("sphere", sphere),
        ("needle", dust),
        ("apart", apart),
        ("dog", dog()),
        ("spider", spider()),
        ("snake", snake()),
        ("fish", fish()),
    ];
    for (name, mesh) in meshes {
        let mut fitter =
            Fitter::new(Table::built_in(), mesh.positions, mesh.triangles).expect("it has an extent");
        for plan in std::iter::once(None).chain(BodyPlan::ALL.map(|(_, plan)| Some(plan))) {
            // Looking around takes longest, and is the same for most plans.
            let is_searched = matches!(plan, None | Some(BodyPlan::Quadruped));
            for promise in [None, upright()].into_iter().filter(|promise| promise.is_some() || is_searched) {
                let options = FitOptions { plan, promised: promise, ..FitOptions::default() };
                match fitter.fit(&options) {
                    Ok(skeleton) => check(&format!("{name} as {plan:?}"), &skeleton),
                    Err(error) => assert_eq!(error, FitError::Empty, "{name} as {plan:?}"),
                }
            }
        }
    }
}

#[test]
fn what_is_flat_follows_its_outline_and_says_so() {
    let card = plane().mapped(|p| Vec3::new(p.x, p.z, 0.0));
    let aslant = plane().mapped(|p| Mat3::from_rotation_x(0.7) * Mat3::from_rotation_z(0.4) * p);
    for (name, mesh) in [("plane", plane()), ("card", card), ("aslant", aslant), ("triangle", triangle())] {
        for options in [promised(), FitOptions::default()] {
            match mesh.fit(&options) {
                Ok(skeleton) => {
                    assert_eq!(skeleton.plan, BodyPlan::Generic, "{name}");
                    assert!(skeleton.warnings.iter().any(|warning| warning.code == "flat"), "{name}");
                    assert!(skeleton.confidence < 0.5, "{name}: {}", skeleton.confidence);
                }
                Err(error) => assert_eq!(error, FitError::Empty, "{name}"),
            }
        }
    }
    let board = Mesh::cuboid(Vec3::Y, Vec3::new(0.5, 1.0, 0.02)).fit(&promised()).expect("a skeleton");
    assert!(board.warnings.iter().all(|warning| warning.code != "flat"), "a board is not flat");
}

#[test]
fn things_that_are_no_animals_are_uncertain() {
    let cuboid = Mesh::cuboid(Vec3::Y, Vec3::new(0.5, 1.0, 0.4));
    let sphere = Mesh::ellipsoid(Vec3::Y, Vec3::ONE, 24);
    for (name, mesh) in [("chair", chair()), ("torus", torus()), ("cuboid", cuboid), ("sphere", sphere)] {
        let skeleton = mesh.fit(&promised()).expect("it has a skeleton");
        assert!(skeleton.confidence < 0.5, "{name} is a {:?}: {}", skeleton.plan, skeleton.confidence);
    }
    let dog = dog().fit(&promised()).expect("a dog has a skeleton");
    assert!(dog.confidence > 0.5, "{}", dog.confidence);
}

#[test]
fn a_mesh_without_extent_is_refused() {
    let at = |p: Vec3| Mesh { positions: vec![p; 3], triangles: vec![[0, 1, 2]] };
    for mesh in [Mesh::default(), at(Vec3::ONE), at(Vec3::NAN), at(Vec3::INFINITY)] {
        assert_eq!(mesh.fit(&promised()).err(), Some(FitError::Empty));
    }
}

#[test]
fn vertices_that_are_not_finite_or_missing_do_not_count() {
    let mut mesh = dog();
    let clean = mesh.fit(&promised()).expect("a dog has a skeleton");
    mesh.positions.extend([Vec3::NAN, Vec3::splat(f32::INFINITY)]);
    let last = mesh.positions.len() as u32;
    mesh.triangles.extend([[0, 1, last - 1], [0, last - 2, 2], [0, 1, last + 7], [u32::MAX, 0, 1]]);
    assert_eq!(mesh.fit(&promised()), Ok(clean));
}

#[test]
fn plans_of_made_up_animals_are_found() {
    let bar = Mesh::tube(&straight(Vec3::ZERO, 6.0 * Vec3::Y), [0.5, 0.5]);
    let cases = [
        (dog(), BodyPlan::Quadruped),
        (spider(), BodyPlan::Spider),
        (snake(), BodyPlan::Snake),
        (fish(), BodyPlan::Fish),
        (torus(), BodyPlan::Generic),
        (bar, BodyPlan::Snake),
    ];
    for (mesh, plan) in cases {
        let skeleton = mesh.fit(&promised()).expect("it has a skeleton");
        assert_eq!(skeleton.plan, plan);
        assert!((0.0..=1.0).contains(&skeleton.plan_confidence));
    }
}

#[test]
fn plans_of_turned_animals_that_promise_nothing_are_found_or_uncertain() {
    let cases = [(bird(), BodyPlan::Bird), (fish(), BodyPlan::Fish), (dog(), BodyPlan::Quadruped)];
    for (mesh, plan) in cases {
        for turn in pliant_fitting::orientation::rotations().into_iter().step_by(7) {
            let turned = mesh.clone().mapped(|p| turn * p);
            let skeleton = turned.fit(&FitOptions::default()).expect("it has a skeleton");
            let (found, sure) = (skeleton.plan, skeleton.confidence);
            assert!(found == plan || sure < 0.5, "a {plan:?} became a {found:?}: {sure}");
        }
    }
}

#[test]
fn joints_of_a_dog_are_in_its_limbs() {
    let skeleton = dog().fit(&promised()).expect("a dog has a skeleton");
    let cases = [
        ("front_foot.L", Vec3::new(0.09, 0.05, 0.26), 0.08),
        ("hind_foot.R", Vec3::new(-0.09, 0.05, -0.26), 0.08),
        ("head_tip", Vec3::new(0.0, 0.75, 0.67), 0.06),
        ("tail_tip", Vec3::new(0.0, 0.62, -0.75), 0.05),
        ("hips", Vec3::new(0.0, 0.5, -0.24), 0.1),
    ];
    for (label, expected, within) in cases {
        let found = place(&skeleton, label);
        assert!(found.distance(expected) < within, "{label} is at {found}");
    }
    for bone in &skeleton.bones {
        if let Some(part) = bone.label.strip_suffix(".L") {
            let (left, right) = (Vec3::from(bone.head), place(&skeleton, &format!("{part}.R")));
            let mirrored = Vec3::new(-right.x, right.y, right.z);
            assert!(left.distance(mirrored) < 0.02, "{part}: {left} and {right}");
        }
    }
}

#[test]
fn a_dog_has_the_same_skeleton_larger_turned_and_with_vertices_of_its_own_per_triangle() {
    let dog = dog();
    let first = dog.fit(&promised()).expect("a dog has a skeleton");
    let near = |other: &FittedSkeleton, back: &dyn Fn(Vec3) -> Vec3| {
        assert_eq!(other.plan, BodyPlan::Quadruped);
        for bone in &first.bones {
            let at = back(place(other, &bone.label));
            assert!(at.distance(Vec3::from(bone.head)) < 0.014, "{}: {at}", bone.label);
        }
    };
    let large = dog.clone().mapped(|p| 1000.0 * p + Vec3::new(5.0, -3.0, 70.0));
    near(&large.fit(&promised()).expect("it has a skeleton"), &|p| (p - Vec3::new(5.0, -3.0, 70.0)) / 1000.0);
    let loose = Mesh {
        positions: dog.triangles.iter().flatten().map(|&v| dog.positions[v as usize]).collect(),
        triangles: (0..dog.triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect(),
    };
    near(&loose.fit(&promised()).expect("it has a skeleton"), &|p| p);
    for turn in pliant_fitting::orientation::rotations().into_iter().step_by(5) {
        let turned = dog.clone().mapped(|p| turn * p);
        let skeleton = turned.fit(&FitOptions::default()).expect("it has a skeleton");
        near(&skeleton, &|p| turn.transpose() * p);
    }
}

#[test]
fn markers_stay_and_their_neighbours_follow() {
    let dog = dog();
    let before = dog.fit(&promised()).expect("a dog has a skeleton");
    let marker = place(&before, "hind_ankle.L") + Vec3::new(0.02, 0.03, -0.05);
    let mut options = promised();
    options.markers.insert("hind_ankle.L".into(), marker.to_array());
    let after = dog.fit(&options).expect("a dog has a skeleton");
    assert!(place(&after, "hind_ankle.L").distance(marker) < 1e-5);
    assert_eq!(bone(&after, "hind_ankle.L").confidence, 1.0);
    // The knee follows a part of the way, the other leg is mirrored, the head stays.
    let moved = |label: &str| place(&after, label) - place(&before, label);
    assert!(moved("hind_knee.L").z < -0.01 && moved("hind_knee.L").z > -0.05);
    assert!(moved("hind_ankle.R").distance(Vec3::new(-0.02, 0.03, -0.05)) < 1e-4);
    assert!(moved("head").length() < 0.01);
    options.markers.insert("wing_tip.L".into(), [0.0; 3]);
    assert_eq!(dog.fit(&options), Err(FitError::UnknownMarker("wing_tip.L".into())));
}

#[test]
fn a_given_orientation_is_kept_even_if_it_is_not_along_the_axes() {
    let turn = Mat3::from_rotation_y(0.6) * Mat3::from_rotation_x(0.3);
    let mesh = dog().mapped(|p| turn * p);
    let orientation = Orientation { up: (turn * Vec3::Y).to_array(), front: (turn * Vec3::Z).to_array() };
    let options = FitOptions {
        orientation: Some(orientation),
        plan: Some(BodyPlan::Quadruped),
        ..FitOptions::default()
    };
    let found = mesh.fit(&FitOptions { plan: None, ..options.clone() }).expect("a dog has a skeleton");
    assert_eq!(found.plan, BodyPlan::Quadruped);
    let is_near = |a: [f32; 3], b: [f32; 3]| Vec3::from(a).distance(Vec3::from(b)) < 1e-5;
    assert!(is_near(found.orientation.up, orientation.up));
    assert!(is_near(found.orientation.front, orientation.front));
    let skeleton = mesh.fit(&options).expect("a dog has a skeleton");
    let toe = turn.transpose() * place(&skeleton, "front_foot.L");
    assert!(toe.distance(Vec3::new(0.09, 0.05, 0.26)) < 0.08, "{toe}");
}

#[test]
fn a_million_triangles_get_a_skeleton() {
    let mesh = Mesh::grid(700, 720, |u, v| {
        let (s, c) = (PI * u).sin_cos();
        Vec3::new(0.3 * s * (TAU * v).cos(), 0.3 * s * (TAU * v).sin(), c * (1.0 + 0.05 * (40.0 * u).sin()))
    });
    assert!(mesh.triangles.len() > 1_000_000);
    check("a million triangles", &mesh.fit(&promised()).expect("it has a skeleton"));
}
