//! What may belong to an answer and is not in it: uses whose target is not known, and uses that
//! have another target with less than certainty.
//!
//! **Limits.** A use of a name that nothing here bears is no such use: it goes outside. What is a
//! lower candidate is looked for among the uses of symbols of the same name, up to
//! [`MAX_LOOKED_AT`].

use rustc_hash::FxHashSet;

use crate::model::graph::{Confidence, EdgeDirection, EdgeType, Node, NodeId};
use crate::query::{QueryError, Relation, Sources, Texts, TextualUses, textual_uses};
use crate::store::{self, Snapshot, UnresolvedSite};

/// How many symbols of one name, and how many uses of them, are looked at.
const MAX_LOOKED_AT: usize = 2_000;

/// Some places and how many there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// How many there are.
    pub count: u64,
    /// The first of them, each as `path:line:column text`.
    pub first: Vec<String>,
}

impl Places {
    fn show(
        &mut self,
        sources: &mut Sources<'_>,
        path: &str,
        (line, column): (u32, u32),
    ) -> Result<(), QueryError> {
        let text = sources.line(path, line)?.unwrap_or_default();
        self.first.push(
            format!("{path}:{line}:{column} {text}")
                .trim_end()
                .to_owned(),
        );
        Ok(())
    }
}

/// What may belong to a list about some symbols and is not in it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Uncertain {
    /// Uses without a known target.
    pub unresolved: Places,
    /// Uses of other symbols that are not certain.
    pub possible: Places,
    /// Lines of files in no language that hold the name.
    pub textual: TextualUses,
}

/// What [`uncertain`] is asked.
#[derive(Clone, Copy, Debug)]
pub struct UncertainQuery<'a> {
    /// The symbols.
    pub nodes: &'a [&'a Node],
    /// What the list is of.
    pub relation: Relation<'a>,
    /// Whether the list is empty: only then files in no language are looked at, which takes a walk
    /// over the repository.
    pub is_empty: bool,
    /// How many places of each kind are shown.
    pub shown: usize,
}

/// What may belong to a list about symbols and is not in it.
pub fn uncertain(
    sources: &mut Sources<'_>,
    texts: &Texts,
    query: &UncertainQuery<'_>,
) -> Result<Uncertain, QueryError> {
    let UncertainQuery {
        nodes,
        relation: Relation {
            direction,
            edge_types,
        },
        is_empty,
        shown,
    } = *query;
    let mut uncertain = Uncertain::default();
    if direction == EdgeDirection::Outgoing {
        if edge_types.contains(&EdgeType::Calls) {
            uncertain.unresolved = unresolved_calls_in(sources, nodes, shown)?;
        }
    } else if edge_types != [EdgeType::Contains] {
        let names = bare_names(nodes);
        uncertain.unresolved = unresolved_uses(sources, &names, shown)?;
        uncertain.possible = possible_uses(sources, nodes, edge_types, shown)?;
        if is_empty {
            uncertain.textual = textual_uses(sources, texts, &names, shown)?;
        }
    }
    Ok(uncertain)
}

/// The symbols that share a bare name count once for what is known of that name.
fn bare_names<'a>(nodes: &[&'a Node]) -> Vec<&'a str> {
    let mut names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Uses of these names anywhere whose target is not known.
pub fn unresolved_uses(
    sources: &mut Sources<'_>,
    names: &[&str],
    shown: usize,
) -> Result<Places, QueryError> {
    let snapshot = sources.snapshot();
    let mut places = Places::default();
    for name in names {
        places.count += store::unresolved_with_name(snapshot, name)?;
        for (path, sites) in store::unresolved_sites_of(snapshot, name, shown)? {
            for site in sites.iter().take(shown.saturating_sub(places.first.len())) {
                places.show(sources, &path, (site.line, site.column))?;
            }
        }
    }
    Ok(places)
}

/// Calls in the text of these symbols whose target is not known though it may be in the repository.
pub fn unresolved_calls_in(
    sources: &mut Sources<'_>,
    nodes: &[&Node],
    shown: usize,
) -> Result<Places, QueryError> {
    let snapshot = sources.snapshot();
    let mut places = Places::default();
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
            };
            let mut sites = Vec::new();
            for (name, all) in store::unresolved_in_file(snapshot, file.id)? {
                let all: Vec<&UnresolvedSite> = all.iter().filter(|site| within(site)).collect();
                if !all.is_empty() && (name.is_empty() || is_borne(snapshot, &name)?) {
                    sites.extend(all.iter().map(|site| (site.line, site.column)));
                }
            }
            sites.sort_unstable();
            places.count += sites.len() as u64;
            for at in sites
                .into_iter()
                .take(shown.saturating_sub(places.first.len()))
            {
                places.show(sources, &span.path, at)?;
            }
        }
    }
    Ok(places)
}

/// Whether something here bears a name.
fn is_borne(snapshot: &Snapshot, name: &str) -> Result<bool, QueryError> {
    Ok(!store::by_name(snapshot, name, 1)?.is_empty())
}

/// Uses of other symbols that are not certain and may be uses of these ones.
pub fn possible_uses(
    sources: &mut Sources<'_>,
    nodes: &[&Node],
    verbs: &[EdgeType],
    shown: usize,
) -> Result<Places, QueryError> {
    let snapshot = sources.snapshot();
    let own: FxHashSet<NodeId> = nodes.iter().map(|node| node.id).collect();
    let names = bare_names(nodes);
    let (mut found, mut looked_at) = (Vec::new(), 0);
    for name in names {
        for other in store::by_name(snapshot, name, MAX_LOOKED_AT)?
            .iter()
            .filter(|other| !own.contains(&other.id))
        {
            for edge in store::incident_edges(snapshot, other.id, None, EdgeDirection::Incoming)? {
                let is_asked = edge.confidence == Confidence::Inferred
                    && verbs.contains(&edge.edge_type)
                    && looked_at < MAX_LOOKED_AT;
                if !is_asked {
                    continue;
                }
                looked_at += 1;
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
    let mut places = Places {
        count: found.len() as u64,
        first: Vec::new(),
    };
    for (path, line, column) in found.into_iter().take(shown) {
        places.show(sources, &path, (line, column))?;
    }
    Ok(places)
}
