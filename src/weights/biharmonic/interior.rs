//! The nodes of a lattice that are unknowns: those inside, and those around sample points.
//!
//! More than every third node of a coarse lattice lies outside, in a cell that the surface just
//! enters. The energy is not defined there, but vertices lie between such nodes and others. Their
//! values follow by harmonic extension. Cost: one factorisation of the stiffness outside, and a
//! solve per column.

use crate::operators::Lattice;
use crate::operators::qp::{BoundaryConditions, SampleConstraint};
use crate::operators::sparse::{Factor, Symmetric};

/// A lattice divided into unknowns and nodes that follow.
pub(super) struct InteriorDomain {
    lattice: Lattice,
    /// Inner nodes, in the order of their unknowns.
    inner: Vec<u32>,
    /// Stiffness between inner nodes only.
    pub(super) stiffness: Symmetric,
    pub(super) masses: Vec<f64>,
    outer: Vec<u32>,
    /// Factor of the stiffness between outer nodes; `None` if there are none.
    factor: Option<Factor>,
    /// Entries between both, as (index of the outer node, inner node, conductance).
    between: Vec<(u32, u32, f64)>,
    /// Sample constraints with outer nodes, in terms of the lattice's nodes.
    surface_samples: Vec<SampleConstraint>,
    is_inner: Vec<bool>,
}

impl InteriorDomain {
    /// Divides a lattice. All nodes around the samples in `samples` (in terms of its nodes) are
    /// inner. Also returns the constraints in terms of unknowns.
    pub(super) fn of(lattice: Lattice, mut samples: Vec<SampleConstraint>) -> (Self, BoundaryConditions) {
        let mut surface_samples = samples.clone();
        samples.iter_mut().for_each(|constraint| drop_outside_nodes(&lattice, constraint));
        let mut is_inner: Vec<bool> = (0..lattice.nodes()).map(|node| !lattice.is_outside(node)).collect();
        samples
            .iter()
            .flat_map(|constraint| &constraint.at)
            .for_each(|&(node, _)| is_inner[node as usize] = true);
        let (inner, outer): (Vec<u32>, Vec<u32>) =
            (0..lattice.nodes() as u32).partition(|&node| is_inner[node as usize]);
        let mut index = vec![0; lattice.nodes()];
        for nodes in [&inner, &outer] {
            nodes.iter().enumerate().for_each(|(i, &node)| index[node as usize] = i as u32);
        }
        let (mut inner_entries, mut outer_entries, mut between) = (Vec::new(), Vec::new(), Vec::new());
        for (a, b, value) in lattice.stiffness().entries().filter(|&(a, b, _)| a != b) {
            let (i, j) = (index[a], index[b]);
            match (is_inner[a], is_inner[b]) {
                (true, true) => inner_entries.extend([(i, j, value), (i, i, -value), (j, j, -value)]),
                (false, false) => outer_entries.extend([(i, j, value), (i, i, -value), (j, j, -value)]),
                (false, true) => between.push((i, b as u32, -value)),
                (true, false) => between.push((j, a as u32, -value)),
            }
        }
        outer_entries.extend(between.iter().map(|&(i, _, conductance)| (i, i, conductance)));
        // A node that is not connected to the inside is never used, but must not make the matrix
        // singular.
        outer_entries.extend((0..outer.len() as u32).map(|i| (i, i, REGULARISATION)));
        let unknown = |&(node, weight): &(u32, f64)| (index[node as usize], weight);
        let renamed = |constraint: SampleConstraint| SampleConstraint {
            at: constraint.at.iter().map(unknown).collect(),
            columns: constraint.columns,
        };
        let conditions = BoundaryConditions::new(inner.len(), |_| None)
            .with_samples(samples.into_iter().map(renamed).collect());
        let stiffness = Symmetric::from_entries(inner.len(), &inner_entries);
        let masses = inner.iter().map(|&node| lattice.masses()[node as usize]).collect();
        let factor = Factor::of(&Symmetric::from_entries(outer.len(), &outer_entries)).ok();
        surface_samples.retain(|constraint| constraint.at.iter().any(|&(node, _)| !is_inner[node as usize]));
        (
            Self { lattice, inner, stiffness, masses, outer, factor, between, surface_samples, is_inner },
            conditions,
        )
    }

