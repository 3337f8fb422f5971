//! Reading files of any bytes, any length and any lines, and files that change while they are read,
//! in all five profiles.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::profiles::support::{Beside, Session, text_of};

/// Reads a file in a profile; returns its text, or the code of the error.
async fn read(beside: &Beside, profile: &str, path: &str) -> Result<String, String> {
    let (tool, arguments, content) = match profile {
        "index" => ("read_file", json!({ "path": path }), "/content"),
        "assistant" => (
            "read_file",
            json!({ "path": path, "max_bytes": 1 << 20 }),
            "/content",
        ),
        "workspace" => (
            "read_file",
            json!({ "file": path, "maxBytes": 1 << 20 }),
            "/data/content",
        ),
        _ => (
            "local_fetch_content",
            json!({ "queries": [{ "path": path, "minified": false, "charLength": 10_000 }] }),
            "",
        ),
    };
    let answer = beside.call(tool, arguments).await;
    let text = answer.as_ref().map(text_of).unwrap_or_default();
    let reply = answer.as_ref().ok().and_then(|result| {
        result
            .structured_content
            .as_ref()?
            .pointer(content)?
            .as_str()
            .map(str::to_owned)
    });
    let quoted = || {
        text.lines()
            .find_map(|line| line.trim_start().strip_prefix("content: "))
            .map(|line| serde_json::from_str(line).unwrap())
    };
    match reply.or_else(quoted) {
        Some(reply) => Ok(reply),
        None if text.contains("status: \"empty\"") => Ok(String::new()),
        None => Err(crate::profiles::support::word(answer)),
    }
}

const READERS: [&str; 4] = ["index", "assistant", "workspace", "local"];

/// Bytes, and the result of reading them in each of the four profiles in [`READERS`].
type Row<'a> = (&'a str, Vec<u8>, [Result<&'a str, &'a str>; 4]);

#[tokio::test]
async fn every_profile_reads_bytes_of_any_kind_or_refuses_them() {
    let utf16 = |unit: fn(u16) -> [u8; 2], mark: bool| {
        mark.then_some(0xfeff)
            .into_iter()
            .chain("a\u{e4}\n".encode_utf16())
            .flat_map(unit)
            .collect::<Vec<u8>>()
    };
    let same = |text: &'static str| [Ok(text); 4];
    let binary = Err("binary_file");
    // `index` and `local` drop a byte order mark, the others keep it. Text that is not UTF-8 is
    // shown as far as possible, except by `workspace`, which could not write it back.
    let rows: Vec<Row<'_>> = vec![
        ("empty", b"".to_vec(), same("")),
        ("one", b"x".to_vec(), same("x")),
        ("no end", b"a\nb".to_vec(), same("a\nb")),
        ("an end", b"a\nb\n".to_vec(), same("a\nb\n")),
        ("CR", b"a\rb\r".to_vec(), same("a\rb\r")),
        ("CRLF", b"a\r\nb\r\n".to_vec(), same("a\r\nb\r\n")),
        ("mixed", b"a\r\nb\nc\rd".to_vec(), same("a\r\nb\nc\rd")),
        (
            "mark",
            b"\xef\xbb\xbfa".to_vec(),
            [Ok("a"), Ok("\u{feff}a"), Ok("\u{feff}a"), Ok("a")],
        ),
        (
            "UTF-16 LE",
            utf16(u16::to_le_bytes, true),
            [
                Ok("a\u{e4}\n"),
                binary,
                Err("VALIDATION_ERROR"),
                Ok("a\u{e4}\n"),
            ],
        ),
        (
            "UTF-16 BE",
            utf16(u16::to_be_bytes, true),
            [
                Ok("a\u{e4}\n"),
                binary,
                Err("VALIDATION_ERROR"),
                Ok("a\u{e4}\n"),
            ],
        ),
        (
            "UTF-16 without mark",
            utf16(u16::to_le_bytes, false),
            [
                binary,
                binary,
                Err("VALIDATION_ERROR"),
                Err("fileReadFailed"),
            ],
        ),
        (
            "Latin-1",
            b"caf\xe9!".to_vec(),
            [
                Ok("caf\u{fffd}!"),
                Ok("caf\u{fffd}!"),
                Err("VALIDATION_ERROR"),
                Ok("caf\u{fffd}!"),
            ],
        ),
        (
            "half a character",
            b"ab\xc3".to_vec(),
            [
                Ok("ab\u{fffd}"),
                Ok("ab\u{fffd}"),
                Err("VALIDATION_ERROR"),
                Ok("ab\u{fffd}"),
            ],
        ),
        (
            "NUL",
            b"a\0b".to_vec(),
            [binary, binary, Ok("a\0b"), Err("fileReadFailed")],
        ),
        (
            "an image",
            b"\x89PNG\r\n\x1a\n\0".to_vec(),
            [
                binary,
                binary,
                Err("VALIDATION_ERROR"),
                Err("fileReadFailed"),
            ],
        ),
    ];
    let session = Session::of("index", &[]).await;
    for (name, bytes, _) in &rows {
        std::fs::write(session.root().join(name), bytes).unwrap();
    }
    for (at, profile) in READERS.into_iter().enumerate() {
        let beside = session.beside(profile).await;
        for (name, _, expected) in &rows {
            let reply = read(&beside, profile, name).await;
            assert_eq!(
                reply.as_deref().map_err(String::as_str),
                expected[at],
                "{profile} {name}"
            );
        }
    }
}

