//! The displayed text of a declaration: its span, parameter list and type as written, its doc
//! comment, and a hash of its text.
//!
//! Limitations: the doc comment is the `/** */` that ends directly before the declaration; its
//! summary ends at the first `@tag`.

use std::borrow::Cow;

use codeagent_lang::lower::builder::short_hash;
use codeagent_lang::lower::collapse_whitespace::one_line;
use codeagent_model::facts::*;
use codeagent_model::graph::Access;
use memchr::{memrchr, memrchr_iter};

use crate::lower::lowering::Lowering;
use crate::syntax::syntax::{Child, Field, Kind};

/// The text positions of a declaration.
#[derive(Clone, Copy, Default)]
pub struct DeclText<'tree> {
    /// Offset of its first byte, including decorators and `export`.
    pub start: usize,
    /// Offset past its last byte.
    pub end: usize,
    pub name: Option<Child<'tree>>,
    pub parameters: Option<Child<'tree>>,
    pub ty: Option<Child<'tree>>,
    pub access: Option<Access>,
    /// Offset directly before which its doc comment ends, if not `start`.
    pub documented_at: Option<usize>,
}

/// A function that is the value of a variable or property.
pub struct WrittenFunction<'tree> {
    pub child: Child<'tree>,
    /// Whether a cast gives the value another type than the function's.
    pub is_cast: bool,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Doc {
    summary: String,
    deprecated: bool,
}

const SUMMARY_LIMIT: usize = 300;

impl<'t, 'tree> Lowering<'t, 'tree> {
    /// Adds the detail that makes a declaration a node.
    pub fn show(&mut self, id: DeclId, looks: DeclText<'tree>) {
        let unseen = Detail {
            span: self.b.span(looks.start, looks.end),
            access: looks.access,
            parameters: Sym::NONE,
            type_text: Sym::NONE,
            doc: Sym::NONE,
            deprecated: false,
            accessors: match self.b.decl(id).kind {
                DeclKind::Getter => Accessors::GET,
                DeclKind::Setter => Accessors::SET,
                _ => Accessors::default(),
            },
            explicit_interface: TypeId::NONE,
            body_hash: [0; 8],
        };
        if self.is_library {
            self.b.set_detail(id, unseen);
            return;
        }

        let doc =
            doc_before(self.b.text, looks.documented_at.unwrap_or(looks.start)).unwrap_or_default();
        let summary = if doc.summary.is_empty() {
            Sym::NONE
        } else {
            self.b.sym_owned(&doc.summary)
        };
        let parameters = looks
            .parameters
            .map_or(Sym::NONE, |child| self.folded(self.text(child)));
        let type_text = looks.ty.map_or(Sym::NONE, |child| {
            self.folded(self.text(child).trim_start_matches(':').trim_start())
        });
        let name = looks.name.map_or((looks.start, looks.start), |child| {
            (child.start(), child.end())
        });

        let detail = Detail {
            parameters,
            type_text,
            doc: summary,
            deprecated: doc.deprecated,
            body_hash: body_hash(self.b.text, looks.start, name, looks.end),
            ..unseen
        };

        self.b.set_detail(id, detail);
    }

    /// Shows a declaration with its value; if that is a function, with its parameters and return type.
    pub fn show_holder(
        &mut self,
        id: DeclId,
        value: Option<Child<'tree>>,
        mut looks: DeclText<'tree>,
    ) {
        if let Some(function) = value.and_then(|value| self.written_function(value))
            && !function.is_cast
        {
            let inner = self.children(function.child);
            looks.parameters = inner
                .get(Field::Parameters)
                .or_else(|| inner.get(Field::Parameter));
            looks.ty = looks.ty.or_else(|| inner.get(Field::ReturnType));
        }

        self.show(id, looks);
    }

