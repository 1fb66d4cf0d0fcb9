//! Reads and writes files: bytes to model and back, one module per format.
//!
//! Input: the bytes of a file and of the files given with it. Output: an [`Asset`], or a skeleton
//! alone. This module uses neither disk nor network. The format is recognised by content, never by
//! name. Every count, offset and size is checked before it is used, so a file that declares a false
//! size is rejected before memory is allocated.

mod build;
mod bvh;
mod error;
mod fbx;
mod format;
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
#[cfg(not(target_arch = "wasm32"))]
mod zip;

pub use error::{ErrorCode, ReadError};
pub use fbx::ConvertedFbx;
pub use format::{Format, FormatInfo, UnsupportedFormat};
pub use obj_out::write_obj;
pub use sniff::sniff;
#[cfg(not(target_arch = "wasm32"))]
pub use zip::unpacked;

use crate::math::sort_few;
use crate::model::{Asset, Clip, Skeleton};
use crate::report::{Report, Warning};
use gltf::Decoders;

/// A file: its name (for messages and for references between files) and its bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// The name, possibly with folders.
    pub name: String,
    /// The whole content.
    pub bytes: Vec<u8>,
}

/// A skeleton that was read without a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct SkeletonFile {
    /// The joints.
    pub skeleton: Skeleton,
    /// The animation clips of the file.
    pub clips: Vec<Clip>,
}

/// Reads the first of `files` that has a mesh. It may refer to the other files. Further models are
/// skipped with a warning. Archives are unpacked.
///
/// # Errors
/// If no file is a model, or the model cannot be read. With several files the location begins with
/// the name of the file.
pub fn read_model(files: &[File], report: &mut Report) -> Result<Asset, ReadError> {
    Reader::new(&unpacked(files)?).read_model(report)
}

/// Reads a model like [`read_model`]. If it has no skeleton, takes the skeleton of another file.
///
/// # Errors
/// Those of [`read_model`]. A missing skeleton is not an error.
pub fn read_character(files: &[File], report: &mut Report) -> Result<Asset, ReadError> {
    Reader::new(&unpacked(files)?).read_character(report)
}

/// Reads the skeleton of the first of `files` in a format without meshes, or else of the first file
/// that has one.
///
/// # Errors
/// If no file has a skeleton, or it cannot be read.
pub fn read_skeleton(files: &[File], report: &mut Report) -> Result<SkeletonFile, ReadError> {
    Reader::new(&unpacked(files)?).read_skeleton(report)
}

/// The files as they are: in the browser the worker has unpacked archives.
#[cfg(target_arch = "wasm32")]
fn unpacked(files: &[File]) -> Result<std::borrow::Cow<'_, [File]>, ReadError> {
    Ok(files.into())
}

/// Files that are opened together, and the decoders of their compressed parts.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    files: &'a [File],
    decoders: &'a dyn Decoders,
}

impl<'a> Reader<'a> {
    /// With the decoders of the program. In the browser there are none, see
    /// [`gltf::compressed_parts`].
    pub fn new(files: &'a [File]) -> Self {
        #[cfg(not(target_arch = "wasm32"))]
        let decoders = &gltf::LinkedDecoders;
        #[cfg(target_arch = "wasm32")]
        let decoders = &gltf::UnavailableDecoders;
        Self { files, decoders }
    }

    /// With other decoders.
    pub fn with_decoders(files: &'a [File], decoders: &'a dyn Decoders) -> Self {
        Self { files, decoders }
    }

    /// Like the function [`read_model`].
    ///
    /// # Errors
    /// Those of the function.
    pub fn read_model(&self, report: &mut Report) -> Result<Asset, ReadError> {
        let (main, asset) = self.first_model(report)?;
        warn_of_others(self.files, &[main], report);
        Ok(asset)
    }

    /// Like the function [`read_character`].
    ///
    /// # Errors
    /// Those of the function.
    pub fn read_character(&self, report: &mut Report) -> Result<Asset, ReadError> {
        let (main, mut asset) = self.first_model(report)?;
        let mut used = vec![main];
        if asset.skeleton.is_none()
            && let Ok((other, read)) = self.first_skeleton(Some(main), report)
        {
            asset.set_skeleton(read.skeleton, read.clips);
            used.push(other);
        }
        warn_of_others(self.files, &used, report);
        Ok(asset)
    }

