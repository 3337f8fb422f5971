import type { Product } from "@shop/client";
import { h } from "@shop/ui";
import { CartPage } from "./pages/CartPage";
import { ProductsPage } from "./pages/ProductsPage";
import type { CartStore } from "./state/cart";

export function App({ cart, products }: { cart: CartStore; products: Product[] }) {
  return (
    <main>
      <ProductsPage products={products} onChoose={(product) => cart.add(product)} />
      <CartPage cart={cart} />
    </main>
  );
}
