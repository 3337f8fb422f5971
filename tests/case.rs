//! A small repository in memory, linked, and compared with the edges that its comments state.
//!
//! The syntax of the comments is that of `codeagent_testkit`; a target may carry its parameter list as written (`N.C.Add(int a)`) where
//! overloads have to be told apart.
//!
//! **Limits.** The source of an edge is checked only as far as that its declaration surrounds the place.

#![allow(dead_code, reason = "each test that includes this file makes its cases in one way")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use codeagent_core::extract::extract;
use codeagent_core::model::graph::{Confidence, Dialect, Edge, EdgeType, Node, NodeId, NodeType};
use codeagent_core::project::{ProjectModel, is_project_file};
use codeagent_core::resolve::nodes::NodeTable;
use codeagent_core::resolve::{World, WorldFile, link};
use codeagent_testkit::{Annotation, Expectations, Words, parse};
use codeagent_workspace::Workspace;

/// A repository in memory.
pub struct Case {
    texts: BTreeMap<String, Arc<str>>,
    /// Verbs that are complete in every file, said or not.
    complete: Vec<String>,
}

/// What checking a case gave.
#[derive(Default)]
pub struct Outcome {
    /// Expectations that were stated.
    pub annotations: usize,
    /// Where the graph is not as stated, as `path:line: ..`.
    pub failures: Vec<String>,
}

/// The graph of a case.
struct Graph {
    nodes: BTreeMap<NodeId, Node>,
    edges: BTreeMap<String, Vec<Edge>>,
}

/// Where annotations and edges meet: line, column, edge type.
type Place = (u32, u32, EdgeType);

impl Case {
    /// The texts of a folder.
    pub fn load(folder: &Path) -> Self {
        let workspace = Workspace::open(folder).unwrap();
        let texts = workspace.walk().entries.into_iter().map(|entry| {
            let file = workspace.read(&entry.path).unwrap();
            (entry.path.to_string(), Arc::from(file.text))
        });
        Self { texts: texts.collect(), complete: Vec::new() }
    }

    /// Texts by path; every file's edges of these types have to be stated.
    pub fn of(texts: BTreeMap<String, Arc<str>>, complete: &[&str]) -> Self {
        Self { texts, complete: complete.iter().map(|verb| (*verb).to_owned()).collect() }
    }

    /// Compares the edges with what the comments state.
    pub fn check(&self) -> Outcome {
        let graph = self.graph();
        let mut outcome = Outcome::default();
        for (path, text) in self.texts.iter().filter(|(path, _)| Dialect::of_path(path).is_some()) {
            let edges = graph.edges.get(path).map_or(&[][..], Vec::as_slice);
            match expectations(text) {
                Ok(mut expected) => {
                    expected.complete.extend(self.complete.iter().cloned());
                    expected.complete.sort();
                    expected.complete.dedup();
                    outcome.annotations += expected.annotations.len();
                    outcome.failures.extend(compare(&graph, path, &expected, edges).iter().map(|failure| format!("{path}:{failure}")));
                }
                Err(problems) => outcome.failures.extend(problems.iter().map(|problem| format!("{path}: {problem}"))),
            }
        }
        outcome
    }

    fn graph(&self) -> Graph {
        let paths: Vec<String> = self.texts.keys().cloned().collect();
        let project_texts = self.texts.iter().filter(|(path, _)| is_project_file(path)).map(|(path, text)| (path.clone(), text.clone()));
        let projects = Arc::new(ProjectModel::build(&paths, project_texts.collect()));
        let files = self.texts.iter().filter_map(|(path, text)| {
            let facts = extract(text, Dialect::of_path(path)?, projects.defines(path));
            Some(WorldFile { path: path.as_str().into(), facts: Arc::new(facts), external: false })
        });
        let world = World::build(files.collect(), projects.clone());
        let table = NodeTable::build(&world);
        let edges = world.repository_files().map(|id| (world.file(id).path.to_string(), table.edges(id, &link(id, &world)))).collect();
        Graph { nodes: table.nodes.into_iter().map(|node| (node.id, node)).collect(), edges }
    }
}

fn expectations(text: &str) -> Result<Expectations, Vec<codeagent_testkit::Problem>> {
    let verbs: Vec<&str> = EdgeType::NAMES.iter().map(|(name, _)| *name).collect();
    let confidences: Vec<&str> = Confidence::NAMES.iter().map(|(name, _)| *name).collect();
    parse(text, Words { verbs: &verbs, confidences: &confidences })
}