    /// Like the function [`read_skeleton`].
    ///
    /// # Errors
    /// Those of the function.
    pub fn read_skeleton(&self, report: &mut Report) -> Result<SkeletonFile, ReadError> {
        self.first_skeleton(None, report).map(|(_, read)| read)
    }

    /// Reads the first file with a mesh, and returns it with the mesh.
    fn first_model(&self, report: &mut Report) -> Result<(&'a File, Asset), ReadError> {
        let files = self.files;
        let mut without_mesh = None;
        for (main, format) in recognised(files, |format| format.has_mesh) {
            match self.read_mesh(main, format, report) {
                Ok(asset) => return Ok((main, asset)),
                // The file has only a rig; a later file may have the mesh.
                Err(error) if error.code == ErrorCode::NoMesh => {
                    without_mesh.get_or_insert(in_file(error, main, files));
                }
                Err(error) => return Err(in_file(error, main, files)),
            }
        }
        Err(without_mesh.unwrap_or_else(|| no_model(&sniffed(files))))
    }

    /// Reads the mesh of a file in a known format.
    fn read_mesh(&self, main: &File, format: Format, report: &mut Report) -> Result<Asset, ReadError> {
        match format {
            Format::Glb | Format::Gltf => gltf::read_model(main, self.files, self.decoders, report),
            Format::Fbx => {
                let main = fbx::to_glb(main, self.files, self.decoders, report)?;
                gltf::read_model(&main, self.files, self.decoders, report)
            }
            Format::Obj => obj::read(main, report),
            Format::Ply => ply::read(main, report),
            Format::StlBinary => stl::read_binary(main),
            Format::StlAscii => stl::read_ascii(main, report),
            Format::Vrma | Format::Bvh | Format::Tgf | Format::SkeletonJson => Err(skeleton_only(main)),
            Format::Zip => Err(not_unpacked()),
            Format::Unsupported(format) => Err(format.error()),
        }
    }

    /// Reads the first skeleton. Formats without meshes come first and `mesh` comes last, because
    /// its nodes are joints only if no other file has any.
    fn first_skeleton(
        &self,
        mesh: Option<&File>,
        report: &mut Report,
    ) -> Result<(&'a File, SkeletonFile), ReadError> {
        let files = self.files;
        let is_mesh = |file: &File| mesh.is_some_and(|mesh| std::ptr::eq(mesh, file));
        let mut candidates = recognised(files, |format| format.has_skeleton);
        let rank = |&(file, format): &(&File, Format)| (format.info().has_mesh, is_mesh(file));
        sort_few(&mut candidates, |a, b| rank(a).cmp(&rank(b)));
        let mut without_skeleton = None;
        for (main, format) in candidates {
            match self.read_joints(main, format, report) {
                Ok(read) => return Ok((main, read)),
                // The file has only a mesh; a later file may have the rig.
                Err(error) if error.code == ErrorCode::NoSkeleton => {
                    without_skeleton.get_or_insert(in_file(error, main, files));
                }
                Err(error) => return Err(in_file(error, main, files)),
            }
        }
        Err(without_skeleton.unwrap_or_else(|| no_skeleton(&sniffed(files))))
    }

    /// Reads the skeleton of a file in a known format.
    fn read_joints(
        &self,
        main: &File,
        format: Format,
        report: &mut Report,
    ) -> Result<SkeletonFile, ReadError> {
        match format {
            Format::Glb | Format::Gltf | Format::Vrma => {
                gltf::read_skeleton(main, self.files, self.decoders, report)
            }
            Format::Fbx => {
                let main = fbx::to_glb(main, self.files, self.decoders, report)?;
                gltf::read_skeleton(&main, self.files, self.decoders, report)
            }
            Format::Bvh => bvh::read(main, report),
            Format::Tgf => tgf::read(main, report),
            Format::SkeletonJson => skeleton_json::read(main),
            Format::Obj | Format::Ply | Format::StlBinary | Format::StlAscii => Err(mesh_only(main)),
            Format::Zip => Err(not_unpacked()),
            Format::Unsupported(format) => Err(format.error()),
        }
    }
}

