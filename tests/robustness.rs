//! Damaged files of every format: an error or a sound model, never a panic, a NaN or a flood of memory.
//!
//! [`survive`] takes files that are good and damages each of them in turn: cut short, single bits turned
//! over, bytes set to extremes. Which places are hit is fixed, so a failure repeats. To put a format under
//! the same test, add it to [`good_files`].

use std::panic::{AssertUnwindSafe, catch_unwind};

use pliant::io::{File, ReadError, read_model, read_skeleton};
use pliant::model::Asset;
use pliant::report::Report;

use crate::formats::samples;
use crate::gltf;
use crate::memory;

/// The most a reader may hold at once for any file, however damaged.
const MOST_BYTES: usize = 512 << 20;

/// Files that can be read, and how.
pub struct Good {
    /// For messages.
    pub name: &'static str,
    /// BoundaryConditions together; each is damaged in turn.
    pub files: Vec<File>,
    /// Reads them and panics when what comes out is not sound.
    pub read: fn(&[File]) -> Result<(), ReadError>,
}

impl Good {
    fn model(name: &'static str, bytes: Vec<u8>) -> Self {
        Self { name, files: vec![File { name: name.into(), bytes }], read: read_sound_model }
    }

    fn skeleton(name: &'static str, bytes: Vec<u8>) -> Self {
        Self { name, files: vec![File { name: name.into(), bytes }], read: read_sound_skeleton }
    }
}

/// Every format, small enough to be damaged in many places.
fn good_files() -> Vec<Good> {
    let mut all: Vec<Good> =
        samples::models().into_iter().map(|(name, bytes)| Good::model(name, bytes)).collect();
    all.push(Good::model("skinned.glb", gltf::skinned_bar().glb()));
    all.push(Good {
        name: "skinned.gltf",
        files: gltf::skinned_bar().gltf_and_bin(),
        read: read_sound_model,
    });
    all.push(Good::skeleton("rig.glb", gltf::skinned_bar().glb()));
    all.extend(samples::skeletons().into_iter().map(|(name, bytes)| Good::skeleton(name, bytes)));
    all
}

/// Reads a model; it must be well-formed down to the last number.
pub fn read_sound_model(files: &[File]) -> Result<(), ReadError> {
    let asset = read_model(files, &mut Report::default())?;
    assert_sound(&asset);
    Ok(())
}

/// Reads a skeleton; it must be well-formed.
pub fn read_sound_skeleton(files: &[File]) -> Result<(), ReadError> {
    let file = read_skeleton(files, &mut Report::default())?;
    file.skeleton.assert_well_formed();
    file.clips.iter().for_each(|clip| clip.assert_well_formed(&file.skeleton));
    Ok(())
}

fn assert_sound(asset: &Asset) {
    asset.assert_well_formed();
    assert!(!asset.mesh.triangles().is_empty(), "a model without triangles");
    assert!(asset.render.uvs.iter().all(|uv| uv.is_finite()), "a texture coordinate is not a number");
    assert!(asset.render.colors.iter().all(|color| color.is_finite()), "a colour is not a number");
}

/// One way to damage a file.
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

/// Places for a file of `length` bytes: all of them `step` apart, or some thousand of a large one.
fn places(length: usize, step: usize) -> impl Iterator<Item = usize> {
    const MOST: usize = 1500;
    // An odd step, so that it does not keep to one column of a table.
    (0..length).step_by(step.max(length / MOST) | 1)
}

fn damages(length: usize) -> Vec<Damage> {
    let cuts = places(length, 97).chain(length.saturating_sub(40)..length).map(Damage::CutAt);
    let flips = places(length, 7).enumerate().map(|(i, byte)| Damage::Flip { byte, bit: (i % 8) as u8 });
    let extremes = [0x00, 0xFF, 0x7F, b'9', b'-', b' '];
    let sets = places(length, 5)
        .enumerate()
        .map(move |(i, byte)| Damage::Set { byte, value: extremes[i % extremes.len()] });
    cuts.chain(flips).chain(sets).collect()
}

/// Fails if any damage to `good` brings its reader down.
pub fn survive(good: &Good) {
    if let Err(error) = (good.read)(&good.files) {
        panic!("{} is not good to begin with: {error}", good.name);
    }
    for damaged in 0..good.files.len() {
        for damage in damages(good.files[damaged].bytes.len()) {
            let mut files = good.files.clone();
            damage.apply(&mut files[damaged].bytes);
            let (outcome, peak) = memory::peak_of(|| catch_unwind(AssertUnwindSafe(|| (good.read)(&files))));
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
fn damaged_files_of_every_format_give_an_error_or_a_sound_model() {
    for good in good_files() {
        survive(&good);
    }
}

#[test]
fn files_of_nothing_but_one_byte_are_refused() {
    for byte in [0u8, b' ', b'\n', b'#', b'{', b'v', b'9', 0xFF] {
        for length in [0, 1, 83, 84, 85, 134, 4096] {
            let files = [File { name: "x".into(), bytes: vec![byte; length] }];
            assert!(read_sound_model(&files).is_err(), "{length} × {byte}");
            assert!(read_sound_skeleton(&files).is_err(), "{length} × {byte}");
        }
    }
}

#[test]
fn headers_that_promise_the_moon_are_refused_before_memory_is_taken() {
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
        let (outcome, peak) = memory::peak_of(|| read_sound_model(&files));
        let error = outcome.expect_err(name);
        assert!(peak < 1 << 20, "{name}: took {peak} bytes before saying \"{error}\"");
    }
}

#[test]
fn polygons_made_to_take_forever_do_not() {
    // A comb of many teeth: every ear is tested against every corner.
    let mut obj = String::new();
    let teeth = 40_000;
    for i in 0..teeth {
        obj += &format!("v {} {} 0\n", teeth - i, if i % 2 == 0 { 9 } else { 1 });
    }
    obj += "v 0 0 0\nv 40001 0 0\nf";
    (1..=teeth + 2).for_each(|i| obj += &format!(" {i}"));
    read_sound_model(&[File { name: "comb.obj".into(), bytes: obj.into_bytes() }]).unwrap();
}
