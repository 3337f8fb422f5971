using System.Collections.Generic;
using System.Net.Http;
using System.Threading.Tasks;

namespace Acme.Mail;

/// <summary>Sends mail through a web service.</summary>
public class Mailer : IMailer
{
    private readonly HttpClient client = new HttpClient();

    public async Task Send(string address, int? retries, IList<string> lines)
    {
        await client.GetAsync("https://mail.example/" + address);
    }

    public T Last<T>(Dictionary<string, T> all, Outbox.Entry? entry, params int[][] counts) => default!;
}

public interface IMailer
{
    Task Send(string address, int? retries, IList<string> lines);
}

public class Outbox
{
    public struct Entry { }
}
