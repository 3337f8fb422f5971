import * as money from "@acme/money";

export class Invoice {
  amount(hours: number): number {
    return money.round(hours * 100);
  }
}

export function send(invoice: Invoice): string {
  return money.format(new money.Money(invoice.amount(2)));
}
