//! C# in Razor files is not indexed; lines that name a symbol are shown, and count as uses of it.

use super::Shop;

const STORE: &str = "namespace App;\npublic interface IStore { void Put(int id); }\nclass Store : IStore { public void Put(int id) => Helper.Twice(id); }\nstatic class Helper {\n  internal static int Twice(int x) => x * 2;\n  internal static int Gone(int x) => x;\n}\n";

const EDIT: &str = "namespace App.Pages;\npublic partial class Edit {\n  private int total;\n  private void Save() { total++; }\n  private void Load() { total = 0; }\n}\n";

const MARKUP: &str = "@page \"/edit\"\n@inject IStore S\n<button @onclick=\"Save\">Load</button>\n<p>@total</p>\n@code {\n  void Add() { S.Put(Helper.Twice(2)); }\n}\n";

const INDEX: &str = "namespace App.Pages;\nclass IndexModel {\n  internal string Welcome() => \"a\";\n  internal string Bye() => \"b\";\n}\n";

fn shop() -> Shop {
    Shop::with(&[
        ("app/Store.cs", STORE),
        ("app/Pages/Edit.razor.cs", EDIT),
        ("app/Pages/Edit.razor", MARKUP),
        ("app/Pages/Other.razor", "<Tab @onclick=\"Save\" />\n"),
        ("app/Pages/Index.cshtml.cs", INDEX),
        (
            "app/Pages/Index.cshtml",
            "@model IndexModel\n<p>@Model.Welcome()</p>\n",
        ),
    ])
}

#[test]
fn lines_of_razor_files_that_name_a_symbol_are_shown() {
    let shop = shop();
    shop.assert_prints(&[
        (
            ["callers", "Edit.Save"],
            "1 line with the name in other languages or inactive code:\n  app/Pages/Edit.razor:3 (template) <button @onclick=\"Save\">Load</button>\n",
        ),
        (
            ["references", "IStore"],
            "1 line with the name in other languages or inactive code:\n  app/Pages/Edit.razor:2 (template) @inject IStore S\n",
        ),
        (
            ["explore", "Helper.Twice"],
            "named in Razor files, which are not indexed, matched by equal text (1):\napp/Pages/\n Edit.razor\n  6 void Add()",
        ),
        (
            ["impact", "Helper.Twice"],
            "named in Razor files, which are not indexed, matched by equal text (1):\n",
        ),
        (
            ["impact", "IndexModel.Welcome"],
            "  2 <p>@Model.Welcome()</p>\nnothing in the index is known to use it\n",
        ),
    ]);

    let prose = shop.stdout(&["explore", "Edit.Load"]);
    assert!(!prose.contains("Razor"), "{prose}");
}

#[test]
fn symbols_that_razor_files_name_are_not_unused() {
    let text = shop().stdout(&["overview", "app", "--section", "unused"]);
    for unused in ["Helper.Gone", "Edit.Load", "IndexModel.Bye"] {
        assert!(text.contains(unused), "{text}");
    }
    for used in ["Edit.Save", "Helper.Twice", "IndexModel.Welcome"] {
        assert!(!text.contains(used), "{text}");
    }
}
