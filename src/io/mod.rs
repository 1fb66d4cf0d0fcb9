//! Bytes ⇄ model: one file per format. No disk, no network.
//!
//! In: the bytes of a file and of those given with it. Out: an [`Asset`], or a skeleton alone. The format
//! is told by content, never by name. Every count, offset and size is checked before it is used: a file
//! that lies about its size is refused, not allocated for.

mod build;
mod error;
mod foreign;
pub mod gltf;
mod limits;
mod obj;
mod obj_out;
mod ply;
mod polygon;
mod skeleton_json;
mod sniff;
mod stl;
mod text;
mod tgf;

pub use error::{ErrorCode, ReadError};
pub use foreign::Foreign;
pub use obj_out::write_obj;
pub use sniff::{Format, sniff};

use crate::model::{Asset, Clip, Skeleton};
use crate::report::{Report, Warning};

/// A file as it was given: its name (for messages and for references between files) and its bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// As given, possibly with folders.
    pub name: String,
    /// All of it.
    pub bytes: Vec<u8>,
}

/// A skeleton read without (or apart from) a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct SkeletonFile {
    /// The joints.
    pub skeleton: Skeleton,
    /// Its motions, if the file has any.
    pub clips: Vec<Clip>,
}

/// Reads the first of `files` that is a model; the others are there for it to refer to. Further models
/// are left out with a warning.
///
/// # Errors
/// When none of them is a model, or when the model cannot be read; with several files the place begins with
/// the name of the one meant.
pub fn read_model(files: &[File], report: &mut Report) -> Result<Asset, ReadError> {
    let given: Vec<(&File, Option<Format>)> = files.iter().map(|file| (file, sniff(&file.bytes))).collect();
    let mut models =
        given.iter().filter_map(|&(file, format)| Some((file, format?))).filter(|m| m.1.is_model());
    let Some((main, format)) = models.next() else {
        return Err(no_model(&given));
    };
    for (other, _) in models {
        let what = format!("one model is read at a time; this one was left out for {}", main.name);
        report.warn(Warning::File { place: other.name.clone(), what });
    }
    let asset = match format {
        Format::Obj => obj::read(main, report),
        Format::Ply => ply::read(main, report),
        Format::StlBinary => stl::read_binary(main),
        Format::StlAscii => stl::read_ascii(main, report),
        Format::Glb | Format::Gltf => gltf::read_model(main, files, report),
        Format::Tgf | Format::SkeletonJson | Format::Foreign(_) => Err(no_model(&given)),
    };
    asset.map_err(|error| in_file(error, main, files))
}

/// Reads a skeleton out of the first of `files` that holds nothing else, or out of the first glTF.
///
/// # Errors
/// When none of them has a skeleton, or when it cannot be read.
pub fn read_skeleton(files: &[File], report: &mut Report) -> Result<SkeletonFile, ReadError> {
    let given: Vec<(&File, Option<Format>)> = files.iter().map(|file| (file, sniff(&file.bytes))).collect();
    let first = |wanted: fn(Format) -> bool| {
        given.iter().filter_map(|&(file, format)| Some((file, format?))).find(|&(_, format)| wanted(format))
    };
    let found = first(Format::is_skeleton).or_else(|| first(|f| matches!(f, Format::Glb | Format::Gltf)));
    let Some((main, format)) = found else {
        return Err(no_skeleton(&given));
    };
    let skeleton = match format {
        Format::Tgf => tgf::read(main, report),
        Format::SkeletonJson => skeleton_json::read(main),
        Format::Glb | Format::Gltf => gltf::read_skeleton(main, files, report),
        _ => Err(no_skeleton(&given)),
    };
    skeleton.map_err(|error| in_file(error, main, files))
}

/// Adds the file's name to the place where there are several to choose from.
fn in_file(mut error: ReadError, file: &File, files: &[File]) -> ReadError {
    if files.len() > 1 {
        let separator = if error.place.is_empty() { "" } else { ", " };
        error.place = format!("{}{separator}{}", file.name, error.place);
    }
    error
}

/// Why none of the files is a model.
fn no_model(given: &[(&File, Option<Format>)]) -> ReadError {
    if let Some((file, _)) = given.iter().find(|(_, format)| format.is_some_and(Format::is_skeleton)) {
        let what = format!("{} holds a skeleton but no mesh", file.name);
        return ReadError::new(ErrorCode::NoMesh, "", what).hint("give the model it belongs to as well");
    }
    unreadable(given)
}

/// Why there is no skeleton in any of the files.
fn no_skeleton(given: &[(&File, Option<Format>)]) -> ReadError {
    if let Some((file, _)) = given.iter().find(|(_, format)| format.is_some_and(Format::is_model)) {
        let what = format!("{} holds a mesh but no skeleton", file.name);
        let hint = "give a rigged GLB, or a skeleton as TGF or JSON with \"bones\"";
        return ReadError::new(ErrorCode::NoSkeleton, "", what).hint(hint);
    }
    unreadable(given)
}

/// Names the first file that is known but not read here, or else says what is read.
fn unreadable(given: &[(&File, Option<Format>)]) -> ReadError {
    let known = given.iter().find_map(|&(file, format)| match format {
        Some(Format::Foreign(foreign)) => Some((file, foreign)),
        _ => None,
    });
    if let Some((file, foreign)) = known {
        let place = if given.len() > 1 { file.name.clone() } else { String::new() };
        return ReadError { place, ..foreign.refusal() };
    }
    let what = match given {
        [] => "no file was given".to_owned(),
        [(file, _)] if file.bytes.is_empty() => "the file is empty".to_owned(),
        [_] => "the content is none of the formats known here".to_owned(),
        _ => "none of the files is in a format known here".to_owned(),
    };
    let hint = "models: GLB, glTF, OBJ, PLY, STL; skeletons: GLB, glTF, TGF, JSON with \"bones\"";
    ReadError::new(ErrorCode::UnknownFormat, "", what).hint(hint)
}
