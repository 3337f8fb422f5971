//! Facts of packages are shared by all indexes of a data root, and damage to them changes no index.

use std::path::Path;

use codeagent_workspace::DataDir;

use super::*;
use crate::languages::LANGUAGES;
use crate::model::graph::Dialect;
use crate::store::{FactsKey, PackageFacts, add_package_facts, canonical_dump, encode_facts};

const PASS: &str = "export declare function pass<T>(value: T): T;\n";
const USE: &str = "import { pass } from \"lib\";\nclass Own { run() { } }\nexport const own = pass(new Own()).run();\n";

/// Repositories that import the same package, and the data root of their indexes.
struct Home(tempfile::TempDir);

#[allow(clippy::disallowed_methods, reason = "changes files as others would")]
impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Creates a repository.
    fn repository() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let package = root.path().join("node_modules/lib");
        std::fs::create_dir_all(&package).unwrap();
        std::fs::write(package.join("index.d.ts"), PASS).unwrap();
        std::fs::write(root.path().join("a.ts"), USE).unwrap();
        root
    }

    fn options(&self) -> EngineOptions {
        EngineOptions {
            home: DataRoot::at(self.0.path()),
            ..EngineOptions::default()
        }
    }

    fn shared(&self) -> DataDir {
        self.options().home.package_facts().unwrap()
    }

    fn path(&self) -> std::path::PathBuf {
        self.shared().database().unwrap()
    }

    /// Indexes a repository; returns its index.
    fn index(&self, root: &Path) -> Vec<String> {
        let engine = Engine::open(root, self.options()).unwrap();
        engine.index(&|_| {}).unwrap();
        let snapshot = engine.reader().snapshot().unwrap();
        assert!(!store::facts_keys(&snapshot).unwrap().contains(&key(PASS)));
        canonical_dump(&snapshot).unwrap()
    }

    fn has_facts(&self) -> bool {
        self.has(PASS)
    }

    /// Reports whether the facts of a text are stored.
    fn has(&self, text: &str) -> bool {
        PackageFacts::open(&self.path()).is_some_and(|facts| facts.find(&key(text)).is_some())
    }

    /// Stores the facts of another text under the key of the package's.
    fn plant(&self, text: &str) {
        let facts = LANGUAGES.extract_declarations(text, Dialect::Ts);
        let facts = [(key(PASS), encode_facts(&facts))];
        add_package_facts(&self.path(), &facts, &|| false).unwrap();
    }
}

fn key(text: &str) -> FactsKey {
    let hash = blake3::hash(text.as_bytes());
    FactsKey::new(Dialect::Ts, "declarations", hash.as_bytes())
}

#[test]
fn a_text_is_parsed_once_for_all_repositories() {
    let home = Home::new();
    let (first, second) = (Home::repository(), Home::repository());
    let expected = home.index(first.path());
    assert!(home.has_facts());

    // Other facts show where the second repository has them from.
    home.plant("export declare function pass(value: object): number;\n");
    assert_ne!(home.index(second.path()), expected);

    let (rebuilt, _) = Engine::rebuilt(first.path(), home.options(), &|_| {}).unwrap();
    let snapshot = rebuilt.reader().snapshot().unwrap();
    assert_ne!(canonical_dump(&snapshot).unwrap(), expected);
}

#[test]
#[allow(clippy::disallowed_methods, reason = "changes files as others would")]
fn only_declaration_files_that_are_read_are_parsed() {
    let (home, root) = (Home::new(), Home::repository());
    let package = root.path().join("node_modules/lib");
    let unused = "export interface Unused { run(): void }\n";
    let barrel = "export * from \"./pass\";\nexport * from \"./inner\";\n";
    for (name, text) in [
        ("index.d.ts", barrel),
        ("pass.d.ts", PASS),
        ("inner.d.ts", "export * from \"./unused\";\n"),
        ("unused.d.ts", unused),
    ] {
        std::fs::write(package.join(name), text).unwrap();
    }

    let before = home.index(root.path());
    assert!(home.has_facts());
    assert!(!home.has(unused));
    assert_eq!(home.index(root.path()), before);

    let used = "import type { Unused } from \"lib\";\nclass Own implements Unused { run() { } }\n";
    std::fs::write(root.path().join("b.ts"), used).unwrap();
    let after = home.index(root.path());
    assert!(home.has(unused));
    assert_eq!(Home::new().index(root.path()), after);
}

#[test]
#[allow(clippy::disallowed_methods, reason = "changes files as others would")]
fn damaged_facts_change_no_index() {
    let home = Home::new();
    let expected = home.index(Home::repository().path());
    let whole = std::fs::read(home.path()).unwrap();
    let flipped = (0..whole.len()).step_by(whole.len() / 20).map(|at| {
        let mut flipped = whole.clone();
        flipped[at] ^= 0xff;
        flipped
    });

    let cut = whole[..whole.len() / 2].to_vec();
    let foreign = b"the file of another program".repeat(1_000);
    for damaged in flipped.chain([cut, foreign, Vec::new()]) {
        std::fs::write(home.path(), damaged).unwrap();
        assert_eq!(home.index(Home::repository().path()), expected);
        assert_eq!(home.index(Home::repository().path()), expected);
    }

    std::fs::remove_dir_all(home.shared().path()).unwrap();
    assert_eq!(home.index(Home::repository().path()), expected);
    assert!(home.has_facts(), "the file is filled again");
}

#[test]
#[allow(clippy::disallowed_methods, reason = "changes files as others would")]
fn facts_that_cannot_be_stored_fail_no_index() {
    let home = Home::new();
    let expected = home.index(Home::repository().path());
    std::fs::remove_dir_all(home.shared().path()).unwrap();

    std::fs::write(home.shared().path(), "in the way").unwrap();
    assert_eq!(home.index(Home::repository().path()), expected);
    std::fs::remove_file(home.shared().path()).unwrap();

    let lock = home.shared().lock_writer().unwrap();
    assert_eq!(home.index(Home::repository().path()), expected);
    assert!(!home.has_facts());
    drop(lock);

    // The index has rows of the package, but its facts are nowhere.
    let root = Home::repository();
    assert_eq!(home.index(root.path()), expected);
    std::fs::remove_dir_all(home.shared().path()).unwrap();
    std::fs::write(root.path().join("b.ts"), USE).unwrap();
    home.index(root.path());
    assert!(home.has_facts());
}

#[test]
fn repositories_can_be_indexed_at_the_same_time() {
    let home = Home::new();
    let expected = home.index(Home::repository().path());
    std::fs::remove_dir_all(home.shared().path()).unwrap();

    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| assert_eq!(home.index(Home::repository().path()), expected));
        }
    });
    assert!(home.has_facts());
}
