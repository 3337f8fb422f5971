//! Incomplete lists say so: they give the number of possible further results and the first
//! locations.

use serde_json::{Value, json};

use crate::tools::support::Session;

fn lines(answer: &Value, name: &str) -> Vec<String> {
    answer[name]
        .as_array()
        .unwrap_or(&Vec::new())
        .iter()
        .map(|line| line.as_str().unwrap().to_owned())
        .collect()
}

const DOOR: &str = "export class Door {
  close() {}
  swing() {}
}
export function go(thing: any) {
  thing.close();
  thing.close();
}
export function idle() {}
export interface Shape { area: number }
export const unit: Shape = { area: 1 };
";

#[tokio::test]
async fn uses_without_a_target_are_listed() {
    let session = Session::indexed(&[("door.ts", DOOR.as_bytes())]).await;
    for tool in [
        "get_callers",
        "get_references",
        "get_dependents",
        "get_implementations",
    ] {
        let answer = session
            .structured(tool, json!({ "node_id": "Door.close" }))
            .await;
        assert_eq!(answer["unresolved_sites"], 2, "{tool}: {answer}");
        assert_eq!(
            lines(&answer, "unresolved"),
            ["door.ts:6:9 thing.close();", "door.ts:7:9 thing.close();"],
            "{tool}"
        );
    }
    for tool in ["get_callees", "get_dependencies"] {
        let answer = session
            .structured(tool, json!({ "node_id": "door.ts#go" }))
            .await;
        assert_eq!(answer["unresolved_sites"], 2, "{tool}: {answer}");
        assert_eq!(lines(&answer, "unresolved").len(), 2, "{tool}: {answer}");
    }
    let open = session
        .structured("get_callees", json!({ "node_id": "go" }))
        .await;
    let note = open["note"].as_str().unwrap();
    assert!(
        note.contains("no call in door.ts#go resolves to this repository")
            && !note.contains("calls nothing"),
        "{note}"
    );
    let nothing = session
        .structured("get_callees", json!({ "node_id": "idle" }))
        .await;
    assert!(
        nothing["note"].as_str().unwrap().contains("calls nothing")
            && nothing.get("unresolved").is_none(),
        "{nothing}"
    );
    let unused = session
        .structured("get_dependencies", json!({ "node_id": "idle" }))
        .await;
    assert_eq!(
        unused["note"],
        "door.ts#idle uses nothing that is declared in this repository"
    );
    let literals = session
        .structured("get_implementations", json!({ "node_id": "Shape" }))
        .await;
    assert!(
        literals["note"]
            .as_str()
            .unwrap()
            .contains("object literals"),
        "{literals}"
    );
}

#[tokio::test]
async fn an_empty_answer_names_unreadable_files() {
    let long = format!(
        "class CallContext {{ void M() {{ new T().Only(); }} }} // {}",
        "x".repeat(30_000)
    );
    let files: [(&str, &[u8]); 4] = [
        ("T.cs", b"public class T { public void Only() { } public void Used() { } void Go() { Used(); } }"),
        ("Long.cs", long.as_bytes()),
        ("b/Binary.cs", b"\0\0\0\0"),
        ("a.ts", b"export function alone() {}"),
    ];
    let session = Session::indexed(&files).await;
    let expected = "2 source files could not be read or parsed, so their symbols and uses are missing here: Long.cs, b/Binary.cs";
    for tool in ["get_callers", "get_references", "get_implementations"] {
        let answer = session
            .structured(tool, json!({ "node_id": "T.Only" }))
            .await;
        assert!(
            answer["note"].as_str().unwrap().contains(expected),
            "{tool}: {answer}"
        );
    }
    let used = session
        .structured("get_callers", json!({ "node_id": "T.Used" }))
        .await;
    assert!(
        !used["note"].as_str().unwrap_or_default().contains(expected),
        "{used}"
    );
    let other = session
        .structured("get_callers", json!({ "node_id": "alone" }))
        .await;
    assert!(
        !other["note"]
            .as_str()
            .unwrap()
            .contains("could not be read"),
        "files of another language do not matter: {other}"
    );
    for (tool, arguments) in [
        ("search_symbols", json!({ "query": "Nowhere" })),
        ("lookup_symbol", json!({ "qualified_name": "Nowhere" })),
    ] {
        let answer = session.structured(tool, arguments).await;
        assert!(
            answer["note"].as_str().unwrap().contains(expected),
            "{tool}: {answer}"
        );
    }
}

