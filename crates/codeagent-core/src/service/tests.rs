//! What is changed on disk is in the index when a question has waited for it, whatever way it was
//! changed.

#![allow(clippy::disallowed_methods, reason = "changes files as others would")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use codeagent_workspace::{DataHome, IpcStream};

use super::staleness::REPOINTED;
use super::*;
use crate::ingest::ChangeBatch;
use crate::store::{self, canonical_dump};

mod git;
mod packages;
mod random;
mod vectors;

/// A repository that is watched.
struct Place {
    service: IndexService,
    folder: tempfile::TempDir,
    _home: tempfile::TempDir,
}

fn open(root: &Path, home: &Path) -> Arc<Engine> {
    Arc::new(
        Engine::open(
            root,
            EngineOptions {
                home: DataHome::at(home),
                ..EngineOptions::default()
            },
        )
        .unwrap(),
    )
}

impl Place {
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

    /// The indexed files, once everything is settled; the index is that of a fresh start.
    fn files(&self) -> Vec<String> {
        assert_eq!(
            self.service.wait_until_fresh(Some(Duration::from_secs(60))),
            Staleness::default()
        );
        let home = tempfile::tempdir().unwrap();
        let fresh = open(&self.root(), home.path());
        fresh.index(&|_| {}).unwrap();
        assert_eq!(dump(&self.service.engine().unwrap()), dump(&fresh));
        let snapshot = self.service.engine().unwrap().answers().snapshot().unwrap();
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
    canonical_dump(&engine.answers().snapshot().unwrap()).unwrap()
}

#[test]
fn what_is_written_is_known_to_the_next_question() {
    let place = Place::new();
    for number in 0..20 {
        place.write(
            "a.cs",
            &format!("class A {{ void M() {{ int x{number} = {number}; N(); }} void N() {{ }} }}"),
        );
        assert_eq!(place.files(), ["a.cs"]);
    }
    place.write("b.cs", "class B : A { void O() { } }");
    assert_eq!(place.files(), ["a.cs", "b.cs"]);
    place.write(".tmp", "class C { }");
    std::fs::rename(place.root().join(".tmp"), place.root().join("b.cs")).unwrap();
    assert_eq!(place.files(), ["a.cs", "b.cs"]);
    std::fs::remove_file(place.root().join("b.cs")).unwrap();
    assert_eq!(place.files(), ["a.cs"]);
}

#[test]
fn folders_that_come_in_whatever_way_are_known() {
    let place = Place::new();
    for number in 0..20 {
        place.write(
            &format!("deep/{number}/b/c/x.cs"),
            &format!("class X{number} {{ }}"),
        );
    }
    assert_eq!(place.files().len(), 21);
    let outside = place.folder.path().join("tree");
    std::fs::create_dir_all(outside.join("in/ner")).unwrap();
    std::fs::write(outside.join("in/ner/t.cs"), "class T { }").unwrap();
    std::fs::rename(&outside, place.root().join("tree")).unwrap();
    assert_eq!(place.files().last().unwrap(), "tree/in/ner/t.cs");
    place.write("tree/in/ner/t.cs", "class T { class U { } }");
    place.files();
    std::fs::rename(place.root().join("tree"), place.root().join("wood")).unwrap();
    assert_eq!(place.files().last().unwrap(), "wood/in/ner/t.cs");
    std::fs::remove_dir_all(place.root().join("deep")).unwrap();
    assert_eq!(place.files(), ["a.cs", "wood/in/ner/t.cs"]);
}

#[test]
fn a_thousand_folders_are_known_to_the_next_question() {
    let place = Place::new();
    for number in 0..1000 {
        place.write(
            &format!("{}/{number}/b/c.cs", number % 10),
            &format!("class X{number} {{ }}"),
        );
    }
    assert_eq!(place.files().len(), 1001);
    for number in 0..10 {
        std::fs::rename(
            place.root().join(number.to_string()),
            place.folder.path().join(number.to_string()),
        )
        .unwrap();
    }
    assert_eq!(place.files(), ["a.cs"], "moved out of the repository");
    std::fs::write(
        place.folder.path().join("0/0/b/c.cs"),
        "class Elsewhere { }",
    )
    .unwrap();
    assert!(place.service.wait_until_fresh(None).is_none());
    assert_eq!(place.files(), ["a.cs"]);
}

#[cfg(unix)]
#[test]
fn files_and_folders_that_become_links_are_known() {
    use std::os::unix::fs::symlink;
    let place = Place::new();
    place.write("v1/x.cs", "class X1 { }");
    place.write("v2/x.cs", "class X2 { }");
    symlink("v1", place.root().join("now")).unwrap();
    assert_eq!(place.files(), ["a.cs", "v1/x.cs", "v2/x.cs"]);
    // Exchanged as deployments do: what is behind a link is indexed where it is.
    symlink("v2", place.root().join("next")).unwrap();
    std::fs::rename(place.root().join("next"), place.root().join("now")).unwrap();
    assert_eq!(place.files(), ["a.cs", "v1/x.cs", "v2/x.cs"]);
    for _ in 0..3 {
        symlink("v1/x.cs", place.root().join("link")).unwrap();
        std::fs::rename(place.root().join("link"), place.root().join("a.cs")).unwrap();
        assert_eq!(place.files(), ["v1/x.cs", "v2/x.cs"]);
        place.write("file", "class A { }");
        std::fs::rename(place.root().join("file"), place.root().join("a.cs")).unwrap();
        assert_eq!(place.files(), ["a.cs", "v1/x.cs", "v2/x.cs"]);
        std::fs::rename(place.root().join("v2"), place.root().join("v3")).unwrap();
        symlink("v3", place.root().join("v2")).unwrap();
        assert_eq!(place.files(), ["a.cs", "v1/x.cs", "v3/x.cs"]);
        std::fs::remove_file(place.root().join("v2")).unwrap();
        std::fs::rename(place.root().join("v3"), place.root().join("v2")).unwrap();
        assert_eq!(place.files(), ["a.cs", "v1/x.cs", "v2/x.cs"]);
    }
}

#[test]
fn a_file_that_is_emptied_and_written_in_parts_is_known() {
    use std::io::Write;
    let place = Place::new();
    let mut file = std::fs::File::create(place.root().join("a.cs")).unwrap();
    place.files();
    file.write_all(b"class A { void ").unwrap();
    place.files();
    file.write_all(b"M() { } }").unwrap();
    place.files();
    let snapshot = place
        .service
        .engine()
        .unwrap()
        .answers()
        .snapshot()
        .unwrap();
    assert_eq!(store::by_name(&snapshot, "M", 9).unwrap().len(), 1);
}

#[test]
fn ignore_rules_and_settings_take_effect() {
    let place = Place::new();
    place.write("b/b.cs", "class B { }");
    assert_eq!(place.files(), ["a.cs", "b/b.cs"]);
    place.write(".gitignore", "b/\n");
    assert_eq!(place.files(), ["a.cs"]);
    place.write("b/c.cs", "class C { }");
    assert_eq!(place.files(), ["a.cs"]);
    place.write(".gitignore", "");
    assert_eq!(place.files(), ["a.cs", "b/b.cs", "b/c.cs"]);
    place.write(".codeagent/config.json", "{\"exclude\": [\"b\"]}");
    assert_eq!(place.files(), ["a.cs"]);
    place.write(".codeagent/config.json", "{\"exclude\": [\"a.cs\"]}");
    assert_eq!(place.files(), ["b/b.cs", "b/c.cs"]);
}

#[test]
fn a_file_that_is_ignored_is_looked_for_once() {
    let place = Place::new();
    place.write(".gitignore", "*.log\n");
    place.write("x.log", "");
    place.files();
    let batches = || {
        let snapshot = place
            .service
            .engine()
            .unwrap()
            .answers()
            .snapshot()
            .unwrap();
        store::metadata(&snapshot, store::GENERATION).unwrap()
    };
    let before = batches();
    for number in 0..5 {
        place.write("x.log", &number.to_string());
        assert!(place.service.wait_until_fresh(None).is_none());
    }
    assert_eq!(batches(), before);
    assert_eq!(place.files(), ["a.cs"]);
}

#[test]
fn a_root_that_goes_is_said() {
    let place = Place::new();
    std::fs::remove_dir_all(place.root()).unwrap();
    let lag = place
        .service
        .wait_until_fresh(Some(Duration::from_secs(60)));
    assert!(lag.failure.is_some_and(|failure| failure.contains("gone")));
}

#[cfg(unix)]
#[test]
fn a_path_that_leads_to_another_folder_is_said() {
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
    let reader = Answers::open(&link, &DataHome::at(home.path())).unwrap();
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
        // A batch does not forget how the root was named.
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
fn where_watching_ends_one_looks() {
    let place = Place::new();
    place.write("b.cs", "class B { }");
    std::fs::remove_dir_all(
        place
            .service
            .engine()
            .unwrap()
            .data()
            .path()
            .join("cookies"),
    )
    .unwrap();
    assert_eq!(
        place.files(),
        ["a.cs", "b.cs"],
        "without barriers everything is compared"
    );
}

#[test]
fn where_nothing_is_told_one_looks() {
    let place = Place::watched(false);
    assert!(place.service.watch_trouble().is_some());
    place.write("b.cs", "class B { }");
    let until = Instant::now() + Duration::from_secs(60);
    while place
        .service
        .engine()
        .unwrap()
        .answers()
        .snapshot()
        .map(|snapshot| store::files(&snapshot).unwrap().len())
        .unwrap()
        < 2
        && Instant::now() < until
    {
        drop(place.service.wait_until_fresh(None));
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(place.files(), ["a.cs", "b.cs"]);
}

#[test]
fn past_its_time_a_question_is_told_what_is_missing() {
    let place = Place::new();
    let mut lags = (0..50).map(|number| {
        place.write(
            "a.cs",
            &format!("class A {{ void M() {{ int y = {number}; }} }}"),
        );
        place.service.wait_until_fresh(Some(Duration::ZERO))
    });
    let lag = lags.find(|lag| !lag.is_none()).unwrap();
    assert_eq!(lag.files, BTreeSet::from(["a.cs".to_owned()]));
    drop(lags);
    assert_eq!(place.files(), ["a.cs"]);
}

#[test]
fn an_older_daemon_makes_room_for_a_newer_version() {
    use std::io::{Read, Write};
    for (version, expected) in [
        (env!("CARGO_PKG_VERSION"), ShutdownReason::Idle),
        ("0.0.9", ShutdownReason::Idle),
        ("nonsense", ShutdownReason::Idle),
        ("99.0.0", ShutdownReason::Requested),
    ] {
        for verb in ["sync", "stay"] {
            let place = Place::new();
            place.write("a.cs", "class Changed { }");
            let mut guest = IpcStream::connect(
                place.service.engine().unwrap().data(),
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
                // Who stays needs it.
                drop(guest);
            }
            assert_eq!(
                place.service.wait_for_shutdown(moment),
                expected,
                "{verb} {version}"
            );
        }
    }
}

#[test]
fn unsaved_text_is_indexed_before_the_disk_until_it_is_removed() {
    let place = Place::new();
    let path = RepoPath::new("a.cs").unwrap();
    let names = || {
        let snapshot = place
            .service
            .engine()
            .unwrap()
            .answers()
            .snapshot()
            .unwrap();
        ["M", "Unsaved", "Saved"].map(|name| store::by_name(&snapshot, name, 9).unwrap().len())
    };
    let set = |text| {
        place.service.set_unsaved_text(path.clone(), text).unwrap();
        assert!(place.service.wait_until_fresh(None).is_none());
    };
    assert_eq!(names(), [1, 0, 0]);

    set(Some("class A { void Unsaved() { } }"));
    assert_eq!(names(), [0, 1, 0]);
    place.write("a.cs", "class A { void Saved() { } }");
    assert!(place.service.wait_until_fresh(None).is_none());
    assert_eq!(names(), [0, 1, 0], "the file is still edited");
    place.write("b.cs", "class B { }");
    assert!(place.service.wait_until_fresh(None).is_none());
    assert_eq!(
        names(),
        [0, 1, 0],
        "nor does a full scan take it from the disk"
    );

    set(None);
    assert_eq!(names(), [0, 0, 1]);
    assert_eq!(place.files(), ["a.cs", "b.cs"]);
}

#[test]
fn unsaved_text_is_forgotten_with_the_process() {
    let (folder, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(folder.path().join("a.cs"), "class A { void M() { } }").unwrap();
    let engine = open(folder.path(), home.path());
    engine.index(&|_| {}).unwrap();
    let path = RepoPath::new("a.cs").unwrap();
    // As long as the file, so that only its stamp tells that the disk was not read.
    engine.set_unsaved_text(&path, Some("class A { void N() { } }"));
    engine
        .process_batch(&ChangeBatch::only([path]), &|_| {})
        .unwrap();
    let count = |engine: &Engine, name| {
        let snapshot = engine.answers().snapshot().unwrap();
        store::by_name(&snapshot, name, 9).unwrap().len()
    };
    assert_eq!((count(&engine, "M"), count(&engine, "N")), (0, 1));
    drop(engine);

    let engine = open(folder.path(), home.path());
    engine.index(&|_| {}).unwrap();
    assert_eq!((count(&engine, "M"), count(&engine, "N")), (1, 0));
}
