//! A picture of the whole body: how thick it is, seen from the front and from the side.

use glam::Vec3;

use crate::body::Body;

/// Rows of both pictures, over the height.
const ROWS: usize = 24;
/// Columns of the front view, and its half width in heights.
const FRONT: (usize, f32) = (24, 0.75);
/// Columns of the side view, and its half width in heights.
const SIDE: (usize, f32) = (14, 0.42);

/// Numbers in a profile.
pub const LENGTH: usize = ROWS * (FRONT.0 + SIDE.0);

/// The centroid of the cells of a body, at the height zero.
pub fn centroid(body: &Body) -> Vec3 {
    let (mut sum, mut count) = (Vec3::ZERO, 0.0f32);
    for cell in (0..body.lattice.len()).filter(|&cell| body.is_inside(cell)) {
        sum += body.lattice.centre(body.lattice.coordinates(cell));
        count += 1.0;
    }
    let mean = sum / count.max(1.0);
    Vec3::new(mean.x, 0.0, mean.z)
}

/// The profile of a body around its centroid. With `mirrored`, of the body reflected in x.
pub fn profile(body: &Body, centroid: Vec3, mirrored: bool) -> Vec<f32> {
    let mut out = vec![0.0; LENGTH];
    let cell = body.lattice.cell;
    // A picture element of the front view covers so many cells; then 1 is a body 1 unit deep.
    let share = |(columns, half): (usize, f32)| {
        cell.powi(3) / ((1.0 / ROWS as f32) * (2.0 * half / columns as f32)) * 10.0
    };
    let (front_share, side_share) = (share(FRONT), share(SIDE));
    let column = |x: f32, (columns, half): (usize, f32)| {
        (((x / half + 1.0) * 0.5 * columns as f32).max(0.0) as usize).min(columns - 1)
    };
    for cell in (0..body.lattice.len()).filter(|&cell| body.is_inside(cell)) {
        let at = body.lattice.centre(body.lattice.coordinates(cell)) - centroid;
        let row = ((at.y * ROWS as f32).max(0.0) as usize).min(ROWS - 1);
        let x = if mirrored { -at.x } else { at.x };
        out[row * FRONT.0 + column(x, FRONT)] += front_share;
        out[ROWS * FRONT.0 + row * SIDE.0 + column(at.z, SIDE)] += side_share;
    }
    // Thin limbs count for more than their share of the volume.
    out.iter_mut().for_each(|value| *value = value.sqrt());
    out
}
