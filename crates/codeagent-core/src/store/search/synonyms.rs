//! Words that programmers use for the same thing: a sentence says `remove`, the code `delete`.
//!
//! Limitations: English, and only words that are common in most repositories.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::embed::tokenizer::root;

/// Words of one line mean about the same.
const GROUPS: &[&str] = &[
    "remove delete erase drop discard clear",
    "create make new build construct generate",
    "get fetch load read retrieve obtain",
    "set assign put store save write persist",
    "find search lookup locate query",
    "start begin launch run execute invoke",
    "stop end finish abort cancel terminate",
    "show display render draw print",
    "check verify validate ensure",
    "send post publish emit dispatch",
    "error exception failure fault",
    "change update modify edit",
    "copy clone duplicate",
    "convert transform translate cast",
    "parse decode deserialize",
    "format encode serialize",
    "compare equal diff",
    "text string",
    "number int integer",
    "flag bool boolean",
    "list array collection sequence",
    "dictionary map hash",
    "function method callback handler",
    "parameter argument",
    "option setting config preference",
    "folder directory path",
    "user account",
    "password secret credential",
    "message notification event",
    "notify observe listen subscribe",
    "wait delay sleep",
    "duration interval timeout",
    "count amount size length",
    "connect connection session",
    "answer response reply result",
    "address url link uri",
    "database sql db",
    "table row record",
    "column field property",
    "job task work",
    "thread parallel concurrent",
    "cache memory remember",
    "log trace history",
    "window dialog form view page",
    "color theme style",
    "picture image icon",
    "join combine merge concat",
    "split separate divide",
    "filter exclude skip ignore",
    "undo revert reset restore",
    "add append insert",
    "package dependency module library",
    "maximum max",
    "minimum min",
    "asynchronous async promise",
    "repository repo",
    "temporary temp",
    "extension plugin",
    "allow permit permission",
    "encrypt cipher crypto",
];

/// Words that users of a product say for what its code calls otherwise. They find what a question describes, but would
/// blur a search.
const OF_USERS: &[&str] = &[
    "reset clear",
    "limit maximum cap quota",
    "choose pick select",
    "login signin authenticate",
    "signup register",
    "fake mock stub",
    "guest anonymous visitor",
    "accept approve confirm",
    "reject deny decline refuse",
    "enable activate",
    "disable deactivate",
    "retry repeat attempt",
    "mail email",
    "site website",
    "refresh reload rebuild",
    "statistics stats metrics analytics",
    "photo image picture",
    "schedule timer cron",
    "overwrite replace update",
    "screen page view",
    "lock block ban",
    "bill invoice",
    "pay payment charge",
    "purchase buy checkout",
    "client customer",
    "owner creator author",
    "expire ttl",
    "shortcut hotkey",
    "trash bin",
    "omit skip exclude",
    "count number amount",
    "keep kept retain",
    "lose lost loss drop discard thrown",
    "choose chosen chose",
    "write written wrote",
    "hide hidden",
    "send sent",
    "build built",
    "hold held",
    "sell sold",
    "break broken",
    "find found",
    "draw drawn",
    "spend spent",
    "import bring",
];

/// The words that mean the same, by the root of each word.
type ByRoot = FxHashMap<&'static str, Vec<&'static str>>;

static BY_ROOT: LazyLock<ByRoot> = LazyLock::new(|| by_root(GROUPS));

static OF_USERS_BY_ROOT: LazyLock<ByRoot> = LazyLock::new(|| by_root(OF_USERS));

fn by_root(groups: &[&'static str]) -> ByRoot {
    let mut by_root = ByRoot::default();
    for group in groups {
        for word in group.split(' ') {
            let others = group.split(' ').filter(|other| root(other) != root(word));
            by_root.entry(root(word)).or_default().extend(others);
        }
    }
    by_root
}

/// Returns the words that mean about the same as the words with a root.
pub(super) fn synonyms(root_of_word: &str) -> &'static [&'static str] {
    BY_ROOT.get(root_of_word).map_or(&[], Vec::as_slice)
}

/// Returns these words and those that users say for what the words with a root mean.
pub(super) fn users_synonyms(root_of_word: &str) -> impl Iterator<Item = &'static str> {
    let of_users = OF_USERS_BY_ROOT.get(root_of_word).into_iter().flatten();
    synonyms(root_of_word).iter().chain(of_users).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_group_are_synonyms_in_any_form() {
        assert!(synonyms(root("removing")).contains(&"delete"));
        assert!(synonyms(root("deletes")).contains(&"remove"));
        assert!(!synonyms(root("remove")).contains(&"remove"));
        assert!(synonyms("cart").is_empty());
    }
}
