//! The wording of notes.

use codeagent_core::model::graph::{EdgeDirection, NodeKind};
use codeagent_core::query::{
    EmptyList, FollowUp, Instead, NamedKind, NoMember, NotFound, Note, PartiallyParsed,
    RelatedResults, SymbolLabel, SymbolSample, UnindexedFiles,
};

use crate::face::Face;

/// Maximum number of external symbols in a note.
const MAX_EXTERNAL: usize = 5;

/// Words a note.
#[must_use]
pub fn note_text(note: &Note, face: Face) -> String {
    match note {
        Note::MatchedIgnoringCase { asked } => {
            format!("no symbol is named {asked}; these differ in case")
        }
        Note::External { symbols, overloads } => external_text(symbols, *overloads),
        Note::AlsoExternal { symbols } => also_external_text(symbols, face),

        Note::NoPackages => "no project file declares a package, and no indexed file uses one; \
                             packages are read from csproj files, packages.config and package.json"
            .to_owned(),
        Note::NoPackage { asked, similar } => no_package_text(asked, similar),
        Note::AbsentPackages {
            uses,
            packages,
            more,
        } => absent_packages_text(*uses, packages, *more),

        Note::MatchedMember {
            asked,
            declared_as,
            is_inherited,
        } => {
            let inherited = if *is_inherited {
                " inherited: it is"
            } else {
                ""
            };
            format!("{asked} is{inherited} declared as {declared_as}")
        }
        Note::InCallback {
            label,
            lines: (start, end),
            symbol,
        } => format!(
            "only the uses in the callback of {label} (lines {start}-{end}) are listed; query {} \
             for all",
            symbol.name
        ),
        Note::NotFound(not_found) => not_found_text(not_found, face),
        Note::Empty(reason) => empty_list_text(reason, face),
        Note::Elsewhere(results) => related_results_text(results, face),

        Note::Unindexed { path, problem } => {
            format!("{path} could not be indexed, so none of its symbols are known: {problem}")
        }
        Note::PartiallyParsed(file) => format!(
            "{} was only partly parsed, so symbols may be missing: {}",
            file.path,
            partially_parsed_text(file)
        ),
        Note::UnindexedFiles(files) => unindexed_files_text(files, face),
        Note::TextSearchCut => {
            "only some of the text that is not indexed was searched for the name".to_owned()
        }
        Note::NoDeclarations => {
            "the file declares no symbols; read it to see what it imports, re-exports or runs"
                .to_owned()
        }
        Note::Stale { files, removed } => stale_text(files, removed, face),

        Note::SearchedAsTyped { is_closest: false } => "searched for the words as typed".to_owned(),
        Note::SearchedAsTyped { is_closest: true } => {
            "searched for the words as typed; no exact match, these are the closest".to_owned()
        }
        Note::ClosestMatches => "no exact match; these are the closest".to_owned(),
        Note::Question { query, name } => {
            format!("{} answers this question", face.call(*query, name))
        }
        Note::NothingMatches => "no matches; try other words, a prefix (`Auth*`) or no filters. \
                                 Strings, comments and libraries are not searched"
            .to_owned(),
        Note::ModelBroken => "the installed model cannot be used, so only words and letters are \
                              compared; see `codeagent model status`"
            .to_owned(),
        Note::NoModel => {
            "compared by words and letters (lexhash-384), not by meaning: no model is in use"
                .to_owned()
        }
    }
}

fn external_text(symbols: &[String], methods: usize) -> String {
    let (shown, more) = symbols.split_at(symbols.len().min(MAX_EXTERNAL));
    let more = match more.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let overloads = match methods.saturating_sub(symbols.len()) {
        0 => String::new(),
        _ => format!(" ({methods} overloads)"),
    };
    format!(
        "uses of {}{more}{overloads}, which is not in the repository",
        shown.join(", ")
    )
}

/// Says which absent packages may make uses uncertain.
fn absent_packages_text(uses: usize, packages: &[String], more: usize) -> String {
    let more = match more {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "{} may be inferred or unresolved because npm packages are not installed ({}{more})",
        counted(uses as u64, "use"),
        packages.join(", ")
    )
}

fn no_package_text(asked: &str, similar: &[String]) -> String {
    let hint = match similar {
        [] => "`codeagent packages` lists all".to_owned(),
        _ => {
            let shown = &similar[..similar.len().min(MAX_EXTERNAL)];
            format!("did you mean {}?", shown.join(", "))
        }
    };
    format!("no project declares or uses a package named {asked}; {hint}")
}

