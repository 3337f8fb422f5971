//! Minimal protobuf writer, for ONNX models: numbers, texts and nested messages.
//!
//! Limitations: writes only. A library would add a macro, a build step or three crates to replace a
//! few lines.

/// A message under construction. Fields may be written in any order; repeated calls write a list.
#[derive(Default)]
pub(crate) struct Message(Vec<u8>);

const VARINT: u64 = 0;
const LENGTH_DELIMITED: u64 = 2;
const FIXED_32: u64 = 5;

impl Message {
    /// Writes an integer. Negative integers take ten bytes, as the format requires.
    pub(crate) fn int(&mut self, field: u64, value: i64) -> &mut Self {
        self.tag(field, VARINT);
        self.varint(value.cast_unsigned());
        self
    }

    /// Writes a single-precision number.
    pub(crate) fn float(&mut self, field: u64, value: f32) -> &mut Self {
        self.tag(field, FIXED_32);
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    pub(crate) fn bytes(&mut self, field: u64, value: &[u8]) -> &mut Self {
        self.tag(field, LENGTH_DELIMITED);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
        self
    }

    pub(crate) fn text(&mut self, field: u64, value: &str) -> &mut Self {
        self.bytes(field, value.as_bytes())
    }

    /// Writes a nested message.
    pub(crate) fn message(&mut self, field: u64, value: &Self) -> &mut Self {
        self.bytes(field, &value.0)
    }

    /// Returns the encoded message.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    fn tag(&mut self, field: u64, kind: u64) {
        self.varint(field << 3 | kind);
    }

    /// Writes a number as a varint: seven bits per byte, lowest first; the eighth bit means that
    /// more follow.
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the format's specification.
    #[test]
    fn encoding_follows_the_protobuf_format() {
        let mut number = Message::default();
        number.int(1, 150);
        assert_eq!(number.0, [0x08, 0x96, 0x01]);

        let mut text = Message::default();
        text.text(2, "testing");
        assert_eq!(
            text.0,
            [0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67]
        );

        let mut outer = Message::default();
        outer.message(3, &number);
        assert_eq!(outer.0, [0x1a, 0x03, 0x08, 0x96, 0x01]);

        let mut negative = Message::default();
        negative.int(1, -1);
        assert_eq!(negative.0, [&[0x08][..], &[0xff; 9], &[0x01]].concat());

        let mut float = Message::default();
        float.float(4, 1.0);
        assert_eq!(float.0, [0x25, 0x00, 0x00, 0x80, 0x3f]);
    }
}
