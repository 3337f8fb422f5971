//! Settings that environment variables hold, and what uses their values.
//!
//! .NET reads `SHOP_MAIL__PORT` as the setting `mail:port` where the variables of a program have the prefix
//! `SHOP_`.

use codeagent_core::model::graph::{EdgeType, Node, NodeKind};
use codeagent_core::query::{self, EventSites, LiteralTarget, Occurrence, Occurrences};

use super::literal::regex;
use super::member::{is_callable, numbered, source_lines};
use super::object_literal;
use super::wants::WANTED;
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Maximum number of places that are read for a prefix or key.
const MAX_SITES: usize = 20;

/// Lines shown behind one that makes the name of a variable.
const BEHIND_NAME: u32 = 6;

/// What reads a variable whose name is computed.
const COMPUTED_READS: [&str; 3] = ["process.env[", "import.meta.env[", "Deno.env.get("];

/// Maximum number of lines above the property of an object literal among which the literal begins.
const MAX_ABOVE: u32 = 20;

/// Maximum number of properties to which a value is followed.
const MAX_PROPERTIES: usize = 6;

/// Maximum number of uses of a property to which a value is followed; one of more holds other values, too.
const MAX_HOLDER_USES: usize = 16;

/// Maximum number of functions that read a setting whose source is shown, and its characters for each.
const MAX_READERS: usize = 2;
const MAX_SOURCE_CHARS: usize = 600;

/// Adds a line about the prefix of an environment variable that no code names, and returns the setting that it is
/// read as.
pub(super) fn setting(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    variable: &str,
) -> Result<Option<LiteralTarget>, AnswerError> {
    for (prefix, key) in splits(variable) {
        let snapshot = occurrences.sources.snapshot();
        let mut keys = query::literal_sites(snapshot, &key, MAX_SITES)?;
        keys.retain(|site| site.text.eq_ignore_ascii_case(&key));
        let prefixes = query::literal_sites(snapshot, prefix, MAX_SITES)?;
        let Some(first) = keys.first() else {
            continue;
        };

        let found = (variable, first.text.as_str(), prefix);
        if let Some(setting) = of_computed_name(document, occurrences, found)? {
            return Ok(Some(setting));
        }

        for site in prefixes.iter().filter(|site| site.text == prefix) {
            let line = occurrences.sources.line(&site.path, site.line)?;
            if line.is_some_and(|line| line.to_lowercase().contains("env")) {
                document.line(format!(
                    "{variable} is the setting \"{}\": \"{prefix}\" begins the names of environment variables ({}:{})",
                    first.text, site.path, site.line
                ));
                return Ok(Some(setting_of(&first.text)));
            }
        }
    }

    Ok(None)
}

/// Adds a line about the code that computes the name of an environment variable from a prefix and the key of a setting
/// (`$"SHOP_{key.ToUpper()}"`), and returns the setting.
fn of_computed_name(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (variable, key, prefix): (&str, &str, &str),
) -> Result<Option<LiteralTarget>, AnswerError> {
    let pattern = format!("[\"'`]{}\\$?\\{{", query::escaped_text(prefix));
    let found = query::search_text(occurrences, &regex(&pattern))?;
    let Some(place) = found.code.first() else {
        return Ok(None);
    };

    document.line(format!(
        "{variable} is the setting \"{key}\": {}:{} makes the name of the variable: {}",
        place.path,
        place.line,
        place.source.as_deref().unwrap_or_default()
    ));

    let (path, line) = (place.path.clone(), place.line);
    let lines = occurrences.sources.lines(&path, line, line + BEHIND_NAME)?;
    let lines = numbered(&lines.unwrap_or_default(), line);
    document.section(Section::lines("computed name", path, lines).weighing(20));
    Ok(Some(setting_of(key)))
}

fn setting_of(key: &str) -> LiteralTarget {
    LiteralTarget {
        text: key.to_owned(),
        method: None,
        routes: Vec::new(),
        files: Vec::new(),
        events: EventSites::default(),
    }
}

