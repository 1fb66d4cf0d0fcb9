//! Structured warnings that stages record while they run.
//!
//! A stage that can continue with unusual input records a warning and continues. What makes a
//! result impossible is an error.

use std::fmt;

use serde::Serialize;

/// One irregularity: what was found, where, and what was done.
#[derive(Clone, Debug, PartialEq)]
pub enum Warning {
    /// Joints without weights, all for the same reason.
    JointsExcluded {
        /// Their names, in skeleton order.
        joints: Vec<String>,
        /// What they have in common, for example "named as end markers".
        why: &'static str,
    },
    /// All joints are siblings; a hierarchy was inferred for the bones.
    FlatSkeleton {
        /// Number of joints.
        joints: usize,
    },
    /// Leaf joints whose bones got virtual tails.
    VirtualTails {
        /// Names of the joints.
        joints: Vec<String>,
    },
    /// Vertices from which no bone is visible inside the mesh. They follow the nearest bone.
    UnseenVertices {
        /// Number of vertices.
        vertices: usize,
    },
    /// The mesh is not closed, so inside and outside were estimated.
    OpenMesh {
        /// Number of boundary edges.
        border_edges: usize,
    },
    /// Components of the mesh that no bone reaches on the inside. They follow the nearest bones.
    UnreachedParts {
        /// The components.
        parts: Vec<UnreachedPart>,
    },
    /// Bones completely outside the mesh.
    BonesOutside {
        /// The joints that drive them.
        joints: Vec<String>,
    },
    /// Bones longer than the diagonal of the mesh.
    BonesTooLong {
        /// The joints that drive them.
        joints: Vec<String>,
    },
    /// Bones with the same end points. They share the vertices near them.
    BonesInOnePlace {
        /// The joints that drive them.
        joints: Vec<String>,
    },
    /// Joints without weights, because other joints are nearer everywhere or no vertex sees their
    /// bones.
    IdleJoints {
        /// Their names.
        joints: Vec<String>,
    },
    /// Components whose triangles face inwards. They were treated as reversed.
    InsideOut {
        /// Number of components.
        parts: usize,
    },
    /// Edges with more than two triangles.
    NonManifold {
        /// Number of edges.
        edges: usize,
    },
    /// Components with holes. Their volume was measured with a cap over each hole.
    OpenVolume {
        /// Number of components.
        parts: usize,
        /// Number of boundary edges.
        border_edges: usize,
    },
    /// Components without an interior (capes, hair cards, two-sided leaves). Their volume is not
    /// preserved.
    NoVolume {
        /// Number of components.
        parts: usize,
    },
    /// An iteration stopped before its tolerance was reached. The result is used.
    NotConverged {
        /// Largest remaining change of a weight.
        residual: f64,
    },
    /// An example pose has another scale than the mesh. It was undone.
    ExampleScaled {
        /// Index of the example.
        example: usize,
        /// Its scale relative to the mesh.
        factor: f64,
    },
    /// An example pose is a mirror image of the mesh. It was mirrored back.
    ExampleMirrored {
        /// Index of the example.
        example: usize,
    },
    /// Vertices of an example pose far from all their neighbours. They were put between them.
    StrayVertices {
        /// Index of the example.
        example: usize,
        /// Number of vertices.
        vertices: usize,
        /// The first of them.
        first: u32,
    },
    /// The example fit used all its iterations before it converged.
    FitNotConverged {
        /// Number of iterations.
        iterations: usize,
        /// Relative decrease of the energy over the last few of them.
        residual: f64,
    },
    /// Handles that the method does not use.
    HandlesIgnored {
        /// Number of handles.
        handles: usize,
        /// Name of the method.
        method: &'static str,
    },
    /// Something unusual in a file that was read nevertheless.
    File {
        /// Location in the file: a path or a line.
        place: String,
        /// What was found and what was done.
        what: String,
    },
}

/// A component of the mesh that no bone reaches.
#[derive(Clone, Debug, PartialEq)]
pub struct UnreachedPart {
    /// Number of vertices.
    pub vertices: usize,
    /// Position of its first vertex.
    pub at: [f32; 3],
    /// The joint that its first vertex follows.
    pub joint: String,
}

impl fmt::Display for UnreachedPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.at;
        let vertices = if self.vertices == 1 { "vertex" } else { "vertices" };
        write!(f, "{} {vertices} at ({x:.3}, {y:.3}, {z:.3}) to {}", self.vertices, self.joint)
    }
}

