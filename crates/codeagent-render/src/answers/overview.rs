//! The answer of `overview`: the parts of a repository, folder or project.

use codeagent_core::engine::IndexReader;
use codeagent_core::model::graph::NodeId;
use codeagent_core::query::{
    self, Cycle, Doubt, EntryKind, Occurrence, Overview, PackageUse, Part, PartUse, Scope,
    Snapshot, Sources, Target, UnusedSymbol, UsedSymbol,
};

use super::AnswerError;
use crate::text::{Document, NameRow, Section};

/// Maximum listed dependencies of one project.
const MAX_DEPENDENCIES: usize = 6;

/// Maximum listed pairs of one cycle.
const MAX_PAIRS: usize = 5;

/// Maximum named members of one cycle.
const MAX_MEMBERS: usize = 8;

/// Maximum listed modules that no file imports.
const MAX_NOT_IMPORTED: usize = 8;

const MAX_CYCLES: usize = 8;

const MAX_UNUSED: usize = 300;

/// Maximum symbols with their source line.
const MAX_WITH_SOURCE: usize = 200;

/// Describes the repository, or the folder or project that `path` names.
pub fn overview(index: &IndexReader, path: Option<&str>) -> Result<Document, AnswerError> {
    let snapshot = index.snapshot()?;
    let mut sources = index.sources(&snapshot);
    let asked = path.unwrap_or_default().trim();
    let named = scope_of(&mut sources, asked)?;
    let title = match &named {
        NamedScope::Whole => "repository".to_owned(),
        NamedScope::Folder(path) => format!("folder {path}"),
        NamedScope::Project(id) => format!("project {id}"),
    };
    let found = query::overview(&mut sources, named.scope())?;

    let names = ProjectNames::of(&found);
    let mut document = Document::default();
    document.line(format!(
        "## {title}: {} files, {} of them tests; {} symbols",
        found.files, found.tests, found.symbols
    ));
    document.section(project_section(&found, &names));
    document.section(folder_section(&found));
    document.section(entry_section(&found));
    document.section(surface_section(&mut sources, &found)?);
    let uses = use_lines(&found.uses, |each| &each.to);
    document.section(Section::lines("uses", "uses", uses).weighing(8));
    let used_by = use_lines(&found.used_by, |each| &each.from);
    document.section(Section::lines("used_by", "used by", used_by).weighing(8));
    if named.scope() == Scope::Whole {
        document.section(package_section(&snapshot)?);
    }
    document.section(hub_section(&found));
    document.section(cycle_section(&found, &names));
    let (sure, doubtful): (Vec<&UnusedSymbol>, Vec<&UnusedSymbol>) =
        found.unused.iter().partition(|each| each.doubts.is_empty());
    document.section(unused_section(&found, &sure));
    document.section(perhaps_unused_section(&found, &doubtful));
    Ok(document)
}

/// Short names of projects: `Shop.Api` for `src/Shop.Api/Shop.Api.csproj`, `packages/core` for
/// `packages/core/tsconfig.json`, unless two projects would have the same name.
pub(super) struct ProjectNames<'a>(Vec<(&'a str, &'a str)>);

impl<'a> ProjectNames<'a> {
    pub(super) fn of(found: &'a Overview) -> Self {
        let ids = found.projects.iter().map(|project| project.name.as_str());
        let uses = found
            .project_uses
            .iter()
            .flat_map(|each| [&each.from, &each.to]);
        let cycles = found.project_cycles.iter().flat_map(|cycle| &cycle.members);
        let mut ids: Vec<&str> = ids.chain(uses.chain(cycles).map(String::as_str)).collect();
        ids.sort_unstable();
        ids.dedup();
        let short: Vec<&str> = ids.iter().map(|id| short_project(id)).collect();
        let is_unique = |name: &str| short.iter().filter(|each| **each == name).count() == 1;
        let name =
            |(id, short): (&&'a str, &&'a str)| (*id, if is_unique(short) { *short } else { *id });
        Self(ids.iter().zip(&short).map(name).collect())
    }

    pub(super) fn short<'n>(&'n self, id: &'n str) -> &'n str {
        self.0
            .binary_search_by_key(&id, |(id, _)| id)
            .map_or(id, |at| self.0[at].1)
    }
}

/// Lists the packages that the repository uses, with the number of files.
fn package_section(snapshot: &Snapshot) -> Result<Section, AnswerError> {
    let packages = query::used_packages(snapshot)?;
    let row = |used: &PackageUse| {
        let name = if used.package.is_empty() {
            used.manager.to_string()
        } else {
            format!("{}:{}", used.manager, used.package)
        };
        NameRow {
            full: format!("{name}: {} symbols, {} files", used.symbols, used.files),
            short: name,
        }
    };
    let rows = packages.iter().map(row).collect();
    Ok(Section::names("packages", "uses of packages", rows).weighing(6))
}

