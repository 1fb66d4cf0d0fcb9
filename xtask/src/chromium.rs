//! Finds a Chromium for the browser tests, or gets one.

use std::path::{Path, PathBuf};

use crate::run::{Workspace, output, show};

/// Where browsers of that family usually are.
const USUAL: [&str; 6] = [
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
    "/snap/bin/chromium",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/// The browser named by `CHROMIUM`, or one in the usual places, or Debian's, installed.
pub fn find(workspace: &Workspace) -> Result<PathBuf, String> {
    if let Some(named) = std::env::var_os("CHROMIUM").map(PathBuf::from) {
        let missing = || format!("CHROMIUM names {}, which is not there", named.display());
        return if named.is_file() { Ok(named) } else { Err(missing()) };
    }
    if let Some(found) = usual() {
        return Ok(found);
    }
    install(workspace)?;
    usual().ok_or_else(|| "the package chromium has no /usr/bin/chromium".to_owned())
}

fn usual() -> Option<PathBuf> {
    USUAL.iter().map(PathBuf::from).find(|path| path.is_file())
}

fn install(workspace: &Workspace) -> Result<(), String> {
    const HELP: &str = "there is no Chromium; install one, or name it by the environment variable CHROMIUM";
    let is_root = output(&mut workspace.program("id", ["-u"])).is_ok_and(|id| id.trim() == "0");
    if !is_root || !Path::new("/usr/bin/apt-get").is_file() {
        return Err(HELP.to_owned());
    }
    let apt = |arguments: &[&str]| {
        let mut command = workspace.program("apt-get", arguments);
        show(command.env("DEBIAN_FRONTEND", "noninteractive"))
    };
    apt(&["update", "--quiet"]).and_then(|()| apt(&["install", "--quiet", "--yes", "--no-install-recommends", "chromium"]))
        .map_err(|error| format!("{error}; {HELP}"))
}
