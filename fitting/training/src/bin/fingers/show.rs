//! Contact sheets of hands.

use glam::Vec3;

use crate::characters::Character;
use crate::{Hand, curl, pose};

/// Writes contact sheets: hands along the forearm, centre lines, joints, and labels in red.
pub fn show(hands: &[Hand], characters: &[Character], (pose, degrees): (usize, f32), path: &str) {
    const SIZE: usize = 200;
    const COLUMNS: usize = 10;
    const ROWS: usize = 8;
    let colours = [[255, 210, 60], [90, 220, 90], [80, 200, 255], [190, 130, 255], [255, 140, 220]];
    for (sheet, page) in hands.chunks(COLUMNS * ROWS).enumerate() {
        let mut pixels = vec![[24u8; 3]; COLUMNS * SIZE * ROWS * SIZE];
        for (tile, hand) in page.iter().enumerate() {
            let Some(character) = characters.iter().find(|character| character.file == hand.file) else {
                continue;
            };
            let mut changes =
                pose::judged()[pose].1.map(|limbs| pose::hold(character, [limbs; 2])).unwrap_or_default();
            changes.extend(curl(character, degrees));
            let positions = pose::apply(character, &changes).positions;
            let along = (hand.wrist - hand.elbow).normalize_or(Vec3::X);
            let scale = SIZE as f32 / (1.45 * hand.length.max(0.03));
            let reach = 1.3 * hand.length.max(0.03);
            let mut points = Vec::new();
            for triangle in &character.triangles {
                let [p, q, r] = triangle.map(|v| positions[v as usize]);
                if [p, q, r].iter().all(|p| p.distance(hand.wrist) > reach) {
                    continue;
                }
                let normal = (q - p).cross(r - p).normalize_or_zero();
                let longest = p.distance(q).max(q.distance(r)).max(r.distance(p));
                let steps = ((longest * scale * 1.5).ceil() as usize).clamp(1, 400);
                for i in 0..=steps {
                    for j in 0..=steps - i {
                        let (u, v) = (i as f32 / steps as f32, j as f32 / steps as f32);
                        let point = p + (q - p) * u + (r - p) * v;
                        if (point - hand.wrist).dot(along) > -0.3 * hand.length
                            && point.distance(hand.wrist) < reach
                        {
                            points.push((point, normal));
                        }
                    }
                }
            }
            // The wider side is shown.
            let first = along.cross(Vec3::Z).normalize_or(Vec3::Y);
            let second = along.cross(first);
            let extent = |axis: Vec3| {
                let values = points.iter().map(|(p, _)| (*p - hand.wrist).dot(axis));
                values.clone().fold(0.0, f32::max) - values.fold(0.0, f32::min)
            };
            let across = if extent(first) > extent(second) { first } else { second };
            let depth = along.cross(across);
            let (left, top) = (tile % COLUMNS * SIZE, tile / COLUMNS * SIZE);
            let mut depths = vec![f32::NEG_INFINITY; SIZE * SIZE];
            let place = |p: Vec3| {
                let offset = p - hand.wrist;
                let x = offset.dot(along) * scale + 0.2 * SIZE as f32;
                let y = 0.5 * SIZE as f32 - offset.dot(across) * scale;
                let is_in = x >= 0.0 && y >= 0.0 && x < SIZE as f32 - 1.0 && y < SIZE as f32 - 1.0;
                is_in.then_some((x as usize, y as usize))
            };
            for &(p, normal) in &points {
                let Some((x, y)) = place(p) else { continue };
                let near = (p - hand.wrist).dot(depth);
                if near > depths[y * SIZE + x] {
                    depths[y * SIZE + x] = near;
                    let shade = 60 + (110.0 * normal.dot(depth).abs()) as u8;
                    pixels[(top + y) * COLUMNS * SIZE + left + x] = [shade; 3];
                }
            }
            let mut dot = |p: Vec3, radius: i32, colour: [u8; 3]| {
                let Some((x, y)) = place(p) else { return };
                for dy in -radius..=radius {
                    for dx in -radius..=radius {
                        let (x, y) = (x as i32 + dx, y as i32 + dy);
                        if (0..SIZE as i32).contains(&x) && (0..SIZE as i32).contains(&y) {
                            pixels[(top + y as usize) * COLUMNS * SIZE + left + x as usize] = colour;
                        }
                    }
                }
            };
            for finger in &hand.found {
                for i in 0..=100 {
                    dot(finger.line.at(i as f32 / 100.0), 0, colours[finger.kind]);
                }
                for &joint in &finger.joints()[..3] {
                    dot(joint, 2, colours[finger.kind]);
                }
            }
            for &label in hand.labels.iter().flatten().filter(|p| p.is_finite()) {
                dot(label, 1, [255, 40, 40]);
            }
            dot(hand.wrist, 2, [255, 255, 255]);
            for count in 0..hand.separate {
                for i in 0..16 {
                    let at = (top + 4 + i % 4) * COLUMNS * SIZE + left + 4 + count * 6 + i / 4;
                    pixels[at] = [255, 40, 40];
                }
            }
            for x in 0..SIZE {
                pixels[top * COLUMNS * SIZE + left + x] = [80; 3];
                pixels[(top + x) * COLUMNS * SIZE + left] = [80; 3];
            }
            println!(
                "sheet {sheet} row {} column {}: {} {}",
                tile / COLUMNS,
                tile % COLUMNS,
                hand.file,
                hand.side
            );
        }
        let mut out = format!("P6 {} {} 255\n", COLUMNS * SIZE, ROWS * SIZE).into_bytes();
        out.extend(pixels.into_iter().flatten());
        std::fs::write(format!("{path}-{pose}-{sheet}.ppm"), out).expect("the folder is writable");
    }
}
