//! Is there a model that makes vectors, and which? It is opened by whoever first needs it, once in a process.
//!
//! **Limits.** What was found then stays: a model that is installed or mended later is seen by processes that start later.

use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::embed::{EmbedError, Embedder};

/// What opening gives: nothing where no model is installed.
pub type Opened = Result<Option<Arc<dyn Embedder>>, EmbedError>;

/// Where a model comes from. Cheap to clone; the default has none.
#[derive(Clone, Default)]
pub struct Source(Option<Arc<Lazy>>);

struct Lazy {
    open: Box<dyn Fn() -> Opened + Send + Sync>,
    opened: OnceLock<Opened>,
}

impl Source {
    /// A model that is opened this way when it is needed.
    pub fn new(open: impl Fn() -> Opened + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(Lazy { open: Box::new(open), opened: OnceLock::new() })))
    }

    /// The model, opened if it is not yet.
    pub fn model(&self) -> Opened {
        self.0.as_ref().map_or(Ok(None), |lazy| lazy.opened.get_or_init(|| (lazy.open)()).clone())
    }

    /// The model, if it is open.
    #[must_use]
    pub fn opened(&self) -> Option<Arc<dyn Embedder>> {
        self.0.as_ref()?.opened.get()?.as_ref().ok()?.clone()
    }

    /// What is wrong with it, as far as is known.
    #[must_use]
    pub fn trouble(&self) -> Option<EmbedError> {
        self.0.as_ref()?.opened.get()?.as_ref().err().cloned()
    }

    /// Whether there may be one.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_none() { "no model" } else { "a model" })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::embed::Lexhash;

    #[test]
    fn is_opened_once_and_when_it_is_needed() {
        let count = Arc::new(AtomicUsize::new(0));
        let own = Arc::clone(&count);
        let source = Source::new(move || {
            own.fetch_add(1, Ordering::Relaxed);
            Ok(Some(Arc::new(Lexhash)))
        });
        let other = source.clone();
        assert!(source.opened().is_none() && count.load(Ordering::Relaxed) == 0);
        assert!(source.model().unwrap().is_some() && other.model().unwrap().is_some() && other.opened().is_some());
        assert_eq!(count.load(Ordering::Relaxed), 1);
        assert!(Source::default().model().unwrap().is_none());
    }

    #[test]
    fn trouble_stays() {
        let source = Source::new(|| Err(EmbedError::Unavailable("too old".to_owned())));
        assert!(source.trouble().is_none());
        assert!(source.model().is_err() && source.opened().is_none());
        assert_eq!(source.trouble().unwrap().to_string(), "too old");
    }
}
