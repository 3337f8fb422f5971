using Shop.Services.Extensions;
using Shop.Services.Notifications;

namespace Shop.Services;

public class OrderService : IOrderService
{
    private readonly IRepository<Order> orders;
    private readonly IRepository<Customer> customers;
    private readonly PriceCalculator prices;
    private readonly INotifier notifier;
    private int next = 1;

    public OrderService(IRepository<Order> orders, IRepository<Customer> customers, PriceCalculator prices, INotifier notifier)
    {
        this.orders = orders;
        this.customers = customers;
        this.prices = prices;
        this.notifier = notifier;
    }

    public Order Start(int customer)
    {
        var found = customers.Find(customer) ?? throw new KeyNotFoundException();
        var order = new Order(next++, found);
        order.Changed += OnChanged;
        orders.Save(order);
        return order;
    }

    public Receipt Place(Order order)
    {
        var total = prices.Price(order);
        order.Place();
        orders.Save(order);
        return new Receipt(order.Id, total);
    }

    public async Task<Receipt> PlaceAsync(Order order)
    {
        await Task.Yield();
        return Place(order);
    }

    private void OnChanged(Order order, OrderStatus before)
    {
        notifier.Notify(order.Customer, order.Summary());
    }
}
