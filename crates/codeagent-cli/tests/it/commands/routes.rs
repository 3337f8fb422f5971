//! `codeagent explore` about routes, requests and procedures.

use super::Shop;

#[test]
fn the_method_of_a_request_is_not_a_symbol() {
    let post = "export class Post {}\n";
    let log_in = "export function log_in() {\n  fetch('/log/in');\n}\n";
    let shop = Shop::with(&[("web/post.ts", post), ("web/log_in.ts", log_in)]);
    let found = shop.stdout(&["explore", "who requests POST /log/in?"]);
    assert!(
        found.starts_with("## literal \"/log/in\" (1 place)\n"),
        "{found}"
    );
    assert!(!found.contains("Post"), "{found}");
}

#[test]
fn a_route_is_served_by_the_file_at_its_place() {
    let shop = Shop::with(&[
        (
            "site/app/users/[id]/page.tsx",
            "import { wrap } from 'absent';\nimport { Card } from './card';\nfunction User() { return <Card />; }\nexport default wrap(User);\n",
        ),
        (
            "site/app/users/[id]/card.tsx",
            "export function Card() { return null; }\n",
        ),
        (
            "site/nav.ts",
            "export const link = (id: number) => `/users/${id}`;\n",
        ),
    ]);
    let text = shop.stdout(&["explore", "which component is behind /users/:id?"]);
    assert!(
        text.contains(
            "files that serve it, by their path:\nsite/app/users/[id]/page.tsx\n  3 User()\n    renders Card\n"
        ),
        "{text}"
    );
}

#[test]
fn decorators_of_the_repository_may_make_a_route() {
    let own = "export const Controller = (path: string) => (target: unknown) => {};\nexport const Post = (path: string) => (target: unknown) => {};\n";
    let page = "import { Controller, Post } from './own';\n@Controller('/exports')\nexport class Exports {\n  @Post('/')\n  run() {\n    write();\n  }\n}\nfunction write() {}\n";
    let shop = Shop::with(&[("web/own.ts", own), ("web/exports.ts", page)]);
    let text = shop.stdout(&["explore", "what happens when a POST to /exports arrives?"]);
    assert!(
        text.contains(" possibly route POST /exports at web/exports.ts:4: Exports.run\n"),
        "{text}"
    );
    assert!(
        text.contains("Exports.run  web/exports.ts:5\n  6 write  web/exports.ts:9\n"),
        "{text}"
    );
}

#[test]
fn a_route_leads_through_mounted_routers() {
    let carts = "import { Router } from 'express';\nexport const carts = Router();\ncarts.post('/:id', () => {});\n";
    let app = "import express from 'express';\nimport { carts } from './carts';\nconst app = express();\nconst api = express.Router();\napi.use('/carts', carts);\napp.use('/v1', api);\n";
    let shop = Shop::with(&[
        ("web/carts.ts", carts),
        ("web/app.ts", app),
        (
            "web/package.json",
            "{ \"dependencies\": { \"express\": \"5.0.0\" } }\n",
        ),
    ]);
    let text = shop.stdout(&["explore", "which handler serves POST /v1/carts/:id?"]);
    assert!(
        text.contains("routes with this path (1):\n route POST /:id at web/carts.ts:3: carts.ts\n"),
        "{text}"
    );
}

#[test]
fn a_procedure_is_known_by_its_key() {
    let code = "declare const router: any, procedure: any;\nexport const save = () => {};\nexport const carts = router({\n  create: procedure.mutation(() => {\n    save();\n  }),\n});\n";
    let client = "declare const api: any;\nexport const add = () => api.carts.create.mutate();\n";
    let shop = Shop::with(&[("web/carts.ts", code), ("web/client.ts", client)]);
    let callers = shop.stdout(&["explore", "who calls save?"]);
    assert!(
        callers.contains("  5 carts > create: save();\n"),
        "{callers}"
    );

    let served = shop.stdout(&["explore", "what serves the call carts.create?"]);
    assert!(
        served.contains("create  web/carts.ts:4-6\n  5 save  web/carts.ts:2\n"),
        "{served}"
    );
}

