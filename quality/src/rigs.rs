//! Finds and reads the rigged models of a folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pliant::io::{self, File};
use pliant::model::Asset;
use pliant::report::Report;
use serde::Deserialize;

/// A model with fewer vertices or weighted joints is a test case of a format, not a character.
const MIN_VERTICES: usize = 100;
const MIN_JOINTS: usize = 5;

/// Endings of the formats that store skins.
const ENDINGS: [&str; 4] = ["glb", "gltf", "vrm", "fbx"];

/// A file that may be a rigged model.
#[derive(Clone, Debug)]
pub struct ModelFile {
    /// Its path below the folder of models.
    pub name: String,
    /// Who made it: the source that `labels.json` beside it states, else its top folder.
    pub source: String,
    path: PathBuf,
}

/// An entry of `labels.json`.
#[derive(Deserialize)]
struct Label {
    source: String,
}

/// All files below `folder` that may be models, sorted by depth and name: of a character in two
/// encodings, the plain one comes first.
pub fn find(folder: &Path) -> Result<Vec<ModelFile>, String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(current) = folders.pop() {
        let unreadable = |error: std::io::Error| format!("{}: {error}", current.display());
        let labels = labels_in(&current);
        for entry in std::fs::read_dir(&current).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            let is_model = path.extension().is_some_and(|e| ENDINGS.iter().any(|ending| e == *ending));
            if path.is_dir() {
                folders.push(path);
            } else if is_model {
                let below = path.strip_prefix(folder).unwrap_or(&path);
                let name = below.to_string_lossy().into_owned();
                let label = path.file_name().and_then(|name| labels.get(name.to_string_lossy().as_ref()));
                let top = below.components().next().map(|top| top.as_os_str().to_string_lossy().into_owned());
                let source = label.map(|label| label.source.clone()).or(top).unwrap_or_default();
                files.push(ModelFile { name, source, path });
            }
        }
    }
    let key = |file: &ModelFile| (file.name.matches('/').count(), file.name.clone());
    files.sort_by_key(key);
    Ok(files)
}

fn labels_in(folder: &Path) -> BTreeMap<String, Label> {
    let text = std::fs::read_to_string(folder.join("labels.json")).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// About `count` of the files: of every source the same share, at least one, evenly spread.
pub fn sample(files: Vec<ModelFile>, count: usize) -> Vec<ModelFile> {
    let mut by_source: BTreeMap<String, Vec<ModelFile>> = BTreeMap::new();
    let total = files.len().max(1);
    files.into_iter().for_each(|file| by_source.entry(file.source.clone()).or_default().push(file));
    let mut chosen = Vec::new();
    for of_source in by_source.into_values() {
        let wanted = (of_source.len() * count).div_ceil(total).clamp(1, of_source.len());
        chosen.extend((0..wanted).map(|i| of_source[i * of_source.len() / wanted].clone()));
    }
    chosen
}

/// Reads a model. `None` if it cannot be read or is not a rigged character.
pub fn read(file: &ModelFile) -> Option<Arc<Asset>> {
    let mut files = vec![read_file(&file.path)?];
    for uri in io::gltf::referenced_files(&files[0].bytes) {
        if let Some(mut referenced) = read_file(&file.path.with_file_name(&uri)) {
            referenced.name = uri;
            files.push(referenced);
        }
    }
    let asset = io::read_model(&files, &mut Report::default()).ok()?;
    let weights = asset.stored_weights.as_ref()?;
    let mut is_weighted = vec![false; weights.columns()];
    weights.rows().flatten().for_each(|influence| is_weighted[influence.column as usize] = true);
    let joints = is_weighted.iter().filter(|&&weighted| weighted).count();
    (joints >= MIN_JOINTS && asset.mesh.positions().len() >= MIN_VERTICES).then(|| Arc::new(asset))
}

#[expect(clippy::disallowed_methods, reason = "this program reads models from the disk")]
fn read_file(path: &Path) -> Option<File> {
    let name = path.file_name()?.to_string_lossy().into_owned();
    Some(File { name, bytes: std::fs::read(path).ok()? })
}
