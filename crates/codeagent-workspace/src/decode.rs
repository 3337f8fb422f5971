//! Text decoding and binary detection: `EF BB BF 63` is `c`, `FF FE 63 00` is `c`, a PNG is binary.
//!
//! Limitations: UTF-8, and UTF-16 with a byte order mark. Other encodings are read as UTF-8 with
//! replacement characters, and flagged.

/// How the bytes of a text were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8 without a byte order mark.
    Utf8,
    /// UTF-8 with a byte order mark.
    Utf8Bom,
    /// UTF-16, little endian.
    Utf16Le,
    /// UTF-16, big endian.
    Utf16Be,
}

/// A decoded text without its byte order mark.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    pub(crate) text: String,
    pub(crate) encoding: Encoding,
    /// Whether invalid bytes were replaced by U+FFFD.
    pub(crate) lossy: bool,
}

/// Number of leading bytes that are searched for signs of a binary file.
const BINARY_WINDOW: usize = 8192;

/// Number of leading bytes for each NUL that a text may have, as in the literal of a separator.
const BYTES_PER_NUL: usize = 200;

/// Magic bytes of binary formats, including formats without an early NUL.
const MAGIC: &[(&[u8], &str)] = &[
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"PK\x05\x06", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"BZh", "application/x-bzip2"),
    (b"\xfd7zXZ\0", "application/x-xz"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"\x7fELF", "application/x-executable"),
    (b"\0asm", "application/wasm"),
    (b"SQLite format 3\0", "application/vnd.sqlite3"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"OTTO", "font/otf"),
    (b"OggS", "application/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"\xca\xfe\xba\xbe", "application/java-vm"),
];

/// MIME types by extension, used only for files with a NUL.
const EXTENSIONS: &[(&str, &str)] = &[
    ("dll", "application/vnd.microsoft.portable-executable"),
    ("exe", "application/vnd.microsoft.portable-executable"),
    ("pdb", "application/octet-stream"),
    ("ico", "image/vnd.microsoft.icon"),
    ("bmp", "image/bmp"),
    ("webp", "image/webp"),
    ("tif", "image/tiff"),
    ("tiff", "image/tiff"),
    ("mp4", "video/mp4"),
    ("mov", "video/quicktime"),
    ("wav", "audio/wav"),
    ("ttf", "font/ttf"),
    ("tar", "application/x-tar"),
    ("snk", "application/octet-stream"),
];

/// Returns the MIME type of a binary file; `None` for text.
pub(crate) fn binary_type(name: &str, bytes: &[u8]) -> Option<&'static str> {
    if let Some((_, mime)) = MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Some(mime);
    }
    if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        return Some("image/webp");
    }

    // A UTF-32 byte order mark starts like a UTF-16 one.
    let utf16 = (bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff"))
        && !bytes.starts_with(b"\xff\xfe\0\0");
    let window = &bytes[..bytes.len().min(BINARY_WINDOW)];
    if utf16 || !window.contains(&0) || is_text_with_nuls(window) {
        return None;
    }

    let extension = name
        .rsplit_once('.')
        .map_or("", |(_, extension)| extension)
        .to_ascii_lowercase();

    Some(
        EXTENSIONS
            .iter()
            .find(|(known, _)| *known == extension)
            .map_or("application/octet-stream", |(_, mime)| mime),
    )
}

/// Reports whether bytes are UTF-8 without other control characters and with few NULs.
fn is_text_with_nuls(window: &[u8]) -> bool {
    let is_control = |byte: &&u8| **byte < b' ' && !b"\0\t\n\r\x0c".contains(*byte);
    let nuls = window.iter().filter(|byte| **byte == 0).count();
    let is_utf8 = match std::str::from_utf8(window) {
        Ok(_) => true,
        // The last character may be cut off.
        Err(error) => error.error_len().is_none(),
    };
    is_utf8 && nuls * BYTES_PER_NUL <= window.len() && !window.iter().any(|byte| is_control(&byte))
}

