//! Files that the library generates for the site: `www/pkg/options.json` and `www/pkg/samples`.
//!
//! The command line writes them natively, so that neither WebAssembly module has the generator of
//! the sample characters.

use std::path::PathBuf;

use crate::run::{Outcome, Workspace, show};

/// The environment variable that tells browser tests where the command line is. They generate
/// characters of other sizes with it.
pub const SHELL: &str = "PLIANT_SHELL";

/// Writes the files.
pub fn build(workspace: &Workspace) -> Outcome {
    let shell = shell(workspace)?;
    let folder = workspace.www("pkg");
    show(workspace.program(&shell.to_string_lossy(), ["site-assets"]).arg(&folder))?;
    let sizes = std::fs::read_dir(folder.join("samples"))
        .map_err(|error| format!("{}: {error}", folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.metadata().ok()?.len()));
    println!("samples: {} bytes in all", sizes.sum::<u64>());
    Ok(())
}

/// Builds the command line in the profile of the tests, which use the same build. Returns the
/// program.
pub fn shell(workspace: &Workspace) -> Result<PathBuf, String> {
    show(&mut workspace.cargo(["build", "--package", "pliant", "--bin", "pliant"]))?;
    Ok(workspace.target.join("debug").join(format!("pliant{}", std::env::consts::EXE_SUFFIX)))
}
