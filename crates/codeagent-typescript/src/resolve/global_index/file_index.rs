//! The index of one file: its declarations by scope and name, its imports, exports and module
//! targets.

use std::ops::Range;
use std::sync::OnceLock;

use codeagent_lang::dependencies::{DependencyKey, body_keys};
use codeagent_lang::query::names::Name;
use codeagent_lang::world::{FileId, WorldFile};
use codeagent_model::facts::*;

use super::global_names::ProvidedNames;
use super::outer_params::OuterParams;
use crate::lower::referenced_library;

/// The index of one file. Empty for files of other languages.
#[derive(Default)]
pub struct FileIndex {
    pub(super) names: Vec<Name>,
    /// Named declarations, sorted by scope, name, declaration.
    pub(super) declared: Vec<(ScopeId, Name, DeclId)>,
    /// The same in source order within each scope, independent of the numbering of names.
    pub(super) in_order: Vec<(Name, DeclId)>,
    /// The start of each scope in `declared`, and of the declarations without a scope.
    pub(super) starts: Vec<u32>,
    /// The names in all scopes except the file's own.
    pub(super) nested: NameFilter,
    /// Call, construct and index signatures and spreads by scope, sorted.
    pub(super) signatures: Vec<(ScopeId, DeclId)>,
    /// `new` expressions, sorted.
    pub(super) news: Vec<CallId>,
    /// The component of each JSX element and its attributes as a call, sorted.
    pub(super) elements: Vec<(ExprId, CallId)>,
    /// The source of the expected type of each call, sorted by call.
    pub(super) expected: Vec<(CallId, ContextKind)>,
    /// Some guard narrows a member path.
    pub narrows_members: bool,
    /// Import clauses by local declaration, sorted.
    pub(super) imports: Vec<(DeclId, ImportId)>,
    /// Named export clauses by scope and exported name, sorted.
    pub(super) exports: Vec<(ScopeId, Name, ExportId)>,
    /// `export *` clauses.
    pub stars: Vec<ExportId>,
    /// `export *` clauses in `declare module` blocks, by scope.
    pub stars_in: Vec<(ScopeId, ExportId)>,
    pub(super) star_targets: StarTargets,
    /// `export =` and `module.exports =` clauses.
    pub assigned: Vec<ExportId>,
    /// `export =` clauses in `declare module` blocks, by scope.
    pub assigned_in: Vec<(ScopeId, ExportId)>,
    /// Scopes with export clauses of any kind, sorted.
    pub(super) exporting: Vec<ScopeId>,
    /// `F.name = value` at the top level: `F`, the name, the value; sorted.
    pub(super) expandos: Vec<(Name, Name, ExprId)>,
    /// Declarations with `export default`.
    pub defaults: Vec<DeclId>,
    /// Module specifiers and the files they resolve to, sorted.
    pub(super) modules: Vec<(Sym, Option<FileId>)>,
    /// Those specifiers without a file that a tsconfig maps into the repository.
    pub unresolved_aliases: Vec<Sym>,
    /// Its global declarations and ambient modules, if it is indexed on demand.
    pub(super) provided: ProvidedNames,
    /// The dependency keys of its function bodies.
    pub(super) bodies: Vec<DependencyKey>,
    /// The outer type parameters that its types can refer to, determined on the first instantiation.
    pub(super) outer_params: OnceLock<OuterParams>,
}

impl FileIndex {
    /// Indexes a file. `add_name` returns the number of a name, `resolve` the target of a module
    /// specifier.
    pub fn new(
        file: &WorldFile,
        mut add_name: impl FnMut(&str) -> Name,
        mut resolve: impl FnMut(&str) -> Option<FileId>,
    ) -> Self {
        let facts = &*file.facts;
        let own_names: Vec<Name> = facts.names.iter().map(&mut add_name).collect();
        let name = |sym: Sym| own_names.get(sym.0 as usize).copied().unwrap_or(Name::NONE);

        let mut index = Self::of_declarations(facts, &name);
        index.add_exports(facts, &name);
        index.signatures = signatures(facts);
        index.news = new_calls(facts);
        index.elements = elements(facts);
        index.expected = expected(facts);
        index.narrows_members = facts
            .guards
            .iter()
            .any(|guard| facts.path_step(guard.subject).is_some());
        index.expandos = expandos(facts, &name);

        index.modules = specifiers(facts)
            .into_iter()
            .map(|sym| (sym, resolve(facts.text(sym))))
            .collect();
        index.bodies = body_keys(&file.path, facts);
        index.names = own_names;

        index
    }

