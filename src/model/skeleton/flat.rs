//! Skeletons that list their joints side by side.
//!
//! Some files give no hierarchy (WebXR hands list 25 siblings). One is inferred for *bones* only, by
//! standard names where they match, else as the shortest tree through the joints that stays inside the
//! mesh. The file's own hierarchy is left as it is for posing.

use glam::Vec3;

use super::{JointKind, Skeleton, names};
use crate::model::Mesh;

/// Fewer joints than this are no skeleton to mend.
const FEWEST: usize = 4;

/// A skeleton is flat when at most this share of its joints hang on another one of them.
const FLAT_SHARE: f64 = 0.1;

/// Leaving the mesh makes a connection this much longer. Larger: joints outside the mesh are joined to
/// the wrong chain. Smaller: neighbouring fingertips are joined across the gap.
const OUTSIDE_FACTOR: f32 = 4.0;

/// The joints' parents for bones, where the file's hierarchy says nothing.
pub(super) fn infer_hierarchy(skeleton: &Skeleton, mesh: Option<&Mesh>) -> Option<Vec<Option<usize>>> {
    let joints = skeleton.joints();
    let listed: Vec<usize> = (0..joints.len()).filter(|&j| joints[j].kind == JointKind::Skin).collect();
    let hangs_on_listed = |&&j: &&usize| joints[j].parent.is_some_and(|p| joints[p].kind == JointKind::Skin);
    let hanging = listed.iter().filter(hangs_on_listed).count();
    let has_tails = joints.iter().any(|joint| joint.tail.is_some());
    if listed.len() < FEWEST || has_tails || hanging as f64 > FLAT_SHARE * listed.len() as f64 {
        return None;
    }
    let mut hierarchy: Vec<Option<usize>> = joints.iter().map(|joint| joint.parent).collect();
    let inferred = by_hand_names(skeleton, &listed).unwrap_or_else(|| shortest_tree(skeleton, &listed, mesh));
    for (&joint, parent) in listed.iter().zip(inferred) {
        hierarchy[joint] = parent;
    }
    Some(hierarchy)
}

/// Hands named as in WebXR: a wrist, and per finger a stem and its links from the palm outwards.
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

/// Prim's tree over the joints, grown from the one nearest to their middle.
fn shortest_tree(skeleton: &Skeleton, listed: &[usize], mesh: Option<&Mesh>) -> Vec<Option<usize>> {
    let heads: Vec<Vec3> = listed.iter().map(|&joint| skeleton.joints()[joint].head()).collect();
    let middle = heads.iter().sum::<Vec3>() / heads.len() as f32;
    let root = (0..heads.len())
        .min_by(|&a, &b| heads[a].distance_squared(middle).total_cmp(&heads[b].distance_squared(middle)))
        .unwrap_or(0);
    let mut parent = vec![None; heads.len()];
    let mut cost = vec![f32::INFINITY; heads.len()];
    let mut open: Vec<usize> = (0..heads.len()).collect();
    cost[root] = 0.0;
    while let Some(at) = (0..open.len()).min_by(|&a, &b| cost[open[a]].total_cmp(&cost[open[b]])) {
        let joint = open.swap_remove(at);
        for &other in &open {
            let length = heads[joint].distance(heads[other]);
            // Only a straight way shorter than the best so far is worth testing against the mesh.
            if length < cost[other] {
                let length = length * detour(mesh, heads[joint], heads[other]);
                if length < cost[other] {
                    cost[other] = length;
                    parent[other] = Some(listed[joint]);
                }
            }
        }
    }
    parent
}

fn detour(mesh: Option<&Mesh>, from: Vec3, to: Vec3) -> f32 {
    let leaves = |mesh: &Mesh| [0.25, 0.5, 0.75].iter().any(|&s| mesh.winding_number(from.lerp(to, s)) < 0.5);
    if mesh.is_some_and(leaves) { OUTSIDE_FACTOR } else { 1.0 }
}
