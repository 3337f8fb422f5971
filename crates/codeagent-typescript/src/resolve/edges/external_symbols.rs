//! The external symbols that a file uses, by package and exported path: `npm:rxjs#Observable.pipe`,
//! `node:fs.readFile`, `lib:Array.map`.
//!
//! A use of a declaration is named by it and the names around it. A use of an import from a package
//! that is not installed is named by the specifier, the imported name and the members after it; files
//! of the repository that re-export the name are followed to the package.
//!
//! The name of an object that a module exports as a whole (`export =`) is left out, and so is the
//! part of a specifier behind the package: a symbol has one path, however it is imported.
//!
//! Limitations: a declaration is named as in its own file; a name under which another file exports
//! it is not known.

use std::sync::Arc;

use codeagent_lang::query::memo::MemoTable;
use codeagent_lang::query::names::Name;
use codeagent_lang::{DeclRef, ExternalUse, FileId, PublishedFile, Target};
use codeagent_model::external::{ExternalSymbol, PackageManager, declared_package};
use codeagent_model::facts::*;
use codeagent_model::graph::EdgeType;
use nodejs_built_in_modules::is_nodejs_builtin_module;

use crate::resolve::edges::FileResolver;
use crate::resolve::symbols::at;
use crate::resolve::symbols::modules::ResolvedName;
use crate::resolve::symbols::scopes::{LookupPosition, Meaning};
use crate::stdlib::{javascript, npm};

/// The symbols of the declarations used so far; `None` for one without a name.
pub type ExternalSymbols = MemoTable<DeclRef, Option<Arc<ExternalSymbol>>>;

/// The package that declares Node.js.
const NODE_TYPES: &str = "@types/node";

/// Longest chain of members after an import, and deepest nesting of declarations.
const MAX_NAMES: usize = 16;

/// A name from a module, as the start of a path.
struct ImportedPath {
    specifier: String,
    names: Vec<String>,
    /// No clause states the name: `export *` of a package that is not installed may have it.
    is_assumed: bool,
}

