//! Which cells of a lattice are inside a mesh.
//!
//! Meshes of characters are open, overlap themselves and consist of loose parts: clothes, hair,
//! eyes. Each part votes by itself. Along each axis a cell is inside if the signed crossings on
//! both sides of it do not cancel; two axes of three decide, so that a tube with open ends is
//! solid. Cells that the surface touches are inside too, and so are cavities.
//! Cost: the projected area of the triangles in cells, and the boxes of the parts.

use std::collections::HashMap;

use glam::Vec3;

use crate::lattice::Lattice;

/// Offset of the rays from the middles of cells, in cells. Without it, rays through vertices of
/// meshes that are aligned with the lattice would count crossings twice or not at all.
const RAY_OFFSET: [f64; 2] = [0.000_713, 0.001_291];

/// Parts with fewer triangles enclose nothing.
const MIN_SOLID_TRIANGLES: usize = 4;

/// Distance between samples of the surface, in cells. If larger, thin sheets get holes.
const SURFACE_STEP: f32 = 0.6;

/// Whether each cell is inside. Triangles with vertices that are not finite are skipped.
pub fn inside(lattice: &Lattice, positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<bool> {
    let mut inside = solid(lattice, positions, triangles);
    for triangle in triangles {
        touch(lattice, triangle.map(|vertex| positions[vertex as usize]), &mut inside);
    }
    fill_cavities(lattice, &mut inside);
    inside
}

/// Whether the middle of each cell is inside. Unlike with [`inside`], narrow gaps stay open, and
/// sheets are not inside.
pub fn solid(lattice: &Lattice, positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<bool> {
    let mut inside = vec![false; lattice.len()];
    let corners = |triangle: &[u32; 3]| triangle.map(|vertex| positions[vertex as usize]);
    for part in parts(positions, triangles) {
        if part.len() >= MIN_SOLID_TRIANGLES {
            let part: Vec<[Vec3; 3]> = part.iter().map(|&triangle| corners(&triangles[triangle])).collect();
            fill(lattice, &part, &mut inside);
        }
    }
    inside
}

/// Triangles by loose part. Vertices at equal positions are one.
pub fn parts(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec<usize>> {
    let mut welded: HashMap<[u32; 3], u32> = HashMap::with_capacity(positions.len());
    let key = |p: Vec3| [p.x, p.y, p.z].map(|x| (x + 0.0).to_bits());
    let representative: Vec<u32> = positions
        .iter()
        .enumerate()
        .map(|(vertex, &p)| *welded.entry(key(p)).or_insert(vertex as u32))
        .collect();
    let mut parent: Vec<u32> = (0..positions.len() as u32).collect();
    fn root(parent: &mut [u32], mut vertex: u32) -> u32 {
        while parent[vertex as usize] != vertex {
            parent[vertex as usize] = parent[parent[vertex as usize] as usize];
            vertex = parent[vertex as usize];
        }
        vertex
    }
    let is_finite = |triangle: &[u32; 3]| triangle.iter().all(|&v| positions[v as usize].is_finite());
    for triangle in triangles {
        let [a, b, c] = triangle.map(|vertex| root(&mut parent, representative[vertex as usize]));
        parent[b as usize] = a;
        let c = root(&mut parent, c);
        parent[c as usize] = root(&mut parent, a);
    }
    let mut part_of: HashMap<u32, usize> = HashMap::new();
    let mut parts: Vec<Vec<usize>> = Vec::new();
    for (index, triangle) in triangles.iter().enumerate().filter(|(_, triangle)| is_finite(triangle)) {
        let root = root(&mut parent, representative[triangle[0] as usize]);
        let part = *part_of.entry(root).or_insert_with(|| {
            parts.push(Vec::new());
            parts.len() - 1
        });
        parts[part].push(index);
    }
    parts
}

/// Marks the cells that two of three axes see inside a part.
fn fill(lattice: &Lattice, part: &[[Vec3; 3]], inside: &mut [bool]) {
    let corners = || part.iter().flatten();
    let low = corners().fold(Vec3::INFINITY, |low, &p| low.min(p));
    let high = corners().fold(Vec3::NEG_INFINITY, |high, &p| high.max(p));
    let (first, last) = (lattice.cell_at(low), lattice.cell_at(high));
    let size = [0, 1, 2].map(|axis| last[axis] - first[axis] + 1);
    let local = Lattice { origin: lattice.centre(first) - 0.5 * lattice.cell, cell: lattice.cell, size };
    let mut votes = vec![0u8; local.len()];
    // One more cell, for crossings behind the last one.
    let mut windings = vec![0i32; local.len() + local.len() / size.iter().min().copied().unwrap_or(1).max(1)];
    for axis in 0..3 {
        let lines = local.len() / size[axis];
        let stride = size[axis] + 1;
        windings.clear();
        windings.resize(lines * stride, 0);
        let [a, b] = [(axis + 1) % 3, (axis + 2) % 3];
        for triangle in part {
            cross(&local, triangle, axis, |line, at, sign| {
                windings[line * stride + at] += sign;
            });
        }
        let strides = local.strides();
        for line in 0..lines {
            let crossings = &windings[line * stride..(line + 1) * stride];
            let total: i32 = crossings.iter().sum();
            let start = line % size[a] * strides[a] + line / size[a] * strides[b];
            let mut winding = 0;
            for (i, crossing) in crossings[..size[axis]].iter().enumerate() {
                winding += crossing;
                votes[start + i * strides[axis]] += u8::from(winding != 0 && winding != total);
            }
        }
    }
    for (cell, _) in votes.iter().enumerate().filter(|&(_, &votes)| votes >= 2) {
        let at = local.coordinates(cell);
        inside[lattice.index([0, 1, 2].map(|axis| first[axis] + at[axis]))] = true;
    }
}

/// Calls `found` with every line of cells along `axis` that crosses the triangle, the first cell
/// whose middle is behind the crossing, and the side that is crossed.
fn cross(lattice: &Lattice, triangle: &[Vec3; 3], axis: usize, mut found: impl FnMut(usize, usize, i32)) {
    let [a, b] = [(axis + 1) % 3, (axis + 2) % 3];
    // Coordinates in cells, shifted so that rays are at whole numbers.
    let local = |p: Vec3| {
        let q = ((p - lattice.origin) / lattice.cell).as_dvec3();
        [q[a] - 0.5 - RAY_OFFSET[0], q[b] - 0.5 - RAY_OFFSET[1], q[axis] - 0.5]
    };
    let [p, q, r] = triangle.map(local);
    let area = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
    if area == 0.0 || !area.is_finite() {
        return;
    }
    let sign = if area > 0.0 { 1 } else { -1 };
    let range = |i: usize, count: usize| {
        let low = p[i].min(q[i]).min(r[i]).ceil().max(0.0);
        let high = p[i].max(q[i]).max(r[i]).floor().min(count as f64 - 1.0);
        (low as usize, high)
    };
    let (first_a, last_a) = range(0, lattice.size[a]);
    let (first_b, last_b) = range(1, lattice.size[b]);
    if last_a < first_a as f64 || last_b < first_b as f64 {
        return;
    }
    for j in first_b..=last_b as usize {
        for i in first_a..=last_a as usize {
            let (x, y) = (i as f64, j as f64);
            let edge = |s: [f64; 3], t: [f64; 3]| (t[0] - s[0]) * (y - s[1]) - (t[1] - s[1]) * (x - s[0]);
            let (u, v, w) = (edge(q, r) / area, edge(r, p) / area, edge(p, q) / area);
            if u >= 0.0 && v >= 0.0 && w >= 0.0 {
                let depth = (u * p[2] + v * q[2] + w * r[2]).ceil();
                let at = depth.clamp(0.0, lattice.size[axis] as f64) as usize;
                found(i + lattice.size[a] * j, at, sign);
            }
        }
    }
}

/// Marks the cells that a triangle touches, by samples.
fn touch(lattice: &Lattice, [p, q, r]: [Vec3; 3], inside: &mut [bool]) {
    if !(p.is_finite() && q.is_finite() && r.is_finite()) {
        return;
    }
    let longest = p.distance(q).max(q.distance(r)).max(r.distance(p));
    let steps = (longest / (SURFACE_STEP * lattice.cell)).ceil().clamp(1.0, 4096.0) as usize;
    for i in 0..=steps {
        for j in 0..=steps - i {
            let (u, v) = (i as f32 / steps as f32, j as f32 / steps as f32);
            let point = p + (q - p) * u + (r - p) * v;
            inside[lattice.index(lattice.cell_at(point))] = true;
        }
    }
}

/// Marks the cells that cannot be reached from the border of the lattice.
fn fill_cavities(lattice: &Lattice, inside: &mut [bool]) {
    let mut is_outside = vec![false; inside.len()];
    let mut pending: Vec<usize> = Vec::new();
    let is_border = |at: [usize; 3]| (0..3).any(|axis| at[axis] == 0 || at[axis] + 1 == lattice.size[axis]);
    for cell in 0..inside.len() {
        if !inside[cell] && is_border(lattice.coordinates(cell)) {
            is_outside[cell] = true;
            pending.push(cell);
        }
    }
    let strides = lattice.strides();
    while let Some(cell) = pending.pop() {
        let at = lattice.coordinates(cell);
        for axis in 0..3 {
            let before = (at[axis] > 0).then(|| cell - strides[axis]);
            let after = (at[axis] + 1 < lattice.size[axis]).then(|| cell + strides[axis]);
            for next in [before, after].into_iter().flatten() {
                if !inside[next] && !is_outside[next] {
                    is_outside[next] = true;
                    pending.push(next);
                }
            }
        }
    }
    for (inside, is_outside) in inside.iter_mut().zip(is_outside) {
        *inside = !is_outside;
    }
}
