//! Formats a symbol and its declaration's location as one line.

use codeagent_core::model::graph::NodeId;
use codeagent_core::query::{self, Occurrences, Target, Targets};

use super::AnswerError;
use crate::text::{Document, cut};

/// Maximum characters of a parameter list.
const MAX_PARAMETERS: usize = 100;

/// Maximum other symbols of a name that a note lists.
const MAX_OTHERS: usize = 5;

/// Formats `Cart.total  src/cart.ts:3`.
pub(super) fn symbol_line(
    occurrences: &mut Occurrences<'_, '_>,
    id: NodeId,
) -> Result<String, AnswerError> {
    let Some(symbol) = query::get_node(occurrences.sources.snapshot(), id)? else {
        return Ok(String::new());
    };
    let name = occurrences.short_name(&symbol.node)?;
    Ok(match symbol.node.spans.first() {
        Some(span) => format!("{name}  {}:{}", span.path, span.name_line),
        None => name,
    })
}

/// Formats `method Cart.total(tax: number)  src/cart.ts:3`.
pub(super) fn declaration_line(
    occurrences: &mut Occurrences<'_, '_>,
    id: NodeId,
) -> Result<String, AnswerError> {
    let Some(symbol) = query::get_node(occurrences.sources.snapshot(), id)? else {
        return Ok(String::new());
    };
    let kind = symbol.node.kind.as_str().replace('_', " ");
    let line = symbol_line(occurrences, id)?;
    let parameters = symbol.node.all_parameters();
    let parameters = cut(&parameters, MAX_PARAMETERS);

    Ok(match line.split_once("  ") {
        Some((name, place)) => format!("{kind} {name}{parameters}  {place}"),
        None => format!("{kind} {line}"),
    })
}

/// Adds notes about names without a target, and about other symbols of ambiguous names.
pub(super) fn note_targets(
    occurrences: &mut Occurrences<'_, '_>,
    document: &mut Document,
    targets: &Targets,
    are_all_used: bool,
) -> Result<(), AnswerError> {
    for (asked, _) in &targets.missing {
        document.note(format!("no symbol, file or folder {asked:?} in the index"));
    }

    for target in &targets.found {
        match target {
            Target::Literal(literal) => {
                document.note(format!(
                    "no symbol is named {:?}; strings are not followed",
                    literal.text
                ));
            }
            Target::External { asked, .. } => {
                document.note(format!(
                    "{asked} is outside the repository; `explore` lists what uses it"
                ));
            }
            Target::Symbols(symbols) => {
                let used = if are_all_used {
                    symbols.groups.len()
                } else {
                    1
                };

                let others: Vec<NodeId> = symbols.groups[used..]
                    .iter()
                    .chain(&symbols.others)
                    .map(|group| group.first().id)
                    .collect();
                if others.is_empty() {
                    continue;
                }

                let mut listed = Vec::new();
                for id in others.iter().take(MAX_OTHERS) {
                    listed.push(symbol_line(occurrences, *id)?.replace("  ", " "));
                }

                let more = others.len().saturating_sub(MAX_OTHERS);
                let more = if more > 0 {
                    format!(", and {more} more")
                } else {
                    String::new()
                };

                document.note(format!(
                    "also named {:?}, not included: {}{more}",
                    symbols.asked,
                    listed.join(", ")
                ));
            }
            Target::File { .. } | Target::Folder { .. } => {}
        }
    }

    Ok(())
}
