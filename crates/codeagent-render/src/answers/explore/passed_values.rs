//! Section about what a called function does with a property that is passed to it: the lines with its parameter.

use codeagent_core::model::graph::{Language, Node, NodeType};
use codeagent_core::model::language::split_outside;
use codeagent_core::query::{Occurrence, Occurrences};

use super::environment_settings::used_on_line;
use super::member::is_callable;
use super::value_lines::has_name;
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Maximum number of reads of a property whose calls are followed, and of lines of a called function.
const MAX_READS: usize = 6;
const MAX_LINES: u32 = 200;

/// Adds the lines of the functions to which some reads pass a property, with the parameter that gets it.
pub(super) fn section(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (property, reads): (&Node, &[Occurrence]),
) -> Result<(), AnswerError> {
    if reads.len() > MAX_READS {
        return Ok(());
    }

    for read in reads {
        let source = read.source.as_deref().unwrap_or_default();
        for function in used_on_line(occurrences, read)? {
            let is_function = is_callable(&function) && function.node_type != NodeType::Property;
            let Some(at) = argument(source, &function.name, &property.name) else {
                continue;
            };
            let Some(parameter) = parameter(&function, at).filter(|_| is_function) else {
                continue;
            };

            let places = lines_with(occurrences, &function, &parameter)?;
            let title = format!(
                "lines of {} with {parameter}, which gets it, matched by text",
                function.name
            );
            document.section(Section::occurrence_rows("passed", title, places).weighing(20));
        }
    }

    Ok(())
}

/// Returns the position of the argument of a call that is a property as a whole: 1 for `close(a, this.total)`.
fn argument(line: &str, function: &str, property: &str) -> Option<usize> {
    let (_, arguments) = line.split_once(&format!("{function}("))?;
    let arguments = split_outside(arguments, ',').into_iter();
    let is_it = |argument: &str| {
        // The last argument ends where the call does.
        let argument = argument.split(')').next().unwrap_or(argument).trim();
        let name = argument.rsplit(['.', '?', '!']).next().unwrap_or(argument);
        name == property
            && argument
                .chars()
                .all(|c| c.is_alphanumeric() || "_.?!".contains(c))
    };
    arguments.map(is_it).position(|is_it| is_it)
}

/// Returns the name of a parameter of a function by its position.
fn parameter(function: &Node, at: usize) -> Option<String> {
    let signature = function.parameter_signature.as_deref()?;
    let inner = signature.strip_prefix('(')?.strip_suffix(')')?;
    let parameters = split_outside(inner, ',');
    let is_extension = inner.starts_with("this ");
    let parameter = parameters.get(at + usize::from(is_extension))?;
    let parameter = parameter.split('=').next().unwrap_or(parameter).trim();
    let name = match function.language {
        Language::CSharp => parameter.rsplit(' ').next(),
        _ => parameter.split([':', '?']).next(),
    };
    let name = name.unwrap_or_default().trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name.then(|| name.to_owned())
}

/// Returns the lines of a function's body with a name.
fn lines_with(
    occurrences: &mut Occurrences<'_, '_>,
    function: &Node,
    name: &str,
) -> Result<Vec<Occurrence>, AnswerError> {
    let Some(span) = function.spans.first() else {
        return Ok(Vec::new());
    };

    let first = span.name_line + 1;
    let last = span.span.end_line.min(first + MAX_LINES);
    let lines = occurrences.sources.lines(&span.path, first, last)?;

    let mut places = Vec::new();
    for (number, line) in (first..).zip(lines.iter().flatten()) {
        if has_name(line, name) {
            places.push(occurrences.at(&span.path, number)?);
        }
    }

    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_argument_that_is_a_property_is_found() {
        for (line, expected) in [
            ("if (matches(device, item.Attributes, other))", Some(1)),
            ("return matches(config?.Attributes) && isOpen;", Some(0)),
            ("where matches(device, item.Attributes)", Some(1)),
            ("matches(item.Attributes.Count)", None),
            ("matches(device); log(item.Attributes)", None),
            ("other(item.Attributes)", None),
        ] {
            assert_eq!(argument(line, "matches", "Attributes"), expected, "{line}");
        }
    }
}
