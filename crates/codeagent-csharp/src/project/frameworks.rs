//! Target frameworks: their order (`net8.0` is newer than `netstandard2.0`), the symbols they
//! define (`NET6_0_OR_GREATER`), and the libraries they can use (`netstandard2.1`).
//!
//! Limitations: frameworks out of use (Silverlight, WinRT, portable profiles, UWP) rank below all
//! others and define nothing. Platforms (`net8.0-windows10.0.19041`) define their name and version
//! as written, not the older versions of the platform.

use std::cmp::Ordering;

/// Families of frameworks, the preferred one last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Family {
    Other,
    NetFramework,
    NetStandard,
    /// .NET Core and .NET 5 and later.
    NetCoreApp,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Framework {
    pub family: Family,
    /// Major, minor, patch.
    pub version: (u32, u32, u32),
    /// `windows10.0`, empty if none.
    pub platform: String,
    /// The moniker as written.
    text: String,
}

const NETCORE: [(u32, u32); 7] = [(1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (3, 0), (3, 1)];
const NETSTANDARD: [(u32, u32); 9] = [
    (1, 0),
    (1, 1),
    (1, 2),
    (1, 3),
    (1, 4),
    (1, 5),
    (1, 6),
    (2, 0),
    (2, 1),
];
const NETFRAMEWORK: [(u32, u32, u32); 14] = [
    (2, 0, 0),
    (3, 0, 0),
    (3, 5, 0),
    (4, 0, 0),
    (4, 5, 0),
    (4, 5, 1),
    (4, 5, 2),
    (4, 6, 0),
    (4, 6, 1),
    (4, 6, 2),
    (4, 7, 0),
    (4, 7, 1),
    (4, 7, 2),
    (4, 8, 0),
];

impl Framework {
    /// Parses a moniker; every text is accepted.
    pub(super) fn parse(text: &str) -> Self {
        let text = text.trim();
        let lower = text.to_ascii_lowercase();
        let (base, platform) = lower.split_once('-').unwrap_or((&lower, ""));

        let (family, version) = if let Some(rest) = base.strip_prefix("netcoreapp") {
            (Family::NetCoreApp, dotted_or_digits(rest))
        } else if let Some(rest) = base.strip_prefix("netstandard") {
            (Family::NetStandard, dotted_or_digits(rest))
        } else if let Some(rest) = base.strip_prefix("net") {
            let version = dotted_or_digits(rest);
            (
                if version.is_some_and(|(major, ..)| major >= 5) {
                    Family::NetCoreApp
                } else {
                    Family::NetFramework
                },
                version,
            )
        } else {
            (Family::Other, None)
        };

        match version {
            Some(version) => Self {
                family,
                version,
                platform: platform.to_owned(),
                text: text.to_owned(),
            },
            None => Self {
                family: Family::Other,
                version: (0, 0, 0),
                platform: String::new(),
                text: text.to_owned(),
            },
        }
    }

    /// Parses `.NETFramework` and `v4.5`, the pair of properties in projects without an SDK.
    pub(super) fn from_identifier(identifier: &str, version: &str) -> Self {
        let version = version.trim_start_matches(['v', 'V']);
        let name = match identifier {
            "" | ".NETFramework" => format!("net{}", version.replace('.', "")),
            ".NETStandard" => format!("netstandard{version}"),
            ".NETCoreApp" if version.starts_with(['1', '2', '3']) => format!("netcoreapp{version}"),
            ".NETCoreApp" => format!("net{version}"),
            other => format!(
                "{}{version}",
                other.trim_start_matches('.').to_ascii_lowercase()
            ),
        };
        Self::parse(&name)
    }

    /// Returns the usual spelling: `net5.0` for `net50`.
    pub(super) fn name(&self) -> String {
        let (major, minor, _) = self.version;
        let base = match self.family {
            Family::Other => return self.text.clone(),
            Family::NetCoreApp if major >= 5 => format!("net{major}.{minor}"),
            Family::NetCoreApp => format!("netcoreapp{major}.{minor}"),
            Family::NetStandard => format!("netstandard{major}.{minor}"),
            Family::NetFramework => format!("net{}", self.digits()),
        };
        if self.platform.is_empty() {
            base
        } else {
            format!("{base}-{}", self.platform)
        }
    }

    /// Returns MSBuild's `TargetFrameworkIdentifier`, such as `.NETCoreApp`.
    pub(super) fn identifier(&self) -> &'static str {
        match self.family {
            Family::Other => "",
            Family::NetFramework => ".NETFramework",
            Family::NetStandard => ".NETStandard",
            Family::NetCoreApp => ".NETCoreApp",
        }
    }

    /// Returns the version, such as `8.0` or `4.7.2`.
    pub(super) fn version_text(&self) -> String {
        match self.version {
            (major, minor, 0) => format!("{major}.{minor}"),
            (major, minor, patch) => format!("{major}.{minor}.{patch}"),
        }
    }

    /// Returns the platform without its version: `windows` of `windows10.0`.
    pub(super) fn platform_name(&self) -> &str {
        self.platform
            .trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
    }

    /// Compares by age; at equal age the framework without a platform is newer.
    pub(super) fn rank(&self, other: &Self) -> Ordering {
        let key = |framework: &Self| {
            (
                framework.family,
                framework.version,
                framework.platform.is_empty(),
            )
        };
        key(self).cmp(&key(other))
    }

    /// Reports whether a project of this framework can use a library of another one.
    pub(super) fn is_compatible_with(&self, library: &Self) -> bool {
        if !library.platform.is_empty() && library.platform_name() != self.platform_name() {
            return false;
        }
        match (self.family, library.family) {
            (Family::Other, _) | (_, Family::Other) => {
                self.text.eq_ignore_ascii_case(&library.text)
            }
            (a, b) if a == b => self.version >= library.version,
            (_, Family::NetStandard) => self.newest_standard() >= library.version,
            _ => false,
        }
    }

    /// Returns the preprocessor symbols that the SDK defines for the framework.
    pub(super) fn symbols(&self) -> Vec<String> {
        let mut symbols: Vec<String> = Vec::new();
        let (major, minor, _) = self.version;
        let below = |line: &str, versions: &[(u32, u32)]| -> Vec<String> {
            versions
                .iter()
                .filter(|version| **version <= (major, minor))
                .map(|(a, b)| format!("{line}{a}_{b}_OR_GREATER"))
                .collect()
        };

        match self.family {
            Family::Other => return symbols,
            Family::NetCoreApp => {
                symbols.push("NETCOREAPP".to_owned());
                symbols.extend(below("NETCOREAPP", &NETCORE));
                if major >= 5 {
                    symbols.extend(["NET".to_owned(), format!("NET{major}_{minor}")]);
                    symbols.extend(
                        (5..=major.min(99)).map(|major| format!("NET{major}_0_OR_GREATER")),
                    );
                } else {
                    symbols.push(format!("NETCOREAPP{major}_{minor}"));
                }
            }
            Family::NetStandard => {
                symbols.extend([
                    "NETSTANDARD".to_owned(),
                    format!("NETSTANDARD{major}_{minor}"),
                ]);
                symbols.extend(below("NETSTANDARD", &NETSTANDARD));
            }
            Family::NetFramework => {
                symbols.extend(["NETFRAMEWORK".to_owned(), format!("NET{}", self.digits())]);
                let lower = NETFRAMEWORK
                    .iter()
                    .filter(|version| **version <= self.version);
                symbols.extend(lower.map(|version| format!("NET{}_OR_GREATER", digits(*version))));
                symbols.extend((self.version >= (4, 8, 1)).then(|| "NET481_OR_GREATER".to_owned()));
            }
        }

        symbols.extend(self.platform_symbols());
        symbols
    }

    fn platform_symbols(&self) -> Vec<String> {
        if self.platform.is_empty() {
            return Vec::new();
        }
        let name = self.platform_name().to_ascii_uppercase();
        let version = self.platform[self.platform_name().len()..].replace('.', "_");
        let mut symbols = vec![name.clone()];
        if !version.is_empty() {
            symbols.extend([
                format!("{name}{version}"),
                format!("{name}{version}_OR_GREATER"),
            ]);
        }
        symbols
    }

    fn newest_standard(&self) -> (u32, u32, u32) {
        match (self.family, self.version) {
            (Family::NetCoreApp, version) if version >= (3, 0, 0) => (2, 1, 0),
            (Family::NetCoreApp, version) if version >= (2, 0, 0) => (2, 0, 0),
            (Family::NetCoreApp, _) => (1, 6, 0),
            (Family::NetFramework, version) if version >= (4, 6, 1) => (2, 0, 0),
            (Family::NetFramework, version) if version >= (4, 6, 0) => (1, 3, 0),
            (Family::NetFramework, version) if version >= (4, 5, 1) => (1, 2, 0),
            (Family::NetFramework, version) if version >= (4, 5, 0) => (1, 1, 0),
            _ => (0, 0, 0),
        }
    }

    fn digits(&self) -> String {
        digits(self.version)
    }
}

