//! Indexes that were damaged, removed, replaced, or written by another version, with and without a
//! running server.

use std::fs::{File, remove_file, rename};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde_json::json;

use super::support::{ClassRepository, Server, all_output, bounded, wait_until};

/// Offset of the schema version in a database file.
const SCHEMA_AT: u64 = 60;

fn overwrite(file: &Path, at: u64, bytes: &[u8]) {
    let mut file = File::options().write(true).open(file).unwrap();
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(bytes).unwrap();
}

type Damage = fn(&Path);

/// Replaces the log by that of another database.
fn foreign_log(folder: &Path) {
    // A log header with a different salt, and frames of no database.
    let mut log = vec![0x37, 0x7f, 0x06, 0x83, 0, 0x2d, 0xe2, 0x18, 0, 0, 0x20, 0];
    log.resize(32 + 3 * (24 + 8192), 0xA5);
    std::fs::write(folder.join("index.db-wal"), log).unwrap();
    remove_file(folder.join("index.db-shm")).ok();
}

const AT_REST: &[(&str, Damage)] = &[
    ("header", |folder| {
        overwrite(&folder.join("index.db"), 0, &[0x5A; 100])
    }),
    ("page size", |folder| {
        overwrite(&folder.join("index.db"), 16, &[0, 3])
    }),
    ("half", |folder| {
        let database = File::options()
            .write(true)
            .open(folder.join("index.db"))
            .unwrap();
        database
            .set_len(database.metadata().unwrap().len() / 2)
            .unwrap();
    }),
    ("empty", |folder| {
        drop(File::create(folder.join("index.db")).unwrap())
    }),
    ("removed", |folder| {
        remove_file(folder.join("index.db")).unwrap()
    }),
    ("foreign log", foreign_log),
    ("without seal", |folder| {
        remove_file(folder.join("index.seal")).unwrap()
    }),
    ("log without index", |folder| {
        foreign_log(folder);
        remove_file(folder.join("index.db")).unwrap();
    }),
    ("empty, without seal", |folder| {
        drop(File::create(folder.join("index.db")).unwrap());
        remove_file(folder.join("index.seal")).unwrap();
    }),
];

#[test]
fn after_any_damage_the_next_command_is_right_or_says_what_to_do() {
    let place = ClassRepository::new(5);
    for (what, damage) in AT_REST {
        place.stdout(&["index"]);
        damage(place.data().path());
        let (count, text) = place.callers(0);
        assert!(
            count == place.classes || text.contains("run `codeagent index`"),
            "{what}: {text}"
        );
        place.stdout(&["index"]);
        assert_eq!(place.callers(0).0, place.classes, "{what}");
        place.is_as_fresh();
    }
}

/// Removes the log of a killed process: its content is lost, and the rest is intact or rebuilt.
#[test]
fn a_lost_log_of_a_killed_daemon_is_survived() {
    let place = ClassRepository::new(5);
    for version in 1..4 {
        let owner = place.daemon();
        place.write_all(version);
        place.awaits(version, place.classes);
        owner.kill();
        let log = place.data().path().join("index.db-wal");
        assert!(log.metadata().unwrap().len() > 0);
        remove_file(log).unwrap();
        if version == 2 {
            foreign_log(place.data().path());
        }
        let (count, text) = place.callers(version);
        assert!(
            count == place.classes
                || text.contains("index yet")
                || text.contains("codeagent index"),
            "{text}"
        );
        place.stdout(&["index"]);
        assert_eq!(place.callers(version).0, place.classes);
        place.is_as_fresh();
    }
}

const UNDER_A_SERVER: &[(&str, Damage)] = &[
    ("removed", |folder| {
        remove_file(folder.join("index.db")).unwrap()
    }),
    ("all removed", |folder| {
        std::fs::remove_dir_all(folder).unwrap()
    }),
    ("replaced", |folder| {
        std::fs::copy(folder.join("index.db"), folder.join("other")).unwrap();
        rename(folder.join("other"), folder.join("index.db")).unwrap();
    }),
    ("replaced by nothing", |folder| {
        drop(File::create(folder.join("other")).unwrap());
        rename(folder.join("other"), folder.join("index.db")).unwrap();
    }),
    ("emptied", |folder| {
        drop(File::create(folder.join("index.db")).unwrap())
    }),
    ("overwritten", |folder| {
        let mut all = Vec::new();
        File::open(folder.join("index.db"))
            .unwrap()
            .read_to_end(&mut all)
            .unwrap();
        overwrite(&folder.join("index.db"), 0, &vec![0x5A; all.len()]);
    }),
    ("log emptied", |folder| {
        drop(File::create(folder.join("index.db-wal")).unwrap())
    }),
];

