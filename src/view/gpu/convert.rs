//! From glam to three-d's vectors, and a camera as three-d wants it.

use three_d::{ColorMapping, Mat4, ToneMapping, Vec3, Vec4, Viewport};

use crate::view::camera::ViewTransform;

/// glam → three-d.
pub(super) fn vec3(v: glam::Vec3) -> Vec3 {
    Vec3::new(v.x, v.y, v.z)
}

/// glam → three-d.
pub(super) fn vec4(v: glam::Vec4) -> Vec4 {
    Vec4::new(v.x, v.y, v.z, v.w)
}

/// glam → three-d.
pub(super) fn mat4(m: &glam::Mat4) -> Mat4 {
    Mat4::from_cols(vec4(m.x_axis), vec4(m.y_axis), vec4(m.z_axis), vec4(m.w_axis))
}

/// What the camera sees, drawn into a part of the target.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    /// Where the camera is and how it projects.
    pub(super) eye: ViewTransform,
    /// In device pixels.
    pub(super) viewport: Viewport,
}

impl three_d::Viewer for View {
    fn position(&self) -> Vec3 {
        vec3(self.eye.position)
    }

    fn view(&self) -> Mat4 {
        mat4(&self.eye.view)
    }

    fn projection(&self) -> Mat4 {
        mat4(&self.eye.projection)
    }

    fn viewport(&self) -> Viewport {
        self.viewport
    }

    fn z_near(&self) -> f32 {
        self.eye.near
    }

    fn z_far(&self) -> f32 {
        self.eye.far
    }

    // Our own shaders map colours: the character's light is mapped, everything else is sRGB
    // already.
    fn color_mapping(&self) -> ColorMapping {
        ColorMapping::None
    }

    fn tone_mapping(&self) -> ToneMapping {
        ToneMapping::None
    }
}
