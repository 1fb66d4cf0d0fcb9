//! Bounded biharmonic weights (Jacobson, Baran, Popović and Sorkine 2011;
//! docs/theory/biharmonic.md).
//!
//! In: [`MeshGeometry`] of the solve mesh and [`Handle`]s: points, bones and regions, in any
//! mixture. Out: one column per handle, and its KKT residual ([`Convergence`]). The column of a
//! handle is 1 on it, 0 on the others, and the smoothest function with 0 ≤ w ≤ 1
//! ([`crate::operators::qp`]). Then rows are normalised. Cost: ten to forty factorisations per
//! handle, over the support of its column.
//!
//! - The domain is the surface ([`surface`]) or the interior ([`volume`]). [`Domain::Auto`] selects
//!   the interior if there are bones in a closed mesh: there a bone fixes values along it, and
//!   limbs that touch do not mix. Points and open meshes use the surface.
//! - The bones of one joint are one handle, because they move together. Their weights are in the
//!   column of the first one.
//! - Each handle is solved by itself. The paper's first formulation solves for all at once with the
//!   sum fixed to one. It is many times slower, and the paper finds no visible difference.
//! - A connected component without a handle follows the nearest handles, and a warning names it.

mod interior;
mod joints;
mod surface;
mod volume;

pub(super) use surface::fixed_vertices;

use glam::{DVec3, Vec3};
use serde::{Deserialize, Serialize};

use super::input_checks;
use super::nearest::BoneSegments;
use super::rows::Rows;
use crate::model::{Bone, Skeleton, Tail, Weights};
use crate::operators::MeshGeometry;
use crate::operators::qp::{BoundedBiharmonicProblem, Convergence};
use crate::progress::{Cancelled, Progress};
use crate::report::{Report, UnreachedPart, Warning};
use crate::segment::BoneVisibility;

/// Options of [`biharmonic`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(default, deny_unknown_fields)]
pub struct Biharmonic {
    /// The domain of the weights.
    pub domain: Domain,
    /// Approximate number of cells of the lattice; has no effect on the surface. 0 selects it by
    /// the number of vertices, up to 4,500. Larger: slower, with an exponent of about 1.5. Smaller:
    /// fingers are thinner than a cell.
    pub cells: usize,
}

impl Biharmonic {
    /// Allowed numbers of cells, apart from 0.
    pub const CELLS: std::ops::RangeInclusive<usize> = 100..=200_000;

    fn cells_for(&self, vertices: usize) -> usize {
        let [fewest, most] = CELL_LIMITS;
        let by_vertices = ((CELLS_PER_VERTEX * vertices as f64) as usize).clamp(fewest, most);
        if self.cells == 0 { by_vertices } else { self.cells }
    }
}

/// The domain on which weights are smooth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum Domain {
    /// The interior if there are bones in a closed mesh, else the surface.
    #[default]
    Auto,
    /// The surface.
    Surface,
    /// The interior, on a lattice.
    Volume,
}

/// A handle that has weights.
#[derive(Clone, Debug, PartialEq)]
pub enum Handle {
    /// The vertex nearest to a point.
    Point(Vec3),
    /// A line segment.
    Bone(Bone),
    /// A set of vertices.
    Region(Vec<u32>),
}

/// Weights and their convergence.
#[derive(Clone, Debug)]
pub struct BiharmonicWeights {
    /// One column per handle.
    pub weights: Weights,
    /// The worst of all handles.
    pub convergence: Convergence,
    /// The domain that was used; never [`Domain::Auto`].
    pub domain: Domain,
    /// The handles without any boundary condition.
    pub idle: Vec<usize>,
}

/// Number of lattice cells per vertex: cells much smaller than triangles add nothing. Measured on a
/// mannequin of 5,000 vertices against 24,000 cells, 1,500 cells move 0.030 of a vertex's weight on
/// average, 3,000 move 0.016 and 6,000 move 0.012. Larger: slower on coarse meshes. Smaller: their
/// fingers merge.
const CELLS_PER_VERTEX: f64 = 0.3;

/// Smallest and largest number of cells, unless the number is given.
const CELL_LIMITS: [usize; 2] = [1500, 4500];

/// A vertex whose weights sum to less than this is not reached by any handle.
const MIN_SUM: f64 = 1e-6;

