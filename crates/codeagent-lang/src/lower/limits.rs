//! Detects texts that are too large or too dense for a parser. Ten million tokens are not, nor is
//! `a<b,a<b,..`.
//!
//! What a tree costs hangs on the number of tokens, not on that of bytes; and some texts make a
//! parser follow many meanings at once, at a price that grows with the square of their length and
//! in steps that cannot be interrupted.
//!
//! **Limits.** Tokens are counted without knowing the language: words in comments and strings count
//! as well.

/// Code has one token for every five bytes; so many are 16 MiB of it. A token costs 80 to 130 bytes
/// of tree, so this is half a gigabyte.
const MAX_TOKENS: usize = 4_000_000;

/// From so many tokens on a text is parsed while no other such text is: their trees take some
/// hundred megabytes.
const MANY_TOKENS: usize = 400_000;

/// More `<` than these are not open at once in any code.
const MAX_ANGLES: usize = 1000;

/// Whether a text has more tokens than are parsed.
pub fn is_too_dense(text: &str) -> bool {
    text.len() > MAX_TOKENS && tokens(text) > MAX_TOKENS
}

/// Whether parsing a text takes so much memory that it should not be done beside another such text.
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

/// Counts the `<` that are open at once. Brackets are transparent: what is open before them is open
/// in them, and again behind them.
#[derive(Debug, Default)]
pub struct AngleDepth {
    open: usize,
    most: usize,
    /// Counts of resets.
    age: usize,
    /// What was open before each bracket around, and when.
    outer: Vec<(usize, usize)>,
}

impl AngleDepth {
    /// `<`
    pub fn open(&mut self) {
        self.open += 1;
        self.most = self.most.max(self.open);
    }

    /// `>`
    pub fn close(&mut self) {
        self.open = self.open.saturating_sub(1);
    }

    /// Something that no type arguments hold: none was open.
    pub fn reset(&mut self) {
        if self.open > 0 || !self.outer.is_empty() {
            self.age += 1;
            self.open = 0;
        }
    }

    /// `(` or `[`
    pub fn enter(&mut self) {
        self.outer.push((self.open, self.age));
    }

    /// `)` or `]`
    pub fn leave(&mut self) {
        let (open, age) = self.outer.pop().unwrap_or((0, self.age));
        self.open = if age == self.age { open } else { 0 };
    }

    /// The greatest number open at once.
    #[must_use]
    pub fn most(&self) -> usize {
        self.most
    }
}

/// Whether more `<` are open at once than the parser of TypeScript can bear.
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

/// How many steps the parser may take up to some place of a text: several times what code takes.
///
/// A step is one action of the parser, whatever the machine and its load, and takes about half a
/// microsecond. Code takes .4 (TypeScript) to .8 (C#) a byte, at most 2.2; the densest text that is
/// valid, `f(a);f(a);..`, takes 11, which only short files may have. Broken input like
/// `x = ; x = ; ..` takes as many as its length, for every byte.
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
