//! An index is believed if it is ours, of this root, and whole; else it is made anew.

use std::path::PathBuf;

use super::*;

mod shared;

/// A repository of one class and a place for its index.
struct Place {
    root: tempfile::TempDir,
    home: tempfile::TempDir,
}

#[allow(clippy::disallowed_methods, reason = "changes files as others would")]
impl Place {
    fn new(class: &str) -> Self {
        let place = Self {
            root: tempfile::tempdir().unwrap(),
            home: tempfile::tempdir().unwrap(),
        };
        std::fs::write(
            place.root.path().join("a.cs"),
            format!("class {class} {{ }}"),
        )
        .unwrap();
        place
    }

    fn home(&self) -> DataHome {
        DataHome::at(self.home.path())
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

    fn answers(&self) -> Result<Answers, ErrorKind> {
        Answers::open(self.root.path(), &self.home()).map_err(|error| error.kind())
    }

    fn names(&self) -> Vec<String> {
        let snapshot = self.answers().unwrap().snapshot().unwrap();
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

    /// As if the index had not been closed.
    fn clear_marker(&self) {
        self.data().clear_marker().unwrap();
    }
}

#[test]
#[allow(
    clippy::disallowed_methods,
    reason = "changes the database file as another version would"
)]
fn an_index_of_another_layout_is_made_anew() {
    let place = Place::new("A");
    assert_eq!(place.index(), 1);
    let path = place.database();
    let mut bytes = std::fs::read(&path).unwrap();
    let at = bytes
        .windows(6)
        .position(|window| window == b"layout")
        .unwrap();
    bytes[at..at + 6].copy_from_slice(b"layoux");
    std::fs::write(&path, bytes).unwrap();
    place.clear_marker();
    assert_eq!(place.answers().err(), Some(ErrorKind::NotIndexed));
    assert_eq!(place.index(), 1);
    place.answers().unwrap().snapshot().unwrap();
}

#[test]
#[allow(clippy::disallowed_methods, reason = "damages the database file")]
fn a_damaged_index_is_made_anew_and_says_so() {
    let place = Place::new("Name");
    place.index();
    let path = place.database();
    let mut bytes = std::fs::read(&path).unwrap();
    let at = bytes
        .windows(4)
        .rposition(|window| window == b"Name")
        .unwrap();
    bytes[at] = b'F';
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(place.answers().err(), Some(ErrorKind::Corrupt));
    let engine = place.open();
    assert_eq!(
        engine.take_repair_notice().as_deref(),
        Some("its content is not what was written")
    );
    engine.index(&|_| {}).unwrap();
    drop(engine);
    assert_eq!(place.names(), ["Name"]);
    let engine = place.open();
    assert_eq!(
        (
            engine.take_repair_notice(),
            engine.index(&|_| {}).unwrap().unchanged
        ),
        (None, true)
    );
    assert_eq!(engine.verify(&|_| {}).unwrap(), 0);
}

/// Writes another letter into every copy of the class's name, as an edit of the pages would.
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
    let place = Place::new("Name");
    place.index();
    let engine = place.open();
    engine.index(&|_| {}).unwrap();
    assert!(!engine.is_touched());
    wait_for_the_clock();
    damage_names(&place.database());
    assert!(engine.is_touched());
    assert!(
        !engine
            .process_batch(&ChangeBatch::only([]), &|_| {})
            .unwrap()
            .unchanged
    );
    assert!(!engine.is_touched() && engine.take_repair_notice().is_some());
    engine.close().unwrap();
    assert_eq!(place.names(), ["Name"]);
}

#[test]
fn a_database_that_others_wrote_is_never_sealed_as_whole() {
    let place = Place::new("Name");
    place.index();
    let engine = place.open();
    engine.index(&|_| {}).unwrap();
    wait_for_the_clock();
    damage_names(&place.database());
    drop(engine);
    assert_eq!(place.answers().err(), Some(ErrorKind::Corrupt));
    let engine = place.open();
    assert!(engine.take_repair_notice().is_some());
    engine.index(&|_| {}).unwrap();
    engine.close().unwrap();
    assert_eq!(place.names(), ["Name"]);
}

#[test]
fn an_index_is_rebuilt_beside_the_old_one_and_exchanged_when_it_is_complete() {
    let place = Place::new("Name");
    place.index();
    let before = place.answers().unwrap();
    let options = || EngineOptions {
        home: place.home(),
        ..EngineOptions::default()
    };
    let stopped = Arc::new(AtomicBool::new(false));
    let ingest = IngestOptions {
        cancel: Arc::clone(&stopped),
        ..IngestOptions::default()
    };
    let stop = |_| {
        assert_eq!(place.names(), ["Name"], "the old one answers meanwhile");
        stopped.store(true, Ordering::Relaxed);
    };
    let error = Engine::rebuilt(
        place.root.path(),
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
        before.is_in_place() && place.data().is_untouched(),
        "nothing has happened to it"
    );
    assert!(!place.data().path().join("rebuild").exists());

    // What a killed process left is in nobody's way.
    let left = place
        .data()
        .rebuilt()
        .unwrap()
        .data_dir(place.root.path())
        .unwrap();
    drop(left.lock_writer().unwrap());
    let (engine, summary) = Engine::rebuilt(place.root.path(), options(), &|_| {}).unwrap();
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
    assert_eq!(place.names(), ["Name"]);
    assert!(!place.data().path().join("rebuild").exists());
}

