//! Index, edit, index again: the index must equal a fresh one.

use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;

use crate::engine::{Engine, EngineOptions};
use crate::ingest::{ChangeBatch, IngestOptions, Phase, Progress, Summary};
use crate::store::canonical_dump;

type SourceTexts = BTreeMap<&'static str, String>;

#[allow(
    clippy::disallowed_methods,
    reason = "tests make the repositories that they index"
)]
fn write(root: &Path, texts: &SourceTexts, all: &[&'static str]) {
    for path in all {
        let full = root.join(path);
        match texts.get(path) {
            Some(text) => {
                std::fs::create_dir_all(full.parent().unwrap()).unwrap();
                if std::fs::read_to_string(&full).ok().as_ref() != Some(text) {
                    std::fs::write(&full, text).unwrap();
                }
            }
            None => drop(std::fs::remove_file(full)),
        }
    }
}

/// The index is next to the repository, not in the user's cache.
fn options(root: &Path) -> EngineOptions {
    EngineOptions {
        home: codeagent_workspace::DataRoot::at(root.join(".codeagent")),
        ..EngineOptions::default()
    }
}

fn engine(root: &Path, threads: usize, keep_facts: bool) -> Engine {
    let ingest = IngestOptions {
        threads,
        keep_facts,
        ..IngestOptions::default()
    };
    Engine::open(
        root,
        EngineOptions {
            ingest,
            ..options(root)
        },
    )
    .unwrap()
}

fn index(engine: &Engine) -> Summary {
    engine.index(&|_| {}).unwrap()
}

fn dump(engine: &Engine) -> Vec<String> {
    canonical_dump(&engine.reader().snapshot().unwrap()).unwrap()
}

fn fresh(texts: &SourceTexts, all: &[&'static str]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), texts, all);
    let engine = engine(folder.path(), 1, false);
    assert_eq!(index(&engine).problems, []);
    dump(&engine)
}

const SHOP: &[&str] = &[
    "src/cart.ts",
    "src/item.ts",
    "src/index.ts",
    "shop/Cart.cs",
    "shop/Cart.Total.cs",
    "shop/Item.cs",
    "shop/Shop.csproj",
    "tsconfig.json",
];

/// Alternative texts of each path of [`SHOP`].
const VARIANTS: &[&[&str]] = &[
    &[
        "import { Item } from './item';\nexport class Cart { items: Item[] = []; total(): number { return this.items[0].price(); } }\n",
        "import { Item } from './item';\nexport class Cart { items: Item[] = []; total(): number { return 1; } }\n",
        "import { Item } from './index';\nexport class Basket { first(): Item { return new Item(); } }\n",
    ],
    &[
        "export class Item { price(): number { return 1; } }\n",
        "export class Item { price(): number { return 2; } }\n",
        "export class Item { cost(): number { return 1; } }\nexport interface Priced { price(): number; }\n",
    ],
    &[
        "export * from './cart';\nexport * from './item';\nimport { Cart } from './cart';\nexport function main() { new Cart().total(); }\n",
        "export { Item } from './item';\n",
    ],
    &[
        "namespace Shop;\npublic partial class Cart { public Item First() => new Item(); void Log() { First().Price(); } }\n",
        "namespace Shop;\npublic partial class Cart { public Item First() { return null; } }\n",
        "namespace Store;\npublic class Cart { }\n",
    ],
    &[
        "namespace Shop;\npublic partial class Cart { public decimal Total() { Log(); return First().Price(); } }\n",
        "namespace Shop;\npartial class Cart { internal int Count; }\n",
    ],
    &[
        "namespace Shop;\npublic class Item { public decimal Price() { return 1; } }\n",
        "namespace Shop { public class Item { public decimal Price(int discount = 0) { return 2; } } }\n",
        "namespace Shop;\npublic class Item {\n#if TRACE\n public decimal Price() { return 1; }\n#else\n public decimal Cost() { return 1; }\n#endif\n}\n",
    ],
    &[
        "<Project Sdk=\"Microsoft.NET.Sdk\"><PropertyGroup><TargetFramework>net8.0</TargetFramework></PropertyGroup></Project>\n",
        "<Project Sdk=\"Microsoft.NET.Sdk\"><PropertyGroup><TargetFramework>net8.0</TargetFramework><DefineConstants>EXTRA</DefineConstants></PropertyGroup></Project>\n",
    ],
    &[
        "{ \"include\": [\"src\"] }\n",
        "{ \"compilerOptions\": { \"baseUrl\": \".\" } }\n",
    ],
];

/// Returns the files by index of their variant; an index past the last means that the file is
/// missing.
fn texts(choice: &[usize]) -> SourceTexts {
    let each = SHOP.iter().zip(VARIANTS).zip(choice);
    each.filter_map(|((path, variants), choice)| {
        Some((*path, (*variants.get(*choice)?).to_owned()))
    })
    .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn random_edits_end_in_the_state_of_a_fresh_index(
        history in proptest::collection::vec(proptest::collection::vec(0..4usize, SHOP.len()), 2..5),
        threads in 1..4usize,
        keep_facts: bool,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let engine = engine(folder.path(), threads, keep_facts);
        for choice in &history {
            write(folder.path(), &texts(choice), SHOP);
            prop_assert_eq!(index(&engine).problems, []);
        }
        prop_assert_eq!(dump(&engine), fresh(&texts(history.last().unwrap()), SHOP));
    }
}

/// Waits until written files are too old to be compared again.
fn age() {
    std::thread::sleep(std::time::Duration::from_millis(2_100));
}

/// Sets all modification times back.
#[allow(
    clippy::disallowed_methods,
    reason = "tests make the repositories that they index"
)]
fn touch(root: &Path, texts: &SourceTexts) {
    let time = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    for path in texts.keys() {
        std::fs::File::options()
            .write(true)
            .open(root.join(path))
            .unwrap()
            .set_modified(time)
            .unwrap();
    }
}

