//! How the camera moves: at once under the pointer, softly after it, and in an arc when it frames.
//!
//! Drags set a goal that the camera follows with a short lag; framing flies there. Distances stay within
//! bounds that scale with the model.

use glam::{Vec2, Vec3};

use super::camera::Camera;

/// The lag behind the pointer in milliseconds. Longer: the model swims. Shorter: trackpads look jerky.
const LAG_MS: f64 = 45.0;

/// How long framing takes, in milliseconds: long enough to keep one's bearings.
const FLIGHT_MS: f64 = 380.0;

/// A drag over the canvas's height turns by this angle.
const TURN_PER_HEIGHT: f32 = 1.3 * std::f32::consts::PI;

/// The camera is at its goal when what is left is less than this share of its distance: below a pixel.
const AT_GOAL: f32 = 2e-4;

/// Nearest and farthest distance, as shares of the model's size.
const NEAREST: f32 = 0.04;
const FARTHEST: f32 = 12.0;

/// The smallest height of the camera above the ground, as a share of the character's size. Larger: low views
/// are cut off. Smaller: the near plane cuts into the ground.
const LEAST_HEIGHT: f32 = 0.01;

/// A wheel notch of 100 pixels changes the distance by this power of e.
const ZOOM_PER_PIXEL: f32 = 0.0016;

/// A camera and where it is going.
#[derive(Clone, Debug)]
pub struct Orbit {
    camera: Camera,
    goal: Camera,
    flight: Option<Flight>,
    last_ms: Option<f64>,
    size: f32,
    /// The height of the ground; none if there is nothing to stand on.
    ground: Option<f32>,
    is_still: bool,
}

#[derive(Clone, Copy, Debug)]
struct Flight {
    from: Camera,
    started_ms: Option<f64>,
}

impl Default for Orbit {
    fn default() -> Self {
        let camera = Camera::default();
        Self { camera, goal: camera, flight: None, last_ms: None, size: 1.0, ground: None, is_still: false }
    }
}

impl Orbit {
    /// Where the camera is now.
    pub fn camera(&self) -> &Camera {
        &self.camera
    }

    /// Where it is going.
    pub fn goal(&self) -> &Camera {
        &self.goal
    }

    /// Sets the size of the character, which bounds the distance, and the height of the ground, which the
    /// camera stays above.
    pub fn set_ground(&mut self, size: f32, ground: f32) {
        self.size = if size.is_finite() && size > 0.0 { size } else { 1.0 };
        self.ground = Some(ground).filter(|ground| ground.is_finite());
    }

    /// The smallest height of the camera.
    fn lowest(&self) -> f32 {
        self.ground.map_or(f32::NEG_INFINITY, |ground| ground + LEAST_HEIGHT * self.size)
    }

    /// Whether it jumps instead of gliding, for people who asked their system for less motion.
    pub fn set_still(&mut self, is_still: bool) {
        self.is_still = is_still;
    }

    /// Goes to `camera` at once.
    pub fn jump(&mut self, camera: Camera) {
        let camera = camera.raised_above(self.lowest());
        (self.camera, self.goal, self.flight, self.last_ms) = (camera, camera, None, None);
    }

    /// Turns as a drag by `pixels` asks.
    pub fn orbit(&mut self, pixels: Vec2, canvas: Vec2) {
        let per_pixel = TURN_PER_HEIGHT / canvas.y.max(1.0);
        self.set_goal(self.goal.orbited(Vec2::new(-pixels.x, pixels.y) * per_pixel));
    }

    /// Moves sideways as a drag by `pixels` asks.
    pub fn pan(&mut self, pixels: Vec2, canvas: Vec2) {
        let mut goal = self.goal.panned(pixels, canvas);
        // Lifted as a whole: panning does not change the direction of view.
        goal.target.y += (self.lowest() - goal.position().y).max(0.0);
        self.set_goal(goal);
    }

    /// Changes the distance by `factor`, towards what lies under `pixel`.
    pub fn zoom(&mut self, factor: f32, pixel: Vec2, canvas: Vec2) {
        let distance = (self.goal.distance * factor).clamp(NEAREST * self.size, FARTHEST * self.size);
        self.set_goal(self.goal.zoomed_to(distance, pixel, canvas));
    }

    /// The factor for a wheel turned by `pixels`.
    pub fn zoom_factor(pixels: f32) -> f32 {
        // One event moves at most so far: some wheels report a whole flick at once.
        (pixels.clamp(-400.0, 400.0) * ZOOM_PER_PIXEL).exp()
    }

    /// Flies to where the box from `low` to `high` fills the canvas.
    pub fn frame(&mut self, low: Vec3, high: Vec3, canvas: Vec2) {
        self.set_goal(self.goal.framed(low, high, canvas));
        self.flight = Some(Flight { from: self.camera, started_ms: None });
    }

    fn set_goal(&mut self, goal: Camera) {
        self.goal = goal.raised_above(self.lowest());
        self.flight = None;
    }

