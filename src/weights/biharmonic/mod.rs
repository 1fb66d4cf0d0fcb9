//! Bounded biharmonic weights (Jacobson, Baran, Popović and Sorkine 2011): the smoothest there are between 0 and 1.
//!
//! In: [`MeshGeometry`] of the solve mesh and [`Handle`]s: points, bones, regions, mixed freely. Out: one column per handle, and a
//! [`Convergence`] that says how far from the minimum it is. Each handle's column is 1 on it, 0 on the others, and as smooth as that and
//! 0 ≤ w ≤ 1 allow ([`crate::operators::qp`]); then rows are made to sum to one. Cost: ten to forty factorisations per handle, over
//! the part of the domain it reaches.
//!
//! - On the surface ([`surface`]) or in the interior ([`volume`]). [`Domain::Auto`] takes the interior where bones are in a closed mesh: there a
//!   bone holds what lies on it, and limbs that touch do not mix. Points and open meshes have the surface.
//! - The bones of one joint are one handle: they move together, and their weights are in the first one's column.
//! - Each handle is solved for by itself. Solving for all at once with their sum held at one is the paper's first formulation;
//!   it is many times slower, and the paper itself finds no visible difference.
//! - A piece that no handle is on follows the nearest handles, and a warning names it.

mod inner;
mod joints;
mod surface;
mod volume;

pub(super) use surface::anchors;

use glam::{DVec3, Vec3};
use serde::{Deserialize, Serialize};

use super::nearest::Segments;
use super::oddities;
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
    /// Where weights are smooth.
    pub domain: Domain,
    /// About how many cells the lattice has inside; of no effect on the surface. 0 means as many as the skin can tell apart, up to
    /// 4,500. More: slower, as their power of 1.5 or so. Fewer: fingers are thinner than a cell.
    pub cells: usize,
}

impl Biharmonic {
    /// How many cells make sense, but for 0.
    pub const CELLS: std::ops::RangeInclusive<usize> = 100..=200_000;

    fn cells_for(&self, vertices: usize) -> usize {
        let [fewest, most] = USUAL_CELLS;
        let usual = ((CELLS_PER_VERTEX * vertices as f64) as usize).clamp(fewest, most);
        if self.cells == 0 { usual } else { self.cells }
    }
}

/// Where weights are smooth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum Domain {
    /// In the interior where bones are in a closed mesh, else on the surface.
    #[default]
    Auto,
    /// On the skin.
    Surface,
    /// In the flesh, on a lattice.
    Volume,
}

/// What moves the skin.
#[derive(Clone, Debug, PartialEq)]
pub enum Handle {
    /// The vertex nearest to a place.
    Point(Vec3),
    /// A segment.
    Bone(Bone),
    /// These vertices.
    Region(Vec<u32>),
}

/// Weights, and how well they were found.
#[derive(Clone, Debug)]
pub struct Bounded {
    /// One column per handle.
    pub weights: Weights,
    /// The worst of all handles.
    pub convergence: Convergence,
    /// What [`Domain::Auto`] came to.
    pub domain: Domain,
    /// The handles that hold nothing.
    pub idle: Vec<usize>,
}

/// Cells of the lattice per vertex, at most: cells much smaller than triangles show nothing. Measured on a mannequin of 5,000 vertices
/// against 24,000 cells, 1,500 of them move 0.030 of a vertex's weight on average, 3,000 move 0.016 and 6,000 move 0.012.
/// Larger: slower on coarse meshes. Smaller: their fingers merge.
const CELLS_PER_VERTEX: f64 = 0.3;

/// But not fewer or more cells than this, however many vertices there are.
const USUAL_CELLS: [usize; 2] = [1500, 4500];

/// A vertex whose weights sum to less than this is out of every handle's reach.
const LEAST_SUM: f64 = 1e-6;

/// Weights per bone, as smooth as they can be; those of all bones of a joint are in the first one's column.
///
/// # Errors
/// [`Cancelled`] when `progress` says so.
///
/// # Panics
/// When there are vertices but no bone.
pub fn biharmonic(
    operators: &MeshGeometry,
    skeleton: &Skeleton,
    options: &Biharmonic,
    report: &mut Report,
    progress: &mut Progress,
) -> Result<Bounded, Cancelled> {
    biharmonic_with(operators, skeleton, &[], options, report, progress)
}

