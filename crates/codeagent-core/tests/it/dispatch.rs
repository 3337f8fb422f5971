//! Dispatch through containers, mediators, events and routes, as queries return it.
//!
//! A case is a small repository and the steps between its symbols, one per line:
//! `kind from -> to (message or label) file:line`, with `?` before what is inferred.

use codeagent_core::model::graph::{Confidence, NodeId};
use codeagent_core::query::{DispatchStep, Snapshot, dispatched_from, dispatched_to};
use codeagent_core::store;

use crate::repository::Repository;

mod commands;
mod origins;
mod subscriptions;

fn check(files: &[(&str, &str)], expected: &[&str]) {
    let mut repository = Repository::of(files);
    repository.index();
    let engine = repository.engine.take().unwrap();
    let snapshot = engine.reader().snapshot().unwrap();

    let all: Vec<NodeId> = store::all_briefs(&snapshot)
        .unwrap()
        .into_iter()
        .map(|brief| brief.id)
        .collect();
    let mut steps = dispatched_from(&snapshot, &all).unwrap();
    for step in dispatched_to(&snapshot, &all).unwrap() {
        if !steps.contains(&step) {
            steps.push(step);
        }
    }
    let mut lines: Vec<String> = steps.iter().map(|step| line(&snapshot, step)).collect();
    lines.sort_by(|a, b| a.trim_start_matches('?').cmp(b.trim_start_matches('?')));
    lines.dedup();
    assert_eq!(lines, expected, "\n{}", lines.join("\n"));
}

fn line(snapshot: &Snapshot, step: &DispatchStep) -> String {
    let name = |id: Option<NodeId>| match id.and_then(|id| store::node(snapshot, id).unwrap()) {
        Some(node) => node.qualified_name,
        None => "-".to_owned(),
    };
    let (file, at) = step.site;
    let what = match step.message {
        Some(message) => name(Some(message)),
        None => step.label.clone(),
    };
    let what = if what.is_empty() {
        what
    } else {
        format!(" ({what})")
    };
    let doubt = if step.confidence == Confidence::Exact {
        ""
    } else {
        "?"
    };
    format!(
        "{doubt}{} {} -> {}{what} {}:{at}",
        step.kind,
        name(step.from),
        name(step.to),
        store::file_path(snapshot, file).unwrap().unwrap(),
    )
}

#[test]
fn csharp_services() {
    check(
        &[
            (
                "Startup.cs",
                "class Startup {
    void Configure(IServiceCollection services, Other other) {
        services.AddScoped<IClock, Clock>();
        services.AddSingleton(typeof(IStore<>), typeof(Store<>));
        services.TryAddTransient<IFormat>(sp => new Format(sp.GetRequiredService<IClock>()));
        services.AddSingleton<Cache>();
        services.AddSingleton<ICache>(sp => sp.GetRequiredService<Cache>());
        services.AddKeyedScoped<IClock, LocalClock>(\"local\");
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IFormat, Format>());
        services.AddHostedService<Worker>();
        services.AddSingleton<IHostedService, Worker>();
        services.AddSingleton<IExternal, External>();
        other.AddScoped<IClock, Clock>();
    }
}
class Other { public void AddScoped<A, B>() { } }
",
            ),
            (
                "Types.cs",
                "interface IClock { } class Clock : IClock { } class LocalClock : IClock { }
interface IStore<T> { } class Store<T> : IStore<T> { }
interface IFormat { } class Format : IFormat { public Format(IClock clock) { } }
interface ICache { } class Cache : ICache { }
class Worker { }
",
            ),
        ],
        &[
            "provides - -> Worker (IHostedService) Startup.cs:11",
            "provides Cache -> Cache Startup.cs:6",
            "provides ICache -> Cache Startup.cs:7",
            "provides IClock -> Clock Startup.cs:3",
            "provides IClock -> LocalClock Startup.cs:8",
            "provides IFormat -> Format Startup.cs:5",
            "provides IFormat -> Format Startup.cs:9",
            "provides IStore -> Store Startup.cs:4",
            "provides Worker -> Worker Startup.cs:10",
        ],
    );
}

