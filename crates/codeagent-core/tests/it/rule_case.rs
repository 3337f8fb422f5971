//! Resolves a small in-memory repository and compares the edges with those that its comments state.
//!
//! The comments have the syntax of `codeagent_testkit`. A target may include its parameter list as
//! written (`N.C.Add(int a)`) to select an overload. Further verbs state facts other than edges:
//!
//! ```text
//! static async load(id: string): Promise<Item> { .. }
//! //           ^^^^ node: public api static async method main.ts#Store.load(id: string): Promise<Item>
//! //           ^^^^ in: main.ts#Store
//! store.laod();
//! //    ^^^^ unresolved: laod
//! ```
//!
//! * `node` ends with the number of declarations if there are several (`x2`); `name`, `count` (of
//!   parameters), `doc` and `first` (the file of its first declaration) state its other fields.
//! * A call of a value without a name is `unresolved: ()`.
//! * `from` states the sources of the edges at a location.
//!
//! Files in `external/` are library declarations.
//!
//! Limitations: the source of an edge is only checked to surround the location; in JavaScript, not
//! even that for `inherits` and `implements`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use codeagent_core::LANGUAGES;
use codeagent_core::model::graph::{
    Confidence, Dialect, Edge, EdgeType, Node, NodeFlags, NodeId, NodeType,
};
use codeagent_lang::nodes::NodeTable;
use codeagent_lang::project::{ProjectModel, is_project_file};
use codeagent_lang::{World, WorldFile, link};
use codeagent_testkit::{Annotation, Expectations, Words, parse};
use codeagent_workspace::Workspace;

pub struct Case {
    texts: BTreeMap<String, Arc<str>>,
    /// Verbs that are complete in every file, whether the file says so or not.
    complete: Vec<String>,
}

#[derive(Default)]
pub struct Outcome {
    /// Number of stated expectations.
    pub annotations: usize,
    /// Differences between graph and expectations, as `path:line: ..`.
    pub failures: Vec<String>,
}

struct Graph {
    nodes: BTreeMap<NodeId, Node>,
    files: BTreeMap<String, Linked>,
}

#[derive(Default)]
struct Linked {
    edges: Vec<Edge>,
    /// Stated facts other than edges.
    output: FactMap,
}

/// Facts by line, column and verb.
type FactMap = BTreeMap<(u32, u32, String), BTreeSet<String>>;

/// Verbs for facts other than edges: of the node named at the location, its description, container,
/// name, number of parameters, documentation and first file; the name of an unresolved use; the
/// sources of edges.
const SAID: &[&str] = &[
    "node",
    "in",
    "name",
    "count",
    "doc",
    "first",
    "unresolved",
    "from",
];

/// The key that joins annotations and edges: line, column, edge type.
type SiteKey = (u32, u32, EdgeType);

impl Case {
    pub fn load(folder: &Path) -> Self {
        let workspace = Workspace::open(folder).unwrap();
        let texts = workspace.walk().entries.into_iter().map(|entry| {
            let file = workspace.read(&entry.path).unwrap();
            (entry.path.to_string(), Arc::from(file.text))
        });
        Self {
            texts: texts.collect(),
            complete: Vec::new(),
        }
    }

    /// Creates a case of texts by path; every file must state all edges of the `complete` types.
    pub fn of(texts: BTreeMap<String, Arc<str>>, complete: &[&str]) -> Self {
        Self {
            texts,
            complete: complete.iter().map(|verb| (*verb).to_owned()).collect(),
        }
    }

