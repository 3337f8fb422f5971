//! The client hook, which suggests symbols to an agent that is grepping.

use std::io::Write;
use std::process::Stdio;

use serde_json::Value;

use super::Shop;

/// Returns what the hook prints for an event; asserts that it succeeds and writes no errors.
fn hook_output(shop: &Shop, event: &str) -> String {
    let mut child = shop
        .command(&["hook"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(event.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{event}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

fn searched(pattern: &str) -> String {
    serde_json::json!({ "hook_event_name": "PostToolUse", "tool_name": "Grep", "tool_input": { "pattern": pattern } }).to_string()
}

#[test]
fn the_hook_suggests_symbols_with_the_name_in_a_grep() {
    let shop = Shop::indexed();
    let answer: Value =
        serde_json::from_str(&hook_output(&shop, &searched(r"\bOrderService\.Place\("))).unwrap();
    let answer = &answer["hookSpecificOutput"];
    assert_eq!(answer["hookEventName"], "PostToolUse");
    let text = answer["additionalContext"].as_str().unwrap();
    assert!(text.ends_with("\nmethod Shop.Services.OrderService.Place(Order order)  src/Shop.Services/OrderService.cs:31"), "{text}");
}

#[test]
fn the_hook_prints_nothing_without_a_suggestion() {
    let shop = Shop::indexed();
    for event in [
        "",
        "{",
        "[]",
        "{}",
        "\"x\"",
        &searched("nothing_is_called_so"),
        &searched(r"\s+"),
        &searched(""),
    ] {
        assert_eq!(hook_output(&shop, event), "", "{event}");
    }
    assert_eq!(hook_output(&Shop::new(), &searched("Place")), "");
}
