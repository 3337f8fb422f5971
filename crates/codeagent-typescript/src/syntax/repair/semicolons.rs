//! Automatic semicolon insertion at line endings where the grammar lacks it or has it too early.
//!
//! In `interface A {\n x: B\n <T>(y: T): C\n}` the second line starts a member, because type
//! arguments must be on the line of their type. The grammar reads `B<T>`, so a space before `<`
//! becomes `;`.
//!
//! Limitations: the context of a line is judged by its first and last characters, without a tree. A
//! work counter bounds scanning back and ahead to a multiple of the text's length.

use super::{EditKind, Scan, is_space, is_word, is_word_start};

/// Words after which a name on the next line does not start a member or statement.
const OPEN_WORDS: [&[u8]; 24] = [
    b"else",
    b"do",
    b"typeof",
    b"keyof",
    b"in",
    b"of",
    b"is",
    b"as",
    b"satisfies",
    b"extends",
    b"implements",
    b"infer",
    b"new",
    b"function",
    b"class",
    b"interface",
    b"type",
    b"enum",
    b"namespace",
    b"await",
    b"void",
    b"delete",
    b"instanceof",
    b"case",
];

/// Modifiers that may precede the name of a member.
const MODIFIERS: [&[u8]; 16] = [
    b"async",
    b"public",
    b"private",
    b"protected",
    b"static",
    b"readonly",
    b"abstract",
    b"override",
    b"declare",
    b"accessor",
    b"get",
    b"set",
    b"function",
    b"class",
    b"interface",
    b"type",
];

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

