//! Examples that a fit can use: at the scale of the mesh, not mirrored, without stray vertices.
//!
//! In: the mesh and the vertex positions of the examples as they came. Out: positions for the fit,
//! with a warning for everything that was changed, or an error. Source:
//! docs/theory/example-fitting.md#examples. Cost: a few passes over the edges per example.
//!
//! A pose changes few lengths: along most edges it is the mesh, turned. So the median ratio of edge
//! lengths is the scale of the example, and where that differs much from the ratio of both sizes,
//! or ratios scatter, vertices are in another order.

use glam::{DVec3, Vec3};

use super::ExampleError;
use crate::math::median;
use crate::model::Mesh;
use crate::operators::MeshGeometry;
use crate::report::{Report, Warning};

/// Scales within this factor of one are part of the pose. Larger: poses in other units are fitted by
/// motions that stretch. Smaller: characters that grow are shrunk.
const SAME_SCALE: f64 = 1.5;

/// Largest ratio of the scale along edges to that of the whole. Larger: vertices in another order
/// are fitted. Smaller: tightly curled poses are refused.
const MAX_LOCAL_SCALE: f64 = 4.0;

/// Largest median deviation of edge lengths from the scale, as a logarithm. Larger: vertices in
/// another order are fitted. Smaller: soft bodies that stretch are refused.
const MAX_SCATTER: f64 = 0.35;

/// A vertex is stray if most of its edges are longer than this, in lengths at rest, and it is
/// [`MIN_DISTANCE`] from its neighbours. Larger: stray vertices bend the fit. Smaller: skin that
/// stretches is smoothed.
const MAX_STRETCH: f64 = 8.0;

/// Smallest distance of a stray vertex from the mean of its neighbours, relative to the median
/// distance of vertices from their centre. Larger: stray vertices bend the fit. Smaller: vertices
/// that a skin tears off, which weights can reproduce, are put back.
const MIN_DISTANCE: f64 = 2.0;

/// Share of stray vertices above which an example is refused.
const MAX_STRAY: f64 = 0.1;

/// An example is mirrored if its creases correlate with those of the mesh by less than this. Larger:
/// poses that fold most of the skin are mirrored. Smaller: noise hides a mirror image.
const MIRRORED_CORRELATION: f64 = -0.3;

/// Mean square of the sines of the angles between neighbouring triangles below which a mesh is flat,
/// and is its own mirror image. Larger: smooth bodies are not mirrored back. Smaller: rounding
/// decides which side of a flat sheet is up.
const MIN_MEAN_SQUARE_CREASE: f64 = 1e-6;

/// Checks examples and makes them usable.
///
/// # Errors
/// If there are none, or one is not a pose of the mesh.
pub fn checked_examples(
    geometry: &MeshGeometry,
    examples: &[Vec<Vec3>],
    report: &mut Report,
) -> Result<Vec<Vec<Vec3>>, ExampleError> {
    super::check_examples(geometry, examples)?;
    let usable = |(example, positions): (usize, &Vec<Vec3>)| usable(geometry, example, positions, report);
    examples.iter().enumerate().map(usable).collect()
}

fn usable(
    geometry: &MeshGeometry,
    example: usize,
    positions: &[Vec3],
    report: &mut Report,
) -> Result<Vec<Vec3>, ExampleError> {
    let mesh = geometry.mesh();
    let mut positions: Vec<DVec3> = positions.iter().map(|position| position.as_dvec3()).collect();
    let ratios = edge_ratios(geometry, &positions);
    let Some(scale) = median(&mut ratios.iter().map(|&(_, ratio)| ratio).collect::<Vec<f64>>()) else {
        return Ok(rounded(&positions));
    };
    let stray = stray_vertices(geometry, &positions, &ratios, scale);
    if is_scrambled(mesh, &positions, &ratios, scale) || is_too_many(&stray, mesh) {
        return Err(ExampleError::Scrambled { example });
    }
    if !stray.is_empty() {
        report.warn(Warning::StrayVertices { example, vertices: stray.len(), first: stray[0] });
        replace_stray(geometry, &stray, &mut positions);
    }
    if !(1.0 / SAME_SCALE..=SAME_SCALE).contains(&scale) {
        report.warn(Warning::ExampleScaled { example, factor: scale });
        let centre = mean(&positions);
        positions.iter_mut().for_each(|position| *position = centre + (*position - centre) / scale);
    }
    if is_mirrored(geometry, &positions) {
        report.warn(Warning::ExampleMirrored { example });
        mirror_back(mesh, &mut positions);
    }
    Ok(rounded(&positions))
}

fn rounded(positions: &[DVec3]) -> Vec<Vec3> {
    positions.iter().map(|position| position.as_vec3()).collect()
}

fn mean(positions: &[DVec3]) -> DVec3 {
    positions.iter().sum::<DVec3>() / positions.len().max(1) as f64
}

/// Every edge with a length, and its length in the example relative to that at rest.
fn edge_ratios(geometry: &MeshGeometry, positions: &[DVec3]) -> Vec<([u32; 2], f64)> {
    let rest = |vertex: u32| geometry.mesh().positions()[vertex as usize].as_dvec3();
    let edges = geometry.topology().edges().iter().map(|edge| edge.ends);
    let with_length = edges.map(|[a, b]| ([a, b], rest(a).distance(rest(b)))).filter(|of| of.1 > 0.0);
    let ratio = |([a, b], length): ([u32; 2], f64)| {
        ([a, b], positions[a as usize].distance(positions[b as usize]) / length)
    };
    with_length.map(ratio).collect()
}

