//! Nodes of declarations: those that have one of their own, and those that share one.

use std::sync::Arc;

use codeagent_core::LANGUAGES;
use codeagent_core::model::graph::{Dialect, NodeKind};
use codeagent_lang::nodes::NodeTable;
use codeagent_lang::project::ProjectModel;
use codeagent_lang::{World, WorldFile};

fn table(files: &[(&str, &str)]) -> NodeTable {
    let files = files
        .iter()
        .map(|(path, text)| {
            let dialect = Dialect::of_path(path).expect("a language we index");
            WorldFile {
                path: Arc::from(*path),
                facts: Arc::new(LANGUAGES.extract(text, dialect, &[])).into(),
                external: false,
                package: None,
            }
        })
        .collect();
    NodeTable::build(&World::build(
        files,
        Arc::new(ProjectModel::empty(LANGUAGES)),
    ))
}

fn names(table: &NodeTable) -> Vec<String> {
    let mut names: Vec<String> = table
        .nodes()
        .filter(|node| node.kind != NodeKind::File)
        .map(|node| {
            format!(
                "{} {} x{}",
                node.kind,
                node.qualified_name,
                node.spans.len()
            )
        })
        .collect();
    names.sort();
    names
}

#[test]
fn parts_of_a_partial_class_are_one_node_and_overloads_are_several() {
    let table = table(&[
        (
            "a.cs",
            "namespace N; partial class C { void M(int a) {} void M(string a) {} }",
        ),
        (
            "b.cs",
            "namespace N { partial class C { int P { get; set; } } class C<T> { } }",
        ),
    ]);
    assert_eq!(
        names(&table),
        [
            "class N.C x1",
            "class N.C x2",
            "method N.C.M x1",
            "method N.C.M x1",
            "namespace N x2",
            "property N.C.P x1"
        ]
    );
    let mut ids: Vec<_> = table.nodes().map(|node| node.id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), table.nodes().count());
}

#[test]
fn true_duplicates_get_an_ordinal() {
    let table = table(&[("a.cs", "class C { }"), ("b.cs", "class C { }")]);
    assert_eq!(names(&table), ["class C x1", "class C x1"]);
    let ids: Vec<_> = table
        .nodes()
        .filter(|node| node.kind == NodeKind::Class)
        .map(|node| node.id)
        .collect();
    assert_ne!(ids[0], ids[1]);
}

#[test]
fn typescript_merges_within_a_scope_and_space() {
    let table = table(&[(
        "src/a.ts",
        "export interface A { x: number }\nexport class A { }\nexport interface B { }\nexport const B = 1;\nexport function f(a: string): void;\nexport function f(a: any) { }\n",
    )]);
    assert_eq!(
        names(&table),
        [
            "class src/a.ts#A x2",
            "function src/a.ts#f x2",
            "interface src/a.ts#B x1",
            "property src/a.ts#A.x x1",
            "variable src/a.ts#B x1"
        ]
    );
}
