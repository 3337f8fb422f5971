//! Which symbols match some words: the full-text table `search`.
//!
//! `HttpClientFactory.CreateClient` is found by `CreateClient`, `create client`, `Create*`, `httpclientfactory` and `client`: names are indexed
//! whole and split into humps, and a name of three humps or more by its initials too (`HCF`).
//!
//! The table is contentless: what was indexed for a node is made again from the node when its row is removed, so its text is a function of
//! the node alone.
//!
//! **Limits.** A query with more matches than [`MAX_CANDIDATES`] is ranked among the first of them in id order, which is arbitrary but stable;
//! symbols whose name is exactly the query are always among them.

use std::collections::BTreeMap;

use rusqlite::{Connection, ToSql, params};
use rustc_hash::FxHashSet;

use crate::model::graph::{Language, Node, NodeId, NodeType};
use crate::store::codec::{id_column, stored_id};
use crate::store::nodes::select_nodes;
use crate::store::{Snapshot, StoreError};

/// How many matches are ranked.
const MAX_CANDIDATES: i64 = 20_000;

/// How many symbols that bear exactly the name asked for are considered.
const MAX_EXACT: i64 = 500;

/// What a match by name is worth in units of bm25.
const EXACT_NAME: f64 = 30.0;
const SAME_NAME: f64 = 20.0;
const QUALIFIED_END: f64 = 40.0;

/// Which symbols are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchFilter {
    /// Only of this project.
    pub project: Option<String>,
    /// Only of this type.
    pub node_type: Option<NodeType>,
    /// Only of this language.
    pub language: Option<Language>,
}

/// A symbol found.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The symbol with its primary span.
    pub node: Node,
    /// bm25 with weights by column, less a bonus for exact names: smaller is better.
    pub rank: f64,
}

/// The columns of `search` for one node.
struct SearchText {
    name: String,
    container: String,
    signature: String,
    doc: String,
}

impl SearchText {
    fn of(node: &Node) -> Self {
        let container = node.qualified_name.strip_suffix(&node.name).unwrap_or(&node.qualified_name);
        let mut name = words(&node.name);
        push_initials(&mut name, &node.name);
        let signature = [&node.parameter_signature, &node.return_type].map(|text| text.as_deref().unwrap_or_default());
        Self { name, container: words(container), signature: words(&signature.join(" ")), doc: node.doc.clone().unwrap_or_default() }
    }
}

/// Whether two nodes have the same words.
pub(super) fn same_text(a: &Node, b: &Node) -> bool {
    (&a.name, &a.qualified_name, &a.parameter_signature, &a.return_type, &a.doc)
        == (&b.name, &b.qualified_name, &b.parameter_signature, &b.return_type, &b.doc)
}

/// Each run of letters and digits, followed by its humps if it has several: `getHTTPUrl` gives `getHTTPUrl get HTTP Url`.
fn words(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2 + 8);
    for run in runs(text) {
        push_word(&mut out, run);
        if humps(run).nth(1).is_some() {
            humps(run).for_each(|hump| push_word(&mut out, hump));
        }
    }
    out
}

fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty())
}

fn push_word(out: &mut String, word: &str) {
    if !out.is_empty() {
        out.push(' ');
    }
    out.push_str(word);
}

fn push_initials(out: &mut String, name: &str) {
    if runs(name).flat_map(humps).nth(2).is_some() {
        out.push(' ');
        out.extend(runs(name).flat_map(humps).filter_map(|hump| hump.chars().next()));
    }
}

/// `getHTTPUrl2` -> `get`, `HTTP`, `Url2`.
fn humps(run: &str) -> impl Iterator<Item = &str> {
    let mut rest = run;
    std::iter::from_fn(move || {
        let end = hump_end(rest);
        let (hump, after) = rest.split_at(end);
        rest = after;
        (!hump.is_empty()).then_some(hump)
    })
}

/// Where the first hump ends: before an upper-case letter after another character, or before the last of several that a lower-case follows.
fn hump_end(run: &str) -> usize {
    let mut chars = run.char_indices().peekable();
    let Some((_, mut previous)) = chars.next() else { return 0 };
    while let Some((at, current)) = chars.next() {
        let next_is_lower = chars.peek().is_some_and(|(_, next)| next.is_lowercase());
        if current.is_uppercase() && (!previous.is_uppercase() || next_is_lower) {
            return at;
        }
        previous = current;
    }
    run.len()
}

const INSERT: &str = "INSERT INTO search (rowid, name, container, signature, doc) VALUES (?1, ?2, ?3, ?4, ?5)";

pub(super) fn insert<'n>(connection: &Connection, nodes: impl Iterator<Item = &'n Node>) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached(INSERT)?;
    for node in nodes {
        let text = SearchText::of(node);
        statement.execute(params![stored_id(node.id), text.name, text.container, text.signature, text.doc])?;
    }
    Ok(())
}