impl Scan<'_> {
    /// Inspects the start of a line after a `\n`.
    pub(super) fn line_start(&mut self, newline: usize) {
        let at = self.skip(newline + 1, is_blank);
        let begins = match self.byte(at) {
            b'<' => self.is_call_signature(at),
            b'i' => self.is_name_like_operator(at),
            b'g' => {
                self.global_block(at);
                false
            }
            b'{' => {
                self.namespace_brace(newline, at);
                false
            }
            _ => false,
        };

        let Some(end) = begins.then(|| self.code_before(newline)).flatten() else {
            return;
        };

        if self.ends_member(end, self.byte(at) == b'<') {
            self.edit(at - 1, at, EditKind::Semicolon);
        }
    }

    /// Repairs `global { .. }` in `declare module "m" { .. }`: the grammar expects `declare` before it.
    fn global_block(&mut self, at: usize) {
        let end = at + b"global".len();
        if self.word_at(at, b"global") && self.byte(self.skip(end, is_space)) == b'{' {
            self.edit(at, end, EditKind::Global);
        }
    }

    /// Joins the lines of `namespace N` or `declare global` and its `{`: the grammar would end the
    /// statement between them.
    fn namespace_brace(&mut self, newline: usize, brace: usize) {
        let end = self.skip_back(newline, is_space);
        if self.ends_namespace_head(end) && self.code_before(newline) == Some(end) {
            self.edit(end, brace, EditKind::NamespaceBrace);
        }
    }

    /// Reports whether `namespace A.B`, `module A.B` or `declare global` ends here.
    fn ends_namespace_head(&self, end: usize) -> bool {
        let name = self.skip_back(end, |byte| is_word(byte) || byte == b'.');
        let keyword = self.skip_back(name, is_blank);
        if name == end || keyword == name {
            return false;
        }

        let words: &[&[u8]] = match &self.source[name..end] {
            b"global" => &[b"declare"],
            _ => &[b"namespace", b"module"],
        };
        words
            .iter()
            .any(|word| self.word_before(keyword, word).is_some())
    }

    /// Excludes `() => { return } : x`: no semicolon is inserted before `} :`.
    pub(super) fn closing_brace(&mut self, at: usize) {
        const WORDS: [&[u8]; 4] = [b"return", b"break", b"continue", b"debugger"];
        let end = self.skip_back(at, is_blank);
        let is_bare = end < at
            && is_word(self.source[end.saturating_sub(1)])
            && WORDS
                .iter()
                .any(|word| self.word_before(end, word).is_some());
        if is_bare && self.byte(self.skip(at + 1, is_blank)) == b':' {
            self.edit(end, end + 1, EditKind::Semicolon);
        }
    }

    /// Reports whether a name starts like an operator: `in?: T`, `instanceof: T`, `in_2 = 3`.
    fn is_name_like_operator(&self, at: usize) -> bool {
        let rest = &self.source[at..];
        let len = if rest.starts_with(b"instanceof") {
            10
        } else {
            2
        };
        if !rest.starts_with(b"in") {
            return false;
        }
        match self.byte(at + len) {
            b'_' | b'$' | b'0'..=b'9' | b':' => true,
            b'?' => self.byte(at + len + 1) == b':',
            _ => false,
        }
    }

    /// Reports whether a call signature such as `<A>(b: C): D` starts here.
    fn is_call_signature(&mut self, at: usize) -> bool {
        let first = self.skip(at + 1, is_space);
        if !is_word_start(self.byte(first)) {
            return false;
        }
        let Some(close) = self.closing(at) else {
            return false;
        };
        let open = self.skip(close + 1, is_space);
        if self.source[close] != b'>' || self.byte(open) != b'(' {
            return false;
        }
        self.closing(open)
            .is_some_and(|close| self.byte(self.skip(close + 1, is_space)) == b':')
    }

    /// Returns the end of the bracket at `open`, ignoring strings and comments.
    pub(super) fn closing(&mut self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        let mut at = open;
        while at < self.source.len() && self.spend(1) {
            match self.source[at] {
                b'<' | b'(' | b'[' | b'{' => depth += 1,
                b'>' if self.source[at - 1] == b'=' => {}
                b'>' | b')' | b']' | b'}' => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                quote @ (b'\'' | b'"' | b'`') => at = self.string_end(at + 1, quote)?,
                b'/' if self.byte(at + 1) == b'/' => at = self.skip(at, |byte| byte != b'\n'),
                b'/' if self.byte(at + 1) == b'*' => at = self.comment_end(at + 2)?,
                b';' if depth < 2 => return None,
                _ => {}
            }
            at += 1;
        }

        None
    }

    fn string_end(&mut self, mut at: usize, quote: u8) -> Option<usize> {
        while at < self.source.len() && self.spend(1) {
            match self.source[at] {
                b'\\' => at += 1,
                b'\n' if quote != b'`' => return None,
                byte if byte == quote => return Some(at),
                _ => {}
            }
            at += 1;
        }
        None
    }

    pub(super) fn comment_end(&mut self, from: usize) -> Option<usize> {
        let mut at = from;
        while self.spend(1) {
            if *self.source.get(at + 1)? == b'/' && self.source[at] == b'*' {
                return Some(at + 1);
            }
            at += 1;
        }
        None
    }

    /// Returns the end of the code on a line, without comments.
    pub(super) fn code_before(&mut self, newline: usize) -> Option<usize> {
        let mut end = newline;
        loop {
            end = self.skip_back(end, is_space);
            if self.source[..end].ends_with(b"*/") {
                end = self.comment_start(end - 2)?;
                continue;
            }

            let line = self.skip_back(end, |byte| byte != b'\n');
            if !self.spend(end - line + 1) {
                return None;
            }

            match (line..end.saturating_sub(1)).find(|at| self.is_line_comment(*at, line)) {
                Some(comment) => end = comment,
                None => return (end > 0).then_some(end),
            }
        }
    }

    fn comment_start(&mut self, mut at: usize) -> Option<usize> {
        while at > 1 && self.spend(1) {
            at -= 1;
            if self.source[at] == b'*' && self.source[at - 1] == b'/' {
                return Some(at - 1);
            }
        }
        None
    }

    fn is_line_comment(&self, at: usize, line: usize) -> bool {
        self.source[at] == b'/'
            && self.source[at + 1] == b'/'
            && (at == line || is_space(self.source[at - 1]))
    }

    /// Reports whether a member or statement may end here. A name alone counts as one whose type
    /// parameters are on the next line.
    fn ends_member(&self, end: usize, before_angle: bool) -> bool {
        let last = self.source[end - 1];
        let is_counted = !before_angle
            && (self.source[..end].ends_with(b"++") || self.source[..end].ends_with(b"--"));
        if is_counted
            || matches!(last, b')' | b']' | b'}' | b'\'' | b'"' | b'`')
            || (last == b'>' && !self.source[..end].ends_with(b"=>"))
        {
            return true;
        }

        if self
            .word_before(end, b"void")
            .is_some_and(|start| self.is_type_at(start))
        {
            return true;
        }

        if !is_word(last)
            || OPEN_WORDS
                .iter()
                .any(|word| self.word_before(end, word).is_some())
        {
            return false;
        }

        !before_angle || !self.is_bare_name(end)
    }

    /// Reports whether a type rather than an operand starts here: `x: void`, `() => void`, `A |
    /// void`.
    fn is_type_at(&self, start: usize) -> bool {
        let before = self.skip_back(start, is_space);
        before > 0
            && (matches!(self.source[before - 1], b':' | b'|' | b'&')
                || self.source[..before].ends_with(b"=>"))
    }

    fn is_bare_name(&self, end: usize) -> bool {
        let start = self.skip_back(end, is_word);
        let before = self.skip_back(start, is_blank);
        let Some(last) = before.checked_sub(1).map(|at| self.source[at]) else {
            return true;
        };

        match last {
            b'\n' | b'\r' => {
                let above = self.skip_back(before, is_space);
                !(above > 0
                    && matches!(
                        self.source[above - 1],
                        b':' | b'|' | b'&' | b'=' | b'>' | b'?'
                    ))
            }
            b';' | b'{' | b',' | b'*' | b'#' => true,
            _ => MODIFIERS
                .iter()
                .any(|word| self.word_before(before, word).is_some()),
        }
    }

    /// Spends scan steps; returns `false` if the budget is exceeded.
    pub(super) fn spend(&mut self, steps: usize) -> bool {
        self.work = self.work.saturating_sub(steps);
        self.work > 0
    }
}

