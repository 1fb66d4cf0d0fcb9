//! The scene on the graphics card. Everything here can be thrown away and made again from [`Scene`].
//!
//! A picture is layers drawn over each other: backdrop, character, ground, what is seen through, and the
//! overlay. A new layer is a file with a `draw` and a line in [`Gpu::draw_layers`].

mod backdrop;
pub(super) mod context;
mod convert;
mod feedback;
mod geometry;
mod ground;
mod nobody;
mod occlusion;
mod shadow;
mod sketches;
mod skin_material;
mod skinned;

use glam::{DAffine3, Vec3};
use three_d::{ClearState, Context, RenderTarget, RenderTargetMultisample, RendererError, Viewport, f24};
use web_sys::WebGl2RenderingContext;

use self::convert::View;
use self::ground::Place;
use self::occlusion::Occlusion;
use self::shadow::Shadow;
use self::sketches::{SketchMesh, Stacking};
use self::skin_material::{Images, Look, Pass, SkinMaterial, Studio};
use self::skinned::SkinnedMesh;
use super::ViewerError;
use super::camera::Eye;
use super::field::{Field, Show};
use super::figure::Figure;
use super::joints::{Influences, Skinning, joint_texels};
use super::overlay::Overlay;
use super::scene::{Changes, Scene};
use super::seams::Seams;
use super::sketch::Sketch;
use crate::model::{Asset, Part, bounds_of};

/// Samples per pixel of pictures taken off the screen.
const SAMPLES: u32 = 4;

/// The curves between regions: CSS pixels, and how much of the skin they hide.
const SEAM: f32 = 2.0;
const SEAM_ALPHA: f32 = 0.92;

/// The ground where nobody stands.
const NOWHERE: Place = Place { center: Vec3::ZERO, size: 2.0 };

/// Everything the graphics card holds.
pub(super) struct Gpu {
    context: Context,
    /// Drawn while the scene has no figure.
    nobody: Figure,
    character: Option<Character>,
    images: Images,
    shadow: Shadow,
    occlusion: Occlusion,
    bones: SketchMesh,
    handles: SketchMesh,
    field: Option<Field>,
    /// The curves between regions, while they are shown.
    seams: Option<Seams>,
    seam_sketch: Sketch,
    seam_mesh: SketchMesh,
}

struct Character {
    mesh: SkinnedMesh,
    parts: Vec<DrawnPart>,
    triangles: u32,
    place: Place,
}

struct DrawnPart {
    triangles: std::ops::Range<u32>,
    look: Look,
    /// The middle of its vertices at rest.
    center: Vec3,
}

impl Gpu {
    /// On a context that is not lost.
    pub(super) fn new(webgl2: &WebGl2RenderingContext) -> Result<Self, ViewerError> {
        let context = context::three_d_of(webgl2)?;
        Ok(Self {
            nobody: nobody::figure(),
            character: None,
            images: Images::new(&context),
            shadow: Shadow::new(&context),
            occlusion: Occlusion::new(&context),
            bones: SketchMesh::new(&context),
            handles: SketchMesh::new(&context),
            field: None,
            seams: None,
            seam_sketch: Sketch::default(),
            seam_mesh: SketchMesh::new(&context),
            context,
        })
    }

    /// Brings over what changed.
    pub(super) fn sync(&mut self, scene: &Scene, changes: &Changes) -> Result<(), ViewerError> {
        if changes.mesh {
            let place = scene.figure().map_or(NOWHERE, Place::of);
            self.character =
                Some(Character::new(&self.context, scene.figure().unwrap_or(&self.nobody), place));
        }
        if changes.textures {
            let images = scene.images().iter().map(|image| image.as_deref());
            self.images.set_images(&self.context, images);
        }
        if changes.colors {
            self.field = scene.shown_field();
            self.images.set_field(&self.context, self.field.as_ref());
        }
        if let Some(character) = &mut self.character {
            let figure = scene.figure().unwrap_or(&self.nobody);
            character.sync(scene, figure, changes, self.field.as_ref());
        }
        self.sync_seams(scene, changes);
        if changes.mesh || changes.influences || changes.pose || changes.deformed {
            let figure = self.character.as_ref().map(|c| (&c.mesh, c.triangles));
            self.shadow.draw(&self.context, figure, &self.place())?;
        }
        Ok(())
    }

    /// Curves are made when they are shown and moved when anything moves.
    fn sync_seams(&mut self, scene: &Scene, changes: &Changes) {
        let Changes { mesh, influences, pose, deformed, colors, .. } = *changes;
        let shown = scene.figure().filter(|_| scene.show() == Show::Regions);
        if mesh || influences || colors {
            self.seams = shown.and_then(Seams::new);
        }
        if let Some((seams, figure)) = self.seams.as_mut().zip(shown)
            && (mesh || influences || colors || pose || deformed)
        {
            seams.pose(figure, scene.skinning());
        }
    }

    fn place(&self) -> Place {
        self.character.as_ref().map_or(NOWHERE, |character| character.place)
    }

    /// Draws onto the canvas, `width` by `height` device pixels.
    pub(super) fn draw(&mut self, scene: &Scene, width: u32, height: u32) -> Result<(), ViewerError> {
        let (view, overlay) = self.prepare(scene, &scene.eye(), width, height)?;
        let target = RenderTarget::screen(&self.context, width, height);
        target.clear(ClearState::depth(1.0)).write(|| self.draw_layers(scene, &view))?;
        if overlay {
            target.clear(ClearState::depth(1.0)).write(|| self.draw_overlay(&view))?;
        }
        Ok(())
    }

