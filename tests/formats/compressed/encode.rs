//! The simplest encoders of meshopt streams: everything is stored literally.

/// How a buffer view is encoded.
#[derive(Clone, Copy)]
pub struct Scheme {
    /// Name of the extension.
    pub extension: &'static str,
    /// Version of the attribute codec.
    pub version: u8,
}

/// Elements of `stride` bytes.
pub fn attributes(bytes: &[u8], stride: usize, version: u8) -> Vec<u8> {
    let block = (8192 / stride / 16 * 16).min(256);
    let mut stream = vec![0xa0 + version];
    let mut previous = bytes[..stride].to_vec();
    for elements in bytes.chunks(block * stride) {
        let count = elements.len() / stride;
        if version == 1 {
            stream.resize(stream.len() + stride / 4, 0xff);
        }
        for byte in 0..stride {
            let mut last = previous[byte];
            let mut codes: Vec<u8> = Vec::new();
            for element in elements.chunks(stride) {
                codes.push(zigzag(i32::from(element[byte].wrapping_sub(last) as i8)) as u8);
                last = element[byte];
            }
            if version == 0 {
                let groups = count.div_ceil(16);
                stream.resize(stream.len() + groups.div_ceil(4), 0xff);
                codes.resize(16 * groups, 0);
            }
            stream.extend(codes);
        }
        previous = elements[elements.len() - stride..].to_vec();
    }
    let (tail, least) = if version == 0 { (stride, 32) } else { (stride + stride / 4, 24) };
    stream.resize(stream.len() + least.max(tail) - tail, 0);
    stream.extend(&bytes[..stride]);
    stream.resize(stream.len() + tail - stride, 0);
    stream
}

/// Indices of any kind.
pub fn indices(indices: &[u32]) -> Vec<u8> {
    let mut stream = vec![0xd1];
    let mut last = 0;
    for &index in indices {
        push_varint(&mut stream, zigzag(index as i32 - last) << 1);
        last = index as i32;
    }
    stream.extend([0; 4]);
    stream
}

/// Indices of a triangle list.
pub fn triangles(indices: &[u32]) -> Vec<u8> {
    let mut stream = vec![0xe1];
    stream.resize(1 + indices.len() / 3, 0xff);
    let mut last = 0;
    for triangle in indices.chunks(3) {
        stream.push(0xff);
        for &index in triangle {
            push_varint(&mut stream, zigzag(index as i32 - last));
            last = index as i32;
        }
    }
    stream.extend([0; 16]);
    stream
}

fn zigzag(difference: i32) -> u32 {
    (difference << 1 ^ difference >> 31) as u32
}

fn push_varint(stream: &mut Vec<u8>, mut value: u32) {
    while value > 0x7f {
        stream.push(value as u8 | 0x80);
        value >>= 7;
    }
    stream.push(value as u8);
}
