//! Members on types of packages that are not installed, found from what the repository declares.
//!
//! The repository can pass type arguments: `SyncHook<[Order]>` types `order` in `hook.tap(order =>
//! order.ship())`, and `container.get<Store>(X).open()` opens a `Store`, whatever `SyncHook` and
//! `get` are. A class that it passes stands for an instance: `injector.get(Store).open()`. It can
//! also add members: `declare global { namespace jest { interface Matchers {..} } }`. If exactly one
//! of these types has the member, the member is the target, marked `inferred`.
//!
//! Such an interface may also be augmented in an installed module that re-exports it from another.
//!
//! Limitations: the result of a generic's own member is taken for one of its type arguments. For
//! added members, only calls are found.

use codeagent_lang::query::names::Name;
use codeagent_lang::{DeclRef, ExprRef, FileId, Reference};
use codeagent_model::facts::*;
use codeagent_model::graph::Confidence;
use nodejs_built_in_modules::is_nodejs_builtin_module;

use crate::resolve::arena::{Ty, Type};
use crate::resolve::edges::FileResolver;
use crate::resolve::edges::dispatch::origins::Origin;
use crate::resolve::expressions::calls::CallSite;
use crate::resolve::global_index::provided_keys::AUGMENTING;
use crate::resolve::symbols::modules::ResolvedName;
use crate::resolve::symbols::scopes::DeclList;
use crate::resolve::types::members::MemberLookup;

/// The most expressions and types that lead from a receiver to type arguments.
const MAX_STEPS: u32 = 8;

