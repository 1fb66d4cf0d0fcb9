//! Small meshes made in code, each with its properties, so that tests can use "every closed mesh"
//! instead of a file. `tests/operators.rs` checks the properties against `Topology`.
#![allow(dead_code, reason = "each test file uses some of it")]

use glam::{Mat3, Quat, Vec3};
use pliant::model::{Joint, Mesh, Skeleton};
use pliant::samples::{self, SampleCharacter};

/// A mesh and its properties.
pub struct Fixture {
    pub name: &'static str,
    pub mesh: Mesh,
    /// Every edge has two triangles with opposite orientation.
    pub closed: bool,
    /// No edge has more than two triangles, no vertex more than one fan.
    pub manifold: bool,
    /// Adjacent triangles can be, and are, oriented consistently.
    pub oriented: bool,
    /// Number of connected components, including vertices without triangles.
    pub parts: usize,
    /// Closed, with a negative volume.
    pub inside_out: bool,
    /// Some triangle has no area.
    pub degenerate: bool,
    pub skeleton: Option<Skeleton>,
}

impl Fixture {
    fn new(name: &'static str, mesh: Mesh) -> Self {
        Self {
            name,
            mesh,
            closed: false,
            manifold: true,
            oriented: true,
            parts: 1,
            inside_out: false,
            degenerate: false,
            skeleton: None,
        }
    }

    fn closed(name: &'static str, mesh: Mesh) -> Self {
        Self { closed: true, ..Self::new(name, mesh) }
    }

    fn with_skeleton(self, skeleton: Skeleton) -> Self {
        Self { skeleton: Some(skeleton), ..self }
    }

    pub fn has_triangles(&self) -> bool {
        !self.mesh.triangles().is_empty()
    }
}

/// All of them, from an empty mesh to a character of several components.
pub fn fixtures() -> impl Iterator<Item = Fixture> {
    plain().into_iter().chain(hostile()).chain(with_skeletons())
}

/// The sample characters, coarse.
pub fn sample_characters() -> impl Iterator<Item = Fixture> {
    SampleCharacter::ALL.into_iter().map(|member| {
        let made = samples::make(member, 400).unwrap();
        Fixture { closed: true, skeleton: Some(made.skeleton), ..Fixture::new(member.name(), made.mesh) }
    })
}

fn plain() -> Vec<Fixture> {
    let sphere = icosphere(2);
    vec![
        Fixture::closed("tetrahedron", tetrahedron()),
        Fixture::closed("box", cuboid(Vec3::new(1.0, 2.0, 3.0))),
        Fixture { inside_out: true, ..Fixture::closed("inside-out sphere", flipped(&sphere)) },
        Fixture::closed("icosphere", sphere),
        Fixture { parts: 2, ..Fixture::closed("sphere inside a sphere", nested_spheres()) },
        Fixture::new("square", grid(6, 6)),
        Fixture::new("open tube", tube(12, 6, 0.5, 3.0, false)),
        Fixture::new("one triangle", mesh(&[Vec3::ZERO, Vec3::X, Vec3::Y], &[[0, 1, 2]])),
        Fixture::closed("two-sided triangle", mesh(&[Vec3::ZERO, Vec3::X, Vec3::Y], &[[0, 1, 2], [0, 2, 1]])),
    ]
}

fn hostile() -> Vec<Fixture> {
    let book = [Vec3::ZERO, Vec3::Y, Vec3::X, Vec3::new(-0.5, 0.5, 0.8), Vec3::new(-0.5, 0.5, -0.8)];
    let with_needle = {
        let quad = [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y, Vec3::new(0.5, 0.0, 0.0)];
        mesh(&quad, &[[0, 1, 2], [0, 2, 3], [0, 4, 1], [3, 3, 2]])
    };
    vec![
        Fixture { parts: 0, ..Fixture::new("nothing", Mesh::default()) },
        Fixture::new("one vertex", mesh(&[Vec3::ONE], &[])),
        Fixture { degenerate: true, ..Fixture::new("triangles without area", with_needle) },
        Fixture { degenerate: true, ..Fixture::new("only a needle", only_a_needle()) },
        Fixture { oriented: false, ..Fixture::new("Möbius strip", moebius_strip(24)) },
        Fixture {
            manifold: false,
            oriented: false,
            ..Fixture::new("three triangles on one edge", mesh(&book, &[[0, 1, 2], [0, 1, 3], [1, 0, 4]]))
        },
        Fixture { manifold: false, ..Fixture::closed("two cones meeting at a point", two_cones(8)) },
        Fixture { parts: 2, ..Fixture::new("triangle and stray vertex", stray_vertex()) },
        Fixture {
            oriented: false,
            ..Fixture::new("one flipped triangle", with_flipped_triangle(&icosphere(1)))
        },
    ]
}

