//! The viewer on the page, with joints and clips by name. Plain calls; the element translates DOM
//! events.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{Vec2, Vec3};
use js_sys::{Float32Array, Uint8ClampedArray};
use wasm_bindgen::prelude::*;
use web_sys::HtmlCanvasElement;

use super::camera::CameraPlace;
use super::clips_packet::clips_of;
use super::info::{ClipInfo, joint_names};
use super::js::{Result, from_js, thrown, to_js, triples_by_name};
use super::packet::{AssetPacket, SkeletonPacket};
use super::rig_packet::Base;
use crate::model::{Asset, Clip, Degrees};
use crate::view::{self, ColorMap, Image, Theme, ToolName, ToolOptions, VIEWS};
use crate::weights::Transition;

/// A character on a canvas.
#[wasm_bindgen]
pub struct Viewer {
    pub(super) inner: view::Viewer,
    pub(super) asset: Option<Arc<Asset>>,
    pub(super) names: Vec<String>,
    /// The clips by their names: those of the file, then those of [`Self::set_clips`].
    clips: Vec<(String, Arc<Clip>)>,
    /// The number of clips of the file.
    file_clips: usize,
    /// What the weights of each view are based on.
    pub(super) bases: [Option<Base>; VIEWS],
}

#[wasm_bindgen]
impl Viewer {
    /// On a canvas that has no context of another kind.
    #[wasm_bindgen(constructor)]
    pub fn new(canvas: HtmlCanvasElement) -> Result<Viewer> {
        let inner = view::Viewer::new(canvas).map_err(thrown)?;
        let (names, clips) = (Vec::new(), Vec::new());
        Ok(Self { inner, asset: None, names, clips, file_clips: 0, bases: Default::default() })
    }

    // What is shown.

