//! The WebAssembly module that fits skeletons, loaded when a mesh needs one.
#![cfg(target_arch = "wasm32")]

use glam::Vec3;
use pliant_fitting::fit::{self, FitError, FitOptions};
use pliant_fitting::table::Table;
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// Why there is no skeleton, as it is thrown.
#[derive(Serialize)]
struct Failure<'a> {
    code: &'a str,
    message: &'a str,
    hint: &'a str,
    /// The marker that the body plan does not know.
    #[serde(skip_serializing_if = "Option::is_none")]
    marker: Option<&'a str>,
}

/// Fits skeletons to one mesh.
#[wasm_bindgen]
pub struct Fitter {
    inner: fit::Fitter,
}

#[wasm_bindgen]
impl Fitter {
    /// Takes a mesh: three numbers per vertex, three vertices per triangle.
    ///
    /// # Errors
    /// If the mesh has no extent.
    #[wasm_bindgen(constructor)]
    pub fn new(positions: &[f32], triangles: &[u32]) -> Result<Self, JsValue> {
        let positions = positions.as_chunks::<3>().0.iter().map(|&at| Vec3::from(at)).collect();
        let triangles = triangles.as_chunks::<3>().0.to_vec();
        let inner = fit::Fitter::new(Table::built_in(), positions, triangles).map_err(|e| thrown(&e))?;
        Ok(Self { inner })
    }

    /// Fits a skeleton.
    ///
    /// # Errors
    /// If the mesh is no body, or an option is wrong.
    #[wasm_bindgen(unchecked_return_type = "FittedSkeleton")]
    pub fn fit(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "FitOptions")] options: JsValue,
    ) -> Result<JsValue, JsValue> {
        let options: FitOptions = serde_wasm_bindgen::from_value(options).map_err(|error| {
            let message = format!("The options of the fit cannot be read: {error}");
            value_of(&Failure { code: "argument", message: &message, hint: "", marker: None })
        })?;
        self.inner.fit(&options).map(|fitted| value_of(&fitted)).map_err(|error| thrown(&error))
    }

    /// Of points with three numbers each, the indices of those outside of the body that was fitted
    /// last.
    pub fn outside(&self, points: &[f32]) -> Vec<u32> {
        let points = points.as_chunks::<3>().0.iter().map(|&at| Vec3::from(at));
        (0..).zip(points).filter(|&(_, at)| !self.inner.contains(at)).map(|(index, _)| index).collect()
    }

    /// The confidence below which a joint is uncertain.
    pub fn uncertain() -> f32 {
        fit::UNCERTAIN
    }
}

/// As plain objects, as `JSON.parse` returns them.
fn value_of(value: &impl Serialize) -> JsValue {
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    value.serialize(&serializer).unwrap_or_else(|error| error.into())
}

/// An error as it is thrown in JavaScript.
fn thrown(error: &FitError) -> JsValue {
    let named;
    let (code, message, hint, marker) = match error {
        FitError::Empty => (
            "no_volume",
            "No skeleton can be fitted to a mesh without volume",
            "Use a template, a skeleton file, or handles",
            None,
        ),
        FitError::UnknownMarker(label) => {
            named = format!("There is no marker called “{label}”");
            (
                "unknown_marker",
                named.as_str(),
                "Use the label of a joint of the fitted skeleton",
                Some(&**label),
            )
        }
        FitError::BadOrientation => (
            "orientation",
            "Up and front are not perpendicular axes",
            "Use axes like [0, 1, 0] and [0, 0, 1]",
            None,
        ),
    };
    value_of(&Failure { code, message, hint, marker })
}
