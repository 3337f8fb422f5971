//! Questions for everything of a kind: `which state handlers exist?`
//!
//! The kind is a type with implementations (`StateHandler`, `IStateHandler`, `QueueBaseService` for
//! `queues`), a type outside the repository that types of it inherit (`Error`), an attribute or decorator
//! (`@Command`), and what the names end with (`SEAL_JOB_DEFINITION` for `job definitions`). If few are found
//! so, the files of a folder that is named like it (`jobs/`) are of the kind. Routes are those of web servers,
//! commands also those of command lines, and hooks are functions named as React demands. Words before the
//! kind and a folder select of it: `email providers`, `commands in the backend`.
//!
//! Limitations: English only, with a regular plural.

mod decorated;
mod question;
mod selection;

use crate::model::graph::{Node, NodeId, NodeKind, NodeType};
use crate::query::{
    DispatchStep, Occurrences, QueryError, all_commands, all_routes, capitalized,
    files_with_routes, implementations_of, resolve_external, types_below,
};
use crate::store::{self, Snapshot, is_generated_path, is_test_path};

use question::KindQuestion;

/// Maximum number of symbols listed by the end of their names.
const MAX_NAMED: usize = 200;

/// Minimum number of symbols with a common end of their names that are a kind.
const MIN_NAMED: usize = 3;

/// Maximum number of types with one name that are considered.
const MAX_TYPES: usize = 20;

/// Maximum number of folders with the name of a kind or in a question.
const MAX_FOLDERS: usize = 4;

/// Words for routes of web servers.
const ROUTES: [&str; 2] = ["endpoint", "route"];

/// The word for commands of command lines.
const COMMAND: &str = "command";

/// The word for functions whose names begin with `use`, as React demands.
const HOOK: &str = "hook";

/// Words of the names of base types.
const BASES: [&str; 2] = ["base", "abstract"];

/// Everything of a kind, or what a question selects of it.
#[derive(Clone, Debug, Default)]
pub struct Kind {
    /// The words of the kind, in the singular.
    pub words: String,
    /// The type of the kind; what implements or derives from it is of the kind.
    pub base: Option<Node>,
    /// What implements or derives from the type of the kind, by name, if only some of it is selected.
    pub implementing: Vec<Node>,
    /// Types that inherit a type with this name outside the repository, by name.
    pub inheriting: Vec<Node>,
    /// Symbols with an attribute or decorator of this name.
    pub decorated: Vec<Node>,
    /// Other symbols whose names end with the words, by name; empty if they are few.
    pub named: Vec<Node>,
    /// Paths of the files in folders named like the kind, if there is no more of it.
    pub files: Vec<String>,
    /// The routes of web servers, if they are the kind.
    pub routes: Vec<DispatchStep>,
    /// The routes that follow from where files are, each with the path of its file.
    pub file_routes: Vec<(String, String)>,
    /// The part of the question that asks for the kind.
    pub clause: String,
    /// The name of a place in the question that is that of no folder.
    pub unknown_folder: Option<String>,
    /// The commands of command lines, if they are the kind.
    pub commands: Vec<DispatchStep>,
    /// What the question selects.
    pub asked: Selection,
    /// What is selected, as far as there is any of the kind.
    pub selection: Selection,
}

/// A selection by words in names and paths, and by folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The words in lower case.
    pub words: Vec<String>,
    /// The folder's name.
    pub folder: Option<String>,
}

/// Finds the kind that a question asks for.
pub fn asked_kind(
    occurrences: &mut Occurrences<'_, '_>,
    text: &str,
) -> Result<Option<Kind>, QueryError> {
    let Some(question) = KindQuestion::parse(text) else {
        return Ok(None);
    };

    let folders = match &question.folder {
        Some(name) => store::folders_named(occurrences.sources.snapshot(), name, MAX_FOLDERS)?,
        None => Vec::new(),
    };

    // `the commands of the shell` may be what implements `IShellCommand`.
    if let (Some(name), []) = (&question.folder, folders.as_slice()) {
        for reading in question.readings() {
            let words = [std::slice::from_ref(name), &reading.kind].concat();
            let kind = kind_of(occurrences, &words)?;
            if let Some(mut kind) = kind.filter(|kind| kind.base.is_some()) {
                kind.clause.clone_from(&question.clause);
                return Ok(Some(kind));
            }
        }
    }

    for reading in question.readings() {
        if let Some(mut kind) = kind_of(occurrences, &reading.kind)? {
            kind.clause.clone_from(&question.clause);
            let (folder, unknown_folder) = match folders.is_empty() {
                true => (None, question.folder),
                false => (question.folder, None),
            };
            kind.unknown_folder = unknown_folder;
            let asked = Selection {
                words: reading.selecting,
                folder,
            };
            return Ok(Some(selection::select(occurrences, kind, asked, &folders)?));
        }
    }

    Ok(None)
}

