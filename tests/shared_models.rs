//! Real characters in the folder `../shared/models`, if it exists.

use std::path::{Path, PathBuf};

use pliant::io::File;

/// The folder of models beside the repository. If it is absent, the test reports itself as skipped:
/// `cargo xtask test` counts these lines.
pub fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/models");
    if !folder.is_dir() {
        println!("skipped: shared models");
        return None;
    }
    Some(folder)
}

/// All files below the folder whose names have one of these endings, sorted.
pub fn files_with(endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = folder().into_iter().collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if endings.iter().any(|ending| path.to_string_lossy().ends_with(ending)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// One of four, spread evenly: for tests that take long on each model. Commands look at all of them
/// (docs/formats.md, docs/quality.md, fitting/README.md).
pub fn sample<T>(models: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    models.into_iter().step_by(4)
}

/// A file, followed by the `.bin` files in its folder.
pub fn with_neighbours(path: &Path) -> Vec<File> {
    let mut files = vec![read(path)];
    for entry in std::fs::read_dir(path.parent().unwrap()).unwrap() {
        let neighbour = entry.unwrap().path();
        if neighbour.is_file() && neighbour != path && neighbour.extension().is_some_and(|e| e == "bin") {
            files.push(read(&neighbour));
        }
    }
    files
}

#[expect(clippy::disallowed_methods, reason = "tests read files")]
pub fn read(path: &Path) -> File {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    File { name, bytes: std::fs::read(path).unwrap() }
}
