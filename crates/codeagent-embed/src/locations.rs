//! Finds the model and its runtime: in the user's environment, in the data folder, then in the
//! usual caches.
//!
//! A repository cannot influence the locations, because a loaded library runs with the user's
//! rights.
//!
//! Limitations: nothing is downloaded. The cache of a hub client is used only if it has all files
//! of the model.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use codeagent_workspace::{DataDirError, DataRoot};

use crate::error::ModelError;

/// Name of the model's vectors.
pub const MODEL_NAME: &str = "all-MiniLM-L6-v2";

/// Name of the model file in its folder.
pub(crate) const MODEL_FILE: &str = "model.onnx";

/// Names of the other files that a model needs.
pub(crate) const TOKENIZER_FILES: [&str; 4] = [
    "tokenizer.json",
    "config.json",
    "special_tokens_map.json",
    "tokenizer_config.json",
];

/// Name of the library file in the data folder.
pub(crate) const RUNTIME_FILE: &str = if cfg!(windows) {
    "onnxruntime.dll"
} else if cfg!(target_os = "macos") {
    "libonnxruntime.dylib"
} else {
    "libonnxruntime.so"
};

/// Folder of an exported model in a hub client's cache.
const HUB_FOLDER: &str = "models--Qdrant--all-MiniLM-L6-v2-onnx";

/// System-wide library folders.
#[cfg(target_os = "macos")]
const LIBRARIES: &[&str] = &["/opt/homebrew/lib", "/usr/local/lib"];
#[cfg(all(unix, not(target_os = "macos")))]
const LIBRARIES: &[&str] = &[
    "/usr/local/lib",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
];
#[cfg(not(unix))]
const LIBRARIES: &[&str] = &[];

/// The files of a model and its runtime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelFiles {
    /// The folder of the model's files.
    pub folder: PathBuf,
    /// The model itself.
    pub model: PathBuf,
    /// The runtime library.
    pub runtime: PathBuf,
}

/// The locations to search.
#[derive(Clone, Debug)]
pub struct ModelLocations {
    /// Value of `CODEAGENT_MODEL`.
    model: Option<OsString>,
    /// Value of `CODEAGENT_ONNXRUNTIME`, else `ORT_DYLIB_PATH`.
    runtime: Option<OsString>,
    /// The model folder in the data folder.
    own: PathBuf,
    /// Caches of hub clients.
    caches: Vec<PathBuf>,
    /// System library folders.
    libraries: Vec<PathBuf>,
}

impl ModelLocations {
    /// Returns the locations for this user. `home` is the root of indexes and models.
    pub fn of_user(home: &DataRoot) -> Result<Self, DataDirError> {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let hub = variable("HF_HOME").map(PathBuf::from);
        let user = variable("HOME").map(|home| PathBuf::from(home).join(".cache/huggingface/hub"));
        let fastembed = variable("FASTEMBED_CACHE_DIR").map(PathBuf::from);

        let caches = [
            hub.as_ref().map(|hub| hub.join("hub")),
            hub,
            user.filter(|_| cfg!(unix)),
            fastembed,
        ];

        Ok(Self {
            model: variable("CODEAGENT_MODEL"),
            runtime: variable("CODEAGENT_ONNXRUNTIME").or_else(|| variable("ORT_DYLIB_PATH")),
            own: home.path()?.join("models"),
            caches: caches.into_iter().flatten().collect(),
            libraries: LIBRARIES.iter().map(PathBuf::from).collect(),
        })
    }

    /// Returns locations that consist of this folder only.
    #[must_use]
    pub fn only(own: PathBuf) -> Self {
        Self {
            model: None,
            runtime: None,
            own,
            caches: Vec::new(),
            libraries: Vec::new(),
        }
    }

    /// Returns the folder for the model's files below [`Self::own`].
    #[must_use]
    pub fn own_model(&self) -> PathBuf {
        self.own.join(MODEL_NAME)
    }

    /// Returns the path of the library below [`Self::own`].
    #[must_use]
    pub fn own_runtime(&self) -> PathBuf {
        self.own.join("onnxruntime").join(RUNTIME_FILE)
    }

    /// Returns the folder in which model and library are installed.
    #[must_use]
    pub fn own(&self) -> &Path {
        &self.own
    }