fn with_skeletons() -> Vec<Fixture> {
    let along_y = |heights: &[f32]| chain(&heights.iter().map(|&y| Vec3::Y * y).collect::<Vec<_>>());
    let slab = cuboid_grid(Vec3::new(2.0, 1e-3, 1.0), 10);
    let in_slab = chain(&[Vec3::NEG_X, Vec3::ZERO, Vec3::X]);
    vec![
        Fixture::closed("tube with two bones", tube(16, 24, 0.5, 4.0, true))
            .with_skeleton(along_y(&[0.0, 2.0, 4.0])),
        Fixture::new("open tube with two bones", tube(16, 24, 0.5, 4.0, false))
            .with_skeleton(along_y(&[0.0, 2.0, 4.0])),
        Fixture {
            inside_out: true,
            ..Fixture::closed("inside-out tube with two bones", flipped(&tube(16, 24, 0.5, 4.0, true)))
        }
        .with_skeleton(along_y(&[0.0, 2.0, 4.0])),
        Fixture { parts: 2, ..Fixture::closed("two-part figure", two_component_body()) }
            .with_skeleton(two_component_skeleton()),
        Fixture { parts: 3, ..Fixture::closed("head with eyes", head_with_eyes()) }.with_skeleton(chain(&[
            Vec3::NEG_Y * 0.8,
            Vec3::ZERO,
            Vec3::Y * 0.8,
        ])),
        Fixture::closed("fork", fork()).with_skeleton(fork_skeleton()),
        Fixture::closed("hair-thin slab", slab).with_skeleton(in_slab.clone()),
        Fixture::new("flat card", card()).with_skeleton(in_slab),
        Fixture::closed("sphere beside its bones", icosphere(2)).with_skeleton(chain(&[
            Vec3::X * 3.0,
            Vec3::X * 4.0,
            Vec3::X * 5.0,
        ])),
        Fixture { oriented: false, ..Fixture::new("Möbius strip with bones", moebius_strip(24)) }
            .with_skeleton(chain(&[Vec3::NEG_X, Vec3::new(0.1, 0.0, 0.3), Vec3::X])),
        Fixture { parts: 2, ..Fixture::new("triangle and stray vertex with a bone", stray_vertex()) }
            .with_skeleton(chain(&[Vec3::ZERO, Vec3::X])),
    ]
}

// --- Meshes ------------------------------------------------------------------------------------------

pub fn mesh(positions: &[Vec3], triangles: &[[u32; 3]]) -> Mesh {
    Mesh::new(positions.to_vec(), triangles.to_vec()).unwrap()
}

pub fn tetrahedron() -> Mesh {
    mesh(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z], &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
}

/// A box around the origin with 12 triangles.
pub fn cuboid(size: Vec3) -> Mesh {
    cuboid_grid(size, 1)
}

/// A box around the origin, each side with `cells` × `cells` squares.
pub fn cuboid_grid(size: Vec3, cells: u32) -> Mesh {
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for (normal, u) in [(Vec3::X, Vec3::Y), (Vec3::Y, Vec3::Z), (Vec3::Z, Vec3::X)] {
        for normal in [normal, -normal] {
            let v = normal.cross(u);
            let side = grid(cells, cells);
            let first = positions.len() as u32;
            let placed = |p: &Vec3| (normal + u * (2.0 * p.x - 1.0) + v * (2.0 * p.y - 1.0)) * 0.5 * size;
            positions.extend(side.positions().iter().map(placed));
            triangles.extend(side.triangles().iter().map(|t| t.map(|i| i + first)));
        }
    }
    pliant::operators::weld(&positions, &triangles).mesh
}

