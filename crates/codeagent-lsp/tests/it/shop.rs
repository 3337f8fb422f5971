//! Every request over the shop, the application that the documentation uses, compared with what the
//! queries answer.

use codeagent_core::query::{self, Relation};
use codeagent_core::{EdgeDirection, EdgeType, NeighborQuery};
use codeagent_core::{Engine, EngineOptions, Node, Sources, get_neighbors, resolve_symbol};
use codeagent_workspace::DataRoot;
use serde_json::{Value, json};

use crate::client::Client;

const SERVICE: &str = "src/Shop.Services/OrderService.cs";
const INTERFACE: &str = "src/Shop.Services/IOrderService.cs";

#[test]
fn definition_leads_from_a_use_and_from_the_declaration_itself() {
    let mut client = Client::over_shop();
    let expected = ["src/Shop.Services/IOrderService.cs:2:17-30"];
    for (path, nth) in [(SERVICE, 0), (INTERFACE, 0)] {
        let found = client.ask_about("definition", path, "IOrderService", nth);
        assert_eq!(client.places(&found), expected, "{path}");
    }
    let nothing = client.ask_at("definition", SERVICE, (1, 0));
    assert!(nothing.is_null());
    client.end();
}

#[test]
fn references_are_those_of_the_query() {
    let mut client = Client::over_shop();
    for (path, word, name) in [
        (INTERFACE, "Place", "IOrderService.Place"),
        (INTERFACE, "IOrderService", "IOrderService"),
    ] {
        let found = client.ask_about("references", path, word, 0);
        let found: Vec<String> = client.places(&found);
        let starts: Vec<&str> = found
            .iter()
            .filter_map(|place| Some(place.rsplit_once('-')?.0))
            .collect();
        assert_eq!(starts, sites(&client, name, Relation::REFERENCES), "{name}");
        assert!(!starts.is_empty());
    }
    client.end();
}

#[test]
fn implementations_follow_types_and_members() {
    let mut client = Client::over_shop();
    let found = client.ask_about("implementation", INTERFACE, "IOrderService", 0);
    assert_eq!(
        client.places(&found),
        ["src/Shop.Services/OrderService.cs:5:13-25"]
    );
    let found = client.ask_about("implementation", INTERFACE, "Place(", 0);
    assert_eq!(
        client.places(&found),
        ["src/Shop.Services/OrderService.cs:30:19-24"]
    );
    client.end();
}

#[test]
fn the_type_of_a_member_is_the_type_its_declaration_names() {
    let mut client = Client::over_shop();
    for word in ["Place(", "Receipt Place", "PlaceAsync"] {
        let found = client.ask_about("typeDefinition", INTERFACE, word, 0);
        assert_eq!(
            client.places(&found),
            ["src/Shop.Services/IOrderService.cs:11:14-21"],
            "{word}"
        );
    }
    client.end();
}

#[test]
fn document_symbols_are_a_tree_if_the_client_shows_one() {
    fn names(symbols: &Value) -> Vec<String> {
        let symbols = symbols.as_array().cloned().unwrap_or_default();
        symbols
            .iter()
            .flat_map(|symbol| {
                let name = symbol["name"].as_str().unwrap().to_owned();
                let inner = names(&symbol["children"]);
                let inner = inner.into_iter().map(move |inner| format!("> {inner}"));
                std::iter::once(name).chain(inner)
            })
            .collect()
    }

    let mut client = Client::uninitialized(codeagent_testkit::files::copy_shop);
    client.initialize(json!({ "textDocument": { "documentSymbol": { "hierarchicalDocumentSymbolSupport": true } } }));
    let params = json!({ "textDocument": { "uri": client.uri(INTERFACE) } });
    let tree = client.ask("textDocument/documentSymbol", params.clone());
    let expected = [
        "Services",
        "> IOrderService",
        "> > Start",
        "> > Place",
        "> > PlaceAsync",
        "> Receipt",
        "> > Receipt",
        "> > OrderId",
        "> > Total",
    ];
    assert_eq!(names(&tree), expected);
    client.end();

    let mut client = Client::over_shop();
    let params = json!({ "textDocument": { "uri": client.uri(INTERFACE) } });
    let flat = client.ask("textDocument/documentSymbol", params);
    assert_eq!(flat.as_array().unwrap().len(), expected.len());
    assert!(flat[0]["location"].is_object());
    client.end();
}

#[test]
fn workspace_symbols_are_found_by_the_beginning_of_their_names() {
    let mut client = Client::over_shop();
    let found = client.ask("workspace/symbol", json!({ "query": "OrderServ" }));
    assert_eq!(found[0]["name"], "OrderService");
    let nothing = client.ask("workspace/symbol", json!({ "query": "" }));
    assert!(nothing.is_null());
    client.end();
}

