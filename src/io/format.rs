//! The formats that Pliant reads, and those it only recognises.
//!
//! [`Format::info`] is the one table of what a format is called, which file extensions it has and
//! what it can contain. Messages, file dialogs and the order of reading follow from it.
//! [`UnsupportedFormat`] lists formats that are recognised so that the message can name them and
//! say what to do. How content is recognised without a signature is in [`sniff`](super::sniff).

use serde::Serialize;

use super::{ErrorCode, ReadError, text};

/// A recognised file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// glTF in one binary file.
    Glb,
    /// glTF as JSON.
    Gltf,
    /// Autodesk FBX, binary or text.
    Fbx,
    /// Wavefront OBJ.
    Obj,
    /// Stanford PLY, text or binary.
    Ply,
    /// STL, binary.
    StlBinary,
    /// STL as text.
    StlAscii,
    /// A VRM animation: glTF in one binary file, without a mesh.
    Vrma,
    /// Biovision hierarchy: a skeleton and a motion.
    Bvh,
    /// A skeleton in trivial graph format.
    Tgf,
    /// A skeleton as JSON: `{"bones": […]}`.
    SkeletonJson,
    /// A ZIP archive of files in other formats. It is unpacked before files are read.
    Zip,
    /// Recognised, but not read.
    Unsupported(UnsupportedFormat),
}

/// What a format is called and what its files can contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct FormatInfo {
    /// Short name for messages and menus.
    pub label: &'static str,
    /// Usual file extensions, in lower case and with the dot. Reading ignores them.
    pub extensions: &'static [&'static str],
    /// Extensions of the files that a file of this format can refer to.
    pub companions: &'static [&'static str],
    /// Whether a file can contain a mesh.
    pub has_mesh: bool,
    /// Whether a file can contain a skeleton.
    pub has_skeleton: bool,
    /// Whether a file can contain animation clips.
    pub has_clips: bool,
    /// Whether a file contains other files.
    pub is_archive: bool,
}

/// Extensions of the buffers and images that a glTF file can refer to.
const GLTF_COMPANIONS: &[&str] = &[".bin", ".png", ".jpg", ".jpeg", ".webp", ".avif", ".ktx2"];

/// Extensions of the images that an FBX file can refer to. Those that cannot be shown are named in
/// a warning; without them here, the warning would say that they are missing.
const FBX_COMPANIONS: &[&str] = &[".png", ".jpg", ".jpeg", ".tga", ".bmp", ".psd", ".dds", ".tif", ".tiff"];

/// A format of files that contain nothing that is read. The base of the rows in [`Format::info`].
const NOTHING: FormatInfo = FormatInfo {
    label: "",
    extensions: &[],
    companions: &[],
    has_mesh: false,
    has_skeleton: false,
    has_clips: false,
    is_archive: false,
};

impl Format {
    /// Every format that is read, the most likely one for a model first.
    pub const ALL: [Self; 12] = [
        Self::Glb,
        Self::Gltf,
        Self::Fbx,
        Self::Obj,
        Self::Ply,
        Self::StlBinary,
        Self::StlAscii,
        Self::Vrma,
        Self::Bvh,
        Self::Tgf,
        Self::SkeletonJson,
        Self::Zip,
    ];

    /// The table of formats.
    pub fn info(self) -> FormatInfo {
        let scene = FormatInfo {
            companions: GLTF_COMPANIONS,
            has_mesh: true,
            has_skeleton: true,
            has_clips: true,
            ..NOTHING
        };
        let mesh = FormatInfo { has_mesh: true, ..NOTHING };
        let skeleton = FormatInfo { has_skeleton: true, ..NOTHING };
        let motion = FormatInfo { has_clips: true, ..skeleton };
        match self {
            Self::Glb => FormatInfo { label: "GLB/VRM", extensions: &[".glb", ".vrm"], ..scene },
            Self::Gltf => FormatInfo { label: "glTF", extensions: &[".gltf"], ..scene },
            Self::Fbx => {
                FormatInfo { label: "FBX", extensions: &[".fbx"], companions: FBX_COMPANIONS, ..scene }
            }
            Self::Obj => FormatInfo { label: "OBJ", extensions: &[".obj"], companions: &[".mtl"], ..mesh },
            Self::Ply => FormatInfo { label: "PLY", extensions: &[".ply"], ..mesh },
            Self::StlBinary | Self::StlAscii => FormatInfo { label: "STL", extensions: &[".stl"], ..mesh },
            Self::Vrma => FormatInfo { label: "VRMA", extensions: &[".vrma"], ..motion },
            Self::Bvh => FormatInfo { label: "BVH", extensions: &[".bvh"], ..motion },
            Self::Tgf => FormatInfo { label: "TGF", extensions: &[".tgf"], ..skeleton },
            Self::SkeletonJson => {
                FormatInfo { label: "JSON with \"bones\"", extensions: &[".json"], ..skeleton }
            }
            Self::Zip => FormatInfo { label: "ZIP", extensions: &[".zip"], is_archive: true, ..NOTHING },
            Self::Unsupported(_) => NOTHING,
        }
    }

