//! Model vectors are computed in the background, once per text, and survive interruptions.

use std::process::{Command, Stdio};
use std::sync::atomic::AtomicUsize;

use super::*;
use crate::embed::{EmbedError, Embedder, HashingEmbedder, ModelHandle, Vector, model_text};
use crate::query;
use crate::store::{VectorSource, vectors_of};

/// A fake model that hashes letters and counts its inputs.
struct LetterModel {
    name: &'static str,
    texts: Arc<AtomicUsize>,
    takes: Duration,
}

impl Embedder for LetterModel {
    fn name(&self) -> &str {
        self.name
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
        self.texts.fetch_add(texts.len(), Ordering::Relaxed);
        std::thread::sleep(self.takes * texts.len() as u32);
        HashingEmbedder.embed(texts)
    }
}

fn model(name: &'static str, takes: Duration) -> (ModelHandle, Arc<AtomicUsize>) {
    let texts = Arc::new(AtomicUsize::new(0));
    let own = Arc::clone(&texts);
    (
        ModelHandle::new(move || {
            Ok(Some(Arc::new(LetterModel {
                name,
                texts: Arc::clone(&own),
                takes,
            })))
        }),
        texts,
    )
}

fn start(root: &Path, home: &Path, model: ModelHandle) -> IndexService {
    let engine = Engine::open(
        root,
        EngineOptions {
            home: DataRoot::at(home),
            model,
            ..EngineOptions::default()
        },
    )
    .unwrap();
    IndexService::with_engine(Arc::new(engine), Role::Daemon, |_| {}).unwrap()
}

fn progress(service: &IndexService) -> Option<VectorProgress> {
    vector_progress(&service.engine().unwrap().reader().snapshot().unwrap()).unwrap()
}