#[cfg(unix)]
#[test]
#[allow(
    clippy::disallowed_methods,
    reason = "puts files into the place of ours"
)]
fn what_others_put_beside_the_database_is_removed_or_named() {
    let place = Place::new("Name");
    place.index();
    let journal = place.data().path().join("index.db-journal");
    // The beginning of a journal that has pages to write back.
    std::fs::write(
        &journal,
        [
            &b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7\xff\xff\xff\xff"[..],
            &[0x5A; 4096],
        ]
        .concat(),
    )
    .unwrap();
    assert_eq!(place.names(), ["Name"]);
    assert!(!journal.exists());
    for name in ["index.db-shm", "index.db-wal"] {
        let link = place.data().path().join(name);
        std::fs::remove_file(&link).ok();
        std::os::unix::fs::symlink("elsewhere", &link).unwrap();
        let error = Answers::open(place.root.path(), &place.home())
            .err()
            .unwrap()
            .to_string();
        assert!(
            error.contains(name) && error.contains("remove it"),
            "{error}"
        );
        std::fs::remove_file(&link).unwrap();
        assert_eq!(place.names(), ["Name"]);
    }
}

#[test]
#[allow(clippy::disallowed_methods, reason = "damages the database file")]
fn verifying_finds_values_that_fit_but_are_wrong() {
    let place = Place::new("Name");
    place.index();
    let mut bytes = std::fs::read(place.database()).unwrap();
    for at in 0..bytes.len() - 4 {
        if &bytes[at..at + 4] == b"Name" {
            bytes[at] = b'F';
        }
    }
    std::fs::write(place.database(), &bytes).unwrap();
    place.clear_marker();
    assert_eq!(place.names(), ["Fame"], "nothing else sees it");
    let engine = place.open();
    assert!(engine.verify(&|_| {}).unwrap() > 0);
    assert!(engine.take_repair_notice().is_some());
    drop(engine);
    assert_eq!(place.names(), ["Name"]);
}

#[test]
fn an_index_that_nobody_closed_is_believed_if_it_is_whole() {
    let place = Place::new("Name");
    place.index();
    place.clear_marker();
    assert_eq!(place.names(), ["Name"]);
    assert!(place.data().is_untouched(), "who has checked it seals it");
    let modified = std::fs::File::options()
        .append(true)
        .open(place.database())
        .unwrap();
    modified.set_modified(std::time::UNIX_EPOCH).unwrap();
    assert!(!place.data().is_untouched());
    assert_eq!(place.names(), ["Name"], "touched and as it was");
    assert!(place.data().is_untouched());
    let lock = place.data().lock_writer().unwrap();
    place.clear_marker();
    assert_eq!(place.names(), ["Name"], "whoever writes looks after it");
    drop(lock);
}

#[test]
#[allow(clippy::disallowed_methods, reason = "damages the database file")]
fn an_engine_that_finds_damage_goes_on_with_a_new_index() {
    let place = Place::new("Name");
    let engine = place.open();
    engine.index(&|_| {}).unwrap();
    let answers = engine.answers();
    assert!(answers.is_in_place() && engine.is_in_place());
    engine.rebuild("a test says so", &|_| {}).unwrap();
    assert_eq!(
        engine.take_repair_notice().as_deref(),
        Some("a test says so")
    );
    assert!(!answers.is_in_place(), "who reads the old one notices");
    assert!(engine.is_in_place() && !engine.is_rebuilding() && engine.is_healthy());
    std::fs::write(place.root.path().join("a.cs"), "class Edited { }").unwrap();
    engine.index(&|_| {}).unwrap();
    engine.close().unwrap();
    assert_eq!(place.names(), ["Edited"]);
}

#[test]
fn an_index_is_not_made_anew_for_ever() {
    let place = Place::new("Name");
    let engine = place.open();
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
fn an_index_that_a_repository_brings_is_not_believed() {
    let (forged, place) = (Place::new("Forged"), Place::new("Honest"));
    forged.index();
    let folder = place.root.path().join(".codeagent");
    std::fs::create_dir(&folder).unwrap();
    std::fs::copy(forged.database(), folder.join("index.db")).unwrap();
    assert_eq!(
        place.answers().err(),
        Some(ErrorKind::NotIndexed),
        "it is not read"
    );
    place.index();
    assert_eq!(place.names(), ["Honest"]);
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
fn an_index_counts_for_one_root() {
    let (other, place) = (Place::new("Other"), Place::new("Own"));
    other.index();
    place.index();
    std::fs::copy(other.database(), place.database()).unwrap();
    place.clear_marker();
    assert_eq!(place.answers().err(), Some(ErrorKind::NotIndexed));
    place.index();
    assert_eq!(place.names(), ["Own"]);
}
