using Shop.Domain;
using Shop.Services;
using Shop.Services.Extensions;

namespace Shop.Api.Endpoints;

[Route("orders")]
public class OrdersEndpoint : Endpoint
{
    private readonly IOrderService service;
    private readonly Registry registry;

    public OrdersEndpoint(IOrderService service, Registry registry)
    {
        this.service = service;
        this.registry = registry;
    }

    protected override string Word => "orders";

    public override string Handle(string[] words)
    {
        var order = service.Start(1);
        foreach (var product in registry.Get<IRepository<Product>>().All())
        {
            order.With(product, 2);
        }
        return Show(order, service.Place(order));
    }

    private static string Show(Order order, Receipt receipt) => $"{order.Summary()} -> {receipt.Total}";
}