fn also_external_text(symbols: &[String], face: Face) -> String {
    let (shown, more) = symbols.split_at(symbols.len().min(MAX_EXTERNAL));
    let more = match more.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let query = match symbols {
        [first, ..] => face.call(FollowUp::References, first),
        [] => String::new(),
    };
    format!(
        "used here, but not in the repository: {}{more}; {query} lists the uses",
        shown.join(", ")
    )
}

fn empty_list_text(reason: &EmptyList, face: Face) -> String {
    match reason {
        EmptyList::NoCallers { name } => {
            format!("nothing in the repository calls {name} directly")
        }
        EmptyList::TypeNotCalled {
            symbol,
            has_constructors: true,
        } => is_a(symbol),
        EmptyList::TypeNotCalled { symbol, .. } => {
            format!(
                "{}, and nothing constructs or calls it directly",
                is_a(symbol)
            )
        }
        EmptyList::PropertyNotCalled(symbol) => {
            format!(
                "{}, which is read and written rather than called",
                is_a(symbol)
            )
        }
        EmptyList::NotCallable(symbol) => format!("{}, which is not called", is_a(symbol)),
        EmptyList::ConstructorCallers {
            callers,
            constructors,
        } => format!(
            "its constructors have {}: {}",
            counted(*callers as u64, "caller"),
            calls(constructors, FollowUp::Callers, face)
        ),
        EmptyList::PublicApi => "it is public, so code outside the repository, a framework or a \
            test runner may call it"
            .to_owned(),
        EmptyList::OtherUses { count, name } => format!(
            "it has {}: {}",
            counted(*count, "other use"),
            face.call(FollowUp::References, name)
        ),

        EmptyList::NoReferences { name } => {
            format!("nothing in the repository uses {name} by name")
        }
        EmptyList::CallsNothing(symbol) => format!("{}, which calls nothing itself", is_a(symbol)),
        EmptyList::NoCallees {
            name,
            unresolved: 0,
            is_implemented: true,
        } => format!("{name} itself calls nothing in this repository"),
        EmptyList::NoCallees {
            name,
            unresolved: 0,
            ..
        } => {
            format!("{name} calls nothing in this repository")
        }
        EmptyList::NoCallees {
            name, unresolved, ..
        } => unresolved_text("call", name, *unresolved),
        EmptyList::NoDependencies {
            name,
            unresolved: 0,
        } => format!("{name} uses nothing that is declared in this repository"),
        EmptyList::NoDependencies { name, unresolved } => unresolved_text("use", name, *unresolved),

        EmptyList::NoImplementations {
            name,
            is_type: true,
        } => format!("nothing in the repository implements or derives from {name}"),
        EmptyList::NoImplementations { name, .. } => {
            format!("nothing in the repository implements or overrides {name}")
        }
        EmptyList::NotImplementable(symbol) => format!(
            "{}; only types and their members have implementations. For its uses: {}",
            is_a(symbol),
            face.call(FollowUp::References, &symbol.name)
        ),

        EmptyList::NoEdges {
            name,
            direction: EdgeDirection::Outgoing,
            edge_type,
        } => format!("{name} has no outgoing `{edge_type}`"),
        EmptyList::NoEdges {
            name, edge_type, ..
        } => format!("{name} has no incoming `{edge_type}`"),
        EmptyList::OtherEdges(edges) => {
            let edge = |(edge_type, count)| format!("{count} `{edge_type}`");
            let edges: Vec<String> = edges
                .iter()
                .map(|(verb, count)| edge((verb, count)))
                .collect();
            format!("it has {}", edges.join(", "))
        }

        EmptyList::ExternalBases { declaration } => {
            format!("bases outside the repository have no row; it is declared as `{declaration}`")
        }
        EmptyList::UnresolvedUses { count, name } => format!(
            "{} of the name {name} could not be resolved and may belong to this symbol",
            counted(*count, "use")
        ),
        EmptyList::FolderAlone {
            path,
            direction: EdgeDirection::Outgoing,
        } => format!("{path} uses nothing else in the repository"),
        EmptyList::FolderAlone { path, .. } => {
            format!("nothing else in the repository uses {path}")
        }
        EmptyList::FilteredOut => format!(
            "no result matches the filters ({})",
            face.pick(
                "path, tests, kind, min_confidence",
                "--path, --tests, --kind, --min-confidence"
            )
        ),
    }
}