/// Computes bounded biharmonic weights per bone. The weights of all bones of a joint are in the
/// column of the first one.
///
/// # Errors
/// [`Cancelled`] if `progress` cancels.
///
/// # Panics
/// If there are vertices but no bone.
pub fn biharmonic(
    geometry: &MeshGeometry,
    skeleton: &Skeleton,
    options: &Biharmonic,
    report: &mut Report,
    progress: &mut Progress,
) -> Result<BiharmonicWeights, Cancelled> {
    biharmonic_with(geometry, skeleton, &[], options, report, progress)
}

/// Same as [`biharmonic`], for a skeleton with points. `points` are their handles, in order; a
/// point without one fixes the vertex nearest to it.
///
/// # Errors
/// [`Cancelled`] if `progress` cancels.
///
/// # Panics
/// If there are vertices but neither bone nor point, or a region names a vertex that is not
/// there.
pub fn biharmonic_with(
    geometry: &MeshGeometry,
    skeleton: &Skeleton,
    points: &[Handle],
    options: &Biharmonic,
    report: &mut Report,
    progress: &mut Progress,
) -> Result<BiharmonicWeights, Cancelled> {
    // Points come after the bones, and are not tested for visibility.
    let bones = skeleton.bones().partition_point(|bone| bone.end != Tail::Point);
    input_checks::warn_of_input(
        geometry,
        skeleton,
        &BoneVisibility::new(geometry, &skeleton.bones()[..bones]),
        report,
    );
    let handles = handles_of(skeleton, points);
    let name = |bone: usize| skeleton.joints()[skeleton.bones()[bone].joint].name.clone();
    // The bones of a joint are one handle: apart, each would reduce the weights of the others.
    let joint_of = |bone: usize| skeleton.bones()[bone].joint;
    let first_of = |bone: usize| (0..bone).find(|&other| joint_of(other) == joint_of(bone)).unwrap_or(bone);
    let columns: Vec<u32> = (0..handles.len()).map(|bone| first_of(bone) as u32).collect();
    let found = solve(geometry, &handles, &columns, options, &name, report, progress)?;
    let is_idle = |joint: usize| {
        let mut bones = (0..handles.len()).filter(|&bone| skeleton.bones()[bone].joint == joint);
        bones.all(|bone| found.idle.contains(&bone))
    };
    let mut joints: Vec<usize> = found.idle.iter().map(|&bone| skeleton.bones()[bone].joint).collect();
    joints.dedup();
    let joints: Vec<String> =
        joints.into_iter().filter(|&j| is_idle(j)).map(|j| skeleton.joints()[j].name.clone()).collect();
    if !joints.is_empty() {
        report.warn(Warning::IdleJoints { joints });
    }
    Ok(found)
}

/// A handle for every bone of a skeleton; `points` are the handles of its points, in order.
pub(super) fn handles_of(skeleton: &Skeleton, points: &[Handle]) -> Vec<Handle> {
    let mut points = points.iter();
    let handle = |bone: &Bone| match bone.end {
        Tail::Point => points.next().cloned().unwrap_or(Handle::Point(bone.head)),
        _ => Handle::Bone(*bone),
    };
    skeleton.bones().iter().map(handle).collect()
}

/// Computes weights per handle. `name` returns the name of a handle for warnings.
///
/// # Errors
/// [`Cancelled`] if `progress` cancels.
///
/// # Panics
/// If there are vertices but no handle, or a region names a vertex that is not there.
pub fn biharmonic_of(
    geometry: &MeshGeometry,
    handles: &[Handle],
    options: &Biharmonic,
    name: &dyn Fn(usize) -> String,
    report: &mut Report,
    progress: &mut Progress,
) -> Result<BiharmonicWeights, Cancelled> {
    let columns: Vec<u32> = (0..handles.len() as u32).collect();
    solve(geometry, handles, &columns, options, name, report, progress)
}

