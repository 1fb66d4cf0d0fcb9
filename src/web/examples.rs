//! Poses to learn from as plain calls: read out of files, given to the solver, and shown as learned weights reproduce them.

use std::sync::Arc;

use glam::Vec3;
use js_sys::{Array, Float32Array};
use wasm_bindgen::prelude::*;

use super::error::PliantError;
use super::info::ClipInfo;
use super::js::{Result, object, thrown, to_js};
use super::solver::{files_of, nothing_loaded};
use super::{Solver, Viewer};
use crate::io::{self, File, Format, UnsupportedFormat, sniff};
use crate::model::Asset;
use crate::pipeline::{
    ExamplePose, Pipeline, PoseError, clip_examples, morph_examples, poses_in, rendered, solved,
};
use crate::report::Report;
use crate::view::FitPreview;

#[wasm_bindgen]
impl Solver {
    /// The poses in files of the character's topology; of a file that stands as it does, `frames` of each clip in it.
    #[wasm_bindgen(js_name = readPoses)]
    pub fn read_poses(
        &self,
        #[wasm_bindgen(unchecked_param_type = "NamedFiles")] files: &JsValue,
        frames: usize,
    ) -> Result<PosesAnswer> {
        let character = self.character()?;
        let files = files_of(files)?;
        let (models, others): (Vec<File>, Vec<File>) =
            files.into_iter().partition(|file| is_model(&file.bytes));
        let (mut found, mut failures) = (Vec::new(), Vec::new());
        if models.is_empty() {
            let error = io::read_model(&others, &mut Report::default()).map(|_| ());
            failures.extend(error.err().map(PliantError::from));
        }
        for model in models {
            let name = model.name.clone();
            let given: Vec<File> = std::iter::once(model).chain(others.iter().cloned()).collect();
            match poses_of(character, &given, frames) {
                Ok(poses) => found.extend(poses),
                Err(error) => {
                    failures.push(PliantError { message: format!("{name}: {}", error.message), ..error });
                }
            }
        }
        answer(character, &found, &failures)
    }

    /// The character's own morph targets.
    #[wasm_bindgen(js_name = morphPoses)]
    pub fn morph_poses(&self) -> Result<PosesAnswer> {
        let character = self.character()?;
        answer(character, &morph_examples(character).map_err(thrown)?, &[])
    }

    /// Frames of one of its own clips, as the weights in its file move it.
    #[wasm_bindgen(js_name = clipPoses)]
    pub fn clip_poses(&self, clip: &str, frames: usize) -> Result<PosesAnswer> {
        let character = self.character()?;
        let index = ClipInfo::all(&character.clips).iter().position(|info| info.name == clip);
        let motion = index.and_then(|index| character.clips.get(index));
        let motion = motion.ok_or_else(|| thrown(PliantError::new("examples", "there is no such clip")))?;
        answer(character, &clip_examples(character, motion, frames).map_err(thrown)?, &[])
    }

    /// What to learn from: three numbers per render vertex in each.
    #[wasm_bindgen(js_name = setExamples)]
    pub fn set_examples(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "readonly Float32Array[]")] poses: &JsValue,
    ) -> Result<()> {
        let character = self.character()?.clone();
        let expected = character.render.positions.len();
        let mut examples = Vec::new();
        for pose in Array::from(poses).iter() {
            let numbers = Float32Array::from(pose).to_vec();
            let positions: Vec<Vec3> = numbers.as_chunks::<3>().0.iter().map(|&p| p.into()).collect();
            let found = positions.len();
            if found != expected {
                return Err(thrown(PoseError::OtherVertices { found, expected }));
            }
            examples.push(solved(&character, &positions));
        }
        let examples = Arc::new(examples);
        for pipeline in [&mut self.pipeline, &mut self.compared].into_iter().flatten() {
            pipeline.set_examples(examples.clone());
        }
        Ok(())
    }

    /// Whether the last question about weights was answered by what was learned so far, and asking it again gives more.
    #[wasm_bindgen(getter, js_name = isFitting)]
    #[must_use]
    pub fn is_learning(&self) -> bool {
        self.pipeline.as_ref().is_some_and(Pipeline::is_learning)
    }

    /// What was learned so far is the answer.
    #[wasm_bindgen(js_name = endFitting)]
    pub fn end_learning(&mut self) {
        self.pipeline.iter_mut().for_each(Pipeline::end_learning);
    }

    /// An example as the weights reproduce it that learning began with, or those it ended with; undefined when there is none.
    pub fn fit(&self, example: usize, is_final: bool) -> Result<Option<FitAnswer>> {
        let pipeline = self.pipeline.as_ref().ok_or_else(nothing_loaded)?;
        let asset = pipeline.asset();
        let found = pipeline.lessons().and_then(|l| l.reproduced(is_final, example, asset.mesh.positions()));
        let Some(found) = found else { return Ok(None) };
        let positions = rendered(asset, &found.positions);
        let error = |&solve: &u32| found.errors.get(solve as usize).copied().unwrap_or_default();
        let errors: Vec<f32> = asset.solve_from_render.iter().map(error).collect();
        let answer = object([
            ("positions", Float32Array::from(bytemuck::cast_slice(&positions)).into()),
            ("errors", Float32Array::from(errors.as_slice()).into()),
        ])?;
        Ok(Some(answer.unchecked_into()))
    }
}

