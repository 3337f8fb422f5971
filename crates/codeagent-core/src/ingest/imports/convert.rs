//! Converts SCIP indexes to rows of the graph.
//!
//! First all definitions become nodes, then all other occurrences edges, so that documents and
//! imports may refer to each other. A symbol that several documents define is one node.
//!
//! SCIP does not mark calls: a use of a function is a call if its arguments follow in the text. The
//! source of a use is the innermost declaration around it; if a document has no enclosing ranges,
//! the nearest function or type above, and the edge is inferred.

use codeagent_workspace::{FileText, RepoPath, Workspace};
use rustc_hash::{FxHashMap, FxHashSet};
use scip::types::{Document, Index, Occurrence, SymbolInformation, SymbolRole, SyntaxKind};

use super::descriptors::Parts;
use super::positions::{Lines, Range, enclosing_range, range};
use super::{Manifest, document_path};
use crate::model::graph::{
    Confidence, Dialect, EdgeType, Language, Node, NodeFlags, NodeId, NodeKind, NodeSpan, NodeType,
    ParseStatus,
};
use crate::model::span::{Position, Span};
use crate::store::{
    self, EdgeRow, FIRST_IMPORTED_FILE, FactsKey, FileKey, FileRow, ImportRow, ImportedGraph,
};

/// Share of the names of a document, in percent, that may not be where the index says: macros
/// declare names that are not in the text.
const MAX_MISPLACED_PERCENT: usize = 20;

/// Maximum length of a doc comment's summary, in characters.
const MAX_DOC: usize = 500;

/// The rows made so far.
#[derive(Default)]
pub(super) struct Conversion {
    graph: ImportedGraph,
    nodes: FxHashMap<NodeId, Node>,
    /// The node of each defined symbol.
    symbols: FxHashMap<String, NodeId>,
    /// The symbols' parts and entries, for their kinds and containers.
    defined: Vec<Defined>,
    documents: Vec<PendingDocument>,
}

/// A symbol whose node is complete once all definitions are known.
struct Defined {
    id: NodeId,
    parts: Parts,
    information: Option<SymbolInformation>,
}

/// A document whose uses are added at the end.
struct PendingDocument {
    import: usize,
    file: FileKey,
    file_node: NodeId,
    text: String,
    document: Document,
    trusts_syntax: bool,
}

impl Conversion {
    /// Adds an import that cannot be read.
    pub(super) fn add_problem(&mut self, row: ImportRow, reason: String) {
        self.graph.imports.push(ImportRow {
            problem: Some(reason),
            ..row
        });
    }

    /// Adds the definitions of an index.
    pub(super) fn add(
        &mut self,
        mut row: ImportRow,
        manifest: &Manifest,
        mut index: Index,
        (workspace, own): (&Workspace, &dyn Fn(&str) -> bool),
    ) {
        let external = std::mem::take(&mut index.external_symbols);
        let mut information: FxHashMap<String, SymbolInformation> = external
            .into_iter()
            .chain(
                index
                    .documents
                    .iter_mut()
                    .flat_map(|document| std::mem::take(&mut document.symbols)),
            )
            .map(|entry| (entry.symbol.clone(), entry))
            .collect();

        let import = self.graph.imports.len();
        // Only our own export marks calls by their syntax.
        let trusts_syntax = index.metadata.tool_info.name == "codeagent";
        for document in index.documents {
            let path = document_path(&manifest.folder, &document.relative_path);
            let Some(path) = path.filter(|path| manifest.files.contains_key(path.as_str())) else {
                continue;
            };
            if own(path.as_str()) {
                row.own_files += 1;
                continue;
            }
            let text = workspace.read(&path).ok();
            let hash = &manifest.files[path.as_str()];
            let Some(text) = text.filter(|text| text.hash.to_hex().as_str() == hash) else {
                row.changed_files += 1;
                continue;
            };
            if self.graph.keys.contains_key(path.as_str()) {
                continue;
            }
            if is_misplaced(&document, &text.text) {
                row.misplaced_files += 1;
                continue;
            }
            let file = self.add_file(&path, &text, &document, &row);
            let pending = PendingDocument {
                import,
                file,
                file_node: file_node(path.as_str()),
                text: text.text,
                document,
                trusts_syntax,
            };
            self.add_definitions(&pending, &path, &mut information, &mut row);
            self.documents.push(pending);
            row.files += 1;
        }
        self.graph.imports.push(row);
    }

