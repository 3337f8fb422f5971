//! The names of environment variables, from the lines that read them.
//!
//! A line that reads a variable whose name is a parameter belongs to a helper (`env(name)`); the strings
//! in capitals that its callers pass are the names.
//!
//! Limitations: each read must be on one line.

use std::collections::BTreeMap;

use crate::model::graph::{EdgeType, NodeId, NodeType};
use crate::query::text::literals::innermost_symbols;
use crate::query::{Occurrence, Occurrences, QueryError, is_all_capitals};
use crate::store;

/// Prefixes of reads.
const PREFIXES: [&str; 6] = [
    "process.env",
    "process?.env",
    "import.meta.env",
    "Deno.env",
    "Bun.env",
    "Environment.GetEnvironmentVariable",
];

/// Suffixes of expressions that read a configuration key, up to their arguments.
const CONFIGURATION_READERS: [&str; 9] = [
    "GetValue",
    "GetSection",
    "GetConnectionString",
    "onfig.get",
    "onfiguration.get",
    "Service.get",
    "onfig",
    "onfiguration",
    "env",
];

/// Maximum number of helpers whose callers are read.
const MAX_HELPERS: usize = 8;

/// Path and line of a use.
pub type Location = (String, u32);

/// Environment variables that lines read.
#[derive(Clone, Debug, Default)]
pub struct EnvironmentVariables {
    /// The locations of the reads of each variable.
    pub reads: BTreeMap<String, Vec<Location>>,
    /// The lines that name no variable.
    pub unnamed: Vec<Occurrence>,
}

/// Finds the environment variables that some lines read.
pub fn environment_variables(
    occurrences: &mut Occurrences<'_, '_>,
    lines: Vec<Occurrence>,
) -> Result<EnvironmentVariables, QueryError> {
    let mut found = EnvironmentVariables::default();
    let mut helpers = Vec::new();
    for line in lines {
        let names = names_in(line.source.as_deref().unwrap_or_default());
        for name in &names {
            let place = (line.path.clone(), line.line);
            found
                .reads
                .entry((*name).to_owned())
                .or_default()
                .push(place);
        }
        if names.is_empty() {
            let helper = helper_at(occurrences, &line)?;
            helpers.extend(helper.filter(|helper| !helpers.contains(helper)));
            found.unnamed.push(line);
        }
    }
    for (name, place) in passed_names(occurrences, helpers)? {
        found.reads.entry(name).or_default().push(place);
    }

    for places in found.reads.values_mut() {
        places.sort_unstable();
        places.dedup();
    }
    Ok(found)
}

/// Returns the function around a line.
fn helper_at(
    occurrences: &Occurrences<'_, '_>,
    line: &Occurrence,
) -> Result<Option<NodeId>, QueryError> {
    let snapshot = occurrences.sources.snapshot();
    let Some(file) = store::file_by_path(snapshot, &line.path)? else {
        return Ok(None);
    };
    let around = innermost_symbols(snapshot, file.id, [line.line])?.pop();
    let helper = around
        .flatten()
        .map_or(Ok(None), |id| store::node(snapshot, id))?;
    let helper = helper.filter(|node| node.node_type == NodeType::Method);
    Ok(helper.map(|node| node.id))
}

/// Returns the strings that are passed to some functions, by callers or through functions that only pass
/// on a name.
fn passed_names(
    occurrences: &mut Occurrences<'_, '_>,
    mut helpers: Vec<NodeId>,
) -> Result<Vec<(String, Location)>, QueryError> {
    let mut passed = Vec::new();
    let mut at = 0;

    while at < helpers.len().min(MAX_HELPERS) {
        for call in occurrences.incoming(&[helpers[at]], &[EdgeType::Calls])? {
            let path = occurrences.path(call.file)?;
            if store::is_test_path(&path) {
                continue;
            }

            let rest = occurrences
                .sources
                .rest_of_line(&path, call.line, call.column)?;
            let Some((_, arguments)) = rest.and_then(|rest| rest.split_once('(')) else {
                continue;
            };

            if let Some(name) = string_at_start(arguments) {
                // The string may be another argument, or a part of the name.
                if is_all_capitals(name) {
                    passed.push((name.to_owned(), (path, call.line)));
                }
            } else if helpers.len() < MAX_HELPERS
                && !word_at_start(arguments).is_empty()
                && !helpers.contains(&call.other)
            {
                helpers.push(call.other);
            }
        }
        at += 1;
    }

    Ok(passed)
}

