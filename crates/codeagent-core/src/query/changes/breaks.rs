//! Uses and implementations that no longer match a changed symbol.

use codeagent_workspace::RepoPath;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{ChangeKind, DeclaredSymbol, SymbolChange};
use crate::languages::LANGUAGES;
use crate::model::facts::{Expr, Subject};
use crate::model::graph::{Dialect, EdgeDirection, EdgeType, Node, NodeFlags, NodeId, NodeType};
use crate::query::graph::impact::DIRECT;
use crate::query::occurrence::{Occurrence, Occurrences};
use crate::query::{QueryError, Sources};
use crate::store;

/// Maximum number of files whose calls are read.
const MAX_FILES: usize = 300;

/// Maximum number of files with unresolved uses of a name; with more, none are listed.
const MAX_UNRESOLVED: usize = 200;

/// Maximum number of symbols of a changed file whose users are searched.
const MAX_NODES: usize = 500;

/// Maximum number of base classes searched for an implementation.
const MAX_BASES: usize = 8;

/// Why a use or implementation no longer matches.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BreakReason {
    /// It uses a name that was removed.
    Gone,
    /// It passes too few or too many arguments.
    Arguments {
        /// Number of arguments passed.
        passes: usize,
        /// Minimum and maximum number of arguments accepted.
        takes: (usize, usize),
    },
    /// It lacks an implementation of a required member.
    NotImplemented,
}

/// A use or implementation that no longer matches.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Break {
    /// Location of the use, or of the class.
    pub place: Occurrence,
    /// The changed symbol, as shown to users.
    pub symbol: String,
    /// Why it no longer matches.
    pub reason: BreakReason,
    /// Whether it is certain to concern the changed symbol.
    pub is_certain: bool,
}

/// Finds the uses and implementations that no longer match the changed symbols.
pub fn breaks(
    sources: &mut Sources<'_>,
    symbols: &[SymbolChange],
) -> Result<Vec<Break>, QueryError> {
    let mut finder = Finder {
        places: Occurrences::new(sources),
        calls: FxHashMap::default(),
        found: Vec::new(),
    };

    for change in symbols {
        match change.kind {
            ChangeKind::Removed => finder.uses_of_removed(change)?,
            ChangeKind::Renamed if is_renamed(change) => finder.uses_of_removed(change)?,
            ChangeKind::Signature => {
                finder.calls_that_misfit(change)?;
                // In TypeScript, an implementation may take fewer parameters.
                if is_csharp(change) {
                    finder.missing_implementations(change)?;
                }
            }
            ChangeKind::Added => finder.missing_implementations(change)?,
            ChangeKind::Renamed | ChangeKind::Body => {}
        }
    }

    let mut found = finder.found;
    found.sort();
    found.dedup();

    Ok(found)
}

fn is_renamed(change: &SymbolChange) -> bool {
    let name = |side: &Option<DeclaredSymbol>| side.as_ref().map(|declared| declared.name.clone());
    name(&change.old) != name(&change.new)
}

fn is_csharp(change: &SymbolChange) -> bool {
    Dialect::of_path(&change.declared().path) == Some(Dialect::CSharp)
}

struct Finder<'s, 'a> {
    places: Occurrences<'s, 'a>,
    /// Argument counts of the calls in a file, by line and column.
    calls: FxHashMap<String, FxHashMap<(u32, u32), usize>>,
    found: Vec<Break>,
}

impl Finder<'_, '_> {
    /// Finds the unresolved uses of a removed name: all of them if no other symbol has the name, else
    /// those in files that use something of the changed file.
    fn uses_of_removed(&mut self, change: &SymbolChange) -> Result<(), QueryError> {
        let Some(old) = &change.old else {
            return Ok(());
        };
        let snapshot = self.places.sources.snapshot();
        let sites = store::unresolved_sites_of(snapshot, &old.name, MAX_UNRESOLVED)?;
        let near = if sites.is_empty() || store::by_name(snapshot, &old.name, 1)?.is_empty() {
            None
        } else {
            Some(self.files_using(&old.path)?)
        };

        for (path, sites) in sites {
            if near.as_ref().is_some_and(|near| !near.contains(&path)) {
                continue;
            }
            for site in sites {
                self.add(&path, site.line, (old, BreakReason::Gone, false))?;
            }
        }
        Ok(())
    }

