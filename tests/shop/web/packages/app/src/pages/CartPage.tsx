import { Button, h, List, Price } from "@shop/ui";
import { lineCents } from "../state/totals";
import type { CartStore } from "../state/cart";

export function CartPage({ cart }: { cart: CartStore }) {
  return (
    <section>
      <List items={cart.lines} show={(line) => `${line.count} x ${line.product.name}: ${lineCents(line)}`} />
      <Price cents={cart.total()} />
      <Button label="Order" onPress={() => void cart.checkout()} />
    </section>
  );
}
