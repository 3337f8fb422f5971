//! Repair of syntax that the TypeScript grammars reject or misread, by rewrites of equal length.
//!
//! `await using x = f()` is parsed as `const       x = f()`, `import("m").T` as `i__________.T`.
//! Lowering takes all names and texts from the original, so a rewrite inside a string or comment
//! changes nothing; if a rewrite changes the meaning, lowering finds it with [`Repaired::edit_at`].
//!
//! Limitations: a scan over bytes, not over tokens. Forms that this is too coarse for are rewritten
//! only in the lines around a syntax error ([`near_errors`]).

pub mod near_errors;
mod semicolons;

use std::borrow::Cow;

use codeagent_model::graph::Dialect;

/// The reason for a rewrite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditKind {
    /// `using` or `await using` became `const`.
    Using,
    /// The name `using` became `uzing`.
    UsingName,
    /// `import("m")` became an identifier.
    Import,
    /// `type` of `export type *` was blanked.
    TypeStar,
    /// `in` / `out` of a type parameter was blanked.
    Variance,
    /// `!` was blanked.
    NonNull,
    /// A comma before `>(` was blanked.
    TrailingComma,
    /// `?.` between type arguments and `(` was blanked.
    OptionalCall,
    /// The exported name `type` became `typo`.
    TypeName,
    /// The tuple label `this` became `thiz`.
    ThisLabel,
    /// `override` after `abstract` was blanked.
    Override,
    /// The `.` of `?.5` was blanked.
    OptionalNumber,
    /// `accessor` before a member's name was blanked.
    Accessor,
    /// The type arguments of a tagged template were blanked.
    TagTypes,
    /// A space or line ending became the `;` that the language inserts there.
    Semicolon,
    /// An escaped backtick was blanked: in a template literal type the grammar takes it for the
    /// end.
    Backtick,
    /// An `&` in JSX that stands for itself became `_`.
    Ampersand,
    /// The last letter of a name that is also a keyword became `_`.
    KeywordName,
    /// The modifiers of a member were sorted.
    Modifiers,
    /// A destructured parameter of a function type became a name.
    TypePattern,
    /// The backslash of an escape that only tagged templates may contain became `_`.
    Escape,
    /// `defer` of an import was blanked.
    Phase,
    /// The attributes of an export, `with { .. }`, were blanked.
    Attributes,
    /// `static` of an index signature was blanked.
    StaticIndex,
    /// `@(` became a call of a name.
    DecoratorGroup,
    /// An empty list of type arguments was blanked.
    NoTypes,
    /// `global` of a block in an ambient module became a label.
    Global,
    /// The line endings between the name of a namespace and its `{` became spaces.
    NamespaceBrace,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit {
    /// First byte.
    pub offset: u32,
    pub len: u32,
    pub kind: EditKind,
}

/// The text to parse: as long as the original, with line endings in the same places, except for
/// those that became a `;` or a space.
pub struct Repaired<'t> {
    /// The text for the parser.
    pub text: Cow<'t, [u8]>,
    /// The rewrites, by offset.
    pub edits: Vec<Edit>,
}

impl Repaired<'_> {
    /// Returns the rewrite at exactly this offset.
    pub fn edit_at(&self, offset: usize) -> Option<Edit> {
        let index = self
            .edits
            .binary_search_by_key(&(offset as u32), |edit| edit.offset)
            .ok()?;
        Some(self.edits[index])
    }
}

impl<'t> Repaired<'t> {
    /// Returns the text with these rewrites instead; `source` is the original.
    pub fn with(source: &'t str, edits: Vec<Edit>) -> Self {
        let mut scan = Scan::new(source);
        scan.edits = edits;
        scan.finish()
    }
}