const DELETE: &str = "INSERT INTO search (search, rowid, name, container, signature, doc) VALUES ('delete', ?1, ?2, ?3, ?4, ?5)";

/// Removes the row of a node; `node` as it was when it was inserted.
pub(super) fn delete(connection: &Connection, node: &Node) -> Result<(), StoreError> {
    let text = SearchText::of(node);
    connection.prepare_cached(DELETE)?.execute(params![stored_id(node.id), text.name, text.container, text.signature, text.doc])?;
    Ok(())
}

const DELETE_ALL: &str = "INSERT INTO search (search) VALUES ('delete-all')";

pub(super) fn delete_all(connection: &Connection) -> Result<(), StoreError> {
    connection.execute(DELETE_ALL, [])?;
    Ok(())
}

/// Bytes of new postings kept in memory before they are written: much while everything is written, little otherwise.
const SET_HASH_SIZE: &str = "INSERT INTO search (search, rank) VALUES ('hashsize', ?1)";

pub(super) fn set_hash_size(connection: &Connection, bytes: i64) -> Result<(), StoreError> {
    connection.execute(SET_HASH_SIZE, [bytes])?;
    Ok(())
}

/// Symbols that match an FTS5 query, best first, and whether its words had to be quoted because it is no FTS5 query (`List<int>`, `a.b`).
/// Then symbols with all of the words are wanted, or if there are none, with some of them.
pub fn search(snapshot: &Snapshot, query: &str, filter: &SearchFilter, limit: usize) -> Result<(Vec<Hit>, bool), StoreError> {
    let wanted = limit.saturating_mul(4).max(100);
    let (found, quoted) = match matches(snapshot, query, filter, wanted) {
        Err(StoreError::Query(message)) => {
            let words = quoted_words(query).ok_or(StoreError::Query(message))?;
            let mut found = matches(snapshot, &words.join(" "), filter, wanted)?;
            if found.is_empty() {
                found = matches(snapshot, &words.join(" OR "), filter, wanted)?;
            }
            (found, true)
        }
        other => (other?, false),
    };
    let mut ranks: BTreeMap<NodeId, f64> = found.into_iter().collect();
    let symbol = symbol_of(query);
    let mut nodes = match &symbol {
        Some(symbol) => exact(snapshot, symbol.name, filter)?,
        None => Vec::new(),
    };
    let seen: FxHashSet<NodeId> = nodes.iter().map(|node| node.id).collect();
    for id in ranks.keys().filter(|id| !seen.contains(id)) {
        nodes.extend(select_nodes(snapshot.connection(), "WHERE n.id = ?1", &[&stored_id(*id)])?);
    }
    let mut hits: Vec<Hit> = nodes
        .into_iter()
        .map(|node| {
            let rank = ranks.remove(&node.id).unwrap_or(0.0) - symbol.as_ref().map_or(0.0, |symbol| symbol.bonus(&node));
            Hit { node, rank }
        })
        .collect();
    hits.sort_by(|a, b| {
        let order = a.rank.total_cmp(&b.rank).then_with(|| a.node.qualified_name.len().cmp(&b.node.qualified_name.len()));
        order.then_with(|| a.node.qualified_name.cmp(&b.node.qualified_name)).then_with(|| a.node.id.cmp(&b.node.id))
    });
    hits.truncate(limit);
    Ok((hits, quoted))
}

/// A query that is the name of a symbol, perhaps with the end of its container: `Client`, `Factory.Client`.
struct SymbolQuery<'q> {
    whole: &'q str,
    name: &'q str,
}

fn symbol_of(query: &str) -> Option<SymbolQuery<'_>> {
    let whole = query.trim();
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '#');
    if whole.is_empty() || !whole.chars().all(is_name) {
        return None;
    }
    Some(SymbolQuery { whole, name: whole.rsplit('.').next().unwrap_or(whole) })
}

impl SymbolQuery<'_> {
    fn bonus(&self, node: &Node) -> f64 {
        if self.whole.len() > self.name.len() && node.qualified_name.ends_with(self.whole) {
            QUALIFIED_END
        } else if node.name == self.name {
            EXACT_NAME
        } else if node.name.eq_ignore_ascii_case(self.name) {
            SAME_NAME
        } else {
            0.0
        }
    }
}

const FILTERS: &str = "(?2 IS NULL OR n.project_id = ?2) AND (?3 IS NULL OR n.node_type = ?3) AND (?4 IS NULL OR n.language = ?4)";