impl FileResolver<'_> {
    /// Returns the use of a declaration of a package at a site.
    pub(super) fn declared_use(&self, site: &Site, decl: DeclRef) -> Option<ExternalUse> {
        let edge_type = self.external_edge_type(site)?;
        let symbol = self
            .external
            .get_or_insert_with(decl, || self.symbol_of(decl).map(Arc::new))?;
        Some(ExternalUse::of_site(site, edge_type, symbol))
    }

    /// Returns the symbol of a declaration or module in an interface pack.
    pub(super) fn symbol_in_pack(&self, target: Target) -> Option<Arc<ExternalSymbol>> {
        let symbol = |file: FileId, descriptor: String| {
            Some(Arc::new(ExternalSymbol {
                manager: PackageManager::Npm,
                package: (&**self.package_of(file)?).into(),
                descriptor: descriptor.into(),
            }))
        };
        match target {
            Target::File(file) => symbol(file, String::new()),
            Target::Decl(decl) => self.external.get_or_insert_with(decl, || {
                let package = self.package_of(decl.file)?;
                let descriptor = descriptor_of(self.facts(decl.file), decl.decl, package)?;
                symbol(decl.file, descriptor)
            }),
        }
    }

    /// Returns the use of an import from a package that has no declarations.
    pub(super) fn imported_use(&self, site: &Site) -> Option<ExternalUse> {
        let edge_type = self.external_edge_type(site)?;
        let ImportedPath {
            specifier, names, ..
        } = self.imported_path(site)?;

        let (manager, package) = package_of_specifier(&specifier)?;
        let suffix = match site.kind {
            SiteKind::New => "#`<constructor>`().",
            kind if kind.is_call() => "().",
            SiteKind::TypeRef | SiteKind::ParameterType | SiteKind::Base => "#",
            _ => ".",
        };

        let mut descriptor = module_descriptor(manager, &specifier);
        for (index, name) in names.iter().enumerate() {
            let is_last = index + 1 == names.len();
            add_name(&mut descriptor, name, if is_last { suffix } else { "/" });
        }

        let symbol = ExternalSymbol {
            manager,
            package: package.into(),
            descriptor: descriptor.into(),
        };
        Some(ExternalUse::of_site(site, edge_type, Arc::new(symbol)))
    }

    /// Returns the relation of a site to an external symbol. Values that are only read have none.
    fn external_edge_type(&self, site: &Site) -> Option<EdgeType> {
        match site.kind {
            kind if kind.is_call() => Some(EdgeType::Calls),
            SiteKind::Import | SiteKind::Base | SiteKind::TypeRef | SiteKind::ParameterType => {
                self.edge_type(*site)
            }
            _ => None,
        }
    }

    fn symbol_of(&self, decl: DeclRef) -> Option<ExternalSymbol> {
        let (manager, package) = package_of_path(self.path(decl.file))?;
        let descriptor = descriptor_of(self.facts(decl.file), decl.decl, &package)?;
        Some(ExternalSymbol {
            manager,
            package: package.into(),
            descriptor: descriptor.into(),
        })
    }

    /// Returns the import that a site names, and the members after it.
    fn imported_path(&self, site: &Site) -> Option<ImportedPath> {
        let facts = self.own_facts();

        match site.subject {
            Subject::Import(id) => self.path_of_import(id),
            Subject::Type(ty, index) => self.path_of_type(ty, usize::from(index) + 1),
            Subject::Decorator(expr) => self.path_of_expr(expr, 0),
            Subject::Expr(expr) => match facts.expr(expr) {
                Expr::Call(call) | Expr::New(call) => {
                    self.path_of_expr(facts.calls[call.index()].callee, 0)
                }
                Expr::Jsx(component) => self.path_of_expr(component, 0),
                _ => self.path_of_expr(expr, 0),
            },
            Subject::Base(decl, index) => {
                let base = facts.list(facts.decl(decl).bases).get(usize::from(index))?;
                match facts.type_expr(base.ty) {
                    TypeExpr::Heritage(expr, _) => self.path_of_expr(expr, 0),
                    _ => self.path_of_type(base.ty, MAX_NAMES),
                }
            }
            _ => None,
        }
    }

    fn path_of_type(&self, ty: TypeId, segments: usize) -> Option<ImportedPath> {
        let facts = self.own_facts();
        let TypeExpr::Name(list, scope) = facts.type_expr(ty) else {
            return None;
        };
        let (first, rest) = facts.list(list).split_first()?;
        let position = LookupPosition {
            file: self.file,
            scope,
            offset: u32::MAX,
        };

        let mut path = self
            .path_of_name(position, first.name, Meaning::Type)
            .or_else(|| self.path_of_name(position, first.name, Meaning::Namespace))
            .or_else(|| self.path_of_name(position, first.name, Meaning::Value))?;
        for segment in rest.iter().take(segments.saturating_sub(1)) {
            path.add(facts.text(segment.name));
        }
        Some(path)
    }

    fn path_of_expr(&self, expr: ExprId, depth: usize) -> Option<ImportedPath> {
        if depth > MAX_NAMES {
            return None;
        }

        let facts = self.own_facts();
        match facts.expr(expr) {
            Expr::Name(sym, scope, offset) => {
                let position = LookupPosition {
                    file: self.file,
                    scope,
                    offset,
                };
                self.path_of_name(position, sym, Meaning::Value)
            }
            Expr::Member(object, sym) | Expr::Destructured(object, sym) => {
                let mut path = self.path_of_expr(object, depth + 1)?;
                path.add(facts.text(sym));
                Some(path)
            }
            Expr::Require(sym) => self.path_of_module(sym),
            Expr::Paren(inner) | Expr::Generic(inner, _) | Expr::Satisfies(inner, _) => {
                self.path_of_expr(inner, depth + 1)
            }
            _ => None,
        }
    }

    fn path_of_name(
        &self,
        position: LookupPosition,
        sym: Sym,
        meaning: Meaning,
    ) -> Option<ImportedPath> {
        let decls = self.lookup_name(position, self.name(self.file, sym), meaning);
        let decl = decls
            .first()
            .copied()
            .filter(|decl| decl.file == self.file)?;
        if let Some(id) = self.tables.import_of(decl) {
            return self.path_of_import(id);
        }

        // `const f = require("m")`, `const { f } = require("m")`.
        let facts = self.own_facts();
        match facts.expr(facts.decl(decl.decl).init) {
            Expr::Require(sym) => self.path_of_module(sym),
            Expr::Destructured(object, sym) => {
                let Expr::Require(module) = facts.expr(object) else {
                    return None;
                };
                let mut path = self.path_of_module(module)?;
                path.add(facts.text(sym));
                Some(path)
            }
            _ => None,
        }
    }

    fn path_of_import(&self, id: ImportId) -> Option<ImportedPath> {
        self.path_of_import_in(self.file, id, 0)
    }

    fn path_of_import_in(&self, file: FileId, id: ImportId, depth: usize) -> Option<ImportedPath> {
        let import = self.facts(file).imports.get(id.index())?;
        match import.kind {
            ImportKind::Named => {
                let name = self.name(file, import.name);
                self.path_of_member(file, import.module, name, depth)
            }
            _ => self.path_of_module_in(file, import.module),
        }
    }

    /// Returns the path of a module as a whole, if it is a package's.
    fn path_of_module(&self, specifier: Sym) -> Option<ImportedPath> {
        self.path_of_module_in(self.file, specifier)
    }

    fn path_of_module_in(&self, file: FileId, specifier: Sym) -> Option<ImportedPath> {
        let aliases = &self.tables.file(file).unresolved_aliases;
        if aliases.contains(&specifier) {
            return None;
        }
        let module = self.resolve_module(file, specifier);
        let is_outside = module == ResolvedName::External || self.is_module_outside(&module);
        is_outside.then(|| ImportedPath {
            specifier: self.facts(file).text(specifier).to_owned(),
            names: Vec::new(),
            is_assumed: false,
        })
    }

    /// Returns the path of what a module exports under a name.
    fn path_of_member(
        &self,
        file: FileId,
        specifier: Sym,
        name: Name,
        depth: usize,
    ) -> Option<ImportedPath> {
        if let Some(mut path) = self.path_of_module_in(file, specifier) {
            path.add(self.spelling(name));
            return Some(path);
        }
        self.path_of_re_export(file, specifier, name, depth)
    }

    /// Returns the path of what a module of the repository exports under a name.
    fn path_of_re_export(
        &self,
        file: FileId,
        specifier: Sym,
        name: Name,
        depth: usize,
    ) -> Option<ImportedPath> {
        match self.resolve_module(file, specifier) {
            ResolvedName::Module(target) if depth < MAX_NAMES => {
                self.path_of_export(target, name, depth + 1)
            }
            _ => None,
        }
    }

    /// Returns the path of a name that a file of the repository re-exports from a package: by a
    /// clause of the name, else by the only `export *` that leads to a package.
    fn path_of_export(&self, file: FileId, name: Name, depth: usize) -> Option<ImportedPath> {
        let facts = self.facts(file);
        let is_declared = !self.declarations(file, ScopeId(0), name).is_empty();

        if let Some(id) = self.tables.exported(file, ScopeId(0), name).next() {
            let export = &facts.exports[id.index()];
            let local = self.name(file, export.local);
            return match export.kind {
                ExportKind::From => self.path_of_member(file, export.module, local, depth),
                ExportKind::StarAs => self.path_of_module_in(file, export.module),
                ExportKind::Local => {
                    let declared = self.declarations(file, ScopeId(0), local);
                    let import = declared
                        .iter()
                        .find_map(|entry| self.tables.import_of(at(file, entry.2)))?;
                    self.path_of_import_in(file, import, depth)
                }
                ExportKind::Star | ExportKind::Assign | ExportKind::CommonJs => None,
            };
        }

        if is_declared {
            return None;
        }
        self.record_stars(file, name);
        let mut paths: Vec<ImportedPath> = Vec::new();
        for id in self.tables.stars_with(file, name) {
            let module = facts.exports[id.index()].module;
            match self.path_of_module_in(file, module) {
                Some(mut path) => {
                    path.add(self.spelling(name));
                    path.is_assumed = true;
                    paths.push(path);
                }
                None => paths.extend(self.path_of_re_export(file, module, name, depth)),
            }
        }

        match paths.iter().position(|path| !path.is_assumed) {
            Some(stated) => Some(paths.swap_remove(stated)),
            None => paths.pop().filter(|_| paths.is_empty()),
        }
    }
}