/// Rewrites a text. Rewrites that would break JSX (`<T,>(x) => ..`) or JavaScript (`if(a)!b.c`) are
/// skipped there.
pub fn repair(text: &str, dialect: Dialect) -> Repaired<'_> {
    let jsx = dialect.has_jsx();
    let typed = !dialect.is_javascript();
    let mut scan = Scan::new(text);

    for (at, byte) in text
        .bytes()
        .enumerate()
        .filter(|(_, byte)| STARTS[usize::from(*byte)])
    {
        match byte {
            b'!' if typed => scan.non_null(at),
            b'(' => scan.import_call(at),
            b'<' => scan.variance(at),
            b',' => {
                scan.variance(at);
                if !jsx {
                    scan.trailing_comma(at);
                }
            }
            b'?' => scan.question(at),
            b'[' => scan.this_label(at),
            b'*' => scan.type_star(at),
            b'o' if scan.byte(at + 1) == b'v' => scan.abstract_override(at),
            b'u' if scan.byte(at + 1) == b's' => scan.using(at),
            b'a' if scan.byte(at + 1) == b'c' => scan.accessor(at),
            b'`' if typed => scan.tag_types(at, jsx),
            b'\n' => scan.line_start(at),
            b'}' => {
                scan.closing_brace(at);
                scan.exported_type(at);
            }
            b'\\' if scan.byte(at + 1) == b'`' => scan.escaped_backtick(at),
            _ => {}
        }
    }

    scan.finish()
}

/// The bytes at which a rewrite can start.
const STARTS: [bool; 256] = {
    let mut starts = [false; 256];
    let bytes = b"!(<,?[*oua`\n}\\";
    let mut at = 0;
    while at < bytes.len() {
        starts[bytes[at] as usize] = true;
        at += 1;
    }
    starts
};

/// Largest number of times that each byte of a text is scanned for ends of members.
const LOOKS: usize = 16;

