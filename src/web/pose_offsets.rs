//! Rotations on top of a clip, with joints by name.

use std::collections::BTreeMap;

use wasm_bindgen::prelude::*;

use super::Viewer;
use super::js::{Result, from_js, to_js};
use crate::model::{Degrees, Pose};

#[wasm_bindgen]
impl Viewer {
    /// Rotations in degrees about the joints' own axes that `setClipTime` adds to the pose of a clip.
    #[wasm_bindgen(js_name = setPoseOffsets)]
    pub fn set_pose_offsets(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Readonly<Record<string, readonly [number, number, number]>>")]
        offsets: JsValue,
    ) -> Result<()> {
        self.pose_offsets = from_js(offsets, "the pose offsets")?;
        Ok(())
    }

    /// The rotations of the current pose relative to a clip at a time in seconds; joints without any are
    /// not listed.
    #[wasm_bindgen(
        js_name = offsetsFromClip,
        unchecked_return_type = "Record<string, [number, number, number]>"
    )]
    pub fn offsets_from_clip(&self, clip: &str, seconds: f32) -> Result<JsValue> {
        let base = self.clip_pose(clip, seconds);
        let offsets = self.view.pose().zip(base).map_or(Vec::new(), |(pose, base)| pose.offsets_from(&base));
        let named = self.names.iter().map(String::as_str).zip(offsets);
        to_js(&named.filter(|(_, offset)| *offset != [0.0; 3]).collect::<BTreeMap<_, Degrees>>())
    }
}

impl Viewer {
    /// Adds the offsets to a pose of a clip.
    pub(super) fn add_offsets(&self, pose: &mut Pose) {
        if self.pose_offsets.is_empty() {
            return;
        }
        let offset = |name: &String| self.pose_offsets.get(name).copied().unwrap_or_default();
        pose.add_offsets(&self.names.iter().map(offset).collect::<Vec<_>>());
    }
}
