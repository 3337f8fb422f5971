//! Answers about related symbols: callers, callees, implementations, uses.

use codeagent_core::engine::IndexReader;
use codeagent_core::model::graph::{EdgeDirection, EdgeType, Node};
use codeagent_core::query::{
    self, Filter, Note, PossibleUses, PossibleUsesQuery, QueryError, Relation, Relations, Site,
    SiteSample, Snapshot, StoredExternal, SymbolMatches,
};

use super::symbols::extra_of;
use super::{Answer, AnswerError, SymbolQuery, check_file};
use crate::extra::Extra;
use crate::page::{Page, Rows, paged};
use crate::rows::Row;

/// Maximum sites shown for each kind of possible results.
const MAX_POSSIBLE: usize = 3;

/// Maximum external symbols listed.
const MAX_EXTERNAL: usize = 40;

/// Maximum folders listed with their number of rows.
const MAX_FOLDERS: usize = 8;

/// Maximum characters of the list of folders.
const FOLDERS_CHARACTERS: usize = 600;

/// A query for related symbols.
#[derive(Clone, Debug)]
pub struct RelatedQuery<'a> {
    /// The symbols to start from.
    pub symbol: SymbolQuery<'a>,
    /// The relation to follow.
    pub relation: Relation<'a>,
    /// Restricts the results.
    pub filter: Filter,
    /// Maximum sites of each result.
    pub sites: usize,
    /// Number of levels; 1 lists only direct relations.
    pub depth: usize,
}

/// Lists related symbols, in the order of the relation's edge types, for each group of symbols that
/// the name matches.
pub fn related<R: Row>(
    index: &IndexReader,
    query: &RelatedQuery<'_>,
    page: &Page<'_>,
) -> Result<Answer<R>, AnswerError> {
    let relation = query.relation;
    let snapshot = index.snapshot()?;
    let matches = match query.symbol.resolve(&snapshot) {
        Err(error @ QueryError::NoSymbol(_)) => {
            let symbols = query::resolve_external(&snapshot, query.symbol.name)?;
            if !symbols.is_empty() {
                return external(index, (query, &symbols), page);
            }
            query::resolve_folder(&snapshot, query.symbol.name)?.ok_or(error)
        }
        other => other,
    }?;
    if let Some(page) = page.beside() {
        return more_unresolved(index, (query, &matches), &page);
    }
    let found = Relations::find(&snapshot, &matches, relation, &query.filter, query.depth)?;
    let mut sources = index.sources(&snapshot);

    let mut extra = extra_of(page, || Extra::of_groups(&matches, &found.counts()));
    let is_folder = matches.answered[0].folder.is_some();
    if page.is_first() && !is_folder {
        let uses = PossibleUsesQuery {
            nodes: &matches.nodes().collect::<Vec<&Node>>(),
            relation,
            within: matches.answered[0].callback.as_ref(),
            is_empty: found.is_empty(),
            limit: MAX_POSSIBLE,
        };
        extra.possible = query::possible_uses(&mut sources, &uses)?;
        let shown = extra.possible.unresolved.first.len();
        extra.unresolved_cursor =
            page.beside_after(&sites_list(&extra.possible.unresolved_at), shown);
        if relation.direction == EdgeDirection::Outgoing {
            extra.external = external_targets(&snapshot, &matches, relation.edge_types)?;
        }
    }

    let list = Rows {
        count: found.len(),
        key: |index: usize| {
            let at = found.at(index);
            let group = matches.answered[at.group].first().id;
            (group, at.neighbors.key(at.index))
        },
    };
    let reserved = extra.characters() + FOLDERS_CHARACTERS;
    let rows = paged(page, reserved, &list, |index| {
        let at = found.at(index);
        let neighbor = at.neighbors.get(at.index, &mut sources, query.sites)?;
        let Some(neighbor) = neighbor else {
            return Ok(None);
        };
        check_file(&mut sources, &neighbor.node)?;
        let of = name_of(&matches, at.group);
        let row = R::new(&neighbor, relation.direction, of);
        Ok::<_, AnswerError>(Some(row.at_depth(at.depth)))
    })?;

    if page.is_first() && rows.next_cursor.is_some() {
        extra.folders = by_folder(&found.folders(&snapshot)?);
    }
    let absent = match page.is_first() {
        true => query::absent_packages_note(&snapshot, &found, &extra.possible.unresolved_at)?,
        false => None,
    };
    let cut = text_search_note(&extra.possible);
    let notes = found.notes(&mut sources, &matches, relation, &query.filter)?;
    let callback = (relation.direction == EdgeDirection::Outgoing && page.is_first())
        .then(|| matches.callback_note())
        .flatten();
    Ok(Answer::of_page(rows, extra)
        .with_notes(cut)
        .with_notes(absent)
        .with_notes(notes)
        .with_notes(callback)
        .with_notes(matches.note.filter(|_| page.is_first()))
        .with_stale_files(&sources))
}