struct Scan<'t> {
    source: &'t [u8],
    edits: Vec<Edit>,
    /// The remaining scan steps.
    work: usize,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn is_word_start(byte: u8) -> bool {
    is_word(byte) && !byte.is_ascii_digit()
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

impl<'t> Scan<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            source: text.as_bytes(),
            edits: Vec::new(),
            work: LOOKS * (text.len() + 1),
        }
    }

    fn byte(&self, at: usize) -> u8 {
        self.source.get(at).copied().unwrap_or(0)
    }

    fn word_at(&self, at: usize, word: &[u8]) -> bool {
        self.source[at.min(self.source.len())..].starts_with(word)
            && !is_word(self.byte(at + word.len()))
    }

    /// Returns the start of the whole word that ends just before `end`, if there is one.
    fn word_before(&self, end: usize, word: &[u8]) -> Option<usize> {
        let start = end.checked_sub(word.len())?;
        let whole = start == 0 || !is_word(self.source[start - 1]);
        (whole && &self.source[start..end] == word).then_some(start)
    }

    fn skip(&self, mut at: usize, accept: fn(u8) -> bool) -> usize {
        while at < self.source.len() && accept(self.source[at]) {
            at += 1;
        }
        at
    }

    fn skip_back(&self, mut end: usize, accept: fn(u8) -> bool) -> usize {
        while end > 0 && accept(self.source[end - 1]) {
            end -= 1;
        }
        end
    }

    fn edit(&mut self, start: usize, end: usize, kind: EditKind) {
        self.edits.push(Edit {
            offset: start as u32,
            len: (end - start) as u32,
            kind,
        });
    }

    /// Repairs `x!.y`, `x![0]` and `x!(y)`: after an operator, the grammar applies the assertion to
    /// `a && b`.
    fn non_null(&mut self, at: usize) {
        let before = if at == 0 { 0 } else { self.source[at - 1] };
        if !(is_word(before) || matches!(before, b')' | b']')) {
            return;
        }
        let member = self.byte(at + 1) == b'.'
            && (is_word_start(self.byte(at + 2)) || self.byte(at + 2) == b'#');
        let called = self.byte(at + 1) == b'(' && before != b')';
        let index = self.byte(at + 1) == b'[' || called;
        if member || index && !self.keyword_before(at) {
            self.edit(at, at + 1, EditKind::NonNull);
        }
    }

    fn keyword_before(&self, end: usize) -> bool {
        const WORDS: [&[u8]; 18] = [
            b"return",
            b"case",
            b"typeof",
            b"in",
            b"of",
            b"else",
            b"do",
            b"void",
            b"delete",
            b"throw",
            b"yield",
            b"await",
            b"instanceof",
            b"if",
            b"while",
            b"for",
            b"switch",
            b"default",
        ];

        WORDS
            .iter()
            .any(|word| self.word_before(end, word).is_some())
    }

    /// Repairs `import("m")`.
    fn import_call(&mut self, at: usize) {
        let Some(start) = self.word_before(at, b"import") else {
            return;
        };
        if start > 0 && matches!(self.source[start - 1], b'.' | b'\'' | b'"' | b'`' | b'*') {
            return;
        }
        let quote = self.byte(at + 1);
        if !matches!(quote, b'\'' | b'"') {
            return;
        }

        let end = self.skip(at + 2, |byte| {
            !matches!(byte, b'\'' | b'"' | b'\\' | b'\n' | b'\r' | b'$')
        });
        if self.byte(end) == quote && self.byte(end + 1) == b')' {
            self.edit(start, end + 2, EditKind::Import);
        }
    }

    /// Returns the offset of the next byte that is neither space nor comment.
    fn code_after(&mut self, from: usize) -> usize {
        let mut at = self.skip(from, is_space);
        while self.byte(at) == b'/' && self.spend(1) {
            at = match self.byte(at + 1) {
                b'/' => self.skip(at, |byte| byte != b'\n'),
                b'*' => self
                    .comment_end(at + 2)
                    .map_or(self.source.len(), |end| end + 1),
                _ => return at,
            };
            at = self.skip(at, is_space);
        }
        at
    }

    /// Blanks an escaped backtick in a template.
    fn escaped_backtick(&mut self, at: usize) {
        let first = self.skip_back(at, |byte| byte == b'\\');
        if (at - first).is_multiple_of(2) {
            self.edit(at, at + 2, EditKind::Backtick);
        }
    }

    /// Repairs `<in T, out U>` and `<const in T>`.
    fn variance(&mut self, at: usize) {
        let mut start = self.code_after(at + 1);
        if self.word_at(start, b"const") {
            start = self.skip(start + 5, |byte| matches!(byte, b' ' | b'\t'));
        }
        let mut end = start;
        if self.word_at(start, b"in") {
            end = start + 2;
            let next = self.skip(end, |byte| matches!(byte, b' ' | b'\t'));
            if self.word_at(next, b"out") {
                end = next + 3;
            }
        } else if self.word_at(start, b"out") {
            end = start + 3;
        }

        let blank = |byte| matches!(byte, b' ' | b'\t');
        let mut name = self.skip(end, blank);
        if end == start || name == end || !is_word_start(self.byte(name)) {
            return;
        }
        if self.word_at(name, b"const") {
            name = self.skip(name + 5, blank);
        }

        let after = self.skip(self.skip(name, is_word), is_space);
        if matches!(self.byte(after), b',' | b'>' | b'=') || self.word_at(after, b"extends") {
            self.edit(start, end, EditKind::Variance);
        }
    }

    /// Repairs `f<A, B,>(x)`.
    fn trailing_comma(&mut self, at: usize) {
        let close = self.skip(at + 1, is_space);
        if self.byte(close) == b'>'
            && self.byte(self.skip(close + 1, |byte| matches!(byte, b' ' | b'\t'))) == b'('
        {
            self.edit(at, at + 1, EditKind::TrailingComma);
        }
    }

    /// Repairs `f<T>?.(x)` and `a?.5:b`.
    fn question(&mut self, at: usize) {
        if self.byte(at + 1) != b'.' {
            return;
        }
        if self.byte(at + 2) == b'(' && at > 0 && self.source[at - 1] == b'>' {
            self.edit(at, at + 2, EditKind::OptionalCall);
        } else if self.byte(at + 2).is_ascii_digit() {
            self.edit(at + 1, at + 2, EditKind::OptionalNumber);
        }
    }

    /// Repairs `[this: T]`.
    fn this_label(&mut self, at: usize) {
        let start = self.skip(at + 1, is_space);
        if !self.word_at(start, b"this") {
            return;
        }
        let mut colon = self.skip(start + 4, |byte| matches!(byte, b' ' | b'\t'));
        if self.byte(colon) == b'?' {
            colon += 1;
        }
        if self.byte(colon) == b':' {
            self.edit(start, start + 4, EditKind::ThisLabel);
        }
    }

    /// Repairs `export type * from "m"`.
    fn type_star(&mut self, at: usize) {
        let end = self.skip_back(at, |byte| matches!(byte, b' ' | b'\t'));
        let Some(start) = self.word_before(end, b"type") else {
            return;
        };
        let export = self.skip_back(start, |byte| matches!(byte, b' ' | b'\t'));
        if export < start && self.word_before(export, b"export").is_some() {
            self.edit(start, end, EditKind::TypeStar);
        }
    }

    /// Repairs `export { a, type }`: the grammar takes `type` for a modifier.
    fn exported_type(&mut self, end: usize) {
        let open = self.skip_back(end, |byte| is_word(byte) || is_space(byte) || byte == b',');
        let export = self.skip_back(open.saturating_sub(1), is_space);
        if open == 0
            || self.source[open - 1] != b'{'
            || self.word_before(export, b"export").is_none()
        {
            return;
        }

        let mut start = open;
        while start < end {
            let name = self.skip(start, is_space);
            let after = self.skip(name, |byte| byte != b',' && byte != b'}');
            let is_alone = self.skip(name + 4, is_space) == after;
            if self.word_at(name, b"type") && is_alone {
                self.edit(name, name + 4, EditKind::TypeName);
            }
            start = after + 1;
        }
    }

    /// Repairs `abstract override x`.
    fn abstract_override(&mut self, at: usize) {
        if !self.word_at(at, b"override") {
            return;
        }
        let end = self.skip_back(at, |byte| matches!(byte, b' ' | b'\t'));
        if end < at && self.word_before(end, b"abstract").is_some() {
            self.edit(at, at + 8, EditKind::Override);
        }
    }

    /// Repairs `accessor x = 1` as a class member.
    fn accessor(&mut self, at: usize) {
        const BEFORE: [&[u8]; 8] = [
            b"static",
            b"public",
            b"private",
            b"protected",
            b"override",
            b"abstract",
            b"readonly",
            b"declare",
        ];

        if !self.word_at(at, b"accessor") || at > 0 && is_word(self.source[at - 1]) {
            return;
        }

        let blank = |byte| matches!(byte, b' ' | b'\t');
        let name = self.skip(at + 8, blank);
        if name == at + 8 || !(is_word_start(self.byte(name)) || self.byte(name) == b'#') {
            return;
        }

        let after = self.skip(self.skip(name + 1, is_word), blank);

        if !matches!(
            self.byte(after),
            b'=' | b':' | b';' | b'!' | b'?' | b'\n' | b'\r'
        ) {
            return;
        }

        let before = self.skip_back(at, blank);
        let starts =
            before == 0 || matches!(self.source[before - 1], b'\n' | b';' | b'{' | b'}' | b')');
        if starts
            || BEFORE
                .iter()
                .any(|word| self.word_before(before, word).is_some())
        {
            self.edit(at, at + 8, EditKind::Accessor);
        }
    }

    /// Blanks the type arguments of `` sql<T>`x` ``; with JSX, only types that do not look like a
    /// tag.
    fn tag_types(&mut self, at: usize, jsx: bool) {
        let Some(open) = self.type_arguments_before(at) else {
            return;
        };
        let first = self.byte(self.skip(open + 1, is_space));
        let plain = !jsx || first.is_ascii_uppercase() || first == b'{';
        if is_word(self.source[open - 1]) && plain {
            self.edit(open, at, EditKind::TagTypes);
        }
    }

    /// Returns the start of what may be type arguments that end at an offset; something is before
    /// them.
    fn type_arguments_before(&self, end: usize) -> Option<usize> {
        const LIMIT: usize = 2000;

        if end < 3 || self.source[end - 1] != b'>' || self.source[end - 2] == b'=' {
            return None;
        }

        let (mut depth, mut brackets) = (0, 0);
        for open in (end.saturating_sub(LIMIT).max(1)..end).rev() {
            let before = self.source[open - 1];
            match self.source[open] {
                b'>' if before != b'=' => depth += 1,
                b'<' => {
                    depth -= 1;
                    if depth == 0 {
                        return (brackets == 0).then_some(open);
                    }
                }
                b')' | b']' | b'}' => brackets += 1,
                // What has a substitution is no type, but the end of a template.
                b'{' if before == b'$' => return None,
                b'(' | b'[' | b'{' if brackets > 0 => brackets -= 1,
                b'(' | b'[' | b'{' | b'`' => return None,
                b';' if brackets == 0 => return None,
                b'/' if before == b'<' || self.source[open + 1] == b'>' => return None,
                _ => {}
            }
        }
        None
    }

    /// Repairs `using x = ..` and `await using x = ..` at the start of a statement.
    fn using(&mut self, at: usize) {
        if !self.word_at(at, b"using") || at > 0 && is_word(self.source[at - 1]) {
            return;
        }

        let blank = |byte| matches!(byte, b' ' | b'\t');
        let name = self.skip(at + 5, blank);
        if name == at + 5 || !is_word_start(self.byte(name)) {
            return self.edit(at, at + 5, EditKind::UsingName);
        }

        let end = self.skip(name, is_word);
        let after = self.skip(end, is_space);
        let assigns = self.byte(after) == b'=' && !matches!(self.byte(after + 1), b'=' | b'>');
        let iterates = self.word_at(after, b"of") && &self.source[name..end] != b"of";
        if !assigns && !iterates && self.byte(after) != b':' {
            return;
        }

        let before = self.skip_back(at, blank);
        let start = if before < at {
            self.word_before(before, b"await").unwrap_or(at)
        } else {
            at
        };
        let border = self.skip_back(start, blank);
        let is_head = border > 0 && self.source[border - 1] == b'(';
        let is_start =
            border == 0 || matches!(self.source[border - 1], b'\n' | b';' | b'{' | b'}' | b')');
        if is_head && self.is_for_before(border - 1) || is_start && !iterates {
            self.edit(start, at + 5, EditKind::Using);
        }
    }

    /// Reports whether `for` or `for await` is before a bracket.
    fn is_for_before(&self, open: usize) -> bool {
        let mut end = self.skip_back(open, is_space);
        if let Some(start) = self.word_before(end, b"await") {
            end = self.skip_back(start, is_space);
        }
        self.word_before(end, b"for").is_some()
    }

    fn finish(mut self) -> Repaired<'t> {
        if self.edits.is_empty() {
            return Repaired {
                text: Cow::Borrowed(self.source),
                edits: self.edits,
            };
        }

        self.edits.sort_by_key(|edit| edit.offset);

        let mut end = 0;
        self.edits.retain(|edit| {
            let outside = edit.offset >= end;
            if outside {
                end = edit.offset + edit.len;
            }
            outside
        });

        let mut text = self.source.to_vec();
        for edit in &self.edits {
            let place = &mut text[edit.offset as usize..(edit.offset + edit.len) as usize];
            match edit.kind {
                EditKind::Modifiers => near_errors::sort_modifiers(place),
                EditKind::NamespaceBrace => place.fill(b' '),
                kind => rewrite(place, kind),
            }
        }

        Repaired {
            text: Cow::Owned(text),
            edits: self.edits,
        }
    }
}

