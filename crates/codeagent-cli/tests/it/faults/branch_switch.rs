//! Queries while hundreds of files are replaced: no errors, and no answer mixes old and new
//! content.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::support::{ClassRepository, Server, all_output, number};

fn git(root: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command
        .args([
            "-c",
            "user.name=x",
            "-c",
            "user.email=x@x",
            "-c",
            "commit.gpgsign=false",
        ])
        .args(arguments)
        .current_dir(root);
    let output = command
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        all_output(&output)
    );
}

/// Writes classes that each call twice, in lines that contain the version.
fn write_all(place: &ClassRepository, version: usize) {
    for class in 0..place.classes {
        let lines = "\n".repeat(version * 10);
        place.write(
            &format!("d{}/C{class}.cs", class % 20),
            &format!("{lines}class C{class} {{ void M(Hub hub) {{\n hub.Go();\n hub.Go(); }} }}"),
        );
    }
}

/// Returns the version that each row of an answer shows, asserting that no row mixes two.
fn versions(answer: &Value) -> Vec<usize> {
    let rows = answer["results"]
        .as_array()
        .unwrap_or_else(|| panic!("{answer}"));
    let of_row = |row: &Value| {
        let lines: Vec<u64> = row["call_sites"]
            .as_array()
            .unwrap()
            .iter()
            .map(|site| site["line"].as_u64().unwrap())
            .collect();
        assert!(lines == [2, 3] || lines == [12, 13], "{row}");
        usize::from(lines[0] > 10)
    };
    rows.iter().map(of_row).collect()
}

#[test]
fn queries_during_a_checkout_never_mix_versions() {
    let place = ClassRepository::unwritten(number("CODEAGENT_BRANCH", 300));
    place.write("Hub.cs", "public class Hub { public void Go() { } }");
    git(&place.root(), &["init", "-q", "-b", "main"]);
    for (version, branch) in [(0, "main"), (1, "other")] {
        write_all(&place, version);
        git(&place.root(), &["checkout", "-q", "-B", branch]);
        git(&place.root(), &["add", "."]);
        git(&place.root(), &["commit", "-qm", "x"]);
    }
    let mut servers: Vec<Server> = (0..8).map(|_| Server::start(&place)).collect();
    let ask = json!({ "node_id": "Hub.Go" });
    for server in &mut servers {
        while server.call("get_callers", ask.clone()).1 {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let asking: Vec<_> = servers
            .iter_mut()
            .map(|server| {
                scope.spawn(|| {
                    let mut asked = 0;
                    while !is_done.load(Ordering::Relaxed) {
                        let (answer, is_error) = server.call("get_callers", ask.clone());
                        assert!(!is_error, "{answer}");
                        versions(&answer);
                        asked += 1;
                    }
                    asked
                })
            })
            .collect();
        for branch in ["main", "other", "main"] {
            git(&place.root(), &["checkout", "-q", branch]);
        }
        is_done.store(true, Ordering::Relaxed);
        let asked: Vec<i32> = asking
            .into_iter()
            .map(|asking| asking.join().unwrap())
            .collect();
        println!("asked meanwhile: {asked:?}");
    });
    for server in &mut servers {
        let versions = super::support::until("it is not known", || {
            let (answer, _) = server.call("get_callers", ask.clone());
            Some(versions(&answer)).filter(|versions| versions.iter().all(|version| *version == 0))
        });
        assert!(versions.len() > 10, "{versions:?}");
    }
    drop(servers);
    place.is_as_fresh();
}