#[test]
fn an_unchanged_repository_is_not_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let shop = texts(&[0; 8]);
    write(folder.path(), &shop, SHOP);
    age();
    let engine = engine(folder.path(), 1, false);
    let first = index(&engine);
    assert_eq!(
        (first.unchanged, first.files(), first.parsed, first.linked),
        (false, 6, 6, 6)
    );
    let second = index(&engine);
    assert_eq!(
        (
            second.unchanged,
            second.files(),
            second.parsed,
            second.linked
        ),
        (true, 6, 0, 0)
    );
    let read = second
        .phases
        .iter()
        .find(|time| time.phase == crate::ingest::Phase::Read)
        .unwrap();
    assert!(read.cpu.is_zero());
}

#[test]
fn a_touched_file_is_compared_but_not_resolved() {
    let folder = tempfile::tempdir().unwrap();
    let shop = texts(&[0; 8]);
    write(folder.path(), &shop, SHOP);
    let engine = engine(folder.path(), 1, false);
    index(&engine);
    touch(folder.path(), &shop);
    age();
    let touched = index(&engine);
    assert_eq!(
        (touched.unchanged, touched.parsed, touched.linked),
        (true, 0, 0)
    );
    assert!(
        index(&engine)
            .phases
            .iter()
            .all(|time| time.phase == crate::ingest::Phase::Walk || time.cpu.is_zero())
    );
}

#[test]
fn files_with_equal_text_are_parsed_once() {
    const SAME: [&str; 6] = ["a.ts", "b.ts", "c.ts", "d.ts", "a.js", "b.js"];
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        &SAME
            .map(|path| (path, "export function run() {}\n".to_owned()))
            .into(),
        &SAME,
    );
    let summary = index(&engine(folder.path(), 4, false));
    assert_eq!(
        (summary.changed, summary.parsed, summary.linked),
        (6, 2, 6),
        "once for each way to read it"
    );
}

#[test]
fn restored_texts_are_not_parsed_again() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path(), 1, false);
    for (choice, parsed) in [([0; 8], 6), ([1; 8], 6), ([0; 8], 0)] {
        write(folder.path(), &texts(&choice), SHOP);
        assert_eq!(index(&engine).parsed, parsed);
    }
}

#[test]
#[allow(
    clippy::disallowed_methods,
    reason = "tests make the repositories that they index"
)]
fn files_that_cannot_be_read_are_reported_each_time() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("min.js"), "a();".repeat(20_000)).unwrap();
    std::fs::write(folder.path().join("binary.ts"), b"\0\0\0\0").unwrap();
    let engine = engine(folder.path(), 1, false);
    let problems = |summary: Summary| {
        summary
            .problems
            .into_iter()
            .map(|problem| problem.path)
            .collect::<Vec<_>>()
    };
    let first = index(&engine);
    assert_eq!(first.languages[0].failed, 2);
    assert_eq!(problems(first), ["binary.ts", "min.js"]);
    assert_eq!(problems(index(&engine)), ["binary.ts", "min.js"]);
}

