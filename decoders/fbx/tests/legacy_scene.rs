//! A character in the dialect before version 6: models are nodes of the document and hold their
//! geometry, materials, textures and the links to their bones. Takes hold all transforms.

use glam::{DMat4, DVec3};

use super::build::{N, V, node};

/// Ticks of FBX per second.
const SECOND: i64 = 46_186_158_000;

/// The lower end of the body, in the space of its model.
const FLOOR: f64 = -4.0;

/// Corners of a cross-section of the body. No symmetry maps it to itself.
const RING: [[f64; 2]; 4] = [[-2.0, -1.0], [3.0, -1.5], [2.0, 2.0], [-1.0, 1.0]];

/// Rings of the body.
const RINGS: usize = 5;

/// What a scene has.
#[derive(Clone, Copy)]
pub struct Options {
    /// The version times 1000.
    pub version: i64,
    /// Whether there is a header that declares the version.
    pub has_header: bool,
    /// Whether keys declare the version of their list, and which.
    pub key_version: Option<i64>,
    /// Whether normals are those of vertices, not of corners.
    pub has_vertex_normals: bool,
}

fn list(name: &str, values: impl IntoIterator<Item = f64>) -> N {
    node(name, values.into_iter().map(V::Float).collect(), vec![])
}

fn ids(name: &str, values: impl IntoIterator<Item = i64>) -> N {
    node(name, values.into_iter().map(V::Int).collect(), vec![])
}

fn text(name: &str, value: &str) -> N {
    node(name, vec![value.into()], vec![])
}

fn model(name: &str, parts: Vec<N>, children: &[&str]) -> N {
    let limits = vec![ids("TAuto", [1]), ids("RAuto", [1]), ids("SAuto", [1])];
    let mut all = vec![
        ids("Version", [194]),
        node("Shading", vec![V::Letter(b'T')], vec![]),
        text("Culling", "CullingOff"),
        node("Limits", vec![], limits),
    ];
    all.extend(parts);
    if !children.is_empty() {
        let names = children.iter().map(|child| V::Text(format!("Model::{child}"))).collect();
        all.push(node("Children", names, vec![]));
    }
    node("Model", vec![V::Text(format!("Model::{name}"))], all)
}

fn limb(name: &str, children: &[&str]) -> N {
    model(name, vec![text("Type", "LimbNode"), text("TypeFlags", "Skeleton")], children)
}

/// The points of the body, ring by ring.
pub fn body_points() -> Vec<DVec3> {
    let point = |ring: usize, [x, z]: [f64; 2]| {
        let turn = 0.2 * ring as f64;
        DVec3::new(x + turn, FLOOR + 3.0 * ring as f64, z - turn)
    };
    (0..RINGS).flat_map(|ring| RING.map(|corner| point(ring, corner))).collect()
}

/// The sides of the body as quads.
fn body_polygons() -> Vec<[usize; 4]> {
    let side = |ring: usize, corner: usize| {
        let (a, b) = (4 * ring + corner, 4 * ring + (corner + 1) % 4);
        [a, b, b + 4, a + 4]
    };
    (0..RINGS - 1).flat_map(|ring| (0..4).map(move |corner| side(ring, corner))).collect()
}

fn material(name: &str, diffuse: [f64; 3], alpha: f64) -> N {
    let parts = vec![
        ids("Version", [100]),
        text("ShadingModel", "phong"),
        list("Ambient", diffuse),
        list("Diffuse", diffuse),
        list("Emissive", [0.0, 0.5, 0.0]),
        list("Shininess", [25.0]),
        list("Alpha", [alpha]),
    ];
    node("Material", vec![V::Text(format!("Material::{name}"))], parts)
}

fn matrix(name: &str, matrix: DMat4) -> N {
    list(name, matrix.to_cols_array())
}

/// A bone with its weights. The matrices are those of bone and mesh when the skin was bound.
fn link(bone: &str, weights: &[(i64, f64)], bone_bind: DMat4, mesh_bind: DMat4) -> N {
    let parts = vec![
        ids("Version", [100]),
        text("Mode", "Total1"),
        ids("Indexes", weights.iter().map(|weight| weight.0)),
        list("Weights", weights.iter().map(|weight| weight.1)),
        matrix("Transform", bone_bind.inverse() * mesh_bind),
        matrix("TransformLink", bone_bind),
    ];
    node("Link", vec![V::Text(format!("Model::{bone}"))], parts)
}