/// The same where the skeleton has points: `points` says what each of them holds, in their order; where it ends, the vertex nearest to them.
///
/// # Errors
/// [`Cancelled`] when `progress` says so.
///
/// # Panics
/// When there are vertices but neither bone nor point, or a region names a vertex that is not there.
pub fn biharmonic_with(
    operators: &MeshGeometry,
    skeleton: &Skeleton,
    points: &[Handle],
    options: &Biharmonic,
    report: &mut Report,
    progress: &mut Progress,
) -> Result<Bounded, Cancelled> {
    // Points come after the bones, and are nothing to look at from inside.
    let bones = skeleton.bones().partition_point(|bone| bone.end != Tail::Point);
    oddities::report(
        operators,
        skeleton,
        &BoneVisibility::new(operators, &skeleton.bones()[..bones]),
        report,
    );
    let handles = handles_of(skeleton, points);
    let name = |bone: usize| skeleton.joints()[skeleton.bones()[bone].joint].name.clone();
    // What a joint's bones hold is one handle's: apart, they would only take it from each other.
    let joint_of = |bone: usize| skeleton.bones()[bone].joint;
    let first_of = |bone: usize| (0..bone).find(|&other| joint_of(other) == joint_of(bone)).unwrap_or(bone);
    let columns: Vec<u32> = (0..handles.len()).map(|bone| first_of(bone) as u32).collect();
    let bounded = weighed(operators, &handles, &columns, options, &name, report, progress)?;
    let is_idle = |joint: usize| {
        let mut bones = (0..handles.len()).filter(|&bone| skeleton.bones()[bone].joint == joint);
        bones.all(|bone| bounded.idle.contains(&bone))
    };
    let mut joints: Vec<usize> = bounded.idle.iter().map(|&bone| skeleton.bones()[bone].joint).collect();
    joints.dedup();
    let joints: Vec<String> =
        joints.into_iter().filter(|&j| is_idle(j)).map(|j| skeleton.joints()[j].name.clone()).collect();
    if !joints.is_empty() {
        report.warn(Warning::IdleJoints { joints });
    }
    Ok(bounded)
}

/// A handle for every bone of a skeleton; `points` are what its points hold, in their order.
pub(super) fn handles_of(skeleton: &Skeleton, points: &[Handle]) -> Vec<Handle> {
    let mut points = points.iter();
    let handle = |bone: &Bone| match bone.end {
        Tail::Point => points.next().cloned().unwrap_or(Handle::Point(bone.head)),
        _ => Handle::Bone(*bone),
    };
    skeleton.bones().iter().map(handle).collect()
}

/// Weights per handle, as smooth as they can be. `name` says what to call a handle in warnings.
///
/// # Errors
/// [`Cancelled`] when `progress` says so.
///
/// # Panics
/// When there are vertices but no handle, or a region names a vertex that is not there.
pub fn biharmonic_of(
    operators: &MeshGeometry,
    handles: &[Handle],
    options: &Biharmonic,
    name: &dyn Fn(usize) -> String,
    report: &mut Report,
    progress: &mut Progress,
) -> Result<Bounded, Cancelled> {
    let columns: Vec<u32> = (0..handles.len() as u32).collect();
    weighed(operators, handles, &columns, options, name, report, progress)
}

