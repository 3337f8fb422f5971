//! A scripted client, and the repository it works in.

use std::io::{BufReader, PipeWriter, Write};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::Duration;

use codeagent_lsp::{ServeError, ServerOptions, serve};
use codeagent_workspace::{DataRoot, file_uri};
use crossbeam_channel::Receiver;
use lsp_server::{Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Maximum time for a response.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A server over a repository in a temporary folder, and its client.
pub struct Client {
    pub root: PathBuf,
    pub capabilities: Value,
    input: Option<PipeWriter>,
    messages: Receiver<Message>,
    server: Option<JoinHandle<Result<(), ServeError>>>,
    last_id: i32,
    home: PathBuf,
    _folder: TempDir,
}

impl Client {
    /// Starts a server over files, and initializes the session.
    pub fn over(files: &[(&str, &str)]) -> Self {
        let mut client = Self::uninitialized(|root| {
            for (path, text) in files {
                codeagent_testkit::files::write_file(root, path, text);
            }
        });
        client.initialize(json!({}));
        client
    }

    /// Starts a server over the shop, and initializes the session.
    pub fn over_shop() -> Self {
        let mut client = Self::uninitialized(codeagent_testkit::files::copy_shop);
        client.initialize(json!({}));
        client
    }

    /// Starts a server over a repository that `fill` writes.
    pub fn uninitialized(fill: impl FnOnce(&Path)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = dunce(folder.path()).join("repository");
        std::fs::create_dir_all(root.join(".git")).unwrap();
        fill(&root);

        let home = folder.path().join("home");
        let options = ServerOptions {
            home: DataRoot::at(&home),
            threads: 1,
            ..ServerOptions::default()
        };
        let (input, writer) = std::io::pipe().unwrap();
        let (reader, output) = std::io::pipe().unwrap();
        let server = std::thread::spawn(move || serve(input, output, options));
        let (sender, messages) = crossbeam_channel::unbounded();
        std::thread::spawn(move || {
            let mut reader = BufReader::new(reader);
            while let Ok(Some(message)) = Message::read(&mut reader) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });

        Self {
            root,
            capabilities: Value::Null,
            input: Some(writer),
            messages,
            server: Some(server),
            last_id: 0,
            home,
            _folder: folder,
        }
    }

    /// Opens the session with these client capabilities.
    pub fn initialize(&mut self, capabilities: Value) {
        let uri = file_uri(&self.root).unwrap();
        let folders = json!([{ "uri": uri, "name": "repository" }]);
        let params = json!({ "processId": null, "rootUri": null, "capabilities": capabilities, "workspaceFolders": folders });
        self.capabilities = self.ask("initialize", params)["capabilities"].clone();
        self.notify("initialized", json!({}));
    }

    pub fn uri(&self, path: &str) -> String {
        file_uri(&self.root.join(path)).unwrap()
    }

    /// Returns the location of the index's data.
    pub fn home(&self) -> &Path {
        &self.home
    }

    pub fn send(&mut self, message: Message) {
        let mut input = self.input.as_ref().unwrap();
        message.write(&mut input).unwrap();
    }

    /// Writes bytes as they are; reports whether the server still reads.
    pub fn send_raw(&mut self, bytes: &[u8]) -> bool {
        self.input.as_ref().unwrap().write_all(bytes).is_ok()
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(Notification::new(method.to_owned(), params).into());
    }

    /// Sends a request and returns its id.
    pub fn start(&mut self, method: &str, params: Value) -> RequestId {
        self.last_id += 1;
        let id = RequestId::from(self.last_id);
        self.send(Request::new(id.clone(), method.to_owned(), params).into());
        id
    }

    /// Returns the server's next message.
    pub fn next(&mut self) -> Message {
        self.messages.recv_timeout(TIMEOUT).expect("a message")
    }

    /// Returns the response to a request; skips other messages.
    pub fn response(&mut self, id: &RequestId) -> Response {
        loop {
            match self.next() {
                Message::Response(response) if response.id == *id => return response,
                _ => {}
            }
        }
    }

    /// Returns the result of a request.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.start(method, params);
        let response = self.response(&id);
        assert!(response.error.is_none(), "{method}: {:?}", response.error);
        response.result.unwrap_or_default()
    }

    /// Returns the error code of a request.
    pub fn error(&mut self, method: &str, params: Value) -> i32 {
        let id = self.start(method, params);
        self.response(&id).error.expect("an error").code
    }

    /// Asks about a position of a file, both from 0.
    pub fn ask_at(&mut self, method: &str, path: &str, (line, character): (u32, u32)) -> Value {
        let params = json!({
            "textDocument": { "uri": self.uri(path) },
            "position": { "line": line, "character": character },
            "context": { "includeDeclaration": false },
        });
        self.ask(&format!("textDocument/{method}"), params)
    }

    /// Asks about the `nth` occurrence of a word in a file on disk, counted from 0.
    pub fn ask_about(&mut self, method: &str, path: &str, word: &str, nth: usize) -> Value {
        let text = std::fs::read_to_string(self.root.join(path)).unwrap();
        let at = position_of(&text, word, nth);
        self.ask_at(method, path, at)
    }

    /// Opens a document, with the text of its file unless another one is given.
    pub fn open(&mut self, path: &str, text: Option<&str>) {
        let saved = || std::fs::read_to_string(self.root.join(path)).unwrap();
        let text = text.map_or_else(saved, str::to_owned);
        let document =
            json!({ "uri": self.uri(path), "languageId": "x", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces a range of an open document: first line and character, last line and character.
    pub fn edit(&mut self, path: &str, [a, b, c, d]: [u32; 4], text: &str) {
        let range =
            json!({ "start": { "line": a, "character": b }, "end": { "line": c, "character": d } });
        let params = json!({
            "textDocument": { "uri": self.uri(path), "version": 2 },
            "contentChanges": [{ "range": range, "text": text }],
        });
        self.notify("textDocument/didChange", params);
    }

    /// Writes locations as `path:line:character-character`, from 0, without the root.
    pub fn places(&self, locations: &Value) -> Vec<String> {
        let Some(locations) = locations.as_array() else {
            return Vec::new();
        };
        let root = self.uri("");
        let place = |location: &Value| {
            let uri = location["uri"].as_str().unwrap();
            let (start, end) = (&location["range"]["start"], &location["range"]["end"]);
            let path = uri.strip_prefix(&root).unwrap_or(uri);
            format!(
                "{path}:{}:{}-{}",
                start["line"], start["character"], end["character"]
            )
        };
        locations.iter().map(place).collect()
    }

    /// Ends the session as the protocol wants it.
    pub fn end(mut self) {
        self.ask("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        let ended = self.server.take().unwrap().join().unwrap();
        assert!(ended.is_ok(), "{ended:?}");
    }

    /// Closes the server's input and returns how it ends.
    pub fn hang_up(&mut self) -> Result<(), ServeError> {
        self.input = None;
        self.server.take().unwrap().join().unwrap()
    }
}

/// Returns the line and character of the `nth` occurrence of a word.
pub fn position_of(text: &str, word: &str, nth: usize) -> (u32, u32) {
    let (offset, _) = text.match_indices(word).nth(nth).expect(word);
    let before = &text[..offset];
    let line = before.matches('\n').count();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    (
        line as u32,
        text[start..offset].encode_utf16().count() as u32,
    )
}

fn dunce(path: &Path) -> PathBuf {
    // Temporary folders may be behind a link.
    std::fs::canonicalize(path).unwrap()
}
