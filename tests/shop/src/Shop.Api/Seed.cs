using Shop.Domain;
using Shop.Services;

namespace Shop.Api;

internal static class Seed
{
    public static void Fill(Registry registry)
    {
        var products = registry.Get<IRepository<Product>>();
        products.Save(new Product(1, "Lamp", Money.Of(19.90m)));
        products.Save(new Product(2, "Chair", Money.Of(89)));
        registry.Get<IRepository<Customer>>().Save(new Customer(1, "Ada", "ada@example.org"));
    }
}