fn short_project(id: &str) -> &str {
    let (folder, file) = id.rsplit_once('/').unwrap_or(("", id));
    match file.rsplit_once('.') {
        Some((stem, ending)) if ending.ends_with("proj") => stem,
        Some(_) if !folder.is_empty() => folder,
        _ => id,
    }
}

/// The part of a repository that a text names.
pub(super) enum NamedScope {
    Whole,
    Folder(String),
    Project(String),
}

impl NamedScope {
    pub(super) fn scope(&self) -> Scope<'_> {
        match self {
            Self::Whole => Scope::Whole,
            Self::Folder(path) => Scope::Folder(path),
            Self::Project(id) => Scope::Project(id),
        }
    }
}

/// Finds the folder or project that a text names; an empty text names the whole repository.
pub(super) fn scope_of(sources: &mut Sources<'_>, asked: &str) -> Result<NamedScope, AnswerError> {
    if asked.is_empty() || asked == "." {
        return Ok(NamedScope::Whole);
    }
    let projects = query::project_ids(sources.snapshot())?;
    let is_named = |id: &&String| {
        let name = id.rsplit('/').next().unwrap_or(id);
        id.as_str() == asked
            || name == asked
            || (short_project(id) == asked && name != "tsconfig.json")
    };
    if let Some(id) = projects.iter().find(is_named) {
        return Ok(NamedScope::Project(id.clone()));
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
        Target::Symbols(_) | Target::External { .. } | Target::Literal(_) => None,
    });
    match folder {
        Some(folder) if folder != "." => Ok(NamedScope::Folder(folder)),
        Some(_) => Ok(NamedScope::Whole),
        None => Err(query::QueryError::NoProject { asked, projects }.into()),
    }
}

fn project_section(found: &Overview, names: &ProjectNames<'_>) -> Section {
    let is_tests = |project: &Part| project.tests == project.files;
    let (tests, code): (Vec<&Part>, Vec<&Part>) =
        found.projects.iter().partition(|project| is_tests(project));
    let line = |project: &&Part| {
        let uses = found
            .project_uses
            .iter()
            .filter(|each| each.from == project.name);
        let mut targets: Vec<String> = uses
            .map(|each| format!("{} {}", names.short(&each.to), each.uses))
            .collect();
        let more = targets.len().saturating_sub(MAX_DEPENDENCIES);

        targets.truncate(MAX_DEPENDENCIES);
        if more > 0 {
            targets.push(format!("{more} more"));
        }

        let arrow = if targets.is_empty() { "" } else { " -> " };
        let part = part_line(project, names.short(&project.name));
        format!("{part}{arrow}{}", targets.join(", "))
    };

    let lines = match found.projects.len() {
        0 | 1 => Vec::new(),
        _ => code.iter().chain(&tests).map(line).collect(),
    };
    Section::lines("projects", "projects, with the uses of others", lines).weighing(20)
}

/// Returns the section of folders, if there are several and projects do not show the same.
fn folder_section(found: &Overview) -> Section {
    let lines: Vec<String> = match found.folders.len() {
        0 | 1 => Vec::new(),
        _ => found
            .folders
            .iter()
            .map(|part| part_line(part, &part.name))
            .collect(),
    };
    let weight = if found.projects.len() > 2 { 3 } else { 10 };
    Section::lines("folders", "folders", lines).weighing(weight)
}

fn part_line(part: &Part, name: &str) -> String {
    let tests = match part.tests {
        0 => String::new(),
        all if all == part.files => ", all tests".to_owned(),
        some => format!(", {some} tests"),
    };
    format!(
        " {name} ({} files{tests}, {} symbols)",
        part.files, part.symbols
    )
}

fn use_lines(uses: &[PartUse], other: impl Fn(&PartUse) -> &String) -> Vec<String> {
    uses.iter()
        .map(|each| format!(" {} {}", other(each), each.uses))
        .collect()
}