const HEARD: &str = "import { Box } from \"outside\";
export class Door {
  open() {}
}
const heard: { (change: string): void }[] = [];
export function tell() {
  heard[0](\"x\");
}
export function reach(box: Box<Door, Gate>) {
  box.current.open();
}
export class Gate {
  open() {}
}
";

#[tokio::test]
async fn calls_of_values_are_listed_as_unresolved() {
    let session = Session::indexed(&[("heard.ts", HEARD.as_bytes())]).await;
    for (name, line) in [
        ("tell", "heard.ts:7:3 heard[0](\"x\");"),
        ("reach", "heard.ts:10:15 box.current.open();"),
    ] {
        let answer = session
            .structured("get_callees", json!({ "node_id": name }))
            .await;
        assert_eq!(
            (&answer["unresolved_sites"], lines(&answer, "unresolved")),
            (&json!(1), vec![line.to_owned()]),
            "{answer}"
        );
        assert!(
            !answer["note"].as_str().unwrap().contains("calls nothing"),
            "{answer}"
        );
    }
}

const MODEL: &str = "import { Model } from \"some-orm\";
export class Document extends Model {
  publish() {}
}
export async function create() {
  const document = await Document.build({});
  document.publish();
  document.save();
  log();
}
function log() {}
";

/// An undeclared base class may return instances of the class, so the call does not count as
/// external.
#[tokio::test]
async fn callees_without_a_known_target_are_listed() {
    let session = Session::indexed(&[("model.ts", MODEL.as_bytes())]).await;
    let answer = session
        .structured("get_callees", json!({ "node_id": "create" }))
        .await;
    assert_eq!(
        answer["results"].as_array().map(Vec::len),
        Some(1),
        "{answer}"
    );
    assert_eq!(
        (&answer["unresolved_sites"], lines(&answer, "unresolved")),
        (
            &json!(1),
            vec!["model.ts:7:12 document.publish();".to_owned()]
        )
    );
    let callers = session
        .structured("get_callers", json!({ "node_id": "Document.publish" }))
        .await;
    assert_eq!(
        lines(&callers, "unresolved"),
        ["model.ts:7:12 document.publish();"]
    );
}

#[tokio::test]
async fn lower_candidates_are_listed() {
    let source = "class Door\n{\n    void Open(int a) { }\n    void Open(string a) { }\n    void Run() { Open(Unknown.Thing()); }\n}\n";
    let session = Session::indexed(&[("door.cs", source.as_bytes())]).await;
    for tool in ["get_callers", "get_references", "get_dependents"] {
        let likely = session
            .structured(tool, json!({ "node_id": "Door.Open(int)" }))
            .await;
        assert!(likely.get("possible").is_none(), "{likely}");
        let other = session
            .structured(tool, json!({ "node_id": "Door.Open(string)" }))
            .await;
        assert_eq!(
            (
                &other["results"]
                    .as_array()
                    .map(|rows| rows.iter().any(|row| row["name"] == "Run")),
                &other["possible_sites"]
            ),
            (&Some(false), &json!(1)),
            "{tool}: {other}"
        );
        assert_eq!(
            lines(&other, "possible"),
            ["door.cs:5:18 void Run() { Open(Unknown.Thing()); }"],
            "{tool}"
        );
    }
}

#[tokio::test]
async fn unindexed_files_are_searched_for_a_name_without_users() {
    let files: [(&str, &[u8]); 4] = [
        ("Cart.cs", b"public class Cart { public int Total() => 1; public int Used() => 2; int Go() => Used(); }"),
        ("Pages/Cart.razor", b"<p>@cart.Total()</p>\n<p>@cart.Used() SubTotal</p>\n"),
        ("web.xml", b"<a m=\"Total\"/>"),
        ("notes.md", b"Total is not looked for in prose"),
    ];
    let session = Session::indexed(&files).await;
    for tool in [
        "get_callers",
        "get_references",
        "get_dependents",
        "get_implementations",
    ] {
        let asked = if tool == "get_dependents" {
            json!({ "node_id": "Cart.Total", "edge_type": "calls" })
        } else {
            json!({ "node_id": "Cart.Total" })
        };
        let answer = session.structured(tool, asked).await;
        assert_eq!(answer["textual_sites"], 2, "{tool}: {answer}");
        assert_eq!(
            lines(&answer, "textual"),
            [
                "Pages/Cart.razor:1 (template) <p>@cart.Total()</p>",
                "web.xml:1 (configuration) <a m=\"Total\"/>"
            ],
            "{tool}"
        );
    }
    session.write("web.xml", "<a m=\"SubTotal\"/>");
    session.write("Pages/New.html", "<i>Total</i>");
    let edited = session
        .structured("get_callers", json!({ "node_id": "Cart.Total" }))
        .await;
    assert_eq!(
        lines(&edited, "textual"),
        [
            "Pages/Cart.razor:1 (template) <p>@cart.Total()</p>",
            "Pages/New.html:1 (markup) <i>Total</i>"
        ]
    );
    let used = session
        .structured("get_callers", json!({ "node_id": "Cart.Used" }))
        .await;
    assert_eq!(
        lines(&used, "textual"),
        ["Pages/Cart.razor:2 (template) <p>@cart.Used() SubTotal</p>"]
    );
    let status = session.structured("get_status", json!({})).await;
    assert!(
        status["text_of_no_language_percent"]
            .as_f64()
            .is_some_and(|share| share > 10.0 && share < 60.0),
        "{status}"
    );
}

#[tokio::test]
async fn callers_of_a_type_count_those_of_its_constructors() {
    let source =
        "class Door { public Door(int a) { } }\nclass Shed { void Go() { new Door(1); } }\n";
    let session = Session::indexed(&[("a.cs", source.as_bytes())]).await;
    let answer = session
        .structured("get_callers", json!({ "node_id": "Door" }))
        .await;
    let note = answer["note"].as_str().unwrap();
    assert!(
        note.contains("its constructors have 1 caller: `get_callers Door.Door`"),
        "{note}"
    );
    assert!(!note.contains("nothing constructs"), "{note}");
}

#[tokio::test]
async fn filters_select_results() {
    let files: [(&str, &[u8]); 3] = [
        ("src/Door.cs", b"public class Door { public void Open(int a) { } public void Open(string b) { } public int X => Y(); int Y() { Open(Un.Known()); return 1; } }"),
        ("src/Use.cs", b"class Use { void Go(Door d) { d.Open(1); } }\nclass Gate : Door { }\nstruct Size { }"),
        ("tests/UseTests.cs", b"class UseTests { void Check(Door d) { d.Open(2); } }"),
    ];
    let session = Session::indexed(&files).await;
    for (tool, asked) in [
        ("lookup_symbol", json!({ "qualified_name": "Size" })),
        ("search_symbols", json!({ "query": "Size" })),
    ] {
        let found = session.structured(tool, asked).await;
        assert_eq!(found["results"][0]["kind"], "struct", "{tool}: {found}");
    }
    for tool in ["get_callers", "get_references", "get_dependents"] {
        for (name, value, expected) in [
            ("tests", "only", vec!["Check"]),
            ("tests", "without", vec!["Y", "Go"]),
            ("path", "src/U*.cs", vec!["Go"]),
            ("path", "tests", vec!["Check"]),
            ("kind", "method", vec!["Y", "Go", "Check"]),
            ("min_confidence", "exact", vec!["Go", "Check"]),
        ] {
            let mut asked = json!({ "node_id": "Door.Open(int)" });
            asked[name] = value.into();
            let answer = session.structured(tool, asked).await;
            let calls = answer["results"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|row| row["edge_type"].is_null() || row["edge_type"] == "calls");
            let names: Vec<&str> = calls.map(|row| row["name"].as_str().unwrap()).collect();
            assert_eq!(names, expected, "{tool} {name} {value}: {answer}");
        }
        let none = session
            .structured(
                tool,
                json!({ "node_id": "Door.Open(int)", "kind": "interface" }),
            )
            .await;
        assert!(
            none["results"] == json!([])
                && none["note"]
                    .as_str()
                    .unwrap()
                    .contains("no result matches the filters"),
            "{none}"
        );
    }
    for (tool, asked, place) in [
        ("get_callees", "Use.Go", "src/D*"),
        ("get_dependencies", "Use.Go", "src/D*"),
        ("get_implementations", "Door", "src"),
    ] {
        for (name, value, is_left) in [
            ("path", place, true),
            ("path", "tests", false),
            ("tests", "without", true),
            ("tests", "only", false),
            ("kind", "enum", false),
            ("min_confidence", "exact", true),
        ] {
            let mut asked = json!({ "node_id": asked });
            asked[name] = value.into();
            let answer = session.structured(tool, asked).await;
            assert_eq!(
                !answer["results"].as_array().unwrap().is_empty(),
                is_left,
                "{tool} {name} {value}: {answer}"
            );
        }
    }
    let wrong = session
        .structured(
            "get_callers",
            json!({ "node_id": "Door", "kind": "no such kind" }),
        )
        .await;
    assert!(
        wrong["error"]["message"]
            .as_str()
            .unwrap()
            .contains("`kind` must be one of class, struct"),
        "{wrong}"
    );
}

#[tokio::test]
async fn an_unknown_project_lists_the_known_ones() {
    let session = Session::indexed(&[
        ("A/A.csproj", b"<Project Sdk=\"Microsoft.NET.Sdk\" />"),
        ("A/a.cs", b"class A { }"),
    ])
    .await;
    for (tool, name) in [
        ("search_symbols", "query"),
        ("lookup_symbol", "qualified_name"),
    ] {
        let mut asked = json!({ "project_id": "B.csproj" });
        asked[name] = "A".into();
        let error = session.structured(tool, asked).await["error"].take();
        assert_eq!(
            (&error["code"], error["message"].as_str().unwrap()),
            (
                &json!("invalid_parameter"),
                "no project \"B.csproj\"; the projects are:\nA/A.csproj"
            )
        );
    }
}

#[tokio::test]
async fn a_tree_of_any_repository_fits_on_a_page() {
    let files: Vec<(String, Vec<u8>)> = (0..40)
        .flat_map(|folder| {
            (0..60).map(move |file| {
                (
                    format!("folder{folder:02}/sub/file-of-a-name-that-is-long-{file:03}.txt"),
                    Vec::new(),
                )
            })
        })
        .collect();
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_slice()))
        .collect();
    let session = Session::over(&files).await;
    let tree = session
        .structured("get_directory_tree", json!({ "depth": 5 }))
        .await;
    assert!(
        tree.to_string().chars().count() <= 48_000,
        "{}",
        tree.to_string().chars().count()
    );
    let folders = tree["children"].as_array().unwrap();
    assert_eq!(folders.len(), 40, "what is near the top comes first");
    let sub = &folders[39]["children"][0];
    let shown = sub["children"].as_array().unwrap().len() as u64;
    assert_eq!(
        (sub["truncated"].as_bool(), sub["more"].as_u64()),
        (Some(true), Some(60 - shown)),
        "{sub}"
    );
    assert!(tree["note"].as_str().unwrap().contains("`more`"), "{tree}");
}

