//! Simple names (C# standard §12.8.4): a local, a member of an enclosing type, a static import, a
//! type or a namespace.
//!
//! Scopes are searched from the inside outward; the lookup of an invoked name skips members that
//! cannot be invoked.
//!
//! Limitations: a local is in scope in its whole block, because C# forbids any other meaning there.

use codeagent_lang::DeclRef;
use codeagent_lang::query::names::Name;
use codeagent_model::facts::{DeclFlags, DeclId, DeclKind, Facts, ScopeId, ScopeKind};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::resolve::expressions::Checker;
use crate::resolve::global_index::tables::{FileTable, NamespaceId, TypeDefId, is_type_scope};
use crate::resolve::types::members::{Candidate, is_method};
use crate::resolve::types::names::TypeOrNamespace;
use crate::resolve::types::scope_lookup::LookupScope;
use crate::resolve::types::usings::Using;
use crate::resolve::types::{Ty, Type};

#[derive(Clone, Debug)]
pub enum SimpleName {
    /// A local variable, parameter or local function.
    Local(Vec<Candidate>),
    /// Members of an enclosing type, or static members imported by a using.
    Members(Vec<Candidate>),
    /// Static members imported by usings; `true` if another using imports members of an undeclared
    /// type, which may be the target.
    Imported(Vec<Candidate>, bool),
    Type(Ty),
    Namespace(NamespaceId),
    /// Not declared in the world.
    None,
}

/// The position of a bare name in a file.
#[derive(Clone, Copy, Debug)]
pub struct ScopePosition {
    pub scope: ScopeId,
    /// Its byte offset: locals declared after it are not visible.
    pub offset: u32,
}

impl SimpleName {
    /// Returns the declarations, if it is a local or members.
    #[must_use]
    pub fn candidates(&self) -> &[Candidate] {
        match self {
            Self::Local(found) | Self::Members(found) | Self::Imported(found, _) => found,
            _ => &[],
        }
    }
}

