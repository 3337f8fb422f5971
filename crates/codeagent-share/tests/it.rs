//! Snapshots through a store of files: what they save, and what is refused.

#![allow(clippy::unwrap_used, reason = "a failing step fails the test")]
#![allow(
    clippy::disallowed_methods,
    reason = "tests make repositories and damage stores"
)]

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use codeagent_core::store::canonical_dump;
use codeagent_core::{DataRoot, Engine, EngineOptions, Summary};
use codeagent_share::{
    Manifest, Part, PullOptions, Pulled, PushOptions, Pushed, Remote, ShareError, gc, pull, push,
    read_pack, write_pack,
};
use codeagent_testkit::files::{copy_shop, write_file};

struct Place {
    outer: tempfile::TempDir,
}

impl Place {
    /// Creates a repository `origin` and its copy `clone`.
    fn new() -> Self {
        let place = Self {
            outer: tempfile::tempdir().unwrap(),
        };
        copy_shop(&place.root("origin"));
        copy_shop(&place.root("clone"));
        place
    }

    fn root(&self, name: &str) -> PathBuf {
        self.outer.path().canonicalize().unwrap().join(name)
    }

    fn store(&self) -> PathBuf {
        self.root("store")
    }

    fn remote(&self) -> Remote {
        std::fs::create_dir_all(self.store()).unwrap();
        Remote::open(&format!("file://{}", self.store().display())).unwrap()
    }

    /// Returns the location of a repository's index.
    fn home(&self, name: &str) -> DataRoot {
        DataRoot::at(self.root("data").join(name))
    }

    fn engine(&self, name: &str) -> Engine {
        self.engine_at(name, self.home(name))
    }

    fn engine_at(&self, name: &str, home: DataRoot) -> Engine {
        let options = EngineOptions {
            home,
            ..EngineOptions::default()
        };
        Engine::open(&self.root(name), options).unwrap()
    }

    fn index(&self, name: &str) -> Summary {
        let engine = self.engine(name);
        let summary = engine.index(&|_| {}).unwrap();
        engine.close().unwrap();
        summary
    }

    /// Asserts that an index is equal to a fresh one.
    fn assert_fresh(&self, name: &str) {
        let dump = |engine: Engine| {
            engine.index(&|_| {}).unwrap();
            let dump = canonical_dump(&engine.reader().snapshot().unwrap()).unwrap();
            engine.close().unwrap();
            dump
        };
        let fresh = tempfile::tempdir().unwrap();
        let fresh = dump(self.engine_at(name, DataRoot::at(fresh.path())));
        assert!(
            dump(self.engine(name)) == fresh,
            "{name} is not as a fresh index"
        );
    }

    fn push(&self, history: &[&str], with_graph: bool) -> Pushed {
        let options = PushOptions {
            repo: "shop".to_owned(),
            history: owned(history),
            with_graph,
        };
        let engine = self.engine("origin");
        push(&self.remote(), &engine.reader(), &options).unwrap()
    }

    fn pull(&self, history: &[&str], with_graph: bool) -> Result<Pulled, ShareError> {
        let options = PullOptions {
            repo: "shop".to_owned(),
            history: owned(history),
            with_graph,
            home: self.home("clone"),
        };
        pull(&self.remote(), &self.root("clone"), &options)
    }

    /// Returns the objects of the store.
    fn objects(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.store()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    found.push(path);
                }
            }
        }
        found.sort();
        found
    }

    /// Forgets the index of the clone.
    fn forget(&self) {
        std::fs::remove_dir_all(self.root("data/clone")).ok();
    }
}

fn owned(history: &[&str]) -> Vec<String> {
    history.iter().map(|&id| id.to_owned()).collect()
}

#[test]
fn a_pulled_snapshot_saves_parsing_and_gives_a_fresh_index() {
    let place = Place::new();
    place.index("origin");
    let pushed = place.push(&["c1"], false);
    assert_eq!(pushed.sent_facts, pushed.facts);
    let pulled = place.pull(&["c1"], true).unwrap();
    assert_eq!((pulled.new_facts, pulled.has_graph), (pushed.facts, false));
    let summary = place.index("clone");
    assert_eq!(summary.parsed, 0);
    assert!(summary.changed > 0);
    place.assert_fresh("clone");

    // A second pull has nothing new, also with a complete index.
    assert_eq!(place.pull(&["c1"], true).unwrap().new_facts, 0);
    assert!(place.index("clone").unchanged);
}

