//! Code that nothing in the repository uses, with reasons why it may be used after all.
//!
//! Limitations: members that override or implement something, constructors, operators, accessors,
//! members of enums, functions of object literals and generated code are not judged.

use std::cmp::Reverse;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::dispatch::DispatchKind;
use crate::model::facts::inactive_key;
use crate::model::graph::{Access, EdgeType, Language, NodeFlags, NodeId, NodeKind, NodeType};
use crate::query::graph::overview::graph::ProjectGraph;
use crate::query::text::razor::{RazorReach, code_words, component, is_razor};
use crate::query::text::text_files::TextFile;
use crate::query::{QueryError, Sources, TOP_LEVEL};
use crate::store::{self, Snapshot, SymbolBrief};

/// Maximum number of unused symbols whose files are read.
const MAX_READ: usize = 200;

/// Names of methods called by the runtime.
const STARTED: [&str; 2] = ["Main", TOP_LEVEL];

/// A symbol without uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusedSymbol {
    /// The symbol.
    pub id: NodeId,
    /// Number of lines of its declaration.
    pub lines: u32,
    /// Reasons why it may be used after all.
    pub doubts: Vec<Doubt>,
}

impl UnusedSymbol {
    /// Returns the sort key: symbols with few doubts come first, then longer ones.
    pub fn rank(&self) -> (usize, Option<Doubt>, Reverse<u32>) {
        (
            self.doubts.len(),
            self.doubts.last().copied(),
            Reverse(self.lines),
        )
    }
}

/// Why an unused symbol may be used after all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Doubt {
    /// Its name occurs elsewhere in its file, first on this line.
    Named(u32),
    /// Only tests use it.
    OnlyTests,
    /// This number of unresolved uses have its name.
    Unresolved(u64),
    /// Code excluded by `#if` has its name.
    Inactive,
    /// Its attributes or decorators may make a framework find it.
    Decorated,
    /// It has a base in the repository, whose derived types may be found by reflection.
    Derived,
    /// It is public or exported, so code outside the repository may use it.
    Public,
}

/// Finds the unused symbols in scope, outside tests; sorted by [`UnusedSymbol::rank`].
pub fn unused(
    sources: &Sources<'_>,
    graph: &ProjectGraph,
) -> Result<Vec<UnusedSymbol>, QueryError> {
    let snapshot = sources.snapshot();
    let mut used = used_symbols(graph);
    for (kind, target) in store::dispatch_targets(snapshot)? {
        let is_message = matches!(kind, DispatchKind::Sends | DispatchKind::Emits);
        if let Some(index) = graph.index_of(target).filter(|_| !is_message) {
            add_with_containers(graph, index, &mut used.by_code);
        }
    }
    add_named_in_razor(sources, graph, &mut used.by_code)?;
    let unresolved: FxHashMap<String, u64> = store::unresolved_names(snapshot, usize::MAX)?
        .into_iter()
        .collect();

    let mut found = Vec::new();
    for (symbol, index) in graph.symbols.iter().zip(0..) {
        let Some((_, file)) = graph.file_of(index) else {
            continue;
        };
        let is_candidate = file.is_inside
            && !file.is_test
            && !file.path.ends_with(".d.ts")
            && !store::is_generated_path(&file.path)
            && is_judged(symbol)
            && !used.by_code.contains(&index)
            && !used.dispatched.contains(&index);
        if !is_candidate || is_in_unused(graph, index, &used) {
            continue;
        }
        let mut doubts = Vec::new();
        doubts.extend(used.by_tests.contains(&index).then_some(Doubt::OnlyTests));
        doubts.extend(
            unresolved
                .get(&symbol.name)
                .map(|count| Doubt::Unresolved(*count)),
        );
        let is_inactive = is_named_in_inactive_code(snapshot, symbol)?;
        doubts.extend(is_inactive.then_some(Doubt::Inactive));
        let is_decorated = symbol.name_line > symbol.line_start;
        doubts.extend(is_decorated.then_some(Doubt::Decorated));
        doubts.extend(used.derived.contains(&index).then_some(Doubt::Derived));
        let is_public = symbol.flags.has(NodeFlags::PUBLIC_API) || may_implement(graph, index);
        doubts.extend(is_public.then_some(Doubt::Public));
        let lines = symbol.line_end.saturating_sub(symbol.line_start) + 1;
        found.push((
            index,
            UnusedSymbol {
                id: symbol.id,
                lines,
                doubts,
            },
        ));
    }
    found.sort_by_key(|(index, each)| (each.rank(), *index));
    Ok(found.into_iter().map(|(_, each)| each).collect())
}

