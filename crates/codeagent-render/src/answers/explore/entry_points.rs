//! Section about where a program starts.

use codeagent_core::model::graph::EdgeType;
use codeagent_core::query::{self, EntryKind, EntryPoint, Occurrences, Target, Targets};

use super::connection::is_form;
use super::containers;
use super::flow::FLOW_TITLE;
use super::member::source_lines;
use super::wants::{STARTS, WANTED, Wants};
use super::{branches, is_prose, start_scripts};
use crate::answers::{AnswerError, overview};
use crate::text::{Document, NameRow, Section};

/// Maximum number of files whose calls are shown, and of the lines of each that are read.
const MAX_FILES: usize = 8;
const MAX_LINES: u32 = 2_000;

/// Maximum number of entry points whose flow is shown.
const MAX_FLOWS: usize = 2;

/// Maximum characters of the source of each.
const MAX_SOURCE_CHARS: usize = 3_500;

/// Maximum characters of the entry points that are not shown.
const MAX_OTHERS_CHARS: usize = 500;

/// Weight of the flow.
const FLOW_WEIGHT: u32 = 20;

/// Maximum characters of the flow.
const FLOW_CHARS: usize = 1_500;

/// Words for a program that answers requests.
const SERVERS: [&str; 3] = ["backend", "server", "web"];

/// Words for a program that runs at its user.
const CLIENTS: [&str; 3] = ["browser", "client", "frontend"];

/// Words for a program of a terminal.
const TERMINALS: [&str; 6] = [
    "cli",
    "cmd",
    "command-line",
    "commandline",
    "console",
    "terminal",
];

/// Beginnings of words for what other programs import.
const LIBRARIES: [&str; 4] = ["framework", "import", "librar", "package"];

/// Names of commands that start one.
const SERVING: [&str; 3] = ["serve", "server", "start"];

/// Conditions that a file is the one that was started.
const MAIN_GUARDS: [&str; 2] = ["require.main === module", "import.meta.main"];

/// What stands in the file where such a program starts.
const SERVER_CALLS: [&str; 9] = [
    "require.main === module",
    "import.meta.main",
    ".UseStartup<",
    ".listen(",
    "Bun.serve(",
    "Host.CreateDefaultBuilder(",
    "WebApplication.Create",
    "WebHost.",
    "createServer(",
];

/// Number of uncommon words from which a question that names nothing asks for more than a start.
const LONG: usize = 6;

/// Reports whether a question describes more than where a program starts.
fn asks_for_more(targets: &Targets) -> bool {
    targets.found.is_empty() && targets.uncommon_words().count() >= LONG
}

/// Adds the entry points of the program in a folder that a question names or describes, or else all if it
/// names nothing; reports whether there are any.
pub(super) fn section(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (targets, wants): (&Targets, Wants),
) -> Result<bool, AnswerError> {
    let mut found = query::entry_overview(occurrences.sources)?;
    select_named(&mut found.entry_points, targets);
    let named = found.entry_points.clone();

    found
        .entry_points
        .retain(|entry| !query::is_generated_path(&entry.path));
    if TERMINALS.iter().any(|word| targets.has_word(word)) {
        select_terminals(&mut found.entry_points);
    }
    let asks_for_library = targets.mentions(&LIBRARIES);
    if asks_for_library {
        select_library(&mut found.entry_points);
    }
    select_described(&mut found.entry_points, targets);
    let is_server = SERVERS.iter().any(|word| targets.has_word(word));
    if is_server && !CLIENTS.iter().any(|word| targets.has_word(word)) {
        select_servers(occurrences, &mut found.entry_points)?;
    }
    if !asks_for_library {
        drop_libraries(occurrences, &mut found.entry_points)?;
    }

    containers::section(document, occurrences, (targets, &mut found.entry_points))?;
    document.section(overview::entry_section(&found));
    document.section(others(&named, &found.entry_points));
    document.section(top_level_calls(occurrences, &found.entry_points)?);
    start_scripts::section(document, occurrences, &found.entry_points)?;
    if !document.is_empty() && asks_for_more(targets) {
        document.note(
            "this lists where programs start; ask for what else the question says in one of its own",
        );
    }

    // What builds a program or stands alone is not where it starts.
    let mut starting = found.entry_points.clone();
    if starting.len() > MAX_FLOWS {
        starting.retain(|entry| match &entry.kind {
            EntryKind::Package { field, .. } => field != "scripts",
            kind => *kind != EntryKind::NotImported,
        });
    }
    // The class of an application runs when `Main` has started it.
    if starting.iter().any(|entry| entry.kind == EntryKind::Main) {
        starting.retain(|entry| entry.kind != EntryKind::Application);
    }

    if starting.len() <= MAX_FLOWS {
        add_flow(document, occurrences, &starting, wants.flow)?;
        sources(document, occurrences, &starting)?;
    }
    Ok(!found.entry_points.is_empty())
}

