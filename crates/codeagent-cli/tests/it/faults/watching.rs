//! Missing and excessive file events: a full queue, a paused process, the system's limits, storms
//! in ignored folders.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::support::{ClassRepository, Running, Server, all_output, bounded, inside, until};

/// Returns the maximum number of events that the system queues.
fn longest_queue() -> usize {
    std::fs::read_to_string("/proc/sys/fs/inotify/max_queued_events")
        .unwrap()
        .trim()
        .parse()
        .unwrap()
}

#[test]
fn a_resumed_daemon_sees_changes_made_while_paused() {
    let place = ClassRepository::new(10);
    let owner = place.daemon();
    place.awaits(0, place.classes);
    for (version, notices) in [(1, 0), (2, longest_queue() + 1000)] {
        owner.pause();
        // Each of these files causes three events and is not indexed.
        for number in 0..notices / 3 + 1 {
            place.write(&format!("notes/{number}.txt"), "x");
        }
        place.write_all(version);
        place.write(
            "late/r/L.cs",
            &format!("class L {{ void M(Hub hub) => hub.Go{version}(); }}"),
        );
        owner.signal("-CONT");
        let began = Instant::now();
        place.awaits(version, place.classes + 1);
        println!("after {notices} notices known within {:?}", began.elapsed());
    }
    owner.kill();
    place.is_as_fresh();
}

/// Asserts that a server without watches keeps the index up to date by polling, and says so.
fn is_looked_at(limit: &str) {
    let place = ClassRepository::new(5);
    let mut server = Server::of(&mut bounded(limit, &place.command(&["mcp"])));
    server.awaits(0, place.classes);
    let (status, _) = server.call("get_status", json!({}));
    assert!(
        status.to_string().contains("limit of watches") && status.to_string().contains("polling"),
        "{status}"
    );
    for version in 1..3 {
        place.write_all(version);
        place.write(
            &format!("more{version}/N.cs"),
            &format!("class N{version} {{ void M(Hub hub) => hub.Go{version}(); }}"),
        );
        server.awaits(version, place.classes + 1);
    }
    let answer = bounded(limit, &place.command(&["status"]))
        .output()
        .unwrap();
    assert!(
        all_output(&answer).contains("watched by process "),
        "{answer:?}"
    );
}

#[test]
fn without_watcher_instances_a_server_polls_and_says_so() {
    if inside("faults::watching::without_watcher_instances_a_server_polls_and_says_so") {
        is_looked_at("echo 0 > /proc/sys/user/max_inotify_instances");
    }
}

#[test]
fn with_too_few_watches_a_server_polls_and_says_so() {
    if inside("faults::watching::with_too_few_watches_a_server_polls_and_says_so") {
        is_looked_at("echo 1 > /proc/sys/user/max_inotify_watches");
    }
}

#[test]
fn the_users_ignore_rules_take_effect_in_a_running_server() {
    let place = ClassRepository::new(5);
    let user = place.folder.path().join("user");
    let rules = user.join(".config/git/ignore");
    std::fs::create_dir_all(rules.parent().unwrap()).unwrap();
    let mut server = Server::of(
        place
            .command(&["mcp"])
            .env("HOME", &user)
            .env_remove("XDG_CONFIG_HOME"),
    );
    server.awaits(0, place.classes);
    for (text, classes) in [
        ("C1.cs\n", place.classes - 1),
        ("", place.classes),
        ("C1.cs\nC2.cs\n", place.classes - 2),
    ] {
        std::fs::write(&rules, text).unwrap();
        assert_eq!(
            server.callers(0).0,
            classes,
            "the first question knows {text:?}"
        );
    }
    // Another ignore file.
    std::fs::write(user.join("mine"), "C3.cs\n").unwrap();
    std::fs::write(user.join(".gitconfig"), "[core]\n\texcludesFile = ~/mine\n").unwrap();
    assert_eq!(server.callers(0).0, place.classes - 1);
    std::fs::remove_file(user.join("mine")).unwrap();
    assert_eq!(server.callers(0).0, place.classes);
}

/// Returns the generation, which counts batches.
fn generation(place: &ClassRepository) -> Value {
    let engine = codeagent_core::engine::IndexReader::open(
        &place.root(),
        &codeagent_workspace::DataRoot::at(&place.home),
    )
    .unwrap();
    let snapshot = engine.snapshot().unwrap();
    codeagent_core::store::metadata(&snapshot, codeagent_core::store::GENERATION)
        .unwrap()
        .into()
}

#[test]
fn ignored_events_and_own_writes_cause_no_indexing() {
    let mut place = ClassRepository::new(10);
    // Not even an index inside the repository counts as a change.
    place.home = place.root().join(".codeagent/indexes");
    place.write("App.csproj", "<Project Sdk=\"Microsoft.NET.Sdk\" />");
    place.write(".gitignore", "out/\n*.log\n");
    for folder in ["node_modules/x", "obj", "bin", "out"] {
        place.write(&format!("{folder}/first.cs"), "class First { }");
    }
    let owner = place.daemon();
    place.awaits(0, place.classes);
    place.write_all(1);
    place.awaits(1, place.classes);
    let (before, ticks) = (generation(&place), owner.ticks());
    let began = Instant::now();
    for number in 0..4000 {
        let folder = ["node_modules/x", "node_modules/y/z", "obj", "bin", "out"][number % 5];
        place.write(&format!("{folder}/{number}.cs"), "class N { }");
    }
    while began.elapsed() < Duration::from_secs(2) {
        std::thread::sleep(Duration::from_millis(50));
    }
    let share = (owner.ticks() - ticks) as f64 / 100.0 / began.elapsed().as_secs_f64();
    println!("{:.1} % of a processor", share * 100.0);
    assert!(share < 0.05, "{share}");
    assert_eq!(generation(&place), before, "nothing was indexed");
    place.write_all(2);
    place.awaits(2, place.classes);
    owner.kill();
    place.is_as_fresh();
}

/// A suspended process answers no client; commands that wait for it say so.
#[test]
fn index_and_daemon_status_name_a_suspended_writer() {
    let place = ClassRepository::new(5);
    let owner = place.daemon();
    owner.pause();
    let mut waiting = Running(
        place
            .command(&["index"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap(),
    );
    let mut line = String::new();
    BufReader::new(waiting.0.stderr.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert!(
        line.contains(&format!("process {}", owner.0.id())) && line.contains("does not answer"),
        "{line}"
    );
    let status = place.stdout(&["daemon", "status"]);
    assert!(status.contains("does not answer"), "{status}");
    owner.signal("-CONT");
    assert!(until("it still waits", || waiting.0.try_wait().unwrap()).success());
    let status = place.stdout(&["daemon", "status"]);
    assert!(status.contains("watching: process"), "{status}");
}
