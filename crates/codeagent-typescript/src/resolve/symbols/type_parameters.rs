//! The outer type parameters that the declarations of one symbol can refer to.
//!
//! Limitations: those of `global_index/outer_params`.

use std::rc::Rc;

use codeagent_lang::{DeclRef, FileId};
use codeagent_model::facts::{DeclId, DeclKind, TypeId};

use crate::resolve::symbols::{Symbols, at};

/// Outer type parameters in ascending order; `None` if they are not known.
pub type OuterParamList = Option<Rc<[DeclRef]>>;

impl Symbols<'_> {
    /// The outer type parameters that a declared type can refer to. A function counts with all its
    /// overloads, because they have one type.
    pub fn outer_params(&self, decl: DeclRef) -> OuterParamList {
        self.stack.memoized(&self.outer_params, decl, || {
            if !matches!(
                self.decl(decl).kind,
                DeclKind::Function | DeclKind::LocalFunction | DeclKind::Method
            ) {
                return self
                    .own_outer_params(decl)
                    .map(|own| refs(decl.file, own).collect());
            }

            let mut params = Vec::new();
            for overload in self.overload_group(decl) {
                params.extend(refs(overload.file, self.own_outer_params(overload)?));
            }
            params.sort_unstable();
            params.dedup();

            Some(params.into())
        })
    }

    /// The outer type parameters that a conditional type can refer to.
    pub fn outer_params_of_conditional(&self, file: FileId, ty: TypeId) -> OuterParamList {
        self.conditional_params.get_or_insert_with((file, ty), || {
            let index = self.tables.file(file);
            let own = index.outer_params(self.facts(file)).of_conditional(ty)?;
            Some(refs(file, own).collect())
        })
    }

    fn own_outer_params(&self, decl: DeclRef) -> Option<&[DeclId]> {
        let index = self.tables.file(decl.file);
        index.outer_params(self.facts(decl.file)).of_decl(decl.decl)
    }
}

fn refs(file: FileId, decls: &[DeclId]) -> impl Iterator<Item = DeclRef> + '_ {
    decls.iter().map(move |decl| at(file, *decl))
}
