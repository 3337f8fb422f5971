//! Tests that the cost of resolution does not grow with the number of paths to a base type.

use std::sync::Arc;

use codeagent_lang::project::ProjectModel;
use codeagent_lang::{FileId, World, WorldFile, link};
use codeagent_model::graph::Dialect;

use crate::LANGUAGES;

/// Scripts that are never compiled together repeat the same declarations, as the examples of a
/// formatter do.
#[test]
fn a_base_named_by_many_declarations_is_visited_once() {
    let file = |path: String, text: &str| WorldFile {
        path: Arc::from(path),
        facts: Arc::new(LANGUAGES.extract(text, Dialect::Ts, &[])).into(),
        external: false,
        package: None,
    };
    let same = |number: usize| {
        file(
            format!("s{number}.ts"),
            "class A extends B {} class B extends C {} class C extends D {} class D { own() {} static made() {} }",
        )
    };
    let mut files = vec![file(
        "a.ts".to_owned(),
        "new A().lacking(); new A().lacking_too(); new A().own(); A.made(); A.b(); A.c(); A.d(); A.e();",
    )];
    files.extend((0..100).map(same));
    let resolution = link(
        FileId(0),
        &World::build(files, Arc::new(ProjectModel::empty(LANGUAGES))),
    );
    assert_eq!((resolution.budget_exceeded, resolution.calls), (0, 11));
}
