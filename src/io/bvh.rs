//! Reads skeletons and motions in the Biovision hierarchy format (BVH).
//!
//! Input: `HIERARCHY` with nested `ROOT` and `JOINT` blocks (`OFFSET`, `CHANNELS`, `End Site`), and
//! `MOTION` with `Frames:`, `Frame Time:` and one number per channel and frame. Output: one joint
//! per block, in file order, and one clip. Cost: linear.
//!
//! The rest pose has no rotations: every joint is at its offset from the parent. Rotations are
//! applied in the order of the channels, the first one outermost. Position channels are added to
//! the offset, as three.js does it. In some files they repeat the offset of every joint below the
//! roots; there they replace it, with a warning. An `End Site` is the tail of the bone. The format
//! declares no unit and no axes, so numbers are kept as they are, and the size is reported.

use glam::{DQuat, DVec3, Vec3};

use super::text::{self, Lines, at_line, for_message};
use super::{ErrorCode, File, ReadError, SkeletonFile, build, limits};
use crate::model::{Clip, Interpolation, Joint, Skeleton, Track, TrackValues, bounds_of};
use crate::report::{Report, Warning};

/// Largest number of keys of all tracks. If larger, a small file of short numbers takes gigabytes.
/// If smaller, long takes of whole bodies are rejected: an hour at 30 Hz with 70 joints has 7.6
/// million.
const MAX_KEYS: usize = 8 << 20;

/// Shortest and longest time between frames, in seconds. Outside this range, times of keys that
/// follow each other may be equal in 32 bits.
const FRAME_TIMES: std::ops::RangeInclusive<f64> = 1e-5..=1e5;

/// Distance between offset and position, relative to the offset, below which they are the same.
const SAME_OFFSET: f64 = 1e-3;

/// What a channel drives: an axis, by translation or by rotation.
#[derive(Clone, Copy, PartialEq)]
enum Channel {
    Position(usize),
    Rotation(usize),
}

impl Channel {
    /// The channel with this name, in any case.
    fn from_name(name: &[u8]) -> Option<Self> {
        let (axis, property) = name.split_first()?;
        let axis = b"xyz".iter().position(|letter| *letter == axis.to_ascii_lowercase())?;
        if property.eq_ignore_ascii_case(b"position") {
            Some(Self::Position(axis))
        } else {
            property.eq_ignore_ascii_case(b"rotation").then_some(Self::Rotation(axis))
        }
    }
}

/// A block of the hierarchy.
#[derive(Default)]
struct Node {
    name: String,
    parent: Option<usize>,
    offset: DVec3,
    channels: Vec<Channel>,
    /// The offset of its end site.
    end: Option<DVec3>,
}

/// Reads the skeleton and the motion.
///
/// # Errors
/// A missing or malformed word or number, with its line; counts that exceed the file or a limit; no
/// joints.
pub(super) fn read(file: &File, report: &mut Report) -> Result<SkeletonFile, ReadError> {
    let mut words = Words::new(&file.bytes);
    let nodes = hierarchy(&mut words)?;
    if nodes.is_empty() {
        return Err(ReadError::new(ErrorCode::NoSkeleton, "HIERARCHY", "it has no joints"));
    }
    let joints = joints(&nodes)?;
    note_size(&joints, report);
    let clips = motion(&mut words, &nodes, build::stem(file), report)?;
    let skeleton = Skeleton::new(joints)
        .map_err(|error| ReadError::new(ErrorCode::Malformed, "HIERARCHY", error.to_string()))?;
    Ok(SkeletonFile { skeleton, clips: clips.into_iter().collect() })
}

/// The words of a text with their lines.
struct Words<'a> {
    lines: Lines<'a>,
    /// The words of the current line that have not been taken.
    rest: &'a [u8],
    line: usize,
}