    /// Shows a character without weights and frames it. What was shown is dropped first.
    #[wasm_bindgen(js_name = showAsset)]
    pub fn show_asset(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "AssetPacket")] packet: &JsValue,
    ) -> Result<()> {
        self.inner.scene_mut().clear();
        self.asset = None;
        let asset = AssetPacket::from_js(packet)?.into_asset();
        self.show(asset);
        Ok(())
    }

    /// Replaces the skeleton of the character; camera and images stay.
    #[wasm_bindgen(js_name = showSkeleton)]
    pub fn show_skeleton(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "SkeletonPacket")] packet: &JsValue,
    ) -> Result<()> {
        let (skeleton, clips) = SkeletonPacket::from_js(packet)?.into_parts();
        let (Some(asset), Some(skeleton)) = (self.asset.take(), skeleton) else { return Ok(()) };
        let camera = *self.inner.scene().camera();
        let images: Vec<Option<Arc<Image>>> = self.inner.scene().images().to_vec();
        let selected = self.selected();
        let painted = self.inner.scene().painted().to_vec();
        self.inner.scene_mut().clear();
        let mut asset = Arc::unwrap_or_clone(asset);
        asset.set_skeleton(skeleton, clips);
        self.show(asset);
        self.inner.scene_mut().set_camera(camera);
        for (index, image) in images.into_iter().enumerate() {
            image.map(|image| self.inner.scene_mut().set_image(index, image));
        }
        self.inner.scene_mut().set_painted(painted);
        self.select(selected);
        Ok(())
    }

    /// The decoded pixels of one of the asset's textures.
    #[wasm_bindgen(js_name = setTexture)]
    pub fn set_texture(&mut self, index: usize, width: u32, height: u32, pixels: &[u8]) -> bool {
        self.inner.set_texture(index, width, height, pixels)
    }

    /// Dark or light surroundings.
    #[wasm_bindgen(js_name = setDark)]
    pub fn set_dark(&mut self, is_dark: bool) {
        self.inner.scene_mut().set_theme(if is_dark { Theme::Dark } else { Theme::Light });
    }

    /// Whether the camera jumps instead of gliding.
    #[wasm_bindgen(js_name = setStill)]
    pub fn set_still(&mut self, is_still: bool) {
        self.inner.scene_mut().set_still(is_still);
    }

    /// CSS colours from nothing to all; with a pale middle for what may be less or more than usual.
    #[must_use]
    pub fn legend(count: usize, is_diverging: bool) -> Vec<String> {
        let map = if is_diverging { ColorMap::Diverging } else { ColorMap::Sequential };
        let css = |color: Vec3| {
            let [r, g, b] = (color * 255.0).round().to_array();
            format!("rgb({r} {g} {b})")
        };
        map.ramp(count).into_iter().map(css).collect()
    }

    /// The heights of a transition at `count` places from 0 to 1.
    #[wasm_bindgen(js_name = transitionCurve)]
    pub fn transition_curve(
        #[wasm_bindgen(unchecked_param_type = "Transition")] transition: JsValue,
        count: usize,
    ) -> Result<Vec<f64>> {
        let transition: Transition = from_js(transition, "the transition")?;
        transition.check().map_err(thrown)?;
        let heights = transition.heights();
        let last = count.max(2) - 1;
        Ok((0..=last).map(|i| heights.at(i as f64 / last as f64)).collect())
    }

    /// Draws or hides bones and joints.
    #[wasm_bindgen(js_name = setBones)]
    pub fn set_bones(&mut self, are_shown: bool) {
        self.inner.scene_mut().set_shows_skeleton(are_shown);
    }

    /// Where the camera is going.
    #[wasm_bindgen(unchecked_return_type = "CameraPlace")]
    pub fn camera(&self) -> Result<JsValue> {
        to_js(&CameraPlace::from(self.inner.scene().camera()))
    }

    /// Puts the camera somewhere at once; whether that is a place.
    #[wasm_bindgen(js_name = setCamera)]
    pub fn set_camera(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "CameraPlace")] place: JsValue,
    ) -> Result<bool> {
        let place: CameraPlace = from_js(place, "the camera")?;
        let camera = place.camera();
        Ok(camera.map(|camera| self.inner.scene_mut().set_camera(camera)).is_some())
    }

    // Drawing.

    /// The canvas's size in CSS pixels, and how many device pixels make one.
    pub fn resize(&mut self, width: f32, height: f32, device_pixel_ratio: f32) {
        self.inner.resize(width, height, device_pixel_ratio);
    }

    /// Draws if anything changed; whether something still moves.
    pub fn frame(&mut self, now_ms: f64) -> Result<bool> {
        self.inner.frame(now_ms).map(|drawn| drawn.again).map_err(thrown)
    }

    /// Whether a frame would draw something, now or soon.
    #[wasm_bindgen(js_name = wantsFrame)]
    #[must_use]
    pub fn wants_frame(&self) -> bool {
        self.inner.scene().wants_frame()
    }

    /// The WebGL context is lost.
    #[wasm_bindgen(js_name = contextLost)]
    pub fn context_lost(&mut self) {
        self.inner.on_context_lost();
    }

    /// The WebGL context is restored; the next frame copies everything to the GPU again.
    #[wasm_bindgen(js_name = contextRestored)]
    pub fn context_restored(&mut self) -> Result<()> {
        self.inner.on_context_restored().map_err(thrown)
    }

    /// The picture at any size, as `ImageData` takes it.
    #[wasm_bindgen(js_name = toPixels)]
    pub fn to_pixels(&mut self, width: u32, height: u32) -> Result<Uint8ClampedArray> {
        let pixels = self.inner.to_pixels(width, height).map_err(thrown)?;
        Ok(Uint8ClampedArray::from(pixels.as_flattened()))
    }

    // Posing.

    /// The selected joint.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn selected(&self) -> Option<String> {
        self.inner.scene().selected().and_then(|joint| self.names.get(joint).cloned())
    }

    /// Selects a joint, without an event; whether there is one of that name.
    #[expect(clippy::needless_pass_by_value, reason = "what comes from JavaScript comes by value")]
    pub fn select(&mut self, joint: Option<String>) -> bool {
        let index = joint.as_deref().and_then(|joint| self.index(joint));
        self.inner.scene_mut().set_selected(index);
        index.is_some() == joint.is_some()
    }

    /// Rotations from rest by joint, with offsets; joints at rest are not listed.
    #[wasm_bindgen(unchecked_return_type = "Record<string, [number, number, number]>")]
    pub fn pose(&self) -> Result<JsValue> {
        let mut turned: BTreeMap<&str, Degrees> = BTreeMap::new();
        if let Some((pose, skeleton)) =
            self.inner.scene().pose().zip(self.inner.scene().character().and_then(|f| f.skeleton()))
        {
            let angles = pose.angles(skeleton);
            let named = self.names.iter().map(String::as_str).zip(angles);
            turned.extend(named.filter(|(_, angles)| *angles != [0.0; 3]));
        }
        to_js(&turned)
    }

    /// Rotates joints from rest and clears offsets; joints that are not listed are at rest.
    #[wasm_bindgen(js_name = setPose)]
    pub fn set_pose(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Readonly<Record<string, readonly [number, number, number]>>")]
        angles: JsValue,
    ) -> Result<bool> {
        let angles: BTreeMap<String, Degrees> = from_js(angles, "the pose")?;
        let all: Vec<Degrees> =
            self.names.iter().map(|name| angles.get(name).copied().unwrap_or_default()).collect();
        let Some((pose, character)) = self.inner.scene().pose().zip(self.inner.scene().character()) else {
            return Ok(false);
        };
        let Some(skeleton) = character.skeleton() else { return Ok(false) };
        let mut pose = pose.clone();
        pose.set_angles(skeleton, &all);
        Ok(self.inner.scene_mut().set_pose(pose))
    }

    /// Sets pose and morph weights of a clip at a time in seconds, with offsets; whether there is
    /// such a clip.
    #[wasm_bindgen(js_name = setClipTime)]
    pub fn set_clip_time(&mut self, clip: &str, seconds: f32) -> bool {
        self.motion(clip).is_some_and(|clip| self.inner.scene_mut().set_clip_time(&clip, seconds))
    }

    /// Replaces the clips that are added to those of the file (`clips_packet`).
    #[wasm_bindgen(js_name = setClips)]
    #[expect(clippy::needless_pass_by_value, reason = "what comes from JavaScript comes by value")]
    pub fn set_clips(&mut self, names: Vec<String>, numbers: Vec<f64>) {
        let clips = clips_of(names, &numbers, self.names.len());
        self.clips.truncate(self.file_clips);
        self.clips.extend(clips.into_iter().map(|clip| (clip.name.clone(), Arc::new(clip))));
    }

    // Tools.

    /// The active tool.
    #[wasm_bindgen(getter, unchecked_return_type = "ToolName")]
    pub fn tool(&self) -> Result<JsValue> {
        to_js(&self.inner.scene().tool())
    }

    /// Activates a tool, or changes the options of the active one; the tool that is active then.
    /// Placing joints needs a skeleton, else joints are rotated.
    #[wasm_bindgen(js_name = setTool, unchecked_return_type = "ToolName")]
    pub fn set_tool(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "ToolName")] name: JsValue,
        #[wasm_bindgen(unchecked_param_type = "Partial<ToolOptions> | undefined")] options: JsValue,
    ) -> Result<JsValue> {
        let name: ToolName = from_js(name, "the tool")?;
        let options: Option<ToolOptions> = from_js(options, "the options of the tool")?;
        to_js(&self.inner.scene_mut().set_tool(name, &options.unwrap_or_default()))
    }

    // Joints in rest space.

    /// Where every joint's head is in rest space.
    #[wasm_bindgen(js_name = jointPositions, unchecked_return_type = "Record<string, [number, number, number]>")]
    pub fn joint_positions(&self) -> Result<JsValue> {
        self.by_name(self.inner.scene().joint_heads())
    }

    /// The same if one of them were moved to a point, its mirror image along with it if wanted.
    #[wasm_bindgen(
        js_name = jointPositionsWith,
        unchecked_return_type = "Record<string, [number, number, number]>"
    )]
    pub fn joint_positions_with(
        &self,
        joint: &str,
        #[wasm_bindgen(unchecked_param_type = "readonly [number, number, number]")] to: JsValue,
        mirrors: bool,
    ) -> Result<JsValue> {
        let to: [f32; 3] = from_js(to, "the joint's position")?;
        let heads = match self.index(joint) {
            Some(index) => self.inner.scene().joint_heads_with(index, Vec3::from_array(to), mirrors),
            None => self.inner.scene().joint_heads(),
        };
        self.by_name(heads)
    }

    /// Where the bones of joints without children end in rest space.
    #[wasm_bindgen(js_name = leafTails, unchecked_return_type = "Record<string, [number, number, number]>")]
    pub fn leaf_tails(&self) -> Result<JsValue> {
        let tails = self.inner.scene().leaf_tails();
        let named = tails
            .iter()
            .filter_map(|(joint, tail)| Some((self.names.get(*joint)?.as_str(), tail.to_array())));
        triples_by_name(named)
    }

    /// Moves joints and ends of bones while another joint is dragged. Names that no joint has are
    /// ignored.
    #[wasm_bindgen(js_name = followDrag)]
    pub fn follow_drag(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Readonly<Record<string, readonly [number, number, number]>>")]
        heads: JsValue,
        #[wasm_bindgen(unchecked_param_type = "Readonly<Record<string, readonly [number, number, number]>>")]
        tails: JsValue,
    ) -> Result<()> {
        let (heads, tails) = (self.by_index(heads)?, self.by_index(tails)?);
        self.inner.scene_mut().follow_drag(&heads, &tails);
        Ok(())
    }

    /// Points out joints while joints are placed. Names that no joint has are ignored.
    #[wasm_bindgen(js_name = markJoints)]
    #[expect(clippy::needless_pass_by_value, reason = "what comes from JavaScript comes by value")]
    pub fn mark_joints(&mut self, joints: Vec<String>) {
        let marked = joints.iter().filter_map(|joint| self.index(joint)).collect();
        self.inner.scene_mut().mark_joints(marked);
    }

    /// The middle of the body under a pixel, as it is drawn; nothing beside it.
    #[wasm_bindgen(js_name = bodyPointAt)]
    pub fn body_point_at(&mut self, x: f32, y: f32) -> Option<Vec<f32>> {
        let point = self.inner.scene_mut().body_point_at(Vec2::new(x, y), None)?;
        Some(point.to_array().to_vec())
    }

    // For tests.

    /// Every render vertex of a view as the GPU computes it; three numbers each.
    #[wasm_bindgen(js_name = drawnVertices)]
    pub fn drawn_vertices(&self, view: usize) -> Result<Float32Array> {
        let positions = self.inner.read_skinned_vertices(view).map_err(thrown)?;
        Ok(Float32Array::from(bytemuck::cast_slice(&positions)))
    }
}

