//! Reads accessors with bounds checks: interleaved or packed, sparse, normalised, with or without a
//! buffer view.

use super::schema::{Accessor, BufferView, Document};
use super::{Loaded, Result, malformed};
use crate::io::{ErrorCode, ReadError};

/// Largest number of elements of an accessor without a buffer view, whose elements are zeros. If
/// larger, a tiny file can make the reader allocate memory that no bytes justify. If smaller, valid
/// sparse morph targets of large meshes are rejected.
const MAX_ZERO_ELEMENTS: usize = 1_000_000;

/// Component types of the specification.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    pub fn new(code: u32, place: &str) -> Result<Self> {
        Ok(match code {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return Err(malformed(place, format!("component type {code} does not exist"))),
        })
    }

    pub fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// The value as a float. Normalised integers are mapped to 0..1 or −1..1.
    pub fn float(self, bytes: &[u8], normalized: bool) -> f32 {
        let (value, largest) = match (self, bytes) {
            (Self::I8, &[a, ..]) => (f32::from(a as i8), 127.0),
            (Self::U8, &[a, ..]) => (f32::from(a), 255.0),
            (Self::I16, &[a, b, ..]) => (f32::from(i16::from_le_bytes([a, b])), 32767.0),
            (Self::U16, &[a, b, ..]) => (f32::from(u16::from_le_bytes([a, b])), 65535.0),
            (Self::U32, &[a, b, c, d, ..]) => (u32::from_le_bytes([a, b, c, d]) as f32, u32::MAX as f32),
            (Self::F32, &[a, b, c, d, ..]) => return f32::from_le_bytes([a, b, c, d]),
            _ => (0.0, 1.0),
        };
        if normalized { (value / largest).max(-1.0) } else { value }
    }

    /// The value as an index. Signed and floating-point types have none.
    fn index(self, bytes: &[u8]) -> Option<u32> {
        Some(match (self, bytes) {
            (Self::U8, &[a, ..]) => u32::from(a),
            (Self::U16, &[a, b, ..]) => u32::from(u16::from_le_bytes([a, b])),
            (Self::U32, &[a, b, c, d, ..]) => u32::from_le_bytes([a, b, c, d]),
            _ => return None,
        })
    }
}

/// The number of components of an element.
pub(super) fn components(shape: &str) -> Option<usize> {
    Some(match shape {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" => 4,
        "MAT4" => 16,
        _ => return None,
    })
}

impl Loaded {
    /// Reads N floats per element. `place` is the location of the reference to the accessor.
    pub(super) fn floats<const N: usize>(&self, index: usize, place: &str) -> Result<Vec<[f32; N]>> {
        let view = Elements::new(&self.document, &self.buffers, index, N, place)?;
        let (component, normalized) = (view.component, view.accessor.normalized);
        view.collect(|bytes| Some(component.float(bytes, normalized)))
    }

    /// Reads N indices per element.
    pub(super) fn indices<const N: usize>(&self, index: usize, place: &str) -> Result<Vec<[u32; N]>> {
        let view = Elements::new(&self.document, &self.buffers, index, N, place)?;
        let component = view.component;
        view.collect(|bytes| component.index(bytes))
    }

    /// The number of components per element and the number of elements.
    pub(super) fn accessor_shape(&self, index: usize, place: &str) -> Result<(usize, usize)> {
        let accessor = accessor(&self.document, index, place)?;
        let shape = components(&accessor.shape).ok_or_else(|| {
            malformed(place, format!("elements of type {} are not supported here", accessor.shape))
        })?;
        Ok((shape, accessor.count))
    }
}

fn accessor<'a>(document: &'a Document, index: usize, place: &str) -> Result<&'a Accessor> {
    document.accessors.get(index).ok_or_else(|| malformed(place, format!("accessor {index} does not exist")))
}

/// An accessor whose bytes are known to be present.
struct Elements<'a> {
    document: &'a Document,
    buffers: &'a [Vec<u8>],
    accessor: &'a Accessor,
    component: Component,
    place: String,
    /// `None` if all elements are zero.
    base: Option<Strided<'a>>,
}

/// Elements at a constant stride in a byte slice.
#[derive(Clone, Copy)]
struct Strided<'a> {
    bytes: &'a [u8],
    stride: usize,
    size: usize,
}

/// The byte range that an accessor declares for its elements.
struct ByteRange {
    view: usize,
    offset: usize,
    size: usize,
    count: usize,
}

impl<'a> Strided<'a> {
    fn element(&self, index: usize) -> &'a [u8] {
        let start = index * self.stride;
        self.bytes.get(start..start + self.size).unwrap_or_default()
    }
}

