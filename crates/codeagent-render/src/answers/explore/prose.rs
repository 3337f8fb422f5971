//! Tells whether the names in a question are rather words of prose: `Docker`, `URL`, `release`.

use codeagent_core::query::{self, Target, Targets};

/// Number of other words from which a sentence is long.
pub(super) const MANY_WORDS: usize = 3;

/// Number of other words from which a word of a sentence that equals a name is hardly meant as one.
const GUESSED_FROM: usize = 5;

/// Number of other words from which a word with a capital is hardly meant as a name.
pub(super) const PROSE_FROM: usize = 9;

/// Removes the targets of a question that describes something if they are words of prose: `the endpoint that lets a
/// user run an SQL SELECT statement`.
pub(super) fn drop_prose(targets: &mut Targets, text: &str) {
    let is_long = targets.uncommon_words().count() >= GUESSED_FROM;
    let is_keyword = |name: &str| query::is_all_capitals(name) && !name.contains('_');
    let is_prose = |name: &str| is_word_of_prose(name, text) || is_keyword(name);
    let is_described = is_long && query::described_noun(text).is_some();
    if is_described
        && targets
            .found
            .iter()
            .all(|target| is_prose(target.requested_text()))
    {
        targets.leave_out_names();
        targets.missing.retain(|(name, _)| !is_prose(name));
        targets.has_written_name = !targets.missing.is_empty();
    }
}

/// Reports whether a question that mentions tests describes something else: `where is the setting that says how many
/// threads run tests read?`
pub(super) fn describes_other_than_tests(text: &str) -> bool {
    let text_in_lower = text.to_lowercase();
    let mut asking = [
        "which tests",
        "what tests",
        "tests of",
        "tests for",
        "test for",
        "cover",
        "tested",
    ]
    .iter();
    let asks_for_tests = asking.any(|asked| text_in_lower.contains(asked));
    !asks_for_tests && query::described_noun(text).is_some()
}

/// Reports whether a long question names only what is outside the repository, whose tests it hardly asks for:
/// `which tests cover parsing texts into Date objects?`
pub(super) fn describes_beside_external(targets: &Targets) -> bool {
    let is_external = |target: &Target| matches!(target, Target::External { .. });
    let is_long = targets.uncommon_words().count() >= MANY_WORDS;
    is_long && targets.missing.is_empty() && targets.found.iter().all(is_external)
}

/// Reports whether a text names nothing, or only a product in a condition: `which jobs are scheduled on systems that
/// use Redis?`
pub(super) fn names_no_subject(targets: &Targets, text: &str) -> bool {
    let is_condition = |name: &str| {
        let mut before = ["on", "use", "uses", "using", "with"].iter();
        is_prose(name) && before.any(|word| text.contains(&format!(" {word} {name}")))
    };
    let mut found = targets.found.iter().map(Target::requested_text);
    let mut missing = targets.missing.iter().map(|(name, _)| name.as_str());
    let is_described = text.to_lowercase().contains("environment variable ")
        && query::described_noun(text).is_some();
    let mut names = found.clone().chain(missing.clone());
    if is_described && !names.any(query::is_all_capitals) {
        return true;
    }
    !targets.has_written_name || found.all(is_condition) && missing.all(is_condition)
}

/// Reports whether a question names folders and at most the class `Program` in them: `which commands does Shop.Tool
/// know, and what in its Program runs them?`
pub(super) fn names_program(targets: &Targets) -> bool {
    let is_place = |target: &Target| matches!(target, Target::Folder { .. });
    let is_program = |target: &Target| target.requested_text() == "Program";
    let mut found = targets.found.iter();
    targets.found.iter().any(is_place) && found.all(|target| is_place(target) || is_program(target))
}

/// Reports whether a long question names nothing, and its targets are words that equal names, or a very long one
/// only has words like `Windows` and `URL`.
pub(super) fn is_guess(targets: &Targets, text: &str) -> bool {
    let words = targets.uncommon_words().count();
    let is_of_prose = |target: &Target| {
        let name = target.requested_text();
        // `FileUtil` is the symbol of that name.
        let is_symbol = matches!(target, Target::Symbols(_)) && query::is_mixed_case(name);
        !is_symbol && is_word_of_prose(name, text)
    };
    let may_be_prose = words >= PROSE_FROM && targets.found.iter().all(is_of_prose);
    let is_unnamed = words >= GUESSED_FROM && !targets.has_written_name;
    targets.is_sentence && !targets.found.is_empty() && (is_unnamed || may_be_prose)
}

/// Reports whether a name is written like a word of prose (`Docker`, `URL`, `GitHub`, `release`), without quotation marks
/// in a text.
pub(super) fn is_word_of_prose(name: &str, text: &str) -> bool {
    let is_quoted = |quote: &char| text.contains(&format!("{quote}{name}{quote}"));
    let is_plain = name.chars().all(char::is_lowercase);
    let is_word = is_plain || is_prose(name) || query::is_acronym(name);
    (is_word || query::is_mixed_case(name)) && !['`', '"', '\''].iter().any(is_quoted)
}

/// Reports whether a name is written like a word of prose with a capital: `Docker`.
pub(super) fn is_prose(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(char::is_uppercase) && letters.all(char::is_lowercase)
}
