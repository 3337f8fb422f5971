//! Snapshots of each tool's answers about the shop, the application that the documentation uses,
//! one row per line.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::tools::support::Peer;

async fn check(tool: &str, arguments: Value, expected: Expect) {
    let mut answer = Peer::shop().await.structured(tool, arguments).await;
    let mut lines = Vec::new();
    if let Some(Value::Array(rows)) = answer.get_mut("results").map(Value::take) {
        lines.extend(rows.iter().map(Value::to_string));
        answer.as_object_mut().unwrap().remove("results");
    }
    if answer != json!({}) {
        lines.push(answer.to_string());
    }
    expected.assert_eq(&lines.join("\n"));
}

#[tokio::test]
async fn shop_list_directory() {
    check(
        "list_directory",
        json!({ "path": "src/Shop.Services" }),
        expect![[r#"
        {"name":"Extensions","type":"directory"}
        {"name":"IOrderService.cs","type":"file","size":219}
        {"name":"Notifications","type":"directory"}
        {"name":"OrderService.cs","type":"file","size":1333}
        {"name":"PriceCalculator.cs","type":"file","size":637}
        {"name":"Registry.cs","type":"file","size":625}
        {"name":"ServiceRegistration.cs","type":"file","size":868}
        {"name":"Shop.Services.csproj","type":"file","size":208}
        {"name":"Storage","type":"directory"}"#]],
    )
    .await;
}

#[tokio::test]
async fn shop_read_file() {
    check("read_file", json!({ "path": "src/Shop.Domain/OrderLine.cs", "line_start": 3, "line_end": 5 }), expect![[r#"{"content":"public sealed record OrderLine(Product Product, int Count)\n{\n    public Money Total() => Product.Price * Count;\n","total_lines":6,"truncated":false}"#]]).await;
}

#[tokio::test]
async fn shop_get_directory_tree() {
    check("get_directory_tree", json!({ "path": "src/Shop.Services", "depth": 2 }), expect![[r#"{"name":"Shop.Services","type":"directory","children":[{"name":"Extensions","type":"directory","children":[{"name":"OrderExtensions.cs","type":"file"}]},{"name":"IOrderService.cs","type":"file"},{"name":"Notifications","type":"directory","children":[{"name":"EmailNotifier.cs","type":"file"},{"name":"INotifier.cs","type":"file"},{"name":"Outbox.cs","type":"file"}]},{"name":"OrderService.cs","type":"file"},{"name":"PriceCalculator.cs","type":"file"},{"name":"Registry.cs","type":"file"},{"name":"ServiceRegistration.cs","type":"file"},{"name":"Shop.Services.csproj","type":"file"},{"name":"Storage","type":"directory","children":[{"name":"MemoryRepository.cs","type":"file"}]}]}"#]]).await;
}

/// Ranking is measured elsewhere; here the best hit comes first and all filters apply.
#[tokio::test]
async fn shop_search_symbols() {
    let shop = Peer::shop().await;
    let project = "src/Shop.Services/Shop.Services.csproj";
    let question = json!({ "query": "Place*", "project_id": project, "node_type": "method", "language": "csharp", "limit": 2 });
    let found = shop.structured("search_symbols", question).await;
    let rows = found["results"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    assert!(rows[0]["rank"].as_f64() <= rows[1]["rank"].as_f64());
    for row in rows {
        assert!(
            row["qualified_name"]
                .as_str()
                .unwrap()
                .starts_with("Shop.Services."),
            "{row}"
        );
        assert_eq!(
            (&row["node_type"], &row["language"]),
            (&json!("method"), &json!("csharp"))
        );
        assert!(
            row["return_type"].is_string() && row["parameter_signature"] == "(Order order)",
            "{row}"
        );
        let symbol = shop
            .structured("get_symbol", json!({ "node_id": row["node_id"] }))
            .await;
        for field in [
            "node_id",
            "name",
            "file_path",
            "line_start",
            "line_end",
            "access_modifier",
        ] {
            assert!(
                !row[field].is_null() && row[field] == symbol[field],
                "{field}: {row}"
            );
        }
    }
    let nothing = shop.structured("search_symbols", json!({})).await;
    assert_eq!(nothing["error"]["code"], "invalid_parameter", "{nothing}");
    let elsewhere = shop
        .structured(
            "search_symbols",
            json!({ "query": "Place*", "project_id": "no/such.csproj" }),
        )
        .await;
    assert_eq!(
        elsewhere["error"]["code"], "invalid_parameter",
        "{elsewhere}"
    );
}

#[tokio::test]
async fn a_natural_language_query_finds_symbols() {
    let question = json!({ "query": "how is the order of a customer placed?", "limit": 4 });
    check("search_symbols", question, expect![[r#"
        {"node_id":"n3kmjfls5u6m7","name":"OrderService","qualified_name":"Shop.Services.OrderService","node_type":"class","language":"csharp","file_path":"src/Shop.Services/OrderService.cs","line_start":6,"line_end":49,"access_modifier":"public","rank":-70.82,"score":0.98,"matched":["words","letters"]}
        {"node_id":"nsnnk6zwsmsth","name":"Order","qualified_name":"Shop.Domain.Order","node_type":"class","language":"csharp","file_path":"src/Shop.Domain/Order.cs","line_start":6,"line_end":41,"access_modifier":"public","rank":-72.54,"score":0.92,"matched":["words","letters"]}
        {"node_id":"nuvozt4zgcc2r","name":"IOrderService","qualified_name":"Shop.Services.IOrderService","node_type":"interface","language":"csharp","file_path":"src/Shop.Services/IOrderService.cs","line_start":3,"line_end":10,"access_modifier":"public","rank":-70.82,"score":0.9,"matched":["words","letters"]}
        {"node_id":"n7jham7wsom5t","name":"place","qualified_name":"web/packages/client/src/orders.ts#OrdersApi.place","node_type":"method","language":"typescript","file_path":"web/packages/client/src/orders.ts","line_start":9,"line_end":11,"access_modifier":"public","parameter_signature":"(lines: OrderLine[])","return_type":"Promise<Order>","rank":-21.78,"score":0.67,"matched":["words","letters"]}
        {"note":"searched for the words as typed; no exact match, these are the closest"}"#]]).await;
    // Names with all words come first, then similar symbols.
    let shop = Peer::shop().await;
    let rows = shop
        .structured(
            "search_symbols",
            json!({ "query": "i order service", "limit": 5 }),
        )
        .await["results"]
        .clone();
    let (scores, reasons) = (rows[0]["score"].as_f64(), &rows[0]["matched"]);
    assert_eq!((scores, reasons), (Some(1.0), &json!(["name"])), "{rows}");
    assert!(
        rows.as_array()
            .unwrap()
            .is_sorted_by(|a, b| a["score"].as_f64() >= b["score"].as_f64()),
        "{rows}"
    );
}

#[tokio::test]
async fn shop_lookup_symbol() {
    check("lookup_symbol", json!({ "qualified_name": "Shop.Services.OrderService.PlaceAsync", "language": "csharp", "project_id": "src/Shop.Services/Shop.Services.csproj" }), expect![[r#"{"node_id":"ntarzyexmgb6r","name":"PlaceAsync","qualified_name":"Shop.Services.OrderService.PlaceAsync","node_type":"method","language":"csharp","file_path":"src/Shop.Services/OrderService.cs","line_start":39,"line_end":43,"access_modifier":"public","parameter_signature":"(Order order)","return_type":"Task<Receipt>"}"#]]).await;
    check("lookup_symbol", json!({ "qualified_name": "Order" }), expect![[r#"
        {"node_id":"nsnnk6zwsmsth","name":"Order","qualified_name":"Shop.Domain.Order","node_type":"class","language":"csharp","file_path":"src/Shop.Domain/Order.cs","line_start":6,"line_end":41,"access_modifier":"public","match":"suffix"}
        {"node_id":"nhcem4hpssxjj","name":"Order","qualified_name":"Shop.Domain.Order.Order","node_type":"constructor","language":"csharp","file_path":"src/Shop.Domain/Order.cs","line_start":10,"line_end":14,"access_modifier":"public","parameter_signature":"(int id, Customer customer)","match":"suffix"}
        {"node_id":"ncqf5mwf6bqrn","name":"Order","qualified_name":"Shop.Domain.OrderException.Order","node_type":"property","language":"csharp","file_path":"src/Shop.Domain/OrderException.cs","line_start":11,"line_end":11,"access_modifier":"public","return_type":"Order","match":"suffix"}
        {"node_id":"nl2askt57y5ha","name":"Order","qualified_name":"web/packages/client/src/types.ts#Order","node_type":"interface","language":"typescript","file_path":"web/packages/client/src/types.ts","line_start":14,"line_end":18,"match":"suffix"}"#]]).await;
    check("lookup_symbol", json!({ "qualified_name": "Order.Add(Product, int)" }), expect![[r#"{"note":"no symbol has exactly that qualified name; the closest is nondrclt3sdtf Shop.Domain.Order.Add(Product product, int count = 1) src/Shop.Domain/Order.cs:24"}"#]]).await;
    check("lookup_symbol", json!({ "qualified_name": "OrderService.Place", "language": "typescript" }), expect![[r#"{"note":"`language` or `project_id` exclude all symbols of this name (1); one is csharp in project src/Shop.Services/Shop.Services.csproj"}"#]]).await;
}

#[tokio::test]
async fn lookup_symbol_filters_by_project() {
    let shop = Peer::shop().await;
    let domain =
        json!({ "qualified_name": "Order", "project_id": "src/Shop.Domain/Shop.Domain.csproj" });
    let found = shop.structured("lookup_symbol", domain).await;
    assert_eq!(found["results"].as_array().unwrap().len(), 3, "{found}");
    for unknown in ["", " ", "no/such.csproj"] {
        let answer = shop
            .structured(
                "lookup_symbol",
                json!({ "qualified_name": "Order", "project_id": unknown }),
            )
            .await;
        assert_eq!(
            answer["error"]["code"], "invalid_parameter",
            "{unknown:?}: {answer}"
        );
    }
}

#[tokio::test]
async fn shop_find_similar() {
    check("find_similar", json!({ "node_id": "OrderService.Place", "limit": 5 }), expect![[r#"
        {"node_id":"np3olobid7sx2","name":"Place","qualified_name":"Shop.Services.IOrderService.Place","node_type":"method","language":"csharp","file_path":"src/Shop.Services/IOrderService.cs","line_start":7,"line_end":7,"access_modifier":"public","parameter_signature":"(Order order)","return_type":"Receipt","score":1.0}
        {"node_id":"nre4r75pz2fgx","name":"PlaceAsync","qualified_name":"Shop.Services.IOrderService.PlaceAsync","node_type":"method","language":"csharp","file_path":"src/Shop.Services/IOrderService.cs","line_start":9,"line_end":9,"access_modifier":"public","parameter_signature":"(Order order)","return_type":"Task<Receipt>","score":0.89}
        {"node_id":"ntarzyexmgb6r","name":"PlaceAsync","qualified_name":"Shop.Services.OrderService.PlaceAsync","node_type":"method","language":"csharp","file_path":"src/Shop.Services/OrderService.cs","line_start":39,"line_end":43,"access_modifier":"public","parameter_signature":"(Order order)","return_type":"Task<Receipt>","score":0.89}
        {"node_id":"n2ixitxdqtf2h","name":"Place","qualified_name":"Shop.Domain.Order.Place","node_type":"method","language":"csharp","file_path":"src/Shop.Domain/Order.Status.cs","line_start":14,"line_end":14,"access_modifier":"public","parameter_signature":"()","return_type":"void","score":0.69}
        {"node_id":"njvjtrc5n6uap","name":"Start","qualified_name":"Shop.Services.IOrderService.Start","node_type":"method","language":"csharp","file_path":"src/Shop.Services/IOrderService.cs","line_start":5,"line_end":5,"access_modifier":"public","parameter_signature":"(int customer)","return_type":"Order","score":0.65}
        {"note":"compared by words and letters (lexhash-384), not by meaning: no model is in use"}"#]]).await;
    check("find_similar", json!({ "node_id": "CartStore", "limit": 2, "format": "compact" }), expect![[r#"{"compact":"web/packages/app/src/state/observable.ts\n3-14 class na7bxymez4zhv s0.32\t#Observable\t<T>\nsrc/Shop.Services/PriceCalculator.cs\n6-26 public class nbqazgcuf5veq s0.21\tShop.Services.PriceCalculator","note":"compared by words and letters (lexhash-384), not by meaning: no model is in use"}"#]]).await;
    check("find_similar", json!({ "node_id": "Shop.Nothing" }), expect![[r#"{"error":{"code":"not_found","message":"no symbol \"Shop.Nothing\" in the index; search_symbols also matches parts of names; of libraries, only symbols that the repository uses are known"}}"#]]).await;
}

#[tokio::test]
async fn shop_get_symbol() {
    check("get_symbol", json!({ "node_id": "OrderService.PlaceAsync" }), expect![[r#"{"node_id":"ntarzyexmgb6r","name":"PlaceAsync","qualified_name":"Shop.Services.OrderService.PlaceAsync","node_type":"method","kind":"method","language":"csharp","file_path":"src/Shop.Services/OrderService.cs","line_start":39,"line_end":43,"access_modifier":"public","parameter_signature":"(Order order)","return_type":"Task<Receipt>","dialect":"cs","project_id":"src/Shop.Services/Shop.Services.csproj","is_public_api":true,"is_static":false,"is_abstract":false,"is_async":true,"is_override":false,"is_deprecated":false,"has_doc_comment":false,"parse_status":"full","parameter_count":1,"reference_count":0,"declarations":1}"#]]).await;
    check("get_symbol", json!({ "node_id": "Shop.Domain.Order" }), expect![[r#"{"node_id":"nsnnk6zwsmsth","name":"Order","qualified_name":"Shop.Domain.Order","node_type":"class","kind":"class","language":"csharp","file_path":"src/Shop.Domain/Order.cs","line_start":6,"line_end":41,"access_modifier":"public","dialect":"cs","project_id":"src/Shop.Domain/Shop.Domain.csproj","is_public_api":true,"is_static":false,"is_abstract":false,"is_async":false,"is_override":false,"is_deprecated":false,"has_doc_comment":true,"parse_status":"full","reference_count":24,"doc":"What a customer wants; changes its status only forwards.","declarations":2}"#]]).await;
    check("get_symbol", json!({ "node_id": "App.tsx#App" }), expect![[r#"{"node_id":"nmtuneeuqs34g","name":"App","qualified_name":"web/packages/app/src/App.tsx#App","node_type":"component","kind":"function","language":"typescript","file_path":"web/packages/app/src/App.tsx","line_start":7,"line_end":14,"parameter_signature":"({ cart, products }: { cart: CartStore; products: Product[] })","dialect":"tsx","project_id":"web/tsconfig.json","is_public_api":true,"is_static":false,"is_abstract":false,"is_async":false,"is_override":false,"is_deprecated":false,"has_doc_comment":false,"parse_status":"full","parameter_count":1,"reference_count":3,"declarations":1}"#]]).await;
}

#[tokio::test]
async fn shop_get_source_spans() {
    check(
        "get_source_spans",
        json!({ "node_id": "Shop.Domain.Order" }),
        expect![[r#"
        {"file_path":"src/Shop.Domain/Order.cs","line_start":6,"line_end":41,"is_primary":true}
        {"file_path":"src/Shop.Domain/Order.Status.cs","line_start":10,"line_end":32,"is_primary":false}"#]],
    )
    .await;
}

#[tokio::test]
async fn shop_get_file_outline() {
    check("get_file_outline", json!({ "path": "src/Shop.Domain/Order.Status.cs" }), expect![[r#"
        {"node_id":"nh5twyydgamdu","name":"Domain","qualified_name":"Shop.Domain","node_type":"module","kind":"namespace","line_start":1,"line_end":32}
        {"node_id":"ndinr2hiqi5ii","name":"OrderStatus","qualified_name":"Shop.Domain.OrderStatus","node_type":"type","kind":"enum","line_start":3,"line_end":8,"access_modifier":"public"}
        {"node_id":"nbnzgduerswgd","name":"Open","qualified_name":"Shop.Domain.OrderStatus.Open","node_type":"property","kind":"enum_member","line_start":5,"line_end":5,"access_modifier":"public"}
        {"node_id":"nvvp3x4s6eqqw","name":"Placed","qualified_name":"Shop.Domain.OrderStatus.Placed","node_type":"property","kind":"enum_member","line_start":6,"line_end":6,"access_modifier":"public"}
        {"node_id":"nbyh4oi5qfowu","name":"Shipped","qualified_name":"Shop.Domain.OrderStatus.Shipped","node_type":"property","kind":"enum_member","line_start":7,"line_end":7,"access_modifier":"public"}
        {"node_id":"nsnnk6zwsmsth","name":"Order","qualified_name":"Shop.Domain.Order","node_type":"class","line_start":10,"line_end":32,"access_modifier":"public"}
        {"node_id":"naio4zxjh2zre","name":"Status","qualified_name":"Shop.Domain.Order.Status","node_type":"property","line_start":12,"line_end":12,"access_modifier":"public","return_type":"OrderStatus"}
        {"node_id":"n2ixitxdqtf2h","name":"Place","qualified_name":"Shop.Domain.Order.Place","node_type":"method","line_start":14,"line_end":14,"access_modifier":"public","parameter_signature":"()","return_type":"void"}
        {"node_id":"ncltio5rfiupc","name":"Ship","qualified_name":"Shop.Domain.Order.Ship","node_type":"method","line_start":16,"line_end":16,"access_modifier":"public","parameter_signature":"()","return_type":"void"}
        {"node_id":"nmuqmrjyjewsm","name":"Advance","qualified_name":"Shop.Domain.Order.Advance","node_type":"method","line_start":18,"line_end":23,"access_modifier":"private","parameter_signature":"(OrderStatus from, OrderStatus to)","return_type":"void"}
        {"node_id":"niewjipee76sl","name":"Require","qualified_name":"Shop.Domain.Order.Require","node_type":"method","line_start":25,"line_end":31,"access_modifier":"private","parameter_signature":"(OrderStatus status)","return_type":"void"}"#]]).await;
}

#[tokio::test]
async fn shop_get_callers() {
    check("get_callers", json!({ "node_id": "PriceCalculator.Price" }), expect![[r#"{"node_id":"nukxwq3dwofmw","name":"Place","qualified_name":"Shop.Services.OrderService.Place","node_type":"method","file_path":"src/Shop.Services/OrderService.cs","line_start":31,"confidence":"exact","call_sites":[{"line":33,"column":28,"text":"var total = prices.Price(order);"}]}"#]]).await;
}

#[tokio::test]
async fn shop_get_callees() {
    check("get_callees", json!({ "node_id": "OrderService.Place" }), expect![[r#"
        {"node_id":"nxkafybca2lnp","name":"Price","qualified_name":"Shop.Services.PriceCalculator.Price","node_type":"method","file_path":"src/Shop.Services/PriceCalculator.cs","line_start":15,"confidence":"exact","call_sites":[{"file_path":"src/Shop.Services/OrderService.cs","line":33,"column":28,"text":"var total = prices.Price(order);"}]}
        {"node_id":"n2ixitxdqtf2h","name":"Place","qualified_name":"Shop.Domain.Order.Place","node_type":"method","file_path":"src/Shop.Domain/Order.Status.cs","line_start":14,"confidence":"exact","call_sites":[{"file_path":"src/Shop.Services/OrderService.cs","line":34,"column":15,"text":"order.Place();"}]}
        {"node_id":"n2auu7tq2ktii","name":"Save","qualified_name":"Shop.Domain.IRepository.Save","node_type":"method","file_path":"src/Shop.Domain/IRepository.cs","line_start":10,"confidence":"exact","call_sites":[{"file_path":"src/Shop.Services/OrderService.cs","line":35,"column":16,"text":"orders.Save(order);"}]}
        {"node_id":"n2serja4kkt7f","name":"Receipt","qualified_name":"Shop.Services.Receipt.Receipt","node_type":"constructor","kind":"primary_constructor","file_path":"src/Shop.Services/IOrderService.cs","line_start":12,"confidence":"exact","call_sites":[{"file_path":"src/Shop.Services/OrderService.cs","line":36,"column":20,"text":"return new Receipt(order.Id, total);"}]}"#]]).await;
}

#[tokio::test]
async fn shop_get_implementations() {
    check("get_implementations", json!({ "node_id": "Shop.Services.IOrderService" }), expect![[r#"{"node_id":"n3kmjfls5u6m7","name":"OrderService","qualified_name":"Shop.Services.OrderService","node_type":"class","file_path":"src/Shop.Services/OrderService.cs","line_start":6,"confidence":"exact","call_sites":[{"line":6,"column":29,"text":"public class OrderService : IOrderService"}],"edge_type":"implements"}"#]]).await;
    check("get_implementations", json!({ "node_id": "Entity.Describe" }), expect![[r#"
        {"node_id":"nihh2yzliju7g","name":"Describe","qualified_name":"Shop.Domain.Order.Describe","node_type":"method","file_path":"src/Shop.Domain/Order.cs","line_start":40,"confidence":"exact","call_sites":[{"line":40,"column":28,"text":"public override string Describe() => $\"{base.Describe()} of {Customer.Name}\";"}],"edge_type":"overrides"}
        {"node_id":"n4tffv3u5pzim","name":"Describe","qualified_name":"Shop.Domain.Product.Describe","node_type":"method","file_path":"src/Shop.Domain/Product.cs","line_start":18,"confidence":"exact","call_sites":[{"line":18,"column":28,"text":"public override string Describe() => $\"{base.Describe()} ({Name})\";"}],"edge_type":"overrides"}"#]]).await;
}

#[tokio::test]
async fn shop_get_references() {
    check("get_references", json!({ "node_id": "Shop.Services.IOrderService" }), expect![[r#"
        {"node_id":"n3kmjfls5u6m7","name":"OrderService","qualified_name":"Shop.Services.OrderService","node_type":"class","file_path":"src/Shop.Services/OrderService.cs","line_start":6,"confidence":"exact","call_sites":[{"line":6,"column":29,"text":"public class OrderService : IOrderService"}],"edge_type":"implements"}
        {"node_id":"nixar5awanrnr","name":"service","qualified_name":"Shop.Api.Endpoints.OrdersEndpoint.service","node_type":"property","kind":"field","file_path":"src/Shop.Api/Endpoints/OrdersEndpoint.cs","line_start":10,"confidence":"exact","call_sites":[{"line":10,"column":22,"text":"private readonly IOrderService service;"}],"edge_type":"references"}
        {"node_id":"n7f22q3sgwhw6","name":"<Main>$","qualified_name":"<Main>$","node_type":"method","file_path":"src/Shop.Api/Program.cs","line_start":5,"confidence":"exact","call_sites":[{"line":9,"column":44,"text":"router.Map(new OrdersEndpoint(registry.Get<IOrderService>(), registry));"}],"edge_type":"references"}
        {"node_id":"npzgl7xahq7wk","name":"AddShop","qualified_name":"Shop.Services.ServiceRegistration.AddShop","node_type":"method","file_path":"src/Shop.Services/ServiceRegistration.cs","line_start":8,"confidence":"exact","call_sites":[{"line":15,"column":29,"text":"return registry.Add<IOrderService, OrderService>(Make);"}],"edge_type":"references"}
        {"node_id":"nbof52pu2yqwb","name":"OrdersEndpoint","qualified_name":"Shop.Api.Endpoints.OrdersEndpoint.OrdersEndpoint","node_type":"constructor","file_path":"src/Shop.Api/Endpoints/OrdersEndpoint.cs","line_start":13,"confidence":"exact","call_sites":[{"line":13,"column":27,"text":"public OrdersEndpoint(IOrderService service, Registry registry)"}],"edge_type":"accepts"}"#]]).await;
}

#[tokio::test]
async fn shop_get_dependencies() {
    check("get_dependencies", json!({ "node_id": "Shop.Services.OrderService.Place" }), expect![[r#"
        {"node_id":"nxkafybca2lnp","name":"Price","qualified_name":"Shop.Services.PriceCalculator.Price","node_type":"method","file_path":"src/Shop.Services/PriceCalculator.cs","line_start":15,"confidence":"exact","call_sites":[{"file_path":"src/Shop.Services/OrderService.cs","line":33,"column":28,"text":"var total = prices.Price(order);"}],"edge_type":"calls","direction":"outgoing"}
        {"node_id":"n2ixitxdqtf2h","name":"Place","qualified_name":"Shop.Domain.Order.Place","node_type":"method","file_path":"src/Shop.Domain/Order.Status.cs","line_start":14,"confidence":"exact","call_sites":[{"file_path":"src/Shop.Services/OrderService.cs","line":34,"column":15,"text":"order.Place();"}],"edge_type":"calls","direction":"outgoing"}
        {"node_id":"n2auu7tq2ktii","name":"Save","qualified_name":"Shop.Domain.IRepository.Save","node_type":"method","file_path":"src/Shop.Domain/IRepository.cs","line_start":10,"confidence":"exact","call_sites":[{"file_path":"src/Shop.Services/OrderService.cs","line":35,"column":16,"text":"orders.Save(order);"}],"edge_type":"calls","direction":"outgoing"}
        {"node_id":"n2serja4kkt7f","name":"Receipt","qualified_name":"Shop.Services.Receipt.Receipt","node_type":"constructor","kind":"primary_constructor","file_path":"src/Shop.Services/IOrderService.cs","line_start":12,"confidence":"exact","call_sites":[{"file_path":"src/Shop.Services/OrderService.cs","line":36,"column":20,"text":"return new Receipt(order.Id, total);"}],"edge_type":"calls","direction":"outgoing"}
        {"node_id":"np3olobid7sx2","name":"Place","qualified_name":"Shop.Services.IOrderService.Place","node_type":"method","file_path":"src/Shop.Services/IOrderService.cs","line_start":7,"confidence":"exact","call_sites":[{"file_path":"src/Shop.Services/OrderService.cs","line":31,"column":20,"text":"public Receipt Place(Order order)"}],"edge_type":"implements","direction":"outgoing"}
        {"node_id":"ngcep7pszcddv","name":"Receipt","qualified_name":"Shop.Services.Receipt","node_type":"class","kind":"record","file_path":"src/Shop.Services/IOrderService.cs","line_start":12,"confidence":"exact","call_sites":[{"file_path":"src/Shop.Services/OrderService.cs","line":31,"column":12,"text":"public Receipt Place(Order order)"},{"file_path":"src/Shop.Services/OrderService.cs","line":36,"column":20,"text":"return new Receipt(order.Id, total);"}],"edge_type":"references","direction":"outgoing"}
        {"node_id":"nuqs6k2zn5vfd","name":"prices","qualified_name":"Shop.Services.OrderService.prices","node_type":"property","kind":"field","file_path":"src/Shop.Services/OrderService.cs","line_start":10,"confidence":"exact","call_sites":[{"line":33,"column":21,"text":"var total = prices.Price(order);"}],"edge_type":"references","direction":"outgoing"}
        {"node_id":"nlwjzmmsxcbxg","name":"orders","qualified_name":"Shop.Services.OrderService.orders","node_type":"property","kind":"field","file_path":"src/Shop.Services/OrderService.cs","line_start":8,"confidence":"exact","call_sites":[{"line":35,"column":9,"text":"orders.Save(order);"}],"edge_type":"references","direction":"outgoing"}
        {"node_id":"nlbxxbzcgzwm3","name":"Id","qualified_name":"Shop.Domain.Entity.Id","node_type":"property","file_path":"src/Shop.Domain/Entity.cs","line_start":11,"confidence":"exact","call_sites":[{"file_path":"src/Shop.Services/OrderService.cs","line":36,"column":34,"text":"return new Receipt(order.Id, total);"}],"edge_type":"references","direction":"outgoing"}
        {"node_id":"nsnnk6zwsmsth","name":"Order","qualified_name":"Shop.Domain.Order","node_type":"class","file_path":"src/Shop.Domain/Order.cs","line_start":6,"confidence":"exact","call_sites":[{"file_path":"src/Shop.Services/OrderService.cs","line":31,"column":26,"text":"public Receipt Place(Order order)"}],"edge_type":"accepts","direction":"outgoing"}"#]]).await;
    check("get_dependencies", json!({ "node_id": "Shop.Domain.Order", "edge_type": "inherits" }), expect![[r#"{"node_id":"ndbzp2l6d5l4q","name":"Entity","qualified_name":"Shop.Domain.Entity","node_type":"class","file_path":"src/Shop.Domain/Entity.cs","line_start":4,"confidence":"exact","call_sites":[{"file_path":"src/Shop.Domain/Order.cs","line":6,"column":30,"text":"public partial class Order : Entity"}],"edge_type":"inherits","direction":"outgoing"}"#]]).await;
}

#[tokio::test]
async fn shop_get_dependents() {
    check("get_dependents", json!({ "node_id": "IOrderService.Place" }), expect![[r#"
        {"node_id":"n6we36ujs6tlb","name":"Handle","qualified_name":"Shop.Api.Endpoints.OrdersEndpoint.Handle","node_type":"method","file_path":"src/Shop.Api/Endpoints/OrdersEndpoint.cs","line_start":21,"confidence":"exact","call_sites":[{"line":28,"column":36,"text":"return Show(order, service.Place(order));"}],"edge_type":"calls","direction":"incoming"}
        {"node_id":"nukxwq3dwofmw","name":"Place","qualified_name":"Shop.Services.OrderService.Place","node_type":"method","file_path":"src/Shop.Services/OrderService.cs","line_start":31,"confidence":"exact","call_sites":[{"line":31,"column":20,"text":"public Receipt Place(Order order)"}],"edge_type":"implements","direction":"incoming"}
        {"node_id":"nuvozt4zgcc2r","name":"IOrderService","qualified_name":"Shop.Services.IOrderService","node_type":"interface","file_path":"src/Shop.Services/IOrderService.cs","line_start":3,"confidence":"exact","edge_type":"contains","direction":"incoming","access_modifier":"public"}
        {"note":"calls of implementations and overrides are listed under them: `get_references Shop.Services.OrderService.Place`"}"#]]).await;
    check("get_dependents", json!({ "node_id": "IOrderService.Place", "edge_type": "calls" }), expect![[r#"
        {"node_id":"n6we36ujs6tlb","name":"Handle","qualified_name":"Shop.Api.Endpoints.OrdersEndpoint.Handle","node_type":"method","file_path":"src/Shop.Api/Endpoints/OrdersEndpoint.cs","line_start":21,"confidence":"exact","call_sites":[{"line":28,"column":36,"text":"return Show(order, service.Place(order));"}],"edge_type":"calls","direction":"incoming"}
        {"note":"calls of implementations and overrides are listed under them: `get_callers Shop.Services.OrderService.Place`"}"#]]).await;
}

/// Empty lists give a reason, which depends on the kind of symbol.
#[tokio::test]
async fn shop_empty_lists_give_a_reason() {
    check("get_callers", json!({ "node_id": "OrderService.Place" }), expect![[r#"
        {"node_id":"ntarzyexmgb6r","name":"PlaceAsync","qualified_name":"Shop.Services.OrderService.PlaceAsync","node_type":"method","file_path":"src/Shop.Services/OrderService.cs","line_start":39,"confidence":"exact","call_sites":[{"line":42,"column":16,"text":"return Place(order);"}]}
        {"note":"calls through an interface or base class are listed under its member: `get_callers Shop.Services.IOrderService.Place`"}"#]]).await;
    check("get_callers", json!({ "node_id": "Shop.Services.OrderService" }), expect![[r#"{"note":"Shop.Services.OrderService is a class; its constructors have 1 caller: `get_callers Shop.Services.OrderService.OrderService`; for its members: `get_callers Shop.Services.OrderService.*`; it may be used through Shop.Services.IOrderService; it has 2 other uses: `get_references Shop.Services.OrderService`"}"#]]).await;
    check("get_callers", json!({ "node_id": "Shop.Services.IOrderService" }), expect![[r#"{"note":"Shop.Services.IOrderService is an interface, which is not called; for its members: `get_callers Shop.Services.IOrderService.*`; it is implemented or extended by Shop.Services.OrderService; it has 5 other uses: `get_references Shop.Services.IOrderService`"}"#]]).await;
    check("get_callers", json!({ "node_id": "Order.Customer" }), expect![[r#"{"note":"Shop.Domain.Order.Customer is a property, which is read and written rather than called; it has 4 other uses: `get_references Shop.Domain.Order.Customer`"}"#]]).await;
    check("get_callees", json!({ "node_id": "IOrderService.Place" }), expect![[r#"{"note":"Shop.Services.IOrderService.Place itself calls nothing in this repository; it is implemented or overridden by Shop.Services.OrderService.Place"}"#]]).await;
    check(
        "get_callees",
        json!({ "node_id": "Shop.Domain.Order" }),
        expect![[r#"{"note":"Shop.Domain.Order is a class, which calls nothing itself; for its members: `get_callees Shop.Domain.Order.*`"}"#]],
    )
    .await;
    check("get_implementations", json!({ "node_id": "OrderService.Place" }), expect![[r#"{"note":"nothing in the repository implements or overrides Shop.Services.OrderService.Place; it implements or overrides a member that has other implementations: `get_implementations Shop.Services.IOrderService.Place`"}"#]]).await;
    check("get_implementations", json!({ "node_id": "Shop.Services.OrderService" }), expect![[r#"{"note":"nothing in the repository implements or derives from Shop.Services.OrderService; it implements or derives from Shop.Services.IOrderService"}"#]]).await;
    check(
        "get_implementations",
        json!({ "node_id": "Order.Add" }),
        expect![[
            r#"{"note":"nothing in the repository implements or overrides Shop.Domain.Order.Add"}"#
        ]],
    )
    .await;
    check("get_references", json!({ "node_id": "OrderService.Place" }), expect![[r#"
        {"node_id":"ntarzyexmgb6r","name":"PlaceAsync","qualified_name":"Shop.Services.OrderService.PlaceAsync","node_type":"method","file_path":"src/Shop.Services/OrderService.cs","line_start":39,"confidence":"exact","call_sites":[{"line":42,"column":16,"text":"return Place(order);"}],"edge_type":"calls"}
        {"note":"calls through an interface or base class are listed under its member: `get_references Shop.Services.IOrderService.Place`"}"#]]).await;
    check("get_dependencies", json!({ "node_id": "Shop.Domain.OrderException", "edge_type": "inherits" }), expect![[r#"{"note":"Shop.Domain.OrderException has no outgoing `inherits`; bases outside the repository have no row; it is declared as `public class OrderException : Exception`; it has 2 `contains`","external":["3 dotnet:System.Exception"]}"#]]).await;
    check(
        "get_dependents",
        json!({ "node_id": "Order.Add", "edge_type": "overrides" }),
        expect![[
            r#"{"note":"nothing in the repository implements or overrides Shop.Domain.Order.Add"}"#
        ]],
    )
    .await;
    check(
        "get_dependencies",
        json!({ "node_id": "OrderStatus.Open" }),
        expect![[r#"{"note":"Shop.Domain.OrderStatus.Open uses nothing that is declared in this repository"}"#]],
    )
    .await;
}

#[tokio::test]
async fn shop_get_status() {
    let mut status = Peer::shop().await.structured("get_status", json!({})).await;
    assert!(
        status["last_batch_at"]
            .take()
            .as_str()
            .is_some_and(|time| time.len() == 20 && time.ends_with('Z')),
        "UTC, to the second"
    );
    // Resolution quality is covered by the resolvers' tests.
    status.as_object_mut().unwrap().remove("quality");
    expect![[r#"{"healthy":true,"schema_version":11,"indexed_files":46,"indexed_symbols":246,"languages":["csharp","typescript"],"watcher_active":true,"last_batch_at":null,"embedding_model":"lexhash-384","embeddings_count":246,"edges":628,"text_of_no_language_percent":4.1}"#]].assert_eq(&status.to_string());
}

#[tokio::test]
async fn shop_index_files() {
    check("index_files", json!({ "paths": ["src/Shop.Domain/Order.cs", "web/packages/app/src/App.tsx", "README.md", "no.cs"] }), expect![[r#"{"indexed":2,"errors":[{"path":"README.md","code":"invalid_parameter","message":"README.md is not a C#, TypeScript or JavaScript file"},{"path":"no.cs","code":"not_found","message":"no.cs does not exist"}]}"#]])
        .await;
}
