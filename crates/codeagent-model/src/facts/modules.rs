//! Imports and exports of a file.

use serde::{Deserialize, Serialize};

use super::{DeclId, ExprId, ScopeId, Sym, TypeId, relative};
use crate::span::Position;

/// An import (TypeScript) or using (C#).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// The kind of import.
    pub kind: ImportKind,
    /// TypeScript: the module specifier. C#: the dotted name as written, without white space.
    pub module: Sym,
    /// TypeScript: the imported name (`default` for a default import). C#: the alias.
    pub name: Sym,
    /// TypeScript: the declaration of the local name; `NONE` for side-effect imports.
    pub decl: DeclId,
    /// C#: the named type or namespace, as a type expression.
    pub ty: TypeId,
    /// C#: the file or namespace scope it is in.
    pub scope: ScopeId,
    /// C# `global using`.
    pub global: bool,
    /// `import type`
    pub type_only: bool,
    /// The specifier string (TypeScript) or the last name token (C#).
    #[serde(with = "relative::position")]
    pub at: Position,
}

/// Kinds of imports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum ImportKind {
    /// `import { a as b }`
    Named,
    /// `import a`
    Default,
    /// `import * as a`
    Namespace,
    /// `import a = require("m")`, JavaScript `const a = require("m")`.
    Require,
    /// `import "m"`
    SideEffect,
    /// C# `using A.B;`
    UsingNamespace,
    /// C# `using static A.B;`
    UsingStatic,
    /// C# `using X = A.B;`
    UsingAlias,
    /// C# `extern alias X;`
    ExternAlias,
}

/// An export clause (TypeScript); exported declarations carry a flag instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Export {
    /// The kind of export clause.
    pub kind: ExportKind,
    /// The exported name; `NONE` for stars.
    pub name: Sym,
    /// The local name, or the name in the other module.
    pub local: Sym,
    /// The other module's specifier; `NONE` for local exports.
    pub module: Sym,
    /// The value of `export =` and of `module.exports = ..` / `exports.a = ..`.
    pub value: ExprId,
    /// The scope it is in (file, namespace, ambient module).
    pub scope: ScopeId,
    /// `export type`
    pub type_only: bool,
    /// The local name token, or the specifier of a star.
    #[serde(with = "relative::position")]
    pub at: Position,
}

/// Kinds of export clauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum ExportKind {
    /// `export { a as b }`
    Local,
    /// `export { a as b } from "m"`
    From,
    /// `export * from "m"`
    Star,
    /// `export * as a from "m"`
    StarAs,
    /// `export = e`, `module.exports = e`
    Assign,
    /// `exports.a = e`, `module.exports.a = e`
    CommonJs,
}