impl<'a> Words<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { lines: Lines::new(bytes), rest: &[], line: 1 }
    }

    /// The next word. Braces are words, also without white space around them.
    fn next(&mut self) -> Option<&'a [u8]> {
        loop {
            self.rest = self.rest.trim_ascii_start();
            if !self.rest.is_empty() {
                break;
            }
            (self.line, self.rest) = self.lines.next()?;
        }
        let is_end = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'{' | b'}');
        let length = self.rest.iter().position(is_end).unwrap_or(self.rest.len()).max(1);
        let (word, rest) = self.rest.split_at(length);
        self.rest = rest;
        Some(word)
    }

    /// The rest of the line up to an opening brace, for names with spaces.
    fn name(&mut self) -> String {
        let length = self.rest.iter().position(|&b| b == b'{').unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(length);
        self.rest = rest;
        String::from_utf8_lossy(name.trim_ascii()).into_owned()
    }

    fn malformed(&self, what: impl Into<String>) -> ReadError {
        text::malformed(self.line, what)
    }

    fn truncated(&self, what: &str) -> ReadError {
        ReadError::new(ErrorCode::Truncated, at_line(self.line), what).hint(limits::TRUNCATED_HINT)
    }

    /// Takes a word that must be this one, in any case.
    fn take(&mut self, expected: &str) -> Result<(), ReadError> {
        match self.next() {
            Some(word) if word.eq_ignore_ascii_case(expected.as_bytes()) => Ok(()),
            Some(word) => {
                let found = for_message(word);
                Err(self.malformed(format!("\"{expected}\" was expected, but \"{found}\" was found")))
            }
            None => Err(self.truncated(&format!("the file ends where \"{expected}\" was expected"))),
        }
    }

    /// Takes a word and parses it.
    fn parse<T: std::str::FromStr>(&mut self, what: &str) -> Result<T, ReadError> {
        let Some(word) = self.next() else {
            return Err(self.truncated(&format!("the file ends where {what} was expected")));
        };
        text::parse(word).ok_or_else(|| {
            let error = self.malformed(format!("\"{}\" is not {what}", for_message(word)));
            if word.contains(&b',') { error.hint("use decimal points, not commas") } else { error }
        })
    }

    /// Takes a finite number in the range of coordinates.
    fn number(&mut self) -> Result<f64, ReadError> {
        let number: f64 = self.parse("a number")?;
        text::checked_coordinate(number, at_line(self.line)).map(|_| number)
    }

    fn vector(&mut self) -> Result<DVec3, ReadError> {
        Ok(DVec3::new(self.number()?, self.number()?, self.number()?))
    }

    /// The number of bytes that have not been taken.
    fn remaining(&self) -> usize {
        self.rest.len() + self.lines.remaining()
    }
}

/// Reads the blocks up to `MOTION` or the end of the file.
fn hierarchy(words: &mut Words<'_>) -> Result<Vec<Node>, ReadError> {
    words.take("HIERARCHY")?;
    let mut nodes: Vec<Node> = Vec::new();
    // The open blocks; the last one is the current joint.
    let mut open: Vec<usize> = Vec::new();
    while let Some(word) = words.next() {
        let current = open.last().copied();
        match (word.to_ascii_uppercase().as_slice(), current) {
            (b"MOTION", None) => return Ok(nodes),
            (b"ROOT", None) | (b"JOINT", Some(_)) => {
                limits::check_budget(at_line(words.line), "joints", nodes.len() + 1, limits::MAX_JOINTS)?;
                let name = Some(words.name()).filter(|name| !name.is_empty());
                let name = name.unwrap_or_else(|| format!("joint {}", nodes.len()));
                words.take("{")?;
                open.push(nodes.len());
                nodes.push(Node { name, parent: current, ..Node::default() });
            }
            (b"OFFSET", Some(joint)) => nodes[joint].offset = words.vector()?,
            (b"CHANNELS", Some(joint)) => nodes[joint].channels = channels(words)?,
            (b"END", Some(joint)) => {
                words.name();
                words.take("{")?;
                words.take("OFFSET")?;
                nodes[joint].end = Some(words.vector()?);
                words.take("}")?;
            }
            (b"}", Some(_)) => {
                open.pop();
            }
            _ => {
                let error = words.malformed(format!("\"{}\" is out of place", for_message(word)));
                return Err(error.hint("a hierarchy has ROOT and JOINT blocks with OFFSET and CHANNELS"));
            }
        }
    }
    if open.is_empty() { Ok(nodes) } else { Err(words.truncated("the file ends inside the hierarchy")) }
}

