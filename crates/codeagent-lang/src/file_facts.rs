//! The facts of one file of a world: known from the start, or loaded when they are first read.
//!
//! Most declaration files of packages are never read. Until one is, the indexes over all files know
//! its [`DeclarationOutline`], which is found without parsing.
//!
//! Limitations: loading has no error. A file that can no longer be read has the facts of an empty
//! text; the change of the file is noticed by the next comparison of the packages.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use codeagent_model::facts::Facts;
use codeagent_model::graph::Dialect;
use serde::{Deserialize, Serialize};

/// What the indexes need to know of a declaration file whose facts are loaded on demand. The file
/// augments nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclarationOutline {
    /// The module specifiers, sorted, one a line.
    specifiers: String,
    /// The names that the file may export, one a line.
    exported: String,
    /// The other names in the file, one a line.
    others: String,
    /// The specifiers of `export *`, in source order, one a line.
    stars: String,
    /// The names that the file may declare globally, one a line.
    globals: String,
    /// The ambient modules that the file declares, one a line.
    ambient: String,
    /// Whether the file exports one value as a whole (`export = value`).
    pub is_assigned: bool,
}

impl DeclarationOutline {
    /// Creates an outline from the module specifiers, sorted, and the names that the file exports.
    /// No text may contain a line break.
    #[must_use]
    pub fn new(specifiers: &[&str], exported: &[&str]) -> Self {
        Self {
            specifiers: specifiers.join("\n"),
            exported: exported.join("\n"),
            ..Self::default()
        }
    }

    /// Adds the other names in the file.
    #[must_use]
    pub fn with_names(mut self, others: &[&str]) -> Self {
        self.others = others.join("\n");
        self
    }

    /// Adds the specifiers of `export *`, in source order.
    #[must_use]
    pub fn with_stars(mut self, stars: &[&str]) -> Self {
        self.stars = stars.join("\n");
        self
    }

    /// Adds the names that the file may declare globally, and the ambient modules that it declares.
    /// All of them are names or specifiers of the file too.
    #[must_use]
    pub fn with_globals(mut self, globals: &[&str], ambient: &[&str]) -> Self {
        self.globals = globals.join("\n");
        self.ambient = ambient.join("\n");
        self
    }

    /// Returns the module specifiers, sorted.
    pub fn specifiers(&self) -> impl Iterator<Item = &str> {
        lines(&self.specifiers)
    }

    /// Returns the names that the file exports, and possibly more.
    pub fn exported(&self) -> impl Iterator<Item = &str> {
        lines(&self.exported)
    }

    /// Returns the specifiers of `export *`, in source order.
    pub fn stars(&self) -> impl Iterator<Item = &str> {
        lines(&self.stars)
    }

    /// Returns the names that the file declares globally, and possibly more.
    pub fn globals(&self) -> impl Iterator<Item = &str> {
        lines(&self.globals)
    }

    /// Returns the ambient modules that the file declares.
    pub fn ambient(&self) -> impl Iterator<Item = &str> {
        lines(&self.ambient)
    }

    /// Returns all names in the file, and possibly more.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.exported().chain(lines(&self.others))
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').filter(|line| !line.is_empty())
}

/// The facts of a file. Reading them loads them if needed.
#[derive(Clone)]
pub enum FileFacts {
    /// Known from the start.
    Present(Arc<Facts>),
    /// Loaded when they are first read.
    OnDemand(Arc<FactsOnDemand>),
}

/// Facts that are loaded when they are first read.
pub struct FactsOnDemand {
    dialect: Dialect,
    outline: DeclarationOutline,
    facts: OnceLock<Arc<Facts>>,
    load: Box<dyn Fn() -> Arc<Facts> + Send + Sync>,
}

impl FileFacts {
    /// Creates facts that `load` returns when they are first read. It must not wait for other
    /// threads.
    pub fn on_demand(
        dialect: Dialect,
        outline: DeclarationOutline,
        load: impl Fn() -> Arc<Facts> + Send + Sync + 'static,
    ) -> Self {
        Self::OnDemand(Arc::new(FactsOnDemand {
            dialect,
            outline,
            facts: OnceLock::new(),
            load: Box::new(load),
        }))
    }

    /// Returns the outline of facts that are loaded on demand, also after they were loaded.
    #[must_use]
    pub fn outline(&self) -> Option<&DeclarationOutline> {
        match self {
            Self::Present(_) => None,
            Self::OnDemand(facts) => Some(&facts.outline),
        }
    }

    /// Returns the dialect, without loading the facts.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        match self {
            Self::Present(facts) => facts.header.dialect,
            Self::OnDemand(facts) => facts.dialect,
        }
    }

    /// Returns the facts if they are known or were loaded.
    #[must_use]
    pub fn loaded(&self) -> Option<&Arc<Facts>> {
        match self {
            Self::Present(facts) => Some(facts),
            Self::OnDemand(facts) => facts.facts.get(),
        }
    }

    /// Returns the facts to share them.
    #[must_use]
    #[inline]
    pub fn shared(&self) -> &Arc<Facts> {
        match self {
            Self::Present(facts) => facts,
            Self::OnDemand(on_demand) => on_demand.facts.get_or_init(|| (on_demand.load)()),
        }
    }
}

impl Deref for FileFacts {
    type Target = Facts;

    #[inline]
    fn deref(&self) -> &Facts {
        self.shared()
    }
}

impl From<Arc<Facts>> for FileFacts {
    fn from(facts: Arc<Facts>) -> Self {
        Self::Present(facts)
    }
}

impl fmt::Debug for FileFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FileFacts").field(&self.dialect()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn facts_are_loaded_once_and_only_when_they_are_read() {
        let loads = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&loads);
        let outline = DeclarationOutline::new(&["./a", "b"], &["A"]).with_names(&["c"]);
        let facts = FileFacts::on_demand(Dialect::Ts, outline, move || {
            counted.fetch_add(1, Ordering::Relaxed);
            Arc::new(Facts::of(Dialect::Ts))
        });

        let names: Vec<&str> = facts.outline().unwrap().names().collect();
        assert_eq!(names, ["A", "c"]);
        assert_eq!(facts.dialect(), Dialect::Ts);
        assert!(facts.loaded().is_none());

        let other = facts.clone();
        assert_eq!(other.header.dialect, Dialect::Ts);
        assert_eq!(facts.header.dialect, Dialect::Ts);
        assert!(facts.loaded().is_some());
        assert_eq!(loads.load(Ordering::Relaxed), 1);
    }
}