#[test]
fn csharp_messages() {
    check(
        &[
            (
                "Handlers.cs",
                "using MediatR;
record Ping(int Id) : IRequest<string>;
record Pong : INotification;
record Save : ICommand;
record Unheard : IRequest;
interface ICommand : IRequest { }
interface ICommandHandler<T> : IRequestHandler<T> where T : ICommand { }
interface IReceiver<in T> { void Receive(T message); }
interface IStore<T> { void Add(T item); void Remove(T item); }
class PingHandler : IRequestHandler<Ping, string> { public string Handle(Ping ping) => null; }
class PongHandler : INotificationHandler<Pong> { public void Handle(Pong pong) { } }
class SaveHandler : ICommandHandler<Save> { public void Handle(Save save) { } }
class Moved { }
class MovedReader : IReceiver<Moved> { public void Receive(Moved moved) { } }
class Saved { }
class Store : IStore<Saved> { public void Add(Saved item) { } public void Remove(Saved item) { } }
record Wrapped<T>(T Inner) : IRequest;
class WrappedHandler<T> : IRequestHandler<Wrapped<T>> { public virtual void Handle(Wrapped<T> wrapped) { } }
class WrappedPingHandler : WrappedHandler<Ping> { }
class WrappedSaveHandler : WrappedHandler<Save> { }
class Same : System.IEquatable<Moved> { public bool Equals(Moved other) => true; }
",
            ),
            (
                "Api.cs",
                "class Api {
    void Run(ISender sender, IBus bus, Save save) {
        sender.Send(new Ping(1));
        sender.Send(save);
        bus.Publish(new Moved());
        bus.Publish(new Saved());
        sender.Send(new Wrapped<Save>(save));
        sender.Send(new Unheard());
        sender.Send(\"text\");
    }
}
",
            ),
        ],
        &[
            "?handles Moved -> MovedReader.Receive Handlers.cs:14",
            "handles Ping -> PingHandler.Handle Handlers.cs:10",
            "handles Pong -> PongHandler.Handle Handlers.cs:11",
            "handles Save -> SaveHandler.Handle Handlers.cs:12",
            "handles Wrapped -> WrappedHandler.Handle Handlers.cs:18",
            "handles Wrapped -> WrappedPingHandler (Ping) Handlers.cs:19",
            "handles Wrapped -> WrappedSaveHandler (Save) Handlers.cs:20",
            "sends Api.Run -> Moved Api.cs:5",
            "?sends Api.Run -> MovedReader.Receive (Moved) Api.cs:5",
            "sends Api.Run -> Ping Api.cs:3",
            "sends Api.Run -> PingHandler.Handle (Ping) Api.cs:3",
            "sends Api.Run -> Save Api.cs:4",
            "sends Api.Run -> SaveHandler.Handle (Save) Api.cs:4",
            "sends Api.Run -> Wrapped (Save) Api.cs:7",
            "sends Api.Run -> WrappedHandler.Handle (Wrapped) Api.cs:7",
            "sends Api.Run -> WrappedSaveHandler (Wrapped) Api.cs:7",
        ],
    );
}

