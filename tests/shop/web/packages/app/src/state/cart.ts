import type { Order, OrderLine, OrdersApi, Product } from "@shop/client";
import { Observable } from "./observable";
import { totalCents } from "./totals";

/** What the visitor has chosen so far. */
export class CartStore extends Observable<OrderLine[]> {
  lines: OrderLine[] = [];

  constructor(private readonly orders: OrdersApi) {
    super();
  }

  add(product: Product): void {
    const line = this.lines.find((each) => each.product.id === product.id);
    if (line) line.count += 1;
    else this.lines.push({ product, count: 1 });
    this.emit(this.lines);
  }

  total(): number {
    return totalCents(this.lines);
  }

  async checkout(): Promise<Order> {
    const order = await this.orders.place(this.lines);
    this.lines = [];
    this.emit(this.lines);
    return order;
  }
}