#[tokio::test]
async fn line_numbers_work_with_any_line_ends() {
    let session = Session::of("index", &[]).await;
    for (text, lines, second) in [
        ("", 0, None),
        ("x", 1, None),
        ("\n", 1, None),
        ("\n\n", 2, Some("\n")),
        ("a\nb", 2, Some("b")),
        ("a\nb\n", 2, Some("b\n")),
        ("a\rb\r", 1, None),
        ("a\r\nb\r\n", 2, Some("b\r\n")),
        ("a\r\nb\nc\rd", 3, Some("b\n")),
        ("\n\r\n\r", 3, Some("\r\n")),
    ] {
        std::fs::write(session.root().join("f"), text).unwrap();
        let whole = session
            .structured("read_file", json!({ "path": "f" }))
            .await;
        assert_eq!(
            whole,
            json!({ "content": text, "total_lines": lines, "truncated": false }),
            "{text:?}"
        );
        let part = session
            .structured(
                "read_file",
                json!({ "path": "f", "line_start": 2, "line_end": 2 }),
            )
            .await;
        assert_eq!(part["content"].as_str(), second, "{text:?}: {part}");
    }
}

#[tokio::test]
async fn files_are_truncated_at_ten_thousand_lines_or_half_a_megabyte() {
    let session = Session::of("index", &[]).await;
    let write = |text: &str| std::fs::write(session.root().join("f"), text).unwrap();
    let wide = "\u{e4}".repeat(5_000_000);
    for (what, text, shown, truncated) in [
        ("9,999 lines", "x\n".repeat(9_999), 19_998, false),
        ("10,000 lines", "x\n".repeat(10_000), 20_000, false),
        (
            "10,000 lines, the last without an end",
            "x\n".repeat(9_999) + "x",
            19_999,
            false,
        ),
        ("10,001 lines", "x\n".repeat(10_001), 20_000, true),
        (
            "10,001 lines, the last without an end",
            "x\n".repeat(10_000) + "x",
            20_000,
            true,
        ),
        ("a byte less", "x".repeat(511_999), 511_999, false),
        ("as many bytes", "x".repeat(512_000), 512_000, false),
        ("a byte more", "x".repeat(512_001), 512_000, true),
        (
            "a character that ends behind it",
            "x".to_owned() + &"\u{e4}".repeat(256_000),
            511_999,
            true,
        ),
        ("a line of 10 MB", wide.clone(), 512_000, true),
        (
            "a short line and one of 10 MB",
            format!("x\n{wide}"),
            2,
            true,
        ),
    ] {
        write(&text);
        let answer = session
            .structured("read_file", json!({ "path": "f" }))
            .await;
        let content = answer["content"].as_str().unwrap();
        assert_eq!(
            (content.len(), &answer["truncated"]),
            (shown, &json!(truncated)),
            "{what}"
        );
        assert!(
            text.starts_with(content) && answer["total_lines"] == text.lines().count(),
            "{what}"
        );
    }
    write(&"x\n".repeat(10));
    for (arguments, expected) in [
        (json!({ "line_start": 10 }), "ok"),
        (json!({ "line_start": 11 }), "invalid_parameter"),
        (
            json!({ "line_start": 3, "line_end": 2 }),
            "invalid_parameter",
        ),
        (json!({ "line_start": 0 }), "invalid_parameter"),
        (json!({ "line_start": -1 }), "invalid_parameter"),
        (json!({ "line_start": 1.5 }), "invalid_parameter"),
        (json!({ "line_start": "1" }), "invalid_parameter"),
        (
            json!({ "line_start": 9_223_372_036_854_775_808_u64 }),
            "invalid_parameter",
        ),
        (json!({ "line_start": 1e300 }), "invalid_parameter"),
        (json!({ "line_end": 9_223_372_036_854_775_808_u64 }), "ok"),
        (json!({ "line_end": u64::MAX }), "ok"),
        (json!({ "line_start": 10, "line_end": 1e9 }), "ok"),
    ] {
        let mut asked = arguments.clone();
        asked["path"] = json!("f");
        assert_eq!(
            session.word("read_file", asked).await,
            expected,
            "{arguments}"
        );
    }
}

