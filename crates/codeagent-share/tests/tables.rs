//! Parquet tables of the repositories in `tests/tables`: schema, order, and ids that join. The page
//! about them lists exactly their columns.

#![allow(clippy::unwrap_used, reason = "a failing step fails the test")]
#![allow(
    clippy::disallowed_methods,
    reason = "tests make repositories and read tables"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use codeagent_core::{DataRoot, Engine, EngineOptions};
use codeagent_share::tables::{Kind, TABLES, Table, TablesOptions, VERSION, export_tables};
use codeagent_share::{Remote, ShareError};
use parquet::basic::Repetition;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

/// The repositories, by name.
const REPOSITORIES: [&str; 4] = ["billing", "mailer", "money", "shop"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The tables of all repositories, in a folder of their own.
struct Exported {
    outer: tempfile::TempDir,
}

impl Exported {
    fn new() -> Self {
        let exported = Self {
            outer: tempfile::tempdir().unwrap(),
        };
        for name in REPOSITORIES {
            exported.export(name, &exported.url()).unwrap();
        }
        exported
    }

    fn url(&self) -> String {
        format!("file://{}/tables", self.outer.path().display())
    }

    fn export(&self, name: &str, url: &str) -> Result<(), ShareError> {
        let copy = self.outer.path().join("repositories").join(name);
        copy_folder(&root().join("tests/tables/repositories").join(name), &copy);
        let options = EngineOptions {
            home: DataRoot::at(self.outer.path().join("data").join(name)),
            ..EngineOptions::default()
        };
        let engine = Engine::open(&copy, options).unwrap();
        engine.index(&|_| {}).unwrap();

        let options = TablesOptions {
            repository: name.to_owned(),
            commit: "c0ffee".to_owned(),
        };
        let remote = Remote::open(url)?;
        let written = export_tables(&remote, &engine.reader(), &options)?;
        assert_eq!(written.len(), TABLES.len());
        engine.close().unwrap();
        Ok(())
    }

    fn path(&self, table: &str, repository: &str) -> PathBuf {
        let tables = self.outer.path().join("tables");
        tables.join(table).join(format!("{repository}.parquet"))
    }

    fn open(&self, table: &str, repository: &str) -> SerializedFileReader<std::fs::File> {
        let file = std::fs::File::open(self.path(table, repository)).unwrap();
        SerializedFileReader::new(file).unwrap()
    }

    /// Returns the rows of a table in one repository, by column.
    fn rows_in(&self, table: &str, repository: &str) -> Vec<BTreeMap<String, Field>> {
        let reader = self.open(table, repository);
        let rows = reader.get_row_iter(None).unwrap();
        rows.map(|row| row.unwrap().into_columns().into_iter().collect())
            .collect()
    }

    /// Returns the rows of a table in all repositories.
    fn rows(&self, table: &str) -> Vec<BTreeMap<String, Field>> {
        REPOSITORIES
            .iter()
            .flat_map(|repository| self.rows_in(table, repository))
            .collect()
    }
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn text<'r>(row: &'r BTreeMap<String, Field>, column: &str) -> &'r str {
    match &row[column] {
        Field::Str(text) => text,
        other => panic!("{column} is {other}"),
    }
}

fn long(row: &BTreeMap<String, Field>, column: &str) -> i64 {
    match &row[column] {
        Field::Long(number) => *number,
        other => panic!("{column} is {other}"),
    }
}

/// Returns a value so that it sorts as its column does.
fn sortable(value: &Field) -> String {
    match value {
        Field::Str(text) => text.clone(),
        Field::Long(number) => format!("{number:020}"),
        Field::Int(number) => format!("{number:010}"),
        other => other.to_string(),
    }
}

fn assert_is_as_declared(exported: &Exported, table: &Table, repository: &str) {
    let reader = exported.open(table.name, repository);
    let metadata = reader.metadata().file_metadata();
    let columns: Vec<&str> = metadata
        .schema()
        .get_fields()
        .iter()
        .map(|field| {
            let repetition = field.get_basic_info().repetition();
            assert_eq!(repetition, Repetition::REQUIRED, "{}", field.name());
            field.name()
        })
        .collect();
    let declared: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
    assert_eq!(columns, declared, "{}", table.name);

    let entries = metadata.key_value_metadata().unwrap();
    let version = entries.iter().find(|entry| entry.key == "codeagent.schema");
    assert_eq!(version.unwrap().value.as_deref(), Some(VERSION));

    let rows = exported.rows_in(table.name, repository);
    let keys = rows.iter().map(|row| {
        let key = table.sorted_by.iter().map(|column| sortable(&row[*column]));
        key.collect::<Vec<_>>()
    });
    assert!(keys.is_sorted(), "{} of {repository}", table.name);
}

#[test]
fn tables_have_their_columns_and_order() {
    let exported = Exported::new();
    for table in &TABLES {
        for repository in REPOSITORIES {
            assert_is_as_declared(&exported, table, repository);
        }
    }

    let repositories = exported.rows("repositories");
    assert_eq!(repositories.len(), REPOSITORIES.len());
    assert!(
        repositories
            .iter()
            .all(|row| text(row, "commit") == "c0ffee")
    );
}

