//! Overrides and implementations: the base members of each member of a class.
//!
//! A member overrides the member of that name in the nearest base class (for an interface: base
//! interface), and implements that of the nearest interface its class declares. A static member
//! overrides the static member of that name: a constructor inherits the properties of the
//! constructor that its class extends.
//!
//! Limitations: private members and constructors neither override nor implement. An interface that
//! is reached only through a base class counts for that class, not for this one.

use codeagent_lang::query::names::Name;
use codeagent_lang::{DeclRef, Reference, Resolution, Target};
use codeagent_model::facts::*;
use codeagent_model::graph::{Access, Confidence, EdgeType};

use crate::resolve::arena::Ty;
use crate::resolve::edges::FileResolver;
use crate::resolve::symbols::at;
use crate::resolve::symbols::scopes::DeclList;
use crate::resolve::symbols::value_owners::constructs;
use crate::resolve::types::members::MemberLookup;

impl FileResolver<'_> {
    /// Adds the `overrides` and `implements` edges between members.
    pub fn record_implementations(&self, resolution: &mut Resolution) {
        let facts = self.own_facts();
        for id in facts.decl_ids() {
            let decl = facts.decl(id);
            if matches!(decl.kind, DeclKind::Class | DeclKind::Interface) || constructs(decl) {
                self.stack.begin_site();
                self.record_overridden_members(at(self.file, id), resolution);
            }
        }
    }

    fn record_overridden_members(&self, class: DeclRef, resolution: &mut Resolution) {
        let facts = self.facts(class.file);
        let declaration = facts.decl(class.decl);
        if declaration.bases.is_empty() || declaration.inner.is_none() {
            return;
        }
        for &(name, id) in self.declared_in(class.file, declaration.inner).iter() {
            let member = at(class.file, id);
            // Overloads are one member, located at the implementation; getter and setter are
            // separate.
            if !takes_part(facts, id)
                || self.canonical_declaration(&DeclList::from_slice(&[member])) != Some(member)
            {
                continue;
            }

            if facts.decl(id).flags.has(DeclFlags::STATIC) {
                self.record_overridden_static(class, name, member, resolution);
            } else {
                self.record_overridden(class, name, member, resolution);
            }
        }
    }

    fn record_overridden_static(
        &self,
        class: DeclRef,
        name: Name,
        member: DeclRef,
        resolution: &mut Resolution,
    ) {
        if let Some(base) = self.static_base(class) {
            self.record_base_member(base, EdgeType::Overrides, name, member, resolution);
        }
    }

    fn record_overridden(
        &self,
        class: DeclRef,
        name: Name,
        member: DeclRef,
        resolution: &mut Resolution,
    ) {
        let facts = self.facts(class.file);

        for (index, base) in facts.list(facts.decl(class.decl).bases).iter().enumerate() {
            let edge_type = if base.clause == BaseClause::Implements {
                EdgeType::Implements
            } else {
                EdgeType::Overrides
            };

            let base = self.base_type(class, index);
            self.record_base_member(base, edge_type, name, member, resolution);
        }
    }

    /// Adds an edge from a member to the declared member `name` of `base`, if there is one.
    fn record_base_member(
        &self,
        base: Ty,
        edge_type: EdgeType,
        name: Name,
        member: DeclRef,
        resolution: &mut Resolution,
    ) {
        let MemberLookup::Declared(found) = self.lookup_member(base, name) else {
            return;
        };
        let Some(target) = self.canonical_declaration(&found.decls) else {
            return;
        };

        let edge = Reference {
            source: member.decl,
            edge_type,
            confidence: Confidence::Exact,
            targets: vec![Target::Decl(target)],
            at: self.facts(member.file).decl(member.decl).at,
        };

        resolution.uses.push(edge);
    }
}

fn takes_part(facts: &Facts, id: DeclId) -> bool {
    let decl = facts.decl(id);
    decl.kind != DeclKind::Constructor
        && facts
            .detail(id)
            .is_some_and(|detail| detail.access != Some(Access::Private))
}
