//! Tests of imports, with an index for a small language: Rust as rust-analyzer describes it.

use std::path::PathBuf;

use codeagent_workspace::DataRoot;
use protobuf::MessageField;
use scip::types::symbol_information::Kind;
use scip::types::{
    Document, Index, Metadata, Occurrence, PositionEncoding, Relationship, SymbolInformation,
    SymbolRole, ToolInfo,
};

use super::*;
use crate::engine::{Engine, EngineOptions};
use crate::model::graph::{EdgeDirection, NodeKind};
use crate::query;
use crate::store::{self, ImportRow};

const CART: &str = "pub trait Total { fn total(&self) -> u32; }\n\
pub struct Cart { items: Vec<u32> }\n\
impl Total for Cart {\n    fn total(&self) -> u32 { sum(&self.items) }\n}\n\
fn sum(items: &[u32]) -> u32 { let f = sum; items.len() as u32 }\n";

const PREFIX: &str = "rust-analyzer cargo shop 0.1.0 cart/";

/// A repository with a C# file, and a Rust file that an index describes.
struct Repository {
    root: tempfile::TempDir,
    home: tempfile::TempDir,
}

impl Repository {
    fn new() -> Self {
        let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::create_dir(root.path().join("src")).unwrap();
        let repository = Self { root, home };
        repository.write("src/cart.rs", CART);
        repository.write("A.cs", "class A { void M() { N(); } void N() { } }");
        repository
    }

    #[allow(clippy::disallowed_methods, reason = "changes files as others would")]
    fn write(&self, path: &str, text: &str) {
        std::fs::write(self.root.path().join(path), text).unwrap();
    }

    fn engine(&self) -> Engine {
        let home = DataRoot::at(self.home.path());
        let options = EngineOptions {
            home,
            ..EngineOptions::default()
        };
        let engine = Engine::open(self.root.path(), options).unwrap();
        engine.index(&|_| {}).unwrap();
        engine
    }

    #[allow(
        clippy::disallowed_methods,
        reason = "writes an index as an indexer would"
    )]
    fn file(&self, bytes: &[u8]) -> PathBuf {
        let path = self.home.path().join("index.scip");
        std::fs::write(&path, bytes).unwrap();
        path
    }

    fn import_bytes(&self, engine: &Engine, bytes: &[u8]) -> Result<(), ImportError> {
        let path = self.file(bytes);
        let request = ImportRequest {
            path: &path,
            name: "rust",
            folder: None,
        };
        let reader = engine.reader();
        let own = query::source_paths(&reader.snapshot().unwrap()).unwrap();
        add_import(&engine.workspace(), engine.data(), &request, &own)
    }

    /// Imports an index and indexes the repository.
    fn import(&self, engine: &Engine, index: &Index) {
        self.import_bytes(engine, &index.write_to_bytes().unwrap())
            .unwrap();
        engine.index(&|_| {}).unwrap();
    }
}

/// Returns an occurrence of the nth text of its kind in a line.
fn occurrence(line: usize, word: &str, nth: usize, symbol: &str) -> Occurrence {
    let text = CART.lines().nth(line).unwrap();
    let (at, _) = text.match_indices(word).nth(nth).unwrap();
    Occurrence {
        range: vec![line as i32, at as i32, (at + word.len()) as i32],
        symbol: format!("{PREFIX}{symbol}"),
        ..Occurrence::default()
    }
}

fn definition(line: usize, word: &str, symbol: &str, last: usize) -> Occurrence {
    let end = CART.lines().nth(last).unwrap().len() as i32;
    Occurrence {
        symbol_roles: SymbolRole::Definition as i32,
        enclosing_range: vec![line as i32, 0, last as i32, end],
        ..occurrence(line, word, 0, symbol)
    }
}

fn information(symbol: &str, kind: Kind, bases: &[&str]) -> SymbolInformation {
    SymbolInformation {
        symbol: format!("{PREFIX}{symbol}"),
        kind: kind.into(),
        documentation: vec!["```rust\ncode\n```".to_owned(), "Adds prices.".to_owned()],
        relationships: bases
            .iter()
            .map(|base| Relationship {
                symbol: format!("{PREFIX}{base}"),
                is_implementation: true,
                ..Relationship::default()
            })
            .collect(),
        ..SymbolInformation::default()
    }
}