impl Checker<'_> {
    /// Looks up a bare name of the file being resolved from a scope at an offset.
    pub fn lookup_value(
        &self,
        name: Name,
        ScopePosition { scope, offset }: ScopePosition,
        invoked: bool,
    ) -> SimpleName {
        let mut current = scope;
        let mut inside = ScopeKind::Type;
        while let Some(id) = current.some() {
            let here = *self.facts.scope(id);

            // The parameters of a primary constructor come before members only in initializers,
            // whose scopes are blocks in the type's.
            let has_members =
                is_type_scope(here.kind) && self.table.types.contains_key(&here.owner);
            let locals_first = !has_members || inside == ScopeKind::Block;
            if locals_first && let Some(local) = self.lookup_local_in(id, name, offset) {
                return SimpleName::Local(vec![self.local(local)]);
            }
            inside = here.kind;

            let found = match here.kind {
                kind if is_type_scope(kind) => self.lookup_value_in_type(here.owner, name, invoked),
                ScopeKind::Namespace | ScopeKind::File => {
                    self.lookup_static_imports(id, name, invoked)
                }
                _ => SimpleName::None,
            };

            if !matches!(found, SimpleName::None) {
                return found;
            }
            current = here.parent;
        }

        if invoked {
            return SimpleName::None;
        }

        self.lookup_type_name(name, scope, 0)
    }

    /// Returns the locals, parameters and local functions with this name declared directly in a
    /// scope of the file being resolved.
    pub(super) fn locals(&self, scope: ScopeId, name: Name) -> &[DeclId] {
        self.locals
            .get(&(scope, name))
            .map_or(&[], |found| found.as_slice())
    }

    /// Returns the local, parameter or local function with a name that is declared in a scope and
    /// visible at an offset.
    fn lookup_local_in(&self, scope: ScopeId, name: Name, offset: u32) -> Option<DeclId> {
        let locals = self.locals(scope, name);
        locals
            .iter()
            .rev()
            .find(|decl| self.facts.decl(**decl).from <= offset)
            .or(locals.first())
            .copied()
    }

    /// Returns the local, parameter or local function that a bare name refers to.
    pub(super) fn lookup_local(&self, name: Name, position: ScopePosition) -> Option<DeclId> {
        let mut scope = position.scope;
        while let Some(id) = scope.some() {
            let here = self.facts.scope(id);
            if is_type_scope(here.kind) {
                return None;
            }
            if let Some(local) = self.lookup_local_in(id, name, position.offset) {
                return Some(local);
            }
            scope = here.parent;
        }
        None
    }

    /// Looks up a bare name as a type or namespace.
    pub fn lookup_type_name(&self, name: Name, scope: ScopeId, arity: u16) -> SimpleName {
        let place = LookupScope {
            file: self.file,
            scope,
            alone: None,
        };
        match self.lookup(place, name, arity, false) {
            TypeOrNamespace::Type(ty) => SimpleName::Type(ty),
            _ => match self.lookup(place, name, arity, true) {
                TypeOrNamespace::Namespace(namespace) => SimpleName::Namespace(namespace),
                _ => SimpleName::None,
            },
        }
    }

    fn local(&self, decl: DeclId) -> Candidate {
        Candidate {
            decl: DeclRef {
                file: self.file,
                decl,
            },
            within: Ty::UNKNOWN,
            depth: 0,
        }
    }

    fn lookup_value_in_type(&self, owner: DeclId, name: Name, invoked: bool) -> SimpleName {
        let Some(&tid) = owner.some().and_then(|owner| self.table.types.get(&owner)) else {
            return SimpleName::None;
        };

        let own = self.self_type(tid);
        let members = self.lookup_members(own, name);
        let passed_over = invoked && self.cannot_be_invoked(&members);
        if !members.is_empty() && !passed_over {
            return SimpleName::Members(members.to_vec());
        }

        if passed_over {
            let hidden = self.lookup_methods(own, name);
            if !hidden.is_empty() {
                return SimpleName::Members(hidden);
            }
        }

        if let Some(param) = self.lookup_primary_parameter(tid, name) {
            return SimpleName::Local(vec![Candidate {
                decl: param,
                within: own,
                depth: 0,
            }]);
        }

        if invoked {
            return SimpleName::None;
        }

        match self.lookup_nested_type(own, name, 0) {
            TypeOrNamespace::Type(ty) => SimpleName::Type(ty),
            _ => SimpleName::None,
        }
    }

    /// Returns a parameter of a type's primary constructor, whichever part declares it.
    fn lookup_primary_parameter(&self, tid: TypeDefId, name: Name) -> Option<DeclRef> {
        for constructor in &self.type_def(tid).constructors {
            let facts = self.facts(constructor.file);
            let decl = facts.decl(constructor.decl);
            if decl.kind == DeclKind::PrimaryConstructor {
                let params = facts.list(decl.params);
                let found = params
                    .iter()
                    .find(|param| self.name(constructor.file, facts.decl(**param).name) == name);
                if let Some(found) = found {
                    return Some(DeclRef {
                        file: constructor.file,
                        decl: *found,
                    });
                }
            }
        }

        None
    }

    /// Reports whether the members are values known not to be delegates.
    pub(super) fn cannot_be_invoked(&self, members: &[Candidate]) -> bool {
        members.iter().all(|member| {
            !is_method(self.decl(member.decl).kind)
                && self.is_delegate(self.type_of_candidate(member)) == Some(false)
        })
    }

    /// Looks up static members that `using static` imports into a namespace or file scope.
    fn lookup_static_imports(&self, scope: ScopeId, name: Name, invoked: bool) -> SimpleName {
        let mut found = Vec::new();
        let mut undeclared = false;
        for using in self.usings(self.file, scope).iter() {
            let Using::Static(ty) = *using else { continue };

            undeclared |= matches!(self.arena.get(ty), Type::External(..));
            for member in self.lookup_members(ty, name).iter() {
                let decl = self.decl(member.decl);
                let is_own = member.depth == 0;
                if self.is_static(member)
                    && is_own
                    && !decl.flags.has(DeclFlags::EXTENSION)
                    && !(invoked && self.cannot_be_invoked(std::slice::from_ref(member)))
                {
                    found.push(*member);
                }
            }
        }

        if found.is_empty() {
            SimpleName::None
        } else {
            SimpleName::Imported(self.prefer_accessible(found), undeclared)
        }
    }

    /// Returns the type of a value member or local; unknown for methods.
    pub fn type_of_candidate(&self, candidate: &Candidate) -> Ty {
        let decl = self.decl(candidate.decl);
        let declared = match decl.kind {
            DeclKind::EnumMember => return self.enum_of(candidate.decl),
            kind if is_method(kind) && kind != DeclKind::Indexer => return Ty::UNKNOWN,
            _ => self.type_of(candidate.decl.file, decl.ty),
        };
        if declared.is_unknown() && candidate.decl.file == self.file && !decl.init.is_none() {
            return self.type_of_initialised(candidate.decl.decl);
        }
        self.substitute(declared, candidate.within)
    }

    fn type_of_initialised(&self, decl: DeclId) -> Ty {
        let ty = self.type_of_expr(self.facts.decl(decl).init);
        match self.arena.get(ty) {
            Type::Qualifier(_) | Type::Namespace(_) | Type::Null | Type::Default => Ty::UNKNOWN,
            _ => ty,
        }
    }

    fn enum_of(&self, member: DeclRef) -> Ty {
        let facts = self.facts(member.file);
        let owner = facts.scope(facts.decl(member.decl).scope).owner;
        self.tables
            .file(member.file)
            .types
            .get(&owner)
            .map_or(Ty::UNKNOWN, |tid| self.self_type(*tid))
    }
}

/// Locals, parameters and local functions of a file by the scope they are declared in.
pub type Locals = FxHashMap<(ScopeId, Name), SmallVec<[DeclId; 1]>>;

#[must_use]
pub fn locals(facts: &Facts, table: &FileTable) -> Locals {
    let mut locals: Locals = FxHashMap::default();
    for id in facts.decl_ids() {
        let decl = facts.decl(id);
        let local = matches!(
            decl.kind,
            DeclKind::Variable | DeclKind::Parameter | DeclKind::LocalFunction
        );
        if local
            && !decl.flags.has(DeclFlags::MEMBER)
            && let Some(name) = table.names.get(decl.name.0 as usize)
        {
            locals.entry((decl.scope, *name)).or_default().push(id);
        }
    }
    locals
}