impl FileResolver<'_> {
    /// Returns the edge of a site whose receiver's type comes from an absent generic.
    pub fn edge_in_type_arguments(&self, site: Site) -> Option<Reference> {
        let (object, member) = self.accessed_member(site)?;
        let receiver = self.type_of_expr(self.file.expr(object));
        if !matches!(receiver, Ty::UNKNOWN | Ty::FOREIGN_GENERIC) {
            return None;
        }

        let types = self.types_by_arguments(self.file.expr(object), 0);
        let name = self.name(self.file, member);
        self.edge_to_only_member(site, types.into_iter(), name)
    }

    /// The edge to the member of the only one of some types that has it.
    fn edge_to_only_member(
        &self,
        site: Site,
        types: impl Iterator<Item = Ty>,
        name: Name,
    ) -> Option<Reference> {
        let mut found: Option<DeclList> = None;
        for ty in types {
            let MemberLookup::Declared(member) = self.lookup_member(ty, name) else {
                continue;
            };
            if found.as_ref().is_some_and(|other| *other != member.decls) {
                return None;
            }
            found = Some(member.decls);
        }

        let edge = self.edge(site, site.kind, found?)?;
        Some(Reference {
            confidence: Confidence::Inferred,
            ..edge
        })
    }

    /// The edge of a call to a member that the repository adds to a type of an absent package.
    pub fn edge_to_added_member(&self, site: Site) -> Option<Reference> {
        if site.kind != SiteKind::Call {
            return None;
        }
        let (object, member) = self.accessed_member(site)?;
        // An augmented module may only re-export the interface, from a package that is installed.
        let receiver = self.type_of_expr(self.file.expr(object));
        let augmented = match self.get(receiver) {
            Type::Simple(Ty::EXTERNAL) => None,
            Type::Instance(decl, _) if self.is_external_file(decl.file) => {
                Some(self.decl_name(decl))
            }
            _ => return None,
        };

        let name = self.name(self.file, member);
        self.record_text_lookup(AUGMENTING, "");
        let origin = self.origin(object);

        // Of several blocks that extend one interface, the first that has the member counts.
        let mut extended: Vec<Name> = Vec::new();
        let types = self.tables.augmenting().iter().filter_map(|interface| {
            let own = self.decl_name(*interface);
            let group = self.merged_symbol(*interface);
            let is_known = group.iter().any(|part| self.is_external_file(part.file));
            let is_meant = augmented.is_none_or(|named| own == named);
            let is_from = match origin {
                Origin::Package(module) => self.may_augment(*interface, module),
                Origin::Own | Origin::Unknown => true,
            };
            if is_known || !is_meant || !is_from || extended.contains(&own) {
                return None;
            }

            let ty = self.own_instance(*interface);
            let has_member = self.has_callable(ty, name);
            extended.extend(has_member.then_some(own));
            has_member.then_some(ty)
        });
        self.edge_to_only_member(site, types, name)
    }

    /// Reports whether a type declares a member that can be called.
    fn has_callable(&self, ty: Ty, name: Name) -> bool {
        let MemberLookup::Declared(member) = self.lookup_member(ty, name) else {
            return false;
        };
        let value = self.type_of_lookup(MemberLookup::Declared(member), ty);
        value.is_opaque() || self.is_open(value) || !self.signatures(value).is_empty()
    }

    /// Reports whether an interface may add to the types of a module: in `declare module` with its
    /// name or a name that contains it or is contained (`express-serve-static-core`), or globally. A
    /// global namespace has no types of Node.js, but for `NodeJS`.
    fn may_augment(&self, interface: DeclRef, module: &str) -> bool {
        let facts = self.facts(interface.file);
        let mut scope = facts.decl(interface.decl).scope;
        while let Some(owner) = facts.scope(scope).owner.some() {
            let block = facts.decl(owner);
            match block.kind {
                DeclKind::AmbientModule => {
                    let augmented = facts.text(block.name);
                    return augmented.contains(module) || module.contains(augmented);
                }
                DeclKind::Namespace if facts.text(block.name) != "NodeJS" => {
                    return !is_nodejs_builtin_module(module);
                }
                _ => scope = block.scope,
            }
        }

        true
    }

    /// The object and name of a member that is called, constructed or read.
    fn accessed_member(&self, site: Site) -> Option<(ExprId, Sym)> {
        let facts = self.own_facts();
        let Subject::Expr(mut expr) = site.subject else {
            return None;
        };
        if let Expr::Call(call) = facts.expr(expr) {
            expr = facts.calls[call.index()].callee;
        }
        loop {
            expr = match facts.expr(expr) {
                Expr::Member(object, name) => return Some((object, name)),
                Expr::Generic(inner, _) => inner,
                _ => return None,
            };
        }
    }

    /// The types that an expression of unknown type may have, by the type arguments that are written
    /// where it comes from.
    fn types_by_arguments(&self, value: ExprRef, step: u32) -> Vec<Ty> {
        if step > MAX_STEPS {
            return Vec::new();
        }

        let ExprRef { file, expr } = value;
        let facts = self.facts(file);
        match facts.expr(expr) {
            Expr::Name(..) => match self.resolve_bare_name(value) {
                ResolvedName::Decls(decls) => self.types_of_declared(&decls, step + 1),
                _ => Vec::new(),
            },
            Expr::Member(object, sym) | Expr::Destructured(object, sym) => {
                let receiver = self.type_of_expr(file.expr(object));
                let name = self.name(file, sym);
                match self.lookup_member(receiver, name) {
                    MemberLookup::Declared(member) => {
                        self.types_of_declared(&member.decls, step + 1)
                    }
                    _ if receiver.is_opaque() => {
                        let objects = self.types_by_arguments(file.expr(object), step + 1);
                        self.types_behind(objects, name, false)
                    }
                    _ => Vec::new(),
                }
            }
            Expr::Call(call) | Expr::New(call) => self.types_of_unknown_call(file, call, step),
            Expr::ContextualParam(function, index) => match facts.decl(function).context {
                Context::Argument(call, _) => {
                    let given = self.types_of_unknown_call(file, call, step);
                    if given.is_empty() {
                        self.types_by_other_arguments(file, call, index, step)
                    } else {
                        given
                    }
                }
                _ => Vec::new(),
            },
            Expr::Await(inner) => self
                .types_by_arguments(file.expr(inner), step + 1)
                .into_iter()
                .map(|ty| self.awaited(ty))
                .collect(),
            Expr::NonNull(inner) | Expr::Conditional(inner) | Expr::Or(inner, _) => {
                self.types_by_arguments(file.expr(inner), step + 1)
            }
            Expr::Cast(ty) => self.types_in_type(file, ty, step + 1),
            _ => Vec::new(),
        }
    }

    /// The type arguments of a call of something absent, or of what that is a member of; those in the
    /// written result of a function of the repository.
    fn types_of_unknown_call(&self, file: FileId, call: CallId, step: u32) -> Vec<Ty> {
        let facts = self.facts(file);
        let callee = facts.calls[call.index()].callee;
        let function = self.type_of_expr(file.expr(callee));
        if let Type::Function(decl, _) = self.get(function) {
            return self.types_in_type(decl.file, self.decl(decl).ty, step + 1);
        }
        if !function.is_opaque() {
            return Vec::new();
        }

        let given = self.call_type_args(CallSite { file, call });
        if !given.is_empty() {
            return self.parts(&given);
        }
        if let Some(class) = self.class_argument(CallSite { file, call }) {
            return vec![self.own_instance(class)];
        }
        match facts.expr(callee) {
            Expr::Member(object, sym) => {
                let objects = self.types_by_arguments(file.expr(object), step + 1);
                self.types_behind(objects, self.name(file, sym), true)
            }
            // A callback's parameter that is called.
            Expr::Name(..) => self
                .types_by_arguments(file.expr(callee), step + 1)
                .into_iter()
                .filter_map(|function| {
                    let signature = *self.signatures(function).first()?;
                    Some(self.signature_result(signature))
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    /// The type of a callback's parameter, if another argument is an absent generic with the type of
    /// a function: `test(macro, o => o.ship())` with `macro: Macro<[(o: Order) => void]>`.
    fn types_by_other_arguments(
        &self,
        file: FileId,
        call: CallId,
        index: u16,
        step: u32,
    ) -> Vec<Ty> {
        let site = CallSite { file, call };
        let callee = self.facts(file).calls[call.index()].callee;
        if !self.type_of_expr(file.expr(callee)).is_opaque() {
            return Vec::new();
        }

        let args = self.call_args(site);
        let passed = args
            .iter()
            .filter(|arg| self.type_of_expr(file.expr(arg.value)) == Ty::FOREIGN_GENERIC)
            .flat_map(|arg| self.types_by_arguments(file.expr(arg.value), step + 1));
        passed
            .filter_map(|function| {
                let signature = *self.signatures(function).first()?;
                let params = self.signature_params(signature);
                params.get(usize::from(index)).map(|param| param.ty)
            })
            .collect()
    }

    /// The type of a member of one of some types, or what it returns; the types themselves, if none
    /// has the member: then it is one of the generic.
    fn types_behind(&self, types: Vec<Ty>, name: Name, is_call: bool) -> Vec<Ty> {
        let found = types
            .iter()
            .find_map(|ty| match self.lookup_member(*ty, name) {
                MemberLookup::Declared(member) => Some((*ty, member)),
                _ => None,
            });
        let Some((receiver, member)) = found else {
            return types;
        };

        let ty = self.type_of_lookup(MemberLookup::Declared(member), receiver);
        if !is_call {
            return vec![ty];
        }
        let signatures = self.signatures(ty);
        signatures
            .first()
            .map(|signature| self.signature_result(*signature))
            .into_iter()
            .collect()
    }

    /// The type arguments in the declared type or the value of the only declaration.
    fn types_of_declared(&self, decls: &DeclList, step: u32) -> Vec<Ty> {
        let [decl] = decls[..] else {
            return Vec::new();
        };
        if self.is_external_file(decl.file) {
            return Vec::new();
        }
        let declaration = self.decl(decl);
        if !declaration.ty.is_none() {
            self.types_in_type(decl.file, declaration.ty, step)
        } else if !declaration.init.is_none() {
            self.types_by_arguments(decl.file.expr(declaration.init), step)
        } else {
            Vec::new()
        }
    }

    /// The type arguments of a written type, if it is a generic of an absent package or an alias of
    /// one.
    fn types_in_type(&self, file: FileId, ty: TypeId, step: u32) -> Vec<Ty> {
        if step > MAX_STEPS || self.type_of(file, ty) != Ty::FOREIGN_GENERIC {
            return Vec::new();
        }
        let facts = self.facts(file);
        let TypeExpr::Name(segments, scope) = facts.type_expr(ty) else {
            return Vec::new();
        };
        let segments = facts.list(segments);
        let Some(last) = segments.last() else {
            return Vec::new();
        };

        match self.resolve_type_name(file, segments, scope, segments.len() - 1) {
            ResolvedName::Decls(decls) => match decls[..] {
                [alias] if self.decl(alias).kind == DeclKind::TypeAlias => {
                    self.types_in_type(alias.file, self.decl(alias).ty, step + 1)
                }
                _ => Vec::new(),
            },
            _ => self.parts(&self.types_of(file, last.args)),
        }
    }

    /// Types, with the elements of tuples in their place.
    fn parts(&self, given: &[Ty]) -> Vec<Ty> {
        let mut parts = Vec::with_capacity(given.len());
        for &ty in given {
            match self.get(ty) {
                Type::Tuple(elements) => parts.extend(self.arena.list(elements).iter()),
                _ => parts.push(ty),
            }
        }
        parts
    }
}
