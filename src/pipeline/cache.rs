//! Cached results of stages.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::report::Report;

/// The last result of a stage, with the key of what it depends on.
pub(super) struct Cached<K, V> {
    pub(super) key: K,
    pub(super) value: Arc<V>,
    pub(super) report: Report,
}

// Not derived, because that would require `V: Clone`.
impl<K: Clone, V> Clone for Cached<K, V> {
    fn clone(&self) -> Self {
        Self { key: self.key.clone(), value: self.value.clone(), report: self.report.clone() }
    }
}

/// What the skeleton stage depends on: which joints deform, by name.
pub(super) type SkeletonKey = BTreeMap<String, bool>;