fn channels(words: &mut Words<'_>) -> Result<Vec<Channel>, ReadError> {
    let count: usize = words.parse("a number of channels")?;
    if count > 6 {
        return Err(words.malformed(format!("a joint has {count} channels, and only 6 are possible")));
    }
    let mut channels = Vec::with_capacity(count);
    for _ in 0..count {
        let name = words.next().unwrap_or_default();
        let channel = Channel::from_name(name).filter(|channel| !channels.contains(channel));
        channels.push(channel.ok_or_else(|| {
            words
                .malformed(format!("\"{}\" is not a channel, or occurs twice", for_message(name)))
                .hint("channels are Xposition to Zposition and Xrotation to Zrotation")
        })?);
    }
    Ok(channels)
}

/// The joints at rest.
fn joints(nodes: &[Node]) -> Result<Vec<Joint>, ReadError> {
    let mut heads: Vec<DVec3> = Vec::with_capacity(nodes.len());
    let mut joints: Vec<Joint> = Vec::with_capacity(nodes.len());
    let mut is_parent = vec![false; nodes.len()];
    nodes.iter().filter_map(|node| node.parent).for_each(|parent| is_parent[parent] = true);
    for (node, is_parent) in nodes.iter().zip(is_parent) {
        // Parents come first in the file.
        let head = node.parent.map_or(DVec3::ZERO, |parent| heads[parent]) + node.offset;
        let tail = node.end.filter(|end| !is_parent && *end != DVec3::ZERO).map(|end| head + end);
        let at = |point: DVec3| -> Result<Vec3, ReadError> {
            let place = format!("the joint \"{}\"", node.name);
            for axis in point.to_array() {
                text::checked_coordinate(axis, &place)?;
            }
            Ok(point.as_vec3())
        };
        let parent = node.parent.map(|parent| (parent, joints[parent].head()));
        let mut joint = Joint::at(node.name.clone(), parent, at(head)?);
        // Exact, so that clips start there.
        joint.rest.translation = head;
        joint.local.translation = node.offset;
        joint.tail = tail.map(at).transpose()?;
        heads.push(head);
        joints.push(joint);
    }
    Ok(joints)
}

/// Reports the size of the skeleton, because the format declares no unit.
fn note_size(joints: &[Joint], report: &mut Report) {
    let mut points: Vec<Vec3> = joints.iter().map(Joint::head).collect();
    for joint in joints {
        points.extend(joint.tail);
    }
    let (low, high) = bounds_of(&points);
    let [x, y, z] = (high - low).to_array();
    warn(
        report,
        "HIERARCHY",
        format!(
            "BVH declares no unit; its numbers were kept, and the skeleton measures {x:.3} × {y:.3} × {z:.3}"
        ),
    );
}

fn warn(report: &mut Report, place: &str, what: String) {
    report.warn(Warning::File { place: place.into(), what });
}

