//! Every request of `codeagent lsp`, compared with the tool of `codeagent mcp` that means the same,
//! over the shop and the fixtures.
//!
//! Places from the tools are those of their call sites, with 1-based UTF-16 columns. The tools name
//! a declaration's lines only, so a definition must be in them.

mod editor;
mod pair;

use std::collections::{BTreeMap, BTreeSet};

use codeagent_testkit::random::Random;
use editor::list;
use pair::{Pair, Place, Symbol, ids, is_in, is_type, names, sites, squeezed, text};
use serde_json::{Value, json};

/// The capabilities of which each has a comparison below.
const COMPARED: [&str; 10] = [
    "callHierarchyProvider",
    "definitionProvider",
    "documentHighlightProvider",
    "documentSymbolProvider",
    "hoverProvider",
    "implementationProvider",
    "referencesProvider",
    "typeDefinitionProvider",
    "typeHierarchyProvider",
    "workspaceSymbolProvider",
];

/// One of so many symbols is compared.
const SYMBOLS: usize = 3;

/// One of so many uses is compared.
const USES: usize = 8;

#[test]
fn every_request_answers_as_its_tool() {
    let mut pair = Pair::start();
    let capabilities = pair.editor.capabilities.as_object().unwrap();
    let mut announced: Vec<&str> = capabilities.keys().map(String::as_str).collect();
    announced.retain(|name| name.ends_with("Provider"));
    announced.sort_unstable();
    assert_eq!(announced, COMPARED);

    let mut random = Random(39);
    for path in pair.files() {
        for symbol in pair.document_symbols(&path) {
            if random.below(SYMBOLS) == 0 {
                pair.compare(&symbol);
            }
        }
        for (at, used) in pair.uses(&path) {
            if random.below(USES) == 0 {
                pair.use_is_found(&at, &used);
            }
        }
    }
    assert!(
        pair.differences.is_empty(),
        "{}",
        pair.differences.join("\n")
    );
    for (what, count) in &pair.compared {
        println!("{count:5} {what}");
    }
    assert_eq!(pair.compared.len(), 17, "{:?}", pair.compared);
}

impl Pair {
    fn compare(&mut self, symbol: &Symbol) {
        let Symbol { id, name, at } = symbol;
        // The text has no name of the method of top-level statements.
        if name == "<Main>$" {
            return;
        }
        let (details, _) = self.tools.call("get_symbol", json!({ "node_id": id }));
        self.navigation(symbol, &details);
        self.hover(at, &details);
        self.calls(symbol);
        self.types(symbol, &details);

        if !name.is_empty() && name.chars().all(char::is_alphanumeric) {
            let found = self
                .editor
                .ask("workspace/symbol", json!({ "query": name }));
            let found = names(list(&found), "name");
            let query = json!({ "query": format!("{name}*"), "limit": 50 });
            let expected = names(&self.rows("search_symbols", query), "name");
            let found = found.into_iter().take(expected.len()).collect();
            self.equal("workspace/symbol, search_symbols", at, found, expected);
        }
    }

    fn navigation(&mut self, symbol: &Symbol, details: &Value) {
        let Symbol { id, at, .. } = symbol;
        let own = self.lines(&BTreeSet::from([id.clone()]));
        // An object literal's function is a declaration and a use of a property; so are the class
        // and the constructor that a primary constructor declares one name.
        let here = self.editor.symbols(&at.path);
        let at_name = |it: &&Value| {
            let start = &it["selectionRange"]["start"];
            start["line"] == at.line - 1 && start["character"] == at.column - 1
        };
        let is_alone = here.iter().filter(at_name).count() == 1;
        let found = self.editor.places("definition", at);
        let is_use = !found
            .iter()
            .all(|place| own.iter().any(|(path, ..)| place.path == *path))
            || !found.contains(at);
        if is_use || !is_alone {
            return;
        }
        self.declared_at("definition, get_source_spans", at, &found, &own);

        let expected = sites(&self.related("get_references", id));
        let references = self.editor.places("references", at).into_iter().collect();
        self.equal("references, get_references", at, &references, &expected);

        let shown = self.editor.ask_at("documentHighlight", at);
        let uri = self.editor.uri(&at.path).into();
        let shown = list(&shown).iter();
        let shown: BTreeSet<Place> = shown
            .map(|it| self.editor.place(&uri, &it["range"]))
            .collect();
        let here = expected
            .iter()
            .chain(&found)
            .filter(|place| place.path == at.path);
        let here: BTreeSet<Place> = here.cloned().collect();
        self.equal("documentHighlight, get_references", at, shown, here);

        let rows = self.rows(
            "get_implementations",
            json!({ "node_id": id, "depth": 100 }),
        );
        let implementing = self.editor.places("implementation", at);
        if !rows.is_empty() {
            let expected = self.lines(&ids(&rows));
            self.declared_at(
                "implementation, get_implementations",
                at,
                &implementing,
                &expected,
            );
        } else if !implementing.is_empty() {
            self.declared_at("implementation, get_source_spans", at, &implementing, &own);
        }

        let types = self.types_named_by(id, details);
        let expected = self.lines(&types);
        let found = self.editor.places("typeDefinition", at);
        self.declared_at("typeDefinition, get_dependencies", at, &found, &expected);
    }

