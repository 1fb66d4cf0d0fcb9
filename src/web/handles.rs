//! Handles on the skin as plain calls, by name.

use std::collections::BTreeMap;

use glam::{Vec2, Vec3};
use wasm_bindgen::prelude::*;

use super::Viewer;
use super::js::{Result, from_js, object, triples_by_name};
use crate::pipeline::PlacedHandle;

#[wasm_bindgen]
impl Viewer {
    /// Replaces the handles; names that were there before keep their target.
    #[wasm_bindgen(js_name = setHandles)]
    pub fn set_handles(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "readonly PlacedHandle[]")] handles: JsValue,
    ) -> Result<()> {
        let handles: Vec<PlacedHandle> = from_js(handles, "the handles")?;
        let placed: Vec<(String, Vec3)> =
            handles.into_iter().map(|handle| (handle.name, Vec3::from_array(handle.at))).collect();
        self.inner.scene_mut().set_handles(&placed);
        Ok(())
    }

    /// The selected handle.
    #[wasm_bindgen(getter, js_name = selectedHandle)]
    #[must_use]
    pub fn selected_handle(&self) -> Option<String> {
        let handle = self.inner.scene().selected_handle()?;
        Some(self.inner.scene().character()?.handles().get(handle)?.name.clone())
    }

    /// Where every handle is in the pose.
    #[wasm_bindgen(js_name = handlePositions, unchecked_return_type = "Record<string, [number, number, number]>")]
    pub fn handle_positions(&self) -> Result<JsValue> {
        let Some(shown) = self.inner.scene().shown(0) else {
            return object([]);
        };
        let names = shown.character.handles().iter().map(|handle| handle.name.as_str());
        let places = shown.handle_positions();
        triples_by_name(names.zip(places.iter().map(|place| place.to_array())))
    }

    /// The targets of handles; those without one are not listed.
    #[wasm_bindgen(js_name = handleTargets, unchecked_return_type = "Record<string, [number, number, number]>")]
    pub fn handle_targets(&self) -> Result<JsValue> {
        let handles = self.inner.scene().character().map_or(&[][..], |character| character.handles());
        let pulled =
            handles.iter().filter_map(|handle| Some((handle.name.as_str(), handle.target?.to_array())));
        triples_by_name(pulled)
    }

    /// Sets the targets of handles; those that are not listed have none.
    #[wasm_bindgen(js_name = setHandleTargets)]
    pub fn set_handle_targets(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Readonly<Record<string, readonly [number, number, number]>>")]
        targets: JsValue,
    ) -> Result<()> {
        let targets: BTreeMap<String, [f32; 3]> = from_js(targets, "where handles go")?;
        let handles = self.inner.scene().character().map_or(&[][..], |character| character.handles());
        let target = |name: &String| targets.get(name).copied().map(Vec3::from_array);
        let all: Vec<Option<Vec3>> = handles.iter().map(|handle| target(&handle.name)).collect();
        self.inner.scene_mut().set_targets(&all);
        Ok(())
    }

    /// The handle at a pixel.
    #[wasm_bindgen(js_name = handleAt)]
    #[must_use]
    pub fn handle_at(&self, x: f32, y: f32, is_touch: bool) -> Option<String> {
        let handle = self.inner.scene().handle_at(Vec2::new(x, y), is_touch)?;
        Some(self.inner.scene().character()?.handles().get(handle)?.name.clone())
    }

    /// The vertex of the skin at a pixel, in rest space.
    #[wasm_bindgen(js_name = skinAt)]
    pub fn skin_at(&mut self, x: f32, y: f32) -> Option<Vec<f32>> {
        self.inner.scene_mut().skin_place(Vec2::new(x, y)).map(|place| place.to_array().to_vec())
    }

    /// The vertex nearest to a point, both in rest space.
    #[wasm_bindgen(js_name = skinNear)]
    #[must_use]
    pub fn skin_near(&self, x: f32, y: f32, z: f32) -> Option<Vec<f32>> {
        let mesh = &self.asset.as_ref()?.mesh;
        let vertex = mesh.nearest_vertex(Vec3::new(x, y, z))?;
        Some(mesh.positions()[vertex].to_array().to_vec())
    }

    /// Where a vertex is in rest space, by its number in the file.
    #[wasm_bindgen(js_name = vertexAt)]
    #[must_use]
    pub fn vertex_at(&self, vertex: usize) -> Option<Vec<f32>> {
        Some(self.asset.as_ref()?.render.positions.get(vertex)?.to_array().to_vec())
    }

    /// Where a handle is on the canvas, in CSS pixels; nothing for those out of sight.
    #[wasm_bindgen(js_name = handleOnCanvas)]
    #[must_use]
    pub fn handle_on_canvas(&self, name: &str) -> Option<Vec<f32>> {
        let shown = self.inner.scene().shown(0)?;
        let handle = shown.character.handles().iter().position(|handle| handle.name == name)?;
        Some(
            self.inner
                .scene()
                .view_transform()
                .project(shown.handle_positions()[handle])?
                .0
                .to_array()
                .to_vec(),
        )
    }
}
