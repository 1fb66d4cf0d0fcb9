//! The bounding volume hierarchy compared with brute force and with known results.

use std::ops::ControlFlow;

use glam::{DVec3, Vec3};
use pliant::model::Mesh;
use pliant::operators::Bvh;
use pliant::operators::bvh::{Bvh4, Ray, VisibilityFan};

use crate::fixtures::{Fixture, Lcg, cuboid, cuboid_grid, fixtures, icosphere, mesh, tube};

/// Points around (and on) a mesh.
fn points_around(of: &Mesh, count: usize, rng: &mut Lcg) -> Vec<Vec3> {
    let (low, high) = of.bounds();
    let (middle, reach) = ((low + high) * 0.5, of.diagonal().max(1.0));
    let mut points: Vec<Vec3> = (0..count).map(|_| middle + rng.point(reach)).collect();
    points.extend(of.positions().iter().take(20));
    points.extend((0..of.triangles().len().min(20)).map(|t| of.corners(t).iter().sum::<Vec3>() / 3.0));
    points
}

fn nearest_on_segment(a: DVec3, b: DVec3, p: DVec3) -> DVec3 {
    let along = b - a;
    let share = (p - a).dot(along) / along.length_squared().max(f64::MIN_POSITIVE);
    a + along * share.clamp(0.0, 1.0)
}

/// By the plane if the foot of the perpendicular is inside, else by the three edges.
fn distance_to_triangle(corners: [Vec3; 3], p: Vec3) -> Option<f64> {
    let ([a, b, c], p) = (corners.map(|v| v.as_dvec3()), p.as_dvec3());
    let normal = (b - a).cross(c - a);
    if normal.length_squared() == 0.0 {
        return None;
    }
    let foot = p - normal * ((p - a).dot(normal) / normal.length_squared());
    let inside = [(a, b), (b, c), (c, a)].iter().all(|&(s, e)| (e - s).cross(foot - s).dot(normal) >= 0.0);
    let sides = [(a, b), (b, c), (c, a)].map(|(s, e)| nearest_on_segment(s, e, p).distance(p));
    let by_sides = sides.into_iter().fold(f64::INFINITY, f64::min);
    Some(if inside { foot.distance(p).min(by_sides) } else { by_sides })
}

fn nearest_by_brute_force(of: &Mesh, p: Vec3) -> Option<f64> {
    (0..of.triangles().len())
        .filter_map(|t| distance_to_triangle(of.corners(t), p))
        .min_by(|a, b| a.total_cmp(b))
}

/// The test of Möller and Trumbore in f64.
fn ray_hit(corners: [Vec3; 3], ray: &Ray) -> Option<f64> {
    let [a, b, c] = corners.map(|v| v.as_dvec3());
    let (origin, direction) = (ray.origin.as_dvec3(), ray.direction.as_dvec3());
    let (e1, e2) = (b - a, c - a);
    let determinant = direction.cross(e2).dot(e1);
    if determinant == 0.0 {
        return None;
    }
    let s = origin - a;
    let u = direction.cross(e2).dot(s) / determinant;
    let v = direction.dot(s.cross(e1)) / determinant;
    let along = e2.dot(s.cross(e1)) / determinant;
    let within = along >= f64::from(ray.from) && along <= f64::from(ray.to);
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && within).then_some(along)
}

fn all_by_brute_force(of: &Mesh, ray: &Ray) -> Vec<(f64, usize)> {
    let mut hits: Vec<(f64, usize)> = (0..of.triangles().len())
        .filter_map(|t| ray_hit(of.corners(t), ray).map(|along| (along, t)))
        .collect();
    hits.sort_by(|a, b| a.0.total_cmp(&b.0));
    hits
}

fn count_hits(bvh: &Bvh, ray: &Ray) -> usize {
    let mut count = 0;
    bvh.all_hits(ray, |_| {
        count += 1;
        ControlFlow::Continue(())
    });
    count
}

fn with_triangles() -> impl Iterator<Item = Fixture> {
    fixtures().filter(Fixture::has_triangles)
}

#[test]
fn the_tree_contains_every_triangle_with_an_area_once() {
    for f in fixtures() {
        Bvh::of(&f.mesh).assert_well_formed(&f.mesh);
    }
}

