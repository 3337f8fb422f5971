//! The symbols of a document, and symbol search.

use std::collections::HashMap;

use codeagent_core::query::{self, Searched, get_outline};
use codeagent_core::{Node, NodeFlags, NodeId, SearchFilter};
use lsp_types::{
    DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, Location, SymbolInformation,
    WorkspaceSymbolParams, WorkspaceSymbolResponse,
};

use crate::requests::items::{container, detail, kind, ranges, tags};
use crate::requests::{Ask, RequestError};
use crate::view::Answering;

/// Maximum number of symbols that a search finds in each repository.
const MOST_FOUND: usize = 200;

/// Returns the symbols declared in a document, as a tree if the client shows one.
pub fn of_document(
    ask: Ask<'_>,
    params: DocumentSymbolParams,
) -> Result<Option<DocumentSymbolResponse>, RequestError> {
    let Some((answering, path)) = ask.view.open(&params.text_document.uri, ask.canceller)? else {
        return Ok(None);
    };
    let file = match query::derive_file_id(answering.snapshot(), &path) {
        Ok(file) => file,
        Err(query::QueryError::NoFile(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    };

    let nodes = get_outline(answering.snapshot(), file)?;
    if answering.view().has_symbol_trees {
        let tree = tree(&answering, &nodes);
        return Ok(Some(DocumentSymbolResponse::Nested(tree)));
    }
    let flat = nodes
        .iter()
        .map(|node| information(&answering, node))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Some(DocumentSymbolResponse::Flat(
        flat.into_iter().flatten().collect(),
    )))
}

/// Returns the symbols that a search finds, repository by repository. A single word also finds
/// names that begin with it. An empty search finds nothing.
pub fn of_workspace(
    ask: Ask<'_>,
    params: WorkspaceSymbolParams,
) -> Result<Option<WorkspaceSymbolResponse>, RequestError> {
    let text = params.query.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let is_word = text.chars().all(|c| c.is_alphanumeric() || c == '_');
    let text = if is_word {
        format!("{text}*")
    } else {
        text.to_owned()
    };

    let filter = SearchFilter::default();
    let search = query::SearchQuery {
        text: &text,
        filter: &filter,
        limit: MOST_FOUND,
    };
    let mut found = Vec::new();
    for folder in ask.view.folders.iter() {
        let answering = Answering::open(ask.view, folder.clone(), ask.canceller)?;
        let searched = Searched::without_source(Some(answering.reader().vectors()));
        let results = query::search(answering.snapshot(), searched, &search)?;
        for hit in &results.hits {
            found.extend(information(&answering, &hit.node)?);
        }
    }
    Ok(Some(WorkspaceSymbolResponse::Flat(found)))
}

/// Nests symbols by container; a symbol whose container is not in the document is on top.
fn tree(answering: &Answering<'_>, nodes: &[Node]) -> Vec<DocumentSymbol> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    let mut top = Vec::new();
    let mut last_of: HashMap<NodeId, usize> = HashMap::new();
    for (at, node) in nodes.iter().enumerate() {
        // Of several declarations of the container, the last one before the symbol.
        match node.parent.and_then(|parent| last_of.get(&parent)) {
            Some(parent) => children[*parent].push(at),
            None => top.push(at),
        }
        last_of.insert(node.id, at);
    }

    let mut symbols: Vec<Option<DocumentSymbol>> = nodes
        .iter()
        .map(|node| document_symbol(answering, node))
        .collect();
    // Containers precede their members, so members are complete first.
    for at in (0..nodes.len()).rev() {
        let inner: Vec<DocumentSymbol> = children[at]
            .iter()
            .filter_map(|child| symbols[*child].take())
            .collect();
        if let Some(symbol) = &mut symbols[at] {
            symbol.children = Some(inner).filter(|inner| !inner.is_empty());
        }
    }
    top.into_iter()
        .filter_map(|at| symbols[at].take())
        .collect()
}

#[allow(deprecated, reason = "the type has a field that tags replace")]
fn document_symbol(answering: &Answering<'_>, node: &Node) -> Option<DocumentSymbol> {
    let (range, selection_range) = ranges(answering, node, node.spans.first()?);
    Some(DocumentSymbol {
        name: shown_name(node),
        detail: detail(node),
        kind: kind(node),
        tags: tags(node),
        deprecated: None,
        range,
        selection_range,
        children: None,
    })
}

#[allow(deprecated, reason = "the type has a field that tags replace")]
fn information(
    answering: &Answering<'_>,
    node: &Node,
) -> Result<Option<SymbolInformation>, RequestError> {
    let Some(span) = node.spans.first() else {
        return Ok(None);
    };
    let range = answering.name_range(node, span);
    Ok(Some(SymbolInformation {
        name: shown_name(node),
        kind: kind(node),
        tags: tags(node),
        deprecated: None,
        location: Location::new(answering.uri(&span.path)?, range),
        container_name: container(node).filter(|_| !node.flags.has(NodeFlags::LOCAL)),
    }))
}

/// Returns a name that is not empty, as the protocol requires.
fn shown_name(node: &Node) -> String {
    if node.name.trim().is_empty() {
        node.kind.as_str().replace('_', " ")
    } else {
        node.name.clone()
    }
}
