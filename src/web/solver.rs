//! [`Solver`]: reads, rigs and exports characters in the worker, one at a time.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::Vec3;
use js_sys::{Array, Function, JSON, Object, Uint8Array};
use wasm_bindgen::prelude::*;

use super::clips_packet::clips_of;
use super::compressed::decoded_in;
use super::error::PliantError;
use super::info::{ModelInfo, RigReport, joint_names};
use super::js::{Result, member, object, thrown, to_js};
use super::morphs_packet::MorphsPacket;
use super::packet::{AssetPacket, SkeletonPacket};
use super::rig_packet::RigPacket;
use super::watch::Watch;
use crate::fit;
use crate::io::gltf::{self, ExportOptions};
use crate::io::{File, Reader};
use crate::model::{Asset, Clip, Morphs, Rig, Skeleton};
use crate::pipeline::{Pipeline, PipelineError, Recipe};
use crate::quality::PoseIntersections;
use crate::report::Report;
use crate::view::VIEWS;

#[wasm_bindgen(typescript_custom_section)]
const ANSWERS: &str = r"
/** A file with its name, and with what was decoded beforehand. */
export interface NamedFileBytes {
  name: string;
  bytes: Uint8Array;
  decoded?: readonly DecodedPart[];
  converted?: ConvertedFbx;
}
export type NamedFiles = readonly NamedFileBytes[];
export interface LoadAnswer { model: ModelInfo; asset: AssetPacket }
export interface SkeletonAnswer { model: ModelInfo; skeleton: SkeletonPacket }
export interface RigAnswer { report: RigReport; rig: RigPacket }
/** The rigged character, as `bakeMorphs` of the viewer module takes it. */
export interface BakeInputs { asset: AssetPacket; rig: RigPacket }
/** Poses with three numbers per vertex, and errors of files without poses. */
export interface PosesAnswer { poses: { name: string; positions: Float32Array }[]; failures: PliantError[] }
/** An example as reproduced by weights: positions, and distances from it in units of the model. */
export interface FitAnswer { positions: Float32Array; errors: Float32Array }
";

/// A character and the cached results computed for it.
#[wasm_bindgen]
#[derive(Default)]
pub struct Solver {
    /// Compute the weights of the two views. The second is a clone of the first, made when it is
    /// first used, so that neither evicts cached results of the other.
    pub(super) pipelines: [Option<Pipeline>; VIEWS],
    /// The last weights of the first view, which are exported.
    rig: Option<Rig>,
    intersections: PoseIntersections,
    /// Clips that are exported with those of the file.
    clips: Vec<Clip>,
    pub(super) report: Report,
}

