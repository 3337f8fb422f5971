//! Origins of clients, paths and components behind functions and constants.

use super::check;
use crate::repository::Repository;

/// Functions that return a client, with and without a declared type.
const CLIENTS: &str = "import ky, { type KyInstance } from 'ky';
import { useMemo } from 'react';
export const useFixed = (props: {}): KyInstance => { const api = ky.create(props); return api; };
const useApi = (props = {}) => {
  if (!props) { throw new Error('none'); }
  return useFixed({ ...props });
};
export function useKept() { return useMemo(() => ky.create({}), []); }
export function useNothing() { return { delete(path: string) {} }; }
export default useApi;
";

const ROUTES: &str = "import Router from '@koa/router';
const router = new Router();
function remove() {}
router.delete('/carts/:id', remove);
";

#[test]
fn a_client_may_be_returned_by_functions() {
    let page = "import useApi, { useFixed, useKept, useNothing } from './clients';
export const one = (id: string) => { const api = useApi(); api.delete(`api/carts/${id}`); };
export const two = (id: string) => { const api = useFixed({}); api.delete(`carts/${id}`); };
export const three = (id: string) => useKept().delete(`carts/${id}`);
export const type = async () => (await useApi().get('cart')).headers.get('carts/7');
export const none = (id: string) => useNothing().delete(`carts/${id}`);
";
    check(
        &[
            ("clients.ts", CLIENTS),
            ("page.ts", page),
            ("server.ts", ROUTES),
        ],
        &[
            "?requests page.ts#one -> server.ts#remove (DELETE api/carts/${id}) page.ts:2",
            "?requests page.ts#three -> server.ts#remove (DELETE carts/${id}) page.ts:4",
            "?requests page.ts#two -> server.ts#remove (DELETE carts/${id}) page.ts:3",
            "serves server.ts -> server.ts#remove (DELETE /carts/:id) server.ts:4",
        ],
    );
}

#[test]
fn an_edit_can_return_another_client() {
    let page = "import useApi from './clients';
export const remove = (id: string) => { const api = useApi(); api.delete(`carts/${id}`); };
";
    let own = CLIENTS.replace(
        "return useFixed({ ...props });",
        "return { delete(path: string) {} };",
    );
    let mut repository = Repository::of(&[("clients.ts", CLIENTS), ("page.ts", page)]);
    repository.index();
    for text in [own.as_str(), CLIENTS] {
        repository.write(&[("clients.ts", text)]);
        // Compares with a new index.
        repository.index_only("clients.ts");
    }
}

#[test]
fn a_request_may_take_a_path_that_was_built_before() {
    let page = "import { HttpClient } from '@angular/common/http';
declare function build(path: string): string;
export class Carts {
  constructor(private http: HttpClient) {}
  one(id: string) { const url = build(`carts/${id}`); this.http.delete(url); }
  two(id: string) { const url = `/carts/${id}`; return this.http.delete(url); }
  no(id: string) { const url = build('API_URL'); return this.http.delete(url); }
  none(id: string) { let url = `/carts/${id}`; url = id; return this.http.delete(url); }
}
";
    check(
        &[("page.ts", page), ("server.ts", ROUTES)],
        &[
            "?requests page.ts#Carts.one -> server.ts#remove (DELETE carts/${id}) page.ts:5",
            "?requests page.ts#Carts.two -> server.ts#remove (DELETE /carts/${id}) page.ts:6",
            "serves server.ts -> server.ts#remove (DELETE /carts/:id) server.ts:4",
        ],
    );
}

#[test]
fn a_component_may_be_loaded_when_it_is_shown() {
    let routes = "import { lazy, memo } from 'react';
const Cart = lazy(async () => import('./cart'));
const Till = memo(() => show((x) => x));
export const routes = [
  { path: 'carts/:id', element: <Cart /> },
  { path: 'tills', component: Till },
];
";
    check(
        &[
            ("routes.tsx", routes),
            (
                "cart.tsx",
                "export default function Cart() { return <b />; }\n",
            ),
        ],
        &[
            "shows routes.tsx#routes -> cart.tsx#Cart (carts/:id) routes.tsx:5",
            "shows routes.tsx#routes -> routes.tsx#Till (tills) routes.tsx:6",
        ],
    );
}

#[test]
fn a_loaded_module_may_export_the_component_of_another() {
    let routes = "export const routes = [
  { path: 'carts/:id', lazy: () => import('./cart') },
  { path: 'tills', lazy: () => import('./till').then((m) => ({ Component: m.Till })) },
  { path: 'none', lazy: () => import('./none') },
];
";
    check(
        &[
            ("routes.tsx", routes),
            (
                "cart/index.ts",
                "export { Cart as Component } from './cart';\n",
            ),
            ("cart/cart.tsx", "export const Cart = () => <b />;\n"),
            ("till.tsx", "export const Till = () => <b />;\n"),
            ("none.ts", "export const none = 1;\n"),
        ],
        &[
            "shows routes.tsx#routes -> cart/cart.tsx#Cart (carts/:id) routes.tsx:2",
            "shows routes.tsx#routes -> none.ts (none) routes.tsx:4",
            "shows routes.tsx#routes -> till.tsx#Till (tills) routes.tsx:3",
        ],
    );
}

