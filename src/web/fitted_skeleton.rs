//! What the fitter of skeletons needs of a character, and the skeleton that it returns.

use glam::Vec3;
use js_sys::{Float32Array, Uint32Array};
use wasm_bindgen::prelude::*;

use super::js::{Result, object, thrown, to_js};
use super::solver::{SkeletonAnswer, Solver};
use crate::fit;
use crate::io::{File, Reader};
use crate::model::Asset;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r"
/** The mesh in rest space, and up and front as the format of the file promises them. */
export interface FitInput {
  positions: Float32Array;
  triangles: Uint32Array;
  promised: { up: [number, number, number]; front: [number, number, number] } | null;
}
";

#[wasm_bindgen]
impl Solver {
    /// The mesh, as the fitter takes it.
    #[wasm_bindgen(js_name = fitInput, unchecked_return_type = "FitInput")]
    pub fn fit_input(&self) -> Result<JsValue> {
        let asset = self.asset()?;
        let positions = Float32Array::from(bytemuck::cast_slice::<Vec3, f32>(asset.mesh.positions()));
        let triangles = Uint32Array::from(asset.mesh.triangles().as_flattened());
        let promised = match &asset.source {
            Some(_) => {
                let front = glam::Quat::from_rotation_y(asset.front_yaw()) * Vec3::Z;
                let axes = [Vec3::Y, front.round()].map(|axis| to_js(&axis.to_array()));
                let [up, front] = axes;
                object([("up", up?), ("front", front?)])?
            }
            None => JsValue::NULL,
        };
        object([("positions", positions.into()), ("triangles", triangles.into()), ("promised", promised)])
    }

    /// Binds the mesh to a skeleton of the fitter, as JSON, with a clip that shows how it moves.
    #[wasm_bindgen(js_name = setFittedSkeleton)]
    pub fn set_fitted_skeleton(&mut self, json: String) -> Result<SkeletonAnswer> {
        let files = [File { name: "fitted.json".to_owned(), bytes: json.into_bytes() }];
        let read = Reader::new(&files).read_skeleton(&mut self.report).map_err(thrown)?;
        let clips = fit::range_of_motion(&read.skeleton).into_iter().collect();
        self.change_skeleton(Asset::set_skeleton, read.skeleton, clips)
    }
}
