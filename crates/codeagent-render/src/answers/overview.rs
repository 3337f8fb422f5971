//! The answer of `overview`: the parts of a repository, folder or project.

use codeagent_core::engine::Answers;
use codeagent_core::model::graph::NodeId;
use codeagent_core::query::{
    self, Cycle, Doubt, EntryKind, Occurrence, Overview, Part, PartUse, Scope, Sources, Target,
    UnusedSymbol, UsedSymbol,
};

use super::AnswerError;
use crate::text::{Document, Section};

/// Most dependencies listed of one project.
const MAX_DEPENDENCIES: usize = 6;

/// Most pairs listed of one cycle.
const MAX_PAIRS: usize = 5;

/// Most members named of one cycle.
const MAX_MEMBERS: usize = 8;

/// Most cycles.
const MAX_CYCLES: usize = 8;

/// Most unused symbols in a list.
const MAX_UNUSED: usize = 300;

/// Most symbols with their source line.
const MAX_WITH_SOURCE: usize = 200;

/// Describes the repository, or the folder or project that `path` names.
pub fn overview(index: &Answers, path: Option<&str>) -> Result<Document, AnswerError> {
    let snapshot = index.snapshot()?;
    let mut sources = Sources::new(&snapshot, index.workspace());
    let asked = path.unwrap_or_default().trim();
    let (title, owned) = match scope_of(&mut sources, asked)? {
        Named::Whole => ("repository".to_owned(), None),
        Named::Folder(path) => (format!("folder {path}"), Some((true, path))),
        Named::Project(id) => (format!("project {id}"), Some((false, id))),
    };
    let scope = match &owned {
        None => Scope::Whole,
        Some((true, path)) => Scope::Folder(path),
        Some((false, id)) => Scope::Project(id),
    };
    let found = query::overview(&sources, scope)?;

    let mut document = Document::default();
    document.line(format!(
        "## {title}: {} files, {} of them tests; {} symbols",
        found.files, found.tests, found.symbols
    ));
    document.section(Section::lines("projects", "projects", project_lines(&found)).weighing(16));
    document.section(Section::lines(
        "folders",
        "folders",
        found.folders.iter().map(part_line).collect(),
    ));
    document.section(entry_section(&found));
    document.section(surface_section(&mut sources, &found)?);
    document.section(Section::lines(
        "uses",
        "uses",
        use_lines(&found.uses, |each| &each.to),
    ));
    document.section(Section::lines(
        "used_by",
        "used by",
        use_lines(&found.used_by, |each| &each.from),
    ));
    document.section(hub_section(&found));
    let cycles = cycle_lines("projects", &found.project_cycles);
    let cycles = cycles
        .into_iter()
        .chain(cycle_lines("folders", &found.folder_cycles))
        .collect();
    document.section(Section::lines("cycles", "cycles", cycles).weighing(6));
    for section in unused_sections(&found) {
        document.section(section);
    }
    Ok(document)
}

enum Named {
    Whole,
    Folder(String),
    Project(String),
}

fn scope_of(sources: &mut Sources<'_>, asked: &str) -> Result<Named, AnswerError> {
    if asked.is_empty() || asked == "." {
        return Ok(Named::Whole);
    }
    let projects = query::project_ids(sources.snapshot())?;
    let is_named = |id: &&String| {
        let name = id.rsplit('/').next().unwrap_or(id);
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        id.as_str() == asked || name == asked || (asked.contains('.') && stem == asked)
    };
    if let Some(id) = projects.iter().find(is_named) {
        return Ok(Named::Project(id.clone()));
    }

    let asked = if asked.ends_with('/') {
        asked.to_owned()
    } else {
        format!("{asked}/")
    };
    let targets = query::resolve_targets(sources, &asked)?.check()?;
    let folder = targets.found.into_iter().find_map(|target| match target {
        Target::Folder { path, .. } => Some(path),
        Target::File { path, .. } => path.rsplit_once('/').map(|(folder, _)| folder.to_owned()),
        Target::Symbols(_) | Target::Literal(_) => None,
    });
    match folder {
        Some(folder) if folder != "." => Ok(Named::Folder(folder)),
        Some(_) => Ok(Named::Whole),
        None => Err(query::QueryError::NoProject { asked, projects }.into()),
    }
}

fn project_lines(found: &Overview) -> Vec<String> {
    if found.projects.len() < 2 && found.project_uses.is_empty() {
        return Vec::new();
    }
    let line = |project: &Part| {
        let uses = found
            .project_uses
            .iter()
            .filter(|each| each.from == project.name);
        let mut targets: Vec<String> = uses
            .map(|each| format!("{} {}", each.to, each.uses))
            .collect();
        let more = targets.len().saturating_sub(MAX_DEPENDENCIES);
        targets.truncate(MAX_DEPENDENCIES);
        if more > 0 {
            targets.push(format!("{more} more"));
        }
        let arrow = if targets.is_empty() { "" } else { " -> " };
        format!("{}{arrow}{}", part_line(project), targets.join(", "))
    };
    found.projects.iter().map(line).collect()
}

