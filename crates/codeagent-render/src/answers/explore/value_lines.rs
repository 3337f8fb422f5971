//! The sections about the variables and properties that take a value where it is read: `const port = env("PORT")`,
//! `{ mailPort: env.PORT }`. What the value decides is seen where they are used.

use codeagent_core::model::graph::Node;
use codeagent_core::query::{self, Occurrence, Occurrences};

use super::environment_settings::{properties_on_line, uses_of_properties};
use super::literal::regex;
use super::member::is_callable;
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Maximum number of reads whose variables are followed.
const MAX_READS: usize = 3;

/// Maximum number of lines of a function that are looked at.
const MAX_LINES: u32 = 600;

/// Maximum number of variables of a function to which a value is followed.
const MAX_NAMES: usize = 3;

/// Maximum number of lines of a function behind a condition in which what it sets depends on that.
const MAX_BEHIND: u32 = 12;

/// Words that declare a variable.
const DECLARING: [&str; 5] = ["const", "let", "string", "string?", "var"];

/// Maximum number of lines with a property; one of more is read everywhere.
const MAX_PROPERTY_LINES: usize = 40;

/// Adds the lines with the local variables and properties that some reads give their values.
pub(super) fn section(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    reads: &[Occurrence],
) -> Result<(), AnswerError> {
    let mut known: Vec<&str> = Vec::new();
    for read in reads.iter().take(MAX_READS) {
        let source = read.source.as_deref().unwrap_or_default();
        if let Some(name) = property(source).filter(|name| !known.contains(name)) {
            known.push(name);
            add_property(document, occurrences, (read, name))?;
        }
        let mut set = match target(source) {
            Some(name) => properties_on_line(occurrences, read, name)?,
            None => Vec::new(),
        };
        let Some(function) = query::function_around(occurrences, read)?.filter(is_callable) else {
            uses_of_properties(document, occurrences, (set, std::slice::from_ref(read)))?;
            continue;
        };
        let Some(span) = function.spans.first().filter(|span| span.path == read.path) else {
            continue;
        };
        let last = span.span.end_line.min(read.line + MAX_LINES);
        if source.trim_start().starts_with("if ") {
            set.extend(set_behind(occurrences, read, last)?);
        }
        uses_of_properties(document, occurrences, (set, std::slice::from_ref(read)))?;
        let Some(name) = declared(source) else {
            continue;
        };
        let FollowedValue {
            names,
            places,
            properties,
        } = follow(occurrences, (read, name), last)?;

        let names = names.join(" or ");
        let title = format!("lines with {names}, which holds the value, matched by text");
        let section = Section::occurrence_rows("value", title, places.clone());
        document.section(section.weighing(30));
        uses_of_properties(document, occurrences, (properties, &places))?;
    }
    Ok(())
}

/// Returns the properties and fields that a function sets in the lines behind a condition, up to `last`; none if it goes
/// on for long: `if (args["quiet"] == null) return; Settings.IsQuiet = true;`.
fn set_behind(
    occurrences: &mut Occurrences<'_, '_>,
    condition: &Occurrence,
    last: u32,
) -> Result<Vec<Node>, AnswerError> {
    if last > condition.line + MAX_BEHIND {
        return Ok(Vec::new());
    }
    let mut set = Vec::new();
    for number in condition.line + 1..=last {
        let place = occurrences.at(&condition.path, number)?;
        if let Some(name) = place.source.as_deref().and_then(target) {
            set.extend(properties_on_line(occurrences, &place, name)?);
        }
    }
    Ok(set)
}

/// What holds a value in the lines behind its read.
struct FollowedValue {
    /// Variables, the one that takes the value first.
    names: Vec<String>,
    /// The lines with these.
    places: Vec<Occurrence>,
    /// The properties and fields that get the value of one.
    properties: Vec<Node>,
}

/// Follows the value of a variable through the lines of its function up to `last`.
fn follow(
    occurrences: &mut Occurrences<'_, '_>,
    (read, name): (&Occurrence, &str),
    last: u32,
) -> Result<FollowedValue, AnswerError> {
    let lines = occurrences.sources.lines(&read.path, read.line + 1, last)?;
    let lines = lines.unwrap_or_default();
    let mut names = vec![name.to_owned()];
    let (mut places, mut properties) = (Vec::new(), Vec::new());
    for (number, line) in (read.line + 1..).zip(&lines) {
        if !names.iter().any(|name| has_name(line, name)) {
            continue;
        }
        let place = occurrences.at(&read.path, number)?;
        if let Some(property) = names.iter().find_map(|name| given(line, name)) {
            properties.extend(properties_on_line(occurrences, &place, property)?);
        }
        places.push(place);

        let next = out_variable(line).or(declared(line));
        let is_known = |next: &&str| names.iter().any(|name| name == next);
        let next = next.filter(|next| names.len() < MAX_NAMES && !is_known(next));
        names.extend(next.map(str::to_owned));
    }
    Ok(FollowedValue {
        names,
        places,
        properties,
    })
}

