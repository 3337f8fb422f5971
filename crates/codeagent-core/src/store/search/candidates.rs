//! Candidate retrieval: bounded steps from the strictest reading of a query to the loosest.
//!
//! Limitations: a prefix expands to at most [`MAX_ENDINGS`] words: the most common of the first
//! [`MAX_WORDS_READ`] words with the prefix.

use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};
use rustc_hash::FxHashSet;

use crate::model::graph::{Access, NodeFlags, NodeId, NodeType};
use crate::store::codec::{id_column, stored_id, word_column};
use crate::store::search::SearchFilter;
use crate::store::search::query::{self, Query, Word, all_of, any_of, quoted};
use crate::store::search::rank::SearchCandidate;
use crate::store::search::text::{is_generated_path, node_of};
use crate::store::{Snapshot, StoreError};

/// Maximum number of rows per step.
const PER_STEP: usize = 150;
/// Maximum number of symbols found by exact name alone.
const MAX_EXACT: usize = 64;
/// Maximum number of words that a prefix expands to.
const MAX_ENDINGS: usize = 40;
/// Maximum number of words read to choose these.
const MAX_WORDS_READ: usize = 4000;
/// Maximum number of names read for a prefix.
const MAX_NAMES_READ: usize = 4000;
/// Maximum number of symbols with the same name among these.
const MAX_OF_ONE_NAME: usize = 4;
/// Maximum number of symbols with a name whose qualified names are compared.
const MAX_QUALIFIED: usize = 500;
/// Maximum number of rows read if a filter has to inspect them.
const MAX_FILTERED: usize = 1000;
/// Maximum number of uses of a prefix that FTS5 expands itself; it also searches documentation.
const RARE: i64 = 500;

pub(super) struct Candidates<'s> {
    connection: &'s Connection,
    filter: &'s SearchFilter,
    /// Looser steps run only while fewer candidates are found.
    wanted: usize,
    ids: Vec<NodeId>,
    seen: FxHashSet<NodeId>,
}

impl<'s> Candidates<'s> {
    /// Creates an empty set. `limit` is the number of results to show.
    pub fn new(snapshot: &'s Snapshot, filter: &'s SearchFilter, limit: usize) -> Self {
        Self {
            connection: snapshot.connection(),
            filter,
            wanted: limit.max(20),
            ids: Vec::new(),
            seen: FxHashSet::default(),
        }
    }

    /// Adds symbols that match an FTS5 expression, then symbols whose names match it.
    pub fn of_expression(&mut self, expression: &str) -> Result<(), StoreError> {
        self.matching(expression, PER_STEP)?;
        self.matching(&in_name(expression), PER_STEP)
    }

    /// Adds symbols that have all words of a query. Returns `false` if there are none.
    pub fn of_words(&mut self, query: &Query) -> Result<bool, StoreError> {
        self.named(&query.text)?;
        if query.words.is_empty() {
            return Ok(true);
        }

        self.of_whole_words(query)?;

        if query.open || self.ids.len() < self.wanted {
            self.with_prefix(&query.text)?;
            if query.joined() != query.text.to_lowercase() {
                self.with_prefix(&query.joined())?;
            }
            self.of_prefixes(query)?;
        }

        if let Some(letters) = query.initials() {
            self.matching(&query::with_initials(letters), PER_STEP)?;
        }

        Ok(!self.ids.is_empty() || query.words.len() <= 1)
    }

    fn of_whole_words(&mut self, query: &Query) -> Result<(), StoreError> {
        self.matching(&format!("name : ^ {}", quoted(&query.joined())), PER_STEP)?;
        if let Some(name) = query.qualified() {
            self.qualified(&query.text, name)?;
        }
        if query.open {
            return Ok(());
        }
        let terms: Vec<&str> = query.terms().map(|(term, _)| term).collect();
        self.matching(&in_name(&quoted(&terms.join(" "))), PER_STEP)?;
        let words: Vec<String> = query.words.iter().map(whole).collect();
        if words.len() > 1 {
            self.matching(&in_name(&all_of(&words)), PER_STEP)?;
        }
        self.matching(&all_of(&words), PER_STEP)
    }