/// Reports whether code excluded by `#if` has the name of a C# symbol.
fn is_named_in_inactive_code(
    snapshot: &Snapshot,
    symbol: &SymbolBrief,
) -> Result<bool, QueryError> {
    let key = inactive_key(&symbol.name);
    Ok(symbol.language == Language::CSharp && store::count_files_with_literal(snapshot, &key)? > 0)
}

/// Adds the C# symbols that the code of a Razor file names: it is not indexed, but may use them.
fn add_named_in_razor(
    sources: &Sources<'_>,
    graph: &ProjectGraph,
    used: &mut FxHashSet<u32>,
) -> Result<(), QueryError> {
    let Some((listing, _)) = sources.text_files() else {
        return Ok(());
    };
    let is_markup = |text: &&TextFile| is_razor(text.path.as_str());
    let mut files = listing.files.iter().filter(is_markup).peekable();
    if files.peek().is_none() {
        return Ok(());
    }

    let mut named: FxHashMap<&str, Vec<(u32, RazorReach)>> = FxHashMap::default();
    for (symbol, index) in graph.symbols.iter().zip(0..) {
        if symbol.language == Language::CSharp && is_judged(symbol) {
            let reach = RazorReach::of(symbol.access, outer_names(graph, index));
            let same = named.entry(&symbol.name).or_default();
            same.push((index, reach));
        }
    }
    for text in files {
        let path = text.path.as_str();
        sources.snapshot().check()?;
        let Ok(file) = sources.workspace().read(&text.path) else {
            continue;
        };
        // A component's file declares its class, whose other parts are in C# files.
        let words = file
            .text
            .lines()
            .flat_map(code_words)
            .chain(component(path));
        for (index, reach) in words.filter_map(|word| named.get(word)).flatten() {
            if reach.holds(path) {
                add_with_containers(graph, *index, used);
            }
        }
    }
    Ok(())
}

fn outer_names(graph: &ProjectGraph, index: u32) -> Vec<String> {
    let outer = std::iter::successors(graph.parent(index), |outer| graph.parent(*outer));
    outer
        .map(|outer| graph.symbol(outer).name.clone())
        .collect()
}

/// Reports whether a member is public in a type that is not. Implementations of interfaces outside
/// the repository are.
fn may_implement(graph: &ProjectGraph, index: u32) -> bool {
    let symbol = graph.symbol(index);
    let is_member = graph
        .parent(index)
        .is_some_and(|parent| graph.symbol(parent).node_type == NodeType::Class);
    is_member && symbol.access == Some(Access::Public)
}

/// Adds a doubt to the symbols whose names occur elsewhere in their files: in unresolved kinds of
/// uses, or in strings. Reads the files of the first [`MAX_READ`] symbols without a doubt.
pub fn doubt_named(
    sources: &mut Sources<'_>,
    graph: &ProjectGraph,
    unused: &mut [UnusedSymbol],
) -> Result<(), QueryError> {
    let sure = unused.iter_mut().filter(|each| each.doubts.is_empty());
    for each in sure.take(MAX_READ) {
        let Some(index) = graph.index_of(each.id) else {
            continue;
        };
        let (symbol, Some((_, file))) = (graph.symbol(index), graph.file_of(index)) else {
            continue;
        };

        let lines = sources
            .lines(&file.path, 1, file.lines)?
            .unwrap_or_default();
        let named = (1..).zip(&lines).find(|(line, text)| {
            let is_own = (symbol.line_start..=symbol.line_end).contains(line);
            !is_own && holds_word(text, &symbol.name)
        });
        each.doubts
            .extend(named.map(|(line, _)| Doubt::Named(line)));
    }

    Ok(())
}

