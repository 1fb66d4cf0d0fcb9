//! A cylinder, for which everything is known in closed form.

use std::f64::consts::PI;

use pliant::distance::{Metric, boundary_distances};
use pliant::operators::MeshGeometry;
use pliant::progress::Progress;
use pliant::report::Report;
use pliant::samples::{SampleCharacter, make};
use pliant::weights::{Atlas, Depth, Transition};

use super::{cover, regions_of};

/// Dimensions of the sample cylinder.
const RADIUS: f64 = 1.0;
const HALF_LENGTH: f64 = 4.0;

fn hermite(l: f64) -> f64 {
    3.0 * l * l - 2.0 * l * l * l
}

/// The weight of the second bone at `x` (docs/theory/atlas.md#weights): distances run along the
/// tube, and the deepest point of a region is the centre of its cap.
fn second_weight(x: f64, k: f64, transition: impl Fn(f64) -> f64) -> f64 {
    let width = k * 2.0 * PI * RADIUS / PI;
    if x.abs() >= width {
        return f64::from(x > 0.0);
    }
    let deepest = HALF_LENGTH + RADIUS + width;
    let [first, second] = [width - x, width + x].map(|depth| transition(depth / deepest));
    second / (first + second)
}

#[test]
fn the_boundary_and_its_length_are_the_circle_at_the_joint() {
    for vertices in [2_000, 20_000] {
        let character = make(SampleCharacter::Cylinder, vertices).unwrap();
        let geometry = MeshGeometry::of(&character.mesh);
        let regions = regions_of(&geometry, &character.skeleton, &mut Report::default());
        assert_eq!(regions.boundaries.len(), 1);
        let boundary = &regions.boundaries[0];
        assert!(boundary.curves.len() == 1 && boundary.curves[0].is_closed(), "one loop");
        let edge = geometry.mean_edge();
        for point in &boundary.curves[0].points {
            assert!(f64::from(point.x.abs()) < 0.5 * edge, "{point} is off the plane of the joint");
        }
        let circle = 2.0 * PI * RADIUS;
        assert!((boundary.loop_length - circle).abs() < 0.01 * circle, "{} around", boundary.loop_length);
        for (vertex, position) in character.mesh.positions().iter().enumerate() {
            if f64::from(position.x.abs()) > 0.5 * edge {
                assert_eq!(regions.of_vertex[vertex], u32::from(position.x > 0.0), "at {position}");
            }
        }
    }
}

#[test]
fn overlaps_and_weights_are_the_analytic_ones() {
    let character = make(SampleCharacter::Cylinder, 20_000).unwrap();
    let geometry = MeshGeometry::of(&character.mesh);
    let regions = regions_of(&geometry, &character.skeleton, &mut Report::default());
    let edge = geometry.mean_edge();
    let linear = |l: f64| l;
    let transitions: [(Transition, &dyn Fn(f64) -> f64); 2] =
        [(Transition::Cubic, &hermite), (Transition::Linear, &linear)];
    for metric in [Metric::Smooth, Metric::Dijkstra] {
        for depth in [Depth::Widths, Depth::Lengths] {
            for (transition, formula) in &transitions {
                for k in [0.1, 0.5, 1.0] {
                    let transition = transition.clone();
                    let options = Atlas { k, distance: metric, depth, transition, ..Atlas::default() };
                    let cover = cover(&geometry, &character.skeleton, &regions, &options);
                    let second = cover.weights.column(1);
                    // Edges run along and across the tube, but its boundary curve lies up to half
                    // an edge off the joint's plane.
                    let tolerance = 0.02 + 1.5 * edge / (k * 2.0);
                    for (vertex, position) in character.mesh.positions().iter().enumerate() {
                        let x = f64::from(position.x);
                        if x.abs() > HALF_LENGTH - 1e-3 {
                            continue;
                        }
                        let expected = second_weight(x, k, formula);
                        let error = (f64::from(second[vertex]) - expected).abs();
                        assert!(
                            error < tolerance,
                            "{metric:?} {depth:?} {:?} K {k}: {} instead of {expected} at x = {x}",
                            options.transition,
                            second[vertex]
                        );
                        if (x.abs() - k * 2.0).abs() > 2.0 * edge {
                            assert_eq!(
                                cover.overlapped[vertex],
                                x.abs() < k * 2.0,
                                "{metric:?} K {k} at x = {x}"
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn harmonic_distances_are_linear_along_the_tube_and_logarithmic_on_its_caps() {
    let character = make(SampleCharacter::Cylinder, 20_000).unwrap();
    let geometry = MeshGeometry::of(&character.mesh);
    let regions = regions_of(&geometry, &character.skeleton, &mut Report::default());
    let field =
        &boundary_distances(&geometry, &regions, Metric::Harmonic, 2.0, &mut Progress::silent()).unwrap()[0];
    // Vertices with at least 95 % of the distance of the cap's centre are fixed: a disc of this
    // radius. The flux along the tube continues through rings of the cap: the slope a solves 4 a +
    // a ln(1 / r) = 5 − r.
    let disc = 0.05 * (HALF_LENGTH + RADIUS);
    let slope = (HALF_LENGTH + RADIUS - disc) / (HALF_LENGTH + (RADIUS / disc).ln());
    for (vertex, distance) in field.iter() {
        let x = f64::from(character.mesh.positions()[vertex as usize].x.abs());
        if x > 0.3 && x < HALF_LENGTH - 1e-3 {
            let error = f64::from(distance) / (slope * x) - 1.0;
            assert!(error.abs() < 0.06, "{distance} at {x} instead of {}", slope * x);
        }
    }
}
