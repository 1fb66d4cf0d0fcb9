//! Writes skins: existing ones are kept and at most extended, new ones list every joint.

use std::collections::BTreeSet;

use glam::DAffine3;
use serde_json::json;

use super::super::editor::{Accessor, Editor, Result, bytes_of};
use super::Export;
use crate::io::gltf::skin::to_columns;
use crate::model::{Attachment, JointKind, Weights};

/// A skin that a part can use.
#[derive(Clone)]
pub(super) struct SkinSlots {
    /// Index of the skin in the document.
    pub index: usize,
    /// Index of each skeleton joint in the list of the skin.
    pub slots: Vec<Option<u16>>,
}

/// Creates or extends each skin once.
pub(super) struct Skins<'a> {
    export: &'a Export<'a>,
    /// Joints with weights on the parts of each source skin.
    weighted: Vec<BTreeSet<usize>>,
    extended: Vec<Option<SkinSlots>>,
    added: Vec<(DAffine3, SkinSlots)>,
}

impl<'a> Skins<'a> {
    pub fn new(export: &'a Export<'a>, weights: &Weights) -> Self {
        let mut weighted = vec![BTreeSet::new(); export.source.skins.len()];
        for part in &export.asset.render.parts {
            if let Attachment::Skinned { skin } = part.attachment {
                let influences = part.vertices.clone().flat_map(|vertex| weights.row(vertex as usize));
                // Not collected: that would add an instance of the standard sort to the download.
                let mut joints = BTreeSet::new();
                joints.extend(influences.map(|influence| influence.column as usize));
                // A part without a skin may use any unused one.
                let may_use = |index: usize| skin.is_none_or(|skin| skin == index);
                let skins = weighted.iter_mut().enumerate().filter(|(index, _)| may_use(*index));
                skins.for_each(|(_, weighted)| weighted.extend(&joints));
            }
        }
        Self { export, weighted, extended: vec![None; export.source.skins.len()], added: Vec::new() }
    }

    /// The skin of a part: its own, or one for its rest_from_mesh.
    pub fn get(
        &mut self,
        editor: &mut Editor,
        own: Option<usize>,
        rest_from_mesh: &DAffine3,
    ) -> Result<SkinSlots> {
        if let Some(own) = own.or_else(|| self.unused_skin(rest_from_mesh)) {
            if self.extended[own].is_none() {
                self.extended[own] = Some(self.extend_skin(editor, own)?);
            }
            return Ok(self.extended[own].clone().unwrap_or_else(|| unreachable!("just extended")));
        }
        if let Some((_, slots)) = self.added.iter().find(|(rest, _)| rest == rest_from_mesh) {
            return Ok(slots.clone());
        }
        let slots = add(editor, self.export, rest_from_mesh)?;
        self.added.push((*rest_from_mesh, slots.clone()));
        Ok(slots)
    }

    /// A source skin that no mesh uses, with this rest_from_mesh: a rig without bound meshes.
    fn unused_skin(&self, rest_from_mesh: &DAffine3) -> Option<usize> {
        let parts = &self.export.asset.render.parts;
        let is_used =
            |index| parts.iter().any(|part| part.attachment == Attachment::Skinned { skin: Some(index) });
        let mut skins = self.export.source.skins.iter().enumerate();
        skins
            .find(|(index, skin)| skin.rest_from_mesh == *rest_from_mesh && !is_used(*index))
            .map(|(index, _)| index)
    }

    /// Keeps the joints of a skin in their order and appends weighted joints that it lacks. If
    /// joints were moved, writes new inverse bind matrices.
    fn extend_skin(&self, editor: &mut Editor, skin: usize) -> Result<SkinSlots> {
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

/// Adds a skin with every joint of the skeleton, for meshes with this rest_from_mesh.
pub(super) fn add(editor: &mut Editor, export: &Export<'_>, rest_from_mesh: &DAffine3) -> Result<SkinSlots> {
    let joints: Vec<usize> = (0..export.skeleton.joints().len())
        .filter(|&j| export.skeleton.joints()[j].kind == JointKind::Skin || export.skeleton.deforms(j))
        .collect();
    let accessor = add_inverse_binds(editor, export, &joints, rest_from_mesh)?;
    let nodes: Vec<usize> = joints.iter().map(|&joint| export.joint_nodes[joint]).collect();
    let index = editor.push("skins", &json!({ "joints": nodes, "inverseBindMatrices": accessor }))?;
    Ok(slots(export, index, joints.into_iter()))
}

fn slots(export: &Export<'_>, index: usize, joints: impl Iterator<Item = usize>) -> SkinSlots {
    let mut slots = vec![None; export.skeleton.joints().len()];
    for (slot, joint) in joints.enumerate() {
        slots[joint].get_or_insert(slot as u16);
    }
    SkinSlots { index, slots }
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
