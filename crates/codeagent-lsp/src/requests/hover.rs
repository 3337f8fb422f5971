//! Hover: signature, documentation and confidence; of a local, its kind and where it is declared.

use codeagent_render::answers::{HoverQuery, LocalHover, hover_text, local_text};
use lsp_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind};

use crate::requests::{Ask, RequestError};

/// Describes the symbols at the cursor.
pub fn hover(ask: Ask<'_>, params: HoverParams) -> Result<Option<Hover>, RequestError> {
    let at = params.text_document_position_params;
    let Some((answering, path)) = ask.view.open(&at.text_document.uri, ask.canceller)? else {
        return Ok(None);
    };

    let cursor = answering.at(&path, at.position)?;
    let mut texts = Vec::new();
    if let Some(local) = &cursor.local {
        let text = answering.text(&path);
        let declared = text.as_deref().map_or("", |text| {
            text.lines().line(local.at.line.saturating_sub(1) as usize)
        });
        texts.push(local_text(&LocalHover {
            name: local,
            path: &path,
            declared,
        }));
    }
    for id in cursor.symbols() {
        let used = cursor.uses.iter().find(|each| each.target == id);
        let query = HoverQuery {
            symbol: id,
            used: used.map(|used| (used.confidence, used.candidates.as_slice())),
        };
        texts.extend(hover_text(answering.snapshot(), &query)?);
    }
    if texts.is_empty() {
        return Ok(None);
    }

    Ok(Some(Hover {
        contents: HoverContents::Markup(MarkupContent {
            kind: MarkupKind::Markdown,
            value: texts.join("\n\n---\n\n"),
        }),
        range: Some(cursor.range),
    }))
}
