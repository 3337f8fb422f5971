//! `file:` URIs of absolute paths.
//!
//! Limitations: URIs of other hosts have no path.

use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The bytes of a path that a URI escapes: all but RFC 3986's unreserved characters and `/`.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');

/// Returns the URI of an absolute path; `None` if the path is not UTF-8.
#[must_use]
pub fn file_uri(path: &Path) -> Option<String> {
    let path = path.to_str()?;
    let path = if cfg!(windows) {
        format!("/{}", path.replace('\\', "/"))
    } else {
        path.to_owned()
    };
    Some(format!("file://{}", utf8_percent_encode(&path, ESCAPED)))
}

/// Returns the path of a `file:` URI; `None` for other URIs and relative paths.
#[must_use]
pub fn path_of_file_uri(uri: &str) -> Option<PathBuf> {
    let rest = uri
        .get(..7)
        .filter(|scheme| scheme.eq_ignore_ascii_case("file://"))
        .and(uri.get(7..))?;
    let path = rest
        .strip_prefix("localhost")
        .filter(|path| path.starts_with('/'))
        .unwrap_or(rest);
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let decoded = percent_decoded(path)?;

    let path = if cfg!(windows) {
        decoded.trim_start_matches('/').to_owned()
    } else {
        decoded
    };

    let path = PathBuf::from(path);
    path.is_absolute().then_some(path)
}

/// Decodes the path of a URI; returns `None` if an escape is malformed or the result is not a path.
fn percent_decoded(text: &str) -> Option<String> {
    let is_escape = |after: &str| {
        let digits = after.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    // The decoder would keep malformed escapes.
    if !text.split('%').skip(1).all(is_escape) {
        return None;
    }
    let path = percent_decode_str(text).decode_utf8().ok()?;
    (!path.contains('\0')).then(|| path.into_owned())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn file_uris_become_paths() {
        for (uri, expected) in [
            ("file:///srv/me/a", Some("/srv/me/a")),
            ("FILE:///srv/me/a%20b%C3%A9", Some("/srv/me/a b\u{e9}")),
            ("file://localhost/srv", Some("/srv")),
            ("file:///a?x#y", Some("/a")),
            ("file:///a%23b", Some("/a#b")),
            ("file://server/share", None),
            ("file:relative", None),
            ("file:///a%00b", None),
            ("file:///a%zz", None),
            ("file:///a%4", None),
            ("file:///a%+4", None),
            ("file:///a%FF", None),
            ("https://example.com/a", None),
            ("vscode-remote://ssh/a", None),
            ("", None),
            ("file:/\u{e9}\u{e9}", None),
        ] {
            assert_eq!(path_of_file_uri(uri), expected.map(PathBuf::from), "{uri}");
        }
    }
    #[test]
    fn paths_survive_the_way_through_a_uri() {
        for path in [
            "/srv/me/a.ts",
            "/a b/c#d?e%f/\u{e9}.cs",
            "/x/[id]/(y)+z.tsx",
        ] {
            let uri = file_uri(Path::new(path)).unwrap();
            assert!(uri.is_ascii() && uri.starts_with("file:///"), "{uri}");
            assert_eq!(path_of_file_uri(&uri), Some(PathBuf::from(path)), "{uri}");
        }
    }
}
