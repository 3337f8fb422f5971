//! Both servers over one repository, and the rows of the tools.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Debug;
use std::path::PathBuf;
use std::process::Command;

use codeagent_testkit::files::{copy_fixtures, copy_shop};
use serde_json::{Value, json};

use super::editor::{Editor, list};
use crate::faults::support::Server;

/// A place in the repository; line and column count from 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub path: String,
    pub line: u64,
    pub column: u64,
}

/// A declaration's file, first and last line.
pub type Lines = (String, u64, u64);

/// A symbol of a document.
pub struct Symbol {
    pub id: String,
    pub name: String,
    pub at: Place,
}

/// Both servers over one repository, and what their answers differ in.
pub struct Pair {
    pub editor: Editor,
    pub tools: Server,
    pub root: tempfile::TempDir,
    pub declared: HashMap<String, BTreeSet<Lines>>,
    pub compared: BTreeMap<&'static str, usize>,
    pub differences: Vec<String>,
}

impl Pair {
    pub fn start() -> Self {
        let root = tempfile::tempdir().unwrap();
        let (repository, home) = (root.path().join("repository"), root.path().join("home"));
        std::fs::create_dir_all(repository.join(".git")).unwrap();
        copy_shop(&repository.join("shop"));
        copy_fixtures(&repository.join("fixtures"));

        let command = |name: &str| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_codeagent"));
            command.arg(name).arg("--root").arg(&repository);
            command.env("CODEAGENT_DATA_DIR", &home);
            command
        };
        assert!(command("index").output().unwrap().status.success());
        Self {
            editor: Editor::of(&mut command("lsp"), &repository.canonicalize().unwrap()),
            tools: Server::of(&mut command("mcp")),
            root,
            declared: HashMap::new(),
            compared: BTreeMap::new(),
            differences: Vec::new(),
        }
    }

    /// Returns the paths of all sources.
    pub fn files(&self) -> Vec<String> {
        let root = self.root.path().join("repository");
        let (mut folders, mut files) = (vec![PathBuf::new()], Vec::new());
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(root.join(&folder)).unwrap() {
                let entry = entry.unwrap();
                let path = folder.join(entry.file_name());
                if entry.file_type().unwrap().is_dir() {
                    folders.push(path);
                } else if path
                    .extension()
                    .is_some_and(|it| it == "cs" || it == "ts" || it == "tsx")
                {
                    files.push(path.to_str().unwrap().to_owned());
                }
            }
        }
        files.sort();
        files
    }

    /// Returns the rows of all pages of a tool's answer.
    pub fn rows(&mut self, tool: &str, mut arguments: Value) -> Vec<Value> {
        let mut rows = Vec::new();
        loop {
            let (answer, is_error) = self.tools.call(tool, arguments.clone());
            assert!(!is_error, "{tool} {arguments}: {answer}");
            rows.extend_from_slice(list(&answer["results"]));
            match answer["next_cursor"].as_str() {
                Some(next) => arguments["cursor"] = next.into(),
                None => return rows,
            }
        }
    }

    /// Returns the rows of a tool that lists relations of a symbol, with all their sites.
    pub fn related(&mut self, tool: &str, id: &str) -> Vec<Value> {
        self.rows(tool, json!({ "node_id": id, "sites": 100_000 }))
    }

    /// Returns the lines of the declarations of symbols.
    pub fn lines(&mut self, ids: &BTreeSet<String>) -> BTreeSet<Lines> {
        for id in ids {
            if !self.declared.contains_key(id) {
                let rows = self.rows("get_source_spans", json!({ "node_id": id }));
                let number = |row: &Value, name: &str| row[name].as_u64().unwrap();
                let lines = |row: &Value| {
                    (
                        text(row, "file_path"),
                        number(row, "line_start"),
                        number(row, "line_end"),
                    )
                };
                self.declared
                    .insert(id.clone(), rows.iter().map(lines).collect());
            }
        }
        ids.iter()
            .flat_map(|id| self.declared[id].clone())
            .collect()
    }

    pub fn equal<T: PartialEq + Debug>(
        &mut self,
        what: &'static str,
        at: &Place,
        left: T,
        right: T,
    ) {
        *self.compared.entry(what).or_default() += 1;
        if left != right {
            self.differences
                .push(format!("{what}: {at:?}: {left:?}, tool: {right:?}"));
        }
    }

    /// Requires that each place is in a declaration, and that each declaration has a place.
    pub fn declared_at(
        &mut self,
        what: &'static str,
        at: &Place,
        places: &[Place],
        lines: &BTreeSet<Lines>,
    ) {
        let inside = places
            .iter()
            .all(|place| lines.iter().any(|lines| is_in(place, lines)));
        let complete = lines
            .iter()
            .all(|lines| places.iter().any(|place| is_in(place, lines)));
        *self.compared.entry(what).or_default() += 1;
        if !inside || !complete {
            self.differences
                .push(format!("{what}: {at:?}: {places:?}, tool: {lines:?}"));
        }
    }

    /// Compares the symbols of a document with a file's outline, and returns them.
    pub fn document_symbols(&mut self, path: &str) -> Vec<Symbol> {
        let shown = self.editor.symbols(path);
        let outline = self.rows("get_file_outline", json!({ "path": path }));
        let line_of = |symbol: &Value| symbol["range"]["start"]["line"].as_u64().unwrap() + 1;

        let mut left: Vec<(String, u64)> = shown
            .iter()
            .map(|it| (text(it, "name"), line_of(it)))
            .collect();
        let mut right: Vec<(String, u64)> = outline
            .iter()
            .map(|row| (text(row, "name"), row["line_start"].as_u64().unwrap()))
            .collect();
        left.sort();
        right.sort();
        let top = Place {
            path: path.to_owned(),
            line: 1,
            column: 1,
        };
        self.equal("documentSymbol, get_file_outline", &top, left, right);

        let mut rest = shown;
        let mut symbols = Vec::new();
        for row in outline {
            let is_row = |symbol: &Value| {
                symbol["name"] == row["name"] && row["line_start"] == line_of(symbol)
            };
            let Some(found) = rest.iter().position(is_row) else {
                continue;
            };
            let uri = self.editor.uri(path).into();
            let at = self
                .editor
                .place(&uri, &rest.remove(found)["selectionRange"]);
            symbols.push(Symbol {
                id: text(&row, "node_id"),
                name: text(&row, "name"),
                at,
            });
        }
        symbols
    }
}

