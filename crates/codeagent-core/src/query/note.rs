//! Notes on answers: why a list is empty, which results may be missing, and where related results
//! are.
//!
//! A note contains facts only; `codeagent-render` words it for tools and for commands.

use crate::model::graph::{EdgeDirection, EdgeType, Language, Node, NodeId, NodeKind};

/// A fact about an answer that its results do not show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// No symbol has this name as written, but some have it in another case.
    MatchedIgnoringCase {
        /// The requested name.
        asked: String,
    },
    /// The name is of symbols outside the repository; what uses them is listed.
    External {
        /// The symbols without their parameters, each once.
        symbols: Vec<String>,
        /// Number of .NET methods among them, overloads included.
        overloads: usize,
    },
    /// A search names symbols outside the repository, which its results do not contain.
    AlsoExternal {
        /// The symbols without their parameters, each once.
        symbols: Vec<String>,
    },
    /// No project declares a package, and the index has no use of one.
    NoPackages,
    /// No project declares or uses a package of this name.
    NoPackage {
        /// The requested name.
        asked: String,
        /// Packages whose names contain it.
        similar: Vec<String>,
    },
    /// Unresolved or `inferred` uses of the answer are in files that use packages that are not
    /// installed.
    AbsentPackages {
        /// Number of lines with these uses.
        uses: usize,
        /// Names of some of the packages, the one in most of these files first.
        packages: Vec<String>,
        /// Number of packages that are not named.
        more: usize,
    },
    /// The name was resolved to a member of the type that it starts with.
    MatchedMember {
        /// The requested name.
        asked: String,
        /// The qualified name of the member's declaration.
        declared_as: String,
        /// Whether a base of the type declares the member.
        is_inherited: bool,
    },
    /// The requested location is in a nameless callback, so only the callback's uses are listed.
    InCallback {
        /// The call that takes the callback, and its first string.
        label: String,
        /// First and last line of the callback.
        lines: (u32, u32),
        /// The symbol that encloses the callback.
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
        /// Path of the file.
        path: String,
        /// Why the symbols are missing.
        problem: String,
    },
    /// Some of a file's symbols may not be in the index.
    PartiallyParsed(PartiallyParsed),
    /// Files without indexed symbols that may belong to the answer.
    UnindexedFiles(UnindexedFiles),
    /// Only some of the text that is not indexed was searched.
    TextSearchCut,
    /// A file declares no symbols.
    NoDeclarations,
    /// Files shown in the answer have changed since they were indexed.
    Stale {
        /// Paths of the files.
        files: Vec<String>,
        /// Paths of those that no longer exist.
        removed: Vec<String>,
    },

    /// The query was not valid FTS5 and was searched as plain words.
    SearchedAsTyped {
        /// Whether no symbol has all of the words, so the results have only some of them.
        is_closest: bool,
    },
    /// No symbol has all of the words, so the results have only some of them.
    ClosestMatches,
    /// The search is a question about a symbol, which another query answers.
    Question {
        /// The query that answers it.
        query: FollowUp,
        /// Name of the symbol.
        name: String,
    },
    /// No symbol matches the search.
    NothingMatches,
    /// The installed model cannot be used, so words and letters were compared instead.
    ModelBroken,
    /// Words and letters were compared because no model is in use.
    NoModel,
}

/// Why a list of related symbols is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EmptyList {
    /// Nothing calls a method or constructor.
    NoCallers {
        /// Qualified name of the symbol.
        name: String,
    },
    /// A type or component has no callers of its own.
    TypeNotCalled {
        /// The type.
        symbol: NamedKind,
        /// Whether callers are listed under its constructors.
        has_constructors: bool,
    },
    /// A property is read and written, not called.
    PropertyNotCalled(NamedKind),
    /// A symbol of this kind is never called.
    NotCallable(NamedKind),
    /// Callers of a type's constructors.
    ConstructorCallers {
        /// Number of callers.
        callers: usize,
        /// The constructors.
        constructors: SymbolSample,
    },
    /// The symbol is public, so code outside the repository may call it.
    PublicApi,
    /// A symbol has uses of other kinds.
    OtherUses {
        /// Number of uses.
        count: u64,
        /// Qualified name of the symbol.
        name: String,
    },
    /// Nothing uses a symbol by name.
    NoReferences {
        /// Qualified name of the symbol.
        name: String,
    },
    /// Symbols of this kind call nothing themselves.
    CallsNothing(NamedKind),
    /// A symbol calls nothing declared in the repository.
    NoCallees {
        /// Qualified name of the symbol.
        name: String,
        /// Number of calls in it that could not be resolved.
        unresolved: u64,
        /// Whether it is abstract or has implementations, which may call something.
        is_implemented: bool,
    },
    /// A symbol uses nothing declared in the repository.
    NoDependencies {
        /// Qualified name of the symbol.
        name: String,
        /// Number of calls in it that could not be resolved.
        unresolved: u64,
    },
    /// Nothing implements, extends or overrides a symbol.
    NoImplementations {
        /// Qualified name of the symbol.
        name: String,
        /// Whether it is a type rather than a member.
        is_type: bool,
    },
    /// Only types and their members have implementations.
    NotImplementable(NamedKind),
    /// A symbol has no edges of a type in a direction.
    NoEdges {
        /// Qualified name of the symbol.
        name: String,
        /// The direction.
        direction: EdgeDirection,
        /// The type.
        edge_type: EdgeType,
    },
    /// Other types of edges that the symbol has in this direction, with their numbers.
    OtherEdges(Vec<(EdgeType, usize)>),
    /// Bases outside the repository are not listed.
    ExternalBases {
        /// The trimmed source line that declares the type.
        declaration: String,
    },
    /// Uses of a name that could not be resolved and may belong to the symbol.
    UnresolvedUses {
        /// Number of uses.
        count: u64,
        /// Bare name of the symbol.
        name: String,
    },
    /// Nothing outside of a folder is related to what is in it.
    FolderAlone {
        /// The folder.
        path: String,
        /// The direction.
        direction: EdgeDirection,
    },
    /// The filters exclude all results.
    FilteredOut,
}

