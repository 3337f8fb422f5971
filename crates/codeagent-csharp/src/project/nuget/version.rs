//! NuGet versions and version ranges: `1.2`, `[1.0,2.0)`, `3.*`.
//!
//! Limitations: build metadata (`+sha`) is ignored. Prereleases match only where a bound is one; a
//! floating version with a label (`1.0.0-*`) matches every prerelease.

use std::cmp::Ordering;

/// A version: up to four numbers and a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    numbers: [u64; 4],
    /// Prerelease label; empty for a release.
    label: String,
}

impl Version {
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().split('+').next()?;
        let (plain, label) = text.split_once('-').unwrap_or((text, ""));
        let mut numbers = [0; 4];
        let mut parts = plain.split('.');
        for (place, part) in numbers.iter_mut().zip(parts.by_ref()) {
            *place = part.parse().ok()?;
        }
        parts.next().is_none().then(|| Self {
            numbers,
            label: label.to_ascii_lowercase(),
        })
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_label = || match (self.label.is_empty(), other.label.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => compare_labels(&self.label, &other.label),
        };
        self.numbers.cmp(&other.numbers).then_with(by_label)
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Compares labels part by part; numbers sort before words.
fn compare_labels(left: &str, right: &str) -> Ordering {
    let (mut left, mut right) = (left.split('.'), right.split('.'));
    loop {
        let ordered = match (left.next(), right.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(a), Some(b)) => match (a.parse::<u64>(), b.parse::<u64>()) {
                (Ok(a), Ok(b)) => a.cmp(&b),
                (Ok(_), Err(_)) => Ordering::Less,
                (Err(_), Ok(_)) => Ordering::Greater,
                (Err(_), Err(_)) => a.cmp(b),
            },
        };

        if ordered != Ordering::Equal {
            return ordered;
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// The lowest version, and whether it is included.
    low: Option<(Version, bool)>,
    /// The highest version, and whether it is included.
    high: Option<(Version, bool)>,
    /// Selects the newest version instead of the oldest.
    floats: bool,
    /// Includes prereleases.
    prereleases: bool,
}

impl Range {
    /// Parses a range; `None` if it is not valid.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some(inner) = text.strip_prefix(['[', '(']) {
            let end = inner.strip_suffix([']', ')'])?;
            let (opens, closes) = (text.starts_with('['), text.ends_with(']'));
            let bound = |text: &str, included: bool| match text.trim() {
                "" => Some(None),
                text => Version::parse(text).map(|version| Some((version, included))),
            };

            let (low, high) = end.split_once(',').unwrap_or((end, end));
            let prereleases = [low, high].iter().any(|bound| bound.contains('-'));
            return Some(Self {
                low: bound(low, opens)?,
                high: bound(high, closes)?,
                floats: false,
                prereleases,
            });
        }

        if let Some(fixed) = text.strip_suffix('*') {
            return Self::floating(fixed);
        }

        Some(Self {
            low: Some((Version::parse(text)?, true)),
            high: None,
            floats: false,
            prereleases: text.contains('-'),
        })
    }

    /// Returns the range of `1.2.*`: from 1.2 on, before 1.3.
    fn floating(fixed: &str) -> Option<Self> {
        let prereleases = fixed.contains('-');
        let fixed = fixed.trim_end_matches(['.', '-']);
        if fixed.is_empty() {
            return Some(Self {
                low: None,
                high: None,
                floats: true,
                prereleases,
            });
        }

        let mut low = Version::parse(fixed)?;
        if prereleases && low.label.is_empty() {
            low.label.push('0');
        }

        let mut high = Version {
            label: "0".to_owned(),
            ..low.clone()
        };

        let last = fixed.split('-').next()?.split('.').count().checked_sub(1)?;
        let place = high.numbers.get_mut(last)?;
        *place = place.saturating_add(1);

        Some(Self {
            low: Some((low, true)),
            high: Some((high, false)),
            floats: true,
            prereleases,
        })
    }

    fn allows(&self, version: &Version) -> bool {
        if !self.prereleases && !version.label.is_empty() {
            return false;
        }
        let above = self
            .low
            .as_ref()
            .is_none_or(|(low, included)| version > low || *included && version == low);
        above
            && self
                .high
                .as_ref()
                .is_none_or(|(high, included)| version < high || *included && version == high)
    }

    /// Returns the index of the selected version: the lowest in the range, or the highest if the
    /// range floats.
    #[must_use]
    pub fn choose(&self, versions: &[Version]) -> Option<usize> {
        let allowed = versions
            .iter()
            .enumerate()
            .filter(|(_, version)| self.allows(version));
        let chosen = if self.floats {
            allowed.max_by_key(|(_, version)| *version)
        } else {
            allowed.min_by_key(|(_, version)| *version)
        };
        chosen.map(|(at, _)| at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered() {
        let ordered = [
            "1",
            "1.0.1-alpha",
            "1.0.1-alpha.1",
            "1.0.1-alpha.2",
            "1.0.1-alpha.10",
            "1.0.1-beta",
            "1.0.1",
            "1.0.1.1",
            "2.0",
            "10.0.0",
        ];

        for (at, left) in ordered.iter().enumerate() {
            for (other, right) in ordered.iter().enumerate() {
                assert_eq!(
                    Version::parse(left).cmp(&Version::parse(right)),
                    at.cmp(&other),
                    "{left} {right}"
                );
            }
        }

        assert_eq!(Version::parse("1.0.0+sha"), Version::parse("1.0"));
        for text in ["", "x", "1.x", "1.2.3.4.5", "-1"] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_lowest_allowed_version_is_chosen() {
        let known = ["1.0.0", "1.2.0-rc", "1.2.0", "1.3.0", "2.0.0"];
        let versions: Vec<Version> = known
            .iter()
            .filter_map(|text| Version::parse(text))
            .collect();

        for (range, expected) in [
            ("1.0", Some("1.0.0")),
            ("1.1", Some("1.2.0")),
            ("1.1-a", Some("1.2.0-rc")),
            ("[1.2.0]", Some("1.2.0")),
            ("(1.0,2.0)", Some("1.2.0")),
            ("(1.3.0,)", Some("2.0.0")),
            ("[,1.0]", Some("1.0.0")),
            ("[3.0,4.0]", None),
            ("1.*", Some("1.3.0")),
            ("*", Some("2.0.0")),
            ("1.2.*", Some("1.2.0")),
            ("1.1.0-*", None),
            ("1.2.0-*", Some("1.2.0")),
            ("3.0", None),
        ] {
            let range_read = Range::parse(range).unwrap_or_else(|| panic!("{range}"));
            assert_eq!(
                range_read.choose(&versions).map(|at| known[at]),
                expected,
                "{range}"
            );
        }

        for text in ["", "[1", "$(Version)", "[1,2,3]", "1.2.3.4.5.*"] {
            assert_eq!(Range::parse(text), None, "{text}");
        }
    }
}
