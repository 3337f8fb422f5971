//! Tests that notes and errors name only tools listed by the server that sends them.

use codeagent_core::StoreError;
use codeagent_core::model::graph::{EdgeDirection, EdgeType, Language, NodeId, NodeKind};
use codeagent_core::query::{
    EmptyList, FollowUp, Instead, NamedKind, NoMember, NotFound, Note, PartiallyParsed, QueryError,
    RelatedResults, SymbolLabel, SymbolSample, UnindexedFiles,
};
use codeagent_workspace::{GitError, PathError, ReadError, RepoPath};

use crate::answers::AnswerError;
use crate::{CursorError, Face, error_text, note_text};

/// Passes values on and fails to compile if a variant is missing here, to run if it has no value.
macro_rules! every {
    ($values:expr, $($variant:pat),+ $(,)?) => {{
        let values = $values;
        for value in &values {
            match value { $($variant => {})+ }
        }
        $(assert!(values.iter().any(|value| matches!(value, $variant)), "{}", stringify!($variant));)+
        values
    }};
}

const FOLLOW_UPS: [FollowUp; 5] = [
    FollowUp::Callers,
    FollowUp::Callees,
    FollowUp::Implementations,
    FollowUp::References,
    FollowUp::Dependencies,
];

fn name() -> String {
    "Cart.Total".to_owned()
}

fn named() -> NamedKind {
    NamedKind {
        name: name(),
        kind: NodeKind::Method,
    }
}

fn sample() -> SymbolSample {
    SymbolSample {
        names: vec![name()],
        count: 2,
    }
}

fn label() -> SymbolLabel {
    SymbolLabel {
        id: NodeId(1),
        name: name(),
        parameters: "()".to_owned(),
        location: Some(("Cart.cs".to_owned(), 1)),
        overloads: 0,
        members: 0,
    }
}

fn unindexed_files() -> UnindexedFiles {
    UnindexedFiles {
        first: vec!["a.cs".to_owned()],
        count: 2,
    }
}

fn partially_parsed() -> PartiallyParsed {
    PartiallyParsed {
        path: "a.cs".to_owned(),
        error_bytes: 1,
        bytes: 2,
        line: Some(1),
    }
}

fn empty_lists() -> Vec<EmptyList> {
    let no_callees = |unresolved, is_implemented| EmptyList::NoCallees {
        name: name(),
        unresolved,
        is_implemented,
    };

    let folder_alone = |direction| EmptyList::FolderAlone {
        path: "src".to_owned(),
        direction,
    };
    let no_edges = |direction| EmptyList::NoEdges {
        name: name(),
        direction,
        edge_type: EdgeType::Calls,
    };

    every!(
        vec![
            EmptyList::NoCallers { name: name() },
            EmptyList::TypeNotCalled {
                symbol: named(),
                has_constructors: true
            },
            EmptyList::TypeNotCalled {
                symbol: named(),
                has_constructors: false
            },
            EmptyList::PropertyNotCalled(named()),
            EmptyList::NotCallable(named()),
            EmptyList::ConstructorCallers {
                callers: 1,
                constructors: sample()
            },
            EmptyList::PublicApi,
            EmptyList::OtherUses {
                count: 2,
                name: name()
            },
            EmptyList::NoReferences { name: name() },
            EmptyList::CallsNothing(named()),
            no_callees(0, true),
            no_callees(0, false),
            no_callees(2, false),
            EmptyList::NoDependencies {
                name: name(),
                unresolved: 0
            },
            EmptyList::NoDependencies {
                name: name(),
                unresolved: 1
            },
            EmptyList::NoImplementations {
                name: name(),
                is_type: true
            },
            EmptyList::NoImplementations {
                name: name(),
                is_type: false
            },
            EmptyList::NotImplementable(named()),
            no_edges(EdgeDirection::Incoming),
            no_edges(EdgeDirection::Outgoing),
            EmptyList::OtherEdges(vec![(EdgeType::Calls, 1)]),
            EmptyList::ExternalBases {
                declaration: "class A : B".to_owned()
            },
            EmptyList::UnresolvedUses {
                count: 2,
                name: name()
            },
            folder_alone(EdgeDirection::Incoming),
            folder_alone(EdgeDirection::Outgoing),
            EmptyList::FilteredOut,
        ],
        EmptyList::NoCallers { .. },
        EmptyList::TypeNotCalled { .. },
        EmptyList::PropertyNotCalled(_),
        EmptyList::NotCallable(_),
        EmptyList::ConstructorCallers { .. },
        EmptyList::PublicApi,
        EmptyList::OtherUses { .. },
        EmptyList::NoReferences { .. },
        EmptyList::CallsNothing(_),
        EmptyList::NoCallees { .. },
        EmptyList::NoDependencies { .. },
        EmptyList::NoImplementations { .. },
        EmptyList::NotImplementable(_),
        EmptyList::NoEdges { .. },
        EmptyList::OtherEdges(_),
        EmptyList::ExternalBases { .. },
        EmptyList::UnresolvedUses { .. },
        EmptyList::FolderAlone { .. },
        EmptyList::FilteredOut,
    )
}

