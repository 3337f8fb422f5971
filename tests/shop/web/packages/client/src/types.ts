export interface Product {
  id: number;
  name: string;
  cents: number;
}

export interface OrderLine {
  product: Product;
  count: number;
}

export type OrderStatus = "open" | "placed" | "shipped";

export interface Order {
  id: number;
  lines: OrderLine[];
  status: OrderStatus;
}