impl Viewer {
    fn show(&mut self, mut asset: Asset) {
        self.bases = Default::default();
        self.names = asset.skeleton.as_ref().map_or(Vec::new(), joint_names);
        let names = ClipInfo::all(&asset.clips).into_iter().map(|info| info.name);
        let clips = std::mem::take(&mut asset.clips).into_iter().map(Arc::new);
        self.clips = names.zip(clips).collect();
        self.file_clips = self.clips.len();
        let asset = Arc::new(asset);
        self.asset = Some(asset.clone());
        self.inner.scene_mut().set_asset(asset);
    }

    fn by_name(&self, heads: Vec<Vec3>) -> Result<JsValue> {
        let heads = heads.into_iter().map(|head| head.to_array());
        triples_by_name(self.names.iter().map(String::as_str).zip(heads))
    }

    /// Points of joints by index. Names that no joint has are ignored.
    fn by_index(&self, points: JsValue) -> Result<BTreeMap<usize, Vec3>> {
        let points: BTreeMap<String, [f32; 3]> = from_js(points, "points of joints")?;
        let indexed = points.into_iter().filter_map(|(joint, at)| Some((self.index(&joint)?, at.into())));
        Ok(indexed.collect())
    }

    /// The clip of a name.
    pub(super) fn motion(&self, clip: &str) -> Option<Arc<Clip>> {
        self.clips.iter().find(|(name, _)| name == clip).map(|(_, clip)| clip.clone())
    }

    pub(super) fn index(&self, joint: &str) -> Option<usize> {
        self.names.iter().position(|name| name == joint)
    }
}
