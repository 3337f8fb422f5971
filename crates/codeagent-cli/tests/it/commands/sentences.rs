//! `codeagent explore`: questions in sentences, each with the places that answer it.

use super::{Case, Shop, assert_answers};

const OVEN_TESTS: &str = "public abstract class OvenTest {
  protected OvenTest() { Heat(); }
  protected void Heat() { }
}
public class BreadTests : OvenTest { public void Rises() { } }
public class CakeTests : BreadTests { public void Sinks() { } }
";

const CLEANUP_TESTS: &str = "class CleanupFixture {
  void Setup() { }
  [Test] public void should_delete_all_expired_files() { }
  [Test] public void should_keep_folders() { }
}
";

const CHECKS: &str = "class Checked<T> { }
static class Check { public static Checked<T> That<T>(T value) => null; }
static class CheckExtensions { public static Checked<string> IsPath(this Checked<string> value) => value; }
class Rules { public bool IsPath(string text) => true; }
";

const ROUTER: &str = "import { Hono } from 'hono';
import bakeRoute from './bake';
export const breadRoute = new Hono().get('/kinds', c => c.json([]));
breadRoute.route('/', bakeRoute);
export const app = new Hono();
app.route('/api/bread', breadRoute);
";

const BAKE: &str = "import { Hono } from 'hono';
const route = new Hono();
route.post('/kinds/:kindIdentifier/batches/:batchIdentifier/temperatures/:temperature', c => c.json([]));
export default route;
";

const OVEN: &str = "namespace Bakery.Ovens { public class Oven : System.IDisposable { public void Dispose() { } } }
";

const TOASTER: &str =
    "namespace Bakery.Ovens.Small { class Toaster : System.IDisposable { public void Dispose() { } } }
";

const PROVIDERS: &str =
    "export interface Provider { pattern?: RegExp; search?: (text: string) => string }
const providers: Provider[] = [];
providers.push({
  pattern: /rye/,
  search: text => text,
});
providers.push({ pattern: /wheat/, search: text => text });
providers.push({ search: text => text });
";

const AGENTS: &str = "export interface Agent { isEnabledNow: boolean }
export function send(agent: Agent) { return agent.isEnabledNow; }
";

const SCHEDULE: &str = "export class Redis { }
export function start() {
  schedule.scheduleJob(
    jobs['bake'].schedule,
    () => bake(),
  );
}
";

const LISTENERS: &str = "class Bus { public void Publish(object message) { } }
class Closed { }
class Opened { }
abstract class Listener { public abstract void On(object message); }
class Cleaner : Listener {
  public override void On(object message) {
    switch (message) {
      case Opened:
        Greet();
        break;
      case Closed closed:
        Sweep();
        break;
    }
  }
  void Greet() { }
  void Sweep() { }
}
class Shop {
  Bus bus = new Bus();
  public void Close() { bus.Publish(new Closed()); }
}
";

const SHELL: &str = "interface IShellCommand { void Run(); }
class OpenCommand : IShellCommand { public void Run() { } }
";

const PATHS: &str = "static class PathHelper { public static string Join(string a) => a; }
class Store { string Read(string paths) => paths; }
";

const ACCOUNTS: &str = "class Accounts {
  public void Login() { Check(); }
  public void ForgetPassword() { Mail(); }
  void Check() { }
  void Mail() { }
}
class PasswordForm { }
";

const PACKER: &str = "class Packer { static void Main() { Pack(); } static void Pack() { } }
";

const SITE: &str = "class Site {
  static void Main() { Host.CreateDefaultBuilder().Configure(b => b.UseStartup<Startup>()).Run(); }
}
class Startup { }
";

const LOGS_ENV: &str = "export const pick = (prefix: string) =>
  Object.entries(process.env).filter(([key]) => key.startsWith(prefix));
export const logs = createEnv({
  runtimeEnv: pick('LOG_'),
});
";

const SPEC: &str = "describe('keys', () => {
  it('rejects an old key', () => { });
  it('rejects a short key', () => { });
  it('works without an address', () => { });
});
";