#[test]
fn the_depth_of_the_tree_is_limited_for_every_input() {
    // Sizes that double from triangle to triangle, and thousands at the same position.
    let growing = (0..250).flat_map(|i| {
        let size = 2f32.powf(0.5 * (i as f32 - 125.0));
        [
            Vec3::splat(size),
            Vec3::splat(size) + Vec3::X * 0.1 * size,
            Vec3::splat(size) + Vec3::Y * 0.1 * size,
        ]
    });
    let equal = (0..5000).flat_map(|_| [Vec3::ZERO, Vec3::X, Vec3::Y]);
    for positions in [growing.collect::<Vec<_>>(), equal.collect()] {
        let triangles: Vec<[u32; 3]> =
            (0..positions.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let soup = mesh(&positions, &triangles);
        Bvh::of(&soup).assert_well_formed(&soup);
    }
}

#[test]
fn the_nearest_point_is_the_one_brute_force_finds() {
    let mut rng = Lcg(1);
    for f in with_triangles() {
        let bvh = Bvh::of(&f.mesh);
        for point in points_around(&f.mesh, 200, &mut rng) {
            let (found, expected) = (bvh.closest(point), nearest_by_brute_force(&f.mesh, point));
            let (Some(found), Some(expected)) = (found, expected) else {
                assert!(found.is_none() && expected.is_none(), "{}", f.name);
                continue;
            };
            let close = 1e-6 * f64::from(f.mesh.diagonal());
            assert!((f64::from(found.distance) - expected).abs() <= close, "{} at {point}", f.name);
            let Vec3 { x, y, z } = found.barycentric;
            assert!(x >= 0.0 && y >= 0.0 && z >= 0.0 && (x + y + z - 1.0).abs() < 1e-6);
            let [a, b, c] = f.mesh.corners(found.triangle);
            assert!((a * x + b * y + c * z).distance(found.point) <= 1e-5 * f.mesh.diagonal(), "{}", f.name);
            let apart = f64::from(found.point.distance(point));
            assert!((apart - expected).abs() <= 10.0 * close, "{}: {apart} is not {expected}", f.name);
        }
    }
}

#[test]
fn nothing_beyond_reach_is_found() {
    let bvh = Bvh::of(&icosphere(3));
    assert!(bvh.closest_within(Vec3::X * 3.0, 1.9).is_none());
    let found = bvh.closest_within(Vec3::X * 3.0, 2.1).unwrap();
    assert!((found.distance - 2.0).abs() < 0.01 && found.point.distance(Vec3::X) < 0.1);
}

#[test]
fn ray_hits_agree_with_brute_force() {
    let mut rng = Lcg(2);
    for f in with_triangles() {
        let bvh = Bvh::of(&f.mesh);
        let points = points_around(&f.mesh, 60, &mut rng);
        for &start in &points {
            for ray in [
                Ray::new(start, rng.point(1.0)),
                Ray::between(start, points[rng.below(points.len())] + rng.point(0.01)),
            ] {
                let expected = all_by_brute_force(&f.mesh, &ray);
                // Hits at the very start or end depend on the last bit.
                let ends = [f64::from(ray.from), f64::from(ray.to)];
                if expected.iter().any(|(along, _)| ends.iter().any(|end| (along - end).abs() < 1e-5)) {
                    continue;
                }
                assert_eq!(count_hits(&bvh, &ray), expected.len(), "{}: {ray:?}", f.name);
                assert_eq!(bvh.first_hit(&ray).is_some(), !expected.is_empty(), "{}: {ray:?}", f.name);
                let Some(hit) = bvh.first_hit(&ray) else {
                    assert!(expected.is_empty(), "{}: {ray:?}", f.name);
                    continue;
                };
                let off = (f64::from(hit.along) - expected[0].0).abs();
                assert!(off <= 1e-5 * expected[0].0.abs().max(1.0), "{}: {hit:?}", f.name);
                let [a, b, c] = f.mesh.corners(hit.triangle);
                let facing = (b - a).cross(c - a).dot(ray.direction) > 0.0;
                assert_eq!(hit.leaves, facing, "{}: {hit:?}", f.name);
                let Vec3 { x, y, z } = hit.barycentric;
                let there = ray.origin + ray.direction * hit.along;
                let size = f.mesh.diagonal() + there.length();
                assert!((a * x + b * y + c * z).distance(there) < 1e-4 * size, "{}", f.name);
            }
        }
    }
}

#[test]
fn rays_through_corners_and_edges_keep_their_parity() {
    let mut rng = Lcg(3);
    for f in with_triangles().filter(|f| f.closed) {
        let bvh = Bvh::of(&f.mesh);
        let far = 4.0 * f.mesh.diagonal() + f.mesh.bounds().1.length();
        for _ in 0..100 {
            // From far outside exactly at a vertex, the middle of an edge, and along an axis.
            let outside = rng.point(1.0).normalize_or_zero() * far;
            let [a, b, _] = f.mesh.corners(rng.below(f.mesh.triangles().len()));
            for target in [a, (a + b) * 0.5] {
                let hits = count_hits(&bvh, &Ray::new(outside, target - outside));
                assert_eq!(hits % 2, 0, "{}: {outside} to {target}", f.name);
                for axis in [Vec3::X, Vec3::NEG_Y, Vec3::Z] {
                    let hits = count_hits(&bvh, &Ray::new(target - axis * far, axis));
                    assert_eq!(hits % 2, 0, "{}: along {axis} through {target}", f.name);
                }
            }
        }
    }
}

#[test]
fn a_ray_from_inside_a_box_leaves_it_once_even_through_an_edge_or_corner() {
    for cells in [1, 3] {
        let bvh = Bvh::of(&cuboid_grid(Vec3::splat(2.0), cells));
        for x in [-1.0, 0.0, 1.0] {
            for y in [-1.0, 0.0, 1.0] {
                for z in [-1.0, 0.0, 1.0] {
                    let ray = Ray::new(Vec3::ZERO, Vec3::new(x, y, z));
                    let expected = usize::from(ray.direction != Vec3::ZERO);
                    assert_eq!(count_hits(&bvh, &ray), expected, "{ray:?}");
                    if let Some(hit) = bvh.first_hit(&ray) {
                        assert!(hit.leaves && (hit.along - 1.0).abs() < 1e-6, "{hit:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_segment_from_a_vertex_to_the_axis_of_its_tube_is_free_and_to_another_tube_blocked() {
    let tube = tube(16, 8, 0.5, 4.0, true);
    let bvh = Bvh::of(&tube);
    // Without the ends of the segment: the vertex is on the surface itself.
    let is_blocked = |start: Vec3, end: Vec3| {
        let margin = 1e-5 * tube.diagonal() / start.distance(end);
        bvh.first_hit(&Ray { from: margin, to: 1.0 - margin, ..Ray::between(start, end) }).is_some()
    };
    for &vertex in tube.positions() {
        let axis = Vec3::Y * vertex.y.clamp(0.1, 3.9);
        assert!(!is_blocked(vertex, axis), "{vertex}");
        assert!(bvh.first_hit(&Ray::between(vertex, vertex)).is_none());
    }
    assert!(is_blocked(Vec3::new(0.5, 2.0, 0.0), Vec3::new(-3.0, 2.0, 0.0)));
}

#[test]
fn queries_of_an_empty_tree_find_nothing() {
    for nothing in [Mesh::default(), mesh(&[Vec3::ZERO, Vec3::ONE, Vec3::ONE * 2.0], &[[0, 1, 2], [1, 1, 1]])]
    {
        let bvh = Bvh::of(&nothing);
        assert!(bvh.is_empty());
        assert!(bvh.closest(Vec3::ZERO).is_none());
        assert!(bvh.first_hit(&Ray::new(Vec3::NEG_ONE, Vec3::ONE)).is_none());
    }
    let bvh = Bvh::of(&cuboid(Vec3::ONE));
    assert_eq!(count_hits(&bvh, &Ray::new(Vec3::ZERO, Vec3::ZERO)), 0);
    assert_eq!(count_hits(&bvh, &Ray::new(Vec3::ZERO, Vec3::new(f32::NAN, 0.0, 1.0))), 0);
}

#[test]
fn results_scale_with_the_mesh() {
    let sphere = icosphere(3);
    let mut rng = Lcg(4);
    // Powers of two, so that results are equal to the last bit.
    for scale in [2f32.powi(30), 2f32.powi(-30)] {
        let scaled = sphere.with_positions(sphere.positions().iter().map(|&p| p * scale).collect()).unwrap();
        let (one, other) = (Bvh::of(&sphere), Bvh::of(&scaled));
        for _ in 0..200 {
            let (p, d) = (rng.point(2.0), rng.point(1.0));
            let (a, b) = (one.closest(p).unwrap(), other.closest(p * scale).unwrap());
            assert_eq!((a.triangle, a.distance * scale, a.point * scale), (b.triangle, b.distance, b.point));
            assert_eq!(one.first_hit(&Ray::new(p, d)), other.first_hit(&Ray::new(p * scale, d * scale)));
        }
    }
}

#[test]
fn rays_in_a_plane_of_symmetry_hit_the_surface() {
    // The plane z = 0 runs along edges of the sphere and faces of the tree's boxes; the last
    // component of the direction is zero or nearly zero.
    let sphere = icosphere(2);
    for scale in [1.0, 1e-3, 1e3] {
        let scaled = sphere.with_positions(sphere.positions().iter().map(|&p| p * scale).collect()).unwrap();
        let bvh = Bvh::of(&scaled);
        for tiny in [0.0, -0.0, 2e-25, -2e-25, 1e-40, -1e-40, 1e-12, -1e-12] {
            for turn in 0..100 {
                let (y, x) = (turn as f32 * 0.0628).sin_cos();
                let ray =
                    Ray::between(Vec3::new(0.0, 0.0, tiny), Vec3::new(2.0 * x * scale, 2.0 * y * scale, 0.0));
                assert_eq!(count_hits(&bvh, &ray), 1, "{ray:?}");
                let ray = Ray::new(ray.origin, -ray.direction);
                assert_eq!(count_hits(&bvh, &ray), 1, "{ray:?}");
            }
        }
    }
}

/// Four boxes at a time or one after the other, a ray has the same hits, also along faces of boxes.
#[test]
fn ray_hits_of_the_four_way_tree_agree() {
    let ball = icosphere(3);
    let bvh = Bvh::of(&ball);
    let boxes = Bvh4::of(&bvh);
    let mut rng = Lcg(32);
    let mut met = 0;
    for pair in 0..1000 {
        let [mut start, end] = [(); 2].map(|()| rng.point(1.5));
        match pair % 4 {
            0 => start = end + Vec3::X,
            1 => start = ball.positions()[pair % ball.positions().len()],
            2 => start.z = end.z,
            _ => {}
        }
        let ray = Ray::between(start, end);
        let (mut one, mut four) = (Vec::new(), Vec::new());
        let collect = |into: &mut Vec<usize>, hit: usize| {
            into.push(hit);
            ControlFlow::Continue(())
        };
        bvh.all_hits(&ray, |hit| collect(&mut one, hit.triangle));
        boxes.all_hits(&ray, |hit| collect(&mut four, hit.triangle));
        one.sort_unstable();
        four.sort_unstable();
        assert_eq!(one, four, "ray {pair}");
        met += one.len();
    }
    assert!(met > 300, "{met}");
}

/// A fan gives in one query what rays to every point would.
#[test]
fn hidden_intervals_of_a_fan_agree_with_rays() {
    let ball = icosphere(3);
    let bvh = Bvh::of(&ball);
    let boxes = Bvh4::of(&bvh);
    let mut rng = Lcg(31);
    let (mut dark, mut lit) = (0, 0);
    for pair in 0..500 {
        let [eye, head, tail] = [(); 3].map(|()| rng.point(2.0));
        let Some(fan) = VisibilityFan::new(eye.as_dvec3(), head.as_dvec3(), tail.as_dvec3()) else {
            continue;
        };
        let mut fronts = Vec::new();
        let mut all = Vec::new();
        boxes.hidden(&fan, |_, front| front, |shares| fronts.push(shares));
        boxes.hidden(&fan, |_, _| true, |shares| all.push(shares));
        for step in 0..64 {
            let share = (step as f32 + 0.5) / 64.0;
            // Within rounding of where a triangle begins or ends, either result is right.
            let ends = all.iter().flatten().map(|end| (end - f64::from(share)).abs());
            if ends.fold(f64::INFINITY, f64::min) < 1e-4 {
                continue;
            }
            let mut met = [false; 2];
            bvh.all_hits(&Ray::between(eye, head.lerp(tail, share)), |hit| {
                met[0] = true;
                met[1] |= !hit.leaves;
                ControlFlow::Continue(())
            });
            let is_in = |of: &[[f64; 2]]| of.iter().any(|&[from, to]| (from..to).contains(&f64::from(share)));
            assert_eq!([is_in(&all), is_in(&fronts)], met, "pair {pair} at {share}");
            (dark, lit) = if met[0] { (dark + 1, lit) } else { (dark, lit + 1) };
        }
    }
    assert!(dark > 1000 && lit > 1000, "{dark} places hidden, {lit} seen");
}

#[test]
fn a_refitted_tree_contains_the_moved_triangles() {
    for Fixture { mesh, .. } in with_triangles() {
        let mut bvh = Bvh::of(&mesh);
        // A similarity: triangles without an area stay so, and the tree keeps its triangles.
        let turned = |p: &Vec3| 2.0 * Vec3::new(p.y, -p.x, p.z) + Vec3::ONE;
        let moved: Vec<Vec3> = mesh.positions().iter().map(turned).collect();
        bvh.refit(&moved, mesh.triangles());
        bvh.assert_well_formed(&Mesh::new(moved, mesh.triangles().to_vec()).unwrap());
    }
}
