//! Writes `JOINTS_n` and `WEIGHTS_n`: one or two sets of four influences.

use super::super::editor::{Accessor, Editor, Result, VERTICES, bytes_of};
use super::super::json::Object;
use super::usage::Usage;
use super::{Export, WeightFormat};
use crate::model::{Influence, Part, Weights};
use crate::weights::{quantise_f32, quantise_u8, quantise_u16};

/// Largest number of influences that is written: two sets.
const MAX_INFLUENCES: usize = 8;

/// Writes weights part by part. Parts that share vertices share accessors.
pub(super) struct Writer<'a> {
    export: &'a Export<'a>,
    weights: &'a Weights,
    usage: Usage,
    /// First vertex, mesh, and the accessors that were written for them.
    sets: Vec<(u32, usize, Vec<[usize; 2]>)>,
}

impl<'a> Writer<'a> {
    pub fn new(export: &'a Export<'a>, weights: &'a Weights) -> Result<Self> {
        Ok(Self { export, weights, usage: Usage::of(&export.source.json)?, sets: Vec::new() })
    }

    /// Writes the weights of a part and refers to them in its primitive.
    pub fn add(
        &mut self,
        editor: &mut Editor,
        part: &Part,
        slots: &[Option<u16>],
        [mesh, primitive]: [usize; 2],
    ) -> Result<()> {
        let mut primitives: Vec<Object> = editor.get("meshes", mesh, "primitives").unwrap_or_default();
        let Some(object) = primitives.get_mut(primitive) else { return Ok(()) };
        let mut attributes: Object = object.get("attributes").unwrap_or_default();
        let known = self.sets.iter().find(|(start, m, _)| (*start, *m) == (part.vertices.start, mesh));
        let sets = match known {
            Some((.., sets)) => sets.clone(),
            None => {
                let sets = self.add_sets(editor, part, slots, &attributes)?;
                self.sets.push((part.vertices.start, mesh, sets.clone()));
                sets
            }
        };
        remove_sets_from(&mut attributes, sets.len());
        for (set, [joints, weights]) in sets.iter().enumerate() {
            attributes.set(&format!("JOINTS_{set}"), joints)?;
            attributes.set(&format!("WEIGHTS_{set}"), weights)?;
        }
        object.set("attributes", &attributes)?;
        editor.edit("meshes", mesh, |object| object.set("primitives", &primitives))
    }

    fn add_sets(
        &mut self,
        editor: &mut Editor,
        part: &Part,
        slots: &[Option<u16>],
        old: &Object,
    ) -> Result<Vec<[usize; 2]>> {
        let (weights, parts) = (self.weights, &self.export.asset.render.parts);
        let shared = parts.iter().filter(|other| other.vertices == part.vertices).count();
        let rows = || part.vertices.clone().map(|vertex| weights.row(vertex as usize));
        let max_influences = rows().map(<[_]>::len).max().unwrap_or(1).clamp(1, MAX_INFLUENCES);
        let count = part.vertices.len();
        let slots_per_vertex = max_influences.next_multiple_of(4);
        let quantised = Quantised::new(self.export.format, rows(), slots_per_vertex);
        let mut sets = Vec::new();
        for set in 0..slots_per_vertex / 4 {
            let slot = |at: usize| {
                let joint = quantised.joints[at] as usize;
                if quantised.is_zero(at) { 0 } else { slots[joint].unwrap_or(0) }
            };
            let joints: Vec<[u16; 4]> = (0..count)
                .map(|vertex| [0, 1, 2, 3].map(|k| slot(vertex * slots_per_vertex + 4 * set + k)))
                .collect();
            let accessor = |component_type, normalized| Accessor {
                component_type,
                normalized,
                count,
                shape: "VEC4",
                min: None,
                max: None,
            };
            let (joint_type, joint_bytes) = joint_bytes(&joints);
            let mut write = |name: &str, accessor: &Accessor, bytes: &[u8]| {
                let key = format!("{name}_{set}");
                match old.get::<usize>(&key).and_then(|index| self.usage.claim_accessor(index, shared)) {
                    Some(reusable) => editor.replace_accessor(reusable, accessor, bytes, VERTICES),
                    None => editor.add_accessor(accessor, bytes, VERTICES),
                }
            };
            let joints = write("JOINTS", &accessor(joint_type, false), &joint_bytes)?;
            let (weight_type, normalized) = quantised.kind();
            let components = quantised.bytes(count, slots_per_vertex, set);
            let components = write("WEIGHTS", &accessor(weight_type, normalized), &components)?;
            sets.push([joints, components]);
        }
        Ok(sets)
    }
}

