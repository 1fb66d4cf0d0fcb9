//! ZIP archives: what is unpacked, and what is refused.

use miniz_oxide::deflate::compress_to_vec;
use pliant::io::{ErrorCode, File, read_character, read_model, read_skeleton, unpacked};
use pliant::report::Report;

use super::samples::{self, obj_cube};
use super::{file, model_error};
use crate::gltf;
use crate::memory::peak_of;

/// An entry of an archive under construction.
struct Entry {
    name: String,
    bytes: Vec<u8>,
    method: u16,
}

impl Entry {
    fn new(name: &str, bytes: impl AsRef<[u8]>, method: u16) -> Self {
        Self { name: name.into(), bytes: bytes.as_ref().to_vec(), method }
    }
}

/// The bits of CRC-32, one at a time.
fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, &byte| {
        (0..8).fold(
            crc ^ u32::from(byte),
            |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 },
        )
    })
}

/// An archive of these entries, with a comment.
fn zip(entries: &[Entry]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for Entry { name, bytes, method } in entries {
        let packed = if *method == 8 { compress_to_vec(bytes, 6) } else { bytes.clone() };
        let mut common = vec![20, 0, 0, 8];
        common.extend(method.to_le_bytes());
        common.extend([0; 4]);
        for number in [checksum(bytes), packed.len() as u32, bytes.len() as u32, name.len() as u32] {
            common.extend(number.to_le_bytes());
        }
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend((archive.len() as u32).to_le_bytes());
        directory.extend(name.as_bytes());
        archive.extend(b"PK\x03\x04");
        archive.extend(&common);
        archive.extend(name.as_bytes());
        archive.extend(packed);
    }
    let count = (entries.len() as u16).to_le_bytes();
    let (start, size) = (archive.len() as u32, directory.len() as u32);
    archive.extend(directory);
    archive.extend(b"PK\x05\x06\0\0\0\0");
    archive.extend([count, count].concat());
    archive.extend([size.to_le_bytes(), start.to_le_bytes()].concat());
    archive.extend(b"\x05\0hello");
    archive
}

/// An archive of one deflated file.
pub fn zip_of(name: &str, text: &str) -> Vec<u8> {
    zip(&[Entry::new(name, text, 8)])
}

/// A character in two files, and what programs put beside it.
pub fn character() -> Vec<u8> {
    let [document, buffer] = gltf::skinned_bar().gltf_and_bin().try_into().unwrap();
    zip(&[
        Entry::new("figure/", b"", 0),
        Entry::new("__MACOSX/figure/._test.gltf", b"nothing", 0),
        Entry::new("figure/.DS_Store", b"nothing", 0),
        Entry::new("figure/test.gltf", document.bytes, 8),
        Entry::new("figure\\textures\\test.bin", buffer.bytes, 0),
    ])
}

fn unpack(archive: Vec<u8>) -> Vec<File> {
    unpacked(&[file("a.zip", archive)]).unwrap().into_owned()
}

#[test]
fn a_model_and_its_files_are_opened_from_an_archive() {
    let names: Vec<String> = unpack(character()).into_iter().map(|file| file.name).collect();
    assert_eq!(names, ["figure/test.gltf", "figure/textures/test.bin"]);
    let asset = read_model(&[file("figure.zip", character())], &mut Report::default()).unwrap();
    asset.assert_well_formed();
    let plain = read_model(&gltf::skinned_bar().gltf_and_bin(), &mut Report::default()).unwrap();
    assert_eq!((asset.render, asset.stored_weights), (plain.render, plain.stored_weights));
    // A mesh in one archive, its skeleton beside it.
    let mesh = file("mesh.zip", zip(&[Entry::new("cube.obj", obj_cube(), 8)]));
    let files = [mesh, file("rig.tgf", samples::TGF)];
    let asset = read_character(&files, &mut Report::default()).unwrap();
    assert_eq!(asset.skeleton.unwrap().joints().len(), 4);
    assert_eq!(read_skeleton(&files, &mut Report::default()).unwrap().skeleton.joints().len(), 4);
}

#[test]
fn a_program_in_front_of_the_archive_is_ignored() {
    let archive = [b"PK\x03\x04 a program ".to_vec(), character()].concat();
    assert_eq!(unpack(archive).len(), 2);
}

#[test]
fn what_cannot_be_unpacked_is_refused_with_a_remedy() {
    let cube = || Entry::new("cube.obj", obj_cube(), 8);
    let refused = |archive: Vec<u8>, code: ErrorCode, words: &str| {
        let error = model_error(archive);
        assert_eq!(error.code, code, "{error}");
        assert!(error.to_string().contains(words) && !error.hint.is_empty(), "{error}");
    };
    let plain = zip(&[cube()]);
    let directory = plain.windows(4).position(|at| at == b"PK\x01\x02").unwrap();
    let end = plain.windows(4).position(|at| at == b"PK\x05\x06").unwrap();
    let with = |at: usize, bytes: &[u8]| {
        let mut archive = plain.clone();
        archive[at..at + bytes.len()].copy_from_slice(bytes);
        archive
    };
    refused(with(directory + 8, &[1, 0]), ErrorCode::Unsupported, "encrypted");
    refused(with(directory + 10, &[12, 0]), ErrorCode::Unsupported, "method 12");
    refused(with(directory + 16, &[0, 0, 0, 0]), ErrorCode::Malformed, "checksum");
    refused(with(end + 16, &[0xFF; 4]), ErrorCode::Unsupported, "ZIP64");
    refused(with(end + 10, &[0, 0x20]), ErrorCode::TooLarge, "8192 files");
    refused(with(end + 10, &[2, 0]), ErrorCode::Malformed, "no entry of the directory");
    refused(with(end + 12, &[0xFE; 4]), ErrorCode::Truncated, "missing");
    refused(with(directory + 42, &[0xFE; 4]), ErrorCode::Malformed, "header");
    refused(plain[..end].to_vec(), ErrorCode::Truncated, "missing");
    refused(zip(&[Entry::new("inner.zip", &plain, 0)]), ErrorCode::Unsupported, "inside another");
    refused(zip(&[Entry::new("scene.usdc", b"PXR-USDC", 0)]), ErrorCode::Unsupported, "USD");
    refused(zip(&[Entry::new("readme.txt", b"hello", 0)]), ErrorCode::UnknownFormat, "no known format");
}

#[test]
fn archives_that_claim_too_much_are_refused_before_memory_is_allocated() {
    let plain = zip(&[Entry::new("cube.obj", obj_cube(), 8)]);
    let directory = plain.windows(4).position(|at| at == b"PK\x01\x02").unwrap();
    let mut huge = plain;
    huge[directory + 24..directory + 28].copy_from_slice(&0xF000_0000u32.to_le_bytes());
    // A bomb: zeros that are honestly declared. A smaller declaration ends unpacking early.
    let bomb = zip(&[Entry::new("zeros.obj", vec![0; 120 << 20], 8)]);
    let mut liar = bomb.clone();
    let directory = liar.windows(4).rposition(|at| at == b"PK\x01\x02").unwrap();
    liar[directory + 24..directory + 28].copy_from_slice(&1000u32.to_le_bytes());
    for (archive, code) in
        [(huge, ErrorCode::TooLarge), (bomb, ErrorCode::TooLarge), (liar, ErrorCode::Malformed)]
    {
        let files = [file("a.zip", archive)];
        let (outcome, peak) = peak_of(|| unpacked(&files).map(drop));
        assert_eq!(outcome.unwrap_err().code, code);
        assert!(peak < 1 << 20, "{peak}");
    }
}
