//! What type does a guarded name have: after `x instanceof C`, `isFoo(x)`, `x.kind === "a"`, `"a" in x`.
//!
//! **Limits.** The extractor says where a guard holds and where an assignment ends it.

use super::calls::{CallSite, Signature};
use super::members::Looked;
use super::names::{Place, Space};
use super::types::{Ty, Type, primitive_of};
use super::well_known::Known;
use super::{Link, at};
use crate::model::facts::*;
use crate::resolve::world::{DeclRef, FileId};

/// Segments of a narrowed path.
const MAX_PATH: usize = 8;

impl Link<'_> {
    /// The type of the subject of a guard where the guard holds.
    pub(super) fn guarded_type(&mut self, file: FileId, guard: u32) -> Ty {
        let facts = self.facts(file);
        let Some(guard) = facts.guards.get(guard as usize).copied() else { return Ty::UNKNOWN };
        if let GuardTest::Assigned(_) | GuardTest::Declared = guard.test {
            return self.assigned_type(file, guard);
        }
        let subject = self.expr_type(file, guard.subject);
        match guard.test {
            GuardTest::InstanceOf(class) => {
                let class = self.expr_type(file, class);
                let instance = self.instance_of(class, &[]);
                self.narrow_by(subject, instance, guard.negated, |link, ty| link.is_derived(ty, instance))
            }
            GuardTest::IsType(ty) => {
                let ty = self.type_of(file, ty);
                self.narrow_to(subject, ty, guard.negated)
            }
            GuardTest::Predicate(call, index) => self.narrow_by_predicate(subject, CallSite { file, call }, index, guard.negated),
            GuardTest::TypeOf(sym) => self.narrow_by_typeof(subject, facts.text(sym), guard.negated),
            GuardTest::Discriminant(member, kind, literal) => self.narrow_by_literal(file, subject, (member, kind, literal), guard.negated),
            GuardTest::HasProperty(sym) => {
                let name = self.name(file, sym);
                self.sift_union(subject, guard.negated, |link, ty| Some(link.member(ty, name) != Looked::Missing))
            }
            GuardTest::Truthy | GuardTest::Assigned(_) | GuardTest::Declared => subject,
        }
    }

    /// The type of what is assigned to: of a declared union the members that take the value, else as declared.
    fn assigned_type(&mut self, file: FileId, guard: Guard) -> Ty {
        let declared = self.declared_type_of(file, guard.subject);
        let GuardTest::Assigned(value) = guard.test else { return declared };
        if !matches!(self.get(declared), Type::Union(_)) {
            return declared;
        }
        let value = self.expr_type(file, value);
        if value.is_opaque() || value == Ty::NOTHING {
            return declared;
        }
        let members = self.arena.members(declared);
        let mut kept = Vec::new();
        for &given in self.arena.members(value).iter() {
            let before = kept.len();
            for &member in members.iter() {
                if self.extends(given, member, &mut Vec::new()) != Some(false) {
                    kept.push(member);
                }
            }
            if kept.len() == before {
                return declared;
            }
        }
        self.arena.union(&kept)
    }

    /// The type of a name or member, whatever guards say of it.
    fn declared_type_of(&mut self, file: FileId, subject: ExprId) -> Ty {
        match self.facts(file).expr(subject) {
            Expr::Name(sym, scope, offset) => self.name_type_in(sym, Place { file, scope, offset }, Space::Value),
            Expr::Member(object, sym) => self.declared_member_type(file, object, sym),
            _ => self.expr_type(file, subject),
        }
    }

    /// Whether a name was narrowed by an assignment outside the function that reads it, which may run after another one.
    pub(super) fn is_assigned_outside(&mut self, narrow: DeclRef, place: Place) -> bool {
        let facts = self.facts(narrow.file);
        let decl = facts.decl(narrow.decl);
        let Expr::Guarded(guard) = facts.expr(decl.init) else { return false };
        if !matches!(facts.guards.get(guard as usize), Some(Guard { test: GuardTest::Assigned(_), .. })) {
            return false;
        }
        let mut scope = place.scope;
        while let Some(id) = scope.some().filter(|id| *id != decl.scope) {
            let Scope { kind, parent, .. } = *facts.scope(id);
            if kind == ScopeKind::Function {
                return true;
            }
            scope = parent;
        }
        false
    }

    fn narrow_by_predicate(&mut self, subject: Ty, site: CallSite, index: u16, negated: bool) -> Ty {
        let facts = self.facts(site.file);
        let Some(call) = facts.calls.get(site.call.0 as usize) else { return subject };
        let callee = self.expr_type(site.file, call.callee);
        if let Type::BuiltInMethod(..) = self.get(callee) {
            return self.narrow_by_is_array(site.file, call.callee, subject, negated);
        }
        let signatures = self.signatures(callee);
        let Some(signature) = self.choose(&signatures, site) else { return subject };
        let Some((param, ty)) = self.named_predicate(signature) else { return subject };
        let ty = self.bound_at(signature, site, ty);
        if param.is_none_or(|param| param != usize::from(index)) {
            return subject;
        }
        self.narrow_to(subject, ty, negated)
    }

    fn narrow_by_is_array(&mut self, file: FileId, callee: ExprId, subject: Ty, negated: bool) -> Ty {
        let facts = self.facts(file);
        match facts.expr(callee) {
            Expr::Member(_, sym) if facts.text(sym) == "isArray" => self.sift_union(subject, negated, |link, ty| match link.get(ty) {
                Type::BuiltIn(Known::Array, _) | Type::Tuple(_) => Some(true),
                Type::Param(_) | Type::Conditional(..) | Type::Indexed(..) | Type::Deferred(..) => None,
                _ => Some(false),
            }),
            _ => subject,
        }
    }

    /// Which parameter a predicate signature tests, and for what.
    fn named_predicate(&mut self, signature: Signature) -> Option<(Option<usize>, Ty)> {
        let Signature::Declared(decl, env) = signature else { return None };
        let facts = self.facts(decl.file);
        let declaration = facts.decl(decl.decl);
        let TypeExpr::Predicate(tested, ty, _) = facts.type_expr(declaration.ty) else { return None };
        let position = match facts.text(tested) {
            "this" => Some(usize::from(u16::MAX)),
            _ => facts.list(declaration.params).iter().position(|param| facts.decl(*param).name == tested),
        };
        let ty = self.type_of(decl.file, ty);
        Some((position, self.substitute(ty, env)))
    }

    /// What a predicate signature tests its argument for.
    pub(super) fn predicate_of(&mut self, signature: Signature) -> Option<Ty> {
        self.named_predicate(signature).map(|(_, ty)| ty)
    }

    /// What is left of `of` when a function used as a test says yes.
    pub(super) fn tested_type(&mut self, test: Ty, of: Ty) -> Option<Ty> {
        let signature = self.signatures(test).first().copied()?;
        let ty = self.predicate_of(signature)?;
        Some(self.narrow_to(of, ty, false))
    }

    fn narrow_to(&mut self, subject: Ty, to: Ty, negated: bool) -> Ty {
        self.narrow_by(subject, to, negated, |link, ty| link.extends(ty, to, &mut Vec::new()))
    }

    /// The members of a union that are known to be of a type; that type itself if none is.
    fn narrow_by(&mut self, subject: Ty, to: Ty, negated: bool, is_of: impl Fn(&mut Self, Ty) -> Option<bool>) -> Ty {
        if to.is_opaque() {
            return if negated { subject } else { to };
        }
        if negated {
            return self.sift_union(subject, true, is_of);
        }
        let mut kept = Vec::new();
        for &member in self.arena.members(subject).iter() {
            if !member.is_opaque() && is_of(self, member) == Some(true) {
                kept.push(member);
            }
        }
        if kept.is_empty() { to } else { self.arena.union(&kept) }
    }

    /// Keeps the members of a union that pass a test (or fail it); those that cannot be told stay. If none would be left, all stay.
    fn sift_union(&mut self, subject: Ty, negated: bool, mut test: impl FnMut(&mut Self, Ty) -> Option<bool>) -> Ty {
        let mut kept = Vec::new();
        for &member in self.arena.members(subject).iter() {
            match test(self, member) {
                Some(passes) if passes == negated => {}
                _ => kept.push(member),
            }
        }
        if kept.is_empty() { subject } else { self.arena.union(&kept) }
    }

    fn narrow_by_typeof(&mut self, subject: Ty, word: &str, negated: bool) -> Ty {
        self.sift_union(subject, negated, |link, ty| {
            let widened = link.arena.widen(ty);
            Some(match word {
                "string" => widened == Ty::STRING,
                "number" => widened == Ty::NUMBER,
                "boolean" => widened == Ty::BOOLEAN,
                "symbol" => widened == Ty::SYMBOL,
                "bigint" => widened == Ty::BIGINT,
                "function" => matches!(link.get(ty), Type::Static(_)) || !link.signatures(ty).is_empty(),
                "object" => !widened.is_primitive() && !matches!(link.get(ty), Type::Static(_)) && link.signatures(ty).is_empty(),
                _ => return None,
            })
        })
    }

    fn narrow_by_literal(&mut self, file: FileId, subject: Ty, (member, kind, literal): (Sym, LiteralKind, Sym), negated: bool) -> Ty {
        let member = self.name(file, member);
        let literal = self.name(file, literal);
        let wanted = self.arena.add(Type::Literal(kind, literal));
        self.sift_union(subject, negated, |link, ty| {
            let tag = link.member_type(ty, member);
            match link.get(tag) {
                Type::Literal(..) => Some(tag == wanted),
                Type::Union(args) => {
                    let tags = link.arena.list(args);
                    let all_literal = tags.iter().all(|tag| matches!(link.get(*tag), Type::Literal(..)));
                    match (all_literal, tags.contains(&wanted)) {
                        (true, false) => Some(false),
                        (true, true) if !negated => Some(true),
                        _ => None,
                    }
                }
                Type::Simple(simple) if simple.is_primitive() => (primitive_of(kind) != simple).then_some(false),
                _ => None,
            }
        })
    }

    /// The narrowing in force for a member path such as `a.b`, if there is one.
    pub(super) fn narrowed_path(&mut self, file: FileId, path: ExprId) -> Option<DeclRef> {
        let facts = self.facts(file);
        let (root, scope, offset) = path_root(facts, path)?;
        let name = root.map_or_else(|| self.tables.find("this"), |root| self.name(file, root));
        let mut scope = scope;
        let mut found = None;
        while let Some(id) = scope.some() {
            let (mut declared_here, mut ended) = (false, false);
            for &(_, _, decl_id) in self.declarations(file, id, name) {
                let decl = facts.decl(decl_id);
                if decl.kind != DeclKind::Narrow {
                    declared_here |= !decl.flags.has(DeclFlags::MEMBER);
                    continue;
                }
                let Expr::Guarded(guard) = facts.expr(decl.init) else { continue };
                let Some(guard) = facts.guards.get(guard as usize) else { continue };
                if decl.from > offset {
                    continue;
                }
                if same_path(facts, guard.subject, path) {
                    found = Some(at(file, decl_id));
                    ended = false;
                } else if is_assignment(guard.test) && is_prefix(facts, guard.subject, path) {
                    found = None;
                    ended = true;
                }
            }
            let Scope { kind, parent, .. } = *facts.scope(id);
            // What a function is called with later may have changed by then.
            if found.is_some() || declared_here || ended || kind == ScopeKind::Function {
                return found;
            }
            scope = parent;
        }
        None
    }
}

