//! The two list formats: rows and lines have the same content, and lines need less than half of the
//! characters.

use codeagent_core::model::graph::{Access, NodeKind};
use serde_json::{Map, Value, json};

use crate::tools::support::Peer;

/// Returns twenty calls that list symbols of the shop.
fn listings() -> Vec<(&'static str, Value)> {
    let of = |tool, name: &str| (tool, json!({ "node_id": name }));
    vec![
        of("get_callers", "PriceCalculator.Price"),
        of("get_callers", "Money"),
        of("get_callers", "Place"),
        of("get_callees", "OrderService.Place"),
        of("get_callees", "CartStore.checkout"),
        of("get_callees", "Order"),
        of("get_implementations", "IDiscount"),
        of("get_implementations", "Entity"),
        of("get_references", "Shop.Domain.Order"),
        of("get_references", "Money"),
        of("get_references", "IOrderService"),
        of("get_dependencies", "OrderService"),
        of("get_dependencies", "Shop.Domain.Order"),
        of("get_dependents", "Shop.Domain.Product"),
        of("get_dependents", "Money"),
        of("get_source_spans", "Shop.Domain.Order"),
        (
            "get_file_outline",
            json!({ "path": "src/Shop.Domain/Order.cs" }),
        ),
        (
            "get_file_outline",
            json!({ "path": "web/packages/app/src/state/cart.ts" }),
        ),
        ("search_symbols", json!({ "query": "order" })),
        ("lookup_symbol", json!({ "qualified_name": "Order" })),
    ]
}

