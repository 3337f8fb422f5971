//! Disks that are full, read-only, of other types, or unmounted.

use std::path::Path;

use serde_json::json;

use super::support::{
    ClassRepository, Random, Server, all_output, inside, mount, unmount, wait_until,
};

/// Fills a file system except for the last `left` bytes.
fn fill(folder: &Path, left: usize) {
    let mut filler = std::fs::File::create(folder.join("filler")).unwrap();
    while std::io::Write::write_all(&mut filler, &[b'x'; 4096]).is_ok() {}
    let size = filler.metadata().unwrap().len();
    filler.set_len(size.saturating_sub(left as u64)).unwrap();
}

#[test]
fn a_full_disk_is_reported_and_indexing_resumes_with_space() {
    if !inside("faults::disk::a_full_disk_is_reported_and_indexing_resumes_with_space") {
        return;
    }
    let (place, mut numbers) = (ClassRepository::new(30), Random(4));
    std::fs::create_dir(&place.home).unwrap();
    let is_said = |text: &str| text.contains("full") || text.contains("No space left");
    // First index, with limited space
    let mut refused = 0;
    for kilobytes in [4, 16, 64, 160, 240, 400, 800, 1600] {
        mount(
            &["-t", "tmpfs", "-o", &format!("size={kilobytes}k"), "none"],
            &place.home,
        );
        let output = place.run(&["index"]);
        let text = all_output(&output);
        refused += usize::from(!output.status.success());
        assert!(
            output.status.success() || (output.status.code() == Some(1) && is_said(&text)),
            "{kilobytes} kB: {output:?}"
        );
        mount(&["-o", "remount,size=20m"], &place.home);
        place.stdout(&["index"]);
        assert_eq!(place.callers(0).0, place.classes, "{kilobytes} kB");
        place.is_as_fresh();
        unmount(&[], &place.home);
    }
    println!("a first index was refused {refused} times");
    assert!(refused >= 3);

    // Update, and running server
    mount(&["-t", "tmpfs", "-o", "size=20m", "none"], &place.home);
    place.stdout(&["index"]);
    for version in 1..4 {
        fill(&place.home, numbers.below(100) * 4096);
        place.write_all(version);
        let output = place.run(&["index"]);
        assert!(
            output.status.success() || is_said(&all_output(&output)),
            "{output:?}"
        );
        let (count, text) = place.callers(version - 1);
        assert!(
            output.status.success() || (count == place.classes && text.contains("changed")),
            "what was there is served: {text}"
        );
        std::fs::remove_file(place.home.join("filler")).unwrap();
        place.stdout(&["index"]);
        assert_eq!(place.callers(version).0, place.classes);
    }
    let mut server = Server::start(&place);
    server.awaits(3, place.classes);
    fill(&place.home, 0);
    place.write_all(4);
    wait_until("a full disk is not told", || {
        server.callers(3).1["note"].as_str().is_some_and(is_said)
    });
    assert_eq!(
        server.callers(3).0,
        place.classes,
        "what was there is served"
    );
    std::fs::remove_file(place.home.join("filler")).unwrap();
    server.awaits(4, place.classes);
    drop(server);
    place.is_as_fresh();
}

#[test]
fn read_only_folders_are_reported() {
    if !inside("faults::disk::read_only_folders_are_reported") {
        return;
    }
    let place = ClassRepository::new(5);
    let read_only = |folder: &Path| {
        mount(&["--bind", folder.to_str().unwrap()], folder);
        mount(&["-o", "remount,ro,bind"], folder);
    };
    // Read-only repository; nothing is written there
    read_only(&place.root());
    assert!(std::fs::write(place.root().join("x"), "").is_err());
    place.stdout(&["index"]);
    assert_eq!(place.callers(0).0, place.classes);
    unmount(&[], &place.root());

    // Read-only data folder that has an index
    read_only(&place.home);
    assert_eq!(place.callers(0).0, place.classes, "it can be read");
    let output = place.run(&["index"]);
    assert!(
        output.status.code() == Some(1) && all_output(&output).contains("set CODEAGENT_DATA_DIR"),
        "{output:?}"
    );
    let mut server = Server::start(&place);
    assert!(
        server
            .call("read_file", json!({ "path": "Hub.cs" }))
            .0
            .to_string()
            .contains("class Hub")
    );
    unmount(&["-l"], &place.home);

    // No data folder at all
    let mut command = place.command(&["index"]);
    let output = command
        .env_remove("CODEAGENT_DATA_DIR")
        .env_remove("HOME")
        .env_remove("XDG_CACHE_HOME")
        .output()
        .unwrap();
    assert!(
        output.status.code() == Some(1) && all_output(&output).contains("no folder for the index"),
        "{output:?}"
    );
    let mut command = place.command(&["mcp"]);
    let mut server = Server::of(
        command
            .env_remove("CODEAGENT_DATA_DIR")
            .env_remove("HOME")
            .env_remove("XDG_CACHE_HOME"),
    );
    assert!(
        server
            .call("read_file", json!({ "path": "Hub.cs" }))
            .0
            .to_string()
            .contains("class Hub")
    );
    let (answer, is_error) = server.call("get_callers", json!({ "node_id": "Hub.Go0" }));
    assert!(
        is_error && answer.to_string().contains("no folder for the index"),
        "{answer}"
    );
}

