namespace Shop.Services;

/// <summary>Knows how to make each service; a stand-in for a container.</summary>
public class Registry
{
    private readonly Dictionary<Type, Func<Registry, object>> makers = new();

    public Registry Add<TService, TImplementation>(Func<Registry, TImplementation> make)
        where TImplementation : TService
    {
        makers[typeof(TService)] = registry => make(registry)!;
        return this;
    }

    public Registry Add<TService>(TService instance)
        where TService : notnull => Add<TService, TService>(_ => instance);

    public T Get<T>() => (T)makers[typeof(T)](this);
}
