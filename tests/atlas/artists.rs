//! The atlas on real characters.

use pliant::pipeline::Method;

use crate::agreement::rig_models;

#[test]
fn every_vertex_of_real_models_has_weights() {
    rig_models(&[Method::Atlas]);
}
