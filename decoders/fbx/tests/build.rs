//! Builds FBX files in code, as text and as binary.

use glam::{DMat4, DVec3};

/// A value of a node.
#[derive(Clone, Debug)]
pub enum V {
    Int(i64),
    Float(f64),
    Text(String),
    /// A flag: a bare letter in text files.
    Letter(u8),
    Ints(Vec<i64>),
    Floats(Vec<f64>),
}

impl From<i64> for V {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<f64> for V {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<&str> for V {
    fn from(value: &str) -> Self {
        Self::Text(value.into())
    }
}

/// A node.
#[derive(Clone, Debug)]
pub struct N {
    pub name: String,
    pub values: Vec<V>,
    pub children: Vec<N>,
}

pub fn node(name: &str, values: Vec<V>, children: Vec<N>) -> N {
    N { name: name.into(), values, children }
}

pub fn floats(name: &str, list: &[f64]) -> N {
    node(name, vec![V::Floats(list.to_vec())], vec![])
}

pub fn ints(name: &str, list: &[i64]) -> N {
    node(name, vec![V::Ints(list.to_vec())], vec![])
}

pub fn vector(v: DVec3) -> Vec<V> {
    v.to_array().map(V::Float).to_vec()
}

fn matrix(name: &str, matrix: DMat4) -> N {
    floats(name, &matrix.to_cols_array())
}

/// A scene of version 7.
#[derive(Default)]
pub struct Scene {
    pub settings: Vec<N>,
    pub objects: Vec<N>,
    pub connections: Vec<N>,
}

/// A bone, control points with weights, and the matrix from the mesh to the bone.
pub type Cluster = (i64, Vec<(i64, f64)>, DMat4);

pub type Props<'a> = &'a [(&'a str, Vec<V>)];

fn properties(list: Props<'_>) -> N {
    let entry = |(name, values): &(&str, Vec<V>)| {
        let head = [(*name).into(), "".into(), "".into(), "A".into()];
        node("P", head.into_iter().chain(values.iter().cloned()).collect(), vec![])
    };
    node("Properties70", vec![], list.iter().map(entry).collect())
}

impl Scene {
    pub fn setting(&mut self, name: &str, value: impl Into<V>) {
        self.settings.push(node(
            "P",
            vec![name.into(), "".into(), "".into(), "".into(), value.into()],
            vec![],
        ));
    }

    pub fn object(&mut self, class: &str, id: i64, name: &str, kind: &str, props: Props<'_>, extra: Vec<N>) {
        let mut children = vec![properties(props)];
        children.extend(extra);
        let full_name = format!("{class}::{name}");
        self.objects.push(node(class, vec![V::Int(id), V::Text(full_name), kind.into()], children));
    }

    pub fn model(&mut self, id: i64, name: &str, parent: i64, props: Props<'_>) {
        self.object("Model", id, name, "LimbNode", props, vec![]);
        self.connect(id, parent);
    }

    pub fn connect(&mut self, source: i64, target: i64) {
        self.connections.push(node("C", vec!["OO".into(), V::Int(source), V::Int(target)], vec![]));
    }

    pub fn connect_property(&mut self, source: i64, target: i64, property: &str) {
        let values = vec!["OP".into(), V::Int(source), V::Int(target), property.into()];
        self.connections.push(node("C", values, vec![]));
    }

    /// A mesh of polygons. The last corner of each is −index − 1, as in the file.
    pub fn mesh(&mut self, id: i64, model: i64, points: &[DVec3], polygons: &[i64], layers: Vec<N>) {
        let points: Vec<f64> = points.iter().flat_map(|p| p.to_array()).collect();
        let mut children = vec![floats("Vertices", &points), ints("PolygonVertexIndex", polygons)];
        children.extend(layers);
        self.object("Geometry", id, "geometry", "Mesh", &[], children);
        self.connect(id, model);
    }

    /// A skin on a geometry. Each cluster is a bone, its weights, and the bind matrices.
    pub fn skin(&mut self, id: i64, geometry: i64, clusters: &[Cluster]) {
        self.object("Deformer", id, "skin", "Skin", &[], vec![]);
        self.connect(id, geometry);
        for (offset, (bone, weights, mesh_to_bone)) in (1..).zip(clusters) {
            let (indices, weights): (Vec<i64>, Vec<f64>) = weights.iter().copied().unzip();
            let children = vec![
                ints("Indexes", &indices),
                floats("Weights", &weights),
                matrix("Transform", *mesh_to_bone),
                matrix("TransformLink", mesh_to_bone.inverse()),
            ];
            self.object("Deformer", id + offset, "cluster", "Cluster", &[], children);
            self.connect(id + offset, id);
            self.connect(*bone, id + offset);
        }
    }

    /// A stack with one layer. Curves are added with [`Self::curve`].
    pub fn stack(&mut self, id: i64, name: &str) {
        self.object("AnimationStack", id, name, "", &[], vec![]);
        self.object("AnimationLayer", id + 1, "layer", "", &[], vec![]);
        self.connect(id + 1, id);
    }

    /// A curve of times in seconds and values. Flags and attribute data are the same for all keys.
    pub fn curve(
        &mut self,
        id: i64,
        layer: i64,
        [target, property, component]: [&str; 3],
        keys: &[(f64, f64)],
        (flags, data): (i64, [f64; 4]),
    ) {
        let target: i64 = target.parse().unwrap();
        self.object("AnimationCurveNode", id, "node", "", &[], vec![]);
        self.connect(id, layer);
        self.connect_property(id, target, property);
        let times: Vec<i64> = keys.iter().map(|key| (key.0 * 46_186_158_000.0).round() as i64).collect();
        let values: Vec<f64> = keys.iter().map(|key| key.1).collect();
        let data = data.map(|value| f64::from_bits(value.to_bits()));
        let children = vec![
            ints("KeyTime", &times),
            floats("KeyValueFloat", &values),
            ints("KeyAttrFlags", &[flags]),
            floats("KeyAttrDataFloat", &data),
            ints("KeyAttrRefCount", &[keys.len() as i64]),
        ];
        self.object("AnimationCurve", id + 1, "", "", &[], children);
        self.connect_property(id + 1, id, component);
    }

    pub fn nodes(&self, version: i64) -> Vec<N> {
        let header =
            node("FBXHeaderExtension", vec![], vec![node("FBXVersion", vec![V::Int(version)], vec![])]);
        let settings = node("Properties70", vec![], self.settings.clone());
        vec![
            header,
            node("GlobalSettings", vec![], vec![settings]),
            node("Objects", vec![], self.objects.clone()),
            node("Connections", vec![], self.connections.clone()),
        ]
    }

    pub fn text(&self) -> Vec<u8> {
        text("7.4.0", &self.nodes(7400))
    }

    pub fn binary(&self, version: u32) -> Vec<u8> {
        Binary { version, is_big_endian: false, deflates: true }.write(&self.nodes(version.into()))
    }
}

/// A text file with a version in its first line.
pub fn text(version: &str, nodes: &[N]) -> Vec<u8> {
    let mut out = format!("; FBX {version} project file\n");
    nodes.iter().for_each(|node| write_text(node, 0, &mut out));
    out.into_bytes()
}

fn write_text(node: &N, depth: usize, out: &mut String) {
    let indent = "\t".repeat(depth);
    let list = |numbers: Vec<String>| format!("*{} {{\n\t a: {}\n}}", numbers.len(), numbers.join(","));
    let value = |value: &V| match value {
        V::Int(value) => value.to_string(),
        V::Float(value) => format!("{value:?}"),
        V::Text(text) => format!("\"{text}\""),
        V::Letter(letter) => char::from(*letter).to_string(),
        V::Ints(ints) => list(ints.iter().map(i64::to_string).collect()),
        V::Floats(floats) => list(floats.iter().map(|value| format!("{value:?}")).collect()),
    };
    let values: Vec<String> = node.values.iter().map(value).collect();
    out.push_str(&format!("{indent}{}: {}", node.name, values.join(", ")));
    if !node.children.is_empty() {
        out.push_str(" {\n");
        node.children.iter().for_each(|child| write_text(child, depth + 1, out));
        out.push_str(&format!("{indent}}}"));
    }
    out.push('\n');
}

/// How a binary file is written.
pub struct Binary {
    pub version: u32,
    pub is_big_endian: bool,
    pub deflates: bool,
}

impl Binary {
    pub fn write(&self, nodes: &[N]) -> Vec<u8> {
        let mut out = b"Kaydara FBX Binary  \0\x1a".to_vec();
        out.push(self.is_big_endian.into());
        out.extend(self.order(self.version.to_le_bytes()));
        nodes.iter().for_each(|node| self.node(node, &mut out));
        out.extend(vec![0; self.header_size()]);
        out
    }

    fn order<const N: usize>(&self, mut bytes: [u8; N]) -> [u8; N] {
        if self.is_big_endian {
            bytes.reverse();
        }
        bytes
    }

    fn header_size(&self) -> usize {
        if self.version >= 7500 { 25 } else { 13 }
    }

    fn offset(&self, value: usize) -> Vec<u8> {
        if self.version >= 7500 {
            self.order((value as u64).to_le_bytes()).to_vec()
        } else {
            self.order((value as u32).to_le_bytes()).to_vec()
        }
    }

    fn node(&self, node: &N, out: &mut Vec<u8>) {
        let mut values = Vec::new();
        node.values.iter().for_each(|value| self.value(value, &mut values));
        let start = out.len();
        out.extend(vec![0; self.header_size() - 1]);
        out.push(node.name.len() as u8);
        out.extend(node.name.as_bytes());
        out.extend(&values);
        node.children.iter().for_each(|child| self.node(child, out));
        if !node.children.is_empty() {
            out.extend(vec![0; self.header_size()]);
        }
        let header = [out.len(), node.values.len(), values.len()]
            .iter()
            .flat_map(|&value| self.offset(value))
            .collect::<Vec<_>>();
        out[start..start + header.len()].copy_from_slice(&header);
    }

    fn value(&self, value: &V, out: &mut Vec<u8>) {
        match value {
            V::Int(value) => {
                out.push(b'L');
                out.extend(self.order(value.to_le_bytes()));
            }
            V::Float(value) => {
                out.push(b'D');
                out.extend(self.order(value.to_le_bytes()));
            }
            V::Text(text) => {
                let bytes = match text.split_once("::") {
                    Some((class, name)) => [name.as_bytes(), b"\0\x01", class.as_bytes()].concat(),
                    None => text.as_bytes().to_vec(),
                };
                out.push(b'S');
                out.extend(self.order((bytes.len() as u32).to_le_bytes()));
                out.extend(bytes);
            }
            V::Letter(letter) => out.extend([b'C', *letter]),
            V::Ints(list) => {
                self.array(b'l', list.len(), list.iter().flat_map(|v| self.order(v.to_le_bytes())), out);
            }
            V::Floats(list) => {
                self.array(b'd', list.len(), list.iter().flat_map(|v| self.order(v.to_le_bytes())), out);
            }
        }
    }

    fn array(&self, code: u8, count: usize, bytes: impl Iterator<Item = u8>, out: &mut Vec<u8>) {
        let bytes: Vec<u8> = bytes.collect();
        let stored =
            if self.deflates { miniz_oxide::deflate::compress_to_vec_zlib(&bytes, 6) } else { bytes };
        out.push(code);
        for number in [count as u32, self.deflates.into(), stored.len() as u32] {
            out.extend(self.order(number.to_le_bytes()));
        }
        out.extend(stored);
    }
}

/// Corners of a square of side 2 in the XY plane.
pub fn square() -> ([DVec3; 4], [i64; 4]) {
    let corner = |x: f64, y: f64| DVec3::new(x, y, 0.0);
    ([corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)], [0, 1, 2, -4])
}
