//! Which joint or bone is under the pointer, measured in pixels on the canvas, and where a ray meets skin.

use glam::{Vec2, Vec3};

use super::camera::{Ray, ViewTransform};

/// How near the pointer must come, in CSS pixels. Larger: neighbours steal clicks on fingers of hands.
/// Smaller: bones are hard to hit.
const MOUSE_REACH: f32 = 9.0;
/// The same for fingers.
const TOUCH_REACH: f32 = 20.0;

/// A dot counts as this much nearer than the bones that meet in it.
const DOT_BONUS: f32 = 4.0;

/// A bone as it stands in the pose.
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

/// The joint whose dot (of `dots`: joint and place) or whose bone lies nearest to `pixel`, within `reach`
/// pixels. Of several equally near, the one nearest to the camera.
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

/// How far `point` is from the segment from `a` to `b`, and where along it (0 to 1) the nearest point is.
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
    /// How near the point is to each of them; they sum to one.
    pub shares: [f32; 3],
    /// How far along the ray.
    pub along: f32,
}

impl SkinHit {
    /// The corner nearest to where.
    pub fn nearest_corner(&self) -> u32 {
        let heaviest = (0..3).max_by(|&a, &b| f32::total_cmp(&self.shares[a], &self.shares[b]));
        self.corners[heaviest.unwrap_or(0)]
    }

    /// What is known per vertex, at the point.
    pub fn blend(&self, of: &[Vec3]) -> Vec3 {
        (0..3).map(|i| of.get(self.corners[i] as usize).copied().unwrap_or_default() * self.shares[i]).sum()
    }
}

/// Where `ray` meets the skin first. Cost: all triangles.
pub fn skin_at(ray: &Ray, positions: &[Vec3], triangles: &[[u32; 3]]) -> Option<SkinHit> {
    let mut nearest: Option<SkinHit> = None;
    for &corners in triangles {
        let points = corners.map(|v| positions.get(v as usize).copied().unwrap_or(Vec3::NAN));
        let Some((along, shares)) = meets(ray, points) else { continue };
        if nearest.is_none_or(|best| along < best.along) {
            nearest = Some(SkinHit { corners, shares, along });
        }
    }
    nearest
}

/// How far along a ray a triangle is met, and the shares of its corners there (Möller and Trumbore 1997).
fn meets(ray: &Ray, [a, b, c]: [Vec3; 3]) -> Option<(f32, [f32; 3])> {
    let (ab, ac) = (b - a, c - a);
    let normal = ray.direction.cross(ac);
    let determinant = ab.dot(normal);
    let from_a = ray.origin - a;
    let u = from_a.dot(normal) / determinant;
    let across = from_a.cross(ab);
    let v = ray.direction.dot(across) / determinant;
    let along = ac.dot(across) / determinant;
    let is_hit = u >= 0.0 && v >= 0.0 && u + v <= 1.0 && along > 0.0 && along.is_finite();
    is_hit.then_some((along, [1.0 - u - v, u, v]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::camera::Camera;

    const CANVAS: Vec2 = Vec2::new(800.0, 600.0);

    fn eye() -> ViewTransform {
        Camera { yaw: 0.0, pitch: 0.0, distance: 4.0, ..Camera::default() }.eye(CANVAS, 3.0)
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
        let hit = skin_at(&ray, &positions, &[[0, 1, 2], [3, 4, 5]]).unwrap();
        assert_eq!((hit.corners, hit.nearest_corner()), ([3, 4, 5], 5));
        assert!(hit.blend(&positions).distance(Vec3::new(0.0, 0.7, 1.0)) < 1e-5);
        let past = Ray { origin: Vec3::Z * 4.0, direction: Vec3::Z };
        assert_eq!(skin_at(&past, &positions, &[[0, 1, 2], [3, 4, 5]]), None);
    }
}
