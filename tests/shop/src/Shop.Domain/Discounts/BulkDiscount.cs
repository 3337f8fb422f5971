namespace Shop.Domain.Discounts;

public class BulkDiscount(int threshold) : IDiscount
{
    public Money Apply(Order order, Money amount)
    {
        var count = 0;
        foreach (var line in order.Lines)
        {
            count += line.Count;
        }
        return count >= threshold ? amount.Less(3) : amount;
    }
}
