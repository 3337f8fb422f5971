//! The answer of `impact`: everything that a change of symbols affects.

use codeagent_core::engine::IndexReader;
use codeagent_core::model::graph::{Node, NodeId};
use codeagent_core::query::{
    self, AffectedUse, Impact, ImpactQuery, Labels, Occurrence, Occurrences, Sources,
};

use super::AnswerError;
use super::dispatch;
use super::explore::{LESS_LIKELY, mentions};
use super::symbol_line::{declaration_line, note_targets, symbol_line};
use crate::text::{Document, NameRow, Section};

/// Default number of steps.
pub const IMPACT_DEPTH: usize = 3;

/// Maximum listed changed symbols.
const MAX_TARGETS: usize = 6;

/// Maximum listed public symbols.
const MAX_PUBLIC: usize = 150;

/// Longest list with names; the names of a longer one exceed what an answer holds.
const MAX_NAMED: usize = 200;

/// Longest list with source lines, whose files are read.
const MAX_WITH_SOURCE: usize = 150;

/// Lists what a change of the symbols, files or folders in a text affects, or what the changes of a
/// git range affect.
pub fn impact(index: &IndexReader, text: &str, depth: usize) -> Result<Document, AnswerError> {
    let snapshot = index.snapshot()?;
    let mut sources = index.sources(&snapshot);
    if is_range(text) {
        return impact_of_range(&mut sources, text.trim(), depth);
    }
    let targets = query::resolve_targets(&mut sources, text)?.check()?;
    let changed = query::nodes_of(&snapshot, &targets, false)?;
    let found = query::impact(
        &mut sources,
        &ImpactQuery {
            targets: &changed,
            depth,
        },
    )?;

    let mut document = Document::default();
    let mut occurrences = Occurrences::new(&mut sources);
    note_targets(&mut occurrences, &mut document, &targets, false)?;
    add_sections(&mut occurrences, &mut document, &found, depth)?;
    Ok(document)
}

/// Returns the symbols in a text, or those that differ in a git range.
pub(super) fn changed_symbols(
    sources: &mut Sources<'_>,
    text: &str,
) -> Result<Vec<NodeId>, AnswerError> {
    if is_range(text) {
        return Ok(query::changes(sources, text.trim())?.ids());
    }
    let targets = query::resolve_targets(sources, text)?.check()?;
    Ok(query::nodes_of(sources.snapshot(), &targets, false)?)
}

/// Reports whether a text has the form of a git range: `main..HEAD`, `HEAD~2`.
fn is_range(text: &str) -> bool {
    let text = text.trim();
    let is_plain = |c: char| c.is_alphanumeric() || "._-/~^@{}".contains(c);
    let is_ends = |(from, to): (&str, &str)| {
        let to = to.trim_start_matches('.');
        // `Cart..ctor` is a constructor, `a/../b` a path.
        let is_path = from.ends_with('/') || to.starts_with('/');
        let is_empty = from.is_empty() && to.is_empty();
        to != "ctor" && !is_path && !is_empty
    };
    let is_head = text
        .strip_prefix("HEAD")
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['~', '^', '@']));
    text.chars().all(is_plain) && (is_head || text.split_once("..").is_some_and(is_ends))
}

/// Lists what the symbols that differ in a git range affect.
fn impact_of_range(
    sources: &mut Sources<'_>,
    range: &str,
    depth: usize,
) -> Result<Document, AnswerError> {
    let changes = query::changes(sources, range)?;
    let mut document = Document::default();
    let ids = changes.ids();
    document.line(format!(
        "{} added or changed in {range}",
        counted(ids.len(), "symbol")
    ));
    let gone = changes.symbols.iter().filter(|change| change.id.is_none());
    if let gone @ 1.. = gone.count() {
        document.note(format!(
            "{} of the range, such as removed ones, are not in the index and are not followed",
            counted(gone, "symbol")
        ));
    }
    if changes.is_cut {
        document.note("not all files of the range were compared");
    }
    if ids.is_empty() {
        return Ok(document);
    }

    let query = ImpactQuery {
        targets: &ids,
        depth,
    };
    let found = query::impact(sources, &query)?;
    add_sections(&mut Occurrences::new(sources), &mut document, &found, depth)?;
    Ok(document)
}

