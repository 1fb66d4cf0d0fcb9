//! Files that are not read here, told apart so that the message can name them and say what to do.
//!
//! In: the first bytes of a file. Out: what it is. Cost: a look at the start of the file.

use super::{ErrorCode, ReadError};

/// Something that is dropped on a model reader by mistake, or for want of a better export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// Autodesk's exchange format, binary or text.
    Fbx,
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
    /// Biovision motion capture.
    Bvh,
    /// An OBJ's materials.
    Mtl,
    /// A ZIP archive.
    Zip,
    /// A file compressed as a whole (gzip, Zstandard, 7z, RAR).
    Compressed,
    /// A picture.
    Picture,
    /// A PDF document.
    Pdf,
    /// A web page, usually instead of a download.
    WebPage,
    /// Some other XML.
    Xml,
    /// JSON that is neither glTF nor a skeleton.
    Json,
    /// A pointer that Git LFS left in place of the file.
    LfsPointer,
}

/// Where COLLADA's root element must have turned up, and a web page's.
const XML_START: usize = 2048;

/// Beginnings that say what follows.
const MAGIC: [(&[u8], Foreign); 21] = [
    (b"Kaydara FBX Binary", Foreign::Fbx),
    (b"; FBX", Foreign::Fbx),
    (b"FBXHeaderExtension", Foreign::Fbx),
    (b"BLENDER", Foreign::Blend),
    (b"#usda", Foreign::Usd),
    (b"PXR-USDC", Foreign::Usd),
    (b"HIERARCHY", Foreign::Bvh),
    (b"%PDF-", Foreign::Pdf),
    (b"\x89PNG", Foreign::Picture),
    (b"\xFF\xD8\xFF", Foreign::Picture),
    (b"GIF8", Foreign::Picture),
    (b"\xABKTX", Foreign::Picture),
    (b"8BPS", Foreign::Picture),
    (b"\x1F\x8B", Foreign::Compressed),
    (b"\x28\xB5\x2F\xFD", Foreign::Compressed),
    (b"7z\xBC\xAF\x27\x1C", Foreign::Compressed),
    (b"Rar!", Foreign::Compressed),
    (b"version https://git-lfs", Foreign::LfsPointer),
    (b"OFF\n", Foreign::Off),
    (b"OFF\r", Foreign::Off),
    (b"OFF ", Foreign::Off),
];

impl Foreign {
    /// Recognises `start`, the file without byte order mark and leading white space.
    pub(super) fn recognise(start: &[u8]) -> Option<Self> {
        if let Some(&(_, foreign)) = MAGIC.iter().find(|(magic, _)| start.starts_with(magic)) {
            return Some(foreign);
        }
        if start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06") {
            return Some(Self::in_zip(start));
        }
        if start.starts_with(b"RIFF") && start.get(8..12) == Some(b"WEBP") {
            return Some(Self::Picture);
        }
        start.starts_with(b"<").then(|| Self::in_xml(start))
    }

    /// What a ZIP is, by the name of its first entry.
    fn in_zip(start: &[u8]) -> Self {
        let length =
            start.get(26..28).map_or(0, |b| b.iter().rev().fold(0, |n, &b| n * 256 + usize::from(b)));
        let name = start.get(30..30 + length).unwrap_or_default().to_ascii_lowercase();
        if [&b".usdc"[..], b".usda", b".usd"].iter().any(|end| name.ends_with(end)) {
            Self::Usdz
        } else if name == b"[content_types].xml" || name.starts_with(b"3d/") {
            Self::ThreeMf
        } else {
            Self::Zip
        }
    }

    fn in_xml(start: &[u8]) -> Self {
        let opening = start.get(..XML_START).unwrap_or(start).to_ascii_lowercase();
        let has = |word: &[u8]| opening.windows(word.len()).any(|w| w == word);
        if has(b"<collada") {
            Self::Collada
        } else if has(b"<html") || has(b"<!doctype html") {
            Self::WebPage
        } else {
            Self::Xml
        }
    }

    /// What it is, with an article.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fbx => "an FBX file",
            Self::Blend => "a Blender document",
            Self::Collada => "a COLLADA file (DAE)",
            Self::Usd => "a USD file",
            Self::Usdz => "a USDZ archive",
            Self::ThreeMf => "a 3MF file",
            Self::Off => "an OFF file",
            Self::Bvh => "a BVH motion capture file",
            Self::Mtl => "the materials of an OBJ file (MTL)",
            Self::Zip => "a ZIP archive",
            Self::Compressed => "a compressed file",
            Self::Picture => "a picture",
            Self::Pdf => "a PDF document",
            Self::WebPage => "a web page, not a model",
            Self::Xml => "an XML file",
            Self::Json => "JSON, but neither glTF nor a skeleton with \"bones\"",
            Self::LfsPointer => "a Git LFS pointer, not the file itself",
        }
    }

    /// What its owner can do instead.
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Fbx | Self::Collada | Self::Usd => {
                "convert it to GLB, for example in Blender: File → Import, then File → Export → glTF 2.0"
            }
            Self::Blend => "open it in Blender and choose File → Export → glTF 2.0 (.glb)",
            Self::Usdz => "convert it to GLB, for example with Blender's USD import and glTF export",
            Self::ThreeMf | Self::Off => "convert it to GLB, OBJ, PLY or STL",
            Self::Bvh => "give a model (GLB, OBJ, PLY or STL), or the motion inside a GLB",
            Self::Mtl => "give the OBJ file it belongs to",
            Self::Zip | Self::Compressed => "unpack it and give the model inside",
            Self::Picture => "give the model it belongs to; pictures alone have no shape",
            Self::Pdf | Self::Xml | Self::Json => "give a model: GLB, glTF, OBJ, PLY or STL",
            Self::WebPage => "the link led to a page instead of a download: download the model itself",
            Self::LfsPointer => "run \"git lfs pull\" where it came from, then give the file again",
        }
    }

    /// The error for a file of this kind.
    pub fn refusal(self) -> ReadError {
        let what = format!("this is {}, which is not read here", self.name());
        ReadError::new(ErrorCode::Unsupported, "", what).hint(self.remedy())
    }
}
