//! Names of the recognised TypeScript and JavaScript frameworks.

/// Meaning of a method call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallMeaning {
    /// A route or a request of this verb, whichever its arguments are: `x.get("/a", f)`.
    Path(&'static str),
    /// It asks for a path without a receiver: `fetch("/a")`.
    Fetch,
    /// It asks for a path among options: `$.ajax({ url: "/a", type: "POST" })`.
    Ajax,
    /// It opens a route of the client: `navigateByUrl("/a")`.
    Open,
    /// It sends its argument to whatever handles its class: `execute(new T())`.
    Send,
    /// It registers a listener: `on("name", f)`.
    Listen,
    /// It emits an event: `emit("name")`.
    Emit,
    /// It adds a job to a queue: `queue.add("name")`.
    Enqueue,
    /// It names the class that a binding provides: `bind(X).to(Y)`.
    Bind,
    /// It binds a class to itself: `bind(X).toSelf()`.
    BindSelf,
    /// It adds a command to a command line: `command("name", "..", builder, f)`.
    Command,
    /// It says what a command does: `command("name").action(f)`.
    Action,
}

/// Returns what a call of a method of that name says, if its receiver and arguments agree.
pub fn method_meaning(name: &str) -> Option<CallMeaning> {
    Some(match name {
        "get" | "getJSON" => CallMeaning::Path("GET"),
        "post" => CallMeaning::Path("POST"),
        "put" => CallMeaning::Path("PUT"),
        "delete" | "del" => CallMeaning::Path("DELETE"),
        "patch" => CallMeaning::Path("PATCH"),
        "head" => CallMeaning::Path("HEAD"),
        "options" => CallMeaning::Path("OPTIONS"),
        "all" => CallMeaning::Path("*"),
        "ajax" => CallMeaning::Ajax,

        "navigateByUrl" | "navigate" | "push" => CallMeaning::Open,

        "execute" | "publish" | "dispatch" => CallMeaning::Send,
        "on" | "once" | "addListener" | "prependListener" | "addEventListener" => {
            CallMeaning::Listen
        }
        "emit" | "emitAsync" => CallMeaning::Emit,
        "add" | "addBulk" => CallMeaning::Enqueue,

        "to" => CallMeaning::Bind,
        "toSelf" => CallMeaning::BindSelf,

        "command" => CallMeaning::Command,
        "action" => CallMeaning::Action,
        _ => return None,
    })
}

/// Returns what a call of a function of that name says.
pub fn function_meaning(name: &str) -> Option<CallMeaning> {
    matches!(name, "fetch" | "axios" | "ky" | "got").then_some(CallMeaning::Fetch)
}

/// Names of the clients of jQuery and AngularJS, which scripts get without an import.
pub const SCRIPT_CLIENTS: [&str; 3] = ["$", "$http", "jQuery"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecoratorMeaning {
    /// The method answers requests of this verb.
    Route(&'static str),
    /// The class or method handles messages of the classes named.
    Handler,
    /// The method runs on the event named.
    Listener,
    /// The class processes the jobs of the queue named.
    Processor,
}

/// Returns what a decorator of that name says.
pub fn decorator_meaning(name: &str) -> Option<DecoratorMeaning> {
    Some(match name {
        "Get" => DecoratorMeaning::Route("GET"),
        "Post" => DecoratorMeaning::Route("POST"),
        "Put" => DecoratorMeaning::Route("PUT"),
        "Delete" => DecoratorMeaning::Route("DELETE"),
        "Patch" => DecoratorMeaning::Route("PATCH"),
        "Head" => DecoratorMeaning::Route("HEAD"),
        "Options" => DecoratorMeaning::Route("OPTIONS"),
        "All" => DecoratorMeaning::Route("*"),

        "CommandHandler" | "QueryHandler" | "EventsHandler" | "Action" => DecoratorMeaning::Handler,
        "OnEvent" | "SubscribeMessage" | "MessagePattern" | "EventPattern" => {
            DecoratorMeaning::Listener
        }
        "Processor" => DecoratorMeaning::Processor,
        _ => return None,
    })
}

/// Decorators of a class whose argument stands before the routes of its methods.
pub const CONTROLLERS: &[&str] = &["Controller", "JsonController", "RestController"];

/// Packages whose objects have routes.
pub const ROUTERS: &[&str] = &[
    "express",
    "express-promise-router",
    "koa-router",
    "@koa/router",
    "fastify",
    "hono",
    "restify",
    "polka",
    "itty-router",
];

/// Packages whose objects send requests.
pub const CLIENTS: &[&str] = &[
    "axios",
    "ky",
    "got",
    "superagent",
    "supertest",
    "ofetch",
    "@angular/common/http",
    "@nestjs/axios",
];

/// Packages whose objects have commands.
pub const COMMAND_LINES: &[&str] = &[
    "yargs",
    "commander",
    "@commander-js/extra-typings",
    "cac",
    "sade",
    "caporal",
    "@caporal/core",
    "vorpal",
];

/// Keys of an object that name a command.
pub const COMMAND_NAMES: &[&str] = &["command", "name"];

/// Keys of an object that hold what a command does.
pub const COMMAND_HANDLERS: &[&str] = &["handler", "action", "run"];

/// Keys of an object that name the class provided for its `provide`.
pub const PROVIDED: &[&str] = &["useClass", "useExisting", "useFactory", "useValue"];

/// Keys of an object that say what is shown at its `path`.
pub const SHOWN: &[&str] = &[
    "component",
    "Component",
    "element",
    "loadComponent",
    "loadChildren",
    "lazy",
];

/// Names of the export that a route shows of the module that it loads, in the order of lookup: most
/// routers and `lazy` of React take the default export, `lazy` of React Router `Component`.
pub const LOADED: &[&str] = &["default", "Component"];

/// Attributes of a JSX element that say what is shown at its `path`.
pub const SHOWN_BY_ELEMENT: &[&str] = &["element", "component", "Component", "lazy", "render"];

/// The component of a route, and the end of the names of its wrappers (`ProtectedRoute`).
pub const ROUTE: &str = "Route";

/// Packages with a component for routes.
pub const CLIENT_ROUTERS: &[&str] = &[
    "react-router",
    "react-router-dom",
    "react-router-native",
    "preact-router",
    "wouter",
];
