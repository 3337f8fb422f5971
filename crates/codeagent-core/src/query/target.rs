//! Targets: the symbols, files, folders and literals that a caller's text refers to.
//!
//! A text is a name or the end of one, `FILE:LINE`, a file, a folder, a quoted literal, several of
//! these, or a sentence that mentions them (`who calls Cart.Total?`). Names are resolved as by
//! [`resolve_symbols`]; a name under which TypeScript imports or re-exports a symbol resolves to
//! that symbol. What cannot be resolved is returned with the reason.
//!
//! Limitations: a lower-case word of a sentence is a name only if the sentence has no other target.

mod alias;
mod tokens;

use crate::model::graph::{Dialect, Node, NodeId, NodeType};
use crate::query::{NotFound, resolve_symbols};
use crate::query::{Note, QueryError, Sources, SymbolGroup, get_node_by_qualified_name, place};
use crate::store::{self, Snapshot};

pub use alias::Alias;
use tokens::{Token, tokens};

/// Most targets of one text.
const MAX_TARGETS: usize = 12;

/// Most files of one name that are targets.
const MAX_FILES: usize = 8;

/// Most uncommon lower-case words of a sentence that may be names.
const MAX_PLAIN: usize = 2;

/// Longest text that is looked at, in bytes.
const MAX_BYTES: usize = 4_000;

/// A thing that a text refers to.
#[expect(
    clippy::large_enum_variant,
    reason = "a question has few targets, and most are symbols"
)]
#[derive(Clone, Debug)]
pub enum Target {
    /// Symbols of a name or at a location.
    Symbols(SymbolTarget),
    /// An indexed file.
    File {
        /// The text that named it.
        asked: String,
        /// Its repo-relative path.
        path: String,
        /// Its node.
        node: Box<Node>,
    },
    /// A folder that holds indexed files.
    Folder {
        /// The text that named it.
        asked: String,
        /// Its repo-relative path, without a slash at the end; `.` is the whole repository.
        path: String,
    },
    /// A string that no symbol is named by: a route, an event, an environment variable.
    Literal(String),
}

/// The symbols that a name resolves to.
#[derive(Clone, Debug)]
pub struct SymbolTarget {
    /// The text that named them.
    pub asked: String,
    /// The groups that are answered, best first; never empty.
    pub groups: Vec<SymbolGroup>,
    /// Further groups with the name, best first.
    pub others: Vec<SymbolGroup>,
    /// How the name was resolved, if not as written.
    pub note: Option<Note>,
    /// The import or re-export that introduces the name, if it is an alias.
    pub alias: Option<Alias>,
}

/// What a text refers to.
#[derive(Debug, Default)]
pub struct Targets {
    /// The targets in the order of the text.
    pub found: Vec<Target>,
    /// The parts of the text that look like names and have no target, each with the reason.
    pub missing: Vec<(String, QueryError)>,
    /// The other words of the text, in lower case.
    pub words: Vec<String>,
    /// The text reads as a sentence rather than as a list of names.
    pub is_sentence: bool,
}

impl Target {
    /// Returns the ids of the symbols or of the file; empty for folders and literals.
    #[must_use]
    pub fn ids(&self) -> Vec<NodeId> {
        match self {
            Self::Symbols(symbols) => symbols.groups.iter().flat_map(SymbolGroup::ids).collect(),
            Self::File { node, .. } => vec![node.id],
            Self::Folder { .. } | Self::Literal(_) => Vec::new(),
        }
    }

    /// Returns the text that named the target.
    #[must_use]
    pub fn asked(&self) -> &str {
        match self {
            Self::Symbols(symbols) => &symbols.asked,
            Self::File { asked, .. } | Self::Folder { asked, .. } | Self::Literal(asked) => asked,
        }
    }
}

impl Targets {
    /// Reports whether a word of the text begins with one of these.
    #[must_use]
    pub fn mentions(&self, beginnings: &[&str]) -> bool {
        self.words
            .iter()
            .any(|word| beginnings.iter().any(|start| word.starts_with(start)))
    }

    /// Returns the reason why nothing was found, if nothing was.
    pub fn check(mut self) -> Result<Self, QueryError> {
        if self.found.is_empty() && !self.missing.is_empty() {
            return Err(self.missing.swap_remove(0).1);
        }
        Ok(self)
    }
}

/// Resolves a text to targets.
pub fn resolve_targets(sources: &mut Sources<'_>, text: &str) -> Result<Targets, QueryError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(QueryError::EmptySearch);
    }
    if text.len() > MAX_BYTES {
        return Err(QueryError::SearchTooLong {
            bytes: text.len(),
            max: MAX_BYTES,
        });
    }
    let snapshot = sources.snapshot();
    let mut targets = Targets::default();
    if let Some(whole) = whole(snapshot, text)? {
        targets.found.push(whole);
        return Ok(targets);
    }

    let tokens = tokens(text);
    targets.is_sentence = tokens::is_sentence(text, &tokens);
    targets.words = tokens
        .iter()
        .filter(|token| token.is_plain())
        .map(|token| token.text.to_lowercase())
        .collect();
    for token in &tokens {
        if token.is_name(targets.is_sentence) && targets.found.len() < MAX_TARGETS {
            add(sources, &mut targets, token)?;
        }
    }
    if targets.found.is_empty() && targets.is_sentence {
        targets.found.extend(plain_name(snapshot, &tokens)?);
    }
    if targets.found.is_empty() {
        for (asked, _) in std::mem::take(&mut targets.missing) {
            match alias::resolve(sources, &asked)? {
                Some(target) => targets.found.push(Target::Symbols(target)),
                None => {
                    let error = missing(sources.snapshot(), &asked)?;
                    targets.missing.push((asked, error));
                }
            }
        }
    }
    Ok(targets)
}

