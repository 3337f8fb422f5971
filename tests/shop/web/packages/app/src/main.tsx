import { HttpClient, OrdersApi, ProductsApi } from "@shop/client";
import { h, render } from "@shop/ui";
import { App } from "./App";
import { CartStore } from "./state/cart";

const http = new HttpClient("/api");
const cart = new CartStore(new OrdersApi(http));

export async function start(): Promise<string> {
  const products = await new ProductsApi(http).all();
  cart.subscribe(() => render(<App cart={cart} products={products} />));
  return render(<App cart={cart} products={products} />);
}
