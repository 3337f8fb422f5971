//! Builds the rule tests with switchable branches.
//!
//! The workspace is copied to `target/mutants`, and the resolvers in the copy are instrumented. The
//! copy reuses the workspace's built dependencies: its version differs, so cargo keeps the two
//! apart in one target folder.
//!
//! Limitations: builds the dev profile.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};

use super::check::Program;

/// Files and folders of the workspace that are copied.
const COPIED: &[&str] = &[
    "crates",
    "tests",
    "benches",
    "migrations",
    "Cargo.toml",
    "Cargo.lock",
];

/// The resolvers' files and folders, each by short crate name and path in `src`.
const RESOLVERS: &[&str] = &[
    "csharp/resolve",
    "typescript/resolve",
    "lang/query",
    "lang/nodes",
    "lang/dependencies.rs",
    "lang/resolution.rs",
    "lang/world.rs",
];

/// The root of the crate that defines [`SWITCH`] for all resolvers.
const ROOT: &str = "lang/lib.rs";

/// The packages whose test programs are run, each with the kind of its target.
const PACKAGES: &[(&str, &str)] = &[
    ("codeagent-core", "test"),
    ("codeagent-lang", "lib"),
    ("codeagent-csharp", "lib"),
    ("codeagent-typescript", "lib"),
];

/// Returns the path of a source: `lang/world.rs` is `crates/codeagent-lang/src/world.rs`.
#[must_use]
pub fn source_path(file: &str) -> PathBuf {
    let (name, inside) = file.split_once('/').unwrap_or((file, ""));
    Path::new("crates")
        .join(format!("codeagent-{name}/src"))
        .join(inside)
}

/// Source of the switch: `on(n)` returns true for the mutant that `MUTANT` names. With
/// `REACHED=FILE`, it also appends each requested number to the file, once. Never inlined, because
/// it occurs thousands of times.
const SWITCH: &str = "
extern crate self as codeagent_lang;

