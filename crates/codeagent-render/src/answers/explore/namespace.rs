//! Sections about namespaces: their types, the files that import them, and those that use them
//! otherwise.

use std::collections::HashSet;

use codeagent_core::model::graph::{Access, NodeType};
use codeagent_core::query::{self, Occurrence, Occurrences};

use super::Subject;
use super::file_folder::{USES, public_members, uses_elsewhere};
use super::importers::importers;
use super::literal::regex;
use super::type_symbol::members;
use super::wants::WANTED;
use crate::answers::AnswerError;
use crate::text::{Document, NameRow, Section};

/// Maximum types that are listed, with the uses of each.
const MAX_TYPES: usize = 300;

/// Maximum types that are listed with their members if a question asks for these.
const MAX_WITH_MEMBERS: usize = 30;

/// Maximum symbols whose uses are looked up.
const MAX_SYMBOLS: usize = 3_000;

/// Adds a namespace: its types with their uses in other files, what imports it, and the files that
/// use it without an import, because an outer namespace or a qualified name shows it to them.
pub(super) fn sections(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<(), AnswerError> {
    let wants = subject.wants;
    let snapshot = occurrences.sources.snapshot();
    let mut declared = members(subject, snapshot)?;
    declared.sort_by(|one, other| one.name.cmp(&other.name));

    let (mut rows, mut symbols) = (Vec::new(), subject.ids());
    let mut own_files: HashSet<String> = HashSet::new();
    for node in &declared {
        own_files.extend(node.spans.iter().map(|span| span.path.clone()));
        if node.node_type != NodeType::Module && symbols.len() < MAX_SYMBOLS {
            symbols.extend(query::tree(snapshot, node.id)?);
        }
        let path = node.spans.first().map_or("", |span| span.path.as_str());
        if rows.len() < MAX_TYPES {
            let uses = uses_elsewhere(occurrences, node, path)?;
            let kind = node.kind.as_str().replace('_', " ");
            let access = match node.access {
                Some(Access::Public) | None => String::new(),
                Some(access) => format!("{access} "),
            };
            let line = node.spans.first().map_or(0, |span| span.name_line);
            let members = match wants.members && declared.len() <= MAX_WITH_MEMBERS {
                true => public_members(occurrences, node)?,
                false => String::new(),
            };
            rows.push(NameRow {
                full: format!(
                    "{access}{kind} {} ({uses})  {path}:{line}{members}",
                    node.name
                ),
                short: node.name.clone(),
            });
        }
    }
    let title = "declares, with the uses in other files";
    let section = Section::names("exports", title, rows).of(declared.len());
    document.section(wants.weigh(section, wants.members, 12));

    let importing = importers(document, occurrences, &subject.ids(), wants)?;
    importers_in_razor(subject, document, occurrences)?;
    if wants.imports {
        importers_of_parts(subject, document, occurrences, &importing)?;
    }
    let mut uses = occurrences.uses_of(&symbols, &USES)?;
    uses.retain(|place| !own_files.contains(place.path.as_str()));
    let (of_importers, of_others): (Vec<_>, Vec<_>) = uses
        .into_iter()
        .partition(|place| importing.contains(place.path.as_str()));
    let title = "used by the files that import it";
    users(
        subject,
        document,
        ("uses of importers", title),
        of_importers,
    );
    users(
        subject,
        document,
        ("uses", "used without an import by"),
        of_others,
    );
    if symbols.len() >= MAX_SYMBOLS {
        document.note("the uses of only some of its types were looked up; query a type");
    }
    Ok(())
}

/// Adds the lines of other files than known ones that import a namespace or one inside it, and those of projects that refer
/// to the project of its name.
fn importers_of_parts(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    known: &HashSet<String>,
) -> Result<(), AnswerError> {
    let name = query::escaped_text(&subject.first().qualified_name);
    let pattern = format!(r"^\s*(global )?using (static |\w+ = )?{name}(\.[\w.]+)?;");
    let found = query::search_text(occurrences, &regex(&pattern))?;
    let title = "imports in code that is not indexed, and of namespaces inside it, matched by text";
    let mut places = [found.code, found.tests].concat();
    places.retain(|place| !known.contains(&place.path));
    document.section(Section::occurrence_rows("inner importers", title, places).weighing(WANTED));

    let pattern = format!(r"<ProjectReference\s.*[\x22/\x5c]{name}\.csproj\x22");
    let found = query::search_text(occurrences, &regex(&pattern))?;
    let title = "projects that refer to the project of that name";
    let places = [found.code, found.tests, found.others].concat();
    document.section(Section::occurrence_rows("projects", title, places).weighing(WANTED));
    Ok(())
}

/// Adds the lines of Razor files that import a namespace: `@using Shop.Web`.
fn importers_in_razor(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<(), AnswerError> {
    let name = query::escaped_text(&subject.first().qualified_name);
    let found = query::search_text(occurrences, &regex(&format!("@using {name}\\s*$")))?;
    let title = "imported in Razor files, matched by text";
    let section = Section::occurrence_rows("razor importers", title, found.others);
    document.section(subject.wants.weigh(section, subject.wants.imports, 10));
    Ok(())
}

/// Adds uses of a namespace's symbols, those in tests apart.
fn users(
    subject: &Subject<'_>,
    document: &mut Document,
    (key, title): (&'static str, &str),
    uses: Vec<Occurrence>,
) {
    let wants = subject.wants;
    let (tests, code): (Vec<_>, Vec<_>) = uses.into_iter().partition(Occurrence::is_test);
    let asks = wants.impact || wants.imports;
    let section = Section::occurrence_rows(key, title, code);
    document.section(wants.weigh(section, wants.callers || asks, 8));
    let section = Section::occurrence_rows("uses in tests", format!("{title}, in tests"), tests);
    document.section(wants.weigh(section, wants.tests || wants.impact, 8));
}
