//! Headings: kind, name, signature and location of a symbol.

use codeagent_core::model::graph::{Node, NodeFlags, NodeType};
use codeagent_core::query::{self, Occurrences};

use super::derived_types;
use crate::answers::AnswerError;
use crate::text::{Document, NameRow, Section, cut};

/// Maximum characters of parameter list, return type and documentation.
const MAX_PARAMETERS: usize = 160;
const MAX_CONSTRUCTOR_PARAMETERS: usize = 600;
const MAX_RETURN: usize = 80;
const MAX_DOC: usize = 240;

/// Maximum characters of the list of overloads.
const MAX_OVERLOADS: usize = 600;

/// Maximum number of listed bases.
const MAX_LISTED: usize = 6;

/// Writes `## exported function total(tax: number): number  src/cart.ts:3`.
pub(super) fn heading(
    occurrences: &mut Occurrences<'_, '_>,
    node: &Node,
) -> Result<String, AnswerError> {
    Ok(format!("## {}", full(occurrences, node)?))
}

fn full(occurrences: &mut Occurrences<'_, '_>, node: &Node) -> Result<String, AnswerError> {
    let access = match node.access {
        Some(access) => format!("{access} "),
        None if node.flags.has(NodeFlags::PUBLIC_API) && node.node_type != NodeType::File => {
            "exported ".to_owned()
        }
        None => String::new(),
    };
    let kind = node.kind.as_str().replace('_', " ");
    let name = occurrences.short_name(node)?;
    Ok(format!(
        "{access}{kind} {name}{}{}",
        signature(node),
        at(node)
    ))
}

/// Formats the parameters, the type and the accessors of a symbol.
pub(super) fn signature(node: &Node) -> String {
    let parameters = node.all_parameters();
    let result = node.return_type.as_deref();
    let result = result.map(|text| format!(": {}", cut(text, MAX_RETURN)));

    // What a constructor takes is what its type depends on.
    let most = match node.node_type {
        NodeType::Constructor => MAX_CONSTRUCTOR_PARAMETERS,
        _ => MAX_PARAMETERS,
    };

    let accessors = match node.accessors() {
        accessors if accessors.is_empty() => accessors,
        accessors => format!(" {accessors}"),
    };

    format!(
        "{}{}{accessors}",
        cut(&parameters, most),
        result.unwrap_or_default()
    )
}

/// Writes `method Cart.total  src/cart.ts:3`.
pub(super) fn short(
    occurrences: &mut Occurrences<'_, '_>,
    node: &Node,
) -> Result<String, AnswerError> {
    let kind = node.kind.as_str().replace('_', " ");
    Ok(format!(
        "{kind} {}{}",
        occurrences.short_name(node)?,
        at(node)
    ))
}

fn at(node: &Node) -> String {
    let span = node.spans.first();
    span.map(|span| format!("  {}:{}", span.path, span.name_line))
        .unwrap_or_default()
}

/// Reports whether a symbol takes precedence over others of its name.
pub(super) fn is_shown_first(node: &Node) -> bool {
    !matches!(node.node_type, NodeType::Module | NodeType::Constructor)
}

/// Formats an overload; its file is named if it is not `path`.
fn overload(node: &Node, path: &str) -> NameRow {
    let short = match node.spans.first() {
        Some(span) if span.path == path => format!(":{}", span.name_line),
        Some(span) => format!("{}:{}", span.path, span.name_line),
        None => String::new(),
    };
    let name = format!("{}{}", node.name, signature(node));
    NameRow {
        full: format!("{name}  {short}"),
        short,
    }
}

/// Adds documentation, overloads, and the symbols that a symbol implements or overrides.
pub(super) fn details(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    nodes: &[Node],
) -> Result<(), AnswerError> {
    if let Some(doc) = nodes.iter().find_map(|node| node.doc.as_deref()) {
        let text = doc.trim_start_matches(['#', ' ']).replace('\n', " ");
        document.line(cut(&text, MAX_DOC));
    }
    let path = nodes.first().and_then(|node| node.spans.first());
    let path = path.map_or("", |span| span.path.as_str());
    let overloads = nodes.iter().skip(1).map(|node| overload(node, path));
    let overloads = Section::names("overloads", "other overloads", overloads.collect());
    document.section(overloads.weighing(4).at_most(MAX_OVERLOADS));

    let ids: Vec<_> = nodes.iter().map(|node| node.id).collect();
    let bases = query::bases_of(occurrences.sources.snapshot(), &ids)?;
    let (mut names, mut known) = (Vec::new(), Vec::new());
    for (base, _) in bases.iter().take(MAX_LISTED) {
        let base = query::get_node(occurrences.sources.snapshot(), *base)?;
        if let Some(base) = base {
            known.push(base.node.name.clone());
            names.push(format!(
                "{}{}",
                occurrences.short_name(&base.node)?,
                at(&base.node)
            ));
        }
    }
    if nodes[0].node_type.is_type() {
        let types: Vec<&Node> = nodes.iter().collect();
        let snapshot = occurrences.sources.snapshot();
        let outside = query::external_targets(snapshot, &types, &query::HIERARCHICAL)?;
        names.extend(outside.iter().map(|base| base.symbol.to_string()));

        let last = |path: String| path.rsplit('.').next().map(str::to_owned);
        known.extend(outside.iter().filter_map(|base| last(base.symbol.path())));
        let mut unknown = derived_types::written_bases(occurrences, nodes)?;
        let resolved = occurrences.outgoing(&ids, &query::HIERARCHICAL)?.len() + outside.len();
        // A base may be imported under another name.
        let all_resolved = resolved >= unknown.len();
        unknown.retain(|base| !all_resolved && !known.contains(base));
        names.extend(unknown.iter().map(|base| format!("{base} (unknown)")));
    }
    if !names.is_empty() {
        let more = match bases.len().saturating_sub(MAX_LISTED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let verb = match nodes[0].node_type {
            NodeType::Class | NodeType::Interface | NodeType::Type => "bases",
            _ => "implements or overrides",
        };
        document.line(format!("{verb}: {}{more}", names.join(", ")));
    }
    Ok(())
}