impl ImportedPath {
    fn add(&mut self, name: &str) {
        if name != "default" && !name.is_empty() {
            self.names.push(name.to_owned());
        }
    }
}

/// Returns the declarations of a file that have a name outside it, each with the name that users of
/// the package have for it.
#[must_use]
pub fn published_names(file: PublishedFile<'_>) -> Vec<(DeclId, String)> {
    let facts = file.facts;
    (0..facts.decls.len() as u32)
        .map(DeclId)
        .filter(|decl| !facts.decl(*decl).detail.is_none())
        .filter_map(|decl| Some((decl, descriptor_of(facts, decl, file.package)?)))
        .collect()
}

/// Returns the package of a declaration file, from its path: `@babel/core` for a file of
/// `node_modules/@types/babel__core`.
#[must_use]
pub fn package_of_path(path: &str) -> Option<(PackageManager, String)> {
    if path.starts_with(javascript::PLACE) {
        return Some((PackageManager::Lib, String::new()));
    }
    let name = match path.strip_prefix(npm::PLACE) {
        Some(name) => name,
        None => package_name(path.rsplit_once("node_modules/")?.1)?,
    };
    Some(match name {
        "typescript" => (PackageManager::Lib, String::new()),
        NODE_TYPES | "node" => (PackageManager::Node, String::new()),
        name => (PackageManager::Npm, declared_package(name).into_owned()),
    })
}

