//! Reads FBX by converting it to glTF.
//!
//! In: an FBX file, and the files with its textures. Out: a GLB, which is then read like any other.
//! The converter is a [decoder](super::gltf::Decoders): linked natively, a module of its own in the
//! browser.

use super::gltf::Decoders;
use super::{ErrorCode, File, ReadError};
use crate::report::{Report, Warning};

/// A converted file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConvertedFbx {
    /// The GLB.
    pub glb: Vec<u8>,
    /// What could not be converted: places and descriptions.
    pub warnings: Vec<[String; 2]>,
}

/// The GLB of an FBX file, under its own name.
pub(super) fn to_glb(
    main: &File,
    files: &[File],
    decoders: &dyn Decoders,
    report: &mut Report,
) -> Result<File, ReadError> {
    let converted = decoders.convert_fbx(main, files)?;
    for [place, what] in converted.warnings {
        report.warn(Warning::File { place, what });
    }
    Ok(File { name: main.name.clone(), bytes: converted.glb })
}

/// Converts with the linked converter.
///
/// # Errors
/// What is wrong, where in the file, and what to do.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn convert(main: &File, files: &[File]) -> Result<ConvertedFbx, ReadError> {
    use pliant_fbx::{Error, Sibling, to_glb};
    let is_other = |file: &&File| !std::ptr::eq(*file, main);
    let siblings: Vec<Sibling<'_>> =
        files.iter().filter(is_other).map(|file| Sibling { name: &file.name, bytes: &file.bytes }).collect();
    let converted = to_glb(&main.bytes, &siblings).map_err(|error| {
        let Error { kind, place, what, hint } = error;
        ReadError { code: code(kind.name()), place, what, hint }
    })?;
    let warnings = converted.warnings.into_iter().map(|warning| [warning.place, warning.what]).collect();
    Ok(ConvertedFbx { glb: converted.glb, warnings })
}

/// The error that the module of the browser describes as code, place, problem and remedy, separated
/// by tabs. If the module failed, the text is only the problem.
pub(super) fn error_from(text: &str) -> ReadError {
    let parts: Vec<&str> = text.splitn(4, '\t').collect();
    let [name, place, what, hint] = parts[..] else {
        let error = ReadError::new(ErrorCode::Malformed, "", text);
        return error.hint("export the file again, or convert it to GLB, for example in Blender");
    };
    ReadError { code: code(name), place: place.into(), what: what.into(), hint: hint.into() }
}

/// The code with the name of a kind of the converter.
fn code(name: &str) -> ErrorCode {
    let codes = [
        ErrorCode::UnknownFormat,
        ErrorCode::Unsupported,
        ErrorCode::Truncated,
        ErrorCode::TooLarge,
        ErrorCode::NoMesh,
    ];
    codes.into_iter().find(|code| code.name() == name).unwrap_or(ErrorCode::Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_converter_keep_their_parts() {
        let error = error_from("truncated\tbyte 7\tthe file ends\tcopy it again");
        assert_eq!((error.code, error.place.as_str()), (ErrorCode::Truncated, "byte 7"));
        assert_eq!(error.to_string(), "byte 7: the file ends; copy it again");
        let failed = error_from("the decoder failed: unreachable");
        assert_eq!((failed.code, failed.what.contains("unreachable")), (ErrorCode::Malformed, true));
    }

    #[test]
    fn a_file_that_is_cut_short_is_reported_with_a_remedy() {
        let file = File { name: "a.fbx".into(), bytes: b"Kaydara FBX Binary  \0\x1a\0".to_vec() };
        let error = super::super::read_model(&[file], &mut Report::default()).unwrap_err();
        assert!(!error.what.is_empty() && !error.hint.is_empty(), "{error}");
    }
}