    /// Adds the column of a handle, given at unknowns, to the rows of vertices.
    pub(super) fn sample(&self, column: &[(u32, f64)], handle: u32, rows: &mut [Vec<(u32, f64)>]) {
        let mut values = self.extend_to_nodes(column);
        self.satisfy_surface_samples(handle, &mut values);
        for (row, point) in rows.iter_mut().zip(self.lattice.vertex_points()) {
            let nodes = point.nodes.iter().zip(point.weights);
            let weight: f64 = nodes.map(|(&node, weight)| weight * values[node as usize]).sum();
            if weight > 0.0 {
                row.push((handle, weight.min(1.0)));
            }
        }
    }

    /// Corrects the values of outer nodes so that constraints on the surface are satisfied exactly.
    /// The inner nodes satisfy them approximately.
    fn satisfy_surface_samples(&self, handle: u32, values: &mut [f64]) {
        for constraint in std::iter::repeat_n(&self.surface_samples, SWEEPS).flatten() {
            let target =
                constraint.columns.iter().find(|column| column.0 == handle).map_or(0.0, |column| column.1);
            let missing = target
                - constraint.at.iter().map(|&(node, weight)| weight * values[node as usize]).sum::<f64>();
            let outside = || constraint.at.iter().filter(|&&(node, _)| !self.is_inner[node as usize]);
            let sum: f64 = outside().map(|&(_, weight)| weight).sum();
            outside().for_each(|&(node, _)| values[node as usize] += missing / sum);
        }
    }

    /// The values of a column at all nodes, from those at unknowns.
    fn extend_to_nodes(&self, column: &[(u32, f64)]) -> Vec<f64> {
        let mut values = vec![0.0; self.inner.len() + self.outer.len()];
        column.iter().for_each(|&(unknown, value)| values[self.inner[unknown as usize] as usize] = value);
        if let Some(factor) = &self.factor {
            let mut outer_values = vec![0.0; self.outer.len()];
            for &(outer, node, conductance) in &self.between {
                outer_values[outer as usize] += conductance * values[node as usize];
            }
            factor.solve(&mut outer_values);
            self.outer.iter().zip(outer_values).for_each(|(&node, value)| values[node as usize] = value);
        }
        values
    }
}

/// Removes outer nodes from a constraint: they have nearly no energy, so they alone would satisfy
/// it, and the inside would not follow.
fn drop_outside_nodes(lattice: &Lattice, constraint: &mut SampleConstraint) {
    let is_inside = |&(node, _): &(u32, f64)| !lattice.is_outside(node as usize);
    let sum: f64 = constraint.at.iter().filter(|at| is_inside(at)).map(|at| at.1).sum();
    if sum > MIN_INSIDE_WEIGHT {
        constraint.at.retain(is_inside);
        constraint.at.iter_mut().for_each(|at| at.1 /= sum);
    }
}

/// Number of correction sweeps: constraints near each other change the same nodes. Larger: slower.
/// Smaller: large regions have weights slightly below one.
const SWEEPS: usize = 4;

/// Smallest sum of interpolation weights of inner nodes; below it a constraint keeps all nodes.
/// Larger: handles on sharp edges affect only themselves. Smaller: a constraint acts on a single
/// node that is far away.
const MIN_INSIDE_WEIGHT: f64 = 0.05;

/// Added to the diagonal of outer nodes, so that the matrix is regular; conductances are a thousand
/// times as large.
const REGULARISATION: f64 = 1e-9;