/// Returns the package of an import; `None` for a relative or absolute path.
fn package_of_specifier(specifier: &str) -> Option<(PackageManager, String)> {
    if specifier.starts_with("node:") || is_nodejs_builtin_module(specifier) {
        return Some((PackageManager::Node, String::new()));
    }
    // `virtual:x`, `https://x`, `#internal`, `./x`, `@/x`
    if specifier.contains(':')
        || specifier.starts_with(['.', '/', '#', '~'])
        || specifier.starts_with("@/")
    {
        return None;
    }
    let name = package_name(specifier)?;
    Some((PackageManager::Npm, declared_package(name).into_owned()))
}

/// Returns the package that a path below `node_modules` begins with: `@scope/name` or `name`.
fn package_name(path: &str) -> Option<&str> {
    let mut ends = path.match_indices('/').map(|(at, _)| at);
    let end = if path.starts_with('@') {
        ends.next()?;
        ends.next()
    } else {
        ends.next()
    };
    Some(&path[..end.unwrap_or(path.len())]).filter(|name| !name.is_empty())
}

/// Returns the descriptor of the module itself: only Node.js has several, and their names are part
/// of the path.
fn module_descriptor(manager: PackageManager, specifier: &str) -> String {
    let mut descriptor = String::new();
    if manager == PackageManager::Node {
        let module = specifier.strip_prefix("node:").unwrap_or(specifier);
        add_name(&mut descriptor, module, "/");
    }
    descriptor
}

