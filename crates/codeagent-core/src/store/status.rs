//! Counts for `status`, and the most frequent unresolved names.

use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::model::graph::{Dialect, Language};
use crate::store::codec::word_column;
use crate::store::{EDGES_TOTAL, GENERATION, SYMBOLS_TOTAL, Snapshot, StoreError};

/// Totals of the index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Number of indexed files.
    pub files: u64,
    /// Number of symbols other than files.
    pub symbols: u64,
    /// Number of edges.
    pub edges: u64,
    /// Counts per language, in the order of [`Language::NAMES`]. Languages without files are left
    /// out.
    pub languages: Vec<LanguageCounts>,
}

/// Totals of one language.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LanguageCounts {
    /// The language.
    pub language: Language,
    /// Number of files.
    pub files: u64,
    /// Number of lines.
    pub lines: u64,
    /// Total size of the texts, in bytes.
    pub bytes: u64,
    /// Total size of the parse errors, in bytes.
    pub error_bytes: u64,
    /// Number of files that could not be read or parsed.
    pub failed: u64,
    /// Number of files with parse errors.
    pub partial: u64,
    /// Number of call sites, except calls of values.
    pub calls: u64,
    /// Number of call sites with a target.
    pub calls_resolved: u64,
    /// Number of call sites known to be external, by their receiver or because nothing in the
    /// repository has the name.
    pub calls_external: u64,
    /// Number of sites whose query budget was exceeded.
    pub budget_exceeded: u64,
}

impl LanguageCounts {
    /// Returns zero counts.
    #[must_use]
    pub fn new(language: Language) -> Self {
        Self {
            language,
            files: 0,
            lines: 0,
            bytes: 0,
            error_bytes: 0,
            failed: 0,
            partial: 0,
            calls: 0,
            calls_resolved: 0,
            calls_external: 0,
            budget_exceeded: 0,
        }
    }

    /// Returns the percentage of bytes in parse errors.
    #[must_use]
    pub fn error_percent(&self) -> f64 {
        percent(self.error_bytes, self.bytes).unwrap_or(0.0)
    }

    /// Returns the percentage of non-external calls that have a target; `None` if there are no such
    /// calls.
    #[must_use]
    pub fn resolved_percent(&self) -> Option<f64> {
        percent(
            self.calls_resolved,
            self.calls.saturating_sub(self.calls_external),
        )
    }
}

impl Counts {
    /// Returns the number of files that could be read and parsed.
    #[must_use]
    pub fn read_files(&self) -> u64 {
        self.files
            - self
                .languages
                .iter()
                .map(|counts| counts.failed)
                .sum::<u64>()
    }
}

/// Returns a percentage with two decimals; `None` if `whole` is 0.
#[must_use]
pub fn percent(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| (part as f64 * 10_000.0 / whole as f64).round() / 100.0)
}

const BY_DIALECT: &str = "SELECT dialect, count(*), sum(lines), sum(bytes), sum(error_bytes), sum(parse_status = 2), sum(parse_status = 1), \
    sum(calls), sum(calls_resolved), sum(calls_external), sum(given_up) FROM files WHERE id < 2147483648 GROUP BY dialect";

/// The counts of the generation last asked for; cached because counting takes milliseconds.
#[derive(Default)]
pub(super) struct Totals(Mutex<Option<(String, Counts)>>);

/// Returns the totals of the index.
pub fn counts(snapshot: &Snapshot) -> Result<Counts, StoreError> {
    let generation = metadata(snapshot, GENERATION)?.unwrap_or_default();
    let known = || {
        snapshot
            .totals()
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    };

    if let Some((_, counts)) = known().as_ref().filter(|(of, _)| *of == generation) {
        return Ok(counts.clone());
    }

    let counts = count_totals(snapshot)?;
    *known() = Some((generation, counts.clone()));
    Ok(counts)
}