/// Removes the influence sets with index `count` and above.
fn remove_sets_from(attributes: &mut Object, count: usize) {
    let number = |key: &str| {
        let set = key.strip_prefix("JOINTS_").or_else(|| key.strip_prefix("WEIGHTS_"))?;
        set.parse::<usize>().ok()
    };
    let stale = |key: &&str| number(key).is_some_and(|set| set >= count);
    let stale: Vec<String> = attributes.keys().filter(stale).map(str::to_owned).collect();
    stale.iter().for_each(|key| attributes.remove(key));
}

fn joint_bytes(joints: &[[u16; 4]]) -> (u32, Vec<u8>) {
    const U8: u32 = 5121;
    const U16: u32 = 5123;
    if joints.iter().flatten().all(|&slot| slot <= u16::from(u8::MAX)) {
        (U8, joints.iter().flatten().map(|&slot| slot as u8).collect())
    } else {
        (U16, bytes_of(joints))
    }
}

/// All rows in the exported format, with the largest influence first, so that engines that read
/// only one set get the four largest.
struct Quantised {
    joints: Vec<u32>,
    components: WeightComponents,
}

enum WeightComponents {
    Float(Vec<f32>),
    U16(Vec<u16>),
    U8(Vec<u8>),
}

impl Quantised {
    fn new<'a>(format: WeightFormat, rows: impl Iterator<Item = &'a [Influence]>, slots: usize) -> Self {
        let (joints, components) = match format {
            WeightFormat::Float => {
                let (joints, components) = rows.flat_map(|row| quantise_f32(row, slots)).unzip();
                (joints, WeightComponents::Float(components))
            }
            WeightFormat::U16 => {
                let (joints, components) = rows.flat_map(|row| quantise_u16(row, slots)).unzip();
                (joints, WeightComponents::U16(components))
            }
            WeightFormat::U8 => {
                let (joints, components) = rows.flat_map(|row| quantise_u8(row, slots)).unzip();
                (joints, WeightComponents::U8(components))
            }
        };
        Self { joints, components }
    }

    fn is_zero(&self, at: usize) -> bool {
        match &self.components {
            WeightComponents::Float(components) => components[at] == 0.0,
            WeightComponents::U16(components) => components[at] == 0,
            WeightComponents::U8(components) => components[at] == 0,
        }
    }

    fn kind(&self) -> (u32, bool) {
        match self.components {
            WeightComponents::Float(_) => (5126, false),
            WeightComponents::U16(_) => (5123, true),
            WeightComponents::U8(_) => (5121, true),
        }
    }

    /// The weights of one set of four influences for every vertex.
    fn bytes(&self, count: usize, slots: usize, set: usize) -> Vec<u8> {
        let four = |vertex: usize| vertex * slots + 4 * set..vertex * slots + 4 * set + 4;
        let ranges = (0..count).map(four);
        match &self.components {
            WeightComponents::Float(components) => {
                ranges.flat_map(|range| bytes_of(&components[range])).collect()
            }
            WeightComponents::U16(components) => {
                ranges.flat_map(|range| bytes_of(&components[range])).collect()
            }
            WeightComponents::U8(components) => ranges.flat_map(|range| components[range].to_vec()).collect(),
        }
    }
}
