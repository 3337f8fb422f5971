//! Destructuring: `const { a, b: [c = 1, ...d] } = e` declares `a`, `c` and `d`, each with its part
//! of `e`.
//!
//! Limitations: computed keys select no member.

use codeagent_model::facts::*;

use crate::lower::lowering::{EnclosingStatement, Lowering};
use crate::lower::signature_text::DeclText;
use crate::syntax::syntax::{Child, Field, Kind};

/// How the names in a pattern are bound.
#[derive(Clone, Copy)]
pub struct Binding {
    /// The flags of the declared variables; `None` if the names are assigned to.
    pub flags: Option<DeclFlags>,
    /// The scope that `var` is hoisted to; else the current scope.
    pub scope: Option<ScopeId>,
    /// The statement, if the variables get details.
    pub shown: Option<EnclosingStatement>,
}

impl Binding {
    pub fn local(flags: DeclFlags) -> Self {
        Self {
            flags: Some(flags),
            scope: None,
            shown: None,
        }
    }

    /// Binds existing names, by assignment.
    pub fn assignment() -> Self {
        Self {
            flags: None,
            scope: None,
            shown: None,
        }
    }
}

impl<'t, 'tree> Lowering<'t, 'tree> {
    /// Binds the names of a pattern to their parts of `source`.
    pub fn bind(&mut self, pattern: Child<'tree>, source: ExprId, binding: Binding) {
        self.with_depth_limit((), |lowering| {
            lowering.bind_pattern(pattern, source, binding)
        });
    }

    fn bind_pattern(&mut self, pattern: Child<'tree>, source: ExprId, binding: Binding) {
        match pattern.kind {
            Kind::ObjectPattern => self.bind_object(pattern, source, binding),
            Kind::ArrayPattern => self.bind_array(pattern, source, binding),
            Kind::AssignmentPattern | Kind::ObjectAssignmentPattern => {
                self.bind_default(pattern, source, binding)
            }
            _ => self.bind_name(pattern, source, binding),
        }
    }

    fn bind_object(&mut self, pattern: Child<'tree>, source: ExprId, binding: Binding) {
        for part in self.children(pattern).named() {
            match part.kind {
                Kind::ShorthandPropertyIdentifierPattern => {
                    let value = self.destructured(part, source);
                    self.bind_name(part, value, binding);
                }
                Kind::PairPattern => {
                    let children = self.children(part);
                    let Some(key) = children.get(Field::Key) else {
                        continue;
                    };

                    let value = self.destructured(key, source);

                    if let Some(inner) = children.get(Field::Value) {
                        self.bind(inner, value, binding);
                    }
                }
                Kind::ObjectAssignmentPattern => {
                    let Some(left) = self.children(part).get(Field::Left) else {
                        continue;
                    };
                    let value = self.destructured(left, source);
                    self.bind_default(part, value, binding);
                }
                Kind::RestPattern => self.bind_rest(part, source, binding, false),
                _ => {}
            }
        }
    }

    /// Returns the member of `source` that a key selects.
    fn destructured(&mut self, key: Child<'tree>, source: ExprId) -> ExprId {
        if key.kind == Kind::ComputedPropertyName {
            self.computed_name(key);
            return self.b.expr(Expr::Unknown);
        }
        let (name, _) = self.member_name(key);
        let value = self.b.expr(Expr::Destructured(source, name));
        let at = self.at(key);
        self.b.site(SiteKind::Destructure, Subject::Expr(value), at);
        value
    }

    fn bind_array(&mut self, pattern: Child<'tree>, source: ExprId, binding: Binding) {
        let mut index = 0u16;
        for part in self.children(pattern).iter() {
            if part.kind == Kind::Comma {
                index = index.saturating_add(1);
            } else if part.kind == Kind::RestPattern {
                self.bind_rest(part, source, binding, true);
            } else if part.kind.is_named() {
                let value = self.b.expr(Expr::Element(source, index));
                self.bind(part, value, binding);
            }
        }
    }

    fn bind_rest(&mut self, part: Child<'tree>, source: ExprId, binding: Binding, array: bool) {
        if let Some(inner) = self.children(part).first() {
            let value = self.b.expr(Expr::RestElement(source, array));
            self.bind(inner, value, binding);
        }
    }

    fn bind_default(&mut self, pattern: Child<'tree>, source: ExprId, binding: Binding) {
        let children = self.children(pattern);
        let default = children
            .get(Field::Right)
            .map(|right| self.expr(right, Context::Assigned(source)));
        let value = match default {
            Some(default) => self.b.expr(Expr::Or(source, default)),
            None => source,
        };
        if let Some(left) = children.get(Field::Left) {
            self.bind(left, value, binding);
        }
    }

    fn bind_name(&mut self, name: Child<'tree>, source: ExprId, binding: Binding) {
        let Some(flags) = binding.flags else {
            let target = self.used(name, Context::None, Some(SiteKind::Write)).expr;
            self.write(target, name.end());
            return;
        };

        if !matches!(
            name.kind,
            Kind::Identifier | Kind::ShorthandPropertyIdentifierPattern | Kind::Undefined
        ) {
            return;
        }

        let sym = self.sym(name);
        let at = self.at(name);
        let id = self.b.declare(sym, DeclKind::Variable, flags, at);
        let decl = self.b.decl(id);
        decl.init = source;

        if let Some(scope) = binding.scope {
            decl.scope = scope;
        }

        if let Some(outer) = binding.shown {
            let looks = DeclText {
                start: name.start(),
                end: name.end(),
                name: Some(name),
                documented_at: Some(outer.start),
                ..DeclText::default()
            };
            self.show(id, looks);
        }
    }
}
