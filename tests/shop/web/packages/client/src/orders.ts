import { Resource } from "./resource";
import type { Order, OrderLine } from "./types";

export class OrdersApi extends Resource<Order> {
  protected path(): string {
    return "/orders";
  }

  place(lines: OrderLine[]): Promise<Order> {
    return this.http.post<Order>(this.path(), { lines });
  }
}
