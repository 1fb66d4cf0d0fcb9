//! Structured warnings collected while a stage runs; not how they are shown.
//!
//! A stage that can go on in spite of an oddity records it here and goes on. What stops the whole is an
//! error, not a warning.

use std::fmt;

use serde::Serialize;

/// One oddity: what was found, where, and what was done about it.
#[derive(Clone, Debug, PartialEq)]
pub enum Warning {
    /// Joints that get no weights, all for the same reason.
    JointsExcluded {
        /// Their names, in the skeleton's order.
        joints: Vec<String>,
        /// What they have in common: "named as ends of chains".
        why: &'static str,
    },
    /// The skeleton lists its joints as siblings; a hierarchy was inferred for the bones.
    FlatSkeleton {
        /// How many joints.
        joints: usize,
    },
    /// A joint drives no bone of any length, so a short virtual one was made.
    VirtualTails {
        /// The joints' names.
        joints: Vec<String>,
    },
    /// Vertices from which no bone is visible through the flesh; they follow the nearest bone.
    UnseenVertices {
        /// How many.
        vertices: usize,
    },
    /// The mesh is not closed, so "inside" was judged by the open surface.
    OpenMesh {
        /// How many border edges.
        border_edges: usize,
    },
    /// Pieces of skin that no bone reaches through flesh; they follow the nearest bones.
    UnreachedParts {
        /// Each of them.
        parts: Vec<UnreachedPart>,
    },
    /// Bones wholly outside the mesh.
    BonesOutside {
        /// The joints that drive them.
        joints: Vec<String>,
    },
    /// Bones longer than the mesh is large.
    BonesTooLong {
        /// The joints that drive them.
        joints: Vec<String>,
    },
    /// Bones from and to the same places; they share what is near.
    BonesInOnePlace {
        /// The joints that drive them.
        joints: Vec<String>,
    },
    /// Joints that no vertex follows, because others are nearer everywhere or nothing sees them.
    IdleJoints {
        /// Their names.
        joints: Vec<String>,
    },
    /// Parts whose triangles face inwards; they were taken the other way round.
    InsideOut {
        /// How many.
        parts: usize,
    },
    /// Edges with more than two triangles.
    NonManifold {
        /// How many.
        edges: usize,
    },
    /// Parts with holes: their volume was measured with a lid over each.
    OpenVolume {
        /// How many parts.
        parts: usize,
        /// How many border edges.
        border_edges: usize,
    },
    /// Parts that enclose nothing (capes, hair cards, two-sided leaves), so no volume of theirs is kept.
    NoVolume {
        /// How many.
        parts: usize,
    },
    /// A method stopped before its answer was as exact as it should be; the answer is used.
    NotConverged {
        /// How far from it, in units of weights.
        residual: f64,
    },
    /// Handles on the skin that the method does not weigh.
    HandlesIgnored {
        /// How many.
        handles: usize,
        /// The method's name.
        method: &'static str,
    },
    /// Something odd in a file that was read in spite of it.
    File {
        /// Where in the file, as a path or line.
        place: String,
        /// What was found and what was done.
        what: String,
    },
}

/// A piece of skin that no bone reaches.
#[derive(Clone, Debug, PartialEq)]
pub struct UnreachedPart {
    /// How many vertices it has.
    pub vertices: usize,
    /// Where its first vertex is.
    pub at: [f32; 3],
    /// The joint its first vertex follows.
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
                "the skeleton lists its {joints} joints side by side; bones were inferred from their names and positions"
            ),
            Self::VirtualTails { joints } => write!(
                f,
                "{} without a tail got a short one along the parent bone: {}",
                count(joints.len(), "joint"),
                listed(joints)
            ),
            Self::UnseenVertices { vertices } => {
                write!(
                    f,
                    "{} seen by no bone; bound to the nearest one",
                    count_are(*vertices, "vertex", "vertices")
                )
            }
            Self::OpenMesh { border_edges } => write!(
                f,
                "the mesh is open ({border_edges} border edges), so what lies inside it was judged by the surface there is"
            ),
            Self::UnreachedParts { parts } => write!(
                f,
                "{} that no bone reaches follow the nearest one: {}",
                count(parts.len(), "loose part"),
                listed(&parts.iter().map(ToString::to_string).collect::<Vec<_>>())
            ),
            Self::BonesOutside { joints } => {
                write!(f, "{} outside the mesh: {}", count_are(joints.len(), "bone", "bones"), listed(joints))
            }
            Self::BonesTooLong { joints } => write!(
                f,
                "{} longer than the mesh is large: {}",
                count_are(joints.len(), "bone", "bones"),
                listed(joints)
            ),
            Self::BonesInOnePlace { joints } => write!(
                f,
                "{} in the same place as another and share what is near: {}",
                count_are(joints.len(), "bone", "bones"),
                listed(joints)
            ),
            Self::IdleJoints { joints } => write!(
                f,
                "{} followed by no vertex, since others are nearer or nothing sees them: {}",
                count_are(joints.len(), "joint", "joints"),
                listed(joints)
            ),
            Self::InsideOut { parts } => {
                write!(f, "{} inside out; taken the other way round", count_are(*parts, "part", "parts"))
            }
            Self::NonManifold { edges } => {
                write!(f, "{} shared by more than two triangles", count_are(*edges, "edge", "edges"))
            }
            Self::OpenVolume { parts, border_edges } => write!(
                f,
                "{} open ({border_edges} border edges); the volume was measured with lids over the holes",
                count_are(*parts, "part", "parts")
            ),
            Self::NoVolume { parts } => {
                write!(
                    f,
                    "{} without an inside, so no volume is kept there",
                    count_are(*parts, "part", "parts")
                )
            }
            Self::NotConverged { residual } => {
                write!(f, "weights are up to {residual:.1e} from where they would come to rest")
            }
            Self::HandlesIgnored { handles, method } => write!(
                f,
                "{} left out, for the method {method} weighs bones only; bbw weighs them",
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

/// The first few names, so that one line stays one line.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 6;
    let mut text = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text.push_str(&format!(" and {} more", names.len() - SHOWN));
    }
    text
}

/// Warnings in the order they came up; the same one twice counts once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    warnings: Vec<Warning>,
}

/// A warning as programs and people read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename = "Warning")]
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
    /// Records `warning` unless it is already there.
    pub fn warn(&mut self, warning: Warning) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// What was recorded.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Takes over everything another stage recorded.
    pub fn absorb(&mut self, other: Report) {
        for warning in other.warnings {
            self.warn(warning);
        }
    }
}
