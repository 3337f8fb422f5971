//! Caller tree: the callers of a symbol, their callers, and so on up to routes and other entry points, as an
//! indented list.
//!
//! A call of a member that a caller implements or overrides may run it, and a function in an object literal that
//! nothing calls by its name is run by the function around it.
//!
//! Limitations: tests are left out, and the callers of a symbol are listed once.

use rustc_hash::FxHashSet;

use crate::model::dispatch::DispatchKind;
use crate::model::graph::{EdgeType, Node, NodeFlags, NodeId};
use crate::query::{DispatchStep, Occurrences, QueryError, bases_of, dispatched_to};
use crate::store::{self, is_test_path};

/// Maximum number of levels.
const MAX_DEPTH: usize = 10;

/// Maximum number of callers of a symbol that are followed.
const MAX_CALLERS: usize = 8;

/// Maximum number of lines.
const MAX_LINES: usize = 80;

/// Returns the lines of the caller tree of some symbols, each indented by its level. The last line says if limits
/// left out callers.
pub fn caller_tree(
    occurrences: &mut Occurrences<'_, '_>,
    symbols: &[NodeId],
) -> Result<Vec<String>, QueryError> {
    let mut tree = CallerTree {
        occurrences,
        seen: symbols.iter().copied().collect(),
        lines: Vec::new(),
        is_cut: false,
    };

    tree.climb(symbols, 0)?;
    if tree.is_cut {
        tree.lines.push(format!(
            "and callers beyond {MAX_DEPTH} levels or {MAX_LINES} lines"
        ));
    }

    Ok(tree.lines)
}

struct CallerTree<'t, 's, 'a> {
    occurrences: &'t mut Occurrences<'s, 'a>,
    seen: FxHashSet<NodeId>,
    lines: Vec<String>,
    is_cut: bool,
}

impl CallerTree<'_, '_, '_> {
    /// Writes the callers of some symbols, each with its callers.
    fn climb(&mut self, symbols: &[NodeId], depth: usize) -> Result<(), QueryError> {
        for step in dispatched_to(self.occurrences.sources.snapshot(), symbols)? {
            self.write_step(&step, depth)?;
        }
        let (callers, count) = self.callers(symbols)?;
        if depth == MAX_DEPTH {
            self.is_cut |= callers
                .iter()
                .any(|(caller, _)| !self.seen.contains(&caller.id));
            return Ok(());
        }

        for (caller, place) in &callers {
            if self.lines.len() >= MAX_LINES {
                self.is_cut = true;
                return Ok(());
            }
            let name = self.occurrences.short_name(caller)?;
            if self.seen.insert(caller.id) {
                self.write(depth, &format!("{name}  {place}"));
                self.climb(&[caller.id], depth + 1)?;
            } else {
                self.write(depth, &format!("{name}  {place} (see above)"));
            }
        }
        if let more @ 1.. = count.saturating_sub(MAX_CALLERS) {
            self.write(depth, &format!("and {more} more callers"));
        }
        if callers.is_empty() {
            self.climb_to_outer(symbols, depth)?;
        }
        Ok(())
    }

    /// Returns the first other callers outside tests with the places of their first calls, and the number of all.
    fn callers(&mut self, symbols: &[NodeId]) -> Result<(Vec<(Node, String)>, usize), QueryError> {
        let snapshot = self.occurrences.sources.snapshot();
        let mut called = symbols.to_vec();
        called.extend(bases_of(snapshot, symbols)?.into_iter().map(|(id, _)| id));
        let mut calls = self.occurrences.incoming(&called, &[EdgeType::Calls])?;
        if calls.is_empty() {
            // A function that is passed on is called by its receiver.
            calls = self
                .occurrences
                .incoming(&called, &[EdgeType::References])?;
        }
        calls.sort_by_key(|call| (call.file, call.line));

        let mut distinct: FxHashSet<NodeId> = symbols.iter().copied().collect();
        let (mut callers, mut count) = (Vec::new(), 0);
        for call in calls {
            let path = self.occurrences.path(call.file)?;
            if is_test_path(&path) || !distinct.insert(call.other) {
                continue;
            }
            count += 1;
            if count <= MAX_CALLERS {
                let caller = store::node(self.occurrences.sources.snapshot(), call.other)?;
                callers.extend(caller.map(|caller| (caller, format!("{path}:{}", call.line))));
            }
        }
        Ok((callers, count))
    }

    /// Writes the functions around local ones that nothing calls, with their callers.
    fn climb_to_outer(&mut self, symbols: &[NodeId], depth: usize) -> Result<(), QueryError> {
        for id in symbols {
            let snapshot = self.occurrences.sources.snapshot();
            let Some(node) = store::node(snapshot, *id)? else {
                continue;
            };

            let outer = node.parent.filter(|_| node.flags.has(NodeFlags::LOCAL));
            let outer = outer.map_or(Ok(None), |id| store::node(snapshot, id))?;
            if let Some(outer) = outer.filter(|outer| self.seen.insert(outer.id)) {
                let line = outer.spans.first().map_or_else(String::new, |span| {
                    format!("  {}:{}", span.path, span.name_line)
                });
                let name = self.occurrences.short_name(&outer)?;
                self.write(depth, &format!("inside {name}{line}"));
                self.climb(&[outer.id], depth + 1)?;
            }
        }

        Ok(())
    }

    /// Writes a step that leads to a symbol without a call.
    fn write_step(&mut self, step: &DispatchStep, depth: usize) -> Result<(), QueryError> {
        let path = self.occurrences.path(step.site.0)?;
        let place = format!("{path}:{}", step.site.1);
        let line = match step.kind {
            _ if is_test_path(&path) => return Ok(()),
            DispatchKind::Serves => format!("serves {}  {place}", step.label),
            DispatchKind::Shows => format!("is shown at {}  {place}", step.label),
            DispatchKind::Mounts => format!("has its routes below {}  {place}", step.label),
            DispatchKind::Runs => format!("runs on the command {}  {place}", step.label),
            kind if step.label.is_empty() => format!("{kind}  {place}"),
            kind => format!("{kind} {}  {place}", step.label),
        };
        if !self.lines.iter().any(|known| known.trim_start() == line) {
            self.write(depth, &line);
        }
        Ok(())
    }

    fn write(&mut self, depth: usize, text: &str) {
        if self.lines.len() < MAX_LINES {
            self.lines.push(format!("{}{text}", "  ".repeat(depth)));
        }
    }
}
