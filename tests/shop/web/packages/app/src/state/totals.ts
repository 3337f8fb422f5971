import type { OrderLine } from "@shop/client";

export const lineCents = (line: OrderLine): number => line.product.cents * line.count;

export function totalCents(lines: OrderLine[]): number {
  return lines.reduce((sum, line) => sum + lineCents(line), 0);
}