#[test]
fn the_first_slash_of_a_route_may_be_missing() {
    let shop = Shop::with(&[(
        "api/TillController.cs",
        "[Route(\"api/v1/Till\")]\nclass TillController : ControllerBase {\n    [HttpPost(\"close\")]\n    public void Close() { Bell(); }\n    void Bell() {}\n}\n",
    )]);
    let text = shop.stdout(&[
        "explore",
        "what happens when POST api/v1/Till/Close is requested?",
    ]);
    assert!(
        text.contains("TillController.Close  ") && text.contains(" TillController.Bell"),
        "{text}"
    );
}

#[test]
fn the_method_of_a_request_selects_its_handler() {
    let app = "import express from 'express';\nimport { create, find, save } from './store';\nconst app = express();\nconst wrap = (action: any) => action;\napp.get('/carts/:id', (q, r) => find());\napp.post('/carts/:id', wrap(create));\napp.put('/carts/:id', (q, r) => save());\napp.get('/:id', wrap(find));\n";
    let store = "export function find() {}\nexport function save() {}\nexport function create() { save(); }\n";
    let shop = Shop::with(&[("web/app.ts", app), ("web/store.ts", store)]);
    let asked = |route: &str| {
        let question = format!("what happens when {route} is requested?");
        shop.stdout(&["explore", &question])
    };

    let post = asked("POST /carts/:id");
    assert!(
        post.contains(
            "what happens, in order:\ncreate  web/store.ts:3\n  3 save  web/store.ts:2\n"
        ),
        "{post}"
    );
    assert!(!post.contains("route GET"), "{post}");

    let get = asked("GET /carts/:id");
    assert!(
        get.contains("app.get \"/carts/:id\"  web/app.ts:5-5\n  5 find  web/store.ts:1\n"),
        "{get}"
    );
    assert!(!get.contains("app.put \"/carts/:id\"  "), "{get}");

    let patch = asked("PATCH /carts/:id");
    assert!(
        patch.contains("no route with this path has the method PATCH\n"),
        "{patch}"
    );
    assert!(patch.contains("route POST /carts/:id"), "{patch}");
    assert!(asked("GET /:id").contains("route GET /:id at web/app.ts:8: find"));
}

#[test]
fn a_package_that_is_not_known_may_be_a_router() {
    let app = "import { App } from 'tiny';\nexport function save() {}\nconst app = new App();\napp.post('/carts', save);\n";
    let shop = Shop::with(&[("web/app.ts", app)]);
    let text = shop.stdout(&["explore", "what happens when POST /carts is requested?"]);
    assert!(
        text.contains(" possibly route POST /carts at web/app.ts:4: save\n"),
        "{text}"
    );
}

#[test]
fn a_file_of_routes_answers_by_functions_named_by_methods() {
    let route = "import { save } from '../../save';\nexport function GET() {}\nexport function POST() { save(); }\n";
    let shop = Shop::with(&[
        ("web/app/carts/route.ts", route),
        ("web/save.ts", "export function save() {}\n"),
    ]);
    let text = shop.stdout(&["explore", "what happens when POST /carts is requested?"]);
    assert!(
        text.contains("files that serve it, by their path:\nweb/app/carts/route.ts\n  3 POST()\n"),
        "{text}"
    );
    assert!(
        text.contains("POST  web/app/carts/route.ts:3\n  3 save  web/save.ts:1\n"),
        "{text}"
    );
}

#[test]
fn a_template_serves_the_route_at_its_place() {
    let page = "namespace W;\npublic class CheckoutModel {\n  public void OnGet() { }\n  public void OnPostAsync() { Save(); }\n  void Save() { }\n}\n";
    let shop = Shop::with(&[
        ("web/pages/join-team.vue", "<template><a /></template>\n"),
        ("web/pages/view/_id.vue", "<template><a /></template>\n"),
        (
            "Pages/Basket/Checkout.cshtml",
            "@page\n@model CheckoutModel\n",
        ),
        ("Pages/Basket/Checkout.cshtml.cs", page),
    ]);
    let asked = |question: &str| shop.stdout(&["explore", question]);
    let serves = "files that serve it, by their path:\n";

    let text = asked("which page is behind /join-team?");
    assert!(
        text.contains(&format!("{serves}web/pages/join-team.vue\n")),
        "{text}"
    );
    let text = asked("which page is behind /view/:id?");
    assert!(
        text.contains(&format!("{serves}web/pages/view/_id.vue\n")),
        "{text}"
    );

    let text = asked("what happens when POST /Basket/Checkout is requested?");
    let flow = "CheckoutModel.OnPostAsync  Pages/Basket/Checkout.cshtml.cs:4\n  4 CheckoutModel.Save  Pages/Basket/Checkout.cshtml.cs:5\n";
    assert!(text.contains(flow), "{text}");
    assert!(!text.contains("OnGet"), "{text}");
}

