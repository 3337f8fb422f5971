//! Definition, type definition, implementation, references and highlights.
//!
//! Locals have definitions, references and highlights, all in their own file.
//!
//! Limitations: the type of a symbol is the type that its declaration names; an inferred type has
//! no definition.

use std::collections::HashSet;

use codeagent_core::query::{self, Relation, implementations_of, use_places};
use codeagent_core::{EdgeDirection, Node, NodeFlags, NodeId, NodeType};
use lsp_types::request::{
    GotoImplementationParams, GotoImplementationResponse, GotoTypeDefinitionParams,
    GotoTypeDefinitionResponse,
};
use lsp_types::{
    DocumentHighlight, DocumentHighlightParams, GotoDefinitionParams, GotoDefinitionResponse,
    Location, ReferenceParams, TextDocumentPositionParams,
};

use crate::requests::{Ask, RequestError};
use crate::view::{Answering, AtCursor};

/// Returns the declarations of the symbol at the cursor; of an inferred use, also those of the
/// other candidates. Where a name declares something and also uses a member, as in
/// `const { a } = order`, returns the member.
pub fn definition(
    ask: Ask<'_>,
    params: GotoDefinitionParams,
) -> Result<Option<GotoDefinitionResponse>, RequestError> {
    let at = &params.text_document_position_params;
    let Some((answering, path)) = ask.view.open(&at.text_document.uri, ask.canceller)? else {
        return Ok(None);
    };

    let cursor = answering.at(&path, at.position)?;
    let mut symbols: Vec<NodeId> = match cursor.uses.is_empty() {
        true => cursor.symbols(),
        false => cursor.uses.iter().map(|each| each.target).collect(),
    };
    symbols.extend(cursor.uses.iter().flat_map(|each| each.candidates.clone()));

    let mut found = Vec::new();
    if let Some(local) = &cursor.local {
        let declared = answering.location(&path, local.at.line, local.at.column)?;
        if declared.range != cursor.range || symbols.is_empty() {
            found.push(declared);
        }
    }
    for id in symbols {
        found.extend(answering.declarations(id)?);
    }
    Ok((!found.is_empty()).then(|| GotoDefinitionResponse::Array(distinct(found))))
}

/// Returns the types that the declaration of the symbol at the cursor names.
pub fn type_definition(
    ask: Ask<'_>,
    params: GotoTypeDefinitionParams,
) -> Result<Option<GotoTypeDefinitionResponse>, RequestError> {
    let found = locations(
        ask,
        &params.text_document_position_params,
        |answering, cursor| {
            let mut types = Vec::new();
            for id in cursor.symbols() {
                types.extend(types_of(answering, id)?);
            }
            Ok(types)
        },
    )?;
    Ok(found.map(GotoTypeDefinitionResponse::Array))
}

/// Returns what implements, extends or overrides the symbol at the cursor, directly or indirectly;
/// a concrete symbol without any is its own implementation.
pub fn implementation(
    ask: Ask<'_>,
    params: GotoImplementationParams,
) -> Result<Option<GotoImplementationResponse>, RequestError> {
    let found = locations(
        ask,
        &params.text_document_position_params,
        |answering, cursor| {
            let symbols = cursor.symbols();
            let found = implementations_of(answering.snapshot(), &symbols)?;
            if !found.is_empty() {
                return Ok(found.into_iter().map(|(id, _)| id).collect());
            }

            let mut concrete = Vec::new();
            for id in symbols {
                let symbol = query::get_node(answering.snapshot(), id)?;
                concrete.extend(
                    symbol
                        .filter(|symbol| is_concrete(&symbol.node))
                        .map(|_| id),
                );
            }
            Ok(concrete)
        },
    )?;
    Ok(found.map(GotoImplementationResponse::Array))
}

/// Returns all uses of the symbol at the cursor.
pub fn references(
    ask: Ask<'_>,
    params: ReferenceParams,
) -> Result<Option<Vec<Location>>, RequestError> {
    let at = params.text_document_position;
    let Some((answering, path)) = ask.view.open(&at.text_document.uri, ask.canceller)? else {
        return Ok(None);
    };

    let cursor = answering.at(&path, at.position)?;
    let symbols = cursor.symbols();
    if symbols.is_empty() && cursor.local.is_none() {
        return Ok(None);
    }

    let mut found = Vec::new();
    if params.context.include_declaration {
        for id in &symbols {
            found.extend(answering.declarations(*id)?);
        }
    }
    if let Some(local) = &cursor.local {
        let declared = params.context.include_declaration.then_some(local.at);
        for use_at in declared.iter().chain(&local.uses) {
            found.push(answering.location(&path, use_at.line, use_at.column)?);
        }
    }
    for place in use_places(answering.snapshot(), &symbols, Relation::REFERENCES)? {
        answering.snapshot().check()?;
        found.push(answering.location(&place.path, place.line, place.column)?);
    }
    Ok(Some(distinct(found)))
}