/// Facts of an aborted parse are not stored.
#[test]
#[allow(clippy::disallowed_methods, reason = "takes a file away")]
fn a_failed_file_is_retried() {
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        std::fs::write(
            folder.path().join("a.cs"),
            format!("class C {{ {} }}", "A<\n".repeat(20_000)),
        )
        .unwrap();
        let summary = index(&engine(folder.path(), 1, true));
        assert!(
            summary.problems[0].message.contains("aborted"),
            "{:?}",
            summary.problems
        );
        assert_eq!(summary.parsed, 1);
        std::fs::remove_file(folder.path().join("a.cs")).unwrap();
        index(&engine(folder.path(), 1, true));
    }
}

#[test]
#[allow(clippy::disallowed_methods, reason = "sets the time of a file back")]
fn an_edit_that_keeps_size_and_time_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.cs");
    std::fs::write(&path, "class A { }").unwrap();
    let written = path.metadata().unwrap().modified().unwrap();
    age();
    let engine = engine(folder.path(), 1, false);
    index(&engine);
    assert!(index(&engine).unchanged);
    std::fs::write(&path, "class B { }").unwrap();
    std::fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(written)
        .unwrap();
    assert_eq!(path.metadata().unwrap().modified().unwrap(), written);
    assert_eq!(index(&engine).changed, 1);
}

#[test]
fn a_second_writer_is_locked_out() {
    let folder = tempfile::tempdir().unwrap();
    let _first = engine(folder.path(), 1, false);
    let error = Engine::open(folder.path(), options(folder.path()))
        .err()
        .unwrap();
    assert_eq!(error.kind(), crate::engine::ErrorKind::Locked);
}

#[test]
fn an_import_is_resolved_again_when_its_file_appears() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path(), 1, false);
    let absent = VARIANTS[2].len();
    for index_file in [absent, 0] {
        let shop = texts(&[2, 0, index_file, 0, 0, 0, 1, 0]);
        write(folder.path(), &shop, SHOP);
        index(&engine);
        assert_eq!(dump(&engine), fresh(&shop, SHOP));
    }
}

/// `cfg/base.json` decides where the imports of `app/a.ts` lead. Its name does not mark it as a
/// project file, and an ignore rule may hide it.
#[test]
fn an_extended_tsconfig_may_have_any_name() {
    const FILES: &[&str] = &[
        ".gitignore",
        "app/a.ts",
        "app/tsconfig.json",
        "cfg/base.json",
        "one/x.ts",
        "two/x.ts",
    ];
    let version = |base: Option<&str>, ignored: &str| -> SourceTexts {
        let base = base.map(|to| {
            format!("{{\"compilerOptions\": {{\"paths\": {{\"@x\": [\"../{to}/x\"]}}}}}}")
        });
        let texts = [
            Some(ignored.to_owned()),
            Some("import { x } from '@x';\nexport const a = () => x();\n".to_owned()),
            Some("{\"extends\": \"../cfg/base\"}".to_owned()),
            base,
            Some("export function x() {}\n".to_owned()),
            Some("export function x() {}\n".to_owned()),
        ];
        FILES
            .iter()
            .zip(texts)
            .filter_map(|(path, text)| Some((*path, text?)))
            .collect()
    };
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join(".git")).unwrap();
    let engine = engine(folder.path(), 1, true);
    let steps = [
        (version(None, ""), None),
        (version(Some("one"), ""), Some("one/x.ts")),
        (version(Some("two"), "cfg/\n"), Some("two/x.ts")),
        (version(Some("one"), "cfg/\n"), Some("one/x.ts")),
        (version(None, "cfg/\n"), None),
        (version(Some("two"), "cfg/\n"), Some("two/x.ts")),
    ];
    let mut before = SourceTexts::new();
    for (texts, called) in steps {
        write(folder.path(), &texts, FILES);
        let changed = FILES
            .iter()
            .filter(|path| before.get(*path) != texts.get(*path));
        let paths: Vec<_> = changed
            .map(|path| codeagent_workspace::RepoPath::new(path).unwrap())
            .collect();
        let answers = engine.reader();
        if before.is_empty() {
            index(&engine);
        } else {
            assert_eq!(
                answers.changed_files().unwrap(),
                paths
                    .iter()
                    .map(ToString::to_string)
                    .filter(|path| path != ".gitignore")
                    .collect::<Vec<_>>()
            );
            engine
                .process_batch(&ChangeBatch::only(paths), &|_| {})
                .unwrap();
        }
        let found = dump(&engine);
        let read: Vec<&str> = found
            .iter()
            .filter_map(|line| line.strip_prefix("reads\tapp/a.ts\t"))
            .collect();
        assert_eq!(read, called.into_iter().collect::<Vec<_>>());
        assert_eq!(found, fresh(&texts, FILES));
        before = texts;
    }
}

