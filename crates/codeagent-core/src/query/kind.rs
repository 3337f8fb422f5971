//! Questions for everything of a kind: `which state handlers exist?`
//!
//! The kind is a type with implementations (`StateHandler`, `IStateHandler`), and what the names
//! end with (`SEAL_JOB_DEFINITION` for `job definitions`).
//!
//! Limitations: English only, with a regular plural.

use crate::model::graph::{Node, NodeKind, NodeType};
use crate::query::{QueryError, implementations_of};
use crate::store::{self, Snapshot, is_generated_path, is_test_path};

/// Maximum number of symbols listed by the end of their names.
const MAX_NAMED: usize = 200;

/// Minimum number of symbols with a common end of their names that are a kind.
const MIN_NAMED: usize = 3;

/// Maximum number of words of a kind.
const MAX_WORDS: usize = 4;

/// Maximum number of types with one name that are considered.
const MAX_TYPES: usize = 20;

/// First words of a question for a kind.
const STARTS: [&str; 4] = ["which", "what", "list", "show"];

/// Words that may precede the kind.
const BEFORE: [&str; 5] = ["all", "kinds", "of", "the", "types"];

/// Words after a kind that say only that it is one of symbols.
const NOUNS: [&str; 5] = [
    "classes",
    "functions",
    "implementations",
    "interfaces",
    "types",
];

/// The ends of a question for a kind.
const ENDS: [&[&str]; 6] = [
    &["exist"],
    &["are", "there"],
    &["are", "defined"],
    &["are", "registered"],
    &["does", "it", "have"],
    &["do", "we", "have"],
];

/// Everything of a kind.
#[derive(Clone, Debug)]
pub struct Kind {
    /// The words of the kind, in the singular.
    pub words: String,
    /// The type of the kind; what implements or derives from it is of the kind.
    pub base: Option<Node>,
    /// Symbols whose names end with the words, by name; empty if they are few.
    pub named: Vec<Node>,
}

/// Finds the kind that a question asks for.
pub fn asked_kind(snapshot: &Snapshot, question: &str) -> Result<Option<Kind>, QueryError> {
    for words in kind_words(question) {
        let base = base(snapshot, &words)?;
        let mut named = store::names_ending_with(snapshot, &words, MAX_NAMED)?;
        named.retain(|node| is_listed(node) && base.as_ref().is_none_or(|base| base.id != node.id));
        if named.iter().any(|node| node.node_type.is_type()) {
            named.retain(|node| !is_member(node));
        }
        named.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
        if named.len() < MIN_NAMED {
            named.clear();
        }
        if base.is_some() || !named.is_empty() {
            let words = words.join(" ");
            return Ok(Some(Kind { words, base, named }));
        }
    }

    Ok(None)
}

/// Returns the type with most implementations among those named like the kind.
fn base(snapshot: &Snapshot, words: &[String]) -> Result<Option<Node>, QueryError> {
    let name = words.concat();
    let mut best: Option<(usize, Node)> = None;
    for name in [
        name.clone(),
        format!("I{name}"),
        format!("{name}Base"),
        format!("Base{name}"),
        format!("Abstract{name}"),
    ] {
        for node in store::by_name(snapshot, &name, MAX_TYPES)? {
            if !node.node_type.is_type() || !is_listed(&node) {
                continue;
            }
            let count = implementations_of(snapshot, &[node.id])?.len();
            let is_better = best.as_ref().is_none_or(|(most, _)| count > *most);
            if count > 0 && is_better {
                best = Some((count, node));
            }
        }
    }

    Ok(best.map(|(_, node)| node))
}

/// Reports whether a symbol is a field, property or enum member, which has a type of the kind at most.
fn is_member(node: &Node) -> bool {
    node.node_type == NodeType::Property && node.kind != NodeKind::Variable
}

fn is_listed(node: &Node) -> bool {
    let is_symbol = !matches!(
        node.node_type,
        NodeType::File | NodeType::Module | NodeType::Constructor
    );
    let mut paths = node.spans.iter().map(|span| span.path.as_str());
    is_symbol && paths.all(|path| !is_test_path(path) && !is_generated_path(path))
}

/// Returns the words of the kind that a question asks for, in lower case, for each singular that
/// the last word may have.
fn kind_words(question: &str) -> Vec<Vec<String>> {
    let text = question.trim().trim_end_matches(['?', '.', '!']);
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    let Some((mut last, mut kind)) = plural(&words).and_then(<[String]>::split_last) else {
        return Vec::new();
    };

    let mut singular = Vec::new();
    // `error classes` are what `errors` are.
    if let Some((noun, before)) = kind.split_last()
        && NOUNS.contains(&last.as_str())
    {
        (last, kind) = (noun, before);
        singular.push(noun.clone());
    }

    singular.extend(singulars(last));
    let with = |last: String| kind.iter().cloned().chain([last]).collect();
    singular.into_iter().map(with).collect()
}

/// Returns the words of a question between its beginning and its end.
fn plural(words: &[String]) -> Option<&[String]> {
    let (first, rest) = words.split_first()?;
    if !STARTS.contains(&first.as_str()) {
        return None;
    }

    let end = ENDS.iter().find(|end| rest.ends_with(&owned(end)));
    let rest = match end {
        Some(end) => &rest[..rest.len() - end.len()],
        None if matches!(first.as_str(), "list" | "show") => rest,
        None => return None,
    };
    let start = rest
        .iter()
        .position(|word| !BEFORE.contains(&word.as_str()))?;
    let kind = &rest[start..];
    let is_plain = |word: &String| word.chars().all(char::is_alphabetic);
    (kind.len() <= MAX_WORDS && kind.iter().all(is_plain)).then_some(kind)
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Returns the singulars that a regular plural may have: `class` and `classe` for `classes`.
fn singulars(word: &str) -> Vec<String> {
    if let Some(stem) = word.strip_suffix("ies") {
        return vec![format!("{stem}y")];
    }
    let Some(stem) = word.strip_suffix('s').filter(|stem| stem.len() > 1) else {
        return Vec::new();
    };
    match stem.strip_suffix('e') {
        Some(shorter) => vec![stem.to_owned(), shorter.to_owned()],
        None if stem.ends_with('s') => Vec::new(),
        None => vec![stem.to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_for_a_kind_has_its_plural() {
        for (question, expected) in [
            ("which commands exist?", &["command"][..]),
            ("Which state handlers exist", &["state handler"]),
            (
                "what kinds of job definitions are there?",
                &["job definition"],
            ),
            ("list all repositories", &["repository"]),
            ("which caches exist?", &["cache", "cach"]),
            ("which classes exist?", &["classe", "class"]),
            ("who calls Cart.total?", &[]),
            ("which class exists?", &[]),
            ("what happens", &[]),
            ("which Cart.totals exist?", &[]),
        ] {
            let words = kind_words(question);
            let words: Vec<String> = words.iter().map(|words| words.join(" ")).collect();
            assert_eq!(words, expected, "{question}");
        }
    }
}