/// Computes weights per handle. Handles with the same column are solved as one.
fn solve(
    geometry: &MeshGeometry,
    handles: &[Handle],
    columns: &[u32],
    options: &Biharmonic,
    name: &dyn Fn(usize) -> String,
    report: &mut Report,
    progress: &mut Progress,
) -> Result<BiharmonicWeights, Cancelled> {
    let vertices = geometry.mesh().positions().len();
    assert!(!handles.is_empty() || vertices == 0, "weights need at least one handle");
    let domain = options.domain.resolved(geometry, handles);
    let (mut problem, interior, has_conditions) = if domain == Domain::Volume {
        let (interior, conditions) =
            volume::boundary_conditions(geometry, handles, columns, options.cells_for(vertices));
        let has_conditions = volume::have_conditions(&conditions, handles.len());
        (
            BoundedBiharmonicProblem::new(&interior.stiffness, &interior.masses, conditions),
            Some(interior),
            has_conditions,
        )
    } else {
        let conditions = surface::boundary_conditions(geometry, handles, columns);
        let has_conditions = volume::have_conditions(&conditions, handles.len());
        let laplacian = geometry.laplacian();
        (
            BoundedBiharmonicProblem::new(laplacian.stiffness(), laplacian.masses(), conditions),
            None,
            has_conditions,
        )
    };
    let mut rows: Vec<Vec<(u32, f64)>> = vec![Vec::new(); vertices];
    let mut convergence = Convergence::NONE;
    for handle in (0..handles.len()).filter(|&handle| has_conditions[handle]) {
        progress.step(handle, handles.len())?;
        let (column, record) = problem.minimise(handle as u32);
        convergence = convergence.and(record);
        match &interior {
            None => column.iter().for_each(|&(v, w)| rows[v as usize].push((handle as u32, w))),
            Some(interior) => interior.sample(&column, handle as u32, &mut rows),
        }
    }
    progress.step(handles.len(), handles.len())?;
    if !convergence.converged {
        report.warn(Warning::NotConverged { residual: convergence.residual });
    }
    let weights = normalised(geometry, handles, &mut rows, name, report);
    let idle = (0..handles.len()).filter(|&handle| !has_conditions[columns[handle] as usize]).collect();
    Ok(BiharmonicWeights { weights, convergence, domain, idle })
}

impl Domain {
    fn resolved(self, geometry: &MeshGeometry, handles: &[Handle]) -> Self {
        let has_bone = handles.iter().any(|handle| matches!(handle, Handle::Bone(_)));
        let components = geometry.components();
        let has_solid = (0..components.len() as u32).any(|component| components.kind(component).is_solid());
        match self {
            Self::Auto if has_bone && has_solid && geometry.topology().border_edges() == 0 => Self::Volume,
            Self::Auto => Self::Surface,
            chosen => chosen,
        }
    }
}

/// Normalises rows. Vertices that no handle reaches follow the nearest handles.
fn normalised(
    geometry: &MeshGeometry,
    handles: &[Handle],
    rows: &mut [Vec<(u32, f64)>],
    name: &dyn Fn(usize) -> String,
    report: &mut Report,
) -> Weights {
    let positions = geometry.mesh().positions();
    let mut segments =
        BoneSegments::new(&handles.iter().map(|handle| handle.segment(positions)).collect::<Vec<_>>());
    let mut unreached: std::collections::BTreeMap<u32, UnreachedPart> = std::collections::BTreeMap::new();
    let mut normalised = Rows::default();
    for (vertex, row) in rows.iter_mut().enumerate() {
        row.retain(|&(_, weight)| weight.is_finite() && weight > 0.0);
        if row.iter().map(|&(_, weight)| weight).sum::<f64>() < MIN_SUM {
            let nearest = segments.nearest_visible(positions[vertex].as_dvec3(), DVec3::ZERO, |_, _| true);
            row.clear();
            row.extend(nearest.bones.iter().map(|&handle| (handle, 1.0)));
            let component = geometry.topology().component_of_vertex()[vertex];
            let first = nearest.bones.first().map(|&handle| handle as usize);
            let of_component = unreached.entry(component).or_insert_with(|| UnreachedPart {
                vertices: 0,
                at: positions[vertex].to_array(),
                joint: first.map(name).unwrap_or_default(),
            });
            of_component.vertices += 1;
        }
        normalised.push(row);
    }
    if !unreached.is_empty() {
        report.warn(Warning::UnreachedParts { parts: unreached.into_values().collect() });
    }
    normalised.into_weights(handles.len())
}

impl Handle {
    /// A segment at its position, for distances only.
    fn segment(&self, positions: &[Vec3]) -> Bone {
        let at = |point: Vec3| Bone { joint: 0, parent: None, head: point, tail: point, end: Tail::Explicit };
        match self {
            Self::Point(point) => at(*point),
            Self::Bone(bone) => *bone,
            Self::Region(vertices) => {
                let sum: Vec3 = vertices.iter().map(|&v| positions[v as usize]).sum();
                at(sum / vertices.len().max(1) as f32)
            }
        }
    }
}