/// The branch that is switched in this process.
pub mod mutant {
    use std::fs::File;
    use std::io::Write as _;
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicBool, Ordering};

    struct Mode {
        switched: usize,
        reached: Option<(File, Vec<AtomicBool>)>,
    }

    static MODE: LazyLock<Mode> = LazyLock::new(|| Mode {
        switched: std::env::var(\"MUTANT\").map_or(0, |number| number.parse().expect(\"a number\")),
        reached: std::env::var_os(\"REACHED\").map(|path| {
            let file = File::options().create(true).append(true).open(path).expect(\"a file\");
            (file, (0..1 << 16).map(|_| AtomicBool::new(false)).collect())
        }),
    });

    /// Whether the process runs this mutant.
    #[inline(never)]
    pub fn on(number: usize) -> bool {
        let mode = &*MODE;
        if let Some((file, seen)) = &mode.reached
            && !seen[number].swap(true, Ordering::Relaxed)
        {
            (&*file).write_all(format!(\"{number}\\n\").as_bytes()).expect(\"written\");
        }
        mode.switched == number
    }
}
";

/// Files of the resolvers that do not affect the edges of a fresh index: explanations, rows of other
/// kinds, which have tests of their own, and what is resolved again after an edit, which
/// `incremental_equals_full.rs` and the unit tests check.
const WITHOUT_RULES: &[&str] = &[
    "tests",
    "explain",
    "dispatch",
    "display.rs",
    "external_symbols.rs",
    "object_functions.rs",
    "overload_trace.rs",
    "patch.rs",
    "patch/",
];

/// Reads the resolvers' sources by short crate name and path, without tests and explanations.
///
/// # Errors
///
/// A file cannot be read.
pub fn sources(root: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    for resolver in RESOLVERS {
        let top = root.join(source_path(resolver));

        let paths = if top.is_dir() {
            files(&top)?
        } else {
            vec![top.clone()]
        };

        for path in paths {
            let inside = path.strip_prefix(&top)?.to_string_lossy();
            let name = format!("{resolver}/{}", inside.replace('\\', "/"));
            let name = name.trim_end_matches('/').to_owned();
            if !WITHOUT_RULES.iter().any(|part| name.contains(part)) {
                found.insert(name, fs::read_to_string(&path)?);
            }
        }
    }

    Ok(found)
}

/// Writes the copy with the given texts, builds its tests and returns the programs.
///
/// # Errors
///
/// The copy cannot be written or does not compile.
pub fn build(root: &Path, instrumented: &BTreeMap<String, String>) -> anyhow::Result<Vec<Program>> {
    let copy = root.join("target/mutants");
    let mut wanted = BTreeMap::new();

    for name in COPIED {
        let from = root.join(name);
        let paths = if from.is_dir() {
            files(&from)?
        } else {
            vec![from]
        };

        for path in paths {
            wanted.insert(path.strip_prefix(root)?.to_owned(), fs::read(&path)?);
        }
    }

    let manifest = fs::read_to_string(root.join("Cargo.toml"))?;
    let (head, rest) = manifest
        .split_once("\nversion = \"")
        .context("the workspace has no version")?;

    // Dependencies on the workspace's crates name the version without this suffix.
    let (version, tail) = rest.split_once('"').context("the version does not end")?;
    wanted.insert(
        "Cargo.toml".into(),
        format!("{head}\nversion = \"{version}+mutants\"{tail}").into_bytes(),
    );

    for (name, text) in instrumented {
        wanted.insert(source_path(name), text.clone().into_bytes());
    }

    let lib = wanted
        .get_mut(&source_path(ROOT))
        .context("the crate of the switch has no root")?;
    lib.extend_from_slice(SWITCH.as_bytes());

    for old in if copy.exists() {
        files(&copy)?
    } else {
        Vec::new()
    } {
        if !wanted.contains_key(old.strip_prefix(&copy)?) {
            fs::remove_file(&old)?;
        }
    }

    for (name, text) in &wanted {
        write_changed(&copy.join(name), text)?;
    }

    compile(root, &copy)
}

/// Builds the test programs of the copy, all at once: built alone, a package may need dependencies
/// with other features.
fn compile(root: &Path, copy: &Path) -> anyhow::Result<Vec<Program>> {
    let packages = PACKAGES.iter().flat_map(|(package, _)| ["-p", package]);
    let output = Command::new(env!("CARGO"))
        .args(["test", "--offline", "--no-run", "--lib", "--test", "it"])
        .arg("--message-format=json-render-diagnostics")
        .args(packages)
        .arg("--target-dir")
        .arg(root.join("target"))
        .current_dir(copy)
        .stderr(Stdio::piped())
        .output()?;

    if !output.status.success() {
        bail!(
            "the mutants do not compile:\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }

    let messages = String::from_utf8(output.stdout)?;
    let built: Vec<serde_json::Value> = messages
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let program = |(package, kind): &(&'static str, &str)| {
        let folder = copy.join("crates").join(package);
        let is_program = |message: &&serde_json::Value| {
            let manifest = message["manifest_path"].as_str().map(Path::new);
            message["profile"]["test"] == true
                && message["target"]["kind"][0] == *kind
                && manifest == Some(&folder.join("Cargo.toml"))
        };
        let message = built.iter().find(is_program);
        let path = message.and_then(|message| message["executable"].as_str());
        let path = path.with_context(|| format!("cargo names no test program of {package}"))?;
        Ok(Program::new(package, path.into(), folder.clone()))
    };
    PACKAGES.iter().map(program).collect()
}

/// Writes a file unless it is unchanged, so that cargo rebuilds only what changed.
fn write_changed(path: &Path, text: &[u8]) -> anyhow::Result<()> {
    if fs::read(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text).with_context(|| path.display().to_string())
}

/// Returns all files below a folder, sorted.
fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    for path in entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()?
    {
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
