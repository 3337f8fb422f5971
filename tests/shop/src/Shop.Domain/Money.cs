namespace Shop.Domain;

/// <summary>An amount in one currency, in its smallest unit.</summary>
public readonly record struct Money(long Cents)
{
    public static readonly Money Zero = new(0);

    public static Money operator +(Money left, Money right) => new(left.Cents + right.Cents);

    public static Money operator *(Money money, int count) => new(money.Cents * count);

    public static Money Of(decimal amount) => new((long)(amount * 100));

    /// <summary>The amount less so many percent.</summary>
    public Money Less(int percent) => new(Cents - Cents * percent / 100);

    public override string ToString() => $"{Cents / 100}.{Cents % 100:00}";
}
