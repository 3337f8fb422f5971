namespace Shop.Services.Extensions;

public static class OrderExtensions
{
    public static string Summary(this Order order) => $"{order.Describe()}: {order.Status.Label()}, {order.Total()}";

    public static string Label(this OrderStatus status) => status.ToString().ToLowerInvariant();

    public static Order With(this Order order, Product product, int count = 1)
    {
        order.Add(product, count);
        return order;
    }
}
