//! The symbol graph: nodes, edges and the names by which tools refer to them.
//!
//! Every name that leaves the engine (as a tool argument, a stored value or a fixture verb) is
//! parsed and printed through its type's `NAMES` table, so that it is defined once.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::span::Span;

/// Defines an enum with a `NAMES` table, `as_str`, `parse` and `Display`.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[repr(u8)]
        pub enum $name { $($(#[$vmeta])* $variant,)* }

        impl $name {
            /// Every variant with its name, in declaration order (the index is the stored value).
            pub const NAMES: &'static [(&'static str, $name)] = &[$(($word, $name::$variant),)*];

            /// Returns the name of this variant.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                Self::NAMES[self as usize].0
            }

            /// Returns the variant with a name; `None` if [`Self::NAMES`] has no such name.
            #[must_use]
            pub fn parse(word: &str) -> Option<Self> {
                Self::NAMES.iter().find(|(name, _)| *name == word).map(|(_, variant)| *variant)
            }

            /// Returns the variant stored as `code`, which is its index in [`Self::NAMES`].
            #[must_use]
            pub fn from_code(code: u8) -> Option<Self> {
                Self::NAMES.get(usize::from(code)).map(|(_, variant)| *variant)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}

pub(crate) use words;

words! {
    /// The language of a file.
    Language {
        /// C#.
        CSharp = "csharp",
        /// TypeScript and JavaScript in all their dialects.
        TypeScript = "typescript",
        /// Any language whose symbols were imported from a SCIP index.
        Imported = "imported",
    }
}

words! {
    /// The grammar and rules a file is read with, chosen by its extension.
    Dialect {
        /// `.cs`
        CSharp = "cs",
        /// `.ts`
        Ts = "ts",
        /// `.tsx`
        Tsx = "tsx",
        /// `.mts`
        Mts = "mts",
        /// `.cts`
        Cts = "cts",
        /// `.js`
        Js = "js",
        /// `.jsx`
        Jsx = "jsx",
        /// `.mjs`
        Mjs = "mjs",
        /// `.cjs`
        Cjs = "cjs",
        /// A file of any other language, known from a SCIP index.
        Imported = "imported",
    }
}

impl Dialect {
    /// Returns the dialect of a path by its extension; `None` for a file that is not indexed.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        Self::parse(path.rsplit_once('.')?.1).filter(|dialect| *dialect != Self::Imported)
    }

    /// Returns the language of this dialect.
    #[must_use]
    pub fn language(self) -> Language {
        match self {
            Self::CSharp => Language::CSharp,
            Self::Ts
            | Self::Tsx
            | Self::Mts
            | Self::Cts
            | Self::Js
            | Self::Jsx
            | Self::Mjs
            | Self::Cjs => Language::TypeScript,
            Self::Imported => Language::Imported,
        }
    }

    /// Reports whether the dialect is JavaScript, without type annotations.
    #[must_use]
    pub fn is_javascript(self) -> bool {
        match self {
            Self::Js | Self::Jsx | Self::Mjs | Self::Cjs => true,
            Self::CSharp | Self::Ts | Self::Tsx | Self::Mts | Self::Cts | Self::Imported => false,
        }
    }

    /// Reports whether `<` may open a JSX element.
    #[must_use]
    pub fn has_jsx(self) -> bool {
        match self {
            Self::Tsx | Self::Js | Self::Jsx | Self::Mjs | Self::Cjs => true,
            Self::CSharp | Self::Ts | Self::Mts | Self::Cts | Self::Imported => false,
        }
    }
}

words! {
    /// The nine types of nodes that tools filter by.
    NodeType {
        /// A class, struct or record.
        Class = "class",
        /// A function, method, operator or finalizer.
        Method = "method",
        /// An interface.
        Interface = "interface",
        /// A property, field, event, indexer, enum member, accessor or module-level variable.
        Property = "property",
        /// A user interface component.
        Component = "component",
        /// A source file.
        File = "file",
        /// A namespace or ambient module.
        Module = "module",
        /// An enum, delegate or type alias.
        Type = "type",
        /// A constructor.
        Constructor = "constructor",
    }
}

