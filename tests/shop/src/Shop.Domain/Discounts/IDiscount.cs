namespace Shop.Domain.Discounts;

public interface IDiscount
{
    /// <summary>What is left to pay of an amount.</summary>
    Money Apply(Order order, Money amount);
}
