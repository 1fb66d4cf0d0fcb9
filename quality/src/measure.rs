//! Measures one rig: every method, and references without a method, against the stored weights.

use std::collections::BTreeMap;
use std::sync::Arc;

use pliant::model::{Asset, Joint, Weights};
use pliant::operators::MeshGeometry;
use pliant::pipeline::{Method, Pipeline, Recipe, Silent};
use pliant::progress::Progress;
use pliant::quality::{Agreement, RegionPieces, nearest_bone_joints, roughness};
use pliant::segment::nearest_visible_bones;
use serde::Serialize;

use crate::cpu_clock::CpuClock;
use crate::rigs::ModelFile;

/// Stored weights this close to bone heat (half L1) were not painted by hand.
const AUTOMATIC_HALF_L1: f64 = 0.1;

/// Number of disagreements that are listed for each set of weights.
const MAX_CONFUSIONS: usize = 8;

/// Where weights come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WeightSource {
    /// The file.
    Stored,
    /// A method with its default parameters.
    Method(Method),
    /// Weight 1 on the nearest bone.
    Nearest,
    /// Weight 1 on the nearest visible bone.
    NearestVisible,
}

impl WeightSource {
    /// The methods, the references and the file, in the order of the tables.
    pub fn all(methods: &[Method]) -> Vec<Self> {
        let methods = methods.iter().map(|&method| Self::Method(method));
        methods.chain([Self::Nearest, Self::NearestVisible, Self::Stored]).collect()
    }

    /// The name in the tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stored => "file",
            Self::Method(method) => method.name(),
            Self::Nearest => "nearest bone",
            Self::NearestVisible => "nearest visible",
        }
    }
}

/// The measures of one set of weights.
#[derive(Clone, Debug, Serialize)]
pub struct Measures {
    /// [`WeightSource::name`].
    pub weights: &'static str,
    /// Share of welded vertices with the dominant joint of the file.
    pub dominant: f64,
    /// Mean weight on other joints than in the file.
    pub half_l1: f64,
    /// Regions of dominant joints.
    pub regions: usize,
    /// Regions in several pieces.
    pub split_regions: usize,
    /// Grown regions: with any weight of the joint.
    pub grown_regions: usize,
    /// Grown regions in several pieces.
    pub split_grown_regions: usize,
    /// Share of vertices outside of the largest piece of their region.
    pub stray_vertices: f64,
    /// Mean half L1 distance from the mean of the neighbours.
    pub roughness: f64,
    /// CPU time; 0 for references.
    pub seconds: f64,
    /// The most frequent disagreements about the dominant joint.
    pub confusions: Vec<Confusion>,
}

/// Vertices with one dominant joint in the file and another in the measured weights.
#[derive(Clone, Debug, Serialize)]
pub struct Confusion {
    /// The joint in the file.
    pub stored: String,
    /// The joint that was found.
    pub found: String,
    /// The share of all vertices.
    pub share: f64,
}

/// The most frequent disagreements, at most [`MAX_CONFUSIONS`].
fn confusions(weights: &Weights, stored: &Weights, joints: &[Joint]) -> Vec<Confusion> {
    let mut counts: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    for vertex in 0..stored.vertices() {
        let pair = (stored.dominant(vertex), weights.dominant(vertex));
        *counts.entry(pair).or_default() += usize::from(pair.0 != pair.1);
    }
    let mut counts: Vec<_> = counts.into_iter().filter(|&(_, count)| count > 0).collect();
    counts.sort_by_key(|&(pair, count)| (std::cmp::Reverse(count), pair));
    let name = |joint: u32| joints[joint as usize].name.clone();
    let of = |&((a, b), count): &((u32, u32), usize)| Confusion {
        stored: name(a),
        found: name(b),
        share: count as f64 / stored.vertices() as f64,
    };
    counts.iter().take(MAX_CONFUSIONS).map(of).collect()
}