/// Returns the descriptors of a declaration and of what encloses it; `None` for a local, a
/// parameter or a type parameter.
fn descriptor_of(facts: &Facts, decl: DeclId, package: &str) -> Option<String> {
    let mut chain = vec![decl];
    while let Some(owner) = owner_of(facts, chain[chain.len() - 1]) {
        if chain.len() == MAX_NAMES {
            return None;
        }
        chain.push(owner);
    }

    let mut descriptor = String::new();
    for (index, &part) in chain.iter().rev().enumerate() {
        let is_last = index + 1 == chain.len();
        let declared = facts.decl(part);
        let name = facts.decl_name(part);
        let suffix = match declared.kind {
            DeclKind::AmbientModule if is_module_of(name, package) => continue,
            DeclKind::Namespace if !is_last && is_assigned(facts, part) => continue,
            DeclKind::AmbientModule | DeclKind::Namespace => "/",
            DeclKind::Class | DeclKind::Interface | DeclKind::Enum | DeclKind::TypeAlias => "#",
            DeclKind::Function
            | DeclKind::Method
            | DeclKind::CallSignature
            | DeclKind::ConstructSignature => "().",
            DeclKind::Constructor => {
                descriptor.push_str("`<constructor>`().");
                continue;
            }
            DeclKind::Variable
            | DeclKind::Property
            | DeclKind::Getter
            | DeclKind::Setter
            | DeclKind::EnumMember
            | DeclKind::DefaultExport => ".",
            DeclKind::ObjectType | DeclKind::ObjectLiteral if !is_last => continue,
            _ => return None,
        };

        // A call or construct signature is named by its type.
        if !name.is_empty() {
            add_name(&mut descriptor, name.trim_start_matches("node:"), suffix);
        }
    }

    Some(descriptor)
}

/// Returns the declaration whose scope a declaration is in.
fn owner_of(facts: &Facts, decl: DeclId) -> Option<DeclId> {
    facts.scope(facts.decl(decl).scope.some()?).owner.some()
}

/// Reports whether a `declare module` block is the package or a module of it, so that its name adds
/// nothing.
fn is_module_of(module: &str, package: &str) -> bool {
    module == "global"
        || !package.is_empty()
            && module
                .strip_prefix(package)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Reports whether a file exports a top-level declaration as a whole: `export = React`.
fn is_assigned(facts: &Facts, decl: DeclId) -> bool {
    facts.exports.iter().any(|export| {
        export.kind == ExportKind::Assign
            && export.scope == facts.decl(decl).scope
            && matches!(facts.expr(export.value), Expr::Name(name, ..) if name == facts.decl(decl).name)
    })
}

/// Adds a name with its suffix; between backquotes if it is no identifier.
fn add_name(descriptor: &mut String, name: &str, suffix: &str) {
    let is_plain = name
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '+' | '-'));
    if is_plain {
        descriptor.push_str(name);
    } else {
        descriptor.push('`');
        descriptor.push_str(&name.replace('`', "``"));
        descriptor.push('`');
    }
    descriptor.push_str(suffix);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_or_specifier_names_its_package() {
        use PackageManager::{Lib, Node, Npm};

        let named = |manager, name: &str| Some((manager, name.to_owned()));
        for (path, expected) in [
            ("javascript:es5", named(Lib, "")),
            ("node_modules/typescript/lib/lib.dom.d.ts", named(Lib, "")),
            ("node_modules/@types/node/fs.d.ts", named(Node, "")),
            (
                "web/node_modules/rxjs/dist/types/index.d.ts",
                named(Npm, "rxjs"),
            ),
            (
                "node_modules/.pnpm/@types+babel__core@7.0.0/node_modules/@types/babel__core/index.d.ts",
                named(Npm, "@babel/core"),
            ),
            ("npm:@types/react", named(Npm, "react")),
            ("src/own.d.ts", None),
        ] {
            assert_eq!(package_of_path(path), expected, "{path}");
        }

        for (specifier, expected) in [
            ("fs/promises", named(Node, "")),
            ("node:test", named(Node, "")),
            ("rxjs/operators", named(Npm, "rxjs")),
            ("@angular/core/testing", named(Npm, "@angular/core")),
            ("virtual:pages", None),
            ("@/locales", None),
            ("./own", None),
        ] {
            assert_eq!(package_of_specifier(specifier), expected, "{specifier}");
        }
    }
}
