//! Targets other than symbols: folders and git ranges.

use std::path::Path;

use serde_json::{Value, json};

use crate::tools::support::{Peer, Session};

const FILES: [(&str, &[u8]); 4] = [
    (
        "lib/cart.ts",
        b"import { price } from './price';
export class Cart { total() { return price(); } }
",
    ),
    ("lib/price.ts", b"export function price() { return 1; }\n"),
    (
        "app/main.ts",
        b"import { Cart } from '../lib/cart';
export function main() { return new Cart().total(); }
",
    ),
    ("alone/one.ts", b"export function one() {}\n"),
];

fn field<'a>(rows: &'a Value, name: &str) -> Vec<&'a str> {
    let rows = rows["results"].as_array().unwrap();
    rows.iter().map(|row| row[name].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_folder_depends_on_what_is_outside_of_it() {
    let session = Session::indexed(&FILES).await;
    let used = session
        .structured("get_dependencies", json!({ "node_id": "app/" }))
        .await;
    let mut names = field(&used, "qualified_name");
    names.sort_unstable();
    names.dedup();
    assert_eq!(
        names,
        ["lib/cart.ts", "lib/cart.ts#Cart", "lib/cart.ts#Cart.total"],
        "{used}"
    );

    let users = session
        .structured("get_dependents", json!({ "node_id": "lib" }))
        .await;
    let names = field(&users, "qualified_name");
    assert!(names.contains(&"app/main.ts#main"), "{users}");
    assert!(
        names.iter().all(|name| name.starts_with("app/")),
        "uses within the folder are left out: {users}"
    );

    let alone = session
        .structured("get_dependents", json!({ "node_id": "alone" }))
        .await;
    assert_eq!(alone["note"], "nothing else in the repository uses alone");
    let alone = session
        .structured("get_dependencies", json!({ "node_id": "alone" }))
        .await;
    assert_eq!(alone["note"], "alone uses nothing else in the repository");
}

#[tokio::test]
async fn the_outline_of_a_folder_has_the_outermost_symbols_of_its_files() {
    let session = Session::indexed(&FILES).await;
    let outline = session
        .structured("get_file_outline", json!({ "path": "lib" }))
        .await;
    assert_eq!(
        field(&outline, "qualified_name"),
        ["lib/cart.ts#Cart", "lib/price.ts#price"]
    );
    assert_eq!(
        field(&outline, "file_path"),
        ["lib/cart.ts", "lib/price.ts"]
    );
    let whole = session
        .structured("get_file_outline", json!({ "path": "" }))
        .await;
    assert_eq!(field(&whole, "name"), ["one", "main", "Cart", "price"]);
    let file = session
        .structured("get_file_outline", json!({ "path": "cart.ts" }))
        .await;
    assert_eq!(
        field(&file, "name"),
        ["Cart", "total"],
        "a unique file name"
    );
    session.write("docs/readme.md", "text");
    let none = session
        .structured("get_file_outline", json!({ "path": "docs" }))
        .await;
    assert_eq!(none["error"]["code"], "invalid_parameter", "{none}");
}

#[tokio::test]
async fn names_are_understood_in_other_notations() {
    let session = Session::indexed(&[(
        "a.cs",
        b"public class List<T> { public void Add(T item) { } void Go() { Add(default); } }",
    )])
    .await;
    for name in ["List::Add", "List<T>.Add", "List`1.Add"] {
        let answer = session
            .structured("get_callers", json!({ "node_id": name }))
            .await;
        assert_eq!(field(&answer, "qualified_name"), ["List.Go"], "{name}");
    }
}

fn git(root: &Path, arguments: &[&str]) {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
    let status = std::process::Command::new("git")
        .arg("-C")
        .arg(root)
        .args(identity)
        .args(arguments)
        .status();
    assert!(status.is_ok_and(|status| status.success()), "{arguments:?}");
}

async fn impact(peer: &Peer, target: &str) -> String {
    let call = rmcp::model::CallToolRequestParams::new("get_impact")
        .with_arguments(json!({ "target": target }).as_object().unwrap().clone());
    let result = peer.client.call_tool(call).await.unwrap();
    result.content[0].as_text().unwrap().text.clone()
}

#[tokio::test]
async fn the_impact_of_a_git_range_is_that_of_the_symbols_that_differ() {
    let session = Session::over(&FILES).await;
    let root = session.root.path();
    git(root, &["init", "-q", "-b", "main"]);
    session.write(".gitignore", ".codeagent\n");
    git(root, &["add", "."]);
    git(root, &["commit", "-q", "-m", "one"]);
    session.write("lib/price.ts", "export function price() { return 2; }\n");
    git(root, &["commit", "-q", "-a", "-m", "two"]);
    session.state.start();
    session.state.wait();

    for range in ["HEAD~1..HEAD", "HEAD~1"] {
        let text = impact(&session, range).await;
        assert!(
            text.starts_with(&format!("1 symbol added or changed in {range}\n")),
            "{text}"
        );
        assert!(text.contains("function price()  lib/price.ts:1"), "{text}");
        assert!(text.contains("Cart.total"), "{text}");
    }
    let nothing = impact(&session, "HEAD").await;
    assert!(nothing.starts_with("0 symbols"), "{nothing}");
    let unknown = impact(&session, "none..HEAD").await;
    assert!(
        unknown.contains("no commit `none` in the git repository"),
        "{unknown}"
    );
}
