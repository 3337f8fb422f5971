//! The daemon: one per repository, serves every client, and exits on request or when its repository
//! is removed.

use std::time::Duration;

use codeagent_testkit::poll::wait_until;

use super::Shop;
use super::servers::serve;

/// Stops the daemon when the test ends, even if it fails.
struct Ending<'a>(&'a Shop);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.run(&["daemon", "stop"]);
    }
}

/// Returns the number in `.. process 123 ..`.
fn process(printed: &str) -> u32 {
    let number = printed.split_once("process ").unwrap().1;
    number
        .split(|c: char| !c.is_ascii_digit())
        .next()
        .unwrap()
        .parse()
        .unwrap()
}

/// Counts the threads of a process that are named as those of the pool.
#[cfg(target_os = "linux")]
fn workers(process: u32) -> usize {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).unwrap();
    threads
        .filter_map(|thread| std::fs::read_to_string(thread.ok()?.path().join("comm")).ok())
        .filter(|name| name.starts_with("codeagent-worke"))
        .count()
}

#[test]
fn one_daemon_serves_all_clients_until_it_is_stopped() {
    let shop = Shop::new();
    let _ending = Ending(&shop);
    assert_eq!(shop.stdout(&["daemon", "status"]), "not watching\n");
    assert_eq!(shop.stdout(&["daemon", "stop"]), "no daemon is running\n");
    let begun = shop.stdout(&["daemon", "start", "--threads", "3"]);
    let number = process(&begun);
    assert!(
        begun.starts_with(&format!(
            "watching: process {number} (codeagent daemon), since 20"
        )),
        "{begun}"
    );
    let log = shop.data().log_path().unwrap();
    assert!(begun.contains(&format!("log {}", log.display())), "{begun}");
    #[cfg(target_os = "linux")]
    {
        let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).unwrap();
        let session = stat
            .rsplit_once(')')
            .unwrap()
            .1
            .split_whitespace()
            .nth(3)
            .unwrap()
            .to_owned();
        assert_eq!(session, number.to_string(), "a session of its own");
        // A thread has its name once it has run.
        wait_until("it has as many workers as it was told", || {
            workers(number) == 3
        });
    }
    let again = shop.stdout(&["daemon", "start"]);
    assert!(
        again.starts_with(&format!(
            "already watching: process {number} (codeagent daemon)"
        )),
        "{again}"
    );
    assert!(
        shop.stdout(&["daemon", "status"])
            .starts_with(&format!("watching: process {number} "))
    );
    let json: serde_json::Value =
        serde_json::from_str(&shop.stdout(&["daemon", "status", "--json"])).unwrap();
    assert_eq!(
        (&json["watching"], &json["process"], &json["command"]),
        (&true.into(), &number.into(), &"daemon".into()),
        "{json}"
    );

    let path = shop.root.path().join("src/Shop.Services/Extra.cs");
    std::fs::write(
        path,
        "class Extra { void Go(Shop.Services.PriceCalculator prices) => prices.Price(null); }",
    )
    .unwrap();
    let printed = shop.stdout(&["index"]);
    assert!(printed.contains("by the process that watches"), "{printed}");
    assert!(
        shop.stdout(&["callers", "PriceCalculator.Price"])
            .contains("Extra.Go")
    );

    assert_eq!(
        shop.stdout(&["daemon", "stop"]),
        format!("stopped process {number}\n")
    );
    assert_eq!(shop.stdout(&["daemon", "stop"]), "no daemon is running\n");
    assert!(shop.data().is_untouched(), "it was closed in good order");
    shop.data().lock_writer().unwrap();
    let log = std::fs::read_to_string(log).unwrap();
    assert!(
        log.contains("watching") && log.contains("asked to stop"),
        "{log}"
    );
}

#[test]
fn concurrent_starts_leave_one_daemon() {
    let shop = Shop::new();
    let _ending = Ending(&shop);
    let printed: Vec<String> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| shop.stdout(&["daemon", "start"])))
            .collect();
        running
            .into_iter()
            .map(|running| running.join().unwrap())
            .collect()
    });
    let number = process(&shop.stdout(&["daemon", "status"]));
    assert!(
        printed.iter().all(|printed| process(printed) == number),
        "{printed:?}"
    );
    assert_eq!(
        printed
            .iter()
            .filter(|printed| printed.starts_with("watching"))
            .count(),
        1,
        "{printed:?}"
    );
}

#[test]
fn probing_the_index_lock_does_not_stop_a_daemon() {
    let shop = Shop::new();
    let _ending = Ending(&shop);
    let looked = shop.data().lock_writer().unwrap();
    let mut daemon = shop.command(&["daemon", "run"]).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    drop(looked);
    wait_until("it keeps the index", || {
        shop.stdout(&["daemon", "status"])
            .contains(&format!("process {} ", daemon.id()))
    });
    shop.stdout(&["daemon", "stop"]);
    assert_eq!(daemon.wait().unwrap().code(), Some(0));
}

#[test]
fn daemon_commands_name_a_running_server_and_leave_it_running() {
    let shop = Shop::new();
    let mut server = serve(&shop);
    wait_until("the server lets nobody in", || {
        shop.stdout(&["daemon", "status"])
            .contains("(codeagent mcp)")
    });
    let named = format!("process {} (codeagent mcp)", server.id());
    assert!(
        shop.stdout(&["daemon", "start"])
            .starts_with(&format!("already watching: {named}"))
    );
    let printed = shop.stdout(&["daemon", "stop"]);
    assert!(
        printed.starts_with("no daemon is running; another process keeps the index up to date")
            && printed.contains(&named),
        "{printed}"
    );
    assert!(server.try_wait().unwrap().is_none());
    drop(server.stdin.take());
    assert_eq!(server.wait().unwrap().code(), Some(0));
}

#[test]
fn daemon_start_names_a_writer_without_an_endpoint() {
    let shop = Shop::new();
    let _lock = shop.data().lock_writer().unwrap();
    let (code, printed) = shop.failure(&["daemon", "start"]);
    assert!(
        code == 4
            && printed.contains(&format!(
                "another codeagent (process {}) is writing",
                std::process::id()
            )),
        "{code} {printed}"
    );
}

/// Reports whether a process is running; a zombie is not.
#[cfg(target_os = "linux")]
fn is_running(number: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{number}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

#[cfg(target_os = "linux")]
#[test]
fn a_daemon_exits_when_its_repository_is_removed() {
    // The data folder may be inside the repository and vanish with it.
    for home in ["home", "root/.home"] {
        let outer = tempfile::tempdir().unwrap();
        let (root, home) = (outer.path().join("root"), outer.path().join(home));
        std::fs::create_dir(&root).unwrap();
        std::fs::write(root.join("a.cs"), "class A { }").unwrap();
        let data = codeagent_workspace::DataRoot::at(&home)
            .data_dir(&root.canonicalize().unwrap())
            .unwrap();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_codeagent"));
        command
            .args(["daemon", "start", "--root"])
            .arg(&root)
            .env("CODEAGENT_DATA_DIR", &home)
            .env_remove("XDG_RUNTIME_DIR");
        let begun = command.output().unwrap();
        assert!(begun.status.success(), "{begun:?}");
        let number = process(&String::from_utf8(begun.stdout).unwrap());
        std::fs::remove_dir_all(&root).unwrap();
        wait_until("it goes on", || !is_running(number));
        if !home.starts_with(&root) {
            let log = std::fs::read_to_string(data.log_path().unwrap()).unwrap();
            assert!(
                log.contains("the repository's folder no longer exists"),
                "{log}"
            );
        }
    }
}
