//! NuGet: the packages that a C# project references, and the contents of NuGet's own files.
//!
//! Works on texts only; `ingest::packages` reads the files. `version` compares versions and ranges,
//! `nuspec` reads the dependencies of a package, `packages_config` those of an older project,
//! `assets` reads the result of the last restore, and `nearest` chooses the framework folder of a
//! package for a project.

mod assets;
mod nuspec;
mod packages_config;
mod version;

pub use assets::{Assets, ResolvedAssembly};
pub use nuspec::{Needs, needs};
pub use packages_config::packages_config;
pub use version::{Range, Version};

use crate::project::frameworks::{Family, Framework};

/// A package that a project references.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackageReference {
    /// Id as written.
    pub id: String,
    /// Version or range; empty if there is none.
    pub version: String,
    /// Not passed on to projects that reference this one.
    pub is_private: bool,
}

/// Returns the name of a package in the symbols of its assembly: the id, which is in lower case as
/// in the user's NuGet folder, or the assembly's name if that is the id, as it is written.
#[must_use]
pub fn package_name<'a>(id: &'a str, assembly: &'a str) -> &'a str {
    if id.eq_ignore_ascii_case(assembly) {
        assembly
    } else {
        id
    }
}

/// Returns the index of the framework folder that a project uses: the newest of its own family,
/// else the newest .NET Standard; for a .NET project that finds neither, .NET Framework from 4.6.1
/// on. A project without a framework counts as the newest .NET.
#[must_use]
pub fn nearest(project: &str, folders: &[&str]) -> Option<usize> {
    let project = if project.is_empty() {
        Framework::parse(super::CURRENT)
    } else {
        Framework::parse(project)
    };

    let parsed: Vec<Framework> = folders.iter().map(|folder| framework(folder)).collect();
    let best = |fits: &dyn Fn(&Framework) -> bool| {
        let fitting = parsed.iter().enumerate().filter(|(_, folder)| fits(folder));
        let key = |folder: &Framework| {
            (
                folder.family == project.family,
                folder.version,
                !folder.platform.is_empty(),
            )
        };

        fitting
            .max_by_key(|(_, folder)| key(folder))
            .map(|(at, _)| at)
    };

    let is_fallback =
        |folder: &Framework| folder.family == Family::NetFramework && folder.version >= (4, 6, 1);
    let direct = best(&|folder| project.is_compatible_with(folder));
    direct.or_else(|| best(&is_fallback).filter(|_| project.family == Family::NetCoreApp))
}

/// Reports whether two texts name the same framework, which has several spellings.
#[must_use]
pub fn is_same_framework(left: &str, right: &str) -> bool {
    framework(left)
        .name()
        .eq_ignore_ascii_case(&framework(right).name())
}

/// Compares two framework folders by age.
#[must_use]
pub fn newer(left: &str, right: &str) -> std::cmp::Ordering {
    framework(left).rank(&framework(right))
}

/// Parses `.NETStandard2.0` and `.NETCoreApp,Version=v8.0` as well as `net8.0`.
fn framework(text: &str) -> Framework {
    let Some(long) = text.strip_prefix('.') else {
        return Framework::parse(text);
    };
    let plain = long.replace(",Version=v", "");
    let digits = plain
        .find(|c: char| c.is_ascii_digit())
        .unwrap_or(plain.len());
    let (identifier, version) = plain.split_at(digits);
    Framework::from_identifier(&format!(".{identifier}"), version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_compatible_framework_is_used() {
        let cases: &[(&str, &[&str], Option<usize>)] = &[
            (
                "net8.0",
                &["net45", "netstandard2.0", "net6.0", "net9.0"],
                Some(2),
            ),
            (
                "net8.0",
                &["net45", "netstandard2.0", "netstandard1.3"],
                Some(1),
            ),
            ("net8.0", &["net45", "net462"], Some(1)),
            ("net8.0", &["net45"], None),
            (
                "net8.0-windows",
                &["net6.0", "net8.0", "net8.0-windows7.0"],
                Some(2),
            ),
            ("net8.0", &["net8.0-windows7.0"], None),
            ("net48", &["net20", "net45", "netstandard2.0"], Some(1)),
            ("net472", &["netstandard2.0", "net6.0"], Some(0)),
            (
                "netstandard2.0",
                &["netstandard1.0", "netstandard2.1", "net45"],
                Some(0),
            ),
            (
                "net6.0",
                &[".NETFramework4.6.1", ".NETStandard2.0"],
                Some(1),
            ),
            ("", &["net9.0", "net8.0"], Some(0)),
            ("net8.0", &[], None),
        ];

        for (project, folders, expected) in cases {
            assert_eq!(
                nearest(project, folders),
                *expected,
                "{project} of {folders:?}"
            );
        }

        assert!(is_same_framework(".NETCoreApp,Version=v8.0", "net8.0"));
        assert!(is_same_framework(".NETFramework,Version=v4.7.2", "net472"));
        assert!(!is_same_framework("net8.0", "net9.0"));
    }
}
