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
fn said(command: &mut Command) -> (i32, String, String) {
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
    let (code, told, _) = said(&mut command(&shop, &["model", "status"]));
    assert!(
        code == 0 && told.contains("codeagent model install --from-pip"),
        "{told}"
    );
    let (_, told, _) = said(&mut command(&shop, &["model", "status", "--json"]));
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&told).unwrap()["model"],
        serde_json::Value::Null
    );
    assert_eq!(
        said(&mut command(&shop, &["model", "remove"])).1,
        "nothing was installed\n"
    );
    assert_eq!(said(&mut command(&shop, &["model", "install"])).0, 2);
    assert_eq!(
        said(&mut command(
            &shop,
            &["model", "install", "a", "--from-pip"]
        ))
        .0,
        2
    );
    let (code, _, told) = said(&mut command(&shop, &["model", "install", "."]));
    assert!(
        code == 1 && told.contains("no tokenizer.json in") && told.contains("--from-pip"),
        "{told}"
    );
    let (_, told, _) = said(&mut command(&shop, &["status"]));
    assert!(told.contains(" of lexhash-384"), "{told}");
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
        said(
            command
                .env("CODEAGENT_MODEL", &folder)
                .env("CODEAGENT_ONNXRUNTIME", folder.join("library.so")),
        )
    };
    let (code, _, told) = broken(&["model", "status"]);
    assert!(
        code == 1
            && told.contains("is not a complete library")
            && told.contains("codeagent model install"),
        "{told}"
    );
    let (code, told, _) = broken(&["doctor"]);
    assert!(
        code == 1 && told.contains("!! model: ") && told.contains("is not a complete library"),
        "{told}"
    );
    let (code, told, _) = broken(&["search", "where are orders placed"]);
    assert!(code == 0 && told.contains("Place"), "{told}");

    std::fs::remove_file(folder.join("tokenizer.json")).unwrap();
    let (code, _, told) = broken(&["model", "status"]);
    assert!(
        code == 1 && told.contains("cannot read") && told.contains("tokenizer.json"),
        "{told}"
    );

    let mut nowhere = command(&shop, &["status"]);
    let (code, _, told) = said(nowhere.env("CODEAGENT_MODEL", shop.root.path().join("nowhere")));
    assert!(
        code == 0 && told.contains("no ONNX Runtime found"),
        "{told}"
    );
    let mut off = command(&shop, &["model", "status"]);
    assert!(
        said(off.env("CODEAGENT_MODEL", "off"))
            .1
            .starts_with("no model")
    );
}