    fn add_file(
        &mut self,
        path: &RepoPath,
        text: &FileText,
        document: &Document,
        row: &ImportRow,
    ) -> FileKey {
        let file = FileKey(FIRST_IMPORTED_FILE + self.graph.files.len() as u32);
        let lines = Lines::new(&text.text, encoding(document)).count();
        self.graph.keys.insert(path.to_string(), file);
        self.graph.files.push(FileRow {
            id: file,
            path: path.to_string(),
            dialect: Dialect::Imported,
            project_id: project_id(&row.name),
            size: text.size,
            stamp: text.stamp,
            hash: *text.hash.as_bytes(),
            facts_key: FactsKey([0; 32]),
            defines_hash: 0,
            parse_status: ParseStatus::Full,
            problem: None,
            error_bytes: 0,
            error_lines: Vec::new(),
            lines,
            bytes: text.text.len() as u32,
            calls: 0,
            calls_resolved: 0,
            calls_external: 0,
            budget_exceeded: 0,
            interface_hash: [0; 16],
            ids_hash: 0,
        });

        let whole = Span {
            start: Position {
                offset: 0,
                line: 1,
                column: 1,
            },
            end_offset: text.text.len() as u32,
            end_line: lines,
        };
        let id = file_node(path.as_str());
        let mut node = new_node(id, NodeKind::File, &row.name);
        path.file_name().clone_into(&mut node.name);
        node.qualified_name = path.to_string();
        node.spans = vec![NodeSpan {
            path: path.to_string(),
            span: whole,
            name_line: 1,
            name_column: 1,
        }];
        self.nodes.insert(id, node);
        file
    }

    fn add_definitions(
        &mut self,
        pending: &PendingDocument,
        path: &RepoPath,
        information: &mut FxHashMap<String, SymbolInformation>,
        row: &mut ImportRow,
    ) {
        let lines = Lines::new(&pending.text, encoding(&pending.document));
        for occurrence in pending
            .document
            .occurrences
            .iter()
            .filter(|each| is_definition(each))
        {
            let Some(place) = range(occurrence) else {
                continue;
            };
            let Some(parts) = Parts::of_symbol(&occurrence.symbol) else {
                continue;
            };
            if parts.is_namespace() && is_whole_file(place) {
                // The symbol of the file itself.
                let symbol = occurrence.symbol.clone();
                self.symbols.entry(symbol).or_insert(pending.file_node);
                continue;
            }
            let Some(span) = node_span(&lines, occurrence, path) else {
                continue;
            };

            let symbol = &occurrence.symbol;
            if let Some(id) = self.symbols.get(symbol) {
                if let Some(node) = self.nodes.get_mut(id)
                    && node.kind != NodeKind::File
                    && !node.spans.contains(&span)
                {
                    node.spans.push(span);
                }
                continue;
            }

            let id = NodeId::derive(&["scip", symbol]);
            let mut node = new_node(id, NodeKind::Variable, &row.name);
            node.spans.push(span);
            self.nodes.insert(id, node);
            self.symbols.insert(symbol.clone(), id);
            self.defined.push(Defined {
                id,
                parts,
                information: information.remove(symbol),
            });
            row.symbols += 1;
        }
    }

    /// Adds all uses and returns the rows.
    pub(super) fn finish(mut self) -> ImportedGraph {
        self.complete_nodes();
        self.add_hierarchy();
        for pending in std::mem::take(&mut self.documents) {
            self.add_uses(&pending);
        }

        self.graph.edges.sort_unstable_by_key(EdgeRow::key);
        self.graph.edges.dedup_by_key(|edge| edge.key());
        let mut buffer = Vec::new();
        let mut nodes: Vec<(i64, Node)> = self
            .nodes
            .into_values()
            .map(|mut node| {
                order_spans(&mut node.spans);
                (store::node_hash(&node, &mut buffer), node)
            })
            .collect();
        nodes.sort_unstable_by_key(|(_, node)| node.id);
        self.graph.nodes = nodes;
        self.graph
    }

