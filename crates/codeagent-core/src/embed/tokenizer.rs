//! Splits texts into words: camel-case words, stems and stop words.
//!
//! Limitations: endings and stop words are English.

/// Returns the endings that [`stem`] removes, by the word's last letter; the first match is used.
const fn endings(last: u8) -> &'static [&'static str] {
    match last {
        b'd' => &["ized", "ed"],
        b'e' => &["ize"],
        b'g' => &["izing", "ing"],
        b'n' => &["ization", "ation"],
        b's' => &["ations", "izes", "ings", "ies", "es", "s"],
        b'y' => &["edly"],
        _ => &[],
    }
}

/// Maximum number of words used from a sentence.
const MAX_ROOTS: usize = 24;

/// Minimum length of a stem.
const MIN_STEM: usize = 3;

/// Words ignored in queries, sorted.
const STOP_WORDS: [&str; 70] = [
    "a", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been", "being", "but", "by",
    "can", "could", "do", "does", "each", "for", "from", "given", "has", "have", "how", "i", "if",
    "in", "into", "is", "it", "its", "may", "me", "must", "no", "not", "of", "on", "one", "only",
    "or", "our", "should", "so", "some", "such", "than", "that", "the", "their", "them", "then",
    "there", "these", "they", "this", "to", "was", "we", "were", "what", "when", "where", "which",
    "who", "will", "with", "would", "you",
];

/// Reports whether a lower-case word is ignored in queries.
#[must_use]
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// Returns a lower-case word without its ending.
#[must_use]
pub fn stem(word: &str) -> &str {
    let endings = word.bytes().next_back().map_or(&[][..], endings);
    let stem = endings.iter().find_map(|ending| {
        word.strip_suffix(ending)
            .filter(|stem| stem.len() >= MIN_STEM)
    });
    stem.unwrap_or(word)
}

/// Derivational endings that [`root`] removes; the first match is used.
const DERIVATIONS: [&str; 10] = [
    "ment", "able", "ible", "ion", "ive", "ity", "ly", "er", "or", "al",
];

/// Minimum length of a root that a derivational ending leaves.
const MIN_ROOT: usize = 4;

/// Returns the prefix that a lower-case word shares with most words of its family: `schedul` for
/// `scheduler` and `scheduling`, `run` for `running`.
#[must_use]
pub fn root(word: &str) -> &str {
    let mut root = stem(word);

    let derivation = DERIVATIONS.iter().find_map(|ending| {
        root.strip_suffix(ending)
            .filter(|rest| rest.len() >= MIN_ROOT)
    });
    root = derivation.unwrap_or(root);

    if root.len() > MIN_ROOT {
        root = root.strip_suffix(['e', 'y', 'i']).unwrap_or(root);
    }

    let doubled = root.strip_suffix(|last: char| last.is_ascii_lowercase() && !"ls".contains(last));
    doubled
        .filter(|rest| rest.len() >= MIN_STEM && rest.as_bytes().last() == root.as_bytes().last())
        .unwrap_or(root)
}

/// Returns the first [`MAX_ROOTS`] words of a sentence without stop words, in lower case, with distinct
/// roots; each after its root.
pub fn roots(sentence: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for word in runs(sentence)
        .flat_map(camel_words)
        .flat_map(without_digits)
    {
        let word = word.to_lowercase();
        let is_known = found.iter().any(|(known, _)| known == root(&word));
        if !is_known && !is_stop_word(&word) && found.len() < MAX_ROOTS {
            found.push((root(&word).to_owned(), word));
        }
    }
    found
}

/// Returns the runs of letters and digits.
pub fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|run| !run.is_empty())
}

/// Splits a name into camel-case words: `getHTTPUrl2` -> `get`, `HTTP`, `Url2`.
pub fn camel_words(run: &str) -> impl Iterator<Item = &str> {
    let mut rest = run;
    std::iter::from_fn(move || {
        let end = camel_word_end(rest);
        let (word, after) = rest.split_at(end);
        rest = after;
        (!word.is_empty()).then_some(word)
    })
}

/// Returns the end of the first camel-case word. A word ends before an upper-case letter that
/// follows another kind of character, and before the last of several upper-case letters if a
/// lower-case letter follows.
fn camel_word_end(run: &str) -> usize {
    let mut chars = run.char_indices();
    let mut after_upper = chars.next().is_some_and(|(_, first)| first.is_uppercase());

    while let Some((at, current)) = chars.next() {
        let is_upper = current.is_uppercase();

        if is_upper
            && (!after_upper
                || chars
                    .clone()
                    .next()
                    .is_some_and(|(_, next)| next.is_lowercase()))
        {
            return at;
        }

        after_upper = is_upper;
    }
    run.len()
}

/// Appends a word in lower case.
pub fn push_lower(out: &mut String, word: &str) {
    if word.is_ascii() {
        let start = out.len();
        out.push_str(word);
        out[start..].make_ascii_lowercase();
    } else {
        out.extend(word.chars().flat_map(char::to_lowercase));
    }
}

/// Separates letters from digits: `Url2` -> `Url`, `2`.
pub fn without_digits(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let is_digit = rest.chars().next()?.is_numeric();
        let end = rest
            .find(|c: char| c.is_numeric() != is_digit)
            .unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        rest = after;
        Some(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOP_WORDS.is_sorted());
        assert!(is_stop_word("which") && !is_stop_word("cart"));
    }

    #[test]
    fn common_words_of_a_sentence_are_dropped() {
        let sentence = "Returns the carts of all customers that were returned by getCarts.";
        let roots: Vec<String> = roots(sentence).into_iter().map(|(root, _)| root).collect();
        assert_eq!(roots, ["return", "cart", "custom", "get"]);
    }

    #[test]
    fn suffixes_are_removed_if_a_word_remains() {
        for (word, expected) in [
            ("serializes", "serial"),
            ("initialization", "initial"),
            ("carts", "cart"),
            ("added", "add"),
            ("uses", "use"),
            ("is", "is"),
        ] {
            assert_eq!(stem(word), expected, "{word}");
        }
    }

    #[test]
    fn related_words_have_the_same_root() {
        for (family, root) in [
            (&["scheduler", "schedules", "scheduling"][..], "schedul"),
            (&["running", "runs", "run"], "run"),
            (&["memory", "memories"], "memor"),
            (&["connection", "connects", "connected"], "connect"),
            (&["call", "caller", "calling"], "call"),
            (&["is"], "is"),
        ] {
            for word in family {
                assert_eq!(super::root(word), root, "{word}");
            }
        }
    }

    #[test]
    fn names_split_into_camel_case_words_and_digits() {
        let parts = |name: &'static str| {
            runs(name)
                .flat_map(camel_words)
                .flat_map(without_digits)
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(parts("getHTTPUrl2"), "get HTTP Url 2");
        assert_eq!(parts("MAX_VALUE"), "MAX VALUE");
        assert_eq!(parts("$"), "");
    }
}
