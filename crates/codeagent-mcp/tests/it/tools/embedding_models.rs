//! How the server reports an embedding model that works and one that does not, without naming a
//! path of the machine.

use std::sync::Arc;
use std::time::{Duration, Instant};

use codeagent_core::embed::{EmbedError, Embedder, HashingEmbedder, ModelHandle, Vector};
use codeagent_mcp::state::{Indexing, MODEL_BROKEN, State};

use crate::tools::support::home;

/// A fake model that takes this long per batch.
struct Slow(Duration);

impl Embedder for Slow {
    fn name(&self) -> &str {
        "slow"
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
        std::thread::sleep(self.0 * texts.len() as u32);
        HashingEmbedder.embed(texts)
    }
}

/// Starts a server with a model and polls its status until `wanted` holds.
fn call_text(source: ModelHandle, wanted: impl Fn(Option<&str>, Option<&str>) -> bool) {
    let root = tempfile::tempdir().unwrap();
    let methods: String = (0..100)
        .map(|number| format!("void M{number}() {{ }}\n"))
        .collect();
    std::fs::write(root.path().join("a.cs"), format!("class A {{ {methods} }}")).unwrap();
    let state = State::with_indexing(
        root.path(),
        home(root.path()),
        Indexing {
            threads: 1,
            model: source,
            ..Indexing::default()
        },
    )
    .unwrap();
    state.start();
    let began = Instant::now();
    loop {
        let (report, note, _) = state.status().unwrap();
        if wanted(note.as_deref(), report.embedding_model.as_deref()) {
            break;
        }
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "{note:?} {report:?}"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    state.close();
}

#[test]
fn get_status_reports_embedding_progress() {
    let slow = || ModelHandle::new(|| Ok(Some(Arc::new(Slow(Duration::from_millis(4))))));
    call_text(slow(), |note, model| {
        note.is_some_and(|note| note.contains(" of 101 symbols have a vector (slow)"))
            && model == Some("lexhash-384")
    });
    call_text(slow(), |note, model| {
        note.is_none() && model == Some("slow")
    });
}

#[test]
fn get_status_reports_an_unusable_model_without_its_path() {
    let broken = ModelHandle::new(|| Err(EmbedError::Unavailable("cut off: a/b/c".to_owned())));
    call_text(broken, |note, model| {
        note == Some(MODEL_BROKEN) && model == Some("lexhash-384")
    });
}
