//! The right half of a divided picture as plain calls: its weights, its colours, and where it begins.

use std::sync::Arc;

use wasm_bindgen::prelude::*;

use super::Viewer;
use super::js::{Result, from_js, thrown};
use super::rig_packet::RigPacket;
use super::viewer::skinning_of;
use crate::deform::Deformer;
use crate::view::Show;

#[wasm_bindgen]
impl Viewer {
    /// Shows the character by other weights right of the divider, in the same pose.
    #[wasm_bindgen(js_name = showCompared)]
    pub fn show_compared(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "RigPacket")] packet: &JsValue,
    ) -> Result<()> {
        let Some(asset) = &self.asset else { return Ok(()) };
        let packet = RigPacket::from_js(packet)?;
        let arrived = packet.into_rig(asset.clone(), self.compared_base.as_ref()).map_err(thrown)?;
        self.compared_base = Some(arrived.base);
        self.view.set_compared(Arc::new(arrived.rig), arrived.cover.map(Arc::new));
        Ok(())
    }

    /// The picture is whole again, and everything of its right half is freed.
    #[wasm_bindgen(js_name = endComparison)]
    pub fn end_comparison(&mut self) {
        self.compared_base = None;
        self.view.end_comparison();
    }

    /// Names what the right half's weights may rest on, so that it need not be sent again: at first what those of the
    /// left half rest on, which is kept even if that has another one by the time they come.
    #[wasm_bindgen(js_name = baseToCompare)]
    pub fn base_to_compare(&mut self) -> Option<String> {
        self.compared_base = self.compared_base.take().or_else(|| self.base.clone());
        self.compared_base.as_ref().map(|base| base.token.clone())
    }

    /// What the right half's colours show.
    #[wasm_bindgen(js_name = setComparedShow)]
    pub fn set_compared_show(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Show")] show: JsValue,
    ) -> Result<()> {
        let show: Show = from_js(show, "show")?;
        self.view.set_compared_show(show);
        Ok(())
    }

    /// How the motions of several joints are blended in the right half.
    #[wasm_bindgen(js_name = setComparedDeformer)]
    pub fn set_compared_deformer(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Deformer")] deformer: JsValue,
    ) -> Result<()> {
        let deformer: Deformer = from_js(deformer, "the deformer")?;
        self.view.set_compared_skinning(skinning_of(deformer));
        Ok(())
    }

    /// Puts the divider at a share of the width.
    #[wasm_bindgen(js_name = setDivider)]
    pub fn set_divider(&mut self, share: f32) {
        self.view.set_divider(share);
    }
}
