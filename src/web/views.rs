//! The two views as plain calls: weights, colours and skinning of each, and the divider between
//! them.
//!
//! Functions take the index of the view as first argument; indices beyond the last mean the last.

use std::sync::Arc;

use wasm_bindgen::prelude::*;

use super::Viewer;
use super::info::joint_names;
use super::js::{Result, from_js, thrown};
use super::rig_packet::RigPacket;
use crate::deform::Deformer;
use crate::model::Rig;
use crate::view::{Show, VIEWS};

#[wasm_bindgen]
impl Viewer {
    /// Shows the character with these weights in a view. Other weights for the same skeleton keep
    /// the pose. The second view and the divider appear with its first weights.
    #[wasm_bindgen(js_name = showRig)]
    pub fn show_rig(
        &mut self,
        view: usize,
        #[wasm_bindgen(unchecked_param_type = "RigPacket")] packet: &JsValue,
    ) -> Result<()> {
        let Some(asset) = &self.asset else { return Ok(()) };
        let view = view.min(VIEWS - 1);
        let packet = RigPacket::from_js(packet)?;
        let arrived = packet.into_rig(asset.clone(), self.bases[view].as_ref()).map_err(thrown)?;
        self.bases[view] = Some(arrived.base);
        if view == 0 {
            // Handles on the skin are joints that the asset does not have.
            self.names = joint_names(&arrived.rig.skeleton);
        }
        if self.inner.scene_mut().set_rig(view, Arc::new(arrived.rig)) {
            self.inner.scene_mut().set_regions(view, arrived.overlay);
        }
        Ok(())
    }

    /// Shows the character with the weights of its file in the first view, as when rigging has
    /// failed; false if the file has none, or they are for another skeleton.
    #[wasm_bindgen(js_name = showFileWeights)]
    pub fn show_file_weights(&mut self) -> bool {
        let rig = self.asset.clone().and_then(|asset| {
            let skeleton = asset.skeleton.clone()?;
            Rig::from_stored_weights(asset, skeleton)
        });
        let Some(rig) = rig else { return false };
        self.bases[0] = None;
        self.names = joint_names(&rig.skeleton);
        self.inner.scene_mut().set_rig(0, Arc::new(rig))
    }

    /// Drops the weights of a view. The second is not drawn any more; in the first the character is
    /// at rest without weights, and the second goes too.
    #[wasm_bindgen(js_name = clearView)]
    pub fn clear_view(&mut self, view: usize) {
        self.bases.iter_mut().skip(view).for_each(|base| *base = None);
        if view == 0 {
            let skeleton = self.asset.as_ref().and_then(|asset| asset.skeleton.as_ref());
            self.names = skeleton.map_or(Vec::new(), joint_names);
        }
        self.inner.scene_mut().clear_view(view);
    }

    /// The token of what the weights of a view are based on, so that it need not be sent again. A
    /// view without weights begins with the base of the first view, which is kept even if that view
    /// has another one when the weights arrive.
    #[wasm_bindgen(js_name = knownBase)]
    pub fn known_base(&mut self, view: usize) -> Option<String> {
        let view = view.min(VIEWS - 1);
        self.bases[view] = self.bases[view].take().or_else(|| self.bases[0].clone());
        self.bases[view].as_ref().map(|base| base.token.clone())
    }

    /// What the colours of a view show: materials, weights of the selected joint, regions, ….
    #[wasm_bindgen(js_name = setShow)]
    pub fn set_show(
        &mut self,
        view: usize,
        #[wasm_bindgen(unchecked_param_type = "Show")] show: JsValue,
    ) -> Result<()> {
        let show: Show = from_js(show, "show")?;
        self.inner.scene_mut().view_mut(view).set_show(show);
        Ok(())
    }

    /// How transforms of joints are blended in a view.
    #[wasm_bindgen(js_name = setDeformer)]
    pub fn set_deformer(
        &mut self,
        view: usize,
        #[wasm_bindgen(unchecked_param_type = "Deformer")] deformer: JsValue,
    ) -> Result<()> {
        let deformer: Deformer = from_js(deformer, "the deformer")?;
        self.inner.scene_mut().view_mut(view).set_skinning(deformer.into());
        Ok(())
    }

    /// Puts the divider at a share of the width.
    #[wasm_bindgen(js_name = setDivider)]
    pub fn set_divider(&mut self, share: f32) {
        self.inner.scene_mut().set_divider(share);
    }
}