words! {
    /// The language-specific kind of a node; each belongs to one [`NodeType`], except for
    /// components.
    NodeKind {
        /// A class.
        Class = "class",
        /// A C# struct.
        Struct = "struct",
        /// A C# record class.
        Record = "record",
        /// A C# record struct.
        RecordStruct = "record_struct",
        /// An interface.
        Interface = "interface",
        /// An enum.
        Enum = "enum",
        /// A C# delegate type.
        Delegate = "delegate",
        /// A TypeScript type alias.
        TypeAlias = "type_alias",
        /// A namespace.
        Namespace = "namespace",
        /// A TypeScript `declare module "x"`.
        AmbientModule = "ambient_module",
        /// A C# 14 extension block.
        ExtensionBlock = "extension_block",
        /// A method.
        Method = "method",
        /// A function, a variable that holds one, or a function of an object literal.
        Function = "function",
        /// A function inside another, or a local variable that holds one.
        LocalFunction = "local_function",
        /// An operator.
        Operator = "operator",
        /// A conversion operator.
        Conversion = "conversion",
        /// A finalizer.
        Finalizer = "finalizer",
        /// A constructor.
        Constructor = "constructor",
        /// A primary constructor.
        PrimaryConstructor = "primary_constructor",
        /// A static constructor.
        StaticConstructor = "static_constructor",
        /// A property.
        Property = "property",
        /// A field.
        Field = "field",
        /// An event.
        Event = "event",
        /// An indexer.
        Indexer = "indexer",
        /// A member of an enum.
        EnumMember = "enum_member",
        /// A TypeScript get/set pair or one of the two.
        Accessor = "accessor",
        /// A module-level variable.
        Variable = "variable",
        /// A source file.
        File = "file",
    }
}

impl NodeType {
    /// Reports whether a node is a type, other than a component.
    #[must_use]
    pub fn is_type(self) -> bool {
        matches!(self, Self::Class | Self::Interface | Self::Type)
    }
}

impl NodeKind {
    /// Returns the node type of this kind.
    #[must_use]
    pub fn node_type(self) -> NodeType {
        match self {
            Self::Class | Self::Struct | Self::Record | Self::RecordStruct => NodeType::Class,
            Self::Interface => NodeType::Interface,
            Self::Enum | Self::Delegate | Self::TypeAlias => NodeType::Type,
            Self::Namespace | Self::AmbientModule | Self::ExtensionBlock => NodeType::Module,

            Self::Method
            | Self::Function
            | Self::LocalFunction
            | Self::Operator
            | Self::Conversion
            | Self::Finalizer => NodeType::Method,
            Self::Constructor | Self::PrimaryConstructor | Self::StaticConstructor => {
                NodeType::Constructor
            }

            Self::Property
            | Self::Field
            | Self::Event
            | Self::Indexer
            | Self::EnumMember
            | Self::Accessor
            | Self::Variable => NodeType::Property,
            Self::File => NodeType::File,
        }
    }
}

words! {
    /// A relation between two nodes; read "source *verb* target".
    EdgeType {
        /// A call, `new`, JSX component, tagged template, decorator or attribute constructor.
        Calls = "calls",
        /// A class derives from a class.
        Inherits = "inherits",
        /// A type implements an interface, or a member an interface member.
        Implements = "implements",
        /// A file imports a module, a symbol or a namespace.
        Imports = "imports",
        /// A member overrides a member of a base class.
        Overrides = "overrides",
        /// Any other resolved use.
        References = "references",
        /// Lexical parent and child; stored with the node, never as a site.
        Contains = "contains",
        /// A member names a type in its parameter list.
        Accepts = "accepts",
        /// An interface derives from an interface or class.
        Extends = "extends",
    }
}

words! {
    /// The direction of the requested edges.
    EdgeDirection {
        /// From the node to what it uses.
        Outgoing = "outgoing",
        /// From the users of the node.
        Incoming = "incoming",
    }
}

words! {
    /// Certainty of an edge, ordered: `Heuristic < Inferred < Exact`.
    Confidence {
        /// The receiver's type is unknown; only one visible declaration has the name.
        Heuristic = "heuristic",
        /// The receiver's type is known, but a union, an overload or an unknown argument leaves
        /// several candidates; the best one is the target.
        Inferred = "inferred",
        /// The receiver's type is fully known or the name is resolved lexically, and there is one
        /// target.
        Exact = "exact",
    }
}

words! {
    /// Declared accessibility.
    Access {
        /// `public`, or the default of TypeScript members. For C#, lowering fills in the default.
        Public = "public",
        /// `protected`
        Protected = "protected",
        /// `internal`
        Internal = "internal",
        /// `protected internal`
        ProtectedInternal = "protected_internal",
        /// `private protected`
        PrivateProtected = "private_protected",
        /// `private` or `#name`
        Private = "private",
        /// C# `file`
        File = "file",
    }
}

