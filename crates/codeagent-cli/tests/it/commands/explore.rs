//! `codeagent explore`: the sections of an answer, their order and their length.

use super::Shop;

/// The positions of the lines that begin so.
fn positions(text: &str, starts: &[&str]) -> Vec<usize> {
    let position = |start: &&str| text.lines().position(|line| line.starts_with(start));
    let found: Vec<usize> = starts.iter().filter_map(position).collect();
    assert_eq!(found.len(), starts.len(), "{starts:?} in {text}");
    found
}

#[test]
fn what_the_question_asks_for_comes_first() {
    let open = "export class Door {\n  open() {}\n}\nexport function go(door: Door, any: any) {\n  door.open();\n  any.open();\n}\n";
    let test = "import { Door } from './door';\nit('opens', () => { new Door().open(); });\n";
    let shop = Shop::with(&[("web/door.ts", open), ("web/door.test.ts", test)]);
    let whole = shop.stdout(&["explore", "Door.open"]);
    let found = positions(
        &whole,
        &["called or used by (1)", "in tests (1)", "unresolved uses"],
    );
    assert!(found.is_sorted(), "{whole}");
    let tests = shop.stdout(&["explore", "which tests cover Door.open?"]);
    let found = positions(
        &tests,
        &["in tests (1)", "called or used by (1)", "unresolved uses"],
    );
    assert!(found.is_sorted(), "{tests}");
    assert!(tests.contains("  2 it \"opens\": "), "{tests}");
}

#[test]
fn the_likeliest_unresolved_uses_are_shown_with_their_total() {
    let door = "export class Door {\n  open() {}\n}\n";
    let near = "import { Door } from './door';\nexport function go(door: Door, any: any) {\n  any.open();\n}\n";
    let far = "export function far(any: any) {\n  any.open();\n  any.open();\n}\n";
    let shop = Shop::with(&[
        ("web/door.ts", door),
        ("web/near.ts", near),
        ("web/other/far.ts", far),
    ]);
    let whole = shop.stdout(&["explore", "Door.open"]);
    assert!(
        whole.contains("unresolved uses that may belong to it, the likeliest; section \"less likely\" has the others (1 of 3):\n"),
        "{whole}"
    );
}

#[test]
fn lines_of_a_short_form_are_not_long() {
    let mut tests = "import { go } from './go';\n".to_owned();
    for number in 0..120 {
        tests += &format!("it('goes for the time number {number}', () => {{ go(); }});\n");
    }
    let shop = Shop::with(&[
        ("web/go.ts", "export function go() {}\n"),
        ("web/go.test.ts", &tests),
    ]);
    for budget in ["6000", "3000", "1000"] {
        let text = shop.stdout(&["explore", "which tests cover `go`?", "--max-chars", budget]);
        assert!(
            text.lines().all(|line| line.chars().count() <= 200),
            "{text}"
        );
        assert!(text.contains("in tests (120)"), "{text}");
    }
    let text = shop.stdout(&["explore", "which tests cover `go`?", "--max-chars", "1000"]);
    assert!(
        text.contains("pass --section \"tests\" or --max-chars 2000"),
        "{text}"
    );
}

#[test]
fn an_event_of_an_interface_is_raised_by_what_implements_it() {
    let bell = "using System;\ninterface IBell { event Action Rang; }\nclass Bell : IBell {\n  public event Action Rang;\n  void Ring() => Rang();\n}\nclass Ear { void Hear(IBell bell) { bell.Rang += () => { }; } }\n";
    let shop = Shop::with(&[("src/Bell.cs", bell)]);
    let text = shop.stdout(&["explore", "who raises IBell.Rang?"]);
    let found = positions(
        &text,
        &["subscribed or unsubscribed", "uses of its implementations"],
    );
    assert!(
        found.is_sorted() && text.contains("5 Bell.Ring: "),
        "{text}"
    );
}

#[test]
fn what_happens_is_told_of_what_has_a_body() {
    let types = "export declare class App { request(): void; }\n";
    let app = "import type { App as Type } from './types';\nexport class App implements Type { request() { route(); } }\nfunction route() {}\n";
    let shop = Shop::with(&[("web/types.ts", types), ("web/app.ts", app)]);
    let text = shop.stdout(&["explore", "what happens when App.request is called?"]);
    assert!(
        text.contains(
            "what happens, in order:\nApp.request  web/app.ts:2\n  2 route  web/app.ts:3\n"
        ),
        "{text}"
    );
}

