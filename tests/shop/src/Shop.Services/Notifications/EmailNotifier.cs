namespace Shop.Services.Notifications;

public class EmailNotifier : INotifier
{
    private readonly Outbox outbox;

    public EmailNotifier(Outbox outbox)
    {
        this.outbox = outbox;
    }

    public virtual void Notify(Customer customer, string text) => outbox.Put(new Outbox.Letter(customer.Email, text));
}

public class QuietNotifier(Outbox outbox) : EmailNotifier(outbox)
{
    public override void Notify(Customer customer, string text)
    {
        if (customer.Level is CustomerLevel.Gold)
        {
            base.Notify(customer, text);
        }
    }
}
