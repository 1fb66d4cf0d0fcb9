//! An evaluator of GLB files that shares no code with the reader: it parses the JSON with
//! `serde_json`, applies a clip, and skins the meshes.

use glam::{DMat4, DQuat, DVec3};
use serde_json::Value;

/// A GLB file.
pub struct Gltf {
    pub json: Value,
    pub binary: Vec<u8>,
}

/// Local transform of a node and weights of its mesh.
#[derive(Clone)]
struct Pose {
    translation: DVec3,
    rotation: DQuat,
    scale: DVec3,
    weights: Option<Vec<f64>>,
}

fn u32_at(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

fn numbers(value: &Value) -> Option<Vec<f64>> {
    Some(value.as_array()?.iter().map(|number| number.as_f64().unwrap()).collect())
}

fn vec3(value: &Value) -> Option<DVec3> {
    numbers(value).map(|list| DVec3::from_slice(&list))
}

impl Gltf {
    pub fn parse(bytes: &[u8]) -> Self {
        assert_eq!(&bytes[..4], b"glTF");
        assert_eq!(u32_at(bytes, 8), bytes.len());
        let json_size = u32_at(bytes, 12);
        let json = serde_json::from_slice(&bytes[20..20 + json_size]).unwrap();
        let binary = bytes.get(28 + json_size..).unwrap_or_default().to_vec();
        Self { json, binary }
    }

    pub fn list(&self, name: &str) -> &[Value] {
        self.json[name].as_array().map_or(&[], Vec::as_slice)
    }

    pub fn index_of(&self, list: &str, name: &str) -> usize {
        self.list(list).iter().position(|item| item["name"] == name).unwrap_or_else(|| panic!("no {name}"))
    }

    /// The numbers of an accessor, flattened, and the number of components.
    pub fn accessor(&self, index: &Value) -> (Vec<f64>, usize) {
        let accessor = &self.json["accessors"][index.as_u64().unwrap() as usize];
        let width = match accessor["type"].as_str().unwrap() {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let count = accessor["count"].as_u64().unwrap() as usize * width;
        let mut values = match accessor.get("bufferView") {
            Some(view) => self.numbers(view, &accessor["componentType"], count),
            None => vec![0.0; count],
        };
        if let Some(sparse) = accessor.get("sparse") {
            let count = sparse["count"].as_u64().unwrap() as usize;
            let indices =
                self.numbers(&sparse["indices"]["bufferView"], &sparse["indices"]["componentType"], count);
            let changed =
                self.numbers(&sparse["values"]["bufferView"], &accessor["componentType"], count * width);
            for (index, value) in indices.iter().zip(changed.chunks(width)) {
                let start = *index as usize * width;
                values[start..start + width].copy_from_slice(value);
            }
        }
        (values, width)
    }

    fn numbers(&self, view: &Value, component: &Value, count: usize) -> Vec<f64> {
        let view = &self.json["bufferViews"][view.as_u64().unwrap() as usize];
        let start = view["byteOffset"].as_u64().unwrap() as usize;
        let bytes = &self.binary[start..start + view["byteLength"].as_u64().unwrap() as usize];
        let size = match component.as_u64().unwrap() {
            5121 => 1,
            5123 => 2,
            _ => 4,
        };
        let read = |chunk: &[u8]| match component.as_u64().unwrap() {
            5121 => f64::from(chunk[0]),
            5123 => f64::from(u16::from_le_bytes(chunk.try_into().unwrap())),
            5125 => f64::from(u32::from_le_bytes(chunk.try_into().unwrap())),
            _ => f64::from(f32::from_le_bytes(chunk.try_into().unwrap())),
        };
        let list: Vec<f64> = bytes.chunks(size).map(read).collect();
        assert_eq!(list.len(), count);
        list
    }

    pub fn vectors(&self, index: &Value) -> Vec<DVec3> {
        self.accessor(index).0.chunks(3).map(DVec3::from_slice).collect()
    }

    fn poses(&self, clip: Option<&str>, time: f64) -> Vec<Pose> {
        let pose = |node: &Value| Pose {
            translation: vec3(&node["translation"]).unwrap_or(DVec3::ZERO),
            rotation: numbers(&node["rotation"]).map_or(DQuat::IDENTITY, |list| DQuat::from_slice(&list)),
            scale: vec3(&node["scale"]).unwrap_or(DVec3::ONE),
            weights: None,
        };
        let mut poses: Vec<Pose> = self.list("nodes").iter().map(pose).collect();
        let Some(clip) = clip else { return poses };
        let animation = &self.json["animations"][self.index_of("animations", clip)];
        for channel in animation["channels"].as_array().unwrap() {
            let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
            let times = self.accessor(&sampler["input"]).0;
            let output = self.accessor(&sampler["output"]).0;
            let width = output.len() / times.len();
            let after = times.partition_point(|&t| t <= time).min(times.len() - 1);
            let before = times.partition_point(|&t| t <= time).saturating_sub(1);
            let fraction = if after > before {
                ((time - times[before]) / (times[after] - times[before])).clamp(0.0, 1.0)
            } else {
                0.0
            };
            let (a, b) = (&output[before * width..][..width], &output[after * width..][..width]);
            let mixed: Vec<f64> = a.iter().zip(b).map(|(a, b)| a + (b - a) * fraction).collect();
            let pose = &mut poses[channel["target"]["node"].as_u64().unwrap() as usize];
            match channel["target"]["path"].as_str().unwrap() {
                "translation" => pose.translation = DVec3::from_slice(&mixed),
                "scale" => pose.scale = DVec3::from_slice(&mixed),
                "weights" => pose.weights = Some(mixed),
                _ => pose.rotation = DQuat::from_slice(a).slerp(DQuat::from_slice(b), fraction),
            }
        }
        poses
    }

    /// The global matrix of each node.
    pub fn globals(&self, clip: Option<&str>, time: f64) -> Vec<DMat4> {
        let poses = self.poses(clip, time);
        let mut globals = vec![DMat4::NAN; poses.len()];
        let roots = &self.json["scenes"][0]["nodes"];
        let mut stack: Vec<(usize, DMat4)> = roots
            .as_array()
            .unwrap()
            .iter()
            .map(|i| (i.as_u64().unwrap() as usize, DMat4::IDENTITY))
            .collect();
        while let Some((index, parent)) = stack.pop() {
            let pose = &poses[index];
            let local = DMat4::from_scale_rotation_translation(pose.scale, pose.rotation, pose.translation);
            globals[index] = parent * local;
            for child in self.json["nodes"][index]["children"].as_array().into_iter().flatten() {
                stack.push((child.as_u64().unwrap() as usize, globals[index]));
            }
        }
        globals
    }

    /// The global matrix of a node by name.
    pub fn global(&self, name: &str, clip: Option<&str>, time: f64) -> DMat4 {
        self.globals(clip, time)[self.index_of("nodes", name)]
    }

    /// The deformed vertices of all meshes, in world space.
    pub fn posed_vertices(&self, clip: Option<&str>, time: f64) -> Vec<DVec3> {
        let poses = self.poses(clip, time);
        let globals = self.globals(clip, time);
        let mut all = Vec::new();
        for (index, node) in self.list("nodes").iter().enumerate() {
            let Some(mesh) = node["mesh"].as_u64() else { continue };
            let mesh = &self.json["meshes"][mesh as usize];
            let rest_weights = || numbers(&mesh["weights"]).unwrap_or_default();
            let weights = poses[index].weights.clone().unwrap_or_else(rest_weights);
            for primitive in mesh["primitives"].as_array().unwrap() {
                let positions = self.morphed(primitive, &weights);
                match node["skin"].as_u64() {
                    Some(skin) => all.extend(self.skinned(primitive, skin as usize, &positions, &globals)),
                    None => all.extend(positions.iter().map(|p| globals[index].transform_point3(*p))),
                }
            }
        }
        all
    }

    fn morphed(&self, primitive: &Value, weights: &[f64]) -> Vec<DVec3> {
        let mut positions = self.vectors(&primitive["attributes"]["POSITION"]);
        for (target, weight) in primitive["targets"].as_array().into_iter().flatten().zip(weights) {
            for (position, offset) in positions.iter_mut().zip(self.vectors(&target["POSITION"])) {
                *position += offset * *weight;
            }
        }
        positions
    }

    fn skinned(&self, primitive: &Value, skin: usize, positions: &[DVec3], globals: &[DMat4]) -> Vec<DVec3> {
        let skin = &self.json["skins"][skin];
        let binds = self.accessor(&skin["inverseBindMatrices"]).0;
        let joints = skin["joints"].as_array().unwrap().iter().map(|joint| joint.as_u64().unwrap() as usize);
        let matrices: Vec<DMat4> = joints
            .zip(binds.chunks(16))
            .map(|(joint, bind)| globals[joint] * DMat4::from_cols_slice(bind))
            .collect();
        let mut result = vec![DVec3::ZERO; positions.len()];
        let mut sums = vec![0.0; positions.len()];
        for set in 0.. {
            let attributes = &primitive["attributes"];
            let (joints, weights) =
                (&attributes[format!("JOINTS_{set}")], &attributes[format!("WEIGHTS_{set}")]);
            if joints.is_null() {
                break;
            }
            let (joints, weights) = (self.accessor(joints).0, self.accessor(weights).0);
            for (i, (joint, weight)) in joints.into_iter().zip(weights).enumerate() {
                result[i / 4] += matrices[joint as usize].transform_point3(positions[i / 4]) * weight;
                sums[i / 4] += weight;
            }
        }
        assert!(sums.iter().all(|sum| (sum - 1.0).abs() < 1e-5), "weights are a partition of unity");
        result
    }
}