#[test]
fn the_first_part_of_a_path_may_belong_to_the_server() {
    let app = "import express from 'express';\nexport function save() {}\nexpress().post('/carts/new', save);\n";
    let shop = Shop::with(&[("web/app.ts", app)]);
    let text = shop.stdout(&["explore", "which handler serves POST /v1/carts/new?"]);
    assert!(
        text.contains(" possibly route POST /carts/new at web/app.ts:3: save\n"),
        "{text}"
    );
}

#[test]
fn a_callback_handles_a_path_behind_that_of_the_server() {
    let app = "import express from 'express';\nfunction save() {}\nexpress().post('/carts/new', () => {\n  save();\n});\n";
    let shop = Shop::with(&[("web/app.ts", app)]);
    let text = shop.stdout(&["explore", "what happens on POST /v1/carts/new?"]);
    assert!(
        text.contains("  web/app.ts:3-5\n  4 save  web/app.ts:2\n"),
        "{text}"
    );
}

#[test]
fn an_object_with_a_method_a_path_and_a_handler_is_a_route() {
    let endpoints = "import { signIn } from './sign-in';\nexport const endpoints = [\n  { handler: signIn, method: 'post', path: '/sign-in' },\n  { handler: () => 1, method: 'never', path: '/never' },\n];\n";
    let shop = Shop::with(&[
        ("web/endpoints.ts", endpoints),
        ("web/sign-in.ts", "export function signIn() {}\n"),
        (
            "web/app/sign-in/page.tsx",
            "export default function Page() { return <a/>; }\n",
        ),
    ]);
    let text = shop.stdout(&["explore", "which handler is behind POST /sign-in?"]);
    assert!(
        text.contains("route POST /sign-in at web/endpoints.ts:3: signIn"),
        "{text}"
    );
    assert!(!text.contains("page.tsx"), "{text}");

    let text = shop.stdout(&["explore", "what serves GET /sign-in?"]);
    assert!(text.contains("web/app/sign-in/page.tsx"), "{text}");
}

#[test]
fn a_client_may_leave_the_base_address_out() {
    let route = "export async function POST(request: Request) {}\n";
    let form = "export const join = (send: any) => send('/doors/join');\n";
    let shop = Shop::with(&[
        ("src/app/api/doors/join/route.ts", route),
        ("src/form.ts", form),
    ]);
    let text = shop.stdout(&["explore", "what serves '/doors/join'?"]);
    assert!(
        text.contains("files that serve it, by their path:\nsrc/app/api/doors/join/route.ts"),
        "{text}"
    );
}

#[test]
fn a_route_leads_through_lists_that_are_loaded() {
    let app = "export const routes = [{ path: 'shop', loadChildren: () => import('./shop/shop.routes').then((m) => m.routes) }];\n";
    let inner = "import { ShopPage } from './shop.page';\nexport const routes = [\n  { path: '', component: ShopPage },\n  { path: 'carts', loadChildren: () => import('./carts.routes').then((m) => m.routes) },\n];\n";
    let carts = "import { CartPage } from './cart.page';\nexport const routes = [{ path: 'new', component: NewPage }, { path: ':id', component: CartPage }];\nclass NewPage {}\n";
    let shop = Shop::with(&[
        ("web/app.routes.ts", app),
        ("web/shop/shop.routes.ts", inner),
        ("web/shop/carts.routes.ts", carts),
        ("web/shop/shop.page.ts", "export class ShopPage {}\n"),
        ("web/shop/cart.page.ts", "export class CartPage {}\n"),
    ]);

    let text = shop.stdout(&["explore", "Which component is shown at /shop/carts/:id?"]);
    let found = "route \"/shop/carts/:id\" at web/shop/carts.routes.ts:2: CartPage  web/shop/cart.page.ts:1";
    assert!(text.contains(found), "{text}");
    let text = shop.stdout(&["explore", "Which component is shown at /shop/carts/new?"]);
    assert!(
        text.contains("NewPage") && !text.contains("CartPage"),
        "{text}"
    );
    let text = shop.stdout(&["explore", "Which component is shown at /shop/carts/7?"]);
    assert!(text.contains("CartPage  web/shop/cart.page.ts:1"), "{text}");
    let text = shop.stdout(&["explore", "Which component is shown at /shop?"]);
    assert!(text.contains("ShopPage  web/shop/shop.page.ts:1"), "{text}");
    assert!(!text.contains("CartPage"), "{text}");
}

