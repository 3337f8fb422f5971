//! Imports of all forms: `import a, { b as c } from "m"`, `import * as d`, `import e =
//! require("m")`, `import f = A.B`, `require("m")`.
//!
//! Limitations: `require` counts where JavaScript declares a variable with it; elsewhere it is an
//! expression.

use codeagent_model::facts::*;
use codeagent_model::span::Position;

use crate::lower::lowering::{EnclosingStatement, Lowering};
use crate::lower::patterns::Binding;
use crate::syntax::syntax::{Child, Field, Kind};

/// The source of an import.
#[derive(Clone, Copy)]
struct From {
    module: Sym,
    at: Position,
    type_only: bool,
}

impl<'t, 'tree> Lowering<'t, 'tree> {
    /// Lowers `import .. from "m"` and `import "m"`.
    pub fn import_statement(&mut self, child: Child<'tree>) {
        if self.b.facts.scope(self.b.scope).kind == ScopeKind::File {
            self.b.facts.header.is_module = true;
        }

        let children = self.children(child);
        let type_only = children.has(Kind::TypeToken) || children.has(Kind::TypeofToken);

        if let Some(clause) = children.find(Kind::ImportRequireClause) {
            self.import_require(clause, type_only);
            return;
        }

        let Some(source) = children.get(Field::Source) else {
            return;
        };

        let from = self.from(source, type_only);

        match children.find(Kind::ImportClause) {
            Some(clause) => self.import_clause(clause, from),
            None => {
                let import = self.add_import(ImportKind::SideEffect, Sym::NONE, DeclId::NONE, from);
                self.b
                    .site(SiteKind::Import, Subject::Import(import), from.at);
            }
        }
    }

    /// Lowers `/// <reference path="a.d.ts" />` in the comments at the start of a file, which adds
    /// that file like a side-effect import; `types="a"` adds a package, and `lib="a"` a library.
    pub fn references(&mut self) {
        for reference in references(self.b.text) {
            let from = From {
                module: self.b.sym_owned(&reference.specifier()),
                at: self.b.position(reference.start),
                type_only: false,
            };
            let import = self.add_import(ImportKind::SideEffect, Sym::NONE, DeclId::NONE, from);

            if reference.kind != ReferenceKind::Library {
                self.b
                    .site(SiteKind::Import, Subject::Import(import), from.at);
            }
        }
    }

    fn from(&mut self, source: Child<'tree>, type_only: bool) -> From {
        From {
            module: self.string(source),
            at: self.at(source),
            type_only,
        }
    }

    fn add_import(&mut self, kind: ImportKind, name: Sym, decl: DeclId, from: From) -> ImportId {
        self.b.facts.imports.push(Import {
            kind,
            module: from.module,
            name,
            decl,
            ty: TypeId::NONE,
            scope: self.b.scope,
            global: false,
            type_only: from.type_only,
            at: from.at,
        });
        ImportId(self.b.facts.imports.len() as u32 - 1)
    }

    /// Declares a local name made by an import; its site is at the imported name, or at the module
    /// specifier if it stands for the whole module.
    fn import_name(&mut self, kind: ImportKind, names: (Child<'tree>, Child<'tree>), from: From) {
        let (imported, local) = names;
        let sym = self.sym(local);
        let at = self.at(local);
        let flags = if from.type_only {
            DeclFlags::TYPE_ONLY
        } else {
            DeclFlags::default()
        };
        let decl = self.b.declare(sym, DeclKind::Import, flags, at);
        let name = match kind {
            ImportKind::Default => self.b.sym_owned("default"),
            ImportKind::Named => self.string(imported),
            _ => Sym::NONE,
        };
        let import = self.add_import(kind, name, decl, from);
        let at = self.at(imported);

        self.b.site(SiteKind::Import, Subject::Import(import), at);
    }

    fn import_clause(&mut self, clause: Child<'tree>, from: From) {
        for part in self.children(clause).named() {
            match part.kind {
                Kind::Identifier => self.import_name(ImportKind::Default, (part, part), from),
                Kind::NamespaceImport => {
                    if let Some(name) = self.children(part).first() {
                        self.import_name(ImportKind::Namespace, (name, name), from);
                    }
                }
                Kind::NamedImports => {
                    for specifier in self
                        .children(part)
                        .named()
                        .filter(|part| part.kind == Kind::ImportSpecifier)
                    {
                        self.import_specifier_node(specifier, from);
                    }
                }
                _ => {}
            }
        }
    }

    fn import_specifier_node(&mut self, specifier: Child<'tree>, from: From) {
        let children = self.children(specifier);
        let Some(name) = children.get(Field::Name) else {
            return;
        };
        let local = children.get(Field::Alias).unwrap_or(name);
        let from = From {
            type_only: from.type_only || children.has(Kind::TypeToken),
            ..from
        };
        self.import_name(ImportKind::Named, (name, local), from);
    }

    /// Lowers `import a = require("m")`.
    fn import_require(&mut self, clause: Child<'tree>, type_only: bool) {
        let children = self.children(clause);
        let (Some(name), Some(source)) = (children.first(), children.get(Field::Source)) else {
            return;
        };
        let from = self.from(source, type_only);
        self.import_name(ImportKind::Require, (name, name), from);
    }

