//! Removes the names that a sentence excludes.

use crate::query::lookup::target::{Target, Targets, Token};

/// Words before a name that a sentence excludes.
const EXCLUDING: [&str; 5] = ["except", "excluding", "not", "unlike", "without"];

/// Words that may stand between them and what they exclude.
const BEFORE_EXCLUDED: [&str; 11] = [
    "classes",
    "files",
    "folder",
    "folders",
    "members",
    "namespace",
    "namespaces",
    "sub-namespace",
    "sub-namespaces",
    "the",
    "types",
];

/// Removes what a sentence excludes beside other names: `the types of Shop, not Shop.Web`.
pub(super) fn drop_excluded(targets: &mut Targets, tokens: &[Token<'_>]) {
    let is_other = |target: &Target| {
        let name = target.requested_text();
        let at = tokens.iter().position(|token| token.text == name);
        !at.is_some_and(|at| is_excluded(&tokens[..at]))
    };
    if targets.found.iter().any(is_other) {
        targets.found.retain(is_other);
    }
}

/// Reports whether the words before a name exclude it: `without the namespaces Web and ..`.
fn is_excluded(before: &[Token<'_>]) -> bool {
    let Some((last, rest)) = before.split_last() else {
        return false;
    };
    match last.text {
        word if EXCLUDING.contains(&word) => true,
        word if BEFORE_EXCLUDED.contains(&word) => is_excluded(rest),
        "and" | "or" => rest
            .split_last()
            .is_some_and(|(name, rest)| !name.is_plain() && is_excluded(rest)),
        _ => false,
    }
}
