namespace Shop.Domain;

public sealed record OrderLine(Product Product, int Count)
{
    public Money Total() => Product.Price * Count;
}
