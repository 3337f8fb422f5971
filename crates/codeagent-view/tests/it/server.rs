//! A server about a repository, and a client without a browser.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread::JoinHandle;

use codeagent_core::service::ServiceOptions;
use codeagent_testkit::files::copy_shop;
use codeagent_testkit::poll::until;
use codeagent_view::{ViewOptions, serve};
use codeagent_workspace::DataRoot;
use serde_json::Value;
use tokio::sync::oneshot;

/// A running server; ends when dropped.
pub struct Server {
    host: String,
    /// The path with the token.
    base: String,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    pub outer: tempfile::TempDir,
}

/// A response.
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Server {
    /// Serves a copy of the shop.
    pub fn of_shop() -> Self {
        let outer = tempfile::tempdir().unwrap();
        copy_shop(&outer.path().join("shop"));
        Self::start(outer)
    }

    /// Serves the folder `shop` of `outer`.
    pub fn start(outer: tempfile::TempDir) -> Self {
        let (stop, stopped) = oneshot::channel::<()>();
        let (announced, address) = mpsc::channel();
        let options = ViewOptions {
            root: outer.path().join("shop"),
            port: 0,
            service: ServiceOptions {
                home: DataRoot::at(outer.path().join("data")),
                ..ServiceOptions::default()
            },
        };
        let thread = std::thread::spawn(move || {
            let stopped = || async {
                stopped.await.ok();
                Ok(())
            };
            serve(options, stopped, |address| {
                announced.send(address.to_owned()).unwrap();
            })
            .unwrap();
        });
        let address = address.recv().unwrap();
        let (host, base) = address
            .strip_prefix("http://")
            .and_then(|rest| rest.split_once('/'))
            .unwrap();
        Self {
            host: host.to_owned(),
            base: format!("/{}", base.trim_end_matches('/')),
            stop: Some(stop),
            thread: Some(thread),
            outer,
        }
    }

    /// Returns the path of the page, which contains the token.
    pub fn address_path(&self) -> String {
        format!("{}/", self.base)
    }

    pub fn root(&self) -> PathBuf {
        self.outer.path().join("shop")
    }

    /// Sends a request as it is.
    pub fn send(&self, path: &str, headers: &[(&str, &str)]) -> Reply {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        let mut request = format!("GET {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            request += &format!("Host: {}\r\n", self.host);
        }
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        stream
            .write_all(format!("{request}\r\n").as_bytes())
            .unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        let (head, body) = reply.split_once("\r\n\r\n").unwrap();
        Reply {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            head: head.to_ascii_lowercase(),
            body: body.to_owned(),
        }
    }

    /// Requests a path below the token.
    pub fn get(&self, path: &str) -> Reply {
        self.send(&format!("{}{path}", self.base), &[])
    }

    /// Returns the answer of a query, once the index is ready.
    pub fn ask(&self, query: &str) -> Value {
        until("the index is ready", || {
            let reply = self.get(&format!("/api/{query}"));
            if reply.status == 503 {
                return None;
            }
            assert_eq!(reply.status, 200, "{query}: {}", reply.body);
            Some(serde_json::from_str(&reply.body).unwrap())
        })
    }

    /// Returns the id of a symbol.
    pub fn id(&self, name: &str) -> String {
        let symbol = self.ask(&format!("symbol?name={name}"));
        symbol["id"].as_str().unwrap().to_owned()
    }

    /// Returns a list of a symbol.
    pub fn list(&self, name: &str, list: &str) -> Value {
        self.ask(&format!("list?id={}&list={list}", self.id(name)))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.take().map(|stop| stop.send(()).ok());
        self.thread.take().map(JoinHandle::join);
    }
}

/// Returns a field of each row.
pub fn fields<'a>(answer: &'a Value, field: &str) -> Vec<&'a str> {
    let rows = answer["rows"].as_array().expect("the answer has rows");
    rows.iter()
        .map(|row| row[field].as_str().unwrap_or_default())
        .collect()
}
