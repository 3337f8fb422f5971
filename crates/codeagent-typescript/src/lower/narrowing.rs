//! Narrowing by conditions: the tests in a condition, and the `Narrow` declarations that follow
//! from them.
//!
//! `if (!(x instanceof C)) return;` redeclares `x` after the statement. A condition is recorded as
//! a small tree of tests while it is lowered, so nothing is lowered twice.
//!
//! Limitations: there is no flow graph (assignments are handled in `assignments`). `a || b` narrows
//! what both sides test, each by one test, and at most [`MAX_TESTS`] tests of one condition are
//! applied. `this.x` is narrowed under the name `this`; `this` itself is not narrowed. `assertIsA(x)`
//! narrows names, not members. A condition that a constant holds still narrows a variable that was
//! assigned after the constant.

use codeagent_model::facts::*;

use crate::lower::lowering::Lowering;
use crate::lower::state::{Test, TestNode, Value};
use crate::syntax::syntax::Kind;

const MAX_TESTS: usize = 16;
/// Most statements in a scope that may assert something about one name.
const MAX_ASSERTED: u32 = 8;

impl<'t, 'tree> Lowering<'t, 'tree> {
    pub fn test(&mut self, node: TestNode) -> Test {
        if matches!(
            node,
            TestNode::Not(Test::None)
                | TestNode::And(Test::None, Test::None)
                | TestNode::Or(Test::None, Test::None)
        ) {
            return Test::None;
        }
        self.narrowing.tests.push(node);
        Test::Node(self.narrowing.tests.len() as u32 - 1)
    }

    /// Returns the test of a binary operation.
    pub fn operation_test(&mut self, left: Value, operator: Kind, right: Value) -> Test {
        match operator {
            Kind::AndAnd => self.test(TestNode::And(left.test, right.test)),
            Kind::OrOr => self.test(TestNode::Or(left.test, right.test)),

            Kind::InstanceOf => {
                self.guard_test(left.expr, GuardTest::InstanceOf(right.expr), false)
            }
            Kind::In => match self.b.facts.expr(left.expr) {
                Expr::Literal(LiteralKind::String, name) => {
                    self.guard_test(right.expr, GuardTest::HasProperty(name), false)
                }
                _ => Test::None,
            },

            Kind::StrictEqual | Kind::LooseEqual => self.comparison(left, right, false),
            Kind::StrictNotEqual | Kind::LooseNotEqual => self.comparison(left, right, true),
            _ => Test::None,
        }
    }

    fn guard_test(&mut self, subject: ExprId, test: GuardTest, negated: bool) -> Test {
        self.test(TestNode::Guard(Guard {
            subject,
            test,
            negated,
        }))
    }

    /// Returns the test of `typeof x === "string"`, `x.kind === "a"` or `x !== null`; either side
    /// may be the literal.
    pub fn comparison(&mut self, left: Value, right: Value, negated: bool) -> Test {
        let (value, literal) = match (self.b.facts.expr(left.expr), self.b.facts.expr(right.expr)) {
            (_, literal @ Expr::Literal(..)) => (left, literal),
            (literal @ Expr::Literal(..), _) => (right, literal),
            _ => return Test::None,
        };
        let Expr::Literal(kind, text) = literal else {
            return Test::None;
        };
        if let Test::TypeOf(subject) = value.test {
            return self.guard_test(subject, GuardTest::TypeOf(text), negated);
        }
        if matches!(kind, LiteralKind::Null | LiteralKind::Undefined) {
            return self.guard_test(value.expr, GuardTest::Truthy, !negated);
        }

        match self.b.facts.expr(value.expr) {
            Expr::Member(subject, name) => {
                self.guard_test(subject, GuardTest::Discriminant(name, kind, text), negated)
            }
            _ => Test::None,
        }
    }

    /// Lowers a part in a block where a test holds, or does not hold.
    pub fn with_guard<T>(
        &mut self,
        test: Test,
        holds: bool,
        part: impl FnOnce(&mut Self) -> T,
    ) -> T {
        if matches!(test, Test::None) {
            return part(self);
        }

        let (decls, scopes) = (self.b.facts.decls.len(), self.b.facts.scopes.len());
        let scope = self.b.scope;
        self.b.open_scope(ScopeKind::Block, DeclId::NONE);
        self.narrow(test, holds, 0);

        if self.b.facts.decls.len() == decls {
            // Nothing was narrowed: the block is not needed.
            self.b.facts.scopes.truncate(scopes);
            self.b.scope = scope;
        }

        let result = part(self);
        self.b.scope = scope;

        result
    }