#[test]
fn a_manifest_is_read_even_if_an_ignore_rule_hides_it() {
    const FILES: &[&str] = &[".gitignore", "lib/a.ts", "lib/package.json", "lib/x.ts"];
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join(".git")).unwrap();
    let engine = engine(folder.path(), 1, false);
    let package = "{\"imports\": {\"#x\": \"./x.ts\"}}";

    for manifest in [Some(package), None, Some(package)] {
        let texts: SourceTexts = [
            (FILES[0], Some("package.json\n")),
            (FILES[1], Some("import { x } from '#x';\nx();\n")),
            (FILES[2], manifest),
            (FILES[3], Some("export function x() {}\n")),
        ]
        .into_iter()
        .filter_map(|(path, text)| Some((path, text?.to_owned())))
        .collect();
        write(folder.path(), &texts, FILES);
        index(&engine);

        let found = dump(&engine);
        let reads = found.contains(&"reads\tlib/a.ts\tlib/x.ts".to_owned());
        assert_eq!(reads, manifest.is_some(), "{found:#?}");
        assert_eq!(found, fresh(&texts, FILES));
    }
}

/// The cost of a cycle of `extends` once grew with the cube of its length.
#[test]
#[allow(
    clippy::disallowed_methods,
    reason = "tests make the repositories that they index"
)]
fn a_long_cycle_of_extends_costs_what_its_files_cost() {
    const LENGTH: usize = 1_500;
    let folder = tempfile::tempdir().unwrap();
    for number in 0..LENGTH {
        let at = folder.path().join(format!("t{number}"));
        std::fs::create_dir(&at).unwrap();
        let next = (number + 1) % LENGTH;
        let config = format!(
            "{{\"extends\":\"../t{next}/tsconfig.json\",\"compilerOptions\":{{\"paths\":{{\"@{number}/*\":[\"./*\"]}}}}}}"
        );
        std::fs::write(at.join("tsconfig.json"), config).unwrap();
        std::fs::write(
            at.join("a.ts"),
            format!("import {{ f }} from '@{number}/a';\nexport function f() {{ f(); }}\n"),
        )
        .unwrap();
    }
    let summary = index(&engine(folder.path(), 1, false));
    let cost = |phase: Phase| {
        summary
            .phases
            .iter()
            .find(|time| time.phase == phase)
            .map_or(0.0, |time| time.cpu.as_secs_f64())
    };
    let (world, rest) = (
        cost(Phase::World),
        cost(Phase::Extract) + cost(Phase::Link) + cost(Phase::Store),
    );
    assert!(world < 20.0 * rest.max(0.1), "{world} {rest}");
}

#[test]
fn a_body_edit_invalidates_files_that_use_its_inferred_type() {
    const FILES: &[&str] = &["lib.ts", "asks.ts", "asks_the_asker.ts", "reads.ts"];
    let version = |given: &str, taken: &str| -> SourceTexts {
        let lib = format!(
            "export class A {{ go() {{}} }}\nexport class B {{ go() {{}} }}\n\
             export function make() {{ return () => {given}; }}\nexport const other = () => {{ return {taken}; }};\n"
        );
        let texts = [
            lib.as_str(),
            "import { make } from './lib';\nexport const made = () => make()();\n",
            "import { made } from './asks';\nmade().go();\n",
            "import { A, make } from './lib';\nconst a = new A();\na.go();\nmake();\n",
        ];
        FILES
            .iter()
            .zip(texts)
            .map(|(path, text)| (*path, text.to_owned()))
            .collect()
    };
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path(), 1, false);
    // The new text, and the number of files that are resolved again.
    let steps = [
        ("new A()", "new A()", 4),
        ("new B()", "new A()", 3),
        ("new B()", "new B()", 1),
        ("new A()", "new B()", 3),
        ("new A()", "1", 4),
    ];
    for (given, taken, linked) in steps {
        let texts = version(given, taken);
        write(folder.path(), &texts, FILES);
        assert_eq!(index(&engine).linked, linked, "{given} {taken}");
        assert_eq!(dump(&engine), fresh(&texts, FILES));
    }
}

