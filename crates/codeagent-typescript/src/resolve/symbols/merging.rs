//! Declaration merging: overloads, merged interfaces and classes, namespace blocks, ambient
//! modules, augmentations.
//!
//! A symbol is merged once per resolution; the declarations of its namespace blocks are then one
//! table, however many blocks there are.
//!
//! Limitations: an enum and a namespace with one name share members, as they do at run time.
//! Conflicts between a class and an interface are not detected.

use std::cell::OnceCell;
use std::ops::Deref;
use std::rc::Rc;

use codeagent_lang::query::names::Name;
use codeagent_lang::{DeclRef, FileId};
use codeagent_model::facts::*;
use rustc_hash::FxHashMap;

use crate::resolve::global_index::global_names::is_global;
use crate::resolve::global_index::provided_keys::{AMBIENT, AUGMENTED, GLOBAL};
use crate::resolve::symbols::scopes::{DeclList, Meaning};
use crate::resolve::symbols::{Symbols, at};

/// Number of blocks up to which they are searched one by one; for more, a table of their
/// declarations is built.
const FEW_BLOCKS: usize = 4;

/// The declarations of one symbol, in canonical order.
#[derive(Debug, Default)]
pub struct MergedSymbol {
    parts: DeclList,
    /// The declarations of its namespace and enum blocks.
    members: OnceCell<FxHashMap<Name, DeclList>>,
}

impl MergedSymbol {
    fn of(parts: DeclList) -> Rc<Self> {
        Rc::new(Self {
            parts,
            members: OnceCell::new(),
        })
    }
}

impl Deref for MergedSymbol {
    type Target = [DeclRef];

    fn deref(&self) -> &[DeclRef] {
        &self.parts
    }
}

