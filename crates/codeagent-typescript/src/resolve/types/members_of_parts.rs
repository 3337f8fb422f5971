//! Members of unions and intersections: the declarations from all parts that have the member.
//!
//! The types of the member in the parts are computed when its type is asked for. Most uses only need
//! the declarations, and a type may be in a file that nothing else reads.

use codeagent_lang::query::names::Name;

use crate::resolve::arena::{Args, Ty};
use crate::resolve::checker::Checker;
use crate::resolve::types::members::{Member, MemberLookup, MemberType};

impl Checker<'_> {
    /// Looks up a member in the parts of a union or intersection.
    pub(super) fn lookup_member_of_several(
        &self,
        args: Args,
        name: Name,
        level: u32,
        is_union: bool,
    ) -> MemberLookup {
        let mut result: Option<Member> = None;
        let mut found = Vec::new();
        let (mut external, mut unknown) = (false, false);

        for &part in self.arena.list(args).iter() {
            if part == Ty::FOREIGN_GENERIC {
                unknown = true;
                continue;
            }
            let lookup = self.lookup_member_in(part, name, level + 1);
            match &lookup {
                MemberLookup::Missing => continue,
                MemberLookup::External => {
                    external = true;
                    continue;
                }
                MemberLookup::Value(_) => {}
                MemberLookup::Declared(member) => match &mut result {
                    None => result = Some(member.clone()),
                    Some(first) => {
                        for decl in &member.decls {
                            if !first.decls.contains(decl) {
                                first.decls.push(*decl);
                            }
                        }
                    }
                },
            }
            found.push((lookup, part));
        }

        match result {
            Some(member) if found.len() == 1 => MemberLookup::Declared(member),
            Some(member) => MemberLookup::Declared(Member {
                ty: MemberType::Parts {
                    found: found.into(),
                    is_union,
                },
                ..member
            }),
            None if !found.is_empty() => MemberLookup::Value(self.type_of_parts(&found, is_union)),
            None if unknown => MemberLookup::Value(Ty::UNKNOWN),
            None if external => MemberLookup::External,
            None => MemberLookup::Missing,
        }
    }

    /// Returns the union or intersection of the types of a member in several parts.
    pub(super) fn type_of_parts(&self, found: &[(MemberLookup, Ty)], is_union: bool) -> Ty {
        let types = found.iter().cloned();
        let types: Vec<Ty> = types
            .map(|(lookup, part)| self.type_of_lookup(lookup, part))
            .collect();
        if is_union {
            self.arena.union(&types)
        } else {
            self.arena.intersection(&types)
        }
    }
}
