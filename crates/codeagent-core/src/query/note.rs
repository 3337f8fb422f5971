//! Notes on answers: why a list is empty, what may be missing from it, and where related results
//! are.
//!
//! A note holds facts only; `codeagent-render` words it for tools and for commands.

use crate::model::graph::{EdgeDirection, EdgeType, Language, Node, NodeId, NodeKind};

/// A fact about an answer that its results do not show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// No symbol has this name as written, but some have it in another case.
    MatchedIgnoringCase {
        /// The name as asked.
        asked: String,
    },
    /// The name was resolved to a member of the type it begins with.
    MatchedMember {
        /// The name as asked.
        asked: String,
        /// The qualified name of the member's declaration.
        declared_as: String,
        /// The member is declared by a base of the type.
        is_inherited: bool,
    },
    /// The location asked about is in a nameless callback, so only the callback's uses are listed.
    InCallback {
        /// The call that takes it and its first string.
        label: String,
        /// First and last line.
        lines: (u32, u32),
        /// The symbol that the callback belongs to.
        symbol: SymbolLabel,
    },
    /// No symbol has this qualified name.
    NotFound(NotFound),

    /// A list of related symbols is empty.
    Empty(EmptyList),
    /// Another query has related results.
    Elsewhere(RelatedResults),

    /// A file's symbols are not in the index.
    Unindexed {
        /// Its path.
        path: String,
        /// Why.
        problem: String,
    },
    /// Some of a file's symbols may not be in the index.
    PartiallyParsed(PartiallyParsed),
    /// Files whose symbols are not in the index and may belong to the answer.
    UnindexedFiles(UnindexedFiles),
    /// Only some of the files in other languages were searched for the name.
    TextSearchCut,
    /// A file declares no symbols.
    NoDeclarations,
    /// Files shown in the answer have changed since they were indexed.
    Stale {
        /// Their paths.
        files: Vec<String>,
        /// Those of them that no longer exist.
        removed: Vec<String>,
    },

    /// The query was not valid FTS5, so its words were searched as typed.
    SearchedAsTyped {
        /// No symbol has all of the words; the results have some of them.
        is_closest: bool,
    },
    /// No symbol has all of the words; the results have some of them.
    ClosestMatches,
    /// The search is a question about a symbol that another query answers.
    Question {
        /// What answers it.
        query: FollowUp,
        /// The symbol.
        name: String,
    },
    /// No symbol matches the search.
    NothingMatches,
    /// The installed model cannot be used, so words and letters were compared.
    ModelBroken,
    /// Words and letters were compared because no model is in use.
    NoModel,
}

/// Why a list of related symbols is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EmptyList {
    /// Nothing calls a method or constructor.
    NoCallers {
        /// Its qualified name.
        name: String,
    },
    /// A type or component has no callers of its own.
    TypeNotCalled {
        /// The type.
        symbol: NamedKind,
        /// Callers are listed under its constructors.
        has_constructors: bool,
    },
    /// A property is read and written, not called.
    PropertyNotCalled(NamedKind),
    /// A symbol of this kind is never called.
    NotCallable(NamedKind),
    /// Callers of a type's constructors.
    ConstructorCallers {
        /// How many there are.
        callers: usize,
        /// The constructors.
        constructors: SymbolSample,
    },
    /// The symbol is public, so code outside the repository may call it.
    PublicApi,
    /// A symbol has uses of other kinds.
    OtherUses {
        /// How many.
        count: u64,
        /// Its qualified name.
        name: String,
    },
    /// Nothing uses a symbol by name.
    NoReferences {
        /// Its qualified name.
        name: String,
    },
    /// A symbol of this kind calls nothing itself.
    CallsNothing(NamedKind),
    /// A symbol calls nothing that is declared in the repository.
    NoCallees {
        /// Its qualified name.
        name: String,
        /// Calls in it that could not be resolved.
        unresolved: u64,
        /// It is abstract or has implementations, which may call something.
        is_implemented: bool,
    },
    /// A symbol uses nothing that is declared in the repository.
    NoDependencies {
        /// Its qualified name.
        name: String,
        /// Calls in it that could not be resolved.
        unresolved: u64,
    },
    /// Nothing implements, extends or overrides a symbol.
    NoImplementations {
        /// Its qualified name.
        name: String,
        /// It is a type, not a member.
        is_type: bool,
    },
    /// Only types and their members have implementations.
    NotImplementable(NamedKind),
    /// A symbol has no edges of a type in a direction.
    NoEdges {
        /// Its qualified name.
        name: String,
        /// The direction.
        direction: EdgeDirection,
        /// The type.
        edge_type: EdgeType,
    },
    /// Other types of edges that a symbol has in that direction, with their number.
    OtherEdges(Vec<(EdgeType, usize)>),
    /// Bases outside the repository are not listed; this line declares the type.
    ExternalBases {
        /// The trimmed source line.
        declaration: String,
    },
    /// Uses of a name that could not be resolved and may belong to the symbol.
    UnresolvedUses {
        /// How many.
        count: u64,
        /// The bare name.
        name: String,
    },
    /// No result passes the filters.
    FilteredOut,
}

