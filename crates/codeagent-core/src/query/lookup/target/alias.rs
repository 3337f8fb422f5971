//! Aliases: other names under which TypeScript files import or re-export a symbol, and those that it has as a member of
//! an object literal.
//!
//! `import presentComment from "./comment"` makes `presentComment` a name of the default export of
//! `comment.ts`. The index contains the site of the import; the name is read from the source line.
//!
//! Limitations: at most [`MAX_FILES`] files that contain the word are read, within [`TIME_LIMIT`].

use std::sync::Mutex;

use codeagent_workspace::{FileHits, Files, RepoPath, TextQuery};
use rustc_hash::FxHashMap;

use crate::model::graph::{
    Dialect, EdgeDirection, EdgeType, Language, Node, NodeId, NodeKind, NodeType,
};
use crate::query::lookup::target::SymbolTarget;
use crate::query::{
    QueryError, Sources, SymbolGroup, get_node_by_qualified_name, unpoisoned, uses_on_lines,
};
use crate::store::{self, Snapshot};

/// Maximum number of files read.
const MAX_FILES: usize = 40;

/// Time limit of the search for the word, in milliseconds.
const TIME_LIMIT: u64 = 300;

/// Minimum length of an alias.
const MIN_LENGTH: usize = 3;

/// An import, re-export or object literal that gives a symbol another name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alias {
    /// The qualified name of the symbol.
    pub of: String,
    /// Path of a file that uses the alias.
    pub path: String,
    /// Line of the import, re-export or property there.
    pub line: u32,
}

/// Resolves a name to the symbol that is imported or re-exported under it; `None` if there is none.
pub(super) fn resolve(
    sources: &mut Sources<'_>,
    name: &str,
) -> Result<Option<SymbolTarget>, QueryError> {
    let is_identifier = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    if name.len() < MIN_LENGTH || !name.chars().all(is_identifier) {
        return Ok(None);
    }
    let snapshot = sources.snapshot();
    let mut targets: FxHashMap<NodeId, (usize, String, u32)> = FxHashMap::default();
    let word = TextQuery {
        pattern: name.to_owned(),
        is_literal: true,
        whole_word: true,
        ..TextQuery::default()
    };
    for (path, mut lines) in lines_matching(sources, word, is_typescript) {
        // The module may be a file of that name: `import { Cart } from "./shop"`.
        let mut named = Vec::with_capacity(lines.len());
        for line in &lines {
            let source = sources.line(&path, *line)?.unwrap_or_default();
            let names = source.split(['"', '\'']).next().unwrap_or_default();
            let is_end = |c: char| !is_identifier(c);
            named.push(names.split(is_end).any(|word| word == name));
        }
        let mut named = named.into_iter();
        lines.retain(|_| named.next().unwrap_or_default());
        for (target, line) in imports_at(snapshot, &path, &lines)? {
            let known = targets.entry(target).or_insert((0, path.clone(), line));
            known.0 += 1;
        }
    }

    let best = targets
        .into_iter()
        .max_by(|(_, a), (_, b)| a.0.cmp(&b.0).then_with(|| b.1.cmp(&a.1)));
    let Some((id, (_, path, line))) = best else {
        return Ok(None);
    };
    let node = store::node(snapshot, id)?.filter(|node| node.name != name);
    Ok(node.map(|node| target(name, node, (path, line))))
}

/// Resolves a member of an object literal to the symbol of its name that the literal takes as its value:
/// `Cart.add` with `const Cart = { add, remove }`; `None` if there is none, or several.
pub(super) fn of_object(
    snapshot: &Snapshot,
    text: &str,
) -> Result<Option<SymbolTarget>, QueryError> {
    let Some((object, member)) = text.rsplit_once('.') else {
        return Ok(None);
    };

    let mut found: Vec<(Node, (String, u32))> = Vec::new();
    for (object, _) in get_node_by_qualified_name(snapshot, object, None, None)? {
        if object.kind != NodeKind::Variable || object.language != Language::TypeScript {
            continue;
        }

        for site in &object.spans {
            let lines = site.span.start.line..=site.span.end_line;
            for (line, used) in uses_on_lines(snapshot, &site.path, &lines)? {
                let node = store::node(snapshot, used.target)?;
                let is_new = |node: &Node| {
                    node.name == member && found.iter().all(|(known, _)| known.id != node.id)
                };
                let node = node.filter(|node| used.source == object.id && is_new(node));
                found.extend(node.map(|node| (node, (site.path.clone(), line))));
            }
        }
    }

    let only = if found.len() == 1 { found.pop() } else { None };
    Ok(only.map(|(node, at)| target(text, node, at)))
}

/// Makes the target of a symbol that has another name at a place.
fn target(asked: &str, node: Node, (path, line): (String, u32)) -> SymbolTarget {
    let alias = Alias {
        of: node.qualified_name.clone(),
        path,
        line,
    };

    SymbolTarget {
        asked: asked.to_owned(),
        groups: vec![SymbolGroup {
            nodes: vec![node],
            members: Vec::new(),
            callback: None,
            folder: None,
        }],
        others: Vec::new(),
        note: None,
        alias: Some(alias),
    }
}

/// Reports whether a file is TypeScript or JavaScript.
pub(super) fn is_typescript(path: &str) -> bool {
    Dialect::of_path(path).map(Dialect::language) == Some(Language::TypeScript)
}

/// Finds the lines of some files that match, by path.
pub(super) fn lines_matching(
    sources: &Sources<'_>,
    query: TextQuery,
    is_searched: fn(&str) -> bool,
) -> Vec<(String, Vec<u32>)> {
    let files = Files {
        respects_ignore: true,
        ..Files::default()
    };
    let query = TextQuery {
        keep: 8,
        line_bytes: 1,
        ..query
    };

    let query = query.within_millis(TIME_LIMIT);
    let wanted = move |path: &RepoPath, is_folder: bool| is_folder || is_searched(path.as_str());
    let found = Mutex::new(Vec::new());
    let take = |hits: FileHits| {
        let lines = hits.hits.iter().map(|hit| hit.line as u32).collect();
        unpoisoned(&found).push((hits.path.as_str().to_owned(), lines));
    };

    // If the search fails, nothing is found.
    sources
        .workspace()
        .search_text(&files, &query, wanted, &take)
        .ok();
    let mut found: Vec<(String, Vec<u32>)> = std::mem::take(&mut *unpoisoned(&found));
    found.sort_unstable();
    found.truncate(MAX_FILES);

    found
}

/// Returns the symbols that a file imports or re-exports on these lines.
fn imports_at(
    snapshot: &Snapshot,
    path: &str,
    lines: &[u32],
) -> Result<Vec<(NodeId, u32)>, QueryError> {
    let nodes = get_node_by_qualified_name(snapshot, path, None, None)?;
    let mut found = Vec::new();
    for (file, _) in nodes
        .iter()
        .filter(|(node, _)| node.node_type == NodeType::File)
    {
        let imports = store::incident_edges(
            snapshot,
            file.id,
            Some(EdgeType::Imports),
            EdgeDirection::Outgoing,
        )?;

        for import in imports.iter().filter(|edge| lines.contains(&edge.line)) {
            if store::node(snapshot, import.other)?
                .is_some_and(|node| node.node_type != NodeType::File)
            {
                found.push((import.other, import.line));
            }
        }
    }

    Ok(found)
}
