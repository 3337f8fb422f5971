//! Declarations of installed npm packages: they provide types for the repository's own calls, and
//! changes are noticed.
//!
//! Each test creates a repository with a `node_modules` folder and checks the targets of its calls.
//! Nothing in a package becomes a node.
//!
//! Limitations: which language rule a type follows is tested by `rules.rs`.

use std::fs;

use crate::repository::Repository;

/// A source that passes one of its own types through a package's function and uses the result.
const USE: &str =
    "import { pass } from \"lib\";\nclass Own { run() { } stop() { } }\npass(new Own()).run();\n";
const PASS: &str = "export declare function pass<T>(value: T): T;\n";
/// Resolved calls with the declaration: `new Own()` and `run()`.
const TYPED: [&str; 2] = ["3 -> Own", "3 -> run"];
/// Resolved calls without it.
const UNTYPED: [&str; 1] = ["3 -> Own"];

#[test]
fn a_declaration_carries_a_type_of_the_repository() {
    let mut repository = Repository::of(&[("a.ts", USE)]);
    repository.index();
    assert_eq!(repository.calls(), UNTYPED);
    repository.write(&[("node_modules/lib/index.d.ts", PASS)]);
    assert_eq!(repository.index().linked, 1);
    assert_eq!(repository.calls(), TYPED);
    assert!(repository.index().unchanged);
}