impl Symbols<'_> {
    /// Returns all declarations of the symbol that a declaration belongs to.
    pub fn merged_symbol(&self, decl: DeclRef) -> Rc<MergedSymbol> {
        if let Some(known) = self.groups.get(&decl) {
            return known;
        }

        let facts = self.facts(decl.file);
        let own = facts.decl(decl.decl);
        let is_alone = own.name.is_none()
            || matches!(
                own.kind,
                DeclKind::Lambda | DeclKind::Narrow | DeclKind::Parameter | DeclKind::TypeParam
            );
        if is_alone || !self.spend(0) {
            return MergedSymbol::of(DeclList::from_slice(&[decl]));
        }

        let mut parts = self.merged(decl, own);
        self.spend_list(parts.len());

        if !parts.contains(&decl) {
            parts = DeclList::from_slice(&[decl]);
        }

        let group = MergedSymbol::of(parts);
        for &part in group.iter() {
            // Declarations of the same kind merge with the same others.
            if part == decl || self.decl(part).kind == own.kind {
                self.groups.insert(part, Rc::clone(&group));
            }
        }

        group
    }

    fn merged(&self, decl: DeclRef, own: &Declaration) -> DeclList {
        let facts = self.facts(decl.file);
        let name = self.name(decl.file, own.name);

        if is_global(facts, own) {
            self.record_lookup(GLOBAL, name);
            let all = self.tables.globals(self.file, name);
            let mut found: DeclList = all.filter(|other| merges(own, self.decl(*other))).collect();
            self.order_globals(&mut found);
            return found;
        }

        let scope = facts.scope(own.scope);

        let mut found = DeclList::new();
        match (scope.kind, scope.owner.some()) {
            (ScopeKind::Namespace, Some(owner)) if !own.flags.has(DeclFlags::MEMBER) => {
                let blocks = self.blocks(at(decl.file, owner));
                for other in self.block_entries(&blocks, name) {
                    if merges(own, self.decl(other)) {
                        found.push(other);
                    }
                }
                self.merge_module(at(decl.file, owner), own, name, &mut found);
                self.merge_added_to_whole(at(decl.file, owner), own, name, &mut found);
            }
            _ => {
                self.merge_scope((decl.file, own.scope), own, name, &mut found);
                let is_augmented = scope.kind == ScopeKind::File && mergeable(own.kind);
                if is_augmented && !own.flags.has(DeclFlags::MEMBER) {
                    for block in self.augmentations(decl.file, name) {
                        let inner = self.decl(block).inner;
                        self.merge_scope((block.file, inner), own, name, &mut found);
                    }
                }
            }
        }

        found.sort_by_cached_key(|other| (self.is_added(*other), *other));
        found
    }

    /// Returns the blocks in other files that add a declaration of this name to a file. The
    /// dependency key is the name, so files that add other names are not read.
    pub fn augmentations(&self, file: FileId, name: Name) -> DeclList {
        self.record_lookup(AUGMENTED, name);
        let adds = |block: &DeclRef| {
            let inner = self.scope_of_block(*block);
            !self.tables.declared(block.file, inner, name).is_empty()
        };
        self.visible(self.tables.augmentations(file))
            .into_iter()
            .filter(adds)
            .collect()
    }

    /// Returns the sibling blocks of a block: those of the same namespace, ambient module or
    /// augmented module.
    pub fn blocks(&self, block: DeclRef) -> Rc<MergedSymbol> {
        if self.decl(block).kind != DeclKind::AmbientModule {
            return self.merged_symbol(block);
        }
        let module = self.decl_name(block);
        let ambient = self.ambient(module);
        if !ambient.is_empty() && self.is_visible(block) {
            return ambient;
        }
        self.augmented_by(block).map_or_else(Rc::default, |target| {
            MergedSymbol::of(self.visible(self.tables.augmentations(target)))
        })
    }

    fn ambient_group(&self, first: DeclRef, module: Name) -> Rc<MergedSymbol> {
        self.groups.get_or_insert_with(first, || {
            MergedSymbol::of(self.tables.ambient(self.file, module).collect())
        })
    }

    /// Returns the visible blocks of an ambient module, or none if all of them only augment a
    /// module.
    pub fn ambient(&self, module: Name) -> Rc<MergedSymbol> {
        self.record_lookup(AMBIENT, module);
        match self.tables.ambient(self.file, module).next() {
            Some(first) if !self.facts(first.file).header.is_module => {
                self.ambient_group(first, module)
            }
            _ => Rc::default(),
        }
    }

    /// Returns the file that a `declare module` block augments.
    fn augmented_by(&self, block: DeclRef) -> Option<FileId> {
        let facts = self.facts(block.file);
        let specifier = facts.decl(block.decl).name;
        let target = self
            .tables
            .target(block.file, specifier)
            .filter(|_| facts.header.is_module)?;
        self.tables
            .augmentations(target)
            .contains(&block)
            .then_some(target)
    }

    fn merge_scope(
        &self,
        (file, scope): (FileId, ScopeId),
        own: &Declaration,
        name: Name,
        found: &mut DeclList,
    ) {
        let facts = self.facts(file);
        for &(_, _, id) in self.declarations(file, scope, name) {
            if merges(own, facts.decl(id)) {
                found.push(at(file, id));
            }
        }
    }

    /// Adds the declarations of the module itself, if a block augments one.
    fn merge_module(&self, block: DeclRef, own: &Declaration, name: Name, found: &mut DeclList) {
        if self.decl(block).kind == DeclKind::AmbientModule
            && let Some(target) = self.augmented_by(block)
        {
            self.record_lookup(AUGMENTED, name);
            self.merge_scope((target, ScopeId(0)), own, name, found);
            for whole in self.exported_whole(target) {
                let inner = self.decl(whole).inner;
                self.merge_scope((target, inner), own, name, found);
            }
        }
    }

    /// Adds the members that augmentations of a module declare in the namespace that it exports with
    /// `export =`.
    fn merge_added_to_whole(
        &self,
        block: DeclRef,
        own: &Declaration,
        name: Name,
        found: &mut DeclList,
    ) {
        if self.exported_whole(block.file).contains(&block) {
            for added in self.augmentations(block.file, name) {
                let inner = self.decl(added).inner;
                self.merge_scope((added.file, inner), own, name, found);
            }
        }
    }

    /// Returns the blocks of the namespace that a file exports with `export =`.
    fn exported_whole(&self, file: FileId) -> DeclList {
        let facts = self.facts(file);
        let Some(Expr::Name(sym, ..)) = self.assigned_expr(file).map(|expr| facts.expr(expr))
        else {
            return DeclList::new();
        };

        let name = self.name(file, sym);
        self.declarations(file, ScopeId(0), name)
            .iter()
            .map(|entry| at(file, entry.2))
            .filter(|decl| self.decl(*decl).kind == DeclKind::Namespace)
            .collect()
    }

    /// Reports whether a declaration is in a `declare module` block of a module and so augments
    /// another one.
    fn is_added(&self, decl: DeclRef) -> bool {
        let facts = self.facts(decl.file);
        let owner = facts.scope(facts.decl(decl.decl).scope).owner;
        facts.header.is_module
            && owner
                .some()
                .is_some_and(|owner| facts.decl(owner).kind == DeclKind::AmbientModule)
    }

    /// Returns the declarations of a name in the namespace and enum blocks of a symbol, in the
    /// order of the blocks.
    pub fn block_entries(&self, group: &MergedSymbol, name: Name) -> DeclList {
        if group.len() <= FEW_BLOCKS {
            return group
                .iter()
                .flat_map(|part| self.entries_of(*part, name))
                .collect();
        }
        let members = match group.members.get() {
            Some(members) => members,
            None => {
                let made = self.table_of(group);
                group.members.get_or_init(|| made)
            }
        };
        members.get(&name).cloned().unwrap_or_default()
    }

    fn entries_of(&self, block: DeclRef, name: Name) -> DeclList {
        let declaration = self.decl(block);
        if !is_block(declaration.kind) || declaration.inner.is_none() {
            return DeclList::new();
        }
        self.declarations(block.file, declaration.inner, name)
            .iter()
            .map(|entry| at(block.file, entry.2))
            .collect()
    }

    fn table_of(&self, group: &MergedSymbol) -> FxHashMap<Name, DeclList> {
        let mut members: FxHashMap<Name, DeclList> = FxHashMap::default();
        for &block in group.iter() {
            let declaration = self.decl(block);
            if !is_block(declaration.kind) || declaration.inner.is_none() {
                continue;
            }
            let entries = self.declared_in(block.file, declaration.inner);
            self.spend(entries.len());
            for &(name, id) in entries.iter() {
                members.entry(name).or_default().push(at(block.file, id));
            }
        }
        members
    }

    /// Returns the declarations of a name in the blocks of a symbol, by meaning.
    pub fn block_members(&self, group: &MergedSymbol, name: Name, meaning: Meaning) -> DeclList {
        let mut found = self.block_entries(group, name);
        found.retain(|entry| {
            let decl = self.decl(*entry);
            decl.kind == DeclKind::EnumMember
                || meaning.holds(decl.kind) && !decl.flags.has(DeclFlags::MEMBER)
        });
        self.drop_further_blocks(&mut found);
        found
    }
}