fn related_results() -> Vec<RelatedResults> {
    let mut all: Vec<RelatedResults> = FOLLOW_UPS
        .into_iter()
        .flat_map(|query| {
            [
                RelatedResults::Members {
                    query,
                    name: name(),
                },
                RelatedResults::UsesOfBase {
                    query,
                    members: sample(),
                },
                RelatedResults::UsesOfOverrides {
                    query,
                    members: sample(),
                },
            ]
        })
        .collect();

    all.extend([
        RelatedResults::UsesOfWrapper {
            count: 2,
            wrapper: "default".to_owned(),
            line: 3,
            name: "a.ts#default".to_owned(),
        },
        RelatedResults::UsedThrough(sample()),
        RelatedResults::ImplementedBy(sample()),
        RelatedResults::ExtendedBy(sample()),
        RelatedResults::Bases(sample()),
        RelatedResults::BaseImplementations(sample()),
        RelatedResults::IndirectImplementations {
            count: 3,
            is_lower_bound: true,
            through: sample(),
        },
        RelatedResults::StructuralTyping { name: name() },
        RelatedResults::MayLackImplementations { name: name() },
    ]);
    every!(
        all,
        RelatedResults::Members { .. },
        RelatedResults::UsesOfBase { .. },
        RelatedResults::UsesOfOverrides { .. },
        RelatedResults::UsesOfWrapper { .. },
        RelatedResults::UsedThrough(_),
        RelatedResults::ImplementedBy(_),
        RelatedResults::ExtendedBy(_),
        RelatedResults::Bases(_),
        RelatedResults::BaseImplementations(_),
        RelatedResults::IndirectImplementations { .. },
        RelatedResults::StructuralTyping { .. },
        RelatedResults::MayLackImplementations { .. },
    )
}

fn not_found() -> Vec<NotFound> {
    let no_member = |nearest: Vec<String>, is_value| {
        Instead::NoMember(NoMember {
            container: named(),
            location: Some(("a.ts".to_owned(), 1)),
            member: "size".to_owned(),
            nearest,
            is_value,
        })
    };

    let insteads = every!(
        vec![
            Instead::Excluded {
                count: 1,
                language: Language::CSharp,
                project_id: ".".to_owned(),
            },
            Instead::Closest(label()),
            no_member(vec![name()], false),
            no_member(Vec::new(), true),
            no_member(Vec::new(), false),
            Instead::Nearest(Vec::new()),
            Instead::Nearest(vec![name()]),
            Instead::Nearest(vec![name(), name()]),
        ],
        Instead::Excluded { .. },
        Instead::Closest(_),
        Instead::NoMember(_),
        Instead::Nearest(_),
    );

    let found = |instead: Instead| NotFound {
        asked: name(),
        instead,
        unindexed: Vec::new(),
        missing: Some(unindexed_files()),
    };

    let unindexed = NotFound {
        unindexed: vec![Note::PartiallyParsed(partially_parsed())],
        ..found(Instead::Nearest(Vec::new()))
    };
    insteads.into_iter().map(found).chain([unindexed]).collect()
}

fn notes() -> Vec<Note> {
    let mut all: Vec<Note> = empty_lists().into_iter().map(Note::Empty).collect();
    all.extend(related_results().into_iter().map(Note::Elsewhere));
    all.extend(not_found().into_iter().map(Note::NotFound));
    all.extend(FOLLOW_UPS.map(|query| Note::Question {
        query,
        name: name(),
    }));
    all.extend([
        Note::MatchedIgnoringCase { asked: name() },
        Note::External {
            symbols: vec!["lib:Array.map".to_owned()],
            overloads: 2,
        },
        Note::AlsoExternal {
            symbols: vec!["lib:Array.map".to_owned()],
        },
        Note::NoPackages,
        Note::NoPackage {
            asked: "rx".to_owned(),
            similar: vec!["rxjs".to_owned()],
        },
        Note::AbsentPackages {
            uses: 2,
            packages: vec!["rxjs".to_owned()],
            more: 1,
        },
        Note::MatchedMember {
            asked: name(),
            declared_as: name(),
            is_inherited: true,
        },
        Note::InCallback {
            label: "get \"/\"".to_owned(),
            lines: (1, 2),
            symbol: label(),
        },
        Note::Unindexed {
            path: "a.cs".to_owned(),
            problem: "too large".to_owned(),
        },
        Note::PartiallyParsed(partially_parsed()),
        Note::UnindexedFiles(unindexed_files()),
        Note::TextSearchCut,
        Note::NoDeclarations,
        Note::Stale {
            files: vec!["a.cs".to_owned()],
            removed: vec!["b.cs".to_owned()],
        },
        Note::SearchedAsTyped { is_closest: false },
        Note::SearchedAsTyped { is_closest: true },
        Note::ClosestMatches,
        Note::NothingMatches,
        Note::ModelBroken,
        Note::NoModel,
    ]);

    every!(
        all,
        Note::MatchedIgnoringCase { .. },
        Note::External { .. },
        Note::AlsoExternal { .. },
        Note::NoPackages,
        Note::NoPackage { .. },
        Note::AbsentPackages { .. },
        Note::MatchedMember { .. },
        Note::InCallback { .. },
        Note::NotFound(_),
        Note::Empty(_),
        Note::Elsewhere(_),
        Note::Unindexed { .. },
        Note::PartiallyParsed(_),
        Note::UnindexedFiles(_),
        Note::TextSearchCut,
        Note::NoDeclarations,
        Note::Stale { .. },
        Note::SearchedAsTyped { .. },
        Note::ClosestMatches,
        Note::Question { .. },
        Note::NothingMatches,
        Note::ModelBroken,
        Note::NoModel,
    )
}

