//! Locals, parameters, type parameters and imported names, which are no symbols of the index.

use serde_json::Value;

use crate::client::{Client, position_of};

/// Asks about the `nth` occurrence of a word, and returns the places.
fn places(
    client: &mut Client,
    method: &str,
    (path, word, nth): (&str, &str, usize),
) -> Vec<String> {
    let found = client.ask_about(method, path, word, nth);
    client.places(&found)
}

/// Returns `line:start-end` of each highlight.
fn highlights(client: &mut Client, (path, word, nth): (&str, &str, usize)) -> Vec<String> {
    let found = client.ask_about("documentHighlight", path, word, nth);
    let range = |found: &Value| {
        let (start, end) = (&found["range"]["start"], &found["range"]["end"]);
        format!(
            "{}:{}-{}",
            start["line"], start["character"], end["character"]
        )
    };
    found.as_array().unwrap().iter().map(range).collect()
}

const TYPESCRIPT: &str = "\
export function total<Item extends { price: number }>(items: Item[], tax = 0) {
  let sum = 0
  for (const item of items) {
    const { price } = item
    sum += price
  }
  const add = (sum: number) => sum + tax
  return { sum, all: add(sum) }
}
";

#[test]
fn typescript_locals_have_definitions_and_references() {
    let mut client = Client::over(&[("a.ts", TYPESCRIPT)]);
    let definition =
        |client: &mut Client, word, nth| places(client, "definition", ("a.ts", word, nth));
    assert_eq!(definition(&mut client, "Item[]", 0), ["a.ts:0:22-26"]);
    assert_eq!(definition(&mut client, "tax", 1), ["a.ts:0:69-72"]);
    assert_eq!(definition(&mut client, "item\n", 0), ["a.ts:2:13-17"]);
    assert_eq!(definition(&mut client, "price\n", 0), ["a.ts:3:12-17"]);

    // The parameter of the inner function hides the variable.
    assert_eq!(definition(&mut client, "sum +", 1), ["a.ts:6:15-18"]);
    let uses = places(&mut client, "references", ("a.ts", "sum = 0", 0));
    assert_eq!(uses, ["a.ts:4:4-7", "a.ts:7:11-14", "a.ts:7:25-28"]);
    assert_eq!(
        highlights(&mut client, ("a.ts", "sum", 0)),
        ["1:6-9", "4:4-7", "7:11-14", "7:25-28"]
    );

    let found = client.ask_about("hover", "a.ts", "tax", 1);
    assert_eq!(
        found["contents"]["value"],
        "```typescript\nexport function total<Item extends { price: number }>(items: Item[], tax = 0) {\n\
         ```\n\nparameter, used once\n\na.ts:1"
    );
    client.end();
}

const CSHARP: &str = "\
class Cart(int limit)
{
    int Total<T>(T[] items, int tax)
    {
        var sum = 0;
        foreach (var item in items) sum += item.GetHashCode();
        if (sum is int many && many > limit) return Add(tax);
        return sum;

        int Add(int tax) => sum + tax;
    }
}
";

#[test]
fn csharp_locals_have_definitions_and_references() {
    let mut client = Client::over(&[("a.cs", CSHARP)]);
    let definition =
        |client: &mut Client, word, nth| places(client, "definition", ("a.cs", word, nth));
    assert_eq!(definition(&mut client, "T[]", 0), ["a.cs:2:14-15"]);
    assert_eq!(definition(&mut client, "item.", 0), ["a.cs:5:21-25"]);
    assert_eq!(definition(&mut client, "many >", 0), ["a.cs:6:23-27"]);
    assert_eq!(definition(&mut client, "limit)", 1), ["a.cs:0:15-20"]);
    assert_eq!(definition(&mut client, "tax)", 1), ["a.cs:2:32-35"]);
    assert_eq!(definition(&mut client, "tax;", 0), ["a.cs:9:20-23"]);

    let uses = places(&mut client, "references", ("a.cs", "sum", 0));
    assert_eq!(
        uses,
        [
            "a.cs:5:36-39",
            "a.cs:6:12-15",
            "a.cs:7:15-18",
            "a.cs:9:28-31"
        ]
    );
    client.end();
}

