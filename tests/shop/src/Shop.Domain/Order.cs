namespace Shop.Domain;

public delegate void OrderChanged(Order order, OrderStatus before);

/// <summary>What a customer wants; changes its status only forwards.</summary>
public partial class Order : Entity
{
    private readonly List<OrderLine> lines = new();

    public Order(int id, Customer customer)
        : base(id)
    {
        Customer = customer;
    }

    public event OrderChanged? Changed;

    public Customer Customer { get; }

    public IReadOnlyList<OrderLine> Lines => lines;

    public OrderLine this[int index] => lines[index];

    public void Add(Product product, int count = 1)
    {
        Require(OrderStatus.Open);
        lines.Add(new OrderLine(product, count));
    }

    public Money Total()
    {
        var sum = Money.Zero;
        foreach (var line in Lines)
        {
            sum += line.Total();
        }
        return sum;
    }

    public override string Describe() => $"{base.Describe()} of {Customer.Name}";
}
