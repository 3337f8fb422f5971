//! The steps of the CI examples, run in two clones of a repository.

use std::path::Path;
use std::process::Command;

use codeagent_testkit::files::copy_shop;

/// Returns the steps of an example that run codeagent.
fn steps(example: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs/ci")
        .join(example);
    let text = std::fs::read_to_string(path).unwrap();
    let steps = text.lines().filter_map(|line| {
        let step = line.trim().strip_prefix("- ")?;
        let step = step.strip_prefix("run: ").unwrap_or(step);
        step.starts_with("codeagent ").then(|| step.to_owned())
    });
    steps.collect()
}

#[cfg(unix)]
#[test]
fn the_steps_of_the_ci_examples_share_an_index() {
    let outer = tempfile::tempdir().unwrap();
    let outer = outer.path().canonicalize().unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_codeagent"));
    let paths = std::env::join_paths(
        std::iter::once(program.parent().unwrap().to_owned())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    )
    .unwrap();
    let run = |folder: &str, step: &str| {
        let output = Command::new("sh")
            .args(["-ec", step])
            .current_dir(outer.join(folder))
            .env("PATH", &paths)
            .env("SNAPSHOTS", format!("file://{}/store", outer.display()))
            .env("CODEAGENT_DATA_DIR", outer.join("data").join(folder))
            .env("HOME", &outer)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(output.status.success(), "{step}: {text}");
        text
    };

    std::fs::create_dir(outer.join("store")).unwrap();
    copy_shop(&outer.join("first"));
    run(
        "first",
        "git init -q && git add . && git -c user.name=n -c user.email=e commit -qm start",
    );
    run("first", "git clone -q . ../second");

    for example in ["github.yml", "gitlab.yml"] {
        let steps = steps(example);
        assert_eq!(steps.len(), 4, "{example}");
        for step in steps {
            run("first", &step);
        }
    }

    let pulled = run(
        "second",
        "codeagent snapshot pull \"$SNAPSHOTS\" --repo app",
    );
    assert!(pulled.contains("and the graph"), "{pulled}");
    assert!(run("second", "codeagent index").starts_with("nothing changed"));
    let listed = run("second", "codeagent snapshot ls \"$SNAPSHOTS\"");
    assert!(listed.starts_with("app "), "{listed}");
}
