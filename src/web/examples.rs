//! JavaScript calls of [`Solver`] for example fitting: reading poses, setting them, and reproducing
//! them with the fitted weights.

use std::sync::Arc;

use glam::Vec3;
use js_sys::{Array, Float32Array};
use wasm_bindgen::prelude::*;

use super::Solver;
use super::compressed::decoded_in;
use super::error::PliantError;
use super::info::ClipInfo;
use super::js::{Result, object, thrown, to_js};
use super::solver::{files_of, nothing_loaded};
use crate::io::{self, File, Format, Reader, UnsupportedFormat, sniff};
use crate::model::Asset;
use crate::pipeline::{
    ExamplePose, Pipeline, PoseError, clip_examples, morph_examples, poses_in, rendered, solved,
};
use crate::report::Report;

#[wasm_bindgen]
impl Solver {
    /// Poses in files with the topology of the character. Of a file in the same pose, `frames` of
    /// each clip.
    #[wasm_bindgen(js_name = readPoses)]
    pub fn read_poses(
        &self,
        #[wasm_bindgen(unchecked_param_type = "NamedFiles")] files: &JsValue,
        frames: usize,
    ) -> Result<PosesAnswer> {
        let character = self.character()?;
        let (files, decoders) = (files_of(files)?, decoded_in(files)?);
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
            match poses_of(character, &Reader::with_decoders(&given, &decoders), frames) {
                Ok(poses) => found.extend(poses),
                Err(error) => {
                    failures.push(PliantError { message: format!("{name}: {}", error.message), ..error });
                }
            }
        }
        answer(character, &found, &failures)
    }

    /// The morph targets of the character.
    #[wasm_bindgen(js_name = morphPoses)]
    pub fn morph_poses(&self) -> Result<PosesAnswer> {
        let character = self.character()?;
        answer(character, &morph_examples(character), &[])
    }

    /// Frames of one of its clips, posed with the weights in the file.
    #[wasm_bindgen(js_name = clipPoses)]
    pub fn clip_poses(&self, clip: &str, frames: usize) -> Result<PosesAnswer> {
        let character = self.character()?;
        let index = ClipInfo::all(&character.clips).iter().position(|info| info.name == clip);
        let motion = index.and_then(|index| character.clips.get(index));
        let motion = motion.ok_or_else(|| thrown(PliantError::new("examples", "there is no such clip")))?;
        answer(character, &clip_examples(character, motion, frames).map_err(thrown)?, &[])
    }

    /// Replaces the example poses: three numbers per render vertex each.
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
        for pipeline in self.pipelines.iter_mut().flatten() {
            pipeline.set_examples(examples.clone());
        }
        Ok(())
    }

    /// Whether the last weights of a view are an intermediate result of example fitting.
    #[wasm_bindgen(js_name = isFitting)]
    #[must_use]
    pub fn is_fitting(&self, view: usize) -> bool {
        self.pipelines.iter().skip(view).take(1).flatten().any(Pipeline::has_unfinished_fit)
    }

    /// Ends example fitting of a view with the current weights.
    #[wasm_bindgen(js_name = endFitting)]
    pub fn end_fitting(&mut self, view: usize) {
        self.pipelines.iter_mut().skip(view).take(1).flatten().for_each(Pipeline::drop_unfinished_fit);
    }

    /// An example as reproduced by the initial or the final weights of the fit; undefined if there
    /// is none.
    pub fn fit(&self, example: usize, is_final: bool) -> Result<Option<FitAnswer>> {
        let pipeline = self.pipelines[0].as_ref().ok_or_else(nothing_loaded)?;
        let asset = pipeline.asset();
        let found =
            pipeline.example_fit().and_then(|l| l.reproduced(is_final, example, asset.mesh.positions()));
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
        self.pipelines[0].as_ref().map(Pipeline::asset).ok_or_else(nothing_loaded)
    }
}

/// Whether a file can contain poses. Others (materials, images) may belong to it.
fn is_model(bytes: &[u8]) -> bool {
    let is_other = matches!(
        sniff(bytes),
        None | Some(Format::Unsupported(UnsupportedFormat::Mtl | UnsupportedFormat::Image))
    );
    !is_other
}

fn poses_of(
    character: &Asset,
    reader: &Reader<'_>,
    frames: usize,
) -> std::result::Result<Vec<ExamplePose>, PliantError> {
    let example = reader.read_model(&mut Report::default()).map_err(PliantError::from)?;
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