    /// The table for menus and file dialogs: one row per label.
    pub fn table() -> Vec<FormatInfo> {
        let mut rows: Vec<FormatInfo> = Self::ALL.into_iter().map(Self::info).collect();
        rows.dedup_by_key(|row| row.label);
        rows
    }
}

/// The labels of the formats that `is_included`, separated by commas.
pub(super) fn labels(is_included: fn(FormatInfo) -> bool) -> String {
    let rows = Format::table().into_iter().filter(|&row| is_included(row));
    rows.map(|row| row.label).collect::<Vec<_>>().join(", ")
}

/// A format that is recognised but not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsupportedFormat {
    /// A Blender document.
    Blend,
    /// COLLADA (`.dae`).
    Collada,
    /// Universal Scene Description, text or binary.
    Usd,
    /// Universal Scene Description in a ZIP (`.usdz`).
    Usdz,
    /// 3D Manufacturing Format (`.3mf`).
    ThreeMf,
    /// Object File Format (`.off`).
    Off,
    /// A Maya scene, text or binary (`.ma`, `.mb`).
    Maya,
    /// A Cinema 4D scene (`.c4d`).
    Cinema4D,
    /// A compound document of Microsoft, as which 3ds Max stores its scenes (`.max`).
    Max,
    /// The material library of an OBJ file (`.mtl`).
    Mtl,
    /// A file compressed as a whole (gzip, Zstandard, 7z, RAR).
    Compressed,
    /// An image.
    Image,
    /// A PDF document.
    Pdf,
    /// An HTML page, usually saved instead of a download.
    HtmlPage,
    /// Other XML.
    Xml,
    /// JSON that is neither glTF nor a skeleton.
    Json,
    /// A Git LFS pointer in place of the file.
    LfsPointer,
}

/// Bytes at the start of an XML file that must contain the root element. If larger, recognition of
/// large XML files is slower. If smaller, files that begin with a long comment are not recognised.
const XML_START: usize = 2048;

