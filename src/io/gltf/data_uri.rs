//! `data:` URIs and percent-encoded file names.

/// The media type and the bytes of a `data:` URI. `None` for other or invalid URIs.
pub(super) fn decode(uri: &str) -> Option<(&str, Vec<u8>)> {
    let (head, body) = uri.strip_prefix("data:")?.split_once(',')?;
    match head.strip_suffix(";base64") {
        Some(mime) => Some((mime, base64(body)?)),
        None => Some((head, percent_decoded(body))),
    }
}

/// Decodes RFC 4648 base64 in either alphabet. White space and padding are skipped.
fn base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let (mut bits, mut bit_count) = (0u32, 0u32);
    for c in text.bytes() {
        let value = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' | b' ' | b'\t' | b'\r' | b'\n' => continue,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        bit_count += 6;
        if bit_count >= 8 {
            bit_count -= 8;
            bytes.push((bits >> bit_count) as u8);
            bits &= (1 << bit_count) - 1;
        }
    }
    Some(bytes)
}

/// Decodes percent escapes such as `%20`. Invalid escapes stay as they are.
pub(super) fn percent_decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escape = (bytes[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        match escape.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                decoded.push(byte);
                at += 3;
            }
            None => {
                decoded.push(bytes[at]);
                at += 1;
            }
        }
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_uris_are_decoded() {
        assert_eq!(decode("data:a/b;base64,TWFu"), Some(("a/b", b"Man".to_vec())));
        assert_eq!(decode("data:a/b;base64,TWE="), Some(("a/b", b"Ma".to_vec())));
        assert_eq!(decode("data:text/plain,a%20b%"), Some(("text/plain", b"a b%".to_vec())));
        assert_eq!(decode("data:;base64,T!"), None);
        assert_eq!(decode("file.bin"), None);
    }
}
