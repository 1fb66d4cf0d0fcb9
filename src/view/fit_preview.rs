//! The character in a shape that no pose of its skeleton gives it, with what is known of every vertex there.
//!
//! In: vertices and a field. Out: while [`Show::Fit`] is shown, these instead of the posed skin; bones are not drawn, for they
//! stand elsewhere. Cost: what drawing other vertices costs, once.

use std::sync::Arc;

use super::changes::ViewChanges;
use super::field::{Field, Show};
use super::posed_character::Deformed;
use super::scene::Scene;

/// A shape to look at.
#[derive(Clone, Debug)]
pub struct FitPreview {
    /// Its vertices.
    pub shape: Arc<Deformed>,
    /// What its colours show; none for the materials.
    pub field: Option<Field>,
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
