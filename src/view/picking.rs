//! Which joint or bone is under the pointer, measured in pixels on the canvas, and where a ray
//! meets skin.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use glam::{Vec2, Vec3};

use super::camera::{Ray, ViewTransform};
use crate::math::sort_few;
use crate::model::{Influence, Weights};
use crate::operators::bvh::{self, Bvh};

/// How near the pointer must come, in CSS pixels. Larger: neighbours steal clicks on fingers of
/// hands. Smaller: bones are hard to hit.
const MOUSE_REACH: f32 = 9.0;
/// The same for fingers.
const TOUCH_REACH: f32 = 20.0;

/// A dot counts as this much nearer than the bones that meet in it.
const DOT_BONUS: f32 = 4.0;

/// A bone in the pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PosedBone {
    /// The joint that drives it.
    pub joint: usize,
    /// Where it starts.
    pub head: Vec3,
    /// Where it ends.
    pub tail: Vec3,
}

/// How near the pointer must come to a joint or bone, in CSS pixels.
pub fn reach(is_touch: bool) -> f32 {
    if is_touch { TOUCH_REACH } else { MOUSE_REACH }
}

/// The joint whose dot (of `dots`: joint and place) or whose bone lies nearest to `pixel`, within
/// `reach` pixels. Of several equally near, the one nearest to the camera.
pub fn joint_at(
    eye: &ViewTransform,
    pixel: Vec2,
    reach: f32,
    dots: &[(usize, Vec3)],
    bones: &[PosedBone],
) -> Option<usize> {
    let near_dots = dots.iter().filter_map(|&(joint, place)| {
        let (at, depth) = eye.project(place)?;
        let distance = at.distance(pixel);
        (distance <= reach).then_some((joint, (distance - DOT_BONUS).max(0.0), depth))
    });
    let near_bones = bones.iter().filter_map(|bone| {
        let [head, tail] = eye.project_segment(bone.head, bone.tail)?;
        let (distance, share) = distance_to_segment(pixel, head.0, tail.0);
        (distance <= reach).then_some((bone.joint, distance, head.1 + (tail.1 - head.1) * share))
    });
    // Half a pixel is the same place; there the nearer one is in front.
    let order = |&(_, distance, depth): &(usize, f32, f32)| ((distance * 2.0).round(), depth);
    let compare = |a: &(usize, f32, f32), b: &(usize, f32, f32)| {
        let (a, b) = (order(a), order(b));
        a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
    };
    near_dots.chain(near_bones).min_by(compare).map(|(joint, ..)| joint)
}

/// How far `point` is from the segment from `a` to `b`, and where along it (0 to 1) the nearest
/// point is.
pub fn distance_to_segment(point: Vec2, a: Vec2, b: Vec2) -> (f32, f32) {
    let along = b - a;
    let share = (point - a).dot(along) / along.length_squared().max(f32::MIN_POSITIVE);
    let share = share.clamp(0.0, 1.0);
    (point.distance(a + along * share), share)
}

/// Where a ray meets the skin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SkinHit {
    /// The corners of the triangle it meets.
    pub corners: [u32; 3],
    /// The barycentric coordinates of the point.
    pub barycentrics: [f32; 3],
    /// How far along the ray.
    pub along: f32,
}

impl SkinHit {
    /// The corner nearest to the point.
    pub fn nearest_corner(&self) -> u32 {
        let heaviest = (0..3).max_by(|&a, &b| f32::total_cmp(&self.barycentrics[a], &self.barycentrics[b]));
        self.corners[heaviest.unwrap_or(0)]
    }

    /// The weights at the point, largest first; `weights` has a row per render vertex.
    pub fn influences(&self, weights: &Weights) -> Vec<Influence> {
        let mut sums: BTreeMap<u32, f32> = BTreeMap::new();
        for (&corner, &share) in self.corners.iter().zip(&self.barycentrics) {
            for influence in weights.row(corner as usize) {
                *sums.entry(influence.column).or_default() += share * influence.weight;
            }
        }
        let mut influences: Vec<Influence> =
            sums.into_iter().map(|(column, weight)| Influence { column, weight }).collect();
        influences.retain(|influence| influence.weight > 0.0);
        sort_few(&mut influences, |a, b| b.weight.total_cmp(&a.weight));
        influences
    }

    /// Interpolates values per vertex at the point.
    pub fn blend(&self, of: &[Vec3]) -> Vec3 {
        (0..3)
            .map(|i| of.get(self.corners[i] as usize).copied().unwrap_or_default() * self.barycentrics[i])
            .sum()
    }
}

/// The skin of a view in a pose, for rays.
#[derive(Clone, Debug)]
pub(super) struct SkinPicker {
    bvh: Bvh,
    /// Which shape it was made for.
    pub(super) stamp: (u32, u32),
}

impl SkinPicker {
    /// Over render vertices as drawn.
    pub(super) fn new(stamp: (u32, u32), positions: &[Vec3], triangles: &[[u32; 3]]) -> Self {
        Self { bvh: Bvh::over(positions, triangles), stamp }
    }

    /// Moves it with the vertices.
    pub(super) fn refit(&mut self, stamp: (u32, u32), positions: &[Vec3], triangles: &[[u32; 3]]) {
        self.bvh.refit(positions, triangles);
        self.stamp = stamp;
    }

