//! First steps: help, common spellings of names, wrong arguments, and notes that follow the
//! results.

use std::process::Command;

use super::Shop;

/// Returns standard output and standard error as a terminal shows them.
#[cfg(unix)]
fn shown(shop: &Shop, arguments: &[&str]) -> String {
    let command = shop.command(arguments);
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "exec \"$0\" \"$@\" 2>&1"])
        .arg(command.get_program())
        .args(command.get_args())
        .current_dir(shop.root.path());
    shell.envs(
        command
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    loop {
        let shown = String::from_utf8(shell.output().unwrap().stdout).unwrap();
        // A busy machine may not have time to check for changes.
        if !shown.contains("could not check") {
            return shown;
        }
    }
}

#[cfg(unix)]
#[test]
fn notes_follow_the_results_and_name_the_command_to_type() {
    let shop = Shop::indexed();
    expect_test::expect![[r#"
        src/Shop.Api/Endpoints/OrdersEndpoint.cs:28:36: OrdersEndpoint.Handle: return Show(order, service.Place(order));
        note: calls of implementations and overrides are listed under them: `codeagent callers Shop.Services.OrderService.Place`
    "#]]
    .assert_eq(&shown(&shop, &["callers", "IOrderService.Place"]));
    expect_test::expect![[r#"
        note: Shop.Domain.Order is a class
        note: its constructors have 1 caller: `codeagent callers Shop.Domain.Order.Order`
        note: for its members: `codeagent callers 'Shop.Domain.Order.*'`
        note: it has 24 other uses: `codeagent references Shop.Domain.Order`
    "#]]
    .assert_eq(&shown(&shop, &["callers", "Shop.Domain.Order"]));
    let several = shown(&shop, &["callers", "Place"]);
    let is_head = |line: &&str| line.ends_with(" results") || line.ends_with(" result");
    let heads: Vec<&str> = several.lines().filter(is_head).collect();
    assert_eq!(heads.len(), 3, "{several}");
    assert!(
        heads[0].contains(".Place")
            && heads[0].contains(" (src/Shop.")
            && heads[0].ends_with("): 1 result"),
        "{several}"
    );
    let nothing = shown(&shop, &["callers", "Place", "--path", "nowhere"]);
    assert_eq!(
        nothing,
        "note: no result matches the filters (--path, --tests, --kind, --min-confidence)\n"
    );
}

#[test]
fn names_are_accepted_in_common_spellings() {
    let shop = Shop::indexed();
    assert!(
        shop.stdout(&["symbol", "OrderService::Place"])
            .starts_with("method Shop.Services.OrderService.Place")
    );
    assert!(
        shop.stdout(&["symbol", "Order..ctor"])
            .starts_with("constructor Shop.Domain.Order.Order(")
    );
    for file in [
        "src\\Shop.Services\\OrderService.cs",
        "OrderService.cs",
        "src/Shop.Services/OrderServ*.cs",
    ] {
        assert!(
            shop.stdout(&["outline", file]).contains("method Place("),
            "{file}"
        );
    }
    let (code, printed) = shop.failure(&["outline", "src/Shop.Domain/*.cs"]);
    assert!(
        code == 2
            && printed.contains("matches several files; pass a longer path:\nsrc/Shop.Domain/"),
        "{code} {printed}"
    );
    let (code, printed) = shop.failure(&["symbol", "OrderServic.Place"]);
    assert!(
        code == 2
            && printed.contains("did you mean one of these?\nShop.Services.OrderService.Place\n"),
        "{code} {printed}"
    );
}

#[test]
fn wrong_arguments_exit_with_code_2() {
    let shop = Shop::indexed();
    for (arguments, expected) in [
        (&["man", "nope"][..], "unknown command `nope`"),
        (
            &["export", "--out", "no/such/folder/x"],
            "no/such/folder is not a folder",
        ),
        (
            &["model", "install", "no/such/folder"],
            "no/such/folder is not a folder",
        ),
        (&["mcp", "--allow-exec"], "runs no commands"),
        (&["install", "cursor", "--root", "."], "--root"),
        (&["status", "."], "pass the repository with `--root FOLDER`"),
        (&["dependents", "Order", "--type", "inherit"], "inherits"),
    ] {
        let (code, printed) = shop.failure(arguments);
        assert!(
            code == 2 && printed.contains(expected),
            "{arguments:?}: {code} {printed}"
        );
    }
    assert_eq!(
        shop.stdout(&["version"]),
        format!("codeagent {}\n", env!("CARGO_PKG_VERSION"))
    );
    assert!(
        shop.stdout(&["callers", "PriceCalculator.Price", "--tests", "exclude"])
            .contains("OrderService.Place")
    );
    assert_eq!(
        shop.stdout(&["export", "--out", "out"]).lines().next(),
        Some("out.symbols.tsv")
    );
}

#[test]
fn index_takes_a_folder_of_the_repository() {
    let shop = Shop::new();
    std::fs::create_dir(shop.root.path().join(".git")).unwrap();
    let index = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_codeagent"));
        let output = command
            .arg("index")
            .args(arguments)
            .current_dir(shop.root.path())
            .env("CODEAGENT_DATA_DIR", shop.home())
            .output()
            .unwrap();
        let code = output.status.code();
        let printed = [output.stdout, output.stderr].concat();
        (code, String::from_utf8(printed).unwrap())
    };

    let (code, printed) = index(&["src/Shop.Domain"]);
    assert!(
        code == Some(0) && printed.starts_with("46 files, "),
        "the whole repository: {printed}"
    );
    let (code, printed) = index(&["."]);
    assert!(
        code == Some(0) && printed.starts_with("nothing changed: 46 files, "),
        "{printed}"
    );
    let (code, printed) = index(&["nowhere"]);
    assert!(
        code == Some(2) && printed.contains("nowhere"),
        "{code:?} {printed}"
    );
    let (code, printed) = index(&[".", "--root", "."]);
    assert!(
        code == Some(2) && printed.contains("cannot be used with"),
        "{code:?} {printed}"
    );
}

#[test]
fn the_demo_answers_without_a_repository_and_leaves_nothing() {
    let empty = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_codeagent"));
        let output = command
            .args(arguments)
            .current_dir(empty.path())
            .env("TMPDIR", empty.path())
            .env("CODEAGENT_DATA_DIR", empty.path().join("indexes"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };

    let answer = run(&["demo"]);
    for caller in [
        "OrdersEndpoint.Handle: ",
        "OrderService.PlaceAsync: ",
        "OrderService.Place: ",
    ] {
        assert!(answer.contains(caller), "{answer}");
    }
    if cfg!(unix) {
        assert_eq!(
            std::fs::read_dir(empty.path()).unwrap().count(),
            0,
            "nothing is left"
        );
    }

    run(&["demo", "kept"]);
    assert!(empty.path().join("kept/web/package.json").is_file());
    assert!(run(&["callers", "Order.Place", "--root", "kept"]).contains("OrderService.Place"));
    let mut again = Command::new(env!("CARGO_BIN_EXE_codeagent"));
    let again = again
        .args(["demo", "kept"])
        .current_dir(empty.path())
        .output()
        .unwrap();
    assert_eq!(
        again.status.code(),
        Some(2),
        "an existing folder is refused: {again:?}"
    );
}

#[test]
fn help_fits_the_terminal_and_ends_with_examples() {
    let help = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_codeagent"))
            .args(arguments)
            .arg("--help")
            .env("COLUMNS", "80")
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let whole = help(&[]);
    let commands = whole
        .split_once("Commands:\n")
        .unwrap()
        .1
        .split("\n\n")
        .next()
        .unwrap();
    let commands: Vec<&str> = commands
        .lines()
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    for command in commands.into_iter().filter(|command| *command != "help") {
        let page = help(&[command]);
        assert!(
            page.lines().all(|line| line.chars().count() <= 80),
            "{page}"
        );
        let last = page.trim_end().rsplit("\n\n").next().unwrap();
        let last = last.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            last.starts_with("Example") && last.contains(&format!("codeagent {command}")),
            "{command} ends with `{last}`"
        );
        let (has_root, has_json) = (page.contains("--root <FOLDER>"), page.contains("--json"));
        let expected = match command {
            "completions" | "man" | "demo" => (false, false),
            "install" | "uninstall" | "model" => (false, true),
            "watch" | "mcp" | "lsp" | "view" | "hook" => (true, false),
            _ => (true, true),
        };
        assert_eq!((has_root, has_json), expected, "{page}");
    }
}
