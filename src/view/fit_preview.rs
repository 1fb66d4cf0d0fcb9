//! A fitted example: the character in a shape that weights reproduce, with the error of every vertex.
//!
//! In: vertices and a field. Out: while [`Show::Fit`] is shown in the first view, these instead of the posed
//! skin. Bones are hidden meanwhile: they do not belong to this shape.

use std::sync::Arc;

use glam::Vec3;

use super::changes::ViewChanges;
use super::colors::ColorMap;
use super::field::{Field, Show};
use super::posed_character::Deformed;
use super::scene::Scene;
use crate::model::Asset;
use crate::operators::normals_of;

/// A shape that no pose of the skeleton has.
#[derive(Clone, Debug)]
pub struct FitPreview {
    /// Its vertices.
    pub shape: Arc<Deformed>,
    /// What its colours show; none for the materials.
    pub field: Option<Field>,
}

impl FitPreview {
    /// A shape of `asset`: positions of all render vertices, and how far each is from where it should be, up
    /// to `most`; no errors for the materials. None if the numbers do not fit.
    pub fn new(asset: &Asset, positions: Vec<Vec3>, errors: Vec<f32>, most: f32) -> Option<Self> {
        let vertices = asset.render.positions.len();
        if positions.len() != vertices || !(errors.is_empty() || errors.len() == vertices) {
            return None;
        }
        let solved =
            |(&render, &rest): (&u32, &Vec3)| positions.get(render as usize).copied().unwrap_or(rest);
        let solved: Vec<Vec3> =
            asset.render_from_solve().iter().zip(asset.mesh.positions()).map(solved).collect();
        // Normals of the welded mesh, so that seams do not show.
        let normals = normals_of(&solved, asset.mesh.triangles());
        let normal = |(&solve, &own): (&u32, &Vec3)| normals.get(solve as usize).copied().unwrap_or(own);
        let normals = asset.solve_from_render.iter().zip(&asset.render.normals).map(normal).collect();
        let colored = |values| Field::Scalar { values, range: (0.0, most), map: ColorMap::Sequential };
        let field = (!errors.is_empty()).then(|| colored(errors));
        Some(Self { shape: Arc::new(Deformed { positions, normals }), field })
    }
}

impl Scene {
    /// The shape that [`Show::Fit`] shows; whether it is this figure's. None for the skin as it is posed.
    pub fn set_fit_preview(&mut self, fit_preview: Option<FitPreview>) -> bool {
        let vertices = self.render_vertices();
        let fits = fit_preview.as_ref().is_none_or(|fit_preview| {
            let Deformed { positions, normals } = &*fit_preview.shape;
            let colored = fit_preview.field.as_ref().map_or(vertices, Field::vertices);
            [positions.len(), normals.len(), colored] == [vertices; 3]
        });
        if fits {
            self.display.fit_preview = fit_preview;
            self.views[0].change(ViewChanges { deformed: true, ..ViewChanges::COLORS });
        }
        fits
    }

    /// What is exhibited now.
    pub(super) fn shown_fit_preview(&self) -> Option<&FitPreview> {
        self.display.fit_preview.as_ref().filter(|_| self.views[0].show() == Show::Fit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{self, SampleCharacter};

    #[test]
    fn a_preview_needs_a_position_for_every_vertex_and_has_unit_normals() {
        let asset = samples::make(SampleCharacter::Arm, 500).unwrap().into_asset("arm");
        let positions = asset.render.positions.clone();
        assert!(FitPreview::new(&asset, positions[1..].to_vec(), Vec::new(), 1.0).is_none());
        assert!(FitPreview::new(&asset, positions.clone(), vec![0.0], 1.0).is_none());
        let preview = FitPreview::new(&asset, positions, Vec::new(), 1.0).unwrap();
        assert!(preview.field.is_none());
        assert!(preview.shape.normals.iter().all(|normal| (normal.length() - 1.0).abs() < 1e-3));
    }
}