fn count_totals(snapshot: &Snapshot) -> Result<Counts, StoreError> {
    let connection = snapshot.connection();
    let mut totals: Vec<LanguageCounts> = Language::NAMES
        .iter()
        .map(|(_, language)| LanguageCounts::new(*language))
        .collect();

    let mut statement = connection.prepare_cached(BY_DIALECT)?;
    let mut rows = statement.query([])?;

    while let Some(row) = rows.next()? {
        let language = word_column(row, 0, Dialect::from_code)?.language();
        let total = &mut totals[language as usize];

        let number = |index| row.get::<_, i64>(index).map(|value| value as u64);

        total.files += number(1)?;
        total.lines += number(2)?;
        total.bytes += number(3)?;
        total.error_bytes += number(4)?;
        total.failed += number(5)?;
        total.partial += number(6)?;
        total.calls += number(7)?;
        total.calls_resolved += number(8)?;
        total.calls_external += number(9)?;
        total.budget_exceeded += number(10)?;
    }

    totals.retain(|total| total.files > 0);
    for total in &mut totals {
        let language = total.language;
        external_calls(connection, language, |row| {
            if word_column(row, 1, Dialect::from_code)?.language() == language {
                total.calls_external += row.get::<_, i64>(2)? as u64;
            }
            Ok(())
        })?;
    }

    let total = |key| {
        metadata(snapshot, key).map(|text| text.and_then(|text| text.parse().ok()).unwrap_or(0))
    };

    Ok(Counts {
        files: totals.iter().map(|total| total.files).sum(),
        symbols: total(SYMBOLS_TOTAL)?,
        edges: total(EDGES_TOTAL)?,
        languages: totals,
    })
}

const EXTERNAL_CALLS: &str = "SELECT f.id, f.dialect, sum(u.calls) \
    FROM (SELECT DISTINCT name FROM unresolved) d JOIN unresolved u USING (name) JOIN files f ON f.id = u.file_id \
    WHERE d.name <> '' AND NOT EXISTS (SELECT 1 FROM nodes n \
        WHERE n.name = d.name COLLATE NOCASE AND n.name = d.name AND n.language = ?1 AND (1 << n.node_type) & ?2 != 0) \
        AND NOT (?3 AND d.name IN (SELECT name FROM object_functions)) \
    GROUP BY f.id";

/// Counts, for each file, the unresolved calls whose name no callable symbol or object-literal
/// function of a language has. They are external, whatever their receiver is. `visit` gets rows of
/// file, dialect and count, also for files in other languages.
pub(super) fn external_calls(
    connection: &Connection,
    language: Language,
    mut visit: impl FnMut(&Row<'_>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let rules = language.rules();
    let callable = rules
        .callable
        .iter()
        .fold(0_i64, |all, node_type| all | 1 << *node_type as u8);
    let mut statement = connection.prepare_cached(EXTERNAL_CALLS)?;
    let mut rows = statement.query(params![language as u8, callable, rules.has_object_literals])?;
    while let Some(row) = rows.next()? {
        visit(row)?;
    }
    Ok(())
}

const METADATA: &str = "SELECT value FROM _metadata WHERE key = ?1";

/// Returns an entry of `_metadata`.
pub fn metadata(snapshot: &Snapshot, key: &str) -> Result<Option<String>, StoreError> {
    Ok(snapshot
        .connection()
        .prepare_cached(METADATA)?
        .query_row([key], |row| row.get(0))
        .optional()?)
}

const UNRESOLVED: &str = "SELECT sum(count) FROM unresolved WHERE name = ?1";

/// Counts the unresolved uses of a name.
pub fn unresolved_with_name(snapshot: &Snapshot, name: &str) -> Result<u64, StoreError> {
    let count: Option<i64> = snapshot
        .connection()
        .prepare_cached(UNRESOLVED)?
        .query_row([name], |row| row.get(0))?;
    Ok(count.unwrap_or(0) as u64)
}

const MOST_UNRESOLVED: &str = "SELECT name, sum(count) AS total FROM unresolved WHERE name <> '' GROUP BY name ORDER BY total DESC, name LIMIT ?1";

/// Returns the names with the most unresolved uses.
pub fn unresolved_names(
    snapshot: &Snapshot,
    limit: usize,
) -> Result<Vec<(String, u64)>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(MOST_UNRESOLVED)?;
    let rows = statement.query_map(params![i64::try_from(limit).unwrap_or(i64::MAX)], |row| {
        Ok((row.get(0)?, row.get::<_, i64>(1)? as u64))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
