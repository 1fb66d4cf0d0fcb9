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

/// The profiles of the body after half a turn about the vertical, from those of the body and of its
/// mirrored twin.
pub fn turned([plain, mirrored]: &[Vec<f32>; 2]) -> [Vec<f32>; 2] {
    // To the back, left and right change sides in the front view, front and rear in the side view.
    [mirrored, plain].map(|seen| {
        let mut out = seen.clone();
        out[ROWS * FRONT.0..].chunks_exact_mut(SIDE.0).for_each(<[f32]>::reverse);
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facing::HALF_TURN;
    use crate::lattice::Lattice;

    #[test]
    fn the_profile_of_a_turned_body_follows_from_that_of_the_body() {
        let lattice = Lattice { origin: Vec3::new(-0.31, 0.0, -0.22), cell: 0.013, size: [50, 70, 40] };
        let inside: Vec<bool> = (0..lattice.len()).map(|cell| cell % 7 == 3 || cell % 11 == 5).collect();
        let body = Body::of_cells(lattice, &inside);
        let profiles = |body: &Body| [false, true].map(|mirrored| profile(body, centroid(body), mirrored));
        let there = profiles(&body.turned(&HALF_TURN));
        for (a, b) in there.iter().flatten().zip(turned(&profiles(&body)).iter().flatten()) {
            assert!((a - b).abs() < 1e-3, "{a} {b}");
        }
    }
}