/// Where results are that a list of related symbols does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RelatedResults {
    /// A type's members have results of their own.
    Members {
        /// The query that lists them.
        query: FollowUp,
        /// The qualified name of the type.
        name: String,
    },
    /// Uses through an interface or base class are listed under its member.
    UsesOfBase {
        /// The query that lists them.
        query: FollowUp,
        /// The members.
        members: SymbolSample,
    },
    /// Uses of implementations and overrides are listed under them.
    UsesOfOverrides {
        /// The query that lists them.
        query: FollowUp,
        /// The implementations and overrides.
        members: SymbolSample,
    },
    /// A type may be used through these.
    UsedThrough(SymbolSample),
    /// These implement or override a member.
    ImplementedBy(SymbolSample),
    /// These implement or extend a type.
    ExtendedBy(SymbolSample),
    /// A type implements or derives from these.
    Bases(SymbolSample),
    /// A member implements or overrides one that has other implementations.
    BaseImplementations(SymbolSample),
    /// Only direct implementations are listed; there are more below them.
    IndirectImplementations {
        /// How many are known.
        count: usize,
        /// There may be more than were counted.
        is_lower_bound: bool,
        /// The listed ones that have some.
        through: SymbolSample,
    },
    /// Implementations that only have an interface's shape are not listed.
    StructuralTyping {
        /// The qualified name of the interface.
        name: String,
    },
}

impl From<EmptyList> for Note {
    fn from(reason: EmptyList) -> Self {
        Self::Empty(reason)
    }
}

impl From<RelatedResults> for Note {
    fn from(results: RelatedResults) -> Self {
        Self::Elsewhere(results)
    }
}

/// A query about a symbol that a note refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowUp {
    /// Its callers.
    Callers,
    /// What it calls.
    Callees,
    /// What implements, extends or overrides it.
    Implementations,
    /// Its uses.
    References,
    /// What it depends on.
    Dependencies,
}

/// A symbol's qualified name and kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedKind {
    /// Its qualified name.
    pub name: String,
    /// Its kind.
    pub kind: NodeKind,
}

impl From<&Node> for NamedKind {
    fn from(node: &Node) -> Self {
        Self {
            name: node.qualified_name.clone(),
            kind: node.kind,
        }
    }
}

/// The qualified names of the first of some symbols, and how many there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SymbolSample {
    /// The names.
    pub names: Vec<String>,
    /// How many symbols there are.
    pub count: usize,
}

impl SymbolSample {
    /// Counts overloads, which share a name and thus a query, once.
    #[must_use]
    pub(super) fn by_name(mut self) -> Self {
        let before = self.names.len();
        self.names.dedup();
        self.count -= before - self.names.len();
        self
    }
}

/// A symbol, or several of one qualified name, as one of several to choose from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolLabel {
    /// The first symbol's id.
    pub id: NodeId,
    /// The qualified name.
    pub name: String,
    /// The first symbol's parameters as declared.
    pub parameters: String,
    /// Path and line of the first symbol's primary declaration.
    pub location: Option<(String, u32)>,
    /// How many more symbols have this qualified name.
    pub overloads: usize,
    /// How many members are included.
    pub members: usize,
}

impl From<&Node> for SymbolLabel {
    fn from(node: &Node) -> Self {
        Self {
            id: node.id,
            name: node.qualified_name.clone(),
            parameters: node.parameter_signature.clone().unwrap_or_default(),
            location: node
                .spans
                .first()
                .map(|span| (span.path.clone(), span.name_line)),
            overloads: 0,
            members: 0,
        }
    }
}

/// A file of which some bytes could not be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartiallyParsed {
    /// Its path.
    pub path: String,
    /// How many bytes could not be parsed.
    pub error_bytes: u32,
    /// Its size in bytes.
    pub bytes: u32,
    /// The 1-based line of the first of them.
    pub line: Option<u32>,
}

/// The first of some files that could not be indexed, and how many there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnindexedFiles {
    /// The paths.
    pub first: Vec<String>,
    /// How many files there are.
    pub count: usize,
}

/// Why a name was not found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotFound {
    /// The name as asked.
    pub asked: String,
    /// What was found instead.
    pub instead: Instead,
    /// Files that may declare the name and could not be indexed, as [`Note::Unindexed`].
    pub unindexed: Vec<Note>,
    /// All files that could not be indexed, if none of them is likely to declare the name.
    pub missing: Option<UnindexedFiles>,
}

/// What was found in place of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instead {
    /// Symbols of that name, which the filters exclude.
    Excluded {
        /// How many.
        count: usize,
        /// The language of the first.
        language: Language,
        /// The project of the first.
        project_id: String,
    },
    /// The name means this symbol, but is not its qualified name.
    Closest(SymbolLabel),
    /// The name begins with a symbol that has no such member.
    NoMember(NoMember),
    /// Qualified names that look like it, nearest first; may be empty.
    Nearest(Vec<String>),
}

/// A symbol that lacks a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoMember {
    /// The symbol.
    pub container: NamedKind,
    /// Path and line of its primary declaration.
    pub location: Option<(String, u32)>,
    /// The bare name of the member.
    pub member: String,
    /// The symbol's members whose names are most like it.
    pub nearest: Vec<String>,
    /// The symbol holds a value whose keys are not indexed.
    pub is_value: bool,
}
