//! deform