    /// How far along a ray it crosses the skin, in order, and whether it leaves the body there.
    pub(super) fn crossings(&self, ray: &Ray) -> Vec<(f32, bool)> {
        let mut crossings = Vec::new();
        self.bvh.all_hits(&bvh::Ray::new(ray.origin, ray.direction), |hit| {
            crossings.push((hit.along, hit.leaves));
            ControlFlow::Continue(())
        });
        sort_few(&mut crossings, |a, b| a.0.total_cmp(&b.0));
        crossings
    }

    /// Where a ray meets the skin first, at a point that is `visible`.
    pub(super) fn hit(
        &self,
        ray: &Ray,
        triangles: &[[u32; 3]],
        visible: impl Fn(&bvh::Hit) -> bool,
    ) -> Option<SkinHit> {
        let hit = self.bvh.first_hit_where(&bvh::Ray::new(ray.origin, ray.direction), visible)?;
        let (corners, barycentrics) = (triangles[hit.triangle], hit.barycentric.to_array());
        Some(SkinHit { corners, barycentrics, along: hit.along })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::camera::Camera;

    const CANVAS: Vec2 = Vec2::new(800.0, 600.0);

    fn eye() -> ViewTransform {
        Camera { yaw: 0.0, pitch: 0.0, distance: 4.0, ..Camera::default() }.view_transform(CANVAS, 3.0)
    }

    fn arm() -> (Vec<(usize, Vec3)>, Vec<PosedBone>) {
        let heads = [Vec3::ZERO, Vec3::new(0.5, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0)];
        let bones = (0..2).map(|i| PosedBone { joint: i, head: heads[i], tail: heads[i + 1] }).collect();
        (heads.into_iter().enumerate().collect(), bones)
    }

    #[test]
    fn a_click_on_a_bones_middle_selects_its_joint_and_on_a_dot_the_dots() {
        let (eye, (dots, bones)) = (eye(), arm());
        let pick = |at: Vec3| joint_at(&eye, eye.project(at).unwrap().0, reach(false), &dots, &bones);
        assert_eq!(pick(Vec3::new(0.25, 0.0, 0.0)), Some(0));
        assert_eq!(pick(Vec3::new(0.75, 0.0, 0.0)), Some(1));
        // The dot at the elbow belongs to joint 1, although joint 0's bone ends there.
        assert_eq!(pick(Vec3::new(0.49, 0.0, 0.0)), Some(1));
        assert_eq!(pick(Vec3::new(0.5, 0.5, 0.0)), None);
    }

    #[test]
    fn fingers_reach_farther_than_the_mouse() {
        let (eye, (dots, bones)) = (eye(), arm());
        let beside = eye.project(Vec3::new(0.25, 0.0, 0.0)).unwrap().0 + Vec2::new(0.0, 15.0);
        assert_eq!(joint_at(&eye, beside, reach(false), &dots, &bones), None);
        assert_eq!(joint_at(&eye, beside, reach(true), &dots, &bones), Some(0));
    }

    #[test]
    fn of_two_bones_behind_each_other_the_nearer_is_picked() {
        let bone =
            |joint, z: f32| PosedBone { joint, head: Vec3::new(0.0, -0.5, z), tail: Vec3::new(0.0, 0.5, z) };
        let bones = [bone(0, -0.5), bone(1, 0.5)];
        assert_eq!(joint_at(&eye(), CANVAS * 0.5, 5.0, &[], &bones), Some(1));
    }

    #[test]
    fn bones_behind_the_camera_are_not_picked() {
        let eye = eye();
        let behind = PosedBone { joint: 0, head: Vec3::Z * 6.0, tail: Vec3::Z * 8.0 };
        assert_eq!(joint_at(&eye, CANVAS * 0.5, 500.0, &[(0, Vec3::Z * 6.0)], &[behind]), None);
    }

    #[test]
    fn a_ray_meets_the_nearest_triangle_and_names_the_nearest_corner() {
        let square = |z: f32| [Vec3::new(-1.0, -1.0, z), Vec3::new(1.0, -1.0, z), Vec3::new(0.0, 1.0, z)];
        let positions: Vec<Vec3> = [square(-1.0), square(1.0)].concat();
        let ray = eye().ray(eye().project(Vec3::new(0.0, 0.7, 1.0)).unwrap().0);
        let triangles = [[0, 1, 2], [3, 4, 5]];
        let picker = SkinPicker::new((0, 0), &positions, &triangles);
        let hit = picker.hit(&ray, &triangles, |_| true).unwrap();
        assert_eq!((hit.corners, hit.nearest_corner()), ([3, 4, 5], 5));
        assert!(hit.blend(&positions).distance(Vec3::new(0.0, 0.7, 1.0)) < 1e-5);
        let rows = [0, 1, 2, 0, 1, 2].map(|column| [Influence { column, weight: 1.0 }]);
        let found = hit.influences(&Weights::new(3, rows).unwrap());
        assert_eq!(found[0].column, 2, "the joint of the nearest corner is the first");
        assert!((found.iter().map(|i| i.weight).sum::<f32>() - 1.0).abs() < 1e-5);
        let past = Ray { origin: Vec3::Z * 4.0, direction: Vec3::Z };
        assert_eq!(picker.hit(&past, &triangles, |_| true), None);
    }
}
