//! Folders of the project, and how other programs are run.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Success, or one line with the reason and a remedy.
pub type Outcome = Result<(), String>;

/// Folders.
pub struct Workspace {
    /// The folder of the top Cargo.toml.
    pub root: PathBuf,
    /// The target folder of Cargo, however it is configured.
    pub target: PathBuf,
}

impl Workspace {
    /// Finds the folders with `cargo metadata`.
    pub fn find() -> Result<Self, String> {
        // The value at run time: the binary may have been built in another clone with the same
        // target folder.
        let here =
            std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let root = Path::new(&here).parent().map(Path::to_path_buf);
        let root = root.ok_or("xtask is not inside the project")?;
        let metadata = output(cargo(&root).args(["metadata", "--no-deps", "--format-version", "1"]))?;
        let target = json_string(&metadata, "target_directory");
        let target = target.ok_or("`cargo metadata` names no target directory")?;
        Ok(Self { root, target: PathBuf::from(target) })
    }

    /// Cargo, in the project.
    pub fn cargo<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Command {
        let mut command = cargo(&self.root);
        command.args(arguments);
        command
    }

    /// A path below `www`.
    pub fn www(&self, path: &str) -> PathBuf {
        self.root.join("www").join(path)
    }

    /// npm, in `www`.
    pub fn npm<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Command {
        let mut command = self.program(if cfg!(windows) { "npm.cmd" } else { "npm" }, arguments);
        command.current_dir(self.root.join("www"));
        command
    }

    /// Another program, in the project.
    pub fn program<A: AsRef<OsStr>>(&self, name: &str, arguments: impl IntoIterator<Item = A>) -> Command {
        let mut command = Command::new(name);
        command.current_dir(&self.root).args(arguments);
        command
    }
}

fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    // `cargo run` set these for xtask. Build scripts that depend on them would run again.
    for name in ["CARGO_MANIFEST_DIR", "CARGO_MANIFEST_PATH", "CARGO_PKG_NAME", "CARGO_PKG_VERSION"] {
        command.env_remove(name);
    }
    command
}

/// Runs a command and shows its output. Fails if the command does.
pub fn show(command: &mut Command) -> Outcome {
    let line = as_typed(command);
    println!("$ {line}");
    let status = command.status().map_err(|error| cannot_start(command, &error))?;
    if status.success() { Ok(()) } else { Err(format!("`{line}` failed ({status})")) }
}

/// Runs a command and returns its standard output. Fails if the command does.
pub fn output(command: &mut Command) -> Result<String, String> {
    let out = command.stderr(Stdio::inherit()).output().map_err(|error| cannot_start(command, &error))?;
    if out.status.success() {
        String::from_utf8(out.stdout).map_err(|_| format!("`{}` prints no text", as_typed(command)))
    } else {
        Err(format!("`{}` failed ({})", as_typed(command), out.status))
    }
}

fn cannot_start(command: &Command, error: &std::io::Error) -> String {
    format!("cannot start {}: {error}", command.get_program().display())
}

fn as_typed(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_stem().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// The first string with this key in a JSON text; enough for `cargo metadata`.
fn json_string(json: &str, name: &str) -> Option<String> {
    let (_, after) = json.split_once(&format!("\"{name}\":\""))?;
    let mut value = String::new();
    let mut characters = after.chars();
    loop {
        match characters.next()? {
            '"' => return Some(value),
            '\\' => value.push(characters.next()?),
            other => value.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::json_string;

    #[test]
    fn a_path_with_backslashes_and_quotes_is_read() {
        let json = r#"{"version":1,"target_directory":"C:\\a \"b\"\\target","x":"y"}"#;
        assert_eq!(json_string(json, "target_directory").unwrap(), r#"C:\a "b"\target"#);
        assert_eq!(json_string(json, "missing"), None);
    }
}
