//! `impact`, `path` and `overview` on small repositories.

use codeagent_workspace::DataRoot;

use crate::engine::{Engine, EngineOptions, IndexReader};
use crate::query::{
    Doubt, EntryKind, Impact, ImpactQuery, Labels, Link, Scope, SearchFilter, Searched, Sources,
    filter_nodes, find_path, impact, overview, resolve_symbols,
};
use crate::{NodeId, Snapshot};

struct Indexed {
    _root: tempfile::TempDir,
    _home: tempfile::TempDir,
    answers: IndexReader,
    _engine: Engine,
}

#[allow(
    clippy::disallowed_methods,
    reason = "makes the repository that is asked about"
)]
fn indexed(files: &[(&str, &str)]) -> Indexed {
    let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for (path, text) in files {
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
    Indexed {
        _root: root,
        _home: home,
        answers: engine.reader(),
        _engine: engine,
    }
}

fn ids(snapshot: &Snapshot, name: &str) -> Vec<NodeId> {
    let matches = resolve_symbols(snapshot, name, None).unwrap();
    matches.answered[0].ids()
}

fn names(indexed: &Indexed, ids: impl Iterator<Item = NodeId>) -> Vec<String> {
    let ids: Vec<NodeId> = ids.collect();
    let mut labels = Labels::default();
    let snapshot = indexed.answers.snapshot().unwrap();
    labels.load(&snapshot, ids.iter().copied()).unwrap();
    ids.into_iter().map(|id| labels.short(id)).collect()
}

fn impact_of(indexed: &Indexed, name: &str, depth: usize) -> Impact {
    let snapshot = indexed.answers.snapshot().unwrap();
    let mut sources = Sources::new(&snapshot, indexed.answers.workspace());
    let targets = ids(&snapshot, name);
    let query = ImpactQuery {
        targets: &targets,
        depth,
    };
    impact(&mut sources, &query).unwrap()
}

const SHOP: &[(&str, &str)] = &[
    (
        "Shop.csproj",
        "<Project Sdk=\"Microsoft.NET.Sdk\"></Project>",
    ),
    (
        "IPriced.cs",
        "namespace Shop;\npublic interface IPriced { int Price(); }\n",
    ),
    (
        "Item.cs",
        "namespace Shop;\npublic class Item : IPriced\n{\n    public int Price() => 1;\n    void Unused() { }\n}\n",
    ),
    (
        "Cart.cs",
        "namespace Shop;\npublic class Cart\n{\n    public int Total(IPriced item) => item.Price();\n    public int Exact(Item item) => item.Price();\n}\n",
    ),
    (
        "Program.cs",
        "namespace Shop;\nclass Program\n{\n    static void Main() { new Cart().Total(new Item()); }\n}\n",
    ),
    (
        "tests/CartTests.cs",
        "namespace Shop.Tests;\npublic class CartTests\n{\n    public void Totals() { new Cart().Total(null); }\n}\n",
    ),
];

#[test]
fn impact_separates_certain_uses_from_those_through_an_interface() {
    let shop = indexed(SHOP);
    let found = impact_of(&shop, "Item.Price", 3);
    let of = |uses: &[crate::query::AffectedUse]| names(&shop, uses.iter().map(|each| each.source));
    assert_eq!(of(&found.direct), ["Cart.Exact"]);
    assert_eq!(names(&shop, found.bases.iter().copied()), ["IPriced.Price"]);
    assert_eq!(of(&found.possible), ["Cart.Total"]);
    assert_eq!(found.steps.len(), 1);
    assert_eq!(
        (found.steps[0].symbols, found.steps[0].possible),
        (1, 1),
        "Program.Main"
    );
    assert_eq!(
        names(&shop, found.tests.iter().map(|test| test.source)),
        ["CartTests.Totals"]
    );
    assert_eq!(found.tests[0].distance, 2);
    assert!(!found.is_cut);
}

#[test]
fn impact_of_an_interface_member_includes_its_implementations() {
    let shop = indexed(SHOP);
    let found = impact_of(&shop, "IPriced.Price", 1);
    let direct = names(&shop, found.direct.iter().map(|each| each.source));
    assert_eq!(direct, ["Cart.Total", "Item.Price"]);
    assert!(found.steps.is_empty() && found.possible.is_empty());
}

#[test]
fn impact_of_a_type_counts_the_uses_of_its_members() {
    let shop = indexed(SHOP);
    let found = impact_of(&shop, "Cart", 1);
    let direct = names(&shop, found.direct.iter().map(|each| each.source));
    assert_eq!(direct, ["Program.Main"]);
    assert_eq!(found.member_uses, (2, 2));
}

#[test]
fn uses_of_a_wrapper_count_as_uses_of_the_wrapped_symbol() {
    let app = indexed(&[
        (
            "trace.ts",
            "export function trace(f: () => void) { return f }\n",
        ),
        (
            "present.ts",
            "import { trace } from './trace'\nfunction present() {}\nexport default trace(present)\n",
        ),
        (
            "use.ts",
            "import present from './present'\nexport function show() { present() }\n",
        ),
    ]);
    let snapshot = app.answers.snapshot().unwrap();
    let mut sources = Sources::new(&snapshot, app.answers.workspace());
    let targets = ids(&snapshot, "present.ts#present");
    let found = impact(
        &mut sources,
        &ImpactQuery {
            targets: &targets,
            depth: 2,
        },
    )
    .unwrap();
    let direct = names(&app, found.direct.iter().map(|each| each.source));
    assert_eq!(direct, ["show"], "{:?}", found.wrappers);
    assert_eq!(found.wrappers.len(), 1);
}

#[test]
fn a_path_follows_calls_through_an_interface() {
    let shop = indexed(SHOP);
    let snapshot = shop.answers.snapshot().unwrap();
    let (from, to) = (ids(&snapshot, "Program.Main"), ids(&snapshot, "Item.Price"));
    let mut sources = Sources::new(&snapshot, shop.answers.workspace());
    let found = find_path(&mut sources, &from, &to).unwrap();
    let steps = found.steps.expect("a path");
    assert_eq!(
        names(&shop, steps.iter().map(|step| step.to)),
        ["Cart.Total", "IPriced.Price", "Item.Price"]
    );
    let links: Vec<Link> = steps.iter().map(|step| step.link).collect();
    assert_eq!(links, [Link::Call, Link::Call, Link::Dispatch]);
    assert!(!found.is_reversed);

    let back = find_path(&mut sources, &to, &from).unwrap();
    assert!(back.is_reversed && back.steps.is_some());
}

#[test]
fn a_path_does_not_follow_what_only_names_a_symbol() {
    let shop = indexed(&[(
        "Store.cs",
        "class Store\n{\n    void Put() { Log(nameof(Upload)); }\n    void Log(string name) { }\n    \
         void Upload() { Send(); }\n    void Send() { }\n    void Sync()\n    {\n        System.Action later = Upload;\n    }\n}\n",
    )]);
    let snapshot = shop.answers.snapshot().unwrap();
    let mut sources = Sources::new(&snapshot, shop.answers.workspace());
    let send = ids(&snapshot, "Store.Send");
    let found = find_path(&mut sources, &ids(&snapshot, "Store.Put"), &send).unwrap();
    assert!(found.steps.is_none(), "{:?}", found.steps);
    let found = find_path(&mut sources, &ids(&snapshot, "Store.Sync"), &send).unwrap();
    assert_eq!(found.steps.map(|steps| steps.len()), Some(2));
}

#[test]
fn no_path_is_found_between_unrelated_symbols() {
    let shop = indexed(SHOP);
    let snapshot = shop.answers.snapshot().unwrap();
    let (from, to) = (ids(&snapshot, "Item.Unused"), ids(&snapshot, "Cart.Exact"));
    let mut sources = Sources::new(&snapshot, shop.answers.workspace());
    let found = find_path(&mut sources, &from, &to).unwrap();
    assert!(found.steps.is_none() && !found.is_cut);
}

const LOCALS: &[(&str, &str)] = &[(
    "src/api.ts",
    "export function save() { return 1 }\nexport function makeApi() {\n  const render = () => save()\n  \
     return { store() { return render() }, left() {} }\n}\nexport class View { render() { return 2 } }\n\
     export function start() { makeApi() }\n",
)];

#[test]
fn impact_leads_from_a_function_of_an_object_to_what_makes_the_object() {
    let app = indexed(LOCALS);
    let found = impact_of(&app, "save", 4);
    let direct = names(&app, found.direct.iter().map(|each| each.source));
    assert_eq!(direct, ["makeApi.render"]);
    let steps: Vec<(usize, usize)> = found
        .steps
        .iter()
        .map(|step| (step.distance, step.symbols))
        .collect();
    assert_eq!(steps, [(2, 1), (3, 1), (4, 1)], "store, makeApi, start");
    let public = names(&app, found.public.iter().map(|(id, _)| *id));
    assert_eq!(public, ["makeApi", "start"]);
}

#[test]
fn a_path_enters_functions_in_functions() {
    let app = indexed(LOCALS);
    let snapshot = app.answers.snapshot().unwrap();
    let (from, to) = (ids(&snapshot, "start"), ids(&snapshot, "save"));
    let mut sources = Sources::new(&snapshot, app.answers.workspace());
    let found = find_path(&mut sources, &from, &to).unwrap();
    let steps = found.steps.expect("a path");
    assert_eq!(
        names(&app, steps.iter().map(|step| step.to)),
        ["makeApi", "makeApi.render", "save"]
    );
}

#[test]
fn functions_in_functions_and_objects_come_last_and_are_not_unused() {
    let app = indexed(LOCALS);
    let snapshot = app.answers.snapshot().unwrap();

    let matches = resolve_symbols(&snapshot, "render", None).unwrap();
    let found: Vec<&str> = matches
        .answered
        .iter()
        .map(|group| group.nodes[0].qualified_name.as_str())
        .collect();
    assert_eq!(
        found,
        ["src/api.ts#View.render", "src/api.ts#makeApi.render"]
    );

    let filter = SearchFilter::default();
    let results = filter_nodes(&snapshot, Searched::default(), "render", &filter, 10).unwrap();
    let found: Vec<&str> = results
        .hits
        .iter()
        .map(|hit| hit.node.qualified_name.as_str())
        .collect();
    assert_eq!(
        found[..2],
        ["src/api.ts#View.render", "src/api.ts#makeApi.render"]
    );

    let mut sources = Sources::new(&snapshot, app.answers.workspace());
    let found = overview(&mut sources, Scope::Whole).unwrap();
    let unused: Vec<String> = found
        .unused
        .iter()
        .map(|each| found.labels.short(each.id))
        .collect();
    assert!(unused.contains(&"start".to_owned()));
    assert!(!unused.iter().any(|name| name.starts_with("makeApi")));
}

#[test]
fn an_overview_has_entry_points_and_unused_code() {
    let shop = indexed(SHOP);
    let snapshot = shop.answers.snapshot().unwrap();
    let mut sources = Sources::new(&snapshot, shop.answers.workspace());
    let found = overview(&mut sources, Scope::Whole).unwrap();
    assert_eq!((found.files, found.tests), (5, 1));
    assert_eq!(found.entry_points.len(), 1);
    assert_eq!(found.entry_points[0].kind, EntryKind::Main);
    let unused: Vec<(String, &[Doubt])> = found
        .unused
        .iter()
        .map(|each| (found.labels.short(each.id), each.doubts.as_slice()))
        .collect();
    assert_eq!(unused[0], ("Item.Unused".to_owned(), [].as_slice()));
    assert!(unused.contains(&("Cart.Exact".to_owned(), [Doubt::Public].as_slice())));
    assert!(
        unused
            .iter()
            .all(|(name, _)| name != "Item.Price" && name != "Cart")
    );
}

#[test]
fn a_derived_class_may_be_found_by_reflection() {
    let rules = indexed(&[(
        "Rules.cs",
        "abstract class Rule { } sealed class Length : Rule { } sealed class Alone { }\n\
         static class Program { static void Main() => System.Console.WriteLine(typeof(Rule)); }\n",
    )]);
    let snapshot = rules.answers.snapshot().unwrap();
    let mut sources = Sources::new(&snapshot, rules.answers.workspace());
    let found = overview(&mut sources, Scope::Whole).unwrap();
    let unused: Vec<(String, &[Doubt])> = found
        .unused
        .iter()
        .map(|each| (found.labels.short(each.id), each.doubts.as_slice()))
        .collect();
    let expected = [
        ("Alone".to_owned(), [].as_slice()),
        ("Length".to_owned(), [Doubt::Derived].as_slice()),
    ];
    assert_eq!(unused, expected);
}

#[test]
fn an_overview_of_a_folder_has_its_surface_and_cycles() {
    let app = indexed(&[
        ("package.json", r#"{ "main": "dist/index.js" }"#),
        ("src/index.ts", "import { a } from './a/a'\na()\n"),
        (
            "src/a/a.ts",
            "import { b } from '../b/b'\nexport function a() { b() }\nexport function unused() {}\n",
        ),
        (
            "src/b/b.ts",
            "import { a } from '../a/a'\nexport function b() { if (Math.random() > 2) a() }\n",
        ),
    ]);
    let snapshot = app.answers.snapshot().unwrap();
    let mut sources = Sources::new(&snapshot, app.answers.workspace());
    let whole = overview(&mut sources, Scope::Whole).unwrap();
    assert_eq!(whole.folder_cycles.len(), 1);
    assert_eq!(whole.folder_cycles[0].members, ["src/a", "src/b"]);
    let entry = &whole.entry_points[0];
    assert_eq!(entry.path, "src/index.ts");
    assert!(matches!(&entry.kind, EntryKind::Package { field, .. } if field == "main"));

    let part = overview(&mut sources, Scope::Folder("src/a")).unwrap();
    let surface: Vec<(String, usize, usize)> = part
        .surface
        .iter()
        .map(|each| (part.labels.short(each.id), each.uses, each.files))
        .collect();
    assert_eq!(
        surface,
        [("a".to_owned(), 2, 2), ("unused".to_owned(), 0, 0)]
    );
    assert_eq!(part.uses[0].to, "src/b");
}