    /// Sets the names, kinds and containers, which other definitions decide.
    fn complete_nodes(&mut self) {
        for Defined {
            id,
            parts,
            information,
        } in &self.defined
        {
            let container = parts
                .containers()
                .iter()
                .find_map(|symbol| self.symbols.get(symbol).copied())
                .filter(|container| container != id);
            let in_type = container.is_some_and(|container| {
                self.nodes
                    .get(&container)
                    .is_some_and(|node| is_type(node.kind))
            }) || parts.is_in_type();

            let Some(node) = self.nodes.get_mut(id) else {
                continue;
            };
            let file = file_node(&node.spans[0].path);
            node.parent = Some(container.unwrap_or(file));
            node.kind = parts.kind(information.as_ref(), in_type);
            node.node_type = node.kind.node_type();
            node.name = shown_name(parts, information.as_ref());
            node.qualified_name = parts.qualified_name();
            node.doc = information.as_ref().and_then(doc);
            let has_doc = node.doc.is_some();
            node.flags.set(NodeFlags::DOC_COMMENT, has_doc);
        }
        self.complete_types();
    }

    /// Corrects members of types that were completed after them.
    fn complete_types(&mut self) {
        let types: FxHashSet<NodeId> = self
            .nodes
            .values()
            .filter(|node| is_type(node.kind))
            .map(|node| node.id)
            .collect();

        for node in self.nodes.values_mut() {
            if !node.parent.is_some_and(|parent| types.contains(&parent)) {
                continue;
            }

            let kind = match node.kind {
                NodeKind::Function => NodeKind::Method,
                NodeKind::Variable => NodeKind::Field,
                kind => kind,
            };

            node.kind = kind;
            node.node_type = kind.node_type();
        }
    }

    /// Adds what symbols implement, extend and override.
    fn add_hierarchy(&mut self) {
        for defined in &self.defined {
            let relationships = defined
                .information
                .iter()
                .flat_map(|entry| &entry.relationships);

            for relationship in relationships.filter(|each| each.is_implementation) {
                let base = self.symbols.get(&relationship.symbol);
                let (Some(base), Some(node)) = (
                    base.and_then(|base| self.nodes.get(base)),
                    self.nodes.get(&defined.id),
                ) else {
                    continue;
                };

                let of_base = base.parent.and_then(|parent| self.nodes.get(&parent));
                let Some(edge_type) = hierarchy_edge(node.kind, base.kind, of_base) else {
                    continue;
                };

                let place = &node.spans[0];
                let Some(file) = self.graph.keys.get(&place.path) else {
                    continue;
                };

                self.graph.edges.push(EdgeRow {
                    source: node.id,
                    target: base.id,
                    edge_type,
                    confidence: Confidence::Exact,
                    file: *file,
                    line: place.name_line,
                    column: place.name_column,
                    candidates: Box::default(),
                });
            }
        }
    }

    fn add_uses(&mut self, pending: &PendingDocument) {
        let lines = Lines::new(&pending.text, encoding(&pending.document));
        let mut sites = Vec::new();
        for occurrence in pending
            .document
            .occurrences
            .iter()
            .filter(|each| !is_definition(each))
        {
            let Some(target) = self.symbols.get(&occurrence.symbol) else {
                let is_external = !occurrence.symbol.starts_with("local ");
                self.graph.imports[pending.import].external_uses += u64::from(is_external);
                continue;
            };
            let ends = range(occurrence).and_then(|range| lines.ends(range));
            sites.extend(ends.map(|ends| (ends, *target, occurrence)));
        }
        sites.sort_by_key(|((start, _), target, _)| (start.offset, *target));

        let containers = Containers::new(self, pending, &lines);
        let offsets: Vec<u32> = sites.iter().map(|((start, _), ..)| start.offset).collect();
        let sources = containers.of_offsets(&offsets);
        for (((start, end), target, occurrence), (source, confidence)) in
            sites.into_iter().zip(sources)
        {
            let edge_type = self.edge_type(occurrence, target, (&lines, start, end), pending);
            self.graph.imports[pending.import].uses += 1;
            self.graph.edges.push(EdgeRow {
                source,
                target,
                edge_type,
                confidence,
                file: pending.file,
                line: start.line,
                column: start.column,
                candidates: Box::default(),
            });
        }
    }

