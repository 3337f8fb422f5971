namespace Shop.Services;

public interface IOrderService
{
    Order Start(int customer);

    Receipt Place(Order order);

    Task<Receipt> PlaceAsync(Order order);
}

public record Receipt(int OrderId, Money Total);
