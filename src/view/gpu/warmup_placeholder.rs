//! Who is drawn while nobody is there: a character of a single point, by all the shaders that characters are drawn by.
//!
//! Drivers finish a shader when something is first drawn by it. Without a graphics card that takes about as long as finding
//! weights does, so it happens meanwhile, and not when the character begins to move.

use std::sync::Arc;

use glam::{DAffine3, Vec3, Vec4};

use crate::model::{Alpha, Asset, Attachment, Material, Part, RenderMesh};
use crate::view::overlay::Overlay;
use crate::view::posed_character::PosedCharacter;

/// Nothing of it is seen: its only triangle has no area.
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
    // What has two sides, or is seen through, is drawn by another shader.
    let material = Material {
        name: String::new(),
        base_color: Vec4::ONE,
        texture: None,
        double_sided: false,
        alpha: Alpha::Opaque,
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