#[test]
fn a_server_survives_a_damaged_or_replaced_database() {
    for (what, damage) in UNDER_A_SERVER {
        println!("{what}");
        let place = ClassRepository::new(5);
        place.stdout(&["index"]);
        let mut server = Server::start(&place);
        server.awaits(0, place.classes);
        damage(place.data().path());
        // Pages in memory may answer until an edit reveals the damage.
        for version in 1..4 {
            place.write_all(version);
            server.awaits(version, place.classes);
        }
        assert_eq!(
            server.call("get_status", json!({})).0["healthy"],
            true,
            "{what}"
        );
        wait_until("others cannot read it", || {
            place.callers(3).0 == place.classes
        });
        drop(server);
        place.stdout(&["index"]);
        place.is_as_fresh();
    }
}

#[test]
fn a_newer_index_is_left_alone_and_file_tools_work() {
    let place = ClassRepository::new(5);
    place.stdout(&["index"]);
    overwrite(&place.database(), SCHEMA_AT, &99_u32.to_be_bytes());
    remove_file(place.data().path().join("index.seal")).unwrap();
    for name in ["index.db-wal", "index.db-shm"] {
        remove_file(place.data().path().join(name)).ok();
    }
    let before = std::fs::read(place.database()).unwrap();
    for arguments in [&["index"][..], &["callers", "Hub.Go0"], &["status"]] {
        let output = place.run(arguments);
        let text = all_output(&output);
        assert!(
            output.status.code() == Some(5)
                && text.contains("schema 99")
                && text.contains("--rebuild"),
            "{arguments:?}: {output:?}"
        );
    }
    let mut server = Server::start(&place);
    assert!(
        server
            .call("read_file", json!({ "path": "Hub.cs" }))
            .0
            .to_string()
            .contains("class Hub")
    );
    let (answer, is_error) = server.call("get_callers", json!({ "node_id": "Hub.Go0" }));
    assert!(
        is_error && answer.to_string().contains("schema 99"),
        "{answer}"
    );
    drop(server);
    assert!(
        std::fs::read(place.database()).unwrap() == before,
        "it is as it was"
    );
    place.stdout(&["index", "--rebuild"]);
    assert_eq!(place.callers(0).0, place.classes);
}

/// A rollback journal whose pages SQLite would write back.
#[test]
fn a_stale_journal_is_removed_and_a_link_is_named() {
    let place = ClassRepository::new(5);
    place.stdout(&["index"]);
    let folder = place.data().path().to_owned();
    let mut journal = vec![
        0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7, 0xff, 0xff, 0xff, 0xff,
    ];
    journal.resize(16_384, 0x5A);
    std::fs::write(folder.join("index.db-journal"), &journal).unwrap();
    assert_eq!(place.callers(0).0, place.classes);
    std::fs::write(folder.join("index.db-journal"), &journal).unwrap();
    place.stdout(&["index"]);
    place.is_as_fresh();

    remove_file(folder.join("index.db-shm")).ok();
    std::os::unix::fs::symlink("/nowhere", folder.join("index.db-shm")).unwrap();
    for command in ["index", "status", "callers"] {
        let arguments = if command == "callers" {
            vec![command, "Hub.Go0"]
        } else {
            vec![command]
        };
        let text = all_output(&place.run(&arguments));
        assert!(
            text.contains("index.db-shm is a link") && text.contains("remove it"),
            "{command}: {text}"
        );
    }
    remove_file(folder.join("index.db-shm")).unwrap();
    assert_eq!(place.callers(0).0, place.classes);
}

/// With few open files, SQLite cannot open the database; that does not mean that there is no index.
#[test]
fn an_index_that_cannot_be_opened_is_not_reported_as_missing() {
    let place = ClassRepository::new(5);
    place.stdout(&["index"]);
    for limit in 5..24 {
        for command in ["index", "callers"] {
            let arguments = if command == "callers" {
                vec![command, "Hub.Go0"]
            } else {
                vec![command]
            };
            let output = bounded(&format!("ulimit -n {limit}"), &place.command(&arguments))
                .output()
                .unwrap();
            let text = all_output(&output);
            assert!(
                output.status.success()
                    || !text.contains("no index yet") && !text.contains("CODEAGENT_DATA_DIR"),
                "{limit}: {text}"
            );
        }
    }
    place.is_as_fresh();
}
