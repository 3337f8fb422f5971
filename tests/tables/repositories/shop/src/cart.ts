import { Money, round } from "@acme/money";

export function total(prices: number[]): Money {
  let sum = 0;
  for (const price of prices) sum += round(price);
  return new Money(sum);
}
