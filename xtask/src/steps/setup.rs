//! Installs what is missing: nothing but rustup and Node has to be there.

use crate::chromium;
use crate::run::{Outcome, Workspace, output, show};
use crate::wasm::{TARGET, add_target, without_rustup};

const COMPONENTS: [&str; 2] = ["rustfmt", "clippy"];

/// Adds the WebAssembly target, Cargo's tools and a Chromium where they are missing.
pub fn run(workspace: &Workspace) -> Outcome {
    let rustup = |arguments: &[&str]| workspace.program("rustup", arguments);
    add_target(workspace)?;
    let components = output(&mut rustup(&["component", "list", "--installed"])).map_err(without_rustup)?;
    for component in COMPONENTS {
        if !has(&components, component) {
            show(&mut rustup(&["component", "add", component]))?;
        }
    }
    let node = output(&mut workspace.program("node", ["--version"])).map_err(|error| {
        format!("{error}; install Node 20 or newer from https://nodejs.org and try again")
    })?;
    let chromium = chromium::find(workspace)?;
    println!(
        "{TARGET}, {}, Node {} and {} are there",
        COMPONENTS.join(", "),
        node.trim(),
        chromium.display()
    );
    Ok(())
}

/// Whether a list with one name per line has `name`, perhaps followed by the host's name.
fn has(list: &str, name: &str) -> bool {
    let is_it = |line: &str| line.strip_prefix(name).is_some_and(|r| r.is_empty() || r.starts_with('-'));
    list.lines().any(is_it)
}

#[cfg(test)]
mod tests {
    use super::has;

    #[test]
    fn names_match_with_and_without_a_host() {
        let list = "cargo-x86_64-unknown-linux-gnu\nclippy-x86_64-unknown-linux-gnu\nrust-src";
        assert!(has(list, "clippy") && has(list, "rust-src"));
        assert!(!has(list, "clip") && !has(list, "rustfmt"));
    }
}
