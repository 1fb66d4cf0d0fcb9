//! A cylinder, for which everything is known in closed form.

use std::f64::consts::PI;

use pliant::distance::{Metric, boundary_distances};
use pliant::model::Regions;
use pliant::operators::MeshGeometry;
use pliant::progress::Progress;
use pliant::report::Report;
use pliant::samples::{GeneratedCharacter, SampleCharacter, make};
use pliant::weights::{Atlas, Depth, OverlapUnit, Transition};

use glam::Vec3;

use super::{cover, regions_of};
use crate::fixtures::chain;

/// Dimensions of the sample cylinder.
const RADIUS: f64 = 1.0;
const HALF_LENGTH: f64 = 4.0;

fn hermite(l: f64) -> f64 {
    3.0 * l * l - 2.0 * l * l * l
}

/// A cylinder whose joint is at `joint` on its axis.
struct Tube {
    character: GeneratedCharacter,
    geometry: MeshGeometry,
    regions: Regions,
    joint: f64,
}

impl Tube {
    fn with_joint_at(joint: f64) -> Self {
        let made = make(SampleCharacter::Cylinder, 20_000).unwrap();
        let skeleton = chain(&[-3.75, joint, 3.75].map(|x| Vec3::X * x as f32));
        let character = GeneratedCharacter { skeleton, ..made };
        let geometry = MeshGeometry::of(&character.mesh);
        let regions = regions_of(&geometry, &character.skeleton, &mut Report::default());
        Self { character, geometry, regions, joint }
    }

    /// The weight of the second bone at `x` (docs/theory/atlas.md#weights): distances run along the
    /// tube, and the deepest point of a region is the centre of its cap.
    fn second_weight(&self, x: f64, options: &Atlas, transition: impl Fn(f64) -> f64) -> f64 {
        let width = options.k * 2.0 * RADIUS;
        let x = x - self.joint;
        if x.abs() >= width {
            return f64::from(x > 0.0);
        }
        let deepest = [self.joint, -self.joint].map(|shift| HALF_LENGTH + shift + RADIUS + width);
        let divisors = match (options.depth, &options.transition) {
            (Depth::Lengths, _) => deepest,
            (Depth::Widths, Transition::Curve(_)) => [2.0 * width; 2],
            (Depth::Widths, _) => [deepest[0].max(deepest[1]); 2],
        };
        let first = transition((width - x) / divisors[0]);
        let second = transition((width + x) / divisors[1]);
        second / (first + second)
    }

