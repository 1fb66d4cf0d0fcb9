//! Decodes the keys of curves: objects of version 7, and key lists before.

use crate::curves::{Clamp, Curve, DEFAULT_WEIGHT, Interpolation, Key, Tangent};
use crate::document::Node;
use crate::error::Result;

/// Seconds per tick of FBX time.
pub(crate) const SECONDS_PER_TICK: f64 = 1.0 / 46_186_158_000.0;

/// Bits of the flags of a key.
mod flag {
    pub const CONSTANT: i64 = 0x2;
    pub const CUBIC: i64 = 0x8;
    /// With [`CONSTANT`], the value is that of the next key.
    pub const NEXT: i64 = 0x100;
    pub const TCB: i64 = 0x200;
    pub const USER: i64 = 0x400;
    pub const CLAMP: i64 = 0x1000;
    pub const CLAMP_PROGRESSIVE: i64 = 0x4000;
    pub const RIGHT_WEIGHTED: i64 = 0x100_0000;
    pub const NEXT_LEFT_WEIGHTED: i64 = 0x200_0000;
}

/// Numbers of attribute data per run of keys.
const ATTRIBUTE_SIZE: usize = 4;

/// Tangent lengths are stored as integers in units of this.
const WEIGHT_UNIT: f64 = 1.0 / 9999.0;

/// The default length, in units. Writers round it down to this or to one less.
const DEFAULT_UNITS: u32 = 3333;

/// Reads an `AnimationCurve` object.
pub(crate) fn read_curve(node: &Node<'_>) -> Result<Option<Curve>> {
    let times = node.child_ints("KeyTime")?;
    let values = node.child_floats("KeyValueFloat")?;
    let flags = node.child_ints("KeyAttrFlags")?;
    let attributes = node.child_floats_from_bits("KeyAttrDataFloat")?;
    let counts = node.child_ints("KeyAttrRefCount")?;
    let (mut run, mut used) = (0, 0);
    let mut keys = Vec::with_capacity(times.len());
    for (time, value) in times.into_iter().zip(values) {
        while used >= counts.get(run).copied().unwrap_or(i64::MAX) {
            (run, used) = (run + 1, 0);
        }
        used += 1;
        let start = run.saturating_mul(ATTRIBUTE_SIZE);
        let data = attributes.get(start..).and_then(|rest| rest.first_chunk::<ATTRIBUTE_SIZE>());
        let flags = flags.get(run).copied().unwrap_or(0);
        keys.push(key(time as f64 * SECONDS_PER_TICK, value, flags, data.copied().unwrap_or_default()));
    }
    Ok(Curve::new(keys))
}

fn key(time: f64, value: f64, flags: i64, data: [f64; 4]) -> Key {
    let has = |bit: i64| flags & bit != 0;
    let interpolation = match () {
        () if has(flag::CONSTANT) && has(flag::NEXT) => Interpolation::ConstantNext,
        () if has(flag::CONSTANT) => Interpolation::Constant,
        () if has(flag::CUBIC) => Interpolation::Cubic,
        () => Interpolation::Linear,
    };
    let [right, next_left, packed, _] = data.map(|number| if number.is_finite() { number } else { 0.0 });
    let tangent = match () {
        () if has(flag::USER) => Tangent::Stored,
        () if has(flag::TCB) => Tangent::Tcb([right, next_left, packed]),
        () if has(flag::CLAMP_PROGRESSIVE) => Tangent::Auto(Clamp::Progressive),
        () if has(flag::CLAMP) => Tangent::Auto(Clamp::Flat),
        () => Tangent::Auto(Clamp::None),
    };
    let is_tcb = matches!(tangent, Tangent::Tcb(_));
    // Two integers of 16 bits, stored as the bits of one number.
    let packed = (data[2] as f32).to_bits();
    let weight = |bit, units: u32| {
        let is_default = !has(bit) || is_tcb || (DEFAULT_UNITS - 1..=DEFAULT_UNITS).contains(&units);
        if is_default { DEFAULT_WEIGHT } else { f64::from(units) * WEIGHT_UNIT }
    };
    let weights =
        [weight(flag::RIGHT_WEIGHTED, packed & 0xffff), weight(flag::NEXT_LEFT_WEIGHTED, packed >> 16)];
    let slopes = if is_tcb { [0.0; 2] } else { [right, next_left] };
    Key { time, value, interpolation, tangent, slopes, weights }
}