/// The mesh with two materials, a texture, a blend shape and two bones.
fn body(options: Options) -> N {
    let points = body_points();
    let polygons = body_polygons();
    let corners = polygons.iter().flatten().copied();
    let normal = |corner: usize| (points[corner] * DVec3::new(1.0, 0.0, 1.0)).normalize().to_array();
    let normals: Vec<f64> = match options.has_vertex_normals {
        true => (0..points.len()).flat_map(normal).collect(),
        false => corners.clone().flat_map(normal).collect(),
    };
    let code = |(i, corner): (usize, usize)| if i % 4 == 3 { !(corner as i64) } else { corner as i64 };
    let is_upper = |polygon: usize| i64::from(polygon >= polygons.len() / 2);
    let uv = vec![
        ids("Version", [240]),
        text("MappingInformationType", "ByPolygon"),
        list("TextureUV", [0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0]),
        ids("TextureUVVerticeIndex", (0..polygons.len()).flat_map(|_| [0, 1, 2, 3])),
    ];
    let (hip_bind, tip_bind) = binds();
    let mesh_bind = DMat4::from_translation(DVec3::new(0.0, 4.0, 1.0));
    // The weight of the upper bone grows from ring to ring.
    let upper = |i: usize| (i / 4) as f64 / (RINGS - 1) as f64;
    let weights = |of: fn(f64) -> f64| -> Vec<(i64, f64)> {
        (0..points.len()).map(|i| (i as i64, of(upper(i)))).filter(|weight| weight.1 > 0.0).collect()
    };
    let texture = vec![
        text("Type", "TextureVideoClip"),
        ids("Version", [202]),
        text("TextureName", "Texture::skin"),
        text("Media", "Video::skin"),
        text("FileName", "C:\\maps\\Skin.png"),
        text("RelativeFilename", "..\\maps\\Skin.png"),
    ];
    let shape = vec![
        ids("Indexes", [2, 17]),
        list("Vertices", [1.0, 0.5, 2.0, -1.0, 0.0, 0.5]),
        list("Normals", [0.0; 6]),
    ];
    let parts = vec![
        material("lower", [1.0, 0.0, 0.0], 1.0),
        material("upper", [0.5, 0.5, 0.5], 0.5),
        node("Texture", vec!["Texture::skin".into()], texture),
        ids("GeometryVersion", [123]),
        list("Vertices", points.iter().flat_map(|p| p.to_array())),
        list("Normals", normals),
        text("MaterialAssignation", "ByPolygon"),
        ids("Materials", (0..polygons.len()).map(is_upper)),
        ids("TextureId", (0..polygons.len()).map(|polygon| is_upper(polygon) - 1)),
        ids("PolygonVertexIndex", corners.enumerate().map(code)),
        node("GeometryUVInfo", vec![], uv),
        link("hip", &weights(|upper| 1.0 - upper), hip_bind, mesh_bind),
        link("tip", &weights(|upper| upper), tip_bind, mesh_bind),
        node("Shape", vec!["smile".into()], shape),
    ];
    model("body", parts, &[])
}

/// The matrices of hip and tip when the skin was bound.
fn binds() -> (DMat4, DMat4) {
    let hip = DMat4::from_scale(DVec3::splat(2.0)) * DMat4::from_translation(DVec3::new(0.5, 0.0, 0.0));
    (hip, hip * DMat4::from_translation(DVec3::new(0.0, 3.0, 0.0)))
}

/// A pyramid on the tip, without weights and without a material.
fn hat() -> N {
    let parts = vec![
        ids("GeometryVersion", [123]),
        list("Vertices", [0.0, 2.0, 0.0, -1.0, 0.0, -1.0, 1.0, 0.0, -1.5, 0.5, 0.0, 1.0]),
        text("MaterialAssignation", "AllSame"),
        ids("Materials", [0]),
        ids("PolygonVertexIndex", [0, 2, !1, 0, 3, !2, 0, 1, !3]),
    ];
    model("hat", parts, &[])
}

