//! The subset of the glTF schema that is read, as serde structs.
//!
//! Optional members have the default of the specification. Members that are not listed here are
//! ignored; they stay in the JSON text of the source.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::container::gltf_1_error;
use super::{Result, malformed};

pub(super) fn parse(json: &str) -> Result<Document> {
    serde_json::from_str(json).map_err(|error| {
        if is_gltf_1(json) {
            return gltf_1_error("asset.version");
        }
        malformed(format!("JSON line {}, column {}", error.line(), error.column()), format!("{error}"))
            .hint("export the file again")
    })
}

/// Whether a document that is not glTF 2.0 is glTF 1.0: by its version, or because its lists are
/// objects with a member per item.
fn is_gltf_1(json: &str) -> bool {
    let Ok(document) = serde_json::from_str::<Value>(json) else { return false };
    let has_version_1 = match &document["asset"]["version"] {
        Value::String(version) => version == "1" || version.starts_with("1."),
        Value::Number(version) => version.as_f64().is_some_and(|version| (1.0..2.0).contains(&version)),
        _ => false,
    };
    has_version_1
        || ["accessors", "bufferViews", "meshes", "nodes"].iter().any(|list| document[*list].is_object())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document {
    #[serde(default)]
    pub accessors: Vec<Accessor>,
    #[serde(default)]
    pub animations: Vec<Animation>,
    #[serde(default)]
    pub buffer_views: Vec<BufferView>,
    #[serde(default)]
    pub buffers: Vec<Buffer>,
    #[serde(default)]
    pub images: Vec<Image>,
    #[serde(default)]
    pub materials: Vec<Material>,
    #[serde(default)]
    pub meshes: Vec<Mesh>,
    #[serde(default)]
    pub nodes: Vec<Node>,
    pub scene: Option<usize>,
    #[serde(default)]
    pub samplers: Vec<TextureSampler>,
    #[serde(default)]
    pub scenes: Vec<Scene>,
    #[serde(default)]
    pub skins: Vec<Skin>,
    #[serde(default)]
    pub textures: Vec<Texture>,
}

impl Document {
    /// Whether a buffer view or a primitive has a compression extension.
    pub fn is_compressed(&self) -> bool {
        let mut primitives = self.meshes.iter().flat_map(|mesh| &mesh.primitives);
        self.buffer_views.iter().any(|view| view.extensions.meshopt.is_some())
            || primitives.any(|primitive| primitive.extensions.draco.is_some())
    }

    /// Whether all buffer views in a buffer are compressed and have their bytes elsewhere. Such a
    /// buffer may be absent.
    pub fn is_fallback(&self, buffer: usize) -> bool {
        let mut views = self.buffer_views.iter().filter(|view| view.buffer == buffer).peekable();
        let mut sources = self.buffer_views.iter().filter_map(|view| view.extensions.meshopt.as_ref());
        views.peek().is_some()
            && views.all(|view| view.extensions.meshopt.is_some())
            && !sources.any(|meshopt| meshopt.buffer == buffer)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub buffer_view: Option<usize>,
    #[serde(default)]
    pub byte_offset: usize,
    pub component_type: u32,
    #[serde(default)]
    pub normalized: bool,
    pub count: usize,
    #[serde(rename = "type")]
    pub shape: String,
    pub sparse: Option<Sparse>,
}

#[derive(Deserialize)]
pub(super) struct Sparse {
    pub count: usize,
    pub indices: SparseIndices,
    pub values: SparseValues,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndices {
    pub buffer_view: usize,
    #[serde(default)]
    pub byte_offset: usize,
    pub component_type: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValues {
    pub buffer_view: usize,
    #[serde(default)]
    pub byte_offset: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub buffer: usize,
    #[serde(default)]
    pub byte_offset: usize,
    pub byte_length: usize,
    pub byte_stride: Option<usize>,
    #[serde(default)]
    pub extensions: ViewExtensions,
}

#[derive(Default, Deserialize)]
pub(super) struct ViewExtensions {
    #[serde(rename = "EXT_meshopt_compression", alias = "KHR_meshopt_compression")]
    pub meshopt: Option<MeshoptView>,
}

/// Where the compressed bytes of a buffer view are, and how they are encoded.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MeshoptView {
    pub buffer: usize,
    #[serde(default)]
    pub byte_offset: usize,
    pub byte_length: usize,
    pub byte_stride: usize,
    pub count: usize,
    pub mode: String,
    pub filter: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer {
    pub uri: Option<String>,
    pub byte_length: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Image {
    pub name: Option<String>,
    pub uri: Option<String>,
    pub mime_type: Option<String>,
    pub buffer_view: Option<usize>,
}

/// Constants of OpenGL. Only looks depend on them, so anything else is accepted and ignored.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct TextureSampler {
    pub mag_filter: Value,
    pub min_filter: Value,
    pub wrap_s: Value,
    pub wrap_t: Value,
}

#[derive(Deserialize)]
pub(super) struct Texture {
    #[serde(default)]
    sampler: Value,
    source: Option<usize>,
    #[serde(default)]
    extensions: ImageExtensions,
}

impl Texture {
    /// The index of its sampler.
    pub fn sampler(&self) -> Option<usize> {
        self.sampler.as_u64().and_then(|index| usize::try_from(index).ok())
    }

    /// Its images, the preferred one first. All of them show the same. WebP and AVIF are smaller
    /// than the plain image. KTX2 needs a transcoder, so it is used only without a plain image.
    pub fn images(&self) -> impl Iterator<Item = usize> {
        let ImageExtensions { avif, webp, basisu } = &self.extensions;
        let of = |extension: &Option<ImageSource>| extension.as_ref().and_then(|image| image.source);
        [of(avif), of(webp), self.source, of(basisu)].into_iter().flatten()
    }
}

/// Images of formats that glTF itself does not have.
#[derive(Default, Deserialize)]
struct ImageExtensions {
    #[serde(rename = "EXT_texture_avif")]
    avif: Option<ImageSource>,
    #[serde(rename = "EXT_texture_webp")]
    webp: Option<ImageSource>,
    #[serde(rename = "KHR_texture_basisu")]
    basisu: Option<ImageSource>,
}

#[derive(Deserialize)]
struct ImageSource {
    source: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Material {
    pub name: Option<String>,
    #[serde(default)]
    pub pbr_metallic_roughness: Pbr,
    #[serde(default)]
    pub double_sided: bool,
    pub alpha_mode: Option<String>,
    pub alpha_cutoff: Option<f32>,
    #[serde(default)]
    pub extensions: MaterialExtensions,
}

#[derive(Default, Deserialize)]
pub(super) struct MaterialExtensions {
    #[serde(rename = "KHR_materials_unlit")]
    pub unlit: Option<IgnoredAny>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Pbr {
    pub base_color_factor: Option<[f32; 4]>,
    pub base_color_texture: Option<TextureRef>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TextureRef {
    pub index: usize,
    #[serde(default)]
    pub tex_coord: usize,
    #[serde(default)]
    pub extensions: TextureExtensions,
}

#[derive(Default, Deserialize)]
pub(super) struct TextureExtensions {
    #[serde(rename = "KHR_texture_transform")]
    pub transform: Option<TextureTransform>,
}

/// A transform of texture coordinates.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TextureTransform {
    #[serde(default)]
    pub offset: [f32; 2],
    /// Radians, counter-clockwise.
    #[serde(default)]
    pub rotation: f32,
    pub scale: Option<[f32; 2]>,
    /// Overrides the set of the texture.
    pub tex_coord: Option<usize>,
}

#[derive(Deserialize)]
pub(super) struct Mesh {
    pub name: Option<String>,
    pub primitives: Vec<Primitive>,
}

#[derive(Deserialize)]
pub(super) struct Primitive {
    pub attributes: Attributes,
    pub indices: Option<usize>,
    pub material: Option<usize>,
    pub mode: Option<u32>,
    #[serde(default)]
    pub targets: Vec<MorphTarget>,
    #[serde(default)]
    pub extensions: PrimitiveExtensions,
}

/// A morph target.
#[derive(Deserialize)]
pub(super) struct MorphTarget {
    #[serde(rename = "POSITION")]
    pub position: Option<usize>,
    #[serde(rename = "NORMAL")]
    pub normal: Option<usize>,
}

#[derive(Default, Deserialize)]
pub(super) struct PrimitiveExtensions {
    #[serde(rename = "KHR_draco_mesh_compression")]
    pub draco: Option<IgnoredAny>,
}

/// Vertex attributes. Up to four influence sets (16 influences) are read.
#[derive(Deserialize, PartialEq, Clone, Copy)]
pub(super) struct Attributes {
    #[serde(rename = "POSITION")]
    pub position: Option<usize>,
    #[serde(rename = "NORMAL")]
    pub normal: Option<usize>,
    #[serde(rename = "TEXCOORD_0")]
    uv_0: Option<usize>,
    #[serde(rename = "TEXCOORD_1")]
    uv_1: Option<usize>,
    #[serde(rename = "TEXCOORD_2")]
    uv_2: Option<usize>,
    #[serde(rename = "TEXCOORD_3")]
    uv_3: Option<usize>,
    #[serde(rename = "COLOR_0")]
    pub color: Option<usize>,
    #[serde(rename = "JOINTS_0")]
    joints_0: Option<usize>,
    #[serde(rename = "JOINTS_1")]
    joints_1: Option<usize>,
    #[serde(rename = "JOINTS_2")]
    joints_2: Option<usize>,
    #[serde(rename = "JOINTS_3")]
    joints_3: Option<usize>,
    #[serde(rename = "WEIGHTS_0")]
    weights_0: Option<usize>,
    #[serde(rename = "WEIGHTS_1")]
    weights_1: Option<usize>,
    #[serde(rename = "WEIGHTS_2")]
    weights_2: Option<usize>,
    #[serde(rename = "WEIGHTS_3")]
    weights_3: Option<usize>,
}

impl Attributes {
    /// A set of texture coordinates. Up to four sets are read.
    pub fn uv(&self, set: usize) -> Option<usize> {
        [self.uv_0, self.uv_1, self.uv_2, self.uv_3].get(set).copied().flatten()
    }

    /// The (joints, weights) accessors of each influence set that has both.
    pub fn influence_sets(&self) -> impl Iterator<Item = (usize, usize)> {
        let joints = [self.joints_0, self.joints_1, self.joints_2, self.joints_3];
        let weights = [self.weights_0, self.weights_1, self.weights_2, self.weights_3];
        joints.into_iter().zip(weights).filter_map(|(joints, weights)| joints.zip(weights))
    }
}

#[derive(Deserialize)]
pub(super) struct Scene {
    #[serde(default)]
    pub nodes: Vec<usize>,
}

#[derive(Deserialize)]
pub(super) struct Node {
    pub name: Option<String>,
    #[serde(default)]
    pub children: Vec<usize>,
    pub mesh: Option<usize>,
    pub skin: Option<usize>,
    pub camera: Option<usize>,
    pub matrix: Option<[f64; 16]>,
    pub translation: Option<[f64; 3]>,
    pub rotation: Option<[f64; 4]>,
    pub scale: Option<[f64; 3]>,
    pub extensions: Option<NodeExtensions>,
}

#[derive(Deserialize)]
pub(super) struct NodeExtensions {
    #[serde(rename = "VRMC_node_constraint")]
    pub constraint: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Skin {
    pub inverse_bind_matrices: Option<usize>,
    pub joints: Vec<usize>,
}

#[derive(Deserialize)]
pub(super) struct Animation {
    pub name: Option<String>,
    #[serde(default)]
    pub channels: Vec<Channel>,
    #[serde(default)]
    pub samplers: Vec<Sampler>,
}

#[derive(Deserialize)]
pub(super) struct Channel {
    pub sampler: usize,
    pub target: Target,
}

#[derive(Deserialize)]
pub(super) struct Target {
    pub node: Option<usize>,
    pub path: String,
}

#[derive(Deserialize)]
pub(super) struct Sampler {
    pub input: usize,
    pub output: usize,
    pub interpolation: Option<String>,
}
