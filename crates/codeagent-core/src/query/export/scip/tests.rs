//! Tests of the export as SCIP.

use codeagent_workspace::DataRoot;
use scip::symbol::{format_symbol, parse_symbol};
use scip::types::{Index, SymbolRole};

use super::*;
use crate::engine::{Engine, EngineOptions};

const SHAPES: &str = "export interface Shape { 'side-a': number; scale(by: number): Shape; on: () => void }\n\
export class Box implements Shape {\n    constructor(readonly width: number) {}\n\
    get double() { return 2; }\n    'side-a' = 1;\n    on = () => {};\n\
    scale(by: number): Box { return new Box(by); }\n}\n\
export const twice = (shape: Shape) => shape.scale(2);\n\
export type Point = { x: number; at(): Point };\n\
export function outer() { function inner() {} return [1].map(inner); }\n\
export const actions = { run() {}, stop: () => {} };\n\
export function draw(at: Point, options: Partial<{ deep: boolean }>) { return { key: () => {} }; }\n\
declare module 'shapes' { interface Extra {} }\n";
const SHOP: &str = "namespace Shop.Domain;\npublic class Cart<T> : System.IDisposable {\n\
    public Cart(int a) { }\n    public int Add(int a) => Add(\"b\");\n\
    public int Add(string b) => 1;\n    public void Dispose() => System.Console.WriteLine(1); }\n";

#[allow(clippy::disallowed_methods, reason = "writes files as others would")]
fn export(scheme: SymbolScheme) -> Index {
    let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for (path, text) in [
        ("src/shapes.ts", SHAPES),
        ("Shop.cs", SHOP),
        ("package.json", "{}"),
    ] {
        let path = root.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let options = EngineOptions {
        home: DataRoot::at(home.path()),
        ..EngineOptions::default()
    };
    let engine = Engine::open(root.path(), options).unwrap();
    engine.index(&|_| {}).unwrap();
    let packages = [OwnPackage {
        manifest: "package.json".to_owned(),
        name: "shapes".to_owned(),
        published: "shapes".to_owned(),
        version: "1.2.3".to_owned(),
    }];
    let mut bytes = Vec::new();
    let snapshot = engine.reader().snapshot().unwrap();
    export_scip(
        &snapshot,
        &engine.workspace(),
        (scheme, &packages),
        &mut bytes,
    )
    .unwrap();
    Index::parse_from_bytes(&bytes).unwrap()
}

/// Returns the definitions of a document, without their scheme and package.
fn definitions(index: &Index, path: &str) -> Vec<String> {
    let document = index
        .documents
        .iter()
        .find(|each| each.relative_path == path);
    document
        .unwrap()
        .occurrences
        .iter()
        .filter(|each| each.symbol_roles & SymbolRole::Definition as i32 != 0)
        .map(|each| match each.symbol.splitn(5, ' ').nth(4) {
            Some(descriptors) => descriptors
                .trim_start_matches("src/`shapes.ts`/")
                .to_owned(),
            None => each.symbol.clone(),
        })
        .collect()
}

#[test]
fn symbols_of_our_scheme_name_the_package_without_its_version() {
    let index = export(SymbolScheme::CodeAgent);
    let symbol = &index.documents[1].occurrences[0].symbol;
    assert_eq!(symbol, "codeagent npm shapes . src/`shapes.ts`/");
    let csharp = definitions(&index, "Shop.cs");
    for expected in [
        "Shop/Domain/Cart#",
        "Shop/Domain/Cart#`.ctor`().",
        "Shop/Domain/Cart#Add().",
        "Shop/Domain/Cart#Add(+1).",
    ] {
        assert!(
            csharp.contains(&expected.to_owned()),
            "{expected}: {csharp:?}"
        );
    }
}

#[test]
fn symbols_of_scip_typescript_follow_how_a_declaration_is_written() {
    let index = export(SymbolScheme::ScipTypeScript);
    assert_eq!(
        definitions(&index, "src/shapes.ts"),
        [
            "",
            "Shape#",
            "Shape#`'side-a'`.",
            "Shape#scale().",
            "Shape#on.",
            "Box#",
            "Box#`<constructor>`().",
            "Box#`<constructor>`().(width)",
            "Box#`<get>double`().",
            "Box#`'side-a'`.",
            "Box#on.",
            "Box#scale().",
            "twice.",
            "Point#",
            "Point#typeLiteral0:x.",
            "Point#typeLiteral0:at().",
            "outer().",
            "local 0",
            "actions.",
            "local 1",
            "stop0:",
            "draw().",
            "draw().(options)Partial:typeLiteral1:deep.",
            "key0:",
            "`'shapes'`/",
            "`'shapes'`/Extra#",
        ]
    );
}

#[test]
fn every_symbol_round_trips_through_the_parser() {
    for scheme in [
        SymbolScheme::CodeAgent,
        SymbolScheme::ScipTypeScript,
        SymbolScheme::ScipDotNet,
    ] {
        let index = export(scheme);
        let occurrences = index.documents.iter().flat_map(|each| &each.occurrences);
        let symbols: Vec<&str> = occurrences
            .map(|each| each.symbol.as_str())
            .chain(
                index
                    .external_symbols
                    .iter()
                    .map(|each| each.symbol.as_str()),
            )
            .collect();
        assert!(symbols.len() > 40 && !index.external_symbols.is_empty());
        for symbol in symbols {
            assert_eq!(format_symbol(parse_symbol(symbol).unwrap()), symbol);
        }
    }
}

#[test]
fn calls_bases_and_ranges_are_written() {
    let index = export(SymbolScheme::CodeAgent);
    let document = &index.documents[1];
    let text = |range: &[i32]| {
        let line = SHAPES.lines().nth(range[0] as usize).unwrap();
        &line[range[1] as usize..range[2] as usize]
    };
    let called: Vec<&str> = document
        .occurrences
        .iter()
        .filter(|each| each.syntax_kind == scip::types::SyntaxKind::IdentifierFunction.into())
        .map(|each| text(&each.range))
        .collect();
    assert_eq!(called, ["Box", "scale", "map"]);

    let class = document
        .symbols
        .iter()
        .find(|each| each.symbol.ends_with("Box#"))
        .unwrap();
    assert!(class.relationships[0].is_implementation);
    assert!(class.relationships[0].symbol.ends_with("Shape#"));
    let method = document
        .occurrences
        .iter()
        .find(|each| each.symbol.ends_with("Box#scale().") && each.symbol_roles == 1);
    assert_eq!(method.unwrap().enclosing_range, [6, 0, 46]);
    let used: Vec<&str> = index
        .external_symbols
        .iter()
        .map(|each| each.symbol.as_str())
        .collect();
    assert!(
        used.contains(&"codeagent nuget . . System/Console#WriteLine()."),
        "{used:?}"
    );
}
