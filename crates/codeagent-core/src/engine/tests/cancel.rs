//! A batch that is cancelled ends soon, even while a costly site is being resolved.

use std::time::{Duration, Instant};

use super::*;
use crate::ingest::Phase;

/// Types without end, of which each use takes all the steps of a site.
const ENDLESS: &str = "class Own { run(): void { } }
type Endless<T> = T extends Own ? T : Endless<[T, 1]> | Endless<[T, 2]>;
declare function grow<T>(value: T): Endless<T>;
";

#[test]
#[allow(clippy::disallowed_methods, reason = "writes the repository")]
fn a_file_that_takes_long_is_left_early() {
    let root = tempfile::tempdir().unwrap();
    let uses: String = (0..100)
        .map(|number| format!("grow({number}).run();\n"))
        .collect();
    std::fs::write(root.path().join("a.ts"), format!("{ENDLESS}{uses}")).unwrap();

    let whole = timed(root.path(), None);
    assert_eq!(whole.1, None);

    let (took, error) = timed(root.path(), Some(whole.0 / 20));
    assert_eq!(error, Some(ErrorKind::Interrupted));
    assert!(took < whole.0 / 2, "{took:?} of {:?}", whole.0);
}

/// Indexes a repository, cancelling the batch some time after it begins to resolve; returns how long
/// it resolved.
fn timed(root: &Path, after: Option<Duration>) -> (Duration, Option<ErrorKind>) {
    let home = tempfile::tempdir().unwrap();
    let options = EngineOptions {
        home: DataRoot::at(home.path()),
        ..EngineOptions::default()
    };
    let cancel = Arc::clone(&options.ingest.cancel);
    let engine = Engine::open(root, options).unwrap();

    let began = Mutex::new(Instant::now());
    let indexed = engine.index(&|progress| {
        if progress.phase != Phase::Link {
            return;
        }
        *unpoisoned(&began) = Instant::now();
        let Some(after) = after else { return };
        let cancel = Arc::clone(&cancel);
        std::thread::spawn(move || {
            std::thread::sleep(after);
            cancel.store(true, Ordering::Relaxed);
        });
    });

    let took = unpoisoned(&began).elapsed();
    (took, indexed.err().map(|error| error.kind()))
}
