//! The commands, run as people run them on a copy of `tests/shop`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

mod between_services;
mod by_convention;
mod changes;
mod chosen_targets;
mod clean;
#[cfg(unix)]
mod daemon;
mod described;
mod diagrams;
mod explore;
mod first_steps;
mod flows;
mod followed;
mod hook;
mod inactive_code;
mod interface_texts;
mod kinds;
mod lists;
mod model;
mod notes;
mod packages;
mod questions;
mod razor;
mod roots;
mod routes;
mod sentences;
mod servers;
mod subjects;
#[cfg(unix)]
mod terminal;
mod unknown_targets;
mod values;
mod whole_answers;
mod wording;

use codeagent_workspace::{DataDir, DataRoot};
use expect_test::expect;

use crate::shop;

struct Shop {
    root: tempfile::TempDir,
}

/// A question about some files, and lines that its answer has.
struct Case {
    files: &'static [(&'static str, &'static str)],
    question: &'static str,
    expected: &'static [&'static str],
}

fn assert_answers(cases: &[Case]) {
    let mut failed = String::new();
    for case in cases {
        let shop = Shop::with(case.files);
        let text = shop.stdout(&["explore", case.question]);
        let mut expected = case.expected.iter();
        if let Some(missing) = expected.find(|expected| !text.contains(**expected)) {
            failed += &format!("{}\n{text}\nhas no {missing:?}\n\n", case.question);
        }
    }
    assert!(failed.is_empty(), "{failed}");
}

impl Shop {
    fn new() -> Self {
        Self {
            root: shop::copy(""),
        }
    }

    fn indexed() -> Self {
        let shop = Self::new();
        assert_eq!(shop.run(&["index"]).status.code(), Some(0));
        shop
    }