/// Returns a field's text; empty if there is none.
pub fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_default().to_owned()
}

pub fn names(rows: &[Value], field: &str) -> Vec<String> {
    rows.iter().map(|row| text(row, field)).collect()
}

pub fn ids(rows: &[Value]) -> BTreeSet<String> {
    names(rows, "node_id").into_iter().collect()
}

pub fn sites(rows: &[Value]) -> BTreeSet<Place> {
    let of_row = |row: &Value| -> Vec<Place> {
        let place = |site: &Value| Place {
            path: site["file_path"]
                .as_str()
                .map_or_else(|| text(row, "file_path"), str::to_owned),
            line: site["line"].as_u64().unwrap(),
            column: site["column"].as_u64().unwrap(),
        };
        list(&row["call_sites"]).iter().map(place).collect()
    };
    rows.iter().flat_map(of_row).collect()
}

pub fn is_type(row: &Value) -> bool {
    ["class", "interface", "type", "component"].contains(&text(row, "node_type").as_str())
}

pub fn is_in(place: &Place, (path, first, last): &Lines) -> bool {
    place.path == *path && (*first..=*last).contains(&place.line)
}

/// Removes white space and the backslashes that escape Markdown.
pub fn squeezed(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_whitespace() && *c != '\\')
        .collect()
}