fn rewrite(place: &mut [u8], kind: EditKind) {
    let (fill, start): (u8, &[u8]) = match kind {
        EditKind::Using => (b' ', b"const"),
        EditKind::Global => (b' ', b"g:"),
        EditKind::UsingName => (b' ', b"uzing"),
        EditKind::Import => (b'_', b"i"),
        EditKind::TypeName => (b' ', b"typo"),
        EditKind::ThisLabel => (b' ', b"thiz"),
        EditKind::Semicolon => (b' ', b";"),
        EditKind::Ampersand | EditKind::KeywordName | EditKind::Escape => (b'_', b""),
        EditKind::TypePattern => (b' ', b"_"),
        EditKind::DecoratorGroup => {
            place[..].copy_from_slice(b"@_(");
            return;
        }
        _ => (b' ', b""),
    };

    for byte in place
        .iter_mut()
        .filter(|byte| !matches!(**byte, b'\n' | b'\r'))
    {
        *byte = fill;
    }

    place[..start.len()].copy_from_slice(start);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repaired(text: &str) -> String {
        let repaired = repair(text, Dialect::Ts);
        assert_eq!(repaired.text.len(), text.len());
        String::from_utf8(repaired.text.into_owned()).unwrap()
    }

    #[test]
    fn unsupported_syntax_is_rewritten() {
        for (text, expected) in [
            ("await using x = f();", "const       x = f();"),
            ("{ using y = g(); }", "{ const y = g(); }"),
            (
                "using(x); using = 1; using.y",
                "uzing(x); uzing = 1; uzing.y",
            ),
            (
                "let a = (using ? 1 : b.using);",
                "let a = (uzing ? 1 : b.uzing);",
            ),
            ("f<typeof import('m')>()", "f<typeof i__________>()"),
            ("x.import('m')", "x.import('m')"),
            ("export type * from 'x'", "export      * from 'x'"),
            (
                "interface A<in T, out U, in out V> {}",
                "interface A<   T,     U,        V> {}",
            ),
            (
                "interface A<\n  /** in */\n  in T,\n  // out\n  in out U = V> {}",
                "interface A<\n  /** in */\n     T,\n  // out\n         U = V> {}",
            ),
            ("f(a, in2, out)", "f(a, in2, out)"),
            (r"type A = `a \` b \\` | `c`", r"type A = `a    b \\` | `c`"),
            ("a && b!.c() + d![0]", "a && b .c() + d [0]"),
            ("return![1]; if!(a) b(c!(d))", "return![1]; if!(a) b(c (d))"),
            ("`import('${a}')`", "`import('${a}')`"),
            ("f<A, B,>(x)", "f<A, B >(x)"),
            ("f<T>?.(x)", "f<T>  (x)"),
            ("b?.5:1", "b? 5:1"),
            ("type A = [this: T, x?: U]", "type A = [thiz: T, x?: U]"),
            ("abstract override x;", "abstract          x;"),
            (
                "{ static accessor x = 1; accessor; f(accessor) }",
                "{ static          x = 1; accessor; f(accessor) }",
            ),
            (
                "sql<Map<A, () => B>>`x`; a > `b`; () => `c`",
                "sql                 `x`; a > `b`; () => `c`",
            ),
            (
                "for (using a of b) for await (await using c of d) for (using of e) f",
                "for (const a of b) for await (const       c of d) for (using of e) f",
            ),
            (
                "class A<const in T, in const U, const V> {}",
                "class A<const    T,    const U, const V> {}",
            ),
        ] {
            assert_eq!(repaired(text), expected);
        }
    }

    #[test]
    fn arrow_type_parameters_of_jsx_files_are_unchanged() {
        assert_eq!(
            &*repair("const f = <T,>(x: T) => x", Dialect::Tsx).text,
            b"const f = <T,>(x: T) => x"
        );
    }
}
