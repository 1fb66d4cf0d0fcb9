//! Infers a hierarchy for skeletons whose joints are all siblings
//! (docs/theory/skeleton.md#flat-skeletons).
//!
//! Some files have no hierarchy (WebXR hands list 25 siblings). One is inferred for *bones* only:
//! by standard names if they match, else as a minimum spanning tree of the joints that avoids
//! leaving the mesh. The hierarchy of the file is still used for poses.

use glam::Vec3;

use super::{JointKind, Skeleton, names};
use crate::model::Mesh;

/// Smallest number of joints for which a hierarchy is inferred.
const MIN_JOINTS: usize = 4;

/// Largest fraction of joints with a parent among the listed joints for a skeleton to be flat.
const MAX_PARENTED_FRACTION: f64 = 0.1;

/// Factor on the length of a connection that leaves the mesh. If larger, joints outside the mesh
/// are connected to the wrong chain. If smaller, neighbouring fingertips are connected across the
/// gap.
const OUTSIDE_FACTOR: f32 = 4.0;

/// The parents of joints for bones, if the skeleton is flat.
pub(super) fn infer_hierarchy(skeleton: &Skeleton, mesh: Option<&Mesh>) -> Option<Vec<Option<usize>>> {
    let joints = skeleton.joints();
    let listed: Vec<usize> = (0..joints.len()).filter(|&j| joints[j].kind == JointKind::Skin).collect();
    let has_listed_parent =
        |&&j: &&usize| joints[j].parent.is_some_and(|p| joints[p].kind == JointKind::Skin);
    let parented = listed.iter().filter(has_listed_parent).count();
    let has_tails = joints.iter().any(|joint| joint.tail.is_some());
    if listed.len() < MIN_JOINTS || has_tails || parented as f64 > MAX_PARENTED_FRACTION * listed.len() as f64
    {
        return None;
    }
    let mut hierarchy: Vec<Option<usize>> = joints.iter().map(|joint| joint.parent).collect();
    let inferred = by_hand_names(skeleton, &listed).unwrap_or_else(|| spanning_tree(skeleton, &listed, mesh));
    for (&joint, parent) in listed.iter().zip(inferred) {
        hierarchy[joint] = parent;
    }
    Some(hierarchy)
}

/// Infers hands with WebXR names: a wrist, and for each finger a stem and its links from the palm
/// outwards.
fn by_hand_names(skeleton: &Skeleton, listed: &[usize]) -> Option<Vec<Option<usize>>> {
    const FINGERS: [&str; 6] = ["thumb", "index", "middle", "ring", "pinky", "little"];
    const LINKS: [&str; 6] = ["metacarpal", "proximal", "intermediate", "middle", "distal", "tip"];
    let words: Vec<Vec<String>> =
        listed.iter().map(|&joint| names::words(&skeleton.joints()[joint].name)).collect();
    let wrist = words.iter().position(|w| w.iter().any(|word| word == "wrist"))?;
    let link = |w: &[String]| LINKS.iter().position(|l| w.last().is_some_and(|last| last == l));
    let is_finger = |word: &&String| FINGERS.contains(&word.as_str());
    let stem = |w: &[String]| w.iter().find(is_finger).or(w.first()).cloned();
    (0..listed.len())
        .map(|i| {
            if i == wrist {
                return Some(None);
            }
            let rank = link(&words[i])?;
            let before = (0..listed.len())
                .filter(|&j| stem(&words[j]) == stem(&words[i]) && link(&words[j]).is_some_and(|r| r < rank))
                .max_by_key(|&j| link(&words[j]));
            Some(Some(listed[before.unwrap_or(wrist)]))
        })
        .collect()
}

/// Prim's minimum spanning tree of the joints, from the joint nearest to their centroid.
fn spanning_tree(skeleton: &Skeleton, listed: &[usize], mesh: Option<&Mesh>) -> Vec<Option<usize>> {
    let heads: Vec<Vec3> = listed.iter().map(|&joint| skeleton.joints()[joint].head()).collect();
    let centroid = heads.iter().sum::<Vec3>() / heads.len() as f32;
    let root = (0..heads.len())
        .min_by(|&a, &b| heads[a].distance_squared(centroid).total_cmp(&heads[b].distance_squared(centroid)))
        .unwrap_or(0);
    let mut parent = vec![None; heads.len()];
    let mut cost = vec![f32::INFINITY; heads.len()];
    let mut unvisited: Vec<usize> = (0..heads.len()).collect();
    cost[root] = 0.0;
    while let Some(at) =
        (0..unvisited.len()).min_by(|&a, &b| cost[unvisited[a]].total_cmp(&cost[unvisited[b]]))
    {
        let joint = unvisited.swap_remove(at);
        for &other in &unvisited {
            let length = heads[joint].distance(heads[other]);
            // The mesh is tested only if the straight distance is shorter than the best so far.
            if length < cost[other] {
                let length = length * length_factor(mesh, heads[joint], heads[other]);
                if length < cost[other] {
                    cost[other] = length;
                    parent[other] = Some(listed[joint]);
                }
            }
        }
    }
    parent
}

fn length_factor(mesh: Option<&Mesh>, from: Vec3, to: Vec3) -> f32 {
    let leaves_mesh =
        |mesh: &Mesh| [0.25, 0.5, 0.75].iter().any(|&s| mesh.winding_number(from.lerp(to, s)) < 0.5);
    if mesh.is_some_and(leaves_mesh) { OUTSIDE_FACTOR } else { 1.0 }
}
