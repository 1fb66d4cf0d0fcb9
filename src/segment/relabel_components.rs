//! Assigns stray components of regions to neighbouring regions.
//!
//! In: labels. Out: labels in which the vertices of one label are connected within each component
//! of the mesh, except for components that lie beside their bone or between several neighbours. The
//! palm and the back of a hand, for example, both belong to the bone between them, although fingers
//! and wrist may separate them on the surface. The largest component of a region stays. Strays join
//! the neighbour with which they share most edges. Cost: a few passes.

use super::Constants;
use crate::math::{key_of, sort_by_keys};
use crate::operators::MeshGeometry;

struct RegionComponent {
    label: u32,
    mesh_component: u32,
    vertices: Vec<u32>,
    area: f64,
}

impl RegionComponent {
    fn has_same_label(&self, other: &Self) -> bool {
        (self.mesh_component, self.label) == (other.mesh_component, other.label)
    }
}

/// Relabels strays until none is left. `is_beside(vertex, label)` returns whether a vertex projects
/// onto the interior of a bone of that label.
pub(super) fn relabel_strays(
    geometry: &MeshGeometry,
    areas: &[f64],
    labels: &mut [u32],
    constants: &Constants,
    is_beside: impl Fn(u32, u32) -> bool,
) {
    // Every pass joins strays to other components, so the number of components decreases until no
    // stray is left.
    while join_strays(geometry, areas, labels, constants, &is_beside) {}
}

fn join_strays(
    geometry: &MeshGeometry,
    areas: &[f64],
    labels: &mut [u32],
    constants: &Constants,
    is_beside: &impl Fn(u32, u32) -> bool,
) -> bool {
    let components = sorted_components(geometry, areas, labels);
    let mut changed = false;
    for same in components.chunk_by(RegionComponent::has_same_label) {
        for stray in same[1..].iter().rev() {
            let beside = stray.vertices.iter().filter(|&&v| is_beside(v, stray.label)).count();
            let Some((neighbour, share)) = longest_neighbour(geometry, labels, stray) else { continue };
            let is_between = 2 * beside >= stray.vertices.len() || share < constants.enclosed_border;
            if stray.area >= constants.min_stray_area * same[0].area && is_between {
                continue;
            }
            stray.vertices.iter().for_each(|&v| labels[v as usize] = neighbour);
            changed = true;
        }
    }
    changed
}

/// The rank by area of each vertex's component among those of the same label and mesh component; 0
/// is the largest.
pub(super) fn ranks(geometry: &MeshGeometry, areas: &[f64], labels: &[u32]) -> Vec<u32> {
    let mut ranks = vec![0; labels.len()];
    for same in sorted_components(geometry, areas, labels).chunk_by(RegionComponent::has_same_label) {
        for (rank, component) in same.iter().enumerate() {
            component.vertices.iter().for_each(|&vertex| ranks[vertex as usize] = rank as u32);
        }
    }
    ranks
}

/// Components sorted by mesh component and label, the largest first.
fn sorted_components(geometry: &MeshGeometry, areas: &[f64], labels: &[u32]) -> Vec<RegionComponent> {
    let components = components_of(geometry, areas, labels);
    // Both sorts are stable, and components are found in the order of their first vertices.
    let mut order: Vec<u32> = (0..components.len() as u32).collect();
    // Areas are not negative, so their bits sort like the numbers.
    sort_by_keys(&mut order, |&i| !components[i as usize].area.to_bits());
    sort_by_keys(&mut order, |&i| {
        let RegionComponent { mesh_component, label, .. } = components[i as usize];
        key_of(mesh_component, label)
    });
    let mut unsorted: Vec<Option<RegionComponent>> = components.into_iter().map(Some).collect();
    order.into_iter().filter_map(|i| unsorted[i as usize].take()).collect()
}

fn components_of(geometry: &MeshGeometry, areas: &[f64], labels: &[u32]) -> Vec<RegionComponent> {
    let topology = geometry.topology();
    let mut seen = vec![false; labels.len()];
    let mut components = Vec::new();
    for seed in 0..labels.len() {
        if seen[seed] {
            continue;
        }
        seen[seed] = true;
        let mut vertices = vec![seed as u32];
        let mut next = 0;
        while next < vertices.len() {
            for neighbour in topology.neighbours(vertices[next] as usize) {
                if !seen[neighbour] && labels[neighbour] == labels[seed] {
                    seen[neighbour] = true;
                    vertices.push(neighbour as u32);
                }
            }
            next += 1;
        }
        let area = vertices.iter().map(|&v| areas[v as usize]).sum();
        components.push(RegionComponent {
            label: labels[seed],
            mesh_component: topology.component_of_vertex()[seed],
            vertices,
            area,
        });
    }
    components
}

/// The other label to which most edges lead (the lowest of equals), and its fraction of those
/// edges.
fn longest_neighbour(
    geometry: &MeshGeometry,
    labels: &[u32],
    component: &RegionComponent,
) -> Option<(u32, f64)> {
    let mut around: Vec<u32> = Vec::new();
    for &vertex in &component.vertices {
        let others = geometry.topology().neighbours(vertex as usize).map(|n| labels[n]);
        around.extend(others.filter(|&label| label != component.label));
    }
    around.sort_unstable();
    let longest =
        around.chunk_by(|a, b| a == b).reduce(|best, run| if run.len() > best.len() { run } else { best });
    longest.map(|run| (run[0], run.len() as f64 / around.len() as f64))
}
