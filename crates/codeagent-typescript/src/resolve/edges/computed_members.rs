//! The members that `a[key]` may name.
//!
//! Limitations: a name that is compared with a literal keeps its declared type as a key.

use codeagent_model::facts::*;

use crate::resolve::arena::Type;
use crate::resolve::edges::FileResolver;
use crate::resolve::symbols::scopes::DeclList;
use crate::resolve::types::members::MemberLookup;

impl FileResolver<'_> {
    /// Returns the members that `a[key]` may name: the one declared as `[key]`, or those whose names
    /// are the literal types of the key, if all of them are declared.
    pub(super) fn lookup_computed_member(&self, access: CallId) -> Option<DeclList> {
        let (file, facts) = (self.file, self.own_facts());
        let access = &facts.calls[access.index()];
        let key = file.expr(facts.list(access.args).first()?.value);
        let receiver = self.type_of_expr(file.expr(access.callee));

        if let Some(name) = self.computed_key(key)
            && let MemberLookup::Declared(member) = self.lookup_member(receiver, name)
        {
            return Some(member.decls);
        }

        let mut found = DeclList::new();
        for &key in self.arena.members(self.type_of_expr(key)).iter() {
            let Type::Literal(LiteralKind::String, name) = self.get(key) else {
                return None;
            };
            let MemberLookup::Declared(member) = self.lookup_member(receiver, name) else {
                return None;
            };
            found.extend(member.decls);
        }
        Some(found)
    }
}