    /// The largest error of the weights. Overlaps must end within half an edge of where they
    /// should.
    fn largest_error(&self, options: &Atlas, transition: impl Fn(f64) -> f64) -> f64 {
        let cover = cover(&self.geometry, &self.character.skeleton, &self.regions, options);
        let second = cover.weights.column(1);
        let edge = self.geometry.mean_edge();
        let mut largest = 0.0f64;
        for (vertex, position) in self.character.mesh.positions().iter().enumerate() {
            let x = f64::from(position.x);
            // Over the caps distances are not those along the tube.
            if x.abs() > HALF_LENGTH - 1e-3 {
                continue;
            }
            let expected = self.second_weight(x, options, &transition);
            largest = largest.max((f64::from(second[vertex]) - expected).abs());
            let beyond = (x - self.joint).abs() - options.k * 2.0 * RADIUS;
            if beyond.abs() > 0.5 * edge {
                assert_eq!(cover.overlapped[vertex], beyond < 0.0, "{options:?} at x = {x}");
            }
        }
        largest
    }
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

/// A transition function in closed form.
type Formula<'a> = &'a dyn Fn(f64) -> f64;

#[test]
fn overlaps_and_weights_are_the_analytic_ones() {
    let linear = |l: f64| l;
    // With the share of the error that each has of that of the cubic one.
    let transitions: [(Transition, Formula<'_>, f64); 2] =
        [(Transition::Cubic, &hermite, 1.0), (Transition::Linear, &linear, 0.5)];
    for tube in [Tube::with_joint_at(0.0), Tube::with_joint_at(1.25)] {
        for distance in [Metric::Smooth, Metric::Dijkstra] {
            for depth in [Depth::Widths, Depth::Lengths] {
                for (transition, formula, share) in &transitions {
                    for k in [0.1, 0.5, 1.0, 2.0] {
                        let options =
                            Atlas { k, distance, depth, transition: transition.clone(), ..Atlas::default() };
                        let error = tube.largest_error(&options, formula);
                        println!("{}: {distance:?} {depth:?} {transition:?} K {k}: {error:.5}", tube.joint);
                        let tolerance = match (tube.joint == 0.0, distance, depth) {
                            // The boundary lies half an edge off the joint, between two rings.
                            (true, ..) => share * 8e-4 / k + 5e-5,
                            // The regions are unequal, and their depths end on the caps.
                            (false, Metric::Smooth, Depth::Lengths) => share * 1.2e-3 / (1.0 + k),
                            // The boundary lies on a ring of vertices.
                            _ => 2e-4,
                        };
                        assert!(error < tolerance, "{error} with the joint at {}, {options:?}", tube.joint);
                    }
                }
            }
        }
    }
}

/// With depths in widths, a curve acts from one border of the overlap to the other.
#[test]
fn a_curve_is_drawn_over_the_width_of_the_overlap() {
    let tube = Tube::with_joint_at(0.0);
    let curves = [
        (vec![[0.5, 0.5]], 2e-3),
        (vec![[0.4, 0.1], [0.6, 0.9]], 6e-3),
        (vec![[0.3, 0.05], [0.7, 0.6]], 4e-3),
    ];
    for (points, tolerance) in curves {
        let transition = Transition::Curve(points.clone());
        let heights = transition.heights();
        let options = Atlas { k: 0.5, transition, ..Atlas::default() };
        let error = tube.largest_error(&options, |l| heights.at(l));
        println!("{points:?}: {error:.4}");
        assert!(error < tolerance, "{points:?}: {error}");
        let preset = Atlas { transition: Transition::Cubic, ..options.clone() };
        let [curve, preset] = [&options, &preset].map(|options| {
            cover(&tube.geometry, &tube.character.skeleton, &tube.regions, options).weights.column(1)
        });
        let change = curve.iter().zip(&preset).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        println!("  weights change by {change:.3}");
        // It was 0.02 at most when a curve acted over the depth of the whole region.
        assert!(change > 0.07, "the curve {points:?} changes weights by {change} only");
    }
}

/// The bones beside the joint are 5 and 2.5 long, and the radius is 1: K counts √2.5 times as much.
#[test]
fn the_shorter_bone_scales_the_overlap() {
    let tube = Tube::with_joint_at(1.25);
    let weights = |options: &Atlas| {
        cover(&tube.geometry, &tube.character.skeleton, &tube.regions, options).weights.column(1)
    };
    let radius = tube.regions.boundaries[0].loop_length / (2.0 * PI);
    let apart = |a: &Atlas, b: &Atlas| {
        weights(a).into_iter().zip(weights(b)).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
    };
    for k in [0.1, 0.5, 2.0] {
        let by_bone = Atlas { k, unit: OverlapUnit::Bone, ..Atlas::default() };
        let same = Atlas { k: k * (2.5 / radius).sqrt(), ..Atlas::default() };
        let error = apart(&by_bone, &same);
        println!("K {k}: {error:.1e}");
        assert!(error < 1e-5, "K {k}: {error}");
        // A joint with a K of its own keeps it.
        let own = Atlas { k_joints: [("bone_1".to_owned(), k)].into(), ..by_bone };
        assert_eq!(weights(&own), weights(&Atlas { k, ..Atlas::default() }));
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
    let mut largest = 0.0f64;
    for (vertex, distance) in field.iter() {
        let x = f64::from(character.mesh.positions()[vertex as usize].x.abs());
        if x > 0.3 && x < HALF_LENGTH - 1e-3 {
            largest = largest.max((f64::from(distance) / (slope * x) - 1.0).abs());
        }
    }
    println!("harmonic distances: relative error {largest:.4}");
    assert!(largest < 0.05, "{largest}");
}
