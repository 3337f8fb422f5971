namespace Shop.Domain;

public enum OrderStatus
{
    Open,
    Placed,
    Shipped,
}

public partial class Order
{
    public OrderStatus Status { get; private set; }

    public void Place() => Advance(OrderStatus.Open, OrderStatus.Placed);

    public void Ship() => Advance(OrderStatus.Placed, OrderStatus.Shipped);

    private void Advance(OrderStatus from, OrderStatus to)
    {
        Require(from);
        Status = to;
        Changed?.Invoke(this, from);
    }

    private void Require(OrderStatus status)
    {
        if (Status != status)
        {
            throw new OrderException(this, $"must be {status}");
        }
    }
}
