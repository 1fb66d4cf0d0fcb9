//! The nodes of a lattice that weights are solved for: those that stand for flesh, or that
//! something is pinned between.
//!
//! Of a coarse lattice more than every third node lies outside, beside a cell that the skin only
//! just enters. Nothing is to be smooth there, but skin lies between such nodes and others. They
//! have what is level with the others (harmonic), found after those. Cost: one factor of the
//! stiffness outside, and a solve per column.

use crate::operators::Lattice;
use crate::operators::qp::{BoundaryConditions, SampleConstraint};
use crate::operators::sparse::{Factor, Symmetric};

/// A lattice divided into what is solved for and what follows.
pub(super) struct Inner {
    lattice: Lattice,
    /// Inner nodes, in the order of their unknowns.
    inner: Vec<u32>,
    /// Stiffness between inner nodes only.
    pub(super) stiffness: Symmetric,
    pub(super) masses: Vec<f64>,
    outer: Vec<u32>,
    /// Of the stiffness between outer nodes; none where nothing is outside.
    factor: Option<Factor>,
    /// What joins both, as (outer number, inner node, conductance).
    across: Vec<(u32, u32, f64)>,
    /// Pins that nodes outside are around as well, between the lattice's nodes.
    on_skin: Vec<SampleConstraint>,
    is_inner: Vec<bool>,
}

impl Inner {
    /// Divides a lattice; whatever `pins` (between its nodes) touch is inner. Also returns the pins
    /// between unknowns.
    pub(super) fn of(lattice: Lattice, mut pins: Vec<SampleConstraint>) -> (Self, BoundaryConditions) {
        let mut on_skin = pins.clone();
        pins.iter_mut().for_each(|pin| hold_flesh(&lattice, pin));
        let mut is_inner: Vec<bool> = (0..lattice.nodes()).map(|node| !lattice.is_outside(node)).collect();
        pins.iter().flat_map(|pin| &pin.at).for_each(|&(node, _)| is_inner[node as usize] = true);
        let (inner, outer): (Vec<u32>, Vec<u32>) =
            (0..lattice.nodes() as u32).partition(|&node| is_inner[node as usize]);
        let mut number = vec![0; lattice.nodes()];
        for nodes in [&inner, &outer] {
            nodes.iter().enumerate().for_each(|(i, &node)| number[node as usize] = i as u32);
        }
        let (mut within, mut without, mut across) = (Vec::new(), Vec::new(), Vec::new());
        for (a, b, value) in lattice.stiffness().entries().filter(|&(a, b, _)| a != b) {
            let (i, j) = (number[a], number[b]);
            match (is_inner[a], is_inner[b]) {
                (true, true) => within.extend([(i, j, value), (i, i, -value), (j, j, -value)]),
                (false, false) => without.extend([(i, j, value), (i, i, -value), (j, j, -value)]),
                (false, true) => across.push((i, b as u32, -value)),
                (true, false) => across.push((j, a as u32, -value)),
            }
        }
        without.extend(across.iter().map(|&(i, _, conductance)| (i, i, conductance)));
        // A corner that nothing joins to flesh is never asked for, but must not spoil the others.
        without.extend((0..outer.len() as u32).map(|i| (i, i, ALONE)));
        let unknown = |&(node, share): &(u32, f64)| (number[node as usize], share);
        let renamed = |pin: SampleConstraint| SampleConstraint {
            at: pin.at.iter().map(unknown).collect(),
            columns: pin.columns,
        };
        let given = BoundaryConditions::new(inner.len(), |_| None)
            .with_samples(pins.into_iter().map(renamed).collect());
        let stiffness = Symmetric::from_entries(inner.len(), &within);
        let masses = inner.iter().map(|&node| lattice.masses()[node as usize]).collect();
        let factor = Factor::of(&Symmetric::from_entries(outer.len(), &without)).ok();
        on_skin.retain(|pin| pin.at.iter().any(|&(node, _)| !is_inner[node as usize]));
        (Self { lattice, inner, stiffness, masses, outer, factor, across, on_skin, is_inner }, given)
    }

    /// Adds a handle's column, known at unknowns, to the rows of vertices.
    pub(super) fn sample(&self, column: &[(u32, f64)], handle: u32, rows: &mut [Vec<(u32, f64)>]) {
        let mut values = self.at_nodes(column);
        self.meet_pins(handle, &mut values);
        for (row, place) in rows.iter_mut().zip(self.lattice.vertex_points()) {
            let nodes = place.nodes.iter().zip(place.weights);
            let weight: f64 = nodes.map(|(&node, share)| share * values[node as usize]).sum();
            if weight > 0.0 {
                row.push((handle, weight.min(1.0)));
            }
        }
    }

    /// Moves what nodes outside have so that pins on the skin, too, are what they should be.
    /// PostSkinning holds them nearly.
    fn meet_pins(&self, handle: u32, values: &mut [f64]) {
        for pin in std::iter::repeat_n(&self.on_skin, SWEEPS).flatten() {
            let wanted = pin.columns.iter().find(|column| column.0 == handle).map_or(0.0, |column| column.1);
            let missing =
                wanted - pin.at.iter().map(|&(node, share)| share * values[node as usize]).sum::<f64>();
            let outside = || pin.at.iter().filter(|&&(node, _)| !self.is_inner[node as usize]);
            let whole: f64 = outside().map(|&(_, share)| share).sum();
            outside().for_each(|&(node, _)| values[node as usize] += missing / whole);
        }
    }

    /// What a column is at all nodes, from what it is at some unknowns.
    fn at_nodes(&self, column: &[(u32, f64)]) -> Vec<f64> {
        let mut values = vec![0.0; self.inner.len() + self.outer.len()];
        column.iter().for_each(|&(unknown, value)| values[self.inner[unknown as usize] as usize] = value);
        if let Some(factor) = &self.factor {
            let mut levels = vec![0.0; self.outer.len()];
            for &(outer, node, conductance) in &self.across {
                levels[outer as usize] += conductance * values[node as usize];
            }
            factor.solve(&mut levels);
            self.outer.iter().zip(levels).for_each(|(&node, level)| values[node as usize] = level);
        }
        values
    }
}

/// Takes a pin off nodes outside: they stand for next to nothing, so a pin on the skin would be
/// held by what they are, and no flesh would follow it.
fn hold_flesh(lattice: &Lattice, pin: &mut SampleConstraint) {
    let is_flesh = |&(node, _): &(u32, f64)| !lattice.is_outside(node as usize);
    let whole: f64 = pin.at.iter().filter(|at| is_flesh(at)).map(|at| at.1).sum();
    if whole > LEAST_FLESH {
        pin.at.retain(is_flesh);
        pin.at.iter_mut().for_each(|at| at.1 /= whole);
    }
}

/// Pins near each other move the same nodes, so once is not enough. More: takes longer. Fewer:
/// large regions hold a little less than all.
const SWEEPS: usize = 4;

/// A place with less of it between nodes in the flesh is held by all nodes around it. Larger:
/// handles on sharp edges hold only themselves. Smaller: one node that is far from them holds for
/// them.
const LEAST_FLESH: f64 = 0.05;

/// Added where nothing else holds a node outside; conductances are a thousand times as large.
const ALONE: f64 = 1e-9;
