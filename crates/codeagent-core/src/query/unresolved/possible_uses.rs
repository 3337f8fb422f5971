//! Possible results missing from a list: unresolved uses, uses that more likely belong to another
//! symbol, and mentions in text that is not indexed.
//!
//! Limitations: an unresolved use of a name that no symbol has is external and does not count.
//! Lower-ranked candidates are searched among the uses of symbols with the same name, up to
//! [`MAX_VISITED`].

use rustc_hash::FxHashSet;

use crate::model::graph::{Confidence, EdgeDirection, EdgeType, Node, NodeId};
use crate::query::text::text_mentions::inactive_bases;
use crate::query::unresolved::unresolved_uses::unresolved_uses;
use crate::query::uses::hierarchy::is_hierarchical;
use crate::query::{CallbackLines, QueryError, Relation, Sources, text_mentions};
use crate::store::{self, Snapshot, UnresolvedSite};

/// Most symbols of one name, and most uses of them, that are searched.
const MAX_VISITED: usize = 2_000;

/// The first of some sites, and how many there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteSample {
    /// How many sites there are.
    pub count: u64,
    /// The first sites, each as `path:line:column text` or `path:line text`.
    pub first: Vec<String>,
}

/// Path, line and UTF-16 column of a site.
pub type Site = (String, u32, u32);

/// Possible results that a list about some symbols does not have.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PossibleUses {
    /// Uses that could not be resolved, the likeliest first.
    pub unresolved: SiteSample,
    /// The sites of all of these.
    pub unresolved_at: Vec<Site>,
    /// Uses that more likely belong to another symbol.
    pub possible: SiteSample,
    /// Lines in files of other languages that contain the name.
    pub textual: SiteSample,
    /// Whether some files of other languages were not searched.
    pub is_text_search_cut: bool,
}

/// A query for [`possible_uses`].
#[derive(Clone, Copy, Debug)]
pub struct PossibleUsesQuery<'a> {
    /// The symbols.
    pub nodes: &'a [&'a Node],
    /// The relation that the list is about.
    pub relation: Relation<'a>,
    /// The callback whose calls are listed, if not those of the whole symbols.
    pub within: Option<&'a CallbackLines>,
    /// The list is empty. Only then are files of other languages searched, except Razor files.
    pub is_empty: bool,
    /// Most sites returned of each kind.
    pub limit: usize,
}

/// Finds results that may belong to a list about symbols.
pub fn possible_uses(
    sources: &mut Sources<'_>,
    query: &PossibleUsesQuery<'_>,
) -> Result<PossibleUses, QueryError> {
    let PossibleUsesQuery {
        nodes,
        relation: Relation {
            direction,
            edge_types,
        },
        within,
        is_empty,
        limit,
    } = *query;
    let mut uses = PossibleUses::default();

    if direction == EdgeDirection::Outgoing {
        if edge_types.contains(&EdgeType::Calls) {
            uses.unresolved_at = unresolved_calls_within(sources.snapshot(), nodes, within)?;
        }
    } else if edge_types != [EdgeType::Contains] {
        let unresolved = unresolved_uses(sources, nodes)?.into_iter();
        uses.unresolved_at = unresolved
            .map(|each| (each.path, each.line, each.column))
            .collect();
        uses.possible = lower_candidates(sources, nodes, edge_types, limit)?;
        let is_of_uses = !edge_types.iter().copied().all(is_hierarchical);
        let mentions = if is_empty || is_of_uses {
            text_mentions(sources, nodes, is_empty)?
        } else {
            inactive_bases(sources, nodes)?
        };
        uses.is_text_search_cut = mentions.is_cut;
        uses.textual = mentions.sample(limit);
    }
    uses.unresolved = sample(sources, &uses.unresolved_at, limit)?;
    Ok(uses)
}