    /// Returns the declarations and imports of a file, without the rest of its index.
    fn of_declarations(facts: &Facts, name: &impl Fn(Sym) -> Name) -> Self {
        let mut declared: Vec<_> = facts
            .decl_ids()
            .map(|id| (facts.decl(id), id))
            .filter(|(decl, _)| !decl.name.is_none())
            .map(|(decl, id)| (decl.scope, name(decl.name), id))
            .collect();
        declared.sort_by_key(|entry| entry.0);
        let in_order = declared.iter().map(|entry| (entry.1, entry.2)).collect();

        let mut at = 0;
        let mut start = |scope| {
            while declared
                .get(at)
                .is_some_and(|entry| entry.0 < ScopeId(scope))
            {
                at += 1;
            }
            at as u32
        };
        let starts: Vec<u32> = (0..=facts.scopes.len() as u32).map(&mut start).collect();
        for of_scope in declared.chunk_by_mut(|a, b| a.0 == b.0) {
            of_scope.sort_unstable();
        }
        let top = starts
            .get(1)
            .map_or(declared.len(), |start| *start as usize);
        let nested = NameFilter::of(declared[top..].iter().map(|entry| entry.1));

        let mut imports: Vec<_> = ids(&facts.imports, ImportId)
            .filter(|(import, _)| !import.decl.is_none())
            .map(|(import, id)| (import.decl, id))
            .collect();
        imports.sort_unstable();

        Self {
            declared,
            in_order,
            starts,
            nested,
            imports,
            ..Self::default()
        }
    }

    fn add_exports(&mut self, facts: &Facts, name: &impl Fn(Sym) -> Name) {
        for (export, id) in ids(&facts.exports, ExportId) {
            match export.kind {
                ExportKind::Star if export.scope == ScopeId(0) => self.stars.push(id),
                ExportKind::Star => self.stars_in.push((export.scope, id)),
                ExportKind::Assign if export.scope == ScopeId(0) => self.assigned.push(id),
                ExportKind::Assign => self.assigned_in.push((export.scope, id)),
                _ => self.exports.push((export.scope, name(export.name), id)),
            }
        }
        self.exports.sort_unstable();
        self.assigned_in.sort_unstable();
        self.stars_in.sort_unstable();

        self.exporting = facts.exports.iter().map(|export| export.scope).collect();
        self.exporting.sort_unstable();
        self.exporting.dedup();

        self.defaults = facts
            .decl_ids()
            .filter(|id| is_default(facts, *id))
            .collect();
    }

    /// Returns the range of a scope in `declared` and `in_order`.
    pub(super) fn of_scope(&self, scope: ScopeId) -> Range<usize> {
        let start = |number: usize| {
            self.starts
                .get(number)
                .map_or(self.declared.len(), |start| *start as usize)
        };
        start(scope.0 as usize)..start((scope.0 as usize).saturating_add(1))
    }

    /// Returns the names that the file itself exports. `facts` are those it was indexed from.
    pub fn exported<'f>(&'f self, facts: &'f Facts) -> impl Iterator<Item = Name> + 'f {
        let declared = self.declared[self.of_scope(ScopeId(0))]
            .iter()
            .filter(|entry| facts.decl(entry.2).flags.has(DeclFlags::EXPORT));
        let clauses = self.exports.iter().filter(|entry| entry.0 == ScopeId(0));
        declared
            .map(|entry| entry.1)
            .chain(clauses.map(|entry| entry.1))
    }

    /// Returns the name of one of its strings.
    pub fn name(&self, sym: Sym) -> Name {
        let name = self.names.get(sym.0 as usize);
        name.copied().unwrap_or(Name::NONE)
    }

