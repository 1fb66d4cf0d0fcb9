//! The camera in degrees, as the page uses it.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use crate::view::Camera;

/// The camera on a turntable around what it looks at.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct CameraPlace {
    /// What it looks at.
    pub target: [f32; 3],
    /// Degrees to the right around the vertical axis; at 0 it looks at the face of a glTF
    /// character.
    pub yaw: f32,
    /// Degrees above the horizon.
    pub pitch: f32,
    /// From the target.
    pub distance: f32,
}

impl From<&Camera> for CameraPlace {
    fn from(camera: &Camera) -> Self {
        Self {
            target: camera.target.to_array(),
            yaw: camera.yaw.to_degrees(),
            pitch: camera.pitch.to_degrees(),
            distance: camera.distance,
        }
    }
}

impl CameraPlace {
    /// As the viewer takes it; none when a number is missing or means nothing.
    pub fn camera(&self) -> Option<Camera> {
        let Self { target, yaw, pitch, distance } = *self;
        let is_place =
            target.iter().chain([&yaw, &pitch, &distance]).all(|n| n.is_finite()) && distance > 0.0;
        let camera = Camera { target: Vec3::from_array(target), yaw: 0.0, pitch: 0.0, distance };
        is_place.then(|| camera.orbited(glam::Vec2::new(yaw.to_radians(), pitch.to_radians())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_comes_back_and_nonsense_is_none() {
        let place = CameraPlace { target: [1.0, 2.0, 3.0], yaw: 40.0, pitch: -10.0, distance: 4.0 };
        let back = CameraPlace::from(&place.camera().unwrap());
        assert!((back.yaw - 40.0).abs() < 1e-4 && (back.pitch + 10.0).abs() < 1e-4);
        assert_eq!((back.target, back.distance), (place.target, place.distance));
        assert_eq!(CameraPlace { distance: 0.0, ..place }.camera(), None);
        assert_eq!(CameraPlace { yaw: f32::NAN, ..place }.camera(), None);
    }
}
