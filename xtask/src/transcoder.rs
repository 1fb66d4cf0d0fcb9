//! The size of the KTX2 transcoder, which visitors download when a texture needs it.

use std::path::PathBuf;

use crate::run::{Outcome, Workspace};
use crate::wasm;

/// How the names of its files in `www/dist/assets` begin.
const FILES: [&str; 2] = ["transcoder_worker-", "basis_transcoder-"];

/// The largest permitted size of all files in bytes, gzipped (docs/budgets.md#page).
const LIMIT: u64 = 280_000;

/// Prints the size and checks it.
pub fn check_size(workspace: &Workspace) -> Outcome {
    let mut size = 0;
    for start in FILES {
        let files = assets(workspace, start)?;
        if files.is_empty() {
            return Err(format!("www/dist/assets has no file {start}*"));
        }
        for file in files {
            size += wasm::gzipped_size(workspace, &file)?;
        }
    }
    println!("transcoder: {size} bytes gzipped, {LIMIT} allowed");
    if size <= LIMIT {
        Ok(())
    } else {
        Err(format!("the transcoder is {size} bytes gzipped, above its limit of {LIMIT}"))
    }
}

/// The files of the site whose names begin with `start`.
fn assets(workspace: &Workspace, start: &str) -> Result<Vec<PathBuf>, String> {
    let folder = workspace.www("dist/assets");
    let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    Ok(names.filter(|name| name.starts_with(start)).map(|name| folder.join(name)).collect())
}
