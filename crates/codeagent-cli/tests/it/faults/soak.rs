//! Long editing under a running server: answers equal those of a fresh index, and memory, open
//! files and log do not grow.

use std::time::{Duration, Instant};

use super::support::{ClassRepository, Random, Server, number};

#[test]
fn a_server_stays_correct_and_small_during_long_editing() {
    let seconds = number("CODEAGENT_SOAK", 3) as u64;
    let (place, mut numbers) = (ClassRepository::new(30), Random(5));
    let mut server = Server::start(&place);
    server.awaits(0, place.classes);
    let mut versions = vec![0; place.classes];
    let (mut edits, mut compared, mut early) = (0, 0, None);
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(seconds) || compared == 0 {
        let class = numbers.below(place.classes);
        match numbers.below(8) {
            0 => {
                let other = numbers.below(1000);
                place.write(&format!("x/{}/X{other}.cs", other % 7), &format!("class X{other} {{ C{class} c; }}"));
            }
            1 => drop(std::fs::remove_dir_all(place.root().join(format!("x/{}", numbers.below(7))))),
            2 => place
                .write("Hub.cs", &format!("public class Hub {{ public void Go0() {{ }} public int N{edits}; public void Go1() {{ }} }}")),
            3 => {
                let path = place.root().join(format!("c/C{class}.cs"));
                std::fs::rename(&path, path.with_extension("tmp")).unwrap();
                std::fs::rename(path.with_extension("tmp"), &path).unwrap();
            }
            _ => {
                versions[class] = numbers.below(2);
                place.write_class(class, versions[class]);
            }
        }
        edits += 1;
        if edits % 10 == 0 {
            place.write(
                "Hub.cs",
                "public class Hub { public void Go0() { } public void Go1() { } }",
            );
            for version in 0..2 {
                let expected = versions.iter().filter(|now| **now == version).count();
                let (count, answer) = server.callers(version);
                assert_eq!(count, expected, "after {edits} edits: {answer}");
            }
            compared += 1;
        }
        let holds = server.running.holds();
        let (memory, files) = *early.get_or_insert(holds);
        // The server first grows to its working size.
        if began.elapsed() < Duration::from_secs(seconds) / 5 {
            early = Some((memory.max(holds.0), files.max(holds.1)));
            continue;
        }
        assert!(
            holds.0 < memory + memory / 4 + 20_000 && holds.1 <= files + 4,
            "after {edits} edits {holds:?}, early {memory} {files}"
        );
        let log = place
            .data()
            .path()
            .join("index.db-wal")
            .metadata()
            .map_or(0, |log| log.len());
        assert!(log <= 64 << 20, "a log of {log} bytes after {edits} edits");
    }
    println!(
        "{edits} edits, compared {compared} times, early {early:?}, at last {:?}",
        server.running.holds()
    );
    drop(server);
    place.is_as_fresh();
}