    pub fn names(&self) -> impl Iterator<Item = Name> + '_ {
        self.names.iter().copied()
    }

    /// Returns the imported files.
    pub fn targets(&self) -> impl Iterator<Item = FileId> {
        self.modules.iter().filter_map(|entry| entry.1)
    }

    /// The outer type parameters of its types. `facts` are those it was indexed from.
    pub fn outer_params(&self, facts: &Facts) -> &OuterParams {
        self.outer_params.get_or_init(|| OuterParams::new(facts))
    }

    /// Replaces the numbers of all files.
    pub fn renumber_files(&mut self, number: &impl Fn(&mut FileId)) {
        let targets = self.modules.iter_mut();
        targets
            .filter_map(|entry| entry.1.as_mut())
            .for_each(number);
        self.star_targets.renumber_files(number);
    }

    /// Copies the index of `export *` clauses, which have not changed, from the previous index.
    pub fn keep_stars(&mut self, before: &Self) {
        self.star_targets.clone_from(&before.star_targets);
    }
}

/// The targets of a file's `export *` clauses, by the position of the clause.
#[derive(Clone, Default)]
pub struct StarTargets {
    /// Targets that have no `export *` or `export =` themselves, with the position; sorted.
    pub(super) plain: Vec<(FileId, usize)>,
    /// Positions of the other clauses.
    pub(super) others: Vec<usize>,
    /// The targets by position, none if unresolved or ambient.
    pub(super) all: Vec<Option<FileId>>,
}

impl StarTargets {
    /// Replaces the numbers of all files.
    pub fn renumber_files(&mut self, number: &impl Fn(&mut FileId)) {
        self.plain.iter_mut().for_each(|star| number(&mut star.0));
        self.all.iter_mut().flatten().for_each(number);
    }

    /// Creates targets all of which are to be followed.
    pub fn unknown(count: usize) -> Self {
        Self {
            plain: Vec::new(),
            others: (0..count).collect(),
            all: vec![None; count],
        }
    }
}

/// A Bloom filter over names, with one bit per hash.
#[derive(Default)]
pub(super) struct NameFilter(Vec<u64>);

impl NameFilter {
    fn of(names: impl ExactSizeIterator<Item = Name>) -> Self {
        let mut filter = Self(vec![0; (names.len() / 8).next_power_of_two()]);
        for name in names {
            let (word, bit) = filter.bit_of(name);
            filter.0[word] |= bit;
        }
        filter
    }

    pub(super) fn may_contain(&self, name: Name) -> bool {
        let (word, bit) = self.bit_of(name);
        self.0.get(word).is_some_and(|bits| bits & bit != 0)
    }

    fn bit_of(&self, name: Name) -> (usize, u64) {
        let hash = u64::from(name.0).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        (
            (hash >> 6) as usize & self.0.len().wrapping_sub(1),
            1 << (hash & 63),
        )
    }
}

/// The source of a call's expected type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ContextKind {
    /// An annotation.
    Typed(TypeId),
    /// The parameter it is passed to.
    Argument(CallId, u16),
}

fn new_calls(facts: &Facts) -> Vec<CallId> {
    let mut calls: Vec<CallId> = facts
        .exprs
        .iter()
        .filter_map(|expr| match expr {
            Expr::New(call) => Some(*call),
            _ => None,
        })
        .collect();
    calls.sort_unstable();
    calls
}

fn ids<T, I>(values: &[T], id: impl Fn(u32) -> I) -> impl Iterator<Item = (&T, I)> {
    values
        .iter()
        .enumerate()
        .map(move |(index, value)| (value, id(index as u32)))
}

fn called(facts: &Facts, expr: ExprId) -> Option<CallId> {
    match facts.expr(expr) {
        Expr::Call(call) => Some(call),
        _ => None,
    }
}

fn elements(facts: &Facts) -> Vec<(ExprId, CallId)> {
    let components = facts.exprs.iter().filter_map(|expr| match *expr {
        Expr::Jsx(component) => component.some(),
        _ => None,
    });
    let mut components: Vec<ExprId> = components.collect();
    components.sort_unstable();

    let calls = ids(&facts.calls, CallId);
    let calls = calls.filter(|(call, _)| components.binary_search(&call.callee).is_ok());
    let mut elements: Vec<_> = calls.map(|(call, id)| (call.callee, id)).collect();
    elements.sort_unstable();
    elements
}

