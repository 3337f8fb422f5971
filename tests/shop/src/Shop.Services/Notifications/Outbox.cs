namespace Shop.Services.Notifications;

public class Outbox
{
    private readonly Queue<Letter> letters = new();

    public void Put(Letter letter) => letters.Enqueue(letter);

    public record Letter(string To, string Text);
}