#[wasm_bindgen]
impl Solver {
    /// A solver without a character.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a model. The previous one is dropped first, to limit the memory used.
    pub fn load(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "NamedFiles")] files: &JsValue,
    ) -> Result<LoadAnswer> {
        *self = Self::default();
        let mut report = Report::default();
        let (files, decoders) = (files_of(files)?, decoded_in(files)?);
        let asset = Reader::with_decoders(&files, &decoders).read_character(&mut report).map_err(thrown)?;
        self.begin(asset, report)
    }

    /// Binds the mesh to the skeleton in other files.
    #[wasm_bindgen(js_name = setSkeleton)]
    pub fn set_skeleton(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "NamedFiles")] files: &JsValue,
    ) -> Result<SkeletonAnswer> {
        let (files, decoders) = (files_of(files)?, decoded_in(files)?);
        let reader = Reader::with_decoders(&files, &decoders);
        let read = reader.read_skeleton(&mut self.report).map_err(thrown)?;
        self.change_skeleton(Asset::set_skeleton, read.skeleton, read.clips)
    }

    /// Binds the mesh to the skeleton of a template character, scaled and moved onto the mesh.
    #[wasm_bindgen(js_name = useTemplate)]
    pub fn use_template(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "NamedFiles")] files: &JsValue,
    ) -> Result<SkeletonAnswer> {
        let (files, decoders) = (files_of(files)?, decoded_in(files)?);
        let reader = Reader::with_decoders(&files, &decoders);
        let template = reader.read_character(&mut Report::default()).map_err(thrown)?;
        let skeleton = template.skeleton.as_ref().ok_or(PipelineError::NoSkeleton).map_err(thrown)?;
        let asset = self.asset()?;
        let (skeleton, clips) =
            fit::fit(skeleton, &template.clips, &template.mesh, &asset.mesh).map_err(thrown)?;
        self.change_skeleton(Asset::set_skeleton, skeleton, clips)
    }

    /// Moves the heads of joints to points in rest space.
    #[wasm_bindgen(js_name = setJointPositions)]
    pub fn set_joint_positions(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Readonly<Record<string, readonly [number, number, number]>>")]
        positions: &JsValue,
    ) -> Result<SkeletonAnswer> {
        let asset = self.asset()?;
        let skeleton = asset.skeleton.as_ref().ok_or(PipelineError::NoSkeleton).map_err(thrown)?;
        let names = joint_names(skeleton);
        let mut heads = BTreeMap::new();
        for (name, head) in points_of(positions) {
            if let Some(joint) = names.iter().position(|known| *known == name) {
                heads.insert(joint, head);
            }
        }
        let (skeleton, clips) = fit::move_joints(skeleton, &asset.clips, &heads).map_err(thrown)?;
        self.change_skeleton(Asset::move_joints, skeleton, clips)
    }

    /// Computes the weights of a view. `progress` is called with the part done (0 to 1) and the
    /// stage. Skeleton and regions of the token `known` are not sent again. During example fitting,
    /// `fitted` is called after every iteration, and the call returns intermediate weights after
    /// half a second. While [`Self::is_fitting`], calling it again with the same recipe continues
    /// the fit.
    #[expect(clippy::needless_pass_by_value, reason = "what comes from JavaScript comes by value")]
    pub fn rig(
        &mut self,
        view: usize,
        #[wasm_bindgen(unchecked_param_type = "Recipe")] recipe: &JsValue,
        known: Option<String>,
        #[wasm_bindgen(unchecked_param_type = "(share: number, stage: string) => void")] progress: Function,
        #[wasm_bindgen(unchecked_param_type = "(energy: Energy) => void")] fitted: Function,
    ) -> Result<RigAnswer> {
        let view = view.min(VIEWS - 1);
        if view == 0 {
            // Freed before the next weights are computed, to limit the memory used.
            self.rig = None;
        } else if self.pipelines[view].is_none() {
            self.pipelines[view] = self.pipelines[0].clone();
        }
        let pipeline = self.pipelines[view].as_mut().ok_or_else(nothing_loaded)?;
        let recipe = Recipe::from_json(&String::from(JSON::stringify(recipe)?)).map_err(thrown)?;
        let mut watch = Watch::new(recipe.method, progress, fitted);
        let outcome = pipeline.run(&recipe, &mut watch).map_err(thrown)?;
        let report = to_js(&RigReport::of(&outcome, &self.report))?;
        let packet =
            RigPacket::of(&outcome.rig, outcome.region_overlay.as_ref(), known.as_deref()).to_js()?;
        if view == 0 {
            self.rig = Some(outcome.rig);
        }
        object([("report", report), ("rig", packet)]).map(JsCast::unchecked_into)
    }

    /// Drops the cached results of the second view. Those of the first stay with the character.
    #[wasm_bindgen(js_name = clearView)]
    pub fn clear_view(&mut self, view: usize) {
        self.pipelines.iter_mut().skip(view.max(1)).for_each(|pipeline| *pipeline = None);
    }

    /// Replaces the clips that are exported with those of the file (`clips_packet`).
    #[wasm_bindgen(js_name = setClips)]
    #[expect(clippy::needless_pass_by_value, reason = "what comes from JavaScript comes by value")]
    pub fn set_clips(&mut self, names: Vec<String>, numbers: Vec<f64>) -> Result<()> {
        let joints = self.asset()?.skeleton.as_ref().map_or(0, |skeleton| skeleton.joints().len());
        self.clips = clips_of(names, &numbers, joints);
        Ok(())
    }

    /// The skeleton and the clips of other files. The character does not change.
    #[wasm_bindgen(js_name = readMotion, unchecked_return_type = "SkeletonPacket")]
    pub fn read_motion(
        &self,
        #[wasm_bindgen(unchecked_param_type = "NamedFiles")] files: &JsValue,
    ) -> Result<JsValue> {
        let (files, decoders) = (files_of(files)?, decoded_in(files)?);
        let reader = Reader::with_decoders(&files, &decoders);
        let read = reader.read_skeleton(&mut Report::default()).map_err(thrown)?;
        SkeletonPacket::of(&Asset { skeleton: Some(read.skeleton), clips: read.clips, ..Asset::default() })
            .to_js()
    }

    /// The rigged character without its images, for the viewer module, which bakes its correction.
    #[wasm_bindgen(js_name = bakeInputs)]
    pub fn bake_inputs(&self) -> Result<BakeInputs> {
        let rig = self.exported_rig()?;
        let asset = AssetPacket::without_textures(&rig.asset).to_js()?;
        let rig = RigPacket::of(rig, None, None).to_js()?;
        object([("asset", asset), ("rig", rig)]).map(JsCast::unchecked_into)
    }

    /// The rigged character as a GLB, with baked morph targets if there are any.
    #[wasm_bindgen(js_name = exportGlb)]
    pub fn export_glb(
        &self,
        #[wasm_bindgen(unchecked_param_type = "readonly MorphsPacket[]")] morphs: &JsValue,
    ) -> Result<Uint8Array> {
        let rig = self.exported_rig()?;
        let vertices = rig.asset.render.positions.len();
        let morphs = Array::from(morphs)
            .iter()
            .map(|packet| MorphsPacket::from_js(&packet)?.into_morphs(vertices).map_err(thrown))
            .collect::<Result<Vec<Morphs>>>()?;
        let (skeleton, weights) = (Some(&rig.skeleton), Some(rig.weights()));
        let clips = &self.clips;
        let options = ExportOptions { skeleton, weights, morphs: &morphs, clips, ..ExportOptions::default() };
        let glb = gltf::write_glb(&rig.asset, &options).map_err(thrown)?;
        Ok(Uint8Array::from(glb.as_slice()))
    }

    /// The render vertices of triangles that intersect others at `positions` (three numbers per
    /// render vertex), and not at rest.
    #[wasm_bindgen(js_name = intersectingVertices)]
    #[expect(clippy::needless_pass_by_value, reason = "what comes from JavaScript comes by value")]
    pub fn intersecting_vertices(&mut self, positions: Vec<f32>) -> Result<Vec<u32>> {
        let asset = self.pipelines[0].as_ref().map(Pipeline::asset).ok_or_else(nothing_loaded)?;
        let positions: Vec<Vec3> = positions.as_chunks::<3>().0.iter().map(|&p| p.into()).collect();
        Ok(self.intersections.vertices(asset, &positions))
    }
}