#[tokio::test]
async fn compact_lines_equal_the_rows_in_less_than_half_the_size() {
    let shop = Peer::shop().await;
    let (mut long, mut short) = (0, 0);
    for (tool, question) in listings() {
        let rows = shop.structured(tool, question.clone()).await;
        let mut asked = question.clone();
        asked["format"] = "compact".into();
        let mut lines = shop.structured(tool, asked).await;
        let text = lines.as_object_mut().unwrap().remove("compact").unwrap();
        long += rows["results"].to_string().chars().count();
        short += text.as_str().unwrap().chars().count();
        let mut expected: Vec<String> = rows["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| squeezed(row).to_string())
            .collect();
        let mut reply: Vec<String> = parse(text.as_str().unwrap(), tool)
            .iter()
            .map(|row| squeezed(row).to_string())
            .collect();
        expected.sort();
        reply.sort();
        assert_eq!(reply, expected, "{tool} {question}");
        let added = |answer: &Value| {
            let mut names: Vec<String> = answer
                .as_object()
                .unwrap()
                .keys()
                .filter(|name| *name != "results")
                .cloned()
                .collect();
            names.sort();
            names
        };
        assert_eq!(added(&lines), added(&rows), "the same cursors and notes");
    }
    assert!(
        short as f64 <= 0.45 * long as f64,
        "{short} of {long} characters"
    );
}

#[tokio::test]
async fn directories_are_listed_as_lines_too() {
    let answer = Peer::shop()
        .await
        .structured(
            "list_directory",
            json!({ "path": "src/Shop.Services", "format": "compact" }),
        )
        .await;
    let text = answer["compact"].as_str().unwrap();
    assert!(
        text.starts_with("Extensions/\nIOrderService.cs\t219\n"),
        "{text}"
    );
}

/// Returns a row with its fields sorted and runs of white space in signatures collapsed.
fn squeezed(row: &Value) -> Value {
    let mut fields: Vec<(String, Value)> = row.as_object().unwrap().clone().into_iter().collect();
    fields.sort_by(|a, b| a.0.cmp(&b.0));
    let squeeze = |name: &str, value: Value| match (name, value.as_str()) {
        ("parameter_signature" | "return_type", Some(text)) => {
            text.split_whitespace().collect::<Vec<_>>().join(" ").into()
        }
        _ => value,
    };
    Value::Object(
        fields
            .into_iter()
            .map(|(name, value)| (name.clone(), squeeze(&name, value)))
            .collect(),
    )
}

/// Parses lines back into rows.
fn parse(text: &str, tool: &str) -> Vec<Value> {
    let (mut rows, mut heading, mut file, mut container) = (
        Vec::<Value>::new(),
        Vec::new(),
        String::new(),
        String::new(),
    );
    for line in text.lines() {
        if let Some(common) = line.strip_prefix("@ ") {
            heading = common.split(' ').map(str::to_owned).collect();
        } else if let Some(other) = line.strip_prefix(" ? ") {
            let sites = rows.last_mut().unwrap()["call_sites"]
                .as_array_mut()
                .unwrap();
            let site = sites.last_mut().unwrap().as_object_mut().unwrap();
            site.entry("candidates")
                .or_insert_with(|| json!([]))
                .as_array_mut()
                .unwrap()
                .push(other.into());
        } else if let Some(site) = line.strip_prefix(' ') {
            let row = rows.last_mut().unwrap().as_object_mut().unwrap();
            row.entry("call_sites")
                .or_insert_with(|| json!([]))
                .as_array_mut()
                .unwrap()
                .push(parse_site(site));
        } else if line.starts_with(|first: char| first.is_ascii_digit()) {
            rows.push(Value::Object(parse_row(
                line,
                (&heading, &file),
                &mut container,
                tool,
            )));
        } else {
            file = line.to_owned();
            container = String::new();
        }
    }
    rows
}

fn parse_site(site: &str) -> Value {
    let (place, text) = site.split_once(' ').unwrap_or((site, ""));
    let parts: Vec<&str> = place.rsplitn(3, ':').collect();
    let mut fields = Map::new();
    if let Some(path) = parts.get(2) {
        fields.insert("file_path".to_owned(), (*path).into());
    }
    fields.insert("line".to_owned(), parts[1].parse::<u64>().unwrap().into());
    fields.insert("column".to_owned(), parts[0].parse::<u64>().unwrap().into());
    fields.insert("text".to_owned(), text.into());
    Value::Object(fields)
}

fn parse_row(
    line: &str,
    (heading, file): (&[String], &str),
    container: &mut String,
    tool: &str,
) -> Map<String, Value> {
    let columns: Vec<&str> = line.split('\t').collect();
    let mut row = Map::new();
    let mut put = |name: &str, value: Value| drop(row.insert(name.to_owned(), value));
    let is_relation = [
        "get_callers",
        "get_callees",
        "get_implementations",
        "get_references",
        "get_dependencies",
        "get_dependents",
    ]
    .contains(&tool);
    if !file.is_empty() {
        put("file_path", file.into());
    }
    for word in heading {
        match word.as_str() {
            "outgoing" | "incoming" => put("direction", word.as_str().into()),
            verb if codeagent_core::model::graph::EdgeType::parse(verb).is_some() => {
                put("edge_type", verb.into())
            }
            of => put("of", of.into()),
        }
    }
    if is_relation {
        put("confidence", "exact".into());
    }
    if tool == "get_source_spans" {
        put("is_primary", false.into());
    }
    let mut words = columns[0].split(' ');
    let lines = words.next().unwrap();
    let (start, end) = lines.split_once('-').map_or((lines, None), |(start, end)| {
        (start, Some(if end.is_empty() { start } else { end }))
    });
    put("line_start", start.parse::<u64>().unwrap().into());
    if let Some(end) = end {
        put("line_end", end.parse::<u64>().unwrap().into());
    }
    for word in words {
        let (node_type, kind) = word
            .split_once(':')
            .map_or((None, word), |(node_type, kind)| (Some(node_type), kind));
        if word.starts_with('n') && word.len() == 13 {
            put("node_id", word.into());
        } else if let Some(kind) = NodeKind::parse(kind) {
            let node_type = node_type.unwrap_or(kind.node_type().as_str());
            put("node_type", node_type.into());
            if kind.as_str() != node_type {
                put("kind", kind.as_str().into());
            }
        } else if Access::parse(word).is_some() {
            put("access_modifier", word.into());
        } else if let Some(name) = word.strip_prefix('=') {
            put("name", name.replace('\u{a0}', " ").into());
        } else if let Some(count) = word
            .strip_prefix('x')
            .and_then(|count| count.parse::<u64>().ok())
        {
            put("site_count", count.into());
        } else if let Some(rank) = word
            .strip_prefix('r')
            .and_then(|rank| rank.parse::<f64>().ok())
        {
            put("rank", rank.into());
        } else {
            match word {
                "suffix" => put("match", word.into()),
                "primary" => put("is_primary", true.into()),
                "exported" => put("exported", true.into()),
                "inferred" | "heuristic" => put("confidence", word.into()),
                other => panic!("{other} in {line}"),
            }
        }
    }
    if let Some(name) = columns.get(1) {
        let whole = match name.chars().next() {
            Some('.') => format!("{container}{name}"),
            Some('#') => format!("{file}{name}"),
            _ => (*name).to_owned(),
        };
        *container = whole
            .rfind(['.', '#'])
            .map_or("", |at| &whole[..at])
            .to_owned();
        let own = whole.rsplit(['.', '#']).next().unwrap().to_owned();
        if !row.contains_key("name") {
            row.insert("name".to_owned(), own.into());
        }
        row.insert("qualified_name".to_owned(), whole.into());
    }
    for (at, name) in [(2, "parameter_signature"), (3, "return_type")] {
        if let Some(text) = columns.get(at).filter(|text| !text.is_empty()) {
            row.insert(name.to_owned(), (*text).into());
        }
    }
    if tool == "search_symbols" || tool == "lookup_symbol" {
        let language = if file.ends_with(".cs") {
            "csharp"
        } else {
            "typescript"
        };
        row.insert("language".to_owned(), language.into());
    }
    row
}