/// Waits until all symbols have vectors of a model.
fn complete(service: &IndexService, model: &str) -> VectorProgress {
    let began = Instant::now();
    loop {
        match progress(service) {
            Some(progress)
                if progress.model == model
                    && progress.done == progress.total
                    && progress.total > 0 =>
            {
                return progress;
            }
            other => assert!(
                began.elapsed() < Duration::from_secs(120),
                "{other:?} {:?}",
                service.embedding_trouble()
            ),
        }

        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Creates a repository of one class with so many methods.
fn repository(methods: usize) -> (tempfile::TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let (root, home) = (folder.path().join("root"), folder.path().join("home"));
    std::fs::create_dir(&root).unwrap();
    write(&root, methods, "");
    (folder, root, home)
}

fn write(root: &Path, methods: usize, body: &str) {
    let methods: String = (0..methods)
        .map(|number| format!("  void Method{number}(int of{number}) {{ {body} }}\n"))
        .collect();
    std::fs::write(root.join("a.cs"), format!("class Account {{\n{methods}}}")).unwrap();
}

#[test]
fn each_text_is_embedded_once() {
    let (_folder, root, home) = repository(40);
    let (source, texts) = model("first", Duration::ZERO);
    let service = start(&root, &home, source);
    let all = complete(&service, "first").total as usize;
    assert_eq!(
        (texts.load(Ordering::Relaxed), service.embedding_trouble()),
        (all, None)
    );

    write(&root, 40, "int x = 1;");
    assert!(service.wait_until_fresh(None).is_none());
    complete(&service, "first");
    assert_eq!(
        texts.load(Ordering::Relaxed),
        all,
        "bodies are not part of the text"
    );

    write(&root, 43, "");
    assert!(service.wait_until_fresh(None).is_none());
    assert_eq!(complete(&service, "first").total as usize, all + 3);
    assert_eq!(texts.load(Ordering::Relaxed), all + 3);
}

#[test]
fn another_model_recomputes_all_vectors() {
    let (_folder, root, home) = repository(40);
    let first = start(&root, &home, model("first", Duration::ZERO).0);
    complete(&first, "first");
    drop(first);

    let (source, texts) = model("second", Duration::ZERO);
    let second = start(&root, &home, source);
    let total = complete(&second, "second").total;

    assert_eq!(texts.load(Ordering::Relaxed) as u64, total);
    drop(second);

    let (source, texts) = model("second", Duration::ZERO);
    let again = start(&root, &home, source);
    assert!(again.wait_until_fresh(None).is_none());
    complete(&again, "second");
    assert_eq!(
        texts.load(Ordering::Relaxed),
        0,
        "what is there is not made again"
    );
}

#[test]
fn a_model_that_fails_to_open_is_reported_and_queries_work() {
    let (_folder, root, home) = repository(3);
    let source = ModelHandle::new(|| Err(EmbedError::Unavailable("too old".to_owned())));
    let service = start(&root, &home, source);
    assert!(service.wait_until_fresh(None).is_none());
    let began = Instant::now();
    while service.embedding_trouble().is_none() {
        assert!(began.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(
        (service.embedding_trouble().as_deref(), progress(&service)),
        (Some("too old"), None)
    );
    write(&root, 5, "");
    assert!(service.wait_until_fresh(None).is_none());
}

#[test]
fn embedding_does_not_delay_shutdown() {
    let (_folder, root, home) = repository(400);
    let (source, texts) = model("slow", Duration::from_millis(10));
    let service = start(&root, &home, source);
    while texts.load(Ordering::Relaxed) == 0 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let began = Instant::now();
    service.stop();
    assert!(
        began.elapsed() < Duration::from_secs(2),
        "{:?}",
        began.elapsed()
    );
    assert!(texts.load(Ordering::Relaxed) < 400);
}

/// Runs a sentence search; returns the number of results, whether the model is reported as broken,
/// and the vector source of similar symbols.
fn search_results(reader: &IndexReader) -> (usize, bool, VectorSource) {
    let snapshot = reader.snapshot().unwrap();
    let filter = store::SearchFilter::default();
    let found = query::filter_nodes(
        &snapshot,
        reader.searched(),
        "which method takes the number seven",
        &filter,
        10,
    )
    .unwrap();

    let node = query::get_node_by_qualified_name(&snapshot, "Account.Method7", None, None)
        .unwrap()
        .remove(0)
        .0;
    let similar = query::find_similar(&snapshot, reader.vectors(), &[node.id], 5).unwrap();
    assert!(!similar.symbols.is_empty());

    (
        found.hits.len(),
        reader.vectors().is_model_broken(),
        similar.source,
    )
}

#[test]
fn queries_work_without_the_model_or_some_vectors() {
    let (_folder, root, home) = repository(40);
    let service = start(&root, &home, model("first", Duration::ZERO).0);
    complete(&service, "first");
    let (hits, is_broken, source) = search_results(&service.engine().unwrap().reader());
    assert!(hits > 0 && !is_broken && source == VectorSource::Model);

    let reader = || IndexReader::open(&root, &DataRoot::at(&home)).unwrap();
    let broken = ModelHandle::new(|| Err(EmbedError::Unavailable("cut off".to_owned())));
    let (hits, is_broken, source) = search_results(&reader().with_model(broken));
    assert!(hits > 0 && is_broken && source == VectorSource::Model);
    let (hits, is_broken, _) =
        search_results(&reader().with_model(model("second", Duration::ZERO).0));
    assert!(hits > 0 && !is_broken);

    let database = service.engine().unwrap().data().database().unwrap();
    let connection = rusqlite::Connection::open(database).unwrap();
    connection.execute_batch("DELETE FROM vec_texts WHERE rowid % 2 = 0; DELETE FROM vec_nodes WHERE node_id % 3 = 0").unwrap();
    drop(connection);
    assert!(search_results(&reader()).0 > 0);
}

/// Environment variable with the repository's folder, set in the process that will be killed.
const DOOMED: &str = "CODEAGENT_TEST_DOOMED";

#[test]
fn a_killed_process_loses_only_unwritten_vectors() {
    if let Some(folder) = std::env::var_os(DOOMED).map(PathBuf::from) {
        let _service = start(
            &folder.join("root"),
            &folder.join("home"),
            model("first", Duration::from_millis(4)).0,
        );
        std::thread::sleep(Duration::from_secs(60));
        panic!("the process was not killed");
    }
    let (folder, root, home) = repository(600);
    let name = std::thread::current().name().unwrap().to_owned();
    let mut doomed = Command::new(std::env::current_exe().unwrap());
    let mut doomed = doomed
        .args(["--exact", &name])
        .env(DOOMED, folder.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let home_of = DataRoot::at(&home);
    let began = Instant::now();
    let written = || {
        let reader = IndexReader::open(&root, &home_of).ok()?;
        Some(vector_progress(&reader.snapshot().ok()?).ok()??.done)
    };
    while written().unwrap_or(0) < 100 {
        assert!(began.elapsed() < Duration::from_secs(60) && doomed.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(10));
    }
    doomed.kill().unwrap();
    doomed.wait().unwrap();
    let kept = written().unwrap();

    let (source, texts) = model("first", Duration::ZERO);
    let service = start(&root, &home, source);
    let total = complete(&service, "first").total;
    assert!(kept >= 100 && kept < total, "{kept} of {total}");
    assert_eq!(
        texts.load(Ordering::Relaxed) as u64,
        total - kept,
        "what was written is not made again"
    );

    let snapshot = service.engine().unwrap().reader().snapshot().unwrap();
    let file = store::files(&snapshot).unwrap().remove(0).id;
    let ids = store::node_ids_of_file(&snapshot, file).unwrap();
    assert!(ids.len() as u64 >= total);
    let vectors = vectors_of(&snapshot, VectorSource::Model, &ids).unwrap();
    for (made, id) in vectors.iter().zip(&ids) {
        let Some(made) = made else { continue };
        let node = store::node(&snapshot, *id).unwrap().unwrap();
        let expected = HashingEmbedder.embed(&[&model_text(&node)]).unwrap();
        assert!(crate::embed::cosine(made, &expected[0]) > 0.99, "{node:?}");
    }
    assert_eq!(vectors.iter().flatten().count() as u64, total);
}
