//! Removes the comments of a declaration file, which are half of its text and of no use to its facts.
//!
//! Line endings stay, so lines keep their numbers. `/// <reference .. />` stays too.
//!
//! Limitations: columns behind a comment on the same line change. A text with an open string or
//! comment is left as it is.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memchr3, memmem};

/// Returns a text without its comments.
pub fn without_comments(text: &str) -> Cow<'_, str> {
    let mut scan = Scan {
        text,
        at: 0,
        copied: 0,
        bare: String::new(),
        templates: Vec::new(),
    };
    match scan.run() {
        Some(()) if scan.copied > 0 => {
            scan.bare.push_str(&text[scan.copied..]);
            Cow::Owned(scan.bare)
        }
        _ => Cow::Borrowed(text),
    }
}

struct Scan<'t> {
    text: &'t str,
    at: usize,
    /// The end of what `bare` covers.
    copied: usize,
    bare: String,
    /// The number of open braces in each `${` around.
    templates: Vec<u32>,
}

impl Scan<'_> {
    /// Scans the whole text; `None` if something in it is left open.
    fn run(&mut self) -> Option<()> {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'"' | b'\'' => self.string(byte)?,
                b'`' => self.template()?,
                b'/' => self.comment()?,
                b'{' | b'}' => self.brace(byte)?,
                _ => {}
            }
        }
        self.templates.is_empty().then_some(())
    }

    /// Counts a brace inside a template; the last one goes on with its text.
    fn brace(&mut self, byte: u8) -> Option<()> {
        match self.templates.last_mut() {
            None => {}
            Some(open) if byte == b'{' => *open += 1,
            Some(0) => {
                self.templates.pop();
                return self.template();
            }
            Some(open) => *open -= 1,
        }
        Some(())
    }

    /// Skips the rest of a string.
    fn string(&mut self, quote: u8) -> Option<()> {
        loop {
            let rest = self.text.as_bytes().get(self.at..)?;
            let length = memchr3(quote, b'\\', b'\n', rest)?;
            self.at += length + 1;
            match rest[length] {
                b'\\' => self.at += 1,
                b'\n' => return None,
                _ => return Some(()),
            }
        }
    }

    /// Skips a template up to its end or its next `${`.
    fn template(&mut self) -> Option<()> {
        loop {
            let rest = self.text.as_bytes().get(self.at..)?;
            let length = memchr3(b'`', b'\\', b'$', rest)?;
            self.at += length + 1;
            match rest[length] {
                b'\\' => self.at += 1,
                b'`' => return Some(()),
                _ if rest.get(length + 1) == Some(&b'{') => {
                    self.at += 1;
                    self.templates.push(0);
                    return Some(());
                }
                _ => {}
            }
        }
    }

    /// Removes a comment behind its first slash, if there is one.
    fn comment(&mut self) -> Option<()> {
        let start = self.at - 1;
        let rest = &self.text.as_bytes()[self.at..];
        let is_block = match rest.first() {
            Some(b'/') => false,
            Some(b'*') => true,
            _ => return Some(()),
        };

        self.at += if is_block {
            memmem::find(&rest[1..], b"*/")? + 3
        } else {
            memchr(b'\n', rest).unwrap_or(rest.len())
        };
        if !is_block && rest.get(1) == Some(&b'/') {
            return Some(());
        }

        self.bare.push_str(&self.text[self.copied..start]);
        let endings = memchr_iter(b'\n', &self.text.as_bytes()[start..self.at]).count();
        self.bare.extend(std::iter::repeat_n('\n', endings));
        if is_block && endings == 0 {
            self.bare.push(' ');
        }
        self.copied = self.at;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_removed() {
        let pairs = [
            ("a/* b */c", "a c"),
            ("a /** b\n * c\n */ d", "a \n\n d"),
            ("a // b\nc //", "a \nc "),
            (
                "/// <reference path='a' />\n// b",
                "/// <reference path='a' />\n",
            ),
            (
                "'//' \"/*\" `/*${ x /* y */ }//` /**/",
                "'//' \"/*\" `/*${ x   }//`  ",
            ),
            ("'it\\'s' // '", "'it\\'s' "),
            (
                "`${ { a: `//${1}` } } //` // a",
                "`${ { a: `//${1}` } } //` ",
            ),
        ];

        for (text, bare) in pairs {
            assert_eq!(without_comments(text), bare, "{text}");
        }
    }

    #[test]
    fn texts_with_something_open_stay() {
        for text in [
            "'a // b\n",
            "/* a",
            "`a /* b */",
            "`${ a /* b */",
            "'\\",
            "/",
        ] {
            assert_eq!(without_comments(text), text);
        }
    }
}
