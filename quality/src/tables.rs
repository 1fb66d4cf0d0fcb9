//! The tables as Markdown.

use std::fmt::Write;

use crate::columns::COLUMNS;
use crate::measure::{MeasuredRig, Measures, WeightSource};

/// A row of the table by source.
struct Group<'a> {
    name: String,
    rigs: Vec<&'a MeasuredRig>,
}

/// One table per measure: the mean over the files of every source.
pub fn by_source(rigs: &[MeasuredRig], weights: &[WeightSource]) -> String {
    let groups = groups_of(rigs);
    let mut text = String::new();
    for column in &COLUMNS {
        let shown: Vec<WeightSource> = weights.iter().copied().filter(|&w| (column.applies_to)(w)).collect();
        let _ = writeln!(text, "\n**{}.**\n{}\n", column.title, column.what);
        let names: Vec<&str> = shown.iter().map(|weights| weights.name()).collect();
        let _ = writeln!(text, "| source | files | {} |", names.join(" | "));
        let _ = writeln!(text, "|---|---|{}", "---|".repeat(names.len()));
        for group in &groups {
            let cells = shown.iter().map(|&weights| {
                mean(&group.rigs, weights, column.value)
                    .map_or("–".to_owned(), |mean| format!("{mean:.*}", column.digits))
            });
            let cells: Vec<String> = cells.collect();
            let _ = writeln!(text, "| {} | {} | {} |", group.name, group.rigs.len(), cells.join(" | "));
        }
    }
    let _ = write!(text, "\n{}", comparisons(rigs, weights));
    text
}

/// The sources, then all files, then those whose weights do and do not look automatic.
fn groups_of(rigs: &[MeasuredRig]) -> Vec<Group<'_>> {
    let mut names: Vec<&str> = rigs.iter().map(|rig| rig.source.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let group = |name: &str, is_in: &dyn Fn(&MeasuredRig) -> bool| Group {
        name: name.to_owned(),
        rigs: rigs.iter().filter(|rig| is_in(rig)).collect(),
    };
    let mut groups: Vec<Group<'_>> =
        names.into_iter().map(|name| group(name, &|rig| rig.source == name)).collect();
    groups.push(group("all", &|_| true));
    for (name, is_automatic) in [("weights look automatic", true), ("weights by hand", false)] {
        let found = group(name, &|rig| rig.is_automatic == Some(is_automatic));
        if !found.rigs.is_empty() {
            groups.push(found);
        }
    }
    groups
}

fn mean(rigs: &[&MeasuredRig], weights: WeightSource, value: fn(&Measures) -> f64) -> Option<f64> {
    let values: Vec<f64> = rigs.iter().filter_map(|rig| rig.measures_of(weights)).map(value).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// On how many rigs the methods agree with the file at least as well as the nearest bone.
fn comparisons(rigs: &[MeasuredRig], weights: &[WeightSource]) -> String {
    let mut text = String::new();
    for &method in weights.iter().filter(|weights| matches!(weights, WeightSource::Method(_))) {
        let gains: Vec<f64> = rigs
            .iter()
            .filter_map(|rig| {
                let nearest = rig.measures_of(WeightSource::Nearest)?.dominant;
                Some(rig.measures_of(method)?.dominant - nearest)
            })
            .collect();
        let at_least = gains.iter().filter(|&&gain| gain >= 0.0).count();
        let mean = gains.iter().sum::<f64>() / gains.len().max(1) as f64;
        let (name, count) = (method.name(), gains.len());
        let _ = writeln!(
            text,
            "- `{name}` is at least as good as the nearest bone on {at_least} of {count} files, and {mean:+.3} on average."
        );
    }
    text
}

/// One row per file, with the dominant-joint agreement of all weights.
pub fn by_file(rigs: &[MeasuredRig], weights: &[WeightSource]) -> String {
    let shown: Vec<WeightSource> = weights.iter().copied().filter(|&w| w != WeightSource::Stored).collect();
    let names: Vec<&str> = shown.iter().map(|weights| weights.name()).collect();
    let mut text = String::new();
    let _ =
        writeln!(text, "\n| file | source | vertices | parts | joints | automatic | {} |", names.join(" | "));
    let _ = writeln!(text, "|---|---|---|---|---|---|{}", "---|".repeat(names.len()));
    for rig in rigs {
        let MeasuredRig { file, source, vertices, components, joints, .. } = rig;
        let name = file.rsplit('/').next().unwrap_or(file);
        let automatic = if rig.is_automatic == Some(true) { "yes" } else { "" };
        let cell = |&weights: &WeightSource| {
            rig.measures_of(weights).map_or(String::new(), |measures| format!("{:.3}", measures.dominant))
        };
        let cells: Vec<String> = shown.iter().map(cell).collect();
        let _ = writeln!(
            text,
            "| {name} | {source} | {vertices} | {components} | {joints} | {automatic} | {} |",
            cells.join(" | ")
        );
    }
    text
}

/// The dominant-joint agreement of all weights of one rig.
pub fn one_line(rig: &MeasuredRig) -> String {
    let cell = |measures: &Measures| format!("{} {:.3}", measures.weights, measures.dominant);
    let cells: Vec<String> = rig.measures.iter().map(cell).collect();
    cells.join(", ")
}
