//! One half of the picture, or all of it: the character as one rig moves it, with its colours, curves and shadow.

use glam::{DAffine3, Vec3};
use three_d::{Context, RendererError};

use super::backdrop;
use super::convert::View;
use super::ground::{self, Place};
use super::occlusion::Occlusion;
use super::overlay_meshes::{GpuOverlayMesh, Stacking};
use super::shadow::Shadow;
use super::skin_material::{Images, Look, Pass, SkinMaterial, Studio};
use super::skinned::SkinnedMesh;
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
const SEAM: f32 = 2.0;
const SEAM_ALPHA: f32 = 0.92;

/// The ground where nobody stands.
pub(super) const NOWHERE: Place = Place { center: Vec3::ZERO, size: 2.0 };

/// What the graphics card holds for one half.
pub(super) struct ViewPass {
    context: Context,
    character: Option<Character>,
    field: Option<Field>,
    shadow: Shadow,
    /// The curves between regions, while they are shown.
    seams: Option<RegionCurves>,
    seam_sketch: OverlayMesh,
    seam_mesh: GpuOverlayMesh,
}

struct Character {
    mesh: SkinnedMesh,
    parts: Vec<DrawnPart>,
    triangles: u32,
    place: Place,
}

#[derive(Clone)]
struct DrawnPart {
    triangles: std::ops::Range<u32>,
    look: Look,
    /// The middle of its vertices at rest.
    center: Vec3,
}

/// What all halves are drawn with.
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
            seams: None,
            seam_sketch: OverlayMesh::default(),
            seam_mesh: GpuOverlayMesh::new(context),
            context: context.clone(),
        }
    }

    /// The same character once more; its vertices are there only once.
    pub(super) fn beside(other: &Self) -> Self {
        Self { character: other.character.as_ref().map(Character::beside), ..Self::new(&other.context) }
    }

    /// Takes another character, and where it stands.
    pub(super) fn set_character(&mut self, character: &PosedCharacter, place: Place) {
        self.character = Some(Character::new(&self.context, character, place));
    }

    /// Brings over what changed.
    pub(super) fn sync(
        &mut self,
        scene: &Scene,
        shown: ShownView<'_>,
        shared: &SharedChanges,
        changes: &ViewChanges,
    ) -> Result<(), RendererError> {
        if changes.colors {
            self.field = scene.field_of(shown);
        }
        if let Some(character) = &mut self.character {
            character.sync(shown, shared, changes, self.field.as_ref());
        }
        self.sync_seams(shown, shared, changes);
        if shared.mesh || shared.pose || changes.moves_vertices() {
            let character = self.character.as_ref().map(|c| (&c.mesh, c.triangles));
            self.shadow.draw(&self.context, character, &self.place())?;
        }
        Ok(())
    }

    /// Curves are made when they are shown and moved when anything moves.
    fn sync_seams(&mut self, shown: ShownView<'_>, shared: &SharedChanges, changes: &ViewChanges) {
        let shown = Some(shown).filter(|shown| shown.view.show() == Show::Regions);
        let is_new = shared.mesh || changes.influences || changes.colors;
        if is_new {
            self.seams = shown.and_then(RegionCurves::new);
        }
        if let Some((seams, shown)) = self.seams.as_mut().zip(shown)
            && (is_new || shared.pose || changes.moves_vertices())
        {
            seams.pose(shown);
        }
    }

    /// Where the ground is.
    pub(super) fn place(&self) -> Place {
        self.character.as_ref().map_or(NOWHERE, |character| character.place)
    }

    /// Sketches what depends on the camera, and draws how open the skin is to the light.
    pub(super) fn prepare(
        &mut self,
        scene: &Scene,
        view: &View,
        occlusion: &mut Occlusion,
    ) -> Result<(), RendererError> {
        self.sketch_seams(scene, &view.eye);
        let parts = self.character.iter().flat_map(|character| {
            let solid = character.parts.iter().filter(|part| part.look.is_solid());
            solid.map(|part| character.mesh.part(part.triangles.clone()))
        });
        occlusion.draw(&self.context, view, self.place().size, parts)
    }

    fn sketch_seams(&mut self, scene: &Scene, eye: &ViewTransform) {
        self.seam_sketch.clear();
        if let Some(seams) = &self.seams {
            let color = scene.theme().palette().seam.extend(SEAM_ALPHA);
            seams.sketch(eye, SEAM, color, &mut self.seam_sketch);
        }
        self.seam_mesh.fill(&self.seam_sketch);
    }

    /// Draws every layer but the overlay.
    pub(super) fn draw(&self, brush: &Brush<'_>) -> Result<(), RendererError> {
        let Brush { scene, view, .. } = *brush;
        let palette = scene.theme().palette();
        let place = self.place();
        let studio = Studio::new(&view.eye, self.field.as_ref(), place.center.y, place.size);
        backdrop::draw(&self.context, view, &palette)?;
        self.draw_character(brush, &studio, Pass::Solid)?;
        self.seam_mesh.draw(view, Stacking::OnSkin)?;
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
            triangles: asset.render.triangles.len() as u32,
            place,
        }
    }

    fn beside(other: &Self) -> Self {
        let Self { triangles, place, .. } = *other;
        Self { mesh: SkinnedMesh::beside(&other.mesh), parts: other.parts.clone(), triangles, place }
    }

    fn sync(
        &mut self,
        shown: ShownView<'_>,
        shared: &SharedChanges,
        changes: &ViewChanges,
        field: Option<&Field>,
    ) {
        let ShownView { character, view, .. } = shown;
        if shared.mesh || changes.influences {
            let standing = || Influences::standing(character.asset().render.positions.len());
            self.mesh.set_influences(&view.rig().map_or_else(standing, |rig| Influences::new(rig.weights())));
        }
        if shared.mesh || shared.pose || changes.influences || changes.skinning {
            self.mesh.set_joints(&texels_of(shown), view.skinning());
        }
        // After the joints: how they are blended tells which shader draws.
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
