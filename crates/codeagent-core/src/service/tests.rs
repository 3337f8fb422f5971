//! Queries see every change made before them, however it was made.

#![allow(clippy::disallowed_methods, reason = "changes files as others would")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use codeagent_workspace::{DataRoot, IpcStream};

use super::staleness::REPOINTED;
use super::*;
use crate::ingest::ChangeBatch;
use crate::store::{self, canonical_dump};

mod git;
mod packages;
mod random;
mod vectors;

struct Fixture {
    service: IndexService,
    folder: tempfile::TempDir,
    _home: tempfile::TempDir,
}

fn open(root: &Path, home: &Path) -> Arc<Engine> {
    Arc::new(
        Engine::open(
            root,
            EngineOptions {
                home: DataRoot::at(home),
                ..EngineOptions::default()
            },
        )
        .unwrap(),
    )
}

impl Fixture {
    fn new() -> Self {
        Self::watched(true)
    }

    fn watched(is_watched: bool) -> Self {
        let (folder, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = folder.path().join("root");
        std::fs::create_dir(&root).unwrap();
        std::fs::write(root.join("a.cs"), "class A { void M() { } }").unwrap();
        let engine = open(&root, home.path());
        let watcher = if is_watched {
            Watcher::new(&engine.workspace(), Some(engine.data())).map_err(|_| String::new())
        } else {
            Err("no watching".to_owned())
        };
        let service =
            IndexService::with_watcher(engine, watcher, Role::Daemon, Arc::new(|_| {})).unwrap();
        assert!(service.wait_until_fresh(None).is_none());
        Self {
            service,
            folder,
            _home: home,
        }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Returns the indexed files once the index is up to date, asserting that it equals a fresh
    /// one.
    fn files(&self) -> Vec<String> {
        assert_eq!(
            self.service.wait_until_fresh(Some(Duration::from_secs(60))),
            Staleness::default()
        );
        let home = tempfile::tempdir().unwrap();
        let fresh = open(&self.root(), home.path());
        fresh.index(&|_| {}).unwrap();
        assert_eq!(dump(&self.service.engine().unwrap()), dump(&fresh));
        let snapshot = self.service.engine().unwrap().reader().snapshot().unwrap();
        let mut files: Vec<String> = store::files(&snapshot)
            .unwrap()
            .into_iter()
            .map(|row| row.path)
            .collect();
        files.sort();
        files
    }
}

fn dump(engine: &Engine) -> Vec<String> {
    canonical_dump(&engine.reader().snapshot().unwrap()).unwrap()
}

#[test]
fn queries_see_every_earlier_write() {
    let fixture = Fixture::new();
    for number in 0..20 {
        fixture.write(
            "a.cs",
            &format!("class A {{ void M() {{ int x{number} = {number}; N(); }} void N() {{ }} }}"),
        );
        assert_eq!(fixture.files(), ["a.cs"]);
    }
    fixture.write("b.cs", "class B : A { void O() { } }");
    assert_eq!(fixture.files(), ["a.cs", "b.cs"]);
    fixture.write(".tmp", "class C { }");
    std::fs::rename(fixture.root().join(".tmp"), fixture.root().join("b.cs")).unwrap();
    assert_eq!(fixture.files(), ["a.cs", "b.cs"]);
    std::fs::remove_file(fixture.root().join("b.cs")).unwrap();
    assert_eq!(fixture.files(), ["a.cs"]);
}

#[test]
fn new_folders_are_indexed_however_they_appear() {
    let fixture = Fixture::new();
    for number in 0..20 {
        fixture.write(
            &format!("deep/{number}/b/c/x.cs"),
            &format!("class X{number} {{ }}"),
        );
    }
    assert_eq!(fixture.files().len(), 21);
    let outside = fixture.folder.path().join("tree");
    std::fs::create_dir_all(outside.join("in/ner")).unwrap();
    std::fs::write(outside.join("in/ner/t.cs"), "class T { }").unwrap();
    std::fs::rename(&outside, fixture.root().join("tree")).unwrap();
    assert_eq!(fixture.files().last().unwrap(), "tree/in/ner/t.cs");
    fixture.write("tree/in/ner/t.cs", "class T { class U { } }");
    fixture.files();
    std::fs::rename(fixture.root().join("tree"), fixture.root().join("wood")).unwrap();
    assert_eq!(fixture.files().last().unwrap(), "wood/in/ner/t.cs");
    std::fs::remove_dir_all(fixture.root().join("deep")).unwrap();
    assert_eq!(fixture.files(), ["a.cs", "wood/in/ner/t.cs"]);
}

#[test]
fn a_thousand_new_folders_are_indexed_before_the_next_query() {
    let fixture = Fixture::new();
    for number in 0..1000 {
        fixture.write(
            &format!("{}/{number}/b/c.cs", number % 10),
            &format!("class X{number} {{ }}"),
        );
    }
    assert_eq!(fixture.files().len(), 1001);
    for number in 0..10 {
        std::fs::rename(
            fixture.root().join(number.to_string()),
            fixture.folder.path().join(number.to_string()),
        )
        .unwrap();
    }
    assert_eq!(fixture.files(), ["a.cs"], "moved out of the repository");
    std::fs::write(
        fixture.folder.path().join("0/0/b/c.cs"),
        "class Elsewhere { }",
    )
    .unwrap();
    assert!(fixture.service.wait_until_fresh(None).is_none());
    assert_eq!(fixture.files(), ["a.cs"]);
}

#[cfg(unix)]
#[test]
fn files_and_folders_replaced_by_links_are_noticed() {
    use std::os::unix::fs::symlink;
    let fixture = Fixture::new();
    fixture.write("v1/x.cs", "class X1 { }");
    fixture.write("v2/x.cs", "class X2 { }");
    symlink("v1", fixture.root().join("now")).unwrap();
    assert_eq!(fixture.files(), ["a.cs", "v1/x.cs", "v2/x.cs"]);
    // Swap the link as deployments do; link targets are indexed under their own path.
    symlink("v2", fixture.root().join("next")).unwrap();
    std::fs::rename(fixture.root().join("next"), fixture.root().join("now")).unwrap();
    assert_eq!(fixture.files(), ["a.cs", "v1/x.cs", "v2/x.cs"]);
    for _ in 0..3 {
        symlink("v1/x.cs", fixture.root().join("link")).unwrap();
        std::fs::rename(fixture.root().join("link"), fixture.root().join("a.cs")).unwrap();
        assert_eq!(fixture.files(), ["v1/x.cs", "v2/x.cs"]);
        fixture.write("file", "class A { }");
        std::fs::rename(fixture.root().join("file"), fixture.root().join("a.cs")).unwrap();
        assert_eq!(fixture.files(), ["a.cs", "v1/x.cs", "v2/x.cs"]);
        std::fs::rename(fixture.root().join("v2"), fixture.root().join("v3")).unwrap();
        symlink("v3", fixture.root().join("v2")).unwrap();
        assert_eq!(fixture.files(), ["a.cs", "v1/x.cs", "v3/x.cs"]);
        std::fs::remove_file(fixture.root().join("v2")).unwrap();
        std::fs::rename(fixture.root().join("v3"), fixture.root().join("v2")).unwrap();
        assert_eq!(fixture.files(), ["a.cs", "v1/x.cs", "v2/x.cs"]);
    }
}

#[test]
fn a_file_written_in_parts_is_indexed_completely() {
    use std::io::Write;
    let fixture = Fixture::new();
    let mut file = std::fs::File::create(fixture.root().join("a.cs")).unwrap();
    fixture.files();
    file.write_all(b"class A { void ").unwrap();
    fixture.files();
    file.write_all(b"M() { } }").unwrap();
    fixture.files();
    let snapshot = fixture
        .service
        .engine()
        .unwrap()
        .reader()
        .snapshot()
        .unwrap();
    assert_eq!(store::by_name(&snapshot, "M", 9).unwrap().len(), 1);
}

#[test]
fn ignore_rules_and_settings_take_effect() {
    let fixture = Fixture::new();
    fixture.write("b/b.cs", "class B { }");
    assert_eq!(fixture.files(), ["a.cs", "b/b.cs"]);
    fixture.write(".gitignore", "b/\n");
    assert_eq!(fixture.files(), ["a.cs"]);
    fixture.write("b/c.cs", "class C { }");
    assert_eq!(fixture.files(), ["a.cs"]);
    fixture.write(".gitignore", "");
    assert_eq!(fixture.files(), ["a.cs", "b/b.cs", "b/c.cs"]);
    fixture.write(".codeagent/config.json", "{\"exclude\": [\"b\"]}");
    assert_eq!(fixture.files(), ["a.cs"]);
    fixture.write(".codeagent/config.json", "{\"exclude\": [\"a.cs\"]}");
    assert_eq!(fixture.files(), ["b/b.cs", "b/c.cs"]);
}

#[test]
fn an_ignored_file_is_checked_once() {
    let fixture = Fixture::new();
    fixture.write(".gitignore", "*.log\n");
    fixture.write("x.log", "");
    fixture.files();
    let batches = || {
        let snapshot = fixture
            .service
            .engine()
            .unwrap()
            .reader()
            .snapshot()
            .unwrap();
        store::metadata(&snapshot, store::GENERATION).unwrap()
    };
    let before = batches();
    for number in 0..5 {
        fixture.write("x.log", &number.to_string());
        assert!(fixture.service.wait_until_fresh(None).is_none());
    }
    assert_eq!(batches(), before);
    assert_eq!(fixture.files(), ["a.cs"]);
}

#[test]
fn deleting_the_root_is_reported() {
    let fixture = Fixture::new();
    std::fs::remove_dir_all(fixture.root()).unwrap();
    let lag = fixture
        .service
        .wait_until_fresh(Some(Duration::from_secs(60)));
    assert!(
        lag.failure
            .is_some_and(|failure| failure.contains("no longer exists"))
    );
}

#[cfg(unix)]
#[test]
fn a_root_path_that_leads_elsewhere_is_reported() {
    use std::os::unix::fs::symlink;
    let (folder, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for name in ["v1", "v2"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    let link = folder.path().join("current");
    symlink("v1", &link).unwrap();
    let service =
        IndexService::with_engine(open(&link, home.path()), Role::Server, |_| {}).unwrap();
    assert_eq!(service.wait_until_fresh(None), Staleness::default());
    let reader = IndexReader::open(&link, &DataRoot::at(home.path())).unwrap();
    assert_eq!(quick_check(&reader), Staleness::default());
    symlink("v2", folder.path().join("next")).unwrap();
    std::fs::rename(folder.path().join("next"), &link).unwrap();
    for _ in 0..2 {
        let lag = service.wait_until_fresh(Some(Duration::from_secs(60)));
        assert_eq!(lag.failure.as_deref(), Some(REPOINTED));
        assert_eq!(
            quick_check(&reader).failure.as_deref(),
            Some(REPOINTED),
            "another process says so too"
        );
        // A batch must not forget the path by which the root was opened.
        std::fs::write(folder.path().join("v1/a.cs"), "class A { }").unwrap();
    }
    std::fs::remove_file(&link).unwrap();
    symlink("v1", &link).unwrap();
    assert_eq!(
        service.wait_until_fresh(Some(Duration::from_secs(60))),
        Staleness::default()
    );
}

#[test]
fn a_failed_watcher_falls_back_to_polling() {
    let fixture = Fixture::new();
    fixture.write("b.cs", "class B { }");
    std::fs::remove_dir_all(
        fixture
            .service
            .engine()
            .unwrap()
            .data()
            .path()
            .join("cookies"),
    )
    .unwrap();
    assert_eq!(
        fixture.files(),
        ["a.cs", "b.cs"],
        "without barriers everything is compared"
    );
}

#[test]
fn without_file_events_the_repository_is_polled() {
    let fixture = Fixture::watched(false);
    assert!(fixture.service.watch_trouble().is_some());
    fixture.write("b.cs", "class B { }");
    let until = Instant::now() + Duration::from_secs(60);
    while fixture
        .service
        .engine()
        .unwrap()
        .reader()
        .snapshot()
        .map(|snapshot| store::files(&snapshot).unwrap().len())
        .unwrap()
        < 2
        && Instant::now() < until
    {
        drop(fixture.service.wait_until_fresh(None));
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(fixture.files(), ["a.cs", "b.cs"]);
}

#[test]
fn a_query_that_times_out_reports_what_is_missing() {
    let fixture = Fixture::new();
    let mut lags = (0..50).map(|number| {
        fixture.write(
            "a.cs",
            &format!("class A {{ void M() {{ int y = {number}; }} }}"),
        );
        fixture.service.wait_until_fresh(Some(Duration::ZERO))
    });
    let lag = lags.find(|lag| !lag.is_none()).unwrap();
    assert_eq!(lag.files, BTreeSet::from(["a.cs".to_owned()]));
    drop(lags);
    assert_eq!(fixture.files(), ["a.cs"]);
}

#[test]
fn an_older_daemon_exits_for_a_newer_version() {
    use std::io::{Read, Write};
    for (version, expected) in [
        (env!("CARGO_PKG_VERSION"), ShutdownReason::Idle),
        ("0.0.9", ShutdownReason::Idle),
        ("nonsense", ShutdownReason::Idle),
        ("99.0.0", ShutdownReason::Requested),
    ] {
        for verb in ["sync", "stay"] {
            let fixture = Fixture::new();
            fixture.write("a.cs", "class Changed { }");
            let mut guest = IpcStream::connect(
                fixture.service.engine().unwrap().data(),
                Some(Duration::from_secs(60)),
            )
            .unwrap();
            guest
                .write_all(format!("{verb} 1 {version} 60000 now\n\n").as_bytes())
                .unwrap();
            let mut answer = String::new();
            if verb == "sync" {
                guest.read_to_string(&mut answer).unwrap();
                assert!(
                    answer.starts_with("done "),
                    "what is asked is done first: {answer}"
                );
            }
            let moment =
                Some(Duration::from_millis(200)).filter(|_| expected == ShutdownReason::Idle);
            if verb == "stay" && expected == ShutdownReason::Idle {
                // The remaining client still needs the daemon.
                drop(guest);
            }
            assert_eq!(
                fixture.service.wait_for_shutdown(moment),
                expected,
                "{verb} {version}"
            );
        }
    }
}

#[test]
fn unsaved_text_overrides_the_file_until_removed() {
    let fixture = Fixture::new();
    let path = RepoPath::new("a.cs").unwrap();
    let names = || {
        let snapshot = fixture
            .service
            .engine()
            .unwrap()
            .reader()
            .snapshot()
            .unwrap();
        ["M", "Unsaved", "Saved"].map(|name| store::by_name(&snapshot, name, 9).unwrap().len())
    };
    let set = |text| {
        fixture
            .service
            .set_unsaved_text(path.clone(), text)
            .unwrap();
        assert!(fixture.service.wait_until_fresh(None).is_none());
    };
    assert_eq!(names(), [1, 0, 0]);

    set(Some("class A { void Unsaved() { } }"));
    assert_eq!(names(), [0, 1, 0]);
    fixture.write("a.cs", "class A { void Saved() { } }");
    assert!(fixture.service.wait_until_fresh(None).is_none());
    assert_eq!(names(), [0, 1, 0], "the file is still edited");
    fixture.write("b.cs", "class B { }");
    assert!(fixture.service.wait_until_fresh(None).is_none());
    assert_eq!(
        names(),
        [0, 1, 0],
        "nor does a full scan take it from the disk"
    );

    set(None);
    assert_eq!(names(), [0, 0, 1]);
    assert_eq!(fixture.files(), ["a.cs", "b.cs"]);
}

#[test]
fn unsaved_text_is_dropped_when_the_process_ends() {
    let (folder, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(folder.path().join("a.cs"), "class A { void M() { } }").unwrap();
    let engine = open(folder.path(), home.path());
    engine.index(&|_| {}).unwrap();
    let path = RepoPath::new("a.cs").unwrap();
    // As long as the file, so only the stamp shows that the disk was not read.
    engine.set_unsaved_text(&path, Some("class A { void N() { } }"));
    engine
        .process_batch(&ChangeBatch::only([path]), &|_| {})
        .unwrap();
    let count = |engine: &Engine, name| {
        let snapshot = engine.reader().snapshot().unwrap();
        store::by_name(&snapshot, name, 9).unwrap().len()
    };
    assert_eq!((count(&engine, "M"), count(&engine, "N")), (0, 1));
    drop(engine);

    let engine = open(folder.path(), home.path());
    engine.index(&|_| {}).unwrap();
    assert_eq!((count(&engine, "M"), count(&engine, "N")), (1, 0));
}