#[cfg(test)]
mod tests {
    use crate::syntax::repair::repair;
    use codeagent_model::graph::Dialect;

    fn repaired(text: &str) -> String {
        String::from_utf8(repair(text, Dialect::Ts).text.into_owned()).unwrap()
    }

    #[test]
    fn type_parameters_on_a_new_line_start_a_member() {
        for (text, expected) in [
            (
                "interface A {\n  x: B\n  <T>(y: T): C\n}",
                "interface A {\n  x: B\n ;<T>(y: T): C\n}",
            ),
            (
                "{\n x: B // c\n  /** d */\n  <T, U = '>'>(y: (z: T) => U): C }",
                "{\n x: B // c\n  /** d */\n ;<T, U = '>'>(y: (z: T) => U): C }",
            ),
            (
                "{\n f(): B[]\n<T>(y: T): C }",
                "{\n f(): B[];<T>(y: T): C }",
            ),
            ("{ x:\n  B\n <T>(y: T): C }", "{ x:\n  B\n;<T>(y: T): C }"),
            (
                "{\n f: () => void\n <T>(y: T): void\n <T>(y: T): C }",
                "{\n f: () => void\n;<T>(y: T): void\n;<T>(y: T): C }",
            ),
            ("{\n x: B;\n <T>(y: T): C }", "{\n x: B;\n <T>(y: T): C }"),
            ("{\n <T>(y: T): C }", "{\n <T>(y: T): C }"),
            (
                "class A {\n  async f\n  <T>(y: T): C { } }",
                "class A {\n  async f\n  <T>(y: T): C { } }",
            ),
            (
                "x = (a: B) =>\n  <T>(y: T): C => z",
                "x = (a: B) =>\n  <T>(y: T): C => z",
            ),
            ("if (i\n <n) f(a)", "if (i\n <n) f(a)"),
            ("<a>\n  <b>(c)</b>\n</a>", "<a>\n  <b>(c)</b>\n</a>"),
        ] {
            assert_eq!(repaired(text), expected, "{text}");
        }
    }

    #[test]
    fn names_that_start_like_an_operator_start_a_statement() {
        for (text, expected) in [
            (
                "{\n a: B\n in?: C\n instanceof: D }",
                "{\n a: B\n;in?: C\n;instanceof: D }",
            ),
            ("f()\nin_x = 1", "f();in_x = 1"),
            ("a +\n in_x", "a +\n in_x"),
            ("a\n in b", "a\n in b"),
            ("c ? () => { return } : d", "c ? () => { return;} : d"),
        ] {
            assert_eq!(repaired(text), expected, "{text}");
        }
    }

    #[test]
    fn a_namespace_may_have_its_brace_on_another_line() {
        for (text, expected) in [
            ("declare global\n{ }", "declare global { }"),
            ("namespace A.B\r\n\n  { }", "namespace A.B     { }"),
            ("module A\n{ }", "module A { }"),
            (
                "declare module 'm' {\n global\n { } }",
                "declare module 'm' {\n g:    \n { } }",
            ),
            ("// namespace A\n{ }", "// namespace A\n{ }"),
            ("namespace A // b\n{ }", "namespace A // b\n{ }"),
            ("a.global\n{ }", "a.global\n{ }"),
            ("f(namespace)\nA\n{ }", "f(namespace)\nA\n{ }"),
        ] {
            assert_eq!(repaired(text), expected, "{text}");
        }
    }

    #[test]
    fn lookahead_and_lookbehind_are_bounded() {
        for unit in [
            "*/\n<a",
            "\n<a",
            "\n<a>(b",
            "//\n<a>():",
            "\n<a(`",
            "module a\n{",
        ] {
            let text = unit.repeat(200_000);
            let started = cpu_time::ThreadTime::now();
            assert_eq!(repaired(&text).len(), text.len());
            assert!(started.elapsed().as_secs() < 10, "{unit}");
        }
    }
}