    /// Declares the narrowings that follow from a test in the current scope, from an offset on.
    pub fn narrow(&mut self, test: Test, holds: bool, from: u32) {
        let mut pending = vec![(test, holds)];

        let mut steps = 0;
        while let Some((test, holds)) = pending.pop() {
            steps += 1;
            if steps > MAX_TESTS {
                return;
            }

            match test {
                Test::Truthy(subject) => {
                    pending.extend(self.held_condition(subject).map(|held| (held, holds)));
                    if holds {
                        let guard = Guard {
                            subject,
                            test: GuardTest::Truthy,
                            negated: false,
                        };
                        self.declare_narrow(guard, from);
                    }
                }
                Test::Call(call) => self.narrow_by_call(call, !holds, from),
                Test::Node(index) => match self.narrowing.tests[index as usize] {
                    TestNode::And(a, b) if holds => pending.extend([(b, true), (a, true)]),
                    TestNode::Or(a, b) if !holds => pending.extend([(b, false), (a, false)]),
                    TestNode::Not(inner) => pending.push((inner, !holds)),
                    TestNode::Guard(guard) => self.declare_narrow(
                        Guard {
                            negated: guard.negated == holds,
                            ..guard
                        },
                        from,
                    ),
                    TestNode::And(a, b) | TestNode::Or(a, b) => {
                        self.narrow_by_either((a, b), holds, from)
                    }
                },
                Test::None | Test::TypeOf(_) => {}
            }
        }
    }

    /// Records the condition that a constant holds: `const isA = x instanceof A; if (isA) x.f()`.
    /// Any other variable hides an outer constant of its name.
    pub fn note_condition(&mut self, variable: DeclId, test: Test) {
        let &mut Declaration {
            scope, name, flags, ..
        } = self.b.decl(variable);
        if flags.has(DeclFlags::CONST) && matches!(test, Test::Node(_) | Test::Call(_)) {
            self.narrowing.conditions.insert((scope, name), test);
        } else if !self.narrowing.conditions.is_empty() {
            self.narrowing.conditions.insert((scope, name), Test::None);
        }
    }

    /// Returns the condition that a tested constant of the same function holds. In a nested
    /// function, the names of the condition may be those of other variables.
    fn held_condition(&self, subject: ExprId) -> Option<Test> {
        if self.narrowing.conditions.is_empty() {
            return None;
        }
        let Expr::Name(name, mut scope, _) = self.b.facts.expr(subject) else {
            return None;
        };

        while !scope.is_none() {
            if let Some(test) = self.narrowing.conditions.get(&(scope, name)) {
                return Some(*test);
            }
            let Scope { kind, parent, .. } = *self.b.facts.scope(scope);
            if kind == ScopeKind::Function {
                return None;
            }
            scope = parent;
        }
        None
    }

    /// Declares the narrowings of subjects that both sides of `a || b` test.
    fn narrow_by_either(&mut self, (a, b): (Test, Test), holds: bool, from: u32) {
        for guard in self.guards_of_either((a, b), holds, 0) {
            self.declare_narrow(guard, from);
        }
    }

    /// Returns what holds of each subject that both tests narrow, if one of the tests holds, or
    /// fails.
    fn guards_of_either(&mut self, (a, b): (Test, Test), holds: bool, depth: usize) -> Vec<Guard> {
        let left = self.guards(a, holds, depth + 1);
        if left.is_empty() {
            return left;
        }
        let right = self.guards(b, holds, depth + 1);

        let mut joined: Vec<Guard> = Vec::new();
        for guard in left {
            let is_same = |other: &&Guard| self.b.facts.is_same_path(other.subject, guard.subject);
            let Some(&other) = right.iter().find(is_same) else {
                continue;
            };
            if joined.iter().any(|known| is_same(&known)) {
                continue;
            }

            let numbers = (self.add_guard(guard), self.add_guard(other));
            joined.push(Guard {
                subject: guard.subject,
                test: GuardTest::Either(numbers.0, numbers.1),
                negated: false,
            });
        }
        joined
    }

    /// Returns the guards that follow from a test. Below [`MAX_TESTS`] levels nothing follows.
    fn guards(&mut self, test: Test, holds: bool, depth: usize) -> Vec<Guard> {
        if depth > MAX_TESTS {
            return Vec::new();
        }
        let node = match test {
            Test::Call(call) => return self.guards_of_call(call, !holds),
            Test::Node(index) => self.narrowing.tests[index as usize],
            Test::Truthy(subject) if holds => {
                return vec![Guard {
                    subject,
                    test: GuardTest::Truthy,
                    negated: false,
                }];
            }
            Test::None | Test::Truthy(_) | Test::TypeOf(_) => return Vec::new(),
        };

        match node {
            TestNode::Not(inner) => self.guards(inner, !holds, depth + 1),
            TestNode::Guard(guard) => vec![Guard {
                negated: guard.negated == holds,
                ..guard
            }],
            TestNode::And(a, b) if holds => self.guards_of_both((a, b), holds, depth),
            TestNode::Or(a, b) if !holds => self.guards_of_both((a, b), holds, depth),
            TestNode::And(a, b) | TestNode::Or(a, b) => self.guards_of_either((a, b), holds, depth),
        }
    }

