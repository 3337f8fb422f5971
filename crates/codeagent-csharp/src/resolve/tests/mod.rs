//! Small sources and their expected edges, and tests of incremental consistency.

mod edges;
mod evaluation;
mod provided_keys;
mod relinking;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use codeagent_lang::project::{ProjectModel, ReadProjects};
use codeagent_lang::{FileId, Resolution, Target, World, WorldFile, link};
use codeagent_model::graph::{Confidence, Dialect, EdgeType};

use crate::LANGUAGES;
use crate::project::{CSharpProject, CSharpProjects};

/// Splits a source at `//- path` lines into files; without one it is `a.cs`.
fn split(source: &str) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut path = "a.cs".to_owned();
    for line in source.lines() {
        match line.strip_prefix("//- ") {
            Some(next) => path = next.trim().to_owned(),
            None => {
                let text: &mut String = files.entry(path.clone()).or_default();
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    files
}

/// Returns a world of files. Those in `lib/` are external; those in `p1/` and `p2/` belong to
/// projects with these names, and p2 references p1.
fn world(files: &BTreeMap<String, String>) -> World {
    let (mut projects, mut owners) = (Vec::new(), BTreeMap::new());
    for (index, name) in ["p1", "p2"].into_iter().enumerate() {
        let own: Vec<String> = files
            .keys()
            .filter(|path| path.starts_with(name))
            .cloned()
            .collect();

        for path in &own {
            owners.insert(path.clone(), index as u32);
        }

        projects.push(CSharpProject {
            path: format!("{name}/{name}.csproj"),
            assembly_name: name.to_owned(),
            references: if name == "p2" { vec![0] } else { Vec::new() },
            files: own,
            ..CSharpProject::default()
        });
    }

    let files = files.iter().map(|(path, text)| WorldFile {
        path: path.as_str().into(),
        facts: Arc::new(LANGUAGES.extract(text, Dialect::CSharp, &[])).into(),
        external: path.starts_with("lib/"),
        package: None,
    });

    let read = ReadProjects {
        set: Box::new(CSharpProjects { projects }),
        owners,
        warnings: Vec::new(),
    };

    let projects = ProjectModel::of_read(LANGUAGES, vec![read]);
    World::build(files.collect(), Arc::new(projects))
}

/// Prints one line per use: `line name verb target`, where the target is its container, name and
/// line.
fn print(
    world: &World,
    file: FileId,
    resolution: &Resolution,
    wanted: &dyn Fn(EdgeType) -> bool,
) -> String {
    let mut out = String::new();
    let facts = world.facts(file);
    for used in resolution.uses.iter().filter(|used| wanted(used.edge_type)) {
        let Target::Decl(target) = used.targets[0] else {
            continue;
        };
        let theirs = world.facts(target.file);
        let declared = theirs.decl(target.decl);
        let container = declared
            .parent
            .some()
            .map_or("", |parent| theirs.decl_name(parent));
        let source = used
            .source
            .some()
            .map_or("<file>", |source| facts.decl_name(source));

        let unsure = if used.confidence == Confidence::Inferred {
            " (inferred)"
        } else {
            ""
        };

        let line = declared.at.line;
        writeln!(
            out,
            "{}:{source} {} {container}.{}:{line}{unsure}",
            used.at.line,
            used.edge_type,
            theirs.decl_name(target.decl)
        )
        .unwrap();
    }

    out
}

/// Returns the edges of some types of all files, file by file.
fn edges(source: &str, wanted: &[EdgeType]) -> String {
    let world = world(&split(source));
    let mut out = String::new();
    for file in world.repository_files() {
        let resolution = link(file, &world);
        if resolution.calls > 0 {
            assert_eq!(
                resolution.calls as usize,
                resolution.calls_resolved as usize
                    + resolution.calls_external as usize
                    + resolution.value_calls.len()
                    + count_calls(&resolution),
                "every call is counted once"
            );
        }

        let text = print(&world, file, &resolution, &|edge_type| {
            wanted.contains(&edge_type)
        });
        if !text.is_empty() {
            writeln!(out, "{}\n{}", world.file(file).path, text.trim_end()).unwrap();
        }
    }

    out
}

fn count_calls(resolution: &Resolution) -> usize {
    resolution.unresolved.len()
}

fn calls(source: &str) -> String {
    edges(source, &[EdgeType::Calls])
}
