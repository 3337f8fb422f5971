//! An index is used if it is undamaged, of this root and of this version; otherwise it is rebuilt.

use std::path::PathBuf;

use super::*;

mod cancel;
mod package_facts;
mod shared;

/// A repository of one class, and the data root of its index.
struct Fixture {
    root: tempfile::TempDir,
    home: tempfile::TempDir,
}

#[allow(clippy::disallowed_methods, reason = "changes files as others would")]
impl Fixture {
    fn new(class: &str) -> Self {
        let fixture = Self {
            root: tempfile::tempdir().unwrap(),
            home: tempfile::tempdir().unwrap(),
        };
        std::fs::write(
            fixture.root.path().join("a.cs"),
            format!("class {class} {{ }}"),
        )
        .unwrap();
        fixture
    }

    fn home(&self) -> DataRoot {
        DataRoot::at(self.home.path())
    }

    fn open(&self) -> Engine {
        Engine::open(
            self.root.path(),
            EngineOptions {
                home: self.home(),
                ..EngineOptions::default()
            },
        )
        .unwrap()
    }

    fn index(&self) -> u64 {
        let engine = self.open();
        assert!(engine.is_healthy());
        let files = engine.index(&|_| {}).unwrap().files();
        engine.close().unwrap();
        files
    }

    fn reader(&self) -> Result<IndexReader, ErrorKind> {
        IndexReader::open(self.root.path(), &self.home()).map_err(|error| error.kind())
    }

    fn names(&self) -> Vec<String> {
        let snapshot = self.reader().unwrap().snapshot().unwrap();
        let nodes = crate::query::get_outline(
            &snapshot,
            crate::query::derive_file_id(&snapshot, "a.cs").unwrap(),
        )
        .unwrap();
        nodes.into_iter().map(|node| node.name).collect()
    }

    fn data(&self) -> DataDir {
        self.home()
            .data_dir(&self.root.path().canonicalize().unwrap())
            .unwrap()
    }

    fn database(&self) -> PathBuf {
        self.data().database().unwrap()
    }

    /// Removes the clean-shutdown marker, as if the index had not been closed.
    fn clear_marker(&self) {
        self.data().clear_marker().unwrap();
    }
}

#[test]
#[allow(
    clippy::disallowed_methods,
    reason = "changes the database file as another version would"
)]
fn an_index_with_another_schema_is_rebuilt() {
    let fixture = Fixture::new("A");
    assert_eq!(fixture.index(), 1);
    let path = fixture.database();
    let mut bytes = std::fs::read(&path).unwrap();
    let at = bytes
        .windows(6)
        .position(|window| window == b"layout")
        .unwrap();
    bytes[at..at + 6].copy_from_slice(b"layoux");
    std::fs::write(&path, bytes).unwrap();
    fixture.clear_marker();
    assert_eq!(fixture.reader().err(), Some(ErrorKind::NotIndexed));
    assert_eq!(fixture.index(), 1);
    fixture.reader().unwrap().snapshot().unwrap();
}

#[test]
#[allow(clippy::disallowed_methods, reason = "damages the database file")]
fn a_damaged_index_is_rebuilt_and_reported() {
    let fixture = Fixture::new("Name");
    fixture.index();
    let path = fixture.database();
    let mut bytes = std::fs::read(&path).unwrap();
    let at = bytes
        .windows(4)
        .rposition(|window| window == b"Name")
        .unwrap();
    bytes[at] = b'F';
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(fixture.reader().err(), Some(ErrorKind::Corrupt));
    let engine = fixture.open();
    assert_eq!(
        engine.take_repair_notice().as_deref(),
        Some("its content has changed")
    );
    engine.index(&|_| {}).unwrap();
    drop(engine);
    assert_eq!(fixture.names(), ["Name"]);
    let engine = fixture.open();
    assert_eq!(
        (
            engine.take_repair_notice(),
            engine.index(&|_| {}).unwrap().unchanged
        ),
        (None, true)
    );
    assert_eq!(engine.verify(&|_| {}).unwrap(), 0);
}

/// Changes a letter in every copy of the class's name, as decayed storage would.
#[allow(clippy::disallowed_methods, reason = "damages the database file")]
fn damage_names(database: &Path) {
    let mut bytes = std::fs::read(database).unwrap();
    let places: Vec<usize> = (0..bytes.len() - 4)
        .filter(|at| &bytes[*at..at + 4] == b"Name")
        .collect();
    places.iter().for_each(|at| bytes[*at] = b'F');
    std::fs::write(database, &bytes).unwrap();
}