fn index() -> Index {
    let document = Document {
        language: "rust".to_owned(),
        relative_path: "src/cart.rs".to_owned(),
        position_encoding: PositionEncoding::UTF8CodeUnitOffsetFromLineStart.into(),
        occurrences: vec![
            definition(0, "Total", "Total#", 0),
            Occurrence {
                enclosing_range: vec![0, 18, 0, 41],
                ..definition(0, "total", "Total#total().", 0)
            },
            definition(1, "Cart", "Cart#", 1),
            definition(3, "total", "impl#[Cart][Total]total().", 3),
            definition(5, "sum", "sum().", 5),
            occurrence(2, "Total", 0, "Total#"),
            occurrence(2, "Cart", 0, "Cart#"),
            occurrence(3, "sum", 0, "sum()."),
            occurrence(5, "sum", 1, "sum()."),
            Occurrence {
                symbol: "rust-analyzer cargo core . slice/len().".to_owned(),
                ..occurrence(5, "len", 0, "")
            },
            Occurrence {
                symbol: "local 0".to_owned(),
                symbol_roles: SymbolRole::Definition as i32,
                ..occurrence(5, "f ", 0, "")
            },
        ],
        symbols: vec![
            information("Total#", Kind::Trait, &[]),
            information("Total#total().", Kind::TraitMethod, &[]),
            information("Cart#", Kind::Struct, &["Total#"]),
            information(
                "impl#[Cart][Total]total().",
                Kind::Method,
                &["Total#total()."],
            ),
            information("sum().", Kind::Function, &[]),
        ],
        ..Document::default()
    };
    Index {
        metadata: MessageField::some(Metadata {
            tool_info: MessageField::some(ToolInfo {
                name: "rust-analyzer".to_owned(),
                version: "1.95.0 (abc)".to_owned(),
                ..ToolInfo::default()
            }),
            ..Metadata::default()
        }),
        documents: vec![document],
        ..Index::default()
    }
}

/// Returns the edges as text: source, type, target, line, certainty.
fn edges(engine: &Engine) -> Vec<String> {
    let snapshot = engine.reader().snapshot().unwrap();
    let mut found = Vec::new();
    for (path, key) in store::file_keys(&snapshot).unwrap() {
        if !path.ends_with(".rs") {
            continue;
        }
        for node in store::nodes_of_file(&snapshot, key).unwrap() {
            let outgoing =
                store::incident_edges(&snapshot, node.id, None, EdgeDirection::Outgoing).unwrap();
            found.extend(outgoing.into_iter().map(|edge| {
                let target = store::node(&snapshot, edge.other).unwrap().unwrap();
                format!(
                    "{} {} {} {} {}",
                    node.qualified_name,
                    edge.edge_type,
                    target.qualified_name,
                    edge.line,
                    edge.confidence
                )
            }));
        }
    }
    found.sort();
    found
}

fn imports(engine: &Engine) -> Vec<ImportRow> {
    store::imports(&engine.reader().snapshot().unwrap()).unwrap()
}

fn dump(engine: &Engine) -> Vec<String> {
    store::canonical_dump(&engine.reader().snapshot().unwrap()).unwrap()
}

const EDGES: [&str; 6] = [
    "cart.Cart implements cart.Total 2 exact",
    "cart.Cart.total calls cart.sum 4 exact",
    "cart.Cart.total implements cart.Total.total 4 exact",
    "cart.sum references cart.sum 6 exact",
    "src/cart.rs references cart.Cart 3 exact",
    "src/cart.rs references cart.Total 3 exact",
];

#[test]
fn definitions_become_symbols_and_uses_become_edges() {
    let repository = Repository::new();
    let engine = repository.engine();
    repository.import(&engine, &index());

    assert_eq!(edges(&engine), EDGES);
    let snapshot = engine.reader().snapshot().unwrap();
    let total = &store::by_qualified_name(&snapshot, "cart.Cart.total").unwrap()[0];
    let parent = store::node(&snapshot, total.parent.unwrap())
        .unwrap()
        .unwrap();
    assert_eq!(
        (total.kind, parent.qualified_name.as_str()),
        (NodeKind::Method, "cart.Cart")
    );
    assert_eq!(total.project_id, "scip:rust");
    assert_eq!(total.doc.as_deref(), Some("Adds prices."));
    let expected = ImportRow {
        name: "rust".to_owned(),
        tool: "rust-analyzer 1.95.0".to_owned(),
        files: 1,
        symbols: 5,
        uses: 4,
        external_uses: 1,
        ..ImportRow::default()
    };
    assert_eq!(imports(&engine), [expected]);
}

