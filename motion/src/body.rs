//! A skeleton that can be moved: a person or an animal.
//!
//! The entry point of the crate. It knows which clips of the library fit a skeleton, makes them,
//! and carries clips of other skeletons over.

use glam::Vec3;

use crate::creature::{Creature, Kind};
use crate::humanoid::Humanoid;
use crate::library::animals::ANIMALS;
use crate::library::pose::Actor;
use crate::library::{self, HUMANOID};
use crate::map::HumanoidMap;
use crate::retarget::{RetargetOptions, Root, retarget, retarget_creature};
use crate::skeleton::{Clip, Skeleton};

/// A body and its kind.
#[derive(Clone, Debug)]
pub enum Body<'a> {
    /// A person.
    Humanoid(Box<Humanoid<'a>>),
    /// An animal.
    Creature(Box<Creature<'a>>),
}

/// Why a motion cannot be carried over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// One is a person, the other an animal, or they are different animals.
    Kind,
}

impl<'a> Body<'a> {
    /// Of a skeleton and the vertices of the mesh at rest, which may be missing. `None` if neither
    /// a person nor an animal is recognised.
    pub fn of(skeleton: &'a Skeleton, positions: &[Vec3]) -> Option<Self> {
        let humanoid = HumanoidMap::of(skeleton).and_then(|map| Humanoid::new(skeleton, map, positions));
        humanoid
            .map(|humanoid| Self::Humanoid(Box::new(humanoid)))
            .or_else(|| Creature::of(skeleton, positions).map(|creature| Self::Creature(Box::new(creature))))
    }

    /// The word for the kind of body.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Humanoid(_) => "humanoid",
            Self::Creature(creature) => match creature.kind {
                Kind::Quadruped => "quadruped",
                Kind::Bird => "bird",
                Kind::Chain => "chain",
            },
        }
    }

    /// The names of the clips of the library that fit. The first one is the default.
    pub fn library(&self) -> Vec<&'static str> {
        match self {
            Self::Humanoid(_) => HUMANOID.iter().map(|entry| entry.name).collect(),
            Self::Creature(creature) => {
                let fitting = ANIMALS.iter().filter(|entry| entry.kind == creature.kind);
                fitting.map(|entry| entry.name).collect()
            }
        }
    }

    /// A clip of the library, or `None` if there is none of that name.
    pub fn library_clip(&self, name: &str, positions: &[Vec3], root: Root) -> Option<Clip> {
        match self {
            Self::Humanoid(humanoid) => {
                library::humanoid_clip(name, humanoid, &Actor::new(humanoid, positions), root)
            }
            Self::Creature(creature) => {
                let mut entries = ANIMALS.iter().filter(|entry| entry.kind == creature.kind);
                let entry = entries.find(|entry| entry.name == name)?;
                let (times, postures) = entry.postures(creature);
                Some(Clip { name: name.to_owned(), tracks: creature.tracks(&times, &postures) })
            }
        }
    }

    /// The motion of another body on this one.
    ///
    /// # Errors
    /// If the bodies are of different kinds.
    pub fn retarget(&self, clip: &Clip, source: &Body<'_>, root: Root) -> Result<Clip, Mismatch> {
        match (source, self) {
            (Body::Humanoid(source), Self::Humanoid(target)) => {
                Ok(retarget(clip, source, target, RetargetOptions { root }))
            }
            (Body::Creature(source), Self::Creature(target)) if source.kind == target.kind => {
                Ok(retarget_creature(clip, source, target, root))
            }
            _ => Err(Mismatch::Kind),
        }
    }
}
