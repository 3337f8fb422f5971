//! A client of `codeagent lsp`, over standard input and output.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};

use codeagent_workspace::file_uri;
use serde_json::{Value, json};

use super::pair::Place;
use crate::faults::support::Running;

pub struct Editor {
    /// The capabilities that the server announces.
    pub capabilities: Value,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last: u64,
    /// URI of the repository, with a `/` at its end.
    root: String,
    _running: Running,
}

impl Editor {
    /// Starts a server and initializes the session.
    pub fn of(command: &mut Command, root: &std::path::Path) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let root = file_uri(root).unwrap();
        let mut editor = Self {
            capabilities: Value::Null,
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()),
            last: 0,
            root: format!("{root}/"),
            _running: Running(child),
        };

        let tree = json!({ "hierarchicalDocumentSymbolSupport": true });
        let parameters = json!({
            "capabilities": { "textDocument": { "documentSymbol": tree } },
            "workspaceFolders": [{ "uri": root, "name": "repository" }],
        });
        editor.capabilities = editor.ask("initialize", parameters)["capabilities"].clone();
        editor.send(&json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }));
        editor
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.input.flush().unwrap();
    }

    fn next(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "it ended");
            match line.trim().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().unwrap(),
                None if line.trim().is_empty() => break,
                None => {}
            }
        }
        let mut text = vec![0; length];
        self.output.read_exact(&mut text).unwrap();
        serde_json::from_slice(&text).unwrap()
    }

    /// Sends a request and returns its result.
    pub fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.last += 1;
        let id = self.last;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters }));
        loop {
            let mut message = self.next();
            if message["id"] == id {
                assert!(message["error"].is_null(), "{method}: {message}");
                return message["result"].take();
            }
        }
    }

    /// Sends a request about a place.
    pub fn ask_at(&mut self, request: &str, at: &Place) -> Value {
        let parameters = json!({
            "textDocument": { "uri": self.uri(&at.path) },
            "position": { "line": at.line - 1, "character": at.column - 1 },
            "context": { "includeDeclaration": false },
        });
        self.ask(&format!("textDocument/{request}"), parameters)
    }

    /// Returns the locations that a request about a place finds.
    pub fn places(&mut self, request: &str, at: &Place) -> Vec<Place> {
        let found = self.ask_at(request, at);
        list(&found)
            .iter()
            .map(|found| self.place(&found["uri"], &found["range"]))
            .collect()
    }

    /// Returns the symbols of a document, containers before their members.
    pub fn symbols(&mut self, path: &str) -> Vec<Value> {
        fn flatten(symbols: &Value, into: &mut Vec<Value>) {
            for symbol in list(symbols) {
                into.push(symbol.clone());
                flatten(&symbol["children"], into);
            }
        }
        let document = json!({ "textDocument": { "uri": self.uri(path) } });
        let tree = self.ask("textDocument/documentSymbol", document);
        let mut symbols = Vec::new();
        flatten(&tree, &mut symbols);
        symbols
    }

    pub fn uri(&self, path: &str) -> String {
        format!("{}{path}", self.root)
    }

    /// Returns where a range of a document begins.
    pub fn place(&self, uri: &Value, range: &Value) -> Place {
        let uri = uri.as_str().unwrap();
        let at = |name: &str| range["start"][name].as_u64().unwrap() + 1;
        Place {
            path: uri.strip_prefix(&self.root).unwrap_or(uri).to_owned(),
            line: at("line"),
            column: at("character"),
        }
    }
}

/// Returns the elements of an array, or none.
pub fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