    /// Lowers `import a = B.C`.
    pub fn import_alias(&mut self, child: Child<'tree>, outer: Option<EnclosingStatement>) {
        let children = self.children(child);
        let mut parts = children.named();
        let (Some(name), Some(target)) = (parts.next(), parts.next()) else {
            return;
        };

        let sym = self.sym(name);
        let at = self.at(name);
        let flags = self.outer(child, outer).flags;
        let id = self.b.declare(sym, DeclKind::Import, flags, at);

        let mut value = ExprId::NONE;
        for segment in self.name_segments(target) {
            if value.is_none() {
                value = self.name(segment, Some(SiteKind::Read)).expr;
            } else {
                let member = self.sym(segment);
                value = self.b.expr(Expr::Member(value, member));
                let at = self.at(segment);
                self.b.site(SiteKind::Read, Subject::Expr(value), at);
            }
        }

        self.b.decl(id).init = value;
    }

    /// Lowers `const a = require("m")`, `const { b } = require("m")` and `const c = require("m").d`
    /// in JavaScript.
    pub fn required(
        &mut self,
        name: Child<'tree>,
        value: Option<Child<'tree>>,
        binding: Binding,
    ) -> bool {
        let Some(value) = value else { return false };
        let (call, member) = if value.kind == Kind::MemberExpression {
            let children = self.children(value);
            (children.get(Field::Receiver), children.get(Field::Property))
        } else {
            (Some(value), None)
        };
        let Some(source) = call.and_then(|call| self.required_module(call)) else {
            return false;
        };

        self.b.facts.header.is_module = true;

        let from = self.from(source, false);
        let scope = self.b.scope;
        self.b.scope = binding.scope.unwrap_or(scope);

        let is_import = match (name.kind, member) {
            (Kind::Identifier, None) => {
                // The variable is a separate name; the call uses the module's value.
                self.import_name(ImportKind::Require, (source, name), from);
                true
            }
            (Kind::Identifier, Some(member)) => {
                self.import_name(ImportKind::Named, (member, name), from);
                true
            }
            (Kind::ObjectPattern, None) => self.required_names(name, from),
            _ => false,
        };

        self.b.scope = scope;

        is_import
    }

    fn required_module(&mut self, call: Child<'tree>) -> Option<Child<'tree>> {
        if call.kind != Kind::CallExpression {
            return None;
        }
        let children = self.children(call);
        let function = children.get(Field::Function)?;
        if function.kind != Kind::Identifier || self.text(function) != "require" {
            return None;
        }
        let arguments = children.get(Field::Arguments)?;
        self.children(arguments)
            .first()
            .filter(|argument| argument.kind == Kind::String)
    }

    /// Imports the names of `const { a, b: c } = require("m")`; returns `false` if the pattern has
    /// more than that.
    fn required_names(&mut self, pattern: Child<'tree>, from: From) -> bool {
        let mut names = Vec::new();
        for part in self.children(pattern).named() {
            match part.kind {
                Kind::ShorthandPropertyIdentifierPattern => names.push((part, part)),
                Kind::PairPattern => {
                    let children = self.children(part);
                    match (children.get(Field::Key), children.get(Field::Value)) {
                        (Some(key), Some(local)) if local.kind == Kind::Identifier => {
                            names.push((key, local))
                        }
                        _ => return false,
                    }
                }
                _ => return false,
            }
        }

        for names in names {
            self.import_name(ImportKind::Named, names, from);
        }

        true
    }
}

/// What a `/// <reference .. />` comment names.
#[derive(Clone, Copy, PartialEq)]
enum ReferenceKind {
    /// `path="a.d.ts"`, relative to the file.
    Path,
    /// `types="a"`
    Package,
    /// `lib="a"`: declarations of the language or a browser.
    Library,
}

/// A `/// <reference .. />` comment.
pub struct Reference<'t> {
    kind: ReferenceKind,
    pub value: &'t str,
    /// Byte offset of the value.
    start: usize,
}

impl Reference<'_> {
    /// Returns the module specifier that stands for it in the facts.
    pub fn specifier(&self) -> String {
        let value = self.value;
        match self.kind {
            ReferenceKind::Library => format!("{LIBRARY_PREFIX}{value}"),
            ReferenceKind::Path if !value.starts_with("./") && !value.starts_with("../") => {
                format!("./{value}")
            }
            ReferenceKind::Path | ReferenceKind::Package => value.to_owned(),
        }
    }
}

/// Start of the specifier of a referenced library; no package is named so.
const LIBRARY_PREFIX: &str = "lib:";

/// Returns the library that a specifier in the facts stands for: `dom` for `lib:dom`.
pub fn referenced_library(specifier: &str) -> Option<&str> {
    specifier.strip_prefix(LIBRARY_PREFIX)
}

/// Returns the `/// <reference .. />` comments before the first token.
pub fn references(text: &str) -> Vec<Reference<'_>> {
    let mut found = Vec::new();
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();

    loop {
        let offset = text.len() - rest.len();
        let length = match rest.get(..2) {
            Some("//") => rest.find('\n').unwrap_or(rest.len()),
            Some("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            _ => return found,
        };

        for (attribute, kind) in [
            ("path", ReferenceKind::Path),
            ("types", ReferenceKind::Package),
            ("lib", ReferenceKind::Library),
        ] {
            let value = reference(&rest[..length], attribute);
            found.extend(value.map(|(from, to)| Reference {
                kind,
                value: &rest[from..to],
                start: offset + from,
            }));
        }

        rest = rest[length..].trim_start();
    }
}

fn reference(comment: &str, attribute: &str) -> Option<(usize, usize)> {
    let directive = comment
        .strip_prefix("///")?
        .trim_start()
        .strip_prefix("<reference")?;
    let value = directive
        .trim_start()
        .strip_prefix(attribute)?
        .trim_start()
        .strip_prefix('=')?
        .trim_start();
    let quote = value
        .chars()
        .next()
        .filter(|quote| matches!(quote, '"' | '\''))?;
    let start = comment.len() - value.len() + 1;
    let length = comment[start..].find(quote)?;

    Some((start, start + length))
}
