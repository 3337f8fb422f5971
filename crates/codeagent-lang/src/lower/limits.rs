//! Detects texts that are too large or too dense for a parser: ten million tokens, or `a<b,a<b,..`.
//!
//! The size of a tree depends on the number of tokens rather than bytes. Some texts make a parser
//! follow many interpretations at once, at a cost quadratic in their length and in steps that
//! cannot be interrupted.
//!
//! Limitations: tokens are counted without knowing the language, so words in comments and strings
//! count too.

/// Largest number of tokens that is parsed. 16 MiB of code have fewer: one token per five bytes. A
/// token costs 80 to 130 bytes of tree, so this is half a gigabyte.
const MAX_TOKENS: usize = 4_000_000;

/// Texts with at least this many tokens are parsed one at a time: their trees take some hundred
/// megabytes each.
const MANY_TOKENS: usize = 400_000;

/// Largest number of open `<`; no code has more.
const MAX_ANGLES: usize = 1000;

/// Reports whether a text has too many tokens to be parsed.
pub fn is_too_dense(text: &str) -> bool {
    text.len() > MAX_TOKENS && tokens(text) > MAX_TOKENS
}

/// Reports whether parsing a text takes so much memory that no other such text should be parsed at
/// the same time.
pub fn is_heavy(text: &str) -> bool {
    text.len() > MANY_TOKENS && tokens(text) > MANY_TOKENS
}

fn tokens(text: &str) -> usize {
    let mut count = 0;
    let mut in_word = false;
    for byte in text.bytes() {
        let is_word = byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
        count += usize::from(if is_word {
            !in_word
        } else {
            !byte.is_ascii_whitespace()
        });
        in_word = is_word;
    }
    count
}

/// Counts the `<` that are open at once. Brackets are transparent: a `<` opened before them is
/// still open inside and after them.
#[derive(Debug, Default)]
pub struct AngleDepth {
    open: usize,
    most: usize,
    /// Number of resets.
    age: usize,
    /// For each enclosing bracket, the number that was open before it and `age` at that time.
    outer: Vec<(usize, usize)>,
}

impl AngleDepth {
    /// Counts a `<`.
    pub fn open(&mut self) {
        self.open += 1;
        self.most = self.most.max(self.open);
    }

    /// Counts a `>`.
    pub fn close(&mut self) {
        self.open = self.open.saturating_sub(1);
    }

    /// Closes all `<` at a token that type arguments cannot contain: they were comparisons.
    pub fn reset(&mut self) {
        if self.open > 0 || !self.outer.is_empty() {
            self.age += 1;
            self.open = 0;
        }
    }

    /// Enters `(` or `[`.
    pub fn enter(&mut self) {
        self.outer.push((self.open, self.age));
    }

    /// Leaves `)` or `]`.
    pub fn leave(&mut self) {
        let (open, age) = self.outer.pop().unwrap_or((0, self.age));
        self.open = if age == self.age { open } else { 0 };
    }

    /// Returns the largest number open at once.
    #[must_use]
    pub fn most(&self) -> usize {
        self.most
    }
}

/// Reports whether more `<` are open at once than the TypeScript parser can handle.
pub fn has_too_many_angles(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.iter().filter(|byte| **byte == b'<').count() <= MAX_ANGLES {
        return false;
    }

    let mut angles = AngleDepth::default();
    let mut number = false;
    let mut last = b' ';
    for (at, &byte) in bytes.iter().enumerate() {
        let pairs = |other: u8| byte == other && bytes.get(at + 1) == Some(&other);
        match byte {
            _ if byte.is_ascii_whitespace() => continue,
            b'<' if last == b'<'
                || number
                || matches!(last, b')' | b']')
                || matches!(bytes.get(at + 1), Some(b'<' | b'=')) =>
            {
                angles.reset()
            }
            b'<' => angles.open(),
            b'>' if last != b'=' => angles.close(),
            b'(' | b'[' => angles.enter(),
            b')' | b']' => angles.leave(),
            b';' | b'{' | b'}' | b'+' | b'%' => angles.reset(),
            _ if pairs(b'|') || pairs(b'&') => angles.reset(),
            _ => {}
        }
        let goes_on = is_word(byte) && at > 0 && is_word(bytes[at - 1]);
        number = if goes_on {
            number
        } else {
            byte.is_ascii_digit()
        };
        last = byte;
    }

    angles.most() > MAX_ANGLES
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// Returns how many steps the parser may take for the first `bytes` bytes of a text: several times
/// the steps that code takes.
///
/// A step is one parser action, so it is independent of the machine and its load; it takes about
/// half a microsecond. Code takes 0.4 (TypeScript) to 0.8 (C#) steps per byte, at most 2.2. The
/// densest valid text, `f(a);f(a);..`, takes 11, which is allowed in short files only. Broken input
/// such as `x = ; x = ; ..` takes a number of steps per byte that grows with its length.
pub fn parse_steps(bytes: usize) -> u64 {
    STEPS.max(STEPS_PER_BYTE * bytes as u64)
}

const STEPS: u64 = 100_000;
const STEPS_PER_BYTE: u64 = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_code_is_not_too_dense() {
        let code =
            "    public int Total(int extra) { return lines.Sum(line => line.Price) + extra; }\n";
        assert_eq!(tokens(code), 24);
        assert!(!is_too_dense(&code.repeat(160_000)));
        assert!(is_too_dense(&"1,".repeat(2_100_000)));
    }

    #[test]
    fn only_hostile_texts_have_too_many_open_angles() {
        assert!(has_too_many_angles(&"a<b,\n".repeat(1001)));
        assert!(has_too_many_angles(&"a<(b<[".repeat(501)));
        for (name, code) in [
            ("comparisons", "if (a < b && c < d) { f<A>(b) }\n"),
            ("elements", "<a>{b}</a>\n"),
            ("shifts", "A = 1 << n, B = a << 2,\n"),
            ("alternatives", "a < b ||\n"),
            ("sums", "f(a < b) + f(a < c) +\n"),
            ("arguments", "f(a < b),\n"),
        ] {
            assert!(!has_too_many_angles(&code.repeat(5000)), "{name}");
        }
    }
}
