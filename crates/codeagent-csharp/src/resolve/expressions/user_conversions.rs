//! User-defined conversions (C# standard §10.5).
//!
//! Limitations: any applicable implicit operator is accepted; the most specific one is not
//! determined.

use codeagent_lang::DeclRef;

use crate::resolve::expressions::Checker;
use crate::resolve::expressions::conversions::Conversion;
use crate::resolve::global_index::provided_keys;
use crate::resolve::global_index::tables::TypeDefId;
use crate::resolve::types::{Ty, TyList, Type};

impl Checker<'_> {
    /// Returns the conversion operators that a type declares itself.
    pub(super) fn conversions_of(&self, tid: TypeDefId) -> &[DeclRef] {
        let group = self.type_def(tid);
        self.record_type_lookup(tid, provided_keys::CONVERSIONS, group.name);
        &group.conversions
    }

    /// Looks for an `implicit operator` of either type.
    pub(super) fn resolve_user_defined(&self, from: Ty, to: Ty, depth: u32) -> Conversion {
        if depth > 1 {
            return Conversion::No;
        }

        for side in [to, from].map(|side| self.strip_nullable(side)) {
            // A value type has no base type that declares conversions.
            let all = if self.is_value_type(side) == Some(true) {
                TyList::from([side])
            } else {
                self.supertypes(side)
            };

            for base in all.iter() {
                let Type::Named(tid, _) = self.arena.get(*base) else {
                    continue;
                };

                for conversion in self.conversions_of(tid) {
                    let facts = self.facts(conversion.file);
                    if !facts.decl_name(conversion.decl).starts_with("implicit") {
                        continue;
                    }

                    let signature = self.signature(*conversion);
                    let [param] = &*signature.params else {
                        continue;
                    };

                    let takes = self.standard(from, self.substitute(param.ty, *base), depth);
                    let gives = self.standard(self.substitute(signature.result, *base), to, depth);
                    if takes > Conversion::Unknown && gives > Conversion::Unknown {
                        return Conversion::Implicit;
                    }
                }
            }
        }

        Conversion::No
    }

    /// Converts between types without `implicit operator`.
    pub(super) fn convert_without_user(&self, from: Ty, to: Ty) -> Conversion {
        self.standard(from, to, 1)
    }

    fn standard(&self, from: Ty, to: Ty, depth: u32) -> Conversion {
        self.convert_deep(from, to, depth.max(1) + 1)
    }
}
