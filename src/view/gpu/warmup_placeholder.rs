//! A character of a single point, drawn before there is a character, with all shaders.
//!
//! Drivers finish compiling a shader when something is first drawn with it. In software that takes
//! about as long as computing weights, so it happens while the worker computes them.

use std::sync::Arc;

use glam::{DAffine3, Vec3, Vec4};

use crate::model::{Alpha, Asset, Attachment, Material, Part, RenderMesh, Sampler};
use crate::view::overlay::Overlay;
use crate::view::posed_character::PosedCharacter;

/// An invisible character: its only triangle has no area.
pub(super) fn character() -> PosedCharacter {
    let part = Part {
        name: String::new(),
        vertices: 0..1,
        triangles: 0..1,
        material: Some(0),
        attachment: Attachment::Skinned { skin: None },
        rest_from_primitive: DAffine3::IDENTITY,
    };
    let render = RenderMesh {
        positions: vec![Vec3::ZERO],
        normals: vec![Vec3::Y],
        triangles: vec![[0; 3]],
        parts: vec![part],
        ..RenderMesh::default()
    };
    // Double-sided and transparent materials use another shader.
    let material = Material {
        name: String::new(),
        base_color: Vec4::ONE,
        texture: None,
        sampler: Sampler::default(),
        double_sided: false,
        alpha: Alpha::Opaque,
        unlit: false,
    };
    PosedCharacter::from_asset(Arc::new(Asset { render, materials: vec![material], ..Asset::default() }))
}

/// Its bones and handles.
pub(super) fn overlay() -> Overlay {
    let mut overlay = Overlay::default();
    for sketch in [&mut overlay.solid, &mut overlay.flat] {
        sketch.triangle([Vec3::ZERO; 3], Vec4::ZERO);
    }
    overlay
}
