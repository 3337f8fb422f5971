//! Overview of a repository, a folder or a project: parts and their uses, entry points, hubs,
//! cycles, public surface and unused code.
//!
//! An overview reads every symbol and use once. Tests count as files and symbols; hubs, cycles,
//! surface and unused code leave them out.
//!
//! Limitations: cycles are searched only between folders that do not contain each other.

mod cycles;
mod entry_points;
mod graph;
mod scripts;
mod unused;

pub(in crate::query) use cycles::components;
pub use cycles::{Cycle, MutualUse};
pub use entry_points::{EntryKind, EntryPoint};
pub use scripts::{RunScript, scripts_run};
pub use unused::{Doubt, UnusedSymbol};

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::graph::{EdgeType, Language, NodeFlags, NodeId, NodeType};
use crate::query::labels::Labels;
use crate::query::{QueryError, Sources};
use cycles::{Crossing, Crossings, cycles};
use entry_points::entry_points;
use graph::{File, ProjectGraph, Use};
use unused::{doubt_named, unused};

const MAX_HUBS: usize = 15;

/// The scope of an overview.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope<'a> {
    /// The whole repository.
    Whole,
    /// A folder and everything below it.
    Folder(&'a str),
    /// A project, by id.
    Project(&'a str),
}

impl Scope<'_> {
    fn holds(self, path: &str, project: &str) -> bool {
        match self {
            Self::Whole => true,
            Self::Folder(folder) => path
                .strip_prefix(folder)
                .is_some_and(|rest| rest.starts_with('/')),
            Self::Project(id) => project == id,
        }
    }
}

/// A project or folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Id of the project, or path of the folder.
    pub name: String,
    /// The language of most of its files.
    pub language: Language,
    /// Number of files.
    pub files: usize,
    /// Number of test files.
    pub tests: usize,
    /// Number of symbols other than files.
    pub symbols: usize,
}

/// The uses of one project or folder by another. Tests are left out, unless one of the two consists
/// of tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartUse {
    /// The using part; empty for the scope.
    pub from: String,
    /// The used part; empty for the scope.
    pub to: String,
    /// Number of uses.
    pub uses: usize,
}

/// A symbol with its uses in other files, or outside the scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsedSymbol {
    /// The symbol.
    pub id: NodeId,
    /// Number of uses.
    pub uses: usize,
    /// Number of files with uses.
    pub files: usize,
}

/// An overview.
#[derive(Clone, Debug, Default)]
pub struct Overview {
    /// Number of files in scope.
    pub files: usize,
    /// Number of test files in scope.
    pub tests: usize,
    /// Number of symbols in scope other than files.
    pub symbols: usize,
    /// Projects with files in scope, largest first.
    pub projects: Vec<Part>,
    /// Uses between projects, at least one of which has files in scope; most first.
    pub project_uses: Vec<PartUse>,
    /// Folders into which the scope is divided, largest first.
    pub folders: Vec<Part>,
    /// If the scope is a part of the repository: its uses of other folders, most first.
    pub uses: Vec<PartUse>,
    /// If the scope is a part of the repository: the uses of it by other folders, most first.
    pub used_by: Vec<PartUse>,
    /// Entry points of programs.
    pub entry_points: Vec<EntryPoint>,
    /// Symbols used in the most files.
    pub hubs: Vec<UsedSymbol>,
    /// Cycles between projects.
    pub project_cycles: Vec<Cycle>,
    /// Cycles between folders.
    pub folder_cycles: Vec<Cycle>,
    /// If the scope is a part of the repository: its public symbols with uses from outside, by path
    /// and line.
    pub surface: Vec<UsedSymbol>,
    /// Unused symbols, most certain first.
    pub unused: Vec<UnusedSymbol>,
    /// Names of all these symbols.
    pub labels: Labels,
    /// Path and line of the name of each of these symbols.
    pub places: FxHashMap<NodeId, (String, u32)>,
}