pub(super) fn entry_section(found: &Overview) -> Section {
    let mut lines: Vec<String> = Vec::new();
    let mut packages: Vec<(&str, Vec<String>)> = Vec::new();
    for entry in &found.entry_points {
        let place = format!("{}:{}", entry.path, entry.line);
        match &entry.kind {
            EntryKind::Main | EntryKind::Application => {
                lines.push(format!(" {place} {}", found.labels.short(entry.id)))
            }
            EntryKind::TopLevel => lines.push(format!(" {place} top-level statements")),
            EntryKind::NotImported => {}
            EntryKind::Package {
                manifest,
                field,
                command,
                loaded_by,
            } => {
                let gap = if command.is_empty() { "" } else { " " };
                let through = match loaded_by.as_str() {
                    "" => String::new(),
                    script => format!(", loaded by {script}"),
                };
                let folder = manifest.rsplit_once('/').map_or("", |(folder, _)| folder);
                let path = entry.path.strip_prefix(folder).unwrap_or(&entry.path);
                let path = path.trim_start_matches('/');
                let file = format!("{path} ({field}{gap}{command}{through})");
                match packages.iter_mut().find(|(known, _)| known == manifest) {
                    Some((_, files)) => files.push(file),
                    None => packages.push((manifest, vec![file])),
                }
            }
        }
    }
    lines.extend(
        packages
            .iter()
            .map(|(manifest, files)| format!(" {manifest}: {}", files.join(", "))),
    );

    let not_imported: Vec<&str> = found
        .entry_points
        .iter()
        .filter(|entry| entry.kind == EntryKind::NotImported)
        .map(|entry| entry.path.as_str())
        .collect();
    if !not_imported.is_empty() {
        let shown = not_imported.iter().take(MAX_NOT_IMPORTED);
        let shown: Vec<&str> = shown.copied().collect();
        let more = match not_imported.len().saturating_sub(MAX_NOT_IMPORTED) {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        lines.push(format!(" imported by no file: {}{more}", shown.join(", ")));
    }
    Section::lines("entry_points", "entry points outside of tests", lines).weighing(14)
}

fn hub_section(found: &Overview) -> Section {
    let lines = found.hubs.iter().map(|hub| {
        let (path, line) = symbol_location(found, hub.id);
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
        let (path, line) = symbol_location(found, id);
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
    Ok(Section::occurrence_rows("surface", title, places).weighing(30))
}

fn cycle_section(found: &Overview, names: &ProjectNames<'_>) -> Section {
    let mut lines = Vec::new();
    for cycle in &found.project_cycles {
        cycle_lines(
            "projects",
            cycle,
            |id| names.short(id).to_owned(),
            &mut lines,
        );
    }
    for cycle in found.folder_cycles.iter().take(MAX_CYCLES) {
        cycle_lines("folders", cycle, str::to_owned, &mut lines);
    }
    Section::lines("cycles", "cycles, with the uses in both directions", lines).weighing(6)
}

fn cycle_lines(what: &str, cycle: &Cycle, name: impl Fn(&str) -> String, lines: &mut Vec<String>) {
    // Two members need no list: their pair names both.
    if cycle.members.len() > 2 {
        let shown = cycle.members.iter().take(MAX_MEMBERS);
        let shown: Vec<String> = shown.map(|member| name(member)).collect();
        let more = match cycle.members.len().saturating_sub(MAX_MEMBERS) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        lines.push(format!(
            " {} {what}: {}{more}",
            cycle.members.len(),
            shown.join(", ")
        ));
    }

    for pair in cycle.pairs.iter().take(MAX_PAIRS) {
        let (path, line) = &pair.site;
        let (from, to) = (name(&pair.from), name(&pair.to));
        lines.push(format!(
            "  {from} -> {to} {} ({path}:{line}), back {}",
            pair.uses, pair.back
        ));
    }
}

fn unused_section(found: &Overview, unused: &[&UnusedSymbol]) -> Section {
    let line = |each: &&UnusedSymbol| {
        let (path, line) = symbol_location(found, each.id);
        let name = found.labels.short(each.id);
        format!(" {path}:{line} {name} ({} lines)", each.lines)
    };
    let title = format!("used by nothing ({})", unused.len());
    let lines = unused.iter().take(MAX_UNUSED).map(line).collect();
    Section::lines("unused", title, lines).weighing(7)
}

fn perhaps_unused_section(found: &Overview, unused: &[&UnusedSymbol]) -> Section {
    let occurrence = |each: &&UnusedSymbol| {
        let (path, line) = symbol_location(found, each.id);
        let doubts: Vec<String> = each.doubts.iter().map(doubt).collect();
        let symbol = format!("{} ({})", found.labels.short(each.id), doubts.join(", "));
        Occurrence {
            path,
            line,
            symbol,
            source: None,
        }
    };

    let places = unused.iter().take(MAX_UNUSED).map(occurrence).collect();
    let title = match unused.len() {
        more @ MAX_UNUSED.. => {
            format!("possibly unused, with the reason for doubt, the first of {more}")
        }
        _ => "possibly unused, with the reason for doubt".to_owned(),
    };
    Section::occurrence_rows("perhaps_unused", title, places).weighing(2)
}

fn doubt(doubt: &Doubt) -> String {
    match doubt {
        Doubt::Named(line) => format!("named in line {line}"),
        Doubt::OnlyTests => "only tests".to_owned(),
        Doubt::Unresolved(count) => format!("{count} unresolved"),
        Doubt::Inactive => "named in inactive code".to_owned(),
        Doubt::Decorated => "decorated".to_owned(),
        Doubt::Derived => "derived".to_owned(),
        Doubt::Public => "public".to_owned(),
    }
}

fn symbol_location(found: &Overview, id: NodeId) -> (String, u32) {
    found.places.get(&id).cloned().unwrap_or_default()
}
