//! Fields without annotation and initializer, whose types come from the constructor, or from static
//! blocks: `class A { #x; constructor() { this.#x = new B(); } }`.
//!
//! As in tsc's `getFlowTypeInConstructor`, other methods and nested functions do not count.
//!
//! Limitations: an assignment that always replaces an earlier one is joined with it.

use codeagent_model::facts::*;

use crate::lower::lowering::Lowering;

/// Largest number of assigned values that are joined.
const MAX_VALUES: usize = 16;

impl Lowering<'_, '_> {
    /// Records `this.x = value` in a constructor or static block.
    pub fn note_field_assignment(&mut self, object: ExprId, name: Sym, value: ExprId) {
        let (class, is_static) = match self.b.facts.expr(object) {
            Expr::This(class) | Expr::ThisAt(class, ..) => (class, false),
            Expr::Class(class) => (class, true),
            _ => return,
        };
        if class.is_none() || class != self.class || !self.assigns_fields(is_static) {
            return;
        }

        let is_empty = matches!(
            self.b.facts.expr(value),
            Expr::Literal(LiteralKind::Null | LiteralKind::Undefined, _)
        );
        let field = (self.b.decl(class).inner, name, is_static);
        let values = self.untyped_fields.assigned.entry(field).or_default();

        if !is_empty && values.len() < MAX_VALUES {
            values.push(value);
        }
    }

    /// Reports whether the current function is the constructor, or none is, as in a static block.
    fn assigns_fields(&mut self, is_static: bool) -> bool {
        let function = self.function;
        if is_static || function.is_none() {
            return is_static && function.is_none();
        }
        self.b.decl(function).kind == DeclKind::Constructor
    }
}
