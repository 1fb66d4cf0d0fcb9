//! Streams of every mode, version and filter, made with another encoder.
//!
//! `data/vectors.bin` has per stream: mode, filter, then count, stride, and the lengths of the
//! compressed and the decoded bytes in 16 bits each, and then these bytes.

use pliant_meshopt::{DecodeError, Filter, Layout, Mode, decode};

const VECTORS: &[u8] = include_bytes!("data/vectors.bin");

struct Stream {
    layout: Layout,
    compressed: Vec<u8>,
    decoded: Vec<u8>,
}

fn streams() -> Vec<Stream> {
    let mut streams = Vec::new();
    let mut rest = VECTORS;
    while let Some((header, after)) = rest.split_first_chunk::<10>() {
        let word = |at: usize| usize::from(u16::from_le_bytes([header[at], header[at + 1]]));
        let mode = [Mode::Attributes, Mode::Triangles, Mode::Indices][usize::from(header[0])];
        let filters =
            [Filter::None, Filter::Octahedral, Filter::Quaternion, Filter::Exponential, Filter::Color];
        let filter = filters[usize::from(header[1])];
        let layout = Layout { count: word(2), stride: word(4), mode, filter };
        let (compressed, after) = after.split_at(word(6));
        let (decoded, after) = after.split_at(word(8));
        streams.push(Stream { layout, compressed: compressed.to_vec(), decoded: decoded.to_vec() });
        rest = after;
    }
    streams
}

/// The largest difference between two results, in units of the last place.
fn difference(stream: &Stream, decoded: &[u8]) -> i32 {
    let narrow = |bytes: &[u8]| bytes.iter().map(|&byte| i32::from(byte as i8)).collect::<Vec<_>>();
    let wide = |bytes: &[u8]| {
        let words = bytes.chunks_exact(2);
        words.map(|word| i32::from(i16::from_le_bytes([word[0], word[1]]))).collect::<Vec<_>>()
    };
    let values = |bytes: &[u8]| if stream.layout.stride == 8 { wide(bytes) } else { narrow(bytes) };
    let pairs = values(decoded).into_iter().zip(values(&stream.decoded));
    pairs.map(|(a, b)| (a - b).abs()).max().unwrap_or_default()
}

#[test]
fn every_mode_version_and_filter_is_decoded() {
    let streams = streams();
    assert_eq!(streams.len(), 22);
    for (index, stream) in streams.iter().enumerate() {
        let decoded = decode(&stream.compressed, &stream.layout).unwrap();
        match stream.layout.filter {
            Filter::None | Filter::Exponential => assert_eq!(decoded, stream.decoded, "stream {index}"),
            // The extension allows a difference of one.
            Filter::Octahedral | Filter::Quaternion | Filter::Color => {
                assert!(difference(stream, &decoded) <= 1, "stream {index}");
            }
        }
    }
}

#[test]
fn damaged_streams_never_panic() {
    for stream in streams() {
        for length in 0..stream.compressed.len() {
            let truncated = decode(&stream.compressed[..length], &stream.layout);
            assert!(length > 0 || truncated.is_err());
            for bit in 0..8 {
                let mut damaged = stream.compressed.clone();
                damaged[length] ^= 1 << bit;
                let size = stream.layout.count * stream.layout.stride;
                assert!(decode(&damaged, &stream.layout).map_or(true, |decoded| decoded.len() == size));
            }
        }
    }
}

#[test]
fn false_counts_are_rejected_before_memory_is_allocated() {
    for stream in streams() {
        let counts = [0, 3 * 1_000_000, usize::MAX / 256 / 3 * 3, usize::MAX / 3 * 3];
        for count in counts {
            let layout = Layout { count, ..stream.layout };
            let error = decode(&stream.compressed, &layout).unwrap_err();
            assert!(!error.to_string().is_empty());
        }
    }
}

#[test]
fn layouts_that_the_extension_forbids_are_rejected() {
    let stream = &streams()[0];
    let forbidden = [
        Layout { stride: 6, ..stream.layout },
        Layout { stride: 0, ..stream.layout },
        Layout { stride: 260, ..stream.layout },
        Layout { filter: Filter::Quaternion, ..stream.layout },
        Layout { filter: Filter::Octahedral, ..stream.layout },
        Layout { mode: Mode::Triangles, stride: 4, count: 4, ..stream.layout },
        Layout { mode: Mode::Indices, stride: 4, filter: Filter::Exponential, ..stream.layout },
    ];
    for layout in forbidden {
        assert_eq!(decode(&stream.compressed, &layout), Err(DecodeError::Layout), "{layout:?}");
    }
}

#[test]
fn version_0_of_triangles_has_no_relative_codes() {
    // Three new vertices, then the first edge with the vertex that is pushed last but 12.
    let mut stream = vec![0xe0];
    stream.extend([0xf0; 5]);
    stream.push(0x0d);
    stream.extend([0; 16]);
    let layout = Layout { count: 18, stride: 2, mode: Mode::Triangles, filter: Filter::None };
    let decoded = decode(&stream, &layout).unwrap();
    let last: Vec<u16> = decoded[30..].chunks(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect();
    assert_eq!(last, [12, 14, 1]);
}