/// First bytes of a file that identify its format.
const SIGNATURES: [(&[u8], Format); 24] = [
    (b"Kaydara FBX Binary", Format::Fbx),
    (b"; FBX", Format::Fbx),
    (b"FBXHeaderExtension", Format::Fbx),
    (b"BLENDER", Format::Unsupported(UnsupportedFormat::Blend)),
    (b"#usda", Format::Unsupported(UnsupportedFormat::Usd)),
    (b"PXR-USDC", Format::Unsupported(UnsupportedFormat::Usd)),
    (b"HIERARCHY", Format::Bvh),
    (b"//Maya ASCII", Format::Unsupported(UnsupportedFormat::Maya)),
    (b"QC4DC4D6", Format::Unsupported(UnsupportedFormat::Cinema4D)),
    (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", Format::Unsupported(UnsupportedFormat::Max)),
    (b"%PDF-", Format::Unsupported(UnsupportedFormat::Pdf)),
    (b"\x89PNG", Format::Unsupported(UnsupportedFormat::Image)),
    (b"\xFF\xD8\xFF", Format::Unsupported(UnsupportedFormat::Image)),
    (b"GIF8", Format::Unsupported(UnsupportedFormat::Image)),
    (b"\xABKTX", Format::Unsupported(UnsupportedFormat::Image)),
    (b"8BPS", Format::Unsupported(UnsupportedFormat::Image)),
    (b"\x1F\x8B", Format::Unsupported(UnsupportedFormat::Compressed)),
    (b"\x28\xB5\x2F\xFD", Format::Unsupported(UnsupportedFormat::Compressed)),
    (b"7z\xBC\xAF\x27\x1C", Format::Unsupported(UnsupportedFormat::Compressed)),
    (b"Rar!", Format::Unsupported(UnsupportedFormat::Compressed)),
    (b"version https://git-lfs", Format::Unsupported(UnsupportedFormat::LfsPointer)),
    (b"OFF\n", Format::Unsupported(UnsupportedFormat::Off)),
    (b"OFF\r", Format::Unsupported(UnsupportedFormat::Off)),
    (b"OFF ", Format::Unsupported(UnsupportedFormat::Off)),
];

impl Format {
    /// The format of `start`, a file without byte order mark and leading white space, if its first
    /// bytes identify it.
    pub(super) fn by_signature(start: &[u8]) -> Option<Self> {
        if let Some(&(_, format)) = SIGNATURES.iter().find(|(bytes, _)| start.starts_with(bytes)) {
            return Some(format);
        }
        if start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06") {
            return Some(Self::in_zip(start));
        }
        let is_webp = start.starts_with(b"RIFF") && start.get(8..12) == Some(b"WEBP");
        let is_avif = start.get(4..11) == Some(b"ftypavi");
        if is_webp || is_avif {
            return Some(Self::Unsupported(UnsupportedFormat::Image));
        }
        if is_maya_binary(start) {
            return Some(Self::Unsupported(UnsupportedFormat::Maya));
        }
        start.starts_with(b"<").then(|| Self::Unsupported(UnsupportedFormat::in_xml(start)))
    }

    /// The format of a ZIP archive, by the name of its first entry.
    fn in_zip(start: &[u8]) -> Self {
        let length =
            start.get(26..28).map_or(0, |b| b.iter().rev().fold(0, |n, &b| n * 256 + usize::from(b)));
        let name = start.get(30..30 + length).unwrap_or_default().to_ascii_lowercase();
        if [&b".usdc"[..], b".usda", b".usd"].iter().any(|end| name.ends_with(end)) {
            Self::Unsupported(UnsupportedFormat::Usdz)
        } else if name == b"[content_types].xml" || name.ends_with(b".model") {
            Self::Unsupported(UnsupportedFormat::ThreeMf)
        } else {
            Self::Zip
        }
    }
}

/// Whether a file is a Maya scene in binary: an IFF file with chunks of 4 or 8 bytes of length.
fn is_maya_binary(start: &[u8]) -> bool {
    let kind = match start.get(..4) {
        Some(b"FOR4") => start.get(8..12),
        Some(b"FOR8") => start.get(16..20),
        _ => None,
    };
    kind == Some(b"Maya")
}

impl UnsupportedFormat {
    /// The kind of an XML file, by its root element.
    fn in_xml(start: &[u8]) -> Self {
        let opening = start.get(..XML_START).unwrap_or(start).to_ascii_lowercase();
        let has = |word: &[u8]| text::contains(&opening, word);
        if has(b"<collada") {
            Self::Collada
        } else if has(b"<html") || has(b"<!doctype html") {
            Self::HtmlPage
        } else {
            Self::Xml
        }
    }