#[test]
fn a_pulled_graph_is_compared_with_every_file() {
    let place = Place::new();
    place.index("origin");
    place.push(&["c1"], true);
    assert!(place.pull(&["c1"], true).unwrap().has_graph);
    let summary = place.index("clone");
    assert_eq!((summary.parsed, summary.linked), (0, 0));
    place.assert_fresh("clone");

    place.forget();
    write_file(
        &place.root("clone"),
        "src/New.cs",
        "class New { void M() {} }\n",
    );
    place.pull(&["c1"], true).unwrap();
    assert_eq!(place.index("clone").parsed, 1);
    place.assert_fresh("clone");
}

#[test]
fn files_of_equal_size_and_time_with_other_contents_are_read() {
    let place = Place::new();
    for (name, function) in [("origin", "alpha"), ("clone", "gamma")] {
        let text = format!("export function {function}() {{}}\n");
        write_file(&place.root(name), "src/a.ts", text);
        let file = std::fs::File::options()
            .write(true)
            .open(place.root(name).join("src/a.ts"))
            .unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_577_836_800);
        file.set_modified(time).unwrap();
    }
    place.index("origin");
    place.push(&["c1"], true);
    place.pull(&["c1"], true).unwrap();
    assert_eq!(place.index("clone").parsed, 1);
    place.assert_fresh("clone");
}

#[test]
fn a_second_push_sends_what_is_new_and_a_pull_takes_the_nearest() {
    let place = Place::new();
    place.index("origin");
    let first = place.push(&["c1"], false);
    write_file(
        &place.root("origin"),
        "src/New.cs",
        "class New { void M() {} }\n",
    );
    place.index("origin");
    let second = place.push(&["c2", "c1"], false);
    assert_eq!((second.sent_facts, second.facts), (1, first.facts + 1));
    assert!(second.sent_bytes < first.sent_bytes / 10);

    // Of an unknown commit, the nearest known ancestor is taken, else the newest.
    assert_eq!(place.pull(&["c3", "c1"], false).unwrap().commit, "c1");
    place.forget();
    assert_eq!(place.pull(&["c3", "c2", "c1"], false).unwrap().commit, "c2");
    place.index("clone");
    place.assert_fresh("clone");
}

/// A class with many methods, of which one has another name.
fn long_class(odd: &str) -> String {
    let methods = (0..300).map(|n| {
        let name = if n == 150 {
            odd.to_owned()
        } else {
            format!("M{n}")
        };
        format!(
            "    public int {name}(int p{n}) {{ return p{n} + Other{}.Get(); }}\n",
            n % 7
        )
    });
    format!("class Long\n{{\n{}}}\n", methods.collect::<String>())
}

#[test]
fn a_changed_file_is_sent_as_its_difference() {
    for with_graph in [false, true] {
        let place = Place::new();
        let write = |name: &str, odd: &str| {
            write_file(&place.root(name), "src/Long.cs", long_class(odd));
        };
        place.index("origin");
        place.push(&["c0"], false);
        write("origin", "First");
        place.index("origin");
        let added = place.push(&["c1", "c0"], false);
        write("origin", "AddedLater");
        place.index("origin");
        let changed = place.push(&["c2", "c1", "c0"], with_graph);
        assert_eq!((added.sent_facts, changed.sent_facts), (1, 1));
        if !with_graph {
            // Both have the keys and the manifest, about 700 bytes.
            assert!(
                changed.sent_bytes < 1_700 && added.sent_bytes > 10_000,
                "{changed:?} {added:?}"
            );
        }

        write("clone", "AddedLater");
        let pulled = place.pull(&["c2"], true).unwrap();
        assert_eq!(pulled.has_graph, with_graph);
        assert_eq!(place.index("clone").parsed, 0);
        place.assert_fresh("clone");
    }
}

#[test]
fn every_damaged_object_is_refused_and_the_index_stays_right() {
    let place = Place::new();
    place.index("origin");
    place.push(&["c1"], true);
    let foreign = b"an object of another program".to_vec();
    let objects = place.objects();
    assert_eq!(objects.len(), 4, "{objects:?}");

    for object in objects {
        let bytes = std::fs::read(&object).unwrap();
        let flipped = |at: usize| {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1;
            bytes
        };
        let damages = [
            Some(bytes[..bytes.len() / 2].to_vec()),
            Some(Vec::new()),
            Some(flipped(0)),
            Some(flipped(bytes.len() / 2)),
            Some(foreign.clone()),
            Some([&bytes[..], &vec![0; 5 << 20]].concat()),
            None,
        ];
        for damage in damages {
            match damage {
                Some(damage) => std::fs::write(&object, damage).unwrap(),
                None => std::fs::remove_file(&object).unwrap(),
            }
            place.forget();
            let pulled = place.pull(&["c1"], true);
            let is_read = object.extension().is_none_or(|end| end != "keys");
            assert_eq!(pulled.is_err(), is_read, "{object:?} {pulled:?}");
            if is_read {
                place.index("clone");
                place.assert_fresh("clone");
            }
        }
        std::fs::write(&object, bytes).unwrap();
    }
    place.forget();
    place.pull(&["c1"], true).unwrap();
}

