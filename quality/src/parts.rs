//! How rigid and soft loose parts move with the body beneath them, in the clips of the file, else in
//! a range of motion.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use glam::{Mat4, Vec3};
use pliant::fit::range_of_motion;
use pliant::model::{Asset, Clip, Skeleton, Weights};
use pliant::operators::{Bvh, MeshGeometry};
use pliant::pipeline::{Method, Pipeline, Recipe, Silent};
use pliant::weights::{LoosePart, LoosePartWeights, LooseParts, PartMotion};

use crate::rigs::ModelFile;

/// Largest number of poses per rig, evenly spread over its clips.
const MAX_POSES: usize = 48;

/// Largest growth of the distance from the body, as a fraction of the height.
const MAX_GROWTH: f64 = 0.02;

/// The worst of all poses, for one part.
#[derive(Clone, Copy, Default)]
struct PartMeasures {
    is_rigid: bool,
    /// Largest distance of a vertex from where the transform of the part's first vertex puts it, as
    /// a fraction of the part's diameter.
    spread: f64,
    /// Largest change of a distance from the first vertex, as a fraction of the diameter.
    change: f64,
    /// Growth of the least distance from the body, as a fraction of the character's height.
    growth: f64,
    /// Growth of the mean distance from the points that were beneath it at rest, by the height.
    drift: f64,
}

/// The parts of one rig under several sets of weights.
pub struct MeasuredParts {
    source: String,
    /// By name of the weights.
    by_weights: BTreeMap<String, Vec<PartMeasures>>,
}

/// The body in one pose.
struct PosedBody {
    matrices: Vec<Mat4>,
}

impl MeasuredParts {
    /// Measures a rig; `None` if it has no loose parts.
    pub fn of(file: &ModelFile, asset: &Arc<Asset>, methods: &[Method]) -> Result<Option<Self>, String> {
        let geometry = MeshGeometry::of(&asset.mesh);
        let mut by_weights = BTreeMap::new();
        let mut pipeline = Pipeline::new(asset.clone());
        for &method in methods {
            for loose_parts in [LoosePartWeights::Body, LoosePartWeights::Method] {
                let recipe = Recipe { method, loose_parts, ..Recipe::default() };
                let outcome = pipeline.run(&recipe, &mut Silent).map_err(|error| error.to_string())?;
                let skeleton = &outcome.rig.skeleton;
                let parts = LooseParts::of(&geometry, skeleton.bones());
                if parts.parts().is_empty() {
                    return Ok(None);
                }
                let render = asset.render_from_solve();
                let weights = outcome.rig.weights().gathered(render.iter().map(|&vertex| vertex as usize));
                let measured = measure(asset, &parts, &weights, &poses(asset, skeleton));
                let name = match loose_parts {
                    LoosePartWeights::Body => method.name().to_owned(),
                    LoosePartWeights::Method => format!("{}, without the rule", method.name()),
                };
                by_weights.insert(name, measured);
            }
        }
        Ok(Some(Self { source: file.source.clone(), by_weights }))
    }
}

/// Evenly spread poses of all clips.
fn poses(asset: &Asset, skeleton: &Skeleton) -> Vec<PosedBody> {
    let moving: Vec<&Clip> = asset.clips.iter().filter(|clip| clip.duration() > 0.0).collect();
    let made = if moving.is_empty() { range_of_motion(skeleton) } else { None };
    let clips: Vec<&Clip> = if moving.is_empty() { made.iter().collect() } else { moving };
    let per_clip = (MAX_POSES / clips.len().max(1)).max(2);
    let mut poses = Vec::new();
    for clip in clips {
        for at in 0..per_clip {
            let time = clip.duration() * (at as f32 + 0.5) / per_clip as f32;
            poses.push(PosedBody { matrices: clip.sample(skeleton, time).skinning_matrices(skeleton) });
        }
    }
    poses
}

fn measure(asset: &Asset, parts: &LooseParts, weights: &Weights, poses: &[PosedBody]) -> Vec<PartMeasures> {
    let rest = asset.mesh.positions();
    let mut is_loose = vec![false; rest.len()];
    parts.parts().iter().flat_map(|part| &part.vertices).for_each(|&v| is_loose[v as usize] = true);
    let body: Vec<[u32; 3]> =
        asset.mesh.triangles().iter().copied().filter(|t| !is_loose[t[0] as usize]).collect();
    let mut surface = Bvh::over(rest, &body);
    let size = extent(rest.iter().copied());
    let at_rest: Vec<f64> = parts.parts().iter().map(|part| gap(&surface, part, rest)).collect();
    let beneath: Vec<Vec<Beneath>> =
        parts.parts().iter().map(|part| points_beneath(&surface, &body, part, rest)).collect();
    let mut measured: Vec<PartMeasures> = parts
        .parts()
        .iter()
        .map(|part| PartMeasures { is_rigid: part.motion == PartMotion::Rigid, ..PartMeasures::default() })
        .collect();
    for pose in poses {
        let transform = |vertex: usize| -> Mat4 {
            weights.row(vertex).iter().map(|i| pose.matrices[i.column as usize] * i.weight).sum()
        };
        let posed: Vec<Vec3> =
            rest.iter().enumerate().map(|(vertex, &at)| transform(vertex).transform_point3(at)).collect();
        surface.refit(&posed, &body);
        for (at, part) in parts.parts().iter().enumerate() {
            let found = &mut measured[at];
            let first = part.vertices[0] as usize;
            let whole = transform(first);
            let diameter = extent(part.vertices.iter().map(|&v| rest[v as usize])).max(f64::MIN_POSITIVE);
            for vertex in part.vertices.iter().map(|&v| v as usize) {
                let apart = whole.transform_point3(rest[vertex]).distance(posed[vertex]);
                let [before, after] = [rest, &posed[..]].map(|p| p[vertex].distance(p[first]));
                found.spread = found.spread.max(f64::from(apart) / diameter);
                found.change = found.change.max(f64::from((after - before).abs()) / diameter);
            }
            found.growth = found.growth.max((gap(&surface, part, &posed) - at_rest[at]) / size);
            let apart: f64 = beneath[at].iter().map(|point| point.growth(&posed)).sum();
            found.drift = found.drift.max(apart / beneath[at].len().max(1) as f64 / size);
        }
    }
    measured
}