/// The name a member path begins with, `None` for `this`, and where it stands.
fn path_root(facts: &Facts, path: ExprId) -> Option<(Option<Sym>, ScopeId, u32)> {
    let mut expr = path;
    for _ in 0..MAX_PATH {
        match facts.expr(expr) {
            Expr::Name(sym, scope, offset) => return Some((Some(sym), scope, offset)),
            Expr::ThisAt(_, scope, offset) => return Some((None, scope, offset)),
            Expr::Member(object, _) => expr = object,
            _ => return None,
        }
    }
    None
}

fn is_assignment(test: GuardTest) -> bool {
    matches!(test, GuardTest::Assigned(_) | GuardTest::Declared)
}

/// Whether a path goes through another one.
fn is_prefix(facts: &Facts, prefix: ExprId, path: ExprId) -> bool {
    let mut path = path;
    for _ in 0..MAX_PATH {
        let Expr::Member(object, _) = facts.expr(path) else { return false };
        if same_path(facts, prefix, object) {
            return true;
        }
        path = object;
    }
    false
}

fn same_path(facts: &Facts, a: ExprId, b: ExprId) -> bool {
    let (mut a, mut b) = (a, b);
    for _ in 0..MAX_PATH {
        match (facts.expr(a), facts.expr(b)) {
            (Expr::Name(x, ..), Expr::Name(y, ..)) => return x == y,
            (Expr::This(x) | Expr::ThisAt(x, ..), Expr::This(y) | Expr::ThisAt(y, ..)) => return x == y,
            (Expr::Member(p, x), Expr::Member(q, y)) if x == y => (a, b) = (p, q),
            _ => return false,
        }
    }
    false
}