/// Decodes bytes that are not binary.
pub(crate) fn decode(bytes: Vec<u8>) -> Decoded {
    match bytes.as_slice() {
        [0xef, 0xbb, 0xbf, rest @ ..] => decode_utf8(rest.to_vec(), Encoding::Utf8Bom),
        [0xff, 0xfe, rest @ ..] => decode_utf16(rest, u16::from_le_bytes, Encoding::Utf16Le),
        [0xfe, 0xff, rest @ ..] => decode_utf16(rest, u16::from_be_bytes, Encoding::Utf16Be),
        _ => decode_utf8(bytes, Encoding::Utf8),
    }
}

fn decode_utf8(bytes: Vec<u8>, encoding: Encoding) -> Decoded {
    match String::from_utf8(bytes) {
        Ok(text) => Decoded {
            text,
            encoding,
            lossy: false,
        },
        Err(error) => Decoded {
            text: String::from_utf8_lossy(error.as_bytes()).into_owned(),
            encoding,
            lossy: true,
        },
    }
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16, encoding: Encoding) -> Decoded {
    let pairs = bytes.chunks_exact(2);
    let mut lossy = !pairs.remainder().is_empty();

    let units = pairs.map(|pair| unit([pair[0], pair[1]]));
    let text = char::decode_utf16(units)
        .map(|decoded| {
            decoded.unwrap_or_else(|_| {
                lossy = true;
                char::REPLACEMENT_CHARACTER
            })
        })
        .collect();

    Decoded {
        text,
        encoding,
        lossy,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_decoded() {
        let table: &[(&[u8], &str, Encoding, bool)] = &[
            (b"", "", Encoding::Utf8, false),
            (b"a\r\n", "a\r\n", Encoding::Utf8, false),
            (b"\xef\xbb\xbfa", "a", Encoding::Utf8Bom, false),
            (b"\xff\xfea\0\xe4\0", "a\u{e4}", Encoding::Utf16Le, false),
            (
                b"\xfe\xff\0a\xd8\x3d\xde\x00",
                "a\u{1f600}",
                Encoding::Utf16Be,
                false,
            ),
            (b"\xff\xfea\0b", "a", Encoding::Utf16Le, true),
            (b"\xff\xfe\x3d\xd8a\0", "\u{fffd}a", Encoding::Utf16Le, true),
            (b"a\xe4b", "a\u{fffd}b", Encoding::Utf8, true),
        ];

        for (bytes, text, encoding, lossy) in table {
            let decoded = decode(bytes.to_vec());
            assert_eq!(
                (decoded.text.as_str(), decoded.encoding, decoded.lossy),
                (*text, *encoding, *lossy),
                "{bytes:?}"
            );
        }
    }

    #[test]
    fn binary_files_are_detected() {
        let table: &[(&str, &[u8], Option<&str>)] = &[
            ("a.cs", b"class C {}", None),
            ("a.cs", b"\xff\xfec\0", None),
            (
                "a.txt",
                b"\xff\xfe\0\0c\0\0\0",
                Some("application/octet-stream"),
            ),
            ("a.png", b"\x89PNG\r\n\x1a\n", Some("image/png")),
            (
                "a.dll",
                b"MZ\x90\0\x03",
                Some("application/vnd.microsoft.portable-executable"),
            ),
            ("a.pdf", b"%PDF-1.4 without a zero", Some("application/pdf")),
            ("a", b"x\0y", Some("application/octet-stream")),
        ];

        for (name, bytes, mime) in table {
            assert_eq!(binary_type(name, bytes), *mime, "{name}");
        }

        let mut separator = vec![b'a'; BYTES_PER_NUL];
        separator[1] = 0;
        assert_eq!(binary_type("a.ts", &separator), None);
        separator[0] = 1;
        assert!(
            binary_type("a.ts", &separator).is_some(),
            "a control character"
        );
        separator[0] = 0;
        assert!(binary_type("a.ts", &separator).is_some(), "two NULs");

        let mut late = vec![b'a'; BINARY_WINDOW];
        late.push(0);
        assert_eq!(binary_type("a.txt", &late), None);
    }
}
