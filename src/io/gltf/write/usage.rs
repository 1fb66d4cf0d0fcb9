//! Counts references to accessors and buffer views. What has no other user may be overwritten.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::super::editor::ReusableAccessor;

/// The number of references to each accessor and each buffer view.
pub(super) struct Usage {
    accessors: BTreeMap<usize, usize>,
    views: BTreeMap<usize, usize>,
    view_of_accessor: BTreeMap<usize, usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct Lists {
    accessors: Vec<Value>,
    animations: Vec<Value>,
    images: Vec<Value>,
    meshes: Vec<Value>,
    skins: Vec<Value>,
}

impl Usage {
    pub fn of(json: &str) -> serde_json::Result<Self> {
        let lists: Lists = serde_json::from_str(json)?;
        let mut usage =
            Self { accessors: BTreeMap::new(), views: BTreeMap::new(), view_of_accessor: BTreeMap::new() };
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
    /// references. The result includes its buffer view if that has no other user.
    pub fn claim_accessor(&mut self, accessor: usize, uses: usize) -> Option<ReusableAccessor> {
        self.accessors.get(&accessor).filter(|&&count| count <= uses)?;
        self.accessors.remove(&accessor);
        let view = self.view_of_accessor.get(&accessor).copied();
        Some(ReusableAccessor { accessor, view: view.filter(|view| self.views.get(view) == Some(&1)) })
    }
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn index_of(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|index| usize::try_from(index).ok())
}
