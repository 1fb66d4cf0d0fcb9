//! Measures of skinning weights: agreement with a reference, connectedness, smoothness.
//!
//! In: [`Weights`] with one row per vertex of the solve mesh and one column per joint. Out: plain
//! numbers that do not depend on the units of the model. Nothing here uses the code that computes
//! weights. Cost: one pass each.

use glam::Vec3;

use crate::model::{Bone, Influence, Topology, Weights};

/// How far weights agree with a reference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// The share of vertices with the same dominant joint.
    pub dominant: f64,
    /// The mean weight per vertex on other joints than in the reference: half of the L1 distance.
    pub half_l1: f64,
}

impl Agreement {
    /// Compares two sets of weights vertex by vertex; the agreement is 1 if there is no vertex.
    ///
    /// # Panics
    /// If the numbers of vertices differ.
    pub fn of(weights: &Weights, reference: &Weights) -> Self {
        assert_eq!(weights.vertices(), reference.vertices(), "one row per vertex in both");
        let count = weights.vertices();
        let same = (0..count).filter(|&v| weights.dominant(v) == reference.dominant(v)).count();
        let apart: f64 = (0..count).map(|v| half_l1(weights.row(v), reference.row(v))).sum();
        let vertices = count as f64;
        let dominant = if count == 0 { 1.0 } else { same as f64 / vertices };
        Self { dominant, half_l1: if count == 0 { 0.0 } else { apart / vertices } }
    }
}

/// Half of the L1 distance of two rows that are sorted by column.
fn half_l1(a: &[Influence], b: &[Influence]) -> f64 {
    let (mut i, mut j, mut sum) = (0, 0, 0.0);
    while i < a.len() || j < b.len() {
        let [column_a, column_b] = [a.get(i), b.get(j)].map(|item| item.map_or(u32::MAX, |item| item.column));
        let weight_a = if column_a <= column_b { f64::from(a[i].weight) } else { 0.0 };
        let weight_b = if column_b <= column_a { f64::from(b[j].weight) } else { 0.0 };
        sum += (weight_a - weight_b).abs();
        i += usize::from(column_a <= column_b);
        j += usize::from(column_b <= column_a);
    }
    0.5 * sum
}

/// In how many pieces the regions of dominant joints are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegionPieces {
    /// The number of regions: pairs of a joint and a connected component of the mesh in which it is
    /// dominant somewhere.
    pub regions: usize,
    /// The number of regions that are in several pieces.
    pub split: usize,
    /// The share of vertices outside of the largest piece of their region.
    pub stray_vertices: f64,
}

impl RegionPieces {
    /// Finds the pieces of the vertices that a joint dominates.
    pub fn of(weights: &Weights, topology: &Topology) -> Self {
        let mut members = vec![Vec::new(); weights.columns()];
        (0..weights.vertices()).for_each(|v| members[weights.dominant(v) as usize].push(v));
        Self::of_members(&members, topology)
    }

    /// Finds the pieces of the vertices with any weight of a joint: of its grown region, overlaps
    /// included.
    pub fn of_grown(weights: &Weights, topology: &Topology) -> Self {
        let mut members = vec![Vec::new(); weights.columns()];
        for vertex in 0..weights.vertices() {
            weights.row(vertex).iter().for_each(|i| members[i.column as usize].push(vertex));
        }
        Self::of_members(&members, topology)
    }

    /// Finds the pieces of sets of vertices, one per joint, by flood fills along edges.
    fn of_members(members: &[Vec<usize>], topology: &Topology) -> Self {
        let vertices = topology.component_of_vertex().len();
        // The last set that each vertex was found to be in, and that last reached it.
        let (mut member_of, mut reached) = (vec![usize::MAX; vertices], vec![usize::MAX; vertices]);
        let (mut count, mut split, mut strays) = (0, 0, 0);
        let mut stack = Vec::new();
        for (joint, of_joint) in members.iter().enumerate() {
            of_joint.iter().for_each(|&vertex| member_of[vertex] = joint);
            let mut pieces: Vec<(u32, usize)> = Vec::new();
            for &seed in of_joint {
                if std::mem::replace(&mut reached[seed], joint) == joint {
                    continue;
                }
                stack.push(seed);
                let mut size = 0;
                while let Some(vertex) = stack.pop() {
                    size += 1;
                    for next in topology.neighbours(vertex) {
                        if member_of[next] == joint && std::mem::replace(&mut reached[next], joint) != joint {
                            stack.push(next);
                        }
                    }
                }
                pieces.push((topology.component_of_vertex()[seed], size));
            }
            pieces.sort_unstable();
            for region in pieces.chunk_by(|a, b| a.0 == b.0) {
                count += 1;
                split += usize::from(region.len() > 1);
                // Sorted by size within a region.
                strays += region[..region.len() - 1].iter().map(|piece| piece.1).sum::<usize>();
            }
        }
        let stray_vertices = strays as f64 / vertices.max(1) as f64;
        Self { regions: count, split, stray_vertices }
    }
}

