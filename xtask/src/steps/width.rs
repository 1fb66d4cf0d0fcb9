//! Comments and documents are at most 100 columns wide.
//!
//! In source files only comments are measured, and code may be wider. In Markdown everything is,
//! except tables, fenced code and lines without a place to break: those that a URL or a link makes
//! long.

use std::path::{Path, PathBuf};

use crate::run::{Outcome, Workspace};

/// The widest permitted line, in characters.
const WIDTH: usize = 100;

/// Folders whose source files are checked.
const SOURCES: [&str; 11] = [
    "src",
    "decoders",
    "encoders",
    "fitting",
    "numerics",
    "wasm",
    "www/src",
    "www/test",
    "xtask/src",
    "tests",
    "benches",
];

/// Folders and files of documents.
const DOCUMENTS: [&str; 4] = ["docs", "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];

/// Fails with the file, line and width of every line that is too wide.
pub fn check(workspace: &Workspace) -> Outcome {
    let mut wide = Vec::new();
    for root in SOURCES.into_iter().chain(DOCUMENTS) {
        for file in files_below(&workspace.root.join(root)) {
            let Some(kind) = Kind::of(&file) else { continue };
            let text =
                std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
            let name = file.strip_prefix(&workspace.root).unwrap_or(&file).display().to_string();
            wide.extend(wide_lines(&text, kind).into_iter().map(|(line, width)| (name.clone(), line, width)));
        }
    }
    for (file, line, width) in &wide {
        println!("{file}:{line}: {width} columns");
    }
    wide.dedup_by(|a, b| a.0 == b.0);
    if wide.is_empty() {
        return Ok(());
    }
    let files: Vec<&str> = wide.iter().map(|(file, ..)| file.as_str()).collect();
    Err(format!("comments or text wider than {WIDTH} columns in {} files: {}", files.len(), files.join(", ")))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Rust, TypeScript, JavaScript, CSS or GLSL: comments by `//` and `/*`.
    Source,
    /// Markdown.
    Document,
}

impl Kind {
    fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "rs" | "ts" | "js" | "mjs" | "css" | "vert" | "frag" => Some(Self::Source),
            "md" => Some(Self::Document),
            _ => None,
        }
    }
}

/// All files in a folder, sorted; the file itself if it is one.
fn files_below(path: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(path) else {
        return if path.is_file() { vec![path.to_path_buf()] } else { Vec::new() };
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths.iter().flat_map(|path| files_below(path)).collect()
}

/// Numbers, from one, and widths of lines that are too wide.
fn wide_lines(text: &str, kind: Kind) -> Vec<(usize, usize)> {
    let mut is_inside = false;
    let mut wide = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let is_measured = match kind {
            Kind::Source => is_comment(line, &mut is_inside),
            Kind::Document => is_text(line, &mut is_inside),
        };
        let width = line.chars().count();
        if is_measured && width > WIDTH && can_break(line) {
            wide.push((number + 1, width));
        }
    }
    wide
}

/// Whether a line of code is a comment; `is_inside` is whether a block comment is open.
fn is_comment(line: &str, is_inside: &mut bool) -> bool {
    let line = line.trim();
    let was_inside = *is_inside;
    let starts = line.starts_with("/*");
    if was_inside || starts {
        *is_inside = !line.contains("*/");
    }
    was_inside || starts || line.starts_with("//")
}

/// Whether a line of Markdown is text, not a table or code; `is_inside` is whether a fence is open.
fn is_text(line: &str, is_inside: &mut bool) -> bool {
    let is_fence = line.trim_start().starts_with("```");
    *is_inside ^= is_fence;
    !(is_fence || *is_inside || line.trim_start().starts_with('|'))
}

/// Whether the line could be broken before its last permitted column. The first words are signs
/// (`///`, `-`).
fn can_break(line: &str) -> bool {
    let start = line.find(|c: char| c.is_alphanumeric()).unwrap_or(0);
    let head: String = line[start..].chars().take(WIDTH - line[..start].chars().count().min(WIDTH)).collect();
    let is_address = |word: &str| word.contains("://") || word.contains("](");
    head.contains(' ')
        && !line
            .split_whitespace()
            .last()
            .is_some_and(|last| is_address(last) && { line.chars().count() - last.chars().count() <= WIDTH })
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: &str =
        "word word word word word word word word word word word word word word word word word word word wide";

    #[test]
    fn comments_are_measured_and_code_is_not() {
        let text = format!(
            "let a = \"{WORDS}\";\n// {WORDS}\n    /// {WORDS}\n// narrow\n/** {WORDS}\n * {WORDS} */\nlet {WORDS};\n"
        );
        let lines: Vec<usize> = wide_lines(&text, Kind::Source).iter().map(|wide| wide.0).collect();
        assert_eq!(lines, [2, 3, 5, 6]);
    }

    #[test]
    fn text_is_measured_and_tables_and_code_are_not() {
        let text =
            format!("- {WORDS} {WORDS}\n| {WORDS} {WORDS} |\n```\n{WORDS} {WORDS}\n```\n# {WORDS} {WORDS}\n");
        let lines: Vec<usize> = wide_lines(&text, Kind::Document).iter().map(|wide| wide.0).collect();
        assert_eq!(lines, [1, 6]);
    }

    #[test]
    fn a_line_that_an_address_makes_wide_is_exempt() {
        let address = format!("https://example.org/{}", "a".repeat(WIDTH));
        for line in [format!("// See {address}"), format!("/// [`x`]: {address}"), format!("// {address}")] {
            assert!(wide_lines(&line, Kind::Source).is_empty(), "{line}");
        }
        assert_eq!(wide_lines(&format!("// {WORDS} {WORDS} {address}"), Kind::Source).len(), 1);
    }

    #[test]
    fn width_counts_characters() {
        let line = format!("// {}", "ü ".repeat((WIDTH - 3) / 2));
        assert!(line.len() > WIDTH && wide_lines(&line, Kind::Source).is_empty());
    }
}
