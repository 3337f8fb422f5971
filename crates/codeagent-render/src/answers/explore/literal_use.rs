//! Sections about what a string does: the branches that it selects, and the objects that hold it beside
//! functions.

use codeagent_core::model::graph::{EdgeType, Node, NodeId, NodeKind, NodeType};
use codeagent_core::query::{self, LiteralSite, Occurrence, Occurrences};

use super::branches;
use super::flow::holds_functions;
use super::member::is_callable;
use super::wants::Wants;
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Maximum number of lines of a property that is computed from a string.
const MAX_COMPUTED: u32 = 8;

/// Maximum number of objects whose functions are shown.
const MAX_OBJECTS: usize = 3;

/// Keys of the strings by which code tells the items of a menu or list of commands apart.
const ITEM_KEYS: [&str; 6] = ["action", "command", "id", "key", "type", "value"];

/// Number of lines above the text of an item on which its key is looked for.
const LINES_ABOVE: u32 = 4;

/// Maximum number of places of an item's key.
const MAX_SITES: usize = 50;

/// Parts of attributes that give a property a name in messages, configurations and databases.
const NAMING: [&str; 5] = [
    "BsonElement",
    "Column(",
    "DataMember",
    "JsonProperty",
    "KeyName(",
];

/// Adds the branches that a string selects and, unless its handlers are known, the calls of the functions in
/// the objects that name it, themselves or through a constant.
pub(super) fn sections(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    sites: &[LiteralSite],
    (is_handled, wants): (bool, Wants),
) -> Result<(), AnswerError> {
    let places: Vec<(String, u32)> = sites
        .iter()
        .map(|site| (site.path.clone(), site.line))
        .collect();
    branches::at(document, occurrences, &places, wants)?;
    if is_handled {
        return Ok(());
    }

    let mut lines = Vec::new();
    for object in objects(occurrences, sites)?.iter().take(MAX_OBJECTS) {
        lines.extend(query::flow(occurrences, object)?);
    }
    let title = "what the functions of the objects that name it do, in order";
    document.section(wants.weigh(Section::tree("flow", title, lines), true, 0));
    Ok(())
}

/// Returns the uses of the constants that hold a string, such as `process.env[KEY]`, of the functions that
/// return it, and of the properties that an attribute gives it as a name: `[JsonPropertyName("total")] int
/// Total`. If it is in an object, the uses of its key are returned.
pub(super) fn uses_of_constants(
    occurrences: &mut Occurrences<'_, '_>,
    sites: &[LiteralSite],
) -> Result<Vec<Occurrence>, AnswerError> {
    let (mut constants, mut by_key) = (Vec::new(), Vec::new());
    for site in sites {
        let node = &site.enclosing.node;
        if is_callable(node) && returns(occurrences, site)? {
            constants.push(node.id);
            continue;
        }
        let is_variable = node.kind == NodeKind::Variable;
        let is_value = node.node_type == NodeType::Property || is_variable;
        let Some(span) = node.spans.first().filter(|_| is_value) else {
            continue;
        };
        if query::is_test_path(&site.path) {
            continue;
        }

        let is_only = span.span.start.line == site.line && span.span.end_line == site.line;
        // A property whose value is computed from the string: `bool IsHere => Get("HERE") == "true"`.
        let lines = span.span.end_line - span.span.start.line;
        let is_computed =
            node.kind == NodeKind::Property && lines < MAX_COMPUTED && site.path.ends_with(".cs");
        let is_only = is_only || is_computed && site.line >= span.name_line;
        if is_only || site.line < span.name_line && gives_name(occurrences, site)? {
            constants.push(node.id);
        } else if is_variable && let Some(key) = key_at(occurrences, site)? {
            by_key.push((node.id, key));
        }
    }
    let mut uses = occurrences.uses_of(&constants, &[EdgeType::References, EdgeType::Calls])?;
    by_key.sort();
    by_key.dedup();
    for (constant, key) in by_key {
        uses.extend(query::uses_of_key(occurrences, constant, &key)?);
    }
    uses.sort();
    uses.dedup();
    Ok(uses)
}

/// Adds the branches that the keys of menu items and commands select: `key: 'logout'` above the text
/// `Sign out` leads to `case 'logout'`.
pub(super) fn branches_of_items(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (places, wants): (&[Occurrence], Wants),
) -> Result<(), AnswerError> {
    let snapshot = occurrences.sources.snapshot();
    let mut labels = Vec::new();
    for place in places.iter().take(MAX_OBJECTS) {
        let near = place.line.saturating_sub(LINES_ABOVE)..=place.line;
        for literal in query::literals_in_file(snapshot, &place.path)? {
            let line = occurrences.sources.line(&place.path, literal.line)?;
            let line = line.as_deref();
            let key = line.and_then(|line| query::key_of_string(line, &literal.text));

            if near.contains(&literal.line) && key.is_some_and(|key| ITEM_KEYS.contains(&key)) {
                let sites = query::literal_sites(snapshot, &literal.text, MAX_SITES)?;
                labels.extend(sites.into_iter().map(|site| (site.path, site.line)));
            }
        }
    }

    branches::at(document, occurrences, &labels, wants)
}

/// Returns the key of the line of a string in an object literal.
fn key_at(
    occurrences: &mut Occurrences<'_, '_>,
    site: &LiteralSite,
) -> Result<Option<String>, AnswerError> {
    let line = occurrences.sources.line(&site.path, site.line)?;
    let key = line
        .as_deref()
        .and_then(|line| query::key_of_string(line, &site.text));
    Ok(key.map(str::to_owned))
}

/// Reports whether a string is all that a line of a function returns.
fn returns(occurrences: &mut Occurrences<'_, '_>, site: &LiteralSite) -> Result<bool, AnswerError> {
    let line = occurrences.sources.line(&site.path, site.line)?;
    let line = line.unwrap_or_default();
    let value = line
        .rsplit_once("return ")
        .or_else(|| line.rsplit_once("=> "));
    let value = value.map_or("", |(_, value)| value.trim_end_matches([';', '}', ' ']));
    Ok(value.trim_matches(['"', '\'', '`']) == site.text)
}

/// Reports whether a string is that of an attribute that gives a name.
fn gives_name(
    occurrences: &mut Occurrences<'_, '_>,
    site: &LiteralSite,
) -> Result<bool, AnswerError> {
    let line = occurrences.sources.line(&site.path, site.line)?;
    let line = line.unwrap_or_default();
    Ok(NAMING.iter().any(|attribute| line.contains(attribute)))
}

/// Returns the variables outside tests whose object literals have functions beside a string, or beside a constant
/// with it.
fn objects(
    occurrences: &mut Occurrences<'_, '_>,
    sites: &[LiteralSite],
) -> Result<Vec<Node>, AnswerError> {
    let mut variables: Vec<Node> = sites
        .iter()
        .filter(|site| !query::is_test_path(&site.path))
        .map(|site| site.enclosing.node.clone())
        .filter(|node| node.kind == NodeKind::Variable)
        .collect();
    let constants: Vec<NodeId> = variables.iter().map(|node| node.id).collect();
    for used in occurrences.incoming(&constants, &[EdgeType::References])? {
        let user = query::get_node(occurrences.sources.snapshot(), used.other)?;
        let user = user.map(|user| user.node);
        variables.extend(user.filter(|node| node.kind == NodeKind::Variable));
    }

    let mut objects: Vec<Node> = Vec::new();
    for variable in variables {
        let is_new = objects.iter().all(|known| known.id != variable.id);
        if is_new && holds_functions(&variable, occurrences)? {
            objects.push(variable);
        }
    }
    Ok(objects)
}
