//! Unpacks ZIP archives, so that a model and its textures can be opened as one file.
//!
//! Input: files, some of them archives. Output: the same files with the content of each archive in
//! its place. Names keep their folders. Directories, hidden files and the notes of macOS are left
//! out; archives in archives stay as they are. Entries are stored or deflated; the directory at the
//! end of the archive is authoritative. Cost: linear in the unpacked bytes, which are limited
//! before anything is unpacked.
//!
//! The browser does not have this module: the worker unpacks with the decompressor of the browser
//! (`www/src/solver/zip.ts`).

use std::borrow::Cow;

use super::{ErrorCode, File, Format, ReadError, limits, sniff};

/// Largest number of entries. If larger, an archive of empty files takes a hundred times its size.
/// If smaller, asset packs with many textures are rejected.
const MAX_ENTRIES: usize = 4_096;

/// Bytes of the record at the end of the archive, without its comment.
const END: usize = 22;

/// Bytes of an entry of the directory, without its name.
const ENTRY: usize = 46;

/// Bytes of the header in front of the data of an entry, without its name.
const HEADER: usize = 30;

/// The files, with the content of archives in place of the archives.
///
/// # Errors
/// Archives that are damaged, encrypted, too large, or of a kind that is not read; with the name of
/// the archive and the entry.
pub fn unpacked(files: &[File]) -> Result<Cow<'_, [File]>, ReadError> {
    let is_archive = |file: &File| sniff(&file.bytes) == Some(Format::Zip);
    if !files.iter().any(is_archive) {
        return Ok(Cow::Borrowed(files));
    }
    let mut all = Vec::new();
    for file in files {
        if is_archive(file) {
            all.extend(unpack(&file.bytes).map_err(|error| super::in_file(error, file, files))?);
        } else {
            all.push(file.clone());
        }
    }
    Ok(Cow::Owned(all))
}

/// A file in an archive, as the directory describes it.
struct Entry {
    name: String,
    method: u16,
    checksum: u32,
    packed: usize,
    unpacked: usize,
    header: usize,
}

/// Unpacks one archive.
fn unpack(archive: &[u8]) -> Result<Vec<File>, ReadError> {
    let entries = directory(archive)?;
    let total = entries.iter().fold(0_usize, |sum, entry| sum.saturating_add(entry.unpacked));
    limits::check_budget("", "bytes in the archive", total, limits::decoded_budget(archive.len()))?;
    entries
        .into_iter()
        .map(|entry| {
            let bytes = entry.content(archive).map_err(|mut error| {
                error.place = entry.name.clone();
                error
            })?;
            Ok(File { name: entry.name, bytes })
        })
        .collect()
}

/// The files in the directory of an archive.
fn directory(archive: &[u8]) -> Result<Vec<Entry>, ReadError> {
    let end = end_record(archive).ok_or_else(truncated)?;
    let count = usize::from(short(archive, end + 10)?);
    let (size, offset) = (word(archive, end + 12)?, word(archive, end + 16)?);
    if count == 0xFFFF || size == 0xFFFF_FFFF || offset == 0xFFFF_FFFF {
        let error =
            ReadError::new(ErrorCode::Unsupported, "", "this is a ZIP64 archive, which Pliant does not read");
        return Err(error.hint("unpack it and open the model inside, or pack less than 4 GB"));
    }
    limits::check_budget("", "files in the archive", count, MAX_ENTRIES)?;
    // Offsets count from the start of the archive, which may follow a program that unpacks it.
    let start = end.checked_sub(size as usize).ok_or_else(truncated)?;
    let base = start.checked_sub(offset as usize).ok_or_else(truncated)?;
    let mut entries = Vec::with_capacity(count);
    let mut at = start;
    for _ in 0..count {
        if archive.get(at..at + 4) != Some(b"PK\x01\x02") {
            return Err(malformed(format!("there is no entry of the directory at byte {at}")));
        }
        let lengths = [28, 30, 32].map(|field| short(archive, at + field).map(usize::from));
        let [name, extra, comment] = lengths;
        let (name, extra, comment) = (name?, extra?, comment?);
        let text = archive.get(at + ENTRY..at + ENTRY + name).ok_or_else(truncated)?;
        if let Some(name) = safe_name(text) {
            let is_encrypted = short(archive, at + 8)? & 1 == 1;
            if is_encrypted {
                let error = ReadError::new(ErrorCode::Unsupported, name, "it is encrypted");
                return Err(error.hint("unpack the archive with its password and open the model inside"));
            }
            entries.push(Entry {
                name,
                method: short(archive, at + 10)?,
                checksum: word(archive, at + 16)?,
                packed: word(archive, at + 20)? as usize,
                unpacked: word(archive, at + 24)? as usize,
                header: base.saturating_add(word(archive, at + 42)? as usize),
            });
        }
        at += ENTRY + name + extra + comment;
    }
    Ok(entries)
}

