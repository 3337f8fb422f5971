//! Hostile names that every nested symbol repeats: long ones, and deeply nested ones. Database and
//! memory stay linear in the text.

use super::Expected::{Either, Failed, Indexed};
use super::{Row, each, many, nested, row};

/// Maximum ratio of database to text size.
const GROWTH: u64 = 60;

pub fn table() -> Vec<Row> {
    let long = "N".repeat(31_000);
    let lines = |text: String| text.replace("; ", ";\n");
    let members = each(5000, |i| format!("int a{i};"));
    let table = vec![
        row(
            "C# members of a long name",
            "a.cs",
            format!("class {long} {{\n{members}}}"),
            Indexed,
        ),
        row(
            "C# members of a long namespace",
            "a.cs",
            format!("namespace {long}.{long};\nclass C {{\n{members}}}"),
            Indexed,
        ),
        row(
            "C# namespace of 15,000 parts",
            "a.cs",
            format!(
                "namespace {}A;\nclass C {{\n{members}}}",
                many("A.", 15_000)
            ),
            Indexed,
        ),
        row(
            "C# 15,000 namespaces of a file",
            "a.cs",
            lines("namespace A.B; class C {} ".repeat(15_000)),
            Either,
        ),
        row(
            "C# nested namespaces of long names",
            "a.cs",
            nested(
                &format!("namespace {} {{\n", "N".repeat(400)),
                &members,
                "}",
                200,
            ),
            Indexed,
        ),
        row(
            "C# nested classes with members",
            "a.cs",
            nested("class A { int x; void F() { }\n", "", "}", 4_000),
            Indexed,
        ),
        row(
            "C# long interface names",
            "a.cs",
            format!(
                "class C : {long} {{\n{}}}",
                each(20, |i| format!("void {long}.F{i}() {{ }}"))
            ),
            Failed("generated"),
        ),
        row(
            "TS members of a long name",
            "a.ts",
            format!("export class {long} {{\n{members}}}").replace("int ", ""),
            Indexed,
        ),
        row(
            "TS nested namespaces with members",
            "a.ts",
            nested("namespace A { export let x = 1;\n", "", "}", 4_000),
            Indexed,
        ),
        row(
            "TS nested namespaces of long names",
            "a.ts",
            nested(
                &format!("namespace {} {{\n", "N".repeat(400)),
                &members.replace("int", "let"),
                "}",
                200,
            ),
            Indexed,
        ),
        row(
            "TS namespace of 15,000 parts",
            "a.ts",
            format!(
                "namespace {}A {{\n{}}}",
                many("A.", 15_000),
                members.replace("int", "export let")
            ),
            Either,
        ),
        row(
            "TS nested functions with members",
            "a.ts",
            nested("function f() { let x = 1;\n", "", "}", 4_000),
            Indexed,
        ),
    ];
    table
        .into_iter()
        .map(|row| Row {
            growth: GROWTH,
            ..row
        })
        .collect()
}
