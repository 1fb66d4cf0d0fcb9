//! Structured warnings collected while a stage runs; not how they are shown.
//!
//! A stage that can go on in spite of an oddity records it here and goes on. What stops the whole is an
//! error, not a warning.

use std::fmt;

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
    /// Joints around which there is no flesh of their own; what is near follows their neighbours.
    NoFlesh {
        /// The joints' names.
        joints: Vec<String>,
    },
    /// Something odd in a file that was read in spite of it.
    File {
        /// Where in the file, as a path or line.
        place: String,
        /// What was found and what was done.
        what: String,
    },
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
            Self::NoFlesh { .. } => "no_flesh",
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
            Self::NoFlesh { joints } => write!(
                f,
                "{} got no flesh, since all there is lies nearer to others: {}",
                count(joints.len(), "joint"),
                listed(joints)
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