/// The unit square in the plane z = 0, facing +z.
pub fn grid(columns: u32, rows: u32) -> Mesh {
    let at = |c: u32, r: u32| r * (columns + 1) + c;
    let corners = (0..=rows).flat_map(|r| (0..=columns).map(move |c| (c, r)));
    let positions =
        corners.map(|(c, r)| Vec3::new(c as f32 / columns as f32, r as f32 / rows as f32, 0.0)).collect();
    let cells = (0..rows).flat_map(|r| (0..columns).map(move |c| (c, r)));
    let triangles = cells
        .flat_map(|(c, r)| {
            let [a, b, d, e] = [at(c, r), at(c + 1, r), at(c + 1, r + 1), at(c, r + 1)];
            [[a, b, d], [a, d, e]]
        })
        .collect();
    Mesh::new(positions, triangles).unwrap()
}

/// Spans x from −1 to 1, in the plane z = 0.
pub fn card() -> Mesh {
    let square = grid(16, 8);
    let stretched = square.positions().iter().map(|p| Vec3::new(2.0 * p.x - 1.0, p.y - 0.5, 0.0)).collect();
    square.with_positions(stretched).unwrap()
}

/// A sphere of radius one.
pub fn icosphere(subdivisions: u32) -> Mesh {
    let g = 0.5 * (1.0 + 5.0f32.sqrt());
    let mut positions: Vec<Vec3> = [[-1.0, g, 0.0], [1.0, g, 0.0], [-1.0, -g, 0.0], [1.0, -g, 0.0]]
        .into_iter()
        .flat_map(|[x, y, z]| [Vec3::new(x, y, z), Vec3::new(z, x, y), Vec3::new(y, z, x)])
        .map(Vec3::normalize_or_zero)
        .collect();
    let mut triangles = hull_of_icosahedron(&positions);
    for _ in 0..subdivisions {
        let mut finer = Vec::new();
        for [a, b, c] in triangles {
            let mut middle = |i: u32, j: u32| {
                let point = (positions[i as usize] + positions[j as usize]).normalize_or_zero();
                positions.push(point);
                positions.len() as u32 - 1
            };
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            finer.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
        }
        let welded = pliant::operators::weld(&positions, &finer).mesh;
        (positions, triangles) = (welded.positions().to_vec(), welded.triangles().to_vec());
    }
    mesh(&positions, &triangles)
}

fn hull_of_icosahedron(positions: &[Vec3]) -> Vec<[u32; 3]> {
    let edge = positions[1..].iter().map(|p| p.distance(positions[0])).fold(f32::INFINITY, f32::min);
    let near = |a: usize, b: usize| positions[a].distance(positions[b]) < 1.1 * edge;
    let mut triangles = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if near(a, b) && near(b, c) && near(c, a) {
                    let [p, q, r] = [a, b, c].map(|i| positions[i]);
                    let outward = (q - p).cross(r - p).dot(p) > 0.0;
                    triangles
                        .push(if outward { [a, b, c] } else { [a, c, b] }.map(|i| u32::try_from(i).unwrap()));
                }
            }
        }
    }
    triangles
}

/// A tube around the y axis from y = 0 to `height`, with or without its two caps.
pub fn tube(around: u32, along: u32, radius: f32, height: f32, lids: bool) -> Mesh {
    let rings = (0..=along).flat_map(|r| (0..around).map(move |s| (r, s)));
    let mut positions: Vec<Vec3> = rings
        .map(|(r, s)| {
            let turn = std::f32::consts::TAU * s as f32 / around as f32;
            Vec3::new(radius * turn.cos(), height * r as f32 / along as f32, -radius * turn.sin())
        })
        .collect();
    let at = |r: u32, s: u32| r * around + s % around;
    let cells = (0..along).flat_map(|r| (0..around).map(move |s| (r, s)));
    let mut triangles: Vec<[u32; 3]> = cells
        .flat_map(|(r, s)| {
            let [a, b, c, d] = [at(r, s), at(r, s + 1), at(r + 1, s + 1), at(r + 1, s)];
            [[a, b, c], [a, c, d]]
        })
        .collect();
    if lids {
        let bottom = positions.len() as u32;
        positions.extend([Vec3::ZERO, Vec3::Y * height]);
        for s in 0..around {
            triangles.push([bottom, at(0, s + 1), at(0, s)]);
            triangles.push([bottom + 1, at(along, s), at(along, s + 1)]);
        }
    }
    mesh(&positions, &triangles)
}

/// The same surface with the opposite orientation.
pub fn flipped(of: &Mesh) -> Mesh {
    let triangles: Vec<_> = of.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
    mesh(of.positions(), &triangles)
}

