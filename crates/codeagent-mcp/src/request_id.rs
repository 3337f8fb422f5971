//! Extracts the JSON-RPC `id` from an oversized message without buffering it, by scanning its bytes
//! once for the value of key `id` in the outermost object.
//!
//! Limitations: not a parser. In malformed JSON it may find a wrong `id` or none.

use rmcp::model::RequestId;

/// Maximum bytes of the value.
const LONGEST: usize = 256;

/// The state of the scan.
#[derive(Debug, Default)]
pub struct RequestIdScanner {
    depth: usize,
    text: Option<Text>,
    /// The last string of the outermost object, with its quotes, if it is short.
    last: Vec<u8>,
    /// The value after `id`, once there is a colon.
    value: Option<Vec<u8>>,
    found: Option<RequestId>,
}

/// Inside a string.
#[derive(Debug)]
struct Text {
    is_escaped: bool,
}

impl RequestIdScanner {
    /// Scans further bytes.
    pub fn pass(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.found.is_some() {
                return;
            }
            self.step(*byte);
        }
    }

    /// Returns the `id`, if there was one.
    pub fn id(self) -> Option<RequestId> {
        self.found
    }

    fn step(&mut self, byte: u8) {
        if let Some(text) = &mut self.text {
            let ends = byte == b'"' && !text.is_escaped;
            text.is_escaped = byte == b'\\' && !text.is_escaped;
            self.keep(byte);
            if ends {
                self.text = None;
            }
            return;
        }

        match byte {
            b'"' => {
                self.text = Some(Text { is_escaped: false });
                self.last.clear();
                self.keep(byte);
            }
            b'{' | b'[' => {
                self.depth += 1;
                self.value = None;
            }
            b':' if self.depth == 1 => self.value = (self.last == b"\"id\"").then(Vec::new),
            b',' | b'}' | b']' => {
                let value = self.value.take().filter(|_| self.depth == 1);
                self.found = value.and_then(|value| serde_json::from_slice(&value).ok());
                self.depth -= usize::from(byte != b',' && self.depth > 0);
            }
            _ if self.value.is_some() => self.keep(byte),
            _ => {}
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth != 1 {
            return;
        }
        let place = self.value.as_mut().unwrap_or(&mut self.last);
        if place.len() < LONGEST {
            place.push(byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outermost_id_is_found_in_chunks_of_any_size() {
        for (message, expected) in [
            (r#"{"jsonrpc":"2.0","id":5,"method":"m"}"#, Some("5")),
            (
                r#"{"params":{"id":1,"x":["id",{"id":2}]}, "id" : "a\"}b" }"#,
                Some("a\"}b"),
            ),
            (r#"{"x":"\\","id":-7}"#, Some("-7")),
            (r#"{"x":"\",\"id\":3,","id":4}"#, Some("4")),
            (r#"{"method":"id","params":[1]}"#, None),
            (r#"{"id":null}"#, None),
            (r#"{"id":{"id":1}}"#, None),
            (r#"[{"id":1}]"#, None),
            (r#"{"id":12"#, None),
            ("}}}]", None),
        ] {
            for size in 1..message.len() {
                let mut seeker = RequestIdScanner::default();
                message
                    .as_bytes()
                    .chunks(size)
                    .for_each(|piece| seeker.pass(piece));

                assert_eq!(
                    seeker.id().map(|id| id.to_string()).as_deref(),
                    expected,
                    "{message} by {size}"
                );
            }
        }
    }
}
