//! Type literals in declarations, read from the text: `f(options: Partial<{ deep: boolean }>)`
//! declares `deep` in a type literal, in `Partial`, in the parameter `options` of `f`.
//!
//! Limitations: forms of types without a name (unions, arrays, function types) are left out.

use scip::types::descriptor::Suffix;

use crate::model::graph::NodeKind;
use crate::query::text::source::Text;
use crate::store::ExportSymbol;

use super::Graph;

/// Where a type literal is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Offset of its brace in the file.
    pub(super) brace: usize,
    /// The named forms around it below the declaration, outermost first.
    pub(super) within: Vec<(String, Suffix)>,
}

/// Returns the type literal that declares a member; `None` if a type with a body does.
pub(super) fn place(graph: &Graph<'_>, site: &ExportSymbol, text: &Text) -> Option<Place> {
    let is_member = matches!(
        site.kind,
        NodeKind::Property | NodeKind::Method | NodeKind::Accessor
    );
    let parent = site.parent.filter(|_| is_member)?;
    let around = |outer: &&ExportSymbol| {
        outer.file == site.file
            && outer.offsets.0 <= site.offsets.0
            && site.offsets.1 <= outer.offsets.1
    };
    let parent = graph.sites.get(&parent)?.iter().find(around)?;
    let is_callable = match parent.kind {
        NodeKind::Method | NodeKind::Function => true,
        NodeKind::TypeAlias | NodeKind::Property | NodeKind::Variable => false,
        _ => return None,
    };

    let (above, from_parent) = text.split_at(parent.name_line, parent.name_column);
    let (before, _) = text.split_at(site.name_line, site.name_column);
    let start = above.len();
    let length = before.len().checked_sub(start)?;
    let name = name_length(from_parent);
    let header = from_parent.get(name..length)?;

    let mut place = Scanner::new(header, is_callable).place()?;
    place.brace += start + name;
    Some(place)
}

/// Returns the length of the name that a text begins with, with its quotes or brackets.
fn name_length(text: &str) -> usize {
    match text.chars().next() {
        Some(quote @ ('"' | '\'')) => text[1..].find(quote).map_or(0, |end| end + 2),
        Some('[') => text.find(']').map_or(0, |end| end + 1),
        _ => text.find(|c| !is_name(c)).unwrap_or(text.len()),
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '#')
}

/// A bracket that is not closed yet.
struct Open<'t> {
    bracket: char,
    at: usize,
    /// What it says about the types in it.
    list: List<'t>,
}

enum List<'t> {
    /// Parameters or type parameters; the current one begins at this offset.
    Declared(usize, Suffix),
    /// Arguments of a type.
    Arguments(&'t str),
    /// Anything else.
    Other,
}

/// Reads the text between the name of a declaration and that of a member.
struct Scanner<'t> {
    text: &'t str,
    at: usize,
    open: Vec<Open<'t>>,
    /// Range of the last dotted name.
    word: (usize, usize),
    /// Whether a list of parameters may follow.
    may_have_parameters: bool,
}

impl<'t> Scanner<'t> {
    fn new(text: &'t str, may_have_parameters: bool) -> Self {
        Self {
            text,
            at: 0,
            open: Vec::new(),
            word: (0, 0),
            may_have_parameters,
        }
    }

