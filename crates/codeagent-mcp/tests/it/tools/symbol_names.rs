//! Ways to name a symbol: the end of its qualified name, its parameters, its type arguments.

use serde_json::json;

use crate::tools::support::Session;

const SOURCE: &str = "namespace Shop;

class Cart<T>
{
    public Cart(int size) { }
    public void Add(int id) { }
    public void Add(int id, string name = \"x\") { }
    public void Add(System.Collections.Generic.List<int> ids, params object[] rest) { }
    public void Add((int a, int b) pair) { }
}
";

async fn session() -> Session {
    let script = "export class Cart {\n  add(id: number): void;\n  add(id: string, twice?: boolean): void;\n  add(id: any) {}\n}\n\
                  export function total(cart: Cart, f: (x: number) => void) {}\n";
    Session::indexed(&[
        ("Cart.cs", SOURCE.as_bytes()),
        ("src/cart.ts", script.as_bytes()),
    ])
    .await
}

#[tokio::test]
async fn parameters_select_an_overload() {
    let session = session().await;
    for (asked, expected) in [
        ("Cart.Add(int id)", "(int id)"),
        ("Cart.Add(int)", "(int id)"),
        (
            "Shop.Cart.Add(int, string)",
            "(int id, string name = \"x\")",
        ),
        (
            "Cart.Add(int id, string name = \"x\")",
            "(int id, string name = \"x\")",
        ),
        (
            "Add( List<int>, object[] )",
            "(System.Collections.Generic.List<int> ids, params object[] rest)",
        ),
        ("Cart<T>.Add((int a, int b))", "((int a, int b) pair)"),
        ("Cart(int)", "(int size)"),
        (
            "cart.ts#total(Cart, (x: number) => void)",
            "(cart: Cart, f: (x: number) => void)",
        ),
        ("total(2)", "(cart: Cart, f: (x: number) => void)"),
    ] {
        let symbol = session
            .structured("get_symbol", json!({ "node_id": asked }))
            .await;
        assert_eq!(symbol["parameter_signature"], expected, "{asked}: {symbol}");
    }
}

#[tokio::test]
async fn names_prefer_types_to_constructors_and_accept_node_ids() {
    let session = session().await;
    let class = session
        .structured("get_symbol", json!({ "node_id": "Shop.Cart" }))
        .await;
    assert_eq!(
        class["node_type"], "class",
        "the class and not its constructor"
    );
    for same in [
        class["node_id"].as_str().unwrap(),
        " Shop.Cart ",
        "Shop.Cart<int>",
        "Cart.cs",
    ] {
        let symbol = session
            .structured("get_symbol", json!({ "node_id": same }))
            .await;
        assert!(symbol["error"].is_null(), "{same}: {symbol}");
    }
}

#[tokio::test]
async fn errors_about_unknown_names_list_known_ones() {
    let session = session().await;
    let error = |asked: &'static str| {
        let session = &session;
        async move {
            let error = session
                .structured("get_callers", json!({ "node_id": asked }))
                .await["error"]
                .take();
            (
                error["code"].as_str().unwrap().to_owned(),
                error["message"].as_str().unwrap().to_owned(),
            )
        }
    };
    let (code, message) = error("Cart.Add(decimal)").await;
    assert_eq!(code, "not_found");
    assert!(
        message.contains("no overload has the parameters (decimal)")
            && message.contains("Shop.Cart.Add(int id)"),
        "{message}"
    );
    let (code, message) = error("Shop.Carts").await;
    assert_eq!(code, "not_found");
    assert!(message.contains("did you mean"), "{message}");
}
