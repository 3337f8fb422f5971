//! Selects of a kind by words and folders: `email providers in libraries`.

use super::{Kind, Selection, is_listed};
use crate::model::graph::Node;
use crate::query::{Occurrences, QueryError, implementations_of};
use crate::store;

/// Selects of a kind what a question asks for; without the words, or all, if there is none of it.
pub(super) fn select(
    occurrences: &mut Occurrences<'_, '_>,
    mut kind: Kind,
    asked: Selection,
    folders: &[String],
) -> Result<Kind, QueryError> {
    let without_words = Selection {
        words: Vec::new(),
        folder: asked.folder.clone(),
    };
    for selection in [&asked, &without_words] {
        if *selection == Selection::default() {
            break;
        }
        let mut selected = narrowed(occurrences, &kind, &selection.words, folders)?;
        if !selected.is_empty() {
            selected.selection = selection.clone();
            kind = selected;
            break;
        }
    }

    kind.asked = asked;
    Ok(kind)
}

/// Returns what of a kind has all words in its name or path, and is in one of the folders, if any.
fn narrowed(
    occurrences: &mut Occurrences<'_, '_>,
    kind: &Kind,
    words: &[String],
    folders: &[String],
) -> Result<Kind, QueryError> {
    let is_selected = |path: &str, name: &str| {
        let place = format!("{path} {name}").to_lowercase();
        let is_inside = |folder: &String| {
            let rest = path.strip_prefix(folder.as_str());
            rest.is_some_and(|rest| rest.starts_with('/'))
        };
        words.iter().all(|word| place.contains(word.as_str()))
            && (folders.is_empty() || folders.iter().any(is_inside))
    };
    let of_nodes = |nodes: &[Node]| -> Vec<Node> {
        let path = |node: &Node| {
            node.spans
                .first()
                .map_or(String::new(), |span| span.path.clone())
        };
        let selected = nodes
            .iter()
            .filter(|node| is_selected(&path(node), &node.name));
        selected.cloned().collect()
    };

    let mut selected = Kind {
        words: kind.words.clone(),
        clause: kind.clause.clone(),
        unknown_folder: kind.unknown_folder.clone(),
        implementing: of_nodes(&implementing(occurrences, kind)?),
        inheriting: of_nodes(&kind.inheriting),
        decorated: of_nodes(&kind.decorated),
        named: of_nodes(&kind.named),
        ..Kind::default()
    };
    let implementing: Vec<_> = selected.implementing.iter().map(|node| node.id).collect();
    selected
        .named
        .retain(|node| !implementing.contains(&node.id));

    let files = kind.files.iter().filter(|path| is_selected(path, ""));
    selected.files = files.cloned().collect();
    let routes = kind.file_routes.iter();
    let routes = routes.filter(|(route, path)| is_selected(path, route));
    selected.file_routes = routes.cloned().collect();
    for step in &kind.routes {
        if is_selected(&occurrences.path(step.site.0)?, &step.label) {
            selected.routes.push(step.clone());
        }
    }
    for step in &kind.commands {
        if is_selected(&occurrences.path(step.site.0)?, &step.label) {
            selected.commands.push(step.clone());
        }
    }
    Ok(selected)
}

/// Returns what implements or derives from the type of a kind, by name.
fn implementing(occurrences: &Occurrences<'_, '_>, kind: &Kind) -> Result<Vec<Node>, QueryError> {
    let snapshot = occurrences.sources.snapshot();
    let mut nodes = Vec::new();
    if let Some(base) = &kind.base {
        for (id, _) in implementations_of(snapshot, &[base.id])? {
            nodes.extend(store::node(snapshot, id)?.filter(is_listed));
        }
    }
    nodes.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
    Ok(nodes)
}
