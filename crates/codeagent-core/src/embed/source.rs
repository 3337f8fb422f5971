//! Is there a model that makes vectors, and which? It is opened by whoever first needs it, and
//! closed when nobody has for a while.
//!
//! **Limits.** What is wrong with it stays wrong: a model that is installed or mended later is seen
//! by processes that start later.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::embed::{EmbedError, Embedder};

/// What opening gives: nothing where no model is installed.
pub type Opened = Result<Option<Arc<dyn Embedder>>, EmbedError>;

/// Where a model comes from. Cheap to clone; the default has none.
#[derive(Clone, Default)]
pub struct Source(Option<Arc<Lazy>>);

struct Lazy {
    open: Box<dyn Fn() -> Opened + Send + Sync>,
    opened: Mutex<Option<Opened>>,
}

impl Source {
    /// A model that is opened this way when it is needed.
    pub fn new(open: impl Fn() -> Opened + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(Lazy {
            open: Box::new(open),
            opened: Mutex::new(None),
        })))
    }

    /// The model, opened if it is not.
    pub fn model(&self) -> Opened {
        let Some(lazy) = &self.0 else { return Ok(None) };
        // Who comes meanwhile waits for the same model.
        lazy.opened
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert_with(|| (lazy.open)())
            .clone()
    }

    /// Gives back what an open model takes; who needs it opens it again.
    pub fn close(&self) {
        if let Some(lazy) = &self.0 {
            lazy.opened
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take_if(|opened| matches!(opened, Ok(Some(_))));
        }
    }

    /// Whether it is known that it cannot be opened.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        // While somebody opens it nothing is known.
        self.0.as_ref().is_some_and(|lazy| {
            lazy.opened
                .try_lock()
                .is_ok_and(|opened| matches!(&*opened, Some(Err(_))))
        })
    }

    /// Whether there can be none.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_none() {
            "no model"
        } else {
            "a model"
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::embed::Lexhash;

    fn counted(answer: fn() -> Opened) -> (Source, Arc<AtomicUsize>) {
        let count = Arc::new(AtomicUsize::new(0));
        let own = Arc::clone(&count);
        let source = Source::new(move || {
            own.fetch_add(1, Ordering::Relaxed);
            answer()
        });
        (source, count)
    }

    #[test]
    fn is_opened_when_it_is_needed_and_again_after_it_was_closed() {
        let (source, count) = counted(|| Ok(Some(Arc::new(Lexhash))));
        let other = source.clone();
        assert_eq!(count.load(Ordering::Relaxed), 0);
        assert!(source.model().unwrap().is_some() && other.model().unwrap().is_some());
        assert_eq!(count.load(Ordering::Relaxed), 1);
        other.close();
        assert!(source.model().unwrap().is_some());
        assert_eq!(count.load(Ordering::Relaxed), 2);
        assert!(Source::default().model().unwrap().is_none());
    }

    #[test]
    fn trouble_stays() {
        let (source, count) = counted(|| Err(EmbedError::Unavailable("too old".to_owned())));
        assert!(
            source
                .model()
                .is_err_and(|error| error.to_string() == "too old")
        );
        source.close();
        assert!(source.model().is_err() && source.is_broken() && !Source::default().is_broken());
        assert_eq!(count.load(Ordering::Relaxed), 1);
    }
}