const ROOT: &str = "export const appRouter = router({
  cart: lazy(() => import('./cart').then((mod) => mod.cartRouter)),
});
";

const CART: &str = "export const cartRouter = router({
  close: procedure.mutation(async () => {
    sweep();
  }),
});
export function sweep() { }
";

const BAKERY_MODE: Case = Case {
    question: "where is BAKERY_MODE read?",
    files: &[(
        "bakery/Mode.cs",
        "class Mode {\n  static string Address;\n  void Read() { Mode.Address = Environment.GetEnvironmentVariable(\"BAKERY_MODE\") == \"test\"\n    ? \"a\" : \"b\"; }\n  string Use() => Address;\n}\n",
    )],
    expected: &["3 Mode.Read: "],
};

const CASES: [Case; 44] = [
    Case {
        question: "where is the LOG_LEVEL environment variable read?",
        files: &[
            ("bakery/env.ts", LOGS_ENV),
            (
                "bakery/log.ts",
                "import { logs } from './env';\nexport const level = logs.LEVEL;\n",
            ),
        ],
        expected: &[
            "LOG_LEVEL is logs.LEVEL: \"LOG_\" begins the names of environment variables (bakery/env.ts:4)",
            "read by (1):\nbakery/\n log.ts\n  2 level: ",
            "pick, which gets its name  bakery/env.ts:",
        ],
    },
    Case {
        question: "which tests check that a key is rejected?",
        files: &[("bakery/keys.spec.ts", SPEC)],
        expected: &[
            "other tests of these classes or files (1):\nbakery/\n keys.spec.ts\n  4 it \"works without an address\"",
        ],
    },
    Case {
        question: "what happens when ClosingPage runs?",
        files: &[
            ("api/root.ts", ROOT),
            ("api/cart.ts", CART),
            (
                "web/page.tsx",
                "export const ClosingPage = () => {\n  const { mutate } = api.cart.close.useMutation();\n  return <p />;\n};\n",
            ),
        ],
        expected: &[
            "api.cart.close.useMutation -> (matched by key names) api/cart.ts:2\n    3 sweep",
        ],
    },
    Case {
        question: "where does the server process start?",
        files: &[("tools/Packer.cs", PACKER), ("site/Site.cs", SITE)],
        expected: &[
            "entry points outside of tests:\n site/Site.cs:2 Site.Main\n",
            "b.UseStartup<Startup>",
        ],
    },
    Case {
        question: "what happens when Shop.Close runs?",
        files: &[("bakery/Listeners.cs", LISTENERS)],
        expected: &[
            "when sent, is matched in Cleaner.On  bakery/Listeners.cs:11\n      12 Cleaner.Sweep",
        ],
    },
    Case {
        question: "which commands does the interactive shell offer besides plain SQL?",
        files: &[("bakery/Shell.cs", SHELL)],
        expected: &["interface IShellCommand", "2 OpenCommand: "],
    },
    Case {
        question: "what does the static helper class for paths declare?",
        files: &[("bakery/PathHelper.cs", PATHS)],
        expected: &["those that may be meant:\n## internal class PathHelper"],
    },
    Case {
        question: "what happens when a user submits the forget-password form?",
        files: &[("bakery/Accounts.cs", ACCOUNTS)],
        expected: &["those that may be meant:\n## public method Accounts.ForgetPassword()"],
    },
    Case {
        question: "which classes implement IEqualityComparer<T>?",
        files: &[(
            "bakery/Same.cs",
            "using System.Collections.Generic;\nclass Same : IEqualityComparer<int> { }\n",
        )],
        expected: &[
            "## dotnet:System.Collections.Generic.IEqualityComparer",
            "2 Same: ",
        ],
    },
    Case {
        question: "who implements Provider, object literals included?",
        files: &[("bakery/providers.ts", PROVIDERS)],
        expected: &[
            "object literals and values of this type (3):",
            "providers.push({ pattern: /rye/,",
            "providers.push({ pattern: /wheat/, search: text => text });",
            "providers.push({ search: text => text });",
        ],
    },
    Case {
        question: "what does the constants file of the Oven components export?",
        files: &[
            ("bakery/Oven/constants.ts", "export const HEAT = 200;\n"),
            (
                "bakery/Oven/index.tsx",
                "export function Oven() { return <p />; }\n",
            ),
            ("bakery/Till/constants.ts", "export const PRICE = 2;\n"),
        ],
        expected: &["## file bakery/Oven/constants.ts", "HEAT"],
    },
    Case {
        question: "where is the Mail agent's isEnabledNow option read?",
        files: &[
            ("bakery/agent.ts", AGENTS),
            (
                "bakery/Mail.tsx",
                "export const MailPage = () => <p>Mail</p>;\n",
            ),
        ],
        expected: &["## public property Agent.isEnabledNow: boolean", "2 send: "],
    },
    Case {
        question: "which jobs get scheduled on a system that uses Redis?",
        files: &[("bakery/schedule.ts", SCHEDULE)],
        expected: &[
            "lines that put work on a schedule",
            "schedule.scheduleJob(jobs['bake'].schedule,",
        ],
    },
    Case {
        question: "which classes in Bakery.Ovens implement IDisposable?",
        files: &[
            ("bakery/Oven.cs", OVEN),
            ("bakery/Toaster.cs", TOASTER),
            (
                "bakery/Till.cs",
                "class Till : System.IDisposable { public void Dispose() { } }\n",
            ),
        ],
        expected: &[
            "note: only places in Bakery.Ovens (1 elsewhere left out)",
            "1 Oven: ",
            "1 Toaster: ",
        ],
    },
    Case {
        question: "who calls knead in bakery/night?",
        files: &[
            ("bakery/knead.ts", "export function knead() { }\n"),
            (
                "bakery/day/shift.ts",
                "import { knead } from '../knead';\nexport function day() { knead(); }\n",
            ),
            (
                "bakery/night/shift.ts",
                "import { knead } from '../knead';\nexport function night() { knead(); }\n",
            ),
        ],
        expected: &[
            "only places in bakery/night (1 elsewhere left out)",
            "2 night: ",
        ],
    },
    Case {
        question: "where does the Docker container begin executing?",
        files: &[
            (
                "package.json",
                "{\n \"scripts\": {\n  \"start\": \"run-s heat serve\",\n  \"heat\": \"node tools/heat.js\",\n  \"serve\": \"next start\",\n  \"knead\": \"node tools/knead.js\"\n }\n}\n",
            ),
            ("Dockerfile", "FROM node\nCMD [\"npm\", \"start\"]\n"),
            ("tools/heat.js", "heat();\n"),
            ("tools/knead.js", "knead();\n"),
        ],
        expected: &[
            "Dockerfile:2 CMD [\"npm\", \"start\"]\n  package.json:3 start: run-s heat serve\n    package.json:4 heat: node tools/heat.js\n    package.json:5 serve: next start\n",
            " package.json: tools/heat.js (scripts)\n",
        ],
    },
    Case {
        question: "how does bakeAll reach heatUp?",
        files: &[(
            "bakery/bake.ts",
            "export function bakeAll(a: number) {\n  if (a) bread();\n  else cake();\n}\nfunction bread() { heatUp(); }\nfunction cake() { heatUp(); }\nfunction heatUp() {}\n",
        )],
        expected: &["first steps of other paths that are as short:\n  calls "],
    },
    Case {
        question: "where does the app in counter/ start, in the browser?",
        files: &[
            (
                "counter/package.json",
                "{\n  \"scripts\": {\n    \"dev\": \"vite\"\n  }\n}\n",
            ),
            (
                "counter/index.html",
                "<html>\n<script type=\"module\" src=\"/src/boot.ts\"></script>\n<script src=\"https://cdn.example/a.js\"></script>\n</html>\n",
            ),
            ("counter/src/boot.ts", "function boot() {}\nboot();\n"),
        ],
        expected: &[
            "scripts that start it:\ncounter/package.json:3 dev: vite\n",
            "scripts that its pages load (1):\ncounter/\n index.html\n  2 <script type=\"module\" src=\"/src/boot.ts\">",
        ],
    },
    Case {
        question: "which tests cover knead in bakery/test?",
        files: &[
            ("bakery/knead.ts", "export function knead() { }\n"),
            (
                "bakery/test/knead.test.ts",
                "import { knead } from '../knead';\ntest('kneads', () => { knead(); });\n",
            ),
        ],
        expected: &["exported function knead()", "2 test \"kneads\": "],
    },
    Case {
        question: "which tests break if OvenTest.Heat changes?",
        files: &[("bakery.Tests/OvenTest.cs", OVEN_TESTS)],
        expected: &["5 BreadTests: public class", "6 CakeTests: public class"],
    },
    Case {
        question: "which tests cover the cleanup of expired files?",
        files: &[("bakery.Tests/CleanupFixture.cs", CLEANUP_TESTS)],
        expected: &[
            "3 CleanupFixture.should_delete_all_expired_files: ",
            "other tests of these classes or files (1):\nbakery.Tests/\n CleanupFixture.cs\n  4 CleanupFixture.should_keep_folders: ",
        ],
    },
    Case {
        question: "who calls Check.That(...).IsPath?",
        files: &[("bakery/Checks.cs", CHECKS)],
        expected: &["CheckExtensions.IsPath(this Checked<string> value)"],
    },
    Case {
        question: "which tests cover Oven.preheatAll?",
        files: &[("bakery/oven.ts", "oven.preheatAll({ fast: true });\n")],
        expected: &["no test contains it", "1 oven.preheatAll("],
    },
    Case {
        question: "which custom error classes are derived from Error, directly or deeper?",
        files: &[(
            "bakery/errors.ts",
            "export class BurntError extends Error { }\n",
        )],
        expected: &["## lib:Error", "1 BurntError: "],
    },
    Case {
        question: "which endpoints exist under /api/bread?",
        files: &[("bakery/router.ts", ROUTER), ("bakery/bake.ts", BAKE)],
        expected: &[
            "route GET /api/bread/kinds at bakery/router.ts:3",
            "route POST /api/bread/kinds/:kindIdentifier/batches/:batchIdentifier/temperatures/:temperature at bakery/bake.ts:3",
        ],
    },
    Case {
        question: "who sends the OVEN_HOT message?",
        files: &[(
            "bakery/alarm.ts",
            "export function alarm(port: any) {\n  const message = { type: 'OVEN_HOT' };\n  port.postMessage(message);\n}\n",
        )],
        expected: &[
            "sent by, as an argument of a call (1):\nbakery/\n alarm.ts\n  3 alarm > port.postMessage(..)",
        ],
    },
    Case {
        question: "which values does Goods have?",
        files: &[(
            "bakery/goods.ts",
            "type Bread = 'rye' | 'wheat';\ntype Cake = 'plain';\nexport type Goods = Bread | Cake;\n",
        )],
        expected: &["types in it:\n1 type Bread = 'rye' | 'wheat';\n2 type Cake = 'plain';"],
    },
    Case {
        question: "how does Shop.Close reach the mail client?",
        files: &[(
            "bakery/Shop.cs",
            "class Shop { void Close() { Report.Send(); } }\nclass Report {\n  public static void Send() {\n    var client = new MailClient();\n  }\n}\n",
        )],
        expected: &[
            "how Shop.Close leads to code that names \"mail client\":",
            "calls Report.Send",
            "4 Report.Send: var client = new MailClient();",
        ],
    },
    Case {
        question: "how does Shop.Close reach the mail client?",
        files: &[("bakery/Shop.cs", "class Shop { void Close() { } }\n")],
        expected: &["no path from Shop.Close to code that names \"mail client\""],
    },
    Case {
        question: "where is the setting Hot read, also through reflection?",
        files: &[(
            "bakery/Options.cs",
            "class OvenOptions { public bool Hot { get; set; } }\nclass Dump { void All(OvenOptions o) { var all = o.GetType().GetProperties(); } }\n",
        )],
        expected: &["reflection in files that name its type", "2 Dump.All: "],
    },
    Case {
        question: "where are two Dough values compared by CompareTo?",
        files: &[
            (
                "web/dough.ts",
                "export interface Dough { weight: number }\n",
            ),
            (
                "bakery/Dough.cs",
                "public class Dough { public int CompareTo(Dough other) => 0; }\npublic class Scale { int Of(Dough a, Dough b) => a.CompareTo(b); }\n",
            ),
        ],
        expected: &["public method Dough.CompareTo(Dough other)", "2 Scale.Of: "],
    },
    Case {
        question: "where does the separate updater program that installs a new version start?",
        files: &[
            (
                "src/Bakery.Update/Start.cs",
                "class Start { static void Main() { } }\n",
            ),
            (
                "src/Bakery/Program.cs",
                "class Program { static void Main() { } }\n",
            ),
        ],
        expected: &["entry points outside of tests:\n src/Bakery.Update/Start.cs:1 Start.Main\n"],
    },
    BAKERY_MODE,
    Case {
        question: "how does completing all orders end up in heatOven?",
        files: &[(
            "bakery/bake.ts",
            "export function heatOven() {}\nfunction knead() { heatOven(); }\nexport function completeAllOrders() { knead(); }\n",
        )],
        expected: &["completeAllOrders (matched by words) leads to heatOven"],
    },
    Case {
        question: "which code checks whether oven watching is switched on for everyone?",
        files: &[(
            "bakery/Settings.cs",
            "class Settings { public bool EnableOvenWatching { get; set; } }\nclass Watcher {\n  bool Start(Settings s) => s.EnableOvenWatching;\n}\n",
        )],
        expected: &[
            "public property Settings.EnableOvenWatching",
            "3 Watcher.Start: ",
        ],
    },
    Case {
        question: "what happens when Timer.Start is called?",
        files: &[(
            "bakery/Timer.cs",
            "class Timer {\n  event Action Rang;\n  void Start() {\n    Rang += () => Bell.Ring();\n    Bell.Mount();\n  }\n}\nstatic class Bell { public static void Ring() { } public static void Mount() { } }\n",
        )],
        expected: &["4 on event: Bell.Ring", "5 Bell.Mount"],
    },
    Case {
        question: "what does OvenModel depend on?",
        files: &[(
            "bakery/OvenModel.cs",
            "using Toolkit;\nclass OvenModel : ObservableModel, IOven { }\ninterface IOven { }\n",
        )],
        expected: &["bases: IOven  bakery/OvenModel.cs:3, ObservableModel (unknown)"],
    },
    Case {
        question: "which classes extend Oven and which of its methods do they override?",
        files: &[(
            "bakery/ovens.ts",
            "export class Oven { heat() {} cool() {} }\nexport class GasOven extends Oven {\n  heat() {}\n}\n",
        )],
        expected: &[
            "2 GasOven: ",
            "overrides of its members (1):\nbakery/\n ovens.ts\n  3 GasOven.heat: ",
        ],
    },
    Case {
        question: "who sends the event that says a cake was baked?",
        files: &[(
            "bakery/events.ts",
            "export function report(client: any) {\n  client.capture('cake_baked');\n}\n",
        )],
        expected: &["## literal \"cake_baked\"", "2 report"],
    },
    Case {
        question: "what is the public surface of the Redis cake store class?",
        files: &[(
            "bakery/store.ts",
            "export class CakeStore {\n  constructor(private redis: any) {}\n  put() {}\n}\n",
        )],
        expected: &["class CakeStore", "put()"],
    },
    Case {
        question: "where is the NoBell option read and what does it change?",
        files: &[(
            "bakery/Program.cs",
            "class Program {\n  static bool IsQuiet;\n  static void Main() {\n    IsQuiet = Line.Has(\"NoBell\");\n  }\n  bool Ring() => !IsQuiet;\n}\nstatic class Line { public static bool Has(string name) => true; }\n",
        )],
        expected: &["uses of IsQuiet, which holds its value", "6 Program.Ring: "],
    },
    Case {
        question: "where does the macOS version of BigOven start?",
        files: &[
            (
                "src/BigOven.MacOS/Program.cs",
                "class Program { static void Main() { } }\n",
            ),
            (
                "src/BigOven.Linux/Program.cs",
                "class Program { static void Main() { } }\n",
            ),
            ("web/oven.js", "var bigoven = {};\n"),
        ],
        expected: &[
            "entry points outside of tests:\n src/BigOven.MacOS/Program.cs:1 Program.Main\n",
        ],
    },
    Case {
        question: "who calls the helper that checks whether a platform is supported?",
        files: &[(
            "bakery/Platforms.cs",
            "class SupportedPlatform { public bool Check; }\nstatic class Os {\n  public static bool IsPlatformSupported(string name) => true;\n  static void Start() { IsPlatformSupported(\"a\"); }\n}\n",
        )],
        expected: &["Os.IsPlatformSupported(string name)", "4 Os.Start: "],
    },
    Case {
        question: "how does Shop.Close reach the mail(client?",
        files: &[("bakery/Shop.cs", "class Shop { void Close() { } }\n")],
        expected: &["no path from Shop.Close to code that names \"mail(client\""],
    },
];