/// Adds the sections about the effects of a change.
pub(super) fn add_sections(
    occurrences: &mut Occurrences<'_, '_>,
    document: &mut Document,
    found: &Impact,
    depth: usize,
) -> Result<(), AnswerError> {
    for id in found.targets.iter().take(MAX_TARGETS) {
        document.line(format!("## {}", declaration_line(occurrences, *id)?));
    }
    if found.targets.len() > MAX_TARGETS {
        document.line(format!("and {} more", found.targets.len() - MAX_TARGETS));
    }
    add_direct(occurrences, document, found)?;
    let dispatched = dispatch::to_section(occurrences, &found.dispatched)?;
    document.section(dispatched.weighing(20));
    add_possible(occurrences, document, found)?;
    add_unresolved(occurrences, document, found)?;
    add_steps(document, found);

    let tests = found
        .tests
        .iter()
        .map(|test| (test.source, test.path.to_string(), test.line));
    let tests: Vec<_> = tests.collect();
    let title = format!("tests that reach it within {}", steps_text(depth));
    let tests = occurrence_rows(occurrences, tests)?;
    document.section(Section::occurrence_rows("tests", title, tests).weighing(14));
    add_public(occurrences, document, found)?;
    if found.is_cut {
        document.note("the search was cut off; pass a smaller depth");
    }
    if found.direct.is_empty()
        && found.dispatched.is_empty()
        && found.possible.is_empty()
        && found.tests.is_empty()
    {
        document.line("nothing in the index is known to use it");
    }
    Ok(())
}

fn add_direct(
    occurrences: &mut Occurrences<'_, '_>,
    document: &mut Document,
    found: &Impact,
) -> Result<(), AnswerError> {
    for wrapper in &found.wrappers {
        let wrapper_id = *wrapper;
        let uses = found
            .direct
            .iter()
            .filter(|each| each.target == wrapper_id)
            .count();
        let line = symbol_line(occurrences, wrapper_id)?;
        document.line(format!("{uses} of the uses are of {line}, which wraps it"));
    }

    let title = "must change with it: uses, overrides, implementations";
    let direct = uses(occurrences, &found.direct)?;
    document.section(Section::occurrence_rows("direct", title, direct).weighing(30));

    if let (uses @ 1.., files) = found.member_uses {
        let files = counted(files, "file");
        document.line(format!(
            "its members are used {uses} times in {files} (query NAME.*)"
        ));
    }

    Ok(())
}

fn add_possible(
    occurrences: &mut Occurrences<'_, '_>,
    document: &mut Document,
    found: &Impact,
) -> Result<(), AnswerError> {
    if found.bases.is_empty() {
        return Ok(());
    }

    let mut bases = Vec::new();
    for id in found.bases.iter().take(MAX_TARGETS) {
        bases.push(symbol_line(occurrences, *id)?.replace("  ", " "));
    }

    let through = format!("through its bases: {}", bases.join(", "));
    if found.possible.is_empty() {
        document.line(format!("{through}: no further uses"));
        return Ok(());
    }

    let possible = uses(occurrences, &found.possible)?;
    let title = format!("possibly, {through}");
    document.section(Section::occurrence_rows("possible", title, possible));

    Ok(())
}

/// Adds the places that may use the symbols by name: in files of other languages, and the likeliest
/// unresolved uses.
fn add_unresolved(
    occurrences: &mut Occurrences<'_, '_>,
    document: &mut Document,
    found: &Impact,
) -> Result<(), AnswerError> {
    let mut nodes = Vec::new();
    for id in found.targets.iter().take(MAX_TARGETS) {
        let symbol = query::get_node(occurrences.sources.snapshot(), *id)?;
        nodes.extend(symbol.map(|symbol| symbol.node));
    }

    nodes.sort_by(|a, b| a.name.cmp(&b.name));
    let in_all = found.direct.is_empty() && found.dispatched.is_empty();
    for same in nodes.chunk_by(|a, b| a.name == b.name) {
        let all: Vec<&Node> = same.iter().collect();
        for section in mentions::not_indexed(occurrences, &all, in_all)? {
            document.section(section.weighing(6));
        }
        let possible = query::possible_callers(occurrences, same, false)?;
        let title = match possible.total - possible.likely.len() {
            0 => format!("unresolved uses of {}", same[0].name),
            more => format!(
                "unresolved uses of {}; explore has {more} less likely ones (section \"{LESS_LIKELY}\")",
                same[0].name
            ),
        };
        document
            .section(Section::occurrence_rows("unresolved", title, possible.likely).weighing(6));
    }

    Ok(())
}

