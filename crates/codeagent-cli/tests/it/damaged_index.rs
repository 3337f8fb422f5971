//! Damaged indexes: each copy of a good index is damaged in one place and must still answer as the
//! good one does, at once or after being rebuilt.
//!
//! `DAMAGED_COUNT` sets the number of copies, `DAMAGED_SEED` the seed. Every second copy gets a
//! matching clean-shutdown marker (see `codeagent-workspace/src/integrity.rs`), as if the storage
//! had decayed; there, only `codeagent status --verify` finds a wrong but valid value.
//!
//! Limitations: the index is always that of `tests/shop`.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use crate::shop;

use codeagent_testkit::random::Random;
use codeagent_workspace::DataRoot;

const PAGE: usize = 8192;

const QUESTIONS: &[&[&str]] = &[
    &["export", "--format", "tsv", "--out", "OUT"],
    &["callers", "PriceCalculator.Price"],
    &["search", "order total"],
    &["outline", "src/Shop.Domain/Order.Status.cs"],
    &["implementations", "IOrderService"],
    &["status"],
];

/// Files written by the first query, which prints nothing.
const TABLES: &[&str] = &[
    "out.symbols.tsv",
    "out.calls.tsv",
    "out.inherits.tsv",
    "out.refs.tsv",
];

fn damaged(bytes: &mut Vec<u8>, numbers: &mut Random) -> &'static str {
    let pages = bytes.len() / PAGE;
    let at = numbers.below(bytes.len());
    match numbers.below(6) {
        0 => {
            bytes.truncate(at);
            "truncated"
        }
        1 => {
            let start = at / PAGE * PAGE;
            bytes[start..start + PAGE].fill(0);
            "zeroed page"
        }
        2 => {
            let (a, b) = (at / PAGE * PAGE, numbers.below(pages) * PAGE);
            let page = bytes[a..a + PAGE].to_vec();
            bytes.copy_within(b..b + PAGE, a);
            bytes[b..b + PAGE].copy_from_slice(&page);
            "swapped pages"
        }
        3 => {
            bytes[at] ^= 1 << numbers.below(8);
            "flipped bit"
        }
        _ => {
            let end = (at + 64).min(bytes.len());
            bytes[at..end].fill_with(|| numbers.below(256) as u8);
            "random bytes"
        }
    }
}

struct IndexedRepository {
    root: PathBuf,
    home: PathBuf,
}

impl IndexedRepository {
    fn command(&self, arguments: &[&str]) -> Command {
        let out = self.home.join("out");
        let arguments = arguments.iter().map(|argument| {
            if *argument == "OUT" {
                out.to_str().unwrap()
            } else {
                argument
            }
        });
        let mut command = Command::new(env!("CARGO_BIN_EXE_codeagent"));
        command
            .args(arguments)
            .arg("--root")
            .arg(&self.root)
            .env("CODEAGENT_DATA_DIR", &self.home)
            .env_remove("CODEAGENT_LOG");
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Asserts that three concurrent processes get an answer and none reports damage.
    fn is_read_by_all(&self) {
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    let output = self.run(&["callers", "PriceCalculator.Price"]);
                    let (printed, notes) = (
                        String::from_utf8_lossy(&output.stdout),
                        String::from_utf8_lossy(&output.stderr),
                    );
                    assert!(
                        printed.contains("OrderService.Place") && !notes.contains("damaged"),
                        "{printed}{notes}"
                    );
                });
            }
        });
    }

    /// Returns the paths of the index and its clean-shutdown marker.
    fn files(&self) -> (PathBuf, PathBuf) {
        let data = DataRoot::at(&self.home).data_dir(&self.root).unwrap();
        (data.path().join("index.db"), data.path().join("index.seal"))
    }

    /// Returns all answers, and whether any query reported damage.
    fn answers(&self) -> (Vec<String>, bool) {
        let mut noticed = false;
        let mut answers: Vec<String> = Vec::new();
        for file in TABLES {
            // Remove what an earlier call wrote.
            std::fs::remove_file(self.home.join(file)).ok();
        }
        for question in QUESTIONS {
            let output = self.run(question);
            noticed |= String::from_utf8_lossy(&output.stderr).contains("damaged");
            // The time of the last update differs from run to run.
            let printed = String::from_utf8_lossy(&output.stdout).into_owned();
            answers.push(
                printed
                    .lines()
                    .filter(|line| !line.contains("last update"))
                    .collect::<Vec<_>>()
                    .join("\n"),
            );
        }
        for file in TABLES {
            answers.push(std::fs::read_to_string(self.home.join(file)).unwrap_or_default());
        }
        (answers, noticed)
    }
}

