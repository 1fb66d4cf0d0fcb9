//! The crate `pliant-motion` on real and generated characters: maps, retargeting, the library.

mod library;
mod map;
mod retargeting;

#[path = "../src/bin/pliant/motion_data.rs"]
mod data;

use std::path::{Path, PathBuf};

use glam::{DAffine3, DVec3, Vec3};
use pliant::io;
use pliant::model::{Asset, Clip, Skeleton};
use pliant::report::Report;
use pliant::samples::{self, SampleCharacter};
use pliant_motion::bone::Bone;
use pliant_motion::humanoid::Humanoid;
use pliant_motion::map::HumanoidMap;
use pliant_motion::skeleton as motion;

use crate::shared_models;

/// A character with its skeleton as the crate takes it.
struct Character {
    name: String,
    asset: Asset,
    skeleton: Skeleton,
    joints: motion::Skeleton,
}

impl Character {
    fn of(name: &str, asset: Asset) -> Option<Self> {
        let skeleton = asset.skeleton.clone()?;
        let joints = data::skeleton(&skeleton)?;
        Some(Self { name: name.to_owned(), asset, skeleton, joints })
    }

    fn read(path: &Path) -> Option<Self> {
        let files = [shared_models::read(path)];
        let name = path.file_name()?.to_string_lossy().into_owned();
        let mut report = Report::default();
        if let Ok(asset) = io::read_model(&files, &mut report) {
            return Self::of(&name, asset);
        }
        let read = io::read_skeleton(&files, &mut report).ok()?;
        Self::of(&name, Asset { skeleton: Some(read.skeleton), clips: read.clips, ..Asset::default() })
    }

    fn mannequin() -> Self {
        let made = samples::make(SampleCharacter::Mannequin, 2_000).unwrap();
        let mut asset = made.into_asset("mannequin");
        asset.clips.clear();
        Self::of("mannequin", asset).unwrap()
    }

    fn positions(&self) -> &[Vec3] {
        self.asset.mesh.positions()
    }

    fn humanoid(&self) -> Option<Humanoid<'_>> {
        Humanoid::new(&self.joints, HumanoidMap::of(&self.joints)?, self.positions())
    }

    /// Frames of all joints, by the library's own sampling.
    fn world(&self, clip: &Clip, time: f32) -> Vec<DAffine3> {
        clip.sample(&self.skeleton, time).world(&self.skeleton)
    }
}

/// A file of the folder of models, if there is one.
fn model(name: &str) -> Option<PathBuf> {
    Some(shared_models::folder()?.join(name))
}

/// The head of a bone.
fn head(humanoid: &Humanoid<'_>, world: &[DAffine3], bone: Bone) -> Option<DVec3> {
    Some(humanoid.canonical(world[humanoid.map.get(bone)?].translation))
}

/// Times of `count` frames of a clip.
fn frames(clip: &Clip, count: usize) -> Vec<f32> {
    (0..=count).map(|frame| clip.duration() * frame as f32 / count as f32).collect()
}

fn clip_for(clip: &motion::Clip) -> Clip {
    data::model_clip(clip.clone())
}
