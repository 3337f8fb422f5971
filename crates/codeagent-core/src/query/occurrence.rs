//! Occurrences: locations in files as shown in text answers, `line Type.member: source`.
//!
//! Names and source lines are looked up only for lists that are short enough to show them.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::graph::{
    Confidence, EdgeDirection, EdgeType, Language, Node, NodeFlags, NodeId, NodeSpan, NodeType,
};
use crate::query::dispatch::object_keys::is_of_name;
use crate::query::unresolved::absent_packages::{UncertainLines, note_of_lines};
use crate::query::{Note, QueryError, Sources};
use crate::store::{self, FileKey, IncidentEdge};

/// Maximum length of a list with names.
const MAX_NAMED: usize = 1_500;

/// Maximum length of a list with source lines.
const MAX_WITH_SOURCE: usize = 300;

/// A location in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Occurrence {
    /// Repo-relative path.
    pub path: String,
    /// 1-based line.
    pub line: u32,
    /// Short name of the symbol at the location or enclosing it; empty if the list is too long.
    pub symbol: String,
    /// The trimmed source line; `None` if the list is too long, or the file has changed.
    pub source: Option<String>,
}

/// Creates the occurrences of one answer, caching paths and names.
pub struct Occurrences<'s, 'a> {
    /// The files of the answer.
    pub sources: &'s mut Sources<'a>,
    /// Whether every list gets names and source lines, whatever its length.
    pub is_complete: bool,
    paths: FxHashMap<FileKey, String>,
    names: FxHashMap<NodeId, String>,
    files: FxHashMap<String, Option<FileKey>>,
    /// The symbols of the file that was looked at last.
    last_file: Option<(FileKey, Vec<Node>)>,
    uncertain: UncertainLines,
}

/// Reports whether a text starts with a name that is assigned.
fn is_assigned(text: &str) -> bool {
    let rest = text.trim_start_matches(is_of_name).trim_start();
    let operator = rest.trim_start_matches(['+', '-', '?', '|']);
    operator.starts_with('=') && !operator.starts_with("==") && !operator.starts_with("=>")
}

/// Reports whether a use behind a text needs no value: `typeof f`, `nameof(f)`, `closed -= f`.
fn needs_no_value(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let inside = line.rsplit_once("nameof(");
    let is_in_nameof = inside.is_some_and(|(_, inside)| !inside.contains(')'));
    let line = line.trim_end();
    is_in_nameof || line.ends_with("typeof") || line.ends_with("-=")
}

impl Occurrence {
    /// Reports whether the location is in a test file.
    #[must_use]
    pub fn is_test(&self) -> bool {
        store::is_test_path(&self.path)
    }
}

impl<'s, 'a> Occurrences<'s, 'a> {
    /// Creates a reader of occurrences.
    pub fn new(sources: &'s mut Sources<'a>) -> Self {
        Self {
            sources,
            is_complete: false,
            paths: FxHashMap::default(),
            names: FxHashMap::default(),
            files: FxHashMap::default(),
            last_file: None,
            uncertain: UncertainLines::new(),
        }
    }

    /// Returns the uses of symbols by edges of some types, each named after the using symbol, in
    /// order of location. A location is listed once.
    pub fn uses_of(
        &mut self,
        targets: &[NodeId],
        edge_types: &[EdgeType],
    ) -> Result<Vec<Occurrence>, QueryError> {
        let edges = self.incoming(targets, edge_types)?;
        self.of_edges(&edges)
    }

    /// Returns the incoming edges of some types.
    pub fn incoming(
        &self,
        targets: &[NodeId],
        edge_types: &[EdgeType],
    ) -> Result<Vec<IncidentEdge>, QueryError> {
        self.edges(targets, edge_types, EdgeDirection::Incoming)
    }

    /// Returns the outgoing edges of symbols, by some types.
    pub fn outgoing(
        &self,
        sources: &[NodeId],
        edge_types: &[EdgeType],
    ) -> Result<Vec<IncidentEdge>, QueryError> {
        self.edges(sources, edge_types, EdgeDirection::Outgoing)
    }