/// Finds what is of a kind; `None` if nothing is.
fn kind_of(
    occurrences: &mut Occurrences<'_, '_>,
    words: &[String],
) -> Result<Option<Kind>, QueryError> {
    let snapshot = occurrences.sources.snapshot();
    let mut named = named(snapshot, words)?;
    let is_few = named.iter().filter(|node| is_class(node)).count() < MIN_NAMED;
    let base = base(snapshot, words, is_few)?;
    let inheriting = match &base {
        None => inheriting(snapshot, words)?,
        Some(_) => Vec::new(),
    };
    let mut decorated = decorated::decorated(occurrences, &type_name(words))?;
    decorated.retain(is_listed);

    let known = inheriting.iter().chain(&decorated).map(|node| node.id);
    let mut known: Vec<NodeId> = known.collect();
    if let Some(base) = &base {
        let below = implementations_of(snapshot, &[base.id])?;
        known.push(base.id);
        known.extend(below.into_iter().map(|(id, _)| id));
    }

    named.retain(|node| !known.contains(&node.id));
    retain_best(&mut named, base.is_some() || !inheriting.is_empty());
    named.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
    if known.is_empty() && named.len() < MIN_NAMED {
        named.clear();
    }

    let files = if is_few && known.len() <= MIN_NAMED {
        files_of_kind(snapshot, words)?
    } else {
        Vec::new()
    };
    let mut kind = Kind {
        words: words.join(" "),
        base,
        inheriting,
        decorated,
        named,
        files,
        ..Kind::default()
    };
    if words
        .last()
        .is_some_and(|word| ROUTES.contains(&word.as_str()))
    {
        kind.routes = all_routes(snapshot)?;
        kind.file_routes = files_with_routes(occurrences.sources)?;
    }
    if words.last().is_some_and(|word| word == COMMAND) {
        kind.commands = all_commands(snapshot)?;
    }
    Ok((!kind.is_empty()).then_some(kind))
}

impl Kind {
    fn is_empty(&self) -> bool {
        let nodes = [
            &self.implementing,
            &self.inheriting,
            &self.decorated,
            &self.named,
        ];
        self.base.is_none()
            && nodes.into_iter().all(Vec::is_empty)
            && self.files.is_empty()
            && self.routes.is_empty()
            && self.file_routes.is_empty()
            && self.commands.is_empty()
    }
}

/// Returns the symbols whose names end with the words of a kind, in the singular or the plural, and hooks.
fn named(snapshot: &Snapshot, words: &[String]) -> Result<Vec<Node>, QueryError> {
    let mut named = store::names_ending_with(snapshot, words, MAX_NAMED)?;
    if let Some((last, before)) = words.split_last() {
        for last in plurals(last) {
            let words: Vec<String> = before.iter().cloned().chain([last]).collect();
            let collections = store::names_ending_with(snapshot, &words, MAX_NAMED)?;
            named.extend(collections.into_iter().filter(is_class));
        }
        if last == HOOK {
            named.extend(store::names_beginning_with(snapshot, "use", MAX_NAMED)?);
        }
    }
    named.retain(is_listed);
    Ok(named)
}

/// Returns the files directly in folders that have the name of the kind in the plural.
fn files_of_kind(snapshot: &Snapshot, words: &[String]) -> Result<Vec<String>, QueryError> {
    let mut files = Vec::new();
    for name in plurals(&words.join("-")) {
        for folder in store::folders_named(snapshot, &name, MAX_FOLDERS)? {
            let inside = store::files_in_folder(snapshot, &folder)?;
            let inside = inside.into_iter().map(|(path, _)| path).filter(|path| {
                let rest = path.get(folder.len() + 1..).unwrap_or_default();
                !rest.contains('/') && !is_test_path(path) && !is_generated_path(path)
            });
            files.extend(inside);
        }
    }
    if files.len() < MIN_NAMED {
        files.clear();
    }
    Ok(files)
}

/// Returns the plurals that a regular word may have.
fn plurals(word: &str) -> Vec<String> {
    let mut plurals = vec![format!("{word}s")];
    plurals.extend(word.strip_suffix('y').map(|stem| format!("{stem}ies")));
    plurals
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
    let outside = resolve_external(snapshot, &type_name(words))?;

    let mut nodes = Vec::new();
    for id in types_below(snapshot, &outside)? {
        nodes.extend(store::node(snapshot, id)?);
    }
    nodes.retain(|node| node.node_type.is_type() && is_listed(node));
    nodes.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
    Ok(nodes)
}

/// Returns the name of a type of the kind: `StateHandler`.
fn type_name(words: &[String]) -> String {
    words.iter().map(|word| capitalized(word)).collect()
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