    /// Returns the types that a symbol's declared type names, or the type itself.
    fn types_named_by(&mut self, id: &str, details: &Value) -> BTreeSet<String> {
        if is_type(details) {
            return BTreeSet::from([id.to_owned()]);
        }
        if details["node_type"] == "constructor" {
            let query = json!({ "node_id": id, "edge_type": "contains" });
            return ids(&self.rows("get_dependents", query));
        }
        let declared = text(details, "return_type");
        let words: Vec<&str> = declared
            .split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$'))
            .collect();
        let mut rows = self.related("get_dependencies", id);
        rows.retain(|row| {
            row["direction"] != "incoming"
                && row["edge_type"] != "contains"
                && is_type(row)
                && words.contains(&text(row, "name").as_str())
        });
        ids(&rows)
    }

    fn hover(&mut self, at: &Place, details: &Value) {
        let hover = self.editor.ask_at("hover", at);
        let shown = squeezed(&text(&hover["contents"], "value"));
        let parts = ["name", "parameter_signature", "return_type", "doc"];
        let parts = parts.map(|part| squeezed(&text(details, part)));
        let missing: Vec<&String> = parts.iter().filter(|part| !shown.contains(*part)).collect();
        self.equal("hover, get_symbol", at, missing, Vec::new());
    }

    fn calls(&mut self, symbol: &Symbol) {
        let Symbol { id, at, .. } = symbol;
        let Some(item) = self.item("prepareCallHierarchy", symbol) else {
            return;
        };
        for (request, end, tool) in [
            ("incomingCalls", "from", "get_callers"),
            ("outgoingCalls", "to", "get_callees"),
        ] {
            let calls = self
                .editor
                .ask(&format!("callHierarchy/{request}"), json!({ "item": item }));
            let rows = self.related(tool, id);
            let found: BTreeSet<String> = list(&calls)
                .iter()
                .map(|it| text(&it[end], "data"))
                .collect();
            let what = match end {
                "from" => "incomingCalls, get_callers",
                _ => "outgoingCalls, get_callees",
            };
            self.equal(what, at, found, ids(&rows));

            let mut places = BTreeSet::new();
            for call in list(&calls) {
                // The ranges are in the caller's file.
                let uri = if end == "from" {
                    &call["from"]["uri"]
                } else {
                    &item["uri"]
                };
                let ranges = list(&call["fromRanges"]).iter();
                places.extend(ranges.map(|range| self.editor.place(uri, range)));
            }
            let mut expected = sites(&rows);
            expected.retain(|place| end == "from" || place.path == at.path);
            let what = match end {
                "from" => "incomingCalls, sites of get_callers",
                _ => "outgoingCalls, sites of get_callees",
            };
            self.equal(what, at, places, expected);
        }
    }

    fn types(&mut self, symbol: &Symbol, details: &Value) {
        let Symbol { id, at, .. } = symbol;
        let item = self.item("prepareTypeHierarchy", symbol);
        self.equal(
            "prepareTypeHierarchy, get_symbol",
            at,
            item.is_some(),
            is_type(details),
        );
        let Some(item) = item else { return };

        let found = self
            .editor
            .ask("typeHierarchy/subtypes", json!({ "item": item }));
        let expected = ids(&self.related("get_implementations", id));
        self.equal(
            "subtypes, get_implementations",
            at,
            names(list(&found), "data").into_iter().collect(),
            expected,
        );

        let found = self
            .editor
            .ask("typeHierarchy/supertypes", json!({ "item": item }));
        let mut rows = self.related("get_dependencies", id);
        rows.retain(|row| {
            let edge = text(row, "edge_type");
            row["direction"] != "incoming"
                && ["inherits", "implements", "extends"].contains(&edge.as_str())
        });
        self.equal(
            "supertypes, get_dependencies",
            at,
            names(list(&found), "data").into_iter().collect(),
            ids(&rows),
        );
    }

    /// Returns a symbol's item in a hierarchy.
    fn item(&mut self, request: &str, symbol: &Symbol) -> Option<Value> {
        let items = self.editor.ask_at(request, &symbol.at);
        list(&items)
            .iter()
            .find(|item| item["data"] == symbol.id.as_str())
            .cloned()
    }

    /// Returns the uses in a file and the symbols used there. Names of declarations that override or
    /// implement others are left out.
    fn uses(&mut self, path: &str) -> Vec<(Place, BTreeSet<String>)> {
        let outline = self.rows("get_file_outline", json!({ "path": path }));
        let mut users = ids(&outline);
        let files = self.rows("lookup_symbol", json!({ "qualified_name": path }));
        users.extend(
            files
                .iter()
                .filter(|row| row["node_type"] == "file")
                .map(|row| text(row, "node_id")),
        );

        let mut uses: BTreeMap<Place, BTreeSet<String>> = BTreeMap::new();
        for user in users {
            for row in self.related("get_dependencies", &user) {
                let edge = text(&row, "edge_type");
                if row["direction"] == "incoming"
                    || ["contains", "overrides", "implements"].contains(&edge.as_str())
                {
                    continue;
                }
                for at in sites(std::slice::from_ref(&row)) {
                    if at.path == path {
                        uses.entry(at).or_default().insert(text(&row, "node_id"));
                    }
                }
            }
        }
        uses.into_iter().collect()
    }

    fn use_is_found(&mut self, at: &Place, used: &BTreeSet<String>) {
        let found = self.editor.places("definition", at);
        let expected = self.lines(used);
        // A local of the same name and other candidates are definitions too.
        let is_target = |place: &Place| expected.iter().any(|lines| is_in(place, lines));
        let targets: Vec<Place> = found.into_iter().filter(is_target).collect();
        self.declared_at(
            "definition of a use, get_dependencies",
            at,
            &targets,
            &expected,
        );
    }
}
