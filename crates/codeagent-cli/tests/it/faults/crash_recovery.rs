//! Recovery after a process is killed or the power fails, at random moments.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::support::{ClassRepository, Random, all_output, is_admitted, times};

/// Size in bytes of the log's header, of a frame's header, and of a page.
const LOG_HEAD: usize = 32;
const FRAME_HEAD: usize = 24;
const PAGE: usize = 8192;

#[test]
fn indexing_resumes_after_the_process_is_killed() {
    let (mut place, mut numbers) = (ClassRepository::new(30), Random(1));
    let began = Instant::now();
    place.stdout(&["index"]);
    let whole = began.elapsed();
    let (mut killed, mut slowest) = (0, Duration::ZERO);
    for round in 0..times(4) {
        // Half of the runs are first indexes, half are updates.
        if round % 2 == 0 {
            place.home = place.folder.path().join(format!("home{round}"));
        }
        place.write_all(round);
        let mut indexing = place
            .command(&["index"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(numbers.part(whole));
        killed += usize::from(indexing.try_wait().unwrap().is_none());
        indexing.kill().ok();
        indexing.wait().unwrap();
        let (count, text) = place.callers(round);
        assert!(
            count == place.classes || is_admitted(&text),
            "{round}: {count} of them: {text}"
        );
        let began = Instant::now();
        place.stdout(&["index"]);
        slowest = slowest.max(began.elapsed());
        assert_eq!(place.callers(round).0, place.classes);
        place.is_as_fresh();
    }
    println!(
        "{killed} were killed; the slowest to go on took {slowest:?}, a first index {whole:?}"
    );
    assert!(killed > 0);
}

#[test]
fn a_killed_rebuild_keeps_the_old_index() {
    let (place, mut numbers) = (ClassRepository::new(30), Random(7));
    place.stdout(&["index"]);
    let began = Instant::now();
    place.stdout(&["index", "--rebuild"]);
    let whole = began.elapsed();
    for round in 0..times(4) {
        let mut rebuilding = place
            .command(&["index", "--rebuild"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(numbers.part(whole));
        rebuilding.kill().ok();
        rebuilding.wait().unwrap();
        let (count, text) = place.callers(0);
        assert_eq!(count, place.classes, "{round}: {text}");
    }
    place.stdout(&["index", "--rebuild"]);
    place.is_as_fresh();
}

#[test]
fn answers_are_complete_after_a_daemon_is_killed() {
    let (place, mut numbers) = (ClassRepository::new(30), Random(2));
    for round in 1..=times(3) {
        let owner = place.daemon();
        place.write_all(round);
        std::thread::sleep(numbers.part(Duration::from_millis(150)));
        owner.kill();
        let (count, text) = place.callers(round);
        assert!(
            count == place.classes || is_admitted(&text),
            "{count}: {text}"
        );
        place.stdout(&["index"]);
        assert_eq!(place.callers(round).0, place.classes);
        place.is_as_fresh();
    }
}

/// Simulates a power failure: frames of the log that were not yet copied to the database are lost
/// or damaged, because they may not have been synced.
fn tear(folder: &Path, numbers: &mut Random) {
    let Ok(mut log) = std::fs::read(folder.join("index.db-wal")) else {
        return;
    };
    let moved = std::fs::read(folder.join("index.db-shm"))
        .ok()
        .and_then(|shared| Some(shared.get(128..132)?.try_into().unwrap()));
    // Without this file, the next process reads the log itself.
    std::fs::remove_file(folder.join("index.db-shm")).ok();
    let synced = LOG_HEAD
        + moved.map_or(0, |moved| u32::from_ne_bytes(moved) as usize) * (FRAME_HEAD + PAGE);
    if log.len() <= synced {
        return;
    }
    let at = synced + numbers.below(log.len() - synced);
    if numbers.below(2) == 0 {
        log.truncate(at);
    } else {
        let end = (at + PAGE).min(log.len());
        log[at..end].fill(0);
    }
    std::fs::write(folder.join("index.db-wal"), log).unwrap();
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from)
        .unwrap()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().unwrap().is_file())
    {
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

#[test]
fn after_a_power_cut_the_index_is_intact_or_rebuilt() {
    let (mut place, mut numbers) = (ClassRepository::new(40), Random(3));
    let home = place.home.clone();
    let owner = place.daemon();
    let (mut anew, mut with_log) = (0, 0);
    for round in 1..=times(4) {
        place.home = home.clone();
        place.write_all(round);
        std::thread::sleep(numbers.part(Duration::from_millis(200)));
        owner.pause();
        let data = place.data();
        place.home = place.folder.path().join(format!("after{round}"));
        let after = place.data();
        copy(data.path(), after.path());
        owner.signal("-CONT");
        with_log += usize::from(
            after
                .path()
                .join("index.db-wal")
                .metadata()
                .is_ok_and(|log| log.len() > 0),
        );
        tear(after.path(), &mut numbers);
        std::fs::remove_file(after.path().join("lock")).ok();
        let indexed = place.run(&["index"]);
        assert!(indexed.status.success(), "{}", all_output(&indexed));
        anew += usize::from(all_output(&indexed).contains("damaged"));
        assert_eq!(place.callers(round).0, place.classes);
        place.is_as_fresh();
        std::fs::remove_dir_all(&place.home).unwrap();
    }
    println!("{with_log} were cut off with a log, {anew} indexes were made anew");
    assert!(with_log > 0);
}
