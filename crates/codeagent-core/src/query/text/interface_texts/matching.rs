//! Comparison of a phrase with the text of a file: case, whitespace, commas, apostrophes, entities and marks
//! of access keys do not count, and a number equals the place where code puts one: `{0}`, `%d`.

use super::phrases::Phrase;

/// Characters that end a text of an interface and that a question leaves out.
const END_MARKS: [char; 9] = ['.', '…', ':', '!', '?', '*', ',', ' ', '>'];

/// Returns a regular expression for a line with the first words of a phrase. One letter may have the mark of
/// an access key: `E&xit`.
pub(super) fn pattern(phrase: &Phrase) -> String {
    let mut parts: Vec<String> = Vec::new();
    let words = phrase.words[..phrase.least].join(" ");
    let words = words.trim_end_matches(END_MARKS).split(' ');
    let words = words.map(|word| word.trim_end_matches([',', ';']));
    for word in words.filter(|word| !word.is_empty()) {
        if !parts.is_empty() {
            parts.push(r"[,;]?\s+".to_owned());
        }
        if let Some((before, number, after)) = number_in(word) {
            parts.extend(before.chars().map(escaped));
            parts.push(format!(r"(?:{number}|\$?\{{[^}}]*\}}+|%\S+)"));
            parts.extend(after.chars().map(escaped));
            continue;
        }
        parts.extend(word.chars().map(|c| match c {
            '\'' | '’' => "(?:['’]|&apos;|&#39;|&rsquo;)".to_owned(),
            '&' => "&(?:amp;)?".to_owned(),
            _ => escaped(c),
        }));
    }

    let marked = (1..parts.len()).filter(|at| parts[*at].starts_with(char::is_alphabetic));
    let marked = marked.map(|at| {
        let (before, after) = parts.split_at(at);
        format!("{}[&_](?:amp;)?{}", before.concat(), after.concat())
    });
    let all: Vec<String> = std::iter::once(parts.concat()).chain(marked).collect();
    all.join("|")
}

/// Returns a text as it stands in a regular expression.
#[must_use]
pub fn escaped_text(text: &str) -> String {
    text.chars().map(escaped).collect()
}

/// Returns a character as it stands in a regular expression.
pub(super) fn escaped(c: char) -> String {
    if r"\.+*?()|[]{}^$#&-~".contains(c) {
        format!("\\{c}")
    } else {
        c.to_string()
    }
}

/// Returns the offsets of a phrase's first word in a text.
pub(super) fn starts<'t>(text: &'t str, phrase: &Phrase) -> impl Iterator<Item = usize> + 't {
    let first = phrase.words.first().map(String::as_str);
    let first = without_marks(first.unwrap_or_default()).to_lowercase();
    let is_filled_in = is_number(&first);
    let letters = first.chars().take_while(|c| c.is_alphanumeric()).count();
    let first: String = first.chars().take(letters.max(1)).collect();
    let is_letter = |c: char| c.is_alphanumeric();

    text.char_indices().filter_map(move |(at, c)| {
        if is_mark(c) || text[..at].ends_with(is_letter) {
            return None;
        }
        if is_filled_in && matches!(c, '{' | '%') {
            return Some(at);
        }

        let rest = &text[at..];
        let near = rest.floor_char_boundary(2 * first.len() + "&amp;".len());
        let word = without_marks(&rest[..near]).to_lowercase();
        let after = word.strip_prefix(&first)?;
        (letters == 0 || !after.starts_with(is_letter)).then_some(at)
    })
}

/// Reports whether a character marks the access key of a text: `_Save`, `E&xit`.
pub(super) fn is_mark(c: char) -> bool {
    matches!(c, '_' | '&')
}

fn without_marks(text: &str) -> String {
    text.replace("&amp;", "").replace(is_mark, "")
}

/// Returns how many words of a phrase a text of the interface consists of; `None` if it is another text. The
/// case of letters counts if `is_exact`.
pub(super) fn words_equal(text: &str, phrase: &Phrase, is_exact: bool) -> Option<usize> {
    let text = folded(text, is_exact);
    (phrase.least..=phrase.words.len())
        .rev()
        .find(|count| is_same(&text, &folded(&phrase.words[..*count].join(" "), is_exact)))
}

/// Reports whether a folded text equals that of a phrase, in which numbers are filled in.
fn is_same(text: &str, phrase: &str) -> bool {
    let (mut text, mut phrase) = (text.split(' '), phrase.split(' '));
    loop {
        match (text.next(), phrase.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if a == b || is_filled_in(a, b) => {}
            _ => return false,
        }
    }
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_digit())
}

/// Splits a word into the punctuation before a number, the number, and the punctuation after it: `(25`.
fn number_in(word: &str) -> Option<(&str, &str, &str)> {
    let start = word.find(char::is_alphanumeric)?;
    let number = word[start..].trim_end_matches(|c: char| !c.is_alphanumeric());
    let after = &word[start + number.len()..];
    is_number(number).then_some((&word[..start], number, after))
}

/// Reports whether code puts the number of `asked` into the word of a text: `{0}`, `{{count}}`, `${size}`, `%d`.
fn is_filled_in(word: &str, asked: &str) -> bool {
    let inner = number_in(asked).and_then(|(before, _, after)| {
        let rest = word.strip_prefix(before)?;
        rest.strip_suffix(after)
    });
    inner.is_some_and(|inner| inner.contains('{') || inner.starts_with('%') && inner.len() > 1)
}

/// Reports whether a text of the interface contains the first words of a phrase.
pub(super) fn holds(text: &str, phrase: &Phrase) -> bool {
    let words = folded(&phrase.words[..phrase.least].join(" "), false);
    let text = folded(text, false);
    text.match_indices(&words).any(|(at, _)| {
        let is_letter = |c: char| c.is_alphanumeric();
        !text[..at].ends_with(is_letter) && !text[at + words.len()..].starts_with(is_letter)
    })
}

