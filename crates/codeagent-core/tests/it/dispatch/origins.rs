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
            "shows routes.tsx#routes -> cart.tsx (carts/:id) routes.tsx:5",
            "shows routes.tsx#routes -> routes.tsx#Till (tills) routes.tsx:6",
        ],
    );
}