/// A key list: times in seconds, values, and what follows a value.
type Keys<'a> = &'a [(f64, f64, &'a [V])];

/// The channel of one component.
fn component(options: Options, name: &str, rest: f64, keys: Keys<'_>) -> N {
    let mut parts = vec![list("Default", [rest])];
    if !keys.is_empty() {
        parts.extend(options.key_version.map(|version| ids("KeyVer", [version])));
        parts.push(ids("KeyCount", [keys.len() as i64]));
        let key = |&(time, value, rest): &(f64, f64, &[V])| {
            let head = [V::Int((time * SECOND as f64).round() as i64), V::Float(value)];
            head.into_iter().chain(rest.iter().cloned()).collect::<Vec<_>>()
        };
        parts.push(node("Key", keys.iter().flat_map(key).collect(), vec![]));
    }
    parts.push(list("Color", [1.0, 1.0, 1.0]));
    node("Channel", vec![name.into()], parts)
}

/// A model in a take: translation, rotation and scale at rest, and the keys of one component.
fn moved(options: Options, name: &str, rest: [[f64; 3]; 3], keyed: Option<(usize, usize, Keys<'_>)>) -> N {
    let property = |(index, rest): (usize, [f64; 3])| {
        let keys = |axis| keyed.filter(|key| (key.0, key.1) == (index, axis)).map_or(&[][..], |key| key.2);
        let mut axes: Vec<N> = ["X", "Y", "Z"]
            .iter()
            .enumerate()
            .map(|(axis, name)| component(options, name, rest[axis], keys(axis)))
            .collect();
        axes.push(ids("LayerType", [index as i64 + 1]));
        node("Channel", vec![["T", "R", "S"][index].into()], axes)
    };
    let transform =
        node("Channel", vec!["Transform".into()], rest.into_iter().enumerate().map(property).collect());
    node("Model", vec![V::Text(format!("Model::{name}"))], vec![list("Version", [1.1]), transform])
}

/// The scene: a null of twice the size with the bones `hip` and `tip`, a hat on the tip, the body,
/// and a camera.
pub fn nodes(options: Options) -> Vec<N> {
    let letter = V::Letter;
    // What follows a key depends on the version of the list.
    let key_version = options.key_version.unwrap_or(if options.version < 5000 { 4003 } else { 4004 });
    let has_weights = key_version != 4003;
    let eased = |right: f64, left: f64| -> Vec<V> {
        let slopes = [letter(b'U'), letter(b's'), right.into(), left.into()];
        slopes.into_iter().chain(has_weights.then_some(letter(b'n'))).collect()
    };
    let weighted = || -> Vec<V> {
        let mut key = eased(40.0, -25.0);
        if has_weights {
            key.truncate(4);
            key.extend([letter(b'a'), 0.25.into(), 0.6.into()]);
        }
        key
    };
    let constant: Vec<V> =
        [Some(letter(b'C')), (key_version > 4003).then_some(letter(b's'))].into_iter().flatten().collect();
    let (first, second, last) = (eased(0.0, 30.0), weighted(), eased(0.0, 0.0));
    let hip_keys: [(f64, f64, &[V]); 3] = [(0.0, 10.0, &first), (0.4, 35.0, &second), (1.0, -20.0, &last)];
    let linear = [letter(b'L')];
    let tip_keys: [(f64, f64, &[V]); 3] = [(0.0, 0.0, &linear), (0.5, 80.0, &linear), (1.0, 15.0, &linear)];
    let smile_keys: [(f64, f64, &[V]); 3] =
        [(0.0, 0.0, &linear), (0.6, 100.0, &constant), (1.0, 50.0, &linear)];
    let ones = [1.0; 3];
    let mut body_in_take = moved(options, "body", [[0.0, 4.0, 1.0], [0.0; 3], ones], None);
    body_in_take.children.push(component(options, "smile (Shape)", 25.0, &smile_keys));
    let take = vec![
        text("FileName", "Take_001.tak"),
        ids("LocalTime", [0, SECOND]),
        ids("ReferenceTime", [0, SECOND]),
        moved(options, "null", [[0.0; 3], [0.0; 3], [2.0; 3]], None),
        moved(options, "hip", [[0.5, 0.0, 0.0], [5.0, 10.0, 0.0], ones], Some((1, 2, &hip_keys))),
        moved(options, "tip", [[0.0, 3.0, 0.0], [0.0; 3], ones], Some((1, 0, &tip_keys))),
        moved(options, "hat", [[0.0, 2.0, 0.0], [0.0, 30.0, 0.0], [1.0, 1.5, 1.0]], None),
        body_in_take,
    ];
    let header = vec![ids("FBXHeaderVersion", [1003]), ids("FBXVersion", [options.version])];
    let mut all = vec![];
    if options.has_header {
        all.push(node("FBXHeaderExtension", vec![], header));
    }
    let camera = model("camera", vec![text("Type", "Camera"), text("TypeFlags", "Camera")], &[]);
    all.extend([
        camera,
        model("null", vec![text("Type", "Null"), text("TypeFlags", "Null")], &["hip"]),
        limb("hip", &["tip"]),
        limb("tip", &["hat"]),
        hat(),
        body(options),
        node("Takes", vec![], vec![text("Current", "bend"), node("Take", vec!["bend".into()], take)]),
        node("Settings", vec![], vec![ids("TimeMode", [3]), text("FrameRate", "25")]),
    ]);
    all
}
