//! `codeagent explore`: questions that describe code in words, or quote what is no name.

use super::{Case, Shop, assert_answers};

#[test]
fn described_symbols_are_found() {
    assert_answers(CASES);
}

#[test]
fn names_that_only_equal_words_are_left_out() {
    let shop = Shop::with(&[
        ("web/depot.ts", "export class Depot { open() {} }\n"),
        (
            "web/bins.ts",
            "export function maybeEmptyFullBins(level: number) {\n  if (level < 9) return;\n  drain();\n}\nfunction drain() {}\n",
        ),
    ]);
    let text = shop.stdout(&[
        "explore",
        "When a load has arrived, what decides whether the Depot empties its full bins?",
    ]);
    assert!(text.contains("left out: Depot"), "{text}");
    assert!(text.contains("2   if (level < 9) return;"), "{text}");
    let first = text.find("## exported function maybeEmptyFullBins");
    assert!(first < text.find("## exported class Depot"), "{text}");
}

#[test]
fn a_phrase_of_tests_is_no_text_of_the_interface() {
    let shop = Shop::with(&[(
        "web/slots.test.ts",
        "describe(\"early slots\", () => { it(\"opens\", () => {}); });\n",
    )]);
    let text = shop.stdout(&["explore", "which states can early slots be in?"]);
    assert!(!text.contains("of the interface"), "{text}");
}

#[test]
fn what_happens_with_tests_is_no_question_for_tests() {
    let shop = Shop::with(&[
        ("web/forks.ts", "export function startForks() {}\n"),
        ("web/forks.test.ts", "it(\"runs in forks\", () => {});\n"),
    ]);
    let text = shop.stdout(&[
        "explore",
        "when tests run in forks, which code starts them?",
    ]);
    assert!(!text.contains("tests with"), "{text}");
    assert!(text.contains("startForks"), "{text}");
}

#[test]
fn a_string_that_is_asked_for_is_no_example() {
    let shop = Shop::with(&[("web/span.ts", "export const most = () => 'nine-hours';\n")]);
    let text = shop.stdout(&["explore", "where is a string like 'nine-hours' used?"]);
    assert!(text.contains("## literal \"nine-hours\""), "{text}");
}

#[test]
fn a_surface_says_which_accessor_is_hidden() {
    let code = format!(
        "public class Bin {{\n    public int Size {{ get; private set; }}\n    public int Left {{ protected get; set; }}\n    public int All {{ get; set; }}\n{}}}",
        "    // ..\n".repeat(60)
    );
    let shop = Shop::with(&[("src/Bin.cs", &code)]);
    let text = shop.stdout(&["explore", "what is the public surface of Bin?"]);
    for member in [
        "2 Size: int {get; private set}",
        "3 Left: int {protected get; set}",
        "4 All: int {get; set}",
    ] {
        assert!(text.contains(member), "{text}");
    }
}

#[test]
fn a_member_without_a_known_use_may_have_unresolved_ones() {
    let code = format!(
        "export class Part {{\n  take() {{}}\n  drop() {{}}\n{}}}\nexport const go = (part: any, own: Part) => {{ part.take(); own.drop(); }};\n",
        "  // ..\n".repeat(60)
    );
    let shop = Shop::with(&[("web/parts.ts", &code)]);
    let text = shop.stdout(&["explore", "what members does Part have?"]);
    assert!(
        text.contains("take() (0 uses, 1 unresolved of its name)"),
        "{text}"
    );
    assert!(text.contains("drop() (1 use)"), "{text}");
}

#[test]
fn a_list_of_the_best_tests_says_how_many_there_are() {
    let mut code = String::new();
    for number in 0..30 {
        code += &format!("test(\"a stale bin is {number} emptied\", () => {{}});\n");
    }
    let shop = Shop::with(&[("web/bins.test.ts", &code)]);
    let question = "which tests cover that a stale bin of the depot is emptied by night?";
    let text = shop.stdout(&["explore", question]);
    assert!(text.contains(" (20 of 30):"), "{text}");
}

