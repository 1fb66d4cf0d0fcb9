//! What stages remember: their latest answer, with the question it answers.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::report::Report;

/// The latest answer of a stage, and what it answered.
pub(super) struct Cached<K, V> {
    pub(super) key: K,
    pub(super) value: Arc<V>,
    pub(super) report: Report,
}

// Derived, it would ask for answers that can be copied.
impl<K: Clone, V> Clone for Cached<K, V> {
    fn clone(&self) -> Self {
        Self { key: self.key.clone(), value: self.value.clone(), report: self.report.clone() }
    }
}

/// What the skeleton stage depends on.
pub(super) type SkeletonKey = BTreeMap<String, bool>;
