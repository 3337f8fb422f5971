//! Finds the guard that applies to a name or member path at a position.
//!
//! Limitations: relies on lowering to record where a guard holds and where an assignment ends it. A
//! path has at most eight segments.

use codeagent_lang::{DeclRef, ExprRef, FileId};
use codeagent_model::facts::*;

use crate::resolve::symbols::scopes::LookupPosition;
use crate::resolve::symbols::{Symbols, at};

impl Symbols<'_> {
    /// Reports whether a name was narrowed by an assignment outside the function that reads it. The
    /// function may run after another assignment.
    pub fn is_assigned_outside(&self, narrow: DeclRef, position: LookupPosition) -> bool {
        let facts = self.facts(narrow.file);
        let decl = facts.decl(narrow.decl);
        let Expr::NarrowedRef(guard) = facts.expr(decl.init) else {
            return false;
        };

        if !matches!(
            facts.guards.get(guard as usize),
            Some(Guard {
                test: GuardTest::Assigned(_),
                ..
            })
        ) {
            return false;
        }

        let mut scope = position.scope;
        while let Some(id) = scope.some().filter(|id| *id != decl.scope) {
            let Scope { kind, parent, .. } = *facts.scope(id);
            if kind == ScopeKind::Function {
                return true;
            }
            scope = parent;
        }

        false
    }

    /// Returns the scope in which a member path such as `a.b` is written.
    pub fn scope_of_path(&self, path: ExprRef) -> Option<ScopeId> {
        path_root(self.facts(path.file), path.expr).map(|(_, scope, _)| scope)
    }

    /// Reports whether a scope is another one or is in it.
    pub fn is_within(&self, file: FileId, mut scope: ScopeId, outer: ScopeId) -> bool {
        let facts = self.facts(file);
        while let Some(id) = scope.some().filter(|id| *id != outer) {
            scope = facts.scope(id).parent;
        }
        !scope.is_none()
    }

    /// Returns the narrowing that applies to a member path such as `a.b`, if there is one.
    pub fn narrowed_path(&self, path: ExprRef) -> Option<DeclRef> {
        let ExprRef { file, expr: path } = path;
        let facts = self.facts(file);
        let (root, scope, offset) = path_root(facts, path)?;
        let name = root.map_or_else(|| self.tables.find("this"), |root| self.name(file, root));
        let mut scope = scope;

        let mut found = None;
        while let Some(id) = scope.some() {
            let (mut declared_here, mut ended) = (false, false);

            for &(_, _, decl_id) in self.declarations(file, id, name) {
                let decl = facts.decl(decl_id);
                if decl.kind != DeclKind::Narrow {
                    declared_here |= !decl.flags.has(DeclFlags::MEMBER);
                    continue;
                }

                let Expr::NarrowedRef(guard) = facts.expr(decl.init) else {
                    continue;
                };
                let Some(guard) = facts.guards.get(guard as usize) else {
                    continue;
                };
                if decl.from > offset {
                    continue;
                }

                if facts.is_same_path(guard.subject, path) {
                    found = Some(at(file, decl_id));
                    ended = false;
                } else if is_assignment(guard.test) && is_prefix(facts, guard.subject, path) {
                    found = None;
                    ended = true;
                }
            }

            let Scope { kind, parent, .. } = *facts.scope(id);

            // The variable may have changed before the function runs.
            if found.is_some() || declared_here || ended || kind == ScopeKind::Function {
                return found;
            }

            scope = parent;
        }

        None
    }
}

/// Returns the first name of a member path, `None` for `this`, and its position.
fn path_root(facts: &Facts, path: ExprId) -> Option<(Option<Sym>, ScopeId, u32)> {
    let mut expr = path;
    for _ in 0..MAX_PATH {
        match facts.expr(expr) {
            Expr::Name(sym, scope, offset) => return Some((Some(sym), scope, offset)),
            Expr::ThisAt(_, scope, offset) => return Some((None, scope, offset)),
            _ => expr = facts.path_step(expr)?.0,
        }
    }
    None
}

fn is_assignment(test: GuardTest) -> bool {
    matches!(test, GuardTest::Assigned(_) | GuardTest::Declared)
}

/// Reports whether a path extends another one.
fn is_prefix(facts: &Facts, prefix: ExprId, path: ExprId) -> bool {
    let mut path = path;
    for _ in 0..MAX_PATH {
        let Some((object, _)) = facts.path_step(path) else {
            return false;
        };
        if facts.is_same_path(prefix, object) {
            return true;
        }
        path = object;
    }
    false
}
