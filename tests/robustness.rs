//! Damaged files of every format give an error or a valid model, never a panic, a NaN or excessive
//! memory.
//!
//! [`survive`] damages each of several valid files in turn: it truncates them, flips single bits,
//! and sets bytes to extremes. The damaged offsets are fixed, so failures are reproducible. To test
//! another format, add it to [`valid_files`].

use std::panic::{AssertUnwindSafe, catch_unwind};

use pliant::io::{File, ReadError, read_model, read_skeleton};
use pliant::model::Asset;
use pliant::report::Report;

use crate::formats::{archives, samples};
use crate::gltf;
use crate::memory;
use crate::shared_models;
use crate::vrm;

/// The most memory a reader may use at once for a damaged file, in bytes.
const MAX_BYTES: usize = 512 << 20;

/// Valid files, and how to read them.
pub struct ValidFiles {
    /// For messages.
    pub name: &'static str,
    /// Files that belong together; each is damaged in turn.
    pub files: Vec<File>,
    /// Reads the files, and panics if the result is not valid.
    pub read: fn(&[File]) -> Result<(), ReadError>,
}

impl ValidFiles {
    fn model(name: &'static str, bytes: Vec<u8>) -> Self {
        Self { name, files: vec![File { name: name.into(), bytes }], read: read_valid_model }
    }

    fn skeleton(name: &'static str, bytes: Vec<u8>) -> Self {
        Self { name, files: vec![File { name: name.into(), bytes }], read: read_valid_skeleton }
    }
}

/// Every format, small enough to be damaged at many offsets.
fn valid_files() -> Vec<ValidFiles> {
    let mut all: Vec<ValidFiles> =
        samples::models().into_iter().map(|(name, bytes)| ValidFiles::model(name, bytes)).collect();
    all.push(ValidFiles::model("skinned.glb", gltf::skinned_bar().glb()));
    all.push(ValidFiles {
        name: "skinned.gltf",
        files: gltf::skinned_bar().gltf_and_bin(),
        read: read_valid_model,
    });
    all.push(ValidFiles::skeleton("rig.glb", gltf::skinned_bar().glb()));
    all.push(ValidFiles::model("avatar.vrm", vrm::avatar_1().glb()));
    all.push(ValidFiles::skeleton("motion.vrma", vrm::motion().glb()));
    all.push(ValidFiles::model("figure.zip", archives::character()));
    all.extend(samples::skeletons().into_iter().map(|(name, bytes)| ValidFiles::skeleton(name, bytes)));
    all
}

/// Reads a model and checks that it is well-formed and finite.
pub fn read_valid_model(files: &[File]) -> Result<(), ReadError> {
    let asset = read_model(files, &mut Report::default())?;
    assert_valid(&asset);
    Ok(())
}

/// Reads a skeleton and checks that it is well-formed.
pub fn read_valid_skeleton(files: &[File]) -> Result<(), ReadError> {
    let file = read_skeleton(files, &mut Report::default())?;
    file.skeleton.assert_well_formed();
    file.clips.iter().for_each(|clip| clip.assert_well_formed(&file.skeleton));
    Ok(())
}

fn assert_valid(asset: &Asset) {
    asset.assert_well_formed();
    assert!(!asset.mesh.triangles().is_empty(), "a model without triangles");
    assert!(asset.render.uvs.iter().all(|uv| uv.is_finite()), "a texture coordinate is not finite");
    assert!(asset.render.colors.iter().all(|color| color.is_finite()), "a colour is not finite");
}

/// One way to damage a file.
#[derive(Clone, Copy, Debug)]
enum Damage {
    TruncateAt(usize),
    Flip { byte: usize, bit: u8 },
    Set { byte: usize, value: u8 },
}

impl Damage {
    fn apply(self, bytes: &mut Vec<u8>) {
        match self {
            Self::TruncateAt(length) => bytes.truncate(length),
            Self::Flip { byte, bit } => bytes[byte] ^= 1 << bit,
            Self::Set { byte, value } => bytes[byte] = value,
        }
    }
}

/// Widest step between damaged bytes. It is prime, so it does not stay in one column of a table.
const WIDEST_STEP: usize = 97;

/// Offsets in a file of `length` bytes: `step` apart, in a large file up to [`WIDEST_STEP`].
fn offsets(length: usize, step: usize) -> impl Iterator<Item = usize> {
    const MANY_OFFSETS: usize = 1500;
    (0..length).step_by((step.max(length / MANY_OFFSETS) | 1).min(WIDEST_STEP))
}

fn damages(length: usize) -> Vec<Damage> {
    let cuts = offsets(length, 97).chain(length.saturating_sub(40)..length).map(Damage::TruncateAt);
    let flips = offsets(length, 7).enumerate().map(|(i, byte)| Damage::Flip { byte, bit: (i % 8) as u8 });
    let extremes = [0x00, 0xFF, 0x7F, b'9', b'-', b' '];
    let sets = offsets(length, 5)
        .enumerate()
        .map(move |(i, byte)| Damage::Set { byte, value: extremes[i % extremes.len()] });
    cuts.chain(flips).chain(sets).collect()
}

