//! Every integration test, one file per topic.

mod deform;
