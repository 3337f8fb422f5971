//! Tools that query symbols of the index.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::tools::support::Session;

const CART: &str = "namespace Shop;

/// <summary>What somebody wants to buy.</summary>
public partial class Cart : IPriced
{
    public int Total(int extra) => Sum() + extra;

    private static int Sum() => 1;
}
";

const REST: &str = "namespace Shop;

public interface IPriced
{
    int Total(int extra);
}

public partial class Cart
{
    public int Twice() => Total(1) + Total(2);
}

public class Desk
{
    public int Pay(IPriced priced, Cart cart) => priced.Total(0) + cart.Total(0);
}
";

async fn session() -> Session {
    Session::indexed(&[
        (
            "Shop.csproj",
            b"<Project Sdk=\"Microsoft.NET.Sdk\"><PropertyGroup><TargetFramework>net8.0</TargetFramework></PropertyGroup></Project>",
        ),
        ("src/Cart.cs", CART.as_bytes()),
        ("src/Rest.cs", REST.as_bytes()),
        ("web/menu.tsx", b"export function Menu() {\n  return <div />;\n}\n"),
    ])
    .await
}

async fn check(tool: &str, arguments: Value, expected: Expect) {
    expected.assert_eq(&session().await.ask(tool, arguments).await);
}

#[tokio::test]
async fn search_symbols_ranks_results() {
    check("search_symbols", json!({ "query": "menu" }), expect![[r#"[{"node_id":"nne53pndpogd7","name":"Menu","qualified_name":"web/menu.tsx#Menu","node_type":"component","kind":"function","language":"typescript","file_path":"web/menu.tsx","line_start":1,"line_end":3,"parameter_signature":"()","rank":-523.24},{"node_id":"n2icxfhz2her7","name":"menu.tsx","qualified_name":"web/menu.tsx","node_type":"file","language":"typescript","file_path":"web/menu.tsx","line_start":1,"line_end":3,"rank":-516.99}]"#]]).await;
    check("search_symbols", json!({ "query": "Cart<int>", "node_type": "class", "language": "csharp", "limit": 1 }), expect![[r#"
        [{"node_id":"nirscyn6mv4ku","name":"Cart","qualified_name":"Shop.Cart","node_type":"class","language":"csharp","file_path":"src/Cart.cs","line_start":4,"line_end":9,"access_modifier":"public","rank":-71.75,"score":0.35,"matched":["words","letters"]}]
        {"note":"searched for the words as typed; no exact match, these are the closest"}"#]]).await;
    check(
        "search_symbols",
        json!({ "query": "nothing" }),
        expect![[r#"
            []
            {"note":"no matches; try other words, a prefix (`Auth*`) or no filters. Strings, comments and libraries are not searched"}"#]],
    )
    .await;
    check(
        "search_symbols",
        json!({ "query": "a OR ".repeat(300) }),
        expect![[r#"error: {"error":{"code":"invalid_parameter","message":"`query` has 1500 bytes, more than 1000; use fewer words"}}"#]],
    )
    .await;
    check("search_symbols", json!({ "query": " " }), expect![[r#"error: {"error":{"code":"invalid_parameter","message":"`query` is empty; pass a word of the name, or a prefix such as `a*`"}}"#]]).await;
    check("search_symbols", json!({ "query": "a", "node_type": "function" }), expect![[r#"error: {"error":{"code":"invalid_parameter","message":"`node_type` must be one of class, method, interface, property, component, file, module, type, constructor, got \"function\""}}"#]]).await;
}

#[tokio::test]
async fn lookup_symbol_finds_names_and_name_suffixes() {
    check("lookup_symbol", json!({ "qualified_name": "Shop.Desk" }), expect![[r#"[{"node_id":"np6ftjz33gjps","name":"Desk","qualified_name":"Shop.Desk","node_type":"class","language":"csharp","file_path":"src/Rest.cs","line_start":13,"line_end":16,"access_modifier":"public"}]"#]]).await;
    check("lookup_symbol", json!({ "qualified_name": "Desk.Pay" }), expect![[r#"[{"node_id":"nnrhfo6sc5pok","name":"Pay","qualified_name":"Shop.Desk.Pay","node_type":"method","language":"csharp","file_path":"src/Rest.cs","line_start":15,"line_end":15,"access_modifier":"public","parameter_signature":"(IPriced priced, Cart cart)","return_type":"int","match":"suffix"}]"#]]).await;
    check(
        "lookup_symbol",
        json!({ "qualified_name": "Shop.Desc" }),
        expect![[r#"
            []
            {"note":"no symbol has that name; nearest: Shop.Desk; search_symbols also matches parts of names"}"#]],
    )
    .await;
}

#[tokio::test]
async fn find_similar_compares_words_and_letters_without_a_model() {
    check("find_similar", json!({ "node_id": "Shop.Desk" }), expect![[r#"
        [{"node_id":"nirscyn6mv4ku","name":"Cart","qualified_name":"Shop.Cart","node_type":"class","language":"csharp","file_path":"src/Cart.cs","line_start":4,"line_end":9,"access_modifier":"public","score":0.33}]
        {"note":"compared by words and letters (lexhash-384), not by meaning: no model is in use"}"#]]).await;
}

#[tokio::test]
async fn get_symbol_shows_every_field() {
    check("get_symbol", json!({ "node_id": "Shop.Cart" }), expect![[r#"{"node_id":"nirscyn6mv4ku","name":"Cart","qualified_name":"Shop.Cart","node_type":"class","kind":"class","language":"csharp","file_path":"src/Cart.cs","line_start":4,"line_end":9,"access_modifier":"public","dialect":"cs","project_id":"Shop.csproj","is_public_api":true,"is_static":false,"is_abstract":false,"is_async":false,"is_override":false,"is_deprecated":false,"has_doc_comment":true,"parse_status":"full","reference_count":1,"doc":"What somebody wants to buy.","declarations":2}"#]]).await;
    check("get_symbol", json!({ "node_id": "Total" }), expect![[r#"
        {"node_id":"nxko7fovcddtz","name":"Total","qualified_name":"Shop.IPriced.Total","node_type":"method","kind":"method","language":"csharp","file_path":"src/Rest.cs","line_start":5,"line_end":5,"access_modifier":"public","parameter_signature":"(int extra)","return_type":"int","dialect":"cs","project_id":"Shop.csproj","is_public_api":true,"is_static":false,"is_abstract":true,"is_async":false,"is_override":false,"is_deprecated":false,"has_doc_comment":false,"parse_status":"full","parameter_count":1,"reference_count":2,"declarations":1}
        {"symbols":["nxko7fovcddtz Shop.IPriced.Total(int extra) src/Rest.cs:5","ncggvmchpetqg Shop.Cart.Total(int extra) src/Cart.cs:6"]}"#]]).await;
    check("get_symbol", json!({ "node_id": "naaaaaaaaaaaa" }), expect![[r#"error: {"error":{"code":"not_found","message":"no symbol \"naaaaaaaaaaaa\" in the index; search_symbols also matches parts of names; of libraries, only symbols that the repository uses are known"}}"#]]).await;
}

#[tokio::test]
async fn get_source_spans_shows_every_part() {
    check("get_source_spans", json!({ "node_id": "Shop.Cart" }), expect![[r#"[{"file_path":"src/Cart.cs","line_start":4,"line_end":9,"is_primary":true},{"file_path":"src/Rest.cs","line_start":8,"line_end":11,"is_primary":false}]"#]]).await;
}

#[tokio::test]
async fn get_file_outline_is_in_line_order() {
    check("get_file_outline", json!({ "path": "src/Cart.cs" }), expect![[r#"[{"node_id":"n7dnjnodmnlzv","name":"Shop","qualified_name":"Shop","node_type":"module","kind":"namespace","line_start":1,"line_end":9},{"node_id":"nirscyn6mv4ku","name":"Cart","qualified_name":"Shop.Cart","node_type":"class","line_start":4,"line_end":9,"access_modifier":"public"},{"node_id":"ncggvmchpetqg","name":"Total","qualified_name":"Shop.Cart.Total","node_type":"method","line_start":6,"line_end":6,"access_modifier":"public","parameter_signature":"(int extra)","return_type":"int"},{"node_id":"nuonhkksddkkw","name":"Sum","qualified_name":"Shop.Cart.Sum","node_type":"method","line_start":8,"line_end":8,"access_modifier":"private","parameter_signature":"()","return_type":"int"}]"#]]).await;
    check("get_file_outline", json!({ "path": "Shop.csproj" }), expect![[r#"error: {"error":{"code":"not_found","message":"Shop.csproj is not in the index: it is not a C#, TypeScript or JavaScript file, is ignored, or is new (index_files)"}}"#]]).await;
    check(
        "get_file_outline",
        json!({ "path": "src/None.cs" }),
        expect![[
            r#"error: {"error":{"code":"not_found","message":"src/None.cs does not exist"}}"#
        ]],
    )
    .await;
}

#[tokio::test]
async fn get_callers_shows_locations() {
    check("get_callers", json!({ "node_id": "Cart.Total" }), expect![[r#"
        [{"node_id":"n7zzry6rfbquk","name":"Twice","qualified_name":"Shop.Cart.Twice","node_type":"method","file_path":"src/Rest.cs","line_start":10,"confidence":"exact","call_sites":[{"line":10,"column":27,"text":"public int Twice() => Total(1) + Total(2);"},{"line":10,"column":38,"text":"public int Twice() => Total(1) + Total(2);"}]},{"node_id":"nnrhfo6sc5pok","name":"Pay","qualified_name":"Shop.Desk.Pay","node_type":"method","file_path":"src/Rest.cs","line_start":15,"confidence":"exact","call_sites":[{"line":15,"column":73,"text":"public int Pay(IPriced priced, Cart cart) => priced.Total(0) + cart.Total(0);"}]}]
        {"note":"calls through an interface or base class are listed under its member: `get_callers Shop.IPriced.Total`"}"#]]).await;
    check(
        "get_callers",
        json!({ "node_id": "Shop.Desk" }),
        expect![[r#"
            []
            {"note":"Shop.Desk is a class, and nothing constructs or calls it directly; for its members: `get_callers Shop.Desk.*`"}"#]],
    )
    .await;
    check("get_callers", json!({ "node_id": "Desk.Pay" }), expect![[r#"
        []
        {"note":"nothing in the repository calls Shop.Desk.Pay directly; it is public, so code outside the repository, a framework or a test runner may call it"}"#]]).await;
}

#[tokio::test]
async fn get_callees_shows_locations() {
    check("get_callees", json!({ "node_id": "Desk.Pay" }), expect![[r#"[{"node_id":"nxko7fovcddtz","name":"Total","qualified_name":"Shop.IPriced.Total","node_type":"method","file_path":"src/Rest.cs","line_start":5,"confidence":"exact","call_sites":[{"line":15,"column":57,"text":"public int Pay(IPriced priced, Cart cart) => priced.Total(0) + cart.Total(0);"}]},{"node_id":"ncggvmchpetqg","name":"Total","qualified_name":"Shop.Cart.Total","node_type":"method","file_path":"src/Cart.cs","line_start":6,"confidence":"exact","call_sites":[{"file_path":"src/Rest.cs","line":15,"column":73,"text":"public int Pay(IPriced priced, Cart cart) => priced.Total(0) + cart.Total(0);"}]}]"#]]).await;
}

#[tokio::test]
async fn get_implementations_covers_types_and_members() {
    check("get_implementations", json!({ "node_id": "Shop.IPriced" }), expect![[r#"[{"node_id":"nirscyn6mv4ku","name":"Cart","qualified_name":"Shop.Cart","node_type":"class","file_path":"src/Cart.cs","line_start":4,"confidence":"exact","call_sites":[{"line":4,"column":29,"text":"public partial class Cart : IPriced"}],"edge_type":"implements"}]"#]]).await;
}

#[tokio::test]
async fn get_references_lists_all_uses() {
    check("get_references", json!({ "node_id": "Shop.IPriced" }), expect![[r#"[{"node_id":"nirscyn6mv4ku","name":"Cart","qualified_name":"Shop.Cart","node_type":"class","file_path":"src/Cart.cs","line_start":4,"confidence":"exact","call_sites":[{"line":4,"column":29,"text":"public partial class Cart : IPriced"}],"edge_type":"implements"},{"node_id":"nnrhfo6sc5pok","name":"Pay","qualified_name":"Shop.Desk.Pay","node_type":"method","file_path":"src/Rest.cs","line_start":15,"confidence":"exact","call_sites":[{"line":15,"column":20,"text":"public int Pay(IPriced priced, Cart cart) => priced.Total(0) + cart.Total(0);"}],"edge_type":"accepts"}]"#]]).await;
}

#[tokio::test]
async fn get_dependencies_and_dependents_can_be_filtered() {
    check("get_dependencies", json!({ "node_id": "Desk.Pay", "edge_type": "accepts" }), expect![[r#"[{"node_id":"nl2inaqunqrk4","name":"IPriced","qualified_name":"Shop.IPriced","node_type":"interface","file_path":"src/Rest.cs","line_start":3,"confidence":"exact","call_sites":[{"line":15,"column":20,"text":"public int Pay(IPriced priced, Cart cart) => priced.Total(0) + cart.Total(0);"}],"edge_type":"accepts","direction":"outgoing"},{"node_id":"nirscyn6mv4ku","name":"Cart","qualified_name":"Shop.Cart","node_type":"class","file_path":"src/Cart.cs","line_start":4,"confidence":"exact","call_sites":[{"file_path":"src/Rest.cs","line":15,"column":36,"text":"public int Pay(IPriced priced, Cart cart) => priced.Total(0) + cart.Total(0);"}],"edge_type":"accepts","direction":"outgoing"}]"#]]).await;
    check("get_dependents", json!({ "node_id": "Shop.Desk" }), expect![[r#"[{"node_id":"n7dnjnodmnlzv","name":"Shop","qualified_name":"Shop","node_type":"module","kind":"namespace","file_path":"src/Cart.cs","line_start":1,"confidence":"exact","edge_type":"contains","direction":"incoming"}]"#]]).await;
    check("get_dependents", json!({ "node_id": "Shop.Desk", "edge_type": "call" }), expect![[r#"error: {"error":{"code":"invalid_parameter","message":"`edge_type` must be one of calls, inherits, implements, imports, overrides, references, contains, accepts, extends, got \"call\""}}"#]]).await;
}

#[tokio::test]
async fn index_files_indexes_changes() {
    let session = session().await;
    session.write(
        "src/New.cs",
        "namespace Shop; class Fresh { int Go(Desk desk) => desk.Pay(null, null); }",
    );
    std::fs::remove_file(session.root.path().join("web/menu.tsx")).unwrap();
    let paths = json!({ "paths": ["src/New.cs", "web/menu.tsx", "no.cs", "Shop.csproj", "../x.cs", "src"] });
    expect![[r#"{"indexed":2,"errors":[{"path":"no.cs","code":"not_found","message":"no.cs does not exist"},{"path":"Shop.csproj","code":"invalid_parameter","message":"Shop.csproj is not a C#, TypeScript or JavaScript file"},{"path":"../x.cs","code":"path_escape","message":"\"../x.cs\" is outside the repository"},{"path":"src","code":"invalid_parameter","message":"src is not a C#, TypeScript or JavaScript file"}]}"#]].assert_eq(&session.ask("index_files", paths).await);
    let callers = session
        .raw("get_callers", json!({ "node_id": "Desk.Pay" }))
        .await
        .structured_content
        .unwrap();
    assert_eq!(callers["results"][0]["qualified_name"], "Shop.Fresh.Go");
    let gone = session
        .raw("lookup_symbol", json!({ "qualified_name": "Menu" }))
        .await
        .structured_content
        .unwrap();
    assert_eq!(gone["results"], json!([]));
    let many: Vec<String> = (0..101).map(|i| format!("{i}.cs")).collect();
    expect![[r#"error: {"error":{"code":"too_large","message":"`paths` takes at most 100 values, got 101; call again with the rest"}}"#]]
        .assert_eq(&session.ask("index_files", json!({ "paths": many })).await);
}

#[tokio::test]
async fn get_status_never_shows_a_path() {
    let session = session().await;
    let mut status = session
        .raw("get_status", json!({}))
        .await
        .structured_content
        .unwrap();
    assert!(
        !status
            .to_string()
            .contains(session.root.path().to_str().unwrap())
    );
    assert!(
        status["last_batch_at"]
            .take()
            .as_str()
            .is_some_and(|time| time.ends_with('Z'))
    );
    // The number of uses found is covered by the resolvers' tests.
    assert!(
        status["edges"]
            .take()
            .as_u64()
            .is_some_and(|edges| edges > 0)
    );
    expect![[r#"{"healthy":true,"schema_version":11,"indexed_files":3,"indexed_symbols":10,"languages":["csharp","typescript"],"watcher_active":true,"last_batch_at":null,"embedding_model":"lexhash-384","embeddings_count":10,"edges":null,"quality":[{"language":"csharp","files":2,"lines":25,"files_with_errors":0,"files_failed":0,"error_percent":0.0,"calls_resolved_percent":100.0,"sites_given_up":0},{"language":"typescript","files":1,"lines":3,"files_with_errors":0,"files_failed":0,"error_percent":0.0,"sites_given_up":0}],"text_of_no_language_percent":0.0}"#]].assert_eq(&status.to_string());
}

#[tokio::test]
async fn without_an_engine_only_file_tools_answer() {
    let session = Session::over(&[("a.cs", b"class A { }")]).await;
    expect![[r#"error: {"error":{"code":"engine_unavailable","message":"the engine is starting or stopping; try again in a moment"}}"#]]
        .assert_eq(&session.ask("search_symbols", json!({ "query": "A" })).await);
    expect![[r#"
        {"healthy":false,"schema_version":0,"indexed_files":0,"indexed_symbols":0,"languages":[],"watcher_active":false,"last_batch_at":null,"embedding_model":null,"embeddings_count":0,"edges":0,"quality":[]}
        {"indexing":"the engine is closed"}"#]]
        .assert_eq(&session.ask("get_status", json!({})).await);
    assert!(
        session
            .ask("index_files", json!({ "paths": ["a.cs"] }))
            .await
            .contains("engine_unavailable")
    );
    assert!(
        session
            .ask("read_file", json!({ "path": "a.cs" }))
            .await
            .contains("class A")
    );
}

#[tokio::test]
async fn a_second_server_reads_the_index_and_takes_over_writing() {
    let first = session().await;
    let state = codeagent_mcp::state::State::open(
        first.root.path(),
        crate::tools::support::home(first.root.path()),
    )
    .unwrap();
    state.start();
    state.wait();
    let client = crate::tools::support::connect(std::sync::Arc::clone(&state)).await;
    let call = |tool: &'static str, arguments: Value| {
        let Value::Object(arguments) = arguments else {
            panic!("arguments are an object")
        };
        client.call_tool(rmcp::model::CallToolRequestParams::new(tool).with_arguments(arguments))
    };
    let found = call("lookup_symbol", json!({ "qualified_name": "Shop.Desk" }))
        .await
        .unwrap()
        .structured_content
        .unwrap();
    assert_eq!(found["results"][0]["name"], "Desk");
    let indexed = call("index_files", json!({ "paths": ["src/Cart.cs"] }))
        .await
        .unwrap()
        .structured_content
        .unwrap();
    assert_eq!(indexed["indexed"], 1, "the first does it: {indexed}");
    let status = call("get_status", json!({}))
        .await
        .unwrap()
        .structured_content
        .unwrap();
    assert_eq!(
        status.get("indexing"),
        None,
        "the index is complete, whoever writes it: {status}"
    );
    assert_eq!(
        (&status["watcher_active"], &status["indexed_files"]),
        (&cfg!(unix).into(), &3.into()),
        "{status}"
    );
    first.close();
    let mut indexed = Value::Null;
    for _ in 0..200 {
        indexed = call("index_files", json!({ "paths": ["src/Cart.cs"] }))
            .await
            .unwrap()
            .structured_content
            .unwrap();
        if indexed["indexed"] == 1 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(indexed["indexed"], 1, "{indexed}");
    state.close();
}

#[tokio::test]
async fn get_status_reports_problems_of_the_settings() {
    let session = Session::indexed(&[
        ("a.cs", b"class A { }"),
        (".codeagent/config.json", b"{ \"includ\": [] }"),
    ])
    .await;
    let status = session.structured("get_status", json!({})).await;
    let note = status["configuration"][0].as_str().unwrap();
    assert!(
        note.contains("1 invalid setting;") && !note.contains("includ"),
        "{status}"
    );
}

const TWICE: &str = "struct Money { }\nclass Desk\n{\n    Money Pay() => default;\n    void Run() { Pay(); Pay(); Pay(); Pay(); }\n    void Once() => Pay();\n}\n\
    interface IDesk { }\npartial class Hall : IDesk { }\npartial class Hall : IDesk { }\n\
    partial class Hall : IDesk { }\npartial class Hall : IDesk { }\n";

#[tokio::test]
async fn more_than_three_sites_are_counted() {
    let session = Session::indexed(&[("desk.cs", TWICE.as_bytes())]).await;
    for (tool, asked) in [
        ("get_callers", "Desk.Pay"),
        ("get_references", "Desk.Pay"),
        ("get_dependents", "Desk.Pay"),
        ("get_callees", "Desk.Run"),
        ("get_dependencies", "Desk.Run"),
        ("get_implementations", "IDesk"),
    ] {
        let answer = session.structured(tool, json!({ "node_id": asked })).await;
        let row = &answer["results"][0];
        assert_eq!(
            (
                &row["site_count"],
                row["call_sites"].as_array().unwrap().len()
            ),
            (&json!(4), 3),
            "{tool}: {answer}"
        );
        let whole = session
            .structured(tool, json!({ "node_id": asked, "sites": 9 }))
            .await;
        assert_eq!(
            (
                whole["results"][0]["call_sites"].as_array().unwrap().len(),
                &whole["results"][0]["site_count"]
            ),
            (4, &Value::Null)
        );
        let is_use = |row: &&Value| row["edge_type"].is_null() || row["edge_type"] == "calls";
        assert!(
            answer["results"]
                .as_array()
                .unwrap()
                .iter()
                .skip(1)
                .filter(is_use)
                .all(|row| row["site_count"].is_null()),
            "{tool}"
        );
    }
}

#[tokio::test]
async fn lists_show_the_kind_if_it_differs_from_the_node_type() {
    let session = Session::indexed(&[("desk.cs", TWICE.as_bytes())]).await;
    let outline = session
        .structured("get_file_outline", json!({ "path": "desk.cs" }))
        .await;
    let kinds: Vec<(&Value, &Value)> = outline["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (&row["node_type"], &row["kind"]))
        .take(3)
        .collect();
    let (class, method) = (json!("class"), json!("method"));
    assert_eq!(
        kinds,
        [
            (&class, &json!("struct")),
            (&class, &Value::Null),
            (&method, &Value::Null)
        ]
    );
    assert_eq!(
        session
            .structured("get_symbol", json!({ "node_id": "Desk" }))
            .await["kind"],
        "class"
    );
}

#[tokio::test]
async fn inferred_sites_show_other_candidates() {
    let source = "class Door\n{\n    void Open(int a) { }\n    void Open(string a) { }\n    void Run() { Open(Unknown.Thing()); }\n}\n";
    let session = Session::indexed(&[("door.cs", source.as_bytes())]).await;
    let others = json!(["Door.Open(string a)"]);
    for tool in ["get_callees", "get_dependencies"] {
        let callees = session
            .structured(tool, json!({ "node_id": "Door.Run" }))
            .await;
        let best = &callees["results"][0];
        assert_eq!(best["confidence"], "inferred", "{tool}: {callees}");
        assert_eq!(
            best["call_sites"][0]["candidates"], others,
            "{tool}: {callees}"
        );
    }
    for tool in ["get_callers", "get_references", "get_dependents"] {
        let users = session
            .structured(tool, json!({ "node_id": "Door.Open(int)" }))
            .await;
        let sites = users["results"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|row| row["call_sites"].get(0));
        assert!(
            sites.into_iter().any(|site| site["candidates"] == others),
            "{tool}: {users}"
        );
    }
}

#[tokio::test]
async fn an_unknown_member_is_explained_by_its_longest_known_prefix() {
    let script = "export const Modes = { NEVER: 1, ALWAYS: 2 };\nexport interface Cart {\n  total: number;\n  add(): void;\n}\n";
    let mailboxes = "class Actor\n{\n    Mailbox Mailbox { get; }\n}\nclass Mailbox\n{\n    void Post() { }\n}\n";
    let session = Session::indexed(&[
        ("src/modes.ts", script.as_bytes()),
        ("Actor.cs", mailboxes.as_bytes()),
    ])
    .await;
    for (asked, expected) in [
        (
            "Mailbox.Pots",
            "Mailbox is a class at Actor.cs:5 and has no member Pots of its own; its closest members: Post",
        ),
        (
            "Modes.NEVER",
            "src/modes.ts#Modes is a variable at src/modes.ts:1 and has no member NEVER of its own (keys of object literals are not \
             symbols); for its uses: `get_references src/modes.ts#Modes`",
        ),
        (
            "Cart.totals",
            "src/modes.ts#Cart is an interface at src/modes.ts:2 and has no member totals of its own; its closest members: total, \
             add",
        ),
    ] {
        let error = session
            .structured("get_references", json!({ "node_id": asked }))
            .await;
        assert!(
            error["error"]["message"]
                .as_str()
                .unwrap()
                .ends_with(expected),
            "{error}"
        );
        let lookup = session
            .structured("lookup_symbol", json!({ "qualified_name": asked }))
            .await;
        assert!(
            lookup["note"].as_str().unwrap().ends_with(expected),
            "{lookup}"
        );
    }
}

#[tokio::test]
async fn implementations_further_down_the_hierarchy_are_counted() {
    let source = "class A { public virtual void M() { } }\nclass B : A { public override void M() { } }\n\
                  class C : B { public override void M() { } }\nclass D : C { }\n";
    let session = Session::indexed(&[("a.cs", source.as_bytes())]).await;
    for (asked, more, above) in [("A.M", "1 more", "B.M"), ("A", "2 more", "B")] {
        let answer = session
            .structured("get_implementations", json!({ "node_id": asked }))
            .await;
        let note = answer["note"].as_str().unwrap();
        assert!(
            note.contains(more) && note.ends_with(&format!("`get_implementations {above}`")),
            "{answer}"
        );
    }
    let last = session
        .structured("get_implementations", json!({ "node_id": "C" }))
        .await;
    assert!(last["note"].is_null(), "{last}");
}
