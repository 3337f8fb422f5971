namespace Shop.Domain.Discounts;

public class LevelDiscount : IDiscount
{
    public Money Apply(Order order, Money amount) => amount.Less(Percent(order.Customer.Level));

    private static int Percent(CustomerLevel level) => level switch
    {
        CustomerLevel.Gold => 10,
        CustomerLevel.Silver => 5,
        _ => 0,
    };
}