/// Creates the overview of a repository or a part of it.
pub fn overview(sources: &mut Sources<'_>, scope: Scope<'_>) -> Result<Overview, QueryError> {
    let snapshot = sources.snapshot();
    let graph = ProjectGraph::load(
        snapshot,
        |path, project| scope.holds(path, project),
        |_| true,
    )?;
    let is_part = scope != Scope::Whole;
    let projects: Vec<usize> = graph.files.iter().map(|file| file.project).collect();
    let folders: Vec<usize> = graph.files.iter().map(|file| file.folder).collect();

    let mut found = Overview {
        files: graph.files.iter().filter(|file| file.is_inside).count(),
        tests: graph
            .files
            .iter()
            .filter(|file| file.is_inside && file.is_test)
            .count(),
        entry_points: entry_points(sources, &graph)?,
        hubs: hubs(&graph),
        unused: unused(sources, &graph)?,
        ..Overview::default()
    };
    doubt_named(sources, &graph, &mut found.unused)?;
    found.unused.sort_by_key(|each| (each.rank(), each.id));
    found.projects = parts(&graph, &|file| {
        graph.projects[graph.files[file].project].clone()
    });
    found.symbols = found.projects.iter().map(|project| project.symbols).sum();
    let division = Division::of(&graph, scope);
    found.folders = parts(&graph, &|file| division.part(&graph.files[file].path));

    let tests = test_projects(&graph);
    let crossings = crossings(&graph, &projects, |each| {
        let file = &graph.files[each.file as usize];
        !file.is_test || tests.contains(&file.project)
    });
    found.project_uses = part_uses(&graph.projects, &crossings);
    if !matches!(scope, Scope::Folder(_)) {
        found.project_cycles = cycles(&graph.projects, &crossings);
    }
    let between_folders = self::crossings(&graph, &folders, |each| {
        is_code(&graph, each) && (!is_part || ends_inside(&graph, each))
    });
    found.folder_cycles = cycles(&graph.folders, &between_folders);
    if is_part {
        (found.uses, found.used_by) = neighbours(&graph, &folders);
        found.surface = surface(&graph);
    }

    let ids = found.hubs.iter().chain(&found.surface).map(|each| each.id);
    let ids = ids.chain(found.unused.iter().map(|each| each.id));
    let ids: Vec<NodeId> = ids
        .chain(found.entry_points.iter().map(|each| each.id))
        .collect();
    found.places = places(&graph, &ids);
    found.labels.load(snapshot, ids)?;
    Ok(found)
}

/// Returns an overview of the repository that has its entry points alone.
pub fn entry_overview(sources: &mut Sources<'_>) -> Result<Overview, QueryError> {
    let snapshot = sources.snapshot();
    // Only modules are entry points because of what uses them.
    let has_modules = |files: &[File]| {
        let mut files = files.iter();
        files.any(|file| file.language == Language::TypeScript)
    };
    let graph = ProjectGraph::load(snapshot, |_, _| true, has_modules)?;
    let mut found = Overview {
        entry_points: entry_points(sources, &graph)?,
        ..Overview::default()
    };
    let ids: Vec<NodeId> = found.entry_points.iter().map(|each| each.id).collect();
    found.places = places(&graph, &ids);
    found.labels.load(snapshot, ids)?;
    Ok(found)
}

fn test_projects(graph: &ProjectGraph) -> FxHashSet<usize> {
    let others: FxHashSet<usize> = graph
        .files
        .iter()
        .filter(|file| !file.is_test)
        .map(|file| file.project)
        .collect();
    (0..graph.projects.len())
        .filter(|project| !others.contains(project))
        .collect()
}

fn is_code(graph: &ProjectGraph, each: &Use) -> bool {
    let is_target_test = graph
        .file_of(each.target)
        .is_some_and(|(_, file)| file.is_test);
    !graph.files[each.file as usize].is_test && !is_target_test
}

fn ends_inside(graph: &ProjectGraph, each: &Use) -> bool {
    let is_inside = |file: &graph::File| file.is_inside;
    is_inside(&graph.files[each.file as usize])
        && graph
            .file_of(each.target)
            .is_some_and(|(_, file)| is_inside(file))
}

/// Groups the files in scope, largest group first.
fn parts(graph: &ProjectGraph, part_of: &dyn Fn(usize) -> String) -> Vec<Part> {
    let mut symbols = vec![0; graph.files.len()];
    for (symbol, index) in graph.symbols.iter().zip(0..) {
        if symbol.node_type != NodeType::File
            && let Some((file, _)) = graph.file_of(index)
        {
            symbols[file as usize] += 1;
        }
    }

    let mut known: FxHashMap<String, (Part, BTreeMap<Language, usize>)> = FxHashMap::default();
    for (index, file) in graph
        .files
        .iter()
        .enumerate()
        .filter(|(_, file)| file.is_inside)
    {
        let name = part_of(index);
        let (part, languages) = known.entry(name.clone()).or_insert_with(|| {
            let language = file.language;
            (
                Part {
                    name,
                    language,
                    files: 0,
                    tests: 0,
                    symbols: 0,
                },
                BTreeMap::new(),
            )
        });
        part.files += 1;
        part.tests += usize::from(file.is_test);
        part.symbols += symbols[index];
        *languages.entry(file.language).or_default() += 1;
    }

    let mut parts: Vec<Part> = known
        .into_values()
        .map(|(part, languages)| {
            let most = languages.iter().max_by_key(|(_, files)| **files);
            let language = most.map_or(part.language, |(language, _)| *language);
            Part { language, ..part }
        })
        .collect();
    parts.sort_by(|a, b| (Reverse(a.symbols), &a.name).cmp(&(Reverse(b.symbols), &b.name)));
    parts
}

