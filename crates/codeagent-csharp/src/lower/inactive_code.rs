//! Names in code excluded by `#if`, which is not lowered.
//!
//! Limitations: a name in a string or block comment counts too, and so do keywords.

use codeagent_lang::lower::builder::Builder;
use codeagent_model::facts::InactiveName;

/// Minimum length of a recorded name, in bytes.
const MIN_NAME_BYTES: usize = 3;

/// Records the names on inactive lines, whose byte ranges are given.
pub(super) fn names(builder: &mut Builder<'_>, inactive: &[(usize, usize)]) {
    for (start, end) in inactive {
        let line = builder.position(*start).line;
        let first = builder.facts.inactive_names.len();

        for word in words(&builder.text[*start..*end]) {
            let name = builder.name_sym(word);
            let found = InactiveName { name, line };
            if !builder.facts.inactive_names[first..].contains(&found) {
                builder.facts.inactive_names.push(found);
            }
        }
    }
}

/// Returns the words of a line of code that may be names.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split("//").next().unwrap_or_default();
    let words = code.split(|c: char| c != '_' && !c.is_alphanumeric());
    words.filter(|word| word.len() >= MIN_NAME_BYTES && !word.starts_with(|c: char| c.is_numeric()))
}