    /// Moves on to time `now_ms`; whether the camera moved.
    pub fn advance(&mut self, now_ms: f64) -> bool {
        let before = self.camera;
        let step_ms = (now_ms - self.last_ms.unwrap_or(now_ms - 16.0)).clamp(0.0, 100.0);
        self.last_ms = Some(now_ms);
        if self.is_still {
            self.flight = None;
            self.camera = self.goal;
        } else if let Some(flight) = &mut self.flight {
            let started = *flight.started_ms.get_or_insert(now_ms);
            let time = ((now_ms - started) / FLIGHT_MS).clamp(0.0, 1.0) as f32;
            self.camera = mix(&flight.from, &self.goal, ease(time));
            if time >= 1.0 {
                self.flight = None;
            }
        } else {
            let share = 1.0 - (-step_ms / LAG_MS).exp();
            self.camera = mix(&self.camera, &self.goal, share as f32);
        }
        self.camera = self.camera.raised_above(self.lowest());
        if self.flight.is_none() && gap(&self.camera, &self.goal) < AT_GOAL {
            self.camera = self.goal;
            self.last_ms = None;
        }
        self.camera != before
    }

    /// Whether the camera is still on its way.
    pub fn is_moving(&self) -> bool {
        self.flight.is_some() || self.camera != self.goal
    }
}

/// Between two cameras; distances by ratio, so that zooming feels even.
fn mix(a: &Camera, b: &Camera, share: f32) -> Camera {
    let number = |a: f32, b: f32| a + (b - a) * share;
    Camera {
        target: a.target.lerp(b.target, share),
        yaw: number(a.yaw, b.yaw),
        pitch: number(a.pitch, b.pitch),
        distance: number(a.distance.ln(), b.distance.ln()).exp(),
    }
}

/// How far apart, as a share of the distance.
fn gap(a: &Camera, b: &Camera) -> f32 {
    let aside = a.target.distance(b.target) / b.distance;
    let along = (a.distance / b.distance).ln().abs();
    aside.max(along).max((a.yaw - b.yaw).abs()).max((a.pitch - b.pitch).abs())
}

fn ease(t: f32) -> f32 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CANVAS: Vec2 = Vec2::new(800.0, 600.0);

    fn settle(orbit: &mut Orbit) -> usize {
        let mut frames = 0;
        while orbit.is_moving() {
            orbit.advance(1000.0 + 16.0 * frames as f64);
            frames += 1;
            assert!(frames < 200, "never settles");
        }
        frames
    }

    #[test]
    fn the_camera_settles_exactly_on_its_goal_and_then_stays() {
        let mut orbit = Orbit::default();
        orbit.orbit(Vec2::new(120.0, -40.0), CANVAS);
        assert!(settle(&mut orbit) > 3);
        assert_eq!(orbit.camera(), orbit.goal());
        assert!(!orbit.advance(9000.0));
    }

    #[test]
    fn dragging_right_turns_the_model_right() {
        let mut orbit = Orbit::default();
        let before = *orbit.camera();
        orbit.orbit(Vec2::new(50.0, 0.0), CANVAS);
        settle(&mut orbit);
        // A point on the near side follows the pointer.
        let near = before.target + before.backward() * 0.5;
        let (pixel, _) = orbit.camera().view_transform(CANVAS, 3.0).project(near).unwrap();
        assert!(pixel.x > CANVAS.x * 0.5 + 5.0);
    }

    #[test]
    fn zooming_stops_at_bounds_that_scale_with_the_model() {
        for size in [0.001, 1.0, 1000.0] {
            let mut orbit = Orbit::default();
            orbit.set_ground(size, f32::NEG_INFINITY);
            orbit.jump(Camera { distance: 3.0 * size, ..Camera::default() });
            (0..500).for_each(|_| orbit.zoom(0.9, CANVAS * 0.5, CANVAS));
            assert!((orbit.goal().distance / size - NEAREST).abs() < 1e-3);
            (0..500).for_each(|_| orbit.zoom(1.1, CANVAS * 0.5, CANVAS));
            assert!((orbit.goal().distance / size - FARTHEST).abs() < 1e-2);
        }
    }

    #[test]
    fn the_camera_stays_above_the_ground() {
        let mut orbit = Orbit::default();
        orbit.set_ground(1.0, -0.5);
        orbit.orbit(Vec2::new(0.0, -4000.0), CANVAS);
        assert!(orbit.goal().position().y >= -0.5 && orbit.goal().pitch < 0.0, "{:?}", orbit.goal());
        orbit.zoom(10.0, CANVAS * 0.5, CANVAS);
        assert!(orbit.goal().position().y >= -0.5);
        let pitch = orbit.goal().pitch;
        orbit.pan(Vec2::new(0.0, -5000.0), CANVAS);
        assert!(orbit.goal().position().y >= -0.5 && (orbit.goal().pitch - pitch).abs() < 1e-5);
        orbit.jump(Camera { target: Vec3::Y * -9.0, pitch: -0.3, ..Camera::default() });
        assert!(orbit.camera().position().y >= -0.5);
    }

    #[test]
    fn framing_flies_and_a_drag_takes_over() {
        let mut orbit = Orbit::default();
        orbit.frame(Vec3::ZERO, Vec3::ONE, CANVAS);
        orbit.advance(0.0);
        orbit.advance(100.0);
        assert!(orbit.is_moving() && orbit.camera() != orbit.goal());
        orbit.orbit(Vec2::new(10.0, 0.0), CANVAS);
        settle(&mut orbit);
        assert_eq!(orbit.camera().target, Vec3::splat(0.5));
    }

    #[test]
    fn without_motion_the_camera_jumps() {
        let mut orbit = Orbit::default();
        orbit.set_still(true);
        orbit.frame(Vec3::ZERO, Vec3::ONE, CANVAS);
        orbit.advance(0.0);
        assert!(!orbit.is_moving());
    }
}
