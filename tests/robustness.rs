//! Damaged files of every format: an error or a valid model, never a panic, a NaN or excessive
//! memory.
//!
//! [`survive`] takes valid files and damages each of them in turn: truncated, single bits flipped,
//! bytes set to extremes. The positions are deterministic, so a failure repeats. To test another
//! format, add it to [`valid_files`].

use std::panic::{AssertUnwindSafe, catch_unwind};

use pliant::io::{File, ReadError, read_model, read_skeleton};
use pliant::model::Asset;
use pliant::report::Report;

use crate::formats::samples;
use crate::gltf;
use crate::memory;

/// The largest memory a reader may allocate at once for any damaged file.
const MOST_BYTES: usize = 512 << 20;

/// Files that can be read, and how.
pub struct ValidFiles {
    /// For messages.
    pub name: &'static str,
    /// Read together; each is damaged in turn.
    pub files: Vec<File>,
    /// Reads them and panics if the result is not valid.
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

/// Every format, small enough to be damaged at many positions.
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
    all.extend(samples::skeletons().into_iter().map(|(name, bytes)| ValidFiles::skeleton(name, bytes)));
    all
}

/// Reads a model, which must be well-formed.
pub fn read_valid_model(files: &[File]) -> Result<(), ReadError> {
    let asset = read_model(files, &mut Report::default())?;
    assert_valid(&asset);
    Ok(())
}

/// Reads a skeleton, which must be well-formed.
pub fn read_valid_skeleton(files: &[File]) -> Result<(), ReadError> {
    let file = read_skeleton(files, &mut Report::default())?;
    file.skeleton.assert_well_formed();
    file.clips.iter().for_each(|clip| clip.assert_well_formed(&file.skeleton));
    Ok(())
}

fn assert_valid(asset: &Asset) {
    asset.assert_well_formed();
    assert!(!asset.mesh.triangles().is_empty(), "a model without triangles");
    assert!(asset.render.uvs.iter().all(|uv| uv.is_finite()), "a texture coordinate is not a number");
    assert!(asset.render.colors.iter().all(|color| color.is_finite()), "a colour is not a number");
}

/// One kind of damage to a file.
#[derive(Clone, Copy, Debug)]
enum Damage {
    CutAt(usize),
    Flip { byte: usize, bit: u8 },
    Set { byte: usize, value: u8 },
}

impl Damage {
    fn apply(self, bytes: &mut Vec<u8>) {
        match self {
            Self::CutAt(length) => bytes.truncate(length),
            Self::Flip { byte, bit } => bytes[byte] ^= 1 << bit,
            Self::Set { byte, value } => bytes[byte] = value,
        }
    }
}

/// Positions in a file of `length` bytes: all of them `step` apart, or some thousand of a large
/// one.
fn positions(length: usize, step: usize) -> impl Iterator<Item = usize> {
    const MOST: usize = 1500;
    // An odd step, so that it does not stay in one column of a table.
    (0..length).step_by(step.max(length / MOST) | 1)
}

fn damages(length: usize) -> Vec<Damage> {
    let cuts = positions(length, 97).chain(length.saturating_sub(40)..length).map(Damage::CutAt);
    let flips = positions(length, 7).enumerate().map(|(i, byte)| Damage::Flip { byte, bit: (i % 8) as u8 });
    let extremes = [0x00, 0xFF, 0x7F, b'9', b'-', b' '];
    let sets = positions(length, 5)
        .enumerate()
        .map(move |(i, byte)| Damage::Set { byte, value: extremes[i % extremes.len()] });
    cuts.chain(flips).chain(sets).collect()
}

/// Fails if any damage to `valid` makes its reader fail.
pub fn survive(valid: &ValidFiles) {
    if let Err(error) = (valid.read)(&valid.files) {
        panic!("{} is not good to begin with: {error}", valid.name);
    }
    for damaged in 0..valid.files.len() {
        for damage in damages(valid.files[damaged].bytes.len()) {
            let mut files = valid.files.clone();
            damage.apply(&mut files[damaged].bytes);
            let (outcome, peak) = memory::peak_of(|| catch_unwind(AssertUnwindSafe(|| (valid.read)(&files))));
            let name = &files[damaged].name;
            match outcome {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    assert!(!error.what.is_empty(), "{name}, {damage:?}: an error says nothing");
                }
                Err(_) => panic!("{name}, {damage:?}: the reader panicked (see above)"),
            }
            assert!(peak < MOST_BYTES, "{name}, {damage:?}: took {peak} bytes");
        }
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
fn headers_with_huge_counts_are_rejected_before_allocation() {
    let lies: [(&str, Vec<u8>); 6] = [
        ("vertices.ply", samples::ply_promising("vertex", 4_000_000_000)),
        ("faces.ply", samples::ply_promising("face", 4_000_000_000)),
        ("other.ply", samples::ply_promising("other", usize::MAX)),
        ("list.ply", samples::ply_with_endless_list()),
        ("solid.stl", samples::stl_promising(u32::MAX)),
        ("index.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4000000000\n".to_vec()),
    ];
    for (name, bytes) in lies {
        let files = [File { name: name.into(), bytes }];
        let (outcome, peak) = memory::peak_of(|| read_valid_model(&files));
        let error = outcome.expect_err(name);
        assert!(peak < 1 << 20, "{name}: took {peak} bytes before saying \"{error}\"");
    }
}

#[test]
fn polygons_with_worst_case_triangulation_finish_in_time() {
    // A comb of many teeth: every ear is tested against every corner.
    let mut obj = String::new();
    let teeth = 40_000;
    for i in 0..teeth {
        obj += &format!("v {} {} 0\n", teeth - i, if i % 2 == 0 { 9 } else { 1 });
    }
    obj += "v 0 0 0\nv 40001 0 0\nf";
    (1..=teeth + 2).for_each(|i| obj += &format!(" {i}"));
    read_valid_model(&[File { name: "comb.obj".into(), bytes: obj.into_bytes() }]).unwrap();
}