/// Where to find results that a list of related symbols lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RelatedResults {
    /// A type's members have results of their own.
    Members {
        /// The query that lists them.
        query: FollowUp,
        /// Qualified name of the type.
        name: String,
    },
    /// Uses through an interface or base class are listed under its member.
    UsesOfBase {
        /// The query that lists them.
        query: FollowUp,
        /// The members of the interface or base class.
        members: SymbolSample,
    },
    /// Uses of implementations and overrides are listed under them.
    UsesOfOverrides {
        /// The query that lists them.
        query: FollowUp,
        /// The implementations and overrides.
        members: SymbolSample,
    },
    /// Uses of a function are listed under a variable or default export that wraps it.
    UsesOfWrapper {
        /// How many.
        count: usize,
        /// The bare name of the wrapper.
        wrapper: String,
        /// Line of its declaration, in the file of the function.
        line: u32,
        /// Its qualified name.
        name: String,
    },
    /// A type may be used through these.
    UsedThrough(SymbolSample),
    /// These symbols implement or override a member.
    ImplementedBy(SymbolSample),
    /// These symbols implement or extend a type.
    ExtendedBy(SymbolSample),
    /// A type implements or derives from these symbols.
    Bases(SymbolSample),
    /// A member implements or overrides this member, which has other implementations.
    BaseImplementations(SymbolSample),
    /// Only direct implementations are listed, but there are indirect ones.
    IndirectImplementations {
        /// Number of known indirect implementations.
        count: usize,
        /// Whether there may be more.
        is_lower_bound: bool,
        /// The listed implementations that have implementations of their own.
        through: SymbolSample,
    },
    /// Types that match an interface only structurally are not listed.
    StructuralTyping {
        /// Qualified name of the interface.
        name: String,
    },
    /// An imported index may not say what implements its symbols.
    MayLackImplementations {
        /// Qualified name of the imported symbol.
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

/// A query about a symbol, which a note refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowUp {
    /// Its callers.
    Callers,
    /// The symbols that it calls.
    Callees,
    /// The symbols that implement, extend or override it.
    Implementations,
    /// Its references.
    References,
    /// Its dependencies.
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

/// The qualified names of the first symbols of a list, and the length of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SymbolSample {
    /// Qualified names.
    pub names: Vec<String>,
    /// Total number of symbols.
    pub count: usize,
}

impl SymbolSample {
    /// Merges overloads, which have the same name and thus the same query.
    #[must_use]
    pub(super) fn by_name(mut self) -> Self {
        let before = self.names.len();
        self.names.dedup();
        self.count -= before - self.names.len();
        self
    }
}

/// A symbol, or several with the same qualified name, in a list of choices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolLabel {
    /// Id of the first symbol.
    pub id: NodeId,
    /// Qualified name.
    pub name: String,
    /// Declared parameters of the first symbol.
    pub parameters: String,
    /// Path and line of the first symbol's primary declaration.
    pub location: Option<(String, u32)>,
    /// Number of other symbols with this qualified name.
    pub overloads: usize,
    /// Number of members included.
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

/// A file that could not be parsed completely.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartiallyParsed {
    /// Path of the file.
    pub path: String,
    /// Number of bytes that could not be parsed.
    pub error_bytes: u32,
    /// Size of the file, in bytes.
    pub bytes: u32,
    /// 1-based line of the first parse error.
    pub line: Option<u32>,
}

/// The first of the files that could not be indexed, and their number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnindexedFiles {
    /// Paths of the first files.
    pub first: Vec<String>,
    /// Number of files.
    pub count: usize,
}

/// Why a name was not found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotFound {
    /// The requested name.
    pub asked: String,
    /// What was found instead of the name.
    pub instead: Instead,
    /// Files that could not be indexed and may declare the name, as [`Note::Unindexed`].
    pub unindexed: Vec<Note>,
    /// All files that could not be indexed, if none of them is likely to declare the name.
    pub missing: Option<UnindexedFiles>,
}

/// A finding that replaces a missing name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instead {
    /// Filters exclude the symbols with this name.
    Excluded {
        /// Number of excluded symbols.
        count: usize,
        /// Language of the first.
        language: Language,
        /// Project of the first.
        project_id: String,
    },
    /// The name refers to this symbol, but is not its qualified name.
    Closest(SymbolLabel),
    /// The name starts with a symbol that has no such member.
    NoMember(NoMember),
    /// Similar qualified names, nearest first; may be empty.
    Nearest(Vec<String>),
}

/// A symbol without the requested member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoMember {
    /// The symbol.
    pub container: NamedKind,
    /// Path and line of its primary declaration.
    pub location: Option<(String, u32)>,
    /// Bare name of the member.
    pub member: String,
    /// Similar names of the symbol's members.
    pub nearest: Vec<String>,
    /// Whether the symbol holds a value whose keys are not indexed.
    pub is_value: bool,
}