#[test]
fn the_call_hierarchy_has_the_callers_and_callees_of_the_query() {
    let mut client = Client::over_shop();
    let items = client.ask_about("prepareCallHierarchy", SERVICE, "Place(", 0);
    assert_eq!(items[0]["name"], "Place");

    for (method, end, edges) in [
        ("incomingCalls", "from", EdgeDirection::Incoming),
        ("outgoingCalls", "to", EdgeDirection::Outgoing),
    ] {
        let calls = client.ask(
            &format!("callHierarchy/{method}"),
            json!({ "item": items[0] }),
        );
        let mut names: Vec<String> = calls
            .as_array()
            .unwrap()
            .iter()
            .map(|call| call[end]["name"].as_str().unwrap().to_owned())
            .collect();
        names.sort();
        let mut expected = called(&client, "OrderService.Place", edges);
        expected.sort();
        assert_eq!(names, expected, "{method}");
    }
    client.end();
}

#[test]
fn the_type_hierarchy_goes_up_and_down() {
    let mut client = Client::over_shop();
    assert_eq!(client.capabilities["typeHierarchyProvider"], true);
    let items = client.ask_about("prepareTypeHierarchy", INTERFACE, "IOrderService", 0);
    let below = client.ask("typeHierarchy/subtypes", json!({ "item": items[0] }));
    assert_eq!(below[0]["name"], "OrderService");
    let above = client.ask("typeHierarchy/supertypes", json!({ "item": below[0] }));
    assert_eq!(above[0]["name"], "IOrderService");
    client.end();
}

#[test]
fn hover_shows_signature_documentation_and_confidence() {
    let mut client = Client::over(&[(
        "a.ts",
        "/** Adds *tax*. */\nexport function total(n: number): number { return n }\n\
         class A { go(): void {} }\nclass B { go(): void {} }\n\
         export function run(x: A | B): void { x.go(); total(1) }\n",
    )]);
    let hover = client.ask_about("hover", "a.ts", "total", 1);
    assert_eq!(
        hover["contents"]["value"],
        "```typescript\ntotal(n: number): number\n```\n\nAdds \\*tax\\*.\n\na.ts:2"
    );
    let hover = client.ask_about("hover", "a.ts", "go()", 2);
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(text.contains("inferred: the target may also be"), "{text}");

    let mut private = Client::over(&[(
        "a.ts",
        "class A { #total = 1; get() { return this.#total } }\n",
    )]);
    let hover = private.ask_about("hover", "a.ts", "#total", 1);
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(text.contains("property A.#total"), "{text}");
    private.end();

    let found = client.ask_about("definition", "a.ts", "go()", 2);
    assert_eq!(client.places(&found), ["a.ts:2:10-12", "a.ts:3:10-12"]);
    client.end();
}

/// Indexes the client's repository again, elsewhere, and runs a query.
fn with_index<T>(
    client: &Client,
    name: &str,
    query: impl FnOnce(&mut Sources<'_>, Node) -> T,
) -> T {
    let home = tempfile::tempdir().unwrap();
    let options = EngineOptions {
        home: DataRoot::at(home.path()),
        ..EngineOptions::default()
    };
    let engine = Engine::open(&client.root, options).unwrap();
    engine.index(&|_| {}).unwrap();
    let reader = engine.reader();
    let snapshot = reader.snapshot().unwrap();
    let node = resolve_symbol(&snapshot, name).unwrap();
    query(&mut Sources::new(&snapshot, reader.workspace()), node)
}

/// Returns the sites that the tools list, as `path:line:character` from 0.
fn sites(client: &Client, name: &str, relation: Relation<'_>) -> Vec<String> {
    with_index(client, name, |sources, node| {
        let found = query::Neighbors::find(sources.snapshot(), node.id, relation).unwrap();
        let mut places = Vec::new();
        for index in 0..found.len() {
            let neighbor = found.get(index, sources, usize::MAX).unwrap().unwrap();
            places.extend(
                neighbor
                    .sites
                    .into_iter()
                    .map(|site| (site.path, site.line - 1, site.column - 1)),
            );
        }
        places.sort();
        places.dedup();
        let place = |(path, line, column)| format!("{path}:{line}:{column}");
        places.into_iter().map(place).collect()
    })
}

fn called(client: &Client, name: &str, direction: EdgeDirection) -> Vec<String> {
    with_index(client, name, |sources, node| {
        let query = NeighborQuery {
            node: node.id,
            edge_type: Some(EdgeType::Calls),
            direction,
            sites: 0,
        };
        let found = get_neighbors(sources, &query).unwrap();
        found.into_iter().map(|found| found.node.name).collect()
    })
}
