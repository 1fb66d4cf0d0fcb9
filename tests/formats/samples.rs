//! Small valid files of every format, with as many features as each has.

/// The corners of a cube.
pub const CUBE: [[f32; 3]; 8] = [
    [0., 0., 0.],
    [1., 0., 0.],
    [1., 1., 0.],
    [0., 1., 0.],
    [0., 0., 1.],
    [1., 0., 1.],
    [1., 1., 1.],
    [0., 1., 1.],
];

/// The sides of the cube, counter-clockwise seen from outside.
pub const SIDES: [[u32; 4]; 6] =
    [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];

/// The sides of the cube as triangles.
pub fn cube_triangles() -> Vec<[u32; 3]> {
    SIDES.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect()
}

/// Valid models: name and bytes.
pub fn models() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("plain.obj", obj_cube().into_bytes()),
        ("rich.obj", RICH_OBJ.as_bytes().to_vec()),
        ("text.ply", ply_cube("ascii")),
        ("little.ply", ply_cube("binary_little_endian")),
        ("big.ply", ply_cube("binary_big_endian")),
        ("text.stl", stl_ascii("cube").into_bytes()),
        ("binary.stl", stl_binary(b"made by nobody", &[])),
    ]
}

/// Valid skeletons: name and bytes.
pub fn skeletons() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("arm.tgf", TGF.as_bytes().to_vec()),
        ("arm.json", JSON.as_bytes().to_vec()),
        ("walk.bvh", BVH.as_bytes().to_vec()),
    ]
}

/// A root with two branches, with unordered edges.
pub const TGF: &str = "1 0 0 0\n2 0 1.5 0\n3 0 2.5e0 0.25\n7 -1 1 0\n#\n2 3\n1 2\n1 7\n#\n";

/// The same skeleton with tails and every kind of reference to a parent.
pub const JSON: &str = r#"{"version": 2, "bones": [
  {"name": "root", "parent": -1, "head": [0, 0, 0], "tail": [0, 1.5, 0], "roll": 0.5},
  {"name": "upper", "parent": 0, "head": [0, 1.5, 0], "tail": [0, 2.5, 0.25]},
  {"name": "lower", "parent": "upper", "head": [0, 2.5, 0.25]},
  {"name": "prop", "parent": null, "head": [-1, 1, 0], "tail": [-1, 2, 0]}]}"#;

