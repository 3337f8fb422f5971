//! Sections about the uses of a field, property or variable: what reads it, what writes it, and where a
//! configuration fills its object.

use std::collections::HashMap;

use codeagent_core::model::graph::{Access, EdgeType, Language, Node, NodeKind};
use codeagent_core::query::{self, Occurrence, Occurrences};

use super::environment_settings::uses_of_values;
use super::member::{MAX_CONTINUED, add_chain};
use super::message::add_callers_around;
use super::wants::says;
use super::{Subject, effects, object_literal, passed_values};
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Methods of .NET whose type argument is filled with a section of the configuration.
const BINDERS: [&str; 3] = ["AddOptions<", "Configure<", ".Get<"];

/// Beginnings of words that ask for writes.
const WRITING: [&str; 5] = ["assign", "fill", "pass", "set", "writ"];

/// Operators that assign, besides `=`.
const ASSIGNING: [&str; 17] = [
    "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", ">>>=", "**=", "&&=",
    "||=", "??=",
];

/// Adds the uses of a field, property or variable; writes are separate where the source lines show
/// them, and first if the question asks for them. Says so if there are none here and elsewhere. A constant
/// that a function returns is also used by the callers of the function.
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
    property_of_field(subject, document, occurrences)?;
    let wants = subject.wants;
    let is_wanted = wants.callers || wants.impact || wants.flow;
    let is_event = subject.first().kind == NodeKind::Event;
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    let mut columns = None;
    for place in uses {
        if is_write(subject, occurrences, &place, &mut columns)? {
            writes.push(place);
        } else {
            reads.push(place);
        }
    }

    for place in reads.iter_mut().take(MAX_CONTINUED) {
        add_chain(occurrences, place)?;
    }
    let (written, read) = if is_event {
        ("subscribed or unsubscribed at", "raised or used by")
    } else {
        ("written by", "read or used by")
    };

    let asks_for_writes = says(subject.words, &WRITING);
    if effects::asks_for_effects(subject.words) {
        let effects = effects::section(occurrences, &reads)?;
        document.section(wants.weigh(effects, true, 0));
        let setting = Some(subject.first());
        uses_of_values(document, occurrences, (&reads, setting))?;
        document.section(effects::named_after(occurrences, subject.first())?);
    }
    if subject.words.iter().any(|word| word.starts_with("read")) {
        passed_values::section(document, occurrences, (subject.first(), &reads))?;
    }
    let mut sections = [("reads", read, reads), ("writes", written, writes)];
    if asks_for_writes {
        sections.reverse();
    }
    if is_wanted && subject.first().kind == NodeKind::EnumMember {
        let is_returned = |place: &&Occurrence| {
            let source = place.source.as_deref().unwrap_or_default();
            source.starts_with("return ") && !place.is_test()
        };
        let returned: Vec<&Occurrence> = sections[0].2.iter().filter(is_returned).collect();
        add_callers_around(document, occurrences, &returned)?;
    }
    for (key, title, places) in sections {
        document.section(wants.weigh(Section::occurrence_rows(key, title, places), is_wanted, 20));
    }
    Ok(())
}

