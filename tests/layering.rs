//! Dependencies point downstream only: which module of the crate may use which.
#![allow(clippy::disallowed_methods, reason = "tests may read the disk")]

use std::fs;
use std::path::{Path, PathBuf};

/// Every module of `src/` and the modules of the crate it may use. `bin` uses the library from
/// outside.
const MAY_USE: &[(&str, &[&str])] = &[
    ("math", &[]),
    ("progress", &[]),
    ("report", &[]),
    ("model", &["math", "report"]),
    ("operators", &["math", "model", "progress", "report"]),
    ("samples", &["math", "model", "operators"]),
    ("fit", &["math", "model", "samples"]),
    ("segment", &["math", "model", "operators", "progress", "report"]),
    ("distance", &["math", "model", "operators", "progress", "report"]),
    ("weights", &["math", "model", "operators", "segment", "distance", "progress", "report"]),
    ("io", &["math", "model", "operators", "report", "weights"]),
    ("deform", &["math", "model", "operators", "report"]),
    ("quality", &["math", "model", "operators", "report", "deform"]),
    (
        "pipeline",
        &[
            "math",
            "progress",
            "report",
            "model",
            "io",
            "samples",
            "operators",
            "segment",
            "distance",
            "weights",
            "deform",
            "quality",
        ],
    ),
    ("view", &["math", "report", "model", "samples", "fit", "operators", "deform"]),
    (
        "web",
        &[
            "progress",
            "report",
            "model",
            "io",
            "samples",
            "fit",
            "operators",
            "distance",
            "weights",
            "deform",
            "quality",
            "pipeline",
            "view",
        ],
    ),
];

/// Not part of the library's layers.
const FREE: &[&str] = &["lib", "bin"];

fn source_files(at: &Path) -> Vec<PathBuf> {
    if at.is_file() {
        return vec![at.to_path_buf()];
    }
    let Ok(entries) = fs::read_dir(at) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.retain(|path| path.is_dir() || path.extension().is_some_and(|e| e == "rs"));
    paths.iter().flat_map(|path| source_files(path)).collect()
}

/// The modules of the crate that a line of code names after `crate::`; `crate::{a, b::c}` names a
/// and b.
fn named_modules(line: &str) -> Vec<String> {
    let code = line.split("//").next().unwrap_or("");
    let word =
        |text: &str| -> String { text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect() };
    let mut named = Vec::new();
    for after in code.split("crate::").skip(1) {
        match after.strip_prefix('{') {
            None => named.push(word(after)),
            Some(list) => {
                let mut depth = 0;
                let tops = list.split(|c| {
                    depth += i32::from(c == '{') - i32::from(c == '}');
                    c == ',' && depth == 0
                });
                named.extend(tops.map(|top| word(top.trim())).filter(|name| !name.is_empty()));
            }
        }
    }
    named
}

fn source_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

#[test]
fn no_module_uses_a_later_one() {
    let mut broken = Vec::new();
    for (module, allowed) in MAY_USE {
        let root = source_root();
        let mut files = source_files(&root.join(module));
        files.extend(source_files(&root.join(format!("{module}.rs"))));
        assert!(!files.is_empty(), "the table has a row for {module}, which has no files");
        for file in files {
            for (number, line) in fs::read_to_string(&file).unwrap().lines().enumerate() {
                for named in named_modules(line) {
                    if named != *module && !allowed.contains(&named.as_str()) {
                        let place = file.strip_prefix(&root).unwrap().display().to_string();
                        broken.push(format!("src/{place}:{}: {module} may not use {named}", number + 1));
                    }
                }
            }
        }
    }
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

#[test]
fn every_module_has_a_row() {
    for entry in fs::read_dir(source_root()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let has_row = MAY_USE.iter().any(|(module, _)| *module == name) || FREE.contains(&name.as_str());
        assert!(has_row, "src/{name} has no row in the table of layers");
    }
}

#[test]
fn a_row_allows_only_earlier_modules() {
    for (row, (module, allowed)) in MAY_USE.iter().enumerate() {
        for name in *allowed {
            let before = MAY_USE[..row].iter().any(|(earlier, _)| earlier == name);
            assert!(before, "{module} may use {name}, which does not stand before it: a cycle");
        }
    }
}

/// Fitted skeletons come as skeleton files, so that the modules of the browser do not contain the
/// crate that fits them. Only the command line links it.
#[test]
fn the_library_and_skeleton_fitting_do_not_use_each_other() {
    let names = |root: &Path, name: &str| -> Vec<PathBuf> {
        let uses = |file: &PathBuf| {
            let text = fs::read_to_string(file).unwrap();
            text.lines().any(|line| line.split("//").next().unwrap_or("").contains(name))
        };
        source_files(root).into_iter().filter(uses).collect()
    };
    let shell = source_root().join("bin");
    let users = names(&source_root(), "pliant_fitting");
    assert!(users.iter().any(|file| file.starts_with(&shell)), "the command line fits skeletons");
    let others: Vec<&PathBuf> = users.iter().filter(|file| !file.starts_with(&shell)).collect();
    assert!(others.is_empty(), "{others:?}");
    let fitting = Path::new(env!("CARGO_MANIFEST_DIR")).join("fitting/src");
    assert_eq!(names(&fitting, "pliant::"), Vec::<PathBuf>::new());
}

/// The same holds for motions, but for the standard bones, which both know.
#[test]
fn the_library_uses_the_standard_bones_of_motions_alone() {
    let users = |root: &Path, name: &str| -> Vec<PathBuf> {
        let uses = |file: &PathBuf| fs::read_to_string(file).unwrap().contains(name);
        source_files(root).into_iter().filter(uses).collect()
    };
    let shell = source_root().join("bin");
    let linking = users(&source_root(), "pliant_motion::");
    let (in_shell, others): (Vec<PathBuf>, Vec<_>) =
        linking.into_iter().partition(|file| file.starts_with(&shell));
    assert!(!in_shell.is_empty(), "the command line retargets");
    assert_eq!(others, [source_root().join("model/humanoid.rs")]);
    let motion = Path::new(env!("CARGO_MANIFEST_DIR")).join("motion/src");
    assert_eq!(users(&motion, "pliant::"), Vec::<PathBuf>::new());
}

#[test]
fn module_names_are_found_in_all_forms_of_use() {
    assert_eq!(named_modules("use crate::model::Mesh;"), ["model"]);
    assert_eq!(named_modules("use crate::{math, model::{Mesh, Pose}, report};"), ["math", "model", "report"]);
    assert_eq!(named_modules("let x = crate::math::unit_or(a, crate::io::b);"), ["math", "io"]);
    assert!(named_modules("//! See [`crate::view`].").is_empty());
    assert!(named_modules("pub(crate) fn f() {}").is_empty());
}