fn exact(snapshot: &Snapshot, name: &str, filter: &SearchFilter) -> Result<Vec<Node>, StoreError> {
    let rest = format!("WHERE n.name = ?1 COLLATE NOCASE AND {FILTERS} ORDER BY n.id LIMIT ?5");
    let node_type = filter.node_type.map(|node_type| node_type as u8);
    let language = filter.language.map(|language| language as u8);
    let parameters: [&dyn ToSql; 5] = [&name, &filter.project, &node_type, &language, &MAX_EXACT];
    select_nodes(snapshot.connection(), &rest, &parameters)
}

const RANKED: &str = "SELECT rowid AS id, bm25(search, 10.0, 4.0, 1.0, 1.0) AS score FROM search WHERE search MATCH ?1";
const RANKED_FILTERED: &str = "SELECT search.rowid AS id, bm25(search, 10.0, 4.0, 1.0, 1.0) AS score FROM search \
    JOIN nodes n ON n.id = search.rowid WHERE search MATCH ?1 AND";

fn matches(snapshot: &Snapshot, query: &str, filter: &SearchFilter, limit: usize) -> Result<Vec<(NodeId, f64)>, StoreError> {
    let inner = if *filter == SearchFilter::default() {
        format!("{RANKED} AND ?2 IS NULL AND ?3 IS NULL AND ?4 IS NULL")
    } else {
        format!("{RANKED_FILTERED} {FILTERS}")
    };
    let sql = format!("SELECT id, score FROM ({inner} LIMIT {MAX_CANDIDATES}) ORDER BY score, id LIMIT ?5");
    let mut statement = snapshot.connection().prepare_cached(&sql)?;
    let node_type = filter.node_type.map(|node_type| node_type as u8);
    let language = filter.language.map(|language| language as u8);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut rows = statement.query(params![query, filter.project, node_type, language, limit])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().map_err(query_error)? {
        found.push((id_column(row, 0)?, row.get(1)?));
    }
    Ok(found)
}

/// A plain SQL error while a well-formed statement runs can only be about the query text.
fn query_error(error: rusqlite::Error) -> StoreError {
    match &error {
        rusqlite::Error::SqliteFailure(code, message) if code.code == rusqlite::ErrorCode::Unknown => {
            StoreError::Query(message.clone().unwrap_or_default())
        }
        _ => error.into(),
    }
}

/// The words of a text, quoted for FTS5, a trailing star kept; `None` if there are none.
fn quoted_words(query: &str) -> Option<Vec<String>> {
    let mut out = Vec::new();
    let mut rest = query;
    while let Some(start) = rest.find(|c: char| c.is_alphanumeric() || c == '_') {
        let word = &rest[start..];
        let end = word.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(word.len());
        rest = &word[end..];
        let star = if rest.starts_with('*') { "*" } else { "" };
        out.push(format!("\"{}\"{star}", &word[..end]));
    }
    (!out.is_empty()).then_some(out)
}

const NEARBY: &str = "SELECT DISTINCT name FROM nodes WHERE name >= ?1 COLLATE NOCASE AND name < ?2 COLLATE NOCASE LIMIT 5000";

/// Names that look like `name`, nearest first.
pub fn nearest_names(snapshot: &Snapshot, name: &str, limit: usize) -> Result<Vec<String>, StoreError> {
    let stem: String = name.chars().take(2).collect();
    if stem.is_empty() {
        return Ok(Vec::new());
    }
    let mut statement = snapshot.connection().prepare_cached(NEARBY)?;
    let rows = statement.query_map([&stem, &format!("{stem}\u{10ffff}")], |row| row.get::<_, String>(0))?;
    let lower = name.to_lowercase();
    let mut near = Vec::new();
    for candidate in rows {
        let candidate = candidate?;
        let distance = edit_distance(&lower, &candidate.to_lowercase());
        if distance <= 1 + name.chars().count() / 4 {
            near.push((distance, candidate));
        }
    }
    near.sort();
    near.truncate(limit);
    Ok(near.into_iter().map(|(_, name)| name).collect())
}

fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let cost = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = cost.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_split_into_humps() {
        assert_eq!(words("getHTTPUrl2 snake_case"), "getHTTPUrl2 get HTTP Url2 snake case");
        assert_eq!(words("src/auth/service.ts#"), "src auth service ts");
        let mut initials = String::new();
        push_initials(&mut initials, "HttpClientFactory");
        push_initials(&mut initials, "HttpClient");
        assert_eq!(initials, " HCF");
    }

    #[test]
    fn words_are_quoted() {
        assert_eq!(quoted_words("List<int>").unwrap(), ["\"List\"", "\"int\""]);
        assert_eq!(quoted_words("Foo.Ba*").unwrap(), ["\"Foo\"", "\"Ba\"*"]);
        assert_eq!(quoted_words("\"("), None);
    }

    #[test]
    fn distance_counts_edits() {
        assert_eq!(edit_distance("cart", "card"), 1);
        assert_eq!(edit_distance("", "abc"), 3);
    }
}