/// Adds the uses of the property that has the name of a private field, but for case and `_`.
fn property_of_field(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<(), AnswerError> {
    let field = subject.first();
    let is_private = field.kind == NodeKind::Field && field.access == Some(Access::Private);
    let Some(owner) = field.parent.filter(|_| is_private) else {
        return Ok(());
    };

    let name = field.name.trim_start_matches('_');
    let mut members = query::members_of(occurrences.sources.snapshot(), owner)?;
    members.retain(|member| {
        member.kind == NodeKind::Property && member.name.eq_ignore_ascii_case(name)
    });

    for property in members {
        let line = property.spans.first().map_or(0, |span| span.name_line);
        let uses = occurrences.uses_of(&[property.id], &[EdgeType::References])?;
        let title = format!(
            "uses of the property {} (line {line}), by name",
            property.name
        );
        document.section(Section::occurrence_rows("property", title, uses).weighing(20));
    }
    Ok(())
}

/// The columns of the uses on each line, if they were looked up.
type UseColumns = Option<HashMap<(String, u32), Vec<u32>>>;

/// Reports whether a place writes the subject.
fn is_write(
    subject: &Subject<'_>,
    occurrences: &mut Occurrences<'_, '_>,
    place: &Occurrence,
    columns: &mut UseColumns,
) -> Result<bool, AnswerError> {
    let name = &subject.first().name;
    let source = place.source.as_deref().unwrap_or_default();
    // The attribute of a JSX element, and the key of an object literal, write a property.
    let is_property = subject.first().kind == NodeKind::Property;
    let is_script = !place.path.ends_with(".cs");

    if words_of(source, name).nth(1).is_some() {
        return is_written_at_use(subject, occurrences, place, columns);
    }

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

    let is_taken = is_property && is_script && is_default(source, name);
    Ok(!is_taken && is_written(source, name))
}

/// Reports whether one of the uses on a line that has the name several times assigns it:
/// `settings.Size = Size.Value`, `{ size: settings.size }`.
fn is_written_at_use(
    subject: &Subject<'_>,
    occurrences: &mut Occurrences<'_, '_>,
    place: &Occurrence,
    columns: &mut UseColumns,
) -> Result<bool, AnswerError> {
    let Node { name, kind, .. } = subject.first();
    let columns = match columns {
        Some(columns) => columns,
        None => columns.insert(columns_of(subject, occurrences)?),
    };
    let is_bare_read = *kind == NodeKind::Property && !place.path.ends_with(".cs");
    let next = place.line + 1;
    let last = place.line + object_literal::MAX_LINES;
    let key = (place.path.clone(), place.line);

    for column in columns.get(&key).into_iter().flatten() {
        let sources = &mut occurrences.sources;
        let line = sources.rest_of_line(&place.path, place.line, 1)?;
        let line = line.unwrap_or_default().to_owned();
        let rest = sources.rest_of_line(&place.path, place.line, *column)?;
        let Some(rest) = rest else { continue };

        let before = line.strip_suffix(rest).unwrap_or_default();
        let is_taken = is_bare_read && !before.ends_with('.') && !before.ends_with(['+', '-']);
        let after = rest.strip_prefix(name.as_str()).unwrap_or_default();
        let is_attribute = after.starts_with("={") || after.starts_with("=\"");
        if is_attribute || is_assigned(after) && !is_taken || is_counted(before) {
            return Ok(true);
        }

        if is_bare_read {
            let after = after.to_owned();
            let lines = sources.lines(&place.path, next, last)?.unwrap_or_default();
            if object_literal::is_key_between(before, &after, &lines) {
                return Ok(true);
            }
        }
    }

    Ok(false)
}

fn columns_of(
    subject: &Subject<'_>,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<HashMap<(String, u32), Vec<u32>>, AnswerError> {
    let types = [EdgeType::Calls, EdgeType::References];
    let mut columns: HashMap<(String, u32), Vec<u32>> = HashMap::new();
    for used in occurrences.incoming(&subject.ids(), &types)? {
        let path = occurrences.path(used.file)?;
        columns
            .entry((path, used.line))
            .or_default()
            .push(used.column);
    }
    Ok(columns)
}

/// Reports whether `++` or `--` precedes a receiver: `++cart.total`.
fn is_counted(before: &str) -> bool {
    let is_path = |c: char| c.is_alphanumeric() || "_$.".contains(c);
    let before = before.trim_end_matches(is_path);
    before.ends_with("++") || before.ends_with("--")
}

/// Returns the offsets of a name in a text, without those where it is part of a longer one.
fn words_of<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let offsets = text.match_indices(name).map(|(at, _)| at);
    offsets.filter(move |at| {
        !text[..*at].ends_with(is_word) && !text[at + name.len()..].starts_with(is_word)
    })
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
    // `options.Configure<IConfig>((options, config) => ..)` fills other options from the type.
    if given
        .split_once("=>")
        .is_some_and(|(parameters, _)| parameters.contains(','))
    {
        return false;
    }
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
pub(super) fn is_written(line: &str, name: &str) -> bool {
    words_of(line, name).any(|at| {
        let rest = &line[at + name.len()..];
        // A JSX attribute is not an assignment, and a local variable of the name is another symbol.
        if rest.starts_with("={") || is_declared_after(&line[..at]) {
            return false;
        }

        is_counted(&line[..at]) || is_assigned(rest)
    })
}

/// Reports whether a name is assigned by what follows it.
fn is_assigned(rest: &str) -> bool {
    let rest = rest.trim_start();
    if let Some(value) = rest.strip_prefix('=') {
        return !value.starts_with(['=', '>']);
    }
    let mut operators = ASSIGNING.iter();
    operators.any(|operator| rest.starts_with(operator))
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
            ("this.total=!0", true),
            ("++cart.total", true),
            ("if (a < --total) {}", true),
            ("return total;", false),
            ("<Row total={total} />", false),
        ] {
            assert_eq!(is_written(line, "total"), expected, "{line}");
        }
    }
}