    /// Compares the edges with the annotations.
    pub fn check(&self) -> Outcome {
        let graph = self.graph();
        let mut outcome = Outcome::default();
        for (path, text) in self
            .texts
            .iter()
            .filter(|(path, _)| Dialect::of_path(path).is_some())
        {
            match expectations(text) {
                Ok(mut expected) => {
                    expected.complete.extend(self.complete.iter().cloned());
                    expected.complete.sort();
                    expected.complete.dedup();
                    outcome.annotations += expected.annotations.len();
                    outcome.failures.extend(
                        compare(&graph, path, &expected)
                            .iter()
                            .map(|failure| format!("{path}:{failure}")),
                    );
                }
                Err(problems) => outcome
                    .failures
                    .extend(problems.iter().map(|problem| format!("{path}: {problem}"))),
            }
        }
        outcome
    }

    fn graph(&self) -> Graph {
        let paths: Vec<String> = self.texts.keys().cloned().collect();
        let project_texts = self
            .texts
            .iter()
            .filter(|(path, _)| is_project_file(LANGUAGES, path))
            .map(|(path, text)| (path.clone(), text.clone()));
        let projects = Arc::new(ProjectModel::build(
            LANGUAGES,
            &paths,
            project_texts.collect(),
        ));
        let files = self.texts.iter().filter_map(|(path, text)| {
            let facts = LANGUAGES.extract(text, Dialect::of_path(path)?, projects.defines(path));
            Some(WorldFile {
                path: path.as_str().into(),
                facts: Arc::new(facts).into(),
                external: path.starts_with("external/"),
                package: None,
            })
        });
        let world = World::build(files.collect(), projects.clone());
        let table = NodeTable::build(&world);
        let count = table.nodes().count();
        let nodes: BTreeMap<NodeId, Node> = table.nodes().map(|node| (node.id, node)).collect();
        assert_eq!(nodes.len(), count, "two nodes have one id");
        let mut files: BTreeMap<String, Linked> = BTreeMap::new();
        for id in world.repository_files() {
            let links = link(id, &world);
            let linked = files.entry(world.file(id).path.to_string()).or_default();
            linked.edges = table.edges(id, &links);
            for each in &links.unresolved {
                let name = world.facts(id).text(each.name);
                let name = if name.is_empty() { "()" } else { name };
                say(
                    linked,
                    (each.at.line, each.at.column),
                    "unresolved",
                    Some(name.to_owned()),
                );
            }
            for edge in linked.edges.clone() {
                say(
                    linked,
                    (edge.line, edge.column),
                    "from",
                    Some(nodes[&edge.source].qualified_name.clone()),
                );
            }
        }
        for node in nodes.values() {
            let parent = node
                .parent
                .map(|parent| nodes[&parent].qualified_name.clone());
            for span in &node.spans {
                let (linked, place) = (
                    files.entry(span.path.clone()).or_default(),
                    (span.name_line, span.name_column),
                );
                say(linked, place, "node", Some(node_text(node)));
                say(linked, place, "in", parent.clone());
                say(linked, place, "name", Some(node.name.clone()));
                say(
                    linked,
                    place,
                    "count",
                    node.parameter_count.map(|count| count.to_string()),
                );
                say(linked, place, "doc", node.doc.clone());
                say(linked, place, "first", Some(node.spans[0].path.clone()));
            }
        }
        Graph { nodes, files }
    }
}

fn say(linked: &mut Linked, (line, column): (u32, u32), verb: &str, what: Option<String>) {
    linked
        .output
        .entry((line, column, verb.to_owned()))
        .or_default()
        .extend(what);
}

/// Formats a node as a declaration without its body.
fn node_text(node: &Node) -> String {
    let flags = [
        (NodeFlags::PUBLIC_API, "api"),
        (NodeFlags::STATIC, "static"),
        (NodeFlags::ABSTRACT, "abstract"),
        (NodeFlags::ASYNC, "async"),
        (NodeFlags::OVERRIDE, "override"),
        (NodeFlags::DEPRECATED, "deprecated"),
    ];
    let mut words: Vec<&str> = node.access.iter().map(|access| access.as_str()).collect();
    words.extend(
        flags
            .iter()
            .filter(|(flag, _)| node.flags.has(*flag))
            .map(|(_, word)| *word),
    );
    words.push(if node.node_type == NodeType::Component {
        node.node_type.as_str()
    } else {
        node.kind.as_str()
    });
    let parameters = node.parameter_signature.as_deref().unwrap_or_default();
    let result = node
        .return_type
        .as_ref()
        .map(|ty| format!(": {ty}"))
        .unwrap_or_default();
    let parts = if node.spans.len() > 1 {
        format!(" x{}", node.spans.len())
    } else {
        String::new()
    };
    format!(
        "{} {}{parameters}{result}{parts}",
        words.join(" "),
        node.qualified_name
    )
}

