//! Decodes base64, in which text files store images.

/// Decodes base64 text. None if it has other characters.
pub(crate) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0u32, 0);
    for &letter in text.iter().filter(|letter| !letter.is_ascii_whitespace() && **letter != b'=') {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn text_is_decoded() {
        assert_eq!(decode(b"aGVsbG8=").as_deref(), Some(&b"hello"[..]));
        assert_eq!(decode(b"aGVs\r\nbG8h").as_deref(), Some(&b"hello!"[..]));
        assert_eq!(decode(b"not base64!"), None);
    }
}
