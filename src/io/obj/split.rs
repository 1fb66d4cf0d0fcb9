//! Splits positions into render vertices: one for each distinct (position, uv, normal) of a part.
//!
//! Input: the records. Output: vertices part by part, in the order documented in the parent module.
//! Cost: one hash lookup per corner and two sorts of the vertices.

use std::collections::HashMap;

use super::parse::{Corner, NONE, Records};
use crate::io::ReadError;
use crate::io::build::index;
use crate::math::{key_of, sort_by_keys};

/// The render vertices and their relation to the corners of the file.
#[derive(Debug, Default)]
pub(super) struct Split {
    /// The records of each render vertex.
    pub vertices: Vec<Corner>,
    /// End of each group's range of vertices.
    pub vertex_ends: Vec<usize>,
    /// The render vertex of each corner.
    pub vertex_of_corner: Vec<u32>,
    /// Number of `v` records that no face uses.
    pub unused: usize,
}

/// A distinct triple that has no vertex index yet.
struct DistinctCorner {
    group: u32,
    corner: Corner,
}

pub(super) fn split(records: &Records) -> Result<Split, ReadError> {
    let (mut distinct, distinct_of_corner) = distinct_corners(records)?;
    let unused = add_unused(records, &mut distinct);

    // Sort by record to find the first triple of each record; the other triples go last.
    let mut order: Vec<[u32; 3]> = distinct.iter().zip(0..).map(|(f, i)| [f.group, f.corner.v, i]).collect();
    sort_by_keys(&mut order, |&[group, v, _]| key_of(group, v));
    let mut ordered: Vec<[u32; 2]> = Vec::with_capacity(order.len());
    for group in order.chunk_by(|a, b| a[0] == b[0]) {
        let (firsts, rest): (Vec<usize>, Vec<usize>) =
            (0..group.len()).partition(|&at| at == 0 || group[at][1] != group[at - 1][1]);
        ordered.extend(firsts.into_iter().chain(rest).map(|at| [group[at][0], group[at][2]]));
    }

    let mut split = Split { vertex_ends: vec![0; records.groups.len()], unused, ..Split::default() };
    let mut vertex_of_distinct = vec![0u32; distinct.len()];
    for (position, &[group, i]) in ordered.iter().enumerate() {
        let vertex = index(position)?;
        vertex_of_distinct.get_mut(i as usize).into_iter().for_each(|slot| *slot = vertex);
        split.vertices.extend(distinct.get(i as usize).map(|f| f.corner));
        split.vertex_ends.get_mut(group as usize).into_iter().for_each(|end| *end = position + 1);
    }
    split.vertex_of_corner = distinct_of_corner
        .iter()
        .map(|&i| vertex_of_distinct.get(i as usize).copied().unwrap_or(0))
        .collect();
    Ok(split)
}

/// The distinct triples of each group in the order of first use, and the triple of each corner.
fn distinct_corners(records: &Records) -> Result<(Vec<DistinctCorner>, Vec<u32>), ReadError> {
    let mut index_of: HashMap<(u32, Corner), u32> = HashMap::with_capacity(records.positions.len());
    let mut distinct = Vec::with_capacity(records.positions.len());
    let mut distinct_of_corner = vec![0; records.corners.len()];
    for face in &records.faces {
        for at in face.corners.clone() {
            let (Some(&corner), Some(slot)) = (records.corners.get(at), distinct_of_corner.get_mut(at))
            else {
                continue;
            };
            let next = index(distinct.len())?;
            *slot = *index_of.entry((face.group, corner)).or_insert(next);
            if *slot == next {
                distinct.push(DistinctCorner { group: face.group, corner });
            }
        }
    }
    Ok((distinct, distinct_of_corner))
}

/// Assigns every unused record to the group of the nearest used one before it. Returns their
/// number.
fn add_unused(records: &Records, distinct: &mut Vec<DistinctCorner>) -> usize {
    if records.groups.is_empty() {
        return 0;
    }
    let mut group_of_record: Vec<Option<u32>> = vec![None; records.positions.len()];
    for DistinctCorner { group, corner } in distinct.iter() {
        group_of_record.get_mut(corner.v as usize).into_iter().for_each(|slot| {
            slot.get_or_insert(*group);
        });
    }
    let (mut group_before, mut unused) = (0, 0);
    for (v, group) in (0u32..).zip(group_of_record) {
        match group {
            Some(group) => group_before = group,
            None => {
                distinct
                    .push(DistinctCorner { group: group_before, corner: Corner { v, vt: NONE, vn: NONE } });
                unused += 1;
            }
        }
    }
    unused
}