fn query_errors() -> Vec<QueryError> {
    let mut all: Vec<QueryError> = not_found()
        .into_iter()
        .map(|found| QueryError::NoSymbol(Box::new(found)))
        .collect();
    all.extend([
        QueryError::Ambiguous {
            asked: name(),
            count: 60,
            candidates: vec![label()],
        },
        QueryError::NoOverload {
            asked: "(int)".to_owned(),
            candidates: vec![label()],
        },
        QueryError::NotInFile {
            asked: name(),
            file: "a.cs".to_owned(),
            candidates: vec![label()],
        },
        QueryError::NothingAt {
            path: "a.cs".to_owned(),
            line: 1,
        },
        QueryError::NoFile("a.cs".to_owned()),
        QueryError::NoProject {
            asked: "x".to_owned(),
            projects: vec![".".to_owned()],
        },
        QueryError::NoKind("struct".to_owned()),
        QueryError::Negated("!a".to_owned()),
        QueryError::EmptySearch,
        QueryError::Pattern("unclosed group".to_owned()),
        QueryError::SearchTooLong { bytes: 2, max: 1 },
        QueryError::Store(StoreError::NotIndexed),
    ]);

    every!(
        all,
        QueryError::NoSymbol(_),
        QueryError::Ambiguous { .. },
        QueryError::NoOverload { .. },
        QueryError::NotInFile { .. },
        QueryError::NothingAt { .. },
        QueryError::NoFile(_),
        QueryError::NoProject { .. },
        QueryError::NoKind(_),
        QueryError::Negated(_),
        QueryError::EmptySearch,
        QueryError::Pattern(_),
        QueryError::SearchTooLong { .. },
        QueryError::Store(_),
    )
}

fn errors() -> Vec<AnswerError> {
    let path = || RepoPath::new("src/a.cs").expect("the path is relative");
    let mut all: Vec<AnswerError> = query_errors().into_iter().map(AnswerError::Query).collect();
    all.extend([
        AnswerError::Cursor(CursorError::Gone),
        AnswerError::Cursor(CursorError::Malformed),
        AnswerError::Cursor(CursorError::OtherRequest),
        AnswerError::Git(GitError::NoRepository),
        AnswerError::Path(PathError::Nul),
        AnswerError::Read(ReadError::NotFound(path())),
        AnswerError::NotAFile(path()),
        AnswerError::NotIndexed(path()),
    ]);

    every!(
        all,
        AnswerError::Query(_),
        AnswerError::Cursor(_),
        AnswerError::Git(_),
        AnswerError::Path(_),
        AnswerError::Read(_),
        AnswerError::NotAFile(_),
        AnswerError::NotIndexed(_),
    )
}

/// The names of tools in a text. A word of one part, such as `explore`, is one only where it is
/// called.
fn tools_in(text: &str) -> Vec<&str> {
    let is_tool = |word: &&str| {
        let faces = [Face::Tools, Face::TextTools];
        word.contains('_') && faces.iter().any(|face| face.tools().contains(word))
    };
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let called = text.split('`').skip(1).step_by(2);
    let called = called.filter_map(|call| call.split(' ').next());
    words
        .filter(is_tool)
        .chain(called.filter(|word| *word == "explore"))
        .collect()
}

#[test]
fn notes_and_errors_name_only_tools_of_their_face() {
    for face in [Face::Tools, Face::TextTools, Face::Commands] {
        let texts = notes().into_iter().map(|note| note_text(&note, face));
        let errors = errors().into_iter().map(|error| error_text(&error, face));
        for text in texts.chain(errors) {
            for tool in tools_in(&text) {
                assert!(
                    face.tools().contains(&tool),
                    "{face:?} has no {tool}: {text}"
                );
            }
        }
    }
}

#[test]
fn tools_that_answer_text_have_none_of_the_parameters_of_the_others() {
    let has_parameter =
        |error: &QueryError| matches!(error, QueryError::NoKind(_) | QueryError::NoProject { .. });

    let texts = query_errors()
        .into_iter()
        .filter(|error| !has_parameter(error))
        .map(|error| error_text(&error.into(), Face::TextTools));

    for text in texts {
        for parameter in [
            "`file`",
            "node_id",
            "naaaaaaaaaaa",
            "`language`",
            "`project_id`",
        ] {
            assert!(!text.contains(parameter), "{text}");
        }
    }
}
