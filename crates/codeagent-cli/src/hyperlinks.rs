//! Terminal hyperlinks (OSC 8) to locations.
//!
//! As in ripgrep, a format is a name (`none`, `default`, `vscode`, ..) or an address with `{path}`,
//! `{line}` and `{column}`. By default, links are written if the terminal is known to support them.
//!
//! Limitations: paths are those of this machine, so links in a remote shell open nothing.

use std::fmt::Write;
use std::path::Path;

/// Names of formats and the addresses they stand for.
const FORMATS: [(&str, &str); 7] = [
    ("none", ""),
    ("default", "file://{path}"),
    ("vscode", "vscode://file{path}:{line}:{column}"),
    ("vscodium", "vscodium://file{path}:{line}:{column}"),
    ("cursor", "cursor://file{path}:{line}:{column}"),
    ("zed", "zed://file{path}:{line}:{column}"),
    (
        "textmate",
        "txmt://open?url=file://{path}&line={line}&column={column}",
    ),
];

/// An address with places to fill in; empty for no links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HyperlinkFormat(String);

impl HyperlinkFormat {
    /// Parses a name or an address.
    pub fn parse(text: &str) -> Result<Self, String> {
        if let Some((_, address)) = FORMATS.iter().find(|(name, _)| *name == text) {
            return Ok(Self((*address).to_owned()));
        }
        if text.contains("://") && text.contains("{path}") {
            return Ok(Self(text.to_owned()));
        }
        let names: Vec<&str> = FORMATS.iter().map(|(name, _)| *name).collect();
        Err(format!(
            "use one of {}, or a URL with {{path}}",
            names.join(", ")
        ))
    }

    /// Returns the format for the terminal that an environment describes: none unless it is known
    /// to follow links.
    pub fn of_terminal(variable: impl Fn(&str) -> Option<String>) -> Self {
        let program = variable("TERM_PROGRAM").unwrap_or_default();
        let term = variable("TERM").unwrap_or_default();
        let name = match program.as_str() {
            "vscode" => "vscode",
            "iTerm.app" | "WezTerm" | "ghostty" | "Hyper" | "rio" => "default",
            _ if ["xterm-kitty", "alacritty", "foot", "xterm-ghostty"].contains(&term.as_str()) => {
                "default"
            }
            _ if is_recent_vte(variable("VTE_VERSION").as_deref())
                || variable("WT_SESSION").is_some()
                || variable("KONSOLE_VERSION").is_some() =>
            {
                "default"
            }
            _ => "none",
        };

        Self::parse(name).unwrap_or(Self(String::new()))
    }

    /// Returns the address of a location; `None` without links.
    pub fn address(&self, path: &Path, line: u32, column: u32) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        let path = encoded(&path.display().to_string());
        let address = self.0.replace("{path}", &path);
        let address = address.replace("{line}", &line.max(1).to_string());
        let address = address.replace("{column}", &column.max(1).to_string());
        // A format that somebody typed may hold anything.
        Some(address.chars().filter(|c| !c.is_control()).collect())
    }
}

/// Reports whether a version of VTE, the terminal of GNOME and others, follows links.
fn is_recent_vte(version: Option<&str>) -> bool {
    version
        .and_then(|version| version.parse::<u32>().ok())
        .is_some_and(|version| version >= 5_000)
}

/// Encodes a path for an address; it begins with a slash.
fn encoded(path: &str) -> String {
    let mut out = String::with_capacity(path.len() + 1);
    if !path.starts_with(['/', '\\']) {
        out.push('/');
    }

    for byte in path.bytes() {
        match byte {
            b'\\' if cfg!(windows) => out.push('/'),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' | b':' => {
                out.push(byte.into());
            }
            byte => {
                write!(out, "%{byte:02X}").ok();
            }
        }
    }

    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&str, &str)]) -> HyperlinkFormat {
        HyperlinkFormat::of_terminal(|name| {
            let pair = pairs.iter().find(|(key, _)| *key == name);
            pair.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn links_are_written_for_terminals_known_to_follow_them() {
        let none = HyperlinkFormat::parse("none").unwrap();
        let default = HyperlinkFormat::parse("default").unwrap();
        for (variables, expected) in [
            (&[][..], &none),
            (&[("TERM", "xterm-256color")], &none),
            (&[("TERM_PROGRAM", "Apple_Terminal")], &none),
            (&[("VTE_VERSION", "4200")], &none),
            (&[("VTE_VERSION", "7600")], &default),
            (&[("TERM", "xterm-kitty")], &default),
            (&[("TERM_PROGRAM", "WezTerm")], &default),
        ] {
            assert_eq!(&of(variables), expected, "{variables:?}");
        }
    }

    #[test]
    fn addresses_hold_the_encoded_location() {
        let address = |format: &str| {
            let format = HyperlinkFormat::parse(format).unwrap();
            format.address(Path::new("/r/a b\u{1b}.cs"), 3, 0)
        };
        assert_eq!(address("none"), None);
        assert_eq!(address("default").unwrap(), "file:///r/a%20b%1B.cs");
        assert_eq!(
            address("vscode").unwrap(),
            "vscode://file/r/a%20b%1B.cs:3:1"
        );
        assert_eq!(
            address("idea://open?file={path}&line={line}").unwrap(),
            "idea://open?file=/r/a%20b%1B.cs&line=3"
        );
        assert!(HyperlinkFormat::parse("emacs").is_err());
    }
}
