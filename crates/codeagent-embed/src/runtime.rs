//! Loads the ONNX Runtime library, once per process.
//!
//! A truncated library is never passed to the system's loader, which maps it into memory: touching
//! a missing part would end the process.
//!
//! Limitations: one library per process; another one is an error until a restart.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use object::read::{ReadCache, ReadRef};
use object::{Object, ObjectSegment};
use ort::environment::Environment;

use crate::error::ModelError;

/// A loaded library and its path.
static LOADED: Mutex<Option<(PathBuf, Environment)>> = Mutex::new(None);

/// Loads the runtime library at `path`.
pub(crate) fn load(path: &Path) -> Result<Environment, ModelError> {
    let path = &path.canonicalize().map_err(ModelError::unreadable(path))?;
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);

    match &*loaded {
        Some((first, environment)) if first == path => return Ok(environment.clone()),
        Some((first, _)) => {
            return Err(ModelError::OtherRuntime {
                first: first.clone(),
                requested: path.clone(),
            });
        }
        None => {}
    }

    check_complete(path)?;
    let bad = |problem: String| ModelError::BadLibrary {
        path: path.clone(),
        problem,
    };

    let builder = ort::init_from(path).map_err(|error| match error {
        ort::LoadDynamicError::BadVersion { version_str, .. } => ModelError::OldRuntime {
            path: path.clone(),
            found: version_str,
        },
        other => bad(other.to_string()),
    })?;

    let environment = builder
        .with_name("codeagent")
        .with_telemetry(false)
        .build()
        .map_err(|error| bad(error.to_string()))?;

    *loaded = Some((path.clone(), environment.clone()));
    Ok(environment)
}

/// Checks that all parts listed in a library's headers are within the file.
pub(crate) fn check_complete(path: &Path) -> Result<(), ModelError> {
    let file = std::fs::File::open(path).map_err(ModelError::unreadable(path))?;

    let cache = ReadCache::new(file);
    let cut = |problem: String| ModelError::CutLibrary {
        path: path.to_owned(),
        problem,
    };

    let length = (&cache)
        .len()
        .map_err(|()| cut("its length is unknown".to_owned()))?;
    let library = object::File::parse(&cache).map_err(|error| cut(error.to_string()))?;

    let mut end = 0;
    for segment in library.segments() {
        let (start, size) = segment.file_range();
        end = end.max(start.saturating_add(size));
    }

    if end > length {
        return Err(cut(format!("it has {length} bytes of at least {end}")));
    }
    if end == 0 {
        return Err(cut("it has no loadable segment".to_owned()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        (folder, path)
    }

    fn refused(path: &Path) -> ModelError {
        match load(path) {
            Ok(_) => panic!("{} was loaded", path.display()),
            Err(error) => error,
        }
    }

    #[test]
    fn a_missing_library_is_an_error() {
        let error = refused(Path::new("/nowhere/libonnxruntime.so"));
        assert!(matches!(&error, ModelError::Unreadable { .. }), "{error}");
        assert!(
            error.to_string().contains("codeagent model install"),
            "{error}"
        );
    }

    #[test]
    fn a_text_or_empty_file_is_not_a_library() {
        for bytes in [&b"this is no library\n"[..], &[], &[0; 4096]] {
            let (_folder, path) = file("libonnxruntime.so", bytes);
            assert!(matches!(refused(&path), ModelError::CutLibrary { .. }));
        }
    }

    /// The test program has the file format of a library.
    #[test]
    fn a_truncated_library_is_refused_at_any_length() {
        let program = std::env::current_exe().unwrap();
        check_complete(&program).unwrap();
        let whole = std::fs::read(&program).unwrap();

        for length in [
            1,
            63,
            64,
            1000,
            whole.len() / 3,
            whole.len() / 2,
            whole.len() * 9 / 10,
        ] {
            let (_folder, path) = file("libonnxruntime.so", &whole[..length]);
            let error = refused(&path);
            assert!(
                matches!(&error, ModelError::CutLibrary { .. }),
                "{length} of {} bytes: {error}",
                whole.len()
            );
        }
    }

    /// The C library lacks the runtime's functions.
    #[cfg(target_os = "linux")]
    #[test]
    fn an_unrelated_library_is_refused() {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let library = maps
            .lines()
            .filter_map(|line| line.split_whitespace().last())
            .find(|path| path.contains("/libc"));
        let error = refused(Path::new(library.unwrap()));
        assert!(
            matches!(&error, ModelError::BadLibrary { problem, .. } if problem.contains("OrtGetApiBase")),
            "{error}"
        );
    }
}
