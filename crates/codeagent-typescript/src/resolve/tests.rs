//! Tests of the world as a whole: new files are put in place, and the cost of resolution does not
//! grow with the number of paths to a base type.

use std::sync::Arc;

use codeagent_lang::project::ProjectModel;
use codeagent_lang::{FileId, World, WorldFile, link};
use codeagent_model::graph::Dialect;

use crate::LANGUAGES;

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
