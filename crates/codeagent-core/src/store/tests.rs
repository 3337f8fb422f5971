//! After any sequence of batches, the database equals one written by a single batch with the final
//! rows.

use proptest::prelude::*;
use rustc_hash::FxHashMap;

use super::*;
use crate::embed::{DIMENSIONS, Vector, cosine, question_text};
use crate::model::graph::{
    Confidence, Dialect, EdgeType, Language, Node, NodeFlags, NodeId, NodeKind, NodeSpan,
    ParseStatus,
};
use crate::model::span::{Position, Span};

const NAMES: [&str; 6] = [
    "getUser",
    "UserService",
    "user_name",
    "load",
    "HTTPClientFactory",
    "Add",
];

/// A file of a small generated repository: declared names, and uses by (source, target) among all
/// nodes.
#[derive(Clone, Debug)]
struct Text {
    names: Vec<usize>,
    uses: Vec<(usize, usize, u8)>,
    doc: Option<&'static str>,
}

type Repository = Vec<Option<Text>>;

fn text() -> impl Strategy<Value = Text> {
    let names = proptest::collection::vec(0..NAMES.len(), 1..4);
    let uses = proptest::collection::vec((0..24usize, 0..24usize, 0..3u8), 0..6);
    (names, uses, proptest::option::of(Just("Makes a user."))).prop_map(|(names, uses, doc)| Text {
        names,
        uses,
        doc,
    })
}

fn path(file: usize) -> String {
    format!("src/file{file}.ts")
}

fn id(file: usize, name: usize) -> NodeId {
    NodeId::derive(&[&path(file), NAMES[name]])
}

fn node(file: usize, name: usize, doc: Option<&str>) -> Node {
    let kind = NodeKind::Function;

    let start = Position {
        offset: name as u32 * 10,
        line: name as u32 + 1,
        column: 1,
    };

    Node {
        id: id(file, name),
        parent: None,
        project_id: ".".to_owned(),
        name: NAMES[name].to_owned(),
        qualified_name: format!("{}#{}", path(file), NAMES[name]),
        node_type: kind.node_type(),
        kind,
        language: Language::TypeScript,
        access: None,
        flags: NodeFlags::default(),
        type_parameters: None,
        parameter_signature: Some("(userId: string)".to_owned()),
        parameter_count: Some(1),
        return_type: None,
        doc: doc.map(str::to_owned),
        spans: vec![NodeSpan {
            path: path(file),
            span: Span {
                start,
                end_offset: start.offset + 5,
                end_line: start.line,
            },
            name_line: start.line,
            name_column: 3,
        }],
    }
}

fn file_row(file: usize, key: FileKey) -> FileRow {
    FileRow {
        id: key,
        path: path(file),
        dialect: Dialect::Ts,
        project_id: ".".to_owned(),
        size: 1,
        stamp: codeagent_workspace::Stamp {
            changed_ns: 1,
            inode: 2,
        },
        hash: [0; 32],
        facts_key: FactsKey([0; 32]),
        defines_hash: 0,
        parse_status: ParseStatus::Full,
        problem: None,
        error_bytes: 0,
        error_lines: vec![3, 9],
        lines: 1,
        bytes: 1,
        calls: 0,
        calls_resolved: 0,
        calls_external: 0,
        budget_exceeded: 0,
        interface_hash: [0; 16],
        ids_hash: 0,
    }
}

fn edges(repository: &Repository, file: usize, key: FileKey) -> Vec<EdgeRow> {
    let all: Vec<NodeId> = nodes(repository).iter().map(|node| node.id).collect();
    let Some(text) = &repository[file] else {
        return Vec::new();
    };
    let mut edges: Vec<EdgeRow> = text
        .uses
        .iter()
        .map(|(source, target, confidence)| EdgeRow {
            source: id(file, text.names[source % text.names.len()]),
            target: all[target % all.len()],
            edge_type: EdgeType::Calls,
            confidence: Confidence::from_code(*confidence).unwrap(),
            file: key,
            line: *source as u32 + 1,
            column: 1,
            candidates: all.iter().take(usize::from(*confidence)).copied().collect(),
        })
        .collect();

    edges.sort_by_key(EdgeRow::key);
    edges.dedup_by_key(|edge| edge.key());
    edges
}

fn nodes(repository: &Repository) -> Vec<Node> {
    let mut nodes: Vec<Node> = repository
        .iter()
        .enumerate()
        .filter_map(|(file, text)| Some((file, text.as_ref()?)))
        .flat_map(|(file, text)| {
            text.names
                .iter()
                .map(move |name| node(file, *name, text.doc))
        })
        .collect();
    nodes.sort_by_key(|node| node.id);
    nodes.dedup_by_key(|node| node.id);
    nodes
}

