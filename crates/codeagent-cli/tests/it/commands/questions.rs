//! `codeagent explore`: which symbols, events and tests the words of a question mean.

use super::Shop;

#[test]
fn a_bare_name_is_that_of_all_its_members() {
    let doors = "export class Door { open() {} }\nexport class Gate { open() {} }\nexport const go = (door: Door) => door.open();\nexport const on = (gate: Gate) => gate.open();\n";
    let base = "class Near { public virtual void Open() {} }\nclass Far { public override void Open() {} }\n";
    let shop = Shop::with(&[("web/doors.ts", doors), ("src/Near.cs", base)]);

    let text = shop.stdout(&["explore", "who calls open?"]);
    assert!(
        text.contains("others of that name") && text.contains(" on: ") && text.contains(" go: "),
        "{text}"
    );
    let text = shop.stdout(&["explore", "who overrides Open?"]);
    assert!(text.contains("  2 Far.Open: "), "{text}");
    let text = shop.stdout(&["explore", "who calls Door.open?"]);
    assert!(!text.contains("others of that name"), "{text}");
}

#[test]
fn a_member_of_an_absent_type_is_that_of_the_types_that_inherit_it() {
    let workers = "import { Host } from 'queue';\nexport class Mail extends Host { process() {} }\nexport class Post extends Mail { process() {} }\n";
    let shop = Shop::with(&[("web/workers.ts", workers)]);
    let text = shop.stdout(&["explore", "who overrides Host.process?"]);
    assert!(
        text.contains("## npm:queue#Host.process (outside the repository)")
            && text.contains("  2 Mail.process: ")
            && text.contains("  3 Post.process: "),
        "{text}"
    );
}

#[test]
fn a_word_says_what_a_name_beside_it_is() {
    let doors = "class Opener {\n    public void Closed() { }\n    public int Size { get; set; }\n}\nclass Door {\n    public event System.Action Closed;\n    protected void Shut() { Closed?.Invoke(); }\n    public void Slam() { Shut(); }\n}\nclass DoorSettings { public int Size { get; set; } }\nclass Copy {\n    void Run(DoorSettings to, Opener from) { to.Size = from.Size; }\n}\n";
    let shop = Shop::with(&[("src/Doors.cs", doors)]);
    for (question, expected) in [
        (
            "who raises the event Closed?",
            "## public event Door.Closed",
        ),
        (
            "who raises the event Closed?",
            "raised through Shut by (1):",
        ),
        (
            "who calls the method Closed?",
            "## public method Opener.Closed",
        ),
        (
            "where is the setting Size read?",
            "## public property DoorSettings.Size",
        ),
        ("where is the setting Size read?", "written by (1):"),
        ("who reads Opener.Size?", "read or used by (1):"),
    ] {
        let text = shop.stdout(&["explore", question]);
        assert!(text.contains(expected), "{question}\n{text}");
    }
}

#[test]
fn a_technical_word_beside_others_is_no_name() {
    let doors = "export class Doors {\n  shutDoor(path: string) { return new URL(path); }\n}\n";
    let shop = Shop::with(&[("web/doors.ts", doors)]);
    let text = shop.stdout(&["explore", "which URL is sent when a user shuts a door?"]);
    assert!(
        text.contains("Doors.shutDoor") && !text.contains("lib:URL"),
        "{text}"
    );
    let text = shop.stdout(&["explore", "who calls URL?"]);
    assert!(
        text.contains("## lib:URL (outside the repository)"),
        "{text}"
    );
}

#[test]
fn a_string_in_a_call_is_what_the_question_is_about() {
    let server = "import express from 'express';\nconst app = express();\napp.get('/doors', list);\napp.post('/doors', add);\nfunction list() {}\nfunction add() {}\n";
    let shop = Shop::with(&[("web/server.ts", server)]);
    let text = shop.stdout(&["explore", "what serves api.post(\"/doors\")?"]);
    assert!(
        text.contains("POST /doors") && !text.contains("GET /doors"),
        "{text}"
    );
}

