//! Packs the declaration files of npm packages into one blob.
//!
//! Each file reachable from a package's entry points becomes a block `declare module
//! "package/path"`, and relative imports are rewritten to such names. Global declarations stay
//! outside of blocks. Imports and export clauses are split by name, other declarations by member.
//!
//! Limitations: entry points are those of `exports` without patterns, else `typings`, `types`,
//! `index.d.ts`; `typesVersions` is ignored. A package's additions to another module are left out.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, anyhow};
use codeagent_model::external::declared_package;
use codeagent_typescript::stdlib::dts_bundle::{ALL, Declaration, words};
use codeagent_typescript::stdlib::npm::PackageBundleWriter;
use serde_json::Value;

use crate::declarations::{declaration, quoted, statements, stripped};

/// The files of a package by path: `package.json` and `*.d.ts`.
pub type Files = BTreeMap<String, String>;

/// Packs packages, given by folder name, into a blob.
///
/// # Errors
/// Returns an error that names a package without an entry point or with an unsupported statement.
pub fn blob(packages: &BTreeMap<String, Files>) -> Result<(Vec<u8>, PackageBundleWriter)> {
    let mut packer = PackageBundleWriter::default();
    for (folder, files) in packages {
        let name = declared_package(folder).into_owned();
        let package = Package::read(name, files).with_context(|| folder.clone())?;
        package.add(&mut packer).with_context(|| folder.clone())?;
    }
    Ok((packer.finish(), packer))
}

/// A package and its manifest.
struct Package<'f> {
    name: String,
    files: &'f Files,
    /// Entry points, by file, with their specifiers.
    entries: BTreeMap<String, String>,
}

impl<'f> Package<'f> {
    fn read(name: String, files: &'f Files) -> Result<Self> {
        let manifest: Value =
            serde_json::from_str(files.get("package.json").context("no package.json")?)?;

        let mut entries = BTreeMap::new();
        let file = |path: &str| {
            Some(path.trim_start_matches("./").to_owned()).filter(|path| files.contains_key(path))
        };

        match manifest.get("exports") {
            Some(Value::Object(exports)) => {
                for (key, value) in exports.iter().filter(|(key, _)| !key.contains('*')) {
                    if let Some(found) = types(value).and_then(file) {
                        entries
                            .entry(found)
                            .or_insert_with(|| format!("{name}{}", key.trim_start_matches('.')));
                    }
                }
            }
            _ => {
                let named = ["typings", "types"]
                    .iter()
                    .find_map(|field| manifest.get(field).and_then(Value::as_str));
                entries.extend(
                    named
                        .or(Some("index.d.ts"))
                        .and_then(file)
                        .map(|file| (file, name.clone())),
                );
            }
        }

        if entries.is_empty() {
            return Err(anyhow!("no entry point has declarations"));
        }

        Ok(Self {
            name,
            files,
            entries,
        })
    }

    fn add(&self, packer: &mut PackageBundleWriter) -> Result<()> {
        let mut modules: BTreeMap<String, Vec<Declaration>> = BTreeMap::new();
        let mut open: Vec<String> = self.entries.keys().cloned().collect();
        let mut seen: BTreeSet<String> = open.iter().cloned().collect();

        while let Some(path) = open.pop() {
            let leads_to = self.file(&path, &mut modules)?;
            open.extend(
                leads_to
                    .into_iter()
                    .filter(|path| seen.insert(path.clone())),
            );
        }
        packer.package(&self.name);
        for (module, declarations) in modules {
            packer.module(&module);
            declarations
                .iter()
                .for_each(|declaration| packer.add(declaration));
        }
        Ok(())
    }

    /// Adds the declarations of a file by module; global ones are under the empty name. Returns the
    /// files of the package that it imports or references.
    fn file(
        &self,
        path: &str,
        modules: &mut BTreeMap<String, Vec<Declaration>>,
    ) -> Result<Vec<String>> {
        let text = &self.files[path];
        let mut leads_to: Vec<String> = referenced(text)
            .filter_map(|reference| self.find(path, &reference))
            .collect();
        let text = self.renamed(path, &stripped(text), &mut leads_to);

        let all = statements(&text);
        let is_module = all
            .iter()
            .any(|statement| statement.starts_with("import ") || statement.starts_with("export "));

        let own = if is_module {
            self.module(path)
        } else {
            String::new()
        };

        let mut own = (own, all);
        let mut blocks = Vec::new();
        own.1.retain(|statement| {
            let block = block(statement);
            let is_own = block.is_none();

            blocks.extend(block);
            is_own
        });

        blocks.retain(|(name, _)| name.is_empty() || !is_module);
        let mut index = 0;
        while let Some((_, body)) = blocks.get_mut(index) {
            // Declarations in a `global` block within `declare module` are global.
            let inner: Vec<_> = body
                .iter()
                .filter_map(|statement| block(statement))
                .collect();
            body.retain(|statement| block(statement).is_none());
            blocks.extend(inner);
            index += 1;
        }
        blocks.push(own);

        for (module, statements) in blocks {
            let made = modules.entry(module.clone()).or_default();
            for statement in flattened(&module, statements) {
                made.extend(cut(&statement).with_context(|| {
                    format!("{path}: nothing is declared by `{statement:.80}`")
                })?);
            }
        }

        Ok(leads_to)
    }

