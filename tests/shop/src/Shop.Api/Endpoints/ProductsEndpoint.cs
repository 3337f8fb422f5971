using Shop.Domain;
using Shop.Services;

namespace Shop.Api.Endpoints;

[Route("products")]
public class ProductsEndpoint(Registry registry) : Endpoint
{
    protected override string Word => "products";

    public override string Handle(string[] words)
    {
        var products = registry.Get<IRepository<Product>>();
        return string.Join('\n', products.All().Select(product => product.Describe()));
    }
}
