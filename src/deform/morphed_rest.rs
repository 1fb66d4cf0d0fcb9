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
use crate::operators::normals_of;

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
/// the rotation from the vertex normal of the solve mesh at rest to the one with the target at
/// weight 1. Rigid parts keep their normals. Empty if the target has normals.
#[inline(never)]
fn with_normals(asset: &Asset, target: usize) -> Vec<MorphDisplacement> {
    let (render, stored) = (&asset.render, asset.morph_targets.displacements_of(target));
    if stored.is_empty() || stored.iter().any(|moved| moved.normal != Vec3::ZERO) {
        return Vec::new();
    }
    let mut moves = vec![Vec3::ZERO; render.positions.len()];
    let mut solved = asset.mesh.positions().to_vec();
    for moved in stored {
        let at = moved.vertex as usize;
        moves[at] = moved.position;
        if let Some(solved) = solved.get_mut(asset.solve_from_render[at] as usize) {
            *solved = render.positions[at] + moved.position;
        }
    }
    let [from, to] = [asset.mesh.positions(), &solved].map(|at| normals_of(at, asset.mesh.triangles()));
    let mut found = Vec::new();
    for (at, &position) in moves.iter().enumerate() {
        let solve = asset.solve_from_render[at] as usize;
        let turn = from.get(solve).zip(to.get(solve)).filter(|(from, to)| from != to);
        let rest = Vec3A::from(render.normals[at]);
        let normal =
            turn.map_or(Vec3A::ZERO, |(from, to)| rotated(rest, (*from).into(), (*to).into()) - rest);
        if turn.is_some() || position != Vec3::ZERO {
            found.push(MorphDisplacement { vertex: at as u32, position, normal: normal.into() });
        }
    }
    found
}