    fn edge_type(
        &self,
        occurrence: &Occurrence,
        target: NodeId,
        (lines, start, end): (&Lines<'_>, Position, Position),
        pending: &PendingDocument,
    ) -> EdgeType {
        let is_import = occurrence.symbol_roles & SymbolRole::Import as i32 != 0;
        let kind = self
            .nodes
            .get(&target)
            .map_or(NodeKind::File, |node| node.kind);
        let is_function = matches!(kind.node_type(), NodeType::Method | NodeType::Constructor);
        let is_call = if pending.trusts_syntax {
            occurrence.syntax_kind == SyntaxKind::IdentifierFunction.into()
        } else if is_function {
            let is_macro = occurrence.symbol.ends_with('!');
            lines.is_called(end, is_macro)
        } else {
            is_type(kind)
                && lines.is_called(end, false)
                && (lines.follows_new(start) || is_python(&pending.document))
        };

        match (is_call, is_import) {
            (true, _) => EdgeType::Calls,
            (false, true) => EdgeType::Imports,
            (false, false) => EdgeType::References,
        }
    }
}

/// The declarations of a document, for the sources of its uses.
struct Containers {
    /// Start, end and node, by start and the outermost first.
    ranges: Vec<(u32, u32, NodeId)>,
    /// Names of functions and types with their offsets, if there are no ranges.
    names: Vec<(u32, NodeId)>,
    file: NodeId,
}

impl Containers {
    fn new(conversion: &Conversion, pending: &PendingDocument, lines: &Lines<'_>) -> Self {
        let mut containers = Self {
            ranges: Vec::new(),
            names: Vec::new(),
            file: pending.file_node,
        };

        for occurrence in pending
            .document
            .occurrences
            .iter()
            .filter(|each| is_definition(each))
        {
            let node = conversion
                .symbols
                .get(&occurrence.symbol)
                .and_then(|id| conversion.nodes.get(id))
                .filter(|node| node.kind != NodeKind::File);
            let (Some(node), Some(name)) = (node, range(occurrence)) else {
                continue;
            };
            let whole = enclosing_range(occurrence).and_then(|range| lines.ends(range));
            containers
                .ranges
                .extend(whole.map(|(start, end)| (start.offset, end.offset, node.id)));
            if is_type(node.kind)
                || matches!(node.node_type, NodeType::Method | NodeType::Constructor)
            {
                let start = lines.position(name[0], name[1]);
                containers
                    .names
                    .extend(start.map(|start| (start.offset, node.id)));
            }
        }

        containers
            .ranges
            .sort_by_key(|(start, end, _)| (*start, u32::MAX - end));
        containers.names.sort_unstable();
        containers
    }

    /// Returns the source of each use; the offsets are in ascending order.
    fn of_offsets(&self, offsets: &[u32]) -> Vec<(NodeId, Confidence)> {
        if self.ranges.is_empty() {
            return offsets.iter().map(|offset| self.above(*offset)).collect();
        }

        let mut open: Vec<(u32, NodeId)> = Vec::new();
        let mut next = self.ranges.iter().peekable();
        let mut found = Vec::with_capacity(offsets.len());
        for offset in offsets {
            while let Some((_, end, node)) = next.next_if(|(start, ..)| start <= offset) {
                open.push((*end, *node));
            }
            while open.last().is_some_and(|(end, _)| end <= offset) {
                open.pop();
            }
            let innermost = open.last().map_or(self.file, |(_, node)| *node);
            found.push((innermost, Confidence::Exact));
        }

        found
    }

