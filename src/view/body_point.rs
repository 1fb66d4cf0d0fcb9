//! The middle of the body under a pixel, where joints are placed.

use glam::{Vec2, Vec3};

use super::scene::Scene;

impl Scene {
    /// The middle of the body under a pixel, as the body is drawn. Of several limbs behind each
    /// other it is that of the one nearest to `near`, or else of the first.
    pub fn body_point_at(&mut self, pixel: Vec2, near: Option<Vec3>) -> Option<Vec3> {
        let (crossings, ray) = self.picked(pixel, |picker, ray, _, _| (picker.crossings(ray), *ray))?;
        let near = near.map(|near| (near - ray.origin).dot(ray.direction));
        middle(&crossings, near).map(|along| ray.origin + ray.direction * along)
    }
}

/// The middle of the interval inside the body that is nearest to `near`, or of the first one.
/// Crossings are sorted, each with whether the ray leaves a surface there. Surfaces may contain
/// each other: clothes have skin inside.
fn middle(crossings: &[(f32, bool)], near: Option<f32>) -> Option<f32> {
    let mut intervals: Vec<(f32, f32)> = Vec::new();
    let (mut depth, mut begin) = (0_i32, 0.0);
    for &(along, leaves) in crossings {
        if depth == 0 {
            begin = along;
        }
        depth += if leaves { -1 } else { 1 };
        if depth == 0 {
            intervals.push((begin, along));
        }
    }
    // An open surface: the body ends where it is met last.
    if let (true, Some(&(last, _))) = (depth != 0, crossings.last()) {
        intervals.push((begin, last));
    }
    let distance =
        |&(begin, end): &(f32, f32)| near.map_or(begin, |near| (begin - near).max(near - end).max(0.0));
    let nearest = intervals.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    Some(f32::midpoint(nearest.0, nearest.1))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::samples::{self, SampleCharacter};

    const IN: bool = false;
    const OUT: bool = true;

    #[test]
    fn the_middle_of_nested_surfaces_is_that_of_the_outer_one() {
        assert_eq!(middle(&[(1.0, IN), (1.5, IN), (2.0, OUT), (3.0, OUT)], None), Some(2.0));
        assert_eq!(middle(&[(1.0, OUT), (3.0, IN)], None), Some(2.0), "turned inside out");
    }

    #[test]
    fn of_two_limbs_the_nearer_one_counts() {
        let limbs = [(1.0, IN), (2.0, OUT), (5.0, IN), (7.0, OUT)];
        assert_eq!(middle(&limbs, None), Some(1.5));
        assert_eq!(middle(&limbs, Some(4.0)), Some(6.0));
        assert_eq!(middle(&limbs, Some(0.0)), Some(1.5));
    }

    #[test]
    fn an_open_surface_ends_where_it_is_met_last_and_nothing_has_no_middle() {
        assert_eq!(middle(&[(1.0, IN), (2.0, IN), (4.0, OUT)], None), Some(2.5));
        assert_eq!(middle(&[], Some(1.0)), None);
    }

    #[test]
    fn the_point_under_a_pixel_is_inside_the_body_and_beside_it_there_is_none() {
        let asset = samples::make(SampleCharacter::Mannequin, 2_000).unwrap().into_asset("mannequin");
        let mut scene = Scene::default();
        scene.resize(Vec2::new(800.0, 600.0));
        scene.set_asset(Arc::new(asset));
        let (low, high) = scene.character().unwrap().rest_bounds();
        let chest = low.lerp(high, 0.5).with_y(low.y + 0.7 * (high.y - low.y));
        let pixel = scene.view_transform().project(chest).unwrap().0;
        let point = scene.body_point_at(pixel, None).unwrap();
        assert!(point.distance(chest) < 0.1 * (high.y - low.y), "{point} is far from {chest}");
        assert!(scene.view_transform().project(point).unwrap().0.distance(pixel) < 0.1);
        assert_eq!(scene.body_point_at(Vec2::ZERO, None), None);
    }
}