/// Resolves a text that is one name, possibly with spaces: `Cart.Add(Product, int)`, a file path.
fn whole(snapshot: &Snapshot, text: &str) -> Result<Option<Target>, QueryError> {
    let has_space = text.contains(char::is_whitespace);
    let is_signature = text.ends_with(')') && text.contains('(');
    if has_space && !is_signature {
        let file = store::file_by_path(snapshot, text)?;
        return Ok(match file {
            Some(_) => files(snapshot, text)?.pop(),
            None => None,
        });
    }
    if has_space {
        return Ok(symbols(snapshot, text)?.ok().map(Target::Symbols));
    }
    Ok(None)
}

/// Adds the targets of a token, or the reason why it has none.
fn add(
    sources: &mut Sources<'_>,
    targets: &mut Targets,
    token: &Token<'_>,
) -> Result<(), QueryError> {
    let snapshot = sources.snapshot();
    let text = token.text;

    let paths = paths(snapshot, text)?;
    if !paths.is_empty() {
        targets.found.extend(paths);
        return Ok(());
    }
    let found = symbols(snapshot, text)?;
    let is_literal = token.is_quoted || tokens::is_constant(text) || tokens::is_dotted(text);
    match found {
        Ok(symbols) => {
            targets.found.push(Target::Symbols(symbols));
            // An environment variable is named by a constant and by its string.
            if tokens::is_constant(text) {
                targets.found.push(Target::Literal(text.to_owned()));
            }
        }
        Err(_) if is_literal => targets.found.push(Target::Literal(text.to_owned())),
        Err(error) => match alias::resolve(sources, text)? {
            Some(alias) => targets.found.push(Target::Symbols(alias)),
            None => targets.missing.push((text.to_owned(), error)),
        },
    }
    Ok(())
}

/// Resolves a name or a location; the inner error says why there is no symbol.
fn symbols(
    snapshot: &Snapshot,
    text: &str,
) -> Result<Result<SymbolTarget, QueryError>, QueryError> {
    let name = tokens::without_arity(text);
    match resolve_symbols(snapshot, &name, None) {
        Ok(matches) => Ok(Ok(SymbolTarget {
            asked: text.to_owned(),
            groups: matches.answered,
            others: matches.listed,
            note: matches.note,
            alias: None,
        })),
        Err(error @ QueryError::Store(_)) => Err(error),
        Err(error) => Ok(Err(error)),
    }
}

/// Returns the files or the folder that a text names; empty if it names none.
fn paths(snapshot: &Snapshot, text: &str) -> Result<Vec<Target>, QueryError> {
    if text.contains('#') || place::parse(text).is_some() {
        return Ok(Vec::new());
    }
    if text == "." {
        return Ok(vec![folder(text, ".".to_owned())]);
    }
    let path = text.trim_start_matches("./").trim_end_matches('/');
    let is_path = text.contains('/');
    if is_path || Dialect::of_path(path).is_some() {
        let files = files(snapshot, path)?;
        if !files.is_empty() {
            return Ok(files);
        }
    }
    if is_path {
        let folders = store::folders_named(snapshot, path, MAX_FILES)?;
        return Ok(folders.into_iter().map(|path| folder(text, path)).collect());
    }
    Ok(Vec::new())
}

fn folder(asked: &str, path: String) -> Target {
    Target::Folder {
        asked: asked.to_owned(),
        path,
    }
}

/// Returns the files at a path, or else those whose path ends with it.
fn files(snapshot: &Snapshot, text: &str) -> Result<Vec<Target>, QueryError> {
    let paths = match store::file_by_path(snapshot, text)? {
        Some(file) => vec![file.path],
        None => {
            let keys = store::files_ending(snapshot, text, MAX_FILES)?;
            let paths = keys
                .into_iter()
                .filter_map(|key| store::file_path(snapshot, key).transpose());
            paths.collect::<Result<_, _>>()?
        }
    };
    let mut files = Vec::new();
    for path in paths {
        let nodes = get_node_by_qualified_name(snapshot, &path, None, None)?;
        let node = nodes
            .into_iter()
            .map(|(node, _)| node)
            .find(|node| node.node_type == NodeType::File);
        files.extend(node.map(|node| Target::File {
            asked: text.to_owned(),
            path,
            node: Box::new(node),
        }));
    }
    Ok(files)
}

/// Finds the word of a sentence that is most likely a name: the last one that a function, type or
/// variable is named by.
fn plain_name(snapshot: &Snapshot, tokens: &[Token<'_>]) -> Result<Option<Target>, QueryError> {
    let is_uncommon = |token: &&Token<'_>| token.is_plain() && !tokens::is_common(token.text);
    // With more words, it is described rather than named.
    if tokens.iter().filter(is_uncommon).count() > MAX_PLAIN {
        return Ok(None);
    }
    for token in tokens.iter().rev().filter(is_uncommon) {
        let named = store::by_name(snapshot, token.text, MAX_TARGETS)?;
        let is_declared = named
            .iter()
            .any(|node| node.name == token.text && node.node_type != NodeType::Module);
        if is_declared && let Ok(target) = symbols(snapshot, token.text)? {
            return Ok(Some(Target::Symbols(target)));
        }
    }
    Ok(None)
}

fn missing(snapshot: &Snapshot, asked: &str) -> Result<QueryError, QueryError> {
    Ok(match symbols(snapshot, asked)? {
        Err(error) => error,
        Ok(_) => QueryError::NoSymbol(Box::new(NotFound {
            asked: asked.to_owned(),
            instead: crate::query::Instead::Nearest(Vec::new()),
            unindexed: Vec::new(),
            missing: None,
        })),
    })
}
