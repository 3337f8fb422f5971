//! Unsaved text: answers are those of the saved files, and nothing of it is stored.

use codeagent_core::{Engine, EngineOptions, resolve_symbol};
use codeagent_workspace::DataRoot;
use serde_json::{Value, json};

use crate::client::{Client, position_of};

const PRICE: &str = "export function price(): number { return 1 }\n";
const CART: &str = "import { price } from './price'\nexport function total() { return price() }\n";

fn repository() -> Client {
    Client::over(&[("price.ts", PRICE), ("cart.ts", CART)])
}

fn references(client: &mut Client, path: &str, at: (u32, u32)) -> Vec<String> {
    let found = client.ask_at("references", path, at);
    client.places(&found)
}

#[test]
fn an_edit_moves_the_positions_of_the_document() {
    let mut client = repository();
    client.open("price.ts", None);
    assert_eq!(
        references(&mut client, "price.ts", (0, 17)),
        ["cart.ts:0:9-14", "cart.ts:1:33-38"]
    );

    client.edit("price.ts", [0, 0, 0, 0], "// first\n// second\n");
    assert_eq!(
        references(&mut client, "price.ts", (2, 17)),
        ["cart.ts:0:9-14", "cart.ts:1:33-38"]
    );
    let found = client.ask_about("definition", "cart.ts", "price()", 0);
    assert_eq!(client.places(&found), ["price.ts:2:16-21"]);
    client.end();
}

#[test]
fn a_new_use_in_one_document_is_found_from_another_file() {
    let mut client = repository();
    client.open("cart.ts", None);
    client.edit(
        "cart.ts",
        [2, 0, 2, 0],
        "export const twice = () => price() * 2\n",
    );
    assert_eq!(
        references(&mut client, "price.ts", (0, 17)),
        ["cart.ts:0:9-14", "cart.ts:1:33-38", "cart.ts:2:27-32"]
    );

    // A second edit, of another document, and a rename across both.
    client.open("price.ts", None);
    client.edit("price.ts", [0, 16, 0, 21], "cost");
    // Nothing exported has the name any more, so the import itself is the definition.
    let found = client.ask_about("definition", "cart.ts", "price()", 0);
    assert_eq!(client.places(&found), ["cart.ts:0:9-14"]);
    client.edit("cart.ts", [0, 9, 0, 14], "cost");
    client.edit("cart.ts", [2, 27, 2, 32], "cost");
    assert_eq!(
        references(&mut client, "price.ts", (0, 17)),
        ["cart.ts:0:9-13", "cart.ts:2:27-31"]
    );
    client.end();
}

#[test]
fn closing_or_saving_a_document_leads_back_to_the_files() {
    let mut client = repository();
    client.open("price.ts", None);
    client.edit("price.ts", [0, 0, 0, 0], "\n");
    let definition = |client: &mut Client| {
        let found = client.ask_about("definition", "cart.ts", "price()", 0);
        client.places(&found)
    };
    assert_eq!(definition(&mut client), ["price.ts:1:16-21"]);

    let document = json!({ "uri": client.uri("price.ts") });
    client.notify("textDocument/didClose", json!({ "textDocument": document }));
    assert_eq!(definition(&mut client), ["price.ts:0:16-21"]);

    client.open("price.ts", Some(&format!("\n\n{PRICE}")));
    assert_eq!(definition(&mut client), ["price.ts:2:16-21"]);
    std::fs::write(client.root.join("price.ts"), format!("\n\n{PRICE}")).unwrap();
    assert_eq!(definition(&mut client), ["price.ts:2:16-21"]);

    // A file changed by another program, while a document is unsaved.
    client.edit("price.ts", [0, 0, 0, 0], "\n");
    std::fs::write(client.root.join("late.ts"), CART).unwrap();
    assert_eq!(
        references(&mut client, "price.ts", (3, 17)),
        [
            "cart.ts:0:9-14",
            "cart.ts:1:33-38",
            "late.ts:0:9-14",
            "late.ts:1:33-38"
        ]
    );
    client.end();
}

