//! A character that can be posed: an asset, its skeleton, and weights for every render vertex.

use std::sync::Arc;

use super::{Asset, Attachment, Influence, Skeleton, Weights, WeightsError};

/// An asset with weights: one row per render vertex, one column per joint.
#[derive(Clone, Debug)]
pub struct Rig {
    /// The asset, unchanged.
    pub asset: Arc<Asset>,
    /// The skeleton that the columns of the weights refer to.
    pub skeleton: Skeleton,
    weights: Weights,
}

/// Why an asset and weights do not match.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RigError {
    /// The weights are for another mesh.
    #[error("the weights are for {weights} vertices, but the mesh has {vertices}")]
    OtherMesh {
        /// Number of rows.
        weights: usize,
        /// Required number of rows.
        vertices: usize,
    },
    /// The weights are for another skeleton.
    #[error("the weights are for {weights} joints, but the skeleton has {joints}")]
    OtherSkeleton {
        /// Number of columns.
        weights: usize,
        /// Required number of columns.
        joints: usize,
    },
    /// The rows are not valid weights.
    #[error(transparent)]
    Weights(#[from] WeightsError),
}

impl Rig {
    /// Builds a rig from weights per *solve* vertex and joint. Every render vertex gets the row of
    /// its solve vertex. Rigid parts get weight 1 on their joint.
    ///
    /// # Errors
    /// If the weights are for another mesh or skeleton.
    pub fn new(asset: Arc<Asset>, skeleton: Skeleton, solve_weights: &Weights) -> Result<Self, RigError> {
        let (rows, vertices) = (solve_weights.vertices(), asset.mesh.positions().len());
        if rows != vertices {
            return Err(RigError::OtherMesh { weights: rows, vertices });
        }
        let rigid: Vec<Option<Influence>> = rigid_influences(&asset);
        let all = rigid.iter().enumerate().map(|(vertex, rigid)| match rigid {
            Some(influence) => std::slice::from_ref(influence),
            None => solve_weights.row(asset.solve_from_render[vertex] as usize),
        });
        let weights = Weights::new(solve_weights.columns(), all)?;
        Self::from_render_weights(asset, skeleton, weights)
    }

    /// Builds a rig from weights per *render* vertex and joint, such as those stored in a file.
    ///
    /// # Errors
    /// If the weights are for another mesh or skeleton.
    pub fn from_render_weights(
        asset: Arc<Asset>,
        skeleton: Skeleton,
        weights: Weights,
    ) -> Result<Self, RigError> {
        let (rows, vertices) = (weights.vertices(), asset.render.positions.len());
        if rows != vertices {
            return Err(RigError::OtherMesh { weights: rows, vertices });
        }
        let (columns, joints) = (weights.columns(), skeleton.joints().len());
        if columns != joints {
            return Err(RigError::OtherSkeleton { weights: columns, joints });
        }
        Ok(Self { asset, skeleton, weights })
    }

    /// From the weights stored in the file, and its skeleton; none if it has no skin. Rigid parts
    /// get weight 1 on their joint.
    pub fn from_stored_weights(asset: Arc<Asset>, skeleton: Skeleton) -> Option<Self> {
        let stored = asset.stored_weights.as_ref()?;
        if stored.vertices() != asset.render.positions.len() {
            return None;
        }
        let rigid = rigid_influences(&asset);
        let row = |(vertex, rigid): (usize, &Option<Influence>)| match rigid {
            Some(influence) => vec![*influence],
            None => stored.row(vertex).to_vec(),
        };
        let weights = Weights::new(stored.columns(), rigid.iter().enumerate().map(row)).ok()?;
        Self::from_render_weights(asset, skeleton, weights).ok()
    }

    /// One row per render vertex, one column per joint.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Panics with the reason if an invariant is violated. For tests.
    pub fn assert_well_formed(&self) {
        self.asset.assert_well_formed();
        self.skeleton.assert_well_formed();
        self.weights.assert_well_formed();
        assert_eq!(self.weights.vertices(), self.asset.render.positions.len(), "one row per render vertex");
        assert_eq!(self.weights.columns(), self.skeleton.joints().len(), "one column per joint");
    }
}

fn rigid_influences(asset: &Asset) -> Vec<Option<Influence>> {
    let mut rigid = vec![None; asset.render.positions.len()];
    for part in &asset.render.parts {
        if let Attachment::Rigid { joint } = part.attachment {
            let influence = Influence { column: joint as u32, weight: 1.0 };
            rigid[part.vertices.start as usize..part.vertices.end as usize].fill(Some(influence));
        }
    }
    rigid
}