/// Returns a section with the methods and commands at which programs start that fit the question less well than those
/// shown.
fn others(named: &[EntryPoint], shown: &[EntryPoint]) -> Section {
    let start = |entry: &EntryPoint| match &entry.kind {
        EntryKind::Main => Some(format!("{}:{}", entry.path, entry.line)),
        EntryKind::Package { command, .. } if !command.is_empty() => Some(entry.path.clone()),
        _ => None,
    };
    let others = named.iter().filter(|entry| !shown.contains(entry));
    let names = others.filter_map(start).map(|full| NameRow {
        short: full.clone(),
        full,
    });
    let title = "others, which fit the question less well";
    let names = Section::names("other entry points", title, names.collect());
    names.weighing(10).at_most(MAX_OTHERS_CHARS)
}

/// Removes the files by which other packages of the repository import a package, unless there are no others.
fn drop_libraries(
    occurrences: &Occurrences<'_, '_>,
    entries: &mut Vec<EntryPoint>,
) -> Result<(), AnswerError> {
    let mut programs = Vec::with_capacity(entries.len());
    for entry in entries.iter() {
        let is_package =
            matches!(&entry.kind, EntryKind::Package { command, .. } if command.is_empty());
        let is_imported = is_package
            && !occurrences
                .incoming(&[entry.id], &[EdgeType::Imports])?
                .is_empty();

        if !is_imported {
            programs.push(entry.clone());
        }
    }

    if !programs.is_empty() {
        *entries = programs;
    }
    Ok(())
}

/// Keeps the entry points whose folders have a word for a program of a terminal, and commands; all if there are none.
fn select_terminals(entries: &mut Vec<EntryPoint>) {
    let words: Vec<String> = TERMINALS.map(str::to_owned).to_vec();
    let words: Vec<&String> = words.iter().collect();
    let is_terminal = |entry: &EntryPoint| {
        let is_command =
            matches!(&entry.kind, EntryKind::Package { command, .. } if !command.is_empty());
        is_command || described(&entry.path, &words) > 0
    };
    if entries.iter().any(is_terminal) {
        entries.retain(is_terminal);
    }
}

/// Keeps the main files by which other programs import packages; all if there are none.
fn select_library(entries: &mut Vec<EntryPoint>) {
    let is_main = |entry: &EntryPoint| {
        matches!(&entry.kind, EntryKind::Package { field, command, .. }
            if command.is_empty() && ["main", "module"].contains(&field.as_str()))
    };
    if entries.iter().any(is_main) {
        entries.retain(is_main);
    }
}

/// Returns a section with the last call at the top level of each of a few files that no file imports.
fn top_level_calls(
    occurrences: &mut Occurrences<'_, '_>,
    entries: &[EntryPoint],
) -> Result<Section, AnswerError> {
    let entries = entries.iter();
    let files: Vec<&EntryPoint> = entries
        .filter(|entry| entry.kind == EntryKind::NotImported)
        .collect();

    let mut places = Vec::new();
    for entry in files.iter().take(MAX_FILES) {
        let lines = occurrences.sources.lines(&entry.path, 1, MAX_LINES)?;
        let lines = lines.unwrap_or_default();
        let is_main = |line: &String| MAIN_GUARDS.iter().any(|guard| line.contains(guard));
        let calls = (1..).zip(&lines).filter(|(_, line)| is_call(line));
        let last = calls.map(|(line, _)| line).last();
        let guarded = lines.iter().position(is_main).map(|at| at as u32 + 1);

        if let Some(line) = guarded.or(last) {
            let mut place = occurrences.at(&entry.path, line)?;
            branches::add_guarded(occurrences, &mut place)?;
            places.push(place);
        }
    }

    let title = "last calls at the top level of these files";
    Ok(Section::occurrence_rows("starting calls", title, places).weighing(WANTED))
}