#[tokio::test]
async fn uses_of_a_function_that_is_exported_wrapped_are_pointed_to() {
    let files: [(&str, &[u8]); 3] = [
        (
            "present.ts",
            b"declare function trace(options: object): <T>(wrapped: T) => T;
function present(x: string) { return x; }
export default trace({ name: 'present' })(present);
",
        ),
        (
            "row.tsx",
            b"declare function memo<T>(inner: T): T;
declare function observer<T>(inner: T): T;
function Body() { return null; }
const Row = memo(Body);
export default observer(Row);
",
        ),
        (
            "use.tsx",
            b"import present from './present';
import Row from './row';
export function go() { present('a'); present('b'); }
export const page = () => <Row />;
",
        ),
    ];
    let session = Session::indexed(&files).await;
    for tool in ["get_callers", "get_references"] {
        let answer = session
            .structured(tool, json!({ "node_id": "present.ts#present" }))
            .await;
        let note = answer["note"].as_str().unwrap();
        assert!(
            note.contains(
                "2 further uses are of `default` (line 3), which wraps it: \
                 `get_references present.ts#default`"
            ),
            "{tool}: {note}"
        );
        // A wrapper of a wrapper counts as well.
        let answer = session
            .structured(tool, json!({ "node_id": "row.tsx#Body" }))
            .await;
        let note = answer["note"].as_str().unwrap();
        assert!(
            note.contains("1 further use is of `default` (line 5), which wraps it"),
            "{tool}: {note}"
        );
    }
}

