//! Fields without annotation and initializer, whose types come from the constructor, or from static
//! blocks: `class A { #x; constructor() { this.#x = new B(); } }`.
//!
//! As in tsc's `getFlowTypeInConstructor`, other methods and nested functions do not count.
//!
//! Limitations: an assignment that always replaces an earlier one is joined with it.

use codeagent_lang::lower::builder::Builder;
use codeagent_model::facts::*;
use rustc_hash::FxHashMap;

use crate::lower::lowering::Lowering;

/// Largest number of assigned values that are joined.
const MAX_VALUES: usize = 16;

/// The untyped fields of the classes seen so far and what constructors assign to members.
#[derive(Default)]
pub struct UntypedFields {
    fields: Vec<(ScopeId, Sym, DeclId)>,
    assigned: FxHashMap<AssignedField, Vec<ExprId>>,
}

/// A field by the scope of its class, its name, and whether it is static.
type AssignedField = (ScopeId, Sym, bool);

impl UntypedFields {
    /// Adds a field of the class that has the scope.
    pub fn add(&mut self, class: ScopeId, name: Sym, field: DeclId) {
        self.fields.push((class, name, field));
    }

    /// Gives each field the union of the values that are assigned to it. `null` and `undefined`
    /// alone determine no type.
    pub fn give_values(mut self, b: &mut Builder<'_>) {
        for (class, name, field) in self.fields {
            let is_static = b.decl(field).flags.has(DeclFlags::STATIC);
            let values = self.assigned.remove(&(class, name, is_static));
            let joined = values
                .unwrap_or_default()
                .into_iter()
                .reduce(|left, right| b.expr(Expr::Or(left, right)));

            if let Some(value) = joined {
                b.decl(field).init = value;
            }
        }
    }
}

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
