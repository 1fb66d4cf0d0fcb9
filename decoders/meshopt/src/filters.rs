//! Filters: what is done with decoded attributes.

use super::Filter;

/// Applies a filter to elements of `stride` bytes.
pub(crate) fn apply(filter: Filter, bytes: &mut [u8], stride: usize) {
    let is_wide = stride == 8;
    match filter {
        Filter::None => {}
        Filter::Octahedral if is_wide => each_wide(bytes, |v| octahedral(v, 32767.0)),
        Filter::Octahedral => each_narrow(bytes, |v| octahedral(v, 127.0)),
        Filter::Quaternion => each_wide(bytes, quaternion),
        Filter::Exponential => {
            for value in bytes.as_chunks_mut::<4>().0 {
                *value = exponential(i32::from_le_bytes(*value)).to_le_bytes();
            }
        }
        Filter::Color if is_wide => each_wide(bytes, |v| color(v, 0xffff)),
        Filter::Color => each_narrow(bytes, |v| color(v, 0xff)),
    }
}

/// Replaces every four signed bytes.
fn each_narrow(bytes: &mut [u8], filter: impl Fn([i32; 4]) -> [i32; 4]) {
    for element in bytes.as_chunks_mut::<4>().0 {
        *element = filter(element.map(|byte| i32::from(byte as i8))).map(|value| value as u8);
    }
}

/// Replaces every four signed 16-bit integers.
fn each_wide(bytes: &mut [u8], filter: impl Fn([i32; 4]) -> [i32; 4]) {
    for element in bytes.as_chunks_mut::<8>().0 {
        let &mut [a, b, c, d, e, f, g, h] = element;
        let input = [[a, b], [c, d], [e, f], [g, h]].map(|word| i32::from(i16::from_le_bytes(word)));
        let [[a, b], [c, d], [e, f], [g, h]] = filter(input).map(|value| (value as i16).to_le_bytes());
        *element = [a, b, c, d, e, f, g, h];
    }
}

/// A unit vector. The third component is 1.0 in the precision of the first two.
fn octahedral([x, y, one, w]: [i32; 4], largest: f32) -> [i32; 4] {
    let (x, y) = (x as f32 / one as f32, y as f32 / one as f32);
    let z = 1.0 - x.abs() - y.abs();
    let fold = z.min(0.0);
    let (x, y) = (x - fold.copysign(x), y - fold.copysign(y));
    let scale = largest / (x * x + y * y + z * z).sqrt();
    [rounded(x * scale), rounded(y * scale), rounded(z * scale), w]
}

/// A unit quaternion without its largest component, whose number is in the last two bits.
fn quaternion([x, y, z, last]: [i32; 4]) -> [i32; 4] {
    let scale = std::f32::consts::FRAC_1_SQRT_2 / (last | 3) as f32;
    let [x, y, z] = [x, y, z].map(|value| value as f32 * scale);
    let w = (1.0 - x * x - y * y - z * z).max(0.0).sqrt();
    let mut output = [w, x, y, z].map(|value| rounded(value * 32767.0));
    output.rotate_right((last & 3) as usize);
    output
}

/// `2^e * m`, with the exponent in the highest 8 bits and the mantissa in the others.
fn exponential(value: i32) -> f32 {
    let (exponent, mantissa) = (value >> 24, value << 8 >> 8);
    let power = f32::from_bits(((exponent + 127).max(0) as u32) << 23);
    power * mantissa as f32
}

/// Red, green, blue and alpha from luma, chrominance and alpha. The highest bit of the alpha, which
/// is one, shows the precision.
fn color([y, co, cg, alpha]: [i32; 4], largest: i32) -> [i32; 4] {
    let (y, alpha) = (y & largest, alpha & largest);
    let all = ((1u32 << (u32::BITS - (alpha as u32).leading_zeros())) - 1) as i32;
    let rest = alpha & (all >> 1);
    let alpha = rest << 1 | rest & 1;
    let scale = largest as f32 / all as f32;
    [y + co - cg, y + cg, y - co - cg, alpha].map(|value| rounded(value as f32 * scale).clamp(0, largest))
}

/// The nearest integer; halves are rounded away from zero. Zero if it is not a number.
fn rounded(value: f32) -> i32 {
    (value + 0.5f32.copysign(value)) as i32
}
