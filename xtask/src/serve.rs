//! `cargo xtask serve`: builds the site and serves it locally.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::run::{Outcome, Workspace};
use crate::www;

const PORT: u16 = 8080;

/// The longest request line in bytes. Browsers send shorter ones.
const LONGEST_LINE: u64 = 8192;

/// Builds the site and serves it until interrupted.
pub fn run(workspace: &Workspace, arguments: &[String]) -> Outcome {
    let port = port_of(arguments)?;
    // Before the build, so that a port in use is reported at once.
    let listener = TcpListener::bind(("127.0.0.1", port))
        .map_err(|error| format!("port {port} cannot be used: {error}; choose another by --port"))?;
    www::build(workspace)?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    println!("\nPliant is on http://{address}/ (Ctrl+C ends it)");
    let root = Arc::new(workspace.www("dist"));
    for stream in listener.incoming().flatten() {
        let root = Arc::clone(&root);
        // An error here means that the browser closed the connection.
        thread::spawn(move || answer(stream, &root).ok());
    }
    Ok(())
}

fn port_of(arguments: &[String]) -> Result<u16, String> {
    match arguments {
        [] => Ok(PORT),
        [flag, port] if flag == "--port" => {
            port.parse().map_err(|_| format!("'{port}' is no port; ports run from 0 to 65535"))
        }
        _ => Err("usage: cargo xtask serve [--port N]".to_owned()),
    }
}

fn answer(mut stream: TcpStream, root: &Path) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let mut reader = BufReader::new(stream.try_clone()?).take(LONGEST_LINE);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut words = request.split_whitespace();
    let (method, target) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    // The headers are not needed, but must be read before the answer.
    let mut line = String::from(" ");
    while !line.trim_end().is_empty() {
        line.clear();
        reader.set_limit(LONGEST_LINE);
        reader.read_line(&mut line)?;
    }
    if !matches!(method, "GET" | "HEAD") {
        return write!(
            stream,
            "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
    }
    let Some(body) =
        file_of(root, target).and_then(|path| Some((std::fs::read(&path).ok()?, type_of(&path))))
    else {
        return write!(stream, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    };
    let (bytes, kind) = body;
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-cache\r\nConnection: close\r\n\r\n",
        bytes.len()
    )?;
    if method == "GET" { stream.write_all(&bytes) } else { Ok(()) }
}

/// The file of an address; none for addresses outside the folder.
fn file_of(root: &Path, target: &str) -> Option<PathBuf> {
    let path = target.split(['?', '#']).next()?.trim_start_matches('/');
    // No file of the site has a name that would be escaped.
    let relative = Path::new(if path.is_empty() { "index.html" } else { path });
    let is_plain = relative.components().all(|part| matches!(part, Component::Normal(_)));
    is_plain.then(|| root.join(relative)).filter(|file| file.is_file())
}

fn type_of(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript",
        Some("css") => "text/css",
        Some("wasm") => "application/wasm",
        Some("json" | "webmanifest") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("glb") => "model/gltf-binary",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_chosen_or_refused_with_a_reason() {
        let words = |text: &str| text.split_whitespace().map(String::from).collect::<Vec<_>>();
        assert_eq!(port_of(&[]), Ok(PORT));
        assert_eq!(port_of(&words("--port 9000")), Ok(9000));
        assert!(port_of(&words("--port many")).unwrap_err().contains("'many'"));
        assert!(port_of(&words("9000")).unwrap_err().contains("usage"));
    }

    #[test]
    fn no_address_leads_out_of_the_folder() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert_eq!(file_of(root, "/Cargo.toml?x=1"), Some(root.join("Cargo.toml")));
        assert_eq!(file_of(root, "/src/main.rs"), Some(root.join("src/main.rs")));
        for outside in ["/../Cargo.toml", "/src/../../Cargo.toml", "/..", "//etc/passwd", "/"] {
            assert_eq!(file_of(root, outside), None, "{outside}");
        }
    }
}
