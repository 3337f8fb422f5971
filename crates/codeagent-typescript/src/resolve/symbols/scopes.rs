//! Declarations of one scope, global declarations, and the programs in which they are visible.
//!
//! Limitations: enclosing scopes are searched in `names`.

use codeagent_lang::query::names::Name;
use codeagent_lang::{DeclRef, FileId};
use codeagent_model::facts::*;
use smallvec::SmallVec;

use crate::resolve::global_index::provided_keys::{ASSERTING, GLOBAL};
use crate::resolve::symbols::{Symbols, at};

/// Declarations of one symbol.
pub type DeclList = SmallVec<[DeclRef; 2]>;

/// The meaning under which a name is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Meaning {
    Value,
    /// A value, with narrowing applied.
    Narrowed,
    Type,
    /// A namespace: a qualifier in a type name.
    Namespace,
}

impl Meaning {
    pub fn holds(self, kind: DeclKind) -> bool {
        use DeclKind as K;

        match self {
            Self::Value | Self::Narrowed => matches!(
                kind,
                K::Variable
                    | K::Parameter
                    | K::Function
                    | K::LocalFunction
                    | K::Class
                    | K::Enum
                    | K::EnumMember
                    | K::Namespace
                    | K::Import
                    | K::Lambda
                    | K::DefaultExport
            ),
            Self::Type => matches!(
                kind,
                K::Class
                    | K::Interface
                    | K::TypeAlias
                    | K::Enum
                    | K::EnumMember
                    | K::TypeParam
                    | K::Import
                    | K::DefaultExport
            ),
            Self::Namespace => matches!(kind, K::Namespace | K::Enum | K::Class | K::Import),
        }
    }
}

/// The position from which a name is looked up.
#[derive(Clone, Copy, Debug)]
pub struct LookupPosition {
    pub file: FileId,
    pub scope: ScopeId,
    /// The byte offset; `u32::MAX` if the whole scope is visible.
    pub offset: u32,
}

impl Symbols<'_> {
    /// Returns the declarations of a name in just one scope.
    pub fn in_scope(&self, position: LookupPosition, name: Name, meaning: Meaning) -> DeclList {
        let facts = self.facts(position.file);
        let mut found = DeclList::new();
        let mut narrowed = None;
        let declared = self.declarations(position.file, position.scope, name);

        self.spend_list(declared.len());

        for &(_, _, id) in declared {
            let decl = facts.decl(id);
            if decl.flags.has(DeclFlags::MEMBER) {
                continue;
            }

            if decl.kind == DeclKind::Narrow {
                if meaning == Meaning::Narrowed
                    && decl.from <= position.offset
                    && self.narrows_name(position.file, decl)
                {
                    narrowed = Some(at(position.file, id));
                }
            } else if meaning.holds(decl.kind)
                || meaning == Meaning::Type && decl.flags.has(DeclFlags::CONSTRUCTS)
            {
                found.push(at(position.file, id));
            }
        }

        if found.len() > 1 {
            self.beside_import(&mut found, meaning);
            self.drop_further_blocks(&mut found);
        }

        narrowed.map_or(found, |decl| DeclList::from_slice(&[decl]))
    }

    /// Reports whether a narrowing is of a name; one by `f(x)` only if some function of the name `f`
    /// asserts something.
    fn narrows_name(&self, file: FileId, decl: &Declaration) -> bool {
        let facts = self.facts(file);
        let Expr::NarrowedRef(index) = facts.expr(decl.init) else {
            return false;
        };
        let Some(guard) = facts.guards.get(index as usize) else {
            return false;
        };

        if let GuardTest::Asserted(call, _, NO_GUARD) = guard.test {
            let (Expr::Name(name, ..) | Expr::Member(_, name)) =
                facts.expr(facts.calls[call.index()].callee)
            else {
                return false;
            };

            let name = self.name(file, name);
            self.record_lookup(ASSERTING, name);
            if !self.tables.is_asserting(name) {
                return false;
            }
        }

        matches!(facts.expr(guard.subject), Expr::Name(..))
    }

    /// Chooses between an import and a declaration of one name: the declaration if it has the
    /// requested meaning, else the import. A namespace beside an import declares types only.
    fn beside_import(&self, found: &mut DeclList, meaning: Meaning) {
        let is_value = matches!(meaning, Meaning::Value | Meaning::Narrowed);
        let declares = |decl: DeclRef| match self.decl(decl).kind {
            DeclKind::Import => false,
            DeclKind::Namespace => !is_value,
            _ => true,
        };
        if found.iter().any(|decl| declares(*decl)) {
            found.retain(|decl| self.decl(*decl).kind != DeclKind::Import);
        } else if found
            .iter()
            .any(|decl| self.decl(*decl).kind == DeclKind::Import)
        {
            found.retain(|decl| self.decl(*decl).kind == DeclKind::Import);
        }
    }

    /// Keeps the first block of a namespace among the declarations of one name in one symbol: it
    /// stands for all of them, and there may be thousands.
    pub fn drop_further_blocks(&self, found: &mut DeclList) {
        let mut has_block = false;
        found.retain(|decl| {
            let is_block = self.decl(*decl).kind == DeclKind::Namespace;
            !(is_block && std::mem::replace(&mut has_block, true))
        });
    }

    pub fn lookup_global(&self, name: Name, meaning: Meaning) -> DeclList {
        self.record_lookup(GLOBAL, name);
        let mut found = DeclList::new();
        for decl in self.tables.globals(self.file, name) {
            let kind = self.decl(decl).kind;
            if meaning.holds(kind) {
                found.push(decl);
            }
        }
        self.order_globals(&mut found);
        found
    }

    /// Orders the declarations of a global name as the language does: the libraries' come first, so
    /// their variable counts and not that of a package; the overloads of later files come first.
    ///
    /// A function or variable of the repository hides the libraries', because a script may run in
    /// another environment.
    pub fn order_globals(&self, decls: &mut DeclList) {
        let is_library = |decl: &DeclRef| self.tables.is_of_library(decl.file);
        if decls.iter().all(is_library) || !decls.iter().any(is_library) {
            return;
        }

        let is_own = |decl: &DeclRef| !self.is_external_file(decl.file);
        let is_variable = |decl: &DeclRef| self.decl(*decl).kind == DeclKind::Variable;
        let is_function = |decl: &DeclRef| self.decl(*decl).kind == DeclKind::Function;
        if decls.iter().any(is_own) {
            decls.retain(|decl| !is_library(decl) || !is_variable(decl) && !is_function(decl));
        } else if decls
            .iter()
            .any(|decl| is_library(decl) && is_variable(decl))
        {
            decls.retain(|decl| is_library(decl) || !is_variable(decl));
        }
        decls.sort_by_key(|decl| !is_library(decl) || is_function(decl));
    }

    /// Keeps the global declarations that are visible in the file being resolved.
    pub fn visible(&self, decls: &[DeclRef]) -> DeclList {
        decls
            .iter()
            .copied()
            .filter(|decl| self.is_visible(*decl))
            .collect()
    }

    /// Reports whether a global declaration is visible in the file being resolved.
    pub fn is_visible(&self, decl: DeclRef) -> bool {
        self.tables.counts(self.file, decl.file)
    }
}
