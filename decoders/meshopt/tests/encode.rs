//! What is encoded decodes to the same bytes, and smooth data becomes small.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use pliant_meshopt::{EncodeError, Filter, Layout, Mode, decode, encode};

/// Reproducible random numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    fn below(&mut self, end: u32) -> u32 {
        ((u64::from(self.next()) * u64::from(end)) >> 32) as u32
    }
}

const COUNTS: [usize; 12] = [0, 1, 2, 15, 16, 17, 31, 255, 256, 257, 1000, 4003];

fn layout(mode: Mode, count: usize, stride: usize) -> Layout {
    Layout { count, stride, mode, filter: Filter::None }
}

fn bytes_of(indices: &[u32], stride: usize) -> Vec<u8> {
    indices.iter().flat_map(|index| index.to_le_bytes()[..stride].to_vec()).collect()
}

/// Encodes, decodes, and compares. Returns the size of the stream.
fn round_trip(bytes: &[u8], layout: &Layout) -> usize {
    let encoded = encode(bytes, layout).unwrap();
    let decoded = decode(&encoded, layout).unwrap();
    assert!(decoded == bytes, "{layout:?}");
    encoded.len()
}

/// A triangle that begins with its smallest corner.
fn canonical(triangle: &[u32]) -> [u32; 3] {
    let rotate = |n: usize| [triangle[n % 3], triangle[(n + 1) % 3], triangle[(n + 2) % 3]];
    [rotate(0), rotate(1), rotate(2)].into_iter().min().unwrap()
}

/// The same for triangles, which may begin with another corner.
fn triangles_round_trip(indices: &[u32]) -> usize {
    let mut size = 0;
    let is_narrow = indices.iter().all(|&index| index < 1 << 16);
    for stride in if is_narrow { &[2, 4][..] } else { &[4] } {
        let layout = layout(Mode::Triangles, indices.len(), *stride);
        let encoded = encode(&bytes_of(indices, *stride), &layout).unwrap();
        let decoded = decode(&encoded, &layout).unwrap();
        let index = |bytes: &[u8]| bytes.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte));
        let decoded: Vec<u32> = decoded.chunks_exact(*stride).map(index).collect();
        let canonical = |indices: &[u32]| indices.chunks_exact(3).map(canonical).collect::<Vec<_>>();
        assert!(canonical(&decoded) == canonical(indices), "{} indices", indices.len());
        size = encoded.len();
    }
    size
}

/// A grid of quads, each as two triangles, in rows.
fn grid(width: u32, height: u32) -> Vec<u32> {
    let quad = |x: u32, y: u32| {
        let [a, b] = [y, y + 1].map(|y| y * (width + 1) + x);
        [a, a + 1, b, b, a + 1, b + 1]
    };
    (0..height).flat_map(|y| (0..width).flat_map(move |x| quad(x, y))).collect()
}

/// Gives vertices numbers in the order in which triangles use them first.
fn in_order_of_use(indices: &mut [u32]) {
    let mut numbers = std::collections::BTreeMap::new();
    for index in indices {
        let next = numbers.len() as u32;
        *index = *numbers.entry(*index).or_insert(next);
    }
}

#[test]
fn attributes_of_every_stride_and_count_are_lossless() {
    let mut random = Random(1);
    for stride in (4..=256usize).step_by(4) {
        for count in COUNTS.into_iter().filter(|&count| count < 1000 || stride.is_power_of_two()) {
            let layout = layout(Mode::Attributes, count, stride);
            let noise: Vec<u8> = (0..count * stride).map(|_| random.next() as u8).collect();
            let size = round_trip(&noise, &layout);
            // A header of two bits per 16 bytes, and the tail.
            let groups = stride * count.div_ceil(16);
            let most = 1 + 16 * groups + stride * count.div_ceil(64).max(count.div_ceil(16)) + stride.max(32);
            assert!(size <= most, "{size} bytes, more than {most}: {layout:?}");
            let rare = noise.iter().map(|byte| if byte % 16 == 0 { *byte } else { 0 }).collect::<Vec<_>>();
            round_trip(&rare, &layout);
            let small = noise.iter().map(|byte| byte % 5).collect::<Vec<_>>();
            round_trip(&small, &layout);
            let constant = round_trip(&noise[..stride.min(noise.len())].repeat(count), &layout);
            assert!(constant <= 1 + stride.max(32) + stride * count.div_ceil(16), "{constant}: {layout:?}");
        }
    }
}

#[test]
fn smooth_attributes_become_smaller() {
    let positions = (0..10_000).flat_map(|i| {
        let angle = i as f32 * 0.01;
        [angle.cos(), angle.sin(), 0.001 * angle].map(f32::to_le_bytes)
    });
    let positions: Vec<u8> = positions.flatten().collect();
    let size = round_trip(&positions, &layout(Mode::Attributes, 10_000, 12));
    assert!(size < positions.len() * 3 / 4, "{size} of {}", positions.len());
    let joints: Vec<u8> = (0..10_000).flat_map(|i| [(i / 500) as u8, (i / 500 + 1) as u8, 0, 0]).collect();
    let size = round_trip(&joints, &layout(Mode::Attributes, 10_000, 4));
    assert!(size < joints.len() / 16, "{size} of {}", joints.len());
}

