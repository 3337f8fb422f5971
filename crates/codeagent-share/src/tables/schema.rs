//! The tables and their columns.
//!
//! A change of a name, a type or a meaning is a new [`VERSION`]; a new column at the end is not.

/// Version of the tables, in the metadata of each file.
pub const VERSION: &str = "1";

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// UTF-8.
    Text,
    /// 64 bits.
    Long,
    /// 32 bits.
    Int,
    /// Yes or no.
    Bool,
}

/// How the values of a column are encoded before compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// Numbers of a dictionary: few different values.
    Dictionary,
    /// Differences to the value before.
    Delta,
    /// Texts without the beginning that they share with the one before.
    Front,
    /// As they are.
    Plain,
}

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    pub(super) coding: Coding,
}

/// A table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its name, which is that of its folder.
    pub name: &'static str,
    /// Its columns; none is ever null.
    pub columns: &'static [Column],
    /// The columns that its rows are sorted by.
    pub sorted_by: &'static [&'static str],
}

impl Table {
    /// Returns the position of a column.
    #[must_use]
    pub fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }
}

const fn column(name: &'static str, kind: Kind, coding: Coding) -> Column {
    Column { name, kind, coding }
}

const fn word(name: &'static str) -> Column {
    column(name, Kind::Text, Coding::Dictionary)
}

const fn number(name: &'static str) -> Column {
    column(name, Kind::Int, Coding::Dictionary)
}

const fn flag(name: &'static str) -> Column {
    column(name, Kind::Bool, Coding::Plain)
}

/// All tables, in the order in which they are written.
pub const TABLES: [Table; 8] = [
    REPOSITORIES,
    PACKAGES,
    DEPENDENCIES,
    FILES,
    SYMBOLS,
    OCCURRENCES,
    USES,
    HIERARCHY,
];

/// One row per repository.
pub const REPOSITORIES: Table = Table {
    name: "repositories",
    columns: &[
        word("repository"),
        word("commit"),
        word("engine"),
        number("files"),
        number("lines"),
        number("symbols"),
        number("calls"),
        number("calls_resolved"),
        number("calls_external"),
    ],
    sorted_by: &["repository"],
};

/// The packages that a repository contains.
pub const PACKAGES: Table = Table {
    name: "packages",
    columns: &[
        word("manager"),
        word("package"),
        word("version"),
        word("repository"),
        word("manifest"),
    ],
    sorted_by: &["manager", "package", "repository", "manifest"],
};

/// The packages that the projects of a repository declare.
pub const DEPENDENCIES: Table = Table {
    name: "dependencies",
    columns: &[
        word("manager"),
        word("package"),
        word("requested"),
        word("resolved"),
        word("scope"),
        flag("is_in_repository"),
        word("repository"),
        word("manifest"),
    ],
    sorted_by: &["manager", "package", "repository", "manifest"],
};

/// The indexed files.
pub const FILES: Table = Table {
    name: "files",
    columns: &[
        word("repository"),
        column("file", Kind::Text, Coding::Front),
        word("language"),
        word("project"),
        number("lines"),
        number("bytes"),
        column("hash", Kind::Text, Coding::Plain),
        word("parse_status"),
        number("calls"),
        number("calls_resolved"),
        number("calls_external"),
    ],
    sorted_by: &["repository", "file"],
};

/// The declarations.
pub const SYMBOLS: Table = Table {
    name: "symbols",
    columns: &[
        word("manager"),
        word("package"),
        column("path", Kind::Text, Coding::Front),
        column("symbol_id", Kind::Long, Coding::Plain),
        column("symbol", Kind::Text, Coding::Front),
        word("name"),
        word("kind"),
        word("language"),
        word("access"),
        flag("is_public"),
        column("parent_id", Kind::Long, Coding::Dictionary),
        word("repository"),
        word("file"),
        column("line", Kind::Int, Coding::Delta),
        column("end_line", Kind::Int, Coding::Delta),
        number("column"),
        word("signature"),
        word("return_type"),
        word("doc"),
    ],
    sorted_by: &["manager", "package", "path", "symbol_id"],
};

/// The uses of symbols, each with its location.
pub const OCCURRENCES: Table = Table {
    name: "occurrences",
    columns: &[
        column("target", Kind::Long, Coding::Dictionary),
        column("source", Kind::Long, Coding::Dictionary),
        word("role"),
        word("confidence"),
        flag("is_external"),
        word("repository"),
        word("file"),
        column("line", Kind::Int, Coding::Dictionary),
        number("column"),
    ],
    sorted_by: &["target", "repository", "file", "line", "column"],
};

/// The uses of symbols of other packages, counted.
pub const USES: Table = Table {
    name: "uses",
    columns: &[
        word("manager"),
        word("package"),
        column("path", Kind::Text, Coding::Front),
        column("symbol", Kind::Text, Coding::Front),
        column("target", Kind::Long, Coding::Dictionary),
        word("repository"),
        word("role"),
        number("occurrences"),
        number("files"),
    ],
    sorted_by: &["manager", "package", "path", "symbol", "repository", "role"],
};

/// What types and members extend, implement and override.
pub const HIERARCHY: Table = Table {
    name: "hierarchy",
    columns: &[
        column("base", Kind::Long, Coding::Dictionary),
        column("derived", Kind::Long, Coding::Dictionary),
        word("role"),
        word("repository"),
    ],
    sorted_by: &["base", "repository", "derived", "role"],
};
