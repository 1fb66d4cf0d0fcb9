//! What is drawn around the character, and fields of one's own on it.

use super::changes::SharedChanges;
use super::field::Field;
use super::fit_preview::FitPreview;
use super::scene::Scene;
use super::theme::Theme;

/// Display options that all views share.
#[derive(Clone, Debug, Default)]
pub(super) struct Display {
    theme: Theme,
    hides_skeleton: bool,
    hides_grid: bool,
    field: Option<Field>,
    pub(super) fit_preview: Option<FitPreview>,
}

impl Display {
    /// Drops what belongs to one mesh.
    pub(super) fn forget_mesh(&mut self) {
        (self.field, self.fit_preview) = (None, None);
    }
}

impl Scene {
    /// Sets the field for [`super::Show::Field`]; whether it has a value for every render vertex.
    pub fn set_field(&mut self, field: Option<Field>) -> bool {
        let vertices = self.render_vertices();
        let fits = field.as_ref().is_none_or(|field| field.vertices() == vertices);
        if fits {
            self.display.field = field;
            self.change_colors();
        }
        fits
    }

    /// The field for [`super::Show::Field`].
    pub fn field(&self) -> Option<&Field> {
        self.display.field.as_ref()
    }

    /// Light or dark.
    pub fn theme(&self) -> Theme {
        self.display.theme
    }

    /// Changes to light or dark.
    pub fn set_theme(&mut self, theme: Theme) {
        self.display.theme = theme;
        self.change(SharedChanges::default());
    }

    /// Whether bones and joints are drawn.
    pub fn shows_skeleton(&self) -> bool {
        !self.display.hides_skeleton && self.shown_fit_preview().is_none()
    }

    /// Draws or hides bones and joints.
    pub fn set_shows_skeleton(&mut self, shows: bool) {
        self.display.hides_skeleton = !shows;
        self.change(SharedChanges::default());
    }

    /// Whether the grid of the ground is drawn.
    pub fn shows_grid(&self) -> bool {
        !self.display.hides_grid
    }

    /// Draws or hides the grid of the ground.
    pub fn set_shows_grid(&mut self, shows: bool) {
        self.display.hides_grid = !shows;
        self.change(SharedChanges::default());
    }
}