    /// Returns the paths of a file and of the files that use a symbol of it.
    fn files_using(&self, path: &str) -> Result<FxHashSet<String>, QueryError> {
        let snapshot = self.places.sources.snapshot();
        let mut files = FxHashSet::from_iter([path.to_owned()]);
        let Some(file) = store::file_by_path(snapshot, path)? else {
            return Ok(files);
        };
        let mut nodes = store::node_ids_of_file(snapshot, file.id)?;
        nodes.truncate(MAX_NODES);

        let mut keys = FxHashSet::default();
        let direction = EdgeDirection::Incoming;
        store::each_use(snapshot, &nodes, &DIRECT, direction, |_, edge| {
            keys.insert(edge.file);
        })?;
        for key in keys {
            files.extend(store::file_path(snapshot, key)?);
        }
        Ok(files)
    }

    /// Finds calls that pass too few or too many arguments.
    fn calls_that_misfit(&mut self, change: &SymbolChange) -> Result<(), QueryError> {
        let (Some(old), Some(new)) = (&change.old, &change.new) else {
            return Ok(());
        };
        let Some(takes) = new.arguments.filter(|takes| Some(*takes) != old.arguments) else {
            return Ok(());
        };

        let mut sites = Vec::new();
        if let Some(id) = change.id {
            for edge in self.places.incoming(&[id], &[EdgeType::Calls])? {
                sites.push((self.places.path(edge.file)?, edge.line, edge.column, true));
            }
        }
        // In C#, a call that fits no overload has no edge.
        let snapshot = self.places.sources.snapshot();
        for (path, unresolved) in store::unresolved_sites_of(snapshot, &new.name, MAX_UNRESOLVED)? {
            let calls = unresolved.into_iter().filter(|site| site.is_call);
            sites.extend(calls.map(|site| (path.clone(), site.line, site.column, false)));
        }

        for (path, line, column, is_certain) in sites {
            let Some(passes) = self.passed(&path, (line, column)) else {
                continue;
            };
            let fits = |range: Option<(usize, usize)>| {
                range.is_some_and(|(fewest, most)| (fewest..=most).contains(&passes))
            };
            if !fits(Some(takes)) && (is_certain || fits(old.arguments)) {
                let reason = BreakReason::Arguments { passes, takes };
                self.add(&path, line, (new, reason, is_certain))?;
            }
        }
        Ok(())
    }

    /// Finds the classes that lack a member newly required by an interface or base class. In C#,
    /// an implementation has the same parameters.
    fn missing_implementations(&mut self, change: &SymbolChange) -> Result<(), QueryError> {
        let Some(new) = change.new.as_ref().filter(|new| new.is_abstract) else {
            return Ok(());
        };
        let snapshot = self.places.sources.snapshot();
        let Some(id) = change.id else {
            return Ok(());
        };
        let Some(parent) = store::node(snapshot, id)?.and_then(|node| node.parent) else {
            return Ok(());
        };

        let implementing = match is_csharp(change) {
            true => Some(self.implementing_types(id)?),
            false => None,
        };
        for edge in self.places.incoming(&[parent], IMPLEMENTING)? {
            let Some(class) = store::node(snapshot, edge.other)? else {
                continue;
            };
            let is_abstract = class.flags.has(NodeFlags::ABSTRACT);
            if class.node_type != NodeType::Class || is_abstract {
                continue;
            }
            let has_member = |candidate: &Node| {
                candidate.name == new.name && !candidate.flags.has(NodeFlags::ABSTRACT)
            };
            let is_implemented = match &implementing {
                Some(types) => self.any_base(class.id, |class| Ok(types.contains(&class)))?,
                None => self.any_base(class.id, |class| self.any_member(class, has_member))?,
            };
            if !is_implemented && let Some(span) = class.spans.first() {
                let at = (span.path.clone(), span.name_line);
                self.add(&at.0, at.1, (new, BreakReason::NotImplemented, true))?;
            }
        }
        Ok(())
    }

