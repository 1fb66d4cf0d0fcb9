//! The character in a shape that no pose of its skeleton gives it, with what is known of every vertex there.
//!
//! In: vertices and a field. Out: while [`Show::Fit`] is shown, these instead of the posed skin; bones are not drawn, for they
//! stand elsewhere. Cost: what drawing other vertices costs, once.

use std::sync::Arc;

use super::field::{Field, Show};
use super::figure::Deformed;
use super::scene::{Changes, Scene};

/// A shape to look at.
#[derive(Clone, Debug)]
pub struct Exhibit {
    /// Its vertices.
    pub shape: Arc<Deformed>,
    /// What its colours show; none for the materials.
    pub field: Option<Field>,
}

impl Scene {
    /// The shape that [`Show::Fit`] shows; whether it is this figure's. None for the skin as it is posed.
    pub fn set_exhibit(&mut self, exhibit: Option<Exhibit>) -> bool {
        let vertices = self.figure().map_or(0, |figure| figure.asset().render.positions.len());
        let fits = exhibit.as_ref().is_none_or(|exhibit| {
            let Deformed { positions, normals } = &*exhibit.shape;
            let colored = exhibit.field.as_ref().map_or(vertices, Field::vertices);
            [positions.len(), normals.len(), colored] == [vertices; 3]
        });
        if fits {
            self.exhibit = exhibit;
            self.change(Changes { deformed: true, colors: true, ..Changes::default() });
        }
        fits
    }

    /// What is exhibited now.
    pub(super) fn exhibited(&self) -> Option<&Exhibit> {
        self.exhibit.as_ref().filter(|_| self.show() == Show::Fit)
    }
}
