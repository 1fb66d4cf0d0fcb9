//! The tables of posed characters as Markdown.

use std::fmt::Write;

use super::measure::{PoseMeasures, VolumeErrors};

/// Ratio of stretch after to before the correction that is allowed, and of displacement to
/// thickness.
const MAX_STRETCH: f32 = 1.3;
const MAX_BY_THICKNESS: f32 = 0.5;

/// Slack of comparisons of volumes, in percent of the rest volume, for rounding.
const VOLUME_SLACK: f64 = 0.01;

/// A measure of a group of poses.
struct Row {
    what: &'static str,
    value: fn(&[&PoseMeasures]) -> String,
}

const ROWS: [Row; 14] = [
    Row {
        what: "files",
        value: |poses| {
            let mut files: Vec<&str> = poses.iter().map(|m| m.file.as_str()).collect();
            files.sort_unstable();
            files.dedup();
            files.len().to_string()
        },
    },
    Row { what: "poses", value: |poses| poses.len().to_string() },
    Row { what: "whole, mean %: skinned → corrected (paper mode)", value: |p| errors(p, |e| e.whole) },
    Row { what: "worst part, mean %", value: |p| errors(p, |e| e.worst_part) },
    Row { what: "all segments, mean %", value: |p| errors(p, |e| e.segments) },
    Row { what: "worst segment, mean %", value: |p| errors(p, |e| e.worst_segment) },
    Row {
        what: "poses with segments worse than skinned, than paper mode",
        value: |p| {
            let than = |of: fn(&PoseMeasures) -> VolumeErrors| {
                count(p, |m| m.corrected.segments > of(m).segments + VOLUME_SLACK)
            };
            format!("{}, {}", than(|m| m.skinned), than(|m| m.paper))
        },
    },
    Row {
        what: "poses whose whole is off by more than 0.1 %",
        value: |p| count(p, |m| m.corrected.whole > 0.1).to_string(),
    },
    Row {
        what: "self-intersections: skinned → guard alone → corrected",
        value: |p| {
            let sum = |at: usize| p.iter().map(|m| m.cuts[at]).sum::<usize>();
            format!("{} → {} → {}", sum(0), sum(1), sum(2))
        },
    },
    Row {
        what: "poses with more than skinned; by how many, at most",
        value: |p| {
            let added = |m: &PoseMeasures| m.cuts[2].saturating_sub(m.cuts[0]);
            let sum: usize = p.iter().map(|m| added(m)).sum();
            let most = p.iter().map(|m| added(m)).max().unwrap_or(0);
            format!("{}; {sum}, {most}", count(p, |m| added(m) > 0))
        },
    },
    Row {
        what: "largest edge stretch: skinned → corrected",
        value: |p| {
            let most = |at: usize| p.iter().map(|m| m.stretch[at]).fold(0.0, f32::max);
            format!("{:.2} → {:.2}", most(0), most(2))
        },
    },
    Row {
        what: "poses with stretch above 1.3 × skinned; largest ratio",
        value: |p| {
            let ratio = |m: &PoseMeasures| m.stretch[2] / m.stretch[0].max(1.0);
            let most = p.iter().map(|m| ratio(m)).fold(0.0, f32::max);
            format!("{}; {most:.2}", count(p, |m| ratio(m) > MAX_STRETCH))
        },
    },
    Row {
        what: "poses with displacements above half the local thickness; largest, by thickness, by size",
        value: |p| {
            let most = |of: fn(&PoseMeasures) -> f32| p.iter().map(|m| of(m)).fold(0.0, f32::max);
            let above = count(p, |m| m.by_thickness[1] > MAX_BY_THICKNESS);
            format!("{above}; {:.2}, {:.4}", most(|m| m.by_thickness[1]), most(|m| m.by_size))
        },
    },
    Row {
        what: "correction per frame, µs per 1,000 vertices",
        value: |p| {
            let time: f64 = p.iter().map(|m| m.milliseconds).sum();
            let vertices: usize = p.iter().map(|m| m.vertices).sum();
            format!("{:.1}", 1e6 * time / vertices.max(1) as f64)
        },
    },
];

fn count(poses: &[&PoseMeasures], is: impl Fn(&PoseMeasures) -> bool) -> usize {
    poses.iter().filter(|m| is(m)).count()
}

fn errors(poses: &[&PoseMeasures], of: fn(&VolumeErrors) -> f64) -> String {
    let mean = |which: fn(&PoseMeasures) -> &VolumeErrors| {
        poses.iter().map(|m| of(which(m))).sum::<f64>() / poses.len().max(1) as f64
    };
    let [skinned, corrected, paper] = [mean(|m| &m.skinned), mean(|m| &m.corrected), mean(|m| &m.paper)];
    format!("{skinned:.2} → {corrected:.2} ({paper:.2})")
}

/// A column per origin of the weights, then a row per source.
pub fn all(measured: &[PoseMeasures], weights: &[&'static str]) -> String {
    let groups: Vec<Vec<&PoseMeasures>> =
        weights.iter().map(|name| measured.iter().filter(|m| m.weights == *name).collect()).collect();
    let mut text = String::new();
    let _ = writeln!(text, "\n| measure | {} |", weights.join(" | "));
    let _ = writeln!(text, "|---|{}", "---|".repeat(weights.len()));
    for Row { what, value } in &ROWS {
        let cells: Vec<String> = groups.iter().map(|group| value(group)).collect();
        let _ = writeln!(text, "| {what} | {} |", cells.join(" | "));
    }
    text.push_str(&by_source(measured));
    text
}

fn by_source(measured: &[PoseMeasures]) -> String {
    let mut names: Vec<&str> = measured.iter().map(|m| m.source.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let mut text = String::from(
        "\n| source | poses | segments, % | self-intersections | poses with more | stretch ratio | by thickness |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for name in names {
        let of: Vec<&PoseMeasures> = measured.iter().filter(|m| m.source == name).collect();
        let cell = |at: usize| (ROWS[at].value)(&of);
        let ratio = of.iter().map(|m| m.stretch[2] / m.stretch[0].max(1.0)).fold(0.0, f32::max);
        let thickness = of.iter().map(|m| m.by_thickness[1]).fold(0.0, f32::max);
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {} | {} | {ratio:.2} | {thickness:.2} |",
            of.len(),
            cell(4),
            cell(8),
            cell(9)
        );
    }
    text
}

/// The cuts and the segment errors of one model.
pub fn one_line(measured: &[PoseMeasures]) -> String {
    let all: Vec<&PoseMeasures> = measured.iter().collect();
    let cells = [1, 4, 8, 9, 11, 12].map(|at| (ROWS[at].value)(&all));
    cells.join(" | ")
}
