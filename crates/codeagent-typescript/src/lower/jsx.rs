//! JSX: `<A b={c} {...d}>{e}</A>` uses the component `A` like a call; its attributes and children
//! are lowered for their sites.
//!
//! Limitations: intrinsic elements (`<div>`) have no component, and their attributes are not sites.

use codeagent_model::facts::*;

use crate::lower::lowering::Lowering;
use crate::syntax::syntax::{Child, Field, Kind};

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
            None => self.b.expr(Expr::Jsx(ExprId::NONE)),
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
                self.expr(part, context);
            }
        }

        element
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

        if let Some(arguments) = children.get(Field::TypeArguments) {
            self.type_arguments(Some(arguments));
        }

        for part in children.named() {
            match part.kind {
                Kind::JsxAttribute => self.jsx_attribute(part, component),
                Kind::JsxExpression => {
                    self.expr(part, Context::None);
                }
                _ => {}
            }
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

    fn jsx_attribute(&mut self, child: Child<'tree>, component: ExprId) {
        let children = self.children(child);
        let mut parts = children.named();
        let Some(name) = parts.next() else { return };
        let mut context = Context::None;
        if !component.is_none() {
            let (sym, at) = (self.sym(name), self.at(name));
            self.b
                .site(SiteKind::Key, Subject::Attribute(component, sym), at);
            context = Context::Attribute(component, sym);
        }
        if let Some(value) = parts.next() {
            self.expr(value, context);
        }
    }
}