/// Several meshes as one, unwelded.
pub fn joined(meshes: &[Mesh]) -> Mesh {
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for part in meshes {
        let first = positions.len() as u32;
        positions.extend_from_slice(part.positions());
        triangles.extend(part.triangles().iter().map(|t| t.map(|i| i + first)));
    }
    mesh(&positions, &triangles)
}

/// Rotated, scaled and translated, in that order.
pub fn placed(of: &Mesh, rotation: Quat, scale: f32, translation: Vec3) -> Mesh {
    let turn = Mat3::from_quat(rotation);
    of.with_positions(of.positions().iter().map(|&p| turn * p * scale + translation).collect()).unwrap()
}

fn nested_spheres() -> Mesh {
    let sphere = icosphere(1);
    joined(&[sphere.clone(), placed(&sphere, Quat::IDENTITY, 0.3, Vec3::new(0.1, 0.2, 0.0))])
}

fn only_a_needle() -> Mesh {
    mesh(&[Vec3::ZERO, Vec3::ONE, Vec3::ONE * 2.0], &[[0, 1, 2]])
}

fn stray_vertex() -> Mesh {
    mesh(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(4.0, 0.0, 0.0)], &[[0, 1, 2]])
}

fn with_flipped_triangle(of: &Mesh) -> Mesh {
    let mut triangles = of.triangles().to_vec();
    triangles[3].swap(0, 1);
    mesh(of.positions(), &triangles)
}

/// A band with half a twist, around the y axis.
pub fn moebius_strip(around: u32) -> Mesh {
    let positions: Vec<Vec3> = (0..around)
        .flat_map(|s| {
            let turn = std::f32::consts::TAU * s as f32 / around as f32;
            let outward = Vec3::new(turn.cos(), 0.0, turn.sin());
            let across = outward * (0.5 * turn).cos() + Vec3::Y * (0.5 * turn).sin();
            [outward - across * 0.3, outward + across * 0.3]
        })
        .collect();
    let triangles: Vec<[u32; 3]> = (0..around)
        .flat_map(|s| {
            let [a, b] = [2 * s, 2 * s + 1];
            let [c, d] = if s + 1 < around { [a + 2, b + 2] } else { [1, 0] };
            [[a, b, d], [a, d, c]]
        })
        .collect();
    mesh(&positions, &triangles)
}

fn two_cones(around: u32) -> Mesh {
    let ring = |y: f32| {
        (0..around).map(move |s| {
            let turn = std::f32::consts::TAU * s as f32 / around as f32;
            Vec3::new(turn.cos(), y, -turn.sin())
        })
    };
    let positions: Vec<Vec3> =
        [Vec3::ZERO, Vec3::Y, Vec3::NEG_Y].into_iter().chain(ring(1.0)).chain(ring(-1.0)).collect();
    let mut triangles = Vec::new();
    for s in 0..around {
        let [a, b] = [3 + s, 3 + (s + 1) % around];
        triangles.extend([[0, b, a], [1, a, b], [0, a + around, b + around], [2, b + around, a + around]]);
    }
    mesh(&positions, &triangles)
}

/// A body and a head that overlap without a shared vertex.
fn two_component_body() -> Mesh {
    let head = placed(&icosphere(2), Quat::IDENTITY, 0.6, Vec3::Y * 3.4);
    joined(&[tube(16, 12, 0.5, 3.0, true), head])
}

fn two_component_skeleton() -> Skeleton {
    chain(&[Vec3::Y * 0.2, Vec3::Y * 1.5, Vec3::Y * 3.0, Vec3::Y * 3.8])
}

/// A head and two eyeballs completely inside it, between the skin and the bones.
fn head_with_eyes() -> Mesh {
    let eye = |x: f32| placed(&icosphere(1), Quat::IDENTITY, 0.12, Vec3::new(x, 0.1, 0.8));
    joined(&[icosphere(3), eye(-0.3), eye(0.3)])
}

