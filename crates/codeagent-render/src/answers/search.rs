//! Answers of searches: by words, by qualified name, by similarity.

use codeagent_core::engine::IndexReader;
use codeagent_core::model::graph::{Language, NodeId};
use codeagent_core::query::{self, Note, SearchQuery, VectorSource};

use super::{Answer, AnswerError, SymbolQuery, check_file};
use crate::page::{Page, Rows, paged};
use crate::rows::{NamedRow, RankedRow, SimilarRow};

/// A query for the symbols of a qualified name.
#[derive(Clone, Copy, Debug)]
pub struct LookupQuery<'a> {
    /// The qualified name, or the end of one.
    pub name: &'a str,
    /// Only symbols of this language.
    pub language: Option<Language>,
    /// Only symbols of this project.
    pub project: Option<&'a str>,
}

/// Searches symbols by words, best first.
pub fn search(
    index: &IndexReader,
    query: &SearchQuery<'_>,
) -> Result<Answer<RankedRow>, AnswerError> {
    let snapshot = index.snapshot()?;
    let found = query::search(&snapshot, index.searched(), query)?;
    let mut sources = index.sources(&snapshot);
    for hit in &found.hits {
        check_file(&mut sources, &hit.node)?;
    }

    let rows = found.hits.iter().map(RankedRow::new).collect();
    Ok(Answer::new(rows)
        .with_stale_files(&sources)
        .with_notes(found.notes(&snapshot, index.vectors(), query)?))
}

/// Finds the symbols of a qualified name, or else those whose qualified name ends with it.
pub fn lookup(
    index: &IndexReader,
    query: &LookupQuery<'_>,
    page: &Page<'_>,
) -> Result<Answer<NamedRow>, AnswerError> {
    let snapshot = index.snapshot()?;
    query::check_project(&snapshot, query.project)?;
    let name = query.name.trim();
    let found = query::get_node_by_qualified_name(&snapshot, name, query.language, query.project)?;
    if found.is_empty() {
        return Ok(Answer::new(Vec::new()).with_notes([query::explain_not_found(&snapshot, name)?]));
    }

    let mut sources = index.sources(&snapshot);
    let list = Rows {
        count: found.len(),
        key: |index: usize| found[index].0.id.0,
    };
    let rows = paged(page, 0, &list, |index| {
        let (node, how) = &found[index];
        check_file(&mut sources, node)?;
        Ok::<_, AnswerError>(Some(NamedRow::new(node, *how)))
    })?;
    Ok(Answer::of_page(rows, Default::default()).with_stale_files(&sources))
}

/// Finds symbols similar to those that a name matches, most similar first.
pub fn similar(
    index: &IndexReader,
    query: &SymbolQuery<'_>,
    limit: usize,
) -> Result<Answer<SimilarRow>, AnswerError> {
    let snapshot = index.snapshot()?;
    let matches = query.resolve(&snapshot)?;
    let ids: Vec<NodeId> = matches.nodes().map(|node| node.id).collect();
    let found = query::find_similar(&snapshot, index.vectors(), &ids, limit)?;

    let mut sources = index.sources(&snapshot);
    for (node, _) in &found.symbols {
        check_file(&mut sources, node)?;
    }
    let row = |(node, score): &(_, f32)| SimilarRow::new(node, *score);
    let answer = Answer::new(found.symbols.iter().map(row).collect()).with_stale_files(&sources);
    Ok(match found.source {
        VectorSource::Lexical => answer.with_notes([Note::NoModel]),
        VectorSource::Model => answer,
    })
}