#[test]
fn an_edit_of_a_loaded_module_can_export_another_component() {
    let routes = "export const routes = [{ path: '/carts', lazy: () => import('./cart') }];\n";
    let index = "export { Cart as Component } from './cart';\n";
    let cart = "export const Cart = () => <b />;\nexport const Other = () => <b />;\n";
    let mut repository = Repository::of(&[
        ("routes.tsx", routes),
        ("cart/index.ts", index),
        ("cart/cart.tsx", cart),
    ]);
    repository.index();
    for (path, text) in [
        ("cart/index.ts", index.replace("Cart as", "Other as")),
        ("cart/index.ts", String::new()),
        ("cart/index.ts", index.to_owned()),
        ("cart/cart.tsx", cart.replace("Cart", "Renamed")),
        ("cart/cart.tsx", cart.to_owned()),
    ] {
        repository.write(&[(path, &text)]);
        // Compares with a new index.
        repository.index_only(path);
    }
}

#[test]
fn an_edit_can_load_another_component() {
    let routes = "import { Cart } from './lazy-cart';
export const routes = [{ path: '/carts/*', component: Cart }];
";
    let lazy = "import { lazy } from 'react';
export const Cart = lazy(() => import('./cart'));
";
    let cart = "export default function Cart() { return <b />; }
export function Other() { return <b />; }
";
    let mut repository = Repository::of(&[
        ("routes.tsx", routes),
        ("lazy-cart.tsx", lazy),
        ("cart.tsx", cart),
    ]);
    repository.index();
    let other = lazy.replace(
        "import('./cart')",
        "import('./cart').then((m) => ({ default: m.Other }))",
    );
    let moved = cart
        .replace("default ", "")
        .replace("function Other", "default function Other");
    for (path, text) in [
        ("lazy-cart.tsx", other.as_str()),
        ("lazy-cart.tsx", lazy),
        ("cart.tsx", moved.as_str()),
        ("cart.tsx", cart),
    ] {
        repository.write(&[(path, text)]);
        // Compares with a new index.
        repository.index_only(path);
    }
}

#[test]
fn elements_are_routes_of_a_client() {
    let app = "import { Route, Routes, Navigate } from 'react-router-dom';
import { Carts, Cart, Layout, Panel, Home, Paths } from './carts';
import { Guarded } from './own';
export const App = () => (
  <Routes>
    <Route path='/' element={<Layout />}>
      <Route index element={<Home />} />
      <Route path='carts/*' element={<Panel title='a'><Carts /></Panel>}>
        <Route path=':id' element={<><Cart /></>} />
      </Route>
      <Route element={<Panel />}><Route path='/top' Component={Home} /></Route>
    </Route>
    <Route path='old/*' element={<Navigate to='/' />} />
    {on && <Route path='both' element={<Layout><Home /><Cart /></Layout>} />}
    <Route path='inner'><Home /></Route>
    <Route path='made' render={() => <Cart />} />
    <ProtectedRoute path='/safe' component={Home} />
    <Guarded path='/no-route' element={<Home />} />
    <Route path={`${Paths.TILLS}/*`} element={<Home />} />
  </Routes>
);
";
    let carts = "export enum Paths { TILLS = '/tills' }
export const Carts = () => <b />;
export const Cart = () => <b />;
export const Layout = (props: any) => <b>{props.children}</b>;
export const Panel = (props: any) => <b>{props.children}</b>;
export const Home = () => <b />;
";
    check(
        &[
            ("app.tsx", app),
            ("carts.tsx", carts),
            (
                "own.tsx",
                "export const Guarded = (props: any) => <b>{props.element}</b>;\n",
            ),
        ],
        &[
            "shows app.tsx#App -> - (old/*) app.tsx:13",
            "shows app.tsx#App -> carts.tsx#Cart (/carts/:id) app.tsx:9",
            "shows app.tsx#App -> carts.tsx#Cart (made) app.tsx:16",
            "?shows app.tsx#App -> carts.tsx#Carts (/carts/*) app.tsx:8",
            "shows app.tsx#App -> carts.tsx#Home (/) app.tsx:7",
            "?shows app.tsx#App -> carts.tsx#Home (/safe) app.tsx:17",
            "shows app.tsx#App -> carts.tsx#Home (/tills/*) app.tsx:19",
            "shows app.tsx#App -> carts.tsx#Home (/top) app.tsx:11",
            "shows app.tsx#App -> carts.tsx#Home (inner) app.tsx:15",
            "shows app.tsx#App -> carts.tsx#Layout (/) app.tsx:6",
            "shows app.tsx#App -> carts.tsx#Layout (both) app.tsx:14",
        ],
    );
}