#[test]
fn what_starts_within_a_startup_is_no_program() {
    let shop = Shop::with(&[
        (
            "src/Program.cs",
            "class Program { static void Main() {} }\n",
        ),
        (
            "src/Nodes.cs",
            "class Nodes {\n    void StartHealthLoop() { Check(); }\n    void Check() { }\n}\n",
        ),
    ]);
    let question = "where in the startup of a node is the health loop started?";
    let text = shop.stdout(&["explore", question]);
    assert!(!text.contains("entry points"), "{text}");
    assert!(
        text.contains("2 void StartHealthLoop() { Check(); }"),
        "{text}"
    );
}

const CASES: &[Case] = &[
    Case {
        files: &[(
            "web/levels.ts",
            "function fill() {}\nexport class Bin { updateStatus() { fill(); } }\nexport const go = (bin: any) => bin.updateStatus();\n",
        )],
        question: "who leads to fill, two levels up?",
        expected: &["note: unresolved uses may be of these callers, too: updateStatus (1)"],
    },
    Case {
        files: &[(
            "src/Calls.cs",
            "class Calls {\n    void Load() { }\n    void Read(int at) { Load(); }\n    void Read() { Read(1); }\n    void Start() { Read(); }\n}\n",
        )],
        question: "who leads to Calls.Load, two levels up?",
        expected: &["callers of these callers, and of overloads that forward to them (2):"],
    },
    Case {
        files: &[(
            "web/strategy.ts",
            "export interface InlineStrategy { style: string }\nexport const createPluginStyling = (): InlineStrategy => ({ style: 'b' });\nexport function editorStyling() {}\n",
        )],
        question: "which styling objects implement the inline strategy interface of the editor plugin?",
        expected: &["## exported interface InlineStrategy"],
    },
    Case {
        files: &[(
            "src/Stores.cs",
            "public abstract class StoreBase {\n    protected virtual void SetupShelves() { }\n    protected virtual string ShelfName() => null;\n}\npublic class BreadStore : StoreBase { protected override void SetupShelves() { } }\npublic class CakeStore : StoreBase { protected override void SetupShelves() { } }\n",
        )],
        question: "which stores override the hook that sets up their shelves?",
        expected: &[
            "## protected method StoreBase.SetupShelves()",
            "  5 BreadStore.SetupShelves: ",
            "  6 CakeStore.SetupShelves: ",
        ],
    },
    Case {
        files: &[(
            "src/Resolvers.cs",
            "public interface IBinResolver { void AddBin(string address); }\npublic class Addresses { public void AddBin(string address) { } }\n",
        )],
        question: "which code leads to the bin resolver creating a bin?",
        expected: &["## public method IBinResolver.AddBin"],
    },
    Case {
        files: &[
            (
                "web/test-utils/expect-bake.ts",
                "/** Mocks the oven and checks the temperature. */\nexport function expectBake() {}\n",
            ),
            (
                "web/oven.test.ts",
                "import { expectBake } from './test-utils/expect-bake';\nit('heats', () => { expectBake(); });\n",
            ),
        ],
        question: "which tests break if I change the helper that checks the temperature of what they bake?",
        expected: &["## exported function expectBake()", "  2 it \"heats\": "],
    },
    Case {
        files: &[(
            "src/OvenManager.cs",
            "public class OvenManager {\n    public void CheckOvenName(string name) { }\n    public Oven GetOvenByName(string name) => null;\n    void Use() { GetOvenByName(\"a\"); }\n}\npublic class Oven { }\n",
        )],
        question: "which code breaks if the oven manager's method that finds an oven by its name changes?",
        expected: &[
            "## public method OvenManager.GetOvenByName",
            "  4 OvenManager.Use: ",
        ],
    },
    Case {
        files: &[(
            "src/Natives.cs",
            "class Natives {\n    void Fill() {\n        RegisterNative(\"now\", 1);\n        RegisterNative(\"peers\", \"a\");\n    }\n    void RegisterNative(string name, int value) { }\n    void RegisterNative(string name, string value) { }\n}\n",
        )],
        question: "which code leads to registering a native thing?",
        expected: &["  3 Natives.Fill", "  4 "],
    },
    Case {
        files: &[
            ("src/Pages.cs", "public enum Pages { RecycleBin }\n"),
            (
                "src/Restore.cs",
                "public class RestoreAllRecycleBinAction {\n    public void Execute() { Fill(); }\n    void Fill() { }\n}\n",
            ),
        ],
        question: "what happens when the user runs the command to restore everything in the Recycle Bin?",
        expected: &["## public class RestoreAllRecycleBinAction"],
    },
    Case {
        files: &[
            (
                "web/factory.test.ts",
                "export class BlockFactory { static createBoards() { return 1; } }\ntest(\"boards\", () => { BlockFactory.createBoards(); });\n",
            ),
            (
                "web/boards.ts",
                "export function returnValues() {}\nexport function breakDefaultValues() {}\n",
            ),
        ],
        question: "what breaks if the test helper BlockFactory.createBoards returns other default values?",
        expected: &["BlockFactory.createBoards", "  2 test \"boards\""],
    },
    Case {
        files: &[
            (
                "src/Limits.cs",
                "namespace Depot.RateLimiting;\npublic class Bucket { }\n",
            ),
            (
                "src/Sql.cs",
                "namespace Depot.SqlServer.RateLimiting;\npublic class SqlBucket { }\n",
            ),
        ],
        question: "which types does the namespace for limiting the rate of messages offer?",
        expected: &["## exported namespace RateLimiting  src/Limits.cs:1"],
    },
    Case {
        files: &[
            (
                "src/Policies.cs",
                "public class AddressPolicy { public bool Allows(string client) => true; }\n",
            ),
            (
                "tests/GateTests.cs",
                "public class GateTests {\n    [Fact]\n    public void Opens() { new AddressPolicy().Allows(\"a\"); }\n    [Fact]\n    public void ClientAddressIsShown() { }\n}\n",
            ),
        ],
        question: "which tests cover the policy that allows or blocks requests by the address of the client?",
        expected: &[
            "the tested code may be:\n## public class AddressPolicy",
            "  3 GateTests.Opens: ",
        ],
    },
    Case {
        files: &[
            (
                "web/transaction-matching.ts",
                "export function calculateScore(one: number, other: number) {\n  return one / other;\n}\n",
            ),
            (
                "web/prompt.ts",
                "export function calculatePrompt(document: string) { return document; }\nexport function scoreWords() {}\n",
            ),
        ],
        question: "how are a document and a transaction compared to give a score when looking for a match?",
        expected: &["those that may be meant:\n## exported function calculateScore"],
    },
    Case {
        files: &[
            (
                "src/Queues.cs",
                "public interface IQueue { void Pause(); }\npublic class Queue : IQueue { public void Pause() { } }\n",
            ),
            (
                "tests/QueueTests.cs",
                "public class QueueTests {\n    [Fact]\n    public void Pauses() { new Queue().Pause(); }\n}\n",
            ),
        ],
        question: "which tests cover IQueue.Pause?",
        expected: &[
            "in tests, of its implementations and overrides (1):",
            "  3 QueueTests.Pauses: public void Pauses() { new Queue().Pause(); }",
        ],
    },
    Case {
        files: &[(
            "src/Leases.cs",
            "public class First {\n    public event Action Leased;\n    void OnLeased() => Leased?.Invoke();\n    public void Take() { OnLeased(); }\n}\npublic class Second {\n    public event Action Leased;\n    void OnLeased() => Leased?.Invoke();\n    public void Give() { OnLeased(); }\n}\n",
        )],
        question: "who raises the Leased event?",
        expected: &[
            "raised through First.OnLeased by (1):",
            "raised through Second.OnLeased by (1):\nsrc/\n Leases.cs\n  9 Second.Give: ",
        ],
    },
    Case {
        files: &[(
            "web/banks.ts",
            "class North { status() {} }\nclass South { status() {} }\nexport function check(bank: North | South) {\n  return bank.status();\n}\n",
        )],
        question: "what does check call?",
        expected: &[" 4 North.status  web/banks.ts:1, or South.status()"],
    },
    Case {
        files: &[
            (
                "web/Row.tsx",
                "export function Row() {\n  const { mutate: fetchNow } = useMutation(\n    api.feeds.fetchNow.mutationOptions({ onSuccess() {} }),\n  );\n  return <button onClick={() => fetchNow({ id: 1 })}>Fetch all</button>;\n}\n",
            ),
            (
                "api/feeds.ts",
                "export const feedsRouter = router({\n  fetchNow: procedure\n    .mutation(async () => {\n      await enqueue();\n    }),\n});\nfunction enqueue() {}\n",
            ),
            (
                "api/app.ts",
                "import { feedsRouter } from './feeds';\nexport const appRouter = router({\n  feeds: feedsRouter,\n});\n",
            ),
        ],
        question: "what happens when a user clicks \"Fetch all\"?",
        expected: &[
            "fetchNow is api.feeds.fetchNow.mutationOptions -> (matched by key names)",
            "enqueue  api/feeds.ts:7",
        ],
    },
    Case {
        files: &[(
            "src/Pings.cs",
            "public class PingsController : Controller {\n    [HttpGet]\n    [Route(\"/api/ping\")]\n    public IActionResult Ping() => Ready ? Ok() : StatusCode(503);\n    bool Ready => true;\n}",
        )],
        question: "which status does `GET /api/ping` return?",
        expected: &[
            "route GET /api/ping at src/Pings.cs:3: PingsController.Ping",
            "4 public IActionResult Ping() => Ready ? Ok() : StatusCode(503);",
        ],
    },
    Case {
        files: &[(
            "src/Queues.cs",
            "public interface IQueues { void Reset(); }\nclass NoQueues : IQueues { public void Reset() { } }\n\
            class Queues : IQueues {\n    public void Reset() { Drop(); }\n    void Drop() {}\n}",
        )],
        question: "what happens when IQueues.Reset is called?",
        expected: &[
            "IQueues.Reset -> ",
            "  4 Queues.Drop  src/Queues.cs:5",
            "2 class NoQueues : IQueues { public void Reset() { } }",
        ],
    },
    Case {
        files: &[(
            "web/port.ts",
            "export function listen() {\n  const mode = process.env.DEPOT_MODE;\n  open(`config/${mode}.json`);\n  if (mode === 'dev') log(1);\n}\nfunction open(name: string) {}\nfunction log(level: number) {}\n",
        )],
        question: "where is DEPOT_MODE read and what does its value decide?",
        expected: &[
            "lines with mode, which holds the value, matched by text (2):",
            "  3 listen: open(`config/${mode}.json`);",
            "  4 if (mode === 'dev') log(1);",
        ],
    },
    Case {
        files: &[(
            "web/beat.ts",
            "const FALLBACK = 15;\nexport function beat() {\n  const raw = process.env.DEPOT_BEAT;\n  return raw ? Number(raw) : FALLBACK;\n}\n",
        )],
        question: "which environment variable changes how often the depot sends a beat, and what if it is unset?",
        expected: &[
            "DEPOT_BEAT (matched by words of its name) is read at (1):",
            "4   return raw ? Number(raw) : FALLBACK;",
        ],
    },
    Case {
        files: &[
            (
                "web/Nav.vue",
                "<template>\n  <button title=\"Refresh all bins\" @click=\"refresh()\" />\n</template>\n<script setup>\nfunction refresh() {\n  return client.rpc.refreshBins()\n}\n</script>\n",
            ),
            (
                "web/server.ts",
                "export const handlers = {\n  refreshBins() { rescan(); },\n};\nfunction rescan() {}\n",
            ),
        ],
        question: "what happens when a user clicks \"Refresh all bins\"?",
        expected: &[
            "possibly runs, matched by the name of a call:",
            "rescan  web/server.ts:4",
        ],
    },
    Case {
        files: &[
            (
                "web/Page.tsx",
                "import { BinTable } from './BinTable';\nexport default function Page() {\n  return <main><h1>All full bins</h1><BinTable /></main>;\n}\n",
            ),
            (
                "web/BinTable.tsx",
                "export function BinTable() { return <table />; }\n",
            ),
        ],
        question: "which components are behind the screen \"All full bins\"?",
        expected: &["Page renders (1):", "BinTable  web/BinTable.tsx:1"],
    },
    Case {
        files: &[
            (
                "web/texts.xml",
                "<Texts>\n  <Text Name=\"Bins.Empty\">\n    <Value>Empty every bin</Value>\n  </Text>\n</Texts>\n",
            ),
            (
                "web/Bins.tsx",
                "function clear() {}\nexport function Bins() { return <button onClick={clear}>{t('Bins.Empty')}</button>; }\n",
            ),
        ],
        question: "what happens when \"Empty every bin\" is clicked?",
        expected: &[
            "defined under the key",
            "Bins.Empty  web/texts.xml:3",
            "clear  web/Bins.tsx:1",
        ],
    },
    Case {
        files: &[
            (
                "src/Rates.cs",
                "namespace Depot.Rates { public class Rate { public int Wait() => 1; } }",
            ),
            (
                "src/Use.cs",
                "using Depot.Rates;\nclass Use {\n    int Go() => new Rate().Wait();\n}",
            ),
        ],
        question: "which files import Depot.Rates and what do they use?",
        expected: &[
            "imported by (1):",
            "used by the files that import it (",
            "  3 Use.Go: int Go() => new Rate().Wait();",
        ],
    },
    Case {
        files: &[
            (
                "src/Spans.cs",
                "class SpanResolver { public int Resolve(string span) => span == \"9h\" ? 9 : 0; }\n",
            ),
            (
                "tests/SpanResolverTests.cs",
                "class SpanResolverTests { [Fact] public void Resolves_spans() { new SpanResolver().Resolve(\"9h\"); } }\n",
            ),
        ],
        question: "which tests cover how the resolver reads a span such as 'nine-hours'?",
        expected: &["SpanResolverTests.Resolves_spans"],
    },
    Case {
        files: &[(
            "src/Log.cs",
            "public class LogTarget {\n    public event System.Action NewLogEntry;\n    public int LogEntries;\n    void Write() { NewLogEntry?.Invoke(); }\n}\n\
            class Sockets {\n    void Start(LogTarget target) { target.NewLogEntry += Push; }\n    void Push() {}\n}\n",
        )],
        question: "when a new entry gets into the log, which event is raised and who subscribes to it?",
        expected: &[
            "## public event LogTarget.NewLogEntry",
            "4 LogTarget.Write: void Write() { NewLogEntry?.Invoke(); }",
            "7 Sockets.Start",
        ],
    },
    Case {
        files: &[(
            "src/Plugins.cs",
            "public interface IPlugin { void Load(); }\nclass PaintPlugin : IPlugin { public void Load() {} }\n",
        )],
        question: "which plug-ins does this repository contain (official and example ones), and which class is the main one?",
        expected: &["2 PaintPlugin: class PaintPlugin : IPlugin"],
    },
    Case {
        files: &[
            (
                "web/Layout.vue",
                "<template>\n  <button @click=\"scanBins\">Scan every bin</button>\n</template>\n<script>\nexport default {\n  methods: {\n    scanBins() {\n      this.$root.emitBins('scan');\n    },\n  },\n};\n</script>\n",
            ),
            (
                "web/socket.ts",
                "export const mixin = { methods: { emitBins(name: string) { push(name); } } };\nfunction push(name: string) {}\n",
            ),
        ],
        question: "what happens when a user clicks \"Scan every bin\"?",
        expected: &["7 scanBins() {", "8 this.$root.emitBins('scan');", "push"],
    },
    Case {
        files: &[(
            "web/Head.vue",
            "<template>\n  <a v-if=\"hasNews\" href=\"/news\">Read the news</a>\n</template>\n<script>\nexport default {\n  computed: {\n    hasNews() {\n      return this.count > 3;\n    },\n  },\n};\n</script>\n",
        )],
        question: "what decides whether \"Read the news\" is shown?",
        expected: &[
            "conditions of the elements around it:",
            "2 v-if=\"hasNews\"",
            "8 return this.count > 3;",
        ],
    },
];