/// Lists the symbols that use external ones.
fn external<R: Row>(
    index: &IndexReader,
    (query, symbols): (&RelatedQuery<'_>, &[StoredExternal]),
    page: &Page<'_>,
) -> Result<Answer<R>, AnswerError> {
    let snapshot = index.snapshot()?;
    let relation = query.relation;
    let found = Relations::of_external(&snapshot, symbols, relation, &query.filter, query.depth)?;
    let mut sources = index.sources(&snapshot);

    let list = Rows {
        count: found.len(),
        key: |index: usize| {
            let at = found.at(index);
            at.neighbors.key(at.index)
        },
    };
    let rows = paged(page, FOLDERS_CHARACTERS, &list, |index| {
        let at = found.at(index);
        let neighbor = at.neighbors.get(at.index, &mut sources, query.sites)?;
        let Some(neighbor) = neighbor else {
            return Ok(None);
        };
        check_file(&mut sources, &neighbor.node)?;
        let row = R::new(&neighbor, relation.direction, None);
        Ok::<_, AnswerError>(Some(row.at_depth(at.depth)))
    })?;

    let mut extra = extra_of(page, Extra::default);
    if page.is_first() && rows.next_cursor.is_some() {
        extra.folders = by_folder(&found.folders(&snapshot)?);
    }
    let note = external_note(symbols);
    Ok(Answer::of_page(rows, extra)
        .with_notes(Some(note).filter(|_| page.is_first()))
        .with_stale_files(&sources))
}

/// Lists the external symbols that symbols use by edges of some types.
fn external_targets(
    snapshot: &Snapshot,
    matches: &SymbolMatches,
    edge_types: &[EdgeType],
) -> Result<Vec<String>, QueryError> {
    let nodes: Vec<&Node> = matches.nodes().collect();
    let found = query::external_targets(snapshot, &nodes, edge_types)?;
    let mut lines: Vec<String> = found
        .iter()
        .take(MAX_EXTERNAL)
        .map(|target| format!("{} {}", target.line, target.symbol))
        .collect();
    if found.len() > lines.len() {
        lines.push(format!("and {} more", found.len() - lines.len()));
    }
    Ok(lines)
}

/// Names external symbols, overloads once.
fn external_note(symbols: &[StoredExternal]) -> Note {
    let is_method = |found: &&StoredExternal| found.symbol.descriptor.starts_with("M:");
    Note::External {
        symbols: query::external_names(symbols),
        overloads: symbols.iter().filter(is_method).count(),
    }
}

/// Lists a page of the uses that could not be resolved, and no rows.
fn more_unresolved<R: Row>(
    index: &IndexReader,
    (query, matches): (&RelatedQuery<'_>, &SymbolMatches),
    page: &Page<'_>,
) -> Result<Answer<R>, AnswerError> {
    let snapshot = index.snapshot()?;
    let mut sources = index.sources(&snapshot);
    let uses = PossibleUsesQuery {
        nodes: &matches.nodes().collect::<Vec<&Node>>(),
        relation: query.relation,
        within: matches.answered[0].callback.as_ref(),
        is_empty: false,
        limit: 0,
    };
    let mut possible = query::possible_uses(&mut sources, &uses)?;
    let sites = std::mem::take(&mut possible.unresolved_at);
    let shown = paged(page, 0, &sites_list(&sites), |at| {
        Ok::<_, AnswerError>(Some(query::site_text(&mut sources, &sites[at])?))
    })?;

    let mut extra = Extra {
        unresolved_cursor: shown.next_cursor.as_deref().map(Page::beside_cursor),
        ..Extra::default()
    };
    extra.possible.unresolved = SiteSample {
        count: sites.len() as u64,
        first: shown.rows,
    };
    Ok(Answer {
        extra,
        ..Answer::new(Vec::new())
    }
    .with_stale_files(&sources))
}

fn sites_list<'a>(sites: &'a [Site]) -> Rows<impl Fn(usize) -> &'a Site> {
    Rows {
        count: sites.len(),
        key: |at: usize| &sites[at],
    }
}

/// Names the group that a row belongs to, if there are several.
fn name_of(matches: &SymbolMatches, group: usize) -> Option<&str> {
    (matches.answered.len() > 1).then(|| matches.answered[group].first().qualified_name.as_str())
}

fn text_search_note(uses: &PossibleUses) -> Option<Note> {
    uses.is_text_search_cut.then_some(Note::TextSearchCut)
}

/// Lists the folders with the most rows, and the number of rows in the others.
fn by_folder(folders: &[(String, usize)]) -> Vec<String> {
    let (mut lines, mut characters) = (Vec::new(), 0);
    for (folder, count) in folders.iter().take(MAX_FOLDERS) {
        let line = format!("{folder}: {count}");
        characters += line.chars().count() + 4;
        if characters > FOLDERS_CHARACTERS {
            break;
        }
        lines.push(line);
    }

    let others = &folders[lines.len()..];
    if !others.is_empty() {
        let rows: usize = others.iter().map(|(_, count)| count).sum();
        lines.push(format!("{} more folders: {rows}", others.len()));
    }
    lines
}