#[test]
fn tests_are_found_by_what_they_test() {
    let test = "describe('doors', () => {\n  it('renames an open door', () => {});\n  it('paints a door', () => {});\n});\n";
    let other = "class DoorTests {\n    public void RenamedDoorsStayOpen() {}\n    public void Paint() {}\n}\nclass Door { string door; }\n";
    let shop = Shop::with(&[("web/door.test.ts", test), ("tests/DoorTests.cs", other)]);
    let text = shop.stdout(&["explore", "which tests cover renaming a door?"]);
    assert!(
        text.starts_with("tests with these words in their names or titles (2):")
            && text.contains("  2 it \"renames an open door\"")
            && text.contains("  2 DoorTests.RenamedDoorsStayOpen: "),
        "{text}"
    );
}

#[test]
fn a_word_that_is_a_name_is_a_symbol_with_tests() {
    let shop = Shop::with(&[
        ("web/paint.ts", "export function paint() {}\n"),
        (
            "web/all.test.ts",
            "import { paint } from './paint';\nit('works', () => paint());\nit('paints nothing', () => {});\n",
        ),
    ]);
    let text = shop.stdout(&["explore", "which tests cover paint?"]);
    assert!(
        text.contains("in tests (1)") && text.contains("it \"works\""),
        "{text}"
    );
}

#[test]
fn a_path_without_the_one_that_its_server_is_mounted_on_is_a_route() {
    let server = "import Router from '@koa/router';
const router = new Router();
router.patch('/settings', save);
function save() { store(); }
function store() {}
app.use(mount('/api', router));
";
    let shop = Shop::with(&[("web/server.ts", server)]);
    let text = shop.stdout(&["explore", "what serves api.patch('api/settings')?"]);
    assert!(text.contains("web/server.ts:3"), "{text}");
    let text = shop.stdout(&["explore", "what serves api.patch('other/settings')?"]);
    assert!(text.starts_with("the query names no symbol"), "{text}");
}

