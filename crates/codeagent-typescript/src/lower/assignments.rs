//! Narrowing by assignment: `x = new C()` narrows a name or member path; any other assignment ends
//! its narrowing.
//!
//! An assignment that is a statement declares a `Narrow` with the assigned value. After a statement
//! that contains an assignment, and from the start of a loop that contains one, the declared type
//! applies again, because the assignment may or may not have run.
//!
//! Limitations: where branches meet, the declared type is used, not the union of the assigned
//! types. Paths are invalidated by their first member: `a.b.c = x` ends every narrowing of `a.b`.

use codeagent_model::facts::*;

use crate::lower::lowering::Lowering;
use crate::lower::state::{PathAssignment, PathKey};

/// Largest number of narrowing assignments to one root in one scope; each lookup of the name visits
/// all of them.
const MAX_ASSIGNED: u32 = 16;

impl<'t, 'tree> Lowering<'t, 'tree> {
    /// Records an assignment to a path, which ends its narrowing.
    pub fn write(&mut self, target: ExprId, end: usize) {
        let Some((path, key)) = self.path_key(target) else {
            return;
        };
        self.narrowing.writes.push(PathAssignment {
            path,
            key,
            left: false,
        });
        self.end_narrowing(path, key, end as u32);
    }

    /// Ends a statement: paths assigned inside it have their declared types again; the target of
    /// the statement itself has its assigned type.
    pub fn after_writes(&mut self, mark: usize, assigned: Option<(ExprId, ExprId)>, end: usize) {
        for index in mark..self.narrowing.writes.len() {
            let PathAssignment { path, key, left } = self.narrowing.writes[index];
            if !left {
                self.end_narrowing(path, key, end as u32);
            }
        }
        if let Some((target, value)) = assigned {
            self.narrow_to_assigned(target, value, end as u32);
        }
    }

    /// Marks the assignments since `mark` as being in a branch that does not continue.
    pub fn leave_writes(&mut self, mark: usize) {
        self.narrowing.writes[mark..]
            .iter_mut()
            .for_each(|write| write.left = true);
    }

    /// Marks the branches left since `mark` as continuing here, because control may come here by
    /// `break` or `catch`.
    pub fn return_writes(&mut self, mark: usize) {
        self.narrowing.writes[mark..]
            .iter_mut()
            .for_each(|write| write.left = false);
    }

    /// Lowers a loop in its own scope: any assignment in it may precede any of its parts.
    pub fn looped(&mut self, part: impl FnOnce(&mut Self)) {
        self.scoped(ScopeKind::Block, |lowering| {
            let mark = lowering.narrowing.writes.len();
            part(lowering);
            lowering.return_writes(mark);
            lowering.after_writes(mark, None, 0);
        });
    }

    fn narrow_to_assigned(&mut self, target: ExprId, value: ExprId, end: u32) {
        let Some((_, key)) = self.path_key(target) else {
            return;
        };
        let creates = matches!(self.b.facts.expr(value), Expr::New(_));
        if !creates && !self.narrowing.narrowed.contains(&key) {
            return;
        }

        let count = self
            .narrowing
            .assigned_in
            .entry((self.b.scope, key.0))
            .or_default();

        *count += 1;
        if *count <= MAX_ASSIGNED {
            self.declare_narrow(
                Guard {
                    subject: target,
                    test: GuardTest::Assigned(value),
                    negated: false,
                },
                end,
            );
        }
    }

    /// Declares that a path has its declared type again, if it was narrowed.
    fn end_narrowing(&mut self, path: ExprId, key: PathKey, end: u32) {
        if self.narrowing.narrowed.contains(&key)
            && !self.narrowing.ended.contains(&(self.b.scope, key))
        {
            self.declare_narrow(
                Guard {
                    subject: path,
                    test: GuardTest::Declared,
                    negated: false,
                },
                end,
            );
            self.narrowing.ended.insert((self.b.scope, key));
        }
    }

    /// Records that a path is narrowed from here on.
    pub fn note_narrowing(&mut self, guard: Guard) {
        if matches!(guard.test, GuardTest::Truthy | GuardTest::Declared) {
            return;
        }
        let Some((_, (root, first))) = self.path_key(guard.subject) else {
            return;
        };
        for key in [(root, Sym::NONE), (root, first)] {
            self.narrowing.narrowed.insert(key);
            self.narrowing.ended.remove(&(self.b.scope, key));
        }
    }

    /// Returns a path up to its first member, and its key.
    fn path_key(&mut self, path: ExprId) -> Option<(ExprId, PathKey)> {
        let (mut path, mut outer) = (path, None);

        for _ in 0..MAX_PATH {
            let root = match self.b.facts.expr(path) {
                Expr::Name(name, ..) => name,
                Expr::This(_) | Expr::ThisAt(..) => self.b.sym_owned("this"),
                _ => {
                    let (inner, name) = self.b.facts.path_step(path)?;
                    outer = Some((path, name));
                    path = inner;
                    continue;
                }
            };
            return Some(outer.map_or((path, (root, Sym::NONE)), |(path, first)| {
                (path, (root, first))
            }));
        }

        None
    }
}