/// Returns the delta from one repository to the next; `None` is the empty one.
fn delta(
    before: Option<&Repository>,
    now: &Repository,
    keys: &mut FxHashMap<String, FileKey>,
) -> Delta {
    let mut delta = Delta::default();
    for file in 0..now.len() {
        if now[file].is_none() {
            delta.removed.extend(keys.remove(&path(file)));
            continue;
        }

        let next = FileKey(keys.values().map(|key| key.0 + 1).max().unwrap_or(1));
        let key = *keys.entry(path(file)).or_insert(next);

        let edges = edges(now, file, key);
        let mut sources: Vec<NodeId> = edges.iter().map(|edge| edge.source).collect();
        sources.sort();
        sources.dedup();

        let sites = edges
            .iter()
            .map(|edge| UnresolvedSite {
                line: edge.line,
                column: edge.column,
                is_call: true,
            })
            .collect();
        delta.resolved.unresolved.push(UnresolvedRow {
            file: key,
            name: "lost".to_owned(),
            sites,
        });
        let dependencies = DependencyRow {
            sources,
            ..DependencyRow::default()
        };
        delta.files.push(file_row(file, key));
        delta.resolved.dependencies.push((key, dependencies));
        delta.resolved.edges.extend(edges);
    }
    delta.keys = keys.clone();
    let nodes = nodes(now);
    delta.write = match before {
        Some(_) => update(nodes),
        None => replace(nodes),
    };
    delta
}

fn replace(nodes: Vec<Node>) -> Write {
    let signs = lexical_signs(&nodes);
    let nodes = PackedNodes::of(&nodes);
    Write::Replace(FullGraph { nodes, signs })
}

fn update(nodes: Vec<Node>) -> Write {
    Write::Update(PackedNodes::of(&nodes))
}

fn dump(path: &std::path::Path) -> Vec<String> {
    canonical_dump(&Reader::open(path, 1).unwrap().snapshot().unwrap()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn updates_equal_a_fresh_index(history in proptest::collection::vec(proptest::collection::vec(proptest::option::of(text()), 4), 1..5)) {
        let history: Vec<Repository> = history.into_iter().map(|mut repository| {
            repository[0].get_or_insert(Text { names: vec![0], uses: Vec::new(), doc: None });
            repository
        }).collect();
        let folder = tempfile::tempdir().unwrap();
        let (updated, fresh) = (folder.path().join("updated.db"), folder.path().join("fresh.db"));
        let mut writer = Writer::open(&updated).unwrap();
        let mut keys = FxHashMap::default();
        let mut before = None;
        for repository in &history {
            writer.apply(delta(before, repository, &mut keys)).unwrap();
            before = Some(repository);
        }
        Writer::open(&fresh).unwrap().apply(delta(None, history.last().unwrap(), &mut FxHashMap::default())).unwrap();
        prop_assert_eq!(dump(&updated), dump(&fresh));
    }
}

fn small() -> (tempfile::TempDir, Reader) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");

    let repository: Repository = vec![
        Some(Text {
            names: vec![0, 1, 4],
            uses: vec![(0, 1, 2), (1, 3, 1)],
            doc: Some("Makes a user."),
        }),
        Some(Text {
            names: vec![1, 2, 3],
            uses: vec![(0, 0, 2)],
            doc: None,
        }),
    ];

    Writer::open(&path)
        .unwrap()
        .apply(delta(None, &repository, &mut FxHashMap::default()))
        .unwrap();

    let reader = Reader::open(&path, 2).unwrap();
    (folder, reader)
}

fn found(reader: &Reader, query: &str) -> (Vec<String>, bool) {
    let Hits { hits, quoted, .. } = search(
        &reader.snapshot().unwrap(),
        query,
        &SearchFilter::default(),
        10,
        Evidence::default(),
    )
    .unwrap();
    let mut names: Vec<String> = hits
        .into_iter()
        .map(|hit| hit.node.qualified_name)
        .collect();
    names.sort();
    (names, quoted)
}

#[test]
fn search_finds_names_by_their_parts() {
    let (_folder, reader) = small();
    let both = ["src/file0.ts#UserService", "src/file1.ts#UserService"].map(str::to_owned);
    assert_eq!(found(&reader, "UserService"), (both.to_vec(), false));
    assert_eq!(found(&reader, "user serv*").0, both);
    assert_eq!(found(&reader, "hcf").0, ["src/file0.ts#HTTPClientFactory"]);
    assert_eq!(
        found(&reader, "client").0,
        ["src/file0.ts#HTTPClientFactory"]
    );
    assert_eq!(found(&reader, "makes getUser").0, ["src/file0.ts#getUser"]);
}