#[test]
fn a_path_with_values_is_that_of_a_route_with_parameters() {
    let code = "[Route(\"api\")]
class CartsController : ControllerBase {
  [HttpPost(\"shops/{shop}/carts\")] public void Add(string shop) { Book(); }
  [HttpGet(\"shops/{shop}/carts/{id}\")] public void Find(string shop, int id) { }
  void Book() { }
}
";
    let client = "export class Carts {
  add(shop: string) { return Helper.postVersioned(`api/shops/${shop}/carts`); }
}
";
    let shop = Shop::with(&[("src/Carts.cs", code), ("web/carts.ts", client)]);
    let text = shop.stdout(&["explore", "what serves POST api/shops/north/carts?"]);
    assert!(text.contains("CartsController.Add"), "{text}");
    let text = shop.stdout(&["explore", "what serves GET api/shops/north/carts/7?"]);
    assert!(text.contains("CartsController.Find"), "{text}");
    let text = shop.stdout(&["explore", "what happens when Carts.add is called?"]);
    assert!(
        text.contains("runs CartsController.Add  src/Carts.cs:3"),
        "{text}"
    );
}

#[test]
fn a_word_may_name_a_function_of_a_named_file_or_beside_a_named_function() {
    let auth = "export function useAuth() { return {}; }
export function AuthProvider() {
  const logout = () => { clear(); };
  return logout;
}
function clear() {}
";
    let shop = Shop::with(&[("web/auth.ts", auth)]);
    for question in [
        "what happens when logout of useAuth is called?",
        "what does logout in web/auth.ts call?",
    ] {
        let text = shop.stdout(&["explore", question]);
        assert!(text.contains("AuthProvider.logout"), "{text}");
        assert!(text.contains(" clear "), "{text}");
    }
}

#[test]
fn a_named_program_starts_below_its_folder() {
    let main = "static class Program { static void Main() { } }\n";
    let shop = Shop::with(&[
        ("src/Shop.Icons/Program.cs", main),
        ("src/Shop.Mail/Program.cs", main),
    ]);
    let text = shop.stdout(&["explore", "where does the Icons program start?"]);
    assert!(text.contains("src/Shop.Icons/Program.cs:1"), "{text}");
    let of_mail = "src/Shop.Mail/Program.cs:1 Program.Main";
    assert!(!text.contains(of_mail), "{text}");

    let text = shop.stdout(&["explore", "where does the mail program start?"]);
    assert!(text.contains(of_mail), "{text}");
    let others = "others, which fit the question less well (1):\n src/Shop.Icons/Program.cs:1\n";
    assert!(text.contains(others), "{text}");

    let catalog = "namespace Catalog;\nclass Catalog { static void Main() { } }\n";
    let shop = Shop::with(&[
        ("src/Catalog/Catalog.cs", catalog),
        ("src/Mail/Program.cs", main),
    ]);
    let text = shop.stdout(&["explore", "where does Catalog start?"]);
    assert!(
        text.contains("src/Catalog/Catalog.cs:2 Catalog.Main"),
        "{text}"
    );
}

#[test]
fn an_environment_variable_may_be_a_common_word() {
    let code =
        "class Shell { string Find() { return Environment.GetEnvironmentVariable(\"PATH\"); } }\n";
    let shop = Shop::with(&[("src/Shell.cs", code)]);
    let text = shop.stdout(&["explore", "where is the environment variable PATH read?"]);
    assert!(text.contains("1 Shell.Find: "), "{text}");
}

#[test]
fn a_word_may_name_a_member_of_a_named_type() {
    let till = "export class Till { open() {} }\nexport class Safe extends Till { open() {} }\n";
    let shop = Shop::with(&[("web/till.ts", till)]);
    let text = shop.stdout(&["explore", "who extends Till and who overrides its open?"]);
    assert!(text.contains("  2 Safe: overrides open (2)\n"), "{text}");
}

#[test]
fn an_event_may_have_the_name_of_a_type() {
    let shop = Shop::with(&[(
        "web/events.ts",
        "export type closed = 'closed';
export class Bus { emit(name: string) {} }
export class Till { constructor(private bus: Bus) {} close() { this.bus.emit('closed'); } }
",
    )]);
    let text = shop.stdout(&["explore", "who emits closed?"]);
    assert!(
        text.contains("emitted at (1)") && text.contains("3 Till.close"),
        "{text}"
    );
}

#[test]
fn an_event_is_known_by_its_text() {
    let shop = Shop::with(&[(
        "web/events.ts",
        "export class Till { constructor(private bus: Bus) {} close() { this.bus.emit('till.closed'); } }
export class Log { @OnEvent('till.closed') write() { line(); } }
function line() {}
",
    )]);
    let text = shop.stdout(&["explore", "what happens when \"till.closed\" is emitted?"]);
    assert!(
        text.contains(" runs Log.write on \"till.closed\", registered at web/events.ts:2")
            && text.contains("emitted at (1)")
            && text.contains(" line "),
        "{text}"
    );
}

#[test]
fn a_string_that_is_no_name_is_not_a_key_of_a_type() {
    let till = "export type Events = { 'till:closed': number };\nexport class Bus { emit(name: string) {} }\nexport const close = (bus: Bus) => bus.emit('till:closed');\n";
    let shop = Shop::with(&[("web/till.ts", till)]);
    let text = shop.stdout(&["explore", "who emits 'till:closed'?"]);
    assert!(
        text.contains("emitted at (1):") && text.contains("  3 close: "),
        "{text}"
    );
}

#[test]
fn a_procedure_is_found_under_the_hook_of_its_client() {
    let server = "export const carts = router({\n  findAll: procedure.query(() => load()),\n});\nfunction load() {}\n";
    let shop = Shop::with(&[
        ("api/carts.ts", server),
        (
            "web/carts.ts",
            "export const use = () => client.carts.findAll.useQuery();\n",
        ),
    ]);
    let text = shop.stdout(&["explore", "what serves client.carts.findAll.useQuery()?"]);
    assert!(
        text.contains("registered as `findAll`") && text.contains(" load "),
        "{text}"
    );
}

#[test]
fn a_route_shows_an_element_or_a_page() {
    let routes = "export const Carts = () => null;\nexport const routes = [{ path: 'shop', children: [{ path: 'Carts', element: <Carts /> }] }];\n";
    let page = "@page \"/till/{Id:int}\"\n<Till />\n";
    let shop = Shop::with(&[("web/routes.tsx", routes), ("web/Till.razor", page)]);
    let text = shop.stdout(&["explore", "what is shown at shop/Carts?"]);
    assert!(
        text.contains("web/routes.tsx:2: variable Carts") || text.contains(": Carts"),
        "{text}"
    );
    let text = shop.stdout(&["explore", "which page is shown at /till/{Id:int}?"]);
    assert!(text.contains("Till.razor"), "{text}");
}

#[test]
fn types_of_one_name_share_what_implements_them() {
    let one = "export class Base {}\nexport class Left extends Base {}\n";
    let other = "export class Base {}\nexport class Right extends Base {}\n";
    let shop = Shop::with(&[("web/one.ts", one), ("web/other.ts", other)]);
    let text = shop.stdout(&["explore", "which classes extend Base?"]);
    assert!(
        text.contains(" Left: ") && text.contains(" Right: "),
        "{text}"
    );
}

#[test]
fn tests_that_only_name_a_symbol_are_told_apart() {
    let shop = Shop::with(&[
        ("web/till.ts", "export class Till { closeDay() {} }\n"),
        (
            "web/till.test.ts",
            "it('closes', (client: any) => { client.api.closeDay(); });\n",
        ),
    ]);
    let text = shop.stdout(&["explore", "which tests cover Till.closeDay?"]);
    assert!(
        text.contains("no test is known to use it")
            && text.contains("named in tests, matched by equal text (1)"),
        "{text}"
    );
}

#[test]
fn a_name_in_capitals_is_an_environment_variable_before_a_symbol_in_other_case() {
    let code = "export interface Options { port: number }\nconst label = \"port\";\nexport const read = () => process.env.PORT ?? label;\n";
    let shop = Shop::with(&[("web/serve.ts", code)]);
    let text = shop.stdout(&["explore", "where is PORT read?"]);
    assert!(
        text.starts_with("## literal \"PORT\" (1 place)\n"),
        "{text}"
    );
    assert!(text.contains("3 read: "), "{text}");
}

#[test]
fn a_name_that_a_package_exports_too_is_told_of_both() {
    let shop = Shop::with(&[
        (
            "web/own.ts",
            "const isPlain = (x: any) => !x;\nexport const own = isPlain(1);\n",
        ),
        (
            "web/other.ts",
            "import { isPlain } from 'redux';\nexport const other = isPlain(1);\n",
        ),
    ]);
    let text = shop.stdout(&["explore", "who calls isPlain?"]);
    assert!(text.contains("web/own.ts:1"), "{text}");
    assert!(
        text.contains("redux#isPlain") && text.contains("  2 other: "),
        "{text}"
    );
}

#[test]
fn what_happens_is_not_asked_of_a_property() {
    let code = "class Row { public int round; }\nclass Table { public void OnRoundStarted() { Deal(); } void Deal() { } }\n";
    let shop = Shop::with(&[("src/Table.cs", code)]);
    let text = shop.stdout(&["explore", "what happens when a round is started?"]);
    assert!(text.contains("Table.OnRoundStarted"), "{text}");
    assert!(!text.contains("## public field"), "{text}");
    let text = shop.stdout(&["explore", "where is round read?"]);
    assert!(text.contains("Row.round"), "{text}");

    // A local function of a test has the name, too.
    let code =
        "export class Options { get draft() { return 1; } }\nexport function onDraftKept() {}\n";
    let test = "test('keeps', () => { const draft = () => 1; draft(); });\n";
    let shop = Shop::with(&[("web/options.ts", code), ("web/options.test.ts", test)]);
    let text = shop.stdout(&["explore", "what happens when a draft is kept?"]);
    assert!(text.contains("onDraftKept"), "{text}");
    assert!(!text.starts_with("## public accessor"), "{text}");
}

#[test]
fn a_start_shows_what_happens_at_it() {
    let code = "class Program { static void Main() { Window.Open(); } }\nclass Window { public static void Open() { } }\n";
    let shop = Shop::with(&[
        ("Shop.DesktopUi/Program.cs", code),
        ("Shop.FullScreenUi/Program.cs", code),
    ]);
    let text = shop.stdout(&["explore", "where does the desktop app start?"]);
    assert!(
        text.contains("Shop.DesktopUi/Program.cs:1 Program.Main"),
        "{text}"
    );
    assert!(
        !text.contains("FullScreenUi/Program.cs:1 Program.Main"),
        "{text}"
    );
    assert!(text.contains("Window.Open"), "{text}");
}

#[test]
fn an_event_without_a_known_emitter_is_a_string() {
    let code = "export function close(dialog) { Events.trigger(dialog, 'sortchange'); }\nexport enum Step { Sorted = 1 }\nexport const done = 'sorted';\n";
    let shop = Shop::with(&[("web/dialog.js", code)]);
    let text = shop.stdout(&["explore", "who emits sortchange?"]);
    assert!(text.starts_with("## literal \"sortchange\""), "{text}");
    assert!(text.contains("Events.trigger(dialog"), "{text}");
    let text = shop.stdout(&["explore", "what happens when 'sorted' is triggered?"]);
    assert!(text.starts_with("## literal \"sorted\""), "{text}");
}

#[test]
fn an_event_may_have_the_name_of_a_function() {
    let code = "export function reload() { bus.out.emit('reload'); }\n";
    let shop = Shop::with(&[("web/reload.js", code)]);
    let text = shop.stdout(&["explore", "who emits reload?"]);
    assert!(text.starts_with("## literal \"reload\""), "{text}");
    assert!(text.contains("function reload"), "{text}");
}

#[test]
fn a_string_may_name_a_function() {
    let code = "export async function sendDigest() {}\n";
    let other = "export function start(client: any) {\n  client.workflow.start('sendDigest');\n}\n";
    let shop = Shop::with(&[("web/digest.ts", code), ("web/start.ts", other)]);
    let text = shop.stdout(&["explore", "who starts sendDigest?"]);
    assert!(
        text.contains("named in strings, matched by equal text (1):")
            && text.contains("  2 start: client.workflow.start"),
        "{text}"
    );
}

#[test]
fn a_file_shows_what_it_imports() {
    let shop = Shop::with(&[
        (
            "web/doors.ts",
            "export const open = 1;\nexport const shut = 2;\n",
        ),
        (
            "web/house.ts",
            "import { open, shut } from './doors';\nimport { readFile } from 'fs';\nexport const all = [open, shut, readFile];\n",
        ),
    ]);
    let text = shop.stdout(&["explore", "what does web/house.ts import?"]);
    assert!(
        text.contains("imports (2):\n 1 open, shut  web/doors.ts\n 2 readFile  node:fs"),
        "{text}"
    );
}

#[test]
fn a_sentence_is_compared_with_source() {
    let code = "export function run(x: string) {\n  // The parcel goes to the nearest depot.\n  return x;\n}\nexport function walk() {\n  return 'stroll';\n}\n";
    let shop = Shop::with(&[("web/steps.ts", code)]);
    let text = shop.stdout(&["search", "bring a parcel to its closest depot"]);
    let first = text.lines().find(|line| !line.starts_with("note:"));
    assert!(
        first.is_some_and(|line| line.contains("steps.ts:1:") && line.contains("run")),
        "{text}"
    );
}