/// The mean half L1 distance of a vertex's weights from the mean of its neighbours' weights: 0 for
/// weights that are linear along the surface.
pub fn roughness(weights: &Weights, topology: &Topology) -> f64 {
    let mut difference = vec![0.0f64; weights.columns()];
    let mut sum = 0.0;
    for vertex in 0..weights.vertices() {
        let neighbours = topology.neighbours(vertex).count();
        if neighbours == 0 {
            continue;
        }
        let mut columns: Vec<u32> = Vec::new();
        let mut add = |row: &[Influence], factor: f64| {
            for influence in row {
                difference[influence.column as usize] += factor * f64::from(influence.weight);
                columns.push(influence.column);
            }
        };
        add(weights.row(vertex), 1.0);
        topology.neighbours(vertex).for_each(|next| add(weights.row(next), -1.0 / neighbours as f64));
        for column in columns {
            sum += 0.5 * std::mem::take(&mut difference[column as usize]).abs();
        }
    }
    sum / weights.vertices().max(1) as f64
}

/// The joint of the nearest bone of every position, by plain distance; the first of equally near
/// ones.
///
/// # Panics
/// If there are positions but no bone.
pub fn nearest_bone_joints(positions: &[Vec3], bones: &[Bone]) -> Vec<u32> {
    let joint = |&position: &Vec3| {
        let distance = |bone: &Bone| bone.nearest(position).distance_squared(position);
        let nearer = |best, bone| if distance(bone) < distance(best) { bone } else { best };
        bones[1..].iter().fold(&bones[0], nearer).joint as u32
    };
    positions.iter().map(joint).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Mesh;

    fn row(weights: &[(u32, f32)]) -> Vec<Influence> {
        weights.iter().map(|&(column, weight)| Influence { column, weight }).collect()
    }

    /// A strip of `2 n` vertices: two rows along x.
    fn strip(n: u32) -> Mesh {
        let at = |i: u32| Vec3::new((i / 2) as f32, (i % 2) as f32, 0.0);
        let triangles =
            (0..2 * n - 2).map(|i| if i % 2 == 0 { [i, i + 2, i + 1] } else { [i, i + 1, i + 2] });
        Mesh::new((0..2 * n).map(at).collect(), triangles.collect()).unwrap()
    }

    #[test]
    fn agreement_counts_dominant_joints_and_misplaced_weight() {
        let ours = Weights::new(3, [row(&[(0, 0.75), (2, 0.25)]), row(&[(1, 1.0)])]).unwrap();
        let reference = Weights::new(3, [row(&[(0, 0.5), (1, 0.5)]), row(&[(2, 1.0)])]).unwrap();
        let found = Agreement::of(&ours, &reference);
        assert_eq!(found, Agreement { dominant: 0.5, half_l1: 0.75 });
        assert_eq!(Agreement::of(&reference, &ours).half_l1, found.half_l1);
        assert_eq!(Agreement::of(&ours, &ours), Agreement { dominant: 1.0, half_l1: 0.0 });
    }

    #[test]
    fn a_region_in_two_pieces_is_split() {
        let topology = Topology::of(&strip(5));
        let of = |joints: [u32; 10]| RegionPieces::of(&Weights::rigid(2, joints).unwrap(), &topology);
        let whole = of([0, 0, 0, 0, 0, 0, 1, 1, 1, 1]);
        assert_eq!(whole, RegionPieces { regions: 2, split: 0, stray_vertices: 0.0 });
        let split = of([0, 0, 0, 0, 1, 1, 1, 1, 0, 0]);
        assert_eq!(split, RegionPieces { regions: 2, split: 1, stray_vertices: 0.2 });
    }

    #[test]
    fn a_grown_region_is_split_where_its_weight_ends_and_begins_again() {
        let topology = Topology::of(&strip(5));
        let of = |shares: [f32; 5]| {
            let rows = (0..10).map(|i| match shares[i / 2] {
                0.0 => row(&[(0, 1.0)]),
                share => row(&[(0, 1.0 - share), (1, share)]),
            });
            RegionPieces::of_grown(&Weights::new(2, rows).unwrap(), &topology)
        };
        let whole = of([0.4, 0.1, 0.0, 0.0, 0.0]);
        assert_eq!(whole, RegionPieces { regions: 2, split: 0, stray_vertices: 0.0 });
        let split = of([0.4, 0.1, 0.0, 0.0, 0.2]);
        assert_eq!(split, RegionPieces { regions: 2, split: 1, stray_vertices: 0.2 });
    }

    #[test]
    fn linear_weights_are_not_rough_and_a_step_is() {
        let topology = Topology::of(&strip(9));
        let of = |weight: &dyn Fn(u32) -> f32| {
            let rows = (0..18).map(|i| match weight(i / 2) {
                0.0 => row(&[(0, 1.0)]),
                1.0 => row(&[(1, 1.0)]),
                w => row(&[(0, 1.0 - w), (1, w)]),
            });
            roughness(&Weights::new(2, rows).unwrap(), &topology)
        };
        assert!(of(&|_| 0.0) < 1e-12);
        let ramp = of(&|x| x as f32 / 8.0);
        let step = of(&|x| if x < 4 { 0.0 } else { 1.0 });
        assert!(ramp < 0.5 * step && step > 0.02, "{ramp} {step}");
    }

    #[test]
    fn the_nearest_bone_is_by_distance_to_the_segment() {
        use crate::model::Tail;
        let bone = |joint: usize, head: f32, tail: f32| Bone {
            joint,
            parent: None,
            head: Vec3::X * head,
            tail: Vec3::X * tail,
            end: Tail::Explicit,
        };
        let bones = [bone(0, 0.0, 4.0), bone(3, 5.0, 6.0)];
        let positions = [Vec3::new(3.9, 1.0, 0.0), Vec3::new(4.6, 0.0, 1.0)];
        assert_eq!(nearest_bone_joints(&positions, &bones), [0, 3]);
    }
}
