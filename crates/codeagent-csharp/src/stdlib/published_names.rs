//! Names of a source file's declarations for users of its assembly: documentation-comment ids, as the
//! compiler writes them into the assembly.
//!
//! Limitations: `?` behind a type of a package says that it may be null, whatever the type is.

use codeagent_lang::PublishedFile;
use codeagent_model::facts::*;
use codeagent_model::graph::NodeKind;
use rustc_hash::FxHashMap;

use crate::stdlib::Library;
use crate::stdlib::comment_ids::{FullName, source_comment_id};

/// Returns the declarations that have a name outside the file, with their names.
#[must_use]
pub fn published_names(file: PublishedFile<'_>) -> Vec<(DeclId, String)> {
    let facts = file.facts;
    let mut places: FxHashMap<(TypeId, usize), (u32, u32)> = FxHashMap::default();
    for site in &facts.sites {
        if let Subject::Type(ty, segment) = site.subject {
            places.insert((ty, segment.into()), (site.at.line, site.at.column));
        }
    }

    let names = |ty: TypeId, segment: usize| {
        let (line, column) = *places.get(&(ty, segment))?;
        let named = (file.type_at)(line, column)?;
        Some(FullName {
            is_value: is_value_type(&named.name, named.kind),
            name: named.name,
        })
    };
    (0..facts.decls.len() as u32)
        .map(DeclId)
        .filter(|decl| !facts.decl(*decl).detail.is_none())
        .filter_map(|decl| Some((decl, source_comment_id(facts, decl, &names)?)))
        .collect()
}

fn is_value_type(name: &str, kind: Option<NodeKind>) -> bool {
    match kind {
        Some(kind) => matches!(
            kind,
            NodeKind::Struct | NodeKind::RecordStruct | NodeKind::Enum
        ),
        None => Library::dotnet().has_value_type(name),
    }
}