/// Asserts that a server keeps the index of this repository up to date.
fn is_kept(place: &ClassRepository) {
    place.write_all(0);
    let mut server = Server::start(place);
    server.awaits(0, place.classes);
    for version in 1..4 {
        place.write_all(version);
        server.awaits(version, place.classes);
    }
    place.write("new/er/N.cs", "class N { void M(Hub hub) => hub.Go3(); }");
    server.awaits(3, place.classes + 1);
    assert_eq!(
        server.call("get_status", json!({})).0["watcher_active"],
        true
    );
    drop(server);
    place.is_as_fresh();
}

#[test]
fn other_file_system_types_are_watched() {
    if !inside("faults::disk::other_file_system_types_are_watched") {
        return;
    }
    for kind in ["tmpfs", "overlay"] {
        let place = ClassRepository::unwritten(5);
        if kind == "tmpfs" {
            mount(&["-t", "tmpfs", "none"], place.folder.path());
            std::fs::create_dir(place.root()).unwrap();
            is_kept(&place);
        } else {
            // An overlay's upper layer must be on a tmpfs in a user namespace.
            let layers = tempfile::tempdir().unwrap();
            mount(&["-t", "tmpfs", "none"], layers.path());
            let inner = layers.path().join("lower").join("root/c");
            for folder in [
                &inner,
                &layers.path().join("upper"),
                &layers.path().join("work"),
            ] {
                std::fs::create_dir_all(folder).unwrap();
            }
            std::fs::write(inner.join("Lower.cs"), "class Lower { }").unwrap();
            let of = |name: &str| layers.path().join(name).display().to_string();
            let options = format!(
                "lowerdir={},upperdir={},workdir={},userxattr",
                of("lower"),
                of("upper"),
                of("work")
            );
            mount(
                &["-t", "overlay", "-o", &options, "none"],
                place.folder.path(),
            );
            is_kept(&place);
            // The first write copies the file to the upper layer, where it is a different file.
            let mut server = Server::start(&place);
            server.awaits(3, place.classes + 1);
            place.write(
                "c/Lower.cs",
                "class Lower { void M(Hub hub) => hub.Go3(); }",
            );
            server.awaits(3, place.classes + 2);
        }
    }
}

#[test]
fn mounting_and_unmounting_the_repository_is_noticed() {
    if !inside("faults::disk::mounting_and_unmounting_the_repository_is_noticed") {
        return;
    }
    let place = ClassRepository::unwritten(5);
    mount(&["-t", "tmpfs", "none"], &place.root());
    place.write_all(0);
    let mut server = Server::start(&place);
    server.awaits(0, place.classes);
    unmount(&["-l"], &place.root());
    wait_until("it is not noticed", || server.callers(0).0 == 0);
    mount(&["-t", "tmpfs", "none"], &place.root());
    place.write_all(1);
    server.awaits(1, place.classes);
    // Mount another file system over it.
    mount(&["-t", "tmpfs", "none"], &place.root());
    place.write_all(2);
    server.awaits(2, place.classes);
    place.write_all(3);
    // The new file system is watched.
    server.awaits(3, place.classes);
}

#[test]
fn a_mount_over_a_folder_is_noticed() {
    if !inside("faults::disk::a_mount_over_a_folder_is_noticed") {
        return;
    }
    let place = ClassRepository::new(5);
    let mut server = Server::start(&place);
    server.awaits(0, place.classes);
    mount(&["-t", "tmpfs", "none"], &place.root().join("c"));
    assert_eq!(server.callers(0).0, 0, "the first question knows");
    place.write_class(0, 0);
    assert_eq!(server.callers(0).0, 1, "it is watched");
    unmount(&[], &place.root().join("c"));
    assert_eq!(server.callers(0).0, place.classes);
    place.write_class(0, 1);
    assert_eq!(server.callers(0).0, place.classes - 1);
}

#[test]
fn a_removed_and_recreated_repository_is_noticed() {
    let place = ClassRepository::new(5);
    let mut server = Server::start(&place);
    server.awaits(0, place.classes);
    let aside = place.folder.path().join("aside");
    for version in 1..4 {
        std::fs::rename(place.root(), &aside).unwrap();
        let (_, answer) = server.callers(version - 1);
        assert!(answer.to_string().contains("no longer exists"), "{answer}");
        let (answer, is_error) = server.call("list_directory", json!({ "path": "" }));
        assert!(
            is_error && answer.to_string().contains("no longer exists"),
            "{answer}"
        );
        if version == 2 {
            // Put the old repository back.
            std::fs::rename(&aside, place.root()).unwrap();
        } else {
            std::fs::remove_dir_all(&aside).unwrap();
            std::fs::create_dir(place.root()).unwrap();
        }
        place.write_all(version);
        server.awaits(version, place.classes);
        place.write_class(0, version - 1);
        server.awaits(version, place.classes - 1);
        // File tools read the new repository.
        assert!(
            server
                .call("read_file", json!({ "path": "Hub.cs" }))
                .0
                .to_string()
                .contains(&format!("Go{version}"))
        );
    }
}

#[test]
fn index_and_status_report_a_name_that_is_not_utf_8() {
    use std::os::unix::ffi::OsStrExt;
    let place = ClassRepository::new(2);
    std::fs::write(
        place
            .root()
            .join(std::ffi::OsStr::from_bytes(b"bad\xff.cs")),
        "class Bad { }",
    )
    .unwrap();
    let indexed = place.stdout(&["index"]);
    assert!(indexed.contains("1 file could not be indexed"), "{indexed}");
    let status = place.stdout(&["status"]);
    assert_eq!(
        status
            .lines()
            .filter(|line| line.starts_with("failed") && line.contains("bad"))
            .count(),
        1,
        "{status}"
    );
}