fn expectations(text: &str) -> Result<Expectations, Vec<codeagent_testkit::Problem>> {
    let verbs: Vec<&str> = EdgeType::NAMES
        .iter()
        .map(|(name, _)| *name)
        .chain(SAID.iter().copied())
        .collect();
    let confidences: Vec<&str> = Confidence::NAMES.iter().map(|(name, _)| *name).collect();
    parse(
        text,
        Words {
            verbs: &verbs,
            confidences: &confidences,
        },
    )
}

/// Returns every difference between a file's edges and its annotations.
fn compare(graph: &Graph, path: &str, expected: &Expectations) -> Vec<String> {
    let nothing = Linked::default();
    let Linked { edges, output } = graph.files.get(path).unwrap_or(&nothing);
    let mut failures = Vec::new();
    let mut stated: BTreeMap<SiteKey, Vec<&Annotation>> = BTreeMap::new();
    for annotation in &expected.annotations {
        match EdgeType::parse(&annotation.verb) {
            Some(edge_type) => stated
                .entry((annotation.line, annotation.column, edge_type))
                .or_default()
                .push(annotation),
            None => failures.extend(compare_said(annotation, output)),
        }
    }
    let mut found: BTreeMap<SiteKey, Vec<&Edge>> = BTreeMap::new();
    for edge in edges {
        found
            .entry((edge.line, edge.column, edge.edge_type))
            .or_default()
            .push(edge);
    }
    for (place, annotations) in &stated {
        failures.extend(compare_place(
            graph,
            annotations,
            found.get(place).map_or(&[][..], Vec::as_slice),
        ));
    }
    for verb in &expected.complete {
        let unstated = found
            .iter()
            .filter(|(place, _)| place.2.as_str() == verb && !stated.contains_key(place));
        failures.extend(unstated.map(|(place, edges)| {
            format!(
                "{}:{}: not stated: {verb}: {}",
                place.0,
                place.1,
                describe(graph, edges)
            )
        }));
    }
    for edge in edges {
        let all: BTreeSet<&NodeId> = edge.candidates.iter().chain([&edge.target]).collect();
        assert_eq!(
            all.len(),
            edge.candidates.len() + 1,
            "a target is named twice: {edge:?}"
        );
    }
    // `inherits(A, B)` follows the declaration of `A`; `@implements` precedes it.
    let is_outside = |edge: &&Edge| {
        path.ends_with(".js") && matches!(edge.edge_type, EdgeType::Inherits | EdgeType::Implements)
    };
    let inside = edges.iter().filter(|edge| !is_outside(edge));
    failures.extend(
        inside
            .filter(|edge| !surrounds(graph, path, edge))
            .map(|edge| {
                format!(
                    "{}:{}: the source {} does not surround it",
                    edge.line, edge.column, graph.nodes[&edge.source].qualified_name
                )
            }),
    );
    failures
}

/// Compares one stated fact with those at its location; `-` means that there is none.
fn compare_said(annotation: &Annotation, output: &FactMap) -> Option<String> {
    let found = output
        .get(&(annotation.line, annotation.column, annotation.verb.clone()))
        .cloned()
        .unwrap_or_default();
    let holds = annotation
        .target
        .as_ref()
        .map_or(found.is_empty(), |target| found.contains(target));
    let what = if annotation.todo {
        "no longer a gap, remove `todo`"
    } else {
        "expected"
    };
    let target = annotation.target.as_deref().unwrap_or("-");
    (holds == annotation.todo).then(|| {
        format!(
            "{}: {what}: {}: {target}, found {found:?}",
            annotation.written_at, annotation.verb
        )
    })
}

