namespace Shop.Api.Endpoints;

[AttributeUsage(AttributeTargets.Class)]
public sealed class RouteAttribute(string word) : Attribute
{
    public string Word { get; } = word;
}

public abstract class Endpoint
{
    protected abstract string Word { get; }

    public bool Accepts(string[] words) => words.Length > 0 && words[0] == Word;

    public abstract string Handle(string[] words);
}
