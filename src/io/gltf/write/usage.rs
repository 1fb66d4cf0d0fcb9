//! Counts references to accessors and buffer views. What has no other user may be overwritten.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
use serde_json::Value;

use super::super::editor::ReusableAccessor;

/// The number of references to each accessor and each buffer view.
pub(super) struct Usage {
    accessors: BTreeMap<usize, usize>,
    views: BTreeMap<usize, usize>,
    view_of_accessor: BTreeMap<usize, usize>,
    /// Buffer and bytes of each buffer view.
    ranges: Vec<(u64, Range<u64>)>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct Lists {
    accessors: Vec<Value>,
    animations: Vec<Value>,
    buffer_views: Vec<Value>,
    images: Vec<Value>,
    meshes: Vec<Value>,
    skins: Vec<Value>,
}

impl Usage {
    pub fn of(json: &str) -> serde_json::Result<Self> {
        let lists: Lists = serde_json::from_str(json)?;
        let mut usage = Self {
            accessors: BTreeMap::new(),
            views: BTreeMap::new(),
            view_of_accessor: BTreeMap::new(),
            ranges: lists.buffer_views.iter().map(range_of).collect(),
        };
        for primitive in lists.meshes.iter().flat_map(|mesh| items(&mesh["primitives"])) {
            usage.count_accessor(&primitive["indices"]);
            let targets = items(&primitive["targets"]);
            for attributes in std::iter::once(&primitive["attributes"]).chain(targets) {
                let members = attributes.as_object().into_iter().flat_map(|members| members.values());
                members.for_each(|index| usage.count_accessor(index));
            }
        }
        lists.skins.iter().for_each(|skin| usage.count_accessor(&skin["inverseBindMatrices"]));
        for sampler in lists.animations.iter().flat_map(|animation| items(&animation["samplers"])) {
            usage.count_accessor(&sampler["input"]);
            usage.count_accessor(&sampler["output"]);
        }
        for (index, accessor) in lists.accessors.iter().enumerate() {
            usage.count_view(&accessor["bufferView"]);
            usage.count_view(&accessor["sparse"]["indices"]["bufferView"]);
            usage.count_view(&accessor["sparse"]["values"]["bufferView"]);
            if let Some(view) = index_of(&accessor["bufferView"]) {
                usage.view_of_accessor.insert(index, view);
            }
        }
        lists.images.iter().for_each(|image| usage.count_view(&image["bufferView"]));
        Ok(usage)
    }

    fn count_accessor(&mut self, index: &Value) {
        if let Some(index) = index_of(index) {
            *self.accessors.entry(index).or_default() += 1;
        }
    }

    fn count_view(&mut self, index: &Value) {
        if let Some(index) = index_of(index) {
            *self.views.entry(index).or_default() += 1;
        }
    }

    /// Claims an accessor of the source for new content, once, if it has no more than `uses`
    /// references. The result includes its buffer view if that has no other user, and if no other
    /// view has any of its bytes, as those of interleaved vertices have.
    pub fn claim_accessor(&mut self, accessor: usize, uses: usize) -> Option<ReusableAccessor> {
        self.accessors.get(&accessor).filter(|&&count| count <= uses)?;
        self.accessors.remove(&accessor);
        let view = self.view_of_accessor.get(&accessor).copied();
        let is_alone = |view: &usize| self.views.get(view) == Some(&1) && !self.overlaps_another(*view);
        Some(ReusableAccessor { accessor, view: view.filter(is_alone) })
    }

    fn overlaps_another(&self, view: usize) -> bool {
        let Some((buffer, bytes)) = self.ranges.get(view) else { return true };
        let mut others = self.ranges.iter().enumerate().filter(|(other, _)| *other != view);
        others.any(|(_, (b, other))| b == buffer && other.start < bytes.end && bytes.start < other.end)
    }
}

/// The buffer of a view and its bytes in it.
fn range_of(view: &Value) -> (u64, Range<u64>) {
    let [buffer, start, length] =
        ["buffer", "byteOffset", "byteLength"].map(|member| view[member].as_u64().unwrap_or(0));
    (buffer, start..start.saturating_add(length))
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn index_of(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|index| usize::try_from(index).ok())
}