#[tokio::test]
async fn a_sparse_file_of_two_gigabytes_is_refused_or_skipped() {
    let session = Session::of("index", &[("a.ts", "needle\n")]).await;
    for name in ["sparse.txt", "sparse.ts"] {
        std::fs::File::create(session.root().join(name))
            .unwrap()
            .set_len(2 << 30)
            .unwrap();
    }
    session.state.start();
    session.state.wait();
    let begun = Instant::now();
    for (profile, expected) in [
        ("index", "too_large"),
        ("assistant", "file_too_large"),
        ("workspace", "FILE_TOO_LARGE"),
        ("local", "fileTooLarge"),
    ] {
        let beside = session.beside(profile).await;
        assert_eq!(
            read(&beside, profile, "sparse.txt").await,
            Err(expected.to_owned()),
            "{profile}"
        );
    }
    let patch = session.beside("patch").await;
    for (tool, arguments) in [
        ("append", json!({ "path": "sparse.txt", "content": "x" })),
        (
            "patch_apply",
            json!({ "path": "sparse.txt", "patch": "@@ -1 +1 @@\n-a\n+b\n" }),
        ),
    ] {
        assert_eq!(
            patch.word(tool, arguments).await,
            "InvalidArguments",
            "{tool}"
        );
    }
    let local = session.beside("local").await;
    for query in [
        json!({}),
        json!({ "binaryFiles": "text" }),
        json!({ "multiline": true, "binaryFiles": "text" }),
    ] {
        let mut query = query;
        (query["path"], query["pattern"]) = (json!("."), json!("needle"));
        let reply = text_of(
            &local
                .call("local_ripgrep", json!({ "queries": [query.clone()] }))
                .await
                .unwrap(),
        );
        assert!(
            reply.contains("path: \"a.ts\"") && !reply.contains("sparse"),
            "{query}: {reply}"
        );
    }
    let found = session
        .beside("assistant")
        .await
        .call("search_files", json!({ "pattern": "needle" }))
        .await
        .unwrap();
    assert_eq!(found.structured_content.unwrap()["total_matches"], 1);
    assert!(
        begun.elapsed() < Duration::from_secs(20),
        "{:?}",
        begun.elapsed()
    );
    session.state.close();
}

/// A thread that appends to a file and now and then truncates it.
struct Changing {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<usize>>,
}

impl Changing {
    fn start(path: PathBuf, line: String) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let reply = Arc::clone(&stop);
        let change = move || {
            let mut round = 0;
            while !reply.load(Ordering::Relaxed) {
                let mut file = std::fs::OpenOptions::new()
                    .append(true)
                    .open(&path)
                    .unwrap();
                if round % 40 == 39 {
                    file.set_len(0).unwrap();
                } else {
                    file.write_all(line.repeat(1 + round % 7).as_bytes())
                        .unwrap();
                }
                round += 1;
            }
            round
        };
        Self {
            stop,
            thread: Some(std::thread::spawn(change)),
        }
    }

    /// Stops the thread and returns the number of changes.
    fn stop(mut self) -> usize {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for Changing {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

#[tokio::test]
async fn reads_of_a_changing_file_never_split_characters() {
    let session = Session::of("index", &[("f.txt", "")]).await;
    // Characters of two bytes each, so that reads can end in the middle of one.
    let changing = Changing::start(session.root().join("f.txt"), "\u{e4}".repeat(999) + "\n\n");
    let mut reads = Vec::new();
    for profile in READERS {
        let beside = session.beside(profile).await;
        let (begun, mut count) = (Instant::now(), 0);
        while begun.elapsed() < Duration::from_secs(1) || count < 10 {
            match read(&beside, profile, "f.txt").await {
                Ok(text) => {
                    // At some moments the file itself ends in the middle of a character.
                    let whole = text.strip_suffix('\u{fffd}').unwrap_or(&text);
                    let odd = whole
                        .char_indices()
                        .find(|(_, c)| !matches!(c, '\u{e4}' | '\n'));
                    assert_eq!(
                        odd,
                        None,
                        "{profile}: a torn character in {} bytes",
                        text.len()
                    );
                }
                Err(code) => assert!(
                    profile == "workspace" && code == "VALIDATION_ERROR",
                    "{profile}: {code}"
                ),
            }
            count += 1;
        }
        reads.push(count);
    }
    let changes = changing.stop();
    assert!(changes > 100, "{reads:?} reads of {changes} states");
}
