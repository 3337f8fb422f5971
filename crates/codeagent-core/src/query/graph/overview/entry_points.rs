//! Entry points of programs: `Main`, top-level statements, applications of WPF, WinUI, MAUI and
//! Avalonia, files named in a `package.json`, and modules that no other file uses.
//!
//! If a command of a package is not an indexed source, the module that it loads is the entry point.
//!
//! Limitations: bundler configurations and HTML are not read. A build output named in a
//! `package.json` is mapped to a source of the same name below `src` or the package's folder.

use codeagent_workspace::RepoPath;
use rustc_hash::FxHashSet;
use serde_json::Value;

use crate::model::graph::{EdgeType, Language, NodeFlags, NodeId, NodeKind, NodeType};
use crate::query::graph::overview::graph::{ProjectGraph, folder_of};
use crate::query::{QueryError, Sources, TOP_LEVEL};
use crate::store;

/// Folders that builds write to.
const OUTPUTS: [&str; 8] = ["dist", "build", "lib", "out", "esm", "cjs", "umd", "bin"];

/// Extensions of source files, best first.
const ENDINGS: [&str; 8] = ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"];

/// The field of a package that configures the framework oclif.
const OCLIF: &str = "oclif";

/// Commands whose argument is a source file or its folder, possibly without an ending.
const RUNNERS: [&str; 6] = ["bun", "deno", "node", "nodemon", "ts-node", "tsx"];

/// File names that usually belong to entry points; Next.js calls `register` of `instrumentation`.
const STARTS: [&str; 8] = [
    "main",
    "index",
    "server",
    "cli",
    "app",
    "start",
    "worker",
    "instrumentation",
];

/// Why a symbol is an entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A static method `Main`.
    Main,
    /// Top-level statements.
    TopLevel,
    /// The class of an application whose markup (`App.xaml`) stands for `Main`.
    Application,
    /// A `package.json` names the file.
    Package {
        /// Path of the `package.json`.
        manifest: String,
        /// Top-level field of the `package.json`.
        field: String,
        /// Name of the command that runs the file; empty if no command does.
        command: String,
        /// The script that loads the file, if the `package.json` names that instead; otherwise
        /// empty.
        loaded_by: String,
    },
    /// No other file uses the module.
    NotImported,
}

/// The start of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryPoint {
    /// The method or file.
    pub id: NodeId,
    /// Repo-relative path.
    pub path: String,
    /// Line of the method, or 1.
    pub line: u32,
    /// Why it is an entry point.
    pub kind: EntryKind,
}

/// Finds the entry points in scope, outside tests, in the order of [`EntryKind`].
pub fn entry_points(
    sources: &Sources<'_>,
    graph: &ProjectGraph,
) -> Result<Vec<EntryPoint>, QueryError> {
    let mut found = mains(graph);
    found.extend(named_by_packages(sources, graph)?);
    let known: FxHashSet<String> = found.iter().map(|entry| entry.path.clone()).collect();
    found.extend(
        not_imported(graph)
            .into_iter()
            .filter(|entry| !known.contains(&entry.path)),
    );
    Ok(found)
}

fn mains(graph: &ProjectGraph) -> Vec<EntryPoint> {
    let mut found = Vec::new();
    for (symbol, index) in graph.symbols.iter().zip(0..) {
        let kind = match symbol.name.as_str() {
            "Main" if symbol.flags.has(NodeFlags::STATIC) => EntryKind::Main,
            TOP_LEVEL => EntryKind::TopLevel,
            "App" => EntryKind::Application,
            _ => continue,
        };
        let node_type = match kind {
            EntryKind::Application => NodeType::Class,
            _ => NodeType::Method,
        };
        if symbol.node_type != node_type || symbol.language != Language::CSharp {
            continue;
        }

        if let Some((_, file)) = graph.file_of(index)
            && file.is_inside
            && !file.is_test
            && (kind != EntryKind::Application || is_application(&file.path))
        {
            let (path, line) = (file.path.clone(), symbol.name_line);
            found.push(EntryPoint {
                id: symbol.id,
                path,
                line,
                kind,
            });
        }
    }

    found.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    found
}

