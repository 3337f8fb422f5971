//! Wrong clocks and wrong modification times of files.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use super::support::ClassRepository;

const DAY: u64 = 86_400;

fn set_time(place: &ClassRepository, path: &str, time: SystemTime) {
    File::options()
        .write(true)
        .open(place.root().join(path))
        .unwrap()
        .set_modified(time)
        .unwrap();
}

#[test]
fn wrong_file_times_hide_no_edit() {
    let place = ClassRepository::new(5);
    let now = SystemTime::now();
    let times = [
        SystemTime::UNIX_EPOCH,
        now - Duration::from_secs(DAY),
        now + Duration::from_secs(DAY),
        now + Duration::from_secs(DAY * 365 * 50),
    ];
    let owner = place.daemon();
    for (index, time) in times.into_iter().enumerate() {
        for version in [index * 2, index * 2 + 1] {
            // The files keep their size and modification time.
            place.write_all(version);
            for class in 0..place.classes {
                set_time(&place, &format!("c/C{class}.cs"), time);
            }
            place.awaits(version, place.classes);
        }
    }
    owner.kill();
    // Again without a daemon that gets events.
    for (index, time) in times.into_iter().enumerate() {
        for version in [index * 2, index * 2 + 1] {
            place.write_all(version);
            for class in 0..place.classes {
                set_time(&place, &format!("c/C{class}.cs"), time);
            }
            place.stdout(&["index"]);
            assert_eq!(place.callers(version).0, place.classes, "{time:?}");
        }
    }
    place.is_as_fresh();
}

/// A library that shifts the clock of the process that loads it by `CLOCK_SHIFT` seconds.
const SHIFTED: &str = r#"
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = syscall(SYS_clock_gettime, clock, time);
    const char *shift = getenv("CLOCK_SHIFT");
    if (clock == CLOCK_REALTIME && shift) time->tv_sec += atol(shift);
    return result;
}
"#;

/// Compiles the library; returns `None` if there is no C compiler.
fn shifted_clock(folder: &Path) -> Option<PathBuf> {
    let (source, library) = (folder.join("clock.c"), folder.join("clock.so"));
    std::fs::write(&source, SHIFTED).unwrap();
    let made = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&library, &source])
        .status();
    made.is_ok_and(|made| made.success()).then_some(library)
}

#[test]
fn a_clock_jump_hides_no_edit() {
    let place = ClassRepository::new(5);
    let Some(library) = shifted_clock(place.folder.path()) else {
        println!("not tried: there is no compiler of C");
        return;
    };
    let run = |shift: i64, arguments: &[&str]| {
        let mut command = place.command(arguments);
        let output = command
            .env("LD_PRELOAD", &library)
            .env("CLOCK_SHIFT", shift.to_string())
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let now = i64::try_from(
        SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap()
            .as_secs(),
    )
    .unwrap();
    let day = DAY as i64;
    for (version, shift) in [0, day, -day, 0, -now, 50 * 365 * day, 0]
        .into_iter()
        .enumerate()
    {
        place.write_all(version);
        let printed = run(shift, &["index"]);
        // The duration must not include the shift.
        assert!(
            !printed.contains('-') && printed.contains(" s"),
            "{printed}"
        );
        assert_eq!(place.callers(version).0, place.classes, "{shift}");
        let status = run(shift, &["status"]);
        let year = if shift == -now {
            "last update: 1970-01-01"
        } else {
            "last update: 20"
        };
        assert!(status.contains(year), "{shift}: {status}");
        assert!(run(0, &["index"]).starts_with("nothing changed"), "{shift}");
    }
    place.is_as_fresh();
}