    /// Returns the uses of functions that symbols do not call but pass on or keep (`setTimeout(clear)`),
    /// and the assignments of properties, which run the code of the property.
    pub fn passed_and_set(
        &mut self,
        sources: &[NodeId],
    ) -> Result<(Vec<IncidentEdge>, Vec<IncidentEdge>), QueryError> {
        let snapshot = self.sources.snapshot();
        let uses = self.outgoing(sources, &[EdgeType::References])?;
        let used: Vec<NodeId> = uses.iter().map(|used| used.other).collect();
        let classes = store::classes(snapshot, &used)?;
        let mut with_code = FxHashSet::default();
        let (calls, outgoing) = ([EdgeType::Calls], EdgeDirection::Outgoing);
        store::each_use(snapshot, &used, &calls, outgoing, |of, _| {
            with_code.insert(of);
        })?;

        let (mut passed, mut set) = (Vec::new(), Vec::new());
        for used in uses {
            let Some(class) = classes.get(&used.other) else {
                continue;
            };
            let is_function =
                class.node_type == NodeType::Method && !class.flags.has(NodeFlags::LOCAL);
            let has_setter =
                class.node_type == NodeType::Property && with_code.contains(&used.other);
            if !is_function && !has_setter {
                continue;
            }

            let path = self.path(used.file)?;
            let text = self.sources.text(&path)?;
            let around = text.map(|text| text.split_at(used.line, used.column));
            if is_function && !around.is_some_and(|(before, _)| needs_no_value(before)) {
                passed.push(used);
            } else if has_setter && around.is_some_and(|(_, rest)| is_assigned(rest)) {
                set.push(used);
            }
        }
        Ok((passed, set))
    }

    fn edges(
        &self,
        nodes: &[NodeId],
        edge_types: &[EdgeType],
        direction: EdgeDirection,
    ) -> Result<Vec<IncidentEdge>, QueryError> {
        let mut edges = Vec::new();
        let snapshot = self.sources.snapshot();
        store::each_use(snapshot, nodes, edge_types, direction, |_, edge| {
            edges.push(edge);
        })?;
        Ok(edges)
    }

    /// Creates the occurrences of edges: their sites, named after the symbol at the other end,
    /// which must be the source of the edge.
    pub fn of_edges(&mut self, edges: &[IncidentEdge]) -> Result<Vec<Occurrence>, QueryError> {
        let mut sites: Vec<(String, u32, NodeId)> = Vec::with_capacity(edges.len());
        for edge in edges {
            if edge.confidence == Confidence::Inferred {
                self.uncertain.insert((edge.file, edge.line));
            }
            sites.push((self.path(edge.file)?, edge.line, edge.other));
        }
        sites.sort_unstable();
        sites.dedup_by(|a, b| (&a.0, a.1) == (&b.0, b.1));

        let (names, sources) = self.details(sites.len());
        let mut found = Vec::with_capacity(sites.len());
        for (path, line, source) in sites {
            let symbol = if names {
                self.enclosing(source, &path, line)?
            } else {
                String::new()
            };
            let source = if sources {
                self.sources.line(&path, line)?
            } else {
                None
            };
            found.push(Occurrence {
                path,
                line,
                symbol,
                source,
            });
        }
        Ok(found)
    }