fn wait_for_the_clock() {
    std::thread::sleep(std::time::Duration::from_millis(20));
}

#[test]
fn a_database_that_others_write_is_rebuilt_by_the_next_batch() {
    let fixture = Fixture::new("Name");
    fixture.index();
    let engine = fixture.open();
    engine.index(&|_| {}).unwrap();
    assert!(!engine.is_touched());
    wait_for_the_clock();
    damage_names(&fixture.database());
    assert!(engine.is_touched());
    assert!(
        !engine
            .process_batch(&ChangeBatch::only([]), &|_| {})
            .unwrap()
            .unchanged
    );
    assert!(!engine.is_touched() && engine.take_repair_notice().is_some());
    engine.close().unwrap();
    assert_eq!(fixture.names(), ["Name"]);
}

#[test]
fn a_database_that_others_wrote_is_never_marked_as_clean() {
    let fixture = Fixture::new("Name");
    fixture.index();
    let engine = fixture.open();
    engine.index(&|_| {}).unwrap();
    wait_for_the_clock();
    damage_names(&fixture.database());
    drop(engine);
    assert_eq!(fixture.reader().err(), Some(ErrorKind::Corrupt));
    let engine = fixture.open();
    assert!(engine.take_repair_notice().is_some());
    engine.index(&|_| {}).unwrap();
    engine.close().unwrap();
    assert_eq!(fixture.names(), ["Name"]);
}

#[test]
fn a_rebuild_replaces_the_old_index_when_it_is_complete() {
    let fixture = Fixture::new("Name");
    fixture.index();
    let before = fixture.reader().unwrap();
    let options = || EngineOptions {
        home: fixture.home(),
        ..EngineOptions::default()
    };
    let stopped = Arc::new(AtomicBool::new(false));
    let ingest = IngestOptions {
        cancel: Arc::clone(&stopped),
        ..IngestOptions::default()
    };
    let stop = |_| {
        assert_eq!(fixture.names(), ["Name"], "the old one answers meanwhile");
        stopped.store(true, Ordering::Relaxed);
    };
    let error = Engine::rebuilt(
        fixture.root.path(),
        EngineOptions {
            ingest,
            ..options()
        },
        &stop,
    )
    .err()
    .unwrap();
    assert_eq!(error.kind(), ErrorKind::Interrupted);
    assert!(
        before.is_in_place() && fixture.data().is_untouched(),
        "nothing has happened to it"
    );
    assert!(!fixture.data().path().join("rebuild").exists());

    // Files left by a killed process do not block the next one.
    let left = fixture
        .data()
        .rebuilt()
        .unwrap()
        .data_dir(fixture.root.path())
        .unwrap();
    drop(left.lock_writer().unwrap());
    let (engine, summary) = Engine::rebuilt(fixture.root.path(), options(), &|_| {}).unwrap();
    assert_eq!(
        (summary.unchanged, summary.files(), summary.parsed),
        (false, 1, 1)
    );
    assert!(
        !before.is_in_place() && before.snapshot().is_ok(),
        "who reads the old one notices"
    );
    assert!(engine.index(&|_| {}).unwrap().unchanged);
    engine.close().unwrap();
    assert_eq!(fixture.names(), ["Name"]);
    assert!(!fixture.data().path().join("rebuild").exists());
}

#[cfg(unix)]
#[test]
#[allow(
    clippy::disallowed_methods,
    reason = "puts files into the place of ours"
)]
fn foreign_files_next_to_the_database_are_removed_or_named() {
    let fixture = Fixture::new("Name");
    fixture.index();
    let journal = fixture.data().path().join("index.db-journal");
    // The header of a journal that has pages to write back.
    std::fs::write(
        &journal,
        [
            &b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7\xff\xff\xff\xff"[..],
            &[0x5A; 4096],
        ]
        .concat(),
    )
    .unwrap();
    assert_eq!(fixture.names(), ["Name"]);
    assert!(!journal.exists());
    for name in ["index.db-shm", "index.db-wal"] {
        let link = fixture.data().path().join(name);
        std::fs::remove_file(&link).ok();
        std::os::unix::fs::symlink("elsewhere", &link).unwrap();
        let error = IndexReader::open(fixture.root.path(), &fixture.home())
            .err()
            .unwrap()
            .to_string();
        assert!(
            error.contains(name) && error.contains("remove it"),
            "{error}"
        );
        std::fs::remove_file(&link).unwrap();
        assert_eq!(fixture.names(), ["Name"]);
    }
}