fn holds_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
    })
}

fn is_judged(symbol: &SymbolBrief) -> bool {
    let is_kind = match symbol.kind {
        NodeKind::Class
        | NodeKind::Struct
        | NodeKind::Record
        | NodeKind::RecordStruct
        | NodeKind::Interface
        | NodeKind::Enum
        | NodeKind::Delegate
        | NodeKind::TypeAlias
        | NodeKind::Method
        | NodeKind::Function
        | NodeKind::LocalFunction
        | NodeKind::Variable => true,
        NodeKind::Field => symbol.access == Some(Access::Private),
        _ => false,
    };

    let is_of_object = symbol.kind == NodeKind::Function && symbol.flags.has(NodeFlags::LOCAL);
    is_kind
        && !is_of_object
        && !symbol.flags.has(NodeFlags::OVERRIDE)
        && !symbol.flags.has(NodeFlags::ABSTRACT)
        && !STARTED.contains(&symbol.name.as_str())
        && symbol.name != "default"
}

/// Reports whether a container of a symbol is unused too, or is an interface; members of an
/// interface are not reported separately.
fn is_in_unused(graph: &ProjectGraph, index: u32, used: &Used) -> bool {
    let mut at = graph.parent(index);
    while let Some(parent) = at {
        let symbol = graph.symbol(parent);
        if symbol.node_type == NodeType::Interface {
            return true;
        }
        if is_judged(symbol) && !used.by_code.contains(&parent) {
            return true;
        }
        at = graph.parent(parent);
    }
    false
}

fn add_with_containers(graph: &ProjectGraph, index: u32, set: &mut FxHashSet<u32>) {
    let mut at = Some(index);
    while let Some(index) = at {
        set.insert(index);
        at = graph.parent(index);
    }
}

#[derive(Default)]
struct Used {
    /// Symbols used by non-test code, or run without a call, with their containers.
    by_code: FxHashSet<u32>,
    /// Symbols used by tests.
    by_tests: FxHashSet<u32>,
    /// Members that override or implement another one, and may be called through it.
    dispatched: FxHashSet<u32>,
    /// Types with a base in the repository.
    derived: FxHashSet<u32>,
}

fn used_symbols(graph: &ProjectGraph) -> Used {
    let mut used = Used::default();
    for (symbol, index) in graph.symbols.iter().zip(0..) {
        if STARTED.contains(&symbol.name.as_str()) {
            add_with_containers(graph, index, &mut used.by_code);
        }
    }

    for each in &graph.uses {
        let source = graph.symbol(each.source);
        let is_member = !matches!(source.node_type, NodeType::Class | NodeType::Interface);
        let is_dispatch = matches!(each.edge_type, EdgeType::Overrides | EdgeType::Implements);
        if is_dispatch && is_member {
            used.dispatched.insert(each.source);
            continue;
        }
        if matches!(each.edge_type, EdgeType::Inherits | EdgeType::Implements) {
            used.derived.insert(each.source);
        }
        if graph.is_within(each.source, each.target) {
            continue;
        }
        let set = if graph.files[each.file as usize].is_test {
            &mut used.by_tests
        } else {
            &mut used.by_code
        };

        // A use of a member from outside counts for its containers too.
        let mut at = Some(each.target);
        while let Some(index) = at
            && !graph.is_within(each.source, index)
            && set.insert(index)
        {
            at = graph.parent(index);
        }
    }

    used
}