/// Versions of key lists: letters after a key became more.
mod key_version {
    /// No letter after slopes, and none after a constant.
    pub const BARE: i64 = 4003;
    /// A letter after slopes and after a constant, but none after automatic slopes.
    pub const CONSTANT: i64 = 4004;
    /// A letter after all slopes, and two after unknown ones.
    pub const FULL: i64 = 4005;

    /// The version of lists that declare none, in files of a version.
    pub fn of_file(version: u32) -> i64 {
        match version {
            0..5000 => BARE,
            5000..6000 => CONSTANT,
            _ => FULL,
        }
    }
}

/// Reads the key list of a `Channel` before version 7: numbers mixed with letters. None if it has
/// no keys. Reading stops at the first letter that is not known.
pub(crate) fn read_take_curve(channel: &Node<'_>, file_version: u32) -> Option<Curve> {
    let list = channel.child("Key")?;
    let declared = channel.child_int("KeyVer").filter(|&version| version > 0);
    let version = declared.unwrap_or_else(|| key_version::of_file(file_version));
    let mut tokens = Tokens { list, at: 0, version };
    let mut keys = Vec::new();
    while let Some(key) = tokens.key() {
        keys.push(key);
    }
    Curve::new(keys)
}

struct Tokens<'n, 'a> {
    list: &'n Node<'a>,
    at: usize,
    version: i64,
}

impl Tokens<'_, '_> {
    fn number(&mut self) -> Option<f64> {
        self.at += 1;
        self.list.float(self.at - 1)
    }

    fn letter(&mut self) -> Option<u8> {
        self.at += 1;
        self.list.int(self.at - 1).and_then(|code| u8::try_from(code).ok())
    }

    fn key(&mut self) -> Option<Key> {
        let (time, value) = (self.number()? * SECONDS_PER_TICK, self.number()?);
        let mut key = Key {
            time,
            value,
            interpolation: Interpolation::Linear,
            tangent: Tangent::Stored,
            slopes: [0.0; 2],
            weights: [DEFAULT_WEIGHT; 2],
        };
        match self.letter()? {
            b'C' => {
                let is_next = self.version > key_version::BARE && self.letter()? == b'n';
                key.interpolation =
                    if is_next { Interpolation::ConstantNext } else { Interpolation::Constant };
            }
            b'L' => {}
            b'U' => {
                key.interpolation = Interpolation::Cubic;
                self.tangents(&mut key)?;
            }
            _ => return None,
        }
        Some(key)
    }

    fn tangents(&mut self, key: &mut Key) -> Option<()> {
        let weight_groups = match self.letter()? {
            b's' | b'b' => {
                key.slopes = [self.number()?, self.number()?];
                usize::from(self.version != key_version::BARE)
            }
            b'a' => {
                key.tangent = Tangent::Auto(Clamp::Progressive);
                usize::from(self.version > key_version::CONSTANT)
            }
            // Slopes of an unknown kind.
            b'p' | b'q' => {
                key.tangent = Tangent::Auto(Clamp::Progressive);
                self.at += 2;
                if self.version > key_version::CONSTANT { 2 } else { 1 }
            }
            b'd' => {
                key.tangent = Tangent::Auto(Clamp::Progressive);
                self.at += 1;
                1
            }
            b't' => {
                key.tangent = Tangent::Tcb([self.number()?, self.number()?, self.number()?]);
                0
            }
            _ => return None,
        };
        for _ in 0..weight_groups {
            match self.letter()? {
                b'n' | b'c' => {}
                b'a' => key.weights = [self.number()?, self.number()?],
                b'l' => key.weights[1] = self.number()?,
                b'r' => key.weights[0] = self.number()?,
                _ => return None,
            }
        }
        Some(())
    }
}
