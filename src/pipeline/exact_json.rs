//! JSON whose numbers are exactly those of the text.
//!
//! serde_json misses the nearest number by one bit now and then, so that a number is not the same
//! after writing and reading. Its feature `float_roundtrip` mends that, but adds 8 kB to the
//! download; the parser of the standard library is there already.

use pliant_glb::json::{Object, Raw};
use serde_json::{Number, Value};

/// Reads a JSON text.
///
/// # Errors
/// If it is not JSON.
pub(super) fn parse(text: &str) -> serde_json::Result<Value> {
    let mut value = serde_json::from_str(text)?;
    correct(&mut value, text.trim());
    Ok(value)
}

/// Replaces the numbers of `value`, which was read from `text`, by the nearest to those in `text`.
/// As deep as serde_json reads.
fn correct(value: &mut Value, text: &str) {
    match value {
        Value::Number(number) if number.is_f64() => {
            if let Some(nearest) = text.parse().ok().and_then(Number::from_f64) {
                *number = nearest;
            }
        }
        Value::Object(members) => {
            let Ok(object) = Object::parse(text) else { return };
            // In the order of the text: of members with the same name, the last one counts.
            for (name, text) in object.members() {
                members.get_mut(name).into_iter().for_each(|member| correct(member, text));
            }
        }
        // Lists of indices may be long, and are exact.
        Value::Array(items) if items.iter().any(|item| !item.is_u64()) => {
            let texts: Vec<Raw> = serde_json::from_str(text).unwrap_or_default();
            items.iter_mut().zip(&texts).for_each(|(item, text)| correct(item, text.get()));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_nearest_to_those_of_the_text() {
        for number in
            ["1e-60", "5e-324", "0.30000000000000004", "3.1622776601683794e-7", "123456789012345678901"]
        {
            let expected: f64 = number.parse().unwrap();
            assert_eq!(parse(&format!(" {number} ")).unwrap().as_f64(), Some(expected));
            let text = format!(r#"{{ "a": [ true, {{"b" : {number}}}, -{number} ], "c": 7 }}"#);
            let value = parse(&text).unwrap();
            assert_eq!(value["a"][1]["b"].as_f64(), Some(expected), "{text}");
            assert_eq!(value["a"][2].as_f64(), Some(-expected), "{text}");
            assert_eq!(value["c"].as_u64(), Some(7));
        }
    }

    #[test]
    fn of_equal_names_the_last_counts() {
        for (text, last) in [(r#"{"a": 0.5, "a": 1e-60}"#, 1e-60), (r#"{"a": {"b": 0.5}, "a": 2}"#, 2.0)] {
            assert_eq!(parse(text).unwrap()["a"].as_f64(), Some(last));
        }
    }

    #[test]
    fn deep_nesting_is_an_error() {
        assert!(parse(&"[".repeat(100_000)).is_err());
        assert!(parse(&format!("{}{}", "[".repeat(100_000), "]".repeat(100_000))).is_err());
    }
}
