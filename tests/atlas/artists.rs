//! The atlas on real characters.

use pliant::pipeline::Method;

use crate::agreement::rig_every_model;

#[test]
fn every_vertex_of_every_model_has_weights() {
    rig_every_model(&[Method::Atlas]);
}
