//! The render passes of one view: the character with its colours, boundary curves and shadow.

use glam::{DAffine3, Vec3};
use three_d::{Context, RendererError};

use super::backdrop;
use super::convert::View;
use super::ground::{self, Place};
use super::occlusion::Occlusion;
use super::overlay_meshes::{GpuOverlayMesh, Stacking};
use super::shadow::Shadow;
use super::skin_material::{Images, Look, Pass, SkinMaterial, Studio};
use super::skinned::{Part as MeshPart, SkinnedMesh};
use crate::math::sort_few;
use crate::model::{Asset, Part, bounds_of};
use crate::view::camera::ViewTransform;
use crate::view::changes::{SharedChanges, ViewChanges};
use crate::view::field::{Field, Show};
use crate::view::joints::{Influences, joint_texels};
use crate::view::overlay_mesh::OverlayMesh;
use crate::view::posed_character::PosedCharacter;
use crate::view::region_curves::RegionCurves;
use crate::view::scene::Scene;
use crate::view::views::ShownView;

/// The curves between regions: CSS pixels, and how much of the skin they hide.
const CURVE_WIDTH: f32 = 2.0;
const CURVE_ALPHA: f32 = 0.92;

/// The ground without a character.
pub(super) const NOWHERE: Place = Place { center: Vec3::ZERO, size: 2.0 };

/// What is on the GPU for one view.
pub(super) struct ViewPass {
    context: Context,
    character: Option<Character>,
    field: Option<Field>,
    shadow: Shadow,
    /// The curves between regions, while they are shown.
    curves: Option<RegionCurves>,
    curve_overlay: OverlayMesh,
    curve_mesh: GpuOverlayMesh,
}

struct Character {
    mesh: SkinnedMesh,
    parts: Vec<DrawnPart>,
    place: Place,
    /// Which rest shape is on the GPU ([`PosedCharacter::rest_changes`]).
    rest_changes: u32,
}

#[derive(Clone)]
struct DrawnPart {
    triangles: std::ops::Range<u32>,
    look: Look,
    /// The middle of its vertices at rest.
    center: Vec3,
}

/// What all views are drawn with.
pub(super) struct Brush<'a> {
    pub(super) scene: &'a Scene,
    pub(super) view: &'a View,
    pub(super) images: &'a Images,
    pub(super) occlusion: &'a Occlusion,
}

impl ViewPass {
    /// Empty.
    pub(super) fn new(context: &Context) -> Self {
        Self {
            character: None,
            field: None,
            shadow: Shadow::new(context),
            curves: None,
            curve_overlay: OverlayMesh::default(),
            curve_mesh: GpuOverlayMesh::new(context),
            context: context.clone(),
        }
    }

    /// The same character once more; its vertices are there only once.
    pub(super) fn beside(other: &Self) -> Self {
        Self { character: other.character.as_ref().map(Character::beside), ..Self::new(&other.context) }
    }

    /// Replaces the character and its ground.
    pub(super) fn set_character(&mut self, character: &PosedCharacter, place: Place) {
        self.character = Some(Character::new(&self.context, character, place));
    }

    /// Copies to the GPU what changed.
    pub(super) fn sync(
        &mut self,
        scene: &Scene,
        shown: ShownView<'_>,
        shared: &SharedChanges,
        changes: &ViewChanges,
        images: &Images,
    ) -> Result<(), RendererError> {
        if changes.colors {
            self.field = scene.field_of(shown);
        }
        if let Some(character) = &mut self.character {
            character.sync(shown, shared, changes, self.field.as_ref());
        }
        self.sync_curves(shown, shared, changes);
        let has_cutouts = self.character.as_ref().is_some_and(Character::has_cutouts);
        if shared.mesh || shared.pose || changes.moves_vertices() || (shared.textures && has_cutouts) {
            self.shadow.draw(&self.context, &self.place(), images, self.parts())?;
        }
        Ok(())
    }

    /// All parts of the character.
    fn parts(&self) -> impl Iterator<Item = (MeshPart<'_>, &Look)> {
        self.character.iter().flat_map(|character| {
            let parts = character.parts.iter();
            parts.map(|part| (character.mesh.part(part.triangles.clone()), &part.look))
        })
    }

    /// Curves are made when they are shown and moved when anything moves.
    fn sync_curves(&mut self, shown: ShownView<'_>, shared: &SharedChanges, changes: &ViewChanges) {
        let shown = Some(shown).filter(|shown| shown.view.show() == Show::Regions);
        let is_new = shared.mesh || changes.influences || changes.colors;
        if is_new {
            self.curves = shown.and_then(RegionCurves::new);
        }
        if let Some((curves, shown)) = self.curves.as_mut().zip(shown)
            && (is_new || shared.pose || changes.moves_vertices())
        {
            curves.pose(shown);
        }
    }

    /// Where the ground is.
    pub(super) fn place(&self) -> Place {
        self.character.as_ref().map_or(NOWHERE, |character| character.place)
    }