#[test]
fn a_folder_lists_apart_what_exports_nothing() {
    let shop = Shop::with(&[
        ("web/parts/a.ts", "export function part() {}\n"),
        ("web/parts/b.ts", "import './a';\nfunction local() {}\n"),
        ("web/parts/c.ts", "console.log(1);\n"),
    ]);
    let text = shop.stdout(&["explore", "web/parts"]);
    assert!(
        text.contains(
            "(1):\n a.ts: part (0)\nfiles that export nothing (2):\n b.ts (not exported: local), c.ts\n"
        ),
        "{text}"
    );
}

#[test]
fn a_folder_says_which_symbol_of_a_name_is_meant() {
    let run = "export class Command { run() {} }\n";
    let shop = Shop::with(&[("web/app/command.ts", run), ("web/server/command.ts", run)]);
    for folder in ["web/app", "web/server", "web/server/command.ts"] {
        let text = shop.stdout(&["explore", &format!("who calls Command.run in {folder}?")]);
        let path = folder.trim_end_matches("/command.ts");
        assert!(
            text.starts_with("## public method Command.run")
                && text
                    .lines()
                    .next()
                    .unwrap()
                    .ends_with(&format!("  {path}/command.ts:1"))
                && !text.contains("## f"),
            "{text}"
        );
    }
}

#[test]
fn a_program_starts_at_its_entry_points() {
    let text = Shop::indexed().stdout(&["explore", "where does the program start?"]);
    assert!(text.starts_with("entry points"), "{text}");
}

#[test]
fn a_literal_of_few_places_is_shown_in_its_context() {
    let routes = "const routes = [\n  {\n    path: '/cart/:id',\n    title: 'Cart',\n    component: CartView,\n  },\n];\n";
    let shop = Shop::with(&[("web/routes.ts", routes)]);
    let text = shop.stdout(&[
        "explore",
        "which component is behind the route '/cart/:id'?",
    ]);
    assert!(text.contains("component: CartView"), "{text}");
}

#[test]
fn a_file_without_importers_is_used_through_its_symbols() {
    let text =
        Shop::indexed().stdout(&["explore", "who uses src/Shop.Services/PriceCalculator.cs?"]);
    let found = positions(&text, &["used by (", "exported or public"]);
    assert!(
        found.is_sorted() && text.contains("OrderService.cs"),
        "{text}"
    );
}

#[test]
fn a_question_about_tests_says_that_there_are_none() {
    let shop = Shop::with(&[("web/go.ts", "export function goFar() {}\n")]);
    let text = shop.stdout(&["explore", "which tests cover goFar?"]);
    assert!(
        text.contains("no test is known to use it, directly or through two levels of callers"),
        "{text}"
    );
}

#[test]
fn a_path_is_not_buried_under_source() {
    let far = (0..80)
        .map(|n| format!("  step{n}();\n"))
        .collect::<String>();
    let near = format!(
        "import {{ Far }} from './far';\nexport class Near {{ go(far: Far) {{\n{far}  far.end();\n}} }}\n"
    );
    let shop = Shop::with(&[
        ("web/far.ts", "export class Far { end() {} }\n"),
        ("web/near.ts", &near),
    ]);
    let text = shop.stdout(&["explore", "how does Near.go reach Far.end?"]);
    assert!(text.starts_with("how Near.go leads to Far.end"), "{text}");
    assert!(text.lines().count() < 8, "{text}");
}

#[test]
fn object_literals_are_implementations() {
    let bell =
        "export interface Bell { ring(): void }\nexport class Big implements Bell { ring() {} }\n";
    let test = "import type { Bell } from './bell';\nconst small = { ring() {} } as Bell;\nexport function hear(bell: Bell) { bell.ring(); }\n";
    let shop = Shop::with(&[("web/bell.ts", bell), ("web/bell.test.ts", test)]);
    let text = shop.stdout(&["explore", "who implements Bell, also by object literals?"]);
    assert!(
        text.contains("of this type (1):\nweb/\n bell.test.ts\n  2 "),
        "{text}"
    );
}

#[test]
fn what_breaks_breaks_in_tests_too() {
    let helper = "namespace T; public static class Check { public static void Same() { } }\n";
    let mut tests = "namespace T; class Cases {\n".to_owned();
    for number in 0..30 {
        tests += &format!("  void CaseWithALongName{number}() {{ Check.Same(); }}\n");
    }
    let shop = Shop::with(&[
        ("src/UnitTest/Check.cs", helper),
        ("src/UnitTest/Cases.cs", &(tests + "}\n")),
    ]);
    let text = shop.stdout(&["explore", "what breaks if Check.Same changes?"]);
    assert!(
        text.contains("in tests (30)") && text.contains("CaseWithALongName29"),
        "{text}"
    );
}

