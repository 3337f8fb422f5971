//! Sections about the uses of a field, property or variable: what reads it, what writes it, and where a
//! configuration fills its object.

use codeagent_core::model::graph::{EdgeType, Language, Node, NodeId, NodeKind};
use codeagent_core::query::{self, Occurrence, Occurrences};

use super::{Subject, object_literal};
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Methods of .NET whose type argument is filled with a section of the configuration.
const BINDERS: [&str; 3] = ["AddOptions<", "Configure<", ".Get<"];

/// Beginnings of words that ask for writes.
const WRITING: [&str; 5] = ["assign", "fill", "pass", "set", "writ"];

/// Maximum number of uses of an event among which raises are looked for.
const MAX_RAISES: usize = 500;

/// Adds the uses of a field, property or variable; writes are separate where the source lines show
/// them, and first if the question asks for them. Says so if there are none here and elsewhere.
pub(super) fn reads_and_writes(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    uses: Vec<Occurrence>,
    is_used_elsewhere: bool,
) -> Result<(), AnswerError> {
    if uses.is_empty() && !is_used_elsewhere {
        document.line("the index knows no certain use of it");
    }
    let wants = subject.wants;
    let is_wanted = wants.callers || wants.impact || wants.flow;
    let is_event = subject.first().kind == NodeKind::Event;
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    for place in uses {
        if is_write(subject, occurrences, &place)? {
            writes.push(place);
        } else {
            reads.push(place);
        }
    }

    let (written, read) = if is_event {
        ("subscribed or unsubscribed at", "raised or used by")
    } else {
        ("written by", "read or used by")
    };

    let asks_for_writes = subject
        .words
        .iter()
        .any(|word| WRITING.iter().any(|start| word.starts_with(start)));
    let mut sections = [("reads", read, reads), ("writes", written, writes)];
    if asks_for_writes {
        sections.reverse();
    }
    for (key, title, places) in sections {
        document.section(wants.weigh(Section::occurrence_rows(key, title, places), is_wanted, 20));
    }
    Ok(())
}

/// Reports whether a place writes the subject.
fn is_write(
    subject: &Subject<'_>,
    occurrences: &mut Occurrences<'_, '_>,
    place: &Occurrence,
) -> Result<bool, AnswerError> {
    let name = &subject.first().name;
    let source = place.source.as_deref().unwrap_or_default();
    // The attribute of a JSX element, and the key of an object literal, write a property.
    let is_property = subject.first().kind == NodeKind::Property;
    let is_script = !place.path.ends_with(".cs");
    if is_property {
        if is_attribute(source, name, &place.path) {
            return Ok(true);
        }
        if is_script && object_literal::may_be_key(source, name) {
            let last = place.line + object_literal::MAX_LINES;
            let lines = occurrences.sources.lines(&place.path, place.line, last)?;
            if object_literal::is_key(&lines.unwrap_or_default(), name) {
                return Ok(true);
            }
        }
    }
    if is_property && is_script && is_default(source, name) {
        return Ok(false);
    }
    if source.matches(name.as_str()).nth(1).is_some() {
        return is_written_at_use(subject, occurrences, place);
    }
    Ok(is_written(source, name))
}

