//! Reads the node tree of a text file.
//!
//! A node is `Name: value, value { children }`. Values are numbers, quoted text, or bare words. An
//! array is `*count { a: number, number }`. A semicolon starts a comment.

use crate::array::Array;
use crate::document::{Document, MAX_DEPTH, Node, Position, Value, decode_text};
use crate::error::{Error, Result};

/// Version of files that do not declare one.
const DEFAULT_VERSION: u32 = 7400;

struct Parser<'a> {
    bytes: &'a [u8],
    position: usize,
    line: usize,
}

/// Reads a text file.
pub(crate) fn read(bytes: &[u8]) -> Result<Document<'_>> {
    let mut parser = Parser { bytes, position: 0, line: 1 };
    if bytes.starts_with(b"\xef\xbb\xbf") {
        parser.position = 3;
    }
    let nodes = parser.nodes(0)?;
    let mut document = Document { version: DEFAULT_VERSION, nodes, file_bytes: bytes.len() };
    let header = document.node("FBXHeaderExtension").and_then(|header| header.child_int("FBXVersion"));
    let version = header.or_else(|| document.node("FBXVersion")?.int(0));
    let version = version.and_then(|version| u32::try_from(version).ok());
    if let Some(version) = version.or_else(|| version_in_comment(bytes)) {
        document.version = version;
    }
    Ok(document)
}

/// The version that the first line declares, for example "; FBX 5.0.0 project file".
fn version_in_comment(bytes: &[u8]) -> Option<u32> {
    let line = bytes.trim_ascii_start().strip_prefix(b"; FBX ")?;
    let word = line.split(|byte| byte.is_ascii_whitespace()).next()?;
    let mut digits = word.split(|&byte| byte == b'.').map(|digit| match digit {
        [digit @ b'0'..=b'9'] => Some(u32::from(digit - b'0')),
        _ => None,
    });
    let [major, minor, patch] = [digits.next()??, digits.next()??, digits.next()??];
    Some(major * 1000 + minor * 100 + patch * 10)
}

impl<'a> Parser<'a> {
    /// Reads nodes up to a closing brace or the end of the file.
    fn nodes(&mut self, depth: usize) -> Result<Vec<Node<'a>>> {
        let mut nodes = Vec::new();
        loop {
            self.skip_space();
            match self.peek() {
                None if depth == 0 => return Ok(nodes),
                None => return Err(Error::truncated(self.place(), "the file ends within a node")),
                Some(b'}') if depth > 0 => {
                    self.position += 1;
                    return Ok(nodes);
                }
                Some(_) if depth > MAX_DEPTH => {
                    let what = format!("nodes are nested deeper than {MAX_DEPTH}");
                    return Err(Error::malformed(self.place(), what));
                }
                Some(_) => nodes.push(self.node(depth)?),
            }
        }
    }

    fn node(&mut self, depth: usize) -> Result<Node<'a>> {
        let position = Position::Line(self.line);
        let name = self.word();
        self.skip_space();
        if name.is_empty() || self.peek() != Some(b':') {
            let word = decode_text(name.get(..40).unwrap_or(name));
            return Err(Error::malformed(
                self.place(),
                format!("a name and a colon are expected, not \"{word}\""),
            ));
        }
        self.position += 1;
        let mut values = Vec::new();
        while let Some(value) = self.value()? {
            values.push(value);
        }
        self.skip_space();
        let mut children = Vec::new();
        if self.peek() == Some(b'{') {
            self.position += 1;
            children = self.nodes(depth + 1)?;
        }
        Ok(Node { name, values, children, position })
    }

    /// Reads the next value of a node. None if the next word is the name of another node.
    fn value(&mut self) -> Result<Option<Value<'a>>> {
        self.skip_space();
        let mut follows_comma = false;
        while self.peek() == Some(b',') {
            follows_comma = true;
            self.position += 1;
            self.skip_space();
        }
        match self.peek() {
            None | Some(b'{' | b'}') => Ok(None),
            Some(b'"') => self.quoted().map(Some),
            Some(b'*') => self.array().map(Some),
            Some(_) => {
                let (start, line) = (self.position, self.line);
                let word = self.word();
                if word.is_empty() {
                    let what =
                        format!("the character {} is unexpected", self.peek().unwrap_or(0).escape_ascii());
                    return Err(Error::malformed(self.place(), what));
                }
                self.skip_space();
                if self.peek() == Some(b':') && !follows_comma {
                    (self.position, self.line) = (start, line);
                    return Ok(None);
                }
                Ok(Some(bare_value(word)))
            }
        }
    }

    fn quoted(&mut self) -> Result<Value<'a>> {
        let start = self.position + 1;
        let rest = self.bytes.get(start..).unwrap_or_default();
        let Some(size) = rest.iter().position(|&byte| byte == b'"') else {
            return Err(Error::truncated(self.place(), "a quoted text does not end"));
        };
        let text = rest.get(..size).unwrap_or_default();
        self.line += count_lines(text);
        self.position = start + size + 1;
        Ok(Value::Bytes(text))
    }

    /// Reads `*count { a: numbers }`. The count is ignored: numbers are counted.
    fn array(&mut self) -> Result<Value<'a>> {
        let place = self.place();
        self.position += 1;
        self.word();
        self.skip_space();
        let rest = self.bytes.get(self.position..).unwrap_or_default();
        let body = rest.iter().position(|&byte| byte == b'}').and_then(|end| rest.get(..end));
        let Some(body) = body.filter(|body| body.first() == Some(&b'{')) else {
            return Err(Error::truncated(place, "an array does not end"));
        };
        self.line += count_lines(body);
        self.position += body.len() + 1;
        let colon = body.iter().position(|&byte| byte == b':').map_or(body.len(), |colon| colon + 1);
        let bytes = body.get(colon..).unwrap_or_default().trim_ascii();
        let commas = bytes.iter().filter(|&&byte| byte == b',').count();
        let count = if bytes.is_empty() { 0 } else { commas + 1 };
        Ok(Value::Array(Array::Text { count, bytes }))
    }

    fn word(&mut self) -> &'a [u8] {
        let rest = self.bytes.get(self.position..).unwrap_or_default();
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || b",:{}\";*".contains(byte);
        let size = rest.iter().position(is_end).unwrap_or(rest.len());
        self.position += size;
        rest.get(..size).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        let mut is_comment = false;
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' => {
                    self.line += 1;
                    is_comment = false;
                }
                b';' => is_comment = true,
                _ if is_comment || byte.is_ascii_whitespace() || byte == 0 => {}
                _ => break,
            }
            self.position += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.position).copied()
    }

    fn place(&self) -> String {
        format!("line {}", self.line)
    }
}

fn bare_value(word: &[u8]) -> Value<'_> {
    let is_number = word.first().is_some_and(|byte| byte.is_ascii_digit() || b"+-.".contains(byte));
    let text = std::str::from_utf8(word).unwrap_or_default();
    match text.parse() {
        Ok(int) => Value::Int(int),
        Err(_) if is_number => Value::Float(text.parse().unwrap_or(f64::NAN)),
        // A flag of one letter is a number in binary files.
        Err(_) => match word {
            [letter] => Value::Int(i64::from(*letter)),
            _ => Value::Bytes(word),
        },
    }
}

fn count_lines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte == b'\n').count()
}
