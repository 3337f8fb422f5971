using Shop.Services.Notifications;
using Shop.Services.Storage;

namespace Shop.Services;

public static class ServiceRegistration
{
    public static Registry AddShop(this Registry registry)
    {
        registry.Add<IRepository<Order>>(new MemoryRepository<Order>());
        registry.Add<IRepository<Customer>>(new MemoryRepository<Customer>());
        registry.Add<IRepository<Product>>(new MemoryRepository<Product>());
        registry.Add<INotifier, EmailNotifier>(_ => new EmailNotifier(new Outbox()));
        registry.Add(PriceCalculator.Standard());
        return registry.Add<IOrderService, OrderService>(Make);
    }

    private static OrderService Make(Registry registry) => new(
        registry.Get<IRepository<Order>>(),
        registry.Get<IRepository<Customer>>(),
        registry.Get<PriceCalculator>(),
        registry.Get<INotifier>());
}