/// All measures of one rig.
#[derive(Clone, Debug, Serialize)]
pub struct MeasuredRig {
    /// Path below the folder of models.
    pub file: String,
    /// Who made it.
    pub source: String,
    /// Welded vertices.
    pub vertices: usize,
    /// Connected components of the welded mesh.
    pub components: usize,
    /// Joints that deform.
    pub joints: usize,
    /// Whether the stored weights look automatic; `None` if bone heat was not run.
    pub is_automatic: Option<bool>,
    /// One entry per set of weights.
    pub measures: Vec<Measures>,
}

impl MeasuredRig {
    /// Measures all methods with the parameters of `recipe`, and references, on a rig.
    pub fn of(
        file: &ModelFile,
        asset: &Arc<Asset>,
        methods: &[Method],
        recipe: &Recipe,
    ) -> Result<Self, String> {
        let stored = asset.stored_weights.as_ref().ok_or("no stored weights")?;
        let render = asset.render_from_solve();
        let welded = |weights: &Weights| weights.gathered(render.iter().map(|&vertex| vertex as usize));
        let stored = welded(stored);
        let joints = asset.skeleton.as_ref().ok_or("no skeleton")?.joints();
        let geometry = MeshGeometry::of(&asset.mesh);
        let topology = geometry.topology();
        let measured = |name: &'static str, weights: &Weights, seconds: f64| {
            let Agreement { dominant, half_l1 } = Agreement::of(weights, &stored);
            let RegionPieces { regions, split, stray_vertices } = RegionPieces::of(weights, topology);
            let grown = RegionPieces::of_grown(weights, topology);
            let roughness = roughness(weights, topology);
            Measures {
                weights: name,
                dominant,
                half_l1,
                regions,
                split_regions: split,
                grown_regions: grown.regions,
                split_grown_regions: grown.split,
                stray_vertices,
                roughness,
                seconds,
                confusions: confusions(weights, &stored, joints),
            }
        };
        let mut measures = Vec::new();
        let mut skeleton = None;
        for &method in methods {
            let recipe = Recipe { method, ..recipe.clone() };
            let clock = CpuClock::start();
            let outcome = Pipeline::new(asset.clone()).run(&recipe, &mut Silent);
            let seconds = clock.seconds();
            let outcome = outcome.map_err(|error| format!("{}: {error}", method.name()))?;
            measures.push(measured(method.name(), &welded(outcome.rig.weights()), seconds));
            skeleton.get_or_insert(outcome.rig.skeleton);
        }
        let skeleton = skeleton.ok_or("no method")?;
        let bones = skeleton.bones();
        let rigid = |joints: Vec<u32>| {
            Weights::rigid(skeleton.joints().len(), joints).map_err(|error| error.to_string())
        };
        let nearest = nearest_bone_joints(asset.mesh.positions(), bones);
        measures.push(measured(WeightSource::Nearest.name(), &rigid(nearest)?, 0.0));
        let visible = nearest_visible_bones(&geometry, bones, &mut Progress::silent());
        let visible = visible.map_err(|_| "cancelled")?;
        let visible = visible.iter().map(|&bone| bones[bone as usize].joint as u32).collect();
        measures.push(measured(WeightSource::NearestVisible.name(), &rigid(visible)?, 0.0));
        measures.push(measured(WeightSource::Stored.name(), &stored, 0.0));
        let heat = measures.iter().find(|measures| measures.weights == Method::Heat.name());
        Ok(Self {
            file: file.name.clone(),
            source: file.source.clone(),
            vertices: asset.mesh.positions().len(),
            components: topology.components(),
            joints: (0..skeleton.joints().len()).filter(|&joint| skeleton.deforms(joint)).count(),
            is_automatic: heat.map(|heat| heat.half_l1 < AUTOMATIC_HALF_L1),
            measures,
        })
    }

    /// Whether both are the same character, perhaps in two encodings.
    pub fn is_twin_of(&self, other: &Self) -> bool {
        let key = |rig: &Self| {
            let stem = rig.file.rsplit('/').next()?.split('.').next()?.to_owned();
            Some((stem, rig.vertices, rig.joints, rig.components))
        };
        key(self) == key(other)
    }

    /// The measures of one set of weights.
    pub fn measures_of(&self, weights: WeightSource) -> Option<&Measures> {
        self.measures.iter().find(|measures| measures.weights == weights.name())
    }
}