words! {
    /// How well a file was parsed.
    ParseStatus {
        /// No error nodes.
        Full = "full",
        /// Some bytes are in error nodes; the rest was read.
        Partial = "partial",
        /// Parsing failed; the file is listed without symbols.
        Failed = "failed",
    }
}

/// The identity of a node: 60 bits of a hash, independent of lines and of the machine. Printed as
/// `n` and 12 base32 characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NodeId(pub u64);

const BASE32: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

impl NodeId {
    /// Derives an id from identity parts (project, language, space, qualified name, disambiguator;
    /// an ordinal after a collision).
    #[must_use]
    pub fn derive(parts: &[&str]) -> Self {
        let mut all = String::with_capacity(parts.iter().map(|part| part.len() + 1).sum());
        parts.iter().for_each(|part| all.extend([*part, "\0"]));
        let bytes: [u8; 8] = blake3::hash(all.as_bytes()).as_bytes()[..8]
            .try_into()
            .expect("a hash has 32 bytes");
        Self(u64::from_le_bytes(bytes) >> 4)
    }

    /// Parses the printed form; returns `None` if the text is not one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('n')?.as_bytes();
        if digits.len() != 12 {
            return None;
        }
        digits
            .iter()
            .try_fold(0u64, |acc, digit| {
                BASE32
                    .iter()
                    .position(|b| b == digit)
                    .map(|v| (acc << 5) | v as u64)
            })
            .map(Self)
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::with_capacity(13);
        text.push('n');
        for shift in (0..12).rev() {
            text.push(char::from(BASE32[(self.0 >> (shift * 5)) as usize & 31]));
        }
        f.pad(&text)
    }
}

/// A node of the graph: one symbol, which may be declared several times (partial class, merged
/// interface, overload signatures).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// Identity.
    pub id: NodeId,
    /// The node that lexically contains it; `None` for files and for C# namespaces.
    pub parent: Option<NodeId>,
    /// Repo-relative path of the project file that owns it, `.` if none does.
    pub project_id: String,
    /// Bare name.
    pub name: String,
    /// C#: `Namespace.Type.Member`; TypeScript: `path#Container.member`.
    pub qualified_name: String,
    /// Node type.
    pub node_type: NodeType,
    /// Language-specific kind.
    pub kind: NodeKind,
    /// Language.
    pub language: Language,
    /// Declared or default accessibility; `None` where the language has none (files, namespaces,
    /// module-level TypeScript).
    pub access: Option<Access>,
    /// Yes/no properties.
    pub flags: NodeFlags,
    /// Names of the type parameters: `<TKey, TValue>`; `None` if there are none.
    pub type_parameters: Option<String>,
    /// `(string a, int b)` as written, white space collapsed; `None` without a parameter list.
    pub parameter_signature: Option<String>,
    /// Number of parameters.
    pub parameter_count: Option<u32>,
    /// Declared return, property or field type as written.
    pub return_type: Option<String>,
    /// Summary of the doc comment, plain text.
    pub doc: Option<String>,
    /// All declaration sites, primary first, then by path and position.
    pub spans: Vec<NodeSpan>,
}

impl Node {
    /// Returns the type parameters and parameters: `<TKey>(TKey key)`. An accessor is used like a
    /// property, without parameters.
    #[must_use]
    pub fn all_parameters(&self) -> String {
        match self.kind {
            NodeKind::Accessor => String::new(),
            _ => all_parameters(&self.type_parameters, &self.parameter_signature),
        }
    }

    /// Returns the accessors of a property: `{get; private set}`; empty if none is written.
    #[must_use]
    pub fn accessors(&self) -> String {
        let words = [
            (NodeFlags::GETTER, "get"),
            (NodeFlags::SETTER, "set"),
            (NodeFlags::INIT, "init"),
        ];
        let own = self.flags.own_access();

        let written = words.iter().filter(|(flag, _)| self.flags.has(*flag));
        let written: Vec<String> = written
            .map(|(flag, word)| match own {
                Some((access, is_getter)) if is_getter == (*flag == NodeFlags::GETTER) => {
                    format!("{} {word}", access.as_str().replace('_', " "))
                }
                _ => (*word).to_owned(),
            })
            .collect();

        match written.as_slice() {
            [] => String::new(),
            words => format!("{{{}}}", words.join("; ")),
        }
    }
}