/// Reports whether one of the uses on a line that has the name several times assigns it:
/// `settings.Size = Size.Value`.
fn is_written_at_use(
    subject: &Subject<'_>,
    occurrences: &mut Occurrences<'_, '_>,
    place: &Occurrence,
) -> Result<bool, AnswerError> {
    let name = subject.first().name.as_str();
    let types = [EdgeType::Calls, EdgeType::References];
    for used in occurrences.incoming(&subject.ids(), &types)? {
        if used.line != place.line || occurrences.path(used.file)? != place.path {
            continue;
        }
        let sources = &mut occurrences.sources;
        let rest = sources.rest_of_line(&place.path, used.line, used.column)?;
        let rest = rest.and_then(|rest| rest.strip_prefix(name));
        if rest.is_some_and(is_assigned) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Adds the callers of the methods that raise an event of their own type: `OnClosed` for `Closed`.
pub(super) fn raisers(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<(), AnswerError> {
    let event = subject.first();
    if event.kind != NodeKind::Event {
        return Ok(());
    }
    let types = [EdgeType::Calls, EdgeType::References];
    let uses = occurrences.incoming(&subject.ids(), &types)?;
    let mut raising: Vec<NodeId> = Vec::new();
    for used in uses.iter().take(MAX_RAISES) {
        let path = occurrences.path(used.file)?;
        let line = occurrences.sources.line(&path, used.line)?;
        let is_subscription = line.is_some_and(|line| is_written(&line, &event.name));
        if !is_subscription && !raising.contains(&used.other) {
            raising.push(used.other);
        }
    }

    for id in raising {
        let Some(symbol) = query::get_node(occurrences.sources.snapshot(), id)? else {
            continue;
        };
        let Node {
            name, parent, kind, ..
        } = &symbol.node;
        if *kind != NodeKind::Method || *parent != event.parent {
            continue;
        }
        let calls = occurrences.incoming(&[id], &[EdgeType::Calls])?;
        let mut places = occurrences.of_edges(&calls)?;
        places.retain(|place| !place.is_test());
        let title = format!("raised through {name} by");
        document.section(Section::occurrence_rows("raisers", title, places).weighing(20));
    }
    Ok(())
}

/// Adds the places where a section of the configuration fills the type of a property:
/// `services.Configure<MailOptions>(configuration.GetSection("mail"))` sets `MailOptions.Port`, too.
pub(super) fn bindings(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<(), AnswerError> {
    let property = subject.first();
    let is_filled = property.language == Language::CSharp && property.kind == NodeKind::Property;
    let Some(owner) = property.parent.filter(|_| is_filled) else {
        return Ok(());
    };
    let Some(symbol) = query::get_node(occurrences.sources.snapshot(), owner)? else {
        return Ok(());
    };
    let argument = format!("{}>(", symbol.node.name);

    let uses = occurrences.incoming(&[owner], &[EdgeType::References])?;
    let mut places = occurrences.of_edges(&uses)?;
    let binds = |source: &str| is_binding(source) && source.contains(&argument);
    places.retain(|place| !place.is_test() && place.source.as_deref().is_some_and(binds));
    for place in &mut places {
        add_next_line(occurrences, place)?;
    }
    places.retain(|place| place.source.as_deref().is_some_and(names_configuration));
    let title = "its object is filled from a configuration at";
    document.section(Section::occurrence_rows("bindings", title, places).weighing(20));
    Ok(())
}

/// Reports whether a line calls a method that may fill an object from a configuration.
fn is_binding(line: &str) -> bool {
    BINDERS.iter().any(|binder| line.contains(binder))
}

/// Reports whether a text names a configuration or a section of one.
fn names_configuration(text: &str) -> bool {
    let text = text.to_lowercase();
    let given = text.split_once(">(").map_or("", |(_, given)| given);
    text.contains(".get<") && text.contains("config")
        || ["config", "section"]
            .iter()
            .any(|word| given.contains(word))
}

/// Adds the next line to a call that ends after a comma or parenthesis.
fn add_next_line(
    occurrences: &mut Occurrences<'_, '_>,
    place: &mut Occurrence,
) -> Result<(), AnswerError> {
    let next = place.line + 1;
    if let Some(source) = &mut place.source
        && source.ends_with([',', '('])
        && let Some(line) = occurrences.sources.line(&place.path, next)?
    {
        source.push(' ');
        source.push_str(line.trim());
    }
    Ok(())
}

/// Reports whether a line of TypeScript takes a property out of an object, with a default:
/// `({ total = 0 }) =>`. A property is assigned behind a dot.
fn is_default(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let is_start = before.is_none_or(|c| c.is_whitespace() || "{(,".contains(c));
        is_start && line[at + name.len()..].starts_with(" = ")
    })
}

/// Reports whether a line passes a property as an attribute of an element: `<Page bright={true} />`.
fn is_attribute(line: &str, name: &str, path: &str) -> bool {
    let attribute = format!("{name}={{");
    let is_element = path.ends_with(".tsx") || path.ends_with(".jsx");
    is_element && (line.starts_with(&attribute) || line.contains(&format!(" {attribute}")))
}

/// Reports whether a line assigns a name.
fn is_written(line: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    line.match_indices(name).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let rest = &line[at + name.len()..];
        if before.is_some_and(is_word) || rest.starts_with(is_word) {
            return false;
        }
        // A JSX attribute is not an assignment, and a local variable of the name is another symbol.
        if rest.starts_with("={") || is_declared_after(&line[..at]) {
            return false;
        }

        line[..at].ends_with("++") || is_assigned(rest)
    })
}

/// Reports whether a name is assigned by what follows it.
fn is_assigned(rest: &str) -> bool {
    let rest = rest.trim_start();
    if rest.starts_with("++") || rest.starts_with("--") {
        return true;
    }

    let is_operator = |c: &char| "=+-*/%&|^?<>!".contains(*c);
    let operator: String = rest.chars().take_while(is_operator).collect();
    match operator.as_str() {
        "==" | "===" | "=>" | "<=" | ">=" | "!=" | "!==" | "" => false,
        operator => operator.ends_with('='),
    }
}

/// Reports whether a text ends with a keyword or type, so that a declared name follows.
fn is_declared_after(before: &str) -> bool {
    let word = before.trim_end();
    let last = word.rsplit(|c: char| !c.is_alphanumeric()).next();
    word.len() < before.len()
        && word.ends_with(|c: char| c.is_alphanumeric() || ">]?".contains(c))
        && !matches!(last, Some("else" | "do" | "return"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_default_in_a_pattern_is_no_write() {
        for (line, expected) in [
            ("({ total = 0, sum }) => total", true),
            ("const { sum, total = 0 } = cart;", true),
            ("total = 0,", true),
            ("cart.total = 0;", false),
            ("<Row total=\"0\" />", false),
        ] {
            assert_eq!(is_default(line, "total"), expected, "{line}");
        }
    }

    #[test]
    fn writes_are_distinguished_from_reads() {
        for (line, expected) in [
            ("this.total = 1;", true),
            ("total += 1", true),
            ("total ??= 1", true),
            ("cart.total++", true),
            ("if (total == 1)", false),
            ("total => 1", false),
            ("total >= 1", false),
            ("subtotal = total", false),
            ("const total = cart.total;", false),
            ("int total = cart.total;", false),
            ("if (a) b(); else total = 1;", true),
            ("return total;", false),
            ("<Row total={total} />", false),
        ] {
            assert_eq!(is_written(line, "total"), expected, "{line}");
        }
    }
}