/// A body with position channels of a joint below the root, a joint without rotations, a name with
/// a space, and end sites.
pub const BVH: &str = "HIERARCHY
ROOT Hips
{
  OFFSET 0 5 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Upper leg
  {
    OFFSET 1 1 0
    CHANNELS 3 Zrotation Yrotation Xrotation
    JOINT Foot
    {
      OFFSET 0 -2 0.5
      CHANNELS 1 Xrotation
      End Site
      {
        OFFSET 0 0 2
      }
    }
  }
  JOINT Arm
  {
    OFFSET -1 3 0
    CHANNELS 2 Yrotation Zrotation
    JOINT Hand
    {
      OFFSET -1 2.5 0
      CHANNELS 2 Xposition Zposition
      End Site
      {
        OFFSET 0 0 0
      }
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.04
0 0 0 0 0 0 0 0 0 0 0 0 0 0
1.5 3 0 45 0 0 10 20 30 -15 5 -5 0.1 0.2
3 7 0 90 0 0 10 20 30 -15 5 -5 0.1 -2e-1
";

/// Quads with positions only.
pub fn obj_cube() -> String {
    let mut obj = String::new();
    for [x, y, z] in CUBE {
        obj += &format!("v {x} {y} {z}\n");
    }
    for side in SIDES {
        let [a, b, c, d] = side.map(|v| v + 1);
        obj += &format!("f {a} {b} {c} {d}\n");
    }
    obj
}

/// Objects, groups, materials, colours, seams, negative indices, continuations, a concave polygon.
pub const RICH_OBJ: &str = "\u{FEFF}# a comment ending in a folder C:\\\r
mtllib rich.mtl\r
o body\r
v 0 0 0 1 0 0\r
v 2 0 0 0.5 0.5 0.5\r
v 2 2 0\r
v 1 0.5 0 0 0 1\r
v 0 2 0 1.0 1 1\r
vt 0 0\r
vt 1 0.25\r
vt 1 1 0\r
vn 0 0 2\r
usemtl skin\r
s off\r
f 1/1/1 2/2/1 3/3/1 \\\r
  4/1/1 5/2/1\r
v 0 0 -1e0\r
v +1.5 0.0 -1.\r
v 0 .5 -1\r
usemtl cloth\r
f -3//1 -2//1 -1//1\r
g hat\r
f -3/1 -1/2 -2/3\r
usemtl skin\r
g\r
f 1/3 3/2 2/1\r
";

/// Normals, colours and texture coordinates, with unusual orders of elements and properties, and an
/// element to skip.
pub fn ply_cube(format: &str) -> Vec<u8> {
    let mut header = format!("ply\nformat {format} 1.0\ncomment a cube\nobj_info nothing\n");
    header += "element camera 2\nproperty double focus\nproperty list uchar short samples\n";
    header += "element face 6\nproperty uchar flags\nproperty list uchar int vertex_indices\n";
    header += "element vertex 8\nproperty double z\nproperty float y\nproperty float x\n";
    header += "property float nx\nproperty float ny\nproperty float nz\n";
    header +=
        "property uchar red\nproperty uchar green\nproperty uchar blue\nproperty float s\nproperty float t\n";
    header += "end_header\n";
    let mut body = PlyBody { format: format.into(), bytes: header.into_bytes() };
    for focus in [1.5, 2.5] {
        body.row(&[(8, focus), (1, 2.0), (2, -7.0), (2, 300.0)]);
    }
    for side in SIDES {
        let [a, b, c, d] = side.map(f64::from);
        body.row(&[(1, 9.0), (1, 4.0), (4, a), (4, b), (4, c), (4, d)]);
    }
    for [x, y, z] in CUBE.map(|p| p.map(f64::from)) {
        let n = |c: f64| (-4, (c - 0.5) * 2.0);
        let color = |c: f64| (1, 255.0 * c);
        body.row(&[
            (-8, z),
            (-4, y),
            (-4, x),
            n(x),
            n(y),
            n(z),
            color(x),
            color(y),
            color(z),
            (-4, x),
            (-4, y),
        ]);
    }
    body.bytes
}

/// Writes rows of (size, value) pairs. Negative sizes are floating-point, and so is the single
/// double.
struct PlyBody {
    format: String,
    bytes: Vec<u8>,
}

impl PlyBody {
    fn row(&mut self, numbers: &[(i32, f64)]) {
        for &(size, value) in numbers {
            let mut raw = match size {
                1 => vec![value as u8],
                2 => (value as i16).to_le_bytes().to_vec(),
                4 => (value as i32).to_le_bytes().to_vec(),
                -4 => (value as f32).to_le_bytes().to_vec(),
                _ => value.to_le_bytes().to_vec(),
            };
            match self.format.as_str() {
                "ascii" => raw = format!("{value} ").into_bytes(),
                "binary_big_endian" => raw.reverse(),
                _ => {}
            }
            self.bytes.extend(raw);
        }
        if self.format == "ascii" {
            self.bytes.push(b'\n');
        }
    }
}

/// A header that declares `rows` rows of `element`, followed by a few bytes.
pub fn ply_declaring(element: &str, rows: usize) -> Vec<u8> {
    let property = if element == "face" { "list uchar int vertex_indices" } else { "float x" };
    let more = if element == "vertex" { "property float y\nproperty float z\n" } else { "" };
    format!(
        "ply\nformat binary_little_endian 1.0\nelement {element} {rows}\nproperty {property}\n{more}end_header\n0123456789"
    )
    .into_bytes()
}

/// One face with four thousand million corners.
pub fn ply_with_huge_list() -> Vec<u8> {
    let mut ply = b"ply\nformat binary_big_endian 1.0\nelement face 1\nproperty list uint uchar vertex_index\nend_header\n".to_vec();
    ply.extend([0xFF, 0xFF, 0xFF, 0xFF, 0, 1, 2]);
    ply
}

/// A cube as text.
pub fn stl_ascii(name: &str) -> String {
    let mut stl = format!("solid {name}\n");
    for triangle in cube_triangles() {
        stl += " facet normal 0 0 0\n  outer loop\n";
        for [x, y, z] in triangle.map(|v| CUBE[v as usize]) {
            stl += &format!("   vertex {x} {y:e} {z}\n");
        }
        stl += "  endloop\n endfacet\n";
    }
    stl + &format!("endsolid {name}\n")
}

/// A cube in binary, with this header and trailer.
pub fn stl_binary(header: &[u8], trailer: &[u8]) -> Vec<u8> {
    let mut stl = header.to_vec();
    stl.resize(80, 0);
    stl.extend((cube_triangles().len() as u32).to_le_bytes());
    for triangle in cube_triangles() {
        stl.extend([0u8; 12]);
        triangle.iter().flat_map(|&v| CUBE[v as usize]).for_each(|c| stl.extend(c.to_le_bytes()));
        stl.extend([0x12, 0x34]);
    }
    stl.extend(trailer);
    stl
}

/// A header that begins like text and declares `triangles` triangles, followed by a few bytes.
pub fn stl_declaring(triangles: u32) -> Vec<u8> {
    let mut stl = b"solid promise".to_vec();
    stl.resize(80, 0);
    stl.extend(triangles.to_le_bytes());
    stl.resize(400, 1);
    stl
}
