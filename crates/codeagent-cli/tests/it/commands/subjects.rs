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
    let (reads, writes) = text.split_once("written by (1)").unwrap_or_default();
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