#[test]
fn text_names_no_symbols_in_a_changed_file() {
    let near = "export function near() {\n  open('near');\n}\n";
    let far = "export function far() {\n  open('far');\n}\n";
    let shop = Shop::with(&[("web/near.ts", near), ("web/far.ts", far)]);
    let changed = format!("// opens what is far\n\n{far}");
    std::fs::write(shop.root.path().join("web/far.ts"), changed).unwrap();

    let found = shop.stdout(&["text", "open("]);
    assert!(found.contains("  2 near: open('near');\n"), "{found}");
    assert!(found.contains("  4 open('far');\n"), "{found}");
    let note = "changed since the index was updated, so shown without names: web/far.ts";
    assert!(found.contains(note), "{found}");

    let literals = shop.stdout(&["text", "--literals", "far"]);
    assert!(literals.contains(note), "{literals}");
    assert!(!literals.contains("open('far')"), "{literals}");
}

#[test]
fn names_that_are_no_symbols_are_found_in_strings() {
    let hint = "export function hint() {\n  return 'set %TINT% first';\n}\n";
    let shop = Shop::with(&[("web/hint.ts", hint)]);
    for question in ["TINT", "where is TINT read?"] {
        let found = shop.stdout(&["explore", question]);
        assert!(found.starts_with("## text TINT (1 line)\n"), "{found}");
        assert!(
            found.contains("  2 hint: return 'set %TINT% first';\n"),
            "{found}"
        );
        assert!(found.contains("no symbol \"TINT\""), "{found}");
    }
}

#[test]
fn an_external_name_precedes_a_symbol_that_differs_in_case() {
    let wait = "export function promise() {\n  return new Promise<void>(done => done());\n}\n";
    let shop = Shop::with(&[("web/wait.ts", wait)]);
    let found = shop.stdout(&["explore", "Promise"]);
    let heading = found.lines().next().unwrap_or_default();
    assert!(heading.ends_with("(outside the repository)"), "{found}");
}

#[test]
fn direct_callers_precede_those_a_level_up() {
    let near = "export function near() {}
export function middle() {
  near();
}
export function far() {
  near(); middle(); far();
}
";
    let shop = Shop::with(&[("web/near.ts", near)]);
    let found = shop.stdout(&["explore", "who leads to near, two levels up?"]);
    // `far` calls `near`, and `middle`, which calls it.
    let starts = ["called or used by (2)", "callers of these callers (1)"];
    assert!(positions(&found, &starts).is_sorted(), "{found}");
}

#[test]
fn a_location_in_a_callback_is_that_callback() {
    let door = "export function open() {}\nexport function close() {}\n";
    let test = "import { open, close } from './door';\nit('opens', () => {\n  open();\n});\nit('closes', () => {\n  close();\n});\n";
    let shop = Shop::with(&[("web/door.ts", door), ("web/door.test.ts", test)]);
    let found = shop.stdout(&["explore", "web/door.test.ts:3"]);
    assert!(
        found.starts_with("## callback of it \"opens\"  web/door.test.ts:2-4\n"),
        "{found}"
    );
    assert!(found.contains("3   open();\n"), "{found}");
    assert!(
        found.contains("calls (1):\n 3 open  web/door.ts:1\n"),
        "{found}"
    );

    let file = shop.stdout(&["explore", "web/door.test.ts:1"]);
    assert_eq!(file.matches("## ").count(), 1, "{file}");
}

#[test]
fn everything_of_a_kind_is_listed() {
    let doors = "namespace T;\npublic class Gate { }\npublic class Wide : Gate { }\npublic class Low : Gate { }\n";
    let jobs = "export const CLEAN_NIGHT_JOB = 1;\nexport const SEND_NIGHT_JOB = 2;\nexport const sweepNightJob = 3;\nexport const nightJobs = [];\n";
    let shop = Shop::with(&[("src/Gate.cs", doors), ("web/jobs.ts", jobs)]);

    let base = shop.stdout(&["explore", "which gates exist?"]);
    assert!(
        base.starts_with("## public class Gate  src/Gate.cs:2\n"),
        "{base}"
    );
    assert!(base.contains("by, at all levels (2):\n"), "{base}");

    let named = shop.stdout(&["explore", "list all night jobs"]);
    assert_eq!(
        named,
        "symbols named like `night job` (3):\n variable CLEAN_NIGHT_JOB  web/jobs.ts:1\n \
         variable SEND_NIGHT_JOB  web/jobs.ts:2\n variable sweepNightJob  web/jobs.ts:3\n"
    );
}