/// Makes the clean-shutdown marker match the size and time of a damaged file.
fn reseal(database: &Path, seal: &Path) {
    let metadata = database.metadata().unwrap();
    let changed = metadata.ctime() * 1_000_000_000 + metadata.ctime_nsec();
    let text = std::fs::read_to_string(seal).unwrap();
    let hash = text.split_whitespace().last().unwrap();
    std::fs::write(
        seal,
        format!("{} {changed} {} {hash}\n", metadata.len(), metadata.ino()),
    )
    .unwrap();
}

#[test]
fn damaged_indexes_are_detected_and_rebuilt() {
    let number = |name: &str, or: u64| std::env::var(name).map_or(or, |text| text.parse().unwrap());
    let (count, mut numbers) = (
        number("DAMAGED_COUNT", 16),
        Random(number("DAMAGED_SEED", 1)),
    );
    let folder = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/shop")
        .canonicalize()
        .unwrap();
    let place = IndexedRepository {
        root,
        home: folder.path().to_owned(),
    };
    assert!(place.run(&["index"]).status.success());
    let (database, seal) = place.files();
    let (good, sealed) = (
        std::fs::read(&database).unwrap(),
        std::fs::read(&seal).unwrap(),
    );
    let (expected, _) = place.answers();
    assert!(
        expected[1..].iter().all(|answer| !answer.is_empty()),
        "every question has an answer"
    );
    let mut outcomes = [[0; 3]; 2];
    for index in 0..count {
        let behind = index % 2 == 1;
        let mut bytes = good.clone();
        let what = damaged(&mut bytes, &mut numbers);
        std::fs::write(&database, &bytes).unwrap();
        std::fs::write(&seal, &sealed).unwrap();
        if behind {
            reseal(&database, &seal);
        }
        let (answers, noticed) = place.answers();
        let outcome = if answers != expected {
            2
        } else {
            usize::from(!noticed)
        };
        outcomes[usize::from(behind)][outcome] += 1;
        if outcome == 2 {
            println!(
                "{index}: {what} answers wrongly{}",
                if behind { ", behind the seal" } else { "" }
            );
            place.run(&["status", "--verify"]);
        }
        let (answers, _) = place.answers();
        assert!(
            outcome != 2 || answers == expected,
            "{index}: {what} is not healed by status --verify"
        );
    }
    let [
        [healed, harmless, wrong],
        [healed_behind, harmless_behind, wrong_behind],
    ] = outcomes;
    println!(
        "{count} damaged: {healed} noticed and healed, {harmless} answer rightly, {wrong} wrongly;"
    );
    println!(
        "of these behind the seal: {healed_behind} noticed and healed, {harmless_behind} answer rightly, {wrong_behind} wrongly"
    );
    assert_eq!(wrong, 0, "what touches the file is seen");
    assert!(
        wrong_behind * 4 <= count,
        "what the storage does is mostly seen"
    );
}

#[test]
fn an_intact_index_survives_killed_writers() {
    let (folder, root) = (tempfile::tempdir().unwrap(), shop::copy(""));
    let place = IndexedRepository {
        root: root.path().canonicalize().unwrap(),
        home: folder.path().to_owned(),
    };
    assert!(place.run(&["index"]).status.success());
    let (database, seal) = place.files();
    let number = database.metadata().unwrap().ino();
    for round in 0..4 {
        let mut writer = place
            .command(&["watch"])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while !String::from_utf8_lossy(&place.run(&["status"]).stdout)
            .contains("watched by process ")
        {
            std::thread::sleep(Duration::from_millis(20));
        }
        std::fs::write(
            place.root.join("src/Extra.cs"),
            format!("class Extra{round} {{ }}"),
        )
        .unwrap();
        place.is_read_by_all();
        writer.kill().unwrap();
        writer.wait().unwrap();
        assert!(!seal.exists(), "nobody has closed it");
        place.is_read_by_all();
        place.run(&["status"]);
        assert!(seal.exists(), "who has checked it seals it");
        assert_eq!(
            database.metadata().unwrap().ino(),
            number,
            "it is the same index"
        );
    }
    let verified = place.run(&["status", "--verify"]);
    assert!(
        String::from_utf8_lossy(&verified.stderr).contains("verified: identical to a fresh index"),
        "{verified:?}"
    );
}
