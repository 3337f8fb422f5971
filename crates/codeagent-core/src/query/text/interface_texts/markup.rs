//! Elements around an offset of a file in a markup language: XAML, Razor, HTML, resources.
//!
//! Limitations: a scanner of tags, not a parser. Code in the file counts as text; an element without an end
//! is taken to end with the element around it.

use codeagent_lang::surroundings::{Around, AroundKind, Part, Surroundings, collapsed};

/// Elements of HTML without an end.
const VOID: [&str; 13] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
    "wbr",
];

/// An element that has begun.
struct Open {
    around: Around,
    /// Where its content begins.
    content: usize,
    /// Texts directly or indirectly inside that end before the offset.
    has_texts: bool,
}

/// Returns the text at an offset, and the elements around it.
pub(super) fn surroundings(text: &str, offset: usize) -> Surroundings {
    let mut open: Vec<Open> = Vec::new();
    let mut at = 0;
    while let Some(start) = next_tag(text, at) {
        if start > offset {
            break;
        }
        note_text(&mut open, &text[at..start]);
        let end = tag_end(text, start);
        if offset < end && text[start..].starts_with("<!--") {
            return Surroundings::default();
        }
        if offset < end {
            let tag = element(text, start, end);
            return in_tag(tag, open, offset, text);
        }
        at = end;
        step(&mut open, text, (start, end));
    }

    let start = at;
    let end = next_tag(text, offset).unwrap_or(text.len());
    let own = text.get(start..end).unwrap_or_default();
    let mut around = finish(open);
    mark_others(&mut around, &text[end..]);
    Surroundings {
        text: Some(collapsed(own)).filter(|own| !own.is_empty()),
        around,
    }
}

/// Handles a tag before the offset.
fn step(open: &mut Vec<Open>, text: &str, (start, end): (usize, usize)) {
    let tag = &text[start..end];
    if let Some(name) = tag.strip_prefix("</") {
        let name = name.trim_end_matches('>').trim();
        if let Some(at) = open.iter().rposition(|one| one.around.name == name) {
            let has_texts = open[at..].iter().any(|one| one.has_texts);
            open.truncate(at);
            if let Some(parent) = open.last_mut() {
                parent.has_texts |= has_texts;
            }
        }
        return;
    }

    if !has_no_content(tag) {
        open.push(Open {
            around: element(text, start, end),
            content: end,
            has_texts: false,
        });
    }
}

/// Reports whether a tag is a comment or declaration, or that of an element without an end.
pub(super) fn has_no_content(tag: &str) -> bool {
    let inner = tag.trim_start_matches('<');
    let name = inner.split(|c: char| c.is_whitespace() || matches!(c, '/' | '>'));
    let name = name.into_iter().next().unwrap_or_default();
    tag.ends_with("/>") || inner.starts_with(['!', '?']) || VOID.contains(&name)
}

fn note_text(open: &mut [Open], text: &str) {
    if text.contains(char::is_alphabetic)
        && let Some(last) = open.last_mut()
    {
        last.has_texts = true;
    }
}

/// Returns what an offset inside a tag belongs to: the value of an attribute.
fn in_tag(tag: Around, open: Vec<Open>, offset: usize, text: &str) -> Surroundings {
    let part = tag.parts.iter().find(|part| part.span.contains(&offset));
    let value = part.and_then(|part| value(&text[part.span.clone()]));
    let mut around = vec![tag];
    around.extend(finish(open));
    Surroundings {
        text: value.map(collapsed),
        around,
    }
}

/// Returns the open elements, innermost first.
fn finish(open: Vec<Open>) -> Vec<Around> {
    let mut has_texts = false;
    let mut around = Vec::new();
    for one in open.into_iter().rev() {
        has_texts |= one.has_texts;
        around.push(Around {
            has_other_texts: has_texts,
            span: one.around.span.start..one.content,
            ..one.around
        });
    }
    around
}

/// Marks the elements that have texts in `rest`, which follows the offset.
fn mark_others(around: &mut [Around], rest: &str) {
    let (mut at, mut depth, mut inner) = (0, 0_usize, 0_usize);
    while let Some(start) = next_tag(rest, at).filter(|_| inner < around.len()) {
        if rest[at..start].contains(char::is_alphabetic) {
            around[inner..]
                .iter_mut()
                .for_each(|one| one.has_other_texts = true);
            return;
        }

        let end = tag_end(rest, start);
        let tag = &rest[start..end];
        at = end;

        match () {
            () if tag.starts_with("</") && depth == 0 => inner += 1,
            () if tag.starts_with("</") => depth -= 1,
            () if has_no_content(tag) => {}
            () => depth += 1,
        }
    }
}

/// Returns the elements inside the one whose content begins at an offset.
pub(super) fn elements_within(text: &str, from: usize) -> Vec<Around> {
    let mut found = Vec::new();
    let (mut at, mut depth) = (from, 0_usize);

    while let Some(start) = next_tag(text, at) {
        let end = tag_end(text, start);
        let tag = &text[start..end];
        at = end;

        match () {
            () if tag.starts_with("</") && depth == 0 => break,
            () if tag.starts_with("</") => depth -= 1,
            () if tag.starts_with("<!") => {}
            () => {
                depth += usize::from(!has_no_content(tag));
                found.push(element(text, start, end));
            }
        }
    }

    found
}

/// Returns the start of the next tag.
fn next_tag(text: &str, from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    rest.match_indices('<').find_map(|(at, _)| {
        let after = rest[at + 1..].chars().next()?;
        let is_tag = after.is_alphabetic() || matches!(after, '/' | '!' | '?');
        is_tag.then_some(from + at)
    })
}

