//! Questions for everything of a kind: `which state handlers exist?`
//!
//! The kind is a type with implementations (`StateHandler`, `IStateHandler`, `QueueBaseService` for
//! `queues`), a type outside the repository that types of it inherit (`Error`), and what the names end
//! with (`SEAL_JOB_DEFINITION` for `job definitions`). If few are found so, the files of a folder that is named
//! like it (`jobs/`) are of the kind.
//!
//! Limitations: English only, with a regular plural.

use crate::model::graph::{Node, NodeId, NodeKind, NodeType};
use crate::query::{QueryError, implementations_of, resolve_external, types_below};
use crate::store::{self, Snapshot, is_generated_path, is_test_path};

/// Maximum number of symbols listed by the end of their names.
const MAX_NAMED: usize = 200;

/// Minimum number of symbols with a common end of their names that are a kind.
const MIN_NAMED: usize = 3;

/// Maximum number of words of a kind.
const MAX_WORDS: usize = 4;

/// Maximum number of types with one name that are considered.
const MAX_TYPES: usize = 20;

/// Maximum number of folders with the name of a kind.
const MAX_FOLDERS: usize = 4;

/// First words of a question for a kind.
const STARTS: [&str; 4] = ["which", "what", "list", "show"];

/// Words that may precede the kind.
const BEFORE: [&str; 5] = ["all", "kinds", "of", "the", "types"];

/// Words of the names of base types.
const BASES: [&str; 2] = ["base", "abstract"];

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
    /// Types that inherit a type with this name outside the repository, by name.
    pub inheriting: Vec<Node>,
    /// Other symbols whose names end with the words, by name; empty if they are few.
    pub named: Vec<Node>,
    /// Paths of the files in folders named like the kind, if there is no more of it.
    pub files: Vec<String>,
}

/// Finds the kind that a question asks for.
pub fn asked_kind(snapshot: &Snapshot, question: &str) -> Result<Option<Kind>, QueryError> {
    for words in kind_words(question) {
        let mut named = store::names_ending_with(snapshot, &words, MAX_NAMED)?;
        named.retain(is_listed);
        let is_few = named.iter().filter(|node| is_class(node)).count() < MIN_NAMED;
        let base = base(snapshot, &words, is_few)?;
        let inheriting = match &base {
            None => inheriting(snapshot, &words)?,
            Some(_) => Vec::new(),
        };
        let known = base.iter().chain(&inheriting).map(|node| node.id);
        let known: Vec<NodeId> = known.collect();
        named.retain(|node| !known.contains(&node.id));
        retain_best(&mut named, !known.is_empty());
        named.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
        if known.is_empty() && named.len() < MIN_NAMED {
            named.clear();
        }
        let files = if is_few && inheriting.is_empty() {
            files_of_kind(snapshot, question)?
        } else {
            Vec::new()
        };

        if !known.is_empty() || !named.is_empty() || !files.is_empty() {
            return Ok(Some(Kind {
                words: words.join(" "),
                base,
                inheriting,
                named,
                files,
            }));
        }
    }

    Ok(None)
}

/// Returns the files directly in folders that have the name of the kind, in the plural as asked.
fn files_of_kind(snapshot: &Snapshot, question: &str) -> Result<Vec<String>, QueryError> {
    let words = words_of(question);
    let Some(kind) = plural(&words) else {
        return Ok(Vec::new());
    };

    let mut files = Vec::new();
    for folder in store::folders_named(snapshot, &kind.join("-"), MAX_FOLDERS)? {
        let inside = store::files_in_folder(snapshot, &folder)?;
        let inside = inside.into_iter().map(|(path, _)| path).filter(|path| {
            let rest = path.get(folder.len() + 1..).unwrap_or_default();
            !rest.contains('/') && !is_test_path(path) && !is_generated_path(path)
        });
        files.extend(inside);
    }
    if files.len() < MIN_NAMED {
        files.clear();
    }
    Ok(files)
}

/// Keeps the types, if there are any or the kind is one of types; else what is more than declared.
fn retain_best(named: &mut Vec<Node>, is_of_types: bool) {
    if is_of_types || named.iter().filter(|node| is_class(node)).count() >= MIN_NAMED {
        named.retain(|node| node.node_type.is_type());
    } else if named.iter().any(|node| node.node_type.is_type()) {
        named.retain(|node| !is_member(node));
    }
    if named.iter().any(|node| !is_ambient(node)) {
        named.retain(|node| !is_ambient(node));
    }
}

/// Returns the type with most implementations among those named like the kind, or else among the base
/// types whose names contain it. If few types are named like it, a type may be without implementations:
/// values may have it.
fn base(snapshot: &Snapshot, words: &[String], is_few: bool) -> Result<Option<Node>, QueryError> {
    let name = words.concat();
    let mut types = Vec::new();
    for name in [
        name.clone(),
        format!("I{name}"),
        format!("{name}Base"),
        format!("Base{name}"),
        format!("Abstract{name}"),
    ] {
        types.extend(store::by_name(snapshot, &name, MAX_TYPES)?);
    }
    let least = if is_few { 0 } else { 1 };
    let base = most_implemented(snapshot, types, least)?;
    if base.is_some() {
        return Ok(base);
    }

    let mut types = Vec::new();
    for word in BASES {
        let words: Vec<String> = words.iter().cloned().chain([word.to_owned()]).collect();
        types.extend(store::types_with_words(snapshot, &words, MAX_TYPES)?);
    }
    most_implemented(snapshot, types, MIN_NAMED)
}

/// Returns the type with most implementations, of which there are at least `least`.
fn most_implemented(
    snapshot: &Snapshot,
    types: Vec<Node>,
    least: usize,
) -> Result<Option<Node>, QueryError> {
    let mut best: Option<(usize, Node)> = None;
    for node in types {
        if !node.node_type.is_type() || !is_listed(&node) {
            continue;
        }
        let count = implementations_of(snapshot, &[node.id])?.len();
        if count >= least && best.as_ref().is_none_or(|(most, _)| count > *most) {
            best = Some((count, node));
        }
    }
    Ok(best.map(|(_, node)| node))
}

/// Returns the types that inherit a type with the kind's name outside the repository, at all levels.
fn inheriting(snapshot: &Snapshot, words: &[String]) -> Result<Vec<Node>, QueryError> {
    let name: String = words.iter().map(|word| capitalised(word)).collect();
    let outside = resolve_external(snapshot, &name)?;

    let mut nodes = Vec::new();
    for id in types_below(snapshot, &outside)? {
        nodes.extend(store::node(snapshot, id)?);
    }
    nodes.retain(|node| node.node_type.is_type() && is_listed(node));
    nodes.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
    Ok(nodes)
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// Reports whether a symbol is a type of its own, not another name of one.
fn is_class(node: &Node) -> bool {
    node.node_type.is_type() && node.kind != NodeKind::TypeAlias
}

/// Reports whether a symbol is only declared, in a file without code.
fn is_ambient(node: &Node) -> bool {
    let mut paths = node.spans.iter().map(|span| span.path.as_str());
    paths.all(|path| path.ends_with(".d.ts"))
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
    let words = words_of(question);
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

fn words_of(question: &str) -> Vec<String> {
    let text = question.trim().trim_end_matches(['?', '.', '!']);
    text.split_whitespace().map(str::to_lowercase).collect()
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
