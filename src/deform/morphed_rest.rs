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
use crate::model::{Asset, MorphDisplacement};

/// The rest shape of one asset with its morph targets.
#[derive(Clone, Debug, Default)]
pub struct MorphedRest {
    /// The weights that are applied; empty before the first.
    weights: Vec<f32>,
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    /// By target: displacements with normals, if the file has none; empty until they are needed.
    computed: Vec<Vec<MorphDisplacement>>,
}

impl MorphedRest {
    /// Applies one weight per morph target of `asset`, which must be the same in every call.
    /// Whether the shape changed.
    ///
    /// # Panics
    /// If there are more weights than targets.
    #[inline(never)]
    pub fn set_weights(&mut self, asset: &Asset, weights: &[f32]) -> bool {
        let is_at_rest = !self.is_morphed() && weights.iter().all(|weight| *weight == 0.0);
        if is_at_rest || self.weights == weights {
            return false;
        }
        let Self { weights: applied, positions, normals, computed } = self;
        if positions.is_empty() {
            positions.clone_from(&asset.render.positions);
            normals.clone_from(&asset.render.normals);
            computed.resize(weights.len(), Vec::new());
        }
        for (target, _) in active(applied) {
            for at in displacements(asset, computed, target).iter().map(|d| d.vertex as usize) {
                (positions[at], normals[at]) = (asset.render.positions[at], asset.render.normals[at]);
            }
        }
        for (target, weight) in active(weights) {
            if computed[target].is_empty() {
                computed[target] = with_normals(asset, target);
            }
            for moved in displacements(asset, computed, target) {
                let at = moved.vertex as usize;
                positions[at] += moved.position * weight;
                normals[at] += moved.normal * weight;
            }
        }
        for (target, _) in active(weights) {
            for at in displacements(asset, computed, target).iter().map(|d| d.vertex as usize) {
                normals[at] = normals[at].try_normalize().unwrap_or(asset.render.normals[at]);
            }
        }
        applied.clear();
        applied.extend_from_slice(weights);
        true
    }

    /// Whether a target had a weight, so that the shape is not that of the asset.
    pub fn is_morphed(&self) -> bool {
        !self.weights.is_empty()
    }

    /// The shape before skinning: that of the asset until a target has a weight.
    pub fn rest<'a>(&'a self, asset: &'a Asset) -> Rest<'a> {
        if !self.is_morphed() {
            return Rest { positions: &asset.render.positions, normals: &asset.render.normals };
        }
        Rest { positions: &self.positions, normals: &self.normals }
    }
}

/// The targets with a weight.
fn active(weights: &[f32]) -> impl Iterator<Item = (usize, f32)> + '_ {
    weights.iter().copied().enumerate().filter(|(_, weight)| *weight != 0.0)
}

/// The displacements of a target, with computed normals if there are any.
fn displacements<'a>(
    asset: &'a Asset,
    computed: &'a [Vec<MorphDisplacement>],
    target: usize,
) -> &'a [MorphDisplacement] {
    let stored = asset.morph_targets.displacements_of(target);
    if computed[target].is_empty() { stored } else { &computed[target] }
}

/// The displacements of a target without normals, with those of the normals of all vertices around:
/// the rotation from the vertex normal at rest to the one with the target at weight 1. Vertices at
/// seams have the vertex normal of their solve vertex. Empty if the target has normals.
#[inline(never)]
fn with_normals(asset: &Asset, target: usize) -> Vec<MorphDisplacement> {
    let (render, stored) = (&asset.render, asset.morph_targets.displacements_of(target));
    if stored.iter().any(|moved| moved.normal != Vec3::ZERO) {
        return Vec::new();
    }
    let solved = asset.mesh.positions().len();
    // The solve vertex; rigid parts have none.
    let pair = |(vertex, &solve): (usize, &u32)| match solve {
        Asset::NOT_SOLVED => solved + vertex,
        solve => solve as usize,
    };
    let keys: Vec<usize> = asset.solve_from_render.iter().enumerate().map(pair).collect();
    let mut moves = vec![Vec3::ZERO; keys.len()];
    for moved in stored {
        // Summed as they are applied: two primitives may name a vertex.
        moves[moved.vertex as usize] += moved.position;
    }
    // Sums of area vectors at rest and with the target, and whether they differ.
    let mut sums = vec![([Vec3A::ZERO; 2], false); solved + keys.len()];
    for corners in &render.triangles {
        let corners = corners.map(|corner| corner as usize);
        let area = |weight: f32| {
            let [a, b, c] = corners.map(|at| Vec3A::from(render.positions[at] + moves[at] * weight));
            (b - a).cross(c - a)
        };
        let areas = [area(0.0), area(1.0)];
        for at in corners {
            let (sum, differs) = &mut sums[keys[at]];
            sum[0] += areas[0];
            sum[1] += areas[1];
            *differs |= areas[0] != areas[1];
        }
    }
    let mut found = Vec::new();
    for (at, &position) in moves.iter().enumerate() {
        let (areas, differs) = sums[keys[at]];
        if differs || position != Vec3::ZERO {
            let [from, to] = areas.map(Vec3A::normalize_or_zero);
            let normal = Vec3A::from(render.normals[at]);
            let normal = Vec3::from(rotated(normal, from, to) - normal);
            found.push(MorphDisplacement { vertex: at as u32, position, normal });
        }
    }
    found
}