/// Returns the end of a tag, or that of the text if the tag has none.
fn tag_end(text: &str, start: usize) -> usize {
    find_tag_end(text, start).unwrap_or(text.len())
}

/// Reports whether the tag that a text begins with ends in it.
#[must_use]
pub fn has_tag_end(text: &str) -> bool {
    find_tag_end(text, 0).is_some()
}

/// Finds the end of a tag, behind its bracket. Brackets in quotation marks and braces do not count.
fn find_tag_end(text: &str, start: usize) -> Option<usize> {
    let rest = &text[start..];
    if rest.starts_with("<!--") {
        return rest.find("-->").map(|at| start + at + 3);
    }

    let mut quote = None;
    let mut depth = 0_usize;
    for (at, c) in rest.char_indices() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '{') => depth += 1,
            (None, ')' | '}') => depth = depth.saturating_sub(1),
            (None, '>') if depth == 0 => return Some(start + at + 1),
            _ => {}
        }
    }

    None
}

/// Describes the element of a tag.
fn element(text: &str, start: usize, end: usize) -> Around {
    let tag = &text[start..end];
    let name_end = tag[1..].find(|c: char| c.is_whitespace() || matches!(c, '/' | '>'));
    let name_end = name_end.map_or(tag.len(), |at| at + 1);
    Around {
        kind: AroundKind::Element,
        name: tag[1..name_end].to_owned(),
        span: start..end,
        parts: attributes(text, start + name_end, end),
        has_other_texts: false,
    }
}

/// Returns the attributes of a tag.
fn attributes(text: &str, start: usize, end: usize) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut at = start;
    while at < end {
        let rest = &text[at..end];
        let skipped = rest.find(|c: char| !c.is_whitespace() && !matches!(c, '/' | '>'));
        let Some(skipped) = skipped else { break };

        let begin = at + skipped;
        let rest = &text[begin..end];
        let name = rest.find(|c: char| c.is_whitespace() || matches!(c, '=' | '>'));
        let name = name.unwrap_or(rest.len()).max(1);
        let name =
            rest.floor_char_boundary(name.max(rest.chars().next().map_or(1, char::len_utf8)));
        let length = name + value_length(&rest[name..]);

        parts.push(Part {
            name: rest[..name].to_owned(),
            span: begin..begin + length,
        });
        at = begin + length;
    }

    parts
}

/// Returns the length of `= "value"` at the start of a text; 0 if there is none.
fn value_length(text: &str) -> usize {
    let after = text.trim_start();
    let Some(value) = after.strip_prefix('=') else {
        return 0;
    };
    let value = value.trim_start();
    let before = text.len() - value.len();
    let length = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => value[1..].find(quote).map_or(value.len(), |at| at + 2),
        _ => {
            let end = value.find(|c: char| c.is_whitespace() || c == '>');
            end.unwrap_or(value.len())
        }
    };
    before + length
}

/// Returns the value of an attribute as written, without quotation marks.
pub(super) fn value(attribute: &str) -> Option<&str> {
    let (_, value) = attribute.split_once('=')?;
    Some(value.trim().trim_matches(['"', '\'']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, needle: &str) -> (Option<String>, Vec<String>) {
        let found = surroundings(text, text.find(needle).expect("the text is there"));
        let name =
            |one: Around| format!("{}{}", one.name, if one.has_other_texts { "+" } else { "" });
        (found.text, found.around.into_iter().map(name).collect())
    }

    #[test]
    fn a_text_has_its_elements_around_it() {
        for (text, needle, expected, around) in [
            (
                "<?xml?><Window><Menu>A<Item Click=\"Run\" Content=\"Save it\" /></Menu></Window>",
                "Save",
                "Save it",
                &["Item", "Menu+", "Window+"][..],
            ),
            (
                "<root><!-- <b> --><data name=\"K\">\n <value>Save\n it</value>\n</data></root>",
                "Save",
                "Save it",
                &["value", "data", "root"],
            ),
            (
                "<form><button @onclick=\"() => Run(x > 1)\"><i/>Save</button><p>Other</p></form>",
                "Save",
                "Save",
                &["button", "form+"],
            ),
            ("<p>a<br>Save</p>", "Save", "Save", &["p+"]),
            ("<p>Save<br><input></p><b>x</b>", "Save", "Save", &["p"]),
        ] {
            let (found, names) = at(text, needle);
            assert_eq!(found.as_deref(), Some(expected), "{text}");
            assert_eq!(names, around, "{text}");
        }

        assert_eq!(
            at("<p><!-- <b>Save</b> --></p>", "Save"),
            (None, Vec::new())
        );
    }

    #[test]
    fn an_element_has_those_inside_it() {
        let text = "<p><b>Save</b><!-- <u> --><i><a/></i></p><s/>";
        let found = elements_within(text, 3);
        let names: Vec<&str> = found.iter().map(|one| &*one.name).collect();
        assert_eq!(names, ["b", "i", "a"]);
    }

    #[test]
    fn attributes_have_names_and_values() {
        let text = "<A Click='Run' disabled b=c @onclick=\"x\">t</A>";
        let found = surroundings(text, text.find("t<").expect("a text"));
        let parts = found.around[0].parts.iter();
        let parts: Vec<(&str, Option<&str>)> = parts
            .map(|part| (&*part.name, value(&text[part.span.clone()])))
            .collect();
        let expected = [
            ("Click", Some("Run")),
            ("disabled", None),
            ("b", Some("c")),
            ("@onclick", Some("x")),
        ];
        assert_eq!(parts, expected);
    }
}
