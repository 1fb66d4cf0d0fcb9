//! Readers of all formats: features, and errors with their locations.

pub mod archives;
mod bvh;
mod compressed;
mod obj;
mod ply;
mod real;
pub mod samples;
mod skeletons;
mod sniffing;
mod stl;

use pliant::io::{ErrorCode, File, ReadError, read_model, read_skeleton};
use pliant::model::{Asset, Skeleton};
use pliant::report::Report;

fn file(name: &str, bytes: impl AsRef<[u8]>) -> File {
    File { name: name.into(), bytes: bytes.as_ref().to_vec() }
}

/// The model in `bytes`, checked, and its warnings.
fn model_and_warnings(name: &str, bytes: impl AsRef<[u8]>) -> (Asset, Vec<String>) {
    let mut report = Report::default();
    let asset =
        read_model(&[file(name, bytes)], &mut report).unwrap_or_else(|error| panic!("{name}: {error}"));
    asset.assert_well_formed();
    (asset, report.warnings().iter().map(ToString::to_string).collect())
}

/// A model without warnings.
fn model(name: &str, bytes: impl AsRef<[u8]>) -> Asset {
    let (asset, warnings) = model_and_warnings(name, bytes);
    assert_eq!(warnings, Vec::<String>::new(), "{name}");
    asset
}

fn model_error(bytes: impl AsRef<[u8]>) -> ReadError {
    read_model(&[file("bad", bytes)], &mut Report::default()).expect_err("this should not be read")
}

fn skeleton_and_warnings(bytes: impl AsRef<[u8]>) -> (Skeleton, Vec<String>) {
    let mut report = Report::default();
    let read = read_skeleton(&[file("rig", bytes)], &mut report).unwrap_or_else(|error| panic!("{error}"));
    read.skeleton.assert_well_formed();
    (read.skeleton, report.warnings().iter().map(ToString::to_string).collect())
}

fn skeleton_error(bytes: impl AsRef<[u8]>) -> ReadError {
    read_skeleton(&[file("bad", bytes)], &mut Report::default()).expect_err("this should not be read")
}

/// The code and the location of an error.
fn code_and_location(error: &ReadError) -> (ErrorCode, &str) {
    (error.code, error.place.as_str())
}