#[test]
fn uses_join_the_symbols_that_another_repository_publishes() {
    let exported = Exported::new();
    let symbols = exported.rows("symbols");
    let published: BTreeMap<i64, &str> = symbols
        .iter()
        .filter(|row| {
            text(row, "package") == "@acme/money" && row["is_public"] == Field::Bool(true)
        })
        .map(|row| (long(row, "symbol_id"), text(row, "path")))
        .collect();
    assert_eq!(
        published.values().copied().collect::<BTreeSet<_>>(),
        BTreeSet::from([
            "Money",
            "Money.cents",
            "Money.plus",
            "format",
            "legacyRound",
            "round"
        ])
    );

    let uses = exported.rows("uses");
    let used: BTreeSet<(&str, &str)> = uses
        .iter()
        .filter(|row| text(row, "role") == "calls")
        .filter_map(|row| {
            Some((
                text(row, "repository"),
                *published.get(&long(row, "target"))?,
            ))
        })
        .collect();
    assert_eq!(
        used,
        BTreeSet::from([
            ("billing", "Money"),
            ("billing", "format"),
            ("billing", "round"),
            ("shop", "Money"),
            ("shop", "round"),
        ])
    );
}

#[test]
fn every_id_of_an_occurrence_has_a_row() {
    let exported = Exported::new();
    let symbols = exported.rows("symbols");
    let declared: BTreeSet<i64> = symbols.iter().map(|row| long(row, "symbol_id")).collect();
    assert_eq!(declared.len(), symbols.len(), "an id has two rows");
    let used = exported.rows("uses");
    let used: BTreeSet<i64> = used.iter().map(|row| long(row, "target")).collect();

    let occurrences = exported.rows("occurrences");
    for row in &occurrences {
        assert!(declared.contains(&long(row, "source")), "{row:?}");
        let target = long(row, "target");
        if row["is_external"] == Field::Bool(true) {
            assert!(used.contains(&target), "{row:?}");
        } else {
            assert!(declared.contains(&target), "{row:?}");
        }
    }
    assert!(occurrences.len() > 20);
}

#[test]
fn published_csharp_symbols_have_documentation_comment_ids() {
    let exported = Exported::new();
    let symbols = exported.rows_in("symbols", "mailer");
    let names: BTreeSet<&str> = symbols.iter().map(|row| text(row, "symbol")).collect();
    for expected in [
        "T:Acme.Mail.Mailer",
        "T:Acme.Mail.Outbox.Entry",
        "M:Acme.Mail.Mailer.Send(System.String,System.Nullable{System.Int32},System.Collections.Generic.IList{System.String})",
        "M:Acme.Mail.Mailer.Last``1(System.Collections.Generic.Dictionary{System.String,``0},System.Nullable{Acme.Mail.Outbox.Entry},System.Int32[][])",
    ] {
        assert!(names.contains(expected), "{expected} is not in {names:#?}");
    }
    assert!(!names.iter().any(|name| name.contains("client")));

    // As the users of the package have it from NuGet's folder, whose names are in lower case.
    let published = symbols.iter().filter(|row| !text(row, "symbol").is_empty());
    let packages: BTreeSet<&str> = published.map(|row| text(row, "package")).collect();
    assert_eq!(packages, BTreeSet::from(["acme.mailing"]));
    let own = exported.rows_in("packages", "mailer");
    assert_eq!(text(&own[0], "package"), "acme.mailing");
}

#[test]
fn equal_indexes_give_equal_bytes() {
    let (one, other) = (Exported::new(), Exported::new());
    one.export("shop", &one.url()).unwrap();
    for table in &TABLES {
        for repository in REPOSITORIES {
            let read =
                |exported: &Exported| std::fs::read(exported.path(table.name, repository)).unwrap();
            assert!(read(&one) == read(&other), "{} of {repository}", table.name);
        }
    }
}

#[test]
fn a_place_that_cannot_be_written_is_an_error() {
    let exported = Exported::new();
    let file = exported.outer.path().join("file");
    std::fs::write(&file, "").unwrap();
    let error = exported
        .export("shop", &format!("file://{}", file.display()))
        .unwrap_err();
    assert!(
        error.to_string().starts_with("cannot write the tables"),
        "{error}"
    );
}

/// Returns the rows `| column | type |` of the page, below the heading of each table.
fn columns_on_page(page: &str) -> BTreeMap<String, Vec<(String, String)>> {
    let mut found: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    let mut table = String::new();
    for line in page.lines() {
        if let Some(heading) = line.strip_prefix("### ") {
            table = heading.to_owned();
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if let ["", name, kind, ..] = cells[..]
            && let Some(name) = name.strip_prefix('`')
        {
            let row = (name.trim_end_matches('`').to_owned(), kind.to_owned());
            found.entry(table.clone()).or_default().push(row);
        }
    }
    found
}

#[test]
fn the_page_lists_every_column() {
    let page = std::fs::read_to_string(root().join("docs/scale.md")).unwrap();
    let listed = columns_on_page(&page);
    for table in &TABLES {
        let kind = |kind| match kind {
            Kind::Text => "text",
            Kind::Long => "64 bits",
            Kind::Int => "32 bits",
            Kind::Bool => "yes or no",
        };
        let expected: Vec<(String, String)> = table
            .columns
            .iter()
            .map(|column| (column.name.to_owned(), kind(column.kind).to_owned()))
            .collect();
        assert_eq!(listed.get(table.name), Some(&expected), "{}", table.name);
    }
}

#[test]
fn the_page_has_the_queries_that_the_engines_are_asked() {
    let page = std::fs::read_to_string(root().join("docs/scale.md")).unwrap();
    let script = std::fs::read_to_string(root().join("tests/tables/run.py")).unwrap();
    let named: Vec<&str> = page
        .split("```sql\n-- ")
        .skip(1)
        .filter_map(|block| block.lines().next())
        .collect();
    assert_eq!(named.len(), page.matches("```sql").count());
    for name in &named {
        assert!(script.contains(&format!("\"{name}\"")), "{name}");
    }
    assert!(named.len() >= 6);
}