fn add_steps(document: &mut Document, found: &Impact) {
    for step in found.steps.iter().filter(|step| step.symbols > 0) {
        let possible = match step.possible {
            0 => String::new(),
            all if all == step.symbols => ", through dispatch only".to_owned(),
            some => format!(", {some} of them through dispatch only"),
        };
        document.line(format!(
            "{} away: {} in {}{possible}",
            steps_text(step.distance),
            counted(step.symbols, "symbol"),
            counted(step.files, "file"),
        ));
    }
}

fn add_public(
    occurrences: &mut Occurrences<'_, '_>,
    document: &mut Document,
    found: &Impact,
) -> Result<(), AnswerError> {
    let shown = &found.public[..found.public.len().min(MAX_PUBLIC)];
    let mut labels = Labels::default();
    let ids = shown.iter().map(|(id, _)| *id);
    labels.load(occurrences.sources.snapshot(), ids)?;

    let mut rows = Vec::with_capacity(shown.len());
    for (id, distance) in shown {
        let (short, symbol) = (labels.short(*id), labels.get(*id));
        let path = match symbol.and_then(|symbol| symbol.file) {
            Some(file) => occurrences.path(file)?,
            None => String::new(),
        };
        let line = symbol.map_or(0, |symbol| symbol.name_line);
        let full = format!("{path}:{line} {short} ({})", steps_text(*distance));
        rows.push(NameRow { full, short });
    }

    let title = match found.public.len() {
        more @ MAX_PUBLIC.. => format!("the nearest of {more} public symbols reached"),
        _ => "public symbols reached".to_owned(),
    };
    document.section(Section::names("public", title, rows).weighing(3));
    Ok(())
}

fn uses(
    occurrences: &mut Occurrences<'_, '_>,
    uses: &[AffectedUse],
) -> Result<Vec<Occurrence>, AnswerError> {
    let sites = uses
        .iter()
        .map(|each| (each.source, each.path.to_string(), each.line));
    occurrence_rows(occurrences, sites.collect())
}

/// Converts sites to occurrences, with names and source lines unless there are too many.
fn occurrence_rows(
    occurrences: &mut Occurrences<'_, '_>,
    mut sites: Vec<(NodeId, String, u32)>,
) -> Result<Vec<Occurrence>, AnswerError> {
    sites.sort_unstable_by(|a, b| (&a.1, a.2).cmp(&(&b.1, b.2)));
    sites.dedup_by(|a, b| (&a.1, a.2) == (&b.1, b.2));

    let (has_names, has_source) = (sites.len() <= MAX_NAMED, sites.len() <= MAX_WITH_SOURCE);
    let mut found = Vec::with_capacity(sites.len());
    for (source, path, line) in sites {
        let text = if has_source {
            occurrences.sources.line(&path, line)?
        } else {
            None
        };
        let symbol = if has_names {
            occurrences.enclosing(source, &path, line)?
        } else {
            String::new()
        };

        found.push(Occurrence {
            path,
            line,
            symbol,
            source: text,
        });
    }

    Ok(found)
}

fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    }
}

fn steps_text(steps: usize) -> String {
    counted(steps, "step")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_commits_are_told_from_names_and_paths() {
        for (text, expected) in [
            ("main..HEAD", true),
            ("origin/main...feature/x", true),
            ("HEAD~2..", true),
            ("HEAD", true),
            ("HEAD~3", true),
            ("Header", false),
            ("Cart..ctor", false),
            ("../a.ts", false),
            ("src/../a.ts", false),
            ("Cart.Total", false),
            ("..", false),
            ("who calls main..HEAD", false),
        ] {
            assert_eq!(is_range(text), expected, "{text}");
        }
    }
}
