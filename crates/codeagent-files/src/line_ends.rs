//! Detects LF and CRLF, and preserves a file's line endings when text is written into it.

/// The end of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// None: the last line of the text, without a line ending.
    Open,
    /// `\n`
    Lf,
    /// `\r\n`
    CrLf,
}

impl LineEnd {
    /// Returns the characters.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "",
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
        }
    }

    /// Reports whether one is LF and the other is CRLF.
    #[must_use]
    pub fn differs_from(self, other: Self) -> bool {
        self != Self::Open && other != Self::Open && self != other
    }
}

/// Splits a line into its text and its end.
#[must_use]
pub fn split(line: &[u8]) -> (&[u8], LineEnd) {
    match line.strip_suffix(b"\n") {
        None => (line, LineEnd::Open),
        Some(text) => text
            .strip_suffix(b"\r")
            .map_or((text, LineEnd::Lf), |text| (text, LineEnd::CrLf)),
    }
}