    /// A shop with more files, indexed.
    fn with(files: &[(&str, &str)]) -> Self {
        let shop = Self::new();
        for (path, text) in files {
            let path = shop.root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        assert_eq!(shop.run(&["index"]).status.code(), Some(0));
        shop
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_codeagent"));
        command
            .args(arguments)
            .env("CODEAGENT_DATA_DIR", self.home())
            .env_remove("CODEAGENT_LOG");
        if !matches!(
            arguments.first(),
            Some(&("model" | "install" | "uninstall" | "completions" | "man" | "version"))
        ) {
            command.arg("--root").arg(self.root.path());
        }
        command.current_dir(self.root.path());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn stdout(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs commands, each of which prints a text to one of the standard streams.
    fn assert_prints<const N: usize>(&self, cases: &[([&str; N], &str)]) {
        for (arguments, expected) in cases {
            let run = self.run(arguments);
            let text = String::from_utf8([run.stdout, run.stderr].concat()).unwrap();
            assert!(text.contains(expected), "{arguments:?}: {text}");
        }
    }

    /// Returns the exit code and the text on standard error.
    fn failure(&self, arguments: &[&str]) -> (i32, String) {
        let output = self.run(arguments);
        (
            output.status.code().unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    }

    /// Returns the data root of the index: never the user's own.
    fn home(&self) -> PathBuf {
        self.root.path().join(".codeagent/indexes")
    }

    fn data(&self) -> DataDir {
        DataRoot::at(self.home())
            .data_dir(&self.root.path().canonicalize().unwrap())
            .unwrap()
    }

    fn database(&self) -> PathBuf {
        self.data().database().unwrap()
    }
}

#[test]
fn index_reports_counts_and_whether_anything_changed() {
    let shop = Shop::new();
    let first = shop.stdout(&["index"]);
    assert!(
        first.starts_with("46 files, ")
            && first.contains("% of calls resolved")
            && first.lines().count() == 1,
        "{first}"
    );
    assert!(
        shop.stdout(&["index"])
            .starts_with("nothing changed: 46 files")
    );
    std::fs::write(
        shop.root.path().join("web/new.ts"),
        "export const added = 1;\n",
    )
    .unwrap();
    assert!(shop.stdout(&["index", "--verbose"]).starts_with("47 files"));
    assert!(
        shop.stdout(&["search", "added"])
            .contains("web/new.ts:1: variable added")
    );
}

#[test]
fn symbols_are_found_and_their_relations_listed() {
    let shop = Shop::indexed();
    expect![[r#"
        src/Shop.Services/OrderService.cs:33:28: OrderService.Place: var total = prices.Price(order);
    "#]]
    .assert_eq(&shop.stdout(&["callers", "PriceCalculator.Price"]));
    let through = String::from_utf8(shop.run(&["callers", "OrderService.Place"]).stderr).unwrap();
    assert!(
        through.contains("calls through an interface")
            && through.contains("`codeagent callers Shop.Services.IOrderService.Place`"),
        "{through}"
    );
    expect![[r#"
        web/packages/app/src/state/cart.ts:25:37: OrdersApi.place (web/packages/client/src/orders.ts:9): const order = await this.orders.place(this.lines);
        web/packages/app/src/state/cart.ts:27:10: Observable.emit (web/packages/app/src/state/observable.ts:11): this.emit(this.lines);
    "#]]
    .assert_eq(&shop.stdout(&["callees", "CartStore.checkout"]));
    expect![[r#"
        src/Shop.Domain/Discounts/BulkDiscount.cs:3:44: implements BulkDiscount: public class BulkDiscount(int threshold) : IDiscount
        src/Shop.Domain/Discounts/LevelDiscount.cs:3:30: implements LevelDiscount: public class LevelDiscount : IDiscount
    "#]]
    .assert_eq(&shop.stdout(&["implementations", "IDiscount"]));
    expect![[r#"
        src/Shop.Domain/Order.Status.cs:14:66: references Order.Place: public void Place() => Advance(OrderStatus.Open, OrderStatus.Placed);
        src/Shop.Domain/Order.Status.cs:16:47: references Order.Ship: public void Ship() => Advance(OrderStatus.Placed, OrderStatus.Shipped);
    "#]]
    .assert_eq(&shop.stdout(&["references", "Shop.Domain.OrderStatus.Placed"]));
    expect![[r#"
        1     namespace Shop.Domain
        3       public enum OrderStatus
        5         public enum_member Open
        6         public enum_member Placed
        7         public enum_member Shipped
        10      public class Order
        12        public property Status
        14        public method Place()
        16        public method Ship()
        18        private method Advance(OrderStatus from, OrderStatus to)
        25        private method Require(OrderStatus status)
    "#]]
    .assert_eq(&shop.stdout(&["outline", "src/Shop.Domain/Order.Status.cs"]));
    expect![[r#"
        method Shop.Services.Extensions.OrderExtensions.Label(this OrderStatus status): string  src/Shop.Services/Extensions/OrderExtensions.cs:7
            node_id ncr4oe2mg366h, project src/Shop.Services/Shop.Services.csproj, used 1 time
            public, static, part of the public API
            declared src/Shop.Services/Extensions/OrderExtensions.cs:7-7
    "#]].assert_eq(&shop.stdout(&["symbol", "OrderExtensions.Label"]));
    assert!(
        shop.stdout(&["symbol", "PriceCalculator"])
            .starts_with("class "),
        "the class, not its constructor"
    );
    let found = shop.stdout(&["search", "--type", "component", "List*"]);
    assert!(
        found.starts_with("web/packages/ui/src/List.tsx:"),
        "{found}"
    );
}

#[test]
fn json_output_equals_the_tools_answers() {
    let shop = Shop::indexed();
    let rows: serde_json::Value =
        serde_json::from_str(&shop.stdout(&["callers", "--json", "PriceCalculator.Price"]))
            .unwrap();
    assert_eq!(
        rows["results"][0]["qualified_name"],
        "Shop.Services.OrderService.Place"
    );
    assert_eq!(rows["results"][0]["call_sites"][0]["line"], 33);
    let status: serde_json::Value =
        serde_json::from_str(&shop.stdout(&["status", "--json"])).unwrap();
    assert_eq!(status["indexed_files"], 46);
}

#[test]
fn export_writes_tables_with_headers() {
    let shop = Shop::indexed();
    let prefix = shop.root.path().join("out");
    shop.stdout(&[
        "export",
        "--format",
        "tsv",
        "--out",
        prefix.to_str().unwrap(),
    ]);
    for (name, first_column) in [
        ("symbols", "file"),
        ("calls", "caller_file"),
        ("inherits", "kind"),
        ("refs", "file"),
    ] {
        let text =
            std::fs::read_to_string(shop.root.path().join(format!("out.{name}.tsv"))).unwrap();
        assert!(
            text.starts_with(first_column) && text.lines().count() > 10,
            "{name}"
        );
    }
}

#[test]
fn each_kind_of_failure_has_its_exit_code_and_advice() {
    let shop = Shop::new();
    let (code, message) = shop.failure(&["callers", "Order.Place"]);
    assert!(
        code == 3 && message.contains("codeagent index"),
        "{code} {message}"
    );
    assert_eq!(shop.failure(&["status"]).0, 3);
    assert_eq!(shop.run(&["index"]).status.code(), Some(0));

    let (code, message) = shop.failure(&["callers", "Order.Plase"]);
    assert!(
        code == 2
            && message.contains("Shop.Domain.Order is a class")
            && message.contains("closest members: Place,"),
        "{code} {message}"
    );
    assert_eq!(shop.failure(&["outline", "../x.cs"]).0, 2);
    assert_eq!(shop.failure(&["nonsense"]).0, 2);
    let nowhere = Command::new(env!("CARGO_BIN_EXE_codeagent"))
        .args(["status", "--root", "no-such-folder"])
        .output()
        .unwrap();
    let message = String::from_utf8(nowhere.stderr).unwrap();
    assert!(
        nowhere.status.code() == Some(2) && message.matches("os error 2").count() == 1,
        "{message}"
    );

    let lock = shop.data().lock_writer().unwrap();
    assert_eq!(shop.failure(&["index", "--rebuild"]).0, 4);
    assert_eq!(
        shop.run(&["callers", "Order.Place"]).status.code(),
        Some(0),
        "reading needs no lock"
    );
    drop(lock);

    std::fs::write(
        shop.root.path().join(".codeagent/config.json"),
        "{\n  \"max_file_bytes\": \"many\"\n}",
    )
    .unwrap();
    let (code, message) = shop.failure(&["index"]);
    assert!(
        code == 2 && message.contains("line 2, column 21"),
        "{code} {message}"
    );
    std::fs::remove_file(shop.root.path().join(".codeagent/config.json")).unwrap();

    std::fs::write(
        shop.database(),
        "this is no database, but somebody's notes".repeat(100),
    )
    .unwrap();
    // A database with a valid marker counts as ours, whatever its content.
    std::fs::remove_file(shop.data().path().join("index.seal")).unwrap();
    assert_eq!(shop.failure(&["status"]).0, 5);
    let (code, _) = shop.failure(&["index"]);
    assert_eq!(code, 5);
    assert_eq!(shop.run(&["index", "--rebuild"]).status.code(), Some(0));
    assert_eq!(shop.run(&["status"]).status.code(), Some(0));
}

#[test]
fn an_index_file_in_the_repository_is_reported_and_not_used() {
    let shop = Shop::new();
    std::fs::create_dir_all(shop.root.path().join(".codeagent")).unwrap();
    std::fs::write(shop.root.path().join(".codeagent/index.db"), "anything").unwrap();
    assert_eq!(shop.failure(&["status"]).0, 3);
    let (code, message) = shop.failure(&["index"]);
    assert!(
        code == 0 && message.matches(".codeagent/index.db").count() == 1,
        "{code} {message}"
    );
    assert_eq!(
        std::fs::read_to_string(shop.root.path().join(".codeagent/index.db")).unwrap(),
        "anything"
    );
}

/// A small repository indexed by an unprivileged user, because the superuser may read everything.
#[cfg(unix)]
struct Modest {
    root: tempfile::TempDir,
    home: tempfile::TempDir,
}

#[cfg(unix)]
impl Modest {
    fn new() -> Self {
        let modest = Self {
            root: tempfile::tempdir().unwrap(),
            home: tempfile::tempdir().unwrap(),
        };
        std::fs::create_dir(modest.root.path().join("sub")).unwrap();
        std::fs::write(modest.root.path().join("a.cs"), "class A { }").unwrap();
        std::fs::write(modest.root.path().join("sub/b.cs"), "class B { }").unwrap();
        for folder in [modest.root.path(), modest.home.path()] {
            set_mode(folder, 0o777);
        }
        modest
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.limited(arguments, 1024)
    }

    /// Runs the command with a limit on open files.
    fn limited(&self, arguments: &[&str], files: u32) -> Output {
        use std::os::unix::process::CommandExt;
        let mut command = Command::new("sh");
        command
            .args([
                "-c",
                &format!("ulimit -n {files}; exec \"$0\" \"$@\""),
                env!("CARGO_BIN_EXE_codeagent"),
            ])
            .args(arguments);
        command
            .arg("--root")
            .arg(self.root.path())
            .env("CODEAGENT_DATA_DIR", self.home.path())
            .current_dir("/");
        if std::os::unix::fs::MetadataExt::uid(&self.home.path().metadata().unwrap()) == 0 {
            command.uid(65_534).gid(65_534);
        }
        command.output().unwrap()
    }

    fn knows(&self, class: &str) -> bool {
        self.run(&["symbol", class]).status.success()
    }
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
}

#[cfg(unix)]
#[test]
fn an_unreadable_file_is_indexed_once_it_is_readable() {
    let modest = Modest::new();
    let file = modest.root.path().join("a.cs");
    set_mode(&file, 0o000);
    let refused = modest.run(&["index", "--verbose"]);
    assert!(
        String::from_utf8_lossy(&refused.stdout).contains("failed a.cs"),
        "{refused:?}"
    );
    assert!(!modest.knows("A") && modest.knows("B"));
    set_mode(&file, 0o644);
    assert_eq!(modest.run(&["index"]).status.code(), Some(0));
    assert!(modest.knows("A"));
}

#[cfg(unix)]
#[test]
fn files_of_an_unreadable_folder_stay_in_the_index() {
    let modest = Modest::new();
    assert_eq!(modest.run(&["index"]).status.code(), Some(0));
    set_mode(&modest.root.path().join("sub"), 0o000);
    std::fs::write(modest.root.path().join("a.cs"), "class Changed { }").unwrap();
    modest.run(&["index"]);
    assert!(modest.knows("Changed") && modest.knows("B"));
    set_mode(&modest.root.path().join("sub"), 0o755);
    std::fs::remove_file(modest.root.path().join("sub/b.cs")).unwrap();
    assert_eq!(modest.run(&["index"]).status.code(), Some(0));
    assert!(!modest.knows("B"));
}

#[cfg(unix)]
#[test]
fn too_few_open_files_leave_the_index_unchanged() {
    let modest = Modest::new();
    assert_eq!(modest.run(&["index"]).status.code(), Some(0));
    std::fs::write(
        modest.root.path().join("a.cs"),
        "class A { void Edited() { } }",
    )
    .unwrap();
    for files in [8, 10, 12, 14, 16, 18, 20, 24, 28, 32] {
        let output = modest.limited(&["index"], files);
        assert!(
            modest.knows("A") && modest.knows("B"),
            "with {files} files: {output:?}"
        );
    }
}

#[test]
fn files_that_fail_are_counted() {
    let shop = Shop::new();
    std::fs::write(shop.root.path().join("binary.cs"), b"class \0").unwrap();
    let output = shop.run(&["index", "--strict", "--verbose"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.code() == Some(1)
            && text.contains("1 file could not be indexed")
            && text.contains("binary.cs"),
        "{text}"
    );
}

#[test]
fn the_examples_of_the_documentation_hold() {
    let document = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/configuration.md"),
    )
    .unwrap();
    let examples: Vec<&str> = document
        .split("```json\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    let expected = ["18 files", "46 files", "46 files"];
    assert_eq!(examples.len(), expected.len());
    let shop = Shop::new();
    std::fs::create_dir_all(shop.root.path().join(".codeagent")).unwrap();
    for (example, files) in examples.iter().zip(expected) {
        std::fs::write(shop.root.path().join(".codeagent/config.json"), example).unwrap();
        assert!(
            shop.stdout(&["index"]).starts_with(files),
            "{example}{}",
            shop.stdout(&["status"])
        );
        let project = shop.stdout(&[
            "symbol",
            "--json",
            if files == "18 files" {
                "CartStore"
            } else {
                "BulkDiscount"
            },
        ]);
        assert_eq!(
            project.contains("Shop.Services.csproj"),
            example.contains("projects"),
            "{project}"
        );
    }
    assert_eq!(shop.failure(&["symbol", "Button.spec"]).0, 2);
}

#[test]
fn unknown_settings_are_reported() {
    let shop = Shop::new();
    std::fs::create_dir_all(shop.root.path().join(".codeagent")).unwrap();
    std::fs::write(
        shop.root.path().join(".codeagent/config.json"),
        r#"{"exclud": ["web"]}"#,
    )
    .unwrap();
    let (code, message) = shop.failure(&["index"]);
    assert!(
        code == 0
            && message.contains("column 2: unknown setting \"exclud\"; did you mean \"exclude\"?"),
        "{code} {message}"
    );
    assert!(shop.failure(&["status"]).1.contains("did you mean"));
}

#[test]
fn changed_files_are_indexed_before_an_answer_or_named_in_it() {
    let shop = Shop::indexed();
    let said = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
    let ask = || loop {
        let output = shop.run(&["search", "Extra"]);
        // A busy machine may not have time to check for changes.
        if !said(&output.stderr).contains("could not check") {
            return output;
        }
    };
    let write = |text| std::fs::write(shop.root.path().join("src/Extra.cs"), text).unwrap();

    write("class ExtraFirst { }");
    let output = ask();
    assert!(said(&output.stdout).contains("ExtraFirst"), "{output:?}");
    assert!(!said(&output.stderr).contains("changed"), "{output:?}");

    write("class ExtraSecond { }");
    let lock = shop.data().lock_writer().unwrap();
    let output = ask();
    assert!(!said(&output.stdout).contains("ExtraSecond"), "{output:?}");
    let note = "changed since the index was updated: src/Extra.cs";
    assert!(said(&output.stderr).contains(note), "{output:?}");

    drop(lock);
    assert!(said(&ask().stdout).contains("ExtraSecond"));
}

#[test]
fn many_changed_files_are_only_named() {
    let shop = Shop::indexed();
    for number in 0..101 {
        let path = shop.root.path().join(format!("src/Extra{number}.cs"));
        std::fs::write(path, "").unwrap();
    }
    let output = shop.run(&["search", "Cart"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("101 files have changed") || said.contains("could not check"),
        "{said}"
    );
}

/// Returns the output of `codeagent debug` for a folder of the work tree; needs no index and
/// creates none.
fn debug(what: &str, root: &str, place: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests")
        .join(root);
    let output = Command::new(env!("CARGO_BIN_EXE_codeagent"))
        .args(["debug", what, place, "--root"])
        .arg(root)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_line_is_explained_in_csharp() {
    expect![[r#"
        src/Shop.Services/OrderService.cs:33:21: in Place read prices
          value prices: Shop.Services.PriceCalculator
            field Shop.Services.OrderService.prices src/Shop.Services/OrderService.cs:10:38, declared as PriceCalculator
          edge: references field Shop.Services.OrderService.prices src/Shop.Services/OrderService.cs:10:38 (exact)
        src/Shop.Services/OrderService.cs:33:28: in Place call prices.Price(order)
          receiver prices: Shop.Services.PriceCalculator
            field Shop.Services.OrderService.prices src/Shop.Services/OrderService.cs:10:38, declared as PriceCalculator
          argument 1 order: Shop.Domain.Order
            parameter order src/Shop.Services/OrderService.cs:31:32, declared as Order
          overload resolution among 1 (standard §12.6.4): surely method Shop.Services.PriceCalculator.Price(Order order) src/Shop.Services/PriceCalculator.cs:15:18
            method Shop.Services.PriceCalculator.Price(Order order) src/Shop.Services/PriceCalculator.cs:15:18: chosen
              order: Shop.Domain.Order -> Shop.Domain.Order: identity
          result: Shop.Domain.Money
          edge: calls method Shop.Services.PriceCalculator.Price(Order order) src/Shop.Services/PriceCalculator.cs:15:18 (exact)
    "#]].assert_eq(&debug("link", "shop", "src/Shop.Services/OrderService.cs:33"));
    expect![[r#"
        Printer.cs:35:9: in All call Print(dog, end: "x")
          name Print: member, method Printing.Printer.Print() Printer.cs:10:10 and 5 more
          argument 1 dog: Printing.Dog
            parameter dog Printer.cs:23:18, declared as Dog
          argument 2 "x": external:String
          overload resolution among 6 (standard §12.6.4): surely method Printing.Printer.Print(object value, int times = 1, string end = "") Printer.cs:15:10
            method Printing.Printer.Print(object value, int times = 1, string end = "") Printer.cs:15:10: chosen
              dog: Printing.Dog -> external:Object: implicit conversion
              "x": external:String -> external:String: identity
            method Printing.Printer.Print() Printer.cs:10:10: does not accept these arguments (number, names or type arguments)
            method Printing.Printer.Print(int value) Printer.cs:11:10: does not accept these arguments (number, names or type arguments)
            method Printing.Printer.Print(string value) Printer.cs:12:10: does not accept these arguments (number, names or type arguments)
            method Printing.Printer.Print(Animal value) Printer.cs:13:10: does not accept these arguments (number, names or type arguments)
            method Printing.Printer.Print(Dog value, bool loud) Printer.cs:14:10: does not accept these arguments (number, names or type arguments)
          result: external:Void
          edge: calls method Printing.Printer.Print(object value, int times = 1, string end = "") Printer.cs:15:10 (exact)
    "#]].assert_eq(&debug("link", "fixtures/csharp/overloads", "Printer.cs:35:9"));
    expect![[r#"
        Printer.cs:29:9: in All call Print(text)
          name Print: member, method Printing.Printer.Print() Printer.cs:10:10 and 5 more
          argument 1 text: external:String
            parameter text Printer.cs:23:30, declared as string
          overload resolution among 6 (standard §12.6.4): surely method Printing.Printer.Print(string value) Printer.cs:12:10
            method Printing.Printer.Print(int value) Printer.cs:11:10: not applicable: an argument does not convert (§12.6.4.2)
              text: external:String -> external:Int32: does not convert
            method Printing.Printer.Print(string value) Printer.cs:12:10: chosen
              text: external:String -> external:String: identity
            method Printing.Printer.Print(Animal value) Printer.cs:13:10: not applicable: an argument does not convert (§12.6.4.2)
              text: external:String -> Printing.Animal: does not convert
            method Printing.Printer.Print(object value, int times = 1, string end = "") Printer.cs:15:10: worse: an argument converts better to the chosen one (§12.6.4.4)
              text: external:String -> external:Object: implicit conversion
            method Printing.Printer.Print() Printer.cs:10:10: does not accept these arguments (number, names or type arguments)
            method Printing.Printer.Print(Dog value, bool loud) Printer.cs:14:10: does not accept these arguments (number, names or type arguments)
          result: external:Void
          edge: calls method Printing.Printer.Print(string value) Printer.cs:12:10 (exact)
    "#]].assert_eq(&debug("link", "fixtures/csharp/overloads", "Printer.cs:29:9"));
    expect![[r#"
        Web.cs:23:17: in Show call factory.Make()
          receiver factory: external:ForeignFactory
            parameter factory Web.cs:18:32, declared as ForeignFactory
          result: an external value
          no edge: its target is a local, external or not in the graph
        Web.cs:23:24: in Show call factory.Make().Add("a")
          receiver factory.Make(): an external value
            result of an external call
          argument 1 "a": external:String
          overload resolution among 1 (standard §12.6.4): surely method Web.Extensions.ForeignExtensions.Add(this ForeignLogger logger, string text) Extensions.cs:13:28
            method Web.Extensions.ForeignExtensions.Add(this ForeignLogger logger, string text) Extensions.cs:13:28: chosen
              receiver: an external value -> external:ForeignLogger: may convert; an unknown type decides
              "a": external:String -> external:String: identity
          result: external:Void
          edge: calls method Web.Extensions.ForeignExtensions.Add(this ForeignLogger logger, string text) Extensions.cs:13:28 (inferred)
    "#]]
    .assert_eq(&debug("link", "fixtures/csharp/undeclared", "Web.cs:23"));
}

#[test]
fn a_line_is_explained_in_typescript() {
    expect![[r#"
        web/packages/app/src/state/cart.ts:25:37: in checkout call this.orders.place(this.lines)
          receiver this.orders: OrdersApi
            property web/packages/app/src/state/cart.ts#CartStore.orders web/packages/app/src/state/cart.ts:9:32, declared as OrdersApi
          member place: method web/packages/client/src/orders.ts#OrdersApi.place(lines: OrderLine[]) web/packages/client/src/orders.ts:9:3
          argument 1 this.lines: Array<OrderLine>
            property web/packages/app/src/state/cart.ts#CartStore.lines web/packages/app/src/state/cart.ts:7:3, declared as OrderLine[]
          signature method web/packages/client/src/orders.ts#OrdersApi.place(lines: OrderLine[]) web/packages/client/src/orders.ts:9:3: the only signature
            parameter 1: Array<OrderLine> takes Array<OrderLine>
          result: Promise<Order>
          edge: calls method web/packages/client/src/orders.ts#OrdersApi.place(lines: OrderLine[]) web/packages/client/src/orders.ts:9:3 (exact)
    "#]].assert_eq(&debug("link", "shop", "web/packages/app/src/state/cart.ts:25:37"));
    expect![[r#"
        overloads.ts:34:11: in use call factory.create(Number2)
          receiver factory: Factory
            parameter factory overloads.ts:30:21, declared as Factory
          member create: method overloads.ts#Factory.create() overloads.ts:26:3
          member create: method overloads.ts#Factory.create(size: number) overloads.ts:27:3
          argument 1 Number2: number
          signature method overloads.ts#Factory.create() overloads.ts:26:3: 10 mismatches (a wrong number of arguments counts as ten)
          signature method overloads.ts#Factory.create(size: number) overloads.ts:27:3: chosen: the first that accepts the arguments
            parameter 1: number takes number
          result: Count
          edge: calls method overloads.ts#Factory.create() overloads.ts:26:3 (exact)
        overloads.ts:34:21: in use call factory.create(Number2).grow()
          receiver factory.create(Number2): Count
            result of method overloads.ts#Factory.create(size: number) overloads.ts:27:3, which returns Count
          member grow: method overloads.ts#Count.grow() overloads.ts:7:3
          signature method overloads.ts#Count.grow() overloads.ts:7:3: the only signature
          result: null or undefined
          edge: calls method overloads.ts#Count.grow() overloads.ts:7:3 (exact)
    "#]]
    .assert_eq(&debug("link", "fixtures/typescript/overloads", "overloads.ts:34"));
}

#[test]
fn explaining_a_line_without_uses_names_lines_with_uses() {
    expect![[r#"
        no use there; uses: columns 21, 28
    "#]]
    .assert_eq(&debug(
        "link",
        "shop",
        "src/Shop.Services/OrderService.cs:33:1",
    ));
    expect![[r#"
        no use there; uses: none on this line
    "#]]
    .assert_eq(&debug(
        "link",
        "shop",
        "src/Shop.Services/OrderService.cs:1000",
    ));
}

#[test]
fn the_facts_of_a_file_are_printed() {
    expect![[r#"
        import UsingNamespace  as  from Shop.Domain.Discounts
        Namespace Shop.Services [3-26]
          Class PriceCalculator [6-26 "What an order costs after all discounts." public]
            Field discounts readonly : IReadOnlyList<IDiscount> [8-8 "IReadOnlyList<IDiscount>" private]
            Constructor PriceCalculator [10-13 "(params IDiscount[] discounts)" public]
              Parameter discounts rest : IDiscount[]
            Method Price : Money returns [amount] [15-23 "(Order order)" "Money" public]
              Parameter order : Order
              Variable amount = order.Total() from 369
                Variable discount = each discounts from 414
            Method Standard static : PriceCalculator returns [new _(new LevelDiscount(), new BulkDiscount(Number10))] [25-25 "()" "PriceCalculator" public]
              ObjectLiteral  = new _(new LevelDiscount(), new BulkDiscount(Number10)) @returned Standard
        1:19 Import  by -
        8:22 TypeRef IReadOnlyList<IDiscount>#0 by discounts
        8:36 TypeRef IDiscount#0 by discounts
        10:35 ParameterType IDiscount#0 by PriceCalculator
        12:14 Write this.discounts by PriceCalculator
        15:12 TypeRef Money#0 by Price
        15:24 ParameterType Order#0 by Price
        17:28 Call order.Total() by Price
        18:34 Read discounts by Price
        20:31 Call discount.Apply(order, amount) by Price
        25:19 TypeRef PriceCalculator#0 by Standard
        25:49 New new _(new LevelDiscount(), new BulkDiscount(Number10)) by Standard
        25:57 New new LevelDiscount() by Standard
        25:57 TypeRef LevelDiscount#0 by Standard
        25:78 New new BulkDiscount(Number10) by Standard
        25:78 TypeRef BulkDiscount#0 by Standard
    "#]].assert_eq(&debug("facts", "shop", "src/Shop.Services/PriceCalculator.cs"));
}

#[test]
fn queries_about_a_file_that_failed_to_index_name_it() {
    let shop = Shop::new();
    std::fs::write(
        shop.root.path().join("web/keycode.ts"),
        format!(
            "export enum Keycode {{ A = {} }}\n",
            "1 + ".repeat(8000) + "1"
        ),
    )
    .unwrap();
    std::fs::write(
        shop.root.path().join("web/broken.ts"),
        "export const a = 1;\nexport const = = ;\n",
    )
    .unwrap();
    let reason = "web/keycode.ts could not be indexed, so none of its symbols are known: treated as generated";
    let summary = shop.stdout(&["index"]);
    assert!(summary.contains("1 file with parse errors, 1 file could not be indexed (`codeagent status --files` lists them)"), "{summary}");
    assert_eq!(shop.run(&["index", "--strict"]).status.code(), Some(1));
    let status = shop.stdout(&["status"]);
    assert!(
        status.contains("failed web/keycode.ts: treated as generated")
            && status.contains("parse errors web/broken.ts: "),
        "{status}"
    );
    assert!(
        shop.stdout(&["status", "--json"])
            .contains("\"path\": \"web/keycode.ts\"")
    );
    for arguments in [
        ["outline", "web/keycode.ts"],
        ["search", "keycode"],
        ["symbol", "Keycode"],
        ["callers", "Keycode.A"],
    ] {
        let said = String::from_utf8(shop.run(&arguments).stderr).unwrap();
        assert!(said.contains(reason), "{arguments:?}: {said}");
    }
    let said = String::from_utf8(shop.run(&["outline", "web/broken.ts"]).stderr).unwrap();
    assert!(
        said.contains("web/broken.ts was only partly parsed, so symbols may be missing")
            && said.contains("first at line 2"),
        "{said}"
    );
}

#[test]
fn uses_over_budget_are_counted_and_reported() {
    let shop = Shop::new();
    let variables = "export var b: I;\n".repeat(4000);
    let uses: String = (0..4000)
        .map(|i| format!("export function f{i}(x: I) {{ b.go(); }}\n"))
        .collect();
    let source = format!(
        "export interface I {{ go(): void }}\n{variables}{uses}\
         export interface Last {{}}\nexport function last(x: Last) {{}}\n"
    );
    std::fs::write(shop.root.path().join("web/costly.ts"), source).unwrap();
    shop.stdout(&["index"]);
    let status = shop.stdout(&["status"]);
    assert!(
        status.contains("web/costly.ts: ")
            && status.contains("uses not resolved (the file's budget was exceeded)"),
        "{status}"
    );

    // Scopes alone decide what a type annotation names, whatever is left of the budget.
    let references = shop.stdout(&["references", "Last"]);
    assert!(references.contains("last(x: Last)"), "{references}");
    let said = String::from_utf8(shop.run(&["callers", "I.go"]).stderr).unwrap();
    assert!(said.contains("could not be resolved"), "{said}");
}

#[test]
fn the_number_of_threads_is_checked_and_changes_nothing() {
    let shop = Shop::new();
    let one = shop.stdout(&["index", "--threads", "1"]);
    assert!(one.starts_with("46 files, "), "{one}");
    let counts = |said: &str| said.split(" resolved").next().unwrap().to_owned();
    assert_eq!(
        counts(&one),
        counts(&shop.stdout(&["index", "--rebuild", "--threads", "7"]))
    );
    for command in [&["index"][..], &["watch"], &["mcp"], &["daemon", "start"]] {
        for number in ["0", "257", "many"] {
            let (code, said) = shop.failure(&[command, &["--threads", number]].concat());
            assert!(
                code == 2 && said.contains("--threads"),
                "{command:?} {number}: {code} {said}"
            );
        }
    }
}
