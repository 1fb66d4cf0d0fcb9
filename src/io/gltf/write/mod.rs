//! A GLB that adds to the source document and rebuilds nothing.
//!
//! In: what was read, a skeleton, and weights per render vertex. Out: the same document with joints,
//! skin and weights. Positions, vertex order, materials, textures, extensions and extras stay as they
//! are; where a mesh stands in the scene goes into the inverse bind matrices. The same input always
//! gives the same bytes.

mod clips;
mod editor;
mod fresh;
mod influences;
mod joints;
mod json;
mod morphs;
mod moved;
mod skins;
mod usage;

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::model::{Asset, Attachment, Morphs, Pose, Skeleton, Source, Weights};
use editor::{Editor, Result};

/// How weights are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WeightFormat {
    /// 32-bit numbers: exact.
    #[default]
    Float,
    /// 16-bit shares that sum to 65535 exactly.
    U16,
    /// 8-bit shares that sum to 255 exactly.
    U8,
}

/// What goes into the file.
#[derive(Clone, Copy, Default)]
pub struct ExportOptions<'a> {
    /// The skeleton; none leaves the document's own.
    pub skeleton: Option<&'a Skeleton>,
    /// One row per render vertex, one column per joint; at most eight influences go out.
    pub weights: Option<&'a Weights>,
    /// How weights are stored.
    pub format: WeightFormat,
    /// Where the joints stand in the file; none leaves the document's nodes as they are.
    pub pose: Option<&'a Pose>,
    /// Shapes that clips blend in before skinning.
    pub morphs: &'a [Morphs],
}

/// Why a GLB could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The document was read, so it can be edited; if not, that is our bug.
    #[error("the source document cannot be edited: {0}")]
    Document(#[from] serde_json::Error),
    /// GLB counts its bytes in 32 bits.
    #[error("the file would have {0} bytes, more than a GLB can hold (4 GiB)")]
    TooLarge(usize),
    /// Its animations count on how many targets there are.
    #[error(
        "mesh {0} has morph targets of its own, to which none can be added; remove them, or export without baked shapes"
    )]
    HasTargets(usize),
}

/// Writes `asset` with what `options` add to it.
///
/// # Errors
/// Only when the file would be too large, a mesh that is to be morphed has targets already, or the asset's source is not the document it was read from.
pub fn write_glb(asset: &Asset, options: &ExportOptions<'_>) -> std::result::Result<Vec<u8>, WriteError> {
    let (mut editor, source) = match &asset.source {
        Some(source) => (Editor::new(source)?, Cow::Borrowed(source)),
        None => {
            let (editor, source) = fresh::document(asset)?;
            (editor, Cow::Owned(source))
        }
    };
    embed_images(&mut editor, &source)?;
    if let Some(skeleton) = options.skeleton {
        let joint_nodes = joints::place(&mut editor, skeleton, &source, options.pose)?;
        let is_new = source.joint_nodes.iter().any(Option::is_none);
        if source.joints_moved && options.pose.is_none() {
            moved::apply(&mut editor, skeleton, &asset.clips, &joint_nodes)?;
        }
        if is_new {
            clips::add(&mut editor, &asset.clips, &joint_nodes)?;
        }
        let export =
            Export { asset, source: &source, skeleton, joint_nodes: &joint_nodes, format: options.format };
        match options.weights {
            Some(weights) => export.bind(&mut editor, weights)?,
            // Without weights the skin is still written, so that whoever reads the file knows the joints.
            None if is_new => {
                skins::add(&mut editor, &export, &glam::DAffine3::IDENTITY)?;
            }
            None => {}
        }
        morphs::add(&mut editor, &export, options.morphs)?;
    }
    let glb = editor.into_glb()?;
    if u32::try_from(glb.len()).is_err() {
        return Err(WriteError::TooLarge(glb.len()));
    }
    Ok(glb)
}

/// What the parts of an export share.
struct Export<'a> {
    asset: &'a Asset,
    source: &'a Source,
    skeleton: &'a Skeleton,
    joint_nodes: &'a [usize],
    format: WeightFormat,
}

impl Export<'_> {
    /// Gives every skinned part its skin and its weights.
    fn bind(&self, editor: &mut Editor, weights: &Weights) -> Result<()> {
        let mut skins = skins::Skins::new(self, weights);
        let mut meshes = Meshes::default();
        let mut influences = influences::Writer::new(self, weights)?;
        for (index, part) in self.asset.render.parts.iter().enumerate() {
            let Attachment::Skinned { skin } = part.attachment else { continue };
            let [node, mesh, primitive] = self.source.part_places[index];
            let skin = skins.get(editor, skin, &part.rest_from_primitive)?;
            let mesh = meshes.own(editor, node, mesh, skin.index)?;
            influences.add(editor, part, &skin.slots, [mesh, primitive])?;
            editor.edit("nodes", node, |object| {
                object.set("skin", &skin.index)?;
                object.set("mesh", &mesh)
            })?;
        }
        Ok(())
    }
}

/// Meshes that stand in several places need weights of their own in each.
#[derive(Default)]
struct Meshes {
    /// (mesh, node, skin) of those handed out, and the mesh that node now uses.
    handed_out: Vec<(usize, usize, usize, usize)>,
}

impl Meshes {
    fn own(&mut self, editor: &mut Editor, node: usize, mesh: usize, skin: usize) -> Result<usize> {
        let same = self.handed_out.iter().find(|(m, n, s, _)| *m == mesh && (*n == node || *s == skin));
        if let Some(&(.., own)) = same {
            if !self.handed_out.iter().any(|(m, n, ..)| *m == mesh && *n == node) {
                self.handed_out.push((mesh, node, skin, own));
            }
            return Ok(own);
        }
        let first = !self.handed_out.iter().any(|(m, ..)| *m == mesh);
        let own = if first { mesh } else { editor.duplicate("meshes", mesh) };
        self.handed_out.push((mesh, node, skin, own));
        Ok(own)
    }
}

/// Images that came as files beside the document move into it.
fn embed_images(editor: &mut Editor, source: &Source) -> Result<()> {
    for (index, texture) in &source.images {
        let view = editor.add_view(&texture.bytes, None)?;
        editor.edit("images", *index, |image| {
            image.remove("uri");
            image.set("mimeType", &texture.mime)?;
            image.set("bufferView", &view)
        })?;
    }
    Ok(())
}

/// Adds root nodes to the scene that is shown.
fn show_in_scene(editor: &mut Editor, roots: &[usize]) -> Result<()> {
    if roots.is_empty() {
        return Ok(());
    }
    if editor.len("scenes") == 0 {
        editor.push("scenes", &json!({ "nodes": Vec::<Value>::new() }))?;
        editor.set_root("scene", &0)?;
    }
    let scene: usize = editor.root_member("scene").unwrap_or(0);
    let mut nodes: Vec<usize> = editor.get("scenes", scene, "nodes").unwrap_or_default();
    nodes.extend_from_slice(roots);
    editor.edit("scenes", scene, |object| object.set("nodes", &nodes))
}