#[test]
fn what_happens_to_a_message_is_told_of_what_takes_it() {
    let code = "namespace T;\npublic interface IRun<TJob> { void Run(TJob job); }\npublic class Clean { }\npublic class Cleaner : IRun<Clean>\n{\n    public void Run(Clean job) { Sweep(); }\n    void Sweep() { }\n    public void Plan(Clean job) { }\n}\n";
    let shop = Shop::with(&[("src/Clean.cs", code)]);
    let text = shop.stdout(&["explore", "what happens when Clean is executed?"]);
    assert!(
        text.contains("that handle it, in order:\nCleaner.Run  src/Clean.cs:6\n  6 Cleaner.Sweep"),
        "{text}"
    );
    assert!(!text.contains("Cleaner.Plan  src"), "{text}");
}

#[test]
fn what_happens_is_told_of_functions_in_an_object() {
    let code = "export function sweep() {}\nexport const CLEAN = {\n  run: () => sweep(),\n};\n";
    let shop = Shop::with(&[("web/clean.ts", code)]);
    let text = shop.stdout(&["explore", "what happens when CLEAN runs?"]);
    assert!(
        text.contains(
            "what happens, in order:\nCLEAN  web/clean.ts:2\n  3 run: sweep  web/clean.ts:1\n"
        ),
        "{text}"
    );
}

#[test]
fn what_happens_passes_over_tests_and_examples() {
    let store = "namespace T;\npublic interface IStore { void Save(); }\npublic class Disk : IStore { public void Save() { Write(); } void Write() { } }\npublic class Till { public void Close(IStore store) { store.Save(); } }\n";
    let example = "namespace T;\npublic class Toy : IStore { public void Save() { } }\n";
    let shop = Shop::with(&[
        ("src/Store.cs", store),
        ("samples/Toy.cs", example),
        ("tests/Fake.cs", &example.replace("Toy", "Fake")),
    ]);
    let text = shop.stdout(&["explore", "what happens when Till.Close is called?"]);
    assert!(
        text.contains("  4 IStore.Save -> Disk.Save  src/Store.cs:3\n    3 Disk.Write"),
        "{text}"
    );
}

#[test]
fn a_dotted_name_that_is_no_string_is_searched_in_the_text() {
    let code = "declare const api: any;\nexport const load = () => api.carts.find.query();\n";
    let shop = Shop::with(&[("web/load.ts", code)]);
    let text = shop.stdout(&["explore", "what serves the call api.carts.find?"]);
    assert!(
        text.starts_with("## text api.carts.find (1 line)\n"),
        "{text}"
    );
}

#[test]
fn functions_that_return_a_type_are_listed_with_its_implementations() {
    let bell = "export interface Bell { ring(): void }\nexport function make(): Bell {\n  return { ring() {} };\n}\n";
    let shop = Shop::with(&[("web/bell.ts", bell)]);
    let text = shop.stdout(&["explore", "who implements Bell, also by object literals?"]);
    assert!(
        text.contains("functions that return it (1):\nweb/\n bell.ts\n  2 make: "),
        "{text}"
    );
}

#[test]
fn type_parameters_tell_types_of_one_name_apart() {
    let code = "namespace T;\npublic class Box { }\npublic class Box<TItem, TLid> { public TItem Open<TKey>(TKey key) => default; }\n";
    let shop = Shop::with(&[("src/Box.cs", code)]);
    let found = shop.stdout(&["search", "Box"]);
    let lines: Vec<&str> = found.lines().collect();
    assert!(lines.contains(&"src/Box.cs:2: class Box"), "{found}");
    assert!(
        lines.contains(&"src/Box.cs:3: class Box<TItem, TLid>"),
        "{found}"
    );
    assert!(
        found.contains("method Box.Open<TKey>(TKey key): TItem"),
        "{found}"
    );
}

#[test]
fn a_word_does_not_stand_in_for_a_written_name() {
    let shop = Shop::with(&[(
        "web/config.ts",
        "export const config = 1;\nexport const twice = config * 2;\n",
    )]);
    let text = shop.stdout(&["explore", "where is the config field mail.jobTimeout read?"]);
    assert!(text.starts_with("the query names no symbol"), "{text}");
}