#[test]
fn a_package_manifest_locates_its_declarations() {
    let cases: &[(&str, &[(&str, &str)])] = &[
        (
            "types",
            &[
                (
                    "node_modules/lib/package.json",
                    r#"{"types": "./t/x.d.ts"}"#,
                ),
                ("node_modules/lib/t/x.d.ts", PASS),
            ],
        ),
        (
            "typings without an ending",
            &[
                ("node_modules/lib/package.json", r#"{"typings": "t/x"}"#),
                ("node_modules/lib/t/x.d.ts", PASS),
            ],
        ),
        (
            "main",
            &[
                ("node_modules/lib/package.json", r#"{"main": "t/x.js"}"#),
                ("node_modules/lib/t/x.d.ts", PASS),
            ],
        ),
        (
            "exports",
            &[
                (
                    "node_modules/lib/package.json",
                    r#"{"main": "no.js", "exports": {".": {"import": {"types": "./t/x.d.mts"}}}}"#,
                ),
                ("node_modules/lib/t/x.d.mts", PASS),
            ],
        ),
        (
            "typesVersions",
            &[
                (
                    "node_modules/lib/package.json",
                    r#"{"types": "old.d.ts", "typesVersions": {">=5": {"*": ["new/*"]}}}"#,
                ),
                ("node_modules/lib/old.d.ts", "export {};"),
                ("node_modules/lib/new/old.d.ts", PASS),
            ],
        ),
        (
            "@types",
            &[
                ("node_modules/lib/index.js", ""),
                ("node_modules/@types/lib/index.d.ts", PASS),
            ],
        ),
        (
            "a folder that sends back",
            &[
                ("node_modules/lib/package.json", r#"{"types": "./sub"}"#),
                (
                    "node_modules/lib/sub/package.json",
                    r#"{"types": "../t/x.d.ts"}"#,
                ),
                ("node_modules/lib/t/x.d.ts", PASS),
            ],
        ),
        (
            "exports from elsewhere",
            &[
                ("node_modules/lib/index.d.ts", "export * from './a.js';\n"),
                (
                    "node_modules/lib/a.d.ts",
                    "export * from '@scope/other/sub';\n",
                ),
                ("node_modules/lib/node_modules/@scope/other/sub.d.ts", PASS),
            ],
        ),
        (
            "a reference",
            &[
                (
                    "node_modules/lib/index.d.ts",
                    "/// <reference types=\"other\" />\nexport = lib;\n",
                ),
                (
                    "node_modules/@types/other/index.d.ts",
                    "/// <reference path=\"more.d.ts\" />\n",
                ),
                (
                    "node_modules/@types/other/more.d.ts",
                    "declare namespace lib { function pass<T>(value: T): T; }\n",
                ),
            ],
        ),
        (
            "an augmentation of the namespace that is exported as a whole",
            &[
                (
                    "node_modules/lib/index.d.ts",
                    "/// <reference path=\"sub/more.d.ts\" />\nexport = lib;\n\
                     declare const lib: lib.Static;\n\
                     declare namespace lib { interface Static { other(): void; } }\n",
                ),
                (
                    "node_modules/lib/sub/more.d.ts",
                    "import lib = require(\"../index\");\ndeclare module \"../index\" {\n\
                     interface Static { pass<T>(value: T): T; }\n}\n",
                ),
            ],
        ),
    ];
    for (what, files) in cases {
        let mut repository = Repository::of(&[("a.ts", USE)]);
        repository.write(files);
        repository.index();
        assert_eq!(repository.calls(), TYPED, "{what}");
    }
}

#[test]
#[cfg(unix)]
fn a_specifier_with_a_colon_is_not_a_package() {
    let mut repository = Repository::of(&[
        ("a.ts", &USE.replace("lib", "lib:sub")),
        ("node_modules/lib:sub/index.d.ts", PASS),
    ]);
    repository.index();
    assert_eq!(repository.calls(), UNTYPED);
}

#[test]
fn the_nearest_package_is_used() {
    let mut repository = Repository::of(&[
        ("package.json", r#"{"name": "root"}"#),
        ("app/src/a.ts", USE),
        (
            "node_modules/lib/index.d.ts",
            "export declare function pass(value: unknown): string;\n",
        ),
        ("app/node_modules/lib/index.d.ts", PASS),
    ]);
    repository.index();
    assert_eq!(repository.calls(), TYPED);
    fs::remove_dir_all(repository.path("app/node_modules")).unwrap();
    repository.index();
    assert_eq!(repository.calls(), UNTYPED);
}

/// Files of a package that creates values of a third package's class, and of one that accepts them.
fn with_copies(versions: [&str; 2], peers: [&str; 2]) -> Vec<String> {
    let source = "import { make } from \"maker\";\nimport { take } from \"taker\";\n\
        class Own { run() { } }\ntake(make(), new Own()).run();\n";
    let mut repository = Repository::of(&[("a.ts", source)]);
    repository.write(&[
        (
            "node_modules/maker/index.d.ts",
            "import { Dep } from \"dep\";\nexport declare function make(): Dep;\n",
        ),
        (
            "node_modules/taker/index.d.ts",
            "import { Dep } from \"dep\";\nexport declare function take<T>(dep: Dep, value: T): T;\n\
             export declare function take(dep: unknown, value: unknown): string;\n",
        ),
    ]);
    for (at, user) in ["maker", "taker"].into_iter().enumerate() {
        let folder = format!("node_modules/{user}/node_modules");
        let manifest = format!(
            r#"{{"name": "dep", "version": "{}", "peerDependencies": {{"peer": "*"}}}}"#,
            versions[at]
        );
        let peer = format!(r#"{{"name": "peer", "version": "{}"}}"#, peers[at]);
        repository.write(&[
            (&format!("{folder}/dep/package.json"), &manifest),
            (
                &format!("{folder}/dep/index.d.ts"),
                "export declare class Dep { private own: string; }\n",
            ),
            (&format!("{folder}/peer/package.json"), &peer),
        ]);
    }
    repository.index();
    repository.calls()
}

#[test]
fn folders_of_one_version_are_one_package() {
    let typed = ["4 -> Own", "4 -> run"];
    let untyped = ["4 -> Own"];
    assert_eq!(with_copies(["1.0.0", "1.0.0"], ["2.0.0", "2.0.0"]), typed);
    assert_eq!(with_copies(["1.0.0", "1.0.1"], ["2.0.0", "2.0.0"]), untyped);
    assert_eq!(with_copies(["1.0.0", "1.0.0"], ["2.0.0", "3.0.0"]), untyped);
}

#[test]
fn changes_in_a_package_are_noticed() {
    let mut repository = Repository::of(&[
        ("a.ts", USE),
        ("b.ts", "export const x = 1;\n"),
        ("node_modules/lib/index.d.ts", "export * from './inner';\n"),
        (
            "node_modules/lib/inner.d.ts",
            "export declare function pass(value: unknown): string;\n",
        ),
    ]);
    repository.index();
    assert_eq!(repository.calls(), UNTYPED);
    repository.write(&[("node_modules/lib/inner.d.ts", PASS)]);
    assert!(!repository.index().unchanged);
    assert_eq!(repository.calls(), TYPED);
    // A file that precedes the one that was read
    repository.write(&[
        (
            "node_modules/lib/package.json",
            r#"{"types": "other.d.ts"}"#,
        ),
        ("node_modules/lib/other.d.ts", "export {};\n"),
    ]);
    repository.index_only("node_modules/lib/package.json");
    assert_eq!(repository.calls(), UNTYPED);
    fs::remove_file(repository.path("node_modules/lib/package.json")).unwrap();
    // A restarted server
    repository.engine = None;
    repository.index();
    assert_eq!(repository.calls(), TYPED);
    repository.engine = None;
    assert!(repository.index().unchanged);
    fs::remove_dir_all(repository.path("node_modules")).unwrap();
    repository.index();
    assert_eq!(repository.calls(), UNTYPED);
}

#[test]
fn declarations_above_the_size_limit_leave_the_index_unchanged() {
    let large = format!("{PASS}// {}\n", "x".repeat(4 << 20));
    let mut repository = Repository::of(&[("a.ts", USE), ("node_modules/lib/index.d.ts", &large)]);
    repository.index();
    assert_eq!(repository.calls(), UNTYPED);
    repository.engine = None;
    assert!(repository.index().unchanged);
    repository.write(&[("node_modules/lib/index.d.ts", PASS)]);
    repository.index();
    assert_eq!(repository.calls(), TYPED);
}

#[test]
fn exports_without_types_lead_to_a_package_further_up_in_the_modes_of_node() {
    let config = |module| format!(r#"{{"compilerOptions": {{"module": "{module}"}}}}"#);
    let mut repository = Repository::of(&[
        ("tsconfig.json", &config("node20")),
        ("a.ts", &USE.replace("\"lib\"", "\"user\"")),
        (
            "node_modules/user/index.d.ts",
            "export { pass } from \"lib\";\n",
        ),
        (
            "node_modules/user/node_modules/lib/package.json",
            r#"{"exports": "./lib.js", "types": "other.d.ts"}"#,
        ),
        (
            "node_modules/user/node_modules/lib/other.d.ts",
            "export declare function pass(value: unknown): string;\n",
        ),
        ("node_modules/lib/index.d.ts", PASS),
    ]);
    repository.index();
    assert_eq!(repository.calls(), TYPED);

    repository.write(&[("tsconfig.json", &config("commonjs"))]);
    repository.index();
    assert_eq!(repository.calls(), UNTYPED);
}

#[test]
fn a_tsconfig_inherits_from_an_installed_package() {
    let library = |lib| format!(r#"{{"compilerOptions": {{"lib": ["{lib}"]}}}}"#);
    let clone = "export {};\nclass Own { run() { } }\nstructuredClone(new Own()).run();\n";
    let base = "node_modules/@x/base/tsconfig.json";
    let mut repository = Repository::of(&[
        ("app/tsconfig.json", r#"{"extends": "@x/base"}"#),
        ("app/a.ts", clone),
        (base, &library("es2022")),
    ]);
    repository.index();
    assert_eq!(repository.calls(), UNTYPED);

    repository.write(&[(base, &library("dom"))]);
    repository.index();
    assert_eq!(repository.calls(), TYPED);

    // A nearer folder comes first, and its base has one of its own.
    let nearer = "app/node_modules/@x/base";
    repository.write(&[
        (
            &format!("{nearer}/tsconfig.json"),
            r#"{"extends": "./own"}"#,
        ),
        (&format!("{nearer}/own.json"), &library("es2022")),
    ]);
    repository.index();
    assert_eq!(repository.calls(), UNTYPED);

    fs::remove_dir_all(repository.path("app/node_modules")).unwrap();
    repository.index();
    assert_eq!(repository.calls(), TYPED);
}

#[test]
fn an_edit_can_start_using_a_package() {
    // A module too, so that nothing else distinguishes the two.
    let without = USE.replace("import { pass } from \"lib\";", "export {};");
    let mut repository =
        Repository::of(&[("a.ts", &without), ("node_modules/lib/index.d.ts", PASS)]);
    repository.index();
    assert_eq!(repository.calls(), UNTYPED);
    for _ in 0..2 {
        repository.write(&[("a.ts", USE)]);
        repository.index_only("a.ts");
        assert_eq!(repository.calls(), TYPED);
        repository.write(&[("a.ts", &USE.replace("run();", "stop();"))]);
        repository.index_only("a.ts");
        assert_eq!(repository.calls(), ["3 -> Own", "3 -> stop"]);
        repository.write(&[("a.ts", &without)]);
        repository.index_only("a.ts");
        assert_eq!(repository.calls(), UNTYPED);
    }
}

#[test]
fn an_edit_can_add_a_library_to_a_program_itself_or_by_a_package() {
    let mut repository = Repository::of(&[
        (
            "tsconfig.json",
            r#"{"compilerOptions": {"lib": ["es2022"]}}"#,
        ),
        (
            "a.ts",
            "export {};\nclass Own { run() { } }\nstructuredClone(new Own()).run();\n",
        ),
        ("b.ts", "export {};\n"),
        (
            "node_modules/lib/index.d.ts",
            "/// <reference lib=\"dom\" />\nexport {};\n",
        ),
    ]);
    repository.index();
    assert_eq!(repository.calls(), UNTYPED);

    for start in ["/// <reference lib=\"dom\" />\n", "import \"lib\";\n"] {
        repository.write(&[("b.ts", &format!("{start}export {{}};\n"))]);
        repository.index_only("b.ts");
        assert_eq!(repository.calls(), TYPED, "{start}");
        repository.write(&[("b.ts", "export {};\n")]);
        repository.index_only("b.ts");
        assert_eq!(repository.calls(), UNTYPED, "{start}");
    }
}

#[test]
fn an_edit_can_start_using_an_ambient_module() {
    let ambient = "declare module \"disk\" {\n  export function pass<T>(value: T): T;\n}\n\
                   declare module \"disk/more\" {\n  export * from \"disk\";\n}\n";
    let globals = "declare var shared: { pass<T>(value: T): T };\n\
                   declare namespace Bags { interface Bag<T> { item: T } }\n";
    let around =
        "export {};\ndeclare global { namespace Bags { function bag<T>(item: T): Bag<T> } }\n";
    let other = USE.replace("from \"lib\"", "from \"disk/more\"");
    let global =
        "import \"lib\";\nclass Own { run() { } stop() { } }\nshared.pass(new Own()).run();\n";
    let bag =
        "import \"lib\";\nclass Own { run() { } stop() { } }\nBags.bag(new Own()).item.run();\n";
    let without = "import \"lib\";\nclass Own { run() { } stop() { } }\nnew Own();\n";
    let files: [(&str, &str); 4] = [
        (
            "node_modules/lib/index.d.ts",
            "import \"./ambient\";\nimport \"./globals\";\nimport \"./around\";\n",
        ),
        ("node_modules/lib/ambient.d.ts", ambient),
        ("node_modules/lib/globals.d.ts", globals),
        ("node_modules/lib/around.d.ts", around),
    ];

    let mut repository = Repository::of(&files);
    repository.write(&[("a.ts", without), ("b.ts", "import \"lib\";\n")]);
    repository.index();
    assert_eq!(repository.calls(), UNTYPED);
    for text in [&other, global, bag, &USE.replace("lib", "disk")] {
        repository.write(&[("a.ts", text)]);
        repository.index_only("a.ts");
        assert_eq!(repository.calls(), TYPED, "{text}");
        repository.write(&[("a.ts", without)]);
        repository.index_only("a.ts");
        assert_eq!(repository.calls(), UNTYPED);
    }

    repository.write(&[
        ("a.ts", global),
        ("node_modules/lib/globals.d.ts", "export {};\n"),
    ]);
    repository.index();
    assert_eq!(repository.calls(), UNTYPED);
}

#[test]
fn global_declarations_of_a_package_apply_where_it_is_imported() {
    let own = "class Own { run() { } }\n";
    let mut repository = Repository::of(&[
        ("one/tsconfig.json", "{}"),
        ("one/a.ts", "import \"lib\";\nexport {};\n"),
        ("one/b.ts", &format!("{own}everywhere(new Own()).run();\n")),
        ("two/tsconfig.json", "{}"),
        (
            "two/b.ts",
            &format!("{own}\neverywhere(new Own()).run();\n"),
        ),
        (
            "node_modules/lib/index.d.ts",
            "export {};\ndeclare global { function everywhere<T>(value: T): T; }\n",
        ),
    ]);
    repository.index();
    assert_eq!(repository.calls(), ["2 -> Own", "2 -> run", "3 -> Own"]);
    repository.write(&[
        ("one/a.ts", "export {};\n"),
        ("two/a.ts", "import \"lib\";\nexport {};\n"),
    ]);
    repository.index();
    assert_eq!(repository.calls(), ["2 -> Own", "3 -> Own", "3 -> run"]);
}

#[test]
fn global_declarations_of_a_package_apply_where_types_lists_it() {
    let own = "class Own { run() { } }\n";
    let none = r#"{"compilerOptions": {"types": []}}"#;
    let listed = r#"{"compilerOptions": {"types": ["@scope/lib"]}}"#;
    let mut repository = Repository::of(&[
        ("tsconfig.test.json", listed),
        (
            "one/tsconfig.json",
            r#"{"extends": "../tsconfig.test.json"}"#,
        ),
        ("one/a.ts", &format!("{own}everywhere(new Own()).run();\n")),
        ("two/tsconfig.json", none),
        (
            "two/b.ts",
            &format!("{own}\neverywhere(new Own()).run();\n"),
        ),
        (
            "node_modules/@types/scope__lib/index.d.ts",
            "declare global { var everywhere: typeof import(\"./pass\")[\"pass\"]; }\nexport {};\n",
        ),
        ("node_modules/@types/scope__lib/pass.d.ts", PASS),
        ("node_modules/@scope/lib/index.d.ts", "export {};\n"),
    ]);
    repository.index();
    assert_eq!(repository.calls(), ["2 -> Own", "2 -> run", "3 -> Own"]);

    repository.write(&[("tsconfig.test.json", none), ("two/tsconfig.json", listed)]);
    repository.index();
    assert_eq!(repository.calls(), ["2 -> Own", "3 -> Own", "3 -> run"]);
}

#[test]
fn programs_without_types_see_all_types_packages_around_them() {
    let call = "class Own { run() { } }\neverywhere(new Own()).run();\n";
    let types = |listed: &str| format!(r#"{{"compilerOptions": {{"types": [{listed}]}}}}"#);
    let mut repository = Repository::of(&[
        ("one/tsconfig.json", "{}"),
        ("one/a.ts", call),
        ("two/tsconfig.json", &types("")),
        ("two/a.ts", &format!("\n{call}")),
        ("three/tsconfig.json", &types("\"*\"")),
        ("three/a.ts", &format!("\n\n{call}")),
        ("loose.ts", &format!("\n\n\n{call}")),
        (
            "node_modules/@types/all/index.d.ts",
            "declare function everywhere<T>(value: T): T;\n",
        ),
    ]);
    repository.index();
    let all = [
        "2 -> Own", "2 -> run", "3 -> Own", "4 -> Own", "4 -> run", "5 -> Own", "5 -> run",
    ];
    assert_eq!(repository.calls(), all);

    let manifest = |version| format!(r#"{{"name": "typescript", "version": "{version}"}}"#);
    let compiler = "node_modules/typescript/package.json";
    repository.write(&[(compiler, &manifest("6.0.1"))]);
    repository.index();
    let asked = ["2 -> Own", "3 -> Own", "4 -> Own", "4 -> run", "5 -> Own"];
    assert_eq!(repository.calls(), asked);

    repository.write(&[(compiler, &manifest("5.9.3"))]);
    repository.index();
    assert_eq!(repository.calls(), all);
}

#[test]
fn a_repository_can_augment_a_package() {
    let mut repository = Repository::of(&[
        (
            "a.ts",
            "import { Bag } from \"lib\";\nimport { Own } from \"./own\";\nexport function f(bag: Bag) {\n  bag.own.run();\n}\n",
        ),
        (
            "own.ts",
            "import \"lib\";\nexport class Own { run() { } }\ndeclare module \"lib\" { interface Bag { own: Own } }\n",
        ),
        (
            "node_modules/lib/index.d.ts",
            "export interface Bag { size: number }\n",
        ),
    ]);
    repository.index();
    assert_eq!(repository.calls(), ["4 -> run"]);
}

#[test]
fn a_class_named_like_a_builtin_is_a_different_class() {
    let mut repository = Repository::of(&[
        (
            "a.ts",
            "import { Map } from \"lib\";\nclass Own { run() { } }\nnew Map(new Own()).get().run();\n",
        ),
        (
            "node_modules/lib/index.d.ts",
            "export declare class Map<T> { constructor(value: T); get(): T; }\n",
        ),
    ]);
    repository.index();
    assert_eq!(repository.calls(), ["3 -> Own", "3 -> run"]);
}

#[test]
#[cfg(unix)]
fn links_between_packages_are_followed() {
    let mut repository = Repository::of(&[
        ("a.ts", USE),
        (
            "node_modules/.pnpm/lib@1/node_modules/lib/index.d.ts",
            "export * from 'other';\n",
        ),
        (
            "node_modules/.pnpm/other@1/node_modules/other/index.d.ts",
            PASS,
        ),
    ]);
    repository.link("node_modules/lib", ".pnpm/lib@1/node_modules/lib");
    repository.link(
        "node_modules/.pnpm/lib@1/node_modules/other",
        "../../other@1/node_modules/other",
    );
    repository.index();
    assert_eq!(repository.calls(), TYPED);
    fs::remove_file(repository.path("node_modules/lib")).unwrap();
    repository.index();
    assert_eq!(repository.calls(), UNTYPED);
}

#[test]
#[cfg(unix)]
fn a_linked_repository_package_resolves_to_its_sources() {
    let mut repository = Repository::of(&[
        (
            "packages/lib/package.json",
            r#"{"name": "lib", "main": "dist/index.js"}"#,
        ),
        (
            "packages/lib/src/index.ts",
            "export function pass<T>(value: T): T { return value; }\n",
        ),
        ("app/package.json", r#"{"name": "app"}"#),
        ("app/a.ts", USE),
    ]);
    repository.link("node_modules/lib", "../packages/lib");
    repository.index();
    assert_eq!(repository.calls(), ["3 -> Own", "3 -> pass", "3 -> run"]);
}

#[test]
#[cfg(unix)]
fn nothing_outside_package_folders_is_read() {
    let harms: &[(&str, &str)] = &[
        (r#"{"types": "/SECRET.d.ts"}"#, "an absolute path"),
        (r#"{"types": "../../../secret.d.ts"}"#, "above the root"),
        (
            r#"{"types": "../../inside.d.ts"}"#,
            "a file of the repository",
        ),
        (
            r#"{"exports": {".": "../../inside.d.ts", "./*": "../../*"}}"#,
            "by exports",
        ),
        (
            r#"{"typesVersions": {"*": {"*": ["../../../*"]}}, "types": "secret.d.ts"}"#,
            "by typesVersions",
        ),
        (r#"{"types": "to-secret.d.ts"}"#, "a link to a file"),
        (
            r#"{"types": "to-inside.d.ts"}"#,
            "a link to a file of the repository",
        ),
        (
            r#"{"types": "to-outside/secret.d.ts"}"#,
            "a link to a folder",
        ),
        (r#"{"types": "to-itself/x.d.ts"}"#, "a link to itself"),
    ];
    for (manifest, what) in harms {
        let mut repository = Repository::of(&[
            ("a.ts", USE),
            ("inside.d.ts", PASS),
            ("node_modules/lib/package.json", manifest),
        ]);
        fs::write(repository.outer.path().join("secret.d.ts"), PASS).unwrap();
        repository.link(
            "node_modules/lib/to-secret.d.ts",
            repository.outer.path().join("secret.d.ts"),
        );
        repository.link("node_modules/lib/to-inside.d.ts", "../../inside.d.ts");
        repository.link("node_modules/lib/to-outside", repository.outer.path());
        repository.link("node_modules/lib/to-itself", "to-itself");
        repository.index();
        assert_eq!(repository.calls(), UNTYPED, "{what}");
    }
    let mut repository = Repository::of(&[
        ("a.ts", USE),
        (
            "b.ts",
            "import 'lib/../../secret'; import '../../secret'; import '/etc/x';",
        ),
    ]);
    fs::create_dir_all(repository.outer.path().join("outside/lib")).unwrap();
    fs::write(repository.outer.path().join("outside/lib/index.d.ts"), PASS).unwrap();
    repository.link("node_modules", repository.outer.path().join("outside"));
    repository.index();
    assert_eq!(repository.calls(), UNTYPED, "the folder itself is a link");
}

#[test]
fn a_hostile_declaration_affects_only_itself() {
    let deep = format!(
        "export type Deep = {}string{};\n",
        "Array<".repeat(20_000),
        ">".repeat(20_000)
    );
    let wide = format!(
        "export type Wide = {};\n",
        (0..50_000)
            .map(|n| format!("'{n}'"))
            .collect::<Vec<_>>()
            .join(" | ")
    );
    let own: String = (0..2_000)
        .map(|n| format!("export * from './self{n}';\nexport {{ x as y{n} }} from 'lib';\n"))
        .collect();
    let huge = "export declare const x: number;\n".repeat(200_000);
    let harms: &[(&str, &str)] = &[
        ("truncated", "export declare function pass<T>(value: T"),
        (
            "itself",
            "export * from './index';\nexport * from 'lib';\nexport { pass } from '.';\nexport type A = A[]; export interface B extends B {}\n",
        ),
        ("deep", &deep),
        ("wide", &wide),
        ("many", &own),
        ("huge", &huge),
        ("binary", "\0\0\0\0"),
        ("empty", ""),
    ];
    for (what, text) in harms {
        let mut repository = Repository::of(&[
            (
                "a.ts",
                "import * as lib from \"lib\";\nimport { pass } from \"good\";\nclass Own { run() { } }\npass(new Own()).run();\nlib.pass(new Own()).run();\n",
            ),
            ("node_modules/lib/index.d.ts", text),
            ("node_modules/good/index.d.ts", PASS),
        ]);
        let summary = repository.index();
        let calls = repository.calls();
        assert!(
            ["4 -> Own", "4 -> run", "5 -> Own"]
                .iter()
                .all(|call| calls.iter().any(|found| found == call)),
            "{what}: {calls:?}"
        );
        let is_said = summary
            .notes
            .iter()
            .any(|note| note.starts_with("node_modules/lib/index.d.ts: left out"));
        assert_eq!(
            is_said,
            matches!(*what, "deep" | "huge" | "binary"),
            "{what}: {:?}",
            summary.notes
        );
        assert!(
            summary.problems.is_empty(),
            "{what}: {:?}",
            summary.problems
        );
    }
}

#[test]
fn files_beyond_the_limit_are_reported() {
    let mut repository = Repository::of(&[
        ("a.ts", USE),
        ("node_modules/lib/index.d.ts", "export * from './part0';\n"),
    ]);
    let parts: Vec<(String, String)> = (0..5_100)
        .map(|n| {
            (
                format!("node_modules/lib/part{n}.d.ts"),
                format!(
                    "export * from './part{}';\nexport * from './part{}';\n",
                    2 * n + 1,
                    2 * n + 2
                ),
            )
        })
        .collect();
    parts
        .iter()
        .for_each(|(path, text)| repository.write(&[(path, text)]));
    let summary = repository.index();
    assert!(
        summary
            .notes
            .iter()
            .any(|note| note.contains("declaration files of packages were not read")),
        "{:?}",
        summary.notes
    );
    assert_eq!(repository.calls(), UNTYPED);
}
