import { h } from "./runtime";

export function formatCents(cents: number): string {
  return (cents / 100).toFixed(2);
}

export const Price = ({ cents }: { cents: number }) => <span>{formatCents(cents)}</span>;