/// Returns the declarations and uses of the symbol at the cursor that are in its document.
pub fn highlights(
    ask: Ask<'_>,
    params: DocumentHighlightParams,
) -> Result<Option<Vec<DocumentHighlight>>, RequestError> {
    let at = params.text_document_position_params;
    let Some((answering, path)) = ask.view.open(&at.text_document.uri, ask.canceller)? else {
        return Ok(None);
    };

    let cursor = answering.at(&path, at.position)?;
    let symbols = cursor.symbols();
    let mut ranges = Vec::new();
    if let Some(local) = &cursor.local {
        for at in std::iter::once(&local.at).chain(&local.uses) {
            ranges.push(answering.token(&path, at.line, at.column));
        }
    }
    for id in &symbols {
        let declared = answering.declarations(*id)?.into_iter();
        let here = answering.uri(&path)?;
        let declared = declared.filter(|location| location.uri == here);
        ranges.extend(declared.map(|location| location.range));
    }
    for place in use_places(answering.snapshot(), &symbols, Relation::REFERENCES)? {
        if *place.path == *path {
            ranges.push(answering.token(&path, place.line, place.column));
        }
    }

    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    ranges.dedup();
    let highlight = |range| DocumentHighlight { range, kind: None };
    Ok((!ranges.is_empty()).then(|| ranges.into_iter().map(highlight).collect()))
}

/// Returns the declarations of the symbols that `select` finds at a cursor; `None` if there are
/// none.
fn locations(
    ask: Ask<'_>,
    at: &TextDocumentPositionParams,
    select: impl FnOnce(&Answering<'_>, &AtCursor) -> Result<Vec<NodeId>, RequestError>,
) -> Result<Option<Vec<Location>>, RequestError> {
    let Some((answering, path)) = ask.view.open(&at.text_document.uri, ask.canceller)? else {
        return Ok(None);
    };

    let cursor = answering.at(&path, at.position)?;
    let mut found = Vec::new();
    for id in select(&answering, &cursor)? {
        found.extend(answering.declarations(id)?);
    }
    Ok((!found.is_empty()).then(|| distinct(found)))
}

/// Removes repeated locations, keeping the first of each.
fn distinct(mut locations: Vec<Location>) -> Vec<Location> {
    let mut seen = HashSet::new();
    let is_first: Vec<bool> = locations
        .iter()
        .map(|location| seen.insert((location.uri.as_str(), location.range)))
        .collect();
    let mut is_first = is_first.into_iter();
    locations.retain(|_| is_first.next().unwrap_or(true));
    locations
}

fn is_concrete(node: &Node) -> bool {
    node.node_type != NodeType::Interface && !node.flags.has(NodeFlags::ABSTRACT)
}

fn is_type(node: &Node) -> bool {
    node.node_type.is_type() || node.node_type == NodeType::Component
}

/// Returns a type itself, a constructor's type, or the types that a member's declared type names.
fn types_of(answering: &Answering<'_>, id: NodeId) -> Result<Vec<NodeId>, RequestError> {
    let Some(symbol) = query::get_node(answering.snapshot(), id)? else {
        return Ok(Vec::new());
    };
    let node = symbol.node;
    if is_type(&node) {
        return Ok(vec![id]);
    }
    if node.node_type == NodeType::Constructor {
        return Ok(node.parent.into_iter().collect());
    }

    let Some(declared) = &node.return_type else {
        return Ok(Vec::new());
    };
    let is_named = |name: &str| {
        declared
            .split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$'))
            .any(|word| word == name)
    };

    let used = Relation::all(EdgeDirection::Outgoing);
    let mut types = Vec::new();
    for place in use_places(answering.snapshot(), &[id], used)? {
        if let Some(symbol) = query::get_node(answering.snapshot(), place.other)?
            && is_type(&symbol.node)
            && is_named(&symbol.node.name)
            && !types.contains(&place.other)
        {
            types.push(place.other);
        }
    }
    Ok(types)
}
