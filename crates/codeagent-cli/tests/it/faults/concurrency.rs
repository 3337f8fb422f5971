//! Many processes, clients and queries on one index at the same time, some of them killed, stuck or
//! cancelled.

use std::io::Write;
use std::process::Stdio;
use std::time::Instant;

use serde_json::json;

use super::support::{ClassRepository, Running, Server, all_output, until, wait_until};

/// Maximum size of the write-ahead log; without checkpoints it would grow with every batch.
const LONGEST_LOG: u64 = 64 << 20;

fn log_bytes(place: &ClassRepository) -> u64 {
    place
        .data()
        .path()
        .join("index.db-wal")
        .metadata()
        .map_or(0, |log| log.len())
}

#[test]
fn one_of_twenty_servers_writes_and_is_replaced_when_killed() {
    let place = ClassRepository::new(10);
    let mut servers: Vec<Server> = (0..20).map(|_| Server::start(&place)).collect();
    servers
        .iter_mut()
        .for_each(|server| server.awaits(0, place.classes));
    for version in 1..4 {
        place.write_all(version);
        let indexed = place.run(&["index"]);
        assert!(indexed.status.success(), "{}", all_output(&indexed));
        servers
            .iter_mut()
            .for_each(|server| server.awaits(version, place.classes));
        let writers: Vec<usize> = (0..servers.len())
            .filter(|at| place.is_kept_by(servers[*at].running.0.id()))
            .collect();
        assert_eq!(writers.len(), 1);
        assert!(log_bytes(&place) < LONGEST_LOG);
        let killed = servers.swap_remove(writers[0]);
        killed.running.kill();
        let began = Instant::now();
        wait_until("nobody takes over", || {
            servers
                .iter()
                .any(|server| place.is_kept_by(server.running.0.id()))
        });
        println!("another after {:?}", began.elapsed());
    }
    place.write_all(4);
    servers
        .iter_mut()
        .for_each(|server| server.awaits(4, place.classes));
    drop(servers);
    place.is_as_fresh();
}

#[test]
fn concurrent_daemon_servers_and_commands_agree() {
    let place = ClassRepository::new(10);
    let mut running: Vec<Running> = Vec::new();
    let mut servers: Vec<Server> = (0..4).map(|_| Server::start(&place)).collect();
    for command in [
        &["daemon", "run"][..],
        &["watch"],
        &["index"],
        &["daemon", "run"],
    ] {
        let mut command = place.command(command);
        running.push(Running(
            command
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap(),
        ));
    }
    servers
        .iter_mut()
        .for_each(|server| server.awaits(0, place.classes));
    for version in 1..4 {
        place.write_all(version);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| place.stdout(&["index"]));
            }
            for server in &mut servers {
                scope.spawn(|| server.awaits(version, place.classes));
            }
        });
        place.awaits(version, place.classes);
        let all: Vec<&Running> = running
            .iter()
            .chain(servers.iter().map(|server| &server.running))
            .collect();
        let writer = until("nobody keeps it", || {
            all.iter().find(|process| place.is_kept_by(process.0.id()))
        });
        // Its lock and its socket are left behind.
        let killed = writer.0.id();
        writer.signal("-KILL");
        servers.retain(|server| server.running.0.id() != killed);
    }
    place.write_all(4);
    place.stdout(&["index"]);
    assert_eq!(place.callers(4).0, place.classes);
    drop((servers, running));
    place.stdout(&["index"]);
    place.is_as_fresh();
}

#[test]
fn a_stuck_client_does_not_block_others() {
    let place = ClassRepository::new(10);
    place.write(
        "notes.txt",
        &"a line that is read and read again\n".repeat(300),
    );
    let mut stuck = Server::start(&place);
    stuck.awaits(0, place.classes);
    assert!(place.is_kept_by(stuck.running.0.id()));
    let (before, _) = stuck.running.holds();
    // A separate thread sends the calls, because the server stops reading while its answers are not
    // read.
    let questions = 1_000;
    std::thread::scope(|scope| {
        let (input, output) = (&mut stuck.input, &mut stuck.output);
        scope.spawn(move || {
            for id in 0..questions {
                let call = json!({ "jsonrpc": "2.0", "id": format!("q{id}"), "method": "tools/call",
                    "params": { "name": "read_file", "arguments": { "path": "notes.txt" } } });
                writeln!(input, "{call}").unwrap();
            }
        });
        for version in 1..4 {
            place.write_all(version);
            place.awaits(version, place.classes);
        }
        let (after, _) = stuck.running.holds();
        println!("{before} kB, with {questions} questions whose answers are not read {after} kB");
        assert!(after < before + 30_000, "{before} kB become {after}");
        let mut line = String::new();
        for _ in 0..questions {
            line.clear();
            assert!(std::io::BufRead::read_line(output, &mut line).unwrap() > 0);
            assert!(line.contains("read again"), "{line}");
        }
    });
    stuck.awaits(3, place.classes);
}

#[test]
fn a_thousand_cancelled_calls_leave_nothing_behind() {
    let place = ClassRepository::new(20);
    let mut server = Server::start(&place);
    server.awaits(0, place.classes);
    let storm = |server: &mut Server, calls: usize| {
        for number in 0..calls {
            let (tool, arguments) = [
                ("search_symbols", json!({ "query": "C* M*" })),
                ("get_callers", json!({ "node_id": "Hub.Go0" })),
                ("get_references", json!({ "node_id": "Hub" })),
                ("get_directory_tree", json!({ "depth": 5 })),
            ][number % 4]
                .clone();
            let id = server.request(
                "tools/call",
                json!({ "name": tool, "arguments": arguments }),
            );
            server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }));
            if number % 50 == 0 {
                // A call that is not cancelled is answered.
                assert_eq!(server.callers(0).0, place.classes);
            }
        }
        server.awaits(0, place.classes);
        (
            server.running.holds(),
            std::fs::read_dir(format!("/proc/{}/task", server.running.0.id()))
                .unwrap()
                .count(),
        )
    };
    let ((memory, files), threads) = storm(&mut server, 200);
    let ((after_memory, after_files), after_threads) = storm(&mut server, 1000);
    println!(
        "{memory} kB, {files} files, {threads} threads; afterwards {after_memory} kB, {after_files} files, {after_threads} threads"
    );
    assert!(
        after_memory < memory + 20_000 && after_files <= files + 8 && after_threads <= threads + 8
    );
    let ticks = server.running.ticks();
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert!(server.running.ticks() - ticks < 10, "no work goes on");
}
