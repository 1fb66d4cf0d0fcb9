//! Render vertices: one for each distinct (position, uv, normal) of a part.
//!
//! In: the records. Out: vertices part by part, in the order that the parent module promises. Cost: one
//! hash lookup per corner and two sorts of the vertices.

use std::collections::HashMap;

use super::parse::{Corner, NONE, Records};
use crate::io::ReadError;
use crate::io::build::index;
use crate::math::{key_of, sort_by_keys};

/// The corners of the file, made into vertices.
#[derive(Debug, Default)]
pub(super) struct Split {
    /// The records of each render vertex.
    pub vertices: Vec<Corner>,
    /// Where the vertices of each group end.
    pub vertex_ends: Vec<usize>,
    /// The render vertex of each corner.
    pub vertex_of_corner: Vec<u32>,
    /// How many `v` records no face uses.
    pub unused: usize,
}

/// A vertex before its place is known.
struct Found {
    group: u32,
    corner: Corner,
}

pub(super) fn split(records: &Records) -> Result<Split, ReadError> {
    let (mut found, found_of_corner) = find(records)?;
    let unused = add_unused(records, &mut found);

    // First the triples by record, which tells the first of each record from the rest; then the rest last.
    let mut order: Vec<[u32; 3]> = found.iter().zip(0..).map(|(f, i)| [f.group, f.corner.v, i]).collect();
    sort_by_keys(&mut order, |&[group, v, _]| key_of(group, v));
    let mut placed: Vec<[u32; 2]> = Vec::with_capacity(order.len());
    for group in order.chunk_by(|a, b| a[0] == b[0]) {
        let (firsts, rest): (Vec<usize>, Vec<usize>) =
            (0..group.len()).partition(|&at| at == 0 || group[at][1] != group[at - 1][1]);
        placed.extend(firsts.into_iter().chain(rest).map(|at| [group[at][0], group[at][2]]));
    }

    let mut split = Split { vertex_ends: vec![0; records.groups.len()], unused, ..Split::default() };
    let mut vertex_of_found = vec![0u32; found.len()];
    for (place, &[group, i]) in placed.iter().enumerate() {
        let vertex = index(place)?;
        vertex_of_found.get_mut(i as usize).into_iter().for_each(|slot| *slot = vertex);
        split.vertices.extend(found.get(i as usize).map(|f| f.corner));
        split.vertex_ends.get_mut(group as usize).into_iter().for_each(|end| *end = place + 1);
    }
    split.vertex_of_corner =
        found_of_corner.iter().map(|&i| vertex_of_found.get(i as usize).copied().unwrap_or(0)).collect();
    Ok(split)
}

/// The distinct triples of each group in the order of first use, and which one each corner is.
fn find(records: &Records) -> Result<(Vec<Found>, Vec<u32>), ReadError> {
    let mut numbers: HashMap<(u32, Corner), u32> = HashMap::with_capacity(records.positions.len());
    let mut found = Vec::with_capacity(records.positions.len());
    let mut found_of_corner = vec![0; records.corners.len()];
    for face in &records.faces {
        for place in face.corners.clone() {
            let (Some(&corner), Some(slot)) = (records.corners.get(place), found_of_corner.get_mut(place))
            else {
                continue;
            };
            let next = index(found.len())?;
            *slot = *numbers.entry((face.group, corner)).or_insert(next);
            if *slot == next {
                found.push(Found { group: face.group, corner });
            }
        }
    }
    Ok((found, found_of_corner))
}

/// Gives every unused record to the group of the nearest used one before it; returns how many there are.
fn add_unused(records: &Records, found: &mut Vec<Found>) -> usize {
    if records.groups.is_empty() {
        return 0;
    }
    let mut group_of_record: Vec<Option<u32>> = vec![None; records.positions.len()];
    for Found { group, corner } in found.iter() {
        group_of_record.get_mut(corner.v as usize).into_iter().for_each(|slot| {
            slot.get_or_insert(*group);
        });
    }
    let (mut group_before, mut unused) = (0, 0);
    for (v, group) in (0u32..).zip(group_of_record) {
        match group {
            Some(group) => group_before = group,
            None => {
                found.push(Found { group: group_before, corner: Corner { v, vt: NONE, vn: NONE } });
                unused += 1;
            }
        }
    }
    unused
}
