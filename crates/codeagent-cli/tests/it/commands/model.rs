//! Without a model, or with a damaged one, everything else works and the message says what to do.

use std::process::Command;

use super::Shop;

/// Returns a command of a user without caches.
fn command(shop: &Shop, arguments: &[&str]) -> Command {
    let mut command = shop.command(arguments);
    for name in [
        "CODEAGENT_MODEL",
        "CODEAGENT_ONNXRUNTIME",
        "ORT_DYLIB_PATH",
        "HF_HOME",
        "FASTEMBED_CACHE_DIR",
    ] {
        command.env_remove(name);
    }
    command.env("HOME", shop.root.path());
    command
}

/// Returns exit code, standard output and standard error.
fn run_and_capture(command: &mut Command) -> (i32, String, String) {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn model_commands_without_a_model_say_how_to_install_one() {
    let shop = Shop::indexed();
    let (code, answer, _) = run_and_capture(&mut command(&shop, &["model", "status"]));
    assert!(
        code == 0 && answer.contains("codeagent model install --from-pip"),
        "{answer}"
    );
    let (_, answer, _) = run_and_capture(&mut command(&shop, &["model", "status", "--json"]));
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&answer).unwrap()["model"],
        serde_json::Value::Null
    );
    assert_eq!(
        run_and_capture(&mut command(&shop, &["model", "remove"])).1,
        "nothing was installed\n"
    );
    assert_eq!(
        run_and_capture(&mut command(&shop, &["model", "install"])).0,
        2
    );
    assert_eq!(
        run_and_capture(&mut command(
            &shop,
            &["model", "install", "a", "--from-pip"]
        ))
        .0,
        2
    );
    let (code, _, answer) = run_and_capture(&mut command(&shop, &["model", "install", "."]));
    assert!(
        code == 1 && answer.contains("no tokenizer.json in") && answer.contains("--from-pip"),
        "{answer}"
    );
    let (_, answer, _) = run_and_capture(&mut command(&shop, &["status"]));
    assert!(answer.contains(" of lexhash-384"), "{answer}");
}

#[test]
fn a_damaged_model_is_reported_and_queries_work() {
    let shop = Shop::indexed();
    let folder = shop.root.path().join("model");
    std::fs::create_dir(&folder).unwrap();
    for name in [
        "model.onnx",
        "tokenizer.json",
        "config.json",
        "special_tokens_map.json",
        "tokenizer_config.json",
        "library.so",
    ] {
        std::fs::write(folder.join(name), "neither a model nor a library").unwrap();
    }
    let broken = |arguments: &[&str]| {
        let mut command = command(&shop, arguments);
        run_and_capture(
            command
                .env("CODEAGENT_MODEL", &folder)
                .env("CODEAGENT_ONNXRUNTIME", folder.join("library.so")),
        )
    };
    let (code, _, answer) = broken(&["model", "status"]);
    assert!(
        code == 1
            && answer.contains("is not a complete library")
            && answer.contains("codeagent model install"),
        "{answer}"
    );
    let (code, answer, _) = broken(&["doctor"]);
    assert!(
        code == 1 && answer.contains("!! model: ") && answer.contains("is not a complete library"),
        "{answer}"
    );
    let (code, answer, _) = broken(&["search", "where are orders placed"]);
    assert!(code == 0 && answer.contains("Place"), "{answer}");

    std::fs::remove_file(folder.join("tokenizer.json")).unwrap();
    let (code, _, answer) = broken(&["model", "status"]);
    assert!(
        code == 1 && answer.contains("cannot read") && answer.contains("tokenizer.json"),
        "{answer}"
    );

    let mut nowhere = command(&shop, &["status"]);
    let (code, _, answer) =
        run_and_capture(nowhere.env("CODEAGENT_MODEL", shop.root.path().join("nowhere")));
    assert!(
        code == 0 && answer.contains("no ONNX Runtime found"),
        "{answer}"
    );
    let mut off = command(&shop, &["model", "status"]);
    assert!(
        run_and_capture(off.env("CODEAGENT_MODEL", "off"))
            .1
            .starts_with("no model")
    );
}