#[test]
#[allow(clippy::disallowed_methods, reason = "damages the database file")]
fn verify_finds_wrong_but_valid_values() {
    let fixture = Fixture::new("Name");
    fixture.index();
    let mut bytes = std::fs::read(fixture.database()).unwrap();
    for at in 0..bytes.len() - 4 {
        if &bytes[at..at + 4] == b"Name" {
            bytes[at] = b'F';
        }
    }
    std::fs::write(fixture.database(), &bytes).unwrap();
    fixture.clear_marker();
    assert_eq!(fixture.names(), ["Fame"], "nothing else sees it");
    let engine = fixture.open();
    assert!(engine.verify(&|_| {}).unwrap() > 0);
    assert!(engine.take_repair_notice().is_some());
    drop(engine);
    assert_eq!(fixture.names(), ["Name"]);
}

#[test]
fn an_index_that_was_not_closed_is_used_if_it_is_intact() {
    let fixture = Fixture::new("Name");
    fixture.index();
    fixture.clear_marker();
    assert_eq!(fixture.names(), ["Name"]);
    assert!(fixture.data().is_untouched(), "who has checked it seals it");
    let modified = std::fs::File::options()
        .append(true)
        .open(fixture.database())
        .unwrap();
    modified.set_modified(std::time::UNIX_EPOCH).unwrap();
    assert!(!fixture.data().is_untouched());
    assert_eq!(fixture.names(), ["Name"], "touched and as it was");
    assert!(fixture.data().is_untouched());
    let lock = fixture.data().lock_writer().unwrap();
    fixture.clear_marker();
    assert_eq!(fixture.names(), ["Name"], "the writer rebuilds it");
    drop(lock);
}

#[test]
#[allow(clippy::disallowed_methods, reason = "damages the database file")]
fn an_engine_that_finds_damage_rebuilds_the_index() {
    let fixture = Fixture::new("Name");
    let engine = fixture.open();
    engine.index(&|_| {}).unwrap();
    let reader = engine.reader();
    assert!(reader.is_in_place() && engine.is_in_place());
    engine.rebuild("a test says so", &|_| {}).unwrap();
    assert_eq!(
        engine.take_repair_notice().as_deref(),
        Some("a test says so")
    );
    assert!(!reader.is_in_place(), "who reads the old one notices");
    assert!(engine.is_in_place() && !engine.is_rebuilding() && engine.is_healthy());
    std::fs::write(fixture.root.path().join("a.cs"), "class Edited { }").unwrap();
    engine.index(&|_| {}).unwrap();
    engine.close().unwrap();
    assert_eq!(fixture.names(), ["Edited"]);
}

#[test]
fn an_index_is_not_rebuilt_endlessly() {
    let fixture = Fixture::new("Name");
    let engine = fixture.open();
    let failed = (0..10)
        .filter(|_| engine.rebuild("it does not help", &|_| {}).is_err())
        .count();
    assert_eq!(failed, 7);
}

#[test]
#[allow(
    clippy::disallowed_methods,
    reason = "does what a hostile repository does"
)]
fn an_index_inside_a_repository_is_ignored() {
    let (forged, fixture) = (Fixture::new("Forged"), Fixture::new("Honest"));
    forged.index();
    let folder = fixture.root.path().join(".codeagent");
    std::fs::create_dir(&folder).unwrap();
    std::fs::copy(forged.database(), folder.join("index.db")).unwrap();
    assert_eq!(
        fixture.reader().err(),
        Some(ErrorKind::NotIndexed),
        "it is not read"
    );
    fixture.index();
    assert_eq!(fixture.names(), ["Honest"]);
    let left: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["index.db"], "nothing is written there");
}

#[test]
#[allow(
    clippy::disallowed_methods,
    reason = "copies an index to where another root's belongs"
)]
fn an_index_belongs_to_one_root() {
    let (other, fixture) = (Fixture::new("Other"), Fixture::new("Own"));
    other.index();
    fixture.index();
    std::fs::copy(other.database(), fixture.database()).unwrap();
    fixture.clear_marker();
    assert_eq!(fixture.reader().err(), Some(ErrorKind::NotIndexed));
    fixture.index();
    assert_eq!(fixture.names(), ["Own"]);
}
