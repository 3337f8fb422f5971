namespace Shop.Domain;

public class Product : Entity
{
    public Product(int id, string name, Money price)
        : base(id)
    {
        Name = name;
        Price = price;
    }

    public string Name { get; }

    public Money Price { get; private set; }

    public void Reprice(Money price) => Price = price;

    public override string Describe() => $"{base.Describe()} ({Name})";
}