    /// Creates the occurrences of declarations, by path and line.
    pub fn of_declarations(&mut self, ids: &[NodeId]) -> Result<Vec<Occurrence>, QueryError> {
        let (_, sources) = self.details(ids.len());
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            let Some(node) = store::node(self.sources.snapshot(), *id)? else {
                continue;
            };
            found.extend(self.declaration(&node, sources)?);
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Creates the occurrence of a symbol's primary declaration; of that with the bases for a type of C#, which may have
    /// parts.
    pub fn declaration(
        &mut self,
        node: &Node,
        with_source: bool,
    ) -> Result<Option<Occurrence>, QueryError> {
        let may_have_parts = node.node_type.is_type() && node.language == Language::CSharp;
        let spans = match with_source && may_have_parts {
            true => store::spans_of(self.sources.snapshot(), node.id)?,
            false => node.spans.clone(),
        };
        let mut shown: Option<(&NodeSpan, Option<String>)> = None;
        for span in &spans {
            let source = match with_source {
                true => self.sources.line(&span.path, span.name_line)?,
                false => None,
            };
            let has_bases = source.as_deref().is_some_and(|line| line.contains(" : "));
            if shown.is_none() || has_bases {
                shown = Some((span, source));
            }
            if has_bases {
                break;
            }
        }

        let Some((span, source)) = shown else {
            return Ok(None);
        };
        Ok(Some(Occurrence {
            path: span.path.clone(),
            line: span.name_line,
            symbol: self.short_name(node)?,
            source,
        }))
    }

    /// Creates the occurrence of a line, named after the innermost symbol that encloses it.
    pub fn at(&mut self, path: &str, line: u32) -> Result<Occurrence, QueryError> {
        let symbol = match self.file(path)? {
            Some(file) => {
                let nodes = match self.last_file.take() {
                    Some((last, nodes)) if last == file => nodes,
                    _ => store::nodes_of_file(self.sources.snapshot(), file)?,
                };
                let around = nodes.iter().filter(|node| {
                    let span = node.spans.first().map(|span| span.span);
                    node.node_type != NodeType::Module
                        && span
                            .is_some_and(|span| (span.start.line..=span.end_line).contains(&line))
                });

                let innermost = around.min_by_key(|node| {
                    let span = node.spans.first().map(|span| span.span);
                    span.map(|span| {
                        (
                            span.end_line - span.start.line,
                            std::cmp::Reverse(span.start.offset),
                            // A function may be all that a file holds.
                            node.node_type == NodeType::File,
                        )
                    })
                });

                let innermost = innermost.map(|node| node.id);
                self.last_file = Some((file, nodes));
                match innermost {
                    Some(id) => self.enclosing(id, path, line)?,
                    None => String::new(),
                }
            }
            None => String::new(),
        };

        Ok(Occurrence {
            path: path.to_owned(),
            line,
            symbol,
            source: self.sources.line(path, line)?,
        })
    }

    /// Creates the occurrence of an unresolved use.
    pub(super) fn unresolved(&mut self, path: &str, line: u32) -> Result<Occurrence, QueryError> {
        let file = self.file(path)?;
        self.uncertain.extend(file.map(|file| (file, line)));
        self.at(path, line)
    }

    /// Notes the absent packages of the files with unresolved or `inferred` uses.
    pub fn absent_packages_note(&self) -> Result<Option<Note>, QueryError> {
        note_of_lines(self.sources.snapshot(), &self.uncertain)
    }

    /// Reports whether a list of this length gets names, and whether it gets source lines.
    fn details(&self, count: usize) -> (bool, bool) {
        (
            self.is_complete || count <= MAX_NAMED,
            self.is_complete || count <= MAX_WITH_SOURCE,
        )
    }

    /// Returns the path of a file.
    pub fn path(&mut self, file: FileKey) -> Result<String, QueryError> {
        if let Some(path) = self.paths.get(&file) {
            return Ok(path.clone());
        }
        let path = store::file_path(self.sources.snapshot(), file)?.unwrap_or_default();
        self.paths.insert(file, path.clone());
        Ok(path)
    }

    /// Names the symbol that encloses a site, followed by the label if the site is in a nameless
    /// callback. The label replaces the name of a file.
    pub fn enclosing(
        &mut self,
        source: NodeId,
        path: &str,
        line: u32,
    ) -> Result<String, QueryError> {
        let name = self.name_of(source)?;
        let Some(file) = self.file(path)? else {
            return Ok(name);
        };
        let label = self.sources.callback(source, (file, path, line))?;
        Ok(match label {
            Some(label) if name == file_name(path) => label,
            Some(label) => format!("{name} > {label}"),
            None => name,
        })
    }

    fn name_of(&mut self, id: NodeId) -> Result<String, QueryError> {
        if let Some(name) = self.names.get(&id) {
            return Ok(name.clone());
        }
        let node = store::node(self.sources.snapshot(), id)?;
        let name = node.map_or(Ok(String::new()), |node| self.short_name(&node))?;
        self.names.insert(id, name.clone());
        Ok(name)
    }

    fn file(&mut self, path: &str) -> Result<Option<FileKey>, QueryError> {
        if let Some(file) = self.files.get(path) {
            return Ok(*file);
        }
        let row = store::file_by_path(self.sources.snapshot(), path)?;
        let file = row.map(|row| row.id);
        self.files.insert(path.to_owned(), file);
        Ok(file)
    }

    /// Returns a symbol's name qualified with its type or function: `Cart.total`.
    pub fn short_name(&mut self, node: &Node) -> Result<String, QueryError> {
        if let Some(name) = self.names.get(&node.id) {
            return Ok(name.clone());
        }

        let name = match (node.node_type, node.parent) {
            (NodeType::File, _) => file_name(&node.qualified_name).to_owned(),
            (NodeType::Module, _) | (_, None) => node.name.clone(),
            (_, Some(parent)) => {
                let parent = store::node(self.sources.snapshot(), parent)?;
                match parent
                    .filter(|parent| !matches!(parent.node_type, NodeType::File | NodeType::Module))
                {
                    Some(parent) if parent.node_type == NodeType::Method => {
                        format!("{}.{}", self.short_name(&parent)?, node.name)
                    }
                    Some(parent) => format!("{}.{}", parent.name, node.name),
                    None => node.name.clone(),
                }
            }
        };

        self.names.insert(node.id, name.clone());
        Ok(name)
    }
}

/// Returns the last segment of a path.
fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
