//! Triangulates the polygons of a file, and warns of those that could not be.

use glam::{DVec3, Vec3};

use crate::report::{Report, Warning};

/// Triangulates the polygons of one file.
#[derive(Debug, Default)]
pub(super) struct Triangulator {
    inner: pliant_polygon::Triangulator,
    corners: Vec<DVec3>,
}

impl Triangulator {
    /// Appends the triangles of the polygon to `triangles`, as indices into `corners`.
    pub(super) fn triangulate(&mut self, corners: &[Vec3], triangles: &mut Vec<[u32; 3]>) {
        self.corners.clear();
        self.corners.extend(corners.iter().map(|corner| corner.as_dvec3()));
        self.inner.triangulate(&self.corners, triangles);
    }

    /// Warns about the polygons of a file that were not triangulated as they are: those that became
    /// fans, and `collapsed` ones, which the reader skipped.
    pub(super) fn warn(&self, place: &str, collapsed: usize, report: &mut Report) {
        let mut warn = |what: String| report.warn(Warning::File { place: place.into(), what });
        if collapsed > 0 {
            warn(format!("{collapsed} faces have fewer than three distinct corners and were skipped"));
        }
        if self.inner.fanned > 0 {
            let fanned = self.inner.fanned;
            warn(format!("{fanned} very large concave polygons were triangulated as fans and may overlap"));
        }
    }
}
