//! External symbols: what code refers to outside the repository, by package and exported path.
//!
//! A symbol has neither a version nor a file, so repositories that use different versions of a
//! package name it alike. Its descriptor is the notation of its ecosystem: for .NET a
//! documentation-comment id (ECMA-334 annex D.4.2, `M:System.IO.Path.Combine(System.String)`), for
//! TypeScript descriptors of SCIP (`Observable#pipe().`).

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::graph::{NodeId, words};

words! {
    /// Who distributes a package.
    PackageManager {
        /// The libraries of .NET itself, ASP.NET Core and Microsoft.Extensions.
        DotNet = "dotnet",
        /// A NuGet package.
        NuGet = "nuget",
        /// An assembly in the repository, as a file.
        Assembly = "assembly",
        /// The libraries of ECMAScript and of browsers.
        Lib = "lib",
        /// Node.js.
        Node = "node",
        /// An npm package.
        Npm = "npm",
    }
}

/// A symbol that a package publishes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ExternalSymbol {
    /// Who distributes the package.
    pub manager: PackageManager,
    /// Name of the package; empty if the manager has only one.
    pub package: Box<str>,
    /// The symbol in the package: a documentation-comment id or descriptors of SCIP. Empty for the
    /// package as a whole.
    pub descriptor: Box<str>,
}

impl ExternalSymbol {
    /// Returns the id, 60 bits of a hash.
    #[must_use]
    pub fn id(&self) -> NodeId {
        NodeId::derive(&[
            "external",
            self.manager.as_str(),
            &self.package,
            &self.descriptor,
        ])
    }

    /// Returns the dotted path without parameters and type parameters:
    /// `System.IO.Path.Combine`, `Observable.pipe`. A constructor has the name of its type.
    #[must_use]
    pub fn path(&self) -> String {
        match self.descriptor.split_once(':') {
            Some((kind, rest)) if kind.len() == 1 => path_of_comment_id(rest),
            _ => path_of_descriptors(&self.descriptor),
        }
    }

    /// Returns the simple name: `Combine`, `pipe`; the package's if it stands for the whole.
    #[must_use]
    pub fn name(&self) -> String {
        let path = self.path();
        match path.rsplit('.').next() {
            Some(last) if !last.is_empty() => last.to_owned(),
            _ => self
                .package
                .rsplit('/')
                .next()
                .unwrap_or_default()
                .to_owned(),
        }
    }

    /// Returns the name that is equal however the symbol was found: for .NET the
    /// documentation-comment id, for TypeScript the path. An import of a package that is not
    /// installed does not tell a class from its constructor, nor a function from a variable.
    #[must_use]
    pub fn key(&self) -> Cow<'_, str> {
        match self.descriptor.split_once(':') {
            Some((kind, _)) if kind.len() == 1 => Cow::Borrowed(&self.descriptor),
            _ => Cow::Owned(self.path()),
        }
    }

    /// Returns the parameter types of a .NET method as in its documentation-comment id:
    /// `(System.String)`.
    #[must_use]
    pub fn parameters(&self) -> &str {
        self.descriptor
            .starts_with("M:")
            .then(|| self.descriptor.find('(').map(|at| &self.descriptor[at..]))
            .flatten()
            .unwrap_or_default()
    }
}

impl fmt::Display for ExternalSymbol {
    /// Writes `dotnet:System.IO.Path.Combine`, `npm:rxjs#Observable.pipe`, `npm:rxjs`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path();
        let hash = if self.package.is_empty() || path.is_empty() {
            ""
        } else {
            "#"
        };
        write!(f, "{}:{}{hash}{path}", self.manager, self.package)
    }
}

/// Converts `System.Collections.Generic.List`1.Add(`0)` to `System.Collections.Generic.List.Add`.
fn path_of_comment_id(id: &str) -> String {
    let bare = id.split(['(', '~']).next().unwrap_or_default();
    let mut path = String::with_capacity(bare.len());
    let mut is_arity = false;
    for c in bare.chars() {
        match c {
            '`' => is_arity = true,
            '0'..='9' if is_arity => {}
            c => {
                is_arity = false;
                path.push(c);
            }
        }
    }

    for constructor in [".#ctor", ".#cctor"] {
        if let Some(of) = path.strip_suffix(constructor) {
            return of.to_owned();
        }
    }
    path
}

