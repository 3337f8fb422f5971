//! Symbol search by words or by natural language: `Authenticate*`, `user service`, `Cart.Total`,
//! `where are carts saved`.

use crate::model::graph::Node;
use crate::query::lookup::question::question;
use crate::query::text::source_words::source_words;
use crate::query::uses::external::external_matches;
use crate::query::vectors::LOOKED_AT;
use crate::query::{
    FollowUp, Note, QueryError, Vectors, get_node_by_qualified_name, unindexed_files,
    unindexed_files_like,
};
use crate::store::{self, Evidence, Hits, Score, SearchFilter, SimilarSymbols, Snapshot};
use codeagent_workspace::Workspace;

/// Maximum length of a search, in bytes.
const MAX_BYTES: usize = 1_000;

/// Factor by which more similar symbols are considered if there is a filter, which may exclude most
/// of them.
const FILTERED_REACH: usize = 8;

/// Minimum cosine of similar symbols. Among some hundred thousand vectors, unrelated texts reach
/// 0.2 by chance.
const NEAR: f32 = 0.25;

/// What is searched beside names and documentation for a query in natural language.
#[derive(Clone, Copy, Default)]
pub struct Searched<'a> {
    /// Vectors of the symbols.
    pub vectors: Option<&'a Vectors>,
    /// The repository with the source.
    pub workspace: Option<&'a Workspace>,
}

impl<'a> Searched<'a> {
    /// Searches names, documentation and vectors only.
    #[must_use]
    pub fn without_source(vectors: Option<&'a Vectors>) -> Self {
        Self {
            vectors,
            workspace: None,
        }
    }
}

/// A search for symbols.
#[derive(Clone, Copy, Debug)]
pub struct SearchQuery<'a> {
    /// Words, a natural-language query or an FTS5 query.
    pub text: &'a str,
    /// Which symbols may be found.
    pub filter: &'a SearchFilter,
    /// Maximum number of results.
    pub limit: usize,
}

/// Symbols found, best first.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SearchResults {
    /// The symbols.
    pub hits: Vec<FoundSymbol>,
    /// Whether the query was invalid FTS5 syntax and was searched as plain words.
    pub quoted: bool,
    /// Whether no symbol has all of the words, so the results have only some of them.
    pub some_words: bool,
    /// If the search is a question about the found symbols: the query that answers it, and the
    /// name.
    pub question: Option<(FollowUp, String)>,
}

/// A found symbol.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FoundSymbol {
    /// The symbol with its primary span.
    pub node: Node,
    /// Negated bm25 with bonuses; smaller is better.
    pub rank: f64,
    /// For a natural-language query, the score that decides the order.
    pub score: Option<Score>,
}

impl SearchQuery<'_> {
    /// Returns an error for a search without words or one that is too long.
    pub fn check(&self) -> Result<(), QueryError> {
        if self.text.trim().is_empty() {
            return Err(QueryError::EmptySearch);
        }
        if self.text.len() > MAX_BYTES {
            return Err(QueryError::SearchTooLong {
                bytes: self.text.len(),
                max: MAX_BYTES,
            });
        }
        Ok(())
    }
}

impl SearchResults {
    /// Returns notes on how the search was read, and why it may have found less than expected.
    pub fn notes(
        &self,
        snapshot: &Snapshot,
        vectors: &Vectors,
        query: &SearchQuery<'_>,
    ) -> Result<Vec<Note>, QueryError> {
        let mut notes = Vec::new();
        if vectors.is_model_broken() && self.hits.iter().any(|hit| hit.score.is_some()) {
            notes.push(Note::ModelBroken);
        }
        if let Some((query, name)) = self.question.clone() {
            return Ok(vec![Note::Question { query, name }]);
        }
        notes.extend(unindexed_files_like(snapshot, query.text)?);
        let external = external_matches(snapshot, query.text)?;
        let is_external = !external.is_empty();
        if is_external {
            notes.push(Note::AlsoExternal { symbols: external });
        }
        if is_external && self.hits.is_empty() {
            return Ok(notes);
        }

        notes.push(match (self.quoted, self.some_words) {
            (true, is_closest) => Note::SearchedAsTyped { is_closest },
            (false, true) => Note::ClosestMatches,
            (false, false) if self.hits.is_empty() => Note::NothingMatches,
            (false, false) => return Ok(notes),
        });
        if self.hits.is_empty() {
            let unindexed = unindexed_files(snapshot, query.filter.language)?;
            notes.extend(unindexed.map(Note::UnindexedFiles));
        }
        Ok(notes)
    }
}

