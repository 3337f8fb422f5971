//! JSX: `<A b={c} {...d}>{e}</A>` uses the component `A` like a call, which is recorded with the
//! attributes as named arguments; its children are lowered for their sites.
//!
//! Limitations: intrinsic elements (`<div>`) have no component, and their attributes are not sites.

use codeagent_model::facts::*;

use crate::lower::lowering::Lowering;
use crate::syntax::syntax::{Child, Field, Kind};

/// Maximum number of conditions around an element: `{a ? <A /> : b ? <B /> : <C />}`.
const MAX_CONDITIONS: usize = 8;

impl<'t, 'tree> Lowering<'t, 'tree> {
    /// Lowers an element with its attributes and children.
    pub fn jsx(&mut self, child: Child<'tree>) -> ExprId {
        if child.kind == Kind::JsxSelfClosingElement {
            return self.jsx_opening(child);
        }

        let children = self.children(child);
        let opening = children
            .get(Field::OpenTag)
            .or_else(|| children.find(Kind::JsxOpeningElement));
        let element = match opening {
            Some(opening) => self.jsx_opening(opening),
            None => ExprId::NONE,
        };
        // Elements without a component are equal, but not their children.
        let element = match self.b.facts.expr(element) {
            Expr::Jsx(component) if !component.is_none() => element,
            _ => self.b.fresh_expr(Expr::Jsx(ExprId::NONE)),
        };
        let component = if let Expr::Jsx(component) = self.b.facts.expr(element) {
            component
        } else {
            ExprId::NONE
        };

        for part in children.named() {
            if matches!(
                part.kind,
                Kind::JsxElement | Kind::JsxSelfClosingElement | Kind::JsxExpression
            ) {
                let context = if component.is_none() {
                    Context::None
                } else {
                    let children = self.b.sym_owned("children");
                    Context::Attribute(component, children)
                };
                let child = self.expr(part, context);
                self.child_element(child, element, MAX_CONDITIONS);
            }
        }

        element
    }

    /// Records the elements that a child of another element may be: `<B />`, `{is && <B />}`, and
    /// both of `{is ? <B /> : <C />}`.
    fn child_element(&mut self, child: ExprId, inside: ExprId, conditions: usize) {
        match self.b.facts.expr(child) {
            Expr::And(_, shown) | Expr::Paren(shown) if conditions > 0 => {
                self.child_element(shown, inside, conditions - 1);
            }
            Expr::Or(one, other) if conditions > 0 => {
                self.child_element(one, inside, conditions - 1);
                self.child_element(other, inside, conditions - 1);
            }
            Expr::Jsx(component) if !component.is_none() => {
                self.b.facts.child_elements.push(ChildElement {
                    element: child,
                    inside,
                });
            }
            _ => {}
        }
    }

    fn jsx_opening(&mut self, child: Child<'tree>) -> ExprId {
        let children = self.children(child);
        let name = children
            .get(Field::Name)
            .filter(|name| !self.is_intrinsic(*name));
        let component = name.map_or(ExprId::NONE, |name| {
            self.used(name, Context::None, None).expr
        });
        let element = self.b.expr(Expr::Jsx(component));

        if let Some(name) = name {
            let at = self.name_position(name);
            self.b.site(SiteKind::Jsx, Subject::Expr(element), at);
        }

        let type_args = self.type_arguments(children.get(Field::TypeArguments));
        let mut attributes = Vec::new();
        for part in children.named() {
            match part.kind {
                Kind::JsxAttribute => attributes.extend(self.jsx_attribute(part, component)),
                Kind::JsxExpression => {
                    self.expr(part, Context::None);
                }
                _ => {}
            }
        }

        let may_be_generic = !attributes.is_empty() || !type_args.is_empty();
        if may_be_generic && !component.is_none() {
            let call = self.b.begin_call(component, type_args);
            self.b.finish_call(call, attributes);
        }
        element
    }

    fn is_intrinsic(&self, name: Child<'tree>) -> bool {
        match name.kind {
            Kind::Identifier => self
                .text(name)
                .starts_with(|first: char| first.is_ascii_lowercase()),
            Kind::JsxNamespaceName => true,
            _ => false,
        }
    }

    /// Lowers an attribute; returns it as an argument if the component is known and it has a value.
    fn jsx_attribute(&mut self, child: Child<'tree>, component: ExprId) -> Option<Arg> {
        let children = self.children(child);
        let mut parts = children.named();
        let name = parts.next()?;
        let value = parts.next();
        if component.is_none() {
            self.expr(value?, Context::None);
            return None;
        }

        let (name, at) = (self.sym(name), self.at(name));
        self.b
            .site(SiteKind::Key, Subject::Attribute(component, name), at);
        let value = self.expr(value?, Context::Attribute(component, name));
        Some(Arg {
            name,
            mode: ArgMode::Value,
            value,
        })
    }
}
