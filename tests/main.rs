//! All integration tests in one binary: it links once, and the files stay one per topic.

mod formats;
mod memory;
mod robustness;