    /// Returns the module name of a file.
    fn module(&self, path: &str) -> String {
        self.entries
            .get(path)
            .cloned()
            .unwrap_or_else(|| format!("{}/{}", self.name, without_extension(path)))
    }

    /// Resolves a relative specifier in a file.
    fn find(&self, from: &str, specifier: &str) -> Option<String> {
        let mut parts: Vec<&str> = from.split('/').collect();
        parts.pop();

        for part in specifier.split('/') {
            match part {
                "." | "" => {}
                ".." => drop(parts.pop()?),
                _ => parts.push(part),
            }
        }

        let path = parts.join("/");
        let script = path.strip_suffix(".js").unwrap_or(&path);

        let candidates = [
            path.clone(),
            format!("{script}.d.ts"),
            format!("{path}.d.ts"),
            format!("{path}/index.d.ts"),
        ];

        let index = if path.is_empty() {
            Some("index.d.ts".to_owned())
        } else {
            None
        };

        candidates
            .into_iter()
            .chain(index)
            .find(|path| path.ends_with(".d.ts") && self.files.contains_key(path))
    }

    /// Replaces relative specifiers by module names.
    fn renamed(&self, path: &str, text: &str, leads_to: &mut Vec<String>) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;

        while let Some(start) = rest.find(['"', '\'', '`']) {
            let (before, from) = rest.split_at(start);
            let (string, after) = from.split_at(quoted(from, from.chars().next().unwrap_or('"')));
            out.push_str(before);

            let specifier = string.trim_matches(['"', '\'']);
            let is_imported = ["from ", "import ", "import(", "require("]
                .iter()
                .any(|word| before.ends_with(word));

            match self
                .find(path, specifier)
                .filter(|_| is_imported && specifier.starts_with('.'))
            {
                Some(target) => {
                    out.extend(["\"", &self.module(&target), "\""]);
                    leads_to.push(target);
                }
                None => out.push_str(string),
            }

            rest = after;
        }

        out.push_str(rest);
        out
    }
}

/// Returns the declaration file of an `exports` entry.
fn types(value: &Value) -> Option<&str> {
    match value {
        Value::String(path) => Some(path.as_str()).filter(|path| path.ends_with(".d.ts")),
        Value::Object(conditions) => conditions
            .get("types")
            .into_iter()
            .chain(conditions.values())
            .find_map(types),
        _ => None,
    }
}

/// Returns the files of `/// <reference path="a.d.ts" />`.
fn referenced(text: &str) -> impl Iterator<Item = String> {
    text.lines()
        .filter(|line| line.starts_with("/// <reference path="))
        .filter_map(|line| line.split('"').nth(1))
        .map(str::to_owned)
}

fn without_extension(path: &str) -> &str {
    let path = path.strip_suffix(".d.ts").unwrap_or(path);
    path.strip_suffix("/index").unwrap_or(path)
}

/// Removes `declare`, which the enclosing block implies.
fn undeclared(statement: &str) -> &str {
    statement.strip_prefix("declare ").unwrap_or(statement)
}

/// Returns the name and statements of `declare module "name" {}`. The name is empty for `declare
/// global {}`.
fn block(statement: &str) -> Option<(String, Vec<&str>)> {
    let (head, body) = undeclared(statement).split_once('{')?;
    let name = match head.trim_end() {
        "global" => String::new(),
        head => head
            .strip_prefix("module ")?
            .trim()
            .strip_prefix(['"', '\''])?
            .strip_suffix(['"', '\''])?
            .to_owned(),
    };
    Some((name, statements(body.strip_suffix('}')?)))
}