#[test]
fn without_enclosing_ranges_the_source_is_the_nearest_declaration_above() {
    let repository = Repository::new();
    let engine = repository.engine();
    let mut index = index();
    for occurrence in &mut index.documents[0].occurrences {
        occurrence.enclosing_range.clear();
    }
    repository.import(&engine, &index);
    let edges = edges(&engine);
    assert!(
        edges.contains(&"cart.Cart.total calls cart.sum 4 inferred".to_owned()),
        "{edges:?}"
    );
}

#[test]
fn an_import_survives_edits_and_a_rebuild_and_is_removed() {
    let repository = Repository::new();
    let engine = repository.engine();
    let before = dump(&engine);
    repository.import(&engine, &index());
    let imported = dump(&engine);

    assert_eq!(engine.verify(&|_| {}).unwrap(), 0);
    repository.write("A.cs", "class A { void M() { } }");
    engine.index(&|_| {}).unwrap();
    assert_eq!(edges(&engine), EDGES);
    repository.write("A.cs", "class A { void M() { N(); } void N() { } }");
    engine.index(&|_| {}).unwrap();
    assert_eq!(dump(&engine), imported);

    engine.rebuild("a test", &|_| {}).unwrap();
    assert_eq!(dump(&engine), imported);
    engine.close().unwrap();
    let options = EngineOptions {
        home: DataRoot::at(repository.home.path()),
        ..EngineOptions::default()
    };
    let (engine, _) = Engine::rebuilt(repository.root.path(), options, &|_| {}).unwrap();
    assert_eq!(dump(&engine), imported);

    assert!(remove_import(engine.data(), "rust").unwrap());
    assert!(!remove_import(engine.data(), "rust").unwrap());
    engine.index(&|_| {}).unwrap();
    assert_eq!(dump(&engine), before);
}

#[test]
fn a_changed_file_is_left_out_until_its_text_returns() {
    let repository = Repository::new();
    let engine = repository.engine();
    repository.import(&engine, &index());

    repository.write("src/cart.rs", &format!("// first\n{CART}"));
    engine.index(&|_| {}).unwrap();
    let row = &imports(&engine)[0];
    assert_eq!((row.files, row.changed_files), (0, 1));
    assert!(edges(&engine).is_empty());

    repository.write("src/cart.rs", CART);
    engine.index(&|_| {}).unwrap();
    assert_eq!(edges(&engine), EDGES);
}

#[test]
fn an_index_of_another_text_is_left_out() {
    let repository = Repository::new();
    repository.write("src/cart.rs", &format!("// first\n{CART}"));
    let engine = repository.engine();
    repository.import(&engine, &index());
    let row = &imports(&engine)[0];
    assert_eq!((row.files, row.misplaced_files), (0, 1));
}

#[test]
fn files_that_are_indexed_are_not_imported() {
    let repository = Repository::new();
    let engine = repository.engine();
    let mut both = index();
    both.documents.push(Document {
        relative_path: "A.cs".to_owned(),
        ..Document::default()
    });
    repository.import(&engine, &both);
    let snapshot = engine.reader().snapshot().unwrap();
    let calls = store::by_qualified_name(&snapshot, "A.M").unwrap();
    assert_eq!(calls.len(), 1);
    let file = store::file_by_path(&snapshot, "A.cs").unwrap().unwrap();
    assert!(file.id.0 < store::FIRST_IMPORTED_FILE);

    let mut own = index();
    own.documents[0].relative_path = "A.cs".to_owned();
    let error = repository.import_bytes(&engine, &own.write_to_bytes().unwrap());
    assert!(matches!(error, Err(ImportError::OwnFiles(1))));
}

