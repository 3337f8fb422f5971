using Shop.Api.Endpoints;

namespace Shop.Api;

public class Router
{
    private readonly List<Endpoint> endpoints = new();

    public void Map(Endpoint endpoint) => endpoints.Add(endpoint);

    public string Handle(string[] words)
    {
        foreach (var endpoint in endpoints)
        {
            if (endpoint.Accepts(words))
            {
                return endpoint.Handle(words);
            }
        }
        return NotFound(words);
    }

    private static string NotFound(string[] words) => $"nothing answers {string.Join(' ', words)}";
}
