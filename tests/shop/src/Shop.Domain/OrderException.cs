namespace Shop.Domain;

public class OrderException : Exception
{
    public OrderException(Order order, string message)
        : base($"{order.Describe()}: {message}")
    {
        Order = order;
    }

    public Order Order { get; }
}
