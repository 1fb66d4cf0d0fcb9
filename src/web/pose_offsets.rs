//! Rotations on top of a clip, with joints by name and angles in degrees about the joints' own
//! axes.

use std::collections::BTreeMap;

use wasm_bindgen::prelude::*;

use super::Viewer;
use super::js::{Result, from_js, triples_by_name};
use crate::model::{Degrees, from_degrees, to_degrees};

#[wasm_bindgen]
impl Viewer {
    /// Rotations that are applied after the clip; joints without any are not listed.
    #[wasm_bindgen(js_name = poseOffsets, unchecked_return_type = "Record<string, [number, number, number]>")]
    pub fn pose_offsets(&self) -> Result<JsValue> {
        let character = self.inner.scene().character();
        let offsets = character.into_iter().flat_map(|character| character.offsets());
        let named = offsets
            .filter_map(|(&joint, &offset)| Some((self.names.get(joint)?.as_str(), to_degrees(offset))));
        triples_by_name(named)
    }

    /// Replaces the rotations that are applied after the clip; joints that are not listed have
    /// none.
    #[wasm_bindgen(js_name = setPoseOffsets)]
    pub fn set_pose_offsets(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Readonly<Record<string, readonly [number, number, number]>>")]
        offsets: JsValue,
    ) -> Result<()> {
        let offsets: BTreeMap<String, Degrees> = from_js(offsets, "the pose offsets")?;
        let by_joint = offsets.iter().filter_map(|(name, &angles)| {
            Some((self.index(name)?, from_degrees(angles))).filter(|_| angles != [0.0; 3])
        });
        let by_joint = by_joint.collect();
        self.inner.scene_mut().set_pose_offsets(by_joint);
        Ok(())
    }

    /// Sets the rotation of a joint that is applied after the clip; null removes it. Whether there
    /// is such a joint.
    #[wasm_bindgen(js_name = setPoseOffset)]
    pub fn set_pose_offset(
        &mut self,
        joint: &str,
        #[wasm_bindgen(unchecked_param_type = "readonly [number, number, number] | null")] angles: JsValue,
    ) -> Result<bool> {
        let angles: Option<Degrees> = from_js(angles, "the angles")?;
        let Some(joint) = self.index(joint) else { return Ok(false) };
        Ok(self.inner.scene_mut().set_pose_offset(joint, angles.map(from_degrees)))
    }

    /// Removes all rotations that are applied after the clip.
    #[wasm_bindgen(js_name = clearPoseOffsets)]
    pub fn clear_pose_offsets(&mut self) {
        self.inner.scene_mut().clear_pose_offsets();
    }

    /// Rotates one joint to angles from rest; the others stay. While a clip is shown this is an
    /// offset. Whether there is such a joint.
    #[wasm_bindgen(js_name = rotateJoint)]
    pub fn rotate_joint(
        &mut self,
        joint: &str,
        #[wasm_bindgen(unchecked_param_type = "readonly [number, number, number]")] angles: JsValue,
    ) -> Result<bool> {
        let angles: Degrees = from_js(angles, "the angles")?;
        let Some(joint) = self.index(joint) else { return Ok(false) };
        Ok(self.inner.scene_mut().rotate_joint_to(joint, angles))
    }
}