/// The median distance of vertices from their centre.
fn radius(positions: &[DVec3]) -> f64 {
    let centre = mean(positions);
    let mut distances: Vec<f64> = positions.iter().map(|position| position.distance(centre)).collect();
    median(&mut distances).unwrap_or(0.0)
}

/// Whether neighbours on the mesh are not neighbours in the example.
fn is_scrambled(mesh: &Mesh, positions: &[DVec3], ratios: &[([u32; 2], f64)], scale: f64) -> bool {
    let rest: Vec<DVec3> = mesh.positions().iter().map(|position| position.as_dvec3()).collect();
    let mut scatter: Vec<f64> =
        ratios.iter().map(|&(_, ratio)| (ratio / scale).max(f64::MIN_POSITIVE).ln().abs()).collect();
    let scatter = median(&mut scatter).unwrap_or(0.0);
    let is_pose =
        scale > 0.0 && scale * radius(&rest) <= MAX_LOCAL_SCALE * radius(positions) && scatter <= MAX_SCATTER;
    !is_pose
}

/// The vertices far from their neighbours, in ascending order.
fn stray_vertices(
    geometry: &MeshGeometry,
    positions: &[DVec3],
    ratios: &[([u32; 2], f64)],
    scale: f64,
) -> Vec<u32> {
    let mut edges = vec![[0_u32; 2]; geometry.mesh().positions().len()];
    for &(ends, ratio) in ratios {
        for end in ends {
            edges[end as usize][0] += 1;
            edges[end as usize][1] += u32::from(ratio > MAX_STRETCH * scale);
        }
    }
    let farthest = MIN_DISTANCE * radius(positions);
    let is_far = |vertex: usize| {
        let around: Vec<DVec3> =
            geometry.topology().neighbours(vertex).map(|other| positions[other]).collect();
        mean(&around).distance(positions[vertex]) > farthest
    };
    let is_stray = |&(vertex, &[all, torn]): &(u32, &[u32; 2])| 2 * torn > all && is_far(vertex as usize);
    (0..).zip(&edges).filter(is_stray).map(|(vertex, _)| vertex).collect()
}

fn is_too_many(stray: &[u32], mesh: &Mesh) -> bool {
    stray.len() as f64 > MAX_STRAY * mesh.positions().len() as f64
}

/// Puts stray vertices into the middle of their neighbours.
fn replace_stray(geometry: &MeshGeometry, stray: &[u32], positions: &mut [DVec3]) {
    let mut remaining = stray.to_vec();
    while !remaining.is_empty() {
        let is_remaining = |vertex: usize| remaining.binary_search(&(vertex as u32)).is_ok();
        let placed = |&vertex: &u32| {
            let neighbours: Vec<DVec3> = geometry
                .topology()
                .neighbours(vertex as usize)
                .filter(|&neighbour| !is_remaining(neighbour))
                .map(|neighbour| positions[neighbour])
                .collect();
            (!neighbours.is_empty()).then(|| (vertex, mean(&neighbours)))
        };
        let found: Vec<(u32, DVec3)> = remaining.iter().filter_map(placed).collect();
        if found.is_empty() {
            return;
        }
        for &(vertex, position) in &found {
            positions[vertex as usize] = position;
        }
        remaining.retain(|vertex| found.binary_search_by_key(vertex, |&(placed, _)| placed).is_err());
    }
}

/// Whether creases that point outwards on the mesh point inwards in an example. A pose turns and
/// bends skin, but locally it never mirrors it.
fn is_mirrored(geometry: &MeshGeometry, positions: &[DVec3]) -> bool {
    let mesh = geometry.mesh();
    let rest: Vec<DVec3> = mesh.positions().iter().map(|position| position.as_dvec3()).collect();
    let (mut product, mut squares, mut count) = (0.0, [0.0, 0.0], 0.0);
    for (edge, [low, high]) in geometry.topology().edges().iter().map(|edge| edge.ends).enumerate() {
        let [left, right] = geometry.topology().triangles_of_edge(edge) else { continue };
        let opposite = [left, right].map(|&triangle| {
            let corners = mesh.triangles()[triangle as usize];
            corners.into_iter().find(|corner| ![low, high].contains(corner)).unwrap_or(low)
        });
        let corners = [low, high, opposite[0], opposite[1]].map(|vertex| vertex as usize);
        let [a, b] = [&rest[..], positions].map(|at| crease(corners.map(|vertex| at[vertex])));
        product += a * b;
        squares = [squares[0] + a * a, squares[1] + b * b];
        count += 1.0;
    }
    let is_flat = squares[0] <= MIN_MEAN_SQUARE_CREASE * count;
    !is_flat && product < MIRRORED_CORRELATION * (squares[0] * squares[1]).sqrt()
}

/// The sine of the angle between the two triangles at an edge; its sign says to which side they bend.
fn crease([low, high, left, right]: [DVec3; 4]) -> f64 {
    let along = (high - low).normalize_or_zero();
    let [left, right] = [left, right].map(|corner| (corner - low).cross(along).normalize_or_zero());
    left.cross(right).dot(along)
}

/// Mirrors an example along the axis for which it then is nearest to the mesh.
fn mirror_back(mesh: &Mesh, positions: &mut [DVec3]) {
    let rest: Vec<DVec3> = mesh.positions().iter().map(|position| position.as_dvec3()).collect();
    let (from, to) = (mean(&rest), mean(positions));
    // The likeness grows by twice this if the axis is mirrored.
    let gain = rest.iter().zip(&*positions).fold(DVec3::ZERO, |sum, (a, b)| sum - (*a - from) * (*b - to));
    let axis = gain.max_position();
    positions.iter_mut().for_each(|position| position[axis] = -position[axis]);
}