    /// Returns the innermost open brace at the end of the text, and what is around it.
    fn place(mut self) -> Option<Place> {
        while let Some(next) = self.text[self.at..].chars().next() {
            self.read(next);
        }

        let brace = self.open.pop().filter(|open| open.bracket == '{')?.at;
        let described = |open: &Open<'t>| match open.list {
            List::Declared(start, suffix) => {
                Some((declared_name(&self.text[start..]).to_owned(), suffix))
            }
            List::Arguments(name) => Some((name.to_owned(), Suffix::Meta)),
            List::Other => None,
        };
        Some(Place {
            brace,
            within: self.open.iter().filter_map(described).collect(),
        })
    }

    fn read(&mut self, next: char) {
        let rest = &self.text[self.at..];
        let length = match next {
            '"' | '\'' | '`' => quoted_length(rest, next),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '=' if rest.starts_with("=>") => 2,
            '(' | '<' | '[' | '{' => self.open(next),
            ')' => self.close('('),
            '>' => self.close('<'),
            ']' => self.close('['),
            '}' => self.close('{'),
            ',' => self.begin_next(),
            c if is_name(c) || c == '.' => self.read_word(rest),
            c => c.len_utf8(),
        };

        self.at += length;
    }

    fn read_word(&mut self, rest: &str) -> usize {
        let length = rest
            .find(|c: char| !is_name(c) && c != '.')
            .unwrap_or(rest.len());
        self.word = (self.at, self.at + length);
        length
    }

    fn open(&mut self, bracket: char) -> usize {
        let is_outermost = self.open.is_empty();
        let is_first = self.text[..self.at].trim().is_empty();
        let list = match bracket {
            '(' if is_outermost && self.may_have_parameters => {
                self.may_have_parameters = false;
                List::Declared(self.at + 1, Suffix::Parameter)
            }
            '<' if is_outermost && is_first => List::Declared(self.at + 1, Suffix::TypeParameter),
            '<' if self.word.1 == self.at && self.word.0 < self.at => {
                List::Arguments(&self.text[self.word.0..self.word.1])
            }
            _ => List::Other,
        };

        self.open.push(Open {
            bracket,
            at: self.at,
            list,
        });

        1
    }

    /// Closes the last bracket of a kind, and those that were opened in it by mistake.
    fn close(&mut self, bracket: char) -> usize {
        let last = self.open.iter().rposition(|open| open.bracket == bracket);
        let is_last = last.is_some_and(|last| last + 1 == self.open.len());
        if let Some(last) = last.filter(|_| bracket != '<' || is_last) {
            self.open.truncate(last);
        }
        1
    }

    fn begin_next(&mut self) -> usize {
        if let Some(Open {
            list: List::Declared(start, _),
            ..
        }) = self.open.last_mut()
        {
            *start = self.at + 1;
        }
        1
    }
}

/// Returns the length of a string, with its quotes.
fn quoted_length(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the name or pattern of the parameter or type parameter that a text begins with.
fn declared_name(text: &str) -> &str {
    const MODIFIERS: [&str; 8] = [
        "public",
        "private",
        "protected",
        "readonly",
        "override",
        "const",
        "in",
        "out",
    ];
    let mut text = text.trim_start();
    text = text.strip_prefix("...").unwrap_or(text).trim_start();
    let close = match text.chars().next() {
        Some('{') => Some('}'),
        Some('[') => Some(']'),
        _ => None,
    };
    if let Some(close) = close {
        return text.find(close).map_or(text, |end| &text[..=end]);
    }

    let name = &text[..name_length(text)];
    let after = text[name.len()..].trim_start();
    if MODIFIERS.contains(&name) && after.starts_with(is_name) {
        return declared_name(after);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_forms_around_a_type_literal_are_found() {
        use Suffix::{Meta, Parameter, TypeParameter};

        for (header, is_callable, expected) in [
            (": { ", false, vec![]),
            (" = Array<{ ", false, vec![("Array", Meta)]),
            (": util.Loose<{ a: '>'; ", false, vec![("util.Loose", Meta)]),
            ("(a: () => void, b?: { ", true, vec![("b", Parameter)]),
            ("({ a, b }: { ", true, vec![("{ a, b }", Parameter)]),
            (
                "(...rest: Array<{ ",
                true,
                vec![("rest", Parameter), ("Array", Meta)],
            ),
            ("<T, const U extends { ", true, vec![("U", TypeParameter)]),
            ("(a: string): Promise<{ ", true, vec![("Promise", Meta)]),
            (
                "(/* ( */ a: Map<string, { x: 1 }>, b: { ",
                true,
                vec![("b", Parameter)],
            ),
            (": (a: string) => { ", false, vec![]),
        ] {
            let place = Scanner::new(header, is_callable).place();
            let found = place.unwrap_or_else(|| panic!("{header}")).within;
            let found: Vec<(&str, Suffix)> = found
                .iter()
                .map(|(name, suffix)| (name.as_str(), *suffix))
                .collect();
            assert_eq!(found, expected, "{header}");
        }
    }

    #[test]
    fn a_text_outside_braces_has_no_type_literal() {
        for header in ["", "(a: { b: string }", " = { a: 1 }"] {
            assert_eq!(Scanner::new(header, true).place(), None, "{header}");
        }
    }
}