#[test]
fn grids_take_about_a_byte_per_triangle() {
    for (width, height, most) in [(1, 1, 2.0), (7, 3, 1.5), (14, 400, 1.2), (100, 100, 2.2)] {
        let mut indices = grid(width, height);
        triangles_round_trip(&indices);
        in_order_of_use(&mut indices);
        let size = triangles_round_trip(&indices) - 17;
        let per_triangle = size as f32 / (indices.len() / 3) as f32;
        assert!(per_triangle <= most, "{width} x {height}: {per_triangle} bytes per triangle");
    }
}

#[test]
fn large_lists_of_triangles_are_lossless() {
    let mut indices = grid(512, 683);
    assert!(indices.len() > 1 << 21);
    triangles_round_trip(&indices);
    // The same triangles in random order share no recent edges.
    let mut random = Random(3);
    for triangle in (1..indices.len() as u32 / 3).rev() {
        let other = random.below(triangle + 1) as usize;
        (0..3).for_each(|corner| indices.swap(3 * triangle as usize + corner, 3 * other + corner));
    }
    triangles_round_trip(&indices);
}

#[test]
fn triangles_of_every_kind_are_lossless() {
    let mut random = Random(2);
    triangles_round_trip(&[]);
    // With few vertices all triangles up to a length occur, degenerate ones too.
    for vertices in 1..=6 {
        for length in 0..60 {
            let indices: Vec<u32> = (0..3 * length).map(|_| random.below(vertices)).collect();
            triangles_round_trip(&indices);
        }
    }
    for spread in [3, 20, 300, 40_000, 1 << 20, u32::MAX] {
        for _ in 0..20 {
            let base = random.below(u32::MAX - spread + 1);
            let corner = |random: &mut Random| random.below(spread);
            let near: Vec<u32> = (0..900).map(|_| corner(&mut random)).collect();
            triangles_round_trip(&near);
            let far: Vec<u32> = near.iter().map(|index| base + index).collect();
            triangles_round_trip(&far);
        }
    }
    triangles_round_trip(&[u32::MAX, 0, u32::MAX - 1, 0, u32::MAX, 1, 1 << 31, 0, 1]);
}

#[test]
fn meshes_that_share_a_view_start_again_with_vertex_zero() {
    let mut mesh = grid(14, 20);
    in_order_of_use(&mut mesh);
    let one = triangles_round_trip(&mesh) - 17;
    let ten = triangles_round_trip(&mesh.repeat(10)) - 17;
    assert!(ten <= 10 * one + 30, "{ten} bytes, and {one} for one of ten");
    // Vertices after a restart may be those of the last triangles.
    triangles_round_trip(&[3, 1, 2, 0, 1, 2, 3, 2, 1, 0, 1, 2, 2, 0, 1, 3, 4, 5]);
}

#[test]
fn indices_of_every_kind_are_lossless() {
    let mut random = Random(4);
    for count in COUNTS {
        for spread in [1, 100, 1 << 16, 1 << 30] {
            let indices: Vec<u32> = (0..count).map(|_| random.below(spread)).collect();
            round_trip(&bytes_of(&indices, 4), &layout(Mode::Indices, count, 4));
            if spread <= 1 << 16 {
                round_trip(&bytes_of(&indices, 2), &layout(Mode::Indices, count, 2));
            }
        }
    }
    // Two interleaved sequences take one byte each.
    let strip: Vec<u32> = (0..1000).flat_map(|i| [i, 40_000 + i]).collect();
    let size = round_trip(&bytes_of(&strip, 4), &layout(Mode::Indices, 2000, 4));
    assert!(size < 2020, "{size} bytes");
}

#[test]
fn what_cannot_be_encoded_is_an_error() {
    let encode_zeros = |length: usize, layout: &Layout| encode(&vec![0; length], layout);
    let valid = layout(Mode::Attributes, 4, 8);
    assert!(encode_zeros(32, &valid).is_ok());
    assert_eq!(encode_zeros(31, &valid), Err(EncodeError::Layout));
    for layout in [
        Layout { stride: 6, ..valid },
        Layout { count: usize::MAX, ..valid },
        Layout { filter: Filter::Exponential, ..valid },
        Layout { mode: Mode::Triangles, stride: 4, count: 8, ..valid },
    ] {
        assert_eq!(encode_zeros(32, &layout), Err(EncodeError::Layout), "{layout:?}");
    }
    let far = bytes_of(&[1 << 30], 4);
    assert_eq!(encode(&far, &layout(Mode::Indices, 1, 4)), Err(EncodeError::Index));
    assert!(!EncodeError::Index.to_string().is_empty() && !EncodeError::Layout.to_string().is_empty());
}
