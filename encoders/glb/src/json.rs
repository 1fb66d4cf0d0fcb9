//! JSON objects that preserve the text of members that are not edited.
//!
//! Members keep their order. A member that is never set keeps its exact text, so materials,
//! extensions and extras are written byte for byte as they were read.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// A JSON value as text.
pub type Raw = Box<RawValue>;

/// The members of an object, in order.
#[derive(Default)]
pub struct Object {
    members: Vec<(String, Raw)>,
}

impl Object {
    /// Parses an object.
    ///
    /// # Errors
    /// If the text is not an object.
    pub fn parse(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }

    /// The member as a `T`. `None` if it is missing or has another type.
    pub fn get<'a, T: Deserialize<'a>>(&'a self, key: &str) -> Option<T> {
        let (_, raw) = self.members.iter().find(|(name, _)| name == key)?;
        serde_json::from_str(raw.get()).ok()
    }

    /// Replaces the member, or appends it.
    ///
    /// # Errors
    /// If the value has no JSON.
    pub fn set(&mut self, key: &str, value: &impl Serialize) -> serde_json::Result<()> {
        let raw = raw(value)?;
        match self.members.iter_mut().find(|(name, _)| name == key) {
            Some((_, old)) => *old = raw,
            None => self.members.push((key.to_owned(), raw)),
        }
        Ok(())
    }

    /// Removes the member, if there is one.
    pub fn remove(&mut self, key: &str) {
        self.members.retain(|(name, _)| name != key);
    }

    /// The names and texts of all members, in order.
    pub fn members(&self) -> impl Iterator<Item = (&str, &str)> {
        self.members.iter().map(|(name, raw)| (name.as_str(), raw.get()))
    }

    /// The names of all members.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|(name, _)| name.as_str())
    }
}

/// Any value as text.
///
/// # Errors
/// If the value has no JSON.
pub fn raw(value: &impl Serialize) -> serde_json::Result<Raw> {
    serde_json::value::to_raw_value(value)
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.members.len()))?;
        for (key, value) in &self.members {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Object;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry::<String, Raw>()? {
                    members.push(member);
                }
                Ok(Object { members })
            }
        }
        deserializer.deserialize_map(Members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unedited_members_keep_their_text() {
        let text = r#"{"b":1.50e2,"a":{"x" : [ 1, 2.0 ]},"c":"é"}"#;
        let mut object = Object::parse(text).unwrap();
        assert_eq!(serde_json::to_string(&object).unwrap(), text);
        object.set("c", &3).unwrap();
        object.set("d", &true).unwrap();
        assert_eq!(
            serde_json::to_string(&object).unwrap(),
            r#"{"b":1.50e2,"a":{"x" : [ 1, 2.0 ]},"c":3,"d":true}"#
        );
    }
}