/// The least distance of a part's vertices from the body.
fn gap(surface: &Bvh, part: &LoosePart, positions: &[Vec3]) -> f64 {
    let mut least = f32::INFINITY;
    for &vertex in &part.vertices {
        if let Some(found) = surface.closest_within(positions[vertex as usize], least) {
            least = found.distance;
        }
    }
    f64::from(least)
}

/// A vertex of a part, and the point of the body that is nearest to it at rest.
struct Beneath {
    vertex: u32,
    triangle: [u32; 3],
    barycentric: Vec3,
    distance: f32,
}

impl Beneath {
    /// How much farther apart both are in a pose.
    fn growth(&self, posed: &[Vec3]) -> f64 {
        let [a, b, c] = self.triangle.map(|corner| posed[corner as usize]);
        let point = a * self.barycentric.x + b * self.barycentric.y + c * self.barycentric.z;
        f64::from(point.distance(posed[self.vertex as usize]) - self.distance)
    }
}

/// The points beneath the part of a part that is nearest to the body: up to a tenth of its diameter
/// farther than the nearest vertex.
fn points_beneath(surface: &Bvh, body: &[[u32; 3]], part: &LoosePart, rest: &[Vec3]) -> Vec<Beneath> {
    let nearest = |&vertex: &u32| {
        let found = surface.closest(rest[vertex as usize])?;
        let (barycentric, distance) = (found.barycentric, found.distance);
        Some(Beneath { vertex, triangle: body[found.triangle], barycentric, distance })
    };
    let mut all: Vec<Beneath> = part.vertices.iter().filter_map(nearest).collect();
    let least = all.iter().map(|point| point.distance).fold(f32::INFINITY, f32::min);
    let depth = 0.1 * extent(part.vertices.iter().map(|&v| rest[v as usize])) as f32;
    all.retain(|point| point.distance <= least + depth);
    all
}

/// The longest side of the bounding box.
fn extent(points: impl Iterator<Item = Vec3>) -> f64 {
    let (low, high) =
        points.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
    f64::from((high - low).max_element().max(0.0))
}

/// One row per set of weights, over all rigs, then one per source for the first of them.
pub fn table(rigs: &[MeasuredParts]) -> String {
    let mut text = String::new();
    let heading = "parts | rigid: largest spread | rigid: largest change of size | farther by > 2 % | \
                   largest growth | drifting by > 2 % | largest drift";
    let _ = writeln!(text, "\n| weights | {heading} |\n|---|---|---|---|---|---|---|---|");
    let mut names: Vec<&String> = rigs.iter().flat_map(|rig| rig.by_weights.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let of = |name: &str, source: Option<&str>| -> Vec<PartMeasures> {
        let rigs = rigs.iter().filter(|rig| source.is_none_or(|source| rig.source == source));
        rigs.filter_map(|rig| rig.by_weights.get(name)).flatten().copied().collect()
    };
    for name in &names {
        let _ = writeln!(text, "| {name} | {} |", cells(&of(name, None)));
    }
    let _ = writeln!(text, "\n| source | weights | {heading} |\n|---|---|---|---|---|---|---|---|---|");
    let mut sources: Vec<&str> = rigs.iter().map(|rig| rig.source.as_str()).collect();
    sources.sort_unstable();
    sources.dedup();
    for source in sources {
        for name in names.iter().filter(|name| !name.contains(',')) {
            let _ = writeln!(text, "| {source} | {name} | {} |", cells(&of(name, Some(source))));
        }
    }
    text
}

fn cells(parts: &[PartMeasures]) -> String {
    let largest = |value: &dyn Fn(&PartMeasures) -> f64| parts.iter().map(value).fold(0.0, f64::max);
    let rigid = |value: fn(&PartMeasures) -> f64| {
        largest(&|part: &PartMeasures| if part.is_rigid { value(part) } else { 0.0 })
    };
    let farther = parts.iter().filter(|part| part.growth > MAX_GROWTH).count();
    let drifting = parts.iter().filter(|part| part.drift > MAX_GROWTH).count();
    format!(
        "{} | {:.1e} | {:.2} | {farther} | {:.3} | {drifting} | {:.3} |",
        parts.len(),
        rigid(|part| part.spread),
        rigid(|part| part.change),
        largest(&|part| part.growth),
        largest(&|part| part.drift),
    )
    .trim_end_matches(" |")
    .to_owned()
}