    /// Finds the model and its runtime. Returns `None` if there is no model, or the user disabled
    /// it.
    pub fn find(&self) -> Result<Option<ModelFiles>, ModelError> {
        let folder = match &self.model {
            Some(named) if named == "off" => return Ok(None),
            // A problem with a folder that the user named is an error.
            Some(named) => PathBuf::from(named),
            None => match self.installed() {
                Some(folder) => folder,
                None => return Ok(None),
            },
        };

        let runtime = match &self.runtime {
            Some(named) => PathBuf::from(named),
            None => self
                .library(&folder)
                .ok_or_else(|| ModelError::NoRuntime(folder.clone()))?,
        };

        Ok(Some(ModelFiles {
            model: folder.join(MODEL_FILE),
            folder,
            runtime,
        }))
    }

    /// Returns the folder of an installed model.
    fn installed(&self) -> Option<PathBuf> {
        let own = self.own_model();
        if own.is_dir() {
            return Some(own);
        }
        let is_complete = |folder: &PathBuf| {
            TOKENIZER_FILES
                .iter()
                .chain([&MODEL_FILE])
                .all(|name| folder.join(name).is_file())
        };
        self.caches
            .iter()
            .filter_map(|cache| snapshot(&cache.join(HUB_FOLDER)))
            .find(is_complete)
    }

    /// Returns a library: next to the model, in the data folder, or of the system.
    fn library(&self, folder: &Path) -> Option<PathBuf> {
        let system = self
            .libraries
            .iter()
            .map(|library| library.join(RUNTIME_FILE));
        [folder.join(RUNTIME_FILE), self.own_runtime()]
            .into_iter()
            .chain(system)
            .find(|path| path.is_file())
    }
}

/// Returns the latest snapshot in a hub client's cache.
fn snapshot(model: &Path) -> Option<PathBuf> {
    let revision = std::fs::read_to_string(model.join("refs/main")).ok()?;
    let revision = revision.trim();
    let is_name = !revision.is_empty() && revision.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_name.then(|| model.join("snapshots").join(revision))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(path: &Path) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "x").unwrap();
    }

    fn model_in(folder: &Path) {
        TOKENIZER_FILES
            .iter()
            .chain([&MODEL_FILE])
            .for_each(|name| touch(&folder.join(name)));
    }

    #[test]
    fn no_installed_model_is_not_an_error() {
        let own = tempfile::tempdir().unwrap();
        assert_eq!(
            ModelLocations::only(own.path().to_owned()).find().unwrap(),
            None
        );
    }

    #[test]
    fn named_models_precede_installed_ones_and_caches() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let snapshot = at("cache").join(HUB_FOLDER).join("snapshots/abc");
        model_in(&snapshot);
        std::fs::create_dir_all(at("cache").join(HUB_FOLDER).join("refs")).unwrap();
        std::fs::write(at("cache").join(HUB_FOLDER).join("refs/main"), "abc\n").unwrap();
        let mut places = ModelLocations {
            caches: vec![at("cache")],
            libraries: vec![at("lib")],
            ..ModelLocations::only(at("own"))
        };
        assert!(
            matches!(places.find(), Err(ModelError::NoRuntime(model)) if model == snapshot),
            "a model alone is said to lack a runtime"
        );
        touch(&at("lib").join(RUNTIME_FILE));
        let found = places.find().unwrap().unwrap();
        assert_eq!(
            (found.folder, found.runtime),
            (snapshot, at("lib").join(RUNTIME_FILE))
        );

        model_in(&places.own_model());
        touch(&places.own_runtime());
        let found = places.find().unwrap().unwrap();
        assert_eq!(
            (found.folder, found.runtime),
            (places.own_model(), places.own_runtime())
        );

        places.model = Some(at("named").into());
        places.runtime = Some(at("other.so").into());
        let found = places.find().unwrap().unwrap();
        assert_eq!(
            (found.folder, found.runtime),
            (at("named"), at("other.so")),
            "even if it is not there: opening says so"
        );

        places.model = Some("off".into());
        assert_eq!(places.find().unwrap(), None);
    }

    #[test]
    fn incomplete_or_foreign_caches_are_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let hub = folder.path().join(HUB_FOLDER);
        model_in(&hub.join("snapshots/abc"));
        std::fs::remove_file(hub.join("snapshots/abc/config.json")).unwrap();
        std::fs::create_dir_all(hub.join("refs")).unwrap();
        let places = ModelLocations {
            caches: vec![folder.path().to_owned()],
            ..ModelLocations::only(folder.path().join("own"))
        };
        for revision in ["abc", "../snapshots/abc", ""] {
            std::fs::write(hub.join("refs/main"), revision).unwrap();
            assert_eq!(places.find().unwrap(), None, "{revision:?}");
        }
    }
}