/// Converts `FileHandle#read().` to `FileHandle.read`. Each name ends with `/`, `#`, `.` or `().`;
/// one that is no identifier stands between backquotes.
fn path_of_descriptors(descriptors: &str) -> String {
    let mut path = String::with_capacity(descriptors.len());
    let mut rest = descriptors;
    while !rest.is_empty() {
        let (name, after) = match rest.strip_prefix('`') {
            Some(quoted) => quoted.split_once('`').unwrap_or((quoted, "")),
            None => rest.split_at(rest.find(['/', '#', '.', '(']).unwrap_or(rest.len())),
        };

        if !name.is_empty() && name != "<constructor>" {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(name);
        }

        rest = after.trim_start_matches(['/', '#', '(', ')', '.']);
    }

    path
}

/// Returns the npm package that a package declares: `@babel/core` for `@types/babel__core`, and
/// otherwise the package itself.
#[must_use]
pub fn declared_package(name: &str) -> Cow<'_, str> {
    let Some(typed) = name.strip_prefix("@types/") else {
        return Cow::Borrowed(name);
    };
    match typed.split_once("__") {
        Some((scope, name)) => Cow::Owned(format!("@{scope}/{name}")),
        None => Cow::Borrowed(typed),
    }
}

/// A package that the repository itself contains: a C# project or a `package.json`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnPackage {
    /// Path of the csproj or package.json.
    pub manifest: String,
    /// Name of the assembly or package.
    pub name: String,
    /// Name of the package in the symbols of its users: as `name`, or a NuGet id that is not the
    /// assembly's name, in lower case.
    pub published: String,
    /// Version in the manifest; empty if there is none.
    pub version: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(manager: PackageManager, package: &str, descriptor: &str) -> ExternalSymbol {
        ExternalSymbol {
            manager,
            package: package.into(),
            descriptor: descriptor.into(),
        }
    }

    #[test]
    fn symbols_are_shown_by_package_and_path() {
        use PackageManager::{DotNet, Lib, Node, Npm, NuGet};

        for (symbol, shown, name) in [
            (
                symbol(
                    DotNet,
                    "",
                    "M:System.IO.Path.Combine(System.String,System.String)",
                ),
                "dotnet:System.IO.Path.Combine",
                "Combine",
            ),
            (
                symbol(
                    DotNet,
                    "",
                    "M:System.Collections.Generic.List`1.#ctor(System.Int32)",
                ),
                "dotnet:System.Collections.Generic.List",
                "List",
            ),
            (
                symbol(
                    NuGet,
                    "Dapper",
                    "M:Dapper.SqlMapper.Query``1(System.Data.IDbConnection)",
                ),
                "nuget:Dapper#Dapper.SqlMapper.Query",
                "Query",
            ),
            (
                symbol(Npm, "rxjs", "Observable#pipe()."),
                "npm:rxjs#Observable.pipe",
                "pipe",
            ),
            (
                symbol(Npm, "@angular/core", ""),
                "npm:@angular/core",
                "core",
            ),
            (symbol(Lib, "", "Array#map()."), "lib:Array.map", "map"),
            (symbol(Lib, "", "Map#`<constructor>`()."), "lib:Map", "Map"),
            (
                symbol(Node, "", "`fs/promises`/readFile()."),
                "node:fs/promises.readFile",
                "readFile",
            ),
        ] {
            assert_eq!(symbol.to_string(), shown);
            assert_eq!(symbol.name(), name, "{shown}");
        }
    }

    #[test]
    fn packages_of_declarations_count_as_what_they_declare() {
        for (name, expected) in [
            ("@types/babel__core", "@babel/core"),
            ("@types/react", "react"),
            ("@angular/core", "@angular/core"),
            ("lodash__merge", "lodash__merge"),
        ] {
            assert_eq!(declared_package(name), expected);
        }
    }

    #[test]
    fn only_methods_have_parameters() {
        let method = symbol(PackageManager::DotNet, "", "M:A.B(System.String)");
        assert_eq!(method.parameters(), "(System.String)");
        assert_eq!(symbol(PackageManager::DotNet, "", "T:A.B").parameters(), "");
    }
}