    /// A description with an article.
    fn description(self) -> &'static str {
        match self {
            Self::Blend => "a Blender document",
            Self::Collada => "a COLLADA file (DAE)",
            Self::Usd => "a USD file",
            Self::Usdz => "a USD scene in an archive (USDZ)",
            Self::ThreeMf => "a 3MF file",
            Self::Off => "an OFF file",
            Self::Maya => "a Maya scene",
            Self::Cinema4D => "a Cinema 4D scene",
            Self::Max => "a 3ds Max scene, or another compound document of Microsoft",
            Self::Mtl => "the materials of an OBJ file (MTL)",
            Self::Compressed => "a compressed file",
            Self::Image => "an image",
            Self::Pdf => "a PDF document",
            Self::HtmlPage => "an HTML page, not a model",
            Self::Xml => "an XML file",
            Self::Json => "JSON, but neither glTF nor a skeleton with \"bones\"",
            Self::LfsPointer => "a Git LFS pointer, not the file itself",
        }
    }

    /// What the user can do instead.
    fn remedy(self) -> &'static str {
        match self {
            Self::Collada | Self::Usd => {
                "convert it to GLB, for example in Blender: File → Import, then File → Export → glTF 2.0"
            }
            Self::Blend => "open it in Blender and choose File → Export → glTF 2.0 (.glb)",
            Self::Usdz => "convert it to GLB, for example with Blender's USD import and glTF export",
            Self::ThreeMf | Self::Off => "convert it to GLB, OBJ, PLY or STL",
            Self::Maya | Self::Max => "open it in its program and export it as FBX or GLB",
            Self::Cinema4D => "open it in Cinema 4D and export it as FBX or glTF",
            Self::Mtl => "open the OBJ file it belongs to",
            Self::Compressed => "unpack it and open the model inside",
            Self::Image => "open the model it belongs to; an image has no geometry",
            Self::Pdf | Self::Xml | Self::Json => "open a model: GLB, glTF, VRM, FBX, OBJ, PLY or STL",
            Self::HtmlPage => "the link leads to a page instead of a download: download the model itself",
            Self::LfsPointer => "run \"git lfs pull\" in its repository, then open the file again",
        }
    }

    /// The error for a file of this format.
    pub fn error(self) -> ReadError {
        let what = format!("this is {}, which Pliant does not read", self.description());
        ReadError::new(ErrorCode::Unsupported, "", what).hint(self.remedy())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{File, read_model, sniff};
    use super::*;
    use crate::report::Report;

    fn zip(entry: &str) -> Vec<u8> {
        let mut zip = b"PK\x03\x04".to_vec();
        zip.resize(26, 0);
        zip.extend((entry.len() as u16).to_le_bytes());
        zip.extend([0, 0]);
        zip.extend(entry.as_bytes());
        zip
    }

    #[test]
    fn unsupported_formats_are_named_with_a_remedy() {
        use UnsupportedFormat as U;
        let lfs_pointer = b"version https://git-lfs.github.com/spec/v1\n".to_vec();
        for (bytes, kind, expected) in [
            (b"BLENDER-v405".to_vec(), U::Blend, "Blender"),
            (b"<?xml version=\"1.0\"?>\n<COLLADA xmlns=".to_vec(), U::Collada, "COLLADA"),
            (b"<!DOCTYPE html><html>".to_vec(), U::HtmlPage, "download"),
            (b"<svg></svg>".to_vec(), U::Xml, "XML"),
            (b"//Maya ASCII 2024 scene\n".to_vec(), U::Maya, "Maya"),
            (b"FOR4\0\0\0\x20MayaFOR4".to_vec(), U::Maya, "Maya"),
            (b"FOR8\0\0\0\0\0\0\0\0\0\0\0\x20MayaFOR8".to_vec(), U::Maya, "FBX"),
            (b"QC4DC4D6\0\0".to_vec(), U::Cinema4D, "Cinema 4D"),
            (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1\0\0".to_vec(), U::Max, "3ds Max"),
            (b"%PDF-1.7".to_vec(), U::Pdf, "PDF"),
            (b"\x89PNG\r\n\x1a\n".to_vec(), U::Image, "image"),
            (b"\xFF\xD8\xFF\xE0".to_vec(), U::Image, "image"),
            (b"\0\0\0\x1Cftypavif".to_vec(), U::Image, "image"),
            (zip("scene.usdc"), U::Usdz, "USD"),
            (zip("[Content_Types].xml"), U::ThreeMf, "3MF"),
            (b"#usda 1.0\n".to_vec(), U::Usd, "USD"),
            (b"newmtl skin\nKd 1 1 1\n".to_vec(), U::Mtl, "OBJ"),
            (b"{\"name\": \"package\"}".to_vec(), U::Json, "JSON"),
            (lfs_pointer, U::LfsPointer, "git lfs pull"),
            (b"OFF\n8 6 12\n".to_vec(), U::Off, "OFF"),
        ] {
            assert_eq!(sniff(&bytes), Some(Format::Unsupported(kind)));
            let file = File { name: "file".into(), bytes };
            let error = read_model(&[file], &mut Report::default()).unwrap_err();
            assert_eq!(error.code, ErrorCode::Unsupported);
            assert!(error.to_string().contains(expected), "{error}");
            assert!(!error.hint.is_empty());
        }
    }

    #[test]
    fn every_format_has_a_label_extensions_and_content() {
        for row in Format::table() {
            assert!(!row.label.is_empty());
            assert!(row.extensions.iter().all(|e| e.starts_with('.') && *e == e.to_lowercase()));
            let has_content = row.has_mesh || row.has_skeleton || row.has_clips || row.is_archive;
            assert!(!row.extensions.is_empty() && has_content);
        }
        assert_eq!(labels(|row| row.has_mesh), "GLB/VRM, glTF, FBX, OBJ, PLY, STL");
        assert_eq!(labels(|row| row.has_skeleton), "GLB/VRM, glTF, FBX, VRMA, BVH, TGF, JSON with \"bones\"");
    }
}