    /// Returns the function that is a value, without parentheses and casts around it.
    pub fn written_function(&mut self, value: Child<'tree>) -> Option<WrittenFunction<'tree>> {
        let mut child = self.uncast(value);
        let mut is_cast = false;
        loop {
            let at = match child.kind {
                Kind::ArrowFunction | Kind::FunctionExpression | Kind::GeneratorFunction => {
                    return Some(WrittenFunction { child, is_cast });
                }
                Kind::SatisfiesExpression | Kind::AsExpression => 0,
                Kind::TypeAssertion => 1,
                _ => return None,
            };
            is_cast |= child.kind != Kind::SatisfiesExpression;
            let inner = self.children(child).named().nth(at)?;
            child = self.uncast(inner);
        }
    }

    /// Interns a text, collapsed to one line.
    fn folded(&mut self, text: &'t str) -> Sym {
        match one_line(text) {
            Cow::Borrowed(text) => self.b.sym(text),
            Cow::Owned(text) => self.b.sym_owned(&text),
        }
    }
}

fn body_hash(text: &str, start: usize, name: (usize, usize), end: usize) -> [u8; 8] {
    let parts = [text.get(start..name.0), text.get(name.1..end)].map(Option::unwrap_or_default);
    let mut compact = vec![0; parts[0].len() + parts[1].len()];
    let mut length = 0;
    for part in parts {
        for byte in part.bytes() {
            compact[length] = byte;
            length += usize::from(!byte.is_ascii_whitespace());
        }
    }
    short_hash(&[&compact[..length]])
}

fn doc_before(text: &str, start: usize) -> Option<Doc> {
    comment_before(text, start).map(read_doc)
}

/// Returns the text between `/**` and `*/` directly before an offset. A `/*` after a letter, a
/// quote or a path segment does not open a comment.
pub fn comment_before(text: &str, start: usize) -> Option<&str> {
    let mut before = text.get(..start)?.trim_end();
    while !before.ends_with("*/") {
        let line = memrchr(b'\n', before.as_bytes()).map_or(0, |at| at + 1);
        if !before[line..].trim_start().starts_with("//") || line == 0 {
            return None;
        }
        before = before[..line].trim_end();
    }

    let above = &before.as_bytes()[..before.len() - 2];
    let last = memrchr_iter(b'/', above)
        .find(|end| above[..*end].ends_with(b"*"))
        .map_or(0, |end| end + 1);
    let comment = &before[last..];
    let opens = |at: &usize| {
        !comment[..*at].ends_with(|c: char| c.is_alphanumeric() || "\"'`*/.@_-".contains(c))
    };
    let open = memrchr_iter(b'/', comment.as_bytes())
        .find(|at| comment[*at..].starts_with("/*") && opens(at))?;

    comment[open..].strip_prefix("/**")?.strip_suffix("*/")
}

fn read_doc(comment: &str) -> Doc {
    let mut doc = Doc {
        summary: String::new(),
        deprecated: comment.contains("@deprecated"),
    };
    let lines = || {
        comment
            .lines()
            .map(|line| line.trim().trim_start_matches('*').trim())
    };
    for line in lines() {
        if line.starts_with('@') || line.starts_with("```") {
            break;
        }
        if line.is_empty() && !doc.summary.is_empty() {
            break;
        }
        if !line.is_empty() {
            if !doc.summary.is_empty() {
                doc.summary.push(' ');
            }
            push_plain(&mut doc.summary, line);
        }
    }

    // A comment of nothing but tags counts, unless they only declare types.
    let gives_type = |tag: &str| {
        let verdict = tag
            .split_once(char::is_whitespace)
            .map_or("", |(_, verdict)| verdict.trim_start());
        verdict.starts_with('{') && !verdict.starts_with("{@")
    };

    if let Some(tag) = lines()
        .find(|line| line.starts_with('@') && !gives_type(line))
        .filter(|_| doc.summary.is_empty())
    {
        push_plain(&mut doc.summary, tag);
    }

    if doc.summary.len() > SUMMARY_LIMIT {
        let cut = (0..=SUMMARY_LIMIT)
            .rev()
            .find(|&at| doc.summary.is_char_boundary(at))
            .unwrap_or(0);
        let cut = doc.summary[..cut].rfind(' ').unwrap_or(cut);
        doc.summary.truncate(cut);
    }

    doc
}

/// Adds a line, with `{@link A.b text}` replaced by its text.
fn push_plain(summary: &mut String, line: &str) {
    let mut rest = line;
    while let Some(open) = rest.find("{@") {
        let Some(close) = rest[open..].find('}') else {
            break;
        };
        summary.push_str(&rest[..open]);
        let inner = &rest[open + 2..open + close];
        summary.push_str(
            inner
                .split_once(char::is_whitespace)
                .map_or("", |(_, target)| target.trim()),
        );
        rest = &rest[open + close + 1..];
    }
    summary.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_is_plain_text_up_to_the_first_blank_line_or_tag() {
        let text = "/**\n * Adds {@link Cart items}\n * up.\n *\n * More.\n * @deprecated use b\n */\n// note\nfunction f() {}";
        let doc = doc_before(text, text.find("function").unwrap()).unwrap();
        assert_eq!(
            doc,
            Doc {
                summary: "Adds Cart items up.".to_owned(),
                deprecated: true
            }
        );

        let doc = doc_before("/** @deprecated use {@link b} */\nfunction f() {}", 33).unwrap();
        assert_eq!(
            doc,
            Doc {
                summary: "@deprecated use b".to_owned(),
                deprecated: true
            }
        );

        assert_eq!(doc_before("/* no */ x", 9), None);
        assert_eq!(doc_before("f(); x", 5), None);

        let globs = "import './*';\n/** In src/*.ts */\nlet x";
        assert_eq!(
            doc_before(globs, globs.len() - 5).unwrap().summary,
            "In src/*.ts"
        );
    }

    #[test]
    fn the_hash_ignores_name_and_layout() {
        let (a, b) = ("function a() { return 1 }", "function   bc()\n{ return 1 }");
        assert_eq!(
            body_hash(a, 0, (9, 10), a.len()),
            body_hash(b, 0, (11, 13), b.len())
        );
    }
}