    /// Draws off the screen: RGBA, row by row from the top.
    pub(super) fn picture(
        &mut self,
        scene: &Scene,
        eye: &Eye,
        width: u32,
        height: u32,
    ) -> Result<Vec<[u8; 4]>, ViewerError> {
        let (view, overlay) = self.prepare(scene, eye, width, height)?;
        let target = RenderTargetMultisample::<[u8; 4], f24>::new(&self.context, width, height, SAMPLES);
        target.clear(ClearState::depth(1.0)).write(|| self.draw_layers(scene, &view))?;
        if overlay {
            target.clear(ClearState::depth(1.0)).write(|| self.draw_overlay(&view))?;
        }
        Ok(target.resolve_color().as_color_target(None).read())
    }

    /// Sketches the overlay and draws the depth; whether there is anything in the overlay.
    fn prepare(
        &mut self,
        scene: &Scene,
        eye: &Eye,
        width: u32,
        height: u32,
    ) -> Result<(View, bool), ViewerError> {
        let overlay = if scene.figure().is_some() { Overlay::new(scene, eye) } else { nobody::overlay() };
        self.bones.fill(&overlay.solid);
        self.handles.fill(&overlay.flat);
        self.seam_sketch.clear();
        if let Some(seams) = &self.seams {
            let color = scene.theme().palette().seam.extend(SEAM_ALPHA);
            seams.sketch(eye, SEAM, color, &mut self.seam_sketch);
        }
        self.seam_mesh.fill(&self.seam_sketch);
        let view = View { eye: *eye, viewport: Viewport::new_at_origo(width, height) };
        let size = self.place().size;
        let parts = self.character.iter().flat_map(|character| {
            let solid = character.parts.iter().filter(|part| part.look.is_solid());
            solid.map(|part| character.mesh.part(part.triangles.clone()))
        });
        self.occlusion.draw(&self.context, &view, size, parts)?;
        Ok((view, overlay != Overlay::default()))
    }

    fn draw_layers(&self, scene: &Scene, view: &View) -> Result<(), RendererError> {
        let palette = scene.theme().palette();
        let place = self.place();
        let studio = Studio::new(&view.eye, self.field.as_ref(), place.center.y, place.size);
        backdrop::draw(&self.context, view, &palette)?;
        self.draw_character(view, &studio, Pass::Solid)?;
        self.seam_mesh.draw(view, Stacking::OnSkin)?;
        if scene.shows_grid() {
            ground::draw(&self.context, view, &place, &self.shadow, &palette)?;
        }
        self.draw_character(view, &studio, Pass::Clear)
    }

    fn draw_character(&self, view: &View, studio: &Studio, pass: Pass) -> Result<(), RendererError> {
        let Some(character) = &self.character else { return Ok(()) };
        let mut parts: Vec<&DrawnPart> = character.parts.iter().collect();
        if pass == Pass::Clear {
            // What is seen through another part must be there before it is: the farthest first.
            let distance = |part: &DrawnPart| part.center.distance_squared(view.eye.position);
            parts.retain(|part| part.look.is_blended());
            parts.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
        }
        for DrawnPart { triangles, look, .. } in parts {
            let material =
                SkinMaterial { look, images: &self.images, studio, pass, occlusion: &self.occlusion };
            let part = character.mesh.part(triangles.clone());
            three_d::render_with_material(&self.context, view, part, material, &[])?;
        }
        Ok(())
    }

    fn draw_overlay(&self, view: &View) -> Result<(), RendererError> {
        self.bones.draw(view, Stacking::Solid)?;
        self.handles.draw(view, Stacking::Flat)
    }

    /// Where the graphics card puts the vertices: the vertex shader run once more, read back.
    pub(super) fn skinned_positions(&self, scene: &Scene) -> Result<Vec<Vec3>, ViewerError> {
        let Some(figure) = scene.figure() else { return Ok(Vec::new()) };
        feedback::skinned_positions(&self.context, figure, scene.skinning()).map_err(ViewerError::Graphics)
    }
}

impl Character {
    fn new(context: &Context, figure: &Figure, place: Place) -> Self {
        let asset = figure.asset();
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

    fn sync(&mut self, scene: &Scene, figure: &Figure, changes: &Changes, field: Option<&Field>) {
        if changes.mesh || changes.influences {
            let standing = || Influences::standing(figure.asset().render.positions.len());
            self.mesh
                .set_influences(&figure.rig().map_or_else(standing, |rig| Influences::new(rig.weights())));
        }
        if changes.mesh || changes.influences || changes.pose {
            self.mesh.set_joints(&texels_of(figure, scene.skinning()), scene.skinning());
        }
        if changes.mesh || changes.deformed {
            self.mesh.set_deformed(figure.deformed());
        }
        if changes.mesh || changes.colors {
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
fn texels_of(figure: &Figure, skinning: Skinning) -> Vec<[f32; 4]> {
    let Some((_, skeleton)) = figure.rig().zip(figure.skeleton()) else {
        return joint_texels(&[DAffine3::IDENTITY], &[Vec3::ZERO], skinning);
    };
    let heads: Vec<Vec3> = skeleton.joints().iter().map(|joint| joint.head()).collect();
    joint_texels(&figure.posed_from_rest(), &heads, skinning)
}
