//! Writes a GLB by adding to the source document.
//!
//! Input: an asset, a skeleton, and weights per render vertex. Output: the same document with
//! joints, skin and weights. Positions, vertex order, materials, textures, extensions and extras do
//! not change. The transform of a mesh node goes into the inverse bind matrices. The same input
//! always gives the same bytes.

mod clips;
mod influences;
mod joints;
mod morphs;
mod moved;
mod new_document;
mod rigid;
mod skins;
mod unchanged;
mod usage;

use std::borrow::Cow;

use serde_json::{Value, json};

use super::editor::{Editor, Result};
use crate::model::{Asset, Attachment, Clip, Morphs, Pose, Skeleton, Source, Weights};

/// The component type of exported weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WeightFormat {
    /// 32-bit floats, exact.
    #[default]
    Float,
    /// 16-bit normalised integers that sum to 65535.
    U16,
    /// 8-bit normalised integers that sum to 255.
    U8,
}

/// What is written in addition to the source document.
#[derive(Clone, Copy, Default)]
pub struct ExportOptions<'a> {
    /// The skeleton. `None` keeps the one of the document.
    pub skeleton: Option<&'a Skeleton>,
    /// One row per render vertex, one column per joint. At most eight influences per vertex are
    /// written.
    pub weights: Option<&'a Weights>,
    /// The component type of the weights.
    pub format: WeightFormat,
    /// The pose of the joint nodes in the file. `None` keeps the nodes as they are.
    pub pose: Option<&'a Pose>,
    /// Morph targets with the clips that drive them, applied before skinning.
    pub morphs: &'a [Morphs],
    /// Clips of the skeleton that are added to those of the asset.
    pub clips: &'a [Clip],
}

/// Why a GLB could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The document was parsed before, so this is a bug.
    #[error("the source document cannot be edited: {0}")]
    Document(#[from] serde_json::Error),
    /// GLB stores its length in 32 bits.
    #[error("the file would have {0} bytes, more than a GLB can hold (4 GiB)")]
    TooLarge(usize),
    /// Existing animations depend on the number of targets.
    #[error(
        "mesh {0} has morph targets of its own, to which none can be added; remove them, or export without baked shapes"
    )]
    HasTargets(usize),
}

/// Writes `asset` with the additions in `options`. If they add nothing to a GLB that was read, the
/// result has the bytes of that file.
///
/// # Errors
/// If the file would be too large, if a mesh that is to be morphed has targets already, or if the
/// source is not the document that the asset was read from.
pub fn write_glb(asset: &Asset, options: &ExportOptions<'_>) -> std::result::Result<Vec<u8>, WriteError> {
    if let Some(glb) = unchanged::original(asset, options) {
        return Ok(glb);
    }
    let (mut editor, source) = match &asset.source {
        Some(source) => (Editor::new(source)?, Cow::Borrowed(source)),
        None => {
            let (editor, source) = new_document::create(asset)?;
            (editor, Cow::Owned(source))
        }
    };
    embed_images(&mut editor, &source)?;
    if let Some(skeleton) = options.skeleton {
        let joint_nodes = joints::write_nodes(&mut editor, skeleton, &source, options.pose)?;
        let is_new = source.joint_nodes.iter().any(Option::is_none);
        if source.joints_moved && options.pose.is_none() {
            moved::apply(&mut editor, skeleton, &asset.clips, &joint_nodes)?;
        }
        if is_new {
            clips::add(&mut editor, &asset.clips, &joint_nodes)?;
        }
        clips::add(&mut editor, options.clips, &joint_nodes)?;
        let export =
            Export { asset, source: &source, skeleton, joint_nodes: &joint_nodes, format: options.format };
        rigid::attach(&mut editor, &export)?;
        match options.weights {
            Some(weights) => export.bind(&mut editor, weights)?,
            // Without weights the skin is still written, because it lists the joints for readers.
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

/// The data that all steps of an export use.
struct Export<'a> {
    asset: &'a Asset,
    source: &'a Source,
    skeleton: &'a Skeleton,
    joint_nodes: &'a [usize],
    format: WeightFormat,
}

impl Export<'_> {
    /// Assigns a skin and weights to every skinned part.
    fn bind(&self, editor: &mut Editor, weights: &Weights) -> Result<()> {
        let mut skins = skins::Skins::new(self, weights);
        let mut meshes = MeshAssignment::default();
        let mut influences = influences::Writer::new(self, weights)?;
        for (index, part) in self.asset.render.parts.iter().enumerate() {
            let Attachment::Skinned { skin } = part.attachment else { continue };
            let [node, mesh, primitive] = self.source.part_primitives[index];
            let skin = skins.get(editor, skin, &part.rest_from_primitive)?;
            let mesh = meshes.assign(editor, node, mesh, skin.index)?;
            influences.add(editor, part, &skin.slots, [mesh, primitive])?;
            editor.edit("nodes", node, |object| {
                object.set("skin", &skin.index)?;
                object.set("mesh", &mesh)
            })?;
        }
        Ok(())
    }
}

/// Assigns meshes to nodes. A mesh that several nodes use with different skins is duplicated,
/// because each needs weights of its own.
#[derive(Default)]
struct MeshAssignment {
    /// (source mesh, node, skin, assigned mesh).
    assigned: Vec<(usize, usize, usize, usize)>,
}

impl MeshAssignment {
    fn assign(&mut self, editor: &mut Editor, node: usize, mesh: usize, skin: usize) -> Result<usize> {
        let same = self.assigned.iter().find(|(m, n, s, _)| *m == mesh && (*n == node || *s == skin));
        if let Some(&(.., own)) = same {
            if !self.assigned.iter().any(|(m, n, ..)| *m == mesh && *n == node) {
                self.assigned.push((mesh, node, skin, own));
            }
            return Ok(own);
        }
        let first = !self.assigned.iter().any(|(m, ..)| *m == mesh);
        let own = if first { mesh } else { editor.duplicate("meshes", mesh) };
        self.assigned.push((mesh, node, skin, own));
        Ok(own)
    }
}

/// Embeds images that are separate files.
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

/// Adds root nodes to the default scene.
fn add_to_scene(editor: &mut Editor, roots: &[usize]) -> Result<()> {
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
