//! `codeagent explore`: what the names and words of a question stand for.

use super::Shop;

#[test]
fn a_setting_names_the_configuration_that_fills_it() {
    let code = "class MailOptions { public int Port { get; set; } }
class Mail { public int Open(MailOptions options) => options.Port; }
class Setup {
  void Add(IServiceCollection services, IConfiguration all) {
    services.Configure<MailOptions>(
      all.GetSection(\"mail\"));
    cache.Get<MailOptions>(\"last\");
  }
}
";
    let shop = Shop::with(&[("src/Mail.cs", code)]);
    let text = shop.stdout(&["explore", "where is MailOptions.Port read?"]);
    let filled = "filled from a configuration at (1):\nsrc/\n Mail.cs\n  5 Setup.Add: services.Configure<MailOptions>( all.GetSection(\"mail\"));";
    assert!(text.contains(filled), "{text}");
}

#[test]
fn a_name_in_a_message_leads_to_its_property() {
    let code = "class Mail {
  [JsonPropertyName(\"sent_by\")]
  public string Sender { get; set; }
  public string Unused { get; set; }
}
class Post { string Of(Mail mail) => mail.Sender; }
";
    let shop = Shop::with(&[("src/Mail.cs", code)]);
    let text = shop.stdout(&["explore", "where is sent_by read?"]);
    assert!(text.contains("6 Post.Of: "), "{text}");
    let text = shop.stdout(&["explore", "where is Mail.Unused read?"]);
    assert!(
        text.contains("the index knows no certain use of it"),
        "{text}"
    );
}

#[test]
fn types_that_differ_in_type_parameters_are_apart() {
    let code = "class Sum { public virtual void Show() { } }
class Sum<T> { public virtual void Show() { } }
class IntSum : Sum<int> { public override void Show() { } }
class PlainSum : Sum { public override void Show() { } }
";
    let shop = Shop::with(&[("src/Sum.cs", code)]);
    let text = shop.stdout(&["explore", "who overrides Sum.Show?"]);
    let own = text.split("uses of").next().unwrap_or_default();
    assert!(
        own.contains("PlainSum.Show") && !own.contains("IntSum"),
        "{text}"
    );
}

#[test]
fn technical_words_are_no_names_and_a_name_counts_as_written() {
    let a =
        "import { OnInit } from 'framework';\nexport class A implements OnInit { onInit() {} }\n";
    let b =
        "export class Bell { onInit() {} }\nexport const word = 'API';\nexport function api() {}\n";
    let shop = Shop::with(&[("web/a.ts", a), ("web/b.ts", b)]);
    let text = shop.stdout(&["explore", "who implements onInit?"]);
    assert!(
        text.contains("A.onInit") && text.contains("Bell.onInit"),
        "{text}"
    );
    let text = shop.stdout(&["explore", "what is the public API of Bell?"]);
    assert!(text.starts_with("## exported class Bell"), "{text}");
}

#[test]
fn words_that_join_to_a_name_are_that_name() {
    let code = "class Oven {
  public int BakingTime = 5;
  int Bake() => BakingTime;
  void BakeBread() { }
}
class Timer { int time; int Rest() => time; }
";
    let shop = Shop::with(&[("src/Oven.cs", code)]);
    let text = shop.stdout(&["explore", "Where is the baking time setting read?"]);
    assert!(
        text.starts_with("## public field Oven.BakingTime"),
        "{text}"
    );
    let text = shop.stdout(&["explore", "What happens when bake bread is pressed?"]);
    assert!(text.contains("method Oven.BakeBread"), "{text}");
}

#[test]
fn a_name_with_a_hyphen_is_a_file() {
    let run =
        "import { bake } from './bake-bread.handler';\nexport function runOven() { bake(); }\n";
    let shop = Shop::with(&[
        ("web/run.ts", run),
        ("web/bake-bread.handler.ts", "export function bake() {}\n"),
    ]);
    let text = shop.stdout(&["explore", "how does runOven get to bake-bread.handler?"]);
    assert!(
        text.starts_with("how runOven leads to bake-bread.handler.ts"),
        "{text}"
    );
}

#[test]
fn an_attribute_writes_a_property_and_a_pattern_reads_it() {
    let page = "export type Props = { bright?: boolean };
export const Page = ({ bright = false }: Props) => <p>{bright ? 1 : 2}</p>;
export const All = () => <Page bright={true} />;
";
    let shop = Shop::with(&[("web/page.tsx", page)]);
    let text = shop.stdout(&["explore", "who sets Props.bright?"]);
    let (writes, reads) = text.split_once("read or used by (1)").unwrap_or_default();
    assert!(
        reads.contains("2 Page") && writes.contains("3 All"),
        "{text}"
    );
}

#[test]
fn words_in_capitals_or_with_a_particle_are_one_name() {
    let bin = "export const Empty = 1;
export class EmptyTrashAction { run() { sweep(); } }
export function sweep() {}
export function Logout() { sweep(); }
";
    let shop = Shop::with(&[("web/bin.ts", bin)]);
    for (question, expected) in [
        (
            "What happens when the user runs the Empty Trash action?",
            "class EmptyTrashAction",
        ),
        ("What happens when somebody logs out?", "function Logout()"),
    ] {
        let text = shop.stdout(&["explore", question]);
        let first = text.lines().next().unwrap_or_default();
        assert!(first.contains(expected), "{question}: {text}");
    }
}

#[test]
fn a_string_in_an_object_is_used_by_its_key() {
    let routes = "const ROUTES = {
  HOME: '/home',
  CART: '/cart/items',
} as const;
export default ROUTES;
";
    let tabs = "import ROUTES from './routes';
export const tabs = [
  { route: ROUTES.CART, page: 1 },
  { route: ROUTES.HOME, page: 2 },
];
";
    let shop = Shop::with(&[("web/routes.ts", routes), ("web/tabs.ts", tabs)]);
    let text = shop.stdout(&["explore", "what is shown at /cart/items?"]);
    let uses = "(1):\nweb/\n tabs.ts\n  3 tabs: { route: ROUTES.CART, page: 1 },\n";
    assert!(text.contains(uses), "{text}");
}

#[test]
fn dependencies_count_lines_and_name_what_is_outside() {
    let code = "using System.Text;
interface IWatch { void A(); void B(); void C(); void D(); void E(); }
class Drives {
  IWatch watch;
  StringBuilder text = new StringBuilder();
  void Run() { watch.A(); watch.B(); watch.C(); watch.D(); watch.E(); text.Append(1); }
}
";
    let shop = Shop::with(&[("src/Drives.cs", code)]);
    let text = shop.stdout(&["explore", "what does Drives depend on?"]);
    let rows = "depends on types and functions, with the number of lines (1):
 IWatch 2: A, B, C, D and 1 more  src/
outside the repository (1):
 StringBuilder
";
    assert!(text.contains(rows), "{text}");
}

#[test]
fn the_text_of_an_item_leads_to_the_branch_of_its_key() {
    let menu = "export const items = () => [
  {
    key: 'logout',
    label: (
      <span>Sign out</span>
    ),
  },
];
export function pick(key: string) {
  switch (key) {
    case 'logout':
      leave();
      break;
  }
}
function leave() {}
";
    let shop = Shop::with(&[("web/menu.tsx", menu)]);
    let question = "What happens when the user clicks Sign out in the side menu?";
    let text = shop.stdout(&["explore", question]);
    assert!(
        text.starts_with("## text \"Sign out\" of the interface (1 place)"),
        "{text}"
    );
    let branch =
        "in the branch for it:\npick  web/menu.tsx:11\n 11 case 'logout':\n 12   leave();\n";
    assert!(text.contains(branch), "{text}");
}

#[test]
fn an_event_of_a_type_is_raised_by_those_who_call_its_raising_function() {
    let doors = "using System;
public class Door {
  public event Action Closed;
  protected void OnClosed() { Closed?.Invoke(); }
}
public class Gate : Door { public void Slam() { OnClosed(); } }
public class Shop { public event Action Closed; }
";
    let shop = Shop::with(&[("src/Doors.cs", doors)]);
    for question in [
        "who raises the Closed event of Door?",
        "what raises Door's Closed event?",
    ] {
        let text = shop.stdout(&["explore", question]);
        assert!(
            text.starts_with("## public event Door.Closed"),
            "{question}: {text}"
        );
        let raised = "raised through OnClosed by (1):\nsrc/\n Doors.cs\n  6 Gate.Slam: ";
        assert!(text.contains(raised), "{question}: {text}");
    }
}

#[test]
fn a_module_of_a_package_is_the_file_that_it_is_imported_from() {
    let manifest =
        r#"{"name":"@x/core","exports":{".":"./src/index.ts","./session":"./src/session.ts"}}"#;
    let app = "import { open } from \"@x/core/session\";\nimport debounce from \"lodash/debounce\";\nimport { pick } from \"@kit/tools/deep\";\nexport const run = debounce(() => open());\npick();\n";
    let shop = Shop::with(&[
        (
            "package.json",
            r#"{"private":true,"workspaces":["packages/*"]}"#,
        ),
        ("packages/core/package.json", manifest),
        (
            "packages/core/src/index.ts",
            "export * from \"./session\";\n",
        ),
        (
            "packages/core/src/session.ts",
            "export function open() {}\n",
        ),
        (
            "packages/app/package.json",
            r#"{"name":"@x/app","dependencies":{"@x/core":"*"}}"#,
        ),
        ("packages/app/src/a.ts", app),
        (
            "packages/app/src/b.ts",
            "import { open } from \"@x/core\";\nopen();\n",
        ),
    ]);
    for (question, expected) in [
        (
            "who imports @x/core/session?",
            "## file packages/core/src/session.ts\nimported by (3):\npackages/app/src/\n a.ts\n  1 import",
        ),
        (
            "who imports @x/core?",
            "## file packages/core/src/index.ts\nimported by (1):\npackages/app/src/\n b.ts\n  1 import",
        ),
        (
            "who imports @kit/tools/deep?",
            "## npm:@kit/tools#pick (outside the repository)\nimported by (1):\npackages/app/src/\n a.ts\n  3 import",
        ),
        (
            "what depends on @kit/tools?",
            "## npm:@kit/tools#pick (outside the repository)\nimported by (1):\n",
        ),
        (
            "what depends on lodash/debounce?",
            "## text lodash/debounce (1 line)\n",
        ),
        (
            "what depends on lodash?",
            "## npm:lodash (outside the repository)\nimported by (1):\n",
        ),
    ] {
        let text = shop.stdout(&["explore", question]);
        assert!(text.starts_with(expected), "{question}: {text}");
    }
}

#[test]
fn plain_words_may_name_the_ends_of_a_path() {
    let doors = "import { close } from './gate';\nexport function open() { close(); }\nexport class Door { unlock() { open(); } }\n";
    let shop = Shop::with(&[
        ("web/doors.ts", doors),
        ("web/gate.ts", "export function close() {}\n"),
    ]);
    for (question, expected) in [
        (
            "how does Door.unlock reach close?",
            "how Door.unlock leads to close:\n",
        ),
        ("how does open reach close?", "how open leads to close:\n"),
        (
            "show the path from open to close",
            "how open leads to close:\n",
        ),
    ] {
        let text = shop.stdout(&["explore", question]);
        assert!(text.starts_with(expected), "{question}: {text}");
    }
}

#[test]
fn tests_that_reach_a_function_otherwise_follow_the_direct_ones() {
    let door = "export function unlock() {}\nexport function visit() { unlock(); }\n";
    let help = "import { unlock } from '../door';\nexport function prepare() { unlock(); }\n";
    let direct = "import { unlock } from './door';\nit('unlocks', () => { unlock(); });\n";
    let others = "import { visit } from './door';\nimport { prepare } from './tests/help';\nit('visits', () => { visit(); });\nit('waits', () => { prepare(); });\n";
    let shop = Shop::with(&[
        ("web/door.ts", door),
        ("web/tests/help.ts", help),
        ("web/door.test.ts", direct),
        ("web/other.test.ts", others),
    ]);
    let text = shop.stdout(&["explore", "which tests cover unlock?"]);
    let parts = [
        "in tests (2):\n",
        "  2 it \"unlocks\": ",
        "  2 prepare: ",
        "more tests that may reach it through prepare, visit (2):\n",
        "  3 it \"visits\": ",
        "  4 it \"waits\": ",
    ];
    let found: Vec<usize> = parts.iter().filter_map(|part| text.find(part)).collect();
    assert!(found.len() == parts.len() && found.is_sorted(), "{text}");
}

#[test]
fn what_uses_a_helper_of_tests_is_a_test() {
    let door = "export function unlock() {}\nexport function visit() { unlock(); }\n";
    let help = "import { visit } from '../door';\nexport function prepare() { visit(); }\n";
    let test = "import { prepare } from './tests/help';\nit('waits', () => { prepare(); });\n";
    let shop = Shop::with(&[
        ("web/door.ts", door),
        ("web/tests/help.ts", help),
        ("web/door.test.ts", test),
    ]);
    let text = shop.stdout(&["explore", "which tests reach unlock?"]);
    let title = "tests that may reach it through prepare, visit (2):\n";
    assert!(text.contains(title), "{text}");
    assert!(text.contains("  2 it \"waits\": "), "{text}");
}

#[test]
fn keys_of_object_literals_write_a_property() {
    let code = "export interface Options { retries: number; }
export function run(options: Options) { return options.retries; }
export function wait({ retries }: Options) { return retries; }
run({ retries: 1 });
export const slow: Options = {
  retries: 2,
};
const { retries } = slow;
wait({ retries });
";
    let shop = Shop::with(&[("web/options.ts", code)]);
    let text = shop.stdout(&["explore", "who sets Options.retries?"]);
    let parts = [
        "written by (3):\n",
        "  4 run({ retries: 1 });\n",
        "  6 slow: retries: 2,\n",
        "  9 wait({ retries });\n",
        "read or used by (3):\n",
    ];
    let found: Vec<usize> = parts.iter().filter_map(|part| text.find(part)).collect();
    assert!(found.len() == parts.len() && found.is_sorted(), "{text}");
}