fn expected(facts: &Facts) -> Vec<(CallId, ContextKind)> {
    let mut all = Vec::new();
    for decl in facts.decls.iter().filter(|decl| !decl.ty.is_none()) {
        if matches!(decl.kind, DeclKind::Variable | DeclKind::Property) {
            all.extend(called(facts, decl.init).map(|call| (call, ContextKind::Typed(decl.ty))));
        } else if !decl.flags.has(DeclFlags::ASYNC) && !decl.flags.has(DeclFlags::GENERATOR) {
            let returned = facts
                .list(decl.returns)
                .iter()
                .filter_map(|value| called(facts, *value));
            all.extend(returned.map(|call| (call, ContextKind::Typed(decl.ty))));
        }
    }

    let is_attribute = |arg: &Arg| !arg.name.is_none();
    for (call, id) in ids(&facts.calls, CallId) {
        let args = facts.list(call.args);
        if args.first().is_some_and(is_attribute) {
            continue;
        }
        for (index, arg) in args.iter().enumerate().take(usize::from(u16::MAX)) {
            all.extend(
                called(facts, arg.value)
                    .map(|inner| (inner, ContextKind::Argument(id, index as u16))),
            );
        }
    }

    all.sort_unstable();
    all.dedup_by_key(|entry| entry.0);

    all
}

fn expandos(facts: &Facts, name: &impl Fn(Sym) -> Name) -> Vec<(Name, Name, ExprId)> {
    let mut all = Vec::new();
    for expr in &facts.exprs {
        let Expr::Assign(target, value) = *expr else {
            continue;
        };
        let Expr::Member(object, member) = facts.expr(target) else {
            continue;
        };
        let Expr::Name(holder, scope, _) = facts.expr(object) else {
            continue;
        };
        if matches!(
            facts.scope(scope).kind,
            ScopeKind::File | ScopeKind::Namespace
        ) {
            all.push((name(holder), name(member), value));
        }
    }

    all.sort_by_key(|entry| (entry.0, entry.1));

    all
}

fn signatures(facts: &Facts) -> Vec<(ScopeId, DeclId)> {
    let is_nameless = |decl: &Declaration| match decl.kind {
        DeclKind::CallSignature | DeclKind::ConstructSignature | DeclKind::IndexSignature => true,
        DeclKind::Property => decl.name.is_none(),
        _ => false,
    };
    let mut all: Vec<_> = facts
        .decl_ids()
        .filter(|id| is_nameless(facts.decl(*id)))
        .map(|id| (facts.decl(id).scope, id))
        .collect();
    all.sort_unstable();
    all
}

fn is_default(facts: &Facts, id: DeclId) -> bool {
    let decl = facts.decl(id);
    decl.scope == ScopeId(0) && decl.flags.has(DeclFlags::DEFAULT)
}

/// Returns the libraries that a file references: `/// <reference lib="dom" />`.
pub fn referenced_libraries(facts: &Facts) -> Vec<&str> {
    let modules = facts.imports.iter().map(|import| facts.text(import.module));
    modules.filter_map(referenced_library).collect()
}

/// Returns all module specifiers of a file, sorted.
pub fn specifiers(facts: &Facts) -> Vec<Sym> {
    let mut all: Vec<Sym> = facts
        .imports
        .iter()
        .map(|import| import.module)
        .chain(facts.exports.iter().map(|export| export.module))
        .collect();

    all.extend(facts.exprs.iter().filter_map(|expr| match expr {
        Expr::DynamicImport(sym) | Expr::Require(sym) => Some(*sym),
        _ => None,
    }));

    all.extend(facts.types.iter().filter_map(|ty| {
        if let TypeExpr::Import(sym, _) = ty {
            Some(*sym)
        } else {
            None
        }
    }));

    all.extend(
        facts
            .decls
            .iter()
            .filter(|decl| decl.kind == DeclKind::AmbientModule)
            .map(|decl| decl.name),
    );

    all.retain(|sym| !sym.is_none());
    all.sort_unstable();
    all.dedup();

    all
}