fn sample(
    sources: &mut Sources<'_>,
    sites: &[Site],
    limit: usize,
) -> Result<SiteSample, QueryError> {
    let shown = sites.iter().take(limit);
    let first = shown.map(|site| site_text(sources, site));
    Ok(SiteSample {
        count: sites.len() as u64,
        first: first.collect::<Result<_, _>>()?,
    })
}

/// Writes `path:line:column` and the source line.
pub fn site_text(
    sources: &mut Sources<'_>,
    (path, line, column): &Site,
) -> Result<String, QueryError> {
    let text = sources.line(path, *line)?.unwrap_or_default();
    Ok(format!("{path}:{line}:{column} {text}")
        .trim_end()
        .to_owned())
}

/// Returns the bare names of symbols, each once.
fn bare_names<'a>(nodes: &[&'a Node]) -> Vec<&'a str> {
    let mut names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Finds calls in the bodies of symbols that could not be resolved but may belong to the
/// repository.
pub fn unresolved_calls_in(
    sources: &mut Sources<'_>,
    nodes: &[&Node],
    limit: usize,
) -> Result<SiteSample, QueryError> {
    let sites = unresolved_calls_within(sources.snapshot(), nodes, None)?;
    sample(sources, &sites, limit)
}

fn unresolved_calls_within(
    snapshot: &Snapshot,
    nodes: &[&Node],
    lines: Option<&CallbackLines>,
) -> Result<Vec<Site>, QueryError> {
    let mut calls = Vec::new();
    for node in nodes {
        for span in store::spans_of(snapshot, node.id)? {
            let Some(file) = store::file_by_path(snapshot, &span.path)? else {
                continue;
            };
            let within = |site: &UnresolvedSite| {
                let at = (site.line, site.column);
                site.is_call
                    && at >= (span.span.start.line, span.span.start.column)
                    && site.line <= span.span.end_line
                    && lines.is_none_or(|lines| lines.has(file.id, site.line))
            };

            let mut sites = Vec::new();
            for (name, all) in store::unresolved_in_file(snapshot, file.id)? {
                let all: Vec<&UnresolvedSite> = all.iter().filter(|site| within(site)).collect();
                if !all.is_empty() && (name.is_empty() || name_exists(snapshot, &name)?) {
                    sites.extend(all.iter().map(|site| (site.line, site.column)));
                }
            }

            sites.sort_unstable();
            let at = |(line, column)| (span.path.clone(), line, column);
            calls.extend(sites.into_iter().map(at));
        }
    }

    Ok(calls)
}

/// Reports whether any symbol has a name.
fn name_exists(snapshot: &Snapshot, name: &str) -> Result<bool, QueryError> {
    Ok(!store::by_name(snapshot, name, 1)?.is_empty())
}

/// Finds inferred uses of other symbols for which one of these symbols was a candidate.
fn lower_candidates(
    sources: &mut Sources<'_>,
    nodes: &[&Node],
    verbs: &[EdgeType],
    limit: usize,
) -> Result<SiteSample, QueryError> {
    let snapshot = sources.snapshot();
    let own: FxHashSet<NodeId> = nodes.iter().map(|node| node.id).collect();
    let names = bare_names(nodes);
    let (mut found, mut visited) = (Vec::new(), 0);

    for name in names {
        for other in store::by_name(snapshot, name, MAX_VISITED)?
            .iter()
            .filter(|other| !own.contains(&other.id))
        {
            for edge in store::incident_edges(snapshot, other.id, None, EdgeDirection::Incoming)? {
                let is_asked = edge.confidence == Confidence::Inferred
                    && verbs.contains(&edge.edge_type)
                    && visited < MAX_VISITED;
                if !is_asked {
                    continue;
                }

                visited += 1;
                if store::candidates_of(snapshot, edge.other, other.id, &edge)?
                    .iter()
                    .any(|candidate| own.contains(candidate))
                {
                    found.push((
                        store::file_path(snapshot, edge.file)?.unwrap_or_default(),
                        edge.line,
                        edge.column,
                    ));
                }
            }
        }
    }

    found.sort_unstable();
    found.dedup();
    sample(sources, &found, limit)
}