/// Reports whether a line without indentation begins with a call: `void start();`, `root.render(`.
fn is_call(line: &str) -> bool {
    let line = line.strip_prefix("void ").unwrap_or(line);
    let line = line.strip_prefix("await ").unwrap_or(line);
    let is_part = |c: char| c.is_alphanumeric() || "_$.".contains(c);
    let callee = line.split(|c| !is_part(c)).next().unwrap_or_default();
    let keywords = ["for", "if", "import", "switch", "while"];
    !callee.is_empty() && !keywords.contains(&callee) && line[callee.len()..].starts_with('(')
}

/// Keeps the entry points with most of the names in a question; all if it names nothing.
fn select_named(entries: &mut Vec<EntryPoint>, targets: &Targets) {
    let names = names(targets);
    let named = |entry: &EntryPoint| {
        let is_named = |name: &&&str| is_below_folder(&entry.path, name) || runs(entry, name);
        names.iter().filter(is_named).count()
    };
    let most = entries.iter().map(named).max().unwrap_or_default();
    // A word with a capital may be the name of the product.
    let is_product = |name: &&str| is_prose(name) || query::is_all_capitals(name);
    let is_written = targets.has_written_name && !names.iter().all(is_product);
    let least = usize::from(is_written);
    entries.retain(|entry| named(entry) == most.max(least));
}

/// Keeps the entry points whose folders have most of a question's words: those before its verb, because what
/// stands there starts, else those behind it. `where does the app start?` is not about a folder `start`.
fn select_described(entries: &mut Vec<EntryPoint>, targets: &Targets) {
    let is_verb = |word: &String| STARTS.iter().any(|verb| word.starts_with(verb));
    let verb = targets.words.iter().position(is_verb);
    let (before, after) = targets.words.split_at(verb.unwrap_or(targets.words.len()));
    let is_described = |word: &String| {
        let mut entries = entries.iter();
        entries.any(|entry| described(&entry.path, &[word]) > 0)
    };
    let before: Vec<String> = before.iter().flat_map(|word| with_synonyms(word)).collect();
    let asked: Vec<&String> = match before.iter().any(is_described) {
        true => before.iter().collect(),
        false => after.iter().filter(|word| !is_verb(word)).collect(),
    };

    let words = |entry: &EntryPoint| described(&entry.path, &asked);
    let most = entries.iter().map(words).max().unwrap_or_default();
    entries.retain(|entry| words(entry) == most);
}

/// Keeps the entry points whose files start a server; all if there are none.
fn select_servers(
    occurrences: &mut Occurrences<'_, '_>,
    entries: &mut Vec<EntryPoint>,
) -> Result<(), AnswerError> {
    let mut servers = Vec::new();
    for entry in entries.iter() {
        let lines = occurrences.sources.lines(&entry.path, 1, MAX_LINES)?;
        let starts = |line: &String| SERVER_CALLS.iter().any(|call| line.contains(call));
        let is_command = matches!(&entry.kind, EntryKind::Package { command, .. } if SERVING.contains(&command.as_str()));

        if is_command || lines.iter().flatten().any(starts) {
            servers.push(entry.clone());
        }
    }

    if !servers.is_empty() {
        *entries = servers;
    }
    Ok(())
}

/// Returns a word for a part of a program with those that mean the same.
fn with_synonyms(word: &str) -> Vec<String> {
    let synonyms: &[&str] = match word {
        "backend" => &["server", "api"],
        "frontend" => &["client", "web"],
        _ => &[],
    };
    let synonyms = synonyms.iter().map(|word| (*word).to_owned());
    std::iter::once(word.to_owned()).chain(synonyms).collect()
}

