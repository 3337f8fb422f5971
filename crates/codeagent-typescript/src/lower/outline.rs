//! Outlines of declaration files, from their tokens alone: a twentieth of the time to parse them.
//!
//! The names that a file declares globally are those after a keyword or a comma, at the top of a
//! script or in a block `global { }`. The facts of a file that augments a module are needed from the
//! start, and those of a script with assertion functions, which narrow without being looked up.
//!
//! Limitations: the names, exported names and globals include more than those of the facts, but not
//! those with escapes. An unbalanced bracket, an open string or an escape in a specifier means that
//! there is no outline.

use codeagent_lang::DeclarationOutline;
use codeagent_lang::lower::limits;
use codeagent_model::graph::Dialect;
use memchr::{memchr, memchr2, memchr3, memmem};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::lower::imports::references;

/// Deepest nesting of brackets and templates.
const MAX_DEPTH: usize = 200;

/// The keywords before a declared name.
const DECLARING: [&str; 11] = [
    "class",
    "const",
    "enum",
    "function",
    "import",
    "interface",
    "let",
    "module",
    "namespace",
    "type",
    "var",
];

/// Outlines a declaration file; see [`codeagent_lang::LanguageSupport::outline_declarations`].
#[must_use]
pub fn outline(text: &str, dialect: Dialect) -> Option<DeclarationOutline> {
    if dialect.is_javascript() || dialect.has_jsx() || limits::has_too_many_angles(text) {
        return None;
    }

    let mut outliner = Outliner::new(text);
    outliner.is_module = matches!(dialect, Dialect::Mjs | Dialect::Cjs);
    for reference in references(text) {
        if reference.value.contains(['\n', '\\']) {
            return None;
        }
        outliner.specifiers.insert(reference.specifier());
    }
    outliner.run()?;
    outliner.finish()
}