/// Where the record at the end of the archive begins. A comment of up to 64 KB may follow it.
fn end_record(archive: &[u8]) -> Option<usize> {
    let last = archive.len().checked_sub(END)?;
    let first = last.saturating_sub(0xFFFF);
    (first..=last).rev().find(|&at| archive[at..].starts_with(b"PK\x05\x06"))
}

/// The name with forward slashes and without anything that leads out of the folder. `None` for
/// directories and files that no model refers to.
fn safe_name(name: &[u8]) -> Option<String> {
    let name = String::from_utf8_lossy(name).replace('\\', "/");
    if name.ends_with('/') {
        return None;
    }
    let parts: Vec<&str> = name.split('/').filter(|part| !matches!(*part, "" | "." | "..")).collect();
    let is_hidden = parts.iter().any(|part| part.starts_with('.') || *part == "__MACOSX");
    let name: String = parts.join("/").chars().filter(|c| !c.is_control()).collect();
    (!is_hidden && !name.is_empty()).then_some(name)
}

impl Entry {
    /// The unpacked bytes, checked by their checksum.
    fn content(&self, archive: &[u8]) -> Result<Vec<u8>, ReadError> {
        if archive.get(self.header..).is_none_or(|rest| !rest.starts_with(b"PK\x03\x04")) {
            return Err(malformed(format!("its header is missing at byte {}", self.header)));
        }
        let names = [26, 28].map(|field| short(archive, self.header + field).map(usize::from));
        let [name, extra] = names;
        let start = self.header + HEADER + name? + extra?;
        let packed = archive.get(start..).and_then(|rest| rest.get(..self.packed)).ok_or_else(truncated)?;
        let bytes = match self.method {
            0 => packed.to_vec(),
            8 => miniz_oxide::inflate::decompress_to_vec_with_limit(packed, self.unpacked)
                .map_err(|error| malformed(format!("its data cannot be unpacked: {error}")))?,
            method => {
                let what = format!("it is compressed with method {method}, and only deflate is read");
                let error = ReadError::new(ErrorCode::Unsupported, "", what);
                return Err(error.hint("unpack the archive and open the model inside"));
            }
        };
        if bytes.len() != self.unpacked || checksum(&bytes) != self.checksum {
            return Err(malformed("its checksum or size is wrong".into()));
        }
        Ok(bytes)
    }
}

fn truncated() -> ReadError {
    ReadError::new(ErrorCode::Truncated, "", "the directory or the data of the archive is missing")
        .hint(limits::TRUNCATED_HINT)
}

fn malformed(what: String) -> ReadError {
    ReadError::new(ErrorCode::Malformed, "", what).hint("download or pack the archive again")
}

/// A little-endian number of two bytes.
fn short(bytes: &[u8], at: usize) -> Result<u16, ReadError> {
    let found = bytes.get(at..).and_then(|rest| rest.first_chunk::<2>());
    found.map(|bytes| u16::from_le_bytes(*bytes)).ok_or_else(truncated)
}

/// A little-endian number of four bytes.
fn word(bytes: &[u8], at: usize) -> Result<u32, ReadError> {
    let found = bytes.get(at..).and_then(|rest| rest.first_chunk::<4>());
    found.map(|bytes| u32::from_le_bytes(*bytes)).ok_or_else(truncated)
}

/// The CRC-32 of ZIP, by a table of the remainders of all bytes.
fn checksum(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut byte = 0;
        while byte < 256 {
            let mut remainder = byte as u32;
            let mut bit = 0;
            while bit < 8 {
                remainder = (remainder >> 1) ^ (0xEDB8_8320 * (remainder & 1));
                bit += 1;
            }
            table[byte] = remainder;
            byte += 1;
        }
        table
    };
    !bytes.iter().fold(!0, |crc: u32, &byte| (crc >> 8) ^ TABLE[usize::from(crc as u8 ^ byte)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_inside_and_keep_their_folders() {
        let safe = |name: &str| safe_name(name.as_bytes());
        assert_eq!(safe("a/b.glb").as_deref(), Some("a/b.glb"));
        assert_eq!(safe("/../../etc/./passwd").as_deref(), Some("etc/passwd"));
        assert_eq!(safe("a\\..\\b\n.png").as_deref(), Some("a/b.png"));
        for left_out in ["a/", "", "..", "__MACOSX/._a.glb", "a/.DS_Store"] {
            assert_eq!(safe(left_out), None, "{left_out}");
        }
    }

    #[test]
    fn the_checksum_is_that_of_the_specification() {
        assert_eq!(checksum(b"123456789"), 0xCBF4_3926);
        assert_eq!(checksum(b""), 0);
    }
}
