//! The answers of the page.

use codeagent_testkit::files::write_file;
use serde_json::json;

use crate::server::{Server, fields};

#[test]
fn a_search_finds_beginnings_of_words() {
    let server = Server::of_shop();
    let found = server.ask("search?q=OrderServ&limit=5");
    assert!(fields(&found, "name").contains(&"OrderService"), "{found}");
    assert!(found["rows"].as_array().unwrap().len() <= 5);
    let reply = server.get("/api/search?q=");
    assert_eq!(reply.status, 400, "{}", reply.body);
    assert_eq!(server.get("/api/search").status, 400);
}

#[test]
fn a_symbol_is_found_by_id_name_place_and_file() {
    let server = Server::of_shop();
    let id = server.id("PriceCalculator.Price");
    assert_eq!(server.id(&id), id);
    let symbol = server.ask(&format!("symbol?name={id}"));
    assert_eq!(symbol["name"], "PriceCalculator.Price");
    assert_eq!(symbol["parsed"], "full");
    let place = format!("{}:{}", symbol["path"].as_str().unwrap(), symbol["line"]);
    assert_eq!(server.id(&place), id);
    let file = server.ask("symbol?name=src%2FShop.Domain%2FOrder.cs");
    assert_eq!(
        (&file["kind"], &file["name"]),
        (&json!("file"), &json!("Order.cs"))
    );
    assert_eq!(server.get("/api/symbol?name=NoSuchThing").status, 404);
}

#[test]
fn lists_have_callers_calls_members_and_tests() {
    let server = Server::of_shop();
    let callers = server.list("PriceCalculator.Price", "callers");
    assert!(
        fields(&callers, "name").contains(&"OrderService.Place"),
        "{callers}"
    );
    let site = &callers["rows"][0]["sites"][0];
    assert!(site["text"].as_str().unwrap().contains("Price("), "{site}");
    let calls = server.list("OrderService.Place", "callees");
    assert!(
        fields(&calls, "name").contains(&"PriceCalculator.Price"),
        "{calls}"
    );
    let implementations = server.list("IOrderService", "implementations");
    assert!(fields(&implementations, "name").contains(&"OrderService"));
    let bases = server.list("OrderService", "bases");
    assert!(fields(&bases, "name").contains(&"IOrderService"), "{bases}");
    assert!(server.list("OrderService", "members")["total"].as_u64() > Some(1));
    for list in ["uses", "dependencies", "possible", "unresolved", "tests"] {
        let answer = server.list("OrderService.Place", list);
        assert!(
            answer["total"].is_u64() && answer["rows"].is_array(),
            "{list}"
        );
    }
}

#[test]
fn long_lists_come_page_by_page() {
    let outer = tempfile::tempdir().unwrap();
    let users: String = (0..70)
        .map(|index| format!("export function user{index}() {{ return hub(); }}\n"))
        .collect();
    let text = format!("export function hub() {{ return 1; }}\n{users}");
    write_file(&outer.path().join("shop"), "hub.ts", text);
    let server = Server::start(outer);

    let (id, mut from, mut names) = (server.id("hub"), 0, Vec::new());
    loop {
        let page = server.ask(&format!("list?id={id}&list=callers&from={from}"));
        assert_eq!(page["total"], 70);
        names.extend(fields(&page, "name").into_iter().map(str::to_owned));
        match page["next"].as_u64() {
            Some(next) => from = next,
            None => break,
        }
    }
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 70);

    let source = server.ask(&format!("source?id={}", server.id("hub.ts")));
    assert_eq!(source["uses"]["2"][0]["name"], "hub", "{source}");
    let graph = server.ask(&format!("graph?name={id}&depth=1"));
    assert_eq!(graph["nodes"].as_array().unwrap().len(), 71);
    assert_eq!(graph["nodes"][1]["parent"], json!(id));
}

#[test]
fn a_query_sees_an_edit_made_before_it() {
    let server = Server::of_shop();
    server.ask("status");
    write_file(
        &server.root(),
        "web/new.ts",
        "export function brandNew() {}\n",
    );
    let found = server.ask("search?q=brandNew");
    assert_eq!(fields(&found, "name"), ["brandNew"], "{found}");
}

#[test]
fn folders_have_a_matrix_files_behind_it_and_health() {
    let server = Server::of_shop();
    let matrix = server.ask("folders?path=src");
    let folders = matrix["folders"].as_array().unwrap();
    let names: Vec<&str> = folders
        .iter()
        .filter_map(|part| part["name"].as_str())
        .collect();
    assert_eq!(names, ["Shop.Api", "Shop.Services", "Shop.Domain"]);
    assert_eq!(matrix["cycles"], json!([]));
    let pairs = server.ask("crossing?from=src%2FShop.Services&to=src%2FShop.Domain");
    assert!(pairs["total"].as_u64() > Some(3), "{pairs}");

    write_file(&server.root(), "src/Shop.Api/Broken.cs", "class {{{ )");
    let health = server.ask("health");
    assert_eq!(health["folders"][0]["name"], "src", "{health}");
    let files = fields(&health["files"], "path");
    assert_eq!(files, ["src/Shop.Api/Broken.cs"]);
}

#[test]
fn without_git_changes_say_why() {
    let server = Server::of_shop();
    server.ask("status");
    let reply = server.get("/api/changes?base=HEAD");
    assert_eq!(reply.status, 500);
    assert!(reply.body.contains("git"), "{}", reply.body);
}