#[derive(Clone, Copy, PartialEq)]
enum Token<'t> {
    Word(&'t str),
    Text(&'t str),
    Mark(u8),
}

struct Outliner<'t> {
    text: &'t str,
    at: usize,
    /// The open brackets; `` ` `` for a template.
    open: Vec<u8>,
    /// The last three tokens, the newest first.
    last: [Token<'t>; 3],
    /// Whether the outermost bracket holds names that the file exports.
    is_exporting: bool,
    is_module: bool,
    is_assigned: bool,
    /// Whether an ambient module has `export *`.
    has_inner_stars: bool,
    /// Whether a function may assert something.
    has_assertions: bool,
    /// Whether a pattern at the top declares names.
    has_patterns: bool,
    /// The numbers of open brackets in the blocks `global { }` around.
    global_blocks: Vec<usize>,
    /// The names declared in such blocks, and at the top.
    globals: FxHashSet<&'t str>,
    tops: FxHashSet<&'t str>,
    ambient: FxHashSet<&'t str>,
    /// The specifiers of `export *`.
    stars: Vec<&'t str>,
    /// The names, and whether the file may export them.
    names: FxHashMap<&'t str, bool>,
    specifiers: FxHashSet<String>,
}

impl<'t> Outliner<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            open: Vec::new(),
            last: [Token::Mark(b';'); 3],
            is_exporting: false,
            is_module: false,
            is_assigned: false,
            has_inner_stars: false,
            has_assertions: false,
            has_patterns: false,
            global_blocks: Vec::new(),
            globals: FxHashSet::default(),
            tops: FxHashSet::default(),
            ambient: FxHashSet::default(),
            stars: Vec::new(),
            names: FxHashMap::default(),
            specifiers: FxHashSet::default(),
        }
    }

    fn run(&mut self) -> Option<()> {
        while let Some(token) = self.next()? {
            self.read(token)?;
            self.last = [token, self.last[0], self.last[1]];
        }
        self.open.is_empty().then_some(())
    }

    fn finish(mut self) -> Option<DeclarationOutline> {
        let needs_facts = if self.is_module {
            let has_globals = !self.globals.is_empty();
            self.has_inner_stars || !self.ambient.is_empty() || has_globals && self.has_assertions
        } else {
            self.has_patterns || self.has_assertions
        };
        if needs_facts {
            return None;
        }
        if !self.is_module {
            self.globals.extend(&self.tops);
            self.names
                .values_mut()
                .for_each(|is_exported| *is_exported = false);
        }

        let (exported, others): (Vec<_>, Vec<_>) = self
            .names
            .iter()
            .partition(|(_, is_exported)| **is_exported);
        let names = |of: Vec<(&&'t str, &bool)>| sorted(of.into_iter().map(|(name, _)| *name));
        let specifiers = sorted(self.specifiers.iter().map(String::as_str));

        let mut outline = DeclarationOutline::new(&specifiers, &names(exported))
            .with_names(&names(others))
            .with_stars(&self.stars)
            .with_globals(
                &sorted(self.globals.iter().copied()),
                &sorted(self.ambient.iter().copied()),
            );
        outline.is_assigned = self.is_assigned;
        Some(outline)
    }

    /// Takes a token into account; `None` if it shows that the file has no outline.
    fn read(&mut self, token: Token<'t>) -> Option<()> {
        let last = self.last[0];
        let is_top = self.open.is_empty();
        match token {
            Token::Word(word) => {
                self.add_name(word, is_top || self.is_exporting);
                self.add_declared(word);
                let is_member = last == Token::Mark(b'.');
                match word {
                    "export" if is_top && !is_member => self.is_module = true,
                    "import" if is_top && !matches!(self.peek(), b'(' | b'.') => {
                        self.is_module = true;
                    }
                    "asserts" => self.has_assertions = true,
                    _ => {}
                }
            }
            Token::Text(text) => self.read_text(text)?,
            Token::Mark(b'=') if is_top => self.is_assigned |= last == Token::Word("export"),
            Token::Mark(_) => {}
        }

        Some(())
    }

    /// Takes a string into account.
    fn read_text(&mut self, text: &'t str) -> Option<()> {
        let [last, before, first] = self.last;
        let is_top = self.open.is_empty();
        let is_ambient = last == Token::Word("module");
        let names_module = match last {
            Token::Word(word) => matches!(word, "from" | "import" | "module"),
            Token::Mark(b'(') => matches!(before, Token::Word("import" | "require")),
            _ => false,
        };
        if text.contains('\\') {
            return (!names_module).then_some(());
        }

        if names_module {
            self.specifiers.insert(text.to_owned());
        }
        if is_ambient {
            self.ambient.insert(text);
            is_top.then_some(())?;
        }

        let is_star = last == Token::Word("from") && before == Token::Mark(b'*');
        if is_star && matches!(first, Token::Word("export" | "type")) {
            if is_top {
                self.stars.push(text);
            } else {
                self.has_inner_stars = true;
            }
        }

        self.add_name(text, is_top || self.is_exporting);
        Some(())
    }

    /// Adds a name that may be declared globally.
    fn add_declared(&mut self, word: &'t str) {
        let is_top = self.open.is_empty();
        let is_global = self.global_blocks.last() == Some(&self.open.len());
        if !is_top && !is_global {
            return;
        }

        let [last, before, _] = self.last;
        let is_declared = match last {
            Token::Word(keyword) => DECLARING.contains(&keyword),
            Token::Mark(b'*') => before == Token::Word("function"),
            Token::Mark(mark) => mark == b',',
            Token::Text(_) => false,
        };
        if is_declared {
            let names = if is_global {
                &mut self.globals
            } else {
                &mut self.tops
            };
            names.insert(word);
        }
    }

    fn add_name(&mut self, name: &'t str, is_exported: bool) {
        if name.is_empty() {
            return;
        }
        *self.names.entry(name).or_default() |= is_exported;
    }

    /// Returns the next token; `Some(None)` at the end, `None` if the text cannot be outlined.
    #[allow(clippy::option_option, reason = "the end is no failure")]
    fn next(&mut self) -> Option<Option<Token<'t>>> {
        loop {
            self.skip_space();
            let bytes = self.text.as_bytes();
            let Some(&byte) = bytes.get(self.at) else {
                return Some(None);
            };

            match byte {
                b'/' if bytes.get(self.at + 1) == Some(&b'/') => {
                    let rest = &bytes[self.at..];
                    self.at += memchr(b'\n', rest).unwrap_or(rest.len());
                }
                b'/' if bytes.get(self.at + 1) == Some(&b'*') => {
                    let end = memmem::find(&bytes[self.at + 2..], b"*/")?;
                    self.at += end + 4;
                }

                b'"' | b'\'' => return self.string(byte).map(Some),
                b'`' => {
                    self.at += 1;
                    self.template()?;
                    return Some(Some(Token::Mark(b'`')));
                }
                _ if is_word(byte) || byte == b'#' => return Some(Some(self.word())),
                _ => return self.mark(byte).map(Some),
            }
        }
    }

    fn skip_space(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        let space = rest.iter().take_while(|byte| byte.is_ascii_whitespace());
        self.at += space.count();
    }

    /// Returns the byte after spaces.
    fn peek(&self) -> u8 {
        let rest = self.text.as_bytes()[self.at..].iter();
        let mut rest = rest.skip_while(|byte| byte.is_ascii_whitespace());
        rest.next().copied().unwrap_or(b' ')
    }

    fn word(&mut self) -> Token<'t> {
        let start = self.at;
        let rest = &self.text.as_bytes()[start + 1..];
        let length = rest.iter().take_while(|byte| is_word(**byte)).count();
        self.at = start + 1 + length;
        Token::Word(&self.text[start..self.at])
    }

    fn string(&mut self, quote: u8) -> Option<Token<'t>> {
        let start = self.at + 1;
        let mut end = start;
        loop {
            end += memchr2(quote, b'\\', self.text.as_bytes().get(end..)?)?;
            if self.text.as_bytes()[end] == quote {
                break;
            }
            end += 2;
        }

        let inner = self.text.get(start..end)?;
        self.at = end + 1;
        (!inner.contains('\n')).then_some(Token::Text(inner))
    }

    /// Reads a text of a template from a position inside, up to its end or its next `${`. Template
    /// literal types have such texts.
    fn template(&mut self) -> Option<()> {
        let (text, start) = (self.text, self.at);

        loop {
            let length = memchr3(b'`', b'$', b'\\', text.as_bytes().get(self.at..)?)?;
            let end = self.at + length;
            self.at = end + 1;

            match text.as_bytes()[end] {
                b'`' => {
                    self.add_name(text.get(start..end)?, false);
                    return Some(());
                }
                b'$' if text.as_bytes().get(self.at) == Some(&b'{') => {
                    self.at += 1;
                    self.add_name(text.get(start..end)?, false);
                    return self.open(b'`');
                }
                b'$' => {}
                _ => return None,
            }
        }
    }

    fn open(&mut self, bracket: u8) -> Option<()> {
        if self.open.is_empty() {
            let exports = ["export", "type", "const", "let", "var"];
            self.is_exporting =
                matches!(self.last[0], Token::Word(word) if exports.contains(&word));
        }
        self.open.push(bracket);

        let Token::Word(word) = self.last[0] else {
            return (self.open.len() <= MAX_DEPTH).then_some(());
        };
        let around = self.open.len() - 1;
        if bracket != b'(' && matches!(word, "const" | "let" | "var") {
            self.has_patterns |= around == 0;
            (self.global_blocks.last() != Some(&around)).then_some(())?;
        }
        if bracket == b'{' && word == "global" {
            self.global_blocks.push(self.open.len());
        }
        (self.open.len() <= MAX_DEPTH).then_some(())
    }

    fn mark(&mut self, byte: u8) -> Option<Token<'t>> {
        self.at += 1;
        match byte {
            b'(' | b'[' | b'{' => self.open(byte)?,
            b')' | b']' | b'}' => {
                self.global_blocks.pop_if(|count| *count == self.open.len());
                let opened = self.open.pop()?;
                let is_pair = match opened {
                    b'(' => byte == b')',
                    b'[' => byte == b']',
                    _ => byte == b'}',
                };
                if !is_pair {
                    return None;
                }
                self.is_exporting &= !self.open.is_empty();
                if opened == b'`' {
                    self.template()?;
                }
            }
            _ => {}
        }

        Some(Token::Mark(byte))
    }
}

fn sorted<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut texts: Vec<&str> = texts.collect();
    texts.sort_unstable();
    texts
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..)
}

#[cfg(test)]
mod tests;