/// Division of the scope into folders: the first level below the common folder at which no folder
/// contains nearly everything.
struct Division {
    /// Common folder of all files, with a trailing slash, or empty.
    common: String,
    depth: usize,
}

/// Maximum depth of the division.
const MAX_DIVISION: usize = 3;

impl Division {
    fn of(graph: &ProjectGraph, scope: Scope<'_>) -> Self {
        let inside: Vec<&str> = graph
            .files
            .iter()
            .filter(|file| file.is_inside)
            .map(|file| file.path.as_str())
            .collect();

        let common = match scope {
            Scope::Folder(folder) => format!("{folder}/"),
            _ => common_folder(inside.iter().copied()),
        };
        let mut division = Self { common, depth: 0 };
        for depth in 1..=MAX_DIVISION {
            division.depth = depth;
            let mut sizes: FxHashMap<String, usize> = FxHashMap::default();
            for path in &inside {
                *sizes.entry(division.part(path)).or_default() += 1;
            }
            let largest = sizes.values().max().copied().unwrap_or_default();
            if 3 * largest <= 2 * inside.len() {
                break;
            }
        }

        division
    }

    fn part(&self, path: &str) -> String {
        let rest = path.strip_prefix(&self.common).unwrap_or(path);
        let segments: Vec<&str> = rest.split('/').collect();
        let kept = (segments.len() - 1).min(self.depth);
        let part = format!("{}{}", self.common, segments[..kept].join("/"));
        let part = part.trim_end_matches('/');
        if part.is_empty() {
            ".".to_owned()
        } else {
            part.to_owned()
        }
    }
}

fn common_folder<'a>(mut paths: impl Iterator<Item = &'a str>) -> String {
    let Some(first) = paths.next() else {
        return String::new();
    };
    let mut common = first.rfind('/').map_or("", |at| &first[..=at]);
    for path in paths {
        while !path.starts_with(common) {
            let shorter = common.trim_end_matches('/');
            common = shorter.rfind('/').map_or("", |at| &shorter[..=at]);
        }
    }
    common.to_owned()
}

/// Counts the uses between parts; `parts` has the part of each file. Uses between a folder and a
/// folder inside it do not count.
fn crossings(graph: &ProjectGraph, parts: &[usize], counts: impl Fn(&Use) -> bool) -> Crossings {
    let is_nested = |from: u32, to: u32| {
        let (from, to) = (
            &graph.files[from as usize].path,
            &graph.files[to as usize].path,
        );
        let (from, to) = (graph::folder_of(from), graph::folder_of(to));
        let is_in = |a: &str, b: &str| {
            b == "." || a.strip_prefix(b).is_some_and(|rest| rest.starts_with('/'))
        };
        is_in(from, to) || is_in(to, from)
    };
    let is_by_folder = parts
        .iter()
        .zip(&graph.files)
        .all(|(part, file)| *part == file.folder);

    let mut found = Crossings::default();
    for each in graph.uses.iter().filter(|each| counts(each)) {
        let Some((to, _)) = graph.file_of(each.target) else {
            continue;
        };
        let ends = (parts[each.file as usize], parts[to as usize]);
        if ends.0 == ends.1 || (is_by_folder && is_nested(each.file, to)) {
            continue;
        }
        let crossing = found.entry(ends).or_insert_with(|| Crossing {
            uses: 0,
            site: (graph.files[each.file as usize].path.clone(), each.line),
        });
        crossing.uses += 1;
    }
    found
}

fn part_uses(names: &[String], crossings: &Crossings) -> Vec<PartUse> {
    let mut uses: Vec<PartUse> = crossings
        .iter()
        .map(|((from, to), crossing)| PartUse {
            from: names[*from].clone(),
            to: names[*to].clone(),
            uses: crossing.uses,
        })
        .collect();
    uses.sort_by(|a, b| (Reverse(a.uses), &a.from, &a.to).cmp(&(Reverse(b.uses), &b.from, &b.to)));
    uses
}