    fn of_prefixes(&mut self, query: &Query) -> Result<(), StoreError> {
        let endings = (MAX_ENDINGS / query.words.len()).max(4);
        let matches = query
            .words
            .iter()
            .map(|word| self.expand_prefix(word, endings))
            .collect::<Result<Vec<_>, _>>()?;

        let words: Vec<String> = matches
            .iter()
            .map(|matches| matches.words.clone())
            .collect();

        self.matching(&in_name(&all_of(&words)), PER_STEP)?;

        if self.ids.len() < self.wanted {
            let anywhere: Vec<String> = matches
                .into_iter()
                .map(|matches| matches.prefix.unwrap_or(matches.words))
                .collect();
            self.matching(&all_of(&anywhere), PER_STEP)?;
        }

        Ok(())
    }

    /// Adds up to `limit` matching rows, best class first.
    fn matching(&mut self, expression: &str, limit: usize) -> Result<(), StoreError> {
        for id in self.rows(expression, limit)? {
            self.take(id);
        }
        Ok(())
    }

    /// Returns up to `limit` matching symbols, best class first, without adding them.
    pub fn rows(&self, expression: &str, limit: usize) -> Result<Vec<NodeId>, StoreError> {
        let expression = query::filtered(expression, self.filter);
        let mut statement = self.connection.prepare_cached(MATCHING)?;
        let mut rows = statement.query(params![expression, limit as i64])?;
        let mut ids = Vec::new();
        while let Some(row) = rows.next().map_err(query_error)? {
            ids.push(node_of(row.get(0)?));
        }
        Ok(ids)
    }

    /// Reports whether the filter accepts a symbol.
    pub fn matches_filter(&self, id: NodeId) -> Result<bool, StoreError> {
        if *self.filter == SearchFilter::default() {
            return Ok(true);
        }

        let SearchFilter {
            project,
            node_type,
            language,
        } = self.filter;
        let (node_type, language) = (
            node_type.map(|node_type| node_type as u8),
            language.map(|language| language as u8),
        );

        let mut statement = self.connection.prepare_cached(LET_THROUGH)?;
        Ok(statement.exists(params![
            stored_id(id),
            rusqlite::types::Null,
            project,
            node_type,
            language
        ])?)
    }

    fn take(&mut self, id: NodeId) {
        if self.seen.insert(id) {
            self.ids.push(id);
        }
    }

    /// Adds symbols with this name, ignoring case.
    fn named(&mut self, name: &str) -> Result<(), StoreError> {
        for (id, _) in self.filtered_names(NAMED, &[&name], MAX_EXACT)? {
            self.take(id);
        }
        Ok(())
    }

    /// Adds symbols of this name whose qualified name ends with `whole`.
    fn qualified(&mut self, whole: &str, name: &str) -> Result<(), StoreError> {
        let found = self.filtered_names(QUALIFIED, &[&name], MAX_QUALIFIED)?;
        let ends = found
            .into_iter()
            .filter(|(_, qualified_name)| qualified_name.ends_with(whole));
        ends.take(MAX_EXACT).for_each(|(id, _)| self.take(id));
        Ok(())
    }

    /// Adds symbols whose name has this prefix, shortest names first.
    fn with_prefix(&mut self, text: &str) -> Result<(), StoreError> {
        let end = format!("{text}\u{10ffff}");
        let mut found = self.filtered_names(WITH_PREFIX, &[&text, &end], MAX_NAMES_READ)?;
        found.sort_unstable_by(|(a, one), (b, other)| {
            (one.len(), one, a).cmp(&(other.len(), other, b))
        });
        let (mut name, mut count, mut taken) = (String::new(), 0, 0);
        for (id, next) in found {
            count = if next == name { count + 1 } else { 0 };
            name = next;
            if count < MAX_OF_ONE_NAME && taken < PER_STEP {
                self.take(id);
                taken += 1;
            }
        }
        Ok(())
    }