/// Weights per handle, but of handles with the same column all in that one.
fn weighed(
    operators: &MeshGeometry,
    handles: &[Handle],
    columns: &[u32],
    options: &Biharmonic,
    name: &dyn Fn(usize) -> String,
    report: &mut Report,
    progress: &mut Progress,
) -> Result<Bounded, Cancelled> {
    let vertices = operators.mesh().positions().len();
    assert!(!handles.is_empty() || vertices == 0, "weights need at least one handle");
    let domain = options.domain.decided(operators, handles);
    let (mut problem, inner, held) = if domain == Domain::Volume {
        let (inner, given) = volume::given(operators, handles, columns, options.cells_for(vertices));
        let held = volume::held(&given, handles.len());
        (BoundedBiharmonicProblem::new(&inner.stiffness, &inner.masses, given), Some(inner), held)
    } else {
        let given = surface::given(operators, handles, columns);
        let held = volume::held(&given, handles.len());
        let laplacian = operators.laplacian();
        (BoundedBiharmonicProblem::new(laplacian.stiffness(), laplacian.masses(), given), None, held)
    };
    let mut rows: Vec<Vec<(u32, f64)>> = vec![Vec::new(); vertices];
    let mut convergence = Convergence::NOTHING;
    for handle in (0..handles.len()).filter(|&handle| held[handle]) {
        progress.step(handle, handles.len())?;
        let (column, record) = problem.minimise(handle as u32);
        convergence = convergence.and(record);
        match &inner {
            None => column.iter().for_each(|&(v, w)| rows[v as usize].push((handle as u32, w))),
            Some(inner) => inner.sample(&column, handle as u32, &mut rows),
        }
    }
    progress.step(handles.len(), handles.len())?;
    if !convergence.converged {
        report.warn(Warning::NotConverged { residual: convergence.residual });
    }
    let weights = finished(operators, handles, &mut rows, name, report);
    let idle = (0..handles.len()).filter(|&handle| !held[columns[handle] as usize]).collect();
    Ok(Bounded { weights, convergence, domain, idle })
}

impl Domain {
    fn decided(self, operators: &MeshGeometry, handles: &[Handle]) -> Self {
        let has_bone = handles.iter().any(|handle| matches!(handle, Handle::Bone(_)));
        let parts = operators.parts();
        let bodies = (0..parts.len() as u32).any(|part| parts.part(part).is_body());
        match self {
            Self::Auto if has_bone && bodies && operators.topology().border_edges() == 0 => Self::Volume,
            Self::Auto => Self::Surface,
            chosen => chosen,
        }
    }
}

/// Makes rows sum to one; those that nothing reaches follow the nearest handles.
fn finished(
    operators: &MeshGeometry,
    handles: &[Handle],
    rows: &mut [Vec<(u32, f64)>],
    name: &dyn Fn(usize) -> String,
    report: &mut Report,
) -> Weights {
    let positions = operators.mesh().positions();
    let mut segments =
        Segments::new(&handles.iter().map(|handle| handle.segment(positions)).collect::<Vec<_>>());
    let mut unreached: std::collections::BTreeMap<u32, UnreachedPart> = std::collections::BTreeMap::new();
    let mut finished = Rows::default();
    for (vertex, row) in rows.iter_mut().enumerate() {
        row.retain(|&(_, weight)| weight.is_finite() && weight > 0.0);
        if row.iter().map(|&(_, weight)| weight).sum::<f64>() < LEAST_SUM {
            let near = segments.nearest_seen(positions[vertex].as_dvec3(), DVec3::ZERO, |_, _| true);
            row.clear();
            row.extend(near.bones.iter().map(|&handle| (handle, 1.0)));
            let part = operators.topology().component_of_vertex()[vertex];
            let first = near.bones.first().map(|&handle| handle as usize);
            let of_part = unreached.entry(part).or_insert_with(|| UnreachedPart {
                vertices: 0,
                at: positions[vertex].to_array(),
                joint: first.map(name).unwrap_or_default(),
            });
            of_part.vertices += 1;
        }
        finished.push(row);
    }
    if !unreached.is_empty() {
        report.warn(Warning::UnreachedParts { parts: unreached.into_values().collect() });
    }
    finished.into_weights(handles.len())
}

impl Handle {
    /// A segment in its place, for what is only about distance.
    fn segment(&self, positions: &[Vec3]) -> Bone {
        let at = |place: Vec3| Bone { joint: 0, parent: None, head: place, tail: place, end: Tail::Explicit };
        match self {
            Self::Point(place) => at(*place),
            Self::Bone(bone) => *bone,
            Self::Region(vertices) => {
                let sum: Vec3 = vertices.iter().map(|&v| positions[v as usize]).sum();
                at(sum / vertices.len().max(1) as f32)
            }
        }
    }
}