    fn guards_of_both(&mut self, (a, b): (Test, Test), holds: bool, depth: usize) -> Vec<Guard> {
        let mut guards = self.guards(a, holds, depth + 1);
        guards.extend(self.guards(b, holds, depth + 1));
        guards
    }

    fn add_guard(&mut self, guard: Guard) -> u32 {
        self.b.facts.guards.push(guard);
        self.b.facts.guards.len() as u32 - 1
    }

    fn narrow_by_call(&mut self, call: CallId, negated: bool, from: u32) {
        for guard in self.guards_of_call(call, negated) {
            self.declare_narrow(guard, from);
        }
    }

    /// Returns the guards of a call of a function that may be a type predicate: of its arguments
    /// and its receiver.
    fn guards_of_call(&self, call: CallId, negated: bool) -> Vec<Guard> {
        let facts = &self.b.facts;
        let Call { callee, args, .. } = facts.calls[call.index()];
        let of = |subject, index| Guard {
            subject,
            test: GuardTest::Predicate(call, index),
            negated,
        };

        let arguments = facts.list(args).iter().take(4).enumerate();
        let mut guards: Vec<Guard> = arguments
            .map(|(index, argument)| of(argument.value, index as u16))
            .collect();
        if let Expr::Member(receiver, _) = facts.expr(callee) {
            guards.push(of(receiver, u16::MAX));
        }
        guards
    }

    /// Declares what follows from a statement `f(x)` or `f(condition)` if `f` is an assertion
    /// function (handbook, "Assertion Functions"): which names are is known once all files are read.
    pub fn assert_by(&mut self, statement: ExprId, from: u32) {
        let Expr::Call(call) = self.b.facts.expr(statement) else {
            return;
        };
        let Call { callee, args, .. } = self.b.facts.calls[call.index()];
        if !matches!(self.b.facts.expr(callee), Expr::Name(..) | Expr::Member(..)) {
            return;
        }

        let condition = std::mem::take(&mut self.narrowing.argument_test);
        for index in 0..args.len().min(2) {
            let subject = self.b.facts.list(args)[index].value;
            if matches!(self.b.facts.expr(subject), Expr::Name(..)) {
                let test = GuardTest::Asserted(call, index as u16, NO_GUARD);
                self.declare_asserted(subject, test, from);
            }
        }
        if matches!(condition, Test::Node(_) | Test::Call(_)) {
            self.narrowing.asserting = Some(call);
            self.narrow(condition, true, from);
            self.narrowing.asserting = None;
        }
    }

    fn declare_asserted(&mut self, subject: ExprId, test: GuardTest, from: u32) {
        let Some((name, _)) = self.root_name(subject) else {
            return;
        };
        let key = (self.b.scope, name);
        let count = self.narrowing.asserted_in.entry(key).or_default();
        *count += 1;
        if *count <= MAX_ASSERTED {
            let guard = Guard {
                subject,
                test,
                negated: false,
            };
            self.declare_narrow(guard, from);
        }
    }

    /// Redeclares the root of a narrowed path, from an offset on.
    pub fn declare_narrow(&mut self, guard: Guard, from: u32) {
        if guard.negated && matches!(guard.test, GuardTest::Truthy) {
            return;
        }
        if let Some(call) = self.narrowing.asserting.take() {
            if !matches!(guard.test, GuardTest::Truthy) {
                let condition = self.add_guard(guard);
                let test = GuardTest::Asserted(call, 0, condition);
                self.declare_asserted(guard.subject, test, from);
            }
            self.narrowing.asserting = Some(call);
            return;
        }
        let Some((name, at)) = self.root_name(guard.subject) else {
            return;
        };

        self.note_narrowing(guard);

        let number = self.add_guard(guard);
        let position = self.b.position(at as usize);
        let id = self
            .b
            .declare(name, DeclKind::Narrow, DeclFlags::default(), position);
        let init = self.b.expr(Expr::NarrowedRef(number));
        let decl = self.b.decl(id);

        decl.init = init;
        decl.from = from;
    }

    /// Returns the first name of a path.
    fn root_name(&mut self, mut subject: ExprId) -> Option<(Sym, u32)> {
        for _ in 0..MAX_TESTS {
            match self.b.facts.expr(subject) {
                Expr::Name(name, _, at) => return Some((name, at)),
                Expr::This(_) | Expr::ThisAt(..) => {
                    self.narrowing.narrows_this = true;
                    return Some((self.b.sym_owned("this"), 0));
                }
                _ => subject = self.b.facts.path_step(subject)?.0,
            }
        }
        None
    }
}