fn is_block(kind: DeclKind) -> bool {
    matches!(
        kind,
        DeclKind::Namespace | DeclKind::Enum | DeclKind::AmbientModule
    )
}

fn mergeable(kind: DeclKind) -> bool {
    matches!(
        kind,
        DeclKind::Interface
            | DeclKind::Class
            | DeclKind::Namespace
            | DeclKind::Enum
            | DeclKind::Function
    )
}

/// Reports whether two declarations with one name and scope are one node of the graph.
fn merges(own: &Declaration, other: &Declaration) -> bool {
    use DeclKind as K;

    let flags = DeclFlags::MEMBER.with(DeclFlags::STATIC).0;

    // Assigned members of functions and objects are in the scope of the file, whatever their owner.
    if own.flags.0 & flags != other.flags.0 & flags
        || own.flags.has(DeclFlags::MEMBER) && own.parent != other.parent
    {
        return false;
    }

    let class = |kind: K| match kind {
        K::Class | K::Interface => 1,
        K::Enum => 2,
        K::Function | K::LocalFunction => 3,
        K::Namespace => 4,
        K::Variable => 5,
        K::Method | K::Property | K::Getter | K::Setter | K::EnumMember => 6,
        K::Constructor => 7,
        K::TypeAlias => 8,
        _ => 0,
    };

    match (class(own.kind), class(other.kind)) {
        (0, _) | (_, 0) => false,
        (4, 1..=5) | (1..=3, 4) => true,
        (a, b) => a == b,
    }
}