#[test]
fn unsaved_text_is_never_stored_in_the_repositorys_index() {
    let mut client = repository();
    client.open("price.ts", None);
    client.edit("price.ts", [1, 0, 1, 0], "export function secret() {}\n");
    let found = client.ask("workspace/symbol", json!({ "query": "secret" }));
    assert_eq!(found[0]["name"], "secret", "the editor sees it");

    let (root, home) = (client.root.clone(), client.home().to_owned());
    let scratch: Vec<_> = walk(&home)
        .into_iter()
        .filter(|path| path.contains("scratch"))
        .collect();
    assert!(!scratch.is_empty(), "there is a copy while it is needed");

    let keep = tempfile::tempdir().unwrap();
    copy(&home, keep.path());
    for name in ["price", "secret"] {
        let options = EngineOptions {
            home: DataRoot::at(keep.path()),
            ..EngineOptions::default()
        };
        let engine = Engine::open(&root, options).unwrap();
        let snapshot = engine.reader().snapshot().unwrap();
        assert_eq!(
            resolve_symbol(&snapshot, name).is_ok(),
            name == "price",
            "{name}"
        );
    }
    client.end();
}

#[test]
fn the_copy_is_removed_with_the_server() {
    let mut client = repository();
    client.open("price.ts", Some("export const other = 1\n"));
    let hover = client.ask_at("hover", "price.ts", (0, 15));
    assert!(hover.is_object());
    let databases = |client: &Client| {
        let is_copy = |path: &String| path.contains("scratch") && path.ends_with("index.db");
        walk(client.home()).into_iter().filter(is_copy).count()
    };
    assert_eq!(databases(&client), 1);
    assert!(client.hang_up().is_err(), "without shutdown");
    assert_eq!(databases(&client), 0);
}

#[test]
fn answers_are_those_of_the_saved_text() {
    let edits: &[(&str, [u32; 4], &str)] = &[
        ("cart.ts", [1, 7, 1, 7], "async "),
        (
            "price.ts",
            [0, 0, 0, 0],
            "export class Tax { rate(): number { return 2 } }\n",
        ),
        ("cart.ts", [0, 9, 0, 14], "price, Tax"),
        (
            "cart.ts",
            [2, 0, 2, 0],
            "export const rate = new Tax().rate()\n",
        ),
        (
            "price.ts",
            [1, 0, 2, 0],
            "export function price(a?: Tax): number { return a ? a.rate() : 1 }\n",
        ),
        ("cart.ts", [1, 0, 2, 0], ""),
    ];
    let mut client = repository();
    client.open("cart.ts", None);
    client.open("price.ts", None);

    let mut texts = [("price.ts", PRICE.to_owned()), ("cart.ts", CART.to_owned())];
    for (path, range, text) in edits {
        client.edit(path, *range, text);
        let edited = &mut texts.iter_mut().find(|(known, _)| known == path).unwrap().1;
        apply(edited, *range, text);

        let files: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (*path, &**text)).collect();
        let mut saved = Client::over(&files);
        for (path, text) in &files {
            for word in ["price", "Tax", "rate", "total"] {
                for nth in 0..text.matches(word).count() {
                    let at = position_of(text, word, nth);
                    for method in ["definition", "references", "hover", "implementation"] {
                        let unsaved = client.ask_at(method, path, at);
                        let expected = saved.ask_at(method, path, at);
                        assert_eq!(
                            relative(&client, &unsaved),
                            relative(&saved, &expected),
                            "{method} of {word} {nth} in {path}"
                        );
                    }
                }
            }
        }
        saved.end();
    }
    client.end();
}

fn relative(client: &Client, answer: &Value) -> String {
    answer.to_string().replace(&client.uri(""), "")
}

fn apply(text: &mut String, [a, b, c, d]: [u32; 4], with: &str) {
    let offset = |line: u32, character: u32| {
        let start: usize = text
            .split_inclusive('\n')
            .take(line as usize)
            .map(str::len)
            .sum();
        start + character as usize
    };
    let range = offset(a, b)..offset(c, d);
    text.replace_range(range, with);
}

fn walk(folder: &std::path::Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        found.push(entry.path().display().to_string());
        if entry.path().is_dir() {
            found.extend(walk(&entry.path()));
        }
    }
    found
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else if entry.path().is_file() {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
