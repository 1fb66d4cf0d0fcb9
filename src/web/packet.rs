//! What the worker sends to the page so that it can draw and pose without reading the file again.
//!
//! In: an [`Asset`]. Out: a small description and long arrays that are handed over, not copied;
//! and back. What only solving and exporting need (the source document) stays behind.

use bytemuck::cast_slice;
use glam::{DQuat, DVec3, Vec2, Vec3, Vec4};
use serde::{Deserialize, Serialize};

use crate::model::{
    Asset, Clip, Influence, Interpolation, Material, MorphDisplacement, MorphTarget, MorphTargets,
    MorphTrack, Part, RenderMesh, Skeleton, Texture, Track, TrackValues, Vrm, Weights, WeightsError,
};
use crate::operators::rewelded;

/// A character as the page draws it.
#[derive(Clone, Debug, PartialEq)]
pub struct AssetPacket {
    /// Everything small.
    pub meta: AssetMeta,
    /// Three numbers per render vertex.
    pub positions: Vec<f32>,
    /// Three numbers per render vertex.
    pub normals: Vec<f32>,
    /// Two numbers per render vertex, or none.
    pub uvs: Vec<f32>,
    /// Four numbers per render vertex, or none.
    pub colors: Vec<f32>,
    /// Three vertices per triangle.
    pub triangles: Vec<u32>,
    /// The welded vertex of every render vertex.
    pub solve_from_render: Vec<u32>,
    /// Morph targets of the render mesh: their number, then three words of each target and seven of
    /// each displacement. Floats are their bits.
    pub morph_targets: Vec<u32>,
    /// Encoded images, as in the file.
    pub textures: Vec<Vec<u8>>,
    /// The skeleton and its motions.
    pub skeleton: SkeletonPacket,
    /// The weights in the file, per render vertex and joint.
    pub stored_weights: Option<WeightsPacket>,
}

/// Weights as flat arrays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WeightsPacket {
    /// Where each vertex's influences end.
    pub ends: Vec<u32>,
    /// The joint of each influence.
    pub joints: Vec<u32>,
    /// The weight of each influence.
    pub weights: Vec<f32>,
}

impl WeightsPacket {
    /// From one row per vertex.
    pub fn of(weights: &Weights) -> Self {
        let mut end = 0;
        let ends = weights.rows().map(|row| {
            end += row.len() as u32;
            end
        });
        let all = || weights.rows().flatten();
        Self {
            ends: ends.collect(),
            joints: all().map(|influence| influence.column).collect(),
            weights: all().map(|influence| influence.weight).collect(),
        }
    }

    /// As weights of a skeleton with this many joints.
    ///
    /// # Errors
    /// When rows are no weights, or name joints that do not exist.
    pub fn into_weights(self, joints: usize) -> Result<Weights, WeightsError> {
        let pairs = self.joints.iter().zip(&self.weights);
        let influences: Vec<Influence> =
            pairs.map(|(&column, &weight)| Influence { column, weight }).collect();
        let mut start = 0;
        let rows = self.ends.iter().map(|&end| {
            let row = influences.get(start..end as usize).unwrap_or_default();
            start = end as usize;
            row
        });
        Weights::new(joints, rows)
    }
}

/// The small part of an [`AssetPacket`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AssetMeta {
    name: String,
    parts: Vec<Part>,
    materials: Vec<Material>,
    images: Vec<ImageInfo>,
    vrm: Option<Vrm>,
}

/// What is known of an encoded image.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImageInfo {
    place: String,
    mime: String,
    fallback: Option<usize>,
    /// Whether a material uses it. Others are only fallbacks.
    is_used: bool,
}

impl ImageInfo {
    fn all(asset: &Asset) -> Vec<Self> {
        let info = |(index, texture): (usize, &Texture)| Self {
            place: texture.place.clone(),
            mime: texture.mime.clone(),
            fallback: texture.fallback,
            is_used: asset.uses_texture(index),
        };
        asset.textures.iter().enumerate().map(info).collect()
    }
}