fn sniffed(files: &[File]) -> Vec<(&File, Option<Format>)> {
    files.iter().map(|file| (file, sniff(&file.bytes))).collect()
}

/// The files whose format fulfils `is_included`, in their order.
fn recognised(files: &[File], is_included: fn(FormatInfo) -> bool) -> Vec<(&File, Format)> {
    let known = sniffed(files).into_iter().filter_map(|(file, format)| Some((file, format?)));
    known.filter(|&(_, format)| is_included(format.info())).collect()
}

/// Warns of models that are not among `used`. The first of `used` is the model that was read.
fn warn_of_others(files: &[File], used: &[&File], report: &mut Report) {
    for (other, _) in recognised(files, |format| format.has_mesh) {
        if !used.iter().any(|&file| std::ptr::eq(file, other)) {
            let what = format!(
                "only one model is read at a time; this file was skipped in favour of {}",
                used[0].name
            );
            report.warn(Warning::File { place: other.name.clone(), what });
        }
    }
}

/// Puts the name of the file in front of the location if there are several files.
fn in_file(mut error: ReadError, file: &File, files: &[File]) -> ReadError {
    if files.len() > 1 {
        let separator = if error.place.is_empty() { "" } else { ", " };
        error.place = format!("{}{separator}{}", file.name, error.place);
    }
    error
}

/// The error if no file is a model.
fn no_model(sniffed: &[(&File, Option<Format>)]) -> ReadError {
    let has_skeleton = |format: Format| format.info().has_skeleton;
    let file = sniffed.iter().find(|(_, format)| format.is_some_and(has_skeleton));
    file.map_or_else(|| unreadable(sniffed), |(file, _)| skeleton_only(file))
}

/// The error if no file has a skeleton.
fn no_skeleton(sniffed: &[(&File, Option<Format>)]) -> ReadError {
    let has_mesh = |format: Format| format.info().has_mesh;
    let file = sniffed.iter().find(|(_, format)| format.is_some_and(has_mesh));
    file.map_or_else(|| unreadable(sniffed), |(file, _)| mesh_only(file))
}

fn skeleton_only(file: &File) -> ReadError {
    let what = format!("\"{}\" contains a skeleton but no mesh", file.name);
    ReadError::new(ErrorCode::NoMesh, "", what).hint("open the model it belongs to as well")
}

/// The error for an archive in an archive.
fn not_unpacked() -> ReadError {
    let what = "this is a ZIP archive inside another one, which Pliant does not unpack";
    ReadError::new(ErrorCode::Unsupported, "", what).hint("unpack it and open the model inside")
}

fn mesh_only(file: &File) -> ReadError {
    let what = format!("\"{}\" contains a mesh but no skeleton", file.name);
    let hint = "add a rigged GLB, or a skeleton as BVH, TGF or JSON with \"bones\"";
    ReadError::new(ErrorCode::NoSkeleton, "", what).hint(hint)
}

/// The error if no file can be read: names the first unsupported one, or else lists the formats.
fn unreadable(sniffed: &[(&File, Option<Format>)]) -> ReadError {
    let unsupported = sniffed.iter().find_map(|&(file, format)| match format {
        Some(Format::Unsupported(format)) => Some((file, format.error())),
        Some(Format::Zip) => Some((file, not_unpacked())),
        Some(_) | None => None,
    });
    if let Some((file, error)) = unsupported {
        let place = if sniffed.len() > 1 { file.name.clone() } else { String::new() };
        return ReadError { place, ..error };
    }
    let what = match sniffed {
        [] => "there is no file to read",
        [(file, _)] if file.bytes.is_empty() => "the file is empty",
        [_] => "the content matches no known format",
        _ => "no file is in a known format",
    };
    let models = format::labels(|format| format.has_mesh);
    let skeletons = format::labels(|format| format.has_skeleton);
    ReadError::new(ErrorCode::UnknownFormat, "", what)
        .hint(format!("models: {models}; skeletons: {skeletons}"))
}