/// Reads the frames after `MOTION`. `None` if there are none.
fn motion(
    words: &mut Words<'_>,
    nodes: &[Node],
    name: &str,
    report: &mut Report,
) -> Result<Option<Clip>, ReadError> {
    if words.remaining() == 0 {
        return Ok(None);
    }
    words.take("Frames:")?;
    let frames: usize = words.parse("a number of frames")?;
    words.take("Frame")?;
    words.take("Time:")?;
    let frame_time: f64 = words.parse("a time in seconds")?;
    let numbers: usize = nodes.iter().map(|node| node.channels.len()).sum();
    if frames == 0 || numbers == 0 {
        return Ok(None);
    }
    if !FRAME_TIMES.contains(&frame_time) {
        let error = words.malformed(format!("a frame cannot last {frame_time} s"));
        return Err(error.hint("the time is in seconds: 0.0333333 for 30 frames per second"));
    }
    // A number and the space before it take two bytes at least.
    limits::check_remaining(at_line(words.line), "frames", frames, 2 * numbers, words.remaining())?;
    let tracks: usize = nodes.iter().map(|node| usize::from(node.moves()) + usize::from(node.turns())).sum();
    let keys = frames.saturating_mul(tracks);
    if keys > MAX_KEYS {
        let what = format!("{frames} frames of {tracks} tracks exceed the limit of {MAX_KEYS} keys");
        let error = ReadError::new(ErrorCode::TooLarge, at_line(words.line), what);
        return Err(error.hint("cut the motion, or export it with fewer frames per second"));
    }
    let mut keys: Vec<Keys> = nodes.iter().map(|node| Keys::new(node, frames)).collect();
    for _ in 0..frames {
        for (node, keys) in nodes.iter().zip(&mut keys) {
            keys.read_frame(node, words)?;
        }
    }
    if words.next().is_some() {
        let what = format!("more numbers follow than {frames} frames have; they were ignored");
        warn(report, "MOTION", what);
    }
    use_offsets(nodes, &mut keys, report);
    let times: Vec<f32> = (0..frames).map(|frame| (frame as f64 * frame_time) as f32).collect();
    let mut clip = Clip { name: name.to_owned(), tracks: Vec::with_capacity(tracks), ..Clip::default() };
    for (joint, Keys { positions, rotations }) in keys.into_iter().enumerate() {
        for values in [TrackValues::Translation(positions), TrackValues::Rotation(rotations)] {
            if !values.is_empty() {
                let (times, interpolation) = (times.clone(), Interpolation::Linear);
                clip.tracks.push(Track { joint, times, interpolation, values });
            }
        }
    }
    Ok(Some(clip))
}

impl Node {
    /// Whether it has position channels.
    fn moves(&self) -> bool {
        self.channels.iter().any(|channel| matches!(channel, Channel::Position(_)))
    }

    /// Whether it has rotation channels.
    fn turns(&self) -> bool {
        self.channels.iter().any(|channel| matches!(channel, Channel::Rotation(_)))
    }
}

/// The keys of one joint. A list is empty if there are no channels for it.
struct Keys {
    /// As in the file.
    positions: Vec<DVec3>,
    rotations: Vec<DQuat>,
}

impl Keys {
    fn new(node: &Node, frames: usize) -> Self {
        let room = |is_used: bool| if is_used { frames } else { 0 };
        Self {
            positions: Vec::with_capacity(room(node.moves())),
            rotations: Vec::with_capacity(room(node.turns())),
        }
    }

    /// Reads the numbers of the joint in one frame.
    fn read_frame(&mut self, node: &Node, words: &mut Words<'_>) -> Result<(), ReadError> {
        let (mut position, mut rotation) = (DVec3::ZERO, DQuat::IDENTITY);
        for channel in &node.channels {
            let number = words.number()?;
            match *channel {
                Channel::Position(axis) => position[axis] = number,
                Channel::Rotation(axis) => {
                    rotation *= DQuat::from_axis_angle(DVec3::AXES[axis], number.to_radians());
                }
            }
        }
        if node.moves() {
            self.positions.push(position);
        }
        if node.turns() {
            self.rotations.push(rotation);
        }
        Ok(())
    }
}

/// Adds the offsets to the positions, except where the positions contain them already.
fn use_offsets(nodes: &[Node], keys: &mut [Keys], report: &mut Report) {
    let (mut repeated, mut others) = (0, 0);
    for (node, keys) in nodes.iter().zip(&*keys) {
        match keys.positions.first() {
            Some(first) if node.parent.is_some() && node.offset != DVec3::ZERO => {
                let is_repeated = first.distance(node.offset) <= SAME_OFFSET * node.offset.length();
                *(if is_repeated { &mut repeated } else { &mut others }) += 1;
            }
            _ => {}
        }
    }
    let are_repeated = repeated > 0 && others == 0;
    if are_repeated {
        let what = "the positions of joints repeat their offsets, so they were not added to them";
        warn(report, "MOTION", what.into());
    }
    for (node, keys) in nodes.iter().zip(keys) {
        if node.parent.is_none() || !are_repeated {
            keys.positions.iter_mut().for_each(|position| *position += node.offset);
        }
    }
}
