//! The type hierarchy: types and what they inherit, implement or extend: types, and functions that
//! return classes (mixins).

use codeagent_core::NodeId;
use codeagent_core::query::{bases_of, direct_implementations};
use lsp_types::{
    TypeHierarchyItem, TypeHierarchyPrepareParams, TypeHierarchySubtypesParams,
    TypeHierarchySupertypesParams,
};

use crate::requests::items::{Item, id_of};
use crate::requests::{Ask, RequestError};
use crate::view::Answering;

/// Returns the types at the cursor.
pub fn prepare(
    ask: Ask<'_>,
    params: TypeHierarchyPrepareParams,
) -> Result<Option<Vec<TypeHierarchyItem>>, RequestError> {
    let at = params.text_document_position_params;
    let Some((answering, path)) = ask.view.open(&at.text_document.uri, ask.canceller)? else {
        return Ok(None);
    };
    let mut items = Vec::new();
    for id in answering.at(&path, at.position)?.symbols() {
        let item = Item::load(&answering, id, Some(&path))?.filter(Item::is_type);
        if let Some(item) = item {
            items.push(item.into_type_item(&answering)?);
        }
    }
    Ok((!items.is_empty()).then_some(items))
}

/// Returns the direct bases of an item.
pub fn supertypes(
    ask: Ask<'_>,
    params: TypeHierarchySupertypesParams,
) -> Result<Option<Vec<TypeHierarchyItem>>, RequestError> {
    related(ask, &params.item, |answering, id| {
        let bases = bases_of(answering.snapshot(), &[id])?;
        Ok(bases.into_iter().filter(|(_, depth)| *depth == 1).collect())
    })
}

/// Returns what directly inherits, implements or extends an item.
pub fn subtypes(
    ask: Ask<'_>,
    params: TypeHierarchySubtypesParams,
) -> Result<Option<Vec<TypeHierarchyItem>>, RequestError> {
    related(ask, &params.item, |answering, id| {
        Ok(direct_implementations(answering.snapshot(), &[id])?)
    })
}

fn related(
    ask: Ask<'_>,
    item: &TypeHierarchyItem,
    find: impl FnOnce(&Answering<'_>, NodeId) -> Result<Vec<(NodeId, u32)>, RequestError>,
) -> Result<Option<Vec<TypeHierarchyItem>>, RequestError> {
    let Some((answering, _)) = ask.view.open(&item.uri, ask.canceller)? else {
        return Ok(None);
    };
    let mut items = Vec::new();
    for (id, _) in find(&answering, id_of(item.data.as_ref())?)? {
        if let Some(item) = Item::load(&answering, id, None)? {
            items.push(item.into_type_item(&answering)?);
        }
    }
    Ok(Some(items))
}