impl<'a> Elements<'a> {
    fn new(
        document: &'a Document,
        buffers: &'a [Vec<u8>],
        index: usize,
        wanted: usize,
        place: &str,
    ) -> Result<Self> {
        let accessor = accessor(document, index, place)?;
        let place = format!("{place} (accessors[{index}])");
        if components(&accessor.shape) != Some(wanted) {
            let what = format!("its elements are {}, but {wanted} components are required", accessor.shape);
            return Err(malformed(place, what));
        }
        let component = Component::new(accessor.component_type, &place)?;
        let size = wanted * component.size();
        let base = match accessor.buffer_view {
            Some(view) => {
                let range = ByteRange { view, offset: accessor.byte_offset, size, count: accessor.count };
                Some(strided(document, buffers, &range, &place)?)
            }
            None if accessor.count > MAX_ZERO_ELEMENTS => {
                let what = format!("it declares {} elements without a buffer view", accessor.count);
                return Err(ReadError::new(ErrorCode::TooLarge, place, what));
            }
            None => None,
        };
        Ok(Self { document, buffers, accessor, component, place, base })
    }

    fn collect<T: Copy + Default, const N: usize>(
        &self,
        read: impl Fn(&[u8]) -> Option<T>,
    ) -> Result<Vec<[T; N]>> {
        let size = self.component.size();
        let wrong_type = || {
            malformed(
                &self.place,
                format!("components of type {:?} cannot be used as indices", self.component),
            )
        };
        let element = |bytes: &[u8]| {
            let mut values = [T::default(); N];
            for (value, bytes) in values.iter_mut().zip(bytes.chunks_exact(size)) {
                *value = read(bytes).ok_or_else(wrong_type)?;
            }
            Ok(values)
        };
        let mut elements = match &self.base {
            Some(base) => {
                (0..self.accessor.count).map(|i| element(base.element(i))).collect::<Result<Vec<_>>>()?
            }
            None => vec![[T::default(); N]; self.accessor.count],
        };
        if let Some(sparse) = &self.accessor.sparse {
            let place = format!("{}.sparse", self.place);
            let component = Component::new(sparse.indices.component_type, &place)?;
            let strided = |view, offset, size| {
                let range = ByteRange { view, offset, size, count: sparse.count };
                strided(self.document, self.buffers, &range, &place)
            };
            let indices = strided(sparse.indices.buffer_view, sparse.indices.byte_offset, component.size())?;
            let values = strided(sparse.values.buffer_view, sparse.values.byte_offset, N * size)?;
            for i in 0..sparse.count {
                let index = component.index(indices.element(i)).ok_or_else(wrong_type)?;
                let slot = elements.get_mut(index as usize).ok_or_else(|| {
                    malformed(&place, format!("it replaces element {index}, which does not exist"))
                })?;
                *slot = element(values.element(i))?;
            }
        }
        Ok(elements)
    }
}

/// The elements in a buffer view, after checking that all of them are present.
fn strided<'a>(
    document: &'a Document,
    buffers: &'a [Vec<u8>],
    range: &ByteRange,
    place: &str,
) -> Result<Strided<'a>> {
    let &ByteRange { view, offset, size, count } = range;
    let bytes = view_bytes(document, buffers, view, place)?;
    let stride = document.buffer_views[view].byte_stride.unwrap_or(size);
    if stride < size {
        return Err(malformed(
            place,
            format!("a stride of {stride} bytes is less than the element size of {size} bytes"),
        ));
    }
    let needed = count
        .checked_sub(1)
        .map_or(Some(0), |last| last.checked_mul(stride)?.checked_add(size)?.checked_add(offset));
    match needed {
        Some(needed) if needed <= bytes.len() => {
            Ok(Strided { bytes: bytes.get(offset..).unwrap_or_default(), stride, size })
        }
        _ => {
            let what =
                format!("{count} elements do not fit into the {} bytes of buffer view {view}", bytes.len());
            Err(ReadError::new(ErrorCode::Truncated, place, what).hint("export the file again"))
        }
    }
}

/// The bytes of a buffer view.
pub(super) fn view_bytes<'a>(
    document: &Document,
    buffers: &'a [Vec<u8>],
    view: usize,
    place: &str,
) -> Result<&'a [u8]> {
    let missing = || malformed(place, format!("buffer view {view} does not exist"));
    let &BufferView { buffer, byte_offset, byte_length, .. } =
        document.buffer_views.get(view).ok_or_else(missing)?;
    let bytes =
        buffers.get(buffer).ok_or_else(|| malformed(place, format!("buffer {buffer} does not exist")))?;
    byte_offset.checked_add(byte_length).and_then(|end| bytes.get(byte_offset..end)).ok_or_else(|| {
        let what = format!("buffer view {view} reaches beyond the {} bytes of buffer {buffer}", bytes.len());
        ReadError::new(ErrorCode::Truncated, place, what).hint("export the file again")
    })
}