/// Returns the statements of a module. Members of a namespace that is the whole export (`export =
/// N`) become members of the module, so that they can be selected by name.
fn flattened(module: &str, all: Vec<&str>) -> Vec<String> {
    let assigned = all
        .iter()
        .find_map(|statement| statement.strip_prefix("export = ")?.strip_suffix(';'));

    let declares = |statement: &str, name: &str| {
        declaration(statement).is_some_and(|declared| declared.name == name)
    };
    let body = |statement: &str, name: &str| {
        let head = format!("namespace {name} {{");
        Some(
            undeclared(statement)
                .strip_prefix(&head)?
                .strip_suffix('}')?
                .to_owned(),
        )
    };

    let Some(name) = assigned else {
        return all.into_iter().map(str::to_owned).collect();
    };

    let mut declared = all.iter().filter(|statement| declares(statement, name));
    if declared.clone().next().is_none()
        || !declared.all(|statement| body(statement, name).is_some())
    {
        return all.into_iter().map(str::to_owned).collect();
    }

    let mut made = vec![
        format!("import * as {name} from \"{module}\";"),
        format!("export {{ {name} as default }};"),
    ];

    for statement in all
        .iter()
        .filter(|statement| !statement.starts_with("export = "))
    {
        match body(statement, name) {
            Some(body) => made.extend(statements(&body).into_iter().map(|inner| {
                match inner.strip_prefix("export ") {
                    Some(_) => inner.to_owned(),
                    None => format!("export {inner}"),
                }
            })),
            None => made.push((*statement).to_owned()),
        }
    }

    made
}

/// Splits a statement of a module by name.
fn cut(statement: &str) -> Option<Vec<Declaration>> {
    if let Some(rest) = statement.strip_prefix("import ") {
        let rest = rest
            .strip_prefix("type ")
            .filter(|rest| !rest.starts_with("from ") && !rest.starts_with("= "))
            .unwrap_or(rest);
        return Some(imported(rest));
    }

    if statement.starts_with("export as namespace ")
        || statement == "export {};"
        || statement == "export { };"
    {
        return Some(Vec::new());
    }

    if statement.starts_with("export = ") {
        return Some(vec![whole("", None, statement.to_owned())]);
    }

    if statement.starts_with("export default ") {
        return Some(vec![whole("default", None, statement.to_owned())]);
    }

    if let Some(rest) = statement.strip_prefix("export import ") {
        return Some(vec![whole(
            rest.split(" =").next()?,
            None,
            statement.to_owned(),
        )]);
    }

    let clause = statement
        .strip_prefix("export ")
        .map(|rest| rest.strip_prefix("type ").unwrap_or(rest));
    if let Some(rest) = clause.and_then(|rest| rest.strip_prefix('*')) {
        let name = rest
            .trim_start()
            .strip_prefix("as ")
            .and_then(|rest| rest.split(' ').next());
        return Some(vec![whole(
            name.unwrap_or_default(),
            Some((rest, ALL)),
            statement.to_owned(),
        )]);
    }

    if let Some((names, from)) = clause
        .and_then(|rest| rest.strip_prefix('{'))
        .and_then(|rest| rest.split_once('}'))
    {
        let made = |(name, import, text): (&str, _, _)| {
            whole(
                name,
                Some((from, import)),
                format!("export {{ {text} }}{from}"),
            )
        };
        return Some(names_in(names).map(made).collect());
    }

    let bare = match statement.strip_prefix("export ") {
        Some(rest) => format!("export {}", undeclared(rest)),
        None => undeclared(statement).to_owned(),
    };
    let mut declared = declaration(&bare)?;

    // `import("m").A` and `typeof import("m")`.
    for rest in bare.split("import(").skip(1) {
        let name = rest
            .split_once(").")
            .map(|(_, member)| words(member).next().unwrap_or(ALL));
        declared.imports.extend(
            specifier(rest).map(|module| (module.to_owned(), name.unwrap_or(ALL).to_owned())),
        );
    }

    Some(vec![declared])
}

/// Returns a declaration that is not split. `import` holds a text with the module specifier, and
/// the imported name.
fn whole(name: &str, import: Option<(&str, &str)>, text: String) -> Declaration {
    let import =
        import.and_then(|(from, name)| Some((specifier(from)?.to_owned(), name.to_owned())));
    Declaration {
        name: name.to_owned(),
        imports: import.into_iter().collect(),
        parts: vec![(None, text)],
    }
}

/// Returns the first string in a text.
fn specifier(text: &str) -> Option<&str> {
    let start = text.find(['"', '\''])?;
    let rest = &text[start + 1..];
    rest.find(['"', '\'']).map(|end| &rest[..end])
}

