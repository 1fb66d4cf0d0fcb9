//! Reading and writing files. The library itself never uses the disk.

use std::fs;
use std::path::{Path, PathBuf};

use pliant::io::{File, Format, gltf, sniff};
use pliant::model::Asset;

use crate::Failure;
use crate::args::GlbArgs;

/// Reads a file and what belongs to it: for a `.gltf`, the files in its folder that it refers to;
/// for an FBX, the images beside it.
pub fn read_with_references(path: &Path) -> Result<Vec<File>, Failure> {
    let main = read(path)?;
    let mut files = Vec::new();
    for uri in pliant::io::gltf::referenced_files(&main.bytes) {
        let referenced = path.parent().unwrap_or(Path::new("")).join(&uri);
        // The reader reports missing files, with the place that refers to them.
        if stays_inside(&uri)
            && let Ok(mut file) = read(&referenced)
        {
            file.name = uri;
            files.push(file);
        }
    }
    if sniff(&main.bytes) == Some(Format::Fbx) {
        files.extend(images_beside(path));
    }
    files.insert(0, main);
    Ok(files)
}

/// The images in the folder of an FBX file and in the folders where exporters put its textures. The
/// paths in the file itself are those of the machine it was made on.
fn images_beside(path: &Path) -> Vec<File> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let folders = [folder.to_owned(), folder.join("textures"), path.with_extension("fbm")];
    // The current folder has an empty name.
    let folders = folders.map(|folder| if folder == Path::new("") { PathBuf::from(".") } else { folder });
    let entries = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| is_image(path)).collect();
    paths.sort();
    paths.iter().filter_map(|path| read(path).ok()).collect()
}

/// Whether the name is one of an image that an FBX file may refer to.
fn is_image(path: &Path) -> bool {
    let name = path.to_string_lossy().to_lowercase();
    Format::Fbx.info().companions.iter().any(|extension| name.ends_with(extension))
}

/// Whether a reference stays in the folder of the model. Other files are never read.
fn stays_inside(uri: &str) -> bool {
    let path = Path::new(uri);
    path.is_relative() && !path.components().any(|part| part == std::path::Component::ParentDir)
}

#[expect(clippy::disallowed_methods, reason = "the shell reads files")]
pub fn read(path: &Path) -> Result<File, Failure> {
    let bytes = fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    Ok(File { name: path.to_string_lossy().into_owned(), bytes })
}

/// Writes a file completely or not at all: under another name first, then renamed.
#[expect(clippy::disallowed_methods, reason = "the shell writes files")]
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut name =
        path.file_name().ok_or_else(|| format!("{} is not a file name", path.display()))?.to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(name);
    let written = fs::write(&part, bytes).and_then(|()| fs::rename(&part, path));
    written.map_err(|error| {
        // Removes the incomplete file. If this fails as well, the first error is the one to report.
        fs::remove_file(&part).unwrap_or_default();
        format!("cannot write {}: {error}", path.display()).into()
    })
}

/// Writes a GLB, compressed if that is asked for. Prints what compression gained.
pub fn write_glb(path: &Path, glb: &[u8], args: &GlbArgs) -> Result<(), Failure> {
    if !args.compress {
        return write(path, glb);
    }
    match gltf::compress(glb)? {
        Some(compressed) => {
            write(path, &compressed)?;
            eprintln!("pliant: note: compressed from {} to {} bytes", glb.len(), compressed.len());
            Ok(())
        }
        None => {
            eprintln!("pliant: note: compression would not make the file smaller");
            write(path, glb)
        }
    }
}

/// The format of an output file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Output {
    Glb,
    /// A GLB that is an avatar, for models that were one: [`check_avatar`].
    Vrm,
    Obj,
}

impl Output {
    fn extension(self) -> &'static str {
        match self {
            Self::Glb => ".glb",
            Self::Vrm => ".vrm",
            Self::Obj => ".obj",
        }
    }
}

/// The format by extension, checked before any work is done.
pub fn output_kind(path: &Path, allowed: &[Output]) -> Result<Output, Failure> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    let kind = match extension.as_str() {
        "glb" => Some(Output::Glb),
        "vrm" => Some(Output::Vrm),
        "obj" => Some(Output::Obj),
        _ => None,
    };
    kind.filter(|kind| allowed.contains(kind)).ok_or_else(|| {
        let names: Vec<&str> = allowed.iter().map(|kind| kind.extension()).collect();
        format!("cannot write {}; the output must end in {}", path.display(), names.join(" or ")).into()
    })
}

/// Rejects an output that ends in .vrm if the model is not an avatar: other programs would refuse
/// the file.
pub fn check_avatar(output: &Path, kind: Output, asset: &Asset) -> Result<(), Failure> {
    if kind == Output::Vrm && asset.vrm.is_none() {
        let path = output.display();
        return Err(format!("cannot write {path}; the model is not a VRM avatar, so use .glb").into());
    }
    Ok(())
}

/// Adds the name of the file to a reading error.
pub fn about(path: &Path) -> impl Fn(pliant::io::ReadError) -> Failure + use<> {
    let path: PathBuf = path.to_owned();
    move |error| format!("{}: {error}", path.display()).into()
}