/// Adds the uses of an environment variable as a key of an object that takes all variables with a prefix:
/// `logs.LEVEL` for `LOG_LEVEL` and `const logs = createEnv({ .. pick("LOG_") })`. Reports whether there are any.
pub(super) fn of_prefixed_object(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    variable: &str,
) -> Result<bool, AnswerError> {
    for (prefix, _) in splits(variable) {
        let snapshot = occurrences.sources.snapshot();
        let mut sites = query::literal_sites(snapshot, prefix, MAX_SITES)?;
        sites.retain(|site| site.text == prefix && !query::is_test_path(&site.path));
        for site in sites {
            let place = occurrences.at(&site.path, site.line)?;
            let source = place.source.as_deref().unwrap_or_default();
            if !source.to_lowercase().contains("env") {
                continue;
            }
            let snapshot = occurrences.sources.snapshot();
            let file = query::derive_file_id(snapshot, &site.path)?;
            let around = query::enclosing(snapshot, file, site.line)?.map(|around| around.node);
            let Some(object) = around.filter(|node| node.kind == NodeKind::Variable) else {
                continue;
            };
            let key = &variable[prefix.len()..];
            let uses = query::uses_of_key(occurrences, object.id, key)?;
            if uses.is_empty() {
                continue;
            }

            document.line(format!(
                "{variable} is {}.{key}: \"{prefix}\" begins the names of environment variables ({}:{})",
                object.name, site.path, site.line
            ));
            let (tests, code): (Vec<_>, Vec<_>) = uses.into_iter().partition(Occurrence::is_test);
            let section = Section::occurrence_rows("reads", "read by", code);
            document.section(section.weighing(WANTED));
            readers(document, occurrences, (prefix, &[place]))?;
            document.section(Section::occurrence_rows("tests", "in tests", tests).weighing(10));
            return Ok(true);
        }
    }
    Ok(false)
}

/// Adds the uses of the properties that some lines give the value of a setting: `Port = settings.Get("port")`,
/// `Port = settings.Port`. `setting` is the symbol of the setting, if it has one.
pub(super) fn uses_of_values(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (reads, setting): (&[Occurrence], Option<&Node>),
) -> Result<(), AnswerError> {
    let mut properties: Vec<Node> = Vec::new();
    for read in reads.iter().take(MAX_SITES) {
        let mut holders = assigned_on_line(occurrences, read)?;
        // A property may compute its value; one of the name of the setting is another one of it.
        let computed = query::property_around(occurrences, read)?;
        holders.extend(computed.filter(|node| setting.is_some_and(|of| of.name != node.name)));

        for node in holders {
            let mut known = properties.iter();
            let is_setting = setting.is_some_and(|setting| setting.id == node.id);
            if known.all(|known| known.id != node.id) && !is_setting {
                properties.push(node);
            }
        }
    }

    uses_of_properties(document, occurrences, (properties, reads))
}

/// Adds the uses of properties that hold the value of a setting, and of those that they are copied to; `known` are
/// places that are shown.
pub(super) fn uses_of_properties(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (mut properties, known): (Vec<Node>, &[Occurrence]),
) -> Result<(), AnswerError> {
    let mut uses: Vec<Occurrence> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let mut followed = 0;
    while let Some(property) = properties
        .get(followed)
        .filter(|_| followed < MAX_PROPERTIES)
    {
        followed += 1;
        let mut name = property.name.clone();
        let mut places = occurrences.uses_of(&[property.id], &[EdgeType::References])?;
        places.retain(|place| {
            let is_known = known.contains(place) || uses.contains(place);
            !place.is_test() && !is_known
        });
        if places.len() > MAX_HOLDER_USES {
            name += &format!(" ({} uses, not listed)", places.len());
            places.clear();
        }
        if !names.contains(&name) {
            names.push(name);
        }
        for place in places.iter().take(MAX_SITES) {
            for node in assigned_on_line(occurrences, place)? {
                if properties.iter().all(|known| known.id != node.id) {
                    properties.push(node);
                }
            }
        }
        uses.extend(places);
    }

    let title = format!("uses of {}, which holds its value", names.join(", "));
    document.section(Section::occurrence_rows("values", title, uses).weighing(30));
    Ok(())
}

/// Returns the property that the line of a place gives what it reads.
fn assigned_on_line(
    occurrences: &Occurrences<'_, '_>,
    place: &Occurrence,
) -> Result<Vec<Node>, AnswerError> {
    let Some(name) = place.source.as_deref().and_then(assigned) else {
        return Ok(Vec::new());
    };
    properties_on_line(occurrences, place, name)
}

/// Returns the properties and fields of a name that the line of a place uses.
pub(super) fn properties_on_line(
    occurrences: &Occurrences<'_, '_>,
    place: &Occurrence,
    name: &str,
) -> Result<Vec<Node>, AnswerError> {
    let mut nodes = used_on_line(occurrences, place)?;
    nodes.retain(|node| {
        matches!(node.kind, NodeKind::Property | NodeKind::Field) && node.name == name
    });
    Ok(nodes)
}