/// Searches symbols. It is an error if the query or the filter cannot match any symbol.
pub fn search(
    snapshot: &Snapshot,
    searched: Searched<'_>,
    query: &SearchQuery<'_>,
) -> Result<SearchResults, QueryError> {
    query.check()?;
    check_project(snapshot, query.filter.project.as_deref())?;
    if let Some(found) = asked_about(snapshot, query)? {
        return Ok(found);
    }

    filter_nodes(snapshot, searched, query.text, query.filter, query.limit)
}

/// Returns the symbols that a question such as `who calls Cart.total?` is about; `None` if the
/// search is not such a question, or no symbol has the name.
fn asked_about(
    snapshot: &Snapshot,
    query: &SearchQuery<'_>,
) -> Result<Option<SearchResults>, QueryError> {
    let Some((follow_up, name)) = question(query.text) else {
        return Ok(None);
    };
    let filter = query.filter;
    let project = filter.project.as_deref();
    let found = get_node_by_qualified_name(snapshot, name, filter.language, project)?;
    let hits: Vec<FoundSymbol> = found
        .into_iter()
        .filter(|(node, _)| {
            filter
                .node_type
                .is_none_or(|wanted| wanted == node.node_type)
        })
        .take(query.limit)
        .map(|(node, _)| FoundSymbol {
            node,
            rank: 0.0,
            score: None,
        })
        .collect();

    Ok((!hits.is_empty()).then(|| SearchResults {
        hits,
        question: Some((follow_up, name.to_owned())),
        ..SearchResults::default()
    }))
}

/// Returns an error if the project does not exist, since it would exclude every symbol.
pub fn check_project(snapshot: &Snapshot, project: Option<&str>) -> Result<(), QueryError> {
    let Some(asked) = project else {
        return Ok(());
    };
    let projects = store::project_ids(snapshot)?;
    if projects.iter().any(|known| known == asked) {
        return Ok(());
    }
    Err(QueryError::NoProject {
        asked: asked.to_owned(),
        projects,
    })
}

/// Finds symbols that match a query and a filter. A natural-language query is answered by words and
/// `vectors`, or by words alone if there are none.
pub fn filter_nodes(
    snapshot: &Snapshot,
    searched: Searched<'_>,
    fts_query: &str,
    filter: &SearchFilter,
    limit: usize,
) -> Result<SearchResults, QueryError> {
    let reach = if *filter == SearchFilter::default() {
        1
    } else {
        FILTERED_REACH
    };

    let near = |question: &str| {
        let Some(vectors) = searched.vectors else {
            return Ok(None);
        };
        let (source, vector) = vectors.of_question(snapshot, question)?;
        let mut nearest = vectors.nearest(snapshot, source, &vector, LOOKED_AT * reach)?;
        nearest.retain(|(_, cosine)| *cosine >= NEAR);
        Ok(Some(SimilarSymbols { nearest, source }))
    };

    let source = |question: &str| match searched.workspace {
        Some(workspace) => source_words(snapshot, workspace, question),
        None => Ok(None),
    };

    let Hits {
        hits,
        quoted,
        some_words,
    } = store::search(
        snapshot,
        fts_query,
        filter,
        limit,
        Evidence {
            near: &near,
            source: &source,
        },
    )?;

    let hits = hits
        .into_iter()
        .map(|hit| FoundSymbol {
            node: hit.node,
            rank: hit.rank,
            score: hit.score,
        })
        .collect();

    Ok(SearchResults {
        hits,
        quoted,
        some_words,
        question: None,
    })
}