/// Everything in which a file's edges differ from what it states.
fn compare(graph: &Graph, path: &str, expected: &Expectations, edges: &[Edge]) -> Vec<String> {
    let mut stated: BTreeMap<Place, Vec<&Annotation>> = BTreeMap::new();
    for annotation in &expected.annotations {
        let edge_type = EdgeType::parse(&annotation.verb).expect("the parser knows the verbs");
        stated.entry((annotation.line, annotation.column, edge_type)).or_default().push(annotation);
    }
    let mut found: BTreeMap<Place, Vec<&Edge>> = BTreeMap::new();
    for edge in edges {
        found.entry((edge.line, edge.column, edge.edge_type)).or_default().push(edge);
    }
    let mut failures = Vec::new();
    for (place, annotations) in &stated {
        failures.extend(compare_place(graph, annotations, found.get(place).map_or(&[][..], Vec::as_slice)));
    }
    for verb in &expected.complete {
        let unstated = found.iter().filter(|(place, _)| place.2.as_str() == verb && !stated.contains_key(place));
        failures.extend(unstated.map(|(place, edges)| format!("{}:{}: not stated: {verb}: {}", place.0, place.1, describe(graph, edges))));
    }
    failures.extend(edges.iter().filter(|edge| !surrounds(graph, path, edge)).map(|edge| {
        format!("{}:{}: the source {} does not surround it", edge.line, edge.column, graph.nodes[&edge.source].qualified_name)
    }));
    failures
}

/// The edges of one type at one place are exactly those stated; an annotation marked `todo` must fail.
fn compare_place(graph: &Graph, annotations: &[&Annotation], edges: &[&Edge]) -> Vec<String> {
    let mut failures = Vec::new();
    let mut open = false;
    for annotation in annotations {
        let holds = match &annotation.target {
            None => edges.is_empty(),
            Some(target) => edges.iter().any(|edge| has_confidence(edge, annotation) && may_mean(graph, edge, target)),
        };
        open |= annotation.todo;
        let report = |what: &str| {
            let target = annotation.target.as_deref().unwrap_or("-");
            let confidence = annotation.confidence.as_ref().map(|word| format!(" ({word})")).unwrap_or_default();
            let found = describe(graph, edges);
            format!("{}: {what}: {}: {target}{confidence}, found {found}", annotation.written_at, annotation.verb)
        };
        match (holds, annotation.todo) {
            (false, false) => failures.push(report("expected")),
            (true, true) => failures.push(report("no longer a gap, remove `todo`")),
            _ => {}
        }
    }
    let mut targets: BTreeSet<NodeId> = edges.iter().map(|edge| edge.target).collect();
    if annotations.len() > 1 {
        // Whoever states one more than the first of an edge's candidates states them all.
        targets.extend(edges.iter().flat_map(|edge| &edge.candidates));
    }
    if failures.is_empty() && !open && targets.len() > annotations.len() {
        failures.push(format!("{}: more than stated: {}", annotations[0].written_at, describe(graph, edges)));
    }
    failures
}

/// Whether an edge leads to a target, or may do so as well as to the one that it names.
fn may_mean(graph: &Graph, edge: &Edge, target: &str) -> bool {
    let is_target = |id: &NodeId| {
        let node = &graph.nodes[id];
        let rest = target.strip_prefix(&node.qualified_name);
        rest.is_some_and(|rest| rest.is_empty() || Some(rest) == node.parameter_signature.as_deref())
    };
    is_target(&edge.target) || edge.candidates.iter().any(is_target)
}

fn has_confidence(edge: &Edge, annotation: &Annotation) -> bool {
    edge.confidence.as_str() == annotation.confidence.as_deref().unwrap_or("exact")
}

fn surrounds(graph: &Graph, path: &str, edge: &Edge) -> bool {
    let source = &graph.nodes[&edge.source];
    let is_around = |span: &codeagent_core::model::span::Span| (span.start.line..=span.end_line).contains(&edge.line);
    // `class A : Base, I` makes members of `Base`, which may lie elsewhere, implement those of `I`.
    let inherited = edge.edge_type == EdgeType::Implements && source.spans.iter().all(|span| span.path != path);
    inherited || source.node_type == NodeType::File || source.spans.iter().any(|span| span.path == path && is_around(&span.span))
}

fn describe(graph: &Graph, edges: &[&Edge]) -> String {
    let text = |edge: &&Edge| {
        let node = &graph.nodes[&edge.target];
        format!("{}{} ({})", node.qualified_name, node.parameter_signature.as_deref().unwrap_or_default(), edge.confidence)
    };
    if edges.is_empty() { "nothing".to_owned() } else { edges.iter().map(text).collect::<Vec<_>>().join(", ") }
}