fn related_results_text(results: &RelatedResults, face: Face) -> String {
    match results {
        RelatedResults::Members { query, name } => {
            format!(
                "for its members: {}",
                face.call(*query, &format!("{name}.*"))
            )
        }

        RelatedResults::UsesOfBase { query, members } => format!(
            "calls through an interface or base class are listed under its member: {}",
            calls(members, *query, face)
        ),
        RelatedResults::UsesOfOverrides { query, members } => format!(
            "calls of implementations and overrides are listed under them: {}",
            calls(members, *query, face)
        ),
        RelatedResults::UsesOfWrapper {
            count,
            wrapper,
            line,
            name,
        } => {
            let uses = match count {
                1 => "1 further use is".to_owned(),
                count => format!("{count} further uses are"),
            };
            format!(
                "{uses} of `{wrapper}` (line {line}), which wraps it: {}",
                face.call(FollowUp::References, name)
            )
        }
        RelatedResults::UsedThrough(bases) => {
            format!("it may be used through {}", names(bases))
        }

        RelatedResults::ImplementedBy(members) => {
            format!("it is implemented or overridden by {}", names(members))
        }
        RelatedResults::ExtendedBy(types) => {
            format!("it is implemented or extended by {}", names(types))
        }
        RelatedResults::Bases(bases) => {
            format!("it implements or derives from {}", names(bases))
        }
        RelatedResults::BaseImplementations(members) => format!(
            "it implements or overrides a member that has other implementations: {}",
            calls(members, FollowUp::Implementations, face)
        ),
        RelatedResults::IndirectImplementations {
            count,
            is_lower_bound,
            through,
        } => {
            let at_least = if *is_lower_bound { "at least " } else { "" };
            format!(
                "only direct implementations are listed; {at_least}{count} more at deeper levels: {}",
                calls(through, FollowUp::Implementations, face)
            )
        }

        RelatedResults::StructuralTyping { name } => format!(
            "object literals and classes that match only by structure are not listed; for its \
             uses: {}",
            face.call(FollowUp::References, name)
        ),
        RelatedResults::MayLackImplementations { name } => format!(
            "{name} is imported, and not every indexer writes implementations (rust-analyzer does \
             not); for its uses: {}",
            face.call(FollowUp::References, name)
        ),
    }
}

fn not_found_text(not_found: &NotFound, face: Face) -> String {
    if !not_found.unindexed.is_empty() {
        return format!(
            "no symbol has that name; {}",
            unindexed_text(not_found, face)
        );
    }

    let text = match &not_found.instead {
        Instead::Excluded {
            count,
            language,
            project_id,
        } => {
            let filters = face.pick("`language` or `project_id`", "--language or --project");
            format!(
                "{filters} exclude all symbols of this name ({count}); one is {language} in \
                 project {project_id}"
            )
        }
        Instead::Closest(label) => format!(
            "no symbol has exactly that qualified name; the closest is {}",
            match face {
                Face::Tools => label_text(label),
                Face::TextTools | Face::Commands => symbol_text(label),
            }
        ),
        Instead::NoMember(no_member) => {
            format!(
                "no symbol has that name; {}",
                no_member_text(no_member, face)
            )
        }
        Instead::Nearest(nearest) => {
            let near = if nearest.is_empty() {
                String::new()
            } else {
                format!("; nearest: {}", nearest.join(", "))
            };
            format!(
                "no symbol has that name{near}; {} also matches parts of names",
                face.search()
            )
        }
    };

    text + &missing_text(not_found, face)
}

/// Words the files that probably declare a name and could not be indexed.
pub(crate) fn unindexed_text(not_found: &NotFound, face: Face) -> String {
    let texts: Vec<String> = not_found
        .unindexed
        .iter()
        .map(|note| note_text(note, face))
        .collect();
    texts.join("; ")
}

/// Words the files that could not be indexed, after a semicolon; empty if there are none.
pub(crate) fn missing_text(not_found: &NotFound, face: Face) -> String {
    not_found
        .missing
        .as_ref()
        .map_or_else(String::new, |files| {
            format!("; {}", unindexed_files_text(files, face))
        })
}