/// Adds the entry points of the commands of packages that a question about a start names, although
/// they are also names of symbols; reports whether there are any.
pub(super) fn of_commands(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    targets: &Targets,
) -> Result<bool, AnswerError> {
    let of_commands = ["cli", "command", "program", "run", "runs"];
    if !targets.mentions(STARTS) || !of_commands.iter().any(|word| targets.has_word(word)) {
        return Ok(false);
    }

    let mut found = query::entry_overview(occurrences.sources)?;
    let names = names(targets);
    found
        .entry_points
        .retain(|entry| names.iter().any(|name| runs(entry, name)));
    if found.entry_points.is_empty() {
        return Ok(false);
    }

    document.section(overview::entry_section(&found));
    add_flow(document, occurrences, &found.entry_points, false)?;
    Ok(true)
}

/// Returns the names in a question, and its words that may be those of commands: `the mail-server program`. A program
/// is named like its project: `Shop.exe`.
fn names(targets: &Targets) -> Vec<&str> {
    let missing = targets.missing.iter().map(|(name, _)| name.as_str());
    let missing = missing.map(|name| name.strip_suffix(".exe").unwrap_or(name));
    let found = targets.found.iter().map(Target::requested_text);
    let words = targets.words.iter().map(String::as_str);
    let commands = words.filter(|word| word.contains('-'));
    missing.chain(found).chain(commands).collect()
}

/// Reports whether a command of a package with this name runs an entry point.
fn runs(entry: &EntryPoint, name: &str) -> bool {
    matches!(&entry.kind, EntryKind::Package { command, .. } if command == name)
}

/// Adds what happens at entry points, in order.
fn add_flow(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    entries: &[EntryPoint],
    is_wanted: bool,
) -> Result<(), AnswerError> {
    let mut lines = Vec::new();
    for entry in entries {
        if let Some(symbol) = query::get_node(occurrences.sources.snapshot(), entry.id)? {
            lines.extend(query::flow(occurrences, &symbol.node)?);
        }
    }

    let flow = Section::tree("flow", FLOW_TITLE, lines);
    document.section(match is_wanted {
        true => flow.weighing(WANTED),
        false => flow.weighing(FLOW_WEIGHT).at_most(FLOW_CHARS),
    });
    Ok(())
}

/// Adds the source of the functions where programs start.
fn sources(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    entries: &[EntryPoint],
) -> Result<(), AnswerError> {
    for entry in entries {
        let symbol = query::get_node(occurrences.sources.snapshot(), entry.id)?;
        if let Some(node) = symbol.map(|symbol| symbol.node) {
            let title = format!("source of {}", entry.path);
            let lines = source_lines(occurrences, &node)?;
            let section = Section::lines("source", title, lines);
            document.section(section.weighing(1).at_most(MAX_SOURCE_CHARS));
        }
    }
    Ok(())
}

/// Reports whether a file is below a folder with a name, or with it as a part of a dotted one: `Server` for
/// `src/Shop.Server/Program.cs`.
fn is_below_folder(path: &str, name: &str) -> bool {
    let mut folders = path.split('/').rev().skip(1);
    query::is_in_place(path, name)
        || folders.any(|folder| {
            let mut parts = folder.split('.');
            folder.eq_ignore_ascii_case(name) || parts.any(|part| part.eq_ignore_ascii_case(name))
        })
}

/// Counts the words that are parts of the names of a file's folders: `desktop` for `app-desktop/main.ts`
/// and `Shop.DesktopApp/Main.cs`, `macos` for `Shop.MacOS/Main.cs`.
fn described(path: &str, words: &[&String]) -> usize {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts = query::name_words(folder);
    let whole = folder.split(|c: char| !c.is_alphanumeric());
    parts.extend(whole.map(str::to_lowercase));
    let is_part = |word: &&&String| parts.iter().any(|part| is_form(part, word));
    words.iter().filter(is_part).count()
}
