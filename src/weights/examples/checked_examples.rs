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
    let (rest, mut positions) = (geometry.mesh().positions(), positions.to_vec());
    let ratios = edge_ratios(geometry, &positions);
    let Some(scale) = median(&mut ratios.clone()) else { return Ok(positions) };
    let size = radius(&positions);
    let mut scatter: Vec<f64> =
        ratios.iter().map(|ratio| (ratio / scale).max(f64::MIN_POSITIVE).ln().abs()).collect();
    let is_torn = scale * radius(rest) > MAX_LOCAL_SCALE * size
        || median(&mut scatter).is_none_or(|scatter| scatter > MAX_SCATTER);
    let stray = stray_vertices(geometry, &positions, &ratios, MAX_STRETCH * scale, MIN_DISTANCE * size);
    if is_torn || scale <= 0.0 || stray.len() as f64 > MAX_STRAY * rest.len() as f64 {
        return Err(ExampleError::Scrambled { example });
    }
    if let Some(&first) = stray.first() {
        report.warn(Warning::StrayVertices { example, vertices: stray.len(), first });
        replace_stray(geometry, stray, &mut positions);
    }
    if !(1.0 / SAME_SCALE..=SAME_SCALE).contains(&scale) {
        report.warn(Warning::ExampleScaled { example, factor: scale });
        let centre = mean(&positions);
        let smaller = |position: &mut Vec3| {
            *position = (centre + (position.as_dvec3() - centre) / scale).as_vec3();
        };
        positions.iter_mut().for_each(smaller);
    }
    if is_mirrored(geometry, &positions) {
        report.warn(Warning::ExampleMirrored { example });
        mirror_back(rest, &mut positions);
    }
    Ok(positions)
}

fn mean(positions: &[Vec3]) -> DVec3 {
    let mut sum = DVec3::ZERO;
    positions.iter().for_each(|position| sum += position.as_dvec3());
    sum / positions.len().max(1) as f64
}

/// The median distance of vertices from their centre.
fn radius(positions: &[Vec3]) -> f64 {
    let centre = mean(positions);
    let mut distances: Vec<f64> = positions.iter().map(|at| at.as_dvec3().distance(centre)).collect();
    median(&mut distances).unwrap_or(0.0)
}

/// The length of every edge in an example relative to that at rest; one for edges without a length.
fn edge_ratios(geometry: &MeshGeometry, positions: &[Vec3]) -> Vec<f64> {
    let length =
        |at: &[Vec3], [a, b]: [u32; 2]| at[a as usize].as_dvec3().distance(at[b as usize].as_dvec3());
    let ratio = |ends: [u32; 2]| {
        let rest = length(geometry.mesh().positions(), ends);
        if rest > 0.0 { length(positions, ends) / rest } else { 1.0 }
    };
    geometry.topology().edges().iter().map(|edge| ratio(edge.ends)).collect()
}

/// The vertices most of whose edges are longer than `longest`, in lengths at rest, and that are
/// farther than `farthest` from the mean of their neighbours; in ascending order.
fn stray_vertices(
    geometry: &MeshGeometry,
    positions: &[Vec3],
    ratios: &[f64],
    longest: f64,
    farthest: f64,
) -> Vec<u32> {
    let mut stray = Vec::new();
    for (vertex, position) in (0..).zip(positions) {
        let (mut torn, mut count, mut sum) = (0, 0, DVec3::ZERO);
        for &[edge, other] in geometry.topology().edges_of_vertex(vertex as usize) {
            torn += usize::from(ratios[edge as usize] > longest);
            count += 1;
            sum += positions[other as usize].as_dvec3();
        }
        if 2 * torn > count && (sum / count as f64).distance(position.as_dvec3()) > farthest {
            stray.push(vertex);
        }
    }
    stray
}

/// Puts stray vertices into the middle of their neighbours, those beside others that are placed
/// first.
fn replace_stray(geometry: &MeshGeometry, mut stray: Vec<u32>, positions: &mut [Vec3]) {
    let mut is_stray = vec![false; positions.len()];
    stray.iter().for_each(|&vertex| is_stray[vertex as usize] = true);
    loop {
        let before = stray.len();
        stray.retain(|&vertex| {
            let (mut count, mut sum) = (0, DVec3::ZERO);
            for &[_, other] in geometry.topology().edges_of_vertex(vertex as usize) {
                let other = other as usize;
                if !is_stray[other] {
                    count += 1;
                    sum += positions[other].as_dvec3();
                }
            }
            if count > 0 {
                positions[vertex as usize] = (sum / f64::from(count)).as_vec3();
                is_stray[vertex as usize] = false;
            }
            count == 0
        });
        if stray.is_empty() || stray.len() == before {
            return;
        }
    }
}

/// Whether creases that point outwards on the mesh point inwards in an example. A pose turns and
/// bends skin, but locally it never mirrors it.
fn is_mirrored(geometry: &MeshGeometry, positions: &[Vec3]) -> bool {
    let mesh = geometry.mesh();
    let (mut product, mut squares, mut count) = (0.0, [0.0, 0.0], 0.0);
    for (edge, [low, high]) in geometry.topology().edges().iter().map(|edge| edge.ends).enumerate() {
        let &[left, right] = geometry.topology().triangles_of_edge(edge) else { continue };
        let opposite = |triangle: u32| {
            let [a, b, c] = mesh.triangles()[triangle as usize];
            a ^ b ^ c ^ low ^ high
        };
        let corners = [low, high, opposite(left), opposite(right)];
        let (a, b) = (crease(mesh.positions(), corners), crease(positions, corners));
        product += a * b;
        squares = [squares[0] + a * a, squares[1] + b * b];
        count += 1.0;
    }
    let is_flat = squares[0] <= MIN_MEAN_SQUARE_CREASE * count;
    !is_flat && product < MIRRORED_CORRELATION * (squares[0] * squares[1]).sqrt()
}

/// The sine of the angle between the two triangles at an edge; its sign says to which side they bend.
fn crease(positions: &[Vec3], corners: [u32; 4]) -> f64 {
    let [low, high, left, right] = corners.map(|vertex| positions[vertex as usize].as_dvec3());
    let along = (high - low).normalize_or_zero();
    let [left, right] = [left, right].map(|corner| (corner - low).cross(along).normalize_or_zero());
    left.cross(right).dot(along)
}

/// Mirrors an example along the axis for which it then is nearest to the mesh.
fn mirror_back(rest: &[Vec3], positions: &mut [Vec3]) {
    let (from, to) = (mean(rest), mean(positions));
    let mut likeness = DVec3::ZERO;
    for (a, b) in rest.iter().zip(&*positions) {
        likeness += (a.as_dvec3() - from) * (b.as_dvec3() - to);
    }
    let axis = (-likeness).max_position();
    positions.iter_mut().for_each(|position| position[axis] = -position[axis]);
}