/// Two prongs side by side on a base, closed and connected: close in space, but not within the
/// body.
pub fn fork() -> Mesh {
    // Unit cells of a 3 × 1 base with prongs on its ends; faces between two cells are left out.
    let is_solid =
        |x: i32, y: i32, z: i32| z == 0 && (0..3).contains(&x) && (y == 0 || (x != 1 && (1..5).contains(&y)));
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for (x, y) in (0..3).flat_map(|x| (0..5).map(move |y| (x, y))).filter(|&(x, y)| is_solid(x, y, 0)) {
        for (normal, u) in [(Vec3::X, Vec3::Y), (Vec3::Y, Vec3::Z), (Vec3::Z, Vec3::X)] {
            for normal in [normal, -normal] {
                let next = normal.as_ivec3();
                if is_solid(x + next.x, y + next.y, next.z) {
                    continue;
                }
                let v = normal.cross(u);
                let middle = Vec3::new(x as f32, y as f32, 0.0) + normal * 0.5;
                let side = grid(4, 4);
                let first = positions.len() as u32;
                positions.extend(side.positions().iter().map(|p| middle + u * (p.x - 0.5) + v * (p.y - 0.5)));
                triangles.extend(side.triangles().iter().map(|t| t.map(|i| i + first)));
            }
        }
    }
    pliant::operators::weld(&positions, &triangles).mesh
}

/// A root in the middle of the base, and one chain of joints up each prong. They are slightly
/// inclined, so that no segment from a vertex runs exactly along a side of the fork, where rounding
/// decides whether it is inside.
pub fn fork_skeleton() -> Skeleton {
    let prong = |x: f32| [Vec3::new(x, 0.0, 0.0), Vec3::new(x, 2.2, 0.1), Vec3::new(x + 0.15, 4.2, 0.1)];
    let heads: Vec<Vec3> = [Vec3::X].into_iter().chain(prong(0.0)).chain(prong(2.0)).collect();
    let parents = [None, Some(0), Some(1), Some(2), Some(0), Some(4), Some(5)];
    let names = ["base", "left_0", "left_1", "left_end", "right_0", "right_1", "right_end"];
    skeleton(&names, &heads, &parents, &[3, 6])
}

// --- Skeletons ---------------------------------------------------------------------------------------

/// Joints at the heads of a chain of bones; the last point is the tail of the last bone.
pub fn chain(points: &[Vec3]) -> Skeleton {
    let joints = points[..points.len() - 1].iter().enumerate().map(|(i, &head)| {
        let parent = (i > 0).then(|| (i - 1, points[i - 1]));
        let mut joint = Joint::at(format!("bone_{i}"), parent, head);
        joint.tail = Some(points[i + 1]);
        joint
    });
    Skeleton::new(joints.collect()).unwrap()
}

/// Joints at `heads`; those in `ends` are helpers that mark the end of a bone.
pub fn skeleton(names: &[&str], heads: &[Vec3], parents: &[Option<usize>], ends: &[usize]) -> Skeleton {
    let mut joints: Vec<Joint> =
        (0..heads.len()).map(|i| Joint::at(names[i], parents[i].map(|p| (p, heads[p])), heads[i])).collect();
    for &end in ends {
        if let Some(parent) = parents[end] {
            joints[parent].tail = Some(heads[end]);
        }
        joints[end].kind = pliant::model::JointKind::Helper;
    }
    Skeleton::new(joints).unwrap()
}

/// The same skeleton rotated, scaled and translated with its mesh.
pub fn placed_skeleton(of: &Skeleton, rotation: Quat, scale: f32, translation: Vec3) -> Skeleton {
    let turn = Mat3::from_quat(rotation);
    let place = |p: Vec3| turn * p * scale + translation;
    let joints = of.joints().iter().map(|joint| {
        let parent = joint.parent.map(|p| (p, place(of.joints()[p].head())));
        let mut moved = Joint::at(joint.name.clone(), parent, place(joint.head()));
        moved.tail = joint.tail.map(place);
        moved.kind = joint.kind;
        moved
    });
    Skeleton::new(joints.collect()).unwrap()
}

// --- Random numbers
// ----------------------------------------------------------------------------------

/// A small generator (Knuth's MMIX constants), so that random numbers are the same everywhere.
pub struct Lcg(pub u64);

impl Lcg {
    pub fn next_u32(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }

    /// At least 0, below 1.
    pub fn unit(&mut self) -> f32 {
        (self.next_u32() >> 7) as f32 / (1 << 24) as f32
    }

    /// Below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.next_u32() as usize % end
    }

    /// A point in the box around the origin with half-size `reach`.
    pub fn point(&mut self, reach: f32) -> Vec3 {
        (Vec3::new(self.unit(), self.unit(), self.unit()) * 2.0 - 1.0) * reach
    }

    /// A permutation of 0 to `n` − 1.
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        (1..n).rev().for_each(|i| order.swap(i, self.below(i + 1)));
        order
    }
}
