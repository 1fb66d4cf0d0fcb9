//! Finds a Chromium for the browser tests, or installs one.

use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;

use crate::run::{Outcome, Workspace, output, show};

/// Names of the program.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Where it is if it is not on the path.
const ELSEWHERE: [&str; 3] = [
    "/snap/bin/chromium",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/// The package of Debian.
const PACKAGE: &str = "chromium";

/// The browser named by the variable `CHROMIUM`, or one on the path or in the usual places. If
/// there is none, installs the package of Debian.
pub fn find(workspace: &Workspace) -> Result<PathBuf, String> {
    if let Some(named) = env::var_os("CHROMIUM").map(PathBuf::from) {
        let missing = || format!("CHROMIUM names {}, which is not there", named.display());
        return if named.is_file() { Ok(named) } else { Err(missing()) };
    }
    if let Some(found) = installed() {
        return Ok(found);
    }
    install(workspace)?;
    installed()
        .ok_or_else(|| format!("the package {PACKAGE} was installed, but no program of that name is there"))
}

fn installed() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    NAMES.iter().find_map(|name| on_path(&path, name)).or_else(|| {
        let mut places = ELSEWHERE.iter().map(PathBuf::from);
        places.find(|place| place.is_file())
    })
}

/// The program with this name in the first folder of `path` that has one.
fn on_path(path: &OsStr, name: &str) -> Option<PathBuf> {
    env::split_paths(path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

fn install(workspace: &Workspace) -> Outcome {
    let is_root = output(&mut workspace.program("id", ["-u"])).is_ok_and(|id| id.trim() == "0");
    let has_apt = on_path(&env::var_os("PATH").unwrap_or_default(), "apt-get").is_some();
    if !(is_root && has_apt) {
        return Err(help(has_apt));
    }
    let apt = |arguments: &[&str]| {
        let mut command = workspace.program("apt-get", arguments);
        show(command.env("DEBIAN_FRONTEND", "noninteractive"))
    };
    let get = || apt(&["install", "--quiet", "--yes", "--no-install-recommends", PACKAGE]);
    // An old package list may still have the package.
    apt(&["update", "--quiet"])
        .or_else(|reason| {
            eprintln!("xtask: {reason}; trying with the lists that are there");
            Ok(())
        })
        .and_then(|()| get())
        .map_err(|reason| format!("{reason}; {}", help(has_apt)))
}

/// The remedy if it cannot be installed here.
fn help(has_apt: bool) -> String {
    let how = if has_apt {
        format!("run `sudo apt-get install {PACKAGE}`")
    } else {
        "install Chromium or Chrome".to_owned()
    };
    format!(
        "there is no Chromium for the browser tests; {how}, or name one by the environment variable CHROMIUM"
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_program_is_found_in_the_first_folder_that_has_it() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let path = env::join_paths([root.join("nowhere"), root.join("src"), root.to_path_buf()]).unwrap();
        assert_eq!(on_path(&path, "main.rs"), Some(root.join("src/main.rs")));
        assert_eq!(on_path(&path, "Cargo.toml"), Some(root.join("Cargo.toml")));
        assert_eq!(on_path(&path, "src"), None, "a folder is no program");
        assert_eq!(on_path(OsStr::new(""), "chromium"), None);
    }

    #[test]
    fn help_names_a_package_where_there_are_packages_and_the_variable_everywhere() {
        assert!(help(true).contains("apt-get install chromium") && help(true).contains("CHROMIUM"));
        assert!(!help(false).contains("apt-get") && help(false).contains("CHROMIUM"));
    }
}