#[tokio::test]
async fn the_likeliest_unresolved_uses_come_first_and_the_others_on_further_pages() {
    let far: String = (0..300)
        .map(|number| {
            format!(
                "  thing.close(); // use {number} in a file that has nothing to do with doors\n"
            )
        })
        .collect();
    let far = format!("export function far(thing: any) {{\n{far}}}\n");
    let files: [(&str, &[u8]); 3] = [
        ("a/far.ts", far.as_bytes()),
        ("door.ts", b"export class Door { close() {} }\n"),
        (
            "z/near.ts",
            b"import { Door } from '../door';
export const door = new Door();
export function go(thing: any) {
  thing.close(1, 2);
  thing.close();
}
",
        ),
    ];
    let session = Session::indexed(&files).await;
    let mut arguments = json!({ "node_id": "Door.close" });
    let (mut all, mut pages) = (Vec::new(), 0);
    loop {
        let answer = session.structured("get_callers", arguments.clone()).await;
        assert_eq!(answer["unresolved_sites"], 302, "{answer}");
        assert!(answer.to_string().chars().count() < 10_500);
        all.extend(lines(&answer, "unresolved"));
        pages += 1;
        let Some(cursor) = answer["unresolved_cursor"].as_str() else {
            break;
        };
        arguments["cursor"] = cursor.into();
    }
    assert_eq!((all.len(), pages > 2), (302, true));
    assert_eq!(all[0], "z/near.ts:5:9 thing.close();");
    assert_eq!(all[1], "z/near.ts:4:9 thing.close(1, 2);");
    assert!(all[2].starts_with("a/far.ts:2:9"), "{}", all[2]);
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 302);

    let other = session
        .structured(
            "get_callers",
            json!({ "node_id": "z/near.ts#go", "cursor": arguments["cursor"] }),
        )
        .await;
    assert_eq!(other["error"]["code"], "invalid_parameter", "{other}");
}
