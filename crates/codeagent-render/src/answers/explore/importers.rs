//! Sections about the files that import a file or symbols.

use std::collections::HashSet;

use codeagent_core::model::graph::{Dialect, EdgeType, Language, NodeId};
use codeagent_core::query::{self, Occurrence, Occurrences};

use super::literal::regex;
use super::wants::Wants;
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Endings of files with scripts in languages that are not indexed.
const COMPONENTS: [&str; 4] = [".astro", ".mdx", ".svelte", ".vue"];

/// Adds what imports some symbols, and returns the importing files.
pub(super) fn importers(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    ids: &[NodeId],
    wants: Wants,
) -> Result<HashSet<String>, AnswerError> {
    let imports = occurrences.uses_of(ids, &[EdgeType::Imports])?;
    let importing = imports.iter().map(|place| place.path.clone()).collect();

    let (tests, code): (Vec<_>, Vec<_>) = imports.into_iter().partition(Occurrence::is_test);
    let section = Section::occurrence_rows("importers", "imported by", code);
    document.section(wants.weigh(section, wants.imports || wants.callers, 15));
    let section = Section::occurrence_rows("tests", "imported in tests", tests);
    document.section(wants.weigh(section, wants.tests, 5));
    Ok(importing)
}

/// Adds the lines of files in other languages, such as Vue components, that import a module: by its
/// last two names (`~/helpers/object`), or by its name from the same folder or the one above.
pub(super) fn importers_in_other_files(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    path: &str,
    wants: Wants,
) -> Result<(), AnswerError> {
    let dialect = Dialect::of_path(path);
    if dialect.is_none_or(|one| one.language() != Language::TypeScript) {
        return Ok(());
    }
    let module = path.rsplit_once('.').map_or(path, |(module, _)| module);
    let module = module.strip_suffix("/index").unwrap_or(module);
    let (folder, name) = module.rsplit_once('/').unwrap_or(("", module));
    let pattern = format!(
        r#"(from|import|require)\W+["']([^"']*/)?{}(/index)?(\.\w+)?["']"#,
        query::escaped_text(name)
    );
    let found = query::search_text(occurrences, &regex(&pattern))?;
    if found.timed_out {
        document.note("the search of other files was stopped after its time limit");
    }

    let last = folder.rsplit('/').next().unwrap_or_default();
    let end = format!("{last}/{name}");
    let imports = |place: &Occurrence| {
        let is_component = COMPONENTS.iter().any(|ending| place.path.ends_with(ending));
        let own = place.path.rsplit_once('/').map_or("", |(own, _)| own);
        let above = own.rsplit_once('/').map_or("", |(above, _)| above);
        let source = place.source.as_deref().unwrap_or_default();
        let has = |text: &str| source.contains(text);
        let is_meant = has(&end)
            || own == folder && has(&format!("./{name}"))
            || above == folder && has(&format!("../{name}"));
        is_component && is_meant
    };
    let mut places = found.others;
    places.retain(imports);
    let title = "imported in files of other languages, matched by text";
    let section = Section::occurrence_rows("other importers", title, places);
    document.section(wants.weigh(section, true, 0));
    Ok(())
}