/// Reports whether a file stands beside the markup of an application.
fn is_application(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    matches!(name, "App.xaml.cs" | "App.axaml.cs")
}

/// Finds the source files named in the repository's `package.json` files.
fn named_by_packages(
    sources: &Sources<'_>,
    graph: &ProjectGraph,
) -> Result<Vec<EntryPoint>, QueryError> {
    let files = file_nodes(graph);
    let mut found: Vec<EntryPoint> = Vec::new();
    let inputs = store::inputs(sources.snapshot())?;
    let manifests = inputs.iter().map(|input| input.path.as_str());

    for manifest in manifests.filter(|path| path.rsplit('/').next() == Some("package.json")) {
        let read = RepoPath::new(manifest)
            .ok()
            .map(|path| sources.workspace().read(&path));
        let Some(Ok(read)) = read else { continue };
        let Ok(package) = serde_json::from_str::<Value>(&read.text) else {
            continue;
        };

        found.extend(oclif_commands(&package, manifest, graph));
        for (field, named) in named_paths(&package) {
            let command = match field.as_str() {
                "bin" => command_of(&package, &named),
                _ => String::new(),
            };
            let folder = folder_of(manifest);
            let source = source_of(folder, &named, &files);
            let is_loaded = source.is_none() && field == "bin";
            let entry = match is_loaded {
                true => loaded_source(sources, folder, &named, &files),
                false => source,
            };
            let loaded_by = if is_loaded { named } else { String::new() };
            if let Some((path, id)) = entry
                && !is_configuration(path)
                && !found.iter().any(|known| known.path == path)
            {
                let (manifest, path) = (manifest.to_owned(), path.to_owned());
                let kind = EntryKind::Package {
                    manifest,
                    field,
                    command,
                    loaded_by,
                };
                found.push(EntryPoint {
                    id,
                    path,
                    line: 1,
                    kind,
                });
            }
        }
    }

    Ok(found)
}

/// Returns the methods `run` of the commands of a program that is built on oclif, which names their folder.
fn oclif_commands(package: &Value, manifest: &str, graph: &ProjectGraph) -> Vec<EntryPoint> {
    let oclif = package.get(OCLIF).and_then(|oclif| oclif.get("commands"));
    let Some(folder) = oclif.and_then(Value::as_str) else {
        return Vec::new();
    };
    let folder = folder.trim_start_matches("./").trim_end_matches('/');
    let built = folder.split_once('/');
    let inner = built.filter(|(first, _)| OUTPUTS.contains(first));
    let folders = match inner {
        Some((_, inner)) => vec![format!("src/{inner}/"), format!("{inner}/")],
        None => vec![format!("{folder}/")],
    };
    let around = match folder_of(manifest) {
        "." => String::new(),
        around => format!("{around}/"),
    };

    let programs = package.get("bin").and_then(Value::as_object);
    let program = programs.and_then(|programs| programs.values().next()?.as_str());
    let program = program
        .unwrap_or_default()
        .trim_start_matches("./")
        .to_owned();

    let mut found = Vec::new();
    for (symbol, index) in graph.symbols.iter().zip(0..) {
        let Some((_, file)) = graph.file_of(index).filter(|_| symbol.name == "run") else {
            continue;
        };
        let is_command = symbol.node_type == NodeType::Method && file.is_inside && !file.is_test;
        let in_package = file.path.strip_prefix(&around).unwrap_or_default();
        let inner = folders
            .iter()
            .find_map(|folder| in_package.strip_prefix(folder.as_str()));
        if let Some(inner) = inner.filter(|_| is_command) {
            found.push(EntryPoint {
                id: symbol.id,
                path: file.path.clone(),
                line: symbol.name_line,
                kind: EntryKind::Package {
                    manifest: manifest.to_owned(),
                    field: OCLIF.to_owned(),
                    command: without_ending(inner).replace('/', ":"),
                    loaded_by: program.clone(),
                },
            });
        }
    }
    found
}