impl Warning {
    /// A stable name for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::JointsExcluded { .. } => "joints_excluded",
            Self::FlatSkeleton { .. } => "flat_skeleton",
            Self::VirtualTails { .. } => "virtual_tails",
            Self::UnseenVertices { .. } => "unseen_vertices",
            Self::OpenMesh { .. } => "open_mesh",
            Self::UnreachedParts { .. } => "unreached_parts",
            Self::BonesOutside { .. } => "bones_outside",
            Self::BonesTooLong { .. } => "bones_too_long",
            Self::BonesInOnePlace { .. } => "bones_in_one_place",
            Self::IdleJoints { .. } => "idle_joints",
            Self::InsideOut { .. } => "inside_out",
            Self::NonManifold { .. } => "non_manifold",
            Self::OpenVolume { .. } => "open_volume",
            Self::NoVolume { .. } => "no_volume",
            Self::NotConverged { .. } => "not_converged",
            Self::ExampleScaled { .. } => "example_scaled",
            Self::ExampleMirrored { .. } => "example_mirrored",
            Self::StrayVertices { .. } => "stray_vertices",
            Self::FitNotConverged { .. } => "fit_not_converged",
            Self::HandlesIgnored { .. } => "handles_ignored",
            Self::File { .. } => "file",
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::JointsExcluded { joints, why } => {
                write!(f, "{} left out of the skin, {why}: {}", count(joints.len(), "joint"), listed(joints))
            }
            Self::FlatSkeleton { joints } => write!(
                f,
                "the {joints} joints of the skeleton have no hierarchy; bones were inferred from their names and positions"
            ),
            Self::VirtualTails { joints } => write!(
                f,
                "{} got a virtual tail in the direction of the parent bone: {}",
                count(joints.len(), "leaf joint"),
                listed(joints)
            ),
            Self::UnseenVertices { vertices } => {
                write!(
                    f,
                    "{} not visible from any bone; bound to the nearest one",
                    count_are(*vertices, "vertex", "vertices")
                )
            }
            Self::OpenMesh { border_edges } => write!(
                f,
                "the mesh is open ({border_edges} border edges), so inside and outside were estimated"
            ),
            Self::UnreachedParts { parts } => write!(
                f,
                "{} not reached by any bone on the inside; bound to the nearest bones: {}",
                count_are(parts.len(), "component", "components"),
                listed(&parts.iter().map(ToString::to_string).collect::<Vec<_>>())
            ),
            Self::BonesOutside { joints } => {
                write!(f, "{} outside the mesh: {}", count_are(joints.len(), "bone", "bones"), listed(joints))
            }
            Self::BonesTooLong { joints } => write!(
                f,
                "{} longer than the diagonal of the mesh: {}",
                count_are(joints.len(), "bone", "bones"),
                listed(joints)
            ),
            Self::BonesInOnePlace { joints } => write!(
                f,
                "{} at the same position as another bone, which shares its vertices: {}",
                count_are(joints.len(), "bone", "bones"),
                listed(joints)
            ),
            Self::IdleJoints { joints } => write!(
                f,
                "{} without weights, because others are nearer or no vertex sees their bones: {}",
                count_are(joints.len(), "joint", "joints"),
                listed(joints)
            ),
            Self::InsideOut { parts } => {
                write!(f, "{} inside out; treated as reversed", count_are(*parts, "component", "components"))
            }
            Self::NonManifold { edges } => {
                write!(f, "{} shared by more than two triangles", count_are(*edges, "edge", "edges"))
            }
            Self::OpenVolume { parts, border_edges } => write!(
                f,
                "{} open ({border_edges} border edges); the volume was measured with caps over the holes",
                count_are(*parts, "component", "components")
            ),
            Self::NoVolume { parts } => {
                write!(
                    f,
                    "{} without an interior, so no volume is preserved there",
                    count_are(*parts, "component", "components")
                )
            }
            Self::NotConverged { residual } => {
                write!(f, "the iteration stopped early; weights may still change by up to {residual:.1e}")
            }
            Self::ExampleScaled { example, factor } => write!(
                f,
                "example {}: {factor:.3} times as large as the mesh; its scale was undone, export it in the same units",
                example + 1
            ),
            Self::ExampleMirrored { example } => {
                write!(f, "example {}: a mirror image of the mesh; it was mirrored back", example + 1)
            }
            Self::StrayVertices { example, vertices, first } => write!(
                f,
                "example {}: {} far from all neighbours, the first of them vertex {first}; put between them",
                example + 1,
                count_are(*vertices, "vertex", "vertices")
            ),
            Self::FitNotConverged { iterations, residual } => write!(
                f,
                "the fit has not converged after {}; the last ones lowered its energy by {:.1} %, more may improve it",
                count(*iterations, "iteration"),
                100.0 * residual
            ),
            Self::HandlesIgnored { handles, method } => write!(
                f,
                "{} ignored, because the method {method} computes weights for bones only; use the method bbw",
                count_are(*handles, "handle", "handles")
            ),
            Self::File { place, what } => write!(f, "{place}: {what}"),
        }
    }
}

fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

fn count_are(n: usize, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one} is") } else { format!("{n} {many} are") }
}

/// The first few names, so that a message stays short.
fn listed(names: &[String]) -> String {
    const MAX_NAMES: usize = 6;
    let mut text = names.iter().take(MAX_NAMES).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > MAX_NAMES {
        text.push_str(&format!(" and {} more", names.len() - MAX_NAMES));
    }
    text
}

/// Warnings in the order of recording, without duplicates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    warnings: Vec<Warning>,
}

/// A warning as programs and people read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct WarningInfo {
    /// A stable name.
    pub code: String,
    /// A sentence.
    pub message: String,
}

impl WarningInfo {
    /// All warnings of a report.
    pub fn all(report: &Report) -> Vec<Self> {
        let info = |warning: &Warning| Self { code: warning.code().to_owned(), message: warning.to_string() };
        report.warnings().iter().map(info).collect()
    }
}

impl Report {
    /// Records `warning` unless it is recorded already.
    pub fn warn(&mut self, warning: Warning) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// The recorded warnings.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Adds the warnings of another report.
    pub fn absorb(&mut self, other: Report) {
        for warning in other.warnings {
            self.warn(warning);
        }
    }
}
