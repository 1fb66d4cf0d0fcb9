//! `JOINTS_n` and `WEIGHTS_n`: four influences a set, one or two sets.

use super::editor::{Accessor, Editor, Result, VERTICES, bytes_of};
use super::json::Object;
use super::usage::Usage;
use super::{Export, WeightFormat};
use crate::model::{Influence, Part, Weights};
use crate::weigh::quantise::{quantise_float, quantise_u8, quantise_u16};

/// The most influences that go out: two sets.
const MOST: usize = 8;

/// Accessors written so far, by the first vertex they are for and the skin they speak of.
#[derive(Default)]
pub(super) struct Written {
    sets: Vec<(u32, usize, Vec<[usize; 2]>)>,
}

impl Written {
    /// Writes a part's weights and points its primitive at them.
    #[expect(
        clippy::too_many_arguments,
        reason = "each is needed, and bundling them would only rename the list"
    )]
    pub fn add(
        &mut self,
        editor: &mut Editor,
        export: &Export<'_>,
        weights: &Weights,
        usage: &mut Usage,
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
                let shared = sharing(export, part);
                let sets = add_sets(editor, export, weights, usage, part, slots, &attributes, shared)?;
                self.sets.push((part.vertices.start, mesh, sets.clone()));
                sets
            }
        };
        let old: Vec<String> = attributes
            .keys()
            .filter(|key| key.starts_with("JOINTS_") || key.starts_with("WEIGHTS_"))
            .map(str::to_owned)
            .collect();
        let keep = |key: &String| {
            key.rsplit('_').next().and_then(|n| n.parse().ok()).is_some_and(|n: usize| n < sets.len())
        };
        old.iter().filter(|key| !keep(key)).for_each(|key| attributes.remove(key));
        for (set, [joints, weights]) in sets.iter().enumerate() {
            attributes.set(&format!("JOINTS_{set}"), joints)?;
            attributes.set(&format!("WEIGHTS_{set}"), weights)?;
        }
        object.set("attributes", &attributes)?;
        editor.edit("meshes", mesh, |object| object.set("primitives", &primitives))
    }
}

/// How many primitives use the same vertices as this part.
fn sharing(export: &Export<'_>, part: &Part) -> usize {
    export.asset.render.parts.iter().filter(|other| other.vertices == part.vertices).count()
}

#[expect(clippy::too_many_arguments, reason = "each is needed, and bundling them would only rename the list")]
fn add_sets(
    editor: &mut Editor,
    export: &Export<'_>,
    weights: &Weights,
    usage: &mut Usage,
    part: &Part,
    slots: &[Option<u16>],
    old: &Object,
    shared: usize,
) -> Result<Vec<[usize; 2]>> {
    let rows = || part.vertices.clone().map(|vertex| largest(weights.row(vertex as usize)));
    let most = rows().map(|row| row.len()).max().unwrap_or(1);
    let count = part.vertices.len();
    let mut sets = Vec::new();
    for set in 0..most.div_ceil(4) {
        let (mut joints, mut shares) = (Vec::with_capacity(count), Bytes::new(export.format));
        for row in rows() {
            let quantised = shares.quantise(&row);
            let slot = |i: usize| {
                let used = row.get(i).filter(|_| !quantised.is_zero(i));
                used.and_then(|influence| slots[influence.column as usize]).unwrap_or(0)
            };
            joints.push([0, 1, 2, 3].map(|k| slot(4 * set + k)));
            shares.push(&quantised, 4 * set);
        }
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
            match old.get::<usize>(&key).and_then(|index| usage.take_over(index, shared)) {
                Some(taken) => editor.replace_accessor(taken, accessor, bytes, VERTICES),
                None => editor.add_accessor(accessor, bytes, VERTICES),
            }
        };
        let joints = write("JOINTS", &accessor(joint_type, false), &joint_bytes)?;
        let (share_type, normalized) = shares.kind();
        let shares = write("WEIGHTS", &accessor(share_type, normalized), &shares.bytes)?;
        sets.push([joints, shares]);
    }
    Ok(sets)
}

/// The largest influences of a row, the largest first: engines that read one set only get the best.
fn largest(row: &[Influence]) -> Vec<Influence> {
    let mut sorted = row.to_vec();
    sorted.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.column.cmp(&b.column)));
    sorted.truncate(MOST);
    sorted
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

/// A row's shares in the format they go out in.
enum Quantised {
    Float(Vec<f32>),
    U16(Vec<u16>),
    U8(Vec<u8>),
}

impl Quantised {
    fn is_zero(&self, i: usize) -> bool {
        match self {
            Self::Float(shares) => shares.get(i).is_none_or(|&s| s == 0.0),
            Self::U16(shares) => shares.get(i).is_none_or(|&s| s == 0),
            Self::U8(shares) => shares.get(i).is_none_or(|&s| s == 0),
        }
    }
}

struct Bytes {
    format: WeightFormat,
    bytes: Vec<u8>,
}

impl Bytes {
    fn new(format: WeightFormat) -> Self {
        Self { format, bytes: Vec::new() }
    }

    fn kind(&self) -> (u32, bool) {
        match self.format {
            WeightFormat::Float => (5126, false),
            WeightFormat::U16 => (5123, true),
            WeightFormat::U8 => (5121, true),
        }
    }

    fn quantise(&self, row: &[Influence]) -> Quantised {
        match self.format {
            WeightFormat::Float => Quantised::Float(quantise_float(row)),
            WeightFormat::U16 => Quantised::U16(quantise_u16(row)),
            WeightFormat::U8 => Quantised::U8(quantise_u8(row)),
        }
    }

    fn push(&mut self, shares: &Quantised, from: usize) {
        for i in from..from + 4 {
            match shares {
                Quantised::Float(s) => self.bytes.extend(s.get(i).copied().unwrap_or(0.0).to_le_bytes()),
                Quantised::U16(s) => self.bytes.extend(s.get(i).copied().unwrap_or(0).to_le_bytes()),
                Quantised::U8(s) => self.bytes.push(s.get(i).copied().unwrap_or(0)),
            }
        }
    }
}
