using Shop.Domain.Discounts;

namespace Shop.Services;

/// <summary>What an order costs after all discounts.</summary>
public class PriceCalculator
{
    private readonly IReadOnlyList<IDiscount> discounts;

    public PriceCalculator(params IDiscount[] discounts)
    {
        this.discounts = discounts;
    }

    public Money Price(Order order)
    {
        var amount = order.Total();
        foreach (var discount in discounts)
        {
            amount = discount.Apply(order, amount);
        }
        return amount;
    }

    public static PriceCalculator Standard() => new(new LevelDiscount(), new BulkDiscount(10));
}