    /// Returns the types with a member that implements or overrides another member.
    fn implementing_types(&self, member: NodeId) -> Result<FxHashSet<NodeId>, QueryError> {
        let snapshot = self.places.sources.snapshot();
        let mut types = FxHashSet::default();
        for edge in self
            .places
            .incoming(&[member], &[EdgeType::Implements, EdgeType::Overrides])?
        {
            types.extend(store::node(snapshot, edge.other)?.and_then(|node| node.parent));
        }
        Ok(types)
    }

    /// Reports whether a class declares a member that is accepted.
    fn any_member(
        &self,
        class: NodeId,
        accepts: impl Fn(&Node) -> bool,
    ) -> Result<bool, QueryError> {
        let snapshot = self.places.sources.snapshot();
        for child in store::contained(snapshot, class, EdgeDirection::Outgoing)? {
            if store::node(snapshot, child.id)?.is_some_and(|node| accepts(&node)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Reports whether a class or one of its base classes is accepted.
    fn any_base(
        &self,
        class: NodeId,
        accepts: impl Fn(NodeId) -> Result<bool, QueryError>,
    ) -> Result<bool, QueryError> {
        let snapshot = self.places.sources.snapshot();
        let (mut open, mut seen) = (vec![class], FxHashSet::default());
        while let Some(class) = open.pop() {
            if !seen.insert(class) || seen.len() > MAX_BASES {
                continue;
            }
            if accepts(class)? {
                return Ok(true);
            }

            for edge_type in [EdgeType::Inherits, EdgeType::Extends] {
                let bases = store::incident_edges(
                    snapshot,
                    class,
                    Some(edge_type),
                    EdgeDirection::Outgoing,
                )?;
                open.extend(bases.iter().map(|edge| edge.other));
            }
        }

        Ok(false)
    }

    /// Returns the number of arguments that a call passes; `None` if it cannot be determined.
    fn passed(&mut self, path: &str, at: (u32, u32)) -> Option<usize> {
        if !self.calls.contains_key(path) {
            if self.calls.len() == MAX_FILES {
                return None;
            }
            let calls = calls_of(self.places.sources, path).unwrap_or_default();
            self.calls.insert(path.to_owned(), calls);
        }
        self.calls[path].get(&at).copied()
    }

    fn add(
        &mut self,
        path: &str,
        line: u32,
        (declared, reason, is_certain): (&DeclaredSymbol, BreakReason, bool),
    ) -> Result<(), QueryError> {
        let source = self.places.sources.line(path, line)?;
        let symbol = match &reason {
            BreakReason::NotImplemented => declared.shown(),
            BreakReason::Gone | BreakReason::Arguments { .. } => declared.short_name(),
        };

        self.found.push(Break {
            place: Occurrence {
                path: path.to_owned(),
                line,
                symbol: String::new(),
                source,
            },
            symbol,
            reason,
            is_certain,
        });

        Ok(())
    }
}

const IMPLEMENTING: &[EdgeType] = &[EdgeType::Implements, EdgeType::Inherits, EdgeType::Extends];

/// Reads the argument counts of all calls in a file. Calls with spread arguments are left out.
fn calls_of(sources: &Sources<'_>, path: &str) -> Option<FxHashMap<(u32, u32), usize>> {
    let dialect = Dialect::of_path(path)?;
    let text = sources
        .workspace()
        .read(&RepoPath::new(path).ok()?)
        .ok()?
        .text;

    let facts = LANGUAGES.extract(&text, dialect, &[]);
    let mut calls = FxHashMap::default();
    for site in facts.sites.iter().filter(|site| site.kind.is_call()) {
        let call = match site.subject {
            Subject::Expr(expr) => match facts.expr(expr) {
                Expr::Call(call) | Expr::New(call) => call,
                _ => continue,
            },
            Subject::Construct(_, call) => call,
            _ => continue,
        };

        let arguments = facts.list(facts.calls[call.0 as usize].args);
        if !arguments
            .iter()
            .any(|argument| argument.mode == crate::model::facts::ArgMode::Spread)
        {
            calls.insert((site.at.line, site.at.column), arguments.len());
        }
    }

    Some(calls)
}