/// Returns the uses by the scope and the uses of the scope, per outside folder.
fn neighbours(graph: &ProjectGraph, folders: &[usize]) -> (Vec<PartUse>, Vec<PartUse>) {
    let (mut uses, mut used_by): (FxHashMap<usize, usize>, FxHashMap<usize, usize>) =
        Default::default();
    for each in &graph.uses {
        let Some((to, target)) = graph.file_of(each.target) else {
            continue;
        };
        let source = &graph.files[each.file as usize];
        match (source.is_inside, target.is_inside) {
            (true, false) => *uses.entry(folders[to as usize]).or_default() += 1,
            (false, true) => *used_by.entry(folders[each.file as usize]).or_default() += 1,
            _ => {}
        }
    }

    let listed = |counts: FxHashMap<usize, usize>, is_out: bool| {
        let mut listed: Vec<PartUse> = counts
            .into_iter()
            .map(|(folder, uses)| {
                let (here, there) = (String::new(), graph.folders[folder].clone());
                let (from, to) = if is_out { (here, there) } else { (there, here) };
                PartUse { from, to, uses }
            })
            .collect();

        listed.sort_by(|a, b| {
            (Reverse(a.uses), &a.from, &a.to).cmp(&(Reverse(b.uses), &b.from, &b.to))
        });
        listed
    };

    (listed(uses, true), listed(used_by, false))
}

/// Finds the symbols of the scope that are used in most other files.
fn hubs(graph: &ProjectGraph) -> Vec<UsedSymbol> {
    let counts = |each: &Use| {
        is_code(graph, each)
            && !matches!(each.edge_type, EdgeType::Imports | EdgeType::Overrides)
            && graph
                .file_of(each.target)
                .is_some_and(|(file, of)| file != each.file && of.is_inside)
    };

    let mut hubs: Vec<(u32, (usize, usize))> = graph
        .uses_from_elsewhere(counts)
        .into_iter()
        .filter(|(index, _)| {
            !matches!(
                graph.symbol(*index).node_type,
                NodeType::File | NodeType::Module
            )
        })
        .collect();

    hubs.sort_unstable_by_key(|(index, (uses, files))| (Reverse(*files), Reverse(*uses), *index));
    hubs.truncate(MAX_HUBS);
    hubs.into_iter()
        .map(|(index, counts)| used(graph, index, counts))
        .collect()
}

fn used(graph: &ProjectGraph, index: u32, (uses, files): (usize, usize)) -> UsedSymbol {
    UsedSymbol {
        id: graph.symbol(index).id,
        uses,
        files,
    }
}

/// Finds the public top-level symbols of the scope.
fn surface(graph: &ProjectGraph) -> Vec<UsedSymbol> {
    let from_outside = |each: &Use| {
        !graph.files[each.file as usize].is_inside && each.edge_type != EdgeType::Imports
    };
    let mut uses = graph.uses_from_elsewhere(from_outside);

    // A use of a member counts as a use of its type.
    let mut top: Vec<u32> = Vec::new();
    let mut of_members: FxHashMap<u32, (usize, usize)> = FxHashMap::default();
    for (symbol, index) in graph.symbols.iter().zip(0..) {
        let is_inside = graph
            .file_of(index)
            .is_some_and(|(_, file)| file.is_inside && !file.is_test);
        if !is_inside || matches!(symbol.node_type, NodeType::File | NodeType::Module) {
            continue;
        }
        let parent = graph.parent(index);
        let is_top = parent.is_none_or(|parent| {
            matches!(
                graph.symbol(parent).node_type,
                NodeType::File | NodeType::Module
            )
        });
        if is_top && symbol.flags.has(NodeFlags::PUBLIC_API) {
            top.push(index);
        }
        if let (Some(parent), Some((count, files))) = (parent, uses.get(&index)) {
            let entry = of_members.entry(parent).or_default();
            entry.0 += count;
            entry.1 = entry.1.max(*files);
        }
    }

    let place = |index: &u32| {
        let path = graph.file_of(*index).map(|(_, file)| file.path.as_str());
        (path, graph.symbol(*index).name_line)
    };
    top.sort_by(|a, b| place(a).cmp(&place(b)));
    top.into_iter()
        .map(|index| {
            let (own, own_files) = uses.remove(&index).unwrap_or_default();
            let (inner, inner_files) = of_members.remove(&index).unwrap_or_default();
            used(graph, index, (own + inner, own_files.max(inner_files)))
        })
        .collect()
}

fn places(graph: &ProjectGraph, ids: &[NodeId]) -> FxHashMap<NodeId, (String, u32)> {
    let wanted: FxHashSet<NodeId> = ids.iter().copied().collect();
    graph
        .symbols
        .iter()
        .zip(0..)
        .filter(|(symbol, _)| wanted.contains(&symbol.id))
        .filter_map(|(symbol, index)| {
            let (_, file) = graph.file_of(index)?;
            Some((symbol.id, (file.path.clone(), symbol.name_line)))
        })
        .collect()
}
