//! Comparison of a phrase with the text of a file: case, whitespace, apostrophes, entities and marks of
//! access keys do not count.

use super::phrases::Phrase;

/// Characters that end a text of an interface and that a question leaves out.
const END_MARKS: [char; 9] = ['.', '…', ':', '!', '?', '*', ',', ' ', '>'];

/// Returns a regular expression for a line with the first words of a phrase.
pub(super) fn pattern(phrase: &Phrase) -> String {
    let mut pattern = String::new();
    for (at, word) in phrase.words.iter().take(phrase.least).enumerate() {
        if at > 0 {
            pattern.push_str(r"\s+");
        }
        for c in word.chars() {
            match c {
                '\'' | '’' => pattern.push_str("(?:['’]|&apos;|&#39;|&rsquo;)"),
                '&' => pattern.push_str("&(?:amp;)?"),
                _ => pattern.push_str(&escaped(c)),
            }
        }
    }
    pattern
}

/// Returns a character as it stands in a regular expression.
pub(super) fn escaped(c: char) -> String {
    if r"\.+*?()|[]{}^$#&-~".contains(c) {
        format!("\\{c}")
    } else {
        c.to_string()
    }
}

/// Returns the offsets of a phrase's first word in a text, where a word starts there.
pub(super) fn starts<'t>(text: &'t str, phrase: &Phrase) -> impl Iterator<Item = usize> + 't {
    let first = phrase.words.first().map(|word| word.to_lowercase());
    let first = first.unwrap_or_default();
    let letters = first.chars().take_while(|c| c.is_alphanumeric()).count();
    let first: String = first.chars().take(letters.max(1)).collect();
    text.char_indices().filter_map(move |(at, _)| {
        let rest = text[at..].chars().flat_map(char::to_lowercase);
        let is_start = !text[..at].ends_with(|c: char| c.is_alphanumeric());
        (is_start && rest.take(first.chars().count()).eq(first.chars())).then_some(at)
    })
}

/// Returns how many words of a phrase a text of the interface consists of; `None` if it is another text. The
/// case of letters counts if `is_exact`.
pub(super) fn words_equal(text: &str, phrase: &Phrase, is_exact: bool) -> Option<usize> {
    let text = folded(text, is_exact);
    (phrase.least..=phrase.words.len())
        .rev()
        .find(|count| folded(&phrase.words[..*count].join(" "), is_exact) == text)
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
    let text = unescaped(text).replace('’', "'");
    let text = text.replace(['_', '&'], " ");
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    let text = text.trim_end_matches(END_MARKS).trim_start();
    if is_exact {
        text.to_owned()
    } else {
        text.to_lowercase()
    }
}

/// Replaces the entities of markup.
pub(super) fn unescaped(text: &str) -> String {
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
            "Don&apos;t save:",
            "&Don't save",
        ] {
            assert_eq!(words_equal(text, &quoted, true), Some(2), "{text}");
        }
        assert_eq!(words_equal("don't save", &quoted, true), None);
        assert_eq!(words_equal("don't save", &quoted, false), Some(2));
        assert_eq!(words_equal("Don't save it", &quoted, false), None);
        assert!(holds("Please don't save it", &quoted) && !holds("Don't saves", &quoted));

        let label = phrase("where is the label Save changes defined");
        assert_eq!(words_equal("Save changes", &label, true), Some(2));
        assert_eq!(words_equal("Save", &label, true), Some(1));
    }

    #[test]
    fn a_phrase_starts_where_a_word_starts() {
        let export = phrase("what does the Export button do");
        let found: Vec<usize> = starts("Export reexport \"export\"", &export).collect();
        assert_eq!(found, [0, 17]);
    }
}