/// Splits an import, without the keyword, by name.
fn imported(rest: &str) -> Vec<Declaration> {
    let Some((clause, from)) = rest.split_once(" from ") else {
        // `import a = require("b")`. Without a name (`import "a"`), an import declares nothing.
        let name = rest.split_once(" = ").map(|(name, _)| name);
        return name
            .map(|name| whole(name, Some((rest, ALL)), format!("import {rest}")))
            .into_iter()
            .collect();
    };

    let (default, names) = clause.split_once('{').unwrap_or((clause, ""));
    let mut all = Vec::new();

    for part in default
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
    {
        let (name, import) = part
            .strip_prefix("* as ")
            .map_or((part, "default"), |name| (name, ALL));
        all.push(whole(
            name,
            Some((from, import)),
            format!("import {part} from {from}"),
        ));
    }

    let names = names_in(names.trim_end_matches([' ', '}']));
    all.extend(names.map(|(name, import, text)| {
        whole(
            name,
            Some((from, import)),
            format!("import {{ {text} }} from {from}"),
        )
    }));

    all
}

/// Returns the names in braces, each with the imported name and its text: `a` and `b`, `c` for `a,
/// type c as b`.
fn names_in(names: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    let all = names
        .split(',')
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .map(|text| text.strip_prefix("type ").unwrap_or(text));
    all.map(|text| {
        text.split_once(" as ")
            .map_or((text, text, text), |(name, alias)| (alias, name, text))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(statement: &str) -> Vec<(String, Vec<(String, String)>)> {
        cut(statement)
            .unwrap_or_default()
            .into_iter()
            .map(|made| (made.name, made.imports))
            .collect()
    }

    fn import(module: &str, name: &str) -> Vec<(String, String)> {
        vec![(module.to_owned(), name.to_owned())]
    }

    #[test]
    fn imports_and_exports_are_split_by_name() {
        /// A statement and its declarations: name, imported module, and name in that module.
        type Case = (
            &'static str,
            &'static [(&'static str, &'static str, &'static str)],
        );
        let cases: &[Case] = &[
            (
                "import a, { b as c, type d } from \"m\";",
                &[("a", "m", "default"), ("c", "m", "b"), ("d", "m", "d")],
            ),
            ("import type * as a from 'm';", &[("a", "m", ALL)]),
            ("import a = require(\"m\");", &[("a", "m", ALL)]),
            (
                "export { a, b as c } from \"m\";",
                &[("a", "m", "a"), ("c", "m", "b")],
            ),
            ("export * from \"m\";", &[("", "m", ALL)]),
            ("export * as a from \"m\";", &[("a", "m", ALL)]),
        ];

        for (statement, wanted) in cases {
            let wanted: Vec<_> = wanted
                .iter()
                .map(|(name, module, of)| ((*name).to_owned(), import(module, of)))
                .collect();
            assert_eq!(named(statement), wanted, "{statement}");
        }

        assert_eq!(named("export { a as b };"), [("b".to_owned(), Vec::new())]);
        assert_eq!(
            named("export declare const a: import(\"m\").B;"),
            [("a".to_owned(), import("m", "B"))]
        );
        assert_eq!(named("import \"m\";"), []);
    }

    #[test]
    fn export_assignments_are_declared_by_the_module() {
        let made = flattened(
            "m",
            vec![
                "export = N;",
                "declare namespace N { function f(): void; export class C {} }",
                "type T = 1;",
            ],
        );

        let wanted = [
            "import * as N from \"m\";",
            "export { N as default };",
            "export function f(): void;",
            "export class C {}",
            "type T = 1;",
        ];
        assert_eq!(made, wanted);

        let function = vec!["export = f;", "declare function f(): void;"];
        assert_eq!(flattened("m", function.clone()), function);
    }

    #[test]
    fn relative_specifiers_become_modules_of_the_package() {
        let text = |text: &str| text.to_owned();

        let files = Files::from([
            (
                text("package.json"),
                text("{ \"types\": \"lib/index.d.ts\" }"),
            ),
            (text("lib/index.d.ts"), text("export { A } from './a.js';")),
            (
                text("lib/a.d.ts"),
                text(
                    "import * as all from '.';\nexport declare class A { /** of all */ b(): typeof all; }",
                ),
            ),
            (text("lib/unused.d.ts"), text("not understood")),
        ]);

        let packages = BTreeMap::from([(text("@types/scope__name"), files)]);
        let (made, packer) = blob(&packages).unwrap_or_default();

        assert!(!made.is_empty());
        assert_eq!(packer.counts(), (1, 3));
    }

    #[test]
    fn an_unsupported_package_is_an_error() {
        let files = |text: &str| {
            Files::from([
                ("package.json".to_owned(), "{}".to_owned()),
                ("index.d.ts".to_owned(), text.to_owned()),
            ])
        };
        let made = |text: &str| blob(&BTreeMap::from([("a".to_owned(), files(text))]));
        assert!(made("export declare class A {}").is_ok());
        assert!(made("export strange A;").is_err());
        assert!(blob(&BTreeMap::from([("a".to_owned(), Files::new())])).is_err());
    }
}
