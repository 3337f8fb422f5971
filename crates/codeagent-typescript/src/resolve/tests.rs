//! Tests of the world as a whole: new files are put in place, and the cost of resolution does not
//! grow with the number of paths to a base type.

use std::sync::Arc;

use codeagent_lang::nodes::NodeTable;
use codeagent_lang::project::ProjectModel;
use codeagent_lang::{FileId, World, WorldFile, link};
use codeagent_model::graph::{Dialect, NodeFlags};

use crate::LANGUAGES;
use crate::resolve::global_index::provided_keys::{AMBIENT, AUGMENTED, GLOBAL};
use crate::resolve::provided_keys;

fn file(path: &str, text: &str) -> WorldFile {
    WorldFile {
        path: Arc::from(path),
        facts: Arc::new(LANGUAGES.extract(text, Dialect::Ts, &[])).into(),
        external: false,
        package: None,
    }
}

#[test]
fn a_new_file_is_put_in_place_unless_it_changes_other_files() {
    let files = [
        (
            "a/use.ts",
            "import { Later } from './later'; import { One } from './one'; new One();",
        ),
        ("a/one.ts", "export class One {}"),
        ("a/all.ts", "export * from './one';"),
        ("b/other.ts", "import 'later/deep'; import './index.js';"),
    ];
    let added = |path: &str, text: &str| {
        let files = files.iter().map(|(path, text)| file(path, text)).collect();
        let projects = Arc::new(ProjectModel::empty(LANGUAGES));
        let mut world = World::build(files, Arc::clone(&projects));
        world.add(&file(path, text), &projects)
    };

    let in_place = [
        (
            "a/new.ts",
            "import { One } from './one'; export class New extends One {}",
        ),
        ("a/barrel.ts", "export * from './all';"),
        ("a/empty.ts", ""),
        ("a/one.tsx", "export class Hidden {}"),
        ("b/later.ts", "export class Later {}"),
    ];
    for (path, text) in in_place {
        assert!(added(path, text).is_some(), "{path}");
    }

    let refused = [
        ("a/later.ts", "export class Later {}"),
        ("b/index.ts", "export {};"),
        ("a/script.ts", "class Global {}"),
        (
            "a/ambient.ts",
            "export {}; declare module './one' { interface One {} }",
        ),
    ];
    for (path, text) in refused {
        assert!(added(path, text).is_none(), "{path}");
    }
}

/// Scripts that are never compiled together repeat the same declarations, as the examples of a
/// formatter do.
#[test]
fn a_base_named_by_many_declarations_is_visited_once() {
    let same = |number: usize| {
        file(
            &format!("s{number}.ts"),
            "class A extends B {} class B extends C {} class C extends D {} class D { own() {} static made() {} }",
        )
    };
    let mut files = vec![file(
        "a.ts",
        "new A().lacking(); new A().lacking_too(); new A().own(); A.made(); A.b(); A.c(); A.d(); A.e();",
    )];
    files.extend((0..100).map(same));
    let resolution = link(
        FileId(0),
        &World::build(files, Arc::new(ProjectModel::empty(LANGUAGES))),
    );
    assert_eq!((resolution.budget_exceeded, resolution.calls), (0, 11));
}

#[test]
fn a_file_publishes_its_globals_and_the_declarations_of_its_ambient_modules() {
    let assert_provided = |source: &str, expected: &[_]| {
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        let facts = LANGUAGES.extract(source, Dialect::Ts, &[]);
        assert_eq!(provided_keys(&facts), expected, "{source}");
    };

    assert_provided("export class One { two() {} }", &[]);
    assert_provided(
        "class One { two() { class Three {} } }",
        &[GLOBAL.key("One")],
    );
    assert_provided(
        "declare module 'm' { class One { two(): void; } }",
        &[AMBIENT.key("m"), AUGMENTED.key("One")],
    );
    assert_provided(
        "export {}; declare module 'm' { export default function (): void; }",
        &[AMBIENT.key("m")],
    );
}

#[test]
fn functions_that_only_their_surroundings_can_call_are_local() {
    let script = "
        export const api = { get() {}, list: () => {}, plain: 1 };
        export function outer() { const inner = () => {}; function named() {} const value = 1; }
        export class Shop { pay() {} held = () => {}; }
        export interface Shape { draw(): void }
    ";
    let common = "
        module.exports = { save() {} };
        exports.load = () => {};
    ";
    let java_script = WorldFile {
        facts: Arc::new(LANGUAGES.extract(common, Dialect::Js, &[])).into(),
        ..file("b.js", "")
    };
    let world = World::build(
        vec![file("a.ts", script), java_script],
        Arc::new(ProjectModel::empty(LANGUAGES)),
    );

    let table = NodeTable::build(&world);
    let names = |is_local: bool| -> Vec<String> {
        let nodes = table
            .nodes()
            .filter(|node| node.parent.is_some() && node.flags.has(NodeFlags::LOCAL) == is_local);
        nodes.map(|node| node.name).collect()
    };
    assert_eq!(names(true), ["get", "list", "inner", "named"]);
    for name in ["pay", "held", "save", "load"] {
        assert!(names(false).contains(&name.to_owned()), "{name}");
    }
}