#[test]
fn an_invalid_fts5_query_is_quoted() {
    let (_folder, reader) = small();
    assert_eq!(found(&reader, "file1.load").0, ["src/file1.ts#load"]);
    assert_eq!(
        found(&reader, "HTTPClientFactory<T>"),
        (vec!["src/file0.ts#HTTPClientFactory".to_owned()], true)
    );
    assert_eq!(found(&reader, "(\""), (Vec::new(), true));
    assert_eq!(found(&reader, "AND"), (Vec::new(), true));
}

#[test]
fn filters_narrow_results() {
    let (_folder, reader) = small();

    let other = SearchFilter {
        language: Some(Language::CSharp),
        ..SearchFilter::default()
    };
    assert!(
        search(
            &reader.snapshot().unwrap(),
            "UserService",
            &other,
            10,
            Evidence::default()
        )
        .unwrap()
        .hits
        .is_empty()
    );
}

#[test]
fn a_snapshot_does_not_see_later_batches() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    let mut writer = Writer::open(&path).unwrap();
    let first: Repository = vec![Some(Text {
        names: vec![0],
        uses: Vec::new(),
        doc: None,
    })];
    let mut keys = FxHashMap::default();
    writer.apply(delta(None, &first, &mut keys)).unwrap();
    let reader = Reader::open(&path, 2).unwrap();
    let snapshot = reader.snapshot().unwrap();

    let second: Repository = vec![Some(Text {
        names: vec![1],
        uses: Vec::new(),
        doc: None,
    })];

    writer
        .apply(delta(Some(&first), &second, &mut keys))
        .unwrap();

    assert_eq!(by_name(&snapshot, "getUser", 9).unwrap().len(), 1);

    drop(snapshot);

    assert_eq!(
        by_name(&reader.snapshot().unwrap(), "getUser", 9)
            .unwrap()
            .len(),
        0
    );
}

#[test]
fn a_failed_batch_keeps_the_generation() {
    let (folder, reader) = small();
    let before = dump(&folder.path().join("index.db"));

    let repository: Repository = vec![Some(Text {
        names: vec![0],
        uses: vec![(0, 0, 2)],
        doc: None,
    })];
    let mut bad = delta(None, &repository, &mut FxHashMap::default());
    let again: Vec<EdgeRow> = bad.resolved.edges.in_memory().cloned().collect();
    bad.resolved.edges.extend(again);
    assert!(
        Writer::open(&folder.path().join("index.db"))
            .unwrap()
            .apply(bad)
            .is_err()
    );

    drop(reader);
    assert_eq!(dump(&folder.path().join("index.db")), before);
}

#[test]
fn opening_before_the_first_batch_reports_no_index() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(
        Reader::open(&folder.path().join("index.db"), 1),
        Err(StoreError::NotIndexed)
    ));
}

const MODEL: &str = "a-model";

/// Returns a vector with a single component for each name, so that no two are alike.
fn vector_of(name: usize) -> Vector {
    let mut vector = [0.0; DIMENSIONS];
    vector[name] = 1.0;
    vector
}

/// Creates an index of three functions in a file, with a model's vectors.
fn with_vectors() -> (tempfile::TempDir, Writer, Reader) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    let mut writer = Writer::open(&path).unwrap();
    writer.apply(of_names(replace, &[0, 1, 2], None)).unwrap();
    let reader = Reader::open(&path, 1).unwrap();
    writer.put_vectors(MODEL, &[]).unwrap();
    let vectors: Vec<NodeVector> = pending(&reader)
        .into_iter()
        .map(|pending| given(&pending))
        .collect();
    writer.put_vectors(MODEL, &vectors).unwrap();
    (folder, writer, reader)
}

fn of_names(write: fn(Vec<Node>) -> Write, names: &[usize], doc: Option<&str>) -> Delta {
    let key = FileKey(1);
    let mut nodes: Vec<Node> = names.iter().map(|name| node(0, *name, doc)).collect();
    nodes.sort_by_key(|node| node.id);
    let mut resolved = ResolvedRows::default();
    resolved.dependencies.push((key, DependencyRow::default()));
    Delta {
        write: write(nodes),
        files: vec![file_row(0, key)],
        resolved,
        keys: [(path(0), key)].into_iter().collect(),
        ..Delta::default()
    }
}

fn given(pending: &Pending) -> NodeVector {
    let name = NAMES
        .iter()
        .position(|name| {
            pending
                .text
                .starts_with(&format!("{}\n", question_text(name)))
        })
        .unwrap();
    let vector = (!pending.is_known).then(|| Box::new(vector_of(name)));
    NodeVector {
        node: pending.node,
        text_hash: pending.text_hash,
        vector,
    }
}

fn pending(reader: &Reader) -> Vec<Pending> {
    pending_vectors(&reader.snapshot().unwrap(), None, 10).unwrap()
}

