//! Little memory, few open files, small file size limits, one thread.

use super::support::{ClassRepository, Server, all_output, bounded, ended};

#[test]
fn with_little_memory_indexing_succeeds_or_fails_cleanly() {
    let place = ClassRepository::new(20);
    place.stdout(&["index"]);
    let (mut done, mut refused) = (0, 0);
    // Address space in kilobytes; most of it is stacks that are never touched.
    let sizes = [
        96_000, 150_000, 200_000, 327_680, 400_000, 800_000, 2_000_000,
    ];
    // Sizes at which some threads start and others do not.
    for (version, kilobytes) in sizes
        .into_iter()
        .chain((97_000..128_000).step_by(6_000))
        .enumerate()
    {
        place.write_all(version + 1);
        let output = ended(&mut bounded(
            &format!("ulimit -v {kilobytes}"),
            &place.command(&["index", "--threads", "1"]),
        ));
        match output.status.code() {
            Some(0) => done += 1,
            Some(_) => refused += 1,
            None => panic!("{kilobytes} kB: {}", all_output(&output)),
        }
        assert!(
            kilobytes >= 327_680
                || all_output(&output).contains("ulimit -v")
                // Not even the program can be loaded.
                || all_output(&output).contains("error while loading shared libraries"),
            "{kilobytes} kB: {}",
            all_output(&output)
        );
        place.stdout(&["index"]);
        assert_eq!(
            place.callers(version + 1).0,
            place.classes,
            "{kilobytes} kB"
        );
        place.is_as_fresh();
    }
    println!("{done} done, {refused} refused");
    assert!(done > 0 && refused > 0);
}

#[cfg(unix)]
#[test]
fn a_file_size_limit_is_reported_and_the_index_stays_intact() {
    let place = ClassRepository::new(30);
    let mut refused = 0;
    // Blocks of 512 bytes.
    for (version, blocks) in [1, 20, 100, 200, 400, 100_000].into_iter().enumerate() {
        place.write_all(version);
        let output = ended(&mut bounded(
            &format!("ulimit -f {blocks}"),
            &place.command(&["index"]),
        ));
        let code = output
            .status
            .code()
            .unwrap_or_else(|| panic!("{blocks} blocks: {output:?}"));
        assert!(
            code == 0
                || all_output(&output).contains("ulimit -f")
                || all_output(&output).contains("too large"),
            "{blocks} blocks: {output:?}"
        );
        refused += usize::from(code != 0);
        place.stdout(&["index"]);
        assert_eq!(place.callers(version).0, place.classes, "{blocks} blocks");
        place.is_as_fresh();
    }
    println!("refused {refused} times");
    assert!(refused >= 3);
}

#[test]
fn with_few_open_files_and_one_thread_a_server_answers() {
    let place = ClassRepository::new(20);
    for script in ["ulimit -n 64", "ulimit -n 48"] {
        let mut server = Server::of(&mut bounded(
            script,
            &place.command(&["mcp", "--threads", "1"]),
        ));
        server.awaits(0, place.classes);
        place.write_class(0, 1);
        server.awaits(0, place.classes - 1);
        place.write_class(0, 0);
        server.awaits(0, place.classes);
    }
}

#[test]
fn oversized_files_are_skipped_and_named() {
    let place = ClassRepository::new(5);
    let line =
        "    // a comment that fills the file with lines of a usual length, many times over\n";
    place.write(
        "Large.cs",
        &format!("class Large\n{{\n{}}}\n", line.repeat(2_000)),
    );
    place.write(".codeagent/config.json", "{ \"max_file_bytes\": 100000 }");
    let text = place.stdout(&["index", "--verbose"]);
    assert!(
        text.contains("failed Large.cs") && text.contains("1 file could not be indexed"),
        "{text}"
    );
    assert_eq!(place.callers(0).0, place.classes);
}
