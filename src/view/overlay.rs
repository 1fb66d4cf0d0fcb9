//! What is drawn over the character: its skeleton, seen through the skin, and the gizmo.

use std::f32::consts::TAU;

use glam::{Vec3, Vec4};

use super::camera::ViewTransform;
use super::gizmo::{Gizmo, PIECES, Ring};
use super::overlay_mesh::OverlayMesh;
use super::posed_character::PosedCharacter;
use super::rotate_tool::Turning;
use super::scene::Scene;
use super::theme::Palette;
use crate::math::sort_few;

/// A bone's thickness: this share of its length, within these shares of the figure's size.
const BONE_SHARE: f32 = 0.085;
const THICKEST: f32 = 0.013;
/// Never thinner than this many CSS pixels.
const THINNEST: f32 = 1.5;

/// How much of the skin shows through a bone.
const BONE_ALPHA: f32 = 0.88;

/// The line around a bone, in CSS pixels.
const OUTLINE: f32 = 0.8;
const OUTLINE_ALPHA: f32 = 0.7;

/// Dots in CSS pixels: plain, under the pointer or selected, and of joints that do not deform.
const DOT: f32 = 3.2;
const DOT_LARGE: f32 = 5.0;
const DOT_QUIET: f32 = 2.2;
/// Dots of short bones: this share of the bone, but at least this many pixels.
const DOT_SHARE: f32 = 0.16;
const DOT_SMALLEST: f32 = 1.4;

/// What is drawn over the character, in the order of drawing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overlay {
    /// Bones, which hide each other.
    pub solid: OverlayMesh,
    /// Dots and rings, each over the last.
    pub flat: OverlayMesh,
}

impl Overlay {
    /// The skeleton and the gizmo as `eye` sees them.
    pub fn new(scene: &Scene, eye: &ViewTransform) -> Self {
        let mut overlay = Self::default();
        let palette = scene.theme().palette();
        if let Some(character) = scene.character() {
            if scene.shows_skeleton() {
                overlay.add_bones(scene, character, eye, &palette);
                overlay.add_dots(scene, character, eye, &palette);
            }
            scene.active_tool().overlay(scene, eye, &mut overlay);
        }
        overlay
    }

    fn add_bones(
        &mut self,
        scene: &Scene,
        character: &PosedCharacter,
        eye: &ViewTransform,
        palette: &Palette,
    ) {
        for bone in character.posed_bones() {
            let length = bone.head.distance(bone.tail);
            let thinnest = THINNEST * eye.units_per_pixel(bone.head);
            let radius =
                (BONE_SHARE * length).min(THICKEST * character.size()).max(thinnest.min(0.3 * length));
            let color = tint(scene, palette, bone.joint, palette.bone);
            let alpha = if scene.selected() == Some(bone.joint) { 1.0 } else { BONE_ALPHA };
            let outline = palette.outline.extend(OUTLINE_ALPHA);
            self.solid.bone_outline(eye, (bone.head, bone.tail, radius), OUTLINE, outline);
            self.solid.bone(eye, bone.head, bone.tail, radius, color.extend(alpha));
        }
    }

    fn add_dots(
        &mut self,
        scene: &Scene,
        character: &PosedCharacter,
        eye: &ViewTransform,
        palette: &Palette,
    ) {
        let Some(skeleton) = character.skeleton() else { return };
        let mut dots = character.dots();
        let depth = |at: Vec3| (at - eye.position).dot(eye.forward());
        sort_few(&mut dots, |a, b| depth(b.1).total_cmp(&depth(a.1)));
        // On short bones dots are small, or a hand would be nothing but dots.
        let bones = character.posed_bones();
        let room = |joint: usize, at: Vec3| {
            let own = bones.iter().filter(|bone| bone.joint == joint);
            let shortest = own.map(|bone| bone.head.distance(bone.tail)).fold(f32::INFINITY, f32::min);
            DOT_SHARE * shortest / eye.units_per_pixel(at)
        };
        for (joint, at) in dots {
            let deforms = skeleton.deforms(joint);
            let is_large = scene.selected() == Some(joint) || scene.hovered() == Some(joint);
            let plain = if deforms { DOT } else { DOT_QUIET };
            let pixels = if is_large { DOT_LARGE } else { plain.min(room(joint, at)).max(DOT_SMALLEST) };
            let plain = if deforms { Vec3::ONE } else { palette.quiet };
            let color = tint(scene, palette, joint, plain);
            self.flat.dot(eye, at, pixels * 1.2 + 0.6, palette.outline.extend(0.75));
            self.flat.dot(eye, at, pixels, color.extend(1.0));
        }
    }

    /// A closed line on the skin.
    pub(super) fn add_loop(&mut self, points: &[Vec3], eye: &ViewTransform, color: Vec4, pixels: f32) {
        for (a, b) in points.iter().zip(points.iter().cycle().skip(1)) {
            self.flat.line(eye, *a, *b, pixels, color);
        }
    }

    pub(super) fn add_ring(
        &mut self,
        gizmo: &Gizmo,
        ring: Ring,
        eye: &ViewTransform,
        palette: &Palette,
        is_lit: bool,
    ) {
        let color = if is_lit { palette.ring(ring).lerp(Vec3::ONE, 0.25) } else { palette.ring(ring) };
        let (front, back) = match (ring, is_lit) {
            (Ring::View, false) => (1.5, 0.0),
            (_, false) => (3.0, 1.2),
            (_, true) => (4.5, 1.8),
        };
        // Far halves first, so that near ones cover them.
        for wants_front in [false, true] {
            for piece in 0..PIECES {
                let at = |p: usize| gizmo.point(ring, p as f32 / PIECES as f32 * TAU);
                let (a, b) = (at(piece), at(piece + 1));
                if gizmo.faces_eye(ring, a) == wants_front {
                    let (width, alpha) = if wants_front { (front, 0.95) } else { (back, 0.30) };
                    self.flat.line(eye, a, b, width, color.extend(alpha));
                }
            }
        }
    }

    /// The part of a ring's disc that was passed over.
    pub(super) fn add_sector(&mut self, turning: &Turning, eye: &ViewTransform, palette: &Palette) {
        let (gizmo, ring) = (turning.turn.gizmo(), turning.turn.ring);
        let (start, by) = (turning.turn.start, turning.radians);
        let color = if ring == Ring::View { palette.accent } else { palette.ring(ring) };
        let at = |share: f32| gizmo.point(ring, start + by * share);
        // Full turns are drawn over each other, each a little darker.
        let pieces = (by.abs() / TAU * PIECES as f32).ceil().max(1.0) as usize;
        let share = |piece: usize| piece as f32 / pieces as f32;
        for piece in 0..pieces {
            let corners = [gizmo.center, at(share(piece)), at(share(piece + 1))];
            self.flat.triangle(corners, color.extend(0.28));
        }
        let edge = |overlay: &mut Self, to: Vec3, color: Vec4| {
            overlay.flat.line(eye, gizmo.center, to, 1.5, color);
        };
        edge(self, at(0.0), color.extend(0.6));
        edge(self, at(1.0), color.extend(1.0));
    }
}

fn tint(scene: &Scene, palette: &Palette, joint: usize, plain: Vec3) -> Vec3 {
    if scene.selected() == Some(joint) {
        palette.accent
    } else if scene.hovered() == Some(joint) {
        palette.hover
    } else {
        plain
    }
}
