//! Finds the nodes whose scale would shear children that do not inherit it.
//!
//! glTF multiplies matrices. A child that ignores the scale of its parent (segment scale
//! compensation) must undo it, and a rotation between two scales that are not uniform is shear. A
//! node between the two that cancels the scale avoids it.

use std::collections::BTreeSet;

use crate::animation::Clip;
use crate::error::Warnings;
use crate::nodes::Nodes;
use crate::sampling::{SampleBudget, Sampler};

/// Adds compensators where children are sheared at rest or in a clip.
pub(crate) fn compensate_shear(nodes: &mut Nodes, clips: &[Clip], frame_rate: f64, warnings: &mut Warnings) {
    let mut sheared = BTreeSet::new();
    for node in &nodes.list {
        if !nodes.relative_rest(node).1 {
            sheared.extend(node.parent);
        }
    }
    let mut budget = SampleBudget::FULL;
    for clip in clips {
        let sampler = Sampler::new(clip, nodes, frame_rate);
        for node in nodes.list.iter().filter(|node| sampler.is_animated(node)) {
            let depends = sampler.follows_state(node) || !nodes.state_above(node).is_uniform();
            let known = node.parent.is_none_or(|parent| sheared.contains(&parent));
            if depends && !known {
                let times = sampler.node_times(node, &mut budget);
                let is_sheared = times.iter().any(|&time| !sampler.local(node, time).1);
                sheared.extend(node.parent.filter(|_| is_sheared));
            }
        }
    }
    for &node in &sheared {
        nodes.compensate(node);
    }
    let left = nodes.list.iter().filter(|node| !nodes.relative_rest(node).1).count();
    if left > 0 {
        let what =
            format!("scales of parents shear {left} of them, which glTF cannot hold; the shear was left out");
        warnings.add("nodes", what);
    }
}