#[test]
fn csharp_events_and_routes() {
    check(
        &[
            (
                "Shop.cs",
                "[Route(\"api/[controller]\")]
abstract class Base : ControllerBase { }
class ShopController : Base {
    [HttpGet(\"{id:int}\")] public int Get(int id) => id;
    [HttpPost] public int Save() => 1;
    [HttpDelete, Route(\"gone/[action]\")] public int Drop() => 1;
    [HttpPut(\"/top\")] public int Top() => 1;
    [HttpGet(\"kept/[action]\"), ActionName(\"Best\")] public int Keep() => 1;
    [Obsolete] public int Old() => 1;
}
class Plain { [HttpGet] public int Get() => 1; }
[ApiV1] class CartController : ControllerBase { [HttpGet(\"{id}\")] public int Get(int id) => id; }
class ApiV1Attribute : Microsoft.AspNetCore.Mvc.RouteAttribute {
    protected const string Base = \"api/v1/[controller]\";
    public ApiV1Attribute() : base(Base) { }
}
[Versioned(\"queue/status\")] class StateController : ControllerBase { [HttpGet] public int Get() => 1; }
class VersionedAttribute : System.Attribute, Microsoft.AspNetCore.Mvc.Routing.IRouteTemplateProvider {
    public VersionedAttribute(string resource) { Template = $\"api/v{Version}/{resource}\"; }
    public string Template { get; }
}
[V2] class PlainController : ControllerBase {
    [PutOne] public int Put(int id) => id;
    [Fetch] public int Fetch(int id) => id;
}
class AnyVersionAttribute : System.Attribute, Microsoft.AspNetCore.Mvc.Routing.IRouteTemplateProvider {
    public AnyVersionAttribute(int version, string resource) { Template = $\"api/v{version}/{resource}\"; }
    public string Template { get; }
}
class V2Attribute : AnyVersionAttribute { public V2Attribute(string resource = \"[controller]\") : base(2, resource) { } }
class PutOneAttribute : HttpPutAttribute { public PutOneAttribute() : base(\"{id:int?}\") { } }
class FetchAttribute : System.Attribute, Microsoft.AspNetCore.Mvc.Routing.IActionHttpMethodProvider, Microsoft.AspNetCore.Mvc.Routing.IRouteTemplateProvider {
    public System.Collections.Generic.IEnumerable<string> HttpMethods => new[] { \"GET\" };
    public string Template => \"{id}\";
}
[Named(\"no route\")] class NamedController : ControllerBase { [HttpGet] public int Get() => 1; }
class NamedAttribute : System.Attribute { const string Other = \"a/b\"; public NamedAttribute(string name) { } }
",
            ),
            (
                "Program.cs",
                "static class Api {
    public static void Map(IEndpointRouteBuilder app) {
        var items = app.MapGroup(\"/items\").WithTags(\"Items\");
        items.MapGet(\"/{id}\", Find);
        items.MapPost(\"\", (int x) => x);
        other.MapGet(\"key\", 1);
    }
    static int Find(int id) => id;
}
class Client {
    readonly HttpClient http;
    void Load(int id) { http.GetAsync($\"/items/{id}\"); http.DeleteAsync(\"api/shop/gone/drop\"); http.PostAsync(\"/items/1\", null); }
}
class Button {
    public event System.Action Pressed;
    void Wire(External other) { Pressed -= OnPressed; Pressed += OnPressed; Pressed += () => OnPressed(); other.Closed += OnPressed; total += more; }
    void OnPressed() { }
}
",
            ),
        ],
        &[
            "?requests Client.Load -> Api.Find (GET /items/{id}) Program.cs:12",
            "?requests Client.Load -> ShopController.Drop (DELETE api/shop/gone/drop) Program.cs:12",
            "?serves Api.Map -> Api.Find (GET /items/{id}) Program.cs:4",
            "?serves Api.Map -> Api.Map (POST /items) Program.cs:5",
            "?serves CartController -> CartController.Get (GET /api/v1/Cart/{id}) Shop.cs:12",
            "?serves PlainController -> PlainController.Fetch (GET /api/v2/Plain/{id}) Shop.cs:24",
            "?serves PlainController -> PlainController.Put (PUT /api/v2/Plain/{id:int?}) Shop.cs:23",
            "serves ShopController -> ShopController.Drop (DELETE /api/Shop/gone/Drop) Shop.cs:6",
            "serves ShopController -> ShopController.Get (GET /api/Shop/{id:int}) Shop.cs:4",
            "serves ShopController -> ShopController.Keep (GET /api/Shop/kept/Best) Shop.cs:8",
            "serves ShopController -> ShopController.Save (POST /api/Shop) Shop.cs:5",
            "serves ShopController -> ShopController.Top (PUT /top) Shop.cs:7",
            "?serves StateController -> StateController.Get (GET /api/v{Version}/queue/status) Shop.cs:17",
            "subscribes - -> Button.OnPressed (Closed) Program.cs:16",
            "subscribes Button.Pressed -> Button.OnPressed Program.cs:16",
            "subscribes Button.Pressed -> Button.Wire Program.cs:16",
        ],
    );
}

#[test]
fn csharp_groups_are_mapped_by_other_methods() {
    check(
        &[
            (
                "Carts.cs",
                "static class Carts {
    public static RouteGroupBuilder MapCarts(this RouteGroupBuilder group) {
        group.MapGet(\"\", (CartHandler handler) => handler.All());
        group.MapPost(\"{id:guid}/close\",
            async (Guid id, CartHandler handler) => {
                await handler.Close(id);
                return TypedResults.NoContent();
            }).WithName(\"close\");
        group.MapPut(\"{id:guid}\", (Guid id, CartHandler handler) => { handler.Open(id); return handler.Close(id); });
        group.MapGroup(\"lines\").MapLines();
        return group;
    }
    static void MapLines(this RouteGroupBuilder group) { group.MapGet(\"first\", CartHandler.First); }
    public static void MapAlone(RouteGroupBuilder group) { group.MapDelete(\"{id}\", CartHandler.First); }
}
class CartHandler { public void All() { } public Task Close(Guid id) => null; public void Open(Guid id) { } public static void First() { } }
",
            ),
            (
                "Program.cs",
                "static class Program {
    static void Map(WebApplication app) {
        app.MapGroup(\"/carts\").WithDefaults().MapCarts();
        var old = app.MapGroup(\"/old/{year}\");
        Carts.MapAlone(old);
    }
    static RouteGroupBuilder WithDefaults(this RouteGroupBuilder group) => group;
}
class Client { void Load(HttpClient http, int id) { http.PostAsync($\"/carts/{id}/close\", null); http.DeleteAsync(\"/old/2020/7\"); } }
",
            ),
        ],
        &[
            "?mounts Carts.MapCarts -> Carts.MapLines (/lines) Carts.cs:10",
            "mounts Program.Map -> Carts.MapAlone (/old/{year}) Program.cs:5",
            "mounts Program.Map -> Carts.MapCarts (/carts) Program.cs:3",
            "?requests Client.Load -> CartHandler.Close (POST /carts/{id}/close) Program.cs:9",
            "?requests Client.Load -> CartHandler.First (DELETE /old/2020/7) Program.cs:9",
            "serves Carts.MapAlone -> CartHandler.First (DELETE /old/{year}/{id}) Carts.cs:14",
            "serves Carts.MapCarts -> CartHandler.All (GET /carts) Carts.cs:3",
            "serves Carts.MapCarts -> CartHandler.Close (POST /carts/{id:guid}/close) Carts.cs:4",
            "serves Carts.MapCarts -> Carts.MapCarts (PUT /carts/{id:guid}) Carts.cs:9",
            "serves Carts.MapLines -> CartHandler.First (GET /carts/lines/first) Carts.cs:13",
        ],
    );
}

#[test]
fn csharp_routes_are_below_every_group_of_their_method() {
    check(
        &[
            (
                "Carts.cs",
                "static class Carts {
    public static void MapAll(this IEndpointRouteBuilder all) { all.MapCarts(); }
    public static void MapCarts(this IEndpointRouteBuilder group) { group.MapGet(\"/carts\", Handler.All); }
    public static void MapOpen(this RouteGroupBuilder group) { group.MapGroup(\"open\").MapNever(); }
    static void MapNever(this RouteGroupBuilder group) { group.MapGet(\"never\", Handler.All); }
    public static void MapCut(this RouteGroupBuilder group) { group.MapGet(\"cut\", Handler.All); }
    public static void MapOne(this RouteGroupBuilder group) { group.MapOther(); group.MapGet(\"one\", Handler.All); }
    public static void MapOther(this RouteGroupBuilder group) { group.MapOne(); group.MapGet(\"two\", Handler.All); }
}
class Handler { public static void All() { } }
",
            ),
            (
                "Program.cs",
                "static class Program {
    static void Map(WebApplication app, string name) {
        app.MapCarts();
        app.MapGroup(\"/v2\").MapAll();
        app.MapGroup(name).MapCut();
        app.MapGroup(name).MapGroup(\"x\").MapCut();
        app.MapGroup(\"/in\").MapOne();
        app.UseCarts();
    }
    static void UseCarts(this WebApplication app) { }
}
",
            ),
        ],
        &[
            "?mounts Carts.MapAll -> Carts.MapCarts (/) Carts.cs:2",
            "?mounts Carts.MapOne -> Carts.MapOther (/) Carts.cs:7",
            "?mounts Carts.MapOpen -> Carts.MapNever (/open) Carts.cs:4",
            "?mounts Carts.MapOther -> Carts.MapOne (/) Carts.cs:8",
            "mounts Program.Map -> Carts.MapAll (/v2) Program.cs:4",
            "mounts Program.Map -> Carts.MapCarts (/) Program.cs:3",
            "?mounts Program.Map -> Carts.MapCut (?) Program.cs:5",
            "?mounts Program.Map -> Carts.MapCut (?/x) Program.cs:6",
            "mounts Program.Map -> Carts.MapOne (/in) Program.cs:7",
            "serves Carts.MapCarts -> Handler.All (GET /carts) Carts.cs:3",
            "serves Carts.MapCarts -> Handler.All (GET /v2/carts) Carts.cs:3",
            "?serves Carts.MapCut -> Handler.All (GET /cut) Carts.cs:6",
            "?serves Carts.MapCut -> Handler.All (GET /x/cut) Carts.cs:6",
            "?serves Carts.MapNever -> Handler.All (GET /open/never) Carts.cs:5",
            "serves Carts.MapOne -> Handler.All (GET /in/one) Carts.cs:7",
            "serves Carts.MapOther -> Handler.All (GET /in/two) Carts.cs:8",
        ],
    );
}

#[test]
fn csharp_requests_reach_the_most_specific_route_of_their_method() {
    check(
        &[
            (
                "Carts.cs",
                "static class Carts {
    public static void MapCarts(this RouteGroupBuilder group) {
        group.MapGet(\"new\", Handler.New);
        group.MapPost(\"{id}\", Handler.Save);
        group.MapGet(\"files/{**rest}\", Handler.Read);
    }
}
class Handler { public static void New() { } public static void Save() { } public static void Read() { } }
",
            ),
            (
                "Program.cs",
                "static class Program { static void Map(WebApplication app) { app.MapGroup(\"/carts\").MapCarts(); } }
class Client { void Load(HttpClient http) { http.PostAsync(\"/carts/new\", null); http.GetAsync(\"/carts/new\"); http.GetAsync(\"/carts/files/a/b\"); } }
",
            ),
        ],
        &[
            "mounts Program.Map -> Carts.MapCarts (/carts) Program.cs:1",
            "?requests Client.Load -> Handler.New (GET /carts/new) Program.cs:2",
            "?requests Client.Load -> Handler.Read (GET /carts/files/a/b) Program.cs:2",
            "?requests Client.Load -> Handler.Save (POST /carts/new) Program.cs:2",
            "serves Carts.MapCarts -> Handler.New (GET /carts/new) Carts.cs:3",
            "serves Carts.MapCarts -> Handler.Read (GET /carts/files/{**rest}) Carts.cs:5",
            "serves Carts.MapCarts -> Handler.Save (POST /carts/{id}) Carts.cs:4",
        ],
    );
}

#[test]
fn csharp_requests_are_known_by_a_method_and_a_path() {
    check(
        &[
            (
                "Carts.cs",
                "[Route(\"carts\")] class CartsController : ControllerBase {
    [HttpGet(\"{id}\")] public int Find(int id) => id;
    [HttpPatch] public int Change() => 1;
    [HttpPost] public int Add() => 1;
}
",
            ),
            (
                "Client.cs",
                "class Client : Service {
    Task Find(int id) => SendAsync<Cart>(HttpMethod.Get,
        $\"carts/{id}\", true);
    void Change() { Log(new HttpMethod(\"PATCH\"), \"/carts\"); }
    object Add() => new HttpRequestMessage(HttpMethod.Post, \"https://shop/carts\");
    void Fake(Mock mock) { mock.When(HttpMethod.Post, \"*/carts\"); Log(HttpMethod.Post, \"no such text\"); Log(HttpMethod.Delete, \"carts\"); }
    void Note() { Log(HttpMethod.Post, \"add a cart\", \"/carts\"); }
}
",
            ),
        ],
        &[
            "?requests Client.Add -> CartsController.Add (POST https://shop/carts) Client.cs:5",
            "?requests Client.Change -> CartsController.Change (PATCH /carts) Client.cs:4",
            "?requests Client.Find -> CartsController.Find (GET carts/{id}) Client.cs:2",
            "?requests Client.Note -> CartsController.Add (POST /carts) Client.cs:7",
            "serves CartsController -> CartsController.Add (POST /carts) Carts.cs:4",
            "serves CartsController -> CartsController.Change (PATCH /carts) Carts.cs:3",
            "serves CartsController -> CartsController.Find (GET /carts/{id}) Carts.cs:2",
        ],
    );
}

#[test]
fn csharp_endpoints_name_their_routes_themselves() {
    check(
        &[(
            "Carts.cs",
            "class FindCart : Endpoint<CartRequest> {
    public override void Configure() {
        Get(\"/carts/{id}\", \"baskets/{id}\");
        AllowAnonymous();
    }
    public override Task HandleAsync(CartRequest request, CancellationToken stop) => Task.CompletedTask;
    void Other() { Get(\"/other\"); }
}
class Own {
    void Configure() { Get(\"/own\"); }
    int Get(string path) => 1;
    void HandleAsync() { }
}
class Silent : Endpoint<CartRequest> { void Configure() { Post(\"/silent\"); } }
",
        )],
        &[
            "?serves FindCart.Configure -> FindCart.HandleAsync (GET /baskets/{id}) Carts.cs:3",
            "?serves FindCart.Configure -> FindCart.HandleAsync (GET /carts/{id}) Carts.cs:3",
        ],
    );
}

#[test]
fn typescript_actions_of_a_store() {
    check(
        &[(
            "store.ts",
            "import { Action, Store } from '@ngxs/store';
export class Load { constructor(public id: number) {} }
export class Carts {
  @Action(Load) load() {}
  @Action(missing) other() {}
}
export function open(store: Store) { store.dispatch(new Load(1)); store.dispatch('plain'); }
",
        )],
        &[
            "handles store.ts#Load -> store.ts#Carts.load store.ts:4",
            "sends store.ts#open -> store.ts#Carts.load (store.ts#Load) store.ts:7",
            "sends store.ts#open -> store.ts#Load store.ts:7",
        ],
    );
}

#[test]
fn typescript_providers_and_messages() {
    check(
        &[
            (
                "module.ts",
                "import { Module } from '@nestjs/common';
import { Clock, LocalClock, CLOCK, Report } from './clock';
@Module({ providers: [Report, { provide: Clock, useClass: LocalClock }, { useExisting: Report, provide: CLOCK }, { provide: 'text', useFactory: () => new Report() }] })
export class AppModule {}
container.bind<Clock>(CLOCK).to(LocalClock);
container.bind(Report).toSelf();
const noProvider = { provided: Clock, useClass: LocalClock };
",
            ),
            (
                "clock.ts",
                "export abstract class Clock {}
export class LocalClock extends Clock {}
export const CLOCK = Symbol('clock');
export class Report {}
export class Save { constructor(readonly id: number) {} }
export class Saved {}
",
            ),
            (
                "save.ts",
                "import { CommandHandler, EventsHandler } from '@nestjs/cqrs';
import { Save, Saved } from './clock';
@CommandHandler(Save)
export class SaveHandler { execute(command: Save) {} }
@EventsHandler(Saved)
export class SavedHandler { handle(event: Saved) {} }
export function run(bus: any, saved: Saved) { bus.execute(new Save(1)); bus.publish(saved); bus.execute('text'); }
",
            ),
        ],
        &[
            "handles clock.ts#Save -> save.ts#SaveHandler.execute save.ts:3",
            "handles clock.ts#Saved -> save.ts#SavedHandler.handle save.ts:5",
            "provides - -> clock.ts#Report (text) module.ts:3",
            "provides clock.ts#CLOCK -> clock.ts#Report module.ts:3",
            "provides clock.ts#Clock -> clock.ts#LocalClock module.ts:3",
            "provides clock.ts#Clock -> clock.ts#LocalClock module.ts:5",
            "provides clock.ts#Report -> clock.ts#Report module.ts:3",
            "provides clock.ts#Report -> clock.ts#Report module.ts:6",
            "sends save.ts#run -> clock.ts#Save save.ts:7",
            "sends save.ts#run -> clock.ts#Saved save.ts:7",
            "sends save.ts#run -> save.ts#SaveHandler.execute (clock.ts#Save) save.ts:7",
            "sends save.ts#run -> save.ts#SavedHandler.handle (clock.ts#Saved) save.ts:7",
        ],
    );
}

#[test]
fn a_default_export_without_a_name_answers_a_route() {
    check(
        &[
            (
                "server.ts",
                "import { Router } from 'express';
import find from './find';
const router = Router();
router.get('/users/:id', auth, find);
function auth() {}
",
            ),
            (
                "find.ts",
                "export default async (request: Request) => request.url;\n",
            ),
        ],
        &["serves server.ts -> find.ts#default (GET /users/:id) server.ts:4"],
    );
}

#[test]
fn typescript_routes_and_events() {
    check(
        &[
            (
                "server.ts",
                "import express, { Router } from 'express';
import { Controller, Get, Post } from '@nestjs/common';
import { list } from './list';
const app = express();
const router = Router();
app.get('/users/:id', auth, list);
router.post('items', async (req, res) => {});
router.route('/both').get(list).put(wrap(list));
other.get('/guessed', list);
const map = new Map<string, () => void>();
map.get('/no-route');
function auth() {}
@Controller('cats')
export class Cats {
  @Get(':id') find() {}
  @Post() add() {}
}
class NoController { @Get('a') find() {} }
export function handle(typed: Router) { typed.delete('/users/:id', list); }
",
            ),
            ("mounted.ts", "export const call = (server: any) => server.get('/api/v1/users/7') || server.get('/api/users/:id');\n"),
            ("list.ts", "export function list() {}\n"),
            (
                "client.ts",
                "import axios from 'axios';
import { HttpClient } from '@angular/common/http';
import { list } from './list';
export class Client {
  constructor(private http: HttpClient) {}
  load(id: string) { fetch(link('/cats'), { method: 'POST' }); return this.http.get<string>(`/users/${id}`); }
  remove(id: string) { return fetch(`https://host/users/${id}`, { method: 'DELETE' }); }
  add() { axios.post('/cats', {}); axios.put('/nowhere'); }
}
export const routes = [{ path: 'client', component: Client }, { path: 'outer', children: [{ path: 'late', loadComponent: () => import('./list').then(m => m.list) }] }];
export class Emitter { on(name: string, f: () => void) {} emit(name: string) {} }
export function wire(emitter: Emitter, other: Other) {
  emitter.on('done', list);
  other.on('done', () => {});
  emitter.emit('done');
  emitter.emit('started');
  router.navigateByUrl('/client');
}
export class Other { on(name: string, f: () => void) {} }
",
            ),
        ],
        &[
            "?emits client.ts#wire -> list.ts#list (done) client.ts:15",
            "listens client.ts#Emitter -> list.ts#list (done) client.ts:13",
            "listens client.ts#Other -> client.ts#wire (done) client.ts:14",
            "?opens client.ts#wire -> client.ts#Client (/client) client.ts:17",
            "?requests client.ts#Client.add -> server.ts#Cats.add (POST /cats) client.ts:8",
            "?requests client.ts#Client.load -> list.ts#list (GET /users/${id}) client.ts:6",
            "?requests client.ts#Client.load -> server.ts#Cats.add (POST /cats) client.ts:6",
            "?requests client.ts#Client.remove -> list.ts#list (DELETE https://host/users/${id}) client.ts:7",
            "?requests mounted.ts#call -> list.ts#list (GET /api/users/:id) mounted.ts:1",
            "serves server.ts -> list.ts#list (GET /both) server.ts:8",
            "?serves server.ts -> list.ts#list (GET /guessed) server.ts:9",
            "serves server.ts -> list.ts#list (GET /users/:id) server.ts:6",
            "serves server.ts -> list.ts#list (PUT /both) server.ts:8",
            "serves server.ts -> server.ts (POST items) server.ts:7",
            "serves server.ts#Cats -> server.ts#Cats.add (POST /cats) server.ts:16",
            "serves server.ts#Cats -> server.ts#Cats.find (GET /cats/:id) server.ts:15",
            "serves server.ts#handle -> list.ts#list (DELETE /users/:id) server.ts:19",
            "shows client.ts#routes -> client.ts#Client (client) client.ts:10",
            "shows client.ts#routes -> list.ts#list (outer/late) client.ts:10",
        ],
    );
}

#[test]
fn typescript_events_and_jobs_named_by_constants() {
    check(
        &[
            (
                "names.ts",
                "export enum Events { Created = 'page.created' }
export const QUEUES = { MAIL: 'mail' } as const;
export const PAGES = '/pages';
export let OTHER = '/other';
export class Removed {
  static getName() { return 'page.removed'; }
  static other() { return Math.random() ? 'page.other' : 'page.lost'; }
}
",
            ),
            (
                "pages.ts",
                "import { Controller, Get } from '@nestjs/common';
import { OnEvent } from '@nestjs/event-emitter';
import { Events, OTHER, PAGES, QUEUES, Removed } from './names';
@Controller(PAGES)
export class Pages {
  constructor(
    private emitter: EventEmitter2,
    @InjectQueue(QUEUES.MAIL) private mails: Queue,
    private plain: Queue,
  ) {}
  @Get('new') create() {
    this.emitter.emit(Events.Created, 1);
    this.mails.add('welcome', {});
    this.plain.add('welcome', {});
  }
  @Get(OTHER) other() { this.emitter.emit(Removed.getName()); }
}
export class Listener {
  @OnEvent(Events.Created) created() {}
  @OnEvent(Removed.getName()) removed() {}
  @OnEvent(Removed.other()) lost() {}
}
",
            ),
            (
                "mail.ts",
                "import { Process, Processor } from '@nestjs/bullmq';
import { QUEUES } from './names';
@Processor(QUEUES.MAIL)
export class Mails extends WorkerHost { process(job: Job) {} close() {} }
@Processor({ name: 'images' })
export class Images { @Process('small') shrink() {} grow() {} }
const images = new Queue('images');
const set = new Set<string>();
export function upload() { images.add('small'); set.add('images'); }
",
            ),
        ],
        &[
            "?emits mail.ts#upload -> mail.ts#Images.shrink (images) mail.ts:9",
            "?emits pages.ts#Pages.create -> mail.ts#Mails.process (mail) pages.ts:13",
            "?emits pages.ts#Pages.create -> pages.ts#Listener.created (page.created) pages.ts:12",
            "?emits pages.ts#Pages.other -> pages.ts#Listener.removed (page.removed) pages.ts:16",
            "listens - -> mail.ts#Images.shrink (images) mail.ts:5",
            "listens - -> mail.ts#Mails.process (mail) mail.ts:3",
            "listens - -> pages.ts#Listener.created (page.created) pages.ts:19",
            "listens - -> pages.ts#Listener.removed (page.removed) pages.ts:20",
            "serves pages.ts#Pages -> pages.ts#Pages.create (GET /pages/new) pages.ts:11",
        ],
    );
}

#[test]
fn the_base_address_of_a_client_may_have_a_path() {
    check(
        &[
            (
                "api/BooksController.cs",
                "[Route(\"api/[controller]\")]
class BooksController : ControllerBase {
    [HttpPost(\"{id}/read\")]
    public void Read(int id) { }
    [HttpGet]
    public void All(int page) { }
}
[Route(\"api/pages\")]
class PagesController : ControllerBase { [HttpGet(\"best\")] public void Best() { } }
[Route(\"api/covers\")]
class CoversController : ControllerBase { [HttpGet(\"best\")] public void Best() { } }
",
            ),
            (
                "web/books.ts",
                "import { inject } from '@angular/core';
import { HttpClient } from '@angular/common/http';
export class Books {
  private http = inject(HttpClient);
  constructor(private baseUrl: string) {}
  read(id: number) { return this.http.post(this.baseUrl + `books/${id}/read`, {}); }
  all(page: number) { return this.http.get(`${this.baseUrl}books?page=${page}`); }
}
export class Covers extends Client {
  constructor(http: HttpClient) { super(http, '/api/covers/'); }
  best() { return inject(HttpClient).get(`${this.url}best`); }
}
",
            ),
        ],
        &[
            "?requests web/books.ts#Books.all -> BooksController.All (GET ${this.baseUrl}books?page=${page}) web/books.ts:7",
            "?requests web/books.ts#Books.read -> BooksController.Read (POST ${}books/${id}/read) web/books.ts:6",
            "?requests web/books.ts#Covers.best -> CoversController.Best (GET ${this.url}best) web/books.ts:11",
            "serves BooksController -> BooksController.All (GET /api/Books) api/BooksController.cs:5",
            "serves BooksController -> BooksController.Read (POST /api/Books/{id}/read) api/BooksController.cs:3",
            "serves CoversController -> CoversController.Best (GET /api/covers/best) api/BooksController.cs:11",
            "serves PagesController -> PagesController.Best (GET /api/pages/best) api/BooksController.cs:9",
        ],
    );
}
