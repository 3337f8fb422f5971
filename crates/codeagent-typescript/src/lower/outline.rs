//! Outlines of declaration files, from their tokens alone: a twentieth of the time to parse them.
//!
//! Only a module that does nothing but declare and export has an outline. The facts of every other
//! file are needed from the start: of one that declares globals or ambient modules, or augments a
//! module.
//!
//! Limitations: the names and exported names include more than those of the facts, but not those
//! with escapes. An unbalanced bracket, an open string or an escape in a specifier means that there
//! is no outline.

use codeagent_lang::DeclarationOutline;
use codeagent_lang::lower::limits;
use codeagent_model::graph::Dialect;
use memchr::{memchr, memchr2, memmem};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::lower::imports::reference_paths;

/// Deepest nesting of brackets and templates.
const MAX_DEPTH: usize = 200;

/// Outlines a declaration file; see [`codeagent_lang::LanguageSupport::outline_declarations`].
#[must_use]
pub fn outline(text: &str, dialect: Dialect) -> Option<DeclarationOutline> {
    if dialect.is_javascript() || dialect.has_jsx() || limits::has_too_many_angles(text) {
        return None;
    }

    let mut outliner = Outliner::new(text);
    for (start, end, _) in reference_paths(text) {
        outliner.add_reference(&text[start..end])?;
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
            stars: Vec::new(),
            names: FxHashMap::default(),
            specifiers: FxHashSet::default(),
        }
    }

    /// Adds the path or package of a `/// <reference .. />`, as it is lowered.
    fn add_reference(&mut self, path: &str) -> Option<()> {
        if path.contains(['\n', '\\']) {
            return None;
        }
        self.specifiers.insert(path.to_owned());
        if !path.starts_with("./") && !path.starts_with("../") {
            self.specifiers.insert(format!("./{path}"));
        }
        Some(())
    }

    fn run(&mut self) -> Option<()> {
        while let Some(token) = self.next()? {
            self.read(token)?;
            self.last = [token, self.last[0], self.last[1]];
        }
        self.open.is_empty().then_some(())
    }

    fn finish(self) -> Option<DeclarationOutline> {
        if !self.is_module {
            return None;
        }

        let mut specifiers: Vec<&str> = self.specifiers.iter().map(String::as_str).collect();
        specifiers.sort_unstable();

        let (mut exported, mut others) = (Vec::new(), Vec::new());
        for (name, is_exported) in &self.names {
            if *is_exported {
                exported.push(*name);
            } else {
                others.push(*name);
            }
        }
        exported.sort_unstable();
        others.sort_unstable();

        let mut outline = DeclarationOutline::new(&specifiers, &exported)
            .with_names(&others)
            .with_stars(&self.stars);
        outline.is_assigned = self.is_assigned;
        Some(outline)
    }

    /// Takes a token into account; `None` if it shows that the file has no outline.
    fn read(&mut self, token: Token<'t>) -> Option<()> {
        let [last, before, first] = self.last;
        match token {
            Token::Word(word) => {
                let is_top = self.open.is_empty();
                self.add_name(word, is_top || self.is_exporting);
                let is_member = last == Token::Mark(b'.');
                match word {
                    "export" if is_top && !is_member => self.is_module = true,
                    "import" if is_top && !matches!(self.peek(), b'(' | b'.') => {
                        self.is_module = true;
                    }
                    "global" if self.peek() == b'{' || last == Token::Word("declare") => {
                        return None;
                    }
                    _ => {}
                }
            }
            Token::Text(text) => {
                let names_module = match last {
                    Token::Word("module") => return None,
                    Token::Word(word) => matches!(word, "from" | "import"),
                    Token::Mark(b'(') => {
                        matches!(before, Token::Word("import" | "require"))
                    }
                    _ => false,
                };
                if text.contains('\\') {
                    return (!names_module).then_some(());
                }
                if names_module {
                    self.specifiers.insert(text.to_owned());
                }
                let is_star = last == Token::Word("from") && before == Token::Mark(b'*');
                if is_star && matches!(first, Token::Word("export" | "type")) {
                    if !self.open.is_empty() {
                        return None;
                    }
                    self.stars.push(text);
                }
                self.add_name(text, self.open.is_empty() || self.is_exporting);
            }
            Token::Mark(b'=') => self.is_assigned |= last == Token::Word("export"),
            Token::Mark(_) => {}
        }

        Some(())
    }

    fn add_name(&mut self, name: &'t str, is_exported: bool) {
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

    /// Skips a template from a position inside, up to its end or its next `${`.
    fn template(&mut self) -> Option<()> {
        let bytes = self.text.as_bytes();
        loop {
            match *bytes.get(self.at)? {
                b'`' => {
                    self.at += 1;
                    return Some(());
                }
                b'$' if bytes.get(self.at + 1) == Some(&b'{') => {
                    self.at += 2;
                    return self.open(b'`');
                }
                b'\\' => self.at += 2,
                _ => self.at += 1,
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
        (self.open.len() <= MAX_DEPTH).then_some(())
    }

    fn mark(&mut self, byte: u8) -> Option<Token<'t>> {
        self.at += 1;
        match byte {
            b'(' | b'[' | b'{' => self.open(byte)?,
            b')' | b']' | b'}' => {
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

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LANGUAGES;
    use crate::resolve::specifiers;

    fn outlined(text: &str) -> Option<DeclarationOutline> {
        outline(text, Dialect::Ts)
    }

    #[test]
    fn an_outline_has_the_specifiers_and_names_of_the_facts() {
        let texts = [
            "import { A, type B as C } from './a';\nexport declare function f(a: A): C;",
            "/// <reference types=\"node\" />\n/// <reference path='b.d.ts' />\nexport {};",
            "import './side';\nimport x = require('cjs');\nexport = x;",
            "export interface I { m(): import('./other').T; 'quoted-name': 1; #p: any }",
            "export { default } from './d';\nexport { a as b, type c } from './e';",
            "// import './no'\n/* from './no' */ export type T = `a${import('./t').X}b${'}'}`;",
            "export declare const { a, b: c }: typeof import('./v'), d: number;",
            "declare class A {} export { A as default };\nexport as namespace N;",
        ];
        for text in texts {
            let outline = outlined(text).unwrap_or_else(|| panic!("no outline: {text}"));
            let facts = LANGUAGES.extract_declarations(text, Dialect::Ts);
            assert!(facts.header.is_module, "{text}");

            let outlined: FxHashSet<&str> = outline.specifiers().collect();
            for sym in specifiers(&facts) {
                assert!(outlined.contains(facts.text(sym)), "{text}: {outlined:?}");
            }
            assert!(!outlined.contains("./no"), "{text}");

            let names: FxHashSet<&str> = outline.names().collect();
            for name in facts.names.iter().filter(|name| !name.is_empty()) {
                let is_known = names.contains(name) || outlined.contains(name);
                assert!(is_known, "{text}: {name}");
            }
        }
    }

    #[test]
    fn exported_names_are_known() {
        let text = "export declare const { a, b: c }: X, d: number;\n\
                    export { e as f, type g };\nexport default h;\n\
                    export interface I { inner: 1 }\nexport declare namespace N.M { let n: 1 }";
        let outline = outlined(text).unwrap();
        let exported: Vec<&str> = outline.exported().collect();
        for name in ["a", "c", "d", "f", "g", "default", "I", "N", "M"] {
            assert!(exported.contains(&name), "{name}");
        }
        for name in ["inner", "n"] {
            assert!(!exported.contains(&name), "{name}");
            assert!(outline.names().any(|other| other == name), "{name}");
        }
        assert!(!outline.is_assigned);
        assert!(
            outlined("declare const a: 1; export = a;")
                .unwrap()
                .is_assigned
        );
    }

    #[test]
    fn stars_are_in_source_order() {
        let text = "export * from './b';\nexport * as c from './c';\nexport type * from './a';\n\
                    import * as d from './d';\nexport declare const q: 'it\\'s', r: \"'\";";
        let outline = outlined(text).unwrap();
        let stars: Vec<&str> = outline.stars().collect();
        assert_eq!(stars, ["./b", "./a"]);
        let specifiers: Vec<&str> = outline.specifiers().collect();
        assert_eq!(specifiers, ["./a", "./b", "./c", "./d"]);
        assert!(outline.exported().any(|name| name == "c"));
        assert!(outline.exported().any(|name| name == "r"));
    }

    #[test]
    fn files_that_do_more_than_export_have_no_outline() {
        for text in [
            "interface Global { a: 1 }",
            "declare namespace N { export const a: 1; }",
            "export {}; declare global { interface Window {} }",
            "import 'a'; declare module 'a' { interface B {} }",
            "export const a: 'open",
            "export * from '\\x41';",
            "export const a: { b: 1 ];",
            "export const a: `${string",
            "const a = import('./a');",
        ] {
            assert_eq!(outlined(text), None, "{text}");
        }
    }
}