/// Words the error that a symbol has no such member.
pub(crate) fn no_member_text(no_member: &NoMember, face: Face) -> String {
    let location = no_member
        .location
        .as_ref()
        .map(|(path, line)| format!(" at {path}:{line}"))
        .unwrap_or_default();

    let text = format!(
        "{}{location} and has no member {} of its own",
        is_a(&no_member.container),
        no_member.member
    );

    if !no_member.nearest.is_empty() {
        format!(
            "{text}; its closest members: {}",
            no_member.nearest.join(", ")
        )
    } else if no_member.is_value {
        format!(
            "{text} (keys of object literals are not symbols); for its uses: {}",
            face.call(FollowUp::References, &no_member.container.name)
        )
    } else {
        text
    }
}

fn unindexed_files_text(files: &UnindexedFiles, face: Face) -> String {
    let names = files.first.join(", ");
    let more = files.count - files.first.len();
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    let their = if files.count == 1 { "its" } else { "their" };

    format!(
        "{} could not be read or parsed, so {their} symbols and uses are missing here: {names}{more} \
         (see {})",
        counted(files.count as u64, "source file"),
        face.pick("get_status", "`codeagent status`")
    )
}

fn stale_text(files: &[String], removed: &[String], face: Face) -> String {
    // Tools return the names in a separate field.
    let (names, update) = match face {
        Face::Tools => (
            "stale_files".to_owned(),
            "pass them to index_files and repeat the call",
        ),
        Face::TextTools => (files.join(", "), "try again in a moment"),
        Face::Commands => (files.join(", "), "run `codeagent index`"),
    };
    let removed = if removed.is_empty() {
        String::new()
    } else {
        format!(" (removed: {})", removed.join(", "))
    };

    format!(
        "changed since the index was updated: {names}{removed}; line numbers in them may be off \
         ({update})"
    )
}

/// Words how much of a file could not be parsed.
#[must_use]
pub fn partially_parsed_text(file: &PartiallyParsed) -> String {
    let line = file
        .line
        .map(|line| format!(", first at line {line}"))
        .unwrap_or_default();
    format!(
        "{} of {} bytes could not be parsed{line}",
        file.error_bytes, file.bytes
    )
}

/// Formats symbols as `node_id qualified_name(signature) path:line`, with the number of overloads
/// or members.
#[must_use]
pub fn label_text(label: &SymbolLabel) -> String {
    format!("{} {}", label.id, symbol_text(label))
}

/// Formats symbols like [`label_text`], without the id.
#[must_use]
pub fn symbol_text(label: &SymbolLabel) -> String {
    let location = label
        .location
        .as_ref()
        .map(|(path, line)| format!(" {path}:{line}"))
        .unwrap_or_default();
    format!("{}{location}", name_text(label))
}

/// Formats symbols as `qualified_name(signature)`, with the number of overloads or members.
pub(crate) fn name_text(label: &SymbolLabel) -> String {
    let more = match (label.members, label.overloads) {
        (0, 0) => String::new(),
        (0, overloads) => format!(" and {overloads} more of that name"),
        (members, _) => format!(" with {}", counted(members as u64, "member")),
    };
    format!("{}{}{more}", label.name, label.parameters)
}

fn unresolved_text(what: &str, name: &str, unresolved: u64) -> String {
    format!(
        "no {what} in {name} resolves to this repository; {} could not be resolved",
        counted(unresolved, "call")
    )
}

/// Formats `Shop.IOrder is an interface`.
fn is_a(symbol: &NamedKind) -> String {
    let kind = kind_text(symbol.kind);
    let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    };
    format!("{} is {article} {kind}", symbol.name)
}

fn kind_text(kind: NodeKind) -> String {
    kind.as_str().replace('_', " ")
}

/// Formats `1 caller` or `2 callers`.
pub(crate) fn counted(number: u64, word: &str) -> String {
    format!("{number} {word}{}", if number == 1 { "" } else { "s" })
}

fn names(sample: &SymbolSample) -> String {
    listed(&sample.names, sample.count)
}

/// Lists the queries about some symbols.
fn calls(sample: &SymbolSample, query: FollowUp, face: Face) -> String {
    let calls: Vec<String> = sample
        .names
        .iter()
        .map(|name| face.call(query, name))
        .collect();
    listed(&calls, sample.count)
}

fn listed(texts: &[String], count: usize) -> String {
    match count.saturating_sub(texts.len()) {
        0 => texts.join(", "),
        more => format!("{} and {more} more", texts.join(", ")),
    }
}