#[test]
fn a_destructured_property_is_found_where_it_becomes_a_local() {
    let text = "interface Order { price: number }\n\
                export function f(order: Order) { const { price } = order; return price }\n";
    let mut client = Client::over(&[("a.ts", text)]);
    let property = ["a.ts:0:18-23"];
    assert_eq!(
        places(&mut client, "definition", ("a.ts", "price", 1)),
        property
    );
    let local = ["a.ts:1:42-47"];
    assert_eq!(
        places(&mut client, "definition", ("a.ts", "price", 2)),
        local
    );
    client.end();
}

#[test]
fn a_function_of_an_object_literal_is_a_use_of_the_property_that_its_type_declares() {
    let text = "interface Options { onError(code: number): void }\n\
                export function listen(options: Options) { options.onError(1) }\n\
                listen({ onError: (code) => { code + 1 } })\n";
    let mut client = Client::over(&[("a.ts", text)]);
    assert_eq!(
        places(&mut client, "definition", ("a.ts", "onError", 2)),
        ["a.ts:0:20-27"]
    );
    let uses = ["a.ts:1:51-58", "a.ts:2:9-16"];
    for nth in [0, 2] {
        let found = places(&mut client, "references", ("a.ts", "onError", nth));
        assert_eq!(found, uses, "{nth}");
    }
    client.end();
}

#[test]
fn a_name_beside_an_indexer_is_the_name() {
    let text = "class Prices\n{\n    public int this[string key] => 1;\n    \
                int Get(string name) => this[name];\n}\n";
    let mut client = Client::over(&[("a.cs", text)]);
    assert_eq!(
        places(&mut client, "definition", ("a.cs", "name]", 0)),
        ["a.cs:3:19-23"]
    );
    assert_eq!(
        places(&mut client, "definition", ("a.cs", "[name", 0)),
        ["a.cs:2:15-19"]
    );
    client.end();
}

#[test]
fn top_level_statements_have_no_name() {
    let mut client = Client::over(&[("Program.cs", "Cart cart = new();\nclass Cart { }\n")]);
    let cart = ("Program.cs", "Cart", 0);
    assert_eq!(
        places(&mut client, "definition", cart),
        ["Program.cs:1:6-10"]
    );
    let hover = client.ask_about("hover", "Program.cs", "Cart", 0);
    assert_eq!(
        hover["contents"]["value"],
        "```csharp\ninternal class Cart\n```\n\nProgram.cs:2"
    );
    client.end();
}

#[test]
fn imported_names_lead_to_what_is_imported_or_to_the_import() {
    let mut client = Client::over(&[
        ("a.ts", "export function here() {}\n"),
        (
            "b.ts",
            "import { here } from './a'\nimport { absent } from 'absent'\nhere(absent, absent)\n",
        ),
    ]);
    let here = places(&mut client, "definition", ("b.ts", "here", 1));
    assert_eq!(here, ["a.ts:0:16-20"]);
    let absent = ("b.ts", "absent,", 0);
    assert_eq!(places(&mut client, "definition", absent), ["b.ts:1:9-15"]);
    assert_eq!(
        places(&mut client, "references", absent),
        ["b.ts:2:5-11", "b.ts:2:13-19"]
    );
    client.end();
}

#[test]
fn locals_of_unsaved_text_are_found() {
    let mut client = Client::over(&[("a.ts", TYPESCRIPT)]);
    client.open("a.ts", None);
    client.edit("a.ts", [0, 0, 0, 0], "// first\n");
    let (line, character) = position_of(TYPESCRIPT, "item\n", 0);
    let found = client.ask_at("definition", "a.ts", (line + 1, character));
    assert_eq!(client.places(&found), ["a.ts:3:13-17"]);

    client.edit("a.ts", [0, 0, 10, 0], "function f(a) { return a }\n");
    let found = client.ask_at("definition", "a.ts", (0, 23));
    assert_eq!(client.places(&found), ["a.ts:0:11-12"]);
    client.end();
}
