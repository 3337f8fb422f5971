//! Paths written in project files: `..\Shared\*.cs` in a project in `src/App` is `src/Shared/*.cs`.
//!
//! Limitations: paths are compared without regard to (ASCII) case, as on the systems most project
//! files are written on; of two files that differ in case alone, the first by path is used. A path
//! that leaves the repository resolves to nothing.

use crate::project::globs::Glob;

/// Stands for the repository's root where MSBuild would have an absolute path, so that such paths
/// can be distinguished from relative ones.
pub const ROOT: &str = "/_/";

/// What the paths of files of interface packs begin with; see `ingest/packs` of `codeagent-core`.
const PACK: &str = "pack:";

/// Returns the folder of an interface pack.
pub fn pack_folder(name: &str) -> String {
    format!("{PACK}{name}")
}

/// Reports whether a path is of a file in an interface pack.
pub fn is_packed(path: &str) -> bool {
    path.starts_with(PACK)
}

/// Returns the folder of a path; empty for the root.
pub fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns the last segment of a path.
pub fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Returns the last segment without its extension.
pub fn stem(path: &str) -> &str {
    let name = file_name(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Reports whether a path has an extension (given with its dot and in lower case), in any case.
pub fn has_extension(path: &str, extension: &str) -> bool {
    path.len() > extension.len()
        && path.as_bytes()[path.len() - extension.len()..]
            .eq_ignore_ascii_case(extension.as_bytes())
}

/// Returns a folder and all folders above it, the root (empty) last.
pub fn ancestors(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| {
        (!folder.is_empty()).then(|| folder_of(folder))
    })
}

/// Reports whether a path is in a folder or below it.
pub fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.starts_with('/'))
}

/// Returns the repo-relative form of `path`, which is relative to `folder`; either slash separates.
/// `None` if it leaves the repository.
pub fn join(folder: &str, path: &str) -> Option<String> {
    let path = path.trim().replace('\\', "/");
    let mut segments: Vec<&str> = Vec::new();
    let rest = if let Some(rest) = path.strip_prefix(ROOT) {
        rest
    } else if path.starts_with('/') || path.as_bytes().get(1) == Some(&b':') {
        return None;
    } else {
        segments.extend(folder.split('/').filter(|segment| !segment.is_empty()));
        path.as_str()
    };
    follow(&mut segments, rest)?;
    Some(segments.join("/"))
}

/// Applies a relative path to a folder's segments; `None` if that leaves the root.
pub fn follow<'p>(segments: &mut Vec<&'p str>, path: &'p str) -> Option<()> {
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop()?;
            }
            name => segments.push(name),
        }
    }
    Some(())
}

/// The files of the repository, to be found by path, folder and glob.
#[derive(Debug, Default)]
pub struct PathIndex<'a> {
    /// Lower-case and original path, sorted.
    entries: Vec<(String, &'a str)>,
}

impl<'a> PathIndex<'a> {
    /// Creates an index of some files.
    pub fn new(paths: impl Iterator<Item = &'a str>) -> Self {
        let mut entries: Vec<(String, &'a str)> = paths
            .map(|path| (path.to_ascii_lowercase(), path))
            .collect();
        entries.sort_unstable();
        Self { entries }
    }

    /// Returns the file with this path.
    pub fn find(&self, path: &str) -> Option<&'a str> {
        let lower = path.to_ascii_lowercase();
        let at = self.entries.partition_point(|(entry, _)| *entry < lower);
        self.entries
            .get(at)
            .filter(|(entry, _)| *entry == lower)
            .map(|(_, path)| *path)
    }

    /// Reports whether this path is a file or a folder of one.
    pub fn exists(&self, path: &str) -> bool {
        path.is_empty() || self.find(path).is_some() || !self.range(path).is_empty()
    }

    /// Returns the files below a folder.
    pub fn below(&self, folder: &str) -> impl Iterator<Item = &'a str> {
        self.range(folder).iter().map(|(_, path)| *path)
    }

    /// Returns the files that a glob matches.
    pub fn matching(&self, glob: &Glob) -> impl Iterator<Item = &'a str> {
        self.range(glob.folder())
            .iter()
            .filter(|(lower, _)| glob.matches_lower(lower))
            .map(|(_, path)| *path)
    }

    fn range(&self, folder: &str) -> &[(String, &'a str)] {
        if folder.is_empty() {
            return &self.entries;
        }
        let first = format!("{}/", folder.to_ascii_lowercase());
        let from = self.entries.partition_point(|(entry, _)| *entry < first);
        let length = self.entries[from..].partition_point(|(entry, _)| entry.starts_with(&first));
        &self.entries[from..from + length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_project_files_are_joined() {
        let cases = [
            ("src/App", r"..\Shared\A.cs", Some("src/Shared/A.cs")),
            ("src/App", "./B.cs", Some("src/App/B.cs")),
            ("", "A.cs", Some("A.cs")),
            ("src/App", "/_/eng/../x.props", Some("x.props")),
            ("src", "../../x", None),
            ("src", "/etc/passwd", None),
            ("src", r"C:\x", None),
        ];
        for (folder, path, expected) in cases {
            assert_eq!(join(folder, path).as_deref(), expected, "{folder} + {path}");
        }
    }

    #[test]
    fn a_folder_contains_only_its_own_files() {
        let paths = ["src/a/x.cs", "src/a.b/y.cs", "src/A/z.cs", "other.cs"];
        let index = PathIndex::new(paths.into_iter());
        assert_eq!(
            index.below("SRC/a").collect::<Vec<_>>(),
            ["src/a/x.cs", "src/A/z.cs"]
        );
        assert_eq!(index.find("Other.CS"), Some("other.cs"));
        assert!(index.exists("src/a.b") && index.exists("src") && !index.exists("src/b"));
        assert_eq!(ancestors("a/b").collect::<Vec<_>>(), ["a/b", "a", ""]);
        assert!(is_below("a/b.cs", "a") && !is_below("ab/c", "a") && is_below("x", ""));
    }
}