/// Returns the name of the command that runs a file of a package: its key in `bin`, or the name of
/// the package without its scope.
fn command_of(package: &Value, path: &str) -> String {
    let commands = package.get("bin").and_then(Value::as_object);
    let key = commands.and_then(|commands| {
        let mut commands = commands.iter();
        commands.find(|(_, run)| run.as_str() == Some(path))
    });
    let name = package.get("name").and_then(Value::as_str);
    let own = name.unwrap_or_default().rsplit('/').next();
    match key {
        Some((key, _)) => key.clone(),
        None => own.unwrap_or_default().to_owned(),
    }
}

/// Returns the indexed source that the script of a command loads: `bin/tool` with
/// `require("../dist/index.js")`.
fn loaded_source<'a>(
    sources: &Sources<'_>,
    folder: &str,
    command: &str,
    files: &FileNodes<'a>,
) -> Option<(&'a str, NodeId)> {
    let command = RepoPath::normalized(&format!("{folder}/{command}")).ok()?;
    let text = sources.workspace().read(&command).ok()?.text;
    let strings = text.split(['"', '\'']);
    let mut modules = strings.filter(|part| part.starts_with("./") || part.starts_with("../"));

    modules.find_map(|module| {
        let path = format!("{}/{module}", folder_of(command.as_str()));
        let path = RepoPath::normalized(&path).ok()?;
        let named = match folder {
            "." => path.as_str(),
            folder => path.as_str().strip_prefix(folder)?.strip_prefix('/')?,
        };

        source_of(folder, named, files)
    })
}

/// The file nodes in scope, outside tests, by path.
type FileNodes<'a> = std::collections::BTreeMap<&'a str, NodeId>;

fn file_nodes(graph: &ProjectGraph) -> FileNodes<'_> {
    let mut nodes = FileNodes::new();
    for (symbol, index) in graph.symbols.iter().zip(0..) {
        if symbol.kind == NodeKind::File
            && let Some((_, file)) = graph.file_of(index)
            && file.is_inside
            && !file.is_test
        {
            nodes.insert(&file.path, symbol.id);
        }
    }
    nodes
}

/// Returns the paths named in a `package.json`, each with its field.
fn named_paths(package: &Value) -> Vec<(String, String)> {
    let mut named = Vec::new();
    for field in ["bin", "main", "module", "browser", "exports", "scripts"] {
        if let Some(value) = package.get(field) {
            collect(value, field, 0, &mut named);
        }
    }
    named
}

fn collect(value: &Value, field: &str, depth: usize, named: &mut Vec<(String, String)>) {
    match value {
        Value::String(text) if field == "scripts" => {
            let words: Vec<&str> = text
                .split_whitespace()
                .map(|word| word.trim_matches(['"', '\'']))
                .collect();

            let is_run = |at: usize| at > 0 && RUNNERS.contains(&words[at - 1]);
            let is_source = |word: &str| {
                let ending = word.rsplit_once('.').map(|(_, ending)| ending);
                ending.is_some_and(|ending| ENDINGS.contains(&ending))
            };

            let paths = words
                .iter()
                .enumerate()
                .filter(|(at, word)| is_source(word) || is_run(*at) && !word.starts_with('-'))
                .map(|(_, word)| word);
            named.extend(paths.map(|path| (field.to_owned(), (*path).to_owned())));
        }
        Value::String(text) => named.push((field.to_owned(), text.clone())),
        Value::Object(entries) if depth < 4 => {
            entries
                .values()
                .for_each(|each| collect(each, field, depth + 1, named));
        }
        Value::Array(entries) if depth < 4 => {
            entries
                .iter()
                .for_each(|each| collect(each, field, depth + 1, named));
        }
        _ => {}
    }
}