/// Adds the lines that read a property of any object by its name.
fn add_property(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (read, name): (&Occurrence, &str),
) -> Result<(), AnswerError> {
    let found = query::search_text(occurrences, &regex(&format!("\\.{name}\\b")))?;
    let is_new = |place: &Occurrence| (&place.path, place.line) != (&read.path, read.line);
    let code: Vec<Occurrence> = found.code.into_iter().filter(is_new).collect();
    if code.len() <= MAX_PROPERTY_LINES {
        let title = format!("lines with .{name}, which holds the value, matched by text");
        document.section(Section::occurrence_rows("value", title, code).weighing(30));
    }
    Ok(())
}

/// Returns the property of an object literal that a line gives a value, if its name consists of several words:
/// `mailPort` of `mailPort: env.PORT,`.
fn property(line: &str) -> Option<&str> {
    let (name, _) = line.trim().split_once(": ")?;
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    // `envVar: "PORT"` holds the name of a variable.
    let lower = name.to_lowercase();
    let holds_value = !["env", "name", "key"]
        .iter()
        .any(|word| lower.contains(word));
    let is_written = query::is_compound(name) && !query::is_all_capitals(name);
    (is_name && holds_value && is_written).then_some(name)
}

/// Returns the variable that a line declares with a value: `port` of `const port = env("PORT");`.
fn declared(line: &str) -> Option<&str> {
    let (target, _) = line.split_once(" = ")?;
    let (declaring, name) = target.trim().split_once(' ')?;
    let name = name.split(':').next().unwrap_or(name).trim();
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    (DECLARING.contains(&declaring) && is_name && !name.is_empty()).then_some(name)
}

/// Returns the last name of what a line that declares nothing gives a value: `IsQuiet` of `Settings.IsQuiet = true;`.
fn target(line: &str) -> Option<&str> {
    let (target, _) = line.split_once(" = ")?;
    let name = target.trim().rsplit('.').next()?;
    let is_part = |c: char| c.is_alphanumeric() || "_.".contains(c);
    target.trim().chars().all(is_part).then_some(name)
}

/// Returns the property or field that a line gives the value of a variable: `Port` of `this.Port = port;`.
fn given<'l>(line: &'l str, variable: &str) -> Option<&'l str> {
    let (target, value) = line.split_once(" = ")?;
    let name = target.trim().rsplit('.').next()?;
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let value = value.trim().trim_end_matches([';', ',']);
    (is_name && value == variable).then_some(name)
}

/// Returns the variable to which a call on a line gives what it has parsed: `port` of `int.TryParse(text, out int port)`.
fn out_variable(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("TryParse(")?;
    let (_, declared) = rest.split_once(", out ")?;
    let end = declared.find([')', ','])?;
    declared[..end].split_whitespace().last()
}

/// Reports whether a line has a name as a whole word, and not as the member of something.
pub(super) fn has_name(line: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    line.match_indices(name).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + name.len()..].chars().next();
        !before.is_some_and(|c| is_part(c) || c == '.') && !after.is_some_and(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_declares_the_variable_that_takes_the_value() {
        for (line, expected) in [
            ("const port = env(\"PORT\");", Some("port")),
            ("let port: string = env(\"PORT\");", Some("port")),
            ("var port = Get(\"PORT\") ?? 1;", Some("port")),
            ("Port = Get(\"PORT\");", None),
            ("const { port } = settings;", None),
            ("return env(\"PORT\");", None),
        ] {
            assert_eq!(declared(line), expected, "{line}");
        }
    }

    #[test]
    fn a_line_gives_a_property_of_several_words_the_value() {
        assert_eq!(property("  mailPort: env.PORT,"), Some("mailPort"));
        assert_eq!(property("port: env.PORT,"), None);
        assert_eq!(property("MAIL_PORT: z.string(),"), None);
        assert_eq!(property("case 'mailPort': return 1;"), None);
    }

    #[test]
    fn a_line_gives_a_property_the_value_of_a_variable() {
        assert_eq!(given("  this.Port = port;", "port"), Some("Port"));
        assert_eq!(given("Port = port + 1;", "port"), None);
        assert_eq!(given("Port = other;", "port"), None);
        let parsed = out_variable("if (!int.TryParse(text, out int port))");
        assert_eq!(parsed, Some("port"));
        assert_eq!(
            out_variable("int.TryParse(text, style, out port);"),
            Some("port")
        );
        assert_eq!(out_variable("Find(text, out var port);"), None);
    }

    #[test]
    fn a_line_sets_a_property() {
        assert_eq!(target("  Settings.IsQuiet = true;"), Some("IsQuiet"));
        assert_eq!(target("IsQuiet = Get(\"QUIET\");"), Some("IsQuiet"));
        assert_eq!(target("var quiet = true;"), None);
        assert_eq!(target("items[0] = true;"), None);
    }

    #[test]
    fn a_variable_is_a_whole_word() {
        assert!(has_name("listen(port);", "port") && has_name("$\"a.{port}.b\"", "port"));
        assert!(!has_name("import(a);", "port") && !has_name("options.port", "port"));
    }
}