fn counts_of_vectors(reader: &Reader) -> [u64; 2] {
    [VectorSource::Lexical, VectorSource::Model].map(|source| {
        let mut count = 0;
        each_block(&reader.snapshot().unwrap(), source, |ids, _| {
            count += ids.len() as u64
        })
        .unwrap();
        count
    })
}

#[test]
fn every_symbol_has_sign_bits_before_the_model_runs() {
    let (_folder, _writer, reader) = with_vectors();
    assert_eq!(counts_of_vectors(&reader), [3, 3]);
    assert_eq!(pending(&reader).len(), 0);
    let snapshot = reader.snapshot().unwrap();
    let kept = vectors_of(&snapshot, VectorSource::Model, &[id(0, 1), id(0, 4)]).unwrap();
    assert!((cosine(&kept[0].unwrap(), &vector_of(1)) - 1.0).abs() < 1e-4);
    assert!(kept[1].is_none());
}

#[test]
fn vectors_follow_symbol_texts() {
    let (_folder, mut writer, reader) = with_vectors();
    // Documentation is part of the text.
    writer
        .apply(of_names(update, &[0, 1, 2], Some("Says more.")))
        .unwrap();
    assert_eq!(counts_of_vectors(&reader), [3, 0]);
    writer.apply(of_names(update, &[0, 1, 2], None)).unwrap();
    let kept: Vec<NodeVector> = pending(&reader).iter().map(given).collect();
    assert!(kept.iter().all(|kept| kept.vector.is_none()));
    writer.put_vectors(MODEL, &kept).unwrap();
    assert_eq!(counts_of_vectors(&reader), [3, 3]);
    // Rename one symbol.
    writer.apply(of_names(update, &[0, 1, 3], None)).unwrap();
    assert_eq!(counts_of_vectors(&reader), [3, 2]);

    let missing = pending(&reader);
    assert_eq!(
        missing
            .iter()
            .map(|pending| (pending.node, pending.is_known))
            .collect::<Vec<_>>(),
        [(id(0, 3), false)]
    );
    // Rename it back, by either write mode: its vector was kept.
    writer.apply(of_names(replace, &[0, 1, 2], None)).unwrap();
    assert_eq!(counts_of_vectors(&reader), [3, 2]);

    let missing = pending(&reader);
    assert_eq!(
        missing
            .iter()
            .map(|pending| (pending.node, pending.is_known))
            .collect::<Vec<_>>(),
        [(id(0, 2), true)]
    );

    writer.put_vectors(MODEL, &[given(&missing[0])]).unwrap();

    let kept = vectors_of(
        &reader.snapshot().unwrap(),
        VectorSource::Model,
        &[id(0, 2)],
    )
    .unwrap();
    assert!((cosine(&kept[0].unwrap(), &vector_of(2)) - 1.0).abs() < 1e-4);
}

#[test]
fn vectors_of_unused_texts_are_removed_after_a_run() {
    let (_folder, mut writer, reader) = with_vectors();
    writer.apply(of_names(update, &[0, 1], None)).unwrap();
    writer.collect_vectors(MODEL).unwrap();
    writer.apply(of_names(update, &[0, 1, 2], None)).unwrap();
    assert!(!pending(&reader)[0].is_known);
}

#[test]
fn a_vector_of_a_removed_text_is_discarded() {
    let (_folder, mut writer, reader) = with_vectors();

    writer.apply(of_names(update, &[0, 1, 3], None)).unwrap();

    let late = given(&pending(&reader)[0]);

    writer.apply(of_names(update, &[0, 1], None)).unwrap();

    writer
        .put_vectors(MODEL, std::slice::from_ref(&late))
        .unwrap();
    writer
        .put_vectors(
            MODEL,
            &[NodeVector {
                node: id(0, 1),
                ..late
            }],
        )
        .unwrap();

    let snapshot = reader.snapshot().unwrap();
    assert_eq!(model_vector_count(&snapshot).unwrap(), 2);

    let kept = vectors_of(&snapshot, VectorSource::Model, &[id(0, 1)]).unwrap();
    assert!((cosine(&kept[0].unwrap(), &vector_of(1)) - 1.0).abs() < 1e-4);
}

#[test]
fn vectors_of_two_models_are_never_mixed() {
    let (_folder, mut writer, reader) = with_vectors();
    let before = vectors_mark(&reader.snapshot().unwrap()).unwrap();
    writer.put_vectors("another-model", &[]).unwrap();
    assert_eq!(counts_of_vectors(&reader), [3, 0]);
    assert!(pending(&reader).iter().all(|pending| !pending.is_known));
    assert_ne!(vectors_mark(&reader.snapshot().unwrap()).unwrap(), before);
}