    /// Runs `select` on `nodes n`, applies the filter and returns `(id, text)` of at most `limit`
    /// rows.
    fn filtered_names(
        &self,
        select: &str,
        parameters: &[&dyn ToSql],
        limit: usize,
    ) -> Result<Vec<(NodeId, String)>, StoreError> {
        let SearchFilter {
            project,
            node_type,
            language,
        } = self.filter;
        let (node_type, language) = (
            node_type.map(|node_type| node_type as u8),
            language.map(|language| language as u8),
        );

        let is_free = *self.filter == SearchFilter::default();
        let limit = if is_free {
            limit
        } else {
            limit.min(MAX_FILTERED)
        } as i64;

        let sql = if is_free {
            format!("{select} LIMIT {limit}")
        } else {
            format!("SELECT id, text FROM ({select} LIMIT {limit}) {FILTERED}")
        };

        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut all: Vec<&dyn ToSql> = parameters.to_vec();
        if !is_free {
            all.resize(FILTER_PARAMETER, &rusqlite::types::Null);
            all.extend([project as &dyn ToSql, &node_type, &language]);
        }

        let rows = statement.query_map(all.as_slice(), |row| {
            Ok((NodeId(row.get::<_, i64>(0)? as u64), row.get(1)?))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Expands a query word to the words of names that start with it.
    fn expand_prefix(&self, word: &Word, endings: usize) -> Result<PrefixMatches, StoreError> {
        let (last, before) = word.name.split_last();
        let mut statement = self.connection.prepare_cached(PREFIX_WORDS)?;
        let rows = statement.query_map(
            params![last, format!("{last}\u{10ffff}"), MAX_WORDS_READ as i64],
            |row| {
                Ok((
                    std::cmp::Reverse(row.get::<_, i64>(1)?),
                    row.get::<_, String>(0)?,
                ))
            },
        )?;

        let mut found = rows.collect::<Result<Vec<_>, _>>()?;
        let uses: i64 = found.iter().map(|(names, _)| names.0).sum();
        found.sort_unstable();

        let mut parts = vec![quoted(last)];
        parts.extend(
            found
                .iter()
                .filter(|(_, word)| word != last)
                .take(endings)
                .map(|(_, word)| quoted(word)),
        );

        let also = |last: String| {
            all_of(
                &before
                    .iter()
                    .map(|word| quoted(word))
                    .chain([last])
                    .collect::<Vec<_>>(),
            )
        };

        let prefix = (uses <= RARE).then(|| also(format!("{} *", quoted(last))));
        Ok(PrefixMatches {
            words: also(any_of(&parts)),
            prefix,
        })
    }

    /// Counts, for each word of a query, the names that contain it.
    pub fn names_with(&self, query: &Query) -> Result<Vec<u64>, StoreError> {
        let mut statement = self.connection.prepare_cached(NAMES_WITH)?;
        let count = |(term, _)| {
            statement
                .query_row([term], |row| row.get::<_, i64>(0))
                .optional()
        };
        Ok(query
            .terms()
            .map(count)
            .map(|count| count.map(|count| count.unwrap_or(0) as u64))
            .collect::<Result<_, _>>()?)
    }

    /// Returns the symbols in the order they were found.
    pub fn found(&self) -> &[NodeId] {
        &self.ids
    }

    /// Loads the data that ranking needs.
    pub fn load(&self, ids: &[NodeId]) -> Result<Vec<SearchCandidate>, StoreError> {
        let mut statement = self.connection.prepare_cached(CANDIDATE)?;
        let mut out = Vec::with_capacity(ids.len());
        for id in ids {
            let mut rows = statement.query([stored_id(*id)])?;
            if let Some(row) = rows.next()? {
                out.push(candidate(row)?);
            }
        }
        Ok(out)
    }
}

/// The expansion of a prefix.
struct PrefixMatches {
    /// FTS5 expression for some of the words that have the prefix.
    words: String,
    /// FTS5 expression for the prefix itself, if it is cheap to run.
    prefix: Option<String>,
}

/// Returns the expression for a word: as written, or as a sequence of its camel-case words.
fn whole(word: &Word) -> String {
    let one = quoted(&word.name.joined);
    if word.name.starts.len() < 2 {
        return one;
    }
    any_of(&[
        one,
        quoted(&word.name.words().collect::<Vec<_>>().join(" ")),
    ])
}

fn in_name(expression: &str) -> String {
    format!("name : ({expression})")
}

const MATCHING: &str = "SELECT rowid FROM search WHERE search MATCH ?1 LIMIT ?2";
const NAMED: &str =
    "SELECT n.id AS id, n.name AS text FROM nodes n WHERE n.name = ?1 COLLATE NOCASE";
const QUALIFIED: &str =
    "SELECT n.id AS id, n.qualified_name AS text FROM nodes n WHERE n.name = ?1 COLLATE NOCASE";
const WITH_PREFIX: &str = "SELECT n.id AS id, n.name AS text FROM nodes n WHERE n.name >= ?1 COLLATE NOCASE AND n.name < ?2 COLLATE NOCASE";
const FILTERED: &str = "JOIN nodes USING (id) WHERE (?3 IS NULL OR project = (SELECT id FROM projects WHERE path = ?3)) AND (?4 IS NULL OR node_type = ?4) AND (?5 IS NULL OR language = ?5)";
const LET_THROUGH: &str = "SELECT 1 FROM nodes WHERE id = ?1 AND ?2 IS NULL \
    AND (?3 IS NULL OR project = (SELECT id FROM projects WHERE path = ?3)) AND (?4 IS NULL OR node_type = ?4) AND (?5 IS NULL OR language = ?5)";
/// Number of parameters before those of [`FILTERED`].
const FILTER_PARAMETER: usize = 2;
const PREFIX_WORDS: &str =
    "SELECT word, names FROM name_words WHERE word >= ?1 AND word < ?2 LIMIT ?3";
const NAMES_WITH: &str = "SELECT names FROM name_words WHERE word = ?1";
const CANDIDATE: &str = "SELECT id, (SELECT path FROM projects WHERE id = nodes.project), name, qualified_name, node_type, access, flags, type_parameters, parameter_signature, return_type, doc, \
    (SELECT group_concat(path, char(10)) FROM spans JOIN files ON files.id = file_id WHERE node_id = nodes.id) FROM nodes WHERE id = ?1";

fn candidate(row: &Row<'_>) -> Result<SearchCandidate, StoreError> {
    let text = |index| {
        row.get::<_, Option<String>>(index)
            .map(Option::unwrap_or_default)
    };

    let paths = text(11)?;
    Ok(SearchCandidate {
        id: id_column(row, 0)?,
        project_id: row.get(1)?,
        name: row.get(2)?,
        qualified_name: row.get(3)?,
        node_type: word_column(row, 4, NodeType::from_code)?,
        access: row.get::<_, Option<u8>>(5)?.and_then(Access::from_code),
        flags: NodeFlags(row.get(6)?),
        type_parameters: text(7)?,
        signature: format!("{} {}", text(8)?, text(9)?),
        doc: text(10)?,
        is_generated: !paths.is_empty() && paths.lines().all(is_generated_path),
    })
}

/// Converts the error of a running statement. SQLite reports invalid query syntax as a generic
/// error.
fn query_error(error: rusqlite::Error) -> StoreError {
    match &error {
        rusqlite::Error::SqliteFailure(code, message)
            if code.code == rusqlite::ErrorCode::Unknown =>
        {
            StoreError::Query(message.clone().unwrap_or_default())
        }
        _ => error.into(),
    }
}
