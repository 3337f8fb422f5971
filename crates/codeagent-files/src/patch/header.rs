//! Compares the file names in a diff's headers with the path that the diff is applied to.
//!
//! Limitations: a name matches if it is the path or a suffix of it, because diffs are often made in
//! a subdirectory. A leading `a/` or `b/` (or another of git's prefixes) and the name of the root
//! folder are ignored.

use codeagent_workspace::{RepoPath, Workspace};

/// Prefixes that git puts before names.
const PREFIXES: [&str; 8] = ["a", "b", "c", "i", "o", "w", "1", "2"];

/// Returns the first name that does not match `path`.
pub fn other_file(names: &[String], path: &RepoPath, workspace: &Workspace) -> Option<String> {
    names
        .iter()
        .map(|name| unquoted(name))
        .find(|name| !is_named(name, path, workspace))
}

fn is_named(name: &str, path: &RepoPath, workspace: &Workspace) -> bool {
    let is_path =
        |text: &str| RepoPath::normalized(text).is_ok_and(|found| is_end_of(&found, path));
    // `git diff --no-index` puts its prefix before absolute paths too.
    let is_absolute = |text: &str| workspace.resolve(text).is_ok_and(|found| found == *path);
    if std::path::Path::new(name).is_absolute() {
        return is_absolute(name);
    }
    let Some((first, rest)) = name.split_once('/') else {
        return is_path(name);
    };

    let root = workspace.root().file_name().and_then(|name| name.to_str());
    let after_root = |text: &str| {
        text.split_once('/')
            .is_some_and(|(first, rest)| Some(first) == root && is_path(rest))
    };
    is_path(name)
        || after_root(name)
        || PREFIXES.contains(&first)
            && (is_path(rest) || after_root(rest) || is_absolute(&format!("/{rest}")))
}

fn is_end_of(name: &RepoPath, path: &RepoPath) -> bool {
    !name.is_root()
        && path
            .as_str()
            .strip_suffix(name.as_str())
            .is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// Decodes git's quoting of unusual names: `"a/\303\244.txt"`.
fn unquoted(name: &str) -> String {
    let Some(inside) = name
        .strip_prefix('"')
        .and_then(|name| name.strip_suffix('"'))
    else {
        return name.to_owned();
    };

    let (mut bytes, mut rest) = (Vec::new(), inside.as_bytes());
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'\\' {
            bytes.push(*byte);
            continue;
        }

        let octal = rest
            .get(..3)
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        if let Some(value) = octal {
            bytes.push(value);
            rest = &rest[3..];
        } else if let Some((escaped, after)) = rest.split_first() {
            bytes.push(match escaped {
                b't' => b'\t',
                b'n' => b'\n',
                b'r' => b'\r',
                other => *other,
            });
            rest = after;
        }
    }

    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_must_name_the_patched_file() {
        let outer = tempfile::tempdir().unwrap();
        std::fs::create_dir(outer.path().join("repo")).unwrap();
        let workspace = Workspace::open(outer.path().join("repo")).unwrap();
        let root = workspace.root().display().to_string();
        let path = RepoPath::new("src/\u{e4} b.cs").unwrap();

        for name in [
            "a/src/\u{e4} b.cs",
            "b/src/\u{e4} b.cs",
            "src/\u{e4} b.cs",
            "./src/\u{e4} b.cs",
            "\u{e4} b.cs",
            "b/\u{e4} b.cs",
            "\"a/src/\\303\\244 b.cs\"",
            "repo/src/\u{e4} b.cs",
            "a/repo/src/\u{e4} b.cs",
            &format!("{root}/src/\u{e4} b.cs"),
            &format!("a{root}/src/\u{e4} b.cs"),
        ] {
            assert_eq!(
                other_file(&[name.to_owned()], &path, &workspace),
                None,
                "{name}"
            );
        }

        for name in [
            "a/src/b.cs",
            "b.cs",
            "a/lib/src/\u{e4} b.cs",
            "a/",
            "",
            "../src/\u{e4} b.cs",
            "/src/\u{e4} b.cs",
            "a/src/\u{e4} b.cs.orig",
        ] {
            assert_eq!(
                other_file(&[name.to_owned()], &path, &workspace),
                Some(name.to_owned()),
                "{name}"
            );
        }
    }
}