/// Adds the source of the functions that get the name of a setting as their first argument: `required("PORT")`.
pub(super) fn readers(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (setting, reads): (&str, &[Occurrence]),
) -> Result<(), AnswerError> {
    let mut readers: Vec<Node> = Vec::new();
    for read in reads.iter().take(MAX_SITES) {
        let source = read.source.as_deref().unwrap_or_default();

        for node in used_on_line(occurrences, read)? {
            let is_reader = |node: &Node| {
                let mut known = readers.iter();
                let given = ['"', '\'', '`'].map(|quote| format!("{}({quote}{setting}", node.name));
                let is_given = given.iter().any(|call| source.contains(call.as_str()));
                is_given && known.all(|known| known.id != node.id)
            };
            readers.extend(Some(node).filter(is_reader));
        }
    }

    computed_reads(document, occurrences, (setting, reads))?;
    for reader in readers.iter().take(MAX_READERS) {
        let path = reader.spans.first().map_or("", |span| &span.path);
        let title = format!("{}, which gets its name  {path}", reader.name);
        let lines = source_lines(occurrences, reader)?;
        let section = Section::lines("readers", title, lines);
        document.section(section.weighing(20).at_most(MAX_SOURCE_CHARS));
    }
    Ok(())
}

/// Adds the lines that read a variable by a computed name in the functions that get the name of a setting as a property
/// of an object: `process.env[key]` in `secret` of `secret({ key: "TOKEN" })`.
fn computed_reads(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (setting, reads): (&str, &[Occurrence]),
) -> Result<(), AnswerError> {
    let mut places: Vec<Occurrence> = Vec::new();
    for read in reads.iter().take(MAX_SITES) {
        let first = read.line.saturating_sub(MAX_ABOVE).max(1);
        let lines = occurrences.sources.lines(&read.path, first, read.line)?;
        let lines = lines.unwrap_or_default();
        let Some(opening) = object_literal::opening(&lines, setting) else {
            continue;
        };

        let call = occurrences.at(&read.path, first + opening as u32)?;
        let source = lines[opening].as_str();
        for node in used_on_line(occurrences, &call)? {
            let Some(span) = node.spans.first().filter(|_| is_callable(&node)) else {
                continue;
            };
            if !source.contains(&format!("{}({{", node.name)) {
                continue;
            }

            let (path, first) = (&span.path, span.span.start.line);
            let lines = occurrences.sources.lines(path, first, span.span.end_line)?;
            for (number, line) in (first..).zip(lines.iter().flatten()) {
                if COMPUTED_READS.iter().any(|read| line.contains(read)) {
                    places.push(occurrences.at(path, number)?);
                }
            }
        }
    }

    places.sort_unstable();
    places.dedup();
    let title = "reads of variables by a computed name in functions that get this one";
    document.section(Section::occurrence_rows("computed", title, places).weighing(30));
    Ok(())
}

/// Returns the symbols that the line of a place uses.
pub(super) fn used_on_line(
    occurrences: &Occurrences<'_, '_>,
    place: &Occurrence,
) -> Result<Vec<Node>, AnswerError> {
    let snapshot = occurrences.sources.snapshot();
    let mut nodes = Vec::new();
    for (_, used) in query::uses_on_lines(snapshot, &place.path, &(place.line..=place.line))? {
        nodes.extend(query::get_node(snapshot, used.target)?.map(|symbol| symbol.node));
    }
    Ok(nodes)
}

/// Returns the name of the property that a line assigns what it reads: `Port = settings.Get("port")`,
/// `Port = settings.Port`.
fn assigned(line: &str) -> Option<&str> {
    let (target, value) = line.split_once(" = ")?;
    // `[nameof(Port)] = settings.Get("port")` is read by the same name.
    let target = target.trim();
    let named = target.strip_prefix("[nameof(");
    let target = named.map_or(target, |named| named.trim_end_matches(")]"));
    let name = target.rsplit('.').next()?;
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    // A condition decides between other values.
    let is_read =
        value.contains(['(', '.']) && !["==", "!=", " ? "].iter().any(|part| value.contains(part));
    (is_name && !name.is_empty() && is_read).then_some(name)
}

/// Returns the ways to split a variable into a prefix and the key of a setting.
fn splits(variable: &str) -> impl Iterator<Item = (&str, String)> {
    let ends = variable.match_indices('_').map(|(at, _)| at + 1);
    ends.filter(|end| *end < variable.len()).map(|end| {
        let (prefix, key) = variable.split_at(end);
        (prefix, key.replace("__", ":"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_is_split_into_prefix_and_key() {
        let found: Vec<(&str, String)> = splits("SHOP_MAIL__PORT").collect();
        let expected = ("SHOP_", "MAIL:PORT".to_owned());
        assert_eq!(found[0], expected);
        assert_eq!(splits("PORT").count(), 0);
    }

    #[test]
    fn a_property_is_assigned_what_is_read() {
        for (line, expected) in [
            ("Port = settings.Get<int>(\"port\");", Some("Port")),
            ("this.port = env(\"PORT\");", Some("port")),
            ("var port = env(\"PORT\");", None),
            ("Port = settings.Port;", Some("Port")),
            ("Name = \"PORT\";", None),
            ("Name = env(\"PORT\") == \"1\"", None),
        ] {
            assert_eq!(assigned(line), expected, "{line}");
        }
    }
}
