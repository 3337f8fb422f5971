//! A name that matches several symbols is answered for all of them, best first.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::tools::support::Session;

const SHOP: &str = "namespace Shop;
public interface IPriced { int Total(); }
public class Cart : IPriced
{
    public void Add(int id) { }
    public void Add(string name) { }
    int IPriced.Total() => 1;
}
public class Desk
{
    public void Add(int id) { }
    public void Run(IPriced priced, Cart cart) { priced.Total(); cart.Add(1); cart.Add(\"x\"); Add(2); }
}
public class Base { public void Open() { } }
public class Door : Base { void Go() { Open(); } }
public class Place { }
public class Map { public Place Place; }
";

async fn shop() -> Session {
    Session::indexed(&[
        ("src/Shop.cs", SHOP.as_bytes()),
        ("web/desk.ts", b"export class Desk {\n  add() {}\n}\n"),
    ])
    .await
}

fn lines(answer: &Value, name: &str) -> Vec<String> {
    answer[name]
        .as_array()
        .unwrap_or(&Vec::new())
        .iter()
        .map(|line| line.as_str().unwrap().to_owned())
        .collect()
}

/// Returns the matching symbols of an answer, without their ids.
fn symbols(answer: &Value) -> Vec<String> {
    lines(answer, "symbols")
        .iter()
        .map(|line| line.split_once(' ').unwrap().1.to_owned())
        .collect()
}

#[tokio::test]
async fn overloads_are_one_group() {
    let answer = shop()
        .await
        .structured("get_callers", json!({ "node_id": "Cart.Add" }))
        .await;
    assert_eq!(
        symbols(&answer),
        ["Shop.Cart.Add(int id) and 1 more of that name src/Shop.cs:5: 1"]
    );
    assert_eq!(answer["results"].as_array().unwrap().len(), 1, "{answer}");
    assert_eq!(
        answer["results"][0]["call_sites"].as_array().unwrap().len(),
        2,
        "{answer}"
    );
    assert!(answer["results"][0].get("of").is_none(), "{answer}");
}

#[tokio::test]
async fn several_definitions_are_listed_with_their_counts() {
    let session = shop().await;
    let answer = session
        .structured("get_callers", json!({ "node_id": "Add" }))
        .await;
    assert_eq!(
        symbols(&answer),
        [
            "Shop.Cart.Add(int id) and 1 more of that name src/Shop.cs:5: 1",
            "Shop.Desk.Add(int id) src/Shop.cs:11: 1",
        ]
    );
    for tool in [
        "get_callees",
        "get_implementations",
        "get_references",
        "get_dependencies",
        "get_dependents",
    ] {
        let answer = session.structured(tool, json!({ "node_id": "Add" })).await;
        assert_eq!(symbols(&answer).len(), 2, "{tool}: {answer}");
    }
    let rows = answer["results"].as_array().unwrap();
    assert_eq!(
        rows.iter()
            .map(|row| row["of"].as_str().unwrap())
            .collect::<Vec<_>>(),
        ["Shop.Cart.Add", "Shop.Desk.Add"]
    );
    let narrowed = session
        .structured("get_symbol", json!({ "node_id": "Desk", "file": "web" }))
        .await;
    assert_eq!(
        (&narrowed["qualified_name"], narrowed.get("symbols")),
        (&json!("web/desk.ts#Desk"), None)
    );
    let both = session
        .structured("get_symbol", json!({ "node_id": "Desk" }))
        .await;
    assert_eq!(
        symbols(&both),
        ["Shop.Desk src/Shop.cs:9", "web/desk.ts#Desk web/desk.ts:1"]
    );
    let nowhere = session
        .structured(
            "get_symbol",
            json!({ "node_id": "Desk", "file": "lib/*.cs" }),
        )
        .await;
    assert_eq!(nowhere["error"]["code"], "not_found");
    assert!(
        nowhere["error"]["message"]
            .as_str()
            .unwrap()
            .contains("\"Desk\" is not declared in lib/*.cs; it is declared at:\n"),
        "{nowhere}"
    );
    let spans = session
        .structured("get_source_spans", json!({ "node_id": "Cart.Add" }))
        .await;
    assert_eq!(spans["results"][1]["of"], "Shop.Cart.Add(string name)");
}

#[tokio::test]
async fn the_declaring_interface_of_a_member_comes_first() {
    let session = shop().await;
    let answer = session
        .structured("get_callers", json!({ "node_id": "IPriced.Total" }))
        .await;
    assert_eq!(
        symbols(&answer),
        [
            "Shop.IPriced.Total() src/Shop.cs:2: 1",
            "Shop.Cart.IPriced.Total() src/Shop.cs:7: 0"
        ]
    );
    assert_eq!(answer["results"][0]["of"], "Shop.IPriced.Total");
    let place = session
        .structured("get_symbol", json!({ "node_id": "Place" }))
        .await;
    assert_eq!(
        symbols(&place),
        ["Shop.Place src/Shop.cs:16", "Shop.Map.Place src/Shop.cs:17"],
        "the type first"
    );
}

#[tokio::test]
async fn a_wildcard_combines_a_type_with_its_members() {
    let session = shop().await;
    let names = |answer: &Value| -> Vec<String> {
        let rows = answer["results"].as_array().unwrap();
        rows.iter()
            .map(|row| row["qualified_name"].as_str().unwrap().to_owned())
            .collect()
    };
    let alone = session
        .structured("get_callees", json!({ "node_id": "Desk" }))
        .await;
    assert_eq!(names(&alone), [""; 0]);
    assert!(
        alone["note"]
            .as_str()
            .unwrap()
            .contains("`get_callees Shop.Desk.*`"),
        "{alone}"
    );
    let whole = session
        .structured("get_callees", json!({ "node_id": "Desk.*" }))
        .await;
    assert_eq!(
        names(&whole),
        ["Shop.IPriced.Total", "Shop.Cart.Add", "Shop.Cart.Add"],
        "not what it calls of itself"
    );
    let label = whole["symbols"][0].as_str().unwrap();
    assert!(
        label.contains("Shop.Desk with ") && label.contains(" members "),
        "{label}"
    );
    let callers = session
        .structured("get_callers", json!({ "node_id": "Cart.*" }))
        .await;
    assert_eq!(names(&callers), ["Shop.Desk.Run"]);
}

#[tokio::test]
async fn an_explicit_implementation_is_a_member_of_its_type() {
    let session = shop().await;
    let symbol = session
        .structured("get_symbol", json!({ "node_id": "Cart.Total" }))
        .await;
    assert_eq!(
        symbol["qualified_name"], "Shop.Cart.IPriced.Total",
        "{symbol}"
    );
    assert_eq!(
        symbol["note"],
        "Cart.Total is declared as Shop.Cart.IPriced.Total"
    );
}

#[tokio::test]
async fn a_location_can_replace_a_name() {
    let session = shop().await;
    for (asked, expected) in [
        ("src/Shop.cs:12", "Shop.Desk.Run"),
        ("Shop.cs:12:1", "Shop.Desk.Run"),
        ("./src/Shop.cs:4", "Shop.Cart"),
        ("src/Shop.cs:2", "Shop.IPriced"),
        ("src/Shop.cs:2:34", "Shop.IPriced.Total"),
        ("desk.ts:2", "web/desk.ts#Desk.add"),
    ] {
        let symbol = session
            .structured("get_symbol", json!({ "node_id": asked }))
            .await;
        assert_eq!(symbol["qualified_name"], expected, "{asked}: {symbol}");
    }
    for (asked, output) in [
        ("src/No.cs:2", "src/No.cs is not in the index"),
        ("src/Shop.cs:9999", "line 9999 of src/Shop.cs"),
    ] {
        let error = session
            .structured("get_symbol", json!({ "node_id": asked }))
            .await["error"]
            .take();
        assert!(
            error["code"] == "not_found" && error["message"].as_str().unwrap().contains(output),
            "{error}"
        );
    }
}

#[tokio::test]
async fn wrong_case_and_base_class_members_are_corrected() {
    let session = shop().await;
    let other = session
        .structured("get_callers", json!({ "node_id": "cart.add" }))
        .await;
    assert!(
        symbols(&other)[0].starts_with("Shop.Cart.Add(int id)"),
        "{other}"
    );
    assert!(
        other["note"].as_str().unwrap().contains("differ in case"),
        "{other}"
    );
    let inherited = session
        .structured("get_callers", json!({ "node_id": "Door.Open" }))
        .await;
    assert_eq!(inherited["results"][0]["qualified_name"], "Shop.Door.Go");
    assert!(
        inherited["note"]
            .as_str()
            .unwrap()
            .contains("it is declared as Shop.Base.Open"),
        "{inherited}"
    );
}

#[tokio::test]
async fn too_many_matches_return_a_list_to_choose_from() {
    let mut text = "interface ITick { void Tick(); }\n".to_owned();
    for number in 0..45 {
        writeln!(text, "class ClockOfTheTower{number:02} : ITick {{ public void Tick() {{ }} public void Go(ITick t) {{ t.Tick(); }} }}")
            .unwrap();
    }
    let session = Session::indexed(&[("a.cs", text.as_bytes())]).await;
    let tick = session
        .structured("get_callers", json!({ "node_id": "Tick" }))
        .await;
    assert_eq!(
        tick["results"].as_array().unwrap()[0]["qualified_name"],
        "ClockOfTheTower00.Go",
        "{tick}"
    );
    let reply = lines(&tick, "also_named");
    assert!(
        reply[0].ends_with("ClockOfTheTower00.Tick() a.cs:2")
            && reply.last().unwrap().starts_with("and "),
        "{tick}"
    );
    assert!(
        tick.to_string().len() <= 10_000,
        "{}",
        tick.to_string().len()
    );
    for tool in [
        "get_symbol",
        "get_source_spans",
        "get_callees",
        "get_implementations",
        "get_references",
        "get_dependencies",
        "get_dependents",
    ] {
        let answer = session.structured(tool, json!({ "node_id": "Tick" })).await;
        assert_eq!(lines(&answer, "also_named"), reply, "{tool}");
    }
    let go = session
        .structured("get_callers", json!({ "node_id": "Go" }))
        .await;
    let message = go["error"]["message"].as_str().unwrap();
    assert_eq!(go["error"]["code"], "invalid_parameter");
    assert!(
        message.starts_with("\"Go\" matches 45 symbols; ") && message.ends_with("\nand 5 more"),
        "{message}"
    );
    assert_eq!(message.lines().count(), 42, "{message}");
}