/// Joins the type parameters and parameters of a declaration.
#[must_use]
pub fn all_parameters(types: &Option<String>, parameters: &Option<String>) -> String {
    let parts = [types, parameters].into_iter().flatten();
    parts.map(String::as_str).collect()
}

/// One declaration site of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeSpan {
    /// Repo-relative path.
    pub path: String,
    /// The declaration with attributes, decorators and `export`, without its doc comment.
    pub span: Span,
    /// Line of the name token.
    pub name_line: u32,
    /// UTF-16 column of the name token.
    pub name_column: u32,
}

/// Yes/no properties of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct NodeFlags(pub u32);

impl NodeFlags {
    /// Reachable from outside its project.
    pub const PUBLIC_API: Self = Self(1);
    /// `static`
    pub const STATIC: Self = Self(1 << 1);
    /// `abstract`, or an interface member without body.
    pub const ABSTRACT: Self = Self(1 << 2);
    /// `async`
    pub const ASYNC: Self = Self(1 << 3);
    /// `override`
    pub const OVERRIDE: Self = Self(1 << 4);
    /// `[Obsolete]` or `@deprecated`.
    pub const DEPRECATED: Self = Self(1 << 5);
    /// Has a doc comment.
    pub const DOC_COMMENT: Self = Self(1 << 6);
    /// Declared in a function, an object literal or an object type in the head of a type; a node of kind `function` is
    /// in an object literal.
    pub const LOCAL: Self = Self(1 << 7);
    /// Imported from a SCIP index.
    pub const IMPORTED: Self = Self(1 << 8);
    /// A property with a written getter: TypeScript `get x()`, C# `get` or `=>`.
    pub const GETTER: Self = Self(1 << 9);
    /// A property with a written setter: TypeScript `set x(v)`, C# `set`.
    pub const SETTER: Self = Self(1 << 10);
    /// A C# property with an `init` accessor.
    pub const INIT: Self = Self(1 << 11);
    /// The accessor with an accessibility of its own is the getter.
    const OWN_ACCESS_OF_GETTER: Self = Self(1 << 15);

    /// Where the code of the accessibility of one accessor plus one begins; 0 if there is none.
    const OWN_ACCESS: u32 = 12;

    /// Reports whether all bits of `other` are set.
    #[must_use]
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Sets the bits of `other` if `on`.
    pub fn set(&mut self, other: Self, on: bool) {
        if on {
            self.0 |= other.0;
        }
    }

    /// Sets the accessibility that one accessor of a C# property has of its own: `private set`.
    pub fn set_own_access(&mut self, access: Access, is_getter: bool) {
        self.0 |= (access as u32 + 1) << Self::OWN_ACCESS;
        self.set(Self::OWN_ACCESS_OF_GETTER, is_getter);
    }

    /// Returns the accessibility that one accessor has of its own, and whether that is the getter.
    #[must_use]
    pub fn own_access(self) -> Option<(Access, bool)> {
        let code = ((self.0 >> Self::OWN_ACCESS) & 7).checked_sub(1)?;
        let access = Access::from_code(code as u8)?;
        Some((access, self.has(Self::OWN_ACCESS_OF_GETTER)))
    }
}

/// One use: "source *edge_type* target" at a site in the source's file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Edge {
    /// The node whose declaration contains the use.
    pub source: NodeId,
    /// The node that is used.
    pub target: NodeId,
    /// Relation between the two nodes.
    pub edge_type: EdgeType,
    /// 1-based line of the name token at the use.
    pub line: u32,
    /// 1-based UTF-16 column of the name token at the use.
    pub column: u32,
    /// Certainty.
    pub confidence: Confidence,
    /// Other candidates of an inferred site, best first; not edges.
    pub candidates: Vec<NodeId>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_id_round_trips_through_text() {
        let id = NodeId::derive(&["p", "csharp", "", "A.B", ""]);
        assert_eq!(NodeId::parse(&id.to_string()), Some(id));
        assert_eq!(NodeId::parse("n123"), None);
    }

    #[test]
    fn confidence_is_ordered() {
        assert!(
            Confidence::Heuristic < Confidence::Inferred
                && Confidence::Inferred < Confidence::Exact
        );
    }

    #[test]
    fn edge_type_names_parse_back() {
        for (word, edge_type) in EdgeType::NAMES {
            assert_eq!(EdgeType::parse(word), Some(*edge_type));
        }
    }
}