    /// Draws curves for the camera, and ambient occlusion.
    pub(super) fn prepare(
        &mut self,
        scene: &Scene,
        view: &View,
        images: &Images,
        occlusion: &mut Occlusion,
    ) -> Result<(), RendererError> {
        self.draw_curves(scene, &view.eye);
        occlusion.draw(&self.context, view, self.place().size, images, self.parts())
    }

    fn draw_curves(&mut self, scene: &Scene, eye: &ViewTransform) {
        self.curve_overlay.clear();
        if let Some(curves) = &self.curves {
            let color = scene.theme().palette().curve.extend(CURVE_ALPHA);
            curves.sketch(eye, CURVE_WIDTH, color, &mut self.curve_overlay);
        }
        self.curve_mesh.fill(&self.curve_overlay);
    }

    /// Draws every layer but the overlay.
    pub(super) fn draw(&self, brush: &Brush<'_>) -> Result<(), RendererError> {
        let Brush { scene, view, .. } = *brush;
        let palette = scene.theme().palette();
        let place = self.place();
        let studio = Studio::new(&view.eye, self.field.as_ref(), place.center.y, place.size);
        backdrop::draw(&self.context, view, &palette)?;
        self.draw_character(brush, &studio, Pass::Solid)?;
        self.curve_mesh.draw(view, Stacking::OnSkin)?;
        if scene.shows_grid() {
            ground::draw(&self.context, view, &place, &self.shadow, &palette)?;
        }
        self.draw_character(brush, &studio, Pass::Clear)
    }

    fn draw_character(&self, brush: &Brush<'_>, studio: &Studio, pass: Pass) -> Result<(), RendererError> {
        let Some(character) = &self.character else { return Ok(()) };
        let Brush { view, images, occlusion, .. } = *brush;
        let mut parts: Vec<&DrawnPart> = character.parts.iter().collect();
        if pass == Pass::Clear {
            // What is seen through another part must be there before it is: the farthest first.
            let distance = |part: &DrawnPart| part.center.distance_squared(view.eye.position);
            parts.retain(|part| part.look.is_blended());
            sort_few(&mut parts, |a, b| distance(b).total_cmp(&distance(a)));
        }
        for DrawnPart { triangles, look, .. } in parts {
            let material = SkinMaterial { look, images, studio, pass, occlusion };
            let part = character.mesh.part(triangles.clone());
            three_d::render_with_material(&self.context, view, part, material, &[])?;
        }
        Ok(())
    }
}

impl Character {
    fn new(context: &Context, character: &PosedCharacter, place: Place) -> Self {
        let asset = character.asset();
        let looks = Look::of_parts(asset);
        Self {
            mesh: SkinnedMesh::new(context, &asset.render),
            parts: asset
                .render
                .parts
                .iter()
                .zip(looks)
                .map(|(part, look)| DrawnPart::new(asset, part, look))
                .collect(),
            place,
            rest_changes: 0,
        }
    }

    fn beside(other: &Self) -> Self {
        let Self { parts, place, rest_changes, .. } = other;
        let mesh = SkinnedMesh::beside(&other.mesh);
        Self { mesh, parts: parts.clone(), place: *place, rest_changes: *rest_changes }
    }

    fn has_cutouts(&self) -> bool {
        self.parts.iter().any(|part| part.look.has_cutouts())
    }

    fn sync(
        &mut self,
        shown: ShownView<'_>,
        shared: &SharedChanges,
        changes: &ViewChanges,
        field: Option<&Field>,
    ) {
        let ShownView { character, view, index } = shown;
        // The first view fills the vertices of all.
        if index == 0 && self.rest_changes != character.rest_changes() {
            self.mesh.set_rest(character.rest());
            self.rest_changes = character.rest_changes();
        }
        if shared.mesh || changes.influences {
            let at_rest = || Influences::rigid(character.asset().render.positions.len());
            self.mesh.set_influences(&view.rig().map_or_else(at_rest, |rig| Influences::new(rig.weights())));
        }
        if shared.mesh || shared.pose || changes.influences || changes.skinning {
            self.mesh.set_joints(&texels_of(shown), view.skinning());
        }
        // After the joints: the skinning decides which shader draws.
        if shared.mesh || changes.deformed {
            self.mesh.set_deformed(view.deformed());
        }
        if shared.mesh || changes.colors {
            self.mesh.set_field(field);
        }
    }
}

impl DrawnPart {
    fn new(asset: &Asset, part: &Part, look: Look) -> Self {
        let vertices = part.vertices.start as usize..part.vertices.end as usize;
        let (low, high) = bounds_of(&asset.render.positions[vertices]);
        Self { triangles: part.triangles.clone(), look, center: low.midpoint(high) }
    }
}

/// The joints as the shader reads them. Without weights nothing moves, whatever the skeleton does.
fn texels_of(shown: ShownView<'_>) -> Vec<[f32; 4]> {
    let skinning = shown.view.skinning();
    let Some((_, skeleton)) = shown.view.rig().zip(shown.skeleton()) else {
        return joint_texels(&[DAffine3::IDENTITY], &[Vec3::ZERO], skinning);
    };
    let heads: Vec<Vec3> = skeleton.joints().iter().map(|joint| joint.head()).collect();
    joint_texels(&shown.posed_from_rest(), &heads, skinning)
}
