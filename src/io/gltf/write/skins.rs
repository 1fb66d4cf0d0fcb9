//! Skins: the document's own are kept and at most lengthened, new ones list every joint.

use std::collections::BTreeSet;

use glam::DAffine3;
use serde_json::json;

use super::Export;
use super::editor::{Accessor, Editor, Result, bytes_of};
use crate::io::gltf::skin::to_columns;
use crate::model::{Attachment, JointKind, Weights};

/// A skin that a part can use.
#[derive(Clone)]
pub(super) struct Slots {
    /// Its place in the document.
    pub index: usize,
    /// Where each skeleton joint stands in its list.
    pub slots: Vec<Option<u16>>,
}

/// Hands out skins, each once.
pub(super) struct Skins<'a> {
    export: &'a Export<'a>,
    /// Joints with weights on the parts of each source skin.
    weighted: Vec<BTreeSet<usize>>,
    kept: Vec<Option<Slots>>,
    added: Vec<(DAffine3, Slots)>,
}

impl<'a> Skins<'a> {
    pub fn new(export: &'a Export<'a>, weights: &Weights) -> Self {
        let mut weighted = vec![BTreeSet::new(); export.source.skins.len()];
        for part in &export.asset.render.parts {
            if let Attachment::Skinned { skin } = part.attachment {
                let influences = part.vertices.clone().flat_map(|vertex| weights.row(vertex as usize));
                let joints: BTreeSet<usize> = influences.map(|influence| influence.column as usize).collect();
                // A part without a skin may come to use any idle one.
                let may_use = |index: usize| skin.is_none_or(|skin| skin == index);
                let skins = weighted.iter_mut().enumerate().filter(|(index, _)| may_use(*index));
                skins.for_each(|(_, weighted)| weighted.extend(&joints));
            }
        }
        Self { export, weighted, kept: vec![None; export.source.skins.len()], added: Vec::new() }
    }

    /// The skin for a part: its own, or one for where it stands.
    pub fn get(
        &mut self,
        editor: &mut Editor,
        own: Option<usize>,
        rest_from_mesh: &DAffine3,
    ) -> Result<Slots> {
        if let Some(own) = own.or_else(|| self.idle(rest_from_mesh)) {
            if self.kept[own].is_none() {
                self.kept[own] = Some(self.lengthen(editor, own)?);
            }
            return Ok(self.kept[own].clone().unwrap_or_else(|| unreachable!("just kept")));
        }
        if let Some((_, slots)) = self.added.iter().find(|(rest, _)| rest == rest_from_mesh) {
            return Ok(slots.clone());
        }
        let slots = add(editor, self.export, rest_from_mesh)?;
        self.added.push((*rest_from_mesh, slots.clone()));
        Ok(slots)
    }

    /// A skin of the source that no mesh uses yet, for meshes that stand here: a rig waiting to be bound.
    fn idle(&self, rest_from_mesh: &DAffine3) -> Option<usize> {
        let parts = &self.export.asset.render.parts;
        let is_used =
            |index| parts.iter().any(|part| part.attachment == Attachment::Skinned { skin: Some(index) });
        let mut skins = self.export.source.skins.iter().enumerate();
        skins
            .find(|(index, skin)| skin.rest_from_mesh == *rest_from_mesh && !is_used(*index))
            .map(|(index, _)| index)
    }

    /// Keeps a skin's joints in their order; weighted joints it lacks are added at its end. Where joints were
    /// moved, it is bound anew.
    fn lengthen(&self, editor: &mut Editor, skin: usize) -> Result<Slots> {
        let source = &self.export.source.skins[skin];
        let missing: Vec<usize> =
            self.weighted[skin].iter().copied().filter(|joint| !source.joints.contains(joint)).collect();
        if !missing.is_empty() || self.export.source.joints_moved {
            let joints: Vec<usize> = source.joints.iter().chain(&missing).copied().collect();
            let accessor = add_inverse_binds(editor, self.export, &joints, &source.rest_from_mesh)?;
            let nodes: Vec<usize> = joints.iter().map(|&joint| self.export.joint_nodes[joint]).collect();
            editor.edit("skins", skin, |object| {
                object.set("joints", &nodes)?;
                object.set("inverseBindMatrices", &accessor)
            })?;
        }
        Ok(slots(self.export, skin, source.joints.iter().chain(&missing).copied()))
    }
}

/// A new skin with every joint the skeleton lists, for meshes that stand at `rest_from_mesh`.
pub(super) fn add(editor: &mut Editor, export: &Export<'_>, rest_from_mesh: &DAffine3) -> Result<Slots> {
    let joints: Vec<usize> = (0..export.skeleton.joints().len())
        .filter(|&j| export.skeleton.joints()[j].kind == JointKind::Skin || export.skeleton.deforms(j))
        .collect();
    let accessor = add_inverse_binds(editor, export, &joints, rest_from_mesh)?;
    let nodes: Vec<usize> = joints.iter().map(|&joint| export.joint_nodes[joint]).collect();
    let index = editor.push("skins", &json!({ "joints": nodes, "inverseBindMatrices": accessor }))?;
    Ok(slots(export, index, joints.into_iter()))
}

fn slots(export: &Export<'_>, index: usize, joints: impl Iterator<Item = usize>) -> Slots {
    let mut slots = vec![None; export.skeleton.joints().len()];
    for (slot, joint) in joints.enumerate() {
        slots[joint].get_or_insert(slot as u16);
    }
    Slots { index, slots }
}

fn add_inverse_binds(
    editor: &mut Editor,
    export: &Export<'_>,
    joints: &[usize],
    rest_from_mesh: &DAffine3,
) -> Result<usize> {
    let joint_from_rest = export.skeleton.joint_from_rest();
    let matrices: Vec<[f32; 16]> =
        joints.iter().map(|&joint| to_columns(&(joint_from_rest[joint] * *rest_from_mesh))).collect();
    let accessor = Accessor {
        component_type: 5126,
        normalized: false,
        count: joints.len(),
        shape: "MAT4",
        min: None,
        max: None,
    };
    editor.add_accessor(&accessor, &bytes_of(&matrices), None)
}