#[test]
fn an_element_that_may_be_another_or_elsewhere_is_a_guess() {
    let app = "import { Route, Routes, createRoutesFromElements } from 'react-router-dom';
import { Cart, Frame, Home, Till } from './pages';
export const App = () => (
  <Routes>
    <Route path='cart' element={<Frame><Cart /></Frame>} />
    <Route path='part' element={<div><Cart /></div>} />
    <Route path='one' element={<Frame>{on ? <Cart /> : <Home />}</Frame>} />
    <Route path='other' element={<Frame>{on && <Cart /> || (<Home />)}</Frame>} />
    <Route path='tills'>{on ? <Route path='a' element={<Till />} /> : <Route path='b' element={<Till />} />}</Route>
    {items.map((item) => <Route path='mapped' element={<Till />} />)}
    {items.map((item) => <Route path='/from-root' element={<Till />} />)}
  </Routes>
);
export const made = createRoutesFromElements(<Route path='made' element={<Home />} />);
";
    let pages = "export const Cart = () => <b />;
export const Frame = (props: any) => <b>{props.children}</b>;
export const Home = () => <b />;
export const Till = () => <b />;
";
    check(
        &[("app.tsx", app), ("pages.tsx", pages)],
        &[
            "?shows app.tsx#App -> pages.tsx#Cart (cart) app.tsx:5",
            "shows app.tsx#App -> pages.tsx#Cart (part) app.tsx:6",
            "shows app.tsx#App -> pages.tsx#Frame (one) app.tsx:7",
            "shows app.tsx#App -> pages.tsx#Frame (other) app.tsx:8",
            "shows app.tsx#App -> pages.tsx#Till (/from-root) app.tsx:11",
            "?shows app.tsx#App -> pages.tsx#Till (mapped) app.tsx:10",
            "shows app.tsx#App -> pages.tsx#Till (tills/a) app.tsx:9",
            "shows app.tsx#App -> pages.tsx#Till (tills/b) app.tsx:9",
            "shows app.tsx#made -> pages.tsx#Home (made) app.tsx:14",
        ],
    );
}

#[test]
fn a_request_may_have_its_method_as_an_option() {
    let client = "declare function send(path: string, options: object): void;
declare const fetcher: any;
export function add(id: string) {
  const path = `api/carts/${id}`;
  send(path, { method: 'post', body: id });
}
export function drop(id: string) {
  fetcher.submit(
    { id },
    {
      method: 'post',
      action: `/carts/${id}/drop`,
    },
  );
}
export function restore(cartIdentifier: string, lineIdentifier: string) {
  send(`/api/carts/${cartIdentifier}/lines/${lineIdentifier}/discounts/restore`, { method: 'PUT' });
}
export function load() { fetcher.run({ url: '/carts', method: 'GET' }); }
export function save(id: string) { send('save the cart', `/api/carts/${id}`, { method: 'POST' }); }
export function keep(id: string) { send({ url: `/api/carts/${id}`, method: 'POST', action: 'keep' }); }
export function no(method: string) {
  send('no path', { method: 'POST' });
  send('/carts', { method });
  send('/carts', { method: 'GET', handler: () => 1 });
  fetcher.run({ url: 'http://shop/carts', method: 'GET' });
}
";
    let routes = "import { createBrowserRouter } from 'react-router-dom';
import { Root } from './root';
export const router = createBrowserRouter([{
  path: '/', element: <Root />,
  children: [
    { index: true, element: <Root /> },
    { path: 'carts/*', loader: async (...args) => (await import('./actions')).all(...args), children: [
      { path: ':id/drop', action: async (...args) => (await import('./actions')).dropCart(...args) },
    ] },
  ],
}]);
export const menu = [{ path: 'carts', action: () => 1 }];
";
    let actions = "export function all() {}\nexport async function dropCart() {}\n";
    let server = "import express from 'express';
const app = express();
app.post('/api/carts/:id', save);
app.put('/api/carts/:cart/lines/:line/discounts/restore', save);
export function save() {}
";
    check(
        &[
            ("client.ts", client),
            ("routes.tsx", routes),
            ("actions.ts", actions),
            ("root.tsx", "export const Root = () => <b />;\n"),
            ("server.ts", server),
        ],
        &[
            "?requests client.ts#add -> server.ts#save (POST api/carts/${id}) client.ts:5",
            "?requests client.ts#drop -> actions.ts#dropCart (POST /carts/${id}/drop) client.ts:8",
            "?requests client.ts#keep -> server.ts#save (POST /api/carts/${id}) client.ts:21",
            "?requests client.ts#restore -> server.ts#save (PUT /api/carts/${cartIdentifier}/lines/${lineIdentifier}/discounts/restore) client.ts:17",
            "?requests client.ts#save -> server.ts#save (POST /api/carts/${id}) client.ts:20",
            "?serves routes.tsx#router -> actions.ts#all (GET /carts/*) routes.tsx:7",
            "?serves routes.tsx#router -> actions.ts#dropCart (* /carts/:id/drop) routes.tsx:8",
            "serves server.ts -> server.ts#save (POST /api/carts/:id) server.ts:3",
            "serves server.ts -> server.ts#save (PUT /api/carts/:cart/lines/:line/discounts/restore) server.ts:4",
            "shows routes.tsx#router -> root.tsx#Root (/) routes.tsx:4",
            "shows routes.tsx#router -> root.tsx#Root (/) routes.tsx:6",
        ],
    );
}
