//! A small JSON writer.

use std::fmt::Write;

/// A JSON value. Members of objects keep their order, so the same model gives the same bytes.
pub(crate) enum Json {
    Bool(bool),
    Int(usize),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(&'static str, Json)>),
}

impl Json {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(crate) fn ints(list: impl IntoIterator<Item = usize>) -> Self {
        Self::List(list.into_iter().map(Self::Int).collect())
    }

    pub(crate) fn numbers(list: impl IntoIterator<Item = f64>) -> Self {
        Self::List(list.into_iter().map(Self::Number).collect())
    }

    /// Adds a member to an object.
    pub(crate) fn push(&mut self, name: &'static str, value: Json) {
        if let Self::Object(members) = self {
            members.push((name, value));
        }
    }

    pub(crate) fn write(&self, out: &mut String) {
        match self {
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            // Writing to a string cannot fail.
            Self::Int(value) => drop(write!(out, "{value}")),
            Self::Number(value) if value.is_finite() => drop(write!(out, "{value}")),
            Self::Number(_) => out.push('0'),
            Self::Text(text) => write_text(text, out),
            Self::List(list) => write_list(list, '[', ']', out, |item, out| item.write(out)),
            Self::Object(members) => write_list(members, '{', '}', out, |(name, value), out| {
                write_text(name, out);
                out.push(':');
                value.write(out);
            }),
        }
    }
}

fn write_list<T>(list: &[T], open: char, close: char, out: &mut String, write: impl Fn(&T, &mut String)) {
    out.push(open);
    for (index, item) in list.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(item, out);
    }
    out.push(close);
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            letter if u32::from(letter) < 0x20 => drop(write!(out, "\\u{:04x}", u32::from(letter))),
            letter => out.push(letter),
        }
    }
    out.push('"');
}
