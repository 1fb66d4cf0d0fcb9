//! A WebGL2 context on a canvas of ours.

use std::sync::Arc;

use three_d::Context;
use three_d::context::Context as GlContext;
use wasm_bindgen::JsCast;
use web_sys::{HtmlCanvasElement, WebGl2RenderingContext, WebGlContextAttributes, WebGlPowerPreference};

use crate::view::ViewerError;

/// The canvas's context: made on the first call, the same one ever after, also once it was lost.
pub(in crate::view) fn webgl2_of(canvas: &HtmlCanvasElement) -> Result<WebGl2RenderingContext, ViewerError> {
    let attributes = WebGlContextAttributes::new();
    attributes.set_antialias(true);
    // Nothing of the page shows through, so the compositor need not blend.
    attributes.set_alpha(false);
    attributes.set_depth(true);
    attributes.set_stencil(false);
    attributes.set_power_preference(WebGlPowerPreference::HighPerformance);
    let context = canvas
        .get_context_with_context_options("webgl2", &attributes)
        .ok()
        .flatten()
        .ok_or(ViewerError::NoWebGl2)?;
    context.dyn_into().map_err(|_| ViewerError::NoWebGl2)
}

/// The same as three-d wants it.
pub(super) fn three_d_of(webgl2: &WebGl2RenderingContext) -> Result<Context, ViewerError> {
    if webgl2.is_context_lost() {
        return Err(ViewerError::ContextLost);
    }
    // Not shared between threads: three-d asks for an Arc where an Rc would do.
    #[allow(clippy::arc_with_non_send_sync)]
    let gl = Arc::new(GlContext::from_webgl2_context(webgl2.clone()));
    Ok(Context::from_gl_context(gl)?)
}
