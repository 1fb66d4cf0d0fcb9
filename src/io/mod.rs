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

/// Reads the first of `files` that has a mesh; the others are there for it to refer to. Further models
/// are left out with a warning.
///
/// # Errors
/// When none of them is a model, or when the model cannot be read; with several files the place begins with
/// the name of the one meant.
pub fn read_model(files: &[File], report: &mut Report) -> Result<Asset, ReadError> {
    let (main, asset) = model_among(files, report)?;
    warn_of_others(files, &[main], report);
    Ok(asset)
}

/// The same with a skeleton: that of the model or, where it has none, the one that came in another file.
///
/// # Errors
/// As for a model. A mesh alone is none.
pub fn read_character(files: &[File], report: &mut Report) -> Result<Asset, ReadError> {
    let (main, mut asset) = model_among(files, report)?;
    let mut used = vec![main];
    if asset.skeleton.is_none()
        && let Ok((other, read)) = skeleton_among(files, Some(main), report)
    {
        asset.set_skeleton(read.skeleton, read.clips);
        used.push(other);
    }
    warn_of_others(files, &used, report);
    Ok(asset)
}

/// Reads a skeleton out of the first of `files` that holds nothing else, or out of the first glTF that has one.
///
/// # Errors
/// When none of them has a skeleton, or when it cannot be read.
pub fn read_skeleton(files: &[File], report: &mut Report) -> Result<SkeletonFile, ReadError> {
    skeleton_among(files, None, report).map(|(_, read)| read)
}

fn model_among<'a>(files: &'a [File], report: &mut Report) -> Result<(&'a File, Asset), ReadError> {
    let mut refused = None;
    for (main, format) in known(files, Format::is_model) {
        let read = match format {
            Format::Obj => obj::read(main, report),
            Format::Ply => ply::read(main, report),
            Format::StlBinary => stl::read_binary(main),
            Format::StlAscii => stl::read_ascii(main, report),
            _ => gltf::read_model(main, files, report),
        };
        match read {
            Ok(asset) => return Ok((main, asset)),
            // A rig alone; the mesh it is for may come after it.
            Err(error) if error.code == ErrorCode::NoMesh => {
                refused.get_or_insert(in_file(error, main, files));
            }
            Err(error) => return Err(in_file(error, main, files)),
        }
    }
    Err(refused.unwrap_or_else(|| no_model(&sniffed(files))))
}

/// Of glTF files `mesh` comes last: what it has are at most nodes that can be taken for joints.
fn skeleton_among<'a>(
    files: &'a [File],
    mesh: Option<&File>,
    report: &mut Report,
) -> Result<(&'a File, SkeletonFile), ReadError> {
    let mut candidates = known(files, Format::is_skeleton);
    let is_gltf = |format| matches!(format, Format::Glb | Format::Gltf);
    let is_mesh = |file: &File| mesh.is_some_and(|mesh| std::ptr::eq(mesh, file));
    for wanted in [false, true] {
        candidates.extend(known(files, is_gltf).iter().filter(|(file, _)| is_mesh(file) == wanted));
    }
    let mut refused = None;
    for (main, format) in candidates {
        let read = match format {
            Format::Tgf => tgf::read(main, report),
            Format::SkeletonJson => skeleton_json::read(main),
            _ => gltf::read_skeleton(main, files, report),
        };
        match read {
            Ok(read) => return Ok((main, read)),
            // A mesh alone; the rig for it may come after it.
            Err(error) if error.code == ErrorCode::NoSkeleton => {
                refused.get_or_insert(in_file(error, main, files));
            }
            Err(error) => return Err(in_file(error, main, files)),
        }
    }
    Err(refused.unwrap_or_else(|| no_skeleton(&sniffed(files))))
}

fn sniffed(files: &[File]) -> Vec<(&File, Option<Format>)> {
    files.iter().map(|file| (file, sniff(&file.bytes))).collect()
}

fn known(files: &[File], wanted: fn(Format) -> bool) -> Vec<(&File, Format)> {
    let known = sniffed(files).into_iter().filter_map(|(file, format)| Some((file, format?)));
    known.filter(|&(_, format)| wanted(format)).collect()
}

/// Models of which nothing was used; the first of `used` was read.
fn warn_of_others(files: &[File], used: &[&File], report: &mut Report) {
    for (other, _) in known(files, Format::is_model) {
        if !used.iter().any(|&file| std::ptr::eq(file, other)) {
            let what = format!("one model is read at a time; this one was left out for {}", used[0].name);
            report.warn(Warning::File { place: other.name.clone(), what });
        }
    }
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
