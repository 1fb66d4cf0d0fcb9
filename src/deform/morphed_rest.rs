//! The rest shape with morph targets applied, before skinning.
//!
//! In: an [`Asset`] with morph targets, one weight per target. Out: positions `p̄ + Σ w_k Δ_k` and
//! unit normals along `n̄ + Σ w_k δ_k` (docs/theory/skinning.md#morph-targets). The displacements
//! `δ_k` of normals come from the file. If a target has none, they are the difference of the vertex
//! normals with and without the target. Cost: proportional to the displacements of the targets with
//! a weight now or before; nothing if the weights are the same. An asset without targets needs no
//! memory.

use glam::{Vec3, Vec3A};

use super::Rest;
use super::render_scatter::rotated;
use crate::model::Asset;

/// The rest shape of one asset with its morph targets.
#[derive(Clone, Debug, Default)]
pub struct MorphedRest {
    /// The weights that are applied; empty before the first.
    weights: Vec<f32>,
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    /// By target: displacements of normals that the file does not have, once they are needed.
    computed: Vec<Option<Vec<(u32, Vec3)>>>,
}

impl MorphedRest {
    /// Applies one weight per morph target of `asset`, which must be the same in every call.
    /// Missing weights are zero. Whether the shape changed.
    pub fn set_weights(&mut self, asset: &Asset, weights: &[f32]) -> bool {
        let targets = asset.morph_targets.len();
        let weight = |target: usize| weights.get(target).copied().filter(|w| w.is_finite()).unwrap_or(0.0);
        let is_same = |(target, &applied): (usize, &f32)| applied == weight(target);
        if self.weights.is_empty() && (0..targets).all(|target| weight(target) == 0.0)
            || !self.weights.is_empty() && self.weights.iter().enumerate().all(is_same)
        {
            return false;
        }
        if self.weights.is_empty() {
            self.positions.clone_from(&asset.render.positions);
            self.normals.clone_from(&asset.render.normals);
            self.weights = vec![0.0; targets];
            self.computed = vec![None; targets];
        }
        for target in (0..targets).filter(|&target| self.weights[target] != 0.0) {
            for vertex in touched(asset, &self.computed, target) {
                self.positions[vertex] = asset.render.positions[vertex];
                self.normals[vertex] = asset.render.normals[vertex];
            }
        }
        for target in 0..targets {
            self.weights[target] = weight(target);
            if weight(target) != 0.0 {
                self.add(asset, target, weight(target));
            }
        }
        for target in (0..targets).filter(|&target| self.weights[target] != 0.0) {
            for vertex in touched(asset, &self.computed, target) {
                let normal = self.normals[vertex].try_normalize();
                self.normals[vertex] = normal.unwrap_or(asset.render.normals[vertex]);
            }
        }
        true
    }

    /// Whether a target had a weight, so that the shape is not that of the asset.
    pub fn is_morphed(&self) -> bool {
        !self.weights.is_empty()
    }

    /// The shape before skinning: that of the asset until a target has a weight.
    pub fn rest<'a>(&'a self, asset: &'a Asset) -> Rest<'a> {
        if self.weights.is_empty() {
            return Rest { positions: &asset.render.positions, normals: &asset.render.normals };
        }
        Rest { positions: &self.positions, normals: &self.normals }
    }

    fn add(&mut self, asset: &Asset, target: usize, weight: f32) {
        let targets = &asset.morph_targets;
        let range = targets.range(target);
        let has_normals = targets.normals[range.clone()].iter().any(|normal| *normal != Vec3::ZERO);
        for entry in range {
            let vertex = targets.vertices[entry] as usize;
            self.positions[vertex] += targets.positions[entry] * weight;
            self.normals[vertex] += targets.normals[entry] * weight;
        }
        if !has_normals {
            let computed = self.computed[target].get_or_insert_with(|| normal_displacements(asset, target));
            for &(vertex, normal) in &*computed {
                self.normals[vertex as usize] += normal * weight;
            }
        }
    }
}

/// The render vertices that a target displaces, or whose normals it changes.
fn touched<'a>(
    asset: &'a Asset,
    computed: &'a [Option<Vec<(u32, Vec3)>>],
    target: usize,
) -> impl Iterator<Item = usize> + 'a {
    let targets = &asset.morph_targets;
    let displaced = targets.vertices[targets.range(target)].iter().copied();
    let others = computed[target].iter().flatten().map(|&(vertex, _)| vertex);
    displaced.chain(others).map(|vertex| vertex as usize)
}

/// The changes of the normals of all render vertices around those that a target displaces, at
/// weight 1: the rotation from the vertex normal at rest to the one with the target. Vertices at
/// seams have the normal of their solve vertex.
fn normal_displacements(asset: &Asset, target: usize) -> Vec<(u32, Vec3)> {
    let (render, targets) = (&asset.render, &asset.morph_targets);
    let solved = asset.mesh.positions().len();
    let key = |vertex: u32| match asset.solve_from_render[vertex as usize] {
        Asset::NOT_SOLVED => solved + vertex as usize,
        solve => solve as usize,
    };
    let mut displaced = render.positions.clone();
    let mut is_near = vec![false; solved + render.positions.len()];
    for entry in targets.range(target) {
        let vertex = targets.vertices[entry];
        displaced[vertex as usize] += targets.positions[entry];
        is_near[key(vertex)] = true;
    }
    let is_moved = is_near.clone();
    for corners in &render.triangles {
        if corners.iter().any(|&corner| is_moved[key(corner)]) {
            corners.iter().for_each(|&corner| is_near[key(corner)] = true);
        }
    }
    // Area vectors around a vertex at rest and with the target.
    let mut areas = vec![[Vec3A::ZERO; 2]; is_near.len()];
    for corners in render.triangles.iter().filter(|corners| corners.iter().any(|&c| is_near[key(c)])) {
        let area = |of: &[Vec3]| {
            let [a, b, c] = corners.map(|corner| Vec3A::from(of[corner as usize]));
            (b - a).cross(c - a)
        };
        let both = [area(&render.positions), area(&displaced)];
        for &corner in corners {
            let sums = &mut areas[key(corner)];
            sums[0] += both[0];
            sums[1] += both[1];
        }
    }
    let change = |vertex: u32| {
        let [from, to] = areas[key(vertex)].map(Vec3A::normalize_or_zero);
        let normal = render.normals[vertex as usize];
        (vertex, Vec3::from(rotated(normal.into(), from, to)) - normal)
    };
    let near = (0..render.positions.len() as u32).filter(|&vertex| is_near[key(vertex)]);
    near.map(change).filter(|(_, change)| *change != Vec3::ZERO).collect()
}