#[wasm_bindgen]
extern "C" {
    /// See the custom section of the solver.
    #[wasm_bindgen(typescript_type = "PosesAnswer")]
    pub type PosesAnswer;
    /// See the custom section of the solver.
    #[wasm_bindgen(typescript_type = "FitAnswer")]
    pub type FitAnswer;
}

impl Solver {
    fn character(&self) -> Result<&Arc<Asset>> {
        self.pipeline.as_ref().map(Pipeline::asset).ok_or_else(nothing_loaded)
    }
}

/// Whether a file is one to find poses in; others may belong to it.
fn is_model(bytes: &[u8]) -> bool {
    let is_other = matches!(
        sniff(bytes),
        None | Some(Format::Unsupported(UnsupportedFormat::Mtl | UnsupportedFormat::Image))
    );
    !is_other
}

fn poses_of(
    character: &Asset,
    files: &[File],
    frames: usize,
) -> std::result::Result<Vec<ExamplePose>, PliantError> {
    let example = io::read_model(files, &mut Report::default()).map_err(PliantError::from)?;
    poses_in(character, example, frames).map_err(PliantError::from)
}

fn answer(character: &Asset, poses: &[ExamplePose], failures: &[PliantError]) -> Result<PosesAnswer> {
    let found = Array::new();
    for pose in poses {
        let positions = rendered(character, &pose.positions);
        let positions = Float32Array::from(bytemuck::cast_slice(&positions));
        found.push(&object([("name", pose.name.as_str().into()), ("positions", positions.into())])?);
    }
    object([("poses", found.into()), ("failures", to_js(failures)?)]).map(JsCast::unchecked_into)
}

#[wasm_bindgen]
impl Viewer {
    /// Where every render vertex would be at a time of a motion, as it would be drawn; undefined when there is no such motion.
    #[wasm_bindgen(js_name = verticesAt)]
    pub fn vertices_at(&mut self, clip: &str, seconds: f32) -> Option<Float32Array> {
        let pose = self.inner.scene().pose_state();
        if !self.set_clip_time(clip, seconds) {
            return None;
        }
        let vertices = self.posed_vertices(0);
        pose.map(|pose| self.inner.scene_mut().set_pose_state(pose));
        vertices
    }

    /// Shows vertices instead of the posed skin while the colours show the fit: where they are, and how far each is from where it
    /// should be; `most` is the far end of the colours. Whether they are this character's.
    #[wasm_bindgen(js_name = setFit)]
    #[expect(clippy::needless_pass_by_value, reason = "what comes from JavaScript comes by value")]
    pub fn set_fit(&mut self, positions: Vec<f32>, errors: Vec<f32>, most: f32) -> bool {
        let Some(asset) = &self.asset else { return false };
        let positions: Vec<Vec3> = positions.as_chunks::<3>().0.iter().map(|&p| p.into()).collect();
        let preview = FitPreview::new(asset, positions, errors, most);
        preview.is_some_and(|preview| self.inner.scene_mut().set_fit_preview(Some(preview)))
    }

    /// The posed skin again.
    #[wasm_bindgen(js_name = clearFit)]
    pub fn clear_fit(&mut self) {
        self.inner.scene_mut().set_fit_preview(None);
    }
}