/// Replaces the graph of a snapshot, with a manifest that fits it.
fn replace_graph(place: &Place, graph: &[u8], decoded_bytes: u64) {
    let name = place.store().join("v1/repos/shop/c1.json");
    let bytes = std::fs::read(&name).unwrap();
    let mut manifest = Manifest::read("m", "shop", "c1", &bytes).unwrap();
    let old = manifest.graph.as_mut().unwrap();
    old.part = Part::of(graph);
    old.decoded_bytes = decoded_bytes;
    let at = place.store().join("v1/graphs").join(&old.part.hash);
    std::fs::write(at, graph).unwrap();
    std::fs::write(name, manifest.write().unwrap()).unwrap();
}

#[test]
fn a_graph_that_is_no_index_of_ours_is_refused() {
    let place = Place::new();
    place.index("origin");
    place.push(&["c1"], true);
    let bomb = zstd::bulk::compress(&vec![0; 64 << 20], 3).unwrap();
    let text = zstd::bulk::compress(b"not a database", 3).unwrap();

    for (graph, decoded_bytes) in [
        (bomb.as_slice(), 1 << 20),
        (&bomb, u64::MAX),
        (&bomb, 64 << 20),
        (&text, 14),
        (b"not compressed", 14),
    ] {
        replace_graph(&place, graph, decoded_bytes);
        place.forget();
        let refused = place.pull(&["c1"], true).unwrap_err().to_string();
        assert!(refused.starts_with("refused v1/graphs/"), "{refused}");
        // Without the graph, the snapshot is as good as before.
        place.pull(&["c1"], false).unwrap();
        assert_eq!(place.index("clone").parsed, 0);
        place.assert_fresh("clone");
    }
}

#[test]
fn old_snapshots_are_removed_and_what_others_need_is_kept() {
    let place = Place::new();
    place.index("origin");
    place.push(&["c1"], true);
    age(&place);
    write_file(
        &place.root("origin"),
        "src/New.cs",
        "class New { void M() {} }\n",
    );
    place.index("origin");
    place.push(&["c2", "c1"], false);

    let removed = gc(&place.remote(), "shop", 1).unwrap();
    assert_eq!((removed.snapshots, removed.parts), (1, 1), "the graph");
    let left = place.remote().snapshots(None).unwrap();
    assert_eq!((left.len(), left[0].commit.as_str()), (1, "c2"));
    place.pull(&["c2"], true).unwrap();
    assert_eq!(place.index("clone").parsed, 0);

    assert_eq!(gc(&place.remote(), "shop", 1).unwrap(), Default::default());
}

/// Makes all objects two days old.
fn age(place: &Place) {
    let time = SystemTime::now() - Duration::from_secs(2 * 24 * 60 * 60);
    for object in place.objects() {
        let file = std::fs::File::options().write(true).open(object).unwrap();
        file.set_modified(time).unwrap();
    }
}

#[test]
fn names_and_urls_that_leave_the_store_are_refused() {
    let place = Place::new();
    place.index("origin");
    let engine = place.engine("origin");
    for (repo, commit) in [
        ("../x", "c"),
        ("a/b", "c"),
        ("", "c"),
        ("a", "../c"),
        ("a", ""),
    ] {
        let options = PushOptions {
            repo: repo.to_owned(),
            history: owned(&[commit]),
            with_graph: false,
        };
        let refused = push(&place.remote(), &engine.reader(), &options);
        assert!(
            matches!(refused, Err(ShareError::Name { .. })),
            "{repo} {commit}"
        );
    }
    for url in ["snapshots", "ftp://x/y", "https://example.com/x"] {
        assert!(
            matches!(Remote::open(url), Err(ShareError::Url { .. })),
            "{url}"
        );
    }
    assert!(Path::new(&place.store()).exists());
}

#[test]
fn an_interface_pack_is_written_to_a_path_and_read_from_its_url() {
    let place = Place::new();
    let path = place.root("packs").join("shop.pack");
    let url = format!("file://{}", path.display());
    let absent = read_pack(&url).unwrap_err().to_string();
    assert!(absent.contains("there is no pack at"), "{absent}");

    write_pack(path.to_str().unwrap(), vec![1, 2, 3]).unwrap();
    assert_eq!(read_pack(&url).unwrap(), [1, 2, 3]);
    assert!(read_pack("https://example.com/shop.pack").is_err());
}
