//! Pictures of bodies, to look at.

use glam::Vec3;

use crate::dataset::Sample;

/// Writes a contact sheet of bodies with their joints, from the front.
pub fn contact_sheet(samples: &[Sample], path: &str) {
    let (columns, rows, size) = (12, 6, 128);
    let mut pixels = vec![0u8; columns * size * rows * size];
    let step = (samples.len() / (columns * rows)).max(1);
    for (index, sample) in samples.iter().step_by(step).take(columns * rows).enumerate() {
        let (left, top) = (index % columns * size, index / columns * size);
        let mut put = |p: Vec3, value: u8, adds: bool| {
            let (x, y) = ((p.x + 0.66) * 0.75 * size as f32, (1.05 - p.y) * 0.9 * size as f32);
            if x >= 0.0 && y >= 0.0 && (x as usize) < size && (y as usize) < size {
                let at = &mut pixels[(top + y as usize) * columns * size + left + x as usize];
                *at = if adds { at.saturating_add(value).min(150) } else { value };
            }
        };
        let lattice = &sample.body.lattice;
        for cell in (0..lattice.len()).filter(|&cell| sample.body.is_inside(cell)) {
            put(lattice.centre(lattice.coordinates(cell)), 6, true);
        }
        for &joint in sample.joints.iter().filter(|joint| !joint.is_nan()) {
            for offset in [Vec3::ZERO, Vec3::X, -Vec3::X, Vec3::Y, -Vec3::Y] {
                put(joint + offset * 0.009, 255, false);
            }
        }
    }
    let mut file = format!("P5 {} {} 255\n", columns * size, rows * size).into_bytes();
    file.extend(pixels);
    std::fs::write(path, file).expect("the picture can be written");
}
