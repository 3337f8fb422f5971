namespace Shop.Services.Notifications;

public interface INotifier
{
    void Notify(Customer customer, string text);
}