/// Returns a text as it is compared.
fn folded(text: &str, is_exact: bool) -> String {
    let text = without_marks(&unescaped(text).replace('’', "'"));
    let text = without_expressions(&text).replace([',', ';'], " ");
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    let text = text.trim_end_matches(END_MARKS).trim_start();
    if is_exact {
        text.to_owned()
    } else {
        text.to_lowercase()
    }
}

/// Removes what code computes from the places where it puts it: `{}` of `{{ count }}`, `$` and all.
fn without_expressions(text: &str) -> String {
    let mut short = String::with_capacity(text.len());
    let mut depth = 0_usize;

    for c in text.chars() {
        match c {
            '{' if depth == 0 => {
                let length = short.trim_end_matches('$').len();
                short.truncate(length);
                short.push_str("{}");
                depth = 1;
            }
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ if depth == 0 => short.push(c),
            _ => {}
        }
    }

    short
}

/// Replaces the entities of markup.
pub(super) fn unescaped(text: &str) -> String {
    let text = translated(text);
    let mut text = text.to_owned();

    for (entity, character) in [
        ("&apos;", "'"),
        ("&#39;", "'"),
        ("&rsquo;", "'"),
        ("&quot;", "\""),
        ("&nbsp;", " "),
        ("&#x0a;", " "),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
    ] {
        if text.contains('&') {
            text = text.replace(entity, character);
        }
    }

    text
}

/// Returns the text that markup passes to a translation, and otherwise the text itself: `Save` for
/// `@Localizer["Save"]` and `{{ t('Save') }}`.
fn translated(text: &str) -> &str {
    let inner = text.trim();
    let is_template = inner.starts_with("{{") && inner.ends_with("}}");
    let is_razor = inner.starts_with('@') && inner.ends_with([')', ']']);
    let given = inner
        .split_once(['"', '\''])
        .filter(|_| is_template || is_razor);
    let Some((before, rest)) = given else {
        return text;
    };
    let quote = &inner[before.len()..=before.len()];
    let is_callee = |c: char| c.is_alphanumeric() || "@.$_:[({ ".contains(c);
    match rest.split_once(quote) {
        Some((own, after)) if before.chars().all(is_callee) && !after.contains(quote) => own,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::super::phrases::interface_phrases;
    use super::*;

    fn phrase(question: &str) -> Phrase {
        interface_phrases(question).remove(0)
    }

    #[test]
    fn a_text_equals_a_phrase_without_its_marks() {
        let quoted = phrase("who shows the text \"Don't save\"");
        for text in [
            "Don't save",
            "_Don’t save…",
            "Don't &save",
            "Don't s&amp;ave",
            "Don&apos;t save:",
            "&Don't save",
        ] {
            assert_eq!(words_equal(text, &quoted, true), Some(2), "{text}");
        }
        assert_eq!(words_equal("don't save", &quoted, true), None);
        assert_eq!(words_equal("don't save", &quoted, false), Some(2));
        assert_eq!(words_equal("Don't save it", &quoted, false), None);
        assert!(holds("Please don't save it", &quoted) && !holds("Don't saves", &quoted));

        let filled = phrase("what shows \"Delete 3 files, or none?\"");
        for text in [
            "Delete {0} files, or none?",
            "Delete %d files or none",
            "delete 3 files or none",
        ] {
            assert_eq!(words_equal(text, &filled, false), Some(5), "{text}");
        }
        assert_eq!(words_equal("Delete 4 files or none", &filled, false), None);
        let marked = phrase("who says \"Stop: it is too old.\"?");
        assert_eq!(
            pattern(&marked).split('|').next(),
            Some(r"Stop:[,;]?\s+it[,;]?\s+is[,;]?\s+too[,;]?\s+old")
        );

        let inside = phrase("who says \"Too many files (25 at most)\"?");
        let text = "Too many files (${max ?? count(a, b)} at most)";
        assert_eq!(words_equal(text, &inside, true), Some(6));
        assert_eq!(
            words_equal("Too many files ({0} left)", &inside, true),
            None
        );

        let starts_with_number = phrase("what shows \"3 files\"");
        assert_eq!(
            words_equal("{{ count }} files", &starts_with_number, true),
            Some(2)
        );
        let found: Vec<usize> = starts("{{ count }} files", &starts_with_number).collect();
        assert_eq!(found, [0, 1]);
        let found: Vec<usize> = starts("a Q&A", &phrase("what shows \"Q&A\" as a label")).collect();
        assert_eq!(found, [2]);

        let label = phrase("where is the label Save changes defined");
        assert_eq!(words_equal("Save changes", &label, true), Some(2));
        assert_eq!(words_equal("Save", &label, true), Some(1));
    }

    #[test]
    fn a_phrase_starts_where_a_word_starts() {
        let export = phrase("what does the Export button do");
        let text = "Export reexport \"export\" exportAll E&xport Exp&amp;ort";
        let found: Vec<usize> = starts(text, &export).collect();
        assert_eq!(found, [0, 17, 35, 43]);
    }

    #[test]
    fn a_translated_text_is_that_of_the_element() {
        for (text, expected) in [
            ("@Localizer[\"Save all\"]", "Save all"),
            ("{{ t('Save') }}", "Save"),
            ("{{::vm.translate.get('Save')}}", "Save"),
            ("@Model.Name", "@Model.Name"),
            ("@(a ? \"b\" : \"c\")", "@(a ? \"b\" : \"c\")"),
            ("Save 'all'", "Save 'all'"),
        ] {
            assert_eq!(translated(text), expected);
        }
    }
}