#[test]
fn an_environment_variable_is_read_through_an_object() {
    let env = "declare function createEnv(o: any): any;\nexport const env = createEnv({ MAIL_KEY: process.env.MAIL_KEY });\n";
    let mail = "import { env } from './env';\nexport const send = () => env.MAIL_KEY;\n";
    let shop = Shop::with(&[("web/env.ts", env), ("web/mail.ts", mail)]);
    let text = shop.stdout(&["explore", "where is MAIL_KEY read?"]);
    assert!(
        text.contains("other lines of code that contain it (1):\nweb/\n mail.ts\n  2 send: "),
        "{text}"
    );
}

#[test]
fn what_happens_to_a_message_is_told_of_what_a_mediator_runs() {
    let code = "using MediatR;\nnamespace M;\npublic record Pay(int Id) : IRequest<int>;\npublic class PayHandler : IRequestHandler<Pay, int> {\n  public int Handle(Pay pay) { Book(); return 1; }\n  void Book() { }\n}\npublic class Till {\n  public void Close(Bus bus) { bus.Run(new Pay(1)); }\n}\npublic class Bus { public void Run(object message) { } }\n";
    let shop = Shop::with(&[("src/Pay.cs", code)]);
    let text = shop.stdout(&["explore", "what happens when Pay is sent?"]);
    let handled = "PayHandler.Handle  src/Pay.cs:5\n  5 PayHandler.Book  src/Pay.cs:6\n";
    assert!(text.contains(handled), "{text}");

    let text = shop.stdout(&["explore", "what happens when Till.Close is called?"]);
    assert!(
        text.contains(
            "new Pay  src/Pay.cs:3\n    when sent, runs PayHandler.Handle  src/Pay.cs:5\n"
        ),
        "{text}"
    );
}

#[test]
fn an_unused_symbol_may_be_named_in_a_template() {
    let rows: String = (0..30).map(|_| "<BigButton />\n").collect();
    let shop = Shop::with(&[
        (
            "web/button.ts",
            "export class BigButton {}\nexport class Small {}\n",
        ),
        ("web/a.vue", &rows),
        ("web/b.vue", &"<Small />\n".repeat(30)),
    ]);
    let text = shop.stdout(&["explore", "who uses BigButton?"]);
    assert!(
        text.contains("named in files of other languages, matched by equal text (30):\n"),
        "{text}"
    );
    let text = shop.stdout(&["explore", "who uses Small?"]);
    assert!(!text.contains("named in files"), "{text}");
}

#[test]
fn a_member_of_a_value_is_one_of_its_type() {
    let code = "namespace S;\npublic class Settings {\n  public static Settings All { get; }\n  public int PageSize { get; set; }\n}\npublic class Page {\n  public int Size() => Settings.All.PageSize;\n}\n";
    let shop = Shop::with(&[
        ("src/Settings.cs", code),
        ("src/Page.xaml", "<Box Text=\"{Binding PageSize}\" />\n"),
    ]);
    let text = shop.stdout(&["explore", "where is Settings.All.PageSize read?"]);
    assert!(
        text.contains("note: Settings.All.PageSize is declared as S.Settings.PageSize\n"),
        "{text}"
    );
    assert!(text.contains("  7 Page.Size: public int Size()"), "{text}");
    assert!(
        text.contains("  1 <Box Text=\"{Binding PageSize}\" />\n"),
        "{text}"
    );
}

#[test]
fn the_program_of_an_application_starts_at_its_class() {
    let shop = Shop::with(&[("Ui/App.xaml.cs", "namespace Ui;\npublic class App { }\n")]);
    let text = shop.stdout(&["explore", "where does the program start?"]);
    assert!(text.contains(" Ui/App.xaml.cs:2 App\n"), "{text}");
}

#[test]
fn a_file_lists_what_it_exports_from_others() {
    let index = "export { ring as bell } from './bell';\nexport * from './door';\nexport * as far from 'far';\n";
    let shop = Shop::with(&[
        ("web/index.ts", index),
        ("web/bell.ts", "export function ring() {}\n"),
        ("web/door.ts", "export function open() {}\n"),
    ]);
    let text = shop.stdout(&["explore", "what does web/index.ts export?"]);
    let rows = " 1 bell  web/bell.ts:1\n 2 *: open  web/door.ts:1\n 3 far  from \"far\"\n";
    assert!(
        text.contains(&format!("exported from other files (3):\n{rows}")),
        "{text}"
    );
}