/// Returns the newest entry of a `TargetFrameworks` list, as written.
pub(super) fn newest(list: &str) -> Option<&str> {
    let mut best: Option<(&str, Framework)> = None;
    for text in list
        .split(';')
        .map(str::trim)
        .filter(|text| !text.is_empty())
    {
        let framework = Framework::parse(text);
        if best
            .as_ref()
            .is_none_or(|(_, best)| framework.rank(best) == Ordering::Greater)
        {
            best = Some((text, framework));
        }
    }
    best.map(|(text, _)| text)
}

fn digits((major, minor, patch): (u32, u32, u32)) -> String {
    if patch == 0 {
        format!("{major}{minor}")
    } else {
        format!("{major}{minor}{patch}")
    }
}

/// Parses `8.0`, or `472` digit by digit.
fn dotted_or_digits(text: &str) -> Option<(u32, u32, u32)> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return None;
    }
    let parts: Vec<u32> = if text.contains('.') {
        text.split('.')
            .map(|part| part.parse().ok())
            .collect::<Option<_>>()?
    } else {
        text.bytes().map(|b| u32::from(b - b'0')).collect()
    };
    Some((
        parts.first().copied()?,
        parts.get(1).copied().unwrap_or(0),
        parts.get(2).copied().unwrap_or(0),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_framework_is_chosen() {
        let cases = [
            ("net8.0;net6.0;net45;netstandard2.0", "net8.0"),
            ("net9.0; net10.0", "net10.0"),
            ("netstandard2.0;net48;netstandard1.3", "netstandard2.0"),
            ("net462;netcoreapp3.1;net60", "net60"),
            ("net40;net472;net48", "net48"),
            ("net8.0-windows;net8.0", "net8.0"),
            ("portable-net45+win8;net20", "net20"),
            ("uap10.0", "uap10.0"),
        ];
        for (list, expected) in cases {
            assert_eq!(newest(list), Some(expected), "{list}");
        }
        assert_eq!(newest(" ; "), None);
    }

    #[test]
    fn framework_names_are_normalized() {
        let cases = [
            ("net50", "net5.0", ".NETCoreApp"),
            ("NET8.0-Windows", "net8.0-windows", ".NETCoreApp"),
            ("net4.7.2", "net472", ".NETFramework"),
            ("netcoreapp31", "netcoreapp3.1", ".NETCoreApp"),
            ("netstandard2.0", "netstandard2.0", ".NETStandard"),
            ("sl5", "sl5", ""),
        ];

        for (text, name, identifier) in cases {
            let framework = Framework::parse(text);
            assert_eq!(
                (framework.name().as_str(), framework.identifier()),
                (name, identifier),
                "{text}"
            );
        }

        assert_eq!(
            Framework::from_identifier(".NETFramework", "v4.5").name(),
            "net45"
        );
        assert_eq!(Framework::from_identifier("", "v4.7.2").name(), "net472");
    }

    #[test]
    fn framework_symbols_follow_the_version() {
        let symbols = |text: &str| Framework::parse(text).symbols().join(" ");
        assert_eq!(
            symbols("net45"),
            "NETFRAMEWORK NET45 NET20_OR_GREATER NET30_OR_GREATER NET35_OR_GREATER NET40_OR_GREATER NET45_OR_GREATER"
        );

        assert_eq!(
            symbols("netstandard1.3"),
            "NETSTANDARD NETSTANDARD1_3 NETSTANDARD1_0_OR_GREATER NETSTANDARD1_1_OR_GREATER NETSTANDARD1_2_OR_GREATER NETSTANDARD1_3_OR_GREATER"
        );

        assert_eq!(
            symbols("netcoreapp1.0"),
            "NETCOREAPP NETCOREAPP1_0_OR_GREATER NETCOREAPP1_0"
        );

        let net6 = symbols("net6.0-windows10.0");
        for symbol in [
            "NET",
            "NET6_0",
            "NET5_0_OR_GREATER",
            "NET6_0_OR_GREATER",
            "NETCOREAPP3_1_OR_GREATER",
            "WINDOWS",
            "WINDOWS10_0_OR_GREATER",
        ] {
            assert!(net6.split(' ').any(|s| s == symbol), "{symbol} in {net6}");
        }

        assert!(!net6.contains("NET7_0"));
        assert_eq!(symbols("uap10.0"), "");
    }

    #[test]
    fn framework_compatibility_follows_the_version_order() {
        let cases = [
            ("net8.0", "netcoreapp3.1", true),
            ("netstandard2.0", "netcoreapp3.1", false),
            ("net462", "netstandard2.0", true),
            ("net45", "netstandard2.0", false),
            ("net8.0", "net8.0-windows", false),
            ("net8.0-windows", "net6.0", true),
            ("net48", "net8.0", false),
        ];

        for (project, library, expected) in cases {
            assert_eq!(
                Framework::parse(project).is_compatible_with(&Framework::parse(library)),
                expected,
                "{project} uses {library}"
            );
        }
    }
}