fn part_line(part: &Part) -> String {
    let tests = match part.tests {
        0 => String::new(),
        all if all == part.files => ", tests".to_owned(),
        some => format!(", {some} of them tests"),
    };
    format!(
        " {} ({}: {} files{tests}, {} symbols)",
        part.name, part.language, part.files, part.symbols
    )
}

fn use_lines(uses: &[PartUse], other: impl Fn(&PartUse) -> &String) -> Vec<String> {
    uses.iter()
        .map(|each| format!(" {} {}", other(each), each.uses))
        .collect()
}

fn entry_section(found: &Overview) -> Section {
    let line = |entry: &query::EntryPoint| {
        let why = match &entry.kind {
            EntryKind::Main => found.labels.short(entry.id),
            EntryKind::TopLevel => "top-level statements".to_owned(),
            EntryKind::Package { manifest, field } => format!("{field} of {manifest}"),
            EntryKind::NotImported => "imported by no file".to_owned(),
        };
        format!(" {}:{} {why}", entry.path, entry.line)
    };
    let lines = found.entry_points.iter().map(line).collect();
    Section::lines("entry_points", "entry points", lines).weighing(14)
}

fn hub_section(found: &Overview) -> Section {
    let lines = found.hubs.iter().map(|hub| {
        let (path, line) = place(found, hub.id);
        let name = found.labels.short(hub.id);
        format!(
            " {name}  {path}:{line}, {} uses in {} files",
            hub.uses, hub.files
        )
    });
    Section::lines("hubs", "most used from other files", lines.collect()).weighing(12)
}

fn surface_section(sources: &mut Sources<'_>, found: &Overview) -> Result<Section, AnswerError> {
    let mut places = Vec::new();
    let has_source = found.surface.len() <= MAX_WITH_SOURCE;
    for symbol in &found.surface {
        let UsedSymbol { id, uses, files } = *symbol;
        let (path, line) = place(found, id);
        let source = if has_source {
            sources.line(&path, line)?
        } else {
            None
        };
        let symbol = match uses {
            0 => format!("{} (unused elsewhere)", found.labels.short(id)),
            _ => format!("{} ({uses} in {files})", found.labels.short(id)),
        };
        places.push(Occurrence {
            path,
            line,
            symbol,
            source,
        });
    }
    let title = "public, with uses elsewhere and their files";
    Ok(Section::places("surface", title, places).weighing(30))
}

fn cycle_lines(what: &str, cycles: &[Cycle]) -> Vec<String> {
    let mut lines = Vec::new();
    for cycle in cycles.iter().take(MAX_CYCLES) {
        let mut members = cycle.members.clone();
        let more = members.len().saturating_sub(MAX_MEMBERS);
        members.truncate(MAX_MEMBERS);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        lines.push(format!(
            " {} {what}: {}{more}",
            cycle.members.len(),
            members.join(", ")
        ));
        for pair in cycle.pairs.iter().take(MAX_PAIRS) {
            let (path, line) = &pair.site;
            lines.push(format!(
                "  {} -> {} {}, back {}; {path}:{line}",
                pair.from, pair.to, pair.uses, pair.back
            ));
        }
    }
    lines
}

fn unused_sections(found: &Overview) -> [Section; 2] {
    let (sure, doubtful): (Vec<&UnusedSymbol>, Vec<&UnusedSymbol>) =
        found.unused.iter().partition(|each| each.doubts.is_empty());
    let occurrence = |each: &&UnusedSymbol| {
        let (path, line) = place(found, each.id);
        let name = found.labels.short(each.id);
        let doubts: Vec<String> = each.doubts.iter().map(doubt).collect();
        let symbol = match doubts.as_slice() {
            [] => format!("{name} ({} lines)", each.lines),
            doubts => format!("{name} ({})", doubts.join(", ")),
        };
        Occurrence {
            path,
            line,
            symbol,
            source: None,
        }
    };
    let listed = |all: &[&UnusedSymbol]| all.iter().take(MAX_UNUSED).map(occurrence).collect();
    let title = |all: &[&UnusedSymbol], what: &str| match all.len() {
        more @ MAX_UNUSED.. => format!("{what}, the first of {more}"),
        _ => what.to_owned(),
    };
    [
        Section::places("unused", title(&sure, "used by nothing"), listed(&sure)).weighing(10),
        Section::places(
            "perhaps_unused",
            title(
                &doubtful,
                "used by nothing in the repository, with the doubt",
            ),
            listed(&doubtful),
        )
        .weighing(4),
    ]
}

fn doubt(doubt: &Doubt) -> String {
    match doubt {
        Doubt::OnlyTests => "only tests".to_owned(),
        Doubt::Unresolved(count) => format!("{count} unresolved"),
        Doubt::Decorated => "decorated".to_owned(),
        Doubt::Public => "public".to_owned(),
    }
}

fn place(found: &Overview, id: NodeId) -> (String, u32) {
    found.places.get(&id).cloned().unwrap_or_default()
}