/// A skeleton and its motions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SkeletonPacket {
    /// Everything small.
    pub meta: SkeletonMeta,
    /// The keys of all motions: of each track its times, then its values.
    pub keys: Vec<f64>,
}

/// The small part of a [`SkeletonPacket`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SkeletonMeta {
    skeleton: Option<Skeleton>,
    clips: Vec<ClipMeta>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct ClipMeta {
    name: String,
    tracks: Vec<TrackMeta>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct TrackMeta {
    /// The joint, or the first morph target.
    joint: usize,
    interpolation: Interpolation,
    property: Property,
    times: usize,
    values: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Property {
    Translation,
    Rotation,
    Scale,
    Weights,
}

impl AssetPacket {
    /// What the page needs of `asset`.
    pub fn of(asset: &Asset) -> Self {
        let textures = asset.textures.iter().map(|texture| texture.bytes.clone()).collect();
        Self { textures, ..Self::without_textures(asset) }
    }

    /// The same without the images, which only drawing needs.
    pub fn without_textures(asset: &Asset) -> Self {
        let RenderMesh { positions, normals, uvs, colors, triangles, parts } = &asset.render;
        Self {
            meta: AssetMeta {
                name: asset.name.clone(),
                parts: parts.clone(),
                materials: asset.materials.clone(),
                images: ImageInfo::all(asset),
                vrm: asset.vrm,
            },
            positions: cast_slice(positions).to_vec(),
            normals: cast_slice(normals).to_vec(),
            uvs: cast_slice(uvs).to_vec(),
            colors: colors.iter().flat_map(Vec4::to_array).collect(),
            triangles: cast_slice(triangles).to_vec(),
            solve_from_render: asset.solve_from_render.clone(),
            morph_targets: morph_words(&asset.morph_targets),
            textures: Vec::new(),
            skeleton: SkeletonPacket::of(asset),
            stored_weights: asset.stored_weights.as_ref().map(WeightsPacket::of),
        }
    }

    /// Where the images are in the file, and their media types.
    pub fn images(&self) -> &[ImageInfo] {
        &self.meta.images
    }

    /// The character, without what stayed behind.
    pub fn into_asset(self) -> Asset {
        let AssetMeta { name, parts, materials, images, vrm } = self.meta;
        let (skeleton, clips) = self.skeleton.into_parts();
        let render = RenderMesh {
            positions: vectors(&self.positions, Vec3::from_array),
            normals: vectors(&self.normals, Vec3::from_array),
            uvs: vectors(&self.uvs, Vec2::from_array),
            colors: vectors(&self.colors, Vec4::from_array),
            triangles: vectors(&self.triangles, |corners: [u32; 3]| corners),
            parts,
        };
        let joints = skeleton.as_ref().map_or(0, |skeleton| skeleton.joints().len());
        let stored_weights = self.stored_weights.and_then(|weights| weights.into_weights(joints).ok());
        Asset {
            name,
            stored_weights,
            // Only the worker classifies joints.
            unweighted: Vec::new(),
            mesh: rewelded(&render.positions, &render.triangles, &self.solve_from_render),
            render,
            solve_from_render: self.solve_from_render,
            morph_targets: morph_targets_of(&self.morph_targets),
            skeleton,
            clips,
            materials,
            vrm,
            textures: images
                .into_iter()
                .zip(self.textures)
                .map(|(ImageInfo { place, mime, fallback, .. }, bytes)| Texture {
                    place,
                    mime,
                    bytes,
                    fallback,
                })
                .collect(),
            ..Asset::default()
        }
    }
}

/// Groups of `N` numbers; a broken last group is left out.
fn vectors<T: bytemuck::Pod, V, const N: usize>(numbers: &[T], make: impl Fn([T; N]) -> V) -> Vec<V> {
    numbers.as_chunks::<N>().0.iter().map(|&group| make(group)).collect()
}

impl SkeletonPacket {
    /// The skeleton and the motions of `asset`.
    pub fn of(asset: &Asset) -> Self {
        let mut keys = Vec::new();
        let clips = asset.clips.iter();
        let clips = clips.map(|clip| {
            let mut tracks = Vec::new();
            tracks.extend(clip.tracks.iter().map(|track| TrackMeta::write(track, &mut keys)));
            tracks.extend(clip.morph_tracks.iter().map(|track| TrackMeta::write_morphs(track, &mut keys)));
            ClipMeta { name: clip.name.clone(), tracks }
        });
        let clips = clips.collect();
        Self { meta: SkeletonMeta { skeleton: asset.skeleton.clone(), clips }, keys }
    }

    /// The skeleton and its motions.
    #[inline(never)]
    pub fn into_parts(self) -> (Option<Skeleton>, Vec<Clip>) {
        let mut keys = self.keys.as_slice();
        let clips = self.meta.clips.into_iter().map(|ClipMeta { name, tracks }| {
            let mut clip = Clip { name, ..Clip::default() };
            for track in tracks {
                match track.property {
                    Property::Weights => clip.morph_tracks.push(track.read_morphs(&mut keys)),
                    _ => clip.tracks.push(track.read(&mut keys)),
                }
            }
            clip
        });
        (self.meta.skeleton, clips.collect())
    }
}

impl TrackMeta {
    fn write(track: &Track, keys: &mut Vec<f64>) -> Self {
        keys.extend(track.times.iter().map(|&time| f64::from(time)));
        let property = match &track.values {
            TrackValues::Translation(values) => {
                keys.extend(values.iter().flat_map(DVec3::to_array));
                Property::Translation
            }
            TrackValues::Rotation(values) => {
                keys.extend(values.iter().flat_map(DQuat::to_array));
                Property::Rotation
            }
            TrackValues::Scale(values) => {
                keys.extend(values.iter().flat_map(DVec3::to_array));
                Property::Scale
            }
        };
        let Track { joint, interpolation, ref times, ref values } = *track;
        Self { joint, interpolation, property, times: times.len(), values: values.len() }
    }

    fn write_morphs(track: &MorphTrack, keys: &mut Vec<f64>) -> Self {
        keys.extend(track.times.iter().chain(&track.values).map(|&number| f64::from(number)));
        let MorphTrack { first, interpolation, ref times, ref values } = *track;
        let property = Property::Weights;
        Self { joint: first, interpolation, property, times: times.len(), values: values.len() }
    }

    fn read_morphs(&self, keys: &mut &[f64]) -> MorphTrack {
        let mut numbers = |count: usize| taken(keys, count).iter().map(|&number| number as f32).collect();
        let (times, values) = (numbers(self.times), numbers(self.values));
        MorphTrack { first: self.joint, times, interpolation: self.interpolation, values }
    }

    fn read(&self, keys: &mut &[f64]) -> Track {
        let mut take = |count: usize| taken(keys, count);
        let times = take(self.times).iter().map(|&time| time as f32).collect();
        let values = match self.property {
            Property::Translation => {
                TrackValues::Translation(vectors(take(3 * self.values), DVec3::from_array))
            }
            Property::Rotation => TrackValues::Rotation(vectors(take(4 * self.values), DQuat::from_array)),
            Property::Scale | Property::Weights => {
                TrackValues::Scale(vectors(take(3 * self.values), DVec3::from_array))
            }
        };
        Track { joint: self.joint, times, interpolation: self.interpolation, values }
    }
}

fn morph_words(targets: &MorphTargets) -> Vec<u32> {
    let MorphTargets { targets, displacements } = targets;
    let mut words = vec![targets.len() as u32];
    words.extend(targets.iter().flat_map(|t| [t.default_weight.to_bits(), t.number, t.end]));
    for MorphDisplacement { vertex, position, normal } in displacements {
        let numbers = [position.x, position.y, position.z, normal.x, normal.y, normal.z];
        words.push(*vertex);
        words.extend(numbers.map(f32::to_bits));
    }
    words
}

fn morph_targets_of(words: &[u32]) -> MorphTargets {
    let (&count, words) = words.split_first().unwrap_or((&0, &[]));
    let (targets, displacements) = words.split_at((3 * count as usize).min(words.len()));
    let target = |[weight, number, end]: [u32; 3]| {
        let default_weight = f32::from_bits(weight);
        MorphTarget { default_weight, number, end }
    };
    let displacement = |[vertex, numbers @ ..]: [u32; 7]| {
        let [x, y, z, u, v, w] = numbers.map(f32::from_bits);
        MorphDisplacement { vertex, position: Vec3::new(x, y, z), normal: Vec3::new(u, v, w) }
    };
    MorphTargets { targets: vectors(targets, target), displacements: vectors(displacements, displacement) }
}

/// The next `count` numbers, or as many as there are.
fn taken<'a>(keys: &mut &'a [f64], count: usize) -> &'a [f64] {
    let (taken, rest) = keys.split_at(count.min(keys.len()));
    *keys = rest;
    taken
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Sampler, Wrap};
    use crate::samples::{self, SampleCharacter};

    fn asset() -> Asset {
        let mut asset = samples::make(SampleCharacter::Mannequin, 2_000).unwrap().into_asset("mannequin");
        asset.render.uvs = asset.render.positions.iter().map(|p| p.truncate()).collect();
        asset.render.colors = asset.render.normals.iter().map(|n| n.extend(1.0)).collect();
        let joints = asset.skeleton.as_ref().unwrap().joints().len();
        let rows = asset.render.positions.iter().enumerate().map(|(vertex, _)| vertex as u32 % joints as u32);
        asset.stored_weights = Some(Weights::rigid(joints, rows).unwrap());
        let image = |index: usize, fallback| Texture {
            place: format!("images[{index}]"),
            mime: "image/png".into(),
            bytes: vec![1, 2, 3],
            fallback,
        };
        asset.textures = vec![image(0, Some(1)), image(1, None)];
        let clamped = Sampler { wrap: [Wrap::ClampToEdge, Wrap::MirroredRepeat], ..Sampler::default() };
        asset.materials[0].sampler = clamped;
        asset.vrm = Some(Vrm::V0);
        let target = |default_weight, number, end| MorphTarget { default_weight, number, end };
        let displacement = |vertex, position, normal| MorphDisplacement { vertex, position, normal };
        asset.morph_targets = MorphTargets {
            targets: vec![target(0.5, 0, 1), target(0.0, 1, 3)],
            displacements: vec![
                displacement(4, Vec3::X, Vec3::ZERO),
                displacement(0, Vec3::Y, Vec3::X),
                displacement(7, Vec3::Z, Vec3::Y),
            ],
        };
        asset.clips[0].morph_tracks.push(MorphTrack {
            first: 1,
            times: vec![0.0, 0.25],
            interpolation: Interpolation::Step,
            values: vec![0.1, 1.0],
        });
        asset
    }

    #[test]
    fn a_character_arrives_as_it_left() {
        let asset = asset();
        let packet = AssetPacket::of(&asset);
        // The small part goes through serde on its way.
        let meta = serde_json::to_string(&packet.meta).unwrap();
        let skeleton = serde_json::to_string(&packet.skeleton.meta).unwrap();
        let packet = AssetPacket {
            meta: serde_json::from_str(&meta).unwrap(),
            skeleton: SkeletonPacket { meta: serde_json::from_str(&skeleton).unwrap(), ..packet.skeleton },
            ..packet
        };
        let arrived = packet.into_asset();
        assert_eq!(arrived.render, asset.render);
        assert_eq!(arrived.mesh, asset.mesh);
        assert_eq!(arrived.solve_from_render, asset.solve_from_render);
        assert_eq!(arrived.clips, asset.clips);
        assert_eq!(arrived.morph_targets, asset.morph_targets);
        assert_eq!(arrived.stored_weights, asset.stored_weights);
        assert_eq!(arrived.textures, asset.textures);
        assert_eq!(arrived.materials, asset.materials);
        assert_eq!(arrived.vrm, asset.vrm);
        let heads = |asset: &Asset| -> Vec<Vec3> {
            asset.skeleton.iter().flat_map(|s| s.joints()).map(|joint| joint.head()).collect()
        };
        assert_eq!(heads(&arrived), heads(&asset));
    }
}