/// Compares the edges of one type at one location with its annotations. One annotation names the
/// target; several name it and all candidates. An annotation marked `todo` must fail.
fn compare_place(graph: &Graph, annotations: &[&Annotation], edges: &[&Edge]) -> Vec<String> {
    let mut failures = Vec::new();
    let mut open = false;
    for annotation in annotations {
        let leads_to = |edge: &Edge, target: &str| {
            let mut others = edge.candidates.iter().filter(|_| annotations.len() > 1);
            is_named(graph, edge.target, target)
                || others.any(|candidate| is_named(graph, *candidate, target))
        };
        let holds = match &annotation.target {
            None => edges.is_empty(),
            Some(target) => edges
                .iter()
                .any(|edge| has_confidence(edge, annotation) && leads_to(edge, target)),
        };
        open |= annotation.todo;
        let report = |what: &str| {
            let target = annotation.target.as_deref().unwrap_or("-");
            let confidence = annotation
                .confidence
                .as_ref()
                .map(|word| format!(" ({word})"))
                .unwrap_or_default();
            let found = describe(graph, edges);
            format!(
                "{}: {what}: {}: {target}{confidence}, found {found}",
                annotation.written_at, annotation.verb
            )
        };
        match (holds, annotation.todo) {
            (false, false) => failures.push(report("expected")),
            (true, true) => failures.push(report("no longer a gap, remove `todo`")),
            _ => {}
        }
    }
    let mut targets: BTreeSet<NodeId> = edges.iter().map(|edge| edge.target).collect();
    if annotations.len() > 1 {
        // More than one annotation states all candidates.
        targets.extend(edges.iter().flat_map(|edge| &edge.candidates));
    }
    if failures.is_empty() && !open && targets.len() > annotations.len() {
        failures.push(format!(
            "{}: more than stated: {}",
            annotations[0].written_at,
            describe(graph, edges)
        ));
    }
    failures
}

/// Reports whether a target names the node: by qualified name, optionally with parameters.
fn is_named(graph: &Graph, id: NodeId, target: &str) -> bool {
    let node = &graph.nodes[&id];
    let rest = target.strip_prefix(&node.qualified_name);
    rest.is_some_and(|rest| rest.is_empty() || Some(rest) == node.parameter_signature.as_deref())
}

fn has_confidence(edge: &Edge, annotation: &Annotation) -> bool {
    edge.confidence.as_str() == annotation.confidence.as_deref().unwrap_or("exact")
}

fn surrounds(graph: &Graph, path: &str, edge: &Edge) -> bool {
    let source = &graph.nodes[&edge.source];
    let is_around = |span: &codeagent_core::model::span::Span| {
        (span.start.line..=span.end_line).contains(&edge.line)
    };
    // In `class A : Base, I`, members of `Base`, which may be in another file, implement those of
    // `I`.
    let inherited =
        edge.edge_type == EdgeType::Implements && source.spans.iter().all(|span| span.path != path);
    inherited
        || source.node_type == NodeType::File
        || source
            .spans
            .iter()
            .any(|span| span.path == path && is_around(&span.span))
}

fn describe(graph: &Graph, edges: &[&Edge]) -> String {
    let text = |edge: &&Edge| {
        let node = &graph.nodes[&edge.target];
        format!(
            "{}{} ({})",
            node.qualified_name,
            node.parameter_signature.as_deref().unwrap_or_default(),
            edge.confidence
        )
    };
    if edges.is_empty() {
        "nothing".to_owned()
    } else {
        edges.iter().map(text).collect::<Vec<_>>().join(", ")
    }
}