#[test]
fn calls_of_undeclared_names_are_external() {
    let folder = tempfile::tempdir().unwrap();
    let text = "class Cart { public int Total; void Add(Basket other) { other.Make().Fill(); other.Make(this).Add(1); other.Make().Total(); } }";
    write(
        folder.path(),
        &BTreeMap::from([("shop/Cart.cs", text.to_owned())]),
        &["shop/Cart.cs"],
    );
    let counts = index(&engine(folder.path(), 1, false)).languages.remove(0);
    // `Fill` is declared nowhere, and `Total` is not callable. `Add` may be the method of `Cart`,
    // because the value created by one may be a `Cart`.
    assert_eq!(
        (counts.calls, counts.calls_external, counts.calls_resolved),
        (6, 5, 0)
    );
}

#[test]
fn members_of_object_literals_are_possible_call_targets() {
    let folder = tempfile::tempdir().unwrap();
    let fixer = "const fixer = Object.freeze({ insert() {}, remove: () => 1, seal, width: 3 });\nfixer.table.drop = seal;\n";
    let uses = "export function run(given) {
        given.insert(); given.remove(); given.seal(); given.drop(); given.width(); given.other();
    }\n";
    let texts = BTreeMap::from([("fixer.js", fixer.to_owned()), ("run.js", uses.to_owned())]);
    write(folder.path(), &texts, &["fixer.js", "run.js"]);
    let engine = engine(folder.path(), 1, false);
    let counts = index(&engine).languages.remove(0);
    // `Object.freeze`, a call of a number, and an undeclared name.
    assert_eq!(
        (counts.calls, counts.calls_external, counts.calls_resolved),
        (7, 3, 0)
    );
    let texts = BTreeMap::from([("fixer.js", String::new())]);
    write(folder.path(), &texts, &["fixer.js"]);
    let counts = index(&engine).languages.remove(0);
    assert_eq!(
        (counts.calls, counts.calls_external, counts.calls_resolved),
        (6, 6, 0)
    );
}

/// Indexes with default settings, with `settings`, and with defaults again, comparing each time
/// with a fresh index. Returns the files under `settings`, with their project and whether they
/// failed.
fn under_settings(settings: &str) -> Vec<String> {
    const CONFIG: &[&str] = &[".codeagent/config.json"];
    let texts = SourceTexts::from([
        (
            "src/a.ts",
            "import { b } from '../lib/b';\nexport function a() {\n    b();\n}\n".to_owned(),
        ),
        ("lib/b.ts", "export function b() {}\n".to_owned()),
        (
            "cs/A.cs",
            "class A { void M() => new Other().N(); }\n".to_owned(),
        ),
        (
            "shared/Other.cs",
            "class Other { internal void N() {} }\n".to_owned(),
        ),
        (
            "cs/A.csproj",
            "<Project Sdk=\"Microsoft.NET.Sdk\"/>\n".to_owned(),
        ),
        (
            "other/B.csproj",
            "<Project Sdk=\"Microsoft.NET.Sdk\"/>\n".to_owned(),
        ),
        ("node_modules/m/m.ts", "export const m = 1;\n".to_owned()),
        ("cs/bin/b.cs", "class B {}\n".to_owned()),
    ]);
    let config = SourceTexts::from([(CONFIG[0], settings.to_owned())]);
    let all: Vec<&'static str> = texts.keys().copied().collect();
    let (updated, fresh) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for root in [&updated, &fresh] {
        write(root.path(), &texts, &all);
    }
    let dump_of = |engine: &Engine| {
        index(engine);
        dump(engine)
    };
    let engine = engine(updated.path(), 1, false);
    let before = dump_of(&engine);
    write(updated.path(), &config, CONFIG);
    write(fresh.path(), &config, CONFIG);
    let after = dump_of(&engine);
    assert_eq!(
        after,
        dump_of(&self::engine(fresh.path(), 1, false)),
        "{settings}"
    );
    assert!(index(&engine).unchanged, "{settings}");
    let files = crate::store::files(&engine.reader().snapshot().unwrap()).unwrap();
    write(updated.path(), &SourceTexts::new(), CONFIG);
    assert_eq!(before, dump_of(&engine), "back from {settings}");
    let failed = |row: &crate::store::FileRow| if row.problem.is_some() { " failed" } else { "" };
    files
        .iter()
        .map(|row| format!("{} {}{}", row.path, row.project_id, failed(row)))
        .collect()
}