    fn above(&self, offset: u32) -> (NodeId, Confidence) {
        let at = self.names.partition_point(|(start, _)| *start <= offset);
        match at.checked_sub(1) {
            Some(at) => (self.names[at].1, Confidence::Inferred),
            None => (self.file, Confidence::Inferred),
        }
    }
}

/// Returns the id of the node of an imported file.
fn file_node(path: &str) -> NodeId {
    NodeId::derive(&["scip", "file", path])
}

fn new_node(id: NodeId, kind: NodeKind, import: &str) -> Node {
    Node {
        id,
        parent: None,
        project_id: project_id(import),
        name: String::new(),
        qualified_name: String::new(),
        node_type: kind.node_type(),
        kind,
        language: Language::Imported,
        access: None,
        flags: NodeFlags::IMPORTED,
        type_parameters: None,
        parameter_signature: None,
        parameter_count: None,
        return_type: None,
        doc: None,
        spans: Vec::new(),
    }
}

/// Returns the project of an import's files, which tells where their symbols come from.
fn project_id(import: &str) -> String {
    format!("scip:{import}")
}

fn node_span(lines: &Lines<'_>, occurrence: &Occurrence, path: &RepoPath) -> Option<NodeSpan> {
    let name = lines.ends(range(occurrence)?)?;
    let whole = enclosing_range(occurrence).and_then(|range| lines.ends(range));
    let (start, end) = whole.unwrap_or(name);
    Some(NodeSpan {
        path: path.to_string(),
        span: Span {
            start,
            end_offset: end.offset,
            end_line: end.line,
        },
        name_line: name.0.line,
        name_column: name.0.column,
    })
}

/// Sorts the declarations of a symbol by path and position, and puts the longest first: of
/// overloads and forward declarations, it is the one with a body.
fn order_spans(spans: &mut [NodeSpan]) {
    spans.sort_by(|a, b| (&a.path, a.span.start).cmp(&(&b.path, b.span.start)));
    let length = |span: &NodeSpan| span.span.end_offset - span.span.start.offset;
    let longest = (0..spans.len()).rev().max_by_key(|at| length(&spans[*at]));
    if let Some(longest) = longest {
        spans[..=longest].rotate_right(1);
    }
}

/// Returns the name that the index shows if it is a plain one, else the one in the symbol.
fn shown_name(parts: &Parts, information: Option<&SymbolInformation>) -> String {
    let shown = information.map_or("", |entry| entry.display_name.as_str());
    let is_plain = !shown.is_empty() && !shown.contains(|c: char| c.is_whitespace() || c == '(');
    let name = if is_plain { shown } else { parts.name() };
    name.to_owned()
}

/// Returns the first paragraph of the documentation that is no block of code.
fn doc(information: &SymbolInformation) -> Option<String> {
    let text = information
        .documentation
        .iter()
        .map(|text| text.trim())
        .find(|text| !text.is_empty() && !text.starts_with("```"))?;
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = paragraph.split_whitespace().collect();
    Some(words.join(" ").chars().take(MAX_DOC).collect())
}

fn hierarchy_edge(source: NodeKind, base: NodeKind, of_base: Option<&Node>) -> Option<EdgeType> {
    match (is_type(source), is_type(base)) {
        (true, true) => Some(match (source, base) {
            (NodeKind::Interface, _) => EdgeType::Extends,
            (_, NodeKind::Interface) => EdgeType::Implements,
            _ => EdgeType::Inherits,
        }),
        (false, false) => {
            let is_interface = of_base.is_some_and(|node| node.kind == NodeKind::Interface);

            Some(if is_interface {
                EdgeType::Implements
            } else {
                EdgeType::Overrides
            })
        }
        _ => None,
    }
}

fn is_type(kind: NodeKind) -> bool {
    matches!(
        kind.node_type(),
        NodeType::Class | NodeType::Interface | NodeType::Type | NodeType::Component
    )
}

fn is_definition(occurrence: &Occurrence) -> bool {
    occurrence.symbol_roles & SymbolRole::Definition as i32 != 0
}

/// Reports whether a definition at this place is that of the file: it has no name in the text.
fn is_whole_file(place: Range) -> bool {
    let [line, character, last, end] = place;
    (line, character) == (0, 0) && (last > 0 || end == 0)
}

fn is_python(document: &Document) -> bool {
    document.language.eq_ignore_ascii_case("python")
}

fn encoding(document: &Document) -> scip::types::PositionEncoding {
    document.position_encoding.enum_value_or_default()
}

/// Reports whether too many names are not where a document says: it was made from another text.
fn is_misplaced(document: &Document, text: &str) -> bool {
    let lines = Lines::new(text, encoding(document));
    let (mut checked, mut misplaced) = (0, 0);
    for occurrence in document
        .occurrences
        .iter()
        .filter(|each| is_definition(each))
    {
        let (Some(place), Some(parts)) = (range(occurrence), Parts::of_symbol(&occurrence.symbol))
        else {
            continue;
        };
        let name = parts.name();
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        if is_whole_file(place) || name.is_empty() || !name.chars().all(is_word) {
            continue;
        }
        checked += 1;
        let written = lines
            .ends(place)
            .map(|(start, end)| lines.between(start, end));
        misplaced += usize::from(written.is_none_or(|written| !written.contains(name)));
    }

    misplaced >= 2 && misplaced * 100 > checked * MAX_MISPLACED_PERCENT
}