#[test]
fn bad_indexes_are_refused_and_the_index_stays() {
    let repository = Repository::new();
    let engine = repository.engine();
    let before = dump(&engine);
    let good = index().write_to_bytes().unwrap();
    let mut foreign = index();
    foreign.documents[0].relative_path = "other/file.rs".to_owned();
    let mut outside = index();
    outside.documents[0].relative_path = "../../etc/passwd".to_owned();

    let cut = good[..good.len() / 2].to_vec();
    let texts: [(&[u8], &str); 7] = [
        (b"", "does not name the tool"),
        (b"{\"lsif\": 1}\n", "not a complete SCIP index"),
        (&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0], "not a complete SCIP index"),
        (&cut, "not a complete SCIP index"),
        (&index_without_documents(), "no documents"),
        (&foreign.write_to_bytes().unwrap(), "other/file.rs"),
        (&outside.write_to_bytes().unwrap(), "passwd"),
    ];
    for (bytes, expected) in texts {
        let error = repository
            .import_bytes(&engine, bytes)
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{error}");
    }
    engine.index(&|_| {}).unwrap();
    assert_eq!(dump(&engine), before);
}

fn index_without_documents() -> Vec<u8> {
    let mut index = index();
    index.documents.clear();
    index.write_to_bytes().unwrap()
}

#[test]
fn damaged_indexes_do_not_panic() {
    let repository = Repository::new();
    let engine = repository.engine();
    let good = index().write_to_bytes().unwrap();
    for at in 0..good.len() {
        let mut bytes = good.clone();
        bytes[at] ^= 1 << (at % 8);
        if repository.import_bytes(&engine, &bytes).is_ok() && at % 16 == 0 {
            engine.index(&|_| {}).unwrap();
        }
    }
    repository.import(&engine, &index());
    assert_eq!(edges(&engine), EDGES);
}

const SHAPES: &str = "import { area as size } from './area';\n\
export interface Shape { width: number; scale(by: number): Shape; }\n\
export class Box implements Shape {\n    constructor(readonly width: number) {}\n\
    get double() { return size(this); }\n\
    scale(by: number): Box { return new Box(this.width * by); }\n}\n\
export const twice = (shape: Shape) => shape.scale(2);\n\
function outer() { function inner() { return twice(new Box(1)); } return inner(); }\n\
outer();\n";
const AREA: &str = "import type { Shape } from './shapes';\n\
export function area(shape: Shape) { return shape.width; }\n";
const SHOP: &str = "namespace Shop;\nclass Cart<T> { public Cart(int a) { } public int Add(int a) => Add(\"b\");\n\
    public int Add(string b) => 1; static void Main() { new Cart<int>(2).Add(1); } }\n";

#[test]
fn an_export_that_is_imported_has_the_same_calls() {
    let repository = Repository::new();
    repository.write("src/shapes.ts", SHAPES);
    repository.write("src/area.ts", AREA);
    repository.write("Shop.cs", SHOP);
    let engine = repository.engine();
    let snapshot = engine.reader().snapshot().unwrap();
    let workspace = engine.workspace();
    let before = query::export(&snapshot, &workspace).unwrap();
    let mut bytes = Vec::new();
    let scheme = query::SymbolScheme::CodeAgent;
    query::export_scip(&snapshot, &workspace, (scheme, &[]), &mut bytes).unwrap();
    drop(snapshot);
    engine.close().unwrap();

    // The same texts, of which none is indexed from its source.
    std::fs::create_dir(repository.root.path().join(".codeagent")).unwrap();
    repository.write(
        ".codeagent/config.json",
        r#"{"exclude": ["**/*.ts", "**/*.cs"]}"#,
    );
    let engine = repository.engine();
    repository.import_bytes(&engine, &bytes).unwrap();
    engine.index(&|_| {}).unwrap();
    let snapshot = engine.reader().snapshot().unwrap();
    let after = query::export(&snapshot, &engine.workspace()).unwrap();
    assert_eq!(
        without_confidence(&after.calls),
        without_confidence(&before.calls)
    );
    assert!(before.calls.lines().count() > 10, "{}", before.calls);
}

/// Returns the rows of a table without their last column.
fn without_confidence(table: &str) -> Vec<&str> {
    table
        .lines()
        .filter_map(|line| Some(line.rsplit_once('\t')?.0))
        .collect()
}