#[wasm_bindgen]
extern "C" {
    /// See the custom section above.
    #[wasm_bindgen(typescript_type = "LoadAnswer")]
    pub type LoadAnswer;
    /// See the custom section above.
    #[wasm_bindgen(typescript_type = "SkeletonAnswer")]
    pub type SkeletonAnswer;
    /// See the custom section above.
    #[wasm_bindgen(typescript_type = "RigAnswer")]
    pub type RigAnswer;
    /// See the custom section above.
    #[wasm_bindgen(typescript_type = "BakeInputs")]
    pub type BakeInputs;
}

impl Solver {
    fn begin(&mut self, asset: Asset, report: Report) -> Result<LoadAnswer> {
        let model = to_js(&ModelInfo::of(&asset, &report))?;
        let packet = AssetPacket::of(&asset).to_js()?;
        let pipelines = [Some(Pipeline::new(Arc::new(asset))), None];
        *self = Self { pipelines, report, ..Self::default() };
        object([("model", model), ("asset", packet)]).map(JsCast::unchecked_into)
    }

    pub(super) fn asset(&self) -> Result<&Asset> {
        self.pipelines[0].as_ref().map(|pipeline| &**pipeline.asset()).ok_or_else(nothing_loaded)
    }

    fn exported_rig(&self) -> Result<&Rig> {
        self.rig.as_ref().ok_or_else(|| {
            thrown(PliantError::new("not_rigged", "there are no weights yet; rig the character first"))
        })
    }

    pub(super) fn change_skeleton(
        &mut self,
        change: fn(&mut Asset, Skeleton, Vec<Clip>),
        skeleton: Skeleton,
        clips: Vec<Clip>,
    ) -> Result<SkeletonAnswer> {
        let [first, _] = std::mem::take(&mut self.pipelines);
        self.rig = None;
        self.clips.clear();
        let pipeline = first.ok_or_else(nothing_loaded)?;
        let (asset, examples) = (pipeline.asset().clone(), pipeline.examples().clone());
        drop(pipeline);
        let mut asset = Arc::unwrap_or_clone(asset);
        change(&mut asset, skeleton, clips);
        let model = to_js(&ModelInfo::of(&asset, &self.report))?;
        let packet = SkeletonPacket::of(&asset).to_js()?;
        let mut pipeline = Pipeline::new(Arc::new(asset));
        pipeline.set_examples(examples);
        self.pipelines[0] = Some(pipeline);
        object([("model", model), ("skeleton", packet)]).map(JsCast::unchecked_into)
    }
}

pub(super) fn nothing_loaded() -> JsValue {
    thrown(PliantError::new("nothing_loaded", "no character is loaded; load one first"))
}

pub(super) fn files_of(files: &JsValue) -> Result<Vec<File>> {
    let read = |file: JsValue| {
        let name = member(&file, "name")?.as_string().unwrap_or_default();
        Ok(File { name, bytes: Uint8Array::from(member(&file, "bytes")?).to_vec() })
    };
    Array::from(files).iter().map(read).collect()
}

/// Points by name. What is not a number is NaN, which those who get the points refuse.
fn points_of(points: &JsValue) -> Vec<(String, Vec3)> {
    let array = |value: JsValue| if value.is_object() { Array::from(&value) } else { Array::new() };
    let entries = points.dyn_ref::<Object>().map_or_else(Array::new, Object::entries);
    let point = |entry: Array| {
        let at = array(entry.get(1));
        let [x, y, z] = [0, 1, 2].map(|axis| at.get(axis).as_f64().unwrap_or(f64::NAN) as f32);
        (entry.get(0).as_string().unwrap_or_default(), Vec3::new(x, y, z))
    };
    entries.iter().map(|entry| point(array(entry))).collect()
}
