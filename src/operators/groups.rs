//! Groups of edges that rotate together: k-means on the weight rows of their ends (Jacobson et al.
//! 2012).
//!
//! In: a weight row per vertex, and edges. Out: a group per edge. Cost: a few passes over vertices
//! × groups.

/// Number of k-means iterations. More change nothing on any fixture.
const ROUNDS: usize = 20;

/// Returns the group of every edge, by the mean of the rows of `weights` (vertices × `handles`) of
/// its ends. Deterministic: each initial centre is the row farthest from the previous centres.
pub fn edge_groups(weights: &[f64], handles: usize, edges: &[(u32, u32)], count: usize) -> Vec<u32> {
    let vertices = weights.len() / handles.max(1);
    if vertices == 0 || handles == 0 {
        return vec![0; edges.len()];
    }
    let row = |v: usize| &weights[v * handles..(v + 1) * handles];
    let distance_squared =
        |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
    let mut centres: Vec<Vec<f64>> = Vec::new();
    let mut distances = vec![f64::INFINITY; vertices];
    let mut next = (0..vertices).fold(0, |best, v| if row(v)[0] > row(best)[0] { v } else { best });
    while centres.len() < count.max(1) {
        centres.push(row(next).to_vec());
        for (v, distance) in distances.iter_mut().enumerate() {
            *distance = distance.min(distance_squared(row(v), row(next)));
        }
        next = (0..vertices).fold(0, |best, v| if distances[v] > distances[best] { v } else { best });
        if distances[next] <= 1e-12 {
            break;
        }
    }
    let nearest = |centres: &[Vec<f64>], of: &[f64]| {
        let by = |g: usize| distance_squared(&centres[g], of);
        let nearer = |best: (usize, f64), g: usize| {
            let distance = by(g);
            if distance < best.1 { (g, distance) } else { best }
        };
        (1..centres.len()).fold((0, by(0)), nearer).0
    };
    let mut group_of = vec![usize::MAX; vertices];
    for _ in 0..ROUNDS {
        let found: Vec<usize> = (0..vertices).map(|v| nearest(&centres, row(v))).collect();
        if found == group_of {
            break;
        }
        group_of = found;
        let mut sums = vec![(vec![0.0; handles], 0.0f64); centres.len()];
        for (v, &group) in group_of.iter().enumerate() {
            sums[group].0.iter_mut().zip(row(v)).for_each(|(sum, w)| *sum += w);
            sums[group].1 += 1.0;
        }
        for (centre, (sum, members)) in
            centres.iter_mut().zip(&sums).filter(|(_, (_, members))| *members > 0.0)
        {
            centre.iter_mut().zip(sum).for_each(|(c, s)| *c = s / members);
        }
    }
    let mut middle = vec![0.0; handles];
    let group = |&(a, b): &(u32, u32)| {
        middle
            .iter_mut()
            .zip(row(a as usize).iter().zip(row(b as usize)))
            .for_each(|(m, (x, y))| *m = 0.5 * (x + y));
        nearest(&centres, &middle) as u32
    };
    edges.iter().map(group).collect()
}