#[test]
fn questions_in_sentences_are_answered_with_places() {
    assert_answers(&CASES);
}

#[test]
fn a_condition_on_a_variable_is_no_copy_of_its_value() {
    let shop = Shop::with(BAKERY_MODE.files);
    let text = shop.stdout(&["explore", BAKERY_MODE.question]);
    assert!(!text.contains("holds its value"), "{text}");
}

#[test]
fn the_last_top_level_call_of_each_program_is_shown() {
    let library = "export const knead = 1;\n";
    let shop = Shop::with(&[
        (
            "apps/oven/main.ts",
            "import { knead } from '../../libs/dough';\nfunction start() { knead; }\nvoid start();\n",
        ),
        ("libs/dough.ts", library),
    ]);
    let text = shop.stdout(&[
        "explore",
        "where does the program start?",
        "--max-chars",
        "9000",
    ]);
    assert!(
        text.contains("last calls at the top level of these files"),
        "{text}"
    );
    assert!(text.contains("3 void start();"), "{text}");
}

#[test]
fn settings_in_the_place_of_an_action_are_not_what_is_asked_for() {
    let code = "export const user = process.env.SMTP_USER;\n";
    let shop = Shop::with(&[
        ("bakery/mail.ts", code),
        (
            "web/unlink.tsx",
            "export function UnlinkAccountDialog() { return <b>Unlink account</b>; }\n",
        ),
        (
            "server/unlink.ts",
            "export function unlinkAccount() { erase(); }\nfunction erase() {}\n",
        ),
    ]);
    let question = "what server code runs when a user unlinks an account in the security settings?";
    let text = shop.stdout(&["explore", question]);
    assert!(!text.contains("SMTP_USER (matched"), "{text}");
    let first = text.split("\n## ").nth(1).unwrap_or_default();
    assert!(
        first.starts_with("exported function unlinkAccount"),
        "{text}"
    );
}

#[test]
fn a_test_that_replaces_a_module_does_not_reach_it() {
    let shop = Shop::with(&[
        ("web/heat.ts", "export function heat() {}\n"),
        (
            "web/bake.ts",
            "import { heat } from './heat';\nexport function bake() { heat(); }\n",
        ),
        (
            "web/bake.test.ts",
            "import { bake } from './bake';\nvi.mock('./heat');\nit('bakes', () => { bake(); });\n",
        ),
    ]);
    let text = shop.stdout(&["explore", "which tests cover heat?"]);
    assert!(text.contains("no test is known to use it"), "{text}");
}

#[test]
fn a_partial_class_has_the_accessibility_that_one_part_declares() {
    let shop = Shop::with(&[
        ("bakery/Form.cs", "public partial class BakeryForm { }\n"),
        (
            "bakery/Form.Parts.cs",
            "partial class BakeryForm { int a; int b; }\n",
        ),
    ]);
    let text = shop.stdout(&["explore", "BakeryForm"]);
    assert!(text.starts_with("## public class BakeryForm"), "{text}");
}