/// Fails if a reader panics or uses too much memory on damaged files.
pub fn survive(valid: &ValidFiles) {
    survive_all(valid, damages);
}

/// The same with other damages of a file of a given length. Returns the number of files read and
/// of errors.
fn survive_all(valid: &ValidFiles, damages: fn(usize) -> Vec<Damage>) -> (usize, usize) {
    if let Err(error) = (valid.read)(&valid.files) {
        panic!("{} is not valid before damage: {error}", valid.name);
    }
    let (mut read, mut errors) = (0, 0);
    for damaged in 0..valid.files.len() {
        for damage in damages(valid.files[damaged].bytes.len()) {
            let mut files = valid.files.clone();
            damage.apply(&mut files[damaged].bytes);
            let (outcome, peak) = memory::peak_of(|| catch_unwind(AssertUnwindSafe(|| (valid.read)(&files))));
            let name = &files[damaged].name;
            match outcome {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    errors += 1;
                    assert!(!error.what.is_empty(), "{name}, {damage:?}: the error has no message");
                }
                Err(_) => panic!("{name}, {damage:?}: the reader panicked (see above)"),
            }
            assert!(peak < MAX_BYTES, "{name}, {damage:?}: took {peak} bytes");
            read += 1;
        }
    }
    (read, errors)
}

/// One damage at every 97th byte, of each kind in turn.
fn one_damage_each(length: usize) -> Vec<Damage> {
    let damage = |(i, byte): (usize, usize)| match i % 4 {
        0 => Damage::Flip { byte, bit: (i / 4 % 8) as u8 },
        1 => Damage::Set { byte, value: 0x00 },
        2 => Damage::Set { byte, value: 0xFF },
        _ => Damage::TruncateAt(byte),
    };
    (0..length).step_by(WIDEST_STEP).enumerate().map(damage).collect()
}

/// The FBX, VRM and compressed files of the shared models, or those whose path contains the
/// variable `DAMAGED`.
#[test]
#[ignore = "takes many minutes: cargo test --test pliant every_97th_byte -- --ignored --nocapture"]
fn shared_files_damaged_at_every_97th_byte_give_an_error_or_a_valid_model() {
    let chosen = std::env::var("DAMAGED").map_or_else(
        |_| ["/fbx_ufbx/", "/vrm/", "/gltf_compressed/"].map(String::from).to_vec(),
        |name| vec![name],
    );
    for path in shared_models::files_with(&[".fbx", ".vrm", ".glb", ".gltf"]) {
        if !chosen.iter().any(|part| path.to_string_lossy().contains(part)) {
            continue;
        }
        let files = shared_models::with_neighbours(&path);
        if read_valid_model(&files).is_err() {
            println!("{}: not a model", path.display());
            continue;
        }
        let valid = ValidFiles { name: "a shared file", files, read: read_valid_model };
        let (read, errors) = survive_all(&valid, one_damage_each);
        println!("{}: {read} reads, {errors} errors", path.display());
    }
}

#[test]
fn damaged_files_of_every_format_give_an_error_or_a_valid_model() {
    for valid in valid_files() {
        survive(&valid);
    }
}

#[test]
fn files_of_one_repeated_byte_are_rejected() {
    for byte in [0u8, b' ', b'\n', b'#', b'{', b'v', b'9', 0xFF] {
        for length in [0, 1, 83, 84, 85, 134, 4096] {
            let files = [File { name: "x".into(), bytes: vec![byte; length] }];
            assert!(read_valid_model(&files).is_err(), "{length} × {byte}");
            assert!(read_valid_skeleton(&files).is_err(), "{length} × {byte}");
        }
    }
}

#[test]
fn false_counts_are_rejected_before_memory_is_allocated() {
    let false_counts: [(&str, Vec<u8>); 6] = [
        ("vertices.ply", samples::ply_declaring("vertex", 4_000_000_000)),
        ("faces.ply", samples::ply_declaring("face", 4_000_000_000)),
        ("other.ply", samples::ply_declaring("other", usize::MAX)),
        ("list.ply", samples::ply_with_huge_list()),
        ("solid.stl", samples::stl_declaring(u32::MAX)),
        ("index.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4000000000\n".to_vec()),
    ];
    for (name, bytes) in false_counts {
        let files = [File { name: name.into(), bytes }];
        let (outcome, peak) = memory::peak_of(|| read_valid_model(&files));
        let error = outcome.expect_err(name);
        assert!(peak < 1 << 20, "{name}: took {peak} bytes before saying \"{error}\"");
    }
}

#[test]
fn malicious_polygons_are_triangulated_in_bounded_time() {
    // A comb with many teeth: every ear is tested against every corner.
    let mut obj = String::new();
    let teeth = 40_000;
    for i in 0..teeth {
        obj += &format!("v {} {} 0\n", teeth - i, if i % 2 == 0 { 9 } else { 1 });
    }
    obj += "v 0 0 0\nv 40001 0 0\nf";
    (1..=teeth + 2).for_each(|i| obj += &format!(" {i}"));
    read_valid_model(&[File { name: "comb.obj".into(), bytes: obj.into_bytes() }]).unwrap();
}
