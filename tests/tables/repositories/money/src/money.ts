/** An amount in cents. */
export class Money {
  constructor(readonly cents: number) {}

  plus(other: Money): Money {
    return new Money(this.cents + other.cents);
  }
}

/** Rounds to whole cents. */
export function round(amount: number): number {
  return toWhole(amount);
}

export function format(money: Money): string {
  return round(money.cents) + " ct";
}

/** Nobody calls this any more. */
export function legacyRound(amount: number): number {
  return Math.floor(amount);
}

function toWhole(amount: number): number {
  return Math.round(amount);
}