/// Returns the indexed source for a path in a package.
fn source_of<'a>(folder: &str, named: &str, files: &FileNodes<'a>) -> Option<(&'a str, NodeId)> {
    let named = named.trim_start_matches("./");
    let bare = without_ending(named);
    let inner = bare
        .split_once('/')
        .filter(|(first, _)| OUTPUTS.contains(first))
        .map(|(_, rest)| rest);

    let mut stems = vec![bare.to_owned(), format!("{bare}/index")];
    if let Some(inner) = inner {
        // `dist/src/index.js` and `dist/esm/index.js` are built from `src/index.ts`.
        let innermost = inner.rsplit_once('/').map_or(inner, |(_, last)| last);
        stems.extend([
            inner.to_owned(),
            format!("src/{inner}"),
            format!("src/{innermost}"),
        ]);
    }

    for stem in stems {
        for ending in ENDINGS {
            let path = match folder {
                "." => format!("{stem}.{ending}"),
                folder => format!("{folder}/{stem}.{ending}"),
            };
            if let Some((path, id)) = files.get_key_value(path.as_str()) {
                return Some((path, *id));
            }
        }
    }

    None
}

fn without_ending(path: &str) -> &str {
    let path = path.strip_suffix(".d.ts").unwrap_or(path);
    match path.rsplit_once('.') {
        Some((stem, ending)) if ENDINGS.contains(&ending) => stem,
        _ => path,
    }
}

/// Finds the modules that no other file but tests uses; those with typical names of entry points come first.
fn not_imported(graph: &ProjectGraph) -> Vec<EntryPoint> {
    let mut used: FxHashSet<u32> = FxHashSet::default();
    let mut active: FxHashSet<u32> = FxHashSet::default();
    for each in &graph.uses {
        let is_test = graph.files[each.file as usize].is_test;
        if let Some((file, _)) = graph.file_of(each.target)
            && file != each.file
            && !is_test
        {
            used.insert(file);
        }
        let is_code = graph.symbol(each.source).kind == NodeKind::File;
        if is_code && each.edge_type == EdgeType::Calls {
            active.insert(each.file);
        }
    }

    let mut found = Vec::new();
    for (symbol, index) in graph.symbols.iter().zip(0..) {
        let Some((at, file)) = graph.file_of(index) else {
            continue;
        };
        let is_module = symbol.kind == NodeKind::File
            && file.language == Language::TypeScript
            && file.is_inside
            && !file.is_test
            && !is_configuration(&file.path);
        let name = without_ending(file.path.rsplit('/').next().unwrap_or_default());
        let starts = STARTS.contains(&name);
        if is_module && !used.contains(&at) && (starts || active.contains(&at)) {
            let path = file.path.clone();
            found.push((
                !starts,
                path.matches('/').count(),
                EntryPoint {
                    id: symbol.id,
                    path,
                    line: 1,
                    kind: EntryKind::NotImported,
                },
            ));
        }
    }
    found.sort_by(|a, b| (a.0, a.1, &a.2.path).cmp(&(b.0, b.1, &b.2.path)));
    found.into_iter().map(|(_, _, entry)| entry).collect()
}

fn is_configuration(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.contains(".config.") || name.ends_with(".d.ts") || name.contains(".stories.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_output_paths_lead_to_sources() {
        let files = FileNodes::from_iter([
            ("packages/a/src/index.ts", NodeId(1)),
            ("packages/a/src/cli.ts", NodeId(2)),
            ("server.js", NodeId(3)),
        ]);

        for (folder, named, expected) in [
            ("packages/a", "./dist/index.js", Some(1)),
            ("packages/a", "dist/esm/index.mjs", Some(1)),
            ("packages/a", "./dist/cli", Some(2)),
            ("packages/a", "src/index.ts", Some(1)),
            (".", "./server", Some(3)),
            (".", "dist/none.js", None),
        ] {
            let found = source_of(folder, named, &files).map(|(_, id)| id.0);
            assert_eq!(found, expected, "{folder} {named}");
        }
    }

    #[test]
    fn scripts_and_nested_exports_name_paths() {
        let package = serde_json::json!({
            "bin": { "tool": "./dist/cli.js" },
            "exports": { ".": { "import": "./dist/index.mjs" } },
            "scripts": {
                "dev": "cross-env A=b node dev",
                "start": "node --enable-source-maps 'server/start.ts' --port 1",
            },
        });

        let paths: Vec<String> = named_paths(&package)
            .into_iter()
            .map(|(_, path)| path)
            .collect();

        assert_eq!(
            paths,
            [
                "./dist/cli.js",
                "./dist/index.mjs",
                "dev",
                "server/start.ts"
            ]
        );
    }
}
