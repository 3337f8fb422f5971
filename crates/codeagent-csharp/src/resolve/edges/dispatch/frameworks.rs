//! Names of the recognised C# frameworks.

use codeagent_model::graph::Confidence;

/// Meaning of a method call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallMeaning {
    /// It registers a service with a container: `AddScoped<I, T>()`.
    Service,
    /// It sends its argument to whatever handles its type: `Send(new T())`. Names that often mean
    /// something else are inferred.
    Send(Confidence),
    /// It maps a route of this verb to a function: `MapGet("..", f)`.
    Route(&'static str),
    /// It names the route that its class answers: `Get("..")` in `Configure`.
    Endpoint(&'static str),
    /// It requests a path with this verb: `GetAsync("..")`.
    Request(&'static str),
}

/// Returns what a call of a method of that name says, if its receiver and arguments agree.
pub fn call_meaning(method: &str) -> Option<CallMeaning> {
    Some(match method {
        "AddScoped"
        | "AddSingleton"
        | "AddTransient"
        | "TryAddScoped"
        | "TryAddSingleton"
        | "TryAddTransient"
        | "AddKeyedScoped"
        | "AddKeyedSingleton"
        | "AddKeyedTransient"
        | "TryAddKeyedScoped"
        | "TryAddKeyedSingleton"
        | "TryAddKeyedTransient"
        | "AddHttpClient"
        | "AddHostedService"
        | "Scoped"
        | "Singleton"
        | "Transient"
        | "KeyedScoped"
        | "KeyedSingleton"
        | "KeyedTransient" => CallMeaning::Service,

        "Send"
        | "SendAsync"
        | "Publish"
        | "PublishAsync"
        | "Dispatch"
        | "DispatchAsync"
        | "CreateStream"
        | "RaiseEvent"
        | "AddDomainEvent"
        | "RegisterDomainEvent"
        | "RaiseDomainEvent" => CallMeaning::Send(Confidence::Exact),

        "Enqueue" | "EnqueueAsync" | "Execute" | "ExecuteAsync" | "Query" | "QueryAsync"
        | "InvokeAsync" | "Request" | "RequestAsync" | "Raise" | "RaiseAsync" => {
            CallMeaning::Send(Confidence::Inferred)
        }

        "MapGet" => CallMeaning::Route("GET"),
        "MapPost" => CallMeaning::Route("POST"),
        "MapPut" => CallMeaning::Route("PUT"),
        "MapDelete" => CallMeaning::Route("DELETE"),
        "MapPatch" => CallMeaning::Route("PATCH"),

        "GetAsync"
        | "GetStringAsync"
        | "GetStreamAsync"
        | "GetByteArrayAsync"
        | "GetFromJsonAsync"
        | "GetFromJsonAsAsyncEnumerable" => CallMeaning::Request("GET"),
        "PostAsync" | "PostAsJsonAsync" => CallMeaning::Request("POST"),
        "PutAsync" | "PutAsJsonAsync" => CallMeaning::Request("PUT"),
        "PatchAsync" | "PatchAsJsonAsync" => CallMeaning::Request("PATCH"),
        "DeleteAsync" | "DeleteFromJsonAsync" => CallMeaning::Request("DELETE"),
        _ => return None,
    })
}

/// Returns the verb of a call without a receiver that names the route of its class (FastEndpoints).
pub fn verb_of_endpoint(method: &str) -> Option<&'static str> {
    Some(match method {
        "Get" => "GET",
        "Post" => "POST",
        "Put" => "PUT",
        "Delete" => "DELETE",
        "Patch" => "PATCH",
        _ => return None,
    })
}

/// The method of an endpoint class that names its routes.
pub const CONFIGURE: &str = "Configure";

/// The methods of an endpoint class that answer.
pub const ANSWERING: &[&str] = &["HandleAsync", "ExecuteAsync"];

/// Types on which services are registered.
pub const CONTAINERS: &[&str] = &[
    "IServiceCollection",
    "ServiceCollection",
    "ServiceDescriptor",
];

/// Types on which routes are mapped.
pub const ROUTERS: &[&str] = &[
    "IEndpointRouteBuilder",
    "RouteGroupBuilder",
    "WebApplication",
];

/// Types that send requests.
pub const CLIENTS: &[&str] = &["HttpClient"];

/// The type whose members and instances are the methods of requests.
pub const HTTP_METHOD: &str = "HttpMethod";

/// The call that adds a prefix to the routes mapped on its result.
pub const GROUP: &str = "MapGroup";

/// The call whose function is given a router.
pub const USE_ENDPOINTS: &str = "UseEndpoints";

/// Classes whose methods make the response of a route.
pub const RESULTS: &[&str] = &["Results", "TypedResults"];

/// Calls that get an instance of their type argument from a container.
pub const GETTERS: &[&str] = &[
    "GetRequiredService",
    "GetService",
    "GetRequiredKeyedService",
    "GetKeyedService",
    "CreateInstance",
    "GetServiceOrCreateInstance",
];

/// Generic interfaces and base classes of libraries whose first type argument is a message.
pub const HANDLERS: &[&str] = &[
    "IRequestHandler",
    "INotificationHandler",
    "IStreamRequestHandler",
    "IConsumer",
    "IHandleMessages",
];

/// Reports whether a generic type handles its first type argument by its name, if a method takes
/// one.
pub fn is_named_handler(name: &str) -> bool {
    ["Handler", "Consumer", "Subscriber"]
        .iter()
        .any(|end| name.ends_with(end))
}

/// Returns the verb of an attribute that makes a method answer requests.
pub fn verb_of_attribute(name: &str) -> Option<&'static str> {
    Some(match name.strip_suffix("Attribute").unwrap_or(name) {
        "HttpGet" => "GET",
        "HttpPost" => "POST",
        "HttpPut" => "PUT",
        "HttpDelete" => "DELETE",
        "HttpPatch" => "PATCH",
        "HttpHead" => "HEAD",
        "HttpOptions" => "OPTIONS",
        ROUTE => "*",
        _ => return None,
    })
}

/// The attribute whose argument is a route, of a method or of all methods of a class.
pub const ROUTE: &str = "Route";
