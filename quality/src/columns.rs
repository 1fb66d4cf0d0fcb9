//! The measures that tables show. A new measure is a field of [`Measures`] and an entry here.

use crate::measure::{Measures, WeightSource};

/// One measure of a set of weights.
pub struct Column {
    /// The heading of its table.
    pub title: &'static str,
    /// What it is, in a sentence.
    pub what: &'static str,
    /// Its value.
    pub value: fn(&Measures) -> f64,
    /// Digits after the point.
    pub digits: usize,
    /// For which weights it says something.
    pub applies_to: fn(WeightSource) -> bool,
}

/// All measures, in the order of the tables.
pub const COLUMNS: [Column; 6] = [
    Column {
        title: "Dominant joint",
        what: "The share of vertices (welded at seams) whose dominant joint is that of the file.",
        value: |measures| measures.dominant,
        digits: 3,
        applies_to: |weights| weights != WeightSource::Stored,
    },
    Column {
        title: "Misplaced weight",
        what: "The mean weight on other joints than in the file: half of the L1 distance.",
        value: |measures| measures.half_l1,
        digits: 3,
        applies_to: |weights| weights != WeightSource::Stored,
    },
    Column {
        title: "Split regions",
        what: "The share of regions (a joint and a component of the mesh) that are in several pieces.",
        value: |measures| measures.split_regions as f64 / measures.regions.max(1) as f64,
        digits: 3,
        applies_to: |_| true,
    },
    Column {
        title: "Split grown regions",
        what: "The same for all vertices with any weight of the joint, overlaps included.",
        value: |measures| measures.split_grown_regions as f64 / measures.grown_regions.max(1) as f64,
        digits: 3,
        applies_to: |_| true,
    },
    Column {
        title: "Roughness",
        what: "The mean half L1 distance of the weights of a vertex from its neighbours' mean.",
        value: |measures| measures.roughness,
        digits: 4,
        applies_to: |_| true,
    },
    Column {
        title: "Time",
        what: "Seconds of CPU time of a native build, from nothing.",
        value: |measures| measures.seconds,
        digits: 2,
        applies_to: |weights| matches!(weights, WeightSource::Method(_)),
    },
];
