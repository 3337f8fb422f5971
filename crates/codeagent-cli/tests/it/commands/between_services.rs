//! `codeagent explore`: messages, requests and settings that lead from one program to another.

use super::{Case, assert_answers};

#[test]
fn an_answer_follows_messages_and_requests() {
    assert_answers(CASES);
}

const MESSAGES: &[(&str, &str)] = &[
    (
        "src/Messages.cs",
        "interface IEvent { }
interface IHandle<T> { void Handle(T message); }
class Paid : IEvent { }
class Pay {
    void Run(Bus bus) { bus.Put(new Paid()); }
    void Tell(IEvent message) { }
}
class Ship : IHandle<Paid> {
    public void Handle(Paid message) { Go(); }
    void Go() { }
}
",
    ),
    (
        "other/Messages.cs",
        "namespace Other;
class Paid { }
class Desk { void Close(Bus bus) { bus.Put(new Paid()); } }
",
    ),
];

const ROUTES: &[(&str, &str)] = &[
    (
        "src/Carts.cs",
        "using Microsoft.AspNetCore.Mvc;
[Route(\"api/v{version:apiVersion}/carts\")]
class CartsController : ControllerBase {
    [HttpGet(\"{id}\")] public int Get(int id) => Load(id);
    int Load(int id) => id;
}
public class AccountController : Controller {
    public int Logout() => Leave();
    int Leave() => 1;
}
",
    ),
    (
        "tests/CartTests.cs",
        "class CartTests {
    System.Net.Http.HttpClient http;
    [Fact] void Gets() => http.GetAsync(\"api/v2/carts/7\");
}
",
    ),
];

const FILE_ROUTES: &[(&str, &str)] = &[
    (
        "app/api/orders/[id]/close/route.ts",
        "export function POST() { save(); }\nfunction save() {}\n",
    ),
    (
        "web/client.ts",
        "export async function sendClose(id: string) {
  await fetch(`/api/orders/${id}/close`, { method: 'POST' });
}
",
    ),
];

const PROGRAM: &[(&str, &str)] = &[(
    "src/Program.cs",
    "using Lib;
class App : Application { public override void OnStart() { Open(); } void Open() { } }
class Start { void Run() { Builder.Configure<App>(); } }
class Settings { int Port(IConfiguration all) => all.GetSection(\"Mail\").GetValue<int>(\"Port\"); }
class Host { void Set(Env env) => env.With(\"Mail__Port\", \"1\"); }
",
)];

const LIBRARIES: &[(&str, &str)] = &[
    (
        "src/Bus/Bus.cs",
        "using Polly.Retry;
using System.Text;
using Depot.Own;
class Bus {
    public enum State { Open, Shut }
    public event System.Action Closed;
    public void Close() { }
    public void Open() { }
    public void Shut() { }
    public void Wait() { }
    public void Send() { }
    public void Read() { }
    public void Stop() { }
    public void Start() { }
    public void Clear() { }
    public void Flush() { }
}
",
    ),
    ("src/GlobalUsings.cs", "global using RabbitMQ.Client;\n"),
    ("src/Own.cs", "namespace Depot.Own;\nclass Own { }\n"),
];

const RAZOR: &[(&str, &str)] = &[
    ("src/Web.cs", "namespace Depot.Web;\nclass Page { }\n"),
    ("src/_Imports.razor", "@using Depot.Web\n"),
];

const LIBRARY: &[(&str, &str)] = &[(
    "web/nodes.ts",
    "import { LibNode } from 'lib';
export class First extends LibNode {}
export class Second extends First {}
",
)];

const CASES: &[Case] = &[
    Case {
        files: MESSAGES,
        question: "what happens when Pay.Run is called?",
        expected: &[
            "  5 new Paid  src/Messages.cs:3\n    when sent, runs Ship.Handle  src/Messages.cs:9\n",
        ],
    },
    Case {
        files: MESSAGES,
        question: "how does Pay.Run reach Ship.Go?",
        expected: &[
            "  is handled by Ship.Handle  src/Messages.cs:9\n    src/Messages.cs:5 void Run",
        ],
    },
    Case {
        files: MESSAGES,
        question: "how does Desk.Close reach Ship.Go?",
        expected: &["  is handled by Ship.Handle  src/Messages.cs:9\n    other/Messages.cs:3 "],
    },
    Case {
        files: MESSAGES,
        question: "how does Pay.Tell reach Ship.Go?",
        expected: &["no path between Pay.Tell and Ship.Go in the index\n"],
    },
    Case {
        files: ROUTES,
        question: "which tests cover CartsController.Load?",
        expected: &[
            "tests that request a route of it or of its callers, matched by path (1):\ntests/\n CartTests.cs\n  3 CartTests.Gets: ",
        ],
    },
    Case {
        files: ROUTES,
        question: "what answers GET /api/v2/carts/{id}?page=1",
        expected: &["route GET /api/v{version:apiVersion}/carts/{id} at src/Carts.cs:4"],
    },
    Case {
        files: ROUTES,
        question: "how does GET /api/v2/carts/{id} reach CartsController.Load?",
        expected: &["how /api/v2/carts/{id} leads to CartsController.Load:\n"],
    },
    Case {
        files: ROUTES,
        question: "which action is behind GET /Account/Logout?",
        expected: &[
            "possibly route * /Account/Logout at src/Carts.cs:8: AccountController.Logout\n",
            "AccountController.Logout  src/Carts.cs:8\n  8 AccountController.Leave  src/Carts.cs:9\n",
        ],
    },
    Case {
        files: FILE_ROUTES,
        question: "what happens when sendClose is called?",
        expected: &["-> (by its path) POST  app/api/orders/[id]/close/route.ts:1\n"],
    },
    Case {
        files: PROGRAM,
        question: "what happens when Start.Run is called?",
        expected: &["    later runs App.OnStart  src/Program.cs:2\n"],
    },
    Case {
        files: PROGRAM,
        question: "where is the environment variable Mail__Port read?",
        expected: &[
            "reads of the setting by the last name of its key, in files that name the one before (1):\nsrc/\n Program.cs\n  4 Settings.Port: ",
        ],
    },
    Case {
        files: RAZOR,
        question: "who imports the namespace Depot.Web?",
        expected: &[
            "imported in Razor files, matched by text (1):\nsrc/\n _Imports.razor\n  1 @using Depot.Web\n",
        ],
    },
    Case {
        files: LIBRARIES,
        question: "what does the class Bus depend on?",
        expected: &[
            "namespaces of libraries that its file imports (2):\n RabbitMQ.Client, Polly.Retry\n",
        ],
    },
    Case {
        files: LIBRARIES,
        question: "what is the public surface of Bus?",
        expected: &[" 5 enum State (0 uses): Open, Shut\n 6 event Closed"],
    },
    Case {
        files: LIBRARY,
        question: "which classes derive from LibNode?",
        expected: &["implemented or extended by, at all levels (2):\n"],
    },
];
