//! C# code excluded by `#if` is not indexed; lines of it that name a symbol are shown.

use super::Shop;

const STORE: &str = "namespace App;
public interface IStore { void Put(int id); }
class Store : IStore {
  public void Put(int id) => Log(id);
#if !LEGACY
  static void Log(int id) { }
#else
  static void Log(int id) => Trace.Write(id); // IStore
#endif
}
class Trace {
  internal static void Write(int id) { }
  private static int level;
}
";

const LEGACY: &str = "#if LEGACY
namespace App;
class LegacyStore : IStore {
  public void Put(int id) { Trace.level = 1; }
}
#endif
";

fn shop() -> Shop {
    Shop::with(&[("app/Store.cs", STORE), ("app/LegacyStore.cs", LEGACY)])
}

#[test]
fn inactive_lines_that_name_a_symbol_are_shown() {
    let shop = shop();
    shop.assert_prints(&[
        (
            ["implementations", "IStore"],
            "1 line with the name in other languages or inactive code:\n  app/LegacyStore.cs:3 (inactive code) class LegacyStore : IStore {\n",
        ),
        (
            ["callers", "Trace.Write"],
            "1 line with the name in other languages or inactive code:\n  app/Store.cs:8 (inactive code) static void Log(int id) => Trace.Write(id); // IStore\n",
        ),
        (
            ["explore", "who implements IStore?"],
            "named in code excluded by #if, which is not indexed, matched by equal text (1):\napp/\n LegacyStore.cs\n  3 class LegacyStore : IStore {\n",
        ),
        (
            ["impact", "IStore"],
            "named in code excluded by #if, which is not indexed, matched by equal text (1):\n",
        ),
    ]);

    let file = shop.stdout(&["explore", "app/LegacyStore.cs"]);
    let note = "3 lines of code here not indexed (excluded by #if)";
    assert!(file.contains(note), "{file}");

    let private = shop.stdout(&["explore", "Trace.level"]);
    assert!(!private.contains("#if"), "named in another file: {private}");
}

#[test]
fn symbols_named_in_inactive_code_are_less_surely_unused() {
    let text = shop().stdout(&["overview", "app", "--section", "perhaps_unused"]);
    assert!(text.contains("named in inactive code"), "{text}");
}

#[test]
fn an_edit_of_inactive_code_changes_what_is_shown() {
    let shop = shop();
    let path = shop.root.path().join("app/LegacyStore.cs");
    std::fs::write(path, "#if LEGACY\nclass Gone { }\n#endif\n").unwrap();
    shop.run(&["index"]);
    let text = shop.stdout(&["explore", "who implements IStore?"]);
    assert!(!text.contains("#if"), "{text}");
}