#[test]
fn changed_settings_take_effect_as_in_a_fresh_index() {
    let cases: [(&str, &[&str]); 7] = [
        (
            r#"{"exclude": ["lib"]}"#,
            &["cs/A.cs cs/A.csproj", "shared/Other.cs .", "src/a.ts ."],
        ),
        (
            r#"{"include": ["src", "**/*.cs"]}"#,
            &["cs/A.cs cs/A.csproj", "shared/Other.cs .", "src/a.ts ."],
        ),
        (r#"{"include": ["cs/bin/**", "node_modules", ".git"]}"#, &[]),
        (
            r#"{"languages": ["csharp"]}"#,
            &["cs/A.cs cs/A.csproj", "shared/Other.cs ."],
        ),
        (
            r#"{"max_file_bytes": 38}"#,
            &[
                "cs/A.cs cs/A.csproj failed",
                "lib/b.ts .",
                "shared/Other.cs .",
                "src/a.ts . failed",
            ],
        ),
        (
            r#"{"max_line_bytes": 30}"#,
            &[
                "cs/A.cs cs/A.csproj failed",
                "lib/b.ts .",
                "shared/Other.cs . failed",
                "src/a.ts .",
            ],
        ),
        (
            r#"{"projects": {"shared": "other/B.csproj", "cs": "none.csproj", "**": "other/B.csproj"}}"#,
            &[
                "cs/A.cs cs/A.csproj",
                "lib/b.ts .",
                "shared/Other.cs other/B.csproj",
                "src/a.ts .",
            ],
        ),
    ];
    for (settings, expected) in cases {
        assert_eq!(under_settings(settings), expected, "{settings}");
    }
}

#[test]
fn invalid_settings_fail_a_batch_unless_tolerated() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        &SourceTexts::from([("a.ts", "export const a = 1;\n".to_owned())]),
        &["a.ts"],
    );
    let broken = SourceTexts::from([(".codeagent/config.json", "{\"include\": 1}".to_owned())]);
    let strict = engine(folder.path(), 1, false);
    index(&strict);
    write(folder.path(), &broken, &[".codeagent/config.json"]);
    let error = strict.index(&|_| {}).unwrap_err();
    assert!(
        error.kind() == crate::engine::ErrorKind::Usage
            && error.to_string().contains("line 1, column 13"),
        "{error}"
    );
    drop(strict);
    let tolerant = Engine::open(
        folder.path(),
        EngineOptions {
            tolerate_config: true,
            ..options(folder.path())
        },
    )
    .unwrap();
    assert_eq!(index(&tolerant).files(), 1);
    assert!(tolerant.reader().workspace().config().notes[0].contains("line 1, column 13"));
}

#[test]
fn language_names_in_settings_match_the_registry() {
    use crate::languages::LANGUAGES;
    let ours: Vec<&str> = LANGUAGES
        .iter()
        .map(|support| support.language().as_str())
        .collect();
    assert_eq!(codeagent_workspace::LANGUAGES, ours);
}

#[cfg(target_os = "linux")]
#[test]
fn background_scans_run_at_low_priority_and_edits_do_not() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &texts(&[0; 8]), SHOP);
    let ingest = IngestOptions {
        in_background: true,
        ..IngestOptions::default()
    };
    let engine = Engine::open(
        folder.path(),
        EngineOptions {
            ingest,
            ..options(folder.path())
        },
    )
    .unwrap();
    let (before, seen) = (
        codeagent_workspace::priority_steps(),
        std::sync::Mutex::new(Vec::new()),
    );
    let look = |progress: Progress| {
        if progress.phase == Phase::Extract {
            seen.lock()
                .unwrap()
                .push(codeagent_workspace::priority_steps());
        }
    };
    engine.index(&look).unwrap();
    let indexed = std::mem::take(&mut *seen.lock().unwrap());
    assert!(
        indexed.len() == 6 && indexed.iter().all(|steps| *steps > before),
        "{indexed:?}"
    );
    for choice in [1, 0] {
        write(folder.path(), &texts(&[choice, 0, 0, 0, 0, 0, 0, 0]), SHOP);
        seen.lock().unwrap().clear();
        engine
            .process_batch(
                &ChangeBatch::only([codeagent_workspace::RepoPath::new("src/cart.ts").unwrap()]),
                &look,
            )
            .unwrap();
    }
    assert_eq!(*seen.lock().unwrap(), [before]);
}