/// Returns the names of variables that a line reads.
fn names_in(line: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for prefix in PREFIXES {
        for (at, _) in line.match_indices(prefix) {
            let rest = &line[at + prefix.len()..];
            let rest = rest.trim_start_matches(['?', '!']);
            let rest = rest.strip_prefix(".get").unwrap_or(rest);
            let rest = rest.strip_prefix(".[").map_or(rest, |_| &rest[1..]);
            let name = match rest.strip_prefix(['(', '[']) {
                Some(inside) => string_at_start(inside),
                None => rest.strip_prefix('.').map(word_at_start),
            };
            names.extend(name.filter(|name| !name.is_empty()));

            let pattern = line[..at].trim_end().strip_suffix('=');
            let pattern = pattern.and_then(|before| before.trim_end().strip_suffix('}'));
            if let Some((_, inside)) = pattern.and_then(|before| before.rsplit_once('{')) {
                let bound = inside.split(',').map(|part| word_at_start(part.trim()));
                names.extend(bound.filter(|name| !name.is_empty()));
            }
        }
    }
    names
}

/// Returns the names of the environment variables and configuration keys that a line reads.
#[must_use]
pub fn setting_names(line: &str) -> Vec<&str> {
    let mut names = names_in(line);
    for prefix in ["$env:", "$Env:"] {
        let variables = line.match_indices(prefix);
        names.extend(variables.map(|(at, _)| word_at_start(&line[at + prefix.len()..])));
    }
    names.retain(|name| !name.is_empty());

    for reader in CONFIGURATION_READERS {
        for (at, _) in line.match_indices(reader) {
            let arguments = &line[at + reader.len()..];
            let arguments = arguments.strip_prefix("OrThrow").unwrap_or(arguments);
            // `GetValue<bool>("a:b")`
            let arguments = match arguments.strip_prefix('<') {
                Some(types) => types.split_once(">(").map_or("", |(_, rest)| rest),
                None => arguments.strip_prefix(['(', '[']).unwrap_or_default(),
            };
            let name = string_at_start(arguments).filter(|name| !name.is_empty());
            names.extend(name.filter(|name| !names.contains(name)));
        }
    }

    names
}

/// Returns the string literal at the start of a text.
fn string_at_start(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let quote = text.chars().next().filter(|c| "\"'`".contains(*c))?;
    let (inside, _) = text[1..].split_once(quote)?;
    (!inside.contains(['$', '{', ' '])).then_some(inside)
}

fn word_at_start(text: &str) -> &str {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
    let end = text.find(|c| !is_of_word(c)).unwrap_or(text.len());
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::{names_in, setting_names};

    #[test]
    fn keys_of_a_configuration_are_read_by_call_and_index() {
        for (line, expected) in [
            (
                "var on = config.GetValue<bool>(\"cluster:worker\");",
                &["cluster:worker"][..],
            ),
            ("Configuration[\"Mail:Key\"] ?? \"none\"", &["Mail:Key"]),
            ("this.configService.get('PORT') === 'a'", &["PORT"]),
            ("env('MAIL_KEY') ?? 'a b'", &["MAIL_KEY"]),
            ("push -key $Env:API_KEY $env:$name", &["API_KEY"]),
            ("configuration.getOrThrow<string>('A')", &["A"]),
            ("this.configurationService.get('B')", &["B"]),
            ("process.env['X']", &["X"]),
            ("process.env.NODE_ENV === 'production'", &["NODE_ENV"]),
        ] {
            assert_eq!(setting_names(line), expected, "{line}");
        }
    }

    #[test]
    fn variables_are_read_by_member_key_call_and_pattern() {
        for (line, expected) in [
            ("const port = process.env.PORT ?? env.X;", &["PORT"][..]),
            ("process.env['A'] || process.env.B", &["A", "B"]),
            (
                "const { HOST, PORT: port = 1 } = process.env;",
                &["HOST", "PORT"],
            ),
            ("Environment.GetEnvironmentVariable(\"HOME\")", &["HOME"]),
            ("Deno.env.get('TOKEN')", &["TOKEN"]),
            ("process.env[name]", &[]),
            ("process?.env?.['A']", &["A"]),
            ("Environment.GetEnvironmentVariable(name)", &[]),
            ("import.meta.env?.MODE", &["MODE"]),
        ] {
            assert_eq!(names_in(line), expected, "{line}");
        }
    }
}