#[test]
fn a_route_leads_through_the_routes_of_the_component_that_it_shows() {
    let app = "import { lazy } from 'react';\nimport { Route, Routes } from 'react-router';\nconst Shop = lazy(() => import('./shop'));\nexport const routes = [{ path: '/shops/:shop/*', component: Shop }, { path: '/shops', component: Shops }];\nfunction Shops() { return <b />; }\n";
    let shop = "import { Navigate, Route, Routes } from 'react-router';\nimport { Tabs } from './tabs';\nexport default function Shop() { return <div><Tabs /></div>; }\n";
    let tabs = "import { Navigate, Route, Routes } from 'react-router';\nimport { Carts, Cart, Panel, Rest } from './carts';\nexport function Tabs() {\n  return (\n    <Routes>\n      <Route path='carts/*' element={<Carts />} />\n      <Route path='old/*' element={<Navigate to='carts' />} />\n      <Route path='rest' element={<Rest />} />\n    </Routes>\n  );\n}\n";
    let carts = "import { Route, Routes } from 'react-router';\nexport function Carts() {\n  return (\n    <Routes>\n      <Route index element={<All />} />\n      <Route path='new' element={<Panel><NewCart /></Panel>} />\n      <Route path=':id' element={<Cart />} />\n    </Routes>\n  );\n}\nexport function All() { return <b />; }\nexport function NewCart() { return <b />; }\nexport function Cart() { return <b />; }\nexport function Panel() { return <b />; }\nexport function Rest() { return <b />; }\n";
    let shop = Shop::with(&[
        ("web/app.tsx", app),
        ("web/shop.tsx", shop),
        ("web/tabs.tsx", tabs),
        ("web/carts.tsx", carts),
    ]);
    for (path, expected) in [
        (
            "/shops/:shop/carts/new",
            "route \"/shops/:shop/carts/new\" at web/carts.tsx:6: NewCart  web/carts.tsx:12",
        ),
        (
            "/shops/7/carts/12",
            "route \"/shops/7/carts/12\" at web/carts.tsx:7: Cart  web/carts.tsx:13",
        ),
        (
            "/shops/7/carts",
            "route \"/shops/7/carts\" at web/carts.tsx:5: All  web/carts.tsx:11",
        ),
        (
            "/shops/7/old/a",
            "route \"/shops/7/old/a\" at web/tabs.tsx:7, of no component in the index",
        ),
        (
            "/shops/7/carts/12/edit",
            "beginning \"/shops/7/carts/12\" at web/carts.tsx:7: Cart  web/carts.tsx:13 (no route below it shows \"edit\")",
        ),
    ] {
        let question = format!("Which component is shown at the URL {path}?");
        let text = shop.stdout(&["explore", &question]);
        assert!(text.contains(expected), "{text}");
        assert!(text.contains("routes with this path (1):"), "{text}");
    }
}

#[test]
fn a_request_leads_to_the_callback_of_its_route() {
    let server = "import Router from '@koa/router';\nexport function routes(router: Router) {\n  router.get('/carts', async () => count());\n  router.delete(\n    '/carts/:id',\n    async () => { empty(); }\n  );\n}\nfunction count() {}\nfunction empty() {}\n";
    let page =
        "import ky from 'ky';\nexport const remove = (id: string) => ky.delete(`carts/${id}`);\n";
    let shop = Shop::with(&[("server/routes.ts", server), ("web/page.ts", page)]);
    let text = shop.stdout(&["explore", "what happens in web/page.ts#remove?"]);
    assert!(
        text.contains("-> router.delete \"/carts/:id\"  server/routes.ts:4"),
        "{text}"
    );
    assert!(
        text.contains("6 empty") && !text.contains("3 count"),
        "{text}"
    );
}
