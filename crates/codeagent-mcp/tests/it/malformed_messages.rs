//! Messages that no protocol library would send, and the response to each over any transport.

use serde_json::{Value, json};

/// Returns each message with the error code and `id` of its response; `None` means no response.
pub fn malformed_messages() -> Vec<(String, Option<(i32, Value)>)> {
    let ping = |id: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
    let called =
        |rest: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{rest}}}"#);
    vec![
        ("hello".to_owned(), Some((-32700, Value::Null))),
        ("{".to_owned(), Some((-32700, Value::Null))),
        (
            r#"{"jsonrpc":"2.0","id":3,"method":"ping","params":{"a":"\ud800"}}"#.to_owned(),
            Some((-32700, json!(3))),
        ),
        ("[]".to_owned(), Some((-32600, Value::Null))),
        (
            format!("[{},{}]", ping("1"), ping("2")),
            Some((-32600, Value::Null)),
        ),
        ("3".to_owned(), Some((-32600, Value::Null))),
        ("null".to_owned(), Some((-32600, Value::Null))),
        (
            r#"{"jsonrpc":"2.0","id":7}"#.to_owned(),
            Some((-32600, json!(7))),
        ),
        (
            r#"{"id":7,"method":"ping"}"#.to_owned(),
            Some((-32600, json!(7))),
        ),
        (
            r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#.to_owned(),
            Some((-32600, json!(7))),
        ),
        (ping("null"), Some((-32600, Value::Null))),
        (
            r#"{"jsonrpc":"2.0","id":8,"method":"no/such"}"#.to_owned(),
            Some((-32601, json!(8))),
        ),
        (
            called(r#"{"name":"no_such","arguments":{}}"#),
            Some((-32602, json!(1))),
        ),
        (
            called(r#"{"name":"read_file","arguments":[1]}"#),
            Some((-32602, json!(1))),
        ),
        (
            called(r#"{"name":"read_file","arguments":"path"}"#),
            Some((-32602, json!(1))),
        ),
        (called(r#"{"name":7}"#), Some((-32602, json!(1)))),
        (called("{}"), Some((-32602, json!(1)))),
        (called("[1]"), Some((-32600, json!(1)))),
        (called("7"), Some((-32600, json!(1)))),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#.to_owned(),
            Some((-32602, json!(1))),
        ),
        (String::new(), None),
        ("   ".to_owned(), None),
        ("\r".to_owned(), None),
        (
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12345}}"#
                .to_owned(),
            None,
        ),
        (r#"{"jsonrpc":"2.0","method":"no/such"}"#.to_owned(), None),
        (r#"{"jsonrpc":"2.0","id":4,"result":{}}"#.to_owned(), None),
    ]
}
